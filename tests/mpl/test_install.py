"""`install` and `uninstall`: gpuplot draws what matplotlib refuses, all else is unchanged; then everything is restored."""

import functools
import inspect
import pickle
import subprocess
import sys

import matplotlib.axes
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figures import pixels
from matplotlib.collections import PathCollection
from matplotlib.image import AxesImage

import gpuplot
from gpuplot.mpl.install import DATA_ARGUMENTS

pytestmark = pytest.mark.host("tells arrays apart by their kind")

PATCHED = [name for name in DATA_ARGUMENTS if name in gpuplot.__all__]


class Refused:
    """A tensor as one of a GPU is to matplotlib: it can be cut, and NumPy may not have it."""

    def __init__(self, array):
        self.array, self.shape = array, array.shape

    def __getitem__(self, key):
        return Refused(self.array[key])

    def __len__(self):
        return len(self.array)

    def __array__(self, *args, **keywords):
        raise TypeError("can't convert cuda:0 device type tensor to numpy")

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


A = np.sin(np.arange(600.0, dtype="float32")).reshape(20, 30)


@pytest.fixture
def ax():
    ax = plt.figure(figsize=(3, 2)).add_subplot()
    yield ax
    plt.close("all")


@pytest.fixture
def installed():
    gpuplot.install()
    yield
    gpuplot.uninstall()


def test_importing_replaces_nothing():
    code = ("import matplotlib.axes as m; before = dict(vars(m.Axes)); import gpuplot; gpuplot.imshow; gpuplot.hist; "
            "assert dict(vars(m.Axes)) == before")
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def test_everything_is_put_back():
    before = {name: getattr(matplotlib.axes.Axes, name) for name in DATA_ARGUMENTS}
    gpuplot.install()
    assert [name for name in DATA_ARGUMENTS if getattr(matplotlib.axes.Axes, name) is not before[name]] == PATCHED
    gpuplot.install()
    gpuplot.uninstall()
    assert all(getattr(matplotlib.axes.Axes, name) is before[name] for name in DATA_ARGUMENTS)
    gpuplot.uninstall()


# ---- what is drawn by gpuplot ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("X", [Refused(A), A * 1j, np.stack([A] * 5)], ids=["device", "complex", "axes"])
def test_images_of_what_matplotlib_refuses(X, ax, installed):
    image = ax.imshow(X, cmap="magma", vmin=-0.5)
    assert type(image) is gpuplot.TensorImage and image.axes is ax and image.get_clim()[0] == -0.5 and image.cmap.name == "magma"
    gpuplot.uninstall()
    with pytest.raises(TypeError):
        ax.imshow(X)


def test_by_pyplot(installed):
    """It becomes the current image, and its colorbar is pyplot's."""
    image = plt.imshow(Refused(A), "gray", interpolation="nearest")
    assert plt.gci() is image and type(image) is gpuplot.TensorImage
    plt.colorbar()
    plt.close("all")


def test_by_its_name_and_by_that_in_data(ax, installed):
    for image in (ax.imshow(X=Refused(A)), ax.imshow("a", data={"a": Refused(A)}), ax.imshow(Refused(A), agg="max", colorbar=True)):
        assert type(image) is gpuplot.TensorImage and image.get_array().shape == A.shape
    assert image.agg == "max" and image.colorbar is not None


def test_histograms(ax, installed):
    found, expected = ax.hist(Refused(A.ravel()), 7, density=True), ax.hist(A.ravel(), 7, density=True)
    assert type(found) is gpuplot.Histogram and type(expected) is tuple
    np.testing.assert_array_equal(found[0], expected[0])
    named = plt.hist("a", 7, data={"a": Refused(A.ravel())})
    plt.close("all")
    np.testing.assert_array_equal(named[0], ax.hist(A.ravel(), 7)[0])


LINES = {"y": lambda kind: (kind(A[0]), "r--"), "x, y": lambda kind: (A[1], kind(A[0]), "g."), "x alone": lambda kind: (kind(A[1]), A[0]),
         "two lines": lambda kind: (A[2], A[0], "k", kind(A[0]))}


