// What lies over the picture: ticks, the indices under the pointer, numbers in cells, the overview, a box being drawn.
import { makeNumbers } from "./numbers.js";
import { heightsOf } from "./line.js";
import { clamp, niceStep } from "./geometry.js";

const OVERVIEW_PX = 96, LETTER_PX = 6.5;

/** The style sheet's colours, for canvases. */
export function coloursOf(canvas) {
  const style = getComputedStyle(canvas), names = ["ink", "quiet", "paper", "line", "accent"];
  return { ...Object.fromEntries(names.map(name => [name, style.getPropertyValue(`--gp-${name}`) || "#888"])), family: style.fontFamily };
}

/** [top, right, bottom, left] in CSS pixels that labels need around the picture; they change with the plane only. */
export function marginsOf({ kind, plane, facets, axes }) {
  const longest = labels => Math.max(...labels.map(label => String(label).length));
  if (facets) return [facets.columns.length ? 18 : 0, 0, 0, facets.rows.length ? Math.min(96, 10 + LETTER_PX * longest(facets.rows)) : 0];
  const name = axes.find(axis => axis.role === "y")?.name;
  return [3, 3, 19, kind === "line" ? 56 : 11 + LETTER_PX * String(plane[0] - 1).length + (name ? 13 : 0)];
}

/** [y, x, height, width] of the overview on the picture in device pixels, or null where the whole plane is in view anyway. */
export function overviewBox({ state, plane, size, isWhole, dpr }) {
  if (isWhole || state.facets || state.kind === "line" || Math.min(...size) < 2.2 * OVERVIEW_PX * dpr) return null;
  const [height, width] = plane.map(n => Math.round(Math.max(OVERVIEW_PX * n / Math.max(...plane), 14) * dpr));
  return [8 * dpr, size[1] - width - 8 * dpr, height, width];
}

