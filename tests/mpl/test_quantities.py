"""Quantities of pint, whose units matplotlib converts after `setup_matplotlib`: lines, points and histograms of different units."""

import copy

import numpy as np
import pytest
from figures import axes_of
from matplotlib import units

import gpuplot

pint = pytest.importorskip("pint")

VALUES = np.arange(1, 7.0)


@pytest.fixture
def metric():
    """A registry of units that matplotlib knows while the test runs."""
    before = dict(units.registry)
    registry = pint.UnitRegistry()
    registry.setup_matplotlib()
    yield registry
    units.registry.clear()
    units.registry.update(before)


@pytest.mark.parametrize("name", ["plot", "scatter"])
def test_the_first_quantity_sets_the_unit_of_an_axis(metric, name):
    hours, miles = np.sqrt(VALUES) * metric.hour, VALUES * metric.mile
    found = []
    for is_ours in (False, True):
        ax = axes_of()
        for x, y in ((hours, VALUES * metric.m), (hours.to("s"), miles)):
            getattr(gpuplot, name)(x, y, ax=ax) if is_ours else getattr(ax, name)(x, y)
        places = [line.get_xydata() for line in ax.lines] + [np.asarray(points.get_offsets()) for points in ax.collections]
        found.append((*places, ax.get_xlim(), ax.get_ylim(), (ax.get_xlabel(), ax.get_ylabel())))
    for theirs, ours in zip(*found, strict=True):
        np.testing.assert_allclose(theirs, ours) if isinstance(theirs[0], float) else np.testing.assert_array_equal(theirs, ours)
    assert found[1][-1] == ("hour", "meter")


@pytest.mark.parametrize("name", ["plot", "scatter"])
def test_units_of_axes_are_given(metric, name):
    found = []
    for is_ours in (False, True):
        ax = axes_of()
        arguments, keywords = (VALUES * metric.hour, VALUES * metric.mile), {"xunits": metric.min, "yunits": metric.km}
        getattr(gpuplot, name)(*arguments, ax=ax, **keywords) if is_ours else getattr(ax, name)(*arguments, **keywords)
        places = [line.get_xydata() for line in ax.lines] + [np.asarray(points.get_offsets()) for points in ax.collections]
        found.append((places[0].tolist(), ax.get_xlim(), ax.get_ylim(), ax.get_xlabel(), ax.get_ylabel()))
    assert found[0] == found[1]
    assert found[1][0][0] == [60, pytest.approx(1.609344)] and found[1][-2] == "minute"


@pytest.mark.parametrize("name", ["plot", "scatter"])
def test_densities_take_units_of_axes(metric, name):
    ax = axes_of()
    getattr(gpuplot, name)(VALUES * metric.hour, VALUES * metric.mile, ax=ax, density=True, xunits=metric.min)
    assert ax.get_xlim()[1] >= 360 and ax.get_xlabel() == "minute"


def test_quantities_in_a_list(metric):
    line, = gpuplot.plot([3 * metric.km, 4 * metric.mile], ax=axes_of())
    np.testing.assert_allclose(line.get_xydata()[:, 1], [3, 6.437376])


def test_histograms_of_quantities(metric):
    """Edges and ranges have units, too."""
    ax = axes_of()
    gpuplot.hist(VALUES * metric.km, 3, ax=ax)
    n, bins, _ = gpuplot.hist(VALUES * metric.mile, 4, range=(0 * metric.m, 8000 * metric.m), ax=ax)
    assert (n.tolist(), bins.tolist()) == ([1, 1, 1, 1], [0, 2, 4, 6, 8])
    n, bins, _ = gpuplot.hist(VALUES * metric.mile, [0, 5000, 6000] * metric.m, ax=ax)
    assert (n.tolist(), bins.tolist(), ax.get_xlabel()) == ([3, 0], [0, 5, 6], "kilometer")


def test_an_axis_takes_another_unit(metric):
    """Lines that are there follow it."""
    ax = axes_of()
    line, other = gpuplot.plot(VALUES * metric.km, ax=ax) + gpuplot.plot(VALUES * 1000, ax=ax)
    ax.yaxis.set_units(metric.m)
    np.testing.assert_allclose(line.get_xydata()[:, 1], VALUES * 1000)
    np.testing.assert_allclose(other.get_xydata()[:, 1], VALUES * 1000)
    line.set_ydata(2 * VALUES * metric.km)
    np.testing.assert_allclose(line.get_xydata()[:, 1], VALUES * 2000)
    with pytest.raises(units.ConversionError, match="Failed to convert"):
        gpuplot.plot(VALUES * metric.s, ax=ax)
    assert len(ax.lines) == 2


def test_a_density_of_lines_follows_another_unit(metric):
    """And so do the limits of its Axes, as for lines; those that were let go, or removed, stay."""
    ax = axes_of()
    image = gpuplot.plot(VALUES * metric.hour, VALUES * metric.km, ax=ax, density=True)
    lines = axes_of()
    lines.plot(VALUES * metric.hour, VALUES * metric.km)
    for axes in (ax, lines):
        axes.figure.canvas.draw()
        axes.xaxis.set_units(metric.min)
        axes.yaxis.set_units(metric.m)
    assert (ax.get_xlim(), ax.get_ylim(), ax.get_xlabel()) == (lines.get_xlim(), lines.get_ylim(), "minute")
    ax.figure.canvas.draw()
    assert image.get_extent() == (60, 360, 1000, 6000) and image.get_array().max() == 1
    image.update(2 * VALUES * metric.km)
    ax.yaxis.set_units(metric.km)
    assert image.get_extent() == (60, 360, 2, 12)
    image.set_data(VALUES * metric.min, VALUES * metric.km)
    ax.xaxis.set_units(metric.s)
    assert image.get_extent() == (60, 360, 1, 6)
    image.freeze()
    ax.xaxis.set_units(metric.hour)
    assert image.get_extent() == (60, 360, 1, 6)
    image.remove()
    ax.xaxis.set_units(metric.min)


def test_copies_of_a_density_of_quantities(metric):
    ax = axes_of()
    image = gpuplot.plot(VALUES * metric.hour, VALUES * metric.km, ax=ax, density=True)
    twin = copy.copy(image)
    assert image.__getstate__()["_quantities"] == ()
    ax.xaxis.set_units(metric.min)
    assert (image.get_extent()[:2], twin.get_extent()[:2]) == ((60, 360), (1, 6))


def test_quantities_without_a_converter_are_their_numbers():
    line, = gpuplot.plot(VALUES * pint.UnitRegistry().km, ax=axes_of())
    np.testing.assert_array_equal(line.get_xydata()[:, 1], VALUES)


def test_a_quantity_that_its_converter_cannot_read(metric, monkeypatch):
    """As one in the memory of a GPU: its numbers are drawn."""
    monkeypatch.setattr(type(units.registry[metric.Quantity]), "default_units", lambda *args: 1 / 0)
    line, = gpuplot.plot(VALUES * metric.km, ax=axes_of())
    np.testing.assert_array_equal(line.get_xydata()[:, 1], VALUES)


@pytest.mark.parametrize("draw", [gpuplot.plot, gpuplot.hist])
def test_complex_numbers_are_refused_before_a_part_of_them_is_dropped(draw, recwarn):
    """A single one of a type that is not read was taken for a number in the units of the axis, and NumPy warned."""
    with pytest.raises(gpuplot.UnsupportedError, match=r"complex256.*astype\('complex128'\)"):
        draw(np.clongdouble(3 + 4j), ax=axes_of())
    assert not recwarn.list
