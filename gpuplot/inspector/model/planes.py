"""One plane of a tensor as the inspector reads it: what every front end reads, places of elements, and several planes at once."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ... import _native
from ...plane import reduce
from ...plane.tensor_plane import TensorPlane
from ...statistics.plane_stats import count_integers, elements_shown

__all__ = ["InspectedPlane", "nearest", "view_at"]


@dataclass(frozen=True)
class InspectedPlane(TensorPlane):
    """A plane of one tensor, borrowed anew at every use."""

    # How a line gets the ends and the middle of its columns.
    envelope_aggs = ("min", "max", "mean")

    @property
    def key(self):
        """Equal for planes of the same elements, as long as nobody writes to the tensor."""
        return (id(self.source), self.view, self.nan)

    def skipping(self):
        """The same plane with elements that are not finite left out."""
        return self.under("skip")

    def decided(self, leaves_out_nan):
        """The same plane with nothing left to decide by itself about NaN."""
        return self.under("infinite" if leaves_out_nan else reduce.native_nan(self.nan))

    def elements_over(self, stacked_axes, box=None):
        """The `Elements` of the plane at several places along axes that stand at an index, while it is borrowed.

        Parameters
        ----------
        spread : dict of int to range
            Axes, and the elements of them that count.
        box : (int, int, int, int), optional
            The part of each plane that counts.
        """
        return elements_shown(self.source, self.view, box, self.nan, stacked_axes)

    def counts(self, first, last, step=1):
        """How many elements are each of the integers from `first` to `last`, of `step` in a row together."""
        return count_integers(self.source, self.view, first, last, self.nan, step)

    def at(self, index):
        """The same plane with axes that stand at an index somewhere else; `index` is ``{axis: element}``."""
        return replace(self, view=view_at(self.view, index))

    def find(self, kinds, start, is_backwards):
        """Row-major position of the first element of some kinds at or behind `start`, or the last one before; -1 for none."""
        return reduce.find_element(self.source, self.view, kinds, start, is_backwards, self.nan)

    def has_any(self, kinds, stacked_axes):
        """Whether there is an element of some kinds in the plane at several places; see `together`."""
        with self.elements_over(stacked_axes) as elements:
            return any(_native.find(plane, kinds) >= 0 for plane in elements.pooled)

    def elements(self, box):
        """The elements of a half-open box as they are: complex numbers and colour channels whole."""
        view = self.view
        if view.complex_mode is not None and not view.is_reduced:
            view = replace(view, complex_mode=None)
        return reduce.gather(self.source, view, box, self.nan)

    def place(self, rows, cols):
        """Where elements of the plane are in the tensor, as text: ``"[3, 16:32, 402]"``; `rows` and `cols` are ranges."""
        parts = {"rows": ("rows", rows), "cols": ("cols", cols)}
        texts = []
        for role, start, step, size, _ in self.view.uses:
            if role in parts:
                texts.append(_range_text(self.view.tensor_range(*parts[role][:1], parts[role][1].start, parts[role][1].stop)))
            else:
                texts.append(str(start) if role == "fixed" else _range_text(range(start, start + size * step, step)))
        return f"[{', '.join(texts)}]"


def view_at(view, index):
    """The view with some of its fixed axes at other elements."""
    uses = list(view.uses)
    for axis, element in index.items():
        uses[axis] = ("fixed", element, 1, 1, 0)
    return replace(view, uses=tuple(uses))


def nearest(positions, is_backwards):
    """The first of several positions, or the last; -1 where there is none."""
    return max(positions) if is_backwards else min((position for position in positions if position >= 0), default=-1)


def _range_text(elements):
    """Elements of an axis as they are written between brackets."""
    if len(elements) == 1:
        return str(elements[0])
    if not elements:
        return f"{elements.start}:{elements.start}"
    step = elements.step
    if step < 0 and elements.stop < 0:
        return f"{elements.start}::{step}"
    return f"{elements.start}:{elements.stop}" + ("" if step == 1 else f":{step}")
