"""The headers of dtypes, reductions and norms compile as CUDA, with no CUDA header included."""

import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.host("no array that somebody hands to gpuplot")

CORE = Path(__file__).resolve().parents[2] / "native" / "core"

KERNEL = """
extern "C" __global__ void touch(const uint8_t *codes, const uint16_t *halves, double *out)
{
    double x = gp_value_F8_E4M3FN(codes[0]) + gp_value_F8_E8M0FNU(codes[1]) + gp_value_F16(halves[0]) + gp_value_BF16(halves[1]);
    gp_moments joined = gp_moments_join({1.0, x, 0.0}, {2.0, x, 0.5});
    out[0] = gp_absmax_join(x, joined.m2) + gp_mark_value(gp_class_of(x));
    gp_summary_state seen = gp_summary_state_none(), others = seen;
    gp_summary_state_join(&seen, &others);
    x += (double)(seen.lowest - others.highest);
    out[1] = gp_is_empty_cell(out[0]) ? gp_empty_cell() : x;
}
"""


def _nvcc():
    """A CUDA compiler that works here, or a skip with the reason."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("no nvcc on PATH")
    return nvcc


def test_headers_compile_as_cuda(tmp_path):
    """One source for host and device: what a later kernel includes builds today."""
    nvcc = _nvcc()
    source = tmp_path / "touch.cu"
    names = ("tensor/dtypes.h", "tensor/casts.h", "states/cell_state.h", "states/summary_state.h", "tensor/element.h",
             "color/limits_search.h")
    source.write_text("".join(f'#include "{CORE / name}"\n' for name in names) + KERNEL)
    empty = tmp_path / "empty.cu"
    empty.write_text("__global__ void nothing() {}\n")
    probe = subprocess.run([nvcc, "-fatbin", "-o", str(tmp_path / "empty.fatbin"), str(empty)], capture_output=True, text=True)
    if probe.returncode:
        pytest.skip(f"nvcc does not work here: {probe.stderr.strip()[:200]}")
    done = subprocess.run([nvcc, "-fatbin", "-Xcompiler", "-Wall", "-o", str(tmp_path / "touch.fatbin"), str(source)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "touch.fatbin").stat().st_size > 0
