"""Limits, summaries and histograms of pieces, joined in any order and grouping, are those of the whole, on both devices."""

import itertools

import numpy as np
import pytest
from device_planes import device_plane, host_plane
from effort import examples
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from stored_tensors import storage_of

from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.plane.cell_states import STATE
from gpuplot.plane.limits import find_limits
from gpuplot.plane.partial_cells import PartialCells, reduce_piece
from gpuplot.plane.partial_limits import PartialLimits
from gpuplot.plane.view import choose
from gpuplot.plane.window import Window
from gpuplot.statistics.partial_histogram import PartialHistogram
from gpuplot.statistics.partial_summary import PartialSummary

WANT = _native.WANT_RANGE | _native.WANT_POSITIVE | _native.WANT_COUNTS
INTEGERS = ("bool", "uint8", "int16", "int64", "uint64")
DTYPES = (*INTEGERS, "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float32", "float64")


@st.composite
def scenes(draw):
    """A tensor of three axes as stored, its mask or None, its dtype, the places where it is cut, and random numbers."""
    shape = tuple(draw(st.lists(st.integers(1, 12), min_size=3, max_size=3)))
    dtype, rng = draw(st.sampled_from(DTYPES)), np.random.default_rng(draw(st.integers(0, 2**32)))
    stored = storage_of(rng, dtype, shape, draw(st.sampled_from((0, 3, 10**4))))
    if dtype in ("int64", "uint64") and draw(st.booleans()):  # numbers that float64 rounds to one another
        stored = (rng.integers(0, 5, shape).astype(np.uint64) + np.uint64(2**62 if dtype == "int64" else 2**63 + 7)).astype(dtype)
    if dtype in ("float16", "float32", "float64"):
        share = draw(st.sampled_from((0.0, 0.1, 0.7)))
        for value in (np.nan, np.inf, -np.inf):
            stored[rng.random(shape) < share / 3] = value
    mask = np.asarray(rng.random(shape) < 0.3) if draw(st.booleans()) else None
    cuts = [sorted({0, size, *draw(st.lists(st.integers(0, size), max_size=3))}) for size in shape]
    return stored, mask, dtype, cuts, rng


def pieces_of(make, stored, mask, dtype, cuts):
    """A native plane for each page of each piece, and the positions of its elements in the whole, row-major."""
    positions = np.arange(stored.size).reshape(stored.shape)
    for box in itertools.product(*([slice(*ends) for ends in itertools.pairwise(places)] for places in cuts)):
        for page in range(*box[0].indices(stored.shape[0])):
            at = (page, *box[1:])
            yield make(stored[at], dtype, None if mask is None else mask[at]), positions[at].ravel()


def joined(parts, start, rng):
    """All parts in a random order and a random grouping: each is joined to one of three groups, and these to one another."""
    groups = [start() for _ in range(3)]
    for i in rng.permutation(len(parts)):
        groups[rng.integers(3)].join(parts[i])
    rng.shuffle(groups)
    for group in groups[1:]:
        groups[0].join(group)
    return groups[0]


def check_summaries(whole, pieces, rng):
    """All but moments are the same; these differ by no more than the definition allows between devices."""
    want = PartialSummary.of_plane(whole)
    parts = [PartialSummary.of_plane(plane, positions.item) for plane, positions in pieces]
    got = joined(parts, PartialSummary, rng)
    moments = ("mean", "m2")
    for name in got.state.dtype.names:
        if name not in moments:
            assert got.state[name] == want.state[name], name
    assert got.low == want.low or want.n == 0
    assert got.high == want.high or want.n == 0
    size = max(abs(want.low), abs(want.high)) if want.n else 0
    assert got.state["mean"] == pytest.approx(want.state["mean"], rel=1e-12, abs=1e-12 * size)
    assert got.state["m2"] == pytest.approx(want.state["m2"], rel=1e-9, abs=1e-12 * size * size * max(want.n, 1))


def check_histograms(whole, pieces, dtype, rng):
    found = PartialSummary.of_plane(whole)
    low, high = (found.low, found.high) if found.n else (0, 1)
    edges = np.linspace(float(low) - 1, float(high) + 1 + abs(float(high)) * 1e-9, rng.integers(2, 9))
    ranges = (None, (int(low), int(high) - 1)) if dtype in INTEGERS and high > low else (None,)
    for integer_range in ranges:
        parts = [PartialHistogram.of_plane(plane, edges, integer_range) for plane, _ in pieces]
        got = joined(parts, lambda inside=integer_range: PartialHistogram.of_nothing(edges, inside), rng)
        assert (got.counts == _native.histogram(whole, edges, integer_range)).all()
        assert integer_range or got.counts.sum() == found.n


