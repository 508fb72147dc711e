"""Arrays for tests of dask: random numbers, stores and functions that count reads, and the schedulers of one process."""

import threading

import numpy as np

__all__ = ["SCHEDULERS", "Store", "counted_reads", "normal"]

SCHEDULERS = ({"scheduler": "synchronous"}, {"scheduler": "threads", "num_workers": 1}, {"scheduler": "threads", "num_workers": 7})


def normal(*shape):
    """Normal float32 numbers, the same at every call."""
    return np.random.default_rng(1).normal(size=shape).astype("float32")


def counted_reads(read, dtype):
    """A dask array of 2000 elements; the chunks that are computed are appended to a list."""
    import dask.array as da

    def note(chunk):
        read.append(chunk)
        return chunk.astype(dtype)

    return da.zeros(2000, chunks=500).map_blocks(note, dtype=dtype, meta=np.empty(0, dtype))


class Store:
    """An array of an unknown library that is read by slices, and counts them."""

    def __init__(self, array, chunks):
        self._array, self.chunks = array, chunks
        self.shape, self.dtype, self.ndim = array.shape, array.dtype, array.ndim
        self.reads, self._lock = [], threading.Lock()

    def __getitem__(self, part):
        with self._lock:
            self.reads.append(part)
        return self._array[part]
