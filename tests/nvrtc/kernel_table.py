"""Prints what every kernel takes and what bounds it, for four GPUs, from machine code alone: no GPU, no nvcc.

usage: python tests/nvrtc/kernel_table.py [--gpu H200]... [--module reduce_F32]... [--jobs N]
       python tests/nvrtc/kernel_table.py --pages     (native/cuda/kernels.md and kernels.csv, ten minutes of one core)
       (after: the module is built; python tests/setup/install.py nvrtc)
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
KERNELS = ROOT / "native" / "cuda" / "kernels"
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
# Bytes of stack at most of kernels of reductions that are not for hidden axes. On an H200 float32 was 3 % faster so, with 32 warps, than
# with 24 and no stack, and its mean with limits 7 %; float16 was slower, and has 24. The others were not tried with less.
KNOWN_STACKS = {"extremes_narrow_want_I8": 24, "sum_narrow_want_I8": 8, "extremes_narrow_F8": 8,
                "sum_narrow_F8": 8, "sum_narrow_want_F8": 8, "extremes_narrow_H16": 8, "sum_narrow_H16": 16, "sum_narrow_want_H16": 80,
                "sum_wide_H16": 8, "extremes_narrow_I32": 16, "extremes_narrow_want_I32": 56, "sum_narrow_I32": 24, "sum_narrow_want_I32":
                32, "extremes_narrow_want_F32": 8, "sum_narrow_F32": 24, "sum_narrow_want_F32": 56, "extremes_narrow_I64": 8,
                "extremes_narrow_want_I64": 40, "sum_narrow_I64": 16, "sum_narrow_want_I64": 24, "extremes_narrow_want_F64": 40,
                "sum_narrow_F64": 8, "sum_narrow_want_F64": 40}
# Warps that a multiprocessor must have room for in the hot sums. Columns of runs of eight elements take 20 KB of shared memory for four
# warps: a T4 has 64 KB of it and a 4090 100, but also a fifth of an H200's memory to wait for, and some rows of each warp are under way.
LEAST_WARPS, LEAST_WARPS_OF_LONG_RUNS = 24, {75: 12, 86: 16, 89: 16, 120: 16}
LONG_RUNS = ("I8", "I16", "H16")
ELEMENT_BYTES = {"I8": 1, "F8": 1, "I16": 2, "H16": 2, "I32": 4, "F32": 4, "I64": 8, "F64": 8}
WIDTHS = {".128": 16, ".64": 8, ".U16": 2, ".S16": 2, ".U8": 1, ".S8": 1}


@dataclass
class Loop:
    """One step of a loop: its instructions, those that work in float64 or convert to it, and bytes that it loads."""

    instructions: int = 0
    float64: int = 0
    conversions: int = 0
    bytes: int = 0


def least_warps(kernel, capability):
    """Warps of a hot sum that must be resident."""
    is_long = kernel.startswith("sum_narrow") and kernel.rpartition("_")[2] in LONG_RUNS
    return LEAST_WARPS_OF_LONG_RUNS.get(capability, LEAST_WARPS) if is_long else LEAST_WARPS


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


def loop_between(lines):
    """The `Loop` of these lines. Where a branch chooses between two ways to load the same, the one of more loads together is it."""
    loop, together, apart = Loop(), Loop(), 0
    for label, instruction in lines:
        if instruction:
            add(loop, instruction)
            add(together, instruction)
        if label or words_of(instruction).startswith("BRA"):
            apart, together = max(apart, together.bytes), Loop()
    loop.bytes = max(apart, together.bytes) if 2 * max(apart, together.bytes) >= loop.bytes else loop.bytes
    return loop


def loop_that_loads_most(lines, end):
    """The same among the loops that begin before a line; of several that load as much, the one of fewest instructions.

    A loop over rows of cells has in it the loop over their elements, and loads the first ones of the next row beside that.
    """
    best, loops = None, loops_of(lines)
    for first, last in loops:
        if first >= end:
            continue
        inside = [(a, b) for a, b in loops if first <= a and b <= last and (a, b) != (first, last)]
        loop = loop_between(lines[i] for i in range(first, last + 1) if not any(a <= i <= b for a, b in inside))
        if loop.bytes and (best is None or (loop.bytes, -loop.instructions) > (best.bytes, -best.instructions)):
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


ARCHS = tuple(sorted({gpu.capability for gpu in GPUS.values()}))  # of the pages
COLUMNS = ("kernel", "registers", "stack", "local", "warps", "bytes", "instructions", "float64", "of memory", "bound by")


def compile_module(program, library, module, capabilities, folder):
    """{capability: cubin} of one module."""
    kind, name = compile_kernels.split_module(module)
    path = Path(folder, f"{module}-{'-'.join(map(str, capabilities))}.pack")
    done = subprocess.run([program, module, f"GP_CLASS={name}" if name else "", program.parent / "kernels" / f"{kind}.cu", path,
                           *(f"sm_{capability}" for capability in capabilities)], capture_output=True, text=True, check=False,
                          env={**os.environ, "GPUPLOT_NVRTC": str(library), "GPUPLOT_KERNEL_CACHE": str(compile_kernels.kept_folder())})
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


def all_rows(capabilities, modules, jobs):
    """{(module, capability): its `Row`s}."""
    libraries, program = compile_kernels.find_libraries(), compile_kernels.build_program(name="make_images")
    library, nvdisasm = libraries[min(libraries)], find_nvdisasm()
    def rows(module, capability):
        [cubin] = compile_module(program, library, module, (capability,), folder).values()
        return list(rows_of(module, cubin, capability, nvdisasm))

    cases = [(module, capability) for module in modules for capability in capabilities]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(zip(cases, pool.map(rows, *zip(*cases, strict=True)), strict=True))


def tables_of(gpus, modules, jobs):
    """{GPU's name: rows of text} over all kernels of these modules."""
    rows = all_rows(sorted({GPUS[name].capability for name in gpus}), modules, jobs)
    return {name: [row.texts(GPUS[name]) for module in modules for row in rows[module, GPUS[name].capability]] for name in gpus}


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


# ---- the pages ---------------------------------------------------------------------------------------------------------------


def source_of(kind, name):
    """A module's text without what ``#if !GP_CLASS_IS(...)`` leaves out of its class."""
    known = set(re.findall(r"^#define GP_IS_(\w+)_([A-Z0-9]+) 1\b", (KERNELS / "element_classes.cuh").read_text(), re.MULTILINE))
    return re.sub(r"^#if !GP_CLASS_IS\((\w+)\).*?^#endif$", lambda found: "" if (found[1], name) in known else found[0],
                  (KERNELS / f"{kind}.cu").read_text(), flags=re.MULTILINE | re.DOTALL)


def kernels_in_source():
    """The names of all kernels that the sources have, by the modules that cuda_kernels.cmake lists."""
    names = set()
    for module in all_modules():
        kind, name = compile_kernels.split_module(module)
        text = source_of(kind, name)
        names |= set(re.findall(r"^GP_KERNEL\((\w+),", text, re.MULTILINE))
        names |= {f"{stem}_{name}" for stem in re.findall(r"^GP_\w*KERNEL\(GP_OF_CLASS\((\w+)\),", text, re.MULTILINE)}
    return names


def csv_of(rows, modules):
    """A line for each kernel: for each architecture what it takes, for each GPU what bounds it."""
    facts = ("registers", "stack", "local", "warps", "bytes", "instructions", "float64")
    lines = [["kernel", *(f"sm_{arch} {fact}" for arch in ARCHS for fact in facts), *(f"{name} {what}" for name in GPUS
                                                                                      for what in ("of memory", "bound by"))]]
    for module in modules:
        for of_archs in zip(*(rows[module, arch] for arch in ARCHS), strict=True):
            texts = {arch: row.texts(GPUS["H200"]) for arch, row in zip(ARCHS, of_archs, strict=True)}
            bounds = [dict(zip(ARCHS, of_archs, strict=True))[gpu.capability].texts(gpu)[-2:] for gpu in GPUS.values()]
            lines.append([of_archs[0].kernel.name, *(text for arch in ARCHS for text in texts[arch][1:8]), *(text for pair in bounds
                                                                                                            for text in pair)])
    return "\n".join(",".join("" if text == "-" else text for text in line) for line in lines) + "\n"


SUMMARY = ("sum_narrow", "sum_narrow_want", "sum_wide", "extremes_narrow", "extremes_wide", "moments_narrow", "moments_wide", "limits",
           "summarize", "histogram", "select_first", "m4")


def share_text(row, gpu):
    """How near to the speed of memory a kernel comes, and what keeps it: i of instructions issued, d of float64."""
    *_, share, what = row.texts(gpu)
    return "" if share == "-" else share.replace(" ", "") + {"memory": "", "issue": " i", "float64": " d"}[what]


def summary_of(rows, modules, gpu):
    """Operations by element classes, as a table of Markdown."""
    by_name = {row.kernel.name: row for module in modules for row in rows[module, gpu.capability]}
    lines = ["| operation | " + " | ".join(ELEMENT_BYTES) + " |", "|---" * (len(ELEMENT_BYTES) + 1) + "|"]
    for operation in SUMMARY:
        found = [by_name.get(f"{operation}_{name}") for name in ELEMENT_BYTES]
        lines.append(f"| {operation} | " + " | ".join("" if row is None else share_text(row, gpu) for row in found) + " |")
    return "\n".join(lines)


def extremes_of(rows):
    """One line of what the kernels of a class take at most, over all architectures."""
    found = list(rows)
    return (f"| {max(row.kernel.registers for row in found)} | {max(row.kernel.stack for row in found)} "
            f"| {min(row.warps for row in found)} |")


def page_of(rows, modules):
    """The text of kernels.md."""
    classes = [f"| {name} " + extremes_of(row for (module, _), of in rows.items() if module.endswith(f"_{name}") for row in of)
               for name in (*ELEMENT_BYTES, "ONE", "ANY")]
    tables = [f"### {name}\n\n{summary_of(rows, modules, gpu)}\n" for name, gpu in GPUS.items()]
    return PAGE + "\n".join(classes) + BY_OPERATION + "\n".join(tables)


def write_pages(jobs):
    """Write native/cuda/kernels.md and kernels.csv, of all modules and the four GPUs' architectures."""
    modules = all_modules()
    rows = all_rows(ARCHS, modules, jobs)
    (KERNELS.parent / "kernels.md").write_text(page_of(rows, modules))
    (KERNELS.parent / "kernels.csv").write_text(csv_of(rows, modules))


def main(arguments):
    """Print the tables, or write the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", action="append", choices=GPUS)
    parser.add_argument("--module", action="append")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--pages", action="store_true", help="write native/cuda/kernels.md and kernels.csv instead")
    options = parser.parse_args(arguments)
    if options.pages:
        write_pages(options.jobs)
        return 0
    tables = tables_of(options.gpu or list(GPUS), options.module or all_modules(), options.jobs)
    print("\n".join(f"{name}\n\n{text_of(table)}\n" for name, table in tables.items()))
    return 0


PAGE = """# What every kernel takes, and what bounds it

Written by `python tests/nvrtc/kernel_table.py --pages` from the machine code that NVRTC of CUDA 12 makes. **Nothing here was measured on
a GPU**: these are counts, and the speeds that follow from them at best. [kernels.csv](kernels.csv) has a line for each kernel.

## How to read it

- **registers** of a thread and the threads of a block say how many **warps** a multiprocessor has room for at once; shared memory may
  leave fewer. 24 warps that load 16 bytes a thread a few times hide the time that memory takes.
- **stack** is in bytes of each thread, **local** the number of instructions that read or write it. Those for hidden axes (ANY)
  have most of it. Others have at most 80 bytes, and only `sum_*`, `extremes_narrow*`, `summarize`, `place_lines` and `place_points`.
- **bytes**, **instructions** and **float64** are of the loop that loads most: bytes that a thread loads in one step; instructions, and
  among them operations of float64 and conversions to it, for each element. Every instruction between the loop's ends counts, also
  those of seldom branches, of rows on a cell's border, and of dtypes that share a class (float8_e4m3fn and e5m2 take a third of what
  F8 has in extremes), but for loops inside. Where a branch chooses between two ways to load the same, the bytes are those of one.
- **of memory** is how near to the speed of memory that lets the loop come (88 % of the data sheet's bandwidth), and **bound by** what
  keeps it from there: the issue of instructions, or float64. It is a lower bound of what the loop could do and says nothing of waiting.
- Classes are sizes and kinds of elements (`kernels/element_classes.cuh`). ONE and ANY work elements out, from bytes of any dtype, so that
  they have no bound here.

## By class

The most registers and stack of a kernel, and the fewest resident warps, over the architectures of the four GPUs.

| class | registers | stack | warps |
|---|---|---|---|
"""
BY_OPERATION = """

## By operation

How near to the speed of memory each comes; *i*: bound by the issue of instructions, *d*: by float64; without a letter by memory.

"""

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
