"""Tensors of torch in host memory, and their elements as gpuplot and as torch itself read them: what tests of torch share."""

import pytest
from stored_tensors import elements as elements_of

from gpuplot.arrays.describe import describe

__all__ = ["elements", "some", "stored_bytes"]

torch = pytest.importorskip("torch")


def some(name="float32"):
    """A 6 x 8 tensor of a dtype."""
    return torch.arange(48).reshape(6, 8).to(torch.float32).to(getattr(torch, name))


def elements(tensor):
    """The stored bytes of a tensor's plane as the native layer finds them."""
    return elements_of(describe(tensor))


def stored_bytes(tensor):
    """The same by torch itself."""
    whole = tensor.detach().resolve_conj().resolve_neg().contiguous().clone()
    return whole.view(torch.uint8).reshape(*tensor.shape, -1).numpy()
