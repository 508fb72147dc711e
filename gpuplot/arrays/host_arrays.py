"""Objects in host memory that NumPy can read -> an ndarray, its mask, and our name for its dtype."""

import functools
import importlib
import itertools
import numbers
from collections import UserString
from collections.abc import Mapping, Sequence

import numpy as np

from .. import _native
from ..errors import COPY_HINT, UnsupportedError, no_numbers, reason_of, type_text
from .object_hints import dtype_hint, has_keys, is_module, items_hint, may_be_number, object_hint
from .optional_imports import answers_everything, attribute, module_roots

# Bytes of one element, for every dtype that can be drawn, in the order in which messages list them.
ITEM_BYTES = {"bool": 1, **_native.DTYPE_SIZES}

# Dtypes that NumPy lacks, and the one of NumPy that holds their elements exactly.
_WIDER = {name: "complex64" if name == "complex32" else "float32" for name in ITEM_BYTES if not hasattr(np, name) and name != "bool"}

# Dtypes of ml_dtypes and JAX with fewer than 8 bits an element, and those that hold their elements exactly, as which they are read.
_HOLDERS = {f"{sign}int{bits}": f"{sign}int8" for sign in ("", "u") for bits in (1, 2, 4)} | dict.fromkeys(
    ("float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn"), "float32")

# Types of texts, whose items are texts again.
_TEXTS = (str, bytes, UserString)

# Kinds of dtype that are not numbers: objects, text, dates, records.
_NOT_NUMBERS = "OSUTMmV"

# Maximum number of objects of an array that are checked for one that is not a number, for an error to name.
MAX_SEARCHED = 10_000

# Maximum number of axes of a NumPy array. Lists may be nested deeper, or contain themselves.
MAX_AXES = 64

# Maximum length of a sequence other than a list or a tuple: its items are Python objects, 32 bytes each and more.
MAX_ITEMS = 100_000_000


def default_name(name):
    """The NumPy dtype that holds elements of a dtype exactly: the same, or float32 or complex64 where NumPy lacks it."""
    return _WIDER.get(name, name)


def is_narrow(name):
    """Whether a dtype is a float that NumPy lacks: bfloat16 or an 8-bit float."""
    return _WIDER.get(name) == "float32"


@functools.lru_cache(maxsize=256)
def holder_of(dtype):
    """The name of the dtype as which elements of fewer than 8 bits are read, in a copy; None for others, which are read in place."""
    return _HOLDERS.get(foreign_name(dtype))


@functools.lru_cache(maxsize=256)
def dtype_name(dtype):
    """Our name of a NumPy dtype, native or from ml_dtypes; UnsupportedError for what is not a number or cannot be read.

    The name of the dtype decides: kind and typestr of ml_dtypes' types are ambiguous ('<f1', '<V2').
    """
    # Where long double is float64 its dtype still has a character of its own.
    if dtype.char == "g":
        return "longdouble" if dtype.itemsize > 8 else "float64"
    if dtype.name in ITEM_BYTES and dtype.fields is None:
        return dtype.name
    if dtype.kind == "c":
        raise UnsupportedError(f"elements of {dtype} cannot be read: convert them, with X.astype('complex128')")
    if dtype.kind in _NOT_NUMBERS and dtype.type.__module__ in ("numpy", "builtins"):
        raise no_numbers(dtype, dtype_hint(dtype))
    raise UnsupportedError(f"elements of {dtype} cannot be read: convert them, with X.astype('{holder_of(dtype) or 'float32'}')")


def foreign_name(dtype):
    """The name of a dtype of another library, or a str: torch.float32, tf.float32, "bfloat16"."""
    if isinstance(dtype, str):
        return dtype
    name = getattr(dtype, "name", None)
    return name if isinstance(name, str) else str(dtype).rpartition(".")[2]


def name_of(array):
    """`dtype_name` of an array; for arrays of objects the error names the type of the first that is not a number."""
    if array.dtype.kind == "O" and array.size:
        objects = itertools.islice(array.flat, MAX_SEARCHED)
        raise no_numbers(array.dtype, items_hint(next((one for one in objects if not may_be_number(one)), array.flat[0])))
    return dtype_name(array.dtype)


