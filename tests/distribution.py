"""Which worker of pytest-xdist runs which tests, in which order, and how long each file took.

A file is run by one worker, because its tests share fixtures. Files of one group share a worker, one after another: what counts
threads or memory, or forks, is disturbed by others of its kind. The longest begin first, by the times of the last run.
"""

import collections
import json
from pathlib import Path

from effort import cache

__all__ = ["Seconds", "group_of", "longest_first"]

REPORT = Path(__file__).resolve().parent.parent / "build" / "reports" / "seconds.json"

GROUPS = {
    "threads": ("test_threads.py", "test_transfers.py", "test_progress.py", "test_inspector_interrupts.py",
                "test_cuda_lock_order.py"),
    "memory": ("test_memory.py", "test_host_memory.py", "test_asnumpy_costs.py", "test_image_keeping.py"),
    "fork": ("test_cuda_process.py", "test_cuda_pinned.py"),
}
# What a test takes of which nothing is known, in seconds.
GUESS = 0.05


def group_of(nodeid):
    """The name of what goes to one worker as a whole: a group of files, or the file."""
    file = nodeid.partition("::")[0]
    name = file.rpartition("/")[2]
    return next((group for group, files in GROUPS.items() if name in files), file)


def longest_first(items):
    """Sort collected tests by the seconds that their groups take, the same way in every worker."""
    known = _read(cache() / "seconds.json")
    seconds = collections.Counter()
    counted = set()
    for item in items:
        file, group = item.nodeid.partition("::")[0], group_of(item.nodeid)
        if file not in known:
            seconds[group] += GUESS
        elif file not in counted:
            seconds[group] += known[file]
            counted.add(file)
    items.sort(key=lambda item: (-seconds[group_of(item.nodeid)], group_of(item.nodeid)))


class Seconds:
    """A plugin that adds up the seconds of each file: for this checkout's report, and for the order of later runs."""

    def __init__(self):
        self.files = collections.Counter()

    def pytest_runtest_logreport(self, report):
        self.files[report.nodeid.partition("::")[0]] += report.duration

    def pytest_sessionfinish(self):
        files = {file: round(seconds, 2) for file, seconds in self.files.items()}
        _write(REPORT, _added(_read(REPORT), files))
        _write(cache() / "seconds.json", _read(cache() / "seconds.json") | files)


def _added(one, other):
    return {file: one.get(file, 0) + other.get(file, 0) for file in one | other}


def _read(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return {}


def _write(path, files):
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(files))
    except OSError:  # a home that cannot be written costs the order of the next run
        pass
