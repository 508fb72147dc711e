"""The rows about pictures: limits, colors, figures, files and imports."""

from contenders import Case, Contender

PYPLOT = "import matplotlib\nmatplotlib.use('agg')\nimport matplotlib.pyplot as plt\nimport numpy as np\n"
GPUPLOT = PYPLOT + "import gpuplot\n"
# A figure that is all picture, to compare pixels: 1000 x 800 of them.
FULL = ("fig = plt.figure(figsize=(10, 8), dpi=100)\nax = fig.add_axes((0, 0, 1, 1))\nax.set_axis_off()\n"
        "{call}\nfig.canvas.draw()\nr = np.array(fig.canvas.buffer_rgba())\nplt.close(fig)")


def robust_figure_cases():
    """A figure whose limits are percentiles of all elements, drawn, against finding these."""
    ours = Contender("gpuplot.imshow, robust, draw", "fig = plt.figure()\ngpuplot.imshow(a, robust=True)\nfig.canvas.draw()\n"
                     "plt.close(fig)", GPUPLOT, ("gpuplot", "matplotlib"))
    numpy = Contender("np.percentile", "r = np.percentile(a, (2, 98))", "import numpy as np", note="two numbers, no picture")
    return [Case("first draw, robust limits", "float32", ours, (numpy,), (), {"np.percentile": 0.15}, is_quick=True)]


def figure(module, setup):
    """A new figure with the array in it, drawn."""
    return Contender(f"{module}.imshow, draw", f"fig = plt.figure()\n{module}.imshow(a)\nfig.canvas.draw()\nplt.close(fig)",
                     setup, ("gpuplot", "matplotlib") if module == "gpuplot" else ("matplotlib",),
                     picture="r", check=FULL.format(call={
                         "gpuplot": "gpuplot.imshow(a, ax=ax, aspect='auto')", "plt": "ax.imshow(a, aspect='auto')"}[module]))


def figure_cases():
    """The first draw, figure included: a big array and small ones."""
    empty = Contender("an empty figure, draw", "fig = plt.figure()\nplt.axes()\nfig.canvas.draw()\nplt.close(fig)", PYPLOT,
                      ("matplotlib",), note="what any figure costs")
    rows = [("first draw, 8000 x 8000", "float32", 1 / 30), ("first draw, 1000 x 1000", "small 1000", 1.05),
            ("first draw, 100 x 100", "small 100", 1.05)]
    return [Case(name, array, figure("gpuplot", GPUPLOT), (figure("plt", PYPLOT), empty),
                 ("picture of array", (800, 1000)) if array == "float32" else (),
                 {"plt.imshow, draw": bound} | ({"an empty figure, draw": 1.6} if array == "float32" else {}),
                 is_quick=True, is_headline=array == "float32") for name, array, bound in rows]


def percentile_cases():
    """The limits of ``robust=True``."""
    ours = Contender("gpuplot, robust limits", "r = find_percentiles(source, view, (2, 98))",
                     "import numpy as np\nfrom gpuplot.plane.limits import find_percentiles\nfrom gpuplot.arrays.describe import describe\n"
                     "from gpuplot.plane.view import choose\nsource = describe(a)\n"
                     "view = choose(source.shape, source.dims, source.dtype)",
                     ("gpuplot",), cells="np.array([r])")
    numpy = Contender("np.percentile", "r = np.percentile(a, (2, 98))", "import numpy as np", cells="np.array([r])")
    select = Contender("torch.kthvalue, twice",
                       "r = torch.kthvalue(t, 1_280_000).values, torch.kthvalue(t, 62_720_000).values",
                       "import torch\nt = torch.from_numpy(a).reshape(-1)", ("torch",),
                       note="nearest ranks only; torch.quantile stops at 16777216 elements")
    return [Case("percentiles 2 and 98", "float32", ours, (numpy, select), ("percentiles", (2, 98)),
                 {"np.percentile": 0.1}, is_quick=True, is_headline=True)]


def color_cases():
    """Cells that are there already: 1000 x 800 float64 to pixels."""
    def ours(norm):
        option = "" if norm == "linear" else f", norm={norm!r}"
        return Contender("gpuplot.to_rgba", f"r = gpuplot.to_rgba(a, vmin=1, vmax=3{option})", "import gpuplot",
                         ("gpuplot",), picture="r")

    def theirs(norm):
        name = {"linear": "Normalize", "log": "LogNorm"}[norm]
        return Contender("matplotlib cmap(norm())", f"r = matplotlib.colormaps['viridis']({name}(1, 3)(a), bytes=True)",
                         f"import matplotlib\nfrom matplotlib.colors import {name}", ("matplotlib",), picture="r")

    def shader(how):
        return Contender("datashader shade",
                         f"r = tf.shade(d, cmap=colors, how={how!r}, span=(1, 3))",
                         "import datashader.transfer_functions as tf\nimport matplotlib\nimport xarray as xr\n"
                         "d = xr.DataArray(a)\ncolors = matplotlib.colormaps['viridis']",
                         ("datashader", "xarray"), note="interpolates 256 colors instead of choosing one")

    return [Case(f"colors, {norm}", "cells", ours(norm), (theirs(norm), shader(norm)), ("colors", norm),
                 {"matplotlib cmap(norm())": bound}, is_quick=True) for norm, bound in (("linear", 0.1), ("log", 0.2))]


