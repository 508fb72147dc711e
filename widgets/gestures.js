// Pointer and wheel events on the picture -> actions of the picture: zoom, pan, box, select, reset, hover, click.
import { abs, clamp } from "./geometry.js";

/** Wheel events closer together than this belong to one turn. */
const SAME_TURN_MS = 250;
/** Smaller moves of the pointer are noise. */
const MIN_MOVE_PX = 2;

/**
 * `actions` has: place(event, first) -> {fraction: [along the rows, along the columns], px: [y, x], ...} of the facet where a gesture
 * began at the place `first`, or else of the one under the pointer; grab(place) -> whether the overview takes it, drag(place), begin(),
 * canZoomOut(), zoom(fraction, factor), pan([down, right]) since begin, isFar(from, to), box(from, to, isDone), select(from, to, isDone),
 * reset(), hover(place or null), click(place). It ends with `signal`.
 */
export function listenToPointer(canvas, actions, signal) {
  const pointers = new Map();
  // `isMeant`: the pointer has moved over the picture, or pressed on it, since the page scrolled.
  let mode, from, boxed, isStill, lastElsewhere = -1e9, turn = { at: -1e9 }, isMeant = false, movedAt = -1e9, pointer;

  function pointerdown(event) {
    if (event.button > 0) return;
    isMeant = true;
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    from = actions.place(event, from);
    pointers.set(event.pointerId, from);
    boxed = event.shiftKey ? actions.box : event.altKey || event.ctrlKey ? actions.select : null;
    mode = pointers.size > 1 ? pinch : boxed ? drawBox : actions.grab(from) ? actions.drag : pan;
    isStill = mode === pan;
    actions.begin();
  }

  function pointermove(event) {
    const place = actions.place(event, from), before = pointers.get(event.pointerId);
    if (pointers.size < 2) actions.hover(actions.place(event));
    if (!before) return;
    pointers.set(event.pointerId, place);
    isStill &&= !actions.isFar(from, place);
    mode(place, before);
  }

  const pan = place => actions.pan(from.fraction.map((at, i) => at - place.fraction[i]));
  const drawBox = (place, _, isDone = false) => boxed(from, place, isDone);

  function pinch(now, before) {
    const other = [...pointers.values()].find(place => place !== now),
      apart = ({ px }) => Math.hypot(px[0] - other.px[0], px[1] - other.px[1]) + 1;
    actions.begin();
    actions.pan(before.fraction.map((at, i) => (at - now.fraction[i]) / 2));
    actions.zoom(now.fraction.map((at, i) => (at + other.fraction[i]) / 2), apart(before) / apart(now));
  }

  function pointerup({ pointerId, type }) {
    const place = pointers.get(pointerId);
    if (!pointers.delete(pointerId)) return;
    if (mode === drawBox) drawBox(type === "pointerup" ? place : from, from, true);
    [from] = pointers.values();
    mode = pan;
    actions.begin();
  }

  // A page that is being scrolled goes on scrolling when the picture comes under the pointer, and so it does where the picture
  // cannot zoom out further.
  function wheel(event) {
    const { timeStamp: at, ctrlKey, deltaX, deltaY, deltaMode } = event, unit = [1, 16, 400][deltaMode];
    if (!ctrlKey && (!isMeant || at - lastElsewhere < SAME_TURN_MS)) { lastElsewhere = at; return; }
    turn = { at, isOurs: at - turn.at < SAME_TURN_MS ? turn.isOurs : deltaY < 0 || ctrlKey || actions.canZoomOut() };
    if (!turn.isOurs) return;
    event.preventDefault();
    takeKeyboard();
    actions.begin();
    if (abs(deltaX) > abs(deltaY)) actions.pan([0, deltaX * unit / canvas.clientWidth]);
    else actions.zoom(actions.place(event).fraction, 2 ** (clamp(deltaY * unit, -300, 300) * (ctrlKey ? 0.01 : 0.004)));
  }

  // So that the next key is for the picture: x, which swaps its axes, would cut the notebook's cell.
  function takeKeyboard() {
    const view = canvas.closest(".gpuplot");
    if (!view?.contains(view.getRootNode().activeElement)) canvas.focus({ preventScroll: true });
  }

  // Where the page scrolls under a pointer that rests, browsers report a move, too.
  function watch(event) {
    const { clientX, clientY } = event;
    if (pointer && Math.hypot(clientX - pointer[0], clientY - pointer[1]) < MIN_MOVE_PX) return;
    pointer = [clientX, clientY];
    if (event.composedPath().includes(canvas)) [isMeant, movedAt] = [true, event.timeStamp];
  }

  function noteScroll(event) {
    // Events of scrolling may come after those of later moves.
    if (event.timeStamp - movedAt < SAME_TURN_MS) return;
    const [scrolled] = event.composedPath();
    for (let node = canvas; node; node = node.parentNode ?? node.host) if (node === scrolled) isMeant = false;
  }

  const listeners = {
    pointerdown, pointermove, pointerup, pointercancel: pointerup, lostpointercapture: pointerup, wheel,
    pointerleave: () => actions.hover(), dblclick: () => actions.reset(),
    // Not the second press of a double click.
    click(event) { if (isStill && event.detail < 2) actions.click(actions.place(event)); },
    // Two fingers are ours even where one finger scrolls the page.
    touchmove(event) { if (event.touches.length > 1) event.preventDefault(); },
  };
  for (const name in listeners) canvas.addEventListener(name, listeners[name], { passive: false, signal });
  const onPage = {
    wheel(event) { if (!event.composedPath().includes(canvas)) lastElsewhere = event.timeStamp; },
    pointermove: watch, scroll: noteScroll,
  };
  for (const name in onPage) addEventListener(name, onPage[name], { capture: true, passive: true, signal });
}
