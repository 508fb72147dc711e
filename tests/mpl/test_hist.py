"""`hist`: the counts of numpy.histogram for tensors of every dtype and layout, what is in no bin, and mistakes."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
import reference
from capsules import Producer
from histograms import FLOATS, INTEGERS, axes, sample
from matrix import matrix
from stored_tensors import CODED, as_source, storage_of

import gpuplot
from gpuplot.errors import GpuplotWarning, UnsupportedError
from gpuplot.statistics.numpy_edges import MAX_BINS

# ---- counts: numpy.histogram's -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "uint64"])
@pytest.mark.parametrize("n_edges", [9, 300, 20_000])
def test_many_elements_in_uneven_bins(dtype, n_edges):
    """Edges that are elements, their neighbors, far apart, next to each other and around zero."""
    elements = sample(dtype, (700, 701))
    chosen = elements.ravel()[:: max(1, elements.size // n_edges)].astype(np.float64)
    edges = np.unique([*chosen, *np.nextafter(chosen[:5], np.inf), *np.nextafter(chosen[5:9], -np.inf), 0.0, 5e-324, 1e-300])
    counts, _, _ = gpuplot.hist(elements, edges, ax=axes(), histtype="step")
    np.testing.assert_array_equal(counts, np.histogram(elements.astype(np.float64), edges)[0])


@matrix(dtype=FLOATS + INTEGERS, bins=(1, 7, 64, 300), range=(None, "inside", "around", "integers"))
def test_counts_are_those_of_numpy(dtype, bins, range):
    a = sample(dtype)
    low, high = float(a.min()), float(a.max())
    range = {None: None, "inside": (low / 3, high / 4), "around": (low - abs(low) / 8, high * 1.1),
             "integers": (int(low / 5), int(high / 3))}[range]
    want, edges = np.histogram(a, bins, range)
    n, found, _ = gpuplot.hist(a, bins, range=range, ax=axes(), histtype="step")
    np.testing.assert_array_equal(n, want)
    np.testing.assert_array_equal(found, edges)


@matrix(dtype=FLOATS + INTEGERS, edges=("int", "float64", "float32", "uneven", "repeated", "last", "only"))
def test_counts_between_edges_of_every_kind(dtype, edges):
    a = sample(dtype)
    low, high = (-7, 9) if np.dtype(dtype).kind == "f" else (int(a.min()) // 2, int(a.max()) // 2)
    value = a.flat[7]
    edges = {
        "int": np.linspace(low, high, 6).astype(np.int64), "float64": np.linspace(low, high, 12),
        "float32": np.linspace(low, high, 9, dtype="float32"),
        "uneven": np.sort(a.ravel()[:40]), "repeated": np.sort(np.repeat(a.ravel()[:9], 3)), "last": np.array([a.min(), value, value]),
        "only": np.array([value, value]),
    }[edges]
    want, _ = np.histogram(a, edges)
    n, _, _ = gpuplot.hist(a, edges, ax=axes(), histtype="step")
    np.testing.assert_array_equal(n, want)


@pytest.mark.parametrize("dtype", CODED)
def test_floats_that_numpy_lacks_are_float32(dtype):
    stored = storage_of(np.random.default_rng(3), dtype, (40, 50))
    values = reference.load(stored, dtype).astype("float32")
    want, edges = np.histogram(values, 33)
    n, bins, _ = gpuplot.hist(as_source(stored, dtype), 33, ax=axes(), histtype="step")
    np.testing.assert_array_equal(n, want)
    np.testing.assert_array_equal(bins, edges)


def test_bools_and_long_doubles():
    a = np.random.default_rng(0).random(1000)
    with pytest.warns(RuntimeWarning, match="uint8"):
        want, edges = np.histogram(a < 0.3, 4)
    n, bins, _ = gpuplot.hist(a < 0.3, 4, ax=axes())
    assert (n.tolist(), bins.tolist()) == (want.tolist(), edges.tolist())
    n, bins, _ = gpuplot.hist(a.astype("longdouble"), 9, ax=axes())
    want, edges = np.histogram(a, 9)
    assert (n.tolist(), bins.tolist()) == (want.tolist(), edges.tolist())


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_integers_beyond_float64_are_compared_exactly(dtype):
    top = int(np.iinfo(dtype).max)
    a = np.array([top - 9, top - 3, top - 2, top - 1, top, 5, 2**53, 2**53 + 1], dtype)
    for edges in ([2**53, 2**53 + 1, top - 2, top], [2**53 + 1, top], [top - 3, top - 3, top - 1, top, top]):
        edges = np.array(edges, dtype)
        want, _ = np.histogram(a, edges)
        np.testing.assert_array_equal(gpuplot.hist(a, edges, ax=axes()).n, want)
    for range in (None, np.array([5, top - 2], dtype), np.array([2**53 + 1, top], dtype)):  # NumPy refuses such integers of Python
        want, edges = np.histogram(a, 4, range)
        n, bins, _ = gpuplot.hist(a, 4, range=range, ax=axes())
        np.testing.assert_array_equal(n, want)
        np.testing.assert_array_equal(bins, edges)


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
@pytest.mark.parametrize("end", [2**52 + 1, 2**53 - 1, 2**53 - 3])
@pytest.mark.parametrize("kind", [int, np.int64, np.uint64])
def test_equal_ends_of_large_integers_are_moved_and_rounded_as_in_numpy(dtype, end, kind):
    """Half a step outward rounds to the neighbors, which are then in a bin."""
    a = np.arange(end - 4, end + 5).astype(dtype)
    for n_bins in (1, 2):
        want, edges = np.histogram(a, n_bins, (kind(end), kind(end)))
        n, bins, _ = gpuplot.hist(a, n_bins, range=(kind(end), kind(end)), ax=axes())
        np.testing.assert_array_equal(n, want)
        np.testing.assert_array_equal(bins, edges)


def test_values_at_edges_are_decided_by_them():
    """The estimate of a bin is off by one for three of these."""
    a = [0.3, 0.6, 0.7, 1.0, 0.0, np.nan, 1.5]
    with pytest.warns(GpuplotWarning, match="1 NaN of 7 elements are in no bin"):
        found = gpuplot.hist(a, 10, range=(0, 1), ax=axes())
    assert found.n.tolist() == [1, 0, 1, 0, 0, 1, 1, 0, 0, 1] and (found.nan, found.outside) == (1, 1)


@pytest.mark.parametrize("a", [[], [3, 3, 3], [3.0], np.zeros((2, 0)), np.float32([2.5]), 7, [True, False]])
def test_few_elements(a):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        want, edges = np.histogram(a, 4)
    n, bins, _ = gpuplot.hist(a, 4, ax=axes())
    assert (n.tolist(), bins.tolist()) == (want.tolist(), edges.tolist())


@pytest.mark.parametrize("several", [
    [[], [1, 2]], ((1, 2), ()), [[], []], [[1, 2, 2], np.array([3.0])], [np.ones(2), [2, 2], [0]], [["a", "b"], []],
    [range(3), [], range(9)]])
def test_lists_of_different_lengths(several):
    """Each is a dataset as in matplotlib, an empty one and one beside an array, too."""
    want, edges, bars = axes().hist(several, 3)
    n, bins, patches = gpuplot.hist(several, 3, ax=axes())
    np.testing.assert_array_equal(n, want)
    assert bins.tolist() == edges.tolist() and len(patches) == len(bars)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_lists_of_lists_of_scalars_that_numpy_cannot_read(dtype):
    """Losses of torch with a gradient, or in bfloat16, of two runs: torch's error about numpy() came through."""
    torch = pytest.importorskip("torch")
    how = {"dtype": getattr(torch, dtype), "requires_grad": True}
    runs = [[torch.tensor(loss, **how) for loss in losses] for losses in ([3.0, 2.0, 1.0], [5.0, 4.0])]
    n, bins, _ = gpuplot.hist(runs, 2, ax=axes())
    assert n.tolist() == [[2, 1], [0, 2]] and bins.tolist() == [1, 3, 5]
    n, _, _ = gpuplot.hist([[np.float32(1), runs[0][0]], [2.0]], 2, ax=axes())
    assert n.tolist() == [[1, 1], [0, 1]]


