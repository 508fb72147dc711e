"""Colors of many points: limits, densities, alpha, NaN, norms, and legends."""

import pickle

import matplotlib as mpl
import numpy as np
import pytest
from figures import axes_of, drawn_cells, pixels
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from point_clouds import N, cloud, shown

import gpuplot


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


@pytest.mark.parametrize("draw", [lambda ax, **keywords: gpuplot.scatter(*cloud(), ax=ax, **keywords),
                                  lambda ax, **keywords: gpuplot.plot(np.eye(9), density=True, ax=ax, **keywords)], ids=["points", "lines"])
def test_limits_of_zero_are_for_a_linear_norm(draw):
    """plt.colorbar(); plt.clim(0, 3) ended in matplotlib's "Invalid vmin or vmax", of a log norm that nobody asked for."""
    figure = Figure()
    FigureCanvasAgg(figure)
    ax = figure.add_subplot()
    with pytest.raises(ValueError, match="on a log scale.* not vmin=0 and vmax=-1: leave vmin and vmax out, or give norm='linear'$"):
        draw(ax, vmin=0, vmax=-1)
    image = draw(ax)
    figure.colorbar(image)
    before = image.get_clim()
    for limits in ((0, 3), ((0, 3),)):
        with pytest.raises(ValueError, match=r"not vmin=0: leave vmin out, or call set_norm\('linear'\) of the density before$"):
            image.set_clim(*limits)
    for limits, message in (((9, 1), r"vmin \(9.0\) must be less than or equal to vmax \(1.0\): exchange them"),
                            ((1, np.inf), "a log norm needs limits above zero, not 1.0 to inf")):
        with pytest.raises(ValueError, match=message):  # which each draw raised
            image.set_clim(*limits)
    assert image.get_clim() == before
    image.set_clim(vmax=3)
    assert image.get_clim() == (before[0], 3)
    image.set_norm("linear")
    image.set_clim(0, 3)
    figure.canvas.draw()
    assert image.get_clim() == (0, 3) and draw(ax, norm="linear", vmin=0).get_clim()[0] == 0


@pytest.mark.parametrize("has_bar", [False, True])
@pytest.mark.parametrize("given", ["vmin", "vmax"])
def test_a_limit_that_is_given_stays_where_the_view_has_only_values_beyond_it(given, has_bar):
    """The one that was found lay beyond it: the next draw raised a ValueError, or a colorbar exchanged the two."""
    x = np.linspace(0, 1, 2000)
    ax, value = Figure().add_subplot(), {"vmin": 0.6, "vmax": 0.4}[given]
    FigureCanvasAgg(ax.figure)
    image = gpuplot.scatter(x, x, c=x, density=True, ax=ax, **{given: value})
    if has_bar:
        ax.figure.colorbar(image)
    for part in ((0.8, 0.9), (0.1, 0.2)):
        ax.set_xlim(part)
        pixels(ax.figure)
        assert image.norm.vmin <= value <= image.norm.vmax
    ax.set_xlim(0, 1)
    pixels(ax.figure)
    assert getattr(image.norm, given) == value and image.norm.vmax - image.norm.vmin == pytest.approx(0.4, abs=0.02)


def test_limits_follow_the_view_after_equal_ones():
    """A colorbar moves equal limits apart, which was taken for a choice of the user."""
    x = np.linspace(0, 1, 2000)
    ax = Figure().add_subplot()
    FigureCanvasAgg(ax.figure)
    image = gpuplot.scatter(x, x, c=np.maximum(x - 0.5, 0), density=True, ax=ax)
    for has_bar in (False, True):
        ax.set_xlim(0.1, 0.3)
        pixels(ax.figure)
        if not has_bar:
            ax.figure.colorbar(image)
        assert image.get_clim() == (-0.1, 0.1)
        ax.set_xlim(0, 1)
        pixels(ax.figure)
        assert image.get_clim() == pytest.approx((0, 0.5), abs=0.01)