@pytest.mark.parametrize("arguments", LINES.values(), ids=LINES)
def test_lines(arguments, installed):
    """The same picture as matplotlib's of the same numbers, whichever argument it refuses."""
    drawn = []
    for kind in (Refused, np.asarray):
        ax = plt.figure(figsize=(3, 2)).add_subplot()
        lines = ax.plot(*arguments(kind), linewidth=2)
        assert {type(line) is gpuplot.TensorLine for line in lines} == {kind is Refused}
        drawn.append(pixels(ax.figure))
    plt.close("all")
    np.testing.assert_array_equal(*drawn)


def test_points_and_their_counts(ax, installed):
    points = ax.scatter(Refused(A[0]), Refused(A[1]), c=Refused(A[2]), cmap="magma")
    np.testing.assert_array_equal(points.get_offsets(), A[:2].T)
    np.testing.assert_array_equal(points.get_array(), A[2])
    found, expected = ax.hist2d(Refused(A[0]), A[1], bins=5), ax.hist2d(A[0], A[1], bins=5)
    assert type(found) is gpuplot.Histogram2D and type(expected) is tuple
    np.testing.assert_array_equal(found[0], expected[0])


def test_a_keyword_that_gpuplot_lacks_is_said(ax, installed):
    with pytest.raises((AttributeError, TypeError), match="cmpa"):
        ax.imshow(Refused(A), cmpa="gray")


