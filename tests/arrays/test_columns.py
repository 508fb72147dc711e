"""Columns and tables of pandas, polars and Arrow: numbers, missing values, copies that are avoided, and errors."""

import re

import numpy as np
import pytest
from matplotlib.figure import Figure

import gpuplot
from gpuplot.arrays.describe import describe

pytestmark = pytest.mark.host("columns in host memory")


@pytest.fixture
def pd():
    return pytest.importorskip("pandas")


@pytest.fixture
def pl():
    return pytest.importorskip("polars")


@pytest.fixture
def pa():
    pytest.importorskip("pyarrow.compute")
    return pytest.importorskip("pyarrow")


def check(X, expected, dtype):
    """X reads as an array, or a masked array with NaN where it is masked."""
    source = describe(X)
    expected = np.asarray(expected)
    assert (source.shape, source.dtype, source.is_host_array) == (expected.shape, dtype, True)
    assert source.is_masked == bool(np.isnan(expected.astype(float)).any() and dtype not in ("float32", "float64"))
    np.testing.assert_array_equal(gpuplot.asnumpy(X, "float64"), expected.astype(float))


# ---- pandas ------------------------------------------------------------------------------------------------------------


def test_columns_of_pandas(pd):
    check(pd.Series([1.5, np.nan]), [1.5, np.nan], "float64")
    check(pd.Index([1, 2]), [1, 2], "int64")
    check(pd.RangeIndex(3), [0, 1, 2], "int64")
    check(pd.DataFrame({"a": [1, 2], "b": [1.5, 2]}), [[1, 1.5], [2, 2]], "float64")
    check(pd.Series([1, None], dtype="Int64"), [1, np.nan], "int64")
    check(pd.Series([True, None], dtype="boolean"), [1, np.nan], "bool")
    check(pd.Series([1, 2], dtype="Int64"), [1, 2], "int64")
    check(pd.DataFrame({"a": pd.array([1, None], dtype="Int16"), "b": pd.array([3, 4], dtype="Int32")}), [[1, 3], [np.nan, 4]], "int32")
    check(pd.Series(pd.arrays.SparseArray([0, 0, 1.5], fill_value=0)), [0, 0, 1.5], "float64")


def test_what_a_table_advises_is_taken(pd):
    X = pd.DataFrame({"a": [1, 2], "b": ["x", "y"], "c": pd.to_timedelta([1, 2], "s"), "d": pd.array([3, None], dtype="Int8")})
    check(X.select_dtypes("number", exclude="timedelta"), [[1, 3], [2, np.nan]], "int64")
    check(pd.DataFrame({"a": [1, 2], "b": [True, False]}), [[1, 1], [2, 0]], "int64")


def test_nan_beside_nullable_columns_is_no_missing_value(pd):
    nan, sparse = [1.5, np.nan, 2], pd.arrays.SparseArray([1.5, np.nan, 2])
    for column, n_masked in (([1, 2, 3], 0), ([None, 2, 3], 1)):
        found = gpuplot.stats(pd.DataFrame({"a": pd.array(column, dtype="Int64"), "b": nan, "c": sparse}))
        assert (found.masked, found.nan) == (n_masked, 2)
    array = describe(pd.DataFrame({"a": pd.array([1, None], dtype="Int8"), "b": [1j, np.nan]})).array
    assert np.isnan(array[1, 1]) and np.ma.getmaskarray(array).tolist() == [[False, False], [True, False]]
    found = gpuplot.stats(pd.Series(sparse))
    assert (found.masked, found.nan) == (0, 1)


def test_lists_of_nullable_columns_of_pandas_are_masked(pd):
    """NumPy makes objects of missing bool, and floats of missing integers, which large ones do not fit."""
    column, whole = pd.Series([True, None], dtype="boolean"), pd.Series([True, False])
    for several in ([column, column], [whole, column], (whole, column)):
        check(several, [[1, 0 if one is whole else np.nan] for one in several], "bool")
    exact = gpuplot.asnumpy([pd.Series([2**60 + 1, None], dtype="Int64")] * 2)
    assert exact.dtype == "int64" and exact[0, 0] == 2**60 + 1 and exact.mask.tolist() == [[False, True]] * 2
    with pytest.raises(gpuplot.UnsupportedError, match="not numbers"):
        gpuplot.asnumpy([pd.Series(["a", None], dtype="string")] * 2)


