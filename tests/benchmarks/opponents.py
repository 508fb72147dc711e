"""What people type today for the jobs of gpuplot, each with its library's best settings."""

from contenders import Contender

TORCH = "import torch\nimport torch.nn.functional as F\nt = torch.as_tensor(a)"
DATASHADER = ("import datashader as ds\nimport numpy as np\nimport xarray as xr\n"
              "d = xr.DataArray(a, dims=('y', 'x'), "
              "coords={'y': np.arange(a.shape[0]), 'x': np.arange(a.shape[1])})")


def ours(agg="mean", shape=(800, 1000), nan="show"):
    """`gpuplot.downsample`."""
    options = "".join([f", agg={agg!r}" if agg != "mean" else "", f", nan={nan!r}" if nan != "show" else ""])
    return Contender("gpuplot.downsample", f"r = gpuplot.downsample(a, {shape}{options})", "import gpuplot",
                     ("gpuplot",), cells="r")


def floor(n_bytes=None):
    """torch.sum over the same bytes: how long reading them takes. `n_bytes` where the tensor is not a plain float32."""
    setup = TORCH if n_bytes is None else f"import torch\nt = torch.ones({n_bytes} // 4)"
    note = "the floor: reads the same bytes, gives one number" if n_bytes is None else \
        "the floor: sums as many bytes of contiguous float32"
    return Contender("torch.sum", "r = t.sum()", setup, ("torch",), note=note)


def aminmax():
    """torch's limits alone."""
    return Contender("torch.aminmax", "r = torch.aminmax(t)", TORCH, ("torch",), note="limits only, no cells")


def area_pool(shape=(800, 1000)):
    """torch's area pooling; F.interpolate(mode='area') calls the same kernel."""
    return Contender("torch adaptive_avg_pool2d", f"r = F.adaptive_avg_pool2d(t[None, None], {shape})", TORCH, ("torch",),
                     cells="r[0, 0].double().numpy()",
                     note="" if _is_whole(shape) else "unweighted: elements at borders count twice")


def area_interpolate(shape=(800, 1000)):
    """The same by its other name."""
    return Contender("torch interpolate area", f"r = F.interpolate(t[None, None], {shape}, mode='area')", TORCH, ("torch",),
                     cells="r[0, 0].double().numpy()",
                     note="" if _is_whole(shape) else "unweighted: elements at borders count twice")


def fixed_pool(ratio=(10, 8)):
    """torch's pooling with a whole ratio."""
    return Contender("torch avg_pool2d", f"r = F.avg_pool2d(t[None, None], {ratio})", TORCH, ("torch",),
                     cells="r[0, 0].double().numpy()", note="whole ratios only")


def max_pool(agg, shape=(800, 1000)):
    """torch's pooling of extremes."""
    line = {"max": f"r = F.adaptive_max_pool2d(t[None, None], {shape})",
            "min": f"r = -F.adaptive_max_pool2d(-t[None, None], {shape})"}[agg]
    return Contender("torch adaptive_max_pool2d", line, TORCH, ("torch",), cells="r[0, 0].double().numpy()",
                     note="drops no NaN")


def torch_blocks(agg="mean", shape=(800, 1000), source=(8000, 8000)):
    """torch on a reshaped view, whole ratios."""
    blocks = f"t.reshape({_blocks(shape, source)})"
    line = {"mean": f"r = {blocks}.mean((1, 3))", "nanmean": f"r = {blocks}.nanmean((1, 3))",
            "std": f"r = {blocks}.std((1, 3), correction=0)", "max": f"r = {blocks}.amax((1, 3))",
            "min": f"r = {blocks}.amin((1, 3))"}[agg]
    return Contender(f"torch reshape, {agg}", line, TORCH, ("torch",), cells="r.double().numpy()",
                     note="whole ratios only")


def numpy_blocks(agg="mean", shape=(800, 1000), source=(8000, 8000)):
    """NumPy on a reshaped view, whole ratios."""
    blocks = f"a.reshape({_blocks(shape, source)})"
    line = {"nanmean": f"r = np.nanmean({blocks}, axis=(1, 3))"}.get(agg, f"r = {blocks}.{agg}((1, 3))")
    return Contender(f"numpy reshape, {agg}", line, "import numpy as np", cells="r", note="whole ratios only")


def absmax_blocks(shape=(800, 1000), source=(8000, 8000)):
    """The larger of the two extremes, in torch."""
    line = (f"b = t.reshape({_blocks(shape, source)})\nhigh = b.amax((1, 3))\nlow = b.amin((1, 3))\n"
            "r = torch.where(high >= -low, high, low)")
    return Contender("torch reshape, absmax", line, TORCH, ("torch",), cells="r.double().numpy()", note="whole ratios only")


def datashader(agg="mean", shape=(800, 1000), note="skips NaN"):
    """datashader's raster, parallel and compiled."""
    return Contender("datashader raster", f"r = ds.Canvas({shape[1]}, {shape[0]}).raster(d, agg={agg!r})", DATASHADER,
                     ("datashader", "xarray"), cells="r.values", note=note)


def pillow_box(shape=(800, 1000)):
    """Pillow's box filter."""
    return Contender("Pillow BOX resize", f"r = im.resize(({shape[1]}, {shape[0]}), Image.Resampling.BOX)",
                     "import numpy as np\nfrom PIL import Image\nim = Image.fromarray(a)", ("PIL",), cells="np.asarray(r)",
                     note="" if _is_whole(shape) else "elements at borders count wholly or not at all")


def pillow_reduce(ratio=(8, 10)):
    """Pillow's mean of whole blocks."""
    return Contender("Pillow reduce", f"r = im.reduce({ratio})",
                     "import numpy as np\nfrom PIL import Image\nim = Image.fromarray(a)", ("PIL",), cells="np.asarray(r)",
                     note="whole ratios only")


def opencv_area(shape=(800, 1000)):
    """OpenCV's area filter."""
    return Contender("OpenCV INTER_AREA",
                     f"r = cv2.resize(a, ({shape[1]}, {shape[0]}), interpolation=cv2.INTER_AREA)", "import cv2",
                     ("cv2",), cells="r")


def _is_whole(shape, source=(8000, 8000)):
    return all(n % cells == 0 for n, cells in zip(source, shape))


def _blocks(shape, source):
    return f"{shape[0]}, {source[0] // shape[0]}, {shape[1]}, {source[1] // shape[1]}"
