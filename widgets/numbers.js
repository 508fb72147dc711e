// Prints the elements' numbers in cells that are large enough.
import { ceil, clamp, downAt, floor, isIn, max, min } from "./geometry.js";

const MAX_VALUES = 4096, [FEWEST, FEW, MOST] = [5, 7, 24], MIN_WIDTH = 34, MIN_HEIGHT = 16, LARGEST_FONT = 12, SMALLEST_FONT = 8;
/* FEWEST to MOST letters of a number are asked for. */
/* Around a number in its cell. */
const PADDING = 3;

/** Returns a function that prints a facet's numbers with a pen in CSS pixels, but under the box `covered` [y, x, height, width], asks
    for missing ones, and returns whether cells are large enough. */
export function makeNumbers(app, view, redraw) {
  let loaded = {}, requestedKey = "";

  async function askFor(box, version, room, key) {
    const replies = await Promise.all(view.boxes.map((_, facet) => app.ask("values", { box, facet, room }))).catch(() => null);
    if (requestedKey !== key) return;
    if (!replies) requestedKey = "";
    else {
      loaded = { box, version, texts: replies.map(({ texts }) => texts), widest: "" };
      redraw();
    }
  }

  return (pen, facet, covered) => {
    const { state: { kind, shows, version, is_categorical }, plane, window, frame, down, across } = view, family = pen.font.slice(5),
      have = loaded.box;
    if (kind !== "image" || shows.values === false || across < MIN_WIDTH || down < MIN_HEIGHT || !frame) return false;
    const box = window.map((at, i) => i % 2 ? min(plane[i >> 1], ceil(at)) : max(0, floor(at)));
    pen.font = `${LARGEST_FONT}px ${family}`;
    // No cell may be seen whole in a small picture.
    const widths = Array.from({ length: box[3] - box[2] }, (_, j) => seenOf(box[2] + j, window[2], window[3])[1]),
      room = max(...widths) * across - 2 * PADDING, digits = room / pen.measureText("0").width,
      // Up to FEW letters may be as small as letters get.
      letters = floor(clamp(max(digits - 1, min(FEW, digits * LARGEST_FONT / SMALLEST_FONT)), FEWEST, MOST)),
      key = `${box} ${letters} ${version}`;
    if (key !== requestedKey && !view.isMoving && (box[1] - box[0]) * (box[3] - box[2]) * view.boxes.length <= MAX_VALUES) {
      requestedKey = key;
      askFor(box, version, letters, key);
    }
    if (loaded.version !== version) return true;
    // One font size, and last digits above each other, so that numbers compare.
    const widest = loaded.widest ||= widestOf(pen, loaded.texts.flat(2)),
      font = clamp(LARGEST_FONT * room / pen.measureText(widest).width, SMALLEST_FONT, LARGEST_FONT);
    pen.font = `${font}px ${family}`;
    pen.textAlign = is_categorical ? "center" : "right";
    const aside = is_categorical ? 0 : min(pen.measureText(widest).width, room) / 2;
    loaded.texts[facet].forEach((texts, i) => texts.forEach((text, j) => {
      // In the middle of what is seen of its cell: a small picture may not have the middle of any. Whole or not at all.
      const [row, tall] = seenOf(have[0] + i, window[0], window[1]), [col, broad] = seenOf(have[2] + j, window[2], window[3]),
        seenRoom = broad * across - 2 * PADDING, wide = pen.measureText(text).width;
      const x = (col - window[2]) * across + min(aside, seenRoom / 2), y = downAt(view, row),
        place = [y - font / 2, x - wide / (is_categorical ? 2 : 1), font, wide];
      if (wide > seenRoom + 0.5 || font > tall * down || doMeet(place, covered)) return;
      pen.fillStyle = isLight(frame, facet, row, col) ? "#000" : "#fff";
      pen.fillText(text, x, y);
    }));
    return true;
  };
}

/* Middle and length of what is seen of an element. */
function seenOf(at, from, to) {
  const [first, last] = [max(at, from), min(at + 1, to)];
  return [(first + last) / 2, last - first];
}

const doMeet = ([y, x, high, wide], [top, left, height, width]) =>
  height > 0 && y < top + height && y + high > top && x < left + width && x + wide > left;

/* The text that is widest in the pen's font. */
function widestOf(pen, texts) {
  const widths = texts.map(text => pen.measureText(text).width);
  return texts[widths.indexOf(max(...widths))] ?? "";
}

/** Whether black can be read better than white, from a luminance of 0.179 on, on the frame's pixel over a place of the plane. */
function isLight({ pixels, window: [r0, r1, c0, c1], size: [height, width] }, facet, row, col) {
  const y = floor((row - r0) / (r1 - r0) * height), x = floor((col - c0) / (c1 - c0) * width);
  const pixel = isIn([0, 0, height, width], [y, x]) ? pixels[(facet * height + y) * width + x] : 0;
  return pixel >>> 24 < 128 || luminanceOf(pixel) > 0.179;
}

/** The relative luminance of a pixel as the WCAG define it, from 0 to 1. */
function luminanceOf(pixel) {
  const [red, green, blue] = [0, 8, 16].map(bits => {
    const level = (pixel >> bits & 255) / 255;
    return level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
