"""Color limits in the inspector: from which elements, what fixes them, and what resets them."""

import numpy as np
import pytest
from matplotlib.colors import Normalize, PowerNorm
from scenes import count_calls, numbers, pixels, scene_of, snapshot, whole

import gpuplot
from gpuplot.color.style import find_norm
from gpuplot.statistics.text import amount

VOLUME = numbers(5, 40, 60)
WINDOW = (3.5, 9.2, 4.0, 20.0)
SEEN = VOLUME[0, 3:10, 4:20]


def limits(scene):
    return scene.vmin, scene.vmax


def test_limits_of_elements_follow_the_slice():
    scene = scene_of(VOLUME, center=None, limits="elements")
    assert limits(scene) == (VOLUME[0].min(), VOLUME[0].max())
    scene.change({"index": {0: 3}})
    assert limits(scene) == (VOLUME[3].min(), VOLUME[3].max())
    assert scene.state()["is_fixed"] == {"vmin": False, "vmax": False}


def test_fixed_limits_stay_through_index_changes_and_one_of_elements_follows():
    scene = scene_of(VOLUME, center=None, limits="elements")
    scene.change({"vmin": -0.5})
    for index in (1, 4):
        scene.change({"index": {0: index}})
        assert limits(scene) == (-0.5, VOLUME[index].max())
    assert scene.state()["is_fixed"] == {"vmin": True, "vmax": False}
    scene.change({"vmin": None})
    assert limits(scene) == (VOLUME[4].min(), VOLUME[4].max())


@pytest.mark.parametrize("given", [{"vmax": 0.0}, {"vmax": -7}, {"vmin": 9.0}, {"vmin": 5, "vmax": 6}])
@pytest.mark.parametrize("center", ["auto", None, 0])
def test_any_limit_may_be_given_from_the_start(given, center):
    """vmax=0 was refused, with words about a vmin that nobody gave."""
    scene, other = scene_of(VOLUME, center=center, **given), scene_of(VOLUME, center=center)
    other.change(given)
    assert limits(scene) == limits(other)
    assert center == 0 or all(getattr(scene, name) == value for name, value in given.items())
    assert np.array_equal(pixels(scene), pixels(other))


def test_limits_are_centered_where_there_are_both_signs():
    scene = scene_of(np.stack([VOLUME[0], np.abs(VOLUME[0])]), limits="elements")
    top = np.abs(VOLUME[0]).max()
    assert limits(scene) == (-top, top) and scene.cmap == "RdBu_r"
    scene.change({"index": {0: 1}})
    assert limits(scene) == (np.abs(VOLUME[0]).min(), top) and scene.cmap == "viridis"
    scene.change({"index": {0: 0}, "vmax": 2.0})
    assert limits(scene) == (-2.0, 2.0)


@pytest.mark.parametrize("window, seen", [
    ((89.999997, 200.00000000000006, 9.9999999, 20.0000001), (slice(90, 200), slice(10, 20))),
    ((89.99, 200.01, 0.5, 0.6), (slice(89, 201), slice(0, 1))), ((90.0, 90.0 + 1e-9, -7.0, 1e9), (slice(90, 91), slice(None))),
])
def test_elements_that_only_rounding_brings_into_the_window_are_not_in_view(window, seen):
    X = np.random.default_rng(1).random((240, 260))
    scene = scene_of(X)
    assert dict(scene.stats("view", window)["rows"])["elements"] == amount(X[seen].size)
    scene.set_limits("full", "view", window)
    assert limits(scene) == (X[seen].min(), X[seen].max())


@pytest.mark.parametrize("region, elements", [("slice", VOLUME[0]), ("all", VOLUME), ("view", SEEN)])
def test_the_region_says_whose_elements_count(region, elements):
    scene = scene_of(VOLUME, center=None)
    scene.draw(WINDOW, (10, 10))
    scene.change({"region": region})
    assert limits(scene) == (elements.min(), elements.max()) and scene.state()["region"] == region
    scene.change({"robust": True})
    assert limits(scene) == pytest.approx(tuple(np.percentile(elements.astype(float), [2, 98])), rel=1e-12)
    scene.change({"robust": False})
    assert limits(scene) == (elements.min(), elements.max())


