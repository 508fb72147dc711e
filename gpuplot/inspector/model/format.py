"""Numbers as texts: exact in the tensor's own dtype, or short enough for a cell of the picture."""

import math

import numpy as np

# Characters that fit into a small cell of the picture, and the most that a page may ask for.
SHORTEST, SHORT, LONGEST = 5, 7, 24


def exact_text(value):
    """A number with all its digits: read back in its own dtype it is the same.

    Parameters
    ----------
    value : NumPy scalar, Python number or masked
        bfloat16 and the 8-bit floats as float32, which holds each of their values.

    Examples
    --------
    >>> import numpy as np
    >>> exact_text(np.int64(2**53 + 1)), exact_text(np.float32(0.1)), exact_text(np.complex64(1 - 2j))
    ('9007199254740993', '0.1', '1-2j')
    """
    if value is np.ma.masked:
        return "masked"
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return str(value)
    if isinstance(value, (complex, np.complexfloating)):
        imaginary = _float_text(value.imag)
        return f"{_float_text(value.real)}{'' if imaginary[0] in '+-' else '+'}{imaginary}j"
    return _float_text(value)


def _float_text(value):
    """The shortest text from which the number is read back, without the ``.0`` of whole ones."""
    return _special(value) or str(value).removesuffix(".0")


def _special(value):
    """The text of a float that is not finite, "" for others."""
    if value != value:
        return "NaN"
    if abs(value) == math.inf:
        return "+Inf" if value > 0 else "-Inf"
    return ""


def rough_text(value):
    """A float in six digits, for numbers that are computed."""
    return _special(value) or f"{value:.6g}"


def short_text(value, room=SHORT, digits=7):
    """A number in at most `room` characters: exact where that fits, else rounded, with at most `digits` digits.

    Examples
    --------
    >>> [short_text(value) for value in (123456, 3.14159265, -3.683e-4, 1e100, float("inf"), 2**40)]
    ['123456', '3.14159', '-3.7e-4', '1e100', '+Inf', '1.1e12']
    >>> short_text(2**40, 13), short_text(3.14159265, 13), short_text(3.14159265, 13, digits=4)
    ('1099511627776', '3.141593', '3.142')
    """
    if value is np.ma.masked:
        return "--"
    if isinstance(value, (bool, np.bool_)):
        return str(value)
    number = _as_float(value)
    exact = exact_text(value)
    is_whole = exact.lstrip("-").isdigit()
    if len(exact) <= room and (is_whole or number != number or abs(number) == math.inf):
        return exact
    return _special(number) or _rounded(number, room, digits)


def _as_float(value):
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _rounded(number, room, most_digits):
    """As many digits as fit; with an exponent if that is shorter."""
    for digits in range(min(most_digits, room), 0, -1):
        for text in (f"{number:.{digits}g}", f"{number:.{digits - 1}e}"):
            text = _plain_exponent(text)
            if len(text) <= room:
                return text
    return text


def _plain_exponent(text):
    """``1e-07`` is ``1e-7``, ``1e+20`` is ``1e20``."""
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if e else text


def scale_text(value, step):
    """A number for a scale, with as many digits as distinguish it from numbers a `step` away.

    Examples
    --------
    >>> [scale_text(*one) for one in ((0.30000000000000004, 0.1), (1000.5, 0.5), (2e6, 5e5), (1e-5, 1e-5), (0, 1))]
    ['0.3', '1000.5', '2e6', '1e-5', '0']
    """
    if not value:
        return "0"
    digits = max(0, math.floor(math.log10(abs(value))) - math.floor(math.log10(step) + 1e-9))
    text = f"{value:.{min(digits, 16)}e}"
    plain = str(float(text)).removesuffix(".0")
    if 1e-4 <= abs(value) < 1e6:
        return plain
    mantissa, _, exponent = text.partition("e")
    short = f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}e{int(exponent)}"
    return min(plain, short, key=len)


def clipped_text(text, room=SHORT):
    """A name short enough for a cell."""
    return text if len(text) <= room else text[:room - 1] + "…"
