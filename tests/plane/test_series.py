"""The samples that draw a series, on both devices, against a slow reference: dtypes, layouts, masks, joined parts, order of x."""

import itertools
import threading

import numpy as np
import pytest
import reference as ref
from device_planes import device_plane, fail_each_call, host_plane, in_modes
from effort import examples
from emulated_device import OUT_OF_MEMORY
from hypothesis import given
from hypothesis import strategies as st
from matrix import matrix
from reference import series as slow
from stored_tensors import LAYOUTS, REAL, endless_row, storage_of

from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.plane.line_samples import N_NEIGHBORS, LineData
from gpuplot.plane.series import M4_STATE, Series, emitted, join_states, states_of_ranges, values_of_orders

POSITIONS = ("first", "last", "argmin", "argmax")
VALUES = ("y_first", "y_last", "lowest", "highest")
NAN, INF = np.nan, np.inf


def m4(plane, bounds):
    states = np.empty(len(bounds) - 1, M4_STATE)
    return states, _native.m4(plane, np.asarray(bounds, np.int64), states)


def check(plane, values, bounds):
    """States of the columns against the slow ones; values are Python numbers, None where masked."""
    states, order = m4(plane, bounds)
    for k, (begin, end) in enumerate(itertools.pairwise(bounds)):
        want = slow.column(values, begin, end)
        got = {name: states[name][k].item() for name in want if name not in VALUES}
        got |= {name: exact(states[name][k], order) for name in want if name in VALUES}
        assert got == want, (k, begin, end)


def exact(value, order):
    """An order as the number that it is of, integers of 64 bits exactly."""
    if order == "f64":
        return values_of_orders([value], order)[0].item()
    return int(value) + (2**63 if order == "u64" else 0)


def random_bounds(rng, n, n_columns):
    """Rising positions, some columns empty, a part at either end left out."""
    return np.sort(rng.integers(0, n + 1, n_columns + 1)).tolist()


