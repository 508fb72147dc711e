"""The rows about histograms: counts and sums of weights, pairs spread widely and all in one place, and whole calls that draw."""

from contenders import Case, Contender

LOW, HIGH = -20.0, 30.0
OURS = ("import numpy as np\nfrom gpuplot.arrays.describe import describe\n"
        "from gpuplot.statistics.numpy_histogram import Dataset, NativeBins, joint_histogram\n")
ONE_CELL_ROW = "r[None].astype(float)"
SIDE, EDGE = 256, 4.0


def count_cases():
    """Bins of equal width between given ends; the counts are compared with NumPy's."""
    return [_count_case(bins) for bins in (64, 256, 4096, 65536)]


def _count_case(bins):
    edges = f"edges = np.histogram_bin_edges(np.array([{LOW}, {HIGH}], a.dtype), {bins})\n"
    ours = Contender("gpuplot hist, counts", "r = data.count(edges)", OURS + edges + "data = Dataset(describe(a))", ("gpuplot",),
                     cells=ONE_CELL_ROW)
    fast = Contender("fast_histogram.histogram1d", f"r = histogram1d(a, {bins}, ({LOW}, {HIGH}))",
                     "from fast_histogram import histogram1d", ("fast_histogram",), cells=ONE_CELL_ROW)
    numpy = Contender("np.histogram", f"r = np.histogram(a, {bins}, ({LOW}, {HIGH}))[0]", "import numpy as np", cells=ONE_CELL_ROW)
    torch = Contender("torch.histc", f"r = torch.histc(t, {bins}, {LOW}, {HIGH})", "import torch\nt = torch.from_numpy(a)", ("torch",),
                      cells="r[None].double().numpy()", note="counts in float32")
    return Case(f"histogram of 1e8, {bins} bins", "normal 1e8", ours, (fast, numpy, torch), ("numpy histogram", bins, LOW, HIGH),
                {"fast_histogram.histogram1d": 0.2} if bins == 256 else {}, is_quick=bins == 256, is_headline=bins == 256)


def weight_cases():
    """The values of points added up by one coordinate."""
    edges = f"edges = np.histogram_bin_edges(np.array([-{EDGE}, {EDGE}], a.dtype), 256)\n"
    ours = Contender("gpuplot hist, weights", "r = data.add_up(edges, None, weights)[0]",
                     OURS + edges + "data, weights = Dataset(describe(a[0])), Dataset(describe(a[2]))", ("gpuplot",), cells=ONE_CELL_ROW)
    fast = Contender("fast_histogram.histogram1d", f"r = histogram1d(a[0], 256, (-{EDGE}, {EDGE}), weights=a[2])",
                     "from fast_histogram import histogram1d", ("fast_histogram",), cells=ONE_CELL_ROW)
    numpy = Contender("np.histogram", f"r = np.histogram(a[0], 256, (-{EDGE}, {EDGE}), weights=a[2])[0]", "import numpy as np",
                      cells=ONE_CELL_ROW, note="sums in float32")
    return [Case(f"weights of 1e7 in 256 bins, {array}", array, ours, (fast, numpy), ("numpy weights", 256, EDGE)) for array in
            ("points", "points hot")]


def pair_cases():
    """Points in a square of bins: spread as a bell, or half of them in one place."""
    edges = f"edges = np.linspace(-{EDGE}, {EDGE}, {SIDE} + 1)\n"
    ours = Contender("gpuplot hist2d, counts", "r = joint_histogram(data, [NativeBins(edges)] * 2)[0]",
                     OURS + edges + "data = [Dataset(describe(v)) for v in a[:2]]", ("gpuplot",), cells="r.astype(float)")
    fast = Contender("fast_histogram.histogram2d", f"r = histogram2d(a[0], a[1], {SIDE}, ((-{EDGE}, {EDGE}),) * 2)",
                     "from fast_histogram import histogram2d", ("fast_histogram",), cells="r")
    numpy = Contender("np.histogram2d", f"r = np.histogram2d(a[0], a[1], {SIDE}, ((-{EDGE}, {EDGE}),) * 2)[0]", "import numpy as np",
                      cells="r")
    return [Case(f"pairs of 1e7 in 256 x 256 bins, {array}", array, ours, (fast, numpy), ("numpy histogram2d", SIDE, EDGE),
                 {"np.histogram2d": 0.1}, is_quick=array == "points") for array in ("points", "points hot")]


def figure_cases():
    """A whole call, range to be found, and the draw."""
    def figure(module, call):
        return Contender(f"{module}, draw", f"fig = plt.figure()\n{call}\nfig.canvas.draw()\nplt.close(fig)",
                         "import matplotlib\nmatplotlib.use('agg')\nimport matplotlib.pyplot as plt\nimport gpuplot", ("matplotlib",))

    return [Case("figure of a histogram of 1e8, 256 bins", "normal 1e8", figure("gpuplot.hist", "gpuplot.hist(a, 256, histtype='step')"),
                 (figure("plt.hist", "plt.hist(a, 256, histtype='step')"),), is_headline=True)]


def all_cases():
    """Every row about histograms."""
    return [*count_cases(), *weight_cases(), *pair_cases(), *figure_cases()]
