"""`plot` as in matplotlib: its arguments, which lines they are, and their names."""

import datetime
import functools
import re
import warnings
from collections import UserDict

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figures import axes_of, pixels
from foreign_arrays import losses_of
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from sample_lines import RNG, SHORT, decorated, points

import gpuplot
from gpuplot.arrays import lazy_arrays
from gpuplot.errors import UnsupportedError
from gpuplot.mpl.lines import line_groups
from gpuplot.plane import line_samples


@pytest.fixture
def ax():
    return decorated()


@pytest.mark.parametrize(("args", "keywords"), [
    ((SHORT,), {}),
    ((SHORT, "r.-"), {"lw": 3}),
    ((SHORT,), {"ls": "-."}),
    ((SHORT,), {"ls": "", "marker": "."}),
    ((np.arange(50) * 2, SHORT, "C2--"), {}),
    ((SHORT, "o", SHORT + 1, SHORT, "k:"), {}),
    ((SHORT.tolist(), SHORT.astype("i4"), np.arange(50), SHORT), {"c": "g", "alpha": 0.5}),
    ((SHORT.reshape(25, 2),), {"label": ["a", "b"], "markevery": 3, "marker": "s"}),
    ((np.arange(25), SHORT.reshape(25, 2), "--"), {}),
    ((SHORT.reshape(25, 2), SHORT.reshape(25, 2)[:, 0]), {}),
    ((np.ma.masked_greater(SHORT, 1),), {}),
    (([],), {}),
    ((3.0, 4.0, "o"), {}),
])
def test_arguments_are_those_of_matplotlib(args, keywords):
    """The same number of lines with the same look, the same limits, the same picture."""
    drawn = []
    warnings.simplefilter("error")
    for plot in (lambda ax: ax.plot(*args, **keywords), lambda ax: gpuplot.plot(*args, ax=ax, **keywords)):
        ax = axes_of()
        ax.plot([0, 1], [0, 1])  # the cycle of colors goes on
        lines = plot(ax)
        drawn.append((pixels(ax.figure), ax.get_xlim(), ax.get_ylim(),
                      [(line.get_color(), line.get_linestyle(), line.get_marker(), line.get_label()) for line in lines]))
    np.testing.assert_array_equal(drawn[0][0], drawn[1][0])
    assert drawn[0][1:] == drawn[1][1:]


def test_lines_are_lines(ax):
    line, = gpuplot.plot(SHORT, ax=ax)
    assert isinstance(line, Line2D)
    assert isinstance(line, gpuplot.TensorLine)
    assert ax.lines[0] is line


def test_pyplot_is_the_default():
    line, = gpuplot.plot(SHORT, gid="mine", url="u", zorder=7, picker=True)
    assert line.axes is plt.gca()
    assert (line.get_gid(), line.get_url(), line.get_zorder(), line.get_picker()) == ("mine", "u", 7, True)
    assert line.get_pickradius() == 5  # it was True, one point


def test_no_arguments_are_no_lines(ax):
    assert gpuplot.plot(ax=ax) == []


def test_data(ax):
    """Names of columns; the one of y is the label."""
    table = {"t": np.arange(50), "loss": SHORT}
    for args, label in ((("t", "loss"), "loss"), (("loss",), "loss"), (("t", "loss", "r--"), "loss")):
        line, = gpuplot.plot(*args, data=table, ax=ax)
        assert line.get_label() == label
        np.testing.assert_array_equal(line.get_ydata(), SHORT)
    with pytest.raises(ValueError, match="arbitrary long args"):
        gpuplot.plot("t", "loss", "r", "t", data=table, ax=ax)


def test_a_column_whose_name_is_a_format(ax):
    """As in matplotlib it is data, with a warning; an empty format says that this is meant."""
    table = {"a": np.arange(50), "b": SHORT, "loss": SHORT}
    with pytest.warns(gpuplot.GpuplotWarning, match=r"'b' could be a format, .* plot\('a', 'b', ''"):
        line, = gpuplot.plot("a", "b", data=table, ax=ax)
    assert line.get_label() == "b" and not mpl.colors.same_color(line.get_color(), "b")
    np.testing.assert_array_equal(line.get_ydata(), SHORT)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert gpuplot.plot("a", "b", "", data=table, ax=ax)[0].get_label() == "b"
        assert gpuplot.plot("a", "loss", data=table, ax=ax)[0].get_label() == "loss"
        assert mpl.colors.same_color(gpuplot.plot("loss", "r", data=table, ax=ax)[0].get_color(), "r")


