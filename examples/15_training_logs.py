# %% [markdown]
# # What a loop saw, by step
# A loop that gives its tensors to a `Recorder`, whose folder opens as a page, and to TensorBoard and Weights & Biases where these are
# installed. They get pixels and counts, which are made where a tensor is. `docs/training_logs.md` has the lines by themselves.

# %%
import importlib.util
import pathlib
import shutil

import numpy as np

import gpuplot

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE / "output"
OUTPUT.mkdir(exist_ok=True)


def has(*names):
    """Whether all of these packages are there."""
    return all(importlib.util.find_spec(name) is not None for name in names)


# %% [markdown]
# Gradient descent: a matrix learns to undo another one.

# %%
rng = np.random.default_rng(0)
side = 96
blur = np.exp(-0.5 * (np.subtract.outer(np.arange(side), np.arange(side)) / 1.2) ** 2) / 3
inverse = 0.01 * rng.normal(size=(side, side))


def gradient(inverse):
    """Of half the sum of squares of what is wrong."""
    return blur.T @ (blur @ inverse - np.eye(side))


# %% [markdown]
# A folder from the last run would be continued; this one starts again.

# %%
shutil.rmtree(OUTPUT / "15_run", ignore_errors=True)
writer = run = None
if has("torch", "tensorboard"):
    from torch.utils.tensorboard import SummaryWriter
    writer = SummaryWriter(OUTPUT / "15_tensorboard")
else:
    print("nothing for TensorBoard: pip install torch tensorboard")
if has("wandb"):
    import wandb
    run = wandb.init(project="gpuplot", mode="offline", dir=OUTPUT)
else:
    print("nothing for Weights & Biases: pip install wandb")

# %% [markdown]
# TensorBoard takes a histogram as counts: `stats` has everything that it needs.

# %%
with gpuplot.Recorder(OUTPUT / "15_run", every=50) as record:
    for step in range(201):
        slope = gradient(inverse)
        if record.wants(step):
            record.image("inverse", inverse, step, width=384, cmap="RdBu", center=0)
            record.stats("inverse", inverse, step)
            record.stats("gradient", slope, step)
            pixels, found = gpuplot.to_rgba(inverse, (384, 384), cmap="RdBu", center=0), gpuplot.stats(slope)
            n = int(found.hist.sum())
            if writer is not None:
                writer.add_image("inverse", pixels, step, dataformats="HWC")
                writer.add_histogram_raw("gradient", found.min, found.max, n, found.mean * n, found.l2**2,
                                         found.bin_edges[1:].tolist(), found.hist.tolist(), step)
            if run is not None:
                histogram = wandb.Histogram(np_histogram=(found.hist, found.bin_edges))
                run.log({"inverse": wandb.Image(pixels), "gradient": histogram}, step=step)
        inverse -= 0.9 * slope

# %% [markdown]
# The last picture, written by a thread while the program goes on; and what is where.

# %%
file = gpuplot.imsave(OUTPUT / "15_inverse.png", inverse, width=384, cmap="RdBu", center=0, blocking=False)
record.animate("inverse", OUTPUT / "15_inverse.gif", fps=2)
if writer is not None:
    writer.close()
    print(f"tensorboard --logdir {OUTPUT / '15_tensorboard'}")
if run is not None:
    run.finish()
file.wait()
print(f"{OUTPUT / '15_run' / 'index.html'}")
