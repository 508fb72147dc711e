"""The extension module: borrowed memory, planes of it, cells and pixels. `native/README.md` explains the parts."""

from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any, Literal, Self, TypeAlias, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Bits for `want`: what to find out about the elements of the plane while they are read anyway.
WANT_RANGE: int
WANT_POSITIVE: int
WANT_COUNTS: int
# Bits of `has`: which kinds of element there were.
HAS_NAN: int
HAS_POS_INF: int
HAS_NEG_INF: int
HAS_MASKED: int
HAS_FINITE: int
# The bits of a float64 cell without elements, and of one whose elements are all masked: NaNs with a payload.
EMPTY_BITS: int
MASKED_BITS: int
# Aggregations, and bits of what is known of each: of one element it is that element; its value is that of an element; of twice the
# elements it is twice the value; color limits of elements do not fit it; of a difference it is the difference.
AGGS: dict[str, int]
# Aggregations with the same number share their partial results.
AGG_STATES: dict[str, int]
AGG_KEEPS: int
AGG_SELECTS: int
AGG_ADDS_UP: int
AGG_OWN_UNITS: int
AGG_LINEAR: int
MOST_SLICE_ELEMS: int
# Bytes of one element by dtype name.
DTYPE_SIZES: dict[str, int]

_Agg: TypeAlias = Literal["mean", "max", "min", "absmax", "range", "std", "var", "sum", "count", "nearest"]
_Taps: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]  # first, touched, weights
_Nan: TypeAlias = Literal["show", "skip", "unmasked", "infinite"]
_Tie: TypeAlias = Literal["up", "down"]
# What extremes in states of cells are compared as: float64, or 64-bit integers.
_Order: TypeAlias = Literal["f64", "i64", "u64"]
_Role: TypeAlias = Literal["rows", "cols", "fixed", "hidden", "channels", "repeated"]
_Component: TypeAlias = Literal[
    "value", "abs", "abs2", "re", "im", "phase", "unit_re", "unit_im", "sum_re", "sum_im", "channel"
]
# min, max, min_positive, has, n_finite, n_nan, n_pos_inf, n_neg_inf, n_masked
_Limits: TypeAlias = tuple[float, float, float, int, int, int, int, int, int]

# n_nan, n_neg_inf, n_neg, n_zero, n_pos, n_pos_inf, n_masked, n_subnormal, min, max, mean, m2, sum_of_squares, argmin, argmax,
# first_nan, scale;
# positions are row-major in the plane, row * n_cols + col, -1 where there is none; m2 and sum_of_squares are of elements times scale
_Summary: TypeAlias = tuple[
    int, int, int, int, int, int, int, int, float, float, float, float, float, int, int, int, float
]

