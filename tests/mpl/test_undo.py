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
