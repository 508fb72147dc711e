"""The rows of a GPU about NumPy arrays: gpuplot.asnumpy and the documented way of each library, into the host's memory."""

from cases_device import TORCH, DeviceCase
from contenders import Contender

NUMPY = "import numpy as np\n"
# Memory that has been written to before, so that no page of it is new to the process.
TOUCHED = NUMPY + "out = np.empty(tuple(t.shape), np.float32)\nout.fill(0)\n"
PINNED = TORCH + "\np = torch.empty(t.shape, dtype=t.dtype, pin_memory=device == 'cuda')"
MAPPED = NUMPY + ("import os, tempfile\n"
                  "out = np.memmap(os.path.join(tempfile.mkdtemp(), 'a.raw'), np.float32, 'w+', shape=tuple(t.shape))\n"
                  "out.fill(0)\n")
LOSSES = TORCH + "\nimport numpy as np\nlosses = list(t.reshape(-1)[:1000])"


def ours(options="", setup="", subject="t", result="r"):
    """`gpuplot.asnumpy`."""
    line = f"gpuplot.asnumpy({subject}{options})"
    return Contender("gpuplot.asnumpy", line if result == "out" else f"r = {line}", f"{setup}\nimport gpuplot", ("gpuplot",), array=result)


def of_torch(line, note="", setup=""):
    return Contender(line, f"r = {line}", f"{TORCH}\n{NUMPY}{setup}", ("torch",), array="r", note=note)


def of_cupy(line, note=""):
    return Contender(line, f"r = {line}", "import cupy", ("cupy",), array="r", note=note)


def of_numba(note=""):
    return Contender("as_cuda_array(t).copy_to_host()", "r = cuda.as_cuda_array(t).copy_to_host()", "from numba import cuda",
                     ("numba",), array="r", note=note)


def case(name, array, mine, others, bounds=None, **facts):
    """A row, the results of which are compared element by element."""
    return DeviceCase(f"asnumpy, {name}", array, mine, tuple(others), (), bounds or {}, reads_all=False, **facts)


COPY = "t.cpu().numpy()"
GATHERED = "t.contiguous().cpu().numpy()"
IN_CUPY = "cupy.asnumpy(cupy.from_dlpack(t))"


def bandwidth_cases():
    """As much as the bus allows: into memory that is there already, and into new memory."""
    pinned = Contender("copy into pinned memory", "p.copy_(t)", PINNED, ("torch",), array="p.numpy()",
                       note="what the bus allows; the tensor's own copy as large as it is, pinned before")
    pageable = Contender("copy into the same memory", "torch.from_numpy(out).copy_(t)", TORCH + "\n" + TOUCHED, ("torch",), array="out")
    return [
        case("4 GiB into out=", "4 GiB", ours(", out=out", TOUCHED, result="out"), (pinned, pageable),
             {"copy into pinned memory": 1 / 0.9}, is_quick=True),
        case("float32", "float32", ours(), (of_torch(COPY), of_cupy(IN_CUPY), of_numba()),
             {COPY: 1.0, IN_CUPY: 1.0, of_numba().name: 1.0}, is_quick=True, is_headline=True),
        case("float32, 256 MB", "half", ours(), (of_torch(COPY), of_cupy(IN_CUPY), of_numba()), {COPY: 1.0}, is_quick=True)]


def layout_cases():
    """Elements that lie in another order."""
    note = "a whole copy on the device"
    return [
        case("transposed", "transposed", ours(), (
            of_torch(GATHERED, note), of_torch("np.ascontiguousarray(t.cpu().numpy())"), of_cupy(IN_CUPY)), {GATHERED: 1.0},
            is_quick=True),
        case("every second row", "sliced", ours(), (of_torch(COPY, note), of_cupy(IN_CUPY, note), of_numba()), {COPY: 1.0}),
        case("channels last", "channels last", ours(), (of_torch(GATHERED, note),), {GATHERED: 1.0}, is_quick=True)]


def dtype_cases():
    """Dtypes that NumPy lacks, and casts."""
    return [
        case("bfloat16", "bfloat16", ours(), (
            of_torch("t.float().cpu().numpy()", "twice as large on the device"), of_torch("t.cpu().float().numpy()")),
            {"t.float().cpu().numpy()": 1.0}, is_quick=True),
        case("float32 as float16", "float32", ours(', "float16"'), (
            of_torch("t.half().cpu().numpy()"), of_torch("t.cpu().numpy().astype(np.float16)"))),
        case("int32 as int64", "int32", ours(', "int64"'), (
            of_torch("t.cpu().numpy().astype(int)"), of_torch("t.long().cpu().numpy()", "twice as large on the device")))]


def other_cases():
    """A file, and a list of losses."""
    loop = Contender("chunks in a loop", "for i in range(0, len(t), 1024):\n    out[i:i + 1024] = t[i:i + 1024].cpu().numpy()",
                     TORCH + "\n" + MAPPED, ("torch",), array="out", note="waits after each chunk")
    return [
        case("into a memmap", "float32", ours(", out=out", MAPPED, result="out"), (loop,), {"chunks in a loop": 1.0}),
        case("1000 losses in a list", "small", ours("", LOSSES, "losses"), (
            of_torch("torch.stack(losses).cpu().numpy()", setup="losses = list(t.reshape(-1)[:1000])"),
            of_torch("np.array([x.item() for x in losses], np.float32)", setup="losses = list(t.reshape(-1)[:1000])")))]


def all_cases():
    """Every row about conversions of tensors on the device."""
    return [*bandwidth_cases(), *layout_cases(), *dtype_cases(), *other_cases()]
