"""The options of the command: those of its own, and the keywords of gpuplot's functions, taken from signatures and docstrings."""

from __future__ import annotations

import functools
import inspect
import re
from dataclasses import dataclass, replace

from .commands import GRAPHS, function_of

# Parameters that take objects of a program, or that the command sets itself.
_NOT_FROM_A_SHELL = {"X", "fname", "ax", "blocking", "client", "collective", "colorizer", "data", "format", "progress", "resample",
                     "stream", "wait"}

# In graphs the tensors are positional arguments: `plot` has an option --x (the axis of a series), `scatter` has none.
_TENSORS = {"hist": {"weights"}, "hist2d": {"x", "y", "weights"}, "scatter": {"x", "y", "c"}}


@dataclass(frozen=True)
class Option:
    """One option of the command line."""

    name: str  # the keyword; ``nan_color`` is written ``--nan-color``
    summary: str  # one sentence for the help
    is_flag: bool = False  # may stand alone, which means True; a value needs ``=``, and ``--no-NAME`` is False
    is_text: bool = True  # keep the value as text
    is_label: bool = False  # what the user calls things: texts alone, with commas between them
    of: frozenset = frozenset()  # the functions that take it; empty for the command's own options

    @property
    def written(self):
        """The option as the user types it."""
        return f"--{self.name.replace('_', '-')}"


OWN = {option.name: option for option in (
    Option("output", "Where the picture goes: a name that ends in .png (or .pdf, .svg, ... where there are axes), or - for stdout."),
    Option("force", "Replace a file that gpuplot did not write.", is_flag=True),
    Option("pixels", "The pixels alone, without axes, as gpuplot.imsave writes them.", is_flag=True),
    Option("title", "What is written above the picture."),
    Option("xlabel", "What is written below the axis of x."),
    Option("ylabel", "What is written beside the axis of y."),
    Option("terminal", "How the terminal shows pictures: auto, kitty, iterm2, sixel or none."),
    Option("stats", "For info: list names and shapes alone, without reading elements.", is_flag=True),
    Option("json", "For info and compare: the numbers as JSON, where NaN and infinities are null.", is_flag=True),
    Option("check", "For compare: no picture without --output; the exit status is 1 where elements differ by more than rtol and atol, or "
           "a tensor is in one file alone, and 2 for errors.", is_flag=True),
    Option("traceback", "Show where in the program an error came from.", is_flag=True),
    Option("help", "Show this text.", is_flag=True),
    Option("version", "Show the version.", is_flag=True),
)}


# Options of graphs that are no keywords of their functions; those of the second group are of graphs that are drawn into Axes.
_OF_FIGURES = {option.name: option for option in (
    Option("width", "Of the picture in pixels; 1000 by default, of grid and compare as many as their images need.", is_text=False),
    Option("dpi", "Pixels to an inch, which make letters larger or smaller; 100 by default.", is_text=False),
)}
_OF_AXES = {option.name: option for option in (
    Option("xlim", "The smallest and the largest x: 0,100, or 2026-03-01,2026-04-01.", is_text=False),
    Option("ylim", "The smallest and the largest y.", is_text=False),
    Option("xscale", "The scale of x, such as log or symlog."),
    Option("yscale", "The scale of y."),
)}
OF_GRAPHS = _OF_FIGURES | _OF_AXES

# Properties of matplotlib's lines, bars and markers, which functions take without naming them; `Graph.properties` has those of each graph.
PROPERTIES = {option.name: option for option in (
    Option("alpha", "Opacity, 0 to 1.", is_text=False),
    Option("color", "Of all lines, bars or points; of several histograms one each: red,blue."),
    Option("drawstyle", "How samples are joined: default, steps-pre, steps-mid or steps-post."),
    Option("edgecolor", "Of outlines."),
    Option("hatch", "A pattern in bars, such as / or x."),
    Option("label", "What the legend says; of several lines or histograms one text each: a,b.", is_label=True),
    Option("linestyle", "solid, dashed, dotted, dashdot or none."),
    Option("linewidth", "Of lines and outlines, in points.", is_text=False),
    Option("marker", "What stands at each sample or point: o, x, s, ^, ..., as matplotlib writes it."),
    Option("markersize", "In points.", is_text=False),
)}
_LABELS = {"xlabel", "ylabel"}

