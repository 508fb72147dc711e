"""torch tensors -> a native tensor, without wrappers and pending signs; small sparse ones made dense, unreadable ones refused."""

import contextlib
import functools
import sys

from ..errors import UnsupportedError, reason_of, type_text
from . import cuda_devices, dlpack
from .dtypes import ITEM_BYTES
from .literals import MAX_AXES
from .optional_imports import is_kind, loaded

# Maximum number of elements of sparse and quantized tensors, which are made dense at each use.
MAX_COMPUTED = 2**20

_NESTED = "its rows differ in length; pad them, with X.float().to_padded_tensor(float('nan')), or draw one, X[0]"
_TRACED = "it has no values; draw outside of tracing"
_UNINITIALIZED = "it has no shape yet; run one batch through the model first"

# Elements per byte, of dtypes that pack several.
_PACKED = {"torch.quint4x2": 2, "torch.quint2x4": 4}

# Subclasses without elements of their own, and what to draw instead.
_WRAPPERS = {
    "NestedTensor": _NESTED,
    "FakeTensor": "it has no values; draw outside of tracing and FakeTensorMode",
    "FunctionalTensor": _TRACED,
    "Proxy": _TRACED,
    "DTensor": "it is spread over processes; give this process's part, X.to_local(), or all of it, X.full_tensor()",
    "MaskedTensor": "fill masked elements, with X.to_tensor(0)",
    "PackedSequence": "its sequences differ in length; pad them, with torch.nn.utils.rnn.pad_packed_sequence(X)[0]",
    "UninitializedParameter": _UNINITIALIZED,
    "UninitializedBuffer": _UNINITIALIZED,
}


def is_tensor(X):
    """True for torch.Tensor and its subclasses; torch is not imported for this."""
    tensor_type = loaded("torch.Tensor")
    return isinstance(tensor_type, type) and issubclass(type(X), tensor_type)


def is_dtensor(X):
    """True for a torch.distributed.tensor.DTensor, also as a parameter."""
    return is_kind(X, ("torch",), "DTensor")


def is_whole(X):
    """Whether every process of a DTensor holds all of it."""
    return bool(X.placements) and all(place.is_replicate() or n == 1 for place, n in zip(X.placements, X.device_mesh.shape, strict=True))


def parts_of(X):
    """The tensors in a ParameterList or a storage of torch; None for other objects."""
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    _refuse_wrappers(X)
    names = {base.__name__ for base in type(X).__mro__}
    if "ParameterList" in names:
        return list(X)
    if names & {"UntypedStorage", "TypedStorage"}:
        memory = getattr(X, "_untyped_storage", X)
        return torch.empty(0, dtype=getattr(X, "dtype", torch.uint8), device=X.device).set_(memory)
    return None


def describe(tensor):
    """(shape, dtype name, names of the axes or None, device, whether it is lazy) of a tensor.

    The device is (2, ordinal) for memory of a CUDA device, None for host memory. The elements of lazy tensors are computed for
    every use: conjugated, negated, sparse and quantized ones. UnsupportedError for nested, meta, large sparse and other tensors
    without one element per place, ValueError for one whose storage was freed or shrunk and for too many axes, DeviceError for CUDA
    memory without a driver.
    """
    with outside_of_transforms(tensor):
        kind, tensor = type(tensor), _checked(tensor)
        _check_memory(tensor, kind)
        if tensor.ndim > MAX_AXES:
            raise ValueError(f"a tensor of {tensor.ndim} dimensions; at most {MAX_AXES} are supported: join some, such as X.flatten(0, 1)")
        names = _axis_names(tensor)
        name = "float32" if tensor.is_quantized else dtype_name(tensor)
        device = tensor.device
        dlpack_device = (dlpack.CUDA, device.index) if device.type == "cuda" else None
        shape = tuple(map(int, tensor.shape))  # which torch.jit.trace makes of tensors
        return shape, name, names if names and None not in names else None, dlpack_device, _is_lazy(tensor)


