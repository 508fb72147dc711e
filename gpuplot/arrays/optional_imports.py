"""What is in libraries that somebody imported, without an import: a library that is broken or half there is not there."""

from __future__ import annotations

import sys

__all__ = ["answers_everything", "attribute", "loaded", "module_roots"]

_NOBODY_HAS = "gpuplot_asks_for_an_attribute_that_nobody_has"


def loaded(path):
    """The object with a dotted name such as ``"torch.Tensor"``, or None where its library was not imported or lacks it."""
    root, *names = path.split(".")
    found = sys.modules.get(root)
    try:
        for name in names:
            found = getattr(found, name)
    except Exception:  # modules may compute their attributes, and fail at it in any way
        return None
    return found


def attribute(X, name):
    """An attribute of somebody's object, None where it lacks it or fails at saying so."""
    try:
        return getattr(X, name, None)
    except MemoryError:
        raise
    except Exception:
        return None


def answers_everything(X):
    """True for mocks, and for whatever else has an attribute of any name: what such objects say about themselves means nothing."""
    if any(base.__name__ == "NonCallableMock" and _module(base) in _MOCKS for base in type(X).__mro__):
        return True  # with a spec they answer what that has
    try:
        getattr(X, _NOBODY_HAS)
    except Exception:
        return False
    return True


# The modules of unittest.mock and of its twin that is a package of its own.
_MOCKS = {"unittest.mock", "mock.mock"}


def module_roots(X):
    """The names of the packages that an object's type and its bases come from; types may say of themselves what they like."""
    return {root for base in type(X).__mro__ if (root := _module(base).partition(".")[0])}


def _module(base):
    """The name of the module of a type, "" where that fails at saying so."""
    try:
        return str(base.__module__)
    except Exception:
        return ""
