# %% [markdown]
# # PyTorch on several processes: weights that FSDP2 has cut
# Two processes train one layer, each with half of its rows. Pictures and numbers of the whole layer are made where the
# halves are: `collective=True` sends what each has found, never a row of weights. On GPUs start it with
# `torchrun --nproc-per-node 8` and the backend nccl; here the script starts two processes of its own.

# %%
import os
import pathlib
import tempfile

import matplotlib.pyplot as plt

import gpuplot

try:
    import torch
    import torch.distributed
    from torch.distributed.fsdp import fully_shard
    from torch.distributed.tensor import init_device_mesh
except ImportError:
    raise SystemExit("this example needs PyTorch: pip install torch") from None

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE.parent / "output"
N_PROCESSES, N_STEPS = 2, 12
n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 1200))


# %% [markdown]
# The layer has to learn the cosine transform, from noise and what the transform makes of it. Every process makes the calls
# with `collective=True`, in the same order: they meet there, as they meet in `backward`.

# %%
def train(process):
    """The training loop of one of the processes."""
    torch.manual_seed(0)
    model = torch.nn.Linear(n, n, bias=False)
    fully_shard(model, mesh=init_device_mesh("cpu", (N_PROCESSES,)))
    optimizer = torch.optim.SGD(model.parameters(), lr=n / 8, momentum=0.2)
    place = torch.arange(n)
    transform = torch.cos(torch.pi / n * (place + 0.5) * place[:, None] / 8)
    pixels = []
    for step in range(N_STEPS):
        x = torch.randn(2 * n, n, generator=torch.Generator().manual_seed(step))
        loss = torch.nn.functional.mse_loss(model(x), x @ transform.T)
        loss.backward()
        optimizer.step()
        found = gpuplot.stats(model.weight, percentiles=(), collective=True)
        pixels.append(gpuplot.to_rgba(model.weight, (300, 300), cmap="RdBu_r", vmin=-1, vmax=1, collective=True))
        if process == 0 and step in (0, N_STEPS - 1):
            print(f"step {step}: loss {loss.item():.3g}, weights {found.min:.3f} to {found.max:.3f}, NaN {found.nan}")
        optimizer.zero_grad()
    draw(process, model.weight, pixels)


# %% [markdown]
# `imshow` is this process's alone: it asks nobody, shows the rows that are here and hatches the others. So a picture that
# one process makes, or a zoom in its window, never waits for the rest.

# %%
def draw(process, weight, pixels):
    """What one process sees, and what all have seen together."""
    with plt.style.context(HERE.parent / "quiet.mplstyle"):
        fig, axes = plt.subplots(1, 3, figsize=(11.6, 3.9), layout="compressed")
        gpuplot.imshow(weight, ax=axes[0], cmap="RdBu_r", vmin=-1, vmax=1)
        for ax, k in zip(axes[1:], (2, -1), strict=True):
            ax.imshow(pixels[k], extent=(-0.5, n - 0.5, n - 0.5, -0.5), interpolation="antialiased")
            ax.set_title(f"all processes, step {range(N_STEPS)[k]}")
        if process == 0:
            fig.savefig(OUTPUT / "sharded.png")
        plt.close(fig)


# %%
def run(process, meeting):
    """One of the processes."""
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"file://{meeting}", rank=process, world_size=N_PROCESSES)
    train(process)
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    OUTPUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(run, (f"{folder}/meeting",), N_PROCESSES)
    print(f"{N_PROCESSES} processes, each with {n // N_PROCESSES} of {n} rows; one picture, one set of numbers")
    print(f"{OUTPUT}/sharded.png")
