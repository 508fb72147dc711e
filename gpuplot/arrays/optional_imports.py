"""Looks names up in libraries that the program has imported already; a broken library counts as absent."""

import sys

_NOBODY_HAS = "gpuplot_asks_for_an_attribute_that_nobody_has"


def loaded(path):
    """The object with a dotted name such as ``"torch.Tensor"``, None where its library was not imported or lacks it."""
    root, *names = path.split(".")
    value = sys.modules.get(root)
    try:
        for name in names:
            value = getattr(value, name)
    except Exception:  # modules may compute their attributes, and may fail in any way
        return None
    return value


def attribute(X, name):
    """An attribute of an object, None where it is missing or raises."""
    try:
        return getattr(X, name, None)
    except MemoryError:
        raise
    except Exception:
        return None


def answers_everything(X):
    """True for mocks and other objects that have an attribute of any name, whose attributes therefore mean nothing."""
    if any(base.__name__ == "NonCallableMock" and _module(base) in _MOCKS for base in type(X).__mro__):
        return True  # a mock with a spec has the attributes of the spec only
    try:
        getattr(X, _NOBODY_HAS)
    except Exception:
        return False
    return True


# The modules of unittest.mock and of its backport, the package mock.
_MOCKS = {"unittest.mock", "mock.mock"}


def wrapped_in(X):
    """The object in a proxy of wrapt, of which NumPy would lose a mask or keep the keys alone; None for other objects."""
    return X.__wrapped__ if hasattr(type(X), "__wrapped__") and module_roots(X) & {"wrapt", "_wrappers"} else None


def module_roots(X):
    """The names of the packages that an object's type and its base classes come from."""
    roots = {_module(base).partition(".")[0] for base in type(X).__mro__}  # without :=, which TensorFlow's AutoGraph warns of
    return roots - {""}


def is_kind(X, libraries, *names):
    """Whether an object's type or a base of it has one of these names and comes from one of the libraries."""
    return any(base.__name__ in names and _module(base).partition(".")[0] in libraries for base in type(X).__mro__)


def _module(base):
    """The name of a type's module, "" where reading it raises."""
    try:
        return str(base.__module__)
    except Exception:
        return ""
