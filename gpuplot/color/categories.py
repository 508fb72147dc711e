"""Class numbers -> colors, by a palette in which a color depends on the number alone; and the checks of their keywords."""

from collections.abc import Mapping

import matplotlib as mpl
import numpy as np
from matplotlib.colors import BoundaryNorm, ListedColormap, Normalize, to_rgb

from .. import _native
from ..choices import check_flag, is_default
from ..dtype_classes import is_bool_or_integer
from .classes import MAX_LEVELS, check_ignore_index
from .color_limits import robust_percents
from .style import find_cmap

# The colors after the 20 of tab20. Each is the color of an sRGB grid, without what is nearly black, white or gray, that is farthest
# from all before it in CIELAB. The nearest two of all 128 have a distance of 16, as the nearest two of tab20.
_FURTHER = (
    "0000ff ff00f8 00ff00 204000 3808a0 ff0080 700048 0070ff 886800 00ff88 b8f800 009068 00ffd8 a800a0 383050 700800 a040ff ffb800 "
    "003088 004848 788850 c03858 c86838 e078ff ff00b8 6898ff 50d010 608000 ff0000 503808 985880 30c0ff 600870 ffe800 c02080 c0f0c8 "
    "c8f868 0048f8 8050d8 00c880 d08818 e8b0ff 006810 108098 78b098 78b000 ffd8b8 b08050 ff1858 ffd868 a8a040 50ffff 681828 ff6868 "
    "ff70a0 8078a8 303820 804000 386848 28c8b0 60a050 583878 78e060 503030 c84800 0000c8 105070 b8b890 b800d0 a088ff a0b8ff 1860b8 "
    "983888 40ff58 a8c858 f860d8 585808 c06878 786848 78ffa0 b03830 008078 0840c0 b89800 ff9850 8800ff 90f8c0 104078 c8e018 ff7048 "
    "ff98ff 88ff28 ff5810 a850c0 ff50b0 78a0b0 c088c0 705868 6040a8 f050f0 d000ff 8010b0 602848 f8e0f8 602810 68c088 e888b0 e8a888 "
)

N_PALETTE = 128

# Colormaps of at most so many colors are qualitative: those of tab20.
MAX_QUALITATIVE = 20

# Aggregations that mix class numbers: their cells are shown as plain numbers.
MIXING = tuple(agg for agg, facts in _native.AGGS.items() if not facts & _native.AGG_SELECTS)

# Reductions of hidden axes whose results are class numbers.
_KEEPING = ("max", "min")

# Number of palette entries for negative numbers: tab20.
N_NEGATIVE = 20

# Numbers beyond the palette repeat its last 113 entries, so that the first classes have colors of their own. As 113 is a prime,
# evenly spaced numbers differ, as do powers of two, and 128 and 255.
N_REPEATED = 113

# Texts of booleans, which are their own class numbers.
BOOLS = {0: "False", 1: "True"}

TRANSPARENT = (0.0, 0.0, 0.0, 0.0)


def palette():
    """128 RGB colors: the even entries of tab20, which are tab10, its odd ones, then `_FURTHER`."""
    colors = mpl.colormaps["tab20"].colors
    return [*colors[::2], *colors[1::2], *(to_rgb(f"#{code}") for code in _FURTHER.split())]


def entries(numbers):
    """Class numbers -> entries of the palette, int64: negative ones among its first 20, large ones among its last 113."""
    numbers = np.asarray(numbers)
    repeated = N_PALETTE - N_REPEATED + np.mod(numbers - N_PALETTE, N_REPEATED)
    return np.where(numbers < 0, np.mod(numbers, N_NEGATIVE), np.where(numbers < N_PALETTE, numbers, repeated)).astype(np.int64)


def is_categorical_dtype(dtype_name):
    """Whether elements of this dtype ("int64", "bool", ...) can be class numbers."""
    return is_bool_or_integer(dtype_name)


def keeps_classes(view):
    """Whether a plane of class numbers has class numbers: no color channels, and no means over hidden axes."""
    return view is None or (not view.is_rgb and all(op in _KEEPING for op in view.stage_ops))


def looks_like_classes(categorical, cmap, dtype_name, view, is_rgb=False):
    """Whether whole numbers are shown by a qualitative `cmap`, such as "tab10", where nobody says whether they are classes.

    Their means are then of no use, as these have the colors of other classes. Parameters are those of `check_categorical`.
    """
    if categorical is not None or cmap is None or is_rgb or not (is_categorical_dtype(dtype_name) and keeps_classes(view)):
        return False
    cmap = find_cmap(cmap)
    return isinstance(cmap, ListedColormap) and cmap.N <= MAX_QUALITATIVE


