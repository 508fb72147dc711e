"""A parameter that is one number -> a float, or an error that names the parameter."""

import math
import operator
from decimal import Decimal
from numbers import Complex, Real

import numpy as np

from .optional_imports import answers_everything, attribute


def number_in(value):
    """The float in a real number, or in an array or tensor of one element; None for anything else, such as ``[2]`` or ``"2"``."""
    if answers_everything(value):
        return None
    try:
        if np.ma.is_masked(value):
            return None
        if callable(getattr(type(value), "item", None)):
            value = value.item()
        if isinstance(value, Complex) and not isinstance(value, Real):
            return None  # NumPy would drop the imaginary part
        is_scalar_tensor = attribute(value, "shape") is not None and hasattr(type(value), "__float__")  # without item(): TensorFlow's
        return float(value) if isinstance(value, (Real, Decimal)) or is_scalar_tensor else None
    except OverflowError:
        return (math.inf if value > 0 else -math.inf) if isinstance(value, Real) else None
    except Exception:  # libraries differ in how they refuse several elements
        return None


def integer_in(value):
    """The int in an integer of Python or NumPy; None for bool and anything else."""
    try:
        return None if isinstance(value, (bool, np.bool_)) else operator.index(value)
    except Exception:  # libraries differ in how they refuse
        return None


def one_number(name, value):
    """The value of a numeric parameter as a float, None for None; TypeError names the parameter."""
    number = None if value is None else number_in(value)
    if number is None and value is not None:
        shape = attribute(value, "shape")
        raise TypeError(f"{name} must be a number or None, not {type(value).__name__}"
                        + (f" of shape {shape}" if isinstance(shape, tuple) and shape else ""))
    return number
