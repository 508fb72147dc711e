"""What a figure of `grid` says: titles, the pointer, what is left out, coordinates; and its size."""

import itertools

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figures import axes_of, pixels
from grids import image_of, noise, pointed_at, saved

import gpuplot


def test_the_pointer_tells_an_element_and_its_index():
    x = np.arange(5 * 20 * 30).reshape(5, 1, 20, 30)
    image = image_of(gpuplot.grid(x, nrow=3))
    row, col = 22 + 2 + 7, 32 + 2 + 9  # row 7, column 9 of image 4
    assert pointed_at(image, col, row) == f"[{x[4, 0, 7, 9]}.] at [4, 0, 7, 9]"
    assert pointed_at(image, 1, 1) is None and pointed_at(image, 64 + 2 + 4, 40) is None
    listed = image_of(gpuplot.grid({"a": noise((6, 7)), "b": noise((2, 6, 7))}))
    assert pointed_at(listed, 2 + 2 * 9 + 3, 2 + 4).endswith(" at b[1, 4, 3]")


def test_the_pointer_tells_the_elements_behind_a_pixel():
    x = noise((4, 300, 300))
    image = image_of(gpuplot.grid(x, ax=plt.figure(figsize=(2, 2)).add_subplot(), nrow=2))
    said = pointed_at(image, 302 + 2 + 150, 150)
    assert said.startswith("[mean ")
    assert "[1], rows 1" in said and "n=" in said and "max" in said


def test_what_is_left_out_is_said():
    figure = gpuplot.grid(noise((70, 6, 6)))
    assert figure.axes[0].get_xlabel() == "showing 64 of 70"
    assert gpuplot.grid(noise((64, 6, 6))).axes[0].get_xlabel() == ""
    assert image_of(gpuplot.grid(noise((70, 6, 6)), max_items=3)).get_array().shape == (10, 26)


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_titles():
    x = noise((4, 6, 6))
    assert texts(gpuplot.grid(x)) == []
    assert texts(gpuplot.grid(x, titles=["a", 2, "c", "d"])) == ["a", "2", "c", "d"]
    assert texts(gpuplot.grid(x, titles=["a", 2, "c", "d"], max_items=2)) == ["a", "2"]
    assert texts(gpuplot.grid({"w": x[0], "v": x[:2]})) == ["w", "v [0]", "v [1]"]
    with pytest.raises(ValueError, match="3 titles for 4 images"):
        gpuplot.grid(x, titles=["a", "b", "c"])


@pytest.mark.host("xarray holds host arrays")
def test_titles_are_coordinates_of_the_images():
    xr = pytest.importorskip("xarray", reason="pip install xarray")
    x = xr.DataArray(noise((2, 2, 6, 6)), dims=("time", "level", "y", "x"))
    assert texts(gpuplot.grid(x)) == []
    dated = x.assign_coords(time=np.array(["2026-01-01", "2026-02-01"], "M8[ns]"))
    assert texts(gpuplot.grid(dated, max_items=3)) == [
        "time = 2026-01-01, level = 0", "time = 2026-01-01, level = 1", "time = 2026-02-01, level = 0"]
    assert texts(gpuplot.grid(dated.isel(level=0).chunk(1), rgb=False)) == ["time = 2026-01-01", "time = 2026-02-01"]
    assert texts(gpuplot.grid(dated, titles=list("abcd"))) == list("abcd")
    assert texts(gpuplot.grid({"w": dated[0]})) == ["w [0]", "w [1]"]


@pytest.mark.host("xarray holds host arrays")
def test_maps_of_xarray_are_drawn_upwards(tmp_path):
    xr = pytest.importorskip("xarray", reason="pip install xarray")
    values = noise((5, 5, 9))
    maps = xr.DataArray(values, dims=("time", "lat", "lon"), coords={"lat": np.arange(5) * 10.0})
    expected = saved(tmp_path, values[:, ::-1], grid={"nrow": 3})
    np.testing.assert_array_equal(saved(tmp_path, maps, grid={"nrow": 3}), expected)
    np.testing.assert_array_equal(saved(tmp_path, values, grid={"nrow": 3}, origin="lower"), expected)
    np.testing.assert_array_equal(saved(tmp_path, maps, grid={"nrow": 3}, origin="upper"), saved(tmp_path, values, grid={"nrow": 3}))
    upward, plain = (gpuplot.grid(X, nrow=3, titles=["abc"] * 5, ax=axes_of(10 * 35, 10 * 16)) for X in (maps, values[:, ::-1]))
    np.testing.assert_array_equal(pixels(upward), pixels(plain))
    assert pointed_at(image_of(upward), 2 + 11 + 4, 2 + 5 + 2 + 1).endswith(" at [1, 1, 4]")


