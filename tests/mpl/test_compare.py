"""The figure of `compare`: three pictures, their scales, and the line of numbers."""

import pickle
from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figures import pixels
from matplotlib.colors import FuncNorm, LogNorm, Normalize, TwoSlopeNorm

import gpuplot
from gpuplot import _native
from gpuplot.arrays import lazy_arrays
from gpuplot.arrays.describe import describe
from gpuplot.statistics.comparison import compare_elements


def noise(shape, dtype="float32", seed=0):
    return (np.random.default_rng(seed).normal(size=shape) * 10).astype(dtype)


def images_of(figure):
    return [image for ax in figure.axes for image in ax.images if isinstance(image, gpuplot.TensorImage)]


def test_the_two_have_one_scale_and_the_difference_its_own():
    a, b = noise((30, 40)), noise((30, 40), seed=1) * 3
    one, other, apart = images_of(gpuplot.compare(a, b, cmap="magma"))
    assert one.norm is other.norm and one.get_clim() == (min(a.min(), b.min()), max(a.max(), b.max()))
    limit = abs(a.astype(float) - b).max()
    np.testing.assert_allclose(apart.get_clim(), (-limit, limit))
    np.testing.assert_allclose(apart.get_array(), a.astype(float) - b)
    assert [image.axes.get_title() for image in (one, other, apart)] == ["a", "b", "a \u2212 b"]
    assert one.axes.get_shared_x_axes().joined(one.axes, apart.axes) and one.cmap.name == "magma"


def test_the_line_is_written_above():
    a = noise((30, 40))
    b = a.copy()
    b[7, 9] += 5
    a[1, 2] = np.nan
    figure = gpuplot.compare(a, b, atol=0.5, rtol=0, titles=("ours", "theirs"))
    said = figure.get_supxlabel()
    assert "largest difference 5 at [7, 9]" in said and "beyond rtol 0, atol 0.5: 2 of 1\u202f200" in said
    assert "NaN in a alone 1, in b alone 0, first at [1, 2]" in said
    assert figure.axes[2].get_title() == "ours \u2212 theirs"
    assert figure.comparison.argmax_abs == (7, 9)


@pytest.mark.parametrize("titles", [("runs/2026-11-26/checkpoint_10000.pt#model.layers.11.mlp.weight", "new.pt#weight"),
                                    ("query", "the weights of the same layer after a long training")], ids=["files", "texts"])
@pytest.mark.parametrize("shape", [(64, 3, 30, 30), (3000, 60)], ids=str)
def test_long_titles_do_not_overlap(shape, titles):
    """That of another channel said how imshow shows colors, which compare has no keyword for."""
    figure = gpuplot.compare(np.zeros(shape, "f4"), np.ones(shape, "f4"), titles=titles)
    figure.draw_without_rendering()
    boxes = [ax.title.get_window_extent() for ax in figure.axes[:3]]
    assert all(one.x1 < other.x0 for one, other in pairwise(boxes)) and boxes[0].x0 > 0
    assert [ax.get_title().replace("\n", "").partition(" (axis")[0].partition("(axis")[0] for ax in figure.axes[:2]] == list(titles)
    assert figure.axes[2].get_title() == "first \u2212 second" and "rgb" not in figure.axes[0].get_title()


@pytest.mark.parametrize("shape, is_square", [((300, 60), True), ((60, 300), True), ((600, 60), False), ((6, 600), False), ((0, 5), True)])
def test_long_planes_fill_their_axes(shape, is_square):
    """Three of them side by side were lines, with colorbars too short for their numbers; wide ones stand one above the other."""
    figure = gpuplot.compare(np.zeros(shape), np.ones(shape))
    assert {ax.get_aspect() for ax in figure.axes[:3]} == {1.0 if is_square else "auto"}
    figure.draw_without_rendering()
    if not is_square:
        n_rows = figure.axes[0].get_subplotspec().get_gridspec().nrows
        assert n_rows == (3 if shape[1] > shape[0] else 1)
        assert all(ax.bbox.height > figure.bbox.height / 2 / n_rows for ax in figure.axes)
        assert all(tick == int(tick) for ax in figure.axes[:3] for tick in ax.get_yticks())


@pytest.mark.parametrize("shape", [(200, 200), (60, 300), (300, 60)])
def test_colorbars_are_as_high_as_their_pictures(shape):
    """That of both tensors was higher than the picture, that of the difference lower."""
    figure = gpuplot.compare(np.zeros(shape), np.ones(shape))
    figure.draw_without_rendering()
    pictures, bars = figure.axes[:3], figure.axes[3:]
    assert len(bars) == (3 if shape[1] > 2 * shape[0] else 2)
    for ax, bar in zip(pictures[-len(bars):], bars, strict=True):
        assert abs(ax.bbox.y0 - bar.bbox.y0) < 1 and abs(ax.bbox.y1 - bar.bbox.y1) < 1


