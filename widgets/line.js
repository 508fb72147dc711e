// The view of 1-D tensors: a band from smallest to largest, the mean as a line, and marks where elements are not finite.
import { clamp } from "./geometry.js";

/** [low, high] of the y axis: the limits in use, a little room around them. */
export function heightsOf({ vmin, vmax }) {
  const room = vmax > vmin ? (vmax - vmin) * 0.05 : Math.abs(vmax) * 0.1 || 1;
  return [vmin - room, vmax + room];
}

export function paintLine(context, { state, frame, window, boxes: [[, , height, width]], dpr }, colour) {
  const { columns: [low, high, mean, marks], n, window: [, , f0, f1] } = frame, [bottom, top] = heightsOf(state);
  const perElem = width / (window[3] - window[2]), step = (f1 - f0) / n * perElem, { nan, pos_inf, neg_inf } = state.colors;
  const x = i => (f0 - window[2]) * perElem + (i + 0.5) * step, y = value => (top - clamp(value, bottom, top)) / (top - bottom) * height;
  Object.assign(context, { fillStyle: colour, strokeStyle: colour, lineWidth: 1.25 * dpr, lineJoin: "round" });
  context.beginPath();
  mean.forEach((value, i) => {
    if (Number.isNaN(value)) return;
    if (Number.isNaN(mean[i - 1] ?? NaN)) context.moveTo(x(i), y(value)); else context.lineTo(x(i), y(value));
    context.globalAlpha = 0.3;
    context.fillRect(x(i) - step / 2, y(high[i]), step, y(low[i]) - y(high[i]));
    context.globalAlpha = 1;
    // Elements far apart are points, and one that stands alone is to be seen at all.
    const isAlone = Number.isNaN((mean[i - 1] ?? NaN) + (mean[i + 1] ?? NaN)), side = step > 8 * dpr ? 4 * dpr : 2 * dpr;
    if (isAlone || step > 8 * dpr) context.fillRect(x(i) - side / 2, y(value) - side / 2, side, side);
  });
  context.stroke();
  marks.forEach((mark, i) => {
    const wide = Math.max(step, 2 * dpr);
    context.fillStyle = [nan, pos_inf, neg_inf][mark - 1] ?? "transparent";
    context.globalAlpha = 0.2;
    if (mark > 0) context.fillRect(x(i) - wide / 2, 0, wide, height);
    context.globalAlpha = 1;
    if (mark > 0) context.fillRect(x(i) - wide / 2, 0, wide, 6 * dpr);
  });
}