@pytest.mark.parametrize("region, elements", [("slice", VOLUME[0]), ("all", VOLUME), ("view", SEEN)])
@pytest.mark.parametrize("how", ["full", "robust"])
def test_set_limits_frees_them_and_takes_the_region(how, region, elements):
    scene = scene_of(VOLUME, center=None, vmin=-100.0)
    scene.set_limits(how, region, WINDOW)
    wanted = np.percentile(elements.astype(float), [2, 98]) if how == "robust" else (elements.min(), elements.max())
    assert limits(scene) == pytest.approx(tuple(wanted), rel=1e-12)
    state = snapshot(scene)
    assert (state["region"], state["robust"], state["is_fixed"]) == (region, how == "robust", {"vmin": False, "vmax": False})


@pytest.mark.host("limits of cells come with the cells on a device")
def test_limits_of_the_view_stay_while_it_is_moved(monkeypatch):
    scene = scene_of(VOLUME, center=None)
    scene.set_limits("full", "view", WINDOW)
    found = limits(scene)
    calls = count_calls(monkeypatch, "limits")
    scene.draw((20, 40, 20, 40), (10, 10))
    assert limits(scene) == found and calls == {"limits": 1}  # of cells: whether NaN marks most of them
    scene.change({"index": {0: 2}})  # the same elements of another plane
    assert limits(scene) == (VOLUME[2, 3:10, 4:20].min(), VOLUME[2, 3:10, 4:20].max())
    scene.set_limits("full", "view", (-50, -40, 0, 5))  # nothing is there: the plane
    assert limits(scene) == (VOLUME[2].min(), VOLUME[2].max())


@pytest.mark.parametrize("low, high, wanted",
                         [(0.1, 0.7, (0, 1)), (-0.3, 0.9, (-1, 1)), (3, 200, (0, 255)), (0, 1, (0, 1)), (0, 255, (0, 255))])
def test_snap_takes_the_first_nice_range_that_holds_the_data(low, high, wanted):
    scene = scene_of(np.array([[low, high]], float))
    scene.set_limits("snap", "slice", None)
    assert limits(scene) == wanted and scene.state()["is_fixed"] == {"vmin": True, "vmax": True}


@pytest.mark.parametrize("X", [np.array([[-3.0, 4.0]]), np.array([[0.0, 256.0]]), np.full((2, 2), np.nan)])
def test_snap_to_nothing_changes_nothing(X):
    scene = scene_of(X)
    scene.change({"vmax": 7.0})
    before = snapshot(scene)
    with pytest.raises(ValueError):
        scene.set_limits("snap", "slice", None)
    assert snapshot(scene) == before


@pytest.mark.parametrize("arguments, error", [
    (("half", "slice", None), ValueError), ((None, "slice", None), ValueError), ((["full"], "slice", None), ValueError),
    (("full", "screen", None), ValueError), (("full", 3, None), ValueError), (("full", "view", (1, 2)), ValueError),
    (("full", "view", "0123"), TypeError)])
def test_what_set_limits_does_not_know_is_refused(arguments, error):
    scene = scene_of(VOLUME)
    before = snapshot(scene)
    with pytest.raises(error):
        scene.set_limits(*arguments)
    assert snapshot(scene) == before


@pytest.mark.parametrize("X", [np.zeros((3, 4)), -np.ones((3, 4)), np.full((3, 4), np.nan), np.array([[0.0, -1.0, np.inf]])])
def test_a_log_norm_without_a_positive_element_stays_drawable(X):
    scene = scene_of(X)
    scene.change({"norm": "log"})
    assert limits(scene) == (1.0, 10.0)
    snapshot(scene)
    whole(scene)


def test_limits_that_the_new_norm_cannot_use_are_the_datas_again():
    X = np.abs(VOLUME[0]) + 0.5
    scene = scene_of(X)
    scene.change({"vmin": -1.0, "vmax": 2.0})
    scene.change({"norm": "log"})
    assert limits(scene) == (X.min(), X.max())
    with pytest.raises(ValueError, match="above zero"):
        scene.change({"vmin": -1.0})
    with pytest.raises(ValueError, match="above zero"):
        scene_of(X).change({"norm": "log", "vmin": 0.0})


def test_robust_limits_of_a_log_norm_are_those_of_positive_elements():
    scene = scene_of(VOLUME[0])
    scene.change({"norm": "log", "robust": True})
    positive = VOLUME[0][VOLUME[0] > 0].astype(float)
    assert limits(scene) == pytest.approx(tuple(np.percentile(positive, [2, 98])), rel=1e-12)


