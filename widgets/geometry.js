// The window on the plane: fit, pan, zoom, from pixel to element; arithmetic only.
// A lens is {plane, size, aspect, dpr, window}; pairs are (rows, columns), a window is [row0, row1, col0, col1] in elements.

const MOST_PX_PER_ELEM = 128;

export const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
export const spansOf = window => [window[1] - window[0], window[3] - window[2]];
export const middleOf = window => [(window[0] + window[1]) / 2, (window[2] + window[3]) / 2];

/** Which element lies at a fraction (down, right) of a window. */
export const elementAt = (window, fraction) => spansOf(window).map((span, i) => window[2 * i] + fraction[i] * span);

/** The smallest spans that contain others and have the canvas' aspect. */
export function fitSpans({ size, aspect }, spans) {
  const elemsPerPx = Math.max(spans[0] / size[0], spans[1] / size[1]);
  return aspect === "equal" ? size.map(side => side * elemsPerPx) : spans;
}

/** How much of the whole (1: all) a lens with these spans shows, by rows and by columns, within its bounds. */
export function partsOf(lens, spans) {
  const whole = fitSpans(lens, lens.plane);
  const parts = spans.map((span, i) => clamp(span / whole[i], Math.min(1, lens.size[i] / (MOST_PX_PER_ELEM * lens.dpr * whole[i])), 1));
  return lens.aspect === "equal" ? parts.fill(Math.max(...parts)) : parts;
}

/**
 * The window with a middle and spans, as near to them as the lens goes. The middle may leave the plane's middle by the part of
 * the plane that is not shown: so zooming in keeps every element where it is under the pointer, and zooming out ends on the
 * whole without a jump.
 */
export function windowAt(lens, middle, spans) {
  const whole = fitSpans(lens, lens.plane), parts = partsOf(lens, spans);
  return middle.flatMap((at, i) => {
    const n = lens.plane[i], reach = n / 2 * (1 - parts[i]), held = clamp(at, n / 2 - reach, n / 2 + reach), half = whole[i] * parts[i] / 2;
    return [held - half, held + half];
  });
}

/** The smallest window that contains a box (null: the whole plane). */
export const windowOn = (lens, box) =>
  windowAt(lens, middleOf(box ?? [0, lens.plane[0], 0, lens.plane[1]]), fitSpans(lens, box ? spansOf(box) : lens.plane));

/** The window with `factor` times as many elements a side (less than 1: zoom in), its element at a fraction staying there. */
export function zoomWindow(lens, fraction, factor) {
  const spans = spansOf(lens.window), middle = middleOf(lens.window), whole = fitSpans(lens, lens.plane);
  const next = partsOf(lens, spans.map(span => span * factor)).map((part, i) => part * whole[i]);
  // Outside of the plane its nearest element is held, or the picture would run away from the pointer.
  const held = elementAt(lens.window, fraction).map((at, i) => clamp(at, 0, lens.plane[i]));
  return windowAt(lens, held.map((at, i) => at + (middle[i] - at) * next[i] / spans[i]), next);
}

/** A window moved by a fraction of itself (down, right). */
export const panWindow = (lens, window, part) => windowAt(lens, elementAt(window, [part[0] + 0.5, part[1] + 0.5]), spansOf(window));

/** 1, 2 or 5 times a power of ten, at least `least`. */
export function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find(m => m * power >= least * (1 - 1e-9));
}

/** Where facet `i` of n_rows x n_cols lies on a canvas: [y, x, height, width]. */
export function facetBox(i, [n_rows, n_cols], size, gap) {
  const height = Math.max(1, Math.floor((size[0] + gap) / n_rows) - gap), width = Math.max(1, Math.floor((size[1] + gap) / n_cols) - gap);
  return [Math.floor(i / n_cols) * (height + gap), (i % n_cols) * (width + gap), height, width];
}
