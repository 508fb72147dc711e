"""Pictures of arrays in chunks equal those of the whole array; only visible chunks are read, each once."""

import itertools
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
from chunked_arrays import check_cells, cut_arrays, numbers
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backend_bases import MouseEvent
from pieces import in_pieces

import gpuplot
from gpuplot.errors import ChunkError, UnsupportedError
from gpuplot.plane.chunks.chunk_grid import bounds, chunks_of, in_tiles, span_within

pytestmark = pytest.mark.host("chunks are read by the host; what becomes of them on a device is test_partial_cells's")


# ---- what is where -------------------------------------------------------------------------------------------------------


@given(st.integers(-9, 9), st.integers(-3, 3).filter(bool), st.integers(0, 9), st.integers(-20, 20), st.integers(0, 20))
def test_places_of_a_range_within_bounds(start, step, size, begin, width):
    elements = range(start, start + size * step, step)
    first, stop = span_within(elements, begin, begin + width)
    assert list(elements[first:stop]) == [element for element in elements if begin <= element < begin + width]


def test_chunks_that_hold_a_range():
    sizes = (3, 2, 5)
    assert [bounds(sizes, k) for k in range(3)] == [(0, 3), (3, 5), (5, 10)]
    assert list(chunks_of(range(2, 4), sizes)) == [(0, 0, 1), (1, 1, 2)]
    assert list(chunks_of(range(9, -1, -4), sizes)) == [(0, 2, 3), (2, 0, 2)]


@given(st.lists(st.integers(1, 40), min_size=1, max_size=3))
def test_tiles_hold_each_chunk_once(sizes):
    tiles = in_tiles(*(list(range(n)) for n in sizes))
    assert sorted(index for tile in tiles for index in tile) == list(itertools.product(*map(range, sizes)))
    assert len(tiles) <= 64 or len(sizes) > 2


# ---- cells ---------------------------------------------------------------------------------------------------------------


@given(cut_arrays())
@examples(150)
def test_any_cut_gives_the_cells_of_the_whole(case):
    array, source, shape, options = case
    check_cells(gpuplot.downsample(source, shape, **options), gpuplot.downsample(array, shape, **options), array, options["agg"] or "mean")


@pytest.mark.parametrize("options", [{}, {"agg": "max"}, {"robust": True}, {"norm": "log", "robust": (5, 95)}, {"norm": "eq_hist"},
                                     {"limits": "pixels"}, {"nan": "skip"}, {"center": 0}, {"vmin": -3, "vmax": 5}])
def test_pixels(options):
    array = numbers(np.random.default_rng(4), "float32", (300, 400), 0.001)
    source, _ = in_pieces(array, (90, 130))
    np.testing.assert_array_equal(gpuplot.to_rgba(source, (30, 40), **options), gpuplot.to_rgba(array, (30, 40), **options))


@pytest.mark.parametrize("mode", ["amplitude", "square_amplitude", "real", "imaginary", "phase", "amplitude_phase",
                                  "log10_amplitude_phase"])
def test_complex_modes(mode):
    array = numbers(np.random.default_rng(4), "complex64", (200, 300), 0.001)
    source, _ = in_pieces(array, (90, 130))
    for shape in ((20, 30), (250, 280)):
        np.testing.assert_array_equal(gpuplot.to_rgba(source, shape, complex_mode=mode), gpuplot.to_rgba(array, shape, complex_mode=mode))


@pytest.mark.parametrize("n_channels", [3, 4])
@pytest.mark.parametrize("denorm", [None, "minmax"])
def test_colors(n_channels, denorm):
    array = np.random.default_rng(0).random((200, 300, n_channels), dtype="float32")
    source, engine = in_pieces(array, (70, 110, n_channels))
    np.testing.assert_array_equal(gpuplot.to_rgba(source, (20, 30), denorm=denorm), gpuplot.to_rgba(array, (20, 30), denorm=denorm))
    assert set(engine.take_reads().values()) == {1 if denorm is None else 2}


def test_the_number_of_threads_and_the_order_of_chunks_change_no_bit():
    array = np.random.default_rng(1).normal(size=(400, 500)).astype("float32")
    first, *others = (gpuplot.downsample(in_pieces(array, (37, 41), n)[0], (23, 29)).tobytes() for n in (0, 1, 2, 5))
    assert set(others) == {first}


