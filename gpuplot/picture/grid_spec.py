"""GridSpec: a batch of images and the keywords of `grid` -> one plane of tiles and its color limits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import matplotlib as mpl
import numpy as np
from matplotlib.colors import Normalize

from .. import _native
from ..arrays.chunked_source import ChunkedSource
from ..arrays.describe import describe
from ..arrays.dtypes import ITEM_BYTES
from ..arrays.lazy_arrays import MAX_COMPUTED_BYTES
from ..arrays.scalars import number_in
from ..arrays.tensor_tree import is_zarr_collection, named_tensors
from ..cached import cached_property
from ..choices import check_choice, check_flag, check_integer, check_truth, ordered_items
from ..color.categories import check_categorical, check_ignored, looks_like_classes
from ..color.rgb import are_colors
from ..dtype_classes import is_bool_or_integer, is_complex
from ..errors import UnsupportedError, naming_entry, size_text
from ..plane.aggs import NAN_POLICIES, OTHER_UNITS
from ..plane.channels import guess_channel_axis, may_hold_colors
from ..plane.chunks.chunked_plane import gather_chunks
from ..plane.coordinates import PictureLabels
from ..plane.dims import TensorAxes
from ..plane.index_labels import chosen_view
from ..plane.slice_text import position_text
from ..plane.tiled_plane import Tile, TiledPlane
from ..plane.view import choose
from .tiles import TileGrid, usual_nrow

# Keywords of a grid with their defaults: torchvision's, and `max_items`.
GRID = {"nrow": 8, "padding": 2, "normalize": None, "value_range": None, "scale_each": False, "pad_value": "auto", "max_items": 64}

# Columns up to which a last axis of three or four is not one of channels.
MAX_KERNEL = 4

# Least width of a range that is normalized, as in torchvision.
MIN_RANGE = 1e-5


@dataclass(frozen=True)
class Image:
    """One image of a batch: its tensor's name in a collection or "", its index along the axes that count images, and its plane."""

    name: str
    index: dict
    source: object
    view: object
    places: dict = field(default_factory=dict)  # {"time": "2026-03-01"}, where axes that count images have coordinates or names

    @property
    def place(self):
        """The image's place on the axes: ``"time = 2026-03-01"``, "" without coordinates and names."""
        return ", ".join(f"{name} = {text}" for name, text in self.places.items())

    @property
    def short_place(self):
        """The place without the names of the axes."""
        return ", ".join(self.places.values())

    @property
    def text(self):
        """The image's name and index: ``"conv1.weight"``, ``"[3, 0]"``, or both."""
        index = f"[{', '.join(map(str, self.index.values()))}]" if self.index else ""
        return " ".join(filter(None, (self.name, index)))


