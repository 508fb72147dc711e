# %% [markdown]
# # The command line
# `gpuplot FILE` draws a tensor of a file; `gpuplot info FILE` says what is in it. In a shell the lines below are
# `gpuplot sky.npy -o sky.png --agg max`; here Python runs them, so that the example works from anywhere.

# %%
import os
import pathlib
import subprocess
import sys

import numpy as np
import sky

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE / "output"
OUTPUT.mkdir(exist_ok=True)
n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 8192))


def gpuplot(*words):
    print("$ gpuplot", *words)
    done = subprocess.run([sys.executable, "-m", "gpuplot", *words], cwd=OUTPUT, text=True, capture_output=True)
    print(done.stdout + done.stderr)


# %% [markdown]
# A file that is not compressed is mapped, not read: it may be larger than memory. Every keyword of `imshow` is an option. An existing
# file is replaced if gpuplot wrote it, otherwise only with `--force`.

# %%
mosaic, (row, col) = sky.mosaic(n)
np.save(OUTPUT / "sky.npy", mosaic)
gpuplot("sky.npy", "-o", "11_sky.png", "--agg", "max", "--cmap", "magma", "--gamma", "0.35", "--vmin", "0", "--vmax", "1200",
        "--nan-color", "#35e0d0", "--colorbar", "--title", "Counts above the background")

# %% [markdown]
# `--view` looks at a part, in rows and columns; `--pixels` leaves out axes and numbers.

# %%
view = f"{row - 40}:{row + 40},{col - 60}:{col + 60}"
gpuplot("sky.npy", "--pixels", "-o", "11_dead_pixel.png", "--view", view, "--width", "960", "--cmap", "magma", "--vmin", "0",
        "--vmax", "300", "--nan-color", "#35e0d0")

# %% [markdown]
# Files of several tensors: `info` lists them, those with NaN or infinities first; `FILE#NAME` is one of them. `--index`
# sets the position along axes that are not shown.

# %%
rng = np.random.default_rng(0)
net = {f"layer.{k}.weight": rng.normal(scale=0.1, size=(4, 64, 96)).astype("float32") for k in range(3)}
net |= {f"layer.{k}.bias": np.zeros(64, "float32") for k in range(3)}
net["layer.1.weight"][2, 10:14, 20:30] = np.nan
np.savez(OUTPUT / "net.npz", **net)
gpuplot("info", "net.npz")
gpuplot("info", "net.npz#layer.1.weight")
gpuplot("net.npz#layer.1.weight", "--index", "2", "--center", "0", "--nan-color", "magenta", "--colorbar", "-o", "11_layer.png")

# %% [markdown]
# `plot`, `hist`, `hist2d`, `scatter`, `grid` and `compare` draw tensors of files like the functions of the same names, whose
# keywords are options.

# %%
steps = np.arange(n * 50)
np.savez(OUTPUT / "run.npz", step=steps, loss=np.exp(-steps / steps.size * 3) * (1 + 0.2 * rng.normal(size=steps.size)))
gpuplot("plot", "run.npz#step", "run.npz#loss", "--yscale", "log", "--xlabel", "step", "--ylabel", "loss", "-o", "11_loss.png")
gpuplot("hist", "net.npz#layer.0.weight", "net.npz#layer.2.weight", "--bins", "200", "--histtype", "step", "-o", "11_weights.png")
gpuplot("compare", "net.npz#layer.0.weight", "net.npz#layer.1.weight", "--index", "0=2", "-o", "11_difference.png")

# %% [markdown]
# Mistakes are one line, and say what to type instead.

# %%
gpuplot("net.npz")
gpuplot("net.npz#layer.1.wieght")
gpuplot("sky.npy", "--cmpa", "magma")
