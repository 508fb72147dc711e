"""What one inspector shows: its tensors, every choice of its user, and the frames, texts and numbers that follow."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from ...color.alpha import check_alpha
from ...color.categories import check_categorical, check_style_of_classes, is_categorical_dtype
from ...color.classes import check_ignore_index
from ...color.color_limits import check_limits_choice
from ...color.rgb import check_denorm
from ...notices import clipping_text
from ...plane.index_labels import by_position
from .axes import Roles
from .collection import Collection, named_tensors_in
from .coloring import Coloring
from .description import describe_axes, describe_colors, describe_tensor
from .facts import FactCache
from .frames import CellStore, Drawn, Viewport
from .health import Health
from .limits import LimitControls, expand_limits, with_box
from .line import line_columns
from .notes import notice, text_of
from .palette import Palette
from .pixels import facet_pixels
from .queries import Queries
from .rebase import settings_after_update, settings_for_item
from .selection import SelectionControls
from .settings import Settings, check_values, rounded_view
from .shared_limits import SharedLimits
from .view_state import ViewState
from .wide_marks import marked_cells

__all__ = ["Drawn", "Scene"]

MAX_PROBLEM_TEXT = 300

LEFT_OUT = "NaN is left out: it would mark most of the picture, as NaN: show does"


class Scene(Queries, LimitControls, SelectionControls, SharedLimits):
    """The model of an inspector; it knows nothing of widgets, messages and threads, its caller holds a lock.

    Parameters
    ----------
    X : array_like, or a mapping, list, tuple or module of them
        A tensor, or several to choose from; two of one shape get their difference beside them.
    options : dict
        The keyword groups VIEW, CELLS, STYLE and QUEUE, complete; see `gpuplot.imshow`.
    rows, columns : int or str, optional
        Axes of which each element is a facet.

    Attributes
    ----------
    version : int
        Grows with every change of what frames show.
    data : int
        Grows with every change of the elements that are shown.

    Examples
    --------
    >>> import numpy as np
    >>> from gpuplot.inspector.scene import Scene
    >>> from gpuplot.options import CELLS, QUEUE, STYLE, VIEW
    >>> scene = Scene(np.arange(24.0).reshape(2, 3, 4), VIEW | CELLS | STYLE | QUEUE)
    >>> scene.change({"index": {0: 1}})
    >>> scene.vmin, scene.vmax, scene.draw((0, 3, 0, 4), (6, 8)).pixels.shape
    (12.0, 23.0, (1, 6, 8, 4))
    """

    def __init__(self, X, options, *, rows=None, columns=None):
        self._options, self._facets_asked = options, {"rows": rows, "columns": columns}
        self._palette = Palette(options)
        self._facts = FactCache()
        self._store = CellStore(self._facts)
        self._coloring = Coloring(options, self._palette, self._facts, self._store)
        self._collection = Collection(X, options["stream"])
        self._number = self._collection.first
        self._remembered = {}
        self._viewport = self._last_found = self._kind_counts = self._tensor_kind_counts = self._columns = None
        self._health = Health()
        self._keeps_limits = False
        self._problem = self._notice_of_frame = ""
        self._page_view = (None, None)  # a view as a page set it, and as Python reads it
        self.version = self.data = 0
        self._view_state = None
        self._show(self._first_shown())

    def _first_shown(self):
        item = self._collection.items[self._number]
        if check_categorical(self._options["categorical"], item.source.dtype, None):
            check_style_of_classes(self._options)
        given = {name: self._options[name] for name in ("agg", "nan", "complex_mode", "limits", "robust")}
        for name, own in zip(("vmin", "vmax"), self._palette.own_limits(), strict=True):
            given[name] = own if self._options[name] is None else self._options[name]
        first = Settings(Roles.choose(item.source, self._options, **self._facets_asked), self._palette.cmap, self._palette.norm)
        view_state = ViewState.of(item, first.changed(given, self._palette))
        check_agg(view_state, given["agg"])
        check_limits_choice(given["limits"], given["agg"])
        check_ignore_index(self._options["ignore_index"])
        self._check_classes(view_state)
        check_denorm(self._options["denorm"], view_state.view.is_rgb, view_state.view.tensor_shape)
        check_alpha(self._options["alpha"], view_state.shape)
        return view_state

    def _check_classes(self, view_state):
        """Refuses to show as classes what are none, where the caller has asked for classes."""
        if view_state.kind == "image" and is_categorical_dtype(view_state.source.dtype):
            check_categorical(self._options["categorical"], view_state.source.dtype, view_state.view)

    # ---- what it is -----------------------------------------------------------------------------------------------------

    @property
    def item(self):
        """Name of the tensor that is shown; "" where it is the only one."""
        return self._view_state.item.name

    @property
    def index(self):
        """``{axis: element}`` of the axes that are stepped through, by name where there are names."""
        return self._view_state.settings.roles.named_index()

    @property
    def x(self):
        """The axis across: its name, or number; None for tensors without axes."""
        return self._axis(self._view_state.settings.roles.x)

    @property
    def y(self):
        """The axis down."""
        return self._axis(self._view_state.settings.roles.y)

    def _axis(self, axis):
        return None if axis is None else self._view_state.settings.roles.name(axis)

    @property
    def vmin(self):
        """Where the colours begin."""
        return self._colors().vmin

    @property
    def vmax(self):
        """Where the colours end."""
        return self._colors().vmax

    @property
    def cmap(self):
        """Name of the colormap in use."""
        return self._view_state.settings.cmap or self._colors().cmap.name

    @property
    def norm(self):
        """Name of the norm in use."""
        return self._view_state.settings.norm or "linear"

    @property
    def agg(self):
        """How elements become a cell."""
        with self._reading():
            return self._coloring.agg(self._view_state)
        return self._view_state.settings.agg or "mean"

    @property
    def view(self):
        """((row0, row1), (col0, col1)) that was asked for, or None for the whole plane; of a hand without noise."""
        view = self._view_state.settings.view
        return self._page_view[1] if self._page_view[0] == view else view

    def choice(self, name):
        """What one of these was set to: None where nobody chose, and it follows from the tensor."""
        settings = self._view_state.settings
        return getattr(settings, name) if hasattr(settings, name) else getattr(self, name)

    # ---- changes --------------------------------------------------------------------------------------------------------

    def change(self, values):
        """Sets fields of the state; everything is checked before anything changes.

        Parameters
        ----------
        values : dict
            Some of the settable fields that the front end's README lists; `limits`, too, a policy or a pair of numbers.

        Raises
        ------
        ValueError, TypeError, IndexError
            What is wrong and what to do; nothing has changed then.
        """
        values = expand_limits(check_values(values))
        number = self._collection.number(values.pop("item")) if "item" in values else self._number
        base = self._view_state
        if number != self._number:
            item = self._collection.items[number]
            base = settings_for_item(item, base, self._options, self._remembered)
        if "index" in values:
            values["index"] = by_position(values["index"], base.source, axes=base.settings.roles.axes)
        view_state = ViewState.of(base.item, base.settings.changed(values, self._palette))
        check_agg(view_state, values.get("agg"))
        self._check_classes(view_state)
        self._check_selected(view_state, values.get("selection"))
        if values.get("region") == "view":
            view_state = with_box(view_state, self._viewport)
        if "limits" in values:
            check_limits_choice(values["limits"], view_state.settings.agg)
        if any(name in values and values[name] is None for name in ("vmin", "vmax")):
            self._drop_found_limits()
        self._remembered[self._view_state.item.name] = self._view_state.settings
        self._number = number
        self._show(view_state)

    def note_page_view(self, size):
        """The present view was set by a hand on so many pixels, (height, width)."""
        view = self._view_state.settings.view
        self._page_view = view, view and rounded_view(view, size)

    def update(self, X, name=None):
        """Shows another tensor in the place of one of the items.

        Parameters
        ----------
        X : array_like
            Of any shape; choices that make sense for it are kept. A mapping, list or module replaces all items.
        name : str or int, optional
            Which item. Default: the one that is shown.
        """
        self._check_open()
        if named_tensors_in(X) is not None:
            collection = Collection(X, self._options["stream"])
            number = collection.names.index(self.item) if self.item in collection.names else collection.first
        else:
            number = self._number
            collection = self._collection.with_tensor(number if name is None else self._collection.number(name), X)
            number = min(number, len(collection.items) - 1)
        self._show_all(collection, number)

    def _show_all(self, collection, number):
        """Other tensors in the place of the present ones."""
        item = collection.items[number]
        view_state = settings_after_update(item, self._view_state, self._options)
        self._collection, self._number = collection, number
        self._facts.clear()
        self._store.clear()
        self._coloring.forget()
        self._health.forget_others(collection.items)
        self._last_found = self._columns = self._tensor_kind_counts = None
        self._problem = self._notice_of_frame = ""
        self._show(view_state)

    def close(self):
        """Lets tensors, cells and all that was found out about them go; nothing else may be asked afterwards but this."""
        self._store.clear()
        self._facts.clear()
        self._coloring.forget()
        self._remembered.clear()
        self._health.clear()
        self._collection = self._view_state = self._last_found = self._viewport = self._columns = self._tensor_kind_counts = None

    def _check_open(self):
        if self._view_state is None:
            raise RuntimeError("this inspector was closed and has let its tensor go: call gpuplot.inspect again")

    def _show(self, view_state):
        """Makes what was checked the present."""
        before, self._view_state = self._view_state, view_state
        is_same = before is not None and before.item is view_state.item and before.elements == view_state.elements
        if not is_same:
            self.data += 1
            self._kind_counts = None
        if not is_same or _frame_settings(view_state.settings) != _frame_settings(before.settings):
            self.version += 1

    # ---- frames -----------------------------------------------------------------------------------------------------------

    def draw(self, window, size, keeps_limits=False):
        """The pixels of a window of the plane: one reduction for each facet, or none where only colours have changed.

        Limits of aggregations in units of their own ("sum", "std", "count") follow the size of the cells, so `version` may
        have grown afterwards, and so it has where the tensor can no longer be read: the picture is then empty.

        Parameters
        ----------
        window : sequence of 4 floats
            row0, row1, col0, col1 in elements; may reach beyond the plane.
        size : (int, int)
            Rows and columns of pixels of one facet.
        keeps_limits : bool, default: False
            Whether automatic limits that were found for another view stay: the picture is on its way elsewhere, or only its
            elements have changed.

        Returns
        -------
        Drawn
        """
        self._check_open()
        viewport = Viewport.read(window, size, self._view_state.n_tiles)
        drawn = {}
        if self._view_state.kind != "text":
            self._viewport, self._keeps_limits, before = viewport, keeps_limits, self._coloring.cached(self._view_state)
            with self._reading():
                drawn, found = self._drawn(viewport, keeps_limits)
                self._note_problem("")
                self._note_notice(found)
                self.version += before is not None and (before.vmin, before.vmax) != drawn["limits"]
        return Drawn(self.version, viewport.window, viewport.size, **drawn or self._nothing(viewport))

    def draw_aside(self, window, size):
        """The same for a file: what pages look at, and what follows from it, stays; an element that cannot be read raises."""
        self._check_open()
        viewport = Viewport.read(window, size, len(self._view_state.planes))
        with self._coloring.preserved():
            return Drawn(self.version, viewport.window, viewport.size, **self._drawn(viewport, keeps_limits=True)[0])

    def _drawn(self, viewport, keeps_limits):
        """Fields of `Drawn`, and a notice about what was clipped or left out."""
        drawn, found = ({"line": self._line(viewport)}, "") if self._view_state.kind == "line" else self._pixels(viewport, keeps_limits)
        colors = self._coloring.cached(self._view_state)
        return drawn | {"limits": (colors.vmin, colors.vmax)}, found

    def _pixels(self, viewport, keeps_limits):
        view_state, coloring = self._view_state, self._coloring
        agg = coloring.agg(view_state)
        frames = self._store.frames(view_state.planes, agg, viewport, coloring.wanted(view_state), coloring.is_sharp(view_state))
        colors = coloring.colors(view_state, viewport, keeps_limits)
        pixels = np.empty((view_state.n_tiles, *viewport.size, 4), np.uint8)
        pixels[len(frames):] = 0
        found = None
        for k, (plane, frame) in enumerate(zip(view_state.planes, frames, strict=True)):
            pixels[k], found = facet_pixels(plane, frame, viewport.fit(), agg, colors, coloring)
        notice = "" if found is None else clipping_text(found, view_state.source.dtype, self._options["denorm"]) or ""
        if any(frame.leaves_out_nan for frame in frames):
            notice = notice or LEFT_OUT
        marked = tuple(self._marks(plane, frame) for plane, frame in zip(view_state.planes, frames, strict=True))
        return {"pixels": pixels, "marked": marked}, notice

    def _marks(self, plane, frame):
        """Which pixels of a frame are marks, None where nothing can be."""
        has_integers = plane.view.is_rgb and self._view_state.source.dtype.startswith(("int", "uint", "bool"))
        if has_integers or self._facts.is_finite(plane):
            return None
        return marked_cells(frame, leaves_out_nan=frame.leaves_out_nan or self._view_state.settings.nan == "skip")

    def _line(self, viewport):
        key = (viewport, self._view_state.elements)
        if self._columns is None or self._columns[0] != key:
            self._columns = (key, line_columns(self._view_state.planes[0], viewport))
        self._coloring.colors(self._view_state, viewport)
        return self._columns[1].copy()

    def _nothing(self, viewport):
        """A frame without anything on it."""
        if self._view_state.kind == "line":
            return {"line": np.full((5, viewport.size[1]), np.nan)}
        # Along an axis without elements there are no facets, and yet a plane.
        return {"pixels": np.zeros((self._view_state.n_tiles, *viewport.size, 4), np.uint8)}

    @contextmanager
    def _reading(self):
        """Reads elements for a frame or the state: what goes wrong there is said in the state, and all else goes on."""
        try:
            yield
        except Exception as error:  # of the tensor's library, of the driver: anything
            self._note_problem(f"cannot be drawn: {error}"[:MAX_PROBLEM_TEXT])

    def _note_problem(self, text):
        self.version += text != self._problem
        self._problem = text

    def _note_notice(self, text):
        self.version += text != self._notice_of_frame
        self._notice_of_frame = text

    def _colors(self):
        """The colours in use, or those of nothing where no element can be read."""
        self._check_open()
        with self._reading():
            return self._coloring.colors(self._view_state, self._viewport, self._keeps_limits)
        return self._coloring.fallback(self._view_state)

    # ---- the state ----------------------------------------------------------------------------------------------------------

    def state(self):
        """Everything that a page shows beside frames, as the front end's README lists it: texts, numbers, lists, dicts."""
        colors, agg = self._colors(), self.agg
        view_state = self._view_state
        described = describe_colors(view_state, agg, colors, self._coloring)
        of_all, tensor_kind_counts = self._tensor_kind_counts or (None, None)
        return {"version": self.version, "data": self.data, **describe_tensor(view_state, self._collection), "text": self._text(),
                **describe_axes(view_state), **described, "extend": self._extend(colors),
                "kind_counts": self._kind_counts, "tensor_kind_counts": tensor_kind_counts if of_all == self._tensor_key() else None,
                "tensor_has": self._health.known(view_state.item)}

    def extend(self):
        """At which ends of the colors elements lie beyond them, which are read where that is not known."""
        return self._coloring.extend(self._view_state, self._viewport, self._colors(), is_reading=True)

    def _extend(self, colors):
        """The same as far as it is known."""
        with self._reading():
            return self._coloring.extend(self._view_state, self._viewport, colors)
        return "neither"

    def _text(self):
        """What a tensor without a picture is, else notices."""
        if self._view_state.kind == "text" and not self._problem:
            with self._reading():
                return text_of(self._view_state.item)
        return notice(self._problem, self._view_state.facets.notice, self._notice_of_frame)


def check_agg(view_state, agg):
    """Refuses an aggregation that was asked for and has no meaning."""
    if agg is not None and agg not in view_state.aggs:
        raise ValueError(f"agg={agg!r} has no meaning for what is shown: use {', '.join(view_state.aggs)}")


def _frame_settings(settings):
    """Settings without those that change no frame."""
    settings = replace(settings, view=None, aspect=None)
    return settings if settings.region == "selection" else replace(settings, selection=None)
