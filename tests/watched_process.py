"""Python in a process of its own that a watchdog ends: what hangs there fails a test, with the stacks of all threads."""

import os
import subprocess
import sys
import textwrap

__all__ = ["run_watched"]

BEGIN = """
import faulthandler, sys
faulthandler.dump_traceback_later({seconds}, exit=True)
sys.path[:0] = {path!r}
"""


def run_watched(lines, seconds=60, **environment):
    """What lines of Python print; an AssertionError with what they complain of where they fail or take longer than that."""
    code = BEGIN.format(path=[entry for entry in sys.path if entry], seconds=seconds) + textwrap.dedent(lines)
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=4 * seconds,
                          env={**os.environ, "MPLBACKEND": "agg", "TQDM_DISABLE": "1", **environment})
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout
