"""CUDA tensors of other libraries: every layout, dtype and interface is read with the right values."""

import ctypes
import os
import subprocess
import sys
import threading
from types import SimpleNamespace

import foreign_arrays as foreign
import numpy as np
import pytest
from effort import examples
from emulated_device import LEGACY
from foreign_checks import PACES, A, assert_read, written_on
from foreign_interfaces import NumbaManaged
from foreign_memory import DTYPES, ForeignArray
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from stored_tensors import elements, stored_bytes

import gpuplot
from gpuplot.arrays.describe import describe
from gpuplot.errors import DeviceError, UnsupportedError

# ---- layouts and dtypes -----------------------------------------------------------------------------------------------


def layouts():
    whole = np.arange(48, dtype="f4").reshape(6, 8)
    yield "transposed", whole.T
    yield "strided", whole[1::2, ::3]
    yield "backwards", whole[::-1, ::-2]
    yield "broadcast", np.broadcast_to(whole[2], (5, 8))
    yield "one row", whole[2:3]
    yield "one axis", whole[3]
    yield "no axes", whole[2, 3:4].reshape(())
    yield "no rows", whole[:0]


@pytest.mark.parametrize("dialect", ["torch", "cupy", "jax", "warp", "stranger", "numba", "pycuda", "wrapper"])
@pytest.mark.parametrize("values", [pytest.param(values, id=name) for name, values in layouts()])
def test_layouts(runtime, emulated, dialect, values):
    with emulated.mode("forward", "late"):
        X = foreign.DIALECTS[dialect](runtime, values)
        source = assert_read(X)
        assert source.shape == values.shape
        assert values.size == 0 or source.device == (2, 0)


def test_strides_that_are_no_multiple_of_an_element(runtime):
    """CuPy's DLPack divides and rounds down; the interface in bytes is right."""
    memory = np.arange(40, dtype="u1")
    X = foreign.CupyArray(runtime, np.lib.stride_tricks.as_strided(memory.view("f4")[:6], (3, 2), (13, 4)))
    np.testing.assert_array_equal(elements(describe(X)), np.lib.stride_tricks.as_strided(memory, (3, 2, 4), (13, 4, 1)))
    assert X.n_exports == 0


@pytest.mark.parametrize("layout", [lambda a: a[::-1], lambda a: a[:, ::-1], lambda a: a[::-2, ::-3]],
                         ids=["upside down", "reversed", "reversed and strided"])
def test_reversed_arrays_of_cupy(runtime, layout):
    """CuPy 14's DLPack divides strides without a sign, and a real GPU's pictures of x[::-1] were refused."""
    values = layout(np.arange(60, dtype="f4").reshape(6, 10))
    X = foreign.CupyArray(runtime, values)
    np.testing.assert_array_equal(elements(describe(X)), np.ascontiguousarray(values).view("u1").reshape(*values.shape, 4))
    assert X.n_exports == 0


