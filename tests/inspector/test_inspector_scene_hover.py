"""Texts of the inspector about elements: under the pointer, behind a pixel, numbers in cells, the next NaN."""

import numpy as np
import pytest
from scenes import axis_roles, count_calls, numbers, scene_of, snapshot, whole

from gpuplot.inspector.model.format import exact_text, short_text

ONE = (0.5, 0.5)
VOLUME = numbers(5, 40, 60)


def value_at(X, row=0.5, col=0.5, facet=0, **options):
    return scene_of(X, **options).hover(row, col, facet, ONE)


# ---- one element -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value, dtype, text", [
    (2**53 + 1, "int64", "9007199254740993"), (2**64 - 1, "uint64", "18446744073709551615"),
    (-2**63, "int64", "-9223372036854775808"),
    (True, "bool", "True"), (255, "uint8", "255"), (0.1, "float16", "0.1"), (0.1, "float32", "0.1"), (0.1, "float64", "0.1"),
    (1 / 3, "float32", "0.33333334"), (1e-40, "float32", "1e-40"), (-0.0, "float32", "-0"), (3.0, "float64", "3"),
    (np.nan, "float32", "NaN"),
    (np.inf, "float16", "+Inf"), (-np.inf, "float64", "-Inf"), (1e22, "float64", "1e+22"), (1 - 2j, "complex64", "1-2j"),
    (complex(np.nan, np.inf), "complex128", "NaN+Infj"), (complex(0.1, -0.0), "complex64", "0.1-0j")])
def test_an_element_is_exact_in_its_own_dtype(value, dtype, text):
    found = value_at(np.full((2, 3), value, dtype))
    assert found["value"] == text and found["index"] == "[0, 0]" and found["text"].startswith(f"[0, 0] {text}")


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
@pytest.mark.host
def test_an_element_of_a_dtype_that_numpy_lacks(dtype):
    types = pytest.importorskip("ml_dtypes")
    assert value_at(np.full((2, 3), 1.5, getattr(types, dtype)))["value"] == "1.5"


@pytest.mark.parametrize("X", [np.full((2, 3), 7, ">i4"), np.full((2, 3), 7.0, ">f8"), np.full((2, 3), 7, ">u2")])
def test_swapped_bytes(X):
    assert value_at(X)["value"] == "7"


def test_a_masked_element():
    X = np.ma.array([[1.0, 2.0]], mask=[[True, False]])
    assert value_at(X)["value"] == "masked" and value_at(X, col=1.5)["value"] == "2"


def test_places_are_those_of_the_tensor():
    scene = scene_of(VOLUME, index={0: 3})
    assert scene.hover(7.9, 9.1, 0, ONE)["index"] == "[3, 7, 9]"
    scene.change({"x": 1})
    assert scene.hover(7.5, 9.5, 0, ONE)["value"] == exact_text(VOLUME[3, 9, 7])
    scene.change({"x": 2, "rows": 0})
    assert scene.hover(7.5, 9.5, 4, ONE)["value"] == exact_text(VOLUME[4, 7, 9])


def test_what_is_reduced_is_a_colon_in_words():
    scene = scene_of(VOLUME, reduce={0: "mean"})
    found = scene.hover(7.5, 9.5, 0, ONE)
    assert found["index"] == "[0:5, 7, 9]" and float(found["value"]) == pytest.approx(VOLUME[:, 7, 9].mean(), rel=1e-6)


def test_classes_have_names():
    X = np.array([[0, 1, 2]])
    assert value_at(X, col=1.5, labels={1: "<i>cat</i>"})["value"] == "1: <i>cat</i>"
    assert value_at(X, col=2.5, labels={1: "cat"})["value"] == "2"


def test_colors_are_raw_and_as_they_are_shown():
    X = np.zeros((4, 5, 3), "float32")
    X[1, 2] = 0.1, 0.5, 1.0
    found = value_at(X, 1.5, 2.5)
    assert (found["value"], found["index"]) == ("(0.1, 0.5, 1)", "[1, 2, 0:3]")
    assert found["lines"] == [["shown", "(25, 127, 255)"]]
    bytes_ = value_at((X * 255).astype("uint8"), 1.5, 2.5)
    assert bytes_["value"] == "(25, 127, 255)"


