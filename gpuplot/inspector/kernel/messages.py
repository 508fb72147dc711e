"""Messages of pages: JSON -> a checked, immutable object, or an error of one line."""

from __future__ import annotations

import math
import sys
from dataclasses import MISSING, dataclass, fields

from ..model.cell_labels import MAX_VALUES
from ..model.format import LONGEST, SHORT, SHORTEST
from ..model.settings import AUTOMATIC, REGIONS
from ..model.viewport import MAX_FACET_PIXELS, MAX_PAGE_SIDE

# Larger integers are not exact in JavaScript.
MAX_SEQ = 2**53
MAX_PAGE_TEXT = 32
MAX_FACET = 2**20
# Fields of a message, entries of a mapping, characters of a string.
MAX_FIELDS, MAX_ENTRIES, MAX_TEXT = 24, 64, 1024


class MessageError(ValueError):
    """A message was refused; its text is the reason, in one line."""


@dataclass(frozen=True)
class Message:
    """`seq` rises with each message of a page; `page` is the page's random name."""

    seq: int
    page: str


class Ready(Message):
    """A view exists."""


class Gone(Message):
    """The view is gone."""


@dataclass(frozen=True)
class PageViewport(Message):
    """The viewport of a page: a window (row0, row1, col0, col1) in elements, and the size (height, width) of a facet in pixels.

    `seen` is the window that the page shows: `window` is another one, of the whole plane, where it is asked for an overview.
    """

    window: tuple
    size: tuple
    moving: bool
    visible: bool
    seen: tuple | None = None

    @property
    def shown(self):
        """The window that the page shows."""
        return self.seen or self.window


@dataclass(frozen=True)
class Ack(Message):
    """A frame arrived; whether it was drawn, and whether its buffers came as binary."""

    id: int
    drawn: bool
    buffers: bool


@dataclass(frozen=True)
class Set(Message):
    """A user changed controls: fields of the state and their values."""

    values: dict


@dataclass(frozen=True)
class OfFacet(Message):
    """A message about one facet."""

    facet: int


@dataclass(frozen=True)
class Hover(OfFacet):
    """The pointer's position in elements; both None: it left the plane. Answered by `hover`."""

    row: float | None
    col: float | None

    def __post_init__(self):
        if (self.row is None) != (self.col is None):
            raise MessageError("row and col must be two numbers, or null both")


@dataclass(frozen=True)
class Click(OfFacet):
    """A click at a position in elements."""

    row: float
    col: float

    def __post_init__(self):
        if self.row is None or self.col is None:
            raise MessageError("row and col must be two numbers")


@dataclass(frozen=True)
class Values(OfFacet):
    """Asks for texts of at most `room` characters of the elements in a box (row0, row1, col0, col1)."""

    box: tuple
    room: int = SHORT


@dataclass(frozen=True)
class OfRegion(Message):
    """A message about the elements of the window, plane, tensor or selection."""

    region: str


@dataclass(frozen=True)
class PanelOfRegion(OfRegion):
    """A question about them; `seen` is the window of "view", by default the one that the page told last."""

    seen: tuple | None = None


class Histogram(PanelOfRegion):
    """Asks for their counts in bins."""


class Stats(PanelOfRegion):
    """Asks for their statistics."""


@dataclass(frozen=True)
class Limits(OfRegion):
    """Sets the color limits from them."""

    how: str


class Flags(Message):
    """Asks which tensors have NaN or infinities; answers are partial."""

    region = ""


class Search(Message):
    """Asks whether the shown tensor has NaN or infinities; answers are partial."""

    region = ""


class Palettes(Message):
    """Asks for sample colors of the colormaps in the menu."""


@dataclass(frozen=True)
class Next(Message):
    """Asks for the next element that is not finite, forwards (1) or backwards (-1)."""

    step: int


# ---- checks of fields ------------------------------------------------------------------------------------------------


def _excerpt(value):
    """A value in at most 40 characters, for an error."""
    if isinstance(value, (dict, list, tuple)):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > MAX_SEQ:
        return "a number that is too large"
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _refuse(name, value, wanted):
    raise MessageError(f"{name} is {_excerpt(value)} and must be {wanted}")


def _integer(name, value, low, high):
    if type(value) is not int or not low <= value <= high:
        _refuse(name, value, f"a whole number from {low} to {high}")
    return value


def _number(name, value):
    """A finite float; JavaScript writes those below 1e21 as integers, and JSON may have integers beyond the range of float64."""
    if type(value) is int and abs(value) <= sys.float_info.max:
        return float(value)
    if type(value) is not float or not math.isfinite(value):
        _refuse(name, value, "a finite number")
    return value


def _flag(name, value):
    if type(value) is not bool:
        _refuse(name, value, "true or false")
    return value


def _text(name, value, most=MAX_TEXT):
    if type(value) is not str or len(value) > most:
        _refuse(name, value, f"a text of at most {most} characters")
    return value


def _choice(*known):
    def check(name, value):
        if type(value) not in (str, int) or value not in known:
            _refuse(name, value, "one of " + ", ".join(map(str, known)))
        return value

    return check


def _several(name, value, n):
    if type(value) is not list or len(value) != n:
        _refuse(name, value, f"a list of {n}")
    return value


def _or_none(check):
    return lambda name, value: None if value is None else check(name, value)


def _short_text(name, value):
    return _text(name, value, 128)


def _or_automatic(name, value):
    """A choice from a menu, None for "automatic"."""
    return None if value is None or value == AUTOMATIC else _short_text(name, value)


def _axis(name, value):
    return _integer(name, value, 0, MAX_ENTRIES - 1)


def _facet(name, value):
    return _integer(name, value, 0, MAX_FACET)


