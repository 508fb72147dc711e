"""Zoomed out, every device pixel is a cell; cells are computed once per view and size, not for a change of colors."""

import copy
import io

import matplotlib as mpl
import numpy as np
import pytest
from figures import axes_of, borrowed, counted, made, needs_exact_places, pixels
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.transforms import Affine2D

import gpuplot

X = borrowed(1300, 1000)


def expected(X, rows, cols, shape, im, agg="mean"):
    cells = gpuplot.downsample(X, shape, view=(rows, cols), agg=agg)
    return im.cmap(im.norm(np.ma.masked_invalid(cells)), bytes=True)


@pytest.mark.parametrize("agg", ["mean", "max", "min", "absmax", "nearest", "range", "std", "var", "sum"])
def test_pixels_are_the_cells_of_downsample(agg):
    ax = axes_of(200, 260)
    im = gpuplot.imshow(X, ax=ax, agg=agg, aspect="auto")
    np.testing.assert_array_equal(made(im), expected(X, (0, 1300), (0, 1000), (260, 200), im, agg))


@pytest.mark.parametrize("n", [99, 201, 350])
def test_zoomed_and_panned_views(n):
    ax = axes_of(n)
    im = gpuplot.imshow(X, ax=ax, aspect="auto", vmin=-1, vmax=1)
    ax.set(xlim=(10.25, 900.75), ylim=(1200.5, 120.125))
    want = expected(X, (120.625, 1201), (10.75, 901.25), (n, n), im).astype(int)
    assert abs(made(im) - want).max() <= 2


def test_origin_and_reversed_axes_turn_the_same_cells():
    ax = axes_of(200, 260)
    im = gpuplot.imshow(X, ax=ax, aspect="auto")
    upper = made(im)
    ax.invert_xaxis()
    np.testing.assert_array_equal(made(im), upper[:, ::-1])
    ax.invert_yaxis()
    np.testing.assert_array_equal(made(im), upper[::-1, ::-1])
    lower = gpuplot.imshow(X, ax=axes_of(200, 260), aspect="auto", origin="lower")
    np.testing.assert_array_equal(made(lower), upper[::-1])


def test_small_planes_are_reduced_as_well():
    small = X[:600, :500]
    ax = axes_of(100, 120)
    im = gpuplot.imshow(small, ax=ax, aspect="auto")
    np.testing.assert_array_equal(made(im), expected(small, (0, 600), (0, 500), (120, 100), im))


def test_another_dpi_is_another_reduction_at_that_size(tmp_path):
    ax = axes_of(200)
    gpuplot.imshow(X, ax=ax, aspect="auto")
    with counted() as calls:
        ax.figure.savefig(tmp_path / "picture.png", dpi=150)
    assert [window.shape for window in calls] == [(300, 300)]
    assert mpl.image.imread(tmp_path / "picture.png").shape == (300, 300, 4)


def test_vector_formats_get_cells_at_the_resolution_of_the_figure(tmp_path):
    for suffix in ("pdf", "svg", "ps"):
        ax = axes_of(200)
        gpuplot.imshow(X, ax=ax, aspect="auto")
        with counted() as calls:
            ax.figure.savefig(tmp_path / f"picture.{suffix}", dpi=300)
        assert {window.shape for window in calls} == {(600, 600)}


def test_an_unsampled_image_in_a_vector_file_is_reduced_where_it_is_huge(tmp_path):
    huge = np.broadcast_to(np.arange(9000.0)[:, None], (9000, 300))
    ax = axes_of(200)
    im = gpuplot.imshow(huge, ax=ax, aspect="auto", interpolation="none")
    rgba, left, bottom, transform = im.make_image(ax.figure.canvas.get_renderer(), unsampled=True)
    assert rgba.shape == (4096, 300, 4)
    corners = transform.transform([[0, 4096], [300, 0]]) + (left, bottom)  # row 0 on top
    np.testing.assert_allclose(corners, [[0, 0], [200, 200]], atol=1e-6)
    ax.figure.savefig(tmp_path / "picture.pdf")


# ---- what is read again, and what is not ---------------------------------------------------------------------------------


@pytest.mark.parametrize("limits", ["auto", "elements", "pixels"])
def test_the_call_reduces_once_and_the_first_draws_use_it(limits):
    ax = axes_of(200, place=(0.1, 0.1, 0.8, 0.8))
    with counted() as calls:
        im = gpuplot.imshow(X, ax=ax, limits=limits)
        assert len(calls) == 1
        if limits == "elements":
            assert im.get_clim() == (X.min(), X.max())
        ax.figure.canvas.draw()
        ax.figure.canvas.draw()
    assert len(calls) == 1


