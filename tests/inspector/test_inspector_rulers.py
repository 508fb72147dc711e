"""The rulers of an inspector's picture: coordinates, dates and names of a tensor."""

import numpy as np
import pytest
from scenes import scene_of

pytestmark = pytest.mark.host("labelled arrays and tables are on the host")
DAY = 86_400_000.0


def rulers_of(X, **options):
    return scene_of(X, **options).state()["rulers"]


def test_plain_tensors_count_elements():
    assert rulers_of(np.zeros((3, 4))) == rulers_of(np.zeros(5)) == rulers_of(np.float32(1)) == {"x": None, "y": None}


def test_even_coordinates_and_dates():
    xr, pd = pytest.importorskip("xarray"), pytest.importorskip("pandas")
    X = xr.DataArray(np.zeros((3, 5, 8)), dims=("time", "lat", "lon"), coords={
        "time": pd.date_range("2026-01-01", periods=3), "lat": [10.0, 7.5, 5.0, 2.5, 0.0], "lon": np.arange(8) * 0.25})
    lat, lon = {"first": 10.0, "step": -2.5, "is_date": False}, {"first": 0.0, "step": 0.25, "is_date": False}
    assert rulers_of(X) == {"x": pytest.approx(lon), "y": pytest.approx(lat)}
    scene = scene_of(X, x="time", y="lon")
    first = np.datetime64("2026-01-01", "ms").astype(float)
    assert scene.state()["rulers"] == {"x": pytest.approx({"first": first, "step": DAY, "is_date": True}), "y": pytest.approx(lon)}
    scene.change({"x": 1})
    assert scene.state()["rulers"]["x"] == pytest.approx(lat)


@pytest.mark.parametrize("step, unit, number", [("6h", "hours", 6), ("90s", "s", 90), ("15min", "minutes", 15), ("2D", "days", 2)])
def test_durations_have_the_unit_of_their_numbers(step, unit, number):
    """The ruler of lead times went from 0 to 30, and the slider said 18:00:00."""
    xr, pd = pytest.importorskip("xarray"), pytest.importorskip("pandas")
    X = xr.DataArray(np.zeros((2, 5)), dims=("c", "lead"), coords={"lead": np.arange(5) * pd.Timedelta(step)})
    assert rulers_of(X)["x"] == {"first": 0, "step": number, "is_date": False, "unit": unit}


def test_a_part_of_an_axis_begins_at_its_own_coordinate():
    xr = pytest.importorskip("xarray")
    X = xr.DataArray(np.zeros((4, 9)), dims=("y", "x"), coords={"x": np.arange(9) * 2.0})
    assert rulers_of(X, index={"x": slice(3, 7)})["x"] == pytest.approx({"first": 6.0, "step": 2.0, "is_date": False})


def test_names_of_few_elements():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(np.zeros((2, 3)), index=["a", "b"], columns=["one", "a very long name", "x" * 14])
    assert rulers_of(X) == {"x": {"texts": ["one", "a very long n…", "x" * 14]}, "y": {"texts": ["a", "b"]}}
    assert rulers_of(pd.DataFrame(np.zeros((300, 2)), index=[f"row {i}" for i in range(300)]))["y"] is None


def test_uneven_coordinates_are_said_in_a_sentence_and_positions_on_the_ruler():
    xr, pd = pytest.importorskip("xarray"), pytest.importorskip("pandas")
    for z in (np.geomspace(1, 100, 3), np.geomspace(1, 100, 300), pd.to_datetime(["2026-01-01", "2026-01-02", "2026-03-01"])):
        X = xr.DataArray(np.zeros((len(z), 2)), dims=("z", "c"), coords={"z": z})
        assert rulers_of(X)["y"] is None
        assert scene_of(X).state()["tensor"]["notes"] == ["coordinates of 'z' are not evenly spaced: the ruler shows positions"]
    lines = dict(map(tuple, scene_of(X).hover(2.5, 0.5)["lines"]))
    assert lines["z"] == "2026-03-01"
    both = xr.DataArray(np.zeros((3, 4)), dims=("y", "x"), coords={"y": [0, 1, 5], "x": [0, 1, 5, 6]})
    assert scene_of(both).state()["tensor"]["notes"] == ["coordinates of 'y' and 'x' are not evenly spaced: the ruler shows positions"]


def test_more_coordinates_than_are_looked_through_are_not_called_uneven():
    xr = pytest.importorskip("xarray")
    X = xr.DataArray(np.zeros((2, 100_001)), dims=("c", "t"), coords={"t": np.arange(100_001) * 0.1})
    assert rulers_of(X)["x"] is None
    assert scene_of(X).state()["tensor"]["notes"] == ["coordinates of 't' are more than 100000: the ruler shows positions"]


def test_uneven_numbers_of_a_table_are_names():
    pd = pytest.importorskip("pandas")
    assert rulers_of(pd.DataFrame(np.zeros((3, 2)), index=[3, 7, 9]))["y"] == {"texts": ["3", "7", "9"]}


def test_labels_of_facets_lose_the_name_of_their_axis_and_no_word():
    """A day and six hours was labelled 6:00:00 above narrow columns, and labels of rows were cut at the left."""
    xr, pd = pytest.importorskip("xarray"), pytest.importorskip("pandas")
    X = xr.DataArray(np.zeros((2, 6, 5, 5)), dims=("m", "lead time", "y", "x"), coords={"lead time": np.arange(6) * pd.Timedelta("6h")})
    short = ["0:00:00", "6:00:00", "12:00:00", "18:00:00", "1 day, 0:00:00", "1 day, 6:00:00"]
    facets = scene_of(X, rows="m", columns="lead time").state()["facets"]
    assert facets["short"] == short and facets["columns"] == [f"lead time {text}" for text in short] and facets["rows"] == ["m 0", "m 1"]
    assert scene_of(X, rows="lead time").state()["facets"]["rows"] == short
