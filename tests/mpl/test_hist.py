"""`hist`: the counts of numpy.histogram and the patches of Axes.hist, for tensors of every dtype, layout and number."""

import pickle
import warnings

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
import reference
from matplotlib.figure import Figure
from matrix import matrix
from on_device import there
from stored_tensors import CODED, as_source, storage_of

import gpuplot
from gpuplot import _native
from gpuplot.errors import GpuplotWarning, UnsupportedError
from gpuplot.statistics import stone_rule
from gpuplot.statistics.numpy_edges import MAX_BINS
from gpuplot.statistics.numpy_histogram import Dataset

FLOATS = ("float16", "float32", "float64")
INTEGERS = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64")


def sample(dtype, shape=(60, 70), seed=0):
    """Elements of a dtype that fill most of what it has, with ends that are not nice numbers."""
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    return (rng.normal(size=shape) * 3.3).astype(dtype)


def axes():
    return Figure().subplots()


def drawn(patches):
    """The outlines of all patches in a container of them, or in several."""
    if isinstance(patches, mpl.container.BarContainer) or not isinstance(patches[0], (list, mpl.container.BarContainer)):
        patches = [patches]
    return [patch.get_path().transformed(patch.get_patch_transform()).vertices for some in patches for patch in some]


def assert_same_drawing(ours, theirs):
    """The same n, bins and patches, in Axes with the same limits."""
    (n, bins, patches), (want_n, want_bins, want_patches) = ours, theirs
    np.testing.assert_array_equal(n, want_n)
    np.testing.assert_array_equal(bins, want_bins)
    assert (n.dtype, bins.dtype) == (want_n.dtype, want_bins.dtype)
    assert type(patches) is type(want_patches)
    got, want = drawn(patches), drawn(want_patches)
    assert len(got) == len(want)
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one, other)


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


def test_layouts():
    a = sample("float32", (40, 50, 6))
    want, edges = np.histogram(a[::2, ::-3, 1:5], 31)
    for b in (a[::2, ::-3, 1:5], a[::2, ::-3, 1:5].T, a[::2, ::-3, 1:5].astype(">f4"), np.broadcast_to(a[::2, ::-3, 1:5], (3, 20, 17, 4))):
        n, bins, _ = gpuplot.hist(b, 31, ax=axes())
        np.testing.assert_array_equal(n, want * (3 if b.ndim == 4 else 1))
        np.testing.assert_array_equal(bins, edges)


# ---- rules that choose the bins ----------------------------------------------------------------------------------------

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
    for options, error, text in (({"bins": "many"}, ValueError, "'sturges', 'sqrt'"),
                                 ({"bins": "fd"}, ValueError, "far away"), ({"bins": "fd", "weights": a}, TypeError, "weights")):
        with pytest.raises(error, match=text):
            gpuplot.hist(a, ax=axes(), **options)
    with mpl.rc_context({"hist.bins": "sqrt"}):
        assert len(gpuplot.hist(a, ax=axes(), histtype="step").n) == 32


# ---- weights -----------------------------------------------------------------------------------------------------------


def assert_sums_agree(n, a, weights, edges):
    """As definitions promise for sums: within 1e-6, or 1e-12 of the sum of magnitudes."""
    want = np.histogram(a, edges, weights=weights.astype(float))[0]
    size = np.histogram(a, edges, weights=abs(weights.astype(float)))[0]
    assert (abs(n - want) <= np.maximum(1e-6 * abs(want), 1e-12 * size)).all()


@matrix(dtype=("uint8", "int16", "float16", "float32", "int64"), weights=("bool", "int8", "float16", "float32", "float64", "uint64"),
        bins=(5, 300, "uneven"))
def test_weights_are_added_up(dtype, weights, bins):
    a = sample(dtype)
    w = sample(weights, seed=1) if weights != "bool" else sample("float32") > 0
    edges = np.histogram_bin_edges(a, bins) if bins != "uneven" else np.unique(a.ravel()[:40])
    n, found, _ = gpuplot.hist(a, edges if bins == "uneven" else bins, weights=w, ax=axes(), histtype="step")
    np.testing.assert_array_equal(found, edges)
    assert_sums_agree(n, a, w, edges)


def test_small_sums_beside_large_ones():
    a, w = np.arange(6.0), np.array([1e20, 1e-3, 1, -1e20, 3e-9, 0])
    n = gpuplot.hist(a, 6, weights=w, ax=axes()).n
    assert n.tolist() == w.tolist()


@matrix(density=(False, True), cumulative=(False, True, -1), stacked=(False, True), n_tensors=(1, 3))
def test_weighted_numbers_drawn_are_those_of_matplotlib(density, cumulative, stacked, n_tensors):
    a = [sample("float64", 500, seed) for seed in range(n_tensors)]
    w = [abs(sample("float64", 500, 9 + seed)) for seed in range(n_tensors)]
    options = {"density": density, "cumulative": cumulative, "stacked": stacked}
    n, bins, patches = gpuplot.hist(a, 12, weights=w, ax=axes(), **options)
    want_n, want_bins, want = axes().hist(a, 12, weights=w, **options)
    np.testing.assert_allclose(n, want_n, 1e-12)
    np.testing.assert_array_equal(bins, want_bins)
    for one, other in zip(drawn(patches), drawn(want), strict=True):
        np.testing.assert_allclose(one, other, 1e-12, 1e-14)


