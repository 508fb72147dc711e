"""Reductions on the emulated device against the CPU backend and the slow reference: classes, layouts, geometries, modes."""

import gc
from types import SimpleNamespace

import numpy as np
import pytest
import reference
from device_planes import device_plane, host_plane, in_modes
from device_reductions import (
    AGGS,
    CLASSES,
    KINDS,
    WANT,
    assert_near,
    axes_of,
    check,
    planes,
    views_of,
)
from effort import examples
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from matrix import matrix
from on_device import lend
from stored_tensors import CODED, LAYOUTS, REAL, storage_of, windows

import gpuplot
from gpuplot import _native
from gpuplot.arrays.describe import Source

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


# ---- cells -------------------------------------------------------------------------------------------------------------


@matrix(geometry=GEOMETRIES, dtype=CLASSES, view=range(4), agg=KINDS)
def test_geometries(emulated, geometry, dtype, view, agg):
    """Tiles, wide cells, parts and joins give what the CPU gives, and so do the limits found on the way."""
    shape, cells = GEOMETRIES[geometry]
    host, device, largest = planes(storage_of(np.random.default_rng(1), dtype, shape), dtype)
    check(host, device, cells, views_of(shape)[view], agg, "show", largest, WANT if view == 0 else 0)


@pytest.mark.parametrize(("dtype", "value"), [("uint8", 255), ("int8", 127)])
def test_the_largest_bytes_of_many_rows_add_up_exactly(emulated, dtype, value):
    """Sums of bytes are packed: this plane is large enough for threads to have more rows than a packed sum has room for."""
    plane = device_plane(np.full((16 * 4300, 1000), value, np.dtype(dtype)), dtype)
    cells = _native.reduce(plane, *axes_of(plane.shape, (16, 40), ((0, plane.shape[0]), (0, 1000))), "sum", "show")[0].numpy()
    assert (cells == 4300 * 25 * value).all()


@matrix(dtype=REAL, agg=AGGS, nan=("show", "skip"))
def test_dtypes(emulated, dtype, agg, nan):
    """Every dtype and aggregation, with some elements that are not finite."""
    host, device, largest = planes(storage_of(np.random.default_rng(2), dtype, (31, 90), n_bad=60), dtype)
    check(host, device, (5, 13), ((0.3, 30.8), (0, 90)), agg, nan, largest, WANT)


def _has_this_order(layout, dtype, **others):
    return layout != "swapped" or dtype not in CODED  # one byte has one order


@matrix(_has_this_order, layout=LAYOUTS, dtype=CLASSES, cells=((4, 30), (1, 2), (60, 5)), agg=KINDS)
def test_layouts(emulated, layout, dtype, cells, agg):
    """Strides, order and alignment of memory change only the last bits of sums."""
    host, device, largest = planes(LAYOUTS[layout](storage_of(np.random.default_rng(3), dtype, (45, 333), n_bad=5)), dtype)
    check(host, device, cells, ((0, 45), (0.5, 333)), agg, "skip", largest)


@matrix(dtype=("uint8", "int16", "float16", "float32", "float64"), offset=range(0, 17, 3), is_aligned=(False, True),
        cells=((2, 11), (1, 1)), agg=KINDS)
def test_rows_that_begin_anywhere(emulated, dtype, offset, is_aligned, cells, agg):
    """Rows at every alignment, with and without one for all rows, from the first byte of an allocation to its last."""
    n_cols = 64 - offset if is_aligned else 67
    whole = storage_of(np.random.default_rng(4), dtype, (9, n_cols + offset))
    with emulated.alignment(1):
        host, device, largest = planes(whole[:, offset:], dtype)
        check(host, device, cells, ((0, 9), (0, n_cols)), agg, "show", largest)


