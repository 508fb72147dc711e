"""Sharded arrays of JAX: on four devices of one process, and on two processes that share them."""

import json
import warnings

import libraries_on_the_cpu
import numpy as np
import pytest
from foreign_arrays import JaxParameter
from spmd import run_together

jax = libraries_on_the_cpu.jax()

import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

import gpuplot
from gpuplot.arrays import jax_shards
from gpuplot.arrays.chunks_together import together
from gpuplot.arrays.describe import describe_in_place
from gpuplot.arrays.shards import ShardedSource

pytestmark = pytest.mark.host("arrays of JAX on the CPU")

SPECS = [("a", "b"), ("a", None), (None, "a"), (("a", "b"), None), (None, ("b", "a")), ()]


@pytest.fixture(scope="module")
def mesh():
    """Two by two devices."""
    if len(jax.devices()) < 4:
        pytest.skip("this JAX was started with fewer than 4 devices")
    return jax.make_mesh((2, 2), ("a", "b"))


@pytest.fixture(autouse=True)
def never_gathered(monkeypatch):
    """No array of these tests is put together."""
    monkeypatch.setattr(jax_shards, "whole", lambda X: pytest.fail("put together"))


def normal(*shape):
    return np.random.default_rng(1).normal(size=shape).astype("float32")


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8", "float8_e4m3fn"])
@pytest.mark.parametrize("spec", SPECS)
def test_all_shardings_give_what_one_device_gives(mesh, spec, dtype):
    array = jnp.asarray(normal(120, 160) * 20).astype(dtype)
    X = jax.device_put(array, NamedSharding(mesh, PartitionSpec(*spec)))
    want = gpuplot.downsample(array, (17, 19))
    assert abs(gpuplot.downsample(X, (17, 19)) - want).max() <= 1e-15 * abs(np.asarray(array).astype(float)).max()
    np.testing.assert_array_equal(gpuplot.to_rgba(X, (17, 19), robust=True), gpuplot.to_rgba(array, (17, 19), robust=True))
    np.testing.assert_array_equal(gpuplot.hist(X, 9).n, gpuplot.hist(array, 9).n)
    found, expected = gpuplot.stats(X), gpuplot.stats(array)
    assert (found.min, found.argmax, found.percentiles) == (expected.min, expected.argmax, expected.percentiles)
    assert found.device == ("cpu" if not spec else "4 devices")
    image = gpuplot.imshow(X)
    image.figure.canvas.draw()
    assert image.axes.get_title() == ""


def test_each_shard_is_looked_at_once_and_where_it_lies(mesh, monkeypatch):
    """Of copies the first; of shards beside the view none."""
    array = normal(400, 600)
    lent, lend = [], gpuplot.arrays.dlpack.lend
    monkeypatch.setattr(gpuplot.arrays.dlpack, "lend", lambda X, *args, **how: lent.append(tuple(X.shape)) or lend(X, *args, **how))
    X = jax.device_put(array, NamedSharding(mesh, PartitionSpec("a", None)))

    def seen_by(**how):
        gpuplot.downsample(X, (20, 30), **how)  # a shard is lent to be described, and to be read
        return lent.copy(), lent.clear()

    assert seen_by()[0] == [(200, 600)] * 4
    assert seen_by(view=((210, 300), (0, 600)))[0] == [(200, 600)] * 2


def test_large_arrays_have_no_limit(mesh, monkeypatch):
    monkeypatch.setattr(gpuplot.arrays.lazy_arrays, "MAX_COMPUTED_BYTES", 1000)
    array = normal(2000, 1600)
    X = jax.device_put(array, NamedSharding(mesh, PartitionSpec("a", "b")))
    image = gpuplot.imshow(X, robust=True)
    image.figure.canvas.draw()
    assert image.get_clim() == tuple(np.percentile(array.astype(float), [2, 98]).tolist())


