"""Prints what every kernel takes and what bounds it, for four GPUs, from machine code alone: no GPU, no nvcc.

usage: python tests/nvrtc/kernel_table.py [--gpu H200]... [--module reduce_F32]... [--jobs N] [--markdown FILE]
       (after: the module is built; pip install -e '.[nvrtc]')
For each GPU a line for each kernel: registers of a thread, bytes of its stack and how many instructions read or write it, warps that
a multiprocessor has room for; of the loop that loads most: bytes that a thread loads in one step, instructions and operations of
float64 for each element, and how near to the speed of memory that lets it come, or what keeps it from there. Every instruction
between the loop's ends counts, also those of seldom branches, but for loops inside: so the bound is a lower one.

Loops are read by nvdisasm (package nvidia-cuda-nvdisasm, or on PATH); without it their columns are empty.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "native" / "tools"))

import compile_kernels  # noqa: E402 - beside this file, which need not be where Python looks
import compress_pack  # noqa: E402
import cubins  # noqa: E402


@dataclass(frozen=True)
class Gpu:
    """Of the data sheet: bytes of memory a second, multiprocessors, clock; of the programming guide: float64 a clock of one of them.

    Of the sheet's bandwidth 88 % are within reach, as CUB's sum of float32 shows on an H200.
    """

    capability: int
    bandwidth: float
    processors: int
    clock: float
    float64: int
    conversions: int  # to and from float64

    REACHED = 0.88
    ISSUED = 128  # instructions of a thread a clock: four schedulers, a warp each


GPUS = {
    "H200": Gpu(90, 4.8e12, 132, 1.98e9, 64, 16), "A100": Gpu(80, 2.039e12, 108, 1.41e9, 32, 16),
    "4090": Gpu(89, 1.008e12, 128, 2.52e9, 2, 2), "T4": Gpu(75, 0.32e12, 40, 1.59e9, 2, 2),
}
ELEMENT_BYTES = {"I8": 1, "F8": 1, "I16": 2, "H16": 2, "I32": 4, "F32": 4, "I64": 8, "F64": 8}
CLASSES = {*ELEMENT_BYTES, "ANY"}
WIDTHS = {".128": 16, ".64": 8, ".U16": 2, ".S16": 2, ".U8": 1, ".S8": 1}


@dataclass
class Loop:
    """One step of a loop: its instructions, those that work in float64 or convert to it, and bytes that it loads."""

    instructions: int = 0
    float64: int = 0
    conversions: int = 0
    bytes: int = 0


def find_nvdisasm():
    """The disassembler, or None."""
    packaged = [path for folder in map(Path, sys.path) for path in folder.glob("nvidia/cu*/bin/nvdisasm")]
    return str(packaged[0]) if packaged else shutil.which("nvdisasm")


def functions_of(text):
    """{kernel: lines} of nvdisasm's text, where a line is (label, None) or (None, instruction)."""
    found, lines = {}, None
    for line in text.splitlines():
        section, label = re.match(r"\.text\.(\w+):", line), re.match(r"(\.L_\w+):", line)
        instruction = re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", line)
        if section:
            lines = found.setdefault(section[1], [])
        elif lines is not None and label:
            lines.append((label[1], None))
        elif lines is not None and instruction:
            lines.append((None, instruction[1]))
    return found


def loops_of(lines):
    """(first line, last line) of every loop: from a label to a later branch to it."""
    at = {label: i for i, (label, _) in enumerate(lines) if label}
    ends = {}
    for i, (_, instruction) in enumerate(lines):
        branch = re.search(r"\bBRA\b.*`\((\.L_\w+)\)", instruction or "")
        if branch and at.get(branch[1], i) < i:
            ends[at[branch[1]]] = i
    return sorted(ends.items())


def words_of(instruction):
    """The instruction's name with its suffixes, without a predicate."""
    return re.sub(r"^@!?U?P\w+\s+", "", instruction).split()[0]


