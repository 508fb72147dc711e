"""Hatching over the parts of a plane that other processes hold, which a draw does not read."""

from matplotlib.patches import Rectangle

from ..part import edges_in_data

FACE, LINES, HATCH = "0.92", "0.65", "////"


def hatch_elsewhere(image, renderer):
    """Draws a hatched rectangle over each box of an image's plane that another process holds."""
    for box in image.plane.boxes_elsewhere:
        patch = Rectangle(*_placed(box, image), facecolor=FACE, edgecolor=LINES, hatch=HATCH, linewidth=0, zorder=image.get_zorder(),
                          transform=image.get_transform(), clip_on=image.get_clip_on())
        patch.set_figure(image.get_figure())
        patch.axes = image.axes
        patch.set_clip_box(image.get_clip_box())
        patch.set_clip_path(image.get_clip_path())
        patch.draw(renderer)


def _placed(box, image):
    """Box of elements (row0, row1, col0, col1) -> (corner, width, height) of a Rectangle, in data coordinates."""
    (y0, y1), (x0, x1) = edges_in_data(image, box[:2], box[2:])
    return (x0, y0), x1 - x0, y1 - y0
