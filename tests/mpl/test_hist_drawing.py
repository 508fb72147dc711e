"""`hist`: the patches of Axes.hist, for every keyword, and axes of dates and texts."""

import pickle
from decimal import Decimal

import matplotlib as mpl
import numpy as np
import pytest
from histograms import assert_same_drawing, axes, sample
from matplotlib.figure import Figure
from matrix import matrix

import gpuplot
from gpuplot.errors import GpuplotWarning


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


def test_many_tensors_are_outlines_of_colors_in_order():
    """Bars of forty tensors cannot be told apart, and a legend of forty names leaves the figure."""
    tensors = {f"layer {k}": sample("float32", 90, k) for k in range(40)}
    ours, theirs = axes(), axes()
    found = gpuplot.hist(tensors, 7, ax=ours)
    assert_same_drawing(found, theirs.hist(list(tensors.values()), 7, histtype="step"))
    assert len({patches[0].get_edgecolor() for patches in found.patches}) == 40
    names = ours.get_legend_handles_labels()[1]
    assert len(names) == 12 and (names[0], names[-1]) == ("layer 0", "layer 39\n(and 28 more)")
    assert found.patches[1][0].get_label() == "_layer 1"


def test_single_numbers_beside_arrays_are_left_out():
    """One counter of batches in a model made all its weights one bar; the command leaves them out, too. Alone they are counted."""
    w, b = sample("float32", 90), sample("float32", 20, 1)
    model = {"w": w, "norm": {"b": b, "num_batches_tracked": np.int64(20_000)}, "epoch": 7}
    ours, theirs = axes(), axes()
    assert_same_drawing(gpuplot.hist(model, 9, ax=ours), theirs.hist([w, b], 9))
    assert ours.get_legend_handles_labels()[1] == ["w", "norm.b"]
    n, _, _ = gpuplot.hist(model, 9, ax=axes(), weights={"w": w, "norm.b": b, "n": 1, "epoch": 1})
    np.testing.assert_array_equal(n, gpuplot.hist([w, b], 9, ax=axes(), weights=[w, b])[0])
    assert gpuplot.hist({"a": 1.0, "b": 2.0}, 2, ax=axes())[0].tolist() == [[1, 0], [0, 1]]
    assert gpuplot.hist([w, np.float32(50)], 9, ax=axes()).bins[-1] == 50


def test_single_numbers_with_a_label_a_color_or_a_weight_are_counted():
    """They were left out, and their label was that of the next tensor."""
    X = {"n": 3, "w": sample("float32", 90)}
    ax = axes()
    assert len(gpuplot.hist(X, 9, label=["steps", "weights"], ax=ax)[0]) == 2
    assert ax.get_legend_handles_labels()[1] == ["steps", "weights"]
    assert len(gpuplot.hist(X, 9, color=["red", "blue"], ax=axes())[0]) == 2
    assert gpuplot.hist(X, 9, weights=[5, X["w"]], ax=axes())[0][0].sum() == 5
    for keywords in ({"label": ["weights"]}, {"label": "of"}, {"color": ["red"]}, {"color": (1, 0, 0)}):
        assert gpuplot.hist(X | {"k": 5}, 9, ax=axes(), **keywords)[0].shape == (9,)


def test_outlines_that_nobody_asked_for_are_listed_in_the_order_of_the_tensors():
    """As bars are; `Axes.hist` lists outlines in reverse, so that the number of bins turned the legend round."""
    tensors = {name: sample("float32", 90, k) for k, name in enumerate("abc")}
    ours, theirs = axes(), axes()
    for ax, bins in ((axes(), 10), (ours, 100)):
        gpuplot.hist(tensors, bins, ax=ax)
        assert ax.get_legend_handles_labels()[1] == ["a", "b", "c"]
    theirs.hist(list(tensors.values()), 100, histtype="step")
    assert (ours.get_xlim(), ours.get_ylim()) == (theirs.get_xlim(), theirs.get_ylim())


def test_a_legend_of_many_names_leaves_the_peak_free():
    """The line that says how many have no entry made it wider than all names do."""
    ax, rng = axes(), np.random.default_rng(0)
    gpuplot.hist({f"layer{k}.weight": rng.normal(0, 1 + k / 8, 50_000) for k in range(16)}, 100, ax=ax)
    legend = ax.legend()
    ax.figure.draw_without_rendering()
    peak = np.stack([np.zeros(50), np.linspace(0, 1, 50) * ax.dataLim.y1], 1)
    assert not legend.get_window_extent().count_contains(ax.transData.transform(peak))


@pytest.mark.parametrize(("n", "bins", "options", "histtype"), [
    (2, 100, {}, "bar"), (2, 101, {}, "step"), (4, 60, {}, "step"), (2, 101, {"stacked": True}, "bar"),
    (2, 101, {"histtype": "bar"}, "bar"), (1, 1000, {}, "bar"), (1, 1001, {}, "stepfilled"), (1, 1001, {"rwidth": 0.5}, "bar")])
