// A panel that folds, and asks the kernel for what it shows while it is open: one question at a time, at most four a second.
import { sliceKeyOf } from "./app.js";
import { choice, make } from "./elements.js";

const REST_MS = 250;
/* After which numbers are faint that are of another slice, and of elements that were updated since. */
const [OTHER_MS, UPDATED_MS] = [400, 2000];
const REGIONS = [["view", "in view"], ["slice", "this slice"], ["all", "whole tensor"]];

/** `show(reply)` gets the answers to `kind`, `unit` is said beside the title; the panel is `{element, update, destroy}`. */
export function makePanel(app, title, kind, body, show, unit = "") {
  const regions = choice(`${title} of`, region => app.set({ region }));
  const fold = make("summary", { class: "gp-button", text: title }, make("small", { text: unit }));
  const element = make("details", { open: "", on: { toggle: () => app.state && later(0) } }, fold, body);
  const made = make("section", {}, element, regions.element);
  /* What the numbers are of, what the state was of, and in how many milliseconds numbers become faint. */
  let isAsking, answered, lastSubject, window, timer, fading, fadingMs;
  app.on("window", now => {
    window = now.window;
    later(REST_MS);
  });

  function later(ms) {
    clearTimeout(timer);
    timer = setTimeout(ask, ms);
  }
  /* What is asked about, whatever the elements are. */
  function subjectOf(state) {
    const { region, norm, selection } = state;
    return [sliceKeyOf(state), region, { view: window, selection }[region], kind === "histogram" && norm].join();
  }
  const isAnswer = ({ data }, subject) => answered?.subject === subject && answered.data === data;
  /* Numbers of other elements become faint, unless answers come. */
  function mark(isNew) {
    const subject = subjectOf(app.state), isKnown = !answered || isAnswer(app.state, subject),
      ms = isKnown ? 0 : answered.subject === subject ? UPDATED_MS : OTHER_MS;
    if (fadingMs && ms >= fadingMs && !isNew) return;
    clearTimeout(fading);
    if (!ms || isNew) element.classList.remove("is-old");
    if (ms) fading = setTimeout(() => element.classList.add("is-old"), ms);
    fadingMs = ms;
  }
  async function ask() {
    const { region, kind_counts, data } = app.state, subject = subjectOf(app.state);
    timer = 0;
    const isSeen = !made.hidden && element.open, isNeeded = kind === "stats" && !kind_counts && app.state.kind !== "text";
    if (isAsking || isAnswer(app.state, subject) || !(isSeen || isNeeded)) return;
    isAsking = true;
    try {
      // The health of the plane is told with its statistics, whichever region's are shown.
      let reply;
      for (const one of new Set([isNeeded ? "slice" : region, isSeen ? region : "slice"])) {
        reply = await app.ask(kind, { region: one, ...one === "view" && { seen: window } });
      }
      body.style.opacity = 1;
      show(reply);
    } catch ({ message }) {
      // What stands there is of other elements, from before.
      body.style.opacity = 0.4;
      app.emit("note", `${title}: ${message}`);
    }
    [isAsking, answered] = [false, { subject, data }];
    mark(true);
    later(REST_MS);
  }
  function update(state, isShown) {
    made.hidden = !isShown || state.kind === "text";
    regions.update(state.selection ? [...REGIONS, ["selection"]] : REGIONS, state.region);
    mark();
    // Updates in a loop do not put off a question, as moves of a slider do.
    const subject = subjectOf(state);
    if (!timer || subject !== lastSubject) later(answered ? REST_MS : 0);
    lastSubject = subject;
  }
  return { element: made, update, destroy: () => [timer, fading].forEach(clearTimeout) };
}
