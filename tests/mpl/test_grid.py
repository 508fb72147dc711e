"""`grid` and `imsave(..., grid=True)`: places of images, cells equal to those of one large array, and the text under the pointer."""

import pickle
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
from figures import axes_of, pixels
from grids import OPTIONS, image_of, noise, pointed_at, saved, spec_of
from matplotlib.colors import CenteredNorm
from reference.tiles import normalized, tile_layout

import gpuplot
from gpuplot import _native
from gpuplot.plane.reduce import reduce_view
from gpuplot.plane.view import choose
from gpuplot.plane.window import Span, Window


def assembled(images, nrow=8, padding=2, fill=0.0, dtype=float):
    """All images as one array, as the definition lays them out."""
    height, width = (max(image.shape[axis] for image in images) for axis in (0, 1))
    layout = tile_layout(len(images), height, width, nrow, padding)
    whole = np.full((*layout.size, *images[0].shape[2:]), fill, dtype)
    for image, (row, col) in zip(images, layout.starts, strict=True):
        whole[row:row + image.shape[0], col:col + image.shape[1]] = image
    return whole


# ---- which images there are, and where -------------------------------------------------------------------------------

SHAPES = {
    "one channel": ((5, 1, 6, 7), [(k, 0) for k in range(5)], ()), "activations": ((5, 6, 7), [(k,) for k in range(5)], ()),
    "colors": ((5, 3, 6, 7), [(k,) for k in range(5)], (3,)), "with opacity": ((2, 4, 6, 7), [(0,), (1,)], (4,)),
    "channels last": ((2, 6, 7, 3), [(0,), (1,)], (3,)), "one picture": ((3, 6, 7), [()], (3,)), "one plane": ((6, 7), [()], ()),
    "weights": ((3, 5, 6, 7), [(i, k) for i in range(3) for k in range(5)], ()),
    "kernels": ((2, 5, 3, 3), [(i, k) for i in range(2) for k in range(5)], ()),
    "kernels of colors": ((2, 3, 3, 3), [(0,), (1,)], (3,)), "wide kernels": ((1, 6, 4, 4), [(0, k) for k in range(6)], ()),
    "narrow pictures": ((2, 6, 5, 3), [(0,), (1,)], (3,)),
    "five axes": ((2, 2, 5, 6, 7), [(i, j, k) for i in range(2) for j in range(2) for k in range(5)], ()),
}


@pytest.mark.parametrize("shape, places, channels", SHAPES.values(), ids=SHAPES)
def test_images_of_a_tensor(shape, places, channels):
    spec = spec_of(noise(shape) if 4 not in channels else np.ones(shape, "float32"))
    assert [tuple(image.index.values()) for image in spec.images] == places and spec.n_images == len(places)
    assert ((spec.plane.view.n_channels,) if spec.plane.view.is_rgb else ()) == channels


def test_four_channels_of_floats_are_colors_where_they_may_be():
    """Latents were shown as colors, one of their channels as opacity."""
    x = noise((2, 4, 6, 7))
    figure = gpuplot.grid(x, max_items=6, padding=0)
    np.testing.assert_array_equal(image_of(figure).get_array(), np.hstack(x.reshape(8, 6, 7)[:6]))
    assert figure.axes[0].get_xlabel() == "showing 6 of 8, 4 channels one by one"
    for rgb, normalize in ((1, None), (None, True), (None, False)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gpuplot.GpuplotWarning)
            colors = gpuplot.grid(x, rgb=rgb, normalize=normalize)
        assert image_of(colors).get_array().shape[2] == 4, (rgb, normalize)


def test_axes_are_chosen_as_in_imshow():
    x = noise((2, 3, 6, 7))
    assert [image.index for image in spec_of(x, OPTIONS | {"rgb": False}).images] == [{0: i, 1: k} for i in range(2) for k in range(3)]
    assert [image.index for image in spec_of(x, OPTIONS | {"index": {1: 2}, "rgb": False}).images] == [{0: 0}, {0: 1}]
    assert [image.index for image in spec_of(x, OPTIONS | {"reduce": {0: "max"}}).images] == [{1: 0}, {1: 1}, {1: 2}]
    named = spec_of(x, OPTIONS | {"dims": "image head row col", "index": {"image": 1}, "rgb": False})
    assert [image.index for image in named.images] == [{1: 0}, {1: 1}, {1: 2}]


