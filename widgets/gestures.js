// Pointer and wheel on the picture, as what they mean: zoom, pan, box, select, reset, hover, click. What is done about it is the picture's.
import { clamp } from "./geometry.js";

/** Wheel steps closer together than this belong to one turn of the wheel. */
const SAME_TURN_MS = 250;
/** A hand that rests on the mouse moves the pointer by less. */
const LEAST_MOVE_PX = 2;

/**
 * `hand` answers: place(event) -> {fraction: [along the rows, along the columns], px: [y, x], ...}, grab(place) -> whether the overview takes
 * it, drag(place), begin(), canZoomOut(), zoom(fraction, factor), pan([down, right]) since begin, isFar(from, to),
 * box(from, to, isDone), select(from, to, isDone), reset(), hover(place or null), click(place). It ends with `signal`.
 */
export function listenToHand(canvas, hand, signal) {
  const pointers = new Map();
  // `isMeant`: the pointer has moved over the picture, or pressed on it, since the page scrolled.
  let mode, from, boxed, isStill, lastElsewhere = -1e9, turn = { at: -1e9 }, isMeant = false, movedAt = -1e9, pointer;

  function pointerdown(event) {
    if (event.button > 0) return;
    isMeant = true;
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    from = hand.place(event);
    pointers.set(event.pointerId, from);
    boxed = event.shiftKey ? hand.box : event.altKey || event.ctrlKey ? hand.select : null;
    mode = pointers.size > 1 ? pinch : boxed ? drawBox : hand.grab(from) ? hand.drag : pan;
    isStill = mode === pan;
    hand.begin();
  }

  function pointermove(event) {
    const place = hand.place(event), before = pointers.get(event.pointerId);
    if (!before) return hand.hover(place);
    pointers.set(event.pointerId, place);
    isStill &&= !hand.isFar(from, place);
    mode(place, before);
  }

  const pan = place => hand.pan(from.fraction.map((at, i) => at - place.fraction[i]));
  const drawBox = (place, _, isDone = false) => boxed(from, place, isDone);

  function pinch(now, before) {
    const other = [...pointers.values()].find(place => place !== now),
      apart = ({ px }) => Math.hypot(px[0] - other.px[0], px[1] - other.px[1]) + 1;
    hand.begin();
    hand.pan(before.fraction.map((at, i) => (at - now.fraction[i]) / 2));
    hand.zoom(now.fraction.map((at, i) => (at + other.fraction[i]) / 2), apart(before) / apart(now));
  }

  function pointerup({ pointerId, type }) {
    const place = pointers.get(pointerId);
    if (!pointers.delete(pointerId)) return;
    if (mode === drawBox) drawBox(type === "pointerup" ? place : from, from, true);
    [from] = pointers.values();
    mode = pan;
    hand.begin();
  }

  // A page that is being scrolled goes on scrolling when the picture comes under the pointer, and a wheel that can zoom out no
  // further scrolls the page: the picture is no trap.
  function wheel(event) {
    const { timeStamp: at, ctrlKey, deltaX, deltaY, deltaMode } = event, unit = [1, 16, 400][deltaMode];
    if (!ctrlKey && (!isMeant || at - lastElsewhere < SAME_TURN_MS)) { lastElsewhere = at; return; }
    turn = { at, isOurs: at - turn.at < SAME_TURN_MS ? turn.isOurs : deltaY < 0 || ctrlKey || hand.canZoomOut() };
    if (!turn.isOurs) return;
    event.preventDefault();
    takeKeyboard();
    hand.begin();
    if (Math.abs(deltaX) > Math.abs(deltaY)) hand.pan([0, deltaX * unit / canvas.clientWidth]);
    else hand.zoom(hand.place(event).fraction, 2 ** (clamp(deltaY * unit, -300, 300) * (ctrlKey ? 0.01 : 0.004)));
  }

  // The next key is for the picture, too: x swaps its axes, and to a notebook it would mean to cut the cell.
  function takeKeyboard() {
    const view = canvas.closest(".gpuplot");
    if (!view?.contains(view.getRootNode().activeElement)) canvas.focus({ preventScroll: true });
  }

  // Where the page scrolls under a pointer that rests, browsers report a move, too.
  function watch(event) {
    const { clientX, clientY } = event;
    if (pointer && Math.hypot(clientX - pointer[0], clientY - pointer[1]) < LEAST_MOVE_PX) return;
    pointer = [clientX, clientY];
    if (event.composedPath().includes(canvas)) [isMeant, movedAt] = [true, event.timeStamp];
  }

  function noteScroll(event) {
    // What scrolled before the pointer moved may be told after it.
    if (event.timeStamp - movedAt < SAME_TURN_MS) return;
    const [scrolled] = event.composedPath();
    for (let node = canvas; node; node = node.parentNode ?? node.host) if (node === scrolled) isMeant = false;
  }

  const listeners = {
    pointerdown, pointermove, pointerup, pointercancel: pointerup, lostpointercapture: pointerup, wheel,
    pointerleave: () => hand.hover(), dblclick: () => hand.reset(),
    // The second press of a double click is that alone.
    click(event) { if (isStill && event.detail < 2) hand.click(hand.place(event)); },
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
