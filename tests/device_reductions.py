"""A reduction on the emulated device compared with the same on the CPU, within the tolerances of the definitions."""

import numpy as np
import reference
from device_planes import device_plane, host_plane

from gpuplot import _native
from gpuplot.plane.aggs import AGGS

__all__ = ["AGGS", "CLASSES", "KINDS", "WANT", "assert_near", "axes_of", "check", "planes", "views_of"]

KINDS = ("mean", "absmax", "std")
"""One aggregation for each kind of partial result."""
CLASSES = ("uint8", "float8_e4m3fn", "int16", "float16", "int32", "float32", "int64", "float64")
"""One dtype for each class of elements that has kernels of its own; the rest is read element by element."""
WANT = _native.WANT_RANGE | _native.WANT_POSITIVE


def views_of(shape):
    """Views of a plane: all of it, a part, one with fractions, a reversed one, and one that reaches outside."""
    n, m = shape
    return [((0, n), (0, m)), ((n * 0.1, n * 0.83), (m * 0.07, m * 0.9)), ((n, 0), (m - 0.5, 0.25)), ((-n / 3, n / 2), (m / 3, m * 1.4))]


def axes_of(shape, cells, view):
    return [_native.Axis(n, u0, u1, n_cells) for n, (u0, u1), n_cells in zip(shape, view, cells, strict=True)]


def assert_near(got, want, agg, largest, weights, what):
    """Assert that cells are equal, or for sums within the rounding of elements of at most this magnitude."""
    special = ~np.isfinite(want)
    assert np.array_equal(got[special].view(np.uint64), want[special].view(np.uint64)), what
    assert not np.signbit(got[got == 0]).any(), what
    if agg not in ("mean", "sum", "std", "var"):
        assert np.array_equal(got, want, equal_nan=True), what
        return
    magnitude = largest**2 if agg == "var" else largest * (np.where(special, 0, weights) if agg == "sum" else 1)
    with np.errstate(invalid="ignore"):
        near = special | (np.abs(got - want) <= 1e-12 * magnitude + (1e-9 * want if agg in ("std", "var") else 0))
    assert near.all(), (what, np.argwhere(~near)[:3], got[~near][:3], want[~near][:3])


def check(host, device, cells, view, agg, nan, largest, want=0):
    """Assert that one reduction has the same cells on both devices."""
    axes = axes_of(host.shape, cells, view)
    expected, expected_limits = _native.reduce(host, *axes, agg, nan, want)
    got, limits = _native.reduce(device, *axes, agg, nan, want)
    weights = _native.reduce(host_plane(np.ones(host.shape, np.uint8)), *axes, "sum", nan)[0].numpy() if agg == "sum" else 1
    what = (host.shape, cells, view, agg, nan)
    assert_near(got.numpy(), expected.numpy(), agg, largest, weights, what)
    if want:
        assert np.array_equal(limits[:4], expected_limits[:4], equal_nan=True), (what, limits, expected_limits)


def planes(stored, dtype=None, mask=None):
    """(host plane, device plane, largest magnitude) of stored elements."""
    values = np.abs(np.asarray(reference.load(stored, dtype or stored.dtype.name), np.float64))
    largest = float(np.max(values[np.isfinite(values)], initial=0))
    return host_plane(stored, dtype, mask), device_plane(stored, dtype, mask), largest
