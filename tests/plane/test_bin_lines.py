"""Lines to cells: the number of lines in each cell against the definition, with the same bits on both devices."""

import numpy as np
import pytest
import reference as ref
from device_planes import device_plane, fail_each_call, host_plane, in_modes
from effort import examples
from emulated_device import LAUNCH_FAILED, OUT_OF_MEMORY
from hypothesis import given
from hypothesis import strategies as st
from reference.lines import bin_lines, exact_bounds, line_axis, line_place
from stored_tensors import LAYOUTS, REAL, storage_of

from gpuplot import _native

EVEN = line_axis(0.0, 1.0, 11), line_axis(0.0, 1.0, 7)


def values_of(cells):
    """Counts, and zero where there is no line."""
    values = cells.numpy()
    is_empty = values.view(np.uint64) == _native.EMPTY_BITS
    assert (is_empty == ~(values > 0)).all()
    return np.where(is_empty, 0.0, values)


def check(plane_on, x, y, axes, normalized=False, order="found"):
    """The cells of lines, with rows for what is outside and without, against those of the definition; returns the counts of the latter."""
    lines = [(None if x is None else plane_on(np.atleast_2d(np.asarray(x, float))), plane_on(np.asarray(y)), order)]
    for has_outside in (True, False):
        got = values_of(_native.bin_lines(lines, *axes, normalized, has_outside))
        want = bin_lines(x, np.asarray(y, float).tolist(), *axes, normalized, has_outside, order != "unsorted")
        np.testing.assert_array_equal(got, want)
    return got


def test_the_example_of_the_definition(plane_on):
    axes = line_axis(0.0, 4.0, 4), line_axis(0.0, 3.0, 3)
    y = np.array([[0.25, 2.25], [1.5, 1.5]])
    one = check(plane_on, [0.0, 4.0], y[:1], axes)
    np.testing.assert_array_equal(one, [[1, 1, 0, 0], [0, 1, 1, 1], [0, 0, 0, 1]])
    normalized = check(plane_on, [0.0, 4.0], y[:1], axes, normalized=True)
    np.testing.assert_array_equal(normalized, [[1, 0.5, 0, 0], [0, 0.5, 1, 0.5], [0, 0, 0, 0.5]])
    np.testing.assert_array_equal(check(plane_on, [0.0, 4.0], y, axes), one + [[0] * 4, [1] * 4, [0] * 4])


@pytest.mark.parametrize("dtype", REAL)
def test_samples_of_every_dtype_and_layout(plane_on, dtype):
    rng = np.random.default_rng(3)
    y, x = (storage_of(rng, dtype, (5, 23), n_bad=n) for n in (14, 3))
    ys, xs = np.array(ref.load(y, dtype), float), np.array(ref.load(x, dtype), float)
    low, high = np.nanmin(ys[np.isfinite(ys)]), np.nanmax(ys[np.isfinite(ys)])
    axes = line_axis(2.5, 19.25, 9), line_axis(low, high if low < high else low + 1, 6)
    own = line_axis(low, high if low < high else low + 1, 5), axes[1]
    want, want_own = bin_lines(None, ys.tolist(), *axes), bin_lines(xs.tolist(), ys.tolist(), *own)
    for layout in LAYOUTS.values():
        np.testing.assert_array_equal(values_of(_native.bin_lines([(None, plane_on(layout(y), dtype), "sorted")], *axes, False)), want)
        lines = [(plane_on(layout(x), dtype), plane_on(layout(y), dtype), "found")]
        np.testing.assert_array_equal(values_of(_native.bin_lines(lines, *own, False)), want_own)


