"""`plot` as in matplotlib: arguments, limits of the Axes, markers, legends."""

import datetime
import warnings

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figures import axes_of, pixels
from foreign_arrays import losses_of
from matplotlib.lines import Line2D
from sample_lines import LONG, RNG, SHORT, decorated, points

import gpuplot
from gpuplot.mpl import line_groups
from gpuplot.plane import line_samples


@pytest.fixture
def ax():
    return decorated()


# ---- arguments --------------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize("converter", ["auto", "concise"])
def test_dates_of_coordinates_have_short_texts(density, converter):
    """Long ones lie on each other in a small subplot. Dates that are given as x have those of matplotlib, as in `Axes.plot`."""
    xarray = pytest.importorskip("xarray", reason="has coordinates: pip install xarray")
    days = np.arange("2024-01-01", "2026-03-01", dtype="datetime64[D]")
    y = xarray.DataArray(np.arange(float(len(days))), dims="time", coords={"time": days})
    concise = mpl.dates.ConciseDateFormatter
    with mpl.rc_context({"date.converter": converter}):
        for args, is_concise in (((y,), True), ((days, y.values), converter == "concise")):
            ax = plt.figure(figsize=(3, 2)).add_subplot()
            gpuplot.plot(*args, ax=ax, density=density)
            assert isinstance(ax.xaxis.get_major_formatter(), concise) is is_concise
            assert mpl.rcParams["date.converter"] == converter


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
    """The Axes stay as matplotlib leaves them."""
    pandas = pytest.importorskip("pandas")
    lines = gpuplot.plot(pandas.DataFrame(RNG.normal(size=(9, 2)), columns=["loss", "error"]), ax=ax)
    assert ([line.get_label() for line in lines], ax.get_xlabel(), ax.get_ylabel()) == (["loss", "error"], "", "")
    unnamed, _ = gpuplot.plot(pandas.DataFrame(RNG.normal(size=(9, 2))), ax=ax)
    assert unnamed.get_label().startswith("_")


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
    """Ticks, limits and points are matplotlib's."""
    drawn = []
    for plot in (lambda ax: ax.plot(x, SHORT), lambda ax: gpuplot.plot(x, SHORT, ax=ax)):
        ax = decorated()
        line, = plot(ax)
        ax.figure.canvas.draw()
        drawn.append((line.get_xydata().tolist(), ax.get_xlim(), [text.get_text() for text in ax.get_xticklabels()]))
    assert drawn[0] == drawn[1]


def test_an_index_of_pandas_is_x(ax):
    pandas = pytest.importorskip("pandas")
    column = pandas.Series(SHORT, index=np.arange(50) * 3.0)
    np.testing.assert_array_equal(points(gpuplot.plot(column, ax=ax)[0])[:, 0], np.arange(50) * 3.0)


def test_complex_is_refused(ax):
    with pytest.raises(TypeError, match=r"y is complex, .* such as z.real and z.imag, its size abs\(z\), or its path"):
        gpuplot.plot(np.ones(5, complex), ax=ax)


