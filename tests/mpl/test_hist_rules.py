"""`hist`: NumPy's rules that choose the bins."""

import matplotlib as mpl
import numpy as np
import pytest
from histograms import FLOATS, axes
from matrix import matrix
from on_device import there
from pieces import in_pieces

import gpuplot
from gpuplot.errors import GpuplotWarning
from gpuplot.plane.chunks import chunk_counts
from gpuplot.statistics import stone_rule
from gpuplot.statistics.numpy_histogram import Dataset

RULES = ("auto", "fd", "doane", "scott", "rice", "sturges", "sqrt", "stone")


@pytest.mark.filterwarnings("ignore:.*the most that it tries", "ignore:The number of bins estimated")
@matrix(rule=RULES, dtype=("uint8", "int16", "int64", "float16", "float32", "float64"), range=(None, "inside", "around"), n_tensors=(1, 2))
def test_rules_choose_as_numpys(rule, dtype, range, n_tensors):
    tensors = [(np.random.default_rng(seed).gamma(2, 10, (30, 41)) + 3 * seed).astype(dtype) for seed in (1, 2)][:n_tensors]
    all_of_them = np.concatenate([a.ravel() for a in tensors])
    range = {None: None, "inside": (8.5, 40.25), "around": (-100, 300)}[range]
    if range is not None and dtype == "uint8":
        range = (max(range[0], 0), min(range[1], 255))
    # NumPy's sums of squares are beyond float16 here, and it rounds each cube.
    wide = dtype == "float16" and rule in ("doane", "scott")
    want = np.histogram_bin_edges(all_of_them.astype("float32") if wide else all_of_them, rule, range)
    found = gpuplot.hist(tensors if n_tensors > 1 else tensors[0], rule, range=range, ax=axes(), histtype="step")
    np.testing.assert_allclose(found.bins, want, 2e-3 if wide else 1e-12)
    edges = found.bins.astype(dtype) if dtype in FLOATS else found.bins
    np.testing.assert_array_equal(np.atleast_2d(found.n), [np.histogram(a, edges)[0] for a in tensors])


@pytest.mark.filterwarnings("ignore:.*the most that it tries", "ignore:The number of bins estimated", "ignore:Converting input from bool")
@matrix(dtype=("bool", "uint8", "int8", "uint16", "int32", "int64", "float16", "float32", "float64"), rule=(*RULES, 7, 90),
        size=(1, 2, 5, 60, 400), range=(None, (-3.25, 17.5)))
def test_counts_and_edges_are_numpys(dtype, rule, size, range):
    """Also where float16 rounds deviations and widths, as NumPy computes with them; of doane's rule it rounds each cube."""
    if (dtype, rule) == ("float16", "doane"):
        pytest.skip("NumPy rounds each cube to float16")
    values = np.random.default_rng(size).gamma(2, 4, size)
    a = values > 6 if dtype == "bool" else values.astype(dtype)
    range = (0, 11) if range and a.dtype.kind in "bu" else range
    want, edges = np.histogram(a, rule, range)
    found = gpuplot.hist(a, rule, range=range, ax=axes(), histtype="step")
    np.testing.assert_array_equal(found.bins, edges)
    np.testing.assert_array_equal(found.n, want)


@pytest.mark.filterwarnings("ignore:.*the most that it tries", "ignore:The number of bins estimated")
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int16"])
@pytest.mark.parametrize("rule", RULES)
def test_rules_within_a_range_of_one_number_that_is_widened(rule, dtype):
    a = (np.random.default_rng(1).integers(-4, 5, 300) / 4).astype(dtype)
    want = np.histogram_bin_edges(a, rule, (1, 1))
    np.testing.assert_array_equal(gpuplot.hist(a, rule, range=(1, 1), ax=axes(), histtype="step").bins, want)


@pytest.mark.host("arrays in chunks are of the host")
@pytest.mark.filterwarnings("ignore:.*the most that it tries", "ignore:The number of bins estimated", "ignore:.*not counted")
@matrix(rule=RULES, dtype=("uint8", "int64", "float16", "float32", "float64"), n_tensors=(1, 2), most=(2**20, 50),
        range=(None, (8.5, 40.25), (-100, 300), (10, 11), (900, 999)))
def test_rules_choose_for_arrays_in_chunks_as_in_memory(monkeypatch, rule, dtype, range, n_tensors, most):
    """Within a range, too, and for several together."""
    monkeypatch.setattr(chunk_counts, "MAX_COLLECTED", most)
    tensors = [(np.random.default_rng(seed).gamma(2, 10, (30, 41)) + 3 * seed).astype(dtype) for seed in (1, 2)][:n_tensors]
    chunked = [in_pieces(tensors[0], (17, 13))[0], *tensors[1:]]
    want, found = (gpuplot.hist(of if n_tensors > 1 else of[0], rule, range=range, ax=axes(), histtype="step")
                   for of in (tensors, chunked))
    np.testing.assert_array_equal(found.bins, want.bins)
    np.testing.assert_array_equal(found.n, want.n)