@st.composite
def some_lines(draw):
    """x and y of some lines, near and beyond the view 0..1, with gaps, steps, repetitions and samples on borders."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_lines, n = draw(st.integers(1, 4)), draw(st.integers(1, 30))
    scale = draw(st.sampled_from([0.1, 1.0, 3.0, 1e3, 1e200]))
    x, y = rng.normal(0.5, scale, (n_lines, n)), rng.normal(0.5, scale, (n_lines, n))
    if draw(st.booleans()):  # on borders of cells, many of them equal
        x, y = np.round(x * 11) / 11, np.round(y * 7) / 7
    y[rng.random(y.shape) < draw(st.sampled_from([0, 0.1, 0.6]))] = draw(st.sampled_from([np.nan, np.inf, -np.inf]))
    return x, y


@given(lines=some_lines(), order=st.sampled_from(["rises", "falls", "none", "mixed", "shared", "positions"]), normalized=st.booleans())
@examples(150)
def test_lines_of_any_shape(emulated_library, lines, order, normalized):
    """On both devices at once: the same bits, and those of the definition."""
    x, y = lines
    if order == "rises":
        x = np.sort(x, axis=1)
    elif order == "falls":
        x = np.sort(x, axis=1)[:, ::-1]
    elif order == "mixed":
        x[0], x[-1] = np.sort(x[0]), np.sort(x[-1])[::-1]
        x[0, 0] = np.nan if x.shape[1] % 3 == 0 else x[0, 0]
    elif order == "shared":
        x = np.sort(x[0])
    axes = (line_axis(-2.0, 20.0, 9), EVEN[1]) if order == "positions" else EVEN
    for plane_on in (host_plane, device_plane):
        check(plane_on, None if order == "positions" else x, y, axes, normalized, "sorted" if order in ("shared", "positions") else "found")
        for taken in ("found", "unsorted"):
            check(plane_on, None if order == "positions" else x, y, axes, normalized, taken)


@given(seed=st.integers(0, 2**32 - 1), shape=st.tuples(st.integers(1, 12), st.integers(1, 12)), n=st.integers(2, 40))
@examples(60)
def test_rounding_moves_a_line_by_no_row(seed, shape, n):
    """Against exact numbers: neither places nor crossings are off by more than a billionth of a row."""
    rng = np.random.default_rng(seed)
    x, y = np.sort(rng.normal(0.5, 1, n)), rng.normal(0.5, 2, (3, n))
    x_range, y_range = np.sort(rng.normal(0.5, 1, (2, 2)))
    axes = line_axis(*x_range, shape[1]), line_axis(*y_range, shape[0])
    got = values_of(_native.bin_lines([(host_plane(x[None]), host_plane(y), "sorted")], *axes, False))
    least, most = exact_bounds(x, y, x_range, y_range, shape)
    assert (least <= got).all() and (got <= most).all()


@pytest.mark.parametrize("normalized", [False, True])
def test_lines_of_one_and_of_no_sample(plane_on, normalized):
    """A sample alone fills its own cell, also on the border between two columns and on the last one."""
    axes = line_axis(0.0, 4.0, 4), line_axis(0.0, 4.0, 4)
    got = check(plane_on, [2.0], [[1.0], [4.0], [-0.1], [np.nan]], axes, normalized)
    assert got.sum() == 2 and got[1, 2] == got[3, 2] == 1
    assert check(plane_on, [4.0], [[0.0]], axes, normalized)[0, 3] == 1
    assert values_of(_native.bin_lines([(None, plane_on(np.empty((3, 0))), "sorted")], *axes, normalized)).sum() == 0


def test_a_sample_between_gaps_fills_one_column_and_the_end_of_a_stroke_two(plane_on):
    axes = line_axis(0.0, 4.0, 4), line_axis(0.0, 1.0, 1)
    np.testing.assert_array_equal(check(plane_on, [1, 2, 3], [[np.nan, 0.5, np.nan]], axes), [[0, 0, 1, 0]])
    np.testing.assert_array_equal(check(plane_on, [1, 2, 3], [[0.5, 0.5, np.nan]], axes), [[1, 1, 1, 0]])


def test_vertical_strokes_and_constant_lines(plane_on):
    axes = line_axis(0.0, 4.0, 4), line_axis(0.0, 3.0, 3)
    np.testing.assert_array_equal(check(plane_on, [1.5, 1.5], [[-9, 9]], axes), [[0, 1, 0, 0]] * 3)
    np.testing.assert_array_equal(check(plane_on, [2, 2], [[0.5, 9]], axes), [[0, 1, 1, 0]] * 3)
    np.testing.assert_array_equal(check(plane_on, [-5, 9], [[3, 3]], axes)[2], [1] * 4)
    assert check(plane_on, [-5, 9], [[3.0000001, 3.0000001]], axes).sum() == 0


def test_axes_of_knots_place_lines_where_the_scale_does(plane_on):
    """Knots beyond the view say where lines come from that enter it; what is below `low` interrupts them."""
    values = [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]
    knots = line_axis(0.0, 0.0, 2, values=values, places=[-4.0, -2.0, 0.0, 1.0, 2.0, 7.0])
    masked = line_axis(0.0, 0.0, 2, 0.01, values=values, places=[-4.0, -2.0, 0.0, 1.0, 2.0, 7.0])
    y = [[0.001, 20.0, 2000.0, 3.0], [0.0, -1.0, 50.0, 0.5], [1.0, 100.0, 10.0, 1.0]]
    check(plane_on, [0.0, 0.3, 0.4, 1.0], y, (EVEN[0], knots))
    check(plane_on, [0.0, 0.3, 0.4, 1.0], y, (EVEN[0], masked))
    check(plane_on, [0.0, 3.0, 40.0, 1e9], y, (masked, knots))
    check(plane_on, [0.0, 3.0, 40.0, 1e9], y, (knots, masked), order="sorted")


@pytest.mark.parametrize("n", [4095, 4097, 4098, 9000])
@pytest.mark.parametrize("order", ["rises", "falls", "none"])
def test_parts_of_a_line_join(plane_on, n, order):
    """Lines of more samples than are looked at together, in few columns and in many."""
    rng = np.random.default_rng(n)
    x = np.sort(rng.random(n))
    x = x if order == "rises" else x[::-1].copy() if order == "falls" else rng.permutation(x)
    y = rng.normal(0.5, 0.05, (2, n)).cumsum(1) / 20 % 1
    y[:, n // 3:n // 3 + 5] = np.nan
    axes = line_axis(0.2, 0.3, 3), line_axis(0.0, 1.0, 40)
    check(plane_on, x, y, axes)
    check(plane_on, x, y, axes, order="unsorted")
    lines = [(plane_on(np.stack([x, x])), plane_on(y), "found")]
    np.testing.assert_array_equal(values_of(_native.bin_lines(lines, *axes, False)), bin_lines(x, y.tolist(), *axes))


@pytest.mark.parametrize("rises", [True, False])
def test_a_step_back_between_parts_of_a_line_is_no_order(plane_on, rises):
    """Each part by itself rises, or falls."""
    x = np.concatenate([np.linspace(0, 1, 4096), np.linspace(0, 1, 700)])
    y = np.random.default_rng(13).random((2, x.size))
    check(plane_on, x if rises else 1 - x, y, (line_axis(0.2, 0.3, 3), line_axis(0.0, 1.0, 900)))


def test_x_has_hidden_axes():
    """The memory that it is read with has room for it, also beside a y that needs none."""
    x, y = np.random.default_rng(15).random((3, 1, 9000)).cumsum(2), np.random.default_rng(16).random((4, 9000))
    uses = [("hidden", 0, 1, 3, 0), ("rows", 0, 1, 1, 0), ("cols", 0, 1, 9000, 0)]
    hidden = _native.Plane(_native.Tensor.from_array(x, "float64"), uses, ["max"])
    axes = line_axis(0.0, 4600.0, 70), line_axis(0.0, 1.0, 30)
    got = values_of(_native.bin_lines([(hidden, host_plane(y), "found")], *axes, False))
    np.testing.assert_array_equal(got, values_of(_native.bin_lines([(host_plane(x.max(0)), host_plane(y), "found")], *axes, False)))


@pytest.mark.parametrize("n", range(14, 24))
def test_an_extreme_anywhere_in_a_column_of_many_samples(plane_on, n):
    """At each place, the first and the last one among them, once above all others and once below; and beside NaN."""
    y = np.full((2 * n, 3 * n), 3.5)
    for at in range(n):
        y[2 * at, at::n], y[2 * at + 1, at::n] = 5.5, 0.5
    axes = line_axis(0.0, 3.0 * n, 3), line_axis(0.0, 7.0, 7)
    check(plane_on, None, y, axes, order="sorted")
    y[::4, ::3] = np.nan
    check(plane_on, None, y, axes, order="sorted")


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("order", ["positions", "rises", "falls", "none"])
def test_grids_of_many_columns_and_rows(plane_on, order, normalized):
    """Columns are taken in strips, rows of lines in no order are bits of several words; x has steps on the borders of both."""
    rng = np.random.default_rng(11)
    n = 400 if order == "positions" else 60
    y = rng.normal(0, 2, (3, n)).cumsum(1)
    y[0, 7:9], y[1, ::2] = np.nan, np.inf
    x = np.round(rng.uniform(-20, 280, n))
    x[20:24] = 128
    x.sort()
    x = {"positions": None, "rises": x, "falls": x[::-1].copy(), "none": rng.permutation(x)}[order]
    axes = line_axis(0.0, 257.0, 257), line_axis(-20.0, 20.0, 130)
    for taken in ("found", "unsorted", "sorted" if order in ("positions", "rises") else "found"):
        check(plane_on, x, y, axes, normalized, taken)


def test_lines_of_more_samples_than_a_device_has_places_for(emulated_library):
    """Parts of one line on a device against the CPU's, whose parts are others: in order, and in none."""
    rng = np.random.default_rng(8)
    n = 2**20 + 1234
    y, x = rng.normal(0, 1, (1, n)).astype("float32"), rng.random((1, n), dtype="float32")
    axes = line_axis(0.3, 0.31, 5), line_axis(-2.0, 2.0, 50)
    for lines in [(None, y, "sorted"), (np.sort(x), y, "found"), (np.sort(x)[:, ::-1].copy(), y, "found"), (np.sort(x), y, "unsorted")]:
        here = axes if lines[0] is not None else (line_axis(5e5, 6e5, 5), axes[1])
        cells = [_native.bin_lines([(None if lines[0] is None else plane_on(lines[0]), plane_on(lines[1]), lines[2])], *here, False)
                 for plane_on in (host_plane, device_plane)]
        np.testing.assert_array_equal(values_of(cells[0]), values_of(cells[1]))
        assert values_of(cells[0]).max() == 1


