"""Class numbers: distinct colors, ignored numbers, and a colorbar of the classes that occur."""

import gc
import itertools
import pickle
import weakref

import numpy as np
import pytest
from figures import axes_of, made
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from reference.categorical import palette_entry
from scenes import pixels, scene_of, snapshot, whole

import gpuplot
from gpuplot.color.categories import N_PALETTE, entries, palette
from gpuplot.color.classes import MAX_LEVELS

VOC = np.zeros((60, 80), np.uint8)
VOC[10:30, 10:40], VOC[20:50, 45:70], VOC[5:9, 2:8] = 15, 7, 20
VOC[9, 10:40] = VOC[30, 10:40] = 255
TRANSPARENT = [0, 0, 0, 0]


def colors_of(X, **options):
    """{number: RGBA bytes} of an array of class numbers."""
    rgba = gpuplot.to_rgba(X, X.shape, categorical=True, **options)
    found = {}
    for number, color in zip(X.ravel().tolist(), rgba.reshape(-1, 4).tolist(), strict=True):
        assert found.setdefault(number, color) == color
    return found


def lab(rgb):
    """CIELAB of sRGB under D65, as CIE 15 and IEC 61966-2-1 define them."""
    rgb = np.asarray(rgb, float)
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = linear @ np.array([[0.4124, 0.2126, 0.0193], [0.3576, 0.7152, 0.1192], [0.1805, 0.0722, 0.9505]]) / (0.9505, 1, 1.089)
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], -1)


# ---- colors --------------------------------------------------------------------------------------------------------------


def test_colors_differ_as_those_of_tab20_do():
    places = lab(palette())
    distances = np.linalg.norm(places[:, None] - places, axis=-1) + 1e3 * np.eye(N_PALETTE)
    assert N_PALETTE >= 100 and distances.min() >= distances[:20, :20].min() - 0.1 > 16


def test_a_color_is_that_of_its_number_alone():
    X = np.arange(-25, 300).reshape(13, 25)
    found = colors_of(X, ignore_index=())
    bytes_of = [[int(255 * c) for c in (*color, 1.0)] for color in palette()]
    assert all(found[v] == bytes_of[palette_entry(v)] for v in range(-25, 300))
    assert all(palette_entry(v) == v for v in range(N_PALETTE))
    for part in (X[3:5], X[:, 4:9], np.array([[7, 150], [7, 150]])):
        assert all(found[v] == color for v, color in colors_of(part, ignore_index=()).items())
    wide = np.array([[-3, 5, MAX_LEVELS * 3]])
    assert colors_of(wide) == {v: bytes_of[entries(v)] for v in wide[0].tolist()}


@pytest.mark.parametrize("numbers", [
    [0, 128], [0, 256], [0, 128, 255], [0, 127, 255], range(0, 257, 64), range(0, 256, 85), range(0, 256, 51), [0, *2 ** np.arange(16)],
    range(0, 5000, 1000), range(26000, 26113), range(15), [*range(15), *range(128, 241)]], ids=str)
def test_masks_of_spread_numbers_have_colors_that_differ(numbers):
    """{0, 128} was all blue: both had the first color."""
    assert len(set(entries([*numbers]).tolist())) == len(numbers)


def test_the_first_classes_share_their_colors_with_no_larger_one():
    assert entries(np.arange(15, 20_000)).min() == 15


def test_classes_that_come_later_have_their_colors():
    """An image whose first slice had few classes drew the others in the color of the last one."""
    stack = np.stack([VOC % 4, VOC, VOC + 40])
    im = gpuplot.imshow(stack, ax=axes_of(80, 60), categorical=True, rgb=False)
    for k, plane in enumerate(stack):
        im.set_index({0: k})
        np.testing.assert_array_equal(made(im), gpuplot.to_rgba(plane, (60, 80), categorical=True))
    im.update(stack[::-1] + 7)
    im.set_index({0: 1})
    np.testing.assert_array_equal(made(im), gpuplot.to_rgba(VOC + 7, (60, 80), categorical=True))


def test_edges_are_sharp_at_any_size():
    found = {tuple(color) for color in colors_of(VOC).values()}
    for size in (90, 137, 200):
        im = gpuplot.imshow(VOC, ax=axes_of(size), categorical=True, aspect="auto")
        assert {tuple(color) for color in made(im).reshape(-1, 4).tolist()} <= found


# ---- what is not a class ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("values", "ignored"), [
    ([0, 1, 255], {255}), ([0, 255], set()), ([3, 99, -100], {-100}), ([0, 100, 255], set()), ([0, 5, 255, -100], {255, -100}),
    ([0, 1, 254], set()), ([-100, -99, 0], set()), ([255], set()), ([0, 1, 300], set()), ([0, 1, 255, 9000], set())])
