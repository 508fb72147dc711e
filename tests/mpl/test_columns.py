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