@pytest.mark.parametrize("n, grid, shape", [(5, {"nrow": 3}, (62, 92)), (64, {}, (242, 242)), (3, {}, (32, 92)), (1, {}, (28, 28)),
                                            (4, {"nrow": 2, "padding": 0}, (56, 56))], ids=str)
def test_images_lie_as_in_torchvision(n, grid, shape, tmp_path):
    x = noise((n, 1, 28, 28))
    whole = assembled(list(x[:, 0]), **grid)
    assert whole.shape == shape
    expected = gpuplot.to_rgba(whole, cmap="magma", vmin=x.min(), vmax=x.max())
    np.testing.assert_array_equal(saved(tmp_path, x, grid={"pad_value": 0} | grid, cmap="magma"), expected)
    figure = gpuplot.grid(x, pad_value=0, **grid)
    np.testing.assert_array_equal(image_of(figure).get_array(), whole)


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
@pytest.mark.parametrize("n_channels", [3, 4])
def test_color_images(dtype, n_channels, tmp_path):
    x = np.random.default_rng(0).random((5, n_channels, 9, 8))
    x = (x * 255).astype("uint8") if dtype == "uint8" else x.astype(dtype)
    whole = assembled([image.transpose(1, 2, 0) for image in x], nrow=3, dtype=dtype, fill=1)
    np.testing.assert_array_equal(saved(tmp_path, x, grid={"nrow": 3, "pad_value": 1}), gpuplot.to_rgba(whole))


def test_images_of_different_sizes(tmp_path):
    images = [noise((5, 9)), noise((8, 4), 1), noise((2, 2), 2)]
    whole = assembled(images, nrow=2, fill=-1)
    assert whole.shape == (22, 24)
    low, high = min(image.min() for image in images), max(image.max() for image in images)
    expected = gpuplot.to_rgba(whole, vmin=low, vmax=high)
    np.testing.assert_array_equal(saved(tmp_path, images, grid={"nrow": 2, "pad_value": -1}), expected)
    np.testing.assert_array_equal(saved(tmp_path, images, grid={"nrow": 2, "pad_value": None})[0, 0], [0, 0, 0, 0])


# ---- normalize -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value_range", [None, (-1, 3)])
@pytest.mark.parametrize("scale_each", [False, True])
@pytest.mark.parametrize("n_channels", [1, 3])
def test_values_are_normalized_as_defined(n_channels, scale_each, value_range, tmp_path):
    """One NaN spoils nothing; the other channels of its pixel take part in the range."""
    x = noise((4, n_channels, 9, 8)) * np.array([1, 2, 3, 0]).reshape(4, 1, 1, 1).astype("f4")
    x[0, 0, 2, 3], x[2, 0, 4, 5], x[2, 1:, 4, 5] = np.nan, np.nan, 99
    images = [image.transpose(1, 2, 0) if n_channels == 3 else image[0] for image in normalized(list(x), value_range, scale_each)]
    whole = assembled(images, fill=0.5)
    asked = {"normalize": True, "scale_each": scale_each, "value_range": value_range, "pad_value": 0.5}
    found = saved(tmp_path, x, grid=asked, nan_color="red")
    # Of colors means are rounded to bytes, as after every normalization.
    expected = gpuplot.to_rgba(whole, nan_color="red", **({} if n_channels == 3 else {"vmin": 0, "vmax": 1}))
    assert abs(found.astype(int) - expected).max() <= 1
    shown = gpuplot.grid(x, nan_color="red", **asked)
    if n_channels == 1:
        low, high = image_of(shown).get_clim()
        assert (low, high) == (0, 1) if scale_each else high > low


def test_images_of_one_channel_have_their_own_range_if_they_are_told():
    x = np.stack([np.linspace(0, 1, 30), np.linspace(-500, 700, 30)]).reshape(2, 5, 6)
    shown = image_of(gpuplot.grid(x, scale_each=True)).get_array()
    np.testing.assert_allclose(shown[2:7, 2:8], shown[2:7, 10:16])


