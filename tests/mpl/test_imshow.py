"""`imshow`: its inputs, small arrays as in matplotlib, and colors, complex numbers and planes of N-D tensors."""

import logging
import pickle
import warnings

import matplotlib.pyplot as plt
import numpy as np
import PIL.Image
import pytest
from figures import axes_of, counted, made, pixels
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import gpuplot

SMALL = np.random.default_rng(0).random((20, 30))


class Exporter:
    """Hands an array out through DLPack and in no other way."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0)])
def test_an_empty_plane_is_told_once_at_the_callers_line(shape):
    ax = plt.figure().subplots()
    with pytest.warns(UserWarning) as told:
        gpuplot.imshow(np.zeros(shape), ax=ax)
    assert [one.filename for one in told] == [__file__]
    assert str(told[0].message).startswith(f"there is nothing to show, the plane has {shape[0]} x {shape[1]} elements: Attempting to set")
    plt.close(ax.figure)


def same_as_matplotlib(X, **keywords):
    drawn = []
    for imshow in (lambda ax: ax.imshow(X, **keywords), lambda ax: gpuplot.imshow(X, ax=ax, **keywords)):
        ax = axes_of(120)
        imshow(ax)
        drawn.append(pixels(ax.figure))
    np.testing.assert_array_equal(drawn[1], drawn[0])


with warnings.catch_warnings():  # NumPy says that the class will go; people have some all the same
    warnings.simplefilter("ignore", PendingDeprecationWarning)
    MATRIX = np.matrix(SMALL)

@pytest.mark.parametrize("X", [
    [[1, 2], [3, 4]], ((1.5,), (2,)), SMALL.astype("f2"), SMALL > 0.5, SMALL.astype(">f8"), SMALL[:, :, None],
    np.ma.masked_less(SMALL, 0.3), MATRIX, PIL.Image.fromarray((SMALL * 255).astype("u1")),
    PIL.Image.fromarray((SMALL * 255).astype("u1")).convert("P"), PIL.Image.fromarray((SMALL * 60000).astype("u2")),
    (SMALL * 255).astype("u1")[..., None].repeat(3, 2), SMALL[..., None].repeat(4, 2), (SMALL * 200).astype("i4")[..., None].repeat(3, 2),
    np.where(SMALL > 0.9, np.nan, SMALL), np.array([[1e12, 1], [2, 3]]).astype("u8"), SMALL[::-2, ::3], SMALL.T,
], ids=lambda X: type(X).__name__)
def test_small_inputs_of_every_kind_look_as_in_matplotlib(X):
    same_as_matplotlib(X)


def test_long_double_warns_as_matplotlib_does():
    with pytest.warns(UserWarning, match="Casting input data from"):
        made(gpuplot.imshow(SMALL.astype(np.longdouble), ax=axes_of(120), interpolation_stage="data"))


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0)])
def test_an_empty_plane_of_another_library_is_an_empty_image(shape):
    """It raised IndexError: the native plane of no elements is 0 x 0."""
    with pytest.warns(UserWarning, match="identical"):  # limits of an Axes, as from matplotlib
        im = gpuplot.imshow(Exporter(np.zeros(shape)), ax=axes_of())
    assert im.get_array().shape == shape
    im.axes.figure.canvas.draw()


@pytest.mark.parametrize("dtype", ["u1", "i4", ">f4", "f8"])
@pytest.mark.parametrize("shape", [(0, 5, 3), (5, 0, 4), (0, 3, 4)])
def test_an_empty_array_of_colors_is_an_empty_image(shape, dtype):
    """matplotlib looks for the smallest color of none, and NumPy's words about that were the error."""
    with pytest.warns(UserWarning, match="identical"):
        im = gpuplot.imshow(np.zeros(shape, dtype), ax=axes_of())
    assert im.get_array().shape == shape
    im.axes.figure.canvas.draw()


@pytest.mark.parametrize("shape", [
    (40, 60, 1), pytest.param((1100, 1000, 1), marks=pytest.mark.host("of a large array on a device the image holds cells alone"))])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2"])
