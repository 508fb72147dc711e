# %% [markdown]
# # Training, watched live
# A small network learns a picture: from the position of a pixel it has to tell its brightness. While the loop runs, the
# inspector shows what the network makes of it, and how far it is off. Nothing of this slows the loop down: it draws when
# there is time, and only what is on your screen.

# %%
import numpy as np
from matplotlib import cbook, pyplot

import gpuplot

# %% [markdown]
# The picture, from matplotlib's own sample data.

# %%
with cbook.get_sample_data("grace_hopper.jpg") as file:
    photo = pyplot.imread(file).mean(axis=2) / 255
target = photo[20:420:5, 60:460:5].astype(np.float32)
side = len(target)
target.shape

# %% [markdown]
# The network: positions as waves of many lengths, one hidden layer, and Adam.


# %%
class Painter:
    """Positions to brightness: waves, a hidden layer, and Adam to train them."""

    def __init__(self, side, width=96):
        rng = np.random.default_rng(0)
        grid = np.stack(np.mgrid[:side, :side], -1).reshape(-1, 2) / side
        phases = grid @ rng.normal(0, 22, (2, width // 2))
        self.waves = np.concatenate([np.sin(phases), np.cos(phases)], 1).astype(np.float32)
        sizes = [(width, width), (width, 1)]
        self.weights = [rng.normal(0, np.sqrt(2 / n), (n, m)).astype(np.float32) for n, m in sizes]
        self.moments = [(np.zeros_like(weight), np.zeros_like(weight)) for weight in self.weights]
        self.side, self.step = side, 0

    def paint(self):
        """The whole picture."""
        self.hidden = np.maximum(self.waves @ self.weights[0], 0)
        return (self.hidden @ self.weights[1]).reshape(self.side, self.side) + np.float32(0.5)

    def learn(self, error, rate):
        """One step down the slope of the mean squared error."""
        slope = error.reshape(-1, 1) * np.float32(2 / error.size)
        inner = (slope @ self.weights[1].T) * (self.hidden > 0)
        self.step += 1
        changes = self.waves.T @ inner, self.hidden.T @ slope
        for weight, (first, second), change in zip(self.weights, self.moments, changes):
            first += 0.1 * (change - first)
            second += 0.01 * (change**2 - second)
            size = np.sqrt(second / (1 - 0.99**self.step)) + 1e-8
            weight -= rate * first / (1 - 0.9**self.step) / size


# %% [markdown]
# The inspector comes before the loop, and `update` gives it the new numbers inside. Zoom in on the face while it learns,
# choose `error` or `weights` in the menu: what you look at is what is drawn. With `limits="elements"` the grays follow the
# numbers at every step; otherwise they stay those of the first one, so that steps can be compared.

# %%
painter = Painter(side)
first = painter.paint()
shown = {"painted": first, "error": first - target, "weights": painter.weights[0].copy()}
live = gpuplot.inspect(shown, cmap="gray", center=None, limits="elements", height=400)
live

# %%
losses = []
for step in range(150):
    painted = painter.paint()
    error = painted - target
    losses.append(float((error**2).mean()))
    painter.learn(error, rate=0.01)
    live.update(painted, "painted")
    live.update(error, "error")
    live.update(painter.weights[0].copy(), "weights")
print(f"mean squared error {losses[0]:.4f} -> {losses[-1]:.4f}")

# %% [markdown]
# The picture beside its target. The menu has a third entry, `painted − target`: two tensors of one shape come with their
# difference, computed where they are and only for what is seen.

# %%
compared = gpuplot.inspect({"painted": painted, "target": target}, cmap="gray", center=None, height=400)
compared

# %%
gpuplot.stats({"painted": painted, "error": error, "weights": painter.weights})
