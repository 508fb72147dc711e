"""Available host memory: of the machine, and of the control groups (cgroups) of a container or batch job."""

import contextlib
from pathlib import Path

from ..errors import size_text

# Smaller results are not checked.
SMALL_BYTES = 32 * 2**20

_PROC, _CGROUP = Path("/proc"), Path("/sys/fs/cgroup")

_ADVICE = ("write it to a file, with out=numpy.lib.format.open_memmap('X.npy', 'w+', dtype, shape), or to an existing array, or take "
           "a part of it")


def check_room(n_bytes, what, advice=_ADVICE):
    """MemoryError if so many bytes are not available; `what` is their name in the message, and `advice` what to do instead."""
    if n_bytes < SMALL_BYTES:
        return
    available = available_bytes()
    if available is not None and n_bytes > available:
        raise MemoryError(f"{what} takes {size_text(n_bytes)} and {size_text(available)} of host memory are available: {advice}")


def available_bytes():
    """Bytes available without swapping: the least that the machine and the control groups have left; None if unknown."""
    limits = [n for n in (_of_machine(), *_of_groups()) if n is not None]
    return min(limits) if limits else None


def _of_machine():
    for line in _read(_PROC / "meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            return _number(line.split()[1], 1024)
    return None


def _of_groups():
    """Yields the bytes left, or None, of each group from this process's to the root, for both versions of cgroups."""
    for line in _read(_PROC / "self" / "cgroup").splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        if not controllers:
            yield from (_left(folder, "memory.max", "memory.current") for folder in _upwards(_CGROUP, path))
        elif "memory" in controllers.split(","):
            folders = _upwards(_CGROUP / "memory", path)
            yield from (_left(folder, "memory.limit_in_bytes", "memory.usage_in_bytes") for folder in folders)


def _upwards(root, path):
    """Yields the folders from a group to the root. In a container the root may be the group itself, without the path's folders."""
    folder = root / path.lstrip("/")
    while folder != root and root in folder.parents:
        yield folder
        folder = folder.parent
    yield root


def _left(folder, limit_name, usage_name):
    """Limit minus usage, without the file pages that the kernel can drop; None without a limit."""
    limit, usage = (_number(_read(folder / name)) for name in (limit_name, usage_name))
    if limit is None or usage is None:
        return None
    pages = dict(line.split()[:2] for line in _read(folder / "memory.stat").splitlines() if len(line.split()) >= 2)
    # Version 1 has "total_" counts, which include subgroups.
    droppable = sum(_number(pages.get(f"total_{name}", pages.get(name, ""))) or 0 for name in ("active_file", "inactive_file"))
    return max(0, limit - max(0, usage - droppable))


def _read(path):
    with contextlib.suppress(OSError, ValueError):
        return path.read_text()
    return ""


def _number(text, unit=1):
    text = text.strip()
    return int(text) * unit if text.isdigit() else None
