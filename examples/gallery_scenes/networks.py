"""Tensors of a neural network: weights, gradients, activations, attention, masks, batches."""

import numpy as np
from sky import fractal

from .scene import normal, scene


@scene("weights_std", "the spread of the elements under each pixel: the six channels", "gpuplot.imshow(x, agg='std', colorbar=True)",
       "plt.imshow(x)\nplt.colorbar()")
@scene("weights_centered", "the same, with white at zero: which rows and columns push which way",
       "gpuplot.imshow(x, center=0, robust=True, colorbar=True)",
       "m = np.percentile(abs(x), 98)\nplt.imshow(x, cmap='RdBu_r', vmin=-m, vmax=m)\nplt.colorbar()")
@scene("weights", "low-rank structure over the noise of the initialization, and six input channels with outliers")
def weights(rng, most):
    n = min(4096, most)
    x = normal(rng, n, n, scale=0.02)
    x += normal(rng, n, 6, scale=0.06) @ normal(rng, 6, n, scale=0.06)
    x[:, rng.choice(n, 6)] *= 5
    return x


@scene("gradient_log", "orders of magnitude of the same gradient", "gpuplot.imshow(abs(x), norm='log', colorbar=True)",
       "plt.imshow(abs(x), norm='log')\nplt.colorbar()")