@pytest.mark.parametrize("offset", [1, 3])
@pytest.mark.parametrize("height", [1, 40])
@pytest.mark.parametrize(("n_cells", "width"), [(64, 31), (64, 128), (500, 31), (500, 128)])
@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32"])
def test_tiles_of_rows_that_begin_anywhere(emulated, dtype, n_cells, width, height, offset):
    """The aligned runs of a tile begin before its first column, so a tile has fewer columns than its threads could read."""
    n_cols = n_cells * width
    whole = storage_of(np.random.default_rng(4), dtype, (height, (n_cols + offset + 15) // 16 * 16))  # one alignment for all rows
    host, device, largest = planes(whole[:, offset:offset + n_cols], dtype)
    check(host, device, (1, n_cells), ((0, height), (0, n_cols)), "mean", "show", largest)


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
    for array in (np.broadcast_to(row, (2**33, 16)), np.broadcast_to(row[:, None], (16, 2**33)), windows(row, (2**17, 2**17))):
        host, device, largest = host_plane(array), device_plane(array), 16
        view = [(n - 40, n) if n > 16 else (0, n) for n in array.shape]
        for agg in KINDS:
            check(host, device, (4, 4), view, agg, "show", largest)


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
    """Standard deviations come from merged moments: 1e8 beside 1 costs no digits, nor do neighbors of another size."""
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
    """Not an ulp more, which would be drawn in the color for values above the limit."""
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
    wide = windows(array[0, :1], (3000, 3000))
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


@pytest.mark.parametrize("n_cells", [200, 4000, 19000])
@pytest.mark.parametrize("agg", KINDS)
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_cells_outside_beside_many_tiles(emulated, dtype, agg, n_cells):
    """Empty cells belong to the last tile, or the first, whose columns may be far from the plane's first one."""
    host, device, largest = planes(storage_of(np.random.default_rng(31), dtype, (3, 20000)), dtype)
    for view in ((0, 40000), (4000.3, 25000), (-20000, 20000)):
        check(host, device, (2, n_cells), ((0, 3), view), agg, "show", largest)


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


@matrix(geometry=("one tile", "wide and flat", "few columns", "nearest across"), dtype=CLASSES, agg=KINDS)
def test_every_mode(emulated, geometry, dtype, agg):
    """The same bits whatever the order of threads and the pace of streams."""
    shape, cells = GEOMETRIES[geometry]
    device = device_plane(storage_of(np.random.default_rng(14), dtype, shape, n_bad=3), dtype)
    axes = axes_of(shape, cells, ((0, shape[0]), (0, shape[1])))

    def compute():
        grid, limits = _native.reduce(device, *axes, agg, "skip", WANT)
        return np.concatenate([grid.numpy().ravel(), limits])

    in_modes(emulated, compute)


sizes = st.integers(1, 60)
limits_1d = st.floats(-5, 69, allow_nan=False).flatmap(
    lambda a: st.tuples(st.just(a), st.one_of(st.floats(-5, 69), st.integers(-5, 69).map(float)).filter(lambda b: abs(b - a) > 1e-3)))


@examples(120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.tuples(sizes, sizes), st.tuples(sizes, sizes), st.none() | st.tuples(limits_1d, limits_1d), st.sampled_from(AGGS),
       st.sampled_from(("show", "skip")), st.sampled_from(REAL), st.sampled_from(sorted(LAYOUTS)), st.integers(0, 2**32 - 1),
       st.sampled_from((0, 1, 30)))
def test_equals_the_reference(emulated, shape, cells, view, agg, nan, dtype, layout, seed, n_bad):
    """Cells of any dtype in any layout are those of the definition, within its tolerance."""
    stored = storage_of(np.random.default_rng(seed), dtype, shape, n_bad)
    stored = LAYOUTS["strided" if layout == "swapped" and dtype in CODED else layout](stored)
    source = Source(stored, lambda array: lend(array, dtype=dtype), stored.shape, dtype)
    keywords = {"agg": agg, "nan": nan} | ({"view": view} if view else {})
    reference.assert_cells(gpuplot.downsample(source, cells, **keywords),
                           reference.downsample(stored, cells, dtype_name=dtype, **keywords))


def test_planes_of_tensors(emulated):
    """A column of a tensor beside others, with a step, as gpuplot hands it over."""
    array = np.random.default_rng(20).normal(size=(40, 50, 3)).astype(np.float32)
    uses = [("rows", 39, -2, 20, 0), ("cols", 1, 3, 16, 0), ("fixed", 2, 1, 1, 0)]
    host, device = (_native.Plane(tensor, uses, []) for tensor in (_native.Tensor.from_array(array, "float32"), lend(array)))
    for agg in AGGS:
        check(host, device, (3, 5), ((0, 20), (0, 16)), agg, "show", 5)


@pytest.mark.parametrize("agg", ["mean", "std"])
def test_partial_results_for_which_there_is_little_room(emulated, agg):
    """Cells in several parts, of which the device has room for three of seven rows at a time; and for none: then in one part."""
    values = np.random.default_rng(0).normal(size=(2103, 1024)).astype("f4")
    launches = []
    with emulated.upload(values) as memory:
        X = SimpleNamespace(__cuda_array_interface__={
            "shape": values.shape, "typestr": "<f4", "data": (memory.pointer, False), "version": 3, "stream": 1})
        want = gpuplot.downsample(X, (7, 256), agg=agg)
        for grains in (2, 3, 6):
            gc.collect()
            _native.cuda_close()  # what other calls left could be given back
            emulated.clear_counts()
            emulated.set_memory_limit(emulated.memory_used() + (grains << 16))
            try:
                np.testing.assert_allclose(gpuplot.downsample(X, (7, 256), agg=agg), want, rtol=1e-12, atol=1e-15)
            finally:
                emulated.set_memory_limit(0)
            launches.append(emulated.counts()["cuLaunchKernel"])
    assert launches == [1, 6, 2]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_cell_has_the_same_bits_whatever_other_cells_hold(emulated, dtype, bad):
    """Blocks of many cells take another way where one element is not finite."""
    clean = np.random.default_rng(3).normal(size=(87, 700)).astype(dtype)
    dirty = clean.copy()
    dirty[3, 7] = dirty[40, 333] = dirty[86, 699] = bad
    axes = axes_of(clean.shape, (5, 33), ((0, 87), (0, 700)))
    for agg in ("mean", "sum", "max"):
        want = _native.reduce(device_plane(clean), *axes, agg, "show", 0)[0].numpy()
        got = _native.reduce(device_plane(dirty), *axes, agg, "show", 0)[0].numpy()
        is_hit = ~np.isfinite(got)
        assert 3 <= is_hit.sum() <= 12
        np.testing.assert_array_equal(got[~is_hit], want[~is_hit])
