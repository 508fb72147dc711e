"""Lists of tensors -> one array: scalars on devices (losses) by one gather and one copy, larger tensors by their library."""

import contextlib
import sys
from collections import defaultdict

import numpy as np

from .. import _native
from ..errors import UnsupportedError, reason_of, type_text
from . import cuda_arrays, cuda_devices, dlpack, torch_scalars, torch_tensors
from .dtypes import ITEM_BYTES, default_name
from .lazy_arrays import is_store
from .literals import MAX_AXES, has_items, too_deep
from .optional_imports import attribute, loaded, module_roots
from .source import Source
from .streams import handle_of

# NumPy's own dtypes; those of ml_dtypes may be missing.
_OWN = {name for name in ITEM_BYTES if default_name(name) == name} - {"longdouble"}

# Libraries that stack arrays, and the function that does it; torch's tensors are handled before.
_STACKS = {"cupy": "cupy.stack", "jax": "jax.numpy.stack", "jaxlib": "jax.numpy.stack", "tensorflow": "tensorflow.stack"}


def begins_with_tensor(X):
    """True where the first element of nested lists is a torch tensor or an object in CUDA memory.

    ValueError where the lists contain themselves: counting their elements would take all memory.
    """
    kind = type(X)
    for _ in range(MAX_AXES + 1):
        if isinstance(X, (list, tuple)) and has_items(X):
            X = X[0]
        elif isinstance(X, np.ndarray) and X.dtype == object and X.size:
            X = np.asarray(X).flat[0]  # a masked array would make one of it
        else:
            return _is_tensor(X)
    raise too_deep(kind)


def stack(X, describe, stream=None, *, is_refused=False):
    """One array or tensor for (nested) lists of tensors; None where NumPy can read them, or they hold no tensors.

    Scalars of any libraries on any devices, and numbers among them, become one array in host memory, of their dtype or of NumPy's
    common dtype. Larger tensors are stacked on their device. `describe` is `arrays.describe.describe`; `is_refused` is whether
    NumPy has refused the lists, so that even elements in host memory are copied one by one. ValueError for tensors that differ
    in shape or device, UnsupportedError for a library that cannot stack.
    """
    shape, items = _flattened(X)
    alike = torch_scalars.alike(items) if items else None
    if alike is not None:
        return _gather_alike(items, shape, *alike, stream)
    if not any(_is_tensor(item) or _is_exporting(item) or (is_refused and _is_stored(item)) for item in items):
        return None
    if all(map(torch_tensors.is_tensor, items)):
        with torch_tensors.outside_of_transforms(None):
            items = torch_tensors.plain(*items)
            if any(item.ndim for item in items) or all(item.device.type == "cpu" for item in items):
                return _stack_torch(items, shape)
    if all(_is_scalar(item, describe) for item in items):
        return _gather(items, shape, describe, stream)
    if not any(map(_is_on_device, items)):
        return _stack_on_host(items, shape, describe) if is_refused else None
    return _stack_by_library(X, items, shape)


def _flattened(X):
    """(shape, elements) of an object array, or of nested lists as far as these have equal lengths."""
    if isinstance(X, np.ndarray):
        return X.shape, list(X.flat)
    shape, items = (len(X),), list(X)
    while items and all(isinstance(item, (list, tuple)) for item in items):
        if len({len(item) for item in items}) > 1:
            raise ValueError(f"the rows of the nested {type(X).__name__} differ in length: make them equal")
        shape = (*shape, len(items[0]))
        items = [element for item in items for element in item]
    return shape, items


def _is_tensor(X):
    return torch_tensors.is_tensor(X) or _is_on_device(X)


def _is_exporting(X):
    """True for arrays of other libraries in any memory: NumPy reads no list of bfloat16 scalars of JAX or TensorFlow."""
    is_variable = hasattr(type(X), "read_value")  # of TensorFlow, which exports its value alone
    return is_variable or (dlpack.has_dlpack(X) and not isinstance(X, np.ndarray))


def _is_stored(X):
    """True for arrays of a file: NumPy reads no list of numbers in them, and none of arrays of a library that only slices them."""
    return is_store(X) or (not module_roots(X).isdisjoint(("zarr", "h5py")) and attribute(X, "dtype") is not None)


def _is_on_device(X):
    if isinstance(X, (np.ndarray, np.generic, float, int)):
        return False
    if torch_tensors.is_tensor(X):
        return X.device.type == "cuda"
    return dlpack.is_in_cuda_memory(X) if dlpack.has_dlpack(X) else cuda_arrays.has_interface(X)


def _is_scalar(X, describe):
    if isinstance(X, (list, tuple, str, bytes)):
        return False
    shape = getattr(X, "shape", None)
    if shape is None and (_is_exporting(X) or cuda_arrays.has_interface(X)):  # only its capsule, or its interface, has the shape
        shape = describe(X).shape
    return tuple(shape or ()) == ()


