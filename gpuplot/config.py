"""`show_config`: how gpuplot was built, and the devices of this machine."""

from __future__ import annotations

import os
import sys
from typing import Any, Literal, overload

from . import _native
from ._version import __version__
from .choices import check_choice


def _config():
    build = _native.build_info()
    return {
        "gpuplot": {"version": __version__},
        "CPU backend": {
            "compiler": build["compiler"], "flags": build["flags"], "target": build["target"],
            "instruction levels": build["cpu_levels"], "level in use": build["cpu_level"] + _unknown_level(),
            "threads": _native.threads_limit(),
        },
        "CUDA backend": _cuda_config(build),
        "PNG": {"libpng": build["png"], "zlib": build["zlib"], "note": build["png_note"]},
    }


# What GPUPLOT_CPU_LEVEL may be.
_LEVELS = ("base", "avx2", "avx512")


def _unknown_level():
    """What the native layer ignored, as GPUPLOT_CPU_LEVEL is no level; else an empty text."""
    asked = os.environ.get("GPUPLOT_CPU_LEVEL", "")
    return f" (GPUPLOT_CPU_LEVEL={asked!r} is ignored, as it is none of {', '.join(_LEVELS)})" if asked and asked not in _LEVELS else ""


# Words for the ways in which kernels were compiled, by their names in `_native.cuda_info`.
_KERNELS = {"built": "compiled with the package", "nvrtc": "compiled at their first use, by libnvrtc", "none": "none"}


def _cuda_config(build):
    """The CUDA section, which loads the driver; no context is made and no device touched."""
    info = _native.cuda_info()
    driver = info["driver"]
    return {
        "kernels": _KERNELS.get(info["kernels"], info["kernels"]),
        "architectures": info["images"],
        "compiler": f"NVRTC {_release(info['built_by'])}" if info["built_by"] else build["kernels_note"],
        "driver": f"CUDA {_release(driver)}" if driver else "none",
        "pinned results": f"up to {_native.pinned_budget() >> 20} MB (GPUPLOT_PINNED_MB)",
        "devices": [f"{name} ({capability}): {_image_text(image)}" for name, capability, image in info["devices"]],
        "usable": not info["reason"],
        "reason": info["reason"],
    }


def _release(number):
    """``12090`` as "12.9"."""
    return f"{number // 1000}.{number % 1000 // 10}"


def _image_text(image):
    """Where a device's kernels come from; `image` is "sm_80", "compute_75", or empty where none of the build fits."""
    if not image:
        return "kernels compiled at their first use, by libnvrtc"
    kind, number = image.split("_")
    capability = f"{int(number) // 10}.{int(number) % 10}"
    if kind == "sm":
        return f"machine code for {capability}, of the package"
    return f"PTX for {capability}, of the package, which the driver translates"


@overload
def show_config(mode: Literal["stdout"] = "stdout") -> None: ...
@overload
def show_config(mode: Literal["dicts"]) -> dict[str, dict[str, Any]]: ...
def show_config(mode="stdout"):
    """Tells what this build of gpuplot contains and what it found on this machine.

    Parameters
    ----------
    mode : {"stdout", "dicts"}, optional
        Print it (default), or return it as a dict of dicts. The same parameter as `numpy.show_config`'s.

    Returns
    -------
    dict or None
        With ``mode="dicts"``: sections "gpuplot", "CPU backend", "CUDA backend", "PNG". "CUDA backend" has "usable" and,
        where that is False, the "reason".

    Raises
    ------
    ValueError
        Another `mode`.

    Examples
    --------
    >>> import gpuplot
    >>> sorted(gpuplot.show_config(mode="dicts"))
    ['CPU backend', 'CUDA backend', 'PNG', 'gpuplot']
    """
    check_choice("mode", mode, ("stdout", "dicts"))
    config = _config()
    if mode == "dicts":
        return config
    if sys.stdout is None:  # closed, or a program without a console, where print() writes nothing either
        return None
    for section, values in config.items():
        sys.stdout.write(f"{section}:\n")
        for name, value in values.items():
            if value not in ("", None, []):
                sys.stdout.write(f"  {name}: {', '.join(value) if isinstance(value, list) else value}\n")
    return None
