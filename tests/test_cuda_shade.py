"""Colours on the emulated device: the CPU's bytes for every norm, mark, opacity and channel, in every mode; and what a draw costs."""

from dataclasses import replace

import numpy as np
import pytest
import reference as ref
from device_planes import device_cells, fail_each_call, in_modes
from emulated_device import LAUNCH_FAILED, OUT_OF_MEMORY
from gpuplot import _native
from gpuplot.rgb import RgbStyle
from gpuplot.style import NativeStyle

NAN, INF = np.nan, np.inf
MARKS = {"nan_rgba": (1, 2, 3, 250), "pos_inf_rgba": (4, 5, 6, 200), "neg_inf_rgba": (7, 8, 9, 100)}


def table_of(n_colors):
    """Each row tells its number in its first two bytes."""
    rows = np.arange(n_colors + 3)
    return np.stack([rows % 256, rows // 256, np.full_like(rows, 77), np.full_like(rows, 200)], axis=-1).astype(np.uint8)


def style_of(norm, vmin, vmax, params=(), n_colors=256, boundaries=None, indices=None, **alpha):
    edges = None if boundaries is None else np.array(boundaries, float)
    rows = None if indices is None else np.array(indices, np.int32)
    return NativeStyle(norm, vmin, vmax, params, edges, rows, table_of(n_colors), **MARKS, **alpha)


STYLES = {
    "linear": (style_of("linear", -1.0, 2.0), "linear"),
    "linear of a wide range": (style_of("linear", -1.7e308, 1.7e308), None),
    "linear of a narrow range": (style_of("linear", 1.0, 1.0 + 2**-40), None),
    "linear, equal limits": (style_of("linear", 0.5, 0.5), "linear"),
    "two_slope": (style_of("two_slope", -1.0, 2.0, (0.1,)), ref.Norm("twoslope", vcenter=0.1)),
    "boundary": (style_of("boundary", -1.0, 2.0, (), 4, (-1, -0.5, 0.25, 1, 2), (3, 0, 2, 1)), None),
    "boundary, repeated": (style_of("boundary", 0.0, 1.0, (), 256, (0, 0.5, 0.5, 1), (7, 8, 9)), None),
    "eq_hist": (style_of("eq_hist", -1.0, 1.5), "eq_hist"),
    "eq_hist, equal limits": (style_of("eq_hist", 0.0, 0.0), None),
    "log": (style_of("log", 1e-3, 1.9), "log"),
    "log, equal limits": (style_of("log", -2.0, -2.0), "log"),
    "symlog": (style_of("symlog", -1.0, 2.0, (0.03, 0.5, 2.0)), ref.Norm("symlog", linthresh=0.03, linscale=0.5, base=2.0)),
    "asinh": (style_of("asinh", -1.0, 2.0, (0.1,)), ref.Norm("asinh", linear_width=0.1)),
    "power 0.5": (style_of("power", -1.0, 2.0, (0.5,)), ref.Norm("power", gamma=0.5)),
    "power 3": (style_of("power", -1.0, 2.0, (3.0,)), ref.Norm("power", gamma=3.0)),
    "cbrt": (style_of("cbrt", -1.0, 2.0), "cbrt"),
}
# Here both backends do the same operations; elsewhere the libraries of a device may round functions differently.
EXACT = ("linear", "two_slope", "boundary", "eq_hist")


def values_of(style, shape, seed=0, huge=1.7e308):
    """Cells around the limits, on them and next to them, far away, tiny, equal, and every kind of mark."""
    rng = np.random.default_rng(seed)
    low, high = style.vmin, style.vmax
    half = high / 2 - low / 2 or 1.0
    outside = 0.4 if half < 1e300 else 0.0  # where the limits are the ends of all doubles
    values = rng.uniform(-1 - outside, 1 + outside, shape) * half + (low / 2 + high / 2)
    values = np.where(rng.random(shape) < 0.1, low + half, values)
    special = [low, high, np.nextafter(low, -INF), np.nextafter(high, INF), 0.0, 5e-324, -1e-310, huge, -huge, NAN, INF, -INF, 0.1,
               0.25, 0.5]
    n = min(len(special), values.size)
    values.flat[rng.permutation(values.size)[:n]] = special[:n]
    return values


def on_both(values, n_empty=0):
    """The same cells on the device and on the host, some columns of nothing behind them."""
    cells = device_cells(values, n_empty)
    return cells, _native.Cells.from_array(cells.numpy())


def codes_in(pixels):
    return pixels[..., 0] + 256 * pixels[..., 1].astype(int)


def are_allowed(values, rows, style, norm):
    """Which of the rows are the definition's, or neighbours of them that rounding allows; marks have none."""
    n_colors = len(style.table) - 3
    low, high, may_be_bad = ref.allowed_codes(values, 0.0, norm, style.vmin, style.vmax, n_colors)
    is_bad = rows == n_colors + 2
    codes = np.select([rows == n_colors, rows == n_colors + 1], [-1, n_colors], rows)
    is_colored = (low != -2) & (codes >= low) & (codes <= high)
    return np.where(is_bad, may_be_bad | (low == -2), is_colored) | ~np.isfinite(values)


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
def test_colours_of_the_reference(emulated, name):
    """Rows are those of the definition, or the neighbours that rounding allows."""
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
    """From one colour to more than two bytes count."""
    style = style_of(norm, -1.0, 1.0, n_colors=n_colors)
    style.table[:, 2] = np.arange(n_colors + 3) >> 16
    cells, host = on_both(values_of(style, (50, 60)))
    assert np.array_equal(_native.shade(cells, style), _native.shade(host, style))


@pytest.mark.parametrize("kind", ["even", "steep", "tied", "both ends"])
def test_ranks_of_many_cells(emulated, kind):
    """Equalisation by exact ranks, however the cells lie: the edges between colours are the host's."""
    x = np.random.default_rng(len(kind)).random((60, 70))
    values, limits = {
        "even": (x, (0.0, 1.7e308)), "steep": (np.exp(1000 * x - 500), (0.0, 1.7e308)), "tied": (np.floor(9 * x), (1.0, 7.0)),
        "both ends": ((2 * x - 1) * 1.7e308, (-INF, INF))}[kind]
    cells, host = on_both(values, n_empty=1)
    for n_colors in (1, 2, 7, 256, 2048):
        style = style_of("eq_hist", *limits, n_colors=n_colors)
        assert np.array_equal(_native.shade(cells, style), _native.shade(host, style))


def test_ranks_stay_on_the_device(emulated):
    """Only counts come down beside the pixels, in few passes."""
    cells = device_cells(np.random.default_rng(0).normal(size=(200, 300)))
    _native.shade(cells, STYLES["eq_hist"][0])
    before = _native.cuda_counts(0)
    _native.shade(cells, STYLES["eq_hist"][0])
    after = {key: value - before[key] for key, value in _native.cuda_counts(0).items()}
    assert after["n_launches"] < 25
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


def rgb_style(n_channels, **choices):
    scale = (1.0, 0.5, 2.0, 1.0)[:n_channels]
    offset = (0.0, 0.25, -0.1, 0.0)[:n_channels]
    choices = {"scale": scale, "offset": offset, "is_rounded": False, "is_f32": False, **MARKS, **choices}
    return RgbStyle(**choices)


def channels_of(n, shape=(21, 34), n_empty=1, seed=0):
    rng = np.random.default_rng(seed)
    grids = []
    for k in range(n):
        values = rng.uniform(-0.3, 1.3, shape)
        values.flat[rng.integers(0, values.size, 12)] = rng.choice([NAN, INF, -INF, 0.0, 1.0, -0.0], 12)
        if k == 3:
            values.flat[rng.integers(0, values.size, 60)] = 0.0
        grids.append(on_both(values, n_empty))
    return tuple(grid[0] for grid in grids), tuple(grid[1] for grid in grids)


def bytes_of(pixels, limits):
    """Pixels and the range of their colours in one array."""
    return np.concatenate([pixels.ravel(), np.array(limits).view(np.uint8)])


RGB_STYLES = {
    "plain": {}, "rounded": {"is_rounded": True}, "float32": {"is_f32": True}, "weighted": {"is_alpha_weighted": True},
    "weighted and rounded": {"is_alpha_weighted": True, "is_rounded": True}, "opacity": {"alpha": 0.4},
    "opacity in place of alpha": {"alpha": 0.4, "is_alpha_replaced": True},
    "bytes": {"scale": (1 / 255,) * 4, "offset": (0.0,) * 4, "is_rounded": True},
}


@pytest.mark.parametrize("n_channels", [3, 4])
@pytest.mark.parametrize("name", RGB_STYLES)
def test_channels(emulated, name, n_channels):
    """The CPU's pixels and its range of colours before clipping, in every mode."""
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
    """The largest and the smallest colour anywhere."""
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


# ---- what it costs, and what goes wrong --------------------------------------------------------------------------------


def test_recolouring_is_one_kernel(emulated):
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
    assert "cuMemAlloc_v2" not in emulated.counts()


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
    """Where the device is short of memory a picture is coloured in pieces."""
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