@pytest.mark.parametrize("mode, lines",
                         [("amplitude", [["amplitude", "5"]]), ("real", [["real", "3"]]), ("phase", [["phase", "0.927295"]]),
                          ("amplitude_phase", [["amplitude", "5"], ["phase", "0.927295"]])])
def test_complex_numbers_are_whole_whatever_is_shown_of_them(mode, lines):
    found = value_at(np.full((2, 3), 3 + 4j), complex_mode=mode)
    assert found["value"] == "3+4j" and found["lines"] == lines


@pytest.mark.parametrize("row, col", [(-0.1, 5), (40.0, 5), (5, -1), (5, 60), (1e15, 5), (-1e15, -1e15)])
def test_beside_the_plane_there_is_nothing(row, col):
    assert scene_of(VOLUME).hover(row, col, 0, ONE) == {"text": "", "value": None, "index": "", "lines": []}


@pytest.mark.parametrize("facet", [1, -1])
def test_facets_are_those_that_are_shown(facet):
    with pytest.raises(IndexError, match="1 are shown"):
        scene_of(VOLUME).hover(0, 0, facet, ONE)


# ---- several elements --------------------------------------------------------------------------------------------------------


def test_a_pixel_of_several_elements_is_described():
    X = np.arange(10.0).reshape(1, 10)
    scene = scene_of(X)
    scene.draw((0, 1, 0, 10), (1, 4))
    found = scene.hover(0.5, 3.1, 0, (1.0, 2.5))
    assert (found["value"], found["index"]) == (None, "[0, 2:5]")
    assert found["lines"] == [["n", "3"], ["min", "2"], ["mean", "3.2"], ["max", "4"]]
    assert found["text"] == "[0, 2:5]; n 3; min 2; mean 3.2; max 4"


def test_what_is_not_finite_is_counted():
    X = np.zeros((8, 8), "float32")
    X[0, 0], X[1, 1], X[2, 2], X[3, 3] = np.nan, np.inf, -np.inf, np.nan
    lines = dict(map(tuple, scene_of(X).hover(0.5, 0.5, 0, (8, 8))["lines"]))
    assert (lines["n"], lines["NaN"], lines["+Inf"], lines["-Inf"], lines["mean"]) == ("64", "2", "1", "1", "0")
    lines = dict(map(tuple, scene_of(np.full((4, 4), np.nan)).hover(0.5, 0.5, 0, (4, 4))["lines"]))
    assert lines == {"n": "16", "NaN": "16"}


@pytest.mark.parametrize("agg", ["absmax", "range", "std", "var", "sum", "count", "nearest"])
def test_the_value_of_the_pixel_comes_first(agg):
    scene = scene_of(VOLUME, agg=agg)
    lines = scene.hover(1.0, 1.0, 0, (2, 2))["lines"]
    assert lines[0][0] == agg and [name for name, _ in lines[1:]] == ["n", "min", "mean", "max"]


@pytest.mark.parametrize("side", [5e-324, 1e-300, 1e-9, 1e15, 1e300, 1.7e308])
def test_pixels_of_any_size(side):
    scene = scene_of(VOLUME[0])
    assert scene.hover(3.5, 4.5, 0, (side, side))["index"] == ("[3, 4]" if side < 1 else "[0:40, 0:60]")
    scene.draw((-1000.5, 1000, -7.25, 70), (20, 20))
    scene.hover(3.5, 4.5, 0, (side, side))
    assert scene.hover(1e308, -1e308, 0, (side, side))["index"] == ""


def test_pixels_begin_where_the_window_does():
    scene = scene_of(VOLUME[0])
    scene.draw((1, 41, 2, 62), (10, 10))
    assert scene.hover(4.9, 7.9, 0, (4.0, 6.0))["index"] == "[1:5, 2:8]"
    assert scene.hover(5.0, 8.0, 0, (4.0, 6.0))["index"] == "[5:9, 8:14]"


