"""The base of planes of images that are computed from several tensors at each draw."""

from .borrowed_plane import has_two_parts
from .gathered_plane import MAX_GATHERED_ELEMENTS, GatheredPlane
from .image_plane import ImagePlane
from .masked_elements import clip_colors, color_range, mask_invalid


class ComputedPlane(ImagePlane):
    """Adapts a reader with the interface of a `TensorPlane` to the `ImagePlane` of an image.

    Parameters
    ----------
    reader : TiledPlane or DifferencePlane
    tensor : object
        The object, or objects, that the image was made from.
    """

    def __init__(self, reader, tensor):
        self._reader, self._tensor = reader, tensor
        self.view = self.cell_view = reader.view
        self.tensor_dtype, self.nan = reader.dtype, reader.nan
        if self.is_rgb and 0 < self.size <= MAX_GATHERED_ELEMENTS:
            self.color_range = color_range(mask_invalid(self._elements(reader, (0, self.shape[0], 0, self.shape[1]))))

    @property
    def tensor(self):
        """The object, or objects, that the image was made from."""
        return self._tensor

    @property
    def reader(self):
        """See `ImagePlane.reader`."""
        return self._reader

    def host_array(self, is_finite=False):
        """The elements where they are few, as matplotlib holds them; else None."""
        return self.box(0, self.shape[0], 0, self.shape[1]) if self.size <= MAX_GATHERED_ELEMENTS else None

    def box(self, row0, row1, col0, col1, nan=None):
        """See `ImagePlane.box`."""
        values = mask_invalid(self._elements(self.reader.under(nan or self.nan), (row0, row1, col0, col1)))
        return clip_colors(values) if self.is_rgb else values

    def _elements(self, reader, box):
        return reader.numbers(box)

    def gathered(self, nan):
        """A plane of its own copy of the elements; None where there is no array of them."""
        if has_two_parts(self.view):
            return None
        whole = 0, self.shape[0], 0, self.shape[1]
        # Masked elements are left out of pixels; numbers that are not finite mark them.
        return GatheredPlane.of_array(self.box(*whole, nan) if self.is_rgb else self._elements(self.reader.under(nan), whole))

    def another(self, X):
        """The plane of other tensors, made in the same way; each kind of plane has its own."""
        raise TypeError(f"{type(self).__name__} cannot be made of other tensors: draw a new image")

    def stats(self, parameters):
        """Statistics for `TensorImage.stats`; each kind of plane has its own."""
        raise TypeError(f"{type(self).__name__} has no statistics: call gpuplot.stats with its tensors")
