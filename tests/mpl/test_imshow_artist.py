"""The artist of `imshow`: matplotlib's interface of images, and errors before the Axes are changed."""

import pickle
from datetime import datetime

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figures import axes_of, borrowed, made, pixels
from matplotlib.figure import Figure
from matplotlib.path import Path
from matplotlib.transforms import Affine2D, Bbox

import gpuplot

SMALL = np.random.default_rng(0).random((20, 30))
LARGE = borrowed()
BOTH = pytest.mark.parametrize("X", [SMALL, LARGE], ids=["small", "large"])


def test_the_array_of_a_small_image_is_real():
    im = gpuplot.imshow(np.where(SMALL > 0.9, np.nan, SMALL), ax=axes_of())
    array = im.get_array()
    assert isinstance(array, np.ma.MaskedArray) and array.mask.sum() == (SMALL > 0.9).sum()
    assert array[array > 0.5].min() > 0.5
    assert gpuplot.imshow((SMALL * 99).astype("i4")[..., None].repeat(3, 2), ax=axes_of()).get_array().dtype == np.uint8
    im._A = np.ma.ones((2, 2))
    assert im.get_array().shape == (2, 2)


@pytest.mark.host("arrays of the host have memory to share")
def test_the_array_of_a_large_image_is_the_callers_memory():
    im = gpuplot.imshow(LARGE, ax=axes_of(100))
    made(im)
    array = im.get_array()
    assert np.shares_memory(array, LARGE)
    np.testing.assert_array_equal(array, LARGE)


def test_a_tensor_that_is_no_array_has_a_proxy():
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(LARGE).to(torch.bfloat16)
    im = gpuplot.imshow(tensor, ax=axes_of(100), colorbar=True)
    made(im)
    array = im.get_array()
    assert (array.shape, array.ndim, array.size, array.dtype) == (LARGE.shape, 2, LARGE.size, np.float32)
    assert array[3, 4] == tensor[3, 4].item() and array[-1, -1] == tensor[-1, -1].item()
    with pytest.raises(TypeError, match="downsample"):
        np.asarray(array)
    assert im.tensor is tensor


@BOTH
def test_before_there_is_data_and_without_a_renderer(X):
    ax = axes_of(100)
    empty = gpuplot.TensorImage(ax)
    for call in (empty.get_shape, lambda: empty.make_image(None)):
        with pytest.raises(RuntimeError, match="You must first set the image"):
            call()
    assert str(empty) == "TensorImage"
    assert gpuplot.imshow(X, ax=ax).make_image(None)[0].dtype == np.uint8


def test_the_axes_are_one_and_come_by_their_name():
    fig, axs = plt.subplots(2, 2)
    for ax, words in ((axs, "not ndarray: choose one"), (axs[0, 0:1], "such as ax=axs\\[0\\]"), ((fig, axs[0, 0]), "not tuple"),
                      (fig, r"not Figure: give one of its own, such as ax=figure\.gca\(\)$"), (0, "not int$")):
        with pytest.raises(TypeError, match=f"ax must be one matplotlib Axes, .*{words}"):
            gpuplot.imshow(SMALL, ax=ax)
    with pytest.raises(TypeError, match=r"imshow\(X, ax=ax\)"):
        gpuplot.imshow(axs[0, 0], SMALL)
    assert not any(ax.images for ax in axs.flat)
    plt.close(fig)


@pytest.mark.parametrize(("options", "message"), [
    ({"extent": (0, 1)}, r"extent=\(0, 1\) must be the four edges \(left, right, bottom, top\)"),
    ({"extent": 3}, "extent=3 must be the four edges"),
    ({"extent": np.array(3.0)}, "must be the four edges"), ({"extent": "abcd"}, "must be the four edges"),
    ({"extent": (0, 1, None, 3)}, "must be the four edges"), ({"extent": (0, 1, float("nan"), 3)}, "must be the four edges"),
    ({"aspect": "square"}, "aspect='square' must be 'equal', 'auto' or the height of an element by its width"),
])
def test_the_place_of_a_picture_is_checked(options, message):
    """matplotlib says "tuple index out of range"."""
    ax = axes_of()
    with pytest.raises(ValueError, match=message):
        gpuplot.imshow(SMALL, ax=ax, **options)
    assert not ax.images


