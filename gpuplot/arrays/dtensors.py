"""torch's DTensor: where its shards lie, and how its processes exchange results."""

import itertools
import math
import sys

import numpy as np

from ..errors import UnsupportedError
from .shards import Shard, Spread
from .torch_tensors import dtype_name, is_whole, outside_of_transforms


def spread_of(X, with_copies=False):
    """The `Spread` of a DTensor; None, unless `with_copies`, where every process of its mesh has all of it.

    UnsupportedError where elements are partial results that are not simply added up.
    """
    mesh, placements = X.device_mesh, tuple(X.placements)
    if is_whole(X) and not with_copies and mesh.get_coordinate() is not None:
        return None
    n_addends = _n_addends(X)
    parts = []
    for process, coordinate in enumerate(itertools.product(*map(range, mesh.shape))):
        is_copy = any(at and place.is_replicate() for at, place in zip(coordinate, placements, strict=True))
        if not is_copy or n_addends == 1:
            parts.append((box_at(X.shape, mesh.shape, coordinate, placements), process))
    here = mesh.get_coordinate()
    process = -1 if here is None else int(np.ravel_multi_index(tuple(here), tuple(mesh.shape)))
    copies = ", ".join(["Replicate()"] * mesh.ndim)
    remedy = f"X.redistribute(placements=[{copies}]), which every process has to call"
    return Spread(
        framework="torch", kind="DTensor", shape=tuple(X.shape), dtype=dtype_name(X), parts=parts, process=process,
        n_processes=mesh.size(), local=_shards, gather=lambda words: _gather(words, mesh), remedy=remedy, part="X.to_local()",
        n_addends=n_addends)


def _n_addends(X):
    """How many processes hold an addend of each element."""
    sizes = [n for n, place in zip(X.device_mesh.shape, X.placements, strict=True) if place.is_partial() and n > 1]
    others = {str(place) for place in X.placements if place.is_partial() and getattr(place, "reduce_op", "sum") != "sum"}
    if others and sizes:
        raise UnsupportedError(f"the DTensor of shape {tuple(X.shape)} is {', '.join(sorted(others))}: its elements are partial results "
                               "other than sums; reduce them first, X.redistribute(placements=[Replicate()] * X.device_mesh.ndim), in "
                               "every process")
    return math.prod(sizes)


def box_at(shape, mesh_shape, coordinate, placements):
    """The half-open box, (begin, end) along each axis, of the shard at a coordinate of a mesh; an empty box for none.

    The only use of a private function of torch: no public one covers other coordinates or uneven shards.
    """
    try:
        from torch.distributed.tensor._utils import _compute_local_shape_and_global_offset as compute
    except ImportError as error:
        raise UnsupportedError("this version of torch does not say where the shards of a DTensor lie: draw this process's part, "
                               "X.to_local(), or all of it, X.full_tensor()") from error
    sizes, begins = compute(tuple(shape), tuple(mesh_shape), list(coordinate), placements)
    return tuple((int(begin), int(begin) + int(size)) for begin, size in zip(begins, sizes, strict=True))


def _shards(X):
    """The shard of this process, if it has one: memory of the tensor, after pending communication is done."""
    mesh = X.device_mesh
    coordinate = mesh.get_coordinate()
    if coordinate is None:
        return []
    torch = sys.modules["torch"]
    with outside_of_transforms(X), torch.no_grad():
        local = X.to_local()
        local = local.wait() if hasattr(local, "wait") else local
    return [Shard(box_at(X.shape, mesh.shape, coordinate, X.placements), local, None)]


def _gather(words, mesh):
    """The words of all processes of a mesh, in mesh order: by one gather, or one per mesh axis if the mesh is part of the world."""
    import torch
    import torch.distributed as distributed

    device = mesh.device_type if mesh.device_type == "cpu" else torch.device(mesh.device_type, torch.cuda.current_device())
    sent = torch.from_numpy(words.view(np.int32)).to(device)

    def gather(sent, group, n):
        received = [torch.empty_like(sent) for _ in range(n)]
        distributed.all_gather(received, sent, group=group)
        return torch.stack(received)

    if mesh.size() == distributed.get_world_size():
        sent = gather(sent, None, mesh.size())[mesh.mesh.flatten().tolist()]
    else:
        for axis in reversed(range(mesh.ndim)):
            sent = gather(sent, mesh.get_group(axis), mesh.size(axis))
    return sent.cpu().numpy().reshape(mesh.size(), -1).view(np.uint32)
