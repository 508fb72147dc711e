"""The figure that an artist is in, whichever subfigure holds it; draws of figures that no one sees."""

from matplotlib.backend_bases import RendererBase


def root_figure(artist):
    """The outermost figure of an artist; None for one that is in no figure.

    matplotlib has `get_figure(root=True)` from 3.10 on only. In every version a figure is its own `figure`, and that of a subfigure is one
    further out.
    """
    figure = artist.figure
    while figure is not None and figure.figure is not figure:
        figure = figure.figure
    return figure


def is_for_layout(renderer):
    """True while matplotlib measures a layout with a renderer that discards all pixels.

    The attribute is looked up, and not only the renderer's own, because that of a vector format lies in one for mixed content.
    """
    return getattr(getattr(renderer, "draw_image", None), "__wrapped__", None) is RendererBase.draw_image
