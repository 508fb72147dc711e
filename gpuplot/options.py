"""The keyword groups that public functions share, with their defaults, and the wrapper of public functions."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from .advice import about_keyword, about_positional, about_too_many
from .choices import check_truth, refuse_pointers
from .errors import shorten

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
STREAM = {"stream": None}
SHARED = VIEW | CELLS | STYLE | STREAM


def shared(given):
    """The values of `given`, {parameter: value}, that belong to the groups."""
    return {name: given[name] for name in SHARED if name in given}


def bare(thing: T) -> T:
    """A function or a class without its annotations, which type checkers read in the source.

    At run time help() shows names and defaults, and no library can misread the annotations.
    """
    for function in vars(thing).values() if isinstance(thing, type) else (thing,):
        if inspect.isfunction(function):
            function.__annotations__ = {}
    if "__annotations__" in vars(thing):
        del thing.__annotations__
    return thing


def like(parent: T) -> Callable[[Any], T]:
    """Gives a method the types of the base class's: ``@like(Base.method)``."""
    return lambda method: method


def public(function: T, /, properties: frozenset[str] | None = None) -> T:
    """A function whose unknown keywords raise an error that names the nearest right one, before anything is done.

    `properties` are the names that ``**properties`` takes. The function is `untraced`.
    """
    run = untraced(bare(function))
    parameters = inspect.signature(function).parameters.values()
    names = {p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)}
    flags = _flags_of(parameters)
    positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    takes_any_number = any(p.kind is p.VAR_POSITIONAL for p in parameters)

    @functools.wraps(run)
    def call(*args, **keywords):
        if not keywords.keys() <= names:
            _check_keywords(function.__name__, keywords.keys() - names, parameters, properties)
        if len(args) > len(positional) and not takes_any_number:
            raise TypeError(about_too_many(function.__name__, positional, names, len(args)))
        for name in flags.intersection(keywords):
            check_truth(name, keywords[name])
        for name, value in keywords.items():
            refuse_pointers(name, value)
        return run(*args, **keywords)

    return call


def untraced(function: T, /) -> T:
    """A function that torch.compile leaves out: it runs between the graphs, on values, as if the program were not compiled.

    Very long messages of its errors are shortened.
    """
    undecorated = []

    @functools.wraps(function)
    def call(*args, **keywords):
        dynamo = sys.modules.get("torch._dynamo")
        try:
            if dynamo is None or not hasattr(dynamo, "disable"):
                return function(*args, **keywords)
            if not undecorated:
                undecorated.append(dynamo.disable(function))
            return undecorated[0](*args, **keywords)
        except Exception as error:
            shorten(error)
            raise

    call._torchdynamo_disable, call._torchdynamo_disable_msg = True, "it draws values, which a graph that is traced does not have"
    return call


def all_keywords(function: Callable[..., Any], given: dict[str, Any]) -> dict[str, Any]:
    """All keywords of a `public` function, {name: value}; raises as a call of it does for those in `given` that it does not have."""
    parameters = inspect.signature(function).parameters.values()
    keywords = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
    _check_keywords(function.__name__, given.keys() - keywords.keys(), parameters, None)
    for name in _flags_of(parameters).intersection(given):
        check_truth(name, given[name])
    return keywords | given


# Parameters with a default of True or False that take other values, too, or are taken for what does: their functions check them.
_NOT_ONLY_FLAGS = ("robust", "colorbar", "grid", "weights", "gradients", "activations")


def _flags_of(parameters):
    """The names of parameters that are true or false."""
    return {p.name for p in parameters if isinstance(p.default, bool) or p.name == "density"}.difference(_NOT_ONLY_FLAGS)


def public_with(artist: type, *others: str) -> Callable[[T], T]:
    """`public` for a function whose ``**properties`` are those of a class of matplotlib artists, and others."""
    settable = {name.removeprefix("set_") for name in dir(artist) if name.startswith("set_")}
    return functools.partial(public, properties=frozenset(settable.union(others)))


def _check_keywords(function, unknown, parameters, properties):
    """Raises for unknown keywords: Python's TypeError, or matplotlib's AttributeError where there are ``**properties``."""
    names = [p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
    for name in sorted(unknown):
        if any(p.name == name and p.kind is p.POSITIONAL_ONLY for p in parameters):
            raise TypeError(about_positional(function, name))
        if properties is None:
            raise TypeError(about_keyword(function, name, names))
        if name not in properties:
            raise AttributeError(about_keyword(function, name, names, properties))
