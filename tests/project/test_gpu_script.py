"""The script that checks everything on a GPU, without one: steps that fail, hang or lack a tool, and a whole rehearsal."""

import fcntl
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

pytestmark = pytest.mark.host("no array that somebody hands to gpuplot")

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "gpu"


@pytest.fixture
def stepping(monkeypatch):
    """The module that runs steps."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("steps")


@pytest.fixture
def reporting(monkeypatch):
    """The module that writes reports."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("reporting")


def python(code):
    return [sys.executable, "-c", code]


def run(stepping, *steps, seconds=3600, tell=None):
    lines = []
    with tempfile.TemporaryFile("w+") as log:
        outcomes = stepping.run_all(steps, seconds, ROOT, log, tell or lines.append)
        log.seek(0)
        return outcomes, log.read(), lines


def test_a_failing_step_is_told_and_the_rest_runs(stepping):
    outcomes, log, lines = run(
        stepping, stepping.Step("one", python("print('fine')")),
        stepping.Step("two", python("import sys; print('why'); sys.exit(3)")),
        stepping.Step("three", python("print('never')"), after=("two",)),
        stepping.Step("four", ["/no/such/program"]), stepping.Step("five", python("print('last')"), after=("one",)))
    assert [outcome.status for outcome in outcomes.values()] == ["passed", "failed", "skipped", "failed", "passed"]
    assert outcomes["two"].code == 3 and outcomes["two"].reason.endswith("why")
    assert "two" in outcomes["three"].reason and "never" not in log
    assert "no/such/program" in outcomes["four"].reason
    assert "last" in log and len([line for line in lines if "passed" in line]) == 2
    assert [outcome.is_bad for outcome in outcomes.values()] == [False, True, False, True, False]


def test_a_step_that_hangs_is_ended_with_its_children(stepping, tmp_path, monkeypatch):
    """The child holds a lock, which ends with it; the limit begins when it has the lock, however long that took."""
    lock, held = tmp_path / "lock", tmp_path / "held"
    child = (f"import fcntl, time; file = open({str(lock)!r}, 'w'); fcntl.flock(file, fcntl.LOCK_EX); "
             f"open({str(held)!r}, 'w'); time.sleep(3600)")
    code = f"import subprocess, sys; print('begun', flush=True); subprocess.run([sys.executable, '-c', {child!r}])"

    class Slow(subprocess.Popen):
        def wait(self, timeout=None):
            while timeout == 0.5 and not held.exists():
                time.sleep(0.01)
            return super().wait(timeout=timeout)

    monkeypatch.setattr(stepping.subprocess, "Popen", Slow)
    outcomes, _, _ = run(stepping, stepping.Step("slow", python(code), limit_s=0.5), stepping.Step("next", python("")))
    assert outcomes["slow"].status == "timed out" and "begun" in outcomes["slow"].reason
    assert outcomes["next"].status == "passed"
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # never comes while the child lives


def test_no_step_begins_without_time(stepping, monkeypatch):
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(stepping, "time", SimpleNamespace(monotonic=lambda: clock.now))

    def tell(line):
        clock.now += 2

    outcomes, _, _ = run(stepping, stepping.Step("one", python("import time; time.sleep(3600)"), limit_s=100),
                         stepping.Step("two", python("")), seconds=4, tell=tell)
    assert outcomes["one"].status == "timed out" and outcomes["two"].status == "skipped" and "time" in outcomes["two"].reason


def test_a_tool_that_refuses_the_machine_is_skipped(stepping):
    code = "import sys; print('Error: Device not supported. Please refer'); sys.exit(1)"
    outcomes, _, _ = run(stepping, stepping.Step("tool", python(code), refused=("device NOT supported",)),
                         stepping.Step("another", python(code), refused=("something else",)))
    assert outcomes["tool"].status == "skipped" and "does not work here" in outcomes["tool"].reason
    assert outcomes["another"].status == "failed"


def test_what_a_step_cannot_have_is_its_reason(stepping):
    outcomes, _, _ = run(stepping, stepping.Step("racecheck", [None], skip="no compute-sanitizer"))
    assert outcomes["racecheck"].status == "skipped" and outcomes["racecheck"].reason == "no compute-sanitizer"


