"""Arguments of the command line as Python values: numbers, sequences of numbers, and name=value pairs."""

import re

_WORDS = {"true": True, "false": False}
_BRACKETS = re.compile(r"[()\[\]]")
_SLICE = re.compile(r"(-?\d+)?:(-?\d+)?(:(-?\d+)?)?")


def value_of(text, is_text=False):
    """Converts an argument to a value.

    Parameters
    ----------
    text : str
    is_text : bool
        Single words stay text, as colors must: "0.5" is a gray.

    Returns
    -------
    object
        ``a=1,b=2`` is a dict, ``1,2`` a tuple, which may have brackets, ``2:5`` a slice; else a bool, an int or a float where the
        text is one, and the text.

    Examples
    --------
    >>> value_of("2,98"), value_of("time=3,0=2:5"), value_of("magma"), value_of("-1e-3"), value_of("true")
    ((2, 98), {'time': 3, 0: slice(2, 5, None)}, 'magma', -0.001, True)
    >>> value_of("0.5", is_text=True)
    '0.5'
    """
    text = _without_brackets(text)
    parts = [part for part in text.split(",") if part] or [text]  # "," alone is a marker
    if all("=" in part for part in parts):
        pairs = (part.split("=", 1) for part in parts)
        return {_word(key): value if is_text else _word(value) for key, value in pairs}
    if "," in text and parts != [text]:
        return tuple(map(_word, parts))
    return text if is_text else _word(text)


def labels_of(text):
    """A label, or a tuple of several with commas between them: ``lr=0.1`` and ``2026`` are texts, too."""
    labels = tuple(label for label in text.split(",") if label)
    return labels if labels and labels != (text,) else text


def _without_brackets(text):
    """A text without the brackets around numbers and slices with commas, ``(-1,1)``; another text unchanged."""
    if not re.match(r"\s*[(\[].*,.*[)\]]\s*$", text):
        return text
    bare = _BRACKETS.sub("", text)
    words = [_word(part) for part in bare.split(",") if part.strip()]
    return bare if words and all(type(word) in (int, float, slice) for word in words) else text


def _word(text):
    """One value without commas."""
    if _SLICE.fullmatch(text.strip()):
        text = text.strip()
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if ":" in text and _SLICE.fullmatch(text):
        return slice(*(int(part) if part else None for part in text.split(":")))
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
