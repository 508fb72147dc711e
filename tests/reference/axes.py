"""Choosing the picture's two axes of an N-D tensor, and what happens to every other axis."""

from dataclasses import dataclass
from operator import index as as_index


@dataclass(frozen=True)
class AxisChoice:
    """What each axis of a tensor is used for.

    y, x : axis numbers; None where the tensor has no such axis (1-D has no y, 0-d neither)
    fixed : {axis: element index} of the hidden axes that are indexed
    crops : {axis: slice}
    reductions : list of (operation, axes) in the order in which they are carried out
    """

    y: int | None
    x: int | None
    fixed: dict
    crops: dict
    reductions: list


def axis_number(axis, n_dims, dims=None):
    """The number of an axis that was given by name or by number (negative from the end)."""
    if isinstance(axis, str):
        if dims is None or axis not in dims:
            raise ValueError(f"no axis is called {axis!r}; the names are {dims}")
        return list(dims).index(axis)
    number = as_index(axis)
    if not -n_dims <= number < n_dims:
        raise ValueError(f"axis {number} of a tensor with {n_dims} axes")
    return number % n_dims


def _picture_axes(n_dims, dims, x, y):
    if n_dims == 0:
        return None, None
    x_axis = axis_number(-1 if x is None else x, n_dims, dims)
    if n_dims == 1:
        return None, x_axis
    y_axis = axis_number(-2 if y is None else y, n_dims, dims)
    if x_axis == y_axis:
        raise ValueError(f"x and y are both axis {x_axis}; name two different axes")
    return y_axis, x_axis


def _fixed_index(where, size, axis):
    where = as_index(where)
    if size and not -size <= where < size:
        raise IndexError(f"index {where} is out of range for axis {axis} of {size} elements")
    return where % size if size else 0


def choose_axes(shape, dims=None, x=None, y=None, index=None, reduce=None):
    """Resolve the arguments of a call to an AxisChoice."""
    n_dims = len(shape)
    y_axis, x_axis = _picture_axes(n_dims, dims, x, y)
    index = {axis_number(axis, n_dims, dims): where for axis, where in (index or {}).items()}
    reduce = {axis_number(axis, n_dims, dims): op for axis, op in (reduce or {}).items()}
    crops = {axis: where for axis, where in index.items() if isinstance(where, slice)}
    fixed = {}
    for axis in range(n_dims):
        if axis in (y_axis, x_axis):
            if axis in reduce or (axis in index and axis not in crops):
                raise ValueError(f"axis {axis} is shown, so it can be neither indexed nor reduced")
        elif axis in reduce:
            if axis in index and axis not in crops:
                raise ValueError(f"axis {axis} is both indexed and reduced")
        elif axis in crops:
            raise ValueError(f"a slice of the hidden axis {axis} needs reduce={{{axis}: ...}}")
        else:
            fixed[axis] = _fixed_index(index.get(axis, 0), shape[axis], axis)
    return AxisChoice(y_axis, x_axis, fixed, crops, _grouped(reduce))


def _grouped(reduce):
    """Axes with the same operation together, operations in the order in which each first appears."""
    groups = {}
    for axis, op in reduce.items():
        groups.setdefault(op, []).append(axis)
    return [(op, tuple(axes)) for op, axes in groups.items()]


def take(values, choice):
    """Index and crop `values`; hidden axes that are reduced later stay.

    Returns the values with axes (hidden..., y, x) and the reductions with axis numbers of that array.
    A missing y or x axis becomes one of length 1.
    """
    where = [slice(None)] * values.ndim
    for axis, crop in choice.crops.items():
        where[axis] = crop
    for axis, elem in choice.fixed.items():
        where[axis] = slice(elem, elem + 1)
    values = values[tuple(where)]
    shown = [axis for axis in (choice.y, choice.x) if axis is not None]
    reduced = [axis for _, axes in choice.reductions for axis in axes]
    values = values.transpose(*reduced, *choice.fixed, *shown)
    hidden_shape = values.shape[: len(reduced)]
    shown_shape = (1,) * (2 - len(shown)) + values.shape[values.ndim - len(shown) :]
    is_missing = 0 in values.shape[: values.ndim - len(shown)]
    if is_missing:
        values = values.reshape(*hidden_shape, *((0,) * 2))
    else:
        values = values.reshape(*hidden_shape, *shown_shape)
    reductions = [(op, tuple(reduced.index(axis) for axis in axes)) for op, axes in choice.reductions]
    return values, reductions