@pytest.mark.parametrize("window, size",
                         [((0, 40, 0, 60), (7, 11)), ((-3.7, 22.2, 10.1, 47.3), (9, 13)), ((3.25, 4.75, 6.5, 8.5), (20, 30))])
def test_what_is_said_of_a_pixel_is_what_its_cell_was_made_of(window, size):
    X = VOLUME[0].astype(float)
    scene = scene_of(X, agg="mean")
    scene.draw(window, size)
    cells = scene._store.frames(scene._view_state.planes, "mean", scene._viewport)[0].cells.numpy()
    height, width = (window[1] - window[0]) / size[0], (window[3] - window[2]) / size[1]
    for p in range(size[0]):
        for q in range(0, size[1], 3):
            found = scene.hover(window[0] + (p + 0.3) * height, window[2] + (q + 0.6) * width, 0, (height, width))
            if np.isnan(cells[p, q]):
                assert found["index"] == ""
                continue
            said = found["value"] or dict(map(tuple, found["lines"]))["mean"]
            assert float(said) == pytest.approx(cells[p, q], rel=1e-5, abs=1e-12)


def test_a_line_is_described_by_columns():
    scene = scene_of(np.arange(1000.0))
    whole(scene)
    assert scene.hover(0.9, 10.5, 0, (0.01, 1.0))["value"] == "10"
    found = scene.hover(123.0, 41.0, 0, (0.001, 20.0))
    assert found["index"] == "[40:60]" and ["n", "20"] in found["lines"]


# ---- numbers in cells --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value, text", [
    (0, "0"), (-12, "-12"), (1234567, "1234567"), (12345678, "1.235e7"), (2**60, "1.15e18"), (-2**60, "-1.2e18"),
    (10**400, "+Inf"), (0.0, "0"), (-0.0, "-0"),
    (0.1, "0.1"), (1 / 3, "0.33333"), (-1 / 3, "-0.3333"), (-1e-300, "-1e-300"), (1.25e-7, "1.25e-7"),
    (123456.0, "123456"), (123456.7, "123457"), (-123456.0, "-123456"),
    (-1234567.0, "-1.23e6"),
    (-0.0003683, "-3.7e-4"), (-0.0001, "-0.0001"), (0.00036, "0.00036"), (99999.0, "99999"), (1e100, "1e100"),
    (-1.2345e-100, "-1e-100"), (float("nan"), "NaN"), (float("inf"), "+Inf"),
    (True, "True"), (np.float32(0.1), "0.1"),
    (np.ma.masked, "--"), (np.uint64(2**64 - 1), "1.84e19"), (np.int8(-128), "-128")])
def test_numbers_in_cells_are_short(value, text):
    assert short_text(value) == text and len(text) <= 7


def test_values_of_a_box():
    scene = scene_of(np.arange(12.0).reshape(3, 4))
    assert scene.values((1, 3, 1, 3), 0) == [["5", "6"], ["9", "10"]] == scene.values([1, 3, 1, 3])
    assert scene.values((1, 1, 0, 4), 0) == [] and scene.values((0, 2, 3, 3), 0) == [[], []]
    scene.change({"x": 0})
    assert scene.values((0, 2, 0, 3), 0) == [["0", "4", "8"], ["1", "5", "9"]]


@pytest.mark.parametrize("values, texts", [
    ([0.1, 0.25, -3], ["0.10", "0.25", "-3.00"]), ([1.0, 2.0], ["1", "2"]), ([100.25, -0.5], ["100.25", "-0.50"]),
    ([1.5, np.nan, -np.inf, -0.0], ["1.5", "NaN", "-Inf", "-0.0"]),
    ([-1.23456, 0.00036], ["-1.2346", "0.0004"]),  # as many as fit
    ([190.44, 0.004], ["190.440", "0.004"]),
    ([190.44, 0.0004], ["190.44", "0.0004"]), ([1e-9, 1.5], ["1e-9", "1.5"]),  # which would be zeros
    ([np.nan, np.inf], ["NaN", "+Inf"]),
])
def test_numbers_in_cells_have_equal_decimals(values, texts):
    assert scene_of(np.array([values])).values((0, 1, 0, len(values)), 0) == [texts]


