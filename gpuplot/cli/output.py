"""Writes a picture to a file (never over one that gpuplot did not write), to stdout, or to the terminal."""

import os
import re
import sys
import zlib
from pathlib import Path

from ..picture.png import write_to_path
from .drawing import MARK
from .errors import FileError, UsageError

# How files of the formats begin that `drawing.save` marks as gpuplot's.
_BEGINNINGS = (b"\x89PNG\r\n\x1a\n", b"%PDF-", b"%!PS", b"<?xml", b"\xff\xd8\xff", b"RIFF", b"II*\0", b"MM\0*", b"GIF8")
_GZIP, _AVIF = b"\x1f\x8b", b"ftypavi"  # of .svgz; behind a length
# The mark is at the beginning of a file, or at its end: only so many bytes of each are searched.
_SEARCHED_BYTES = 2**16


def default_target(path, name, graph=""):
    """The default name, in the current folder, for a picture or graph of a tensor."""
    parts = [path.name.removesuffix(path.suffix)] + [re.sub(r"[^\w.+-]+", "_", part) for part in (name, graph) if part]
    return Path("-".join(parts) + ".png")


def format_of(target):
    """The format from the suffix of a file's name; "png" for stdout."""
    if target == "-":
        return "png"
    if not os.fspath(target):
        raise UsageError("--output: give the name of a file, or leave it out")
    suffix = Path(target).suffix.lower().removeprefix(".")
    if os.fspath(target).endswith(os.sep) or os.path.isdir(target):
        raise UsageError(f"--output {target} is a folder: give the name of a file in it, such as {os.path.join(target, 'picture.png')}")
    if not suffix and os.fspath(target).startswith("/dev/"):
        raise UsageError(f"--output {target}: give a name that ends in a format, or - for stdout")
    if not suffix:
        raise UsageError(f"--output {target}: end the name with a format, such as {target}.png")
    if suffix == "pgf":
        raise UsageError(f"--output {target}: pgf has its pictures in files of their own: write {Path(target).with_suffix('.pdf')}, which "
                         "LaTeX includes, too")
    return suffix


def check_target(target, sources, is_forced):
    """Refuses to replace a file that is read (one of `sources`), and unless `is_forced` one that gpuplot did not write."""
    if target == "-":
        if sys.stdout is None:
            raise UsageError("--output - writes the bytes of a picture to stdout, which is closed: give the name of a file")
        if sys.stdout.isatty():
            raise UsageError("--output - writes the bytes of a picture, but stdout is a terminal: redirect it, or give the name of a file")
        return
    target = Path(target)
    if not target.parent.is_dir():
        raise FileError(f"there is no folder {target.parent}: make it first, or give another name with -o")
    if not target.exists():
        return
    if any(source.exists() and os.path.samefile(target, source) for source in sources):
        raise FileError(f"{target} is the input file: give another name, with -o")
    if target.is_file() and not is_forced and not is_ours(target):
        raise FileError(f"{target} exists and was not written by gpuplot: give another name with -o, or --force to replace it")


def is_ours(target):
    """Whether a file is a picture with gpuplot's metadata."""
    with open(target, "rb") as file:
        head = file.read(_SEARCHED_BYTES)
        file.seek(max(0, os.path.getsize(target) - _SEARCHED_BYTES))
        tail = file.read()
    if head.startswith(_GZIP):
        return MARK.encode() in _decompressed(head)
    return (head.startswith(_BEGINNINGS) or head[4:].startswith(_AVIF)) and MARK.encode() in head + tail


def _decompressed(head):
    """What the first bytes of a file of gzip hold; nothing of a damaged one."""
    try:
        return zlib.decompressobj(wbits=16 + zlib.MAX_WBITS).decompress(head, _SEARCHED_BYTES)
    except zlib.error:
        return b""


def write(target, data):
    """Writes a picture atomically: whole or not at all."""
    if target == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        write_to_path(os.fspath(target), data)
