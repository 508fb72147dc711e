"""Shrinks a picture, then the numbers of its colorbar, until both fit into the cell of a grid of subplots, and its neighbors alike."""

import matplotlib as mpl
import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.transforms import Bbox

# The least part of a subplot's cell for a picture beside a wide colorbar, and the least size of the numbers, in points: at first,
# and where that is not enough. Names of classes get as small as they must, once the picture has its least.
MIN_SIZES = (0.6, 6.5), (0.4, 5.0)
MIN_SIZES_BESIDE_NAMES = MIN_SIZES[1:]

# An invisible shift, as a fraction of the figure.
MIN_STEP = 1e-4

# Letters are whole pixels wide: text that did not get narrower gets smaller by this part.
TEXT_STEP = 0.06

# The part of the free gap before a neighbor's ticks that names of classes may use.
GAP_PART = 0.8

# Inches of a margin into which numbers fit beside one picture; that of matplotlib's figures of usual width is one.
WIDE_MARGIN = 0.6

# Inches between the numbers and the ticks of a neighbor.
GAP = 0.03

# Maximum number of layout iterations: a smaller picture has a shorter colorbar, which has other ticks.
MAX_ROUNDS = 12


def keep_in_cell(cax):
    """Shrinks the picture until the colorbar's numbers fit into their cell; returns whether it shrank.

    Only without a layout engine. If the picture would become too small, the numbers or names shrink instead; see `MIN_SIZES`.
    """
    if _cell_of(cax) is None or (_is_alone(_cell_of(cax)) and not _has_names(cax) and _margin(cax) >= WIDE_MARGIN):
        return False
    fit = _Fit(cax)
    before = fit.ax.get_position(original=True).bounds
    fit.shrink(MIN_SIZES_BESIDE_NAMES if fit.has_names else MIN_SIZES)
    return fit.ax.get_position(original=True).bounds != before


def match_neighbors(cax):
    """Makes pictures in equal cells of one grid as small as the smallest of them; returns the Axes of those that became smaller.

    Left out are those beside names of classes, whose size is their own, and those that somebody moved.
    """
    pairs = [_Pair(other) for other in cax.figure.axes if _is_like(cax, other)]
    sizes = [pair.size() for pair in pairs]
    if not sizes or max(sizes) - min(sizes) <= MIN_STEP:  # mostly so, and cells take longer to ask for
        return []
    own = _Pair(cax)
    pairs = [pair for pair in pairs if pair.is_in_cell() and pair.has_cell_like(own)]
    smallest = min((pair.size() for pair in pairs), default=0.0)
    return [pair.ax for pair in pairs if pair.move_edge(pair.size() - smallest)]


def _cell_of(cax):
    """The cell that a colorbar shares with its picture, None for none."""
    return getattr(getattr(cax.get_tightbbox, "locator", None), "cell", None)


def _has_names(cax):
    return cax.get_tightbbox.locator.on_height is not None


def _is_alone(cell):
    return cell.get_gridspec().get_geometry() == (1, 1)


def _margin(cax):
    """The inches between the cell of a colorbar and the edge of the figure to the side of its numbers; infinite above and below."""
    cell, location = _cell_of(cax).get_position(cax.figure), cax._colorbar_info["location"]
    return {"right": 1 - cell.x1, "left": cell.x0}.get(location, np.inf) * cax.figure.bbox.width / cax.figure.dpi


def _is_like(cax, other):
    """Whether both are colorbars with numbers, on the same side of their pictures, in cells of one grid."""
    cells = _cell_of(cax), _cell_of(other)
    if None in cells or _has_names(cax) or _has_names(other):
        return False
    return cells[0].get_gridspec() is cells[1].get_gridspec() and cax._colorbar_info["location"] == other._colorbar_info["location"]


def _is_at(axes, box):
    return abs(axes.get_position(original=True).get_points() - box.get_points()).max() < MIN_STEP


class _Pair:
    """A colorbar and its picture, which share a cell."""

    def __init__(self, cax):
        self.cax, self.locator, self.cell = cax, cax.get_tightbbox.locator, _cell_of(cax)
        self.ax = self.locator.picture_axes
        self.location = cax._colorbar_info["location"]
        self.is_vertical = self.location in ("left", "right")
        self._side = "width" if self.is_vertical else "height"

    def is_in_cell(self):
        """Whether picture and colorbar are where their grid puts them."""
        specs = [(axes, axes.get_subplotspec()) for axes in (self.ax, self.cax)]
        return self.ax.figure is not None and all(spec is not None and _is_at(axes, spec.get_position(axes.figure)) for axes, spec in specs)

    def has_cell_like(self, other):
        """Whether the cells are as wide and as high."""
        mine, theirs = (pair.cell.get_position(pair.ax.figure).size for pair in (self, other))
        return abs(mine - theirs).max() < MIN_STEP

    def size(self):
        """How wide the place of the picture is, or how high beside a horizontal colorbar, in the figure."""
        return getattr(self.ax.get_position(original=True), self._side)

    def move_edge(self, step, least_picture=0.0):
        """Moves the edge between picture and colorbar by `step`, or less near the picture's least size; False for no move."""
        whole = getattr(self.cell.get_position(self.ax.figure), self._side)
        picture, bar = self.size(), getattr(self.cax.get_position(original=True), self._side)
        step = min(step, picture - least_picture * whole)
        if step <= MIN_STEP:
            return False
        parts = [picture - step, bar + step]
        grid = self.ax.get_subplotspec().get_gridspec()
        getattr(grid, f"set_{self._side}_ratios")(parts if self.location in ("right", "bottom") else parts[::-1])
        for each in (self.ax, self.cax):
            each.set_subplotspec(each.get_subplotspec())
        return True


