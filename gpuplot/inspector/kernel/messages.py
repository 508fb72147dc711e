"""What a page may say: each message checked in full and turned into a frozen object, or refused with a short reason."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from ..model.settings import AUTOMATIC

__all__ = ["MAX_SEQ", "SETTABLE", "Ack", "Click", "Flags", "Gone", "Histogram", "Hover", "Limits", "MessageError",
           "Next", "PageViewport", "Palettes", "Ready", "Search", "Set", "Stats", "Values", "address_of", "parse"]

# Whole numbers beyond this are not exact in a page.
MAX_SEQ = 2**53
# Pixels of one facet, a side and in all: a wall of screens, and 64 MB as RGBA.
MAX_SIDE, MAX_PIXELS = 8192, 2**24
MAX_PAGE_TEXT = 32
# Frames of a page have ids that count up; facets are fewer than pixels.
MAX_FACET = 2**20
# Numbers printed in cells at one time.
MAX_VALUES = 4096
# Fields of a message, entries of a mapping, and characters of a text inside one.
MAX_FIELDS, MAX_ENTRIES, MAX_TEXT = 24, 64, 1024


class MessageError(ValueError):
    """A message of a page that makes no sense; the text says what is wrong with it, in a line."""


@dataclass(frozen=True)
class Message:
    """`seq` counts the messages of one page up; `page` is that page's own random text."""

    seq: int
    page: str


class Ready(Message):
    """A view exists."""


class Gone(Message):
    """The view is no more: its output was cleared, or its cell was run again."""


@dataclass(frozen=True)
class PageViewport(Message):
    """What a page shows: (row0, row1, col0, col1) in elements on `size` (height, width) device pixels of one facet."""

    window: tuple
    size: tuple
    moving: bool
    visible: bool

    @property
    def pixel(self):
        """Height and width of one pixel of the canvas, in elements."""
        row0, row1, col0, col1 = self.window
        return (row1 - row0) / self.size[0], (col1 - col0) / self.size[1]


@dataclass(frozen=True)
class Ack(Message):
    """A frame arrived: it was drawn, or a newer one came first; its buffers came as binary, or not."""

    id: int
    drawn: bool
    buffers: bool


@dataclass(frozen=True)
class Set(Message):
    """A user changed controls: names of the state and their new values."""

    values: dict


@dataclass(frozen=True)
class OfFacet(Message):
    """About one of the pictures."""

    facet: int


@dataclass(frozen=True)
class Hover(OfFacet):
    """What is under the pointer? In elements of the plane; both None: it is over no element any more."""

    row: float | None
    col: float | None

    def __post_init__(self):
        if (self.row is None) != (self.col is None):
            raise MessageError("row and col must be two numbers, or null both")


@dataclass(frozen=True)
class Click(OfFacet):
    """The pointer pressed a place, in elements of the plane, and left it there."""

    row: float
    col: float

    def __post_init__(self):
        if self.row is None or self.col is None:
            raise MessageError("row and col must be two numbers")


@dataclass(frozen=True)
class Values(OfFacet):
    """Texts of the elements in a box (row0, row1, col0, col1)."""

    box: tuple


@dataclass(frozen=True)
class OfRegion(Message):
    """About the elements of the window, of the plane, of the tensor or of the selected box."""

    region: str


class Histogram(OfRegion):
    """Their counts."""


class Stats(OfRegion):
    """Their statistics."""


@dataclass(frozen=True)
class Limits(OfRegion):
    """Sets the colour limits from them."""

    how: str


class Flags(Message):
    """Which of several tensors have NaN or infinities? Looked for a short time, for more it is asked again."""

    region = ""


class Search(Message):
    """Is there a NaN or an infinity anywhere in the tensor that is shown? Looked for a short time, for more it is asked again."""

    region = ""


class Palettes(Message):
    """What the colormaps of the menu look like."""


@dataclass(frozen=True)
class Next(Message):
    """Where is the next element that is not finite, forwards (1) or backwards (-1)?"""

    step: int


# ---- the parts of messages -------------------------------------------------------------------------------------------


def _excerpt(value):
    """A value as it may stand in an error: short, whatever it was."""
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
    """A finite float; a page has no other numbers, and JSON may hold some that no float can."""
    if type(value) is int and abs(value) <= MAX_SEQ:
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
    """A choice from a menu, None for the first one of it."""
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
    height, width = (_integer(name, side, 1, MAX_SIDE) for side in _several(name, value, 2))
    if height * width > MAX_PIXELS:
        _refuse(name, value, f"a picture of at most {MAX_PIXELS} pixels")
    return height, width


