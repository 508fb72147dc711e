"""`scatter`: matplotlib's markers for few points, and for many the number of points in each device pixel, at every zoom."""

import gc
import weakref

import matplotlib as mpl
import numpy as np
import pytest
from figures import axes_of, drawn_cells, pixels
from matplotlib.backend_bases import MouseEvent
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.transforms import Affine2D
from on_device import there
from point_clouds import N, cloud, shown

import gpuplot
from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.errors import UnsupportedError
from gpuplot.mpl.densities.points_image import PointsImage
from gpuplot.plane.points import Points

# ---- few points: matplotlib's markers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("keywords", [
    {}, {"s": 40.0}, {"c": "tab:red", "alpha": 0.5}, {"marker": "x"}, {"s": np.arange(200.0)},
    {"c": np.arange(200.0), "cmap": "magma", "vmin": 20}, {"c": np.arange(1.0, 201.0), "norm": "log"}, {"color": "C3"},
    {"c": ["r", "b"] * 100}, {"c": np.array(["C1", "0.5"] * 100)}, {"c": ["k", (1, 0, 0)] * 100},
    {"c": np.linspace(0, 1, 800).reshape(200, 4)},
    {"c": [(0, 0.5, 1)] * 200}, {"c": [[0, 0.5, 1]]}, {"c": "none", "edgecolors": "k"}, {"facecolors": "none", "edgecolors": "C0"},
    {"c": np.r_[np.nan, np.arange(199.0)], "plotnonfinite": True},
])
def test_few_points_are_those_of_matplotlib(keywords):
    x, y = cloud(200)
    figures = []
    for draw in (lambda ax: gpuplot.scatter(x, y, ax=ax, **keywords), lambda ax: ax.scatter(x, y, **keywords)):
        fig = Figure(figsize=(3, 2))
        FigureCanvasAgg(fig)
        points = draw(fig.subplots())
        assert type(points) is PathCollection
        figures.append(pixels(fig))
    np.testing.assert_array_equal(*figures)


def test_few_points_of_a_device(emulated):
    x, y = cloud(300, dtype="float32")
    points = gpuplot.scatter(there(x), there(y), c=there(x), ax=axes_of())
    np.testing.assert_array_equal(points.get_offsets(), np.column_stack([x, y]))
    np.testing.assert_array_equal(points.get_array(), x)


def test_any_shape_and_lists():
    points = gpuplot.scatter([[1, 2], [3, 4]], np.arange(4), ax=axes_of())
    np.testing.assert_array_equal(points.get_offsets(), [[1, 0], [2, 1], [3, 2], [4, 3]])


def test_names_in_data():
    points = gpuplot.scatter("a", "b", c="k", data={"a": [1.0, 2.0], "b": [3.0, 4.0]}, ax=axes_of())
    np.testing.assert_array_equal(points.get_offsets(), [[1, 3], [2, 4]])


# ---- many points: a number for each pixel -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
def test_counts_are_those_of_the_points_in_each_pixel(put, dtype):
    x, y = (cloud() * (100 if dtype == "int32" else 1)).astype(dtype)
    image = shown(put(x), put(y), xlim=(-3.3, 3.3), ylim=(-250, 250) if dtype == "int32" else (-2.3, 2.3), spread=0)
    assert isinstance(image, PointsImage)
    cells = drawn_cells(image)
    lows, highs = zip(image.axes.get_xlim(), image.axes.get_ylim(), strict=True)
    places = [np.floor((v.astype(float) - low) * n / (high - low)) for v, low, high, n in zip((x, y), lows, highs, (90, 60), strict=True)]
    is_seen = [(p >= 0) & (p < n) for p, n in zip(places, (90, 60), strict=True)]
    is_seen = is_seen[0] & is_seen[1]
    want = np.zeros((60, 90))
    np.add.at(want, (places[1][is_seen].astype(int), places[0][is_seen].astype(int)), 1)
    np.testing.assert_array_equal(cells, want)
    assert image.n_outside == N - is_seen.sum()


