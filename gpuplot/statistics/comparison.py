"""Compares two tensors element by element on their device, in blocks of constant memory."""

from __future__ import annotations

import itertools
import math
import operator
from dataclasses import dataclass, replace

import numpy as np

from .. import _native
from ..arrays.chunk_elements import source_of_chunk
from ..arrays.chunked_source import ChunkedSource
from ..arrays.chunks_together import together
from ..arrays.describe import describe
from ..arrays.scalars import number_in
from ..dtype_classes import is_bool_or_integer, is_complex
from ..plane.chunks.chunk_grid import bounds, over_all
from ..plane.coalesce_axes import Cover, cover
from ..plane.difference import BLOCK_ELEMENTS, on_one_device, without_classes
from ..plane.gather import gather
from ..plane.native_plane import native_plane
from ..plane.view import choose
from .text import amount, number, percent

# Default (rtol, atol), a few rounding errors of a dtype; of two dtypes the coarser one's are used.
TOLERANCES = {"float64": (1e-7, 1e-7), "longdouble": (1e-7, 1e-7), "complex128": (1e-7, 1e-7), "float32": (1e-6, 1e-5),
              "complex64": (1e-6, 1e-5), "float16": (1e-3, 1e-5), "complex32": (1e-3, 1e-5), "bfloat16": (2e-2, 1e-5)}
NARROW = (2e-1, 1e-3)  # floats of 8 bits


@dataclass(frozen=True)
class Comparison:
    """What is different between a tensor and the one that was expected.

    Attributes
    ----------
    shape : tuple of int
    dtypes : (str, str)
        Of the two.
    numel : int
    max_abs, max_rel : float
        Largest ``|a - b|``, infinite where one of the two is, and of integers the exact difference as the nearest float; and largest
        ``|a - b| / |b|`` where b is finite and not 0. 0 of no such elements.
    argmax_abs, argmax_rel : tuple of int or None
        Where they are; None where there is no difference.
    n_beyond : int
        Elements with ``|a - b| > atol + rtol * |b|``, and those of which one alone is NaN.
    nan_only_a, nan_only_b : int
        Elements that are NaN in one of the two alone.
    first_nan_only : tuple of int or None
        Where the first of these is.
    rtol, atol : float
    masked : int
        Elements that are masked, or no class, in one of the two or in both, which all other numbers leave out.

    Examples
    --------
    >>> import gpuplot
    >>> found = gpuplot.compare([[1.0, 2.0]], [[1.0, 2.5]]).comparison
    >>> found.max_abs, found.argmax_abs, found.max_rel, found.share_beyond
    (0.5, (0, 1), 0.2, 0.5)
    """

    shape: tuple
    dtypes: tuple
    numel: int
    max_abs: float
    argmax_abs: tuple | None
    max_rel: float
    argmax_rel: tuple | None
    n_beyond: int
    nan_only_a: int
    nan_only_b: int
    first_nan_only: tuple | None
    rtol: float
    atol: float
    masked: int = 0

    @property
    def share_beyond(self):
        """The part of all elements, without masked ones, that differ by more than the tolerances."""
        return self.n_beyond / self._n_compared if self._n_compared else 0.0

    @property
    def _n_compared(self):
        return self.numel - self.masked

    @property
    def is_equal(self):
        """Whether no element differs, and none is NaN in one of the two alone."""
        return not (self.max_abs or self.nan_only_a or self.nan_only_b)

    def __str__(self):
        beyond = f"{amount(self.n_beyond)} of {amount(self._n_compared)} ({percent(self.share_beyond)})" if self.n_beyond else "none"
        relative = f"relative {number(self.max_rel)}{_at(self.argmax_rel)}"
        if self.max_abs > 0 and self.max_rel == 0:
            relative = "relative none, as b is 0 or infinite there"
        parts = [f"largest difference {number(self.max_abs)}{_at(self.argmax_abs)}", relative,
                 f"beyond rtol {self.rtol:g}, atol {self.atol:g}: {beyond}"]
        if self.nan_only_a or self.nan_only_b:
            parts.append(f"NaN in a alone {amount(self.nan_only_a)}, in b alone {amount(self.nan_only_b)}, first{_at(self.first_nan_only)}")
        if self.masked:
            parts.append(f"masked {amount(self.masked)} of {amount(self.numel)}")
        return " \u00b7 ".join(parts)


