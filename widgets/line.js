// The view of 1-D tensors: a band from smallest to largest, the mean as a line, and marks where elements are not finite.
import { abs, clamp, max } from "./geometry.js";
import { numbersOf } from "./rulers.js";

/* Least distance of ticks of the y axis, and a smaller one where that leaves fewer than two. */
const APART_PX = [44, 18];

/** [low, high] of the y axis: the limits in use, a little room around them. */
export function heightsOf({ vmin, vmax }) {
  const room = vmax > vmin ? (vmax - vmin) / 20 : abs(vmax) / 10 || 1;
  return [vmin - room, vmax + room];
}

/** Round numbers along the y axis, `height` CSS pixels high, with as many digits as tell them apart: [[value, text], ...]. */
export function ticksUp([low, high], height) {
  // None where the range is beyond the largest float.
  const [few, more] = APART_PX.map(px => numbersOf(low, high, (high - low) * px / height).filter(([value]) => Number.isFinite(value)));
  return few.length > 1 ? few : more;
}

export function paintLine(pen, { state, frame, window, size: [height, width], dpr }, color) {
  const { columns: [low, high, mean, marks], n, window: [, , f0, f1] } = frame, [bottom, top] = heightsOf(state),
    { nan, pos_inf, neg_inf } = state.colors;
  const perElem = width / (window[3] - window[2]), step = (f1 - f0) / n * perElem, side = (step > 8 * dpr ? 5 : 2) * dpr,
    wide = max(step, 2 * dpr);
  const x = i => (f0 - window[2]) * perElem + (i + 0.5) * step,
    y = value => (top - clamp(value, bottom, top)) / (top - bottom) * height;
  const fill = (i, from, to, across, alpha) => {
    pen.globalAlpha = alpha;
    pen.fillRect(x(i) - across / 2, from, across, to - from);
  };
  pen.beginPath();
  for (let i = 0; i < n; i++) {
    const at = y(mean[i]);
    pen.fillStyle = [color, nan, pos_inf, neg_inf][marks[i]] ?? color;
    if (marks[i] > 0) fill(i, 0, height, wide, 0.4);
    if (Number.isNaN(at)) continue;
    // Where nothing finite stands between two elements, nothing joins them.
    pen[mean[i - 1] > -Infinity ? "lineTo" : "moveTo"](x(i), at);
    pen.fillStyle = color;
    fill(i, y(high[i]), y(low[i]), step, 0.3);
    fill(i, at - side / 2, at + side / 2, side, 1);
  }
  Object.assign(pen, { strokeStyle: color, lineWidth: 2 * dpr, lineJoin: "round", globalAlpha: 1 });
  pen.stroke();
}
