"""A process of its own for one contender on a device: import, first call, and the memory that both need.

The parent calls `measure`; the child runs this file with the job as JSON on its standard input. The framework that owns the
tensor is imported and has used the device before the clock starts, as in anybody's session.
"""

import json
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT_S = 90


def child(job):
    """Makes the tensor, then imports and calls; the peak is what the first call adds to it."""
    import device as devices
    import device_arrays
    import fresh

    device, reason = devices.find()
    if device is None:
        return {"error": reason}
    names = {"t": device_arrays.make_one(job["array"], job["side"], device.name, 1), "device": device.name}
    names["t"].sum()
    device.synchronize()
    free = _free(device)
    start = time.perf_counter()
    exec(job["setup"], names)
    imported = time.perf_counter()
    fresh.forget_peak()
    before = fresh.status_bytes("VmRSS")
    called = time.perf_counter()
    exec(job["line"], names)
    device.synchronize()
    end = time.perf_counter()
    return {"import_s": imported - start, "first_call_s": end - called, "cold_s": (imported - start) + (end - called),
            "host_bytes": max(0, fresh.status_bytes("VmHWM") - before),
            "device_bytes": free - _free(device) if device.is_gpu else None}


def _free(device):
    """Free bytes of the device, by the driver's word: kernels and contexts count, too."""
    if not device.is_gpu:
        return None
    import torch

    return torch.cuda.mem_get_info()[0]


def measure(case, contender, side):
    """`child` in a new process; a dict with an ``error`` where that failed."""
    job = {"array": case.array, "side": side, "setup": contender.setup, "line": contender.line}
    try:
        done = subprocess.run([sys.executable, __file__], input=json.dumps(job), capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return {"error": f"more than {LIMIT_S} s"}
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or ["no words"])[-1]}
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    print(json.dumps(child(json.load(sys.stdin))))
