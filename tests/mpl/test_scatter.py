"""`scatter`: matplotlib's markers for few points, and for many the number of points in each device pixel, at every zoom."""

import gc
import pickle
import weakref

import matplotlib as mpl
import numpy as np
import pytest
from figures import axes_of, pixels
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from on_device import there

import gpuplot
from gpuplot import _native
from gpuplot.errors import UnsupportedError
from gpuplot.mpl.points_image import PointsImage
from gpuplot.mpl.scatter import MAX_MARKERS
from gpuplot.mpl.spread import spread

N = MAX_MARKERS + 10_000


def cloud(n=N, seed=0, dtype="float64"):
    return np.random.default_rng(seed).normal(size=(2, n)).astype(dtype)


def shown(x, y, *args, xlim=(-3, 3), ylim=(-2, 2), size=(90, 60), **keywords):
    """The image of points in an Axes of so many pixels."""
    ax = axes_of(*size)
    image = gpuplot.scatter(x, y, *args, ax=ax, **keywords)
    ax.set(xlim=xlim, ylim=ylim)
    return image


def drawn_cells(image):
    """What the last draw made of each pixel, row 0 at the bottom; 0 where nothing is."""
    image.axes.figure.canvas.draw()
    return np.nan_to_num(image._cells.numpy())


# ---- few points: matplotlib's markers ------------------------------------------------------------------------------------


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


# ---- many points: a number for each pixel --------------------------------------------------------------------------------


@pytest.fixture(params=["host", "device"])
def put(request):
    if request.param == "host":
        return lambda array: array
    request.getfixturevalue("emulated")
    return there


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


def test_log_axes():
    """A factor is a pixel's width; what is not positive has no place."""
    x, y = np.exp2(np.random.default_rng(0).uniform(-2, 8, (2, N)))
    x[:100] = -1
    ax = axes_of(80, 80)
    image = gpuplot.scatter(x, y, ax=ax, spread=0)
    ax.set(xscale="log", yscale="log", xlim=(0.25, 256), ylim=(0.25, 256))
    cells = drawn_cells(image)
    assert cells.sum() + image.n_outside == N and image.n_outside >= 100
    columns = np.bincount(np.clip((np.log2(x[x > 0]) + 2) * 8, 0, 79.9).astype(int), minlength=80)
    assert np.abs(cells.sum(0) - columns).max() <= 2  # points on the border between two pixels


@pytest.mark.parametrize("scale", ["linear", "log", "logit", "symlog"])
@pytest.mark.parametrize("first", ["points", "scale"])
def test_limits_follow_the_scale_as_those_of_markers_do(scale, first):
    """The smallest positive coordinate is where a logarithmic axis begins, and margins are shares of the scale's own units."""
    x, y = cloud(MAX_MARKERS + 1)
    limits = []
    for density in (True, False):
        ax = Figure().add_subplot()
        if first == "scale":
            ax.set_xscale(scale)
        gpuplot.scatter(x, y, ax=ax, density=density)
        ax.set_xscale(scale)
        limits.append((ax.get_xlim(), ax.get_ylim()))
    np.testing.assert_allclose(*limits, rtol=1e-12)


@pytest.mark.parametrize("draw", [
    lambda ax: gpuplot.scatter(*cloud(), ax=ax), lambda ax: gpuplot.scatter(*cloud(), c=np.arange(N) % 3, categorical=True, ax=ax),
    lambda ax: gpuplot.plot(cloud(99).T, density=True, ax=ax),
], ids=["points", "classes", "lines"])
@pytest.mark.parametrize("spoil", [
    lambda ax: ax.set_position([0.8, 0.8, -0.5, -0.5]), lambda ax: ax.set_position([0.5, 0.1, 0, 0.8]),
    lambda ax: ax.set_xscale("function", functions=(lambda x: x * np.nan, lambda x: x * np.nan)),
    lambda ax: ax.set_xscale("function", functions=(lambda x: x * 0, lambda x: x * 0)),
    lambda ax: (ax.set_xlim(-1e308, 1e308), ax.set_axis_off()),
], ids=["negative", "flat", "NaN", "zero", "beyond float64"])
def test_axes_without_a_place_show_nothing(draw, spoil):
    """Where matplotlib's own artists draw nothing and say nothing, a draw of the whole figure must not fail."""
    ax = axes_of(80, 80)
    draw(ax)
    spoil(ax)
    with np.errstate(all="ignore"):
        ax.figure.canvas.draw()
    assert ax.images[0].make_image(None) == (None, 0, 0, None)
    ax.clear()
    ax.set_position([0, 0, 1, 1])
    draw(ax)
    assert drawn_cells(ax.images[0]).sum() > 0


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


