"""Aggregations of how far the elements of a cell lie apart: variances by hand, and of one element 0."""

import numpy as np
import pytest
from on_device import there

import gpuplot


@pytest.fixture(params=["host", "device"])
def put(request):
    """What brings an array to where it is looked at."""
    if request.param == "host":
        return lambda array: array
    request.getfixturevalue("emulated")
    return there


def test_variances_by_hand(put):
    """Elements under a part of a cell count by that part."""
    row = put(np.array([[1.0, 2.0, 3.0, 4.0]], np.float32))
    np.testing.assert_allclose(gpuplot.downsample(row, (1, 3), agg="var"), [[3 / 16, 1 / 4, 3 / 16]], rtol=1e-15)
    np.testing.assert_array_equal(gpuplot.downsample(row, (1, 4), agg="var"), np.zeros((1, 4)))
    np.testing.assert_array_equal(gpuplot.downsample(row, (1, 8), agg="var"), np.zeros((1, 8)))
