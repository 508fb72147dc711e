"""Reductions on the emulated device against the CPU backend and the slow reference: classes, layouts, geometries, modes."""

import numpy as np
import pytest
import reference
from device_planes import device_plane, host_plane, in_modes, plane_of
from emulated_device import LAUNCH_FAILED, OUT_OF_MEMORY
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from on_device import lend
from stored_tensors import CODED, LAYOUTS, REAL, storage_of

import gpuplot
from gpuplot import DeviceError, _native

AGGS = ("mean", "max", "min", "absmax", "std", "sum", "count", "nearest")
KINDS = ("mean", "absmax", "std")
"""One aggregation for each kind of partial result."""
CLASSES = ("uint8", "float8_e4m3fn", "int16", "float16", "int32", "float32", "int64", "float64")
"""One dtype for each class of elements that has kernels of its own; the rest is read element by element."""
WANT = _native.WANT_RANGE | _native.WANT_POSITIVE

# (rows, columns), (cells down, cells across): what the name says about how blocks divide the work.
GEOMETRIES = {
    "one tile": ((23, 100), (3, 9)),
    "several tiles": ((5, 5000), (2, 611)),
    "wide": ((40, 3000), (2, 2)),
    "wide and flat": ((2, 20000), (1, 3)),
    "few columns": ((3000, 6), (3, 2)),
    "one cell": ((200, 300), (1, 1)),
    "magnified": ((9, 40), (20, 100)),
    "nearest down": ((9, 400), (20, 7)),
    "nearest across": ((300, 9), (7, 30)),
    "one row": ((1, 3000), (1, 10)),
    "one column": ((3000, 1), (10, 1)),
    "one element": ((1, 1), (3, 4)),
}


def views_of(shape):
    """All of it, a part, with fractions, turned round, and one that reaches outside."""
    n, m = shape
    return [((0, n), (0, m)), ((n * 0.1, n * 0.83), (m * 0.07, m * 0.9)), ((n, 0), (m - 0.5, 0.25)), ((-n / 3, n / 2), (m / 3, m * 1.4))]


def axes_of(shape, cells, view):
    return [_native.Axis(n, u0, u1, n_cells) for n, (u0, u1), n_cells in zip(shape, view, cells, strict=True)]


def assert_near(got, want, agg, largest, weights, what):
    """Equal, or for sums within what definitions.md allows for elements of at most this magnitude."""
    special = ~np.isfinite(want)
    assert np.array_equal(got[special].view(np.uint64), want[special].view(np.uint64)), what
    assert not np.signbit(got[got == 0]).any(), what
    if agg not in ("mean", "sum", "std"):
        assert np.array_equal(got, want, equal_nan=True), what
        return
    magnitude = largest * (np.where(special, 0, weights) if agg == "sum" else 1)
    with np.errstate(invalid="ignore"):
        near = special | (np.abs(got - want) <= 1e-12 * magnitude + (1e-9 * want if agg == "std" else 0))
    assert near.all(), (what, np.argwhere(~near)[:3], got[~near][:3], want[~near][:3])


def check(host, device, cells, view, agg, nan, largest, want=0):
    """One reduction on both devices."""
    axes = axes_of(host.shape, cells, view)
    expected, expected_limits = _native.reduce(host, *axes, agg, nan, want)
    got, limits = _native.reduce(device, *axes, agg, nan, want)
    weights = _native.reduce(host_plane(np.ones(host.shape, np.uint8)), *axes, "sum", nan)[0].numpy() if agg == "sum" else 1
    what = (host.shape, cells, view, agg, nan)
    assert_near(got.numpy(), expected.numpy(), agg, largest, weights, what)
    if want:
        assert np.array_equal(limits[:4], expected_limits[:4], equal_nan=True), (what, limits, expected_limits)


def planes(stored, dtype=None, mask=None):
    """(host plane, device plane, largest magnitude) of stored elements."""
    values = np.abs(np.asarray(reference.load(stored, dtype or stored.dtype.name), np.float64))
    largest = float(np.max(values[np.isfinite(values)], initial=0))
    return host_plane(stored, dtype, mask), device_plane(stored, dtype, mask), largest


