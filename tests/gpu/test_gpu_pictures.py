"""Tensors of every dtype, layout and library on a real GPU give the pictures of their copies on the host."""

import numpy as np
import pytest
from gpu import comparing
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import gpuplot

pytestmark = pytest.mark.gpu

INTEGERS = ("uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
FLOATS8 = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu")
COMPLEX = ("complex32", "complex64", "complex128")


def made(torch, name, shape=(301, 457)):
    """A tensor of torch on the host, the same for the same shape and dtype."""
    dtype = getattr(torch, name, None)
    if dtype is None:
        pytest.skip(f"this torch has no {name}")
    torch.manual_seed(1)
    if name == "bool":
        return torch.rand(shape) < 0.5
    if name in INTEGERS:
        low, high = (0, 200) if name.startswith("u") else (-100, 100)
        return torch.randint(low, high, shape).to(dtype)
    values = torch.randn(shape, dtype=torch.complex128 if name in COMPLEX else torch.float64)
    if name in FLOATS8:
        values = values.abs() * 8 if name.endswith("fnu") else values * 8
        return values.float().to(dtype)
    return values.to(dtype)


@pytest.mark.parametrize("name", ["bool", *INTEGERS, *FLOATS, *FLOATS8, *COMPLEX])
def test_every_dtype_of_torch(torch, device, name):
    host = made(torch, name)
    tensor = host.to(device)
    for agg in ("mean", "max", "min", "absmax", "std", "count", "nearest"):
        comparing.check_cells(tensor, host, agg=agg)
    comparing.check_pixels(tensor, host, agg="nearest", cmap="magma")
    np.testing.assert_array_equal(comparing.drawn(tensor, agg="max", rgb=False), comparing.drawn(host, agg="max", rgb=False))


LAYOUTS = {
    "contiguous": lambda t: t,
    "transposed": lambda t: t.T,
    "every second row, every third column": lambda t: t[::2, ::3],
    "from somewhere": lambda t: t[7:, 5:],
    "expanded": lambda t: t[:1].expand(300, -1),
    "a diagonal band": lambda t: t.as_strided((200, 100), (458, 1)),
    "one column": lambda t: t[:, 3:4],
    "one row": lambda t: t[3:4],
    "one element": lambda t: t[5, 5].reshape(1, 1),
    "flat": lambda t: t.reshape(-1),
    "nothing": lambda t: t[:0],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["uint8", "bfloat16", "float32", "float64", "complex64"])
def test_every_layout(torch, device, name, layout):
    host = LAYOUTS[layout](made(torch, name))
    tensor = LAYOUTS[layout](made(torch, name).to(device))
    for agg in ("mean", "max"):
        comparing.check_cells(tensor, host, agg=agg)
        comparing.check_cells(tensor, host, shape=(1, 1), agg=agg)


@pytest.mark.parametrize("nan", ["show", "skip"])
@pytest.mark.parametrize("name", FLOATS)
def test_nan_and_infinities(torch, device, name, nan):
    host = made(torch, name)
    flat = host.view(-1)
    flat[::97], flat[5::301], flat[9::401] = float("nan"), float("inf"), -float("inf")
    tensor = host.to(device)
    for agg in ("mean", "max", "range", "std", "var", "sum", "count"):
        comparing.check_cells(tensor, host, agg=agg, nan=nan)
    comparing.check_pixels(tensor, host, agg="max", nan=nan, nan_color="magenta", pos_inf_color="cyan", neg_inf_color="orange")


@pytest.mark.parametrize("options", [
    {"robust": True}, {"center": 0}, {"norm": "symlog"}, {"norm": "asinh"}, {"norm": "cbrt"}, {"norm": "eq_hist"}, {"gamma": 0.5},
    {"vmin": -1, "vmax": 2, "under_color": "black", "over_color": "white"}, {"alpha": 0.5}, {"view": ((10.5, 200), (300, 20))},
], ids=str)
def test_styles_and_views(torch, device, options):
    host = made(torch, "float32", (700, 900))
    comparing.check_pixels(host.to(device), host, agg="max", **options)
    comparing.check_pixels(host.to(device), host, most_differing=comparing.MOST_BORDERLINE, **options)


def test_axes_channels_and_classes(torch, device):
    acts, colors = made(torch, "float32", (3, 4, 61, 83)), torch.rand(3, 224, 300, generator=torch.manual_seed(2))
    comparing.check_cells(acts.to(device), acts, x=3, y=2, index={0: 1}, reduce={1: "mean"})
    comparing.check_cells(acts.to(device), acts, x=3, y=0, index={1: 2}, reduce={2: "norm"})
    comparing.check_pixels(colors.to(device), colors, most_differing=comparing.MOST_BORDERLINE)
    comparing.check_pixels(colors.to(device), colors, agg="nearest")
    labels = made(torch, "int64") % 11
    comparing.check_pixels(labels.to(device), labels, categorical=True)
    last = acts.to(memory_format=torch.channels_last)
    comparing.check_cells(last.to(device), last, index={0: 1, 1: 2})


@pytest.mark.parametrize("mode", ["square_amplitude", "real", "imaginary", "phase", "amplitude_phase", "log10_amplitude_phase"])
def test_complex_modes(torch, device, mode):
    host = made(torch, "complex64")
    comparing.check_pixels(host.to(device), host, complex_mode=mode, most_differing=comparing.MOST_BORDERLINE)


def test_files(torch, device):
    for name in ("uint8", "float32"):
        host = made(torch, name)
        np.testing.assert_array_equal(comparing.saved(host.to(device)), comparing.saved(host))
        np.testing.assert_array_equal(comparing.saved(host.to(device), width=100, origin="lower", shape=None),
                                      comparing.saved(host, width=100, origin="lower"))


def test_what_autograd_and_conjugation_leave(torch, device):
    host = made(torch, "complex64")
    tensor = host.to(device)
    weights = made(torch, "float32").to(device).requires_grad_()
    comparing.check_cells(weights, weights.detach().cpu())
    comparing.check_cells(torch.nn.Parameter(weights * 2), (weights * 2).detach().cpu())
    comparing.check_cells(tensor.conj(), host.conj().resolve_conj(), complex_mode="imaginary")
    comparing.check_cells(tensor.conj().imag, host.conj().imag.resolve_neg())


def frames_of(tensor):
    """The pixels of an image zoomed into three parts, and after the tensor was changed."""
    fig = Figure(figsize=(3, 2), dpi=100)
    FigureCanvasAgg(fig)
    ax = fig.add_axes((0, 0, 1, 1))
    image = gpuplot.imshow(tensor, ax=ax, agg="max", aspect="auto")
    frames = []
    for columns, rows in (((0, 1200), (1500, 0)), ((100.5, 900), (700, 33)), ((5, 25), (20, 3))):
        ax.set(xlim=columns, ylim=rows)
        fig.canvas.draw()
        frames.append(np.asarray(fig.canvas.buffer_rgba()).copy())
    tensor.mul_(-1)
    image.update()
    fig.canvas.draw()
    return [*frames, np.asarray(fig.canvas.buffer_rgba()).copy()]


def test_a_borrowed_plane_is_drawn_zoomed_and_drawn_again(torch, device):
    host = made(torch, "float32", (1500, 1200))
    for got, want in zip(frames_of(host.to(device, copy=True)), frames_of(host), strict=True):
        np.testing.assert_array_equal(got, want)


def test_two_draws_have_the_same_bits(torch, device):
    tensor = made(torch, "float32", (3000, 1700)).to(device)
    for agg in ("mean", "range", "std", "var", "sum"):
        first = gpuplot.downsample(tensor, (40, 30), agg=agg)
        for _ in range(5):
            np.testing.assert_array_equal(gpuplot.downsample(tensor, (40, 30), agg=agg).view(np.uint64), first.view(np.uint64))
