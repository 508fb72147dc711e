"""Costs of colors on the emulated device: launches, bytes and memory; pictures in pieces, and calls that fail."""

from dataclasses import replace

import numpy as np
import pytest
from device_colors import STYLES, channels_of, on_both, rgb_style, values_of
from device_planes import device_cells, fail_each_call, in_modes
from emulated_device import LAUNCH_FAILED, OUT_OF_MEMORY

from gpuplot import _native


def test_recoloring_is_one_kernel(emulated):
    """Cells that did not change and a new style: one launch, no allocation, the table up and the pixels down."""
    cells = device_cells(np.random.default_rng(5).normal(size=(300, 400)))
    _native.shade(cells, STYLES["linear"][0])
    for name in ("linear", "log", "boundary", "two_slope", "asinh"):
        style, _ = STYLES[name]
        _native.shade(cells, style)
        before = _native.cuda_counts(0)
        _native.shade(cells, style)
        after = {key: value - before[key] for key, value in _native.cuda_counts(0).items()}
        assert after["n_launches"] == 1
        assert after["n_device_allocs"] == after["n_pinned_allocs"] == 0
        assert after["bytes_to_host"] == 4 * 300 * 400
        assert after["bytes_to_device"] < 4 * (256 + 8) + 100


def test_channels_are_one_kernel(emulated):
    """All three of them."""
    cells, _ = channels_of(3)
    _native.shade_rgb(cells, rgb_style(3))
    emulated.clear_counts()
    _native.shade_rgb(cells, rgb_style(3))
    assert emulated.counts()["cuLaunchKernel"] == 1
    assert not {"cuMemAlloc_v2", "cuMemAllocFromPoolAsync"} & set(emulated.counts())


def test_written_by_kernels(emulated, monkeypatch):
    """With GPUPLOT_CUDA_MAPPED=1 kernels write pixels into pinned memory: the same bytes in every mode, and no copies."""
    factors = np.random.default_rng(7).random((300, 400)).astype(np.float32)
    style = replace(STYLES["linear"][0], alpha_cells=factors)
    cells, host = on_both(values_of(style, (300, 400)))
    monkeypatch.setenv("GPUPLOT_CUDA_MAPPED", "1")
    _native.shade(cells, style)
    emulated.clear_counts()
    got = in_modes(emulated, lambda: _native.shade(cells, style))
    assert "cuMemcpyDtoHAsync_v2" not in emulated.counts()
    assert np.array_equal(got, _native.shade(host, style))
    assert np.array_equal(_native.shade_rgb((cells,) * 3, rgb_style(3))[0], _native.shade_rgb((host,) * 3, rgb_style(3))[0])


def test_pieces(emulated):
    """Where the device is short of memory a picture is colored in pieces."""
    _native.cuda_close()  # what other tests left could be given back
    values = np.random.default_rng(6).normal(size=(700, 1000))
    cells, host = on_both(values)
    factors = np.random.default_rng(7).random((700, 1000)).astype(np.float32)
    style = replace(STYLES["linear"][0], alpha_cells=factors)
    grids, host_grids = (cells, cells, cells), (host, host, host)
    small = device_cells(np.zeros((2, 2)))
    _native.shade(small, STYLES["linear"][0])
    emulated.set_memory_limit(emulated.memory_used() + (1 << 20))
    emulated.clear_counts()
    try:
        assert np.array_equal(_native.shade(cells, style), _native.shade(host, style))
        got, want = _native.shade_rgb(grids, rgb_style(3)), _native.shade_rgb(host_grids, rgb_style(3))
    finally:
        emulated.set_memory_limit(0)
    assert emulated.counts()["cuLaunchKernel"] > 4
    assert np.array_equal(got[0], want[0]) and got[1] == want[1]


def test_very_large_picture(emulated):
    """More cells than one piece takes."""
    values = np.linspace(-1, 2, 2100 * 2100).reshape(2100, 2100)
    cells, host = on_both(values)
    assert np.array_equal(_native.shade(cells, STYLES["linear"][0]), _native.shade(host, STYLES["linear"][0]))


@pytest.mark.parametrize("code", [OUT_OF_MEMORY, LAUNCH_FAILED])
@pytest.mark.parametrize("what", ["linear", "eq_hist", "channels", "angle"])
def test_failing_calls(emulated, what, code):
    """Whichever call of the driver fails: one DeviceError, and the next call works."""
    values = np.random.default_rng(8).normal(size=(20, 30))
    cells, host = on_both(values)
    style = replace(STYLES["eq_hist" if what == "eq_hist" else "linear"][0],
                    alpha_cells=np.full((20, 30), 0.5, np.float32))

    def result(cells):
        if what == "channels":
            return _native.shade_rgb((cells,) * 3, rgb_style(3))[0]
        return _native.angle(cells, cells).numpy() if what == "angle" else _native.shade(cells, style)

    want = result(host)

    def compute():
        assert np.array_equal(result(cells), want)

    compute()
    step = 11 if what == "eq_hist" else 1  # its passes are alike
    assert fail_each_call(emulated, code, compute, step) > 5
