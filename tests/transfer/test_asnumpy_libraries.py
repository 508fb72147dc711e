"""`asnumpy` of host arrays of real libraries against each library's own conversion; libraries that are not installed are skipped."""

import gc
import warnings
import weakref

import numpy as np
import pytest

import gpuplot
from gpuplot.errors import UnsupportedError

pytestmark = pytest.mark.host("libraries have their arrays in host memory")

A = np.arange(24, dtype="f4").reshape(4, 6)


def address(array):
    return array.__array_interface__["data"][0]


# ---- PyTorch -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def torch():
    found = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that complex32 is experimental
        yield found


def test_torch_shares_its_memory_to_be_written_to(torch):
    t = torch.arange(24.0).reshape(4, 6)
    parts = {"itself": t, "gradient": t.clone().requires_grad_(), "parameter": torch.nn.Parameter(t.clone()), "part": t[:, :],
             "half": t.half(), "integers": t.to(torch.int16), "bool": t > 3, "0-d": torch.tensor(3.5), "complex": torch.complex(t, t)}
    if hasattr(torch.nn, "Buffer"):
        parts["buffer"] = torch.nn.Buffer(t.clone())
    with torch.inference_mode():
        parts["inference"] = t * 2
    for name, X in parts.items():
        found = gpuplot.asnumpy(X, copy=False)
        assert address(found) == X.data_ptr() and found.flags.writeable, name
        np.testing.assert_array_equal(found, X.detach().numpy())
        copied = gpuplot.asnumpy(X, copy=True)
        assert address(copied) != X.data_ptr() and copied.dtype == found.dtype
    gpuplot.asnumpy(t)[0, 0] = 77
    assert t[0, 0] == 77


def test_torch_layouts(torch):
    t = torch.arange(120.0).reshape(2, 3, 4, 5)
    for X in (t.transpose(0, 3), t.contiguous(memory_format=torch.channels_last), t[:1].expand(4, -1, -1, -1), t[:, ::2, 1:, ::3], t[:0]):
        found = gpuplot.asnumpy(X)
        np.testing.assert_array_equal(found, X.numpy())
        assert found.flags.c_contiguous
        as_it_lies = gpuplot.asnumpy(X, order="K", copy=False)
        assert as_it_lies.strides == X.numpy().strides or X.numel() == 0
        assert as_it_lies.flags.writeable == (0 not in as_it_lies.strides)  # elements that are one are not written to


def test_torch_keeps_the_memory_as_long_as_the_array(torch):
    array = A.astype("f8")
    t, kept = torch.from_numpy(array), weakref.ref(array)
    found = gpuplot.asnumpy(t)[1:]
    del t, array
    gc.collect()
    assert kept() is not None
    np.testing.assert_array_equal(found, A[1:])
    del found
    gc.collect()
    assert kept() is None


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"])
def test_torch_dtypes_that_numpy_lacks(torch, name):
    if not hasattr(torch, name):
        pytest.skip(f"this torch has no {name}")
    X = torch.arange(1, 25).reshape(4, 6).float().to(getattr(torch, name))
    found = gpuplot.asnumpy(X.T)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, X.T.float().numpy())
    with pytest.raises(ValueError, match=f"copy=False, and a copy is needed: {name} elements become float32"):
        gpuplot.asnumpy(X, copy=False)
    pytest.importorskip("ml_dtypes")
    stored = gpuplot.asnumpy(X, getattr(torch, name), copy=False)
    assert address(stored) == X.data_ptr() and stored.dtype.name == name
    np.testing.assert_array_equal(stored.view("u2" if name == "bfloat16" else "u1"),
                                  X.view(torch.int16 if name == "bfloat16" else torch.uint8).numpy())


def test_torch_complex_halves(torch):
    X = torch.tensor([[1 + 2j, -3 + 0.5j]], dtype=torch.complex32)
    found = gpuplot.asnumpy(X.T)
    assert found.dtype == np.complex64 and found.tolist() == [[1 + 2j], [-3 + 0.5j]]
    assert gpuplot.asnumpy(X, "c16").tolist() == [[1 + 2j, -3 + 0.5j]]
    with pytest.raises(TypeError, match=r"choose X\.real"):
        gpuplot.asnumpy(X, "f4")