def test_which_numbers_are_taken_for_none(values, ignored):
    found = colors_of(np.array([values] * 2, np.int32))
    assert {v for v, color in found.items() if color == TRANSPARENT} == ignored


@pytest.mark.parametrize(("ignore_index", "ignored"), [(7, {7}), ((7, 15), {7, 15}), ((), set()), (np.uint8(255), {255}), (3, set())])
def test_numbers_that_the_caller_ignores(ignore_index, ignored):
    found = colors_of(VOC, ignore_index=ignore_index)
    assert {v for v, color in found.items() if color == TRANSPARENT} == ignored
    plain = colors_of(VOC, ignore_index=())
    assert all(color == plain[v] for v, color in found.items() if v not in ignored)
    far = np.where(VOC == 15, 10**6, VOC.astype("i4"))
    assert {v for v, color in colors_of(far, ignore_index=ignore_index).items() if color == TRANSPARENT} == ignored - {15}


@pytest.mark.parametrize("cmap", ["viridis", "tab10"])
def test_a_colormap_is_spread_over_the_classes_alone(cmap):
    X = np.array([[0, 1, 2, 3, 255]])
    with_ignored, without = colors_of(X, cmap=cmap), colors_of(X[:, :4], cmap=cmap)
    assert with_ignored == without | {255: TRANSPARENT}


def test_front_ends_agree():
    picture = gpuplot.to_rgba(VOC, VOC.shape, categorical=True)
    im = gpuplot.imshow(VOC, ax=axes_of(80, 60), categorical=True)
    np.testing.assert_array_equal(made(im), picture)
    np.testing.assert_array_equal(pixels(scene_of(VOC), VOC.shape), picture)
    assert im._find_classes().present == (0, 7, 15, 20) and im._find_classes().ignored == {255}


def test_ignored_pixels_of_a_mask_leave_the_image_under_it():
    ax = axes_of(80, 60)
    below = np.random.default_rng(0).random((60, 80)) / 5
    ax.imshow(below, cmap="gray", vmin=0, vmax=1, interpolation="nearest", aspect="auto")
    ax.figure.canvas.draw()
    before = np.asarray(ax.figure.canvas.buffer_rgba()).copy()
    gpuplot.imshow(VOC, ax=ax, categorical=True, alpha=0.5, ignore_index=(0, 255), aspect="auto")
    ax.figure.canvas.draw()
    after = np.asarray(ax.figure.canvas.buffer_rgba())
    is_ignored = np.isin(VOC, (0, 255))
    assert (before == after)[is_ignored].all() and (before != after)[~is_ignored].any(-1).all()


@pytest.mark.parametrize("function", [gpuplot.to_rgba, gpuplot.imshow, scene_of])
@pytest.mark.parametrize(("ignore_index", "error"), [("255", TypeError), (1.5, TypeError), (True, TypeError), ([1, "a"], TypeError)])
def test_ignored_numbers_are_integers(function, ignore_index, error):
    options = {"ax": Figure().subplots()} if function is gpuplot.imshow else {}
    with pytest.raises(error, match="ignore_index=.* must be an integer, or several"):
        function(VOC, categorical=True, ignore_index=ignore_index, **options)


@pytest.mark.parametrize("function", [gpuplot.to_rgba, gpuplot.imshow])
def test_numbers_that_are_no_classes_ignore_none(function):
    options = {"ax": Figure().subplots()} if function is gpuplot.imshow else {}
    with pytest.raises(ValueError, match="ignore_index=255 is about class numbers: give categorical=True"):
        function(VOC, ignore_index=255, **options)


# ---- how long the elements are kept -------------------------------------------------------------------------------------


def test_a_picture_of_classes_is_pickled():
    """What found the classes was kept, which could be asked for the elements again, and not be pickled."""
    im = gpuplot.imshow(VOC, ax=axes_of(80, 60), categorical=True)
    again = pickle.loads(pickle.dumps(im.axes.figure))
    FigureCanvasAgg(again)
    np.testing.assert_array_equal(made(again.axes[0].images[0]), made(im))


@pytest.mark.parametrize("end", [lambda im: im.remove(), lambda im: im.freeze(), lambda im: im.update(VOC)],
                         ids=["remove", "freeze", "update"])
def test_a_tensor_of_classes_is_let_go(end):
    class Tensor(np.ndarray):
        pass

    X = np.tile(VOC, (20, 20)).view(Tensor)
    held = weakref.ref(X)
    im = gpuplot.imshow(X, ax=axes_of(80, 60), categorical=True, colorbar=True)
    del X
    gc.collect()
    assert held() is not None
    end(im)
    gc.collect()
    assert held() is None