def test_bars_thinner_than_a_pixel_are_outlines(n, bins, options, histtype):
    """Side by side they left stripes of nothing; ten thousand of one tensor took ten seconds."""
    tensors = [sample("float32", 900, k) for k in range(n)]
    assert_same_drawing(gpuplot.hist(tensors, bins, ax=axes(), **options), axes().hist(tensors, bins, **options | {"histtype": histtype}))


def test_what_is_given_stays_for_many_tensors():
    tensors = [sample("float32", 30, k) for k in range(12)]
    ours, theirs = axes(), axes()
    options = {"bins": 5, "histtype": "bar", "color": ["red"] * 12, "label": list("abcdefghijkl")}
    assert_same_drawing(gpuplot.hist(tensors, ax=ours, **options), theirs.hist(tensors, **options))
    assert ours.get_legend_handles_labels()[1] == options["label"]
    with mpl.rc_context({"axes.prop_cycle": mpl.cycler(color=[str(k / 12) for k in range(12)])}):
        found = gpuplot.hist(tensors, 5, ax=axes())
    assert {patches[0].get_edgecolor()[0] for patches in found.patches} == {k / 12 for k in range(12)}


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


# ---- dates and texts ---------------------------------------------------------------------------------------------------

DAYS = np.array(["2026-01-01", "2026-01-02", "2026-01-09", "2026-02-02"], "M8[D]")
IN_UNITS = {
    "days": DAYS, "nanoseconds": DAYS.astype("M8[ns]"), "datetimes": DAYS.astype(object).tolist(), "two of dates": [DAYS, DAYS[1:3]],
    "texts": ["b", "a", "b", "c"], "an array of texts": np.array(["b", "a", "b"]), "objects": np.array(["b", "a", "b"], object),
    "two of texts": [["b", "a"], ["a", "c", "c"]], "two lists": [[1, 2, 2], [2, 3]],
}


@pytest.mark.parametrize("orientation", ["vertical", "horizontal"])
@pytest.mark.parametrize("a", IN_UNITS.values(), ids=IN_UNITS)
def test_dates_and_texts_are_in_the_units_of_the_axis(a, orientation):
    """As matplotlib counts them, on an axis that then has their ticks, short ones of dates; lists of a list are datasets."""
    ours, theirs = axes(), axes()
    n, bins, _ = gpuplot.hist(a, 7, ax=ours, orientation=orientation)
    with mpl.rc_context({"date.converter": "concise"}):
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


@pytest.mark.parametrize("label", [["a"], ["a", "b", "c"], ("a",), [], np.array(["a", "b", "c"]), [1, 2, 3]], ids=str)
@pytest.mark.parametrize("X", [[[1.0, 2.0], [3.0]], [1.0, 2.0]], ids=["two", "one"])
def test_labels_may_be_fewer_or_more_than_tensors(label, X):
    """As for `Axes.hist`, which leaves the others out."""
    ours, theirs = axes(), axes()
    gpuplot.hist(X, 2, label=label, ax=ours)
    theirs.hist(X, 2, label=label)
    assert ours.get_legend_handles_labels()[1] == theirs.get_legend_handles_labels()[1]


@pytest.mark.parametrize("histtype", ["bar", "barstacked", "step", "stepfilled"])
@pytest.mark.parametrize("bottom", [10**30, [10**30] * 4, Decimal(3)], ids=["integer", "integers", "decimal"])
def test_bottoms_of_any_number_are_drawn(bottom, histtype):
    """Integers beyond 64 bits failed at the draw, decimals after the counting."""
    figure = Figure()
    bars = gpuplot.hist(np.arange(8.0), 4, ax=figure.subplots(), bottom=bottom, histtype=histtype).patches
    figure.canvas.draw()
    lowest = min(patch.get_xy()[1] if histtype.startswith("bar") else patch.get_xy()[:, 1].min() for patch in bars)
    assert lowest == np.ravel(np.asarray(bottom, float))[0]


@pytest.mark.parametrize("bottom", [np.ones(3), np.ones((2, 4)), []])
def test_bottoms_are_as_many_as_bins(bottom):
    """The error was NumPy's about shapes."""
    ax = Figure().subplots()
    with pytest.raises(ValueError, match=r"^bottom has shape \(.*\) for 4 bins: give one number, or one for each bin$"):
        gpuplot.hist(np.arange(8.0), 4, ax=ax, bottom=bottom)
    assert not ax.patches


def test_axes_of_three_dimensions_show_bars():
    """Outlines, which many bins or tensors are by default, failed at each draw."""
    ax = Figure().add_subplot(projection="3d")
    for histtype in ("step", "stepfilled"):
        with pytest.raises(ValueError, match=f"histtype='{histtype}': the Axes have three dimensions"):
            gpuplot.hist(np.arange(8.0), ax=ax, histtype=histtype)
    gpuplot.hist(np.arange(8.0), 1001, ax=ax)
    gpuplot.hist([np.arange(8.0)] * 11, 3, ax=ax)
    ax.figure.draw_without_rendering()
    assert len(ax.patches) == 1001 + 33