def test_torch_conjugated_and_negated_views_are_computed(torch):
    z = torch.view_as_complex(torch.arange(24.0).reshape(3, 4, 2)).requires_grad_()
    for X in (z.conj(), z.conj().imag, z.conj().T[::2]):
        expected = X.detach().resolve_conj().resolve_neg().numpy()
        np.testing.assert_array_equal(gpuplot.asnumpy(X), expected)
        assert gpuplot.asnumpy(X, copy=True).flags.writeable
        with pytest.raises(ValueError, match="copy=False, and a copy is needed: the elements have to be put"):
            gpuplot.asnumpy(X, copy=False, order="K")
    before = z.detach().clone()
    gpuplot.asnumpy(z.conj())[...] = 0
    assert torch.equal(z.detach(), before)


def test_torch_lists(torch):
    losses = [torch.tensor(float(i), requires_grad=True) for i in range(5)]
    assert gpuplot.asnumpy(losses).tolist() == [0, 1, 2, 3, 4]
    assert gpuplot.asnumpy(tuple(losses), "i2").dtype == np.int16
    with pytest.raises(ValueError, match="put into an array first"):
        gpuplot.asnumpy(losses, copy=False)


def test_torch_dtypes_by_their_objects(torch):
    for name in ("float16", "float64", "uint8", "int64", "bool", "complex64", "half", "long"):
        dtype = getattr(torch, name)
        expected = torch.tensor(A).to(dtype).numpy()
        found = gpuplot.asnumpy(A, dtype)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
    for dtype in (torch.quint8, torch.Tensor, torch.strided):
        with pytest.raises(TypeError, match="is not a dtype of numbers that asnumpy gives"):
            gpuplot.asnumpy(A, dtype)


def test_torch_tensors_are_no_out(torch):
    with pytest.raises(TypeError, match=r"out is a Tensor and must be a NumPy array, such as X\.numpy\(\) of a torch tensor"):
        gpuplot.asnumpy(A, out=torch.zeros(4, 6))
    target = torch.zeros(6, 4).T
    gpuplot.asnumpy(A, out=target.numpy())
    assert (target.numpy() == A).all()


def test_torch_that_overlaps_out(torch):
    t = torch.arange(16.0).reshape(4, 4)
    expected = t.T.clone().numpy()
    gpuplot.asnumpy(t.T, out=t.numpy())
    np.testing.assert_array_equal(t.numpy(), expected)


def test_torch_in_a_thread(torch):
    t = torch.arange(24.0).reshape(4, 6)
    assert gpuplot.asnumpy(t, blocking=False).done()
    np.testing.assert_array_equal(gpuplot.asnumpy(t.T, "f8", blocking=False).result(60), t.T.numpy())


# ---- JAX ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def jax():
    return pytest.importorskip("jax")


def test_jax_is_shown_read_only(jax):
    jnp = jax.numpy
    for X in (jnp.asarray(A), jnp.asarray(A).T, jnp.arange(3), jnp.asarray(A) > 2, jnp.float32(2.5), jnp.zeros((0, 3))):
        found = gpuplot.asnumpy(X)
        np.testing.assert_array_equal(found, np.asarray(X))
        assert not found.flags.writeable or X.size == 0
        assert address(found) == X.unsafe_buffer_pointer() or X.size == 0
        copied = gpuplot.asnumpy(X, copy=True)
        assert copied.flags.writeable and not np.shares_memory(copied, found)


def test_jax_dtypes_that_numpy_lacks(jax):
    jnp = jax.numpy
    for dtype in (jnp.bfloat16, jnp.float8_e4m3fn, jnp.float8_e5m2):
        X = jnp.asarray(A).astype(dtype)
        found = gpuplot.asnumpy(X)
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, np.asarray(X).astype("f4"))
        stored = gpuplot.asnumpy(X, X.dtype, copy=False)
        assert stored.dtype == X.dtype and stored.tobytes() == np.asarray(X).tobytes()