def test_every_zoom_counts_anew():
    x, y = cloud()
    image = shown(x, y, spread=0)
    whole = drawn_cells(image)
    image.axes.set(xlim=(0, 1), ylim=(0, 0.5))
    part = drawn_cells(image)
    assert part.sum() == ((x >= 0) & (x <= 1) & (y >= 0) & (y <= 0.5)).sum() < whole.sum()
    image.axes.figure.set_dpi(200)
    assert drawn_cells(image).shape == (120, 180) and drawn_cells(image).sum() == part.sum()


def test_a_draw_that_repeats_counts_nothing(monkeypatch):
    image = shown(*cloud())
    drawn_cells(image)
    monkeypatch.setattr(type(image.points), "cells", None)
    drawn_cells(image)
    image.set_cmap("magma")
    drawn_cells(image)


def test_axes_that_are_turned_round():
    x, y = cloud()
    upright = drawn_cells(shown(x, y, spread=0))
    np.testing.assert_array_equal(drawn_cells(shown(x, y, xlim=(3, -3), spread=0)), upright[:, ::-1])
    np.testing.assert_array_equal(drawn_cells(shown(x, y, ylim=(2, -2), spread=0)), upright[::-1])


@pytest.mark.parametrize("agg", ["mean", "sum", "max", "min", "absmax", "range", "std", "var", "count"])
def test_values(put, agg):
    x, y = cloud(seed=1)
    c = np.random.default_rng(2).normal(size=N)
    c[::1000] = np.nan
    axes = (-3.0, 3.0, 90, None), (-2.0, 2.0, 60, None)
    image = shown(put(x), put(y), c=put(c), agg=agg, nan="skip", spread=0)
    image.axes.figure.canvas.draw()
    planes = [_native.Plane(_native.Tensor.from_array(v, "float64", None), [("cols", 0, 1, N, 0)], ()) for v in (x, y, c)]
    want = _native.bin_points(*planes, *axes, agg, "skip")[0].numpy()
    np.testing.assert_allclose(image._cells.numpy(), want, rtol=1e-12)


def test_only_pixels_cross(emulated):
    x, y = cloud(400_000, dtype="float32")
    tensors = there(x), there(y)
    before = _native.cuda_counts(0)["bytes_to_host"]
    drawn_cells(shown(*tensors, spread=0))
    crossed = _native.cuda_counts(0)["bytes_to_host"] - before
    assert 0 < crossed < 400_000


def test_a_repeated_draw_brings_pixels_alone(emulated):
    """The cells stay where they are: matplotlib's question whether there are elements is answered without them."""
    x, y = cloud(dtype="float32")
    image = shown(there(x), there(y), spread=0)
    drawn_cells(image)
    before = _native.cuda_counts(0)["bytes_to_host"]
    image.axes.figure.canvas.draw()
    assert _native.cuda_counts(0)["bytes_to_host"] - before == 4 * 90 * 60
    assert image.get_array().shape == (60, 90)


def test_markers_that_pixels_look_like_are_taken():
    x, y = cloud()
    for properties in ({"marker": "."}, {"marker": ",", "s": 1}, {"marker": "o", "lw": 0}, {"edgecolors": "none", "linewidths": 0}):
        assert type(gpuplot.scatter(x, y, ax=Figure().subplots(), density=True, **properties)).__name__ == "PointsImage"


# ---- the artist ---------------------------------------------------------------------------------------------------------


def test_limits_of_the_axes_hold_all_points():
    x, y = cloud()
    ax, want = Figure().subplots(), Figure().subplots()
    gpuplot.scatter(x, y, ax=ax)
    want.scatter(x, y)
    np.testing.assert_allclose(ax.get_xlim(), want.get_xlim())
    np.testing.assert_allclose(ax.get_ylim(), want.get_ylim())
    ax.relim()
    ax.autoscale_view()
    np.testing.assert_allclose(ax.get_xlim(), want.get_xlim())


def test_pyplot_knows_the_points():
    from matplotlib import pyplot

    image = gpuplot.scatter(*cloud())
    assert pyplot.gci() is image
    pyplot.colorbar()


