"""What pictures of sharded JAX arrays cost: seconds beside the same array in one piece and its shards alone, and bytes of results.

usage: python tests/benchmarks/shards_cost.py [--side N] [--rounds N]
Four CPU devices of one process; statements alternate, the best of the rounds counts, in seconds of processors. Nothing here fails because
of a time.
"""

import argparse
import os
import pickle
import time

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

import gpuplot
from gpuplot.arrays.describe import describe
from gpuplot.arrays.shards import OVERHEAD_BYTES
from gpuplot.plane.cell_states import packed_bytes
from gpuplot.plane.picture_size import window_of
from gpuplot.plane.tensor_plane import plane_of
from gpuplot.plane.view import choose

SHAPE = (800, 1000)


def best(calls, rounds):
    """The least seconds of processors of each call."""
    found = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            begin = time.process_time()
            call()
            found[name].append(time.process_time() - begin)
    return {name: min(seconds) for name, seconds in found.items()}


def bytes_of(X):
    """Bytes of the results of all shards of a picture, as they would cross between processes."""
    source, sizes = describe(X), []

    def counted(engine):
        run = engine.run

        def run_counted(tiles, work, join, watch):
            sizes.extend(len(pickle.dumps(one)) for one in run([[index] for tile in tiles for index in tile], work, join, watch))
            return run(tiles, work, join, watch)

        engine.run = run_counted
        return engine

    plane_of(source.by(counted), choose(source.shape, None, source.dtype)).reduce(window_of(source.shape, None, SHAPE), "mean")
    return sum(sizes)


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=8192)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    array = np.random.default_rng(0).normal(size=(options.side,) * 2).astype("f4")
    X = jax.device_put(array, NamedSharding(jax.make_mesh((2, 2), ("a", "b")), PartitionSpec("a", "b")))
    one, shards = jax.device_put(array, jax.devices()[0]), [shard.data for shard in X.addressable_shards]
    part = SHAPE[0] // 2, SHAPE[1] // 2
    rows = {"downsample": (lambda T: gpuplot.downsample(T, SHAPE), lambda T: gpuplot.downsample(T, part)),
            "to_rgba, limits of elements": (lambda T: gpuplot.to_rgba(T, SHAPE, limits="elements"),
                                            lambda T: gpuplot.to_rgba(T, part, limits="elements")),
            "stats, no percentiles": (lambda T: gpuplot.stats(T, percentiles=()),) * 2}
    print("| call | one device | four shards | the shards one by one |\n|---|---|---|---|")
    for name, (whole, of_part) in rows.items():
        seconds = best({"one": lambda f=whole: f(one), "four": lambda f=whole: f(X), "apart": lambda f=of_part: [f(T) for T in shards]},
                       options.rounds)
        print(f"| {name} | {seconds['one']:.3f} s | {seconds['four']:.3f} s | {seconds['apart']:.3f} s |", flush=True)
    bound = packed_bytes("mean") * (SHAPE[0] + 1) * (SHAPE[1] + 1) + 4 * OVERHEAD_BYTES
    print(f"results of the shards: {bytes_of(X) / 2**20:.2f} MiB, at most {bound / 2**20:.2f}")


if __name__ == "__main__":
    main()