def test_images_are_drawn_upwards_where_matplotlib_is_told_to(tmp_path):
    """Each image, as by `imshow`; the first one stays at the top."""
    values = noise((5, 5, 9))
    expected = saved(tmp_path, values[:, ::-1], grid={"nrow": 3}), pixels(gpuplot.grid(values[:, ::-1], nrow=3, ax=axes_of(350, 160)))
    with mpl.rc_context({"image.origin": "lower"}):
        np.testing.assert_array_equal(saved(tmp_path, values, grid={"nrow": 3}), expected[0])
        assert (saved(tmp_path, values, grid={"nrow": 3}, origin="upper") != expected[0]).any()
        np.testing.assert_array_equal(pixels(gpuplot.grid(values, nrow=3, ax=axes_of(350, 160))), expected[1])


def test_long_titles_end_with_their_pictures():
    """They ran into those of the next pictures, and out of the last one; their ends, which tell them apart, are kept."""
    titles = [f"a rather long title of number {i}" for i in range(8)]
    figure = gpuplot.grid(np.zeros((8, 20, 20)), nrow=4, titles=titles)
    figure.canvas.draw()
    renderer, (ax, *_) = figure.canvas.get_renderer(), figure.axes
    tile = np.diff(ax.transData.transform([(0, 0), (20, 0)])[:, 0])[0]
    for title, text in zip(ax.texts, titles, strict=True):
        shown = title._cut(text, 0.5 * tile, renderer)
        assert shown[0] == text[0] and shown[-1] == text[-1] and "\u2026" in shown and title._width(shown, renderer) <= 0.5 * tile
        assert title.get_text() == text and title._cut(text, 1.0, renderer) == "" and title._cut("ab", tile, renderer) == "ab"
        calls, width = [], title._width
        title._width = lambda *args, width=width, calls=calls: calls.append(1) or width(*args)
        assert title._cut("x" * 500_000, 0.5 * tile, renderer)[-1] == "x"
        assert len(calls) <= tile
        title._width = width


@pytest.mark.parametrize("is_upward", [False, True])
def test_titles_of_low_pictures_stand_below_them(is_upward):
    """The name of a bias of one row hid it."""
    weights = {"weight": np.zeros((64, 32)), "bias": np.zeros((2, 32)), "last": np.zeros((64, 32))}
    if is_upward:
        xr = pytest.importorskip("xarray", reason="pip install xarray")
        weights = {name: xr.DataArray(array, dims=("lat", "lon"), coords={"lat": np.arange(len(array)) * 10.0})
                   for name, array in weights.items()}
    figure = gpuplot.grid(weights, nrow=3)
    figure.canvas.draw()
    renderer, ax = figure.canvas.get_renderer(), figure.axes[0]
    corners = [title.xy for title in ax.texts]
    high, low, last = (title._place(renderer, title.get_fontsize()) for title in ax.texts)
    below = ax.transData.transform([corners[1], low])[:, 1]
    assert high == corners[0] and last == corners[2]
    assert low == (corners[1][0], corners[1][1] + (-2 if is_upward else 2)) and below[1] < below[0]
    end = corners[1][1]
    ax.set(ylim=(end - 2, end) if is_upward else (end + 2, end))  # magnified, the rows have room for their name
    assert ax.texts[1]._place(renderer, ax.texts[1].get_fontsize()) == corners[1]


@pytest.mark.parametrize(("nrow", "size"), [(4, 6.94), (3, 8.4), (2, 10)])
def test_titles_of_large_pictures_are_larger(nrow, size, monkeypatch):
    """They had 6.9 points in pictures of any size."""
    drawn = []
    monkeypatch.setattr("matplotlib.text.Annotation.draw", lambda title, renderer: drawn.append(title.get_fontsize()))
    ax = plt.figure(figsize=(5.6, 5.6)).add_axes((0, 0, 1, 1))
    gpuplot.grid(np.zeros((nrow**2, 20, 20)), nrow=nrow, padding=0, titles=["a"] * nrow**2, ax=ax)
    before = [title.get_fontsize() for title in ax.texts]
    ax.figure.canvas.draw()
    assert drawn == pytest.approx([size] * nrow**2, abs=0.01)
    assert [title.get_fontsize() for title in ax.texts] == before


