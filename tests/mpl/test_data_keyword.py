"""``data=``: every function looks names up alike, and by matplotlib's rule."""

import matplotlib as mpl
import numpy as np
import pytest
from figures import axes_of

import gpuplot

TABLE = {"a": np.arange(6.0), "b": np.arange(6.0) ** 2, "plane": np.arange(6.0).reshape(2, 3), "low": 2.0}


class NoMapping:
    """Holds one name, and says of others what no dict says, as the arrays of libraries do."""

    def __getitem__(self, name):
        if name != "a":
            raise RuntimeError(name)
        return TABLE["a"]


def test_names_are_what_data_holds():
    assert gpuplot.imshow("plane", vmin="low", data=TABLE, ax=axes_of()).norm.vmin == 2
    assert gpuplot.hist("a", 3, weights="b", data=TABLE, ax=axes_of()).n.sum() == TABLE["b"].sum()
    assert gpuplot.hist2d("a", "b", 3, weights="a", data=TABLE, ax=axes_of()).h.sum() == TABLE["a"].sum()
    points = gpuplot.scatter("a", "b", s="b", c="a", data=TABLE, ax=axes_of())
    assert points.get_array().tolist() == TABLE["a"].tolist() and points.get_sizes().tolist() == TABLE["b"].tolist()
    assert gpuplot.plot("a", "b", "", data=TABLE, ax=axes_of())[0].get_ydata().tolist() == TABLE["b"].tolist()


@pytest.mark.parametrize("keywords, labels", [
    ({}, ["b"]), ({"density": True}, ["b"]), ({"label": "own"}, ["own"]), ({"c": "plane"}, ["b"]),
    ({"c": np.arange(6) % 2, "categorical": True, "labels": ["even", "odd"]}, ["even", "odd"])], ids=str)
def test_points_are_called_as_their_y(keywords, labels):
    """As by `Axes.scatter`; a legend of classes has their names."""
    ax = axes_of()
    gpuplot.scatter("a", "b", data=TABLE, ax=ax, **keywords)
    assert ax.get_legend_handles_labels()[1] == labels


@pytest.mark.parametrize("data", [{}, TABLE, [1, 2], NoMapping()], ids=["empty", "others", "list", "no mapping"])
def test_texts_that_data_lacks(data):
    """They stay texts, which are categories and colors; where a tensor must be, an error names them."""
    assert gpuplot.plot("no", data=data, ax=axes_of())[0].get_label() == "no"
    points = gpuplot.scatter("no", "no", c="r", data=data, ax=axes_of())
    assert mpl.colors.same_color(points.get_facecolor(), "r")
    ax = axes_of()
    for draw in (lambda: gpuplot.hist("no", data=data, ax=ax), lambda: gpuplot.hist([1, 2], weights="no", data=data, ax=ax),
                 lambda: gpuplot.hist2d([1, 2], "no", data=data, ax=ax), lambda: gpuplot.imshow("no", data=data, ax=ax)):
        with pytest.raises(ValueError, match="data has no 'no'"):
            draw()
    assert not ax.has_data()


@pytest.mark.host("tables hold host arrays")
@pytest.mark.parametrize("library", ["dict", "pandas", "polars", "npz"])
def test_the_nearest_name_is_proposed(library, tmp_path):
    data = {"age": np.arange(3.0), "weight": np.arange(3.0)}
    if library == "npz":
        np.savez(tmp_path / "a.npz", **data)
        data = np.load(tmp_path / "a.npz")
    elif library != "dict":
        data = pytest.importorskip(library).DataFrame(data)
    for draw in (gpuplot.hist, gpuplot.imshow):
        with pytest.raises(ValueError, match="^data has no 'wieght': did you mean 'weight'[?]$"):
            draw("wieght", data=data, ax=axes_of())
    with pytest.raises(ValueError, match="^data has no 'zzzz'$"):
        gpuplot.hist("zzzz", data=data, ax=axes_of())


def test_a_name_that_is_neither_in_data_nor_a_format():
    ax = axes_of()
    with pytest.raises(ValueError, match=r"^'yy' is neither a data key nor a valid format string \(two color symbols\)$"):
        gpuplot.plot("a", "yy", data={"a": [1, 2]}, ax=ax)
    assert not ax.lines


def test_any_getitem_is_enough():
    """As in matplotlib: `data` needs neither ``in`` nor a KeyError."""
    assert gpuplot.hist("a", data=NoMapping(), ax=axes_of()).n.sum() == 6
    assert gpuplot.scatter("a", "a", data=NoMapping(), ax=axes_of()).get_offsets().shape == (6, 2)