def test_a_long_line_in_no_order_counts_once(emulated_library):
    """It is the work of all threads together; on both devices the same."""
    n = 2**20 + 77
    t = np.linspace(0, 300, n)
    x, y = (np.sin(t) * (1 + t / 300))[None], (np.cos(1.1 * t) * (1 + t / 300))[None]
    axes = line_axis(-2.0, 2.0, 30), line_axis(-2.0, 2.0, 20)
    want = bin_lines(x[0, ::300].tolist(), y[:, ::300].tolist(), *axes)
    got = [values_of(_native.bin_lines([(plane_on(x), plane_on(y), "found")], *axes, False)) for plane_on in (host_plane, device_plane)]
    np.testing.assert_array_equal(got[0], got[1])
    assert got[0].max() == 1 and (got[0] >= want).mean() > 0.99


def test_long_lines_in_no_order_are_shared_among_threads_without_a_loss():
    """The stroke between the samples of two threads counts, and what one line fills is not the next one's."""
    sizes = [2**18] * 4 + [77]  # each thread takes so many samples at a time
    x, y = np.tile([0.5, 9.5, 0.5, 9.5, 0.5], (2, 1)), np.array([[0.5, 1.5, 2.5, 3.5, 4.5], [6.5, 8.5, 7.5, 5.5, 9.5]])
    axes = line_axis(0.0, 10.0, 10), line_axis(0.0, 10.0, 10)
    planes = [host_plane(np.repeat(part, sizes, axis=1)) for part in (x, y)]
    for n_threads in (1, 2, 5):
        _native.threads_limit(n_threads)
        try:
            got = values_of(_native.bin_lines([(*planes, "found")], *axes, False))
        finally:
            _native.threads_limit(0)
        np.testing.assert_array_equal(got, bin_lines(x.tolist(), y.tolist(), *axes))


