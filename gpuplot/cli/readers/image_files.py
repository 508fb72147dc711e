"""`.png`, `.tif` and other pictures, read by Pillow; TIFF files by tifffile where that is installed."""

import math

import numpy as np

from ...errors import reason_of
from ..errors import FileError
from .item import Item, needs_library


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
    if getattr(image, "n_frames", 1) > 1:
        raise FileError(f"{path} has {image.n_frames} pages, of which Pillow reads one: to read all, pip install tifffile")
    shape = (image.height, image.width) + ((len(image.getbands()),) if len(image.getbands()) > 1 else ())
    return [Item("", shape, f"Pillow's {image.mode}", lambda box: _loaded(image, path), read_bytes=math.prod(shape), note="a picture")]


def _loaded(image, path):
    try:
        image.load()
    except (OSError, SyntaxError, ValueError) as error:
        raise FileError(f"{path} is cut off or damaged: {reason_of(error)}") from error
    return image.convert("L") if image.mode == "1" else image  # of one bit, which Pillow would give as colors


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
