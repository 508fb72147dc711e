"""`compare` of class numbers: the colors of their classes, where they differ, and what is left out."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import gpuplot
from gpuplot.mpl.compared_classes import DIFFERENT, EQUAL

rng = np.random.default_rng(3)


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def maps(shape=(40, 50)):
    truth = rng.integers(0, 5, shape).astype("uint8")
    prediction = truth.astype("int64")
    prediction[3:9, 4:20] += 1
    truth[5, :10] = 255
    return prediction, truth


def drawn(image):
    """The pixels of an image at one pixel for each element."""
    return image.cmap(image.norm(image.get_array()), bytes=True)


def test_elements_of_another_class_are_counted_without_ignored_ones():
    prediction, truth = maps()
    found = gpuplot.compare(prediction, truth, categorical=True).comparison
    assert (found.n_beyond, found.masked, found.numel) == (6 * 16 - 6, 10, 2000)
    assert str(found) == "90 of 1\u202f990 elements have another class (4.52 %) \u00b7 masked, or no class, 10 of 2\u202f000"
    assert gpuplot.compare(prediction, truth, categorical=True, ignore_index=()).comparison.n_beyond == 100
    assert gpuplot.compare(prediction, truth, categorical=True, ignore_index=(0, 255)).comparison.masked > 100
    assert "same class" in str(gpuplot.compare(truth, truth, categorical=True).comparison)


def test_classes_have_their_colors_and_differences_one():
    prediction, truth = maps()
    figure = gpuplot.compare(prediction, truth, categorical=True, labels=["a", "b"])
    first, second, places = (ax.images[0] for ax in figure.axes[:3])
    alone = gpuplot.imshow(prediction, categorical=True, ax=plt.figure().subplots())
    np.testing.assert_array_equal(drawn(first), drawn(alone))
    assert (drawn(second)[5, :10, 3] == 0).all() and figure.axes[2].get_title() == "a \u2260 b"
    is_left_out = np.ma.getmaskarray(np.ma.masked_equal(truth, 255))
    want = np.where(prediction != truth, DIFFERENT, EQUAL)
    want = np.array([[plt.matplotlib.colors.to_rgba_array(color)[0] for color in row] for row in want])
    want[is_left_out] = 0
    np.testing.assert_array_equal(drawn(places), np.round(want * 255))
    assert [text.get_text() for text in figure.axes[3].get_yticklabels()][:3] == ["a", "b", "2"]


def test_one_wrong_element_of_many_is_seen():
    truth = np.zeros((3000, 2000), "int16")
    prediction = truth.copy()
    prediction[1234, 567] = -3
    figure = gpuplot.compare(prediction, truth, categorical=True)
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())
    assert (abs(pixels[..., :3].astype(int) - (214, 39, 40)).max(-1) < 3).any()
    assert figure.comparison.n_beyond == 1


def test_arrays_in_chunks():
    dask = pytest.importorskip("dask.array")
    prediction, truth = maps()
    figure = gpuplot.compare(dask.from_array(prediction, chunks=15), dask.from_array(truth, chunks=15), categorical=True)
    assert (figure.comparison.n_beyond, figure.comparison.masked) == (90, 10)
    alone = gpuplot.compare(prediction, truth, categorical=True)
    pictures = [one.axes[2].images[0] for one in (figure, alone)]
    np.testing.assert_array_equal(*map(drawn, pictures))


def test_classes_that_are_far_apart_have_no_colorbar():
    far = rng.permutation(np.arange(10_000) * 10**6).reshape(100, 100)
    assert len(gpuplot.compare(far, far + 1, categorical=True).axes) == 3


@pytest.mark.parametrize("options, said", [
    ({"rtol": 1}, "equal or not"), ({"cmap": "gray"}, "one color each"), ({"vmax": 3}, "no scale"),
    ({"agg": "mean"}, "mixes class numbers"), ({"categorical": None, "ignore_index": 3}, "give categorical=True")], ids=str)
def test_keywords_of_numbers_are_refused(options, said):
    with pytest.raises(ValueError, match=said):
        gpuplot.compare(*maps(), **{"categorical": True} | options)


def test_floats_are_no_classes():
    with pytest.raises(ValueError, match="integer dtype"):
        gpuplot.compare(np.ones((3, 4)), np.ones((3, 4), int), categorical=True)
