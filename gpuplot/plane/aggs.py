"""The aggregations and NaN policies of cells: their names and properties."""

from .. import _native

AGGS = tuple(_native.AGGS)
NAN_POLICIES = ("auto", "show", "skip")


def _aggs_that(fact):
    return tuple(agg for agg, facts in _native.AGGS.items() if facts & fact)


# Aggregations whose cells have other units than the elements; whose cell of one element is not that element; whose cell
# of no element is 0; that are linear.
OTHER_UNITS = _aggs_that(_native.AGG_OWN_UNITS)
OF_SEVERAL = tuple(agg for agg in AGGS if agg not in _aggs_that(_native.AGG_KEEPS))
ADDING_UP = _aggs_that(_native.AGG_ADDS_UP)
LINEAR = _aggs_that(_native.AGG_LINEAR)


def check_agg_of_colors(agg):
    """ValueError for an aggregation that does not apply to color channels."""
    if agg not in ("mean", "nearest"):
        raise ValueError(f"agg={agg!r} of colors has no meaning: use mean or nearest, or rgb=False to look at one channel")


def native_nan(nan):
    """The native name of a policy; "auto" leaves out masked elements only, until it is decided what to do with NaN."""
    return "unmasked" if nan == "auto" else nan