class ClassComparison(Comparison):
    """What is different between two tensors of class numbers."""

    def __str__(self):
        n = self._n_compared
        parts = [f"{amount(self.n_beyond)} of {amount(n)} elements have another class ({percent(self.share_beyond)})" if self.n_beyond
                 else f"{amount(n)} elements have the same class"]
        if self.masked:
            parts.append(f"masked, or no class, {amount(self.masked)} of {amount(self.numel)}")
        return " \u00b7 ".join(parts)


def compare_classes(a, b, ignored=()):
    """The `ClassComparison` of all elements of two sources of one shape, without those that are `ignored` in either."""
    return ClassComparison(**vars(compare_elements(a, b, ignored=ignored)))


def _at(index):
    return "" if index is None else f" at [{', '.join(map(str, index))}]"


def compare_elements(a, b, rtol=None, atol=None, ignored=()):
    """The `Comparison` of all elements of two sources of one shape; relative differences are relative to `b`.

    `rtol` and `atol` default to those of the coarser dtype, 0 for integers. Numbers in `ignored` count as masked.
    """
    if isinstance(a, ChunkedSource) or isinstance(b, ChunkedSource):
        return _compare_chunks(a, b, *_tolerances(a, b, rtol, atol), ignored)
    steps = comparing(a, b, rtol, atol, ignored=ignored)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


@dataclass(frozen=True)
class CompareChunk:
    """A task: the chunks of two arrays at one index -> their `Comparison`, with indices of the whole arrays."""

    chunks: tuple
    dtypes: tuple
    rtol: float
    atol: float
    ignored: tuple = ()

    def __call__(self, chunks, index):
        left, right = (source_of_chunk(chunk, dtype, index) for chunk, dtype in zip(chunks, self.dtypes, strict=True))
        begins = [bounds(sizes, k)[0] for sizes, k in zip(self.chunks, index, strict=True)]
        found = compare_elements(left, right, self.rtol, self.atol, self.ignored)
        places = {name: tuple(map(operator.add, begins, getattr(found, name))) for name in _PLACES if getattr(found, name) is not None}
        return replace(found, **places)

    @staticmethod
    def together(found):
        """The Comparison of all chunks; of equal differences the one with the first index."""
        largest = {}
        for name in ("abs", "rel"):
            ones = [(getattr(one, f"max_{name}"), getattr(one, f"argmax_{name}")) for one in found]
            value = max(value for value, _ in ones)
            largest |= {f"max_{name}": value, f"argmax_{name}": min((at for size, at in ones if size == value and at), default=None)}
        counts = {name: sum(getattr(one, name) for one in found) for name in ("numel", "masked", "n_beyond", "nan_only_a", "nan_only_b")}
        first = min((one.first_nan_only for one in found if one.first_nan_only), default=None)
        return replace(found[0], **largest, **counts, first_nan_only=first)


# Fields that are indices.
_PLACES = ("argmax_abs", "argmax_rel", "first_nan_only")


def _compare_chunks(a, b, rtol, atol, ignored):
    """The `Comparison` of two arrays in equal chunks."""
    pair = together({"a": a, "b": b})
    work = CompareChunk(pair.chunks, (a.dtype, b.dtype), rtol, atol, ignored)
    return replace(over_all(pair, work, work.together), shape=a.shape, dtypes=work.dtypes)


