"""Arguments of the native functions: each call lets go of what it used, whether it fails or not, and wrong ones are refused."""

import gc
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from gpuplot import _native
from gpuplot.plane.cell_states import STATE
from gpuplot.plane.partial_limits import LIMITS
from gpuplot.plane.series import M4_STATE

N_CALLS = 100
A = np.random.default_rng(0).random((8, 10))
TENSOR = _native.Tensor.from_array(A, "float64")
ROLES, BETWEEN = [("rows", 0, 1, 8, 0), ("cols", 0, 1, 10, 0)], [(0, 1, 8, True), (0, 1, 10, False)]
P, SLICES = _native.Plane(TENSOR, ROLES, []), _native.Slices(TENSOR, BETWEEN)


def style(**changed):
    values = {
        "norm": "linear", "vmin": 0.0, "vmax": 1.0, "params": (0.0, 0.0, 0.0), "table": np.zeros((259, 4), np.uint8), "boundaries": None,
        "boundary_indices": None, "nan_rgba": (0, 0, 0, 0), "pos_inf_rgba": (0, 0, 0, 0), "neg_inf_rgba": (0, 0, 0, 0),
        "masked_rgba": (0, 0, 0, 0), "alpha": 1.0, "alpha_cells": np.ones((8, 10), np.float32), "scale": (1.0,) * 4,
        "offset": (0.0,) * 4, "is_rounded": False, "is_f32": False, "is_alpha_weighted": False, "is_alpha_replaced": False,
    }
    return SimpleNamespace(**(values | changed))


AXES = _native.Axis(8, 0, 8, 8), _native.Axis(10, 0, 10, 10)
CELLS, OTHERS, FEWER = (_native.Cells.from_array(a) for a in (A, A + 1, A[:4]))
PIXELS = np.zeros((8, 10, 4), np.uint8)
KNOTS, EDGES, POSITIONS, STATES = np.array([0.0, 1.0]), np.array([0.0, 0.5, 1.0]), np.array([0, 5, 10]), np.zeros((8, 10), STATE)
LINES = [(None, P, "sorted")]
X_LINES, Y_LINES = (0.0, 9.0, 5, 0.0, 9.0, None, None), (0.0, 1.0, 4, 0.0, 1.0, KNOTS, KNOTS)
RGB = _native.Tensor.from_array(np.zeros((8, 10, 4)), "float64")
ROW = P.crop(0, 1, 0, 10)
POINTS = (0.0, 1.0, 2, EDGES), (0.0, 1.0, 2, EDGES)
STYLE = style()
BOUNDS = style(norm="boundary", boundaries=EDGES, boundary_indices=np.array([0, 1], np.int32))
OBJECTS = (A, TENSOR, *LINES, P, SLICES, *AXES, CELLS, OTHERS, FEWER, PIXELS, KNOTS, EDGES, POSITIONS, STATES, ROW,
           *vars(STYLE).values(), *vars(BOUNDS).values())


def taps(n):
    return np.zeros(n, np.int64), np.tile([0, 1], (n, 1)), np.ones((n, 1))


