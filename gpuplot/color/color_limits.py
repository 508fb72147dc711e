"""The limits of a color range: autoscaling, percentiles, centering, and the ends that a colorbar extends."""

import math

import numpy as np
from matplotlib import colors as mcolors

from .. import _native
from ..arrays.scalars import number_in
from ..choices import check_choice
from ..plane.aggs import OTHER_UNITS
from ..plane.limits import Limits, limits_of_cells, percentiles_of_cells
from ..plane.pooled_limits import joined, outermost
from .norms import CbrtNorm, EqHistNorm
from .style import check_limits, find_cmap

# Where limits come from: the elements of the plane, the cells that are drawn, or whichever of the two uses more colors.
LIMITS = ("auto", "elements", "pixels")

# The range of angles.
CIRCLE = Limits(-math.pi, math.pi, math.nan, 0, 0, 0, 0, 0, 0)

# Cells that use a smaller part of the color range of the elements get limits of their own.
MIN_PART = 0.25

# Norms whose autoscale looks at the smallest and the largest value alone.
_END_TO_END = (mcolors.Normalize, mcolors.PowerNorm, mcolors.SymLogNorm, mcolors.AsinhNorm, mcolors.CenteredNorm,
               mcolors.TwoSlopeNorm, mcolors.BoundaryNorm, CbrtNorm, EqHistNorm)
_ASYMMETRIC = (mcolors.LogNorm, mcolors.BoundaryNorm, mcolors.TwoSlopeNorm, mcolors.CenteredNorm)


def robust_percents(robust):
    """(low, high) percentiles, or None for the full range: True is 2 and 98, a number p is p and 100 - p, a pair is itself."""
    if robust is None or robust is False:
        return None
    if robust is True:
        return 2.0, 98.0
    percentage = None if isinstance(robust, np.bool_) else number_in(robust)
    if percentage is not None:
        if not 0 <= percentage <= 50:
            raise ValueError(f"robust={robust!r} must be at most 50: it is the percentage left out at either end")
        return percentage, 100.0 - percentage
    pair = tuple(map(number_in, robust)) if np.iterable(robust) and not isinstance(robust, str) else ()
    if len(pair) != 2 or not all(p is not None and 0 <= p <= 100 for p in pair) or pair[0] > pair[1]:
        raise ValueError(f"robust={robust!r} must be True, a percentage up to 50, or a pair (low, high) of percentiles")
    return pair


def usual_cmap(cmap, view, is_centered=False):
    """The Colormap for `cmap`; by default a cyclic one for angles and a diverging one for centered limits."""
    return find_cmap("hsv" if cmap is None and is_angle(view) else cmap, is_centered)


def set_limits(norm, limits, *, robust=False, center=None, percentiles=None, elements=None):
    """Sets the limits that a norm lacks, as its own autoscale would on the finite elements; returns whether they were centered.

    Parameters
    ----------
    norm : Normalize
    limits : object
        With `min`, `max` and `min_positive` of the finite elements as floats, NaN where there are none.
    robust : bool, float or (float, float)
        As in `robust_percents`.
    center : float, bool, "auto" or None
        The value in the middle of the range; True is 0, "auto" is 0 where the range has both signs.
    percentiles : callable, optional
        ``percentiles((low, high), is_positive_only) -> two floats``; needed by `robust`.
    elements : callable, optional
        ``elements() -> ndarray``: all elements, for norms whose autoscale looks at more than the two ends.

    Raises ValueError for vmin above vmax, limits that the norm cannot use, a center where the norm has none or its own.
    """
    percents = robust_percents(robust)
    center = _check_center(center, norm)
    if norm.scaled() and type(norm) is not mcolors.TwoSlopeNorm:
        check_limits(norm)
        return False
    is_log = type(norm) is mcolors.LogNorm
    low, high = _ends(limits, is_log)
    is_empty = math.isnan(low)
    if is_empty:
        low, high = (1.0, 10.0) if is_log else (0.0, 1.0)
    elif percents is not None:
        low, high = (float(value) for value in percentiles(percents, is_log))
    is_centered = not is_empty and _apply_center(norm, low, high, center)
    if type(norm) is EqHistNorm:
        mcolors.Normalize.autoscale_None(norm, np.array([low, high]))  # its own would rank these two
    elif type(norm) in (*_END_TO_END, mcolors.LogNorm) or percents is not None or is_empty or elements is None:
        norm.autoscale_None(np.array([low, high]))
    else:
        scale_to(norm, np.ma.masked_invalid(np.ma.asarray(elements())))
    check_limits(norm, is_found=True)
    return is_centered


class CellValues:
    """Limits and percentiles of the cells that are drawn, those of several facets (one `Cells` each) together.

    `limits` are those that cells without a grid of them are known to have.
    """

    def __init__(self, *grids, norm=None, limits=None):
        self._grids = grids
        want = _native.WANT_RANGE | _native.WANT_POSITIVE if norm is None else wanted_limits(norm)
        self.limits = joined(limits_of_cells(cells, want) for cells in grids) if limits is None else limits

    def percentiles(self, percents, is_positive_only=False):
        """The lowest low and the highest high percentile of all facets."""
        return outermost(percentiles_of_cells(cells, percents, is_positive_only) for cells in self._grids)

    def set_limits(self, norm, robust, center):
        """`set_limits` from the cells."""
        return set_limits(norm, self.limits, robust=robust, center=center, percentiles=self.percentiles)


