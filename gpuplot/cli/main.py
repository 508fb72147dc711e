"""The command `gpuplot`: reads its arguments, does what they say, and turns errors into one line and an exit status."""

import contextlib
import logging
import os
import sys
import warnings

from .._version import __version__
from ..errors import DeviceError, UnsupportedError, reason_of
from .address import chosen_items, one_item, split_address
from .arguments import read_arguments
from .errors import FileError, UsageError

# Of a program that was stopped by Ctrl-C.
INTERRUPTED = 130


def main(words=None):
    """Runs the command with some words, by default those that the program was called with.

    Returns 0, or 1 where something went wrong, or 2 where the command line makes no sense.
    """
    words = sys.argv[1:] if words is None else words
    try:
        with _warnings_as_lines():
            _run(words)
            sys.stdout.flush()
            return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever read this, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except UsageError as error:
        return _fail(error, 2, words)
    except Exception as error:
        return _fail(error, 1, words)


@contextlib.contextmanager
def _warnings_as_lines():
    """What Python and matplotlib warn of is said as the command says everything."""
    log, handler = logging.getLogger("matplotlib"), logging.StreamHandler()
    handler.setFormatter(logging.Formatter("gpuplot: %(message)s"))
    log.addHandler(handler)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *rest, **others: _say(str(message))
            yield
    finally:
        log.removeHandler(handler)


def _say(text):
    """One line for people."""
    print(f"gpuplot: {text}", file=sys.stderr)


def _fail(error, status, words):
    if "--traceback" in words:
        raise error
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        text = f"{error.filename}: {error.strerror}"
    elif isinstance(error, (UsageError, FileError, ValueError, IndexError, TypeError, UnsupportedError, DeviceError, MemoryError, OSError)):
        text = " ".join(str(error).split()) or type(error).__name__
    else:
        text = f"{type(error).__name__}: {reason_of(error)}; --traceback shows where"
    _say(text)
    return status


def _run(words):
    request = read_arguments(words)
    if request.own.get("help"):
        from .help import help_text

        print(help_text())
    elif request.own.get("version"):
        print(f"gpuplot {__version__}")
    elif not request.address:
        from .help import USAGE

        print(USAGE, file=sys.stderr)
        raise UsageError("which file? gpuplot --help lists everything")
    elif request.command == "info":
        _info(request)
    else:
        _picture(request)


def _items(request):
    from .readers.kinds import items_of

    path, name = split_address(request.address)
    return items_of(path), path, name


def _info(request):
    from .info import print_info

    items, path, name = _items(request)
    if not items:
        raise FileError(f"there are no tensors in {path}")
    print_info(chosen_items(items, path, name), _say, request.own.get("stats", True))


def _picture(request):
    from .drawing import draw
    from .loading import index_by_axis, load
    from .output import check_target, default_target, format_of, write
    from .terminal import encode, pixels_across, protocol_of

    own, keywords = request.own, dict(request.keywords)
    items, path, name = _items(request)
    item = one_item(items, path, name)
    protocol = None if "output" in own else protocol_of(own.get("terminal", "auto"), sys.stdout)
    target = None if protocol else own.get("output") or default_target(path, item.name)
    if target is not None:
        check_target(target, path, own.get("force", False))
    if "view" in keywords:
        keywords["view"] = _pairs(keywords["view"])
    source = load(item, keywords, _say)
    keywords["index"] = index_by_axis(source.shape, source.dtype, source.dims, keywords)
    if protocol and "width" not in keywords:
        keywords["width"] = _width(own, source, pixels_across(sys.stdout))
    picture = draw(source, {name: value for name, value in keywords.items() if value is not None}, is_bare=own.get("pixels", False),
                   title=own.get("title"), format="png" if target is None else format_of(target))
    if protocol:
        sys.stdout.write(encode(protocol, picture))
    else:
        write(target, picture)
        if "output" not in own:
            print(target)


def _width(own, source, across):
    """Pixels of a picture in a terminal: no more than it has, and of bare pixels no more than a screen has."""
    usual = 1000 if "shape" not in own else None
    return usual if across is None or usual is None else min(usual, across)


def _pairs(view):
    """((row0, row1), (col0, col1)) of what stands behind --view."""
    if isinstance(view, tuple) and len(view) == 2 and all(isinstance(part, slice) for part in view):
        pairs = tuple((part.start, part.stop) for part in view)
        if all(None not in pair for pair in pairs):
            return pairs
    raise UsageError("--view is rows and columns in elements, such as --view 100:200,0:50")
