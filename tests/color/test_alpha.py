"""`alpha` of producers: read as any tensor is, or refused in our words."""

import numpy as np
import pytest
from capsules import Producer
from figures import axes_of, pixels
from on_device import there

import gpuplot
from gpuplot import _native
from gpuplot.color.alpha import check_alpha, host_alpha

X = np.arange(6, dtype="f4").reshape(2, 3)
ALPHA = np.float32([[0, 0.25, 0.5], [1, 0.75, 0.125]])


class Speaking:
    """An object that has nothing but an array interface."""

    __array_interface__ = ALPHA.__array_interface__


class Lying(np.ndarray):
    """An array that says that it has another shape."""

    shape, ndim = (1, 1), 17


class Raising:
    """An object whose conversion fails with an error of its own."""

    def __array__(self, dtype=None, copy=None):
        raise ZeroDivisionError("of the producer")


PRODUCERS = {"dlpack": Producer(ALPHA.ravel(), ALPHA.shape), "speaking": Speaking(), "lying": ALPHA.view(Lying),
             "swapped": ALPHA.astype(">f8")}


@pytest.mark.parametrize("alpha", PRODUCERS.values(), ids=PRODUCERS)
def test_producers_are_read(alpha):
    """What has neither `ndim` nor `__array__`, what lies about its shape, and bytes that matplotlib cannot resample."""
    expected = gpuplot.to_rgba(X, alpha=ALPHA)
    assert np.array_equal(gpuplot.to_rgba(X, alpha=alpha), expected)
    im = gpuplot.imshow(X, ax=axes_of(100), alpha=alpha)
    im.figure.canvas.draw()
    assert np.array_equal(im.get_alpha(), ALPHA)
    im.set_alpha(0.5)
    im.set_alpha(alpha)
    im.figure.canvas.draw()
    assert np.array_equal(im.get_alpha(), ALPHA)


def test_an_array_stays_the_callers_own():
    """The artist sees later changes of it."""
    assert host_alpha(ALPHA) is ALPHA and host_alpha(np.float32(0.5)) == 0.5 and host_alpha(None) is None


@pytest.mark.parametrize("dtype", ["bool", "int32", "uint64", "float16", "longdouble"])
def test_dtypes_that_matplotlib_does_not_resample(dtype):
    """A picture of many elements was drawn, and zooming into it raised "arrays must be of dtype byte, short, float32 or float64"."""
    alpha = (np.indices((200, 300)).sum(0) % 2).astype(dtype)
    images = [gpuplot.imshow(np.zeros((200, 300)), ax=axes_of(100), alpha=one) for one in (alpha, alpha.astype(float))]
    for limits in ((0, 200), (3, 9)):
        for image in images:
            image.axes.set(xlim=limits, ylim=limits)
        assert np.array_equal(*(pixels(image.figure) for image in images))
    images[0].set_alpha(alpha)
    assert np.array_equal(*(pixels(image.figure) for image in images))


def test_masked_opacities_are_transparent_as_in_a_picture_without_a_figure():
    """matplotlib's resampling ignores the mask."""
    for values in (np.ones((2, 3)), np.ones((2, 3), int)):
        masked = np.ma.array(values, mask=[[True, False, False], [False, False, False]])
        assert host_alpha(masked).tolist() == [[0, 1, 1], [1, 1, 1]]
        assert gpuplot.to_rgba(np.zeros((2, 3)), alpha=masked)[..., 3].tolist() == [[0, 255, 255], [255, 255, 255]]
    unmasked = np.ma.array(ALPHA)
    assert host_alpha(unmasked) is unmasked


def test_opacities_that_are_nan_are_transparent_as_in_a_picture_without_a_figure():
    """matplotlib refuses them: "alpha must be between 0 and 1, inclusive, but min is nan"."""
    alpha = np.array([[0.5, np.nan], [1, 0.25]])
    im = gpuplot.imshow(np.zeros((2, 2)), ax=axes_of(2), alpha=alpha)
    assert im.get_alpha().tolist() == [[0.5, 0], [1, 0.25]] and np.isnan(alpha[0, 1])
    assert (pixels(im.figure)[0, 1] == 255).all()  # the background
    im.set_alpha(alpha[::-1])
    assert (pixels(im.figure)[1, 1] == 255).all()
    assert gpuplot.to_rgba(np.zeros((2, 2)), alpha=alpha)[0, 1].tolist()[3] == 0


@pytest.mark.parametrize("draw", [
    lambda alpha: gpuplot.to_rgba(X, alpha=alpha), lambda alpha: gpuplot.imshow(X, ax=axes_of(100), alpha=alpha),
    lambda alpha: gpuplot.imshow(X, ax=axes_of(100)).set_alpha(alpha)], ids=["to_rgba", "imshow", "set_alpha"])
def test_what_is_no_opacity_is_refused_in_our_words(draw):
    with pytest.raises(TypeError, match="alpha must be numeric or None, not Raising: .*of the producer"):
        draw(Raising())
    with pytest.raises(TypeError, match="alpha must be real, not complex64"):
        draw(ALPHA.astype("c8"))


def test_opacities_on_a_device_are_reduced_there(emulated):
    """Only those of pixels come to the host: the array of all stays where it is."""
    alpha = np.random.default_rng(0).random((600, 800), dtype="f4")
    X = np.arange(alpha.size, dtype="f4").reshape(alpha.shape)
    expected = gpuplot.to_rgba(X, (6, 8), alpha=alpha, agg="nearest")
    on_device = there(alpha), there(X)
    before = _native.cuda_counts(0)["bytes_to_host"]
    got = gpuplot.to_rgba(on_device[1], (6, 8), alpha=on_device[0], agg="nearest")
    assert _native.cuda_counts(0)["bytes_to_host"] - before < alpha.nbytes / 4
    assert np.array_equal(got, expected)


@pytest.mark.parametrize("wrong", [np.inf, -np.inf])
def test_infinite_opacities_are_outside_the_range(wrong):
    with pytest.raises(ValueError, match="alpha has infinities, which are outside 0-1 range"):
        check_alpha(np.array([[0.5, wrong, np.nan]]), (1, 3))