def test_a_center_is_left_out_where_a_norm_has_none():
    scene = scene_of(VOLUME[0] + 10, center=0.0)
    assert scene.vmin < 0
    scene.change({"norm": "log"})
    assert scene.vmin == (VOLUME[0] + 10).min()


@pytest.mark.parametrize("values", [{"vmin": 50.0}, {"vmax": -50.0}])
@pytest.mark.parametrize("norm", ["linear", "symlog", "eq_hist"])
def test_a_limit_beyond_all_data_leaves_one_color(values, norm):
    scene = scene_of(VOLUME[0])
    scene.change({"norm": norm, **values})
    assert limits(scene) == (next(iter(values.values())),) * 2
    snapshot(scene)
    assert len(np.unique(pixels(scene).reshape(-1, 4), axis=0)) <= 2
    name, where = ("vmin", "above") if "vmin" in values else ("vmax", "below")
    assert snapshot(scene)["text"].startswith(f"{name} ({values[name]:g}) is {where} all elements")
    scene.change({name: None})
    pixels(scene)
    assert "elements" not in snapshot(scene)["text"]


@pytest.mark.parametrize("agg", ["mean", "max", "sum"])
def test_a_log_scale_without_a_number_above_zero_is_explained(agg):
    """The picture was blank beside colors from 1 to 10."""
    scene = scene_of(np.stack([-abs(VOLUME[0]), abs(VOLUME[0])]), agg=agg)
    scene.change({"norm": "log"})
    assert not pixels(scene).any()
    assert snapshot(scene)["text"] == "a log scale shows nothing here, as no number is above 0: choose another scale"
    for values in ({"index": {0: 1}}, {"index": {0: 0}, "norm": "symlog"}, {"norm": "linear"}):
        scene.change(values)
        pixels(scene)
        assert snapshot(scene)["text"] == ""


