"""Malformed values of keywords: one clear exception that names the keyword, before anything is computed or written."""

import io
import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from stored_tensors import windows

import gpuplot

A = np.arange(30.0).reshape(5, 6)

VOLUME = np.zeros((3, 5, 6))

# Beyond float64.
FAR = 10**400

# Neither true nor false, and a text has no place in it.
PAIR = np.array([1, 2])

PLANE = np.zeros((3, 3))


@pytest.mark.parametrize("keywords, error, message", [
    ({"agg": ""}, ValueError, "agg='' is not one of mean"), ({"agg": 0}, ValueError, "agg=0 is not one of mean"),
    ({"agg": False}, ValueError, "is not one of mean"), ({"agg": np.zeros(3)}, ValueError, "is not one of mean"),
    ({"dims": 3}, TypeError, "dims names axes with text"), ({"dims": [1, 2]}, TypeError, "dims names axes with text"),
    ({"rgb": 0}, ValueError, "rgb asks for colors"), ({"rgb": True}, ValueError, "rgb asks for colors"),
])
def test_falsy_and_uncountable_values_are_not_taken_for_defaults(keywords, error, message):
    """agg='' and agg=0 drew a mean, rgb=0 (an axis) counted as False, and dims=3 said that int is not iterable."""
    with pytest.raises(error, match=message):
        gpuplot.downsample(A, (2, 3), **keywords)


class Unreadable:
    """A sequence whose items raise an error of their own, of a type whose module has no name."""

    __module__ = property(lambda self: 1)

    def __getitem__(self, index):
        raise KeyError(index)

    def __len__(self):
        return 4


@pytest.mark.parametrize("value", [Unreadable(), memoryview(np.ones((4, 6))), np.ones((4, 6))], ids=["items", "buffer", "rows"])
@pytest.mark.parametrize("call, message", [
    (lambda value: gpuplot.stats(A, value_range=value), "value_range=.* must be a pair of numbers"),
    (lambda value: gpuplot.stats(A, percentiles=value), "percentiles=.* must be numbers from 0 to 100"),
    (lambda value: gpuplot.hist(A, range=value), "range=.* must be a pair of numbers"),
    (lambda value: gpuplot.imshow(A, extent=value), "extent=.* must be the four edges"),
    (lambda value: gpuplot.to_rgba(A, stream=value), "is not a stream"),
], ids=["value_range", "percentiles", "range", "extent", "stream"])
def test_values_whose_items_are_no_numbers_are_refused_by_name(value, call, message):
    """The error of the items came through, or matplotlib's about the vertices of a path."""
    with pytest.raises((TypeError, ValueError), match=f"(?s){message}"):
        call(value)


class NoText:
    """An object whose text raises."""

    def __repr__(self):
        raise RuntimeError("no text")


@pytest.mark.host("arrays of NumPy in place of numbers")
@pytest.mark.parametrize("value, text", [
    (np.ones((40, 60)), "an ndarray of shape (40, 60)"), ([np.ones((2, 3))], "[array([[1., 1., 1.], [1., 1., 1.]])]"),
    (NoText(), "a NoText"), ("a\nb", r"'a\nb'"), (np.float32, "<class 'numpy.float32'>"),
], ids=["array", "list", "no text", "lines", "class"])
@pytest.mark.parametrize("call", [
    lambda value: gpuplot.downsample(A, value), lambda value: gpuplot.stats(A, region=value), lambda value: gpuplot.hist(A, range=value),
    lambda value: gpuplot.imshow(A, extent=value), lambda value: gpuplot.to_rgba(A, view=value),
    lambda value: gpuplot.stats(A, percentiles=value), lambda value: gpuplot.to_rgba(A, level=value),
], ids=["shape", "region", "range", "extent", "view", "percentiles", "level"])
def test_a_message_quotes_no_array_and_has_one_line(value, text, call):
    """It had all lines of an array's text, of which a tensor on a GPU is a copy; an object's own error came through."""
    with pytest.raises((TypeError, ValueError)) as told:
        call(value)
    assert f"={text} " in str(told.value) and "\n" not in str(told.value)


