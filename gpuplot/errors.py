"""The exceptions and the warning that only gpuplot raises."""

__all__ = ["DeviceError", "GpuplotWarning", "UnsupportedError"]


class DeviceError(RuntimeError):
    """A device cannot be used: no driver, a driver that says no, or memory that this build cannot reach.

    Examples
    --------
    >>> from gpuplot.errors import DeviceError
    >>> issubclass(DeviceError, RuntimeError)
    True
    """


class UnsupportedError(TypeError):
    """A kind of tensor that has no picture as it is; the message says how to turn it into one that has.

    Examples
    --------
    >>> from gpuplot.errors import UnsupportedError
    >>> issubclass(UnsupportedError, TypeError)
    True
    """


class GpuplotWarning(UserWarning):
    """The picture is right but something about it may surprise: values were clipped, points were dropped.

    Examples
    --------
    >>> import warnings
    >>> from gpuplot.errors import GpuplotWarning
    >>> warnings.simplefilter("ignore", GpuplotWarning)
    """
