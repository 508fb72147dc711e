"""A process of its own for one contender: how long import and first call take, and how much memory the call needs.

The parent calls `measure`; the child runs this file with the job as JSON on its standard input.
"""

import json
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def status_bytes(name):
    """A size of this process, such as VmRSS or VmHWM."""
    text = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)[1]) * 1024


def forget_peak():
    """Makes the peak start again from the present size, where the kernel allows it; else the array's own peak stays."""
    try:
        pathlib.Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pass


def extra_bytes(call):
    """What a call adds to the memory of this process at its peak, its result included."""
    forget_peak()
    before = status_bytes("VmRSS")
    call()
    return max(0, status_bytes("VmHWM") - before)


def child(job):
    """Makes the array, then imports and calls; the peak is what the first call adds to array and imports."""
    import arrays

    names = {"a": arrays.make(job["array"])}
    start = time.perf_counter()
    exec(job["setup"], names)
    imported = time.perf_counter()
    forget_peak()
    before = status_bytes("VmRSS")
    called = time.perf_counter()
    exec(job["line"], names)
    end = time.perf_counter()
    return {"import_s": imported - start, "first_call_s": end - called,
            "cold_s": (imported - start) + (end - called), "extra_bytes": max(0, status_bytes("VmHWM") - before)}


def measure(case, contender):
    """`child` in a new process; a dict with an ``error`` where that failed."""
    job = {"array": case.array, "setup": contender.setup, "line": contender.line}
    done = subprocess.run([sys.executable, __file__], input=json.dumps(job), capture_output=True, text=True)
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def import_seconds(before, module):
    """Seconds of ``import module`` in a new process that has imported `before` already."""
    code = (f"import sys, time\nsys.path.insert(0, {str(ROOT)!r})\n{before}\nstart = time.perf_counter()\n"
            f"import {module}\nprint(time.perf_counter() - start)")
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    print(json.dumps(child(json.load(sys.stdin))))