def test_update_reads_again():
    x, y = cloud()
    image = shown(x, y, spread=0)
    before = drawn_cells(image)
    x += 1
    image.update()
    after = drawn_cells(image)
    np.testing.assert_array_equal(after[:, 15:], before[:, :-15])


@pytest.mark.parametrize("c", [None, "values", "classes"])
def test_set_data_shows_other_points(c):
    """As an animation does; matplotlib's markers take offsets, and so does a density."""
    x, y = cloud()
    values = {"values": x * 2, "classes": (x > 0).astype(int)}.get(c)
    options = {"c": values, "categorical": True} if c == "classes" else {"c": values}
    image, other = shown(x, y, spread=0, **options), shown(x + 1, y, spread=0, **options)
    for ax in (image.axes, other.axes):
        ax.set(xlim=(-4, 4), ylim=(-4, 4))
    before, wanted = drawn_cells(image), drawn_cells(other)
    image.set_data(x + 1, y)
    np.testing.assert_array_equal(drawn_cells(image), wanted)
    image.set_offsets(np.stack([x, y], 1))
    np.testing.assert_array_equal(drawn_cells(image), before)
    image.set(offsets=np.stack([x + 1, y], 1).tolist())
    np.testing.assert_array_equal(drawn_cells(image), wanted)
    if c is None:
        image.set_data(x[:500], y[:500])
        assert np.nansum(drawn_cells(image)) <= 500
    else:
        image.set_data(x[:500], y[:500], values[:500])
        with pytest.raises(ValueError, match="c has 500 elements for"):
            image.set_data(x, y)


def test_other_points_that_cannot_be_shown_leave_the_image_as_it_is():
    x, y = cloud()
    image = shown(x, y, spread=0)
    before = drawn_cells(image)
    for call, said in ((lambda: image.set_data(x), "give x and y"), (lambda: image.set_data(x, y[1:]), "must be the same size"),
                       (lambda: image.set_data(x, y, x), "have no values"), (lambda: image.set_data(x + 1j, y), "x is complex128"),
                       (lambda: image.set_offsets(x), r"are x and y of each point, \(N, 2\)")):
        with pytest.raises((ValueError, TypeError), match=said):
            call()
    np.testing.assert_array_equal(drawn_cells(image), before)
    image.freeze()
    with pytest.raises(ValueError, match="no longer have their tensors"):
        image.set_data(x, y)


@pytest.mark.parametrize("c", [[[1, 0, 0]], [(1.0, 0.0, 0.0, 0.5)], ["r"], np.array([[1.0, 0, 0]])], ids=str)
def test_one_color_in_a_list_is_one_color(c):
    """As `Axes.scatter` takes it, which warns about a single RGB sequence."""
    x, y = cloud()
    wanted = shown(x, y, c="r", alpha=0.5 if np.shape(c)[-1] == 4 else None)
    image = shown(x, y, c=c)
    assert image.cmap(1.0)[:3] == wanted.cmap(1.0)[:3]


def test_keys_and_values_of_a_dict_are_sequences():
    from matplotlib import pyplot as plt

    counts = {1: 2.0, 3: 5.0, 4: 1.0}
    ax = plt.figure().add_subplot()
    assert gpuplot.plot(counts.keys(), counts.values(), ax=ax)[0].get_xdata().tolist() == [1, 3, 4]
    assert gpuplot.scatter(counts.keys(), counts.values(), ax=ax).get_offsets().tolist() == [[1, 2], [3, 5], [4, 1]]
    assert gpuplot.hist(counts.values(), 2, ax=ax).n.tolist() == [2, 1]
    names = gpuplot.plot({"a": 1.0, "b": 2.0}.keys(), [1.0, 2.0], ax=plt.figure().add_subplot())
    assert names[0].length == 2


def test_remove_lets_the_tensors_go():
    x, y = cloud()
    known = weakref.ref(x)
    image = shown(x, y)
    drawn_cells(image)
    image.remove()
    del x, y
    gc.collect()
    assert known() is None


