"""Pictures of a tensor on a device held against those of its copy on the host, within what rounding may change."""

import io

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import gpuplot

# Means may differ in their last bits, and then a cell on the border between two colors in its color.
MOST_BORDERLINE = 0.002


def check_cells(on_device, on_host, shape=(23, 31), **options):
    """`downsample` of both: exact where nothing is added up."""
    got, want = gpuplot.downsample(on_device, shape, **options), gpuplot.downsample(on_host, shape, **options)
    assert got.shape == want.shape == shape
    if options.get("agg", "mean") in ("mean", "std", "var", "sum"):
        scale = np.abs(want[np.isfinite(want)]).max(initial=0)
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-9 * scale)
    else:
        np.testing.assert_array_equal(got, want)


def check_pixels(on_device, on_host, shape=(23, 31), most_differing=0.0, **options):
    """`to_rgba` of both."""
    got, want = gpuplot.to_rgba(on_device, shape, **options), gpuplot.to_rgba(on_host, shape, **options)
    assert got.shape == want.shape and got.dtype == np.uint8
    assert (got != want).any(axis=-1).mean() <= most_differing


def check_stats(on_device, on_host, **asked):
    """`stats` of both: exact where nothing is added up."""
    got, want = gpuplot.stats(on_device, **asked), gpuplot.stats(on_host, **asked)
    for name in ("nan", "neg_inf", "neg", "zero", "pos", "pos_inf", "subnormal", "min", "max", "median", "absmax", "hist",
                 "bin_edges"):
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name), err_msg=name)
    for name in ("argmin", "argmax", "first_nan"):
        assert np.array_equal(getattr(got, name), getattr(want, name)), name
    for name in ("mean", "std", "l2"):
        slack = 1e-12 * np.nan_to_num(np.max(want.absmax))
        np.testing.assert_allclose(getattr(got, name), getattr(want, name), rtol=1e-6, atol=slack, err_msg=name)
    np.testing.assert_array_equal(list(got.percentiles.values()), list(want.percentiles.values()))
    return got


def drawn(tensor, **options):
    """The pixels of a figure that is all picture."""
    fig = Figure(figsize=(2.0, 1.6), dpi=100)
    FigureCanvasAgg(fig)
    ax = fig.add_axes((0, 0, 1, 1))
    ax.axis("off")
    gpuplot.imshow(tensor, ax=ax, aspect="auto", **options)
    fig.canvas.draw()
    return np.asarray(fig.canvas.buffer_rgba()).copy()


def saved(tensor, **options):
    """The pixels of a PNG file."""
    file = io.BytesIO()
    gpuplot.imsave(file, tensor, **options)
    file.seek(0)
    return matplotlib.image.imread(file)
