"""Texts that figures get automatically: names of axes, the slice as the title, a colorbar as high as the picture."""

import io
import itertools
import pickle

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import AutoLocator
from PIL import Image
from scenes import scene_of

import gpuplot
from gpuplot.arrays.describe import describe
from gpuplot.inspector.export.figures import make_figure
from gpuplot.mpl import axis_labels
from gpuplot.mpl.drawable_text import drawable
from gpuplot.plane.slice_text import slice_text
from gpuplot.plane.view import choose

VOLUME = np.random.default_rng(0).normal(size=(4, 6, 20, 30)).astype("f4")


def axes():
    figure = Figure(figsize=(6, 4))
    FigureCanvasAgg(figure)
    return figure.subplots()


@pytest.mark.parametrize(("shape", "few"), [((4096,), "y"), ((1, 300), "y"), ((300, 1), "x"), ((3, 400), "y"), ((5, 4), None)])
def test_ticks_of_a_few_elements_are_at_elements(shape, few):
    """One row had ticks at -0.4, -0.2, ...; planes that do not fill their Axes have matplotlib's."""
    ax = axes()
    gpuplot.imshow(np.zeros(shape), ax=ax)
    if few is None:
        assert type(ax.xaxis.get_major_locator()) is AutoLocator
        return
    axis = getattr(ax, f"{few}axis")
    low, high = sorted(axis.get_view_interval())
    assert [tick for tick in axis.get_ticklocs() if low <= tick <= high] == list(range(min((1, *shape) if len(shape) == 1 else shape)))


def test_the_inspector_says_the_slice_as_figures_and_files_do():
    X = np.zeros((3, 4, 5, 6), np.float32)
    options = {"dims": ("time", "head", "row", "col"), "index": {"time": 2}, "reduce": {"head": "max"}}
    said = "time = 2, max over head"
    scene = scene_of(X, **options)
    assert scene.state()["slice"] == said == make_figure(scene).axes[0].get_title()
    ax = axes()
    gpuplot.imshow(X, ax=ax, **options)
    assert ax.get_title() == said
    scene.change({"index": {0: 1}})
    assert scene.state()["slice"] == "time = 1, max over head"
    assert scene_of(X, dims=options["dims"], columns="time").state()["slice"] == "head = 0"  # each facet is named by itself
    assert scene_of(X[0, 0]).state()["slice"] == scene_of(X[0, 0, 0]).state()["slice"] == ""


@pytest.mark.filterwarnings("ignore:an inspector is shown by a notebook")
def test_a_snapshot_of_the_inspector_says_the_slice():
    file = io.BytesIO()
    with gpuplot.inspect(VOLUME, index={0: 3}) as w:
        w.snapshot(file)
        assert Image.open(file).text["Description"] == "axis 0 = 3, axis 1 = 0"
        file = io.BytesIO()
        w.snapshot(file, metadata={"Description": "mine"})
        assert Image.open(file).text["Description"] == "mine"


# ---- the slice -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("options", "text"), [
    ({}, "axis 0 = 0, axis 1 = 0"), ({"index": {0: -1, 1: 2}}, "axis 0 = 3, axis 1 = 2"),
    ({"index": {0: 1}, "reduce": {1: "mean"}}, "axis 0 = 1, mean over axis 1"),
    ({"reduce": {0: "max", 1: "max"}}, "max over axis 0 and axis 1"),
    ({"reduce": {0: "max", 1: "mean"}}, "max over axis 0, mean over axis 1"),
    ({"dims": "batch head row col", "index": {"head": 5}}, "batch = 0, head = 5"),
    ({"dims": "b h r c", "x": "b", "y": "c"}, "h = 0, r = 0")])
def test_the_title_says_where_the_slice_is(options, text):
    ax = axes()
    gpuplot.imshow(VOLUME, ax=ax, **options)
    assert ax.get_title() == text


def test_coordinates_are_said_as_xarray_says_them():
    xr = pytest.importorskip("xarray", reason="pip install xarray")
    X = xr.DataArray(VOLUME, dims=("time", "level", "y", "x"), coords={
        "time": np.array(["2026-04-01", "2026-04-02", "2026-04-03", "2026-04-04"], "M8[ns]"), "level": ("level", list("abcdef"))})
    ax = axes()
    im = gpuplot.imshow(X, ax=ax, index={"level": 2})
    assert ax.get_title() == "time = 2026-04-01, level = c"
    im.set_index({"time": 3})
    assert ax.get_title() == "time = 2026-04-04, level = c"


