"""The arguments of the command line -> a file, and options with their values."""

from __future__ import annotations

import difflib
import itertools
import os
from dataclasses import dataclass, field

from .address import STDIN
from .commands import GRAPHS
from .errors import UsageError
from .options import OF_GRAPHS, OWN, all_options, options_of
from .values import labels_of, value_of

# Widths and dots per inch are smaller.
MAX_NUMBER = 1_000_000

# Words for `info` in other programs.
_MEANS_INFO = ("stats", "list", "ls", "describe", "summary", "inspect")
# Words for drawing a picture, which needs none.
_NO_COMMANDS = ("imsave", "show", "draw", "view", "picture")

_SHORT = {"-o": "--output", "-h": "--help", "-f": "--force", "-V": "--version"}


@dataclass
class Request:
    """What a command line asks for."""

    command: str  # "picture", "info", or one of `GRAPHS`
    addresses: list[str]  # ``FILE`` or ``FILE#name``, one for a picture
    own: dict = field(default_factory=dict)  # the command's own options
    keywords: dict = field(default_factory=dict)  # keywords of gpuplot's functions

    @property
    def address(self):
        """The first address; empty where none was given."""
        return self.addresses[0] if self.addresses else ""


def read_arguments(words):
    """Reads a command line.

    Parameters
    ----------
    words : list of str
        The command line without the name of the program.

    Returns
    -------
    Request

    Raises
    ------
    UsageError
        An option that does not exist, a value that is missing, more than one file.

    Examples
    --------
    >>> request = read_arguments(["a.npy", "--robust", "--index", "time=3", "--nan-color=red", "-o", "a.png"])
    >>> request.address, request.own, request.keywords
    ('a.npy', {'output': 'a.png'}, {'robust': True, 'index': {'time': 3}, 'nan_color': 'red'})
    """
    command = command_of(words)
    addresses, given = _split(words if command == "picture" else words[1:], command)
    if len(addresses) > 1 and addresses[0] == "imshow" and command == "picture" and not os.path.exists("imshow"):
        del addresses[0]  # the function of a picture, where others are commands
    if len(addresses) > 1 and command == "picture":
        _check_command(addresses[0])
        raise UsageError(f"give one file, not {len(addresses)}: {', '.join(addresses)}; if one is the value of an option that may stand "
                         "alone, write it with an equals sign, such as --robust=1")
    request = Request(command, addresses)
    is_own = OWN | OF_GRAPHS if command in GRAPHS else OWN
    for name, value in given:
        values = request.own if name in is_own else request.keywords
        values[name] = _joined(values[name], value) if name == "index" and name in values else value
    _check_together(request)
    return request


def command_of(words):
    """The command that a command line begins with; "picture" where it begins with anything else."""
    return words[0] if words and words[0] in ("info", *GRAPHS) else "picture"


def _check_command(word):
    """UsageError for a first word that looks like a command, misspelled or of another name, and not like a file."""
    if "." in word or os.path.exists(word):
        return
    if word in _NO_COMMANDS:
        raise UsageError(f"there is no command {word}: a picture is drawn by gpuplot FILE alone")
    nearest = ["info"] if word in _MEANS_INFO else difflib.get_close_matches(word, ("info", *GRAPHS), 1)
    if nearest:
        raise UsageError(f"there is no command {word}: did you mean {nearest[0]}?")


def _split(words, command):
    """The files, and the (name, value) pairs of options, in order."""
    addresses, given, rest = [], [], list(words)
    while rest:
        _check_apart(words[:len(words) - len(rest)], rest, command)
        word = rest.pop(0)
        if word == "--":
            return addresses + rest, given
        if word.startswith("-o") and not word.startswith("-o=") and len(word) > 2:
            rest.insert(0, word[2:])  # -oFILE
            word = "-o"
        word = _SHORT.get(word, word)
        if word.startswith("--"):
            given.append(_option_of(word, rest, command))
        elif word.startswith("-") and word.partition("#")[0] != STDIN:
            raise UsageError(_about_unknown(word, command))
        else:
            addresses.append(word)
    return addresses, given


