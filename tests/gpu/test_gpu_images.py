"""Kernels of the build on a real GPU: a build with images runs one of them, and compiles nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import gpuplot

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).resolve().parents[2]
DRAW = """
import torch, gpuplot
x = torch.arange(12000, dtype=torch.float32).reshape(120, 100).to("cuda")  # a copy: no kernel of torch's has to run
gpuplot.to_rgba(x, (40, 50), robust=True)
gpuplot.stats(x), gpuplot.asnumpy(x.T, "float16")
print(gpuplot.show_config("dicts")["CUDA backend"]["kernels"])
"""


@pytest.fixture
def has_images(cuda):
    """Skips where the build compiled no kernels."""
    if not gpuplot.show_config("dicts")["CUDA backend"]["architectures"]:
        pytest.skip("a build without GPUPLOT_CUDA=1")


def drawn(environment):
    """How kernels came to be in a process that draws with these variables."""
    done = subprocess.run([sys.executable, "-c", DRAW], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[0]


def test_the_driver_takes_the_builds_images(has_images, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path)}
    assert drawn(environment) == "compiled with the package"
    assert not list(tmp_path.rglob("*.kernels"))


def test_where_machine_code_is_refused_the_driver_translates_ptx(has_images, tmp_path):
    """CUDA_FORCE_PTX_JIT=1 lets a driver refuse machine code: the images' PTX serves, or NVRTC, and the pictures are the same."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path), "CUDA_FORCE_PTX_JIT": "1"}
    assert drawn(environment) in ("compiled with the package", "compiled at their first use, by libnvrtc")
