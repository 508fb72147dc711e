"""Libraries with a real GPU for the tests of this folder; without one they skip and say why.

GPUPLOT_REHEARSAL=1 lends torch's CPU in the GPU's place to the tests that say nothing about streams and device memory: then
the tests themselves are known to run.
"""

import ctypes
import importlib
import os
from pathlib import Path

import pytest


def is_rehearsal():
    return bool(os.environ.get("GPUPLOT_REHEARSAL"))


def has_driver():
    """Whether this machine has a CUDA driver; to ask every library for its devices takes half a minute."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


def pytest_collection_modifyitems(items):
    if is_rehearsal() or has_driver():
        return
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.skip(reason="there is no CUDA driver: libcuda.so.1 is not found"))


def _imported(name):
    try:
        return importlib.import_module(name)
    except ImportError as reason:
        pytest.skip(f"{name} is not installed: {reason}")


@pytest.fixture(scope="session")
def torch():
    """torch with a CUDA device, or in a rehearsal with the CPU."""
    torch = _imported("torch")
    if not is_rehearsal() and not torch.cuda.is_available():
        pytest.skip("torch finds no CUDA device")
    return torch


@pytest.fixture(scope="session")
def device(torch):
    """Where torch's tensors are."""
    return "cpu" if is_rehearsal() else "cuda"


@pytest.fixture(scope="session")
def cuda(torch):
    """torch.cuda, for what only a real GPU has."""
    if is_rehearsal():
        pytest.skip("a rehearsal has no streams and no device memory")
    return torch.cuda


@pytest.fixture(scope="session")
def cupy():
    """CuPy with a device."""
    cupy = _imported("cupy")
    try:
        n_devices = cupy.cuda.runtime.getDeviceCount()
    except Exception as reason:
        pytest.skip(f"CuPy finds no CUDA device: {reason}")
    if n_devices == 0:
        pytest.skip("CuPy finds no CUDA device")
    return cupy


@pytest.fixture(scope="session")
def jax():
    """JAX with a GPU. It takes memory as it needs it."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax = _imported("jax")
    try:
        jax.devices("gpu")
    except RuntimeError as reason:
        pytest.skip(f"JAX finds no GPU: {str(reason).splitlines()[0]}")
    return jax


@pytest.fixture(scope="session")
def numba_cuda():
    """Numba's CUDA part with a device."""
    numba_cuda = _imported("numba.cuda")
    if not numba_cuda.is_available():
        pytest.skip("Numba finds no CUDA device")
    return numba_cuda


@pytest.fixture(scope="session")
def numba_kernels(numba_cuda):
    """The same where it compiles kernels, which takes a NumPy that it knows."""
    try:
        numba_cuda.jit("void(float32[:])")(lambda x: None)
    except Exception as reason:
        pytest.skip(f"Numba compiles no kernel: {reason}")
    return numba_cuda
