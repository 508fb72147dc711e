"""The exceptions and the warning that only gpuplot raises, and texts for the messages of any error."""

import contextlib
import re

# Most characters of another library's message.
MAX_OF_REASON = 200

# Most characters of one of ours.
MAX_OF_MESSAGE = 2000


class DeviceError(RuntimeError):
    """A device cannot be used: no driver, an error of the driver, or memory that cannot be reached.

    Attributes
    ----------
    call : str or None
        The call of the driver that failed, such as ``"cuMemAlloc"``; None where none did.
    code : str or None
        The driver's name for what went wrong, such as ``"CUDA_ERROR_OUT_OF_MEMORY"``.

    Examples
    --------
    >>> import gpuplot
    >>> issubclass(gpuplot.DeviceError, RuntimeError)
    True
    """

    call = None
    code = None


class ChunkError(RuntimeError):
    """A chunk of an array cannot be read or computed, or is not what was announced; the cause is chained.

    Attributes
    ----------
    index : tuple of int or None
        Of the chunk in the grid of all; None where nobody knows which one it was.

    Examples
    --------
    >>> import gpuplot
    >>> issubclass(gpuplot.ChunkError, RuntimeError)
    True
    """

    def __init__(self, message, index=None):
        super().__init__(message)
        self.index = index


class UnsupportedError(TypeError):
    """A kind of object that cannot be read as it is; the message says how to turn it into one that can.

    Examples
    --------
    >>> import gpuplot
    >>> try:
    ...     gpuplot.to_rgba(["a", "b"])
    ... except gpuplot.UnsupportedError as error:
    ...     print(str(error).partition(":")[0])
    elements of dtype <U1 are not numbers
    """

    of_image = None


class GpuplotWarning(UserWarning):
    """The picture is right but something about it may surprise: values were clipped, points were dropped.

    Examples
    --------
    >>> import warnings, gpuplot
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", gpuplot.GpuplotWarning)
    ...     gpuplot.to_rgba([[[0.5, 1.5, 0.0]]])[0, 0].tolist()
    [127, 255, 0, 255]
    """


def no_numbers(dtype, hint):
    """The error for elements that are text, dates, objects; `hint` says what to do. Of images it speaks in matplotlib's words."""
    error = UnsupportedError(f"elements of dtype {dtype} are not numbers: {hint}")
    error.of_image = f"Image data of dtype {dtype} cannot be converted to float: {hint}"
    return error


# What always helps where another library does not lend its memory.
COPY_HINT = "copy its numbers into a NumPy array and give that"


def reason_of(error):
    """The first line of another library's exception, or its type where that is empty, as the end of our sentence."""
    try:
        lines = str(error).splitlines() if not isinstance(error, KeyError) else [repr(error)]
    except Exception:  # an exception that cannot be told
        lines = []
    return (lines or [""])[0].strip().rstrip(".")[:MAX_OF_REASON] or type(error).__name__


def is_foreign(error):
    """Whether the code of another library, or of the user, raised a caught exception, and not gpuplot's."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    name = "" if step is None else str(step.tb_frame.f_globals.get("__name__", ""))
    return name.partition(".")[0] != __name__.partition(".")[0]


def shorten(error):
    """Cuts the middle out of a very long message of gpuplot's: it quotes the value of a parameter, which may be of any length."""
    message = error.args[0] if len(error.args) == 1 else None
    if type(message) is str and len(message) > MAX_OF_MESSAGE and not is_foreign(error):
        half = MAX_OF_MESSAGE // 2
        error.args = (f"{message[:half]} ... {message[-half:]}",)


def value_text(value):
    """The value of a parameter for a message, in one line; in place of a tensor, an array or what has no text its type and shape.

    The text of a tensor on a GPU would wait for the device and copy, and that of a freed one ends the program.
    """
    kind = type(value)
    try:
        shape = getattr(value, "shape", None)
        is_tensor = hasattr(kind, "__dlpack__") or hasattr(kind, "__array__")
        if not (is_tensor and shape is not None and len(shape)):
            return " ".join(repr(value).split()) if issubclass(kind, (list, tuple)) else repr(value).partition("\n")[0]
        return f"{type_text(kind)} of shape {tuple(shape)}"
    except Exception:  # whatever an object raises
        return type_text(kind)


def type_text(kind):
    """A class for a message, with its article: ``"a list"``, ``"an Array"``, ``"an ndarray"``, ``"an UninitializedBuffer"``."""
    name = kind.__name__
    return f"{'an' if name.startswith((*'AEIOaeio', 'nd', 'Unin')) else 'a'} {name}"


def listed(names, most):
    """The first names for a message: ``"a, b, ..."`` where there are more than so many."""
    names = list(names)
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


@contextlib.contextmanager
def naming(name):
    """Errors about the value of a parameter, inside the block, begin with its name."""
    try:
        yield
    except (UnsupportedError, ValueError) as error:
        message = error.args[0] if len(error.args) == 1 else None
        if type(message) is str and not re.match(rf"{name}\b", message):
            error.args = (f"{name}: {message}",)
        raise


@contextlib.contextmanager
def naming_entry(name):
    """An error for what cannot be read of a collection, inside the block, says which entry it is, and that it can be left out."""
    try:
        yield
    except UnsupportedError as error:
        error.args = (f"{str(name)!r}: {error}; or leave it out",)
        raise


def size_text(n_bytes):
    """A number of bytes for a message, in the largest unit of which there is one: ``"80 MB"``, where MB is 2^20 bytes."""
    units = ["B", "KB", "MB", "GB", "TB"]
    while n_bytes >= 1024 and len(units) > 1:
        n_bytes /= 1024
        del units[0]
    return f"{n_bytes:{'.3g' if n_bytes < 999.5 else '.0f'}} {units[0]}"  # .3g writes 1000 as 1e+03
