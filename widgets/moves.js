// The window on the plane as a user moves it; once it rests, the view of the state follows.
import { clamp, fitSpans, min, shareOf, spansOf, wholeOf, windowAt, windowOn } from "./geometry.js";

const SETTLE_MS = 150, JUMP_PX = 16;

/** `changed` is called when the window was set. */
export function makeMoves(app, view, changed) {
  // `box` is the view, null for the whole plane; the window contains it.
  let box, viewKey, settleTimer;

  function set(window) {
    view.window = view.state.kind === "line" ? [0, 1, window[2], window[3]] : window;
    const spans = spansOf(view.window);
    [view.down, view.across] = [view.height / spans[0], view.width / spans[1]];
    view.isWhole = shareOf(view, spans).every(share => share > 0.9995);
    changed();
  }

  function to(window, isMoving = true) {
    view.isMoving = isMoving;
    set(window);
    box = view.isWhole ? null : view.window;
    clearTimeout(settleTimer);
    if (isMoving) settleTimer = setTimeout(settle, SETTLE_MS); else settle();
  }

  // Axes that are chosen while the window moves are those of where it came.
  app.on("set", () => { if (settleTimer) settle(); });

  function settle() {
    settleTimer = clearTimeout(settleTimer);
    const asked = box && [0, 2].map(i => [0, 1].map(k => clamp(box[i + k], 0, view.plane[i / 2]))),
      key = keyOf({ ...view.state, view: asked });
    view.isMoving = false;
    set(view.window);
    if (key !== viewKey) {
      viewKey = key;
      app.set({ view: asked });
    }
  }

  /** Whether the view of a state is the present one. */
  const isAt = state => keyOf(state) === viewKey;

  /** Takes over the view of a state; `fit` sets the window. */
  function follow(state) {
    viewKey = keyOf(state);
    box = JSON.parse(viewKey);
  }

  /** Moves an element to the middle, and zooms in until it is visible; keys go on from there. */
  function jump({ row, col, facet }) {
    if (!view.size) return;
    view.mark = view.cursor = { row: row + 0.5, col: col + 0.5, facet };
    view.isRead = false;
    const spans = min(view.down, view.across) >= JUMP_PX / 2 ? spansOf(view.window) : fitSpans(view, [view.height / JUMP_PX, view.width / JUMP_PX]);
    to(windowAt(view, [row + 0.5, col + 0.5], spans), false);
  }

  return { set, to, isAt, follow, jump, fit: () => set(windowOn(view, box ?? wholeOf(view))), stop: () => clearTimeout(settleTimer) };
}

/** The view of a state as JSON of a box, rounded so that equal views are equal; "null" for the whole plane. */
function keyOf({ view, plane }) {
  const box = view?.some(Boolean) ? view.flatMap((pair, i) => pair ?? [0, plane[i]]) : null;
  return JSON.stringify(box?.map(at => Number(at.toPrecision(15))) ?? null);
}
