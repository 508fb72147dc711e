"""Reductions of hidden axes over several chunks equal those of the whole array, each chunk read once per operation."""

import itertools
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
from chunked_arrays import check_cells, numbers
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from pieces import in_pieces
from scenes import scene_of

import gpuplot
from gpuplot.errors import UnsupportedError

pytestmark = pytest.mark.host("chunks are read by the host")

OPS = ("mean", "max", "min", "sum", "std", "norm")


@st.composite
def cut_stacks(draw):
    """An array of three axes, the same one in chunks, and keywords of `downsample`."""
    shape = tuple(draw(st.lists(st.integers(1, 12), min_size=3, max_size=3)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    dtype = draw(st.sampled_from(("float32", "float64", "int16", "uint8", "masked", "complex64")))
    array = numbers(rng, dtype, shape, draw(st.sampled_from((0.0, 0.1, 0.8))))
    chunks = [np.diff(sorted({0, n, *draw(st.lists(st.integers(0, n), max_size=4))})).tolist() for n in shape]
    axis = draw(st.integers(0, 2))
    options = {"reduce": {axis: draw(st.sampled_from(OPS))}, "nan": draw(st.sampled_from(("show", "skip"))),
               "agg": draw(st.sampled_from(("mean", "max", "nearest", "count")))}
    if draw(st.booleans()):
        options["index"] = {draw(st.integers(0, 2)): slice(None, None, draw(st.sampled_from((2, -1))))}
    if draw(st.integers(0, 4)) == 0:
        options["reduce"] |= {(axis + 1) % 3: options["reduce"][axis]}
    return array, in_pieces(array, chunks)[0], options


@given(cut_stacks())
@examples(200)
def test_any_cut_gives_what_the_whole_comes_to(case):
    array, source, options = case
    got, want = (gpuplot.downsample(X, (3, 4), **options) for X in (source, array))
    [op] = set(options["reduce"].values())
    size = np.nan_to_num(np.abs(np.ma.filled(array, 0)).astype(float), posinf=0).max(initial=1.0) * array.size
    np.testing.assert_array_equal(np.isfinite(got), np.isfinite(want))
    np.testing.assert_array_equal(got[np.isinf(want)], want[np.isinf(want)])
    np.testing.assert_allclose(got, want, rtol=1e-6 if op in ("std", "norm") else 1e-9, atol=1e-12 * size)


@pytest.mark.parametrize("op", ["max", "min"])
@pytest.mark.parametrize("options", [{}, {"robust": True}, {"nan": "skip"}, {"norm": "log"}])
def test_pictures_of_extremes_are_those_of_the_whole_to_the_last_bit(op, options):
    array = numbers(np.random.default_rng(4), "float32", (7, 200, 300), 0.001)
    source, engine = in_pieces(array, (2, 90, 130))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(*(gpuplot.to_rgba(X, (20, 30), reduce={0: op}, **options) for X in (source, array)))
    assert max(engine.take_reads().values()) <= 2


def test_nan_that_would_mark_most_is_left_out():
    array = np.random.default_rng(1).normal(size=(5, 200, 300)).astype("float32")
    array[np.random.default_rng(2).random(array.shape) < 0.2] = np.nan
    for chunks in ((1, 90, 130), (5, 90, 130)):  # chunks that are folded, and whole ones
        source, engine = in_pieces(array, chunks)
        for op in OPS:
            with pytest.warns(gpuplot.GpuplotWarning):
                got, want = (gpuplot.to_rgba(X, (20, 30), reduce={0: op}, cmap="gray") for X in (source, array))
            assert np.abs(got.astype(int) - want).max() <= 1
            assert set(engine.take_reads().values()) == {1}


@given(cut_stacks(), st.sampled_from((0.3, 0.9)), st.booleans())
@examples(150)
def test_any_cut_leaves_out_the_nan_that_the_whole_does(case, share, finds_limits):
    """With NaN in most elements: the same pixels are left empty, colors are equal within rounding of sums, all in one pass."""
    array, source, options = case
    if array.dtype.kind not in "fc" or np.ma.isMaskedArray(array):
        return
    array[np.random.default_rng(array.size).random(array.shape) < share] = np.nan
    options, engine = options | {"nan": "auto"} | ({} if finds_limits else {"vmin": -1, "vmax": 1}), source._engine
    engine.take_reads()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got, want = (gpuplot.to_rgba(X, (3, 4), cmap="gray", **options) for X in (source, array))
    assert finds_limits or np.abs(got.astype(int) - want).max() <= 1
    np.testing.assert_array_equal(got[..., 3], want[..., 3])
    # "nearest" does not need every chunk, and the number of NaN in all of them, which a warning tells, has a pass of its own.
    assert set(engine.take_reads().values()) <= ({1, 2} if options["agg"] == "nearest" else {1})


def test_only_chunks_under_the_view_are_read():
    array = np.random.default_rng(1).normal(size=(4, 400, 500)).astype("float32")
    source, engine = in_pieces(array, (1, 100, 100))
    gpuplot.downsample(source, (10, 10), view=((120, 180.5), (310, 420)), reduce={0: "mean"})
    assert engine.take_reads() == {(page, 1, col): 1 for page in range(4) for col in (3, 4)}
    gpuplot.downsample(source, (10, 10), reduce={0: "std"}, index={0: slice(1, 3), 1: slice(0, 100), 2: slice(450, 500)})
    assert engine.take_reads() == {(1, 0, 4): 1, (2, 0, 4): 1}


def test_a_view_beside_the_plane_is_empty():
    """No chunk is needed for it: an IndexError said so."""
    X, engine = in_pieces(np.zeros((4, 20, 30), "float32"), (2, 10, 30))
    assert np.isnan(gpuplot.downsample(X, (2, 2), view=[(100, 200), (0, 30)], reduce={0: "mean"})).all()
    assert not engine.take_reads()


def test_an_image():
    array = np.random.default_rng(1).normal(size=(3, 1200, 1000)).astype("float32")
    source, engine = in_pieces(array, (1, 400, 500))
    images = [gpuplot.imshow(X, reduce={0: "max"}, ax=plt.subplots()[1]) for X in (array, source)]
    for image in images:
        image.figure.canvas.draw()
    assert set(engine.take_reads().values()) == {1}
    assert images[0].get_clim() == images[1].get_clim()
    found, want = (image.stats() for image in images[::-1])
    for name in ("min", "max", "argmin", "argmax", "median", "pos", "neg", "numel"):
        assert getattr(found, name) == getattr(want, name), name
    np.testing.assert_array_equal(found.hist, want.hist)


def test_an_inspector():
    array = numbers(np.random.default_rng(1), "float32", (3, 200, 300), 0.0001)
    whole, cut = (scene_of(X, reduce={0: "max"}) for X in (array, in_pieces(array, (1, 80, 90))[0]))
    want, got = (scene.draw((0, 200, 0, 300), (20, 30)) for scene in (whole, cut))
    np.testing.assert_array_equal(got.pixels, want.pixels)
    assert cut.stats("slice") == whole.stats("slice") and cut.histogram("slice") == whole.histogram("slice")
    assert cut.hover(100.5, 100.5) == whole.hover(100.5, 100.5)
    assert cut.jump(1) == whole.jump(1)
    y = numbers(np.random.default_rng(1), "float32", (5, 4000), 0.001)
    whole, cut = (scene_of(X, reduce={0: "max"}) for X in (y, in_pieces(y, (2, 900))[0]))
    want, got = (scene.draw((0, 1, 0, 4000), (20, 300)) for scene in (whole, cut))
    np.testing.assert_allclose(got.line if want.line is not None else got.pixels, want.line if want.line is not None else want.pixels)


def test_what_needs_all_chunks_together_is_refused_before_one_is_read():
    source, engine = in_pieces(np.zeros((4, 5, 50, 60), "float32"), (1, 1, 30, 30))
    turning, _ = in_pieces(np.zeros((4, 50, 60), "complex64"), (1, 30, 30))
    for call in (gpuplot.to_rgba, lambda X, **options: gpuplot.imshow(X, **options)):
        with pytest.raises(UnsupportedError, match=r"axis 0 lies in 4 chunks and is reduced before another.*X\.mean\(0\)"):
            call(source, reduce={0: "mean", 1: "max"})
        with pytest.raises(UnsupportedError, match=r"axis 0 lies in 4 chunks and is reduced to colors or angles"):
            call(turning, reduce={0: "mean"}, complex_mode="phase")
    assert engine.take_reads() == {}


def test_the_order_of_chunks_changes_no_bit():
    array = np.random.default_rng(1).normal(size=(9, 100, 120)).astype("float32")
    first, *others = (gpuplot.downsample(in_pieces(array, (2, 37, 41), n)[0], (23, 29), reduce={0: "mean"}).tobytes() for n in (0, 1, 5))
    assert set(others) == {first}


@pytest.mark.parametrize("op", OPS)
def test_two_stages_of_which_the_last_is_in_chunks(op):
    array = np.random.default_rng(1).normal(size=(3, 4, 50, 60))
    source, engine = in_pieces(array, (3, 1, 20, 30))
    got, want = (gpuplot.downsample(X, (5, 6), reduce={0: "max" if op != "max" else "min", 1: op}) for X in (source, array))
    check_cells(got, want, array, "mean")
    assert engine.take_reads() == dict.fromkeys(itertools.product((0,), range(4), range(3), range(2)), 1)