def test_lists_of_columns_of_polars_are_masked():
    """NumPy makes floats of integers with nulls, which large ones do not fit, and objects of bool with nulls."""
    pl = pytest.importorskip("polars")
    exact = gpuplot.asnumpy([pl.Series([2**60 + 1, None]), pl.Series([3, 4])])
    assert exact.dtype == "int64" and exact.tolist() == [[2**60 + 1, None], [3, 4]]
    check([pl.Series([True, None])] * 2, [[1, np.nan]] * 2, "bool")
    assert gpuplot.asnumpy([[pl.Series([1, None])]]).mask.tolist() == [[[False, True]]]
    with pytest.raises(gpuplot.UnsupportedError, match="not numbers"):
        gpuplot.asnumpy([pl.Series(["a", None])] * 2)


def test_pandas_copies_no_block_of_numbers(pd):
    values = np.arange(12.0).reshape(3, 4)
    frame = pd.DataFrame(values)
    assert np.shares_memory(describe(frame).array, frame.to_numpy())
    column = pd.Series(values[0])
    assert np.shares_memory(describe(column).array, column.to_numpy())


def test_columns_of_pandas_in_arrow(pd):
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(gpuplot.UnsupportedError, match=r"list.* are not numbers: give an array of numbers"):
        describe(pd.Series([[1], [2]], dtype=pd.ArrowDtype(pa.list_(pa.int64()))))
    check(pd.Series([1, None, 3], dtype="int64[pyarrow]"), [1, np.nan, 3], "int64")
    check(pd.Series([True, None], dtype="bool[pyarrow]"), [1, np.nan], "bool")
    exact = describe(pd.Series([2**60 + 1, None], dtype="int64[pyarrow]")).array
    assert exact[0] == 2**60 + 1 and exact[1] is np.ma.masked
    with pytest.raises(gpuplot.UnsupportedError, match=re.escape("pandas.Timedelta(1, 's')")):
        describe(pd.Series(pd.date_range("2020", periods=2)).astype("timestamp[us][pyarrow]"))


@pytest.mark.parametrize("make, hint", [
    (lambda pd: pd.Series(["a", "b"], dtype="category"), "X.cat.codes"),
    (lambda pd: pd.Categorical(["a", "b"]), "X.codes"),
    (lambda pd: pd.Series(pd.date_range("2020", periods=2, tz="UTC")), "pandas.Timedelta(1, 's')"),
    (lambda pd: pd.period_range("2020", periods=2, freq="D"), "X.year"),
    (lambda pd: pd.interval_range(0, 2), "X.mid"),
    (lambda pd: pd.Series(["a"]), "give an array of numbers"),
    (lambda pd: pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), """leave out column 'b', with X.select_dtypes("number")"""),
    (lambda pd: pd.DataFrame({"a": [1], "b": ["x"], "c": pd.Categorical(["x"])}), "leave out columns 'b', 'c', with X.select_dtypes"),
    (lambda pd: pd.DataFrame([[1, *"abcdefg"]]), "leave out columns 1, 2, 3, 4, 5, ..., with X.select_dtypes"),
    (lambda pd: pd.DataFrame({"a": [1], "b": pd.to_timedelta([1], "s")}), """X.select_dtypes("number", exclude="timedelta")"""),
    (lambda pd: pd.DataFrame({"a": [1], "b": pd.period_range("2020", periods=1, freq="D")}), "leave out column 'b'"),
    (lambda pd: pd.DataFrame({"a": pd.Categorical(["x", "y"])}), "X['a'].cat.codes"),
    (lambda pd: pd.DataFrame({"a": pd.Series(["1"], dtype="string")}), "X['a'].astype(float)"),
])
def test_what_is_no_number_in_pandas(pd, make, hint):
    with pytest.raises(gpuplot.UnsupportedError, match=re.escape(hint)):
        describe(make(pd))


