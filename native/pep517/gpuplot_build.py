"""The build backend of pyproject.toml: scikit-build-core's, which with GPUPLOT_CUDA=1 asks for the compiler of kernels, too.

NVIDIA's run-time compiler comes from a package of pip, of CUDA 12, whose machine code loads with drivers from 525 on. Nothing
is added where GPUPLOT_NVRTC names a library, and without GPUPLOT_CUDA=1, the usual way to install, nothing is downloaded.
"""

import os
import sys

from scikit_build_core import build as _build
from scikit_build_core.build import *  # noqa: F403 - the hooks of PEP 517 and PEP 660

NVRTC = "nvidia-cuda-nvrtc-cu12>=12.8"


def _with_nvrtc(requirements):
    """These requirements, and NVRTC where kernels are to be compiled and no library for it is named."""
    is_asked_for = os.environ.get("GPUPLOT_CUDA") == "1" and sys.platform == "linux"
    return [*requirements, NVRTC] if is_asked_for and not os.environ.get("GPUPLOT_NVRTC") else list(requirements)


def get_requires_for_build_wheel(config_settings=None):
    """What has to be installed to build a wheel: a list of requirements."""
    return _with_nvrtc(_build.get_requires_for_build_wheel(config_settings))


def get_requires_for_build_editable(config_settings=None):
    """What has to be installed to build in place: a list of requirements."""
    return _with_nvrtc(_build.get_requires_for_build_editable(config_settings))
