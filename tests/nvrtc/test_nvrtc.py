"""The real NVRTC of NVIDIA's packages: it compiles a share of the kernels, its warnings are failures.

GPUPLOT_NVRTC_SHARE=SEED/N chooses the share; the command that compiles all is tests/nvrtc/compile_kernels.py.
"""

import importlib.util
import os
import re
from pathlib import Path

import pytest

pytestmark = [pytest.mark.host("no array that somebody hands to gpuplot"), pytest.mark.slow]

SHARE = os.environ.get("GPUPLOT_NVRTC_SHARE", "1/200")
_spec = importlib.util.spec_from_file_location("compile_kernels", Path(__file__).with_name("compile_kernels.py"))
compile_kernels = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(compile_kernels)


@pytest.fixture(scope="module")
def tools():
    """The libraries by version, and the program."""
    try:
        return compile_kernels.find_libraries(), compile_kernels.build_program()
    except compile_kernels.NothingToRun as reason:
        pytest.skip(str(reason))


def test_a_share_of_the_kernels_is_compiled(tools):
    libraries, program = tools
    cases = compile_kernels.share_of(compile_kernels.all_cases(program, libraries), SHARE)
    assert {version for version, _, _ in cases} == set(libraries)
    assert compile_kernels.compile_all(program, libraries, cases, 2) == 0


def test_the_share_follows_from_the_seed(tools):
    libraries, program = tools
    cases = compile_kernels.all_cases(program, libraries)
    shares = [compile_kernels.share_of(cases, text) for text in ("a1/20", "a1/20", "b2/20")]
    assert shares[0] == shares[1] != shares[2] and abs(len(shares[0]) - len(cases) / 20) <= 1
    assert sorted(compile_kernels.share_of(cases, "a1/1")) == sorted(cases)


def test_each_module_is_compiled_once_for_some_architecture(tools):
    cases = compile_kernels.all_cases(tools[1], tools[0])
    each, again, other = (compile_kernels.each_module(cases, seed) for seed in ("a1", "a1", "b2"))
    modules = list(dict.fromkeys(module for _, module, _ in cases))
    assert each == again != other and [module for _, module, _ in each] == modules and set(each) <= set(cases)


@pytest.mark.parametrize(("kernel", "words"), [
    ('extern "C" __global__ void f(int *p) { int unused = 1; *p = 2; }', "declared but never referenced"),
    ('extern "C" __global__ void f(int *p) { *p = }', "expected an expression"),
    ('#include <math.h>\nextern "C" __global__ void f(int *p) { *p = 1; }', "could not open source file"),
])
def test_a_warning_or_an_error_is_a_failure_with_the_compilers_words(tools, tmp_path, kernel, words):
    libraries, program = tools
    source = tmp_path / "planted.cu"
    source.write_text(kernel + "\n")
    for library in libraries.values():
        is_right, said = compile_kernels.compile_case(program, library, "points", 80, source)
        assert not is_right and words in said


def test_a_plain_kernel_is_none(tools, tmp_path):
    libraries, program = tools
    (tmp_path / "plain.cu").write_text('extern "C" __global__ void f(int *p) { *p = 1; }\n')
    for library in libraries.values():
        is_right, said = compile_kernels.compile_case(program, library, "points", 90, tmp_path / "plain.cu")
        assert is_right and said.startswith("points sm_90 "), said


@pytest.mark.parametrize("library", compile_kernels.PACKAGES)
def test_gpuplot_looks_where_the_packages_have_it(tools, library):
    """The folder of each package is one of those that the binding lists below every entry of sys.path.

    The whole way is not run here: a real libnvrtc crashes in a process that has loaded the emulated driver.
    """
    source = (compile_kernels.ROOT / "native" / "python" / "cuda_functions.c").read_text()
    [listed] = re.findall(r"below\[\] = \{([^}]*)\}", source)
    assert any(str(path).endswith(library) for path in tools[0].values())
    assert library.rpartition("/")[0] in re.findall(r'"([^"]+)"', listed)
