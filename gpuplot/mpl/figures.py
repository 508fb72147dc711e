"""The figure that an artist is in, whichever subfigure holds it."""


def root_figure(artist):
    """The outermost figure of an artist; None for one that is in no figure.

    matplotlib has `get_figure(root=True)` from 3.10 on only. In every version a figure is its own `figure`, and that of a subfigure is one
    further out.
    """
    figure = artist.figure
    while figure is not None and figure.figure is not figure:
        figure = figure.figure
    return figure
