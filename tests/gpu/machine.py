"""What a report says about where it was made: the GPU, its driver and clocks, the tools, and which sources were tested."""

import datetime
import hashlib
import importlib.metadata
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

QUERY = ("name", "driver_version", "memory.total", "clocks.sm", "clocks.mem", "clocks.max.sm", "clocks.max.mem",
         "temperature.gpu", "power.draw", "pcie.link.gen.current", "pcie.link.width.current", "compute_cap", "mig.mode.current")
LIBRARIES = ("numpy", "matplotlib", "torch", "cupy-cuda13x", "cupy-cuda12x", "cupy", "jax", "numba", "datashader", "xarray",
             "cucim", "pytest", "scikit-build-core", "cmake", "ninja", "nvidia-cuda-nvrtc")
SOURCES = ("native/**/*.[ch]", "native/**/*.cu", "native/**/*.cuh", "native/**/*.cmake", "gpuplot/**/*.py", "tests/gpu/**/*.[ch]",
           "tests/gpu/*.py", "tests/benchmarks/*.py")


def _words(command, cwd=None):
    """What a command prints, or an empty text where it can't be run."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=30, cwd=cwd).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def gpu():
    """nvidia-smi's answers of now as a dict, empty without one. Clocks are read, never set."""
    answer = _words(["nvidia-smi", f"--query-gpu={','.join(QUERY)}", "--format=csv,noheader"])
    values = [value.strip() for value in (answer.splitlines() or [""])[0].split(",")]
    return dict(zip(QUERY, values, strict=True)) if len(values) == len(QUERY) else {}


def find_nvcc():
    """The CUDA compiler, or None."""
    for name in ("nvcc", "/usr/local/cuda/bin/nvcc"):
        if shutil.which(name):
            return shutil.which(name)
    return None


def find_nvrtc():
    """The run-time compiler that a build of the kernels takes: one that is named, or of a package of this Python; else None."""
    named = os.environ.get("GPUPLOT_NVRTC")
    if named:
        return named
    below = ("nvidia/cuda_nvrtc/lib", "nvidia/cu12/lib", "nvidia/cu13/lib")
    found = [path for part in below for folder in map(pathlib.Path, sys.path) for path in sorted((folder / part).glob("libnvrtc.so.1?"))]
    toolkit = sorted(pathlib.Path("/usr/local/cuda/lib64").glob("libnvrtc.so.1?"))
    return str([*found, *toolkit][0]) if found or toolkit else None


def find_sanitizer():
    """compute-sanitizer, or None."""
    folder = "/usr/local/cuda/"
    for name in ("compute-sanitizer", f"{folder}bin/compute-sanitizer", f"{folder}compute-sanitizer/compute-sanitizer"):
        if shutil.which(name):
            return shutil.which(name)
    return None


def sources(root):
    """The commit, whether the tree differs from it, and a digest of the files that matter, for trees without history."""
    digest = hashlib.sha256()
    for path in sorted({path for pattern in SOURCES for path in pathlib.Path(root).glob(pattern)}):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    commit = _words(["git", "rev-parse", "HEAD"], root)
    changed = _words(["git", "status", "--porcelain", "--untracked-files=no"], root) if commit else ""
    return {"commit": commit or "unknown", "is_changed": bool(changed), "digest": digest.hexdigest()[:16]}


def versions():
    """Versions of the libraries that are installed."""
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def facts(root):
    """Everything that does not change during the run."""
    nvcc = find_nvcc()
    cuda = re.search(r"release ([\d.]+)", _words([nvcc, "--version"]) if nvcc else "")
    return {"date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "gpu": gpu(),
            "nvcc": {"path": nvcc, "version": cuda[1] if cuda else None}, "sanitizer": find_sanitizer(), "nvrtc": find_nvrtc(),
            "system": platform.platform(), "processor": _processor(), "python": platform.python_version(),
            "versions": versions(), "sources": sources(root)}


def _processor():
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor()
    names = re.findall(r"^model name\s*:\s*(.*)$", text, re.MULTILINE)
    return f"{len(names)} x {names[0]}" if names else platform.machine()
