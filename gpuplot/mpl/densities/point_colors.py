"""The `c` parameter of `scatter` -> one color, or a color, a number or a class for each point."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from matplotlib.colors import is_color_like

from ...arrays.dataframes import texts_of
from ...arrays.describe import describe
from ...arrays.literals import counted, has_items
from ...arrays.optional_imports import answers_everything, attribute
from ...arrays.source import Source
from ...transfer.asnumpy import asnumpy

# The class number of points whose class is missing, as in pandas.
MISSING = -1

# Kinds of NumPy dtypes whose elements may be texts.
_TEXTS = ("O", "S", "T", "U")


class PointColors(NamedTuple):
    """What `c` says; `color`, `values` or both are None.

    Attributes
    ----------
    color : object
        One color, or one for each point, as `Axes.scatter` takes it.
    values : Source or None
        A number for each point.
    names : tuple of str
        Names of the classes, if the values are class numbers.
    """

    color: Any = None
    values: Source | None = None
    names: tuple[str, ...] = ()


def colors_of_points(c, n_points, is_categorical, stream=None):
    """The `PointColors` of `c` for so many points. Texts are class names if `is_categorical`, else colors.

    None: those that pandas or polars says are categories are class names, and those of which none is a color.
    """
    c = texts_of(c)
    if c is None or issubclass(type(c), str) or _is_one_color(c, n_points):
        return PointColors(c)
    if is_categorical or (is_categorical is None and (_categories(c) is not None or _are_names(c))):
        numbered = _numbered(c)
        if numbered is not None:
            return PointColors(None, describe(numbered[0]), numbered[1])
    elif _are_texts(c) or _are_faint(c):
        return PointColors(c if isinstance(c, (tuple, list)) else _texts_of(c))
    source = describe(c, stream)
    if len(source.shape) == 2 and source.shape[1] in (3, 4) and source.shape[0] in (1, n_points):
        rows = asnumpy(c, stream=stream)
        if source.size != n_points or (n_points and is_color_like(tuple(rows[0].tolist()))):
            return PointColors(rows)
    return PointColors(None, source)


def check_color(c, properties):
    """ValueError where both `c` and the property ``color`` are given."""
    if c is not None and properties.get("color") is not None:
        raise ValueError("Supply a 'c' argument or a 'color' kwarg but not both; they differ but their functionalities overlap.")


def _is_one_color(c, n_points):
    """Whether `c` is one color; three or four numbers for as many points are values, not a color."""
    if not (issubclass(type(c), (tuple, list)) and has_items(c)) or len(c) == n_points:
        return False
    try:
        return is_color_like(c)
    except Exception:  # it compares the items, which may be tensors
        return False


def _are_faint(c):
    """Whether these are colors with an opacity each, such as ``[("red", 0.5), ("blue", 0.2)]``."""
    return isinstance(c, (tuple, list)) and any(isinstance(part, tuple) and len(part) == 2 and isinstance(part[0], str) for part in c)


def _are_texts(c):
    if isinstance(c, (tuple, list)):
        return any(isinstance(part, (str, bytes)) for part in c)
    kind = attribute(attribute(c, "dtype"), "kind")
    if not isinstance(kind, str) or kind not in _TEXTS or _categories(c) is not None:
        return False
    return any(isinstance(part, (str, bytes)) for part in np.ravel(np.asarray(counted(c)))[:1])


def _texts_of(c):
    """Texts as a flat array of objects, those that are bytes decoded, as files have them. h5py converts nothing to objects itself."""
    items = np.ravel(np.asarray(c if isinstance(c, (tuple, list)) else np.asarray(counted(c)), object))
    return np.array([item.decode("utf-8", "replace") if isinstance(item, bytes) else item for item in items.tolist()], object)


def _are_names(c):
    """Whether texts are names of classes: none of them is a color of matplotlib. ValueError where one is and another is not."""
    if not _are_texts(c):
        return False
    texts = {text for text in _texts_of(c).tolist() if isinstance(text, str)}
    others = sorted(text for text in texts if not is_color_like(text))
    if others and len(others) < len(texts):
        raise ValueError(f"c has texts of which some are colors and {len(others)} are not, such as {others[0][:40]!r}: give colors alone, "
                         "or categorical=True where they are names of classes")
    return bool(others)


def _categories(c):
    """The object with `codes` and `categories` of a pandas categorical; None for other objects."""
    if answers_everything(c):
        return None
    name = attribute(attribute(c, "dtype"), "name")
    found = attribute(c, "cat") if isinstance(name, str) and name == "category" else None
    found = c if found is None else found
    return found if attribute(found, "codes") is not None and attribute(found, "categories") is not None else None


def _numbered(c):
    """(class number of each point, names of the classes) of a pandas categorical or of texts; else None."""
    categories = _categories(c)
    if categories is not None:
        return np.asarray(categories.codes), tuple(map(str, categories.categories))
    if not _are_texts(c):
        return None
    texts = _texts_of(c)
    is_text = np.array([isinstance(text, str) for text in texts])
    numbers = np.full(texts.size, MISSING)
    names, numbers[is_text] = np.unique(texts[is_text].astype(str), return_inverse=True)
    return numbers, tuple(names.tolist())
