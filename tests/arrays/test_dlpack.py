"""Borrowing through DLPack: correct, old and faulty producers; every capsule is released exactly once."""

import gc

import capsules
import numpy as np
import pytest
from capsules import Producer

import gpuplot
from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.errors import DeviceError, UnsupportedError


@pytest.fixture
def without_driver(monkeypatch):
    """A machine without a CUDA driver, wherever the tests run."""
    def fail():
        raise DeviceError("no CUDA driver")

    monkeypatch.setattr(_native, "cuda_load", fail)


def first_row(source):
    """The first row of a 2-D float32 source, as the native layer finds it."""
    cols = source.shape[1]
    out = np.empty((1, cols), np.float32)
    with source.borrow() as tensor:
        return _native.gather(_native.Plane(tensor, (("rows", 0, 1, 1, 0), ("cols", 0, 1, cols, 0)), ()), out)[0].tolist()


@pytest.mark.parametrize("version", [None, (1, 0), (1, 3), (1, 9)])
@pytest.mark.parametrize("keywords", [(), ("max_version",)])
def test_a_capsule_is_released_exactly_once(version, keywords):
    producer = Producer(range(6), version=version, keywords=keywords)
    source = describe(producer)
    assert (source.shape, source.dtype, source.is_host_array, source.array) == ((2, 3), "float32", False, None)
    assert first_row(source) == [0, 1, 2]
    with source.borrow() as tensor:
        assert tensor.strides == (12, 4)
        assert producer.n_releases == producer.n_exports - 1
    tensor.release()
    dropped = source.borrow()
    del dropped
    gc.collect()
    assert producer.n_exports == producer.n_releases == 4


def test_a_producer_without_a_deleter():
    producer = Producer(range(6), has_deleter=False)
    assert first_row(describe(producer)) == [0, 1, 2]


@pytest.mark.parametrize("said, strides, row", [
    ({"strides": (3, 1)}, (12, 4), [0, 1, 2]),
    ({"strides": (1, 2)}, (4, 8), [0, 2, 4]),
    ({"strides": (0, -1), "offset_bytes": 20}, (0, -4), [5, 4, 3]),
    ({"shape": (2, 2), "strides": (3, 1), "offset_bytes": 4}, (12, 4), [1, 2]),
])
def test_strides_and_offsets(said, strides, row):
    source = describe(Producer(range(6), **said))
    with source.borrow() as tensor:
        assert tensor.strides == strides
    assert first_row(source) == row


@pytest.mark.parametrize("said, shape", [
    ({"shape": ()}, ()), ({"shape": (0, 3), "is_null": True}, (0, 3)), ({"shape": (6,)}, (6,)),
    ({"device": (capsules.PINNED, 0)}, (2, 3)), ({"shape": (1,) * 64}, (1,) * 64),
])
def test_unusual_tensors_that_are_right(said, shape):
    producer = Producer(range(6), **said)
    assert describe(producer).shape == shape
    assert producer.n_exports == producer.n_releases == 1


@pytest.mark.parametrize("code, bits, name", [
    (0, 8, "int8"), (1, 16, "uint16"), (2, 16, "float16"), (4, 16, "bfloat16"), (5, 32, "complex32"), (6, 8, "bool"),
    (7, 8, "float8_e3m4"), (8, 8, "float8_e4m3"), (9, 8, "float8_e4m3b11fnuz"), (10, 8, "float8_e4m3fn"),
    (11, 8, "float8_e4m3fnuz"), (12, 8, "float8_e5m2"), (13, 8, "float8_e5m2fnuz"), (14, 8, "float8_e8m0fnu"),
])
def test_dtype_codes(code, bits, name):
    assert describe(Producer(range(6), dtype=(code, bits, 1))).dtype == name


