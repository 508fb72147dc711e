"""The artist's pixels are matplotlib's where elements are not smaller than pixels, and with "nearest"."""

import matplotlib as mpl
import numpy as np
import pytest
from figures import axes_of, borrowed, made, needs_exact_places, pixels
from matplotlib.transforms import Affine2D

import gpuplot

pytestmark = needs_exact_places

# 1:1, 2x, between, beyond the edges, a corner, strongly magnified.
VIEWS = [((99.5, 399.5), (499.5, 199.5)), ((100.25, 250.25), (30, 180)), ((200.3, 350.9), (900.2, 750.9)),
         ((-5, 90), (30, -20)), ((930, 1020), (1210, 1130)), ((100.3, 130.7), (200, 160))]
BASE = borrowed(dtype="float64")
ARRAYS = {
    "f32": BASE.astype("f4"), "f64": BASE, "f16": BASE.astype("f2"), "u8": (BASE * 40 + 128).clip(0, 255).astype("u1"),
    "i32": (BASE * 1e6).astype("i4"), "wide i64": (BASE * 1e9).astype("i8"), "bool": BASE > 0,
    "masked": np.ma.masked_greater(BASE, 1), "nan": np.where(BASE > 2, np.nan, BASE), "swapped": BASE.astype(">f4"),
    "rgb": np.random.default_rng(1).random((1200, 1000, 3)).astype("f4"),
    "rgba": np.random.default_rng(2).integers(0, 256, (1200, 1000, 4), dtype="u1"),
}


def same(X, view, **keywords):
    """Asserts that both draw the same figure."""
    drawn = []
    for imshow in (lambda ax: ax.imshow(X, **keywords), lambda ax: gpuplot.imshow(X, ax=ax, **keywords)):
        ax = axes_of()
        imshow(ax)
        ax.set(xlim=view[0], ylim=view[1])
        drawn.append(pixels(ax.figure))
    np.testing.assert_array_equal(drawn[1], drawn[0])


@pytest.mark.parametrize("shape", [(3, 5, 4), (1200, 1000, 4), (3, 5, 3)])
@pytest.mark.parametrize("imshow", [gpuplot.imshow, gpuplot.grid])
@pytest.mark.parametrize("dtype", ["bool", "longdouble"])
def test_colors_that_matplotlib_cannot_resample(dtype, imshow, shape):
    """Colors of booleans with an opacity, and of long doubles, ended the drawing of the figure."""
    X = np.random.default_rng(3).integers(0, 2, shape).astype(dtype)
    drawn = []
    for colors in (X, X.astype("uint8") * 255):
        ax = axes_of()
        imshow(colors, ax=ax, interpolation="nearest")
        ax.set(xlim=(-0.5, 4.5), ylim=(2.5, -0.5))
        drawn.append(pixels(ax.figure))
    np.testing.assert_array_equal(*drawn)


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("view", VIEWS)
def test_magnified_parts_of_large_planes(name, view):
    same(ARRAYS[name], view, aspect="auto")


@pytest.mark.parametrize("interpolation", ["none", "nearest", "bilinear", "bicubic", "spline36", "hanning", "kaiser", "quadric",
                                           "catrom", "gaussian", "bessel", "mitchell", "sinc", "lanczos", "blackman"])
@pytest.mark.parametrize("name", ["f32", "rgba"])
def test_every_filter(interpolation, name):
    for view in VIEWS[2:4]:
        same(ARRAYS[name], view, aspect="auto", interpolation=interpolation, filterrad=3)


@pytest.mark.parametrize("keywords", [
    {"origin": "lower"}, {"alpha": 0.4}, {"alpha": np.linspace(0, 1, 1200 * 1000).reshape(1200, 1000)},
    {"interpolation_stage": "data"}, {"interpolation_stage": "rgba"}, {"norm": mpl.colors.SymLogNorm(0.1)},
    {"extent": (3, 7, -2, 9)}, {"extent": (7, 3, 9, -2), "origin": "lower"}, {"vmin": -0.5, "vmax": 0.5}, {"resample": False},
], ids=lambda keywords: " ".join(keywords))
def test_stage_alpha_origin_and_extent(keywords):
    ax = axes_of()
    ax.imshow(ARRAYS["f32"], aspect="auto", **keywords)
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    # Agg counts in 1/256 of an element: at round fractions rounding noise would decide, in matplotlib as here.
    for low, high in ((0.2113, 0.4071), (0.5037, 0.5241)):
        view = (x0 + low * (x1 - x0), x0 + high * (x1 - x0)), (y0 + low * (y1 - y0), y0 + high * (y1 - y0))
        same(ARRAYS["f32"], view, aspect="auto", **keywords)


