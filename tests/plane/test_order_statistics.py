"""Percentiles of several planes together are exact for any range of numbers."""

import numpy as np
import pytest
from device_planes import host_plane

from gpuplot.plane.order_statistics import percentiles_of_planes

PERCENTS = (0, 1, 2, 37.5, 50, 98, 100)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(("low", "high"), [
    (0.1, 0.9), (-0.9, -0.1), (-0.4, 0.6), (0.0, 1.0), (-1.0, 0.0), (1.5, 900.0), (-900.0, 1e-4), (1e-7, 3e-7), (0.25, 0.25)])
def test_ranges_on_either_side_of_zero_and_one(low, high, dtype):
    rng = np.random.default_rng(3)
    parts = [rng.uniform(low, high, shape).astype(dtype) for shape in ((7, 90), (40, 33), (1, 1))]
    pooled = np.concatenate([part.ravel() for part in parts]).astype("f8")
    got = percentiles_of_planes([host_plane(part) for part in parts], PERCENTS, pooled.size, pooled.min(), pooled.max(), dtype)
    np.testing.assert_allclose(got, np.percentile(pooled, PERCENTS), rtol=1e-13)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64"])
def test_integers(dtype):
    rng = np.random.default_rng(4)
    parts = [rng.integers(np.iinfo(dtype).min // 2, 100, shape).astype(dtype) for shape in ((7, 90), (40, 33))]
    pooled = np.concatenate([part.ravel() for part in parts]).astype("f8")
    got = percentiles_of_planes([host_plane(part) for part in parts], PERCENTS, pooled.size, pooled.min(), pooled.max(), dtype)
    np.testing.assert_allclose(got, np.percentile(pooled, PERCENTS), rtol=1e-13)
