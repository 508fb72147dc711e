"""`limits=`: color limits from elements, from drawn pixels, or from those with more contrast."""

import gc
import io
import pickle
from unittest import mock

import numpy as np
import pytest
from figures import axes_of, counted
from matplotlib import colors as mcolors
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scenes import pixels, scene_of, snapshot, whole

import gpuplot
from gpuplot.mpl.images import autoscaling, expected_geometry

NOISE = (np.random.default_rng(0).normal(size=(1200, 1100)) * 0.02).astype("f4")
RAMP = np.add.outer(np.arange(1200.0), np.arange(1100.0)).astype("f4")
COPIED = NOISE[:1000, :1000]
BOTH = pytest.mark.parametrize("X", [COPIED, NOISE], ids=["copied", "borrowed"])


def ends(X):
    return float(X.min()), float(X.max())


def cells_of(X, agg="mean", shape=(100, 100), **options):
    return gpuplot.downsample(X, shape, agg=agg, **options)


def figure_of():
    figure = Figure(figsize=(2, 1.5))
    FigureCanvasAgg(figure)
    return figure


def show(X, **options):
    return gpuplot.imshow(X, ax=axes_of(100), aspect="auto", **options)


# ---- which of the two ----------------------------------------------------------------------------------------------------


@BOTH
def test_means_of_noise_have_limits_of_their_own(X):
    """The picture of the weights of a model was one color."""
    im = show(X)
    np.testing.assert_allclose(im.get_clim(), ends(cells_of(X)), rtol=1e-6)
    assert show(X, limits="elements").get_clim() == ends(X)
    assert gpuplot.to_rgba(X, (100, 100)).std(axis=(0, 1)).max() > 10


@pytest.mark.parametrize("X", [RAMP, RAMP[:900, :900], NOISE[:40, :50]], ids=["borrowed", "copied", "magnified"])
def test_a_picture_that_uses_its_colors_has_limits_of_elements(X):
    assert show(X).get_clim() == ends(X)


@BOTH
@pytest.mark.parametrize("options", [{"agg": "max"}, {"agg": "absmax"}, {"agg": "nearest"}, {"interpolation": "nearest"}], ids=str)
def test_only_means_are_looked_at(X, options):
    assert show(X, **options).get_clim() == ends(X)


@BOTH
@pytest.mark.parametrize("make", [mcolors.Normalize, lambda: mcolors.SymLogNorm(0.01)], ids=["linear", "symlog"])
def test_a_norm_object_has_limits_of_elements(X, make):
    assert show(X, norm=make()).get_clim() == ends(X)


@BOTH
def test_a_colorizer_has_limits_of_elements(X):
    colorizer = pytest.importorskip("matplotlib.colorizer", reason="of matplotlib 3.10 and later")
    assert show(X, colorizer=colorizer.Colorizer()).get_clim() == ends(X)


@BOTH
def test_a_limit_that_is_given_leaves_the_other_one_to_the_elements(X):
    assert show(X, vmin=-1).get_clim() == (-1, X.max()) and show(X, vmax=1).get_clim() == (X.min(), 1)
    assert show(X, vmax=1, limits="pixels").get_clim() == (pytest.approx(cells_of(X).min()), 1)


@pytest.mark.parametrize(("part", "is_of_cells"), [(0.249, True), (0.251, False)])
@pytest.mark.parametrize("turn", [1, -1])
def test_a_quarter_of_the_colors_is_enough(part, is_of_cells, turn):
    """Elements span 0 to 1, means of 4 x 4 of them 0 to `part`."""
    X = np.zeros((400, 400))
    X[200:] = (16 * part - 1) / 15
    X[200::4, ::4] = 1
    im = show(X * turn)
    assert im.get_clim() == pytest.approx(sorted((0, part * turn if is_of_cells else turn)))


