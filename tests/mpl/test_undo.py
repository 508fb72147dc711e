"""Calls that fail after they began to draw leave their Axes as they were."""

import numpy as np
import pytest
from figures import axes_of, pixels

import gpuplot

X = np.random.default_rng(0).normal(size=1000)


def density(**properties):
    return gpuplot.scatter(X, X, density=True, **properties)


FAILING = {
    "hist": lambda ax: gpuplot.hist(X, ax=ax, alpha=2), "outlines": lambda ax: gpuplot.hist([X, X], ax=ax, histtype="step", lw="wide"),
    "hist2d": lambda ax: gpuplot.hist2d(X, X, ax=ax, alpha=2), "plot": lambda ax: gpuplot.plot(X, ax=ax, alpha=2),
    "scatter": lambda ax: gpuplot.scatter(X, X, ax=ax, alpha=2), "density": lambda ax: density(ax=ax, alpha=2),
    "limits": lambda ax: density(ax=ax, vmin=5, vmax=2), "log": lambda ax: density(ax=ax, norm="log", vmin=-1),
    "limits of lines": lambda ax: gpuplot.plot(X, density=True, ax=ax, vmin=5, vmax=2),
    "limits of a mesh": lambda ax: gpuplot.hist2d(X, X, ax=ax, vmin=5, vmax=2),
    "lines": lambda ax: gpuplot.plot(X, density=True, ax=ax, alpha=2), "imshow": lambda ax: gpuplot.imshow(X[None], ax=ax, alpha=2),
}


def state_of(ax):
    return [id(artist) for artist in ax.get_children()], len(ax.containers), ax.dataLim.get_points().tolist(), ax.get_xlim(), ax.get_ylim()


@pytest.mark.parametrize("is_empty", [True, False])
@pytest.mark.parametrize("draw", FAILING.values(), ids=FAILING)
def test_axes_are_as_they_were(draw, is_empty):
    """A histogram once left its bars, and Axes without data had other limits."""
    ax = axes_of(90, 60)
    first = None if is_empty else density(ax=ax)
    cmap = first and first.cmap
    before, picture = state_of(ax), pixels(ax.figure)
    with pytest.raises((ValueError, TypeError)):
        draw(ax)
    assert state_of(ax) == before and (first is None or first.cmap is cmap)
    np.testing.assert_array_equal(pixels(ax.figure), picture)


def test_current_axes_are_as_they_were():
    from matplotlib import pyplot

    gpuplot.hist(X)
    ax = pyplot.gca()
    before = state_of(ax)
    with pytest.raises(ValueError, match="alpha"):
        gpuplot.hist(X, alpha=2)
    assert pyplot.get_fignums() == [1] and state_of(ax) == before


DATES = np.arange("2020-01-01", "2020-03-01", dtype="M8[D]")
FAILING_WITH_UNITS = {
    "hist": lambda ax: gpuplot.hist(DATES, bins="foo", ax=ax), "weights": lambda ax: gpuplot.hist(["a", "b"], weights=[1], ax=ax),
    "hist2d": lambda ax: gpuplot.hist2d(DATES, [1.0], ax=ax), "plot": lambda ax: gpuplot.plot(DATES, [1.0], ax=ax),
    "scatter": lambda ax: gpuplot.scatter(DATES, [1.0], ax=ax), "missing": lambda ax: gpuplot.hist(np.array(["NaT"], "M8"), ax=ax),
}


@pytest.mark.host("dates and texts are in host memory")
@pytest.mark.parametrize("draw", FAILING_WITH_UNITS.values(), ids=FAILING_WITH_UNITS)
def test_axes_have_the_units_that_they_had(draw):
    """The ticks of numbers became dates in 1970, or texts, where a call with dates or texts had failed before."""
    axes, untouched = (axes_of(90, 60).figure.subplots(2, sharex=True) for _ in range(2))
    with pytest.raises((ValueError, TypeError)):
        draw(axes[0])
    assert not any(axis.have_units() for ax in axes for axis in (ax.xaxis, ax.yaxis))
    for ax in axes[0], untouched[0]:
        gpuplot.plot([3.0, 5.0, 4.0], ax=ax)
    np.testing.assert_array_equal(pixels(axes[0].figure), pixels(untouched[0].figure))


@pytest.mark.host("dates are in host memory")
def test_axes_of_dates_keep_their_dates():
    ax = axes_of(90, 60)
    gpuplot.plot(DATES, np.arange(60.0), ax=ax)
    locator, picture = ax.xaxis.get_major_locator(), pixels(ax.figure)
    with pytest.raises(ValueError, match="bins='foo'"):
        gpuplot.hist(DATES, bins="foo", ax=ax)
    assert ax.xaxis.get_major_locator() is locator and ax.xaxis.have_units()
    np.testing.assert_array_equal(pixels(ax.figure), picture)


@pytest.mark.host("dates and texts are in host memory")
@pytest.mark.parametrize("change", [
    lambda ax: gpuplot.plot(X, ax=ax)[0].set_data(DATES, np.eye(2)), lambda ax: gpuplot.plot(X, ax=ax)[0].set_ydata([DATES, DATES]),
    lambda ax: gpuplot.plot(X, density=True, ax=ax).set_data(DATES, X), lambda ax: gpuplot.plot(X, density=True, ax=ax).update(DATES),
    lambda ax: density(ax=ax).set_data(DATES, X), lambda ax: density(c=X, ax=ax).set_data(["a"], ["b"]),
], ids=["line", "y", "lines", "density", "points", "values"])
def test_artists_that_refuse_data_leave_the_units(change):
    """The ticks of numbers became dates in 1970, or texts, where the new data had other lengths."""
    ax = axes_of(90, 60)
    with pytest.raises((ValueError, TypeError, RuntimeError)):
        change(ax)
    assert not any(axis.have_units() for axis in (ax.xaxis, ax.yaxis))
