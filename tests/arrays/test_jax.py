"""JAX arrays on several CPU devices: all dtypes, tracers, shards, keys, references, and deleted arrays."""


import libraries_on_the_cpu
import numpy as np
import pytest
from foreign_arrays import JaxParameter

jax = libraries_on_the_cpu.jax()

import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

import gpuplot
from gpuplot.arrays import lazy_arrays
from gpuplot.arrays.describe import describe

pytestmark = pytest.mark.host("arrays of JAX on the CPU")

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "bfloat16", "float32", "complex64",
          "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e4m3b11fnuz", "float8_e4m3", "float8_e3m4",
          "float8_e8m0fnu"]


@pytest.fixture(scope="module")
def mesh():
    """Four devices in a row."""
    if len(jax.devices()) < 4:
        pytest.skip("this JAX was started with fewer than 4 devices")
    return jax.make_mesh((4,), ("rows",))


def some(dtype="float32", shape=(3, 4)):
    return jnp.arange(1, 1 + np.prod(shape)).reshape(shape).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(mesh, dtype):
    if not hasattr(jnp, dtype) and dtype != "bool":
        pytest.skip(f"this JAX has no {dtype}")
    X = some(dtype)
    source = describe(X)
    assert (source.dtype, source.shape, source.device, source.is_host_array) == (dtype, (3, 4), None, False)
    expected = np.asarray(X).astype("complex64" if dtype == "complex64" else "float32")
    np.testing.assert_array_equal(gpuplot.downsample(X, (3, 4)), np.abs(expected))
    np.testing.assert_array_equal(gpuplot.asnumpy(X, expected.dtype), expected)


@pytest.mark.parametrize("dtype", ["int64", "uint64", "float64", "complex128"])
def test_wide_dtypes(mesh, dtype):
    with jax.enable_x64(True):
        X = jnp.asarray(np.array([[2**53 + 1, 3]]).astype(dtype))
        assert describe(X).dtype == dtype
        assert gpuplot.asnumpy(X)[0, 0] == np.asarray(X)[0, 0]


def test_no_copy_is_made_in_host_memory(mesh):
    X = some()
    shown = gpuplot.asnumpy(X)
    assert np.shares_memory(shown, np.asarray(X)) and not shown.flags.writeable


@pytest.mark.parametrize("dtype, holder", [("int4", "int8"), ("uint4", "uint8"), ("int2", "int8"), ("float4_e2m1fn", "float32")])
def test_elements_of_fewer_than_8_bits_are_converted(mesh, dtype, holder):
    X = jnp.asarray([[1, -2, 0], [1, 0, 1]], "int8").astype(dtype)
    source, expected = describe(X), np.asarray(X).astype(holder)
    assert (source.dtype, source.is_fresh) == (holder, True)
    np.testing.assert_array_equal(gpuplot.asnumpy(X), expected, strict=True)
    shards = jax.device_put(jnp.tile(X, (4, 1)), NamedSharding(mesh, PartitionSpec("rows")))
    assert gpuplot.stats(shards).mean == pytest.approx(expected.mean())
    np.testing.assert_array_equal(gpuplot.asnumpy(shards), np.tile(expected, (4, 1)))


def test_keys_have_no_picture(mesh):
    key = jax.random.key(0)
    with pytest.raises(gpuplot.UnsupportedError, match=r"jax\.random\.key_data\(X\)"):
        describe(key)
    assert describe(jax.random.key_data(jax.random.split(key, 3))).shape == (3, 2)


def test_arrays_that_are_gone_say_so(mesh):
    X = some()
    source = describe(X)
    jax.jit(lambda x: x + 1, donate_argnums=0)(X)
    for attempt in (lambda: describe(X), source.borrow):
        with pytest.raises(gpuplot.UnsupportedError, match="deleted: it was donated to a jitted function"):
            attempt()
    image = gpuplot.imshow(Y := some(shape=(2000, 1000)))
    Y.delete()
    with pytest.raises(gpuplot.UnsupportedError, match="deleted"):
        image.update(Y)
    assert image.get_shape() == (2000, 1000)


def test_tracers_of_jit_and_vmap_are_refused_with_a_callback(mesh):
    def draws(x):
        with pytest.raises(gpuplot.UnsupportedError, match=r"tracer.*jax\.debug\.callback\(lambda x: gpuplot"):
            gpuplot.to_rgba(x)
        return x.sum()

    jax.jit(draws)(some())
    jax.vmap(draws)(some())
    jax.jit(jax.grad(draws))(some())
    jax.eval_shape(draws, some())


