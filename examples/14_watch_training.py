# %% [markdown]
# # A network while it is trained
# `watch` opens a module of torch in an inspector whose menu has its weights, their gradients and the outputs of its parts. In a
# notebook the last line of a cell is `w`, and the loop runs in the cell below it: what is chosen in the menu follows the steps.
# Here, without a page, code chooses, and files keep what is shown.

# %%
import pathlib
import shutil
import sys
import warnings

import gpuplot

try:
    import torch
except ImportError:
    print("this example needs PyTorch: pip install torch")
    sys.exit()

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE / "output"
OUTPUT.mkdir(exist_ok=True)
torch.manual_seed(0)

# %% [markdown]
# Rings on a plane, and a network that learns the brightness at each position.

# %%
side = 64
axis = torch.linspace(-1, 1, side)
places = torch.stack(torch.meshgrid(axis, axis, indexing="ij"), -1).reshape(-1, 2)
target = torch.sin(14 * places.norm(dim=1, keepdim=True))
model = torch.nn.Sequential(torch.nn.Linear(2, 128), torch.nn.GELU(), torch.nn.Linear(128, 128), torch.nn.GELU(),
                            torch.nn.Linear(128, 1))
optimizer = torch.optim.Adam(model.parameters(), 3e-3)

# %% [markdown]
# `watch` adds nothing to the loop. A program that is not a notebook gets a warning that no page shows it.

# %%
with warnings.catch_warnings(action="ignore", category=gpuplot.GpuplotWarning):
    w = gpuplot.watch(model, names=["2*", "4*", "output"], limits="elements")

# %%
shutil.rmtree(OUTPUT / "14_run", ignore_errors=True)
with gpuplot.Recorder(OUTPUT / "14_run", every=50) as record:
    for step in range(301):
        optimizer.zero_grad()
        painted = model(places)
        loss = (painted - target).square().mean()
        loss.backward()
        if record.wants(step):
            record.image("painted", painted.reshape(side, side), step, width=320)
            record.stats("gradient", model[2].weight.grad, step)
            record.scalar("loss", loss, step)
        optimizer.step()
        if step % 150 == 0:
            for name in ("2.weight", "2.weight.grad"):
                w.item = name
                w.snapshot(OUTPUT / f"14_{name}_{step:03d}.png", scale=4)
            print(f"step {step}: loss {loss.item():.3f}, {w}")

# %% [markdown]
# `close()` removes the hooks; so does deleting the inspector. The recorded pictures are a page with a slider of steps, and an
# animation.

# %%
w.close()
record.animate("painted", OUTPUT / "14_painted.gif", fps=4)
gpuplot.imsave(OUTPUT / "14_painted.png", painted.reshape(side, side), width=320)
print(OUTPUT / "14_run" / "index.html")