def check(make, scene):
    stored, mask, dtype, cuts, rng = scene
    flat = (-1, stored.shape[2])
    whole = make(stored.reshape(flat), dtype, None if mask is None else mask.reshape(flat))
    pieces = list(pieces_of(make, stored, mask, dtype, cuts))
    limits = joined([PartialLimits.of_plane(plane, WANT) for plane, _ in pieces], PartialLimits, rng)
    assert limits.state.tobytes() == PartialLimits.of_plane(whole, WANT).state.tobytes()
    assert np.array_equal(limits.finish(), _native.limits(whole, WANT), equal_nan=True)
    check_summaries(whole, pieces, rng)
    check_histograms(whole, pieces, dtype, rng)


@given(scenes())
@examples(200)
def test_any_cut_on_the_host(scene):
    check(host_plane, scene)


@given(scenes())
@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_cut_on_a_device(emulated, scene):
    check(device_plane, scene)


@given(scenes())
@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_pieces_of_both_devices_join(emulated, scene):
    """A piece that a device has looked at, and one that the host has: what they leave means the same."""
    rng = np.random.default_rng(0)
    check(lambda *page: (host_plane, device_plane)[rng.integers(2)](*page), scene)


@pytest.mark.parametrize("where", ["host", "device"])
@pytest.mark.parametrize("agg", ["mean", "max", "std", "count"])
def test_cells_bring_limits_along(where, agg, request):
    """Limits of pieces, found in the passes that reduce them, are those of the plane."""
    from on_device import there

    array = np.random.default_rng(3).normal(size=(50, 70)).astype(np.float32)
    array[3, 3], array[20, 60], array[44, 2] = np.nan, np.inf, -np.inf
    view, window = choose(array.shape, None, "float32", rgb=False), Window.whole(array.shape, (7, 9))
    if where == "device":
        request.getfixturevalue("emulated")
    put = there if where == "device" else lambda piece: piece
    want = _native.WANT_RANGE | _native.WANT_POSITIVE
    grid = PartialCells.of_nothing(agg, (7, 9))
    for begin, end in ((0, 20), (20, 21), (21, 50)):
        piece = array[begin:end]
        grid.join(reduce_piece(describe(put(piece)), choose(piece.shape, None, "float32", rgb=False), window, agg, whole=array.shape,
                               origin=(begin, 0), want=want))
    found, whole = grid.limits.finish(), find_limits(describe(array), view, want)
    assert found[:4] == whole[:4]


def test_bins_that_differ_have_nothing_in_common():
    whole = PartialHistogram.of_nothing([0, 1, 2])
    for bins in (([0, 1, 3],), ([0, 2],), ([0, 1, 2], (0, 1))):
        with pytest.raises(ValueError, match=r"2 bins from 0 to 2 and .* bins from 0 to .* have no counts in common"):
            whole.join(PartialHistogram.of_nothing(*bins))


def test_integers_beyond_float64_join_those_that_were_rounded():
    """A piece whose integers a computation made floats, beside one that has them as they are."""
    exact = PartialSummary.of_plane(host_plane(np.array([[2**62 + 1, 5]])))
    rounded = PartialSummary.of_plane(host_plane(np.array([[7.0, 2.0**63]])))
    exact.join(rounded)
    assert (exact.order, exact.low, exact.high, exact.n) == ("f64", 5, 2.0**63, 4)


@pytest.mark.parametrize("join", [lambda: _native.join_states("limits", np.zeros(3), np.zeros(3)),
                                  lambda: _native.join_states("summary", PartialLimits().state, PartialLimits().state),
                                  lambda: _native.join_states("limits", PartialLimits().state, np.concatenate([PartialLimits().state] * 2)),
                                  lambda: _native.join_states("nope", PartialLimits().state, PartialLimits().state)])
def test_memory_that_is_no_state_is_refused(join):
    with pytest.raises(ValueError, match=r"bytes an element|cannot be joined|must be one of"):
        join()


def test_arrays_of_more_or_fewer_states_than_are_made_are_refused():
    plane, rows, cols = host_plane(np.ones((3, 4))), _native.Axis(3, 0, 3, 2), _native.Axis(4, 0, 4, 2)
    two, none = np.concatenate([PartialLimits().state] * 2), PartialLimits().state[:0]
    for limits in (two, none):
        with pytest.raises(ValueError, match="states for one plane"):
            _native.limits_state(plane, _native.WANT_RANGE, limits)
        with pytest.raises(ValueError, match=f"4 states for 2 x 2 cells, {limits.size} for limits"):
            _native.reduce_states(plane, rows, cols, "mean", "show", np.empty((2, 2), STATE), _native.WANT_RANGE, limits)
    for n in (3, 5):
        with pytest.raises(ValueError, match=f"{n} states for 2 x 2 cells"):
            _native.reduce_states(plane, rows, cols, "mean", "show", np.empty(n, STATE))
