"""Errors about keywords of a function -> errors about the options that the user typed: vmin=3 is --vmin 3."""

import re

# Names of options that are words of English, too: alone they stay as they are.
_WORDS = set("x y index reduce norm limits center labels alpha aspect origin extent interpolation shape view grid width force help output "
             "pixels range bins weights density color label title titles spread align orientation bottom stacked cumulative log padding "
             "normalize stats version terminal traceback gamma url robust nan metadata marker hatch".split())
_VALUE = r"""'[^']*'|"[^"]*"|\{[^}]*\}|\([^)]*\)|\[[^\]]*\]|[^\s,;:'"(){}\[\]]+"""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")

# What to do in Python, and what in a shell.
_SHELL = [(re.compile(python), shell) for python, shell in (
    (r"or choose some, such as \w+\[[\d:, ]+\], or another axis", "or choose another axis"),
    (r"; or choose some, such as \w+\[[\d:, ]+\](?=;)", ""),
    (r"gpuplot\.imshow shows all$", "gpuplot FILE shows all as a picture"),
    (r"range=\(\(x0, x1\), \(y0, y1\)\)", "--range x0,x1,y0,y1"),
    (r"range=.* must be a pair of numbers \(first, last\)", "--range takes two numbers, such as --range=-1,1"),
    (r"; or sort both by x, such as .*$", ""),
    (r": plot its parts, such as .*$", ": gpuplot FILE --complex-mode real shows a part of it as a picture"),
    (r": give its abs\(\), \.real or \.imag(?=$|; or leave it out$)", ": gpuplot FILE --complex-mode real shows a part of it as a picture"),
    (r"must be True, or a dict of keywords for Figure\.colorbar, such as \{.*\}",
     "is no keyword of Figure.colorbar: let it stand alone, or give some, such as --colorbar=location=bottom"),
)]


def printable(text):
    r"""A text of one line from a file, such as a name, whose control characters are escapes: a terminal would obey them.

    Examples
    --------
    >>> printable("layer.0\x1b[2J\n")
    'layer.0\\x1b[2J\\n'
    """
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


def printable_lines(value):
    """The text of a value, each line of it `printable`."""
    return "\n".join(map(printable, str(value).split("\n")))


def as_options(text, options):
    """The text of an error with keywords written as options, and advice for Python replaced by that for a shell.

    Parameters
    ----------
    text : str
    options : dict of str to Option
        Those of the command.

    Examples
    --------
    >>> from gpuplot.cli.options import options_of
    >>> as_options("gamma='x' must be a number above zero", options_of("picture"))
    '--gamma x must be a number above zero'
    >>> as_options("vmin (3.0) must be less than vmax: leave vmin out; such as reduce={0: 'mean'}, or rgb=0", options_of("picture"))
    '--vmin (3.0) must be less than --vmax: leave --vmin out; such as --reduce 0=mean, or --rgb=0'
    """
    for python, shell in _SHELL:
        text = python.sub(shell, text)
    names = "|".join(sorted(options, key=len, reverse=True))
    text = re.sub(rf"(?<![\w.'\"=-])({names})=(?!=)({_VALUE})?", lambda found: _typed(options[found[1]], found[2]), text)
    text = re.sub(rf"^({names})(?=:| must| has | is )", lambda found: options[found[1]].written, text)

    def written(found):
        is_english = found[1] in _WORDS and not _is_left_out(text, found)
        return found[1] if is_english else options[found[1]].written

    return re.sub(rf"(?<![\w.'\"=-])({names})(?![\w='\"(-]|\.\w)", written, text)


def _is_left_out(text, found):
    """Whether a word stands in "leave WORD out"."""
    return text[:found.start()].endswith("leave ") and text[found.end():].startswith(" out")


def _typed(option, value):
    """An option with the value that a keyword has in Python."""
    if value is None:
        return option.written
    if value in ("True", "False") and option.is_flag:
        return option.written if value == "True" else f"--no-{option.written[2:]}"
    typed = re.sub(r"[(){}\[\]'\"]", "", value).replace(": ", "=").replace(", ", ",").rstrip(",")
    return f"{option.written}{'=' if option.is_flag else ' '}{typed}"