SLICES = [
    ({"time": 3, "level": 0}, {}, "time = 2026-04-04, level = 850 [hPa]"),
    ({"time": [3], "level": 0}, {}, "time = 2026-04-04, level = 850 [hPa]"),
    ({"time": 3}, {"index": {"level": 2}}, "level = 500 [hPa], time = 2026-04-04"),
    ({"level": 1}, {"reduce": {"time": "mean"}}, "mean over time, level = 700 [hPa]")]


@pytest.fixture
def field():
    xr = pytest.importorskip("xarray", reason="pip install xarray")
    return xr.DataArray(VOLUME, dims=("time", "level", "y", "x"), coords={
        "time": np.arange("2026-04-01", "2026-04-05", dtype="M8[D]").astype("M8[ns]"),
        "level": ("level", [850.0, 700, 500, 300, 100, 2.5], {"units": "hPa"}), "x": np.arange(30) * 0.5})


@pytest.mark.parametrize(("isel", "options", "text"), SLICES)
def test_a_slice_of_xarray_says_where_it_is(field, isel, options, text):
    """Its time and level had been indices before xarray took them: then the title was empty."""
    X, ax, file = field.isel(isel), axes(), io.BytesIO()
    gpuplot.imshow(X, ax=ax, **options)
    gpuplot.imsave(file, X, **options)
    scene = scene_of(X, **options)
    assert ax.get_title() == Image.open(file).text["Description"] == text
    assert scene.state()["slice"] == make_figure(scene).axes[0].get_title() == text
    assert ax.get_xlabel() == "x"


def test_the_title_of_a_slice_is_that_of_xarray(field):
    X, ours, theirs = field.isel(time=2).assign_coords(level=field.level.astype(int)).isel(level=0), axes(), axes()
    gpuplot.imshow(X, ax=ours)
    X.plot.imshow(ax=theirs, add_colorbar=False)
    assert ours.get_title() == theirs.get_title() == "time = 2026-04-03, level = 850 [hPa]"


@pytest.mark.parametrize("names", [("cost $ per $", "$x_%$"), ("$$", "b"), ("\ud800", "b"), (r"$\mu$", "$5")],
                         ids=["signs", "empty", "no letter", "formula"])
@pytest.mark.parametrize("draw", [
    lambda X: gpuplot.imshow(X), lambda X: gpuplot.plot(X), lambda X: gpuplot.hist(X), lambda X: gpuplot.plot(dict(X)),
    lambda X: gpuplot.grid({name: VOLUME[0, 0] for name in X}), lambda X: gpuplot.scatter(X.iloc[:, 0], X.iloc[:, 1]),
    lambda X: gpuplot.inspect(X).to_figure()], ids=["imshow", "plot", "hist", "dict", "grid", "scatter", "inspect"])
def test_any_name_can_be_drawn(names, draw):
    """matplotlib takes what stands between dollars for a formula, and raises at the draw where it is none."""
    pd = pytest.importorskip("pandas", reason="pip install pandas")
    plt.figure()
    draw(pd.DataFrame(VOLUME[0, 0][:, :2], columns=names))
    plt.gcf().canvas.draw()
    plt.close("all")


def test_formulas_in_names_stay_formulas():
    assert drawable(r"$\mu$ of $n$ runs") == r"$\mu$ of $n$ runs" and drawable("$5") == "$5" and drawable("$a_%$") == r"\$a_%\$"


def test_the_title_is_that_of_the_last_slice_in_the_axes():
    ax = axes()
    for index in (1, 3):
        gpuplot.imshow(VOLUME, ax=ax, index={0: index})
    assert ax.get_title() == "axis 0 = 3, axis 1 = 0"
    gpuplot.imshow(VOLUME[0, 0] > 0, ax=ax, alpha=0.5)  # a mask on the slice
    assert ax.get_title() == "axis 0 = 3, axis 1 = 0"
    ax.set_title("mine")
    gpuplot.imshow(VOLUME, ax=ax)
    assert ax.get_title() == "mine"


def test_the_title_of_a_slice_follows_to_the_next(field):
    ax = axes()
    im = gpuplot.imshow(field.isel(time=0, level=0), ax=ax)
    im.update(field.isel(time=1, level=5))
    assert ax.get_title() == "time = 2026-04-02, level = 2.5 [hPa]"
    im.update(VOLUME[0, 0])
    assert ax.get_title() == ""


