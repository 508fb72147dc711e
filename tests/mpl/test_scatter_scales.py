"""Points and lines as densities on axes of any scale: which pixel a point has, and the limits of the Axes."""

import numpy as np
import pytest
from figures import axes_of, drawn_cells
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from on_device import there
from point_clouds import N, cloud

import gpuplot
from gpuplot.mpl.scatter import MAX_MARKERS
from gpuplot.plane.frame import is_empty


def test_log_axes():
    """A factor is a pixel's width; what is not positive has no place."""
    x, y = np.exp2(np.random.default_rng(0).uniform(-2, 8, (2, N)))
    x[:100] = -1
    ax = axes_of(80, 80)
    image = gpuplot.scatter(x, y, ax=ax, spread=0)
    ax.set(xscale="log", yscale="log", xlim=(0.25, 256), ylim=(0.25, 256))
    cells = drawn_cells(image)
    assert cells.sum() + image.n_outside == N and image.n_outside >= 100
    columns = np.bincount(np.clip((np.log2(x[x > 0]) + 2) * 8, 0, 79.9).astype(int), minlength=80)
    assert np.abs(cells.sum(0) - columns).max() <= 2  # points on the border between two pixels


@pytest.mark.parametrize(("low", "high", "n_empty"), [(-2, 256, 60), (0, 256, 60), (5e-324, 1e-322, 0), (1, 1 + 1e-14, 0)])
def test_limits_between_which_pixels_have_one_number(low, high, n_empty):
    """Limits of a linear axis that becomes logarithmic, and deep zooms: pixels without width have no points. It once was an error."""
    x, y = np.exp2(np.random.default_rng(0).uniform(-2, 8, (2, N)))
    x[:100], x[100:150], x[150:200] = -1, 0, 1
    ax = axes_of(80, 80)
    image = gpuplot.scatter(x, y, ax=ax, spread=0)
    ax.set(xlim=(low, high), ylim=(-1, 300), xscale="log")
    cells = drawn_cells(image)
    is_seen = (x > 0) & (x >= low) & (x <= high)
    assert cells.sum() == is_seen.sum() == N - image.n_outside
    assert not cells[:, :n_empty].any()


@pytest.mark.parametrize("scale", ["symlog", "asinh", ("function", {"functions": (np.cbrt, lambda v: v**3)})])
@pytest.mark.parametrize("limits", [(1, 1 + 1e-13), (1, 1e300), (-1e308, 1e308)])
@pytest.mark.parametrize("draws", [gpuplot.scatter, lambda x, y, ax: gpuplot.plot(x.reshape(20, -1).T, ax=ax, density=True)],
                         ids=["points", "lines"])
def test_densities_are_drawn_between_limits_of_any_kind(scale, limits, draws):
    """Where inverses of scales overflow, or their last bit is not monotone."""
    x, y = cloud()
    ax = axes_of()
    draws(x, y, ax=ax)
    name, keywords = (scale, {}) if isinstance(scale, str) else scale
    ax.set(xlim=limits, ylim=limits)
    ax.set_xscale(name, **keywords)
    ax.set_yscale(name, **keywords)
    ax.figure.canvas.draw()


@pytest.mark.parametrize("scale", ["linear", "log", "logit", "symlog"])
@pytest.mark.parametrize("first", ["points", "scale"])
def test_limits_follow_the_scale_as_those_of_markers_do(scale, first):
    """The smallest positive coordinate is where a logarithmic axis begins, and margins are shares of the scale's own units."""
    x, y = cloud(MAX_MARKERS + 1)
    limits = []
    for density in (True, False):
        ax = Figure().add_subplot()
        if first == "scale":
            ax.set_xscale(scale)
        gpuplot.scatter(x, y, ax=ax, density=density)
        ax.set_xscale(scale)
        limits.append((ax.get_xlim(), ax.get_ylim()))
    np.testing.assert_allclose(*limits, rtol=1e-12)


@pytest.mark.parametrize("draw", [
    lambda ax: gpuplot.scatter(*cloud(), ax=ax), lambda ax: gpuplot.scatter(*cloud(), c=np.arange(N) % 3, categorical=True, ax=ax),
    lambda ax: gpuplot.plot(cloud(99).T, density=True, ax=ax),
], ids=["points", "classes", "lines"])
@pytest.mark.parametrize("spoil", [
    lambda ax: ax.set_position([0.8, 0.8, -0.5, -0.5]), lambda ax: ax.set_position([0.5, 0.1, 0, 0.8]),
    lambda ax: ax.set_xscale("function", functions=(lambda x: x * np.nan, lambda x: x * np.nan)),
    lambda ax: ax.set_xscale("function", functions=(lambda x: x * 0, lambda x: x * 0)),
    lambda ax: (ax.set_xlim(-1e308, 1e308), ax.set_axis_off()),
], ids=["negative", "flat", "NaN", "zero", "beyond float64"])
def test_axes_without_a_place_show_nothing(draw, spoil):
    """Where matplotlib's own artists draw nothing and say nothing, a draw of the whole figure must not fail."""
    ax = axes_of(80, 80)
    draw(ax)
    spoil(ax)
    with np.errstate(all="ignore"):
        ax.figure.canvas.draw()
    assert ax.images[0].make_image(None) == (None, 0, 0, None)
    ax.clear()
    ax.set_position([0, 0, 1, 1])
    draw(ax)
    assert drawn_cells(ax.images[0]).sum() > 0


@pytest.mark.parametrize("layout", [None, "tight"])
@pytest.mark.parametrize("scale", ["linear", "log"])
def test_points_on_a_limit_of_the_axes_are_drawn(scale, layout):
    """The Axes' edges lie between pixels, and all zeros of a ReLU were cut off with half a pixel."""
    figure = Figure(layout=layout)
    FigureCanvasAgg(figure)
    ax = figure.subplots()
    rng = np.random.default_rng(0)
    x, y = rng.random(60_000) + 0.01, np.maximum(rng.normal(size=60_000), 0) + 0.5
    image = gpuplot.scatter(x, y, ax=ax)
    ax.set(xscale=scale, ylim=(0.5, y.max()), xlim=(x.min(), x.max()))
    figure.canvas.draw()
    assert image.n_outside == 0
    assert (~is_empty(image._cells.numpy()))[0].mean() > 0.9
    lines = gpuplot.plot(np.full((50, 60), 0.5), x=1, density=True, ax=ax)
    figure.canvas.draw()
    assert (~is_empty(lines._cells.numpy())).any()


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_limits_are_those_of_the_points_that_are_drawn(scale):
    """A point whose y is NaN extended the limits of x."""
    x, y = np.array([0.5, 0, 1, 1000, np.inf, -3]), np.array([7, 0.25, 1, np.nan, 50, -np.inf])
    ours, theirs = Figure().subplots(), Figure().subplots()
    gpuplot.scatter(there(x), there(y), density=True, ax=ours)
    theirs.scatter(x, y)
    for ax in (ours, theirs):
        ax.set(xscale=scale, yscale=scale)
    assert (ours.get_xlim(), ours.get_ylim()) == (theirs.get_xlim(), theirs.get_ylim())
