"""A PNG file -> sixels, the picture format of DEC's terminals: bands of six rows, each with a row of characters for every color."""

import io

import numpy as np

MAX_COLORS = 256
# Shortest run that is written as a repeat, which must be shorter than the characters themselves.
MIN_REPEAT = 4


def sixel_of(png):
    """The sixel text of a picture, in at most 256 colors; transparent pixels are blended with white."""
    from PIL import Image

    image = Image.open(io.BytesIO(png)).convert("RGBA")
    page = Image.new("RGBA", image.size, "white")
    page.alpha_composite(image)
    paletted = page.convert("RGB").quantize(MAX_COLORS, dither=Image.Dither.NONE)
    pixels, palette = np.asarray(paletted), np.array(paletted.getpalette()).reshape(-1, 3)
    colors = "".join(f"#{k};2;{';'.join(str(round(part * 100 / 255)) for part in palette[k])}" for k in np.unique(pixels))
    bands = "-".join(_band(pixels[row:row + 6]) for row in range(0, len(pixels), 6))
    return f'\033Pq"1;1;{image.width};{image.height}{colors}{bands}\033\\'


def _band(rows):
    """Encodes up to six rows of pixels: a line of characters for each color, whose bits are the rows of that color."""
    weights = 1 << np.arange(len(rows))[:, None]
    lines = []
    for color in np.unique(rows):
        bits = ((rows == color) * weights).sum(axis=0)
        lines.append(f"#{color}{_runs(bits)}")
    return "$".join(lines)


def _runs(bits):
    """The characters of a line, run-length encoded."""
    edges = np.flatnonzero(np.diff(bits)) + 1
    starts = np.concatenate([[0], edges])
    counts = np.diff(np.concatenate([starts, [len(bits)]]))
    return "".join(f"!{n}{chr(63 + bits[start])}" if n >= MIN_REPEAT else chr(63 + bits[start]) * n
                   for start, n in zip(starts, counts, strict=True))