class NoIndex:
    """An object whose conversion to an integer raises an error of its own."""

    def __index__(self):
        raise KeyError("no index")


def test_integers_that_cannot_be_read_are_refused_by_name():
    """The error of the object came through."""
    with pytest.raises(TypeError, match="level=.* must be an integer"):
        gpuplot.to_rgba(A, level=NoIndex())
    with pytest.raises(TypeError, match="ptr must be the address of device memory"):
        gpuplot.from_pointer(NoIndex(), (2, 2), "float32")


@pytest.mark.host("PyTorch")
def test_a_freed_tensor_is_not_quoted():
    """Its text ends the program: torch reads the memory that is gone."""
    torch = pytest.importorskip("torch")
    freed = torch.ones(4, 6)
    freed.untyped_storage().resize_(0)
    with pytest.raises(TypeError, match=r"range=a Tensor of shape \(4, 6\) must be"):
        gpuplot.hist(A, range=freed)


def test_rgb_false_is_a_plane_of_numbers():
    """False of Python and of NumPy both say that nothing is a color."""
    for no in (False, np.False_, None):
        assert gpuplot.downsample(A, (5, 6), rgb=no).shape == (5, 6)


def test_wrong_metadata_is_told_before_the_picture_is_made(tmp_path):
    """dpi and metadata were checked after the whole tensor had been read."""
    huge = windows(np.float32(1), (2**20, 2**20))  # would take long
    for keywords in ({"dpi": 0}, {"dpi": "a"}, {"metadata": 3}, {"metadata": {"k": "\0"}}):
        with pytest.raises((TypeError, ValueError), match="dpi|metadata"):
            gpuplot.imsave(tmp_path / "a.png", huge, width=2, **keywords)
    assert not list(tmp_path.iterdir())


def test_names_of_bytes_are_names(tmp_path):
    """A name of bytes, which open() takes, was refused as neither name nor file object."""
    gpuplot.imsave(bytes(tmp_path / "a.png"), A)
    with pytest.raises(ValueError, match="does not end in .png"):
        gpuplot.imsave(bytes(tmp_path / "a.jpg"), A)
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]


def test_a_format_takes_any_name(tmp_path):
    """matplotlib's imsave writes to the name as it is given, and this one refused names without a suffix."""
    gpuplot.imsave(tmp_path / "a.png", A)
    want, file = (tmp_path / "a.png").read_bytes(), io.BytesIO()
    for name in ("x", "a.jpg"):
        gpuplot.imsave(tmp_path / name, A, format="png")
        assert (tmp_path / name).read_bytes() == want
    gpuplot.imsave(file, A, format="PNG")
    assert file.getvalue() == want
    with pytest.raises(ValueError, match="format='jpg'"):
        gpuplot.imsave(tmp_path / "b.jpg", A, format="jpg")


class Failing:
    """An object of which any attribute raises."""

    def __getattr__(self, name):
        raise RuntimeError(f"no {name}")


