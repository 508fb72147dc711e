"""Lists, numbers and other objects that NumPy converts -> an ndarray, masked where items are; mocks and endless lists are refused."""

import importlib
import itertools
import numbers
from collections import UserString
from collections.abc import Mapping, Sequence

import numpy as np

from ..errors import COPY_HINT, UnsupportedError, no_numbers, reason_of
from .dtypes import NOT_NUMBERS
from .host_memory import PLAIN, check_file, has_buffer, is_lender, lent, mask_in
from .object_hints import EACH_CONVERTED, has_keys, is_array_alone, is_iterator, is_module, object_hint
from .optional_imports import answers_everything, attribute, is_kind, module_roots

# Types of texts, whose items are texts again.
_TEXTS = (str, bytes, UserString)

# The functions that read the columns of libraries of tables, whose ``__array__`` rounds integers beside missing values.
_COLUMN_READERS = {"pandas": "from_pandas", "polars": "from_polars", "pyarrow": "from_arrow"}

# Maximum number of axes of a NumPy array. Lists may be nested deeper, or contain themselves.
MAX_AXES = 64

# Maximum length of a sequence other than a list or a tuple: its items are Python objects, 32 bytes each and more.
MAX_ITEMS = 100_000_000


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
        if has_codes(item):
            raise UnsupportedError(f"{name} holds {type(item).__name__} objects of {item.dtype.name}, whose elements are codes: dequantize "
                                   "them first, with tf.quantization.dequantize(x, low, high)")
    try:
        array = _possibly_masked(X)  # first, as it refuses quantities, whose units their arrays do not have
        if any(map(_is_convertible, items.values())):
            converted = _with_arrays(X)
            if _has_masks(converted):
                X, array = converted, _possibly_masked(converted)
        return np.ma.array(array, mask=_nested_masks(X), copy=False) if _has_masks(X) else array
    except ValueError as error:
        if "inhomogeneous" not in str(error):
            raise _unconvertible(name, items, error) from error
        raise ValueError(_uneven_text(name, X)) from error
    except MemoryError:
        raise
    except Exception as error:
        raise _unconvertible(name, items, error) from error


def from_object(X):
    """The array that NumPy makes of an object of unknown type."""
    # NumPy would make an array of keys, or of the parts of a module; and it never ends with a UserString, whose letters are UserStrings.
    kind = type(X)
    if has_keys(kind) or is_module(kind) or is_iterator(kind) or issubclass(kind, UserString):
        raise no_numbers(np.dtype(object), object_hint(X))
    array = from_literal(X)
    if array.dtype.kind in NOT_NUMBERS and array.ndim == 0:
        raise no_numbers(array.dtype, object_hint(X))
    return array


def _possibly_masked(X):
    """The array that NumPy makes of an object, which is masked where its ``__array__`` gives a masked one."""
    array = np.asanyarray(X)
    return array if isinstance(array, np.ma.MaskedArray) else np.asarray(array)


def _has_masks(X):
    """Whether there are masked arrays in nested lists."""
    return any(issubclass(kind, np.ma.MaskedArray) for kind in _items_by_type(X, {}))


def _is_convertible(X):
    """Whether an item of a list has ``__array__``, of which NumPy would lose the mask when it makes one array of the list."""
    return not issubclass(type(X), PLAIN) and hasattr(type(X), "__array__")


def _with_arrays(X):
    """Nested lists in which objects with ``__array__`` are their arrays; columns with missing values, and some of dask, are masked ones."""
    if isinstance(X, (list, tuple)):
        return [_with_arrays(item) for item in X]
    if not _is_convertible(X):
        return X
    if isinstance(attribute(X, "_meta"), np.ma.MaskedArray):  # of dask, whose __array__ drops the mask
        return X.compute()
    reader = next((reader for root, reader in _COLUMN_READERS.items() if root in module_roots(X)), None)
    return _possibly_masked(X if reader is None else _column_of(X, reader))


def _column_of(X, reader):
    """The values of a column of a table, masked where they are missing; the column itself if it has no numbers: NumPy refuses the list."""
    try:
        values = getattr(importlib.import_module(".dataframes", __package__), reader)(X)
    except UnsupportedError:
        return X
    return X if values is None else values


def _nested_masks(X):
    """The masks of nested lists' elements as one array; NumPy itself reads only the masks of the outermost list's items."""
    if isinstance(X, (list, tuple)):
        return np.asarray([_nested_masks(item) for item in X], bool)
    return np.ma.getmaskarray(X) if isinstance(X, np.ma.MaskedArray) else np.zeros(np.shape(X), bool)


