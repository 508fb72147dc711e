"""Hints in errors about dtypes and objects that are not numbers: what to give, or to type, instead."""

import mmap
import numbers
import os
from collections import UserString
from collections.abc import ItemsView, Iterator, Mapping, Set, ValuesView
from dataclasses import is_dataclass

from .optional_imports import attribute, is_kind

_OF_KINDS = {
    "O": "give an array of numbers, for example with numpy.asarray(X, dtype=float)",
    "S": "text is not numbers; bytes are read with numpy.frombuffer(X, dtype='uint8')",
    "U": "text is not numbers; a file has to be opened first, with numpy.load, torch.load or matplotlib.pyplot.imread",
    "T": "text is not numbers; convert it first, for example with X.astype(float)",
    "M": "choose a unit first, for example (X - X.min()) / numpy.timedelta64(1, 's')",
    "m": "choose a unit first, for example X / numpy.timedelta64(1, 's')",
    "V": "choose one field, such as X['name']",
}

# What types have whose objects are arrays to us and not to NumPy: parameters over JAX, its sparse arrays, those of TensorFlow, ragged ones.
_OF_ARRAYS_ALONE = ("__jax_array__", "todense", "dense_shape", "to_tensor")

# Letters of a text of the user's that a hint repeats.
MAX_TEXT = 40

EACH_CONVERTED = "convert each of them first, with [gpuplot.asnumpy(x) for x in X]"

_NO_GRADIENT = "a .grad is None until backward() has run, and stays so for frozen parameters"


def dtype_hint(dtype):
    """The hint for a dtype of NumPy that is not one of numbers."""
    if dtype.kind == "V" and dtype.itemsize == 0:  # without fields, or JAX's float0
        return "its elements have no bytes and so no values; give an array of numbers"
    if dtype.kind != "V" or dtype.names:
        return _OF_KINDS[dtype.kind]
    return _raw_hint(dtype)


def _raw_hint(dtype):
    """The hint for bytes without a type: numpy.save makes them of bfloat16 and smaller floats, array interfaces of records."""
    if dtype.itemsize > 2:
        return "choose one field, such as X['name'], or view the bytes with a dtype, for example X.view('float32')"
    dtypes = "'float16'", "ml_dtypes.bfloat16"
    if dtype.itemsize == 1:  # a view of larger items would join neighbours
        dtypes = "ml_dtypes.float8_e4m3fn", "ml_dtypes.int4"
    return "they are raw bytes; view them with a dtype, for example " + " or ".join(f"X.view({name})" for name in dtypes)


def may_be_number(item):
    """Whether an item of an array of objects is a number, as far as its type says, or None."""
    return item is None or hasattr(type(item), "__float__")


def items_hint(item):
    """The hint for an array of objects like this one."""
    kind = type(item)
    if item is None:
        return f"it holds None alone: {_NO_GRADIENT}"
    if issubclass(kind, numbers.Complex) and not issubclass(kind, numbers.Real):
        return _OF_KINDS["O"].replace("float", "complex")
    if hasattr(kind, "nominal_value"):
        return "numbers with uncertainties have two values; draw one, such as uncertainties.unumpy.nominal_values(X)"
    if hasattr(kind, "toarray"):
        return f"it holds {kind.__name__} objects, which are sparse: make them dense, with [x.toarray() for x in X]"
    ndim = attribute(item, "ndim")
    if hasattr(kind, "__dlpack__") or (isinstance(ndim, int) and ndim > 0):
        return f"it holds {kind.__name__} objects: give them as a list, list(X), if they have equal shapes, or one of them, X[0]"
    if is_array_alone(kind):
        return f"it holds {kind.__name__} objects: {EACH_CONVERTED}"
    if isinstance(item, (str, bytes)):
        return _text_hint(item)
    if not may_be_number(item):
        return f"it holds {kind.__name__} objects, which are not numbers: give an array of numbers"
    return _OF_KINDS["O"]


def _text_hint(text):
    """The hint for an array of objects with a text, which may be that of a number."""
    try:
        float(text)
    except ValueError:
        return f"it holds the text {text[:MAX_TEXT]!r}, which is no number: leave it out, or put NaN in its place"
    return _OF_KINDS["O"]


