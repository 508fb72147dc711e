"""Lines of samples in chunks equal those of the whole array, bit for bit; only visible chunks are read."""

import io

import matplotlib.pyplot as plt
import numpy as np
import pytest
from chunked_arrays import numbers
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from pieces import in_pieces

import gpuplot
from gpuplot.arrays.describe import describe
from gpuplot.plane import line_samples, series
from gpuplot.plane.chunks.chunked_series import ChunkedSeries, series_of
from gpuplot.plane.line_samples import LineData

pytestmark = pytest.mark.host("chunks are read by the host")


@pytest.fixture(autouse=True)
def borrowed(monkeypatch):
    """Series of these tests are large: they are not copied at the call."""
    monkeypatch.setattr(series, "MAX_COPIED_SAMPLES", 100)


@st.composite
def cut_series(draw):
    """A series of the whole and of chunks: one column of an array, in either direction, and its elements."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(1, 300))
    dtype = draw(st.sampled_from(("float32", "float64", "float16", "int64", "uint64", "uint8", "masked")))
    array = numbers(rng, dtype, (n, 2), draw(st.sampled_from((0.0, 0.1, 0.9))))
    if dtype in ("int64", "uint64"):  # which float64 rounds
        array = array.astype(dtype) + np.asarray(2**62, dtype)
    chunks = np.diff(sorted({0, n, *draw(st.lists(st.integers(0, n), max_size=5))})).tolist()
    source, engine = in_pieces(array, (chunks, 2))
    one, other = series_of(describe(array), 0, {1: 1}), series_of(source, 0, {1: 1})
    if draw(st.booleans()):
        one, other = one.reversed(), other.reversed()
    return one, other, engine, rng


@given(cut_series())
@examples(150)
def test_any_cut_gives_the_columns_of_the_whole(case):
    whole, cut, _, rng = case
    bounds = np.sort(rng.integers(0, whole.length + 1, rng.integers(2, 30)))
    (want, order), (got, same_order) = whole.m4(bounds), cut.m4(bounds)
    got, want = (states.copy() for states in (got, want))
    for states in (got, want):  # of no use there
        for name in states.dtype.names:
            states[name] = np.where(states["n_finite"] > 0, states[name], 0) if name != "has" else states[name]
    np.testing.assert_array_equal(got, want)
    assert same_order == order or not (got["n_finite"] > 0).any()


@given(cut_series())
@examples(100)
def test_any_cut_gives_the_samples_of_the_whole(case):
    whole, cut, _, rng = case
    begin, end = sorted(rng.integers(0, whole.length + 1, 2).tolist())
    got, want = cut.gather(begin, end), whole.gather(begin, end)
    assert (got.dtype == want.dtype and np.ma.isMaskedArray(got) == np.ma.isMaskedArray(want)) or begin == end
    np.testing.assert_array_equal(np.ma.filled(np.ma.asarray(got), 0), np.ma.filled(np.ma.asarray(want), 0))
    places = rng.integers(0, whole.length, 20)
    np.testing.assert_array_equal(cut.take(places), whole.take(places))
    assert cut.limits()[:2] == pytest.approx(whole.limits()[:2], rel=0, abs=0, nan_ok=True)


@given(cut_series(), st.sampled_from(("rising", "falling", "constant", "neither")))
@examples(150)
def test_any_cut_has_the_order_of_the_whole(case, kind):
    _, cut, engine, rng = case
    array, chunks = engine.array, engine.chunks
    if kind != "neither" and not np.ma.isMaskedArray(array):
        finite = np.nan_to_num(array[:, 1], posinf=9, neginf=-9)
        array[:, 1] = np.sort(finite)[::-1 if kind == "falling" else 1] if kind != "constant" else finite[0]
    whole, cut = series_of(describe(array), 0, {1: 1}), series_of(in_pieces(array, chunks)[0], 0, {1: 1})
    assert cut.ways() == whole.ways()
    for one, other in ((whole, cut), (whole.reversed(), cut.reversed())):
        assert other.ways() == one.ways()
        if one.ways()[0]:
            values = np.r_[-np.inf, np.inf, rng.choice(np.ma.getdata(array[:, 1]).astype(float), 9), rng.normal(size=9) * 50]
            np.testing.assert_array_equal(other.search(values), one.search(values))


def test_what_a_search_knows_of_chunks_follows_the_direction():
    x = np.arange(1000.0)[::-1].copy()
    source, engine = in_pieces(x, (130,))
    falling = series_of(source)
    assert falling.ways() == (False, True)
    engine.take_reads()
    np.testing.assert_array_equal(falling.reversed().search([-5, 0, 129.5, 500, 2000]), [0, 0, 130, 500, 1000])
    assert engine.take_reads() == {(6,): 1, (3,): 1}


# ---- reads ---------------------------------------------------------------------------------------------------------------


def line_of(ax, *args, **options):
    line, = gpuplot.plot(*args, ax=ax, **options)
    return line


def test_only_chunks_that_are_seen_are_read():
    array = np.random.default_rng(0).normal(size=(100_000, 3)).astype("float32")
    source, engine = in_pieces(array, (1000, 1))
    fig, ax = plt.subplots()
    lines = gpuplot.plot(source, ax=ax)
    assert isinstance(lines[1]._series[1], ChunkedSeries)
    assert engine.take_reads() == {(k, column): 1 for k in range(100) for column in range(3)}  # limits
    fig.canvas.draw()
    assert engine.take_reads() == {(k, column): 1 for k in range(100) for column in range(3)}  # pixels
    fig.canvas.draw()
    assert engine.take_reads() == {}
    ax.set_xlim(20_500, 29_499)
    lines[0].set_visible(False)
    fig.canvas.draw()
    assert engine.take_reads() == {(k, column): 1 for k in range(20, 30) for column in (1, 2)}
    ax.set_xlim(50_100, 50_400)  # single samples
    lines[1].set_color("red")
    fig.canvas.draw()
    assert engine.take_reads() == {(50, column): 1 for column in (1, 2)}


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_a_draw_for_the_layout_alone_reads_nothing(suffix):
    """A tight box draws once more, into nothing, and the line is at another place in the file than on the canvas."""
    source, engine = in_pieces(np.random.default_rng(0).normal(size=100_000), (1000,))
    fig, ax = plt.subplots()
    line_of(ax, source)
    engine.take_reads()
    for reads in ({(k,): 1 for k in range(100)}, {}):
        fig.savefig(io.BytesIO(), format=suffix, bbox_inches="tight")
        assert engine.take_reads() == reads


@pytest.mark.parametrize("is_local", [True, False])
def test_x_in_chunks_is_read_to_learn_its_order_and_then_where_it_is_seen(is_local):
    """Once a zoom where this process reads it; workers search it, and read it again for the x of the samples."""
    x, y = np.sort(np.random.default_rng(0).random(100_000)) * 100, np.random.default_rng(1).normal(size=100_000)
    (xs, of_x), (ys, of_y) = in_pieces(x, (1000,)), in_pieces(y, (1500,))
    of_x.is_local, (fig, ax) = is_local, plt.subplots()
    line_of(ax, xs, ys)
    fig.canvas.draw()
    of_x.take_reads(), of_y.take_reads()
    ax.set_xlim(x[20_500], x[29_499])
    fig.canvas.draw()
    reads = of_x.take_reads()
    assert set(reads) == {(k,) for k in range(20, 30)} and set(reads.values()) == {1 if is_local else 2}
    assert of_y.take_reads() == {(k,): 1 for k in range(13, 20)}


@pytest.mark.parametrize("x", ["none", "rising", "falling", "host"])
def test_a_picture_is_that_of_the_whole(x):
    rng = np.random.default_rng(0)
    y = rng.normal(size=60_000).cumsum().astype("float32")
    y[[500, 501, 40_000]] = np.nan, np.inf, np.nan
    xs = np.sort(rng.random(60_000)) * 60_000
    args = [] if x == "none" else [xs[::-1].copy() if x == "falling" else xs]
    pixels = []
    for is_cut in (False, True):
        given = [in_pieces(one, (777 + k,))[0] if is_cut and not (x == "host" and k == 0) else one for k, one in enumerate([*args, y])]
        fig, ax = plt.subplots()
        line = line_of(ax, *given, label="walk")
        ax.legend()
        for limits in ((-100, 60_100), (300, 900), (10_000, 30_000.5)):
            ax.set_xlim(limits)
            fig.canvas.draw()
            pixels.append(np.asarray(fig.canvas.buffer_rgba()).copy())
        line.freeze()
    for want, got in zip(pixels[:3], pixels[3:], strict=True):
        np.testing.assert_array_equal(got, want)


def test_x_in_no_order_is_refused_where_it_is_long(monkeypatch):
    monkeypatch.setattr(line_samples, "MAX_UNSORTED_SAMPLES", 5000)
    x = np.random.default_rng(0).random(9000)
    with pytest.raises(ValueError, match="x neither rises nor falls"):
        gpuplot.plot(in_pieces(x, (1000,))[0], x)
    monkeypatch.setattr(line_samples, "MAX_UNSORTED_SAMPLES", 10_000)
    line, = gpuplot.plot(in_pieces(x, (1000,))[0], x)
    np.testing.assert_array_equal(line.get_xdata(orig=False), x)


def test_logarithmic_axes_begin_at_the_smallest_positive_number():
    y = np.random.default_rng(0).random(50_000)
    y[:5] = 0
    ends = []
    for X in (y, in_pieces(y, (999,))[0]):
        fig, ax = plt.subplots()
        line_of(ax, X)
        ax.set_yscale("log")
        fig.canvas.draw()
        ends.append(ax.get_ylim())
    assert ends[0] == ends[1]


def test_update_reads_again_and_learns_the_order_anew():
    x = np.arange(10_000.0)
    data = LineData(series_of(describe(x)), series_of(in_pieces(x, (1000,))[0]))
    assert data.is_sorted
    x[5000] = -1
    assert data.is_sorted
    assert not LineData(data.y, data.x).is_sorted
