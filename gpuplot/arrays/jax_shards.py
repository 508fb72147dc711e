"""JAX arrays over several devices: where their shards lie, and how JAX's processes exchange results."""

import sys

import numpy as np

from ..errors import UnsupportedError
from .jax_arrays import resolve
from .lazy_arrays import is_small
from .shards import Shard, Spread

REMEDY = "jax.device_get(X)"
REMEDY_OF_PROCESSES = "multihost_utils.process_allgather(X, tiled=True)"


def spread_of(X, with_copies=False):
    """The `Spread` of a JAX array over several devices, None for other objects; UnsupportedError where it has no elements.

    None, too, for an array that each of its devices holds whole, unless `with_copies` or none of these is in this process.
    """
    array = resolve(X)
    if array is None or not hasattr(type(array), "sharding") or len(array.sharding.device_set) == 1:
        return None
    if array.is_fully_replicated and not with_copies and array.addressable_shards:
        return None
    jax = sys.modules["jax"]
    places = array.sharding.devices_indices_map(array.shape)
    parts = [(box_of(index, array.shape), device.process_index) for device, index in places.items()]
    return Spread(
        framework="JAX", kind="JAX array", shape=array.shape, dtype=str(array.dtype), parts=parts,
        process=jax.process_index(), n_processes=jax.process_count(), local=_shards, gather=_gather,
        remedy=REMEDY if array.is_fully_addressable else REMEDY_OF_PROCESSES, part="X.addressable_shards[0].data")


def box_of(index, shape):
    """The half-open box of a shard, from JAX's slices, one for each axis."""
    return tuple(part.indices(n)[:2] for part, n in zip(index, shape, strict=True))


def whole(X):
    """Copies a small array over several devices of this process to host memory; None for others."""
    array = resolve(X)
    if not array.is_fully_addressable or not is_small(array.shape, array.dtype.itemsize):
        return None
    return np.asarray(array)


def _shards(X):
    """The shards in this process; UnsupportedError where the array was deleted."""
    array = resolve(X)
    return [Shard(box_of(shard.index, array.shape), shard.data, None if shard.device.platform == "cpu" else shard.device)
            for shard in array.addressable_shards]


def _gather(words):
    """The words of all processes, in process order."""
    try:
        from jax.experimental import multihost_utils
    except ImportError as error:
        raise UnsupportedError("collective=True needs jax.experimental.multihost_utils, which this JAX lacks: upgrade JAX") from error
    return np.asarray(multihost_utils.process_allgather(words))
