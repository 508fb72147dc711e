"""What `show_config` says of settings that are environment variables."""

import os
import subprocess
import sys

import pytest

LEVEL = "import gpuplot; print(gpuplot.show_config('dicts')['CPU backend']['level in use'])"


def level_with(asked):
    environment = {name: value for name, value in os.environ.items() if name != "GPUPLOT_CPU_LEVEL"}
    environment |= {} if asked is None else {"GPUPLOT_CPU_LEVEL": asked}
    return subprocess.run([sys.executable, "-c", LEVEL], env=environment, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.parametrize("asked", ["fast", "AVX2"])
def test_an_unknown_level_is_ignored_and_named(asked):
    assert level_with(asked) == f"{level_with(None)} (GPUPLOT_CPU_LEVEL={asked!r} is ignored, as it is none of base, avx2, avx512)"


def test_known_levels():
    assert level_with("base") == "base" and level_with("") == level_with(None)
