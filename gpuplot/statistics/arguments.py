"""Checks of the parameters of `stats`, and the elements that its `region` selects."""

import itertools
import math

from ..arrays.scalars import integer_in, number_in
from ..choices import is_listed, ordered_items
from ..errors import value_text
from ..plane.dims import TensorAxes
from ..plane.picture_size import check_view
from .summaries import StatsSpec

# Most bins (256 MB of counts and edges), as in the native layer; and most counts of all slices together (2 GB, and 2 GB of edges).
MAX_BINS = 2**24
_MAX_COUNTS = 2**28

# The native layer finds 1024 at once, one of which is the median.
_MAX_PERCENTILES = 1023


def check_spec(bins, value_range, percentiles):
    """The parameters of `stats` as a `StatsSpec`; TypeError or ValueError for bad ones."""
    return StatsSpec(_check_bins(bins), check_ends("value_range", value_range, _number), _check_percentiles(percentiles))


def _check_bins(bins):
    if isinstance(bins, str):
        raise ValueError(f"bins={bins!r}: rules that choose bins from the data are not known here; give their number")
    number = integer_in(bins)
    if number is None:
        raise TypeError(f"bins={bins!r} must be the number of bins, an integer; value_range says where they are")
    return check_number_of_bins(number, "value_range says")


def check_number_of_bins(number, says):
    """The number of bins, or a ValueError; `says` is the start of its last sentence, such as "range= says"."""
    if number < 1:
        raise ValueError(f"bins={number}: a histogram has at least one bin")
    if number > MAX_BINS:
        raise ValueError(f"bins={number}: a histogram has at most {MAX_BINS} bins; {says} where they are")
    return number


def check_ends(name, ends, to_number):
    """(first, last) of a range of bins, converted by `to_number` and checked; None for None."""
    if ends is None:
        return None
    try:
        first, last = map(to_number, ordered_items(ends, 3))
        is_finite = math.isfinite(first) and math.isfinite(last)
    except OverflowError:  # an integer beyond float64
        is_finite = False
    except Exception:  # libraries differ in how they refuse
        raise TypeError(f"{name}={value_text(ends)} must be a pair of numbers (first, last)") from None
    if not is_finite:
        raise ValueError(f"{name}={value_text(ends)}: both ends must be finite")
    if first > last:
        raise ValueError(f"{name}={value_text(ends)} falls: give the smaller number first")
    return first, last


def _number(value):
    """An integer as an int, other real numbers as a float."""
    if isinstance(value, (str, bytes)):
        raise TypeError
    integer = integer_in(value)
    number = number_in(value) if integer is None else integer
    if number is None:
        raise TypeError
    return number


def _check_percentiles(percentiles):
    if percentiles is None:
        return ()
    try:
        listed = tuple(itertools.islice(percentiles, _MAX_PERCENTILES + 1)) if is_listed(percentiles) else (percentiles,)
        numbers = tuple(map(_number, listed[:_MAX_PERCENTILES]))
    except Exception:  # libraries differ in how they refuse
        raise TypeError(f"percentiles={value_text(percentiles)} must be numbers from 0 to 100") from None
    if len(listed) > _MAX_PERCENTILES:
        raise ValueError(f"percentiles: at most {_MAX_PERCENTILES} of them at once; ask for others in another call")
    for percent, number in zip(listed, numbers, strict=True):
        if not 0 <= number <= 100:
            raise ValueError(f"percentiles={value_text(percentiles)}: {percent!r} is not from 0 to 100")
    return numbers  # not the objects that were given: a Fraction has no format in Python 3.11


def check_dim(dim, source):
    """The axes to reduce, in ascending order."""
    axes = TensorAxes(source.shape, None, source.dims, takes_dims=False)
    listed = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    if not listed or dim is None:
        return tuple(range(len(axes)))
    if len(axes) == 0 and all(type(axis) is int and axis in (0, -1) for axis in listed):
        return ()  # as in torch, dim=0 and dim=-1 are allowed for a scalar
    numbers = [axes.number(axis, "dim") for axis in listed]
    if len(set(numbers)) != len(numbers):
        raise ValueError(f"dim={dim!r} names an axis twice")
    return tuple(sorted(numbers))


def check_counts(n_slices, bins):
    """ValueError for histograms of slices whose counts together take too much memory."""
    if n_slices * bins > _MAX_COUNTS:
        raise ValueError(f"bins={bins}: {n_slices} slices would have {n_slices * bins} counts, of at most {_MAX_COUNTS}; "
                         "ask for fewer bins, or reduce more axes")


def touched(limits, n_elems):
    """The elements of an axis that lie, in part or whole, between two coordinates along it."""
    tolerance = n_elems * 2.0**-46
    low, high = (round(u) if abs(u - round(u)) <= tolerance else u for u in sorted(limits))
    return range(n_elems)[min(max(math.floor(low), 0), n_elems):max(math.ceil(high), 0)]


def spans_of(shape, region):
    """For each axis the range of elements inside `region`; None if a tensor of fewer than two axes is outside of it."""
    spans = [range(n) for n in shape]
    if region is None:
        return spans
    plane = ((1, 1) + shape)[-2:]
    parts = [touched(limits, n) for limits, n in zip(check_view(region, plane, "region"), plane, strict=True)]
    n_axes = min(len(shape), 2)
    spans[len(shape) - n_axes:] = parts[2 - n_axes:]
    # A tensor without rows, or columns, counts as one row, or column, which the region may miss.
    return spans if all(parts[:2 - n_axes]) else None
