"""`.png`, `.tif` and other pictures, read by Pillow; TIFF files by tifffile where that is installed."""

import math

import numpy as np

from ...errors import reason_of
from ...notices import warn
from ..errors import FileError
from .item import Item, needs_library

# The dtype of gray pictures by Pillow's mode; those of 16 bits have several modes.
_GRAY = {"1": "uint8", "L": "uint8", "I": "int32", "F": "float32"}


def items_of_image(path):
    """The one picture of a file."""
    from PIL import Image, UnidentifiedImageError

    limit, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None  # large pictures are expected, and the user named the file
    try:
        image = Image.open(path)
    except FileNotFoundError:
        raise
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
        raise FileError(f"{path} is not a picture that Pillow can read: {reason_of(error)}") from error
    finally:
        Image.MAX_IMAGE_PIXELS = limit
    n_pictures = getattr(image, "n_frames", 1)
    if n_pictures > 1 and image.format == "TIFF":
        raise FileError(f"{path} has {n_pictures} pages, of which Pillow reads one: to read all, pip install tifffile")
    if n_pictures > 1:  # an animation, or what a camera adds to a photograph
        warn(f"{path} has {n_pictures} pictures: this is the first")
    shape, dtype = _form_of(image)
    return [Item("", shape, dtype.name, lambda box: _loaded(image, path), read_bytes=math.prod(shape) * dtype.itemsize, note="a picture")]


def _form_of(image):
    """The shape and dtype of what `_loaded` gives, as it is read: palettes, inks and others become colors with opacity."""
    if image.mode in _GRAY or image.mode.startswith("I;16"):
        return (image.height, image.width), np.dtype(_GRAY.get(image.mode, "uint16"))
    n_channels = 3 if image.mode == "RGB" else 4
    return (image.height, image.width, n_channels), np.dtype("uint8")


def _loaded(image, path):
    try:
        image.load()
    except (OSError, SyntaxError, ValueError) as error:
        raise FileError(f"{path} is cut off or damaged: {reason_of(error)}") from error
    if image.mode == "1":  # of one bit, which Pillow would give as colors
        return image.convert("L")
    return np.array(image) if image.mode in ("I", "F") else image  # of 32 bits, which it would cut to the 8 of colors


def items_of_tiff(path):
    """The series of a TIFF file, each an array of all its pages, mapped where it is neither compressed nor tiled."""
    try:
        import tifffile
    except ImportError as error:
        try:
            return items_of_image(path)
        except FileError as unread:
            raise needs_library("this kind of TIFF", "tifffile", error) from unread
    try:
        with tifffile.TiffFile(path) as file:
            series = [(one.shape, np.dtype(one.dtype), one.dataoffset, file.byteorder) for one in file.series]
    except (OSError, MemoryError):
        raise
    except Exception as error:  # of damaged headers tifffile raises anything, such as a ZeroDivisionError
        raise FileError(f"{path} is not a TIFF file: {reason_of(error)}") from error
    names = [""] if len(series) == 1 else [f"series{number}" for number in range(len(series))]
    return [_series_item(path, name, number, *facts) for number, (name, facts) in enumerate(zip(names, series, strict=True))]


def _series_item(path, name, number, shape, dtype, offset, byteorder):
    if offset is not None and math.prod(shape):
        return Item(name, shape, dtype.name, lambda box: np.memmap(path, dtype.newbyteorder(byteorder), "r", offset, shape))
    return Item(name, shape, dtype.name, lambda box: _read_series(path, number), read_bytes=math.prod(shape) * dtype.itemsize,
                note="compressed, or tiled")


def _read_series(path, number):
    import tifffile

    try:
        return tifffile.imread(path, series=number)
    except (ValueError, tifffile.TiffFileError) as error:
        raise FileError(f"{path} cannot be read: {reason_of(error)}") from error