def test_a_file_has_the_same_pixels(tmp_path):
    array = np.random.default_rng(1).normal(size=(400, 500)).astype("float32")
    gpuplot.imsave(tmp_path / "chunks.png", in_pieces(array, (37, 41))[0], width=50)
    gpuplot.imsave(tmp_path / "whole.png", array, width=50)
    assert (tmp_path / "chunks.png").read_bytes() == (tmp_path / "whole.png").read_bytes()


# ---- reads ---------------------------------------------------------------------------------------------------------------


def test_only_chunks_under_the_view_are_read():
    array = np.random.default_rng(1).normal(size=(4, 400, 500)).astype("float32")
    source, engine = in_pieces(array, (1, 100, 100))
    gpuplot.downsample(source, (10, 10), view=((120, 180.5), (310, 420)), index={0: 2})
    assert engine.take_reads() == {(2, 1, 3): 1, (2, 1, 4): 1}
    gpuplot.downsample(source, (10, 10), index={0: 3, 1: slice(0, 100), 2: slice(450, 500)})
    assert engine.take_reads() == {(3, 0, 4): 1}
    gpuplot.downsample(source, (2, 2), agg="nearest", index={0: 0})
    assert engine.take_reads() == {(0, row, col): 1 for row in (1, 3) for col in (1, 3)}
    gpuplot.downsample(source, (10, 10), x=0, y=1, index={2: 250})
    assert engine.take_reads() == {(page, row, 2): 1 for page in range(4) for row in range(4)}


def test_a_first_draw_reads_every_chunk_once_and_a_zoom_those_that_are_seen():
    array = np.random.default_rng(1).normal(size=(1600, 2000)).astype("float32")
    source, engine = in_pieces(array, (200, 200))
    fig, ax = plt.subplots()
    image = gpuplot.imshow(source, ax=ax, colorbar=True)
    fig.canvas.draw()
    assert engine.take_reads() == dict.fromkeys(itertools.product(range(8), range(10)), 1)
    assert image._element_limits()[:2] == (array.min(), array.max())
    ax.set(xlim=(410, 1190), ylim=(1390, 610))
    fig.canvas.draw()
    assert engine.take_reads() == dict.fromkeys(itertools.product(range(3, 7), range(2, 6)), 1)
    ax.set(xlim=(410, 590), ylim=(790, 610))  # magnified: elements, and limits of the pixels that they fill
    fig.canvas.draw()
    assert set(engine.take_reads()) == {(3, 2)}
    image.set_cmap("magma")
    image.set_clim(-1, 1)
    fig.canvas.draw()
    assert engine.take_reads() == {}
    image.update()
    fig.canvas.draw()
    assert set(engine.take_reads()) == {(3, 2)}


def test_a_picture_is_that_of_the_whole():
    array = numbers(np.random.default_rng(3), "float32", (1300, 1700), 0.0001)
    pixels = []
    for X in (array, in_pieces(array, (200, 300))[0]):
        fig, ax = plt.subplots()
        gpuplot.imshow(X, ax=ax, nan_color="red", colorbar=True)
        for limits in ((0, 1700), (200, 260.5), (700, 1500)):
            ax.set_xlim(limits)
            fig.canvas.draw()
            pixels.append(np.asarray(fig.canvas.buffer_rgba()).copy())
    for want, got in zip(pixels[:3], pixels[3:], strict=True):
        np.testing.assert_array_equal(got, want)


def test_nan_that_marks_most_of_a_picture_costs_no_second_read():
    array = np.random.default_rng(1).normal(size=(1600, 2000)).astype("float32")
    array[np.random.default_rng(2).random(array.shape) < 0.1] = np.nan
    source, engine = in_pieces(array, (200, 200))
    with pytest.warns(gpuplot.GpuplotWarning, match=f"{np.isnan(array).sum():,}|NaN") as told:
        got = gpuplot.to_rgba(source, (40, 50))
    assert set(engine.take_reads().values()) == {1}
    with pytest.warns(gpuplot.GpuplotWarning) as told_of_whole:
        want = gpuplot.to_rgba(array, (40, 50))
    np.testing.assert_array_equal(got, want)
    assert str(told[0].message) == str(told_of_whole[0].message)
    with pytest.warns(gpuplot.GpuplotWarning):
        gpuplot.imshow(source)
    assert set(engine.take_reads().values()) == {1}