def _check_apart(before, rest, command):
    """UsageError for numbers or slices after the one that is the value of an option: --range -1 1."""
    def is_part(word):
        return _is_numbers(word, (int, float, slice))
    more = list(itertools.takewhile(is_part, rest))
    if len(before) < 2 or not more or not is_part(before[-1]):
        return
    name = before[-2].removeprefix("--").replace("-", "_")
    if before[-2].startswith("--") and name in options_of(command) and name not in OWN:
        raise UsageError(f"there is no file {more[0]}: numbers of one option are one word, {before[-2]}={','.join([before[-1], *more])}")


def _option_of(word, rest, command):
    """(name, value) of an option; its value may be the next word in `rest`, which is then removed."""
    written, equals, text = word.partition("=")
    name = written[2:].replace("-", "_")
    options = options_of(command)
    negated = name.removeprefix("no_")
    if name not in options and negated in options and options[negated].is_flag and not equals:
        name, equals, text = negated, "=", "false"
    if name not in options:
        raise UsageError(_about_unknown(written, command))
    option = options[name]
    if option.is_flag:
        if not equals and name not in OWN and rest and _is_numbers(rest[0]):
            return name, value_of(rest.pop(0))
        return name, value_of(text) if equals else True
    if not equals:
        if not rest or (rest[0].startswith("-") and rest[0] != "-" and not _is_numbers(rest[0])):
            raise UsageError(f"{written} needs a value: {option.summary}")
        text = rest.pop(0)
    if name in OWN:
        return name, text
    return name, labels_of(text) if option.is_label else value_of(text, option.is_text)


def _is_numbers(word, kinds=(int, float)):
    """Whether a word is a number, or numbers with commas, and no file."""
    values = value_of(word)
    return all(type(value) in kinds for value in (values if isinstance(values, tuple) else (values,))) and not os.path.exists(word)


def _about_unknown(written, command):
    """Error text for an option that does not exist, with a similar one if there is any."""
    if command == "info":
        return f"info has no option {written}: it takes files, --no-stats and --json"
    names = {option.written: option for option in options_of(command).values()}
    spelled = written.lower().replace("_", "-").replace("colour", "color")
    nearest = difflib.get_close_matches(spelled if spelled.startswith("--") else f"-{spelled}", names, 1, 0.7)
    of = f"{command} " if command in GRAPHS else ""
    return f"there is no option {written}" + (f": did you mean {nearest[0]}?" if nearest else f"; gpuplot {of}--help lists them")


def _joined(first, second):
    """Merges two values of --index."""
    if isinstance(first, dict) and isinstance(second, dict):
        return first | second
    if isinstance(first, dict) or isinstance(second, dict):
        raise UsageError("--index: name every axis, such as --index 0=3 --index head=2, or none, such as --index 3,2")
    return _as_tuple(first) + _as_tuple(second)


def _as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


def _check_together(request):
    """UsageError for options of `imsave` in a picture with axes, and of `imshow` in one without."""
    is_bare = request.own.get("pixels", False)
    if request.command == "picture" and "json" in request.own:
        raise UsageError("--json is for numbers, and this draws a picture: gpuplot info FILE --json")
    if request.command == "picture" and "check" in request.own:
        raise UsageError("--check is for two files: gpuplot compare A B --check")
    for name, value in (request.own | request.keywords).items():
        if name in ("width", "dpi") and not (type(value) in (int, float) and 0 < value < MAX_NUMBER):
            raise UsageError(f"--{name} {value}: give a number above 0 and below {MAX_NUMBER}")
    if not isinstance(request.keywords.get("metadata", {}), dict):
        raise UsageError("--metadata: give names and texts without commas, such as --metadata Title=loss,Author=me")
    for name in request.keywords if request.command == "picture" else ():
        of = all_options()[name].of
        if is_bare and "imsave" not in of:
            raise UsageError(f"{all_options()[name].written} needs axes, but --pixels draws none: leave one of them out")
        if not is_bare and name == "shape":
            raise UsageError("--shape needs --pixels: add that, or give --width, the width of the figure in pixels")
        if not is_bare and name == "grid":
            raise UsageError("--grid needs --pixels: add that, or use the command gpuplot grid FILE")
    for name in ("title", "xlabel", "ylabel"):
        if is_bare and name in request.own:
            raise UsageError(f"--{name} needs axes, but --pixels draws none: leave one of them out")