# ---- larger tensors ----------------------------------------------------------------------------------------------------


def _check_alike(kind, items):
    shapes = list(dict.fromkeys(tuple(item.shape) for item in items))
    if len(shapes) > 1:
        raise ValueError(f"the {kind} of the list differ in shape, {shapes[0]} and {shapes[1]}: make them equal")
    if len({str(getattr(item.device, "id", item.device)) for item in items}) > 1:
        raise ValueError(f"the {kind} of the list are on different devices: copy them to one, "
                         + ("[x.cpu() for x in X]" if kind == "torch tensors" else "or to the host"))


def _stack_torch(items, shape):
    _check_alike("torch tensors", items)
    try:
        stacked = sys.modules["torch"].stack(items)
    except RuntimeError as error:  # 8-bit floats have no common dtype with any other
        kinds = " and ".join(dict.fromkeys(str(item.dtype).removeprefix("torch.") for item in items))
        raise UnsupportedError(f"the torch tensors of the list, of {kinds}, do not stack: {reason_of(error)}; convert them "
                               "first, with [x.float() for x in X]") from error
    return stacked if len(shape) == 1 else stacked.reshape(*shape, *items[0].shape)


def _stack_on_host(items, shape, describe):
    """Stacks tensors of several libraries in host memory, some of which NumPy refuses (such as those with a gradient)."""
    arrays = [_on_host(describe(item)) for item in items]
    if len({array.shape for array in arrays}) > 1:
        raise ValueError("the tensors of the list differ in shape: make them equal")
    stack = np.ma.stack if any(map(np.ma.isMaskedArray, arrays)) else np.stack
    return stack(arrays).reshape(*shape, *arrays[0].shape)


def _on_host(source):
    """The elements of a source as an ndarray, masked as that is."""
    name = default_name(source.dtype)
    out = np.empty(source.shape, np.longdouble if name == "longdouble" else name)
    with source.borrow() as tensor:
        _native.convert(tensor, out, name)
    is_masked = source.is_masked and source.array is not None
    return np.ma.array(out, mask=np.ma.getmaskarray(source.array), copy=False) if is_masked else out


def _stack_by_library(X, items, shape):
    kinds = {type(item) for item in items}
    kind = next(type(item) for item in items if _is_on_device(item))
    what = f"{type_text(type(X))} of {kind.__name__} objects in CUDA memory"
    if len(kinds) > 1:
        raise UnsupportedError(f"{what} and {next(iter(kinds - {kind})).__name__} objects cannot be stacked: convert them to one "
                               "library first, or give scalars only")
    for root, path in _STACKS.items():
        stack = loaded(path) if root in module_roots(items[0]) else None
        if stack is not None:
            _check_alike(f"{kind.__name__} objects", items)
            with cuda_devices.their_device(items[0]):
                for n in reversed(shape):  # the rows of nested lists first
                    items = [stack(items[first:first + n]) for first in range(0, len(items), n)]
                return items[0]
    raise UnsupportedError(f"{what} cannot be read: stack them into one array first, or draw one of them")


# ---- scalars -----------------------------------------------------------------------------------------------------------


def _gather_alike(items, shape, device, name, addresses, stream):
    """Copies torch scalars of one device and dtype to one host array."""
    if device.type == "cpu":
        return torch_scalars.on_host(items, name).reshape(shape)
    torch_tensors.check_device(items[0])
    cuda_devices.refuse_capture(device.index, handle_of(stream))
    _order_torch(items[0], device.index, stream)
    _, _, out = _gather_group(device.index, name, items, addresses)
    return _as_dtype(out, name, shape)


def _order_torch(X, ordinal, stream):
    cuda_devices.order_after_all(X, ordinal, says_stream=True, version=3)
    if stream is not None:
        _native.cuda_order_after(ordinal, handle_of(stream))


def _gather(items, shape, describe, stream):
    """Copies scalars of any devices to one host array: for each device and dtype one gather kernel and one copy."""
    is_masked = np.array(list(map(np.ma.is_masked, items)), bool)
    with contextlib.ExitStack() as borrowed:
        of_torch = _find_torch(items, stream)
        found = _Scalars(describe, stream, borrowed)
        for number, item in enumerate(items):
            if number in of_torch:
                key, address, _ = of_torch[number]
                found.groups[key].append((number, address))
            elif _is_on_device(item):
                is_masked[number] |= found.add_lent(number, item)
            else:
                found.parts.append(_host_scalar(number, item, describe))
        parts = found.parts + [_gather_group(*key, *zip(*scalars, strict=True)) for key, scalars in found.groups.items()]
    return _masked_where(_joined(parts, len(items), shape), is_masked.reshape(shape))