@pytest.mark.parametrize("kind", ["bfloat16", "grad", "conj"])
def test_tensors_of_torch(kind, ax, installed):
    torch = pytest.importorskip("torch")
    t = torch.from_numpy(A.copy())
    X = {"bfloat16": t.bfloat16(), "grad": t.requires_grad_(), "conj": torch.conj(t * 1j)}[kind]
    assert type(ax.imshow(X)) is gpuplot.TensorImage
    assert type(ax.imshow(t.detach())) is AxesImage


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"])
def test_arrays_of_ml_dtypes(dtype, ax, installed):
    """Their extremes and bins are those of the numbers; where matplotlib converts them itself it still draws them."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    X = (1 + abs(A) * 3).astype(getattr(ml_dtypes, dtype))
    numbers = X.astype("float32")
    image = ax.imshow(X)
    assert type(image) is gpuplot.TensorImage and image.get_clim() == (numbers.min(), numbers.max())
    found, expected = ax.hist(X.ravel(), 9), np.histogram(numbers, 9)
    assert type(found) is gpuplot.Histogram
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_allclose(found[1], expected[1])
    assert type(ax.hist([X[0], X[1]], 9)) is gpuplot.Histogram
    assert [len(counts) for counts in ax.hist(X, 9)[0]] == [9] * X.shape[1]
    np.testing.assert_array_equal(ax.hist2d(X[0], X[1], bins=5)[0], np.histogram2d(numbers[0], numbers[1], bins=5)[0])
    np.testing.assert_array_equal(ax.scatter(A[0], A[1], s=X[2]).get_sizes(), numbers[2])
    assert type(ax.plot(X[0])[0]) is not gpuplot.TensorLine
    gpuplot.uninstall()
    plt.close("all")


def test_arrays_of_jax_with_bfloat16(ax, installed):
    jnp = pytest.importorskip("jax.numpy")
    assert type(ax.imshow(jnp.ones((5, 5), jnp.bfloat16))) is gpuplot.TensorImage
    assert type(ax.imshow(jnp.ones((5, 5)))) is AxesImage
    assert type(ax.imshow(jnp.arange(75, dtype=jnp.bfloat16).reshape(5, 5, 3) / 75)) is gpuplot.TensorImage


def test_arrays_on_a_device(emulated, ax, installed, monkeypatch):
    """Of a library, of raw memory, which NumPy knows nothing of, and a list of them."""
    from foreign_arrays import CupyArray
    from foreign_arrays import installed as import_libraries
    from foreign_memory import Runtime

    runtime = Runtime(emulated)
    import_libraries(monkeypatch, runtime)
    memory = emulated.upload(A)
    for X in (CupyArray(runtime, A), gpuplot.from_pointer(memory.pointer, A.shape, "float32"), [CupyArray(runtime, row) for row in A]):
        np.testing.assert_array_equal(ax.imshow(X).get_array(), A)
    memory.free()


# ---- what is drawn by matplotlib -------------------------------------------------------------------------------------

CALLS = {
    "image": lambda ax: ax.imshow(A, "magma", aspect="auto"), "masked image": lambda ax: ax.imshow(np.ma.masked_less(A, 0)),
    "rgb": lambda ax: ax.imshow(np.stack([abs(A)] * 3, -1)), "list": lambda ax: ax.imshow(A.tolist(), origin="lower"),
    "large image": lambda ax: ax.imshow(np.resize(A, (1100, 1000))), "bytes": lambda ax: ax.imshow((A * 100).astype("uint8")),
    "histogram": lambda ax: ax.hist(A.ravel(), 7), "histograms": lambda ax: ax.hist([A[0], A[1, :9]], histtype="step"),
    "lines": lambda ax: ax.plot(A[0], A[1], "r.-", A[2]), "dates": lambda ax: ax.plot(np.arange(3).astype("M8[D]"), [1, 2, 3]),
    "points": lambda ax: ax.scatter(A[0], A[1], c=A[2]), "texts": lambda ax: ax.scatter(["a", "b"], [1, 2]),
    "counts": lambda ax: ax.hist2d(A[0], A[1], 5), "named": lambda ax: ax.plot("x", "y", "", data={"x": [1, 2], "y": [2, 1]}),
    "scalar": lambda ax: ax.plot(1, 2, "o"),
}


@pytest.mark.parametrize("draw", CALLS.values(), ids=CALLS)
def test_what_matplotlib_takes_is_drawn_by_it(draw):
    """The same artists with the same pixels."""
    found = []
    for is_installed in (False, True):
        if is_installed:
            gpuplot.install()
        try:
            ax = plt.figure(figsize=(3, 2)).add_subplot()
            draw(ax)
            found.append(([type(artist) for artist in ax.get_children()], pixels(ax.figure)))
        finally:
            gpuplot.uninstall()
            plt.close("all")
    assert found[0][0] == found[1][0]
    np.testing.assert_array_equal(found[0][1], found[1][1])


WRONG = {
    "texts": lambda ax: ax.imshow(np.array([["a"]])), "objects": lambda ax: ax.imshow(np.array([[object()]])),
    "nothing": lambda ax: ax.imshow(), "a keyword": lambda ax: ax.imshow(A, cmpa="gray"), "a mapping": lambda ax: ax.imshow({"a": 1}),
    "a length": lambda ax: ax.plot([1, 2], [1, 2, 3]), "an argument": lambda ax: ax.hist(),
    "rows of lengths": lambda ax: ax.imshow([[1], [1, 2]]),
}


@pytest.mark.parametrize("draw", WRONG.values(), ids=WRONG)
def test_errors_of_matplotlib_stay(draw, ax):
    said = []
    for is_installed in (False, True):
        if is_installed:
            gpuplot.install()
        try:
            with pytest.raises(Exception) as caught:
                draw(ax)
            said.append((caught.type, str(caught.value)))
        finally:
            gpuplot.uninstall()
    assert said[0] == said[1]


def test_all_takes_large_arrays(ax):
    large = np.resize(A, (1100, 1000))
    gpuplot.install(all=True)
    try:
        assert type(ax.imshow(large)) is gpuplot.TensorImage and type(ax.imshow(A)) is AxesImage
        assert type(ax.hist(large.ravel(), 9)) is gpuplot.Histogram and type(ax.hist(A.ravel(), 9)) is tuple
        assert type(ax.plot(large.ravel())[0]) is gpuplot.TensorLine and type(ax.plot(A[0])[0]) is not gpuplot.TensorLine
        assert type(ax.scatter(large.ravel(), large.ravel())) is gpuplot.PointsImage
        gpuplot.install()
        assert type(ax.imshow(large)) is AxesImage
    finally:
        gpuplot.uninstall()


@pytest.mark.parametrize("call", [
    lambda ax, x: ax.hist(x, 7), lambda ax, x: ax.hist(x=x[:, :1]), lambda ax, x: ax.hist("a", 7, data={"a": x}),
    lambda ax, x: ax.hist(x, 7, weights=x**2, stacked=True, label=["a", "b", "c"])])
def test_all_counts_the_columns_of_an_array_apart(call, ax, monkeypatch):
    """As matplotlib does, whatever the size of the array; all other histograms of gpuplot have one data set for each tensor."""
    x = np.random.default_rng(4).normal(size=(50, 3))
    expected = call(ax, x)
    monkeypatch.setattr("gpuplot.mpl.install.is_large", lambda value: isinstance(value, np.ndarray))
    gpuplot.install(all=True)
    try:
        found = call(ax, x)
    finally:
        gpuplot.uninstall()
    assert type(found) is gpuplot.Histogram and np.shape(found[0]) == np.shape(expected[0])
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)
    np.testing.assert_array_equal(found[1], expected[1])


def test_all_leaves_calls_that_gpuplot_does_not_know(ax, monkeypatch):
    """A keyword that matplotlib has and gpuplot lacks goes on working; one that has its default value is none."""
    large = np.resize(A, 2**20 + 1)
    monkeypatch.setattr(gpuplot, "hist", lambda X, /, bins=None, *, range=None, ax=None: "gpuplot's")
    gpuplot.install(all=True)
    try:
        assert type(ax.hist(large, 9, density=True)) is tuple and type(ax.hist(large, 9, weights=large)) is tuple
        assert ax.hist(large, 9, range=(0, 1), density=False, weights=None) == ax.hist("a", data={"a": large}) == "gpuplot's"
    finally:
        gpuplot.uninstall()


def test_all_leaves_calls_that_gpuplot_refuses(ax):
    """Sizes and colors of single points, markers, many samples over x in no order: matplotlib draws them as it did."""
    large = np.resize(A, 2**20 + 1)
    with pytest.raises(ValueError, match="no sizes of their own"):
        gpuplot.scatter(large, large, large, ax=ax)
    gpuplot.install(all=True)
    try:
        assert type(ax.scatter(large, large, abs(large))) is PathCollection and type(ax.scatter(large, large, marker="x")) is PathCollection
        assert type(ax.scatter(large, large, c=np.zeros((large.size, 4)))) is PathCollection
        assert type(ax.scatter(large, large, hatch="x", linestyles="--")) is PathCollection  # properties that images lack: AttributeError
        with pytest.raises(ValueError, match="same size"):  # in matplotlib's words
            ax.scatter(large, large[1:])
    finally:
        gpuplot.uninstall()


def test_pandas_finds_the_scatter_that_its_colorbar_is_for():
    """It takes the last one of Axes.collections, where an image is not."""
    pd = pytest.importorskip("pandas", reason="pip install pandas")
    frame = pd.DataFrame({"x": np.linspace(0, 1, 2**20 + 1), "y": 0.5, "c": 2.0})
    gpuplot.install(all=True)
    try:
        ax = frame.plot.scatter("x", "y", c="c")
        assert type(ax.collections[0]) is PathCollection and len(ax.figure.axes) == 2
        plt.close(ax.figure)
    finally:
        gpuplot.uninstall()


# ---- methods stay methods --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PATCHED)
def test_names_signatures_and_docstrings_stay(name):
    before = getattr(matplotlib.axes.Axes, name)
    facts = [(f.__name__, f.__qualname__, f.__module__, f.__doc__, inspect.signature(f)) for f in [before]]
    gpuplot.install()
    try:
        after = getattr(matplotlib.axes.Axes, name)
        assert [(f.__name__, f.__qualname__, f.__module__, f.__doc__, inspect.signature(f)) for f in [after]] == facts
        assert pickle.loads(pickle.dumps(after)) is after
    finally:
        gpuplot.uninstall()


def test_bound_methods_and_figures_are_pickled(ax, installed):
    ax.imshow(A)
    method = pickle.loads(pickle.dumps(ax.imshow))
    assert type(method(Refused(A))) is gpuplot.TensorImage
    np.testing.assert_array_equal(pixels(pickle.loads(pickle.dumps(ax.figure))), pixels(ax.figure))


def test_what_is_drawn_stays_when_it_is_put_back(ax):
    gpuplot.install()
    ax.imshow(Refused(A))
    before = pixels(ax.figure)
    gpuplot.uninstall()
    np.testing.assert_array_equal(pixels(ax.figure), before)


def wrapped(name, calls, is_told):
    """What another library puts in the place of a method."""
    inner = getattr(matplotlib.axes.Axes, name)

    def method(ax, *args, **keywords):
        calls.append(name)
        return inner(ax, *args, **keywords)
    return functools.wraps(inner)(method) if is_told else method


@pytest.mark.parametrize("is_told", [True, False], ids=["wraps", "plain"])
def test_what_others_wrapped_in_between_stays_theirs(is_told, ax, monkeypatch):
    original, calls = matplotlib.axes.Axes.imshow, []
    gpuplot.install()
    theirs = wrapped("imshow", calls, is_told)
    matplotlib.axes.Axes.imshow = theirs
    try:
        gpuplot.uninstall()
        assert matplotlib.axes.Axes.imshow is theirs and type(ax.imshow(A)) is AxesImage
        with pytest.raises(TypeError):
            ax.imshow(Refused(A))
        gpuplot.install()
        assert type(ax.imshow(Refused(A))) is gpuplot.TensorImage
        assert (matplotlib.axes.Axes.imshow is theirs) == is_told  # a wrapper that does not say so is wrapped once more
        gpuplot.uninstall()
        assert matplotlib.axes.Axes.imshow is theirs and type(ax.imshow(A)) is AxesImage and len(calls) > 2
    finally:
        gpuplot.uninstall()
        matplotlib.axes.Axes.imshow = original


def test_a_class_of_axes_with_methods_of_its_own(monkeypatch, installed):
    """Large arrays, too: Axes in three dimensions turn the lines of `Axes.plot` into their own."""
    monkeypatch.setattr("gpuplot.mpl.install.is_large", lambda value: isinstance(value, np.ndarray))
    gpuplot.install(all=True)
    ax = plt.figure().add_subplot(projection="3d")
    x = np.arange(60_000.0)
    drawn = [*ax.plot(x[:9], x[:9], x[:9]), ax.scatter(x, x, x)]
    assert [type(one).__name__ for one in drawn] == ["Line3D", "Path3DCollection"]
    ax.figure.canvas.draw()
    n, *_ = ax.hist(Refused(A), 3)
    assert n.sum() == A.size
    plt.close("all")


# ---- notebooks -------------------------------------------------------------------------------------------------------

IN_IPYTHON = """
import numpy as np
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
text = lambda X: shell.display_formatter.format(X)[0]["text/plain"]
large, small, objects = np.arange(5000.0), np.arange(3.0), np.array([None] * 2000)
plain = [text(X) for X in (large, small, objects)]
{body}
"""


def in_ipython(body):
    pytest.importorskip("IPython")
    done = subprocess.run([sys.executable, "-c", IN_IPYTHON.format(body=body)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_extension():
    in_ipython("""