@pytest.mark.parametrize(("call", "error", "text"), [
    (lambda ax: gpuplot.plot(np.arange(3), np.arange(4), ax=ax), ValueError, "same first dimension"),
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


# ---- views ------------------------------------------------------------------------------------------------------------


def test_few_samples_are_drawn_of_many(ax):
    """At most four a column of the Axes' pixels and two neighbors on either side; all of them once they fit."""
    line, = gpuplot.plot(LONG, ax=ax)
    width = round(ax.bbox.width)
    assert width < len(points(line)) <= 4 * (width + 2) + 2
    ax.set_xlim(1000, 1400)
    np.testing.assert_array_equal(points(line)[:, 0], np.arange(998, 1403))
    ax.set_xlim(-10, -5)
    assert points(line)[:, 0].tolist() == [0, 1]


def test_limits_are_those_of_all_samples(ax):
    want = axes_of()
    want.plot(LONG)
    gpuplot.plot(LONG, ax=ax)
    assert (ax.get_xlim(), ax.get_ylim()) == (want.get_xlim(), want.get_ylim())
    ax.set_xlim(5, 9)
    ax.relim()
    ax.autoscale()
    assert (ax.get_xlim(), ax.get_ylim()) == (want.get_xlim(), want.get_ylim())


@pytest.mark.parametrize("scale", ["log", "symlog"])
def test_limits_of_logarithmic_axes(scale):
    """The smallest sample above zero, wherever it is."""
    y = np.where(np.arange(20_000) % 7 == 0, -1.0, 5.0)
    y[1234] = 1e-3
    limits = []
    for plot in (lambda ax: ax.plot(y), lambda ax: gpuplot.plot(y, ax=ax)):
        ax = axes_of()
        plot(ax)
        ax.set(yscale=scale, xscale=scale)
        limits.append((ax.get_xlim(), ax.get_ylim()))
    assert limits[0] == limits[1]


def test_limits_through_another_transform():
    """A line that is moved within the data has limits there."""
    limits = []
    for plot in (lambda ax, t: ax.plot(LONG, transform=t), lambda ax, t: gpuplot.plot(LONG, ax=ax, transform=t)):
        ax = axes_of()
        plot(ax, mpl.transforms.Affine2D().translate(50, 3) + ax.transData)
        limits.append((ax.get_xlim(), ax.get_ylim()))
    assert limits[0] == limits[1]


def test_scalex_and_scaley(ax):
    ax.plot([0, 1], [0, 1])
    before = ax.get_xlim()
    gpuplot.plot(SHORT * 9, ax=ax, scalex=False)
    assert ax.get_xlim() == before
    assert ax.get_ylim()[1] > 9


def test_x_is_read_once(ax, monkeypatch):
    """To learn its order; views search it."""
    asked = []
    original = line_samples.Series.ways
    monkeypatch.setattr(line_samples.Series, "ways", lambda series: asked.append(series) or original(series))
    x = np.arange(len(LONG), dtype="f4")
    line, = gpuplot.plot(x, LONG, ax=ax)
    for limits in ((0, 1e6), (5e5, 6e5), (9, 500)):
        ax.set_xlim(limits)
        points(line)
    assert len(asked) == 1
    line.update()
    points(line)
    assert len(asked) == 2


def test_a_view_that_was_drawn_is_not_read_again(ax, monkeypatch):
    reads = []
    original = line_samples.Series.m4
    line, = gpuplot.plot(LONG, ax=ax)
    monkeypatch.setattr(line_samples.Series, "m4", lambda series, bounds: reads.append(1) or original(series, bounds))
    points(line), points(line)
    line.set_color("r")
    ax.set_ylim(0, 3)
    points(line)
    assert len(reads) == 1


def test_polar_axes_draw_all():
    """Columns of pixels are not ranges of an angle."""
    ax = decorated().figure.add_subplot(projection="polar")
    theta = np.linspace(0, 20, 9000)
    assert len(points(gpuplot.plot(theta, theta, ax=ax)[0])) == 9000


# ---- markers, legends -------------------------------------------------------------------------------------------------


def marks(line, ax):
    """How many markers an Agg figure draws of the line."""
    counted = []
    renderer = ax.figure.canvas.get_renderer() if hasattr(ax.figure.canvas, "get_renderer") else None
    assert renderer is not None
    original = renderer.draw_markers

    def draw_markers(gc, marker_path, marker_trans, path, trans, rgbFace=None):
        counted.append(len(path.vertices))
        original(gc, marker_path, marker_trans, path, trans, rgbFace)
    renderer.draw_markers = draw_markers
    line.draw(renderer)
    return sum(counted)


def test_markers_come_once_all_samples_are_drawn():
    ax = axes_of()
    line, = gpuplot.plot(LONG, "o-", ax=ax)
    ax.figure.canvas.draw()
    assert marks(line, ax) == 0
    ax.set_xlim(100, 200)
    assert marks(line, ax) == 105


@pytest.mark.parametrize("decorate", [lambda ax: None, lambda ax: ax.set_xscale("log"), lambda ax: ax.set_xlim(4000, 9000)])
@pytest.mark.parametrize("fmt", [".", "s", ","])
def test_markers_without_a_line_are_those_of_matplotlib(fmt, decorate):
    """Those of the extremes of each column alone were a picture with gaps that the samples have not."""
    y = RNG.normal(size=30_000)
    drawn = []
    for plot in (lambda ax: ax.plot(y, fmt, ms=2), lambda ax: gpuplot.plot(y, fmt, ms=2, ax=ax)):
        ax = axes_of()
        plot(ax)
        decorate(ax)
        drawn.append(pixels(ax.figure))
    np.testing.assert_array_equal(drawn[0], drawn[1])


def test_very_many_markers_without_a_line(monkeypatch):
    """Extremes of each column, and a warning that says what shows all; a line style changes which samples are drawn."""
    monkeypatch.setattr("gpuplot.mpl.line.MAX_LONE_MARKERS", 5000)
    ax = axes_of()
    line, = gpuplot.plot(LONG, "o", ax=ax)
    with pytest.warns(gpuplot.GpuplotWarning, match=r"more than 5,000 markers are in view: .* gpuplot.scatter\(x, y\) shows how many"):
        ax.figure.canvas.draw()
    assert 100 < marks(line, ax) <= 4 * 310
    ax.set_xlim(100, 4000)
    assert marks(line, ax) == 3903
    line.set_linestyle("-")
    assert marks(line, ax) == 0


@pytest.mark.parametrize("markevery", [7, (3, 5), slice(0, None, 6), [100, 131, 150, 8999], np.arange(9000) % 13 == 0])
def test_markevery_counts_from_the_first_sample(markevery, monkeypatch):
    """Zoomed in, the marked samples stay the same ones."""
    y = RNG.normal(size=9000)
    drawn = []
    monkeypatch.setitem(mpl.rcParams, "path.simplify", False)  # matplotlib begins at the first of all samples
    for plot in (lambda ax: ax.plot(y, "o-", markevery=markevery), lambda ax: gpuplot.plot(y, "o-", ax=ax, markevery=markevery)):
        ax = axes_of()
        plot(ax)
        ax.set_xlim(100, 160)
        drawn.append(pixels(ax.figure))
    np.testing.assert_array_equal(drawn[0], drawn[1])


@pytest.mark.parametrize("markevery", [1000, (300, 5000), slice(None, None, 7000), [5, 49_999], np.arange(50_000) % 9000 == 3])
@pytest.mark.parametrize("xlim", [(0, 50_000), (10_000, 30_000)])
def test_marks_of_a_long_line_are_matplotlibs(markevery, xlim):
    """The samples that `markevery` names are marked, though the line is drawn from others."""
    y = RNG.normal(size=50_000).cumsum()
    drawn = []
    for is_ours in (False, True):
        ax = axes_of()
        options = {"markevery": markevery, "markersize": 8}
        gpuplot.plot(y, "rs", ax=ax, **options) if is_ours else ax.plot(y, "rs", **options)
        ax.set_xlim(xlim)
        drawn.append(pixels(ax.figure))
    np.testing.assert_array_equal(drawn[0], drawn[1])


def test_a_line_and_its_marks(ax, monkeypatch):
    """Marks are drawn over the line; of a device they are read there; very many are left out, as are those at every sample."""
    y = RNG.normal(size=50_000).cumsum()
    line, = gpuplot.plot(y, "o-", markevery=5000, color="k", markerfacecolor="r", ax=ax)
    assert (pixels(ax.figure) == [255, 0, 0, 255]).all(axis=-1).sum() > 100
    for markevery in (None, 2):
        line.set_markevery(markevery)
        assert (pixels(ax.figure) == [255, 0, 0, 255]).all(axis=-1).sum() == 0


def test_marks_of_a_tensor_on_a_device(emulated):
    from on_device import there

    y = RNG.normal(size=50_000).astype("f4")
    drawn = []
    for values in (y, there(y)):
        ax = axes_of()
        gpuplot.plot(values, "o-", markevery=5000, ax=ax)
        drawn.append(pixels(ax.figure))
    np.testing.assert_array_equal(drawn[0], drawn[1])


def test_a_legend_has_its_color_and_finds_room(ax):
    line, = gpuplot.plot(LONG, "r--", label="walk", ax=ax)
    legend = ax.legend()
    ax.figure.canvas.draw()
    handle, = legend.legend_handles
    assert (handle.get_color(), handle.get_linestyle(), legend.get_texts()[0].get_text()) == ("r", "--", "walk")
    assert line.get_window_extent().height > 50


def test_names_of_a_dict_label_its_lines(ax):
    curves = {"train": RNG.normal(size=20), "val": [1.0, 2.0, 3.0]}
    lines = gpuplot.plot(curves, "r.-", ax=ax)
    assert [line.get_label() for line in lines] == ["train", "val"] and {line.get_marker() for line in lines} == {"."}
    assert [line.length for line in lines] == [20, 3]
    for args in (({},), (curves, [1, 2])):
        with pytest.raises(ValueError, match="a dict has tensors"):
            gpuplot.plot(*args, ax=ax)
    before = len(ax.lines)
    with pytest.raises(TypeError):
        gpuplot.plot({"a": [1, 2], "b": object()}, ax=ax)
    assert len(ax.lines) == before
    image = gpuplot.plot({"a": SHORT, "b": np.zeros((9, 2))}, density=True, ax=decorated())
    assert image.n_lines == 3
    with pytest.raises(ValueError, match="the format '.-' is of single lines"):
        gpuplot.plot({"a": SHORT}, ".-", density=True, ax=ax)
    with pytest.raises(ValueError, match="a dict has tensors"):
        gpuplot.plot({}, density=True, ax=ax)


@pytest.mark.parametrize("scale", ["linear", "log"])
@pytest.mark.parametrize("drawstyle", ["default", "steps", "steps-mid", "steps-post"])
@pytest.mark.parametrize("args", [
    ([np.nan, 3.0, 1.0, 2.0],), ([1.0, np.nan, 3.0, 1.0, np.nan],), ([-1, 100], [5.0, np.nan]), ([1.0, np.nan, np.nan],),
    (np.arange(5.0),), ([-2, -1, 3, 4], [1.0, 2.0, 3.0, np.nan])], ids=str)
def test_limits_are_those_of_matplotlibs_line(args, drawstyle, scale):
    """Parts of steps were cut off, and a sample whose y is NaN extended the limits where x may be negative."""
    ours, theirs = decorated(), decorated()
    gpuplot.plot(*args, drawstyle=drawstyle, ax=ours)
    theirs.plot(*args, drawstyle=drawstyle)
    for ax in (ours, theirs):
        ax.set_xscale(scale)
    assert (ours.get_xlim(), ours.get_ylim()) == (theirs.get_xlim(), theirs.get_ylim())
    line = ours.lines[0]
    line.set_drawstyle("steps-post")
    theirs.lines[0].set_drawstyle("steps-post")
    for ax in (ours, theirs):
        ax.relim()
        ax.autoscale_view()
    assert ours.get_xlim() == theirs.get_xlim()


def test_samples_are_those_of_the_limits_that_the_line_makes(ax):
    """Those of a view from 0 to 1, which the Axes had before."""
    line, = gpuplot.plot(np.arange(6.0), ax=ax)
    np.testing.assert_array_equal(line.get_xydata(), np.column_stack([np.arange(6.0)] * 2))


def test_durations_are_numbers_in_their_unit():
    x = np.array([0, 1500, "NaT", 4000], "m8[ms]")
    ours, theirs = decorated(), decorated()
    line, = gpuplot.plot(x, np.arange(4.0), ax=ours)
    np.testing.assert_array_equal(line.get_xydata()[:, 0], [0, 1500, np.nan, 4000])
    whole = x[[0, 1, 3]]
    gpuplot.plot(np.arange(3.0), whole, ax=ours)
    theirs.plot(np.arange(3.0), whole)
    np.testing.assert_array_equal(ours.lines[-1].get_xydata(), theirs.lines[-1].get_xydata())
