"""The rows about cells: 8000 x 8000 onto 1000 x 800 by aggregation, dtype, layout, share of NaN and shape."""

import opponents as by
from contenders import Case, Contender

SHAPE = (800, 1000)


def mean_cases():
    """Means of the float32 plane, with whole and fractional ratios."""
    fractional = (807, 1003)
    return [
        Case("mean", "float32", by.ours(), (
            by.floor(), by.torch_blocks(), by.numpy_blocks(), by.fixed_pool(), by.area_pool(), by.area_interpolate(),
            by.datashader(), by.pillow_reduce(), by.pillow_box(), by.opencv_area()),
            ("cells", SHAPE, "mean"), {"torch.sum": 1.5}, is_quick=True, is_headline=True),
        Case("mean fractional", "float32", by.ours(shape=fractional), (
            by.floor(), by.area_pool(fractional), by.datashader(shape=fractional), by.pillow_box(fractional),
            by.opencv_area(fractional)),
            ("cells", fractional, "mean"), {"torch.sum": 1.5}, is_quick=True),
        Case("mean and limits", "float32", Contender(
            "gpuplot, cells and limits in one pass",
            "r = reduce_view(source, view, Window.whole(view.shape, (800, 1000)), want=_native.WANT_RANGE)",
            "import numpy as np\nfrom gpuplot import _native\nfrom gpuplot.plane.reduce import reduce_view\n"
            "from gpuplot.plane.window import Window\n"
            "from gpuplot.arrays.describe import describe\nfrom gpuplot.plane.view import choose\n"
            "source = describe(a)\nview = choose(source.shape, source.dims, source.dtype)",
            ("gpuplot",), cells="np.asarray(r.cells)"), (
            by.floor(), by.aminmax(), Contender(
                "torch aminmax, adaptive_avg_pool2d",
                "r = torch.aminmax(t), F.adaptive_avg_pool2d(t[None, None], (800, 1000))", by.TORCH, ("torch",),
                cells="r[1][0, 0].double().numpy()")),
            ("cells", SHAPE, "mean"), {"torch.sum": 1.7}, is_quick=True),
    ]


def factor_cases():
    """Means of squares of elements, as a screen asks for them at every zoom, and of a part of one more."""
    aims = {"2": 2.0, "4": 1.5, "5": 1.5, "10": 1.3, "4.5": 1.0, "fractional": 1.0}
    return [Case(f"factor {name}", "float32", by.ours(shape=(n, n)), (by.floor(), by.opencv_area((n, n))), ("cells", (n, n), "mean"),
                 {"OpenCV INTER_AREA": aims[name]}, is_quick=True)
            for name, n in (("2", 4000), ("4", 2000), ("5", 1600), ("10", 800), ("4.5", 1778), ("fractional", 803))]


def aggregation_cases():
    """The other aggregations of the float32 plane."""
    return [
        Case("max", "float32", by.ours("max"),
             (by.floor(), by.max_pool("max"), by.torch_blocks("max"), by.numpy_blocks("max"), by.datashader("max")),
             ("cells", SHAPE, "max"), {"torch.sum": 1.4}, is_quick=True),
        Case("min", "float32", by.ours("min"),
             (by.floor(), by.max_pool("min"), by.torch_blocks("min"), by.numpy_blocks("min"), by.datashader("min")),
             ("cells", SHAPE, "min"), {"torch.sum": 1.4}),
        Case("absmax", "float32", by.ours("absmax"), (by.floor(), by.absmax_blocks()),
             ("cells", SHAPE, "absmax"), {"torch.sum": 1.8}),
        Case("std", "float32", by.ours("std"),
             (by.floor(), by.torch_blocks("std"), by.numpy_blocks("std"), by.datashader("std")),
             ("cells", SHAPE, "std"), {"torch.sum": 2.3}),
    ]


def nan_cases():
    """Shares of NaN, shown and skipped."""
    aims = {"nan 0.001 %": 2, "nan 0.1 %": 2, "nan 1 %": 2, "nan 10 %": 2, "nan 100 %": 2}
    shown = [Case(f"mean, {name}", name, by.ours(), (by.floor(),), ("cells", SHAPE, "mean"), {"torch.sum": aim},
                  is_quick=name == "nan 1 %") for name, aim in aims.items()]
    skipped = [Case(f"nan='skip', {name}", name, by.ours(nan="skip"), (
        by.floor(), by.torch_blocks("nanmean"), by.numpy_blocks("nanmean"), by.datashader()),
        ("cells", SHAPE, "mean", "skip"), {"torch.sum": 1.8}, is_quick=name == "nan 1 %")
        for name in ("float32", "nan 1 %")]
    narrow = [Case(f"factor 2, {name}", name, by.ours(shape=(4000, 4000)), (by.floor(),), ("cells", (4000, 4000), "mean"),
                   {"torch.sum": 5}, is_quick=name == "nan 1 %") for name in ("nan 0.1 %", "nan 1 %", "nan 10 %")]
    return [*shown, *narrow, *skipped]


