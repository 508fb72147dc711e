"""Every kind of object through every function: the result equals that for a NumPy array of the same numbers."""

import array
import ctypes
import io
import itertools

import libraries_on_the_cpu
import matplotlib.pyplot as plt
import numpy as np
import pytest

import gpuplot

pytestmark = pytest.mark.host("objects of libraries on the host")

VALUES = np.arange(24, dtype="float32").reshape(4, 6)


def library(name):
    """A library, on the CPU where it is one that takes the first GPU it finds."""
    module = pytest.importorskip(name)
    if name.startswith("jax"):
        libraries_on_the_cpu.jax()
    if name == "tensorflow":
        libraries_on_the_cpu.tensorflow()
    return module


class Exporting:
    """Somebody's array with one protocol."""

    def __init__(self, values, protocol):
        self.values = values
        if protocol == "interface":
            self.__array_interface__ = values.__array_interface__

    def __len__(self):
        return len(self.values)


class WithDlpack(Exporting):
    def __dlpack__(self, **_):
        return self.values.__dlpack__()

    def __dlpack_device__(self):
        return 1, 0


class WithArray(Exporting):
    def __array__(self, dtype=None, copy=None):
        return self.values


def swapped(values):
    return values.astype(">f4")


def ctypes_array(values):
    return ((ctypes.c_float * 6) * 4)(*(tuple(map(float, row)) for row in values))


def jax_sharded(values):
    jax = library("jax")
    if len(jax.devices()) < 2:
        pytest.skip("one device")
    sharding = jax.sharding.NamedSharding(jax.make_mesh((2,), ("a",)), jax.sharding.PartitionSpec("a"))
    return jax.device_put(values, sharding)


def xarray_of_pint(values):
    return library("xarray").DataArray(library("pint").UnitRegistry().Quantity(values, "m"), dims=("a", "b"))


def torch_of(values, change):
    torch = library("torch")
    return change(torch, torch.from_numpy(values.copy()))


# Everything that holds VALUES, and nothing else.
PRODUCERS = {
    "ndarray": lambda v: v, "fortran": np.asfortranarray, "reversed": lambda v: v[::-1, ::-1].copy()[::-1, ::-1],
    "strided": lambda v: np.repeat(np.repeat(v, 2, 0), 3, 1)[::2, ::3], "swapped": swapped,
    "readonly": lambda v: np.frombuffer(v.tobytes(), "f4").reshape(v.shape), "matrix": lambda v: v.view(np.matrix),
    "field": lambda v: v.view([("a", "f4")])["a"],
    "masked": lambda v: np.ma.array(v), "memoryview": memoryview, "memoryview-strided": lambda v: memoryview(np.repeat(v, 2, 1)[:, ::2]),
    "list": lambda v: v.tolist(), "tuple": lambda v: tuple(map(tuple, v.tolist())), "rows": list,
    "array.array": lambda v: [array.array("f", row) for row in v], "ctypes": ctypes_array,
    "interface": lambda v: Exporting(v, "interface"), "dlpack": lambda v: WithDlpack(v, None), "__array__": lambda v: WithArray(v, None),
    "bfloat16": lambda v: v.astype(library("ml_dtypes").bfloat16),
    "torch": lambda v: torch_of(v, lambda torch, t: t), "torch-bf16": lambda v: torch_of(v, lambda torch, t: t.to(torch.bfloat16)),
    "torch-grad": lambda v: torch_of(v, lambda torch, t: t.requires_grad_()),
    "torch-parameter": lambda v: torch_of(v, lambda torch, t: torch.nn.Parameter(t)),
    "torch-transposed": lambda v: torch_of(v.T.copy(), lambda torch, t: t.T), "torch-rows": lambda v: torch_of(v, lambda torch, t: list(t)),
    "torch-scalars": lambda v: torch_of(v, lambda torch, t: [list(row) for row in t]),
    "jax": lambda v: library("jax.numpy").asarray(v), "jax-bf16": lambda v: library("jax.numpy").asarray(v, "bfloat16"),
    "jax-sharded": jax_sharded, "jax-rows": lambda v: list(library("jax.numpy").asarray(v)),
    "tensorflow": lambda v: library("tensorflow").constant(v), "tensorflow-variable": lambda v: library("tensorflow").Variable(v),
    "tensorflow-ragged": lambda v: library("tensorflow").RaggedTensor.from_tensor(v),
    "keras": lambda v: library("keras").Variable(v), "array-api": lambda v: library("array_api_strict").asarray(v),
    "pandas": lambda v: library("pandas").DataFrame(v), "polars": lambda v: library("polars").DataFrame(v),
    "polars-array": lambda v: library("polars").Series(values=v), "arrow": lambda v: library("pyarrow").table(list(v.T), list("abcdef")),
    "xarray": lambda v: library("xarray").DataArray(v), "xarray-variable": lambda v: library("xarray").Variable(("a", "b"), v),
    "pint": lambda v: library("pint").UnitRegistry().Quantity(v, "m"), "pint-in-xarray": xarray_of_pint,
    "dask": lambda v: library("dask.array").from_array(v, chunks=3), "scipy": lambda v: library("scipy.sparse").csr_array(v),
    "pillow": lambda v: library("PIL.Image").fromarray(v.astype("uint8")),
}


def png(X):
    file = io.BytesIO()
    gpuplot.imsave(file, X, cmap="magma")
    return np.frombuffer(file.getvalue(), np.uint8)


def drawn(X):
    figure = plt.figure(figsize=(2, 2))
    gpuplot.imshow(X, ax=figure.add_axes((0, 0, 1, 1), frameon=False, xticks=[], yticks=[], xlabel=" ", ylabel=" "))
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba()).copy()
    plt.close(figure)
    return pixels


FUNCTIONS = {
    "asnumpy": lambda X: gpuplot.asnumpy(X, "float64"),
    "downsample": lambda X: gpuplot.downsample(X, (3, 4), agg="max"),
    "to_rgba": lambda X: gpuplot.to_rgba(X, (5, 7)),
    "imsave": png,
    "imshow": drawn,
}


@pytest.fixture(scope="module")
def expected():
    return {name: function(VALUES) for name, function in FUNCTIONS.items()}


@pytest.mark.parametrize("producer, function", list(itertools.product(PRODUCERS, FUNCTIONS)))
def test_every_function_takes_every_object(producer, function, expected):
    X = PRODUCERS[producer](VALUES.copy())
    np.testing.assert_array_equal(FUNCTIONS[function](X), expected[function])