def test_weights_of_other_layouts_and_masked_ones():
    a, w = sample("float32", (40, 50)), sample("float64", (50, 40), 3).T
    want = np.histogram(a[::2, ::-1], 9, weights=w[::2, ::-1])[0]
    np.testing.assert_allclose(gpuplot.hist(a[::2, ::-1], 9, weights=w[::2, ::-1], ax=axes()).n, want, 1e-12)
    is_masked = w > 1
    found = gpuplot.hist(a, 9, range=(-9, 9), weights=np.ma.array(w, mask=is_masked), ax=axes())
    np.testing.assert_allclose(found.n, np.histogram(a[~is_masked], 9, (-9, 9), weights=w[~is_masked])[0], 1e-12)
    with pytest.warns(GpuplotWarning, match="1 NaN"):
        assert gpuplot.hist([1, 2, np.nan], 1, range=(0, 3), weights=[1, 2, 3], ax=axes()).n.tolist() == [3]


def test_sums_are_the_same_on_every_number_of_threads():
    a, w = np.random.default_rng(0).normal(size=(2, 3_000_000))
    before = _native.threads_limit()
    try:
        found = [gpuplot.hist(a, 50, weights=w, ax=axes()).n.tolist() for n in (1, 2, 5) if _native.threads_limit(n)]
    finally:
        _native.threads_limit(before)
    assert found[0] == found[1] == found[2]


def test_weights_that_do_not_fit():
    a = np.ones((3, 4))
    for weights, text in ((np.ones(12), "alike"), ([np.ones((3, 4))] * 2, "2 tensors"), (np.ones((3, 4), complex), "complex128")):
        with pytest.raises((ValueError, TypeError), match=text):
            gpuplot.hist(a, weights=weights, ax=axes())


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


# ---- drawing: Axes.hist's ----------------------------------------------------------------------------------------------


def assert_drawn_as_by_matplotlib(dtype, n_tensors, options):
    a = [(sample("float64", 500, seed) * 20).astype(dtype) for seed in range(n_tensors)]
    ours, theirs = axes(), axes()
    assert_same_drawing(gpuplot.hist(a, 12, ax=ours, **options), theirs.hist(a, 12, **options))
    assert (ours.get_xlim(), ours.get_ylim(), ours.get_yscale()) == (theirs.get_xlim(), theirs.get_ylim(), theirs.get_yscale())


@matrix(histtype=("bar", "barstacked", "step", "stepfilled"), density=(False, True), cumulative=(False, True, -1), stacked=(False, True),
        n_tensors=(1, 3))
def test_numbers_drawn_are_those_of_matplotlib(histtype, density, cumulative, stacked, n_tensors):
    assert_drawn_as_by_matplotlib("float32", n_tensors, {"histtype": histtype, "density": density, "cumulative": cumulative,
                                                         "stacked": stacked})


@matrix(histtype=("bar", "step", "stepfilled"), orientation=("vertical", "horizontal"), align=("left", "mid", "right"), log=(False, True),
        dtype=("float16", "int32"))
def test_drawing_is_that_of_matplotlib(histtype, orientation, align, log, dtype):
    assert_drawn_as_by_matplotlib(dtype, 1, {"histtype": histtype, "orientation": orientation, "align": align, "log": log})


@pytest.mark.parametrize("options", [
    {"rwidth": 0.5}, {"bottom": 3}, {"color": "red"}, {"alpha": 0.4, "hatch": "/"}, {"label": "some"}, {"ec": "blue", "lw": 3},
    {"bins": [-5, 0, 1, 7]}, {"bins": None}, {"range": (-2, 3)}, {"zorder": 7, "histtype": "step"}, {"fill": False}])
def test_keywords_go_to_matplotlib(options):
    a = sample("float32", 700)
    ours, theirs = axes(), axes()
    found, want = gpuplot.hist(a, ax=ours, **options), theirs.hist(a, **options)
    assert_same_drawing(found, want)
    for one, other in zip(found[2], want[2], strict=True):
        for name in ("facecolor", "edgecolor", "linewidth", "alpha", "hatch", "zorder", "fill"):
            assert getattr(one, f"get_{name}")() == getattr(other, f"get_{name}")()
    assert ours.get_legend_handles_labels()[1] == theirs.get_legend_handles_labels()[1]


def test_names_become_labels():
    a, b = sample("float32", 50), sample("float32", 60, 1)
    ax = axes()
    found = gpuplot.hist({"first": a, "second": b}, 5, ax=ax)
    assert ax.get_legend_handles_labels()[1] == ["first", "second"]
    assert found.n.shape == (2, 5) and found.nan == (0, 0)
    ax = axes()
    gpuplot.hist([a, b], 5, ax=ax, label=["x", "y"])
    assert ax.get_legend_handles_labels()[1] == ["x", "y"]
    ax = axes()
    gpuplot.hist("a", ax=ax, data={"a": a})
    assert ax.get_legend_handles_labels()[1] == ["a"]