class _Scalars:
    """Scalars of a list by where they are: `groups` are those in device memory, `parts` those that are on the host already."""

    def __init__(self, describe, stream, borrowed):
        """`borrowed` is an ExitStack, which holds what is lent."""
        self.groups, self.parts = defaultdict(list), []  # {(ordinal, dtype): [(number in the list, address)]}
        self._describe, self._stream, self._borrowed = describe, stream, borrowed
        self._lenders = {}  # how each type lends

    def add_lent(self, number, item):
        """Adds a scalar in the device memory of another library than torch; returns whether it is masked."""
        tensor = self._borrowed.enter_context(self._lender(item)(item, stream=self._stream))
        if tensor.shape != ():
            raise ValueError(f"a scalar of the list has shape {tensor.shape} now: something changed it during the call; call again")
        if not dlpack.has_dlpack(item) and cuda_arrays.is_swapped(item):  # the gather kernel reads native bytes
            self.parts.append(_converted(number, self._describe(item, self._stream)))
        else:
            self.groups[tensor.device[1], tensor.dtype].append((number, tensor.address))
        return tensor.is_masked and not _on_host(self._describe(cuda_arrays.mask_of(item), self._stream))

    def _lender(self, item):
        if type(item) not in self._lenders:
            self._lenders[type(item)] = self._describe(item, self._stream)._lend
        return self._lenders[type(item)]


def _masked_where(array, is_masked):
    """An array (or a source, for a dtype that NumPy lacks) of scalars, masked where an item was."""
    if not is_masked.any():
        return array
    return np.ma.array(_on_host(array) if isinstance(array, Source) else array, mask=is_masked, copy=False)


def _find_torch(items, stream):
    """{number in the list: ((ordinal, dtype), address, tensor)} of torch's CUDA scalars, after waiting for the work that writes them.

    The tensors, which may be temporary (pending signs applied), have to live until they have been read.
    """
    numbers = [n for n, item in enumerate(items) if torch_tensors.is_tensor(item) and item.device.type == "cuda"]
    if not numbers:
        return {}
    with torch_tensors.outside_of_transforms(None):
        tensors = torch_tensors.plain(*(items[n] for n in numbers))
        found = {n: ((tensor.device.index, torch_tensors.dtype_name(tensor)), tensor.data_ptr(), tensor)
                 for n, tensor in zip(numbers, tensors, strict=True)}
    for ordinal, tensor in {key[0]: tensor for key, _, tensor in found.values()}.items():
        _order_torch(tensor, ordinal, stream)
    return found


def _gather_group(ordinal, dtype, numbers, addresses):
    out = np.empty((len(numbers), ITEM_BYTES[dtype]), np.uint8)
    _native.cuda_gather_points(ordinal, np.array(addresses, np.uint64), out)
    return numbers, dtype, out


def _host_scalar(number, item, describe):
    source = describe(item)
    if source.dtype.startswith("complex"):  # of which a plane has one part alone
        return _converted(number, source)
    out = np.empty((1, ITEM_BYTES[source.dtype]), np.uint8)
    with source.borrow() as tensor:
        _native.gather(_native.Plane(tensor, (), ()), out.reshape(1, 1, -1))
    return (number,), source.dtype, out


def _converted(number, source):
    """A scalar as a dtype of NumPy."""
    values = np.ma.getdata(_on_host(source))
    return (number,), values.dtype.name, values.reshape(1, 1).view(np.uint8)


def _joined(parts, n_items, shape):
    """One array of all scalars, in the order of the list."""
    names = {dtype for _, dtype, _ in parts}
    if len(names) == 1:
        stored = np.empty((n_items, parts[0][2].shape[1]), np.uint8)
        for numbers, _, items in parts:
            stored[list(numbers)] = items
        return _as_dtype(stored, names.pop(), shape)
    values = [(numbers, _values(items, dtype)) for numbers, dtype, items in parts]
    out = np.empty(n_items, np.result_type(*(array for _, array in values)))
    for numbers, array in values:
        out[list(numbers)] = array
    return out.reshape(shape)


def _as_dtype(stored, name, shape):
    """Bytes as an array of a dtype of NumPy, or as a source where NumPy lacks the dtype."""
    if name in _OWN:
        return stored.view(name).reshape(shape)
    codes = stored.view(f"V{stored.shape[1]}").reshape(shape)
    return Source(codes, lambda array: _native.Tensor.from_array(array, name), shape, name)


def _values(stored, name):
    """The values of one dtype, as float32 or complex64 where NumPy lacks it."""
    if name in _OWN:
        return stored.view(name)[:, 0]
    if name == "complex32":
        halves = stored.view("f2").astype("f4")
        return halves.view("c8")[:, 0]
    out = np.empty(len(stored), np.float32)
    with _native.Tensor.from_array(stored.view(f"V{stored.shape[1]}")[:, 0], name) as tensor:
        _native.convert(tensor, out, "float32")
    return out
