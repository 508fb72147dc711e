"""A pytest plugin for tests of mutants: runs chosen tests in a given order, and notes what each of them runs.

Variables: MUTANTS_SELECT names a file with the identifiers to run, one a line; MUTANTS_STARTED a file that is told each test that
begins and each that fails; MUTANTS_LIST a file that is given the identifiers of all that would run; MUTANTS_MAP a file that is given
the coverage of each test; GPUPLOT_PROBES the probes' file (probes.c).
"""

import json
import mmap
import os
from pathlib import Path

import numpy as np
import pytest

_SELECT, _STARTED, _LIST, _MAP = (os.environ.get(f"MUTANTS_{name}") for name in ("SELECT", "STARTED", "LIST", "MAP"))
_RECORDER = None


def pytest_configure(config):
    global _RECORDER
    if _MAP:
        _RECORDER = Recorder()


def pytest_collection_modifyitems(config, items):
    if not _SELECT:
        return
    order = {name: k for k, name in enumerate(Path(_SELECT).read_text().splitlines())}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in order])
    items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])


def pytest_collection_finish(session):
    if _LIST:
        Path(_LIST).write_text("".join(f"{item.nodeid}\n" for item in session.items))


def _tell(word, nodeid):
    if _STARTED:
        with open(_STARTED, "a") as file:
            file.write(f"{word}\t{nodeid}\n")


def pytest_runtest_logstart(nodeid):
    _tell("start", nodeid)
    if _RECORDER:
        _RECORDER.begin(nodeid)


def pytest_runtest_logreport(report):
    if report.failed:
        _tell("failed", report.nodeid)
    if _RECORDER:
        _RECORDER.report(report)


def pytest_collectreport(report):
    if report.failed:
        _tell("failed", report.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_runtest_logfinish(nodeid):
    if _RECORDER:
        _RECORDER.end(nodeid)


def pytest_sessionfinish():
    if _RECORDER:
        _RECORDER.save()


class Recorder:
    """What each test of one file runs: probes of native code and pages, and lines of Python by coverage.py's contexts."""

    def __init__(self):
        import coverage

        with open(os.environ["GPUPLOT_PROBES"], "r+b") as file:
            self.hits = mmap.mmap(file.fileno(), 0)
        self.tests, self.shared = {}, set()
        self.page_hits = set()
        self.coverage = coverage.Coverage(config_file=os.environ["MUTANTS_COVERAGE"])
        self.coverage.start()
        self._watch_pages()

    def _watch_pages(self):
        """Pages tell what they ran when the context of a test is closed."""
        try:
            from playwright.sync_api import BrowserContext
        except ImportError:
            return
        close, ours = BrowserContext.close, self.page_hits

        def close_after_asking(context, *args, **options):
            for page in context.pages:
                try:
                    ours.update(int(number) for number in page.evaluate("Object.keys(globalThis.gpProbes || {})"))
                except Exception:  # a page that is gone, or was never opened
                    continue
            return close(context, *args, **options)

        BrowserContext.close = close_after_asking

    def _take(self):
        found = set(np.flatnonzero(np.frombuffer(self.hits, np.uint8)).tolist()) | self.page_hits
        self.hits[:] = bytes(len(self.hits))
        self.page_hits.clear()
        return found

    def begin(self, nodeid):
        """What ran between tests, such as imports, belongs to all of them."""
        self.shared |= self._take()
        self.coverage.switch_context(nodeid)
        self.tests[nodeid] = {"seconds": 0.0, "outcome": "passed", "probes": set()}

    def report(self, report):
        test = self.tests[report.nodeid]
        test["seconds"] += report.duration
        if report.outcome != "passed" and test["outcome"] != "failed":
            test["outcome"] = report.outcome
        hits = self._take()
        test["probes"] |= hits
        if report.when == "setup" and len(self.tests) == 1:  # fixtures of the file or the session
            self.shared |= hits

    def end(self, nodeid):
        self.coverage.switch_context("")

    def save(self):
        self.shared |= self._take()
        self.coverage.stop()
        self.coverage.save()
        tests = {nodeid: {**test, "probes": sorted(test["probes"])} for nodeid, test in self.tests.items()}
        Path(_MAP).write_text(json.dumps({"tests": tests, "shared": sorted(self.shared)}))
