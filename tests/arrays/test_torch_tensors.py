"""torch tensors in host memory: every dtype, layout and wrapper, and errors for those that cannot be drawn."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from figures import axes_of, made
from torch_samples import elements, some, stored_bytes

import gpuplot
from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.errors import UnsupportedError
from gpuplot.plane.view import choose

torch = pytest.importorskip("torch")

DTYPES = ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16",
          "float32", "float64", "complex32", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz",
          "float8_e5m2fnuz", "float8_e8m0fnu"]
LAYOUTS = {
    "contiguous": lambda t: t, "transposed": lambda t: t.T, "strided": lambda t: t[1::2, ::3], "row": lambda t: t[2:3],
    "expanded": lambda t: t[:1].expand(5, -1), "offset": lambda t: t[3:, 4:], "empty": lambda t: t[:0],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", DTYPES)
def test_dtypes_and_layouts(name, layout):
    if not hasattr(torch, name):
        pytest.skip(f"this torch has no {name}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns that complex32 is experimental
        tensor = LAYOUTS[layout](some(name))
    source = describe(tensor)
    assert (source.shape, source.dtype) == (tuple(tensor.shape), name)
    assert source.nbytes == tensor.numel() * tensor.element_size()
    found = elements(tensor)
    if tensor.numel():
        np.testing.assert_array_equal(found, stored_bytes(tensor))


def test_zero_dimensions_and_channels_last():
    assert describe(torch.tensor(3.0)).shape == ()
    with describe(torch.zeros(1, 3, 4, 5).to(memory_format=torch.channels_last)).borrow() as tensor:
        assert tensor.shape == (1, 3, 4, 5) and tensor.strides[1:] == (4, 60, 12)


def test_gradients_parameters_and_inference_tensors():
    for tensor in (some().requires_grad_(), some().requires_grad_() * 2, torch.nn.Parameter(some())):
        np.testing.assert_array_equal(elements(tensor), stored_bytes(tensor))
    with torch.inference_mode():
        tensor = some()
    np.testing.assert_array_equal(elements(tensor), stored_bytes(tensor))


def test_pending_conjugation_and_negation_are_resolved():
    tensor = torch.complex(some(), some() + 1).conj()
    assert tensor.is_conj() and tensor.imag.is_neg()
    np.testing.assert_array_equal(elements(tensor), stored_bytes(tensor))
    np.testing.assert_array_equal(elements(tensor.imag), stored_bytes(-(some() + 1)))


def test_the_memory_is_shared_and_read_at_each_use():
    tensor = some()
    source = describe(tensor)
    tensor.add_(1)
    view = choose(source.shape, None, source.dtype)
    out = np.empty(view.shape, np.float32)
    with source.borrow() as borrowed:
        _native.gather(_native.Plane(borrowed, view.uses, view.stage_ops), out)
    np.testing.assert_array_equal(out, tensor.numpy())


def test_a_list_of_losses():
    source = describe([torch.tensor(1.0, requires_grad=True), torch.tensor(2.0), torch.nn.Parameter(torch.tensor(3.0))])
    assert (source.shape, source.dtype) == ((3,), "float32")
    assert describe((some(), some())).shape == (2, 6, 8)
    with pytest.raises(ValueError, match="differ in shape"):
        describe([torch.ones(2), torch.ones(3)])


def computed():
    yield torch.eye(3).to_sparse(), torch.eye(3)
    yield (some().requires_grad_() * 2).to_sparse(), 2 * some()
    for layout in ("to_sparse_csr", "to_sparse_csc"):
        yield getattr(some(), layout)(), some()
    yield some().to_sparse_bsr((2, 4)), some()
    yield torch.complex(some(), some() + 1).to_sparse().conj(), torch.complex(some(), -some() - 1)
    yield torch.sparse_coo_tensor([[0, 0, 1], [2, 2, 0]], [1.0, 2.0, 4.0], (2, 3)), torch.tensor([[0, 0, 3], [4.0, 0, 0]])
    if hasattr(torch, "quantize_per_tensor"):
        yield torch.quantize_per_tensor(some(), 0.5, 3, torch.quint8), torch.quantize_per_tensor(some(), 0.5, 3, torch.quint8).dequantize()
        yield torch.quantize_per_channel(some(), torch.arange(1, 7.0), torch.zeros(6), 0, torch.qint8), None


def test_small_sparse_and_quantized_tensors_are_made_dense_for_each_use():
    for tensor, expected in computed():
        expected = tensor.dequantize() if expected is None else expected
        assert describe(tensor).shape == tuple(expected.shape)
        np.testing.assert_array_equal(elements(tensor), stored_bytes(expected))
    source = describe(tensor := torch.eye(3).to_sparse().coalesce())
    tensor.values().mul_(2)
    with source.borrow() as borrowed:
        assert borrowed.dtype == "float32"


@pytest.mark.parametrize("name", [name for name in DTYPES if hasattr(torch, name)])
@pytest.mark.filterwarnings("ignore")
def test_scalars_of_every_dtype_in_a_list(name):
    """Looked at all together, or one by one where they differ or carry a sign: the same elements."""
    losses = [torch.tensor(float(k)).to(getattr(torch, name)) for k in range(5)]
    source = describe(losses)
    assert (source.shape, source.dtype) == ((5,), name)
    expected = stored_bytes(torch.stack(losses))
    assert source.nbytes == expected.nbytes
    np.testing.assert_array_equal(elements(losses)[0], expected)
    if name in ("complex64", "complex128"):
        signed = [(loss * 1j).conj() for loss in losses]
        np.testing.assert_array_equal(gpuplot.asnumpy(signed), -1j * np.arange(5))
        np.testing.assert_array_equal(gpuplot.asnumpy([loss.imag for loss in signed]), -np.arange(5))


def test_scalars_without_memory_in_a_list():
    losses = [torch.tensor(1.0), torch.tensor(2.0)]
    losses[1].untyped_storage().resize_(0)
    with pytest.raises(ValueError, match="storage of the torch tensor is empty"):
        describe(losses)
    with pytest.raises(UnsupportedError, match="meta device"):
        describe([torch.tensor(1.0, device="meta")] * 2)


def refused():
    huge = torch.sparse_coo_tensor([[0], [0]], [1.0], (2**11, 2**10))
    yield huge, "sparse_coo and 2097152 elements.*X.to_dense"
    yield huge.to_sparse_csr(), "sparse_csr.*X.to_dense"
    yield torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]), "nested.*to_padded_tensor"
    jagged = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)
    yield jagged, "NestedTensor.*to_padded_tensor"
    yield torch.ones(2, device="meta"), "meta device.*load_state_dict"
    yield torch.nn.UninitializedParameter(), "UninitializedParameter.*run one batch through"
    if hasattr(torch, "quantize_per_tensor"):
        yield torch.quantize_per_tensor(torch.ones(2**21), 0.1, 0, torch.quint8), "X.dequantize"
    if hasattr(torch, "float4_e2m1fn_x2"):
        yield torch.empty(2, 2, dtype=torch.float4_e2m1fn_x2), "float4_e2m1fn_x2.*X.view"


@pytest.mark.filterwarnings("ignore")
def test_what_has_no_picture_names_the_line_that_gives_one():
    for tensor, words in refused():
        for given in (tensor, [tensor]):
            with pytest.raises(UnsupportedError, match=words):
                describe(given)


@pytest.mark.parametrize("kind", ["mps", "xpu", "hpu"])
def test_devices_that_are_not_read_are_named(kind):
    from gpuplot.arrays.torch_tensors import check_device

    with pytest.raises(UnsupportedError, match=rf"host and CUDA memory.*'{kind}'.*X.cpu\(\)"):
        check_device(SimpleNamespace(device=torch.device(kind)))


def test_other_things_of_torch_are_no_tensors():
    for thing in (torch.nn.Linear(2, 3), torch.float32, torch.device("cpu"), torch.Tensor, torch.nn.Parameter, torch.finfo(torch.float32)):
        with pytest.raises(TypeError):
            describe(thing)
    assert describe(torch.Size([2, 3])).shape == (2,)


@pytest.mark.skipif(not hasattr(torch, "_efficientzerotensor"), reason="this torch has no zeros without memory")
def test_gradients_that_nobody_computed_are_zeros():
    """torch keeps no memory for zero gradients: their data pointer is null."""
    zeros = torch._efficientzerotensor((2, 3), dtype=torch.complex64)
    for X in (zeros, zeros.T, zeros.conj(), zeros.conj().imag):
        np.testing.assert_array_equal(gpuplot.asnumpy(X), np.zeros(X.shape))
        with pytest.raises(ValueError, match="a copy is needed"):
            gpuplot.asnumpy(X, copy=False)


@pytest.mark.parametrize("name", DTYPES)
def test_small_tensors_of_every_dtype_are_drawn_as_the_same_numbers_in_numpy(name):
    if not hasattr(torch, name):
        pytest.skip(f"this torch has no {name}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns that complex32 is experimental
        tensor = some(name)
        numbers = tensor.to(torch.complex128 if tensor.is_complex() else torch.float64).numpy()
    for layout in (lambda X: X, lambda X: X.T, lambda X: X[1::2]):
        drawn = [made(gpuplot.imshow(layout(X), ax=axes_of(48))) for X in (tensor, numbers)]
        np.testing.assert_array_equal(drawn[0], drawn[1])


@pytest.mark.parametrize("mode", ["real", "imaginary", "phase", "amplitude_phase"])
def test_parts_of_small_complex_tensors(mode):
    tensor = torch.polar(some() + 1, some() / 5)
    drawn = [made(gpuplot.imshow(X, ax=axes_of(48), complex_mode=mode)) for X in (tensor, tensor.numpy())]
    np.testing.assert_array_equal(drawn[0], drawn[1])
