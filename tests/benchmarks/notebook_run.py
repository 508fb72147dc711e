"""The inspector beside ipympl and plt.imshow in JupyterLab: frames of a drag, and how long a wheel step takes to be seen.

Both show the same float32 plane on canvases of the same size in one browser, in turns. Each is measured with its usual sampling
(means of cells; matplotlib's own choice) and with nearest elements. A picture counts as seen when the canvas has changed; for the
inspector, which at once moves the last picture it has, also when the kernel's picture of the new window is drawn.
"""

import contextlib
import pathlib
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
NAME = "inspect in JupyterLab"
N_MOVES, MOVE_MS = 30, 60
FAST_MS, FAST_SECONDS = 16, 2
WAIT_MS = 300_000
ROUND_SECONDS = 60
SAMPLINGS = {"usual": ("", ""), "nearest": (", agg='nearest'", ", interpolation='nearest'")}
ARRAY = """import sys, numpy as np
sys.path.insert(0, {folder!r})
import arrays
a = arrays.normal(({side}, {side}))"""
OURS = "import gpuplot\nw = gpuplot.inspect(a, height=700, histogram=False, show_stats=False{sampling})\nw"
# The picture fills the canvas, as the inspector's does; a wheel handler as matplotlib's users write it.
THEIRS = """%matplotlib widget
import matplotlib.pyplot as plt
with plt.ioff():
    fig = plt.figure(figsize=({width} / 100, {height} / 100), dpi=100)
ax = fig.add_axes((0, 0, 1, 1))
ax.set_axis_off()
ax.imshow(a, aspect='auto'{sampling})
fig.canvas.header_visible = fig.canvas.footer_visible = fig.canvas.toolbar_visible = False
fig.canvas.capture_scroll = True
fig.canvas.resizable = False
fig.canvas.toolbar.pan()
def zoom(event):
    factor = 0.8 if event.step > 0 else 1.25
    for get, put, at in ((ax.get_xlim, ax.set_xlim, event.xdata), (ax.get_ylim, ax.set_ylim, event.ydata)):
        low, high = get()
        put(at + (low - at) * factor, at + (high - at) * factor)
    fig.canvas.draw_idle()
fig.canvas.mpl_connect('scroll_event', zoom)
fig.canvas"""


def missing():
    """What is not installed, as one line, or None."""
    import importlib.util

    names = [name for name in ("anywidget", "jupyterlab", "ipympl", "playwright") if importlib.util.find_spec(name) is None]
    from chromium import find_chromium

    return f"needs {', '.join(names)}" if names else None if find_chromium() else "needs Chromium"


class Rival:
    """One of the two on its page, with its kernel's array."""

    def __init__(self, notebook, selector):
        self.page, self.canvas = notebook.page, notebook.page.locator(selector).first
        self.page.set_default_timeout(WAIT_MS)
        self.canvas.wait_for(timeout=WAIT_MS)
        self.page.wait_for_function("canvas => canvas.width > 1", arg=self.canvas.element_handle())
        self.canvas.evaluate("canvas => canvas.scrollIntoView({ block: 'center' })")
        self.page.evaluate("canvas => watchCanvas(canvas)", self.canvas.element_handle())
        self.rest()

    def rest(self, quiet_ms=800):
        """Until for a while the kernel was idle and the canvas did not change."""
        self.page.wait_for_function("""quiet => {
          const { changes, drawn } = benchmark, now = performance.now();
          if (jupyterapp.shell.currentWidget.sessionContext.session.kernel.status !== "idle") benchmark.busy = now;
          return now - Math.max(benchmark.busy ?? 0, ...changes.slice(-1), ...drawn.slice(-1).map(([t]) => t)) > quiet;
        }""", arg=quiet_ms, timeout=WAIT_MS)

    def log(self):
        return self.page.evaluate("() => benchmark")

    def now(self):
        return self.page.evaluate("() => performance.now()")

    def size(self):
        return self.canvas.evaluate("canvas => [canvas.clientWidth, canvas.clientHeight]")

    def at(self, part_down, part_right):
        box = self.canvas.bounding_box()
        return box["x"] + part_right * box["width"], box["y"] + part_down * box["height"]

    def wheel(self, delta):
        """Milliseconds from one step of the wheel to the first change of the canvas, and to the kernel's final picture (or None)."""
        self.page.mouse.move(*self.at(0.5, 0.5))
        self.rest()
        n_wheels = self.page.evaluate("() => benchmark.wheels.length")
        self.page.mouse.wheel(0, delta)
        self.page.wait_for_function("n => benchmark.wheels.length > n && benchmark.changes.at(-1) > benchmark.wheels[n]",
                                    arg=n_wheels, timeout=WAIT_MS)
        self.rest()
        log = self.log()
        start = log["wheels"][n_wheels]
        finals = {id for time, id, is_final in log["frames"] if is_final and time > start}
        drawn = [time for time, id in log["drawn"] if id in finals]
        return min(t for t in log["changes"] if t > start) - start, min(drawn) - start if drawn else None

    def drag(self, n_moves, every_ms, way):
        """The times of a drag, there (1) or back (-1): its moves, the canvas's changes, and the kernel's frames that were drawn."""
        points = [self.at(0.5 + way * (0.1 * part - 0.05), 0.5 + way * (0.3 * part - 0.15)) for part in
                  (i / n_moves for i in range(n_moves + 1))]
        self.page.mouse.move(*points[0])
        self.rest()
        self.page.mouse.down()
        start, moves = self.now(), []
        for i in range(n_moves):
            wait = start + i * every_ms - self.now()
            if wait > 0:
                self.page.wait_for_timeout(wait)
            self.page.mouse.move(*points[i + 1])
            moves.append(self.now())
        self.page.mouse.up()
        self.rest()
        log = self.log()
        return {"moves": moves, "changes": [t for t in log["changes"] if t > start],
                "drawn": [t for t, _ in log["drawn"] if t > start]}


