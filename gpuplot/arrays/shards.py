"""ShardedSource: an array spread over devices, possibly of several processes; each shard is reduced on its device."""

from __future__ import annotations

import itertools
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ..errors import ChunkError, UnsupportedError, size_text
from . import cuda_devices
from .chunked_source import Advice, ChunkedSource
from .chunks_together import Together
from .exchange import exchange
from .source import Source

# Size of a pickled result without its numbers.
OVERHEAD_BYTES = 2048


class Shard(NamedTuple):
    """A part of an array in this process."""

    box: tuple  # (begin, end) along each axis
    data: Any
    device: Any  # key of the shard's device, to reduce those of several devices at once; None for host memory


@dataclass(frozen=True)
class Spread:
    """Where the parts of an array lie, as its library reports it without reading elements.

    Attributes
    ----------
    framework, kind : str
        "JAX" or "torch", and "JAX array" or "DTensor", for messages.
    shape : tuple of int
    dtype : str
    parts : list of (tuple, int)
        The box of each part, (begin, end) along each axis, and its process, in the same order in every process. The first of
        equal copies is used.
    process, n_processes : int
        Number of this process, and how many share the array. `process` is -1 where this process is none of them.
    n_addends : int
        How many processes hold an addend of each element; 1 where elements are whole.
    local : callable
        ``local(owner)``: the `Shard` of this process as they are now.
    gather : callable
        As in `exchange.exchange`.
    remedy, part : str
        The code that puts the array together, and the code for the part of this process.
    """

    framework: str
    kind: str
    shape: tuple
    dtype: str
    parts: list
    process: int
    n_processes: int
    local: Any
    gather: Any
    remedy: str
    part: str
    n_addends: int = 1


class ShardedChunks:
    """The engine of a `ShardedSource`: its chunks are the shards.

    Parameters
    ----------
    owner : object
        The caller's array.
    spread : Spread
    is_collective : bool
        Whether all processes call `run` together and get the same results.
    stream : object
        As in `describe`.
    """

    def __init__(self, owner, spread, is_collective=False, stream=None):
        self._owner, self._spread, self.is_collective, self._stream = owner, spread, is_collective, stream
        self.chunks, self._index_of = grid_of(spread.shape, [box for box, _ in spread.parts])
        if self.chunks is None:
            raise UnsupportedError(f"the {spread.kind} of shape {spread.shape} has shards that do not form a grid: put it together, "
                                   f"{spread.remedy}")
        self._holders = {}
        for box, process in spread.parts:
            if box in self._index_of:
                self._holders.setdefault(self._index_of[box], []).append(process)
        self._mine = {index for index, processes in self._holders.items() if spread.process in processes}

    @property
    def has_all(self):
        """Whether this process has a copy of every shard, with all addends."""
        return self._spread.n_addends == 1 and len(self._mine) == len(self._holders)

    @property
    def is_alike_everywhere(self):
        """Whether every process has a copy of every shard, so that no exchange is needed."""
        processes = set(range(self._spread.n_processes))
        return self._spread.n_addends == 1 and all(processes <= set(holders) for holders in self._holders.values())

    def is_here(self, index):
        """Whether a shard lies in this process."""
        return index in self._mine

    def collectively(self):
        """The engine for a call that all processes make together."""
        return ShardedChunks(self._owner, self._spread, not self.is_alike_everywhere, self._stream)

    def beside(self, others):
        """The engine of these shards and those of other arrays with equal shards, as `Together` at each place of the grid."""
        engines = [self, *others]
        if any(not isinstance(other, ShardedChunks) or other._spread.parts != self._spread.parts for other in others):
            raise UnsupportedError(f"these arrays have shards on different devices but are read together: put them together, "
                                   f"{self._spread.remedy}")

        def local(owner):
            shards = [engine._spread.local(engine._owner) for engine in engines]
            return [Shard(same[0].box, Together(*(shard.data for shard in same)), same[0].device) for same in zip(*shards, strict=True)]

        return ShardedChunks(self._owner, replace(self._spread, local=local), self.is_collective, self._stream)

    def run(self, tiles, work, join, watch):
        """See `ChunkedSource.run`; `watch` is not called. Results for shards of other processes come by one gather."""
        every = [index for tile in tiles for index in tile]
        if not self.is_collective:
            found = self._results_here(work, [index for index in every if index in self._mine])
            found = {index: [result] for index, result in found.items()}
        else:
            found = self._results_of_all(work, every)
        parts = [[result for index in tile for result in found.get(index, ())] for tile in tiles]
        return [join(part) for part in parts if part]

    def values_of_all(self, value):
        """A picklable value of each process, in their order; each calls it."""
        self._check_takes_part()
        return exchange(lambda: value, OVERHEAD_BYTES, self._spread.gather)

    def _check_takes_part(self):
        if self._spread.process < 0:
            raise UnsupportedError("collective=True: this process holds no part of the array: call in the array's processes only")

    def _results_of_all(self, work, every):
        """The results of all processes, {index: list}."""
        self._check_takes_part()
        tasks = {process: [] for process in range(self._spread.n_processes)}
        for index in every:
            for process in self._contributors(index):
                tasks[process].append(index)
        expected = max(sum(OVERHEAD_BYTES + work.result_bytes(index) for index in indices) for indices in tasks.values())
        rows = exchange(lambda: self._results_here(work, tasks[self._spread.process]), expected, self._spread.gather)
        return {index: [rows[process][index] for process in self._contributors(index)] for index in every}

    def _contributors(self, index):
        """The processes whose parts make up a shard: the first that has a copy, or all that have an addend."""
        return self._holders[index] if self._spread.n_addends > 1 else self._holders[index][:1]

    def _results_here(self, work, indices):
        """The results for some shards of this process, {index: result}; several devices work at once."""
        if not indices:
            return {}
        if cuda_devices.is_created(self._stream):
            cuda_devices.wait_on_host(self._stream)
        shards, wanted = {}, set(indices)
        for shard in self._spread.local(self._owner):
            index = self._index_of.get(shard.box)
            if index in wanted:
                shards.setdefault(index, shard)
        devices = {shard.device for shard in shards.values()} - {None}

        def result(index):
            shard = shards[index]
            expected = tuple(end - begin for begin, end in shard.box)
            if tuple(shard.data.shape) != expected:
                raise ChunkError(f"shard {index} has shape {tuple(shard.data.shape)} and should have {expected}: put the array "
                                 f"together, {self._spread.remedy}", index)
            return work(shard.data, index)

        if len(devices) < 2:
            return {index: result(index) for index in indices}
        with ThreadPoolExecutor(len(devices)) as pool:
            return dict(zip(indices, pool.map(result, indices), strict=True))


