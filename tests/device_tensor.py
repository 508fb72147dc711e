"""A tensor in emulated memory, by the CUDA array interface, and what a call adds to the counts of work on a device."""

from gpuplot import _native

__all__ = ["OnDevice", "counts_added"]


class OnDevice:
    """An array in emulated memory, by the CUDA array interface."""

    def __init__(self, emulator, values, device=0):
        self.memory = emulator.upload(values, device=device)
        self.__cuda_array_interface__ = {"shape": values.shape, "typestr": values.dtype.str, "version": 3, "stream": None,
                                         "data": (self.memory.pointer, False)}

    def __del__(self):
        self.memory.free()


def counts_added(call):
    """How much of each of `_native.cuda_counts` a call adds."""
    before = _native.cuda_counts(0)
    call()
    return {name: n - before[name] for name, n in _native.cuda_counts(0).items()}