class _Fit(_Pair):
    """A colorbar in the cell of its picture. Text is measured as seldom as possible: that takes most of the time of a figure."""

    def __init__(self, cax):
        super().__init__(cax)
        self.has_names = _has_names(cax)
        n_rows, n_cols = self.cell.get_gridspec().get_geometry()
        self.has_neighbor = (n_cols if self.is_vertical else n_rows) > 1
        self._place()
        self.beyond_gap = self._ticks_beyond_gap() if self.location == "right" and self.has_neighbor else None

    def shrink(self, leasts):
        """Shrinks picture and text until the colorbar fits, to each pair of least sizes in turn."""
        leasts, width_before = list(leasts), 0.0
        for _ in range(MAX_ROUNDS * len(leasts)):
            box = self._box()
            beyond = self._beyond(box)
            if beyond <= MIN_STEP:
                return
            part = beyond / box.width if abs(box.width - width_before) > MIN_STEP else TEXT_STEP
            width_before = box.width
            while leasts and not (self.move_edge(beyond, leasts[0][0]) or self._shrink_text(part, leasts[0][1])):
                leasts.pop(0)
            if not leasts:
                return

    def _place(self):
        self.cax.apply_aspect(self.locator(self.cax, None))

    def _extent(self, axes):
        """Where the ticks and texts of these axes lie, in the figure; None without any."""
        figure = self.cax.figure
        boxes = [box for axis in axes if (box := axis.get_tightbbox(figure._get_renderer())) is not None]
        return Bbox.union(boxes).transformed(figure.transSubfigure.inverted()) if boxes else None

    def _box(self):
        """Where the colorbar and what is written around it lies, in the figure."""
        self._place()
        long, short = (self.cax.yaxis, self.cax.xaxis) if self.is_vertical else (self.cax.xaxis, self.cax.yaxis)
        bar, texts = self.cax.get_position(), self._extent([long, short] if short.label.get_text() else [long])
        return bar if texts is None else Bbox.union([bar, texts])

    def _ticks_beyond_gap(self):
        """How far ticks like the picture's own would reach beyond the gap between two cells, were they at its neighbor's edge."""
        *_, lefts, rights = self.cell.get_gridspec().get_grid_positions(self.cax.figure)
        ticks = self._extent([self.ax.yaxis])
        gap = lefts[1] - rights[0] - GAP * self.cax.figure.dpi / self.cax.figure.bbox.width
        return 0.0 if ticks is None else self.ax.get_position().x0 - ticks.x0 - gap

    def _beyond(self, box):
        """The part of the figure by which the colorbar reaches out of its cell, or out of the figure at its edge."""
        edges = self.cell.get_position(self.cax.figure) if self.has_neighbor else Bbox.unit()
        beyond = {"right": box.x1 - edges.x1, "left": edges.x0 - box.x0, "top": box.y1 - edges.y1, "bottom": edges.y0 - box.y0}
        if self.beyond_gap is None:
            return beyond[self.location]
        into_neighbor = self.beyond_gap + edges.x0 - self.ax.get_position().x0  # below 0: the gap that is free
        may_use_gap = self.has_names and into_neighbor < 0
        return beyond["right"] + (GAP_PART * into_neighbor if may_use_gap else max(0, into_neighbor))

    def _shrink_text(self, part, least):
        """Makes numbers, or names of classes, smaller by this part of their width; False where numbers have their least size."""
        size = self.cax.yaxis.get_tick_params().get("labelsize") or FontProperties(size=mpl.rcParams["ytick.labelsize"]).get_size()
        smaller = size * max(0.1, 1 - part)
        if self.has_names:
            self.locator.largest_text = smaller
            self._place()
            return True
        if max(least, smaller) >= size:
            return False
        self.cax.tick_params(labelsize=max(least, smaller))
        for axis in (self.cax.xaxis, self.cax.yaxis):
            axis.get_offset_text().set_size(max(least, smaller))
        return True