@matrix(dtype=REAL, layout=LAYOUTS, n=(1, 37, 5000), n_columns=(1, 3, 40))
def test_every_dtype_and_layout(plane_on, dtype, layout, n, n_columns):
    """A few samples that are not finite, where the dtype has such."""
    rng = np.random.default_rng(n + n_columns)
    stored = storage_of(rng, dtype, (1, n), n_bad=n // 6)
    values = stored[0].tolist() if dtype in ("int64", "uint64") else ref.load(stored, dtype)[0].tolist()
    check(plane_on(LAYOUTS[layout](stored), dtype), values, random_bounds(rng, n, n_columns))


@matrix(dtype=("float32", "int64", "uint8", "float16", "uint64"), layout=("C", "strided", "reversed"), share=(0.02, 0.5, 0.99, 1.0))
def test_masks(plane_on, dtype, layout, share):
    """Masked samples are in no column's four; 64-bit integers stay exact."""
    rng = np.random.default_rng(5)
    stored, mask = storage_of(rng, dtype, (1, 4500), n_bad=40), rng.random((1, 4500)) < share
    values = slow.numbers(ref.load(stored, dtype)[0] if dtype == "float16" else stored[0], mask[0])
    check(plane_on(LAYOUTS[layout](stored), dtype, LAYOUTS[layout](mask)), values, random_bounds(rng, 4500, 7))


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_integers_of_64_bits_are_told_apart(plane_on, dtype):
    """Neighbors that float64 takes for equal."""
    base = np.array(2**62 if dtype == "int64" else 2**63 + 2**62, dtype)
    stored = (base + np.random.default_rng(1).integers(0, 50, (1, 4000)).astype(dtype)).astype(dtype)
    check(plane_on(stored), stored[0].tolist(), [0, 11, 2000, 4000])


def test_ties_infinities_and_zeros(plane_on):
    """The lowest position of equal samples; columns of nothing but infinities or NaN; zeros of both signs are equal."""
    row = [2.0, 2.0, 2.0, NAN, INF, -INF, INF, NAN, NAN, -0.0, 0.0, -0.0, 7.0, INF, -INF]
    check(plane_on(np.array([row])), row, [0, 3, 7, 9, 12, 15])
    check(plane_on(np.array([row], "f4")), row, [0, 0, 3, 3, 15])


@given(data=st.data())
@examples(100)
def test_any_samples(data):
    """Values that come up often, in any columns, on the host."""
    row = data.draw(st.lists(st.sampled_from([0.0, 1.0, -1.0, 2.5, NAN, INF, -INF]), max_size=60))
    bounds = sorted(data.draw(st.lists(st.integers(0, len(row)), min_size=1, max_size=12)))
    check(host_plane(np.array([row], "f4").reshape(1, -1)), row, bounds)


@pytest.mark.parametrize("n_columns", [1, 2, 900])
def test_long_series_in_many_pieces(plane_on, n_columns):
    """Columns over several pieces of work and pieces of several columns; extremes and NaN near the borders of pieces."""
    rng = np.random.default_rng(7)
    row = rng.normal(size=600_000).astype("f4")
    row[[131071, 131072, 262143]] = 50, -50, NAN
    row[rng.integers(0, row.size, 300)] = rng.choice([NAN, INF], 300)
    bounds = np.linspace(3, row.size - 5, n_columns + 1).astype(int)
    states, order = m4(plane_on(row[None]), bounds)
    for k in range(0, n_columns, 1 + n_columns // 3):
        part = row[bounds[k]:bounds[k + 1]]
        places = np.flatnonzero(np.isfinite(part))
        want = (len(places), places[0], places[-1], places[part[places].argmin()], places[part[places].argmax()])
        assert states[["n_finite", *POSITIONS]][k].item() == (want[0], *(bounds[k] + place for place in want[1:]))
        assert values_of_orders(states["lowest"][k:k + 1], order) == np.nanmin(part[places])


def test_hidden_axes_and_complex_parts(put):
    """A plane of one row that is computed: the mean over an axis, a size."""
    from gpuplot.plane.native_plane import native_plane
    from gpuplot.plane.view import choose

    stack = np.random.default_rng(0).normal(size=(4, 500))
    turned = stack[0] + 1j * stack[1]
    for array, options, want in ((stack, {"x": 1, "reduce": {0: "mean"}}, stack.mean(0)), (turned, {}, np.abs(turned))):
        source = describe(put(array))
        view = choose(source.shape, None, source.dtype, rgb=False, **options)
        with source.borrow() as tensor:
            states, _ = m4(native_plane(tensor, view), [0, 100, 500])
        assert states["argmin"].tolist() == [want[:100].argmin(), 100 + want[100:].argmin()]


def test_masked_and_nan_are_told_apart_where_an_axis_is_hidden(plane_on):
    """Samples that are computed, of masked elements alone and of NaN, as they are of stored ones."""
    values, mask = np.random.default_rng(0).normal(size=(2, 300)), np.zeros((2, 300), bool)
    values[:, 17], mask[:, 40], values[:, 230], mask[:, 231] = NAN, True, NAN, True
    tensor = _native.Tensor.from_array(values, "float64", mask)
    hidden = _native.Plane(tensor, [("hidden", 0, 1, 2, 0), ("cols", 0, 1, 300, 0)], ["max"])
    stored = plane_on(values.max(0)[None], None, mask[:1])
    bounds = [0, 30, 100, 230, 231, 232, 300]
    got, want = m4(hidden, bounds)[0], m4(stored, bounds)[0]
    assert got["has"].tolist() == want["has"].tolist() and len(set(want["has"].tolist())) == 5
    assert got[list(POSITIONS)].tolist() == want[list(POSITIONS)].tolist()


def test_modes_and_failing_calls(emulated):
    """The same bits in any order of threads; after a call of the driver that failed, a DeviceError or the answer."""
    row = np.random.default_rng(2).normal(size=(1, 70_000)).astype("f2")
    row[0, ::1000] = NAN
    device, bounds = device_plane(row), [0, 60_000, 60_010, 70_000]
    want = m4(host_plane(row), bounds)[0]
    assert in_modes(emulated, lambda: m4(device, bounds)[0]).tobytes() == want.tobytes()
    fail_each_call(emulated, OUT_OF_MEMORY, lambda: check(device, slow.numbers(row[0].astype(float)), [0, 1000, 2000]), step=3)


def test_only_states_cross(emulated):
    """However long the series is: a state of 80 bytes a column comes down, bounds go up."""
    device = device_plane(np.zeros((1, 300_000), "f4"))
    m4(device, [0, 300_000])
    before = _native.cuda_counts(0)
    m4(device, list(range(0, 300_001, 3000)))
    after = _native.cuda_counts(0)
    assert after["bytes_to_host"] - before["bytes_to_host"] == 100 * 80
    assert after["bytes_to_device"] - before["bytes_to_device"] == 101 * 8


def test_samples_that_share_one_address(plane_on):
    """Any number of them is answered from one."""
    row = np.broadcast_to(np.float32(3), (1, 10**12))
    states, _ = m4(plane_on(row), [5, 5, 10**11, 10**12])
    assert states[["n_finite", *POSITIONS]].tolist()[1:] == [
        (10**11 - 5, 5, 10**11 - 1, 5, 5), (9 * 10**11, 10**11, 10**12 - 1, 10**11, 10**11)]
    assert states["n_finite"][0] == 0
    assert _native.find_ways(plane_on(row)) == (True, True)


@pytest.mark.parametrize(("bounds", "text"), [([0, 5, 4], "must not fall"), ([-1, 3], "within 0..6"), ([0, 7], "within 0..6")])
def test_wrong_bounds(plane_on, bounds, text):
    with pytest.raises(ValueError, match=text):
        m4(plane_on(np.zeros((1, 6))), bounds)


def test_wrong_planes_and_arrays(plane_on):
    with pytest.raises(ValueError, match="plane of one row, this one has 2"):
        m4(plane_on(np.zeros((2, 6))), [0, 6])
    with pytest.raises(ValueError, match="3 bounds for 5 columns"):
        _native.m4(plane_on(np.zeros((1, 6))), np.arange(3), np.empty(5, M4_STATE))
    with pytest.raises(ValueError, match="80 bytes"):
        _native.m4(plane_on(np.zeros((1, 6))), np.arange(3), np.empty(2))
    with pytest.raises(IndexError, match="position 6 is none of a series of 6 samples"):
        _native.take(plane_on(np.zeros((1, 6))), np.array([0, 6]))


# ---- parts ------------------------------------------------------------------------------------------------------------


@given(data=st.data())
@examples(60)
def test_parts_joined_in_any_order_are_the_whole(data):
    """Shards of a series give the states of the whole, whichever comes first."""
    n = data.draw(st.integers(1, 200))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    row = rng.choice([1.0, 2.0, 3.0, NAN, INF], n)
    bounds = random_bounds(rng, n, 6)
    cuts = np.unique([0, *rng.integers(0, n, 3), n])
    whole = np.empty(6, M4_STATE)
    _native.m4(host_plane(row[None]), np.array(bounds), whole)
    joined = np.empty(6, M4_STATE)
    _native.m4(host_plane(np.empty((1, 0))), np.zeros(7, np.int64), joined)
    for i in rng.permutation(len(cuts) - 1):
        part = np.empty(6, M4_STATE)
        _native.m4(host_plane(row[None, cuts[i]:cuts[i + 1]]), np.clip(bounds, cuts[i], cuts[i + 1]) - cuts[i], part)
        join_states(joined, part, cuts[i])
    has_any = whole["n_finite"] > 0
    assert joined[has_any].tobytes() == whole[has_any].tobytes()
    assert (joined[["n_finite", "has"]] == whole[["n_finite", "has"]]).all()


@given(data=st.data())
@examples(60)
def test_ranges_that_overlap(data):
    """Neighboring pixels share a sample, magnified ones all of theirs; some have none."""
    n = data.draw(st.integers(1, 80))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    row = rng.choice([1.0, 2.0, 3.0, NAN, -INF], n)
    begins = np.sort(rng.integers(0, n + 1, 9))
    ends = np.minimum(begins + rng.integers(0, 12, 9), n)
    states, order = states_of_ranges(Series(describe(row)), begins, ends)
    for k in range(9):
        want = slow.column(row.tolist(), begins[k], ends[k])
        got = {name: values_of_orders(states[name][k:k + 1], order)[0] if name in VALUES else states[name][k] for name in want}
        assert got == want


# ---- order of x -------------------------------------------------------------------------------------------------------


@matrix(dtype=REAL, layout=LAYOUTS, way=("up", "down", "flat", "none", "nan"), n=(1, 2, 5000))
def test_ways(plane_on, dtype, layout, way, n):
    """One neighbor out of order anywhere, or a NaN, is seen."""
    rng = np.random.default_rng(3)
    stored = storage_of(rng, dtype, (1, n))
    values = ref.load(stored, dtype)[0]
    stored = stored[:, np.argsort(values if way != "down" else -values, kind="stable")]
    if way == "flat":
        stored[:] = stored[0, 0]
    elif way == "none":
        i = rng.integers(0, n)
        stored[0, i:] = np.roll(stored[0, i:], 1)
    elif way == "nan":
        stored = storage_of(rng, dtype, (1, n), n_bad=1)
    want = slow.ways(ref.load(stored, dtype)[0].tolist())
    assert _native.find_ways(plane_on(LAYOUTS[layout](stored), dtype)) == want


def test_ways_across_pieces(plane_on):
    """Each pair of neighbors is compared, those at the borders of blocks and pieces too."""
    for i in (2046, 2047, 2048, 131070, 131071, 131072, 299_998):
        row = np.arange(300_000.0)[None]
        row[0, i] = row[0, i + 1] + 0.5
        assert _native.find_ways(plane_on(row)) == (False, False)
        assert _native.find_ways(plane_on(-row)) == (False, False)
    assert _native.find_ways(plane_on(np.arange(300_000.0)[None])) == (True, False)
    mask = np.zeros((1, 5000), bool)
    mask[0, 4000] = True
    assert _native.find_ways(plane_on(np.arange(5000.0)[None], None, mask)) == (False, False)
    spread = np.zeros((1, 15_000), bool)
    spread[0, 12_000], spread[0, 1::3], spread[0, 2::3] = True, True, True
    assert _native.find_ways(plane_on(np.arange(5000.0)[None], None, spread[:, ::3])) == (False, False)
    spread[0, 12_000] = False
    assert _native.find_ways(plane_on(np.arange(5000.0)[None], None, spread[:, ::3])) == (True, False)


@matrix(dtype=REAL, layout=LAYOUTS, n=(1, 40, 3000))
def test_search_and_take(plane_on, dtype, layout, n):
    """Every dtype as float64: NumPy's searchsorted and its fancy indexing."""
    rng = np.random.default_rng(n)
    stored = storage_of(rng, dtype, (1, n))
    stored = stored[:, np.argsort(ref.load(stored, dtype)[0], kind="stable")]
    values = ref.load(stored, dtype)[0]
    plane = plane_on(LAYOUTS[layout](stored), dtype)
    wanted = np.concatenate([values[:50], np.nextafter(values[:50], INF), rng.normal(size=20), [-INF, INF]])
    assert _native.search_sorted(plane, wanted).tolist() == np.searchsorted(values, wanted).tolist()
    places = rng.integers(0, n, 70)
    assert _native.take(plane, places).tobytes() == (values[places] + 0.0).tobytes()


def test_search_among_infinities(plane_on):
    row = np.array([[-INF, -INF, 1.0, 2.0, INF, INF]])
    assert _native.search_sorted(plane_on(row), np.array([-INF, -1e308, 2.0, 1e308, INF, NAN])).tolist() == [0, 2, 3, 4, 4, 6]


def test_take_gives_marks(plane_on):
    """NaN, infinities, and what is masked as NaN."""
    row, mask = np.array([[NAN, INF, -INF, 4.0]]), np.array([[False, False, False, True]])
    got = _native.take(plane_on(row, None, mask), np.arange(4))
    assert np.isnan(got[[0, 3]]).all()
    assert got[1:3].tolist() == [INF, -INF]


@pytest.mark.parametrize("cut", ["whole", "middle"])
def test_interrupted_by_ctrl_c(cut, ctrl_c):
    """A piece of any length looks up from its work."""
    endless = endless_row()[None]
    timer = threading.Timer(0.1, ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        m4(host_plane(endless), [0, endless.size] if cut == "whole" else [0, 5, endless.size])
    timer.join()


# ---- what is drawn ----------------------------------------------------------------------------------------------------

CHECKS = [
    ([1, 5, 2, 8, 3, 3, 9, 0], None, 2, [0, 3, 4, 6, 7]),
    ([1, 5, 2, 8, 3, 3, 9, 0], (2, 5), 2, [1, 2, 3, 4, 5, 6]),
    ([1, 2, NAN, NAN, 5, 6, 7, 8], None, 2, [0, 1, None, 4, 7]),
    ([1, NAN, 2, 3, 4, 5, NAN, NAN], None, 2, [0, 3, 4, 5]),
    ([1, 2, NAN, NAN, NAN, 6, 7, 8], None, 4, [0, 1, None, 5, 6, 7]),
    ([2, 2, 2, 2], None, 1, [0, 3]),
    ([0, 9, 3, 7, 1, 2], None, 2, [0, 1, 2, 3, 4, 5]),
]


@pytest.mark.parametrize(("row", "view", "n_columns", "want"), CHECKS)
def test_the_samples_of_a_view(put, row, view, n_columns, want):
    """Worked by hand: first, last, extremes; neighbors outside of the view; a break where it is interrupted between columns."""
    bounds = slow.bounds(range(len(row)), *(view or (0, len(row) - 1)), n_columns)
    assert slow.drawn(row, bounds) == want
    series = Series(describe(put(np.array(row, float))))
    positions, values = emitted(*series.m4([max(bounds[0] - 1, 0), *bounds, min(bounds[-1] + 1, len(row))]))
    assert [None if i < 0 else i for i in positions.tolist()] == want
    np.testing.assert_array_equal(values, [NAN if i is None else row[i] for i in want])


@given(data=st.data())
@examples(100)
def test_any_view_of_any_line(data):
    """The samples of `LineData` are those of the slow meaning, for positions, rising and falling x."""
    n, n_columns = data.draw(st.integers(0, 60)), data.draw(st.integers(1, 6))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    y = rng.choice([0.0, 1.0, 2.0, 5.0, NAN, INF], n)
    xs = np.sort(rng.integers(0, 20, n)).astype(float) if data.draw(st.booleans()) else np.arange(n, dtype=float)
    edges = np.sort(rng.uniform(-2, 22, n_columns + 1))
    bounds = np.searchsorted(xs, edges).tolist()
    is_falling = data.draw(st.booleans())
    turn = slice(None, None, -1) if is_falling else slice(None)
    line = LineData(Series(describe(y[turn].copy())), Series(describe(xs[turn].copy())))
    got = line.samples(edges)
    begin, end = max(bounds[0] - N_NEIGHBORS, 0), min(bounds[-1] + N_NEIGHBORS, n)
    is_complete = end - begin <= 4 * n_columns + 2 * N_NEIGHBORS
    want = list(range(begin, end)) if is_complete else slow.drawn(y.tolist(), bounds, N_NEIGHBORS)
    assert got.is_complete == is_complete
    # Equal x lets a falling line be a rising one, too.
    from_end = is_falling and not (np.diff(xs) == 0).all()
    in_order = [-1 if i is None else n - 1 - i for i in want][::-1] if from_end else [-1 if i is None else i for i in want]
    assert got.positions.tolist() == in_order or (is_falling and not from_end)
    kept = [i for i in (want[::-1] if from_end else want) if i is not None]
    np.testing.assert_array_equal(got.x[got.positions >= 0], xs[kept])
    assert ((np.diff(got.x) <= 0) if from_end else (np.diff(got.x) >= 0)).all()
