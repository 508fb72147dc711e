"""Tensors of one axis as lines, and tensors without a picture."""

import numpy as np
import pytest
from scenes import count_calls, numbers, scene_of, snapshot, whole

VOLUME = numbers(5, 40, 60)


def test_a_line_has_the_envelope_of_its_columns():
    X = numbers(1000)
    X[[5, 300, 999]] = np.nan, np.inf, -np.inf
    scene = scene_of(X)
    drawn = scene.draw((0, 1, 0, 1000), (100, 50))
    assert scene.state()["kind"] == "line" and drawn.pixels is None and drawn.line.shape == (5, 50)
    assert drawn.line.dtype == np.float64
    columns = X.reshape(50, 20).astype(float)
    finite = np.where(np.isfinite(columns), columns, np.nan)
    assert np.array_equal(drawn.line[0], np.nanmin(finite, 1)) and np.array_equal(drawn.line[1], np.nanmax(finite, 1))
    assert np.allclose(drawn.line[2], np.nanmean(finite, 1), rtol=1e-6)
    assert {k: int(drawn.line[3, k]) for k in range(50) if drawn.line[3, k]} == {0: 1, 15: 2, 49: 3}
    assert (drawn.line[4] == 20).all()


def test_a_line_beside_its_elements_and_close_to_them():
    X = np.array([1.0, np.nan, 3.0])
    line = scene_of(X).draw((0, 1, -1, 5), (10, 12)).line
    assert np.isnan(line[:, :2]).all() and np.isnan(line[:, 8:]).all()
    assert line[0, 2:8].tolist()[::2][::2] == [1.0, 3.0] and line[3, 2:8].tolist() == [0, 0, 1, 1, 0, 0]
    assert np.isnan(line[:3, 4:6]).all() and (line[4, 2:8] == 1).all()


def test_a_line_that_is_drawn_again_is_not_read_again(monkeypatch):
    scene = scene_of(numbers(100))
    first = scene.draw((0, 1, 0, 100), (10, 20)).line
    calls = count_calls(monkeypatch, "reduce", "limits")
    scene.change({"vmax": 3.0})
    assert np.array_equal(scene.draw((0, 1, 0, 100), (10, 20)).line, first) and calls == {"reduce": 0, "limits": 0}


def test_the_axis_of_a_line_follows_the_window_until_it_is_set():
    X = np.r_[np.linspace(0, 1, 100), np.linspace(50, 60, 100)]
    scene = scene_of(X)

    def limits(first, last):
        drawn = scene.draw((0, 1, first, last), (50, 40))
        assert drawn.limits == (scene.vmin, scene.vmax)
        return drawn.limits

    assert limits(-20, 220) == (0, 60)
    version = scene.version
    assert limits(10.5, 49.5) == (X[10], X[49]) and scene.version > version
    assert limits(150, 220) == (X[150], 60)
    assert limits(300, 400) == (0, 60)  # where there is nothing
    scene.change({"vmax": 100.0})
    assert limits(0, 100) == (0, 100) and limits(100, 200) == (50, 100)
    scene.change({"vmax": None, "robust": True})
    assert limits(0, 100) == pytest.approx(np.percentile(X[:100], (2, 98)))
    scene.change({"robust": False, "region": "all"})
    assert limits(0, 100) == (0, 60)
    scene.set_limits("full", "view", (0, 1, 100, 200))
    assert limits(100, 200) == limits(0, 50) == (50, 60)


def test_a_line_has_no_menus_of_colors():
    state = scene_of(numbers(50)).state()
    assert state["cmaps"] == state["norms"] == state["aggs"] == [] and len(set(state["colors"]["bar"])) == 1


def test_a_line_is_not_centered():
    scene = scene_of(np.array([-1.0, 0.0, 3.0]))
    assert (scene.vmin, scene.vmax) == (-1.0, 3.0)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "complex64"])
def test_lines_of_every_kind_of_number(dtype):
    X = (numbers(30) * 3).astype(dtype)
    line = scene_of(X).draw((0, 1, 0, 30), (5, 30)).line
    wanted = np.abs(X) if dtype == "complex64" else X.astype(float)
    assert np.allclose(line[0], wanted) and np.allclose(line[1], wanted)


@pytest.mark.parametrize("X, text",
                         [(np.float32(3.25), "0-d float32: 3.25"), (np.int64(2**60 + 1), "0-d int64: 1152921504606846977"),
                          (np.zeros((0, 5)), "empty: shape (0, 5), float64"),
                          (np.zeros((3, 0, 2)), "empty: shape (3, 0, 2), float64"),
                          (np.zeros(0, "int8"), "empty: shape (0,), int8"), (np.array(True), "0-d bool: True")])
def test_tensors_without_a_picture_say_what_they_are(X, text):
    scene = scene_of(X)
    state = snapshot(scene)
    assert (state["kind"], state["text"]) == ("text", text)
    assert not whole(scene).pixels.any()
    scene.change({"cmap": "magma", "vmin": 0.0})
    assert scene.jump(1)["row"] is None


@pytest.mark.parametrize("facets, n", [({"rows": 1}, 1), ({"rows": 1, "columns": 2}, 4), ({"rows": 0}, 3)])
def test_facets_of_a_tensor_without_elements(facets, n):
    """An axis of no elements has no facets; there is a picture all the same, on which nothing is."""
    pixels = whole(scene_of(np.zeros((3, 0, 4)), **facets)).pixels
    assert len(pixels) == n and pixels.size and not pixels.any()
