"""An array in chunks -> a NumPy array: batches of chunks, each converted where it is read."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays.chunk_checks import slices_of
from ..arrays.chunk_elements import source_of_chunk
from ..arrays.chunked_source import check_n_chunks
from ..arrays.dtypes import ITEM_BYTES
from .output import Layout, empty, masked_error, numpy_dtype, shows_nan

# Most bytes of a batch of converted chunks.
BATCH_BYTES = 128 * 2**20


@dataclass(frozen=True)
class CopyOfChunk:
    """A task: chunk of elements of `dtype` -> ``[(index, host array of dtype name)]``; `convert` is `asnumpy`, pickled by its name."""

    convert: Callable
    dtype: str
    name: str

    def __call__(self, elements, index):
        return [(index, self.convert(source_of_chunk(elements, self.dtype, index), numpy_dtype(self.name)))]

    @staticmethod
    def together(found):
        """The arrays of several chunks as one list."""
        return [one for part in found for one in part]


class ChunkedWork:
    """The conversion of a `ChunkedSource`, ready to run in any thread; arguments are checked ones of `asnumpy`, and `asnumpy`."""

    def __init__(self, source, name, order, out, convert):
        # `asnumpy` itself shows the progress over all batches.
        check_n_chunks(math.prod(map(len, source.chunks)))
        self._source, self._name, self._convert = source.run_by(progress=False), name, convert
        strides = np.cumprod([ITEM_BYTES[source.dtype], *source.shape[:0:-1]])[::-1]
        self._result = empty(Layout(source.shape, strides, ITEM_BYTES[source.dtype]), name, order) if out is None else out
        if out is None and source.is_masked and not shows_nan(name):
            self._result = np.ma.MaskedArray(self._result, np.zeros(source.shape, bool))
        self.n_bytes = self._result.nbytes

    def __call__(self, progress):
        n_done, work = 0, CopyOfChunk(self._convert, self._source.dtype, self._name)
        for batch in self._batches():
            for index, block in work.together(self._source.run([batch], work, work.together)):
                self._put(slices_of(self._source.chunks, index), block)
                n_done += block.size
            progress.note(n_done, self._source.size)
        return self._result

    def _put(self, where, block):
        is_plain = not isinstance(self._result, np.ma.MaskedArray)
        if is_plain and np.ma.is_masked(block):
            raise masked_error(self._name)
        self._result[where] = np.ma.getdata(block) if is_plain else block

    def _batches(self):
        """Yields lists of indices of chunks, in the order of the grid, of at most BATCH_BYTES each or one chunk."""
        item_bytes, batch, n_bytes = ITEM_BYTES[self._name], [], 0
        for index in itertools.product(*(range(len(sizes)) for sizes in self._source.chunks)):
            size = item_bytes * math.prod(sizes[k] for sizes, k in zip(self._source.chunks, index, strict=True))
            if batch and n_bytes + size > BATCH_BYTES:
                yield batch
                batch, n_bytes = [], 0
            batch.append(index)
            n_bytes += size
        yield batch
