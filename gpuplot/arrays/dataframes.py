"""Columns and tables of pandas, polars, Arrow and Awkward -> an array of their numbers, masked where values are missing."""

from typing import NamedTuple

import numpy as np

from ..errors import UnsupportedError, listed, no_numbers, type_text
from .lazy_arrays import check_size
from .optional_imports import is_kind, module_roots

# Maximum number of columns that an error names, and of characters of each name.
MAX_NAMED, MAX_NAME_LETTERS = 5, 60

# Maximum number of elements by which a hint finds that a conversion works.
MAX_TRIED = 1000


def _named(names):
    """``"columns 'a', 'b'"``."""
    text = listed([repr(name)[:MAX_NAME_LETTERS] for name in names], MAX_NAMED)
    return f"{'column' if len(names) == 1 else 'columns'} {text}"


def _conversion_hint(X, convert, how):
    """The hint to convert a column first, if that works for its first elements, as of texts that are numbers."""
    try:
        convert(getattr(X, "iloc", X)[:MAX_TRIED])
    except Exception:  # libraries have many errors for it
        return "give an array of numbers"
    return f"convert it first, with {how}"


def columns_of(X):
    """(name, column) pairs of a table of pandas, cuDF, polars or Arrow; None for other objects."""
    try:
        return _columns_of(X)
    except MemoryError:
        raise
    except Exception:  # a type that pretends to come from one of them, about which its reader has the better error
        return None


def _columns_of(X):
    roots = module_roots(X)
    if roots & {"pandas", "cudf"} and hasattr(X, "iloc") and getattr(X, "ndim", 0) == 2:
        return [(str(name), X.iloc[:, k]) for k, name in enumerate(X.columns)]
    if "polars" in roots and hasattr(X, "get_columns"):
        return [(column.name, column) for column in X.get_columns()]
    if "pyarrow" in roots and hasattr(X, "columns") and hasattr(X, "schema"):
        return list(zip(map(str, X.schema.names), X.columns, strict=True))
    return None


# ---- pandas ------------------------------------------------------------------------------------------------------------


def from_pandas(X):
    """The values of a Series, Index, DataFrame or extension array, (n,) or (rows, columns); None for other objects.

    Missing values of nullable columns become masked elements, so integers stay exact beside them; NaN of others stays NaN. No
    copy where pandas holds one block of plain numbers.
    """
    if not hasattr(X, "to_numpy") or not hasattr(X, "isna"):
        return None
    dtypes = list(X.dtypes) if X.ndim == 2 else [X.dtype]
    is_plain = [isinstance(dtype, np.dtype) for dtype in dtypes]
    if all(is_plain) and (X.ndim != 2 or not _are_mixed(dtypes)):
        return X.to_numpy()
    common = np.result_type(*_numpy_dtypes(X, dtypes))
    missing = np.array(X.isna())
    if not missing.any():
        return X.to_numpy(dtype=common)
    values = X.to_numpy(dtype=common, na_value=common.type("nan" if common.kind in "fc" else 0))
    # In a column that is not nullable NaN is a number like others.
    missing &= [not plain and not _is_sparse(dtype) for plain, dtype in zip(is_plain, dtypes, strict=True)]
    return np.ma.array(values, mask=missing, copy=False) if missing.any() else values


def _are_mixed(dtypes):
    """Whether pandas would turn these plain columns into Python objects: bool beside numbers, or a column without numbers."""
    kinds = {dtype.kind for dtype in dtypes}
    return not kinds <= set("iufc") and kinds != {"b"}


def _is_sparse(dtype):
    return str(dtype).startswith("Sparse")


def _numpy_dtypes(X, dtypes):
    """NumPy's dtype of each column; raises where one holds no numbers."""
    if any(map(_is_sparse, dtypes)):
        item_bytes = max(np.dtype(getattr(dtype, "subtype", dtype)).itemsize for dtype in dtypes if _is_sparse(dtype))
        check_size(X, X.shape, item_bytes, "it is sparse; make it dense yourself, X.sparse.to_dense()")
    plain = [_numpy_dtype(dtype) for dtype in dtypes]
    bad = next((dtype for dtype, numpy_dtype in zip(dtypes, plain, strict=True) if numpy_dtype is None), None)
    if bad is not None:
        raise no_numbers(bad, _table_hint(X, dtypes, plain) if X.ndim == 2 else _pandas_hint(X, str(bad)))
    return plain