def comparing(a, b, rtol=None, atol=None, block=None, ignored=()):
    """As `compare_elements`, in blocks: a generator that yields how many elements are done and returns the `Comparison`.

    Tensors on one device are compared there; blocks of tensors on two devices are copied to the host.
    """
    rtol, atol = _tolerances(a, b, rtol, atol)
    known = Comparison(a.shape, (a.dtype, b.dtype), a.size, 0.0, None, 0.0, None, 0, 0, 0, None, rtol, atol)
    n_done = 0
    for views, box in _blocks(a, b, block or BLOCK_ELEMENTS, ignored):
        masked, *found = _compare_block(a, b, views, box, rtol, atol, ignored)
        known = _joined(replace(known, masked=known.masked + masked), _indexed(found, views[0], box))
        n_done += (box[1] - box[0]) * (box[3] - box[2])
        yield n_done
    return known


def _compare_block(a, b, views, box, rtol, atol, ignored=()):
    """(the number of masked elements, the result of `_native.compare` for the others) of a box."""
    if _are_compared_in_place(a, b, ignored):
        with a.borrow() as left, b.borrow() as right:
            planes = [_plane_of(tensor, view).crop(*box) for tensor, view in zip((left, right), views, strict=True)]
            return 0, *_native.compare(*planes, rtol, atol)
    blocks = [without_classes(gather(source, replace(view, complex_mode=None), box), ignored)
              for source, view in zip((a, b), views, strict=True)]
    is_masked = np.logical_or(*map(np.ma.getmaskarray, blocks))
    on_host = [describe(_without(block, is_masked)) for block in blocks]
    n_rows, n_cols = on_host[0].shape
    views = [_view_of(source, x=1, y=0) for source in on_host]
    return int(is_masked.sum()), *_compare_block(*on_host, views, (0, n_rows, 0, n_cols), rtol, atol)[1:]


def _are_compared_in_place(a, b, ignored):
    """Whether two tensors are compared where they are, without copies of blocks."""
    return on_one_device(a, b) and not (a.is_masked or b.is_masked or ignored)


def _plane_of(tensor, view):
    return view.plane(tensor) if isinstance(view, _MergedView) else native_plane(tensor, view)


def _without(block, is_masked):
    """A block whose masked elements are 0, which differ from those of another such block by nothing."""
    elements = np.ma.getdata(block)
    return np.where(is_masked, elements.dtype.type(0), elements) if is_masked.any() else elements


def _indexed(found, view, box):
    """A result of `_native.compare` with positions in a box replaced by indices of the tensor."""
    def index_of(position):
        if position is None:
            return None
        row, col = divmod(position, box[3] - box[2])
        return view.tensor_index(box[0] + row, box[2] + col)

    max_abs, max_rel, *positions, n_beyond, nan_only_a, nan_only_b = found
    return max_abs, max_rel, *map(index_of, positions), n_beyond, nan_only_a, nan_only_b


def _joined(known, found):
    """A `Comparison` joined with the result for another block; of equal differences the first index is kept."""
    max_abs, max_rel, at_abs, at_rel, first, n_beyond, nan_only_a, nan_only_b = found
    max_abs, at_abs = _larger(known.max_abs, known.argmax_abs, max_abs, at_abs)
    max_rel, at_rel = _larger(known.max_rel, known.argmax_rel, max_rel, at_rel)
    return replace(known, max_abs=max_abs, argmax_abs=at_abs, max_rel=max_rel, argmax_rel=at_rel, n_beyond=known.n_beyond + n_beyond,
                   nan_only_a=known.nan_only_a + nan_only_a, nan_only_b=known.nan_only_b + nan_only_b,
                   first_nan_only=min((at for at in (known.first_nan_only, first) if at is not None), default=None))


def _larger(value, at, other, other_at):
    """The larger of two values with its index; of equal values that with the first index. A value of 0 has no index."""
    if other == value:
        return (other, other_at) if value > 0 and other_at < at else (value, at)
    return (other, other_at) if other > value else (value, at)