def test_jax_memory_outlives_its_array(jax):
    X = jax.numpy.asarray(A) + 1
    found = gpuplot.asnumpy(X)
    X.delete()
    np.testing.assert_array_equal(found, A + 1)
    with pytest.raises(UnsupportedError, match="has been deleted"):
        gpuplot.asnumpy(X)


# ---- TensorFlow, the array API, and what holds arrays ----------------------------------------------------------------


def test_tensorflow_is_shown_read_only():
    tf = pytest.importorskip("tensorflow")
    for X in (tf.constant(A), tf.Variable(A), tf.transpose(tf.constant(A)), tf.constant(3), tf.constant([True, False])):
        found = gpuplot.asnumpy(X)
        np.testing.assert_array_equal(found, X.numpy())
        assert not found.flags.writeable and gpuplot.asnumpy(X, copy=True).flags.writeable
    np.testing.assert_array_equal(gpuplot.asnumpy(tf.cast(A, tf.bfloat16)), tf.cast(tf.cast(A, tf.bfloat16), tf.float32).numpy())
    assert gpuplot.asnumpy(A, tf.float16).dtype == np.float16
    with pytest.raises(TypeError, match="is not a dtype of numbers"):
        gpuplot.asnumpy(A, tf.string)


def test_a_variable_that_changes_leaves_the_array_as_it_was():
    tf = pytest.importorskip("tensorflow")
    variable = tf.Variable(A)
    found = gpuplot.asnumpy(variable)
    variable.assign_add(tf.ones_like(A))
    np.testing.assert_array_equal(found, A)
    np.testing.assert_array_equal(gpuplot.asnumpy(variable), A + 1)


def test_array_api_strict():
    xp = pytest.importorskip("array_api_strict")
    X = xp.asarray(A, copy=True)
    found = gpuplot.asnumpy(X, copy=False)
    found[0, 0] = 9
    assert float(X[0, 0]) == 9
    assert gpuplot.asnumpy(A, xp.int16).dtype == np.int16


def test_pandas():
    pd = pytest.importorskip("pandas")
    series = pd.Series([1, None, 3], dtype="Int64")
    found = gpuplot.asnumpy(series)
    assert isinstance(found, np.ma.MaskedArray) and found.tolist() == [1, None, 3]
    np.testing.assert_array_equal(gpuplot.asnumpy(series, "f4"), np.float32([1, np.nan, 3]))
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    assert gpuplot.asnumpy(frame).tolist() == [[1, 3], [2, 4]]


def test_polars():
    pl = pytest.importorskip("polars")
    found = gpuplot.asnumpy(pl.Series([1, None, 3]))
    assert isinstance(found, np.ma.MaskedArray) and found.tolist() == [1, None, 3]
    assert not gpuplot.asnumpy(pl.Series([1.0, 2.0]), copy=False).flags.writeable


def test_xarray_and_pint_give_the_array_inside():
    xr = pytest.importorskip("xarray")
    assert gpuplot.asnumpy(xr.DataArray(A, dims=("y", "x"))) is A
    pint = pytest.importorskip("pint")
    assert gpuplot.asnumpy(A * pint.UnitRegistry().m).tolist() == A.tolist()


def test_pillow():
    image_module = pytest.importorskip("PIL.Image")
    image = image_module.fromarray(A.astype("u1"))
    assert gpuplot.asnumpy(image).tolist() == A.tolist()
    assert gpuplot.asnumpy(image, copy=True).flags.writeable
    with pytest.raises(ValueError, match="put into an array first"):
        gpuplot.asnumpy(image, copy=False)


def test_sparse_arrays_are_made_dense():
    sparse = pytest.importorskip("scipy.sparse")
    found = gpuplot.asnumpy(sparse.eye_array(3) if hasattr(sparse, "eye_array") else sparse.eye(3), "f4")
    assert found.tolist() == np.eye(3).tolist()