@pytest.mark.parametrize("version", [None, (1, 3)])
@pytest.mark.parametrize("said, error, words", [
    ({"shape": (-2, 3)}, ValueError, "negative size -2"),
    ({"shape": (2**62, 2**62)}, ValueError, "2\\^63"),
    ({"shape": (2, 3), "strides": (2**62, 1)}, ValueError, "2\\^63"),
    ({"shape": (1,) * 100}, ValueError, "100 dimensions"),
    ({"ndim": -1}, ValueError, "-1 dimensions"),
    ({"shape": None, "ndim": 2}, ValueError, "no shape"),
    ({"is_null": True}, ValueError, "null"),
    ({"dtype": (2, 32, 4)}, UnsupportedError, "4 lanes"),
    ({"dtype": (2, 32, 0)}, UnsupportedError, "0 lanes"),
    ({"dtype": (2, 24, 1)}, UnsupportedError, "24 bits"),
    ({"dtype": (3, 64, 1)}, UnsupportedError, "code 3"),
    ({"dtype": (17, 4, 1)}, UnsupportedError, "4 bits"),
])
def test_lies_about_the_tensor_are_refused_and_released_once(said, version, error, words):
    producer = Producer(range(6), version=version, **said)
    with pytest.raises(error, match=words):
        describe(producer)
    gc.collect()
    assert producer.n_exports == producer.n_releases == 1


@pytest.mark.parametrize(("version", "older"), [((9, 0), "gpuplot"), ((0, 8), "the producer's library")])
def test_another_major_version_is_released_unread(version, older):
    producer = Producer(range(6), version=version, is_null=True, shape=(-1,))
    with pytest.raises(UnsupportedError, match=f"DLPack {version[0]}.{version[1]} and this build DLPack 1: update {older}"):
        describe(producer)
    gc.collect()
    assert producer.n_exports == producer.n_releases == 1


@pytest.mark.parametrize("name", [b"tensor", b"", b"dltensor_versioned_2", b"used_dltensor"])
def test_wrong_capsule_names(name):
    with pytest.raises(TypeError, match="capsule"):
        describe(Producer(range(6), name=name))


def test_a_capsule_is_taken_once():
    producer = Producer(range(6))
    capsule = producer.__dlpack__()
    again = Odd(lambda **keywords: capsule)  # noqa: F821
    assert describe(again).shape == (2, 3)
    with pytest.raises(UnsupportedError, match="used already"):
        describe(again)
    del capsule
    assert producer.n_exports == producer.n_releases == 1


class Odd:
    """A producer whose two methods are given."""

    def __init__(self, export, device=(1, 0)):
        self.export, self.device = export, device

    def __dlpack__(self, **keywords):
        return self.export(**keywords)

    def __dlpack_device__(self):
        if isinstance(self.device, Exception):
            raise self.device
        return self.device


@pytest.mark.parametrize("junk", [None, 3, "dltensor", object(), b"dltensor", [], np.zeros(3)])
def test_junk_in_place_of_a_capsule(junk):
    with pytest.raises(TypeError, match=rf"capsule, not .*{type(junk).__name__}: its producer is wrong$"):
        describe(Odd(lambda **keywords: junk))


@pytest.mark.parametrize("error", [BufferError("conjugate bit"), RuntimeError("Array has been deleted"),
                                   TypeError("no"), ValueError("no"), AttributeError("no"), KeyError("no")])
def test_a_producer_that_refuses(error):
    def refuse(**keywords):
        raise error

    with pytest.raises(UnsupportedError, match="Odd does not hand out its memory.*; copy its numbers into a NumPy array"):
        describe(Odd(refuse))


@pytest.mark.parametrize("draw", [gpuplot.plot, gpuplot.hist, lambda X: gpuplot.hist2d(X, X), lambda X: gpuplot.scatter(X, X),
                                  lambda X: gpuplot.hist(np.ones(3), weights=X)], ids=["plot", "hist", "hist2d", "scatter", "weights"])
def test_a_producer_that_refuses_is_not_copied_through_its_array_method(draw):
    """Lines, histograms and points were drawn of a copy, which images refused to make without being asked."""
    class Copied(Odd):
        def __array__(self, dtype=None, copy=None):
            return np.ones(3)

    with pytest.raises(UnsupportedError, match="Copied does not hand out its memory through DLPack: division by zero"):
        draw(Copied(lambda **keywords: 1 / 0))


def test_a_keyword_refused_in_any_way_is_left_out():
    for refusal in (TypeError, RuntimeError, BufferError, ValueError):
        producer = Producer(range(6))

        def export(producer=producer, refusal=refusal, **keywords):
            if keywords:
                raise refusal("no keywords here")
            return producer.__dlpack__()

        assert first_row(describe(Odd(export))) == [0, 1, 2]
        assert producer.n_exports == producer.n_releases == 2


def test_an_interrupt_is_not_swallowed():
    def interrupted(**keywords):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        describe(Odd(interrupted))


