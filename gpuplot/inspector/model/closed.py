"""The error of an inspector that was closed."""


def closed_error():
    """The error of everything that a closed inspector cannot do."""
    return RuntimeError("this inspector was closed and has let its tensor go: call gpuplot.inspect again, or gpuplot.watch "
                        "for the model that it watched")