# ---- cells -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", CLASSES)
@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_geometries(emulated, geometry, dtype):
    """Tiles, wide cells, parts and joins give what the CPU gives, and so do the limits found on the way."""
    shape, cells = GEOMETRIES[geometry]
    stored = storage_of(np.random.default_rng(1), dtype, shape)
    host, device, largest = planes(stored, dtype)
    for i, view in enumerate(views_of(shape)):
        for agg in KINDS:
            check(host, device, cells, view, agg, "show", largest, WANT if i == 0 else 0)


@pytest.mark.parametrize("nan", ["show", "skip"])
@pytest.mark.parametrize("dtype", REAL)
def test_dtypes(emulated, dtype, nan):
    """Every dtype and aggregation, with some elements that are not finite."""
    stored = storage_of(np.random.default_rng(2), dtype, (31, 90), n_bad=60)
    host, device, largest = planes(stored, dtype)
    for agg in AGGS:
        check(host, device, (5, 13), ((0.3, 30.8), (0, 90)), agg, nan, largest, WANT)


@pytest.mark.parametrize("dtype", CLASSES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(emulated, layout, dtype):
    """Strides, order and alignment of memory change nothing but the last bits of sums."""
    if layout == "swapped" and dtype in CODED:
        pytest.skip("one byte has one order")
    stored = LAYOUTS[layout](storage_of(np.random.default_rng(3), dtype, (45, 333), n_bad=5))
    host, device, largest = planes(stored, dtype)
    for cells in ((4, 30), (1, 2), (60, 5)):
        for agg in KINDS:
            check(host, device, cells, ((0, 45), (0.5, 333)), agg, "skip", largest)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float16", "float32", "float64"])
@pytest.mark.parametrize("offset", range(0, 17, 3))
def test_rows_that_begin_anywhere(emulated, dtype, offset):
    """Rows at every alignment, with and without one for all rows, from the first byte of an allocation to its last."""
    rng = np.random.default_rng(4)
    for n_cols in (64 - offset, 67):
        whole = storage_of(rng, dtype, (9, n_cols + offset))
        with emulated.alignment(1):
            host, device, largest = planes(whole[:, offset:], dtype)
            for cells in ((2, 11), (1, 1)):
                for agg in KINDS:
                    check(host, device, cells, ((0, 9), (0, n_cols)), agg, "show", largest)


def test_strides_of_zero(emulated):
    """Broadcast rows, columns and single elements."""
    row = np.random.default_rng(5).normal(size=500).astype(np.float32)
    for array in (np.broadcast_to(row, (70, 500)), np.broadcast_to(row[:, None], (500, 60)), np.broadcast_to(row[3], (900, 900))):
        host, device, largest = planes(array)
        for agg in AGGS:
            check(host, device, (3, 4), ((0, array.shape[0]), (0.5, array.shape[1])), agg, "show", largest)


def test_more_than_2_to_31_elements(emulated):
    """Indices are 64 bits wide: a view at the far end of a plane that takes no memory."""
    row = np.arange(16, dtype=np.float32)
    for array in (np.broadcast_to(row, (2**33, 16)), np.broadcast_to(row[:, None], (16, 2**33))):
        host, device, largest = planes_of_view(array)
        view = [(n - 40, n) if n > 16 else (0, n) for n in array.shape]
        for agg in KINDS:
            check(host, device, (4, 4), view, agg, "show", largest)


def planes_of_view(array):
    return host_plane(array), device_plane(array), 16.0


@pytest.mark.parametrize("agg", AGGS)
@pytest.mark.parametrize("fraction", [0.01, 1.0])
def test_what_is_not_finite(emulated, fraction, agg):
    """Marks under both policies, in narrow and wide cells, for rows and columns that cells share."""
    rng = np.random.default_rng(6)
    array = rng.normal(size=(60, 700)).astype(np.float32)
    bad = rng.random(array.shape) < fraction
    array[bad] = rng.choice([np.nan, np.inf, -np.inf], bad.sum())
    array[:, 600:] = np.where(bad[:, 600:], -np.inf, array[:, 600:])
    host, device, largest = planes(array)
    for cells in ((7, 100), (3, 2)):
        for nan in ("show", "skip"):
            check(host, device, cells, ((0.5, 60), (0.25, 699)), agg, nan, largest, WANT)


def test_only_a_sliver_is_finite(emulated):
    """The mean of a cell whose one finite element is covered by a ten-thousandth is that element."""
    array = np.full((40, 40), np.nan)
    array[10, 10] = 7
    got = _native.reduce(device_plane(array), *axes_of((40, 40), (1, 1), ((10.9999, 40), (10.9999, 40))), "mean", "skip")[0].numpy()
    assert got == 7


def test_deviations_beside_a_large_mean(emulated):
    """Standard deviations come from merged moments: 1e8 beside 1 costs no digits, nor do neighbours of another size."""
    rng = np.random.default_rng(7)
    small = rng.normal(size=(64, 256))
    for dtype in ("float32", "float64", "int32"):
        array = small.copy() * 100
        array[:, ::2] += 1e6
        array = array.astype(dtype)
        wide = np.ascontiguousarray(array[:, ::2])
        for part, cells in ((array, (2, 256)), (wide, (1, 1)), (wide, (2, 9))):
            axes = axes_of(part.shape, cells, [(0, n) for n in part.shape])
            want = reference.downsample(part, cells, agg="std")
            reference.assert_cells(_native.reduce(device_plane(part), *axes, "std")[0].numpy(), want)


def test_a_first_element_far_away(emulated):
    """A value that stands alone at the beginning is no worse than one elsewhere."""
    array = np.random.default_rng(8).normal(size=(50, 80))
    array[0, 0], array[25, 40:] = 1e9, -1e9
    for cells in ((1, 1), (1, 20), (3, 7)):
        axes = axes_of(array.shape, cells, ((0.125, 50), (0.5, 80)))
        want = reference.downsample(array, cells, agg="std", view=((0.125, 50), (0.5, 80)))
        reference.assert_cells(_native.reduce(device_plane(array), *axes, "std")[0].numpy(), want)


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8", "int32"])
def test_equal_elements_are_their_mean(emulated, dtype):
    """Not an ulp more, which would be drawn in the colour for values above the limit."""
    array = np.full((37, 1013), np.float32(0.1) if dtype.startswith("float") else 77, dtype)
    for cells in ((3, 7), (2, 90), (1, 1)):
        axes = axes_of(array.shape, cells, ((0.3, 36.9), (0.7, 1000.1)))
        assert (_native.reduce(device_plane(array), *axes, "mean")[0].numpy() == float(array[0, 0])).all()
        assert (_native.reduce(device_plane(array), *axes, "std")[0].numpy() == 0).all()


def test_sums_of_integers_are_exact(emulated):
    """More rows than fit 32-bit sums of 16-bit integers, in cells of one column and of all."""
    array = np.full((70000, 6), 65535, np.uint16)
    for cells in ((1, 6), (1, 1)):
        axes = axes_of(array.shape, cells, ((0, 70000), (0, 6)))
        assert (_native.reduce(device_plane(array), *axes, "sum")[0].numpy() == 65535 * 70000 * 6 / cells[1]).all()
    wide = np.broadcast_to(array[0, :1], (3000, 3000))
    axes = axes_of(wide.shape, (1, 1), ((0, 3000), (0, 3000)))
    assert _native.reduce(device_plane(wide), *axes, "sum")[0].numpy() == 65535 * 9e6


def test_one_cell_in_very_many_parts(emulated):
    """A large plane in one cell: more blocks than there are lanes to join them."""
    array = np.random.default_rng(21).normal(size=(2048, 2100)).astype(np.float32)
    host, device, largest = planes(array)
    for agg in KINDS:
        emulated.clear_counts()
        check(host, device, (1, 1), ((0, 2048), (0.5, 2100)), agg, "show", largest)
        assert emulated.counts()["cuLaunchKernel"] == 2


def test_edges_that_are_not_equal(emulated):
    """Logarithmic axes: narrow cells beside wide ones, and magnified ones beside both."""
    array = np.random.default_rng(9).normal(size=(30, 20000)).astype(np.float32)
    edges = np.concatenate([np.linspace(0, 3, 7), np.geomspace(4, 20000, 40)])
    across = _native.Axis.from_edges(20000, edges, (edges[1:] + edges[:-1]) / 2)
    down = _native.Axis(30, 29.5, 0, 4)
    host, device, largest = planes(array)
    for agg in ("mean", "max", "std", "count"):
        want = _native.reduce(host, down, across, agg)[0].numpy()
        weights = _native.reduce(host_plane(np.ones(array.shape, np.uint8)), down, across, "sum")[0].numpy()
        got = _native.reduce(device, down, across, agg)[0].numpy()
        assert_near(got, want, agg, largest, weights, agg)


# ---- planes that are read element by element ---------------------------------------------------------------------------


def test_masks(emulated):
    """Masked elements are NaN."""
    rng = np.random.default_rng(10)
    for dtype in ("int16", "float32"):
        stored, mask = storage_of(rng, dtype, (40, 70)), rng.random((40, 70)) < 0.1
        host, device, largest = planes(stored, dtype, mask)
        for agg in AGGS:
            for nan in ("show", "skip"):
                check(host, device, (6, 7), ((0, 40), (0.5, 70)), agg, nan, largest, WANT)


@pytest.mark.parametrize("component", ["abs", "abs2", "re", "im", "phase", "unit_re", "unit_im", "sum_re", "sum_im"])
def test_complex(emulated, component):
    """Parts of complex numbers, amplitudes, angles, directions."""
    rng = np.random.default_rng(11)
    array = (rng.normal(size=(30, 40)) + 1j * rng.normal(size=(30, 40))).astype(np.complex64)
    array[3, 4], array[5, 6], array[7, 8], array[9, 9] = complex(np.nan, 1), complex(1, -np.inf), 0, complex(-1, -0.0)
    host, device = host_plane(array, component=component), device_plane(array, component=component)
    for agg in KINDS:
        for nan in ("show", "skip"):
            check(host, device, (4, 5), ((0, 30), (0.5, 40)), agg, nan, 16, WANT)


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_channels(emulated, dtype, is_weighted):
    """Each channel of an RGBA image, plain and multiplied by alpha; one bad channel marks all."""
    array = np.random.default_rng(12).random((20, 30, 4)) * (255 if dtype == "uint8" else 1.2)
    array = array.astype(dtype)
    if dtype == "float32":
        array[3, 4, 1] = np.nan
    uses = [("rows", 0, 1, 20, 0), ("cols", 0, 1, 30, 0), ("channels", 0, 1, 4, 0)]
    for channel in range(4):
        host, device = (_native.Plane(tensor, uses, [], "channel", channel, is_weighted and channel < 3)
                        for tensor in (_native.Tensor.from_array(array, dtype), lend(array)))
        check(host, device, (3, 7), ((0, 20), (0, 30)), "mean", "show", 255)


HIDDEN = ("mean", "max", "min", "sum", "std", "norm")


@pytest.mark.parametrize("component", ["value", "phase", "unit_re", "sum_im"])
@pytest.mark.parametrize("first", HIDDEN)
def test_hidden_axes(emulated, first, component):
    """Stages of hidden axes, each over all its axes at once, for numbers and for directions."""
    rng = np.random.default_rng(13)
    array = rng.normal(size=(3, 2, 12, 4, 15)).astype(np.float64)
    if component != "value":
        array = array + 1j * rng.normal(size=array.shape)
        array[:, :, 3, :, 4] = 0
    array[1, 1, 5, 2, 6], array[0, 1, 7, 3, 8] = np.nan, np.inf
    for second in ("mean", "max", "std"):
        uses = [("hidden", 0, 1, 3, 0), ("hidden", 0, 1, 2, 1), ("rows", 0, 1, 12, 0), ("hidden", 0, 1, 4, 0), ("cols", 0, 1, 15, 0)]
        host, device = (_native.Plane(tensor, uses, [first, second], component)
                        for tensor in (_native.Tensor.from_array(array, array.dtype.name), lend(array)))
        for nan in ("show", "skip"):
            for agg in ("mean", "nearest"):
                axes = axes_of((12, 15), (12, 15) if agg == "nearest" else (4, 5), ((0, 12), (0, 15)))
                want, got = (_native.reduce(plane, *axes, agg, nan)[0].numpy() for plane in (host, device))
                np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-11)


