"""One plane of a tensor as the inspector reads it: what every front end reads, indices as text, and stacked planes."""

from dataclasses import dataclass, replace

from ... import _native
from ...plane import reduce
from ...plane.gather import gather
from ...plane.series import Series
from ...plane.tensor_plane import TensorPlane
from ...statistics.plane_stats import count_integers, elements_shown


@dataclass(frozen=True)
class InspectedPlane(TensorPlane):
    """A plane of one tensor, borrowed anew at every use."""

    @property
    def series(self):
        """A plane of one row as a `Series`."""
        return Series.of_view(self.source, self.view, reduce.native_nan(self.nan))

    @property
    def key(self):
        """Equal for planes of the same elements."""
        return (id(self.source), self.view, self.nan)

    def skipping(self):
        """The same plane with elements that are not finite left out."""
        return self.under("skip")

    def decided(self, leaves_out_nan):
        """The same plane with nan="auto" replaced by what was decided: NaN left out, or shown."""
        return self.under("infinite" if leaves_out_nan else reduce.native_nan(self.nan))

    def elements_over(self, stacked_axes, box=None):
        """A context with the `Elements` of a box of the plane at several indices, {axis with a fixed index: range of indices}."""
        return elements_shown(self.source, self.view, box, self.nan, stacked_axes)

    def counts(self, first, last, step=1):
        """How often each integer from `first` to `last` occurs, `step` neighbors counted together."""
        return count_integers(self.source, self.view, first, last, self.nan, step)

    def at(self, index):
        """The same plane at another index, ``{axis: element}``."""
        return replace(self, view=self.view.fixed_at(index))

    def find(self, kinds, start, is_backwards):
        """Row-major position of the next element of some kinds from `start` on, or of the one before; -1 for none."""
        return reduce.find_element(self.source, self.view, kinds, start, is_backwards, self.nan)

    def has_any(self, kinds, stacked_axes):
        """Whether the stacked planes have an element of some kinds; see `elements_over`."""
        with self.elements_over(stacked_axes) as elements:
            return any(_native.find(plane, kinds) >= 0 for plane in elements.pooled)

    def elements(self, box):
        """The elements of a half-open box in the tensor's dtype, complex numbers and color channels whole."""
        view = self.view
        if view.complex_mode is not None and not view.is_reduced:
            view = replace(view, complex_mode=None)
        return gather(self.source, view, box, self.nan)

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


def nearest(positions, is_backwards):
    """The first of several positions, or the last; -1 where there is none."""
    return max(positions) if is_backwards else min((position for position in positions if position >= 0), default=-1)


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
