"""JAX arrays -> an array that DLPack can borrow; tracers, keys and deleted arrays are refused, with a hint what to draw instead."""

import sys

from ..errors import UnsupportedError, type_text
from . import dlpack
from .dtypes import holder_of
from .lazy_arrays import check_size
from .optional_imports import is_kind

_LIBRARIES = ("jax", "jaxlib")


def resolve(X):
    """The array that holds the elements of an object of JAX, None for objects that are not arrays.

    That is X itself, the value of a tracer or a reference, zeros for a symbolic zero, or wider numbers where X has fewer than 8
    bits an element. UnsupportedError where there are no elements (tracers, shapes) or they cannot be read (deleted arrays, keys).
    """
    if is_kind(X, _LIBRARIES, "Tracer"):
        X = _traced(X)
        if not hasattr(type(X), "sharding"):
            return X  # grad() was given a number, which is not a JAX array
    if is_kind(X, _LIBRARIES, "Ref"):
        X = X[...]
    if is_kind(X, _LIBRARIES, "ShapeDtypeStruct", "ShapedArray"):
        raise UnsupportedError(f"{type_text(type(X))} of JAX has a shape but no values: draw an array")
    if is_kind(X, _LIBRARIES, "JAXSparse"):
        return _dense(X)
    if not hasattr(type(X), "addressable_shards") or not hasattr(type(X), "sharding"):
        return None
    _refuse_keys(X)
    if X.is_deleted():
        raise UnsupportedError(f"the JAX array of shape {X.shape} has been deleted: it was donated to a jitted function "
                               "(donate_argnums) or delete() was called; draw what the function returned, or draw before the call")
    return _held(X)


def is_changing(X):
    """True for a Ref, whose value is read again at every use."""
    return is_kind(X, _LIBRARIES, "Ref")


def lend(X, stream=None):
    """Borrows an array on one device, the current value of a Ref, or one of several equal copies."""
    array = resolve(X)
    return dlpack.lend(array if len(array.sharding.device_set) == 1 else array.addressable_data(0), stream=stream)


def _traced(X):
    """The value of a tracer of grad, jvp or vjp; UnsupportedError for those of jit and vmap, which have none."""
    jax = sys.modules.get("jax")
    try:
        value = jax.lax.stop_gradient(X)
    except Exception:
        value = X
    if is_kind(value, _LIBRARIES, "Tracer"):
        raise UnsupportedError(f"a JAX tracer ({type(X).__name__}) has no values yet: draw outside of jit, vmap and scan, or at "
                               "run time from inside, with jax.debug.callback(lambda x: gpuplot.imsave('x.png', x), X)")
    return value


def _refuse_keys(X):
    if str(X.dtype).startswith("key<"):
        raise UnsupportedError("random keys of JAX are not numbers: draw their bits, jax.random.key_data(X)")


def _held(X):
    """An array of fewer than 8 bits an element as the dtype that holds these, on its devices; others themselves.

    UnsupportedError where other processes hold some of it, which would have to call this, too.
    """
    holder = holder_of(X.dtype)
    if holder is None:
        return X
    if not X.is_fully_addressable:
        raise UnsupportedError(f"JAX arrays of {X.dtype} over several processes cannot be read: convert them in all processes, with "
                               f"X.astype('{holder}')")
    return X.astype(holder)


def _dense(X):
    check_size(X, X.shape, X.dtype.itemsize, "it is sparse; make it dense yourself, X.todense(), or a part of it")
    return X.todense()
