# %% [markdown]
# # JAX: Newton's method, differentiated by JAX
# Where does Newton's method end when it starts at a point of the complex plane? `jax.grad` gives the derivative, `jax.vmap`
# takes all points at once, and the complex result is drawn as it is: color is its phase.

# %%
import os
import pathlib

import matplotlib.pyplot as plt

import gpuplot

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    raise SystemExit("this example needs JAX: pip install jax") from None

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE.parent / "output"
OUTPUT.mkdir(exist_ok=True)
plt.style.use(HERE.parent / "quiet.mplstyle")
n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 2000))


# %%
def polynomial(z):
    """Four roots at distance 1 from zero, four at distance 2."""
    return z ** 8 + 15 * z ** 4 - 16


def steps_to_a_root(z):
    """Where 40 steps lead, and a smooth count of those that were large."""
    slope = jax.grad(polynomial, holomorphic=True)

    def step(_, state):
        z, count = state
        change = polynomial(z) / slope(z)
        return z - change, count + jnp.exp(-0.1 / jnp.maximum(jnp.abs(change), 0.02))

    return jax.lax.fori_loop(0, 40, step, (z, jnp.float32(0)))


axis = jnp.linspace(-1.6, 1.6, n)
plane = axis[None, :] + 1j * axis[::-1, None]
roots, counts = jax.jit(jax.vmap(jax.vmap(steps_to_a_root)))(plane)
counts = counts.astype(jnp.bfloat16)
print(f"roots: {roots.shape} {roots.dtype}, counts: {counts.dtype}, on {roots.device}")

# %% [markdown]
# Dispatch is asynchronous: gpuplot waits for the values. bfloat16 needs no cast.

# %%
fig, axes = plt.subplots(1, 2, figsize=(9.6, 4.3), layout="compressed")
gpuplot.imshow(roots, ax=axes[0], complex_mode="phase", cmap="twilight", extent=(-1.6, 1.6, -1.6, 1.6), colorbar=True)
gpuplot.imshow(counts, ax=axes[1], cmap="magma", norm="log", vmin=0.2, vmax=36, nan_color="#35e0d0",
               extent=(-1.6, 1.6, -1.6, 1.6), colorbar=True)
for ax, title in zip(axes, ["the root that is reached: complex64, its phase", "steps that it takes: bfloat16; NaN where they overflow"]):
    ax.set(title=title, xlabel="real part of the start", ylabel="imaginary part")
fig.savefig(OUTPUT / "jax.png")

# %% [markdown]
# The numbers. An array that was donated no longer has memory, and gpuplot says so.

# %%
host = gpuplot.asnumpy(counts)
print(f"as NumPy: {host.dtype}, {(host != host).sum()} NaN")
halved = jax.jit(lambda a: a / 2, donate_argnums=0)(counts)
try:
    gpuplot.asnumpy(counts)
except gpuplot.UnsupportedError as error:
    print(f"a donated array: {error}")
print(f"{OUTPUT}/jax.png")
