"""Roles: which axis of the tensor is x, y, color channels or facets, which ones are reduced, and the index of the others."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ...plane.channels import advice_on_stack, guessed_text
from ...plane.chunks.level_view import index_on_level
from ...plane.dims import AxisChoices, TensorAxes
from ...plane.index_labels import by_position
from ...plane.view import choose

# Fields of `Roles` that hold one axis or None.
SHOWN = ("x", "y", "rgb", "rows", "columns")


@dataclass(frozen=True)
class Roles:
    """The role of every axis. Immutable: `changed` makes another one."""

    axes: TensorAxes = field(compare=False)  # sizes and names
    # The horizontal and the vertical axis; None if the tensor has too few.
    x: int | None
    y: int | None
    # The axes of color channels, and of the rows and columns of facets.
    rgb: int | None = None
    rows: int | None = None
    columns: int | None = None
    index: tuple[int, ...] = ()  # an element for every axis, used for axes without another role
    reduced: tuple[tuple[int, str], ...] = ()  # axes and their reductions, in the order of reducing
    cropped: tuple[tuple[int, slice], ...] = ()  # parts of axes that are shown or reduced
    guess: str = ""  # a note about an axis that is, or may be, color channels; "" for none

    @classmethod
    def choose(cls, source, options, rows=None, columns=None):
        """The caller's roles, ``dims, x, y, index, reduce, rgb`` of the options, and for the other axes those of `gpuplot.imshow`.

        Elements of the axes `rows` and `columns` are facets.
        """
        axes = TensorAxes(source.shape, options["dims"], source.dims)
        facets = {name: axes.number(axis, name) for name, axis in (("rows", rows), ("columns", columns)) if axis is not None}
        if len(set(facets.values())) < len(facets):
            raise ValueError(f"rows and columns are both axis {axes.label(facets['rows'])}: choose two different axes")
        given = by_position(options["index"], source, options["dims"])
        if source.level is not None:
            given = given and index_on_level(given, source.level, source.shape, axes.names or None)
        choices = AxisChoices.read(axes, given, options["reduce"])
        wanted = {name: options[name] for name in ("x", "y", "reduce", "rgb")}
        index = {**choices.cropped_slices(), **choices.fixed}
        for name, axis in facets.items():
            if axis in choices.reduced or axis in choices.cropped:
                raise ValueError(f"axis {axes.label(axis)} is {name} and cannot be reduced or cropped too")
            index.setdefault(axis, 0)
        if 0 in axes.shape:  # there is no element
            index = {axis: where for axis, where in index.items() if isinstance(where, slice)}
        view = choose(axes.shape, axes.names or None, source.dtype, index=index or None, **wanted)
        return cls(axes, view.col_axis, view.row_axis, view.channel_axis, facets.get("rows"), facets.get("columns"),
                   tuple(choices.fixed.get(axis, 0) for axis in range(len(axes))), tuple(choices.reduced.items()),
                   tuple(choices.cropped_slices().items()), _guess(axes, view, source) if options["rgb"] is None else "")

    # ---- questions ----------------------------------------------------------------------------------------------------

    def role(self, axis):
        """"x", "y", "rgb", "rows", "columns", "reduce" or "index"."""
        for name in SHOWN:
            if getattr(self, name) == axis:
                return name
        return "reduce" if axis in dict(self.reduced) else "index"

    def stepped(self):
        """The axes with an index, in order."""
        return [axis for axis in range(len(self.axes)) if self.role(axis) == "index"]

    def name(self, axis):
        """The name of an axis, or its number."""
        return self.axes.names[axis] if self.axes.names else axis

    def named_index(self):
        """``{name or number: element}`` of the axes with an index."""
        return {self.name(axis): self.index[axis] for axis in self.stepped()}

    def view(self, dtype, complex_mode, facet=()):
        """The View of the facet with an index ``((axis, element), ...)``."""
        fixed = dict(facet) | {axis: self.index[axis] for axis in self.stepped()}
        where = {axis: part for axis, part in self.cropped if axis not in fixed}
        if 0 not in self.axes.shape:
            where |= fixed
        return choose(self.axes.shape, self.axes.names or None, dtype, x=self.x, y=self.y, index=where or None,
                      reduce=dict(self.reduced) or None, rgb=False if self.rgb is None else self.rgb,
                      complex_mode=complex_mode)

    # ---- changes ------------------------------------------------------------------------------------------------------

    def changed(self, values):
        """The Roles with some of ``x, y, rgb, rows, columns, reduce, index`` changed, as `Scene.change` takes them.

        A new role replaces an axis's old one; x and y are swapped if one gets the other's axis. ValueError or TypeError for an
        axis that does not exist or cannot have the role, IndexError for an index outside its axis.
        """
        axes = {name: self._axis(values[name], name) for name in SHOWN if name in values}
        self._check_apart(axes)
        roles = self
        for name, axis in axes.items():
            roles = roles._shown_as(name, axis) if name in ("x", "y") else roles._with_role(name, axis)
        for axis, op in self._items(values.get("reduce"), "reduce"):
            roles = roles._reduced_by(axis, op)
        for axis, where in self._items(values.get("index"), "index"):
            roles = roles._with_index(axis, where)
        return roles

    def clipped_to(self, axes):
        """The Roles for axes of other sizes; an index beyond the end becomes the last one."""
        index = tuple(min(where, max(size - 1, 0)) for where, size in zip(self.index, axes.shape, strict=True))
        cropped = tuple((axis, part) for axis, part in self.cropped if axes.shape[axis] == self.axes.shape[axis])
        return replace(self, axes=axes, index=index, cropped=cropped)

    def _axis(self, axis, name):
        if axis is None and name in ("x", "y"):
            raise TypeError(f"{name} is an axis: an integer or a name, not None")
        if axis is None or (name == "rgb" and isinstance(axis, (bool, np.bool_)) and not axis):
            return None
        return self._number(axis, name)

    def _number(self, axis, what):
        """An axis number; digits are a number, as keys of JSON objects are strings."""
        if isinstance(axis, str) and axis not in self.axes.names and _is_integer_text(axis):
            axis = int(axis)
        return self.axes.number(axis, what)

    def _items(self, given, what):
        if given is None:
            return []
        if not isinstance(given, Mapping):
            raise TypeError(f"{what} is a dict from axis to value, not {type(given).__name__}")
        items = [(self._number(axis, what), value) for axis, value in given.items()]
        if len(dict(items)) < len(items):
            raise ValueError(f"{what} names an axis twice")
        return items

    def _check_apart(self, axes):
        chosen = [axis for axis in axes.values() if axis is not None]
        if len(set(chosen)) < len(chosen):
            names = " and ".join(name for name, axis in axes.items() if chosen.count(axis) > 1)
            raise ValueError(f"{names} cannot be the same axis: choose different ones")

    def _freed(self, axis):
        """The Roles in which an axis has no role other than x or y."""
        gone = {name: None for name in ("rgb", "rows", "columns") if getattr(self, name) == axis}
        return replace(self, **gone, reduced=tuple(item for item in self.reduced if item[0] != axis))

    def _shown_as(self, name, axis):
        other = "y" if name == "x" else "x"
        if getattr(self, name) is None:
            raise ValueError(f"{name}: a tensor of shape {self.axes.shape} has no second axis to show")
        if getattr(self, other) == axis:
            return replace(self, **{name: axis, other: getattr(self, name)})
        return replace(self._freed(axis), **{name: axis})

    def _with_role(self, name, axis):
        """The Roles with an axis, or None, as color channels or facets."""
        roles = replace(self, guess="") if name == "rgb" else self
        if axis is None:
            return replace(roles, **{name: None})._with_y()
        if axis not in (self.x, self.y):
            return replace(roles._freed(axis), **{name: axis})
        if name != "rgb":
            raise ValueError(f"{name}: axis {self.axes.label(axis)} is shown already; choose another x or y first")
        return replace(roles, rgb=axis)._shown_elsewhere(axis)

    def _shown_elsewhere(self, axis):
        """The Roles with a free axis in place of an x or y that became color channels; the later of the two is x."""
        remaining = self.y if axis == self.x else self.x
        free = [other for other in self.stepped() if other != remaining] or [axis for axis, _ in self.reduced]
        pair = sorted(other for other in (remaining, *free[-1:]) if other is not None)
        roles = replace(self, x=pair[-1] if pair else None, y=pair[0] if len(pair) > 1 else None)
        return roles if not free else replace(roles, reduced=tuple(item for item in self.reduced if item[0] != free[-1]))

    def _with_y(self):
        """The Roles with free axes as x and y, if these are None."""
        roles = self
        for name in ("x", "y"):
            free = roles.stepped()
            if getattr(roles, name) is None and free:
                roles = replace(roles, **{name: free[-1]})
        return roles

    def _reduced_by(self, axis, op):
        if op is None:
            return replace(self, reduced=tuple(item for item in self.reduced if item[0] != axis))
        AxisChoices.read(self.axes, None, {axis: op})
        if axis in (self.x, self.y):
            raise ValueError(f"reduce: axis {self.axes.label(axis)} is shown; choose another x or y first")
        reduced = dict(self.reduced) | {axis: op}
        return replace(self._freed(axis), reduced=tuple(reduced.items()))

    def _with_index(self, axis, where):
        try:
            if isinstance(where, (bool, np.bool_)):
                raise TypeError
            operator.index(where)
        except TypeError:
            raise TypeError(f"index of axis {self.axes.label(axis)} is an integer, not {where!r}"[:200]) from None
        element = AxisChoices.read(self.axes, {axis: where}, None).fixed[axis]
        return replace(self, index=(*self.index[:axis], element, *self.index[axis + 1:]))


def _is_integer_text(text):
    return len(text) <= 4 and text.removeprefix("-").isascii() and text.removeprefix("-").isdigit()


def _guess(axes, view, source):
    """A note about color channels that were guessed, or that could be chosen."""
    advice = advice_on_stack(axes.shape, source.dtype)
    return guessed_text(axes, view.channel_axis) or (advice and f"these may be stacked pictures: {advice}")
