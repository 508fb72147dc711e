"""Tables in text files: columns by name, dates, tables without names, and what is no table of numbers."""

import numpy as np
import pytest

from gpuplot.cli.address import table_or_item
from gpuplot.cli.errors import FileError, UsageError
from gpuplot.cli.loading import load
from gpuplot.cli.readers.kinds import items_of

pytestmark = pytest.mark.host("reads files")


def read(folder, name, text):
    """{name: array} of a file with this text."""
    path = folder / name
    path.write_text(text)
    return {item.name: item.read(()) for item in items_of(path)}


@pytest.mark.parametrize("name, text", [
    ("a.csv", "step,loss\n1,0.5\n2,\n3,nan\n"), ("a.csv", '"step", "loss"\r\n1, 0.5\r\n2, \r\n3, nan\r\n'),
    ("a.csv", "\ufeffstep;loss\n1;0.5\n2;\n3;nan\n"), ("a.tsv", "# a run\nstep\tloss\n\n1\t0.5\n2\t\n3\tnan\n"),
    ("a.txt", "step loss\n1 0.5 # best\n2 nan\n3 nan\n")], ids=["commas", "quotes", "semicolons", "tabs", "spaces"])
def test_columns_by_name(tmp_path, name, text):
    found = read(tmp_path, name, text)
    assert list(found) == ["step", "loss"]
    np.testing.assert_array_equal(found["step"], [1, 2, 3])
    np.testing.assert_array_equal(np.ma.filled(found["loss"], np.nan), [0.5, np.nan, np.nan])


def test_a_name_may_be_empty(tmp_path):
    """pandas writes none for the names of rows, and the line of names was taken for numbers."""
    assert list(read(tmp_path, "a.csv", ",a,,b\n0,1,2,3\n1,4,5,6\n")) == ["index", "a", "column 2", "b"]
    found = read(tmp_path, "a.csv", "a,b,a\n0,1,2\n")
    assert {name: column.tolist() for name, column in found.items()} == {"a": [0], "b": [1], "a (2)": [2]}
    assert read(tmp_path, "a.csv", ",\n0,1\n")[""].mask.tolist() == [[True, True], [False, False]]


@pytest.mark.parametrize("text, names", [
    ("step,acc #1,loss\n1,2,3\n4,5,6\n", ["step", "acc #1", "loss"]), ('step,"acc # 1",loss\n1,2,3\n4,5,6\n', ["step", "acc # 1", "loss"]),
    ("run#1,b,c\n1,2,3\n4,5,6 # best\n", ["run#1", "b", "c"]), ("a\tb\tc # d\n1\t2\t3\t# x\n4\t5\t6 #\n", ["a", "b", "c"]),
    ("step,color,c\n1,2,3\n4,#00ff00,6\n", ["step", "color", "c"]), ("a b c # x, y\n1 2 3\n4 5 6 #z\n", ["a", "b", "c"])],
    ids=["name", "quotes", "first name", "comments", "color", "spaces"])
def test_words_may_have_a_number_sign(tmp_path, text, names):
    """All behind it was taken for a comment, and the rows had more columns than the names."""
    (tmp_path / "a.csv").write_text(text)
    items = items_of(tmp_path / "a.csv")
    assert [item.name for item in items] == names
    assert [item.read(()).tolist() for item in items if item.dtype != "text"][-1] == [3, 6]


@pytest.mark.parametrize("text, names", [
    ('step,text,loss\n1,"a, b\n\n# c ""d"",\n"" e",3\n4,f,6\n', ["step", "text", "loss"]),
    ('step,"loss\nof all"\r\n1,3\r\n4,6\r\n', ["step", "loss\nof all"]), ('"a, b";c\n1;3\n4;6\n', ["a, b", "c"]),
    ('a,"b" of c,5" d\n1,2,3\n4,5,6\n', ["a", "b of c", '5" d']), ('a,b,"c\n1,2,3\n4,5,6\n', ["a", "b", "c"])],
    ids=["texts", "name", "mark", "inches", "not closed"])
def test_words_in_quotes_have_lines_and_marks(tmp_path, text, names):
    """Each line was a row of its own, and the first mark in quotes stood between all words."""
    (tmp_path / "a.csv").write_text(text, newline="")
    items = items_of(tmp_path / "a.csv")
    assert [item.name for item in items] == names
    assert [item.read(()).tolist() for item in items if item.dtype != "text"][-1] == [3, 6]


def test_empty_cells_are_masked_and_nan_is_not(tmp_path):
    found = read(tmp_path, "a.csv", "step,loss\n1,0.5\n2,\n3,nan\n")
    assert not np.ma.isMaskedArray(found["step"]) and found["loss"].mask.tolist() == [False, True, False]
    assert read(tmp_path, "b.csv", "1,0.5\n2,\n")[""].mask.tolist() == [[False, False], [False, True]]


def test_numbers_alone_are_what_loadtxt_reads(tmp_path):
    table = np.random.default_rng(0).normal(size=(5, 3))
    for name, delimiter in (("a.csv", ","), ("a.txt", " ")):
        np.savetxt(tmp_path / name, table, delimiter=delimiter, header="three columns")
        [item] = items_of(tmp_path / name)
        np.testing.assert_array_equal(item.read(()), np.loadtxt(tmp_path / name, delimiter=delimiter))
    np.testing.assert_array_equal(read(tmp_path, "one.txt", "1\n2\n")[""], [1, 2])