@scene("gradient", "which rows learn, and the dead ones with exact zeros; the tails are heavy")
def gradient(rng, most):
    rows, cols = min(3072, most), min(768, most)
    x = rng.standard_t(2, (rows, cols)).astype(np.float32) * 1e-5
    x *= np.exp(normal(rng, rows, 1)) * np.exp(normal(rng, 1, cols, scale=0.5))
    x[rng.choice(rows, rows // 12)] = 0
    return x


@scene("activations", "where a channel is active in the picture; most elements are zero", usual="plt.imshow(x[0, 0])")
def activations(rng, most):
    n = min(112, most)
    waves = np.stack([fractal(n, 1.6, rng) for _ in range(32)])
    x = np.maximum(waves + 0.5 * normal(rng, 8, 32, n, n) - 0.8, 0)
    return x.astype(np.float16)


@scene("hidden_states", "tokens down, features across: a few features are hundreds of times larger than the rest")
def hidden_states(rng, most):
    rows, cols = min(2048, most), min(4096, most)
    x = normal(rng, rows, cols) * np.exp(normal(rng, 1, cols, scale=0.4))
    x[:, rng.choice(cols, 3)] += (80, -45, 30)
    return x


def attention_scores(rng, n, n_heads):
    """Scores of a causal transformer before the softmax: nearby tokens, the first one, repetitions."""
    back = np.arange(n)[:, None] - np.arange(n)
    reach = np.geomspace(2, n, n_heads)[:, None, None]
    scores = normal(rng, n_heads, n, n, scale=0.8) - np.maximum(back, 0) / reach
    scores[:, :, 0] += np.linspace(1, 8, n_heads)[:, None]
    scores[n_heads // 2:] += 4 * (back % 97 == 1) * (back > 1)
    scores[:, back < 0] = -np.inf
    return scores


@scene("attention_mean", "the mean of twelve heads", "gpuplot.imshow(x, reduce={1: 'mean'}, norm='log', colorbar=True)",
       "plt.imshow(x.mean(1)[0], norm='log')\nplt.colorbar()")
@scene("attention", "the diagonal and the first token, which take nearly all of the weight", usual="plt.imshow(x[0, 0])")
def attention(rng, most):
    scores = attention_scores(rng, min(768, most), 12)
    x = np.exp(scores - scores.max(-1, keepdims=True))
    x /= x.sum(-1, keepdims=True)
    return x[None]


@scene("padding_mask", "how long the sequences of a batch are")
def padding_mask(rng, most):
    lengths = np.clip(rng.lognormal(4.5, 0.8, 128), 4, 512)
    return np.arange(512) < lengths[:, None]


@scene("quantized_int8", "whether the range of int8 is used, and rows that are clipped", "gpuplot.imshow(x, colorbar=True)",
       "plt.imshow(x)\nplt.colorbar()")
def quantized_int8(rng, most):
    n = min(4096, most)
    x = normal(rng, n, n, scale=28) * np.exp(normal(rng, n, 1, scale=0.35))
    return np.clip(np.rint(x), -127, 127).astype(np.int8)


@scene("bfloat16", "a bfloat16 projection of queries: rotary pairs in blocks of 64", usual="plt.imshow(x.astype('float32'))")
def bfloat16(rng, most):
    import ml_dtypes

    n = min(1024, most)
    x = normal(rng, n, n, scale=0.03) * (0.4 + abs(np.sin(np.arange(n) * np.pi / 64))).astype(np.float32)[:, None]
    return x.astype(ml_dtypes.bfloat16)


@scene("embeddings", "50000 tokens, frequent ones first: norms grow with rarity, unused tokens are nearly zero")
def embeddings(rng, most):
    rows = min(50_000, 12 * most)
    x = normal(rng, rows, 64) * np.linspace(0.3, 1, rows, dtype=np.float32)[:, None]
    x[rows * 93 // 100:] *= 0.01
    x[:, 17] += 1.5
    return x


@scene("logits", "a vocabulary of 50257 for 64 tokens: narrow peaks in a wide row")
def logits(rng, most):
    rows, cols = 64, min(50_257, 12 * most)
    x = normal(rng, rows, cols, scale=2) - 4 + normal(rng, 1, cols)
    x[np.arange(rows), rng.integers(0, cols, rows)] = 18
    return x


@scene("batch_uint8", "the first picture of a batch (N, 3, H, W)", usual="plt.imshow(x[0].transpose(1, 2, 0))")
def batch_uint8(rng, most):
    return np.stack([(255 * photo(rng, min(224, most))).astype(np.uint8) for _ in range(4)])


@scene("batch_normalized", "the same with ImageNet's normalization undone", "gpuplot.imshow(x, rgb=1, denorm='imagenet')",
       "mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]\nplt.imshow(np.clip(x[0].transpose(1, 2, 0) * std + mean, 0, 1))")
@scene("batch_float", "the first channel of a normalized batch: whether the data loader gives what is meant",
       usual="plt.imshow(x[0].transpose(1, 2, 0))")
def batch_float(rng, most):
    x = np.stack([photo(rng, min(224, most)) for _ in range(4)])
    mean, std = np.array([[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]])[..., None, None]
    return ((x - mean) / std).astype(np.float32)


def photo(rng, n):
    """A landscape of (3, n, n), 0 to 1: sky over hills."""
    y, x = np.mgrid[0:1:n * 1j, 0:1:n * 1j]
    ridge = 0.55 + 0.12 * np.sin(5 * x + rng.uniform(0, 6)) + 0.04 * fractal(n, 1.2, rng)[0]
    light = 0.5 + 0.14 * fractal(n, 1.3, rng)
    is_ground = y > ridge
    return np.stack([np.where(is_ground, ground * light, top * (1 - 0.5 * y) + 0.08 * light)
                     for ground, top in ((0.7, 0.45), (0.9, 0.65), (0.4, 0.9))]).clip(0, 1)


@scene("confusion_log", "the few confusions among many right answers", "gpuplot.imshow(x, norm='log', colorbar=True)",
       "plt.imshow(x, norm='log')\nplt.colorbar()")
@scene("confusion", "100 classes: the diagonal, and pairs that are mixed up")
def confusion(rng, most):
    x = rng.poisson(0.15, (100, 100))
    x[np.arange(100), np.arange(100)] = rng.binomial(100, rng.beta(8, 2, 100))
    x[rng.integers(0, 100, 20), rng.integers(0, 100, 20)] += rng.integers(5, 30, 20)
    return x