def test_tracers_of_gradients_have_a_value(mesh):
    found = []

    def draws(x):
        found.append(describe(x))
        return (x * gpuplot.downsample(x, (3, 4)).max()).sum()

    jax.grad(draws)(some())
    jax.jvp(draws, (some(),), (some(),))
    jax.vjp(draws, some())
    for source in found:  # still there after the function that was differentiated
        with source.borrow() as tensor:
            assert tensor.shape == (3, 4)
    assert len(found) == 3


def test_numbers_have_a_value_while_they_are_differentiated(mesh):
    assert jax.grad(lambda x: x * gpuplot.asnumpy(x))(3.0) == 3
    assert jax.grad(lambda x: x * gpuplot.asnumpy(x))(np.float32(3)) == 3


def test_the_line_that_is_told_for_jit_works(mesh, tmp_path):
    @jax.jit
    def step(x):
        jax.debug.callback(lambda x: gpuplot.imsave(tmp_path / "x.png", x), x)
        return x + 1

    step(some()).block_until_ready()
    jax.effects_barrier()
    assert (tmp_path / "x.png").exists()


def test_shapes_have_no_values(mesh):
    with pytest.raises(gpuplot.UnsupportedError, match="ShapeDtypeStruct of JAX has a shape but no values"):
        describe(jax.ShapeDtypeStruct((3, 4), jnp.float32))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_shards_are_put_together_for_what_knows_none_where_that_is_little(mesh, dtype, monkeypatch):
    X = some(dtype, (8, 8))
    expected = np.asarray(X).astype(float)
    split = jax.device_put(X, NamedSharding(mesh, PartitionSpec("rows")))
    copies = jax.device_put(X, NamedSharding(mesh, PartitionSpec()))
    elsewhere = jax.device_put(X, jax.devices()[2])
    for Y in (split, copies, elsewhere, split.addressable_shards[1].data):
        rows = slice(2, 4) if Y.shape[0] == 2 else slice(None)
        np.testing.assert_array_equal(gpuplot.downsample(Y, Y.shape), expected[rows])
        np.testing.assert_array_equal(gpuplot.asnumpy(Y, "float32"), expected[rows])
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", 100)
    with pytest.raises(gpuplot.UnsupportedError, match=r"4 devices.*X\.addressable_shards\[0\]\.data.*jax\.device_get\(X\)"):
        describe(split).borrow()
    np.testing.assert_array_equal(gpuplot.asnumpy(split, "float32"), expected)
    assert describe(copies).shape == describe(elsewhere).shape == (8, 8)


def test_references_are_read_anew(mesh):
    if not hasattr(jax, "new_ref"):
        pytest.skip("this JAX has no references")
    ref = jax.new_ref(some())
    source = describe(ref)
    ref[...] = some() * 2
    with source.borrow() as tensor:
        assert tensor.shape == (3, 4)
    assert gpuplot.downsample(source, (3, 4))[0, 0] == 2


def test_parameters_are_read_anew(mesh):
    X = JaxParameter(some("bfloat16"))
    source = describe(X)
    assert (source.dtype, source.shape) == ("bfloat16", (3, 4))
    X.value = X.value * 2
    assert gpuplot.downsample(source, (3, 4))[0, 0] == 2
    X.value = some("float32", (2, 2))
    with pytest.raises(ValueError, match=r"was bfloat16 \(3, 4\) and is float32 \(2, 2\) now"):
        source.borrow()


def test_sparse_arrays_are_made_dense_where_that_is_little(mesh, monkeypatch):
    sparse = pytest.importorskip("jax.experimental.sparse")
    X = sparse.BCOO.fromdense(jnp.eye(4))
    np.testing.assert_array_equal(gpuplot.downsample(X, (4, 4)), np.eye(4))
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", 10)
    with pytest.raises(gpuplot.UnsupportedError, match=r"X\.todense\(\)"):
        describe(X)


def test_layouts_and_small_things(mesh):
    X = some()
    np.testing.assert_array_equal(gpuplot.downsample(X.T, (4, 3)), np.asarray(X).T)
    assert describe(jnp.zeros((0, 3))).shape == (0, 3)
    assert describe(jnp.float32(3)).shape == ()
    np.testing.assert_array_equal(gpuplot.downsample([X[0], X[1]], (2, 4)), np.asarray(X)[:2])
    for dtype in ("float32", "bfloat16"):
        losses = [jnp.asarray(loss, dtype) for loss in (1, 2)]
        assert describe(losses).dtype == dtype
        np.testing.assert_array_equal(gpuplot.downsample(losses, (1, 2)), [[1, 2]])
