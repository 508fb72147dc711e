"""Tensors of torch, CuPy, JAX and Numba on a real GPU to NumPy: wrappers, lists of scalars, raw pointers, shared memory."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import gpuplot
from gpuplot import _native

pytestmark = pytest.mark.gpu

LATE = 150_000_000  # cycles: some hundredths of a second
SHAPE = (211, 307)
HOST = np.random.default_rng(3).normal(size=SHAPE).astype("f4")


def same(on_device, on_host, **options):
    """The array that comes back is this one."""
    np.testing.assert_array_equal(gpuplot.asnumpy(on_device, **options), on_host)


# ---- torch -------------------------------------------------------------------------------------------------------------


def test_flags_and_wrappers_of_torch(torch, device):
    X = torch.asarray(HOST, device=device)
    z = torch.complex(X, X + 1)
    same(X.clone().requires_grad_() * 2, HOST * 2)
    same(torch.nn.Parameter(X), HOST)
    same(z.conj(), z.cpu().numpy().conj())
    same(z.conj().imag, -(HOST + 1))
    same(X.T[::2, 5:], HOST.T[::2, 5:])
    same(X.expand(3, *SHAPE), np.broadcast_to(HOST, (3, *SHAPE)))
    same(torch.zeros(2, 3, 4, 5, device=device).to(memory_format=torch.channels_last), np.zeros((2, 3, 4, 5)))
    with torch.inference_mode():
        same(X * 1, HOST)


@pytest.mark.parametrize("name", ["bfloat16", "float16", "float8_e4m3fn", "float8_e5m2", "uint8", "int64", "bool"])
def test_dtypes_of_torch(torch, device, name):
    X = torch.asarray(HOST, device=device).to(getattr(torch, name))
    same(X, X.to(torch.float32).cpu().numpy() if name.startswith(("bfloat", "float8")) else X.cpu().numpy())
    same(X.T, X.to(torch.float32).cpu().numpy().T if name.startswith(("bfloat", "float8")) else X.cpu().numpy().T)


def test_sparse_tensors_and_transforms_of_torch(torch, device):
    X = torch.asarray(HOST, device=device)
    same((X * (X > 1)).to_sparse(), HOST * (HOST > 1))
    same((X * (X > 1)).to_sparse_csr(), HOST * (HOST > 1))
    seen = []
    torch.func.grad(lambda x: (seen.append(gpuplot.asnumpy(x, copy=True)), (x**2).sum())[1])(X)
    np.testing.assert_array_equal(seen[0], HOST)
    with pytest.raises(gpuplot.UnsupportedError, match="torch.vmap"):
        torch.vmap(lambda row: (gpuplot.asnumpy(row), row)[1])(X)


def test_losses_of_torch(torch, device):
    losses = [torch.tensor(float(k), device=device, requires_grad=True) for k in range(500)]
    same(losses, np.arange(500))
    same([losses[:250], losses[250:]], np.arange(500).reshape(2, 250))
    same([*losses[:3], 3.5], [0, 1, 2, 3.5])
    same([loss.detach().to(torch.bfloat16) for loss in losses[:9]], np.arange(9))


def test_losses_that_are_written_late(torch, cuda):
    """One launch and one copy, after what is queued on torch's stream."""
    side = cuda.Stream()
    for stream in (cuda.current_stream(), side):
        losses = [torch.zeros((), device="cuda") for _ in range(300)]
        gpuplot.asnumpy(losses)
        cuda.synchronize()
        with cuda.stream(stream):
            cuda._sleep(LATE)
            for k, loss in enumerate(losses):
                loss.fill_(k)
            before = _native.cuda_counts(0)
            same(losses, np.arange(300))
            after = _native.cuda_counts(0)
        assert after["n_launches"] - before["n_launches"] == 1
        assert after["bytes_to_host"] - before["bytes_to_host"] == 1200


def test_a_copy_to_pinned_memory_that_is_on_its_way(torch, cuda):
    side, X = cuda.Stream(), torch.ones(2048, 1024, device="cuda")
    pinned = torch.zeros(2048, 1024, pin_memory=True)
    cuda.synchronize()
    for target in (pinned, pinned.numpy()):
        pinned.zero_()
        with cuda.stream(side):
            cuda._sleep(LATE)
            pinned.copy_(X, non_blocking=True)
        assert (gpuplot.downsample(target, (8, 8), stream=side) == 1).all()