def lend(tensor, stream=None):
    """Borrows a tensor's memory through DLPack; conjugated, negated, sparse and quantized elements are computed for this use."""
    with outside_of_transforms(tensor):
        (tensor,) = plain(tensor)
        name = dtype_name(tensor)
        if name.startswith("float8"):
            return dlpack.lend(tensor.view(sys.modules["torch"].uint8), name, stream)
        return dlpack.lend(tensor, None, stream)


def copied(tensor):
    """A plain copy of the current elements in new memory; on a device it is queued on the caller's current stream."""
    with outside_of_transforms(tensor):
        (bare,) = plain(tensor)
        return bare.clone()


def _is_lazy(bare):
    return bare.is_quantized or bare.layout != sys.modules["torch"].strided or bare.is_conj() or bare.is_neg() or _is_zeros(bare)


def plain(*tensors):
    """The same elements as a list of plain torch.Tensors: no gradient, axis names, pending signs or sparsity."""
    kinds = [type(tensor) for tensor in tensors]
    tensors = [_checked(tensor) for tensor in tensors]
    for tensor, kind in zip(tensors, kinds, strict=True):
        _check_memory(tensor, kind)
    for ordinal in {tensor.device.index for tensor in tensors if tensor.device.type == "cuda"}:
        cuda_devices.refuse_capture(ordinal)  # the calls below may queue kernels, which a graph would record
    return [_resolved(tensor) for tensor in tensors]


def _is_zeros(tensor):
    """True for zeros without memory, which stand for gradients that were not computed."""
    ask = getattr(tensor, "_is_zerotensor", None)  # which some versions of torch lack
    return ask is not None and ask()


def _resolved(tensor):
    if _is_zeros(tensor):
        tensor = tensor.clone()
    if any(name is not None for name in _axis_names(tensor)):
        tensor = tensor.rename(None)
    if tensor.is_quantized:
        return _computed(tensor, "dequantize")
    if tensor.layout != sys.modules["torch"].strided:
        _check_indices(tensor)
        return _computed(tensor, "to_dense")
    # Exports ignore these two flags: the picture would be wrong without an error.
    if tensor.is_conj():
        tensor = tensor.resolve_conj()
    return tensor.resolve_neg() if tensor.is_neg() else tensor


def _computed(tensor, method):
    """The strided tensor that a method of torch computes from one that is not strided."""
    try:
        return getattr(tensor, method)()
    except Exception as error:  # torch lacks the method for some dtypes
        if tensor.is_quantized:  # without a scale, as torch.empty makes them
            raise UnsupportedError(f"the {tensor.dtype} tensor cannot be dequantized: draw its integers, X.int_repr()") from error
        raise UnsupportedError(f"a torch tensor of layout {_layout_name(tensor)} and {tensor.dtype} has no {method}(), convert "
                               f"it first, for example to torch.float32: {reason_of(error)}") from error


def _check_indices(tensor):
    """ValueError where a sparse tensor has indices outside its shape, or parts beyond their storage: torch does not check.

    It would read and write beyond its memory.
    """
    torch, layout, size = sys.modules["torch"], _layout_name(tensor), tensor.shape
    try:
        parts = _parts(tensor, layout)
        for part in parts:
            _check_memory(part, torch.Tensor)
        if layout == "sparse_coo":
            torch._validate_sparse_coo_tensor_args(*parts, size)
        elif parts:
            torch._validate_sparse_compressed_tensor_args(*parts, size, tensor.layout)
    except AttributeError:  # a version of torch without these checks
        pass
    except RuntimeError as error:
        raise ValueError(f"the indices of the torch tensor of layout {layout} are wrong, create the tensor again: "
                         f"{reason_of(error)}") from error


def _parts(tensor, layout):
    """The tensors in a sparse tensor: of its indices, then of its values; none in one of another layout."""
    if layout == "sparse_coo":
        return tensor._indices(), tensor._values()
    if not layout.startswith("sparse_"):
        return ()
    if layout in ("sparse_csr", "sparse_bsr"):
        return tensor.crow_indices(), tensor.col_indices(), tensor.values()
    return tensor.ccol_indices(), tensor.row_indices(), tensor.values()