def _unconvertible(name, items, error):
    """The UnsupportedError about items, by type, of which NumPy makes no array."""
    reason, hint = reason_of(error), ""
    if any(hasattr(kind, "magnitude") and hasattr(kind, "from_list") for kind in items):
        hint = "; make one quantity of its quantities, with Quantity.from_list(X) of their registry"
    elif any(hasattr(kind, "to_value") and hasattr(kind, "unit") for kind in items):
        hint = "; make one quantity of its quantities, with astropy.units.Quantity(X)"
    elif any(hasattr(kind, "from_buffer_copy") and hasattr(kind, "value") for kind in items):  # of ctypes
        hint = "; give their numbers, [x.value for x in X]"
    elif not items or "__array__" in reason:  # an object that fails to convert itself, or NumPy's own words about what it has returned
        hint = f"; {COPY_HINT}"
    return UnsupportedError(f"{name} cannot be read as an array: {reason}{hint}")


def _uneven_text(name, X):
    """Error text: why the items of a sequence do not form one array."""
    arrays = [item for item in X if isinstance(item, np.ndarray)]
    others = [item for item in X if not isinstance(item, (np.ndarray, list, tuple))]
    shapes = [array.shape for array in arrays]
    if arrays and others:
        remedy = EACH_CONVERTED if is_array_alone(type(others[0])) else "leave the latter out, or choose one item, X[0]"
        return f"the {name} holds arrays and {type(others[0]).__name__} objects: {remedy}"
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
    if any(map(_is_arrow_scalar, items.values())):
        X = _without_arrow_scalars(X)
        items = _items_by_type(X, {})
    if any(map(is_lender, items.values() or [X])):
        X = _with_memory(X)
    if any(issubclass(kind, np.ndarray) for kind in items):
        _check_files(X)
    return X, items


def _is_arrow_scalar(X):
    """Whether an item of a list is one of an array of Arrow, of whose texts NumPy would read the bytes as numbers."""
    return is_kind(X, ("pyarrow",), "Scalar")


def _without_arrow_scalars(X):
    """Nested lists in which items of arrays of Arrow are the numbers, texts or lists of Python that they stand for."""
    if isinstance(X, (list, tuple)):
        return [_without_arrow_scalars(item) for item in X]
    return X.as_py() if _is_arrow_scalar(X) else X


def _check_files(X):
    """ValueError where an array in nested lists maps a file that was cut off."""
    if isinstance(X, (list, tuple)):
        for item in X:
            _check_files(item)
    elif isinstance(X, np.ndarray):
        check_file(X)
        check_file(np.ma.getmask(X))


def _with_memory(X):
    """An object with an array interface, or nested lists of such, as arrays whose memory was checked."""
    if isinstance(X, (list, tuple)):
        return [_with_memory(item) for item in X]
    if not is_lender(X):
        return X
    array = lent(X)
    mask = mask_in(X, array.shape)
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
    """Whether an item of a list is a sequence whose items NumPy would ask for one by one: neither a buffer nor a mock."""
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


def too_deep(kind):
    """The error for nested lists of this type that no array can have, as those that contain themselves."""
    return ValueError(f"the {kind.__name__} is nested more than {MAX_AXES} levels deep, or contains itself: give a list of fewer levels")


def has_items(X):
    """Whether a list has items; UnsupportedError for one of a subclass that fails to tell, or to give them."""
    try:
        is_filled = bool(X)
        if is_filled and type(X) not in (list, tuple):
            X[0], next(iter(X))
        return is_filled
    except MemoryError:
        raise
    except Exception as error:
        raise UnsupportedError(f"{type(X).__name__} is a list whose items cannot be read: {reason_of(error)}; give a list or an "
                               "array of its numbers") from error


def items_of_view(X):
    """The items of the keys or the values of a dict as a list, as matplotlib takes them; other objects unchanged."""
    return list(X) if type(X) in (type({}.keys()), type({}.values())) else X


def refuse_mock(X):
    """UnsupportedError for mocks and other objects with every attribute, which NumPy takes for empty lists, or worse.

    Objects that define an array protocol themselves are accepted.
    """
    is_plain = issubclass(type(X), PLAIN)
    if not is_plain and answers_everything(X) and not any(_defines(X, name) for name in ("__array__", "__array_interface__")):
        hint = "draw the result, dask.compute(X)[0]" if "dask" in module_roots(X) else "give the array that it stands for"
        raise UnsupportedError(f"{type(X).__name__} has every attribute, as mocks do, but no numbers: {hint}")


def has_codes(X):
    """Whether an object is a quantized tensor of TensorFlow, of which NumPy reads the codes."""
    name = attribute(attribute(X, "dtype"), "name")
    return isinstance(name, str) and name.startswith(("qint", "quint"))


def _defines(X, name):
    """Whether an object or its type defines an attribute, without ``getattr``."""
    return name in getattr(X, "__dict__", ()) or any(name in vars(base) for base in type(X).__mro__)
