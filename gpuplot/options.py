"""The keyword groups that public functions share, with their defaults, and what makes a function a public one."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from .advice import about_keyword, about_positional, about_too_many

__all__ = ["CELLS", "QUEUE", "SHARED", "STYLE", "VIEW", "bare", "like", "public", "public_with", "shared"]

T = TypeVar("T")

VIEW = {
    "dims": None, "x": None, "y": None, "index": None, "reduce": None, "rgb": None, "denorm": None,
    "complex_mode": "amplitude",
}
CELLS = {"agg": None, "nan": "auto"}
STYLE = {
    "cmap": None, "norm": None, "vmin": None, "vmax": None, "gamma": None, "limits": "auto", "robust": False,
    "center": None, "categorical": None, "ignore_index": None, "labels": None, "alpha": None, "nan_color": None, "pos_inf_color": None,
    "neg_inf_color": None, "under_color": None, "over_color": None,
}
QUEUE = {"stream": None}
SHARED = VIEW | CELLS | STYLE | QUEUE


def shared(given):
    """Those of a call's values, by the names of its parameters, that belong to the groups."""
    return {name: given[name] for name in SHARED if name in given}


def bare(thing: T) -> T:
    """A function or a class without its annotations: they are for type checkers, which read the source.

    Who looks at what runs sees names and defaults, as help() does; some libraries would make something of the annotations.
    """
    for function in vars(thing).values() if isinstance(thing, type) else (thing,):
        if inspect.isfunction(function):
            function.__annotations__ = {}
    if "__annotations__" in vars(thing):
        del thing.__annotations__
    return thing


def like(parent: T) -> Callable[[Any], T]:
    """For a method with the types of the base class's: ``@like(Base.method)``."""
    return lambda method: method


def public(function: T, /, is_property: Callable[[str], bool] | None = None) -> T:
    """A function as callers see it: of a keyword that it does not have the nearest right one is named, before anything is done.

    Where it has ``**properties``, `is_property(name)` tells whether there is one of this name.
    torch.compile leaves it out: it runs between the graphs, on values, as if the program were not compiled.
    """
    left_out = []
    parameters = inspect.signature(bare(function)).parameters.values()
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


def public_with(is_property: Callable[[str], bool]) -> Callable[[T], T]:
    """`public` for a function with ``**properties``."""
    return functools.partial(public, is_property=is_property)


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
