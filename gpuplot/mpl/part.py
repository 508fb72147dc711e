"""A part of a plane, in elements: where it lies in data coordinates, and Axes that show just it."""


def edges_in_data(image, rows, cols):
    """Edges of elements, counted from 0, -> their y and their x in data coordinates, each in the order given."""
    left, right, bottom, top = image.get_extent()
    n_rows, n_cols = image.plane.shape
    first, last = (top, bottom) if image.origin == "upper" else (bottom, top)
    return ([first + (last - first) * row / n_rows for row in rows],
            [left + (right - left) * col / n_cols for col in cols])


def show_part(image, rows, cols):
    """Sets the limits of an image's Axes to the elements between two edges along each axis; inverted axes stay inverted."""
    ax = image.axes
    ys, xs = edges_in_data(image, rows, cols)
    ax.set_xlim(*sorted(xs, reverse=bool(ax.xaxis_inverted())))
    ax.set_ylim(*sorted(ys, reverse=bool(ax.yaxis_inverted())))