# ---- colors --------------------------------------------------------------------------------------------------------------


def test_colors_follow_the_view_until_somebody_sets_limits():
    image = shown(*cloud())
    drawn_cells(image)
    assert type(image.norm) is mpl.colors.LogNorm
    first = image.get_clim()
    assert first[0] == 1 and first[1] == drawn_cells(image).max()
    image.axes.set(xlim=(-300, 300))
    drawn_cells(image)
    assert image.get_clim()[1] > first[1]
    image.set_clim(2, 50)
    image.axes.set(xlim=(-3, 3))
    drawn_cells(image)
    assert image.get_clim() == (2, 50)


@pytest.mark.parametrize(("agg", "factor", "extend"), [("sum", 1, "max"), ("mean", 1, "max"), ("mean", -1, "min"), ("min", -1, "min")])
def test_one_hot_value_dims_nothing(agg, factor, extend):
    """Of sums and means, too, and at either end; a colorbar points there. Values that are spread widely are all within the limits."""
    rng = np.random.default_rng(0)
    x, y, c = *rng.random((2, N)), 50 + rng.normal(size=N)
    usual = shown(x, y, c=c, agg=agg, spread=0, xlim=(0, 1), ylim=(0, 1))
    x, y, c = (np.append(values, one) for values, one in zip((x, y, c), (0.505, 0.505, factor * 1e6), strict=True))
    image = shown(x, y, c=c, agg=agg, spread=0, xlim=(0, 1), ylim=(0, 1))
    assert image.norm.extend == extend and usual.norm.extend == "neither"
    assert image.norm.vmax - image.norm.vmin < 2 * (usual.norm.vmax - usual.norm.vmin)
    wide = shown(x[:N], y[:N], c=np.exp(3 * rng.random(N)), agg=agg, spread=0, xlim=(0, 1), ylim=(0, 1))
    cells = wide._cells.numpy()
    assert (wide.norm.vmin, wide.norm.vmax) == (np.nanmin(cells), np.nanmax(cells))


def test_one_hot_pixel_dims_nothing():
    x, y = np.concatenate([cloud(), np.zeros((2, 10 * N))], axis=1)
    image = shown(x, y)
    drawn_cells(image)
    assert image.get_clim()[1] < 200 and image.norm.extend == "max"
    assert image.axes.figure.colorbar(image).extend == "max"


def test_points_of_one_color():
    image = shown(*cloud(), c="tab:red")
    rgba = image.make_image(None)[0]
    is_there = rgba[..., 3] > 0
    assert (rgba[is_there][:, :3] == np.round(np.array(mpl.colors.to_rgb("tab:red")) * 255)).all()
    assert rgba[is_there][:, 3].min() == 102 and rgba[..., 3].max() == 255


def opacities(image):
    """(number of points, opacity) of the pixels that have points, in the order of the first."""
    counts = drawn_cells(image).ravel()
    rgba, *_ = image.make_image(image.axes.figure.canvas.get_renderer())
    order = np.argsort(counts[counts > 0], kind="stable")
    return counts[counts > 0][order], rgba[..., 3].ravel()[counts > 0][order]


@pytest.mark.parametrize("norm", [None, "linear", "eq_hist"])
def test_alpha_is_that_of_a_lone_point(norm):
    """As where markers overlap: an alpha of 0.05 once made the whole density all but invisible."""
    x, y = cloud()
    counts, alpha = opacities(shown(x, y, alpha=0.05, norm=norm))
    assert counts[0] == 1 and alpha[0] == int(0.05 * 255)
    assert alpha[-1] == 255 and (np.diff(alpha.astype(int)) >= 0).all()


