"""Objects with names and coordinates: the place of their picture in an Axes, and its labels."""

import datetime
import re
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backend_bases import MouseEvent
from scenes import scene_of

import gpuplot
from gpuplot.arrays.chunked_source import ChunkedSource
from gpuplot.arrays.describe import describe
from gpuplot.arrays.labelled import Axis
from gpuplot.plane.coordinates import PictureLabels, outer_edges

pytestmark = pytest.mark.host("what objects in host memory say about themselves")


def values(n_rows=5, n_cols=8):
    return np.arange(n_rows * n_cols, dtype="float32").reshape(n_rows, n_cols)


def placed(rows, cols, shape=(5, 8), origin="upper"):
    axes = [None if positions is None else Axis(name, name, np.asarray(positions))
            for name, positions in (("r", rows), ("c", cols))]
    return PictureLabels(*axes).placement(shape, origin)


def centers(extent, shape, origin):
    """Data coordinates of the middles of rows and columns of a picture in an extent."""
    left, right, bottom, top = extent
    first, last = (top, bottom) if origin == "upper" else (bottom, top)
    rows = first + (np.arange(shape[0]) + 0.5) * (last - first) / shape[0]
    return rows, left + (np.arange(shape[1]) + 0.5) * (right - left) / shape[1]


@pytest.mark.parametrize("origin", ["upper", "lower"])
@pytest.mark.parametrize("rows, cols", [
    (np.arange(5), np.arange(8) * 0.1), (np.linspace(70, 20, 5), np.linspace(-30, 40, 8)),
    (np.linspace(0, 1, 5, dtype="float32"), 1e6 + np.arange(8)), (np.arange(5, dtype="uint8")[::-1], -np.arange(8)),
])
def test_every_coordinate_is_at_its_own_row_and_column(rows, cols, origin):
    found = centers(placed(rows, cols, origin=origin).extent, (5, 8), origin)
    np.testing.assert_allclose(found[0], rows.astype(float), atol=1e-6)
    np.testing.assert_allclose(found[1], cols, atol=1e-6)


def test_an_axis_without_coordinates_counts_elements():
    assert placed(np.arange(5) * 2.0, None).extent == (-0.5, 7.5, 9.0, -1.0)
    assert placed(None, None) is None
    assert placed(np.empty(0), np.arange(8), shape=(0, 8)) is None


def test_one_element_is_one_wide():
    assert placed([7.0], np.arange(8), shape=(1, 8)).extent == (-0.5, 7.5, 7.5, 6.5)


@pytest.mark.parametrize("uneven", [
    np.geomspace(1, 10, 8), [0, 1, 2, 3, 4, 5, 6, 9], np.zeros(8), [0, 1, 2, np.nan, 4, 5, 6, 7], [0, 2, 1, 3, 4, 5, 6, 7],
    [0, 1, 2, 3, 4, 5, 6, np.inf], 1e15 + np.arange(8), (np.arange(8) - 3.5) * 4.8e307, np.datetime64("2024-01-01", "us") + np.arange(8),
])
def test_uneven_coordinates_are_told_once_and_not_shown(uneven):
    with pytest.warns(gpuplot.GpuplotWarning, match=r"^coordinates of 'c' are not evenly spaced, so positions.*X.interp\(c=") as told:
        assert placed(np.arange(5) + 10, uneven).extent == (-0.5, 7.5, 14.5, 9.5)
    assert len(told) == 1
    with pytest.warns(gpuplot.GpuplotWarning, match="'r' and 'c'") as told:
        assert placed([0, 1, 2, 3, 9], uneven) is None
    assert len(told) == 1


def test_an_axis_that_counts_elements_says_so(xr):
    X = xr.DataArray(values(), dims=("lat", "x"), coords={"lat": ("lat", [0, 1, 2, 3, 9], {"units": "degrees"}), "x": np.arange(8)})
    with pytest.warns(gpuplot.GpuplotWarning, match="'lat' are not evenly spaced"):
        ax = gpuplot.imshow(X, ax=plt.figure().subplots()).axes
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("lat (position)", "x")
    assert gpuplot.imshow(X, ax=plt.figure().subplots(), extent=(0, 1, 0, 1)).axes.get_ylabel() == "lat [degrees]"