def test_the_pointer_says_how_many():
    x, y = np.zeros((2, N))
    image = shown(x, y, spread=0, xlim=(-1, 1), ylim=(-1, 1))
    drawn_cells(image)
    event = type("Event", (), {"x": 45, "y": 30})
    assert image.get_cursor_data(event) == N and image.format_cursor_data(N) == f"[{N} points]"
    assert image.get_cursor_data(type("Event", (), {"x": 3, "y": 3})) is None


@pytest.mark.parametrize(("place", "is_inside"), [
    ((45, 30), True), ((88.5, 30), True), ((20, 30), False), ((45, 40), False), ((400, 30), False)])
def test_pixels_with_points_are_picked(place, is_inside):
    x = np.zeros(N)
    x[0] = 1
    image = shown(x, np.zeros(N), spread=1, xlim=(-1, 1), ylim=(-1, 1))
    drawn_cells(image)
    event = MouseEvent("motion_notify_event", image.axes.figure.canvas, *place)
    assert image.contains(event) == (is_inside, {})


def test_dates_and_names_on_axes():
    days = np.datetime64("2026-01-01") + np.arange(N) % 365
    image = shown(days, np.arange(N) % 7, xlim=(None, None), ylim=(None, None))
    drawn_cells(image)
    assert isinstance(image.axes.xaxis.get_major_locator(), mpl.dates.AutoDateLocator)
    points = gpuplot.scatter(["a", "b", "a"], [1, 2, 3], ax=axes_of())
    np.testing.assert_array_equal(points.get_offsets()[:, 0], [0, 1, 0])


def test_no_points():
    image = shown([], [], density=True)
    assert not drawn_cells(image).any()


# ---- refusals -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("args", "keywords", "error", "message"), [
    (([1, 2], [1, 2, 3]), {}, ValueError, "same size: x has 2"),
    (([1, 2], [1, 2], None, [1, 2, 3]), {}, ValueError, "c has 3 elements for 2 points"),
    (([1j], [1]), {}, UnsupportedError, "real coordinates"),
    (([1], [1]), {"agg": "mean"}, ValueError, "give them as c"),
    (([1], [1], None, [1.0]), {"agg": "nearest"}, ValueError, "not one of"),
    (([1], [1]), {"spread": 40}, ValueError, "0 to 16"),
    (([1], [1]), {"nan": "auto"}, ValueError, "show, skip"),
    (([1, 2], [1, 2], [3, 4]), {"density": True}, ValueError, "no sizes of their own"),
    (([1, 2], [1, 2]), {"density": True, "alpha": [0.5, 1]}, ValueError, "no opacities of their own.*density=False"),
    (([1, 2], [1, 2]), {"density": True, "vmin": 0}, ValueError, "not vmin=0: leave vmin out, or give norm='linear'$"),
    (([1, 2], [1, 2]), {"density": True, "marker": "x"}, ValueError, "without markers"),
    (([1, 2], [1, 2]), {"density": True, "c": ["r", "b"]}, ValueError, "categorical=True"),
    (([1, 2], [1, 2]), {"density": True, "c": [(1, 0, 0), (0, 1, 0)]}, ValueError, "no colors of their own"),
    (([1, 2], [1, 2]), {"density": True, "linewidths": 2}, ValueError, "is for markers"),
    (([1], [1]), {"colour": "red"}, AttributeError, "did you mean"),
])
def test_refusals(args, keywords, error, message):
    ax = axes_of()
    with pytest.raises(error, match=message):
        gpuplot.scatter(*args, ax=ax, **keywords)
    assert not ax.images and not ax.collections


@pytest.mark.parametrize("projection", ["polar", "mollweide"])
def test_densities_need_columns_of_pixels(projection):
    ax = Figure().add_subplot(projection=projection)
    with pytest.raises(ValueError, match=f"a density counts points in columns of pixels, which {projection} Axes do not have"):
        gpuplot.scatter(*cloud(), ax=ax)
    assert not ax.images and not ax.collections
    assert type(gpuplot.scatter(*cloud(), density=False, ax=ax)) is PathCollection


