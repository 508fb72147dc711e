"""Texts of points in time, as ISO 8601 writes them, -> datetime64."""

import datetime
import re

import numpy as np

# Years come first: 03/04/2026 is a day in March or in April.
_BEGINNING = re.compile(r"\d{4}[-/]\d{1,2}\b")


def dates_in(words):
    """An array of datetime64, in UTC where words have time zones, masked where a word is empty; None if a word is no date."""
    words = [word.strip() for word in words]
    if not any(words) or not all(_BEGINNING.match(word) for word in words if word):
        return None
    try:
        dates = np.array([_date(word) if word else "NaT" for word in words], "datetime64[us]")
    except ValueError:
        return None
    is_empty = np.isnat(dates)
    return np.ma.array(dates, mask=is_empty) if is_empty.any() else dates


def _date(word):
    day, *rest = re.split(r"(?=[T ])", word.replace("/", "-"), maxsplit=1)
    year, month, *days = day.split("-")
    date = datetime.datetime.fromisoformat("".join([f"{year}-{month:0>2}-{''.join(days) or '1':0>2}", *rest]))
    return date if date.tzinfo is None else date.astimezone(datetime.UTC).replace(tzinfo=None)