@st.composite
def views(draw):
    """Any view that indexing, transposing and broadcasting make of an array."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=4, max_side=5))
    view = np.arange(np.prod(shape), dtype=draw(st.sampled_from(["u1", "i2", "f4", "c16"]))).reshape(shape)
    view = view[draw(hnp.basic_indices(shape, allow_ellipsis=False))]
    view = np.asarray(view).transpose(draw(st.permutations(range(np.ndim(view)))))
    return np.broadcast_to(view, (3, *view.shape)) if view.ndim < 4 and draw(st.booleans()) else view


@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(views(), st.sampled_from(["torch", "cupy", "jax", "warp", "stranger", "numba", "pycuda", "wrapper"]))
def test_any_view_is_read_as_on_the_host(runtime, emulated, values, dialect):
    with emulated.mode("forward", "late"):
        X = foreign.DIALECTS[dialect](runtime, values)
        found, expected = describe(X), describe(values)
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        if values.size:
            np.testing.assert_array_equal(elements(found), elements(expected))


def test_threads_read_their_own_arrays(runtime, emulated):
    """Calls of the driver let the GIL go; what one thread waits for is not what another one reads."""
    with emulated.mode("forward", "random", seed=3):
        arrays = [foreign.NumbaArray(runtime, A + k, device=k % 2) for k in range(4)]
        wrong = []

        def read(X):
            source = describe(X)
            wrong.extend(n for n in range(20) if not np.array_equal(elements(source), stored_bytes(X.values)))

        threads = [threading.Thread(target=read, args=(X,)) for X in arrays]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


@pytest.mark.parametrize("name", DTYPES)
def test_dtypes_of_torch(runtime, emulated, name):
    stored = np.dtype(DTYPES[name][2])
    values = (np.arange(24) % 2 == 1 if name == "bool" else np.arange(24)).astype(stored).reshape(4, 6)
    with emulated.mode("forward", "late"):
        X = foreign.TorchTensor(runtime, values, dtype=name)
        assert assert_read(X).dtype == name


@pytest.mark.parametrize("name", [name for name in DTYPES if name != "complex32"])
def test_dtypes_of_the_interface(runtime, name):
    """bfloat16 and 8-bit floats have typestrs that say little; the name of the dtype says it."""
    stored = np.dtype(DTYPES[name][2])
    values = (np.arange(24) % 2 == 1 if name == "bool" else np.arange(24)).astype(stored).reshape(4, 6)
    X = foreign.CupyArray(runtime, values, dtype=name, refuses_dlpack=True)
    assert assert_read(X).dtype == name


def test_swapped_bytes(runtime):
    for code in ("f4", "i2", "u8", "c8"):
        X = foreign.Wrapper(runtime, np.arange(24).reshape(4, 6).astype(f">{code}"))
        X.dtype_name = np.dtype(code).name
        X.said = {"typestr": f">{code}"}
        assert_read(X, X.values.astype(code))
        X.free()


@pytest.mark.parametrize("typestr, words", [
    ("<M8[ns]", "dates"), ("<m8[s]", "durations"), ("|V8", "convert it first"), ("|t1", "unpack"), ("|O8", "convert"),
    ("<f16", "convert"), ("<c4", "convert"), ("<V2", "convert"),
])
def test_types_without_a_picture_are_named(runtime, typestr, words):
    X = foreign.Wrapper(runtime, A)
    X.said = {"typestr": typestr}
    with pytest.raises(UnsupportedError, match=rf"elements of type '{typestr[:2]}.*{words}".replace("|", r"\|")):
        describe(X)


# ---- dialects, row by row ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pace", PACES)
def test_torch_gradients_conjugates_and_negatives(runtime, emulated, own_stream, pace):
    """Exports refuse the first two and say nothing about the third; resolving writes late, on torch's stream."""
    z = (np.arange(6) + 1j * np.arange(6)[::-1]).astype("c8").reshape(2, 3)
    runtime.streams[0] = own_stream
    with emulated.mode("forward", pace):
        assert_read(foreign.TorchTensor(runtime, A, stream=own_stream, requires_grad=True))
        assert_read(foreign.TorchTensor(runtime, z, stream=own_stream, conj=True), np.conj(z))
        assert_read(foreign.TorchTensor(runtime, A, stream=own_stream, neg=True), -A)
        Parameter = type("Parameter", (foreign.TorchTensor,), {"__module__": "torch.nn.parameter"})
        assert_read(Parameter(runtime, A, stream=own_stream, requires_grad=True))


