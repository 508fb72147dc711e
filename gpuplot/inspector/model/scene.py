"""The model of an inspector: tensors and settings -> frames, state and answers."""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from ...color.alpha import check_alpha
from ...color.categories import check_categorical, check_style_of_classes, is_categorical_dtype
from ...color.classes import check_ignore_index
from ...color.color_limits import check_limits_choice
from ...color.rgb import check_denorm
from ...notices import clipping_text
from ...plane.answers import Pending
from ...plane.index_labels import by_position
from ...plane.looks import peeking
from .axes import Roles
from .collection import Collection, named_tensors_in
from .coloring import Coloring
from .description import describe_axes, describe_colors, describe_tensor
from .facts import FactCache
from .frames import CellStore, Drawn, Viewport
from .health import Health
from .limits import LimitControls, expand_limits, with_box
from .line import line_columns
from .notes import describe_value
from .palette import Palette
from .pixels import facet_pixels
from .preview import Preview
from .queries import Queries
from .rebase import settings_after_update, settings_for_item
from .selection import SelectionControls
from .settings import Settings, check_values, rounded_view
from .shared_limits import SharedLimits
from .view_state import ViewState
from .wide_marks import marked_cells

MAX_PROBLEM_TEXT = 300

# A notice beside a frame.
LEFT_OUT = "NaN is left out: it would mark most of the picture, as NaN: show does"


