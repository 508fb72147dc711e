"""Which worker of pytest-xdist runs which tests, in which order, and how long each file took.

A file is run by one worker, because its tests share fixtures. Files of one group share a worker, one after another: what counts
threads or memory, or forks, is disturbed by others of its kind. The longest begin first, by the times of the last run.
"""

import collections
import json
from pathlib import Path

import effort

__all__ = ["Seconds", "group_of", "kind_of", "longest_first"]

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


def kind_of(config):
    """A name for runs whose files take about the same time: effort and device, and whether what ran before is left out."""
    rest = " rest" if config.getoption("ran") and effort.current() != "quick" else ""
    return f"{effort.current()} {config.getoption('device')}{rest}"


def longest_first(items, kind):
    """Sort collected tests by the seconds that their groups took in the last run of this kind, the same way in every worker."""
    known = _read(_known_seconds()).get(kind, {})
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


def _known_seconds():
    return effort.cache() / "seconds_of_files.json"


class Seconds:
    """A plugin that adds up the seconds of each file: for this checkout's report, and for the order of later runs side by side."""

    def __init__(self, config):
        self.files = collections.Counter()
        self.kind = kind_of(config) if config.getoption("numprocesses", None) and not config.option.keyword else None

    def pytest_runtest_logreport(self, report):
        self.files[report.nodeid.partition("::")[0]] += report.duration

    def pytest_sessionfinish(self):
        files = {file: round(seconds, 2) for file, seconds in self.files.items()}
        _write(REPORT, _added(_read(REPORT), files))
        if self.kind:
            known = _read(_known_seconds())
            _write(_known_seconds(), {**known, self.kind: known.get(self.kind, {}) | files})


def _added(one, other):
    return {file: one.get(file, 0) + other.get(file, 0) for file in one | other}


def _read(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return {}


def _write(path, content):
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    except OSError:  # a home that cannot be written costs the order of the next run
        pass