def test_means_of_noisy_images_with_their_own_ranges_use_the_colors(tmp_path):
    """Each mean of 625 elements is near the middle of its image's range."""
    x = noise((2, 1000, 1000)) * np.array([1, 50]).reshape(2, 1, 1).astype("f4")
    for options in ({}, {"limits": "pixels"}):
        im = image_of(gpuplot.grid(x, scale_each=True, ax=axes_of(80), **options))
        pixels(im.figure)
        low, high = im.get_clim()
        assert 0.3 < low < high < 0.7, options
        gpuplot.imsave(tmp_path / "a.png", x, grid={"scale_each": True}, width=80, **options)
        assert np.ptp(plt.imread(tmp_path / "a.png")[..., :3]) > 0.9, options
    for options in ({"limits": "elements"}, {"normalize": True}, {"value_range": (-9, 9)}, {"agg": "max"}):
        im = image_of(gpuplot.grid(x, scale_each=True, ax=axes_of(80), **options))
        pixels(im.figure)
        assert im.get_clim() == (0, 1), options


# ---- cells -----------------------------------------------------------------------------------------------------------

WINDOWS = {
    "all": Window(Span(0.0, 44.0, 11), Span(0.0, 58.0, 13)), "a part": Window(Span(3.5, 30.0, 9), Span(11.0, 27.5, 7)),
    "beyond": Window(Span(-9.0, 60.0, 8), Span(-5.0, 99.0, 9)), "turned": Window(Span(44.0, 0.0, 7), Span(58.0, 0.0, 9)),
    "elements": Window(Span(5.0, 25.0, 40), Span(8.0, 40.0, 64)), "one cell": Window(Span(0.0, 44.0, 1), Span(0.0, 58.0, 1)),
    "many a cell": Window(Span(0.0, 44.0, 2), Span(0.0, 58.0, 2)),
}


@pytest.mark.parametrize("window", WINDOWS.values(), ids=WINDOWS)
@pytest.mark.parametrize("agg", ["mean", "max", "absmax", "std", "sum", "count", "nearest", "range"])
@pytest.mark.parametrize("nan", ["show", "skip"])
def test_cells_are_those_of_one_array(agg, nan, window):
    """Of one in which the space between the images is masked, and left out."""
    x = noise((12, 12, 12))
    x[3, 0, 0], x[5, 11, 11], x[6, 4, 4] = np.nan, np.inf, np.nan
    spec = spec_of(x, OPTIONS | {"nan": nan}, nrow=4, padding=2, pad_value=None)
    whole = np.ma.masked_all(spec.layout.shape, "float32")
    for k, image in enumerate(x):
        row, col = spec.layout.offset(k)
        whole[row:row + 12, col:col + 12] = image
    found = spec.plane.reduce(window, agg).cells.numpy()
    source = gpuplot.arrays.describe.describe(whole)
    one = reduce_view(source, choose(whole.shape, None, "float32"), window, agg, "unmasked" if nan == "show" else "skip").cells.numpy()
    nothing = [(cells.view("u8") == _native.EMPTY_BITS) | (cells.view("u8") == _native.MASKED_BITS) for cells in (found, one)]
    if agg in ("count", "sum"):
        found, one = (np.where(empty, 0, cells) for empty, cells in zip(nothing, (found, one), strict=True))
    else:
        np.testing.assert_array_equal(nothing[0], nothing[1])
    np.testing.assert_allclose(found, one, rtol=1e-12, atol=1e-12)


def test_limits_and_percentiles_are_those_of_all_images():
    x = noise((7, 20, 30))
    x[2, 3, 4] = np.nan
    plane = spec_of(x).plane
    found = plane.limits(_native.WANT_RANGE | _native.WANT_COUNTS)
    assert (found.min, found.max, found.n_nan, found.n_finite) == (np.nanmin(x), np.nanmax(x), 1, x.size - 1)
    np.testing.assert_allclose(plane.percentiles((2, 98)), np.nanpercentile(x.astype(float), (2, 98)), rtol=1e-12)
    robust = image_of(gpuplot.grid(x, robust=True)).get_clim()
    np.testing.assert_allclose(robust, np.nanpercentile(x.astype(float), (2, 98)), rtol=1e-12)


@pytest.mark.parametrize("window", WINDOWS.values(), ids=WINDOWS)
def test_limits_that_are_found_on_the_way_are_those_of_all_images(window):
    """Whether cells touch all images or not."""
    x = noise((12, 12, 12))
    x[3, 0, 0] = np.nan
    want = _native.WANT_RANGE | _native.WANT_POSITIVE
    plane = spec_of(x, nrow=4).plane
    found, alone = plane.reduce(window, "mean", want).limits, plane.limits(want)
    assert (found.min, found.max, found.min_positive) == (alone.min, alone.max, alone.min_positive) == (
        np.nanmin(x), np.nanmax(x), x[x > 0].min())


