"""What pictures of arrays in chunks cost, beside reading alone, da.coarsen, datashader and xarray: seconds, memory, bytes that cross.

usage: python tests/benchmarks/chunks_cost.py [--side N] [--chunk N] [--rounds N] [--folder DIR]
                                               [--cluster-chunks N] [--only machine|cluster]
Every statement runs in a process of its own, its first call for memory, the best of the rounds for seconds; ratios are to reading the
same chunks, which runs before and after. Seconds of processors are disturbed less by other programs. Nothing here fails because of a time.
"""

import argparse
import json
import pathlib
import pickle
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from fresh import extra_bytes

SHAPE = (800, 1000)
READ = "r = X.map_blocks(lambda chunk: np.zeros((1, 1)), chunks=(1, 1), dtype=float).compute()"
OURS = f"r = gpuplot.downsample(X, {SHAPE}"
OF_ZARR = """
import dask, dask.array as da, numpy as np, gpuplot
dask.config.set(scheduler='threads', num_workers=2)
X = da.from_zarr({path!r})
n = X.shape[0] // 8
"""
OF_XARRAY = OF_ZARR + """
import datashader, xarray, matplotlib
matplotlib.use('agg')
import matplotlib.pyplot as plt
d = xarray.DataArray(X, dims=('y', 'x'), coords={{'y': np.arange(X.shape[0]), 'x': np.arange(X.shape[1])}})
"""
DRAW = "fig = plt.figure(figsize=(10, 8))\n{}\nfig.canvas.draw()\nplt.close(fig)"
OF_NPY = """
import numpy as np, gpuplot
X = np.load({path!r}, mmap_mode='r')
"""

# xarray's own plot takes some 18 times the array, 19 GB at the default side: without these its row says so.
# (name, array, setup, statement, rounds at most)
ROWS = (
    ("reading alone", "raw.zarr", OF_ZARR, READ, 9),
    ("gpuplot.downsample", "raw.zarr", OF_ZARR, f"{OURS}, progress=False)", 9),
    ("gpuplot.downsample, a window of an eighth a side", "raw.zarr", OF_ZARR,
     f"{OURS}, view=((n, 2 * n), (n, 2 * n)), progress=False)", 9),
    ("gpuplot.to_rgba, robust", "raw.zarr", OF_ZARR, f"r = gpuplot.to_rgba(X, {SHAPE}, robust=True, progress=False)", 9),
    ("da.coarsen, mean of 16 x 16", "raw.zarr", OF_ZARR, "r = da.coarsen(np.mean, X, {0: 16, 1: 16}).compute()", 9),
    ("datashader raster, mean", "raw.zarr", OF_XARRAY,
     f"r = datashader.Canvas({SHAPE[1]}, {SHAPE[0]}).raster(d, agg='mean').compute()", 9),
    ("gpuplot.imshow of xarray, the whole", "raw.zarr", OF_XARRAY, DRAW.format("gpuplot.imshow(d, progress=False)"), 9),
    ("xarray .plot.imshow, the whole", "raw.zarr", OF_XARRAY, DRAW.format("d.plot.imshow()"), 1),
    ("reading alone, again", "raw.zarr", OF_ZARR, READ, 9),
    ("reading alone", "zstd.zarr", OF_ZARR, READ, 9),
    ("gpuplot.downsample", "zstd.zarr", OF_ZARR, f"{OURS}, progress=False)", 9),
    ("memmap.sum()", "a.npy", OF_NPY, "r = X.sum()", 9),
    ("gpuplot.downsample", "a.npy", OF_NPY, f"{OURS})", 9),
    ("reading 16 pages alone", "pages.zarr", OF_ZARR, READ.replace("(1, 1)", "(1, 1, 1)"), 9),
    *((f"gpuplot.downsample, reduce={{0: '{op}'}}", "pages.zarr", OF_ZARR, f"{OURS}, reduce={{0: {op!r}}}, progress=False)", 9)
      for op in ("mean", "max", "std")),
    *((f"dask's X.{op}(0), no cells", "pages.zarr", OF_ZARR, f"r = X.{op}(0).compute()", 9) for op in ("mean", "max", "std")),
)


