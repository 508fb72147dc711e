"""A fork while another thread imports a part of gpuplot: the child imports it, too."""

import os
import subprocess
import sys
import textwrap

import pytest
from watched_process import WITHOUT_FORK_WARNINGS

pytestmark = [pytest.mark.host("runs a program"), pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")]
# The import takes time, and the lock of `logging`, as matplotlib and Pillow do; the alarm ends a child that waits forever.
PROGRAM = """
    import os, signal, sys, threading, time
    import gpuplot

    class Slow:
        def find_spec(name, *rest):
            if name == "gpuplot.statistics.stats":
                began.set()
                time.sleep(0.5)
                import logging
                logging.getLogger("new")

    began = threading.Event()
    sys.meta_path.insert(0, Slow)
    thread = threading.Thread(target=lambda: gpuplot.stats)
    thread.start()
    began.wait()
    child = os.fork()
    if not child:
        signal.alarm(20)
        os._exit(gpuplot.stats([1.0, 2.0]).max != 2)
    thread.join()
    print(os.waitpid(child, 0)[1])
"""


def test_a_child_imports_what_a_thread_of_its_parent_was_importing():
    """It waited forever, as the locks of Python's imports stay with the thread, which the child lacks."""
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(PROGRAM)], capture_output=True, text=True, timeout=100, check=False,
                         env=os.environ | WITHOUT_FORK_WARNINGS)
    assert (run.returncode, run.stdout, run.stderr) == (0, "0\n", "")
