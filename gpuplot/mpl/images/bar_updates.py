"""Colorbars that follow their image, also in copied and unpickled figures, for which matplotlib drops the callbacks between the two."""

from functools import partial


def update_bar(colorbar, mappable):
    """Draws a colorbar anew for a mappable; in a copied figure, too."""
    children = colorbar.ax._children
    for artist in children:
        # A deep copy shares bound methods of built-in types: its artists would be removed from the Axes that were copied.
        if getattr(artist._remove_method, "__self__", children) is not children:
            artist._remove_method = children.remove
    colorbar.update_normal(mappable)


def connect_again(image):
    """Tells a copied or unpickled image of changes of its norm, and its colorbar of its own."""
    colorizer = getattr(image, "_colorizer", None)
    if colorizer is None:  # matplotlib 3.9
        image._id_norm = image.norm.callbacks.connect("changed", image.changed)
    else:
        colorizer._id_norm = image.norm.callbacks.connect("changed", colorizer.changed)
        image._id_colorizer = colorizer.callbacks.connect("changed", image.changed)
    if image.colorbar is not None:
        image.colorbar_cid = image.callbacks.connect("changed", partial(_follow, image.colorbar))


def _follow(colorbar, image):
    """Called when the image changed. Asked here, as a colorbar may have no attributes yet while a pickle is read."""
    if colorbar.mappable is image:
        update_bar(colorbar, image)
