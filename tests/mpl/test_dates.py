"""Dates on the axes of lines, points and histograms: short texts at no more ticks than have room, unless the user chose others."""

import functools
import itertools
import pickle

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figures import axes_of
from matplotlib.dates import AutoDateFormatter, ConciseDateFormatter, DateFormatter, DayLocator

import gpuplot

DAYS = np.arange("2024-01-01", "2026-03-01", dtype="datetime64[D]")
VALUES = np.arange(float(len(DAYS)))


def of_xarray(ax):
    xarray = pytest.importorskip("xarray", reason="has coordinates: pip install xarray")
    gpuplot.plot(xarray.DataArray(VALUES, dims="time", coords={"time": DAYS}), ax=ax)


def draws():
    """Functions that draw dates along x in an Axes, by names."""
    calls = {"line": (gpuplot.plot, DAYS, VALUES), "list": (gpuplot.plot, DAYS.tolist(), VALUES), "points": (gpuplot.scatter, DAYS, VALUES),
             "histogram": (gpuplot.hist, DAYS), "histogram of pairs": (gpuplot.hist2d, DAYS, VALUES)}
    found = {name: functools.partial(*call) for name, call in calls.items()}
    found |= {f"{name} counted": functools.partial(found[name], density=True) for name in ("line", "points")}
    return {name: lambda ax, draw=draw: draw(ax=ax) for name, draw in found.items()} | {"coordinates": of_xarray}


@pytest.mark.parametrize("converter", ["auto", "concise"])
@pytest.mark.parametrize("draw", draws().values(), ids=draws())
def test_dates_have_short_texts(draw, converter):
    """Long ones lie on each other: of eight months in a figure of the default size."""
    ax = axes_of()
    with mpl.rc_context({"date.converter": converter}):
        draw(ax)
        assert type(ax.xaxis.get_major_formatter()) is ConciseDateFormatter
        assert mpl.rcParams["date.converter"] == converter


@pytest.mark.parametrize("draw", draws().values(), ids=draws())
@pytest.mark.parametrize("formatter", [DateFormatter("%j"), None], ids=["given", "of matplotlib's line"])
def test_texts_of_dates_that_are_there_stay(draw, formatter):
    ax = axes_of()
    if formatter is None:
        ax.plot(DAYS, VALUES)
    else:
        ax.xaxis.set_major_formatter(formatter)
    draw(ax)
    found = ax.xaxis.get_major_formatter()
    assert type(found) is AutoDateFormatter if formatter is None else found is formatter


@pytest.mark.parametrize("width", [2.5, 3, 6.4])
def test_texts_of_dates_stand_apart(width):
    """From a minute to a century; there were up to twelve in the smallest subplot."""
    for seconds in np.geomspace(60, 4e9, 15):
        times = np.datetime64("2026-03-03T10:07:11", "us") + (np.linspace(0, seconds, 50) * 1e6).astype("m8[us]")
        ax = plt.figure(figsize=(width, 2)).add_subplot()
        gpuplot.plot(times, np.arange(50), ax=ax)
        ax.figure.canvas.draw()
        low, high = ax.get_xlim()
        shown = [text for text, place in zip(ax.get_xticklabels(), ax.get_xticks(), strict=True) if low <= place <= high]
        boxes = [text.get_window_extent() for text in shown]
        assert 1 <= len(shown) <= 12 and all(left.x1 < right.x0 for left, right in itertools.pairwise(boxes))
        plt.close(ax.figure)


def test_ticks_of_dates_yield_to_the_user():
    """Those of a locator that was there, and of one set later, which zooming does not undo; a pickled figure keeps ours."""
    locator, ax = DayLocator(interval=200), axes_of()
    ax.xaxis.set_major_locator(locator)
    gpuplot.plot(DAYS, VALUES, ax=ax)
    assert ax.xaxis.get_major_locator() is locator
    ax = axes_of()
    gpuplot.plot(DAYS, VALUES, ax=ax)
    twin = pickle.loads(pickle.dumps(ax.figure)).axes[0]
    assert twin.get_xticks().tolist() == ax.get_xticks().tolist()
    ax.xaxis.set_major_locator(locator)
    gpuplot.plot(DAYS, VALUES, ax=ax)
    assert ax.xaxis.get_major_locator() is locator
