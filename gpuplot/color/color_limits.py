"""The limits of a norm: from elements or drawn cells, robust, centered; and the ends that a colorbar extends."""

import math

import numpy as np
from matplotlib import colors as mcolors

from .. import _native
from ..arrays.scalars import number_in
from ..choices import check_choice, ordered_items
from ..plane.aggs import OTHER_UNITS
from ..plane.frame import values_of
from ..plane.limits import Limits, limits_of_cells, percentiles_of_cells
from ..plane.pooled_limits import joined, outermost
from .norms import CbrtNorm, EqHistNorm
from .style import LimitsSearch, check_limits, find_cmap

# Where limits come from: "elements" of the plane, "pixels" that are drawn, or, by "auto", pixels if they use few colors.
LIMITS = ("auto", "elements", "pixels")

# Cells along each axis of a whole plane whose limits are found where no drawn cells have them: in the inspector before the first frame,
# in an Axes where pixels are not rows and columns of cells, and, of elements, on a scale without a place for some of them.
LIMITS_SIDE = 512

# (whether values lie below the limits, whether above) -> the `extend` of a colorbar: which of its ends are pointed.
EXTENDS = {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}

# The limits of angles.
CIRCLE = Limits(-math.pi, math.pi, math.nan, 0, 0, 0, 0, 0, 0)

# With "auto", cells that use a smaller part of the elements' color range get limits of their own.
MIN_PART = 0.25

# Means of equal elements differ by at most this part of them.
MEAN_NOISE = 1e-12

# Norms whose autoscale needs only the smallest and the largest value.
_END_TO_END = (mcolors.Normalize, mcolors.PowerNorm, mcolors.SymLogNorm, mcolors.AsinhNorm, mcolors.CenteredNorm,
               mcolors.TwoSlopeNorm, mcolors.BoundaryNorm, CbrtNorm, EqHistNorm)
# Those whose missing limits a device finds as `fill_limits` does.
_SEARCHED = (mcolors.Normalize, mcolors.PowerNorm)
# Norms that `center` does not combine with.
NORMS_WITHOUT_CENTER = (mcolors.LogNorm, mcolors.BoundaryNorm, mcolors.TwoSlopeNorm, mcolors.CenteredNorm)


def robust_percents(robust):
    """`robust` -> (low, high) percentiles, None for the full range. True: 2 and 98; a number p: p and 100 - p; or a pair."""
    robust = bool(robust) if isinstance(robust, np.bool_) else robust
    if robust is None or robust is False:
        return None
    if robust is True:
        return 2.0, 98.0
    percentage = number_in(robust)
    if percentage is not None:
        if not 0 <= percentage <= 50:
            raise ValueError(f"robust={robust!r} must be at most 50: it is the percentage left out at either end")
        return percentage, 100.0 - percentage
    pair = tuple(map(number_in, ordered_items(robust, 3)))
    if len(pair) != 2 or not all(p is not None and 0 <= p <= 100 for p in pair) or pair[0] > pair[1]:
        raise ValueError(f"robust={robust!r} must be True, a percentage up to 50, or a pair (low, high) of percentiles")
    return pair


def usual_cmap(cmap, view, is_centered=False):
    """The Colormap for `cmap`; by default a cyclic one for angles and a diverging one for centered limits."""
    return find_cmap("hsv" if cmap is None and is_angle(view) else cmap, is_centered)


