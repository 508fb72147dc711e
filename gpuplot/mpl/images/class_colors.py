"""The colors of an image of classes, and their update when classes change."""

from ...color.categories import category_colors, is_categorical_dtype
from ...color.classes import Classes
from .class_bars import put_ticks_at_classes, refresh_class_bar


class ClassColors:
    """The part of `TensorImage` that gives classes their colors."""

    def _show_classes(self, cmap, ignore_index):
        """Gives each class number of the plane a color, of the palette where `cmap` is None; ignored ones stay empty."""
        self._class_options = cmap, ignore_index
        cmap, norm = category_colors(self._find_classes(), cmap)
        self.set_norm(norm)
        self.set_cmap(cmap)

    def _name_classes(self, colorbar):
        if colorbar is not None and colorbar.mappable is self:  # `Figure.colorbar` is making it
            put_ticks_at_classes(colorbar)

    def _find_classes(self):
        """The `Classes` of the plane, which read its elements when used; not stored."""
        return Classes.of(self.plane.reader, self._element_limits(), self._class_options[1])

    def _present_classes(self):
        """The classes that occur, None where they are many and too far apart; found once, which may take several passes."""
        if not self._cells.known_classes:
            self._cells.known_classes = (self._find_classes().present,)
        return self._cells.known_classes[0]

    def _color_new_classes(self):
        """Extends the palette to classes that did not occur before, and gives the colorbar entries for them."""
        if self._class_options is None or not is_categorical_dtype(self.plane.dtype):
            return
        first, last = self._find_classes().ends
        if self._class_options[0] is None and not self.norm.vmin <= first <= last <= self.norm.vmax:
            self._show_classes(*self._class_options)
        refresh_class_bar(self)
