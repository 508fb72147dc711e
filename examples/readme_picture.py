"""Draws docs/readme.png: what decimation shows of a 16384 x 16384 array, what gpuplot shows, and one NaN zoomed out of it."""

import io
import os
import pathlib
import sys

import matplotlib
import sky
from PIL import Image

matplotlib.use("agg")
import matplotlib.pyplot as plt
from matplotlib.colors import AsinhNorm

import gpuplot

HERE = pathlib.Path(__file__).resolve().parent
CYAN = "#35e0d0"


def clear(ax, title, remark):
    """Nothing but the picture, its name and what to see."""
    ax.set(xticks=[], yticks=[])
    ax.set_title(title, fontsize=7.6, family="monospace")
    ax.set_xlabel(remark, fontsize=7, color="#555555", loc="left", labelpad=4)
    ax.spines[:].set_visible(False)


def look_at(ax, row, col, side):
    """Zooms to a square of elements."""
    ax.set(xlim=(col - side / 2, col + side / 2), ylim=(row + side / 2, row - side / 2))


def in_few_colors(picture):
    """Every fourth color of the map, grays for text, and the color of NaN: a page loads this picture first."""
    few = matplotlib.colormaps["magma"](range(0, 256, 4), bytes=True)[:, :3].ravel().tolist()
    grays = [level for value in range(0x33, 0x100, 17) for level in (value,) * 3]
    palette = Image.new("P", (1, 1))
    palette.putpalette(few + grays + [int(CYAN[i:i + 2], 16) for i in (1, 3, 5)])
    return picture.convert("RGB").quantize(palette=palette, dither=Image.Dither.NONE)


def main(path):
    """Makes the array and the three panels."""
    plt.style.use(HERE / "quiet.mplstyle")
    n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 16384))
    mosaic, (row, col) = sky.mosaic(n)
    colors = dict(norm=AsinhNorm(12, vmin=-2, vmax=1500), cmap="magma")
    fig, axes = plt.subplots(1, 3, figsize=(8.3, 3.16), layout="compressed")
    every = max(1, n // 512)
    axes[0].imshow(mosaic[::every, ::every], **colors)
    gpuplot.imshow(mosaic, ax=axes[1], agg="max", nan_color=CYAN, **colors)
    axes[1].plot(col, row, "o", markersize=13, markerfacecolor="none", markeredgecolor=CYAN, markeredgewidth=0.8)
    gpuplot.imshow(mosaic, ax=axes[2], nan_color=CYAN, **colors)
    look_at(axes[2], row, col, n / 500)
    clear(axes[0], f"plt.imshow(a[::{every}, ::{every}])", "faint stars, a satellite's trail, dead columns: gone")
    clear(axes[1], 'gpuplot.imshow(a, agg="max")', f"{n} x {n} float32: every peak and NaN kept")
    clear(axes[2], "the same artist, zoomed 500x", "one dead element beside a star")
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    drawn = io.BytesIO()
    fig.savefig(drawn, dpi=200)
    in_few_colors(Image.open(drawn)).save(path, optimize=True)
    print(f"{path}: {pathlib.Path(path).stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else HERE.parent / "docs" / "readme.png")
