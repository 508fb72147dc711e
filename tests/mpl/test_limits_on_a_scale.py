"""Color limits on a scale that has no place for some elements, as 0 and 1 on "logit": from those that have one."""

import numpy as np
import pytest
from figures import axes_of
from matplotlib import colors as mcolors
from scenes import scene_of, whole

import gpuplot

NOISE = np.random.default_rng(0).normal(size=(1200, 1100)) * 0.02
PROBABILITIES = (1 / (1 + np.exp(-300 * NOISE))).astype("f4")
PROBABILITIES[5, 7], PROBABILITIES[3, 4] = 0, 1


def ends(X):
    return float(X.min()), float(X.max())


def cells_of(X, agg="mean"):
    return gpuplot.downsample(X, (100, 100), agg=agg)


def show(X, **options):
    return gpuplot.imshow(X, ax=axes_of(100), aspect="auto", **options)


def roots_from(start, vmin=None, vmax=None):
    """A norm that has no place for numbers below `start`."""
    return mcolors.FuncNorm((lambda v: np.sqrt(np.where(v < start, np.nan, v - start)), lambda v: v**2 + start), vmin, vmax)


def on_scale(norm, numbers):
    """Those of some numbers that have a place: on "logit", or on `roots_from` 0.1."""
    return numbers[(numbers > 0) & (numbers < 1)] if norm == "logit" else numbers[numbers >= 0.1]


@pytest.mark.parametrize("options", [{"limits": "elements"}, {"agg": "max"}, {"robust": (0, 100), "limits": "elements"}, {"vmin": 0.2},
                                     {"vmax": 0.8}, {"robust": (0, 95), "vmax": 0.75}], ids=str)
@pytest.mark.parametrize("norm", ["logit", "roots"])
def test_a_scale_without_a_place_for_some_elements(norm, options):
    """A picture of probabilities of which one is 0 was one color; with one limit given it was refused."""
    options = dict(options)
    sample = on_scale(norm, gpuplot.downsample(PROBABILITIES, (512, 512), agg="nearest"))
    low, high = np.percentile(sample, options.get("robust", (0, 100)))
    expected = options.get("vmin", low), options.get("vmax", high)
    if norm == "roots":
        norm = roots_from(0.1, *(options.pop(name, None) for name in ("vmin", "vmax")))
    im = show(PROBABILITIES, norm=norm, **options)
    np.testing.assert_allclose(im.get_clim(), expected, rtol=1e-6)
    im.axes.set(xlim=(0, 90), ylim=(0, 90))
    im.figure.canvas.draw()
    np.testing.assert_allclose(im.get_clim(), expected, rtol=1e-6)
    im.autoscale("slice", robust=options.get("robust"))
    np.testing.assert_allclose(im.get_clim(), (low, high), rtol=1e-6)


@pytest.mark.parametrize("norm", ["logit", "roots"])
def test_pixels_on_a_scale_without_a_place_for_some(norm):
    cells = on_scale(norm, cells_of(PROBABILITIES))
    options = {"norm": norm if norm == "logit" else roots_from(0.1), "limits": "pixels"}
    np.testing.assert_allclose(show(PROBABILITIES, **options).get_clim(), ends(cells), rtol=1e-6)
    assert gpuplot.to_rgba(PROBABILITIES, (100, 100), **options).std(axis=(0, 1)).max() > 10


def test_limits_in_view_on_a_scale_without_a_place_for_some():
    im = show(PROBABILITIES, norm="logit")
    im.axes.set(xlim=(-0.5, 89.5), ylim=(59.5, -0.5))
    im.autoscale("view")
    np.testing.assert_allclose(im.get_clim(), ends(on_scale("logit", PROBABILITIES[:60, :90])), rtol=1e-6)


def test_percentiles_of_the_elements_on_a_scale():
    X = PROBABILITIES[:500, :500].copy()
    X[::10] = 0
    found = show(X, norm="logit", robust=(5, 95), limits="elements").get_clim()
    np.testing.assert_allclose(found, np.percentile(X[(X > 0) & (X < 1)].astype(float), (5, 95)), rtol=1e-12)


def test_cells_in_other_units_on_a_scale_without_a_place_for_some():
    cells = cells_of(PROBABILITIES, "sum")
    assert cells.min() < 60
    np.testing.assert_allclose(show(PROBABILITIES, agg="sum", norm=roots_from(60)).get_clim(), ends(cells[cells >= 60]), rtol=1e-6)


def test_pictures_and_the_inspector_find_limits_too():
    """Pixels are those of the limits that an image finds; the inspector takes them from its cells."""
    found = dict(zip(("vmin", "vmax"), show(PROBABILITIES, norm="logit", limits="elements").get_clim(), strict=True))
    expected = gpuplot.to_rgba(PROBABILITIES, (100, 100), norm="logit", **found)
    np.testing.assert_array_equal(gpuplot.to_rgba(PROBABILITIES, (100, 100), norm="logit", limits="elements"), expected)
    low, high = whole(scene_of(PROBABILITIES, norm="logit", limits="elements"), (100, 100)).limits
    assert 0 < low < 0.3 and 0.7 < high < 1
