"""The text under the pointer: one exact element, or a cell with facts about its elements."""

import warnings

import matplotlib as mpl
import numpy as np
import pytest
from figures import axes_of, borrowed
from matplotlib.backend_bases import MouseEvent

import gpuplot

LARGE = borrowed()


def at(im, x, y):
    """Data and text of the pointer at data coordinates (x, y)."""
    im.axes.figure.canvas.draw()
    place = im.axes.transData.transform((x, y))
    data = im.get_cursor_data(MouseEvent("motion_notify_event", im.axes.figure.canvas, *place))
    return data, None if data is None else im.format_cursor_data(data)


@pytest.mark.parametrize("origin", ["upper", "lower"])
@pytest.mark.parametrize("norm", [None, "log", mpl.colors.BoundaryNorm([0, 5, 10], 256), mpl.colors.NoNorm()],
                         ids=lambda norm: norm if isinstance(norm, str) else type(norm).__name__)
def test_elements_are_told_as_by_matplotlib(origin, norm):
    X = np.ma.masked_equal(np.arange(1, 13).reshape(3, 4) * 1000.0001, 2 * 1000.0001)
    for x, y in [(0, 0), (1, 0), (3.4, 2.4), (2, 1), (-0.6, 0), (3.6, 1), (0, 2.6)]:
        told = []
        for ours in (True, False):
            ax = axes_of(100)
            ax.set(xlim=(-2, 5), ylim=(-2, 5))
            ax.set_autoscale_on(False)
            im = gpuplot.imshow(X, ax=ax, origin=origin, norm=norm) if ours else ax.imshow(X, origin=origin, norm=norm)
            told.append(at(im, x, y)[1])
        assert told[0] == told[1]


def test_masked_and_nan_are_empty_brackets():
    X = LARGE.copy()
    X[3, 4] = np.nan
    ax = axes_of(100)
    im = gpuplot.imshow(X, ax=ax, aspect="auto")
    ax.set(xlim=(0, 10), ylim=(10, 0))
    assert at(im, 4, 3)[1] == "[]"
    assert at(im, 5, 3)[0] == X[3, 5]


def test_integers_come_with_all_their_digits():
    X = np.full((1100, 1000), 2**53 + 1)
    X[0, 0] = 0
    ax = axes_of(100)
    im = gpuplot.imshow(X, ax=ax, aspect="auto")
    ax.set(xlim=(20, 30), ylim=(30, 20))
    data = at(im, 25, 25)[0]
    assert data == 2**53 + 1 and data.dtype == np.int64


@pytest.mark.parametrize("origin", ["upper", "lower"])
def test_a_cell_is_never_presented_as_an_element(origin):
    X = np.arange(1200 * 1000.0).reshape(1200, 1000)
    X[5, 25] = np.nan
    im = gpuplot.imshow(X, ax=axes_of(100, 120), origin=origin, aspect="auto")
    data, text = at(im, 21, 34)  # the pixel of rows 30..39, columns 20..29
    part = X[30:40, 20:30]
    assert (data.rows, data.cols, float(data)) == (range(30, 40), range(20, 30), part.mean())
    assert text == f"[mean {part.mean():.6g} of rows 30:40, columns 20:30; n=100; min 30020, mean {part.mean():.6g}, max 39029]"
    data, text = at(im, 25, 5)
    assert np.isnan(data) and "1 NaN" in text and "n=100" in text
    finite_mean = np.nanmean(X[data.rows.start:data.rows.stop, data.cols.start:data.cols.stop])
    assert text.startswith("[mean nan of") and f", mean {finite_mean:.6g}, max" in text
    assert at(im, -40, 5) == (None, None)


def test_a_cell_of_a_cropped_tensor_is_told_by_the_tensors_own_indices():
    """The text counted rows and columns from where the crop begins."""
    X = np.arange(3000.0 * 1500).reshape(3000, 1500)
    ax = axes_of(100)
    im = gpuplot.imshow(X, ax=ax, aspect="auto", index={0: slice(1000, None), 1: slice(None, 99, -1)})
    data, text = at(im, 21, 34)
    rows, cols = data.rows, data.cols
    assert f"of rows {1000 + rows.start}:{1000 + rows.stop}, columns {1499 - cols.start} to {1499 - cols[-1]} by -1;" in text
    part = X[1000:][rows.start:rows.stop, ::-1][:, cols.start:cols.stop]
    assert f"min {part.min():.6g}" in text


def test_the_cell_of_another_aggregation():
    X = np.arange(1200 * 1000.0).reshape(1200, 1000)
    im = gpuplot.imshow(X, ax=axes_of(100, 120), agg="max", aspect="auto")
    data, text = at(im, 21, 34)
    assert float(data) == X[39, 29] and text.startswith("[max 39029 of")


def test_hidden_indices_are_told():
    acts = np.zeros((2, 3, 10, 10))
    im = gpuplot.imshow(acts, ax=axes_of(100), index={0: 1})
    assert at(im, 5, 5)[1].endswith("at index {0: 1, 1: 0}")


def test_colors_under_the_pointer():
    im = gpuplot.imshow(np.zeros((1100, 1000, 3), "u1"), ax=axes_of(100))
    np.testing.assert_array_equal(at(im, 500, 500)[0], [0, 0, 0])


def test_bare_numbers_have_a_text():
    im = gpuplot.imshow(np.array([[10000, 10001]]), ax=axes_of())
    assert im.format_cursor_data(10001.0) == "[10001.000]"


def test_a_norm_without_a_width_of_colors_has_a_text():
    """matplotlib looks for the digits that tell a value from those of the colors beside it: an error at each move of the mouse."""
    im = gpuplot.imshow(np.array([[True, False]]), ax=axes_of(), norm=mpl.colors.TwoSlopeNorm(0))
    assert im.format_cursor_data(1.0) == "[1]"


@pytest.mark.parametrize("n", [5, 1200])
def test_axes_without_width_have_nothing_under_the_pointer(n):
    """Their transform has no inverse, which was an error at each move of the mouse."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gpuplot.GpuplotWarning)
        empty = gpuplot.imshow(np.ones((n, 0)), ax=axes_of(100))
    assert empty.get_cursor_data(MouseEvent("motion_notify_event", empty.figure.canvas, 50, 50)) is None  # without NumPy's warning
    im = gpuplot.imshow(np.ones((n, n)), ax=axes_of(100, place=(0.1, 0.1, 0, 0.5)), aspect="auto")
    assert im.get_cursor_data(MouseEvent("motion_notify_event", im.figure.canvas, 10, 20)) is None