def test_columns_of_arrays_in_a_table_of_polars(pl):
    """Each element of a row is a column, with a name of its own; two tables of them had none to compare."""
    table = pl.DataFrame({"a": [1.0, 2.0], "v": [[3.0, 4.0], [5.0, 6.0]]}, schema={"a": pl.Float64, "v": pl.Array(pl.Float64, 2)})
    source = describe(table)
    assert source.shape == (2, 3) and list(source.labels.axes[1].names) == ["a", "v[0]", "v[1]"]
    assert gpuplot.compare(table, table).comparison.max_abs == 0
    square = pl.DataFrame(
        {"m": [[[1.0, 2.0], [3.0, 4.0]]] * 3, "b": [0, 1, None]}, schema={"m": pl.Array(pl.Float64, (2, 2)), "b": pl.Int8})
    assert describe(square).shape == (3, 5)
    assert list(describe(square).labels.axes[1].names) == ["m[0, 0]", "m[0, 1]", "m[1, 0]", "m[1, 1]", "b"]


# ---- polars ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float32",
                                   "Float64", "Boolean"])
def test_series_of_polars(pl, dtype):
    name = {"Boolean": "bool"}.get(dtype, dtype.lower())
    X = pl.Series([1, 0, 3]).cast(getattr(pl, dtype))
    check(X, [1, 0, 1 if dtype == "Boolean" else 3], name)
    holes = X.set(pl.Series([False, True, False]), None)
    source = describe(holes)
    assert (source.dtype, source.is_masked) == (name, True)
    np.testing.assert_array_equal(np.ma.getmask(source.array), [False, True, False])


def test_polars_copies_nothing_that_it_can_give(pl):
    X = pl.Series([1.0, 2.0])
    found = describe(X).array
    assert np.shares_memory(found, X.to_numpy()) and not found.flags.writeable
    exact = describe(pl.Series([2**60 + 1, None])).array
    assert exact[0] == 2**60 + 1


def test_tables_of_polars(pl):
    check(pl.DataFrame({"a": [1, 2], "b": [1.5, 2.5]}), [[1, 1.5], [2, 2.5]], "float64")
    check(pl.DataFrame({"a": [1, None], "b": [3, 4]}), [[1, 3], [np.nan, 4]], "int64")
    check(pl.Series([[1, 2], [3, 4]], dtype=pl.Array(pl.Int16, 2)), [[1, 2], [3, 4]], "int16")
    check(pl.Series([[[1, 2]], [[3, 4]]], dtype=pl.Array(pl.Int16, (1, 2))), [[[1, 2]], [[3, 4]]], "int16")
    check(pl.Series([], dtype=pl.Array(pl.Int16, 2)), np.empty((0, 2)), "int16")
    check(pl.DataFrame(), np.empty((0, 0)), "float64")


@pytest.mark.parametrize("make, hint", [
    (lambda pl: pl.Series([1]).cast(pl.Date), "(X['a'] - X['a'].min()).dt.total_days()"),
    (lambda pl: pl.Series(["a"]).cast(pl.Categorical), "draw its codes, X['a'].to_physical()"),
    (lambda pl: pl.Series([[1.0], None], dtype=pl.Array(pl.Float64, 1)), "X['a'].drop_nulls()"),
])
def test_a_table_of_polars_without_numbers_names_a_column(pl, make, hint):
    """The hint was for a column, and failed for the table."""
    with pytest.raises(gpuplot.UnsupportedError, match=re.escape(hint)):
        describe(pl.DataFrame({"a": make(pl)}))