@pytest.mark.parametrize("pace", PACES)
def test_small_sparse_and_quantized_tensors_are_computed_where_they_are(runtime, emulated, own_stream, pace):
    """On torch's stream, at each use; nothing that is larger than a picture is computed unasked."""
    runtime.streams[0] = own_stream
    with emulated.mode("forward", pace):
        sparse = foreign.TorchTensor(runtime, A, stream=own_stream, layout="sparse_coo")
        codes = foreign.TorchTensor(runtime, A.astype("u1"), stream=own_stream, dtype="quint8", is_quantized=True)
        assert runtime.n_kernels == 0 and describe(sparse).dtype == describe(codes).dtype == "float32" and runtime.n_kernels == 0
        np.testing.assert_array_equal(gpuplot.asnumpy(sparse), A)
        np.testing.assert_array_equal(gpuplot.asnumpy(codes), A.astype("u1") / 2)
        assert runtime.n_kernels == 2
    huge = foreign.TorchTensor(runtime, A, layout="sparse_csr")
    huge.numel = lambda: 2**21
    huge.detach = lambda: huge
    with pytest.raises(UnsupportedError, match=r"sparse_csr and 2097152 elements.*X.to_dense\(\)"):
        describe(huge)


@pytest.mark.parametrize("pace", PACES)
def test_old_torch(runtime, emulated, own_stream, pace):
    runtime.streams[0] = own_stream
    with emulated.mode("forward", pace):
        assert_read(foreign.TorchTensor(runtime, A, stream=own_stream, age="old", requires_grad=True))


@pytest.mark.parametrize("dialect", ["torch", "cupy", "jax", "numba", "rmm", "wrapper"])
def test_arrays_of_another_device_than_the_current_one(runtime, emulated, dialect):
    """torch refuses to export them and CuPy would wait for the wrong stream, were their device not the current one."""
    with emulated.stream(1) as stream, emulated.mode("forward", "late"):
        X = written_on(runtime, dialect, stream, device=1)
        assert assert_read(X).device == (2, 1)
        assert runtime.device == 0
        if dialect == "cupy":
            assert_read(written_on(runtime, dialect, stream, device=1, refuses_dlpack=True))
        emulated.drain()
        X.free()


def test_an_object_that_holds_a_tensor_of_torch(runtime, emulated):
    """It belongs to nobody's library, and what it holds is exported on its own device alone."""
    class Holder:
        def __init__(self, tensor):
            self.tensor = tensor

        def __dlpack_device__(self):
            return self.tensor.__dlpack_device__()

        def __dlpack__(self, **keywords):
            return self.tensor.__dlpack__(**keywords)

    with emulated.stream(1) as stream, emulated.mode("forward", "late"):
        X = written_on(runtime, "torch", stream, device=1)
        np.testing.assert_array_equal(elements(describe(Holder(X))), stored_bytes(A))
        emulated.drain()


@pytest.mark.parametrize("pace", PACES)
def test_torch_tensors_of_a_list_are_stacked_on_their_device(runtime, emulated, own_stream, pace):
    runtime.streams[0] = own_stream
    with emulated.mode("forward", pace):
        losses = [foreign.TorchTensor(runtime, np.array(k, "f4"), stream=own_stream, requires_grad=True) for k in range(3)]
        np.testing.assert_array_equal(elements(describe(losses)), stored_bytes(np.arange(3, dtype="f4")))
    with pytest.raises(ValueError, match=r"different devices.*\[x.cpu\(\) for x in X\]"):
        describe([foreign.TorchTensor(runtime, A), foreign.TorchTensor(runtime, A, device=1)])


def test_torch_for_rocm_is_refused(runtime, monkeypatch):
    monkeypatch.setattr(sys.modules["torch"], "version", SimpleNamespace(hip="6.0", cuda=None))
    with pytest.raises(UnsupportedError, match=r"'cuda \(ROCm\)'.*X.cpu\(\)"):
        describe(foreign.TorchTensor(runtime, A))


def test_hip_arrays_with_an_interface_like_cudas_are_refused(runtime):
    class HipArray(foreign.CupyArray):
        def __dlpack_device__(self):
            return (10, 0)

    with pytest.raises(UnsupportedError, match="ROCm memory.*cupy.asnumpy"):
        describe(HipArray(runtime, A))