def lend(array, mask):
    """An ndarray of any layout, with a boolean mask of its shape or None -> a native tensor."""
    name = name_of(array)
    if array.dtype.type.__module__ != "numpy":
        array = array.view(f"u{array.dtype.itemsize}")
    return _native.Tensor.from_array(array, name, mask)


def lend_converted(array, mask):
    """An ndarray of elements of fewer than 8 bits, with its mask or None -> a native tensor of the dtype that holds them."""
    return lend(array.astype(holder_of(array.dtype)), mask)


def from_ndarray(array):
    """The elements and the mask (or None) of an ndarray, a subclass or a masked array."""
    if not isinstance(array, np.ma.MaskedArray):
        return np.asarray(array), None
    mask = np.ma.getmask(array)
    return np.asarray(array.data), None if mask is np.ma.nomask else mask


def is_literal(X):
    """True for numbers and for lists, tuples and other Python sequences."""
    kind = type(X)  # not what the object says it is, as mocks do
    return issubclass(kind, (numbers.Number, np.generic)) or (
        issubclass(kind, Sequence) and not issubclass(kind, (memoryview, bytearray, *_TEXTS)) and not has_buffer(X))


def from_literal(X):
    """The array of nested lists, numbers or anything else that NumPy converts; lists of masked arrays, at any depth, stay masked."""
    name = type(X).__name__
    X, items = _counted_and_types(X)
    for item in items.values():
        refuse_mock(item)
    try:
        array = _possibly_masked(X)  # first, as it refuses quantities, whose units their arrays do not have
        if any(map(_is_convertible, items.values())):
            converted = _with_arrays(X)
            X, array = (converted, _possibly_masked(converted)) if _has_masks(converted) else (X, array)
        return np.ma.array(array, mask=_nested_masks(X), copy=False) if _has_masks(X) else array
    except ValueError as error:
        if "inhomogeneous" not in str(error):
            raise _unconvertible(name, items, error) from error
        raise ValueError(_uneven_text(name, X)) from error
    except MemoryError:
        raise
    except Exception as error:
        raise _unconvertible(name, items, error) from error


def _possibly_masked(X):
    """The array that NumPy makes of an object, which is masked where its ``__array__`` gives a masked one."""
    array = np.asanyarray(X)
    return array if isinstance(array, np.ma.MaskedArray) else np.asarray(array)


def _has_masks(X):
    """Whether there are masked arrays in nested lists."""
    return any(issubclass(kind, np.ma.MaskedArray) for kind in _items_by_type(X, {}))


def _is_convertible(X):
    """Whether an item of a list has ``__array__``, of which NumPy would lose the mask when it makes one array of the list."""
    return not issubclass(type(X), _PLAIN) and hasattr(type(X), "__array__")


def _with_arrays(X):
    """Nested lists in which objects with ``__array__`` are their arrays; nullable columns of pandas are masked ones."""
    if isinstance(X, (list, tuple)):
        return [_with_arrays(item) for item in X]
    if not _is_convertible(X):
        return X
    return _possibly_masked(_column_of(X) if "pandas" in module_roots(X) else X)


def _column_of(X):
    """The values of a column of pandas, masked where it is nullable; itself where it holds no numbers, which NumPy says of the list."""
    try:
        values = importlib.import_module(".dataframes", __package__).from_pandas(X)
    except UnsupportedError:
        return X
    return X if values is None else values


def _unconvertible(name, items, error):
    """The UnsupportedError about items, by type, of which NumPy makes no array."""
    reason, hint = reason_of(error), ""
    if any(hasattr(kind, "magnitude") and hasattr(kind, "from_list") for kind in items):
        hint = "; make one quantity of its quantities, with Quantity.from_list(X) of their registry"
    elif any(hasattr(kind, "to_value") and hasattr(kind, "unit") for kind in items):
        hint = "; make one quantity of its quantities, with astropy.units.Quantity(X)"
    elif "__array__" in reason:  # NumPy's own words about what that has returned
        hint = f"; {COPY_HINT}"
    return UnsupportedError(f"{name} cannot be read as an array: {reason}{hint}")