def set_limits(norm, limits, *, robust=False, center=None, percentiles=None, elements=None, sample=None):
    """Sets the missing limits of a norm, as its own autoscale would from the finite elements; returns whether limits lie around a center.

    Parameters
    ----------
    norm : Normalize
    limits : object
        Has `min`, `max` and `min_positive` of the finite elements as floats; NaN if there are none.
    robust : bool, float or (float, float)
        As in `robust_percents`.
    center : float, bool, "auto" or None
        The value in the middle of the range; True is 0, "auto" is 0 where the range has both signs.
    percentiles : callable, optional
        ``percentiles((low, high), is_positive_only) -> two floats``; needed by `robust`.
    elements : callable, optional
        ``elements() -> ndarray``: all elements, for norms whose autoscale needs more than the smallest and the largest.
    sample : callable, optional
        ``sample() -> ndarray or None``: some of the elements, or cells of them, where all are too many; for norms, such as "logit", on
        whose scale the smallest or the largest element has no place.

    Raises
    ------
    ValueError
        vmin above vmax; limits that the norm cannot use; `center` with a norm that cannot be centered.
    """
    percents = robust_percents(robust)
    center = _check_center(center, norm)
    if norm.scaled() and type(norm) is not mcolors.TwoSlopeNorm:
        check_limits(norm)
        return lies_around(norm, center)
    is_log = type(norm) is mcolors.LogNorm
    low, high = _ends(limits, is_log)
    is_empty = math.isnan(low)
    if is_empty:
        low, high = (1.0, 10.0) if is_log else (0.0, 1.0)
    elif percents is not None:
        low, high = (float(value) for value in percentiles(percents, is_log))
    is_centered = not is_empty and _apply_center(norm, low, high, center)
    if type(norm) is EqHistNorm:
        mcolors.Normalize.autoscale_None(norm, np.array([low, high]))  # its own would rank these two values
    elif _needs_only_ends(norm) or is_empty or ((elements is None or percents is not None) and _has_places(norm, low, high)):
        norm.autoscale_None(np.array([low, high]))
    else:
        _scale_to_numbers(norm, elements or sample, percents, (low, high))
    check_limits(norm, is_found=True)
    return is_centered


class CellValues:
    """Limits and percentiles of all cells that are drawn: of one `Cells`, or of one for each facet.

    `limits`, if given, are the limits of cells that are not computed yet. `is_smooth`, if given, is called if "auto" would take limits
    from these cells; where it returns True, those of the elements are taken nonetheless.
    """

    def __init__(self, *grids, norm=None, limits=None, is_smooth=None):
        self._grids = grids
        self.is_smooth = is_smooth or (lambda: False)
        want = _native.WANT_RANGE | _native.WANT_POSITIVE if norm is None else wanted_limits(norm)
        self.limits = joined(limits_of_cells(cells, want) for cells in grids) if limits is None else limits

    def percentiles(self, percents, is_positive_only=False):
        """(lowest, highest) of the two percentiles over all facets."""
        return outermost(percentiles_of_cells(cells, percents, is_positive_only) for cells in self._grids)

    def set_limits(self, norm, robust, center):
        """`set_limits` from the cells."""
        return set_limits(norm, self.limits, robust=robust, center=center, percentiles=self.percentiles,
                          elements=self.numbers if self._grids else None)

    def numbers(self):
        """All cells of all facets, on the host; None where only their limits are known."""
        return np.concatenate([np.ravel(values_of(cells)) for cells in self._grids]) if self._grids else None


def check_limits_choice(limits, agg):
    """ValueError for an unknown `limits`, and for "elements" with an `agg` whose cells have other units than elements."""
    check_choice("limits", limits, LIMITS)
    if limits == "elements" and agg in OTHER_UNITS:
        raise ValueError(f"limits='elements': with agg={agg!r} pixels are not in the units of the elements; leave limits out, with or "
                         "without vmin and vmax")


def limits_choice(limits, agg, is_given):
    """`limits`, with "auto" replaced by "elements" for aggregations other than means, and if a limit or norm object `is_given`."""
    return "elements" if limits == "auto" and (is_given or agg != "mean") else limits


def is_angle(view):
    """Whether a view shows angles, as numbers or as hues; False for None."""
    return view is not None and (view.is_hue or view.complex_mode == "phase")