def test_steps_whose_ratio_is_no_number_fill_the_axes():
    for rows, cols in ((np.arange(5) * 1e300, np.arange(8) * 1e-300), (np.arange(5) * 1e-300, np.arange(8) * 1e300)):
        assert placed(rows, cols).aspect == "auto"


def test_rounding_is_no_unevenness():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert placed(None, np.round(np.arange(8) / 3, 3)) is not None
        assert placed(None, np.arange(359.3, 360.1, 0.1, dtype="float32")) is not None
    with pytest.warns(gpuplot.GpuplotWarning):
        placed(None, np.arange(8) + np.array([0, 0, 0, 0.01, 0, 0, 0, 0]))


# ---- xarray ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def xr():
    return pytest.importorskip("xarray")


def test_dims_and_coordinates_of_xarray(xr):
    X = xr.DataArray(values(), dims=("lat", "lon"), coords={"lat": np.linspace(40, 20, 5), "lon": np.arange(8) * 0.5},
                     attrs={"units": "K", "long_name": "air temperature"})
    X.lat.attrs = {"units": "degrees_north", "standard_name": "latitude"}
    ax = plt.figure().subplots()
    im = gpuplot.imshow(X, ax=ax, colorbar=True)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("lon", "latitude [degrees_north]")
    assert im.colorbar.ax.get_ylabel() == "air temperature [K]"
    assert im.get_extent() == [-0.25, 3.75, 17.5, 42.5]
    assert ax.get_xlim() == (-0.25, 3.75) and ax.get_ylim() == (17.5, 42.5)
    # An element is as high as it is wide, as without coordinates.
    assert ax.get_aspect() == 0.1
    assert gpuplot.imshow(X, ax=plt.figure().subplots(), aspect="auto").axes.get_aspect() == "auto"


def test_the_pointer_is_at_coordinates(xr):
    X = xr.DataArray(values(), dims=("y", "x"), coords={"y": np.linspace(40, 20, 5), "x": np.arange(8) * 0.5})
    im = gpuplot.imshow(X, ax=plt.figure().subplots(), origin="lower")
    for row, col in ((0, 0), (4, 7), (1, 6)):
        x, y = im.axes.transData.transform((float(X.x[col]), float(X.y[row])))
        event = MouseEvent("motion_notify_event", im.figure.canvas, x, y)
        assert im.get_cursor_data(event) == X.values[row, col]
        said = re.findall(r"-?[\d.]+", im.axes.format_coord(*im.axes.transData.inverted().transform((x, y))))
        np.testing.assert_allclose(list(map(float, said)), [X.x[col], X.y[row]], atol=0.1)


def test_what_the_caller_said_stays(xr):
    X = xr.DataArray(values(), dims=("lat", "lon"), coords={"lat": np.arange(5) * 2})
    ax = plt.figure().subplots()
    ax.set_xlabel("mine")
    im = gpuplot.imshow(X, ax=ax, extent=(0, 1, 0, 1), colorbar={"label": "K"})
    assert (ax.get_xlabel(), ax.get_ylabel(), im.get_extent()) == ("mine", "lat", [0, 1, 0, 1])
    assert im.colorbar.ax.get_ylabel() == "K"
    im = gpuplot.imshow(X, ax=plt.figure().subplots(), transform=ax.transData)
    assert im.get_extent() == [-0.5, 7.5, 4.5, -0.5]


def test_dates_are_dates(xr):
    days = np.datetime64("2024-02-25") + np.arange(8)
    X = xr.DataArray(values(), dims=("depth", "time"), coords={"time": days.astype("M8[ns]")})
    im = gpuplot.imshow(X, ax=plt.figure().subplots())
    im.figure.canvas.draw()
    from matplotlib.dates import date2num

    first, last = date2num(days[[0, -1]])
    assert im.get_extent() == [first - 0.5, last + 0.5, 4.5, -0.5]
    assert "2024-02-27" in im.axes.format_coord(date2num(days[2]), 1)
    assert "Mar" in [text.get_text() for text in im.axes.get_xticklabels()]
    with pytest.warns(gpuplot.GpuplotWarning, match="'time'"):
        gpuplot.imshow(X.assign_coords(time=days[[0, 1, 2, 3, 4, 5, 6, 7]] + np.arange(8) ** 2), ax=plt.figure().subplots())