@needs_exact_places
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf", "ps"])
@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
def test_a_draw_for_the_layout_alone_reduces_nothing(layout, suffix):
    """A tight box and layout engines draw once more, into nothing; the tight box then shifts the pixels by a fraction."""
    figure = Figure(figsize=(3, 3), layout=layout)
    FigureCanvasAgg(figure)
    ax = figure.subplots()
    gpuplot.imshow(X, ax=ax)
    with counted() as calls:
        ax.figure.savefig(io.BytesIO(), format=suffix, bbox_inches="tight")
    assert len(calls) == 1


def test_a_change_of_colors_reduces_nothing():
    ax = axes_of(200)
    im = gpuplot.imshow(X, ax=ax, aspect="auto")
    with counted() as calls:
        before = pixels(ax.figure)
        for change in (lambda: im.set_clim(-1, 1), lambda: im.set_cmap("magma"), lambda: im.set_norm(mpl.colors.AsinhNorm()),
                       lambda: im.set_alpha(0.5), lambda: im.set_cmap(im.cmap.with_extremes(bad="red")),
                       lambda: im.norm.__setattr__("vmax", 2)):
            change()
            pixels(ax.figure)
    assert not calls
    assert (pixels(ax.figure) != before).any()


def test_a_new_view_a_new_aggregation_and_an_update_reduce_once_each():
    values = X.copy()
    ax = axes_of(200)
    im = gpuplot.imshow(values, ax=ax, aspect="auto")
    changes = (lambda: ax.set_xlim(0, 900), lambda: im.set_agg("max"), im.update, im.changed, lambda: im.set_data(X + 1))
    for change in changes:
        with counted() as calls:
            change()
            pixels(ax.figure)
            pixels(ax.figure)
        assert len(calls) == 1


def test_a_borrowed_plane_is_shown_as_it_was_until_it_is_read_again():
    values = X.copy()
    ax = axes_of(200)
    im = gpuplot.imshow(values, ax=ax, aspect="auto")
    first = pixels(ax.figure)
    values[:] = 0
    np.testing.assert_array_equal(pixels(ax.figure), first)
    im.update()
    assert len(np.unique(pixels(ax.figure).reshape(-1, 4), axis=0)) == 1


def test_a_small_plane_is_copied_as_matplotlib_copies():
    values = X[:100, :100].copy()
    ax = axes_of(200)
    gpuplot.imshow(values, ax=ax)
    first = pixels(ax.figure)
    values[:] = 0
    np.testing.assert_array_equal(pixels(ax.figure), first)


def test_the_colorbar_of_the_call_does_not_cost_another_reduction():
    ax = axes_of(300, place=(0.1, 0.1, 0.8, 0.8))
    with counted() as calls:
        gpuplot.imshow(X, ax=ax, colorbar=True)
        ax.figure.canvas.draw()
    assert len(calls) == 1


# ---- marks -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("element", [(0, 0), (700, 511), (1299, 999)])
def test_one_nan_is_seen_at_every_zoom_and_pan(element):
    values = X.copy()
    values[element] = np.nan
    ax = axes_of(101, place=(0.013, 0.007, 0.937, 0.951))  # edges between pixels
    im = gpuplot.imshow(values, ax=ax, aspect="auto", nan_color="#ff00ff")
    row, col = element
    for width in (1500, 400, 120, 20):
        for shift in np.linspace(-0.45, 0.45, 7):
            ax.set(xlim=(col + width * (shift - 0.5), col + width * (shift + 0.5)),
                   ylim=(row + width * (shift + 0.5), row + width * (shift - 0.5)))
            assert (made(im) == (255, 0, 255, 255)).all(-1).any()


def test_marks_have_their_own_colors_magnified_too():
    values = X.copy()
    values[5, 5], values[5, 6], values[5, 7] = np.nan, np.inf, -np.inf
    ax = axes_of(100)
    im = gpuplot.imshow(values, ax=ax, aspect="auto", nan_color="red", pos_inf_color="lime", neg_inf_color="blue")
    ax.set(xlim=(3.5, 8.5), ylim=(7.5, 2.5))
    row = made(im)[50, 10::20]
    np.testing.assert_array_equal(row[1:4], [(255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255)])


def test_skip_shows_the_finite_rest():
    values = X.copy()
    values[::2] = np.nan
    ax = axes_of(100)
    im = gpuplot.imshow(values, ax=ax, aspect="auto", nan="skip")
    assert (made(im)[..., 3] == 255).all()