def _id(name, value):
    return _integer(name, value, 0, MAX_SEQ - 1)


def _range(name, value):
    low, high = (_number(name, end) for end in _several(name, value, 2))
    if not low < high:
        _refuse(name, value, "a lower and a higher number")
    return low, high


def _window(name, value):
    ends = [_number(name, end) for end in _several(name, value, 4)]
    return (*_range(name, ends[:2]), *_range(name, ends[2:]))


def _view(name, value):
    return tuple(_range(name, part) for part in _several(name, value, 2))


def _size(name, value):
    height, width = (_integer(name, side, 1, MAX_PAGE_SIDE) for side in _several(name, value, 2))
    if height * width > MAX_FACET_PIXELS:
        _refuse(name, value, f"a picture of at most {MAX_FACET_PIXELS} pixels")
    return height, width


def _box(name, value):
    row0, row1, col0, col1 = (_integer(name, end, 0, MAX_SEQ) for end in _several(name, value, 4))
    if not (row0 < row1 and col0 < col1 and (row1 - row0) * (col1 - col0) <= MAX_VALUES):
        _refuse(name, value, f"a box of 1 to {MAX_VALUES} elements")
    return row0, row1, col0, col1


def _selection(name, value):
    """((row0, row1), (col0, col1)), half-open."""
    parts = tuple(tuple(_integer(name, end, 0, MAX_SEQ) for end in _several(name, part, 2)) for part in _several(name, value, 2))
    if not all(first < stop for first, stop in parts):
        _refuse(name, value, "two ranges with elements in them")
    return parts


def _mapping(check):
    """A check of a mapping from axes, as strings, to values."""
    def check_all(name, value):
        if type(value) is not dict or not 1 <= len(value) <= MAX_ENTRIES:
            _refuse(name, value, f"a mapping of 1 to {MAX_ENTRIES} axes")
        return {_short_text(f"an axis of {name}", axis): check(f"{name} of axis {_excerpt(axis)}", entry)
                for axis, entry in value.items()}

    return check_all


_region = _choice(*REGIONS)

# Fields of the state that a page may set, and their checks without the tensor.
FIELD_CHECKS = {
    "item": _text, "index": _mapping(_id), "x": _axis, "y": _axis, "reduce": _mapping(_or_none(_short_text)),
    "rows": _or_none(_axis), "columns": _or_none(_axis), "rgb": _or_none(_axis), "cmap": _or_automatic, "norm": _or_automatic,
    "vmin": _or_none(_number), "vmax": _or_none(_number), "agg": _or_automatic, "nan": _short_text, "view": _or_none(_view),
    "aspect": _choice("equal", "auto"), "region": _region, "complex_mode": _short_text, "robust": _flag,
    "selection": _or_none(_selection),
}


def _settings(name, value):
    if type(value) is not dict or not 1 <= len(value) <= len(FIELD_CHECKS):
        _refuse(name, value, "a mapping of names to values")
    for field in value:
        if field not in FIELD_CHECKS:
            raise MessageError(f"{_excerpt(field)} cannot be set; what can: {', '.join(FIELD_CHECKS)}")
    return {field: FIELD_CHECKS[field](field, entry) for field, entry in value.items()}


_CHECKS = {
    "window": _window, "seen": _or_none(_window), "size": _size, "moving": _flag, "visible": _flag, "id": _id, "drawn": _flag,
    "buffers": _flag, "values": _settings, "row": _or_none(_number), "col": _or_none(_number), "facet": _facet, "box": _box,
    "region": _region, "step": _choice(1, -1), "how": _choice("auto", "full", "robust", "snap"),
    "room": lambda name, value: _integer(name, value, SHORTEST, LONGEST),
}
_KINDS = {
    "ready": Ready, "gone": Gone, "viewport": PageViewport, "ack": Ack, "set": Set, "hover": Hover, "click": Click, "values": Values,
    "histogram": Histogram, "stats": Stats, "palettes": Palettes, "flags": Flags, "search": Search, "next": Next, "limits": Limits,
}


def address_of(content):
    """(seq, page) of a message, to which an error is sent; None for each that is invalid."""
    if type(content) is not dict:
        return None, None
    seq, page = content.get("seq"), content.get("page")
    is_seq = type(seq) is int and 0 <= seq < MAX_SEQ
    # It is repeated in every state, so lone surrogates, which no channel carries, are refused.
    is_page = type(page) is str and 1 <= len(page) <= MAX_PAGE_TEXT and page.isprintable()
    return seq if is_seq else None, page if is_page else None


def parse(content):
    """JSON -> Message; MessageError with the reason for anything else.

    Examples
    --------
    >>> parse({"k": "hover", "seq": 3, "page": "p", "row": 1.5, "col": 2, "facet": 0})
    Hover(seq=3, page='p', facet=0, row=1.5, col=2.0)
    """
    if type(content) is not dict or len(content) > MAX_FIELDS:
        _refuse("a message", content, f"a mapping of at most {MAX_FIELDS} fields")
    kind = content.get("k")
    if type(kind) is not str or kind not in _KINDS:
        _refuse("k", kind, "one of " + ", ".join(_KINDS))
    seq, page = address_of(content)
    if seq is None:
        _refuse("seq", content.get("seq"), "a whole number from 0 on")
    if page is None:
        _refuse("page", content.get("page"), f"a text of 1 to {MAX_PAGE_TEXT} printable characters")
    values = {}
    for field in fields(_KINDS[kind])[2:]:
        if field.name not in content and field.default is not MISSING:
            continue
        if field.name not in content:
            raise MessageError(f"{kind} lacks {field.name}")
        values[field.name] = _CHECKS[field.name](field.name, content[field.name])
    return _KINDS[kind](seq, page, **values)