def is_array_alone(kind):
    """Whether objects of a type are read as arrays where they are alone, and NumPy does not read them in lists."""
    return any(hasattr(kind, name) for name in _OF_ARRAYS_ALONE)


def has_keys(kind):
    """Whether objects of a type hold values under keys, and are no arrays, as those of pandas are."""
    return (issubclass(kind, Mapping) or hasattr(kind, "keys")) and not hasattr(kind, "__array__")


def is_iterator(kind):
    """Whether objects of a type give items once, and are no arrays; their length may be that of something else, as numpy.nditer's."""
    return issubclass(kind, Iterator) and not hasattr(kind, "__array__")


def is_module(kind):
    """Whether objects of a type are modules of a neural network, and are no arrays."""
    return hasattr(kind, "named_parameters") and not hasattr(kind, "__array__")


def object_hint(X):
    """The hint for an object of which NumPy makes nothing but an array of this one object, or of its text."""
    kind = type(X)
    if issubclass(kind, type):
        return f"{X.__name__} is a class, neither an array nor a tensor: give one of its objects"
    if issubclass(kind, bytes):
        return _OF_KINDS["S"]
    if kind is type(None):
        return f"X is None: {_NO_GRADIENT}"
    if is_module(kind) and _has_none(X.named_parameters):
        return f"{kind.__name__} is a module without parameters, draw what it returns, X(input)"
    if is_module(kind) and not has_keys(kind):
        return f"{kind.__name__} is a module with parameters, draw one of them, such as {_first_parameter(X)}"
    if is_kind(X, ("h5py",), "Empty"):
        return "an Empty of h5py has a dtype and no elements, draw another data set"
    if is_kind(X, ("torch",), "DataLoader"):
        return "a DataLoader of torch gives batches, draw one, such as next(iter(X))"
    hint = next((hint for is_one, hint in _OF_OBJECTS if is_one(kind)), None)
    return (hint or _NO_ARRAY).format(kind.__name__)


def _has_none(call):
    """Whether an iterator that a method returns gives nothing; False where that fails."""
    try:
        return next(iter(call()), None) is None
    except Exception:
        return False


def _first_parameter(module):
    """What to type for the first parameter of a module: X.weight, or by its whole name where a layer in it has a number."""
    try:
        name = str(next(iter(module.named_parameters()))[0])
    except Exception:
        return "X.weight"
    is_attribute = all(part.isidentifier() for part in name.split("."))
    return f"X.{name}" if is_attribute else f"dict(X.named_parameters())[{name!r}]"


_NO_ARRAY = "{} is neither an array nor a tensor nor a list of numbers"


_OF_OBJECTS = (
    (lambda kind: hasattr(kind, "toarray"), "it is sparse, make it dense with X.toarray()"),
    (lambda kind: hasattr(kind, "nominal_value"), "a number with an uncertainty has two values, draw X.nominal_value"),
    (lambda kind: issubclass(kind, (str, UserString, os.PathLike)), _OF_KINDS["U"]),
    (lambda kind: hasattr(kind, "get_group"), "{} holds tables in groups, choose one with X.get_group(key)"),
    (lambda kind: hasattr(kind, "get_tensor"), "{} is an open file, give one of its tensors, X.get_tensor(name)"),
    (has_keys, "{} holds values under keys, choose one with X[key]"),
    (lambda kind: hasattr(kind, "state_dict"), "{} keeps tensors in X.state_dict(), draw one of them; gpuplot.inspect(X) shows all"),
    (is_dataclass, "{} is a dataclass, give one of its fields, or a dict of all, vars(X), where several tensors are taken"),
    (lambda kind: issubclass(kind, mmap.mmap), "the mmap was closed, map its file again"),
    (lambda kind: hasattr(kind, "readline"), "{} is a file, read it first, for example with numpy.load or matplotlib.pyplot.imread"),
    (is_iterator, "{} gives its elements only once, make a list of it with list(X)"),
    (lambda kind: issubclass(kind, memoryview), "the memoryview was released, make another one of its object, or give that object"),
    (lambda kind: issubclass(kind, ItemsView), "{} has pairs of a key and a value, give the values, list(X.mapping.values())"),
    (lambda kind: issubclass(kind, (Set, ValuesView)), f"{_NO_ARRAY}; make a list of it with list(X)"),
)