class GridSpec:
    """A batch of images with the keywords of `grid`, checked before an element is read.

    Parameters
    ----------
    X : array_like, list or mapping of these
    grid : dict
        The keywords in `GRID`, complete.
    options : dict
        The keyword groups VIEW, CELLS, STYLE and STREAM, complete.
    origin : {"upper", "lower"}, optional
        Where row 0 of each image is. Default: at the bottom where rows of all images have coordinates that rise.

    Attributes
    ----------
    X : object
        The tensor, or tensors.
    images : list of Image
        The images that are shown.
    is_categorical : bool
        Whether elements are class numbers.
    usual_agg : str
        The aggregation where none is given.
    is_upward : bool
        Whether row 0 of each image is at the bottom.
    n_images : int
        Number of all images.
    layout : TileGrid
    plane : TiledPlane
    limits : (float, float) or None
        What the range of the images becomes, with `normalize` or `scale_each`.
    """

    def __init__(self, X, grid, options, origin=None):
        self.X, self.grid, self.options, self.origin = X, grid, options, origin
        _check_classes(options, grid)
        self.limits, self._text = None, ""
        self._find_images(options)
        self._lay_out(options)
        if self.plane.view.n_channels == 4 and options["rgb"] is None and self._exceeds_colors():  # four channels that are no RGBA
            options = options | {"rgb": False}
            self._find_images(options)
            self._lay_out(options)
            self._text = "4 channels one by one" if len(self.images[0].source.shape) <= 4 else ""
        self._normalize()

    def _find_images(self, options):
        """Finds the images, and which way up they are; those of arrays in chunks are read."""
        X = self.X
        max_items = check_integer("max_items", self.grid["max_items"], 1)
        nan = check_choice("nan", options["nan"], NAN_POLICIES)
        named = _named(X)
        groups = _images_of_all(named, options) if named else [_images_of("", describe(X, options["stream"]), options, named is not None)]
        self.n_images = sum(n for n, _ in groups)
        if not self.n_images:
            raise ValueError("a grid needs at least one image")
        self.images = list(itertools.islice(itertools.chain.from_iterable(found for _, found in groups),
                                            min(max_items, self.n_images)))
        _check_alike(self.images)
        self.is_upward = (self.origin or _usual_origin(self.images)) == "lower"
        self.images = _read_images(self.images, nan)

    def _lay_out(self, options):
        """Makes one plane of the images, and finds whether they show classes."""
        shapes = [image.view.shape for image in self.images]
        tile_shape = tuple(max(shape[axis] for shape in shapes) for axis in (0, 1))
        nrow = usual_nrow(len(self.images), tile_shape) if self.grid["nrow"] is None else self.grid["nrow"]
        self.layout = TileGrid.from_nrow(len(self.images), tile_shape, nrow, self.grid["padding"], self.is_upward)
        tiles = tuple(Tile(image.source, image.view, self.layout.origin(k, image.view.shape)) for k, image in enumerate(self.images))
        fill = _fill_of(self.grid["pad_value"], has_black=self.images[0].view.is_rgb and options["denorm"] is None)
        self.plane = TiledPlane(self.layout.shape, tiles, _dtype_of(self.images), fill, options["nan"])
        self.__dict__.pop("_range", None)  # of other images
        dtype, view = self.plane.dtype, self.plane.view
        self.is_categorical = check_categorical(options["categorical"], dtype, view)
        is_class = self.is_categorical or looks_like_classes(options["categorical"], options["cmap"], dtype, view)
        self.usual_agg = "nearest" if is_class else "mean"

    def of(self, X):
        """The GridSpec of another tensor, or list of tensors, with the same keywords."""
        return GridSpec(X, self.grid, self.options, self.origin)

    # ---- normalize ------------------------------------------------------------------------------------------------------

    def _normalize(self):
        """Scales values to 0..1 as torchvision does; by color limits alone, if images of one channel all have the same range."""
        grid, is_rgb = self.grid, self.plane.view.is_rgb
        value_range = _check_range(grid["value_range"], grid["normalize"] or (grid["scale_each"] and not is_rgb))
        if not self._is_scaled() and (is_rgb or not grid["scale_each"]):
            return
        if not is_rgb:
            _check_units(self.options["agg"])
        if grid["scale_each"] and value_range is None:
            ranges = [self._range_of([tile]) for tile in self.plane.tiles]
        else:
            ranges = [value_range or self._range] * len(self.images)
        # So that the ends differ: of numbers beyond 1e11 the least range is less than the step to the next float.
        ranges = [(low, low + max(high - low, MIN_RANGE, 4 * math.ulp(low))) for low, high in ranges]
        if is_rgb or len(set(ranges)) > 1 or grid["scale_each"]:
            tiles = tuple(replace(tile, scale=scale) for tile, scale in zip(self.plane.tiles, ranges, strict=True))
            self.plane = replace(self.plane, tiles=tiles, dtype="float32")
            self.limits = (0.0, 1.0)
            return
        low, high = self.limits = ranges[0]
        fill = self.plane.fill
        self.plane = replace(self.plane, fill=None if fill is None else low + fill * (high - low))

    def _is_scaled(self):
        """`normalize`; where that is None, whether much of the range of float colors lies outside 0..1."""
        if not self._exceeds_colors():
            return bool(self.grid["normalize"])
        self._text = "each image has its own range" if self.grid["scale_each"] else "colors are {:.4g} to {:.4g}".format(*self._range)
        return True

    def _exceeds_colors(self):
        """Whether nobody says how colors of floats are scaled, and much of their range lies outside 0..1."""
        if self.grid["normalize"] is not None or not self.plane.view.is_rgb or self.options["denorm"] is not None:
            return False
        return not is_bool_or_integer(self.plane.dtype) and not are_colors(*self._range)

    @cached_property
    def _range(self):
        """(smallest, largest) finite element of the images that are shown."""
        return self._range_of(self.plane.tiles)

    def _range_of(self, tiles):
        """(smallest, largest) finite element of some tiles, over all channels; (0, 1) if there is none."""
        part = replace(self.plane, tiles=tuple(tiles))
        ranges = part.channel_ranges() if part.view.is_rgb else [part.limits(_native.WANT_RANGE)[:2]]
        ends = [(low, high) for low, high in ranges if low == low]
        return (min(low for low, _ in ends), max(high for _, high in ends)) if ends else (0.0, 1.0)

    def limits_for(self, options):
        """A dict of `vmin` and `vmax`, if `normalize` or `value_range` set them; else {}.

        `scale_each` alone sets none: means of many noisy elements of each image, too, may span little of its range.
        ValueError if the caller sets them beside `normalize` or `scale_each`.
        """
        if self.limits is None or self.plane.view.is_rgb:
            return {}
        given = [name for name in ("vmin", "vmax", "robust", "center") if options[name] is not None and options[name] is not False]
        if isinstance(options["norm"], Normalize):  # which has limits of its own
            given.append(f"norm={type(options['norm']).__name__}(...)")
        if given:
            raise ValueError(f"{given[0]} together with normalize or scale_each: both say which values have which colors; leave one "
                             "of them out")
        is_found = not self.grid["normalize"] and self.grid["value_range"] is None
        return {} if is_found else dict(zip(("vmin", "vmax"), self.limits, strict=True))

    def check_agg(self, agg):
        """ValueError for an aggregation whose pixels are in other units than the range that values are scaled by."""
        if self.limits is not None and not self.plane.view.is_rgb:
            _check_units(agg)

    # ---- words ----------------------------------------------------------------------------------------------------------

    @property
    def note(self):
        """``"showing 64 of 4096, colors are -0.1 to 0.1"``: how many images are left out, and what was done unasked; or ""."""
        count = f"showing {len(self.images)} of {self.n_images}" if len(self.images) < self.n_images else ""
        return ", ".join(part for part in (count, self._text) if part)

    @property
    def text_of_layout(self):
        """``"6 images in tiles of 28 x 32"``."""
        n_rows, n_cols = self.layout.tile_shape
        return f"{len(self.images)} image{'s' * (len(self.images) != 1)} in tiles of {n_rows} x {n_cols}"

    def place_text(self, row, col):
        """The tensor's name and index of an element of the grid, as text; None between images."""
        tile = self.plane.tile_at(row, col)
        if tile is None:
            return None
        k, row, col = tile
        image = self.images[k]
        index = image.view.tensor_index(row, col)
        parts = [f"{part.start}:{part.stop}" if isinstance(part, slice) else str(part) for part in index]
        return f"{image.name}[{', '.join(parts)}]"