@pytest.mark.parametrize("make, hint", [
    (lambda pl: pl.Series(["1"]), "X.cast(polars.Float64)"), (lambda pl: pl.Series(["a"]), "give an array of numbers"),
    (lambda pl: pl.Series(["a"]).cast(pl.Categorical), "X.to_physical()"),
    (lambda pl: pl.Series([1]).cast(pl.Datetime), "dt.total_seconds()"), (lambda pl: pl.Series([1]).cast(pl.Date), "dt.total_days()"),
    (lambda pl: pl.Series([1]).cast(pl.Duration), "X.dt.total_seconds()"), (lambda pl: pl.Series([[1, 2], [3]]), "X.list.to_array"),
    (lambda pl: pl.Series([{"a": 1}]), "X.struct.field(name)"),
    (lambda pl: pl.Series([1]).cast(pl.Decimal(9, 2)), "X.cast(polars.Float64)"),
    (lambda pl: pl.Series([1]).cast(pl.Int128), "X.cast(polars.Float64)"), (lambda pl: pl.DataFrame({"a": [1]}).lazy(), "X.collect()"),
    (lambda pl: pl.col("a"), "frame.select(X)"), (lambda pl: pl.Series([None]), "no values"),
    (lambda pl: pl.DataFrame({"b": ["x"]}), "String"),
    (lambda pl: pl.Series([[1.0], None], dtype=pl.Array(pl.Float64, 1)), "X.drop_nulls()"),
    (lambda pl: pl.Series([b"a"]), "choose another column"),
    (lambda pl: pl.Series([object()], dtype=pl.Object), "X.to_numpy().astype(float)"),
    (lambda pl: pl.DataFrame({"a": [1], "b": ["x"]}), "leave out column 'b', with X.select(polars.selectors.numeric())"),
])
def test_what_is_no_number_in_polars(pl, make, hint):
    with pytest.raises(gpuplot.UnsupportedError, match=re.escape(hint)):
        describe(make(pl))


# ---- Arrow -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "uint64", "float16", "float32", "float64", "bool_"])
def test_arrays_of_arrow(pa, dtype):
    name = dtype.rstrip("_")
    X = pa.array([1, 0, 1], pa.int64()).cast(getattr(pa, dtype)()) if dtype != "float16" else pa.array(np.float16([1, 0, 1]))
    check(X, [1, 0, 1], name)
    holes = pa.array([True, None, False]) if dtype == "bool_" else pa.array(np.ones(3, name), mask=np.array([False, True, False]))
    source = describe(holes)
    assert (source.dtype, source.is_masked) == (name, True)
    np.testing.assert_array_equal(np.ma.getmask(source.array), [False, True, False])


def test_tables_of_arrow(pa):
    check(pa.chunked_array([[1, 2], [3, None]]), [1, 2, 3, np.nan], "int64")
    check(pa.table({"a": [1, None], "b": [3, 4]}), [[1, 3], [np.nan, 4]], "int64")
    check(pa.record_batch({"a": [1.5, 2], "b": [3, 4]}), [[1.5, 3], [2, 4]], "float64")
    check(pa.FixedSizeListArray.from_arrays(pa.array([1, 2, 3, 4]), 2), [[1, 2], [3, 4]], "int64")
    one = pa.chunked_array([np.arange(5.0)])
    assert np.shares_memory(describe(one).array, one.chunk(0).to_numpy())


def test_lists_in_lists_of_arrow(pa):
    """NumPy's own error about a shape came through."""
    X = pa.array([[[1, 2], [3, None]], [[5, 6], [7, 8]]], pa.list_(pa.list_(pa.int8(), 2), 2))
    check(X, [[[1, 2], [3, np.nan]], [[5, 6], [7, 8]]], "int8")
    assert describe(pa.chunked_array([X, X])).shape == (4, 2, 2)
    check(pa.table({"x": X, "y": [0, 1]}), [[1, 2, 3, np.nan, 0], [5, 6, 7, 8, 1]], "int64")


@pytest.mark.parametrize("order", [None, [1, 0, 2], [2, 0, 1]])
def test_arrays_of_tensors_of_arrow(pa, order):
    """Nulls in them were numbers, and some orders of axes showed elements twice and others never, as Arrow itself gives them."""
    elements = np.arange(48).reshape(2, 2, 3, 4)
    dtype = pa.fixed_shape_tensor(pa.int32(), [2, 3, 4], permutation=order)

    def tensors(rows):
        return pa.ExtensionArray.from_storage(dtype, pa.array(rows, pa.list_(pa.int32(), 24)))

    expected = elements.transpose(0, *(1 + axis for axis in order or range(3)))
    check(tensors(elements.reshape(2, 24).tolist()), expected, "int32")
    holes = [[None if n % 5 == 0 else n for n in row] for row in elements.reshape(2, 24).tolist()]
    check(tensors(holes)[1:], np.where(expected % 5, expected, np.nan)[1:], "int32")
    with pytest.raises(gpuplot.UnsupportedError, match=re.escape("X.drop_null()")):
        describe(tensors([holes[0], None]))


