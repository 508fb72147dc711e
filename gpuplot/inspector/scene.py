"""What one inspector shows: its tensor, every choice of its user, and the frames, texts and numbers that follow."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass

import numpy as np
from matplotlib.colors import LogNorm, Normalize

from ..autoscaling import CIRCLE, limits_of_tensor
from ..categories import is_categorical_dtype
from ..keeping import keep_within_budget
from ..picture import MIXING
from ..render import AGGS, OTHER_UNITS, UNKNOWN, Span, Window, limits_of_cells, percentiles_of_cells
from ..rgb import check_denorm, stored_unit
from ..shading import opacity_on, shade_hue
from ..style import shade
from ..view import COMPLEX_MODES
from .axes import Roles
from .collection import Collection
from .colors import Palette
from .facets import Facets
from .limits import WANT_POSITIVE, WANT_RANGE, FactBook, joined, snapped
from .settings import REGIONS, Settings, check_values, check_window

__all__ = ["Drawn", "Scene"]

# Pixels a side and in all that one look may ask for: more than any screen, less than would stall the kernel.
MAX_SIDE = 8192
MAX_PIXELS = 2**26

# Bytes of cells in host memory that are kept for changes of colour; device memory has the budget of `keeping`.
MAX_KEPT_BYTES = 128 * 2**20

# Cells a side from which limits come where nothing was drawn yet.
LIMITS_SIDE = 512


@dataclass(frozen=True)
class Drawn:
    """A frame.

    Attributes
    ----------
    version : int
        Of the scene, as it was drawn.
    window : (float, float, float, float)
        row0, row1, col0, col1.
    size : (int, int)
        Rows and columns of pixels of one facet.
    pixels : ndarray (n_facets, h, w, 4) uint8 or None
        Straight alpha.
    line : ndarray (5, w) float64 or None
        Smallest and largest finite element, mean, mark and number of elements of each column.
    """

    version: int
    window: tuple
    size: tuple
    pixels: np.ndarray | None = None
    line: np.ndarray | None = None


@dataclass(frozen=True)
class Look:
    """A window and the pixels it is shown on."""

    window: tuple
    size: tuple

    @classmethod
    def read(cls, window, size, n_facets):
        """Checks what a page asks for."""
        if isinstance(size, (str, bytes)) or not np.iterable(size) or len(size) != 2:
            raise TypeError("size is [height, width] in device pixels")
        height, width = (_pixels(n) for n in size)
        if height * width * n_facets > MAX_PIXELS:
            raise ValueError(f"{n_facets} pictures of {height} x {width} pixels are more than {MAX_PIXELS} in all")
        return cls(check_window(window), (height, width))

    def fit(self):
        """The Window of a plane."""
        row0, row1, col0, col1 = self.window
        return Window(Span(row0, row1, self.size[0]), Span(col0, col1, self.size[1]))

    def covers(self, shape):
        row0, row1, col0, col1 = self.window
        return row0 <= 0 and col0 <= 0 and row1 >= shape[0] and col1 >= shape[1]


def _pixels(n):
    if isinstance(n, (bool, np.bool_)):
        raise TypeError("size is a pair of integers, not bool")
    try:
        n = operator.index(n)
    except TypeError:
        raise TypeError(f"size is a pair of integers, not {type(n).__name__}") from None
    if not 1 <= n <= MAX_SIDE:
        raise ValueError(f"a picture has 1 to {MAX_SIDE} pixels a side, not {n}")
    return n


class KeptCells:
    """The cells of the last look, one frame for each facet."""

    def __init__(self, frames):
        self.frames = frames

    @property
    def device_bytes(self):
        """Bytes that they occupy on devices."""
        return sum(frame.device_bytes for frame in self.frames)


class Scene:
    """The model of an inspector; it knows nothing of widgets, messages and threads, its caller holds a lock.

    Parameters
    ----------
    X : array_like
        A tensor of any number of axes.
    options : dict
        The keyword groups VIEW, CELLS, STYLE and QUEUE, complete; see `gpuplot.imshow`.
    rows, columns : int or str, optional
        Axes of which each element is a facet.

    Attributes
    ----------
    version : int
        Grows with every change of what frames show.

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
        check_denorm(options["denorm"])
        self._options = options
        self.version = 0
        self._collection = Collection(X, options["stream"])
        self._number = 0
        self._palette = Palette(options)
        self._facts = FactBook()
        self._frame = self._frame_key = self._look = self._colors = None
        self._widest = (math.inf, -math.inf)
        self._check_categorical()
        self._settings = self._first_settings(rows, columns)
        self._show(self._settings)

    def _check_categorical(self):
        if self._options["categorical"] and not is_categorical_dtype(self._item.source.dtype):
            raise ValueError(f"categorical=True needs class numbers of an integer dtype, not {self._item.source.dtype}: "
                             "convert the tensor, or leave categorical out")

    def _first_settings(self, rows, columns):
        vmin, vmax = self._palette.own_limits()
        asked = {name: self._options[name] for name in ("vmin", "vmax") if self._options[name] is not None}
        asked |= {name: self._options[name] for name in ("agg", "nan", "complex_mode", "robust")}
        roles = Roles.choose(self._item.source, self._options, rows, columns)
        first = Settings(roles, cmap=self._palette.cmap, norm=self._palette.norm, vmin=vmin, vmax=vmax)
        return first.changed(asked, self._palette)

    @property
    def _item(self):
        return self._collection.items[self._number]

    # ---- what it is -----------------------------------------------------------------------------------------------------

    @property
    def index(self):
        """``{axis: element}`` of the axes that are stepped through."""
        return self._settings.roles.named_index()

    @property
    def x(self):
        """The axis across: a name where there are names, else its number; None for tensors without axes."""
        return None if self._settings.roles.x is None else self._settings.roles.name(self._settings.roles.x)

    @property
    def y(self):
        """The axis down."""
        return None if self._settings.roles.y is None else self._settings.roles.name(self._settings.roles.y)

    @property
    def vmin(self):
        """Where the colours begin."""
        return self._coloring().vmin

    @property
    def vmax(self):
        """Where the colours end."""
        return self._coloring().vmax

    @property
    def cmap(self):
        """Name of the colormap in use."""
        return self._settings.cmap or self._coloring().cmap.name

    @property
    def norm(self):
        """Name of the norm in use."""
        return self._settings.norm or "linear"

    @property
    def agg(self):
        """How elements become a cell."""
        return self._agg(self._settings)

    @property
    def view(self):
        """((row0, row1), (col0, col1)) that was asked for, or None for the whole plane."""
        return self._settings.view

    @property
    def _view(self):
        """The view of the first facet; all have the same shape and roles."""
        return self._planes[0].view

    @property
    def kind(self):
        """"image", "line" or "text"."""
        source = self._item.source
        if source.ndim == 0 or source.size == 0:
            return "text"
        return "line" if source.ndim == 1 else "image"

    # ---- changes --------------------------------------------------------------------------------------------------------

    def change(self, values):
        """Sets fields of the state; everything is checked before anything changes.

        Parameters
        ----------
        values : dict
            Some of the settable fields that the front end's README lists.

        Raises
        ------
        ValueError, TypeError, IndexError
            What is wrong and what to do; nothing has changed then.
        """
        values = check_values(values)
        settings = self._settings.changed(values, self._palette)
        if values.get("agg") is not None and values["agg"] not in self._aggs(settings):
            raise ValueError(f"agg={values['agg']!r} has no meaning here: use {', '.join(self._aggs(settings))}")
        if settings.region == "view" and values.get("region") == "view":
            settings = self._with_box(settings)
        self._show(settings)

    def update(self, X):
        """Shows another tensor in the place of the present one.

        Parameters
        ----------
        X : array_like
            Of any shape; choices that make sense for it are kept.
        """
        self._collection.replace(self._number, X)
        self._facts.clear()
        self._widest = (math.inf, -math.inf)
        source = self._item.source
        axes = type(self._settings.roles.axes)(source.shape, self._options["dims"], source.dims)
        self._show(self._settings.__class__(**{**vars(self._settings), "roles": self._settings.roles.clipped_to(axes)}))

    def close(self):
        """Lets tensors and cells go."""
        self._frame = self._frame_key = self._colors = None
        self._collection.items.clear()
        self._planes = []
        self._facts.clear()

    def _show(self, settings):
        """Makes settings the present ones; raises before anything has changed where they have no meaning."""
        item = self._item
        facets = Facets.of(settings.roles)
        planes = [item.plane(settings.roles.view(item.source.dtype, settings.complex_mode, place), settings.nan)
                  for place in facets.places(settings.roles)]
        self._settings, self._facets, self._planes = settings, facets, planes
        self._colors = None
        self.version += 1

    # ---- cells ------------------------------------------------------------------------------------------------------------

    def _aggs(self, settings):
        """Aggregations that have a meaning for settings."""
        if settings.roles.rgb is not None:
            return ["mean", "nearest"]
        if self._item.source.dtype.startswith("complex") and settings.complex_mode == "phase":
            return [agg for agg in AGGS if agg not in OTHER_UNITS]
        return list(AGGS)

    def _agg(self, settings):
        usual = "nearest" if self._is_categorical() else "mean"
        agg = usual if settings.agg is None else settings.agg
        return agg if agg in self._aggs(settings) else "mean"

    def _cells(self, look):
        """The frames of all facets, reduced only where the last look was another one."""
        key = (look, tuple(plane.key for plane in self._planes), self.agg)
        kept = self._frame
        if kept is None or self._frame_key != key:
            want = self._wanted() if look.covers(self._view.shape) else 0
            frames = []
            for plane in self._planes:
                is_known = not want or self._facts.knows(plane, want)
                frame = plane.reduce(look.fit(), self.agg, 0 if is_known else want)
                if not is_known:
                    self._facts.note(plane, frame.limits)
                frames.append(frame)
            kept = self._keep(KeptCells(frames), key)
        keep_within_budget(self)
        return kept.frames

    def _keep(self, kept, key):
        n_bytes = 8 * len(kept.frames) * math.prod(key[0].size)
        self._frame, self._frame_key = (kept, key) if n_bytes <= MAX_KEPT_BYTES else (None, None)
        return kept

    # ---- colours ----------------------------------------------------------------------------------------------------------

    def _is_categorical(self):
        """Whether elements are shown as class numbers: decided by the dtype, and for integers by how many there are."""
        settings, dtype = self._settings, self._item.source.dtype
        asked = self._options["categorical"]
        is_number = settings.norm is not None or settings.vmin is not None or settings.vmax is not None
        if asked is False or not is_categorical_dtype(dtype) or self._view.is_rgb or self._view.is_reduced \
                or settings.agg in MIXING or (is_number and asked is None):
            return False
        if asked or dtype == "bool":
            return True
        limits = joined(self._facts.limits(plane, WANT_RANGE) for plane in self._planes)
        self._widest = (min(self._widest[0], limits.min), max(self._widest[1], limits.max))
        return self._widest[1] - self._widest[0] + 1 <= 20

    def _wanted(self):
        """What the norm has to know about elements; nothing where that is not the elements of the plane."""
        settings = self._settings
        is_fixed = settings.vmin is not None and settings.vmax is not None
        if is_fixed or settings.region != "slice" or self.agg in OTHER_UNITS or self._view.is_rgb:
            return 0
        return WANT_RANGE | (WANT_POSITIVE if self.norm == "log" else 0)

    def _coloring(self):
        """The Colors in use, found once after each change."""
        if self._colors is None:
            self._colors = self._find_colors()
        return self._colors

    def _find_colors(self):
        settings, view = self._settings, self._view
        if view.is_rgb:
            unit = stored_unit(self._item.source.dtype)
            return self._palette.fit(settings, UNKNOWN._replace(min=0.0, max=unit), None, is_centred=False)
        if self._is_categorical():
            return self._palette.fit_categories(settings, self._limits())
        if view.is_hue or (view.complex_mode == "phase" and settings.norm is None):
            return self._palette.fit(settings, CIRCLE, None, "hsv", is_centred=not view.is_hue)
        return self._palette.fit(settings, self._limits(), self._percentiles, is_centred=self.kind == "image")

    def _limits(self):
        """Facts about the elements from which limits come; cells where these have units of their own."""
        if self.agg in OTHER_UNITS:
            return joined(limits_of_cells(frame.cells) for frame in self._frames_of_units())
        settings = self._settings
        want = WANT_RANGE | (WANT_POSITIVE if type(self._palette.make_norm(settings.norm)) is LogNorm else 0)
        if settings.region == "all":
            return self._limits_of_all()
        box = settings.box if settings.region == "view" else None
        if box is None and self._look is not None and self._look.covers(self._view.shape) \
                and not all(self._facts.knows(plane, want) for plane in self._planes):
            self._cells(self._look)  # which finds them on the way, and is what will be drawn next
        return joined(self._facts.limits(plane, want, box) for plane in self._planes)

    def _limits_of_all(self):
        return joined(limits_of_tensor(plane) or UNKNOWN for plane in self._planes)

    def _frames_of_units(self):
        if self._look is not None:
            return self._cells(self._look)
        shape = self._view.shape
        window = Window.whole(shape, tuple(max(1, min(n, LIMITS_SIDE)) for n in shape))
        return [plane.reduce(window, self.agg) for plane in self._planes]

    def _percentiles(self, percents, is_positive_only):
        """The lowest and the highest of the percentiles of the planes."""
        if self.agg in OTHER_UNITS:
            found = [percentiles_of_cells(frame.cells, percents, is_positive_only) for frame in self._frames_of_units()]
        else:
            box = self._settings.box if self._settings.region == "view" else None
            found = [self._facts.percentiles(plane, percents, is_positive_only, box) for plane in self._planes]
        lows, highs = zip(*found, strict=True)
        return float(np.fmin.reduce(lows)), float(np.fmax.reduce(highs))

    # ---- frames -----------------------------------------------------------------------------------------------------------

    def draw(self, window, size, is_moving=False):
        """The pixels of a window of the plane: one reduction for each facet, or none where only colours have changed.

        Parameters
        ----------
        window : sequence of 4 floats
            row0, row1, col0, col1 in elements; may reach beyond the plane.
        size : (int, int)
            Rows and columns of pixels of one facet.
        is_moving : bool, default: False
            Whether the picture is on its way elsewhere, so that nothing need be kept of it.

        Returns
        -------
        Drawn
        """
        look = Look.read(window, size, len(self._facets))
        pixels = np.zeros((len(self._facets), *look.size, 4), np.uint8)
        if self.kind != "text":
            self._look = look
            frames = self._cells(look)
            for k, (plane, frame) in enumerate(zip(self._planes, frames, strict=True)):
                pixels[k] = self._shade(plane, frame, look)
        return Drawn(self.version, look.window, look.size, pixels)

    def _shade(self, plane, frame, look):
        """Cells to pixels."""
        alpha = opacity_on(self._alpha(), look.fit(), self.agg)
        colors, marks = self._coloring(), self._palette.marks
        if plane.view.is_rgb:
            return plane.shade_channels(frame, self._options["denorm"], marks, alpha)[0]
        if plane.view.is_hue:
            largest = self._facts.limits(plane, WANT_RANGE).max
            is_log = plane.view.complex_mode == "log10_amplitude_phase"
            return shade_hue(frame, largest, is_log, Normalize(-math.pi, math.pi), colors.cmap, marks, alpha)
        return shade(frame.cells, colors.norm, colors.cmap, marks, alpha)

    def _alpha(self):
        """One factor, or one for each element where it has the shape of the present plane."""
        alpha = self._options["alpha"]
        return alpha if alpha is None or np.ndim(alpha) == 0 or np.shape(alpha) == self._view.shape else None

    # ---- limits -----------------------------------------------------------------------------------------------------------

    def set_limits(self, how, region, window=None):
        """Sets vmin and vmax as a user would.

        Parameters
        ----------
        how : {"full", "robust", "snap"}
            All finite elements, without the outermost 2 percent at either end, or the first of 0..1, -1..1 and 0..255 that
            holds them all.
        region : {"view", "slice", "all"}
            Whose elements.
        window : sequence of 4 floats, optional
            The present window, for "view".
        """
        if how not in ("full", "robust", "snap") or region not in REGIONS:
            raise ValueError(f"limits: how is one of full, robust, snap and region one of {', '.join(REGIONS)}")
        robust = (self._options["robust"] or True) if how == "robust" else False
        settings = self._settings.changed({"vmin": None, "vmax": None, "robust": robust, "region": region}, self._palette)
        before = self._settings
        self._show(self._with_box(settings, window) if region == "view" else settings)
        if how == "snap":
            try:
                low, high = snapped(self._limits())
            except ValueError:
                self._show(before)
                raise
            self.change({"vmin": low, "vmax": high})

    def _with_box(self, settings, window=None):
        """Settings whose limits come from the elements of a window: of the last look where none is given."""
        if window is None and self._look is None:
            return settings
        row0, row1, col0, col1 = self._look.window if window is None else check_window(window)
        n_rows, n_cols = self._view.shape
        box = (max(0, math.floor(row0)), min(n_rows, math.ceil(row1)), max(0, math.floor(col0)), min(n_cols, math.ceil(col1)))
        is_empty = box[0] >= box[1] or box[2] >= box[3]
        return type(settings)(**{**vars(settings), "box": None if is_empty else box})

    # ---- the state ----------------------------------------------------------------------------------------------------------

    def state(self):
        """Everything that a page shows beside frames, as the front end's README lists it: texts, numbers, lists, dicts."""
        return {"version": self.version, **self._state_of_tensor(), **self._state_of_axes(), **self._state_of_colors()}

    def _state_of_tensor(self):
        source = self._item.source
        device = "cpu" if source.device is None or source.device[0] in (1, 3) else f"cuda:{source.device[1]}"
        return {
            "kind": self.kind, "text": self._facets.notice,
            "items": self._collection.names, "item": self._item.name,
            "tensor": {"shape": list(source.shape), "dtype": source.dtype, "device": device, "bytes": str(source.nbytes),
                       "library": "", "notes": list(self._collection.notes)},
            "pill": None,
        }

    def _state_of_axes(self):
        settings, roles = self._settings, self._settings.roles
        ops = dict(roles.reduced)
        names = roles.axes.names or ("",) * len(roles.axes)
        return {
            "axes": [{"name": name, "size": size, "role": roles.role(axis), "index": roles.index[axis], "op": ops.get(axis)}
                     for axis, (name, size) in enumerate(zip(names, roles.axes.shape, strict=True))],
            "plane": list(self._view.shape),
            "view": None if settings.view is None else [list(part) for part in settings.view],
            "aspect": settings.aspect, "facets": self._facets.labels(roles, self._item.source),
        }

    def _state_of_colors(self):
        settings = self._settings
        is_complex = self._item.source.dtype.startswith("complex")
        cmaps, norms = self._palette.menus(settings)
        colors = self._coloring()
        return {
            "agg": self.agg, "aggs": self._aggs(settings), "cmap": self.cmap, "cmaps": cmaps, "norm": self.norm,
            "norms": norms, "nan": settings.nan,
            "complex_mode": settings.complex_mode if is_complex else None,
            "complex_modes": list(COMPLEX_MODES) if is_complex else [],
            "vmin": colors.vmin, "vmax": colors.vmax,
            "is_fixed": {"vmin": settings.vmin is not None, "vmax": settings.vmax is not None},
            "robust": bool(settings.robust), "region": settings.region,
            "is_rgb": self._view.is_rgb, "is_categorical": colors.is_categorical,
            "colors": {"bar": colors.bar(), **self._palette.mark_texts(colors.cmap)},
            "categories": colors.category_colors(self._palette.labels),
        }