def _fill_of(pad_value, has_black):
    """The value between images, or None for nothing there: "auto" is 0 where that is black, as a color of a colormap is one of images."""
    if isinstance(pad_value, str) and pad_value == "auto":
        return 0 if has_black else None
    fill = None if pad_value is None else number_in(pad_value)
    if pad_value is not None and fill is None:
        raise ValueError(f"pad_value={pad_value!r} must be a number, None for nothing between the images, or 'auto'")
    return fill


def _dtype_of(images):
    """The dtype of a grid: that of its images; of different ones the integers that hold all, or float64."""
    dtypes = {image.source.dtype for image in images}
    if len(dtypes) > 1 and all(map(is_bool_or_integer, dtypes)):
        return np.result_type(*dtypes).name
    return dtypes.pop() if len(dtypes) == 1 else "float64"


def _check_classes(options, grid):
    """Raises for keywords that classes do not have, and for those of classes without `categorical`."""
    check_ignored(options["ignore_index"], options["categorical"])
    for name in ("normalize", "scale_each"):
        check_truth(name, grid[name])
    given = [name for name in ("normalize", "scale_each") if grid[name]]
    if check_flag("categorical", options["categorical"], None) and given:
        raise ValueError(f"{' and '.join(given)}: classes have a color each and no range; leave it out, or leave categorical out")


def _check_units(agg):
    """ValueError for an aggregation whose pixels a range of elements does not scale."""
    if isinstance(agg, str) and agg in OTHER_UNITS:
        raise ValueError(f"agg={agg!r} together with normalize or scale_each: these scale by the range of the elements, and such pixels "
                         "are not in their units; leave one of them out")


def _named(X):
    """The (name, tensor) pairs of a collection; None for one tensor."""
    is_collection = issubclass(type(X), (list, tuple, Mapping)) or hasattr(type(X), "state_dict") or is_zarr_collection(X)
    return named_tensors(X) if is_collection else None


def _images_of(name, source, options, is_item):
    """(number of images of a tensor, an iterator over them); `is_item`: whether it is one of several tensors."""
    rgb = _channel_axis(source, options, is_item) if options["rgb"] is None else options["rgb"]
    view = chosen_view(source, options | {"rgb": rgb})
    if view.is_hue or view.complex_mode == "phase":
        raise ValueError(f"complex_mode={view.complex_mode!r} is not shown in a grid: take amplitude, real or imaginary")
    if 0 in view.shape:
        raise ValueError(f"{name or 'the tensor'} of shape {source.shape} has no elements to show")
    fixed = {TensorAxes(source.shape, options["dims"], source.dims).number(axis, "index") for axis in options["index"] or ()}
    counted = [axis for axis, use in enumerate(view.uses) if use.role == "fixed" and axis not in fixed]
    sizes = [source.shape[axis] for axis in counted]

    def images():
        for place in itertools.product(*map(range, sizes)):
            index = dict(zip(counted, place, strict=True))
            yield Image(name, index, source, view.fixed_at(index), _places(source, view, index))
    return math.prod(sizes), images()