@final
class Tensor:
    """Borrowed memory seen as an N-D array; let go by `release`, at the end of a `with`, or with the object."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...  # bytes
    @property
    def mask_strides(self) -> tuple[int, ...] | None: ...  # bytes
    @property
    def dtype(self) -> str: ...
    @property
    def device(self) -> tuple[int, int]: ...  # (kind, id) in DLPack's numbers; kind 1 is the CPU
    @property
    def address(self) -> int: ...  # of element [0, ..., 0]
    @property
    def is_masked(self) -> bool: ...
    @property
    def is_readonly(self) -> bool: ...
    @property
    def is_released(self) -> bool: ...
    @classmethod
    def from_array(cls, array: NDArray[Any], dtype: str, mask: NDArray[np.bool_] | None = None, /) -> Tensor: ...
    @classmethod
    def from_dlpack(cls, capsule: Any, dtype: str | None = None, /) -> Tensor: ...
    @classmethod
    # Strides are in bytes, None: row-major; device=-1: not known; not zero is masked, or with mask_marks_valid zero is.
    def from_cuda(
        cls, pointer: int, shape: Sequence[int], strides: Sequence[int] | None, dtype: str, device: int = -1,
        byteswapped: bool = False, mask_pointer: int = 0, mask_strides: Sequence[int] | None = None, owner: object = None,
        mask_marks_valid: bool = False,
    ) -> Tensor: ...
    def from_cells(cls, cells: Cells, /) -> Tensor: ...
    def release(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None: ...

@final
class Plane:
    """The 2-D plane of a tensor: a use (role, start, step, size, stage) for each axis, and what an element gives."""

    def __new__(
        cls, tensor: Tensor, uses: Iterable[tuple[_Role, int, int, int, int]], stage_ops: Iterable[str],
        component: _Component = "value", channel: int = 0, alpha_weighted: bool = False,
    ) -> Self: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def is_direct(self) -> bool: ...
    def crop(self, row0: int, row1: int, col0: int, col1: int, /) -> Plane: ...

@final
class Slices:
    """A tensor cut into slices: a use (start, step, size, is_between) for each axis, and what an element gives."""

    def __new__(
        cls, tensor: Tensor, uses: Iterable[tuple[int, int, int, bool]], component: _Component = "value"
    ) -> Self: ...
    @property
    def shape(self) -> tuple[int, int]: ...  # slices, elements of each

@final
class Axis:
    """Which elements of one axis each cell covers; element j covers [j, j + 1)."""

    def __new__(
        cls, n_elems: int, u0: float, u1: float, n_cells: int, tie: _Tie = "up", nearest: bool = False
    ) -> Self: ...
    @classmethod
    def from_edges(
        cls, n_elems: int, edges: ArrayLike, centers: ArrayLike, tie: _Tie = "up", nearest: bool = False
    ) -> Axis: ...
    @property
    def n_cells(self) -> int: ...
    @property
    def is_nearest(self) -> bool: ...
    @property
    def is_reversed(self) -> bool: ...
    def span(self, p: int, /) -> tuple[int, int, int, int, float, float]: ...
    def crop(self, begin: int, end: int, /) -> tuple[Axis, int] | None: ...
    def touched(self) -> tuple[int, int]: ...

@final
class Cells:
    """(H, W) float64 cells where they were computed; on the host they are a buffer too."""

    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def device(self) -> tuple[int, int]: ...  # (kind, id) in DLPack's numbers; kind 1 is the CPU
    @property
    def limits(self) -> _Limits | None: ...  # what reduce() found of them with limits_of_cells
    @classmethod
    def from_array(cls, values: ArrayLike, /) -> Cells: ...
    def numpy(self, out: NDArray[np.float64] | None = None, /) -> NDArray[np.float64]: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...

# With splits_nan a grid of what cells that NaN marks are without it, of which fill_without_nan makes all cells without NaN, and limits
# of elements without it.
@overload
def reduce(
    plane: Plane, rows: Axis, cols: Axis, agg: _Agg = "mean", nan: _Nan = "show", want: int = 0, *, splits_nan: Literal[True],
    limits_of_cells: bool = False
) -> tuple[Cells, _Limits | None, Cells, _Limits | None]: ...
@overload
def reduce(
    plane: Plane, rows: Axis, cols: Axis, agg: _Agg = "mean", nan: _Nan = "show", want: int = 0, splits_nan: bool = False,
    limits_of_cells: bool = False, *, style: object, search: tuple[str, float, float, float, float] | None = None,
    out: NDArray[np.uint8] | None = None
) -> tuple[Any, ...]: ...
@overload
def reduce(
    plane: Plane, rows: Axis, cols: Axis, agg: _Agg = "mean", nan: _Nan = "show", want: int = 0, splits_nan: bool = False,
    limits_of_cells: bool = False, style: None = None, search: None = None, out: None = None
) -> tuple[Cells, _Limits | None]: ...
def reduce_channels(
    planes: tuple[Plane, ...], rows: Axis, cols: Axis, agg: _Agg, nan: _Nan, splits_nan: bool, /
) -> list[tuple[Cells, Cells | None]]: ...
def fill_without_nan(cells: Cells, without_nan: Cells, /) -> None: ...

# Partial results: structured arrays of cells under an aggregation, of "limits", of a "summary", or of columns of a series ("m4").
def clear_states(name: _Agg | Literal["limits", "summary", "m4"], states: NDArray[np.void], /) -> None: ...
def join_states(name: _Agg | Literal["limits", "summary", "m4"], to: NDArray[np.void], other: NDArray[np.void], /) -> None: ...
def round_states(name: _Agg | Literal["limits", "summary"], order: _Order, states: NDArray[np.void], /) -> None: ...
def reduce_states(
    plane: Plane, rows: Axis, cols: Axis, agg: _Agg, nan: _Nan, out: NDArray[np.void], want: int = 0,
    limits: NDArray[np.void] | None = None, /
) -> _Order: ...
def finish_states(agg: _Agg, nan: _Nan, order: _Order, states: NDArray[np.void], /) -> NDArray[np.float64]: ...
def limits(plane: Plane, want: int, /) -> _Limits: ...
def limits_state(plane: Plane, want: int, out: NDArray[np.void], /) -> None: ...
def finish_limits(state: NDArray[np.void], /) -> _Limits: ...
def percentiles(plane: Plane, percents: ArrayLike, positive_only: bool = False, /) -> NDArray[np.float64]: ...

# The finite elements of ranges that do not overlap, both ends included, in any order; None: there are more than `most`.
def collect(plane: Plane, lows: ArrayLike, highs: ArrayLike, most: int, /) -> NDArray[np.float64] | None: ...
def summarize(plane: Plane, out: NDArray[np.void], /) -> _Order: ...
def finish_summary(order: _Order, state: NDArray[np.void], /) -> _Summary: ...

# edges: finite, strictly rising. integer_range: for planes of stored integers, exact, both ends included; it then decides alone
# what counts, and the end bins take what float64 rounds beyond the edges.
def histogram(
    plane: Plane, edges: ArrayLike, integer_range: tuple[int, int] | None = None
) -> NDArray[np.int64]: ...

# Elements at the same place of one or two planes: counts (or with weights float64 sums) of shape (bins,) or (bins, bins), and how many
# elements are in a bin. edges and integer_ranges as for histogram, an item for each plane. moment: a power, a center and a scale; a
# weight w then counts ((w - center) * scale)**power.
def histogram_joint(
    planes: tuple[Plane, ...], edges: tuple[ArrayLike, ...], integer_ranges: tuple[tuple[int, int] | None, ...] | None = None,
    weights: Plane | None = None, moment: tuple[int, float, float] | None = None,
) -> tuple[NDArray[Any], int]: ...
# Elements of two planes of stored numbers: a - b as cells, one for each; largest |a - b| and |a - b| / |b|, the positions of both and of
# the first NaN in one alone (or None), and how many differ by more than atol + rtol * |b|, are NaN in a alone, and in b alone.
def subtract(a: Plane, b: Plane, /) -> Cells: ...
def compare(
    a: Plane, b: Plane, rtol: float, atol: float, /
) -> tuple[float, float, int | None, int | None, int | None, int, int, int]: ...

# Element i of each plane is a point's; an axis is (first, last, cells, edges that do not fall or None). Cells, and how many points have
# none. With classes, the first and last whole number that values are, rows of one grid for each number.
def bin_points(
    x: Plane, y: Plane, values: Plane | None, x_axis: tuple[float, float, int, ArrayLike | None],
    y_axis: tuple[float, float, int, ArrayLike | None], agg: _Agg, nan: _Nan, classes: tuple[int, int] | None = None, /
) -> tuple[Cells, int]: ...

# Lines are (x, y, whether x is known to rise): a line for each row of y, x of one row or as many, or None. An axis is (first, last, cells,
# low, high, values, places): what is below low or above high interrupts lines; knots say where values lie, in cells.
_LineAxis: TypeAlias = tuple[float, float, int, float, float, ArrayLike | None, ArrayLike | None]

def bin_lines(
    lines: Sequence[tuple[Plane | None, Plane, Literal["found", "sorted", "unsorted"]]],
    x_axis: _LineAxis, y_axis: _LineAxis, normalized: bool, has_outside: bool = False, /,
) -> Cells: ...
# (lines, columns, 2) int32 of sorted lines in host memory: the first and the last row of a column, the last below the first for none.
def line_rows(
    lines: Sequence[tuple[Plane | None, Plane, Literal["sorted"]]],
    x_axis: _LineAxis, y_axis: _LineAxis, of_lines: tuple[int, int], of_columns: tuple[int, int], /,
) -> NDArray[np.int32]: ...
def line_places(values: ArrayLike, axis: _LineAxis, /) -> NDArray[np.float64]: ...

# kinds: HAS_* bits. The position of the first such element at or after start (backwards: the last at or before it), or -1.
# start may be just behind the last element (backwards: -1, just before the first), where nothing is found.
def find(plane: Plane, kinds: int, start: int = 0, backwards: bool = False, /) -> int: ...

# Series, planes of one row. States are arrays of plane.series.M4_STATE.
def m4(plane: Plane, bounds: ArrayLike, out: NDArray[np.void], /) -> _Order: ...

def find_ways(plane: Plane, /) -> tuple[bool, bool]: ...
def search_sorted(plane: Plane, values: ArrayLike, /) -> NDArray[np.int64]: ...
def take(plane: Plane, positions: ArrayLike, /) -> NDArray[np.float64]: ...

# Rows for slices, row-major. summarize_slices: the first 16 numbers of _Summary, floats as their bits, min and max of integers, scale.
def summarize_slices(slices: Slices, /) -> NDArray[np.int64]: ...
def histogram_slices(
    slices: Slices, edges: ArrayLike, integer_range: tuple[int, int] | None = None
) -> NDArray[np.int64]: ...

# Of slices of at most MOST_SLICE_ELEMS elements.
def percentiles_slices(slices: Slices, percents: ArrayLike, /) -> NDArray[np.float64]: ...
def shade(cells: Cells, style: object, out: NDArray[np.uint8] | None = None, /) -> NDArray[np.uint8]: ...
def paint(
    plane: Plane, rows: Axis, cols: Axis, agg: _Agg, nan: _Nan, style: object, want: int = 0, row_taps: _Taps = ...,
    col_taps: _Taps = ..., /
) -> tuple[NDArray[np.uint8], _Limits | None]: ...
def shade_rgb(
    channels: tuple[Cells, ...], style: object, out: NDArray[np.uint8] | None = None, /
) -> tuple[NDArray[np.uint8], tuple[float, float]]: ...
def filter(cells: Cells, row_taps: _Taps, col_taps: _Taps, nan: _Nan, /) -> Cells: ...
def resample(plane: Plane, rows: Axis, cols: Axis, nan: _Nan, row_taps: _Taps, col_taps: _Taps, /) -> Cells: ...
def angle(real_cells: Cells, imaginary_cells: Cells, /) -> Cells: ...
def gather(plane: Plane, out: NDArray[Any], /) -> NDArray[Any]: ...

# Elements to arrays in host memory. out: writable, of the tensor's shape, its items of the dtype's size; progress is called with the
# numbers of elements done and of all, and what it raises ends the conversion.
def convert(
    tensor: Tensor, out: NDArray[Any], dtype: str, progress: Callable[[int, int], object] | None = None, /
) -> None: ...
def array_of(tensor: Tensor, dtype: np.dtype[Any], writable: bool, /) -> NDArray[Any]: ...  # host memory, borrowed while it lives
def mask_of(tensor: Tensor, /) -> tuple[Tensor, bool] | None: ...  # bytes that are not zero where masked; True: where valid
def pinned_empty(ordinal: int, n_bytes: int, /) -> NDArray[np.uint8] | None: ...  # None: the budget is spent
def pinned_budget() -> int: ...  # bytes

# rgba: C-contiguous (..., 4). Indices of shape rgba.shape[:-1] and the colours (n, 4), or None where more than 256 occur.
def palette(rgba: NDArray[np.uint8], /) -> tuple[NDArray[np.uint8], NDArray[np.uint8]] | None: ...
def png_encode(rgba: NDArray[np.uint8], dots_per_inch: float, texts: Sequence[tuple[str, str]], /) -> bytes: ...

# CUDA devices by ordinal. Streams are handles: 1 is the legacy default stream, 2 the calling thread's default.
def cuda_load() -> int: ...  # how many devices; DeviceError where the driver cannot be used
def cuda_info() -> dict[str, Any]: ...  # driver (0: none), devices [(name, capability, image)], kernels, images, built_by, reason
def cuda_stream(ordinal: int, /) -> int: ...
def cuda_order_after(ordinal: int, stream: int, /) -> None: ...
def cuda_synchronize(ordinal: int, /) -> None: ...
def cuda_refuse_capture(ordinal: int, stream: int, /) -> None: ...
def cuda_gather_points(ordinal: int, addresses: NDArray[np.uint64], out: NDArray[np.uint8], /) -> NDArray[np.uint8]: ...
def cuda_memory_kind(address: int, /) -> str: ...  # "device", "managed" or "host"; DeviceError for memory that CUDA does not know
def cuda_counts(ordinal: int, /) -> dict[str, int]: ...
def cuda_close() -> None: ...

def threads_limit(n: int = -1, /) -> int: ...
def build_info() -> dict[str, str]: ...
