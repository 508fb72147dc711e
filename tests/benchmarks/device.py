"""The device that benchmarks run on: torch's CUDA, or the CPU in its place for a rehearsal; times, memory, kernels."""

import ctypes
import os
import time

import fresh

WARM_CALLS = 3
PROFILED_CALLS = 5


def find():
    """``(Device, "")``, or ``(None, reason)`` where there is nothing to measure on."""
    try:
        import torch
    except ImportError:
        return None, "torch is not installed"
    if os.environ.get("GPUPLOT_REHEARSAL"):
        return Device("cpu"), ""
    if not torch.cuda.is_available():
        return None, "torch finds no CUDA device" if torch.version.cuda else "this torch is built for the CPU"
    return Device("cuda"), ""


class Device:
    """Where inputs are made. On the stand-in everything runs, and what only a GPU has is None."""

    def __init__(self, name):
        import torch

        self.name, self._torch = name, torch
        self.is_gpu = name == "cuda"

    def synchronize(self):
        """Waits for everything that was queued."""
        if self.is_gpu:
            self._torch.cuda.synchronize()

    def facts(self):
        """What the table's head says."""
        if not self.is_gpu:
            return {"name": "no GPU: a rehearsal on the CPU"}
        properties = self._torch.cuda.get_device_properties(0)
        return {"name": properties.name, "bytes": properties.total_memory, "n_processors": properties.multi_processor_count,
                "cuda": self._torch.version.cuda, "l2_bytes": self.l2_bytes()}

    def l2_bytes(self):
        """The size of the last cache; what is not known counts as 64 MB."""
        if not self.is_gpu:
            return 1 << 20
        return getattr(self._torch.cuda.get_device_properties(0), "L2_cache_size", 0) or 64 << 20

    # ---- memory -----------------------------------------------------------------------------------------------------

    def memory_of(self, call):
        """What one call needs at its peak on top of what there was: ``(bytes of the device or None, of the host, seconds)``."""
        self.synchronize()
        before = self._held() if self.is_gpu else None
        fresh.forget_peak()
        resident, start = fresh.status_bytes("VmRSS"), time.perf_counter()
        call()
        self.synchronize()
        seconds = time.perf_counter() - start
        host = max(0, fresh.status_bytes("VmHWM") - resident)
        return (self._grown(before) if self.is_gpu else None), host, seconds

    def _held(self):
        cuda = self._torch.cuda
        cuda.empty_cache()
        cuda.reset_peak_memory_stats()
        return cuda.memory_allocated(), cuda.memory_reserved(), cuda.mem_get_info()[0]

    def _grown(self, before):
        """Torch's own peak, and what others took and kept."""
        cuda = self._torch.cuda
        allocated, reserved, free = before
        by_others = (free - cuda.mem_get_info()[0]) - (cuda.memory_reserved() - reserved)
        return cuda.max_memory_allocated() - allocated + max(0, by_others)

    def held_by_gpuplot(self):
        """Bytes of device memory that gpuplot keeps for its next call, or None."""
        from gpuplot import _native

        if not self.is_gpu:
            return None
        counts = _native.cuda_counts(0)
        return counts["scratch_bytes"] + counts["cached_cells_bytes"]

    # ---- kernels ----------------------------------------------------------------------------------------------------

    def kernels_of(self, call):
        """Seconds that the kernels of one call take, each by name, and its copies; None where nobody can tell.

        Events on torch's stream would not see gpuplot's, which is its own; the profiler sees all streams.
        """
        if not self.is_gpu:
            return None
        from torch.autograd import DeviceType
        from torch.profiler import ProfilerActivity, profile

        with profile(activities=[ProfilerActivity.CUDA]) as profiler:
            for _ in range(PROFILED_CALLS):
                call()
            self.synchronize()
        kernels, copies = {}, 0.0
        for event in profiler.events():
            if event.device_type != DeviceType.CUDA or event.name.startswith(("ProfilerStep", "gpu_")):
                continue
            seconds = event.time_range.elapsed_us() / 1e6 / PROFILED_CALLS
            if event.name.lower().startswith(("memcpy", "memset")):
                copies += seconds
            else:
                kernels[event.name] = kernels.get(event.name, 0.0) + seconds
        return {"kernels": kernels, "copies_s": copies} if kernels else None


class Light:
    """How fast so many bytes can be read at all: CUB's sum where tests/gpu/run has built it, else torch's."""

    def __init__(self, device):
        import torch

        self._device, self._torch = device, torch
        path = os.environ.get("GPUPLOT_SPEED_OF_LIGHT", "")
        self._library = ctypes.CDLL(path) if device.is_gpu and os.path.exists(path) else None
        self.name = "cub::DeviceReduce::Sum" if self._library else "torch.sum"
        if self._library:
            self._library.speed_of_light_prepare.argtypes = [ctypes.c_size_t]
            self._library.speed_of_light_milliseconds.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
            self._library.speed_of_light_milliseconds.restype = ctypes.c_float

    def measure(self, tensors, n_rounds=20):
        """``{"name", "n_bytes", "times", "gb_s"}`` over the bytes of contiguous tensors, in turns."""
        floats = [tensor.reshape(-1).view(self._torch.uint8).view(self._torch.float32) for tensor in tensors]
        n_bytes = 4 * floats[0].numel()
        one = self._by_cub if self._library else self._by_torch
        if self._library and self._library.speed_of_light_prepare(floats[0].numel()):
            raise RuntimeError("the speed of light: no memory for CUB's sum")
        times = [one(floats[i % len(floats)]) for i in range(WARM_CALLS + n_rounds)][WARM_CALLS:]
        middle = sorted(times)[len(times) // 2]
        return {"name": self.name, "n_bytes": n_bytes, "times": times, "gb_s": n_bytes / middle / 1e9}

    def _by_cub(self, floats):
        milliseconds = self._library.speed_of_light_milliseconds(floats.data_ptr(), floats.numel())
        if milliseconds < 0:
            raise RuntimeError(f"the speed of light: CUDA error {-milliseconds:.0f}")
        return milliseconds / 1e3

    def _by_torch(self, floats):
        if not self._device.is_gpu:
            start = time.perf_counter()
            floats.sum()
            return max(time.perf_counter() - start, 1e-9)
        begin, end = (self._torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        floats.sum()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / 1e3