def months(first, n, k=1, day=0):
    """A day of every k-th month; from the end, 0 is the last, of the month before."""
    starts = (np.datetime64(first, "M") + k * np.arange(n)).astype("M8[D]")
    return (starts + day).astype("M8[ns]")


@pytest.mark.parametrize("dates", [
    months("2025-01", 3), months("2023-01", 30), months("1981-01", 480), months("2000-02", 120, day=-1), months("2024-01", 8)[::-1],
    months("2001-07", 20, k=3), months("1990-01", 30, k=12), months("1850-07", 16, k=120), months("2020-01", 24, day=14)], ids=str)
@pytest.mark.parametrize("role", ["rows", "cols"])
def test_dates_of_months_have_their_axis(xr, dates, role):
    """Each is in its own element, and so are the ticks; they were said to be uneven, and X.interp to help."""
    from matplotlib.dates import date2num, num2date

    n = len(dates)
    X = xr.DataArray(np.arange(3.0 * n).reshape(3, n), dims=("lat", "time"), coords={"time": dates})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        im = gpuplot.imshow(X.T if role == "rows" else X, ax=plt.figure(figsize=(9, 7)).subplots(), aspect="auto")
        im.figure.canvas.draw()
    left, right, bottom, top = im.get_extent()
    first, last = (left, right) if role == "cols" else (top, bottom) if im.origin == "upper" else (bottom, top)

    def element_at(place):
        return (place - first) / (last - first) * n - 0.5

    assert np.abs(element_at(date2num(dates)) - np.arange(n)).max() < 0.2
    axis = im.axes.xaxis if role == "cols" else im.axes.yaxis
    steps = dates.astype("M8[M]")
    ticks = [np.datetime64(num2date(tick).replace(tzinfo=None), "M") for tick in axis.get_ticklocs()
             if num2date(tick).day == 1 and min(first, last) < tick < max(first, last)]
    found = [(round(element_at(date2num(tick))), np.flatnonzero(steps == tick)) for tick in ticks]
    assert ticks and all(place[0] == element for element, place in found if len(place) and dates[0].astype("M8[D]").item().day == 1)


@pytest.mark.parametrize("dates", [
    months("2025-01", 8)[[0, 1, 2, 4, 5, 6, 7]], months("2025-01", 8, k=2)[[0, 1, 2, 2, 3, 4]], months("2025-01", 6) + np.array(
        [0, 25, 0, 3, 24, 0]).astype("m8[D]"), np.array(["2025-01-01", "NaT", "2025-03-01"], "M8[ns]")], ids=str)
def test_dates_that_leave_months_out_have_none(dates):
    assert outer_edges(dates) is None


@pytest.mark.parametrize("role", ["rows", "cols"])
@pytest.mark.parametrize("first", ["-5000-01-01", "0001-01-01", "9999-12-25"])
def test_dates_beyond_those_of_matplotlib_are_positions(xr, first, role):
    """The draw failed. The first date itself may be in the year 1, and the outer edge of its element before that."""
    days = np.datetime64(first, "s") + np.arange(8) * np.timedelta64(1, "D")
    X = xr.DataArray(np.zeros((3, 8)), dims=("lat", "time"), coords={"time": days})
    with pytest.warns(gpuplot.GpuplotWarning, match="^dates of 'time' reach beyond the years 1 to 9999 of matplotlib"):
        im = gpuplot.imshow(X.T if role == "rows" else X, ax=plt.figure().subplots())
    im.figure.canvas.draw()
    assert im.get_extent() == ([-0.5, 2.5, 7.5, -0.5] if role == "rows" else [-0.5, 7.5, 2.5, -0.5])
    assert (im.axes.get_ylabel() if role == "rows" else im.axes.get_xlabel()) == "time (position)"


def test_years_take_the_place_of_dates_beyond_those_of_matplotlib(xr):
    X = xr.DataArray(np.zeros((3, 8)), dims=("lat", "time"), coords={"time": np.arange(-7000, 1000, 1000).astype("M8[Y]").astype("M8[s]")})
    with pytest.warns(gpuplot.GpuplotWarning, match=r"numbers of years, X.assign_coords\(time=X\['time'\].dt.year\), are shown$"):
        gpuplot.imshow(X, ax=plt.figure().subplots())
    years = X.assign_coords(time=X["time"].dt.year)
    assert gpuplot.imshow(years, ax=plt.figure().subplots()).get_extent() == [-5530, 2470, 2.5, -0.5]


