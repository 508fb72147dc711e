"""`plot(..., density=True)`: the number of lines in each device pixel, at every zoom, on linear and other axes."""

import gc
import weakref
from fractions import Fraction

import matplotlib as mpl
import numpy as np
import pytest
from figures import axes_of, drawn_cells
from on_device import there
from reference.lines import bin_lines, exact_bounds, line_axis

import gpuplot
from gpuplot import _native
from gpuplot.plane import line_samples

WIDTH, HEIGHT = 90, 60


def walks(n_lines=40, n=200, seed=0, dtype="float32"):
    return np.random.default_rng(seed).normal(size=(n_lines, n)).cumsum(1).astype(dtype)


def shown(*args, xlim=None, ylim=None, scale=None, **keywords):
    """The image of lines in an Axes of WIDTH x HEIGHT pixels."""
    ax = axes_of(WIDTH, HEIGHT)
    if scale:
        ax.set(xscale=scale[0], yscale=scale[1])
    image = gpuplot.plot(*args, ax=ax, density=True, **keywords)
    if xlim:
        ax.set(xlim=xlim, ylim=ylim)
    return image


def wanted(image, x, y, normalize=False):
    """The same by the definition, for linear axes."""
    (x0, x1), (y0, y1) = image.axes.get_xlim(), image.axes.get_ylim()
    return bin_lines(x, np.asarray(y, float).tolist(), line_axis(x0, x1, WIDTH), line_axis(y0, y1, HEIGHT), normalize)


# ---- what is counted -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("view", [((0, 199), (-30, 30)), ((20.5, 31.25), (-4, 9)), ((80, 80.5), (-1, 1))])
def test_pixels_count_the_lines_that_pass(put, view, normalize):
    y = walks()
    y[3, 50:60], y[4, 22], y[5, ::2] = np.nan, np.inf, -np.inf
    image = shown(put(y), x=1, xlim=view[0], ylim=view[1], normalize=normalize)
    np.testing.assert_array_equal(drawn_cells(image), wanted(image, None, y, normalize))


@pytest.mark.parametrize("order", ["rises", "falls", "none", "own"])
def test_any_order_of_x(put, order):
    rng = np.random.default_rng(2)
    y, x = walks(12, 80), np.sort(rng.normal(0, 10, 80)).astype("float32")
    x = {"rises": x, "falls": x[::-1].copy(), "none": rng.permutation(x)}.get(order, rng.normal(0, 10, y.shape).astype("float32"))
    if order == "own":
        x[::2].sort(axis=1)
    image = shown(put(x), put(y), x=1, xlim=(-7, 11), ylim=(-6, 12))
    np.testing.assert_array_equal(drawn_cells(image), wanted(image, x.astype(float).tolist(), y))


@pytest.mark.parametrize("axis", [0, 1, 2, "time"])
def test_any_axis_of_any_tensor(put, axis):
    y = np.random.default_rng(3).normal(size=(5, 6, 7)).cumsum(0)
    if axis == "time":
        xarray = pytest.importorskip("xarray")
        image, along = shown(xarray.DataArray(y, dims=("trial", "time", "channel")), x="time", xlim=(0.5, 4), ylim=(-2, 2)), 1
    else:
        strided = y.transpose(1, 2, 0).copy().transpose(2, 0, 1)
        image, along = shown(put(strided), x=axis, xlim=(0.5, 4), ylim=(-2, 2)), axis
    lines = np.moveaxis(y, along, -1).reshape(-1, y.shape[along])
    assert image.n_lines == len(lines)
    np.testing.assert_array_equal(drawn_cells(image), wanted(image, None, lines))


def test_columns_are_lines_as_in_matplotlib_and_groups_are_counted_together():
    a, b = walks(7, 50).T, walks(4, 30, seed=1).T
    x = np.linspace(10, 60, 30)
    image = shown(np.arange(50), a, x, b, xlim=(5, 55), ylim=(-9, 9))
    np.testing.assert_array_equal(drawn_cells(image), wanted(image, np.arange(50.0), a.T) + wanted(image, x, b.T))
    assert image.n_lines == 11


