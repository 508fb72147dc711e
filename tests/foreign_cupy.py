"""Runs a script that uses CuPy where there is none: NumPy computes, memory of the emulated device holds what it computed.

usage: python tests/foreign_cupy.py SCRIPT [ARGUMENT...]
Arrays are those of foreign_arrays.py: they refuse, order and export as CuPy's do, and their values reach the device's memory
late, when its stream comes to them.
"""

import os
import runpy
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import emulated_device
import numpy as np
from foreign_arrays import CupyArray, cupy_module
from foreign_memory import Runtime, made_by

__all__ = ["CupyOfNumpy", "start"]


@made_by("cupy", "ndarray")
class ScriptArray(CupyArray, np.lib.mixins.NDArrayOperatorsMixin):
    """An array of the stand-in, with the methods and operators that scripts use."""

    def __init__(self, runtime, values):
        super().__init__(runtime, values)
        self.dtype, self.ndim, self.nbytes = values.dtype, values.ndim, values.nbytes

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        return _wrapped(self.runtime, getattr(ufunc, method)(*map(_values, inputs), **keywords))

    def __getitem__(self, index):
        return _wrapped(self.runtime, self.values[_values(index)])

    def __getattr__(self, name):
        """Methods of NumPy's arrays: sum, max, reshape, astype, ..."""
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(name)
        found = getattr(self.values, name)
        return _function(self.runtime, found) if callable(found) else _wrapped(self.runtime, found)

    def __float__(self):
        return float(self.values)

    def get(self):
        """The values as a NumPy array."""
        return self.values.copy()


def _values(x):
    if isinstance(x, (tuple, list)):
        return type(x)(map(_values, x))
    return x.values if isinstance(x, ScriptArray) else x


def _wrapped(runtime, x):
    return ScriptArray(runtime, np.asarray(x)) if isinstance(x, (np.ndarray, np.generic)) else x


def _function(runtime, function):
    """A function of NumPy with arrays of the device as arguments and results."""
    def call(*arguments, **keywords):
        return _wrapped(runtime, function(*map(_values, arguments), **{name: _values(x) for name, x in keywords.items()}))
    return call


class CupyOfNumpy(ModuleType):
    """A module with NumPy's names, or a submodule of it."""

    def __init__(self, name, runtime, source=np):
        super().__init__(name)
        self._runtime, self._source = runtime, source

    def __getattr__(self, name):
        found = getattr(self._source, name)
        if isinstance(found, ModuleType):
            return CupyOfNumpy(f"{self.__name__}.{name}", self._runtime, found)
        return _function(self._runtime, found) if callable(found) and not isinstance(found, type) else found


def start(runtime):
    """Install the stand-in as the module `cupy`."""
    cupy = CupyOfNumpy("cupy", runtime)
    cupy.ndarray, cupy.cuda = ScriptArray, cupy_module(runtime).cuda
    cupy.cuda.Stream = SimpleNamespace(null=SimpleNamespace(synchronize=runtime.emulator.synchronize))
    cupy.is_available = lambda: True
    cupy.asnumpy = lambda a: a.get()
    sys.modules["cupy"] = cupy
    return cupy


if __name__ == "__main__":
    start(Runtime(emulated_device.load()))
    sys.argv = sys.argv[1:]
    sys.path.insert(0, str(Path(sys.argv[0]).resolve().parent))
    os.environ.setdefault("MPLBACKEND", "agg")
    runpy.run_path(sys.argv[0], run_name="__main__")
    sys.exit("\n".join(emulated_device.load().problems()) or 0)
