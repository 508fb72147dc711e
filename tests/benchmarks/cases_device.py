"""The rows of a GPU: tensors in its memory, pixels in the host's, against what people type today."""

from dataclasses import dataclass

from contenders import Case, Contender

TORCH = "import torch\nimport torch.nn.functional as F"
PYPLOT = "import io\nimport matplotlib\nmatplotlib.use('agg')\nimport matplotlib.pyplot as plt\nimport numpy as np\n"
COLORS = "import matplotlib\nfrom matplotlib.colors import Normalize"
# The size that the lists of cells are meant for.
SIDE = 16384


@dataclass(frozen=True)
class DeviceCase(Case):
    """A case on a device.

    Attributes
    ----------
    reads_all : bool
        Whether the job must read every element, so that bytes per second and the speed of light mean something.
    is_cold : bool
        Whether every contender is also run in a fresh process.
    light_aim : float
        The share of the speed of light that the kernels should reach; 0 for none. Shown, never enforced.
    """

    reads_all: bool = True
    is_cold: bool = False
    light_aim: float = 0


def shapes(side):
    """Cells for fractional ratios, for whole ones, and that whole ratio."""
    def scaled(n):
        return max(6, round(n * side / SIDE))

    ratio = 16 if side >= 256 else 4
    return (scaled(800), scaled(1000)), (side // ratio, side // ratio), ratio


def ours(agg, shape, nan="show", extra=""):
    """`gpuplot.downsample`."""
    options = "".join([f", agg={agg!r}" if agg != "mean" else "", f", nan={nan!r}" if nan != "show" else "", extra])
    return Contender("gpuplot.downsample", f"r = gpuplot.downsample(t, {shape}{options})", "import gpuplot", ("gpuplot",),
                     cells="r")


def on_host(name, line, note="", setup=TORCH, needs=("torch",)):
    """A one-liner that ends in a host tensor `r`."""
    return Contender(name, line, setup, needs, cells="r.double().numpy().reshape(r.shape[-2:])", note=note)


def area(shape, is_whole):
    note = "" if is_whole else "unweighted: border elements count twice"
    return on_host("torch interpolate area", f"r = F.interpolate(t[None, None], size={shape}, mode='area').cpu()", note)


def adaptive(shape, is_whole):
    note = "" if is_whole else "unweighted: border elements count twice"
    return on_host("torch adaptive_avg_pool2d", f"r = F.adaptive_avg_pool2d(t[None, None], {shape}).cpu()", note)


def blocks(agg, shape, ratio):
    options = ", correction=0" if agg == "std" else ""
    line = f"r = t.reshape({shape[0]}, {ratio}, {shape[1]}, {ratio}).{agg}((1, 3){options}).cpu()"
    return on_host(f"torch reshape, {agg}", line, "whole ratios only")


def pooled(ratio):
    return on_host("torch avg_pool2d", f"r = F.avg_pool2d(t[None, None], {ratio}).cpu()", "whole ratios only")


def max_pooled(shape):
    return on_host("torch adaptive_max_pool2d", f"r = F.adaptive_max_pool2d(t[None, None], {shape}).cpu()", "no NaN policy")


def cucim_blocks(ratio):
    return Contender("cuCIM block_reduce", f"r = block_reduce(cupy.from_dlpack(t), {(ratio, ratio)}, cupy.mean).get()",
                     "import cupy\nfrom cucim.skimage.measure import block_reduce", ("cupy", "cucim"), cells="r",
                     note="whole ratios only")


def cupy_blocks(agg, shape, ratio):
    line = f"r = cupy.from_dlpack(t).reshape({shape[0]}, {ratio}, {shape[1]}, {ratio}).{agg}((1, 3)).get()"
    return Contender(f"CuPy reshape, {agg}", line, "import cupy", ("cupy",), cells="r", note="whole ratios only")


def strided(ratio):
    return on_host("strided slice", f"r = t[::{ratio}, ::{ratio}].cpu()",
                   f"wrong: {ratio * ratio - 1} of {ratio * ratio} elements are never looked at")


COORDINATES = "dims=('y', 'x'), coords={'y': np.arange(t.shape[0]), 'x': np.arange(t.shape[1])}"


def raster(shape, agg):
    return Contender("datashader raster", f"r = ds.Canvas({shape[1]}, {shape[0]}).raster(xr.DataArray(t.cpu().numpy(), "
                     f"{COORDINATES}), agg={agg!r})", "import datashader as ds\nimport numpy as np\nimport xarray as xr",
                     ("datashader", "xarray"), cells="r.values", note="on the CPU, after a copy")


def quadmesh(shape, agg):
    coordinates = COORDINATES.replace("np.arange", "cupy.arange")
    return Contender("datashader quadmesh", f"r = ds.Canvas({shape[1]}, {shape[0]}).quadmesh(xr.DataArray(cupy.from_dlpack(t), "
                     f"{coordinates}, name='z'), x='x', y='y', agg=ds.{agg}('z')).data.get()",
                     "import cupy\nimport datashader as ds\nimport xarray as xr", ("cupy", "datashader", "xarray"), cells="r",
                     note="on the GPU, through CuPy")


# ---- cells --------------------------------------------------------------------------------------------------------------


def mean_cases(side):
    """Means, the largest share of what people look at."""
    fractional, whole, ratio = shapes(side)
    dtypes = ("float16", "bfloat16", "uint8", "int32", "float64")
    return [
        DeviceCase("mean", "float32", ours("mean", fractional), (
            area(fractional, False), adaptive(fractional, False), raster(fractional, "mean"), quadmesh(fractional, "mean")),
            ("cells", fractional, "mean"), is_quick=True, is_headline=True, light_aim=0.85),
        DeviceCase("mean, whole ratio", "float32", ours("mean", whole), (
            blocks("mean", whole, ratio), pooled(ratio), area(whole, True), strided(ratio), cupy_blocks("mean", whole, ratio),
            cucim_blocks(ratio)),
            ("cells", whole, "mean"), is_quick=True, is_headline=True, light_aim=0.85),
        *[DeviceCase(f"mean {dtype}", dtype, ours("mean", fractional), (area(fractional, False),) if dtype[0] in "bf" else (),
                     ("cells", fractional, "mean"), is_quick=True, light_aim=0 if dtype == "float64" else 0.8) for dtype in dtypes],
        DeviceCase("mean, 8 GiB", "large", ours("mean", fractional), (area(fractional, False),), ("cells", fractional, "mean"),
                   light_aim=0.85),
        DeviceCase("mean, transposed", "transposed", ours("mean", fractional), (area(fractional, False),),
                   ("cells", fractional, "mean")),
        DeviceCase("mean, every second row", "sliced", ours("mean", fractional), (area(fractional, False),),
                   ("cells", fractional, "mean")),
        DeviceCase("mean, tall", "tall", ours("mean", (fractional[0], 8)), (area((fractional[0], 8), False),),
                   ("cells", (fractional[0], 8), "mean")),
        DeviceCase("one cell", "float32", ours("mean", (1, 1)), (
            on_host("torch mean", "r = t.mean().reshape(1, 1).cpu()"),), ("cells", (1, 1), "mean")),
    ]


def extreme_cases(side):
    """The other aggregations."""
    fractional, whole, ratio = shapes(side)
    return [
        DeviceCase("max", "float32", ours("max", fractional), (max_pooled(fractional),), ("cells", fractional, "max"), is_quick=True,
                   is_headline=True, light_aim=0.85),
        DeviceCase("max, whole ratio", "float32", ours("max", whole), (
            blocks("amax", whole, ratio), max_pooled(whole), raster(whole, "max")), ("cells", whole, "max")),
        DeviceCase("absmax", "float32", ours("absmax", fractional), (), ("cells", fractional, "absmax")),
        DeviceCase("std, whole ratio", "float32", ours("std", whole), (blocks("std", whole, ratio), raster(whole, "std")),
                   ("cells", whole, "std")),
    ]


def nan_cases(side):
    """NaN among the elements, shown and skipped."""
    fractional, whole, ratio = shapes(side)
    blocked = f"t.cpu().numpy().reshape({whole[0]}, {ratio}, {whole[1]}, {ratio})"
    on_cpu = Contender("np.nanmean", f"r = np.nanmean({blocked}, axis=(1, 3))", "import numpy as np", cells="r",
                       note="whole ratios only")
    return [
        DeviceCase("mean, 1 % NaN skipped", "nan 1 %", ours("mean", whole, "skip"), (blocks("nanmean", whole, ratio), on_cpu),
                   ("cells", whole, "mean", "skip"), is_quick=True, is_headline=True),
        DeviceCase("mean, 1 % NaN shown", "nan 1 %", ours("mean", fractional), (), ("cells", fractional, "mean", "show")),
        DeviceCase("mean, all NaN", "nan 100 %", ours("mean", fractional), (), ("cells", fractional, "mean", "show")),
    ]


# ---- pictures -----------------------------------------------------------------------------------------------------------

DRAW = "fig = plt.figure()\n{call}\nfig.savefig(io.BytesIO(), format='png')\nplt.close(fig)"
FULL = ("fig = plt.figure(figsize=({w}, {h}), dpi=1)\nax = fig.add_axes((0, 0, 1, 1))\nax.set_axis_off()\n"
        "{call}\nfig.canvas.draw()\nr = np.array(fig.canvas.buffer_rgba())\nplt.close(fig)")


def figure(name, call, setup, shape, needs, note=""):
    """A figure with the tensor in it, saved; compared as pixels of a figure that is all picture, with the limits of all elements."""
    full = "gpuplot.imshow(t, ax=ax, aspect='auto', limits='elements'"
    check = FULL.format(w=shape[1], h=shape[0], call=call.replace("gpuplot.imshow(t", full)
                        .replace("plt.imshow(t", "ax.imshow(t").removesuffix(")") + (", aspect='auto')" if "plt" in call else ")"))
    return Contender(name, DRAW.format(call=call), setup, needs, picture="r", check=check, note=note)


def figure_cases(side):
    """A whole figure, drawn and written as PNG into memory."""
    fractional, _, ratio = shapes(side)
    mine = figure("gpuplot.imshow, savefig", "gpuplot.imshow(t)", PYPLOT + "import gpuplot\n", fractional,
                  ("gpuplot", "matplotlib"))
    copied = figure("plt.imshow of a copy", "plt.imshow(t.cpu())", PYPLOT, fractional, ("matplotlib",))
    sliced = figure("plt.imshow of a slice", f"plt.imshow(t[::{ratio}, ::{ratio}].cpu())", PYPLOT, fractional,
                    ("matplotlib",), "wrong: most elements are never looked at")
    empty = Contender("an empty figure", DRAW.format(call="plt.axes()"), PYPLOT, ("matplotlib",), note="what any figure costs")
    truth = ("picture", fractional)
    return [DeviceCase("figure to PNG", "float32", mine, (sliced, empty, copied), truth, is_quick=True, is_headline=True),
            _drawn_case()]


def _drawn_case():
    """A figure without a file: to compress noise as PNG takes longer than all that is measured here."""
    def drawn(name, call, setup):
        return Contender(f"{name}, draw", f"fig = plt.figure()\n{call}\nfig.canvas.draw()\nplt.close(fig)", setup, ("matplotlib",))

    mine = drawn("gpuplot.imshow", "gpuplot.imshow(t)", PYPLOT + "import gpuplot\n")
    return DeviceCase("figure, drawn", "float32", mine, (drawn("plt.imshow of a copy", "plt.imshow(t.cpu())", PYPLOT),), is_quick=True)


def picture_cases(side):
    """Tensor to pixels, and tensor to file."""
    fractional, _, _ = shapes(side)
    colors = "matplotlib.colormaps['viridis'](Normalize(float(low), float(high))(c.numpy()), bytes=True)"
    torch = Contender("torch area, matplotlib colors",
                      f"c = F.interpolate(t[None, None], size={fractional}, mode='area')[0, 0].cpu()\n"
                      f"low, high = torch.aminmax(t)\nr = {colors}", f"{TORCH}\n{COLORS}", ("torch",), picture="r",
                      note="border elements count twice")
    mine = Contender("gpuplot.to_rgba", f"r = gpuplot.to_rgba(t, {fractional})", "import gpuplot", ("gpuplot",), picture="r",
                     check=f"r = gpuplot.to_rgba(t, {fractional}, limits='elements')")
    robust = Contender("gpuplot.to_rgba, robust", f"r = gpuplot.to_rgba(t, {fractional}, robust=True)", "import gpuplot",
                       ("gpuplot",))
    ranks = "s = t.reshape(-1).sort().values\nr = [s[int((t.numel() - 1) * q)].item() for q in (0.02, 0.98)]"
    sort = Contender("limits by torch.sort", ranks, TORCH, ("torch",),
                     note="limits alone; torch.quantile stops at 2^24 elements")
    return [DeviceCase("tensor to pixels", "float32", mine, (torch,), ("picture", fractional), is_quick=True, is_headline=True),
            DeviceCase("tensor to pixels, robust", "float32", robust, (sort,))]


def zoom_cases():
    """One frame of a list of random views, in the artist that is there already."""
    views = ("import random\nrandom.seed(5)\nimport itertools\n"
             "boxes = [(random.random(), random.random(), 2 ** -random.uniform(0, 7)) for _ in range(100)]\n"
             "boxes = itertools.cycle([(x * (1 - s) * t.shape[1], y * (1 - s) * t.shape[0], s) for x, y, s in boxes])\n")
    line = ("x, y, s = next(boxes)\nax.set_xlim(x, x + s * t.shape[1])\nax.set_ylim(y + s * t.shape[0], y)\nfig.canvas.draw()")
    figure_of = "fig = plt.figure(figsize=(10, 8), dpi=100)\nax = fig.add_axes((0, 0, 1, 1))\n{call}\nfig.canvas.draw()\n"
    mine = Contender("gpuplot.imshow, zoom", line, PYPLOT + views + "import gpuplot\n"
                     + figure_of.format(call="gpuplot.imshow(t, ax=ax)"), ("gpuplot", "matplotlib"))
    copied = Contender("plt.imshow of a copy, zoom", line, PYPLOT + views + figure_of.format(call="ax.imshow(t.cpu())"),
                       ("matplotlib",))
    return [DeviceCase("a frame while zooming", "half", mine, (copied,), reads_all=False, is_headline=True)]


def shade_cases():
    """Cells that are there already, 1000 x 800 float64."""
    def mine(norm):
        option = "" if norm == "linear" else f", norm={norm!r}"
        return Contender("gpuplot.to_rgba", f"r = gpuplot.to_rgba(t, vmin=-3, vmax=6{option})", "import gpuplot", ("gpuplot",),
                         picture="r")

    copied = Contender("matplotlib cmap(norm())",
                       "r = matplotlib.colormaps['viridis'](Normalize(-3, 6)(t.cpu().numpy()), bytes=True)",
                       COLORS, ("matplotlib",), picture="r")
    shader = Contender("datashader shade eq_hist", "r = tf.shade(xr.DataArray(t.cpu().numpy()), how='eq_hist')",
                       "import datashader.transfer_functions as tf\nimport xarray as xr", ("datashader", "xarray"))
    return [DeviceCase("colors", "cells", mine("linear"), (copied,), ("colors", "linear"), is_quick=True, is_headline=True,
                       reads_all=False),
            DeviceCase("colors, eq_hist", "cells", mine("eq_hist"), (shader,), reads_all=False)]


def copy_cases():
    """Pixels of a picture that has as many elements, against copies of as many finished pixels."""
    def copies(shape):
        made = f"import torch\nq = torch.randint(0, 256, {(*shape, 4)}, dtype=torch.uint8, device=device)\n"
        pinned = made + "p = torch.empty(q.shape, dtype=q.dtype, pin_memory=device == 'cuda')"
        return (Contender("torch .cpu() of RGBA", "r = q.cpu()", made, ("torch",), note="pageable; finished pixels"),
                Contender("torch copy into pinned memory", "p.copy_(q, non_blocking=True)", pinned, ("torch",),
                          note="finished pixels"))

    sizes = {"picture 0.3": (480, 640), "picture 1": (1000, 1000), "picture 4": (2000, 2000)}
    mine = Contender("gpuplot.to_rgba", "r = gpuplot.to_rgba(t)", "import gpuplot", ("gpuplot",), picture="r")
    return [DeviceCase(f"to the host, {shape[1]} x {shape[0]}", name, mine, copies(shape), ("colors_of_elements",), reads_all=False)
            for name, shape in sizes.items()]


def cold_cases(side):
    """Fresh processes in which torch has used the device already."""
    fractional, _, _ = shapes(side)
    small = (min(fractional[0], 100), min(fractional[1], 100))
    opponents = (raster(small, "mean"), quadmesh(small, "mean"))
    return [DeviceCase("first call", "half", ours("mean", small), opponents, is_cold=True, reads_all=False)]


def all_cases(side=SIDE):
    """Every row of the device, the most wanted ones first."""
    return [*mean_cases(side), *extreme_cases(side), *nan_cases(side), *picture_cases(side), *shade_cases(), *copy_cases(),
            *figure_cases(side), *zoom_cases(), *cold_cases(side)]