def test_numbers_of_colorbars_lie_within_the_figure():
    """Those of the right one were cut off where ticks got more digits in the colorbar as high as its picture: a layout went to and fro."""
    a = np.linspace(-1, 1, 15000).reshape(100, 150)
    figure = gpuplot.compare(a * 1.07017, a)
    for _ in range(2):
        figure.draw_without_rendering()
        assert max(ax.get_tightbbox().x1 for ax in figure.axes) < figure.bbox.width


def test_one_wrong_element_is_seen():
    b = np.zeros((2000, 3000), "float32")
    a = b.copy()
    a[1234, 2345] = 1
    figure = gpuplot.compare(a, b)
    apart = images_of(figure)[2]
    figure.canvas.draw()
    rgba = apart.make_image(figure.canvas.get_renderer())[0]
    dark = apart.cmap(1.0, bytes=True)
    assert (rgba == dark).all(axis=-1).any()


@pytest.mark.host("xarray holds host arrays")
@pytest.mark.parametrize("labeled", ["a", "b", "both", "elsewhere"])
def test_coordinates_place_all_three_pictures(labeled):
    xr = pytest.importorskip("xarray", reason="pip install xarray")
    values = noise((30, 40))
    coords = {"lat": 50 + np.arange(30) / 10, "lon": np.arange(40) / 10}
    field = xr.DataArray(values, dims=("lat", "lon"), coords=coords, name="t", attrs={"units": "K"})
    other = field.assign_coords(lon=field.lon + 7) if labeled == "elsewhere" else field
    figure = gpuplot.compare(values if labeled == "b" else field, values + 1 if labeled == "a" else other + 1)
    for ax in figure.axes[:3]:
        image, = ax.images
        assert image.get_extent() == pytest.approx((-0.05, 3.95, 49.95, 52.95)) and image.origin == "lower"
        assert (*ax.get_xlim(), *ax.get_ylim()) == pytest.approx(image.get_extent())
    assert [ax.get_ylabel() for ax in figure.axes[3:]] == ["t [K]", ""]


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_pictures_are_drawn_upwards_where_matplotlib_is_told_to(dtype):
    """As by `imshow`."""
    a = (9 * abs(noise((30, 40)))).astype(dtype)
    with mpl.rc_context({"image.origin": "lower"}):
        figure = gpuplot.compare(a, a + 1, categorical=dtype == "uint8")
    assert [image.origin for image in images_of(figure)] == ["lower"] * 3 and figure.axes[0].get_ylim() == (-0.5, 29.5)


def test_equal_tensors_are_white():
    figure = gpuplot.compare(noise((30, 40)), noise((30, 40)))
    assert images_of(figure)[2].get_clim() == (-1, 1) and figure.comparison.n_beyond == 0 and figure.comparison.argmax_abs is None
    assert "none" in figure.get_supxlabel()


@pytest.mark.parametrize("titles, said", [
    (("a", "b"), "a \u2212 b"), (("before.pt#0.weight", "after.pt#0.weight"), "before.pt#0.weight\n\u2212 after.pt#0.weight"),
    (("a" * 33, "b"), "first \u2212 second")], ids=str)
def test_the_difference_is_named_after_the_two(titles, said):
    figure = gpuplot.compare(np.zeros((4, 5)), np.ones((4, 5)), titles=titles)
    assert figure.axes[2].get_title() == said
    plt.close(figure)


def test_a_plane_of_tensors_is_drawn_and_all_elements_are_compared():
    a, b = noise((3, 30, 40)), noise((3, 30, 40))
    b[0, 5, 6] += 100
    figure = gpuplot.compare(a, b, index={0: 2}, dims="time y x")
    assert figure.comparison.argmax_abs == (0, 5, 6)
    np.testing.assert_array_equal(images_of(figure)[0].get_array(), a[2])
    assert images_of(figure)[2].get_clim() == (-1, 1) and "time = 2" in figure.axes[0].get_title()
    averaged = images_of(gpuplot.compare(a, b, reduce={0: "mean"}))
    np.testing.assert_allclose(averaged[2].get_array(), (a.astype(float) - b).mean(axis=0), atol=1e-9)


