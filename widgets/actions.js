// What pointer and wheel do to the picture: the actions of gestures.js.
import { clamp, elementAt, elementUnder, floor, fractionOf, isIn, max, panWindow, spansOf, wholeOf, windowAt, windowOn, zoomWindow } from "./geometry.js";
import { overviewBox } from "./overlay.js";
import { touchedBy } from "./selection.js";

/** `hover` is called with the place of the pointer, null beside the picture. */
export function makeActions(app, view, canvas, moves, redraw, hover) {
  let start;

  function boxBetween(from, to) {
    const [a, b] = [from, to].map(({ fraction }) => elementAt(view.window, fraction.map(at => clamp(at, 0, 1))));
    return [a[0], b[0], a[1], b[1]];
  }

  /** A gesture that draws a box: `boxOf` is what is shown of the drawn one, or nothing, and `take` gets it at the end. */
  const drawing = (boxOf, take) => (from, to, isDone) => {
    if (!view.size) return;
    const box = boxOf(boxBetween(from, to));
    view.drawnBox = isDone ? null : box;
    if (isDone && box && actions.isFar(from, to)) take(box);
    redraw();
  };

  const actions = {
    // A gesture goes on in the facet where it began, which may be no more.
    place({ clientX, clientY }, first) {
      const { left, top, width, height } = canvas.getBoundingClientRect();
      const px = [(clientY - top) / height * canvas.height, (clientX - left) / width * canvas.width];
      const facet = first?.facet ?? view.boxes.findIndex(one => isIn(one, px)), [y, x, h, w] = view.boxes[facet] ?? view.boxes[0];
      // A pixel includes its upper edge, also where rows rise.
      const down = view.isUp ? h - 1e-3 - (px[0] - y) : px[0] - y;
      return { px, facet, fraction: [down / h, (px[1] - x) / w] };
    },
    begin() { start = view.window; },
    canZoomOut: () => view.size && !view.isWhole,
    zoom(fraction, factor) { if (view.size) moves.to(zoomWindow(view, fraction, factor)); },
    pan(by) { if (view.size) moves.to(panWindow(view, start, by)); },
    reset() { if (view.size) moves.to(windowOn(view, wholeOf(view)), false); },
    grab: ({ px }) => view.size && isIn(overviewBox(view), px),
    drag({ px }) {
      const [y, x, height, width] = overviewBox(view), { plane } = view;
      const down = (px[0] - y) / height, row = (view.isUp ? 1 - down : down) * plane[0];
      if (height) moves.to(windowAt(view, [row, (px[1] - x) / width * plane[1]], spansOf(view.window)));
    },
    isFar: (from, to) => Math.hypot(from.px[0] - to.px[0], from.px[1] - to.px[1]) > 5 * view.dpr,
    box: drawing(drawn => drawn, box => moves.to(windowOn(view, box), false)),
    select: drawing(drawn => touchedBy(drawn, view.state)?.flat(),
      box => app.set({ selection: [box.slice(0, 2), box.slice(2)] })),
    hover,
    // Brings the element beside the cursor, or the pointer, into view; without them it is the one in the middle of the picture. A
    // step is a pixel where these hold several elements.
    beside([down, right]) {
      const from = view.cursor ?? view.at, middle = elementAt(view.window, [0.5, 0.5]), spans = spansOf(view.window);
      const [row, col] = [view.isUp ? -down : down, right].map((step, i) => {
        const by = from ? step * max(1, spans[i] / view.size[i]) : 0;
        return clamp(floor(from ? [from.row, from.col][i] : middle[i]) + 0.5 + by, 0.5, view.plane[i] - 0.5);
      });
      if (!isIn([0, 0, 1, 1], fractionOf(view.window, { row, col }))) moves.to(windowAt(view, [row, col], spans));
      return { row, col, facet: from?.facet ?? 0 };
    },
    click(place) {
      const at = view.size && elementUnder(view, place);
      if (at) app.send("click", at);
    },
  };
  return actions;
}
