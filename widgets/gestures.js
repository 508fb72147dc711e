// Pointer and wheel on the picture, as what they mean: zoom, pan, box, reset, hover. What is done about it is the picture's.
import { clamp } from "./geometry.js";

/** Wheel steps closer together than this belong to one turn of the wheel. */
const SAME_TURN_MS = 250;

/**
 * `hand` answers: place(event) -> {fraction: [down, right], px: [y, x], ...}, grab(place) -> whether the overview takes the pointer,
 * drag(place), begin(), canZoomOut(), zoom(fraction, factor), pan([down, right]) since begin, box(from, to, isDone), reset(),
 * hover(place or null).
 */
export function listenToHand(canvas, hand) {
  const pointers = new Map(), ends = new AbortController(), { signal } = ends;
  let mode = null, from = null, lastElsewhere = -1e9, turn = { at: -1e9 };

  function pointerdown(event) {
    if (event.button > 0) return;
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    from = hand.place(event);
    pointers.set(event.pointerId, from);
    mode = pointers.size > 1 ? "pinch" : event.shiftKey ? "box" : hand.grab(from) ? "drag" : "pan";
    hand.begin();
    if (mode === "drag") hand.drag(from);
  }

  function pointermove(event) {
    const place = hand.place(event), before = pointers.get(event.pointerId);
    if (!before) return hand.hover(place);
    pointers.set(event.pointerId, place);
    if (mode === "pinch") pinch([...pointers.values()].find(other => other !== place), before, place);
    else if (mode === "pan") hand.pan(from.fraction.map((at, i) => at - place.fraction[i]));
    else if (mode === "box") hand.box(from, place, false);
    else hand.drag(place);
  }

  function pinch(other, before, now) {
    if (!other) return;
    const apart = ({ px }) => Math.max(Math.hypot(px[0] - other.px[0], px[1] - other.px[1]), 1);
    hand.begin();
    hand.pan([0, 1].map(i => (before.fraction[i] - now.fraction[i]) / 2));
    hand.zoom([0, 1].map(i => (now.fraction[i] + other.fraction[i]) / 2), apart(before) / apart(now));
  }

  function pointerup({ pointerId, type }) {
    const place = pointers.get(pointerId);
    if (!pointers.delete(pointerId)) return;
    if (mode === "box") hand.box(from, type === "pointerup" ? place : from, true);
    [from] = pointers.values();
    mode = "pan";
    hand.begin();
  }

  // A page that is being scrolled goes on scrolling when the picture comes under the pointer, and a wheel that can zoom out no
  // further scrolls the page: the picture is no trap.
  function wheel(event) {
    const { timeStamp, ctrlKey, deltaX, deltaY, deltaMode } = event, unit = [1, 16, 400][deltaMode];
    if (timeStamp - lastElsewhere < SAME_TURN_MS && !ctrlKey) { lastElsewhere = timeStamp; return; }
    const isSame = timeStamp - turn.at < SAME_TURN_MS;
    turn = { at: timeStamp, isOurs: isSame ? turn.isOurs : deltaY < 0 || ctrlKey || hand.canZoomOut() };
    if (!turn.isOurs) return;
    event.preventDefault();
    if (Math.abs(deltaX) > Math.abs(deltaY)) {
      hand.begin();
      hand.pan([0, deltaX * unit / canvas.clientWidth]);
    } else hand.zoom(hand.place(event).fraction, 2 ** (clamp(deltaY * unit, -300, 300) * (ctrlKey ? 0.01 : 0.004)));
  }

  const listeners = {
    pointerdown, pointermove, pointerup, pointercancel: pointerup, pointerleave: () => hand.hover(null), wheel,
    dblclick(event) { event.preventDefault(); hand.reset(); },
    // Two fingers are ours even where one finger scrolls the page.
    touchmove(event) { if (event.touches.length > 1) event.preventDefault(); },
  };
  for (const [name, listener] of Object.entries(listeners)) canvas.addEventListener(name, listener, { passive: false, signal });
  addEventListener("wheel", event => { if (!event.composedPath().includes(canvas)) lastElsewhere = event.timeStamp; },
    { passive: true, capture: true, signal });
  return () => ends.abort();
}