@pytest.mark.parametrize("is_first", [False, True], ids=["channels last", "channels first"])
def test_pictures_are_drawn_in_colors_beside_the_channel_that_differs_most(is_first):
    """A photo was drawn as the columns of its channels, in one row of the picture."""
    b = noise((30, 40, 3), "uint8")
    a = b.copy()
    a[7, 9], b[7, 9] = (1, 200, 1), (2, 100, 3)
    axis = 0 if is_first else 2
    figure = gpuplot.compare(*(np.moveaxis(one, 2, axis) for one in (a, b)))
    one, other, apart = images_of(figure)
    np.testing.assert_array_equal(one.get_array(), a)
    np.testing.assert_array_equal(other.get_array(), b)
    np.testing.assert_array_equal(apart.get_array(), a[..., 1].astype(float) - b[..., 1])
    assert [ax.get_title() for ax in figure.axes[:3]] == ["a", "b", f"a \u2212 b (axis {axis} = 1)"]
    assert len(figure.axes) == 4  # one colorbar, of the difference


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_pictures_of_floats_are_drawn_in_colors(dtype):
    """A reconstruction and its target were drawn as one channel."""
    b = np.random.default_rng(0).random((3, 30, 40)).astype(dtype)
    a = np.clip(b + np.float32(0.02), 0, 1).astype(dtype)
    figure = gpuplot.compare(a, b)
    np.testing.assert_array_equal(images_of(figure)[0].get_array(), np.moveaxis(a, 0, 2))
    assert [ax.get_title() for ax in figure.axes[:2]] == ["a", "b"] and images_of(figure)[2].get_array().shape == (30, 40)
    assert images_of(gpuplot.compare(a * 9, b))[0].get_array().shape == (30, 40)


@pytest.mark.parametrize("chunk", [3, 1])
def test_pictures_whose_channels_lie_in_chunks(chunk, monkeypatch):
    """Channels in several chunks were an error that named ``rgb``, a keyword which `compare` does not have."""
    da = pytest.importorskip("dask.array")
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", 100)
    b = noise((3, 30, 40), "uint8")
    a = b.copy()
    a[1, 7, 9], b[1, 7, 9] = 200, 100
    figure = gpuplot.compare(*(da.from_array(one, chunks=(chunk, 20, 20)) for one in (a, b)))
    figure.canvas.draw()
    one, _, apart = images_of(figure)
    assert one.get_array().shape == ((30, 40, 3) if chunk == 3 else (30, 40)) and apart.get_array()[7, 9] == 100


def test_one_channel_of_pictures_as_numbers():
    b = np.random.default_rng(0).random((30, 40, 3))
    a = b.copy()
    a[7, 9, 2] += 1
    figure = gpuplot.compare(a, b)
    np.testing.assert_array_equal(images_of(figure)[0].get_array(), a[..., 2])
    assert [ax.get_title() for ax in figure.axes[:3]] == ["a (axis 2 = 2)", "b (axis 2 = 2)", "a \u2212 b (axis 2 = 2)"]
    levels = (255 * a / 2).astype("uint8")
    assert images_of(gpuplot.compare(levels, levels, cmap="gray"))[0].get_array().shape == (30, 40)
    assert images_of(gpuplot.compare(levels, levels, x=1, y=0, index={2: 1}))[0].get_array().shape == (30, 40)
    assert images_of(gpuplot.compare(a[..., :1], b[..., :1]))[2].get_array().shape == (30, 40)


def test_parts_of_complex_elements():
    a, b = noise((30, 40), "complex64"), noise((30, 40), "complex64")
    b[3, 4] += 2j
    assert gpuplot.compare(a, b).comparison.max_abs == pytest.approx(2, rel=1e-6)
    found = [images_of(gpuplot.compare(a, b, complex_mode=mode))[2].get_array() for mode in ("real", "imaginary")]
    assert not found[0].any() and found[1][3, 4] == pytest.approx(-2, rel=1e-6)


def test_it_zooms_freezes_and_does_not_update():
    figure = gpuplot.compare(noise((900, 1200)), noise((900, 1200), seed=1))
    before = pixels(figure)
    images = images_of(figure)
    images[0].axes.set(xlim=(10, 30), ylim=(40, 20))
    assert (pixels(figure) != before).any()
    images[2].freeze()
    assert images[2].tensor is None
    pixels(figure)
    other = images_of(gpuplot.compare(noise((9, 12)), noise((9, 12), seed=1)))[2]
    with pytest.raises(ValueError, match="call compare again with others"):
        other.update(noise((9, 12)))
    with pytest.raises(ValueError, match=r"figure\.comparison"):
        other.stats()


