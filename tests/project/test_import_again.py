"""gpuplot imported again by a tool that forgets modules: what was made before is drawn as ever."""

import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.host("runs a program")
PROGRAM = """
    import io, sys
    import numpy as np
    from matplotlib.figure import Figure
    import gpuplot

    figure = Figure()
    gpuplot.imshow(np.random.default_rng(0).random((900, 900)), ax=figure.subplots())
    figure.savefig(io.BytesIO())
    for name in [name for name in sys.modules if name.partition(".")[0] == "gpuplot"]:
        del sys.modules[name]
    figure.axes[0].images[0].set_cmap("gray")
    figure.savefig(io.BytesIO())
    import gpuplot
    gpuplot.imshow(np.ones((900, 900)), ax=figure.axes[0])
    figure.savefig(io.BytesIO())
    print(gpuplot.stats([1.0, 2.0]).max)
"""


def test_pictures_of_before_are_drawn_by_modules_that_are_imported_again():
    """The error was: shade() argument 1 must be gpuplot._native.Cells, not gpuplot._native.Cells."""
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(PROGRAM)], capture_output=True, text=True, timeout=100, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "2.0\n", "")