def test_titles_of_several_lines(monkeypatch):
    """They were measured as one line with a letter that no font has: too small, and cut across the lines."""
    drawn = []
    monkeypatch.setattr("matplotlib.text.Annotation.draw", lambda title, renderer: drawn.append((title.get_text(), title.get_fontsize())))
    ax = plt.figure(figsize=(1, 4)).add_axes((0, 0, 1, 1))
    titles = ["true: cat\npred: dog 1", "pred: dog 1", "cat\n" + "a b " * 20, ""]
    gpuplot.grid(np.zeros((4, 20, 20)), nrow=1, padding=0, titles=titles, ax=ax)
    ax.figure.canvas.draw()
    (text, size), (_, size_of_one), (cut, _), _ = drawn
    assert text == "true: cat\npred: dog 1" and size == size_of_one
    assert cut.startswith("cat\na b") and cut.endswith("a b ") and "\u2026" in cut


def test_titles_of_several_lines_stand_below_low_pictures():
    """A picture that is high enough for one line was hidden by three."""
    figure = gpuplot.grid([np.zeros((64, 32)), np.zeros((6, 32)), np.zeros((6, 32))], nrow=3, titles=["a", "b\nc\nd", "b"])
    figure.canvas.draw()
    ax = figure.axes[0]
    corners = [title.xy for title in ax.texts]
    places = [title._place(figure.canvas.get_renderer(), title.get_fontsize()) for title in ax.texts]
    assert [place == corner for place, corner in zip(places, corners, strict=True)] == [True, False, True]


def test_titles_without_end_are_an_error():
    with pytest.raises(ValueError, match="titles for 6 images"):
        gpuplot.grid(np.ones((6, 4, 5)), titles=itertools.count())


@pytest.mark.parametrize(("shape", "nrow", "colorbar"), [
    ((36, 60, 60), 6, True), ((36, 60, 60), 6, {"location": "bottom"}), ((32, 60, 60), 2, True), ((36, 60, 60), 6, False)])
def test_a_new_figure_is_as_wide_and_high_as_images_and_colorbar_need(shape, nrow, colorbar):
    figure = gpuplot.grid(np.zeros(shape, "float32"), nrow=nrow, colorbar=colorbar, vmin=0, vmax=1)
    figure.canvas.draw()
    width, height = figure.get_size_inches() * figure.dpi
    needed = figure.get_tightbbox()
    assert needed.width * figure.dpi > width - 100
    assert needed.height * figure.dpi > height - 100


def test_a_new_figure_has_room_for_a_colorbar_where_there_is_one():
    sizes = [tuple(gpuplot.grid(np.eye(60)[None], colorbar=colorbar).get_size_inches()) for colorbar in (None, False, {}, True)]
    assert sizes[0] == sizes[1] != sizes[2] == sizes[3]


@pytest.mark.parametrize("options", [{}, {"categorical": True}], ids=["numbers", "classes"])
def test_a_colorbar_beside_one_row_of_images_is_thick_and_its_texts_apart(options):
    """It was 2 pixels thick and as high as the images, and its numbers touched each other."""
    x = np.arange(12 * 20 * 30).reshape(12, 20, 30) % 3
    figure = gpuplot.grid(x if options else x / 2, nrow=12, colorbar=True, **options)
    figure.draw_without_rendering()
    bar = figure.axes[1]
    assert bar.bbox.width >= 8 and bar.bbox.height >= 69
    boxes = [label.get_window_extent() for label in bar.get_yticklabels() if label.get_window_extent().overlaps(bar.get_tightbbox())]
    assert all(abs(one.y0 - other.y0) > one.height for one, other in itertools.pairwise(boxes))


def test_a_colorbar_below_one_column_of_images_is_thick_and_long():
    figure = gpuplot.grid(np.random.default_rng(0).random((12, 30, 20)), nrow=1, colorbar={"location": "bottom"})
    figure.draw_without_rendering()
    assert figure.axes[1].bbox.height >= 8 and figure.axes[1].bbox.width >= 119