# ---- every mode, every run ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", CLASSES)
@pytest.mark.parametrize("geometry", ["one tile", "wide and flat", "few columns", "nearest across"])
def test_every_mode(emulated, geometry, dtype):
    """The same bits whatever the order of threads and the pace of streams."""
    shape, cells = GEOMETRIES[geometry]
    device = device_plane(storage_of(np.random.default_rng(14), dtype, shape, n_bad=3), dtype)
    axes = axes_of(shape, cells, ((0, shape[0]), (0, shape[1])))
    for agg in KINDS:
        def compute(agg=agg):
            grid, limits = _native.reduce(device, *axes, agg, "skip", WANT)
            return np.concatenate([grid.numpy().ravel(), limits])

        in_modes(emulated, compute)


sizes = st.integers(1, 60)
limits_1d = st.floats(-5, 69, allow_nan=False).flatmap(
    lambda a: st.tuples(st.just(a), st.one_of(st.floats(-5, 69), st.integers(-5, 69).map(float)).filter(lambda b: abs(b - a) > 1e-3)))


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.tuples(sizes, sizes), st.tuples(sizes, sizes), st.none() | st.tuples(limits_1d, limits_1d), st.sampled_from(AGGS),
       st.sampled_from(("show", "skip")), st.sampled_from(REAL), st.sampled_from(sorted(LAYOUTS)), st.integers(0, 2**32 - 1),
       st.sampled_from((0, 1, 30)))
