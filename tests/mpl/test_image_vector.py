"""Vector files: small images are matplotlib's, byte for byte; large ones have the size of the picture."""

import io
import re

import matplotlib as mpl
import numpy as np
import pytest
from figures import axes_of, borrowed, needs_exact_places
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

import gpuplot

pytestmark = needs_exact_places

SMALL = np.random.default_rng(0).random((20, 30))
GRAY = (SMALL * 255).astype("u1")


def written(suffix, draw, ours, **savefig):
    ax = axes_of(200, place=(0.1, 0.1, 0.8, 0.8))
    draw(ax, (lambda X, **keywords: gpuplot.imshow(X, ax=ax, **keywords)) if ours else ax.imshow)
    file = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "0"}):
        ax.figure.savefig(file, format=suffix, metadata={"Date": None} if suffix == "svg" else None, **savefig)
    return file.getvalue()


def composite(ax, imshow):
    imshow(SMALL)
    imshow(SMALL.T, extent=(3, 12, 2, 9), alpha=0.5, origin="lower")
    imshow(GRAY, extent=(10, 20, 5, 12), alpha=0.3, cmap="gray")


DRAWINGS = {
    "one": lambda ax, imshow: imshow(SMALL, aspect="auto"),
    "composite": composite,
    "unsampled": lambda ax, imshow: imshow(GRAY, interpolation="none", cmap="gray"),
    "unsampled and zoomed": lambda ax, imshow: (imshow(SMALL, interpolation="none"), ax.set(xlim=(3, 8.2), ylim=(9, 3))),
    "rotated and unsampled": lambda ax, imshow: imshow(SMALL, interpolation="none", transform=Affine2D().rotate_deg(20) + ax.transData),
    "clip path": lambda ax, imshow: imshow(SMALL, clip_path=(Path.circle((0.5, 0.5), 0.4), ax.transAxes)),
    "rasterized": lambda ax, imshow: imshow(SMALL, rasterized=True, url="https://example.org"),
    "rgba": lambda ax, imshow: imshow(np.dstack([SMALL] * 4), interpolation="bicubic"),
}


@pytest.mark.parametrize("suffix", ["svg", "pdf", "ps"])
@pytest.mark.parametrize("name", DRAWINGS)
@pytest.mark.parametrize("savefig", [{}, {"dpi": 150}, {"dpi": 300, "bbox_inches": "tight"}], ids=str)
def test_small_images_are_written_as_by_matplotlib(suffix, name, savefig, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert written(suffix, DRAWINGS[name], True, **savefig) == written(suffix, DRAWINGS[name], False, **savefig)


def test_few_dots_per_inch_keep_the_places():
    """At 10 dpi the image is reduced, so only the element that places it can be equal."""
    tags = [re.findall(rb'<image [^>]*?(transform=.*?/>)', written("svg", DRAWINGS["one"], ours, dpi=10), re.DOTALL)
            for ours in (True, False)]
    assert tags[0] == tags[1] and len(tags[0]) == 1


@pytest.mark.parametrize("suffix", ["svg", "pdf", "ps"])
def test_a_file_with_a_large_image_has_the_size_of_its_picture(suffix):
    X = borrowed(2000, 2000)
    assert len(written(suffix, lambda ax, imshow: imshow(X), True, dpi=100)) < 250_000


@pytest.mark.parametrize("interpolation", ["nearest", "bilinear", "none"])
def test_zoomed_parts_of_large_images_are_written_as_by_matplotlib(interpolation, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    X = borrowed()

    def draw(ax, imshow):
        imshow(X, interpolation=interpolation, aspect="auto")
        ax.set(xlim=(99.5, 119.5), ylim=(219.5, 209.5))

    ours, plain = (written("svg", draw, is_ours, dpi=72) for is_ours in (True, False))
    if interpolation == "none":  # the part that is embedded has a margin; its place says so
        assert len(ours) < len(plain) * 3
    else:
        assert ours == plain
