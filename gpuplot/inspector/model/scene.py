"""The model of an inspector: tensors and settings -> frames, state and answers."""

from dataclasses import replace

from ...arrays.tensor_tree import pairs_in_list
from ...color.alpha import check_alpha, read_alpha
from ...color.categories import check_categorical, check_style_of_classes, is_categorical_dtype
from ...color.classes import check_ignore_index
from ...color.color_limits import check_limits_choice
from ...color.rgb import check_denorm
from ...errors import ChunkError
from ...plane.chunks.answers import Pending
from ...plane.chunks.looks import peeking
from ...plane.index_labels import by_position
from .axes import Roles
from .collection import Collection, named_tensors_in
from .coloring import Coloring
from .description import describe_axes, describe_colors, describe_tensor
from .drawing import Drawing
from .facts import FactCache
from .frames import CellStore
from .health import Health
from .limits import LimitControls, expand_limits, with_box
from .notes import describe_value, rounding_note
from .palette import Palette
from .preview import Preview
from .queries import Queries
from .rebase import settings_after_update, settings_for_item
from .selection import SelectionControls
from .settings import Settings, check_values, rounded_view
from .shared_limits import SharedLimits
from .view_state import ViewState

MAX_PROBLEM_TEXT = 300


class Scene(Drawing, Queries, LimitControls, SelectionControls, SharedLimits):
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
    >>> scene = Scene(np.arange(30.0).reshape(2, 3, 5), VIEW | CELLS | STYLE | STREAM)
    >>> scene.change({"index": {0: 1}})
    >>> scene.vmin, scene.vmax, scene.draw((0, 3, 0, 5), (6, 8)).pixels.shape
    (15.0, 29.0, (1, 6, 8, 4))
    """

    def __init__(self, X, options, *, rows=None, columns=None):
        self._options = options = options | {"alpha": read_alpha(options["alpha"])}
        self._palette = Palette(options)
        self._facts = FactCache()
        self._store = CellStore(self._facts)
        self._coloring = Coloring(options, self._palette, self._facts, self._store)
        is_collection = issubclass(type(X), Collection)  # isinstance believes a mock's __class__
        self._collection = X if is_collection else Collection(X, options["stream"])
        self._item_number = self._collection.first
        self._last_settings = {}  # item name -> Settings
        self._near_pointer = {}  # source -> the source that keeps chunks near the pointer, for arrays in chunks
        self._viewport = self._last_found = self._kind_counts = self._tensor_kind_counts = self._line_cache = None
        self._health, self._preview = Health(), Preview()
        self._keeps_limits = self._is_guessed = False
        self._error_text = self._frame_notice = ""
        self._page_view = (None, None)  # (the view that a page set, the rounded one that Python reads)
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
        _check_agg(view_state, given["agg"])
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
        """``{axis: element}`` of the axes that have an index, by the names of axes, if any."""
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
        view_state = self._view_state
        return self._read(lambda: self._coloring.agg(view_state), view_state.settings.agg or "mean")

    @property
    def view(self):
        """((row0, row1), (col0, col1)), None for the whole plane; rounded if a page set it."""
        view = self._view_state.settings.view
        return self._page_view[1] if self._page_view[0] == view else view

    def choice(self, name):
        """The chosen value of a field, None for an automatic one."""
        settings = self._view_state.settings
        return getattr(settings, name) if hasattr(settings, name) else getattr(self, name)

    @property
    def n_tiles(self):
        """Pictures of a frame: one for each facet, and empty ones that fill the last row."""
        return self._view_state.n_tiles

    # ---- changes --------------------------------------------------------------------------------------------------------

    def change(self, values, before=None):
        """Sets fields of the state: those that the front end's README lists, and `limits`, a policy or a pair of numbers.

        `before` are other fields, such as a view of the present plane, which are set first. All values are checked before anything
        changes; ValueError, TypeError or IndexError if one is bad.
        """
        values = expand_limits(check_values(values))
        number = self._collection.number(values.pop("item")) if "item" in values else self._item_number
        present = base = self._with(before)
        if number != self._item_number:
            base = settings_for_item(self._collection.items[number], base, self._options, self._last_settings)
        if "index" in values:
            values["index"] = by_position(values["index"], base.source, axes=base.settings.roles.axes)
        view_state = ViewState.of(base.item, base.settings.changed(values, self._palette))
        _check_agg(view_state, values.get("agg"))
        self._check_classes(view_state)
        self._check_selected(view_state, values.get("selection"))
        if values.get("region") == "view":
            view_state = with_box(view_state, self._viewport)
        if "limits" in values:
            check_limits_choice(values["limits"], view_state.settings.agg)
        if any(name in values and values[name] is None for name in ("vmin", "vmax")):
            self._drop_found_limits()
        self._last_settings[present.item.name] = present.settings
        self._item_number = number
        self._show(view_state)

    def _with(self, values):
        """The present `ViewState`, with other fields of its settings if there are any."""
        present = self._view_state
        return ViewState.of(present.item, present.settings.changed(check_values(values), self._palette)) if values else present

    def note_page_view(self, size):
        """Notes that a page of `size` (height, width) pixels set the present view, which is then read rounded to them."""
        view = self._view_state.settings.view
        self._page_view = view, view and rounded_view(view, size)

    def update(self, X, name=None):
        """Replaces the tensor of an item, by default of the shown one, by one of any shape; settings that no longer fit are reset.

        A mapping, list, module or Collection replaces all items.
        """
        self._check_open()
        X = pairs_in_list(X)
        if isinstance(X, Collection) or named_tensors_in(X) is not None:
            collection = X if isinstance(X, Collection) else Collection(X, self._options["stream"])
            number = collection.names.index(self.item) if self.item in collection.names else collection.first
        else:
            number = self._item_number
            collection = self._collection.with_tensor(number if name is None else self._collection.number(name), X)
            number = min(number, len(collection.items) - 1)
        view_state = settings_after_update(collection.items[number], self._view_state, self._options)
        self._collection, self._item_number = collection, number
        self._forget_elements()
        self._show(view_state)

    def relist(self, forms, item):
        """Replaces the names of a `LiveCollection`; `item` is shown, None for the first one.

        Parameters
        ----------
        forms : dict of str to ((tuple of int, str) or None)
        item : str or None
        """
        self._check_open()
        collection = self._collection.with_forms(forms)
        number = collection.number(item) if item in collection.names else collection.first
        is_other = collection.items[number] is not self._view_state.item
        if is_other:
            self._show(settings_after_update(collection.items[number], self._view_state, self._options))
        self._collection, self._item_number = collection, number
        if is_other:
            self._forget_elements()  # of a tensor that may have lost its name, and would be kept alive
        self.version += 1

    def _forget_elements(self):
        """Drops what was found in the elements of tensors, and tensors that the collection no longer has."""
        self._facts.clear()
        self._store.drop_frame()
        self._coloring.forget()
        self._near_pointer.clear()
        self._preview.clear()
        self._health.forget_others(self._collection.items)
        self._last_found = self._line_cache = self._tensor_kind_counts = None
        self._error_text = self._frame_notice = ""

    def collectively(self):
        """A Scene of the same items and settings, for a call that all processes make together; it finds limits anew. Reads nothing."""
        self._check_open()
        other = Scene(self._collection.collectively(), self._options)
        other._item_number, other._view_state = self._item_number, self._view_state
        return other

    def follow_first(self, *choices):
        """Sets item and settings to those of the first process, after `collectively`; returns (whether this is it, *its choices)."""
        items = self._collection.items
        source = next((item.source for item in items if item.source.device_text), items[0].source)
        name, settings, *choices = source.of_first_process((self.item, self._view_state.settings, *choices))
        self._item_number = self._collection.number(name)
        self._show(ViewState.of(items[self._item_number], settings))
        return source.is_first_process, *choices

    def close(self):
        """Releases tensors and caches; afterwards every other method raises."""
        self._store.drop_frame()
        self._facts.clear()
        self._coloring.forget()
        self._last_settings.clear()
        self._near_pointer.clear()
        self._preview.clear()
        self._health.clear()
        self._options["alpha"] = None
        self._collection = self._view_state = self._last_found = self._viewport = self._line_cache = self._tensor_kind_counts = None

    def _check_open(self):
        if self._view_state is None:
            raise closed_error()

    def _show(self, view_state):
        """Sets the ViewState, which is checked."""
        before, self._view_state = self._view_state, view_state
        is_same = before is not None and before.item is view_state.item and before.elements == view_state.elements
        if not is_same:
            self.data += 1
            self._kind_counts = None
        if not is_same or _frame_settings(view_state.settings) != _frame_settings(before.settings):
            self.version += 1

    # ---- the state ----------------------------------------------------------------------------------------------------------

    def _read(self, ask, default):
        """Returns ``ask()``, which reads elements; if that raises, `default`, and the state has a text about the error."""
        try:
            return ask()
        except Exception as error:  # anything, as it comes from the tensor's library or the driver
            why = self._view_state.item.why_missing or f"cannot be drawn: {error}{self._way_around(error)}"
            self._note("_error_text", why[:MAX_PROBLEM_TEXT])
            return default

    def _way_around(self, error):
        """How a view is drawn without a chunk that cannot be read, where limits are those of elements outside the view."""
        settings = self._view_state.settings
        is_beyond = settings.view is not None and settings.region != "view" and None in settings.given_limits
        if not is_beyond or not isinstance(error, ChunkError):
            return ""
        return '; colors of elements in view (region="view", or "in view" above the histogram), or vmin and vmax, need no others'

    def _note(self, name, text):
        """Sets a text of the state, the attribute `name`."""
        if text != getattr(self, name):
            self.version += 1
            setattr(self, name, text)

    def _colors(self):
        """The Colors in use; the fallback if elements cannot be read."""
        self._check_open()
        colors = self._read(lambda: self._coloring.colors(self._view_state, self._viewport, self._keeps_limits), None)
        return colors or self._coloring.fallback(self._view_state)

    def state(self):
        """The state of the front end's README, as JSON; values that are still being computed from chunks are the previous ones."""
        colors, agg = self._colors_in_use(), self._known(lambda: self.agg, "mean")
        view_state = self._view_state
        described = describe_colors(view_state, agg, colors, self._coloring)
        key, tensor_kind_counts = self._tensor_kind_counts or (None, None)
        return {"version": self.version, "data": self.data, **describe_tensor(view_state, self._collection), "text": self._text(colors),
                **describe_axes(view_state), **described, "extend": self._known_extend(colors),
                "kind_counts": self._kind_counts, "tensor_kind_counts": tensor_kind_counts if key == self._tensor_key() else None,
                "tensor_has": self._health.known(view_state.item), "is_comparing": view_state.item.is_comparing}

    def knows(self, name):
        """Whether an attribute is known without reading chunks."""
        with peeking():
            try:
                getattr(self, name)
            except Pending:
                return False
        return True

    def _colors_in_use(self):
        """The Colors in use; those of the last frame while new ones are being found."""
        self._check_open()
        colors = self._known(self._colors, None)
        self._is_guessed = self._is_guessed or colors is None
        return colors or self._coloring.last or self._coloring.fallback(self._view_state)

    def _known(self, ask, default):
        """Returns ``ask()`` if it needs no further pass over chunks, else `default`."""
        with peeking():
            try:
                return ask()
            except Pending:
                return default

    def extend(self):
        """The ends of the color range that elements lie beyond; reads the elements if that is not known."""
        return self._coloring.extend(self._view_state, self._viewport, self._colors(), is_reading=True)

    def _known_extend(self, colors):
        """As `extend`, without reading; "neither" if it is not known."""
        def ask():
            return self._coloring.extend(self._view_state, self._viewport, colors)

        return self._read(lambda: self._known(ask, "neither"), "neither")

    def _text(self, colors):
        """The tensor as text if it has no picture, else notices."""
        if self._view_state.kind == "text" and not self._error_text:
            text = self._read(lambda: describe_value(self._view_state.item), None)
            if text is not None:
                return text
        notices = self._error_text, self._view_state.facets.notice, self._frame_notice, rounding_note(self._view_state, colors)
        return "; ".join(text for text in notices if text)


def closed_error():
    """The error of everything that a closed inspector cannot do."""
    return RuntimeError("this inspector was closed and has let its tensor go: call gpuplot.inspect again, or gpuplot.watch "
                        "for the model that it watched")


def _check_agg(view_state, agg):
    """ValueError for an aggregation that the shown plane does not have."""
    if agg is not None and agg not in view_state.aggs:
        raise ValueError(f"agg={agg!r} has no meaning for what is shown: use {', '.join(view_state.aggs)}")


def _frame_settings(settings):
    """Settings that change frames."""
    settings = replace(settings, view=None, aspect=None)
    return settings if settings.region == "selection" else replace(settings, selection=None)
