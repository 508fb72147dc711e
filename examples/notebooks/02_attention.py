# %% [markdown]
# # Attention maps
# Four sentences, six heads that look for six different things, one weight for every pair of tokens: a tensor of
# sentence x head x query x key. It has a bug of the kind that real ones have; the inspector shows where.

# %%
import numpy as np

import gpuplot

TEXT = """the cat that chased the rat that ate the malt slept on the mat while the rat looked at the cat
she sells sea shells by the sea shore and the shells she sells are sea shells for sure
how much wood would a wood chuck chuck if a wood chuck could chuck wood as a wood chuck would
peter piper picked a peck of pickled peppers""".splitlines()
HEADS = ("previous token", "same token", "next after same", "same first letter", "recent tokens", "first token")

# %% [markdown]
# Tokens, padded to the longest sentence. Padding is not a token: nothing may attend to it.

# %%
words = [line.split() for line in TEXT]
length = max(map(len, words))
tokens = np.array([sentence + [""] * (length - len(sentence)) for sentence in words])
is_token = tokens != ""
tokens.shape, is_token.sum(axis=1)

# %% [markdown]
# Each head scores every pair; the softmax over the keys makes weights of the scores.

# %%
query, key = np.mgrid[:length, :length]
same = tokens[:, :, None] == tokens[:, None, :]
initial = tokens.astype("U1")
after_same = np.zeros_like(same)
after_same[:, :, 1:] = same[:, :, :-1]
scores = np.stack([
    np.broadcast_to(6.0 * (key == query - 1), same.shape),
    6.0 * (same & (key != query)),
    7.0 * (after_same & (key <= query)),
    4.0 * (initial[:, :, None] == initial[:, None, :]),
    np.broadcast_to(-0.6 * (query - key), same.shape),
    np.broadcast_to(5.0 * (key == 0), same.shape),
], axis=1)
scores += 0.3 * np.random.default_rng(1).standard_normal(scores.shape)
is_seen = (key <= query) & is_token[:, None, None, :] & is_token[:, None, :, None]
scores = np.where(is_seen, scores, -np.inf).astype(np.float32)
with np.errstate(invalid="ignore"):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
weights.shape

# %% [markdown]
# The last sentence is short. Step the first slider to it: where a query is padding, every score is -Inf, the softmax
# divides 0 by 0, and the row is NaN, in a color that cannot be missed. The pill above the picture counts them, and the key
# `n` goes from one to the next. The logarithm of `norm` shows weights of any size.

# %%
names = "sentence head query key"
heads = gpuplot.inspect(weights, dims=names, columns="head", index={"sentence": 3},
                        cmap="magma", norm="log", vmin=1e-4, vmax=1)
heads

# %% [markdown]
# Where the NaN are, as numbers, sentence by sentence.

# %%
found = gpuplot.stats(weights, dim=(1, 2, 3))
print("NaN in each sentence:", found.nan, " the first one at", found.first_nan[3])
found

# %% [markdown]
# Repaired: a query that sees nothing attends to nothing. One head at a time now, with the numbers in the cells where they
# are large enough. `reduce` shows the strongest of all heads at each place; any axis can be reduced in the inspector, too.

# %%
repaired = np.nan_to_num(weights)
strongest = gpuplot.inspect(repaired, dims=names, reduce={"head": "max"}, cmap="magma", height=400)
strongest

# %% [markdown]
# Two inspectors that are linked show the same part, sentence and head: zoom one, and the other follows. First the scores,
# -Inf in orange where nothing may be seen, then what the softmax made of them: under a norm of its own, as linked inspectors
# of one norm share one range of colors.

# %%
raw = gpuplot.inspect(scores, dims=names, index={"head": 1}, height=400)
raw

# %%
soft = gpuplot.inspect(repaired, dims=names, index={"head": 1}, norm="log", cmap="magma", height=400, link=raw)
soft
