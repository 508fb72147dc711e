"""Lists of torch scalars of one dtype and device, checked and read together, which is much faster than one by one."""

import sys

import numpy as np

from .dtypes import ITEM_BYTES
from .optional_imports import loaded
from .torch_tensors import is_transformed


def alike(items):
    """(torch.device, our dtype name, addresses) of scalars of one device and dtype; None where each has to be checked alone."""
    kind = loaded("torch.Tensor")
    if kind is None or not set(map(type, items)) <= {kind, loaded("torch.nn.Parameter")} or is_transformed():
        return None
    try:
        device, dtypes = items[0].device, {item.dtype for item in items}
        if device.type == "cpu":
            is_there = all([item.is_cpu for item in items])  # noqa: C419  a generator would take longer than the checks
        else:
            is_there = {item.device for item in items} == {device}
        if not is_there or len(dtypes) != 1 or any(map(kind.dim, items)):
            return None
        name = str(dtypes.pop()).removeprefix("torch.")
        is_read = name in ITEM_BYTES and (device.type == "cpu" or (device.type == "cuda" and not _has_signs(kind, items)))
        addresses = list(map(kind.data_ptr, items)) if is_read else [0]
    except Exception:  # wrappers, tensors without memory, old versions: the checks one by one raise the right error
        return None
    return None if 0 in addresses else (device, name, addresses)


def _has_signs(kind, items):
    """True where elements are conjugated or negated when they are read."""
    return any(map(kind.is_neg, items)) or any(map(kind.is_conj, items))


def on_host(items, name):
    """Scalars in host memory as an ndarray, or as a torch tensor where NumPy lacks the dtype."""
    if name in np.sctypeDict and np.dtype(name).type.__module__ == "numpy":
        return np.array(list(map(loaded("torch.Tensor").item, items)), name)
    torch = sys.modules["torch"]
    with torch.no_grad():
        return torch.stack(items)