@pytest.mark.parametrize(("coords", "text"), [
    ({"step": np.timedelta64(6, "h").astype("m8[ns]"), "number": 0, "model": "icon"}, "step = 6:00:00, number = 0, model = icon"),
    ({"step": np.timedelta64(0, "ns")}, "step = 0:00:00"), ({"step": np.timedelta64(1500, "ns")}, "step = 1500 nanoseconds"),
    ({"a": np.datetime64("NaT", "ns"), "b": np.timedelta64("NaT", "ns")}, "a = NaT, b = NaT"), ({"y0": ("y", np.arange(20))}, ""),
    (dict.fromkeys("abcde", 1), "a = 1, b = 1, c = 1, d = 1, ..."),
    ({"t": np.datetime64("2026-04-01T06:00", "ns")}, "t = 2026-04-01T06:00")])
def test_coordinates_of_a_whole_tensor(coords, text):
    xr = pytest.importorskip("xarray", reason="pip install xarray")
    X = xr.DataArray(VOLUME[0, 0], dims=("y", "x"), coords=coords)
    assert slice_text(describe(X), None) == text
    with_map = X.assign_coords(spatial_ref=xr.DataArray(0, attrs={"crs_wkt": "GEOGCS"}))
    assert slice_text(describe(with_map), None) == text


def test_a_difference_is_where_both_are(field):
    a, b = field.isel(time=0, level=0), field.isel(time=1, level=0)
    scene = scene_of({"a": a, "b": b})
    assert [(scene.change({"item": item}), scene.state()["slice"])[1] for item in ("a", "b", "a - b")] == [
        "time = 2026-04-01, level = 850 [hPa]", "time = 2026-04-02, level = 850 [hPa]", "level = 850 [hPa]"]
    scene = scene_of({"a": a, "b": VOLUME[0, 0]})
    scene.change({"item": "a - b"})
    assert scene.state()["slice"] == ""


@pytest.mark.parametrize("facets", [{"rows": "level"}, {"columns": "level"}, {"rows": "time", "columns": "level"}])
def test_a_figure_of_facets_says_the_slice_once(field, facets):
    figure = make_figure(scene_of(field.assign_coords(run=3), **facets))
    assert figure._suptitle.get_text() == ("run = 3" if len(facets) == 2 else "time = 2026-04-01, run = 3")
    titles = [ax.get_title() for ax in figure.axes]
    assert not any("=" in title for title in titles) and bool(titles[0]) == ("columns" in facets)


@pytest.mark.parametrize("X", [VOLUME[0, 0], VOLUME[0, 0, 0], VOLUME[:1, :1], np.zeros((20, 30, 3))],
                         ids=["plane", "line", "one", "colors"])
def test_a_tensor_without_slices_has_no_title(X):
    ax = axes()
    gpuplot.imshow(X, ax=ax)
    assert ax.get_title() == ""


def test_a_title_of_the_caller_stays():
    ax = axes()
    ax.set_title("mine")
    im = gpuplot.imshow(VOLUME, ax=ax)
    im.set_index({0: 1})
    assert ax.get_title() == "mine"
    ax = axes()
    ax.set_title("mine", loc="left")
    gpuplot.imshow(VOLUME, ax=ax)
    assert ax.get_title() == ""
    ax = axes()
    im = gpuplot.imshow(VOLUME, ax=ax)
    ax.set_title("mine")
    im.set_index({0: 1})
    assert ax.get_title() == "mine"


def test_a_title_follows_index_and_tensor():
    ax = axes()
    im = gpuplot.imshow(VOLUME, ax=ax)
    im.set_index({1: 4})
    assert ax.get_title() == "axis 0 = 0, axis 1 = 4"
    im.update(VOLUME[:1])
    assert ax.get_title() == "axis 1 = 4"


def test_files_say_it_too():
    file = io.BytesIO()
    gpuplot.imsave(file, VOLUME, index={0: 3}, metadata={"Title": "mine"})
    file.seek(0)
    texts = Image.open(file).text
    assert texts["Description"] == "axis 0 = 3, axis 1 = 0" and texts["Title"] == "mine"
    for X, metadata in ((VOLUME, {"Description": None}), (VOLUME[0, 0], None)):
        file = io.BytesIO()
        gpuplot.imsave(file, X, metadata=metadata)
        file.seek(0)
        assert "Description" not in Image.open(file).text