@BOTH
def test_percentiles_and_centers_are_of_cells_too(X):
    """Weights of a model with robust=True and center=0 were white."""
    cells = cells_of(X)
    reach = abs(np.percentile(cells, [2, 98])).max()
    im = show(X, robust=True, center=0)
    np.testing.assert_allclose(im.get_clim(), (-reach, reach), rtol=1e-6)
    assert im.cmap.name == "RdBu_r"
    np.testing.assert_allclose(show(X, robust=5, limits="pixels").get_clim(), np.percentile(cells, [5, 95]), rtol=1e-6)
    np.testing.assert_allclose(show(X, robust=True, limits="elements").get_clim(), np.percentile(X.astype("f8"), [2, 98]))


@pytest.mark.parametrize("norm", [None, "asinh"])
def test_equal_percentiles_of_elements_leave_the_limits_to_cells(norm):
    """A mostly empty plane with robust=True was one color, whatever its pixels were."""
    X = np.zeros((400, 400))
    X[::8, ::10] = np.arange(1.0, 2001.0).reshape(50, 40)
    cells = cells_of(X)
    im = show(X, robust=True, norm=norm)
    np.testing.assert_allclose(im.get_clim(), np.percentile(cells, [2, 98]), rtol=1e-12)
    assert len(np.unique(gpuplot.to_rgba(X, (100, 100), robust=True, norm=norm)[..., 0])) > 50
    assert show(np.full((390, 410), 0.1), robust=True).get_clim() == (0.1, 0.1)


def test_cells_that_are_all_equal_leave_the_limits_to_elements():
    X = np.tile([[-1.0, 1.0], [1.0, -1.0]], (200, 200))
    for limits in ("auto", "pixels"):
        assert show(X, limits=limits).get_clim() == (-1, 1)
    assert gpuplot.imshow(X * 0, ax=axes_of(100), limits="pixels").get_clim() == (0, 0)


def test_log_norms_take_positive_cells():
    X = 10.0 ** (50 * NOISE)
    X[:600] = 0
    cells = cells_of(X)
    im = show(X, norm="log")
    np.testing.assert_allclose(im.get_clim(), (cells[cells > 0].min(), cells.max()), rtol=1e-6)


@pytest.mark.parametrize("function", [gpuplot.imshow, gpuplot.to_rgba, lambda X, **k: gpuplot.imsave(io.BytesIO(), X, **k), scene_of])
def test_what_makes_no_sense_is_refused(function):
    figure = Figure()
    options = {"ax": figure.subplots()} if function is gpuplot.imshow else {}
    with pytest.raises(ValueError, match="limits='cells' is not one of auto, elements, pixels"):
        function(COPIED, limits="cells", **options)
    for agg in ("range", "std", "var", "sum", "count"):
        with pytest.raises(ValueError, match=f"limits='elements': with agg='{agg}' pixels are not in the units of the elements"):
            function(COPIED, limits="elements", agg=agg, **options)
    assert not any(ax.images for ax in figure.axes)


def test_agg_in_other_units_is_refused_later_too():
    im = show(NOISE, limits="elements")
    with pytest.raises(ValueError, match="limits='elements'"):
        im.set_agg("std")
    assert im.agg is None and im.get_clim() == ends(NOISE)


def test_a_small_image_is_not_laid_out_for_its_limits(monkeypatch):
    """Where nothing is averaged there is nothing to decide: it would take thrice as long as matplotlib's own image."""
    asked = []
    original = expected_geometry.expected_geometry
    monkeypatch.setattr(expected_geometry, "expected_geometry", lambda image: asked.append(image) or original(image))
    show(NOISE[:50, :60])
    gpuplot.imshow(NOISE[:50, :60], ax=axes_of(100))
    assert asked == []
    show(COPIED)
    assert asked


