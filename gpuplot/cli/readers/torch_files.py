"""`.pt`, `.pth`, `.ckpt`, `.bin`: files of `torch.save`, read with weights_only (no code runs) and memory-mapped."""

import errno
import pickle
import warnings

from ...arrays.describe import describe
from ...arrays.dtypes import foreign_name
from ...arrays.tensor_tree import named_tensors
from ...errors import UnsupportedError, reason_of
from ..errors import FileError
from .item import Item, needs_library, refusal

# Words of torch about functions and classes that it does not call; it raises the same type of error for damaged files.
_OF_CODE = "GLOBAL ", "Unsupported class", "unrecognized function"


def items_of_torch(path):
    """The tensors of a file of torch; in nested dicts and lists the parts of names are joined by dots."""
    loaded, note = _load(path)
    named = named_tensors(loaded)
    # Lists of numbers, such as which parameters an optimizer has, are no tensors.
    tensors = [("", loaded)] if named is None else [(name, value) for name, value in named if not isinstance(value, (list, tuple))]
    return [_item(name, tensor, note) for name, tensor in tensors]


def _load(path):
    """(the loaded object, why it is not mapped or "")."""
    try:
        import torch
    except ImportError as error:
        raise needs_library("reading a file of torch", "torch", error) from error
    try:
        return _quietly(torch.load, path, mmap=True), ""
    except RuntimeError as error:  # files before torch 1.6 cannot be mapped
        if "mmap" not in str(error):
            raise _no_torch_file(path, error) from error
    except Exception as error:  # of bytes that are no pickle torch raises anything, such as a KeyError
        raise _no_torch_file(path, error) from error
    try:
        return _quietly(torch.load, path), "in a format that torch cannot map"
    except Exception as error:
        raise _no_torch_file(path, error) from error


def _quietly(load, path, **how):
    """What torch loads without running code; its warnings are about calls of torch, which the reader of a file does not make."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load(path, map_location="cpu", weights_only=True, **how)


def _no_torch_file(path, error):
    if "TorchScript" in str(error):
        return FileError(f"{path} holds a model that TorchScript compiled, with code: load it in a program with torch.jit.load if you "
                         "trust the file, and save its state_dict() with torch.save")
    if isinstance(error, pickle.UnpicklingError) and any(words in str(error) for words in _OF_CODE):
        return FileError(f"{path} holds more than tensors, which could run code when read: load it in a program if you trust the file, "
                         "and save its state_dict()")
    is_of_place = isinstance(error, OSError) and error.errno == errno.EINVAL  # one before the begin of a file that was cut off
    if isinstance(error, (OSError, MemoryError)) and not is_of_place:
        return FileError(f"{path} cannot be read: {reason_of(error)}")
    # What torch says of wrong bytes, such as KeyError(2), is about none of them.
    return FileError(f"{path} is damaged, or no file of torch: copy or save it again")


def _item(name, tensor, note):
    try:
        source = describe(tensor)
    except (UnsupportedError, ValueError) as error:
        return Item(name, *_form_of(tensor), refusal(error))
    return Item(name, source.shape, source.dtype, lambda box: tensor, dims=source.dims, read_bytes=source.nbytes if note else 0, note=note)


def _form_of(tensor):
    """The shape and dtype of what cannot be read: those of a tensor on the meta device are known, those of a nested one are not."""
    try:
        return tuple(tensor.shape), foreign_name(tensor.dtype)
    except Exception:
        return (), type(tensor).__name__
