# %% [markdown]
# # What a network sees
# A small convolutional network learns to tell discs, squares, crosses and stripes apart, here and now, in NumPy. Then we
# look at what its layers make of a picture. Tensors of PyTorch, JAX or CuPy go into `gpuplot.inspect` just the same, on
# the CPU or on a GPU: only the pixels on your screen are ever computed and sent.

# %%
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

import gpuplot

rng = np.random.default_rng(0)
NAMES = ("disc", "square", "cross", "stripes")

# %% [markdown]
# The pictures: 24 x 24, noisy, with a shape of any size anywhere.


# %%
def draw_shapes(count, side=24):
    """Pictures (count, 1, side, side) and the number of the shape on each."""
    labels = rng.integers(0, 4, count)
    row, col = np.mgrid[:side, :side]
    y, x = (grid - rng.uniform(8, side - 8, (count, 1, 1)) for grid in (row, col))
    radius = rng.uniform(5, 8, (count, 1, 1))
    is_near = np.maximum(abs(x), abs(y)) < radius
    is_cross = is_near & (np.minimum(abs(x), abs(y)) < radius / 3)
    shapes = [np.hypot(x, y) < radius, is_near, is_cross, is_near & ((x + y) % 6 < 3)]
    pictures = np.choose(labels[:, None, None], shapes) + rng.normal(0, 0.15, (count, side, side))
    return pictures[:, None].astype(np.float32), labels


# %% [markdown]
# The network, forwards and backwards: two convolutions with a halving between them, a mean over the picture, and a linear layer.


# %%
class Convolution:
    """A convolution that keeps the size of its pictures, and the rectifier behind it."""

    def __init__(self, n_in, n_out, size):
        spread = np.sqrt(2 / (n_in * size**2))
        self.weight = rng.normal(0, spread, (n_out, n_in, size, size)).astype(np.float32)
        self.bias = np.zeros(n_out, np.float32)
        self.speeds = [np.zeros_like(self.weight), np.zeros_like(self.bias)]

    def patches(self, x):
        """What lies under the kernel at every pixel, a row for each."""
        n, _, height, width = x.shape
        size = self.weight.shape[2:]
        edges = [(0, 0), (0, 0), *((k // 2, k // 2) for k in size)]
        windows = sliding_window_view(np.pad(x, edges), size, (2, 3))
        return windows.transpose(0, 2, 3, 1, 4, 5).reshape(n * height * width, -1)

    def forward(self, x):
        self.seen = self.patches(x)
        out = self.seen @ self.weight.reshape(len(self.weight), -1).T + self.bias
        self.out = np.maximum(out, 0).reshape(len(x), *x.shape[2:], -1).transpose(0, 3, 1, 2)
        return self.out

    def slope_before(self, slope):
        """The slope of the loss over the inputs, from that over the outputs."""
        turned = self.weight[:, :, ::-1, ::-1].transpose(1, 0, 2, 3)
        n, _, height, width = slope.shape
        before = self.patches(slope) @ turned.reshape(len(turned), -1).T
        return before.reshape(n, height, width, -1).transpose(0, 3, 1, 2)

    def learn(self, slope, rate):
        rows = slope.transpose(0, 2, 3, 1).reshape(-1, len(self.weight))
        changes = (rows.T @ self.seen).reshape(self.weight.shape), rows.sum(0)
        for value, speed, change in zip((self.weight, self.bias), self.speeds, changes):
            speed *= 0.9
            speed -= rate * change
            value += speed


class Network:
    """Pictures to scores of the four shapes."""

    def __init__(self):
        self.first, self.second = Convolution(1, 8, 5), Convolution(8, 16, 3)
        self.head = np.zeros((16, 4), np.float32)

    def scores(self, pictures):
        count, _, side, _ = pictures.shape
        halved = self.first.forward(pictures).reshape(count, 8, side // 2, 2, side // 2, 2).mean((3, 5))
        self.means = self.second.forward(halved).mean((2, 3))
        return self.means @ self.head

    def learn(self, pictures, labels, rate):
        scores = self.scores(pictures)
        share = np.exp(scores - scores.max(1, keepdims=True))
        share /= share.sum(1, keepdims=True)
        slope = (share - np.eye(4, dtype=np.float32)[labels]) / len(labels)
        size = self.second.out[0, 0].size
        second = (slope @ self.head.T)[:, :, None, None] / size * (self.second.out > 0)
        first = self.second.slope_before(second).repeat(2, 2).repeat(2, 3) / 4 * (self.first.out > 0)
        self.head -= 10 * rate * (self.means.T @ slope)
        self.second.learn(second, rate)
        self.first.learn(first, rate)
        return -np.log(share[np.arange(len(labels)), labels] + 1e-9).mean()


# %%
network = Network()
losses = [network.learn(*draw_shapes(16), rate=0.08) for step in range(300)]
pictures, shapes = draw_shapes(64)
answers = network.scores(pictures).argmax(1)
print(f"loss {losses[0]:.2f} -> {np.mean(losses[-20:]):.2f}, {np.mean(answers == shapes):.0%} of 64 new pictures right;")
print(f"picture 0 is said to be a {NAMES[answers[0]]} and is a {NAMES[shapes[0]]}")

# %% [markdown]
# All channels of the first layer beside each other, for one picture at a time. Drag the slider, or press play; put the
# pointer on a pixel to read its number; scroll to zoom, all channels together.

# %%
first_layer = gpuplot.inspect(network.first.out, dims="picture channel row column",
                              columns="channel", cmap="magma")
first_layer

# %% [markdown]
# What made them: the eight filters of that layer, red where a bright pixel speaks for the channel and blue where it speaks
# against it. An edge is a red side and a blue one. Zoom in, and each weight is a number in its cell.

# %%
filters = gpuplot.inspect(network.first.weight, dims="filter input row column", columns="filter")
filters

# %% [markdown]
# The sixteen channels of the second layer go on in the next line. Most answer to one shape and not to the others: step
# through the pictures.

# %%
second_layer = gpuplot.inspect(network.second.out, dims="picture channel row column",
                               columns="channel", cmap="magma")
second_layer

# %% [markdown]
# Several tensors get a menu, and keep the place where you were in each. In code, `everything.item = "2 weight"` chooses.

# %%
tensors = {"pictures": pictures, "1 activations": network.first.out, "1 weight": network.first.weight,
           "2 activations": network.second.out, "2 weight": network.second.weight}
everything = gpuplot.inspect(tensors, index={0: 3}, height=400)
everything

# %% [markdown]
# The same tensors as numbers, those with something wrong first. Nothing is, here: no NaN, no infinity. The gray of the
# activations are zeros, which rectifiers make.

# %%
gpuplot.stats(tensors)