def test_the_inspector_has_dates_of_months_too(xr):
    X = xr.DataArray(np.zeros((24, 3)), dims=("time", "lat"), coords={"time": months("2023-01", 24)})
    state = scene_of(X).state()
    ruler = state["rulers"]["y"]
    assert ruler["is_date"] and ruler["first"] == 1672531200e3 and ruler["step"] == pytest.approx(700 / 23 * 86_400_000)
    assert state["origin"] == "lower" and gpuplot.imshow(X, ax=plt.figure().subplots()).origin == "lower"


@pytest.mark.parametrize(("shape", "coords", "texts"), [
    ((365,), {"time": np.arange("2025-01-01", "2026-01-01", dtype="M8[D]").astype("M8[ns]")}, "0"),
    ((2000, 4), {"x": np.arange(2000) * 0.1, "c": np.arange(4) * 0.25}, None), ((3, 300), {"x": np.arange(300) * 2}, "0 1 2"),
    ((2000, 4), {"c": list("abcd")}, "a b c d")])
def test_long_planes_with_coordinates_fill_the_axes(xr, shape, coords, texts):
    """Dates, numbers and names left a hair of them."""
    dims = ("time",) if len(shape) == 1 else ("y", "x") if shape[0] == 3 else ("x", "c")
    X = xr.DataArray(np.zeros(shape), dims=dims, coords=coords)
    for turned in (X, X.T)[:len(shape)]:
        ax = plt.figure().subplots()
        gpuplot.imshow(turned, ax=ax)
        ax.figure.canvas.draw()
        assert ax.get_aspect() == "auto"
        seen = [" ".join(text.get_text() for text in axis.get_ticklabels() if min(view) <= text.get_position()[k] <= max(view))
                for k, (axis, view) in enumerate(((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())))]
        assert texts is None or texts in seen
    assert gpuplot.imshow(X, ax=plt.figure().subplots(), aspect="equal").axes.get_aspect() == 1
    assert gpuplot.imshow(X, ax=plt.figure().subplots(), extent=(0, 1, 0, 1)).axes.get_aspect() == 1


def test_a_table_of_a_year_shows_all_its_columns():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(np.zeros((365, 4)), index=pd.date_range("2025-01-01", periods=365), columns=list("abcd"))
    ax = plt.figure().subplots()
    gpuplot.imshow(X, ax=ax)
    ax.figure.canvas.draw()
    assert ax.get_aspect() == "auto" and [text.get_text() for text in ax.get_xticklabels()] == list("abcd")
    assert "Mar" in [text.get_text() for text in ax.get_yticklabels()]


def test_axes_are_chosen_and_cropped_with_their_coordinates(xr):
    X = xr.DataArray(np.arange(2 * 5 * 8).reshape(2, 5, 8), dims=("t", "y", "x"),
                     coords={"t": [0, 1], "y": np.arange(5) * 10, "x": np.arange(8) * 2.0})
    im = gpuplot.imshow(X, x="y", y="x", index={"t": 1, "x": slice(6, 2, -1)}, ax=plt.figure().subplots())
    assert im.get_extent() == [-5, 45, 5, 13] and im.get_shape() == (4, 5)
    assert (im.axes.get_xlabel(), im.axes.get_ylabel()) == ("y", "x")


def test_a_coordinate_as_an_index_says_how_to_select_it(xr):
    X = xr.DataArray(np.zeros((3, 4, 5)), dims=("t", "y", "x"))
    with pytest.raises(TypeError, match=re.escape("not 10.5; what lies at a coordinate is X.sel({'t': 10.5}) of xarray")):
        gpuplot.imshow(X, index={"t": 10.5})


@pytest.mark.parametrize("n", [1, 300])
def test_large_and_small_planes_are_placed_alike(xr, n):
    X = xr.DataArray(np.tile(values(), (n, n)), dims=("y", "x"), coords={"x": np.arange(8 * n) / 4})
    im = gpuplot.imshow(X, ax=plt.figure().subplots())
    assert im.plane.is_gathered == (n == 1)
    im.figure.canvas.draw()
    assert im.get_extent() == [-0.125, 2 * n - 0.125, 5 * n - 0.5, -0.5]
    im.update(X * 2)
    assert im.get_extent()[1] == 2 * n - 0.125