@pytest.mark.parametrize("rule", ["scott", "doane"])
def test_rules_for_float16_beyond_its_squares_are_those_for_float64(rule):
    """The standard deviation is infinite in NumPy, whose bins are then one, or too few."""
    a = (np.random.default_rng(0).normal(size=400) * 300).astype("float16")
    with np.errstate(over="ignore"):
        assert np.std(a) == np.inf
    want = len(np.histogram_bin_edges(a.astype("float64"), rule))
    assert len(gpuplot.hist(a, rule, ax=axes(), histtype="step").bins) == want


@pytest.mark.filterwarnings("ignore:.*the most that it tries", "ignore:The number of bins estimated")
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("a", [[3.0], [1.0, 1.0, 1.0], [1, 2], [1, 2, 2], [0, 0, 0, 0, 0, 9], [], [1e90, -1e90, 5], [1, 2**20]])
def test_rules_for_few_elements(rule, a):
    want = np.histogram_bin_edges(a, rule)
    assert gpuplot.hist(a, rule, ax=axes(), histtype="step").bins.tolist() == want.tolist()


@pytest.mark.filterwarnings("ignore:.*the most that it tries", "ignore:The number of bins estimated")
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("scale", [1e-310, 1e-200])
def test_rules_for_numbers_whose_squares_are_zero(rule, scale):
    """Of numbers below 1e-308, "scott" could not convert NaN to an integer, and "doane" had more bins than NumPy."""
    a = np.random.default_rng(0).normal(size=1000) * scale
    want = np.histogram_bin_edges(a, rule)
    np.testing.assert_array_equal(gpuplot.hist(a, rule, ax=axes(), histtype="step").bins, want)


@pytest.mark.parametrize("rule", ["scott", "doane"])
def test_rules_for_numbers_whose_squares_are_infinite(rule):
    """They raised "Numerical result out of range"."""
    a = np.random.default_rng(0).normal(size=1000) * 1e200
    assert gpuplot.hist(a, rule, ax=axes()).n.sum() == 1000


def test_rules_leave_out_what_is_not_finite_and_masked():
    a = np.random.default_rng(0).normal(size=400)
    with pytest.warns(GpuplotWarning, match="1 NaN"):
        assert len(gpuplot.hist(np.append(a, np.nan), "auto", ax=axes()).n) == len(np.histogram(a, "auto")[0])
    masked = np.ma.array(np.append(a, 1e9), mask=np.append(np.zeros(400, bool), True))
    assert len(gpuplot.hist(masked, "scott", ax=axes()).n) == len(np.histogram(a, "scott")[0])


@pytest.mark.parametrize("seed", range(3))
def test_stones_rule_takes_few_passes(monkeypatch, seed):
    """As many as edges of all numbers of bins fill, and not one for each number, as NumPy's own."""
    rng = np.random.default_rng(seed)
    a = np.concatenate([rng.normal(0, 1, 30_000), rng.normal(4, 0.1, 10_000 * seed)])
    want = np.histogram_bin_edges(a, "stone")
    n_tried = max(100, int(len(a)**0.5))
    passes = []
    count = Dataset.count
    monkeypatch.setattr(Dataset, "count", lambda *arguments: passes.append(1) or count(*arguments))
    for n_edges in (stone_rule.PASS_EDGES, 5000):
        monkeypatch.setattr(stone_rule, "PASS_EDGES", n_edges)
        passes.clear()
        np.testing.assert_array_equal(gpuplot.hist(a, "stone", ax=axes(), histtype="step").bins, want)
        assert len(passes) <= 3 + n_tried * (n_tried + 3) / 2 / (n_edges - n_tried - 1)


def test_stones_rule_where_the_tensor_is(emulated):
    a = np.random.default_rng(4).gamma(2, 10, 3000)
    np.testing.assert_array_equal(gpuplot.hist(there(a), "stone", ax=axes(), histtype="step").bins, np.histogram_bin_edges(a, "stone"))


def test_stones_rule_says_where_it_ends():
    with pytest.warns(GpuplotWarning, match="chose 100 bins, the most that it tries for 3 elements"):
        gpuplot.hist([1, 2, 2], "stone", ax=axes(), histtype="step")


def test_rules_that_are_none_or_choose_too_much():
    a = np.append(np.random.default_rng(0).normal(size=1000), 1e9)
    for options, error, text in (({"bins": "many"}, ValueError, "sturges, sqrt"),
                                 ({"bins": "fd"}, ValueError, "far away"), ({"bins": "fd", "weights": a}, TypeError, "weights")):
        with pytest.raises(error, match=text):
            gpuplot.hist(a, ax=axes(), **options)
    with mpl.rc_context({"hist.bins": "sqrt"}):
        assert len(gpuplot.hist(a, ax=axes(), histtype="step").n) == 32


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("X", [
    np.round(np.random.default_rng(4).random(1000), 1).astype("f4"), np.round(np.random.default_rng(4).random(300), 1).astype("f2"),
    np.arange(8), np.array([4402140839885135959, -4057903162368998681])], ids=["float32", "float16", "symmetric", "large"])
def test_rules_of_numbers_that_rounding_moves(X, rule):
    """Percentiles are float64 in NumPy, symmetric elements have no skewness, and differences of large integers are exact."""
    assert len(gpuplot.hist(X, rule, ax=axes()).bins) == len(np.histogram_bin_edges(X, rule))