def _blocks(a, b, block, ignored=()):
    """Yields (views of a and b, box) for each block of the tensors; rows and columns are their two longest axes, or several axes each."""
    shape = a.shape
    if 0 in shape:
        return
    merged = _merged(a, b) if _are_compared_in_place(a, b, ignored) else None
    for views in _views(a, b) if merged is None else _merged_views(merged, a, b):
        n_rows, n_cols = views[0].shape
        across = min(n_cols, block) if merged is not None else n_cols
        down = max(1, block // across)
        for row, col in itertools.product(range(0, n_rows, down), range(0, n_cols, across)):
            yield views, (row, min(n_rows, row + down), col, min(n_cols, col + across))


def _views(a, b):
    """Yields the views of a and b at each place along all axes but the two longest."""
    shape = a.shape
    axes = dict(zip(("x", "y"), reversed(_longest(shape)), strict=False))
    views = [_view_of(source, **axes) for source in (a, b)]
    others = [axis for axis, use in enumerate(views[0].uses) if use[0] == "fixed"]
    for places in itertools.product(*(range(shape[axis]) for axis in others)):
        yield [view.fixed_at(dict(zip(others, places, strict=True))) for view in views]


def _merged_views(cover, a, b):
    """Yields the views of a and b of each plane of a `Cover`; `_native.compare` compares both parts of complex elements."""
    components = ["re" if is_complex(source.dtype) else "value" for source in (a, b)]
    for outer in cover.outer():
        yield [_MergedView(cover, outer, component) for component in components]


@dataclass(frozen=True)
class _MergedView:
    """A plane of a `Cover`, with rows and columns of several axes each, in place of a `View`."""

    cover: Cover
    outer: dict
    component: str

    @property
    def shape(self):
        return self.cover.shape

    def plane(self, tensor):
        """The native plane."""
        return self.cover.plane(tensor, self.component, self.outer)

    def tensor_index(self, row, col):
        """See `View.tensor_index`."""
        return self.cover.place(row * self.shape[1] + col, self.outer)


def _merged(a, b):
    """The `Cover` of all elements of both of two tensors that lie alike in memory; None where planes of two axes are no more.

    A tensor of many short axes, such as (2,) * 20, has so many planes of two of them that each costs more than its elements.
    """
    if a.ndim < 3:
        return None
    spans, covers = [range(n) for n in a.shape], []
    for source in (a, b):
        with source.borrow() as tensor:
            covers.append(cover(tensor, spans, range(a.ndim)))
    one, other = covers
    is_alike = (one.rows, one.cols) == (other.rows, other.cols) and not (one.repeated or other.repeated)
    longest = math.prod(sorted(a.shape)[-2:])
    return one if is_alike and math.prod(one.shape) > longest else None


def _longest(shape):
    """The two longest axes, or as many as there are, in the tensor's order, so that few blocks are needed."""
    by_length = sorted(range(len(shape)), key=lambda axis: shape[axis])
    return sorted(by_length[-2:])


def _view_of(source, **axes):
    """The View of the elements as stored. `_native.compare` compares both parts of complex ones, whichever part the view names."""
    view = choose(source.shape, None, source.dtype, rgb=False, **axes)
    return replace(view, complex_mode="real" if is_complex(source.dtype) else None)


def _tolerances(a, b, rtol, atol):
    """(rtol, atol) as given, or those of the coarser of two dtypes."""
    known = [(0.0, 0.0) if is_bool_or_integer(source.dtype) else TOLERANCES.get(source.dtype, NARROW) for source in (a, b)]
    usual = [max(pair) for pair in zip(*known, strict=True)]
    return [default if given is None else given for given, default in zip(check_tolerances(rtol, atol), usual, strict=True)]


def check_tolerances(rtol, atol):
    """Two tolerances as floats, None where none is given; ValueError if one is below 0, not finite or no number."""
    checked = []
    for name, value in (("rtol", rtol), ("atol", atol)):
        given = None if value is None else number_in(value)
        if value is not None and (given is None or not (math.isfinite(given) and given >= 0)):
            raise ValueError(f"{name}={value!r} must be a number of at least 0")
        checked.append(given)
    return checked