def test_what_three_planes_taken_as_colors_need_to_be_indexed():
    stack = np.stack([SMALL] * 3)
    with pytest.raises(ValueError, match="rgb=False"):
        gpuplot.imshow(stack, ax=axes_of()).set_index({0: 1})
    gpuplot.imshow(stack, ax=axes_of(), rgb=False).set_index({0: 1})


@pytest.mark.parametrize(("colorbar", "is_there"), [({}, True), ({"label": "T"}, True), (True, True), (False, False), (None, False)])
def test_a_dict_without_keywords_asks_for_a_colorbar(colorbar, is_there):
    assert (gpuplot.imshow(SMALL, ax=axes_of(), colorbar=colorbar).colorbar is not None) == is_there


@pytest.mark.parametrize("colorbar", ["right", 0.5, ["a"], axes_of])
def test_colorbars_are_wanted_or_described(colorbar):
    ax = axes_of()
    with pytest.raises(TypeError, match="such as {'label': 'T .K.'}"):
        gpuplot.imshow(np.eye(3), colorbar="T [K]")
    with pytest.raises(TypeError, match="colorbar=.* must be True, or a dict"):
        gpuplot.imshow(SMALL, ax=ax, colorbar=colorbar)
    assert len(ax.figure.axes) == 1 and not ax.images


@BOTH
def test_messages(X):
    im = gpuplot.imshow(X, ax=axes_of())
    with pytest.raises(TypeError, match="alpha must be a float, two-dimensional array, or None"):
        im.set_alpha(np.zeros((2, 2, 2)))
    with pytest.raises(TypeError, match="set_extent"):
        im.set_extent((0, 1, 0, 1), clip=False)
    with pytest.raises(ValueError, match="filter radius"):
        gpuplot.imshow(X, ax=axes_of(), filterrad=0)
    with pytest.raises(AttributeError, match=r"imshow\(\) got an unexpected keyword argument 'foo'"):
        gpuplot.imshow(X, ax=axes_of(), foo=1)
    with pytest.raises(ValueError, match="mean, max, min"):
        gpuplot.imshow(X, ax=axes_of(), agg="median")
    with pytest.raises(ValueError, match="show, skip"):
        gpuplot.imshow(X, ax=axes_of(), nan="ignore")
    with pytest.raises(ValueError, match="not a color"):
        gpuplot.imshow(X, ax=axes_of(), nan_color="no color")


@BOTH
def test_artist_properties_pass(X):
    ax = axes_of(100)
    clip = Path.circle((0.5, 0.5), 0.3)
    im = gpuplot.imshow(X, ax=ax, clip_path=(clip, ax.transAxes), animated=True, rasterized=True, url="u", gid="g", label="l",
                        zorder=7, picker=True)
    assert (im.get_zorder(), im.get_gid(), im.get_url(), im.get_label()) == (7, "g", "u", "l")
    assert im.get_clip_path() is not None and im.get_picker() and im.get_animated()
    assert im in ax.images and im in ax._mouseover_set


@BOTH
def test_clipping(X):
    ax = axes_of(100, place=(0.25, 0.25, 0.5, 0.5))
    im = gpuplot.imshow(X, ax=ax, aspect="auto", extent=(-1, 2, -1, 2))
    ax.set(xlim=(0, 1), ylim=(0, 1))
    assert made(im).shape[:2] == (50, 50)
    im.set_clip_on(False)
    assert made(im).shape[:2] == (100, 100)
    im.set_clip_on(True)
    im.set_clip_path(None)
    im.set_clip_box(Bbox([[30, 30], [40, 60]]))
    assert made(im).shape[:2] == (30, 10)


@BOTH
def test_extent_aspect_and_limits(X):
    n_rows, n_cols = X.shape
    ax = axes_of(100)
    im = gpuplot.imshow(X, ax=ax)
    assert im.get_extent() == [-0.5, n_cols - 0.5, n_rows - 0.5, -0.5] and ax.get_aspect() == 1
    im.set_data(X[:5])
    assert im.get_extent() == [-0.5, n_cols - 0.5, n_rows - 0.5, -0.5]
    ax.set(xlim=(0, 1))
    ax.relim()
    ax.autoscale()
    assert ax.get_xlim() == (-0.5, n_cols - 0.5)
    np.testing.assert_allclose(im.get_window_extent().get_points(), ax.transData.transform([(-0.5, n_rows - 0.5), (n_cols - 0.5, -0.5)]))
    free = axes_of(100)
    gpuplot.imshow(X, ax=free, transform=Affine2D() + free.transAxes, extent=(0, 1, 0, 1))
    assert free.get_aspect() == "auto"