# ---- color first ------------------------------------------------------------------------------------------------------------


def test_an_explicit_rgba_stage_averages_colors():
    stripes = np.zeros((1200, 1000), "u1")
    stripes[:, ::2] = 1
    ax = axes_of(100)
    im = gpuplot.imshow(stripes, ax=ax, aspect="auto", interpolation_stage="rgba", cmap=mpl.colors.ListedColormap(["r", "b"]))
    np.testing.assert_array_equal(np.unique(made(im).reshape(-1, 4), axis=0), [(128, 0, 128, 255)])
    im.set_interpolation_stage("data")
    assert tuple(made(im)[50, 50]) == (0, 0, 255, 255)


def test_transparent_elements_lend_no_color_to_an_average_of_colors():
    values = np.ones((1200, 1000))
    values[:, ::2] = np.nan
    ax = axes_of(100)
    im = gpuplot.imshow(values, ax=ax, aspect="auto", interpolation_stage="rgba", vmin=0, vmax=1, cmap="gray")
    assert tuple(made(im)[50, 50]) == (255, 255, 255, 128)


@pytest.mark.parametrize("stage", ["rgba", "data"])
def test_a_stage_of_rcparams_is_not_given(stage):
    ax = axes_of(100)
    with mpl.rc_context({"image.interpolation_stage": stage}):
        im = gpuplot.imshow(X, ax=ax, aspect="auto")
    np.testing.assert_array_equal(made(im), expected(X, (0, 1300), (0, 1000), (100, 100), im))


def test_interpolation_given_means_nearest_and_rcparams_do_not():
    nearest = expected(X, (0, 1300), (0, 1000), (130, 100), gpuplot.imshow(X, ax=axes_of(100)), "nearest")
    given = gpuplot.imshow(X, ax=axes_of(100, 130), aspect="auto", interpolation="nearest")
    with mpl.rc_context({"image.interpolation": "nearest"}):
        unsaid = gpuplot.imshow(X, ax=axes_of(100, 130), aspect="auto")
    assert (given._cell_agg, unsaid._cell_agg) == ("nearest", "mean")
    assert (made(unsaid) != nearest).any()
    named = gpuplot.imshow(X, ax=axes_of(100, 130), aspect="auto", interpolation="nearest", agg="max")
    assert named._cell_agg == "max"


# ---- other transforms ------------------------------------------------------------------------------------------------------


def test_log_axes_have_the_cells_between_their_own_edges():
    ax = axes_of(200, 200)
    im = gpuplot.imshow(X, ax=ax, extent=(1, 1001, 0, 1300), aspect="auto", vmin=-1, vmax=1)
    ax.set_xscale("log")
    ax.set(xlim=(1, 1001), ylim=(0, 1300))
    edges = 1001 ** (np.arange(201) / 200) - 1
    got = made(im)
    for p in (150, 180, 199):  # where a pixel is wider than an element
        want = expected(X, (0, 1300), (edges[p], edges[p + 1]), (200, 1), im)[:, 0]
        assert abs(got[:, p].astype(int) - want).max() <= 2
    for p in (20, 90):  # where it is narrower: the element under its center
        element = int(1001 ** ((p + 0.5) / 200) - 1)
        want = expected(X, (0, 1300), (element, element + 1), (200, 1), im)[:, 0]
        assert abs(got[:, p].astype(int) - want).max() <= 2


def test_a_rotated_large_plane_is_reduced_to_pixel_density():
    smooth = np.add.outer(np.linspace(0, 1, 1300), np.linspace(0, 2, 1000))
    drawn = []
    for is_ours in (True, False):
        ax = axes_of(200)
        ax.set(xlim=(-900, 1100), ylim=(-300, 1700))
        ax.set_autoscale_on(False)
        transform = Affine2D().rotate_deg(30) + ax.transData
        with counted() as calls:
            if is_ours:
                gpuplot.imshow(smooth, ax=ax, transform=transform)
                drawn.append(pixels(ax.figure).astype(int))
                assert all(max(window.shape) <= 140 for window in calls) and calls
            else:
                ax.imshow(smooth, transform=transform)
                drawn.append(pixels(ax.figure).astype(int))
    assert abs(drawn[0] - drawn[1]).mean() < 1.5


