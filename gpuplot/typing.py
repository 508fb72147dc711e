"""Types of the parameters of public functions, for annotations only: gpuplot does not import this module at run time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypedDict

if TYPE_CHECKING:
    from matplotlib.colors import Colormap, Normalize
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch
    from matplotlib.path import Path
    from matplotlib.patheffects import AbstractPathEffect
    from matplotlib.transforms import BboxBase, Transform
    from matplotlib.typing import ColorType
    from numpy.typing import ArrayLike, DTypeLike

# ---- tensors ---------------------------------------------------------------------------------------------------------


class _SpeaksDLPack(Protocol):
    # Libraries differ in the keywords that they take; the consumer tries.
    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...


class _HasArrayInterface(Protocol):
    @property
    def __array_interface__(self) -> dict[str, Any]: ...


class _HasCudaArrayInterface(Protocol):
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...


class _HoldsLevels(Protocol):
    # A group of zarr or a tree of xarray.
    @property
    def attrs(self) -> Any: ...
    def __getitem__(self, path: str, /) -> Any: ...


class _HasStateDict(Protocol):
    def state_dict(self) -> Mapping[str, Any]: ...


class _WritesBytes(Protocol):
    def write(self, data: bytes, /) -> Any: ...


TensorLike: TypeAlias = "ArrayLike | _SpeaksDLPack | _HasArrayInterface | _HasCudaArrayInterface | _HoldsLevels"
TensorsLike: TypeAlias = "TensorLike | Mapping[str, TensorLike] | Sequence[TensorLike] | Sequence[tuple[str, TensorLike]]"
NamedTensors: TypeAlias = Mapping[Any, Any] | _HasStateDict | Sequence[tuple[str, Any]]

# ---- keywords --------------------------------------------------------------------------------------------------------

Axis: TypeAlias = int | str
Dims: TypeAlias = str | Sequence[str]
# Keys are axes. Any, because dict[int, ...] is not a Mapping[int | str, ...].
Index: TypeAlias = Mapping[Any, int | slice]
HiddenOp: TypeAlias = Literal["mean", "max", "min", "sum", "std", "norm"]
Reduce: TypeAlias = Mapping[Any, HiddenOp]
PerChannel: TypeAlias = float | Sequence[float]
Denorm: TypeAlias = Literal["imagenet", "symmetric", "minmax"] | tuple[PerChannel, PerChannel]
ComplexMode: TypeAlias = Literal[
    "amplitude", "square_amplitude", "real", "imaginary", "phase", "amplitude_phase", "log10_amplitude_phase"]
Stream: TypeAlias = int | Any  # a handle, or a stream of a library
Client: TypeAlias = Any  # a distributed.Client
Wait: TypeAlias = bool | Literal["auto"]
Agg: TypeAlias = Literal["mean", "max", "min", "absmax", "range", "std", "var", "sum", "count", "nearest"]
Nan: TypeAlias = Literal["auto", "show", "skip"]
Limits: TypeAlias = Literal["auto", "elements", "pixels"]
Robust: TypeAlias = bool | float | tuple[float, float]
Center: TypeAlias = float | Literal["auto"]
PadValue: TypeAlias = float | Literal["auto"] | None
Shape: TypeAlias = tuple[int, int]
View: TypeAlias = tuple[tuple[float, float], tuple[float, float]]
Cmap: TypeAlias = "str | Colormap"
Norm: TypeAlias = "str | Normalize"
Labels: TypeAlias = Mapping[Any, str] | Sequence[str]
Color: TypeAlias = "ColorType"
Alpha: TypeAlias = "float | ArrayLike"
Ignored: TypeAlias = int | Sequence[int]
Target: TypeAlias = str | bytes | PathLike[Any] | _WritesBytes
Texts: TypeAlias = Mapping[str, str | None]

Dtype: TypeAlias = "DTypeLike | Any"  # those of other libraries, too
Order: TypeAlias = Literal["C", "F", "A", "K"]
Progress: TypeAlias = bool | Callable[[int, int], object]

Dim: TypeAlias = int | str | Sequence[int | str]
BinRule: TypeAlias = Literal["auto", "fd", "doane", "scott", "rice", "sturges", "sqrt", "stone", "view"]
Number: TypeAlias = float | Any  # scalars of libraries
Range: TypeAlias = tuple[Number, Number]
Percentiles: TypeAlias = Iterable[Number] | Number | None


class _CommonProperties(TypedDict, total=False):
    """What every artist of matplotlib takes."""

    agg_filter: Callable[..., Any] | None
    animated: bool
    clip_box: BboxBase | None
    clip_on: bool
    clip_path: Patch | Path | tuple[Path, Transform] | None
    figure: Figure
    gid: str | None
    in_layout: bool
    mouseover: bool
    path_effects: Sequence[AbstractPathEffect] | None
    picker: bool | float | Callable[..., Any] | None
    rasterized: bool | None
    sketch_params: float | tuple[float, float, float] | None
    snap: bool | None
    transform: Transform | None
    visible: bool
    zorder: float


class ArtistProperties(_CommonProperties, total=False):
    """What `imshow` passes on to its artist."""

    array: TensorLike | None
    clim: tuple[float | None, float | None]
    label: object


class PatchProperties(_CommonProperties, total=False):
    """What `hist` passes on to its patches; a sequence has one value for each tensor where matplotlib takes one."""

    aa: bool | Sequence[bool]
    alpha: float | None
    antialiased: bool | Sequence[bool]
    capstyle: Literal["butt", "projecting", "round"]
    ec: Color | Sequence[Color] | None
    edgecolor: Color | Sequence[Color] | None
    edgegapcolor: Color | None
    facecolor: Color | Sequence[Color] | None
    fc: Color | Sequence[Color] | None
    fill: bool
    hatch: str | Sequence[str] | None
    hatch_linewidth: float
    hatchcolor: Color | Sequence[Color] | None
    joinstyle: Literal["miter", "round", "bevel"]
    linestyle: Any
    linewidth: float | Sequence[float] | None
    ls: Any
    lw: float | Sequence[float] | None
    url: str | None


class MeshProperties(_CommonProperties, total=False):
    """What `hist2d` passes on to `matplotlib.axes.Axes.pcolormesh`."""

    antialiased: bool
    capstyle: Literal["butt", "projecting", "round"]
    clim: tuple[float | None, float | None]
    edgecolor: Color | None
    edgecolors: Color | None
    facecolor: Color | None
    hatch: str | None
    joinstyle: Literal["miter", "round", "bevel"]
    label: object
    linestyle: Any
    linewidth: float | None
    pickradius: float
    shading: Literal["flat", "nearest", "gouraud", "auto"] | None
    url: str | None


class LineProperties(_CommonProperties, total=False):
    """What `plot` passes on to its lines."""

    aa: bool
    alpha: float | None
    antialiased: bool
    c: Color | None
    color: Color | None
    dash_capstyle: Any
    dash_joinstyle: Any
    dashes: Any
    drawstyle: Literal["default", "steps", "steps-pre", "steps-mid", "steps-post"] | None
    ds: Literal["default", "steps", "steps-pre", "steps-mid", "steps-post"] | None
    fillstyle: str | None
    gapcolor: Color | None
    label: object
    linestyle: Any
    linewidth: float | None
    ls: Any
    lw: float | None
    marker: Any
    markeredgecolor: Color | None
    markeredgewidth: float | None
    markerfacecolor: Color | None
    markerfacecoloralt: Color | None
    markersize: float | None
    markevery: Any
    mec: Color | None
    mew: float | None
    mfc: Color | None
    mfcalt: Color | None
    ms: float | None
    pickradius: float
    solid_capstyle: Any
    solid_joinstyle: Any
    url: str | None


class PlotProperties(LineProperties, total=False):
    """Properties of lines, and the units of the axes that they are drawn over."""

    xunits: Any
    yunits: Any
