"""Grids of classes: each number has its color in all images, and one colorbar names those that occur."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest
from grids import image_of, pointed_at

import gpuplot

NAMES = ["ground", "road", "car", "tree", "person"]


def masks(n=4, shape=(24, 30), first=0, last=4, dtype="uint8", seed=0):
    return np.random.default_rng(seed).integers(first, last + 1, (n, *shape)).astype(dtype)


def entries(image):
    return [text.get_text() for text in image.colorbar.ax.get_yticklabels()]


@pytest.mark.parametrize("width", [None, 40])
def test_a_class_has_the_color_that_it_has_in_one_image(width, tmp_path):
    """Of all elements and, with fewer pixels, of the nearest ones."""
    x = masks()
    x[1][x[1] == 3] = 0  # one image without a class of the others
    size = {} if width is None else {"width": width}
    gpuplot.imsave(tmp_path / "grid.png", x, grid={"nrow": 1, "padding": 0}, categorical=True, **size)
    gpuplot.imsave(tmp_path / "one.png", x.reshape(-1, 30), categorical=True, **size)
    np.testing.assert_array_equal(plt.imread(tmp_path / "grid.png"), plt.imread(tmp_path / "one.png"))
    single = plt.imread(tmp_path / "one.png")
    assert len(np.unique(single.reshape(-1, single.shape[-1]), axis=0)) == 5


def test_the_colorbar_names_the_classes_of_all_images():
    x = [masks(1, last=1)[0], masks(1, first=3, last=4)[0]]
    image = image_of(gpuplot.grid(x, categorical=True, colorbar=True, labels=NAMES))
    assert entries(image) == ["ground", "road", "tree", "person"]
    image.set_data([x[0], masks(1, first=1, last=2)[0]])
    image.figure.canvas.draw()
    assert entries(image) == ["ground", "road", "car"]


def test_no_class_is_empty_and_was_looked_for_in_all_images():
    """255 is no class where others are; in an image of 255 alone that is seen only beside the others."""
    x = masks()
    x[2] = 255
    image = image_of(gpuplot.grid(x, nrow=2, padding=2, categorical=True, colorbar=True))
    assert entries(image) == list("01234")
    np.testing.assert_array_equal(image.cmap(image.norm([255.0]))[0], (0, 0, 0, 0))
    image = image_of(gpuplot.grid(x, categorical=True, ignore_index=(), colorbar=True))
    assert entries(image)[-1] == "255"


def test_integers_of_several_dtypes():
    x = {"a": masks(1)[0], "b": masks(1, dtype="int64", last=9)[0], "c": masks(1, (10, 10), last=1)[0].astype(bool)}
    image = image_of(gpuplot.grid(x, categorical=True, colorbar=True))
    assert entries(image) == list("0123456789") and image.plane.dtype == "int64"


def test_no_axis_is_one_of_colors_unless_it_is_said():
    x = masks(6).reshape(2, 3, 24, 30)
    assert len(image_of(gpuplot.grid(x, categorical=True)).plane.spec.images) == 6
    image = image_of(gpuplot.grid(x, categorical=True, rgb=1))
    assert image.plane.is_rgb and len(image.plane.spec.images) == 2


def test_the_pointer_tells_the_name_of_a_class():
    x = masks()
    image = image_of(gpuplot.grid(x, nrow=4, categorical=True, labels=NAMES))
    said = pointed_at(image, 2 + 32 + 5, 2 + 7)
    assert NAMES[x[1, 7, 5]] in said and said.endswith("at [1, 7, 5]")


def test_an_aggregation_that_mixes_classes_shows_numbers():
    image = image_of(gpuplot.grid(masks(), categorical=True, agg="mean", vmin=0, vmax=4))
    assert image.agg == "mean" and image.get_clim() == (0, 4)


def test_classes_of_chunks():
    dask = pytest.importorskip("dask.array")
    x = masks()
    image = image_of(gpuplot.grid(dask.from_array(x, chunks=(1, 12, 30)), categorical=True, colorbar=True))
    assert entries(image) == list("01234")


@pytest.mark.parametrize(("keywords", "said"), [
    ({"normalize": True}, "normalize: classes have a color each and no range"),
    ({"scale_each": True}, "scale_each: classes have a color each and no range"),
    ({"norm": "log"}, "norm: classes have a color each and no scale"), ({"vmax": 3}, "vmax: classes have a color each"),
    ({"categorical": None, "ignore_index": 0}, "ignore_index=0 is about class numbers")])
def test_keywords_that_classes_do_not_have(keywords, said):
    with pytest.raises(ValueError, match=said):
        gpuplot.grid(masks(), **{"categorical": True} | keywords)
    assert plt.get_fignums() == []


def test_floats_are_no_classes():
    with pytest.raises(ValueError, match="needs class numbers of an integer dtype, not float32"):
        gpuplot.grid(masks().astype("float32"), categorical=True)


def test_names_of_classes_beside_one_row_of_images_are_legible():
    """They were 4 points high and lay upon each other, as the colorbar was as high as the images."""
    images = np.arange(8 * 50 * 50).reshape(8, 50, 50) % 21
    figure = gpuplot.grid(images, categorical=True, colorbar=True)
    figure.canvas.draw()
    names = [label for label in figure.axes[1].get_yticklabels() if label.get_text()]
    boxes = [label.get_window_extent() for label in names]
    assert len(names) == 21 and names[0].get_size() >= 7
    assert all(abs(one.y0 - other.y0) >= 0.8 * one.height for one, other in itertools.pairwise(boxes))
    few = gpuplot.grid(images % 3, categorical=True, colorbar=True)
    assert few.get_figheight() < figure.get_figheight()