def test_many_short_lines():
    y = np.repeat(np.array([[0.0, 1.0, np.nan, 1.0]]), 100_000, axis=0)
    image = shown(y, x=1, xlim=(0, 3), ylim=(-1, 2))
    np.testing.assert_array_equal(drawn_cells(image), 100_000 * wanted(image, None, y[:1]))
    assert drawn_cells(image).max() == 100_000


def test_a_long_line_in_no_order(monkeypatch):
    """What `plot` refuses, with a word about density=True, is drawn: once a pixel."""
    monkeypatch.setattr(line_samples, "MAX_UNSORTED_SAMPLES", 1000)
    t = np.linspace(0, 40, 1500)
    x, y = np.cos(t) * t, np.sin(1.3 * t) * t
    with pytest.raises(ValueError, match="density=True"):
        gpuplot.plot(x, y, ax=axes_of())
    image = shown(x, y, xlim=(-30, 20), ylim=(-40, 30))
    np.testing.assert_array_equal(drawn_cells(image), wanted(image, x, y[None]))


def test_too_many_lines_for_artists_are_none_for_a_density():
    y = walks(300, 20).T
    with pytest.raises(ValueError, match="density=True"):
        gpuplot.plot(y, ax=axes_of())
    assert shown(y).n_lines == 300


@pytest.mark.parametrize("scale", [("log", "log"), ("linear", "log"), ("symlog", "linear"), ("log", "symlog"), ("linear", "asinh")])
def test_lines_are_straight_where_scales_draw_them_so(put, scale):
    """Pixels are those of lines between the places that the transform gives, from far outside of the view, too."""
    rng = np.random.default_rng(4)
    x, y = np.geomspace(0.01, 1e5, 9), np.exp(rng.normal(0, 1.5, (6, 9)))
    image = shown(put(x), put(y), x=1, xlim=(3, 400), ylim=(0.1, 20), scale=scale)
    got = drawn_cells(image)
    ax = image.axes
    places = np.stack([ax.transData.transform(np.column_stack([x, line])) for line in y]) - ax.bbox.min
    bounds = [exact_bounds(place[:, 0], place[None, :, 1], (0, WIDTH), (0, HEIGHT), (HEIGHT, WIDTH), Fraction(1, 50)) for place in places]
    least, most = sum(low for low, _ in bounds), sum(high for _, high in bounds)
    assert (least <= got).all() and (got <= most).all() and got.sum() > 0