def test_tensors_on_a_device_and_on_the_host(emulated):
    from foreign_arrays import CupyArray
    from foreign_memory import Runtime

    a, b = noise((300, 400)), noise((300, 400), seed=1)
    a[7, 8] = np.nan
    expected = gpuplot.compare(a, b)
    found = gpuplot.compare(CupyArray(Runtime(emulated), a), b)
    assert found.comparison == expected.comparison
    np.testing.assert_array_equal(pixels(found), pixels(expected))


def test_two_tensors_on_a_device_stay_there(emulated, monkeypatch):
    """Blocks of elements are subtracted, and compared, where they lie: numbers, cells and pixels cross."""
    from foreign_arrays import CupyArray
    from foreign_memory import Runtime

    a, b = noise((1100, 1000)), noise((1100, 1000), "int16", seed=1)
    a[7, 8] = np.nan
    monkeypatch.setitem(plt.rcParams, "figure.dpi", 30)
    runtime = Runtime(emulated)
    on_device = CupyArray(runtime, a), CupyArray(runtime, b)
    expected = gpuplot.compare(a, b)
    before = _native.cuda_counts(0)["bytes_to_host"]
    assert compare_elements(*map(describe, on_device)) == expected.comparison
    assert _native.cuda_counts(0)["bytes_to_host"] - before == 2 * 64  # two blocks
    before = _native.cuda_counts(0)["bytes_to_host"]
    found = gpuplot.compare(*on_device)
    drawn = pixels(found)
    crossed = _native.cuda_counts(0)["bytes_to_host"] - before
    np.testing.assert_array_equal(drawn, pixels(expected))
    n_pixels = sum(ax.get_window_extent().width * ax.get_window_extent().height for ax in found.axes[:3])
    assert crossed < 40 * n_pixels + 2**16 < a.nbytes / 2  # a partial result of a cell is of 32 bytes, a pixel of 4


def test_reduced_axes_and_parts_of_complex_elements_are_subtracted_on_the_device(emulated):
    from foreign_arrays import CupyArray
    from foreign_memory import Runtime

    runtime, rng = Runtime(emulated), np.random.default_rng(0)
    a, b = (rng.normal(size=(3, 40, 50)) + 1j * rng.normal(size=(3, 40, 50)) for _ in "ab")
    for options in ({"reduce": {0: "mean"}}, {"index": {0: 2}, "complex_mode": "imaginary"}):
        found = gpuplot.compare(CupyArray(runtime, a), CupyArray(runtime, b), **options)
        np.testing.assert_array_equal(pixels(found), pixels(gpuplot.compare(a, b, **options)))


def scale_of(figure):
    """(vmin, vmax, name of the colormap) of both tensors, which are those of one scale."""
    one, other = (ax.images[0] for ax in figure.axes[:2])
    assert one.norm is other.norm and one.cmap == other.cmap
    return one.norm.vmin, one.norm.vmax, one.cmap.name


@pytest.mark.parametrize("norm", [Normalize(), LogNorm(), TwoSlopeNorm(2.5), FuncNorm((np.sqrt, np.square))], ids=type)
def test_limits_of_a_norm_object_are_those_of_both(norm):
    """They were those of the first tensor alone."""
    figure = gpuplot.compare([[1.0, 3.0]], [[2.0, 30.0]], norm=norm)
    assert scale_of(figure)[:2] == (1, 30) and figure.axes[0].images[0].norm is norm


@pytest.mark.parametrize("nothing, norm", [(np.nan, None), (-1.0, "log"), (0.0, "log")])
def test_a_tensor_that_the_norm_cannot_show_has_no_part_in_the_limits(nothing, norm):
    """Under a logarithm they were 0, which matplotlib refused; of NaN they were 0 and 1."""
    a, b = np.full((3, 3), nothing), np.linspace(500, 600, 9).reshape(3, 3)
    for pair in ((a, b), (b, a)):
        figure = gpuplot.compare(*pair, norm=norm)
        assert scale_of(figure)[:2] == (500, 600)
        pixels(figure)
    pixels(gpuplot.compare(a, a, norm=norm))


@pytest.mark.parametrize("a, b, scale", [
    ([[1.0, 30.0]], [[-2.0, 3.0]], (-30, 30, "RdBu_r")), ([[1.0, 3.0]], [[-4.0, -2.0]], (-4, 4, "RdBu_r")),
    ([[1.0, 3.0]], [[2.0, 9.0]], (1, 9, "viridis"))])