@pytest.mark.parametrize(("call", "error", "text"), [
    (lambda: gpuplot.downsample(A, (2, 3), complex_mode=np.array([1, 2])), ValueError, "complex_mode=.* is not one of amplitude"),
    (lambda: gpuplot.downsample(A, (2, 3), nan=np.array([1, 2])), ValueError, "nan=.* is not one of auto, show, skip"),
    (lambda: gpuplot.to_rgba(np.ones((3, 4, 5)), denorm=(FAR, 1)), ValueError, r"denorm=.* or a pair \(mean, std\)"),
    (lambda: gpuplot.imsave(io.BytesIO(), A, width=FAR), ValueError, "width=1.*at most 2147483647 pixels a side"),
    (lambda: gpuplot.imsave(io.BytesIO(), A, grid={0: 1}), TypeError, r"grid\(\) got an unexpected keyword argument '0'"),
    (lambda: gpuplot.hist(A, histtype=np.array([1, 2])), ValueError, "histtype=.* is not one of bar, barstacked"),
    (lambda: gpuplot.hist2d(A, A, {1, 2}), TypeError, r"bins=\{1, 2\} has no order: give"),
    (lambda: gpuplot.hist2d(A, A, cmin="3"), TypeError, "cmin='3' must be a number"),
    (lambda: gpuplot.hist2d(A, A, cmax=()), TypeError, r"cmax=\(\) must be a number"),
    (lambda: gpuplot.plot(A, agg=np.array([1, 2])), ValueError, "agg=.* is not one of m4"),
    (lambda: gpuplot.compare(A, A, titles=None), ValueError, "titles=None must be two texts"),
    (lambda: gpuplot.compare(A, A, titles={1, 2}), ValueError, r"titles=\{1, 2\} must be two texts"),
    (lambda: gpuplot.compare(A, A, complex_mode=np.array([1, 2])), ValueError, "complex_mode=.* is not one of"),
    (lambda: gpuplot.grid(A, titles=True), TypeError, "titles=True must be a list of texts"),
    (lambda: gpuplot.grid(A, padding=FAR), ValueError, "padding=1.*is not between 0 and 2147483647"),
    (lambda: gpuplot.grid(A, normalize=True, value_range=(0, FAR)), ValueError, "value_range=.* must be a pair of numbers"),
    (lambda: gpuplot.grid(A, normalize=PAIR), TypeError, "normalize is True or False, not an ndarray"),
    (lambda: gpuplot.imsave(io.BytesIO(), A, grid={"scale_each": PAIR}), TypeError, "scale_each is True or False, not an ndarray"),
    (lambda: gpuplot.grid(VOLUME, reduce=PAIR), TypeError, "reduce is a dict from axis to value.*got ndarray"),
    (lambda: gpuplot.grid(A, titles=np.array("a")), TypeError, "titles=array.* must be a list of texts"),
    (lambda: gpuplot.grid(A, interpolation=PAIR), TypeError, "interpolation=.* must be the name of a filter"),
    (lambda: gpuplot.imshow(A, interpolation=True), TypeError, "interpolation=True must be the name of a filter"),
    (lambda: gpuplot.imshow(A, extent=np.float32), ValueError, "extent=.* must be the four edges"),
    *[(lambda name=name, value=value: gpuplot.imshow(A, **{name: value}), error, f"^{name}.* {text}") for name, value, error, text in (
        ("aspect", [1], ValueError, "must be 'equal', 'auto' or the height"), ("aspect", PAIR, ValueError, "must be 'equal', 'auto' or"),
        ("aspect", float("nan"), ValueError, "must be 'equal', 'auto' or"), ("aspect", 0, ValueError, "must be 'equal', 'auto' or"),
        ("aspect", "nan", ValueError, "must be 'equal', 'auto' or"), ("filterrad", "wide", ValueError, "must be a number above zero"),
        ("filterrad", None, ValueError, "must be a number above zero"), ("filterrad", FAR, ValueError, "must be a number above zero"),
        ("interpolation_stage", "colors", ValueError, "is not one of data, rgba, auto"), ("resample", PAIR, TypeError, "is True or False"),
        ("colorbar", {0: 1}, TypeError, "must have names of keywords"), ("extent", (0, 1j, 0, 1), ValueError, "must be the four edges"),
        ("extent", (0, FAR, 0, 1), ValueError, "must be the four edges"),
        ("extent", (-1e308, 1e308, 0, 1), ValueError, "the edges are farther apart than float64 has numbers: divide them"),
        ("extent", (0, 1, 1e308, -1e308), ValueError, "the edges are farther apart than float64 has numbers: divide them"),
        ("ax", Axes, TypeError, "must be one matplotlib Axes"))],
    (lambda: gpuplot.to_rgba(A, nan_color=(0, FAR, 0)), ValueError, "nan_color=.* is not a color"),
    (lambda: gpuplot.to_rgba(A.astype(int), categorical=True, ignore_index=itertools.count()), TypeError, "ignore_index=.* or several"),
    (lambda: gpuplot.plot(A, label=iter(["a"])), TypeError, "label=.* must be one text for all lines, or a list of texts"),
    (lambda: gpuplot.imshow(A, center=1e308), ValueError, "center=1e[+]308 is too far from 0.0 and 29.0"),
    (lambda: gpuplot.inspect(A, center=1e308), ValueError, "center=1e[+]308 is too far from"),
    (lambda: gpuplot.inspect(A, sliders=0.5), TypeError, "sliders=0.5 must be axes, by number or name"),
    (lambda: gpuplot.inspect(A, sliders=np.array(0)), TypeError, r"sliders=array\(0\) must be axes, by number or name"),
    (lambda: gpuplot.inspect(A, link=np.array(0)), TypeError, "link takes inspectors, not ndarray"),
    (lambda: gpuplot.inspect(A, link=True), TypeError, "link takes inspectors, not bool"),
    (lambda: gpuplot.inspect(A, link=itertools.count()), TypeError, "link takes inspectors, not int"),
    *[(lambda name=name, value=value: gpuplot.plot(A, density=True, **{name: value}), error, text)
      for name in ("vmin", "vmax") for value, error, text in (
          (PAIR, TypeError, rf"{name} must be a number or None, not ndarray of shape \(2,\)"), ("3", TypeError, f"{name} must be a number"),
          (FAR, ValueError, f"{name} has to be finite"))],
    (lambda: gpuplot.imshow(A, vmin=Failing()), TypeError, "vmin must be a number or None, not Failing"),
    (lambda: gpuplot.asnumpy(A, Failing()), TypeError, "dtype=.*Failing"),
    (lambda: gpuplot.inspect(A, throttle=FAR), ValueError, "throttle=1.*is not between 0 and 10000"),
])
def test_odd_values_of_keywords_are_told_by_name(call, error, text):
    """Where Python, NumPy or matplotlib would complain about something inside, or a number is beyond float64."""
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize(("name", "call"), [
    ("density", lambda no: gpuplot.scatter(A, A, density=no)), ("density", lambda no: gpuplot.hist(A, density=no)),
    ("density", lambda no: gpuplot.plot(A, density=no)), ("cumulative", lambda no: gpuplot.hist(A, cumulative=no)),
    ("scalex", lambda no: gpuplot.plot(A, scalex=no)), ("normalize", lambda no: gpuplot.grid(A, normalize=no)),
    ("scale_each", lambda no: gpuplot.imsave(io.BytesIO(), A, grid={"scale_each": no})),
    ("resample", lambda no: gpuplot.imshow(A, resample=no)), ("filternorm", lambda no: gpuplot.imshow(A, filternorm=no)),
    ("collective", lambda no: gpuplot.stats(A, collective=no)), ("summaries", lambda no: gpuplot.install(summaries=no)),
    ("wait", lambda no: gpuplot.Recorder("", wait=no)),
])
@pytest.mark.parametrize("no", ["no", "False", ""])
def test_text_is_no_flag(name, call, no):
    """Texts such as "no" and "False" are true in Python: densities were drawn, bins were cumulated."""
    with pytest.raises(ValueError, match=f"^{name}='{no}' is not one of True, False$"):
        call(no)