@BOTH
def test_dates_as_extent(X):
    ax = axes_of(100)
    im = gpuplot.imshow(X, ax=ax, extent=(datetime(2020, 1, 1), datetime(2020, 3, 1), 1, 0), aspect="auto")
    assert im.get_extent()[:2] == [mpl.dates.date2num(datetime(2020, 1, 1)), mpl.dates.date2num(datetime(2020, 3, 1))]
    made(im)


@BOTH
def test_stale(X):
    ax = axes_of(100)
    im = gpuplot.imshow(X, ax=ax)
    for change in (lambda: None, lambda: im.set_clim(0, 1), im.update, lambda: im.set_agg("max"), lambda: im.set_data(X)):
        change()
        assert im.stale
        ax.figure.canvas.draw()
        assert not im.stale


@BOTH
def test_update_takes_properties_too(X):
    im = gpuplot.imshow(X, ax=axes_of(), limits="elements")
    im.update({"zorder": 9})
    assert im.get_zorder() == 9
    im.update(X * 2)
    assert im.tensor is not X and im.get_clim() == (X.min(), X.max())


def test_rcparams_are_read_at_the_call():
    with mpl.rc_context({"image.cmap": "gray", "image.origin": "lower", "image.aspect": "auto", "image.interpolation": "bicubic",
                         "image.resample": False, "image.interpolation_stage": "data"}):
        im = gpuplot.imshow(SMALL, ax=axes_of())
    assert (im.cmap.name, im.origin, im.axes.get_aspect(), im.get_interpolation(), im.get_resample(),
            im.get_interpolation_stage()) == ("gray", "lower", "auto", "bicubic", False, "data")


def test_without_an_axes_pyplot_has_the_current_image():
    fig = plt.figure()
    im = gpuplot.imshow(SMALL)
    assert plt.gci() is im and im.axes is plt.gca()
    plt.close(fig)


def test_animation_by_blitting():
    ax = axes_of(100)
    im = gpuplot.imshow(LARGE, ax=ax, aspect="auto", animated=True)
    canvas = ax.figure.canvas
    canvas.draw()
    background = canvas.copy_from_bbox(ax.bbox)
    frames = []
    for step in range(3):
        canvas.restore_region(background)
        im.set_data(LARGE * (step + 1))
        ax.draw_artist(im)
        frames.append(np.asarray(canvas.buffer_rgba()).copy())
    assert (frames[0] != frames[2]).any()


def test_picking_and_two_axes():
    ax = axes_of(100)
    im = gpuplot.imshow(LARGE, ax=ax, aspect="auto", picker=True)
    ax.figure.canvas.draw()
    event = mpl.backend_bases.MouseEvent("button_press_event", ax.figure.canvas, 50, 50, 1)
    assert im.contains(event)[0]
    gpuplot.imshow(LARGE, ax=ax.twinx(), aspect="auto", alpha=0.5)
    inset = ax.inset_axes([0.5, 0.5, 0.4, 0.4])
    gpuplot.imshow(LARGE, ax=inset)
    pixels(ax.figure)


def test_write_png(tmp_path):
    for X in (SMALL, LARGE):
        im = gpuplot.imshow(X, ax=axes_of(), origin="lower")
        im.write_png(tmp_path / "all.png")
        want = im.cmap(im.norm(X.astype("f8")), bytes=True)[::-1]
        got = (plt.imread(tmp_path / "all.png") * 255).round().astype(int)
        assert abs(got - want).max() <= 3


def test_a_small_image_pickles_without_gpuplots_own_state_getting_in_the_way():
    im = gpuplot.imshow(SMALL, ax=axes_of(100))
    twin = pickle.loads(pickle.dumps(im.axes.figure)).axes[0].images[0]
    np.testing.assert_array_equal(twin.get_array(), im.get_array())
    assert twin.get_clim() == im.get_clim() and twin._marks == im._marks


