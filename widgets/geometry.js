// The window on the plane: fit, pan, zoom, from pixel to element; arithmetic only.
// A lens is {plane, size, aspect, dpr, window}; pairs are (rows, columns), a window is [row0, row1, col0, col1] in elements.

const MAX_PX_PER_ELEM = 128;

export const max = Math.max;
export const min = Math.min;
export const floor = Math.floor;
export const ceil = Math.ceil;
export const abs = Math.abs;
export const clamp = (x, low, high) => min(max(x, low), high);
export const spansOf = window => [window[1] - window[0], window[3] - window[2]];

/** Which element lies at a fraction (down, right) of a window. */
export const elementAt = (window, fraction) => spansOf(window).map((span, i) => window[2 * i] + fraction[i] * span);

/** A plane as a window. */
export const wholeOf = ({ plane }) => [0, plane[0], 0, plane[1]];

export const isIn = ([y, x, height, width], [down, right]) => down >= y && down < y + height && right >= x && right < x + width;

/** The element in the middle of the pixel at a position, which that pixel shows; null beside the plane. */
export function elementUnder({ window, size, plane }, { fraction, facet }) {
  // A middle between two elements is the later one's, as in the kernel.
  const [row, col] = elementAt(window, fraction.map((at, i) => (floor(at * size[i]) + 0.5 + 1e-7) / size[i]));
  return facet >= 0 && isIn([0, 0, ...plane], [row, col]) ? { row, col, facet } : null;
}

/** At which fraction of a window an element lies. */
export const fractionOf = (window, { row, col }) => spansOf(window).map((span, i) => ([row, col][i] - window[2 * i]) / span);

/** The element where keys left the cursor, while it is in view, else the one under the pointer; null for none. */
export function elementAsked({ cursor, pointer, ...lens }) {
  if (!cursor) return pointer && elementUnder(lens, pointer);
  const { row, col } = cursor;
  return isIn([0, 0, 1, 1], fractionOf(lens.window, cursor)) && isIn([0, 0, ...lens.plane], [row, col]) ? cursor : null;
}

/** How far down the picture a place along the rows is, in CSS pixels; row 0 is at the top, or at the bottom where rows rise. */
export const downAt = ({ window, down, isUp }, row) => (isUp ? window[1] - row : row - window[0]) * down;

/** The smallest spans that contain others and have the canvas' aspect. */
export function fitSpans({ size, aspect }, spans) {
  const elemsPerPx = max(spans[0] / size[0], spans[1] / size[1]);
  return aspect === "equal" ? size.map(side => side * elemsPerPx) : spans;
}

/** How much of the whole (1: all) a lens with these spans shows, by rows and by columns, within its bounds. */
export function shareOf(lens, spans) {
  const shares = fitSpans(lens, lens.plane).map((all, i) =>
    clamp(spans[i] / all, min(1, lens.size[i] / (MAX_PX_PER_ELEM * lens.dpr * all)), 1));
  return lens.aspect === "equal" ? shares.fill(max(...shares)) : shares;
}

/**
 * The window with a middle and spans, as near to them as the lens goes. The middle may leave the plane's middle by the part of
 * the plane that is not shown: so zooming in keeps every element where it is under the pointer, and zooming out ends on the
 * whole without a jump.
 */
export function windowAt(lens, middle, spans) {
  const whole = fitSpans(lens, lens.plane);
  return shareOf(lens, spans).flatMap((share, i) => {
    const n = lens.plane[i] / 2, reach = n * (1 - share), at = clamp(middle[i], n - reach, n + reach),
      half = whole[i] * share / 2;
    return [at - half, at + half];
  });
}

/** The smallest window that contains a box. */
export const windowOn = (lens, box) => windowAt(lens, elementAt(box, [0.5, 0.5]), fitSpans(lens, spansOf(box).map(abs)));

/** The window with `factor` times as many elements a side (less than 1: zoom in), its element at a fraction staying there. */
export function zoomWindow(lens, fraction, factor) {
  const { window, plane } = lens, spans = spansOf(window), whole = fitSpans(lens, plane), middle = elementAt(window, [0.5, 0.5]);
  const next = shareOf(lens, spans.map(span => span * factor)).map((share, i) => share * whole[i]);
  // Outside of the plane its nearest element is held, or the picture would run away from the pointer.
  const held = elementAt(window, fraction).map((at, i) => clamp(at, 0, plane[i]));
  return windowAt(lens, held.map((at, i) => at + (middle[i] - at) * next[i] / spans[i]), next);
}

/** A window moved by a fraction of itself (down, right). */
export const panWindow = (lens, window, part) => windowAt(lens, elementAt(window, part.map(at => at + 0.5)), spansOf(window));

/** 1, 2 or 5 times a power of ten, at least `least`. */
export function niceStep(least) {
  const power = 10 ** floor(Math.log10(least));
  return power * [1, 2, 5, 10].find(m => m * power >= least * (1 - 1e-9));
}