def test_lists_of_items_of_arrow(pa):
    """NumPy read the bytes of texts as numbers, and numbers were refused."""
    np.testing.assert_array_equal(gpuplot.asnumpy(list(pa.array([1, 2]))), [1, 2])
    np.testing.assert_array_equal(gpuplot.asnumpy([list(pa.array([1.5]))] * 2), [[1.5], [1.5]])
    for texts in (pa.array(["a", "b"]), pa.array([b"a", b"b"])):
        with pytest.raises(gpuplot.UnsupportedError, match="text is not numbers"):
            gpuplot.asnumpy(list(texts))
    ax = Figure().subplots()
    assert gpuplot.hist(list(pa.array(["a", "b", "a"])), range(3), align="left", ax=ax).n.tolist() == [2, 1]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["a", "b"]


@pytest.mark.parametrize("make, hint", [
    (lambda pa: pa.array(["1"]), "X.cast('float64')"), (lambda pa: pa.array([1], pa.timestamp("s")), "X.cast('int64')"),
    (lambda pa: pa.array(["a"]), "string are not numbers: give an array of numbers"),
    (lambda pa: pa.array([1], pa.date32()), "X.cast('int32')"), (lambda pa: pa.array([[1], None], pa.list_(pa.int8(), 1)), "X.drop_null()"),
    (lambda pa: pa.compute.run_end_encode(pa.array([1])), "pyarrow.compute.run_end_decode(X)"),
    (lambda pa: pa.array([(1, 2, 3)], pa.month_day_nano_interval()), "give an array of numbers"),
    (lambda pa: pa.table({"a": ["1"]}), "X['a'].cast('float64')"), (lambda pa: pa.table({"a": ["x"], "b": [1]}), "leave out column 'a'"),
    (lambda pa: pa.array([1.0]).dictionary_encode(), "X.indices"), (lambda pa: pa.array([[1], [2, 3]]), "X.flatten()"),
    (lambda pa: pa.table({"a": ["x"]}), "string"), (lambda pa: pa.array([{"a": 1}]), "pyarrow.compute.struct_field(X, 'name')"),
    (lambda pa: pa.array([None]), "no values at all"), (lambda pa: pa.array([b"x"]), "bytes, which are no numbers"),
])
def test_what_is_no_number_in_arrow(pa, make, hint):
    with pytest.raises(gpuplot.UnsupportedError, match=re.escape(hint)):
        describe(make(pa))


# ---- Awkward -----------------------------------------------------------------------------------------------------------


def test_awkward_arrays_with_equal_rows():
    ak = pytest.importorskip("awkward")
    check(ak.Array(np.arange(6.0).reshape(2, 3)), np.arange(6.0).reshape(2, 3), "float64")
    check(ak.Array([[1, None], [2, 3]]), [[1, np.nan], [2, 3]], "int64")
    with pytest.raises(gpuplot.UnsupportedError, match=re.escape("awkward.pad_none(X, length, clip=True)")):
        describe(ak.Array([[1, 2], [3]]))


# ---- histograms ----------------------------------------------------------------------------------------------------------


def table_in(library):
    """A table with a column of whole numbers, one of floats, and a missing value."""
    columns = {"loss": [1, 2, 2**60], "gain": [0.5, None, 2.5]}
    if library == "pandas":
        return pytest.importorskip("pandas").DataFrame(columns)
    if library == "polars":
        return pytest.importorskip("polars").DataFrame(columns)
    return pytest.importorskip("pyarrow").table(columns)