# The script over steps of our own, as a machine with a GPU runs its: a build that fails, a test that hangs, and one after it.
REHEARSAL = """
import sys
sys.path.insert(0, {folder!r})
import run, steps
python = lambda code: [sys.executable, "-c", code]
run.all_steps = lambda options, facts, folder: [
    steps.Step("C build", python("print('compiled')")),
    steps.Step("every_kernel", python("print('0 wrong')"), after=("C build",)),
    steps.Step("build", python("print('no Python.h'); raise SystemExit(2)")),
    steps.Step("benchmarks", python(""), after=("build",)),
    steps.Step("tests", python("import time; print('half of them', flush=True); time.sleep(3600)"), limit_s={limit}),
    steps.Step("last", python("print('after all')"))]
sys.exit(run.main(["--out", {out!r}, "--emulated", "/nowhere"]))
"""


def begin_rehearsal(out, limit):
    code = REHEARSAL.format(folder=str(FOLDER), out=str(out), limit=limit)
    return subprocess.Popen([sys.executable, "-c", code], env=environment(), stdout=subprocess.PIPE, text=True)


def read_report(out):
    [path] = out.glob("*.json")
    return {step["name"]: step for step in json.loads(path.read_text())["steps"]}, path.with_suffix(".txt").read_text()


def test_a_build_that_fails_and_a_test_that_hangs_leave_the_rest(tmp_path):
    process = begin_rehearsal(tmp_path, 1.0)
    assert process.wait() == 1
    process.stdout.close()
    steps, text = read_report(tmp_path)
    assert [step["status"] for step in steps.values()] == ["passed", "passed", "failed", "skipped", "timed out", "passed"]
    assert "no Python.h" in text and "half of them" in steps["tests"]["reason"] and "after all" in steps["last"]["reason"]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_run_that_is_killed_leaves_a_report_of_what_was_reached(tmp_path, how):
    process = begin_rehearsal(tmp_path, 3600)
    for line in process.stdout:
        if line.startswith("tests"):
            break
    while "half of them" not in next(tmp_path.glob("*.log")).read_text():
        time.sleep(0.01)
    process.send_signal(how)
    process.wait()
    process.stdout.close()
    steps, text = read_report(tmp_path)
    assert [step["status"] for step in steps.values()] == ["passed", "passed", "failed", "skipped"] and "no Python.h" in text


def environment():
    """The environment without what steers this test run."""
    return {name: value for name, value in os.environ.items() if name not in ("OUT", "PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST")}


