# %% [markdown]
# # xarray: names instead of numbers
# A field over time, latitude and longitude. Axes are chosen by their names, hidden ones are reduced or indexed by name. The
# coordinates become the extent of the picture; name and unit are at the colorbar.

# %%
import os
import pathlib

import matplotlib.pyplot as plt
import numpy as np

import gpuplot

try:
    import xarray
except ImportError:
    raise SystemExit("this example needs xarray: pip install xarray") from None

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE.parent / "output"
OUTPUT.mkdir(exist_ok=True)
plt.style.use(HERE.parent / "quiet.mplstyle")
n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 1440))

# %% [markdown]
# A made-up ocean: warm at the equator, stirred by eddies for a month. One buoy stops reporting.

# %%
time = np.datetime64("2026-06-01") + np.arange(30) * np.timedelta64(1, "D")
lat, lon = np.linspace(-80, 80, n // 2, dtype=np.float32), np.linspace(0, 360, n, endpoint=False, dtype=np.float32)
frequency = np.hypot(2 * np.fft.fftfreq(n // 2)[:, None], np.fft.rfftfreq(n))
frequency[0, 0] = np.inf
noise = np.fft.rfft2(np.random.default_rng(11).standard_normal((n // 2, n)))
flow = np.fft.irfft2(noise * frequency ** -1.4 * np.exp(-(frequency * n / 40) ** 2), (n // 2, n)) * np.cos(np.deg2rad(lat))[:, None]
down, right = np.roll(flow, 1, 1) - np.roll(flow, -1, 1), np.roll(flow, -1, 0) - np.roll(flow, 1, 0)
pace = n / 1600 / np.hypot(down, right).std()


def before(field, n_steps=3):
    """What the currents bring from upstream, linearly between elements."""
    row, col = np.mgrid[:n // 2, :n].astype(np.float32)
    row, col = np.clip(row - pace * down, 0, n // 2 - 1.001), (col - pace * right) % n
    i, j = row.astype(int), col.astype(int)
    fi, fj, k = row - i, col - j, (j + 1) % n
    for _ in range(n_steps):
        upper, lower = (field[i + d, j] * (1 - fj) + field[i + d, k] * fj for d in (0, 1))
        field = upper * (1 - fi) + lower * fi
    return field


sst = np.empty((len(time), n // 2, n), np.float32)
sst[0] = before(np.broadcast_to(30 * np.cos(np.deg2rad(lat))[:, None] ** 1.3 - 1, (n // 2, n)), 12)
for day in range(1, len(time)):
    sst[day] = before(sst[day - 1])
sst[12:, n // 3, n // 2] = np.nan
ocean = xarray.DataArray(sst, dims=("time", "lat", "lon"), coords={"time": time, "lat": lat, "lon": lon}, name="sst",
                         attrs={"units": "deg C"})
print(f"ocean: {dict(ocean.sizes)} {ocean.dtype}, {ocean.nbytes / 1e6:.0f} MB")

# %% [markdown]
# `index` and `reduce` take the names. Nothing is selected, averaged or transposed beforehand.

# %%
fig, axes = plt.subplots(2, 1, figsize=(7.4, 6.6), layout="compressed", sharex=True)
options = dict(x="lon", y="lat", origin="lower", nan_color="white", colorbar=True)
gpuplot.imshow(ocean, ax=axes[0], index={"time": 29}, cmap="turbo", **options)
gpuplot.imshow(ocean, ax=axes[1], reduce={"time": "std"}, nan="skip", cmap="magma", robust=True, **options)
axes[0].set(title="the last day", xlabel="")
axes[1].set(title="the spread over 30 days")
fig.savefig(OUTPUT / "xarray.png")

# %% [markdown]
# The numbers, without a copy: the array inside.

# %%
host = gpuplot.asnumpy(ocean)
print(f"as NumPy: {host.shape} {host.dtype}, shares memory: {np.shares_memory(host, sst)}")
print(f"{OUTPUT}/xarray.png")