def fill_limits(norm, view, agg, choice, *, robust=False, center=None, elements, cells):
    """Sets the missing limits of a norm: -pi to pi for angles, else from the elements or from the cells that are drawn.

    Parameters
    ----------
    agg : str
        If its cells have other units than elements, such as counts, limits come from cells.
    choice : {"auto", "elements", "pixels"}
        "auto" takes cells if these use less than a quarter of the colors with the limits of elements.
    robust, center
        As in `set_limits`.
    elements, cells : callable
        ``elements()`` sets limits from elements and returns whether they were centered; ``cells(choice)`` returns CellValues,
        or None.

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


def limits_search(norm, view, agg, choice, *, robust=False, center=None, elements=None):
    """The `LimitsSearch` by which a device comes to the limits of `fill_limits`; None where it cannot, or none are missing.

    Parameters are as in `fill_limits`, but for `elements`: their `Limits` where they are known.
    """
    if type(norm) not in _SEARCHED or norm.scaled() or is_angle(view) or robust_percents(robust) is not None:
        return None
    center, is_given = _check_center(center, norm), (norm.vmin, norm.vmax) != (None, None)
    if center == "auto" or (center is not None and is_given):
        return None
    origin = "cells" if agg in OTHER_UNITS else {"auto": "either", "pixels": "cells", "elements": "elements"}[choice]
    known = () if elements is None else (float(elements.min), float(elements.max))
    return LimitsSearch(origin, MIN_PART, math.nan if center is None else center, *known)


def _fill_by_choice(norm, choice, robust, center, elements, values):
    """`fill_limits` for numbers in the units of elements; `values` are the CellValues, or None for elements alone."""
    before = norm.vmin, norm.vmax
    is_centered = elements() if values is None or choice == "auto" else False
    if values is None or (choice == "auto" and (_part_of_colors(norm, values.limits, robust) >= MIN_PART or values.is_smooth())):
        return is_centered, False
    put_limits(norm, *before)
    is_centered = values.set_limits(norm, robust, center)
    if norm.vmin != norm.vmax:
        return is_centered, True
    put_limits(norm, *before)
    return elements(), False


def _part_of_colors(norm, limits, robust=False):
    """The part of the norm's colors between the smallest and the largest finite cell; 1 if that is not known."""
    is_log = type(norm) is mcolors.LogNorm
    low, high = _ends(limits, is_log)
    if not high - low > MEAN_NOISE * max(abs(low), abs(high)):
        return 1.0
    if not norm.vmin < norm.vmax:
        is_of_part = is_log or robust_percents(robust) is not None  # other elements than the equal ones may be different
        return 0.0 if is_of_part and norm.vmin == norm.vmax else 1.0
    vmin, span = float(norm.vmin), float(norm.vmax) - float(norm.vmin)
    if type(norm) is mcolors.Normalize and not norm.clip and math.isfinite(span):  # calling the norm is much slower
        part = (high - vmin) / span - (low - vmin) / span
        return part if math.isfinite(part) else 1.0
    try:
        with np.errstate(all="ignore"):  # limits may be 1e308 apart
            ends = np.ma.masked_invalid(norm(np.array([low, high])))
    except ValueError:  # limits that the norm cannot use: drawing raises the error
        return 1.0
    return float(ends[1] - ends[0]) if ends.count() == 2 else 1.0


def put_limits(norm, vmin=None, vmax=None):
    """Sets both limits of a norm, where None makes one missing again."""
    if isinstance(norm, mcolors.CenteredNorm):  # its own setters derive each limit from the other, and so know no missing one
        mcolors.Normalize.vmin.__set__(norm, vmin)
        mcolors.Normalize.vmax.__set__(norm, vmax)
    else:
        norm.vmin, norm.vmax = vmin, vmax


def completed(given, found):
    """(vmin, vmax): the `given` ones, and those `found` in the data for None; one found beyond a given one is equal to that."""
    low, high = (one if one is not None else other for one, other in zip(given, found, strict=True))
    if None in given and low > high:  # in a part of the data, to which a user zoomed
        return (low, low) if given[1] is None else (high, high)
    return low, high


def has_limits(norm, limits):
    """Whether a norm has the limits that it was given; of equal ones matplotlib moves one, then the other, away for a colorbar."""
    now = norm.vmin, norm.vmax
    if None in now or None in limits or limits[0] != limits[1]:
        return now == limits
    reach = 0.1 * abs(limits[0]) or 0.1
    return all(one == limits[0] or math.isclose(one, limits[0] + step) for one, step in zip(now, (-reach, reach), strict=True))


def _needs_only_ends(norm):
    """Whether the norm's autoscale needs only the smallest and the largest value that it can show."""
    return type(norm) in (*_END_TO_END, mcolors.LogNorm)


def _has_places(norm, low, high):
    """Whether the norm's scale has a place for two numbers: its own autoscale leaves out those that have none."""
    given = norm.vmin, norm.vmax
    with norm.callbacks.blocked():
        put_limits(norm)
        norm.autoscale_None(np.array([low, high]))
        has_both = low == high or norm.vmin != norm.vmax
        put_limits(norm, *given)
    return has_both