def check_categorical(categorical, dtype_name, view, is_rgb=False):
    """Whether a picture shows classes, by `categorical` and dtype; ValueError if it is asked to and cannot.

    The aggregation is not looked at. `view` None is the whole tensor; `is_rgb` says whether it has color channels.
    """
    check_flag("categorical", categorical, None)
    if not categorical or is_rgb or (view is not None and view.is_rgb):
        return False
    if not is_categorical_dtype(dtype_name):
        raise ValueError(f"categorical=True needs class numbers of an integer dtype, not {dtype_name}: convert the tensor, or "
                         "leave categorical out")
    if not keeps_classes(view) and 0 not in view.shape:
        op = next(op for op in view.stage_ops if op not in _KEEPING)
        raise ValueError(f"categorical=True: the {op} of class numbers is not a class; reduce with max or min, or leave categorical out")
    return True


def check_labels(labels):
    """`labels`, a dict, a list of texts for 0, 1, 2, ..., or None -> a dict or None; TypeError for others."""
    if isinstance(labels, (list, tuple)) and all(isinstance(text, str) for text in labels):
        return dict(enumerate(labels))
    if labels is not None and not isinstance(labels, Mapping):
        raise TypeError("labels is a list of texts for 0, 1, 2, ..., or a dict of values and their texts, such as "
                        f"{{0: 'road', 1: 'sky'}}, not {type(labels).__name__}")
    return labels


def texts_of_classes(labels, dtype_name):
    """The texts of classes of this dtype: those of `labels`, a dict or None, and what booleans are called."""
    return (BOOLS if dtype_name == "bool" else {}) | dict(labels or {})


def check_ignored(ignore_index, categorical):
    """Raises if ``ignore_index=`` is no integer or integers (TypeError), or is given without ``categorical=True`` (ValueError)."""
    if check_ignore_index(ignore_index) is not None and not categorical:
        raise ValueError(f"ignore_index={ignore_index!r} is about class numbers: give categorical=True, too, or leave it out")


def check_style_of_classes(options):
    """ValueError for norms, limits and other keywords that classes do not have; `options` has all keywords."""
    given = [name for name in ("norm", "colorizer", "vmin", "vmax", "gamma", "under_color", "over_color") if options.get(name) is not None]
    if not is_default(options["limits"], "auto"):
        given.append("limits")
    if robust_percents(options["robust"]) is not None:
        given.append("robust")
    if options["center"] is not None and options["center"] is not False and not is_default(options["center"], "auto"):
        given.append("center")
    if given:
        raise ValueError(f"{', '.join(given)}: classes have a color each and no scale; leave {'it' if len(given) == 1 else 'them'} "
                         "out, or leave categorical out")


class CategoryNorm(Normalize):
    """Class numbers -> entries of the palette; what is not finite or in `ignored` is masked. Only colorbars use vmin and vmax."""

    def __init__(self, vmin=None, vmax=None, ignored=()):
        super().__init__(vmin, vmax)
        self.ignored = sorted(ignored)

    def __call__(self, value, clip=None):
        """Values of any shape -> entries of the palette, int64; a single one that is masked is `numpy.ma.masked`."""
        numbers = np.floor(np.ma.asarray(value, dtype=np.float64).filled(np.nan) + 0.5)
        is_masked = ~np.isfinite(numbers) | np.isin(numbers, self.ignored)
        found = np.ma.array(entries(np.where(is_masked, 0, numbers)), mask=is_masked)
        return found if np.iterable(value) else found[()]

    def inverse(self, value):
        """ValueError, as several class numbers share a color."""
        raise ValueError("CategoryNorm is not invertible")


def category_colors(classes, cmap=None):
    """(cmap, norm) for the `Classes` of a plane; ignored numbers are transparent.

    Without `cmap` a number's color does not depend on the other numbers; the colors of a `cmap` are spread over all levels.
    """
    if classes.n_levels > MAX_LEVELS:
        return _colors_of_many(classes, cmap)
    first, last = classes.ends
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


def _colors_of_many(classes, cmap):
    """(cmap, norm) for classes of too many levels for a color each."""
    first, last = classes.ends
    if cmap is None:
        return ListedColormap(palette(), name="categories"), CategoryNorm(first, last, classes.ignored)
    if classes.ignored:
        raise ValueError(f"ignore_index with a cmap is for at most {MAX_LEVELS} levels, and classes go from {first} to {last}: leave "
                         "cmap out")
    return find_cmap(cmap), Normalize(first - 0.5, last + 0.5)
