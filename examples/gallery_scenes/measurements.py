"""Tensors that were measured or simulated: climate, microscopy, sound, sky, maps of classes, fields."""

import numpy as np
from sky import fractal, mosaic

from .scene import normal, scene


@scene("segmentation_classes", "the same as classes", "gpuplot.imshow(x, categorical=True, colorbar=True)",
       "plt.imshow(np.ma.masked_equal(x, 255), cmap='tab20', vmin=-0.5, vmax=19.5, interpolation='nearest')\nplt.colorbar()")
@scene("segmentation", "19 classes of a street scene, 255 where there is no label")
def segmentation(rng, most):
    n = min(512, most)
    places = rng.uniform(0, n, (60, 2))
    classes = rng.permutation(np.arange(60) % 19)
    y, x = np.mgrid[:n, :2 * n]
    bend = n / 25 * fractal(2 * n, 1.7, rng)[:n]
    distance = np.stack([np.hypot(y + bend - row, x + bend - 2 * col) for row, col in places])
    nearest = distance.argsort(0)[:2]
    labels = classes[nearest[0]].astype(np.uint8)
    is_border = np.diff(np.take_along_axis(distance, nearest, 0), axis=0)[0] < n / 250
    labels[is_border & (classes[nearest[0]] != classes[nearest[1]])] = 255
    labels[-n // 16:] = 255
    return labels


def sea_temperature(rng, n_days):
    """Daily sea surface temperature on a grid of 1 degree, NaN on land."""
    lat, lon = np.arange(89.5, -90, -1), np.arange(0.5, 360)
    land = fractal(360, 1.6, rng)[:180] + 0.3 * np.cos(np.radians(lat * 2))[:, None] > 0.75
    day = np.arange(n_days)[:, None, None]
    season = 4 * np.sin(2 * np.pi * (day - 110) / 365) * np.sin(np.radians(lat))[:, None]
    eddies = np.stack([np.roll(fractal(360, 1.5, rng)[:180], 3 * k, 1) for k in range(8)])[(np.arange(n_days) // 15) % 8]
    degrees = (29 * np.cos(np.radians(lat))[:, None] ** 1.3 - 1 + season + 0.9 * eddies).astype(np.float32)
    degrees[:, land] = np.nan
    return degrees, lat, lon


@scene("hovmoller", "the seasons by latitude: dates down", "gpuplot.imshow(x, y='time', x='lat', reduce={'lon': 'mean'}, colorbar=True)",
       "plt.imshow(x.mean('lon'))\nplt.colorbar()")
@scene("climate_day", "one day, chosen by its date", "gpuplot.imshow(x, index={'time': '2026-03-01'}, colorbar=True)",
       "plt.imshow(x.sel(time='2026-03-01'))\nplt.colorbar()")
@scene("climate", "the first day of a year: warm water at the equator, coasts, land without values", usual="plt.imshow(x[0])")
def climate(rng, most):
    import xarray as xr

    n_days = min(365, most)
    degrees, lat, lon = sea_temperature(rng, n_days)
    time = np.datetime64("2026-01-01", "ns") + np.arange(n_days) * np.timedelta64(1, "D")
    names = {"long_name": "sea surface temperature", "units": "degC"}
    axes = {"time": time, "lat": ("lat", lat, {"units": "degrees_north"}), "lon": ("lon", lon, {"units": "degrees_east"})}
    return xr.DataArray(degrees, axes, ("time", "lat", "lon"), "sst", names)


@scene("microscopy_robust", "the same without the brightest spots", "gpuplot.imshow(x, robust=True, cmap='gray', colorbar=True)",
       "plt.imshow(x, vmin=np.percentile(x, 2), vmax=np.percentile(x, 98), cmap='gray')\nplt.colorbar()")
@scene("microscopy", "cells over the dark counts of a 16-bit camera, a few hot pixels")
def microscopy(rng, most):
    n = min(2048, most)
    y, x = np.mgrid[:n, :n].astype(np.float32)
    light = np.full((n, n), 12, np.float32)
    for row, col in rng.uniform(0, n, (70, 2)):
        radius = rng.uniform(0.01, 0.025) * n
        light += rng.uniform(50, 500) * np.exp(-(((y - row) ** 2 + (x - col) ** 2) / radius ** 2) ** 2)
    counts = rng.poisson(light) + 100 + normal(rng, n, n, scale=4)
    counts[rng.integers(0, n, 12), rng.integers(0, n, 12)] = 65535
    return counts.astype(np.uint16)


@scene("spectrogram_log", "harmonics of two voices, and a click",
       "gpuplot.imshow(x, norm='log', origin='lower', aspect='auto', colorbar=True)",
       "plt.imshow(x, norm='log', origin='lower', aspect='auto')\nplt.colorbar()")
@scene("spectrogram", "power of sound over ten orders of magnitude", "gpuplot.imshow(x, origin='lower')",
       "plt.imshow(x, origin='lower')")
def spectrogram(rng, most):
    window, n_frames = 1024, min(3000, most)
    time = np.arange(window * n_frames // 4 + window) / 16000
    sound = 1e-4 * rng.standard_normal(len(time))
    for pitch in (140, 230):
        phase = 2 * np.pi * np.cumsum(pitch * (1 + 0.1 * np.sin(time * 3.1 + pitch))) / 16000
        is_on = np.sin(time * 2.3 + pitch) > 0
        sound += is_on * sum(np.sin(k * phase) / k ** 2 for k in range(1, 14))
    sound[len(sound) // 3] += 20
    frames = np.lib.stride_tricks.sliding_window_view(sound, window)[::window // 4]
    return (abs(np.fft.rfft(frames * np.hanning(window))) ** 2).T.astype(np.float32)


@scene("complex_phase", "amplitude and angle of the same field", "gpuplot.imshow(x, complex_mode='amplitude_phase')",
       "plt.imshow(np.angle(x), cmap='hsv', alpha=abs(x) / abs(x).max())")
@scene("complex_field", "the flow around vortices: how fast", usual="plt.imshow(abs(x))")
def complex_field(rng, most):
    n = min(1024, most)
    y, x = np.mgrid[-1:1:n * 1j, -1:1:n * 1j]
    z = x + 1j * y
    flow = np.zeros((n, n), complex)
    for row, col, turn in rng.uniform(-1, 1, (9, 3)):
        away = z - (col + 1j * row)
        flow += 1j * turn * away / (abs(away) ** 2 + 0.01)
    return flow.astype(np.complex64)


@scene("sky_max", "the brightest element of each pixel: every star, a satellite's trail, three dead columns",
       "gpuplot.imshow(x, agg='max', norm='asinh', cmap='magma')", "plt.imshow(x, norm='asinh', cmap='magma')")
@scene("sky", "a telescope mosaic: few bright stars over noise, dead columns")
def sky(rng, most):
    return mosaic(min(4096, most))[0]


@scene("masked_terrain", "heights, with the sea masked", "gpuplot.imshow(x, cmap='terrain', colorbar=True)",
       "plt.imshow(x, cmap='terrain')\nplt.colorbar()")
def masked_terrain(rng, most):
    heights = 600 * fractal(min(1500, most), 1.8, rng)
    return np.ma.masked_less(heights, 0)


@scene("difference_centered", "the same with white at no difference", "gpuplot.imshow(x, center=0, robust=True, colorbar=True)",
       "plt.imshow(x, cmap='RdBu_r', vmin=-2e-7, vmax=2e-7)\nplt.colorbar()")
@scene("difference", "float32 against float64 of the same kernel: rounding everywhere, one block that is wrong")
def difference(rng, most):
    n = min(3000, most)
    x = normal(rng, n, n, scale=1e-7)
    x[n // 4:n // 4 + n // 32, n // 2:n // 2 + n // 32] += 2e-3
    return x


@scene("correlation", "genes in modules, from -1 to 1", "gpuplot.imshow(x, vmin=-1, vmax=1, cmap='RdBu_r', colorbar=True)",
       "plt.imshow(x, vmin=-1, vmax=1, cmap='RdBu_r')\nplt.colorbar()")
def correlation(rng, most):
    module = np.sort(rng.integers(0, 12, min(1500, most)))
    return np.corrcoef(normal(rng, len(module), 60) + 1.2 * normal(rng, 12, 60)[module])


@scene("contacts", "contacts between parts of a chromosome: counts that fall off from the diagonal")
def contacts(rng, most):
    n = min(2000, most)
    away = abs(np.arange(n)[:, None] - np.arange(n))
    domain = np.sort(rng.integers(0, n // 60, n))
    expected = 300 / (1 + away) ** 0.9 * (1 + 2 * (domain[:, None] == domain))
    upper = np.triu(rng.poisson(expected))
    return upper + np.triu(upper, 1).T
