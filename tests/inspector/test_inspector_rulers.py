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
