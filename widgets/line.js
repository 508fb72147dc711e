// The view of 1-D tensors: a band from smallest to largest, the mean as a line, and marks where elements are not finite.
import { clamp } from "./geometry.js";

/** [low, high] of the y axis: the limits in use, a little room around them. */
export function heightsOf({ vmin, vmax }) {
  const room = vmax > vmin ? (vmax - vmin) * 0.05 : Math.abs(vmax) * 0.1 || 1;
  return [vmin - room, vmax + room];
}

export function paintLine(context, { state, frame, window, boxes: [[, , height, width]], dpr }, accent) {
  const { columns: [low, high, mean, marks], n, window: [, , f0, f1] } = frame, [bottom, top] = heightsOf(state);
  const step = (f1 - f0) / n / (window[3] - window[2]) * width, first = (f0 - window[2]) / (window[3] - window[2]) * width;
  const x = i => first + (i + 0.5) * step, y = value => (top - clamp(value, bottom, top)) / (top - bottom) * height;
  context.fillStyle = context.strokeStyle = accent;
  context.lineWidth = 1.25 * dpr;
  context.lineJoin = "round";
  for (const [from, to] of runsOf(mean)) {
    context.beginPath();
    for (let i = from; i <= to; i++) context.lineTo(x(i), y(high[i]) - dpr / 2);
    for (let i = to; i >= from; i--) context.lineTo(x(i), y(low[i]) + dpr / 2);
    context.globalAlpha = 0.3;
    context.fill();
    context.globalAlpha = 1;
    context.beginPath();
    for (let i = from; i <= to; i++) context.lineTo(x(i), y(mean[i]));
    context.stroke();
    // Single elements, and those far apart, are points.
    if (step > 8 * dpr || from === to) for (let i = from; i <= to; i++) context.fillRect(x(i) - 2 * dpr, y(mean[i]) - 2 * dpr, 4 * dpr, 4 * dpr);
  }
  paintMarks(context, marks, x, Math.max(step, 2 * dpr), height, dpr, state.colors);
}

/** [first, last] of the columns that stand together and have finite elements. */
function runsOf(values) {
  const runs = [];
  values.forEach((value, i) => {
    if (Number.isNaN(value)) return;
    if (runs.at(-1)?.[1] === i - 1) runs.at(-1)[1] = i; else runs.push([i, i]);
  });
  return runs;
}

function paintMarks(context, marks, x, wide, height, dpr, { nan, pos_inf, neg_inf }) {
  marks.forEach((mark, i) => {
    if (!(mark > 0)) return;
    context.fillStyle = [nan, pos_inf, neg_inf][mark - 1];
    context.globalAlpha = 0.2;
    context.fillRect(x(i) - wide / 2, 0, wide, height);
    context.globalAlpha = 1;
    context.fillRect(x(i) - wide / 2, 0, wide, 6 * dpr);
  });
}