def make_arrays(folder, side, chunk):
    """Noise that rises, as raw and as compressed zarr and as .npy; and 16 pages of an eighth of its side each."""
    import zarr

    raw, zstd = (zarr.create_array(str(folder / name), shape=(side, side), chunks=(chunk, chunk), dtype="f4", compressors=how)
                 for name, how in (("raw.zarr", None), ("zstd.zarr", "auto")))
    whole = np.lib.format.open_memmap(folder / "a.npy", mode="w+", dtype="f4", shape=(side, side))
    for row in range(0, side, chunk):
        for col in range(0, side, chunk):
            noise = np.random.default_rng((row, col)).normal(row / side, 1, (chunk, chunk)).round(2).astype("f4")
            place = slice(row, row + chunk), slice(col, col + chunk)
            raw[place] = zstd[place] = whole[place] = noise
    whole.flush()
    n = side // 8
    pages = zarr.create_array(str(folder / "pages.zarr"), shape=(16, n, n), chunks=(1, n, n), dtype="f4", compressors=None)
    for k in range(16):
        pages[k] = np.random.default_rng(k).normal(size=(n, n))


def child(job):
    """{"seconds": best of the rounds, "busy": of all processors together, "bytes": what the first call adds to this process}."""
    names = {}
    exec(job["setup"], names)
    extra, seconds, busy = extra_bytes(lambda: exec(job["line"], names)), [], []
    for _ in range(job["rounds"]):
        begin, busy_before = time.perf_counter(), time.process_time()
        exec(job["line"], names)
        seconds.append(time.perf_counter() - begin)
        busy.append(time.process_time() - busy_before)
    return {"seconds": min(seconds), "busy": min(busy), "bytes": extra}


def measure(setup, line, rounds):
    """`child` in a new process."""
    job = json.dumps({"setup": setup, "line": line, "rounds": rounds})
    done = subprocess.run([sys.executable, __file__, "--child"], input=job, capture_output=True, text=True)
    if done.returncode == 0:
        return json.loads(done.stdout.splitlines()[-1])
    lines = done.stderr.strip().splitlines() or [f"ended by signal {-done.returncode}, for lack of memory if that is 9"]
    return {"error": lines[-1]}


def on_one_machine(folder, rounds):
    """Prints a line for each row; ratios are to the row of its array that reads alone."""
    reading = {}
    for name, file, setup, line, most in ROWS:
        found = measure(setup.format(path=str(folder / file)), line, min(rounds, most))
        if "error" in found:
            print(f"| {name} | {file} | {found['error']} | | | | |", flush=True)
            continue
        base = reading.setdefault(file, found)
        times = " | ".join(f"{found[clock]:.3f} | {found[clock] / base[clock]:.2f}" for clock in ("seconds", "busy"))
        print(f"| {name} | {file} | {times} | {found['bytes'] / 2**20:.0f} |", flush=True)


# ---- a cluster -----------------------------------------------------------------------------------------------------------


