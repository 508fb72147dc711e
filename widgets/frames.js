// Buffers of frames -> pixels: checked and inflated, one frame at a time, of waiting ones the newest.
import { abs, ceil, floor } from "./geometry.js";

const MAX_PIXELS = 2 ** 26, MAX_SIDE = 16384, BYTES_PER_PIXEL = { index: 1, rgba: 4, line: 40 };

const need = (isRight, what) => { if (!isRight) throw new Error(`A frame was refused: ${what}`); };
const isCount = (n, most = MAX_SIDE) => Number.isInteger(n) && n > 0 && n <= most;
const isBox = box => box?.length === 4 && box.every(Number.isFinite) && box[0] < box[1] && box[2] < box[3];

/** The bytes of a buffer in whatever shape a host hands it over. */
function bytesOf(buffer) {
  if (typeof buffer === "string") return Uint8Array.from(atob(buffer), letter => letter.charCodeAt(0));
  need(buffer?.byteLength !== undefined, "it has no pixels");
  if (!ArrayBuffer.isView(buffer)) return new Uint8Array(buffer);
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

/** The message with its `pixels` (RGBA as Uint32, facet by facet) or, of a line, its `columns` (five Float64Arrays). */
async function readFrame(message, buffers) {
  const { version, window, size, n_facets, n } = message;
  const [, kind, zlib] = /^(index|rgba|line)(-zlib)?$/.exec(message.format) ?? [];
  need(kind && isBox(window) && Number.isFinite(version), "format, window or version unknown");
  const sides = kind === "line" ? [n] : [n_facets, ...size?.length === 2 ? size : [0]];
  const n_pixels = sides.reduce((all, side) => all * isCount(side) * side, 1), n_bytes = n_pixels * BYTES_PER_PIXEL[kind];
  need(isCount(n_pixels, MAX_PIXELS), "size out of bounds");
  const packed = bytesOf(buffers[0]), bytes = zlib ? await inflated(packed, n_bytes).catch(() => []) : packed;
  need(bytes.length === n_bytes, `${bytes.length} bytes came where ${n_bytes} belong`);
  if (kind === "index") return { ...message, kind, pixels: colored(bytes, bytesOf(buffers[1])) };
  const { buffer } = bytes.slice();
  if (kind === "rgba") return { ...message, kind, pixels: new Uint32Array(buffer) };
  return { ...message, kind, columns: [0, 1, 2, 3, 4].map(i => new Float64Array(buffer, i * n * 8, n)) };
}

/** Inflates at most a little more than `n_bytes`: a small message must not become gigabytes. */
async function inflated(bytes, n_bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).getReader(), parts = [];
  for (let n = 0, part; n <= n_bytes && (part = (await reader.read()).value); n += part.length) parts.push(part);
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function colored(indices, colors) {
  need(isCount(colors.length / 4, 256), "a palette has 1 to 256 colors");
  const palette = new Uint32Array(256), pixels = new Uint32Array(indices.length);
  new Uint8Array(palette.buffer).set(colors);
  for (let i = 0; i < indices.length; i++) pixels[i] = palette[indices[i]];
  return pixels;
}

/**
 * A function for frames as they come; calls `ready(frame)` in order, or `drop(frame, error or undefined)` for those that cannot be
 * read or are replaced by a newer one before their turn. Frames get `hasBinary`.
 */
export function makeFrameReader(ready, drop) {
  let next = null, isBusy = false;

  return async ({ message, buffers }) => {
    if (next) drop(next);
    next = { ...message, buffers, hasBinary: buffers.length > 0 && buffers.every(buffer => typeof buffer === "object") };
    if (isBusy) return;
    isBusy = true;
    while (next) {
      const { buffers: data, ...frame } = next;
      next = null;
      await readFrame(frame, data).then(ready, error => drop(frame, error));
    }
    isBusy = false;
  };
}

/** Keeps a frame on a canvas, facets side by side, to draw it under any window. */
export function makeStore() {
  const canvas = document.createElement("canvas"), context = canvas.getContext("2d"), store = { put, draw };

  function put({ pixels, size: [height, width], n_facets, version, window }, n_cols) {
    const n_bytes = width * height * 4;
    Object.assign(store, { version, window, n_cols, height, width });
    [canvas.width, canvas.height] = [width * n_cols, height * ceil(n_facets / n_cols)];
    for (let i = 0; i < n_facets; i++) {
      const part = new ImageData(new Uint8ClampedArray(pixels.buffer, i * n_bytes, n_bytes), width, height);
      context.putImageData(part, i % n_cols * width, floor(i / n_cols) * height);
    }
  }

  /** Draws facet `i` as it is seen through a window, onto `box` [y, x, height, width] of another canvas, with row 0 at its bottom if
      `isUp`; if `isInstead`, what was there goes. */
  function draw(pen, i, [r0, r1, c0, c1], [y, x, ...room], isUp, isInstead) {
    const { window: [top, bottom, left, right], n_cols, height, width } = store;
    pen.save();
    pen.beginPath();
    pen.rect(x, y, room[1], room[0]);
    pen.clip();
    pen.translate(x, isUp ? y + room[0] : y);
    pen.scale(room[1] / (c1 - c0), (isUp ? -1 : 1) * room[0] / (r1 - r0));
    // Elements larger than pixels keep their edges; where pixels stand for many elements a stretched picture is smoothed.
    pen.imageSmoothingEnabled = width < right - left && abs(room[1] / (c1 - c0) * (right - left) - width) > 1e-3;
    const place = [left - c0, top - r0, right - left, bottom - top];
    if (isInstead) pen.clearRect(...place);
    pen.drawImage(canvas, i % n_cols * width, floor(i / n_cols) * height, width, height, ...place);
    pen.restore();
  }

  return store;
}