def picture_cases():
    """Array to pixels: cells, limits and colors in one call."""
    ours = Contender("gpuplot.to_rgba", "r = gpuplot.to_rgba(a, (800, 1000))", "import gpuplot", ("gpuplot",), picture="r")
    torch = Contender("torch area, matplotlib colors",
                      "c = F.adaptive_avg_pool2d(t[None, None], (800, 1000))[0, 0].numpy()\n"
                      "low, high = torch.aminmax(t)\n"
                      "r = matplotlib.colormaps['viridis'](Normalize(float(low), float(high))(c), bytes=True)",
                      "import matplotlib\nfrom matplotlib.colors import Normalize\nimport torch\n"
                      "import torch.nn.functional as F\nt = torch.from_numpy(a)", ("torch",), picture="r")
    shader = Contender("datashader raster, shade",
                       "r = tf.shade(ds.Canvas(1000, 800).raster(d), cmap=colors, how='linear')",
                       "import datashader as ds\nimport datashader.transfer_functions as tf\nimport matplotlib\n"
                       "import numpy as np\nimport xarray as xr\n"
                       "d = xr.DataArray(a, dims=('y', 'x'), "
                       "coords={'y': np.arange(a.shape[0]), 'x': np.arange(a.shape[1])})\n"
                       "colors = matplotlib.colormaps['viridis']", ("datashader", "xarray"),
                       note="limits of the cells, not of the array")
    wrong = Contender("decimation, matplotlib colors", "r = matplotlib.colormaps['viridis'](Normalize()(a[::10, ::8]), bytes=True)",
                      "import matplotlib\nfrom matplotlib.colors import Normalize", ("matplotlib",), picture="r",
                      note="79 of 80 elements are never looked at")
    return [Case("array to pixels", "float32", ours, (torch, shader, wrong), ("picture of array", (800, 1000)),
                 is_quick=True, is_headline=True)]


def close_cases():
    """Pixels of one, two and more elements a side, beside the picture zoomed out and what makes as many pixels."""
    def ours(n):
        return Contender("gpuplot.to_rgba", f"r = gpuplot.to_rgba(a[:4000, :4000], ({n}, {n}))", "import gpuplot", ("gpuplot",))

    zoomed_out = Contender("gpuplot.to_rgba, zoomed out", "r = gpuplot.to_rgba(a, (800, 1000))", "import gpuplot", ("gpuplot",),
                           note="of four times as many elements")
    theirs = Contender("matplotlib cmap(norm())",
                       "r = matplotlib.colormaps['viridis'](Normalize()(a[:4000, :4000]), bytes=True)",
                       "import matplotlib\nfrom matplotlib.colors import Normalize", ("matplotlib",), note="one pixel an element")
    return [Case(f"pixels of 4000 x 4000 onto {n} x {n}", "float32", ours(n), (zoomed_out, theirs) if n == 4000 else (zoomed_out,),
                 (), {"gpuplot.to_rgba, zoomed out": 1.0}, is_quick=n in (4000, 1000)) for n in (4000, 3300, 2000, 1000)]


def frame_cases():
    """A frame of a zoom where Mitchell's filter makes the pixels, beside the one of the whole plane: without and with NaN."""
    def frame(view):
        return f"r = gpuplot.to_rgba(a, (1000, 1600){view}, vmin=1, vmax=3)"

    ours = Contender("gpuplot.to_rgba", frame(", view=((10, 1210), (10, 1930))"), "import gpuplot", ("gpuplot",))
    zoomed_out = Contender("gpuplot.to_rgba, zoomed out", frame(""), "import gpuplot", ("gpuplot",), note="of 28 times as many elements")
    return [Case(f"1.2 elements a pixel, {name}", name, ours, (zoomed_out,), (), {"gpuplot.to_rgba, zoomed out": 1.0}, is_quick=True)
            for name in ("float32", "nan 1 %")]


def file_cases():
    """PNG files of 1920 x 1080 float32 arrays."""
    path = "import os, tempfile\nimport numpy as np\npath = os.path.join(tempfile.mkdtemp(), 'picture.png')\n"
    read = "(matplotlib.image.imread(path) * 255).round().astype(np.uint8)"
    ours = Contender("gpuplot.imsave", "gpuplot.imsave(path, a)", path + "import matplotlib.image\nimport gpuplot",
                     ("gpuplot",), picture=read, file=True)
    plt = Contender("plt.imsave", "plt.imsave(path, a)", path + PYPLOT + "import matplotlib.image", ("matplotlib",),
                    picture=read, file=True)
    pillow = Contender("Pillow save",
                       "Image.fromarray(matplotlib.colormaps['viridis'](Normalize()(a), bytes=True)).save(path)",
                       path + "import matplotlib\nimport matplotlib.image\nfrom matplotlib.colors import Normalize\n"
                       "from PIL import Image",
                       ("PIL", "matplotlib"), picture=read, file=True)
    small = Contender("Pillow quantized save",
                      "Image.fromarray((Normalize()(a).data * 255.999).astype('u1')).save(path)",
                      path + "from matplotlib.colors import Normalize\nfrom PIL import Image", ("PIL",), file=True,
                      note="gray, one byte a pixel, no colormap")
    return [Case(f"PNG, {kind}", f"{kind} hd", ours, (plt, pillow, small), ("colors of array",),
                 {"plt.imsave": 0.1}, is_quick=kind == "field", is_headline=kind == "field")
            for kind in ("noise", "smooth", "field", "blocks")]


def all_cases():
    """Every row about pictures."""
    return [*picture_cases(), *close_cases(), *frame_cases(), *percentile_cases(), *color_cases(), *figure_cases(),
            *robust_figure_cases(), *file_cases()]