def test_a_colormap_spread_over_very_many_levels_ignores_none():
    with pytest.raises(ValueError, match="ignore_index with a cmap is for at most 4096 levels, and classes go from 0 to 9000"):
        gpuplot.to_rgba(np.array([[0, 5, 9000]]), categorical=True, cmap="viridis", ignore_index=5)


# ---- which integers are classes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("X", "is_categorical"), [
    (VOC, True), (np.arange(32).reshape(4, 8), True), (np.arange(33).reshape(3, 11), False), (np.array([[0, 1, -100, 31]]), True),
    (np.array([[0, 1, 255, 40]]), False), (np.array([[0, 255]], np.uint8), False), (np.arange(256).reshape(16, 16), False)])
def test_ignored_numbers_do_not_count_among_the_levels(X, is_categorical):
    assert snapshot(scene_of(X))["is_categorical"] == is_categorical


def test_levels_of_which_the_caller_ignores_one():
    X = np.array([[0, 1, 999]])
    assert not snapshot(scene_of(X))["is_categorical"]
    scene = scene_of(X, ignore_index=999)
    assert snapshot(scene)["is_categorical"] and [text for text, _ in snapshot(scene)["categories"]] == ["0", "1"]


# ---- names ---------------------------------------------------------------------------------------------------------------


def entries_of(im):
    return [text.get_text() for text in im.colorbar.ax.get_yticklabels()]


@pytest.mark.parametrize("labels", [["ground", "b", "c", "d", "e", "f", "g", "horse"], {0: "ground", 7: "horse"}])
def test_the_colorbar_has_an_entry_for_each_class_that_is_there(labels):
    im = gpuplot.imshow(VOC, ax=Figure().subplots(), categorical=True, colorbar=True, labels=labels, alpha=0.5)
    assert entries_of(im) == ["ground", "horse", "15", "20"] and im.colorbar.alpha == 0.5
    faces = im.colorbar.solids.get_facecolor() if im.colorbar.solids.get_array() is None else im.colorbar.mappable.cmap(range(4))
    np.testing.assert_allclose(np.asarray(faces)[:, :3], [palette()[v] for v in (0, 7, 15, 20)])
    assert im.colorbar.ax.get_ylim()[0] > im.colorbar.ax.get_ylim()[1]  # the first on top
    assert im.format_cursor_data(np.float64(7)).startswith("[7.0: horse]")


@pytest.mark.parametrize(("X", "names"), [(np.zeros((3, 4), int), ["0"]), (np.full((3, 4), 255), []), (np.zeros((0, 4), int), [])],
                         ids=["one", "ignored", "none"])
@pytest.mark.filterwarnings("ignore:there is nothing to show")
def test_a_colorbar_of_one_class_or_none(X, names):
    """Where all elements are ignored there was an entry of a class 0."""
    im = gpuplot.imshow(X, ax=Figure().subplots(), categorical=True, colorbar=True, ignore_index=255)
    im.axes.figure.canvas.draw()
    assert entries_of(im) == names
    assert (im.colorbar.mappable.cmap(0)[3] > 0) == bool(names)
    for now in ([0, 2], [2], [255], [1]):
        im.update(np.array([now]))
        im.axes.figure.canvas.draw()
        assert entries_of(im) == [str(v) for v in now if v != 255]


def test_a_few_classes_that_lie_far_apart_have_their_entries():
    """They were said to be 50008 classes."""
    X = np.array([[0, 1000], [50000, -7]])
    im = gpuplot.imshow(X, ax=Figure().subplots(), categorical=True, colorbar=True, labels={1000: "cat"})
    assert entries_of(im) == ["-7", "0", "cat", "50000"]
    np.testing.assert_array_equal(im.colorbar.mappable.cmap(range(4)), im.cmap(im.norm([-7, 0, 1000, 50000])))
    assert [text for text, _ in snapshot(scene_of(X, categorical=True))["categories"]] == ["-7", "0", "1000", "50000"]
    stack = np.stack([X, X * 7, X % 5])
    assert [text for text, _ in snapshot(scene_of(stack, categorical=True, columns=0, rgb=False))["categories"]] == [
        "-49", "-7", "0", "3", "1000", "7000", "50000", "350000"]
    im.update(X + 5)
    assert entries_of(im) == ["-2", "5", "1005", "50005"]
    with pytest.raises(ValueError, match="colorbar: class numbers from 0 to 5999 are too many, or too far apart, to have an entry each"):
        gpuplot.imshow(np.arange(6000).reshape(60, 100), ax=Figure().subplots(), categorical=True, colorbar=True)