class Scene(Queries, LimitControls, SelectionControls, SharedLimits):
    """The model of an inspector. It knows no widgets and messages, and its caller holds a lock.

    Parameters
    ----------
    X : array_like, a mapping, list, tuple or module of them, or Collection
        A tensor, or several to choose from; two of one shape get their difference beside them.
    options : dict
        The keyword groups VIEW, CELLS, STYLE and STREAM, complete; see `gpuplot.imshow`.
    rows, columns : int or str, optional
        Axes whose elements are facets.

    Attributes
    ----------
    version : int
        Grows when frames change.
    data : int
        Grows when the shown elements change, not their colors.

    Examples
    --------
    >>> import numpy as np
    >>> from gpuplot.inspector.model.scene import Scene
    >>> from gpuplot.options import CELLS, STREAM, STYLE, VIEW
    >>> scene = Scene(np.arange(24.0).reshape(2, 3, 4), VIEW | CELLS | STYLE | STREAM)
    >>> scene.change({"index": {0: 1}})
    >>> scene.vmin, scene.vmax, scene.draw((0, 3, 0, 4), (6, 8)).pixels.shape
    (12.0, 23.0, (1, 6, 8, 4))
    """

    def __init__(self, X, options, *, rows=None, columns=None):
        self._options = options
        self._palette = Palette(options)
        self._facts = FactCache()
        self._store = CellStore(self._facts)
        self._coloring = Coloring(options, self._palette, self._facts, self._store)
        is_collection = issubclass(type(X), Collection)  # not what the object says it is
        self._collection = X if is_collection else Collection(X, options["stream"])
        self._item_number = self._collection.first
        self._last_settings = {}  # of each item, by its name
        self._near_pointer = {}  # of arrays in chunks, those that the pointer was over
        self._viewport = self._last_found = self._kind_counts = self._tensor_kind_counts = self._line_cache = None
        self._health, self._preview = Health(), Preview()
        self._keeps_limits = self._is_guessed = False
        self._error_text = self._frame_notice = ""
        self._page_view = (None, None)  # a view that a page set, and the rounded one that Python reads
        self.version = self.data = 0
        self._view_state = None
        self._show(self._initial_view_state(rows, columns))

    def _initial_view_state(self, rows, columns):
        """The initial ViewState; raises for options that do not fit the tensor."""
        item = self._collection.items[self._item_number]
        if check_categorical(self._options["categorical"], item.source.dtype, None):
            check_style_of_classes(self._options)
        given = {name: self._options[name] for name in ("agg", "nan", "complex_mode", "limits", "robust")}
        for name, own in zip(("vmin", "vmax"), self._palette.own_limits(), strict=True):
            given[name] = own if self._options[name] is None else self._options[name]
        roles = Roles.choose(item.source, self._options, rows, columns)
        settings = Settings(roles, self._palette.cmap, self._palette.norm).changed(given, self._palette)
        view_state = ViewState.of(item, settings)
        check_agg(view_state, given["agg"])
        check_limits_choice(given["limits"], given["agg"])
        check_ignore_index(self._options["ignore_index"])
        self._check_classes(view_state)
        check_denorm(self._options["denorm"], view_state.view.is_rgb, view_state.view.tensor_shape)
        check_alpha(self._options["alpha"], view_state.shape)
        return view_state

    def _check_classes(self, view_state):
        """ValueError for ``categorical=True`` with a plane that has no classes."""
        if view_state.kind == "image" and is_categorical_dtype(view_state.source.dtype):
            check_categorical(self._options["categorical"], view_state.source.dtype, view_state.view)

    # ---- what is shown --------------------------------------------------------------------------------------------------

    @property
    def item(self):
        """Name of the shown tensor; "" for an only one."""
        return self._view_state.item.name

    @property
    def index(self):
        """``{axis: element}`` of the axes that have an index; names of axes where there are some."""
        return self._view_state.settings.roles.named_index()

    @property
    def x(self):
        """The horizontal axis: its name or number; None for tensors without axes."""
        return self._axis(self._view_state.settings.roles.x)

    @property
    def y(self):
        """The vertical axis."""
        return self._axis(self._view_state.settings.roles.y)

    def _axis(self, axis):
        return None if axis is None else self._view_state.settings.roles.name(axis)

    @property
    def vmin(self):
        """The lower color limit."""
        return self._colors().vmin

    @property
    def vmax(self):
        """The upper color limit."""
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
        """The aggregation in use."""
        with self._reading():
            return self._coloring.agg(self._view_state)
        return self._view_state.settings.agg or "mean"

    @property
    def view(self):
        """((row0, row1), (col0, col1)), None for the whole plane; one that a page set is rounded."""
        view = self._view_state.settings.view
        return self._page_view[1] if self._page_view[0] == view else view

    def choice(self, name):
        """The chosen value of a field, None for an automatic one."""
        settings = self._view_state.settings
        return getattr(settings, name) if hasattr(settings, name) else getattr(self, name)

    # ---- changes --------------------------------------------------------------------------------------------------------

    def change(self, values):
        """Sets fields of the state: those that the front end's README lists, and `limits`, a policy or a pair of numbers.

        All values are checked before anything changes: ValueError, TypeError and IndexError leave all as it was.
        """
        values = expand_limits(check_values(values))
        number = self._collection.number(values.pop("item")) if "item" in values else self._item_number
        base = self._view_state
        if number != self._item_number:
            base = settings_for_item(self._collection.items[number], base, self._options, self._last_settings)
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
        self._last_settings[self._view_state.item.name] = self._view_state.settings
        self._item_number = number
        self._show(view_state)

    def note_page_view(self, size):
        """Notes that a page of `size` (height, width) pixels set the present view, which is then read rounded to them."""
        view = self._view_state.settings.view
        self._page_view = view, view and rounded_view(view, size)

    def update(self, X, name=None):
        """Replaces the tensor of an item, by default of the shown one, by one of any shape; settings that no longer fit are reset.

        A mapping, list, module or Collection replaces all items.
        """
        self._check_open()
        if isinstance(X, Collection) or named_tensors_in(X) is not None:
            collection = X if isinstance(X, Collection) else Collection(X, self._options["stream"])
            number = collection.names.index(self.item) if self.item in collection.names else collection.first
        else:
            number = self._item_number
            collection = self._collection.with_tensor(number if name is None else self._collection.number(name), X)
            number = min(number, len(collection.items) - 1)
        view_state = settings_after_update(collection.items[number], self._view_state, self._options)
        self._collection, self._item_number = collection, number
        self._facts.clear()
        self._store.clear()
        self._coloring.forget()
        self._near_pointer.clear()
        self._preview.clear()
        self._health.forget_others(collection.items)
        self._last_found = self._line_cache = self._tensor_kind_counts = None
        self._error_text = self._frame_notice = ""
        self._show(view_state)

    def relist(self, forms, item):
        """Other names for the items of a `LiveCollection`, of which `item` is shown; None for the first one.

        Parameters
        ----------
        forms : dict of str to ((tuple of int, str) or None)
        item : str or None
        """
        self._check_open()
        collection = self._collection.with_forms(forms)
        number = collection.number(item) if item in collection.names else collection.first
        if collection.items[number] is not self._view_state.item:
            self._show(settings_after_update(collection.items[number], self._view_state, self._options))
        self._collection, self._item_number = collection, number
        self.version += 1

    def close(self):
        """Releases tensors and caches; every other method raises from then on."""
        self._store.clear()
        self._facts.clear()
        self._coloring.forget()
        self._last_settings.clear()
        self._near_pointer.clear()
        self._preview.clear()
        self._health.clear()
        self._collection = self._view_state = self._last_found = self._viewport = self._line_cache = self._tensor_kind_counts = None

    def _check_open(self):
        if self._view_state is None:
            raise RuntimeError("this inspector was closed and has let its tensor go: call gpuplot.inspect again")

    def _show(self, view_state):
        """Takes a checked ViewState."""
        before, self._view_state = self._view_state, view_state
        is_same = before is not None and before.item is view_state.item and before.elements == view_state.elements
        if not is_same:
            self.data += 1
            self._kind_counts = None
        if not is_same or _frame_settings(view_state.settings) != _frame_settings(before.settings):
            self.version += 1

    # ---- frames -----------------------------------------------------------------------------------------------------------

    def draw(self, window, size, keeps_limits=False):
        """Draws a window of the plane: one reduction for each facet, none where only colors have changed.

        `version` grows where limits change, as those of "sum", "std" and "count" do with the size of cells, and where elements
        can no longer be read; the frame is empty then.

        Parameters
        ----------
        window : sequence of 4 floats
            row0, row1, col0, col1 in elements; may reach beyond the plane.
        size : (int, int)
            Rows and columns of pixels of one facet.
        keeps_limits : bool, default: False
            Whether automatic limits that were found for another view stay: during a movement, and where only elements change.

        Returns
        -------
        Drawn
        """
        self._check_open()
        viewport = Viewport.read(window, size, self._view_state.n_tiles)
        drawn, frame_notice = {}, ""
        if self._view_state.kind != "text":
            self._viewport, self._keeps_limits, before = viewport, keeps_limits, self._coloring.cached(self._view_state)
            with self._reading():
                drawn, frame_notice = self._drawn(viewport, keeps_limits)
                self._note("_error_text", "")
                self.version += self._is_guessed or (before is not None and (before.vmin, before.vmax) != drawn["limits"])
                self._is_guessed = False
            self._note("_frame_notice", frame_notice)
        whole = Drawn(self.version, viewport.window, viewport.size, **drawn or self._nothing(viewport))
        if self.is_slow and whole.pixels is not None:
            self._preview.note(self._view_state, whole)
        return whole

    def draw_known(self, window, size, keeps_limits=False):
        """The known part of a frame whose chunks are being read, over the last one: a `Drawn` or None; parameters as in `draw`."""
        self._check_open()
        view_state, viewport = self._view_state, Viewport.read(window, size, self._view_state.n_tiles)
        try:
            agg, is_sharp = self._coloring.agg(view_state), self._coloring.is_sharp(view_state)
            frames = self._store.known_frames(view_state.planes, agg, viewport, self._coloring.wanted(view_state), is_sharp)
            known = [frame for frame in frames if frame is not None]
            if view_state.kind != "image" or not known:
                return None
            colors, coloring = self._coloring.known(view_state, viewport, keeps_limits, known), self._coloring
            parts = [frame and facet_pixels(plane, frame, viewport.fit(), agg, colors, coloring)[0]
                     for plane, frame in zip(view_state.planes, frames, strict=True)]
        except Pending:
            return None
        pixels = self._preview.pixels(view_state, viewport, parts)
        return Drawn(self.version, viewport.window, viewport.size, pixels, limits=(colors.vmin, colors.vmax))

    def note_progress(self, text):
        """Notes how far the chunks of the next frame are read, until that is drawn."""
        self._note("_frame_notice", text)

    def collectively(self):
        """A Scene of the same items and settings, for calls that all processes make together; limits are found anew. Reads nothing."""
        self._check_open()
        other = Scene(self._collection.collectively(), self._options)
        other._item_number, other._view_state = self._item_number, self._view_state
        return other

    def follow_first(self, *choices):
        """Shows what the first process shows, after `collectively`; returns whether it is this one, and its `choices`, in all."""
        items = self._collection.items
        source = next((item.source for item in items if item.source.device_text), items[0].source)
        name, settings, *choices = source.of_first_process((self.item, self._view_state.settings, *choices))
        self._item_number = self._collection.number(name)
        self._show(ViewState.of(items[self._item_number], settings))
        return source.is_first_process, *choices

    def draw_aside(self, window, size):
        """Draws without an effect on pages, for a file; elements that cannot be read raise."""
        self._check_open()
        viewport = Viewport.read(window, size, len(self._view_state.planes))
        with self._coloring.preserved():
            return Drawn(self.version, viewport.window, viewport.size, **self._drawn(viewport, keeps_limits=True)[0])

    def _drawn(self, viewport, keeps_limits):
        """Fields of `Drawn`, and a notice about clipped colors or NaN left out."""
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
        """Which pixels of a frame are marks; None where all elements are known to be finite."""
        has_integers = plane.view.is_rgb and self._view_state.source.dtype.startswith(("int", "uint", "bool"))
        if has_integers or self._facts.is_finite(plane):
            return None
        return marked_cells(frame, leaves_out_nan=frame.leaves_out_nan or self._view_state.settings.nan == "skip")

    def _line(self, viewport):
        key = (viewport, self._view_state.elements)
        if self._line_cache is None or self._line_cache[0] != key:
            self._line_cache = (key, line_columns(self._view_state.planes[0], viewport))
        self._coloring.colors(self._view_state, viewport)
        return self._line_cache[1].copy()

    def _nothing(self, viewport):
        """An empty frame."""
        if self._view_state.kind == "line":
            return {"line": np.full((5, viewport.size[1]), np.nan)}
        return {"pixels": np.zeros((self._view_state.n_tiles, *viewport.size, 4), np.uint8)}

    @contextmanager
    def _reading(self):
        """Turns an exception while elements are read into a text of the state."""
        try:
            yield
        except Exception as error:  # of the tensor's library, of the driver: anything
            why = self._view_state.item.why_missing or f"cannot be drawn: {error}"
            self._note("_error_text", why[:MAX_PROBLEM_TEXT])

    def _note(self, name, text):
        self.version += text != getattr(self, name)
        setattr(self, name, text)

    def _colors(self):
        """The Colors in use; fallback ones where elements cannot be read."""
        self._check_open()
        with self._reading():
            return self._coloring.colors(self._view_state, self._viewport, self._keeps_limits)
        return self._coloring.fallback(self._view_state)

    # ---- the state ----------------------------------------------------------------------------------------------------------

    def state(self):
        """The state of the front end's README, as JSON; values that are still being computed from chunks are the previous ones."""
        colors, agg = self._colors_in_use(), self._known(lambda: self.agg, "mean")
        view_state = self._view_state
        described = describe_colors(view_state, agg, colors, self._coloring)
        key, tensor_kind_counts = self._tensor_kind_counts or (None, None)
        return {"version": self.version, "data": self.data, **describe_tensor(view_state, self._collection), "text": self._text(),
                **describe_axes(view_state), **described, "extend": self._known_extend(colors),
                "kind_counts": self._kind_counts, "tensor_kind_counts": tensor_kind_counts if key == self._tensor_key() else None,
                "tensor_has": self._health.known(view_state.item), "is_comparing": view_state.item.is_comparing}

    def knows(self, name):
        """Whether an attribute is known without another look at chunks."""
        return self._known(lambda: (getattr(self, name),), None) is not None

    def _colors_in_use(self):
        """The Colors in use, those of the last frame as long as they are being found."""
        self._check_open()
        colors = self._known(self._colors, None)
        self._is_guessed = self._is_guessed or colors is None
        return colors or self._coloring.last or self._coloring.fallback(self._view_state)

    def _known(self, ask, default):
        """Returns ``ask()`` if all its results are known; begins no pass over chunks."""
        with peeking():
            try:
                return ask()
            except Pending:
                return default

    def extend(self):
        """The ends of the color range beyond which elements lie; reads them where that is not known."""
        return self._coloring.extend(self._view_state, self._viewport, self._colors(), is_reading=True)

    def _known_extend(self, colors):
        """The same without reading; "neither" where it is not known."""
        with self._reading():
            return self._known(lambda: self._coloring.extend(self._view_state, self._viewport, colors), "neither")
        return "neither"

    def _text(self):
        """The tensor as text where it has no picture, else notices."""
        if self._view_state.kind == "text" and not self._error_text:
            with self._reading():
                return describe_value(self._view_state.item)
        return "; ".join(text for text in (self._error_text, self._view_state.facets.notice, self._frame_notice) if text)


def check_agg(view_state, agg):
    """ValueError for an aggregation that the shown plane does not have."""
    if agg is not None and agg not in view_state.aggs:
        raise ValueError(f"agg={agg!r} has no meaning for what is shown: use {', '.join(view_state.aggs)}")


def _frame_settings(settings):
    """Settings that change frames."""
    settings = replace(settings, view=None, aspect=None)
    return settings if settings.region == "selection" else replace(settings, selection=None)
