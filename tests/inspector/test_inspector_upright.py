"""Coordinates of rows that rise point up in the inspector, its stills, snapshots and figures, and in files."""

import io

import numpy as np
import pytest
from inspector_notebook import notebook  # noqa: F401

import gpuplot

xarray = pytest.importorskip("xarray")
Image = pytest.importorskip("PIL.Image")

pytestmark = pytest.mark.host("where rows are drawn is nothing that devices have a say in")

HEIGHT = np.add.outer(np.arange(40.0), np.zeros(60)).astype("float32")


def field(y, **coords):
    return xarray.DataArray(HEIGHT, dims=("y", "x"), coords={"y": y, "x": np.arange(60.0)} | coords)


RISING, FALLING = field(np.linspace(-60, 60, 40)), field(np.linspace(60, -60, 40))


def picture(save):
    file = io.BytesIO()
    save(file)
    return np.asarray(Image.open(io.BytesIO(file.getvalue())).convert("RGBA"))


@pytest.mark.parametrize(("X", "origin"), [
    (RISING, "lower"), (FALLING, "upper"), (HEIGHT, "upper"), (field(np.geomspace(1, 9, 40)), "upper"), (RISING[:1], "upper"),
    (RISING[0], "upper"), (RISING.T, "lower"), (xarray.concat([RISING, RISING], "t"), "lower")],
    ids=["rising", "falling", "plain", "uneven", "one row", "line", "turned", "stack"])
def test_rows_that_rise_point_up(notebook, X, origin):
    assert gpuplot.inspect(X)._controller.state()["origin"] == origin


def test_axes_that_change_places_take_it_along(notebook):
    w = gpuplot.inspect(RISING.assign_coords(x=np.arange(60.0)[::-1]))
    assert w._controller.state()["origin"] == "lower"
    w.x, w.y = "y", "x"
    assert w._controller.state()["origin"] == "upper"


@pytest.mark.parametrize("options", [{}, {"view": ((10, 30), (5, 40))}, {"agg": "max"}], ids=str)
def test_a_snapshot_and_a_file_are_turned(notebook, options):
    up, down = (picture(lambda file, X=X: gpuplot.inspect(X, cmap="gray", **{k: v for k, v in options.items() if k == "agg"}).snapshot(
        file, scale=3)) for X in (RISING, HEIGHT))
    assert np.array_equal(up, down[::-1]) and not np.array_equal(up, down)
    up, down = (picture(lambda file, X=X: gpuplot.imsave(file, X, width=90, **options)) for X in (RISING, HEIGHT))
    assert np.array_equal(up, down[::-1]) and not np.array_equal(up, down)
    upper = picture(lambda file: gpuplot.imsave(file, RISING, width=90, origin="upper", **options))
    assert np.array_equal(upper, down)


def test_facets_of_a_snapshot_are_turned_each_by_itself(notebook):
    stack = xarray.concat([RISING, RISING * 2], "t").assign_coords(y=RISING.y)
    up = picture(lambda file: gpuplot.inspect(stack, rows="t", cmap="gray").snapshot(file, scale=1))
    down = picture(lambda file: gpuplot.inspect(stack.values, rows=0, cmap="gray").snapshot(file, scale=1))
    assert np.array_equal(up[:40], down[:40][::-1]) and np.array_equal(up[-40:], down[-40:][::-1])


@pytest.mark.parametrize("view", [None, ((10, 30), (5, 40))])
@pytest.mark.parametrize("X", [RISING, FALLING, HEIGHT], ids=["rising", "falling", "plain"])
def test_a_figure_shows_the_same_part_as_the_page(notebook, X, view):
    w = gpuplot.inspect(X, cmap="gray")
    w.view = view
    ax = w.to_figure().axes[0]
    (row0, row1), _ = view or ((0, 40), (0, 60))
    step = 120 / 39
    ends = {"rising": (-60 + step * (row0 - 0.5), -60 + step * (row1 - 0.5)),
            "falling": (60 - step * (row1 - 0.5), 60 - step * (row0 - 0.5)), "plain": (row1 - 0.5, row0 - 0.5)}
    name = "rising" if X is RISING else "falling" if X is FALLING else "plain"
    assert ax.get_ylim() == pytest.approx(ends[name]) and ax.images[0].origin == ("lower" if name == "rising" else "upper")


def test_a_figure_of_a_difference_is_as_the_page(notebook):
    w = gpuplot.inspect({"a": RISING, "b": RISING * 2})
    w.item = "a - b"
    origin = w._controller.state()["origin"]
    assert w.to_figure().axes[0].images[0].origin == origin