def test_one_channel_is_a_plane_whatever_its_numbers(shape, dtype):
    """Those beyond 0..1 were clipped as colors are, and the error spoke of three or four channels."""
    X = np.linspace(-300, 3000, shape[0] * shape[1]).reshape(shape).astype(dtype)
    im = gpuplot.imshow(X, ax=axes_of())
    np.testing.assert_array_equal(np.squeeze(im.get_array()), X[..., 0])
    im.axes.figure.canvas.draw()
    assert im.get_clim() == (-300, 3000)


def test_names_in_data():
    im = gpuplot.imshow("r", data={"r": SMALL}, ax=axes_of())
    np.testing.assert_array_equal(im.get_array(), SMALL)


@pytest.mark.parametrize("X", [np.array([[1, None]], object), np.array([["a"]]), np.array([["2020-01-01"]], "M8[D]"), "r"])
def test_what_is_no_number_is_refused_in_matplotlibs_words(X):
    ax = axes_of()
    with pytest.raises(TypeError, match="Image data of dtype .* cannot be converted to float|cannot be read"):
        gpuplot.imshow(X, ax=ax)
    assert not ax.images


@pytest.mark.parametrize("shape", [(10, 10, 2), (10, 10, 5)])
def test_a_last_axis_that_is_no_channels(shape):
    with pytest.raises(TypeError, match="Invalid shape"):
        gpuplot.imshow(np.zeros(shape), ax=axes_of())
    gpuplot.imshow(np.zeros(shape), ax=axes_of(), x=1, y=0)


def test_axes_of_a_tensor_and_another_index():
    acts = np.random.default_rng(0).random((3, 4, 1100, 1000)).astype("f4")
    im = gpuplot.imshow(acts, ax=axes_of(100, 110), x=3, y=2, index={0: 1}, reduce={1: "mean"}, aspect="auto")
    assert im.hidden_text == "index {0: 1}, mean over axis 1" and "index {0: 1}" in repr(im)
    cells = gpuplot.downsample(acts[1].astype("f8").mean(0), (110, 100))
    want = im.cmap(im.norm(cells), bytes=True).astype(int)
    assert abs(made(im) - want).max() <= 2
    limits = im.get_clim()
    with counted() as calls:
        im.set_index({0: 2})
        made(im)
    assert len(calls) == 1 and im.hidden_text.startswith("index {0: 2}") and im.get_clim() == limits
    with pytest.raises(IndexError):
        im.set_index({0: 7})
    assert im.hidden_text.startswith("index {0: 2}")


@pytest.mark.parametrize("mode", ["amplitude_phase", "log10_amplitude_phase"])
def test_hues_of_small_planes_that_are_reduced_over_hidden_axes(mode):
    """Amplitudes alone were copied, and the draw ended in a TypeError about cells that are not there."""
    z = np.exp(1j * np.arange(3 * 40 * 40).reshape(3, 40, 40) / 300) * np.linspace(1, 5, 40)
    im = gpuplot.imshow(z, ax=axes_of(40), reduce={0: "mean"}, complex_mode=mode, aspect="auto")
    want = gpuplot.to_rgba(z, (40, 40), reduce={0: "mean"}, complex_mode=mode).astype(int)
    assert abs(made(im) - want).max() <= 2
    twin = pickle.loads(pickle.dumps(im.axes.figure))
    FigureCanvasAgg(twin)
    assert abs(made(twin.axes[0].images[0]) - want).max() <= 2


def test_set_index_of_small_planes():
    stack = np.stack([SMALL, SMALL + 1, SMALL + 2])
    im = gpuplot.imshow(stack, ax=axes_of(), rgb=False, index={0: 1})
    np.testing.assert_array_equal(im.get_array(), stack[1])
    im.set_index({0: 2})
    np.testing.assert_array_equal(im.get_array(), stack[2])


@pytest.mark.parametrize("mode", ["amplitude", "square_amplitude", "real", "imaginary", "phase", "amplitude_phase",
                                  "log10_amplitude_phase"])