import matplotlib.axes as m
before = m.Axes.imshow
shell.run_line_magic("load_ext", "gpuplot")
assert m.Axes.imshow is not before
assert [text(X) for X in (large, small, objects)] == plain
shell.run_line_magic("unload_ext", "gpuplot")
assert m.Axes.imshow is before
""")


def test_summaries():
    in_ipython("""
import gpuplot
mine = lambda X, printer, cycle: printer.text("somebody's")
shell.display_formatter.formatters["text/plain"].for_type_by_name("torch", "Tensor", mine)
gpuplot.install(summaries=True)
assert text(large) == repr(gpuplot.stats(large)) and "mean 2500" in text(large)
assert [text(small), text(objects)] == plain[1:]
assert repr(large) != text(large)
gpuplot.install(summaries=True)
gpuplot.uninstall()
assert [text(X) for X in (large, small, objects)] == plain
formatter = shell.display_formatter.formatters["text/plain"]
assert formatter.lookup_by_type("torch.Tensor") is mine
""")


def test_summaries_of_torch():
    pytest.importorskip("torch")
    in_ipython("""
import gpuplot, torch
gpuplot.install(summaries=True)
assert text(torch.zeros(9, 999)).startswith("float32 (9, 999) cpu")
assert text(torch.nn.Parameter(torch.zeros(2000))).startswith("float32 (2000,)")
assert text(torch.zeros(3)) == repr(torch.zeros(3)) and text(torch.zeros(2000, device="meta")) == repr(torch.zeros(2000, device="meta"))
""")


def test_summaries_are_refused_elsewhere():
    before = matplotlib.axes.Axes.imshow
    with pytest.raises(RuntimeError, match="for IPython and notebooks"):
        gpuplot.install(summaries=True)
    assert matplotlib.axes.Axes.imshow is before
