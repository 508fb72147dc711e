// The canvas: its size, what it shows and whether anyone sees it; the last frame stands under the present window until the next.
import { make } from "./elements.js";
import { bytesOf, makeFrameReader, makeStore } from "./frames.js";
import { makeFlow } from "./channel.js";
import { clamp, elementAt, facetBox, fitSpans, middleOf, panWindow, partsOf, spansOf, windowAt, windowOn, zoomWindow } from "./geometry.js";
import { listenToHand } from "./gestures.js";
import { coloursOf, makeOverlay, marginsOf, overviewBox } from "./overlay.js";
import { paintLine } from "./line.js";

const SETTLE_MS = 150, POSTER_MS = 1000, HOVER_MS = 1000, FACET_GAP = 6, JUMP_PX = 16;

export function makePicture(app) {
  const canvas = make("canvas", { class: "gp-canvas", tabindex: 0, role: "application", "aria-roledescription": "picture" });
  const over = make("canvas", { class: "gp-over", "aria-hidden": "true" });
  const notice = make("div", { class: "gp-poster", hidden: true });
  const made = make("div", { class: "gp-picture" }, canvas, over, notice);
  const context = canvas.getContext("2d"), store = makeStore(), thumb = makeStore();
  /** What is shown, for those who draw: a lens, the state, and what the pointer does. `box` is what was asked for, null for all. */
  const view = { state: null, size: null, window: null, box: null, boxes: [[0, 0, 1, 1]], frame: null, thumb, pointer: null, isMoving: false };
  const overlay = makeOverlay(app, over, view, draw), looks = makeFlow(look => app.send("look", look));
  const reader = makeFrameReader(offer, drop);
  let pending = null, look = null, start = null, ratio = Infinity, oldest = 0, askedAt = 0, request = 0, rest = 0, patience = 0;
  let [isOnScreen, isSeen, needsLook, needsHover] = [false, false, false, false];

  // The kernel's state.

  function update(state) {
    const before = view.state, isText = state.kind === "text";
    Object.assign(view, { state, plane: state.plane, aspect: state.kind === "line" ? "auto" : state.aspect });
    canvas.hidden = over.hidden = isText;
    if (isText) return say(state.text);
    if (before?.kind === "text") say("");
    arrange(state);
    const isOther = !before || shapeKeyOf(before) !== shapeKeyOf(state), isNews = isOther || !isSameView(state, view.box);
    if (isOther) [oldest, view.mark] = [state.version, null];
    if (isNews) view.box = boxOf(state.view, state.plane);
    if (isNews || before.aspect !== state.aspect) refit();
    needsHover ||= before?.version !== state.version;
    draw();
  }

  /** The canvas is as high as the plane at its width, within bounds; it grows with a taller plane and never shrinks again. */
  function arrange({ plane, facets, height, kind, tensor }) {
    const [n_rows, n_cols] = layoutOf(view.state), wanted = kind === "line" ? 3.2 : plane[1] * n_cols / (plane[0] * n_rows);
    ratio = Math.min(ratio, clamp(wanted, 0.2, 8));
    Object.assign(canvas.style, height ? { height: `${height}px`, maxHeight: "none", minHeight: 0 } : { aspectRatio: ratio });
    made.style.padding = marginsOf(view.state).map(px => `${Math.ceil(px)}px`).join(" ");
    canvas.setAttribute("aria-label", `${tensor?.dtype} ${facets ? `${n_rows * n_cols} pictures` : kind} of ${plane.join(" by ")} elements; ? for keys`);
  }

  // Size and sight.

  function measure(entries) {
    for (const { target, devicePixelContentBoxSize: [exact] = [], contentRect } of entries) {
      const width = exact?.inlineSize ?? Math.round(contentRect.width * devicePixelRatio);
      const height = exact?.blockSize ?? Math.round(contentRect.height * devicePixelRatio);
      if (target.width !== width || target.height !== height) [target.width, target.height] = [width, height];
    }
    refit();
    // A canvas whose size was set is empty: it is painted before the browser shows it.
    tick();
  }

  function refit() {
    const { state } = view, { width, height } = canvas, layout = state && layoutOf(state), dpr = devicePixelRatio;
    view.size = null;
    if (state && state.kind !== "text" && width > 1 && height > 1) {
      view.boxes = Array.from({ length: layout[0] * layout[1] }, (_, i) => facetBox(i, layout, [height, width], Math.round(FACET_GAP * dpr)));
      Object.assign(view, { dpr, size: view.boxes[0].slice(2), origin: [canvas.offsetTop, canvas.offsetLeft] });
      setWindow(windowOn(view, view.box));
    }
    see();
  }

  function see() {
    const isNow = isOnScreen && !document.hidden && Boolean(view.size);
    if (isNow === isSeen) return;
    isSeen = isNow;
    if (isSeen) setWindow(view.window); else hide();
  }

  function hide() {
    looks.stop();
    if (look) app.send("look", { ...look, moving: false, visible: false });
  }

  // The window.

  function setWindow(window) {
    view.window = view.state.kind === "line" ? [0, 1, window[2], window[3]] : window;
    view.isWhole = partsOf(view, spansOf(view.window)).every(part => part > 0.9995);
    canvas.style.touchAction = view.isWhole ? "pan-x pan-y" : "none";
    needsLook = needsHover = true;
    draw();
  }

  function moveTo(window, isMoving = true) {
    view.isMoving = isMoving;
    setWindow(window);
    view.box = view.isWhole ? null : view.window;
    clearTimeout(rest);
    if (isMoving) rest = setTimeout(settle, SETTLE_MS); else settle();
  }

  function settle() {
    view.isMoving = false;
    setWindow(view.window);
    if (!isSameView(view.state, view.box)) app.set({ view: viewOf(view.box, view.plane) });
  }

  const hand = {
    place({ clientX, clientY }) {
      const { left, top, width, height } = canvas.getBoundingClientRect();
      const px = [(clientY - top) / height * canvas.height, (clientX - left) / width * canvas.width];
      const found = view.boxes.findIndex(box => isIn(box, px)), facet = Math.max(found, 0), [y, x, h, w] = view.boxes[facet];
      return { px, facet, isInside: found >= 0, fraction: [(px[0] - y) / h, (px[1] - x) / w] };
    },
    begin() { start = view.window; },
    canZoomOut: () => Boolean(view.size) && !view.isWhole,
    zoom(fraction, factor) { if (view.size) moveTo(zoomWindow(view, fraction, factor)); },
    pan(part) { if (view.size) moveTo(panWindow(view, start, part)); },
    reset() { if (view.size) moveTo(windowOn(view, null), false); },
    grab({ px }) { const inset = view.size && overviewBox(view); return Boolean(inset) && isIn(inset, px); },
    drag({ px }) {
      const [y, x, height, width] = overviewBox(view) ?? [];
      if (height) moveTo(windowAt(view, [(px[0] - y) / height * view.plane[0], (px[1] - x) / width * view.plane[1]], spansOf(view.window)));
    },
    box(from, to, isDone) {
      if (!view.size) return;
      const [a, b] = [from, to].map(({ fraction }) => elementAt(view.window, fraction.map(part => clamp(part, 0, 1))));
      const box = [0, 1].flatMap(i => [Math.min(a[i], b[i]), Math.max(a[i], b[i])]);
      view.drawnBox = isDone ? null : box;
      if (isDone && Math.hypot(from.px[0] - to.px[0], from.px[1] - to.px[1]) > 5 * view.dpr) moveTo(windowOn(view, box), false);
      draw();
    },
    hover(place) {
      view.pointer = place?.isInside ? place : null;
      needsHover = true;
      draw();
    },
  };

  /** Brings an element into view, large enough to be seen. */
  function showElement({ row, col }) {
    if (!view.size) return;
    view.mark = { row, col };
    const { window: [r0, r1, c0, c1], size, dpr } = view, isLarge = size[0] / (r1 - r0) >= JUMP_PX * dpr / 2;
    if (isLarge && row >= r0 && row < r1 - 1 && col >= c0 && col < c1 - 1) return draw();
    moveTo(windowAt(view, [row + 0.5, col + 0.5], isLarge ? spansOf(view.window) : fitSpans(view, size.map(side => side / (JUMP_PX * dpr)))), false);
  }

  // One question at a time: what the pointer has left behind is of no interest.
  async function askHover() {
    needsHover = false;
    const now = performance.now(), { at } = view;
    if (!at) return app.emit("hover", null);
    if (now - askedAt < HOVER_MS) return;
    askedAt = now;
    const reply = await app.ask("hover", at).catch(() => null);
    if (askedAt !== now) return;
    askedAt = 0;
    if (reply && view.at) app.emit("hover", reply);
    if (view.at !== at) { needsHover = true; draw(); }
  }

  // Frames: each is acknowledged once, as drawn or not.

  function offer(frame) {
    if (pending) drop(pending);
    pending = frame;
    // Nothing is painted on a hidden page, and a frame that is not acknowledged holds up the next one.
    if (document.hidden) tick(); else draw();
  }

  function drop(frame, error) {
    acknowledge(frame, false);
    if (error) app.emit("note", error.message);
  }

  function acknowledge({ id, seq, hasBinary }, drawn) {
    if (id !== undefined) app.send("ack", { id, drawn, buffers: hasBinary });
    looks.answered(seq);
  }

  function commit(frame) {
    const { state } = view, [n_rows, n_cols] = layoutOf(state ?? {}), isLine = frame.kind === "line";
    const isFitting = state && isLine === (state.kind === "line") && (isLine || frame.n_facets === n_rows * n_cols);
    if (!isFitting || frame.version < Math.max(oldest, view.frame?.version ?? 0)) return drop(frame);
    view.frame = frame;
    if (!isLine) store.put(frame, n_cols);
    const [r0, r1, c0, c1] = frame.window;
    if (!isLine && r0 <= 0 && c0 <= 0 && r1 >= view.plane[0] && c1 >= view.plane[1]) thumb.copy(store);
    say("");
    acknowledge(frame, true);
    app.emit("drawn", { version: frame.version, final: frame.final !== false });
  }

  // Drawing, at most once for each picture that the browser shows.

  function draw() { request ||= requestAnimationFrame(tick); }

  function tick() {
    cancelAnimationFrame(request);
    const frame = pending;
    request = 0;
    pending = null;
    if (frame) commit(frame);
    if (!view.size) return;
    view.at = underPointer();
    paint();
    overlay.draw();
    if (needsLook) sendLook();
    if (needsHover) askHover();
  }

  function underPointer() {
    if (!view.pointer) return null;
    const [row, col] = elementAt(view.window, view.pointer.fraction);
    return isIn([0, 0, ...view.plane], [row, col]) ? { row, col, facet: view.pointer.facet } : null;
  }

  function sendLook() {
    const { window, size, isMoving } = view, spans = spansOf(window);
    needsLook = false;
    look = { window, size, moving: isMoving, visible: true };
    app.window = window;
    app.emit("window", { window, size, pxPerElem: size.map((side, i) => side / spans[i]) });
    if (isSeen) looks.push(look);
  }

  function paint() {
    const { frame, window, boxes } = view;
    context.clearRect(0, 0, canvas.width, canvas.height);
    if (frame?.kind === "line") paintLine(context, view, coloursOf(canvas).accent);
    else if (frame) boxes.forEach((box, i) => {
      context.save();
      context.beginPath();
      context.rect(box[1], box[0], box[3], box[2]);
      context.clip();
      // The whole plane, coarse, stands where the last frame does not reach.
      if (thumb.version === frame.version && frame.window !== thumb.window) thumb.draw(context, i, window, box);
      store.draw(context, i, window, box);
      context.restore();
    });
  }

  // What stands in the picture's place.

  /** The poster is shown if no frame comes soon: the notebook may have been opened without a kernel. */
  function expect(poster) {
    patience = setTimeout(() => {
      if (!view.frame && view.state?.kind !== "text") say("Waiting for the kernel. It is busy, or not running: then run the cell again.", poster());
    }, POSTER_MS);
  }

  function say(text, poster) {
    const address = addressOf(poster);
    notice.hidden = !text;
    notice.replaceChildren(...(address ? [make("img", { src: address, alt: "The picture when the cell was run" })] : []), make("p", { text }));
  }

  function destroy() {
    reader.stop();
    if (pending) drop(pending);
    looks.stop();
    overlay.destroy();
    cancelAnimationFrame(request);
    clearTimeout(rest);
    clearTimeout(patience);
    for (const end of ends) end();
  }

  const sizes = new ResizeObserver(measure);
  sizes.observe(over);
  try { sizes.observe(canvas, { box: "device-pixel-content-box" }); } catch { sizes.observe(canvas); }
  const sight = new IntersectionObserver(entries => { isOnScreen = entries.at(-1).isIntersecting; see(); });
  sight.observe(made);
  document.addEventListener("visibilitychange", see);
  const ends = [
    () => sizes.disconnect(), () => sight.disconnect(), () => document.removeEventListener("visibilitychange", see),
    listenToHand(canvas, hand), app.on("frame", ({ message, buffers }) => reader.take(message, buffers)),
    app.on("zoom", factor => hand.zoom([0.5, 0.5], factor)), app.on("pan", part => { hand.begin(); hand.pan(part); }),
    app.on("reset", hand.reset), app.on("jump", showElement), app.on("closed", () => say("This inspector was closed.")),
  ];
  return { element: made, update, expect, destroy };
}