@pytest.mark.parametrize("normalized", [False, True])
def test_parts_of_the_lines_add_up(plane_on, normalized):
    """And lines of several lengths are taken together."""
    rng = np.random.default_rng(5)
    y, more = rng.random((300, 31)).astype("float32"), rng.random((40, 7))
    axes = line_axis(0.0, 30.0, 17), line_axis(0.0, 1.0, 9)
    parts = [(None, plane_on(part), "sorted") for part in (y[:100], y[100:], more)]
    together = values_of(_native.bin_lines(parts, *axes, normalized))
    np.testing.assert_array_equal(sum(values_of(_native.bin_lines([part], *axes, normalized)) for part in parts), together)
    both = [(None, plane_on(y), "sorted"), (None, plane_on(more), "sorted")]
    np.testing.assert_array_equal(values_of(_native.bin_lines(both, *axes, normalized)), together)


def test_a_normalized_line_weighs_the_same_in_each_column(plane_on):
    rng = np.random.default_rng(6)
    y = rng.random((50, 100))
    cells = values_of(_native.bin_lines([(None, plane_on(y), "sorted")], line_axis(0.0, 99.0, 23), line_axis(0.0, 1.0, 60), True))
    np.testing.assert_allclose(cells.sum(0), 50, atol=50 * 60 * 2.0**-33)


