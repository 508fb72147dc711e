"""Images of tensors in device memory: what is copied to the host, and what stays on the device between draws, and for how long."""

import gc
import pickle

import numpy as np
import pytest
from device_tensor import OnDevice, counts_added
from figures import axes_of, borrowed, counted, made, pixels
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import FuncNorm

import gpuplot
from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.plane import cell_budget
from gpuplot.plane.reduce import reduce_view
from gpuplot.plane.view import choose
from gpuplot.plane.window import Window

pytestmark = pytest.mark.usefixtures("emulated")

# What a draw may move beside its pixels: color tables, edges of cells, facts about elements.
SMALL_CHANGE = 2**15
PIXELS = (200, 200)
PIXEL_BYTES = 4 * 200 * 200
CELL_BYTES = 8 * 200 * 200


@pytest.fixture
def values():
    """A plane too large to be copied at the call, with a NaN."""
    found = borrowed()
    found[700, 500] = np.nan
    return found


@pytest.fixture
def tensor(emulated, values):
    return OnDevice(emulated, values)


def image_of(tensor, **keywords):
    return gpuplot.imshow(tensor, ax=axes_of(200), aspect="auto", **keywords)


# ---- what crosses ------------------------------------------------------------------------------------------------------------


def test_only_pixels_of_a_large_tensor_cross(tensor, values):
    im = image_of(tensor, robust=True)
    first = counts_added(lambda: pixels(im.axes.figure))
    assert PIXEL_BYTES <= first["bytes_to_host"] < PIXEL_BYTES + SMALL_CHANGE
    im.axes.set(xlim=(100, 900))
    zoomed = counts_added(lambda: pixels(im.axes.figure))
    assert PIXEL_BYTES <= zoomed["bytes_to_host"] < PIXEL_BYTES + SMALL_CHANGE
    assert zoomed["bytes_to_device"] < SMALL_CHANGE
    np.testing.assert_array_equal(made(im), made(_twin(values, im)))


def _twin(values, im):
    """The same picture of an array in host memory."""
    twin = image_of(values, robust=True)
    twin.axes.set(xlim=im.axes.get_xlim())
    assert twin.get_clim() == im.get_clim()
    return twin


def test_a_change_of_colors_runs_one_kernel_on_the_kept_cells(tensor):
    im = image_of(tensor)
    pixels(im.axes.figure)
    im.set_cmap("magma")
    im.set_clim(-1, 1)
    again = counts_added(lambda: pixels(im.axes.figure))
    assert again["n_launches"] == 1 and again["n_device_allocs"] == 0


@pytest.mark.parametrize("keywords", [{}, {"nan": "skip", "vmin": -1, "vmax": 1}], ids=["limits found", "limits given"])
def test_a_draw_waits_for_its_cells_and_its_pixels_and_a_zoom_for_both_at_once(emulated, tensor, keywords):
    """Limits of elements and of cells, how many cells are NaN, and pixels come with the cells."""
    emulated.clear_counts()
    im = image_of(tensor, **keywords)
    pixels(im.axes.figure)
    assert emulated.counts()["cuStreamSynchronize"] == 2
    emulated.clear_counts()
    im.axes.set(xlim=(100, 900))
    pixels(im.axes.figure)
    assert emulated.counts()["cuStreamSynchronize"] == 1
    emulated.clear_counts()
    im.set_cmap("magma")
    pixels(im.axes.figure)
    assert emulated.counts()["cuStreamSynchronize"] == 1


def test_pixels_come_in_chunks_that_the_host_copies_while_the_next_are_made(emulated, tensor, values, monkeypatch):
    """4.8 MB are eight chunks, where they go to ordinary memory."""
    monkeypatch.setenv("GPUPLOT_PINNED_MB", "0")
    want = gpuplot.to_rgba(values, (1200, 1000))
    emulated.clear_counts()
    np.testing.assert_array_equal(gpuplot.to_rgba(tensor, (1200, 1000)), want)
    assert emulated.counts()["cuMemcpyDtoHAsync_v2"] >= 8


@pytest.mark.parametrize("agg", ["range", "std", "var", "sum"])
def test_limits_in_the_units_of_cells_are_found_where_the_cells_are(tensor, values, agg):
    call = counts_added(lambda: image_of(tensor, agg=agg, nan="skip"))
    assert call["bytes_to_host"] < SMALL_CHANGE
    got, want = (image_of(x, agg=agg, robust=True, nan="skip").get_clim() for x in (tensor, values))
    np.testing.assert_allclose(got, want, rtol=1e-12)


def test_a_small_plane_is_copied_once_at_the_call(emulated):
    values = np.random.default_rng(0).normal(size=(60, 50)).astype("f4")
    tensor, twin = OnDevice(emulated, values), image_of(values)
    made_by = []
    call = counts_added(lambda: made_by.append(image_of(tensor)))
    assert values.nbytes <= call["bytes_to_host"] < values.nbytes + 64
    [im] = made_by
    draws = counts_added(lambda: np.testing.assert_array_equal(made(im), made(twin)))
    assert draws["n_launches"] == draws["bytes_to_host"] == 0
    assert im.get_array().tolist() == twin.get_array().tolist()


