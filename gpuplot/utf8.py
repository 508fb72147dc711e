"""Texts of other people's making as UTF-8 can hold them, which files, pages and messages are written in."""

from __future__ import annotations

__all__ = ["writable", "writable_content"]


def writable(text):
    r"""The text, with halves of surrogate pairs, which stand for no character, spelt out.

    Examples
    --------
    >>> writable("layer \ud800 é") == "layer \\ud800 é"
    True
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def writable_content(content):
    """What JSON is made of, with all texts in it `writable`."""
    if isinstance(content, str):
        return writable(content)
    if isinstance(content, dict):
        return {writable_content(key): writable_content(value) for key, value in content.items()}
    return [writable_content(part) for part in content] if isinstance(content, (list, tuple)) else content