@pytest.mark.parametrize("args", [(SHORT, None), (None,)])
def test_nothing_in_place_of_data(args, ax):
    with pytest.raises(ValueError, match="must not be None"):
        gpuplot.plot(*args, ax=ax)


def test_any_axis_of_a_tensor_is_the_series(ax):
    stack = RNG.normal(size=(3, 40, 2)).astype("f2")
    lines = gpuplot.plot(stack, x=1, ax=ax, label=list("abcdef"))
    want = [stack[i, :, k] for i in range(3) for k in range(2)]
    for line, y in zip(lines, want, strict=True):
        np.testing.assert_array_equal(points(line)[:, 1], y)
        np.testing.assert_array_equal(line.get_ydata(), y)
    xs = np.linspace(0, 1, 40)
    np.testing.assert_array_equal(points(gpuplot.plot(xs, stack, x=-2, ax=ax)[5])[:, 0], xs)


def test_names_of_axes_say_which_one(ax):
    xarray = pytest.importorskip("xarray")
    array = xarray.DataArray(np.zeros((4, 9)), dims=("channel", "time"))
    assert [line.length for line in gpuplot.plot(array, x="time", ax=ax)] == [9] * 4


@pytest.mark.parametrize("coordinates", ["numbers", "dates", "falling"])
def test_coordinates_along_the_lines_are_x(ax, coordinates):
    """Of lines, and of their density; not where x is given. As the index of a table is x; a series of dates once lost them."""
    xarray = pytest.importorskip("xarray")
    along = {"numbers": np.arange(9) * 0.5 + 3, "dates": np.arange("2026-01-01", "2026-01-10", dtype="datetime64[D]"),
             "falling": np.arange(9.0)[::-1]}[coordinates]
    array = xarray.DataArray(RNG.normal(size=(4, 9)), dims=("channel", "time"), coords={"time": along})
    line, *_ = gpuplot.plot(array, x="time", ax=ax)
    np.testing.assert_array_equal(points(line)[:, 0], mpl.dates.date2num(along) if coordinates == "dates" else along)
    image = gpuplot.plot(array, x=1, density=True, ax=decorated())
    assert image.axes.get_xlim() == ax.get_xlim()
    np.testing.assert_array_equal(points(gpuplot.plot(np.arange(9), array, x="time", ax=decorated())[0])[:, 0], np.arange(9))
    for chosen in (None, "time"):
        np.testing.assert_array_equal(points(gpuplot.plot(array[0], x=chosen, ax=decorated())[0])[:, 0], points(line)[:, 0])
    np.testing.assert_array_equal(points(gpuplot.plot(array.T, ax=decorated())[0])[:, 0], points(line)[:, 0])


@pytest.mark.parametrize("draw", [
    functools.partial(function, **options) for function, options in (
        (gpuplot.plot, {}), (gpuplot.plot, {"density": True}), (gpuplot.scatter, {}), (gpuplot.hist2d, {"bins": 3}))])
@pytest.mark.parametrize("x", [np.arange(9) * 0.5, np.arange("2026-01-01", "2026-01-10", dtype="datetime64[D]"),
                               np.arange(9).astype("timedelta64[h]")], ids=["numbers", "dates", "durations"])