def _scale_to_numbers(norm, numbers, percents, ends):
    """Sets the missing limits from ``numbers() -> ndarray or None``, or to percentiles of those that have a place on the norm's scale.

    Without numbers, or where none has a place, from the `ends` of all.
    """
    values = None if numbers is None else numbers()
    values = np.ma.masked_invalid(np.ma.asarray(ends if values is None else values))
    if percents is not None:
        given = norm.vmin, norm.vmax
        put_limits(norm)
        scale_to(norm, values)  # from the smallest to the largest one that has a place
        values = values.compressed()
        inside = values[(values >= norm.vmin) & (values <= norm.vmax)]
        put_limits(norm, *given)
        values = np.ma.asarray(np.percentile(inside, percents) if inside.size else ends)
    scale_to(norm, values)


def scale_to(norm, values):
    """Sets the missing limits of a norm from values; bool as 0 and 1, as SymLogNorm of matplotlib 3.9 does not take bool."""
    values = values.reshape(-1) if values.ndim > 2 else values  # the log norm does not take the channels of colors
    norm.autoscale_None(values.astype(np.uint8) if values.dtype == bool else values)


def _ends(limits, is_log):
    """(smallest, largest) element that the norm can show; (NaN, NaN) if there is none."""
    low = limits.min_positive if is_log else limits.min
    return (math.nan, math.nan) if math.isnan(low) else (float(low), float(limits.max))


def _check_center(center, norm):
    """`center`, checked, as a number, "auto" or None."""
    if center is None or center is False:
        return None
    if isinstance(norm, NORMS_WITHOUT_CENTER):
        raise ValueError(f"center={center!r} has no meaning with {type(norm).__name__}: leave one of the two out")
    if center is True or (isinstance(center, str) and center == "auto"):
        return 0.0 if center is True else "auto"
    number = number_in(center)
    if number is None or not math.isfinite(number):
        raise ValueError(f"center={center!r} must be a number, True (zero), 'auto' or None")
    return number


def _apply_center(norm, low, high, center):
    """Sets both limits at equal distances from the center; returns False if nothing is centered."""
    if center is None or norm.scaled():
        return False
    given = [limit for limit in (norm.vmin, norm.vmax) if limit is not None]
    low = low if norm.vmin is None else float(norm.vmin)
    high = high if norm.vmax is None else float(norm.vmax)
    if center == "auto":
        if not low < 0 < high:
            return False
        center = 0.0
    limits = centered_limits(center, *(given[:1] or (low, high)))
    if not all(map(math.isfinite, limits)):
        raise ValueError(f"center={center!r} is too far from {low} and {high}: limits on both sides of it are beyond float64")
    norm.vmin, norm.vmax = limits
    return True


def lies_around(norm, center):
    """Whether both limits are given and equally far from a center: colors are then diverging, too."""
    center = _check_center(center, norm)
    if center is None or not norm.scaled():
        return False
    below, above = center_number(center) - float(norm.vmin), float(norm.vmax) - center_number(center)
    return below > 0 and math.isclose(below, above, rel_tol=1e-9)


def center_number(center):
    """The number that a `center` other than None and False stands for: 0 for True and "auto"."""
    return 0.0 if center is True or isinstance(center, str) else number_in(center)


def centered_limits(center, *ends):
    """(low, high) at equal distances from the center; rounded, neither leaves out one of the ends."""
    reach = max(abs(end - center) for end in ends)
    return min(center - reach, *ends), max(center + reach, *ends)


def colorbar_extend(norm, limits):
    """The colorbar's `extend`, "neither", "min", "max" or "both": which limits finite elements lie beyond."""
    if norm.clip or not norm.scaled() or math.isnan(limits.min):
        return "neither"
    low = limits.min_positive if type(norm) is mcolors.LogNorm else limits.min
    # As floats, which limits of elements are: an integer of 64 bits that a norm took from the elements may be rounded on one side alone.
    return EXTENDS[bool(low < float(norm.vmin)), bool(limits.max > float(norm.vmax))]


def wanted_limits(norm):
    """The ``WANT_*`` bits of the limits that a norm needs; finding all would take longer than the picture."""
    return _native.WANT_RANGE | (_native.WANT_POSITIVE if isinstance(norm, mcolors.LogNorm) else 0)
