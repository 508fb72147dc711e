"""Runs tests, or a script, with every host array in emulated device memory. usage: python tests/on_device.py SCRIPT [ARGUMENT...]

Whatever matplotlib would read as an array and somebody hands to gpuplot is described as a tensor of the emulated device.
At every use its memory is copied there as it is then, with its layout: strides, offset, byte order and mask. Copies that
gpuplot makes for itself stay on the host, as they do for real tensors.
"""

from __future__ import annotations

import ctypes
import os
import runpy
import sys
from pathlib import Path

import emulated_device
import numpy as np

from gpuplot import _native
from gpuplot.arrays import describe as describing
from gpuplot.arrays import dtypes
from gpuplot.arrays.host_memory import from_ndarray
from gpuplot.color import alpha
from gpuplot.inspector.model import collection
from gpuplot.mpl import axis_units
from gpuplot.mpl.histograms import histogram_data
from gpuplot.mpl.images import image_data
from gpuplot.picture import render_spec
from gpuplot.statistics import stats
from gpuplot.transfer import asnumpy

__all__ = ["describe", "lend", "put_arrays_there", "there"]

# Where a byte of host memory may lie within a line of memory: the copy lies at the same place.
LINE_BYTES = 64

_describe_on_host = describing.describe


class _Block:
    """The bytes between two host addresses, copied to memory of an emulated device; given back when nobody uses it."""

    memory = None  # until there is some

    def __init__(self, low, high, device):
        shift = low % LINE_BYTES
        self.memory = emulated_device.load().allocate(high - low + shift, device=device)
        self.memory.write(np.frombuffer((ctypes.c_char * (high - low)).from_address(low), np.uint8), shift)
        self.address = self.memory.pointer + shift

    def __del__(self):
        if self.memory is not None:
            self.memory.free()


def _copied(array, device):
    """(block, address of the first element there) of an array that is not empty."""
    low, high = np.lib.array_utils.byte_bounds(array)
    block = _Block(low, high, device)
    return block, block.address + array.__array_interface__["data"][0] - low


def lend(array, mask=None, device=0, dtype=None):
    """A native tensor over a copy of an array, and of its mask or None, in memory of an emulated device.

    `dtype` names what the elements are where NumPy has no such dtype.
    """
    name = dtype or dtypes.dtype_name(array.dtype)
    if array.size == 0:
        return _native.Tensor.from_cuda(0, array.shape, array.strides, name, device)
    block, address = _copied(array, device)
    mask_block, mask_address, mask_strides = None, 0, None
    if mask is not None:
        (mask_block, mask_address), mask_strides = _copied(mask, device), mask.strides
    is_swapped = array.dtype.itemsize > 1 and not array.dtype.isnative
    return _native.Tensor.from_cuda(address, array.shape, array.strides, name, device, is_swapped, mask_address, mask_strides,
                                    (block, mask_block))


def there(array, mask=None, dtype=None, device=0):
    """A tensor of an emulated device, as users' are: its memory is a copy of the array's, made anew at every use."""
    return describing.Source(array, lambda array, stream=None: lend(array, mask, device, dtype), array.shape, dtype or array.dtype.name,
                         is_masked=mask is not None, device=(2, device))


def describe(X, /, *arguments):
    """`describe`, with host arrays on the emulated device; long doubles, which no device has, stay."""
    source = _describe_on_host(X, *arguments)
    if isinstance(X, describing.Source) or not source.is_host_array or source.dtype == "longdouble":
        return source
    return describing.Source(source.owner, lambda owner, stream=None: lend(*from_ndarray(np.asanyarray(owner))), source.shape,
                         source.dtype, dims=source.dims, is_masked=source.is_masked, device=(2, 0))


def put_arrays_there():
    """Let gpuplot copy every host array of its callers to the emulated device from now on."""
    emulated_device.load()
    for module in (describing, image_data, axis_units, render_spec, alpha, asnumpy, collection, histogram_data, stats):
        module.describe = describe


if __name__ == "__main__":
    put_arrays_there()
    os.environ["GPUPLOT_EXAMPLE_DEVICE"] = "NumPy; gpuplot is given copies of them on the emulated device"
    sys.argv = sys.argv[1:]
    sys.path.insert(0, str(Path(sys.argv[0]).resolve().parent))
    runpy.run_path(sys.argv[0], run_name="__main__")
    sys.exit("\n".join(emulated_device.load().problems()) or 0)