@BOTH
def test_what_is_on_show_has_no_other_public_names_than_an_image_without_data(X):
    """Which `tests/project/test_annotations.py` holds against the class; drawn, with a colorbar, after every change, and from a pickle."""
    im = gpuplot.imshow(X, ax=axes_of(100), colorbar=True, limits="pixels", nan_color="red")
    pixels(im.axes.figure)
    im.set_agg("max")
    im.autoscale("view")
    im.update(X)
    pixels(im.axes.figure)
    im.freeze()
    bare = {*dir(gpuplot.TensorImage(axes_of())), "colorbar_cid"}  # which a colorbar of matplotlib gives its image
    for image in (im, pickle.loads(pickle.dumps(im.axes.figure)).axes[0].images[0]):
        assert [name for name in dir(image) if not name.startswith("_") and name not in bare] == []


@pytest.mark.parametrize("is_gridspec", [True, False])
def test_a_refused_call_leaves_the_axes_where_they_were(is_gridspec):
    """The colorbar's room stayed taken when the limits were refused."""
    figure = Figure()
    ax = figure.add_subplot() if is_gridspec else figure.add_axes((0.1, 0.1, 0.8, 0.8))
    before = ax.get_position(original=True).bounds
    with pytest.raises(ValueError, match="vmin"):
        gpuplot.imshow(np.eye(3), ax=ax, vmin=2, vmax=1, colorbar=True)
    with pytest.raises(TypeError, match="nope"):
        gpuplot.imshow(np.eye(3), ax=ax, colorbar={"nope": 3})
    assert figure.axes == [ax] and ax.get_position(original=True).bounds == before and not ax.images
    gpuplot.imshow(np.eye(3), ax=ax, colorbar=True)
    assert len(figure.axes) == 2 and ax.get_position(original=True).bounds != before


@BOTH
@pytest.mark.parametrize(("change", "error", "message"), [
    (lambda im: im.set_clim("abc"), TypeError, "vmin must be a number or None, not str"),
    (lambda im: im.set_clim(0, "abc"), TypeError, "vmax must be a number or None, not str"),
    (lambda im: im.set_clim(0, np.zeros(2)), TypeError, r"vmax must be a number or None, not ndarray of shape \(2,\)"),
    (lambda im: im.set_clim((0, 1, 2)), TypeError, "vmin must be a number or None, not tuple"),
    (lambda im: im.set_clim({0, 1}), TypeError, "vmin must be a number or None, not set"),
    (lambda im: im.set_clim(9, 1), ValueError, r"vmin \(9.0\) must be less than or equal to vmax \(1.0\): exchange them"),
    (lambda im: im.set_clim((9, 1)), ValueError, r"vmin \(9.0\) must be less than or equal to vmax \(1.0\): exchange them"),
    (lambda im: im.set_extent(None), ValueError, "extent=None must be the four edges"),
    (lambda im: im.set_extent([None] * 4), ValueError, "must be the four edges"),
    (lambda im: im.set_extent(np.ones((4, 4))), ValueError, "must be the four edges"),
    (lambda im: im.set_cmap(["r"]), TypeError, "cmap must be a name or a matplotlib Colormap, not list"),
    (lambda im: im.set_interpolation("abc"), ValueError, "interpolation"),
    (lambda im: im.set_interpolation_stage("abc"), ValueError, "interpolation_stage='abc' is not one of data, rgba, auto"),
    (lambda im: im.set_filterrad("abc"), ValueError, "filterrad='abc': the filter radius must be a number above zero"),
    (lambda im: im.set_resample(np.zeros(2)), TypeError, "resample is True or False, not an ndarray"),
])
def test_a_refused_change_leaves_the_picture_as_it_was(X, change, error, message):
    """Limits were half set, no draw succeeded after the extents, and messages were about float() and items."""
    im = gpuplot.imshow(X, ax=axes_of(), vmin=0.2)
    before = pixels(im.figure)
    with pytest.raises(error, match=message):
        change(im)
    np.testing.assert_array_equal(pixels(im.figure), before)


def test_resample_and_filternorm_are_truth_values():
    """They failed at the draw, in words about the arguments of matplotlib's resampler; text is true whatever it says."""
    im = gpuplot.imshow(SMALL, ax=axes_of(), resample=1)
    assert im.get_resample() is True
    for change in (im.set_resample, im.set_filternorm):
        with pytest.raises(ValueError, match="='no' is not one of True, False"):
            change("no")
        with pytest.raises(TypeError, match="is True or False, not an ndarray"):
            change(np.zeros(2))
    pixels(im.figure)


