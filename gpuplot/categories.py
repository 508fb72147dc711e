"""Class numbers as colours: a palette in which a colour depends on the number alone."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib as mpl
import numpy as np
from matplotlib.colors import BoundaryNorm, ListedColormap, Normalize

from .color_limits import robust_percents
from .style import find_cmap

__all__ = [
    "MIXING", "CategoryNorm", "category_colors", "check_categorical", "check_labels", "check_style_of_classes",
    "is_categorical_dtype", "keeps_classes",
]

# Aggregations that mix class numbers: a picture of classes is then one of plain numbers.
MIXING = ("mean", "std", "sum", "count")

# Reductions of hidden axes that give a class number again.
_KEEPING = ("max", "min")

# Beyond so many levels colours are found by arithmetic: nobody reads a colorbar of them.
MOST_LEVELS = 4096


def palette():
    """20 RGB colours: tab20's even entries, which are tab10, then its odd ones."""
    colors = mpl.colormaps["tab20"].colors
    return [*colors[::2], *colors[1::2]]


def is_categorical_dtype(dtype_name):
    """Whether elements of this dtype ("int64", "bool", ...) can be class numbers; floats and complex numbers cannot."""
    return dtype_name == "bool" or dtype_name.startswith(("int", "uint"))


def keeps_classes(view):
    """Whether the elements of a view are class numbers where those of the tensor are: no colours, and no means of hidden axes."""
    return view is None or (not view.is_rgb and all(op in _KEEPING for op in view.stage_ops))


def check_categorical(categorical, dtype_name, view, is_rgb=False):
    """Whether a picture is asked to show classes, whatever its aggregation.

    Parameters
    ----------
    categorical : None or bool
    dtype_name : str
        Of the tensor.
    view : View or None
        None is a tensor as it is.
    is_rgb : bool, default: False
        Whether that is colours.

    Raises
    ------
    ValueError
        Another value; a dtype without class numbers; hidden axes that are reduced to what is no class.
    """
    if categorical is not None and not isinstance(categorical, (bool, np.bool_)):
        raise ValueError(f"categorical={categorical!r} is not one of None, True, False")
    if not categorical or is_rgb or (view is not None and view.is_rgb):
        return False
    if not is_categorical_dtype(dtype_name):
        raise ValueError(f"categorical=True needs class numbers of an integer dtype, not {dtype_name}: convert the tensor, or "
                         "leave categorical out")
    if not keeps_classes(view) and 0 not in view.shape:
        op = next(op for op in view.stage_ops if op not in _KEEPING)
        raise ValueError(f"categorical=True: the {op} of class numbers is no class; reduce with max or min, or leave categorical out")
    return True


def check_labels(labels):
    """What was given as ``labels=``; TypeError where it is no dict of texts."""
    if labels is not None and not isinstance(labels, Mapping):
        raise TypeError(f"labels is a dict of values and their texts, such as {{0: 'road', 1: 'sky'}}, not {type(labels).__name__}")
    return labels


def check_style_of_classes(options):
    """Refuses keywords that place numbers on a scale, which classes do not have; `options` has all of them."""
    given = [name for name in ("vmin", "vmax", "gamma", "under_color", "over_color") if options[name] is not None]
    given += ["robust"] * (robust_percents(options["robust"]) is not None)
    given += ["center"] * (options["center"] not in (None, "auto"))
    if given:
        raise ValueError(f"{', '.join(given)}: classes have a color each and no scale; leave {'it' if len(given) == 1 else 'them'} "
                         "out, or leave categorical out")


class CategoryNorm(Normalize):
    """Class numbers to entries of a palette, number modulo the palette's length.

    Parameters
    ----------
    n_colors : int
        Entries of the palette.
    vmin, vmax : float, optional
        The range of class numbers, for colorbars; colours do not depend on it.

    Examples
    --------
    >>> from gpuplot.categories import CategoryNorm
    >>> CategoryNorm(20)([-1.0, 0.0, 41.0]).tolist()
    [19, 0, 1]
    """

    def __init__(self, n_colors=20, vmin=None, vmax=None):
        super().__init__(vmin, vmax)
        self.n_colors = n_colors

    def __call__(self, value, clip=None):
        """Values of any shape to rows of the palette, int64."""
        values = np.ma.asarray(value, dtype=np.float64)
        rows = np.mod(np.floor(values.filled(0) + 0.5), self.n_colors).astype(np.int64)
        return np.ma.array(rows, mask=np.ma.getmask(values)) if np.iterable(value) else int(rows)

    def inverse(self, value):
        """Refused: many class numbers share a colour."""
        raise ValueError("CategoryNorm is not invertible")


def category_colors(minimum, maximum, cmap=None):
    """(cmap, norm) for class numbers from minimum to maximum (whole numbers; NaN if there are no elements).

    Without `cmap`, number v has colour ``palette[v mod 20]`` whatever the other numbers are. With one, its colours are
    spread over the levels.
    """
    first, last = (0, 0) if np.isnan(minimum) else (int(minimum), int(maximum))
    n_levels = last - first + 1
    if n_levels > MOST_LEVELS:
        if cmap is not None:
            return find_cmap(cmap), Normalize(first - 0.5, last + 0.5)
        return ListedColormap(palette(), name="categories"), CategoryNorm(20, first, last)
    if cmap is None:
        colors = palette()
        cmap = ListedColormap([colors[(first + i) % 20] for i in range(n_levels)], name="categories")
    else:
        cmap = find_cmap(cmap)
        cmap = cmap.resampled(n_levels) if cmap.N < n_levels else cmap
    return cmap, BoundaryNorm(first - 0.5 + np.arange(n_levels + 1), cmap.N)