def test_the_same_bits_on_any_number_of_threads():
    rng = np.random.default_rng(7)
    y = rng.normal(size=(600, 300)).cumsum(1).astype("float32")
    x = rng.random((600, 300)).astype("float32")
    x[::2].sort(axis=1)
    lines = [(None, host_plane(y), "sorted"), (host_plane(x * 299), host_plane(y), "found")]
    axes = line_axis(10.0, 280.0, 200), line_axis(-20.0, 20.0, 150)
    results = []
    for n_threads in (1, 2, 5):
        _native.threads_limit(n_threads)
        try:
            results.append([_native.bin_lines(lines, *axes, normalized).numpy().tobytes() for normalized in (False, True)])
        finally:
            _native.threads_limit(0)
    assert results[0] == results[1] == results[2]


def test_the_same_bits_in_every_mode_of_the_device(emulated):
    rng = np.random.default_rng(9)
    y, x = rng.normal(size=(20, 300)).cumsum(1), rng.random((20, 300)) * 299
    x[::2].sort(axis=1)
    axes = line_axis(10.0, 280.0, 40), line_axis(-20.0, 20.0, 33)

    def compute():
        lines = [(None, device_plane(y), "sorted"), (device_plane(x), device_plane(y), "found")]
        return values_of(_native.bin_lines(lines, *axes, True))

    in_modes(emulated, compute)


@pytest.mark.parametrize("order", ["found", "unsorted"])
@pytest.mark.parametrize("x", [[-1.0, 0.0], [0.0, -1.0], [4.0, 5.0], [2.0, 2.0]])
def test_a_stroke_with_an_end_on_a_border_is_there_exactly(plane_on, order, x):
    """Of an end far away nothing is left by rounding: the small ones are below the grid, and a rounded difference would be in it."""
    for y in ([1e200, -10.0], [-10.0, 1e200]):
        check(plane_on, x, [y], (line_axis(0.0, 4.0, 4), line_axis(0.0, 3.0, 3)), order=order)
    got = _native.bin_lines([(plane_on(np.array([[-1.0, 0.0]])), plane_on(np.array([[1e200, -10.0]])), order)], line_axis(0.0, 4.0, 4),
                            line_axis(0.0, 3.0, 3), False)
    assert not values_of(got).any()


def test_places_of_coordinates():
    v = [-1e308, -0.1, 0.0, 0.05, 0.5, 1.0, 1.1, 1e308, np.inf, np.nan]
    knots = line_axis(0.0, 1.0, 3, values=[0.0, 0.4, 1.0], places=[0.0, 2.0, 3.0])
    for axis in (EVEN[0], line_axis(0.0, 1.0, 7, low=0.0, high=1.0), knots):
        want = [np.nan if place is None else place for place in (line_place(one, *axis) for one in v)]
        np.testing.assert_array_equal(_native.line_places(v, axis), want)