@pytest.mark.parametrize("origin", ["upper", "lower"])
@pytest.mark.parametrize("is_reversed", [(False, False), (True, False), (False, True)])
def test_nearest_ties_of_a_zoomed_out_view(origin, is_reversed):
    """Pixel centers on element edges, 2 and 4 elements a pixel: every element has a value of its own."""
    X = np.arange(1200 * 1200, dtype="f8").reshape(1200, 1200)
    for end in (1199.5, 599.5):
        views = [(-0.5, end)[::-1 if turned else 1] for turned in is_reversed]
        ids = []
        for make in (lambda ax: ax.imshow(X, origin=origin, interpolation="nearest", aspect="auto"),
                     lambda ax: gpuplot.imshow(X, ax=ax, origin=origin, interpolation="nearest", aspect="auto")):
            ax = axes_of()
            im = make(ax)
            im.set_norm(mpl.colors.NoNorm())
            im.set_cmap(Tell())
            ax.set(xlim=views[0], ylim=views[1])
            ids.append(made(im))
        np.testing.assert_array_equal(ids[1], ids[0])


class Tell(mpl.colors.Colormap):
    """Writes the element's number into the bytes of its color."""

    def __init__(self):
        super().__init__("tell")

    def __call__(self, X, alpha=None, bytes=False):
        numbers = np.nan_to_num(np.ma.getdata(X)).astype("i8")
        rgba = np.stack([numbers & 255, numbers >> 8 & 255, numbers >> 16 & 255, np.full_like(numbers, 255)], -1).astype("u1")
        return rgba if bytes else rgba / 255


@pytest.mark.parametrize(("first", "last", "size", "left"), [(10.3, 20.3, 10, 10), (10.5, 20.5, 10, 11), (10.2, 20.9, 11, 10)])
def test_edges_of_the_picture_are_rounded_as_matplotlib_rounds(first, last, size, left):
    """One pixel is one data unit: an image that ends inside the Axes must not get a row too many."""
    X = np.random.default_rng(0).random((1100, 1000))
    ax = axes_of(100)
    ax.set(xlim=(0, 100), ylim=(0, 100))
    ax.set_autoscale_on(False)
    extent = (first, last, first, last)
    ours = gpuplot.imshow(X, ax=ax, extent=extent, aspect="auto").make_image(None)
    plain = ax.imshow(X, extent=extent, aspect="auto").make_image(None)
    assert ours[0].shape == plain[0].shape and ours[0].shape[1] == size
    assert (ours[1], ours[2]) == (plain[1], plain[2]) and ours[1] == left


def test_nothing_is_drawn_outside_and_of_less_than_half_a_pixel():
    ax = axes_of(100)
    ax.set(xlim=(0, 100), ylim=(0, 100))
    ax.set_autoscale_on(False)
    for extent in ((200, 300, 0, 10), (10.6, 10.9, 0, 10), (5, 5, 0, 10)):
        im = gpuplot.imshow(borrowed(), ax=ax, extent=extent, aspect="auto")
        assert im.make_image(None) == (None, 0, 0, None)


def test_pixels_are_straight_rgba_with_integer_places():
    ax = axes_of(200, place=(0.107, 0.2, 0.613, 0.5))
    im = gpuplot.imshow(borrowed(), ax=ax, alpha=0.5)
    ax.figure.canvas.draw()
    rgba, left, bottom, _ = im.make_image(ax.figure.canvas.get_renderer())
    assert rgba.dtype == np.uint8 and rgba.flags.c_contiguous and rgba.shape[2] == 4
    assert left == int(left) and bottom == int(bottom)
    assert set(np.unique(rgba[..., 3])) == {127}


@pytest.mark.parametrize("angle", [0, 30, 90])
def test_rotated_large_planes_that_are_magnified(angle):
    """Agg sees the same elements whether it gets all of them or those in view."""
    X = ARRAYS["f32"]
    drawn = []
    for is_ours in (False, True):
        ax = axes_of()
        ax.set(xlim=(400, 480), ylim=(500, 580))
        ax.set_autoscale_on(False)
        transform = Affine2D().rotate_deg_around(440, 540, angle).skew_deg(10, 0) + ax.transData
        keywords = {"transform": transform, "interpolation": "bilinear", "interpolation_stage": "data"}
        gpuplot.imshow(X, ax=ax, **keywords) if is_ours else ax.imshow(X, **keywords)
        drawn.append(pixels(ax.figure).astype(int))
    assert abs(drawn[0] - drawn[1]).max() <= 1


def test_one_dense_and_one_sparse_axis():
    """8000 x 10: each column of elements is drawn as the means of its pixels' rows."""
    X = np.random.default_rng(3).random((120_000, 10))
    ax = axes_of(200, 300)
    im = gpuplot.imshow(X, ax=ax, aspect="auto", vmin=0.4, vmax=0.6)
    rgba = made(im)
    want = im.cmap(im.norm(X.reshape(300, 400, 10).mean(1)), bytes=True)
    middle = np.arange(10) * 20 + 10
    assert abs(rgba[:, middle].astype(int) - want).max() <= 2
