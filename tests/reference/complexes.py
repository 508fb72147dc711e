"""Complex elements: one real number per element, circular means, and hue with alpha."""

import math
from dataclasses import dataclass

import numpy as np

from .cells import VALUE, Cells, block_of, reduce_cells
from .hidden import reduce_hidden
from .loading import MASKED_VALUE, is_masked
from .tolerances import CANCELLED, RELATIVE

NUMBER_MODES = ("amplitude", "square_amplitude", "real", "imaginary", "phase")
COLOR_MODES = ("amplitude_phase", "log10_amplitude_phase")
MODES = NUMBER_MODES + COLOR_MODES
PHASE_AGGS = ("mean", "min", "max", "absmax", "nearest")
TURN = 2 * math.pi


@dataclass
class ComplexPlane:
    """The real numbers to show, their errors, and (for angles) the vectors whose sum gives the direction."""

    values: np.ndarray
    errors: np.ndarray
    vectors: np.ndarray | None


def mode_values(z, mode):
    """The real number that each complex element is shown as; its class (NaN, Inf, finite) included."""
    if mode not in MODES:
        raise ValueError(f"complex_mode must be one of {MODES}, not {mode!r}")
    if mode == "real":
        return z.real.copy()
    if mode == "imaginary":
        return z.imag.copy()
    re, im = z.real + 0.0, z.imag + 0.0
    with np.errstate(all="ignore"):
        if mode == "phase":
            values = np.arctan2(im, re)
        elif mode == "square_amplitude":
            values = re * re + im * im
        else:
            values = np.hypot(re, im)
    values = np.where(np.isinf(re) | np.isinf(im), np.inf, values)
    values = np.where(np.isnan(re) | np.isnan(im), np.nan, values)
    return np.where(is_masked(z.real), MASKED_VALUE, values)


def unit_vectors(z):
    """z / |z| of the finite elements, 0 where z is zero or not finite."""
    unit = np.zeros(z.shape, np.complex128)
    with np.errstate(all="ignore"):
        magnitude = np.hypot(z.real, z.imag)
        usable = np.isfinite(z.real) & np.isfinite(z.imag) & (magnitude > 0)
    unit[usable] = z[usable] / magnitude[usable]
    return unit


def vector_sum(weights, vectors):
    """SUM w z, each part rounded once at the end."""
    return complex(
        math.fsum(np.ravel(weights * vectors.real).tolist()), math.fsum(np.ravel(weights * vectors.imag).tolist())
    )


def angle_of(vector):
    """The angle in [-pi, pi]; 0 for the zero vector."""
    return math.atan2(vector.imag + 0.0, vector.real + 0.0)


def angle_tolerance(angle, vector, total_weight):
    """The error allowed to the angle of a sum of vectors; any angle where they cancel."""
    if total_weight == 0:
        return 0.0
    if abs(vector) < RELATIVE * total_weight:
        return math.inf
    return max(RELATIVE * abs(angle), CANCELLED * total_weight / abs(vector))


def _hidden_phase(z, reductions, nan):
    """Hidden axes of angles: means are circular, extremes are those of the numbers."""
    values, vectors = mode_values(z, "phase"), unit_vectors(z)
    errors = CANCELLED * np.abs(values)
    remaining = list(range(z.ndim))
    for op, axes in reductions:
        here = tuple(remaining.index(axis) for axis in axes)
        if op not in ("mean", "min", "max"):
            raise ValueError(f"reduce={op!r} of angles has no meaning; use mean, min or max")
        marks = reduce_hidden(values, [("max", here)], nan)[0]
        if op == "mean":
            total = vectors.sum(axis=here)
            finite_angles = np.arctan2(total.imag + 0.0, total.real + 0.0)
            vectors = unit_vectors(total)
            weight = np.isfinite(values).sum(axis=here)
            error = [angle_tolerance(a, v, n) for a, v, n in zip(finite_angles.flat, total.flat, weight.flat)]
            errors = np.reshape(error, total.shape)
        else:
            finite_angles, errors = reduce_hidden(values, [(op, here)], nan, errors)
            vectors = np.where(np.isfinite(finite_angles), np.exp(1j * np.nan_to_num(finite_angles)), 0)
        values = np.where(np.isfinite(marks), finite_angles, marks)
        remaining = [axis for axis in remaining if axis not in axes]
    return ComplexPlane(values, errors, vectors)


def complex_plane(z, mode, reductions, nan="show"):
    """Apply the mode per element, then reduce hidden axes; z has axes (hidden..., y, x)."""
    if mode == "phase":
        return _hidden_phase(z, reductions, nan)
    values = mode_values(z, mode)
    is_computed = mode not in ("real", "imaginary")
    errors = np.where(np.isfinite(values), CANCELLED * np.abs(values), 0.0) if is_computed else None
    vectors = None
    if mode in COLOR_MODES:
        vectors = np.where(np.isfinite(values), z, 0)
        hidden_axes = tuple(axis for _, axes in reductions for axis in axes)
        vectors = vectors.sum(axis=hidden_axes) if hidden_axes else vectors
    values, errors = reduce_hidden(values, reductions, nan, errors)
    return ComplexPlane(values, errors, vectors)


def hue_cells(plane, rows, cols, agg, nan="show"):
    """Cells that hold the angle of SUM w z over the finite elements of each cell (of the one, for 'nearest').

    `plane` is a ComplexPlane with vectors. Marks are those of its values.
    """
    cells = reduce_cells(plane.values, rows, cols, "nearest" if agg == "nearest" else "any", nan)
    hues = Cells(cells.values.copy(), cells.kinds, np.zeros(cells.values.shape), "mean", TURN)
    for q, row in enumerate(rows):
        for p, col in enumerate(cols):
            if cells.kinds[q, p] == VALUE:
                hues.values[q, p], hues.tolerances[q, p] = _hue(plane, row, col, agg)
    return hues


def _hue(plane, row, col, agg):
    elements = block_of(plane.values, row, col, agg)
    finite = np.isfinite(elements.values)
    weights = elements.weights[finite]
    vectors = block_of(plane.vectors, row, col, agg).values[finite]
    errors = block_of(plane.errors, row, col, agg).values[finite]
    total = vector_sum(weights, vectors)
    total_weight = math.fsum((weights * np.abs(vectors)).tolist())
    angle = angle_of(total)
    return angle, angle_tolerance(angle, total, total_weight) + float(np.max(errors))


def phase_cells(plane, rows, cols, agg="mean", nan="show"):
    """Cells of angles: circular means, or extremes of the angles as numbers."""
    if agg not in PHASE_AGGS:
        raise ValueError(f"agg={agg!r} of angles has no meaning; use one of {PHASE_AGGS}")
    if agg == "mean":
        return hue_cells(plane, rows, cols, "mean", nan)
    cells = reduce_cells(plane.values, rows, cols, agg, nan, plane.errors)
    cells.period = TURN
    return cells


def amplitude_alpha(amplitude, largest, mode):
    """The alpha of the combined modes: linear in |z| / max |z|, or two decades of it."""
    amplitude = np.asarray(amplitude, np.float64)
    if not largest > 0:
        return np.zeros(amplitude.shape)
    if mode == "amplitude_phase":
        return np.clip(amplitude / largest, 0.0, 1.0)
    with np.errstate(divide="ignore"):
        return np.clip((np.log10(amplitude) - (math.log10(largest) - 2)) / 2, 0.0, 1.0)