@pytest.mark.parametrize("values, room, texts", [
    (np.float64([1 / 3, -20]), 5, ["0.3", "-20.0"]),
    (np.float64([-3.683e-4, 2e-9]), 5, ["-4e-4", "2e-9"]),
    (np.int64([-12, 123456]), 5, ["-12", "1.2e5"]),
    (np.float64([1 / 3, -20]), 12, ["0.33333", "-20.00000"]),
    (np.float32([1 / 3, -20]), 8, ["0.3333", "-20.0000"]),
    (np.float32([1 / 3, 0.1]), 24, ["0.3333333", "0.1000000"]),
    (np.float16([1 / 3, -0.1]), 24, ["0.3333", "-0.1000"]),
    (np.float64([12345.678, 1e-9]), 24, ["12345.68", "1e-9"]),
    (np.uint64([2**63, 2**64 - 1]), 20, ["9223372036854775808", "18446744073709551615"]),
    (np.int64([-(2**62), 3]), 20, ["-4611686018427387904", "3"]),
], ids=str)
def test_wide_cells_have_the_digits_of_the_dtype(values, room, texts):
    found = scene_of(values[None]).values((0, 1, 0, len(values)), 0, room)
    assert found == [texts] and all(len(text) <= room for text in texts)


def test_wide_cells_have_long_names():
    scene = scene_of(np.array([[0, 1]]), labels={0: "an elephant", 1: "x" * 30})
    assert scene.values((0, 1, 0, 2), 0, 11) == [["an elephant", "x" * 10 + "…"]]


def test_values_of_every_kind_of_element():
    assert scene_of(np.array([[3 + 4j]])).values((0, 1, 0, 1), 0) == [["5"]]
    assert scene_of(np.array([[0, 1, 2]]), labels={1: "elephant", 2: "ox"}).values((0, 1, 0, 3), 0) == [["0", "elepha…", "ox"]]
    assert scene_of(np.full((2, 2, 3), 255, "uint8")).values((0, 1, 0, 1), 0) == [["#ffffff"]]
    assert scene_of(np.full((2, 2, 3), 0.5)).values((0, 1, 0, 2), 0) == [["#7f7f7f"] * 2]
    assert scene_of(np.ma.array([[1.0, 2.0]], mask=[[True, False]])).values((0, 1, 0, 2), 0) == [["--", "2"]]
    assert scene_of(VOLUME, reduce={0: "max"}).values((0, 1, 0, 1), 0) == [[short_text(VOLUME[:, 0, 0].max())]]
    assert scene_of(VOLUME, rows=0).values((0, 1, 0, 1), 3) == [[short_text(VOLUME[3, 0, 0])]]


@pytest.mark.parametrize("box, facet", [
    ((0, 1, 0, 61), 0), ((-1, 1, 0, 1), 0), ((1, 0, 0, 1), 0), ((0, 1, 0, 1), 5), ((0, 10**30, 0, 1), 0)])
def test_boxes_lie_in_the_plane(box, facet):
    with pytest.raises(IndexError):
        scene_of(VOLUME).values(box, facet)


def test_at_most_4096_values_at_a_time():
    scene = scene_of(numbers(80, 80))
    assert len(scene.values((0, 64, 0, 64), 0)) == 64
    with pytest.raises(ValueError, match="4096"):
        scene.values((0, 64, 0, 65), 0)


# ---- the next element that is not finite -------------------------------------------------------------------------------------


def planted():
    X = np.zeros((4, 6, 7), "float32")
    X[1, 2, 3], X[1, 2, 5], X[3, 0, 0] = np.nan, np.inf, -np.inf
    return X


def hops(scene, step, n):
    return [(scene.jump(step)["text"], scene.index.get(0)) for _ in range(n)]


