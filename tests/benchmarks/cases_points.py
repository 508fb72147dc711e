"""The rows about points: how many fall into each pixel, and the mean of their values."""

from contenders import Case, Contender

EDGE = 4.0
SHAPE = (800, 1000)
OURS = ("import numpy as np\nfrom gpuplot.arrays.describe import describe\nfrom gpuplot.plane.points import PointAxis, Points\n"
        f"axes = PointAxis(-{EDGE}, {EDGE}, {SHAPE[1]}), PointAxis(-{EDGE}, {EDGE}, {SHAPE[0]})\nx, y, c = map(describe, a)")
SHADER = ("import datashader as ds\nimport pandas as pd\nframe = pd.DataFrame(dict(zip('xyc', a)))\n"
          f"canvas = ds.Canvas({SHAPE[1]}, {SHAPE[0]}, (-{EDGE}, {EDGE}), (-{EDGE}, {EDGE}))")


def all_cases():
    """Points spread out, and most of them in one pixel."""
    rows = []
    for array, what in (("points", "1e7 points"), ("points hot", "1e7 points, half of them in one pixel")):
        count = Contender("gpuplot, count", "r, outside = Points(x, y).cells(*axes)", OURS, cells="np.nan_to_num(r.numpy())")
        shader = Contender("datashader points", "r = canvas.points(frame, 'x', 'y')", SHADER, ("datashader", "pandas"), cells="r.values",
                           note="one thread")
        fast = Contender("fast_histogram.histogram2d",
                         f"r = histogram2d(a[1], a[0], {SHAPE}, [[-{EDGE}, {EDGE}], [-{EDGE}, {EDGE}]])",
                         "from fast_histogram import histogram2d", ("fast_histogram",), cells="r", note="one thread")
        rows.append(Case(f"{what}, counted", array, count, (shader, fast), ("counts_of_points", SHAPE, EDGE), is_quick=array == "points"))
    mean = Contender("gpuplot, mean", "r, outside = Points(x, y, c).cells(*axes, 'mean')", OURS, cells="r.numpy()")
    shader = Contender("datashader points, mean", "r = canvas.points(frame, 'x', 'y', ds.mean('c'))", SHADER, ("datashader", "pandas"),
                       cells="r.values", note="one thread")
    return [*rows, Case("1e7 points, mean of values", "points", mean, (shader,), ("means_of_points", SHAPE, EDGE))]
