"""Pictures of arrays in chunks equal those of the whole array; only visible chunks are read, each once."""

import itertools
import math
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
from gpuplot import _native
from gpuplot.errors import ChunkError, UnsupportedError
from gpuplot.plane.chunks import chunk_counts
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


def test_percentiles_of_all_elements_are_found_once():
    """They are compared with those of the pixels at every zoom, which read the whole array each time."""
    array = np.random.default_rng(0).standard_normal((3200, 4000), "float32")
    source, engine = in_pieces(array, (400, 400))
    ax = plt.subplots()[1]
    image = gpuplot.imshow(source, ax=ax, robust=(0.5, 99.5))
    ax.figure.canvas.draw()
    assert image.get_clim()[0] > -1, "limits of pixels"
    engine.take_reads()
    for part, n_chunks in (((410, 1990), 16), ((210, 250), 1), ((810, 850), 1)):
        ax.set(xlim=part, ylim=part[::-1])
        ax.figure.canvas.draw()
        assert sum(engine.take_reads().values()) == n_chunks
    assert image.get_clim() == tuple(np.percentile(array, (0.5, 99.5)))
    array += 5
    image.update(source)
    image.autoscale()
    assert image.get_clim() == tuple(np.percentile(array, (0.5, 99.5)))


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


@pytest.mark.parametrize("kind, n_passes", [("float32", (2, 2)), ("relu", (2, 2)), (">f4", (2, 2)), ("float16", (2, 2)), ("int32", (2, 2)),
                                           ("uint32", (2, 2)), ("masked", (2, 2)), ("float64", (2, 3))])