def add(loop, instruction):
    """Count one instruction."""
    name = words_of(instruction)
    loop.instructions += name != "NOP"
    loop.float64 += name.split(".")[0] in ("DADD", "DMUL", "DFMA", "DSETP", "DMNMX")
    loop.conversions += name.startswith(("F2F.F64", "F2F.F32.F64", "I2F.F64", "F2I.F64", "F2I.S64.F64"))
    if name.startswith("LDG"):
        loop.bytes += next((width for suffix, width in WIDTHS.items() if suffix in name), 4)


def hot_loop(lines):
    """The loop that loads most in one step, or None; loops inside of it are not counted.

    Elements are read before a block's first barrier, or, where memory is cleared before it, before the last; behind it results
    are folded.
    """
    barriers = [i for i, (_, instruction) in enumerate(lines) if instruction and "BAR.SYNC" in instruction]
    found = (loop_that_loads_most(lines, end) for end in (*barriers[:1], *barriers[-1:], len(lines)))
    return next((loop for loop in found if loop), None)


def loop_that_loads_most(lines, end):
    """The same among the loops that begin before a line."""
    best, loops = None, loops_of(lines)
    for first, last in loops:
        if first >= end:
            continue
        inside = [(a, b) for a, b in loops if first <= a and b <= last and (a, b) != (first, last)]
        loop = Loop()
        for i in range(first, last + 1):
            if lines[i][1] and not any(a <= i <= b for a, b in inside):
                add(loop, lines[i][1])
        if loop.bytes and (best is None or loop.bytes > best.bytes):
            best = loop
    return best


def local_accesses(lines):
    """How many instructions read or write local memory."""
    return sum(words_of(instruction).startswith(("LDL", "STL")) for _, instruction in lines if instruction)


def bound_of(loop, gpu):
    """(share of the speed of memory, what bounds it) of a loop whose instructions all run."""
    busy = {"memory": loop.bytes / (gpu.bandwidth * gpu.REACHED), "issue": loop.instructions / gpu.ISSUED,
            "float64": loop.float64 / gpu.float64 + loop.conversions / gpu.conversions}
    for name in ("issue", "float64"):
        busy[name] /= gpu.processors * gpu.clock
    what = max(busy, key=busy.get)
    return busy["memory"] / busy[what], what


@dataclass
class Row:
    """A kernel on one GPU."""

    kernel: cubins.Kernel
    warps: int
    n_local: int | None
    loop: Loop | None
    element_bytes: int | None

    def texts(self, gpu):
        """The columns as text."""
        columns = [self.kernel.name, self.kernel.registers, self.kernel.stack, "-" if self.n_local is None else self.n_local, self.warps]
        if self.loop is None or self.element_bytes is None:
            return [*map(str, columns), *"-----"]
        n_elements = self.loop.bytes / self.element_bytes
        share, what = bound_of(self.loop, gpu)
        float64 = (self.loop.float64 + self.loop.conversions) / n_elements
        return [*map(str, columns), str(self.loop.bytes), f"{self.loop.instructions / n_elements:.1f}", f"{float64:.1f}",
                f"{100 * share:.0f} %", what]


COLUMNS = ("kernel", "registers", "stack", "local", "warps", "bytes", "instructions", "float64", "of memory", "bound by")


def compile_module(program, library, module, capabilities, folder):
    """{capability: cubin} of one module."""
    kind, _, name = module.rpartition("_")
    if name not in CLASSES:
        kind, name = module, ""
    path = Path(folder, f"{module}.pack")
    done = subprocess.run([program, module, f"GP_CLASS={name}" if name else "", program.parent / "kernels" / f"{kind}.cu", path,
                           *(f"sm_{capability}" for capability in capabilities)], capture_output=True, text=True, check=False,
                          env={**os.environ, "GPUPLOT_NVRTC": str(library)})
    if done.returncode:
        raise RuntimeError(f"{module} was not compiled: {done.stderr}")
    return {capability: image for (capability, _), image in compress_pack.read_pack(path.read_bytes())[1].items()}


