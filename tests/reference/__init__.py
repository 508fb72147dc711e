"""The slow NumPy twin of gpuplot: the exact meaning of cells and pixels in obvious float64 code, for tests.

Nothing here is fast, and nothing here imports gpuplot. The steps, in the order in which a picture is made:

========================= =================================================================================
`load`                    stored elements of any dtype -> float64 or complex128
`choose_axes`, `take`     which axes are shown, indexed, cropped, reduced (axes.py)
`reduce_hidden`           hidden axes -> plane, with the error another implementation may have
`axis_edges`              cells of one axis in element coordinates (lattice.py; `explicit_edges` for non-linear axes)
`axis_cells`, `cells_of`  per cell: touched and owned elements, weights, nearest element (axis_sets.py)
`reduce_cells`            plane -> `Cells(values, kinds, tolerances, agg, period)`
`autoscale`               `Limits(vmin, vmax, is_centered)`; also `extremes`, `percentile`, `colorbar_extend`
`normalize`, `codes`      value -> t -> color index; `allowed_codes` gives what rounding may give instead
`Palette`, `shade`        codes and classes -> RGBA bytes; `allowed_shades` the sets of pixels allowed
`hover`                   what the pointer says about a cell
`conversion.convert`      stored elements as another dtype, and `conversion.differing` where two results differ
========================= =================================================================================

Whole calls take stored arrays and the keywords of the public functions:

* ``downsample(X, shape, dtype_name=..., mask=..., view=..., ...)`` returns `Cells`; check another
  implementation's float64 grid with ``assert_cells(got, cells)``.
* ``picture(X, shape, ...)`` returns a `Picture` with `rgba`, `cells`, `limits`; check another implementation's
  uint8 picture with ``picture(...).assert_matches(got)``. ``to_rgba`` and ``allowed_rgba`` are its parts.

Kinds of a cell are VALUE, NAN, POS_INF, NEG_INF, MASKED and EMPTY. bfloat16 arrays are given as uint16 codes, float8 as
uint8 codes, complex32 as float16 with a trailing axis (real, imaginary).
"""

from .axes import choose_axes, take
from .axis_sets import axis_cells, cells_of
from .cells import AGGS, EMPTY, MASKED, NAN, NAN_POLICIES, NEG_INF, POS_INF, PUBLIC_AGGS, VALUE, Cells, reduce_cells
from .colors import ClassColors, Palette, allowed_shades, assert_allowed, shade
from .hidden import reduce_hidden
from .lattice import axis_edges, element_coordinate, explicit_edges
from .limits import Limits, autoscale, colorbar_extend, extremes, percentile
from .loading import COMPLEX_DTYPES, DTYPES, FLOAT8_FORMATS, FLOAT_DTYPES, INTEGER_DTYPES, load
from .norms import BAD, UNDER, Norm, allowed_codes, codes, normalize
from .pictures import Picture, allowed_rgba, default_shape, downsample, lattice_cells, picture, to_rgba
from .pointer import hover
from .tiles import saved_shape, tile_layout
from .tolerances import assert_cells

__all__ = [
    "AGGS", "BAD", "COMPLEX_DTYPES", "Cells", "ClassColors", "DTYPES", "EMPTY", "FLOAT8_FORMATS", "FLOAT_DTYPES",
    "INTEGER_DTYPES", "Limits", "MASKED", "NAN", "NAN_POLICIES", "NEG_INF", "Norm", "POS_INF", "PUBLIC_AGGS", "Palette",
    "Picture", "UNDER", "VALUE", "allowed_codes", "allowed_rgba", "allowed_shades", "assert_allowed",
    "assert_cells", "autoscale", "axis_cells", "axis_edges", "cells_of", "choose_axes", "codes", "colorbar_extend",
    "default_shape", "downsample", "element_coordinate", "explicit_edges", "extremes", "hover", "lattice_cells",
    "load", "normalize", "percentile", "picture", "reduce_cells", "reduce_hidden", "saved_shape", "shade", "take",
    "tile_layout", "to_rgba",
]