def masked_cases():
    """A tenth of the elements masked, which are left out."""
    return [Case(f"masked, {agg}", "masked", by.ours(agg, nan="skip"), (by.floor(256_000_000), by.numpy_blocks(agg)),
                 ("cells", SHAPE, agg, "skip")) for agg in ("mean", "max")]


def dtype_cases():
    """Every kind of number, against a sum over as many bytes of float32."""
    rows = {"uint8": (1, 2.5), "int32": (4, 1.5), "int64": (8, 1.5), "float16": (2, 2), "bfloat16": (2, 2), "float64": (8, 1.5)}
    return [Case(f"mean {dtype}", dtype, by.ours(),
                 (by.floor(64_000_000 * n_bytes), by.torch_blocks()) if dtype[0] in "bf" else
                 (by.floor(64_000_000 * n_bytes), by.numpy_blocks()),
                 ("cells", SHAPE, "mean"), {"torch.sum": aim}, is_quick=dtype == "uint8")
            for dtype, (n_bytes, aim) in rows.items()]


def layout_cases():
    """Strides, tall, wide and tiny."""
    n_bytes = 256_000_000
    square, whole = (400, 400), by.floor(n_bytes)
    one = Contender("torch mean", "r = t.mean()", by.TORCH, ("torch",), cells="r.double().reshape(1, 1).numpy()")
    small = (1300, 1300)
    return [
        Case("transposed", "transposed", by.ours(), (whole, by.torch_blocks()), ("cells", SHAPE, "mean"),
             {"torch.sum": 1.5}, is_quick=True),
        Case("column-major", "fortran", by.ours(), (whole, by.torch_blocks()), ("cells", SHAPE, "mean"), {"torch.sum": 1.5}),
        Case("strided [::2, ::3]", "strided", by.ours(shape=square), (
            whole, by.datashader(shape=square), Contender(
                "torch contiguous, then pool", "r = F.adaptive_avg_pool2d(t.contiguous()[None, None], (400, 400))",
                by.TORCH, ("torch",), cells="r[0, 0].double().numpy()", note="copies; border elements count twice")),
            ("cells", square, "mean"), {"torch.sum": 1.5}),
        Case("tall, 6 columns", "tall", by.ours(shape=(800, 6)), (by.floor(), by.area_pool((800, 6))),
             ("cells", (800, 6), "mean"), {"torch.sum": 1.5}),
        Case("one column", "column", by.ours(shape=(800, 1)), (by.floor(), by.area_pool((800, 1))),
             ("cells", (800, 1), "mean"), {"torch.sum": 1.5}),
        Case("wide, 8 rows", "wide", by.ours(shape=(8, 1000)), (by.floor(), by.torch_blocks("mean", (8, 1000), (8, 8_000_000))),
             ("cells", (8, 1000), "mean"), {"torch.sum": 1.5}),
        Case("one cell", "float32", by.ours(shape=(1, 1)), (by.floor(), one), ("cells", (1, 1), "mean"), {"torch.sum": 1.5}),
        Case("1950 -> 1300", "1950", by.ours(shape=small), (
            by.area_pool(small), by.datashader(shape=small), by.pillow_box(small), by.opencv_area(small)),
            ("cells", small, "mean"), is_quick=True),
    ]


def hidden_cases():
    """64 channels of 1000 x 1000 elements, reduced to one plane."""
    return [Case(f"{op} over channels", "channels",
                 Contender("gpuplot.downsample", f"r = gpuplot.downsample(a, (500, 500), reduce={{0: {op!r}}})", "import gpuplot",
                           ("gpuplot",), cells="r"),
                 (by.floor(), Contender(f"torch {op} over channels", f"r = F.avg_pool2d(t.{method}(0)[None], 2)", by.TORCH, ("torch",),
                                        cells="r[0].double().numpy()")),
                 ("hidden_cells", op), {"torch.sum": aim}, is_quick=op == "mean")
            for op, method, aim in (("mean", "mean", 2), ("max", "amax", 2), ("std", "std", 2.3))]


def all_cases():
    """Every row about cells."""
    return [*mean_cases(), *factor_cases(), *aggregation_cases(), *nan_cases(), *masked_cases(), *dtype_cases(),
            *layout_cases(), *hidden_cases()]
