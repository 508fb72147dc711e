"""The rows of a GPU about figures without images: a long line, histograms, densities of points and of lines."""

from cases_device import PYPLOT, TORCH, DeviceCase
from contenders import Contender

DRAWN = "fig = plt.figure()\n{call}\nfig.canvas.draw()\nplt.close(fig)"
# The two halves of a tensor as coordinates of points.
HALVES = "x, y = t.reshape(2, -1)\n"
N_BINS = 256


def drawn(call):
    """A new figure of gpuplot's, drawn."""
    name = call.rpartition("gpuplot.")[2].partition("(")[0]
    return Contender(f"gpuplot.{name}, draw", DRAWN.format(call=call), PYPLOT + "import gpuplot\n", ("gpuplot", "matplotlib"))


def line_cases():
    """A line of as many samples as 4 GiB have, more than 1e9 at the usual size."""
    part = Contender("plt.plot of a slice, draw", DRAWN.format(call="plt.plot(t.reshape(-1)[::10000].cpu())"), PYPLOT, ("matplotlib",),
                     note="wrong: 9999 of 10000 samples are never looked at")
    extremes = Contender("torch.aminmax, reshape", "r = [x.cpu() for x in torch.aminmax(t.reshape(1024, -1), dim=1)]", TORCH,
                         ("torch",), note="extremes alone: no positions, no picture; a NaN spoils its column")
    return [DeviceCase("line of 4 GiB", "4 GiB", drawn("gpuplot.plot(t.reshape(-1))"), (part, extremes), is_quick=True)]


def histogram_cases():
    """The figure: what `numpy.histogram` counts, with the range found first."""
    histc = Contender("torch.histc, plt.stairs", DRAWN.format(call=(
        f"low, high = (x.item() for x in torch.aminmax(t))\ncounts = t.histc({N_BINS}, low, high).cpu()\n"
        f"plt.stairs(counts, np.linspace(low, high, {N_BINS + 1}), fill=True)")), f"{TORCH}\n{PYPLOT}", ("torch", "matplotlib"),
        note="float32 counts; bins by arithmetic alone; a NaN spoils the range")
    binned = Contender("CuPy histogram2d", f"x, y = cupy.from_dlpack(t).reshape(2, -1)\nr = cupy.histogram2d(x, y, {N_BINS})[0].get()",
                       "import cupy", ("cupy",), note="counts alone, no figure")
    mine = drawn(f"gpuplot.hist(t, bins={N_BINS}, histtype='stepfilled')")
    return [DeviceCase("histogram, drawn", "float32", mine, (histc,), is_quick=True),
            DeviceCase("histogram of pairs, drawn", "float32", drawn(f"{HALVES}gpuplot.hist2d(x, y, bins={N_BINS})"), (binned,))]


def density_cases():
    """Points and lines as densities, for the pixels of a figure."""
    counts = Contender("torch.bincount", HALVES + (
        "column = ((x - x.min()) * (499.99 / (x.max() - x.min()))).long()\n"
        "row = ((y - y.min()) * (369.99 / (y.max() - y.min()))).long()\n"
        "r = torch.bincount(row * 500 + column, minlength=500 * 370).cpu()"), TORCH, ("torch",),
        note="counts alone, no figure; a NaN spoils everything")
    return [DeviceCase("points, drawn", "float32", drawn(f"{HALVES}gpuplot.scatter(x, y)"), (counts,), is_quick=True),
            DeviceCase("density of lines, drawn", "float32", drawn("gpuplot.plot(t.mT, density=True)"))]


def all_cases():
    """Every row."""
    return [*line_cases(), *histogram_cases(), *density_cases()]