def _numpy_dtype(dtype):
    """NumPy's dtype of a column, None where it holds no numbers."""
    if _is_sparse(dtype):
        plain = dtype.subtype
    else:
        plain = dtype if isinstance(dtype, np.dtype) else getattr(dtype, "numpy_dtype", None)
    return None if plain is None or plain.kind not in "biufc" else plain


def _table_hint(X, dtypes, plain):
    """The code that leaves out the columns without numbers, or that converts the first one where no column has numbers."""
    bad = [k for k, dtype in enumerate(plain) if dtype is None]
    first = repr(X.columns[bad[0]])[:MAX_NAME_LETTERS]
    if len(bad) == len(plain):
        return _pandas_hint(X.iloc[:, 0], str(dtypes[0])).replace("X", f"X[{first}]")
    without = ', exclude="timedelta"' if any(str(dtypes[k]).startswith("timedelta64") for k in bad) else ""
    return f'leave out {_named([X.columns[k] for k in bad])}, with X.select_dtypes("number"{without})'


def _pandas_hint(X, name):
    if name == "category":
        return "draw its codes, " + ("X.cat.codes" if hasattr(X, "cat") else "X.codes")
    if name.startswith(("datetime64", "timestamp", "date")):
        return "choose a unit first, for example (X - X.min()) / pandas.Timedelta(1, 's')"
    if name.startswith(("timedelta64", "duration")):
        return "choose a unit first, for example X / pandas.Timedelta(1, 's')"
    if name.startswith(("period", "interval")):
        return "draw numbers of them, such as X." + ("year" if name.startswith("period") else "mid")
    return _conversion_hint(X, lambda X: X.astype(float), "X.astype(float)")


# ---- polars ------------------------------------------------------------------------------------------------------------

_POLARS_NUMBERS = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float16", "Float32", "Float64",
                   "Boolean")
_POLARS_HINTS = {
    "Categorical": "draw its codes, X.to_physical()", "Enum": "draw its codes, X.to_physical()",
    "Date": "choose a unit first, for example (X - X.min()).dt.total_days()",
    "Datetime": "choose a unit first, for example (X - X.min()).dt.total_seconds()",
    "Duration": "choose a unit first, for example X.dt.total_seconds()",
    "Time": "draw its nanoseconds, X.to_physical()",
    "Struct": "choose one field, such as X.struct.field(name)",
    "List": "its rows may differ in length; if they do not, use X.list.to_array(length)",
    "Null": "it has no values at all; choose another column",
    "Array": "some rows are missing as a whole; leave them out, X.drop_nulls()",
    "Binary": "it has bytes, which are no numbers; choose another column",
    "Object": "it has objects of Python; if these are numbers, draw a NumPy array of them, X.to_numpy().astype(float)",
}


def from_polars(X):
    """The values of a Series, (n,) or (n, ...), or of a DataFrame, (rows, columns); None for other objects.

    Nulls are masked. Without nulls, polars copies as little as it can.
    """
    if hasattr(X, "collect") and not hasattr(X, "to_numpy"):
        raise UnsupportedError(f"{type_text(type(X))} of polars has not been computed: draw its result, X.collect()")
    if hasattr(X, "get_columns"):
        columns = X.get_columns()
        if all(_is_polars_number(column.dtype) and not column.null_count() for column in columns) and columns:
            return X.to_numpy()  # one block of memory is given as it is
        _refuse_some(columns)
        return _beside_each_other([_polars_column(column) for column in columns])
    if hasattr(X, "null_count") and hasattr(X, "to_numpy"):
        return _polars_series(X)
    if hasattr(X, "alias"):
        raise UnsupportedError(f"{type_text(type(X))} of polars has no values: draw the columns that it selects, frame.select(X)")
    return None