def test_a_given_x_of_xarray_labels_its_axis(draw, x, ax):
    """Points had the label of numbers and not of dates, lines none."""
    xarray = pytest.importorskip("xarray")
    if x.dtype.kind == "m" and draw.func is gpuplot.hist2d:
        pytest.skip("refuses durations")
    array = xarray.DataArray(np.arange(9.0), dims="k", coords={"when": ("k", x)}, name="temp", attrs={"units": "K"})
    draw("when", "temp", data=array.to_dataset(), ax=ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("when", "temp [K]")


@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize(("names", "texts"), [
    (["low", "mid", "high"], ["low", "mid", "high"]), (np.array(["b", "a", "c"], object), ["b", "a", "c"]),
    (["a", "b", "a"], None), ([("a", 1), ("a", 2), ("b", 1)], None), ([f"run {i}" for i in range(101)], None),
])
def test_names_along_the_lines_are_categories(names, texts, density):
    """As those of a pandas index are; not where two are equal, which would share a place, and where they would be a heap of ticks."""
    xarray = pytest.importorskip("xarray")
    coordinate = np.empty(len(names), object)
    coordinate[:] = names
    array = xarray.DataArray(RNG.normal(size=(len(names), 2)), dims=("run", "k"), coords={"run": coordinate})
    ax, other = decorated(), decorated()
    gpuplot.plot(array, ax=ax, density=density)
    gpuplot.plot(np.arange(len(names)), array.values, ax=other, density=density)
    assert ax.get_xlim() == other.get_xlim()
    ax.figure.canvas.draw()
    shown = [label.get_text() for label in ax.get_xticklabels()]
    assert shown == texts if texts else not {str(name) for name in names} & set(shown)


@pytest.mark.parametrize("columns", [[10.0, 20.0, 40.0], ["a", "b", "c"]])
@pytest.mark.parametrize("n_rows", [3, 5])
def test_lines_along_the_columns_of_a_table_have_these_as_x(n_rows, columns):
    """The index of the rows was their x: an error, and in a table with as many rows as columns a wrong graph."""
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(RNG.normal(size=(n_rows, 3)), index=pandas.date_range("2026-01-01", periods=n_rows), columns=columns)
    for axis in (1, -1):
        ax = decorated()
        lines = gpuplot.plot(table, x=axis, ax=ax)
        np.testing.assert_array_equal([points(line)[:, 0] for line in lines],
                                      [columns if columns[0] == 10.0 else [0, 1, 2]] * n_rows)
        np.testing.assert_array_equal([points(line)[:, 1] for line in lines], table.to_numpy())
    image = gpuplot.plot(table, x=1, density=True, ax=decorated())
    assert image.axes.get_xlim() == ax.get_xlim()


def test_xarray_labels_its_lines_and_axes(ax):
    """As in xarray's own plots; a label and the labels of the Axes that somebody gave stay."""
    xarray = pytest.importorskip("xarray")
    array = xarray.DataArray(RNG.normal(size=(9, 3)), dims=("time", "lat"), name="temp", attrs={"units": "K"},
                             coords={"time": np.arange(9) * 0.5, "lat": [10, 20, 30]})
    lines = gpuplot.plot(array, x="time", ax=ax)
    assert ([line.get_label() for line in lines], ax.get_xlabel(), ax.get_ylabel()) == (["10", "20", "30"], "time", "temp [K]")
    lines = gpuplot.plot(array.T, x="lat", label="now", ax=ax)
    assert ({line.get_label() for line in lines}, ax.get_xlabel()) == ({"now"}, "time")
    image = gpuplot.plot(array, x="time", density=True, ax=decorated())
    assert (image.axes.get_xlabel(), image.axes.get_ylabel()) == ("time", "temp [K]")
    counted, given = decorated(), decorated()
    gpuplot.plot(array[:, 0], ax=counted)
    gpuplot.plot(np.arange(9), array[:, 0], ax=given)
    assert (counted.get_xlabel(), given.get_xlabel(), given.get_ylabel()) == ("time", "", "temp [K]")
    *_, last = gpuplot.plot(array.expand_dims(run=["a", "b"]).drop_vars("lat"), x="time", ax=ax)
    assert last.get_label() == "b, 2"


def test_columns_of_a_table_label_its_lines(ax):
    """The Axes stay as matplotlib leaves them, where the index has no name."""
    pandas = pytest.importorskip("pandas")
    lines = gpuplot.plot(pandas.DataFrame(RNG.normal(size=(9, 2)), columns=["loss", "error"]), ax=ax)
    assert ([line.get_label() for line in lines], ax.get_xlabel(), ax.get_ylabel()) == (["loss", "error"], "", "")
    unnamed, _ = gpuplot.plot(pandas.DataFrame(RNG.normal(size=(9, 2))), ax=ax)
    assert unnamed.get_label().startswith("_")


@pytest.mark.parametrize("steps", [range(9), range(0, 90, 10)])
def test_the_name_of_an_index_labels_the_x_axis(steps, ax):
    """As in the plots of pandas itself, and as in imshow; a label that somebody gave stays."""
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(RNG.normal(size=(9, 2)), columns=["loss", "error"], index=pandas.Index(steps, name="step"))
    for y in (table, table["loss"]):
        new = decorated()
        gpuplot.plot(y, ax=new)
        assert (new.get_xlabel(), new.get_ylabel()) == ("step", "")
    image = gpuplot.plot(table.rename_axis(columns="curve"), x=1, density=True, ax=decorated())
    assert image.axes.get_xlabel() == "curve"
    ax.set_xlabel("mine")
    gpuplot.plot(table, ax=ax)
    assert ax.get_xlabel() == "mine"


def test_too_many_axes_and_lines(ax):
    with pytest.raises(ValueError, match=r"y has 3 axes, shape \(2, 3, 4\): say which one is the series, such as x=2"):
        gpuplot.plot(np.zeros((2, 3, 4)), ax=ax)
    n = line_groups.MAX_LINES
    with pytest.raises(ValueError, match=f"has {n + 1} lines along axis 0, at most {n} are drawn: x=1 draws the 5 along axis 1;"):
        gpuplot.plot(np.zeros((5, n + 1)), ax=ax)
    for shape, x, part in (((n + 1, n + 1), 0, r"y\[:, :256\];"), ((500, 300), 1, r"y\[:256\], or another axis, such as x=0;"),
                           ((4, 100, 1000), 2, r"y\[:, :64\];")):
        with pytest.raises(ValueError, match=f"are drawn: density=True .*, such as {part}"):
            gpuplot.plot(np.zeros(shape), x=x, ax=ax)
    assert len(gpuplot.plot(np.zeros((5, n)), ax=ax)) == n
    with pytest.raises(ValueError, match="axis 3 does not exist"):
        gpuplot.plot(np.zeros((5, 2)), x=3, ax=ax)


def test_losses_on_a_device(runtime, ax):
    """A list of numbers that lie in the memory of a device is gathered there."""
    losses = losses_of(runtime, "torch", 40)
    np.testing.assert_array_equal(points(gpuplot.plot(losses, ax=ax)[0])[:, 1], np.arange(40))


@pytest.mark.parametrize("x", [
    np.arange("2026-01-01", "2026-02-20", dtype="M8[D]"),
    [datetime.date(2026, 1, 1) + datetime.timedelta(days=i) for i in range(50)],
    [f"class {i % 9}" for i in range(50)],
])
def test_dates_and_categories(x):
    """Limits and points are matplotlib's, and so are ticks where all have room, with its short texts of dates."""
    drawn = []
    for plot in (lambda ax: ax.plot(x, SHORT), lambda ax: gpuplot.plot(x, SHORT, ax=ax)):
        ax = decorated()
        ax.figure.set_size_inches(9, 3)
        with mpl.rc_context({"date.converter": "concise"}):
            line, = plot(ax)
        ax.figure.canvas.draw()
        drawn.append((line.get_xydata().tolist(), ax.get_xlim(), [text.get_text() for text in ax.get_xticklabels()]))
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("draw", [gpuplot.plot, lambda X, ax: gpuplot.scatter(X, X, ax=ax)], ids=["plot", "scatter"])
@pytest.mark.parametrize("library, column", [("numpy", "X[:, 0]"), ("pandas", "X['a']"), ("polars", "X['a']")])
def test_tables_of_texts(ax, draw, library, column):
    """They were told to convert texts to floats, or to open a file; one column is drawn, as categories."""
    X = {"a": ["u", "v"], "b": ["w", "u"]}
    X = np.array(list(X.values())).T if library == "numpy" else pytest.importorskip(library).DataFrame(X)
    with pytest.raises(gpuplot.UnsupportedError, match=re.escape(f"of one column at a time, not of a table: give one, such as {column}")):
        draw(X, ax=ax)
    draw(eval(column), ax=ax)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["u", "v"]


def test_sparse_columns_that_would_be_large(ax, monkeypatch):
    """Memory for all of their elements, and for the numbers of their index, was allocated before they were refused."""
    pandas = pytest.importorskip("pandas")
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", 100)
    column = pandas.Series(pandas.arrays.SparseArray(SHORT, fill_value=0))
    monkeypatch.setattr(pandas.RangeIndex, "to_numpy", None)
    monkeypatch.setattr(pandas.arrays.SparseArray, "__array__", None)
    for draw in (gpuplot.plot, gpuplot.hist, lambda X, ax: gpuplot.scatter(X, X, ax=ax), lambda X, ax: gpuplot.hist2d(X, X, ax=ax)):
        with pytest.raises(gpuplot.UnsupportedError, match=r"is not in memory .* X.sparse.to_dense\(\)"):
            draw(column, ax=ax)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_column_labels_its_line_by_its_name(ax, library):
    Series = pytest.importorskip(library).Series
    named, other = (Series(SHORT, name=name) if library == "pandas" else Series(name, SHORT) for name in ("loss", "$x_%$"))
    gpuplot.plot(named, ax=ax)
    gpuplot.plot(SHORT, other, "--", ax=ax)
    gpuplot.plot(named, ax=ax, label="chosen")
    gpuplot.plot(Series(SHORT), ax=ax)
    assert ax.get_legend_handles_labels()[1] == ["loss", r"\$x_%\$", "chosen"]
    assert not ax.get_xlabel() and not ax.get_ylabel()


def test_a_range_of_pandas_is_not_made_into_numbers(ax, monkeypatch):
    """The index of a column without one took eight bytes for each of its elements."""
    pandas = pytest.importorskip("pandas")
    monkeypatch.setattr(pandas.RangeIndex, "to_numpy", None)
    line, = gpuplot.plot(pandas.Series(SHORT), ax=ax)
    assert list(line.get_xdata()) == list(range(len(SHORT)))


def test_an_index_of_pandas_is_x(ax):
    pandas = pytest.importorskip("pandas")
    column = pandas.Series(SHORT, index=np.arange(50) * 3.0)
    np.testing.assert_array_equal(points(gpuplot.plot(column, ax=ax)[0])[:, 0], np.arange(50) * 3.0)


def test_complex_is_refused(ax):
    with pytest.raises(TypeError, match=r"y is complex, .* such as z.real and z.imag, its size abs\(z\), or its path"):
        gpuplot.plot(np.ones(5, complex), ax=ax)


@pytest.mark.parametrize(("call", "error", "text"), [
    (lambda ax: gpuplot.plot(np.arange(3), np.arange(4), ax=ax), ValueError, "same first dimension"),
    (lambda ax: gpuplot.plot([1], np.zeros((5, 0)), ax=ax), ValueError, r"same first dimension.*\(1,\) and \(5, 0\)"),
    (lambda ax: gpuplot.plot(SHORT, ax=ax, agg="lttb"), ValueError, "agg='lttb' is not one of m4"),
    (lambda ax: gpuplot.plot(SHORT, ax=ax, colour="r"), AttributeError, "colour"),
    (lambda ax: gpuplot.plot(SHORT, "nonsense", ax=ax), ValueError, "nonsense"),
    (lambda ax: gpuplot.plot(SHORT.reshape(25, 2), label=["a"], ax=ax), ValueError, "found 1 for 2 datasets"),
    (lambda ax: gpuplot.plot(ax, SHORT), TypeError, "ax=ax"),
    (lambda ax: gpuplot.plot(np.array(["a", 3, None], object), np.arange(3), ax=ax), TypeError, "elements of dtype object are not numbers"),
])
def test_wrong_calls_add_nothing(call, error, text, ax):
    with pytest.raises(error, match=text):
        call(ax)
    assert not ax.lines


def test_x_in_no_order(ax, monkeypatch):
    """All of few samples are drawn, as matplotlib does; of more the error says what to do."""
    x = RNG.random(3000)
    y = RNG.random(3000)
    assert len(points(gpuplot.plot(x, y, ax=ax)[0])) == 3000
    monkeypatch.setattr(line_samples, "MAX_UNSORTED_SAMPLES", 2999)
    with pytest.raises(ValueError, match=r"3,000 samples are more than the 2,999 .* sort both by x, such as i = x.argsort\(\)"):
        gpuplot.plot(x, y, ax=ax)
    assert len(ax.lines) == 1


def test_names_of_a_dict_label_its_lines(ax):
    curves = {"train": RNG.normal(size=20), "val": [1.0, 2.0, 3.0]}
    lines = gpuplot.plot(curves, "r.-", ax=ax)
    assert [line.get_label() for line in lines] == ["train", "val"] and {line.get_marker() for line in lines} == {"."}
    assert [line.length for line in lines] == [20, 3]
    for args, said in ((({},), "a dict without tensors has no lines"), ((curves, [1, 2]), "a dict has tensors, and no argument but")):
        with pytest.raises(ValueError, match=said):
            gpuplot.plot(*args, ax=ax)
    before = len(ax.lines)
    with pytest.raises(TypeError):
        gpuplot.plot({"a": [1, 2], "b": object()}, ax=ax)
    assert len(ax.lines) == before
    image = gpuplot.plot({"a": SHORT, "b": np.zeros((9, 2))}, density=True, ax=decorated())
    assert image.n_lines == 3
    with pytest.raises(ValueError, match="the format '.-' is for single lines"):
        gpuplot.plot({"a": SHORT}, ".-", density=True, ax=ax)
    with pytest.raises(ValueError, match="a dict without tensors has no lines"):
        gpuplot.plot({}, density=True, ax=ax)


def test_nested_mappings_are_entered_once(ax):
    """A dict that holds itself was entered until Python's stack was full."""
    curves = {"train": {"loss": [3.0, 2.0], "again": {}}, "val": UserDict(loss=[3.0, 2.5, 2.0])}
    curves["train"]["again"]["all"] = curves
    lines = gpuplot.plot(curves, ax=ax)
    assert [(line.get_label(), line.length) for line in lines] == [("train.loss", 2), ("val.loss", 3)]
    assert gpuplot.plot(curves, density=True, ax=decorated()).n_lines == 2
    deep = {}
    for _ in range(70):
        deep = {"a": deep}
    with pytest.raises(ValueError, match="nested more than 64 levels deep"):
        gpuplot.plot(deep, ax=ax)


def test_none_in_a_mapping_is_left_out(ax):
    """Gradients of frozen parameters are None; hist, grid, stats and inspect leave them out, too."""
    gradients = {"0": {"weight": None, "bias": [1.0, 2.0]}, "1.bias": [3.0, 4.0, 5.0], "2.bias": None}
    assert [line.get_label() for line in gpuplot.plot(gradients, ax=ax)] == ["0.bias", "1.bias"]
    assert gpuplot.plot(gradients, density=True, ax=decorated()).n_lines == 2
    for density in (False, True):
        with pytest.raises(ValueError, match="a dict without tensors has no lines"):
            gpuplot.plot({"a": None}, density=density, ax=ax)


@pytest.mark.parametrize("draw", [gpuplot.plot, functools.partial(gpuplot.plot, density=True), gpuplot.hist, gpuplot.grid])
def test_what_cannot_be_read_of_a_collection_is_named(draw):
    """A checkpoint may have hundreds of entries, among them the arguments of a program."""
    with pytest.raises(UnsupportedError, match=r"^'run\.args': .* object is neither an array .*; or leave it out$"):
        draw({"losses": [1.0, 2.0], "run": {"args": object()}})


@pytest.mark.parametrize("density", [False, True])
def test_an_entry_whose_lines_cannot_be_drawn_is_named(density):
    """Errors called it y, whichever of many it was; those about other arguments name no entry."""
    for wrong, error, message in ((np.zeros((2, 3, 4)), ValueError, "^'run.b': y has 3 axes"), ([1j], TypeError, "^'run.b': y is complex")):
        with pytest.raises(error, match=message):
            gpuplot.plot({"a": [1.0, 2.0], "run": {"b": wrong}}, density=density, ax=decorated())
    with pytest.raises(ValueError, match="^x: there is no axis 'k'"):
        gpuplot.plot({"a": [1.0, 2.0]}, x="k", density=density, ax=decorated())


@pytest.mark.parametrize("draw", [
    lambda X: gpuplot.plot([1, 2], X), lambda X: gpuplot.scatter(X, X), lambda X: gpuplot.hist2d(X, X), gpuplot.asnumpy,
])
@pytest.mark.parametrize("keys", [("a", "b"), (0, 1)])
def test_keys_are_not_drawn(draw, keys):
    """The keys of objects other than a dict were drawn as categories, or read as numbers."""
    with pytest.raises(UnsupportedError, match=r"UserDict holds values under keys, choose one with X\[key\]"):
        draw(UserDict(zip(keys, ([3.0, 4.0], [5.0, 6.0]), strict=True)))


@pytest.mark.parametrize("index, x", [
    (lambda pandas: pandas.MultiIndex.from_product([["a", "b"], [1, 2]]), None),
    (lambda pandas: pandas.period_range("2020-01", periods=4, freq="M"), np.array(["2020-01", "2020-02", "2020-03", "2020-04"], "M8[us]")),
    (lambda pandas: pandas.interval_range(0, 8, 4), [1, 3, 5, 7]),
])
def test_an_index_that_is_no_numbers(index, x, ax):
    """As after a groupby of two columns, or a resample; its levels were taken for the reason why nothing could be drawn."""
    pandas = pytest.importorskip("pandas")
    line, = gpuplot.plot(pandas.Series([3.0, 1.0, 2.0, 5.0], index(pandas)), ax=ax)
    other, = gpuplot.plot([3.0, 1.0, 2.0, 5.0], ax=ax) if x is None else gpuplot.plot(x, [3.0, 1.0, 2.0, 5.0], ax=ax)
    np.testing.assert_array_equal(points(line), points(other))


def test_durations_are_numbers_in_their_unit():
    x = np.array([0, 1500, "NaT", 4000], "m8[ms]")
    ours, theirs = decorated(), decorated()
    line, = gpuplot.plot(x, np.arange(4.0), ax=ours)
    np.testing.assert_array_equal(line.get_xydata()[:, 0], [0, 1500, np.nan, 4000])
    whole = x[[0, 1, 3]]
    gpuplot.plot(np.arange(3.0), whole, ax=ours)
    theirs.plot(np.arange(3.0), whole)
    np.testing.assert_array_equal(ours.lines[-1].get_xydata(), theirs.lines[-1].get_xydata())


@pytest.mark.parametrize("module, make", [
    ("pandas", lambda pandas, x: pandas.Series(x)), ("pandas", lambda pandas, x: pandas.TimedeltaIndex(x)),
    ("polars", lambda polars, x: polars.Series(x)), ("xarray", lambda xarray, x: xarray.DataArray(x, dims="t")),
    ("dask.array", lambda da, x: da.from_array(x, chunks=2)), ("zarr", lambda zarr, x: zarr.create_array({}, data=x, chunks=2))])
def test_columns_of_durations_are_numbers_in_their_unit(module, make):
    """As those of NumPy are."""
    x = make(pytest.importorskip(module), np.array([0, 1500, 4000], "m8[ms]"))
    ours, theirs = decorated(), decorated()
    line, = gpuplot.plot(x, [1, 2, 4], ax=ours)
    plain = np.asarray(x)  # matplotlib takes no zarr arrays
    np.testing.assert_array_equal(line.get_xydata(), theirs.plot(plain, [1, 2, 4])[0].get_xydata())
    points = gpuplot.scatter([1, 2, 4], x, ax=ours)
    np.testing.assert_array_equal(points.get_offsets(), theirs.scatter([1, 2, 4], plain).get_offsets())


@pytest.mark.parametrize("draw, others", [(gpuplot.plot, ", or call matplotlib's own"), (gpuplot.scatter, ", or call matplotlib's own"),
                                          (functools.partial(gpuplot.plot, density=True), ", or call"), (gpuplot.hist2d, "$")])
def test_axes_of_three_dimensions_are_refused(draw, others):
    ax = Figure().add_subplot(projection="3d")
    with pytest.raises(ValueError, match=f"in two dimensions, and the Axes have three: give ax= others{others}"):
        draw([1, 2], [1, 2], ax=ax)
    assert not ax.lines and not ax.collections and not ax.images
