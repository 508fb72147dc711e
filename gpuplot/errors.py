"""The exceptions and the warning that only gpuplot raises."""

__all__ = ["DeviceError", "GpuplotWarning", "UnsupportedError"]


class DeviceError(RuntimeError):
    """A device cannot be used: no driver, a driver that says no, or memory that cannot be reached.

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


class UnsupportedError(TypeError):
    """A kind of tensor that has no picture as it is; the message says how to turn it into one that has.

    Examples
    --------
    >>> import gpuplot
    >>> try:
    ...     gpuplot.to_rgba(["a", "b"])
    ... except gpuplot.UnsupportedError as error:
    ...     print(str(error).partition(":")[0])
    Image data of dtype <U1 cannot be converted to float
    """


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
