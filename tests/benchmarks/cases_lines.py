"""The rows about lines: samples of each column of pixels, figures of long series and how far these are off, densities of many lines."""

from contenders import Case, Contender

N_COLUMNS = 1000
# A figure that is all line, to compare pixels: 1000 x 400 of them.
LINE = ("import matplotlib\nmatplotlib.use('agg')\nimport matplotlib.pyplot as plt\nimport numpy as np\n"
        "fig = plt.figure(figsize=(10, 4), dpi=100)\nax = fig.add_axes((0, 0, 1, 1))\nax.set_axis_off()\n"
        "{call}\nfig.canvas.draw()\nr = np.array(fig.canvas.buffer_rgba())\nplt.close(fig)")
DRAW = ("import matplotlib\nmatplotlib.use('agg')\nimport matplotlib.pyplot as plt\nimport numpy as np\n")


def m4_cases():
    """Positions and values of the four; with and without NaN."""
    ours = Contender(
        "gpuplot M4", "r = series.m4(bounds)",
        "import numpy as np\nfrom gpuplot.arrays.describe import describe\n"
        "from gpuplot.plane.series import Series, values_of_orders\n"
        f"series, bounds = Series(describe(a)), np.linspace(0, len(a), {N_COLUMNS + 1}).astype(int)", ("gpuplot",),
        cells="np.sort(np.stack([values_of_orders(r[0][n], r[1]) for n in ('y_first', 'y_last', 'lowest', 'highest')], axis=1))")

    def tsdownsample(name, note):
        return Contender(f"tsdownsample {name}", f"r = sampler.downsample(a, n_out={4 * N_COLUMNS}, parallel=True)",
                         f"import numpy as np\nfrom tsdownsample import {name}\nsampler = {name}()", ("tsdownsample", "numpy"),
                         cells="np.sort(a[r].reshape(-1, 4))", note=note)

    nan = tsdownsample("NaNM4Downsampler", "gives the first NaN for columns with one")
    plain = tsdownsample("M4Downsampler", "leaves NaN out")
    torch = Contender("torch.aminmax, reshape", f"r = torch.aminmax(t.reshape({N_COLUMNS}, -1), dim=1)",
                      "import torch\nt = torch.from_numpy(a)", ("torch",), note="extremes alone, no positions")
    return [Case(f"M4 of 1e8 samples{suffix}", f"series 1e8{suffix}", ours, (nan, plain, torch), ("m4", N_COLUMNS),
                 {"tsdownsample NaNM4Downsampler": 1.0}, is_quick=True) for suffix in ("", ", NaN")]


def figure_cases():
    """A new figure with the line in it, drawn; and the pictures beside that of all samples, antialiased as lines are."""
    def figure(module, call, note=""):
        return Contender(f"{module}.plot, draw", f"fig = plt.figure()\n{module}.plot(a)\nfig.canvas.draw()\nplt.close(fig)",
                         DRAW + ("import gpuplot\n" if module == "gpuplot" else ""), ("matplotlib",), picture="r",
                         check=LINE.format(call=call), note=note)

    ours = figure("gpuplot", "import gpuplot\ngpuplot.plot(a, ax=ax, linewidth=0.72)", "picture beside that of all samples")
    theirs = figure("plt", "matplotlib.rcParams['agg.path.chunksize'] = 20_000\nax.plot(a, linewidth=0.72)",
                    "with matplotlib's simplification, its default")
    return [Case(f"line of {n} samples, first draw", f"series {n}", ours, (theirs,), ("picture of line",),
                 {"plt.plot, draw": bound}, is_quick=n == "1e5") for n, bound in (("1e5", 1.05), ("1e7", 0.2))]


def density_cases():
    """How many of many lines pass each pixel; datashader's lines fill other pixels, as Bresenham's algorithm rounds."""
    edge, (height, width) = 100.0, (800, 1000)
    ours = Contender(
        "gpuplot, count", "r = lines.cells(*axes)",
        "import numpy as np\nfrom gpuplot.arrays.describe import describe\nfrom gpuplot.plane.lines import LineAxis, Lines, LineSet\n"
        f"lines, axes = Lines((LineSet.of(describe(a), 1),)), (LineAxis(0, a.shape[1] - 1, {width}), LineAxis(-{edge}, {edge}, {height}))",
        cells="np.nan_to_num(r.numpy())")
    shader = Contender(
        "datashader line, count", "r = canvas.line(frame, x=x, y=list(frame.columns), axis=1, agg=ds.count(self_intersect=False))",
        "import datashader as ds\nimport numpy as np\nimport pandas as pd\nframe, x = pd.DataFrame(a), np.arange(a.shape[1])\n"
        f"canvas = ds.Canvas({width}, {height}, (0, a.shape[1] - 1), (-{edge}, {edge}))", ("datashader", "pandas"), cells="r.values",
        note="one thread; Bresenham's pixels")
    return [Case(f"{what}, counted", array, ours, (shader,), ("counts_of_lines", (height, width), edge), is_quick=array == "walks")
            for array, what in (("walks", "2e4 walks of 1000 steps"), ("walks 1e5", "1e5 walks of 1000 steps"),
                                ("lines of noise", "2e4 lines of noise, 1000 samples"))]


def all_cases():
    """Every row about lines."""
    return [*m4_cases(), *figure_cases(), *density_cases()]
