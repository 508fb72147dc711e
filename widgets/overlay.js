// Draws over the picture: rulers, the pointer's indices, numbers in cells, the overview, boxes.
import { axisNameOf, axisOf } from "./app.js";
import { makeNumbers } from "./numbers.js";
import { heightsOf, ticksUp } from "./line.js";
import { lettersOf, textAt, ticksOf } from "./rulers.js";
import { abs, ceil, clamp, downAt, floor, max, min, wholeOf } from "./geometry.js";

const OVERVIEW_PX = 96, LETTER_PX = 6.5;
/** CSS properties in which the style sheet stores colors for canvases. */
const COLORS = { ink: "color", quiet: "caret-color", line: "column-rule-color", paper: "text-decoration-color",
  accent: "text-emphasis-color" };

export const colorOf = (canvas, name) => getComputedStyle(canvas).getPropertyValue(COLORS[name]);

/** [top, right, bottom, left] margins in CSS pixels for labels around the picture. */
export function marginsOf({ kind, plane, facets, rulers, vmin, vmax }) {
  // Beside a line of any height, the ticks that it has at a usual one; their room is seldom another.
  if (!facets) return [3, 3, 19, 14 + LETTER_PX * (kind === "line"
    ? max(6.4, ...ticksUp(heightsOf({ vmin, vmax }), 200).map(([, text]) => text.length)) : lettersOf(rulers.y, plane[0]))];
  return [facets.columns[0] ? 18 : 0, 0, 0, min(116, max(0, ...facets.rows.map(row => 12 + LETTER_PX * row.length)))];
}

/** [y, x, height, width] of the overview in device pixels; zeros where the whole plane is in view. */
export function overviewBox({ state, plane, size, isWhole, dpr }) {
  const side = OVERVIEW_PX * dpr, [height, width] = plane.map(n => max(side * n / max(...plane), 14 * dpr));
  const isShown = !isWhole && !state.facets && state.kind === "image" && min(...size) > 2 * side;
  return isShown ? [8 * dpr, size[1] - width - 8 * dpr, height, width] : [0, 0, 0, 0];
}

/** What the overview shows: its elements and how they become colors, but for automatic limits, which may be those of a window. */
export const looksOf = ({ data, cmap_name, norm, agg, nan, complex_mode, robust, limits, region, is_fixed, vmin, vmax }) =>
  JSON.stringify([data, cmap_name, norm, agg, nan, complex_mode, robust, limits, region, is_fixed.vmin && vmin, is_fixed.vmax && vmax]);

/** Whether there is an overview, and it shows something else than it should; an array in chunks is not read as a whole for it. */
export const isOverviewOld = view => overviewBox(view)[2] > 0 && !view.state.is_slow && view.whole.looks !== looksOf(view.state);

/* A text for elements of which none is finite; "" otherwise. */
function nothingIn(kind_counts) {
  const { nan = 0, neg_inf: low = 0, neg, zero, pos, pos_inf: high = 0, masked = 0 } = kind_counts ?? {}, infinite = low + high;
  if (!kind_counts || neg + zero + pos || !(nan + infinite + masked)) return "";
  if (!infinite && !masked) return "all NaN";
  return infinite || nan ? "no finite element" : "all masked";
}

