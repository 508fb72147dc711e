"""Percentiles of arrays in chunks are exact, in few passes, whatever the distribution."""

import math
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from pieces import in_pieces

import gpuplot
from gpuplot import _native
from gpuplot.errors import ChunkError
from gpuplot.plane.chunks import chunk_counts

pytestmark = pytest.mark.host("chunks are read by the host; what becomes of them on a device is test_partial_cells's")


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