def test_colors_are_placed_too(xr):
    X = xr.DataArray(np.zeros((5, 8, 3)), dims=("y", "x", "band"), coords={"y": np.arange(5) + 100})
    im = gpuplot.imshow(X, ax=plt.figure().subplots())
    assert im.plane.is_rgb and im.get_extent() == [-0.5, 7.5, 99.5, 104.5] and im.origin == "lower"


@pytest.mark.parametrize(("y", "options", "is_up"), [
    (np.arange(5) * 2.0, {}, True), (np.arange(5)[::-1], {}, False), (np.arange(5), {"origin": "upper"}, False),
    (np.arange(5), {"extent": (0, 8, 5, 0)}, False), (np.arange("2026-01-01", "2026-01-06", dtype="M8[D]").astype("M8[ns]"), {}, True)])
def test_coordinates_that_rise_point_up(xr, y, options, is_up):
    X = xr.DataArray(values(), dims=("y", "x"), coords={"y": y})
    im = gpuplot.imshow(X, ax=plt.figure().subplots(), **options)
    assert (im.origin == "lower") == is_up
    im.figure.canvas.draw()
    place = im.axes.transData.transform((4, sum(im.get_extent()[2:]) / 2))
    assert im.get_cursor_data(MouseEvent("motion_notify_event", im.figure.canvas, *place)) == X.values[2, 4]


TIMES = np.array(["2026-03-01", "2026-03-02T12:00", "2026-03-03", "2026-04-15", "2027-01-31"], "M8[ns]")


@pytest.mark.parametrize(("index", "position"), [
    ({"time": "2026-03-02T12:00"}, (1, 0)), ({"time": np.datetime64("2026-03-03")}, (2, 0)), ({0: datetime.date(2026, 3, 1)}, (0, 0)),
    ({"time": "2026-04"}, (3, 0)), ({"time": "2027"}, (4, 0)),
    ({"level": "b"}, (0, 1)), ({"level": "c", "time": 2}, (2, 2)), ({"time": -1}, (4, 0))])
def test_elements_are_found_by_their_labels(xr, index, position):
    X = xr.DataArray(np.random.default_rng(0).normal(size=(5, 3, 5, 8)), dims=("time", "level", "y", "x"),
                     coords={"time": TIMES, "level": list("abc")})
    expected = gpuplot.to_rgba(X.values[position])
    np.testing.assert_array_equal(gpuplot.to_rgba(X, index=index), expected)
    im = gpuplot.imshow(X, ax=plt.figure().subplots(), index=index)
    np.testing.assert_array_equal(im.get_array(), X.values[position])
    im.set_index({"level": "b"})
    np.testing.assert_array_equal(im.get_array(), X.values[position[0], 1])
    scene = scene_of(X, index=index)
    assert tuple(scene.index.values()) == position
    scene.change({"index": {"time": 0, "level": 0}})
    scene.change({"index": index})
    assert tuple(scene.index.values()) == position


@pytest.mark.parametrize(("index", "text"), [
    ({"time": "2026-04-01"}, "axis 'time' has no '2026-04-01'; it has 2026-03-01, 2026-03-02T12:00, 2026-03-03, \\.\\.\\.$"),
    ({"time": "2026-03"}, "several elements '2026-03'"), ({"time": "2026-03-02"}, "has no '2026-03-02'"),
    ({"time": "spring"}, "is not a date, such as"), ({"time": "2026-03-01T00:00Z"}, "has a time zone"),
    ({"time": datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)}, "has a time zone"),
    ({"level": "z"}, "axis 'level' has no 'z'; it has a, b, c"), ({"n": "3"}, "neither dates nor names: give a position, 0 to 1"),
    ({"twice": "u"}, "several elements 'u'")])
def test_labels_that_an_axis_does_not_have(xr, index, text):
    X = xr.DataArray(np.zeros((5, 3, 2, 2, 5, 8)), dims=("time", "level", "n", "twice", "y", "x"),
                     coords={"time": TIMES, "level": list("abc"), "twice": ["u", "u"]})
    for function in (gpuplot.to_rgba, lambda X, index: gpuplot.imshow(X, index=index, ax=plt.figure().subplots()),
                     lambda X, index: scene_of(X, index=index)):
        with pytest.raises(ValueError, match=text):
            function(X, index=index)