const isIn = ([y, x, height, width], [down, right]) => down >= y && down < y + height && right >= x && right < x + width;

/** What must be the same for an old frame to be of use: the plane, and how it is laid out. */
const shapeKeyOf = state => JSON.stringify([state.kind, state.plane, state.item, layoutOf(state)]);

/** [rows, columns] of facets; [1, 1] without. */
const layoutOf = ({ facets }) => [Math.max(facets?.rows.length ?? 1, 1), Math.max(facets?.columns.length ?? 1, 1)];

function boxOf(view, plane) {
  const [rows, cols] = view ?? [];
  return rows || cols ? [...(rows ?? [0, plane[0]]), ...(cols ?? [0, plane[1]])] : null;
}

const viewOf = (box, plane) => box && [0, 1].map(i => [0, 1].map(k => clamp(box[2 * i + k], 0, plane[i])));

/** Whether the state's view is the box that is shown: what the kernel says back is no news. */
function isSameView({ view, plane }, box) {
  const theirs = boxOf(view, plane), ours = boxOf(viewOf(box, plane), plane);
  return theirs && ours ? theirs.every((edge, i) => Math.abs(edge - ours[i]) <= 1e-6 * Math.max(1, Math.abs(edge))) : theirs === ours;
}

/** The poster as the address of an image; it comes as text or as bytes. */
function addressOf(poster) {
  if (!poster) return null;
  const text = typeof poster === "string" ? poster.replace("data:image/png;base64,", "") : btoa(bytesOf(poster).reduce((all, byte) => all + String.fromCharCode(byte), ""));
  return /^[\w+/=]+$/.test(text) ? `data:image/png;base64,${text}` : null;
}
