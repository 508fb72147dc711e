// Keys to actions, and the page of help that lists them. No plain key leaves the widget: a notebook would cut the cell at x.
import { hiddenAxes } from "./app.js";
import { clamp } from "./geometry.js";
import { button, make } from "./elements.js";

const ARROW_STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const setLimits = (app, how, region = app.state.region) => app.send("limits", { how, region });

/** [what the help calls them, what they do, the keys, the action]. */
const KEYS = [
  ["Wheel, pinch", "zoom at the pointer"],
  ["Drag", "move"],
  ["⇧ drag", "zoom to a box"],
  ["Double click, r", "show all", "r", app => app.emit("reset")],
  ["← →", "step the slider", "ArrowLeft ArrowRight", stepOrPan],
  ["↑ ↓", "another slider", "ArrowUp ArrowDown", stepOrPan],
  ["Space", "play", "Space", app => app.play()],
  ["⇧ arrows", "move", Object.keys(ARROW_STEPS).map(key => `shift+${key}`).join(" "), (app, key) => pan(app, key, 0.2)],
  ["+ −", "zoom", "+ = - _", (app, key) => app.emit("zoom", /[+=]/.test(key) ? 1 / 1.5 : 1.5)],
  ["f", "square elements, or fill", "f", app => app.set({ aspect: app.state.aspect === "equal" ? "auto" : "equal" })],
  ["x", "swap x and y", "x t", swapAxes],
  ["a", "limits of the data", "a", app => setLimits(app, "full")],
  ["⇧ a", "limits 0..1, -1..1 or 0..255", "shift+a", app => setLimits(app, "snap")],
  ["Ctrl a", "limits of the view", "ctrl+a", app => setLimits(app, "full", "view")],
  ["n, ⇧ n", "next, last NaN or Inf", "n shift+n", (app, key, isShifted) => app.jump(isShifted ? -1 : 1)],
  ["?", "this page", "?", app => app.help()],
];
const ACTIONS = new Map(KEYS.flatMap(([, , keys = "", act]) => keys.split(" ").map(key => [key, act])));

const pan = (app, key, part) => app.emit("pan", ARROW_STEPS[key].map(step => step * part));

function stepOrPan(app, key) {
  const [down, right] = ARROW_STEPS[key], axes = hiddenAxes(app.state);
  if (!axes.length) pan(app, key, 0.1);
  else if (right) app.step(app.axis, right);
  else app.focus(axes[clamp(axes.indexOf(app.axis) + down, 0, axes.length - 1)]);
}

function swapAxes(app) {
  const [x, y] = ["x", "y"].map(role => app.state.axes.findIndex(axis => axis.role === role));
  if (x >= 0 && y >= 0) app.set({ x: y, y: x });
}

/** Whether an element has its own use of a key. */
const isOwn = (target, key) => target.matches("input:not([type=range], [type=checkbox]), select, textarea")
  || target.matches("button, summary") && key === "Space" || target.matches("[type=range], [role=slider]") && /^(Arrow|Page)/.test(key);

/** Listens on the whole view. */
export function listenToKeys(app) {
  app.root.addEventListener("keydown", event => {
    const { ctrlKey, metaKey, altKey, shiftKey, isComposing, defaultPrevented } = event, [target] = event.composedPath();
    const key = event.key === " " ? "Space" : event.key.length > 1 ? event.key : event.key.toLowerCase();
    // Signs are as they are typed, with shift or without.
    const isShifted = shiftKey && (key.length > 1 || key !== key.toUpperCase()), isCtrl = ctrlKey || metaKey;
    const act = ACTIONS.get((isCtrl ? "ctrl+" : altKey ? "alt+" : isShifted ? "shift+" : "") + key);
    if (key === "Tab" || isComposing) return;
    const isUsed = act && app.state && !defaultPrevented && !isOwn(target, key);
    if (isUsed || !isCtrl && !altKey) event.stopPropagation();
    if (!isUsed) return;
    event.preventDefault();
    act(app, key, isShifted);
  });
}

/** The page of help; Escape and its button close it, and the focus goes back where it was. */
export function makeHelp(app) {
  const close = button("Close the help", "×", toggle), rows = KEYS.flatMap(([keys, what]) => [make("dt", { text: keys }), make("dd", { text: what })]);
  const made = make("div", { class: "gp-help", role: "dialog", "aria-label": "Keys", hidden: true }, close, make("dl", {}, ...rows));
  let before;

  function toggle() {
    made.hidden = !made.hidden;
    if (!made.hidden) before = app.root.getRootNode().activeElement;
    (made.hidden ? before : close)?.focus({ preventScroll: true });
  }
  made.addEventListener("keydown", event => { if (event.key === "Escape") toggle(); });
  app.on("help", toggle);
  return { element: made, update() {}, destroy() {} };
}
