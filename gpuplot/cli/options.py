"""The options of the command: those of its own, and the keywords of `imshow` and `imsave`, taken from their signatures and docstrings."""

from __future__ import annotations

import functools
import inspect
import re
from dataclasses import dataclass

# Parameters that are objects of a program, or that the command gives itself.
_NOT_FROM_A_SHELL = {"X", "fname", "ax", "colorizer", "data", "stream", "format", "client", "progress"}


@dataclass(frozen=True)
class Option:
    """One option of the command line."""

    name: str  # the keyword; ``nan_color`` is written ``--nan-color``
    summary: str  # one sentence for the help
    is_flag: bool = False  # may stand alone, which means True; a value needs ``=``, and ``--no-NAME`` is False
    is_text: bool = True  # the value stays text
    of: frozenset = frozenset()  # the functions that take it; empty for the command's own

    @property
    def written(self):
        """As it is typed."""
        return f"--{self.name.replace('_', '-')}"


OWN = {option.name: option for option in (
    Option("output", "Where the picture goes: a name that ends in .png (or .pdf, .svg, ... where there are axes), or - for stdout."),
    Option("force", "Replace a file that gpuplot did not write.", is_flag=True),
    Option("pixels", "The pixels alone, without axes, as gpuplot.imsave writes them.", is_flag=True),
    Option("title", "What is written above the picture."),
    Option("terminal", "How the terminal shows pictures: auto, kitty, iterm2, sixel or none."),
    Option("stats", "For info: list names and shapes alone, without reading elements.", is_flag=True),
    Option("traceback", "Show where in the program an error came from.", is_flag=True),
    Option("help", "Show this text.", is_flag=True),
    Option("version", "Show the version.", is_flag=True),
)}


def names_for_info():
    """Names of the options that `gpuplot info` takes."""
    return {"stats", "traceback", "help", "version"}


@functools.cache
def all_options():
    """{name: Option} of everything that may stand on the command line."""
    from ..mpl.imshow import imshow
    from ..picture.imsave import imsave

    options = dict(OWN)
    for function in (imshow, imsave):
        documented = _documented(function)
        for name, parameter in inspect.signature(function).parameters.items():
            if name in _NOT_FROM_A_SHELL or parameter.kind is parameter.VAR_KEYWORD:
                continue
            others = options[name].of if name in options else frozenset()
            options[name] = options[name] if others else _option(parameter, *documented.get(name, ("", "")))
            options[name] = Option(**{**vars(options[name]), "of": others | {function.__name__}})
    return options


def _option(parameter, kind, text):
    """An option for a parameter, which its docstring calls of a kind and explains."""
    annotation = str(parameter.annotation)
    return Option(parameter.name, _first_sentence(text), is_flag="bool" in annotation or re.search(r"\bbool\b", kind) is not None,
                  is_text="Color" in annotation or "Texts" in annotation)


def _documented(function):
    """{parameter: (its kind, its description)} of a docstring in numpydoc's form; nothing where Python left docstrings out."""
    text = inspect.cleandoc(function.__doc__ or "")
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-{3,}$|\Z)", text, flags=re.M | re.S)
    entries = {}
    for entry in re.split(r"^(?=\S)", section.group(1) if section else "", flags=re.M):
        head, _, description = entry.partition("\n")
        names, _, kind = head.partition(" : ")
        for name in names.split(","):
            entries[name.strip()] = kind, " ".join(description.split())
    return entries


def _first_sentence(text):
    """Up to the first point that ends a sentence, without the marks of code."""
    return re.split(r"(?<=[^.])\.(?= |$)", text, maxsplit=1)[0].replace("`", "") + "." if text else ""
