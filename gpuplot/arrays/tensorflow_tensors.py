"""Tensors and variables of TensorFlow and Keras -> a native tensor; the dtype is checked before TensorFlow is called."""

import math
import sys

import numpy as np

from ..errors import UnsupportedError, type_text
from . import dlpack, host_arrays
from .dtypes import ITEM_BYTES
from .lazy_arrays import check_size
from .optional_imports import is_kind

_LIBRARIES = ("tensorflow", "keras")
_IN_GRAPH = ("has no values yet: draw outside of tf.function, or at run time from inside, with "
             "tf.py_function(lambda x: gpuplot.imsave('x.png', x), [X], [])")


def is_tensor(X):
    """True for tensors and variables of TensorFlow, including those without values."""
    return hasattr(type(X), "read_value") or (hasattr(X, "dtype") and is_kind(X, _LIBRARIES, "Tensor"))


def lend(X, stream=None):
    """Borrows a tensor, or the current value of a variable, through DLPack without a copy; UnsupportedError for symbolic tensors.

    Elements that are not numbers are refused before the export: TensorFlow ends the process when the memory of text is exported.
    """
    name = _dtype_name(X)
    # The value of a variable is read at every use, because assign() replaces it.
    tensor = X.read_value() if hasattr(type(X), "read_value") else X
    if not dlpack.has_dlpack(tensor) and not hasattr(type(tensor), "numpy"):
        raise UnsupportedError(f"{type_text(type(tensor))} of TensorFlow {_IN_GRAPH}")
    if name.startswith("float8"):  # not exported through DLPack, but a tensor on the host shares its memory with NumPy
        return host_arrays.lend(np.asarray(tensor if len(tensor.shape) else tensor.numpy()), None)
    return dlpack.lend(tensor, stream=stream)


def _dtype_name(X):
    dtype = getattr(X, "dtype", None)
    name = str(getattr(dtype, "name", dtype)).removesuffix("_ref")
    if dtype is None or name in ITEM_BYTES:
        return name
    if name.startswith(("qint", "quint")):
        how = f"dequantize it, with tf.quantization.dequantize(X, low, high), or draw its codes, tf.bitcast(X, '{name[1:]}')"
    elif name in ("string", "variant", "resource"):
        how = "these are not numbers" + ("; convert numbers in text with tf.strings.to_number(X)" if name == "string" else "")
    else:
        target = "int32" if "int" in name else "float32"
        how = f"convert first, with tf.cast(X, '{target}')"
    raise UnsupportedError(f"TensorFlow tensors of {name} cannot be read: {how}")


def variable_of(X):
    """The variable of the backend (TensorFlow, JAX, torch) inside a variable of Keras, None for other objects.

    UnsupportedError for a symbolic tensor of Keras.
    """
    if is_kind(X, _LIBRARIES, "KerasTensor"):
        raise UnsupportedError("a KerasTensor is a placeholder without values: draw what a model returns for some input, such as "
                               "model(batch)")
    return X.value if is_kind(X, _LIBRARIES, "Variable", "KerasVariable") and hasattr(X, "value") else None


def dense(X):
    """Converts a small, unambiguous composite of TensorFlow (ragged, sparse, slices) to one tensor; None for other objects.

    UnsupportedError, with the code to type, for composites that are large or ambiguous.
    """
    for name, make in _COMPOSITES.items():
        if is_kind(X, _LIBRARIES, name):
            return make(X)
    return None


def _from_ragged(X):
    if not hasattr(X.flat_values, "numpy"):
        raise UnsupportedError(f"a RaggedTensor of TensorFlow {_IN_GRAPH}")
    if math.prod(X.flat_values.shape) != math.prod(int(n) for n in X.bounding_shape()):
        raise UnsupportedError("the rows of the RaggedTensor differ in length: pad them, with "
                               f"{'X' if X.dtype.is_floating else 'tf.cast(X, tf.float32)'}.to_tensor(default_value=float('nan')), or "
                               "draw one, X[0]")
    return X.to_tensor()


def _from_sparse(X):
    _check_eager(X)
    check_size(X, [int(n) for n in X.dense_shape], X.dtype.size, "it is sparse; make it dense yourself, tf.sparse.to_dense(X)")
    sparse = sys.modules["tensorflow"].sparse
    return sparse.to_dense(sparse.reorder(X))


def _from_slices(X):
    _check_eager(X)
    if X.dense_shape is None:
        raise UnsupportedError("the IndexedSlices lack the shape of the whole tensor: draw the rows that they hold, "
                               "X.values; their numbers are X.indices")
    check_size(X, [int(n) for n in X.dense_shape], X.dtype.size, "draw the rows that they hold, X.values, or all of it, "
               "tf.convert_to_tensor(X)")
    return sys.modules["tensorflow"].convert_to_tensor(X)


def _check_eager(X):
    if not hasattr(X.values, "numpy"):
        raise UnsupportedError(f"{type_text(type(X))} of TensorFlow {_IN_GRAPH}")


def _refuse(line):
    def refuse(X):
        raise UnsupportedError(f"{type_text(type(X))} of TensorFlow is not a tensor: draw {line}")
    return refuse


_COMPOSITES = {
    "RaggedTensor": _from_ragged,
    "SparseTensor": _from_sparse,
    "IndexedSlices": _from_slices,
    "TensorArray": _refuse("X.stack()"),
    "ShouldUseWrapper": _refuse("X.stack()"),
    "DatasetV2": _refuse("one element of it, next(iter(X))"),
    "TypeSpec": _refuse("a tensor of this type"),
}