def test_layouts():
    a = sample("float32", (40, 50, 6))
    want, edges = np.histogram(a[::2, ::-3, 1:5], 31)
    for b in (a[::2, ::-3, 1:5], a[::2, ::-3, 1:5].T, a[::2, ::-3, 1:5].astype(">f4"), np.broadcast_to(a[::2, ::-3, 1:5], (3, 20, 17, 4))):
        n, bins, _ = gpuplot.hist(b, 31, ax=axes())
        np.testing.assert_array_equal(n, want * (3 if b.ndim == 4 else 1))
        np.testing.assert_array_equal(bins, edges)


# ---- what is in no bin -------------------------------------------------------------------------------------------------


def test_nan_and_infinities_are_counted_and_said():
    a = np.array([1, 2, np.nan, np.inf, np.inf, -np.inf, 7, np.nan], "float32")
    with pytest.warns(GpuplotWarning, match=r"2 NaN and 2 \+Inf and 1 -Inf of 8 elements are in no bin") as caught:
        found = gpuplot.hist(a, 3, range=(0, 3), ax=axes())
    assert caught[0].filename == __file__
    assert (found.nan, found.pos_inf, found.neg_inf, found.masked, found.outside) == (2, 2, 1, 0, 1)
    assert found.n.tolist() == [0, 1, 1]