def test_alpha_of_values_follows_from_the_number_of_points():
    """Points are counted for this, once for each view, and a frozen or pickled image keeps the counts."""
    x, y = cloud()
    image, counted = shown(x, y, c=x, alpha=0.05, spread=0), shown(x, y, alpha=0.05, spread=0)
    before, n_filled = pixels(image.axes.figure), (drawn_cells(counted) > 0).sum()
    rgba, *_ = image.make_image(image.axes.figure.canvas.get_renderer())
    want, *_ = counted.make_image(counted.axes.figure.canvas.get_renderer())
    np.testing.assert_array_equal(rgba[..., 3], want[..., 3])
    there = rgba[..., 3][rgba[..., 3] > 0]
    assert (there.min(), there.max(), there.size) == (int(0.05 * 255), 255, n_filled)
    image.freeze()
    np.testing.assert_array_equal(pixels(image.axes.figure), before)
    twin = FigureCanvasAgg(pickle.loads(pickle.dumps(image.axes.figure))).figure
    np.testing.assert_array_equal(pixels(twin), before)


def test_alpha_of_classes_and_of_lines():
    x, y = cloud()
    assert opacities(shown(x, y, c=(x > 0).astype(int), categorical=True, alpha=0.05))[1].max() == 255
    image = gpuplot.plot(x.reshape(-1, 100), x=1, density=True, alpha=0.05, ax=axes_of(90, 60))
    assert opacities(image)[1].max() == 255


def test_a_legend_names_densities(tmp_path):
    """As it names markers; the entry goes with its points."""
    image = shown(*cloud(), c="tab:red", label="a")
    ax = image.axes
    gpuplot.scatter(*cloud(), ax=ax, label="b", cmap="viridis")
    handles, texts = ax.get_legend_handles_labels()
    assert texts == ["a", "b"] and mpl.colors.same_color(handles[0].get_facecolor(), "tab:red")
    limits = ax.dataLim.frozen()
    ax.legend(loc="upper left")
    ax.figure.canvas.draw()
    assert (ax.dataLim.get_points() == limits.get_points()).all()
    image.set_label("c")
    assert ax.get_legend_handles_labels()[1] == ["c", "b"]
    assert [text.get_text() for text in pickle.loads(pickle.dumps(ax.figure)).axes[0].legend().get_texts()] == ["c", "b"]
    image.remove()
    assert ax.get_legend_handles_labels()[1] == ["b"]
    assert shown(*cloud()).axes.get_legend_handles_labels() == ([], [])


def test_empty_pixels_show_what_is_behind():
    image = shown(*cloud(), xlim=(-100, 100))
    rgba = image.make_image(None)[0]
    assert (rgba[:, :30, 3] == 0).all() and rgba[..., 3].max() == 255


def test_pixels_with_nan_have_their_color():
    x, y = cloud()
    c = np.ones(N)
    c[0], x[0], y[0] = np.nan, 2.9, 1.9
    image = shown(x, y, c=c, nan_color="magenta", spread=0)
    assert image.make_image(None)[0][58, 88].tolist() == [255, 0, 255, 255]


@pytest.mark.parametrize("norm", ["eq_hist", "linear", "cbrt"])
def test_other_norms(norm):
    image = shown(*cloud(), norm=norm)
    assert image.make_image(None)[0][..., 3].max() == 255


# ---- classes -------------------------------------------------------------------------------------------------------------


def classes_of(x, y, n_classes=5):
    return ((x > 0).astype("int16") + 2 * (y > 0)) % n_classes


def test_pixels_have_the_mean_color_of_their_classes(put):
    """Next to a border between two classes there are pixels of both."""
    x, y = cloud(seed=4)
    c = classes_of(x, y)
    image = shown(put(x), put(y), c=put(c), categorical=True, xlim=(-1, 1), ylim=(-1, 1), size=(21, 21), spread=0)
    rgba = image.make_image(None)[0]
    palette = np.array([mpl.colors.to_rgb(f"C{i}") for i in range(4)])
    assert rgba[3, 3, :3].tolist() == np.rint(255 * palette[0]).tolist()
    assert rgba[17, 17, :3].tolist() == np.rint(255 * palette[3]).tolist()
    place = (np.floor((x + 1) * 10.5) == 10) & (np.floor((y + 1) * 10.5) == 3)
    shares = np.bincount(c[place], minlength=4) / place.sum()
    assert 0 < shares[0] < 1
    np.testing.assert_array_equal(rgba[3, 10, :3], np.rint(255 * shares @ palette))
    counts = drawn_cells(shown(x, y, xlim=(-1, 1), ylim=(-1, 1), size=(21, 21), spread=0))
    np.testing.assert_array_equal(drawn_cells(image), counts)