@pytest.mark.parametrize("text, said", [
    ("a,b\n1,2\n3\n", "1 columns in line 3, and 2 above"), ("1,x\n2,3\n", "'x' in line 1, which is no number"), ("", "has no numbers"),
    ("a,b\n", "has no numbers")], ids=["ragged", "texts", "empty", "names alone"])
def test_other_texts_are_refused(tmp_path, text, said):
    with pytest.raises(FileError, match=said):
        read(tmp_path, "a.csv", text)


def test_a_column_of_texts_leaves_others_readable(tmp_path):
    (tmp_path / "a.csv").write_text("day,loss\nMonday,1\nFriday,2\n")
    day, loss = items_of(tmp_path / "a.csv")
    assert loss.read(()).tolist() == [1, 2]
    with pytest.raises(FileError, match="'Monday' in line 2"):
        day.read(())


@pytest.mark.parametrize("words, want", [
    (["2026-03-01", "2026-03-02"], ["2026-03-01", "2026-03-02"]), (["2026/3/1", ""], ["2026-03-01", "NaT"]),
    (["2026-03-01T10:20:30Z", "2026-03-01 12:00:00.25+02:00"], ["2026-03-01T10:20:30", "2026-03-01T10:00:00.25"]),
    (["2026-03", "2026-04"], ["2026-03-01", "2026-04-01"]), (["01/02/2026", "01/31/2026"], ["2026-01-02", "2026-01-31"]),
    (["1.2.2026", "", "31.1.2026"], ["2026-02-01", "NaT", "2026-01-31"]), (["31-01-2026 9:30"], ["2026-01-31T09:30"]),
    (["1/31/2026 12:00:01"], ["2026-01-31T12:00:01"]), (["11/28/26", "1/2/27", ""], ["2026-11-28", "2027-01-02", "NaT"]),
    (["31/12/68", "30/12/69"], ["2068-12-31", "1969-12-30"]), (["5/28/26 9:30"], ["2026-05-28T09:30"]),
    (["11/28/2026 03:15 PM", "11/28/2026 12:00:01 am"], ["2026-11-28T15:15", "2026-11-28T00:00:01"]),
    (["2026-11-28 12:30:00.5 PM", "2026-11-28 1\u202fpm"], ["2026-11-28T12:30:00.5", "2026-11-28T13:00"])], ids=str)
def test_columns_of_dates(tmp_path, words, want):
    (tmp_path / "a.csv").write_text("day,loss\n" + "".join(f"{word},1\n" for word in words))
    day, _ = items_of(tmp_path / "a.csv")
    np.testing.assert_array_equal(np.ma.filled(day.dates, np.datetime64("NaT")), np.array(want, "datetime64[us]"))
    with pytest.raises(FileError, match="dates, which are no numbers: they are x"):
        day.read(())


@pytest.mark.parametrize("words", [["2026-03-01", "never"], ["2026-13-01", "2026-01-01"], ["01.03.2026", "02.03.2026"],
                                   ["01/31/2026", "31/01/2026"], ["01/31/2026", "01/31"], ["1/31.2026"], ["1/31/2"], ["1.31.26"],
                                   ["2026-ab", "2026-cd"], ["11/28/2026", "11/28/26"], ["11/28/2026 13:15 PM"], ["11/28/2026 0:15 AM"],
                                   ["28/11/26", "27/11/26"], ["2026-11-28", "9999-12-31T23:59:59-05:00"]], ids=str)
def test_texts_that_are_no_dates(tmp_path, words):
    (tmp_path / "a.csv").write_text("day,loss\n" + "".join(f"{word},1\n" for word in words))
    assert [item.dtype for item in items_of(tmp_path / "a.csv")] == ["text", "float64"]


def test_dates_whose_order_is_open(tmp_path):
    (tmp_path / "a.csv").write_text("day,loss\n01/02/2026,1\n01/03/2026,2\n")
    day, _ = items_of(tmp_path / "a.csv")
    with pytest.raises(FileError, match=r"'01/02/2026' in line 2: which number is the day is open .* Write its dates as 2026-03-31"):
        day.read(())


# ---- tables that are drawn whole -------------------------------------------------------------------------------------


def chosen(folder, text, name=""):
    """What a picture of a file with this text shows."""
    path = folder / "a.csv"
    path.write_text(text)
    return table_or_item(items_of(path), path, name)


def test_a_table_of_numbers_with_names_is_drawn_whole(tmp_path):
    """It asked for one of its columns, which the same table without names did not."""
    source = load(chosen(tmp_path, "a,b\n1,2\n3,\n5,6\n"), {}, print)
    np.testing.assert_array_equal(np.ma.filled(source.array, -1), [[1, 2], [3, -1], [5, 6]])
    assert [axis.names for axis in source.labels.axes] == [None, ("a", "b")]
    assert chosen(tmp_path, "a,b\n1,2\n3,4\n", "b").read(()).tolist() == [2, 4]
    assert chosen(tmp_path, "a\n1\n3\n").shape == (2,)


@pytest.mark.parametrize("text, error, said", [
    ("day,a,b\nMonday,1,2\n", UsageError, r"no numbers \(day\): choose one of a, b, such as '.*#a'"),
    ("day,a\n2026-03-31,1\n", UsageError, r"no numbers \(day\): choose one of a, such as"),
    ("day,a\nMonday,x\n", FileError, r"has no column of numbers \(day, a\)")], ids=["texts", "dates", "no numbers"])
def test_a_table_with_other_columns_says_which_can_be_drawn(tmp_path, text, error, said):
    with pytest.raises(error, match=said):
        chosen(tmp_path, text)
    assert chosen(tmp_path, text, "a").name == "a"
