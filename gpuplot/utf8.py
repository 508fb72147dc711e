"""Replaces what UTF-8 cannot encode in text from outside."""


def writable(text):
    r"""The text with lone surrogates, which stand for no character, as escapes: ``"\ud800"`` becomes ``"\\ud800"``."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def writable_content(content):
    """JSON content in which all texts are `writable`."""
    if isinstance(content, str):
        return writable(content)
    if isinstance(content, dict):
        return {writable_content(key): writable_content(value) for key, value in content.items()}
    return [writable_content(part) for part in content] if isinstance(content, (list, tuple)) else content
