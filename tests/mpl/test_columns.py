"""Columns of tables: their names label axes."""

import pytest
from figures import axes_of

import gpuplot


@pytest.mark.host("tables hold host arrays")
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_label_the_axes_along_which_their_values_lie(library):
    """As arrays of xarray do; not a line, whose legend has the name, nor columns of different names, nor where there is a label."""
    table = pytest.importorskip(library).DataFrame({"age": [31.0, 40, 22], "weight": [70.5, 81, 64], "city": ["Rome", "Oslo", "Rome"]})
    for draw in (gpuplot.scatter, gpuplot.hist2d):
        assert labels_of(draw, table["age"], table["weight"]) == ("age", "weight")
    assert labels_of(gpuplot.scatter, "age", "weight", data=table, density=True) == ("age", "weight")
    assert labels_of(gpuplot.scatter, table["city"], table["weight"]) == ("city", "weight")
    assert labels_of(gpuplot.hist, table["age"]) == ("age", "") and labels_of(gpuplot.hist, "city", data=table) == ("city", "")
    assert labels_of(gpuplot.hist, table["age"], orientation="horizontal") == ("", "age")
    for args in ((gpuplot.plot, table["age"]), (gpuplot.hist, [table["age"], table["weight"]]), (gpuplot.scatter, [1, 2, 3], [1, 2, 3])):
        assert labels_of(*args) == ("", "")
    ax = axes_of()
    ax.set_xlabel("years")
    gpuplot.hist(table["age"], ax=ax)
    assert ax.get_xlabel() == "years"


def labels_of(draw, *args, **options):
    ax = axes_of()
    draw(*args, ax=ax, **options)
    return ax.get_xlabel(), ax.get_ylabel()


SIZES = ["small", "medium", "large", "huge"]


def column_of(library, texts):
    """A column of texts whose table gives their order."""
    module = pytest.importorskip(library)
    return module.Series(texts, dtype=module.CategoricalDtype(SIZES) if library == "pandas" else module.Enum(SIZES))


@pytest.mark.host("tables hold host arrays")
@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("draw", [
    lambda X, ax: gpuplot.hist(X, ax=ax), lambda X, ax: gpuplot.scatter(X, range(4), ax=ax),
    lambda X, ax: gpuplot.hist2d(X, range(4), ax=ax), lambda X, ax: gpuplot.scatter(X, range(4), ax=ax, density=True),
], ids=["hist", "scatter", "hist2d", "density"])
def test_categories_have_the_order_of_their_table(library, draw):
    """They had that of the first element of each: large before small."""
    ax = axes_of()
    draw(column_of(library, ["large", "small", "large", "medium"]), ax)
    assert list(ax.xaxis.units._mapping) == SIZES
    draw(column_of(library, ["medium", "large", "large", "small"]), ax)
    assert list(ax.xaxis.units._mapping) == SIZES


@pytest.mark.host("tables hold host arrays")
def test_lines_and_tables_have_the_order_of_their_categories_too():
    pandas = pytest.importorskip("pandas")
    column = column_of("pandas", ["large", "small", "medium", "large"])
    ax = axes_of()
    line, = gpuplot.plot(column, ax=ax)
    assert list(line.get_ydata(orig=False)) == [2, 0, 1, 2] and list(ax.yaxis.units._mapping) == SIZES
    ax = axes_of()
    counts, _, _ = gpuplot.hist(pandas.DataFrame({"size": column}), bins=[-0.5, 0.5, 1.5, 2.5], ax=ax)
    assert list(counts) == [1, 1, 2]


@pytest.mark.host("tables hold host arrays")
def test_categories_that_are_no_texts_are_what_they_were():
    """Numbers that are categories are refused, with their codes as what to draw."""
    pandas = pytest.importorskip("pandas")
    with pytest.raises(gpuplot.UnsupportedError, match=r"X\.cat\.codes"):
        gpuplot.hist(pandas.Series([3, 1, 3], dtype="category"), ax=axes_of())