# ---- pointers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["float32", "bfloat16", "float8_e5m2"])
def test_pointers_into_memory_of_torch(torch, cuda, name):
    X = torch.asarray(HOST, device="cuda").to(getattr(torch, name))
    P = gpuplot.from_pointer(X.data_ptr(), SHAPE, X.dtype, stream=cuda.current_stream(), owner=X)
    same(P, gpuplot.asnumpy(X))
    item = X.element_size()
    Q = gpuplot.from_pointer(X[:, -1:].data_ptr(), SHAPE, name, strides=(SHAPE[1] * item, -item))
    same(Q, gpuplot.asnumpy(X)[:, ::-1])
    if name == "float32":
        np.testing.assert_array_equal(torch.as_tensor(P, device="cuda").cpu().numpy(), HOST)


def test_pointers_that_are_none(torch, cuda):
    X = torch.zeros(4, 6, device="cuda")
    cuda.synchronize()
    with pytest.raises(gpuplot.DeviceError, match="no memory that CUDA knows.*numpy.ctypeslib"):
        gpuplot.asnumpy(gpuplot.from_pointer(HOST.ctypes.data, SHAPE, "f4"))
    with pytest.raises(gpuplot.DeviceError, match="CUDA_VISIBLE_DEVICES"):
        gpuplot.asnumpy(gpuplot.from_pointer(X.data_ptr(), (4, 6), "f4", device=63))
    with pytest.raises(gpuplot.DeviceError, match="beyond its memory"):
        gpuplot.asnumpy(gpuplot.from_pointer(X.data_ptr(), (2**34,), "f4"))
    assert (X == 0).all().item()  # nothing has broken the context


def test_pointers_into_memory_of_cupy(cupy):
    X = cupy.asarray(HOST)
    P = gpuplot.from_pointer(X.data, X.shape, X.dtype, owner=X) if hasattr(type(X.data), "__int__") else \
        gpuplot.from_pointer(X.data.ptr, X.shape, X.dtype, owner=X)
    same(P, HOST)
    np.testing.assert_array_equal(cupy.asnumpy(cupy.asarray(P)), HOST)


# ---- other libraries ---------------------------------------------------------------------------------------------------


def test_lists_of_cupy(cupy):
    same([cupy.float32(k) * cupy.ones(()) for k in range(20)], np.arange(20))
    same([cupy.asarray(HOST), cupy.asarray(HOST + 1)], np.stack([HOST, HOST + 1]))


def test_lists_of_jax(jax):
    import jax.numpy as jnp

    same([jnp.float32(k) for k in range(20)], np.arange(20))
    same([jnp.asarray(HOST), jnp.asarray(HOST + 1)], np.stack([HOST, HOST + 1]))
    X = jnp.asarray(HOST)
    X.delete()
    with pytest.raises((gpuplot.UnsupportedError, RuntimeError), match="deleted"):
        gpuplot.asnumpy(X)


def test_memory_that_numba_shares(numba_cuda):
    for make in (numba_cuda.managed_array, numba_cuda.mapped_array):
        X = make(SHAPE, np.float32)
        X[...] = HOST
        same(X, HOST)
        same(X[3:, ::2], HOST[3:, ::2])
        same(X * 2, HOST * 2)


# ---- memory and contexts that go ---------------------------------------------------------------------------------------


def run(script, **environment):
    """A program of its own: it may break the context that it uses."""
    return subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment}, check=False)


def printed(script, **environment):
    """What such a program prints."""
    done = run(script, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_expandable_segments(torch, cuda):
    """The driver tells of the addresses that torch reserves, of which few have memory behind them."""
    assert printed("""
        import torch, gpuplot
        X = torch.arange(1 << 22, device="cuda", dtype=torch.float32).view(2048, 2048)
        print(gpuplot.downsample(X, (1, 1))[0, 0] == X.double().mean().item(), (gpuplot.asnumpy(X) == X.cpu().numpy()).all())
        P = gpuplot.from_pointer(X.data_ptr(), (1 << 40,), "f4")
        try:
            gpuplot.asnumpy(P)
        except gpuplot.DeviceError as error:
            print("memory" in str(error), X.sum().item() > 0)
    """, PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True") == ["True"] * 4


def test_a_device_that_is_reset(numba_cuda):
    """numba.cuda.close ends the context with all handles and memory in it; the next one is used like the first."""
    alone = run("""
        import numpy as np
        from numba import cuda
        cuda.to_device(np.arange(12))
        cuda.close()
        cuda.to_device(np.arange(12))
    """)
    if alone.returncode != 0:
        pytest.skip(f"Numba alone has no device after a reset: {alone.stderr.strip().splitlines()[-1]}")
    assert printed("""
        import numpy as np, gpuplot
        from numba import cuda
        values = np.arange(12000, dtype="f4").reshape(120, 100)
        want = gpuplot.downsample(cuda.to_device(values), (7, 9))
        cuda.close()
        print((gpuplot.downsample(cuda.to_device(values), (7, 9)) == want).all())
    """) == ["True"]
