// What the kernel hears of the picture: whether and which part of the plane is seen, and the pointer's position.
import { makeFlow } from "./channel.js";
import { floor, min, wholeOf, windowOn } from "./geometry.js";
import { isOverviewOld } from "./overlay.js";

const VIEWPORT_MS = 1000, OVERVIEW_MS = 400;

/** `resume` is called when the picture is seen again; it sends the viewport at the next draw. */
export function makeReports(app, view, resume) {
  const viewports = makeFlow(viewport => lastSeq = app.send("viewport", viewport), VIEWPORT_MS), hovers = makeFlow(at => app.send("hover", at));
  let isSeen, isGone, isOver, lastSeq, isOfWhole, restTimer;

  /** Tells whether somebody looks. A text in place of the picture counts: a watched tensor is copied only then. */
  function see(isOnScreen) {
    const was = isSeen, isText = view.state?.kind === "text";
    isSeen = isOnScreen && !document.hidden && (isText || Boolean(view.size));
    if (!isSeen === !was) return;
    if (!isSeen) viewports.stop();
    if (isSeen && !isText) resume(); else send(isSeen);
  }

  /** `isAgain`: for an overview that is out of date. */
  function send(visible, isAgain = false) {
    // The first one is of the whole plane, for the overview; that of the window follows its answer.
    if (view.size) isOfWhole = visible && !view.isWhole && (isAgain || isOfWhole === undefined);
    const window = isOfWhole && view.size ? windowOn(view, wholeOf(view)) : view.window ?? [0, 1, 0, 1];
    // During a movement limits stay, as they have to for the overview of a window. The kernel draws 8192 rows and 2 ** 24 pixels at
    // most: the frame of a larger picture has fewer rows, and is stretched.
    const [height, width] = view.size ?? [1, 1],
      fields = { window, seen: view.window, size: [min(height, 8192, floor(2 ** 24 / width)), width], moving: visible && Boolean(view.isMoving || isAgain), visible };
    // A kernel that seems gone gets it once, as an answer would prove the contrary, and not repeatedly.
    if (visible && !isGone) viewports.push(fields); else app.send("viewport", fields);
  }

  /** Sends the viewport if the picture is seen. */
  function viewport() { if (isSeen) send(true); }

  /** Notes the answer to a viewport; returns whether that was of the whole plane and the window's is due. */
  function answered(seq) {
    viewports.answered(seq);
    return Boolean(isOfWhole) && seq >= lastSeq;
  }

  /** A frame is shown: once it rests, the whole plane is asked for again if the overview is old, unless its answer is due. */
  function shown() {
    clearTimeout(restTimer);
    restTimer = setTimeout(() => { if (isSeen && !view.isMoving && !isOfWhole && isOverviewOld(view)) send(true, true); }, OVERVIEW_MS);
  }

  /** Sends the pointer's position; that it left the plane is sent once. */
  function hover(at) {
    if (at || isOver) hovers.push(at ?? { row: null, col: null, facet: 0 });
    isOver = Boolean(at);
    if (!at) app.emit("hover", null);
  }

  /** Notes whether the kernel seems gone. */
  function gone(how) {
    isGone = how;
    if (how) viewports.stop();
  }

  function stop() {
    clearTimeout(restTimer);
    viewports.stop();
    hovers.stop();
  }

  return { see, viewport, answered, shown, hover, hoverAnswered: hovers.answered, gone, stop };
}
