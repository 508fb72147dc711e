"""Install groups of the dependencies in pyproject.toml into the running environment, once for each set of requirements."""

import hashlib
import importlib.metadata
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import time
import tomllib

from uv_install import uv_install

ROOT = pathlib.Path(__file__).resolve().parents[2]
MINIMUM_CMAKE = (3, 20)
TORCH = "2.13.0"
# Modules are compiled when they are first imported: most never are, and compiling all takes as long as installing them.
INSTALL = ["install", "--quiet", "--no-compile"]
# What everybody needs, on machines of which nothing is known, is pip's.
BARE = {"core", "build"}
# Packages of these groups that cannot be installed are left out, each with a line: only their own tests need them.
WHAT_THERE_IS = {"frameworks", "files", "browser", "hosts", "fuzz", "nvrtc"}


def pip(*arguments, **options):
    """Run this environment's pip."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]
    return subprocess.run(command, text=True, **options)


def system_cmake_is_enough():
    """Whether a cmake outside the environment is new enough to build the native layer."""
    cmake = shutil.which("cmake")
    if cmake is None:
        return False
    words = subprocess.run([cmake, "--version"], capture_output=True, text=True).stdout
    version = re.search(r"version (\d+)\.(\d+)", words)
    return version is not None and tuple(map(int, version.groups())) >= MINIMUM_CMAKE


def build_tools():
    """The build tools that the system lacks, as packages; a copy in the environment counts as lacking."""
    ours = pathlib.Path(sys.executable).parent
    tools = []
    if (ours / "cmake").exists() or not system_cmake_is_enough():
        tools.append("cmake>=3.20")
    if (ours / "ninja").exists() or shutil.which("ninja") is None:
        tools.append("ninja")
    return tools


def cpu_torch():
    """Torch's CPU build as a list of requirements, empty with a printed reason where it is not at hand.

    On Linux the plain wheels bring CUDA libraries of several gigabytes, so only a build that pip lists
    as `+cpu` counts (from a folder or index in pip's own configuration).
    """
    try:
        importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        pass
    else:
        return []
    listing = pip("index", "versions", "torch", capture_output=True).stdout
    if sys.platform == "linux" and f"{TORCH}+cpu" not in listing:
        print(f"no torch: pip finds no CPU build of {TORCH} (torch=={TORCH}+cpu); its tests are skipped")
        return []
    return [f"torch=={TORCH}"]


def requirements_of(group):
    """The requirement strings of one group; `core` is what the package itself needs."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())
    if group == "core":
        return table["project"]["dependencies"]
    groups = table["project"]["optional-dependencies"] | table["dependency-groups"]
    requirements = list(groups[group])
    if group == "build":
        requirements += build_tools()
    if group == "frameworks":
        requirements += cpu_torch()
    return requirements


def install(group):
    """Install a group unless its stamp says that these very requirements are in."""
    requirements = requirements_of(group)
    stamp = pathlib.Path(sys.prefix) / f"installed-{group}"
    key = hashlib.sha256("\n".join([sys.version, *requirements]).encode()).hexdigest()
    if stamp.exists() and stamp.read_text() == key:
        return
    stamp.unlink(missing_ok=True)
    print("installing", *requirements, flush=True)
    start = time.monotonic()
    if group not in BARE and uv_install(pip, requirements):
        is_complete = True
    elif group in WHAT_THERE_IS:
        is_complete = install_what_there_is(requirements)
    elif pip(*INSTALL, "--prefer-binary", *requirements).returncode != 0:
        sys.exit(f"pip could not install {' '.join(requirements)}: see its message above; is there a network?")
    else:
        is_complete = True
    if is_complete:
        stamp.write_text(key)
    print(f"  done in {time.monotonic() - start:.0f} s", flush=True)


def install_what_there_is(requirements):
    """Install all that have a wheel for this Python: all at once, or one by one where that fails.

    Returns
    -------
    bool
        False where something failed for another reason, and is worth another attempt.
    """
    arguments = [*INSTALL, "--only-binary", ":all:"]
    if pip(*arguments, *requirements, capture_output=True).returncode == 0:
        return True
    attempts = {requirement: pip(*arguments, requirement, capture_output=True) for requirement in requirements}
    failed = {requirement: done.stderr for requirement, done in attempts.items() if done.returncode != 0}
    if len(failed) == len(requirements):
        print(*failed.values(), sep="\n", file=sys.stderr)
        sys.exit(f"pip could not install {' '.join(requirements)}: see its messages above; is there a network?")
    for requirement, message in failed.items():
        errors = [line for line in message.splitlines() if line.startswith("ERROR")] or message.splitlines() or [""]
        print(f"no {requirement.partition(';')[0]}: {errors[-1].strip()}; its tests are skipped")
    return all("No matching distribution" in message for message in failed.values())


def link_tree():
    """Make the tree's own package importable from any folder; the module is built into it in place."""
    link = pathlib.Path(sysconfig.get_path("purelib")) / "gpuplot-tree.pth"
    if not link.exists() or link.read_text() != f"{ROOT}\n":
        link.write_text(f"{ROOT}\n")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        install(name)
    link_tree()
