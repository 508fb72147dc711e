"""Tensors that pictures usually fail at: one NaN, one spike, a hair, a million columns, offsets, noise, moire."""

import numpy as np

from .scene import normal, scene


@scene("all_nan", "that there is nothing but NaN")
def all_nan(rng, most):
    return np.full((300, 400), np.nan, np.float32)


@scene("one_nan_colored", "the NaN, which has a color of its own", "gpuplot.imshow(x, nan_color='magenta')",
       "plt.imshow(x, cmap=plt.get_cmap().with_extremes(bad='magenta'))")
@scene("one_nan", "one NaN in 16.8 million elements, a little above and right of the middle")
def one_nan(rng, most):
    n = min(4096, most)
    x = normal(rng, n, n)
    x += 3 * np.sin(np.linspace(0, 9, n, dtype=np.float32))
    x[n * 2 // 5, n * 3 // 5] = np.nan
    return x


@scene("one_spike_max", "the spike", "gpuplot.imshow(x, agg='max', colorbar=True)", "plt.imshow(x)\nplt.colorbar()")
@scene("one_spike", "one element of 1000 among zeros")
def one_spike(rng, most):
    n = min(4096, most)
    x = np.zeros((n, n), np.float32)
    x[n * 2 // 5, n * 3 // 5] = 1000
    return x


@scene("vector", "a bias of 4096 elements, with one outlier")
def vector(rng, most):
    x = normal(rng, min(4096, most), scale=0.1)
    x[len(x) // 3] = 2
    return x


@scene("one_column", "4096 rows in one column")
def one_column(rng, most):
    return normal(rng, min(4096, most), 1).cumsum(0)


@scene("one_row", "20000 columns in one row")
def one_row(rng, most):
    return normal(rng, 1, min(20_000, 5 * most)).cumsum(1)


@scene("million_columns", "64 electrodes for a million samples: slow waves, and spikes of a few samples")
def million_columns(rng, most):
    n = min(1_000_000, 250 * most)
    time = np.linspace(0, 40, n, dtype=np.float32)
    x = normal(rng, 64, n) + 2 * np.sin(time + 0.1 * np.arange(64, dtype=np.float32)[:, None])
    x[rng.integers(0, 64, 40), rng.integers(0, n, 40)] = 60
    return x


@scene("large_offset", "a wave of 1e-3 on a time stamp of 1.7e9", "gpuplot.imshow(x, colorbar=True)",
       "plt.imshow(x)\nplt.colorbar()")
def large_offset(rng, most):
    t = np.linspace(-9, 9, min(1200, most))
    return 1.7e9 + 1e-3 * np.sin(np.hypot(t, t[:, None]))


@scene("zone_plate", "rings around the middle only: what is finer than a pixel is even")
def zone_plate(rng, most):
    n = min(4096, most)
    t = np.linspace(-1, 1, n, dtype=np.float32)
    return np.cos(0.35 * np.pi * n * (t ** 2 + t[:, None] ** 2))


@scene("checkerboard", "0 and 1 in turn: even gray, no squares that are not there")
def checkerboard(rng, most):
    n = min(1000, most)
    return (np.arange(n)[:, None] + np.arange(n)) % 2


@scene("noise_small", "noise of hardly more elements than pixels: no lattice")
def noise_small(rng, most):
    return normal(rng, 400, 500)


@scene("noise_std", "the spread of the elements under each pixel: the quiet disk", "gpuplot.imshow(x, agg='std', colorbar=True)",
       "plt.imshow(x)\nplt.colorbar()")
@scene("noise_huge", "67 million random numbers, quieter inside of a disk")
def noise_huge(rng, most):
    n = min(8192, most)
    x = normal(rng, n, n)
    t = np.linspace(-1, 1, n, dtype=np.float32)
    x[t[:, None] ** 2 + t ** 2 < 0.3] *= 0.7
    return x


@scene("lognormal", "incomes of places: most small, few huge, a gradient from left to right")
def lognormal(rng, most):
    n = min(1500, most)
    return np.exp(1.6 * normal(rng, n, n) + np.linspace(0, 2, n, dtype=np.float32))


@scene("small", "the numbers of an 8 x 8 matrix, each a square")
def small(rng, most):
    return np.linalg.inv(np.vander(np.linspace(0.2, 1, 8)) + np.eye(8))


@scene("infinities", "log of zero is -Inf: where", "gpuplot.imshow(x, neg_inf_color='red', colorbar=True)",
       "plt.imshow(x, cmap=plt.get_cmap().with_extremes(bad='red'))\nplt.colorbar()")
def infinities(rng, most):
    n = min(2000, most)
    with np.errstate(divide="ignore"):
        return np.log(rng.binomial(40, np.linspace(0.05, 0.3, n), (n, n)).astype(np.float32))