def test_elements_that_are_wider_than_pixels_are_gathered_and_no_more(tensor, values):
    im = image_of(tensor)
    pixels(im.axes.figure)
    im.axes.set(xlim=(99.5, 119.5), ylim=(319.5, 299.5))
    zoomed = counts_added(lambda: made(im))
    assert 20 * 20 * 4 <= zoomed["bytes_to_host"] < 2 * 40 * 40 * 4
    twin = image_of(values)
    twin.axes.set(xlim=(99.5, 119.5), ylim=(319.5, 299.5))
    np.testing.assert_array_equal(made(im), made(twin))


def test_a_norm_of_the_callers_own_sees_one_value_a_pixel(tensor, values):
    norm = FuncNorm((np.arctan, np.tan), vmin=-1, vmax=1)
    im = image_of(tensor, norm=norm)
    draw = counts_added(lambda: pixels(im.axes.figure))
    assert CELL_BYTES <= draw["bytes_to_host"] < CELL_BYTES + SMALL_CHANGE
    assert abs(made(im).astype(int) - made(image_of(values, norm=norm))).max() <= 2


def test_hues_have_angle_and_opacity_of_the_device(emulated):
    z = np.exp(1j * np.linspace(0, 9, 1_100_000)).reshape(1100, 1000) * np.linspace(0.1, 1, 1000)
    tensor = OnDevice(emulated, z)
    got, want = (gpuplot.to_rgba(x, (40, 50), complex_mode="amplitude_phase").astype(int) for x in (tensor, z))
    assert abs(got - want).max() <= 2


# ---- what stays --------------------------------------------------------------------------------------------------------------


def test_the_oldest_cells_are_dropped_when_devices_hold_too_many(emulated, tensor, monkeypatch):
    gc.collect()
    monkeypatch.setattr(cell_budget, "MAX_DEVICE_BYTES", 2 * CELL_BYTES)
    images = [image_of(tensor, vmin=-1, vmax=1) for _ in range(3)]
    assert [im._cells.frame is None for im in images] == [True, False, False]
    with counted() as calls:
        made(images[1])
        assert not calls
        made(images[0])  # reduced again, in place of the one that was drawn longest ago
        assert len(calls) == 1
    assert [im._cells.frame is None for im in images] == [False, False, True]


def test_cells_beyond_the_budget_are_used_and_not_kept(tensor, values, monkeypatch):
    monkeypatch.setattr(cell_budget, "MAX_DEVICE_BYTES", CELL_BYTES - 1)
    im = image_of(tensor, vmin=-1, vmax=1)
    assert im._cells.frame is None
    np.testing.assert_array_equal(made(im), made(image_of(values, vmin=-1, vmax=1)))
    assert im._cells.frame is None


def test_freezing_brings_the_picture_to_the_host(tensor):
    im = image_of(tensor)
    before = pixels(im.axes.figure)
    assert im._cells.frame.device_bytes == CELL_BYTES
    im.freeze()
    assert im._cells.frame.device_bytes == 0
    del tensor
    after = counts_added(lambda: np.testing.assert_array_equal(pixels(im.axes.figure), before))
    assert after["n_launches"] == 0


def test_a_removed_image_gives_its_cells_back(tensor):
    im = image_of(tensor)
    pixels(im.axes.figure)
    held = _native.cuda_counts(0)["cached_cells_bytes"]
    im.remove()
    gc.collect()
    assert _native.cuda_counts(0)["cached_cells_bytes"] >= held + CELL_BYTES  # free for the next picture


def test_a_pickle_needs_no_device(tensor):
    im = image_of(tensor)
    want = pixels(im.axes.figure)
    twin = pickle.loads(pickle.dumps(im.axes.figure))
    FigureCanvasAgg(twin)
    draw = counts_added(lambda: np.testing.assert_array_equal(pixels(twin), want))
    assert draw["n_launches"] == 0


# ---- cells of devices --------------------------------------------------------------------------------------------------------


def cells_on(emulator, device):
    found = reduce_view
    source = describe(OnDevice(emulator, np.ones((4, 4)), device))
    view = choose(source.shape, None, source.dtype)
    return found(source, view, Window.whole((4, 4), (2, 2))).cells


def test_cells_of_two_devices_are_not_mixed(emulated):
    a, b = cells_on(emulated, 0), cells_on(emulated, 1)
    assert (a.device, b.device) == ((2, 0), (2, 1))
    for call in (lambda: _native.angle(a, b), lambda: _native.shade_rgb((a, a, b), None),
                 lambda: _native.angle(a, _native.Cells.from_array(np.ones((2, 2))))):
        with pytest.raises(ValueError, match="cells of two devices.*numpy"):
            call()


def test_cells_of_a_device_are_no_array_by_accident(emulated):
    cells = cells_on(emulated, 0)
    with pytest.raises(TypeError, match="on a device"):
        np.asarray(cells)
    with pytest.raises(BufferError, match="on a device"):
        memoryview(cells)
    np.testing.assert_array_equal(cells.numpy(), np.ones((2, 2)))