def test_coordinates_that_are_no_places_are_left_out(xr):
    X = xr.DataArray(values(), dims=("model", "x"), coords={"model": list("abcde"), "x": np.arange(8) * 1j})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        im = gpuplot.imshow(X, ax=plt.figure().subplots())
    assert im.get_extent() == [-0.5, 7.5, 4.5, -0.5]
    stacked = X.stack(z=("model", "x"))
    assert describe(stacked).dims == ("z",)


def forecast(xr, unit="h", **attrs):
    """Values along lead times of 0, 6, 12, ... of a unit, which xarray keeps in nanoseconds."""
    steps = (np.arange(8) * np.timedelta64(6, unit)).astype("m8[ns]")
    return xr.DataArray(values(), dims=("y", "step"), coords={"step": ("step", steps, attrs)})


@pytest.mark.parametrize(("unit", "label"), [("D", "step [days]"), ("h", "step [hours]"), ("m", "step [minutes]"), ("s", "step [s]"),
                                             ("ms", "step [ms]"), ("us", "step [\u00b5s]"), ("ns", "step [ns]")])
def test_durations_are_numbers_of_their_longest_whole_unit(xr, unit, label):
    X = forecast(xr, unit)
    im = gpuplot.imshow(X, ax=plt.figure().subplots())
    assert im.get_extent() == [-3, 45, 4.5, -0.5] and im.axes.get_xlabel() == label
    cropped = gpuplot.imshow(X, index={"step": slice(4, None)}, ax=plt.figure().subplots())
    assert cropped.get_extent() == [21, 45, 4.5, -0.5] and cropped.axes.get_xlabel() == label
    line, = gpuplot.plot(X[0], ax=plt.figure().subplots())
    assert line.get_xdata(orig=False).tolist() == [0, 6, 12, 18, 24, 30, 36, 42] and line.axes.get_xlabel() == label


def test_the_long_name_of_durations_has_their_unit(xr):
    im = gpuplot.imshow(forecast(xr, long_name="lead time"), ax=plt.figure().subplots())
    assert im.axes.get_xlabel() == "lead time [hours]"


def test_missing_durations_are_no_places(xr):
    X = forecast(xr)
    X["step"] = X.step.where(X.step != X.step[3])
    with pytest.warns(gpuplot.GpuplotWarning, match="coordinates of 'step' are not evenly spaced"):
        assert gpuplot.imshow(X, ax=plt.figure().subplots()).get_extent() == [-0.5, 7.5, 4.5, -0.5]


@pytest.mark.parametrize("label", ["18h", "18:00:00", "0 days 18:00:00", np.timedelta64(18, "h"), datetime.timedelta(hours=18)], ids=repr)
def test_an_index_by_duration(xr, label):
    im = gpuplot.imshow(forecast(xr).expand_dims(x=3), x="x", y="y", index={"step": label}, ax=plt.figure().subplots())
    assert im.axes.get_title() == "step = 18:00:00"
    np.testing.assert_array_equal(im.get_array()[:, 0], values()[:, 3])


def test_durations_that_an_axis_does_not_have(xr):
    with pytest.raises(ValueError, match="axis 'step' has no '19h'; it has 0:00:00, 6:00:00, 12:00:00, "):
        gpuplot.to_rgba(forecast(xr), index={"step": "19h"})
    for label in ("soon", np.timedelta64(1, "Y"), "NaT", np.timedelta64("NaT")):
        with pytest.raises(ValueError, match="is not a duration, such as '18h'"):
            gpuplot.to_rgba(forecast(xr), index={"step": label})
    with pytest.raises(TypeError, match="index of axis 'y' is an integer or a slice"):
        gpuplot.to_rgba(forecast(xr), index={"y": np.timedelta64(1, "h")})


def test_what_is_inside_xarray_is_borrowed(xr):
    inside = values()
    source = describe(xr.DataArray(inside, dims=("a", "b")))
    assert source.array is inside and source.labels.axes[0].name == "a"
    assert describe(xr.Variable(("t",), [1, 2])).dims == ("t",)
    for X in (xr.Dataset({"v": ("t", [1])}), xr.DataArray(inside).groupby_bins("dim_0", 2)):
        with pytest.raises(gpuplot.UnsupportedError, match="choose one, X"):
            describe(X)