@pytest.mark.parametrize("n", [40, 1100])
def test_complex_modes(mode, n):
    z = np.exp(1j * np.arange(n * n).reshape(n, n) / 300) * np.linspace(1, 5, n)
    im = gpuplot.imshow(z, ax=axes_of(n if n < 100 else 100), complex_mode=mode, aspect="auto")
    shape = (n, n) if n < 100 else (100, 100)
    want = gpuplot.to_rgba(z, shape, complex_mode=mode).astype(int)
    assert abs(made(im) - want).max() <= 3


@pytest.mark.parametrize("mode", ["amplitude", "phase", "amplitude_phase", "imaginary"])
@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_small_complex_tensors_that_are_no_arrays(mode, dtype):
    """Small complex planes of torch and of other DLPack producers raised TypeError instead of being copied."""
    z = (np.exp(1j * np.arange(1200).reshape(30, 40) / 30) * np.linspace(1, 5, 40)).astype(dtype)
    z[3, 4], z[5, 6] = complex(np.nan, 1), complex(0, -np.inf)
    drawn = []
    for X in (z, Exporter(z)):
        im = gpuplot.imshow(X, ax=axes_of(120), complex_mode=mode)
        drawn.append(pixels(im.figure))
    np.testing.assert_array_equal(drawn[1], drawn[0])


@pytest.mark.parametrize("dtype", ["f4", "f2", "u1"])
@pytest.mark.parametrize("n", [40, 1100])
def test_channels_first_and_denorm(dtype, n):
    values = np.random.default_rng(0).random((3, n, n))
    X = (values * 255).astype("u1") if dtype == "u1" else values.astype(dtype)
    shape = (min(n, 100),) * 2
    for denorm in (None, "symmetric"):
        if denorm is None or dtype != "u1":
            im = gpuplot.imshow(X, ax=axes_of(shape[0]), denorm=denorm)
            assert abs(made(im).astype(int) - gpuplot.to_rgba(X, shape, denorm=denorm)).max() <= 1


@pytest.mark.parametrize("shape", [(30, 40), (2, 3, 30, 40)], ids=["plane", "stack"])
def test_denorm_of_what_is_shown_without_colors_is_refused(shape):
    """It was left out without a word, and the first channel drawn as numbers."""
    X = np.zeros(shape, "f4")
    with pytest.raises(ValueError, match="has none: give rgb=True"):
        gpuplot.imshow(X, ax=axes_of(100), denorm="imagenet")
    if len(shape) == 4:
        im = gpuplot.imshow(X, ax=axes_of(100), denorm="imagenet", rgb=True)
        assert im.plane.is_rgb


@pytest.mark.host("matplotlib's log is for arrays")
def test_colors_outside_their_range_are_logged_for_arrays_and_warned_about_for_tensors(caplog):
    torch = pytest.importorskip("torch")
    for n in (20, 1100):
        X = np.linspace(-1, 2, n * n * 3).reshape(n, n, 3)
        caplog.clear()
        with caplog.at_level(logging.WARNING, "matplotlib.image"), warnings.catch_warnings():
            warnings.simplefilter("error")
            made(gpuplot.imshow(X, ax=axes_of(50)))
        assert len(caplog.records) == 1 and "Clipping input data" in caplog.text
        for values in (torch.tensor(X), np.moveaxis(X, 2, 0)):  # matplotlib refuses channels that come first
            with pytest.warns(gpuplot.GpuplotWarning, match="are clipped.*denorm="):
                made(gpuplot.imshow(values, ax=axes_of(50)))
        assert len(caplog.records) == 1


@pytest.mark.host("an array is one of floats there, too, but not matplotlib's")
@pytest.mark.parametrize("n", [20, 900, 1100])
def test_an_image_of_floats_up_to_255_is_told_to_divide_once(n, caplog):
    X = np.linspace(0, 255, n * n * 3).reshape(n, n, 3)
    with caplog.at_level(logging.WARNING, "matplotlib.image"), pytest.warns(gpuplot.GpuplotWarning) as warned:
        im = gpuplot.imshow(X, ax=axes_of(50))
        made(im)
        im.figure.canvas.draw()
    assert [str(one.message).partition(". ")[2] for one in warned] == ["Divide by 255, or convert them to uint8"]
    assert not caplog.records