TAPS = taps(8), taps(10)
# Calls that work, by name, as (function, arguments).
CALLS = {
    "reduce": (_native.reduce, (P, *AXES, "mean", "show", 3, True, True, STYLE, ("elements", 0.1, 0.0, 1.0, 0.0), PIXELS)),
    "shade": (_native.shade, (CELLS, STYLE, PIXELS)),
    "shade by boundaries": (_native.shade, (CELLS, BOUNDS)),
    "shade_rgb": (_native.shade_rgb, ((CELLS, OTHERS, CELLS), STYLE, PIXELS)),
    "filter": (_native.filter, (CELLS, *TAPS, "show")),
    "resample": (_native.resample, (P, *AXES, "show", *TAPS)),
    "paint": (_native.paint, (P, *AXES, "mean", "show", STYLE, 3, *TAPS)),
    "angle": (_native.angle, (CELLS, OTHERS)),
    "fill_without_nan": (_native.fill_without_nan, (CELLS, OTHERS)),
    "collect": (_native.collect, (P, [0.0], [1.0], 80)),
    "gather": (_native.gather, (P, np.zeros((8, 10)))),
    "histogram": (_native.histogram, (P, EDGES)),
    "histogram_joint": (_native.histogram_joint, ((P, P), (EDGES, EDGES), None, P)),
    "bin_lines": (_native.bin_lines, (LINES, X_LINES, Y_LINES, False)),
    "line_rows": (_native.line_rows, (LINES, X_LINES, Y_LINES, (0, 8), (0, 5))),
    "line_places": (_native.line_places, (KNOTS, Y_LINES)),
    "bin_points": (_native.bin_points, (P, P, P, *POINTS, "mean", "show")),
    "m4": (_native.m4, (ROW, POSITIONS, np.zeros(2, M4_STATE))),
    "search_sorted": (_native.search_sorted, (ROW, EDGES)),
    "take": (_native.take, (ROW, POSITIONS[:2])),
    "summarize_slices": (_native.summarize_slices, (SLICES,)),
    "histogram_slices": (_native.histogram_slices, (SLICES, np.tile(EDGES, (8, 1)))),
    "percentiles_slices": (_native.percentiles_slices, (SLICES, EDGES)),
    "reduce_states": (_native.reduce_states, (P, *AXES, "mean", "show", STATES)),
    "finish_states": (_native.finish_states, ("mean", "show", "f64", STATES)),
    "Tensor.from_cells": (_native.Tensor.from_cells, (CELLS,)),
    "Cells.numpy": (CELLS.numpy, (np.zeros((8, 10)),)),
    "Plane": (_native.Plane, (TENSOR, ROLES, [])),
    "Slices": (_native.Slices, (TENSOR, BETWEEN)),
    "crop": (P.crop, (0, 3, 0, 4)),
    "memoryview": (memoryview, (CELLS,)),
}


def counts():
    gc.collect()
    return [sys.getrefcount(an_object) for an_object in OBJECTS]


def call_many(function, arguments, error=()):
    before = counts()
    for _ in range(N_CALLS):
        try:
            function(*arguments)
        except error:
            pass
    return np.abs(np.subtract(counts(), before)).max()


@pytest.mark.parametrize("name", CALLS)
def test_calls_leave_no_references(name):
    assert call_many(*CALLS[name]) < N_CALLS / 2


@pytest.mark.parametrize("use", [
    lambda p, s: _native.bin_lines([(p, p, "found")], X_LINES, Y_LINES, False),
    lambda p, s: _native.line_rows([(None, p, "sorted")], X_LINES, Y_LINES, (0, 8), (0, 5)),
    lambda p, s: _native.histogram_joint((p, p), (EDGES, EDGES), None, p),
    lambda p, s: _native.histogram_joint((p, p), (EDGES, EDGES, EDGES)),
    lambda p, s: _native.bin_points(p, p, p, *POINTS, "mean", "show"),
    lambda p, s: _native.percentiles_slices(s, EDGES),
    lambda p, s: _native.limits(p, -1.5),
    lambda p, s: _native.bin_lines([(p, p, "found"), (p, 3, "found")], X_LINES, Y_LINES, False),
], ids=range(8))
def test_memory_is_let_go_after_every_use(use):
    """Uses end with their call, of planes and of slices, whether it fails or not; later ones are refused."""
    tensor = _native.Tensor.from_array(A.copy(), "float64")
    plane, slices = _native.Plane(tensor, ROLES, []), _native.Slices(tensor, BETWEEN)
    try:
        use(plane, slices)
    except (TypeError, ValueError):
        pass
    tensor.release()
    assert tensor.is_released
    for later in (lambda: _native.limits(plane, 1), lambda: _native.summarize_slices(slices), lambda: _native.Plane(tensor, ROLES, []),
                  lambda: _native.Slices(tensor, BETWEEN)):
        with pytest.raises(ValueError, match="was released"):
            later()


