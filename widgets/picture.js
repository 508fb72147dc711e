// The canvas: size, window and visibility; draws the last frame under the present window until the next one comes.
import { make } from "./elements.js";
import { makeFrameReader, makeStore } from "./frames.js";
import { makeFlow } from "./channel.js";
import { ceil, clamp, floor, max, min } from "./geometry.js";
import { elementAt, fitSpans, panWindow, shareOf, spansOf, windowAt, windowOn, zoomWindow } from "./geometry.js";
import { listenToPointer } from "./gestures.js";
import { colorOf, makeOverlay, marginsOf, overviewBox } from "./overlay.js";
import { paintLine } from "./line.js";
import { touchedBy } from "./selection.js";

const SETTLE_MS = 150, POSTER_MS = 1000, VIEWPORT_MS = 1000, FACET_GAP = 6, JUMP_PX = 16, MIN_BAR_PX = 240;

export function makePicture(app) {
  const canvas = make("canvas", { class: "gp-canvas", tabindex: 0, role: "application" });
  const over = make("canvas", { class: "gp-over", "aria-hidden": "true" }),
    notice = make("div", { class: "gp-poster", hidden: true });
  const made = make("div", { class: "gp-picture" }, canvas, over, notice), pen = canvas.getContext("2d"),
    ends = new AbortController();
  /** What is drawn: lens, state, the last frame and that of the whole plane, pointer and drawn box. */
  const view = { boxes: [[0, 0, 1, 1]], whole: makeStore() }, part = makeStore();
  const drawOver = makeOverlay(app, over, view, draw), readFrames = makeFrameReader(offer, drop);
  const viewports = makeFlow(viewport => app.send("viewport", viewport), VIEWPORT_MS), hovers = makeFlow(at => app.send("hover", at));
  // `box` is the view, null for the whole plane; the window contains it.
  let box, layoutKey, viewKey, ratio = 8, pending, start, request, settleTimer, posterTimer, poster, isOnScreen, isSeen, isGone, isFirst,
    needsViewport, needsHover, isOver;

  // The kernel's state.

  function update(state) {
    const { kind, plane, aspect, item, version } = state, before = view.state, layout = layoutOf(state), key = keyOf(state);
    const now = [kind, plane, item, layout, aspect].join();
    if ([kind, before?.kind].includes("text")) showNotice(kind === "text" ? state.text : "");
    if (now !== layoutKey) Object.assign(view, { oldest: version, mark: null });
    Object.assign(view, { state, plane, layout, aspect: kind === "line" ? "auto" : aspect, isUp: state.origin === "lower" });
    canvas.hidden = over.hidden = kind === "text";
    needsHover ||= version !== before?.version;
    if (now !== layoutKey || key !== viewKey) {
      [layoutKey, viewKey, box] = [now, key, JSON.parse(key)];
      if (kind !== "text") arrange(state, layout);
      refit();
    }
    draw();
  }

  /** The canvas is as high as the plane at its width, within bounds; it grows with a taller plane and never shrinks again. */
  function arrange({ plane, height, kind, tensor }, layout) {
    ratio = min(ratio, kind === "line" ? 3.2 : max(plane[1] * layout[1] / (plane[0] * layout[0]), 0.2));
    Object.assign(canvas.style, height ? { height: `${height}px`, maxHeight: "none", minHeight: 0 } : { aspectRatio: ratio });
    const margins = marginsOf(view.state).map(px => `${ceil(px)}px`);
    made.style.padding = margins.join(" ");
    // The color bar and the names of classes stand under the picture alone.
    for (const [side, i] of [["right", 1], ["left", 3]]) app.root.style.setProperty(`--${side}`, margins[i]);
    canvas.ariaLabel = `${tensor.dtype}, ${plane.join(" by ")} elements; question mark for the keys`;
  }

  // Size and visibility.

  function measure([{ devicePixelContentBoxSize: [exact] = [], contentRect }]) {
    const near = [contentRect.width, contentRect.height].map(px => Math.round(px * devicePixelRatio));
    // The browser's own count of pixels, unless it is off by more than rounding, as on emulated screens.
    [canvas.width, canvas.height] = Math.abs(exact?.inlineSize - near[0]) < 2 ? [exact.inlineSize, exact.blockSize] : near;
    refit();
    // Setting the size clears the canvas: it is drawn before the browser shows it.
    tick();
  }

  function refit() {
    const { layout: [n_rows, n_cols] = [1, 1] } = view, dpr = devicePixelRatio, gap = Math.round(FACET_GAP * dpr);
    const height = floor((canvas.height + gap) / n_rows) - gap, width = floor((canvas.width + gap) / n_cols) - gap;
    view.size = canvas.hidden || !view.state || min(height, width) < 1 ? null : [height, width];
    if (view.size) {
      [over.width, over.height] = [made.clientWidth * dpr, made.clientHeight * dpr];
      const boxes = Array.from({ length: n_rows * n_cols }, (_, i) =>
        [floor(i / n_cols) * (height + gap), i % n_cols * (width + gap), height, width]);
      Object.assign(view, { dpr, boxes, height: height / dpr, width: width / dpr,
        origin: [canvas.offsetTop, canvas.offsetLeft] });
      setWindow(windowOn(view, box ?? wholeOf(view)));
    }
    see();
  }

  /** Tells the kernel whether somebody looks. A text in place of the picture counts: a watched tensor is copied only then. */
  function see() {
    const was = isSeen, isText = view.state?.kind === "text";
    isSeen = isOnScreen && !document.hidden && (isText || Boolean(view.size));
    if (isSeen && !was && isText) sendViewport(true);
    else if (isSeen && !was) setWindow(view.window);
    if (isSeen || !was) return;
    viewports.stop();
    sendViewport(false);
  }

  // The window.

  function setWindow(window) {
    view.window = view.state.kind === "line" ? [0, 1, window[2], window[3]] : window;
    const spans = spansOf(view.window);
    [view.down, view.across] = [view.height / spans[0], view.width / spans[1]];
    placeBar();
    view.isWhole = shareOf(view, spans).every(share => share > 0.9995);
    canvas.style.touchAction = view.isWhole ? "pan-x pan-y" : "none";
    needsViewport = needsHover = true;
    draw();
  }

  /** Makes the color bar as wide as the visible part of the plane, or as its numbers need. */
  function placeBar() {
    const { window: [,, left, right], plane, across, boxes, width, dpr } = view, all = canvas.width / dpr,
      lead = max(0, -left) * across, trail = max(0, right - plane[1]) * across + all - width - boxes[view.layout[1] - 1][1] / dpr;
    const room = max(0, min(MIN_BAR_PX, all) - (all - lead - trail)) / 2;
    for (const [side, px] of [["lead", lead], ["trail", trail]]) app.root.style.setProperty(`--${side}`, `${max(0, px - room)}px`);
  }

  function moveTo(window, isMoving = true) {
    view.isMoving = isMoving;
    setWindow(window);
    box = view.isWhole ? null : view.window;
    clearTimeout(settleTimer);
    if (isMoving) settleTimer = setTimeout(settle, SETTLE_MS); else settle();
  }

  function settle() {
    const asked = box && [0, 2].map(i => [0, 1].map(k => clamp(box[i + k], 0, view.plane[i / 2]))),
      key = keyOf({ ...view.state, view: asked });
    view.isMoving = false;
    setWindow(view.window);
    if (key !== viewKey) {
      viewKey = key;
      app.set({ view: asked });
    }
  }

  const actions = {
    place({ clientX, clientY }) {
      const { left, top, width, height } = canvas.getBoundingClientRect();
      const px = [(clientY - top) / height * canvas.height, (clientX - left) / width * canvas.width];
      const found = view.boxes.findIndex(one => isIn(one, px)), [y, x, h, w] = view.boxes[max(found, 0)];
      // A pixel includes its upper edge, also where rows rise.
      const down = view.isUp ? h - 1e-3 - (px[0] - y) : px[0] - y;
      return { px, facet: found, fraction: [down / h, (px[1] - x) / w] };
    },
    begin() { start = view.window; },
    canZoomOut: () => view.size && !view.isWhole,
    zoom(fraction, factor) { if (view.size) moveTo(zoomWindow(view, fraction, factor)); },
    pan(by) { if (view.size) moveTo(panWindow(view, start, by)); },
    reset() { if (view.size) moveTo(windowOn(view, wholeOf(view)), false); },
    grab: ({ px }) => view.size && isIn(overviewBox(view), px),
    drag({ px }) {
      const [y, x, height, width] = overviewBox(view), { plane } = view;
      const down = (px[0] - y) / height, row = (view.isUp ? 1 - down : down) * plane[0];
      if (height) moveTo(windowAt(view, [row, (px[1] - x) / width * plane[1]], spansOf(view.window)));
    },
    isFar: (from, to) => Math.hypot(from.px[0] - to.px[0], from.px[1] - to.px[1]) > 5 * view.dpr,
    box(from, to, isDone) {
      if (!view.size) return;
      const drawn = boxBetween(from, to);
      view.drawnBox = isDone ? null : drawn;
      if (isDone && actions.isFar(from, to)) moveTo(windowOn(view, drawn), false);
      draw();
    },
    select(from, to, isDone) {
      if (!view.size) return;
      const selection = touchedBy(boxBetween(from, to), view.state);
      view.drawnBox = isDone ? null : selection?.flat();
      if (isDone && selection && actions.isFar(from, to)) app.set({ selection });
      draw();
    },
    hover(place) {
      view.pointer = place?.facet >= 0 ? place : null;
      needsHover = true;
      draw();
    },
    click(place) {
      const at = view.size && elementUnder(place);
      if (at) app.send("click", at);
    },
  };

  function boxBetween(from, to) {
    const [a, b] = [from, to].map(({ fraction }) => elementAt(view.window, fraction.map(at => clamp(at, 0, 1))));
    return [a[0], b[0], a[1], b[1]];
  }

  /** The element in the middle of the pixel at a position, which that pixel shows; null beside the plane. */
  function elementUnder({ fraction, facet }) {
    const [row, col] = elementAt(view.window, fraction.map((at, i) => (floor(at * view.size[i]) + 0.5) / view.size[i]));
    return facet >= 0 && isIn([0, 0, ...view.plane], [row, col]) ? { row, col, facet } : null;
  }

  /** Moves an element to the middle, and zooms in until it is visible. */
  function showElement({ row, col }) {
    if (!view.size) return;
    view.mark = { row, col };
    const spans = view.down >= JUMP_PX / 2 ? spansOf(view.window) : fitSpans(view, [view.height / JUMP_PX, view.width / JUMP_PX]);
    moveTo(windowAt(view, [row + 0.5, col + 0.5], spans), false);
  }

  // Frames: each is acknowledged once, as drawn or not.

  function offer(frame) {
    if (ends.signal.aborted) return drop(frame);
    if (pending) drop(pending);
    pending = frame;
    // A hidden page draws nothing, but a frame without acknowledgement delays the next one.
    if (document.hidden) tick(); else draw();
  }

  function drop(frame, error) {
    acknowledge(frame, false);
    if (error) app.emit("note", error.message);
  }

  function acknowledge({ id, seq, hasBinary }, drawn) {
    if (id !== undefined) app.send("ack", { id, drawn, buffers: hasBinary });
    viewports.answered(seq);
    if (!isFirst) return;
    needsViewport = true;
    draw();
  }

  function commit(frame) {
    const { state, layout, plane, whole } = view, { kind, window: [r0, r1, c0, c1], version, n_facets } = frame,
      isLine = kind === "line";
    const isFitting = view.size && isLine === (state.kind === "line") && (isLine || n_facets === layout[0] * layout[1]);
    if (!isFitting || version < max(view.oldest, view.frame?.version ?? 0)) return drop(frame);
    frame.store = r0 <= 0 && c0 <= 0 && r1 >= plane[0] && c1 >= plane[1] ? whole : part;
    if (!isLine) frame.store.put(frame, layout[1]);
    view.frame = frame;
    showNotice("");
    acknowledge(frame, true);
    app.emit("drawn", { version });
  }

  // Drawing, at most once per animation frame.

  function draw() { if (!ends.signal.aborted) request ||= requestAnimationFrame(tick); }

  function tick() {
    const frame = pending;
    cancelAnimationFrame(request);
    request = pending = null;
    if (frame) commit(frame);
    view.at = view.size && view.pointer ? elementUnder(view.pointer) : null;
    if (view.size) show();
    if (needsHover && view.state) tellHover(view.at);
    needsHover = false;
  }

  function show() {
    const { window, size } = view;
    paint();
    drawOver();
    if (!needsViewport) return;
    needsViewport = false;
    app.window = window;
    app.emit("window", { window, size, pxPerElem: [view.down * view.dpr, view.across * view.dpr] });
    if (isSeen) sendViewport(true);
  }

  /** Sends the pointer's position; that it left the plane is sent once. */
  function tellHover(at) {
    if (at || isOver) hovers.push(at ?? { row: null, col: null, facet: 0 });
    isOver = Boolean(at);
    if (!at) app.emit("hover", null);
  }

  function sendViewport(visible) {
    // The first one is of the whole plane, for the overview; that of the window follows its answer.
    if (view.size) isFirst = visible && isFirst === undefined && !view.isWhole;
    const window = isFirst && view.size ? windowOn(view, wholeOf(view)) : view.window ?? [0, 1, 0, 1];
    const fields = { window, size: view.size ?? [1, 1], moving: visible && Boolean(view.isMoving), visible };
    // A kernel that seems gone gets it once, as an answer would prove the contrary, and not repeatedly.
    if (visible && !isGone) viewports.push(fields); else app.send("viewport", fields);
  }

  function paint() {
    const { frame, window, whole, isUp } = view;
    pen.clearRect(0, 0, canvas.width, canvas.height);
    if (frame?.kind === "line") paintLine(pen, view, colorOf(canvas, "accent"));
    else if (frame) view.boxes.forEach((one, i) => {
      // The coarse frame of the whole plane fills what the last frame does not cover.
      if (whole.version === frame.version) whole.draw(pen, i, window, one, isUp);
      if (frame.store === part) part.draw(pen, i, window, one, isUp, true);
    });
  }

  // Notices in place of the picture.

  /** The poster that is shown if no frame comes soon after the picture becomes visible. */
  function expect(given) { poster = given; }

  function wait() {
    if (isOnScreen) posterTimer ??= setTimeout(() => {
      if (!view.frame && view.state?.kind !== "text") showNotice("The kernel is busy or not running.", poster);
    }, POSTER_MS);
  }

  function showNotice(text, poster) {
    notice.hidden = !text;
    notice.replaceChildren(make("p", { text }));
    if (/^data:image\//.test(poster)) notice.prepend(make("img", { src: poster, alt: "When the cell was run" }));
  }

  /** Limits the picture to the window's height; in a frame as high as its content, to that of the outer page. */
  function measureRoom() {
    let room = screen.availHeight;
    try { room = top.innerHeight; } catch { /* of another origin */ }
    made.style.setProperty("--room", `${room}px`);
  }

  function destroy() {
    ends.abort();
    if (pending) drop(pending);
    sizes.disconnect();
    sight.disconnect();
    viewports.stop();
    hovers.stop();
    cancelAnimationFrame(request);
    clearTimeout(settleTimer);
    clearTimeout(posterTimer);
  }

  const sizes = new ResizeObserver(measure);
  const sight = new IntersectionObserver(entries => { isOnScreen = entries.at(-1).isIntersecting; see(); wait(); });
  try { sizes.observe(canvas, { box: "device-pixel-content-box" }); } catch { sizes.observe(canvas); }
  sight.observe(made);
  document.addEventListener("visibilitychange", see, { signal: ends.signal });
  measureRoom();
  addEventListener("resize", measureRoom, { signal: ends.signal });
  // Another theme is a transition of colors, after which the canvas is drawn again.
  canvas.addEventListener("transitionend", draw);
  listenToPointer(canvas, actions, ends.signal);
  const listeners = {
    "kernel frame": readFrames, "kernel closed": () => showNotice("This inspector was closed."),
    gone(how) {
      isGone = how;
      if (how) return viewports.stop();
      needsViewport = true;
      draw();
    },
    "kernel hover"({ message }) { hovers.answered(message.seq); if (view.at) app.emit("hover", message); },
    zoom: factor => actions.zoom([0.5, 0.5], factor),
    pan([down, right]) { actions.begin(); actions.pan([view.isUp ? -down : down, right]); }, reset: actions.reset, jump: showElement,
  };
  for (const event in listeners) app.on(event, listeners[event]);
  return { element: made, update, expect, destroy };
}

const isIn = ([y, x, height, width], [down, right]) => down >= y && down < y + height && right >= x && right < x + width;

const wholeOf = ({ plane }) => [0, plane[0], 0, plane[1]];

/** [rows, columns] of facets; [1, 1] without. */
const layoutOf = ({ facets }) => [facets?.rows.length || 1, facets?.columns.length || 1];

/** The view of a state as JSON of a box, rounded so that equal views are equal; "null" for the whole plane. */
function keyOf({ view, plane }) {
  const box = view?.some(Boolean) ? view.flatMap((pair, i) => pair ?? [0, plane[i]]) : null;
  return JSON.stringify(box?.map(at => Number(at.toPrecision(9))) ?? null);
}