def _uneven_text(name, X):
    """Error text: why the items of a sequence do not form one array."""
    arrays = [item for item in X if isinstance(item, np.ndarray)]
    others = [item for item in X if not isinstance(item, (np.ndarray, list, tuple))]
    shapes = [array.shape for array in arrays]
    if arrays and others:
        return f"the {name} holds arrays and {type(others[0]).__name__} objects: leave the latter out, or choose one item, X[0]"
    if len(set(shapes)) > 1:
        other = next(shape for shape in shapes if shape != shapes[0])
        return f"the arrays of the {name} differ in shape, {shapes[0]} and {other}: make them equal, or choose one, X[0]"
    return f"the rows of the nested {name} differ in length: make them equal"


def counted(X):
    """The items of a sequence as a list of ``len(X)``, since ``__getitem__`` alone may never end, and so on for the items.

    Other objects as they are. ValueError for a length that no list has, which would take all memory, and for endless nesting.
    """
    return _counted_and_types(X)[0]


def _counted_and_types(X):
    """`counted`, and {type: first item of that type} of its nested lists."""
    X = _as_list(X)
    items = _items_by_type(X, {})
    if any(map(_is_row, items.values())):
        X = _with_lists(X)
        items = _items_by_type(X, {})
    return _with_memory(X) if any(map(_is_lender, items.values() or [X])) else X, items


def _is_lender(X):
    """Whether NumPy would take an object's memory by its array interface, of which it checks neither the size nor the elements."""
    return not issubclass(type(X), _PLAIN) and isinstance(attribute(X, "__array_interface__"), dict)


def _with_memory(X):
    """An object with an array interface, or nested lists of such, as arrays whose memory was checked."""
    if isinstance(X, (list, tuple)):
        return [_with_memory(item) for item in X]
    if not _is_lender(X):
        return X
    array = _lent(X)
    mask = _mask_in(X, array.shape)
    return array if mask is None else np.ma.array(array, mask=mask, copy=False)


def _with_lists(X, n_levels=MAX_AXES):
    """Nested lists in which every other sequence is a list, too; the first items are entered first, which ends for endless ones."""
    X = _as_list(X) if _is_row(X) else X
    if not isinstance(X, (list, tuple)):
        return X
    if n_levels == 0:
        raise too_deep(type(X))
    return [_with_lists(item, n_levels - 1) for item in X]


def _is_row(X):
    """Whether an item of a list is a sequence that NumPy would read one by one, which it does not with buffers, and no mock."""
    return _is_sequence(X) and not has_buffer(X) and not answers_everything(X)


def _is_sequence(X):
    """Whether NumPy would ask an object for one item after the other, and it is none of Python's own lists."""
    kind = type(X)
    if issubclass(kind, (list, tuple, *_TEXTS, np.ndarray, Mapping)) or not (hasattr(kind, "__getitem__") and hasattr(kind, "__len__")):
        return False
    return all(attribute(X, name) is None for name in ("__array__", "__array_interface__", "__dlpack__"))


def _as_list(X):
    """The items of a sequence as a list of ``len(X)``; other objects as they are."""
    if not _is_sequence(X):
        return X
    try:
        n_items = len(X)
        if n_items <= MAX_ITEMS:
            return list(itertools.islice(X, n_items))
    except MemoryError:
        raise
    except Exception:  # it only seems to be a sequence: leave the error to NumPy
        return X
    raise ValueError(f"{type(X).__name__} says that it has {n_items} items, too many to be read one by one: give an array, or a part, "
                     "X[start:stop]")


def has_items(X):
    """Whether a list has items; UnsupportedError for one of a subclass that fails to tell."""
    try:
        return bool(X)
    except MemoryError:
        raise
    except Exception as error:
        raise UnsupportedError(f"{type(X).__name__} is a list whose length cannot be read: {reason_of(error)}; give list(X)") from error


def too_deep(kind):
    """The error for nested lists of this type that no array can have, as those that contain themselves."""
    return ValueError(f"the {kind.__name__} is nested more than {MAX_AXES} levels deep, or contains itself: give a list of fewer levels")