def test_images_are_read_once_for_cells_and_limits(monkeypatch):
    monkeypatch.setattr("gpuplot.plane.tiled_plane.find_limits", lambda *arguments: pytest.fail("read once more for limits"))
    assert spec_of(noise((12, 12, 12)), nrow=4).plane.reduce(WINDOWS["all"], "mean", _native.WANT_RANGE).limits.max > 0


@pytest.mark.parametrize("side", [30, 100, 333])
def test_one_nan_is_seen_at_every_size(side):
    x = noise((64, 40, 40))
    x[37, 39, 39] = np.nan
    figure = gpuplot.grid(x, nan_color="red", ax=plt.figure(figsize=(side / 100, side / 100), dpi=100).add_axes((0, 0, 1, 1)))
    assert (pixels(figure)[..., :3] == [255, 0, 0]).all(axis=-1).any()


class Counted:
    """Arrays that count how often they are read."""

    def __init__(self, array):
        self.array, self.shape, self.n_reads = array, array.shape, 0

    def __dlpack__(self, **keywords):
        self.n_reads += 1
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.host("counts how its own arrays are read")
def test_images_that_are_not_seen_are_not_read():
    images = [Counted(noise((400, 400), k)) for k in range(70)]
    image = image_of(gpuplot.grid(images, vmin=-1, vmax=1, ax=plt.figure(figsize=(4, 4)).add_subplot()))
    pixels(image.figure)
    described = images[69].n_reads
    assert min(counted.n_reads for counted in images[:64]) > described  # all 64 were drawn
    before = [counted.n_reads for counted in images]
    image.axes.set(xlim=(410, 600), ylim=(300, 100))  # in the second one
    pixels(image.figure)
    assert [k for k, counted in enumerate(images) if counted.n_reads > before[k]] == [1]


@pytest.mark.parametrize("side", [20, 600])
def test_colors_beyond_their_range_are_warned_about(side, tmp_path):
    """Whether they are drawn as elements or as cells; not where they are normalized."""
    x = noise((4, 3, side, side))
    with pytest.warns(gpuplot.GpuplotWarning, match="normalize=True"):
        pixels(gpuplot.grid(x, normalize=False))
    with pytest.warns(gpuplot.GpuplotWarning, match="normalize=True"):
        gpuplot.imsave(tmp_path / "a.png", x, grid={"normalize": False})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pixels(gpuplot.grid(x, normalize=True))


@pytest.mark.parametrize("scale", [0.01, 1, 300], ids="weights normalized bytes".split())
def test_floats_that_are_not_0_to_1_are_normalized_by_default(scale):
    """And the figure says so, not of one channel, of which a colorbar shows the range."""
    x = noise((5, 3, 20, 20)) * np.float32(scale)
    found = gpuplot.grid(x, max_items=4)
    np.testing.assert_array_equal(image_of(found).get_array(), image_of(gpuplot.grid(x, normalize=True, max_items=4)).get_array())
    x = x[:4]
    assert found.axes[0].get_xlabel() == f"showing 4 of 5, colors are {x.min():.4g} to {x.max():.4g}"
    assert gpuplot.grid(x, scale_each=True).axes[0].get_xlabel() == "each image has its own range"
    assert gpuplot.grid(x, normalize=True).axes[0].get_xlabel() == gpuplot.grid(x[:, :1]).axes[0].get_xlabel() == ""


def test_colors_of_about_0_to_1_are_not_normalized_by_default():
    """Nor are bytes, and what `denorm` brings to 0 to 1; a little beyond it, as a network may return, is clipped with a warning."""
    x = np.random.default_rng(0).random((4, 3, 20, 20), dtype="f4")
    for images, options in [(x, {}), (x * 0.2, {}), ((x * 255).astype("u1"), {}), (4 * x - 2, {"denorm": (0.5, 0.25)})]:
        assert spec_of(images, OPTIONS | options).plane.tiles[0].scale is None
    with pytest.warns(gpuplot.GpuplotWarning, match="normalize=True"):
        pixels(gpuplot.grid(x * 1.1 - 0.05))


