"""The keyword groups that public functions share, with their defaults: written once, shown in every signature."""

from __future__ import annotations

import functools
import inspect
import sys

from .advice import about_keyword, about_positional, about_too_many

__all__ = ["CELLS", "NUMBERS", "QUEUE", "STYLE", "VIEW", "public", "takes"]

VIEW = {
    "dims": None, "x": None, "y": None, "index": None, "reduce": None, "rgb": None, "denorm": None,
    "complex_mode": "amplitude",
}
CELLS = {"agg": None, "nan": "auto"}
# Of numbers, about which nothing is decided by itself.
NUMBERS = CELLS | {"nan": "show"}
STYLE = {
    "cmap": None, "norm": None, "vmin": None, "vmax": None, "gamma": None, "limits": "auto", "robust": False,
    "center": None, "categorical": None, "ignore_index": None, "labels": None, "alpha": None, "nan_color": None, "pos_inf_color": None,
    "neg_inf_color": None, "under_color": None, "over_color": None,
}
QUEUE = {"stream": None}


def takes(*groups, is_property=None):
    """Lets a public function take the keywords of these groups; it gets them as one dict, its parameter ``options``.

    `is_property(name)` tells of a function with ``**properties`` whether it has one of this name.
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

        call.__signature__ = signature.replace(parameters=[*head, *shared, *tail])
        return public(call, is_property=is_property)

    return decorate


def public(function, /, is_property=None):
    """A function as callers see it: of a keyword that it does not have the nearest right one is named, before anything is done.

    torch.compile leaves it out: it runs between the graphs, on values, as if the program were not compiled.
    """
    left_out = []
    parameters = inspect.signature(function).parameters.values()
    names = {p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)}
    positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]

    @functools.wraps(function)
    def call(*args, **keywords):
        if not keywords.keys() <= names:
            _check_keywords(function.__name__, keywords.keys() - names, parameters, is_property)
        if len(args) > len(positional):
            raise TypeError(about_too_many(function.__name__, positional, names, len(args)))
        dynamo = sys.modules.get("torch._dynamo")
        if dynamo is None or not hasattr(dynamo, "disable"):
            return function(*args, **keywords)
        if not left_out:
            left_out.append(dynamo.disable(function))
        return left_out[0](*args, **keywords)

    call._torchdynamo_disable, call._torchdynamo_disable_msg = True, "it draws values, which a graph that is traced does not have"
    return call


def _check_keywords(function, unknown, parameters, is_property):
    """Refuses keywords: as Python does with a TypeError, where there are ``**properties`` as matplotlib does."""
    names = [p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
    for name in sorted(unknown):
        if any(p.name == name and p.kind is p.POSITIONAL_ONLY for p in parameters):
            raise TypeError(about_positional(function, name))
        if is_property is None:
            raise TypeError(about_keyword(function, name, names))
        if not is_property(name):
            raise AttributeError(about_keyword(function, name, names))
