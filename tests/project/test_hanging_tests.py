"""Tests that hang or end their process: each fails once, in little time, and all the others run."""

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
CONFTEST = f"""
import sys
sys.path.insert(0, {str(TESTS)!r})

def pytest_xdist_make_scheduler(config, log):
    from file_scheduling import FileScheduling
    return FileScheduling(config, log)
"""
FILE = """
import os, time, pytest

@pytest.mark.parametrize("n", range(4))
def test_one(n):
    {code}
"""
CODES = ["pass", "n == 1 and time.sleep(600)", "n == 3 and os._exit(3)", "pass", "n == 0 and os._exit(4)"]


def test_each_fails_once_and_the_others_run(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\nfaulthandler_timeout = 2\nfaulthandler_exit_on_timeout = true\n")
    for k, code in enumerate(CODES):
        (tmp_path / f"test_{k}.py").write_text(FILE.format(code=code))
    run = subprocess.run([sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "xdist", "."], cwd=tmp_path,
                         env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, capture_output=True, text=True, timeout=120)
    assert run.returncode == 1, run.stdout + run.stderr
    assert "3 failed, 17 passed" in run.stdout
    for failed in ("test_1.py::test_one[1]", "test_2.py::test_one[3]", "test_4.py::test_one[0]"):
        assert run.stdout.count(f"FAILED {failed}") == 1
    assert 'test_1.py", line 6 in test_one' in run.stderr  # the stack of the test that hangs