@pytest.mark.parametrize("seed", range(40))
def test_what_is_surely_magnified_is(seed):
    rng = np.random.default_rng(seed)
    ax = axes_of(*rng.integers(40, 200, 2).tolist(), place=(0.1, 0.2, 0.7, 0.6))
    options = {"aspect": rng.choice(["auto", "equal", 0.5, 3]).item()}
    options["aspect"] = options["aspect"] if options["aspect"] in ("auto", "equal") else float(options["aspect"])
    if seed % 3 == 0:
        options["extent"] = (3, 1, -2, 9)
    if seed % 4 == 0:
        ax.set_adjustable("datalim")
    im = gpuplot.imshow(np.zeros(rng.integers(10, 200, 2)), ax=ax, **options)
    if seed % 5 == 0:
        ax.set_xlim(0, 20)
    if expected_geometry.is_surely_magnified(im):
        scene = im._present_geometry()
        assert scene.is_dense == (False, False)
        np.testing.assert_allclose(scene.visible, (0, im.plane.shape[0], 0, im.plane.shape[1]), atol=1)  # the half of a pixel


WAVES = np.sin(np.linspace(0, 8, 2000)[:, None] * np.linspace(0, 8, 2100) / 2).astype("f4")


@pytest.mark.parametrize("n", [60, 500], ids=["magnified", "reduced"])
@pytest.mark.parametrize(("X", "is_of_cells"), [(WAVES, False), (NOISE, True)], ids=["smooth", "noise"])
def test_an_inset_of_a_smooth_picture_has_the_colors_of_the_whole(X, is_of_cells, n):
    """An inset that showed a smooth part had other colors than the picture around it."""
    ax = axes_of(100)
    ax.set(xlim=(300, 300 + n), ylim=(200 + n, 200), aspect="auto")
    clim = gpuplot.imshow(X, ax=ax, aspect="auto").get_clim()
    if is_of_cells and n > 100:
        np.testing.assert_allclose(clim, ends(cells_of(X, view=((200.5, 200.5 + n), (300.5, 300.5 + n)))), rtol=1e-6)
    else:
        assert clim == ends(X)


def test_a_part_that_uses_the_colors_is_not_read_twice(monkeypatch):
    """Its elements are asked for only where its pixels would set the limits: arrays in chunks were read twice."""
    monkeypatch.setattr(autoscaling, "_is_smooth_part", None)
    ax = axes_of(100)
    ax.set(xlim=(300, 1800), ylim=(1700, 200), aspect="auto")
    assert gpuplot.imshow(WAVES, ax=ax, aspect="auto").get_clim() == ends(WAVES)


# ---- how long they stay --------------------------------------------------------------------------------------------------


def zoom(im, low, high):
    im.axes.set_xlim(low - 0.5, high - 0.5)
    im.axes.set_ylim(high - 0.5, low - 0.5)
    im.axes.figure.canvas.draw()
    return im.get_clim()


@BOTH
def test_another_part_of_the_plane_has_limits_of_its_own(X):
    im = show(X)
    whole_plane = im.get_clim()
    part = cells_of(X, view=((0, 600), (0, 600)))
    np.testing.assert_allclose(zoom(im, 0, 600), ends(part), rtol=1e-6)
    assert zoom(im, 0, 20) == ends(X)  # of single elements, which use their colors
    np.testing.assert_allclose(zoom(im, 0, 600), ends(part), rtol=1e-6)
    im.axes.set_xlim(-0.5, X.shape[1] - 0.5)
    im.axes.set_ylim(X.shape[0] - 0.5, -0.5)
    im.axes.figure.canvas.draw()
    assert im.get_clim() == whole_plane


@BOTH
def test_draws_sizes_and_other_elements_keep_them(X):
    im = show(np.stack([X, X * 3]), index={0: 0}, rgb=False)
    before, figure = im.get_clim(), im.axes.figure
    figure.canvas.draw()
    figure.savefig(io.BytesIO(), dpi=37)
    figure.set_size_inches(3, 2)
    figure.canvas.draw()
    im.set_index({0: 1})
    figure.canvas.draw()
    im.update(np.stack([X * 2, X]))
    figure.canvas.draw()
    im.set_data(np.stack([X * 2, X]))
    figure.canvas.draw()
    assert im.get_clim() == before


