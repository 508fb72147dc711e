// Sizes on the page: of the canvas, of each facet on it, and of the color bar below.
import { abs, ceil, floor, max, min } from "./geometry.js";
import { marginsOf } from "./overlay.js";

const FACET_GAP = 6, MIN_BAR_PX = 240;
/* The least height of each row of facets where there are more than so many; fewer have the height of any picture. */
const MIN_ROW_PX = 30, MIN_ROWS = 3;

/** [rows, columns] of facets; [1, 1] without. */
export const layoutOf = ({ facets }) => [facets?.rows.length || 1, facets?.columns.length || 1];

/** `picture` has the canvas, and `over`, which has room for labels around it. */
export function makeLayout(app, view, picture, canvas, over) {
  let ratio = 8, margins = [0, 0, 0, 0];
  // With the zoom of style sheets.
  const dprOf = () => devicePixelRatio * (canvas.currentCSSZoom ?? 1);

  /** The canvas is as high as the plane at its width, within bounds; it grows with a taller plane and never shrinks again, but
      for what many rows of facets need. */
  function arrange({ plane, height, kind, tensor }) {
    const { layout } = view;
    ratio = min(ratio, kind === "line" ? 3.2 : max(plane[1] * layout[1] / (plane[0] * layout[0]), 0.2));
    Object.assign(canvas.style, height ? { height: `${height}px`, maxHeight: "none", minHeight: 0 } : {
      aspectRatio: ratio, minHeight: layout[0] > MIN_ROWS ? `${layout[0] * MIN_ROW_PX}px` : "",
    });
    canvas.ariaLabel = `${tensor.dtype}, ${plane.join(" by ")} elements; question mark for the keys`;
    pad();
  }

  /** Room for labels around the canvas, in whole device pixels: both canvases are painted pixel on pixel. */
  function pad() {
    const dpr = dprOf();
    margins = marginsOf(view.state).map(px => Math.round(ceil(px) * dpr) / dpr);
    const sides = margins.map(px => `${px}px`), [, right,, left] = sides;
    picture.style.padding = sides.join(" ");
    // The color bar and the names of classes stand under the picture alone.
    app.root.style.setProperty("--right", right);
    app.root.style.setProperty("--left", left);
  }

  /** Gives the canvas the size that a ResizeObserver found, which clears it. */
  function resize({ devicePixelContentBoxSize: [exact] = [], contentRect }) {
    const near = [contentRect.width, contentRect.height].map(px => Math.round(px * dprOf()));
    // The browser's own count of pixels, unless it is off by more than rounding, as on emulated screens.
    [canvas.width, canvas.height] = abs(exact?.inlineSize - near[0]) < 2 ? [exact.inlineSize, exact.blockSize] : near;
  }

  /** Divides the canvas into facets; the size of one is null where nothing can be seen. */
  function divide() {
    const { layout: [n_rows, n_cols] = [1, 1] } = view, dpr = dprOf(), gap = Math.round(FACET_GAP * dpr);
    const height = floor((canvas.height + gap) / n_rows) - gap, width = floor((canvas.width + gap) / n_cols) - gap;
    view.size = canvas.hidden || !view.state || min(height, width) < 1 ? null : [height, width];
    if (!view.size) return;
    const [top, right, bottom, left] = margins.map(px => Math.round(px * dpr));
    [over.width, over.height] = [canvas.width + left + right, canvas.height + top + bottom];
    const boxes = Array.from({ length: n_rows * n_cols }, (_, i) =>
      [floor(i / n_cols) * (height + gap), i % n_cols * (width + gap), height, width]);
    Object.assign(view, { dpr, boxes, height: height / dpr, width: width / dpr,
      origin: [top / dpr, left / dpr] });
  }

  /** Makes the color bar as wide as the visible part of the plane, or as its numbers need. */
  function placeBar() {
    const { window: [,, left, right], plane, across, boxes, width, dpr } = view, all = canvas.width / dpr,
      lead = max(0, -left) * across, trail = max(0, right - plane[1]) * across + all - width - boxes[view.layout[1] - 1][1] / dpr;
    const room = max(0, min(MIN_BAR_PX, all) - (all - lead - trail)) / 2;
    for (const [side, px] of [["lead", lead], ["trail", trail]]) app.root.style.setProperty(`--${side}`, `${max(0, px - room)}px`);
  }

  /** Limits the picture to the window's height; in a frame as high as its content, to that of the outer page, or of the screen where
      that page is of another origin. */
  function measureRoom() {
    let room;
    try { room = top.innerHeight; } catch { room = screen.availHeight; }
    picture.style.setProperty("--room", `${room}px`);
    // The page may be zoomed.
    if (view.state && view.state.kind !== "text") pad();
  }

  return { arrange, resize, divide, placeBar, measureRoom };
}
