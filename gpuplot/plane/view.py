"""View: which axes of an N-D tensor are rows, columns and color channels of a 2-D plane, and how other axes are fixed or reduced."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from ..choices import check_choice
from ..dtype_classes import is_complex
from .channels import choose_channels
from .dims import AxisChoices, TensorAxes, slice_of

# The real number that each element gives; the combined modes need two more planes, for the hue.
COMPLEX_MODES = {
    "amplitude": "abs",
    "square_amplitude": "abs2",
    "real": "re",
    "imaginary": "im",
    "phase": "phase",
    "amplitude_phase": "abs",
    "log10_amplitude_phase": "abs",
}


class AxisUse(NamedTuple):
    """The use of one tensor axis by a view."""

    role: str  # {"rows", "cols", "channels", "fixed", "hidden"}
    # start, step, size: first element, step and number of the elements that take part.
    start: int
    step: int = 1
    size: int = 1
    stage: int = 0  # which reduction it belongs to, where it is hidden

    @property
    def elements(self):
        """The elements that take part, as a range."""
        return range(self.start, self.start + self.size * self.step, self.step)


@dataclass(frozen=True)
class View:
    """A 2-D plane of a tensor, made by `choose`."""

    tensor_shape: tuple[int, ...]  # sizes of the tensor's axes, in elements
    dtype: str
    uses: tuple  # tuple of AxisUse: one for each axis of the tensor
    stage_ops: tuple[str, ...]  # operation of each reduction stage, first stage first
    shape: tuple[int, ...]  # rows and columns of the plane; (0, 0) where a hidden axis is empty
    # row_axis, col_axis, channel_axis: which axis of the tensor they are.
    row_axis: int | None
    col_axis: int | None
    channel_axis: int | None
    names: tuple[str, ...]  # names of the tensor's axes, empty where they have none
    complex_mode: str | None  # how complex elements are shown; None for real dtypes
    hidden_text: str  # what was done to the hidden axes, such as ``"index {0: 5}, mean over axis 1"``
    rgb_text: str  # which axis holds colors and why; empty where none does

    @property
    def is_rgb(self):
        """True where one axis holds color channels."""
        return self.channel_axis is not None

    @property
    def n_channels(self):
        """3 or 4 color channels; 0 where the plane holds plain values."""
        return self.uses[self.channel_axis].size if self.is_rgb else 0

    @property
    def component(self):
        """The native name of the number that an element gives: "value", "channel", or a part of a complex number."""
        if self.is_rgb:
            return "channel"
        return "value" if self.complex_mode is None else COMPLEX_MODES[self.complex_mode]

    @property
    def is_hue(self):
        """True for the complex modes that are colors: hue from the angle, alpha from the size."""
        return self.complex_mode in ("amplitude_phase", "log10_amplitude_phase")

    @property
    def is_reduced(self):
        """True where an element of the plane is computed from several elements of the tensor."""
        return bool(self.stage_ops)

    def elements(self, axis):
        """The elements of an axis of the tensor that take part, as a range."""
        return self.uses[axis].elements

    def fixed_at(self, places):
        """The view with axes fixed at other elements, ``{axis: element}``."""
        uses = tuple(AxisUse("fixed", places[axis]) if axis in places else use for axis, use in enumerate(self.uses))
        return replace(self, uses=uses)

    def channel(self, k):
        """The view of one color channel as plain numbers."""
        return replace(self.fixed_at({self.channel_axis: self.elements(self.channel_axis)[k]}), channel_axis=None)

    def tensor_index(self, row, col):
        """The tensor's index of the elements behind an element of the plane, with slices of reduced axes and of channels."""
        if not (0 <= row < self.shape[0] and 0 <= col < self.shape[1]):
            raise IndexError(f"element ({row}, {col}) is outside the {self.shape[0]} x {self.shape[1]} plane")
        place = {"rows": row, "cols": col, "fixed": 0}
        return tuple(use.elements[place[use.role]] if use.role in place else slice_of(use.elements) for use in self.uses)

    def tensor_range(self, role, first, stop):
        """Elements of the tensor's row or column axis behind the plane's elements ``first`` to ``stop - 1``.

        ``range(first, stop)`` where no axis of the tensor has this role (1-D and 0-d tensors).
        """
        axis = self.row_axis if role == "rows" else self.col_axis
        if axis is None:
            return range(first, stop)
        return self.elements(axis)[first:stop]


def plain_view(source):
    """The default plane of a source, without colors: all of a tensor of one or two axes."""
    return choose(source.shape, None, source.dtype, rgb=False)


