"""The entries of a module's menu: parameters, their gradients and outputs of modules, by torch's names."""

import weakref
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ..arrays.optional_imports import loaded
from ..arrays.torch_tensors import dtype_name
from ..errors import UnsupportedError, listed
from .outputs import path_text

WEIGHT, GRADIENT, ACTIVATION = "weight", "gradient", "activation"

# Our name for the output of the whole module, whose name in torch is "".
WHOLE = "output"

# Most names that an error lists.
MAX_NAMED = 6


@dataclass(eq=False)
class Entry:
    """One tensor that changes from step to step.

    Attributes
    ----------
    name : str
        ``"encoder.0.weight"``, ``"encoder.0.weight.grad"``, or the name of a module, for its output.
    kind : {"weight", "gradient", "activation"}
    owner : weakref.ref
        The module that has the parameter, or whose output it is.
    leaf : str
        The parameter's name in its module.
    path : tuple
        Path of the tensor in an output, see `outputs`.
    form : (tuple of int, str) or None
        Shape and dtype; None until they are known.
    base : Entry
        The module's entry, for one of several tensors in an output; else the entry itself.
    hook : Hook or None
        The hook that receives the tensor.
    handle : object
        torch's handle, which removes the hook.
    hooked : weakref.ref or None
        The parameter that has the hook.
    """

    name: str
    kind: str
    owner: weakref.ref
    leaf: str = ""
    path: tuple = ()
    form: tuple | None = None
    base: "Entry" = None
    hook: object = None
    handle: object = None
    hooked: weakref.ref | None = None

    def __post_init__(self):
        self.base = self.base or self

    def parameter(self):
        """The module's present parameter of this name; None without one."""
        owner = self.owner()
        return None if owner is None else owner._parameters.get(self.leaf)

    def can_be_hooked(self):
        """Whether the module's present parameter will have gradients and has no hook yet."""
        parameter = self.parameter()
        return self.hooked is None and parameter is not None and parameter.requires_grad and not _is_lazy(parameter)

    def is_replaced(self):
        """Whether the parameter that has the hook is no longer the module's."""
        if self.hooked is None:
            return False
        parameter = self.hooked()
        return parameter is None or parameter is not self.parameter()

    def tensor(self):
        """The present weight or gradient; None without one, before it has a shape, and for activations, which are not kept."""
        parameter = None if self.kind == ACTIVATION else self.parameter()
        if parameter is None or _is_lazy(parameter):
            return None
        return parameter if self.kind == WEIGHT else parameter.grad

    def part(self, path):
        """The entry of one of several tensors in an output."""
        return Entry(self.name + path_text(path), self.kind, self.owner, path=path, base=self, hook=self.hook)


def entries_of(module, kinds, patterns):
    """The entries of a module, the parameters and gradients first.

    Parameters
    ----------
    module : torch.nn.Module
    kinds : set of {"weight", "gradient", "activation"}
    patterns : sequence of str or None
        `fnmatch` patterns for names of parameters and modules.

    Returns
    -------
    list of Entry
        A shared parameter has one entry, with the first of its names that fits.

    Raises
    ------
    ValueError
        The module has no such tensors, or none whose name fits.
    """
    entries = [*_of_parameters(module, kinds, patterns), *(_of_modules(module, patterns) if ACTIVATION in kinds else ())]
    if not entries:
        raise ValueError(_why_none(module, kinds, patterns))
    return entries


def _of_parameters(module, kinds, patterns):
    seen, weights, gradients = set(), [], []
    for prefix, owner in module.named_modules():
        for leaf, parameter in owner._parameters.items():
            name = f"{prefix}.{leaf}" if prefix else leaf
            if parameter is None or id(parameter) in seen or not _fits(name, patterns):
                continue
            seen.add(id(parameter))
            form, reference = _form_of(parameter), weakref.ref(owner)
            weights.append(Entry(name, WEIGHT, reference, leaf, form=form))
            if parameter.requires_grad:
                gradients.append(Entry(f"{name}.grad", GRADIENT, reference, leaf, form=form))
    return (weights if WEIGHT in kinds else []) + (gradients if GRADIENT in kinds else [])


def _of_modules(module, patterns):
    names = set()
    for name, inner in module.named_modules():
        if _fits(name or WHOLE, patterns):
            names.add(name)
            yield Entry(name or WHOLE, ACTIVATION, weakref.ref(inner))


def _fits(name, patterns):
    return patterns is None or any(fnmatchcase(name, pattern) for pattern in patterns)


def _is_lazy(parameter):
    """Whether a parameter gets its shape at the first forward."""
    ask = loaded("torch.nn.parameter.is_lazy")
    return ask is not None and ask(parameter)


def _form_of(parameter):
    if _is_lazy(parameter):
        return None
    try:
        return tuple(parameter.shape), dtype_name(parameter)
    except UnsupportedError:  # a dtype that gpuplot does not know
        return None


def _why_none(module, kinds, patterns):
    if not kinds:
        return "weights, gradients and activations are all False: there is nothing to watch"
    parameters = [name for name, _ in module.named_parameters()]
    known = [*parameters, *(name or WHOLE for name, _ in module.named_modules())] if ACTIVATION in kinds else parameters
    if patterns is None:
        return f"{type(module).__name__} has no parameters" + (" that take a gradient" if parameters else "")
    known_text = listed(known, MAX_NAMED) or "there are none"
    return f"names={list(patterns)!r} fit none of {len(known)} names: {known_text}; \"*\" stands for any characters"
