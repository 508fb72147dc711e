"""The keyword groups that public functions share, with their defaults: written once, shown in every signature."""

from __future__ import annotations

import functools
import inspect
import sys

__all__ = ["CELLS", "QUEUE", "STYLE", "VIEW", "not_compiled", "takes"]

VIEW = {
    "dims": None, "x": None, "y": None, "index": None, "reduce": None, "rgb": None, "denorm": None,
    "complex_mode": "amplitude",
}
CELLS = {"agg": None, "nan": "show"}
STYLE = {
    "cmap": None, "norm": None, "vmin": None, "vmax": None, "gamma": None, "robust": False, "center": None,
    "categorical": None, "labels": None, "alpha": None, "nan_color": None, "pos_inf_color": None,
    "neg_inf_color": None, "under_color": None, "over_color": None,
}
QUEUE = {"stream": None}


def takes(*groups):
    """Lets a function take the keywords of these groups; it gets them as one dict, its parameter ``options``.

    Keywords that neither the groups nor the function know raise Python's own TypeError, with the function's name.
    """
    defaults = {name: value for group in groups for name, value in group.items()}

    def decorate(function):
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.name != "options"]
        shared = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value)
                  for name, value in defaults.items() if name not in signature.parameters]
        tail = [p for p in own if p.kind is inspect.Parameter.VAR_KEYWORD]
        head = [p for p in own if p.kind is not inspect.Parameter.VAR_KEYWORD]

        @functools.wraps(function)
        def call(*args, **keywords):
            options = {name: keywords.pop(name, value) for name, value in defaults.items()
                       if name not in signature.parameters}
            return function(*args, options=options, **keywords)

        call = not_compiled(call)
        call.__signature__ = signature.replace(parameters=[*head, *shared, *tail])
        return call

    return decorate


def not_compiled(function, /):
    """Lets torch.compile leave a function out: it runs between the graphs, on values, as if the program were not compiled."""
    left_out = []

    @functools.wraps(function)
    def call(*args, **keywords):
        dynamo = sys.modules.get("torch._dynamo")
        if dynamo is None or not hasattr(dynamo, "disable"):
            return function(*args, **keywords)
        if not left_out:
            left_out.append(dynamo.disable(function))
        return left_out[0](*args, **keywords)

    call._torchdynamo_disable, call._torchdynamo_disable_msg = True, "it draws values, which a graph that is traced does not have"
    return call