def choose(shape, own_names, dtype, *, dims=None, x=None, y=None, index=None, reduce=None, rgb=None,
           complex_mode="amplitude"):
    """The `View` of a tensor by a caller's choices; no element is read.

    Parameters
    ----------
    shape : tuple of int
    own_names : sequence of str or None
        Names that the tensor itself gives its axes.
    dtype : str
    dims : str or sequence of str, optional
        Names for the axes: ``"batch head row col"``.
    x, y : int or str, optional
        The axes shown across and down. Default: the last and the last but one; where another choice takes one of them, the last
        axis that is free.
    index : dict of axis to int or slice, optional
        The element at which an axis is fixed, 0 elsewhere; a slice crops an axis that is shown or reduced.
    reduce : dict of axis to str, optional
        "mean", "max", "min", "sum", "std" or "norm" over an axis. Axes with the same operation are reduced together;
        different operations follow in the order in which they first appear.
    rgb : None, bool, int or str, optional
        The axis of the color channels, True to search for it, False for none. None guesses from a shape of three
        axes where neither dims, x, y, index nor reduce is given, and from one of uint8 pictures, (N, 3, H, W) or (N, H, W, 3),
        where neither x, y nor reduce is.
    complex_mode : str, optional
        A key of `COMPLEX_MODES`; real dtypes ignore it.

    Raises ValueError for an axis that does not exist or is used twice and for unknown values, IndexError for an index outside its
    axis, TypeError for a parameter of the wrong kind.
    """
    axes = TensorAxes(shape, dims, own_names)
    choices = AxisChoices.read(axes, index, reduce)
    is_plain = dims is None and x is None and y is None and not index and not reduce
    if rgb is None and is_plain and len(axes) == 3 and axes.shape[2] == 1:
        x, y = 1, 0  # (M, N, 1) is the plane (M, N), as matplotlib reads it
    shown = {name: axes.number(axis, name) for name, axis in (("x", x), ("y", y)) if axis is not None}
    _check_shown(axes, choices, shown)
    taken = {*shown.values(), *choices.fixed, *choices.reduced}
    may_be_stack = x is None and y is None and not reduce
    channel_axis, rgb_text = choose_channels(axes, choices, dtype, rgb, taken, is_plain, may_be_stack)
    row_axis, col_axis = _shown_axes(axes, shown, taken | {channel_axis})
    roles = {row_axis: "rows", col_axis: "cols", channel_axis: "channels"}
    _check_cropped(axes, choices, roles)
    stage_ops = choices.stages()
    uses = tuple(_use(axes, choices, axis, roles.get(axis), stage_ops) for axis in range(len(axes)))
    mode = _complex_mode(dtype, complex_mode, choices)
    return View(
        tensor_shape=axes.shape, dtype=dtype, uses=uses, shape=_plane_shape(uses),
        # An empty axis that nothing reduces becomes a hidden axis all the same, which needs an operation.
        stage_ops=stage_ops or (("mean",) if any(use.role == "hidden" for use in uses) else ()),
        row_axis=row_axis, col_axis=col_axis, channel_axis=channel_axis, names=axes.names, complex_mode=mode,
        hidden_text=_hidden_text(axes, choices, uses, stage_ops), rgb_text=rgb_text,
    )


def _check_shown(axes, choices, shown):
    if "x" in shown and shown.get("x") == shown.get("y"):
        raise ValueError(f"x and y are both axis {axes.label(shown['x'])}: choose two different axes")
    for name, axis in shown.items():
        if axis in choices.fixed:
            raise ValueError(f"axis {axes.label(axis)} is {name} and cannot be fixed by index: give a slice to crop it")
        if axis in choices.reduced:
            raise ValueError(f"axis {axes.label(axis)} is {name} and cannot be reduced too: choose another {name}")


def _shown_axes(axes, shown, taken):
    """(row axis, column axis): as chosen, else the last but one and the last, else the last axis that is free."""
    free = [axis for axis in range(len(axes)) if axis not in taken]
    last = len(axes) - 1
    col_axis = shown["x"] if "x" in shown else _one_of(free, last)
    row_axis = shown["y"] if "y" in shown else _one_of([axis for axis in free if axis != col_axis], last - 1)
    return row_axis, col_axis


def _one_of(free, usual):
    """The usual axis if it is among the free ones, else the last of these; None for none."""
    if usual in free:
        return usual
    return free[-1] if free else None


def _check_cropped(axes, choices, roles):
    for axis in choices.cropped:
        if axis not in roles and axis not in choices.reduced:
            raise ValueError(f"index gives a slice of axis {axes.label(axis)}, which is not shown: reduce it as well, "
                             f"such as reduce={{{axes.label(axis)}: 'mean'}}, or give one integer")


def _use(axes, choices, axis, role, stage_ops):
    if role is None and axis not in choices.reduced:
        if axes.shape[axis] == 0:
            return AxisUse("hidden", 0, size=0)
        return AxisUse("fixed", choices.fixed.get(axis, 0))
    elements = choices.elements(axes, axis)
    stage = 0 if role else stage_ops.index(choices.reduced[axis])
    return AxisUse(role or "hidden", elements.start, elements.step, len(elements), stage)


def _plane_shape(uses):
    sizes = {use.role: use.size for use in uses}
    if any(use.role == "hidden" and use.size == 0 for use in uses):
        return (0, 0)
    return (sizes.get("rows", 1), sizes.get("cols", 1))


def _complex_mode(dtype, mode, choices):
    check_choice("complex_mode", mode, COMPLEX_MODES)
    if not is_complex(dtype):
        return None
    senseless = [op for op in choices.stages() if mode == "phase" and op in ("sum", "std", "norm")]
    if senseless:
        raise ValueError(f"reduce: the {senseless[0]} of angles has no meaning; with complex_mode='phase' use mean, max or min")
    return mode


def _hidden_text(axes, choices, uses, stage_ops):
    fixed = [f"{axes.label(axis)}: {use.start}" for axis, use in enumerate(uses)
             if use.role == "fixed" and axes.shape[axis] > 1]
    texts = [f"index {{{', '.join(fixed)}}}"] if fixed else []
    for op in stage_ops:
        members = [_member_text(axes, choices, axis) for axis, own in choices.reduced.items() if own == op]
        texts.append(f"{op} over {'axis' if len(members) == 1 else 'axes'} {', '.join(members)}")
    return ", ".join(texts)


def _member_text(axes, choices, axis):
    if axis not in choices.cropped:
        return axes.label(axis)
    part = choices.cropped[axis]
    step = f":{part.step}" if part.step != 1 else ""
    return f"{axes.label(axis)}[{part.start}:{part.stop}{step}]"