def _items_by_type(X, items, n_levels=MAX_AXES):
    """Adds {type: first item of that type} of nested lists to `items`; ValueError beyond so many levels."""
    if isinstance(X, (list, tuple)):
        if n_levels == 0:
            raise too_deep(type(X))
        kinds = set(map(type, X))
        if any(issubclass(kind, (list, tuple)) for kind in kinds):
            for item in X:
                _items_by_type(item, items, n_levels - 1)
        for kind in kinds.difference(items):
            items[kind] = next(item for item in X if type(item) is kind)
    return items


def _nested_masks(X):
    """The masks of nested lists' elements as one array; NumPy itself reads only the masks of the outermost list's items."""
    if isinstance(X, (list, tuple)):
        return np.asarray([_nested_masks(item) for item in X], bool)
    return np.ma.getmaskarray(X) if isinstance(X, np.ma.MaskedArray) else np.zeros(np.shape(X), bool)


def refuse_mock(X):
    """UnsupportedError for mocks and other objects with every attribute, which NumPy takes for empty lists, or worse.

    Objects that define an array protocol themselves are accepted.
    """
    is_plain = issubclass(type(X), _PLAIN)
    if not is_plain and answers_everything(X) and not any(_defines(X, name) for name in ("__array__", "__array_interface__")):
        hint = "draw the result, dask.compute(X)[0]" if "dask" in module_roots(X) else "give the array that it stands for"
        raise UnsupportedError(f"{type(X).__name__} has every attribute, as mocks do, but no numbers: {hint}")


# Types that are not mocks.
_PLAIN = (bool, int, float, complex, np.generic, np.ndarray)


def _defines(X, name):
    """Whether an object or its type defines an attribute, without ``getattr``."""
    return name in getattr(X, "__dict__", ()) or any(name in vars(base) for base in type(X).__mro__)


def from_object(X):
    """The array that NumPy makes of an object of unknown type."""
    # Of keys NumPy makes numbers, or texts, of a module's parts an array, and the letters of a UserString are such again, without end.
    if has_keys(type(X)) or is_module(type(X)) or issubclass(type(X), UserString):
        raise no_numbers(np.dtype(object), object_hint(X))
    array = from_literal(X)
    if array.dtype.kind in _NOT_NUMBERS and array.ndim == 0:
        raise no_numbers(array.dtype, object_hint(X))
    return array


def items_of_view(X):
    """The items of the keys or the values of a dict as a list, as matplotlib takes them; other objects unchanged."""
    return list(X) if type(X) in (type({}.keys()), type({}.values())) else X


def has_buffer(X):
    """True where an object exports its memory by the buffer protocol; text does not count."""
    if issubclass(type(X), (str, bytes)):
        return False
    try:
        memoryview(X).release()
    except (TypeError, BufferError, ValueError):
        return False
    return True


def has_interface(X):
    """True where an object has ``__array_interface__``, valid or not."""
    try:
        X.__array_interface__  # noqa: B018
    except AttributeError:
        return False
    except MemoryError:
        raise
    except Exception as error:
        raise UnsupportedError(f"{type(X).__name__} fails at its __array_interface__: {reason_of(error)}; {COPY_HINT}") from error
    return True


def from_protocol(X):
    """(array, its mask or None) over an object's own memory, by the buffer protocol or the array interface, which may name a mask."""
    array = _lent(X)
    dtype_name(array.dtype)
    return array, _mask_in(X, array.shape)


def _mask_in(X, shape):
    """The mask that an array interface names, True where an element is missing, which NumPy does not read; None without."""
    interface = None if isinstance(X, np.ndarray) else attribute(X, "__array_interface__")
    valid = interface.get("mask") if isinstance(interface, dict) else None
    if valid is None:
        return None
    if not isinstance(valid, np.ndarray) and not _is_lender(valid):
        raise _unreadable(X, f"its mask is no array but {type_text(type(valid))}", "fill missing elements first, with NaN")
    valid = np.asarray(valid) if isinstance(valid, np.ndarray) else _lent(valid)
    if valid.dtype.kind not in "biu":
        raise _unreadable(X, f"its mask is of {valid.dtype} and not of bool", "fill missing elements first, with NaN")
    try:
        return np.array(np.broadcast_to(valid == 0, shape))  # a nonzero element marks a valid one
    except ValueError:
        raise ValueError(f"the mask of the {type(X).__name__} has shape {valid.shape} and the array {shape}: give a mask that broadcasts "
                         "to the array") from None