@BOTH
@pytest.mark.parametrize("how", [{"limits": "pixels"}, {"agg": "std"}, {"agg": "std", "colorbar": True}], ids=range(3))
def test_a_limit_that_is_given_stays_in_another_part(X, how):
    """Both were found anew, there and for the size that a colorbar leaves."""
    for name in ("vmin", "vmax"):
        given = {"vmin": -1.0, "vmax": 1.0}[name]
        im = show(X, **{name: given}, **how)
        assert getattr(im.norm, name) == given
        other = im.get_clim()[name == "vmin"]
        zoom(im, 0, 600)
        assert getattr(im.norm, name) == given and im.get_clim()[name == "vmin"] != other
        im.autoscale()
        assert getattr(im.norm, name) != given


def test_a_limit_that_is_given_stays_where_all_pixels_lie_beyond_it():
    X = NOISE + np.where(np.arange(1100) < 600, 1, 3)
    im = show(X, vmin=2, limits="pixels")
    assert zoom(im, 0, 500) == (2, 2)
    im.axes.set_xlim(700, 1100)
    im.axes.figure.canvas.draw()
    assert im.norm.vmin == 2 < im.norm.vmax


def test_a_center_and_a_given_limit_are_those_of_all_parts():
    im = show(NOISE, vmin=-3, center=0, limits="pixels", colorbar=True)
    assert im.get_clim() == zoom(im, 0, 600) == (-3, 3)


@pytest.mark.parametrize("fix", [
    lambda im: im.set_clim(-1, 1), lambda im: im.set_clim(*im.get_clim()), lambda im: im.norm.__setattr__("vmax", 1),
    lambda im: im.set_norm(mcolors.Normalize(-1, 1)), lambda im: im.autoscale(region="slice"),
    lambda im: gpuplot.imshow(COPIED, ax=im.axes, norm=im.norm)], ids=range(6))
def test_limits_that_were_set_or_are_shared_stay(fix):
    im = show(NOISE)
    fix(im)
    fixed = im.get_clim()
    assert zoom(im, 0, 600) == fixed


@pytest.mark.parametrize("options", [{}, {"limits": "pixels"}, {"agg": "std"}])
def test_a_draw_of_another_view_finds_its_place_once(options):
    im = show(NOISE, **options)
    im.figure.canvas.draw()
    with mock.patch.object(expected_geometry, "expected_geometry", wraps=expected_geometry.expected_geometry) as expected:
        before = im.get_clim()
        zoom(im, 0, 600)
    assert expected.call_count == 1 and im.get_clim() != before and im._geometry_of_draw is None


def test_a_colorbar_shares_no_norm_and_follows():
    im = gpuplot.imshow(NOISE, ax=figure_of().subplots(), colorbar=True)
    assert im.colorbar.extend == "both"
    zoom(im, 0, 600)
    assert (im.colorbar.vmin, im.colorbar.vmax) == pytest.approx(im.get_clim()) and im.colorbar.extend == "both"
    zoom(im, 0, 20)
    assert (im.colorbar.vmin, im.colorbar.vmax) == pytest.approx(ends(NOISE)) and im.colorbar.extend == "neither"
    im.autoscale(region="pixels")
    assert im.colorbar.extend == "both"


def test_ends_that_the_caller_chose_stay():
    im = gpuplot.imshow(NOISE, ax=figure_of().subplots(), colorbar={"extend": "min"})
    zoom(im, 0, 20)
    assert im.colorbar.extend == "min"


def test_autoscale_takes_pixels_elements_or_the_choice_of_the_call():
    im = show(NOISE)
    found = im.get_clim()
    im.autoscale(region="slice")
    assert im.get_clim() == ends(NOISE)
    im.autoscale()
    assert im.get_clim() == found
    im = show(RAMP)
    im.autoscale(region="pixels")
    np.testing.assert_allclose(im.get_clim(), ends(cells_of(RAMP)), rtol=1e-6)
    zoom(im, 0, 500)
    np.testing.assert_allclose(im.get_clim(), ends(cells_of(RAMP, view=((0, 500), (0, 500)))), rtol=1e-6)