@pytest.mark.parametrize("X", [A, np.ones((5, 6, 3))], ids=["numbers", "colors"])
@pytest.mark.parametrize(("colorbar", "text"), [
    ({"a": 1}, "colorbar: Figure.colorbar has no keyword 'a'; it has alpha, anchor, aspect, ax, boundaries, cax"),
    ({"lable": 1}, "colorbar: Figure.colorbar has no keyword 'lable': did you mean 'label'"),
    ("volts", "colorbar='volts' must be True, or a dict of keywords for Figure.colorbar, such as {'label': 'volts'}"),
    (np.ones(3), r"colorbar=an ndarray of shape \(3,\) must be True, or a dict"), ([], r"colorbar=\[\] must be True, or a dict"),
])
def test_colorbars_are_checked_before_anything_is_drawn(X, colorbar, text):
    """An unknown keyword was matplotlib's error about Colorbar.__init__(), an array one about its truth, and colors took anything."""
    ax = plt.figure().subplots()
    for call in (gpuplot.imshow, gpuplot.grid):
        with pytest.raises(TypeError, match=f"^{text}"):
            call(X, ax=ax, colorbar=colorbar)
    assert not ax.images and ax.figure.axes == [ax]


@pytest.mark.parametrize("odd", [[[1, 2], [3]], ["a", "b"]], ids=["uneven", "texts"])
@pytest.mark.parametrize(("name", "call"), [
    ("weights", lambda odd: gpuplot.hist(A, weights=odd)), ("weights", lambda odd: gpuplot.hist2d(A, A, weights=odd)),
    ("alpha", lambda odd: gpuplot.to_rgba(A, alpha=odd)), ("alpha", lambda odd: gpuplot.imshow(A, alpha=odd)),
    ("s", lambda odd: gpuplot.scatter(A, A, s=odd)), ("c", lambda odd: gpuplot.scatter(A, A, c=odd, categorical=False)),
])
def test_errors_about_arrays_beside_the_first_name_them(name, call, odd):
    """Else they read as errors about the tensor itself."""
    with pytest.raises((TypeError, ValueError), match=rf"^'?{name}\b"):
        call(odd)


