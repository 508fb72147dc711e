"""An inspector as a user sees it on a page: where elements are on its picture, the pixels, what the readout says."""

import base64
import re

import numpy as np
from chromium import wait_until

READOUT = ".gp-readout"
CANVAS = ".gp-canvas"
_PIXELS = """canvas => {
  const { width, height } = canvas, { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  let letters = "";
  for (let i = 0; i < data.length; i += 0x8000) letters += String.fromCharCode(...data.subarray(i, i + 0x8000));
  return { width, height, data: btoa(letters) };
}"""
# Some color but one: a canvas that was never painted, or painted black, has a single one.
_IS_PAINTED = """canvas => {
  const { width, height } = canvas;
  if (!width || !height) return false;
  const data = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, width, height).data.buffer);
  return new Set(data.filter((_, i) => i % 97 === 0)).size > 1;
}"""


class Shown:
    """One inspector on a page; `nth` of those that are there."""

    def __init__(self, page, nth=0):
        self.page, self.root = page, page.locator(".gpuplot").nth(nth)
        self.canvas = self.root.locator(CANVAS).first

    def wait_painted(self):
        """Until a picture is on the canvas; an inspector gets one when it is seen."""
        self.root.wait_for(state="attached")
        self.root.scroll_into_view_if_needed()
        self._until(self.canvas, _IS_PAINTED)
        return self

    def _until(self, locator, script, arg=None):
        self.page.wait_for_function(f"([node, arg]) => ({script})(node, arg)", arg=[locator.element_handle(), arg])

    def pixels(self):
        """The canvas: uint8, shape (height, width, 4)."""
        got = self.canvas.evaluate(_PIXELS)
        return np.frombuffer(base64.b64decode(got["data"]), np.uint8).reshape(got["height"], got["width"], 4)

    def wait_pixels(self, wanted, most_differing=0.0):
        """Until the canvas shows these pixels: what the kernel's own `to_rgba` makes of the same window."""
        def share():
            got = self.pixels()
            return np.mean(np.any(got != wanted, axis=-1)) if got.shape == wanted.shape else 1.0

        wait_until(self.page, lambda: share() <= most_differing,
                   lambda: f"canvas {self.pixels().shape}, wanted {wanted.shape}: {share()} of the pixels differ")

    def wait_other_pixels(self, before):
        """Until the canvas shows anything else than `before`; the new pixels."""
        wait_until(self.page, lambda: not np.array_equal(self.pixels(), before), lambda: "the picture stays the same")
        return self.pixels()

    def at(self, part_down, part_right):
        """A point of the page, by the part of the canvas's height and width where it lies."""
        self.canvas.scroll_into_view_if_needed()
        box = self.canvas.bounding_box()
        return box["x"] + part_right * box["width"], box["y"] + part_down * box["height"]

    def hover(self, part_down, part_right):
        self.page.mouse.move(*self.at(part_down, part_right))

    def drag(self, start, end, n_steps=6):
        """The pointer goes down at `start`, to `end` in steps, and up."""
        self.page.mouse.move(*self.at(*start))
        self.page.mouse.down()
        self.page.mouse.move(*self.at(*end), steps=n_steps)
        self.page.mouse.up()

    def wheel(self, part_down, part_right, delta):
        """One step of the wheel at a place; negative comes nearer."""
        self.page.mouse.move(*self.at(part_down, part_right))
        self.page.mouse.wheel(0, delta)

    def readout(self, pattern):
        """The match of the line under the picture with `pattern`, as soon as there is one."""
        readout = self.root.locator(READOUT)
        self._until(readout, "(node, pattern) => new RegExp(pattern).test(node.textContent)", pattern)
        return re.search(pattern, readout.text_content())

    def focusables(self):
        """Everything that takes the focus by keyboard or pointer."""
        return self.root.locator("button, input, select, summary, textarea, a[href], [tabindex], [contenteditable]").all()
