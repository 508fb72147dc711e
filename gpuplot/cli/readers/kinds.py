"""The reader for each suffix of a file's name."""

from ..errors import FileError
from .chunked_files import items_of_hdf5, items_of_zarr
from .image_files import items_of_image, items_of_tiff
from .numpy_files import items_of_npy, items_of_npz
from .safetensors_files import items_of_safetensors
from .text_files import items_of_stdin, items_of_text
from .torch_files import items_of_torch

__all__ = ["READERS", "items_of", "items_of_stdin"]

# A reader takes a path and returns a list of `Item`; elements are read by `Item.read` only.
READERS = {
    ".npy": items_of_npy, ".npz": items_of_npz, ".safetensors": items_of_safetensors, ".png": items_of_image, ".jpg": items_of_image,
    ".jpeg": items_of_image, ".tif": items_of_tiff, ".tiff": items_of_tiff, ".zarr": items_of_zarr,
    **dict.fromkeys((".csv", ".tsv", ".txt"), items_of_text),
    **dict.fromkeys((".pt", ".pth", ".ckpt", ".bin"), items_of_torch), **dict.fromkeys((".h5", ".hdf5", ".hdf", ".nc"), items_of_hdf5),
}


def items_of(path):
    """The tensors in the file at a `pathlib.Path`, a list of `Item`.

    FileError where its suffix is unknown, its library is not installed, or its contents do not match the suffix.
    """
    read = READERS.get(path.suffix.lower())
    if read is None:
        raise FileError(f"{path} has no known suffix: give a file whose name ends in {', '.join(READERS)}")
    if path.is_dir() and read is not items_of_zarr:
        raise FileError(f"{path} is a folder, but a {path.suffix} must be a file: give a file in it")
    if not path.is_dir() and not path.is_file():
        raise FileError(f"{path} is a pipe or a device: save what it gives to a file first, such as cat {path} >x{path.suffix}")
    return read(path)
