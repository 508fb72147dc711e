"""Python in a process of its own that a watchdog ends: what hangs there fails a test, with the stacks of all threads."""

import os
import signal
import subprocess
import sys
import textwrap

__all__ = ["WITHOUT_FORK_WARNINGS", "run_watched"]

# For a process that forks on purpose: Python 3.12 and newer warn of every fork beside threads.
WITHOUT_FORK_WARNINGS = {"PYTHONWARNINGS": "ignore:This process:DeprecationWarning"}

BEGIN = """
import faulthandler, sys
faulthandler.dump_traceback_later({seconds}, exit=True)
sys.path[:0] = {path!r}
"""


def run_watched(lines, seconds=60, **environment):
    """The output of lines of Python in a process; AssertionError with their errors if they fail or take longer than the limit."""
    code = BEGIN.format(path=[entry for entry in sys.path if entry], seconds=seconds) + textwrap.dedent(lines)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "MPLBACKEND": "agg", "TQDM_DISABLE": "1", **WITHOUT_FORK_WARNINGS, **environment},
                          start_new_session=True) as process:
        try:
            printed, complaints = process.communicate(timeout=seconds + 30)
        except subprocess.TimeoutExpired:  # children that it forked hold the pipes
            os.killpg(process.pid, signal.SIGKILL)
            printed, complaints = process.communicate()
    assert process.returncode == 0, complaints
    assert complaints == "", complaints
    return printed
