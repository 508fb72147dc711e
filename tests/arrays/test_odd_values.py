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


class Refusing:
    """A value whose conversions raise what no library of numbers does."""

    def refuse(self, *_):
        raise RuntimeError("no number of this kind")

    __index__ = __float__ = __bool__ = __array__ = __len__ = __iter__ = refuse


@pytest.mark.parametrize(("name", "call"), [
    ("shape", lambda value: gpuplot.to_rgba(X, value)), ("view", lambda value: gpuplot.to_rgba(X, view=value)),
    ("width", lambda value: gpuplot.imsave(io.BytesIO(), X, width=value)),
    ("dpi", lambda value: gpuplot.imsave(io.BytesIO(), X, dpi=value)),
    ("denorm", lambda value: gpuplot.to_rgba(X, denorm=value)), ("robust", lambda value: gpuplot.to_rgba(X, robust=value)),
    ("bins", lambda value: gpuplot.stats(X, bins=value)), ("value_range", lambda value: gpuplot.stats(X, value_range=(value, value))),
    ("percentiles", lambda value: gpuplot.stats(X, percentiles=[value])), ("region", lambda value: gpuplot.stats(X, region=value)),
    ("bins", lambda value: gpuplot.hist(X, value, ax=Figure().subplots())), ("nrow", lambda value: gpuplot.grid(X, value)),
    ("value_range", lambda value: gpuplot.grid(X, value_range=value, normalize=True)), ("x", lambda value: gpuplot.to_rgba(X, x=value)),
])
@pytest.mark.parametrize("value", [Refusing(), np.timedelta64(1, "s")], ids=["refusing", "timedelta"])
def test_whatever_a_conversion_to_numbers_raises(name, call, value):
    """The errors of tensors that require gradients, or that have no values, came through."""
    if name == "bins" and isinstance(value, np.timedelta64):
        return  # an integer by its own account
    try:
        call(value)
    except (TypeError, ValueError) as error:
        assert name in str(error) and "ufunc" not in str(error)
    else:
        assert isinstance(value, np.timedelta64)


@pytest.mark.parametrize(("name", "call"), [
    ("density", lambda value: gpuplot.plot(X[0], density=value)), ("normalize", lambda value: gpuplot.plot(X[0], normalize=value)),
    ("vmin", lambda value: gpuplot.plot(X[0], vmin=value)), ("scalex", lambda value: gpuplot.plot(X[0], scalex=value)),
    ("density", lambda value: gpuplot.hist2d(X, X, density=value)), ("density", lambda value: gpuplot.scatter(X, X, density=value)),
    ("scale_each", lambda value: gpuplot.grid(X, scale_each=value)), ("categorical", lambda value: gpuplot.grid(X, categorical=value)),
    ("categorical", lambda value: gpuplot.scatter(X, X, categorical=value)),
    ("colorbar", lambda value: gpuplot.imshow(X[0], colorbar=value)), ("agg", lambda value: gpuplot.compare(X[0], X[0], agg=value)),
    ("center", lambda value: gpuplot.compare(X[0], X[0], center=value)),
])
def test_arrays_are_no_flags(name, call):
    """There were words about the truth value of an array."""
    refused(lambda: call(np.array([1.0, 2.0])), name)


@pytest.mark.parametrize("value", ["x" * 10**6, list(range(10**5))], ids=["text", "list"])
def test_messages_about_long_values_are_short(value):
    """They quoted all of it: megabytes."""
    for call, end in ((lambda: gpuplot.to_rgba(X, agg=value), "count, nearest"), (lambda: gpuplot.stats(X, bins=value), "")):
        with pytest.raises((TypeError, ValueError)) as told:
            call()
        assert len(str(told.value)) < 3000 and str(told.value).endswith(end)
