"""Roles of axes in the inspector: x, y, colors, facets, reduced, indexed; and labels of facets."""

import numpy as np
import pytest
from scenes import axis_roles, numbers, pixels, scene_of, snapshot, whole

import gpuplot
from gpuplot.inspector.export.figures import make_figure

BATCH = numbers(4, 3, 20, 30)


def test_the_last_two_axes_are_shown_and_the_others_stepped_through():
    scene = scene_of(BATCH)
    assert axis_roles(scene) == ["index", "index", "y", "x"] and (scene.x, scene.y, scene.index) == (3, 2, {0: 0, 1: 0})


def test_axes_may_be_given_by_name_by_number_and_as_texts_of_numbers():
    scene = scene_of(BATCH, dims="layer head row col")
    assert (scene.x, scene.y, scene.index) == ("col", "row", {"layer": 0, "head": 0})
    scene.change({"index": {"layer": -1, 1: 2}})
    assert scene.index == {"layer": 3, "head": 2}
    scene.change({"index": {"0": 1, "-3": 1}})  # keys of JSON objects
    assert scene.index == {"layer": 1, "head": 1}
    scene.change({"x": "head"})
    assert (scene.x, scene.y, scene.index) == ("head", "row", {"layer": 1, "col": 0})
    with pytest.raises(ValueError, match="layer"):
        scene.change({"index": {"row number": 1}})


def test_an_index_changes_only_the_axes_it_names_and_is_kept_while_an_axis_is_shown():
    scene = scene_of(BATCH)
    scene.change({"index": {0: 2, 1: 1}})
    scene.change({"index": {1: 2}})
    assert scene.index == {0: 2, 1: 2}
    scene.change({"x": 0})
    assert scene.index == {1: 2, 3: 0}
    scene.change({"x": 3})
    assert scene.index == {0: 2, 1: 2}


@pytest.mark.parametrize("values, x, y", [({"x": 2}, 2, 3), ({"y": 3}, 2, 3), ({"x": 2, "y": 3}, 2, 3), ({"y": 3, "x": 2}, 2, 3),
                                          ({"x": 0}, 0, 2), ({"y": 1}, 3, 1), ({"x": 1, "y": 0}, 1, 0), ({"x": -1}, 3, 2),
                                          ({"x": 0, "y": 3}, 0, 3)])
def test_choosing_the_axis_of_the_other_one_swaps_them(values, x, y):
    scene = scene_of(BATCH)
    scene.change(values)
    assert (scene.x, scene.y) == (x, y) and sorted(axis_roles(scene)) == ["index", "index", "x", "y"]
    shown = [axis for axis in range(4) if axis in (x, y)]
    plane = np.moveaxis(BATCH, shown, (2, 3))[0, 0]
    assert np.array_equal(pixels(scene), gpuplot.to_rgba(plane if y < x else plane.T, (24, 32), center="auto"))


@pytest.mark.parametrize("op", ["mean", "max", "min", "sum", "std", "norm"])
def test_axes_are_reduced(op):
    scene = scene_of(BATCH)
    scene.change({"reduce": {1: op}, "index": {0: 1}})
    state = scene.state()
    assert state["axes"][1]["role"] == "reduce" and state["axes"][1]["op"] == op and scene.index == {0: 1}
    assert np.array_equal(pixels(scene), gpuplot.to_rgba(BATCH, (24, 32), reduce={1: op}, index={0: 1}, center="auto"))
    scene.change({"reduce": {1: None}})
    assert scene.state()["axes"][1] == {"name": "", "size": 3, "role": "index", "index": 0, "op": None, "coordinate": ""}


def test_reductions_happen_in_the_order_in_which_they_were_asked_for():
    scene = scene_of(BATCH)
    scene.change({"reduce": {1: "max"}})
    scene.change({"reduce": {0: "mean"}})
    assert np.array_equal(pixels(scene), gpuplot.to_rgba(BATCH, (24, 32), reduce={1: "max", 0: "mean"}, center="auto"))
    scene.change({"reduce": {1: "min"}})
    assert np.array_equal(pixels(scene), gpuplot.to_rgba(BATCH, (24, 32), reduce={1: "min", 0: "mean"}, center="auto"))


