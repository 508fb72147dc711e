"""`watch`: weights, gradients and activations of a torch module in an inspector, during training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ..arrays.optional_imports import loaded
from ..arrays.scalars import number_in
from ..options import SHARED, public, shared

if TYPE_CHECKING:
    from typing import Any

    from .. import typing as t
    from ..inspector.widget import Inspector


@public
def watch(
        module: Any, /, *, weights: bool = True, gradients: bool = True, activations: bool = True,
        names: str | Sequence[str] | None = None, rate: float = 5, histogram: bool = True, show_stats: bool = True,
        play: bool = True, values: Literal["auto"] | bool = "auto", throttle: float = 33, max_buffered_frames: int = 2,
        height: int | None = None, title: str | None = None, agg: t.Agg | None = None, nan: t.Nan = "auto",
        cmap: t.Cmap | None = None, norm: t.Norm | None = None, vmin: float | None = None, vmax: float | None = None,
        gamma: float | None = None, limits: t.Limits = "auto", robust: t.Robust = False, center: t.Center | None = "auto",
        nan_color: t.Color | None = "#ff00ff", pos_inf_color: t.Color | None = "#00ffff",
        neg_inf_color: t.Color | None = "#ff8000", under_color: t.Color | None = None,
        over_color: t.Color | None = None) -> Inspector:
    """Shows the weights, gradients and activations of a torch module in an inspector that follows its training.

    The menu has the names of ``named_parameters`` for weights, the same with ``.grad`` for gradients, and those of ``named_modules`` for
    the outputs of modules (``"output"`` for the whole module). The training loop needs no change, because the tensors are taken by
    hooks. While no page is open a hook only tests one flag. Else the tensor that is shown, and no other, is copied at most `rate` times
    a second and at most once per step. The copy stays on its device and is queued on the loop's stream, without waiting; a thread draws
    it. So a picture shows one moment even though optimizers write in place. There are at most two copies at a time.

    Weights are taken before a forward pass of `module`, gradients when they are complete (or as far as they are accumulated),
    activations at a module's first call in a forward pass. Outputs that are tuples, mappings or data classes are listed by their tensors,
    ``"lstm[0]"``, ``"lstm[1][0]"``, once the module was called. Shared weights have one entry, frozen ones no gradient. A forward pass
    that checkpointing repeats is seen again. Of the replicas of ``DataParallel`` one is shown.

    Every hook is a graph break for ``torch.compile``: a compiled module runs as many graphs as it has watched modules. So choose a few
    by `names`, or ``activations=False``, which leaves one graph. Compile after `watch`: later hooks are not in the graph. A copy or
    pickle of the module is not watched.

    Hooks are removed by ``close()``, by the end of a ``with`` block, and when nothing refers to the inspector any more; it does not keep
    the module alive. In a program that is not a notebook nothing is drawn, and a warning says so. Then ``snapshot()`` and
    ``to_figure()`` show weights and gradients as they are, and the newest activations, whose copies take at most 1 % of the time.

    Parameters
    ----------
    module : torch.nn.Module
        The model, which ``DataParallel`` or another module may wrap.
    weights, gradients, activations : bool, default: True
        Which of these the menu has.
    names : str or sequence of str, optional
        Patterns of the names of parameters and modules, in which ``*`` stands for any characters: ``"encoder.*"``. Default: all.
    rate : float, default: 5
        The most copies per second; slow copies are made less often, so that they take at most a tenth of the time.
    histogram, show_stats, play, values, throttle, max_buffered_frames, height, title : optional
        As in `inspect`.
    agg, nan, cmap, norm, vmin, vmax, gamma, limits, robust, center : optional
        How it is reduced and colored: see `imshow`; defaults are those of `inspect`. By default limits stay, so that steps can be
        compared; ``limits="elements"`` follows every step.
    nan_color, pos_inf_color, neg_inf_color, under_color, over_color : optional
        Colors of what has no place in the colormap, as in `inspect`.

    Returns
    -------
    Inspector
        Its ``item`` is the name that is shown, and may be set.

    Raises
    ------
    TypeError
        Not a module of torch, or one that TorchScript has compiled, wholly or in a part that would be watched.
    ValueError
        There is nothing to watch, or nothing that matches `names`; a rate that is not above 0.
    ImportError
        The package anywidget is not installed.

    Warns
    -----
    GpuplotWarning
        The program is not a notebook; something that is shown cannot be read, such as a parameter on the meta device.

    Examples
    --------
    >>> import torch, gpuplot                                                 # doctest: +SKIP
    >>> model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))      # doctest: +SKIP
    >>> w = gpuplot.watch(model)          # the last line of a cell: w        # doctest: +SKIP
    >>> train(model)                      # the cell after it                 # doctest: +SKIP
    >>> w.item = "0.weight.grad"                                              # doctest: +SKIP
    """
    options = SHARED | shared(locals())
    _check_module(module)
    kinds = _kinds(weights=weights, gradients=gradients, activations=activations)
    patterns, rate = _patterns(names), _rate(rate)
    from .entries import entries_of

    entries = entries_of(module, kinds, patterns)
    _refuse_scripted(module, entries)
    try:
        from .inspector import ModuleInspector
    except ImportError as error:
        if error.name not in ("anywidget", "ipywidgets", "traitlets", "IPython"):
            raise
        raise ImportError("gpuplot.watch needs the package anywidget: pip install anywidget, or gpuplot with its extra, "
                          "pip install 'gpuplot[notebook]'", name=error.name) from error
    return ModuleInspector(
        module, entries, rate, options, histogram=histogram, show_stats=show_stats, play=play, values=values, throttle=throttle,
        max_buffered_frames=max_buffered_frames, height=height, title=title)


def _check_module(module):
    kind = loaded("torch.nn.Module")
    if isinstance(kind, type) and isinstance(module, kind):
        return
    if isinstance(module, type):
        raise TypeError(f"watch takes a module, and {module.__name__} is a class: give an instance, watch({module.__name__}(...))")
    raise TypeError(f"watch takes a torch.nn.Module, not {type(module).__name__}: give the model itself. For a tensor, a state_dict or a "
                    "model of another library use w = gpuplot.inspect(X), and in the loop w.update(X)")


def _refuse_scripted(module, entries):
    """Refuses entries of modules that TorchScript has compiled: these take no hooks, and have their parameters elsewhere."""
    scripted = loaded("torch.jit.ScriptModule")
    if not isinstance(scripted, type):
        return
    if isinstance(module, scripted):
        raise TypeError("watch: TorchScript has compiled the module, so it takes no hooks: watch it before torch.jit.script or "
                        "torch.jit.trace, or show its weights by gpuplot.inspect(module.state_dict())")
    for entry in entries:
        if isinstance(entry.owner(), scripted):
            raise TypeError(f"watch: TorchScript has compiled the part with {entry.name!r}, so it takes no hooks: choose others by names=, "
                            "or show its weights by gpuplot.inspect(module.state_dict())")


def _kinds(**wanted):
    """The kinds of entries whose keyword is true."""
    for name, value in wanted.items():
        if not isinstance(value, bool):
            raise TypeError(f"{name} is True or False, not {value!r}; names= chooses by name")
    return {name.removesuffix("s") for name, value in wanted.items() if value}


def _patterns(names):
    """Patterns as a list; None for all."""
    patterns = [names] if isinstance(names, str) else names
    if patterns is None or (isinstance(patterns, Sequence) and all(isinstance(pattern, str) for pattern in patterns)):
        return patterns
    raise TypeError(f"names={names!r} must be a pattern of names, such as 'encoder.*', or a list of patterns")


def _rate(rate):
    number = number_in(rate)
    if number is None or not 0 < number <= 1000:
        raise ValueError(f"rate={rate!r} must be a number of copies a second, above 0 and at most 1000")
    return number
