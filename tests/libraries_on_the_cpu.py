"""JAX with four CPU devices and TensorFlow without a GPU, for tests about host memory."""

import os

import pytest


def jax():
    """JAX with four CPU devices, which must be set before its first array."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    module = pytest.importorskip("jax")
    try:
        module.config.update("jax_num_cpu_devices", 4)
    except (AttributeError, RuntimeError):
        pass  # an old JAX, or one that has been used
    return module


def tensorflow():
    """TensorFlow without GPUs, which must be set before its first tensor."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    module = pytest.importorskip("tensorflow")
    try:
        module.config.set_visible_devices([], "GPU")
    except RuntimeError:
        pass  # it has been used
    return module
