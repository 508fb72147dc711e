"""The notice that a picture has nearly one color: where it comes, where not, and what it reads."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
from figures import pixels
from matplotlib.colors import Normalize

import gpuplot
from gpuplot.notices import FLAT_TEXT
from gpuplot.plane.plane import Plane


@pytest.fixture(autouse=True)
def no_figures():
    yield
    plt.close("all")


def noise(side, dtype="float32"):
    return np.random.default_rng(0).normal(size=(side, side)).astype(dtype)


def with_outlier(side, dtype="float32"):
    x = noise(side, dtype)
    x[3, 4] = 1e4
    return x


def notices(*args, **options):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", gpuplot.GpuplotWarning)
        image = gpuplot.imshow(*args, **options)
        pixels(image.axes.figure)
        pixels(image.axes.figure)
    return [str(one.message) for one in found]


@pytest.mark.parametrize("side", [40, 700, 1500])
def test_one_outlier_is_told_once(side):
    """Whether elements or cells are drawn, from arrays that are copied or borrowed."""
    assert notices(with_outlier(side)) == [FLAT_TEXT]


def test_each_tensor_is_told_of():
    image = gpuplot.imshow(noise(60))
    pixels(image.axes.figure)
    image.update(with_outlier(60))
    image.autoscale()
    with pytest.warns(gpuplot.GpuplotWarning, match="robust=True"):
        pixels(image.axes.figure)


def half(side):
    """Half black, half bright, with a lone pixel."""
    x = np.zeros((side, side))
    x[:side // 2] = 1
    return x


QUIET = {
    "noise": (noise(200), {}), "constant": (np.ones((99, 99)), {}), "halves": (half(99), {}), "all NaN": (np.full((99, 99), np.nan), {}),
    "most are equal": (np.eye(200), {"agg": "max"}), "integers": (with_outlier(99, "int32"), {}), "few": (with_outlier(20), {}),
    "robust": (with_outlier(99), {"robust": True}), "vmax": (with_outlier(99), {"vmax": 1e4}),
    "ranks": (with_outlier(99), {"norm": "eq_hist"}),
    "a norm": (with_outlier(99), {"norm": Normalize(-1, 1e4)}), "counts": (with_outlier(99), {"agg": "count"}),
}


@pytest.mark.filterwarnings("ignore:.*are NaN and would mark")
@pytest.mark.parametrize("x, options", QUIET.values(), ids=QUIET)
def test_other_pictures_are_quiet(x, options):
    assert FLAT_TEXT not in notices(x, **options)


def test_percentiles_are_found_only_where_pixels_have_one_color(monkeypatch):
    calls = []
    percentiles = Plane.percentiles
    monkeypatch.setattr(Plane, "percentiles", lambda *args, **options: calls.append(1) or percentiles(*args, **options))
    notices(noise(1500))
    assert not calls
    assert notices(with_outlier(700)) == [FLAT_TEXT] and len(calls) == 1
