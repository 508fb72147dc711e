"""The rows of a GPU that say what there is in a tensor: counts, extremes, moments, histograms, percentiles, the next NaN."""

from cases_device import TORCH, DeviceCase
from contenders import Contender

# One question, asked of the plane itself: the bytes of a second are those of one look at each element.
PLANE = ("import gpuplot\nimport numpy as np\nfrom gpuplot import _native\nfrom gpuplot.arrays.describe import describe\n"
         "def ask(t, question, *arguments):\n"
         "    with describe(t).borrow() as tensor:\n"
         "        uses = [(role, 0, 1, size, 0) for role, size in zip(('rows', 'cols'), t.shape)]\n"
         "        return question(_native.Plane(tensor, uses, ()), *arguments)\n")


def asked(name, line, setup=""):
    """One question of the native layer."""
    return Contender(f"gpuplot, {name}", f"r = ask(t, {line})", PLANE + setup, ("gpuplot",))


def in_torch(name, line, note=""):
    return Contender(f"torch {name}", line, TORCH, ("torch",), note=note)


def summary_cases():
    """Everything that one look at each element tells."""
    parts = in_torch("aminmax, std_mean, isnan",
                     "r = [x.cpu() for x in (*torch.aminmax(t), *torch.std_mean(t), t.isnan().sum())]",
                     "no positions, no infinities, no signs; a NaN spoils the others")
    mine = asked("summary", "PartialSummary.of_plane", "from gpuplot.statistics.partial_summary import PartialSummary\n")
    return [
        DeviceCase("summary", "float32", mine, (parts,), is_quick=True, is_headline=True, light_aim=0.8),
        *[DeviceCase(f"summary {dtype}", dtype, mine, (parts,) if dtype[0] in "bf" else (), is_quick=True)
          for dtype in ("float16", "bfloat16", "uint8", "int32", "float64")],
        DeviceCase("summary, transposed", "transposed", mine, (parts,)),
        DeviceCase("summary, 1 % NaN", "nan 1 %", mine, (parts,)),
    ]


def histogram_cases():
    """Equal to NumPy's for every element; the range is known."""
    def ours(n_bins, low=-4, high=4):
        return asked("histogram", "_native.histogram, edges", f"edges = np.linspace({low}, {high}, {n_bins + 1})\n")

    def histc(n_bins):
        return in_torch("histc", f"r = t.histc({n_bins}, -4, 4).cpu()", "float32 counts; bins by arithmetic alone")

    def in_cupy(n_bins):
        return Contender("CuPy histogram", f"r = cupy.histogram(cupy.from_dlpack(t), {n_bins}, (-4, 4))[0].get()", "import cupy",
                         ("cupy",))

    return [
        DeviceCase("histogram, 64 bins", "float32", ours(64), (histc(64), in_cupy(64)), is_quick=True, is_headline=True,
                   light_aim=0.6),
        *[DeviceCase(f"histogram, {n} bins", "float32", ours(n), (histc(n), in_cupy(n))) for n in (256, 4096, 65536)],
        DeviceCase("histogram uint8, 64 bins", "uint8", ours(64, 0, 255), is_quick=True, light_aim=0.6),
        DeviceCase("histogram float16, 64 bins", "float16", ours(64), light_aim=0.6),
    ]


def search_cases():
    """No NaN is there, so that every element is looked at."""
    mine = asked("find", "_native.find, _native.HAS_NAN")
    torch = in_torch("isnan, nonzero", "r = t.isnan().nonzero()[:1].cpu()")
    return [DeviceCase("the next NaN", "float32", mine, (torch,), light_aim=0.85)]


def stats_cases():
    """The public function: a summary, a histogram over its range, five percentiles."""
    mine = Contender("gpuplot.stats", "r = gpuplot.stats(t)", "import gpuplot", ("gpuplot",))
    torch = in_torch("aminmax, std_mean, histc, sort",
                     "low, high = torch.aminmax(t)\n"
                     "r = [*torch.std_mean(t), t.histc(64, low.item(), high.item()), t.isnan().sum()]\n"
                     "s = t.reshape(-1).sort().values\n"
                     "r += [s[int((t.numel() - 1) * q)] for q in (0.01, 0.02, 0.5, 0.98, 0.99)]\n"
                     "r = [x.cpu() for x in r]", "no positions, no infinities; a NaN spoils the others")
    return [DeviceCase("stats", "float32", mine, (torch,), is_quick=True, is_headline=True)]


def all_cases():
    """Every row."""
    return [*summary_cases(), *histogram_cases(), *search_cases(), *stats_cases()]