# What descriptions have of keywords that `imshow` explains.
_ELSEWHERE = "see `imshow`."
_NAMES_OF_GRAPHS = {"output", "force", "title", "terminal", "traceback", "help", "version"}
_NAMES_FOR_INFO = {"stats", "json", "traceback", "help", "version"}


def options_of(command):
    """{name: Option} of a command: "picture", "info", or a graph."""
    if command == "picture":
        return all_options()
    if command == "info":
        return {name: OWN[name] for name in OWN if name in _NAMES_FOR_INFO}
    return _options_of_graph(command)


@functools.cache
def _options_of_graph(command):
    graph = GRAPHS[command]
    names = _NAMES_OF_GRAPHS | _LABELS if graph.has_axes else _NAMES_OF_GRAPHS
    own = {name: OWN[name] for name in OWN if name in names.union(graph.own)} | (OF_GRAPHS if graph.has_axes else _OF_FIGURES)
    keywords = _keywords(function_of(command), own.keys() | _TENSORS.get(command, set()))
    keywords |= {name: PROPERTIES[name] for name in graph.properties}
    # Keywords that a function shares with `imshow` are documented there.
    return own | {name: option if option.summary else all_options().get(name, option) for name, option in keywords.items()}


@functools.cache
def all_options():
    """{name: Option} of all options of a picture."""
    from ..mpl.imshow import imshow
    from ..picture.imsave import imsave

    options = dict(OWN)
    for function in (imshow, imsave):
        for name, option in _keywords(function).items():
            if name in options and options[name].of:  # else the keyword replaces an option of the command's own
                option = options[name]
            options[name] = replace(option, of=option.of | {function.__name__})
    return options


def _keywords(function, left_out=()):
    """{name: Option} for the keywords of a function."""
    documented = _documented(function)
    return {name: _option(parameter, *documented.get(name, ("", "")))
            for name, parameter in inspect.signature(function).parameters.items()
            if name not in _NOT_FROM_A_SHELL and name not in left_out
            and parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD)}


def _option(parameter, kind, text):
    """The option for a parameter, from its type and its description in the docstring."""
    annotation = str(parameter.annotation)
    is_flag = isinstance(parameter.default, bool) or "bool" in annotation or re.search(r"\bbool\b", kind) is not None
    summary = " ".join(part for part in (_first_sentence(text), _choices(kind)) if part)
    return Option(parameter.name, summary, is_flag=is_flag, is_text="Color" in annotation or "Texts" in annotation)


def _choices(kind):
    """A sentence about the values that a parameter may have, where its documented type lists several."""
    values = re.match(r"\{(.*?)\}", kind)
    names = [] if values is None else values.group(1).replace('"', "").split(", ")
    return f"One of {', '.join(names)}." if len(names) > 1 else ""


def _documented(function):
    """{parameter: (its type, its description)} from a numpydoc docstring; empty where Python runs without docstrings (-OO).

    A description that is elsewhere is "".
    """
    text = inspect.cleandoc(function.__doc__ or "")
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-{3,}$|\Z)", text, flags=re.M | re.S)
    entries = {}
    for entry in re.split(r"^(?=\S)", section.group(1) if section else "", flags=re.M):
        head, _, description = entry.partition("\n")
        names, _, kind = head.partition(" : ")
        text = " ".join(description.split())
        for name in names.split(","):
            entries[name.strip()] = kind, "" if _ELSEWHERE in text else text
    return entries


def _first_sentence(text):
    """The first sentence of a text, without backquotes, and of links their words alone."""
    text = re.sub(r"`([^`<]*?) <[^>]*>`__?", r"\1", text)
    return re.split(r"(?<=[^.])\.(?= |$)", text, maxsplit=1)[0].replace("`", "") + "." if text else ""