def test_few_points_have_the_colors_of_their_classes():
    x, y = cloud(300)
    points = gpuplot.scatter(x, y, c=classes_of(x, y), categorical=True, ax=axes_of())
    np.testing.assert_allclose(points.get_facecolors()[:, :3], np.array([mpl.colors.to_rgb(f"C{i}") for i in range(4)])[classes_of(x, y)])


def test_three_numbers_for_three_points_are_no_color():
    points = gpuplot.scatter([1, 2, 3], [1, 2, 3], c=(0.1, 0.2, 0.3), cmap="magma", ax=axes_of())
    assert points.get_array().tolist() == [0.1, 0.2, 0.3] and points.get_cmap().name == "magma"


@pytest.mark.parametrize("n", [300, 60_000])
@pytest.mark.parametrize("kind", ["list", "array", "series", "category", "categorical"])
def test_classes_may_have_names(kind, n):
    """The same picture as of their numbers; a legend has the names."""
    x, y = cloud(n)
    numbers = classes_of(x, y)
    texts = np.array(["ant", "bee", "cat", "dog"])[numbers]
    if kind not in ("list", "array"):
        pandas = pytest.importorskip("pandas")
        texts = {"series": pandas.Series, "category": lambda texts: pandas.Series(texts, dtype="category"),
                 "categorical": pandas.Categorical}[kind](texts)
    named = gpuplot.scatter(x, y, c=list(texts) if kind == "list" else texts, categorical=None if kind[:3] == "cat" else True, ax=axes_of())
    numbered = gpuplot.scatter(x, y, c=numbers, categorical=True, ax=axes_of())
    np.testing.assert_array_equal(pixels(named.figure), pixels(numbered.figure))
    handles, names = named.legend_elements()
    assert names == ["ant", "bee", "cat", "dog"] and handles[3].get_color()[:3] == pytest.approx(mpl.colors.to_rgb("C3"))
    assert numbered.legend_elements()[1] == ["0", "1", "2", "3"]


@pytest.mark.parametrize("n", [300, 60_000])
def test_points_of_no_class_are_not_drawn(n):
    """Neither those without a name, nor those of an ignored number beyond the others."""
    x, y = cloud(n)
    numbers = classes_of(x, y)
    texts = [None if number == 3 else "abc"[number] for number in numbers]
    ignored = np.where(numbers == 3, 255, numbers)
    pictures = [pixels(gpuplot.scatter(x, y, c=c, categorical=True, labels=labels, ax=axes_of()).figure)
                for c, labels in ((texts, None), (ignored, dict(enumerate("abc"))))]
    np.testing.assert_array_equal(*pictures)
    few = gpuplot.scatter(x[:100], y[:100], c=ignored[:100], categorical=True, ax=axes_of())
    assert (few.get_facecolors()[:, 3] == (numbers[:100] != 3)).all()


def test_ignored_classes_are_not_drawn():
    x, y = cloud()
    c = classes_of(x, y).astype("int64")
    c[x > 0] = 9
    image = shown(x, y, c=c, categorical=True, ignore_index=9, spread=0, labels={0: "low", 2: "high"})
    assert not drawn_cells(image)[:, 46:].any() and image.n_outside >= (x > 0).sum()
    handles, texts = image.legend_elements(markersize=3)
    assert texts == ["low", "high"] and handles[1].get_color()[:3] == pytest.approx(mpl.colors.to_rgb("C2"))


def test_classes_grow_with_their_points():
    x, y, c = np.array([[-0.5, 0.5], [0, 0], [1, 3]])
    image = shown(x, y, c=c.astype(int), categorical=True, density=True, xlim=(-1, 1), ylim=(-1, 1), size=(40, 40))
    rgba = image.make_image(None)[0]
    for number, part in ((1, rgba[:, :20]), (3, rgba[:, 20:])):
        assert (part[..., 3] > 0).sum() > 25
        assert (part[part[..., 3] > 0][:, :3] == np.rint(255 * np.array(mpl.colors.to_rgb(f"C{number}")))).all()