def test_jax_says_what_was_deleted_and_what_is_sharded(runtime):
    X = foreign.JaxArray(runtime, A)
    source = describe(X)
    X.is_deleted = True
    with pytest.raises(UnsupportedError, match=r"Array has been deleted with shape=float32\[4, 6\]"):
        source.borrow()
    X.is_deleted, X.n_shards = False, 2
    with pytest.raises(UnsupportedError, match=r"Sharding over 2 devices.*X.addressable_data\(0\)"):
        describe(X)
    assert X.n_exports == X.n_releases == 1


def test_variables_of_tensorflow(runtime, emulated, own_stream):
    with emulated.mode("forward", "late"):
        variable = foreign.TensorflowVariable(foreign.TensorflowTensor(runtime, A, stream=own_stream))
        source = describe(variable)
        variable.value = foreign.TensorflowTensor(runtime, A + 1, stream=own_stream)
        np.testing.assert_array_equal(elements(source), stored_bytes(A + 1))


def test_pycuda_has_a_context_of_its_own(runtime, emulated):
    with emulated.other_context() as context:
        X = foreign.PycudaArray(runtime, A, context=context)
        with pytest.raises(UnsupportedError, match="CUDA context of its own.*autoprimaryctx"):
            describe(X)
        X.free()


def masked(runtime, values, valid, **said):
    """An array with an interface whose mask says what is valid."""
    X, mask = foreign.Wrapper(runtime, values), foreign.Wrapper(runtime, valid)
    mask.said = said
    X.said = {"mask": mask}
    return X


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("valid", [
    A % 5 > 1, (A % 3).astype("u1"), (A % 5 > 1)[:, ::-1], (A % 5 > 1)[1:2], (A % 5 > 1)[2], np.array([[True]] * 4),
], ids=["bool", "bytes", "backwards", "one row", "one axis", "column"])
def test_masks_say_which_elements_are_valid(runtime, emulated, valid, pace):
    """The other way round than NumPy's; broadcast to the shape of the array."""
    with emulated.mode("forward", pace):
        X, expected = masked(runtime, A, valid), np.ma.array(A, mask=~np.broadcast_to(valid.astype(bool), A.shape))
        source = describe(X)
        assert source.is_masked and source.device == (2, 0)
        for nan in ("show", "skip"):
            np.testing.assert_array_equal(gpuplot.downsample(X, (2, 3), nan=nan),
                                          gpuplot.downsample(expected, (2, 3), nan=nan))
        np.testing.assert_array_equal(gpuplot.to_rgba(X, cmap="jet"), gpuplot.to_rgba(expected, cmap="jet"))


def test_a_mask_that_says_no_strides_lies_in_order(runtime):
    valid = A % 5 > 1
    X, expected = masked(runtime, A, valid, strides=None), np.ma.array(A, mask=~valid)
    np.testing.assert_array_equal(gpuplot.downsample(X, A.shape), gpuplot.downsample(expected, A.shape))


def test_masks_that_do_not_fit(runtime):
    for valid, said, error, words in [
        (A[:, :3] > 0, {}, ValueError, r"the mask has shape \(4, 3\) and the array \(4, 6\)"),
        (np.ones((1, 4, 6), bool), {}, ValueError, "give a mask that broadcasts to the array"),
        (A > 0, {"shape": (400, 6)}, ValueError, "give a mask that broadcasts to the array"),
        (A > 0, {"strides": (6000, 1)}, DeviceError, "beyond its memory|no memory that CUDA knows"),
        (A > 0, {"typestr": "|t1"}, UnsupportedError, "a bit mask, which only 1-D columns can have"),
        (A, {}, UnsupportedError, "not an array of bool"),
    ]:
        with pytest.raises(error, match=words):
            describe(masked(runtime, A, valid, **said))


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("says_bytes", [False, True])
@pytest.mark.parametrize("n", [1, 8, 13, 1000])
def test_cudf_with_missing_values(runtime, emulated, own_stream, n, says_bytes, pace):
    """Arrow's bits, the lowest first, come to the host with the column."""
    values, valid = np.arange(n) * 1.5, np.arange(n) % 3 != 1
    expected = np.ma.array(values, mask=~valid)
    with emulated.mode("forward", pace):
        X = foreign.CudfSeries(runtime, values, valid=valid, says_bytes=says_bytes, stream=own_stream)
        assert describe(X).is_masked
        np.testing.assert_array_equal(gpuplot.asnumpy(X), expected.filled(np.nan))
        whole = gpuplot.asnumpy(X, "int32")
        np.testing.assert_array_equal(whole.mask, ~valid)
        np.testing.assert_array_equal(gpuplot.downsample(X, (1, min(n, 9)), nan="skip"),
                                      gpuplot.downsample(expected, (1, min(n, 9)), nan="skip"))
        np.testing.assert_array_equal(gpuplot.to_rgba(X), gpuplot.to_rgba(expected))