class ShardedSource(ChunkedSource):
    """An array that is reduced shard by shard, each on its device.

    Parameters
    ----------
    owner : object
        The caller's array.
    spread : Spread
    stream : object
        As in `describe`.
    """

    __slots__ = ("_spread",)
    tells_tiles = False

    def __init__(self, owner, spread, stream=None, engine=None):
        super().__init__(owner, engine or ShardedChunks(owner, spread, stream=stream), spread.shape, spread.dtype)
        self._spread, self._stream = spread, stream

    @property
    def is_complete(self):
        """Whether results cover every element: this process has all of them, or all processes call together."""
        return self._engine.has_all or self._engine.is_collective

    @property
    def n_addends(self):
        """How many processes hold an addend of each element; 1 where elements are whole."""
        return self._spread.n_addends

    @property
    def part_text(self):
        """Text for the part that this process has, "" for all: ``"process 0 of 2"``."""
        if self.is_complete:
            return ""
        spread = self._spread
        return f"process {spread.process} of {spread.n_processes}" if spread.process >= 0 else "a process that has no part of it"

    @property
    def is_first_process(self):
        """Whether this process writes a file for all."""
        return self._spread.process == 0

    @property
    def device_text(self):
        """Text for the number of devices or processes that the array is spread over."""
        n_processes = self._spread.n_processes
        return f"{n_processes} processes" if n_processes > 1 else f"{len(self._spread.parts)} devices"

    @property
    def advice(self):
        """See `ChunkedSource.advice`."""
        framework, remedy = self._spread.framework, self._spread.remedy
        return Advice("read shard by shard", "shards", framework, f"put it together, {remedy}")

    def run_by(self, client=None, progress=None):
        """Itself: shards are reduced by the processes that hold them."""
        return Source.run_by(self, client, progress)

    def watched_by(self, watch):
        """Itself: shards are in memory, and a pass over them is short."""
        return self

    def is_here(self, index):
        """Whether a chunk lies in this process."""
        return self._engine.is_here(index)

    def collectively(self):
        """The same array for calls that all processes make together: each reduces its part and gets the results of all."""
        return ShardedSource(self.owner, self._spread, self._stream, self._engine.collectively())

    def of_first_process(self, value):
        """See `Source.of_first_process`: one gather."""
        return self._engine.values_of_all(value)[0] if self._engine.is_collective else value

    def check_complete(self):
        """Raises UnsupportedError where other processes hold parts of it and the call is not collective."""
        if self.is_complete:
            return
        spread, name = self._spread, self._spread.kind
        if spread.n_addends > 1:
            raise UnsupportedError(f"the {name} of shape {self.shape} is a sum of {spread.n_addends} addends, one in each "
                                   f"process: add them up first, {spread.remedy}, or call downsample in every process with "
                                   "collective=True, for a mean or a sum")
        raise UnsupportedError(f"the {name} of shape {self.shape} is spread over {spread.n_processes} processes: downsample, to_rgba, "
                               "imsave, stats and hist take all of it, called in every process with collective=True, and imshow and "
                               f"inspect show what is here; or put it together, {spread.remedy}")

    def borrow(self):
        """Raises UnsupportedError: it is nowhere in one piece."""
        raise UnsupportedError(f"the {self._spread.kind} of shape {self.shape} is spread over {self.device_text} and would take "
                               f"{size_text(self.nbytes)} of memory: imshow, imsave, to_rgba, downsample, inspect, plot, stats and hist "
                               f"read it shard by shard, but this function does not; give a part, {self._spread.part}, or put it together, "
                               f"{self._spread.remedy}")


def grid_of(shape, boxes):
    """(sizes along each axis of the grid that boxes form, {box: index}), without empty boxes.

    (None, {}) if they are not the cells of a grid, or do not fill it.
    """
    filled = {box for box in boxes if all(begin < end for begin, end in box)}
    edges = [sorted({0, n, *itertools.chain.from_iterable(box[axis] for box in filled)}) for axis, n in enumerate(shape)]
    places = [{part: k for k, part in enumerate(itertools.pairwise(along))} for along in edges]
    index_of = {box: tuple(place.get(part) for place, part in zip(places, box, strict=True)) for box in filled}
    n_cells = math.prod(map(len, places)) if 0 not in shape else 0
    if len(filled) != n_cells or any(None in index for index in index_of.values()):
        return None, {}
    return tuple(tuple(end - begin for begin, end in place) or (0,) for place in places), index_of
