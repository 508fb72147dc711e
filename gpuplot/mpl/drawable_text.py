"""Texts from a tensor, such as names of columns, as matplotlib can draw them."""

import functools

from ..utf8 import writable


@functools.lru_cache(maxsize=1024)
def drawable(text):
    r"""The text; dollars between which matplotlib finds no formula that it can read are drawn as dollars.

    Examples
    --------
    >>> drawable(r"$\mu$ of runs"), drawable("$x_%$"), drawable("cost in $")
    ('$\\mu$ of runs', '\\$x_%\\$', 'cost in $')
    """
    text = writable(text)
    if text.count("$") < 2:
        return text
    from matplotlib.mathtext import MathTextParser

    try:
        MathTextParser("path").parse(text)
    except Exception:  # of matplotlib's parser, or of that of its fonts
        return text.replace("$", r"\$")
    return text