def drag_facts(drag, times):
    """How many pictures were there during a drag, per second, and how long after the last move the last one came."""
    start, end = drag["moves"][0], drag["moves"][-1]
    during = [t for t in times if t <= end + MOVE_MS]
    return {"n": len(during), "per_second": 1000 * len(during) / (end + MOVE_MS - start), "last_ms": (times[-1] - end) if times else None}


def measure(rival, n_rounds):
    """All numbers of one rival, lists with an entry for each wheel step and drag; fewer rounds where they take long."""
    found = {"wheel_first_ms": [], "wheel_final_ms": [], "drags": [], "fast_drags": []}
    start = time.monotonic()
    for _ in range(n_rounds):
        if time.monotonic() - start > ROUND_SECONDS:
            break
        for delta in (-100, -100, 100, 100):
            first, final = rival.wheel(delta)
            found["wheel_first_ms"].append(first)
            found["wheel_final_ms"].append(final)
        for key, n, every in (("drags", N_MOVES, MOVE_MS), ("fast_drags", 1000 * FAST_SECONDS // FAST_MS, FAST_MS)):
            for way in (1, -1):
                drag = rival.drag(n, every, way)
                found[key].append({what: drag_facts(drag, drag[what]) for what in ("changes", "drawn")})
    return found


@contextlib.contextmanager
def _notebook(browser, address, token, folder, name, *cells):
    """A page on which these cells have been run, and the seconds that the last of them took."""
    from hosts.notebooks import NotebookPage, write_notebook

    write_notebook(folder / name, *cells)
    context = browser.new_context(viewport={"width": 1500, "height": 1100})
    context.add_init_script(path=HERE / "notebook_page.js")
    try:
        notebook = NotebookPage(context.new_page(), "lab", address, token)
        notebook.open(name)
        notebook.run_all()
        yield notebook
    finally:
        context.close()


def run_pair(browser, server, folder, sampling, side, n_rounds):
    """Both rivals with one sampling, one after the other: {"gpuplot": ..., "ipympl": ...}, and the size of their canvases."""
    array = ARRAY.format(folder=str(HERE), side=side)
    ours, theirs = SAMPLINGS[sampling]
    with _notebook(browser, *server, folder, f"ours-{sampling}.ipynb", array, OURS.format(sampling=ours)) as notebook:
        rival = Rival(notebook, ".gpuplot .gp-canvas")
        width, height = rival.size()
        found = {"canvas": [height, width], "gpuplot": measure(rival, n_rounds)}
    cell = THEIRS.format(width=width, height=height, sampling=theirs)
    with _notebook(browser, *server, folder, f"theirs-{sampling}.ipynb", array, cell) as notebook:
        rival = Rival(notebook, ".jupyter-matplotlib-canvas-div canvas")
        found["ipympl"] = measure(rival, n_rounds)
    return found


def run(side, is_quick):
    """The whole comparison as a dict; ``not_run`` says why where that can't be."""
    reason = missing()
    if reason:
        return {"not_run": reason}
    from chromium import running_chromium
    from hosts import servers

    found = {"side": side, "samplings": {}}
    with tempfile.TemporaryDirectory() as name, running_chromium() as browser:
        folder = pathlib.Path(name)
        with servers.jupyter(folder) as server:
            for sampling in ("usual",) if is_quick else SAMPLINGS:
                found["samplings"][sampling] = run_pair(browser, server, folder, sampling, side, 1 if is_quick else 4)
    return found


def _spread(values):
    """Median and 95th percentile as text."""
    values = sorted(value for value in values if value is not None)
    if not values:
        return "-"
    return f"{statistics.median(values):.0f} ({values[min(len(values) - 1, int(0.95 * len(values)))]:.0f})"


def _row(name, found, what, wheel):
    drags, fast = ([drag[what] for drag in found[key]] for key in ("drags", "fast_drags"))
    return (f"  {name:<40}{_spread(found[wheel]):>16}{statistics.median(d['n'] for d in drags):>12.0f}"
            f"{statistics.median(d['per_second'] for d in fast):>14.1f}{_spread([d['last_ms'] for d in drags]):>18}")


def block(found):
    """The comparison as a table."""
    if "not_run" in found:
        return f"{NAME}: not run: {found['not_run']}"
    lines = [f"{NAME}, float32 {found['side']} x {found['side']}; milliseconds: median (95th percentile)"]
    for sampling, pair in found["samplings"].items():
        height, width = pair["canvas"]
        lines += ["", f"  {f'sampling: {sampling}, canvas {width} x {height}':<40}{'wheel step':>16}{f'of {N_MOVES} moves':>12}"
                      f"{'pictures/s':>14}{'after last move':>18}",
                  _row("gpuplot, the kernel's picture", pair["gpuplot"], "drawn", "wheel_final_ms"),
                  _row("gpuplot, anything new on the canvas", pair["gpuplot"], "changes", "wheel_first_ms"),
                  _row("ipympl, plt.imshow", pair["ipympl"], "changes", "wheel_first_ms")]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.path[:0] = [str(HERE), str(HERE.parent)]
    print(block(run(int(sys.argv[1]) if len(sys.argv) > 1 else 16384, "--quick" in sys.argv)))
