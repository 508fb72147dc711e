"""gpuplot: pictures of big tensors, reduced to the pixels on screen where the tensor lives."""

from ._version import __version__
from .config import show_config
from .errors import DeviceError, GpuplotWarning, UnsupportedError
from .norms import CbrtNorm, EqHistNorm
from .pixels import downsample, to_rgba
from .snapshot import imsave

__all__ = [
    "CbrtNorm", "DeviceError", "EqHistNorm", "GpuplotWarning", "UnsupportedError", "__version__", "downsample", "imsave",
    "show_config", "to_rgba",
]