@pytest.mark.parametrize("draw", [
    lambda **keywords: gpuplot.scatter([1, 2], [1, 2], density=True, **keywords),
    lambda **keywords: gpuplot.plot([1, 2], density=True, **keywords)])
def test_densities_have_no_transform_of_their_own(draw):
    ax = axes_of()
    with pytest.raises(ValueError, match="has no transform of its own"):
        draw(ax=ax, transform=ax.transAxes)
    assert not ax.images and not ax.collections
    image = draw(ax=ax, transform=ax.transData)
    with pytest.raises(ValueError, match="has no transform of its own"):
        image.set_transform(ax.transData + Affine2D().rotate(1))
    image.set_transform(None)
    assert image.get_transform() is ax.transData


def test_tensors_on_different_devices(emulated):
    x, y = cloud()
    with pytest.raises(ValueError, match="different devices"):
        shown(there(x), y)


@pytest.mark.host("those of a device are refused, with what to do")
def test_values_and_coordinates_of_any_layout():
    """A value that was a transpose was refused, where there are more points than markers."""
    x, y, c = np.random.default_rng(0).random((3, 300, 200), "f4")
    want = shown(x.ravel(), y.ravel(), c=c.T.ravel())
    np.testing.assert_array_equal(drawn_cells(shown(x.ravel(), y.ravel(), c=c.T)), drawn_cells(want))
    x, y = np.random.default_rng(0).random((2, 40, 50, 60))
    permuted = [values.transpose(2, 0, 1) for values in (x, y)]
    np.testing.assert_array_equal(drawn_cells(shown(*permuted)), drawn_cells(shown(*(values.ravel() for values in permuted))))


def test_an_empty_density_leaves_limits_to_others():
    ax = Figure().subplots()
    ax.plot([5, 6], [5, 6])
    want = ax.get_xlim(), ax.get_ylim()
    gpuplot.scatter([], [], density=True, ax=ax)
    ax.relim()
    ax.autoscale_view()
    assert (ax.get_xlim(), ax.get_ylim()) == want


@pytest.mark.parametrize(("odd", "n_passes"), [("y", 3), ("x", 2), ("xy", 5)])
def test_points_that_are_not_finite_cost_few_passes(monkeypatch, odd, n_passes):
    """Limits took six passes over all points wherever a coordinate was NaN: those of y stand if all x are finite."""
    x, y = np.random.default_rng(4).uniform(-1, 1, (2, 500))
    y += 2  # the smallest positive one is the smallest
    for name, values in (("x", x), ("y", y)):
        values[:3] = np.nan if name in odd else 9
    passes, bin_points = [], _native.bin_points
    monkeypatch.setattr(_native, "bin_points", lambda *args: passes.append(args) or bin_points(*args))
    found = Points(describe(there(x)), describe(there(y))).limits
    here = np.isfinite(x + y)
    np.testing.assert_array_equal(found, [(v[here].min(), v[here].max(), v[here & (v > 0)].min()) for v in (x, y)])
    assert len(passes) == n_passes


def test_update_finds_limits_of_colors_in_the_same_view():
    """They stayed until the view changed, as they were known for that."""
    x, c = np.random.default_rng(0).random((2, 2000))
    image = gpuplot.scatter(x, x, c=c, density=True, ax=axes_of())
    image.axes.figure.canvas.draw()
    before = np.array(image.get_clim())
    for factor in (5, 0.1):
        c *= factor
        before *= factor
        image.update()
        image.axes.figure.canvas.draw()
        np.testing.assert_allclose(image.get_clim(), before, rtol=1e-12)
    image.set_clim(0, 1)
    image.update()
    image.axes.figure.canvas.draw()
    assert image.get_clim() == (0, 1)


def test_limits_are_found_once_and_again_by_update():
    """They were found twice in each call, by passes over all coordinates."""
    x, y = cloud()
    image = shown(x, y)
    points = image.points
    assert points.limits is points.limits and image.get_extent()[1] == x.max()
    x[0] = 1e6
    image.update()
    assert image.get_extent()[1] == 1e6
