"""The entry point of the command `gpuplot`: runs it, and turns errors into one line on stderr and an exit status."""

import contextlib
import itertools
import logging
import os
import sys
import warnings
from pathlib import Path

from .._version import __version__
from ..errors import ChunkError, DeviceError, reason_of
from ..mpl.drawable_text import drawable
from .address import STDIN, chosen_items, split_address, table_or_item
from .arguments import command_of, read_arguments
from .errors import FileError, UsageError
from .messages import printable_lines

# Exit status after Ctrl-C.
INTERRUPTED = 130

# Errors whose text is for the user; others come with the name of their type.
_TOLD = (UsageError, FileError, ValueError, IndexError, TypeError, ChunkError, DeviceError, MemoryError, OSError)


def main(words=None):
    """Runs the command with the arguments `words`, by default ``sys.argv[1:]``.

    Returns the exit status: 0 for success, 1 for an error, 2 for an invalid command line; with ``--check`` 1 for a difference, 2 for
    an error.
    """
    words = sys.argv[1:] if words is None else words
    _prepare()
    try:
        with _warnings_as_lines(words):
            status = _run(words)
            if sys.stdout is not None:
                sys.stdout.flush()
            return status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader of the output, such as head, has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except UsageError as error:
        return _fail(error, 2, words)
    except Exception as error:
        return _fail(error, 2 if "--check" in words else 1, words)


def _prepare():
    """Lets matplotlib look for no window, and stdout have a "?" where its encoding lacks a letter."""
    if "matplotlib" not in sys.modules:
        os.environ["MPLBACKEND"] = "agg"
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")


@contextlib.contextmanager
def _warnings_as_lines(words):
    """Prints warnings of Python and matplotlib in the form of the command's own messages."""
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # zarr leaves tasks behind where a chunk cannot be read
    log, handler = logging.getLogger("matplotlib"), logging.StreamHandler()
    handler.setFormatter(logging.Formatter("gpuplot: %(message)s"))
    log.addHandler(handler)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *rest, **others: _say(_about_options(str(message), words))
            yield
    finally:
        log.removeHandler(handler)


def _say(text):
    """Prints a message of one line to stderr."""
    print(f"gpuplot: {printable_lines(text)}", file=sys.stderr)


def _fail(error, status, words):
    if "--traceback" in words:
        raise error
    text = _text_of(error)
    if isinstance(error, _TOLD) and not isinstance(error, (UsageError, FileError, OSError)):
        text = _about_options(text, words)
    _say(text)
    return status