@pytest.mark.parametrize("norm", [mpl.colors.CenteredNorm, mpl.colors.TwoSlopeNorm])
def test_limits_around_a_center_are_the_norms_own(norm):
    """They follow the view, and `autoscale` finds them again: a center outside the range ended in an error of matplotlib."""
    x, y = cloud()
    for c, center in ((None, 0), (y, y.min() - 1), (y, y.max() + 1)):
        image = shown(x, y, c=c, norm=norm(center))
        seen = []
        for xlim in ((-300, 300), (-3, 3)):
            image.axes.set(xlim=xlim)
            cells = drawn_cells(image)
            cells = cells[cells > 0] if c is None else cells[np.isfinite(cells)]
            seen.append(np.abs(cells - center).max())
            np.testing.assert_allclose(np.abs(np.subtract(image.get_clim(), center)).max(), seen[-1], rtol=1e-6)
            image.set_clim(center - 1e6, center + 1e6)
            image.autoscale()
            np.testing.assert_allclose(np.abs(np.subtract(image.get_clim(), center)).max(), seen[-1], rtol=1e-6)
        assert seen[0] != seen[1]


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


@pytest.mark.parametrize("least", [-1.0, 0.0])
def test_a_log_norm_of_values_begins_at_the_smallest_above_zero(least):
    """As that of markers and of `imshow`; it ended in "Invalid vmin or vmax" when the figure was drawn."""
    x, y = cloud()
    c = np.maximum(np.arange(float(x.size)) / 100, 1) * np.where(np.arange(x.size) % 3 == 0, least, 1)
    image = shown(x, y, c=c, agg="max", norm="log", spread=0)
    cells = drawn_cells(image)
    assert image.get_clim() == (cells[cells > 0].min(), np.nanmax(cells)) and image.norm.extend == "neither"
    image.axes.figure.colorbar(image)
    image.axes.figure.canvas.draw()
    image.axes.set(xlim=(1e6, 2e6))
    image.axes.figure.canvas.draw()
    assert image.get_clim() == (1, 10)
    nothing = shown(x, y, c=-abs(c), norm="log")
    assert nothing.axes.figure.canvas.draw() is None and nothing.get_clim() == (1, 10)


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


@pytest.mark.parametrize("s, sizes", [(None, [36]), (4, [4]), ([9.0], [9]), (np.float32(2), [2])])
def test_a_legend_shows_markers_of_the_given_size(s, sizes):
    """Whoever draws small ones enlarges them in the legend by `markerscale`; large ones would cover each other there."""
    (handle,), _ = shown(*cloud(), s=s, label="a").axes.get_legend_handles_labels()
    assert handle.get_sizes().tolist() == sizes


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


# ---- its colorbar --------------------------------------------------------------------------------------------------------


def bar_of(image):
    """The colorbar of an image, drawn."""
    bar = image.figure.colorbar(image)
    FigureCanvasAgg(image.figure).draw()
    return bar


def test_a_colorbar_has_the_opacities_of_the_pixels():
    """It was as faint as a lone point throughout, beside a picture that is not."""
    x, y = cloud()
    bar = bar_of(shown(x, y, alpha=0.1))
    colors = bar.solids.get_facecolor()
    np.testing.assert_allclose(colors[[0, -1], 3], [0.1, 1], atol=0.01)
    np.testing.assert_allclose(colors[:, :3], bar.cmap(bar.norm(bar.solids.get_array().ravel()))[:, :3])
    red = bar_of(shown(x, y, color="red", alpha=0.1)).solids.get_facecolor()
    np.testing.assert_allclose(red[[0, -1]], [[1, 0, 0, 0.1], [1, 0, 0, 1]], atol=0.01)
    np.testing.assert_allclose(bar_of(shown(x, y, c=x, alpha=0.1)).solids.get_facecolor()[:, 3], 1)
    np.testing.assert_allclose(bar_of(shown(x, y, color="red")).solids.get_facecolor()[[0, -1], 3], [0.4, 1], atol=0.01)


@pytest.mark.parametrize("draw", [lambda ax: gpuplot.scatter([1], [2], density=True, ax=ax),
                                  lambda ax: gpuplot.plot([1, 2], density=True, ax=ax)], ids=["points", "lines"])
def test_a_density_has_one_opacity(draw):
    """Every later draw ended in a TypeError about 0-dimensional arrays."""
    image = draw(axes_of())
    image.set_alpha(np.float32(0.5))
    with pytest.raises(ValueError, match="no opacities of their own: give one alpha, or None"):
        image.set_alpha([0.5, 1])
    image.axes.figure.canvas.draw()
    assert image.get_alpha() == 0.5