@pytest.mark.parametrize("pair", [{3, 4}, frozenset((3, 4)), {3: 1, 4: 1}])
@pytest.mark.parametrize(("name", "call"), [
    ("shape", lambda pair: gpuplot.to_rgba(A, pair)), ("shape", lambda pair: gpuplot.downsample(A, pair)),
    ("robust", lambda pair: gpuplot.to_rgba(A, robust=pair)), ("value_range", lambda pair: gpuplot.stats(A, value_range=pair)),
    ("value_range", lambda pair: gpuplot.grid(A, normalize=True, value_range=pair)), ("range", lambda pair: gpuplot.hist(A, range=pair)),
    ("denorm", lambda pair: gpuplot.to_rgba(np.ones((3, 4, 5)), denorm=pair)),
])
def test_a_set_is_no_pair(name, call, pair):
    """Its items have no order: rows and columns changed places from one program to the next."""
    with pytest.raises((TypeError, ValueError), match=f"^{name}="):
        call(pair)


def test_robust_takes_the_truth_values_of_numpy():
    """np.True_ and np.False_ were refused, in words that asked for True."""
    for flag in (True, False):
        np.testing.assert_array_equal(gpuplot.to_rgba(A, robust=np.bool_(flag)), gpuplot.to_rgba(A, robust=flag))


def test_odd_values_that_mean_something():
    assert gpuplot.stats(A, percentiles=np.array(50)).percentiles == {50: 14.5}
    assert len(gpuplot.grid([A, A], max_items=2**70).axes[0].images) == 1
    assert np.isnan(gpuplot.hist2d(A, A, 2, cmax=FAR).h).sum() == 0
    assert gpuplot.imshow(A, aspect="0.5").axes.get_aspect() == 0.5


@pytest.mark.parametrize("keywords", [{"agg": PLANE}, {"nan": PLANE}, {"dims": PLANE}, {"x": PLANE}, {"complex_mode": PLANE}])
def test_arrays_in_place_of_a_word_are_not_printed(keywords):
    """The text of a tensor on a GPU waits for the device and copies, and that of a matrix has several lines."""
    with pytest.raises((TypeError, ValueError), match=r"an ndarray of shape \(3, 3\)") as caught:
        gpuplot.downsample(A, (2, 3), **keywords)
    assert "\n" not in str(caught.value)
