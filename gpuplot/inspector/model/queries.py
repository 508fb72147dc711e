"""What pages ask an inspector's model beside frames: a place, numbers in cells, histogram, statistics, the next NaN."""

from __future__ import annotations

import numpy as np

from ...plane.reduce import check_choice
from .cell_labels import cell_texts, check_box
from .cursor import make_cursor
from .frames import Viewport
from .hover import NOTHING, hover, pixel_under
from .jump import find_not_finite, kind_text
from .palette import check_number
from .pixels import facet_pixels
from .settings import REGIONS, check_window
from .statistics import histogram, statistics

__all__ = ["Queries"]


class Queries:
    """The part of `Scene` that answers questions; none of them changes what frames show, but a jump the index.

    What goes wrong while elements are read is raised, as the error of the tensor's library or of the driver.
    """

    def hover(self, row, col, facet=0, cell=(1.0, 1.0), origin=None):
        """What is at a place: one element, or those behind one pixel.

        Parameters
        ----------
        row, col : float
            In elements.
        facet : int
        cell : (float, float)
            Height and width of a pixel in elements.
        origin : (float, float), optional
            A row and column where a pixel begins. Default: of the window that was drawn last, which may be another page's.

        Returns
        -------
        dict
            ``text, value, place, lines`` of the front end's README; nothing in them beside the plane.
        """
        found = self._pixel(row, col, facet, cell, origin)
        if found is None:
            return dict(NOTHING)
        plane, parts, window = found
        return hover(self._view_state, plane, self._coloring.agg(self._view_state), parts, window, labels=self._palette.labels,
                     shade_one=self._shade)

    def cursor(self, row, col, facet=0, cell=(1.0, 1.0), origin=None):
        """The `Cursor` of a place, None beside the plane; parameters as of `hover`."""
        found = self._pixel(row, col, facet, cell, origin)
        if found is None:
            return None
        plane, parts, window = found
        return make_cursor(self._view_state, plane, self._coloring.agg(self._view_state), parts, window)

    def _pixel(self, row, col, facet, cell, origin):
        """(plane, parts, window) of the pixel at a place, see `pixel_under`; None beside the plane."""
        plane = self._plane(facet)
        row, col = (_place(at, name) for at, name in ((row, "row"), (col, "col")))
        height, width = (_place(side, "cell") for side in cell)
        if not (height > 0 and width > 0):
            raise ValueError("cell is the height and width of a pixel, both above zero")
        if plane is None:
            return None
        if origin is None:
            origin = (0.0, 0.0) if self._viewport is None else self._viewport.window[::2]
        if self._view_state.kind == "line":  # which has one row, however high its picture is
            row, height, origin = 0.5, 1.0, (0.0, origin[1])
        found = pixel_under(plane.shape, (row, col), (height, width), origin)
        return None if found is None else (plane.decided(self._coloring.store.leaves_out_nan), *found)

    def _shade(self, plane, window):
        """The colours of single elements."""
        frame = plane.reduce(window, "nearest")
        return facet_pixels(plane, frame, window, "nearest", self._colors(), self._coloring)[0]

    def values(self, box, facet=0):
        """Short texts of the elements of a box.

        Parameters
        ----------
        box : (int, int, int, int)
            row0, row1, col0, col1, half-open, of at most 4096 elements.
        facet : int

        Returns
        -------
        list of list of str
        """
        plane, box = self._plane(facet), check_box(box, self._view_state.shape)
        if plane is None:
            return [[""] * (box[3] - box[2]) for _ in range(box[0], box[1])]
        return cell_texts(plane, box, self._palette.labels, self._shade)

    def histogram(self, region, window=None):
        """How many finite elements of a region lie where in its range.

        Parameters
        ----------
        region : {"view", "slice", "all", "selection"}
        window : sequence of 4 floats, optional
            The present one, for "view".

        Returns
        -------
        dict
            ``counts, low, high, edges, ticks, n_outside`` of the front end's README.
        """
        region, box = self._region(region, window)
        view_state = self._view_state
        norm, ignored = self._palette.make_norm(view_state.settings.norm), self._coloring.ignored(view_state)
        return histogram(view_state, self._facts, norm, region, box, ignored)

    def palettes(self):
        """``{name: [8 colours as text]}`` of the colormaps in the menu."""
        self._check_open()
        return self._palette.samples(self._view_state.settings)

    def stats(self, region, window=None):
        """Statistics of the finite elements of a region, and how many there are of each kind.

        Parameters
        ----------
        region, window
            As for `histogram`.

        Returns
        -------
        dict
            ``rows, kind_counts, extend`` of the front end's README. What is of the plane is part of the state from then on.
        """
        region, box = self._region(region, window)
        rows, kind_counts = statistics(self._view_state, region, box)
        extend = "neither"
        if region == "slice":
            self._kind_counts, extend = kind_counts, self.extend()
        if region == "all":
            self._tensor_kind_counts = self._whole(), kind_counts
        return {"rows": rows, "kind_counts": kind_counts, "extend": extend}

    def _whole(self):
        """What counts of the whole tensor are of."""
        view_state, settings, roles = self._view_state, self._view_state.settings, self._view_state.settings.roles
        return view_state.item, settings.nan, view_state.view.complex_mode, roles.rgb, roles.reduced, roles.cropped

    def flags(self):
        """Which tensors have NaN or infinities, looked for anew at each question for a short time.

        Returns
        -------
        dict
            ``flags, n_left`` of the front end's README.
        """
        self._check_open()
        flags, n_left = self._health.look(self._collection.items)
        return {"flags": list(map(list, flags.items())), "n_left": n_left}

    def search(self):
        """Whether there is a NaN or an infinity anywhere in the tensor that is shown, looked for anew for a short time.

        Returns
        -------
        dict
            ``tensor_has`` of the front end's README.
        """
        self._check_open()
        return {"tensor_has": self._health.search_item(self._view_state.item)}

    def _region(self, region, window):
        """A region that was asked for, checked, and its part of the plane."""
        self._check_open()
        check_choice("region", region, REGIONS)
        if region == "selection":
            if self._view_state.settings.selection is None:
                raise ValueError("nothing is selected")
            rows, columns = self._view_state.settings.selection
            return region, (*rows, *columns)
        if region != "view" or (window is None and self._viewport is None):
            return region, None
        window = self._viewport.window if window is None else check_window(window)
        box = Viewport(window, (1, 1)).box(self._view_state.shape)
        return region, (0, 0, 0, 0) if box is None else box

    def _plane(self, facet):
        """The plane of a facet; None where the last row of facets has an empty place."""
        self._check_open()
        if isinstance(facet, (bool, np.bool_)) or not isinstance(facet, (int, np.integer)):
            raise TypeError(f"facet is an integer, not {type(facet).__name__}")
        planes, n_tiles = self._view_state.planes, self._view_state.n_tiles
        if not 0 <= facet < n_tiles:
            raise IndexError(f"facet {int(facet)} is out of range: {n_tiles} are shown")
        return planes[facet] if facet < len(planes) else None

    def jump(self, step, window=None):
        """Goes to the next element that is not finite: in what is shown, then at the other indices, round once.

        Parameters
        ----------
        step : {1, -1}
            Forwards or backwards in index order, from where the last jump ended.
        window : optional
            Not looked at: the page moves its own.

        Returns
        -------
        dict
            ``row, col, facet, text``; row and col None where all elements are finite. The index has been set.
        """
        self._check_open()
        if isinstance(step, (bool, np.bool_)) or step not in (1, -1):
            raise ValueError("step is 1 or -1")
        spot = None if self._view_state.kind == "text" else find_not_finite(self._view_state, int(step), self._last_found)
        if spot is None:
            return {"row": None, "col": None, "facet": 0, "text": "all elements are finite"}
        roles = self._view_state.settings.roles
        index = dict(zip(roles.stepped(), spot.index, strict=True))
        if any(roles.index[axis] != element for axis, element in index.items()):
            self.change({"index": index})
        self._last_found = spot
        plane = self._view_state.planes[spot.facet]
        place = plane.place(range(spot.row, spot.row + 1), range(spot.col, spot.col + 1))
        text = f"{kind_text(plane, spot.row, spot.col)} at {place}"
        return {"row": spot.row, "col": spot.col, "facet": spot.facet, "text": text}

    def picture(self):
        """What a figure of the present picture is made of: (ViewState, agg as `imshow` takes it, Colors, options, MarkColors)."""
        self._check_open()
        agg = None if self._coloring.is_sharp(self._view_state) else self.agg
        return self._view_state, agg, self._colors(), self._options, self._palette.marks


def _place(value, name):
    """A finite number that was sent."""
    number = check_number(value, name)
    if number is None:
        raise TypeError(f"{name} is a number, not None")
    return number