def _box(name, value):
    row0, row1, col0, col1 = (_integer(name, end, 0, MAX_SEQ) for end in _several(name, value, 4))
    if not (row0 < row1 and col0 < col1 and (row1 - row0) * (col1 - col0) <= MAX_VALUES):
        _refuse(name, value, f"a box of 1 to {MAX_VALUES} elements")
    return row0, row1, col0, col1


def _selection(name, value):
    """Rows and columns, each a first one and one behind the last."""
    parts = tuple(tuple(_integer(name, end, 0, MAX_SEQ) for end in _several(name, part, 2)) for part in _several(name, value, 2))
    if not all(first < stop for first, stop in parts):
        _refuse(name, value, "two ranges with elements in them")
    return parts


def _mapping(check):
    """By axis, which a page names by its number as text."""
    def check_all(name, value):
        if type(value) is not dict or not 1 <= len(value) <= MAX_ENTRIES:
            _refuse(name, value, f"a mapping of 1 to {MAX_ENTRIES} axes")
        return {_short_text(f"an axis of {name}", axis): check(f"{name} of axis {_excerpt(axis)}", entry)
                for axis, entry in value.items()}

    return check_all


REGIONS = ("view", "slice", "all", "selection")
_region = _choice(*REGIONS)

# What a page may set, and how each value is checked before the tensor is asked about it.
SETTABLE = {
    "item": _text, "index": _mapping(_id), "x": _axis, "y": _axis, "reduce": _mapping(_or_none(_short_text)),
    "rows": _or_none(_axis), "columns": _or_none(_axis), "rgb": _or_none(_axis), "cmap": _or_automatic, "norm": _or_automatic,
    "vmin": _or_none(_number), "vmax": _or_none(_number), "agg": _or_automatic, "nan": _short_text, "view": _or_none(_view),
    "aspect": _choice("equal", "auto"), "region": _region, "complex_mode": _short_text, "robust": _flag,
    "selection": _or_none(_selection),
}


def _settings(name, value):
    if type(value) is not dict or not 1 <= len(value) <= len(SETTABLE):
        _refuse(name, value, "a mapping of names to values")
    for field in value:
        if field not in SETTABLE:
            raise MessageError(f"{_excerpt(field)} cannot be set; what can: {', '.join(SETTABLE)}")
    return {field: SETTABLE[field](field, entry) for field, entry in value.items()}


_CHECKS = {
    "window": _window, "size": _size, "moving": _flag, "visible": _flag, "id": _id, "drawn": _flag, "buffers": _flag,
    "values": _settings, "row": _or_none(_number), "col": _or_none(_number), "facet": _facet, "box": _box, "region": _region,
    "step": _choice(1, -1), "how": _choice("auto", "full", "robust", "snap"),
}
_KINDS = {
    "ready": Ready, "gone": Gone, "viewport": PageViewport, "ack": Ack, "set": Set, "hover": Hover, "click": Click, "values": Values,
    "histogram": Histogram, "stats": Stats, "palettes": Palettes, "flags": Flags, "search": Search, "next": Next, "limits": Limits,
}


def address_of(content):
    """(seq, page) of a message as far as they make sense, else None in their place: where a refusal is sent."""
    if type(content) is not dict:
        return None, None
    seq, page = content.get("seq"), content.get("page")
    is_seq = type(seq) is int and 0 <= seq < MAX_SEQ
    # Every state repeats it to all pages, so it is nothing that a channel cannot carry, as half a surrogate pair.
    is_page = type(page) is str and 1 <= len(page) <= MAX_PAGE_TEXT and page.isprintable()
    return seq if is_seq else None, page if is_page else None


def parse(content):
    """The message that some JSON is.

    Parameters
    ----------
    content : object
        Whatever arrived.

    Returns
    -------
    Message

    Raises
    ------
    MessageError
        It is none; the text says why.

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
    found = {}
    for field in fields(_KINDS[kind])[2:]:
        if field.name not in content:
            raise MessageError(f"{kind} lacks {field.name}")
        found[field.name] = _CHECKS[field.name](field.name, content[field.name])
    return _KINDS[kind](seq, page, **found)
