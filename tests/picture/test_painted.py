"""Large pictures, which are colored in bands, have the same pixels as by one pass over all cells."""

import warnings

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import colors as mcolors

import gpuplot
from gpuplot.arrays.describe import describe
from gpuplot.color.style import native_style
from gpuplot.picture import render_spec
from gpuplot.plane.view import choose
from gpuplot.plane.window import Span, Window

SHAPE = 90, 110

pytestmark = pytest.mark.host("pictures of tensors on devices are not painted in bands")


@pytest.fixture
def elements():
    """Float32 elements with a NaN and both infinities."""
    elements = np.random.default_rng(0).normal(3, 2, SHAPE).astype(np.float32)
    elements[7, 9], elements[40, 3], elements[88, 109] = np.nan, np.inf, -np.inf
    return elements


@pytest.fixture
def paints(monkeypatch):
    """A function that makes pixels twice: painted, which it asserts has happened or not, and from all cells."""

    def both(elements, shape, *, is_painted=True, **options):
        calls = []
        paint = render_spec.TensorPlane.paint
        monkeypatch.setattr(render_spec.TensorPlane, "paint", lambda *given: calls.append(paint(*given)) or calls[-1])
        monkeypatch.setattr(render_spec, "MIN_PAINTED", 1)
        got = gpuplot.to_rgba(elements, shape, **options)
        assert any(pixels is not None for pixels, _ in calls) == is_painted
        monkeypatch.setattr(render_spec, "MIN_PAINTED", 2**62)
        np.testing.assert_array_equal(got, gpuplot.to_rgba(elements, shape, **options))
        return got

    return both


@pytest.mark.parametrize("shape", [SHAPE, (200, 300), (45, 10), (9, 11)])
@pytest.mark.parametrize("agg", ["mean", "max", "std", "sum", "count", "nearest"])
def test_known_limits(paints, elements, shape, agg):
    paints(elements, shape, agg=agg, vmin=0.0, vmax=6.0, under_color="red", nan_color="lime")


@pytest.mark.parametrize("options", [
    {}, {"agg": "max"}, {"limits": "pixels"}, {"limits": "elements"}, {"norm": "log"}, {"center": 3.0}, {"center": 500.0},
    {"nan": "skip"}, {"vmin": 1.0}, {"alpha": 0.5}, {"cmap": "gray", "norm": "symlog"}, {"gamma": 0.5},
], ids=str)
def test_limits_of_elements(paints, elements, options):
    """Of all of them, and of a part of the plane that has far narrower ones."""
    elements[20:40, 30:70] = np.abs(elements[20:40, 30:70] % 0.01) + 2
    paints(elements, (120, 110), **options)
    paints(elements, (60, 80), view=((20.5, 39.5), (70, 30)), **options)


@pytest.mark.parametrize("options", [
    {}, {"agg": "max"}, {"limits": "elements"}, {"norm": "log"}, {"center": 3.0}, {"nan": "skip"}, {"vmin": 1.0}, {"gamma": 0.5},
], ids=str)
def test_limits_of_elements_under_cells(paints, elements, options):
    """They take a pass of their own where a pixel has a few elements; pixels with far narrower limits are painted once more."""
    elements[20:40, 30:70] = np.abs(elements[20:40, 30:70] % 0.01) + 2
    paints(elements, (60, 70), **options)
    paints(elements, (10, 35), view=((20.5, 39.5), (70, 30)), **options)


def test_how_often_pixels_are_painted(elements, monkeypatch):
    wants = []
    paint = render_spec.TensorPlane.paint
    monkeypatch.setattr(render_spec.TensorPlane, "paint", lambda *given: wants.append(given[-1]) or paint(*given))
    monkeypatch.setattr(render_spec, "MIN_PAINTED", 1)
    gpuplot.to_rgba(elements, (60, 70))
    assert len(wants) == 1 and wants[0]  # with the limits of cells
    elements[0, 0] = 1000
    gpuplot.to_rgba(elements, (20, 70), view=((20, 60), (0, 110)))
    assert len(wants) == 3 and not wants[2]  # once more with these


