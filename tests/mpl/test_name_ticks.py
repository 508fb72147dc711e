"""Rows and columns of tables in figures: coordinates, dates, and names at the ticks."""

import itertools
import pickle

import matplotlib.pyplot as plt
import numpy as np
import pytest
from figures import axes_of
from matplotlib.ticker import FixedLocator

import gpuplot

pytestmark = pytest.mark.host("tables are on the host")
pd = pytest.importorskip("pandas")

NAMES = ["height", "weight", "age", "income"]


def drawn(table, width=400, height=300, **options):
    """The Axes of a table's picture, drawn once."""
    im = gpuplot.imshow(table, ax=axes_of(height, width), **options)
    im.axes.tick_params(labelleft=True, labelbottom=True)
    im.figure.canvas.draw()
    return im.axes


def labels_of(axis):
    return [text for text, at in zip((label.get_text() for label in axis.get_ticklabels()), axis.get_ticklocs(), strict=True) if text]


def test_names_of_rows_and_columns_are_at_their_elements():
    ax = drawn(pd.DataFrame(np.eye(4), index=NAMES, columns=pd.Index(NAMES, name="feature")))
    assert labels_of(ax.xaxis) == labels_of(ax.yaxis) == NAMES
    assert ax.get_xlabel() == "feature" and ax.get_ylabel() == "" and ax.images[0].get_extent() == [-0.5, 3.5, 3.5, -0.5]


def test_numbers_and_dates_are_coordinates_and_the_first_row_is_on_top():
    days = pd.date_range("2026-01-01", periods=6, name="day")
    ax = drawn(pd.DataFrame(np.zeros((6, 3)), index=days, columns=pd.Index([10.0, 20.0, 30.0], name="Hz")))
    left, right, bottom, top = ax.images[0].get_extent()
    assert (left, right) == (5.0, 35.0) and bottom - top == 6.0 and top < bottom
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Hz", "day")
    assert ax.format_ydata(top + 0.5).startswith("2026-01-01")


@pytest.mark.filterwarnings("error")
def test_rows_that_were_left_out_leave_names_and_no_warning():
    table = pd.DataFrame(np.arange(12.0).reshape(6, 2)).loc[[0, 1, 4, 5]]
    assert labels_of(drawn(table).yaxis) == ["0", "1", "4", "5"]


def test_a_table_that_counts_says_nothing():
    ax = drawn(pd.DataFrame(np.zeros((4, 5))))
    assert ax.get_xlabel() == ax.get_ylabel() == "" and ax.images[0].get_extent() == [-0.5, 4.5, 3.5, -0.5]


def test_levels_are_said_together():
    index = pd.MultiIndex.from_product([["a", "b"], [1, 2]])
    assert labels_of(drawn(pd.DataFrame(np.zeros((4, 4)), index=index)).yaxis) == ["a, 1", "a, 2", "b, 1", "b, 2"]


def test_there_are_as_many_names_as_have_room_and_more_when_zoomed():
    table = pd.DataFrame(np.zeros((1000, 300)), columns=[f"feature {i}" for i in range(300)], index=[f"row {i}" for i in range(1000)])
    ax = drawn(table, aspect="auto")
    few = labels_of(ax.yaxis)
    assert 5 < len(few) < 40 and few[0] == "row 0"
    for axis in (ax.xaxis, ax.yaxis):
        boxes = sorted((box.x0, box.x1) if axis is ax.xaxis else (box.y0, box.y1)
                       for box in (label.get_window_extent() for label in axis.get_ticklabels()))
        assert all(one[1] <= two[0] for one, two in itertools.pairwise(boxes))
    ax.set_ylim(510.5, 499.5)
    ax.figure.canvas.draw()
    assert labels_of(ax.yaxis) == [f"row {i}" for i in range(500, 511)]


def test_long_names_are_turned():
    short, long = (drawn(pd.DataFrame(np.eye(8), columns=[f"{'x' * n}{i}" for i in range(8)])) for n in (1, 30))
    assert [ax.get_xticklabels()[0].get_rotation() for ax in (short, long)] == [0, 90]


def test_ticks_that_somebody_chose_and_an_extent_stay():
    table = pd.DataFrame(np.eye(4), index=NAMES, columns=NAMES)
    ax = axes_of(300)
    ax.set_xticks([0, 2])
    gpuplot.imshow(table, ax=ax)
    assert isinstance(ax.xaxis.get_major_locator(), FixedLocator)
    assert "height" not in labels_of(drawn(table, extent=(0, 1, 0, 1)).xaxis)


def test_the_other_way_round_and_pickled():
    ax = drawn(pd.DataFrame(np.zeros((2, 4)), index=["a", "b"], columns=NAMES), x=0, y=1)
    assert labels_of(ax.xaxis) == ["a", "b"] and labels_of(ax.yaxis) == NAMES
    again = pickle.loads(pickle.dumps(ax.figure)).axes[0]
    again.figure.canvas.draw()
    assert labels_of(again.yaxis) == NAMES


def test_columns_of_polars():
    pl = pytest.importorskip("polars")
    assert labels_of(drawn(pl.DataFrame({"a": [1.0, 2], "b": [3.0, 4]})).xaxis) == ["a", "b"]


@pytest.mark.parametrize("length", [5, 26, 40])
def test_long_names_are_within_the_figure(length):
    names = [f"{'feature name of letters and more letters'[:length]} {i}" for i in range(12)]
    figure = plt.figure(figsize=(6.4, 4.8))
    ax = gpuplot.imshow(pd.DataFrame(np.eye(12), index=names, columns=names), ax=figure.add_subplot(), colorbar=True).axes
    figure.canvas.draw()
    boxes = [label.get_window_extent() for axis in (ax.xaxis, ax.yaxis) for label in axis.get_ticklabels()]
    assert len(boxes) >= 12 and all(box.x0 >= 0 and box.y0 >= 0 for box in boxes)
