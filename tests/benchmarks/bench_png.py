"""Times and sizes of PNG files: gpuplot's writer, plt.imsave and Pillow on the same pixels, in alternation.

Run from the repository: ``python tests/benchmarks/bench_png.py [--rounds 5] [--json FILE] [kind ...]``.
"""

import argparse
import io
import json
import os
import time

import matplotlib
import matplotlib.image
import numpy as np
from PIL import Image

from gpuplot.picture import png

SHAPE = (1080, 1920)


def field(rng, power):
    """A random field between 0 and 1 whose spectrum falls with frequency to this power."""
    frequency = np.hypot(np.fft.fftfreq(SHAPE[0])[:, None], np.fft.fftfreq(SHAPE[1])[None])
    frequency[0, 0] = 1
    values = np.fft.ifft2(np.fft.fft2(rng.standard_normal(SHAPE)) / frequency**power).real
    return (values - values.min()) / np.ptp(values)


def waves(step=90.0):
    y, x = np.mgrid[:SHAPE[0], :SHAPE[1]]
    return 0.5 + 0.5 * np.sin(x / step) * np.cos(y / (step - 20))


def blocks(rng, size):
    return np.kron(rng.random((SHAPE[0] // size, SHAPE[1] // size)), np.ones((size, size)))


def color_mapped(values, cmap="viridis"):
    return matplotlib.colormaps[cmap](values, bytes=True)


def from_channels(*channels):
    """RGBA pixels of three or four channels in 0..255."""
    channels = [*channels, np.full(SHAPE, 255)][:4]
    return np.ascontiguousarray(np.stack([np.clip(channel, 0, 255).astype(np.uint8) for channel in channels], axis=-1))


def photo(rng):
    """Correlated channels with the spectrum of a photograph, and grain."""
    base, grain = field(rng, 1.6), 1.5 * rng.standard_normal(SHAPE)
    return from_channels(*(255 * (0.8 * base + 0.2 * field(rng, 1.6)) + grain + 0.7 * rng.standard_normal(SHAPE)
                           for _ in range(3)))


def figure(rng):
    """What savefig writes: lines and text."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(SHAPE[1] / 100, SHAPE[0] / 100), dpi=100)
    canvas = FigureCanvasAgg(figure)
    for ax in figure.subplots(2, 2).flat:
        ax.plot(rng.standard_normal((300, 2)).cumsum(axis=0))
        ax.set_title("a title")
    canvas.draw()
    return np.array(canvas.buffer_rgba())


KINDS = {
    "noise": lambda rng: color_mapped(rng.random(SHAPE)),
    "smooth": lambda rng: color_mapped(waves()),
    "smooth RdBu": lambda rng: color_mapped(waves(), "RdBu"),
    "field": lambda rng: color_mapped(field(rng, 1.0)),
    "blocks": lambda rng: color_mapped(blocks(rng, 40)),
    "mask": lambda rng: color_mapped((field(rng, 1.6) > 0.5) * 1.0),
    "rgb smooth": lambda rng: from_channels(*(255 * waves(step) for step in (90, 80, 70))),
    "rgb photo": photo,
    "rgb noise": lambda rng: from_channels(*(256 * rng.random((3, *SHAPE)))),
    "rgb blocks": lambda rng: from_channels(*(255 * blocks(rng, 20) for _ in range(3))),
    "rgb figure": figure,
    "rgba smooth": lambda rng: from_channels(*(255 * waves(step) for step in (90, 80, 70, 120))),
}


def by_gpuplot(rgba):
    file = io.BytesIO()
    png.write_png(file, rgba, dpi=100)
    return file.getvalue()


def by_matplotlib(rgba):
    file = io.BytesIO()
    matplotlib.image.imsave(file, rgba, format="png", dpi=100)
    return file.getvalue()


def by_pillow(rgba):
    file = io.BytesIO()
    Image.fromarray(rgba).save(file, "PNG", compress_level=1)
    return file.getvalue()


WRITERS = {"gpuplot": by_gpuplot, "plt.imsave": by_matplotlib, "Pillow level 1": by_pillow}


def measure(rgba, n_rounds):
    """Best time in ms and size in kB for each writer; every file is decoded and compared once."""
    times, sizes = {name: [] for name in WRITERS}, {}
    for _ in range(n_rounds):
        for name, write in WRITERS.items():
            start = time.perf_counter()
            data = write(rgba)
            times[name].append(1e3 * (time.perf_counter() - start))
            if name not in sizes:
                np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(data)).convert("RGBA")), rgba)
            sizes[name] = len(data) / 1e3
    return {name: {"ms": min(times[name]), "kB": sizes[name]} for name in WRITERS}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", help=f"of {', '.join(KINDS)}; all by default")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", help="also write the numbers to this file")
    options = parser.parse_args()
    for kind in options.kinds:
        if kind not in KINDS:
            parser.error(f"{kind!r} is not one of {', '.join(KINDS)}")
    print(f"{SHAPE[1]} x {SHAPE[0]} pixels, best of {options.rounds}, {os.cpu_count()} CPUs; "
          "ratios are against plt.imsave")
    print(f"{'kind':12}" + "".join(f"{name + ' ms':>20}{'x':>6}{'kB':>7}{'size':>6}" for name in WRITERS))
    results = {}
    for kind in options.kinds or KINDS:
        results[kind] = measure(KINDS[kind](np.random.default_rng(0)), options.rounds)
        base = results[kind]["plt.imsave"]
        print(f"{kind:12}" + "".join(f"{r['ms']:20.1f}{base['ms'] / r['ms']:6.1f}{r['kB']:7.0f}{r['kB'] / base['kB']:6.2f}"
                                    for r in results[kind].values()), flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"shape": SHAPE, "rounds": options.rounds, "cpus": os.cpu_count(), "results": results}, file, indent=1)


if __name__ == "__main__":
    main()