@pytest.mark.filterwarnings("error")
def test_rounding_is_no_clipping():
    """bfloat16 rounds normalized colors by up to 0.0018, less than half a step of bytes, and a warning said that they were clipped."""
    x = np.random.default_rng(0).random((4, 3, 20, 20), dtype="f4").round(1)
    ml_dtypes = pytest.importorskip("ml_dtypes")
    mean, std = np.array([[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]])[..., None, None]
    rounded = ((x - mean) / std).astype(ml_dtypes.bfloat16)
    assert (rounded.astype("f8") * std + mean).min() < -0.0015
    shown = pixels(gpuplot.grid(rounded, denorm="imagenet"))
    assert np.abs(shown.astype(int) - pixels(gpuplot.grid((x - mean) / std, denorm="imagenet"))).max() <= 1


def test_what_is_masked_between_images_is_zero():
    """matplotlib's norm computes with it: memory that nobody wrote would overflow there, with a warning."""
    spec = spec_of(noise((4, 6, 6)), pad_value=None)
    garbage = [np.full(spec.plane.shape, 3e38) for _ in range(100)]
    del garbage
    values = spec.plane.numbers()
    assert values.mask.any() and not values.data[values.mask].any()


def test_a_pickled_grid_still_marks_what_is_not_finite():
    """The copied elements were masked where they are not finite, and so left out of pixels."""
    x = noise((6, 60, 70))
    x[4, 20, 60], x[2, 1, 1] = np.nan, np.inf
    figure = gpuplot.grid(x, nan_color="red", pos_inf_color="blue")
    before = pixels(figure)
    np.testing.assert_array_equal(pixels(pickle.loads(pickle.dumps(figure))), before)


def test_it_is_one_artist_that_lives_as_others_do():
    x = noise((6, 40, 50))
    figure = gpuplot.grid(x, cmap="magma")
    image = image_of(figure)
    before = pixels(figure)
    np.testing.assert_array_equal(pixels(pickle.loads(pickle.dumps(figure))), before)
    assert image.tensor is x
    image.update(x[::-1])
    assert (pixels(figure) != before).any()
    image.update(x)
    np.testing.assert_array_equal(pixels(figure), before)
    found = image.stats()
    assert (found.shape, found.max) == (x.shape, x.max())
    image.freeze()
    assert image.tensor is None
    np.testing.assert_array_equal(pixels(figure), before)
    assert pointed_at(image, 10, 10) is not None


def test_the_note_is_about_the_images_shown():
    x = noise((4, 3, 9, 10))
    figure = gpuplot.grid(x)
    ax, image = figure.axes[0], image_of(figure)
    image.set_data(5 * x)
    assert ax.get_xlabel() == gpuplot.grid(5 * x).axes[0].get_xlabel() != gpuplot.grid(x).axes[0].get_xlabel()
    image.set_data(abs(x) / abs(x).max())
    assert ax.get_xlabel() == ""
    ax.set_xlabel("filters")
    image.set_data(x)
    assert ax.get_xlabel() == "filters"


def test_other_images_need_another_grid():
    """Extent, titles and the size of the figure are those of the first ones."""
    image = image_of(gpuplot.grid(noise((6, 40, 50))))
    before = pixels(image.figure)
    for other, text in ((noise((20, 40, 50)), "these are 20 images in tiles of 40 x 50, and the grid has 6 images in tiles of 40 x 50"),
                        (noise((1, 9, 8)), "these are 1 image in tiles of 9 x 8, and the grid has 6")):
        with pytest.raises(ValueError, match=text):
            image.set_data(other)
    np.testing.assert_array_equal(pixels(image.figure), before)


def test_what_is_written_later_is_seen(tmp_path):
    x = np.zeros((3, 1100, 1000), "float32")
    image = image_of(gpuplot.grid(x, vmin=0, vmax=1, cmap="gray"))
    x[1] = 1
    image.update()
    seen = pixels(image.figure)
    assert (seen == 255).all(axis=-1).any()


# ---- devices ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_channels", [1, 3, 4])
def test_images_on_a_device(n_channels, emulated, tmp_path):
    """Beside images of host memory; pixels alone cross."""
    from foreign_arrays import CupyArray
    from foreign_memory import Runtime

    x = np.random.default_rng(0).random((5, n_channels, 90, 80)).astype("float32")
    x[1, 0, 3, 3] = np.nan
    runtime = Runtime(emulated)
    mixed = [CupyArray(runtime, image) if k % 2 else image for k, image in enumerate(x)]
    for keywords in ({"width": 60}, {"width": 700}, {"width": 60, "agg": "nearest"}):
        expected = saved(tmp_path, list(x), grid=True, nan_color="red", **keywords)
        for X in (mixed, CupyArray(runtime, x)):
            np.testing.assert_array_equal(saved(tmp_path, X, grid=True, nan_color="red", **keywords), expected)


