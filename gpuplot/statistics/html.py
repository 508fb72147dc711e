"""Statistics -> HTML for notebooks, light or dark: a bar of the kinds of elements, a histogram and numbers."""

import math
from html import escape

import numpy as np

from ..errors import size_text
from . import text
from .text import DIGITS, KINDS, amount, digits_between, number, percent

# Text and lines have the page's own color; these colors stand out on white and on black.
_COLORS = {"nan": "#ff00ff", "neg_inf": "#ff8000", "neg": "#4c8fd6", "zero": "#8f8f8f", "pos": "#d9694a", "pos_inf": "#00c8d0",
            "masked": "#d4d4d4"}

# Powers of ten at the ends of the axis of magnitudes (`_scale`).
_DECADES = -8, 8

# Width of a picture in a table. It is not less, or browsers would shrink pictures to nothing before the table may be scrolled.
_IN_CELL = 90

# Most rows of a table; for the others their number is shown.
_MAX_ROWS = 200

_PAGE = "font-size:13px;line-height:1.5;max-width:36em;font-variant-numeric:tabular-nums"
_QUIET = "opacity:.65"
_CELL = "text-align:right;padding:1px 10px 1px 0;border:0;background:none;white-space:nowrap"
_LEFT = "text-align:left;" + _CELL.partition(";")[2]


def page(stats):
    """The HTML of one tensor: title, bar, histogram and numbers; a row for each slice where axes remain."""
    head = f"<div><b>{escape(text.title(stats))}</b> <span style='{_QUIET}'>{size_text(stats.nbytes)}</span></div>"
    if stats.dim is not None:
        rows = [(str(_flat(place)), _slice(stats, place)) for place in np.ndindex(stats.nan.shape)]
        return _block(head + _rows(rows, text.remaining_axes(stats)), "none")
    return _block(head + _pill(stats, 480, 12) + _legend(stats) + _histogram(stats, 480, 64, True) + _facts(stats))


def table(stats_table):
    """The HTML of several tensors: a row for each, worst first, and why others are missing."""
    rows = [(name, stats) for name, stats in stats_table.items()]
    shown = _health(stats_table) + _rows(rows, "tensor", True) if rows else "no tensors"
    return _block(shown + _lines(stats_table.skipped.items()), "none")


def _health(stats_table):
    """The number of tensors, and of those with NaN or infinities."""
    def count(fields, what):
        n = sum(any(getattr(stats, field) for field in fields) for stats in stats_table.values())
        return [f"<b style='color:{_COLORS[fields[0]]}'>{amount(n)} with {what}</b>"] if n else []

    size = size_text(sum(stats.nbytes for stats in stats_table.values()))
    wrong = count(("nan",), "NaN") + count(("pos_inf", "neg_inf"), "Inf") or ["all finite"]
    n = len(stats_table)
    counted = f"{amount(n)} tensor{'s' if n != 1 else ''}, {size}"
    return f"<div>{' · '.join([counted, *wrong])}</div>"


def comparisons(comparison_table):
    """The HTML of compared tensors: a row for each, worst first, why others are missing, and names that one of the two has alone."""
    rows = [_compared(name, found) for name, found in comparison_table.items()]
    return _block(_titled(rows) + _lines([*comparison_table.skipped.items(), *text.alone(comparison_table)]), "none")


def _compared(name, found):
    """[(head, style, HTML)] of the cells of one `Comparison`; numbers are left out where the two are equal."""
    left = [("tensor", name), ("dtype", text.dtypes_text(found)), ("shape", " × ".join(map(str, found.shape)))]
    if found.is_equal:
        right = [text.equal_text(found), "", "", "", ""]
    else:
        beyond = f"{amount(found.n_beyond)} ({percent(found.share_beyond)})" if found.n_beyond else ""
        place = "" if found.argmax_abs is None else text.shape_text(found.argmax_abs)
        right = [number(found.max_abs), place, number(found.max_rel), beyond, _count(found.nan_only_a + found.nan_only_b, "nan")]
    heads = "largest difference", "at", "relative", "beyond rtol, atol", "NaN in one alone"
    return ([(head, _LEFT, escape(cell)) for head, cell in left]
            + [(head, _CELL, cell) for head, cell in zip(heads, right, strict=True)])


