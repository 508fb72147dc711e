// A panel that folds, and asks the kernel for what it shows while it is open: at most four times a second, one question at a time.
import { button, icon, make, segments } from "./elements.js";

const REST_MS = 250;
const REGIONS = [["view", "View", "What is in view"], ["slice", "Slice", "All of the two axes shown"], ["all", "All", "The whole tensor"]];

/** `show(reply)` gets the answers to `kind`; the panel is `{element, update, destroy}`. */
export function makePanel(app, title, kind, body, show) {
  const regions = segments("Elements counted", REGIONS, (region) => app.set({ region }));
  const fold = button(`${title}: fold`, icon("down"), () => open(!isOpen), { class: "gp-fold" });
  fold.append(title);
  const made = make("section", { class: `gp-panel gp-${kind}`, "aria-label": title },
    make("div", { class: "gp-panel-head" }, fold, regions.element), body);
  let [isOpen, isWaiting, known, window, timer] = [true, false, "", "", 0];
  const off = app.on("window", (now) => {
    window = JSON.stringify(now?.window);
    if (app.state?.region === "view") later();
  });

  function open(now) {
    isOpen = now;
    fold.setAttribute("aria-expanded", isOpen);
    made.classList.toggle("is-folded", !isOpen);
    refresh();
  }
  function later() {
    clearTimeout(timer);
    timer = setTimeout(refresh, REST_MS);
  }
  function wanted() {
    const { data, version, region, item } = app.state;
    return [item, data ?? version, region, region === "view" ? window : ""].join();
  }
  async function refresh() {
    const key = wanted();
    if (!isOpen || isWaiting || made.hidden || key === known) return;
    isWaiting = true;
    made.setAttribute("aria-busy", true);
    try {
      const reply = await app.ask(kind, { region: app.state.region });
      show(reply);
    } catch (error) {
      if (error.message !== "closed") app.emit("note", `${title}: ${error.message}`);
    }
    [isWaiting, known] = [false, key];
    made.removeAttribute("aria-busy");
    later();
  }
  function update(state, isShown) {
    made.hidden = !isShown || state.kind === "text";
    regions.update(state.region);
    if (known) later(); else refresh();
  }
  open(true);
  return { element: made, update, destroy() { off(); clearTimeout(timer); } };
}