def test_nan_is_left_out_of_the_range_and_infinities_refuse_one():
    a = np.array([1, 2, np.nan])
    with pytest.warns(GpuplotWarning, match="1 NaN of 3"):
        assert gpuplot.hist(a, 2, ax=axes()).bins.tolist() == [1, 1.5, 2]
    with pytest.raises(ValueError, match=r"1 of 3 elements are infinite; give range="):
        gpuplot.hist([1, np.inf, 2], ax=axes())
    with pytest.raises(ValueError, match="all elements are NaN"):
        gpuplot.hist([np.nan, np.nan], ax=axes())


def test_masked_elements_are_left_out_silently():
    a = np.ma.masked_less(np.arange(10.0), 4)
    found = gpuplot.hist(a, 3, ax=axes())
    assert (found.n.tolist(), found.bins[0], found.masked) == ([2, 2, 2], 4, 4)


@pytest.mark.host("edges are in host memory")
def test_edges_in_tensors_that_numpy_cannot_read():
    """Only those that NumPy reads by itself were taken, and not those of bfloat16 or that require gradients."""
    edges = Producer([0, 2, 5], (3,))
    assert gpuplot.hist(np.arange(6.0), edges, ax=axes()).n.tolist() == [2, 4]
    assert gpuplot.hist(np.arange(6.0), 2, range=Producer([0, 4], (2,)), ax=axes()).bins.tolist() == [0, 2, 4]
    assert gpuplot.hist2d(np.arange(6.0), np.arange(6.0), edges, ax=axes()).h.tolist() == [[2, 0], [0, 4]]
    assert gpuplot.hist2d(np.arange(6.0), np.arange(6.0), (edges, 1), ax=axes()).h.tolist() == [[2], [4]]
    with pytest.raises(TypeError, match="bins must be a number of bins or a sequence of edges, not Producer"):
        gpuplot.hist(np.arange(6.0), Producer([0, 2], (2,), dtype=(2, 24, 1)), ax=axes())


# ---- mistakes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("options", "error", "text"), [
    ({"bins": 0}, ValueError, "at least one bin"), ({"bins": MAX_BINS + 1}, ValueError, "at most"),
    ({"bins": 2.5}, TypeError, "number of bins"),
    ({"bins": [1]}, ValueError, "at least two"), ({"bins": [1, 3, 2]}, ValueError, "3 is before 2"),
    ({"bins": [0, np.inf]}, ValueError, "finite"), ({"bins": [[1, 2]]}, TypeError, "sequence of edges"),
    ({"bins": "many"}, ValueError, "many"),
    ({"range": (3, 1)}, ValueError, "falls"), ({"range": (0, np.inf)}, ValueError, "finite"), ({"range": 3}, TypeError, "pair"),
    ({"range": "ab"}, TypeError, "pair"), ({"histtype": "line"}, ValueError, "stepfilled"), ({"align": "top"}, ValueError, "left"),
    ({"orientation": "up"}, ValueError, "vertical"), ({"colour": "red"}, AttributeError, "did you mean color="),
    ({"ax": "ax"}, TypeError, "one matplotlib Axes"), ({"bins": 10**6}, ValueError, "Too many bins.*give fewer"),
    ({"range": (-1.7e308, 1.7e308)}, ValueError, "beyond the largest number"), ({"range": np.array([1, 2], "m8[ns]")}, TypeError, "pair")])
def test_mistakes(options, error, text):
    ax = axes()
    with pytest.raises(error, match=text):
        gpuplot.hist(np.float32([1, 1.001]), **{"ax": ax, **options})
    assert not ax.patches


def test_complex_numbers_and_texts_are_refused():
    with pytest.raises(UnsupportedError, match="complex64"):
        gpuplot.hist(np.zeros(3, "complex64"))
    with pytest.raises(UnsupportedError):
        gpuplot.hist("ab")
    with pytest.raises(UnsupportedError, match="timedelta"):
        gpuplot.hist(np.array([1, 2], "m8[s]"))
    assert plt.get_fignums() == []
    with pytest.raises(ValueError, match="empty"):
        gpuplot.hist({})


@pytest.mark.parametrize("x", [np.array([np.inf, 1, 2], object), [None, -np.inf, 1, 2], [np.inf, 1, None, 2]], ids=str)
def test_infinities_among_objects_are_refused_as_those_of_floats(x):
    """They became NaN, which a histogram leaves out."""
    with pytest.raises(ValueError, match=r"1 of . elements are infinite; give range=\(1, 2\)"):
        gpuplot.hist(x)
    with pytest.warns(gpuplot.GpuplotWarning, match="are in no bin"):
        assert gpuplot.hist(x, 2, range=(1, 2)).n.tolist() == [1, 1]


@pytest.mark.parametrize("nothing", [None, [None, None]], ids=str)
def test_none_is_not_taken_for_missing_dates(nothing):
    with pytest.raises((UnsupportedError, ValueError), match="are not numbers|no tensors to count"):
        gpuplot.hist(nothing)
    with pytest.raises((UnsupportedError, ValueError), match="are not numbers|no tensors to count"):
        gpuplot.hist2d(nothing, nothing)