def _lines(named):
    """A line for each (name, text about it)."""
    return "".join(f"<div><b>{escape(name)}</b> <span style='{_QUIET}'>{escape(line)}</span></div>" for name, line in named)


def _block(inside, max_width="36em"):
    return f"<div style='{_PAGE.replace('36em', max_width)}'>{inside}</div>"


def _flat(index):
    return index[0] if len(index) == 1 else index


class _Slice:
    """The fields of one slice, named as in `Stats`."""

    def __init__(self, fields):
        self.__dict__.update(fields)


def _slice(stats, index):
    names = ("nan", "neg_inf", "neg", "zero", "pos", "pos_inf", "masked", "subnormal", "min", "max", "mean", "median", "std", "hist",
             "bin_edges")
    return _Slice({name: getattr(stats, name)[index] for name in names})


# ---- pictures ----------------------------------------------------------------------------------------------------------


def _pill(stats, width, height):
    """The SVG bar of the shares of the kinds of elements; every kind that occurs is wide enough to be seen."""
    counts = [(field, name, int(getattr(stats, field))) for field, name in KINDS]
    total = sum(n for *_, n in counts)
    widths = _shares([n for *_, n in counts], width)
    label = ", ".join(f"{name}: {amount(n)}" for _, name, n in counts if n) or "no elements"
    left, parts = 0.0, []
    for (field, name, n), share in zip(counts, widths, strict=True):
        if n:
            parts.append(f"<rect x='{left:.2f}' width='{share:.2f}' height='{height}' fill='{_COLORS[field]}'>"
                         f"<title>{escape(name)}: {amount(n)} ({n / total:.3%})</title></rect>")
        left += share
    frame = f"<rect x='.5' y='.5' width='{width - 1}' height='{height - 1}' fill='none' stroke='currentColor' opacity='.25'/>"
    return _svg("".join(parts) + frame, width, height, label)


def _shares(counts, width, least=3.0):
    """Widths in proportion to counts, at least `least` pixels for counts above 0."""
    total = sum(counts)
    if not total:
        return [0.0] * len(counts)
    is_small = [0 < n * width < least * total for n in counts]
    rest = sum(n for n, small in zip(counts, is_small, strict=True) if not small)
    room = width - least * sum(is_small)
    return [least if small else n * room / rest if n else 0.0 for n, small in zip(counts, is_small, strict=True)]