def test_other_shardings(mesh):
    array = normal(4, 40, 60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X = jax.pmap(lambda x: x * 2)(array)
    np.testing.assert_allclose(gpuplot.downsample(X, (4, 6), index={0: 2}), gpuplot.downsample(array[2] * 2, (4, 6)), rtol=1e-12)
    Y = jax.jit(lambda x: x + 1)(jax.device_put(array, NamedSharding(mesh, PartitionSpec("a", None, "b"))))
    np.testing.assert_allclose(gpuplot.downsample(Y, (4, 6), index={0: 3}), gpuplot.downsample(array[3] + 1, (4, 6)), rtol=1e-12)
    np.testing.assert_array_equal(gpuplot.stats(Y).argmax, np.unravel_index((array + 1).argmax(), array.shape))


def test_arrays_that_are_gone_and_references(mesh):
    sharding = NamedSharding(mesh, PartitionSpec("a", "b"))
    X = jax.device_put(normal(40, 60), sharding)
    source = describe_in_place(X)
    assert isinstance(source, ShardedSource)
    X.delete()
    with pytest.raises(gpuplot.UnsupportedError, match="has been deleted"):
        gpuplot.downsample(source, (4, 6))
    if hasattr(jax, "new_ref"):
        ref = jax.new_ref(jax.device_put(np.zeros((40, 60), "float32"), sharding))
        image = gpuplot.imshow(ref)
        ref[...] = ref[...] + 1
        image.update(ref)
        assert gpuplot.downsample(ref, (1, 1)) == 1


def test_parameters_are_read_anew(mesh):
    sharding = NamedSharding(mesh, PartitionSpec("a", "b"))
    X = JaxParameter(jax.device_put(normal(40, 60), sharding))
    image = gpuplot.imshow(X)
    assert isinstance(describe_in_place(X), ShardedSource)
    X.value = jax.device_put(np.ones((40, 60), "float32"), sharding)
    image.update(X)
    assert gpuplot.stats(X).min == gpuplot.downsample(X, (1, 1)) == 1


def test_reduced_axes(mesh):
    array = normal(40, 60, 8)
    X = jax.device_put(array, NamedSharding(mesh, PartitionSpec("a", "b")))
    for options in ({"x": 2, "y": 1, "reduce": {0: "mean"}}, {"x": 1, "y": 0, "reduce": {2: "mean"}}):
        np.testing.assert_allclose(gpuplot.downsample(X, (5, 6), **options), gpuplot.downsample(array, (5, 6), **options), atol=1e-12)


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """What two processes say."""
    folder = tmp_path_factory.mktemp("processes")
    return [json.loads(out.splitlines()[-1]) for out in run_together("spmd_jax.py", 2, folder)], folder


def test_two_processes_together(reports):
    (first, second), folder = reports
    array = np.random.default_rng(2).normal(size=(600, 800)).astype("float32")
    assert first["bits"] == second["bits"] and first["pixels"]
    assert first["numbers"] == [array.min(), np.median(array), array.size]
    assert [path.name for path in folder.iterdir()] == ["of_0.png"]
    for name in ("both", "rows", "columns", "stripes", "devices", "copies"):
        assert max(report[name]["error"] for report in (first, second)) < 1e-15
        gathers = first[name]["gathers"]
        assert gathers == second[name]["gathers"] and len(gathers) == (name not in ("devices", "copies"))
        for dtype, n_bytes in gathers:  # cells of (30, 40) and of at most 4 shards, padded
            assert dtype == "uint32" and n_bytes <= 1.13 * (32 * 33 * 43 + 2048 * 4 + 2048)


def test_one_process_of_two_alone(reports):
    (first, second), _ = reports
    assert first["title"] == ["process 0 of 2", [[300, 600, 0, 400], [300, 600, 400, 800]]]
    assert second["title"] == ["process 1 of 2", [[0, 300, 0, 400], [0, 300, 400, 800]]]
    assert first["gathers of imshow"] == second["gathers of imshow"] == 0
    assert (first["snapshot"], second["snapshot"]) == (True, False)
    assert "collective=True" in first["both"]["alone"] and "process_allgather" in second["stripes"]["alone"]
    assert first["devices"]["alone"] == first["copies"]["alone"] == "480000"


@pytest.mark.parametrize("is_sharded", [False, True])
def test_what_is_not_sharded_alike_is_refused_in_words_of_jax(mesh, is_sharded):
    """The error told to cut the other one by dask, or to rechunk it."""
    X = np.zeros((8, 8), "float32")
    Y = jax.device_put(X, NamedSharding(mesh, PartitionSpec(None, "b"))) if is_sharded else X
    with pytest.raises(gpuplot.UnsupportedError, match=r"shard by shard: cut both alike, or put it together, jax\.device_get\(X\)"):
        together({"a": describe_in_place(jax.device_put(X, NamedSharding(mesh, PartitionSpec("a")))), "b": describe_in_place(Y)})