@pytest.mark.parametrize("library", ["jax.numpy", "array_api_strict", "dask.array"])
def test_arrays_of_other_libraries_in_xarray(xr, library, monkeypatch):
    library = pytest.importorskip(library)
    inside = library.ones((5, 8))
    X = xr.DataArray(inside, dims=("a", "b"), coords={"b": np.arange(8) + 3})
    assert type(X.data) is type(inside)
    if "dask" not in library.__name__:
        monkeypatch.setattr("gpuplot.arrays.lazy_arrays.MAX_COMPUTED_BYTES", 0)  # these are not files
    assert describe(X).dims == ("a", "b") and gpuplot.downsample(X, (1, 1)) == 1
    assert gpuplot.imshow(X, ax=plt.figure().subplots()).get_extent() == [2.5, 10.5, 4.5, -0.5]


@pytest.mark.parametrize("name", [None, "t-2", "air"])
def test_names_that_dask_makes_up_are_no_labels(xr, name):
    """xarray gives dask's name of an array to one without a name, and keeps it when that is computed."""
    inside = pytest.importorskip("dask.array").ones((5, 8), chunks=4) * 2
    X = xr.DataArray(inside, dims=("a", "b"), name=name)
    for same in (X, X.compute(), X * 2):
        assert describe(same).labels.values == (name or "")


def test_a_dataset_as_data(xr):
    dataset = xr.Dataset({"v": (("y", "x"), values())}, coords={"x": np.arange(8) + 3})
    im = gpuplot.imshow("v", data=dataset, ax=plt.figure().subplots())
    assert im.get_extent() == [2.5, 10.5, 4.5, -0.5] and im.axes.get_xlabel() == "x"


def test_a_variable_in_its_file_is_read_where_it_is_small(xr, tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["v"] = values()

        class InFile(xr.backends.BackendArray):
            def __init__(self, shape):
                self.shape, self.dtype = shape, np.dtype("f4")

            def __getitem__(self, key):
                return xr.core.indexing.explicit_indexing_adapter(
                    key, self.shape, xr.core.indexing.IndexingSupport.BASIC, file["v"].__getitem__)

        def lazy(shape):
            return xr.DataArray(xr.Variable(("y", "x"), xr.core.indexing.LazilyIndexedArray(InFile(shape))))

        assert gpuplot.downsample(lazy((5, 8)), (1, 1)) == values().mean()
        pytest.importorskip("dask.array")
        assert isinstance(describe(lazy((10**5, 10**5))), ChunkedSource)


def test_failures_leave_the_axes_as_they_were(xr):
    X = xr.DataArray(values(), dims=("y", "x"), coords={"x": np.arange(8) + 5})
    ax = plt.figure().subplots()
    with pytest.raises(AttributeError):
        gpuplot.imshow(X, ax=ax, no_such_property=1)
    assert (ax.get_xlabel(), len(ax.images)) == ("", 0)


@pytest.mark.parametrize("t, text", [
    (1e6 + np.arange(6) * 1e-3, "1000000.003"), (np.arange(6) * 0.1, "0.3"), (np.linspace(0, 1, 6), "0.6"), (np.full(6, 1 / 3), "0.333333"),
    (2.5e9 + np.arange(6) * 256, "2.50000077e+09"), (np.arange(6.0), "3")], ids=str)
def test_coordinates_are_written_with_the_digits_that_differ(xr, t, text):
    """1e6, 1e6 + 0.001, ... were all "1e+06"."""
    X = xr.DataArray(np.zeros((6, 4, 5)), dims=("t", "y", "x"), coords={"t": t})
    assert gpuplot.imshow(X, index={"t": 3}).axes.get_title() == f"t = {text}"
    plt.close()


def test_attributes_that_are_arrays_are_no_names():
    """Files hold them; they made every function fail, or hid the coordinates."""
    xr = pytest.importorskip("xarray", reason="pip install xarray")
    attrs = {"units": np.array([1, 2]), "long_name": np.array(["a", "b"], object)}
    X = xr.DataArray(np.eye(3), dims=("y", "x"), coords={"x": ("x", [10.0, 20.0, 30.0], attrs)}, attrs=attrs)
    np.testing.assert_array_equal(gpuplot.asnumpy(X), np.eye(3))
    image = gpuplot.imshow(X, ax=plt.subplots()[1], colorbar=True)
    assert image.axes.get_xlim() == (5, 35) and image.axes.get_xlabel() == "x" and image.colorbar.ax.get_ylabel() == ""
