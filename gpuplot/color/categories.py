"""Class numbers as colors: a palette in which a color depends on the number alone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.colors import BoundaryNorm, ListedColormap, Normalize

from .. import _native
from .class_colors import N_PALETTE, palette
from .classes import MOST_LEVELS, check_ignore_index
from .color_limits import robust_percents
from .style import find_cmap

__all__ = [
    "MIXING", "CategoryNorm", "category_colors", "check_categorical", "check_ignored", "check_labels",
    "check_style_of_classes",
    "is_categorical_dtype", "keeps_classes",
]

# Aggregations that mix class numbers: a picture of classes is then one of plain numbers.
MIXING = tuple(agg for agg, facts in _native.AGGS.items() if not facts & _native.AGG_SELECTS)

# Reductions of hidden axes that give a class number again.
_KEEPING = ("max", "min")

# Negative numbers have the colours of tab20 alone.
N_NEGATIVE = 20

# Numbers beyond the palette go through its last 113 entries again: the first classes share theirs with none of them. That is a prime,
# so evenly spaced numbers differ, as do powers of two, and 128 and 255.
N_AGAIN = 113

TRANSPARENT = (0.0, 0.0, 0.0, 0.0)


def entries(numbers):
    """The entries of the palette that class numbers have: of negative ones among its first 20, of large ones among its last 113."""
    numbers = np.asarray(numbers)
    again = N_PALETTE - N_AGAIN + np.mod(numbers - N_PALETTE, N_AGAIN)
    return np.where(numbers < 0, np.mod(numbers, N_NEGATIVE), np.where(numbers < N_PALETTE, numbers, again)).astype(np.int64)


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
    """What was given as ``labels=`` as a dict; TypeError where it is neither that nor a list of texts for 0, 1, 2, ..."""
    if isinstance(labels, (list, tuple)) and all(isinstance(text, str) for text in labels):
        return dict(enumerate(labels))
    if labels is not None and not isinstance(labels, Mapping):
        raise TypeError("labels is a list of texts for 0, 1, 2, ..., or a dict of values and their texts, such as "
                        f"{{0: 'road', 1: 'sky'}}, not {type(labels).__name__}")
    return labels


def check_ignored(ignore_index, categorical):
    """Refuses ``ignore_index=`` where nothing is shown as classes, and what is no integer."""
    if check_ignore_index(ignore_index) is not None and not categorical:
        raise ValueError(f"ignore_index={ignore_index!r} is about class numbers: give categorical=True, too, or leave it out")


def check_style_of_classes(options):
    """Refuses keywords that place numbers on a scale, which classes do not have; `options` has all of them."""
    given = [name for name in ("norm", "colorizer", "vmin", "vmax", "gamma", "under_color", "over_color") if options.get(name) is not None]
    given += [] if isinstance(options["limits"], str) and options["limits"] == "auto" else ["limits"]
    given += ["robust"] * (robust_percents(options["robust"]) is not None)
    given += ["center"] * (options["center"] not in (None, "auto"))
    if given:
        raise ValueError(f"{', '.join(given)}: classes have a color each and no scale; leave {'it' if len(given) == 1 else 'them'} "
                         "out, or leave categorical out")


class CategoryNorm(Normalize):
    """Class numbers to entries of the palette; ignored ones are masked.

    Parameters
    ----------
    vmin, vmax : float, optional
        The range of class numbers, for colorbars; colours do not depend on it.
    ignored : sequence of int, optional

    Examples
    --------
    >>> from gpuplot.categories import CategoryNorm
    >>> CategoryNorm()([-1.0, 0.0, 41.0, 129.0]).tolist()
    [19, 0, 41, 16]
    """

    def __init__(self, vmin=None, vmax=None, ignored=()):
        super().__init__(vmin, vmax)
        self.ignored = sorted(ignored)

    def __call__(self, value, clip=None):
        """Values of any shape to rows of the palette, int64."""
        values = np.ma.asarray(value, dtype=np.float64)
        numbers = np.floor(values.filled(0) + 0.5)
        mask = np.ma.getmaskarray(values) | np.isin(numbers, self.ignored)
        return np.ma.array(entries(numbers), mask=mask) if np.iterable(value) else int(entries(numbers))

    def inverse(self, value):
        """Refused: many class numbers share a colour."""
        raise ValueError("CategoryNorm is not invertible")


def category_colors(classes, cmap=None):
    """(cmap, norm) for the `Classes` of a plane.

    Without `cmap` a number's colour does not depend on which others there are. With one, its colours are spread over the levels.
    Ignored numbers are transparent.
    """
    first, last = classes.ends
    if classes.n_levels > MOST_LEVELS:
        if cmap is not None and classes.ignored:
            raise ValueError(f"ignore_index with a cmap is for at most {MOST_LEVELS} levels, and classes go from {first} to {last}: leave "
                             "cmap out")
        if cmap is not None:
            return find_cmap(cmap), Normalize(first - 0.5, last + 0.5)
        return ListedColormap(palette(), name="categories"), CategoryNorm(first, last, classes.ignored)
    levels = np.arange(first, last + 1)
    edges = first - 0.5 + np.arange(len(levels) + 1)
    if cmap is None:
        colors = np.array([(*color, 1.0) for color in palette()])[entries(levels)]
    else:
        cmap = find_cmap(cmap)
        cmap = cmap.resampled(len(levels)) if cmap.N < len(levels) else cmap
        norm = BoundaryNorm(edges, cmap.N)
        if not classes.ignored:
            return cmap, norm
        colors = cmap(norm(levels))
    colors[np.isin(levels, sorted(classes.ignored))] = TRANSPARENT
    listed = ListedColormap(colors, name="categories")
    if classes.ignored:
        listed = listed.with_extremes(under=TRANSPARENT, over=TRANSPARENT, bad=None if cmap is None else cmap.get_bad())
    return listed, BoundaryNorm(edges, listed.N)