def test_axes_of_one_element_are_not_said():
    assert slice_text(describe(VOLUME[:1]), choose((1, 6, 20, 30), None, "float32", index={1: 2})) == "axis 1 = 2"


# ---- stacks of pictures ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "dtype", "channel"), [
    ((4, 3, 20, 30), "u1", 1), ((4, 20, 30, 3), "u1", 3), ((4, 3, 20, 30), "f4", None), ((4, 3, 20, 30), "i2", None),
    ((4, 5, 20, 30), "u1", None), ((2, 4, 3, 20, 30), "u1", 2)])
def test_stacks_of_uint8_pictures_are_colors_everywhere(shape, dtype, channel):
    """The inspector showed them so, and the figure a plane of red."""
    X = np.random.default_rng(0).integers(0, 255, shape).astype(dtype)
    im = gpuplot.imshow(X, ax=axes(), index={0: 1})
    assert im.plane.is_rgb == (channel is not None)
    scene = scene_of(X)
    assert scene.state()["is_rgb"] == (channel is not None)
    if channel is not None:
        picture = np.moveaxis(X[1], channel - 1, -1) if X.ndim == 4 else np.moveaxis(X[1, 0], channel - 2, -1)
        np.testing.assert_array_equal(gpuplot.to_rgba(X, index={0: 1})[..., :3], picture)
        assert not gpuplot.imshow(X, ax=axes(), rgb=False).plane.is_rgb


@pytest.mark.parametrize(("shape", "said", "silent"), [
    ((4, 3, 20, 30), "rgb=1 shows colors", [{"rgb": 1}, {"rgb": False}, {"x": 1}, {"reduce": {1: "mean"}}]),
    ((4, 20, 30, 3), "rgb=3 shows colors", [{"rgb": 3}, {"y": 3, "x": 2}, {"x": 2, "y": 1, "reduce": {3: "mean"}}])])
def test_what_is_said_of_floats_that_may_be_pictures(shape, said, silent):
    """Of (N, H, W, 3) a plane of three columns was drawn, and nothing was said."""
    X = np.zeros(shape, "f4")
    ax = axes()
    gpuplot.imshow(X, ax=ax)
    assert ax.get_title() == f"axis 0 = 0, axis 1 = 0 ({said})"
    assert f"these may be stacked pictures: {said}" in scene_of(X).state()["tensor"]["notes"]
    for options in silent:
        ax = axes()
        gpuplot.imshow(X, ax=ax, **options)
        assert "rgb" not in ax.get_title()


@pytest.mark.parametrize(("shape", "dtype"), [
    ((64, 3, 3, 3), "f4"), ((4, 20, 30, 3), "i2"), ((4, 2, 20, 30, 3), "f4"), ((4, 20, 30, 2), "f4"), ((4, 5, 3, 3), "f8"),
    ((4, 3, 20, 4), "f4")])
def test_of_other_floats_nothing_is_said(shape, dtype):
    ax = axes()
    gpuplot.imshow(np.zeros(shape, dtype), ax=ax)
    assert "rgb" not in ax.get_title()


# ---- axes ----------------------------------------------------------------------------------------------------------------


def test_names_are_labels_of_axes_that_have_none():
    ax = axes()
    ax.set_ylabel("mine")
    gpuplot.imshow(VOLUME, ax=ax, dims=("b", "h", "row", "col"))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("col", "mine")
    ax = axes()
    gpuplot.imshow(VOLUME, ax=ax, dims=("b", "h", "row", "col"), x="b", y="h")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("b", "h")


@pytest.mark.parametrize(("shape", "options", "aspect"), [
    ((1, 51), {}, "auto"), ((1, 50), {}, 1), ((51, 1), {}, "auto"), ((200,), {}, "auto"), ((7,), {}, "auto"), ((10, 600), {}, "auto"),
    ((10, 600), {"aspect": "equal"}, 1), ((200,), {"aspect": 3}, 3), ((10, 600), {"extent": (0, 1, 0, 1)}, 1), ((10, 400), {}, 1),
    ((0, 900), {}, 1)])
@pytest.mark.filterwarnings("ignore:.*Attempting to set identical")
def test_planes_that_would_be_a_hair_fill_the_axes(shape, options, aspect):
    ax = axes()
    gpuplot.imshow(np.zeros(shape), ax=ax, **options)
    assert ax.get_aspect() == aspect


# ---- colorbars -----------------------------------------------------------------------------------------------------------