@pytest.mark.host("xarray holds host arrays")
def test_the_colorbar_says_what_the_values_are():
    xr = pytest.importorskip("xarray", reason="pip install xarray")
    height, depth = (xr.DataArray(noise((4, 30, 60)), attrs={"long_name": name, "units": "m"}) for name in ("height", "depth"))
    for X, options, text in ((height, {}, "height [m]"), ({"a": height[0], "b": height[1]}, {}, "height [m]"),
                             ({"a": height[0], "b": depth[1]}, {}, ""), (height, {"scale_each": True}, ""),
                             (height, {"colorbar": {"label": "z"}}, "z")):
        image = image_of(gpuplot.grid(X, **{"colorbar": True} | options))
        assert image.colorbar.ax.get_ylabel() == text


@pytest.mark.host("xarray holds host arrays")
def test_the_label_of_a_colorbar_is_no_longer_than_the_figure_is_high():
    xr = pytest.importorskip("xarray", reason="pip install xarray")
    figure = gpuplot.grid(xr.DataArray(noise((4, 30, 60)), attrs={"long_name": "temperature of the air"}), nrow=4, colorbar=True)
    pixels(figure)
    box = image_of(figure).colorbar.ax.yaxis.label.get_window_extent()
    assert 0 <= box.y0 < box.y1 <= figure.bbox.height


def test_a_title_that_has_room_in_smaller_letters_is_not_cut(monkeypatch):
    """Letters of whole pixels were wider than their size said: a title lost its middle, the day of a date, for three pixels."""
    drawn = []
    monkeypatch.setattr(mpl.text.Annotation, "draw", lambda self, renderer: drawn.append(self.get_text()))
    text = "time = 2026-01-01, level = 1000"
    for width in np.arange(1.0, 1.8, 0.02):
        ax = plt.figure(figsize=(width, 1)).add_axes((0, 0, 1, 1))
        gpuplot.grid(noise((1, 30, 60)), padding=0, titles=[text], ax=ax)
        pixels(ax.figure)
        drawn[-1] = drawn[-1] == text
        plt.close(ax.figure)
    assert drawn == sorted(drawn) and len(set(drawn)) == 2, "whole from the narrowest tile on where the smallest letters fit"


@pytest.mark.host("xarray holds host arrays")
def test_a_title_without_room_is_its_coordinates_alone(monkeypatch):
    """Cut in the middle, titles of two axes lost where they differ: the ends are the first name and the last coordinate."""
    xr = pytest.importorskip("xarray", reason="pip install xarray")
    drawn = []
    monkeypatch.setattr(mpl.text.Annotation, "draw", lambda self, renderer: drawn.append(self.get_text()))
    x = xr.DataArray(noise((2, 2, 20, 20)), dims=("experiment", "checkpoint", "y", "x"), coords={"experiment": ["with", "without"]})
    figure = gpuplot.grid(x, nrow=4)
    for width, parts in ((30, ("experiment = {}", "checkpoint = {}")), (6, ("{}", "{}")), (30, ("experiment = {}", "checkpoint = {}"))):
        figure.set_size_inches(width, width / 4)
        drawn.clear()
        figure.canvas.draw()
        assert drawn == [", ".join(parts).format(name, i) for name in ("with", "without") for i in range(2)]
    assert texts(figure)[0] == "experiment = with, checkpoint = 0"


def test_rows_of_long_images_are_few():
    """Six rows of 300 elements were 78 pixels wide each; imsave and a number of the user's own keep torchvision's rows."""
    X = np.random.default_rng(0).random((6, 10, 300))
    assert image_of(gpuplot.grid(X)).get_array().shape == (6 * 12 + 2, 304)
    assert image_of(gpuplot.grid(X, nrow=8)).get_array().shape == (14, 6 * 302 + 2)
    assert image_of(gpuplot.grid(np.moveaxis(X, 1, 2))).get_array().shape == (304, 6 * 12 + 2)


@pytest.mark.parametrize("nrow", [0, True, "8"])
def test_numbers_of_images_in_a_row_are_checked(nrow):
    with pytest.raises((TypeError, ValueError), match="nrow"):
        gpuplot.grid(np.ones((6, 10, 300)), nrow=nrow)
