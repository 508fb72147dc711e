"""Arrays and other objects given for names and choices: every front end has the same clear errors."""

import io

import numpy as np
import pytest
from matplotlib.figure import Figure
from scenes import scene_of

import gpuplot

X = np.arange(24.0).reshape(2, 3, 4)
ODD = [np.array([1.0, 2.0]), np.ones((3, 4)), [1, 2], {1}, object(), 1.5, np.ma.masked, {0: [1]}]
FRONT_ENDS = {
    "to_rgba": gpuplot.to_rgba, "imsave": lambda X, **options: gpuplot.imsave(io.BytesIO(), X, **options),
    "imshow": lambda X, **options: gpuplot.imshow(X, ax=Figure().subplots(), **options), "inspect": scene_of,
}


def refused(call, name):
    with pytest.raises((TypeError, ValueError, IndexError)) as told:
        call()
    text = str(told.value)
    assert name in text and not any(words in text for words in ("truth value", "unhashable", "is not iterable", "has no attribute"))


@pytest.mark.parametrize("value", ODD, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("name", ["x", "y", "dims", "rgb", "complex_mode", "agg", "nan", "cmap", "norm", "labels", "categorical"])
@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_every_parameter_names_itself(front_end, name, value):
    """imshow ended in words about the truth value of arrays and about hashes, inspect(labels=1.5) in words about iteration."""
    if name == "labels" and isinstance(value, dict):
        return
    refused(lambda: FRONT_ENDS[front_end](X, **{name: value}), name)


@pytest.mark.parametrize("value", ODD, ids=lambda value: type(value).__name__)
def test_other_parameters(value):
    refused(lambda: gpuplot.imsave(io.BytesIO(), X, origin=value), "origin")
    refused(lambda: gpuplot.imsave(io.BytesIO(), X, format=value), "format")
    refused(lambda: gpuplot.asnumpy(X, blocking=value), "blocking")
    refused(lambda: gpuplot.imshow(X, ax=Figure().subplots()).autoscale(region=value), "region")