def test_a_small_plane_of_a_large_tensor_is_copied_once():
    array = np.random.default_rng(1).normal(size=(9, 60, 70)).astype("float32")
    source, engine = in_pieces(array, (2, 30, 40))
    image = gpuplot.imshow(source, index={0: 5})
    assert engine.take_reads() == {(2, row, col): 1 for row in range(2) for col in range(2)}
    plt.gcf().canvas.draw()
    assert engine.take_reads() == {}
    np.testing.assert_array_equal(image.plane.array, array[5])
    image.set_index({0: 8})
    assert set(engine.take_reads()) == {(4, row, col) for row in range(2) for col in range(2)}


# ---- mistakes ------------------------------------------------------------------------------------------------------------


def test_color_channels_in_several_chunks_are_refused_before_any_is_read():
    colors, engine = in_pieces(np.zeros((50, 60, 3), "float32"), (30, 30, 1))
    with pytest.raises(UnsupportedError, match=r"channels, axis 2, lie in 3 chunks.*rgb=False"):
        gpuplot.to_rgba(colors)
    assert engine.take_reads() == {}


def test_chunks_of_another_dtype_are_told():
    array = np.zeros((50, 60))
    with pytest.raises(ChunkError, match=r"chunk \(\d, \d\) has elements of float64, but the array's dtype is float32") as told:
        gpuplot.downsample(in_pieces(array, (30, 30), dtype="float32")[0], (5, 5))
    assert told.value.index is not None


def test_what_knows_no_chunks_says_what_to_do():
    source, engine = in_pieces(np.zeros((50, 60), "float32"), (30, 30))
    with pytest.raises(UnsupportedError, match=r"chunk by chunk, but this function does not; draw a part, X\[:2048, :2048\]"):
        source.borrow()
    assert engine.take_reads() == {}


def test_views_of_nothing():
    array = np.zeros((50, 60), "float32")
    source, engine = in_pieces(array, (30, 30))
    got = gpuplot.downsample(source, (3, 4), view=((60, 80), (70, 90)))
    assert np.isnan(got).all() and got.shape == (3, 4)
    assert engine.take_reads() == {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(gpuplot.to_rgba(source, (3, 4), view=((60, 80), (70, 90))),
                                      gpuplot.to_rgba(array, (3, 4), view=((60, 80), (70, 90))))


# ---- limits, classes and values ----------------------------------------------------------------------------------------


def test_classes_of_an_array_in_chunks():
    array = np.random.default_rng(3).integers(0, 5, (300, 400)).astype("int16")
    got, want = (gpuplot.to_rgba(X, (30, 40), categorical=True) for X in (in_pieces(array, (70, 90))[0], array))
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("robust", [False, True])
@pytest.mark.parametrize("norm", ["linear", "log"])
def test_limits_of_all_planes(robust, norm):
    array = np.random.default_rng(1).normal(size=(2, 1200, 1000)).astype("float32")
    limits = []
    for X in (array, in_pieces(array, (1, 600, 600))[0]):
        image = gpuplot.imshow(X, norm=norm, ax=plt.subplots()[1])
        image.autoscale("all", robust)
        limits.append(image.get_clim())
    assert limits[0] == limits[1]


def test_the_pointer_reads_nothing_of_what_is_drawn():
    array = np.random.default_rng(1).normal(size=(1600, 2000)).astype("float32")
    source, engine = in_pieces(array, (200, 200))
    fig, ax = plt.subplots()
    images = [gpuplot.imshow(X, ax=ax) for X in (array, source)]
    for limits, side in (((0, 2000), 9), ((300, 330), 0)):
        ax.set(xlim=limits, ylim=(limits[1] - 200, limits[0] - 200))
        fig.canvas.draw()
        engine.take_reads()
        for point in ((300.3, 200.2), (250.7, 300.1)):
            event = MouseEvent("motion_notify_event", fig.canvas, *point)
            want, got = (image.get_cursor_data(event) for image in images)
            assert float(got) == pytest.approx(float(want), rel=1e-9)
            assert engine.take_reads() == {}
            if side:
                assert images[1].format_cursor_data(got)[1:-1] == images[0].format_cursor_data(want)[1:].partition(";")[0]