def names_of_columns(X):
    """A name for each column of a frame of polars as it is drawn: a column of arrays is several, ``"v[0]"``, ``"v[1]"``."""
    shapes = [getattr(dtype, "shape", ()) for dtype in X.dtypes]
    return [f"{name}[{', '.join(map(str, index))}]" if index else name
            for name, shape in zip(X.columns, shapes, strict=True) for index in np.ndindex(*shape)]


class Categories(NamedTuple):
    """Texts as numbers, with the attributes of a categorical of pandas: -1 is none."""

    codes: np.ndarray
    categories: list


def texts_of(X):
    """The texts of a Series of polars, as objects, or of an Enum as `Categories`; any other object itself."""
    if not is_kind(X, {"polars"}, "Series"):
        return X
    kind = str(X.dtype).partition("(")[0]
    if kind == "Enum":
        return Categories(X.to_physical().cast(int).fill_null(-1).to_numpy(), X.dtype.categories.to_list())
    return X.to_numpy() if kind in ("String", "Categorical") else X


def categories_of(X):
    """The texts of a categorical of pandas, or of an Enum of polars, in their own order; [] for other objects, and for other categories."""
    if is_kind(X, {"polars"}, "Series"):
        found = texts_of(X)
    elif is_kind(X, {"pandas"}, "Series", "CategoricalIndex", "Categorical") and str(X.dtype) == "category":
        found = X.dtype
    else:
        return []
    texts = list(getattr(found, "categories", ()))
    return texts if all(isinstance(text, str) for text in texts) else []


def _polars_column(X):
    """`_polars_series` of a column of a frame; the error about one without numbers says what to do with this column of it."""
    try:
        return _polars_series(X)
    except UnsupportedError as error:
        raise no_numbers(X.dtype, _hint_in(error).replace("X", f"X[{X.name!r}]")) from None


def _hint_in(error):
    """The hint at the end of a message that elements are not numbers."""
    return str(error).partition(" are not numbers: ")[2]


def _polars_series(X):
    dtype = X.dtype
    if str(dtype).startswith("Array") and not X.null_count():
        return _polars_series(X.explode()).reshape(len(X), *dtype.shape) if len(X) else X.to_numpy()
    if not _is_polars_number(dtype):
        raise no_numbers(dtype, _POLARS_HINTS.get(str(dtype).partition("(")[0]) or _conversion_hint(
            X, lambda X: X.cast(float), "X.cast(polars.Float64)"))
    if not X.null_count():
        return X.to_numpy()
    zero = False if str(dtype) == "Boolean" else 0
    return np.ma.array(X.fill_null(zero).to_numpy(), mask=X.is_null().to_numpy(), copy=False)


def _refuse_some(columns):
    """Raises the error that names the columns without numbers, if other columns have numbers."""
    bad = [column for column in columns if not _is_polars_number(column.dtype) and not str(column.dtype).startswith("Array")]
    if bad and len(bad) < len(columns):
        raise no_numbers(bad[0].dtype, f"leave out {_named([column.name for column in bad])}, with "
                         "X.select(polars.selectors.numeric())")


def _is_polars_number(dtype):
    return str(dtype) in _POLARS_NUMBERS


def _beside_each_other(columns):
    """Columns -> a table, masked if one of them is."""
    if not columns:
        return np.empty((0, 0))
    stack = np.ma.column_stack if any(np.ma.isMaskedArray(column) for column in columns) else np.column_stack
    return stack([column if column.ndim < 3 else column.reshape(len(column), -1) for column in columns])


# ---- Arrow -------------------------------------------------------------------------------------------------------------


def from_arrow(X):
    """The values of a pyarrow Array, ChunkedArray, RecordBatch or Table, nulls masked; None for other objects.

    The result shares Arrow's memory if there is one chunk and nothing is missing.
    """
    if hasattr(X, "columns") and hasattr(X, "schema"):
        return _beside_each_other(_arrow_columns(X))
    if hasattr(X, "combine_chunks") or (hasattr(X, "null_count") and hasattr(X, "to_numpy")):
        return _arrow_column(X)
    if hasattr(X, "as_py"):
        return None if X.as_py() is None else np.asarray(X.as_py())
    return None