def _text_of(error):
    """An error in one line."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, _TOLD):
        return " ".join(str(error).split()) or type(error).__name__
    return f"{type(error).__name__}: {reason_of(error)}; --traceback shows where"


def _about_options(text, words):
    """The text of an error or warning about keywords of a function, as one about options of the command."""
    from .messages import as_options
    from .options import options_of

    return as_options(text, options_of(command_of(words)))


def _run(words):
    """Does what the command line asks for; returns the exit status."""
    request = read_arguments(words)
    if request.own.get("help"):
        from .help import help_text

        print(help_text(request.command))
    elif request.own.get("version"):
        print(f"gpuplot {__version__}")
    elif not request.address:
        from .help import USAGE

        print(USAGE, file=sys.stderr)
        raise UsageError("give a file to draw; gpuplot --help lists all options")
    elif request.command == "info":
        return _info(request)
    elif request.command == "picture":
        _picture(request)
    elif request.command == "compare":
        return _compare(request)
    else:
        _graph(request)
    return 0


def _items(address):
    from .readers.kinds import items_of, items_of_stdin

    file, _, name = address.partition("#")
    if file == STDIN:
        return items_of_stdin(), Path("stdin"), name
    path, name = split_address(address)
    return items_of(path), path, name


def _info(request):
    """Prints the tensors of files, of one that cannot be read the error; returns the exit status."""
    from .json_text import json_text

    told = [_info_of_file(request, address, k) for k, address in enumerate(request.addresses)]
    if request.own.get("json"):
        print(json_text(list(itertools.chain.from_iterable(facts for facts, _ in told))))
    return max(status for _, status in told)


def _info_of_file(request, address, k):
    """Prints the tensors of file `k` of several; returns the facts for JSON, and the exit status.

    A file that cannot be read ends the command only where it is the only one.
    """
    from .info import facts_for_json, print_info

    own, is_one = request.own, len(request.addresses) == 1
    has_json, has_stats = own.get("json"), own.get("stats", True)
    if not is_one and not has_json:
        if k > 0:
            print()
        print(f"{address}:")
    try:
        items, path, name = _items(address)
        if not items:
            raise FileError(f"there are no tensors in {path}")
        chosen = chosen_items(items, path, name)
    except (FileError, OSError) as error:
        if is_one or request.own.get("traceback"):
            raise
        _say(_text_of(error))
        return [{"file": address, "error": _text_of(error)}], 1
    if has_json:
        return facts_for_json(chosen, address, _say, has_stats), 0
    print_info(chosen, _say, has_stats)
    return [], 0


def _compare(request):
    """Compares two tensors, in a picture or a line, or two files of several tensors in a table; returns the exit status."""
    from .commands import check_count
    from .comparison import differs, has_several, print_comparison

    own = request.own
    check_count(request.command, len(request.addresses))
    files = [_items(address) for address in request.addresses]
    if has_several(files) or own.get("json") or (own.get("check") and "output" not in own):
        is_same = print_comparison(files, request.keywords, own, _say)
    else:
        comparison = _draw_graph(request, files)
        _say(comparison)
        is_same = not differs(comparison)
    return 0 if is_same or not own.get("check") else 1


def _picture(request):
    from .drawing import draw
    from .loading import index_by_axis, load
    from .output import format_of
    from .terminal import pixels_across

    own, keywords = request.own, dict(request.keywords)
    items, path, name = _items(request.address)
    item = table_or_item(items, path, name)
    protocol, target = _place_of_picture(own, [path], item.name)
    if "view" in keywords:
        keywords["view"] = _pairs(keywords["view"])
    is_grid = bool(keywords.get("grid"))  # of all images, where a picture needs one plane
    source = load(item, None if is_grid else keywords, _say, in_chunks=not is_grid)
    if source.ndim == 1 and not own.get("pixels"):
        _say(f"a tensor of one axis is one row of colors: gpuplot plot {request.address} draws it as a line")
    keywords["index"] = index_by_axis(source.shape, source.dtype, source.dims, keywords)
    if protocol and "width" not in keywords:
        keywords["width"] = _width(own, pixels_across(sys.stdout))
    picture = draw(source, {name: value for name, value in keywords.items() if value is not None}, is_bare=own.get("pixels", False),
                   texts=_texts(own), name=os.path.basename(path) + (f"#{name}" if name else ""),
                   format="png" if target is None else format_of(target))
    _deliver(picture, protocol, target, own)


def _texts(own):
    """What is written around the Axes, of the options that are given."""
    return {name: drawable(own[name]) for name in ("title", "xlabel", "ylabel") if name in own}


def _graph(request):
    """Draws a graph of tensors from one file or several."""
    from .commands import check_count

    check_count(request.command, len(request.addresses))
    _draw_graph(request, [_items(address) for address in request.addresses])


def _draw_graph(request, files):
    """Draws a graph of files, (items, path, name), and shows or writes it; returns the `Comparison` of `compare`, else None."""
    from .graph_items import by_name, can_be_dates, items_to_draw
    from .graphs import draw_graph
    from .loading import load
    from .options import OF_GRAPHS
    from .output import format_of

    own, is_one_file = request.own, len(files) == 1
    chosen = [items_to_draw(request.command, is_one_file, *file, _say) for file in files]
    items = list(itertools.chain(*chosen))
    paths = [path for (_, path, _), some in zip(files, chosen, strict=True) for _ in some]
    name = items[0].name if len(chosen[0]) == 1 else files[0][2]
    protocol, target = _place_of_picture(own, paths, name, request.command)
    tensors = []
    for k, item in enumerate(items):
        has_dates = item.dates is not None and can_be_dates(request.command, k, len(items), is_one_file)
        tensors.append(item.dates if has_dates else load(item, None, _say))
    picture, comparison = draw_graph(
        request.command, by_name(paths, items, tensors), request.keywords, own={name: own[name] for name in OF_GRAPHS if name in own},
        texts=_texts(own), format="png" if target is None else format_of(target), is_together=is_one_file and len(items) > 1)
    _deliver(picture, protocol, target, own)
    return comparison


def _place_of_picture(own, paths, name, graph=""):
    """(the terminal's protocol to show the picture, or None; the file to write), which must not be an input file."""
    from .output import check_target, default_target
    from .terminal import protocol_of

    protocol = None if "output" in own else protocol_of(own.get("terminal", "auto"), sys.stdout)
    target = None if protocol else own["output"] if "output" in own else default_target(paths[0], name, graph)
    if target is not None:
        check_target(target, paths, own.get("force", False))
    return protocol, target


def _deliver(picture, protocol, target, own):
    """Shows a picture in the terminal, or writes it to a file and prints its name if the user did not give it."""
    from .output import write
    from .terminal import encode

    if protocol:
        sys.stdout.write(encode(protocol, picture))
        return
    write(target, picture)
    if "output" not in own:
        print(target)


def _width(own, across):
    """Width of a picture in a terminal, in pixels: at most the terminal's, and of bare pixels at most a screen's."""
    usual = 1000 if "shape" not in own else None
    return usual if across is None or usual is None else min(usual, across)


def _pairs(view):
    """((row0, row1), (col0, col1)) from the value of --view, two slices or four numbers."""
    pairs = ()
    if isinstance(view, tuple) and len(view) == 4 and all(type(part) is int for part in view):
        pairs = view[:2], view[2:]
    elif isinstance(view, tuple) and len(view) == 2 and all(isinstance(part, slice) and part.step is None for part in view):
        pairs = tuple((part.start, part.stop) for part in view)
    if not pairs or any(None in pair for pair in pairs):
        raise UsageError("--view: give rows and columns in elements, such as --view 100:200,0:50")
    if any(first == last for first, last in pairs):
        raise UsageError("--view: rows, and columns, begin and end at different elements, such as --view 100:200,0:50")
    return pairs
