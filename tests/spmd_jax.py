"""One of two processes of JAX with two CPU devices each, which share arrays: what test_jax_shards runs."""

import json
import pathlib
import sys

import jax
import matplotlib.pyplot as plt
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import NamedSharding, PartitionSpec
from spmd import digest

import gpuplot

PROCESS, PORT, FOLDER = int(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
SPECS = {"both": ("processes", "devices"), "rows": ("processes",), "columns": (None, "processes"), "stripes": (("processes", "devices"),),
         "devices": ("devices",), "copies": ()}


def main():
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(f"localhost:{PORT}", 2, PROCESS)
    mesh = jax.make_mesh((2, 2), ("processes", "devices"))
    array = np.random.default_rng(2).normal(size=(600, 800)).astype("float32")
    gathers, gather = [], multihost_utils.process_allgather
    multihost_utils.process_allgather = lambda words: gathers.append((str(words.dtype), words.nbytes)) or gather(words)
    report = {}
    for name, spec in SPECS.items():
        X = jax.make_array_from_callback(array.shape, NamedSharding(mesh, PartitionSpec(*spec)), lambda part: array[part])
        cells = gpuplot.downsample(X, (30, 40), collective=True)
        error = float(abs(cells - gpuplot.downsample(array, (30, 40))).max())
        report[name] = {"error": error, "gathers": list(gathers), "alone": str(alone(X))}
        if name == "both":
            found = gpuplot.stats(X, collective=True)
            pixels = gpuplot.to_rgba(X, (30, 40), robust=True, collective=True)
            n = gpuplot.hist(X, 30, collective=True).n
            gpuplot.imsave(FOLDER / f"of_{PROCESS}.png", X, width=100, collective=True)
            report["bits"] = digest(cells, pixels, n, [found.mean, found.std, found.median])
            report["numbers"] = [found.min, found.median, int(n.sum())]
            report["pixels"] = bool((pixels == gpuplot.to_rgba(array, (30, 40), robust=True)).all())
            gathers.clear()
            report["title"] = shown(X)
            report["gathers of imshow"] = len(gathers)
            report["snapshot"] = snapshot_is_whole(X, array)
        gathers.clear()
    print(json.dumps(report))


def alone(X):
    """The number of elements in statistics that one process asks for without the others, or the error."""
    try:
        return gpuplot.stats(X).numel
    except gpuplot.UnsupportedError as error:
        return error


def snapshot_is_whole(X, array):
    """Whether this process writes the picture of an inspector, and it is that of the whole array."""
    files = [FOLDER.parent / f"{name}_{PROCESS}.png" for name in ("snapshot", "whole")]
    with gpuplot.inspect(X, robust=True) as w, gpuplot.inspect(array, robust=True) as whole_w:
        w.view = ((10, 400), (20, 700)) if PROCESS == 0 else None
        whole_w.view = ((10, 400), (20, 700))
        w.snapshot(files[0], width=90, collective=True)
        whole_w.snapshot(files[1], width=90)
    return files[0].exists() and files[0].read_bytes() == files[1].read_bytes()


def shown(X):
    """The title of an image that this process draws alone, and its hatched boxes."""
    figure, ax = plt.subplots()
    image = gpuplot.imshow(X, ax=ax)
    figure.canvas.draw()
    return [ax.get_title(), image.plane.boxes_elsewhere]


if __name__ == "__main__":
    main()