def test_an_axis_that_gets_a_role_leaves_its_old_one():
    scene = scene_of(BATCH)
    scene.change({"reduce": {0: "mean"}})
    scene.change({"rows": 0})
    assert axis_roles(scene) == ["rows", "index", "y", "x"]
    scene.change({"columns": 0})
    assert axis_roles(scene) == ["columns", "index", "y", "x"]
    scene.change({"x": 0})
    assert axis_roles(scene) == ["x", "index", "y", "index"]
    scene.change({"rows": 3, "reduce": {1: "std"}})
    assert axis_roles(scene) == ["x", "reduce", "y", "rows"]
    scene.change({"reduce": {3: "max"}})
    assert axis_roles(scene) == ["x", "reduce", "y", "reduce"]
    scene.change({"rgb": 1})
    assert axis_roles(scene) == ["x", "rgb", "y", "reduce"]


def test_colors_along_any_axis():
    X = np.random.default_rng(0).random((2, 3, 20, 30))
    scene = scene_of(X)
    scene.change({"rgb": 1, "index": {0: 1}})
    assert np.array_equal(pixels(scene), gpuplot.to_rgba(X, (24, 32), rgb=1, index={0: 1}))
    scene.change({"rgb": False})
    assert axis_roles(scene) == ["index", "index", "y", "x"]
    with pytest.raises(ValueError, match="3 .RGB. or 4"):
        scene.change({"rgb": 0})


def test_colors_along_an_axis_that_is_shown_show_another_one():
    X = np.random.default_rng(0).random((5, 20, 30, 3))
    scene = scene_of(X)
    assert axis_roles(scene) == ["index", "index", "y", "x"]
    scene.change({"rgb": 3, "index": {0: 2}})
    assert axis_roles(scene) == ["index", "y", "x", "rgb"]
    assert np.array_equal(pixels(scene), gpuplot.to_rgba(X[2], (24, 32)))


@pytest.mark.parametrize("shape, dtype, rgb", [
    ((8, 20, 30, 3), "uint8", 3), ((8, 3, 20, 30), "uint8", 1), ((2, 8, 4, 20, 30), "uint8", 2), ((8, 20, 30, 3), "float32", None),
    ((8, 3, 20, 30), "float32", None), ((8, 12, 20, 30), "uint8", None)])
def test_stacks_of_uint8_pictures_are_colors(shape, dtype, rgb):
    scene = scene_of((numbers(*shape) * 100).astype(dtype))
    state = scene.state()
    assert [i for i, role in enumerate(axis_roles(scene)) if role == "rgb"] == ([] if rgb is None else [rgb])
    assert any("guessed" in note for note in state["tensor"]["notes"]) == (rgb is not None)
    assert state["plane"] == ([20, 30] if rgb is not None or shape[-1] == 30 else [30, 3])
    for options in ({"rgb": False}, {"x": 1}, {"columns": rgb}, {"reduce": {0: "max"}}) if rgb is not None else ():
        assert "rgb" not in axis_roles(scene_of((numbers(*shape) * 100).astype(dtype), **options))


def test_a_guess_of_colors_is_said():
    notes = scene_of(np.zeros((3, 20, 30), "float32")).state()["tensor"]["notes"]
    assert any("guessed" in note and "rgb=False" in note for note in notes)


def test_slices_crop():
    scene = scene_of(BATCH, index={3: slice(5, 25, 2), 0: 3}, reduce={1: "mean"})
    assert scene.state()["plane"] == [20, 10]
    assert np.array_equal(pixels(scene), gpuplot.to_rgba(BATCH[3, ..., 5:25:2].mean(0), (24, 32), center="auto"))
    assert scene.hover(1.5, 1.5, 0, (1, 1))["index"] == "[3, 0:3, 1, 7]"


def test_what_is_seen_is_turned_with_the_axes_and_forgotten_with_others():
    scene = scene_of(BATCH, center=None)
    scene.draw((2, 5, 10, 20), (10, 10))
    scene.change({"view": ((2, 5), (10, 20)), "region": "view"})
    limits = scene.vmin, scene.vmax
    scene.change({"x": 2})
    assert scene.view == ((10.0, 20.0), (2.0, 5.0)) and (scene.vmin, scene.vmax) == limits
    scene.change({"x": 0})
    assert scene.view is None and scene.vmax == BATCH[:, 0, 0].max()
    scene.change({"x": 3, "view": ((1, 2), (3, 4))})
    assert scene.view == ((1.0, 2.0), (3.0, 4.0))