def test_cudf_with_masks_that_do_not_fit_and_text(runtime):
    X = foreign.CudfSeries(runtime, np.arange(800.0), valid=np.ones(800, bool))
    X.mask_shape = (99,)
    with pytest.raises(ValueError, match=r"mask of the Series has shape \(99,\) but the column 800 elements: make them equal"):
        describe(X)
    X.mask_shape = (100, 1)
    with pytest.raises(ValueError, match=r"mask of the Series has shape \(100, 1\) but the column 800 elements"):
        describe(X)
    X.mask_shape = (100,)
    X.bits.free()
    with pytest.raises(DeviceError, match="was the tensor freed"):
        describe(X)
    X.is_text = True
    with pytest.raises(UnsupportedError, match="strings are not supported"):
        describe(X)
    dates = foreign.Wrapper(runtime, np.arange(8))
    dates.said = {"typestr": "<M8[ns]"}
    with pytest.raises(UnsupportedError, match="dates cannot be drawn: subtract one of them"):
        describe(dates)


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("kind", ["managed", "pinned"])
def test_numbas_managed_and_mapped_arrays(runtime, emulated, own_stream, kind, pace):
    """They are ndarrays, which the host would read before the device has written them; and slices of them."""
    for stream in (own_stream, LEGACY):
        with emulated.mode("forward", pace):
            X = NumbaManaged.over(runtime, A, kind=kind, stream=stream)
            source = describe(X)
            assert source.device == (2, 0) and not source.is_host_array
            np.testing.assert_array_equal(elements(source), stored_bytes(A))
            X.late.rewrite(A + 1, stream)
            np.testing.assert_array_equal(elements(describe(X[1:, ::2])), stored_bytes(A[1:, ::2] + 1))
            X.late.rewrite(A, stream)
            np.testing.assert_array_equal(gpuplot.asnumpy(X.T), A.T)
    emulated.drain()
    product = X * 2
    assert type(product) is NumbaManaged and describe(product).device is None
    np.testing.assert_array_equal(gpuplot.downsample(product, (4, 6)), A * 2)
    assert describe(X[:0]).size == 0


class Pinned(ForeignArray):
    """Pinned host memory, whose capsule says that it is host memory."""

    def __dlpack_device__(self):
        return (3, 0)

    def __dlpack__(self, *, stream=None, max_version=None):
        assert stream is None
        return self.capsule(kind=1)


