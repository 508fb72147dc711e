"""The inputs of the benchmarks, by name: the same bytes in every process that asks for them."""

import functools

import numpy as np

N_ELEMS = 64_000_000
BLOCK_ELEMS = 8_000_000


def normal(shape, dtype=np.float32):
    """Normal numbers around a slow trend: one random block, scaled and shifted, because drawing them all takes longer
    than the benchmark.
    """
    a = np.empty(int(np.prod(shape)), dtype)
    block = np.random.default_rng(1).standard_normal(min(BLOCK_ELEMS, a.size), dtype=np.float32)
    for i, start in enumerate(range(0, a.size, BLOCK_ELEMS)):
        part = a[start:start + BLOCK_ELEMS]
        np.multiply(block[:part.size], np.float32(1 + i / 8), out=part, casting="unsafe")
        part += part.dtype.type(i)
    return a.reshape(shape)


def walk(n, share_nan=0.0):
    """A random walk of n float32 samples, a share of them NaN."""
    rng = np.random.default_rng(9)
    steps = rng.standard_normal(n, dtype=np.float32)
    samples = np.cumsum(steps, out=steps)
    samples[rng.integers(0, n, int(n * share_nan))] = np.nan
    return samples


def integers(dtype, low, high):
    """Uniform integers in ``[low, high)``."""
    block = np.random.default_rng(1).integers(low, high, BLOCK_ELEMS, dtype=dtype)
    return np.tile(block, N_ELEMS // BLOCK_ELEMS).reshape(8000, 8000)


def with_nan(share):
    """The float32 plane with this share of its elements NaN, at random places."""
    a = normal((8000, 8000))
    if share == 1:
        a.fill(np.nan)
        return a
    rng = np.random.default_rng(2)
    a.reshape(-1)[rng.integers(0, a.size, round(share * a.size))] = np.nan
    return a


def bfloat16():
    """The upper halves of float32 numbers, as torch's bfloat16."""
    import torch

    upper = np.empty((8000, 8000), np.uint16)
    for start in range(0, 8000, 1000):
        upper[start:start + 1000] = normal((1000, 8000)).view(np.uint32) >> 16
    return torch.from_numpy(upper.view(np.int16)).view(torch.bfloat16)


def float8():
    """Random codes as torch's float8_e4m3fn, NaN (0x7F, 0xFF) left out."""
    import torch

    return torch.from_numpy(integers(np.uint8, 0, 127)).view(torch.float8_e4m3fn)


def smooth(rows, cols):
    """Two interfering waves on a slope: what a PNG compresses well."""
    y, x = np.mgrid[0:rows, 0:cols].astype(np.float32)
    return np.sin(x / 47) * np.cos(y / 61) + np.hypot(x - cols / 2, y - rows / 2) / cols


def field(rows, cols):
    """Smooth with noise on top: what a measurement looks like."""
    noise = np.random.default_rng(3).standard_normal((rows, cols), dtype=np.float32)
    return smooth(rows, cols) + noise / np.float32(10)


def blocks(rows, cols):
    """Flat squares of 60 pixels: labels, masks, segmentations."""
    labels = np.random.default_rng(4).integers(0, 12, (-(-rows // 60), -(-cols // 60)))
    return np.kron(labels, np.ones((60, 60)))[:rows, :cols].astype(np.float32)


def photograph(n_channels=3, dtype=np.uint8):
    """Colors that vary slowly, with noise on top: bytes, or numbers from 0 to 1; a fourth channel is opacity."""
    rng = np.random.default_rng(7)
    slow = np.stack([smooth(4000, 4000)] * n_channels, axis=-1) * np.linspace(40, 60, n_channels, dtype=np.float32) + 100
    slow += rng.standard_normal(slow.shape, dtype=np.float32) * 8
    colors = np.clip(slow, 0, 255, out=slow)
    return colors.astype(np.uint8) if dtype == np.uint8 else colors / np.float32(255)


def photograph_with_nan():
    """One of numbers, with a NaN in one channel of one pixel."""
    a = photograph(dtype=np.float32)
    a[1234, 2345, 1] = np.nan
    return a


def points(share_in_one=0.0):
    """Two coordinates and a value of ten million points, of which a share is in one place."""
    a = np.random.default_rng(3).standard_normal((3, 10_000_000), dtype=np.float32)
    a[:2, :round(share_in_one * a.shape[1])] = 0.5
    return a


def walks(n_lines):
    """Random walks of a thousand steps, one a row."""
    return np.random.default_rng(6).standard_normal((n_lines, 1000), dtype=np.float32).cumsum(axis=1)


ARRAYS = {
    "float32": lambda: normal((8000, 8000)),
    "float64": lambda: normal((8000, 8000), np.float64),
    "float16": lambda: normal((8000, 8000), np.float16),
    "bfloat16": bfloat16,
    "uint8": lambda: integers(np.uint8, 0, 256),
    "int32": lambda: integers(np.int32, -2**31, 2**31),
    "int64": lambda: integers(np.int64, -2**40, 2**40),
    "float8": float8,
    "byte-swapped": lambda: normal((8000, 8000)).astype(">f4"),
    "photograph": photograph,
    "photograph, opacity": lambda: photograph(4),
    "photograph, float32": lambda: photograph(dtype=np.float32),
    "photograph, NaN": photograph_with_nan,
    "complex64 4000": lambda: normal((4000, 8000)).view(np.complex64),
    "photographs": lambda: normal((64, 3, 576, 576)),
    "channels": lambda: normal((64, 1000, 1000)),
    "cube": lambda: normal((400, 400, 400)),
    "complex64": lambda: normal((8000, 8000)).view(np.complex64),
    "masked": lambda: np.ma.array(normal((8000, 8000)), mask=integers(np.uint8, 0, 10) == 0),
    "small whole": lambda: integers(np.int32, -1000, 1000).astype(np.float32),
    "nan 0.001 %": lambda: with_nan(1e-5),
    "nan 0.1 %": lambda: with_nan(1e-3),
    "nan 1 %": lambda: with_nan(1e-2),
    "nan 10 %": lambda: with_nan(0.1),
    "nan 100 %": lambda: with_nan(1),
    "transposed": lambda: normal((8000, 8000)).T,
    "fortran": lambda: np.asfortranarray(normal((8000, 8000))),
    "strided": lambda: normal((8000, 8000))[::2, ::3],
    "tall": lambda: normal((N_ELEMS // 6, 6)),
    "column": lambda: normal((N_ELEMS, 1)),
    "wide": lambda: normal((8, N_ELEMS // 8)),
    "1950": lambda: normal((1950, 1950)),
    "normal 1e8": lambda: normal((10**8,)),
    "points": points,
    "points hot": lambda: points(0.5),
    "walks": lambda: walks(20_000),
    "walks 1e5": lambda: walks(100_000),
    "lines of noise": lambda: 25 * normal((20_000, 1000)),
    "cells": lambda: field(800, 1000).astype(np.float64) + 2,
    "series 1e8": lambda: walk(10**8),
    "series 1e8, NaN": lambda: walk(10**8, 1e-3),
    "series 1e7": lambda: walk(10**7),
    "series 1e5": lambda: walk(10**5),
    "small 100": lambda: field(100, 100),
    "small 1000": lambda: field(1000, 1000),
    "noise hd": lambda: normal((1080, 1920)),
    "smooth hd": lambda: smooth(1080, 1920),
    "field hd": lambda: field(1080, 1920),
    "blocks hd": lambda: blocks(1080, 1920),
    "none": lambda: np.zeros((1, 1), np.float32),
}


@functools.lru_cache(maxsize=1)
def make(name):
    """The array called `name`; the last one is kept, because many rows want the same."""
    return ARRAYS[name]()