@pytest.mark.parametrize("agg", [None, "max", "min"])
@pytest.mark.parametrize("height", [1, 0.3])
def test_no_element_of_a_turned_plane_is_lost(agg, height):
    """Turned, and then made lower, as in Axes whose aspect is not equal: its cells are no rectangles."""
    for angle in range(3, 90, 6):
        data = np.full((1300, 1000), 0.5)
        data[450 + 3 * angle, 400 + angle] = np.nan if agg is None else agg == "max"
        ax = axes_of(100)
        ax.set(xlim=(-1200, 1100), ylim=(-300, 2000), autoscale_on=False)
        im = gpuplot.imshow(data, ax=ax, agg=agg, vmin=0, vmax=1, nan_color="red",
                            transform=Affine2D().rotate_deg(angle).scale(1, height) + ax.transData)
        rgba = made(im)
        opaque = rgba[rgba[..., 3] == 255].astype(int)
        assert abs(opaque - np.median(opaque, axis=0)).max() > 40, angle


@pytest.mark.parametrize("agg", ["std", "sum", "count", "range"])
def test_limits_of_a_turned_plane_are_those_of_the_cells_that_are_drawn(agg):
    """They were those of other cells: the sum of elements, or their spread, depends on how many there are in one."""
    rows, columns = np.mgrid[:3000, :3000]
    data = np.where(columns < 500, np.nan, np.cos(columns / 300) * np.sin(rows / 200))
    ax = axes_of(200)
    im = gpuplot.imshow(data, ax=ax, agg=agg, nan="skip", transform=Affine2D().rotate_deg(25) + ax.transData, cmap="gray")
    made(im)
    ax.set(xlim=(-1800, 3000), ylim=(4600, -300))  # which shrinks the elements
    shades = made(im)[..., 0][made(im)[..., 3] == 255]
    assert (shades.min(), shades.max()) == (0, 255)
    assert agg == "count" or max((shades == shade).mean() for shade in (0, 255)) < 0.05


def test_the_means_of_a_turned_plane_have_smooth_lines():
    """Lines that are a few pixels wide look as they do where matplotlib filters all elements: without steps of a pixel."""
    stripes = np.broadcast_to(np.cos(np.arange(1300)[:, None] / 16), (1300, 1000))
    drawn = []
    for draw in (gpuplot.imshow, lambda X, ax, **keywords: ax.imshow(X, **keywords)):
        ax = axes_of(200)
        ax.set(xlim=(-900, 1100), ylim=(-300, 1700), autoscale_on=False)
        draw(stripes, ax=ax, transform=Affine2D().rotate_deg(30) + ax.transData, vmin=-1, vmax=1, interpolation_stage="data")
        drawn.append(pixels(ax.figure)[90:110, 50:100].astype(int))
    assert abs(drawn[0] - drawn[1]).mean() < 5


def test_angles_of_a_turned_plane_have_no_lines_where_they_start_again():
    """The mean of the numbers 3.1 and -3.1 is that of the opposite direction."""
    near_pi = np.exp(1j * (np.pi + np.linspace(-0.5, 0.5, 1000))) * np.ones((1300, 1))
    ax = axes_of(200)
    ax.set(xlim=(-900, 1100), ylim=(-300, 1700), autoscale_on=False)
    im = gpuplot.imshow(near_pi, ax=ax, complex_mode="phase", transform=Affine2D().rotate_deg(30) + ax.transData)
    rgba = made(im)
    inside = rgba[rgba[..., 3] == 255]
    assert len(inside) > 5000 and inside[:, 0].min() > 230  # in "hsv" the opposite of red has none


def test_polar_axes_draw():
    ax = axes_of(200, projection="polar")
    gpuplot.imshow(X, ax=ax, extent=(0, 6, 0, 1), aspect="auto")
    assert len(np.unique(pixels(ax.figure).reshape(-1, 4), axis=0)) > 20


def test_alpha_of_every_element_is_reduced_with_the_same_cells():
    alpha = np.linspace(0, 1, 1300 * 1000).reshape(1300, 1000)
    ax = axes_of(100)
    im = gpuplot.imshow(X, ax=ax, aspect="auto", alpha=alpha)
    want = 255 * gpuplot.downsample(alpha, (100, 100))
    assert abs(made(im)[..., 3] - want).max() <= 1
    with pytest.raises(ValueError, match="one factor per element"):
        im.set_alpha(alpha[:10])
        made(im)


def test_a_deep_copy_looks_at_the_same_tensor():
    ax = axes_of(100)
    im = gpuplot.imshow(X, ax=ax, aspect="auto")
    figure = copy.deepcopy(ax.figure)
    FigureCanvasAgg(figure)
    twin = figure.axes[0].images[0]
    assert twin.tensor is X
    np.testing.assert_array_equal(made(twin), made(im))
