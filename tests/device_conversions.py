"""Conversions of tensors on the emulated device for tests, and what they cost."""

import numpy as np

from gpuplot import _native

__all__ = ["converted", "example_values", "moved"]


def example_values():
    """float32 values for a transfer of about four chunks."""
    return np.random.default_rng(1).normal(size=(700, 650)).astype(np.float32)


def converted(tensor, dtype, name=None, out=None, progress=None):
    """A tensor's elements in a new array, or in `out`."""
    out = np.zeros(tensor.shape, dtype) if out is None else out
    _native.convert(tensor, out, name or np.dtype(dtype).name, progress)
    return out


def moved(emulated, tensor, out, name="float32"):
    """What gpuplot counted on the first device, and the driver's calls, of one conversion."""
    before = _native.cuda_counts(0)
    emulated.clear_counts()
    _native.convert(tensor, out, name)
    after = _native.cuda_counts(0)
    return {key: after[key] - before[key] for key in after}, emulated.counts()