def _images_of_all(named, options):
    """[(number of images, an iterator over them)] of (name, tensor) pairs."""
    groups = []
    for name, value in named:
        with naming_entry(name):
            source = describe(value, options["stream"])
        groups.append(_images_of(name, source, options, True))
    return groups


def _places(source, view, index):
    texts = {axis: position_text(source, axis, i) for axis, i in index.items()}
    if not any(texts.values()):
        return {}
    return {view.names[axis] if view.names else str(axis): text or str(index[axis]) for axis, text in texts.items()}


def _read_images(images, nan):
    """The images, with those of arrays in chunks copied to memory; UnsupportedError if the copies would be too large."""
    n_bytes = sum(math.prod(image.view.shape) * max(1, image.view.n_channels) * ITEM_BYTES[image.source.dtype]
                  for image in images if isinstance(image.source, ChunkedSource))
    if n_bytes > MAX_COMPUTED_BYTES:
        what = f"{len(images)} images of {size_text(n_bytes)}" if len(images) > 1 else f"an image of {size_text(n_bytes)}"
        n_that_fit = int(len(images) * MAX_COMPUTED_BYTES / n_bytes)
        fewer = f"show fewer, max_items={n_that_fit}, or coarser ones" if n_that_fit else "show coarser ones"
        raise UnsupportedError(f"{what} would be read from chunks, and a grid reads {size_text(MAX_COMPUTED_BYTES)} at most: {fewer}, "
                               "X[..., ::8, ::8]")
    return [_copied(image, nan) if isinstance(image.source, ChunkedSource) else image for image in images]


def _copied(image, nan):
    """An image of an array in chunks, with its elements copied to memory."""
    image.source.check_complete()
    elements = gather_chunks(image.source, image.view, nan)
    source = describe(elements)
    view = choose(elements.shape, None, source.dtype, rgb=2 if image.view.is_rgb else False)
    return replace(image, source=source, view=view)


def _channel_axis(source, chosen, is_item):
    """The axis of 3 or 4 channels of (..., C, H, W) or (..., H, W, C); False for none. A lone tensor of three axes as in `imshow`."""
    shape = source.shape
    if is_complex(source.dtype) or chosen["categorical"] or any(chosen[key] is not None for key in ("x", "y")):
        return False
    if isinstance(chosen["reduce"], Mapping) and chosen["reduce"]:  # `chosen_view` refuses all else
        return False
    if len(shape) == 3 and not is_item:
        axis = guess_channel_axis(shape, source.dtype, source.dims)
        return False if axis is None else axis
    if len(shape) < 3:
        return False
    if shape[-3] in (3, 4) and may_hold_colors(source.dims, -3):
        return len(shape) - 3
    # 3 x 3 elements are the kernel of a convolution sooner than a picture three pixels wide.
    is_last = shape[-1] in (3, 4) and shape[-3] != 1 and shape[-2] > MAX_KERNEL
    return len(shape) - 1 if is_last else False


def _usual_origin(images):
    """Where row 0 of each image is without an `origin`, as in `imshow`."""
    labels = (PictureLabels.of(image.source, image.view) for image in images)
    return "lower" if all(one is not None and one.points_up for one in labels) else mpl.rcParams["image.origin"]


def _check_alike(images):
    kinds = sorted({image.view.n_channels for image in images})
    if len(kinds) > 1:
        numbers = " and ".join("one channel" if n == 0 else f"{n} channels" for n in kinds)
        raise ValueError(f"images of {numbers} are not shown in one grid: leave some out; give rgb=False, which shows single "
                         "channels; or color each first, gpuplot.to_rgba(X)")


def _check_range(value_range, is_used):
    """(low, high) as floats, or None."""
    if value_range is None:
        return None
    try:
        low, high = map(float, ordered_items(value_range, 3))
    except Exception:  # libraries differ in how they refuse
        raise ValueError(f"value_range={value_range!r} must be a pair of numbers, (low, high)") from None
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise ValueError(f"value_range={value_range!r} must be finite and rise")
    if not is_used:
        raise ValueError("value_range is the range that normalize=True stretches: give that as well, or vmin and vmax")
    return low, high