def outline(colorbar):
    """(x0, y0, x1, y1) of a colorbar on the figure, its pointed ends included, in pixels."""
    return colorbar.outline.get_window_extent().extents


@pytest.mark.parametrize(("layout", "shape", "location", "limits"), [
    (None, (30, 90), "right", "elements"), (None, (900, 300), "right", "pixels"), (None, (30, 90), "left", "elements"),
    (None, (90, 30), "top", "elements"), (None, (900, 300), "bottom", "pixels"), ("constrained", (30, 90), "right", "elements"),
    ("constrained", (300, 900), "right", "pixels"), ("constrained", (90, 30), "bottom", "elements"),
    ("constrained", (20, 20), "left", "elements"), ("tight", (30, 90), "right", "elements"), ("tight", (900, 300), "top", "pixels"),
    ("compressed", (20, 20), "right", "elements"), ("compressed", (900, 300), "bottom", "pixels")])
def test_a_colorbar_is_as_long_as_the_picture(layout, shape, location, limits):
    figure = Figure(figsize=(8, 6), layout=layout)
    FigureCanvasAgg(figure)
    axs = figure.subplots(2, 2)
    images = [gpuplot.imshow(np.random.default_rng(0).normal(size=shape), ax=ax, colorbar={"location": location}, limits=limits)
              for ax in axs.flat]
    figure.canvas.draw()
    figure.canvas.draw()
    i = 0 if location in ("top", "bottom") else 1
    for image in images:
        picture, bar = image.axes.bbox.extents, outline(image.colorbar)
        room = image.colorbar.ax.get_position(original=True).size[i] * figure.bbox.size[i]
        middle, length = (picture[i] + picture[i + 2]) / 2, picture[i + 2] - picture[i]
        length = max(length, min(room, figure.dpi * (1.2, 0.7)[i]))  # numbers below a narrow picture need more
        assert bar[i] == pytest.approx(middle - length / 2, abs=2) and bar[i + 2] == pytest.approx(middle + length / 2, abs=2)
        others = [other.axes.bbox for other in images]
        assert not any(image.colorbar.ax.bbox.overlaps(other) for other in others)
        width = (bar[3] - bar[1]) if i == 0 else (bar[2] - bar[0])
        assert 3 < width < 30


def test_callers_place_it_themselves():
    ax = axes()
    im = gpuplot.imshow(VOLUME[0, 0], ax=ax, colorbar={"shrink": 0.5})
    ax.figure.canvas.draw()
    assert im.colorbar.ax.bbox.height < 0.7 * ax.bbox.height


def test_a_figure_with_such_a_colorbar_is_pickled():
    ax = axes()
    im = gpuplot.imshow(np.zeros((10, 40)), ax=ax, colorbar=True)
    again = pickle.loads(pickle.dumps(ax.figure))
    FigureCanvasAgg(again)
    again.canvas.draw()
    ax.figure.canvas.draw()
    np.testing.assert_allclose(again.axes[1].bbox.extents, im.colorbar.ax.bbox.extents)


@pytest.mark.parametrize("n", [1, 4])
def test_long_titles_of_slices_do_not_reach_their_neighbors(n):
    """Those of many hidden axes overlapped, and were cut at the border of a small figure."""
    figure = Figure(figsize=(3 * n, 3))
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, n, squeeze=False)[0]
    for ax in axes:
        gpuplot.imshow(np.zeros((2, 3, 4, 5, 5)), ax=ax, colorbar=n == 1)
    figure.canvas.draw()
    boxes = [ax.title.get_window_extent() for ax in axes]
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(boxes))
    assert boxes[0].x0 >= 0 and boxes[-1].x1 <= figure.bbox.width
    assert axes[0].get_title() == "axis 0 = 0, axis 1 = 0, axis 2 = 0" and axes[0].title.get_fontsize() > 6


def test_titles_that_small_letters_do_not_make_short_enough_have_lines():
    """Those of three named axes overlapped, in the smallest letters."""
    xr = pytest.importorskip("xarray")
    array = xr.DataArray(np.zeros((2, 3, 4, 5, 5)), dims=("ensemble_member", "valid_time", "pressure_level", "y", "x"))
    figure = Figure()
    FigureCanvasAgg(figure)
    images = [gpuplot.imshow(array, ax=ax) for ax in figure.subplots(1, 3)]
    figure.canvas.draw()
    boxes = [im.axes.title.get_window_extent() for im in images]
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(boxes))
    assert images[0].axes.get_title().split("\n") == ["ensemble_member = 0,", "valid_time = 0,", "pressure_level = 0"]
    images[0].set_index({"valid_time": 2})
    assert images[0].axes.get_title().split("\n")[1] == "valid_time = 2,"
    images[0].axes.set_title("mine")
    images[0].set_index({"valid_time": 1})
    assert images[0].axes.get_title() == "mine"


