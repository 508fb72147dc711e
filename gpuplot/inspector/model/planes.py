"""A plane of a tensor with the queries of the inspector: indices as text, single elements, stacked planes."""

from dataclasses import dataclass, replace

from ...arrays.chunked_source import ChunkedSource
from ...arrays.kept_chunks import KeptChunks
from ...plane.aggs import native_nan
from ...plane.chunks.chunk_search import find_in_chunks
from ...plane.chunks.chunked_plane import ChunkedPlane, boxes_elsewhere, cropped, gather_chunks
from ...plane.chunks.chunked_series import ChunkedSeries
from ...plane.chunks.hidden_chunks import computed_elements
from ...plane.gather import gather
from ...plane.limits import find_element
from ...plane.series import Series
from ...plane.tensor_plane import TensorPlane
from ...statistics.plane_stats import count_integers, elements_shown


class Inspected:
    """The inspector's interface to a plane of one tensor, independent of how its elements are read."""

    @property
    def key(self):
        """Equal for planes of the same elements."""
        return (id(self.source), self.view, self.nan)

    def skipping(self):
        """The plane with elements that are not finite left out."""
        return self.under("skip")

    def decided(self, leaves_out_nan):
        """The plane with nan="auto" replaced by the decision: NaN left out, or shown."""
        return self.under("infinite" if leaves_out_nan else native_nan(self.nan))

    def elements_over(self, stacked_axes, box=None):
        """A context with the `Elements` of a box of the plane at several indices, {axis with a fixed index: range of indices}."""
        return elements_shown(self.source, self.view, box, self.nan, stacked_axes)

    def counts(self, first, last, step=1):
        """The number of elements with each integer from `first` to `last`; with `step`, of groups of so many integers."""
        return count_integers(self.source, self.view, first, last, self.nan, step)

    def at(self, index):
        """The plane at another index, ``{axis: element}``."""
        return replace(self, view=self.view.fixed_at(index))

    def has_any(self, kinds, stacked_axes):
        """Whether the stacked planes have an element of any of these kinds; see `elements_over`."""
        with self.elements_over(stacked_axes) as elements:
            return elements.has_any(kinds)

    @property
    def element_view(self):
        """The view of whole elements, also of complex ones."""
        is_part = self.view.complex_mode is not None and not self.view.is_reduced
        return replace(self.view, complex_mode=None) if is_part else self.view

    def index_text(self, rows, cols):
        """The tensor's index of some rows and columns, which are ranges: ``"[3, 16:32, 402]"``."""
        parts = {"rows": rows, "cols": cols}
        texts = []
        for use in self.view.uses:
            if use.role in parts:
                part = parts[use.role]
                texts.append(_range_text(use.elements[part.start:part.stop]))
            else:
                texts.append(str(use.start) if use.role == "fixed" else _range_text(use.elements))
        return f"[{', '.join(texts)}]"


@dataclass(frozen=True)
class InspectedPlane(Inspected, TensorPlane):
    """A plane of one tensor, borrowed at every use."""

    @property
    def series(self):
        """A plane of one row as a `Series`."""
        return Series.of_view(self.source, self.view, native_nan(self.nan))

    def find(self, kinds, start, is_backwards):
        """Row-major position of the first element of these kinds from `start` on, or of the last one before; -1 for none."""
        return find_element(self.source, self.view, kinds, start, is_backwards, self.nan)

    def elements(self, box):
        """The elements of a half-open box in the tensor's dtype, complex numbers and color channels whole."""
        return gather(self.source, self.element_view, box, self.nan)

    def near_pointer(self, kept):
        """The plane for questions about the elements under the pointer: itself."""
        return self

    def elsewhere(self, box):
        """The parts of a box, half-open boxes that count from its corner, that cannot be read in this process: none."""
        return []


@dataclass(frozen=True)
class InspectedChunks(Inspected, ChunkedPlane):
    """A plane of an array in chunks, which are read on demand; methods are those of `InspectedPlane`."""

    @property
    def series(self):
        """See `InspectedPlane.series`."""
        return ChunkedSeries.of_view(*computed_elements(self.source, self.view, self.nan), native_nan(self.nan))

    def find(self, kinds, start, is_backwards):
        """See `InspectedPlane.find`; reading stops after the row of chunks with that element."""
        return find_in_chunks(self.source, self.view, kinds, start, is_backwards, self.nan)

    def elements(self, box):
        """See `InspectedPlane.elements`."""
        return gather_chunks(self.source, cropped(self.element_view, box), self.nan)

    def near_pointer(self, kept):
        """The plane over a source that keeps the chunks near the pointer; itself over shards, which are in memory.

        `kept` caches the sources: {source: keeping source}.
        """
        if not self.source.tells_tiles:
            return self
        if self.source not in kept:
            kept.clear()
            kept[self.source] = KeptChunks.of(self.source)
        return replace(self, source=kept[self.source], known={})

    def elsewhere(self, box):
        """See `InspectedPlane.elsewhere`: parts that other processes hold."""
        return boxes_elsewhere(self.source, cropped(self.view, box))


def inspected(source, view, nan):
    """A plane of one tensor; UnsupportedError if each element is a sum of parts in several processes."""
    if not isinstance(source, ChunkedSource):
        return InspectedPlane(source, view, nan)
    if source.n_addends > 1:
        source.check_complete()
    return InspectedChunks(source, view, nan)


def _range_text(elements):
    """A range as a slice in brackets."""
    if len(elements) == 1:
        return str(elements[0])
    if not elements:
        return f"{elements.start}:{elements.start}"
    step = elements.step
    if step < 0 and elements.stop < 0:
        return f"{elements.start}::{step}"
    return f"{elements.start}:{elements.stop}" + ("" if step == 1 else f":{step}")
