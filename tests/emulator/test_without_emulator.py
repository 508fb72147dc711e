"""If the emulated device isn't built, its tests are skipped with one sentence, and nothing fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.host("a process of its own decides where arrays are")

TESTS = Path(__file__).resolve().parents[1]
FILES = ("cuda/test_cuda_limits.py", "cuda/test_cuda_process.py", "emulator/test_emulator.py")
# A plugin for a process whose tree has never been built.
NEVER_BUILT = """
from pathlib import Path
import emulated_device
emulated_device.ROOT = Path(__file__).parent
"""


def test_tests_of_the_emulated_device_are_skipped_with_a_sentence(tmp_path):
    (tmp_path / "never_built.py").write_text(NEVER_BUILT)
    environment = os.environ | {"EMULATED_DEVICE": str(tmp_path), "PYTHONPATH": os.pathsep.join([str(tmp_path), str(TESTS)])}
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "never_built",
                           *(TESTS / name for name in FILES)],
                          cwd=TESTS.parent, env=environment, capture_output=True, text=True, timeout=300, check=False)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stdout + done.stderr
    said = {line.partition(": ")[2] for line in lines if line.startswith("SKIPPED")}
    assert said == {"the emulated device isn't built: that takes a C++ compiler (Debian: g++), and `make test` again"}
    assert " skipped in " in lines[-1] and "passed" not in lines[-1]
