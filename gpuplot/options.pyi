"""Types of the keywords that public functions share, and of the tensors that they take."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

from matplotlib.colors import Colormap, Normalize
from matplotlib.typing import ColorType
from numpy.typing import ArrayLike

__all__ = ["CELLS", "NUMBERS", "QUEUE", "STYLE", "VIEW", "public", "takes"]

_F = TypeVar("_F", bound=Callable[..., Any])

VIEW: dict[str, Any]
CELLS: dict[str, Any]
NUMBERS: dict[str, Any]
STYLE: dict[str, Any]
QUEUE: dict[str, Any]

def takes(*groups: Mapping[str, Any], is_property: Callable[[str], bool] | None = None) -> Callable[[_F], _F]: ...
def public(function: _F, /, is_property: Callable[[str], bool] | None = None) -> _F: ...

# ---- for the other stubs only ----------------------------------------------------------------------------------------

class _SpeaksDLPack(Protocol):
    # Libraries differ in the keywords that they take; the consumer tries.
    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...

class _HasArrayInterface(Protocol):
    @property
    def __array_interface__(self) -> dict[str, Any]: ...

class _HasCudaArrayInterface(Protocol):
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

_TensorLike: TypeAlias = ArrayLike | _SpeaksDLPack | _HasArrayInterface | _HasCudaArrayInterface

_Axis: TypeAlias = int | str
_Dims: TypeAlias = str | Sequence[str]
# Keys are axes. Any, because dict[int, ...] is no Mapping[int | str, ...].
_Index: TypeAlias = Mapping[Any, int | slice]
_HiddenOp: TypeAlias = Literal["mean", "max", "min", "sum", "std", "norm"]
_Reduce: TypeAlias = Mapping[Any, _HiddenOp]
_PerChannel: TypeAlias = float | Sequence[float]
_Denorm: TypeAlias = Literal["imagenet", "symmetric", "minmax"] | tuple[_PerChannel, _PerChannel]
_ComplexMode: TypeAlias = Literal[
    "amplitude", "square_amplitude", "real", "imaginary", "phase", "amplitude_phase", "log10_amplitude_phase"
]
_Stream: TypeAlias = int | Any  # a handle, or a stream of a library
_Agg: TypeAlias = Literal["mean", "max", "min", "absmax", "range", "std", "var", "sum", "count", "nearest"]
_Nan: TypeAlias = Literal["auto", "show", "skip"]
_Limits: TypeAlias = Literal["auto", "elements", "pixels"]
_Robust: TypeAlias = bool | float | tuple[float, float]
_Center: TypeAlias = float | Literal["auto"]
_Shape: TypeAlias = tuple[int, int]
_View: TypeAlias = tuple[tuple[float, float], tuple[float, float]]
_Cmap: TypeAlias = str | Colormap
_Norm: TypeAlias = str | Normalize
_Labels: TypeAlias = Mapping[Any, str] | Sequence[str]
_Color: TypeAlias = ColorType
_Alpha: TypeAlias = float | ArrayLike