def test_titles_with_formulas_have_no_lines():
    assert axis_labels._in_lines("a long name = 3, $\\mu$ = 4 [m s]", 4) == "a long name = 3, $\\mu$ = 4 [m s]"
    assert axis_labels._in_lines("a long name = 3,  b = 4  [m] (rgb=1 shows colors)", 4) == (
        "a\nlong\nname = 3,\nb = 4 [m]\n(rgb=1 shows colors)")


def test_a_title_that_fits_has_the_size_of_others():
    ax = axes()
    gpuplot.imshow(VOLUME, ax=ax)
    size = ax.title.get_fontsize()
    assert ax.get_title() and size == ax.set_title("another").get_fontsize()


def test_names_of_values_label_points_and_histograms():
    xr = pytest.importorskip("xarray")
    named = [xr.DataArray(np.arange(9.0), dims="t", name=name, attrs={"units": "K"}) for name in "uv"]
    axs = Figure().subplots(1, 5)
    gpuplot.scatter(*named, ax=axs[0])
    gpuplot.scatter(*named, density=True, ax=axs[1])
    gpuplot.hist2d(*named, ax=axs[2])
    gpuplot.hist(named[0], orientation="horizontal", ax=axs[3])
    axs[4].set_xlabel("given")
    gpuplot.hist(named[0], ax=axs[4])
    assert [(ax.get_xlabel(), ax.get_ylabel()) for ax in axs] == [("u [K]", "v [K]")] * 3 + [("", "u [K]"), ("given", "")]


def test_long_tables_and_axes_of_different_kinds_fill_their_axes():
    """Fifty days of four prices were a stripe of a third of an inch."""
    pd, xr = (pytest.importorskip(name) for name in ("pandas", "xarray"))

    def aspect_of(X):
        return gpuplot.imshow(X, ax=Figure().subplots()).axes.get_aspect()

    days = pd.date_range("2026-01-01", periods=50)
    assert aspect_of(pd.DataFrame(np.zeros((50, 4)), days, list("abcd"))) == "auto"
    assert aspect_of(pd.DataFrame(np.zeros((4, 4)), days[:4], list("abcd"))) == 1
    assert aspect_of(xr.DataArray(np.zeros((50, 4)), dims=("time", "level"), coords={"time": days})) == "auto"
    assert [aspect_of(X) for X in (np.zeros((50, 4)), xr.DataArray(np.zeros((50, 4)), dims=("y", "x")))] == [1, 1]


@pytest.mark.parametrize("colorbar", [False, True])
@pytest.mark.parametrize("shape", [(10, 10), (6, 30), (30, 6), (3, 4)], ids=str)
def test_long_names_stay_within_a_figure_of_one_picture(shape, colorbar):
    """Names of classes below a confusion matrix were cut off, and the label below them, too."""
    pd = pytest.importorskip("pandas")
    rows, cols = ([f"automobile {k}" for k in range(n)] for n in shape)
    figure = Figure()
    FigureCanvasAgg(figure)
    image = gpuplot.imshow(pd.DataFrame(np.zeros(shape), rows, cols), ax=figure.subplots(), colorbar=colorbar)
    image.axes.set(xlabel="predicted", ylabel="true")
    figure.canvas.draw()
    box = image.axes.get_tightbbox()
    assert box.x0 >= 0 and box.y0 >= 0
    side_by_side = Figure()
    before = side_by_side.subplots(1, 2)[0].get_position()
    gpuplot.imshow(pd.DataFrame(np.zeros(shape), rows, cols), ax=side_by_side.axes[0], aspect="auto")
    assert side_by_side.axes[0].get_position().bounds == before.bounds


def test_short_names_leave_a_picture_where_it_is():
    pd = pytest.importorskip("pandas")
    figure = Figure()
    before = figure.subplots().get_position()
    gpuplot.imshow(pd.DataFrame(np.zeros((6, 6)), list("abcdef"), list("uvwxyz")), ax=figure.axes[0], aspect="auto")
    figure.draw_without_rendering()
    assert figure.axes[0].get_position().bounds == before.bounds
