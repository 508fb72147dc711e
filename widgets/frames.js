// A frame's buffers, checked, inflated and turned into pixels; one frame after the other, and of those that wait the newest.

const MOST_PIXELS = 2 ** 26, MOST_SIDE = 16384, THUMB_SIDE = 640;
const BYTES_PER_PIXEL = { index: 1, rgba: 4, line: 40 };

/** The bytes of a buffer in whatever shape a host hands it over. */
export function bytesOf(buffer) {
  if (ArrayBuffer.isView(buffer)) return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  if (buffer instanceof ArrayBuffer) return new Uint8Array(buffer);
  if (typeof buffer === "string") return Uint8Array.from(atob(buffer), letter => letter.charCodeAt(0));
  throw new Error("a frame came without its pixels");
}

const need = (isRight, what) => { if (!isRight) throw new Error(`A frame was refused: ${what}`); };
const isCount = (n, most) => Number.isInteger(n) && n > 0 && n <= most;

/** What a frame message says, checked before any buffer is looked at. */
function readHead(message) {
  const { version, window, size, n_facets, format, n } = message, [, kind, packing] = /^(index|rgba|line)(-zlib)?$/.exec(format) ?? [];
  need(kind, "its format is not known");
  need(Array.isArray(window) && window.length === 4 && window.every(Number.isFinite) && window[0] < window[1] && window[2] < window[3],
    "its window is no box");
  need(Number.isFinite(version), "its version is no number");
  const isSized = Array.isArray(size) && size.length === 2 && size.every(side => isCount(side, MOST_SIDE)) && isCount(n_facets, MOST_SIDE);
  const n_pixels = kind === "line" ? n : isSized && n_facets * size[0] * size[1];
  need(isCount(n_pixels, kind === "line" ? MOST_SIDE : MOST_PIXELS), "its size is out of bounds");
  return { ...message, kind, n_bytes: n_pixels * BYTES_PER_PIXEL[kind], isDeflated: Boolean(packing) };
}

/** The frame with its `pixels` (RGBA as Uint32, facet by facet) or, of a line, its `columns` (five Float64Arrays). */
async function readFrame(message, buffers) {
  const head = readHead(message), packed = bytesOf(buffers[0]);
  const bytes = head.isDeflated ? await inflated(packed, head.n_bytes) : packed;
  need(bytes.length === head.n_bytes, `${bytes.length} bytes came where ${head.n_bytes} belong`);
  if (head.kind === "index") return { ...head, pixels: coloured(bytes, bytesOf(buffers[1])) };
  const buffer = bytes.slice().buffer;
  if (head.kind === "rgba") return { ...head, pixels: new Uint32Array(buffer) };
  return { ...head, columns: [0, 1, 2, 3, 4].map(i => new Float64Array(buffer, i * head.n * 8, head.n)) };
}

/** At most `n_bytes` and a little more: a small message must not unfold into gigabytes. */
async function inflated(bytes, n_bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).getReader(), parts = [];
  let n = 0;
  try {
    for (let part = await reader.read(); !part.done && n <= n_bytes; part = await reader.read()) {
      parts.push(part.value);
      n += part.value.length;
    }
  } catch { need(false, "its pixels do not inflate"); }
  if (n > n_bytes) reader.cancel().catch(() => {});
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function coloured(indices, colours) {
  need(colours.length && colours.length <= 1024 && colours.length % 4 === 0, "its palette is not 1 to 256 colours");
  const palette = new Uint32Array(256), pixels = new Uint32Array(indices.length);
  new Uint8Array(palette.buffer).set(colours);
  for (let i = 0; i < indices.length; i++) pixels[i] = palette[indices[i]];
  return pixels;
}

/**
 * Takes frames as they come and hands those that can be read to `ready`, in order. One that a newer one overtook before its
 * turn, or that cannot be read, goes to `drop(frame, error or undefined)`; each has `hasBinary`.
 */
export function makeFrameReader(ready, drop) {
  let next = null, isBusy = false, isOpen = true;

  async function pump() {
    isBusy = true;
    while (next) {
      const [message, buffers] = next;
      next = null;
      try {
        const frame = await readFrame(message, buffers);
        if (isOpen) ready(frame); else drop(frame);
      } catch (error) { drop(message, error); }
    }
    isBusy = false;
  }

  function take(message, buffers) {
    if (next) drop(next[0]);
    next = [{ ...message, hasBinary: buffers.length > 0 && buffers.every(buffer => typeof buffer === "object") }, buffers];
    if (!isBusy) pump();
  }

  function stop() {
    isOpen = false;
    if (next) drop(next[0]);
    next = null;
  }

  return { take, stop };
}

/** A canvas that holds a frame, facets side by side, to be drawn from again under any window. */
export function makeStore() {
  const canvas = document.createElement("canvas"), context = canvas.getContext("2d"), store = { canvas, put, copy, draw };

  function put({ pixels, size, n_facets, version, window }, n_cols) {
    const [height, width] = size, n_bytes = width * height * 4;
    Object.assign(store, { version, window, size, n_cols });
    resize(width * n_cols, height * Math.ceil(n_facets / n_cols));
    for (let i = 0; i < n_facets; i++) {
      const part = new ImageData(new Uint8ClampedArray(pixels.buffer, i * n_bytes, n_bytes), width, height);
      context.putImageData(part, (i % n_cols) * width, Math.floor(i / n_cols) * height);
    }
  }

  /** Becomes a smaller copy of another store: enough for an overview. */
  function copy(other) {
    const from = other.canvas, scale = Math.min(1, THUMB_SIDE / Math.max(from.width, from.height));
    Object.assign(store, other, { canvas, put, copy, draw });
    resize(Math.ceil(from.width * scale), Math.ceil(from.height * scale));
    store.size = [other.size[0] * canvas.height / from.height, other.size[1] * canvas.width / from.width];
    context.drawImage(from, 0, 0, canvas.width, canvas.height);
  }

  function resize(width, height) {
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    else context.clearRect(0, 0, width, height);
  }

  /** Draws facet `i` as it is seen through a window, onto `box` [y, x, height, width] of another canvas. */
  function draw(target, i, seen, [y, x, height, width]) {
    const have = store.window, [h, w] = store.size;
    const [top, left] = [0, 2].map(k => Math.max(seen[k], have[k])), [bottom, right] = [1, 3].map(k => Math.min(seen[k], have[k]));
    if (top >= bottom || left >= right) return;
    const down = h / (have[1] - have[0]), across = w / (have[3] - have[2]), toDown = height / (seen[1] - seen[0]), toAcross = width / (seen[3] - seen[2]);
    // Elements larger than pixels keep their edges; where pixels stand for many elements a stretched picture is smoothed.
    target.imageSmoothingEnabled = Math.min(down, across) < 1 && Math.abs(down / toDown - 1) + Math.abs(across / toAcross - 1) > 1e-6;
    target.drawImage(canvas,
      (i % store.n_cols) * w + (left - have[2]) * across, Math.floor(i / store.n_cols) * h + (top - have[0]) * down,
      (right - left) * across, (bottom - top) * down,
      x + (left - seen[2]) * toAcross, y + (top - seen[0]) * toDown, (right - left) * toAcross, (bottom - top) * toDown);
  }

  return store;
}
