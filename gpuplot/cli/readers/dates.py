"""Texts of points in time, as ISO 8601 writes them, or with the day or the month first, -> datetime64."""

import datetime
import re

import numpy as np

# The usual orders. 03/04/2026 is a day in March or in April: only of a whole column it may be known which.
_TIME = r"(?P<time>[T ].*)?"
_ORDERS = [re.compile(order + _TIME) for order in (
    r"(?P<year>\d{4})[-/](?P<month>\d{1,2})(?:[-/](?P<day>\d{1,2}))?",
    r"(?P<day>\d{1,2})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<year>\d{4})",
    r"(?P<month>\d{1,2})(?P<mark>[-/.])(?P<day>\d{1,2})(?P=mark)(?P<year>\d{4})")]


def dates_in(words):
    """An array of datetime64, in UTC where words have time zones, masked where a word is empty; None if not exactly one order fits all."""
    found = readings(words)
    return found[0] if len(found) == 1 else None


def readings(words):
    """The arrays of `dates_in` of each order of year, month and day that fits all words: none of texts, two where the order is open."""
    words = [word.strip() for word in words]
    found = [_read(words, order) for order in _ORDERS] if any(words) else []
    return [dates for dates in found if dates is not None]


def _read(words, order):
    """The dates of words in one order; None where one is none."""
    try:
        dates = np.array([_date(order.fullmatch(word)) if word else "NaT" for word in words], "datetime64[us]")
    except ValueError:
        return None
    is_empty = np.isnat(dates)
    return np.ma.array(dates, mask=is_empty) if is_empty.any() else dates


def _date(found):
    """The date of a match; ValueError where there is none."""
    if found is None:
        raise ValueError
    parts = found.groupdict()
    time = re.sub(r"^(.)(\d:)", r"\g<1>0\2", parts["time"] or "")
    date = datetime.datetime.fromisoformat(f"{parts['year']}-{parts['month']:0>2}-{parts['day'] or '1':0>2}{time}")
    return date if date.tzinfo is None else date.astimezone(datetime.UTC).replace(tzinfo=None)