@pytest.mark.parametrize("code", [OUT_OF_MEMORY, LAUNCH_FAILED])
def test_every_failure_of_the_driver_is_told(emulated, code):
    rng = np.random.default_rng(10)
    y, x = rng.random((4, 20)), rng.random((4, 20))
    knots = line_axis(0.0, 1.0, 3, values=[0.0, 0.4, 1.0], places=[0.0, 2.0, 3.0])
    want = bin_lines(x.tolist(), y.tolist(), knots, EVEN[1])
    plane_x, plane_y = device_plane(x), device_plane(y)

    def compute():
        np.testing.assert_array_equal(values_of(_native.bin_lines([(plane_x, plane_y, "found")], knots, EVEN[1], False)), want)

    assert fail_each_call(emulated, code, compute) > 0


@pytest.mark.parametrize(("lines", "axes", "message"), [
    ([(None, np.ones((2, 3)), "sorted")], (line_axis(0.0, 0.0, 3), EVEN[1]), "range of x"),
    ([(None, np.ones((2, 3)), "sorted")], (EVEN[0], line_axis(0.0, np.nan, 3)), "range of y"),
    ([(np.ones((2, 4)), np.ones((2, 3)), "sorted")], EVEN, "give one line of x for all"),
    ([(np.ones((3, 3)), np.ones((2, 3)), "sorted")], EVEN, "give one line of x for all"),
    ([(None, np.ones((2, 3)), "sorted")], (line_axis(0, 1, 3, values=[0.0, 0.0], places=[0.0, 1.0]), EVEN[1]), "knots along x"),
    ([(None, np.ones((2, 3)), "sorted")], (line_axis(0, 1, 3, values=[0.0, 1.0], places=[0.0, np.nan]), EVEN[1]), "knots along x"),
    ([(None, np.ones((2, 3)), "sorted")], (line_axis(0, 1, 3, values=[0.0, 1.0], places=[1.0, 0.5]), EVEN[1]), "knots along x"),
    ([(None, np.ones((2, 3)), "sorted")], (line_axis(0, 1, 3, values=[0.0, 1.0], places=[0.0]), EVEN[1]), "one place for each value"),
    ([(None, np.broadcast_to(np.ones((1, 3)), (2**30, 3)), "sorted")] * 2, EVEN, "2147483648 lines are too many"),
    ([(None, np.ones((2, 3)), "sorted")], (line_axis(0.0, 1.0, 0), EVEN[1]), "cells along x"),
    ([(None, np.ones((2, 3)), "sorted")], (line_axis(-1e308, 1e308, 3), EVEN[1]), "wider than float64"),
    ([], EVEN, "no lines"),
    ([(None, np.ones((2, 3)), "rises")], EVEN, "order is 'rises' but must be one of 'found', 'sorted', 'unsorted'"),
    ([(None, np.ones((2, 3)), "sorted")], (EVEN[0], line_axis(0.0, 1.0, 2**62)), "too many for lines"),
])
def test_what_has_no_meaning_is_refused(plane_on, lines, axes, message):
    planes = [(None if x is None else plane_on(x), plane_on(y), order) for x, y, order in lines]
    with pytest.raises((ValueError, OverflowError), match=message):
        _native.bin_lines(planes, *axes, False)


def test_lines_on_two_devices_are_refused(emulated):
    with pytest.raises(ValueError, match="coordinates of lines are in the memory of different devices"):
        _native.bin_lines([(host_plane(np.ones((1, 3))), device_plane(np.ones((1, 3))), "sorted")], *EVEN, False)


# ---- rows of each line -----------------------------------------------------------------------------------------------


def rows_of(lines, axes, which, touched):
    return _native.line_rows(lines, *axes, which, touched)