# ---- wrappers ----------------------------------------------------------------------------------------------------------


def is_transformed():
    """True inside a transform of torch.func or a dispatch mode, which change what operations do."""
    functorch, modes = _functorch(sys.modules["torch"]), sys.modules.get("torch.utils._python_dispatch")
    is_inside = functorch is not None and functorch.peek_interpreter_stack() is not None
    return is_inside or (hasattr(modes, "_get_current_dispatch_mode_stack") and bool(modes._get_current_dispatch_mode_stack()))


def outside_of_transforms(tensor):
    """A context in which operations are plain ones: without transforms of torch.func, dispatch modes and subclass overrides."""
    torch = sys.modules["torch"]
    contexts = []
    functorch, modes = _functorch(torch), sys.modules.get("torch.utils._python_dispatch")
    if functorch is not None and functorch.peek_interpreter_stack() is not None:
        clear = getattr(sys.modules.get("torch._functorch.pyfunctorch"), "temporarily_clear_interpreter_stack", contextlib.nullcontext)
        contexts.append(clear())
    if hasattr(modes, "_disable_current_modes") and modes._get_current_dispatch_mode_stack():
        contexts.append(modes._disable_current_modes())
    if type(tensor) is not torch.Tensor:
        without = getattr(getattr(torch, "_C", None), "DisableTorchFunctionSubclass", contextlib.nullcontext)
        contexts.append(without())
    return _all_of(contexts) if contexts else contextlib.nullcontext()


@contextlib.contextmanager
def _all_of(contexts):
    with contextlib.ExitStack() as stack:
        for context in contexts:
            stack.enter_context(context)
        yield


@functools.cache
def _functorch(torch):
    """torch's module for the wrappers of torch.func, None where this version of torch differs."""
    functorch = getattr(getattr(torch, "_C", None), "_functorch", None)
    return functorch if hasattr(functorch, "get_unwrapped") and hasattr(functorch, "peek_interpreter_stack") else None


def _without_transforms(tensor):
    """The tensor inside the wrappers of torch.func; UnsupportedError where one stands for many (vmap)."""
    functorch = _functorch(sys.modules["torch"])
    while functorch is not None and functorch.is_functorch_wrapped_tensor(tensor):
        if functorch.is_batchedtensor(tensor):
            raise UnsupportedError("a tensor inside torch.vmap stands for the whole batch: return it from the function and draw the "
                                   "result, outside of vmap")
        if functorch.is_functionaltensor(tensor):
            sys.modules["torch"]._sync(tensor)  # operations in place may be pending
        tensor = functorch.get_unwrapped(tensor)
    return tensor


def _refuse_wrappers(X):
    for base in type(X).__mro__:
        if base.__name__ in _WRAPPERS and str(base.__module__).partition(".")[0] == "torch":
            raise UnsupportedError(f"{type_text(base)} cannot be read: {_WRAPPERS[base.__name__]}")


def _checked(tensor):
    """The tensor without gradient and subclass; raises where it has no elements in memory that can be read."""
    torch = sys.modules["torch"]
    if type(tensor) is not torch.Tensor:
        if is_dtensor(tensor) and is_whole(tensor):
            tensor = tensor.to_local()
        _refuse_wrappers(tensor)
    try:
        bare = _without_transforms(tensor)
        bare = bare if type(bare) is torch.Tensor else bare.as_subclass(torch.Tensor)
        bare = bare.detach()
    except UnsupportedError:
        raise
    except Exception as error:
        # Subclasses may keep their elements elsewhere, and their methods may do anything.
        raise UnsupportedError(f"{type_text(type(tensor))} cannot be read as a torch.Tensor, convert it to one first: "
                               f"{reason_of(error)}") from error
    if not is_tensor(bare):
        raise UnsupportedError(f"{type_text(type(tensor))} holds {type_text(type(bare))}: convert it to a torch.Tensor first")
    _check_layout(bare)
    check_device(bare)
    return bare


