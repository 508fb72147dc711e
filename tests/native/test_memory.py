"""Memory of pictures: bytes in addition to the tensor, references, descriptors and exports, all counted."""

import gc
import os
import sys

import numpy as np
import pytest
from capsules import Producer
from resident_memory import peak_bytes_of
from stored_tensors import windows

import gpuplot

MIB = 2**20
SHAPE = (2048, 16384)  # 128 MiB of float32 where somebody copies it


@pytest.mark.parametrize("keywords", [
    {}, {"agg": "max"}, {"agg": "std", "nan": "skip"}, {"robust": True}, {"norm": "log", "robust": True}, {"norm": "eq_hist"},
], ids=str)
def test_a_picture_costs_memory_for_the_picture_alone(keywords):
    """However large the tensor: a copy of it, or of a part of its dtype's width, would be seen."""
    x = windows(np.arange(1, SHAPE[1] + 1, dtype="f4"), SHAPE)
    gpuplot.to_rgba(x[:100], (200, 300), **keywords)  # threads and tables of the first call
    assert peak_bytes_of(lambda: gpuplot.to_rgba(x, (200, 300), **keywords)) < 40 * MIB
    assert peak_bytes_of(lambda: gpuplot.to_rgba(x.T, (200, 300), **keywords)) < 40 * MIB


def test_hidden_axes_masks_and_colors_cost_no_copy():
    """Planes that are computed element by element are never held whole."""
    row = np.arange(1, SHAPE[1] + 1, dtype="f4")
    hidden, masked = windows(row, (4, 512, SHAPE[1])), np.ma.array(
        windows(row, (1024, SHAPE[1])), mask=windows(False, (1024, SHAPE[1])), copy=False)
    colors = windows(row / SHAPE[1], (3, 512, SHAPE[1]))
    for x, keywords in ((hidden, {"reduce": {0: "std"}, "robust": True}), (masked, {"robust": True}),
                        (colors, {"denorm": "minmax"})):
        gpuplot.to_rgba(x[..., :4, :], (2, 2), **keywords)
        assert peak_bytes_of(lambda x=x, keywords=keywords: gpuplot.to_rgba(x, (100, 100), **keywords)) < 40 * MIB


def test_axes_beyond_memory_are_looked_at_in_place():
    """Of 2^50 elements only those in the view are read, at the right place."""
    x = np.broadcast_to(np.uint8(3), (2**50,))
    far = ((0, 1), (2.0**49, 2.0**49 + 1000))
    assert peak_bytes_of(lambda: gpuplot.downsample(x, (1, 10), view=far)) < 8 * MIB
    np.testing.assert_array_equal(gpuplot.downsample(x, (1, 10), view=far, agg="sum"), np.full((1, 10), 300.0))
    np.testing.assert_array_equal(gpuplot.downsample(x, (1, 10), agg="nearest"), np.full((1, 10), 3.0))


def test_read_only_memory_is_never_written(tmp_path):
    """A picture of a file that is mapped for reading would end the process at the first write."""
    values = np.random.default_rng(0).normal(size=(300, 400))
    values.tofile(tmp_path / "values")
    mapped = np.memmap(tmp_path / "values", dtype=float, mode="r", shape=values.shape)
    for x, keywords in ((mapped, {"robust": True}), (mapped[::-1, ::2].T, {"agg": "std"}), (mapped.view(">f8"), {"nan": "skip"}),
                        (mapped.view(complex), {"complex_mode": "phase"}), (mapped, {"norm": "eq_hist"})):
        gpuplot.to_rgba(x, (20, 30), **keywords)
    assert (tmp_path / "values").read_bytes() == values.tobytes()


def draw_all(x, masked):
    """Pictures that work and calls that fail on each of several ways."""
    gpuplot.to_rgba(x, (8, 9), robust=True, norm="log")
    gpuplot.downsample(masked, (4, 5))
    gpuplot.to_rgba(x + 1j, (4, 4), complex_mode="amplitude_phase")
    gpuplot.imsave(os.devnull, x)
    for keywords, size in (({"norm": "log", "vmin": -1}, (2, 2)), ({"x": 7}, (2, 2)), ({}, (2**30, 2**30))):
        with pytest.raises((ValueError, MemoryError)):
            gpuplot.to_rgba(x, size, **keywords)


def test_nothing_is_left_behind():
    """References, objects and descriptors are as many after many calls, failed ones included, as before."""
    x = np.random.default_rng(0).normal(size=(30, 20))
    masked = np.ma.masked_less(x, 0)

    def count():
        gc.collect()
        folder = "/proc/self/fd"
        return (sys.getrefcount(x), sys.getrefcount(masked), len(os.listdir(folder)) if os.path.isdir(folder) else 0,
                len(gc.get_objects()))

    for _ in range(20):
        draw_all(x, masked)
    before = count()
    for _ in range(60):
        draw_all(x, masked)
    after = count()
    assert after[:3] == before[:3]
    assert after[3] - before[3] < 60  # less than one object a round


@pytest.mark.parametrize("keywords", [
    {}, {"robust": True}, {"norm": "eq_hist"}, {"agg": "foo"}, {"norm": "log", "vmin": -1}, {"view": ((0, 0), (0, 1))},
], ids=str)
def test_exports_are_released_once_each(keywords):
    """However often a picture asks for the memory and however it ends, each export is released, and only once."""
    producer = Producer(tuple(range(1, 7)))
    try:
        gpuplot.to_rgba(producer, (2, 2), **keywords)
    except ValueError:
        pass
    gc.collect()
    assert producer.n_exports == producer.n_releases > 0
