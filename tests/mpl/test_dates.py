"""Dates on the axes of lines, points and histograms: short texts at the ticks, unless the user chose others."""

import functools

import matplotlib as mpl
import numpy as np
import pytest
from figures import axes_of
from matplotlib.dates import AutoDateFormatter, ConciseDateFormatter, DateFormatter

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