def test_equals_the_reference(emulated, shape, cells, view, agg, nan, dtype, layout, seed, n_bad):
    """Cells of any dtype in any layout are those of the definition, within its tolerance."""
    stored = storage_of(np.random.default_rng(seed), dtype, shape, n_bad)
    stored = LAYOUTS["strided" if layout == "swapped" and dtype in CODED else layout](stored)
    source = gpuplot.tensor.Source(stored, lambda array: lend(array, dtype=dtype), stored.shape, dtype)
    keywords = {"agg": agg, "nan": nan} | ({"view": view} if view else {})
    reference.assert_cells(gpuplot.downsample(source, cells, **keywords),
                           reference.downsample(stored, cells, dtype_name=dtype, **keywords))


# ---- facts about elements ----------------------------------------------------------------------------------------------


ALL_FACTS = WANT | _native.WANT_COUNTS


@pytest.mark.parametrize("dtype", REAL)
def test_limits(emulated, dtype):
    """Range, smallest positive element and counts, as the CPU finds them."""
    for shape in ((1, 1), (3, 5000), (400, 7), (50, 61)):
        stored = storage_of(np.random.default_rng(15), dtype, shape, n_bad=shape[0] * shape[1] // 9)
        for layout in ("C", "F", "strided", "reversed"):
            part = LAYOUTS[layout](stored)
            want = _native.limits(host_plane(part, dtype), ALL_FACTS)
            assert np.array_equal(_native.limits(device_plane(part, dtype), ALL_FACTS), want, equal_nan=True)


@pytest.mark.parametrize("values", [[np.nan, np.nan], [np.inf, -np.inf], [-0.0, -1.0], [0.0, 5e-324], [-1e308, 1e308], [np.inf, 3.0]], ids=str)
def test_limits_of_few(emulated, values):
    """Nothing finite, nothing positive, zeros, the ends of the range; the same by the way of a reduction."""
    array = np.array([values] * 3)
    want = _native.limits(host_plane(array), ALL_FACTS)
    got = in_modes(emulated, lambda: _native.limits(device_plane(array), ALL_FACTS))
    assert np.array_equal(got, want, equal_nan=True)
    assert not np.signbit(np.array(got)[:3][np.array(got)[:3] == 0]).any()
    fused = _native.reduce(device_plane(array), *axes_of((3, 2), (1, 1), ((0, 3), (0, 2))), "mean", "show", WANT)[1]
    assert np.array_equal(fused[:4], want[:4], equal_nan=True)


def test_limits_of_wide_integers(emulated):
    """64-bit integers beyond float64 keep their order, 32-bit ones their value."""
    for values, dtype in (([2**63 - 1, -(2**63), 5], "int64"), ([2**64 - 1, 1, 2**63], "uint64"), ([2**32 - 1, 0, 7], "uint32"),
                          ([-(2**31), 2**31 - 1, 0], "int32")):
        array = np.array([values], dtype)
        got = _native.limits(device_plane(array), ALL_FACTS)
        assert got[:3] == (float(array.min()), float(array.max()), float(array[array > 0].min()))


@pytest.mark.parametrize("agg", AGGS)
def test_limits_are_of_the_whole_plane(emulated, agg):
    """Whatever the view shows, and whether or not a cell's elements are all looked at."""
    array = np.random.default_rng(16).normal(size=(60, 70)).astype(np.float32)
    host, device, largest = planes(array)
    for view in views_of(array.shape):
        check(host, device, (7, 8), view, agg, "show", largest, WANT)
        check(host, device, (7, 8), view, agg, "show", largest, WANT | _native.WANT_COUNTS)


# ---- sizes, costs, failures --------------------------------------------------------------------------------------------


def test_empty_planes(emulated):
    """No elements: empty cells, no facts, and only the kernel that says so."""
    host, device = (plane.crop(0, 0, 0, 5) for plane in (host_plane(np.ones((5, 5))), device_plane(np.ones((5, 5)))))
    axes = [_native.Axis(0, 0, 5, 3), _native.Axis(0, 0, 5, 4)]
    for agg in AGGS:
        got, limits = _native.reduce(device, *axes, agg, "show", ALL_FACTS)
        want, host_limits = _native.reduce(host, *axes, agg, "show", ALL_FACTS)
        assert got.numpy().tobytes() == want.numpy().tobytes()
        assert np.array_equal(limits, host_limits, equal_nan=True)


def test_axes_must_be_the_planes(emulated):
    """Axes of another size are refused before anything is launched."""
    device = device_plane(np.ones((5, 5)))
    emulated.clear_counts()
    with pytest.raises(ValueError):
        _native.reduce(device, _native.Axis(6, 0, 6, 2), _native.Axis(5, 0, 5, 2))
    assert "cuLaunchKernel" not in emulated.counts()


@pytest.mark.parametrize(("shape", "cells", "n_launches"), [((64, 4000), (40, 100), 1), ((200, 3000), (1, 1), 2), ((9, 9), (20, 20), 1)])
def test_launches(emulated, shape, cells, n_launches):
    """One kernel, and one more where cells are so few that blocks share them; limits come with it."""
    device = device_plane(np.ones(shape, np.float32))
    axes = axes_of(shape, cells, [(0, n) for n in shape])
    emulated.clear_counts()
    _native.reduce(device, *axes)
    assert emulated.counts()["cuLaunchKernel"] == n_launches
    is_single = cells[0] > shape[0]
    _native.reduce(device, *axes, "mean", "show", WANT)
    assert emulated.counts()["cuLaunchKernel"] == 2 * n_launches + is_single


def test_warm_calls_allocate_nothing(emulated):
    """Scratch memory is that of the first call, and small."""
    device = device_plane(np.random.default_rng(17).normal(size=(300, 2000)))
    axes = axes_of((300, 2000), (2, 3), ((0, 300), (0, 2000)))
    for agg in KINDS:
        _native.reduce(device, *axes, agg, "show", WANT)
    before = emulated.counts()
    allocated = _native.cuda_counts(0)["n_device_allocs"]
    for agg in KINDS:
        _native.reduce(device, *axes, agg, "show", WANT)
    assert _native.cuda_counts(0)["n_device_allocs"] == allocated
    assert emulated.counts().get("cuMemAlloc_v2", 0) == before.get("cuMemAlloc_v2", 0)


def test_states_of_many_cells_take_turns(emulated):
    """Where partial results would take more than 16 MB, some rows of cells come after others."""
    row = np.arange(10, dtype=np.float32)
    device = device_plane(np.repeat(row[None], 8200, axis=0))
    axes = axes_of((8200, 10), (2, 20000), ((0, 8200), (0, 10)))
    emulated.clear_counts()
    got = _native.reduce(device, *axes)[0].numpy()
    assert emulated.counts()["cuLaunchKernel"] == 4
    assert np.array_equal(got, np.repeat([row, row], 2000, axis=1))
    assert _native.cuda_counts(0)["scratch_bytes"] <= 20 << 20


@pytest.mark.parametrize("code", [OUT_OF_MEMORY, LAUNCH_FAILED])
@pytest.mark.parametrize("call", ["cuLaunchKernel", "cuMemcpyHtoDAsync_v2", "execute"])
def test_failures_are_device_errors(emulated, call, code):
    """Whatever fails in the driver, the tensor stays usable and the next call works."""
    array = np.random.default_rng(18).normal(size=(100, 2000)).astype(np.float32)
    device, axes = device_plane(array), axes_of((100, 2000), (1, 2), ((0, 100), (0, 2000)))
    want = _native.reduce(device, *axes, "mean", "show", WANT)
    emulated.fail(call, 1, code)
    with pytest.raises(DeviceError):
        _native.reduce(device, *axes, "mean", "show", WANT)
    emulated.clear_failures()
    emulated.recover()
    got = _native.reduce(device, *axes, "mean", "show", WANT)
    assert got[0].numpy().tobytes() == want[0].numpy().tobytes() and got[1] == want[1]


def test_without_memory_for_parts_cells_are_not_cut(emulated):
    """A device that has no room for partial results gives the cells by one kernel; without any room it says so."""
    array = np.random.default_rng(19).normal(size=(100, 2000)).astype(np.float32)
    device, axes = device_plane(array), axes_of((100, 2000), (1, 2), ((0, 100), (0, 2000)))
    want = _native.reduce(host_plane(array), *axes)[0].numpy()
    outcomes = []
    for nth in range(1, 20):
        _native.cuda_close()
        emulated.clear_counts()
        emulated.fail("cuMemAlloc_v2", nth)
        try:
            got = _native.reduce(device, *axes)[0].numpy()
            np.testing.assert_allclose(got, want, rtol=1e-12)
            outcomes.append(emulated.counts()["cuLaunchKernel"])
        except DeviceError:
            outcomes.append("DeviceError")
        failed = emulated.failures()
        emulated.reset()
        if not failed:
            break
    assert set(outcomes) <= {"DeviceError", 1, 2} and outcomes[-1] == 2
    assert 1 in outcomes or 2 in outcomes[:-1], outcomes


def test_planes_of_tensors(emulated):
    """A column of a tensor beside others, with a step, as gpuplot hands it over."""
    array = np.random.default_rng(20).normal(size=(40, 50, 3)).astype(np.float32)
    uses = [("rows", 39, -2, 20, 0), ("cols", 1, 3, 16, 0), ("fixed", 2, 1, 1, 0)]
    host, device = (_native.Plane(tensor, uses, []) for tensor in (_native.Tensor.from_array(array, "float32"), lend(array)))
    for agg in AGGS:
        check(host, device, (3, 5), ((0, 20), (0, 16)), agg, "show", 5)
    assert plane_of(lend(array[:, :, 0])).shape == (40, 50)
