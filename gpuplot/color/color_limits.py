"""Where a colour range begins and ends: autoscale, percentiles, centring, and the ends that a colorbar extends."""

from __future__ import annotations

import math

import numpy as np
from matplotlib import colors as mcolors

from .. import _native
from ..arrays.scalars import number_in
from ..plane.pooled_limits import joined
from ..plane.reduce import OTHER_UNITS, Limits, check_choice, limits_of_cells, percentiles_of_cells
from .norms import CbrtNorm, EqHistNorm
from .style import check_limits, find_cmap

__all__ = [
    "CIRCLE", "LIMITS", "CellValues", "check_limits_choice", "colorbar_extend", "fill_limits", "is_angle", "limits_choice",
    "robust_percents", "scale_to", "set_limits", "usual_cmap", "wanted_limits",
]

# Where limits come from: the elements of the plane, the cells that are drawn, or whichever of the two shows more.
LIMITS = ("auto", "elements", "pixels")

# The range of angles.
CIRCLE = Limits(-math.pi, math.pi, math.nan, 0, 0, 0, 0, 0, 0)

# Of the colours that limits of elements have: cells that use a smaller part of them get limits of their own.
LEAST_PART = 0.25

# Norms for which the two ends of the data are all that autoscale looks at.
_END_TO_END = (mcolors.Normalize, mcolors.PowerNorm, mcolors.SymLogNorm, mcolors.AsinhNorm, mcolors.CenteredNorm,
               mcolors.TwoSlopeNorm, mcolors.BoundaryNorm, CbrtNorm, EqHistNorm)
_ASYMMETRIC = (mcolors.LogNorm, mcolors.BoundaryNorm, mcolors.TwoSlopeNorm, mcolors.CenteredNorm)


def robust_percents(robust):
    """(low, high) percentiles, or None for the full range.

    ``True`` is 2 and 98, a number p is p and 100 - p, a pair is itself.
    """
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


def usual_cmap(cmap, view, is_centred=False):
    """The Colormap for what was given; where nothing was, a cyclic one for angles and a diverging one around a centre."""
    return find_cmap("hsv" if cmap is None and is_angle(view) else cmap, is_centred)


def set_limits(norm, limits, *, robust=False, center=None, percentiles=None, elements=None):
    """Give a norm the limits that it lacks, in place, as its own autoscale would on the finite elements.

    Parameters
    ----------
    norm : Normalize
        Limits that are set already stay.
    limits : object
        With `min`, `max` and `min_positive` of the finite elements as floats, NaN where there are none.
    robust : bool, float or (float, float)
        As in `robust_percents`.
    center : float, bool, "auto" or None
        The value in the middle of the range; True is 0, "auto" is 0 where the range has both signs.
    percentiles : callable, optional
        ``percentiles((low, high), is_positive_only) -> two floats``; needed by `robust`.
    elements : callable, optional
        ``elements() -> ndarray``: all elements, for norms whose autoscale only they themselves know.

    Returns
    -------
    bool
        Whether the range was centred.

    Raises
    ------
    ValueError
        vmin above vmax, limits that the norm cannot use, a centre where the norm has none or its own.
    """
    percents = robust_percents(robust)
    centre = _check_center(center, norm)
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
    is_centred = not is_empty and _apply_center(norm, low, high, centre)
    if type(norm) is EqHistNorm:
        mcolors.Normalize.autoscale_None(norm, np.array([low, high]))  # its own would rank these two
    elif type(norm) in (*_END_TO_END, mcolors.LogNorm) or percents is not None or is_empty or elements is None:
        norm.autoscale_None(np.array([low, high]))
    else:
        scale_to(norm, np.ma.masked_invalid(np.ma.asarray(elements())))
    check_limits(norm, is_found=True)
    return is_centred


class CellValues:
    """Cells that are drawn, as something that limits come from; those of several facets are looked at together.

    Parameters
    ----------
    *grids : Cells
    """

    def __init__(self, *grids):
        self._grids = grids
        self.limits = joined(map(limits_of_cells, grids))

    def percentiles(self, percents, is_positive_only=False):
        """The lowest and the highest of any facet."""
        lows, highs = zip(*(percentiles_of_cells(cells, percents, is_positive_only) for cells in self._grids), strict=True)
        return float(np.fmin.reduce(lows)), float(np.fmax.reduce(highs))

    def set_limits(self, norm, robust, center):
        """`set_limits` of the cells."""
        return set_limits(norm, self.limits, robust=robust, center=center, percentiles=self.percentiles)


def check_limits_choice(limits, agg):
    """Refuses what is no choice of limits, and limits of elements for cells in units of their own.

    Parameters
    ----------
    limits : {"auto", "elements", "pixels"}
    agg : str or None
    """
    check_choice("limits", limits, LIMITS)
    if limits == "elements" and agg in OTHER_UNITS:
        raise ValueError(f"limits='elements': with agg={agg!r} pixels are not in the units of the elements; leave limits out, or give "
                         "vmin and vmax")