@pytest.mark.parametrize("mistake", [{"alpha": [1, 2]}, {"center": "zero"}, {"robust": 99}, {"colorbar": {"nope": 1}}], ids=str)
@pytest.mark.parametrize("is_large", [False, True], ids=["small", "large"])
def test_axes_are_as_before_an_image_that_cannot_be_drawn(mistake, is_large):
    """Its aspect, its limits and their direction stayed; those of a line that are not found yet are found later."""
    X = np.zeros((1200, 1100) if is_large else (2, 3))
    for before in ([], [3.0, 5.0, 4.0]):
        left, right = Figure().subplots(1, 2, sharey=True), Figure().subplots(1, 2, sharey=True)
        for ax in (left[0], right[0]):
            ax.plot(before)
        with pytest.raises((TypeError, ValueError)):
            gpuplot.imshow(X, ax=left[0], **mistake)
        for ax, other in zip(left, right, strict=True):
            assert (ax.get_xlim(), ax.get_ylim(), ax.get_aspect()) == (other.get_xlim(), other.get_ylim(), other.get_aspect())
            assert ax.get_position().bounds == other.get_position().bounds and not ax.images and ax.get_autoscale_on()


@pytest.mark.parametrize("dtype", ["uint16", "int32", "int64", "int8", "uint8", "float32"])
def test_denorm_is_of_the_numbers_that_are_there(dtype):
    """Integers were clipped to 0..255 first, as matplotlib clips colors: the picture had one color."""
    first, last = {"int8": (-100, 100), "uint8": (0, 200)}.get(dtype, (-500 if dtype.startswith("int") else 0, 3000))
    X = np.linspace(first, last, 40 * 60 * 3).reshape(40, 60, 3).astype(dtype)
    fig = plt.figure(figsize=(0.6, 0.4), dpi=100)
    ax = fig.add_axes((0, 0, 1, 1))
    gpuplot.imshow(X, denorm="minmax", ax=ax, aspect="auto")
    ax.axis("off")
    fig.canvas.draw()
    np.testing.assert_array_equal(np.asarray(fig.canvas.buffer_rgba()), gpuplot.to_rgba(X, denorm="minmax"))


@pytest.mark.host("tensors of other memory have no copy of matplotlib's")
@pytest.mark.parametrize("dtype", ["int16", "uint16", "int64", "float32"])
def test_colors_of_small_arrays_are_averaged_before_they_are_clipped(dtype):
    """Integers were clipped first: the same array had other pixels where it was large, or a tensor of torch."""
    X = np.zeros((8, 8, 3), dtype)
    X[:, ::2] = 1.2 if dtype == "float32" else 300
    fig = plt.figure(figsize=(0.04, 0.04), dpi=100)
    ax = fig.add_axes((0, 0, 1, 1))
    im = gpuplot.imshow(X, ax=ax, aspect="auto")
    ax.axis("off")
    fig.canvas.draw()
    np.testing.assert_array_equal(np.asarray(fig.canvas.buffer_rgba()), gpuplot.to_rgba(X, (4, 4)))
    np.testing.assert_array_equal(im.get_array(), np.clip(X, 0, 1 if dtype == "float32" else 255))


@pytest.mark.parametrize("shape", [(20, 30, 3), (700, 800, 4)])
@pytest.mark.parametrize("limits", [{"vmin": 3, "vmax": 1}, {"norm": "log", "vmin": -1}, {"norm": "log", "vmin": -1, "vmax": 0}])
def test_colors_ignore_limits_that_no_norm_could_use(shape, limits):
    """These were errors, two of them matplotlib's about the shape of its input."""
    X = np.random.default_rng(0).random(shape)
    with pytest.warns(gpuplot.GpuplotWarning, match="colors are shown as they are and have no limits"):
        im = gpuplot.imshow(X, ax=axes_of(), **limits)
    np.testing.assert_array_equal(made(im), made(gpuplot.imshow(X, ax=axes_of())))


def test_a_log_norm_of_colors_changes_nothing():
    """matplotlib refuses it: "Input values must have shape (N, 1) or (1,)"."""
    X = np.random.default_rng(0).random((20, 30, 3))
    np.testing.assert_array_equal(made(gpuplot.imshow(X, norm="log", ax=axes_of())), made(gpuplot.imshow(X, ax=axes_of())))
