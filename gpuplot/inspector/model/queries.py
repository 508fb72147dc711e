"""The part of `Scene` that answers queries of a page: hover, numbers in cells, histogram, statistics, the next NaN."""

import time

from .cell_labels import cell_texts, check_box
from .cursor import make_cursor
from .format import SHORT
from .health import ANSWER_SECONDS
from .hover import NOTHING, hover, pixel_under
from .jump import find_not_finite, kind_text
from .pixels import facet_pixels
from .settings import check_window
from .statistics import histogram, statistics
from .viewport import Viewport


class Queries:
    """The part of `Scene` that answers queries. Only `jump` changes a setting: the index.

    Arguments are those of checked messages; errors in reading elements are raised.
    """

    @property
    def is_slow(self):
        """Whether a pass over all elements reads or computes them, as for arrays in chunks."""
        return self._view_state is not None and self._view_state.item.is_slow

    def hover(self, row, col, facet=0, cell=(1.0, 1.0), origin=None):
        """The `hover` answer of the front end's README: the element at a position, or those behind its pixel.

        `row` and `col` are in elements, `cell` is the height and width of a pixel in elements, `origin` the row and column at
        which one begins, by default the corner of the window that was drawn last. The answer is ``text, value, index, lines``,
        empty beside the plane.
        """
        pixel = self._pixel(row, col, facet, cell, origin)
        return dict(NOTHING) if pixel is None else hover(
            self._view_state, pixel, self._coloring.agg(self._view_state), self._palette.labels, self._shade)

    def cursor(self, row, col, facet=0, cell=(1.0, 1.0), origin=None):
        """The `Cursor` of a position, None beside the plane; parameters as in `hover`."""
        pixel = self._pixel(row, col, facet, cell, origin)
        return None if pixel is None else make_cursor(self._view_state, pixel, self._coloring.agg(self._view_state))

    def _pixel(self, row, col, facet, cell, origin):
        """The `Pixel` at a position, None beside the plane and where another process holds its elements."""
        plane = self._plane(facet)
        if plane is None:
            return None
        if origin is None:
            origin = (0.0, 0.0) if self._viewport is None else self._viewport.window[::2]
        if self._view_state.kind == "line":  # one row of elements, whatever the height of the picture
            row, cell, origin = 0.5, (1.0, cell[1]), (0.0, origin[1])
        plane = plane.near_pointer(self._near_pointer).decided(self._coloring.store.leaves_out_nan)
        pixel = pixel_under(plane, (row, col), cell, origin)
        is_elsewhere = pixel is not None and sum(map(_n_elements, plane.elsewhere(pixel.box))) == pixel.n
        return None if is_elsewhere else pixel

    def _shade(self, plane, window):
        """Pixels of single elements, (H, W, 4) uint8."""
        frame = plane.reduce(window, "nearest")
        return facet_pixels(plane, frame, window, "nearest", self._colors(), self._coloring)[0]

    def values(self, box, facet=0, room=SHORT):
        """Rows of texts of at most `room` characters, one for each element of a box (row0, row1, col0, col1) of at most 4096."""
        plane, box = self._plane(facet), check_box(box, self._view_state.shape)
        if plane is None:
            return [[""] * (box[3] - box[2]) for _ in range(box[0], box[1])]
        texts = cell_texts(plane.near_pointer(self._near_pointer), box, self._palette.labels, self._shade, room)
        for row0, row1, col0, col1 in plane.elsewhere(box):
            for row in texts[row0:row1]:
                row[col0:col1] = [""] * (col1 - col0)
        return texts

    def histogram(self, region, window=None):
        """The `histogram` answer of the front end's README: counts of the finite elements of a region in bins.

        Parameters
        ----------
        region : {"view", "slice", "all", "selection"}
        window : sequence of 4 floats, optional
            The page's window, for "view".
        """
        box = self._region_box(region, window)
        view_state = self._view_state
        norm, ignored = self._palette.make_norm(view_state.settings.norm), self._coloring.ignored(view_state)
        return histogram(view_state, self._facts, norm, region, box, ignored)

    def palettes(self):
        """``{name: [8 colors]}`` of the colormaps in the menu."""
        self._check_open()
        return self._palette.samples(self._view_state.settings)

    def stats(self, region, window=None):
        """The `stats` answer of the front end's README: ``rows, kind_counts, extend``; parameters as in `histogram`.

        Counts of the plane and of the tensor are part of the state from then on.
        """
        rows, kind_counts = statistics(self._view_state, region, self._region_box(region, window))
        extend = "neither"
        if region == "slice":
            self._kind_counts, extend = kind_counts, self.extend()
        if region == "all":
            self._tensor_kind_counts = self._tensor_key(), kind_counts
        return {"rows": rows, "kind_counts": kind_counts, "extend": extend}

    def _tensor_key(self):
        """Equal for two ViewStates whose whole tensors have the same counts."""
        view_state, settings, roles = self._view_state, self._view_state.settings, self._view_state.settings.roles
        return view_state.item, settings.nan, view_state.view.complex_mode, roles.rgb, roles.reduced, roles.cropped

    def flags(self):
        """``flags, n_left`` of the front end's README: which tensors have NaN or infinities, searched for some time."""
        self._check_open()
        flags, n_left = self._health.search(self._collection.items)
        return {"flags": list(map(list, flags.items())), "n_left": n_left}

    def search(self):
        """``tensor_has`` of the front end's README: whether the tensor has NaN or infinities, searched for some time.

        The difference of two tensors is compared for as long; `is_described_anew` says whether the state has new notes.
        """
        self._check_open()
        item = self._view_state.item
        if not item.is_difference:
            return {"tensor_has": self._health.search_item(item)}
        before = item.notes
        if item.is_comparing:
            item.compare(time.monotonic() + ANSWER_SECONDS, time.monotonic)
        return {"tensor_has": self._health.known(item), "is_described_anew": item.notes != before}

    def _region_box(self, region, window):
        """The box of the plane that is a region; None for the whole plane."""
        self._check_open()
        if region == "selection":
            if self._view_state.settings.selection is None:
                raise ValueError("nothing is selected")
            rows, columns = self._view_state.settings.selection
            return *rows, *columns
        if region != "view" or (window is None and self._viewport is None):
            return None
        window = self._viewport.window if window is None else check_window(window)
        return Viewport(window, (1, 1)).box(self._view_state.shape) or (0, 0, 0, 0)

    def _plane(self, facet):
        """The plane of a facet; None for an empty tile at the end of the last row."""
        self._check_open()
        planes, n_tiles = self._view_state.planes, self._view_state.n_tiles
        if not 0 <= facet < n_tiles:
            raise IndexError(f"facet {facet} is out of range: {n_tiles} are shown")
        return planes[facet] if facet < len(planes) else None

    def jump(self, step):
        """Sets the index to that of the next element that is not finite: in the shown planes, then at all other indices.

        `step` is 1 or -1, forwards or backwards in index order from where the last jump ended. The answer is ``row, col, facet,
        text``; row and col are None where all elements are finite.
        """
        self._check_open()
        found = None if self._view_state.kind == "text" else find_not_finite(self._view_state, step, self._last_found)
        if found is None:
            where = " of the facets that are shown" if self._view_state.facets.notice else ""  # others were not searched
            return {"row": None, "col": None, "facet": 0, "text": f"all elements{where} are finite"}
        roles = self._view_state.settings.roles
        index = dict(zip(roles.stepped(), found.index, strict=True))
        if any(roles.index[axis] != element for axis, element in index.items()):
            self.change({"index": index})
        self._last_found = found
        plane = self._view_state.planes[found.facet]
        index_text = plane.index_text(range(found.row, found.row + 1), range(found.col, found.col + 1))
        return {"row": found.row, "col": found.col, "facet": found.facet,
                "text": f"{kind_text(plane, found.row, found.col)} at {index_text}"}

    def picture(self):
        """The settings for a figure: (ViewState, agg as `imshow` takes it, Colors, options, MarkColors)."""
        self._check_open()
        agg = None if self._coloring.is_sharp(self._view_state) else self.agg
        return self._view_state, agg, self._colors(), self._options, self._palette.marks


def _n_elements(box):
    row0, row1, col0, col1 = box
    return (row1 - row0) * (col1 - col0)