@pytest.mark.parametrize("agg", ["range", "std", "var", "sum", "count"])
def test_limits_in_other_units_follow_the_view(agg):
    im = show(NOISE, agg=agg)
    np.testing.assert_allclose(zoom(im, 0, 600), ends(cells_of(NOISE, agg, view=((0, 600), (0, 600)))), rtol=1e-6)


@BOTH
def test_limits_around_the_center_of_a_norm_are_found_again(X):
    """The setters of CenteredNorm know no missing limit: autoscale, another agg and a zoom ended in a TypeError of matplotlib."""
    im = show(X, norm=mcolors.CenteredNorm(0.01))
    found = max(0.01 - float(X.min()), float(X.max()) - 0.01)
    for region in (None, "all", "slice"):
        im.set_clim(-5, 5)
        im.autoscale(region)
        np.testing.assert_allclose(im.get_clim(), (0.01 - found, 0.01 + found))
    im.set_agg("std")
    for n in (1000, 600):
        largest = float(cells_of(X, "std", view=((0, n), (0, n))).max())
        np.testing.assert_allclose(zoom(im, 0, n), (0.02 - largest, largest), rtol=1e-6)
    with mock.patch.object(autoscaling, "fill_limits", side_effect=ValueError), pytest.raises(ValueError):
        im.autoscale()
    np.testing.assert_allclose(im.get_clim(), (0.02 - largest, largest), rtol=1e-6)


def test_pixels_of_one_value_have_the_limits_of_elements_around_a_center():
    X = np.tile(np.float32([[-1, 1], [1, -1]]), (400, 400))
    rgba = gpuplot.to_rgba(X, (100, 100), limits="pixels", norm=mcolors.CenteredNorm())
    np.testing.assert_array_equal(rgba, gpuplot.to_rgba(X, (100, 100), vmin=-1, vmax=1))


def test_another_agg_has_other_limits():
    im = show(NOISE)
    im.set_agg("max")
    assert im.get_clim() == ends(NOISE)
    im.set_agg(None)
    np.testing.assert_allclose(im.get_clim(), ends(cells_of(NOISE)), rtol=1e-6)


def test_a_pickled_picture_follows():
    figure = pickle.loads(pickle.dumps(show(NOISE).axes.figure))
    FigureCanvasAgg(figure)
    im = figure.axes[0].images[0]
    np.testing.assert_allclose(zoom(im, 0, 600), ends(cells_of(NOISE, view=((0, 600), (0, 600)))), rtol=1e-6)


def test_a_view_that_shows_nothing_keeps_them():
    im = show(NOISE)
    before = im.get_clim()
    assert zoom(im, 5000, 6000) == before


@pytest.mark.parametrize("X", [NOISE[:, :80], NOISE[:60]], ids=["tall", "wide"])
def test_planes_with_one_dense_axis_are_reduced_once(X):
    with counted() as calls:
        im = show(X, interpolation="bilinear")
        im.axes.figure.canvas.draw()
        im.axes.figure.canvas.draw()
    assert len(calls) == 1


# ---- the inspector -------------------------------------------------------------------------------------------------------


def limits_in(scene):
    state = snapshot(scene)
    return state["vmin"], state["vmax"]


def test_the_inspector_takes_those_of_its_picture_at_rest():
    scene = scene_of(NOISE, center=None)
    whole(scene, (100, 100))
    assert limits_in(scene) == pytest.approx(ends(cells_of(NOISE)), rel=1e-6)
    assert snapshot(scene)["limits_source"] == "pixels"
    moving = scene.draw((0, 600, 0, 600), (50, 50), keeps_limits=True)
    assert moving.limits == limits_in(scene) == pytest.approx(ends(cells_of(NOISE)), rel=1e-6)
    version = scene.version
    at_rest = scene.draw((0, 600, 0, 600), (100, 100))
    assert at_rest.limits == pytest.approx(ends(cells_of(NOISE, view=((0, 600), (0, 600)))), rel=1e-6)
    assert scene.version > version
    scene.draw((0, 20, 0, 20), (100, 100))
    assert limits_in(scene) == ends(NOISE) and snapshot(scene)["limits_source"] == "elements"