def test_a_colorizer_is_one():
    """matplotlib draws as if there were none."""
    pytest.importorskip("matplotlib.colorizer", reason="matplotlib 3.10 and newer")
    ax = axes_of()
    with pytest.raises(TypeError, match="colorizer='magma' must be a matplotlib.colorizer.Colorizer"):
        gpuplot.imshow(SMALL, ax=ax, colorizer="magma")
    assert not ax.images


def test_what_cannot_be_drawn_is_refused_at_the_call():
    """Max of colors and a colorbar of very many classes failed late or in words of something else."""
    fig, axs = plt.subplots(2, 2)
    ax, colors = axs[0, 0], np.zeros((900, 900, 3))
    with pytest.raises(ValueError, match="colors has no meaning"):
        gpuplot.imshow(colors, ax=ax, agg="max")
    with pytest.raises(ValueError, match="colorbar: class numbers from 0 to 4999 are too many"):
        gpuplot.imshow(np.arange(5000)[None], ax=ax, categorical=True, colorbar=True)
    assert not ax.images and len(fig.axes) == 4
    im = gpuplot.imshow(colors, ax=ax)
    with pytest.raises(ValueError, match="colors has no meaning"):
        im.set_agg("max")
    numbers = gpuplot.imshow(SMALL, ax=ax, agg="max")
    with pytest.raises(ValueError, match="colors has no meaning"):
        numbers.set_data(colors)
    fig.canvas.draw()
    np.testing.assert_array_equal(numbers.get_array(), SMALL)
    plt.close(fig)


@BOTH
def test_factors_of_alpha_give_way_to_a_number(X):
    """set_alpha(None) raised ValueError after an array of factors, so that data of another shape could never be shown."""
    im = gpuplot.imshow(X, ax=axes_of(100), alpha=np.full(X.shape, 0.5))
    with pytest.raises(ValueError):
        im.set_alpha(2)
    assert np.ndim(im.get_alpha()) == 2
    for alpha in (0.5, np.full(X.shape, 0.5), None):
        im.set_alpha(alpha)
        assert im.stale and np.array_equal(im.get_alpha(), alpha)
        im.figure.canvas.draw()


def test_an_image_that_was_removed_and_added_again_says_what_it_needs():
    """Drawing such an image of a large array failed with "'NoneType' object has no attribute 'size'"."""
    ax = axes_of(100)
    im = gpuplot.imshow(LARGE, ax=ax)
    im.remove()
    ax.add_image(im)
    with pytest.raises(RuntimeError, match="call set_data first"):
        ax.figure.canvas.draw()
    im.set_data(LARGE)
    assert pixels(ax.figure).std() > 0


def test_bool_through_every_norm_of_scales():
    """Regression: matplotlib 3.9's SymLogNorm finds no limits among bool. (Nor does it when such an image is drawn.)"""
    X = np.eye(4, dtype=bool)
    for norm in ("symlog", "asinh", "cbrt", "linear"):
        figure, axes = plt.subplots()
        im = gpuplot.imshow(X, norm=norm, ax=axes)
        assert im.get_clim() == (0, 1)
        np.testing.assert_array_equal(gpuplot.to_rgba(X, norm=norm), gpuplot.to_rgba(X.astype(np.uint8), norm=norm))
        plt.close(figure)


def test_small_planes_of_dtypes_that_numpy_does_not_have():
    """ml_dtypes calls some of its floats floats: matplotlib would take them, and round to them what it computes."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    values = np.linspace(-2, 2, 30, dtype=np.float32).reshape(5, 6)
    for name in ("float8_e5m2", "bfloat16"):
        X = values.astype(getattr(ml_dtypes, name))
        ours, want = (gpuplot.imshow(array, ax=axes_of()) for array in (X, X.astype(np.float32)))
        assert ours.plane.dtype == name and ours.get_array().dtype == np.float32
        np.testing.assert_array_equal(pixels(ours.figure), pixels(want.figure))


@pytest.mark.host("SciPy")
def test_a_sparse_array_that_is_a_dict_is_no_dict_of_properties():
    """Its elements were taken for properties of the artist."""
    sparse = pytest.importorskip("scipy.sparse")
    im = gpuplot.imshow(np.ones((3, 4)), ax=axes_of(50))
    im.update(sparse.dok_array(np.eye(3, 4)))
    np.testing.assert_array_equal(im.get_array(), np.eye(3, 4))
    im.update({"alpha": 0.5})
    assert im.get_alpha() == 0.5