def high_water():
    """The most resident memory that this process has had, in MiB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def make_chunk(block_info):
    """64 MiB of noise that is repeated after 64 rows: what a worker has to hold, at little more than the price of writing it."""
    index = block_info[None]["chunk-location"]
    return np.tile(np.random.default_rng(index).normal(sum(index), 1, (64, 4096)).astype("f4"), (64, 1))


def on_a_cluster(n):
    """n x n chunks of 64 MiB on two workers of 1 GiB: seconds, memory, and a new view while a draw runs."""
    import dask
    import dask.array as da
    from distributed import Client, LocalCluster

    import gpuplot

    X = da.map_blocks(make_chunk, chunks=((4096,) * n,) * 2, dtype="f4", meta=np.empty((0, 0), "f4"))
    view = ((5000.0, 5600.0), (9000.0, 10200.0))

    def seconds(call, n=1):
        found = []
        for _ in range(n):
            begin = time.perf_counter()
            call()
            found.append(time.perf_counter() - begin)
        return statistics.median(found)

    def draw(**options):
        gpuplot.downsample(X, SHAPE, progress=False, **options)

    with dask.config.set(scheduler="threads", num_workers=2):
        threads = seconds(draw)
    never = dict.fromkeys(("distributed.worker.memory.spill", "distributed.worker.memory.target"), False)
    how = {"n_workers": 2, "threads_per_worker": 1, "memory_limit": "1GiB", "dashboard_address": None}
    with dask.config.set(never), LocalCluster(**how) as cluster, Client(cluster) as client:
        draw(view=view)
        null = seconds(lambda: X.map_blocks(lambda chunk: np.zeros((1, 1)), chunks=(1, 1), dtype=float).sum().compute())
        sizes = []
        whole, window = seconds(lambda: sizes.append(bytes_of(X, None))), seconds(lambda: draw(view=view), 5)
        peak = max(client.run(high_water).values())
        rows = {"the whole, 2 threads of this process": f"{threads:.2f} s", "the whole, 2 workers": f"{whole:.2f} s",
                "the same chunks, 2 workers, nothing looked at": f"{null:.2f} s", "a window of 600 x 1200, 2 workers": f"{window:.3f} s",
                "a new view while a draw runs": f"{new_view(X, view):.3f} s", "most memory of a worker": f"{peak:.0f} MiB",
                "bytes to the client, the whole": f"{sizes[0] / 2**20:.2f} MiB",
                "bytes to the client, the window": f"{bytes_of(X, view) / 2**20:.2f} MiB"}
    for name, value in rows.items():
        print(f"| {name} | {value} |")


def bytes_of(X, view):
    """Bytes of what the tiles of a picture send."""
    from gpuplot.arrays.describe import describe
    from gpuplot.arrays.run_progress import RunWatch
    from gpuplot.plane.picture_size import window_of
    from gpuplot.plane.tensor_plane import plane_of
    from gpuplot.plane.view import choose

    class Count(RunWatch):
        n = 0

        def tile(self, k, found):
            self.n += len(pickle.dumps(found))

    count, source = Count(), describe(X)
    plane = plane_of(source.watched_by(count), choose(source.shape, None, source.dtype))
    plane.reduce(window_of(source.shape, view, SHAPE), "mean")
    return count.n


def new_view(X, view):
    """Seconds from a new view to its last pixel, in a window in which the whole is being read."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    import gpuplot

    canvas = FigureCanvasAgg(Figure(figsize=(10, 8)))
    image = gpuplot.imshow(X, ax=canvas.figure.add_axes((0, 0, 1, 1)), wait=False, progress=False)
    canvas.draw()
    while image.plane.answers.question is not None and not image.plane.answers.question.tiles:
        time.sleep(0.01)
    image.set_clim(0, 20)
    image.axes.set(ylim=view[0][::-1], xlim=view[1])
    begin = time.perf_counter()
    canvas.draw()
    while image.plane.answers.question is not None:
        time.sleep(0.005)
    canvas.draw()
    return time.perf_counter() - begin


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=16384)
    parser.add_argument("--chunk", type=int, default=2048)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=pathlib.Path, help="where the arrays lie, and stay (default: a temporary folder)")
    parser.add_argument("--cluster-chunks", type=int, default=11, help="of 64 MiB each, a side (default: 11, 8 GiB)")
    parser.add_argument("--only", choices=("machine", "cluster"), help="one of the two tables")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        if options.only != "cluster":
            if not (folder / "a.npy").exists():
                make_arrays(folder, options.side, options.chunk)
            print("| statement | array | seconds | of reading | of processors | of reading | MiB more |\n|---|---|---|---|---|---|---|")
            on_one_machine(folder, options.rounds)
    if options.only != "machine":
        print(f"\n| {options.cluster_chunks**2 / 16:.1f} GiB, chunks of 64 MiB | |\n|---|---|")
        on_a_cluster(options.cluster_chunks)


if __name__ == "__main__":
    if sys.argv[1:] == ["--child"]:
        print(json.dumps(child(json.load(sys.stdin))))
    else:
        main()
