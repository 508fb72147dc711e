// A panel that folds, and asks the kernel for what it shows while it is open: one question at a time, at most four a second.
import { choice, make } from "./elements.js";

const REST_MS = 250;
const REGIONS = [["view", "in view"], ["slice", "this slice"], ["all", "whole tensor"]];

/** `show(reply)` gets the answers to `kind`, `unit` is said beside the title; the panel is `{element, update, destroy}`. */
export function makePanel(app, title, kind, body, show, unit = "") {
  const regions = choice(`${title} of`, region => app.set({ region }));
  const fold = make("summary", { class: "gp-button", text: title }, make("small", { text: unit }));
  const element = make("details", { class: `gp-panel gp-${kind}`, open: "",
    on: { toggle: () => app.state && later(0) } }, fold, body);
  const made = make("section", {}, element, regions.element);
  let [isAsking, answeredKey, window, timer] = [false, "", "", 0];
  // A late answer of a busy kernel.
  app.on(`kernel ${kind}`, ({ message }) => {
    if (message.region === app.state.region) put(message); else answeredKey = "";
    later(REST_MS);
  });
  app.on("window", now => {
    window = JSON.stringify(now.window);
    later(REST_MS);
  });

  function later(ms) {
    clearTimeout(timer);
    timer = setTimeout(ask, ms);
  }
  function put(reply) {
    body.style.opacity = 1;
    show(reply);
  }
  function keyOf({ data, region, item, norm, selection }) {
    return [item, data, region, { view: window, selection }[region], kind === "histogram" && norm].join();
  }
  /* Numbers of other elements are faint. */
  function mark() { element.classList.toggle("is-old", Boolean(answeredKey) && keyOf(app.state) !== answeredKey); }
  async function ask() {
    const { region, kind_counts } = app.state, key = keyOf(app.state);
    const isSeen = !made.hidden && element.open, isNeeded = kind === "stats" && !kind_counts && app.state.kind !== "text";
    if (isAsking || key === answeredKey || !(isSeen || isNeeded)) return;
    isAsking = true;
    try {
      // The health of the plane is told with its statistics, whichever region's are shown.
      let reply;
      for (const one of new Set([isNeeded ? "slice" : region, isSeen ? region : "slice"])) {
        reply = await app.ask(kind, { region: one });
      }
      put(reply);
    } catch ({ message }) {
      // What stands there is of other elements, from before.
      body.style.opacity = 0.4;
      app.emit("note", `${title}: ${message}`);
    }
    [isAsking, answeredKey] = [false, key];
    mark();
    later(REST_MS);
  }
  function update(state, isShown) {
    made.hidden = !isShown || state.kind === "text";
    regions.update(state.selection ? [...REGIONS, ["selection"]] : REGIONS, state.region);
    mark();
    later(answeredKey && REST_MS);
  }
  return { element: made, update, destroy: () => clearTimeout(timer) };
}