def test_axes_in_any_direction(paints, elements):
    for array in (elements[::-1], elements[:, ::-1], elements.T, np.broadcast_to(elements[:1], SHAPE), elements[::2, ::3]):
        paints(array, (150, 130))
        paints(array, (150, 130), view=((array.shape[0], 0), (array.shape[1] + 3, -2)))


def test_an_opacity_for_each_element(paints, elements):
    paints(elements, (131, 120), alpha=np.random.default_rng(1).random(SHAPE))
    large = np.random.default_rng(5).normal(size=(700, 900)).astype(np.float32)
    paints(large, (700, 900), alpha=np.random.default_rng(6).random(large.shape))


@pytest.mark.parametrize("dtype", ["uint8", "float16", "int64", "bool", "complex64"])
def test_dtypes(paints, dtype):
    paints((np.random.default_rng(2).random(SHAPE) * 90).astype(dtype), (100, 130))


def test_masked_elements(paints, elements):
    paints(np.ma.masked_less(np.nan_to_num(elements), 2), SHAPE)


def test_many_bands(paints):
    """More cells than one band has."""
    elements = np.random.default_rng(3).normal(size=(700, 900)).astype(np.float32)
    paints(elements, (700, 900))
    paints(elements, (650, 833), vmin=-1, vmax=1, agg="max", view=((700, 0.5), (0, 899)))


@pytest.mark.parametrize("row", [20, 400, 980])
def test_limits_of_all_bands(paints, row):
    """Elements far from all others are in the first band, or in the last one."""
    elements = np.random.default_rng(7).normal(0, 1e-3, (1000, 1000)).astype(np.float32)
    elements[row:row + 15, 50:90], elements[row:row + 15, 100:190] = 40, -30
    paints(elements, (700, 800))
    paints(elements, (480, 1100), agg="max")


@pytest.mark.parametrize("view", [None, ((85, 2), (3.5, 108)), ((-4, 90), (100, 0))], ids=str)
def test_mitchells_means(paints, elements, view):
    """Of one axis or both, and of more rows than a band has."""
    for shape in ((80, 100), (80, 20), (30, 100), (80, 300)):
        paints(elements, shape, view=view, vmin=0, vmax=6, nan_color="lime")
    large = np.random.default_rng(4).normal(size=(900, 1000)).astype(np.float32)
    paints(large.T, (850, 880), vmin=-1, vmax=1)
    paints(large, (850, 880), vmin=-1, vmax=1, view=((900, 0), (0, 999)))


def test_what_needs_all_cells(paints, elements):
    paints(elements, (45, 50), is_painted=False)
    paints(elements, (60, 70), is_painted=False, limits="pixels")
    paints(elements, SHAPE, is_painted=False, robust=True)
    paints(elements, SHAPE, is_painted=False, norm="eq_hist")
    paints(elements, SHAPE, is_painted=False, norm=mcolors.FuncNorm((np.arcsinh, np.sinh)))
    paints(np.arange(12).reshape(3, 4), (6, 8), is_painted=False, categorical=True)
    paints(np.ones((5, 6, 3), np.uint8), (5, 6), is_painted=False)


def test_mostly_nan(paints, elements):
    """What "auto" leaves out is known only when all cells are."""
    elements[::2, ::2] = np.nan
    with pytest.warns(gpuplot.GpuplotWarning, match="NaN"):
        paints(elements, (30, 30), is_painted=False, vmin=0, vmax=6)
    with pytest.warns(gpuplot.GpuplotWarning, match="NaN"):
        paints(elements, (60, 55), is_painted=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        paints(elements, (30, 30), vmin=0, vmax=6, nan="show")


def test_boundaries(paints, elements):
    paints(elements, SHAPE, norm=mcolors.BoundaryNorm([0, 1, 2, 4], mpl.colormaps["viridis"].N))


def test_ranks_are_not_painted(elements):
    """The native layer refuses them, as the rank of a cell is among those of all bands."""
    source = describe(elements)
    plane = render_spec.TensorPlane(source, choose(source.shape, None, source.dtype))
    style = native_style(gpuplot.EqHistNorm(0, 6), mpl.colormaps["viridis"])
    with pytest.raises(ValueError, match="ranks are of all cells"):
        plane.paint(Window(Span(0, 90, 45), Span(0, 110, 55)), style, "mean")
