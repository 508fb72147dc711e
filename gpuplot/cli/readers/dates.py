"""Texts of points in time, as ISO 8601 writes them, or with the day or the month first, -> datetime64."""

import datetime
import re

import numpy as np

# The usual orders. 03/04/2026 is a day in March or in April: only of a whole column it may be known which. Years of two digits are read
# between slashes alone, as 1.12.26 may be a version.
_TIME = r"(?P<time>[T ].*)?"
_ORDERS = [re.compile(order + _TIME) for order in (
    r"(?P<year>\d{4})[-/](?P<month>\d{1,2})(?:[-/](?P<day>\d{1,2}))?",
    r"(?P<day>\d{1,2})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<year>\d{4})",
    r"(?P<month>\d{1,2})(?P<mark>[-/.])(?P<day>\d{1,2})(?P=mark)(?P<year>\d{4})",
    r"(?P<year>\d{2})/(?P<month>\d{1,2})/(?P<day>\d{1,2})",
    r"(?P<day>\d{1,2})/(?P<month>\d{1,2})/(?P<year>\d{2})",
    r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{2})")]

# The first hour of the second half of a day is 12 PM, that of the first half 12 AM.
_HALF_OF_DAY = re.compile(r"(?P<mark>[T ])(?P<hour>0?[1-9]|1[0-2])(?P<rest>(:\d{2}){0,2}(\.\d+)?)\s?(?P<half>[AP])M", re.IGNORECASE)

# Years of two digits are those from 1969 to 2068, as in POSIX.
_FIRST_YEAR = 69


def dates_in(words):
    """An array of datetime64, in UTC where words have time zones, masked where a word is empty; None if not exactly one order fits all."""
    found = readings(words)
    return found[0] if len(found) == 1 else None


def readings(words):
    """The arrays of `dates_in` of each order of year, month and day that fits all words: none of texts, several where the order is open."""
    words = [word.strip() for word in words]
    found = [_read(words, order) for order in _ORDERS] if any(words) else []
    return [dates for dates in found if dates is not None]


def _read(words, order):
    """The dates of words in one order; None where one is none."""
    try:
        dates = np.array([_date(order.fullmatch(word)) if word else "NaT" for word in words], "datetime64[us]")
    except (ValueError, OverflowError):  # a date of another time zone may be none of the years from 1 to 9999 in UTC
        return None
    is_empty = np.isnat(dates)
    return np.ma.array(dates, mask=is_empty) if is_empty.any() else dates


def _date(found):
    """The date of a match; ValueError where there is none."""
    if found is None:
        raise ValueError
    parts = found.groupdict()
    date = datetime.datetime.fromisoformat(f"{_year(parts['year'])}-{parts['month']:0>2}-{parts['day'] or '1':0>2}{_time(parts['time'])}")
    return date if date.tzinfo is None else date.astimezone(datetime.UTC).replace(tzinfo=None)


def _year(digits):
    """The four digits of a year of two or four."""
    return digits if len(digits) == 4 else f"{19 if int(digits) >= _FIRST_YEAR else 20}{digits}"


def _time(text):
    """The time of a day, or None, as ISO 8601 writes it."""
    text = text or ""
    half = _HALF_OF_DAY.fullmatch(text)
    if half is not None:
        hour = int(half["hour"]) % 12 + (12 if half["half"] in "pP" else 0)
        return f"{half['mark']}{hour:02}{half['rest']}"
    return re.sub(r"^(.)(\d:)", r"\g<1>0\2", text)
