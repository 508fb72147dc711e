"""Colors on the emulated device: the CPU's bytes for every norm, mark, opacity and channel, in every mode."""

from dataclasses import replace

import numpy as np
import pytest
from device_colors import (
    EXACT,
    INF,
    MARKS,
    NAN,
    RGB_STYLES,
    STYLES,
    are_allowed,
    bytes_of,
    channels_of,
    codes_in,
    on_both,
    rgb_style,
    style_of,
    values_of,
)
from device_planes import device_cells, in_modes

from gpuplot import _native

# ---- a norm and a table ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (47, 61), (260, 300)])
@pytest.mark.parametrize("name", STYLES)
def test_same_bytes_as_the_cpu(emulated, name, shape):
    """Every norm, over few cells and many; marks and empty cells too."""
    style, norm = STYLES[name]
    cells, host = on_both(values_of(style, shape, len(name)), n_empty=2)
    got, want = _native.shade(cells, style), _native.shade(host, style)
    differs = np.any(got != want, axis=-1)
    if style.norm in EXACT:
        assert not differs.any()
    else:
        assert are_allowed(host.numpy()[differs], codes_in(got[differs]), style, norm).all()


@pytest.mark.parametrize("name", [name for name, (_, norm) in STYLES.items() if norm is not None])
def test_colors_of_the_reference(emulated, name):
    """Rows are those of the definition, or the neighbors that rounding allows."""
    style, norm = STYLES[name]
    cells, host = on_both(values_of(style, (23, 31), huge=1e99))
    assert are_allowed(host.numpy(), codes_in(_native.shade(cells, style)), style, norm).all()


@pytest.mark.parametrize("name", ["linear", "eq_hist", "boundary", "symlog"])
def test_every_mode(emulated, name):
    """The same bits whatever the order of threads and the pace of streams."""
    style, _ = STYLES[name]
    values = values_of(style, (40, 50))
    factors = np.random.default_rng(0).random(values.shape).astype(np.float32)
    style = replace(style, alpha_cells=factors)
    got = in_modes(emulated, lambda: _native.shade(device_cells(values), style))
    assert np.array_equal(got, _native.shade(on_both(values)[1], style))


@pytest.mark.parametrize("n_colors", [1, 2, 3, 255, 1000, 70000])
@pytest.mark.parametrize("norm", ["linear", "eq_hist", "cbrt"])
def test_sizes_of_tables(emulated, norm, n_colors):
    """From one color to more than two bytes count."""
    style = style_of(norm, -1.0, 1.0, n_colors=n_colors)
    style.table[:, 2] = np.arange(n_colors + 3) >> 16
    cells, host = on_both(values_of(style, (50, 60)))
    assert np.array_equal(_native.shade(cells, style), _native.shade(host, style))


@pytest.mark.parametrize("kind", ["even", "steep", "tied", "both ends"])
def test_ranks_of_many_cells(emulated, kind):
    """Equalization by exact ranks, however the cells lie: the edges between colors are the host's."""
    x = np.random.default_rng(len(kind)).random((60, 70))
    values, limits = {
        "even": (x, (0.0, 1.7e308)), "steep": (np.exp(1000 * x - 500), (0.0, 1.7e308)), "tied": (np.floor(9 * x), (1.0, 7.0)),
        "both ends": ((2 * x - 1) * 1.7e308, (-INF, INF))}[kind]
    cells, host = on_both(values, n_empty=1)
    for n_colors in (1, 2, 7, 256, 2048):
        style = style_of("eq_hist", *limits, n_colors=n_colors)
        assert np.array_equal(_native.shade(cells, style), _native.shade(host, style))


def test_ranks_stay_on_the_device(emulated):
    """Only counts and the last cells' keys come down beside the pixels, in few passes."""
    cells = device_cells(np.random.default_rng(0).normal(size=(200, 300)))
    _native.shade(cells, STYLES["eq_hist"][0])
    before = _native.cuda_counts(0)
    _native.shade(cells, STYLES["eq_hist"][0])
    after = {key: value - before[key] for key, value in _native.cuda_counts(0).items()}
    assert after["n_launches"] < 12
    assert after["bytes_to_host"] - 4 * 200 * 300 <= 4 * 8192 * (after["n_launches"] - 1)


@pytest.mark.parametrize("name", ["linear", "eq_hist"])
@pytest.mark.parametrize("values", [[[NAN, INF, -INF]], [[3.0] * 9], [[-5.0, 5.0]]], ids=str)
def test_nobody_takes_part(emulated, name, values):
    """Nothing finite, nothing inside the limits, nothing but one value."""
    style = style_of(name, 2.0, 4.0)
    cells, host = on_both(values, n_empty=1)
    assert np.array_equal(_native.shade(cells, style), _native.shade(host, style))


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 7.0, -1.0, NAN])
def test_opacity(emulated, alpha):
    """One factor for all cells, marks too; empty cells stay transparent."""
    style = replace(STYLES["linear"][0], alpha=alpha)
    cells, host = on_both(values_of(style, (9, 11)), n_empty=1)
    got = _native.shade(cells, style)
    assert np.array_equal(got, _native.shade(host, style)) and not got[:, -1].any()