def disassemble(nvdisasm, cubin):
    """{kernel: lines}, empty without a disassembler."""
    if nvdisasm is None:
        return {}
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        return functions_of(subprocess.run([nvdisasm, "-c", file.name], capture_output=True, text=True, check=True).stdout)


def rows_of(module, cubin, capability, nvdisasm):
    """A `Row` for each kernel of a cubin, in the order of their names."""
    listing, size = disassemble(nvdisasm, cubin), ELEMENT_BYTES.get(module.rpartition("_")[2])
    for name, kernel in sorted(cubins.kernels_of(cubin).items()):
        lines = listing.get(name)
        yield Row(kernel, cubins.resident_warps(kernel, capability), None if lines is None else local_accesses(lines),
                  None if lines is None else hot_loop(lines), size)


def tables_of(gpus, modules, jobs):
    """{GPU's name: rows of text} over all kernels of these modules."""
    libraries, program = compile_kernels.find_libraries(), compile_kernels.build_program(name="make_images")
    library, nvdisasm = libraries[min(libraries)], find_nvdisasm()
    capabilities = sorted({GPUS[name].capability for name in gpus})
    tables = {name: [] for name in gpus}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        compiled = pool.map(lambda module: compile_module(program, library, module, capabilities, folder), modules)
        for module, images in zip(modules, compiled, strict=True):
            for name in gpus:
                gpu = GPUS[name]
                tables[name] += [row.texts(gpu) for row in rows_of(module, images[gpu.capability], gpu.capability, nvdisasm)]
    return tables


def text_of(table):
    """Aligned columns."""
    lines = [list(COLUMNS), *table]
    widths = [max(len(line[i]) for line in lines) for i in range(len(COLUMNS))]
    return "\n".join("  ".join(text.ljust(width) if i in (0, len(COLUMNS) - 1) else text.rjust(width)
                               for i, (text, width) in enumerate(zip(line, widths, strict=True))).rstrip() for line in lines)


def all_modules():
    """The modules' names, as cuda_kernels.cmake lists them."""
    text = (ROOT / "native" / "cmake" / "cuda_kernels.cmake").read_text()
    classes = re.search(r"set\(gp_cuda_classes ([^)]*)\)", text)[1].split()
    return [name.replace("${class}", kind) for name in re.findall(r"gp_cuda_module\(([\w${}]+) ", text)
            for kind in (classes if "${class}" in name else [""])]


def main(arguments):
    """Print the tables, or write them into a page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", action="append", choices=GPUS)
    parser.add_argument("--module", action="append")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--markdown", type=Path, help="a page with the tables, such as native/cuda/kernels.md")
    options = parser.parse_args(arguments)
    tables = tables_of(options.gpu or list(GPUS), options.module or all_modules(), options.jobs)
    parts = [f"## {name}\n\n```\n{text_of(table)}\n```\n" for name, table in tables.items()]
    if options.markdown:
        options.markdown.write_text(PAGE + "\n".join(parts))
    else:
        print("\n".join(parts))
    return 0


PAGE = """# What every kernel takes, and what bounds it

Written by `python tests/nvrtc/kernel_table.py --markdown native/cuda/kernels.md`, from machine code that NVRTC of CUDA 12 makes;
nothing here was measured. For each kernel: registers of a thread, bytes of its stack, instructions that read or write local memory,
and warps that a multiprocessor has room for at once. Of the loop that loads most: bytes that a thread loads in one step, instructions
and float64 operations (conversions to it among them) for each element, and how near to the speed of memory these let it come
(88 % of the data sheet's bandwidth), or what keeps it from there. All instructions between the loop's ends count, seldom branches
too, so the bound is a lower one; what waits for memory is not in it: that is what resident warps are for.

"""

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