def test_several_tensors_of_several_dtypes_share_their_edges():
    a = [sample("float32", 90), sample("int16", 80) // 5000, sample("float16", 70)]
    assert_same_drawing(gpuplot.hist(a, 12, ax=axes()), axes().hist(a, 12))


def test_the_current_axes_of_pyplot():
    from matplotlib import pyplot

    figure = pyplot.figure()
    gpuplot.hist([1, 2, 2])
    assert len(figure.gca().patches) == 10
    pyplot.close(figure)
    with pytest.raises(ValueError, match="one color per dataset"):
        gpuplot.hist([np.ones(2), np.ones(3)], color=["red"])
    assert pyplot.get_fignums() == []


def test_what_is_returned_is_a_tuple_that_can_be_pickled():
    found = gpuplot.hist([1, 2, 2.5], 3, ax=axes())
    n, bins, patches = found
    assert n is found.n and bins is found.bins and patches is found.patches and isinstance(found, tuple)
    twin = pickle.loads(pickle.dumps(found))
    assert twin.n.tolist() == n.tolist() and twin.nan == 0


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
    ({"ax": "ax"}, TypeError, "one matplotlib Axes"), ({"bins": 10**6}, ValueError, "Too many bins")])
def test_mistakes(options, error, text):
    ax = axes()
    with pytest.raises(error, match=text):
        gpuplot.hist(np.float32([1, 1.001]), **{"ax": ax, **options})
    assert not ax.patches


DAYS = np.array(["2026-01-01", "2026-01-02", "2026-01-09", "2026-02-02"], "M8[D]")
IN_UNITS = {
    "days": DAYS, "nanoseconds": DAYS.astype("M8[ns]"), "datetimes": DAYS.astype(object).tolist(), "two of dates": [DAYS, DAYS[1:3]],
    "texts": ["b", "a", "b", "c"], "an array of texts": np.array(["b", "a", "b"]), "objects": np.array(["b", "a", "b"], object),
    "two of texts": [["b", "a"], ["a", "c", "c"]], "two lists": [[1, 2, 2], [2, 3]],
}


@pytest.mark.parametrize("orientation", ["vertical", "horizontal"])
@pytest.mark.parametrize("a", IN_UNITS.values(), ids=IN_UNITS)
def test_dates_and_texts_are_in_the_units_of_the_axis(a, orientation):
    """As matplotlib counts them, on an axis that then has their ticks; lists of a list are datasets."""
    ours, theirs = axes(), axes()
    n, bins, _ = gpuplot.hist(a, 7, ax=ours, orientation=orientation)
    want, edges, _ = theirs.hist(a, 7, orientation=orientation)
    np.testing.assert_array_equal(n, want)
    np.testing.assert_array_equal(bins, edges)
    labels = [ax.get_yticklabels() if orientation == "horizontal" else ax.get_xticklabels() for ax in (ours, theirs)]
    assert [text.get_text() for text in labels[0]] == [text.get_text() for text in labels[1]]


def test_edges_and_ranges_that_are_dates():
    months = np.array(["2026-01-01", "2026-02-01", "2026-03-01"], "M8[D]")
    for bins in (months, months.astype(object).tolist(), months.astype("M8[s]")):
        assert gpuplot.hist(DAYS, bins, ax=axes()).n.tolist() == [3, 1]
    for range in ((months[0], months[1]), tuple(months[:2].astype(object)), months[:2]):
        found = gpuplot.hist(DAYS, 2, range=range, ax=axes())
        assert found.n.tolist() == [3, 0] and found.outside == 1
    with pytest.raises(ValueError, match="must not fall"):
        gpuplot.hist(DAYS, months[::-1], ax=axes())


def test_a_day_that_is_none_is_nan():
    with pytest.warns(GpuplotWarning, match="1 NaN of 3 elements"):
        found = gpuplot.hist(np.array(["2026-01-01", "NaT", "2026-01-03"], "M8[D]"), 2, ax=axes())
    assert found.n.tolist() == [1, 1] and found.nan == 1


def test_texts_of_any_shape_are_counted_together_with_weights():
    found = gpuplot.hist(np.array([["x", "y"], ["y", "y"]]), range(3), weights=[[1, 2], [3, 4.5]], align="left", ax=axes())
    assert found.n.tolist() == [1, 9.5]


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


@pytest.mark.parametrize("nothing", [None, [None, None]], ids=str)
def test_none_is_not_taken_for_missing_dates(nothing):
    with pytest.raises((UnsupportedError, ValueError), match="are not numbers|no tensors to count"):
        gpuplot.hist(nothing)
    with pytest.raises((UnsupportedError, ValueError), match="are not numbers|no tensors to count"):
        gpuplot.hist2d(nothing, nothing)
