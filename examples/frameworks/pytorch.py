# %% [markdown]
# # PyTorch: attention scores, as they are
# A causal attention matrix in bfloat16 that requires a gradient, half of it -inf. Nothing is detached, converted or copied
# to be looked at. The tensors are in CUDA memory where there is a GPU, else in the host's; the lines are the same.

# %%
import math
import os
import pathlib

import matplotlib.pyplot as plt

import gpuplot

try:
    import torch
except ImportError:
    raise SystemExit("this example needs PyTorch: pip install torch") from None

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE.parent / "output"
OUTPUT.mkdir(exist_ok=True)
plt.style.use(HERE.parent / "quiet.mplstyle")
device = "cuda" if torch.cuda.is_available() else "cpu"
n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 4096))
torch.manual_seed(4)

# %% [markdown]
# Queries and keys of one head with rotary positions: each pair of channels turns at a pace of its own, so that a score
# depends on how far two tokens lie apart.

# %%
n_channels = 64
weight = torch.nn.Parameter(0.25 * torch.randn(2, 1, n_channels // 2, device=device) + 0.7)
topic = 0.9 * torch.randn(n // 256, 1, n_channels // 2, device=device).expand(-1, 256, -1).reshape(n, -1)
pace = 3000 ** -torch.linspace(0.25, 1, n_channels // 2, device=device)
turns = torch.polar(torch.ones(n, n_channels // 2, device=device), torch.arange(n, device=device)[:, None] * pace)
query, key = ((w + topic) * turns for w in weight)
scores = (query @ key.mH).real.to(torch.bfloat16) / math.sqrt(n_channels)
future = torch.ones(n, n, dtype=torch.bool, device=device).triu(1)
scores = scores.masked_fill(future, -torch.inf)
attention = scores.float().softmax(-1)
print(f"scores: {tuple(scores.shape)} {scores.dtype} on {scores.device}, requires_grad={scores.requires_grad}")

# %% [markdown]
# `imshow` takes the tensor. -inf has a color of its own, limits are found among the finite scores.

# %%
fig, axes = plt.subplots(1, 2, figsize=(9.6, 4.1), layout="compressed")
gpuplot.imshow(scores, ax=axes[0], cmap="RdBu_r", center=0, robust=True, neg_inf_color="0.93", colorbar=True)
gpuplot.imshow(attention, ax=axes[1], cmap="magma", norm="log", vmin=1e-6, vmax=1e-1, agg="max", colorbar=True)
for ax, title in zip(axes, ["scores, bfloat16; gray: -inf", "attention, the largest weight of each pixel"]):
    ax.set(title=title, xlabel="key", ylabel="query")
fig.savefig(OUTPUT / "pytorch.png")

# %% [markdown]
# The numbers themselves: bfloat16 comes as float32, and a strided part is gathered where it lies.

# %%
last = gpuplot.asnumpy(scores[-1, ::64])
print(f"scores of the last token: {last.dtype} {last.shape}, the largest is {last.max():.3f}")
print(f"{OUTPUT}/pytorch.png")