def _arrow_columns(X):
    """The values of each column of a table; the error names those without numbers, or says what to do with the first where none has any."""
    columns, errors = [], {}
    for name, column in zip(X.schema.names, X.columns, strict=True):
        try:
            columns.append(_arrow_column(column))
        except UnsupportedError as error:
            errors[name] = column.type, error
    if not errors:
        return columns
    first, (dtype, error) = next(iter(errors.items()))
    if columns:
        raise no_numbers(dtype, f"leave out {_named(list(errors))}, with X.drop_columns(names)")
    raise no_numbers(dtype, _hint_in(error).replace("X", f"X[{first!r}]"))


def _arrow_column(X):
    if hasattr(X, "combine_chunks"):
        X = X.chunk(0) if X.num_chunks == 1 else X.combine_chunks()
    if hasattr(X, "to_numpy_ndarray"):
        return _arrow_tensors(X)
    name = str(X.type)
    if name.startswith("fixed_size_list") and not X.null_count:
        values = _arrow_column(X.flatten())
        return values.reshape(len(X), X.type.list_size, *values.shape[1:])  # the items may be lists, too
    if name.startswith("dictionary"):
        raise no_numbers(name, "draw its codes, X.indices, or its values, X.dictionary_decode()")
    if not name.startswith(("int", "uint", "float", "double", "halffloat", "bool")):
        raise no_numbers(name, _arrow_hint(X, name))
    if not X.null_count:
        return X.to_numpy(zero_copy_only=False)
    values = X.fill_null(X.type.to_pandas_dtype()(0).item()).to_numpy(zero_copy_only=False)
    return np.ma.array(values, mask=X.is_null().to_numpy(zero_copy_only=False), copy=False)


def _arrow_tensors(X):
    """The elements of an array of tensors of one shape, of which Arrow itself gives nulls as numbers, and some permutations wrongly."""
    if X.null_count:
        raise no_numbers(X.type, _MISSING_ROWS)
    values = _arrow_column(X.storage.flatten()).reshape(len(X), *X.type.shape)
    order = X.type.permutation or range(len(X.type.shape))
    return values.transpose(0, *(1 + axis for axis in order))


_MISSING_ROWS = "some rows are missing as a whole; leave them out, X.drop_null()"

_ARROW_HINTS = {
    ("date32", "time32"): "draw the integers that it stores, X.cast('int32'), a number of its units",
    ("timestamp", "date64", "time64", "duration"): "draw the integers that it stores, X.cast('int64'), a number of its units",
    ("list", "large_list"): "its rows may differ in length; draw all values in a row, X.flatten()",
    ("fixed_size_list",): _MISSING_ROWS,
    ("run_end_encoded",): "decode it first, with pyarrow.compute.run_end_decode(X)",
    ("struct",): "choose one field, such as pyarrow.compute.struct_field(X, 'name')",
    ("null",): _POLARS_HINTS["Null"], ("binary", "large_binary", "fixed_size_binary"): _POLARS_HINTS["Binary"],
}


def _arrow_hint(X, name):
    hint = next((hint for kinds, hint in _ARROW_HINTS.items() if name.startswith(kinds)), None)
    return hint or _conversion_hint(X, lambda X: X.cast("float64"), "X.cast('float64')")


# ---- Awkward -----------------------------------------------------------------------------------------------------------


def from_awkward(X):
    """The numbers of an Awkward array whose rows have equal lengths, missing ones masked; None for other objects."""
    if not hasattr(X, "to_numpy"):
        return None
    try:
        return X.to_numpy(allow_missing=True)
    except ValueError as error:
        raise UnsupportedError(f"the {type(X).__name__} of awkward is not a regular array: its rows differ in length; pad them, with "
                               "awkward.pad_none(X, length, clip=True), or draw one, X[0]") from error
