"""gpuplot: pictures of big tensors, reduced to the pixels on screen where the tensor lives."""

from . import advice
from ._version import __version__
from .config import show_config
from .conversion import asnumpy
from .errors import DeviceError, GpuplotWarning, UnsupportedError
from .gil import check_gil
from .image import TensorImage
from .inspector import inspect
from .norms import CbrtNorm, EqHistNorm
from .pixels import downsample, to_rgba
from .plots import imshow
from .pointers import from_pointer
from .snapshot import imsave
from .stats import stats
from .stats_result import Stats, StatsTable

__all__ = [
    "CbrtNorm", "DeviceError", "EqHistNorm", "GpuplotWarning", "Stats", "StatsTable", "TensorImage", "UnsupportedError",
    "__version__", "asnumpy", "downsample", "from_pointer", "imsave", "imshow", "inspect", "show_config", "stats", "to_rgba",
]


check_gil()


def __getattr__(name):
    """`Inspector`, what `inspect` returns: its module needs widgets, which nothing else here does."""
    if name == "Inspector":
        from .inspector.widget import Inspector

        return Inspector
    raise AttributeError(advice.about_attribute(name, [*__all__, "Inspector"]))


def __dir__():
    return sorted([*__all__, "Inspector"])
