"""`compare` of two collections: the table of the tensors of one name."""

import numpy as np
import pytest
from matplotlib import pyplot

import gpuplot

WEIGHT = np.arange(6, dtype="f4").reshape(2, 3)
A = {"same": WEIGHT, "moved": WEIGHT + 0.25, "nan": np.array([1, np.nan], "f4"), "cut": WEIGHT, "text": WEIGHT, "old": WEIGHT,
     "far": WEIGHT * 3}
B = {"far": WEIGHT, "same": WEIGHT, "moved": WEIGHT, "nan": np.array([1, 2], "f4"), "cut": WEIGHT[:1], "text": np.array(["x"]),
     "new": WEIGHT}


def test_the_worst_come_first():
    table = gpuplot.compare(A, B)
    assert list(table) == ["nan", "far", "moved", "same"] and len(table) == 4
    assert (table.only_a, table.only_b) == (["old"], ["new"])
    assert list(table.skipped) == ["cut", "text"] and "(2, 3) and (1, 3)" in table.skipped["cut"]
    assert not pyplot.get_fignums()


@pytest.mark.parametrize("name", ["nan", "far", "moved", "same"])
@pytest.mark.parametrize("tolerances", [{}, {"rtol": 0, "atol": 1}], ids=str)
def test_a_row_has_the_numbers_of_the_figure(name, tolerances):
    found = gpuplot.compare(A, B, **tolerances)[name]
    figure = gpuplot.compare(A[name], B[name], **tolerances)
    pyplot.close(figure)
    assert found == figure.comparison
    assert (found.shape, found.dtypes, found.is_equal) == (A[name].shape, ("float32", "float32"), name == "same")


def test_nested_names_lists_and_generators_of_pairs():
    nested = {"model": {"w": WEIGHT, "b": WEIGHT[0]}, "step": 3}
    assert list(gpuplot.compare(nested, nested)) == ["model.w", "model.b", "step"]
    pairs = [("w", WEIGHT), ("b", WEIGHT[0])]
    assert set(gpuplot.compare((pair for pair in pairs), pairs)) == {"w", "b"}
    assert set(gpuplot.compare([WEIGHT, WEIGHT[0]], [WEIGHT, WEIGHT[0]])) == {"0", "1"}


def test_other_functions_take_generators_of_pairs_too():
    pairs = [("w", WEIGHT), ("b", WEIGHT[0])]
    assert list(gpuplot.stats(pair for pair in pairs)) == ["w", "b"]
    counts, *_ = gpuplot.hist(pair for pair in pairs)
    pyplot.close()
    assert [int(sum(one)) for one in counts] == [6, 3]
    assert gpuplot.inspect(pair for pair in pairs).item == "w"
    with pytest.raises(gpuplot.UnsupportedError, match="only once, make a list"):
        gpuplot.stats(value for _, value in pairs)


def test_lists_of_arrays_of_one_shape_are_tensors():
    figure = gpuplot.compare([WEIGHT, WEIGHT], [WEIGHT, WEIGHT])
    assert figure.comparison.shape == (2, 2, 3)
    pyplot.close(figure)


def test_the_text_has_a_line_for_each_name():
    lines = [line.split("  ", 1) for line in str(gpuplot.compare(A, B, titles=("after", "before"))).splitlines()]
    assert [name for name, _ in lines] == ["cut", "text", "nan", "far", "moved", "same", "old", "new"]
    said = {name: text.strip() for name, text in lines}
    assert said["same"] == "float32 (2, 3) \u00b7 equal"
    assert (said["old"], said["new"]) == ("in after alone", "in before alone")
    mixed = gpuplot.compare({"w": WEIGHT.astype("f8")}, {"w": WEIGHT})
    assert str(mixed) == "w  float64 and float32 (2, 3) \u00b7 equal"


def test_notebooks_show_all_names():
    table = gpuplot.compare(A | {"<b>": WEIGHT}, B | {"<b>": WEIGHT})
    shown = table._repr_html_()
    assert all(name in shown for name in A | B) and ">&lt;b&gt;<" in shown and "><b><" not in shown
    assert "equal" in shown and "in a alone" in shown


@pytest.mark.parametrize("a, b, keywords, said", [
    (A, {"x": WEIGHT}, {}, "no name is in both: a has same, moved, nan, cut, text, ... and b has x"), ({}, {}, {}, "a has none"),
    ({"n": 1, "module.w": WEIGHT}, {"w": WEIGHT}, {}, r"in a the names of b come after 'module\.': .* name, X in a.items\(\)}"),
    ({"w": WEIGHT}, {"net": {"w": WEIGHT}}, {}, r"in b the names of a come after 'net\.'"),
    (A, WEIGHT, {}, "a is a collection of tensors and b is not"), (WEIGHT, A, {}, "b is a collection of tensors and a is not"),
    (A, B, {"cmap": "gray"}, "cmap='gray' is for the picture of two tensors"), (A, B, {"rtol": -1}, "rtol=-1 must be"),
    (A, B, {"index": {0: 1}}, "index=.* is for the picture"), (A, B, {"titles": "ab"}, "must be two texts")], ids=str)
def test_what_is_refused(a, b, keywords, said):
    with pytest.raises(ValueError, match=said):
        gpuplot.compare(a, b, **keywords)


def test_tensors_that_are_equal_but_for_masked_elements():
    table = gpuplot.compare({"w": np.ma.masked_greater(WEIGHT, 3)}, {"w": WEIGHT})
    assert str(table) == "w  float32 (2, 3) \u00b7 equal, but for 2 masked" and "but for 2 masked" in table._repr_html_()


def test_only_all_elements_are_100_percent():
    a = np.arange(1, 3001, dtype="float32")
    b = np.r_[a[:1], a[1:] * 2]
    for found, what in ((gpuplot.compare({"w": a}, {"w": b}), "2\u202f999 of 3\u202f000 (99.9 %)"),
                        (gpuplot.compare({"w": a}, {"w": a * 2}), "3\u202f000 of 3\u202f000 (100 %)")):
        assert what in str(found) and what.partition(" of ")[0] + what[what.index(" ("):] in found._repr_html_()