def test_three_numbers_may_be_a_color():
    scene = scene_of(np.array([1.0, 0.5, 0.0]))
    assert scene.state()["kind"] == "line"
    scene.change({"rgb": 0})
    assert scene.state()["kind"] == "image" and pixels(scene)[0, 0].tolist() == [255, 127, 0, 255]
    scene.change({"rgb": None})
    assert scene.state()["kind"] == "line" and scene.x == 0


# ---- facets ------------------------------------------------------------------------------------------------------------------


def test_facets_are_planes_beside_each_other_under_the_same_limits():
    scene = scene_of(BATCH, rows=0, columns=1)
    state, drawn = snapshot(scene), whole(scene)
    assert state["facets"] == {"rows": [f"axis 0: {i}" for i in range(4)], "columns": [f"axis 1: {i}" for i in range(3)],
                               "short": ["0", "1", "2"]}
    assert drawn.pixels.shape == (12, 24, 32, 4) and scene.index == {} and scene.vmax == np.abs(BATCH).max()
    for facet in range(12):
        wanted = gpuplot.to_rgba(BATCH[facet // 3, facet % 3], (24, 32), vmin=scene.vmin, vmax=scene.vmax, cmap="RdBu_r")
        assert np.array_equal(drawn.pixels[facet], wanted)


def test_more_facets_than_a_frame_holds_are_drawn_smaller():
    drawn = scene_of(np.ones((2, 64, 28, 28), "u1"), columns=1).draw((0, 28, -15, 43), (560, 1174))
    assert drawn.pixels.shape == (64, *drawn.size, 4) and 0.99 * 2**25 < drawn.pixels.size / 4 <= 2**25
    assert drawn.window == (0, 28, -15, 43)


def test_facets_of_an_axis_that_would_be_shown():
    scene = scene_of(BATCH[0], rows=2)
    assert axis_roles(scene) == ["y", "x", "rows"] and whole(scene).pixels.shape[0] == 30


def test_facets_come_and_go():
    scene = scene_of(BATCH)
    scene.change({"columns": 1, "index": {0: 3}})
    assert scene.state()["facets"] == {"rows": [], "columns": ["axis 1: 0", "axis 1: 1", "axis 1: 2"], "short": ["0", "1", "2"]}
    scene.change({"index": {0: 1}})
    assert whole(scene).pixels.shape[0] == 3
    scene.change({"columns": None})
    assert scene.state()["facets"] is None and scene.index == {0: 1, 1: 0}


@pytest.mark.parametrize("shape, rows, columns, counts", [
    ((1000, 2, 3), 0, None, (8, 8)), ((100, 100, 2, 3), 0, 1, (8, 8)), ((3, 100, 2, 3), 0, 1, (3, 21)),
    ((100, 2, 2, 3), 0, 1, (32, 2)), ((64, 2, 3), None, 0, (8, 8)), ((5, 2, 3), None, 0, (1, 5))])
def test_facets_are_at_most_64_and_what_is_left_out_is_said(shape, rows, columns, counts):
    scene = scene_of(numbers(*shape), rows=rows, columns=columns)
    state = scene.state()
    found = tuple(max(1, len(state["facets"][side])) for side in ("rows", "columns"))
    n_all = np.prod([shape[axis] for axis in (rows, columns) if axis is not None])
    assert found == counts and whole(scene, (2, 3)).pixels.shape[0] == counts[0] * counts[1]
    assert state["text"] == ("" if n_all == counts[0] * counts[1] else f"showing {counts[0] * counts[1]} of {n_all} facets")


@pytest.mark.parametrize("n, plane, grid", [
    (4, (8, 8), (1, 4)), (12, (8, 8), (2, 6)), (64, (7, 7), (4, 16)), (32, (14, 14), (4, 8)), (8, (64, 96), (2, 4)), (10, (8, 8), (2, 5)),
    (6, (900, 3), (2, 3)), (40, (4, 1), (2, 20))])
def test_columns_go_on_in_the_next_row_where_one_row_would_be_too_wide(n, plane, grid):
    state = scene_of(numbers(n, *plane), columns=0).state()
    assert (max(1, len(state["facets"]["rows"])), len(state["facets"]["columns"])) == grid


@pytest.mark.parametrize("n, plane, grid", [
    (64, (7, 7), (4, 16)), (8, (8, 8), (8, 1)), (9, (8, 8), (2, 5)), (12, (8, 16), (12, 1)), (12, (16, 8), (2, 6)), (8, (16, 8), (8, 1)),
    (64, (0, 0), (64, 1)), (6, (900, 3), (6, 1))])
def test_rows_go_on_beside_each_other_where_one_column_would_be_too_high(n, plane, grid):
    """64 pictures stood in one column, 2 pixels high each."""
    X = numbers(n, *plane)
    scene = scene_of(X, rows=0)
    labels = scene.state()["facets"]
    assert (len(labels["rows"]), max(1, len(labels["columns"]))) == grid
    n_cols, is_wrapped = grid[1], grid != (n, 1)
    assert labels["rows"][0] == (f"axis 0: 0…{n_cols - 1}" if is_wrapped else "axis 0: 0")
    assert labels["columns"] == [""] * n_cols * is_wrapped
    if X.size:
        assert scene.hover(0.5, 0.5, n_cols, (1, 1))["index"] == (f"[{n_cols}, 0, 0]" if n_cols < n else "")
        axs = make_figure(scene).axes[:n]
        assert [ax.get_title() if is_wrapped else ax.get_ylabel() for ax in axs] == [f"axis 0: {i}" for i in range(n)]


def test_the_last_row_of_facets_may_have_empty_places():
    X = numbers(11, 4, 4)
    X[10, 3, 3] = np.nan
    scene = scene_of(X, columns=0, dims="filter y x")
    state, drawn = snapshot(scene), whole(scene)
    assert state["facets"] == {"rows": ["filter 0…5", "filter 6…10"], "columns": [""] * 6, "short": [""] * 6}
    assert drawn.pixels.shape == (12, 24, 32, 4) and not drawn.pixels[11].any() and drawn.pixels[:11, ..., 3].all()
    assert np.array_equal(drawn.pixels[9], gpuplot.to_rgba(X[9], (24, 32), vmin=scene.vmin, vmax=scene.vmax, cmap="RdBu_r"))
    assert scene.hover(1.5, 1.5, 10, (1, 1))["index"] == "[10, 1, 1]"
    assert scene.hover(1.5, 1.5, 11, (1, 1)) == {"text": "", "value": None, "index": "", "lines": []}
    assert scene.values((0, 1, 0, 2), 11) == [["", ""]] and scene.values((0, 1, 0, 1), 9) == [[f"{X[9, 0, 0]:.5g}"]]
    assert scene.jump(1)["facet"] == 10
    assert dict(scene.stats("slice", None)["rows"])["elements"] == "176"
    with pytest.raises(IndexError, match="facet 12 is out of range: 12 are shown"):
        scene.hover(1.5, 1.5, 12, (1, 1))
    assert [ax.get_title() for ax in make_figure(scene).axes[:11]] == [f"filter {i}" for i in range(11)]


@pytest.mark.parametrize("shape, options, aspect", [
    ((3, 1000), {}, "auto"), ((1000, 3), {}, "auto"), ((8, 64), {}, "equal"), ((8, 65), {}, "auto"), ((1, 4), {}, "equal"),
    ((4, 3, 9000), {"rgb": False}, "auto"), ((4, 100, 3), {"rgb": 2}, "equal"), ((0, 5), {}, "auto")])
def test_planes_that_would_be_a_hair_have_other_than_square_elements(shape, options, aspect):
    scene = scene_of(numbers(*shape), **options)
    assert scene.state()["aspect"] == aspect
    scene.change({"aspect": "equal"})
    assert scene.state()["aspect"] == "equal"


def test_labels_of_facets_name_the_axis():
    scene = scene_of(BATCH, dims="layer head row col", rows="layer")
    assert scene.state()["facets"]["rows"] == ["layer 0", "layer 1", "layer 2", "layer 3"]


@pytest.mark.host
def test_coordinates_are_names_of_facets_and_of_places():
    xarray = pytest.importorskip("xarray")
    X = xarray.DataArray(numbers(2, 4, 5), dims=("time", "lat", "lon"), name="t",
                         coords={"time": np.array(["2020-01-01", "2020-02-01"], "M8[ns]"), "lat": [10.0, 20.0, 30.0, 40.5]})
    scene = scene_of(X, rows="time")
    state = snapshot(scene)
    assert state["facets"]["rows"] == ["time 2020-01-01", "time 2020-02-01"]
    assert [axis["name"] for axis in state["axes"]] == ["time", "lat", "lon"] and scene.x == "lon"
    assert [axis["coordinate"] for axis in state["axes"]] == ["2020-01-01", "10", ""]
    assert ["lat", "40.5"] in scene.hover(3.5, 1.5, 1, (1, 1))["lines"]
    assert ["lat", "10 to 20"] in scene.hover(0.5, 1.5, 0, (2, 2))["lines"]


@pytest.mark.host
def test_names_of_rows_and_columns_are_told_where_a_table_has_them():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(numbers(3, 4), columns=["open", "high", 7, "x" * 500])

    def lines(row, col, cell=(1, 1)):
        return scene_of(X).hover(row, col, 0, cell)["lines"]

    assert lines(1.5, 1.5) == [["axis 1", "high"]] and lines(1.5, 2.5) == [["axis 1", "7"]]
    assert lines(1.5, 3.5) == [["axis 1", "x" * 60]] and ["axis 1", "open to high"] in lines(1, 1, (2, 2))
    X.index = pandas.date_range("2020-01-30", periods=3)
    assert lines(2.5, 0.5) == [["axis 0", "2020-02-01"], ["axis 1", "open"]]
    assert ["axis 0", "2020-01-31"] in scene_of(X["open"]).hover(0.5, 1.5, 0, (1, 1))["lines"]
    assert scene_of(pandas.DataFrame(numbers(3, 4))).hover(1.5, 1.5, 0, (1, 1))["lines"] == []
    gpuplot.to_rgba(X, (3, 4))


class Nameless:
    def __str__(self):
        raise RuntimeError("no name")


@pytest.mark.host
def test_names_of_several_levels_and_objects_that_have_none():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(numbers(3, 4), columns=pandas.MultiIndex.from_product([["low", "high"], [1, 2]]))
    assert scene_of(X).hover(1.5, 3.5, 0, (1, 1))["lines"] == [["axis 1", "high, 2"]]
    X.columns = ["open", "open", Nameless(), None]
    scene = scene_of(X)
    told = [scene.hover(1.5, col + 0.5, 0, (1, 1))["lines"] for col in range(4)]
    assert told == [[["axis 1", "open"]], [["axis 1", "open"]], [], [["axis 1", "None"]]]
    assert [axis["coordinate"] for axis in scene_of(X.iloc[:, [2, 0]]).state()["axes"]] == ["", ""]


@pytest.mark.host
def test_names_of_columns_of_polars():
    polars = pytest.importorskip("polars")
    X = polars.DataFrame({"open": [1.0, 2.0], "high": [3.0, None]})
    assert scene_of(X).hover(0.5, 1.5, 0, (1, 1))["lines"] == [["axis 1", "high"]]
    assert scene_of(X["open"]).hover(0.5, 1.5, 0, (1, 1))["lines"] == []


@pytest.mark.host
def test_text_coordinates_are_names_of_facets_and_of_places():
    xarray = pytest.importorskip("xarray")
    X = xarray.DataArray(numbers(2, 4, 5), dims=("band", "lat", "lon"), coords={"band": ["near", "far"], "lat": list("abcd")})
    scene = scene_of(X, rows="band")
    assert scene.state()["facets"]["rows"] == ["band near", "band far"]
    assert ["lat", "d"] in scene.hover(3.5, 1.5, 1, (1, 1))["lines"]


@pytest.mark.parametrize("shape", [(5,), (1, 1), (1, 5), (5, 1), (4, 5, 1), (1, 1, 1), (2, 1, 3, 1), (1,) * 8])
def test_thin_tensors(shape):
    scene = scene_of(numbers(*shape))
    snapshot(scene)
    whole(scene)
    scene.change({"index": dict.fromkeys(scene.index, 0)})
    with pytest.raises((ValueError, TypeError)):
        scene.change({"y": None})


def test_a_tensor_with_one_axis_has_no_other_to_show():
    with pytest.raises(ValueError, match="no second axis"):
        scene_of(numbers(5)).change({"y": 0})