def test_opacity_of_each_cell(emulated):
    """Factors beyond 0 to 1 and NaN are clipped, as on the CPU."""
    style = STYLES["linear"][0]
    values = values_of(style, (30, 40))
    factors = np.random.default_rng(1).uniform(-0.2, 1.2, (30, 41)).astype(np.float32)
    factors[3:5, 3:5] = NAN
    style = replace(style, alpha=0.1, alpha_cells=factors)
    cells, host = on_both(values, n_empty=1)
    assert np.array_equal(_native.shade(cells, style), _native.shade(host, style))


def test_into_given_pixels(emulated):
    """The caller's array is written and nothing else."""
    style = STYLES["linear"][0]
    cells, host = on_both(values_of(style, (5, 6)))
    out = np.full((7, 6, 4), 99, np.uint8)
    assert _native.shade(cells, style, out[1:6]) is not None
    assert np.array_equal(out[1:6], _native.shade(host, style)) and np.all(out[[0, 6]] == 99)


@pytest.mark.parametrize("style", [
    style_of("linear", 2.0, 1.0), style_of("log", 0.0, 1.0), style_of("boundary", 0.0, 1.0, (), 4, (0, 1), (7,)),
    style_of("boundary", 0.0, 1.0, (), 4, (0,), ())])
def test_refused_styles(emulated, style):
    """The CPU's words, before anything is launched."""
    cells, host = on_both([[1.0, 2.0]])
    messages = []
    emulated.clear_counts()
    for grid in (cells, host):
        with pytest.raises(ValueError) as error:
            _native.shade(grid, style)
        messages.append(str(error.value))
    assert messages[0] == messages[1]
    assert "cuLaunchKernel" not in emulated.counts()


# ---- channels ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_channels", [3, 4])
@pytest.mark.parametrize("name", RGB_STYLES)
def test_channels(emulated, name, n_channels):
    """The CPU's pixels and its range of colors before clipping, in every mode."""
    choices = {key: value[:n_channels] if isinstance(value, tuple) else value for key, value in RGB_STYLES[name].items()}
    style = rgb_style(n_channels, **choices)
    cells, host = channels_of(n_channels)
    got = in_modes(emulated, lambda: bytes_of(*_native.shade_rgb(cells, style)))
    assert np.array_equal(got, bytes_of(*_native.shade_rgb(host, style)))


def test_opacity_of_each_cell_of_channels(emulated):
    """One factor for each pixel."""
    factors = np.random.default_rng(2).uniform(-0.2, 1.2, (21, 35)).astype(np.float32)
    for n_channels in (3, 4):
        style = rgb_style(n_channels, alpha_cells=factors)
        cells, host = channels_of(n_channels)
        assert np.array_equal(_native.shade_rgb(cells, style)[0], _native.shade_rgb(host, style)[0])


def test_range_of_nothing(emulated):
    """Without a finite pixel there is no range."""
    grid = device_cells(np.full((4, 5), NAN))
    pixels, limits = _native.shade_rgb((grid,) * 3, rgb_style(3))
    assert np.isnan(limits).all() and np.all(pixels == MARKS["nan_rgba"])


def test_range_of_many_blocks(emulated):
    """The largest and the smallest color anywhere."""
    values = np.random.default_rng(3).normal(size=(200, 300))
    grids = tuple(device_cells(values * scale) for scale in (1, 3, 2))
    style = rgb_style(3, scale=(1.0,) * 3, offset=(0.0,) * 3)
    assert _native.shade_rgb(grids, style)[1] == (3 * values.min(), 3 * values.max())


# ---- angles ------------------------------------------------------------------------------------------------------------


def test_angles(emulated):
    """The CPU's angles: +pi for negative numbers, marks and empty cells of the real part stay."""
    rng = np.random.default_rng(4)
    real, imaginary = rng.normal(size=(2, 33, 47))
    real[0, :6], imaginary[0, :6] = [NAN, INF, -INF, -1.0, 0.0, -0.0], [1.0, 1.0, 1.0, -0.0, 0.0, -0.0]
    (real, host_real), (imaginary, host_imaginary) = on_both(real, 2), on_both(imaginary, 2)
    got = in_modes(emulated, lambda: _native.angle(real, imaginary).numpy())
    want = np.asarray(_native.angle(host_real, host_imaginary))
    assert np.array_equal(got[0, :6], [NAN, INF, -INF, np.pi, 0.0, 0.0], equal_nan=True)
    assert got.tobytes() == want.tobytes()