export function makeOverlay(app, canvas, view, redraw) {
  const pen = canvas.getContext("2d"), print = makeNumbers(app, view, redraw), colors = {};
  const halfOf = text => pen.measureText(text).width / 2 + 4,
    // Where the line of one pixel at a place begins.
    sharp = at => Math.round((at - 0.5) * view.dpr) / view.dpr,
    rightAt = col => (col - view.window[2]) * view.across, rowAt = row => downAt(view, row + 0.5), colAt = col => rightAt(col + 0.5),
    // Where a text under the picture is centered, so that it ends with the picture.
    inside = (x, half) => clamp(x, half, view.width - half);
  let left, right, bottom;

  /** All in CSS pixels from the picture's corner. */
  return function draw() {
    const { state: { facets }, dpr, origin, boxes, at } = view, overview = overviewBox(view).map(px => px / dpr);
    for (const name in COLORS) colors[name] = colorOf(canvas, name);
    pen.reset();
    pen.setTransform(dpr, 0, 0, dpr, origin[1] * dpr, origin[0] * dpr);
    Object.assign(pen, { font: `11px ${getComputedStyle(canvas).fontFamily}`, textBaseline: "middle", textAlign: "center" });
    [left, right, bottom] = edgesOf();
    if (facets) drawLabels(facets); else drawRulers();
    boxes.forEach(([y, x], facet) => {
      pen.save();
      pen.translate(x / dpr, y / dpr);
      pen.beginPath();
      pen.rect(-1, -1, view.width + 2, view.height + 2);
      pen.clip();
      if (!print(pen, facet, overview)) sayIfNothing();
      drawMarks();
      pen.restore();
    });
    if (at && !facets) drawIndices(floor(at.row), floor(at.col));
    drawOverview(overview);
  };

  function fill(x, y, wide, high, color) {
    pen.fillStyle = color;
    pen.fillRect(x, y, wide, high);
  }

  function outline([y, x, high, wide], color = "#fff", thick = 1.5) {
    Object.assign(pen, { strokeStyle: color, lineWidth: thick, shadowColor: "#000", shadowBlur: color === "#fff" ? 2 : 0 });
    pen.strokeRect(x, y, wide, high);
    pen.shadowBlur = 0;
  }

  /** Writes that no element is finite. */
  function sayIfNothing() {
    const { state, width, height } = view, text = nothingIn(state.kind_counts), half = halfOf(text);
    if (!text) return;
    fill(width / 2 - half - 4, height / 2 - 12, 2 * half + 8, 24, colors.paper);
    pen.fillStyle = colors.ink;
    pen.fillText(text, width / 2, height / 2);
  }

  /** Writes a text, the pointer's in a box. */
  function write(text, x, y, half, isPointer) {
    if (isPointer) fill(x - half, y - 7.5, 2 * half, 15, colors.accent);
    pen.fillStyle = isPointer ? colors.paper : colors.quiet;
    pen.fillText(text, x, y);
  }

  function tickBelow(text, x, isPointer) {
    const half = halfOf(text);
    fill(sharp(x), bottom, 1, 4, colors.line);
    write(text, inside(x, half), bottom + 11, half, isPointer);
  }

  function tickLeft(text, y, isPointer) {
    const half = halfOf(text);
    fill(left - 4, sharp(y), 4, 1, colors.line);
    write(text, left - half - 2, clamp(y, 6, view.height - 6), half, isPointer);
  }

  /** [top, right, bottom, left] of the pixels that any part of the plane falls on, in CSS pixels. */
  function planeEdges() {
    const { plane, dpr } = view, rows = [0, plane[0]].map(row => downAt(view, row)), cols = [0, plane[1]].map(rightAt);
    const [[top, left], [bottom, right]] = [[min, floor, 0.01], [max, ceil, -0.01]].map(([end, round, lost]) =>
      [rows, cols].map(ends => round(end(...ends) * dpr + lost) / dpr));
    return [top, right, bottom, left];
  }

  /** [left, right, bottom] of the plane's visible part in CSS pixels: rulers lie beside it, also where the canvas is larger. */
  function edgesOf() {
    const { width, height } = view, [, right, bottom, left] = planeEdges();
    return [clamp(left, 0, width), clamp(right, 0, width), clamp(bottom, 0, height)];
  }

  function nameOf(role) {
    const unit = view.state.rulers[role]?.unit;
    return axisNameOf(view.state, axisOf(view.state, role)) + (unit ? ` [${unit}]` : "");
  }

  /** Writes the name of x beside its ruler, or at its far end where there is room, but not under the pointer's index, which ends at
      `pointer`; returns where the name begins. */
  function nameAxisX(pointer) {
    const name = nameOf("x"), half = halfOf(name), isBeside = right + 2 * half + 8 <= view.width,
      begin = right + (isBeside ? 8 : -2 * half);
    if (!isBeside && 6 * half > right - left) return Infinity;
    if (!(pointer > begin)) write(name, begin + half, bottom + 11);
    return begin;
  }

  /** Writes the name of y at the far end of its ruler if there is room and no pointer; returns where ticks end. */
  function nameAxisY(pointer) {
    const name = nameOf("y"), half = halfOf(name), end = bottom - 2 * half - 4;
    if (6 * half > bottom) return bottom;
    if (pointer > end) return end;
    pen.rotate(-Math.PI / 2);
    write(name, half - bottom, left - 10);
    pen.rotate(Math.PI / 2);
    return end;
  }

  function drawRulers() {
    const { window: [r0, r1, c0, c1], plane, state, height, width, at } = view, { x, y } = state.rulers;
    // No tick over the name of the axis or the pointer's index; without a pointer that is at NaN.
    const col = floor(at?.col), held = halfOf(textAt(x, col)), [down, across] = [rowAt(floor(at?.row)), inside(colAt(col), held)],
      isFree = (place, end, pointer, room) => place < end && !(abs(place - pointer) < room), end = nameAxisX(across + held);
    for (const [i, text] of ticksOf(x, c0, c1, plane[1], (lettersOf(x, plane[1]) * LETTER_PX + 24) / view.across)) {
      const half = halfOf(text);
      if (isFree(inside(colAt(i), half), end - half, across, half + held)) tickBelow(text, colAt(i));
    }
    if (state.kind !== "line") {
      const last = nameAxisY(down);
      for (const [i, text] of ticksOf(y, r0, r1, plane[0], (y?.texts ? 16 : 32) / view.down)) {
        if (isFree(rowAt(i), last, down, 14)) tickLeft(text, rowAt(i));
      }
      return;
    }
    const [low, high] = heightsOf(state);
    for (const [value, text] of ticksUp([low, high], height)) {
      const y = (high - value) / (high - low) * height;
      tickLeft(text, y);
      pen.globalAlpha = 0.4;
      fill(0, sharp(y), width, 1, colors.line);
      pen.globalAlpha = 1;
    }
  }

  function drawIndices(row, col) {
    const { x, y } = view.state.rulers;
    tickBelow(textAt(x, col), colAt(col), true);
    if (view.state.kind !== "line") tickLeft(textAt(y, row), rowAt(row), true);
  }

  function drawLabels({ rows, columns, short }) {
    const { boxes, dpr, width, height } = view, end = boxes[max(columns.length - 1, 0)][1] / dpr + width;
    // "12" for "head 12" over all facets if one label does not fit; then each second, third ... one.
    const texts = columns.every(text => 2 * halfOf(text) < width + 12) ? columns : short,
      everyN = (room, side) => max(1, ceil(room / (side + 6))),
      step = [everyN(13, height), everyN(2 * max(0, ...texts.map(halfOf)) - 6, width)];
    texts.forEach((text, i) => {
      if (i % step[1] === 0) write(text, min(boxes[i][1] / dpr + width / 2, end + 4 - halfOf(text)), -8);
    });
    rows.forEach((text, i) => {
      if (i % step[0] === 0) write(text, -halfOf(text) - 2, max(6, boxes[i * (columns.length || 1)][0] / dpr + height / 2));
    });
  }

  /** Over each facet: the plane's edge, the selection, the element under the pointer, a jump's target, the box being drawn. */
  function drawMarks() {
    const { state, at, mark, drawnBox, down, across } = view;
    const frame = (row0, row1, left, right, ...how) => {
      const [top, bottom] = [row0, row1].map(row => downAt(view, row));
      outline([min(top, bottom), rightAt(left), abs(bottom - top), (right - left) * across], ...how);
    };
    if (state.selection) for (const how of [["#fff", 4], [colors.accent, 2]]) frame(...state.selection.flat(), ...how);
    if (state.kind === "line") return at && fill(sharp(colAt(floor(at.col))), 0, 1, view.height, colors.quiet);
    outlinePlane();
    if (min(down, across) >= 6) for (const { row, col } of [mark, at].filter(Boolean)) {
      frame(floor(row), floor(row) + 1, floor(col), floor(col) + 1);
    }
    if (drawnBox) frame(...drawnBox);
  }

  /** A line around the pixels that show the plane, which covers none of them. */
  function outlinePlane() {
    const thick = max(1, floor(view.dpr)) / view.dpr, [top, right, bottom, left] = planeEdges();
    outline([top - thick / 2, left - thick / 2, bottom - top + thick, right - left + thick], colors.line, thick);
  }

  /** The whole plane, and where the window lies in it. */
  function drawOverview([y, x, high, wide]) {
    const { plane, whole, window, isUp } = view;
    if (!high) return;
    outline([y, x, high, wide], colors.line, 5);
    fill(x, y, wide, high, colors.paper);
    // None of other elements or colors: the present one comes once the picture rests.
    if (whole.looks === looksOf(view.state)) whole.draw(pen, 0, wholeOf(view), [y, x, high, wide], isUp);
    const [row0, row1, left, right] = window.map((at, i) => clamp(at / plane[i >> 1], 0, 1)),
      [top, bottom] = isUp ? [1 - row1, 1 - row0] : [row0, row1];
    outline([y + top * high, x + left * wide, max((bottom - top) * high, 3), max((right - left) * wide, 3)]);
  }
}
