# %% [markdown]
# # From number to color
# Measured data from matplotlib's sample files, each with the scale that suits it.

# %%
import pathlib

import matplotlib.cbook
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import BoundaryNorm, TwoSlopeNorm

import gpuplot

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE / "output"
OUTPUT.mkdir(exist_ok=True)
plt.style.use(HERE / "quiet.mplstyle")


def sample(name):
    """A file that matplotlib brings along."""
    return matplotlib.cbook.get_sample_data(name)


heights = sample("jacksboro_fault_dem.npz")["elevation"].astype(np.float32)
topography = sample("topobathy.npz")["topo"][4:, 9:111]
with sample("s1045.ima.gz") as file:
    slice_of_head = np.frombuffer(file.read(), np.uint16).reshape(256, 256)[20:238]
fall_y, fall_x = np.gradient(heights)
slope = np.hypot(fall_y, fall_x)
curvature = np.gradient(fall_y, axis=0) + np.gradient(fall_x, axis=1)

# %% [markdown]
# Limits by percentiles, a logarithm, a logarithm for both signs, equal shares of every color, steps at given
# heights, and two slopes that meet at the coast.

# %%
fig, axes = plt.subplots(2, 4, figsize=(12, 4.7), layout="compressed")
pictures = [
    (heights, "linear", dict(cmap="gist_earth")),
    (slice_of_head, "robust: percentiles 2 and 98", dict(cmap="gray", robust=True)),
    (slope + 0.1, 'norm="log"', dict(cmap="magma", norm="log")),
    (curvature, 'norm="symlog"', dict(cmap="PuOr", norm="symlog", vmin=-40, vmax=40)),
    (heights, 'norm="eq_hist"', dict(cmap="cividis", norm="eq_hist", colorbar={"ticks": range(300, 801, 100)})),
    (heights, "BoundaryNorm", dict(cmap="YlGnBu_r", norm=BoundaryNorm(range(200, 801, 75), 256))),
    (topography, "TwoSlopeNorm at the coast", dict(cmap="BrBG_r", norm=TwoSlopeNorm(0, -300, 1500), origin="lower")),
]
for ax, (data, title, options) in zip(axes.flat, pictures):
    gpuplot.imshow(data, ax=ax, **{"colorbar": True, **options})
    ax.set(title=title, xticks=[], yticks=[])

# %% [markdown]
# Numbers that are not finite have colors of their own, one for each kind, and so have values beyond the limits.

# %%
ax = axes[1, 3]
with np.errstate(divide="ignore", invalid="ignore"):
    ratio = np.log(heights - 300) / np.log(slope)
gpuplot.imshow(ratio, ax=ax, cmap="Greys", vmin=1, vmax=6, nan_color="#e0218a", pos_inf_color="#00a6d6",
                    neg_inf_color="#ff8c1a", under_color="#c9e7c4", over_color="#28527a", colorbar=True)
ax.set(title="NaN, infinities, under, over", xticks=[], yticks=[])
fig.savefig(OUTPUT / "04_norms.png")
print(f"{OUTPUT}/04_norms.png")