# ---- bad input -------------------------------------------------------------------------------------------------------

WRONG = {
    "no images": (lambda: gpuplot.grid(np.zeros((0, 3, 5, 5))), ValueError, "no elements"),
    "an empty list": (lambda: gpuplot.grid([]), ValueError, "at least one image|no elements"),
    "colors and none": (lambda: gpuplot.grid([np.zeros((5, 5)), np.zeros((3, 5, 5))]), ValueError, "one channel and 3 channels.*rgb=False"),
    "nrow": (lambda: gpuplot.grid(noise((2, 5, 5)), nrow=0), ValueError, "nrow=0"),
    "nrow of another kind": (lambda: gpuplot.grid(noise((2, 5, 5)), nrow=2.5), TypeError, "nrow"),
    "padding": (lambda: gpuplot.grid(noise((2, 5, 5)), padding=-1), ValueError, "padding=-1"),
    "max_items": (lambda: gpuplot.grid(noise((2, 5, 5)), max_items=0), ValueError, "max_items=0"),
    "a range of one number": (lambda: gpuplot.grid(noise((2, 5, 5)), normalize=True, value_range=3), ValueError, "pair of numbers"),
    "a range that falls": (lambda: gpuplot.grid(noise((2, 5, 5)), normalize=True, value_range=(3, 1)), ValueError, "rise"),
    "a range of nothing": (lambda: gpuplot.grid(noise((2, 5, 5)), value_range=(0, 1)), ValueError, "normalize=True"),
    "two ranges": (lambda: gpuplot.grid(noise((2, 5, 5)), normalize=True, vmin=0), ValueError, "vmin together with normalize"),
    "a norm with limits": (lambda: gpuplot.grid(noise((2, 5, 5)), scale_each=True, norm=CenteredNorm()), ValueError,
                           r"^norm=CenteredNorm\(\.\.\.\) together with normalize or scale_each: .* leave one of them out$"),
    "counts of one's own range": (lambda: gpuplot.grid(noise((2, 5, 5)), scale_each=True, agg="count"), ValueError,
                                  "agg='count' together with normalize or scale_each: .* leave one of them out"),
    "hues": (lambda: gpuplot.grid(noise((2, 5, 5)) * 1j, complex_mode="amplitude_phase"), ValueError, "not shown in a grid"),
    "padding value": (lambda: gpuplot.grid(noise((2, 5, 5)), pad_value="black"), ValueError, "pad_value='black' must be a number, None"),
    "a keyword": (lambda: gpuplot.grid(noise((2, 5, 5)), ncol=3), TypeError, "did you mean nrow="),
    "an Axes": (lambda: gpuplot.grid(noise((2, 5, 5)), ax=[1]), TypeError, "ax must be one matplotlib Axes"),
    "no tensor": (lambda: gpuplot.grid("abc"), TypeError, "text is not numbers"),
    "a keyword of imsave": (lambda: gpuplot.imsave("x.png", noise((2, 5, 5)), grid={"ncol": 3}), TypeError, "did you mean nrow="),
    "a photo and classes": (lambda: gpuplot.grid([noise((3, 5, 5)), noise((5, 5))]), ValueError, r"color each first, gpuplot.to_rgba\(X\)"),
    "no dict": (lambda: gpuplot.imsave("x.png", noise((2, 5, 5)), grid=3), TypeError, "must be True, or a dict"),
    "an agg of colors": (lambda: gpuplot.imsave("x.png", noise((2, 3, 5, 5)), grid=True, agg="max"), ValueError, "has no meaning"),
}


def test_pixels_of_images_that_are_scaled_stay_in_their_units():
    image = image_of(gpuplot.grid(noise((2, 50, 50)), scale_each=True))
    image.set_agg("max")
    with pytest.raises(ValueError, match="agg='count' together with normalize or scale_each"):
        image.set_agg("count")
    assert image.agg == "max"


@pytest.mark.parametrize("call, kind, said", WRONG.values(), ids=WRONG)
def test_bad_input(call, kind, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=said):
        call()
    assert plt.get_fignums() == [] and list(tmp_path.iterdir()) == []
