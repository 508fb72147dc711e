"""An array spread over threads that stand for processes, which meet in a gather that is counted: JAX's and torch's part without them."""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from gpuplot.arrays.describe import describe
from gpuplot.arrays.shards import Shard, ShardedSource, Spread

__all__ = ["Processes", "boxes_of"]


def boxes_of(shape, *cuts):
    """The boxes of a grid, row by row; `cuts` has the inner edges along each axis."""
    edges = [[0, *inner, n] for inner, n in zip(cuts, shape, strict=True)]
    return list(itertools.product(*map(itertools.pairwise, edges)))


class Processes:
    """`n` threads that stand for processes, each with some parts of an array.

    Parameters
    ----------
    array : ndarray
    parts : list of (box, int)
        As of `Spread`.
    n : int
        How many processes there are.
    addends : list of ndarray, optional
        What each process has in place of the array, where elements are sums.
    devices : callable, optional
        The device of a box.
    """

    def __init__(self, array, parts, n, addends=None, devices=None):
        self.array, self.parts, self.n, self.addends, self.devices = array, parts, n, addends, devices or (lambda box: None)
        self.looked_at, self.gathered = [], []
        self._barrier, self._words = threading.Barrier(n, timeout=20), [None] * n

    def source(self, process):
        """The array as one of the processes describes it."""
        spread = Spread("JAX", "JAX array", self.array.shape, describe(self.array).dtype, self.parts, process, self.n,
                        lambda owner: self._shards(process), lambda words: self._gather(process, words), "together(X)", "part(X)",
                        1 if self.addends is None else self.n)
        return ShardedSource(self.array, spread)

    def _shards(self, process):
        whole = self.array if self.addends is None else self.addends[process]
        self.looked_at.append(process)
        here = [box for box, holder in self.parts if holder == process]
        return [Shard(box, whole[tuple(slice(*ends) for ends in box)], self.devices(box)) for box in here]

    def _gather(self, process, words):
        assert words.dtype == np.uint32
        self._words[process] = words.copy()
        self._barrier.wait()
        rows = np.stack(self._words)
        if self._barrier.wait() == 0:
            self.gathered.append(rows.nbytes)
        return rows

    def all_do(self, call):
        """The result of ``call(source)`` in each process, or the exception that it raises."""
        def one(process):
            try:
                return call(self.source(process))
            except Exception as error:
                return error

        with ThreadPoolExecutor(self.n) as pool:
            return list(pool.map(one, range(self.n)))
