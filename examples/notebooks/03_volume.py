# %% [markdown]
# # A volume, cut along any axis
# A block of rock and air around a fault near Jacksboro, Tennessee: at each of its points, the height above the ground in
# meters, negative below it. The elevations come with matplotlib.

# %%
import numpy as np
from matplotlib import cbook

import gpuplot

# %%
with cbook.get_sample_data("jacksboro_fault_dem.npz") as terrain:
    elevation = terrain["elevation"].astype(np.float32)
elevation.shape, elevation.min(), elevation.max()

# %% [markdown]
# Height, south and east make 96 x 344 x 403 points.

# %%
level = np.linspace(elevation.min() - 20, elevation.max() + 20, 96, dtype=np.float32)
volume = level[:, None, None] - elevation
f"{volume.shape}, {volume.nbytes / 1e6:.0f} MB"

# %% [markdown]
# A plane of one height. Blue is rock, red is air, and white is the ground: contour lines of the landscape. Press play, and
# the block is cut from the bottom to the top. The colors are centered on 0 because there are numbers of both signs.

# %%
block = gpuplot.inspect(volume, dims="height south east", index={"height": 40}, height=480)
block

# %% [markdown]
# Across, down and hidden are roles that any axis can have: here the block is cut from north to south, and its planes are
# profiles of the land, the air on top. The slider moves the cut. Choose other axes under the picture, or press `x`.

# %%
profile = gpuplot.inspect(volume[::-1], dims="height south east", x="east", y="height",
                          index={"south": 120})
profile

# %% [markdown]
# A hidden axis can be reduced instead of cut: this is the mean over all cuts, the land as seen from the side.

# %%
side = gpuplot.inspect(volume[::-1], dims="height south east", x="east", y="height",
                       reduce={"south": "mean"})
side

# %% [markdown]
# Several planes beside each other, from the valley to the ridge.

# %%
steps = gpuplot.inspect(volume[16::16], dims="height south east", columns="height")
steps

# %% [markdown]
# And in numbers: the share of rock in some of the planes.

# %%
layers = gpuplot.stats(volume, dim=(1, 2))
(layers.neg / (layers.neg + layers.zero + layers.pos))[::16].round(3)