def test_the_script_names_its_steps():
    env = environment() | {"PYTHON": sys.executable}
    done = subprocess.run([FOLDER / "run", "--list"], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    names = done.stdout.splitlines()
    order = ["benchmarks", "every_kernel", "tests", "pip install", "larger planes"]
    assert [name for name in names if name in order] == order and done.stdout.index("C build") < done.stdout.index("every_kernel")
    done = subprocess.run([FOLDER / "run", "--list", "--sanitizers"], capture_output=True, text=True, env=env)
    names = done.stdout.splitlines()
    order = ["C build", "memcheck", "racecheck", "initcheck", "synccheck", "build", "memcheck tests", "all cases"]
    assert [name for name in names if name in order] == order and "tests" not in names


SANITIZER = """#!/bin/sh
case "$*" in *racecheck*) echo "Device not supported"; exit 1;; esac
echo "$*"
"""


def test_tools_of_a_sanitizer_take_five_minutes_at_most(tmp_path, stepping):
    """By a sanitizer that runs nothing, and cannot look for races on this machine."""
    script = importlib.import_module("run")
    fake = tmp_path / "compute-sanitizer"
    fake.write_text(SANITIZER)
    fake.chmod(0o755)
    options = script.arguments(["--sanitizers", "--build", str(tmp_path / "build")])
    tools, tests = script.sanitizer_steps(options, {"sanitizer": str(fake)}, {})
    steps = [stepping.Step("C build", ["true"]), stepping.Step("build", ["true"]), *tools, tests]
    assert sum(step.limit_s for step in steps[2:]) <= 300
    outcomes, _, _ = run(stepping, *steps)
    status = {name: outcome.status for name, outcome in outcomes.items()}
    assert status.pop("racecheck") == "skipped" and set(status.values()) == {"passed"}
    assert "--every 53" in outcomes["memcheck"].tail and "test_gpu_streams.py" in outcomes["memcheck tests"].tail


def test_without_a_python_it_says_what_to_do():
    done = subprocess.run([FOLDER / "run"], capture_output=True, text=True, env=environment() | {"PYTHON": "/bin/false"})
    assert done.returncode == 1 and "PYTHON=" in done.stderr


def rehearsed(tmp_path, *words):
    """The finished script and its report, on the emulated device that is built."""
    built = sorted(ROOT.glob("build/*/emulator/libcuda.so.1"), key=lambda path: path.stat().st_mtime)
    programs = [path.parents[1] for path in built
                if (path.parents[1] / "every_kernel").exists() and "sanitized" not in path.parents[1].name]
    if not programs:
        pytest.skip("every_kernel and the emulated device aren't built: configure native/ with -DGPUPLOT_TESTS=ON "
                    "-DGPUPLOT_EMULATOR=ON")
    command = [FOLDER / "run", "--out", tmp_path, "--emulated", programs[-1] / "emulator" / "libcuda.so.1", "--build", programs[-1],
               *(word for step in ("configure", "build", "C configure", "C build") for word in ("--skip", step)), *words]
    done = subprocess.run(command, capture_output=True, text=True, env=environment() | {"PYTHON": sys.executable}, timeout=3600)
    [path] = tmp_path.glob("*.json")
    return done, json.loads(path.read_text()), path.with_suffix(".txt").read_text()


def test_the_c_program_in_a_rehearsal(tmp_path):
    done, report, text = rehearsed(tmp_path, "--only", "every_kernel", "--only", "pip install")
    assert done.returncode == 0, done.stdout[-3000:]
    steps = {step["name"]: step for step in report["steps"]}
    assert steps["every_kernel"]["status"] == "passed" and " 0 wrong" in steps["every_kernel"]["reason"]
    assert steps["pip install"]["status"] == "skipped"
    assert report["is_rehearsal"] and text.startswith("A rehearsal")
    assert len(report["machine"]["sources"]["digest"]) == 16


@pytest.mark.slow
def test_a_whole_rehearsal(tmp_path):
    """Everything that a GPU machine runs, small, on the emulated device and on torch's CPU."""
    pytest.importorskip("torch")
    done, report, text = rehearsed(tmp_path)
    assert done.returncode == 0, done.stdout[-3000:]
    steps = {step["name"]: step for step in report["steps"]}
    assert {steps[name]["status"] for name in ("every_kernel", "tests", "benchmarks")} == {"passed"}
    cases = report["results"]["benchmarks"]["device"]["cases"]
    assert [case["name"] for case in cases][:2] == ["mean", "mean, whole ratio"]
    assert all(case["ours"]["error"]["max_relative"] < 1e-9 for case in cases[:2])
    assert "mean, whole ratio" in text and "speed of light" in text


# ---- reports and pages --------------------------------------------------------------------------------------------------


def test_a_report_leaves_out_the_folders_of_its_machine(reporting):
    told = reporting.without_folders(
        {"command": "/srv/x/.venv/bin/python3 -m pytest /srv/me/gpuplot/tests/gpu", "code": 0,
         "steps": ["cmake -S /srv/me/gpuplot -B build\n/srv/lib/site-packages/x.py:1 tests/bin/a /srv/gpuplot-a1/b.json 1/2"]},
        "/srv/me/gpuplot")
    assert told == {"command": "python3 -m pytest tests/gpu", "code": 0,
                    "steps": ["cmake -S . -B build\nsite-packages/x.py:1 tests/bin/a b.json 1/2"]}


def test_page_tells_the_figures_of_the_newest_report(reporting):
    lines = reporting.block_in((ROOT / "docs" / "performance.md").read_text())
    assert lines == reporting.performance_block(reporting.newest(FOLDER / "reports")), \
        "docs/performance.md and the newest report differ: python tests/gpu/reporting.py rewrites the figures"


def report_of(date, seconds=0.002, is_rehearsal=False):
    """A small report as the script writes it."""
    case = {"name": "mean", "input": "64 x 64 float32", "is_headline": True, "n_bytes": 1 << 30, "light_aim": 0.85,
            "light": {"name": "cub::DeviceReduce::Sum", "gb_s": 3900.0},
            "ours": {"name": "gpuplot.downsample", "typed": "gpuplot.downsample(t, (8, 8))", "times": [seconds] * 3,
                     "kernel_s": 0.0003, "error": {"kind": "cells", "max_relative": 1e-15, "n_wrong_marks": 0},
                     "device_bytes": 9_000_000, "host_bytes": 1_000_000},
            "opponents": [{"name": "torch area", "typed": "F.interpolate(t)", "note": "", "times": [0.004] * 3, "ratio": 0.5,
                           "error": None, "device_bytes": None, "host_bytes": 0},
                          {"name": "cuCIM", "typed": "block_reduce(t)", "not_run": "needs cucim"}]}
    moved = {"name": "asnumpy, sliced", "input": "9 x 9 float32", "is_headline": True, "is_conversion": True, "n_bytes": None,
             "n_bytes_moved": 10**8, "light_aim": 0,
             "ours": {"name": "gpuplot.asnumpy", "typed": "gpuplot.asnumpy(t)", "times": [0.002] * 3, "device_bytes": 16_000_000,
                      "host_bytes": 0, "error": {"kind": "elements", "n_differing": 0}},
             "opponents": [{"name": "t.cpu().numpy()", "typed": "t.cpu().numpy()", "note": "", "times": [0.008] * 3, "ratio": 0.25,
                            "bound": 0.2, "error": {"kind": "elements", "n_differing": 7}, "device_bytes": 10**8, "host_bytes": 0},
                           {"name": "cupy", "typed": "a.get()", "not_run": "needs cupy"}]}
    absent = {"name": "later", "input": "1 x 1 float32", "is_headline": True, "not_run": "no time left"}
    return {"format": 1, "is_rehearsal": is_rehearsal, "steps": [
                {"name": "tests", "status": "failed", "reason": "status 1", "seconds": 2.0, "code": 1, "tail": "the words",
                 "command": "pytest"}],
            "machine": {"date": date, "gpu": {"name": "Some GPU", "driver_version": "580.1"}, "nvcc": {"version": "13.0"},
                        "versions": {"torch": "2.11.0"}, "system": "Linux", "processor": "16 x CPU", "python": "3.12",
                        "sources": {"commit": "abc", "is_changed": False, "digest": "0123"}},
            "results": {"benchmarks": {"device": {"light": {"name": "cub::DeviceReduce::Sum", "gb_s": 4000.0},
                                                  "cases": [case, moved, absent]}}}}


def test_page_with_a_report_has_its_numbers(reporting, tmp_path):
    for name, report in (("a", report_of("2026-01-02T00:00:00")), ("b", report_of("2026-03-04T00:00:00", 0.001)),
                         ("c", report_of("2026-05-06T00:00:00", is_rehearsal=True))):
        (tmp_path / f"{name}.json").write_text(json.dumps(report))
    (tmp_path / "broken.json").write_text("{")
    text = "\n".join(reporting.performance_block(reporting.newest(tmp_path)))
    assert "2026-03-04" in text and "Some GPU" in text and "4000 GB/s" in text
    assert "| mean, 64 x 64 float32 | 1.000 ms | 3579 GB/s | torch area | 0.50 |" in text
    assert reporting.NOT_MEASURED not in text and "cuCIM" not in text and "later" not in text
    assert reporting.NOT_MEASURED in "\n".join(reporting.performance_block(reporting.newest(tmp_path / "nothing")))


def test_page_with_a_report_has_its_conversions(reporting):
    report = report_of("2026-03-04T00:00:00")
    text = "\n".join(reporting.conversions_block(report))
    assert "Some GPU" in text and "| tensor |" in text and "cupy" not in text and "mean" not in text
    assert "| sliced: 9 x 9 float32 | 2.000 ms, 50.0 GB/s | `t.cpu().numpy()` | 0.25 | 16.0 MB | 100.0 MB |" in text
    assert "sliced" not in "\n".join(reporting.performance_block(report))
    assert reporting.NOT_MEASURED in "\n".join(reporting.conversions_block(None))


def test_the_blocks_of_pages_are_rewritten(reporting, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"first\n{reporting.BEGIN}\nold\n{reporting.END}\nlast\n")
    reporting.rewrite(page, ["new", "lines"])
    assert reporting.block_in(page.read_text()) == ["new", "lines"] and page.read_text().splitlines()[-1] == "last"


def test_the_text_tells_everything(reporting):
    text = reporting.text_of(report_of("2026-03-04T00:00:00"))
    for words in ("Some GPU", "driver 580.1", "the words", "needs cucim", "no time left", "1.0e-15", "2.000", "  92", "abc",
                  "aim 85 %", ": met", "7 differ", "aim 0.2: MISSED"):
        assert words in text, words
