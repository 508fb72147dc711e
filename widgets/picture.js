// The canvas: draws the last frame under the present window until the next one comes.
import { axisOf } from "./app.js";
import { make } from "./elements.js";
import { makeFrameReader, makeStore } from "./frames.js";
import { elementAsked, fractionOf, max } from "./geometry.js";
import { listenToPointer } from "./gestures.js";
import { makeActions } from "./actions.js";
import { layoutOf, makeLayout } from "./layout.js";
import { makeMoves } from "./moves.js";
import { makeNotice } from "./notice.js";
import { colorOf, looksOf, makeOverlay } from "./overlay.js";
import { makeReports } from "./reports.js";
import { paintLine } from "./line.js";

export function makePicture(app) {
  const canvas = make("canvas", { class: "gp-canvas", tabindex: 0, role: "application" }),
    over = make("canvas", { class: "gp-over", "aria-hidden": "true" });
  /** What is drawn: lens, state, the last frame and that of the whole plane, pointer and drawn box. */
  const view = { boxes: [[0, 0, 1, 1]], whole: makeStore() }, part = makeStore();
  const notice = makeNotice(() => !view.frame && view.state?.kind !== "text");
  const made = make("div", { class: "gp-picture" }, canvas, over, notice.element), pen = canvas.getContext("2d"),
    ends = new AbortController();
  const layout = makeLayout(app, view, made, canvas, over), moves = makeMoves(app, view, showWindow),
    reports = makeReports(app, view, () => moves.set(view.window)), actions = makeActions(app, view, canvas, moves, draw, point);
  const drawOver = makeOverlay(app, over, view, draw), readFrames = makeFrameReader(offer, drop);
  let layoutKey, pending, request, isOnScreen, needsViewport, needsHover;

  // The kernel's state.

  function update(state) {
    const { kind, plane, aspect, item, version } = state, { state: before, cursor } = view, facets = layoutOf(state);
    const now = [kind, plane, item, facets, aspect].join(), isOther = now !== layoutKey;
    if ([kind, before?.kind].includes("text")) notice.show(kind === "text" ? state.text : "");
    if (isOther) view.oldest = version;
    // There may be fewer facets now.
    if (cursor?.facet >= facets[0] * facets[1]) view.cursor = null;
    // The cursor stays on its element where x and y change places.
    else if (cursor && axisOf(state, "x") === axisOf(before, "y")) [cursor.row, cursor.col] = [cursor.col, cursor.row];
    Object.assign(view, { state, plane, layout: facets, aspect: kind === "line" ? "auto" : aspect, isUp: state.origin === "lower",
      // Where a jump went, while the elements are those that it went through.
      mark: state.data === before?.data && view.mark });
    canvas.hidden = over.hidden = kind === "text";
    needsHover ||= version !== before?.version;
    if (isOther || !moves.isAt(state)) {
      layoutKey = now;
      moves.follow(state);
      if (kind !== "text") layout.arrange(state);
      refit();
    } else if (kind === "line") layout.arrange(state);
    draw();
  }

  // Size, window and visibility.

  function measure([size]) {
    layout.resize(size);
    refit();
    // Setting the size clears the canvas: it is drawn before the browser shows it.
    tick();
  }

  function refit() {
    layout.divide();
    if (view.size) moves.fit();
    see();
  }

  function see() { reports.see(isOnScreen); }

  function showWindow() {
    layout.placeBar();
    canvas.style.touchAction = view.isWhole ? "pan-x pan-y" : "none";
    needsHover = true;
    askForFrame();
  }

  function point(place) {
    view.pointer = place;
    read(null);
  }

  /** Puts the cursor on an element, whose value is announced, and which it keeps as the window moves; null leaves the pointer alone. */
  function read(cursor) {
    Object.assign(view, { cursor, isRead: Boolean(cursor) });
    needsHover = true;
    draw();
  }

  function askForFrame() {
    needsViewport = true;
    draw();
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
    if (reports.answered(seq)) showWindow();
  }

  function commit(frame) {
    const { state, layout: facets, plane, whole } = view, { kind, window: [r0, r1, c0, c1], version, n_facets } = frame,
      isLine = kind === "line";
    const isFitting = view.size && isLine === (state.kind === "line") && (isLine || n_facets === facets[0] * facets[1]);
    if (!isFitting || version < max(view.oldest, view.frame?.version ?? 0)) return drop(frame);
    frame.store = r0 <= 0 && c0 <= 0 && r1 >= plane[0] && c1 >= plane[1] ? whole : part;
    if (!isLine) frame.store.put(frame, facets[1]);
    if (frame.store === whole) whole.looks = version >= state.version && looksOf(state);
    reports.shown();
    // The whole plane may come for the overview alone.
    if (isLine || frame.store === part || view.isWhole || version !== view.frame?.version) view.frame = frame;
    notice.show("");
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
    view.at = view.size ? elementAsked(view) : null;
    if (view.size) show();
    if (needsHover && view.state) reports.hover(view.at);
    needsHover = false;
  }

  function show() {
    const { window, size } = view;
    paint();
    drawOver();
    if (!needsViewport) return;
    needsViewport = false;
    app.emit("window", { window, size, pxPerElem: [view.down * view.dpr, view.across * view.dpr] });
    reports.viewport();
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

  // Begin and end.

  function listen() {
    const { signal } = ends;
    try { sizes.observe(canvas, { box: "device-pixel-content-box" }); } catch { sizes.observe(canvas); }
    sight.observe(made);
    document.addEventListener("visibilitychange", see, { signal });
    layout.measureRoom();
    addEventListener("resize", layout.measureRoom, { signal });
    // Another theme is a transition of colors, after which the canvas is drawn again.
    canvas.addEventListener("transitionend", draw);
    listenToPointer(canvas, actions, signal);
    for (const event in listeners) app.on(event, listeners[event]);
  }

  function destroy() {
    ends.abort();
    if (pending) drop(pending);
    sizes.disconnect();
    sight.disconnect();
    reports.stop();
    cancelAnimationFrame(request);
    moves.stop();
    notice.stop();
  }

  const sizes = new ResizeObserver(measure);
  const sight = new IntersectionObserver(entries => {
    isOnScreen = entries.at(-1).isIntersecting;
    // Chromium keeps old styles in a container that its host skipped as it changed, as JupyterLab skips cells out of sight.
    if (isOnScreen) for (const type of ["normal", ""]) {
      app.root.style.containerType = type;
      getComputedStyle(app.root).color;
    }
    see();
    if (isOnScreen) notice.wait();
  });
  const listeners = {
    "kernel frame": readFrames,
    gone(how) {
      reports.gone(how);
      if (!how) askForFrame();
    },
    "kernel hover"({ message }) {
      reports.hoverAnswered(message.seq);
      if (view.at) app.emit("hover", { ...message, isRead: view.isRead });
    },
    read(step) { if (view.size) read(step && actions.beside(step)); },
    zoom: factor => actions.zoom(view.at ? fractionOf(view.window, view.at) : [0.5, 0.5], factor),
    pan([down, right]) { actions.begin(); actions.pan([view.isUp ? -down : down, right]); }, reset: actions.reset, jump: moves.jump,
  };
  listen();
  return { element: made, update, expect: notice.expect, destroy };
}