@pytest.mark.parametrize("agg, value", [("std", 0), ("range", 0), ("count", 1), ("sum", None), ("mean", None)])
def test_a_flat_picture_of_single_elements_is_explained(agg, value):
    scene = scene_of(VOLUME[0], agg=agg)
    pixels(scene, VOLUME[0].shape)
    said = snapshot(scene)["text"]
    assert said == ("" if value is None else f"the {agg} of single elements is {value}: zoom out, or choose another aggregation")
    rows, cols = VOLUME[0].shape
    scene.draw((0, rows, 0, cols), (rows // 2, cols // 2))
    assert snapshot(scene)["text"] == ""


def test_a_limit_at_all_elements_is_not_beyond_them():
    scene = scene_of(np.full((3, 4), 7.0), vmin=7.0)
    pixels(scene)
    assert snapshot(scene)["text"] == ""


@pytest.mark.parametrize("center, X", [("auto", VOLUME[0]), (2.0, VOLUME[0])])
def test_limits_that_were_found_and_are_kept_stay_diverging(center, X):
    """The button that keeps them made viridis of RdBu_r."""
    scene = scene_of(X, center=center)
    before, found = pixels(scene), limits(scene)
    scene.change(dict(zip(("vmin", "vmax"), found, strict=True)))
    assert scene.cmap == "RdBu_r" and np.array_equal(pixels(scene), before) and limits(scene) == found
    scene.change({"vmax": found[1] + 1})
    assert scene.cmap == "viridis"


@pytest.mark.parametrize("agg", ["sum", "std", "count"])
def test_limits_of_sums_are_those_of_the_cells_that_are_seen(agg):
    scene = scene_of(np.abs(VOLUME), center=None)
    scene.change({"agg": agg})
    snapshot(scene)
    scene.draw((0, 40, 0, 60), (10, 10))
    first, version = limits(scene), scene.version
    scene.draw((2, 40, 0, 60), (38 * 10 // 40, 10))  # moved, cells as large
    scene.draw((0, 40, 0, 60), (20, 20), keeps_limits=True)  # cells of fewer elements
    assert limits(scene) != first and scene.version > version
    found, version = limits(scene), scene.version
    scene.draw((0, 36, 0, 57), (18, 19), keeps_limits=True)
    assert limits(scene) == found and scene.version == version
    scene.draw((0, 21, 0, 31), (10, 10))
    cells = gpuplot.downsample(np.abs(VOLUME[0]), (10, 10), view=((0, 21), (0, 31)), agg=agg)
    assert limits(scene) == pytest.approx((cells.min(), cells.max()), rel=1e-6)


def test_limits_over_facets_are_exact():
    scene = scene_of(VOLUME, rows=0, center=None, robust=(10, 90))
    assert limits(scene) == pytest.approx(tuple(np.percentile(VOLUME.astype(float), [10, 90])), rel=1e-12)


def test_regions_of_a_tensor_of_many_small_planes():
    X = numbers(60, 50, 3, 3)
    scene = scene_of(X, center=None)
    scene.set_limits("full", "all")
    assert limits(scene) == (X.min(), X.max())


# ---- histogram and statistics ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("region, elements", [("slice", VOLUME[0]), ("all", VOLUME), ("view", SEEN)])
def test_the_histogram_counts_the_elements_of_a_region(region, elements):
    found = scene_of(VOLUME).histogram(region, WINDOW)
    counts, edges = np.histogram(elements.astype(float), len(found["counts"]))
    assert found["counts"] == counts.tolist() and (found["low"], found["high"]) == (edges[0], edges[-1])
    assert found["n_outside"] == 0
    assert 64 <= len(found["counts"]) <= 128


@pytest.mark.parametrize("dtype, ignored, options, present", [
    ("u1", 255, {}, range(21)), ("i8", -100, {}, range(21)), ("u1", 7, {"ignore_index": 7}, range(21)),
    ("u1", 0, {"ignore_index": (0, 20)}, range(1, 20)),
    ("i4", 300, {"categorical": True, "ignore_index": 300}, range(300)), ("i4", 4, {"categorical": True, "ignore_index": 4}, range(300))])
def test_numbers_that_are_no_classes_have_no_place_in_the_histogram(dtype, ignored, options, present):
    """21 bars would be pressed into a tenth of the plot, beside one at 255."""
    X = np.random.default_rng(0).integers(0, max(present) + 1 if max(present) != 19 else 21, (60, 80)).astype(dtype)
    X[:20] = ignored
    X[20, :300] = np.resize(np.array([*present], dtype), 80)
    left_out = options.get("ignore_index", ignored)
    counted = X[~np.isin(X, left_out)].astype(int)
    scene = scene_of(X, **options)
    assert scene.state()["is_categorical"]
    for region in ("slice", "all"):
        found = scene.histogram(region, None)
        edges = np.linspace(found["low"], found["high"], len(found["counts"]) + 1)
        assert found["counts"] == np.histogram(counted, edges)[0].tolist() and found["n_outside"] == 0
        assert sum(found["counts"]) == counted.size
        assert counted.min() - 0.5 <= edges[0] <= counted.min() and counted.max() <= edges[-1] <= counted.max() + 2
    if "categorical" not in options:
        scene.change({"norm": "linear"})
        assert sum(scene.histogram("slice", None)["counts"]) == X.size


def test_a_histogram_of_ignored_numbers_alone_is_empty():
    assert set(scene_of(np.full((3, 4), 9, "u1"), ignore_index=9).histogram("slice", None)["counts"]) == {0}


def test_levels_of_integers_have_bins_of_their_own():
    found = scene_of(np.array([[0, 0, 1, 3], [3, 3, 5, 5]])).histogram("slice", None)
    assert (found["counts"], found["low"], found["high"], found["edges"]) == ([2, 1, 0, 3, 0, 2], -0.5, 5.5, None)
    found = scene_of(np.arange(200).reshape(10, 20)).histogram("slice", None)
    assert found["counts"] == [2] * 100 and (found["low"], found["high"]) == (-0.5, 199.5)


WIDE = np.exp(3 * VOLUME).astype("float32")
WIDE[:, :2], WIDE[:, 2], WIDE[0, 3, :2] = 0, -WIDE[:, 3], np.nan


@pytest.mark.parametrize(("norm", "n_outside"), [("log", 180), ("symlog", 0), ("asinh", 0), ("cbrt", 0)])
def test_bins_are_even_in_the_norm(norm, n_outside):
    scene = scene_of(WIDE)
    scene.change({"norm": norm})
    found = scene.histogram("slice", None)
    finite = WIDE[0][np.isfinite(WIDE[0])].astype(float)
    assert found["counts"] == np.histogram(finite, found["edges"])[0].tolist() and len(found["counts"]) == 127
    assert sum(found["counts"]) + found["n_outside"] == finite.size and found["n_outside"] == n_outside
    places = np.ma.filled(find_norm(norm, found["low"], found["high"])(found["edges"]), np.nan)
    assert np.allclose(places, np.linspace(0, 1, 128), atol=1e-9)
    assert max(found["counts"]) < 0.3 * finite.size  # where even numbers have nearly all in one bin
    scene.change({"norm": "linear"})
    assert max(scene.histogram("slice", None)["counts"]) > 0.9 * finite.size


def test_integers_under_a_logarithm_have_whole_levels():
    X = np.random.default_rng(0).integers(-3, 5000, (60, 50))
    scene = scene_of(X, norm="log")
    found = scene.histogram("slice", None)
    edges = np.array(found["edges"])
    assert (edges % 1 == 0.5).all() and (np.diff(edges) > 0).all() and len(found["counts"]) <= 128
    assert found["counts"] == np.histogram(X, edges)[0].tolist() and found["n_outside"] == (X <= 0).sum()


@pytest.mark.parametrize("number", [1e-300, 1e-3, 0.5, 7.0, 1e300])
def test_a_logarithm_of_one_number_does_not_count_zeros_beside_it(number):
    found = scene_of(np.array([[0, number, 0], [number, 0, 0]]), norm="log").histogram("slice", None)
    assert (sum(found["counts"]), found["n_outside"]) == (2, 4) and 0 < found["low"] <= number <= found["high"]


def test_a_logarithm_of_nothing_above_zero():
    scene = scene_of(-np.ones((4, 5)), norm="log")
    found = scene.histogram("slice", None)
    assert (sum(found["counts"]), found["n_outside"], found["low"], found["high"]) == (0, 20, 1.0, 10.0)


@pytest.mark.parametrize("X",
                         [np.full((2, 3), np.nan), np.zeros((0, 3)), np.full((2, 3), 7.0), np.array([[1e308, -1e308, np.inf]]),
                          np.array([[2**63 - 1, -2**63]]), np.float32(2), np.array([[True, False]])])
def test_histograms_of_nothing_and_of_extremes(X):
    scene = scene_of(X)
    found = scene.histogram("slice", None)
    finite = np.isfinite(X).sum()
    assert sum(found["counts"]) == finite and np.isfinite([found["low"], found["high"]]).all() and found["low"] < found["high"]
    assert sum(scene.stats("slice", None)["kind_counts"].values()) == np.size(X)


def test_statistics_of_a_region_and_the_pill_of_the_plane():
    X = VOLUME.copy()
    X[0, 5, 6], X[0, 0, 0], X[3, 1, 1] = np.nan, np.inf, -np.inf
    scene = scene_of(X)
    assert scene.state()["kind_counts"] is None
    seen = scene.stats("view", WINDOW)
    assert dict(map(tuple, seen["rows"]))["elements"] == "112" and seen["kind_counts"]["nan"] == 1 and scene.state()["kind_counts"] is None
    found = scene.stats("slice", None)
    rows = dict(map(tuple, found["rows"]))
    assert found["kind_counts"] == {"nan": 1, "neg_inf": 0, "neg": int((X[0] < 0).sum()), "zero": 0, "pos": int((X[0] > 0).sum()) - 1,
                             "pos_inf": 1, "masked": 0}
    finite = X[0][np.isfinite(X[0])].astype(float)
    assert float(rows["mean"]) == pytest.approx(finite.mean(), rel=1e-3)
    assert float(rows["std"]) == pytest.approx(finite.std(ddof=1), rel=1e-3)
    assert float(rows["median"]) == pytest.approx(np.median(finite), rel=1e-3) and (rows["NaN"], rows["+Inf"]) == ("1", "1")
    first_min = np.unravel_index(np.argmin(np.where(np.isfinite(X[0]), X[0], np.inf)), X[0].shape)
    assert rows["first min"] == f"[0, {first_min[0]}, {first_min[1]}]"
    assert snapshot(scene)["kind_counts"] == found["kind_counts"]
    scene.change({"cmap": "magma"})
    assert scene.state()["kind_counts"] == found["kind_counts"]
    scene.change({"index": {0: 1}})
    assert scene.state()["kind_counts"] is None
    assert scene.stats("all", None)["kind_counts"]["neg_inf"] == 1


def test_statistics_of_facets_are_those_of_all_of_them():
    scene = scene_of(VOLUME, rows=0)
    assert sum(scene.stats("slice", None)["kind_counts"].values()) == VOLUME.size
    assert sum(scene.histogram("view", (0, 2, 0, 3))["counts"]) == 5 * 6


def test_statistics_of_what_is_reduced():
    scene = scene_of(VOLUME)
    scene.change({"reduce": {0: "max"}})
    rows = dict(map(tuple, scene.stats("slice", None)["rows"]))
    assert float(rows["max"]) == pytest.approx(VOLUME.max(), rel=1e-3) and rows["elements"] == "2\u202f400"
    assert sum(scene.histogram("slice", None)["counts"]) == 2400


@pytest.mark.parametrize("ask", ["histogram", "stats"])
@pytest.mark.parametrize("window", [(1, 2), (0, 0, 0, 0), (0, np.nan, 0, 1)])
def test_windows_are_checked(ask, window):
    with pytest.raises((ValueError, TypeError)):
        getattr(scene_of(VOLUME), ask)("view", window)


def test_a_view_of_nothing_has_no_elements():
    scene = scene_of(VOLUME)
    assert sum(scene.histogram("view", (-9, -5, 0, 4))["counts"]) == 0
    assert sum(scene.stats("view", (-9, -5, 0, 4))["kind_counts"].values()) == 0


@pytest.mark.parametrize("norm", [Normalize(-1, 7), PowerNorm(0.5, vmin=0, vmax=7), Normalize(vmax=7)])
def test_limits_of_a_norm_object_count_as_given(norm):
    wanted = norm.vmin, norm.vmax
    state = scene_of(np.arange(12.0).reshape(3, 4), norm=norm, center=None).state()
    assert state["vmax"] == 7 and state["vmin"] == (0 if wanted[0] is None else wanted[0])
    assert (norm.vmin, norm.vmax) == wanted  # the caller's object stays as it is


# ---- what lies beyond the limits ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options, ends", [
    ({}, "neither"), ({"vmin": -9, "vmax": 2}, "max"), ({"vmin": 2, "vmax": 9}, "min"), ({"vmin": 2, "vmax": 3}, "both"),
    ({"robust": True}, "both"), ({"norm": "log", "vmin": 0.1, "vmax": 3}, "max")])
def test_the_state_says_at_which_ends_elements_lie_beyond_the_limits(options, ends):
    X = np.linspace(1, 5, 200).reshape(1, 10, 20)
    scene = scene_of(np.concatenate([X, X[:, :1].repeat(10, 1)]), **options)
    known = scene.state()["extend"]
    assert known in (ends, "neither")
    assert scene.stats("slice", None)["extend"] == ends == scene.state()["extend"]
    assert scene.stats("all", None)["extend"] == "neither"  # which is of other elements


def test_elements_beyond_limits_of_pixels_are_said():
    X = np.random.default_rng(0).standard_normal((2000, 2000)).astype("f4")
    scene = scene_of(X)
    whole(scene, (50, 50))
    assert scene.state()["limits_source"] == "pixels" and scene.extend() == scene.state()["extend"] == "both"


@pytest.mark.parametrize("X, options", [
    (np.arange(12).reshape(3, 4), {}), (np.arange(12.0), {"vmin": 3, "vmax": 4}), (np.ones((3, 4), complex), {"complex_mode": "phase"}),
    (np.random.default_rng(0).random((3, 4, 3)), {"rgb": True}), (np.full((3, 4), np.nan), {"vmin": 0, "vmax": 1}), (np.float32(3), {})])
def test_what_has_no_scale_has_nothing_beyond_it(X, options):
    scene = scene_of(X, **options)
    assert scene.extend() == scene.state()["extend"] == "neither"


def test_sums_are_compared_with_limits_of_sums():
    scene = scene_of(np.random.default_rng(0).random((100, 100)), agg="sum")
    whole(scene, (10, 10))
    assert scene.extend() == "neither" and scene.vmin > 1
    scene.change({"vmax": 50.0})
    assert scene.extend() == "max"