def check_limits_choice(limits, agg):
    """ValueError for an unknown choice of limits, and for "elements" with an `agg` whose cells have units of their own."""
    check_choice("limits", limits, LIMITS)
    if limits == "elements" and agg in OTHER_UNITS:
        raise ValueError(f"limits='elements': with agg={agg!r} pixels are not in the units of the elements; leave limits out, or give "
                         "vmin and vmax")


def limits_choice(limits, agg, is_given):
    """`limits`, where "auto" becomes "elements" for all but means, and where a limit or a norm object `is_given`."""
    return "elements" if limits == "auto" and (is_given or agg != "mean") else limits


def is_angle(view):
    """Whether a view, or None for a whole tensor, shows angles, as numbers or as hues."""
    return view is not None and (view.is_hue or view.complex_mode == "phase")


def fill_limits(norm, view, agg, choice, *, robust=False, center=None, elements, cells):
    """Sets the limits that a norm lacks: of angles to the circle, else from elements, or from the cells that are drawn.

    Parameters
    ----------
    agg : str
        Where cells have units of their own, limits come from them.
    choice : {"auto", "elements", "pixels"}
        "auto" is cells where they use less than a quarter of the colors that the limits of elements give.
    robust, center
        As in `set_limits`.
    elements, cells : callable
        ``elements()`` sets limits from elements and returns whether they were centered; ``cells(choice)`` gives CellValues, or
        None.

    Returns
    -------
    is_centered, is_of_cells : bool
    """
    if is_angle(view) and (view.is_hue or type(norm) is mcolors.Normalize):
        return set_limits(norm, CIRCLE, center=None if view.is_hue else center), False
    if norm.scaled():
        return elements(), False
    if agg in OTHER_UNITS:
        return cells("pixels").set_limits(norm, robust, center), True
    return _fill_by_choice(norm, choice, robust, center, elements, None if choice == "elements" else cells(choice))


def _fill_by_choice(norm, choice, robust, center, elements, values):
    """`fill_limits` by the choice; `values` are the CellValues that are drawn, or None."""
    before = norm.vmin, norm.vmax
    is_centered = elements() if values is None or choice == "auto" else False
    if values is None or (choice == "auto" and _part_of_colors(norm, values.limits) >= MIN_PART):
        return is_centered, False
    norm.vmin, norm.vmax = before
    is_centered = values.set_limits(norm, robust, center)
    if norm.vmin != norm.vmax:
        return is_centered, True
    norm.vmin, norm.vmax = before
    return elements(), False


def _part_of_colors(norm, limits):
    """The part of the norm's range between the smallest and the largest finite cell; 1 where that is not known."""
    low, high = _ends(limits, type(norm) is mcolors.LogNorm)
    if not low < high or not norm.vmin < norm.vmax:
        return 1.0
    vmin, span = float(norm.vmin), float(norm.vmax) - float(norm.vmin)
    if type(norm) is mcolors.Normalize and not norm.clip and math.isfinite(span):  # what it does to arrays takes longer than all else here
        part = (high - vmin) / span - (low - vmin) / span
        return part if math.isfinite(part) else 1.0
    try:
        with np.errstate(all="ignore"):  # limits that are 1e308 apart
            ends = np.ma.masked_invalid(norm(np.array([low, high])))
    except ValueError:  # limits that a norm cannot have: drawing says so
        return 1.0
    return float(ends[1] - ends[0]) if ends.count() == 2 else 1.0


def scale_to(norm, values):
    """Sets the limits that a norm lacks from values; bool as 0 and 1, since SymLogNorm of matplotlib 3.9 does not take bool."""
    norm.autoscale_None(values.astype(np.uint8) if values.dtype == bool else values)


def _ends(limits, is_log):
    """Smallest and largest element that the norm can show; (NaN, NaN) without one."""
    low = limits.min_positive if is_log else limits.min
    return (math.nan, math.nan) if math.isnan(low) else (float(low), float(limits.max))


def _check_center(center, norm):
    """`center` as a number, "auto" or None."""
    if center is None or center is False:
        return None
    if isinstance(norm, _ASYMMETRIC):
        raise ValueError(f"center={center!r} has no meaning with {type(norm).__name__}: leave one of the two out")
    if center is True or (isinstance(center, str) and center == "auto"):
        return 0.0 if center is True else "auto"
    number = number_in(center)
    if number is None or not math.isfinite(number):
        raise ValueError(f"center={center!r} must be a number, True (zero), 'auto' or None")
    return number


def _apply_center(norm, low, high, center):
    """Sets both limits around the center; False where there is nothing to center."""
    if center is None or norm.scaled():
        return False
    given = [limit for limit in (norm.vmin, norm.vmax) if limit is not None]
    low = low if norm.vmin is None else float(norm.vmin)
    high = high if norm.vmax is None else float(norm.vmax)
    if center == "auto":
        if not low < 0 < high:
            return False
        center = 0.0
    reach = abs(given[0] - center) if given else max(abs(low - center), abs(high - center))
    norm.vmin, norm.vmax = center - reach, center + reach
    return True


def colorbar_extend(norm, limits):
    """The colorbar's `extend`, "neither", "min", "max" or "both": the ends beyond which there are finite elements."""
    if norm.clip or not norm.scaled() or math.isnan(limits.min):
        return "neither"
    low = limits.min_positive if type(norm) is mcolors.LogNorm else limits.min
    is_below, is_above = low < norm.vmin, limits.max > norm.vmax
    return ("neither", "min", "max", "both")[is_below + 2 * is_above]


def wanted_limits(norm):
    """The ``WANT_*`` bits of the limits that a norm needs; more would cost more than the picture."""
    return _native.WANT_RANGE | (_native.WANT_POSITIVE if isinstance(norm, mcolors.LogNorm) else 0)