def _histogram(stats, width, height, has_labels=False):
    """The SVG histogram, with logarithmic heights and a line at zero."""
    hist, edges = stats.hist, stats.bin_edges
    top = math.log1p(int(hist.max(initial=0)))
    if not top:
        return ""
    parts = [max(int(part.max()), 0) for part in np.array_split(hist, min(len(hist), width // 3))]
    step = width / len(parts)
    bars = "".join(f"<rect x='{i * step:.2f}' y='{height - h:.2f}' width='{step * 0.86:.2f}' height='{h:.2f}'/>"
                   for i, h in enumerate(max(1.0, height * math.log1p(n) / top) if n else 0.0 for n in parts) if h)
    picture = f"<g fill='currentColor' opacity='.6'>{bars}</g>"
    low, high = float(edges[0]), float(edges[-1])
    if low < 0 < high:
        x = width * (-low / high) / (1 - low / high)
        picture += f"<path d='M{x:.2f} 0V{height}' stroke='currentColor' stroke-dasharray='2 3' opacity='.8'/>"
    svg = _svg(picture, width, height, f"histogram from {number(low)} to {number(high)}, logarithm of the counts")
    if not has_labels:
        return svg
    digits = digits_between(low, high)
    ends = f"<span>{number(low, digits)}</span><span>log count</span><span>{number(high, digits)}</span>"
    return f"{svg}<div style='{_QUIET};display:flex;justify-content:space-between;max-width:{width}px'>{ends}</div>"


def _scale(stats, width, height):
    """A bar from the root mean square to the largest magnitude; as the axis is fixed, exploding tensors stand out."""
    n = stats.neg + stats.zero + stats.pos
    low, high = (float(stats.l2) / math.sqrt(n), float(stats.absmax)) if n else (0.0, 0.0)
    if not 0 < high < math.inf:
        return ""
    first, last = _DECADES
    places = [(math.log10(x) - first) / (last - first) if x > 0 else 0.0 for x in (min(low, high), high)]
    left, right = (min(max(place, 0.0), 1.0) * (width - 3) for place in places)
    unit = (0 - first) / (last - first) * (width - 3) + 1.5
    picture = (f"<path d='M{unit:.2f} 0V{height}' stroke='currentColor' stroke-dasharray='2 3' opacity='.5'/>"
               f"<rect x='{left:.2f}' y='2' width='{right - left + 3:.2f}' height='{height - 4}' fill='currentColor' opacity='.6'/>")
    label = f"root mean square {number(low)}, largest magnitude {number(high)}, from 1e{first} to 1e{last}"
    return _svg(f"<title>{label}</title>{picture}", width, height, label)


def _svg(inside, width, height, label):
    return (f"<svg role='img' aria-label='{escape(label, quote=True)}' viewBox='0 0 {width} {height}' width='{width}' "
            f"height='{height}' style='display:block;max-width:100%;min-width:{_IN_CELL}px;margin:4px 0'>{inside}</svg>")


# ---- numbers -----------------------------------------------------------------------------------------------------------


def _legend(stats):
    """The count of each kind that occurs, with its color."""
    items = [f"<span style='margin-right:1em;white-space:nowrap'><span style='color:{_COLORS[field]}'>&#9632;</span> "
             f"{escape(name)}: {amount(getattr(stats, field))}</span>" for field, name in KINDS if getattr(stats, field)]
    return f"<div>{''.join(items) or 'no elements'}</div>"


def _facts(stats):
    """The HTML of all single numbers, in three columns, down and then across."""
    facts = list(text.facts(stats)) if stats.neg + stats.zero + stats.pos else []
    n_rows = -(-len(facts) // 3)
    rows = [facts[i::n_rows] for i in range(n_rows)]
    cells = ["".join(f"<td style='{_LEFT};{_QUIET}'>{escape(name)}</td><td style='{_CELL};padding-right:28px'>{escape(value)}</td>"
                     for name, value in row) for row in rows]
    return _table(cells)


def _rows(rows, what, is_whole=False):
    """The HTML table of (name, statistics) of tensors, if `is_whole`, or of slices; `what` is the head of the names."""
    more = f"<div style='{_QUIET}'>and {amount(len(rows) - _MAX_ROWS)} more</div>" if len(rows) > _MAX_ROWS else ""
    return _titled([[(what, _LEFT, escape(name)), *_cells(stats, is_whole)] for name, stats in rows[:_MAX_ROWS]]) + more


def _cells(stats, is_whole):
    """[(head, style, HTML)] of the cells after the name."""
    digits = digits_between(stats.min, stats.max)
    texts = [("dtype", escape(stats.dtype)), ("shape", " × ".join(map(str, stats.shape)))] if is_whole else []
    pictures = [("", _pill(stats, _IN_CELL, 9)), ("", _histogram(stats, _IN_CELL, 18))]
    scale = [("scale", _scale(stats, _IN_CELL, 12))] if is_whole else []
    numbers = [(field, number(getattr(stats, field), DIGITS if field == "std" else digits))
               for field in ("min", "mean", "median", "std", "max")]
    counts = [("NaN", _count(stats.nan, "nan")),
              ("Inf", _count(stats.neg_inf + stats.pos_inf, "pos_inf" if np.any(stats.pos_inf) else "neg_inf"))]
    return ([(head, _LEFT, cell) for head, cell in texts + pictures + scale]
            + [(head, _CELL, "" if cell == "NaN" else cell) for head, cell in numbers + counts])


def _count(n, field):
    """A count of bad elements in their color; nothing for none."""
    return f"<b style='color:{_COLORS[field]}'>{amount(n)}</b>" if n else ""


def _titled(rows):
    """The HTML table of rows with heads, a row being [(head, style, HTML)] of its cells; nothing without rows."""
    if not rows:
        return ""
    heads = "".join(f"<th scope='col' style='{style}'>{head}</th>" for head, style, _ in rows[0])
    cells = ["".join(f"<td style='{style}'>{cell}</td>" for _, style, cell in row) for row in rows]
    return _table([heads, *cells])


def _table(rows):
    """An HTML table; `rows` are the HTML of their cells."""
    inside = "".join(f"<tr style='background:none'>{row}</tr>" for row in rows)
    return f"<table style='border-collapse:collapse;margin:4px 0;font-size:inherit;color:inherit'><tbody>{inside}</tbody></table>"