@pytest.mark.parametrize(("first", "last", "n", "most"), [
    (-100, 10**5, 50, 26), (0, 2**24 - 1, 60, 63), (-2**31, 2**31, 20, 64), (0, 2**50, 5, 29), (0, 50_000, 3000, 14), (0, 4095, 3000, 1)])
def test_numbers_that_lie_far_apart_are_found_in_a_few_passes(first, last, n, most):
    rng = np.random.default_rng(n)
    numbers = np.unique([first, last, *rng.integers(first, last, n)])
    X = rng.permuted(np.resize(numbers, 9000)).reshape(90, 100)
    im = gpuplot.imshow(X, ax=axes_of(20), categorical=True)
    classes, passes = im._find_classes(), []
    count = classes._count
    classes._count = lambda *which: passes.append(which) or count(*which)
    assert classes.present == tuple(numbers.tolist()) and len(passes) <= most


@pytest.mark.parametrize("X", [np.arange(6000), np.arange(5000) * 10**6, np.array([0, 2**60]), np.arange(100) * 10**9])
def test_numbers_that_are_too_many_or_too_far_apart_are_not_looked_for_long(X):
    im = gpuplot.imshow(X.reshape(1, -1), ax=axes_of(20), categorical=True)
    classes, passes = im._find_classes(), []
    count = classes._count
    classes._count = lambda *which: passes.append(which) or count(*which)
    assert classes.present is None and len(passes) <= 3


def test_a_legend_that_is_cut_says_so():
    X = np.arange(140).reshape(10, 14)
    im = gpuplot.imshow(X, ax=Figure().subplots(), categorical=True, colorbar=True)
    assert entries_of(im) == [str(v) for v in range(40)] and im.colorbar.ax.get_xlabel() == "and 100 more"
    texts = [text for text, _ in snapshot(scene_of(X, categorical=True))["categories"]]
    assert texts == [*(str(v) for v in range(128)), "and 12 more"]


def test_the_colorbar_follows_to_other_classes():
    stack = np.stack([VOC % 4, VOC, np.full_like(VOC, 3), np.arange(VOC.size).reshape(VOC.shape) % 60])
    im = gpuplot.imshow(stack, ax=axes_of(80, 60), categorical=True, rgb=False, colorbar=True, labels={7: "cat", 3: "dog"})
    for k, plane in enumerate(stack):
        im.set_index({0: k})
        present = [v for v in np.unique(plane).tolist() if v != 255]
        assert entries_of(im) == [{7: "cat", 3: "dog"}.get(v, str(v)) for v in present[:40]]
        assert im.colorbar.ax.get_xlabel() == ("and 20 more" if k == 3 else "")
        np.testing.assert_array_equal(im.colorbar.mappable.cmap(range(len(present[:40]))), im.cmap(im.norm(present[:40])))
        assert im.colorbar.ax.yaxis_inverted()
    im.update(np.full_like(stack, 2))
    assert entries_of(im) == ["2"]


def test_the_colorbar_of_a_large_plane_follows_what_was_written_into_it():
    X = np.zeros((1100, 1000), np.uint8)
    im = gpuplot.imshow(X, ax=axes_of(80, 60), categorical=True, colorbar=True)
    X[:, 500:] = 9
    im.update()
    assert entries_of(im) == ["0", "9"]


def test_ticks_that_the_caller_chose_stay():
    im = gpuplot.imshow(np.stack([VOC % 4, VOC]), ax=axes_of(80, 60), categorical=True, rgb=False, colorbar={"ticks": [0, 1]})
    im.set_index({0: 1})
    assert im.colorbar.get_ticks().tolist() == [0, 1]


def test_entries_fit_into_a_low_colorbar():
    X = np.arange(400).reshape(10, 40) % 20
    im = gpuplot.imshow(X, ax=Figure(figsize=(6, 6)).subplots(), categorical=True, colorbar=True)
    im.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in im.colorbar.ax.get_yticklabels()]
    assert len(boxes) == 20 and all(one.y0 >= two.y1 - 1 for one, two in itertools.pairwise(boxes))


def test_the_inspector_names_the_classes_that_are_there():
    scene = scene_of(np.stack([VOC, VOC * 0]), labels=["ground"], rgb=False)
    whole(scene)
    assert [text for text, _ in snapshot(scene)["categories"]] == ["ground", "7", "15", "20"]
    scene.change({"index": {0: 1}})
    assert [text for text, _ in snapshot(scene)["categories"]] == ["ground"]
