"""Arrays of CuPy, JAX and Numba on a real GPU: their dtypes, layouts, allocators and managed memory."""

import numpy as np
import pytest
from gpu import comparing

pytestmark = pytest.mark.gpu

DTYPES = ("bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64",
          "complex64", "complex128")


def made(name, shape=(211, 307)):
    """A NumPy array, the same for the same shape and dtype."""
    rng = np.random.default_rng(3)
    if name == "bool":
        return rng.random(shape) < 0.5
    if name.startswith(("int", "uint")):
        return rng.integers(0 if name[0] == "u" else -100, 100, shape).astype(name)
    return (rng.normal(size=shape) + (1j * rng.normal(size=shape) if name.startswith("complex") else 0)).astype(name)


@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype_of_cupy(cupy, name):
    host = made(name)
    for agg in ("mean", "max", "nearest"):
        comparing.check_cells(cupy.asarray(host), host, agg=agg)


@pytest.mark.parametrize("layout", [
    lambda a: a.T, lambda a: a[::-1], lambda a: a[:, ::-1], lambda a: a[::-2, ::-3], lambda a: a[3:, 7:], lambda a: a[:0],
    lambda a: a.reshape(-1)[::5],
], ids=["transposed", "upside down", "reversed", "reversed and strided", "from somewhere", "nothing", "flat and strided"])
def test_layouts_of_cupy(cupy, layout):
    host = made("float32")
    comparing.check_cells(layout(cupy.asarray(host)), layout(host))
    comparing.check_cells(layout(cupy.asarray(host)), layout(host), agg="max")


def test_broadcast_array_of_cupy(cupy):
    host = made("float32")
    comparing.check_cells(cupy.broadcast_to(cupy.asarray(host[0]), (500, 307)), np.broadcast_to(host[0], (500, 307)))


def test_managed_memory(cupy):
    host = made("float32")
    pool = cupy.cuda.MemoryPool(cupy.cuda.malloc_managed)
    with cupy.cuda.using_allocator(pool.malloc):
        array = cupy.asarray(host)
    comparing.check_cells(array, host)


def test_memory_of_a_stream_ordered_pool(cupy):
    try:
        pool = cupy.cuda.MemoryAsyncPool()
    except (AttributeError, RuntimeError) as reason:
        pytest.skip(f"no stream-ordered memory: {reason}")
    host = made("float64")
    with cupy.cuda.using_allocator(pool.malloc):
        array = cupy.asarray(host)
    comparing.check_cells(array, host)
    del array


def test_the_array_interface_alone(cupy):
    """A library without DLPack, as Numba and PyCUDA are."""
    host = made("float32")
    array = cupy.asarray(host)

    class OnlyInterface:
        __cuda_array_interface__ = array.__cuda_array_interface__

    comparing.check_cells(OnlyInterface(), host)


JAX_DTYPES = ("bool", "uint8", "int32", "float16", "bfloat16", "float32", "float8_e4m3fn", "float8_e5m2", "complex64")


@pytest.mark.parametrize("name", JAX_DTYPES)
def test_every_dtype_of_jax(jax, name):
    import jax.numpy as jnp

    dtype = getattr(jnp, "bool_" if name == "bool" else name, None)
    if dtype is None:
        pytest.skip(f"this JAX has no {name}")
    host = made("complex64" if name == "complex64" else "float32")
    array = jnp.asarray(host).astype(dtype)
    want = np.asarray(array) if name in ("bool", "uint8", "int32", "float16", "float32", "complex64") else \
        np.asarray(array.astype("float32"))
    for agg in ("mean", "max"):
        comparing.check_cells(array, want, agg=agg)


def test_pending_work_of_jax_is_waited_for(jax):
    import jax.numpy as jnp

    big = jnp.ones((4000, 4000))
    product = jax.jit(lambda a: a @ a @ a * 1e-7)
    product(big).block_until_ready()
    result = product(big)
    comparing.check_cells(result, np.asarray(product(big)))


def test_arrays_of_numba(numba_cuda):
    host = made("float32")
    comparing.check_cells(numba_cuda.to_device(host), host)
    comparing.check_cells(numba_cuda.to_device(np.asfortranarray(host)), host, agg="max")
    stream = numba_cuda.stream()
    comparing.check_cells(numba_cuda.to_device(host, stream=stream), host, stream=stream)


def test_a_labelled_array_over_cupy(cupy):
    xarray = pytest.importorskip("xarray")
    host = made("float32")
    on_device, on_host = (xarray.DataArray(array, dims=("y", "x")) for array in (cupy.asarray(host), host))
    comparing.check_cells(on_device, on_host, x="x", y="y")
