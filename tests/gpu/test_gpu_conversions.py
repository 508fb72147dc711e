"""NumPy arrays from a real GPU: bit for bit as from the host, with little memory, after late writes, and beside drawing."""

import threading

import numpy as np
import pytest

import gpuplot
from gpuplot import _native

pytestmark = pytest.mark.gpu

BUDGET_BYTES = 64 << 20
# Enough elements for chunks in every dtype; odd, so that chunks end anywhere.
SHAPE = (1501, 1203)
LATE = 150_000_000
FLOAT8 = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu")
DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
          "complex128", *FLOAT8)
LAYOUTS = {
    "contiguous": lambda x: x, "transposed": lambda x: x.T, "every second row": lambda x: x[::2], "columns": lambda x: x[:, 5::3],
    "inner axes": lambda x: x[:1500].reshape(50, 30, 1203).permute(1, 2, 0), "expanded": lambda x: x[:1].expand(900, 1203),
}


def random_bits(torch, name):
    """A host tensor of whatever bits, NaNs of every kind among them."""
    dtype = getattr(torch, name, None)
    if dtype is None:
        pytest.skip(f"this torch has no {name}")
    size = torch.empty(0, dtype=dtype).element_size()
    n_bytes = SHAPE[0] * SHAPE[1] * size
    raw = np.random.default_rng(1).integers(0, 2 if name == "bool" else 256, n_bytes, dtype=np.uint8)
    return torch.from_numpy(raw).view(dtype).reshape(SHAPE)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", DTYPES)
def test_the_same_bits_as_from_the_host(torch, device, name, layout):
    host = random_bits(torch, name)
    there = LAYOUTS[layout](host.to(device))
    here = LAYOUTS[layout](host)
    for dtype in (None, "complex128" if name.startswith("complex") else "float64"):
        got, want = gpuplot.asnumpy(there, dtype, order="C"), gpuplot.asnumpy(here, dtype, order="C")
        assert got.dtype == want.dtype
        assert got.tobytes() == want.tobytes()


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64", "int64", "uint8"])
def test_casts_round_as_on_the_host(torch, device, name):
    host = random_bits(torch, name)
    there = host.to(device)
    for dtype in ("float16", "float32", "float64", "int8", "uint16", "int64", "bool", "complex64"):
        got, want = gpuplot.asnumpy(there, dtype), gpuplot.asnumpy(host, dtype)
        assert got.tobytes() == want.tobytes(), dtype


def test_out_of_any_layout(torch, device):
    host = torch.randn(SHAPE)
    there = host.to(device)
    for out in (np.empty(SHAPE, np.float32), np.empty(SHAPE[::-1], np.float32).T, np.empty((SHAPE[0], 2, SHAPE[1]), np.float64)[:, 1]):
        assert gpuplot.asnumpy(there, out=out) is out
        assert (out == host.numpy()).all()


def test_a_late_write_is_seen(torch, cuda):
    tensor = torch.zeros(SHAPE, device="cuda")
    for make in (lambda: tensor, lambda: tensor.T):
        tensor.zero_()
        cuda.synchronize()
        cuda._sleep(LATE)
        tensor.fill_(1)
        assert (gpuplot.asnumpy(make()) == 1).all()


def test_pinned_memory_of_others_is_written_at_once(torch, cuda):
    tensor, pinned = torch.randn(SHAPE, device="cuda").T, torch.empty(SHAPE[::-1], pin_memory=True)
    gpuplot.asnumpy(tensor, out=pinned.numpy())
    before = _native.cuda_counts(0)
    gpuplot.asnumpy(tensor, out=pinned.numpy())
    after = _native.cuda_counts(0)
    assert (pinned == tensor.cpu()).all()
    assert after["n_pinned_allocs"] == before["n_pinned_allocs"]
    assert after["bytes_to_host"] - before["bytes_to_host"] == pinned.numel() * 4


@pytest.fixture
def large(torch, cuda):
    """Half a gigabyte of bfloat16, a gigabyte as float32."""
    tensor = torch.randn(16384, 16384, device="cuda", dtype=torch.bfloat16)
    cuda.synchronize()
    yield tensor
    del tensor
    cuda.empty_cache()


def test_a_gigabyte_takes_little_of_the_device(cuda, large):
    out = np.empty(large.shape, np.float32)
    gpuplot.asnumpy(large.T[:99], out=out[:99])
    allocated, free = cuda.memory_allocated(), cuda.mem_get_info()[0]
    cuda.reset_peak_memory_stats()
    gpuplot.asnumpy(large.T, out=out)
    counts = _native.cuda_counts(0)
    assert free - cuda.mem_get_info()[0] <= BUDGET_BYTES
    assert cuda.max_memory_allocated() == allocated, "torch was made to allocate"
    assert counts["scratch_bytes"] + counts["cached_cells_bytes"] <= BUDGET_BYTES
    assert (out[::1000] == large.T[::1000].float().cpu().numpy()).all()


def test_nothing_is_allocated_when_warm(large):
    out = np.empty(large.shape, np.float32)
    gpuplot.asnumpy(large, out=out)
    before = _native.cuda_counts(0)
    gpuplot.asnumpy(large, out=out)
    after = _native.cuda_counts(0)
    for name in ("n_device_allocs", "n_pinned_allocs", "device_bytes", "pinned_bytes"):
        assert after[name] == before[name], name
    assert after["bytes_to_host"] - before["bytes_to_host"] == out.nbytes


def test_pictures_are_drawn_meanwhile(large):
    out, n_draws = np.empty(large.shape, np.float32), 0
    want = gpuplot.to_rgba(large, (50, 60), vmin=-3, vmax=3)
    transfer = gpuplot.asnumpy(large, out=out, blocking=False)
    while not transfer.done():
        assert (gpuplot.to_rgba(large, (50, 60), vmin=-3, vmax=3) == want).all()
        n_draws += not transfer.done()
    assert transfer.result() is out
    assert n_draws >= 2
    assert (out[::1000] == large[::1000].float().cpu().numpy()).all()


def test_a_transfer_that_is_stopped_leaves_nothing_behind(large):
    class Stopped(Exception):
        pass

    def stop(n_done, n_all):
        raise Stopped

    out = np.full(large.shape, 7, np.float32)
    with pytest.raises(Stopped):
        gpuplot.asnumpy(large, out=out, progress=stop)
    assert (out[-1] == 7).all()
    assert (gpuplot.asnumpy(large[:100]) == large[:100].float().cpu().numpy()).all()


def test_threads_convert_at_the_same_time(torch, cuda):
    tensors = [torch.full((3000, 1000), float(k), device="cuda") for k in range(6)]
    cuda.synchronize()
    wrong = []

    def convert(k):
        tensor = tensors[k].T if k % 2 else tensors[k]
        wrong.extend(k for _ in range(5) if not (gpuplot.asnumpy(tensor, "float64") == k).all())

    threads = [threading.Thread(target=convert, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