def test_sliders_and_updates_keep_them_and_other_choices_do_not():
    stack = np.stack([NOISE, NOISE * 3])
    scene = scene_of(stack, center=None, rgb=False)
    whole(scene, (100, 100))
    found = limits_in(scene)
    scene.change({"index": {0: 1}})
    assert whole(scene, (100, 100)).limits == found == limits_in(scene)
    scene.update(stack * 2)
    assert whole(scene, (100, 100)).limits == found
    scene.change({"agg": "max"})
    assert whole(scene, (100, 100)).limits == ends(stack[1] * 2)
    scene.change({"agg": "mean"})
    assert whole(scene, (100, 100)).limits == pytest.approx(ends(cells_of(stack[1] * 2)), rel=1e-6)
    scene.change({"vmin": -1.0})
    assert limits_in(scene) == (-1, pytest.approx((stack[1] * 2).max()))


def test_facets_share_one_range():
    stack = np.stack([NOISE, NOISE * 3])
    scene = scene_of(stack, center=None, rows=0, rgb=False)
    frame = whole(scene, (100, 100))
    assert frame.limits == pytest.approx(ends(cells_of(stack[1])), rel=1e-6)


def test_a_file_has_the_limits_of_the_page():
    scene = scene_of(NOISE, center=None)
    whole(scene, (100, 100))
    found = limits_in(scene)
    aside = scene.draw_aside((0, 1200, 0, 1100), (300, 300))
    assert aside.limits == found == limits_in(scene)


def test_limits_that_are_asked_for_are_those_of_elements_or_of_pixels():
    scene = scene_of(NOISE, center=None)
    whole(scene, (100, 100))
    scene.set_limits("full", "slice")
    assert whole(scene, (100, 100)).limits == ends(NOISE)
    assert snapshot(scene)["limits"] == "elements"
    scene.set_limits("auto", "slice")
    assert whole(scene, (100, 100)).limits == pytest.approx(ends(cells_of(NOISE)), rel=1e-6)
    assert snapshot(scene)["limits"] == "auto"


def test_the_front_ends_draw_equal_pixels():
    """A figure, `to_rgba` and the inspector: the same plane on as many pixels."""
    for options in ({}, {"limits": "pixels"}, {"limits": "elements"}, {"robust": True}, {"agg": "std"}):
        picture = gpuplot.to_rgba(NOISE, (100, 100), **options)
        scene = scene_of(NOISE, center=None, **options)
        scene.draw((0, 1200, 0, 1100), (100, 100))
        assert np.array_equal(picture, pixels(scene, (100, 100)))
        figure = axes_of(100)
        gpuplot.imshow(NOISE, ax=figure, aspect="auto", **options)
        figure.figure.canvas.draw()
        assert np.array_equal(picture, np.asarray(figure.figure.canvas.buffer_rgba()))


@pytest.mark.parametrize(("agg", "norm"), [("var", "log"), ("range", "asinh"), ("count", "log")])
def test_limits_follow_back_beside_a_colorbar(agg, norm):
    """What a colorbar has thrown away still hears of the norm until it is collected, and counted as another artist."""
    ax = Figure().subplots()
    im = gpuplot.imshow(np.random.default_rng(0).normal(size=(1500, 1600)), ax=ax, norm=norm, agg=agg, colorbar=True)
    canvas = FigureCanvasAgg(ax.figure)
    gc.disable()
    try:
        canvas.draw()
        before = im.get_clim()
        for part in (((3, 9.5), (9, 3.2)), ((100, 700), (900, 200)), ((-0.5, 1599.5), (1499.5, -0.5))):
            ax.set(xlim=part[0], ylim=part[1])
            canvas.draw()
    finally:
        gc.enable()
    assert im.get_clim() == before
