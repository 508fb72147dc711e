"""Pixels -> a PNG file: encoded in memory, then moved into place in one step."""

import errno
import io
import os
import secrets
import stat
from collections.abc import Mapping
from numbers import Real

import numpy as np

from .. import _native
from .._version import __version__


def write_png(fname, rgba, dpi=None, metadata=None):
    """Writes pixels, (H, W, 4) of uint8 with straight alpha, to a PNG file: a palette up to 256 colors, else RGB, else RGBA.

    A regular file is replaced in one step once the new one is complete on the disk, so whatever goes wrong, the old file stays
    whole. It keeps its mode; a new file gets the umask's. Symbolic links are followed. Into anything else (a device, a pipe,
    ``/dev/stdout``) the bytes are written directly; a file object is left open. `dpi` is recorded in whole dots per meter.
    `metadata` are text chunks, None leaves a key out; ``Software`` is added. OSError names `fname`.
    """
    check_png(fname, dpi, metadata)
    data = _encode(_check_pixels(rgba), _dots_per_inch(dpi), _texts(metadata))
    if _is_path(fname):
        write_to_path(os.fspath(fname), data)
    else:
        _write_to_object(fname, data)


def check_png(fname, dpi=None, metadata=None):
    """Raises the errors of `write_png` about these arguments, before pixels are made."""
    if not _is_path(fname):
        _check_file_object(fname)
    _dots_per_inch(dpi)
    _texts(metadata)


def _is_path(fname):
    return isinstance(fname, (str, bytes, os.PathLike))


def _check_file_object(file):
    if not callable(getattr(file, "write", None)):
        raise TypeError(f"a PNG goes to a file name or a binary file object, not to {type(file).__name__}")
    if isinstance(file, io.TextIOBase):
        raise TypeError("a PNG goes to a binary file and this one is open for text: open it with mode 'wb'")
    if isinstance(file, io.IOBase) and not file.closed and not file.writable():
        raise TypeError("a PNG is written and this file is open for reading alone: open it with mode 'wb'")


def _check_pixels(rgba):
    if not isinstance(rgba, np.ndarray) or rgba.dtype != np.uint8:
        raise TypeError("pixels are an ndarray of uint8")
    if rgba.ndim != 3 or rgba.shape[2] != 4:
        raise ValueError(f"pixels have shape (H, W, 4), not {rgba.shape}")
    if rgba.size == 0:
        raise ValueError(f"a picture of {rgba.shape[0]} x {rgba.shape[1]} pixels cannot be a PNG; "
                         "both sides must be at least 1")
    return rgba


def _dots_per_inch(dpi):
    if dpi is None:
        return 0.0
    if not isinstance(dpi, (Real, np.number)) or isinstance(dpi, (bool, np.bool_, np.timedelta64)):
        raise TypeError(f"dpi must be a number or None, not {type(dpi).__name__}")
    if not 0.02 <= dpi <= 5e7:  # the range of whole dots per meter in 31 bits
        raise ValueError(f"dpi={dpi!r} is not between 0.02 and 5e7")
    return float(dpi)


def _texts(metadata):
    """The (key, value) pairs to write."""
    if metadata is None:
        metadata = {}
    if not isinstance(metadata, Mapping):
        raise TypeError(f"metadata is a dict of str to str, not {type(metadata).__name__}")
    texts = []
    for key, value in {"Software": f"gpuplot version {__version__}", **metadata}.items():
        if not isinstance(key, str):
            raise TypeError(f"metadata key {key!r} is not a str")
        if value is None:
            continue
        if not isinstance(value, str):
            raise TypeError(f"metadata[{key!r}] is {type(value).__name__}, not str; convert it with str()")
        _check_text(key, value)
        texts.append((key, value))
    return texts


def _check_text(key, value):
    is_printable = all(32 <= ord(char) < 127 or 160 < ord(char) < 256 for char in key)
    if not 1 <= len(key) <= 79 or not is_printable or key != key.strip(" ") or "  " in key:
        raise ValueError(f"metadata key {key!r} is none that PNG allows: 1 to 79 printable Latin-1 characters, "
                         "spaces single and only inside")
    if "\0" in value or any(0xD800 <= ord(char) < 0xE000 for char in value):
        raise ValueError(f"metadata[{key!r}] contains a NUL or half a surrogate pair, which PNG cannot store")