def test_what_a_log_axis_has_no_place_for():
    """Clipped far below, as matplotlib's own lines are, or masked: then it interrupts the line."""
    y = np.array([[1.0, 0.0, 1.0, 1.0], [-5.0, 10.0, -5.0, 10.0]])
    image = shown(y, x=1, xlim=(0, 3), ylim=(0.1, 100), scale=("linear", "log"))
    clipped = drawn_cells(image)
    assert clipped[:5, :WIDTH // 3].sum() > 0 and clipped[0, WIDTH // 3 + 1] == 0
    image.axes.set_yscale("log", nonpositive="mask")
    image.axes.set_ylim(0.1, 100)
    masked = drawn_cells(image)
    np.testing.assert_array_equal(masked[:, :WIDTH // 3 - 1].sum(0) > 0, [True] + [False] * (WIDTH // 3 - 2))
    assert (masked[20, 2 * WIDTH // 3:] == 1).all() and masked.sum() < clipped.sum()


# ---- the artist ----------------------------------------------------------------------------------------------------------


def test_every_zoom_and_dpi_counts_anew():
    y = walks()
    image = shown(y, x=1, xlim=(0, 199), ylim=(-30, 30))
    whole = drawn_cells(image)
    image.axes.set(xlim=(50, 60))
    part = drawn_cells(image)
    assert not np.array_equal(whole, part)
    np.testing.assert_array_equal(part, wanted(image, None, y))
    image.axes.figure.set_dpi(200)
    assert drawn_cells(image).shape == (2 * HEIGHT, 2 * WIDTH)


def test_a_draw_that_repeats_counts_nothing(monkeypatch):
    image = shown(walks(), x=1)
    drawn_cells(image)
    monkeypatch.setattr(type(image.points), "cells", None)
    drawn_cells(image)


def test_axes_that_are_turned_round():
    y = walks(9, 200) + 0.001234
    image = shown(y, x=1, xlim=(0.123, 190.77), ylim=(-10, 10))
    straight = drawn_cells(image)
    image.axes.set(xlim=(190.77, 0.123), ylim=(10, -10))
    np.testing.assert_array_equal(drawn_cells(image), straight[::-1, ::-1])


def test_update_reads_again_and_set_data_shows_others():
    y = walks()
    image = shown(y, x=1, xlim=(0, 199), ylim=(-30, 30))
    before = drawn_cells(image)
    y *= 2
    np.testing.assert_array_equal(drawn_cells(image), before)
    image.update()
    np.testing.assert_array_equal(drawn_cells(image), wanted(image, None, y))
    image.update(y / 4)
    np.testing.assert_array_equal(drawn_cells(image), wanted(image, None, y / 4))
    x = np.linspace(-5, 400, 200)
    image.set_data(x, y)
    np.testing.assert_array_equal(drawn_cells(image), wanted(image, x, y))
    image.update({"zorder": 7})
    assert image.get_zorder() == 7


def test_the_pointer_says_how_many():
    image = shown(np.zeros((5, 4)), x=1, xlim=(0, 3), ylim=(-1, 1))
    drawn_cells(image)
    event = type("Event", (), {"x": image.axes.bbox.x0 + 7, "y": image.axes.bbox.y0 + HEIGHT / 2})
    assert image.format_cursor_data(image.get_cursor_data(event)) == "[5 lines]"
    event.y += 3
    assert image.get_cursor_data(event) is None
    image.axes.set_ylim(0, 1)
    one = shown([0.0, 1.0], xlim=(0, 1), ylim=(0, 1))
    drawn_cells(one)
    event.y = event.x = one.axes.bbox.x0 + 0.5
    assert one.format_cursor_data(one.get_cursor_data(event)) == "[1 line]"


def test_shares_under_the_pointer():
    image = shown([[0, 30.0]], x=1, xlim=(0, 1), ylim=(0, 30), normalize=True)
    drawn_cells(image)
    event = type("Event", (), {"x": image.axes.bbox.x0 + 0.5, "y": image.axes.bbox.y0 + 0.5})
    assert image.format_cursor_data(image.get_cursor_data(event)) == "[1 line]"


def test_limits_leave_out_steps_that_no_line_has():
    """Runs of different lengths, padded with NaN."""
    y = walks(5, 100)
    y[:, :10] = y[:, 70:] = y[2, 30:] = np.nan
    ours, theirs = axes_of(), axes_of()
    gpuplot.plot(y, x=1, density=True, ax=ours)
    theirs.plot(y.T)
    np.testing.assert_allclose([ours.get_xlim(), ours.get_ylim()], [theirs.get_xlim(), theirs.get_ylim()])


def test_limits_of_the_axes_are_those_of_plot():
    y = walks(7, 50)
    for scale in ("linear", "log"):
        limits = []
        for density in (False, True):
            ax = axes_of()
            ax.set(xscale=scale, yscale=scale)
            gpuplot.plot(y, x=1, ax=ax, density=density)
            limits.append((ax.get_xlim(), ax.get_ylim()))
        np.testing.assert_allclose(*limits)
    ax = axes_of()
    gpuplot.plot(y, x=1, ax=ax, density=True, scalex=False)
    assert ax.get_xlim() == (0, 1) and ax.get_ylim() != (0, 1)


def test_set_data_of_other_shapes_says_which_fit():
    y = walks(5, 30)
    image = shown(y, x=1)
    before = drawn_cells(image)
    for x, other, text in ((np.arange(4), y, r"x has shape \(4,\), and y \(5, 30\) has lines of 30 samples: give 30 x"),
                           (y.T, y, r"x has shape \(30, 5\), and y"), (None, y[0], r"y has shape \(30,\), .* along axis 1, which it lacks"),
                           (None, 3.0, r"y has shape \(\)")):
        with pytest.raises(ValueError, match=text):
            image.set_data(x, other)
    np.testing.assert_array_equal(drawn_cells(image), before)


def test_colors_are_those_of_counts():
    image = shown(np.zeros((300, 4)), x=1, xlim=(0, 3), ylim=(-1, 1))
    drawn_cells(image)
    assert isinstance(image.norm, mpl.colors.LogNorm) and (image.norm.vmin, image.norm.vmax) == (1, 300)
    assert image.cmap.name == mpl.rcParams["image.cmap"]
    bar = image.axes.figure.colorbar(image)
    np.testing.assert_allclose((bar.vmin, bar.vmax), (1, 300))
    assert shown(walks(), x=1, cmap="magma", norm="eq_hist").cmap.name == "magma"
    for color in ({"color": "C3"}, {"c": "C3"}):
        np.testing.assert_allclose(shown(walks(), x=1, **color).cmap(1.0), mpl.colors.to_rgba("C3"))


def test_a_legend_names_the_lines():
    """As it names a density of points; the entry goes with the lines, and takes no part in limits and colors of other lines."""
    image, unnamed = shown(walks(), x=1, color="C3", label="walks"), shown(walks(), x=1, color="C3")
    ax = image.axes
    (handle,), texts = ax.get_legend_handles_labels()
    assert texts == ["walks"] and mpl.colors.same_color(handle.get_color(), "C3") and handle.get_linestyle() == "-"
    assert (ax.get_xlim(), ax.get_ylim()) == (unnamed.axes.get_xlim(), unnamed.axes.get_ylim())
    assert ax.plot([0, 1])[0].get_color() == unnamed.axes.plot([0, 1])[0].get_color()
    image.set_label("steps")
    assert ax.get_legend_handles_labels()[1] == ["steps"]
    image.remove()
    assert ax.get_legend_handles_labels() == unnamed.axes.get_legend_handles_labels() == ([], [])


def test_a_limit_that_was_given_stays_at_every_zoom():
    image = shown(walks(300), x=1, xlim=(0, 199), ylim=(-30, 30), vmin=2.5)
    found = set()
    for xlim in ((0, 199), (0, 9), (150, 160)):
        image.axes.set(xlim=xlim)
        drawn_cells(image)
        assert image.norm.vmin == 2.5
        found.add(image.norm.vmax)
    assert len(found) == 3


def test_lines_that_reach_beyond_their_pixels():
    thin, wide = (drawn_cells(shown(np.zeros((2, 5)), x=1, xlim=(0, 4), ylim=(-1, 1), spread=spread)) for spread in (0, 2))
    assert (thin > 0).sum() == WIDTH and (wide > 0).sum() == 5 * WIDTH and wide.max() == 2


@pytest.mark.parametrize(("dpi", "n_pixels"), [(100, 1), (199, 1), (200, 3), (300, 3), (600, 7), (4000, 17)])
def test_lines_are_as_wide_at_every_resolution(dpi, n_pixels):
    """Lines of one pixel were hairlines in figures saved for print."""
    image = shown(np.zeros((2, 5)), x=1, xlim=(0, 4), ylim=(-1, 1))
    image.axes.figure.set_size_inches(300 / dpi, 200 / dpi)
    image.axes.figure.set_dpi(dpi)
    found = drawn_cells(image)
    assert set((found > 0).sum(axis=0)) == {n_pixels} and found.max() == 2


def test_only_pixels_cross(emulated):
    """Neither samples nor counts come to the host, where they were of no use."""
    image = shown(there(walks(2000, 500)), x=1)
    before = _native.cuda_counts(0)["bytes_to_host"]
    image.axes.figure.canvas.draw()
    assert _native.cuda_counts(0)["bytes_to_host"] - before < 4 * WIDTH * HEIGHT + 1000


def test_remove_lets_the_tensors_go():
    y = walks()
    image = shown(y, x=1)
    alive = weakref.ref(y)
    drawn_cells(image)
    image.remove()
    del y, image
    gc.collect()
    assert alive() is None


def test_nothing_to_show():
    for y in (np.empty((0, 5)), np.empty((5, 0)), np.full((3, 4), np.nan)):
        image, ax = shown(y, x=1), axes_of()
        ax.plot([])
        assert drawn_cells(image).sum() == 0 and image.axes.get_xlim() == ax.get_xlim()


def test_pyplot_knows_the_image():
    import matplotlib.pyplot as plt

    image = gpuplot.plot(walks(), x=1, density=True)
    assert plt.gci() is image


# ---- refusals ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("args", "keywords", "error", "message"), [
    ((np.ones((3, 4)), "r."), {}, ValueError, "the format 'r.' is for single lines"),
    ((np.ones((3, 4)),), {"marker": "o"}, ValueError, "marker is for single lines"),
    ((np.ones((3, 4)),), {"linewidth": 2}, ValueError, "linewidth is for single lines"),
    ((np.ones((3, 4)),), {"label": ["a", "b"]}, ValueError, "one label"),
    ((np.ones((3, 4)),), {"alpha": [0.2, 0.5, 1]}, ValueError, "no opacities of their own: give one alpha"),
    ((np.ones((3, 4)) * 1j,), {}, TypeError, "y is complex"),
    ((np.ones(3), np.ones((4, 2))), {}, ValueError, "give 4 x for all of them"),
    ((np.ones((2, 4)), np.ones((4, 2))), {}, ValueError, "of the shape of y"),
    ((np.ones((2, 3, 4)),), {}, ValueError, "say which one is the series"),
    ((np.ones((3, 4)),), {"spread": 99}, ValueError, "from 0 to 16, or 'auto'$"),
    ((np.ones((3, 4)),), {"agg": "mean"}, ValueError, "not one of m4"),
    ((), {}, ValueError, "density=True needs lines"),
])
def test_refusals(args, keywords, error, message):
    ax = axes_of()
    with pytest.raises(error, match=message):
        gpuplot.plot(*args, ax=ax, density=True, **keywords)
    assert not ax.images and not ax.lines


@pytest.mark.parametrize("keywords", [{"normalize": True}, {"cmap": "magma"}, {"norm": "log"}, {"vmin": 0}, {"vmax": 3}, {"spread": 1}])
def test_what_is_of_a_density_alone(keywords):
    with pytest.raises(ValueError, match="is for a density: give density=True"):
        gpuplot.plot([1, 2], ax=axes_of(), **keywords)


def test_polar_axes_are_refused():
    from matplotlib.figure import Figure

    with pytest.raises(ValueError, match="polar Axes"):
        gpuplot.plot([1, 2], ax=Figure().add_subplot(projection="polar"), density=True)


def test_artists_refuse_what_has_no_meaning():
    image = shown(np.zeros((2, 5)), np.zeros((2, 5)), x=1)
    with pytest.raises(ValueError, match="no array of their own"):
        image.set_array(np.ones((2, 2)))
    with pytest.raises(ValueError, match="extent of lines"):
        image.set_extent((0, 1, 0, 1))
    with pytest.raises(ValueError, match="x, which may be None, and y"):
        image.set_data(np.ones(3))
    with pytest.raises(ValueError, match="y has shape"):
        image.update(np.ones(3))
    with pytest.raises(ValueError, match="have no classes"):
        image.legend_elements()
    two = shown([1, 2, 3], [4, 5, 6], [1, 2], [3, 4])
    for call in (lambda: two.update([1, 2, 3]), lambda: two.set_data(None, [1, 2])):
        with pytest.raises(ValueError, match="lines of 2 tensors"):
            call()


def test_tensors_on_different_devices(emulated):
    with pytest.raises(ValueError, match="different devices"):
        shown(there(np.ones(4)), np.ones((3, 4)), x=1)


def test_what_single_lines_have_is_said_to_be_theirs():
    image = shown(walks())
    with pytest.raises(AttributeError, match="lines drawn as their density have no set_linewidth, which single lines have: leave"):
        image.set_linewidth(2)
    with pytest.raises(AttributeError, match="'LinesImage' object has no attribute 'set_foo'"):
        image.set_foo(2)
