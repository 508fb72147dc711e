"""A warning on a free-threaded Python, since the native module relies on the GIL."""

import sys
import warnings

from .errors import GpuplotWarning


def check_gil():
    """Warns where the GIL stays off although the native module has been loaded.

    A free-threaded Python switches the GIL on as it loads the module, with a RuntimeWarning of its own, unless ``PYTHON_GIL=0``
    or ``-X gil=0`` keeps it off.
    """
    if hasattr(sys, "_is_gil_enabled") and not sys._is_gil_enabled():
        warnings.warn("gpuplot relies on the GIL, which PYTHON_GIL=0 or -X gil=0 keeps off: calls from several threads at a time "
                      "may crash; without that setting importing gpuplot switches the GIL on", GpuplotWarning, stacklevel=3)
