"""gpuplot: pictures of big tensors, reduced to the pixels on screen where the tensor lives."""

import contextlib
import importlib
import logging  # noqa: F401 (see register_at_fork)
import os
import threading
from typing import TYPE_CHECKING

from . import advice
from ._version import __version__
from .compiled import load_compiled
from .gil import check_gil

if TYPE_CHECKING:
    from .arrays.pointers import from_pointer
    from .color.norms import CbrtNorm, EqHistNorm
    from .config import show_config
    from .errors import ChunkError, DeviceError, GpuplotWarning, UnsupportedError
    from .inspector import inspect
    from .inspector.widget import Inspector as Inspector
    from .mpl.compare import compare
    from .mpl.densities.lines_image import LinesImage
    from .mpl.densities.points_image import PointsImage
    from .mpl.grid import grid
    from .mpl.hist import Histogram, hist
    from .mpl.hist2d import Histogram2D, hist2d
    from .mpl.images.image import TensorImage
    from .mpl.imshow import imshow
    from .mpl.install import install, uninstall
    from .mpl.install import load_ipython_extension as load_ipython_extension
    from .mpl.install import unload_ipython_extension as unload_ipython_extension
    from .mpl.lines.line import TensorLine
    from .mpl.plot import plot
    from .mpl.scatter import scatter
    from .picture.imsave import imsave
    from .picture.pixels import downsample, to_rgba
    from .recording.recorder import Recorder
    from .statistics.comparison_table import ComparisonTable
    from .statistics.result import Stats, StatsTable
    from .statistics.stats import stats
    from .transfer.asnumpy import asnumpy
    from .watching.watch import watch

__all__ = [
    "CbrtNorm", "ChunkError", "ComparisonTable", "DeviceError", "EqHistNorm", "GpuplotWarning", "Histogram", "Histogram2D",
    "LinesImage", "PointsImage", "Recorder", "Stats", "StatsTable", "TensorImage", "TensorLine", "UnsupportedError", "__version__",
    "asnumpy", "compare", "downsample", "from_pointer", "grid", "hist", "hist2d", "imsave", "imshow", "inspect", "install", "plot",
    "scatter", "show_config", "stats", "to_rgba", "uninstall", "watch",
]

# Where each public name is. Its module is imported when it is asked for first: numbers need no matplotlib, pictures no widgets.
_MODULES = {
    "CbrtNorm": "color.norms", "ChunkError": "errors",
    "ComparisonTable": "statistics.comparison_table", "DeviceError": "errors", "EqHistNorm": "color.norms", "GpuplotWarning": "errors",
    "Histogram": "mpl.hist", "Histogram2D": "mpl.hist2d", "Inspector": "inspector.widget", "LinesImage": "mpl.densities.lines_image",
    "PointsImage": "mpl.densities.points_image",
    "Recorder": "recording.recorder", "Stats": "statistics.result", "StatsTable": "statistics.result",
    "TensorImage": "mpl.images.image", "TensorLine": "mpl.lines.line", "UnsupportedError": "errors", "asnumpy": "transfer.asnumpy",
    "compare": "mpl.compare", "downsample": "picture.pixels", "from_pointer": "arrays.pointers", "grid": "mpl.grid",
    "hist": "mpl.hist", "hist2d": "mpl.hist2d", "imsave": "picture.imsave", "imshow": "mpl.imshow", "inspect": "inspector",
    "install": "mpl.install", "plot": "mpl.plot", "scatter": "mpl.scatter", "show_config": "config",
    "stats": "statistics.stats", "to_rgba": "picture.pixels", "uninstall": "mpl.install",
    "watch": "watching.watch",
    # What IPython asks an extension for.
    "load_ipython_extension": "mpl.install", "unload_ipython_extension": "mpl.install",
}


load_compiled()
check_gil()

# Threads that import parts of matplotlib at once, in different orders, would see modules that are not complete yet.
_importing = threading.RLock()

# Seconds that a fork waits for imports of other threads, one of which may wait for the thread that forks.
_FORK_SECONDS = 10.0


def _end_imports():
    """Before a fork: a child would wait forever for a module that another thread was importing."""
    _importing.acquire(timeout=_FORK_SECONDS)


def _allow_imports():
    with contextlib.suppress(RuntimeError):  # the import took longer than the fork waited for it
        _importing.release()


def _renew_lock():
    """In a forked child, where nobody would let go of it: another thread of the parent may still have been importing."""
    global _importing
    _importing = threading.RLock()


# Forks take the locks of modules that were imported last first: `logging` must be imported by now, as other imports take its lock.
os.register_at_fork(before=_end_imports, after_in_parent=_allow_imports, after_in_child=_renew_lock)


def __getattr__(name):
    """A public name from its module, kept for the next time."""
    if name not in _MODULES:
        raise AttributeError(advice.about_attribute(name, [*__all__, "Inspector"]))
    with _importing:
        value = globals()[name] = getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
    return value


def __dir__():
    return sorted([*__all__, "Inspector"])