@pytest.mark.parametrize(("keywords", "message"), [
    ({"c": np.arange(2.0)}, "integer dtype"), ({"c": np.array([0, 64])}, "more than the 64"), ({}, "class number of each point"),
    ({"c": np.arange(2), "norm": "log"}, "classes have a color each"),
])
def test_classes_that_are_none(keywords, message):
    with pytest.raises(ValueError, match=message):
        gpuplot.scatter([1, 2], [1, 2], categorical=True, ax=axes_of(), **keywords)


def test_a_legend_needs_classes():
    with pytest.raises(ValueError, match="categorical=True"):
        shown(*cloud()).legend_elements()


# ---- lone points ---------------------------------------------------------------------------------------------------------


def cells_with(*points, shape=(11, 11)):
    values = np.full(shape, np.array(_native.EMPTY_BITS, np.uint64).view(np.float64))
    for row, col, value in points:
        values[row, col] = value
    return _native.Cells.from_array(values)


def test_points_grow_to_circles():
    grown = spread(cells_with((5, 5, 3.0)), 2, "count").numpy()
    assert (grown == 3).sum() == 21 and (grown.view(np.uint64) == _native.EMPTY_BITS).sum() == 100
    np.testing.assert_array_equal(grown, grown.T)


def test_the_larger_value_wins_and_marks_stay():
    grown = spread(cells_with((5, 4, 3.0), (5, 6, 7.0), (0, 0, np.nan)), 1, "mean").numpy()
    assert grown[5, 5] == 7 and np.isnan(grown[0, 1])
    assert grown[0, 1].view(np.uint64) != _native.EMPTY_BITS
    assert spread(cells_with((5, 4, 3.0), (5, 6, 7.0)), 1, "min").numpy()[5, 5] == 3


def test_lone_points_grow_and_dense_ones_do_not():
    sparse, dense = cells_with((2, 2, 1.0), (8, 8, 1.0)), cells_with(*((i, j, 1.0) for i in range(5) for j in range(5)))
    assert (spread(sparse, "auto", "count").numpy() == 1).sum() > 2 * 25
    assert spread(dense, "auto", "count") is dense


# ---- the artist ----------------------------------------------------------------------------------------------------------


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
    pyplot.close("all")


def test_update_reads_again():
    x, y = cloud()
    image = shown(x, y, spread=0)
    before = drawn_cells(image)
    x += 1
    image.update()
    after = drawn_cells(image)
    np.testing.assert_array_equal(after[:, 15:], before[:, :-15])


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


# ---- refusals ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("args", "keywords", "error", "message"), [
    (([1, 2], [1, 2, 3]), {}, ValueError, "same size: x has 2"),
    (([1, 2], [1, 2], None, [1, 2, 3]), {}, ValueError, "c has 3 elements for 2 points"),
    (([1j], [1]), {}, UnsupportedError, "real coordinates"),
    (([1], [1]), {"agg": "mean"}, ValueError, "give them as c"),
    (([1], [1], None, [1.0]), {"agg": "nearest"}, ValueError, "not one of"),
    (([1], [1]), {"spread": 40}, ValueError, "0 to 16"),
    (([1], [1]), {"nan": "auto"}, ValueError, "show, skip"),
    (([1, 2], [1, 2], [3, 4]), {"density": True}, ValueError, "no sizes of their own"),
    (([1, 2], [1, 2]), {"density": True, "marker": "x"}, ValueError, "without markers"),
    (([1, 2], [1, 2]), {"density": True, "c": ["r", "b"]}, ValueError, "categorical=True"),
    (([1, 2], [1, 2]), {"density": True, "c": [(1, 0, 0), (0, 1, 0)]}, ValueError, "no colors of their own"),
    (([1, 2], [1, 2]), {"density": True, "linewidths": 2}, ValueError, "is of markers"),
    (([1], [1]), {"colour": "red"}, AttributeError, "did you mean"),
])
def test_refusals(args, keywords, error, message):
    ax = axes_of()
    with pytest.raises(error, match=message):
        gpuplot.scatter(*args, ax=ax, **keywords)
    assert not ax.images and not ax.collections


def test_tensors_on_different_devices(emulated):
    x, y = cloud()
    with pytest.raises(ValueError, match="different devices"):
        shown(there(x), y)
