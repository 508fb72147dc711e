"""Compiles the embedded kernels by the real NVRTC of NVIDIA's packages, without a GPU: every module, or a share by a seed.

usage: python tests/nvrtc/compile_kernels.py --all | --each SEED | --share SEED/N [--jobs N]
       (after: the module is built; python tests/setup/install.py nvrtc)
Each case is a libnvrtc, a module and an architecture; each is compiled as gpuplot compiles it at first use, with its options. A
line for each: library, module, architecture, seconds, bytes. A warning is a failure. The status is 1 where one failed, 2 where
nothing could be run. --share takes about one case in N, --each one case of every module: the same ones for the same seed, others
for another. --each leaves out modules that it has compiled before from the same text.
"""

import argparse
import concurrent.futures
import hashlib
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ARCHS = (75, 80, 86, 89, 90)
NEW_ARCHS = (100, 120)  # of NVRTC 12.8 and newer
PACKAGES = {"nvidia/cuda_nvrtc/lib/libnvrtc.so.12": "nvidia-cuda-nvrtc-cu12", "nvidia/cu13/lib/libnvrtc.so.13": "nvidia-cuda-nvrtc"}


class NothingToRun(Exception):
    """What is missing, and how to get it."""


def find_libraries():
    """{(major, minor): path} of the libraries in the packages of this environment."""
    libraries = {}
    for folder in map(Path, sys.path):
        for name in PACKAGES:
            if (folder / name).is_file():
                [builtins] = (folder / name).parent.glob("libnvrtc-builtins.so.*")
                major, minor = re.search(r"\.so\.(\d+)\.(\d+)$", builtins.name).groups()
                libraries.setdefault((int(major), int(minor)), folder / name)
    missing = [package for name, package in PACKAGES.items() if not any(str(path).endswith(name) for path in libraries.values())]
    if missing:
        raise NothingToRun(f"no {' and no '.join(missing)}: {sys.executable} -m pip install {' '.join(missing)}")
    return libraries


def build_program(folder=None, name="compile_kernels"):
    """The path of a C program of the build, this one or `make_images`, built beside the module."""
    folder = folder or ROOT / "build" / sys.implementation.cache_tag
    if not (folder / "CMakeCache.txt").exists():
        raise NothingToRun(f"no {folder.relative_to(ROOT)}: make build")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(["cmake", "--build", folder, "--target", name], capture_output=True, text=True, check=False,
                          env=environment)
    if done.returncode != 0:
        raise NothingToRun(f"the program {name} was not built:\n{done.stdout}{done.stderr}")
    return folder / name


def kept_folder():
    """Where builds and tests keep compiled kernels by their text, as tests/setup/caches.sh has it."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("GPUPLOT_KERNEL_CACHE") or Path(cache, "gpuplot", "kernels"))


def split_module(module):
    """(kind, class) of a module's name, such as ("reduce", "F32") or ("shade", "")."""
    kind, _, name = module.rpartition("_")
    return (kind, name) if name.isupper() else (module, "")


def all_cases(program, versions):
    """(version, module, architecture) of everything that is to be compiled."""
    modules = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout.split()
    return [(version, module, arch) for version in sorted(versions) for module in modules
            for arch in (*ARCHS, *(NEW_ARCHS if version >= (12, 8) else ()))]


def share_of(cases, text):
    """About one case in N for SEED/N, of every library at least one."""
    match = re.fullmatch(r"(\w+)/(\d+)", text)
    if match is None or int(match[2]) < 1:
        raise NothingToRun(f"--share {text}: give SEED/N, such as 1234/60")
    chance = random.Random(match[1])
    chosen = []
    for version in sorted({version for version, _, _ in cases}):
        own = [case for case in cases if case[0] == version]
        chosen += chance.sample(own, max(1, round(len(own) / int(match[2]))))
    return chosen


def each_module(cases, seed):
    """One case of every module, its library and architecture chosen by the seed."""
    chance = random.Random(seed)
    return [chance.choice([case for case in cases if case[1] == module]) for module in dict.fromkeys(module for _, module, _ in cases)]


def mark_of(program, module):
    """A file that stands for this text of a module, and the way it is compiled; it is there once that went well."""
    kind, name = split_module(module)
    texts = (program.parent / "kernels" / f"{kind}.cu", ROOT / "native" / "cuda" / "runtime" / "nvrtc.c", Path(__file__).with_suffix(".c"))
    key = hashlib.sha256(name.encode() + b"".join(text.read_bytes() for text in texts)).hexdigest()[:24]
    return kept_folder() / "checked" / f"{module}-{key}.kernels"


def compile_case(program, library, module, arch, source=None):
    """(is it right, what to print) for one case; ``source`` is a file whose text stands for the module's."""
    command = [program, *(["--source", source] if source else []), f"{module}:{arch}"]
    with tempfile.TemporaryDirectory() as cache:  # gpuplot keeps what it compiles: not among the user's
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              env={**os.environ, "GPUPLOT_NVRTC": str(library), "XDG_CACHE_HOME": cache})
    return done.returncode == 0, (done.stdout + done.stderr if done.returncode else done.stdout).strip()


def compile_all(program, libraries, cases, jobs):
    """Compile the cases, print a line for each as it ends, mark modules that were compiled, and return the number of cases that failed."""
    n_failed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(compile_case, program, libraries[case[0]], *case[1:]): case for case in cases}
        for future in concurrent.futures.as_completed(running):
            version, module, _ = running[future]
            is_right, words = future.result()
            n_failed += not is_right
            print("  NVRTC {}.{}".format(*version), words, "" if is_right else " FAILED", flush=True)
            if is_right:
                mark = mark_of(program, module)
                mark.parent.mkdir(parents=True, exist_ok=True)
                mark.write_text(f"{words}\n")
    return n_failed


def main(arguments):
    """Run what the arguments ask for, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--all", action="store_true", help="every library, module and architecture")
    what.add_argument("--share", metavar="SEED/N", help="about one case in N, chosen by the seed")
    what.add_argument("--each", metavar="SEED", help="every module once, for a library and an architecture chosen by the seed")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="compilers at a time; default: the cores")
    options = parser.parse_args(arguments)
    start = time.monotonic()
    try:
        libraries, program = find_libraries(), build_program()
        cases = all_cases(program, libraries)
        chosen = cases if options.all else each_module(cases, options.each) if options.each else share_of(cases, options.share)
        if options.each:
            chosen = [case for case in chosen if not mark_of(program, case[1]).exists()]
    except NothingToRun as reason:
        print(f"not run: {reason}", file=sys.stderr)
        return 2
    how = "all" if options.all else f"--each {options.each}" if options.each else f"--share {options.share}"
    kept = len(each_module(cases, options.each)) - len(chosen) if options.each else 0
    print(f"{len(chosen)} of {len(cases)} cases, {how}{f'; {kept} modules were compiled before' if kept else ''}", flush=True)
    n_failed = compile_all(program, libraries, chosen, options.jobs)
    print(f"{len(chosen) - n_failed} compiled, {n_failed} failed, in {time.monotonic() - start:.0f} s")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