def _encode(rgba, dots_per_inch, texts):
    if _native.build_info().get("png") not in (None, "", "off"):
        return _native.png_encode(rgba, dots_per_inch, texts)
    return _encode_by_pillow(rgba, dots_per_inch, texts)


def _encode_by_pillow(rgba, dots_per_inch, texts):
    """The encoder of builds without libpng: the same pixels, but slower and in larger files."""
    from PIL import Image, PngImagePlugin

    if (rgba[..., 3] == 255).all():
        rgba = rgba[..., :3]
    chunks = PngImagePlugin.PngInfo()
    for key, value in texts:
        chunks.add_text(key, value)
    file = io.BytesIO()
    # Level 1 with zlib's Z_RLE (3), as in the native encoder.
    Image.fromarray(np.ascontiguousarray(rgba)).save(
        file, "PNG", pnginfo=chunks, compress_level=1, compress_type=3,
        **({"dpi": (dots_per_inch, dots_per_inch)} if dots_per_inch else {}))
    return file.getvalue()


def _write_to_object(file, data):
    rest = data
    while rest:
        n_bytes = file.write(rest)
        if n_bytes is None:
            if isinstance(file, io.RawIOBase):  # here None means "would block"; other objects may return nothing
                raise BlockingIOError(errno.EAGAIN, "the file object does not take all of the PNG now")
            return
        if n_bytes <= 0:
            raise OSError(errno.EIO, "the file object took only a part of the PNG")
        rest = rest[n_bytes:]


def write_to_path(name, data):
    """Writes bytes to a file, whole or not at all; see `write_png`. OSError names the file."""
    try:
        _check_name(name)
        try:
            old = os.stat(name)
        except FileNotFoundError:
            old = None
        if old is not None and stat.S_ISDIR(old.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if (old is not None and not stat.S_ISREG(old.st_mode)) or _is_descriptor(name):
            with open(name, "wb") as file:
                file.write(data)
        else:
            _replace(os.path.realpath(name), old, data)
    except OSError as error:
        if error.errno is None:
            raise
        # The error names the caller's file, not the temporary one.
        raise OSError(error.errno, os.strerror(error.errno), name) from error


def _check_name(name):
    if not os.path.basename(name):
        code = errno.EISDIR if name else errno.ENOENT
        raise OSError(code, os.strerror(code))


def _is_descriptor(name):
    """Whether a name is an open file such as ``/dev/stdout``: redirected to a regular file, it must not be replaced."""
    path = os.path.abspath(os.fsdecode(name))
    for _ in range(40):  # the kernel follows as many links
        if path in ("/dev/stdout", "/dev/stderr") or path.startswith(("/dev/fd/", "/proc/")):
            return True
        if not os.path.islink(path):
            return False
        path = os.path.abspath(os.path.join(os.path.dirname(path), os.readlink(path)))
    return False


def _replace(target, old, data):
    """Replaces a file by one with these bytes in one step; `old` is the stat of the present one, or None."""
    if old is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    folder = os.path.dirname(target)
    temporary = f".{secrets.token_hex(8)}.tmp"  # without the name, which may have the greatest length already
    temporary = os.path.join(folder, temporary if isinstance(folder, str) else os.fsencode(temporary))
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666 if old is None else 0o600)
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if old is not None:
                _take_over(descriptor, old)
            os.fsync(descriptor)
        os.replace(temporary, target)
    except FileExistsError:  # not our file, so it is not removed
        raise
    except BaseException:  # including Ctrl-C
        try:
            os.unlink(temporary)
        except OSError:
            pass
        raise


def _take_over(descriptor, old):
    """Gives an open file the mode and, if permitted, the owner of the file that it replaces."""
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.fchown(descriptor, old.st_uid, old.st_gid)
        except PermissionError:
            pass
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
