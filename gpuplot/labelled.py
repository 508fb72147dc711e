"""pandas and xarray objects -> the array inside, with a mask for missing values and the names of the axes."""

from __future__ import annotations

import numpy as np

from .errors import UnsupportedError

__all__ = ["from_pandas", "from_xarray"]


def from_pandas(X):
    """The values of a Series, Index, DataFrame or extension array.

    Missing values of nullable columns become masked elements, so integers stay exact beside them.

    Returns
    -------
    ndarray or masked array
        (n,) or (rows, columns); without a copy where pandas holds one block of plain numbers.
    """
    if not hasattr(X, "to_numpy") or not hasattr(X, "isna"):
        return np.asarray(X)  # a Timestamp, a group, an interval: NumPy makes an object of it, which is refused
    dtypes = list(X.dtypes) if X.ndim == 2 else [X.dtype]
    if all(isinstance(dtype, np.dtype) for dtype in dtypes):
        return _plain(X)
    plain_dtypes = [dtype if isinstance(dtype, np.dtype) else getattr(dtype, "numpy_dtype", None) for dtype in dtypes]
    for dtype, plain in zip(dtypes, plain_dtypes, strict=True):
        if plain is None or plain.kind not in "biufc":
            raise UnsupportedError(f"Image data of dtype {dtype} cannot be converted to float: {_hint(dtype)}")
    common = np.result_type(*plain_dtypes)
    values = X.to_numpy(dtype=common, na_value=common.type(0))
    return np.ma.array(values, mask=np.asarray(X.isna()), copy=False)


def _plain(X):
    values = X.to_numpy()
    if values.dtype == object and X.ndim == 2:
        kinds = ", ".join(sorted({str(dtype) for dtype in X.dtypes}))
        raise UnsupportedError(f"Image data of dtype object cannot be converted to float: the columns are {kinds}; "
                               "choose columns of numbers or convert them, with X.astype(float)")
    return values


def _hint(dtype):
    name = str(dtype)
    if name == "category":
        return "draw its codes, X.cat.codes"
    if name.startswith("Sparse"):
        return "make it dense first, with X.sparse.to_dense()"
    return "convert it first, with X.astype(float)"


def from_xarray(X):
    """The array inside a DataArray or Variable, which may belong to any library, and the names of its axes."""
    if not hasattr(X, "data") or not isinstance(X.dims, tuple):
        names = ", ".join(repr(str(name)) for name in getattr(X, "data_vars", ())) or "none"
        raise UnsupportedError(f"an xarray {type(X).__name__} holds several arrays: choose one, X[name]; names: {names}")
    return X.data, tuple(str(name) for name in X.dims)