@given(lines=some_lines(), has_x=st.booleans(), n_before=st.integers(0, 3), data=st.data())
@examples(150)
def test_rows_of_sorted_lines_are_the_cells_that_each_fills(lines, has_x, n_before, data):
    """The hull of its cells, as a line that rises fills all rows of a column from its lowest to its highest."""
    x, y = np.sort(lines[0][0]), lines[1]
    axes = EVEN if has_x else (line_axis(-2.0, 20.0, 9), EVEN[1])
    n_lines, n_columns = n_before + len(y), axes[0][2]
    sets = [(host_plane(x[None]) if has_x else None, host_plane(part), "sorted") for part in (np.zeros((n_before, len(x))), y) if len(part)]
    begin, end = sorted(data.draw(st.tuples(st.integers(0, n_lines), st.integers(0, n_lines))))
    first, stop = sorted(data.draw(st.tuples(st.integers(0, n_columns), st.integers(0, n_columns))))
    got = rows_of(sets, axes, (begin, end), (first, stop))
    assert got.shape == (end - begin, stop - first, 2) and got.dtype == np.int32
    row = np.arange(axes[1][2] + 2)[:, None]
    for line, rows in zip(range(begin, end), got, strict=True):
        one = np.zeros((1, len(x))) if line < n_before else y[line - n_before:line - n_before + 1]
        want = values_of(_native.bin_lines([(sets[0][0], host_plane(one), "sorted")], *axes, False, True))[:, first:stop] > 0
        np.testing.assert_array_equal((row >= rows[:, 0]) & (row <= rows[:, 1]), want)


def test_rows_of_many_long_lines():
    """Parts of samples, and pieces of lines, that threads take."""
    y = np.random.default_rng(2).normal(size=(90, 9000)).cumsum(1)
    axes = line_axis(0.0, 8999.0, 70), line_axis(-60.0, 60.0, 40)
    rows = rows_of([(None, host_plane(y), "sorted")], axes, (0, 90), (0, 70))
    row = np.arange(42)[:, None]
    counts = sum(((row >= one[:, 0]) & (row <= one[:, 1])).astype(float) for one in rows)
    np.testing.assert_array_equal(counts, values_of(_native.bin_lines([(None, host_plane(y), "sorted")], *axes, False, True)))


def test_rows_of_lines_in_no_order_or_on_a_device_are_refused(emulated):
    y = np.zeros((2, 5))
    with pytest.raises(ValueError, match="rows are of lines that are sorted"):
        rows_of([(None, host_plane(y), "found")], EVEN, (0, 2), (0, 11))
    with pytest.raises(ValueError, match="rows are of lines that are sorted"):
        rows_of([(host_plane(y), host_plane(y), "sorted")], EVEN, (0, 2), (0, 11))
    with pytest.raises(ValueError, match="in host memory"):
        rows_of([(None, device_plane(y), "sorted")], EVEN, (0, 2), (0, 11))
    for which, touched in (((0, 3), (0, 11)), ((-1, 2), (0, 11)), ((0, 2), (0, 12)), ((0, 2), (5, 4)), ((2, 1), (0, 11))):
        with pytest.raises(ValueError, match="lines"):
            rows_of([(None, host_plane(y), "sorted")], EVEN, which, touched)


def test_planes_that_nobody_else_keeps():
    """A generator's lines live until they are drawn; AddressSanitizer and valgrind say where they don't."""
    y = np.random.default_rng(10).random((3, 31))
    axes = line_axis(0.0, 30.0, 17), line_axis(0.0, 1.0, 9)
    got = [_native.bin_lines(((None, host_plane(part.copy()), "sorted") for part in y[:, None]), *axes, False) for _ in range(9)]
    for cells in got:
        np.testing.assert_array_equal(values_of(cells), values_of(_native.bin_lines([(None, host_plane(y), "sorted")], *axes, False)))
    rows = _native.line_rows(((None, host_plane(part.copy()), "sorted") for part in y[:, None]), *axes, (0, 3), (0, 17))
    np.testing.assert_array_equal(rows, _native.line_rows([(None, host_plane(y), "sorted")], *axes, (0, 3), (0, 17)))
