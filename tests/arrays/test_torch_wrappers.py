"""Wrapped torch tensors: by torch.func, compilers, modes, subclasses and processes, and tensors without memory."""

import warnings

import numpy as np
import pytest
from figures import axes_of, borrowed, made
from torch_samples import elements, some, stored_bytes

import gpuplot
from gpuplot.arrays.describe import describe
from gpuplot.errors import UnsupportedError

torch = pytest.importorskip("torch")


# ---- subclasses ---------------------------------------------------------------------------------------------------------


def test_subclasses():
    class Labelled(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            return super().__torch_function__(function, types, args, kwargs or {})

    np.testing.assert_array_equal(elements(some().as_subclass(Labelled)), stored_bytes(some()))


def test_a_subclass_whose_methods_fail_is_drawn_all_the_same():
    class Stubborn(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            raise RuntimeError("not here")

    stubborn = some().as_subclass(Stubborn)
    assert describe(stubborn).dtype == "float32"
    describe(stubborn).borrow().release()


def test_subclasses_that_keep_their_elements_elsewhere_are_refused():
    class Wrapper(torch.Tensor):
        @staticmethod
        def __new__(cls, inner):
            return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

        def __init__(self, inner):
            self.inner = inner

        @classmethod
        def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
            if "detach" in str(function) or "alias" in str(function):
                return args[0]
            raise RuntimeError("not here")

    for given in (Wrapper(some()), [Wrapper(some())]):
        with pytest.raises((UnsupportedError, ValueError)):
            describe(given).borrow()


@pytest.mark.filterwarnings("ignore")
def test_wrappers_without_memory():
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.masked import masked_tensor

    with FakeTensorMode():
        fake = torch.ones(2, 3)
    with pytest.raises(UnsupportedError, match="FakeTensor.*no values"):
        describe(fake)
    with pytest.raises(UnsupportedError, match=r"X.to_tensor\(0\)"):
        describe(masked_tensor(torch.ones(2), torch.tensor([True, False])))

def test_modes_do_not_turn_values_into_placeholders():
    """A real tensor in fake mode is read; nothing that gpuplot does is seen by a mode."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.utils._python_dispatch import TorchDispatchMode

    seen = []

    class Watching(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            seen.append(str(function))
            return function(*args, **(kwargs or {}))

    tensor, expected = some(), stored_bytes(some())
    for mode in (FakeTensorMode(), Watching()):
        with mode:
            found = elements(tensor)
        np.testing.assert_array_equal(found, expected)
    assert seen == []


def test_sequences_of_several_lengths():
    packed = torch.nn.utils.rnn.pack_sequence([torch.ones(3), torch.ones(2)])
    with pytest.raises(UnsupportedError, match=r"PackedSequence.*pad_packed_sequence\(X\)\[0\]"):
        describe(packed)


@pytest.fixture
def mesh():
    """A mesh of torch.distributed that consists of this process."""
    distributed = pytest.importorskip("torch.distributed")
    tensors = pytest.importorskip("torch.distributed.tensor")
    if not distributed.is_available() or not hasattr(tensors, "init_device_mesh"):
        pytest.skip("torch without distributed tensors")
    distributed.init_process_group("gloo", rank=0, world_size=1, store=distributed.HashStore())
    yield tensors.init_device_mesh("cpu", (1,))
    distributed.destroy_process_group()


@pytest.mark.filterwarnings("ignore")
def test_tensors_that_are_spread_over_processes(mesh):
    """What every process has whole is read; the rest is test_torch_shards's."""
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor

    whole = distribute_tensor(some(), mesh, [Replicate()])
    for tensor in (whole, torch.nn.Parameter(whole)):
        np.testing.assert_array_equal(elements(tensor), stored_bytes(some()))
    np.testing.assert_array_equal(gpuplot.asnumpy([distribute_tensor(torch.tensor(2.0), mesh, [Replicate()])] * 3), [2, 2, 2])
    np.testing.assert_array_equal(elements(distribute_tensor(some(), mesh, [Shard(0)])), stored_bytes(some()))


# ---- transforms and compilers ------------------------------------------------------------------------------------------


def seen_inside(transform, *arguments):
    """The elements of the tensor that a function gets under a transform of torch.func."""
    seen = []

    def see(x):
        seen.append(elements(x))
        return (x**2).sum()

    transform(see)(*arguments)
    return seen[0]


def test_tensors_inside_of_transforms_have_values():
    func, expected = torch.func, stored_bytes(some())
    for transform in (func.grad, func.functionalize, lambda f: func.grad(func.functionalize(f)), lambda f: lambda x: func.vjp(f, x),
                      lambda f: lambda x: func.jvp(f, (x,), (x,)), lambda f: func.grad(lambda x: func.grad(f)(x).sum())):
        np.testing.assert_array_equal(seen_inside(transform, some()), expected)


def test_pending_operations_in_place_are_done_first():
    def see(x):
        y = x.clone()
        y[0].add_(100)
        np.testing.assert_array_equal(elements(y), expected)
        return y

    expected = stored_bytes(torch.cat([some()[:1] + 100, some()[1:]]))

    torch.func.functionalize(see)(some())


def test_a_wrapper_that_outlived_its_transform():
    kept = []
    torch.func.grad(lambda x: (kept.append(x), x.sum())[1])(some())
    np.testing.assert_array_equal(elements(kept[0]), stored_bytes(some()))


@pytest.mark.parametrize("transform", [torch.vmap, torch.func.hessian, torch.func.jacfwd], ids=["vmap", "hessian", "jacfwd"])
def test_a_tensor_inside_vmap_is_refused(transform):
    refusals = []

    def draw(row):
        try:
            describe(row * 2)
        except UnsupportedError as error:
            refusals.append(str(error))
        return (row**2).sum()

    transform(draw)(some()[:, :2])
    assert transform is not torch.vmap or "return it from the function and draw the result, outside of vmap" in refusals[0]


def test_transforms_work_on_after_a_picture():
    def f(x):
        describe(x).borrow().release()
        return (x**2).sum()

    torch.testing.assert_close(torch.func.grad(f)(some()), 2 * some())


@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning", "ignore:`torch.jit.trace")
def test_shapes_inside_a_trace_are_integers():
    """Those of tensors are tensors there, whose texts were in those of statistics and inspectors."""
    found = []
    torch.jit.trace(lambda x: (found.append(gpuplot.stats(x)), x + 1)[1], some(), check_trace=False)
    assert str(found[0]) == str(gpuplot.stats(some()))
    assert all(type(n) is int for n in (*found[0].shape, found[0].numel, found[0].nbytes))


def test_compiled_functions_draw_between_their_graphs():
    def f(x):
        y = x * 2
        return y + 1, gpuplot.downsample(y, (2, 2))

    for x in (some(), some() + 1):
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message=".*[Dd]ynamo")
            y, cells = torch.compile(f, backend="eager")(x)
        np.testing.assert_array_equal(cells, gpuplot.downsample(2 * x, (2, 2)))
        torch.testing.assert_close(y, 2 * x + 1)
    torch._dynamo.reset()
    with pytest.raises(Exception, match="it draws values, which a graph that is traced does not have"):
        torch.compile(f, backend="eager", fullgraph=True)(some())
    np.testing.assert_array_equal(elements(torch.compile(lambda x: x.T, backend="eager")(some())), stored_bytes(some().T))
    assert gpuplot.imshow._torchdynamo_disable and gpuplot.imsave._torchdynamo_disable


def test_nothing_is_traced_into_exported_programs():
    class Model(torch.nn.Module):
        def forward(self, x):
            gpuplot.downsample(x, (2, 2))
            return x + 1

    with pytest.raises(Exception, match="FakeTensor cannot be read"):
        torch.export.export(Model(), (some(),), strict=False)
    with pytest.raises(UnsupportedError, match="Proxy cannot be read.*outside of tracing"):
        torch.fx.symbolic_trace(Model())


def test_hooks_of_autograd_see_nothing():
    called = []
    tensor = (leaf := some().requires_grad_()) * 2
    tensor.register_hook(called.append)
    with torch.autograd.graph.saved_tensors_hooks(called.append, called.append):
        elements(tensor)
        elements(leaf)
    assert called == [] and tensor.grad_fn is not None and leaf.grad is None and tensor._version == 0


# ---- memory that is not there ------------------------------------------------------------------------------------------


def test_storages_that_were_resized():
    """FSDP frees parameters in this way; reading them crashed or gave garbage."""
    tensor = torch.nn.Parameter(some())
    source = describe(tensor)
    tensor.untyped_storage().resize_(0)
    with pytest.raises(ValueError, match=r"storage of the torch tensor is empty.*FSDP.*model.unshard\(\)"):
        source.borrow()
    shrunk = some()
    shrunk.untyped_storage().resize_(16)
    with pytest.raises(ValueError, match="needs 192 bytes and its storage has 16"):
        describe(shrunk).borrow()


@pytest.mark.filterwarnings("ignore:an inspector is shown by a notebook")
@pytest.mark.parametrize(("n_bytes", "words"), [(0, "storage of the torch tensor is empty"), (16, "needs 192 bytes and its storage has 16"),
                                                (None, "65 dimensions; at most 64 are supported: join some")])
def test_an_inspector_refuses_what_it_could_not_draw(n_bytes, words):
    """As other functions do; it showed the error in its page."""
    tensor = torch.zeros((1,) * 65) if n_bytes is None else some()
    if n_bytes is not None:
        tensor.untyped_storage().resize_(n_bytes)
    with pytest.raises(ValueError, match=words):
        gpuplot.inspect(tensor)
    with gpuplot.inspect(some()) as inspector, pytest.raises(ValueError, match=words):
        inspector.update(tensor)
    assert words in gpuplot.stats({"lost": tensor, "kept": some()}).skipped["lost"]


@pytest.mark.parametrize(("shrink", "words"), [
    (lambda tensor: tensor.resize_(0), "call the function again"), (lambda tensor: tensor.set_(), "call the function again"),
    (lambda tensor: tensor.resize_(3, 4), "call the function again"),
    (lambda tensor: tensor.untyped_storage().resize_(0), "storage of the torch tensor is empty"),
    (lambda tensor: tensor.untyped_storage().resize_(16), "needs 4800000 bytes and its storage has 16"),
], ids=["resized to nothing", "set to nothing", "resized", "freed", "shrunk"])
def test_memory_that_goes_between_two_draws(shrink, words):
    """What has to be read anew is one error, and the next tensor mends the picture."""
    tensor = torch.from_numpy(borrowed()).clone()  # storage of torch's own, which it may resize
    image = gpuplot.imshow(tensor, ax=axes_of(60))
    made(image)
    shrink(tensor)
    image.axes.set_xlim(0, 100)
    for _ in range(2):
        with pytest.raises(ValueError, match=words):
            made(image)
    image.update(torch.from_numpy(borrowed()))
    assert made(image).any()


def test_storages_are_one_axis_of_their_elements():
    tensor = some("bfloat16")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        typed = tensor.storage()
    assert (describe(typed).shape, describe(typed).dtype) == ((48,), "bfloat16")
    assert (describe(tensor.untyped_storage()).shape, describe(tensor.untyped_storage()).dtype) == ((96,), "uint8")
    np.testing.assert_array_equal(elements(typed), elements(tensor.reshape(-1)))


def test_subclasses_that_answer_wrongly():
    class Liar(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            return None

    np.testing.assert_array_equal(elements(some().as_subclass(Liar)), stored_bytes(some()))


def test_lists_of_parameters():
    parameters = torch.nn.ParameterList([some(), some() + 1])
    assert (describe(parameters).shape, describe(parameters).dtype) == ((2, 6, 8), "float32")
    nested = [[torch.tensor(1.0), torch.tensor(2.0)], [torch.tensor(3.0), torch.tensor(4.0)]]
    np.testing.assert_array_equal(gpuplot.downsample(nested, (2, 2)), [[1, 2], [3, 4]])
    objects = np.empty(3, object)
    for k in range(3):
        objects[k] = torch.tensor(float(k), requires_grad=True)
    np.testing.assert_array_equal(gpuplot.downsample(objects, (1, 3)), [[0, 1, 2]])
    with pytest.raises(ValueError, match="rows of the nested list differ in length"):
        describe([[torch.tensor(1.0)], [torch.tensor(1.0), torch.tensor(2.0)]])


# ---- tensors that are wrong --------------------------------------------------------------------------------------------


def wrong_sparse(layout):
    """A sparse 2 x 4 matrix that says that there are elements in row and column 99."""
    indices, values = torch.tensor([0, 99]), torch.ones(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # sparse layouts are in beta, say some versions
        if layout == "coo":
            return torch.sparse_coo_tensor(torch.stack([indices, indices]), values, (2, 4), check_invariants=False)
        make = torch.sparse_csr_tensor if layout == "csr" else torch.sparse_csc_tensor
        pointers = torch.tensor([0, 1, 2] if layout == "csr" else [0, 1, 2, 2, 2])
        return make(pointers, indices, values, (2, 4), check_invariants=False)


@pytest.mark.parametrize("layout", ["coo", "csr", "csc"])
def test_sparse_tensors_with_places_outside_of_their_shape(layout):
    """torch filled in elements beyond its memory: the process ended some time later."""
    with pytest.raises(ValueError, match=f"the indices of the torch tensor of layout sparse_{layout} are wrong, create the tensor again"):
        gpuplot.asnumpy(wrong_sparse(layout))


@pytest.mark.parametrize(("layout", "part"), [("coo", "_indices"), ("coo", "_values"), ("csr", "col_indices"), ("csc", "row_indices")])
@pytest.mark.parametrize("n_bytes", [0, 8])
def test_sparse_tensors_whose_parts_were_resized(layout, part, n_bytes):
    """torch read indices beyond their memory, which ended the process, and elements beyond theirs."""
    X = torch.eye(4).to_sparse() if layout == "coo" else getattr(torch.eye(4), f"to_sparse_{layout}")()
    getattr(X, part)().untyped_storage().resize_(n_bytes)
    with pytest.raises(ValueError, match="was it freed" if not n_bytes else "it was resized"):
        gpuplot.asnumpy(X)


@pytest.mark.parametrize("dtype", [torch.qint8, torch.quint4x2], ids=str)
def test_quantized_tensors_without_a_scale(dtype):
    """torch.empty() of a quantized dtype ended in an internal assertion of torch, then in a hint that did."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X = torch.empty((2, 3), dtype=dtype)
    with pytest.raises(UnsupportedError, match=r"cannot be dequantized: draw its integers, X.int_repr\(\)"):
        gpuplot.asnumpy(X)


def test_several_quantized_elements_in_a_byte():
    """A memory of half a byte an element was said to have been resized."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X = torch.quantize_per_channel(torch.arange(8.0).reshape(2, 4), torch.ones(2) / 2, torch.zeros(2), 0, torch.quint4x2)
    np.testing.assert_array_equal(gpuplot.asnumpy(X), X.dequantize().numpy())


def test_parameters_under_keys():
    """A ParameterDict was read as the text of its keys."""
    with pytest.raises(UnsupportedError, match=r"ParameterDict holds values under keys, choose one with X\[key\]"):
        gpuplot.asnumpy(torch.nn.ParameterDict({"weight": torch.ones(3)}))


@pytest.mark.parametrize("function", [gpuplot.imshow, gpuplot.grid, gpuplot.stats])
def test_of_a_loader_a_batch_is_drawn(function):
    loader = torch.utils.data.DataLoader(torch.zeros(4, 3, 8, 8), 2)
    with pytest.raises(UnsupportedError, match=r"a DataLoader of torch gives batches, draw one, such as next\(iter\(X\)\)"):
        function(loader)
    function(next(iter(loader))[0])
