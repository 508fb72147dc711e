"""What machine code says about kernels without a GPU: hardly any local memory, and enough warps to hide the time that memory takes.

`kernel_table.py` prints it for every kernel; what is held here is what the kernels of each read element depend on.
"""

import dataclasses
import importlib.util
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.host("no array that somebody hands to gpuplot"), pytest.mark.slow]

HERE = Path(__file__).resolve().parent
_spec = importlib.util.spec_from_file_location("kernel_table", HERE / "kernel_table.py")
kernel_table = sys.modules["kernel_table"] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(kernel_table)
compile_kernels, cubins = kernel_table.compile_kernels, kernel_table.cubins

CAPABILITIES = (75, 80, 89, 90)
# Of every class but that of hidden axes.
KINDS = (*kernel_table.ELEMENT_BYTES, "ONE")
MODULES = tuple(f"reduce_{kind}" for kind in KINDS)
# Where a draw spends its time. A T4 has room for 32 warps in all, and less shared memory.
HOT = ("sum_narrow", "sum_narrow_want", "sum_wide")


class Compiled(dict):
    """{(module, capability): kernels} by NVRTC. A module is compiled when it is first asked for, as all together take minutes."""

    def __init__(self, program, library, folder):
        super().__init__()
        self._how = program, library, folder

    def __missing__(self, key):
        module, _ = key
        program, library, folder = self._how
        images = kernel_table.compile_module(program, library, module, CAPABILITIES, folder)
        self.update({(module, capability): cubins.kernels_of(cubin) for capability, cubin in images.items()})
        return self[key]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """`Compiled` by NVRTC of CUDA 12."""
    try:
        libraries, program = compile_kernels.find_libraries(), compile_kernels.build_program(name="make_images")
    except compile_kernels.NothingToRun as reason:
        pytest.skip(str(reason))
    return Compiled(program, libraries[min(libraries)], tmp_path_factory.mktemp("images"))


@pytest.mark.parametrize("capability", CAPABILITIES)
@pytest.mark.parametrize("module", MODULES)
def test_no_kernel_has_more_local_memory_than_is_known(compiled, module, capability):
    kernels = compiled[module, capability]
    assert len(kernels) == 15
    stacks = {name: kernel.stack for name, kernel in kernels.items() if kernel.stack}
    assert {name: stack for name, stack in stacks.items() if stack > kernel_table.KNOWN_STACKS.get(name, 0)} == {}


@pytest.mark.parametrize("capability", CAPABILITIES)
@pytest.mark.parametrize("module", MODULES)
def test_enough_warps_of_the_hot_sums_are_resident(compiled, module, capability):
    kernels, kind = compiled[module, capability], module.removeprefix("reduce_")
    warps = {f"{name}_{kind}": cubins.resident_warps(kernels[f"{name}_{kind}"], capability) for name in HOT}
    assert all(n >= kernel_table.least_warps(name, capability) for name, n in warps.items()), warps


@pytest.mark.parametrize("capability", CAPABILITIES)
@pytest.mark.parametrize("module", MODULES)
def test_registers_leave_room_for_three_blocks(compiled, module, capability):
    """80 a thread at most."""
    kernels, kind = compiled[module, capability], module.removeprefix("reduce_")
    assert all(kernels[f"{name}_{kind}"].registers <= 80 for name in HOT)


@pytest.mark.parametrize("capability", CAPABILITIES)
@pytest.mark.parametrize("module", [name for name in MODULES if name.removeprefix("reduce_") not in ("I8", "I16", "H16")])
def test_moments_of_few_columns_a_thread_take_no_warp_by_their_registers(compiled, module, capability):
    """Where shared memory has room for three blocks, they have 80 registers at most."""
    kernel = compiled[module, capability][f"moments_narrow_{module.removeprefix('reduce_')}"]
    warps = cubins.resident_warps(dataclasses.replace(kernel, registers=80), capability)
    assert cubins.resident_warps(kernel, capability) == warps


# ---- how it is read -----------------------------------------------------------------------------------------------------------


def test_resident_warps_are_those_of_the_occupancy_calculator():
    """Registers come in pieces of 8 a thread, blocks whole; numbers of NVIDIA's calculator."""
    def warps(registers, threads, shared, capability):
        return cubins.resident_warps(cubins.Kernel("", registers, 0, threads, shared), capability)

    assert [warps(n, 256, 0, 80) for n in (32, 33, 64, 65, 80, 81, 110, 128, 255)] == [64, 48, 32, 24, 24, 16, 16, 16, 8]
    assert warps(32, 256, 0, 75) == 32 and warps(32, 256, 0, 89) == 48
    assert warps(32, 64, 0, 86) == 32 and warps(32, 64, 0, 89) == 48  # 16 and 24 blocks
    assert warps(32, 256, 32 << 10, 75) == 16 and warps(32, 256, 32 << 10, 90) == 48


LISTING = """
.text.one:
        /*0000*/                   LDG.E R1, [R2.64] ;
.L_x_1:
        /*0010*/                   LDG.E.128.CONSTANT R4, [R2.64] ;
        /*0020*/              @!P0 LDG.E.64 R8, [R2.64+0x10] ;
.L_x_2:
        /*0030*/                   LDL R9, [R1] ;
        /*0040*/               @P1 BRA `(.L_x_2) ;
        /*0050*/                   F2F.F64.F32 R10, R4 ;
        /*0060*/                   DADD R12, R12, R10 ;
        /*0070*/                   NOP ;
        /*0080*/              @P2 BRA `(.L_x_1) ;
        /*0090*/              @P3 BRA `(.L_x_9) ;
.L_x_9:
        /*00a0*/                   EXIT ;
.text.two:
        /*0000*/                   EXIT ;
"""


def test_the_loop_that_loads_most_is_counted_without_those_inside():
    functions = kernel_table.functions_of(LISTING)
    assert list(functions) == ["one", "two"] and kernel_table.hot_loop(functions["two"]) is None
    loop = kernel_table.hot_loop(functions["one"])
    assert (loop.instructions, loop.bytes, loop.float64, loop.conversions) == (5, 24, 1, 1)
    assert kernel_table.local_accesses(functions["one"]) == 1


def test_of_two_ways_to_load_the_same_one_counts():
    """Two loads together, or each behind a branch of its own."""
    together, apart = "LDG.E.128 R4, [R2.64]", "LDG.E.128 R8, [R2.64+0x10]"
    lines = [(None, "@P0 BRA `(.L_x_1)"), (None, together), (None, apart), (None, "BRA `(.L_x_2)"), (".L_x_1", None), (None, together),
             (None, "@P1 BRA `(.L_x_2)"), (None, apart), (".L_x_2", None), (None, "FADD R1, R4, R8")]
    loop = kernel_table.loop_between(lines)
    assert (loop.bytes, loop.instructions) == (32, 8)


def test_what_takes_longest_bounds():
    gpu = kernel_table.Gpu(90, 1e12 / 0.88, 100, 1e9, 64, 16)
    assert kernel_table.bound_of(kernel_table.Loop(128, 0, 0, 10), gpu) == (1.0, "memory")
    assert kernel_table.bound_of(kernel_table.Loop(512, 0, 0, 10), gpu) == (0.25, "issue")
    assert kernel_table.bound_of(kernel_table.Loop(128, 64, 32, 10), gpu) == (pytest.approx(1 / 3), "float64")
