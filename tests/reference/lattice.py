"""The edges of the cells along one axis, in element coordinates: element j covers [j, j + 1).

Edges are kept as exact fractions. Where the rules ask for float64 arithmetic the float64 result is
computed first and then stored as the fraction it is, so everything after the edges is exact.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite


@dataclass(frozen=True)
class AxisLattice:
    """The cells of one axis, in the direction of growing element index.

    `edges` has one more entry than `centers` and `nearest`; cell p covers [edges[p], edges[p + 1]).
    `nearest[p]` says that cell p is not wider than an element. `is_reversed` asks the caller to
    reverse what it made, after everything else.
    """

    n_elems: int
    edges: tuple
    centers: tuple
    nearest: tuple
    is_reversed: bool

    @property
    def n_cells(self):
        return len(self.centers)


def element_coordinate(v, left, right, n_elems):
    """Element coordinate of data coordinate v on an axis whose elements fill left..right."""
    return ((v - left) * n_elems) / (right - left)


def snap_tolerance(n_elems):
    """How near to a whole number an edge must be to count as it: N * 2^-46 elements."""
    return n_elems * 2.0**-46


def snap(u, n_elems):
    """u, or the whole number that lies within the snapping tolerance of it."""
    whole = float(round(u))
    return whole if abs(u - whole) <= snap_tolerance(n_elems) else u


def _check_view(u0, u1, n_cells):
    if not (isfinite(u0) and isfinite(u1)):
        raise ValueError(f"a view needs finite limits, not {u0}..{u1}")
    if u0 == u1:
        raise ValueError(f"a view needs two different limits, not {u0} twice")
    if n_cells < 1:
        raise ValueError(f"a view needs at least one cell, not {n_cells}")


def axis_edges(n_elems, u0, u1, n_cells):
    """The lattice of n_cells equal cells between element coordinates u0 and u1 (u0 > u1 reverses)."""
    u0, u1 = float(u0), float(u1)
    _check_view(u0, u1, n_cells)
    is_reversed = u1 < u0
    u0, u1 = (snap(u, n_elems) for u in sorted((u0, u1)))
    _check_view(u0, u1, n_cells)
    if u0.is_integer() and u1.is_integer():
        edges, centers = _whole_lattice(int(u0), int(u1), n_cells)
    else:
        edges, centers = _float_lattice(n_elems, u0, u1, n_cells)
    # Cell width s <= 1 with the snapping tolerance, so that a pan at 1:1 does not change the regime.
    is_nearest = u1 - u0 <= n_cells + snap_tolerance(n_elems)
    return AxisLattice(n_elems, edges, centers, (is_nearest,) * n_cells, is_reversed)


def _whole_lattice(u0, u1, n_cells):
    """Edges u0 + p n / W and centers u0 + (2p + 1) n / (2W), exact in integers."""
    n = u1 - u0
    edges = tuple(u0 + Fraction(p * n, n_cells) for p in range(n_cells + 1))
    centers = tuple(u0 + Fraction((2 * p + 1) * n, 2 * n_cells) for p in range(n_cells))
    return edges, centers


def _float_lattice(n_elems, u0, u1, n_cells):
    """Edges in float64, each by itself, snapped; both ends exactly u0 and u1."""
    edges = [snap(u0 + (p * (u1 - u0)) / n_cells, n_elems) for p in range(n_cells + 1)]
    edges[0], edges[-1] = u0, u1
    centers = [snap((a + b) / 2, n_elems) for a, b in zip(edges, edges[1:])]
    return tuple(map(Fraction, edges)), tuple(map(Fraction, centers))


def explicit_edges(n_elems, edges, centers):
    """The lattice of a non-linear axis: every edge and center was mapped to element coordinates by itself.

    The regime is chosen per cell, with the same tolerance as on a linear axis. An edge that is not
    finite (a logarithm of zero) is None, and the cells on both its sides are empty.
    """
    edges = [_snapped_or_none(u, n_elems) for u in edges]
    centers = [_snapped_or_none(u, n_elems) for u in centers]
    placed = [u for u in edges if u is not None]
    is_reversed = len(placed) > 1 and placed[-1] < placed[0]
    if is_reversed:
        edges, centers, placed = edges[::-1], centers[::-1], placed[::-1]
    if placed != sorted(placed):
        raise ValueError("the edges of an axis must all rise or all fall")
    widest = 1 + Fraction(snap_tolerance(n_elems))
    nearest = tuple(None not in (a, b) and b - a <= widest for a, b in zip(edges, edges[1:]))
    return AxisLattice(n_elems, tuple(edges), tuple(centers), nearest, is_reversed)


def _snapped_or_none(u, n_elems):
    return Fraction(snap(float(u), n_elems)) if isfinite(u) else None