def limits_choice(limits, agg, is_given):
    """`limits` where there is a choice: "auto" is "elements" for all but means, and where a limit or a norm object `is_given`."""
    return "elements" if limits == "auto" and (is_given or agg != "mean") else limits


def is_angle(view):
    """Whether a view shows angles, as numbers or as hues; None is a tensor as it is."""
    return view is not None and (view.is_hue or view.complex_mode == "phase")


def fill_limits(norm, view, agg, choice, *, robust=False, center=None, elements, cells):
    """Gives a norm the limits that it lacks: those of the circle for angles, else of elements, or of the cells that are drawn.

    Parameters
    ----------
    norm : Normalize
    view : View or None
    agg : str
        Cells that it gives units of their own have limits of their own, too.
    choice : {"auto", "elements", "pixels"}
        "auto" is cells where they use less than a quarter of the colours that the limits of elements give.
    robust, center
        As in `set_limits`.
    elements : callable
        ``elements() -> bool`` gives the norm limits of elements, and tells whether they were centred.
    cells : callable
        ``cells(choice) -> CellValues``, or None where no cells are drawn.

    Returns
    -------
    is_centred, is_of_cells : bool
    """
    if is_angle(view) and (view.is_hue or type(norm) is mcolors.Normalize):
        return set_limits(norm, CIRCLE, center=None if view.is_hue else center), False
    if norm.scaled():
        return elements(), False
    if agg in OTHER_UNITS:
        return cells("pixels").set_limits(norm, robust, center), True
    return _fill_by_choice(norm, choice, robust, center, elements, None if choice == "elements" else cells(choice))


def _fill_by_choice(norm, choice, robust, center, elements, values):
    """`fill_limits` where there is a choice; `values` are the CellValues that are drawn, or None."""
    before = norm.vmin, norm.vmax
    is_centred = elements() if values is None or choice == "auto" else False
    if values is None or (choice == "auto" and _part_of_colors(norm, values.limits) >= LEAST_PART):
        return is_centred, False
    norm.vmin, norm.vmax = before
    is_centred = values.set_limits(norm, robust, center)
    if norm.vmin != norm.vmax:
        return is_centred, True
    norm.vmin, norm.vmax = before
    return elements(), False


def _part_of_colors(norm, limits):
    """The part of the norm's range that lies between the smallest and the largest finite cell; 1 where that is not known."""
    low, high = _ends(limits, type(norm) is mcolors.LogNorm)
    if not low < high or not norm.vmin < norm.vmax:
        return 1.0
    try:
        with np.errstate(all="ignore"):  # limits that are 1e308 apart
            ends = np.ma.masked_invalid(norm(np.array([low, high])))
    except ValueError:  # limits that a norm cannot have: drawing says so
        return 1.0
    return float(ends[1] - ends[0]) if ends.count() == 2 else 1.0


def scale_to(norm, values):
    """Gives a norm the limits that it lacks from these values; bool is 0 and 1, which SymLogNorm of matplotlib 3.9 does not take."""
    norm.autoscale_None(values.astype(np.uint8) if values.dtype == bool else values)


def _ends(limits, is_log):
    """Smallest and largest element that the norm can show; NaN, NaN without one."""
    low = limits.min_positive if is_log else limits.min
    return (math.nan, math.nan) if math.isnan(low) else (float(low), float(limits.max))


def _check_center(center, norm):
    """The centre as a number, "auto" or None."""
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


def _apply_center(norm, low, high, centre):
    """Sets both limits around the centre; False where there is nothing to centre."""
    if centre is None or norm.scaled():
        return False
    given = [limit for limit in (norm.vmin, norm.vmax) if limit is not None]
    low = low if norm.vmin is None else float(norm.vmin)
    high = high if norm.vmax is None else float(norm.vmax)
    if centre == "auto":
        if not low < 0 < high:
            return False
        centre = 0.0
    reach = abs(given[0] - centre) if given else max(abs(low - centre), abs(high - centre))
    norm.vmin, norm.vmax = centre - reach, centre + reach
    return True


def colorbar_extend(norm, limits):
    """"neither", "min", "max" or "both": at which ends finite elements lie outside the colour range."""
    if norm.clip or not norm.scaled() or math.isnan(limits.min):
        return "neither"
    low = limits.min_positive if type(norm) is mcolors.LogNorm else limits.min
    is_below, is_above = low < norm.vmin, limits.max > norm.vmax
    return ("neither", "min", "max", "both")[is_below + 2 * is_above]


def wanted_limits(norm):
    """What a norm has to know about elements; more costs more than the picture."""
    return _native.WANT_RANGE | (_native.WANT_POSITIVE if isinstance(norm, mcolors.LogNorm) else 0)