def test_a_colorbar_follows_another_opacity_and_its_ends_too():
    x, y = cloud()
    image = shown(np.append(x, np.zeros(10_000)), np.append(y, np.zeros(10_000)), alpha=0.2)
    bar = bar_of(image)
    assert bar.extend == "max" and bar._extend_patches[0].get_facecolor()[3] == 1
    image.set_alpha(0.6)
    bar.update_normal(image)
    image.figure.canvas.draw()
    np.testing.assert_allclose(bar.solids.get_facecolor()[0, 3], 0.6, atol=0.01)
    image.set_alpha(None)
    bar.update_normal(image)
    image.figure.canvas.draw()
    np.testing.assert_allclose(bar.solids.get_facecolor()[:, 3], 1)


@pytest.mark.parametrize(("most", "want"), [(6, ["1", "2", "3", "4", "6"]), (800, ["1", "10", "100"]), (10**6, [])])
def test_a_colorbar_of_counts_has_plain_numbers(most, want):
    """Six points per pixel were 6 x 10^0."""
    axis = bar_of(gpuplot.scatter(*cloud(), ax=Figure().subplots(), density=True, vmin=1, vmax=most)).ax.yaxis
    texts = [tick.label1.get_text() or tick.label2.get_text() for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks())
             if 1 <= tick.get_loc() <= most]
    assert sorted(text for text in texts if text and "10^" not in text) == want


def test_densities_in_one_axes_have_colors_of_the_cycle():
    """As markers have: two once had the same colormap, and could not be told apart."""
    first = shown(*cloud(), label="a")
    ax = first.axes
    assert first.cmap.name == "viridis"
    second = gpuplot.scatter(*cloud(), ax=ax)
    third = gpuplot.scatter(*cloud(), ax=ax)
    second.remove()
    chosen, values = gpuplot.scatter(*cloud(), ax=ax, cmap="magma"), gpuplot.scatter(*cloud(), c=cloud()[0], ax=ax)
    last = gpuplot.plot(np.ones((2, 100)), x=1, density=True, ax=ax)
    assert [image.cmap(1.0)[:3] for image in (first, second, third, last)] == [mpl.colors.to_rgb(f"C{k}") for k in range(4)]
    assert (chosen.cmap.name, values.cmap.name) == ("magma", "viridis")
    assert mpl.colors.same_color(ax.get_legend_handles_labels()[0][0].get_facecolor(), "C0")


@pytest.mark.parametrize("change", [lambda image: image.set_cmap("gray"), lambda image: image.axes.figure.colorbar(image)])
def test_a_density_keeps_colors_that_somebody_chose(change):
    first = shown(*cloud())
    change(first)
    before = first.cmap
    second = gpuplot.scatter(*cloud(), ax=first.axes)
    assert first.cmap is before and second.cmap(1.0)[:3] == mpl.colors.to_rgb("C1")


def test_densities_lie_where_markers_and_lines_do():
    """Patches and grid lines covered them, as they cover images."""
    x, y = cloud()
    points, markers = shown(x, y), shown(x[:9], y[:9], density=False)
    assert points.zorder == markers.zorder == 1
    ax = axes_of(90, 60)
    assert gpuplot.plot(x.reshape(-1, 100), x=1, density=True, ax=ax).zorder == gpuplot.plot(x, ax=ax)[0].zorder == 2
    assert gpuplot.scatter(x, y, ax=ax, zorder=7).zorder == 7


@pytest.mark.parametrize("background, cmap, starts", [
    ("white", "viridis", 0), ("white", "Blues", 1), ("black", "magma", 1), ("none", "Blues", 0), ("black", "gray_r", 0),
    ("white", mpl.colormaps["Blues"], 0)])
def test_colormaps_of_counts_begin_where_they_are_seen(background, cmap, starts):
    """Lone points in nearly white were not seen on white. A Colormap object stays what it is."""
    x, y = cloud()
    ax = axes_of(90, 60)
    ax.set_facecolor(background)
    image = gpuplot.scatter(x, y, ax=ax, cmap=cmap)
    whole = mpl.colormaps[cmap] if isinstance(cmap, str) else cmap
    assert (image.cmap(0.0) != whole(0.0)) is bool(starts) and image.cmap.name == whole.name
    np.testing.assert_allclose(image.cmap(1.0), whole(1.0))
    assert gpuplot.scatter(x, y, c=x, ax=ax, cmap=cmap).cmap(0.0) == whole(0.0)


@pytest.mark.parametrize("n_channels", [3, 4])
def test_no_points_may_have_no_colors(n_channels):
    """They raised IndexError, which matplotlib's do not."""
    nothing = np.zeros((0, n_channels))
    assert len(gpuplot.scatter(nothing, nothing, c=nothing, ax=axes_of()).get_offsets()) == 0