export function makeOverlay(app, canvas, view, redraw) {
  const pen = canvas.getContext("2d"), numbers = makeNumbers(app, view, redraw);
  // All in CSS pixels from the picture's corner; set anew at each drawing.
  let colours, height, width, down, across;

  function draw() {
    const { window: [r0, r1, c0, c1], state, dpr, origin, boxes } = view;
    [height, width] = view.size.map(side => side / dpr);
    [down, across] = [height / (r1 - r0), width / (c1 - c0)];
    colours = coloursOf(canvas);
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.setTransform(dpr, 0, 0, dpr, origin[1] * dpr, origin[0] * dpr);
    pen.font = `11px ${colours.family}`;
    pen.textBaseline = "middle";
    if (state.facets) drawLabels(state.facets); else drawTicks();
    boxes.forEach(([y, x], facet) => {
      pen.save();
      pen.translate(x / dpr, y / dpr);
      pen.beginPath();
      pen.rect(-1, -1, width + 2, height + 2);
      pen.clip();
      numbers.draw(pen, facet, down, across, colours.family);
      drawMarks();
      pen.restore();
    });
    if (view.at && !state.facets) drawIndices(view.at);
    drawOverview();
  }

  function write(text, x, y, align, color, most) {
    pen.fillStyle = color;
    pen.textAlign = align;
    pen.fillText(text, x, y, most);
  }

  function bar(x, y, wide, high, color) {
    pen.fillStyle = color;
    pen.fillRect(x, y, wide, high);
  }

  function outline(x, y, wide, high, ...strokes) {
    for (const [color, thick] of strokes) {
      pen.strokeStyle = color;
      pen.lineWidth = thick;
      pen.strokeRect(x, y, wide, high);
    }
  }

  // Around the picture.

  function drawTicks() {
    const { window: [r0, r1, c0, c1], state: { kind, axes }, plane, origin } = view;
    const [rows, cols] = ["y", "x"].map(role => axes.find(axis => axis.role === role)?.name ?? "");
    const room = cols ? Math.min(pen.measureText(cols).width + 16, width / 2) : 0;
    for (const i of ticksOf(c0, c1, plane[1], (String(plane[1]).length * 7 + 24) / across)) {
      const x = (i + 0.5 - c0) * across, half = String(i).length * LETTER_PX / 2;
      bar(x, height, 1, 4, colours.line);
      if (x < width - room - half) write(i, Math.max(x, half), height + 11, "center", colours.quiet);
    }
    if (cols) write(cols, width, height + 11, "right", colours.ink, width / 2);
    if (kind === "line") drawHeights();
    else for (const i of ticksOf(r0, r1, plane[0], 32 / down)) tickLeft(i, (i + 0.5 - r0) * down);
    if (!rows) return;
    pen.save();
    pen.translate(7 - origin[1], 0);
    pen.rotate(-Math.PI / 2);
    write(rows, 0, 0, "right", colours.ink, height / 2);
    pen.restore();
  }

  function tickLeft(text, y) {
    bar(-4, y, 4, 1, colours.line);
    write(text, -6, clamp(y, 6, height - 5), "right", colours.quiet);
  }

  function drawHeights() {
    const [low, high] = heightsOf(view.state), step = niceStep((high - low) * 44 / height);
    for (let i = Math.ceil(low / step); i * step <= high; i++) {
      const y = (high - i * step) / (high - low) * height;
      tickLeft(Number((i * step).toPrecision(5)), y);
      bar(0, y, width, 1, colours.line);
    }
  }

  function drawLabels({ rows, columns }) {
    const { boxes, dpr } = view;
    columns.forEach((label, i) => {
      if (pen.measureText(label).width < width + 4) write(label, boxes[i][1] / dpr + width / 2, -8, "center", colours.quiet);
    });
    rows.forEach((label, i) => {
      if (height > 9) write(label, -6, boxes[i * Math.max(columns.length, 1)][0] / dpr + height / 2, "right", colours.quiet, 88);
    });
  }

  /* The indices under the pointer, on the rulers. */
  function drawIndices({ row, col }) {
    const [i, j] = [Math.floor(row), Math.floor(col)], { window, state } = view;
    const chip = (text, x, y) => {
      const wide = String(text).length * LETTER_PX + 8, left = x === null ? -wide - 2 : clamp(x - wide / 2, 0, width - wide);
      bar(left, y - 7.5, wide, 15, colours.accent);
      write(text, left + wide / 2, y + 0.5, "center", colours.paper);
    };
    chip(j, (j + 0.5 - window[2]) * across, height + 11);
    if (state.kind !== "line") chip(i, null, clamp((i + 0.5 - window[0]) * down, 7, height - 7));
  }

  // Over each facet: the plane's edge, the element under the pointer, a jump's target, the box being drawn.

  function drawMarks() {
    const { window: [r0, , c0], plane, state: { kind }, at, mark, drawnBox } = view;
    const frame = ([top, bottom, left, right], ...strokes) =>
      outline((left - c0) * across, (top - r0) * down, (right - left) * across, (bottom - top) * down, ...strokes);
    const both = [["#000", 3], ["#fff", 1.25]];
    if (kind !== "line") frame([0, plane[0], 0, plane[1]], [colours.line, 1]);
    else if (at) frame([0, 1, at.col, at.col], [colours.quiet, 1]);
    if (kind !== "line" && Math.min(down, across) >= 6) for (const one of [mark, at]) {
      if (one) frame([Math.floor(one.row), Math.floor(one.row) + 1, Math.floor(one.col), Math.floor(one.col) + 1], ...both);
    }
    if (drawnBox) frame(drawnBox, ...both);
  }

  /* The whole plane, and where the window lies in it. */
  function drawOverview() {
    const inset = overviewBox(view);
    if (!inset) return;
    const { plane, thumb, frame, dpr, window } = view, [y, x, high, wide] = inset.map(px => px / dpr);
    bar(x - 2, y - 2, wide + 4, high + 4, colours.paper);
    // A picture of other elements, from before a slider was moved, is faint.
    pen.globalAlpha = thumb.version === frame?.version ? 1 : 0.4;
    if (thumb.window) thumb.draw(pen, 0, [0, plane[0], 0, plane[1]], [y, x, high, wide]);
    pen.globalAlpha = 1;
    outline(x - 2, y - 2, wide + 4, high + 4, [colours.line, 1]);
    const [top, bottom, left, right] = window.map((at, i) => clamp(at / plane[i >> 1], 0, 1));
    outline(x + left * wide, y + top * high, Math.max((right - left) * wide, 3), Math.max((bottom - top) * high, 3), ["#fff", 3.5], [colours.accent, 2]);
  }

  return { draw, destroy: numbers.destroy };
}

/** Indices between two places of an axis of `n` elements, at nice steps. */
function ticksOf(from, to, n, least) {
  const step = niceStep(Math.max(least, 1)), out = [];
  for (let i = Math.ceil(Math.max(from - 0.5, 0) / step) * step; i < Math.min(to - 0.5, n); i += step) out.push(i);
  return out;
}
