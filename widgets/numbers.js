// The elements' numbers, printed in their cells where these are large enough.

const MOST_VALUES = 4096, LEAST_WIDTH = 34, LEAST_HEIGHT = 16;

export function makeNumbers(app, view, redraw) {
  let known = {}, asked = "";

  /** Whole elements in view, and one more on each side so that a small move needs no question. */
  function boxInView() {
    const { window, plane } = view;
    return window.map((at, i) => i % 2 ? Math.min(plane[i >> 1], Math.ceil(at) + 1) : Math.max(0, Math.floor(at) - 1));
  }

  async function askFor(box, version) {
    const key = JSON.stringify([box, version]), n = (box[1] - box[0]) * (box[3] - box[2]) * view.boxes.length;
    if (key === asked || n > MOST_VALUES) return;
    asked = key;
    const replies = await Promise.all(view.boxes.map((_, facet) => app.ask("values", { box, facet }))).catch(() => null);
    if (asked !== key) return;
    if (!replies) { asked = ""; return; }
    known = { box, version, texts: replies.map(reply => reply.texts) };
    redraw();
  }

  /** Prints one facet's numbers; a cell is `across` x `down` CSS pixels. */
  function draw(pen, facet, down, across, family) {
    const { state: { kind, shows, version }, window, frame, isMoving } = view;
    if (kind !== "image" || shows?.values === false || across < LEAST_WIDTH || down < LEAST_HEIGHT || !frame) return;
    const box = boxInView(), { box: have } = known;
    const isKnown = known.version === version && box.every((at, i) => i % 2 ? at <= have[i] : at >= have[i]);
    if (!isKnown && !isMoving) askFor(box, version);
    if (known.version !== version) return;
    pen.textAlign = "center";
    for (let row = Math.max(box[0], have[0]); row < Math.min(box[1], have[1]); row++) {
      for (let col = Math.max(box[2], have[2]); col < Math.min(box[3], have[3]); col++) {
        const text = String(known.texts[facet]?.[row - have[0]]?.[col - have[2]] ?? "");
        pen.font = `${Math.min(Math.max((across - 6) / (0.6 * text.length), 8), 12)}px ${family}`;
        pen.fillStyle = isLight(frame, facet, row + 0.5, col + 0.5) ? "#000" : "#fff";
        pen.fillText(text, (col + 0.5 - window[2]) * across, (row + 0.5 - window[0]) * down, across - 4);
      }
    }
  }

  return { draw, destroy() { asked = "gone"; } };
}

/** Whether the frame's pixel over a place of the plane is light, so that black can be read on it. */
function isLight({ pixels, window: [r0, r1, c0, c1], size: [height, width] }, facet, row, col) {
  const y = Math.floor((row - r0) / (r1 - r0) * height), x = Math.floor((col - c0) / (c1 - c0) * width);
  if (y < 0 || y >= height || x < 0 || x >= width) return true;
  const pixel = pixels[(facet * height + y) * width + x];
  return pixel >>> 24 < 128 || 0.299 * (pixel & 255) + 0.587 * (pixel >> 8 & 255) + 0.114 * (pixel >> 16 & 255) > 140;
}