def test_jumps_go_round_in_index_order():
    scene = scene_of(planted(), index={0: 2})
    assert hops(scene, 1, 4) == [("-Inf at [3, 0, 0]", 3), ("NaN at [1, 2, 3]", 1), ("+Inf at [1, 2, 5]", 1),
                                 ("-Inf at [3, 0, 0]", 3)]
    assert hops(scene, -1, 4) == [("+Inf at [1, 2, 5]", 1), ("NaN at [1, 2, 3]", 1), ("-Inf at [3, 0, 0]", 3),
                                  ("+Inf at [1, 2, 5]", 1)]


def test_what_is_shown_comes_first_and_a_jump_tells_where():
    scene = scene_of(planted(), index={0: 1})
    assert scene.jump(-1) == {"row": 2, "col": 5, "facet": 0, "text": "+Inf at [1, 2, 5]"}
    scene.change({"index": {0: 3}})
    assert scene.jump(1)["text"] == "-Inf at [3, 0, 0]"
    assert snapshot(scene)["axes"][0]["index"] == 3


def test_one_element_is_found_again_and_again():
    X = np.zeros((3, 4))
    X[1, 1] = np.nan
    scene = scene_of(X)
    assert [scene.jump(step)["row"] for step in (1, 1, -1, -1)] == [1, 1, 1, 1]


def test_jumps_where_all_is_finite_change_nothing():
    scene = scene_of(VOLUME)
    before = snapshot(scene)
    assert scene.jump(1) == {"row": None, "col": None, "facet": 0, "text": "all elements are finite"}
    assert snapshot(scene) == before


def test_a_jump_says_that_facets_that_are_not_shown_were_not_searched():
    X = np.zeros((100, 3, 4))
    X[80, 1, 2] = np.nan
    assert scene_of(X, rows=0).jump(1)["text"] == "all elements of the facets that are shown are finite"


def test_jumps_through_facets_reductions_colors_and_lines():
    scene = scene_of(planted(), rows=0)
    found = [scene.jump(1) for _ in range(4)]
    assert [(jump["facet"], jump["row"], jump["col"]) for jump in found] == [(1, 2, 3), (1, 2, 5), (3, 0, 0), (1, 2, 3)]
    assert scene.jump(-1)["facet"] == 3
    assert scene_of(planted(), reduce={0: "mean"}).jump(1)["text"] == "-Inf at [0:4, 0, 0]"
    X = np.zeros((5, 6, 3))
    X[4, 2, 1] = np.nan
    assert (lambda jump: (jump["row"], jump["col"]))(scene_of(X).jump(1)) == (4, 2)
    assert scene_of(np.array([0.0, 1.0, np.inf])).jump(1)["text"] == "+Inf at [2]"
    assert scene_of(np.array([[1j, complex(np.nan, 0)]])).jump(1)["col"] == 1


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("step", [1, -1])
def test_jumps_visit_every_one_in_order_whatever_the_axes(seed, step):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((3, 4, 2, 5, 6)) < 0.01, np.nan, 0.0)
    X[tuple(rng.integers(0, X.shape))] = np.nan
    scene = scene_of(X, index={0: 1, 1: 2})
    if seed % 2:
        scene.change({"x": 0, "y": 3})
    stepped = [axis for axis, role in enumerate(axis_roles(scene)) if role == "index"]
    order = [*stepped, scene.y, scene.x]
    wanted = sorted(map(tuple, np.argwhere(np.isnan(X))), key=lambda place: [place[axis] for axis in order])
    found = []
    for _ in range(len(wanted) + 1):
        text = scene.jump(step)["text"]
        found.append(tuple(map(int, text.removeprefix("NaN at [").removesuffix("]").split(", "))))
    first = wanted.index(found[0])
    assert found == [wanted[(first + k * step) % len(wanted)] for k in range(len(wanted) + 1)]


def test_a_tensor_of_very_many_small_planes_is_searched_as_a_whole(monkeypatch):
    X = np.zeros((300, 200, 2, 2), "float32")
    X[299, 7, 1, 0] = np.nan
    scene = scene_of(X)
    calls = count_calls(monkeypatch, "find")
    assert scene.jump(1)["text"] == "NaN at [299, 7, 1, 0]" and scene.index == {0: 299, 1: 7}
    assert calls["find"] < 50