def test_percentiles_take_few_passes(monkeypatch, kind, n_passes):
    """Cells, limits and first counts; then all elements that are left, if few, or counts of each value, of 64 bits of ranges at first."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(400, 500))
    array = {"relu": np.maximum(values, -0.0).astype("f4"), "int32": (values * 2**28).astype("i4"),
             "uint32": (np.abs(values) * 2**28).astype("u4"),
             "masked": np.ma.array(values.astype("f4"), mask=rng.random(values.shape) < 0.2)}.get(kind)
    array = values.astype(kind) if array is None else array
    source, engine = in_pieces(array, (100, 100))
    options = {"robust": True, "limits": "elements"}
    want = gpuplot.to_rgba(array, (20, 20), **options)
    for most, n in zip((chunk_counts.MAX_COLLECTED, 100), n_passes, strict=True):
        monkeypatch.setattr(chunk_counts, "MAX_COLLECTED", most)
        np.testing.assert_array_equal(gpuplot.to_rgba(source, (20, 20), **options), want)
        assert set(engine.take_reads().values()) == {n}


@pytest.mark.parametrize(("dtype", "n_passes"), [("float32", 2), ("float64", 3), ("int32", 2), ("int16", 1)])
def test_percentiles_of_positive_elements_beside_zeros_take_few_passes(monkeypatch, dtype, n_passes):
    rng = np.random.default_rng(2)
    array = (np.maximum(rng.normal(size=(400, 500)), 0) * (1 if "float" in dtype else 2**12)).astype(dtype)
    source, engine = in_pieces(array, (100, 100))
    options = {"robust": True, "limits": "elements", "norm": "log"}
    np.testing.assert_array_equal(gpuplot.to_rgba(source, (20, 30), **options), gpuplot.to_rgba(array, (20, 30), **options))
    assert set(engine.take_reads().values()) == {n_passes}


@pytest.mark.parametrize("most", [2**14, 100])
def test_bins_are_no_more_than_elements_ask_for(monkeypatch, most):
    """Counts of 65536 bins leave the nearest cache, and took as long as all other passes of statistics together."""
    monkeypatch.setattr(chunk_counts, "MAX_COLLECTED", most)
    n_bins, histogram = [], _native.histogram
    monkeypatch.setattr(_native, "histogram", lambda plane, edges, *range: n_bins.append(len(edges) - 1) or histogram(plane, edges, *range))
    array = np.random.default_rng(5).normal(size=(400, 500))
    found = gpuplot.stats(in_pieces(array, (100, 100))[0], percentiles=(2, 98))
    assert found.percentiles == {p: pytest.approx(np.percentile(array, p), rel=1e-14) for p in (2, 98)} and found.median == np.median(array)
    assert max(n_bins) == (chunk_counts.MIN_BINS if most == 2**14 else chunk_counts.N_BINS)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "int64"])
def test_percentiles_of_equal_elements(dtype):
    """No bins lie between two equal ends."""
    array = np.full((40, 50), 7, dtype)
    array[::2] = 0
    source, _ = in_pieces(array, (10, 30))
    options = {"robust": True, "limits": "elements", "norm": "log"}
    np.testing.assert_array_equal(gpuplot.to_rgba(source, (20, 30), **options), gpuplot.to_rgba(array, (20, 30), **options))


def test_zeros_among_doubles_have_a_bin_of_their_own(monkeypatch):
    """Many equal elements took a pass for every 14 bits of a key."""
    array = np.where(np.random.default_rng(3).random((400, 500)) < 0.4, 0, np.random.default_rng(4).normal(size=(400, 500)))
    source, engine = in_pieces(array, (100, 100))
    monkeypatch.setattr(chunk_counts, "MAX_COLLECTED", 1000)
    options = {"robust": (45, 98), "limits": "elements"}
    np.testing.assert_array_equal(gpuplot.to_rgba(source, (20, 30), **options), gpuplot.to_rgba(array, (20, 30), **options))
    assert max(engine.take_reads().values()) <= 4


@pytest.mark.parametrize(("is_collective", "n_passes"), [(False, 2), (True, 3)])
def test_fewer_elements_are_collected_where_all_processes_get_them(monkeypatch, is_collective, n_passes):
    """Else one more pass narrows them down."""
    array = np.random.default_rng(1).normal(size=(400, 500))
    source, engine = in_pieces(array, (100, 100))
    engine.is_collective = is_collective
    monkeypatch.setattr(chunk_counts, "MAX_GATHERED", 100)
    want = gpuplot.to_rgba(array, (20, 20), robust=True, limits="elements")
    np.testing.assert_array_equal(gpuplot.to_rgba(source, (20, 20), robust=True, limits="elements"), want)
    assert set(engine.take_reads().values()) == {n_passes}


@pytest.mark.parametrize("scale", [1, 1e-42, 3e37])
@pytest.mark.parametrize("is_log", [False, True])
def test_percentiles_from_counts_of_float32_are_exact(monkeypatch, scale, is_log):
    """Infinities and NaN are in no range, zeros of both signs and the smallest numbers are in one."""
    rng = np.random.default_rng(2)
    array = (rng.normal(size=(90, 200)) * scale).astype("f4")
    array[rng.random(array.shape) < 0.4] = -0.0
    array[:2], array[2], array[3], array[4] = np.nan, np.inf, -np.inf, 0.0
    monkeypatch.setattr(chunk_counts, "MAX_COLLECTED", 10)
    source, _ = in_pieces(array, (50, 60))
    images = [gpuplot.imshow(X, ax=plt.subplots()[1], norm="log" if is_log else None, robust=(30, 99), limits="elements")
              for X in (source, array)]
    for image in images:
        image.figure.canvas.draw()
    assert images[0].get_clim() == images[1].get_clim()


@pytest.mark.parametrize("few", [1, 16, 10**9])
def test_percentiles_among_many_equal_numbers(monkeypatch, few):
    """The second pass counts the few elements of the ranges that are left, or all of them."""
    array = np.random.default_rng(4).normal(size=(200, 300)).round(2).astype("f4")
    array[0] = np.nan
    monkeypatch.setattr(chunk_counts, "MAX_COLLECTED", 10)
    monkeypatch.setattr(chunk_counts, "FEW", few)
    sizes, histogram = [], _native.histogram
    monkeypatch.setattr(_native, "histogram", lambda plane, edges: sizes.append(math.prod(plane.shape)) or histogram(plane, edges))
    source, engine = in_pieces(array, (100, 300))
    got, want = (gpuplot.to_rgba(X, (20, 20), robust=(2, 98), limits="elements") for X in (source, array))
    np.testing.assert_array_equal(got, want)
    assert set(engine.take_reads().values()) == {2}
    assert min(sizes) == 30_000 if few == 10**9 else 0 < min(sizes) < 2000


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "uint16"])
@pytest.mark.parametrize("is_masked", [False, True])
@pytest.mark.parametrize("norm", ["linear", "log"])
def test_robust_limits_of_short_integers_come_with_the_cells(dtype, is_masked, norm):
    """Every value is counted as the cells are made: one read, and the percentiles of the whole."""
    ends, rng = np.iinfo(dtype), np.random.default_rng(1)
    array = np.clip(rng.normal(20, 0.2 * ends.max, (1200, 1000)), ends.min, ends.max).astype(dtype)
    array = np.ma.array(array, mask=rng.random(array.shape) < 0.3) if is_masked else array
    for robust in (True, (0.5, 97.3), 40):
        options = {"robust": robust, "limits": "elements", "norm": norm}
        source, engine = in_pieces(array, (500, 300))
        np.testing.assert_array_equal(*(gpuplot.to_rgba(X, (30, 40), **options) for X in (source, array)))
        assert set(engine.take_reads().values()) == {1}
        limits = []
        for X in (source, array):
            image = gpuplot.imshow(X, ax=plt.subplots()[1], **options)
            image.figure.canvas.draw()
            limits.append(image.get_clim())
        assert limits[0] == limits[1]
        assert set(engine.take_reads().values()) == {1}


@given(st.integers(0, 2**32), st.sampled_from(("float32", "float64", "float16", "int16", "uint8", "bool", "int64", "uint64")),
       st.sampled_from((2, 5, 64)), st.sampled_from((0, 3, 50)))
@examples(150)
def test_percentiles_are_exact_whatever_the_distribution(seed, dtype, n_bins, n_collected):
    """Few bins, of which most passes hardly help: heavy tails, many equal elements, neighboring numbers."""
    rng = np.random.default_rng(seed)
    kinds = [rng.normal(size=200), rng.standard_cauchy(200) ** 9, np.round(rng.normal(size=200)), np.zeros(200),
             1 + rng.integers(0, 3, 200) * 2.0**-52, rng.integers(0, 5, 200) * 5e-324, rng.integers(0, 4, 200) + 2.0**62]
    with np.errstate(all="ignore"):
        array = np.concatenate([kinds[k] for k in rng.choice(len(kinds), 2)]).astype(dtype).reshape(20, 20)
    percents = [0, 100, *rng.uniform(0, 100, 3)]
    source, _ = in_pieces(array, (7, 9))
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setattr(chunk_counts, "N_BINS", n_bins)
        patch.setattr(chunk_counts, "MAX_COLLECTED", n_collected)
        got, want = (gpuplot.stats(X, percentiles=percents, bins=2, value_range=(0, 1)) for X in (source, array))
    np.testing.assert_array_equal([*got.percentiles.values(), got.median], [*want.percentiles.values(), want.median])


def test_elements_that_are_others_at_every_read_have_no_percentiles():
    array = np.random.default_rng(1).normal(size=(100, 100))
    source, engine = in_pieces(array, (50, 50))
    read = engine.chunk
    engine.chunk = lambda index: read(index) + 0.01 * sum(engine.reads.values())
    with pytest.raises(ChunkError, match=r"other elements when they were read again.*X\.persist\(\)"):
        gpuplot.stats(source)


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


# ---- numbers -------------------------------------------------------------------------------------------------------------


@given(cut_arrays())
@examples(80)
def test_any_cut_gives_the_statistics_of_the_whole(case):
    array, source, _, options = case
    region = options["view"] if array.ndim > 1 else None
    got, want = (gpuplot.stats(X, region=region, bins=7, percentiles=(3, 80)) for X in (source, array))
    rounded = {"mean", "std", "l2"}
    for name in ("nan", "neg_inf", "neg", "zero", "pos", "pos_inf", "masked", "subnormal", "min", "max", "absmax", "median", "argmin",
                 "argmax", "first_nan", "hist", "bin_edges", "numel", "nbytes"):
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name), err_msg=name)
    assert got.percentiles.keys() == want.percentiles.keys()
    np.testing.assert_array_equal(list(got.percentiles.values()), list(want.percentiles.values()))
    size = 1.0 if np.isnan(want.absmax) else float(want.absmax)
    for name in rounded:
        np.testing.assert_allclose(getattr(got, name), getattr(want, name), rtol=1e-9, atol=1e-12 * size, err_msg=name)


@pytest.mark.parametrize("chunks", [(4, 3), (3, 2), (1, 3)])
@pytest.mark.parametrize("axis", [0, 1])
def test_places_of_extremes_in_chunks_that_repeat_elements(chunks, axis):
    """In a chunk that is broadcast along an axis they were counted as if it were not."""
    X = np.broadcast_to(np.expand_dims(np.array([1, np.nan, 9, 3][axis:], "f4"), 1 - axis), (4, 3))
    found, whole = gpuplot.stats(in_pieces(X, chunks)[0]), gpuplot.stats(X.copy())
    assert (found.argmin, found.argmax, found.first_nan) == (whole.argmin, whole.argmax, whole.first_nan)


def test_passes_of_statistics():
    source, engine = in_pieces(np.random.default_rng(1).normal(size=(400, 500)).astype("float32"), (100, 100))
    gpuplot.stats(source, value_range=(-1, 1), percentiles=())
    assert set(engine.take_reads().values()) == {3}  # counts, bins, and the elements, of which one is the median
    gpuplot.hist(source, 50, range=(-1, 1))
    assert set(engine.take_reads().values()) <= {1, 2}  # bins, and what is in none
    gpuplot.stats(source, region=((0, 50), (120, 180)))
    assert set(engine.take_reads()) == {(0, 1)}


@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8", "bool"])
@pytest.mark.parametrize("bins", [30, "fd", "sturges", [-1, 0, 0, 2]])
def test_histograms_are_those_of_numpy(dtype, bins):
    rng = np.random.default_rng(2)
    array = rng.integers(-2**62, 2**62, (60, 70)) if dtype == "int64" and bins == 30 else numbers(rng, dtype, (60, 70))
    n, edges, _ = gpuplot.hist(in_pieces(array, (13, 40))[0], bins)
    plain = array.astype("uint8") if dtype == "bool" else array
    want, want_edges = np.histogram(plain, bins)
    np.testing.assert_array_equal(n, want)
    np.testing.assert_array_equal(edges, want_edges)


def test_classes_of_an_array_in_chunks():
    array = np.random.default_rng(3).integers(0, 5, (300, 400)).astype("int16")
    got, want = (gpuplot.to_rgba(X, (30, 40), categorical=True) for X in (in_pieces(array, (70, 90))[0], array))
    np.testing.assert_array_equal(got, want)


def test_statistics_of_an_image():
    array = np.random.default_rng(1).normal(size=(3, 1200, 1000)).astype("float32")
    source, engine = in_pieces(array, (1, 400, 500))
    image = gpuplot.imshow(source, index={0: 1})
    engine.take_reads()
    found = image.stats()
    assert (found.min, found.argmax) == (array[1].min(), (1, *np.unravel_index(array[1].argmax(), (1200, 1000))))
    assert {index[0] for index in engine.take_reads()} == {1}
    assert image.stats("all").max == array.max()


def check_slices(array, source, **how):
    """Statistics of slices of chunks are those of the array in memory."""
    got, want = (gpuplot.stats(X, bins=7, percentiles=(5,), **how) for X in (source, array))
    for name in ("nan", "neg", "pos_inf", "masked", "min", "max", "argmin", "argmax", "first_nan", "hist", "bin_edges", "median", "absmax"):
        assert getattr(got, name).dtype == getattr(want, name).dtype
        assert str(getattr(got, name).tolist()) == str(getattr(want, name).tolist()), name  # NaN may be among objects
    for name in ("mean", "std", "l2"):
        np.testing.assert_allclose(getattr(got, name), getattr(want, name), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(got.percentiles[5], want.percentiles[5])


@pytest.mark.parametrize("dtype", ["float32", "int16", "masked", "complex64", "bool"])
@pytest.mark.parametrize("dim", [(1, 2), 2, (0, 2)])
def test_statistics_of_slices(dtype, dim):
    array = numbers(np.random.default_rng(0), dtype, (5, 9, 50), 0.1)
    source, engine = in_pieces(array, (1, 3, 30))
    check_slices(array, source, dim=dim)
    assert dim != (1, 2) or max(engine.take_reads().values()) <= 4


@pytest.mark.parametrize("dtype", ["float32", "int16", "masked", "complex64", "bool", "large", "masked large"])
@pytest.mark.parametrize("how", [{"dim": (1, 2)}, {"dim": 2}, {"dim": 2, "region": ((3, 9), (2, 8))}], ids=str)
def test_slices_that_lie_in_one_chunk_take_one_pass(dtype, how):
    """More than have passes of their own; also where slices of one chunk have no element, and others integers that float64 rounds."""
    rng = np.random.default_rng(0)
    array = rng.integers(2**62, 2**63, (50, 40, 9)) if "large" in dtype else numbers(rng, dtype, (50, 40, 9), 0.1)
    if dtype == "masked large":
        array = np.ma.array(array, mask=(np.arange(50) == 3)[:, None, None] & np.ones(array.shape, bool))
    source, engine = in_pieces(array, (2, 40, 9))
    check_slices(array, source, **how)
    assert set(engine.take_reads().values()) == {1}


def test_very_many_slices_are_refused_before_a_chunk_is_read():
    source, engine = in_pieces(np.zeros((4, 50, 60), "float32"), (1, 30, 30))
    with pytest.raises(UnsupportedError, match=r"dim: 3,000 slices.*at most 1024.*X\.mean\(axis\)"):
        gpuplot.stats(source, dim=0)
    assert engine.take_reads() == {}


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
