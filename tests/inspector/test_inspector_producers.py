"""The stream of the writing thread goes with a tensor, because pages are answered on other threads."""

import sys
from contextlib import contextmanager, nullcontext
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from gpuplot.inspector.kernel import producers
from gpuplot.inspector.kernel.producers import current_stream, in_order


def tensor_of(library, **attributes):
    """An object whose type says that it is of a library."""
    return type("Tensor", (), {"__module__": library, **attributes})()


@pytest.fixture
def libraries(monkeypatch):
    """torch and CuPy that say which stream is current: `libraries.handle`."""
    said = SimpleNamespace(handle=77, asked=[])
    torch, cupy = ModuleType("torch"), ModuleType("cupy")

    def ask(device=None):
        said.asked.append(device)
        return SimpleNamespace(cuda_stream=said.handle, ptr=said.handle)

    torch.cuda, cupy.cuda = SimpleNamespace(current_stream=ask), SimpleNamespace(get_current_stream=ask)
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    return said


def test_a_stream_of_its_own_is_noted(libraries):
    assert current_stream(tensor_of("torch", is_cuda=True, device="cuda:3")).cuda_stream == 77
    assert libraries.asked == ["cuda:3"]
    assert current_stream(tensor_of("cupy._core", device=nullcontext())).ptr == 77


def test_cupy_is_asked_about_the_device_of_the_tensor(libraries):
    """It tells the stream of the current device."""
    @contextmanager
    def other_device():
        libraries.handle = 88
        yield
        libraries.handle = 77

    assert current_stream(tensor_of("cupy", device=other_device())).ptr == 88 and libraries.handle == 77


@pytest.mark.parametrize("handle", [0, 1, 2])
def test_default_streams_need_no_note(libraries, handle):
    libraries.handle = handle
    assert current_stream(tensor_of("torch", is_cuda=True, device=0)) is None
    assert current_stream(tensor_of("cupy", device=nullcontext())) is None


@pytest.mark.parametrize("X", [np.zeros(3), [1, 2], None, tensor_of("torch", is_cuda=False), tensor_of("jax")])
def test_what_is_written_on_no_stream(libraries, X):
    assert current_stream(X) is None and in_order(X) is X
    assert libraries.asked == []


def test_the_caller_s_own_word_wins(libraries, monkeypatch):
    described = []
    monkeypatch.setattr(producers, "describe", lambda X, stream: described.append(stream.cuda_stream) or "described")
    X = tensor_of("torch", is_cuda=True, device=0)
    assert in_order(X, stream=5) is X and described == []
    assert in_order(X) == "described" and described == [77]