@pytest.mark.parametrize("pace", PACES)
def test_a_stream_that_writes_to_pinned_memory_of_the_host(runtime, emulated, own_stream, pace):
    """A copy that does not block is on its way when it returns: the host waits for the stream that is named."""
    with emulated.mode("forward", pace), emulated.allocate(A.nbytes, "pinned") as memory:
        X = Pinned(runtime, A, kind="pinned", stream=own_stream)
        source = describe(X, stream=own_stream)
        assert source.device is None
        np.testing.assert_array_equal(elements(source), stored_bytes(A))
        X.late.rewrite(A + 1, own_stream)
        np.testing.assert_array_equal(elements(source), stored_bytes(A + 1))
        array = memory.host_view("f4")[:24].reshape(4, 6)
        memory.write_late(A, own_stream)
        np.testing.assert_array_equal(gpuplot.downsample(array, (4, 6), stream=own_stream), A)
        memory.write_late(A + 2, own_stream)
        np.testing.assert_array_equal(gpuplot.asnumpy(array, "f8", stream=SimpleNamespace(cuda_stream=own_stream, device_index=0)), A + 2)


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("device", [0, 1])
def test_managed_memory_is_read_on_the_device_that_it_is_on(runtime, emulated, device, pace):
    """DLPack gives no device for it: the driver knows. Its writer ordered another stream then, so the host waits."""
    with emulated.stream(device) as stream, emulated.mode("forward", pace):
        X = foreign.CupyArray(runtime, A, device=device, stream=stream, kind="managed")
        runtime.streams[device] = stream
        assert assert_read(X).device == (2, device)
        Y = foreign.Stranger(runtime, A, device=0, stream=LEGACY, kind="managed")
        assert_read(Y)
        emulated.drain()
        X.free(), Y.free()


def test_memory_of_a_pool_has_no_context(runtime, emulated):
    X = foreign.Stranger(runtime, A, kind="pool", device=1)
    assert assert_read(X).device == (2, 1)


def test_virtual_memory_is_several_ranges_in_a_row(runtime, emulated):
    """torch's expandable segments: the driver may call each piece that was mapped a range of its own."""
    X, Y = foreign.Stranger(runtime, A), foreign.NumbaArray(runtime, A[::-1, ::2])
    emulated.driver.emu_set_range_bytes(ctypes.c_uint64(20))
    try:
        assert_read(X)
        assert_read(Y)
        X.values = np.lib.stride_tricks.as_strided(A, (5, 6), (24, 4), writeable=False)
        with pytest.raises(DeviceError, match="reaches 24 bytes beyond its memory"):
            describe(X)
    finally:
        emulated.driver.emu_set_range_bytes(ctypes.c_uint64(0))


def test_virtual_memory_has_to_be_there(runtime, emulated):
    """Of expandable segments the driver tells the addresses that are reserved, of which only some have memory behind them."""
    X, Y = foreign.Stranger(runtime, A, kind="virtual"), foreign.NumbaArray(runtime, A[::-1, ::2], kind="virtual")
    assert_read(X)
    assert_read(Y)
    beyond = foreign.Stranger(runtime, A, kind="virtual")
    beyond.values = np.lib.stride_tricks.as_strided(A, (5, 6), (24, 4), writeable=False)
    with pytest.raises(DeviceError, match="no memory behind address 0x[0-9a-f]+, which is reserved"):
        describe(beyond)
    emulated.drain()
    X.free()
    with pytest.raises(DeviceError, match="was the tensor freed"):
        describe(X)


def test_pinned_memory_behind_the_interface_is_read_by_the_device(runtime):
    """DLPack says that memory is pinned; the interface says nothing, and the device can read it, too."""
    assert assert_read(foreign.Wrapper(runtime, A, kind="pinned", device=1)).device == (2, 1)


def test_pinned_host_memory_is_host_memory(runtime, emulated):
    X = Pinned(runtime, A, kind="pinned")
    emulated.drain()
    emulated.clear_counts()
    source = assert_read(X)
    assert source.device is None and emulated.counts() == {}


def test_numbas_simulator_has_host_arrays():
    """Its arrays have neither the interface nor DLPack, and shape[-1] of one fails."""
    pytest.importorskip("numba")
    code = ("import numpy, gpuplot; from numba import cuda; "
            "print(gpuplot.downsample(cuda.to_device(numpy.arange(4.0).reshape(2, 2)), (1, 1)))")
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | {"NUMBA_ENABLE_CUDASIM": "1"}, capture_output=True,
                          text=True, timeout=600)
    assert done.stdout == "[[1.5]]\n", done.stderr