# ---- checks ------------------------------------------------------------------------------------------------------------


def _axis_names(tensor):
    """Names of the axes, None for one without a name; newer versions of torch have none."""
    return tuple(getattr(tensor, "names", None) or ())


def dtype_name(tensor):
    """Our name of a tensor's dtype; UnsupportedError where its elements cannot be read."""
    name = str(tensor.dtype).removeprefix("torch.")
    if name in ITEM_BYTES:
        return name
    if tensor.is_quantized:
        how = "convert first, with X.dequantize(), or draw their integers, X.int_repr()"
    elif name.startswith(("float8", "bfloat")):
        how = "convert first, with X.to(torch.float32)"
    else:
        how = "torch has no operations for them either; their bytes are X.view(torch.uint8)"
    raise UnsupportedError(f"torch tensors of {name} cannot be read: {how}")


def _layout_name(tensor):
    return str(tensor.layout).removeprefix("torch.")


def _check_layout(tensor):
    if tensor.is_nested:
        raise UnsupportedError(f"a nested torch tensor cannot be read: {_NESTED}")
    if tensor.device.type == "meta" or tensor.numel() <= MAX_COMPUTED:
        return
    if tensor.layout != sys.modules["torch"].strided:
        raise UnsupportedError(f"a torch tensor of layout {_layout_name(tensor)} and {tensor.numel()} elements is too large to make it "
                               "dense automatically: give X.to_dense()")
    if tensor.is_quantized:
        raise UnsupportedError(f"a quantized torch tensor of {tensor.numel()} elements is too large to be converted "
                               "automatically: give X.dequantize() or X.int_repr()")


def check_device(tensor):
    """Raises where a tensor is on a device that gpuplot cannot read, or on a CUDA device without a driver."""
    kind = tensor.device.type
    if kind == "cpu":
        return None
    if kind == "meta":
        raise UnsupportedError("a torch tensor on the meta device has a shape but no values: load them first, for example "
                               "with model.to_empty(device='cpu') and load_state_dict")
    if kind == "cuda":
        if getattr(sys.modules["torch"].version, "hip", None) is None:
            return cuda_devices.load(tensor)
        kind = "cuda (ROCm)"  # torch for ROCm calls its devices cuda
    raise UnsupportedError(f"gpuplot reads host and CUDA memory, and the torch tensor is on {kind!r}: copy it first, with "
                           "X.cpu()")


def _check_memory(tensor, kind):
    """Raises where a tensor extends beyond its storage: torch lets a storage shrink while tensors use it."""
    is_strided = tensor.layout == sys.modules["torch"].strided
    if not is_strided or tensor.numel() == 0 or not hasattr(tensor, "untyped_storage") or _is_zeros(tensor):
        return
    try:
        n_bytes, is_null = tensor.untyped_storage().nbytes(), tensor.data_ptr() == 0
    except RuntimeError as error:
        raise UnsupportedError(f"the torch tensor has no memory of its own and cannot be read: {error}") from error
    reach = tensor.storage_offset() + 1 + sum((n - 1) * step for n, step in zip(tensor.shape, tensor.stride(), strict=True))
    needed = -(-reach // _PACKED.get(str(tensor.dtype), 1)) * tensor.element_size()
    if is_null and n_bytes >= needed:
        raise UnsupportedError(f"{type_text(kind)} keeps its elements elsewhere: convert it to a torch.Tensor, or draw the tensor inside")
    if n_bytes == 0:
        raise ValueError(f"the storage of the torch tensor is empty and its shape {tuple(tensor.shape)} needs {needed} bytes: was it "
                         "freed, as FSDP does? gather it first, with model.unshard() or X.full_tensor()")
    if n_bytes < needed:
        raise ValueError(f"the torch tensor needs {needed} bytes and its storage has {n_bytes}: it was resized; create the tensor again")
