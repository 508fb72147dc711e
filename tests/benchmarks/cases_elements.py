"""The rows about what there is among elements: extremes and moments, and whether there is a NaN at all."""

import opponents as by
from contenders import Case, Contender

PLANE = ("import numpy as np\nfrom gpuplot import _native\nfrom gpuplot.arrays.describe import describe\n"
         "from gpuplot.plane.view import choose\n"
         "from gpuplot.statistics.partial_summary import PartialSummary\n"
         "source = describe(a)\nview = choose(source.shape, source.dims, source.dtype)\n"
         "held = source.borrow()\nplane = _native.Plane(held, view.uses, view.stage_ops)\n")


def summary_cases():
    """Counts of every kind, extremes with their places, and moments, in one look; others need a call for each."""
    ours = Contender("gpuplot summarize", "r = PartialSummary.of_plane(plane).finish()", PLANE, ("gpuplot",),
                     cells="np.array([[r.min, r.max, r.mean, (r.m2 / (a.size - 1)) ** 0.5]])",
                     note="with counts of NaN, infinities, zeros and subnormals, and where the extremes are")
    torch = Contender("torch min, max, mean, std", "r = t.min(), t.max(), t.mean(), t.std()", by.TORCH, ("torch",),
                      cells="torch.stack(r)[None].double().numpy()")
    numpy = Contender("np min, max, mean, std", "r = a.min(), a.max(), a.mean(), a.std(ddof=1)", "import numpy as np",
                      cells="np.array([r], np.float64)")
    count = Contender("np.isnan(a).sum()", "r = np.isnan(a).sum()", "import numpy as np", note="the number of NaN alone")
    return [Case(f"what there is, {name}", name, ours, (by.floor(), torch, numpy, count), ("summary",),
                 {"np.isnan(a).sum()": 1.0}, is_quick=name == "float32") for name in ("float32", "float64")]


def slice_cases():
    """The same of every column, and of every row: what is asked layer by layer, channel by channel."""
    return [_slice_case(axis, what) for axis, what in ((0, "column"), (1, "row"))]


def _slice_case(axis, what):
    ours = Contender("gpuplot summarize_slices", "r = _native.summarize_slices(slices)",
                     PLANE + f"uses = [(0, 1, n, i != {axis}) for i, n in enumerate(a.shape)]\n"
                     "slices = _native.Slices(held, uses)", ("gpuplot",),
                     cells=f"np.vstack([r.view(float).T[7:10], np.sqrt(r.view(float).T[10] / (a.shape[{axis}] - 1))])",
                     note="with counts of NaN, infinities, zeros and subnormals, and where the extremes are")
    torch = Contender("torch amin, amax, mean, std", f"r = t.amin({axis}), t.amax({axis}), t.mean({axis}), t.std({axis})", by.TORCH,
                      ("torch",), cells="torch.stack(r).double().numpy()")
    numpy = Contender("np min, max, mean, std", f"r = a.min({axis}), a.max({axis}), a.mean({axis}), a.std({axis}, ddof=1)",
                      "import numpy as np", cells="np.array(r, np.float64)")
    return Case(f"what there is in every {what}", "float32", ours, (by.floor(), torch, numpy), ("slices", axis),
                {"torch amin, amax, mean, std": 1.0}, is_quick=axis == 0)


def find_cases():
    """The first NaN, where there is none."""
    ours = Contender("gpuplot find", "r = _native.find(plane, _native.HAS_NAN)", PLANE, ("gpuplot",))
    numpy = Contender("np.isnan(a).any()", "r = np.isnan(a).any()", "import numpy as np", note="whether, not where")
    torch = Contender("torch.isnan(t).any()", "r = torch.isnan(t).any()", by.TORCH, ("torch",), note="whether, not where")
    return [Case("first NaN of none", "float32", ours, (by.floor(), numpy, torch), (), {"torch.sum": 1.2}, is_quick=True)]


def all_cases():
    """Every row, in the order of the table."""
    return [*summary_cases(), *slice_cases(), *find_cases()]
