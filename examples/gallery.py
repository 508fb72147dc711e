"""A page of tensors as gpuplot shows them, each beside plt.imshow. usage: gallery.py [FOLDER [NAME...]]"""

import html
import os
import pathlib
import sys
import time
import warnings

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from gallery_scenes import SCENES, tensor_of

import gpuplot

HERE = pathlib.Path(__file__).resolve().parent
STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; color: #222; max-width: 1330px; margin: 32px auto; padding: 0 16px; }
section { margin: 40px 0; border-top: 1px solid #ddd; display: grid; grid-template-columns: 1fr 1fr; gap: 0 24px; }
h2, .look { grid-column: 1 / 3; margin: 12px 0 0; } h2 { font-size: 17px; } .look { color: #555; }
figure { margin: 10px 0 0; } img { display: block; width: 640px; max-width: 100%; box-sizing: border-box; border: 1px solid #eee; }
pre { margin: 4px 0; white-space: pre-wrap; } .note { color: #777; } .said { color: #a50; }
.error { width: 640px; max-width: 100%; aspect-ratio: 4/3; display: grid; place-content: center; background: #f6f2f0; color: #a33; }
"""


class Drawn:
    """What came of a call: a file or an error, its time, and what was said on the way."""

    def __init__(self, call, x, path):
        self.call, self.path, self.error = call, path, None
        fig = plt.figure()
        before = time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                exec(compile(call, f"<{path.stem}>", "exec"), {"__name__": "call", "gpuplot": gpuplot, "np": np, "plt": plt, "x": x})
                fig.canvas.draw()
            except Exception as error:
                self.error = f"{type(error).__name__}: {error}"
        self.seconds = time.perf_counter() - before
        self.said = [f"{warning.filename}:{warning.lineno}: {warning.category.__name__}: {warning.message}" for warning in caught]
        if self.error is None:
            fig.savefig(path)
        plt.close(fig)

    def html(self):
        picture = (f'<img src="{self.path.name}" alt="">' if self.error is None else
                   f'<div class="error">{html.escape(self.error)}</div>')
        said = "".join(f'<div class="said">{html.escape(line)}</div>' for line in self.said)
        return (f"<figure>{picture}<pre>{html.escape(self.call)}</pre>{said}"
                f'<div class="note">{1000 * self.seconds:.0f} ms</div></figure>')


def kind_of(x):
    """Its type, dtype and shape."""
    return f"{type(x).__module__.partition('.')[0]}.{type(x).__name__} {x.dtype} {tuple(x.shape)}"


def section(scene, ours, usual, kind):
    """One tensor of the page."""
    return (f'<section id="{scene.name}"><h2>{scene.name.replace("_", " ")}</h2><div class="look">{html.escape(kind)}: '
            f"{html.escape(scene.look_for)}</div>{ours.html()}{usual.html()}</section>")


def main(folder, names):
    """Draws all scenes, or those that are named."""
    unknown = set(names) - {scene.name for scene in SCENES}
    if unknown:
        raise SystemExit(f"no scenes {sorted(unknown)}; there are {', '.join(scene.name for scene in SCENES)}")
    most = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 8192))
    folder.mkdir(parents=True, exist_ok=True)
    sections = []
    for scene in SCENES:
        if names and scene.name not in names:
            continue
        try:
            x = tensor_of(scene.make, most)
        except ModuleNotFoundError as error:
            print(f"{scene.name:<22} left out: it needs {error.name}, pip install {error.name}", flush=True)
            continue
        ours = Drawn(scene.ours, x, folder / f"{scene.name}.png")
        usual = Drawn(scene.usual, x, folder / f"{scene.name}_plt.png")
        if ours.error:
            raise SystemExit(f"{scene.name}: {scene.ours}: {ours.error}")
        sections.append(section(scene, ours, usual, kind_of(x)))
        print(f"{scene.name:<22} {kind_of(x):<50} {ours.seconds:6.2f} s, plt {usual.seconds:6.2f} s", flush=True)
        if usual.error:
            print(f"    plt.imshow of {scene.name} raises {usual.error}")
        for line in ours.said:
            print(f"    {line}")
    title = "Tensors as gpuplot shows them, and plt.imshow beside"
    page = (f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
            f"<h1>{title}</h1>{''.join(sections)}</html>\n")
    (folder / "index.html").write_text(page)
    print(f"{len(sections)} tensors: {folder / 'index.html'}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "output" / "gallery", sys.argv[2:])