def _lent(X):
    """The array over an object's own memory, all of whose elements lie in it; text and dates, too."""
    if _names_no_memory(X):  # for which NumPy makes an array of whatever lies in new memory
        raise _unreadable(X, "its __array_interface__ has no data, and it is no buffer")
    try:
        array = np.asarray(X)
    except MemoryError:  # of a null pointer, too, for which NumPy allocates before it refuses it
        if _is_null(X):
            raise _unreadable(X, "the data pointer in its __array_interface__ is null, was it freed?") from None
        raise
    except Exception as error:
        is_pointer = hasattr(type(X), "contents")
        raise _unreadable(X, reason_of(error), "give its size, with numpy.ctypeslib.as_array(X, shape)" if is_pointer else None) from error
    if array.dtype == object and array.ndim == 0:
        raise _unreadable(X, "its __array_interface__ is not the dict that the protocol requires")
    if array.dtype.hasobject and not has_buffer(X):  # the pointer of an "object" may be any address
        raise no_numbers(array.dtype, dtype_hint(array.dtype))
    if array.base is not X and array.size and not has_buffer(X) and not _is_inside(array, array.base):
        raise _unreadable(X, f"the buffer in its __array_interface__ is smaller than shape {array.shape} and strides {array.strides} say")
    return array


def _names_no_memory(X):
    """True where an array interface leaves out the pointer, so that the object's buffer is meant, and there is none."""
    try:
        interface = X.__array_interface__
        return isinstance(interface, dict) and interface.get("data") is None and not has_buffer(X)
    except MemoryError:
        raise
    except Exception:
        return False


def _is_null(X):
    """True where an array interface says that its memory is at address 0."""
    try:
        return X.__array_interface__["data"][0] == 0
    except Exception:
        return False


def _unreadable(X, reason, hint=None):
    return UnsupportedError(f"{type(X).__name__} exports its memory in a way that cannot be read: {reason}; "
                            + (hint or COPY_HINT))


def _is_inside(array, buffer):
    """Whether all elements of an array lie in the buffer that it was made from, which NumPy does not check for an array interface."""
    try:
        memory = np.frombuffer(buffer, np.uint8)
    except (TypeError, ValueError):  # no buffer, or an empty one
        return not has_buffer(buffer)
    start, reach = _address(memory), [(n - 1) * stride for n, stride in zip(array.shape, array.strides, strict=True)]
    low, high = sum(step for step in reach if step < 0), sum(step for step in reach if step > 0)
    return start <= _address(array) + low and _address(array) + high + array.itemsize <= start + memory.size


def _address(array):
    return array.__array_interface__["data"][0]


def from_image(X):
    """A PIL image as matplotlib reads it: L, RGB, RGBA as they are, 16-bit gray as uint16, all else as RGBA; None for others."""
    if not isinstance(attribute(X, "mode"), str):
        return None
    if X.mode in ("L", "RGB", "RGBA", "RGBX"):
        return np.asarray(X)
    if X.mode.startswith("I;16"):
        order = ">" if X.mode.endswith("B") else "<"
        samples = np.frombuffer(X.tobytes("raw", X.mode), f"{order}u2")
        return samples.reshape(X.height, X.width).astype(np.uint16)
    try:
        return np.asarray(X.convert("RGBA"))
    except ValueError as error:
        raise UnsupportedError(f"a PIL image of mode {X.mode!r} cannot be turned into RGBA: {reason_of(error)}") from error


def samples_of(X):
    """A PIL image as NumPy reads it, its samples (palette indices, inks, floats) unconverted; other objects as they are."""
    if "PIL" not in module_roots(X) or not isinstance(attribute(X, "mode"), str):
        return X
    try:
        return np.array(X)
    except Exception as error:
        raise UnsupportedError(f"a PIL image of mode {X.mode!r} cannot be read: {reason_of(error)}") from error
