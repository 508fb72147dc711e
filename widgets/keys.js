// Keys -> actions, and the page of help that lists them. No plain key reaches the notebook, where x cuts the cell.
import { hiddenAxes, swapAxes, switchAspect } from "./app.js";
import { clamp } from "./geometry.js";
import { button, make } from "./elements.js";

const ARROW_STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const READ_STEPS = { h: [0, -1], j: [1, 0], k: [-1, 0], l: [0, 1] };
const HELP = "Wheel, pinch|zoom at the pointer|Drag|move|⇧ drag|zoom to a box|Alt drag, Ctrl drag|select a box|"
  + "Esc|clear the selection|Double click, r|show all|← →|step the slider|"
  + "↑ ↓|another slider|Space|play|⇧ arrows|move|+ −|zoom|h j k l|read the element to the left, below, above, to the right|f|square elements, or fill|x|swap x and y|a|limits of the data|"
  + "⇧ a|limits 0..1, -1..1 or 0..255|Ctrl a|limits of the view|n, ⇧ n|next, previous NaN or Inf|?|this page";

/** What a key does: (app, key). */
const ACTIONS = {
  " ": app => app.emit("play", app.axis), "?": app => app.emit("help"), r: app => app.emit("reset"), x: swapAxes,
  Escape: leave, n: app => app.jump(1), "shift+n": app => app.jump(-1),
  "+": app => app.emit("zoom", 2 / 3), "-": app => app.emit("zoom", 1.5),
  f: switchAspect,
  a: app => setLimits(app, "full"), "shift+a": app => setLimits(app, "snap"), "ctrl+a": app => setLimits(app, "full", "view"),
};
ACTIONS["="] = ACTIONS["+"];
for (const key in ARROW_STEPS) [ACTIONS[key], ACTIONS[`shift+${key}`]] = [stepOrPan, app => pan(app, key, 0.2)];

for (const key in READ_STEPS) ACTIONS[key] = app => app.emit("read", READ_STEPS[key]);

function leave(app) {
  app.emit("read", null);
  if (app.state.selection) app.set({ selection: null });
}

// Limits of the view are those of Ctrl a alone: it leaves that region behind.
const setLimits = (app, how, region = app.state.region.replace("view", "slice")) => app.send("limits", { how, region });
const pan = (app, key, part) => app.emit("pan", ARROW_STEPS[key].map(step => step * part));

function stepOrPan(app, key) {
  const [down, right] = ARROW_STEPS[key], axes = hiddenAxes(app.state);
  if (!axes.length) pan(app, key, 0.1);
  else if (right) app.step(app.axis, right);
  else app.focus(axes[clamp(axes.indexOf(app.axis) + down, 0, axes.length - 1)]);
}

/** Whether an element has its own use of a key. */
const isOwn = (target, key) => target.matches("input:not([type=range]), select, option")
  || target.matches("button, summary") && key === " " || target.matches("[type=range]") && /^(Arrow|Page)/.test(key);

/** Listens on the whole view. */
export function listenToKeys(app) {
  app.root.addEventListener("keydown", event => {
    const { ctrlKey, metaKey, altKey, shiftKey, key: typed } = event, [target] = event.composedPath(),
      isPlain = !ctrlKey && !metaKey && !altKey;
    // Signs are as they are typed, with shift or without.
    const key = typed.length > 1 ? typed : typed.toLowerCase(),
      isShifted = shiftKey && (key.length > 1 || key !== key.toUpperCase());
    const act = ACTIONS[(isPlain ? "" : altKey ? "alt+" : "ctrl+") + (isShifted ? "shift+" : "") + key];
    if (key === "Tab" || event.isComposing) return;
    const isUsed = act && app.state && !event.defaultPrevented && !isOwn(target, key);
    if (isUsed || isPlain) event.stopPropagation();
    if (!isUsed) return;
    event.preventDefault();
    act(app, key);
  });
}

/** The page of help; Escape and its button close it, and the focus goes back where it was. */
export function makeHelp(app) {
  const close = button("Close the help", "×", toggle);
  const rows = HELP.split("|").map((text, i) => make(i % 2 ? "dd" : "dt", { text }));
  const made = make("div", { class: "gp-help", role: "dialog", "aria-label": "Keys", hidden: true,
    on: { keydown(event) { if (event.key === "Escape") { event.preventDefault(); toggle(); } } } }, close, make("dl", {}, ...rows));
  let before;

  function toggle() {
    made.hidden = !made.hidden;
    if (!made.hidden) before = app.root.getRootNode().activeElement;
    (made.hidden ? before : close)?.focus({ preventScroll: true });
  }
  app.on("help", toggle);
  return { element: made, update() {}, destroy() {} };
}