def readonly(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def shaded(**changed):
    return _native.shade, (CELLS, style(**changed))


def rows_by(first, touched, weights):
    return _native.filter, (CELLS, (first, touched, weights), TAPS[1], "show")


ADDRESSES, BYTES = np.zeros(4, np.uint64), np.zeros((4, 8), np.uint8)
(FIRST, TOUCHED, WEIGHTS), JOINT = TAPS[0], _native.histogram_joint
BAD_CALLS = [
    (_native.reduce, (P, AXES[1], AXES[1]), "axes of 10 x 10"), (_native.reduce, (P, AXES[0], AXES[0]), "axes of 8 x 8"),
    (_native.paint, (P, AXES[0], AXES[0], "mean", "show", STYLE), "axes of 8 x 8"),
    (_native.reduce, (P, *AXES, "mean", "show", 0, False, False, STYLE, ("nowhere", 0.0, 0.0, 0.0, 0.0)), "origin is 'nowhere'"),
    (_native.reduce, (P, *AXES, "mean", "show", 0, False, False, STYLE, 3), "search is a tuple"),
    (_native.reduce, (P, *AXES, "mean", "show", 0, False, False, STYLE, None, PIXELS[:4]), "out must be"),
    (_native.reduce_states, (P, *AXES, "mean", "show", STATES[:4]), "40 states for 8 x 10 cells"),
    (_native.reduce_states, (P, *AXES, "mean", "show", STATES, 1, np.zeros(2, LIMITS)), "2 for limits"),
    (_native.reduce_states, (P, *AXES, "mean", "show", STATES, 1, None), "states are a writable"),
    (_native.reduce_states, (P, *AXES, "mean", "show", readonly(STATES)), "states are a writable"),
    (_native.join_states, ("mean", STATES, STATES[:4]), "80 states cannot be joined with 40"),
    (_native.limits_state, (P, 1, np.zeros(2, LIMITS)), "2 states for one plane"),
    (_native.collect, (P, [0.0, 0.5], [1.0], 80), "as many lows as highs"), (_native.collect, (P, [0.0], [1.0], -1), "room for 0 elements"),
    (_native.gather, (P, np.zeros((8, 9))), "640 bytes"), (_native.gather, (P, readonly(A)), "640 bytes"),
    (_native.percentiles, (P, np.zeros(1025)), "at most 1024"),
    (_native.shade, (CELLS, STYLE, readonly(PIXELS)), "out must be"),
    (_native.shade_rgb, ((CELLS, CELLS), STYLE), "3 or 4 Cells"), (_native.shade_rgb, ((CELLS,) * 5, STYLE), "3 or 4 Cells"),
    (_native.shade_rgb, ((CELLS, CELLS, P), STYLE), "3 or 4 Cells"), (_native.shade_rgb, ((CELLS, OTHERS, FEWER), STYLE), "4 x 10"),
    (_native.angle, (CELLS, FEWER), "cannot be used together"),
    (_native.angle, (CELLS, _native.Cells.from_array(A[:, :4])), "8 x 4"),
    (*rows_by(FIRST - 1, TOUCHED - 1, WEIGHTS), "all within its 8 cells"), (*rows_by(FIRST + 8, TOUCHED + 8, WEIGHTS), "all within"),
    (*rows_by(FIRST + 1, TOUCHED, WEIGHTS), "all within"), (*rows_by(FIRST, TOUCHED[:, ::-1], WEIGHTS), "all within"),
    (*rows_by(FIRST, TOUCHED * 2, WEIGHTS), "all within"), (*rows_by(FIRST, TOUCHED[:7], WEIGHTS), "all within"),
    (*rows_by(FIRST, TOUCHED[:, :1], WEIGHTS), "all within"), (*rows_by(FIRST, TOUCHED, WEIGHTS[:7]), "all within"),
    (*rows_by(FIRST, TOUCHED * 0, WEIGHTS[:, :0]), "all within"), (_native.filter, (CELLS, 3, TAPS[1], "show"), "are a tuple"),
    (*shaded(table=np.zeros((3, 4), "u1")), "N + 3 rows"), (*shaded(table=np.zeros((9, 3), "u1")), "N + 3 rows"),
    (*shaded(table=None), "N + 3 rows"),
    (*shaded(alpha_cells=np.ones((7, 10), "f4")), "one factor per cell"),
    (*shaded(alpha_cells=np.ones((8, 9), "f4")), "one factor per cell"),
    (*shaded(nan_rgba=(0, 0, 256, 0)), "four bytes"), (*shaded(nan_rgba=(0, -1, 0, 0)), "four bytes"),
    (*shaded(norm="boundary"), "a boundary norm needs"), (*shaded(norm="boundary", boundaries=[0.0], boundary_indices=[]), "n >= 2"),
    (*shaded(norm="boundary", boundaries=EDGES, boundary_indices=[0]), "n - 1 table"),
    (*shaded(norm="boundary", boundaries=EDGES, boundary_indices=[0, 256]), "outside the table"),
    (*shaded(norm="boundary", boundaries=EDGES, boundary_indices=[-1, 0]), "outside the table"),
    (_native.shade_rgb, ((CELLS,) * 3, style(is_rounded=EDGES)), "truth value of an array"),
    (JOINT, ((), ()), "one or two planes"), (JOINT, ((P,) * 3, (EDGES,) * 3), "one or two planes"), (JOINT, ((P, P), (EDGES,)), "for each"),
    (JOINT, ((P,), (EDGES,), 3), "for each"), (JOINT, ((P,), (EDGES,), (None, None)), "for each"),
    (JOINT, ((P,), (EDGES,), None, None, 3), "moment is"),
    (_native.bin_lines, ([], X_LINES, Y_LINES, False), "there are no lines"),
    (_native.bin_lines, ([3], X_LINES, Y_LINES, False), "lines are"),
    (_native.bin_lines, (LINES, (0.0, 9.0, 2**31, 0.0, 9.0, None, None), Y_LINES, False), "too many for lines"),
    (_native.bin_lines, (LINES, (0.0, 9.0, 5, 0.0, 9.0, KNOTS, EDGES), Y_LINES, False), "2 values and 3 places"),
    (_native.bin_lines, (LINES, (0.0, 9.0, 5, 0.0, 9.0, [], []), Y_LINES, False), "0 values and 0 places"),
    (_native.bin_lines, (LINES, (0.0, 9.0, 5, 0.0, 9.0, None, KNOTS), Y_LINES, False), "depth"),
    (_native.line_rows, (LINES, X_LINES, Y_LINES, (3, 2), (0, 5)), "one after the last"),
    (_native.line_rows, (LINES, X_LINES, Y_LINES, (0, 2), (5, 0)), "one after the last"),
    (_native.bin_points, (P, P, P, (0.0, 1.0, 3, EDGES), POINTS[1], "mean", "show"), "3 edges for 3 cells"),
    (_native.bin_points, (P, P, P, *POINTS, "mean", "show", 3), "classes are"),
    (_native.m4, (ROW, POSITIONS, np.zeros(3, M4_STATE)), "3 bounds for 3 columns"),
    (_native.histogram_slices, (SLICES, np.tile(EDGES, (7, 1))), "with 8 slices"),
    (_native.histogram_slices, (SLICES, np.zeros((8, 1))), "a bin at least"),
    (_native.Slices, (TENSOR, BETWEEN, "channel"), "no channels"),
    (_native.histogram, (P, EDGES, [0, 1]), "a tuple of two integers"), (_native.histogram, (P, EDGES, (0, 1, 2)), "a tuple of two"),
    (_native.histogram, (P, EDGES[None]), "edges have 2 axes"),
    (_native.Plane, (TENSOR, ROLES[:1], []), "1 uses for a tensor of 2 axes"),
    (_native.Plane, (TENSOR, ROLES, ["mean"] * 7), "more stages"),
    (_native.Plane, (TENSOR, ROLES, [], "abs"), "component 'abs' of dtype float64"),
    (_native.Plane, (TENSOR, [("row", 0, 1, 8, 0), ROLES[1]], []), "role is 'row'"),
    (_native.Plane, (_native.Tensor.from_array(A + 1j, "complex128"), ROLES, []), "component 'value' of dtype complex128"),
    *((_native.Plane, (RGB, [*ROLES, ("channels", 0, 1, 4, 0)], [], "channel", k), f"channel {k} of 4") for k in (-1, 4)),
    (_native.Plane, (RGB, [*ROLES, ("channels", 0, 1, 2, 0)], [], "channel"), "3 or 4 channels, not 2"),
    (_native.Tensor.from_array, (A, "float32"), "'float32' has 4 bytes an element, the array 8"),
    (_native.Tensor.from_array, (A, "float64", 3), "mask must be"), (_native.Tensor.from_array, (A, "float64", A), "a boolean ndarray"),
    (_native.Tensor.from_array, (A, "float64", A[0] > 0), "a boolean"), (_native.Tensor.from_array, (A, "float64", A[:7] > 0), "shape"),
    (_native.Tensor.from_cells, (3,), "takes Cells"),
    *((_native.cuda_gather_points, (0, *arrays), "addresses are uint64 of shape (n,), out is uint8") for arrays in (
        (ADDRESSES.astype("i8"), BYTES), (ADDRESSES[None], BYTES), (ADDRESSES[::2], BYTES[:2]), (ADDRESSES, BYTES.astype("i1")),
        (ADDRESSES, BYTES[0]), (ADDRESSES, BYTES[:, ::2]), (ADDRESSES, readonly(BYTES)), (ADDRESSES, BYTES[:3]), (ADDRESSES, BYTES[:, :0]),
        (ADDRESSES, np.zeros((4, 33), np.uint8)))),
    (_native.Tensor.from_cuda, (0, 3, None, "float32"), "not iterable"),
    (_native.Tensor.from_cuda, (0, (2, "3"), None, "float32"), "integer"),
    (_native.Tensor.from_cuda, (0, (0,) * 65, None, "float32"), "a shape of 65 dimensions; at most 64"),
    (_native.Tensor.from_cuda, (0, (0, 3), (4,), "float32"), "1 strides for 2 dimensions"),
    (_native.Tensor.from_cuda, (0, (0, 3), 4, "float32"), "not iterable"),
    (_native.Tensor.from_cuda, (0, (0, 2**62, 2**62), None, "float32"), "more than 2^63 bytes"),
    *((P.crop, box, "are not inside 8 x 10")
      for box in ((-1, 2, 0, 1), (2, 1, 0, 1), (0, 9, 0, 1), (0, 1, -1, 1), (0, 1, 2, 1), (0, 1, 0, 11))),
]


@pytest.mark.parametrize("function, arguments, message", BAD_CALLS)
def test_wrong_arguments(function, arguments, message):
    """An exception says what was wrong, and references are as many as before."""
    with pytest.raises((TypeError, ValueError, IndexError), match=re.escape(message)):
        function(*arguments)
    assert call_many(function, arguments, (TypeError, ValueError, IndexError)) < N_CALLS / 2


def test_memory_that_is_let_go_during_a_use_stays_until_its_end():
    tensor = _native.Tensor.from_array(A.copy(), "float64")
    plane, use = _native.Plane(tensor, ROLES, []), _native.array_of(tensor, A.dtype, False)
    tensor.release()
    assert not tensor.is_released
    with pytest.raises(ValueError, match="was released"):
        _native.limits(plane, 1)
    np.testing.assert_array_equal(use, A)
    del use
    assert tensor.is_released


def test_what_a_tensor_says_of_its_memory():
    masked = _native.Tensor.from_array(readonly(A), "float64", A > 0.5)
    assert (masked.is_readonly, masked.mask_strides, masked.is_masked) == (True, (10, 1), True)
    assert (TENSOR.is_readonly, TENSOR.mask_strides, TENSOR.is_masked) == (False, None, False)
    assert _native.Tensor.from_dlpack(A.__dlpack__()).is_readonly, "the older version of DLPack does not say"
    assert not _native.Tensor.from_dlpack(A.__dlpack__(max_version=(1, 0))).is_readonly
    assert _native.Tensor.from_dlpack(readonly(A).__dlpack__(max_version=(1, 0))).is_readonly
    with pytest.raises(ValueError, match="'float32' has 32 bits an element, the tensor 64"):
        _native.Tensor.from_dlpack(A.__dlpack__(), "float32")


def test_cells_as_a_buffer():
    view = memoryview(CELLS)
    assert (view.shape, view.strides, view.nbytes, view.format, view.readonly) == ((8, 10), (80, 8), 640, "d", False)
    assert view.tobytes() == A.tobytes()


@pytest.mark.parametrize("dtype, name", [("u8", "uint64"), ("i8", "int64"), ("u1", "uint8"), ("?", "bool")])
@pytest.mark.parametrize("first, last", [
    (-5, 1), (-9, -2), (2**64, 2**65), (1, 2**63 + 5), (-(2**70), -(2**65)), (0, 2**70), (2**63, 2**64 - 1),
])
def test_ranges_beyond_the_integers_of_a_dtype(first, last, dtype, name):
    values = np.array([[0, 1, 1], [0, 1, 0]]).astype(dtype)
    if values.itemsize == 8:
        values[0, 2] = np.iinfo(dtype).max
    plane = _native.Plane(_native.Tensor.from_array(values, name), [("rows", 0, 1, 2, 0), ("cols", 0, 1, 3, 0)], [])
    inside = sum(first <= int(v) <= last for v in values.flat)
    assert _native.histogram(plane, [0.0, 2.0**64], (first, last)).sum() == inside


def test_as_many_elements_as_there_is_room_for():
    np.testing.assert_array_equal(np.sort(_native.collect(P, [0.0], [1.0], 80)), np.sort(A, axis=None))
    assert _native.collect(P, [0.0], [1.0], 79) is None


def test_no_states_are_those_of_no_elements():
    none = np.zeros(1, LIMITS)
    _native.clear_states("limits", none)
    np.testing.assert_equal(_native.finish_limits(none[:0]), _native.finish_limits(none))


def test_points_up_to_the_last_edge_are_inside():
    assert _native.bin_points(P, P, None, *POINTS, "count", "show")[1] == 0
