"""Which module reads which kind of file, by the end of its name."""

from ..errors import FileError
from .chunked_files import items_of_hdf5, items_of_zarr
from .image_files import items_of_image, items_of_tiff
from .numpy_files import items_of_npy, items_of_npz
from .safetensors_files import items_of_safetensors
from .torch_files import items_of_torch

# A reader takes a path and returns a list of `Item`; it reads no element before an item is asked for it.
READERS = {
    ".npy": items_of_npy, ".npz": items_of_npz, ".safetensors": items_of_safetensors, ".png": items_of_image, ".jpg": items_of_image,
    ".jpeg": items_of_image, ".tif": items_of_tiff, ".tiff": items_of_tiff, ".zarr": items_of_zarr,
    **dict.fromkeys((".pt", ".pth", ".ckpt", ".bin"), items_of_torch), **dict.fromkeys((".h5", ".hdf5", ".hdf", ".nc"), items_of_hdf5),
}


def items_of(path):
    """The tensors in the file at a `pathlib.Path`, a list of `Item`.

    FileError where its name ends in none of them, its library is not installed, or it is not what its name says.
    """
    read = READERS.get(path.suffix.lower())
    if read is None:
        raise FileError(f"{path} cannot be read by its name, which must end in {', '.join(READERS)}")
    if path.is_dir() and read is not items_of_zarr:
        raise FileError(f"{path} is a folder, and {path.suffix} files are none")
    return read(path)