@pytest.mark.parametrize("device", [RuntimeError("no"), None, (), ("x", 0), 7])
def test_a_device_that_is_not_told_is_read_from_the_capsule(device):
    producer = Producer(range(6))
    assert describe(Odd(producer.__dlpack__, device)).shape == (2, 3)
    elsewhere = Producer(range(6), device=(capsules.CUDA, 0))
    with pytest.raises(DeviceError, match="CUDA"):
        describe(Odd(elsewhere.__dlpack__, device))
    gc.collect()
    assert elsewhere.n_exports == elsewhere.n_releases == 1


@pytest.mark.parametrize("kind, words", [(capsules.ROCM, "ROCm"), (8, "Metal"), (77, "DLPack type 77")])
def test_memory_of_other_devices_is_refused_before_it_is_exported(kind, words):
    producer = Producer(range(6), device=(kind, 0))
    with pytest.raises(UnsupportedError, match=f"reads host and CUDA memory.*{words}.*copy it"):
        describe(producer)
    assert producer.n_exports == 0


@pytest.mark.usefixtures("without_driver")
@pytest.mark.parametrize("kind", [capsules.CUDA, 13])
def test_cuda_memory_without_a_driver_is_refused_before_it_is_exported(kind):
    producer = Producer(range(6), device=(kind, 0))
    with pytest.raises(DeviceError, match="CUDA memory and cannot be read there: .*; or copy it to the host first"):
        describe(producer)
    assert producer.n_exports == 0


@pytest.mark.usefixtures("without_driver")
@pytest.mark.parametrize("module, line", [
    ("cupy._core.core", "cupy.asnumpy"), ("jaxlib._jax", "jax.device_get"), ("numba.cuda.devicearray", "copy_to_host"),
    ("warp.types", "X.numpy"), ("somebody", "to the host"),
])
def test_the_line_that_copies_to_the_host_is_the_librarys_own(module, line):
    Array = type("Array", (Producer,), {"__module__": module})
    with pytest.raises(DeviceError, match=line):
        describe(Array(range(6), device=(capsules.CUDA, 0)))


@pytest.mark.usefixtures("without_driver")
def test_the_cuda_array_interface_is_seen_but_never_evaluated():
    class DeviceArray:
        @property
        def __cuda_array_interface__(self):
            raise AssertionError("evaluated")

    class Holder:
        def __init__(self):
            self.__dict__["__cuda_array_interface__"] = {}

    for thing in (DeviceArray(), Holder()):
        with pytest.raises(DeviceError, match="CUDA memory"):
            describe(thing)


def test_a_refused_export_falls_back_to_memory_that_numpy_can_read():
    class Both:
        def __init__(self, values):
            self.__array_interface__ = values.__array_interface__
            self.values = values

        def __dlpack__(self, **keywords):
            raise BufferError("not now")

    assert describe(Both(np.eye(3))).dtype == "float64"


def test_a_variable_of_tensorflow_is_read_anew_at_every_use():
    class Variable:
        def __init__(self, value):
            self.value = value

        def read_value(self):
            return self.value

    Variable.__module__ = "tensorflow.python.ops.resource_variable_ops"
    variable = Variable(Producer(range(6)))
    source = describe(variable)
    variable.value = Producer(range(10, 16))
    assert first_row(source) == [10, 11, 12]


def test_numpy_arrays_through_dlpack_agree():
    class Exporter:
        def __init__(self, values):
            self.values = values

        def __dlpack__(self, **keywords):
            return self.values.__dlpack__(**keywords)

    values = np.arange(24, dtype=np.float32).reshape(4, 6)[::2, ::-1]
    source = describe(Exporter(values))
    assert first_row(source) == values[0].tolist()


def test_jax_arrays():
    jnp = pytest.importorskip("jax.numpy")
    for name in ("bool", "uint8", "float16", "bfloat16", "float32", "float8_e5m2", "complex64"):
        assert describe(jnp.zeros((2, 3), name)).dtype == name
    assert first_row(describe(jnp.arange(6, dtype="float32").reshape(2, 3).T)) == [0, 3]
    gone = jnp.zeros((2, 3))
    gone.delete()
    with pytest.raises(UnsupportedError, match="deleted"):
        describe(gone)


def test_sharded_arrays_name_the_way_to_one_shard():
    def refuse(**keywords):
        raise BufferError("an array with a Sharding over 2 devices.\nmore")

    with pytest.raises(UnsupportedError, match=r"over 2 devices; draw one shard, X.addressable_data\(0\)$"):
        describe(Odd(refuse))