def test_limits_are_centered_where_both_together_have_two_signs(a, b, scale):
    """Each tensor was centered for itself: the two had different colormaps, and limits that were not symmetric."""
    assert scale_of(gpuplot.compare(a, b, center="auto")) == scale
    assert scale_of(gpuplot.compare(a, b, center="auto", vmin=-1, vmax=4))[:2] == (-1, 4)


def test_the_colorbar_of_both_has_the_ends_of_both():
    """It had those of the tensor beside which it stands."""
    inside, outside = np.linspace(0, 1, 9).reshape(3, 3), np.linspace(-2, 2, 9).reshape(3, 3)
    for pair in ((inside, outside), (outside, inside)):
        figure = gpuplot.compare(*pair, vmin=0, vmax=1)
        image = figure.axes[1].images[0]
        assert image.colorbar.extend == "both"
        figure.axes[0].images[0].remove()
        image.autoscale()
        pixels(pickle.loads(pickle.dumps(figure)))


@pytest.mark.parametrize("changed", [0, 1])
def test_the_ends_follow_limits_that_are_set_on_either(changed):
    """The colorbar, which is that of one of them, kept its ends where the other was told."""
    figure = gpuplot.compare(np.arange(12.0).reshape(3, 4), np.arange(12.0, 24.0).reshape(3, 4))
    images = [ax.images[0] for ax in figure.axes if ax.images]
    images[changed].set_clim(2, 9)
    assert [image.get_clim() for image in images[:2]] == [(2, 9)] * 2
    assert images[1].colorbar.extend == "both"
    images[1 - changed].remove()
    images[changed].set_clim(2, 99)


WRONG = {
    "shapes": (lambda: gpuplot.compare(np.zeros((2, 3)), np.zeros((3, 2))), ValueError, r"\(2, 3\) and b has \(3, 2\)"),
    "rtol": (lambda: gpuplot.compare([[1]], [[1]], rtol=-1), ValueError, "rtol=-1 must be a number of at least 0"),
    "atol": (lambda: gpuplot.compare([[1]], [[1]], atol="x"), ValueError, "atol='x'"),
    "a text": (lambda: gpuplot.compare("a", "b"), TypeError, "text is not numbers"),
    "one": (lambda: gpuplot.compare([[1]]), TypeError, "b"),
    "a mode": (lambda: gpuplot.compare([[1j]], [[1j]], complex_mode="phase"), ValueError, "real or imaginary"),
    "no such part": (lambda: gpuplot.compare([[1.0]], [[1.0]], complex_mode="imaginary"), ValueError, "no imaginary part"),
    "a maximum": (lambda: gpuplot.compare(np.zeros((2, 3, 4)), np.zeros((2, 3, 4)), reduce={0: "max"}), ValueError, "mean or sum"),
    "titles": (lambda: gpuplot.compare([[1]], [[1]], titles="ab"), ValueError, "must be two texts"),
    "titles that are none": (lambda: gpuplot.compare([[1]], [[1]], titles=(None, 1)), ValueError, "must be two texts"),
    "a title that is no formula": (lambda: gpuplot.compare([[1]], [[1]], titles=(r"$\bad{$", "b")), ValueError, "bad"),
    "a keyword": (lambda: gpuplot.compare([[1]], [[1]], tol=3), TypeError, "did you mean [ar]tol="),
    "an agg": (lambda: gpuplot.compare([[1]], [[1]], agg="median"), ValueError, "agg='median'"),
}


@pytest.mark.parametrize("call, kind, said", WRONG.values(), ids=WRONG)
def test_bad_input(call, kind, said):
    with pytest.raises(kind, match=said):
        call()
    assert plt.get_fignums() == []


@pytest.mark.parametrize("shape", [(3, 3), (1, 2), (7, 5)])
def test_ticks_of_a_few_elements_are_at_elements(shape):
    """Kernels of convolutions had ticks at -0.5, 0.5, ..."""
    figure = gpuplot.compare(np.zeros(shape), np.eye(*shape))
    for axis in (axis for ax in figure.axes[:3] for axis in (ax.xaxis, ax.yaxis)):
        assert all(tick == int(tick) for tick in axis.get_ticklocs())


def test_limits_of_long_planes_are_those_of_the_pixels_that_are_drawn():
    """They were those of a line of square elements, whose pixels are means of many more."""
    a, b = np.random.default_rng(0).normal(size=(2, 1000, 20))
    figure = gpuplot.compare(a, b)
    figure.canvas.draw()
    low, high = figure.axes[0].images[0].get_clim()
    cells = gpuplot.downsample(a, (int(figure.axes[0].bbox.height), 20))
    assert low < cells.min() and cells.max() < high