@pytest.mark.filterwarnings("ignore:1 NaN of 6")
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_histogram_of_a_table_has_a_dataset_for_each_column(library):
    found = gpuplot.hist(table_in(library), [0, 1, 2, 3], ax=Figure().subplots())
    assert found.n.tolist() == [[0, 1, 1], [1, 0, 1]] and found.outside == (1, 0)
    assert [bars[0].get_label() for bars in found.patches] == ["loss", "gain"]


def test_histograms_of_tables_that_are_refused(pd):
    ax = Figure().subplots()
    with pytest.raises(ValueError, match=r"65 columns, and 1 to 64 are drawn: choose some, X\[names\]"):
        gpuplot.hist(pd.DataFrame(np.zeros((2, 65))), ax=ax)
    with pytest.raises(gpuplot.UnsupportedError, match=re.escape("leave out column 'name', with X.select_dtypes")):
        gpuplot.hist(pd.DataFrame({"a": [1, 2], "name": ["x", "y"]}), ax=ax)
    assert gpuplot.hist(pd.DataFrame({"a": [1, 2]}), 1, weights=pd.DataFrame({"w": [3, 4]}), ax=ax).n.tolist() == [7]


TEXTS = ["a", "b", "a", "c"]
COLUMNS_OF_TEXTS = {
    "pandas string": lambda texts: pytest.importorskip("pandas").Series(texts, dtype="string"),
    "pandas str": lambda texts: pytest.importorskip("pandas").Series(texts, dtype=None if None in texts else "str"),
    "pandas table": lambda texts: pytest.importorskip("pandas").DataFrame({"name": texts}),
    "polars": lambda texts: pytest.importorskip("polars").Series(texts),
    "polars table": lambda texts: pytest.importorskip("polars").DataFrame({"name": texts}),
    "polars categories": lambda texts: pytest.importorskip("polars").Series(texts, dtype=pytest.importorskip("polars").Categorical),
    "objects": lambda texts: np.array(texts, object),
    "list": list,
}


@pytest.mark.parametrize("kind", COLUMNS_OF_TEXTS)
def test_columns_of_texts_are_counted_as_lists_of_texts_are(kind):
    ax = Figure().subplots()
    found = gpuplot.hist(COLUMNS_OF_TEXTS[kind](TEXTS), range(4), align="left", ax=ax)
    assert found.n.tolist() == [2, 1, 1] and [text.get_text() for text in ax.get_xticklabels()] == ["a", "b", "c"]


@pytest.mark.filterwarnings("ignore:1 NaN of 5")
@pytest.mark.parametrize("kind", COLUMNS_OF_TEXTS)
def test_missing_texts_are_in_no_bin_and_leave_a_gap(kind):
    X = COLUMNS_OF_TEXTS[kind]([*TEXTS, None])
    found = gpuplot.hist(X, range(4), ax=Figure().subplots())
    assert found.n.tolist() == [2, 1, 1] and found.nan == 1
    if "table" not in kind:
        [line] = gpuplot.plot(X, ax=Figure().subplots())
        np.testing.assert_array_equal(line.get_ydata(orig=False), [0, 1, 0, 2, np.nan])


def test_columns_of_texts_and_of_dates_are_datasets(pd):
    ax = Figure().subplots()
    found = gpuplot.hist(pd.DataFrame({"u": ["a", "b"], "v": ["b", "c"]}), range(4), ax=ax)
    assert found.n.tolist() == [[1, 1, 0], [0, 1, 1]] and [bars[0].get_label() for bars in found.patches] == ["u", "v"]
    days = pd.DataFrame({"u": pd.date_range("2020-01-01", periods=3), "v": pd.date_range("2020-01-02", periods=3)})
    assert gpuplot.hist(days, 4, ax=Figure().subplots()).n.sum() == 6


def test_points_whose_mask_is_read_only():
    """matplotlib writes to masks; those of Awkward cannot be written to."""
    mask = np.array([False, True])
    X = np.ma.array([1, 2], mask=mask, copy=False)
    mask.flags.writeable = X.mask.flags.writeable = False
    points = gpuplot.scatter(X, [3, 4], ax=Figure().subplots())
    assert points.get_offsets().mask.tolist() == [[False, False], [True, True]] and X.mask.tolist() == [False, True]
