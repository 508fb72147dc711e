"""Libraries that are broken or half imported do not affect arrays of other libraries."""

import io
import random
import subprocess
import sys
import types

import matplotlib.pyplot as plt
import numpy as np
import pytest

import gpuplot
from gpuplot.arrays.describe import describe
from gpuplot.arrays.optional_imports import loaded, module_roots

pytestmark = pytest.mark.host("what is done with arrays in host memory")

LIBRARIES = ("torch", "jax", "jaxlib", "tensorflow", "keras", "cupy", "numba", "cudf", "pandas", "polars", "pyarrow", "xarray",
             "pint", "dask", "h5py", "zarr", "netCDF4", "scipy", "sparse", "ml_dtypes", "tqdm", "astropy", "unyt")


def failing(error):
    module = types.ModuleType("failing")
    module.__getattr__ = lambda name: (_ for _ in ()).throw(error(f"{name} cannot be had"))
    return module


class Liar:
    """An object that has every attribute, which is the object itself, and can be called."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *_, **__):
        return self


def deep(error):
    """A module whose attributes are modules, whose attributes fail."""
    module = types.ModuleType("deep")
    module.__getattr__ = lambda name: failing(error)
    return module


BROKEN = {
    "None": lambda: None, "empty": lambda: types.ModuleType("empty"), "liar": Liar, "number": lambda: 3,
    **{f"{make.__name__}-{error.__name__}": lambda make=make, error=error: make(error)
       for make in (failing, deep) for error in (AttributeError, ImportError, RuntimeError, TypeError)},
}


@pytest.fixture(params=BROKEN)
def broken(request, monkeypatch):
    for name in LIBRARIES:
        monkeypatch.setitem(sys.modules, name, BROKEN[request.param]())
    yield
    plt.close("all")


def test_arrays_of_others_are_drawn_as_ever(broken):
    array = np.arange(12, dtype="float32").reshape(3, 4)
    masked = np.ma.masked_greater(array, 9)
    assert gpuplot.downsample(array, (1, 1)) == 5.5
    assert gpuplot.downsample([[1, 2], [3, 4]], (1, 1)) == 2.5
    assert gpuplot.downsample([array, array], (1, 1)) == 5.5
    assert gpuplot.downsample(memoryview(array), (1, 1)) == 5.5
    assert gpuplot.downsample(masked, (1, 1), nan="skip") == 4.5
    assert gpuplot.to_rgba(array).shape == (3, 4, 4)
    gpuplot.imsave(io.BytesIO(), array)
    np.testing.assert_array_equal(gpuplot.asnumpy(array.T, "float64"), array.T)
    try:
        figure, ax = plt.subplots()
        ax.imshow(array)
        figure.canvas.draw()
    except Exception:
        return  # matplotlib itself needs the library to be whole
    gpuplot.imshow(np.tile(array, (400, 400)), ax=figure.add_subplot(), colorbar=True).figure.canvas.draw()


def test_what_is_no_array_is_still_refused(broken):
    for X in (object(), None, "text", {}, [object()], [None, 1]):
        with pytest.raises(TypeError):
            describe(X)


def named(module, **attributes):
    """An object of a type that says it is from a library."""
    return type("Array", (), {"__module__": module, **attributes})()


@pytest.mark.parametrize("library", [*LIBRARIES, "PIL"])
def test_types_that_lie_about_their_library_are_read_by_what_they_speak(library):
    values = np.arange(6.0).reshape(2, 3)
    speaks = named(library, __array_interface__=values.__array_interface__)
    np.testing.assert_array_equal(gpuplot.downsample(speaks, (2, 3)), values)
    with pytest.raises(TypeError):
        describe(named(library))


@pytest.mark.parametrize("library", [*LIBRARIES, "PIL"])
@pytest.mark.parametrize("error", [RuntimeError, TypeError, AttributeError, KeyError])
def test_objects_whose_attributes_fail_are_refused(library, error):
    def fails(self, *_):
        raise error("half built")

    names = ("shape", "dtype", "dims", "data", "mode", "magnitude", "units", "compute", "to_numpy", "isna", "columns", "schema",
             "value", "values", "addressable_shards", "sharding", "read_value", "is_deleted", "null_count", "get_columns",
             "toarray", "todense", "ndim", "__array__", "__dlpack__")
    X = named(library, **{name: property(fails) for name in names})
    with pytest.raises((TypeError, gpuplot.DeviceError)):
        describe(X)


NAMES = """shape dtype dims data mode magnitude units compute to_numpy isna columns schema value values addressable_shards sharding
    read_value is_deleted null_count get_columns toarray todense ndim __array__ __dlpack__ coords attrs name variable _in_memory
    _data dense_shape indices flat_values bounding_shape is_fully_replicated addressable_data mask unit unmasked chunks type
    num_chunks chunk combine_chunks dtypes numpy itemsize size nbytes keys variables __jax_array__ __len__ __getitem__ height width
    tobytes convert __array_interface__ __dlpack_device__ collect alias as_py""".split()
KINDS = ["Array", "Tracer", "Ref", "Tensor", "Variable", "KerasTensor", "RaggedTensor", "SparseTensor", "IndexedSlices", "JAXSparse"]


def junk(rng):
    made = rng.choice([None, 3, -1, "abc", (3, 4), (2, "x"), [1, 2], {}, np.ones((2, 3)), np.dtype("f4"), float("nan"), object(),
                       lambda *_, **__: None, lambda *_, **__: np.ones((3, 4)), lambda self, *_, **__: self, property(lambda self: self)])
    return property(lambda self: made) if not callable(made) and rng.random() < 0.3 else made


@pytest.mark.parametrize("seed", range(4))
def test_objects_of_junk_are_read_or_refused(seed):
    """Whatever attributes answer, there is an array or an error of a few kinds: no recursion, no AttributeError, no crash."""
    rng = random.Random(seed)
    n_refused = 0
    for _ in range(500):
        attributes = {name: junk(rng) for name in rng.sample(NAMES, rng.randrange(1, 14))}
        X = type(rng.choice(KINDS), (), {**attributes, "__module__": rng.choice([*LIBRARIES, "PIL"])})()
        try:
            gpuplot.asnumpy(X)
        except (TypeError, ValueError, gpuplot.DeviceError) as error:
            assert "is not callable" not in str(error) or isinstance(error, gpuplot.UnsupportedError)
            n_refused += 1
    assert 0 < n_refused < 500


@pytest.mark.parametrize(("X", "draw", "message"), [
    (named("polars", get_columns=lambda self: [1]), gpuplot.hist, "Array cannot be read: 'int' object has no attribute 'dtype'"),
    (named("pyarrow", columns=[], schema=1), gpuplot.hist, "Array cannot be read: 'int' object has no attribute 'names'"),
    (named("cupy"), gpuplot.inspect, "Array is neither an array nor a tensor"),
    (named("tensorflow", variables=[object()]), gpuplot.stats, "object is neither an array nor a tensor"),
    (named("xarray", dims=("a",), data=np.ones((2, 3))), gpuplot.imshow, r"has 1 names of dimensions, and the array .* shape \(2, 3\)"),
], ids=["polars", "pyarrow", "cupy", "tensorflow", "xarray"])
def test_types_that_lie_about_their_library_are_refused_in_our_words(X, draw, message):
    """Errors of ours came through: AttributeError, and IndexError where the picture was labelled."""
    with pytest.raises(gpuplot.UnsupportedError, match=message):
        draw(X)


@pytest.mark.parametrize("draw", [gpuplot.plot, gpuplot.hist, lambda X: gpuplot.scatter(X, X)], ids=["plot", "hist", "scatter"])
def test_objects_whose_items_never_end(draw):
    """matplotlib looked for a first date among them, for ever."""
    endless = type("Endless", (), {"__getitem__": lambda self, index: None})()
    with pytest.raises(gpuplot.UnsupportedError, match="Endless is neither an array nor a tensor"):
        draw(endless)


def test_types_may_say_anything_of_their_module():
    class Meta(type):
        @property
        def __module__(cls):
            raise RuntimeError("nobody knows")

    class Odd(metaclass=Meta):
        __array_interface__ = np.zeros((2, 2)).__array_interface__

    for X in (named(None, __array__=lambda self, *_, **__: np.ones((2, 2))), named(7, __array__=lambda self, *_, **__: np.ones((2, 2)))):
        assert describe(X).shape == (2, 2)
    assert "builtins" in module_roots(Odd()) and describe(Odd()).shape == (2, 2)


def test_what_is_loaded(monkeypatch):
    assert loaded("numpy.linalg.norm") is np.linalg.norm
    assert loaded("numpy.no.such") is None and loaded("never_imported_anywhere.x") is None
    monkeypatch.setitem(sys.modules, "torch", failing(RuntimeError))
    assert loaded("torch.Tensor") is None


def test_no_library_is_imported():
    code = ("import io, sys, numpy as np, gpuplot; before = set(sys.modules); from matplotlib.figure import Figure; "
            "a = np.ones((9, 9), 'f4'); f = Figure(); im = gpuplot.imshow(a, ax=f.subplots(), colorbar=True); "
            "f.savefig(io.BytesIO()); gpuplot.to_rgba(a); gpuplot.imsave(io.BytesIO(), a); gpuplot.asnumpy(a.T, 'f8'); "
            f"print(*set({LIBRARIES!r}) & set(sys.modules))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
