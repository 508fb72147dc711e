// A panel that folds, and asks the kernel for what it shows while it is open: one question at a time, at most four a second.
import { button, icon, make, radios } from "./elements.js";

const REST_MS = 250;
const REGIONS = [["view", "View", "What is in view"], ["slice", "Slice", "The two axes shown"], ["all", "All", "The whole tensor"]];

/** `show(reply)` gets the answers to `kind`; the panel is `{element, update, destroy}`. */
export function makePanel(app, title, kind, body, show) {
  const regions = radios("Elements counted", "gp-segments", (region) => app.set({ region }));
  const fold = button(title, icon("down"), () => { made.classList.toggle("is-folded"); told(); }, { class: "gp-fold" });
  const made = make("section", { class: `gp-panel gp-${kind}`, "aria-label": title }, make("div", {}, fold, regions.element), body);
  let [isAsking, known, window, timer] = [false, "", "", 0];
  const off = app.on("window", (now) => {
    window = JSON.stringify(now.window);
    later();
  });
  fold.append(title);

  function told() {
    fold.ariaExpanded = String(!made.classList.contains("is-folded"));
    later(0);
  }
  function later(ms = REST_MS) {
    clearTimeout(timer);
    timer = setTimeout(ask, ms);
  }
  async function ask() {
    const { data, version, region, item } = app.state;
    const wanted = [item, data ?? version, region, region === "view" && window].join();
    if (isAsking || wanted === known || made.hidden || fold.ariaExpanded === "false") return;
    isAsking = true;
    try {
      show(await app.ask(kind, { region }));
    } catch ({ message }) {
      if (message !== "closed") app.emit("note", `${title}: ${message}`);
    }
    [isAsking, known] = [false, wanted];
    later();
  }
  function update(state, isShown) {
    made.hidden = !isShown || state.kind === "text";
    regions.update(REGIONS.map(([value, text, why]) => [value, make("span", { text, title: why })]), state.region);
    later(known && REST_MS);
  }
  told();
  return { element: made, update, destroy() { off(); clearTimeout(timer); } };
}
