"""The inputs of the device's benchmarks, made where they are used; several of each, so that no cache holds the next one."""

from dataclasses import dataclass

MOST_COPIES = 48
# Together the copies of an input are so many times as large as the last cache.
CACHES = 4


@dataclass(frozen=True)
class Input:
    """A kind of tensor: how large, and what is done to it.

    Attributes
    ----------
    dtype : str
        Torch's name.
    rows, cols : float
        Multiples of the side that the command line gives; whole numbers above 64 are sizes themselves.
    nan : float
        Share of NaN.
    layout : {"", "transposed", "sliced", "channels last"}
        The last one has four channels: an axis in the middle that lies innermost in memory.
    """

    dtype: str = "float32"
    rows: float = 1
    cols: float = 1
    nan: float = 0
    layout: str = ""

    def shape(self, side):
        rows, cols = (int(n) if n > 64 else max(1, int(n * side)) for n in (self.rows, self.cols))
        return (rows, 4, cols // 4) if self.layout == "channels last" else (rows, cols)

    def words(self, side):
        sizes = " x ".join(map(str, self.shape(side)))
        extra = [self.layout] if self.layout else []
        extra += [f"{100 * self.nan:g} % NaN"] if self.nan else []
        return " ".join([f"{sizes} {self.dtype}", *extra])


INPUTS = {
    "float32": Input(), "float16": Input("float16"), "bfloat16": Input("bfloat16"), "uint8": Input("uint8"),
    "int32": Input("int32"), "float64": Input("float64"), "large": Input(rows=4, cols=2), "half": Input(rows=0.5, cols=0.5),
    "nan 1 %": Input(nan=0.01), "nan 100 %": Input(nan=1), "transposed": Input(layout="transposed"),
    "sliced": Input(layout="sliced"), "small": Input(rows=1 / 64, cols=1 / 64), "tall": Input(rows=64, cols=1 / 64),
    "cells": Input("float64", rows=800, cols=1000), "picture 0.3": Input(rows=480, cols=640),
    "4 GiB": Input(rows=2, cols=2), "channels last": Input(layout="channels last"), "picture 1": Input(rows=1000, cols=1000),
    "picture 4": Input(rows=2000, cols=2000),
}


def make_one(name, side, device, seed):
    """One tensor: a slow slope with noise on it, or uniform integers."""
    import torch

    kind = INPUTS[name]
    shape = kind.shape(side)
    torch.manual_seed(seed)
    stored = {"transposed": shape[::-1], "sliced": (2 * shape[0], *shape[1:]), "channels last": (shape[0], *shape[:0:-1])}.get(
        kind.layout, shape)
    dtype = getattr(torch, kind.dtype)
    if kind.dtype in ("uint8", "int32"):
        low, high = (0, 256) if kind.dtype == "uint8" else (-2**31, 2**31 - 1)
        t = torch.randint(low, high, stored, dtype=dtype, device=device)
    else:
        t = torch.randn(stored, dtype=dtype, device=device)
        t += torch.linspace(0, 3, stored[-1], dtype=dtype, device=device)
    if kind.nan == 1:
        t.fill_(float("nan"))
    elif kind.nan:
        for rows in t.split(1024):  # a mask of a part at a time
            rows[torch.rand(rows.shape, device=device) < kind.nan] = float("nan")
    return t[::2] if kind.layout == "sliced" else t.mT if kind.layout else t


def make(name, side, device):
    """As many tensors as leave nothing of the first in the cache when its turn comes again."""
    first = make_one(name, side, device.name, 1)
    n_bytes = first.numel() * first.element_size()
    n = 1 if n_bytes > 8 * CACHES * device.l2_bytes() and name in ("large", "4 GiB") else \
        max(2, min(MOST_COPIES, -(-CACHES * device.l2_bytes() // n_bytes)))
    return [first, *(make_one(name, side, device.name, 1 + i) for i in range(1, n))]
