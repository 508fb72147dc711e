"""What is in libraries that somebody imported, without an import: a library that is broken or half there is not there."""

from __future__ import annotations

import sys

__all__ = ["attribute", "loaded", "module_roots"]


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


def module_roots(X):
    """The names of the packages that an object's type and its bases come from; types may say of themselves what they like."""
    return {root for base in type(X).__mro__ if (root := _root(base))}


def _root(base):
    try:
        return str(base.__module__).partition(".")[0]
    except Exception:
        return None
