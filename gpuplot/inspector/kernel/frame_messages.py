"""Draws a planned frame and builds its message: JSON fields and buffers."""

from dataclasses import replace

from ..export.still import Layout
from ..model.viewport import pixel_sides
from ..model.wide_marks import widen_marks
from .encoding import encode_line, encode_pixels
from .pages import ANY_VIEWPORT

# Largest width and height in pixels of a frame for a page that has not sent its size.
ANY_SIZE = 960, 720


def draw_message(scene, plan):
    """Draws the frame of a `Plan`: the fields of the message without `id` and `page`, and the `Encoded` pixels."""
    window, size = _aim(scene, plan)
    return _message(scene.draw(window, size, keeps_limits=_keeps_limits(plan)), plan)


def request_preview(scene, plan):
    """Requests what `known_message` shows until the frame of a `Plan` is known; see `Scene.request_preview`."""
    scene.request_preview(*_aim(scene, plan))


def known_message(scene, plan):
    """As `draw_message`, for the known part of a frame whose chunks are being read, marked as not final; None if nothing is known."""
    drawn = scene.draw_known(*_aim(scene, plan), keeps_limits=_keeps_limits(plan))
    return None if drawn is None else _message(drawn, replace(plan, is_final=False))


def _keeps_limits(plan):
    return not (plan.is_final and plan.is_new_view)


def _message(drawn, plan):
    line = drawn.line
    encoded = encode_pixels(_with_wide_marks(drawn), plan.is_deflated) if line is None else encode_line(line)
    fields = {
        "k": "frame", "seq": plan.viewport.seq, "version": drawn.version, "window": list(drawn.window), "size": list(drawn.size),
        "n_facets": len(drawn.pixels) if line is None else 1, "format": encoded.format, "final": plan.is_final,
    }
    return fields if line is None else fields | {"n": line.shape[1]}, encoded


def _with_wide_marks(drawn):
    """The pixels with single marks widened."""
    for pixels, marked in zip(drawn.pixels, drawn.marked, strict=False):
        if marked is not None:
            widen_marks(pixels, marked, pixel_sides(drawn.window, drawn.size))
    return drawn.pixels


def _aim(scene, plan):
    """Window and size of a frame: the page's, or the default ones before it has sent any."""
    layout = Layout.of(scene, *ANY_SIZE) if plan.viewport is ANY_VIEWPORT else None
    return (plan.viewport.window, plan.size) if layout is None else (layout.window, layout.facet)
