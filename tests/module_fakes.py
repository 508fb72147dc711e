"""A stand-in for torch where there is none: arrays as its tensors, and modules that call hooks as torch's do."""

import types

import numpy as np
import pytest

from gpuplot.watching import entries, sampler


class Tensor(np.ndarray):
    """An array with a gradient and a hook."""

    requires_grad, grad, _version = True, None, 0

    @property
    def hooks(self):
        return self.__dict__.setdefault("_hooks", {})

    def register_post_accumulate_grad_hook(self, hook):
        return _kept(self.hooks, hook)

    def accumulate(self, gradient):
        self.grad = gradient
        for hook in tuple(self.hooks.values()):
            hook(self)


def tensor(values):
    return np.array(values, "f4").view(Tensor)


class Module:
    """A module that multiplies by its weight, or one with parts, which it calls one after the other."""

    def __init__(self, weight=None, parts=()):
        self._parameters = {} if weight is None else {"weight": weight}
        self._parts, self._before, self._after = dict(parts), {}, {}
        self.wrap = lambda output: output

    def named_modules(self):
        yield "", self
        for name, part in self._parts.items():
            for inner, module in part.named_modules():
                yield f"{name}.{inner}" if inner else name, module

    def named_parameters(self):
        for name, module in self.named_modules():
            for leaf, parameter in module._parameters.items():
                yield f"{name}.{leaf}" if name else leaf, parameter

    def register_forward_pre_hook(self, hook):
        return _kept(self._before, hook)

    def register_forward_hook(self, hook):
        return _kept(self._after, hook)

    def __call__(self, x):
        for hook in tuple(self._before.values()):
            hook(self, (x,))
        for part in self._parts.values():
            x = part(x)
        output = self.wrap(x * self._parameters.get("weight", np.float32(1)))
        for hook in tuple(self._after.values()):
            hook(self, (x,), output)
        return output


def _kept(hooks, hook):
    key = object()
    hooks[key] = hook
    return types.SimpleNamespace(remove=lambda: hooks.pop(key))


@pytest.fixture
def fake_torch(monkeypatch):
    """A stand-in for torch, installed as `torch` in sys.modules for one test."""
    torch = types.ModuleType("torch")
    torch.Tensor, torch.nn = Tensor, types.SimpleNamespace(Module=Module)
    monkeypatch.setitem(__import__("sys").modules, "torch", torch)
    monkeypatch.setattr(sampler, "copied", lambda tensor: np.array(tensor))
    monkeypatch.setattr(entries, "dtype_name", lambda tensor: str(tensor.dtype))


def model(side=40):
    """A module with two parts, each with a weight."""
    rng = np.random.default_rng(0)
    return Module(parts={name: Module(tensor(rng.normal(size=(side, side)))) for name in ("first", "second")})
