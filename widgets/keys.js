// Keys to actions, and the page of help that lists them. No plain key leaves the widget: a notebook would cut the cell at x.
import { hiddenAxes } from "./app.js";
import { button, make } from "./elements.js";

/** [keys, what the help calls them, what they do, the action]. */
const KEYS = [
  [["ArrowLeft"], "← →", "step the slider (2-D: move the window)", app => sideways(app, -1)],
  [["ArrowRight"], null, null, app => sideways(app, 1)],
  [["ArrowUp"], "↑ ↓", "the slider above or below", app => upDown(app, -1)],
  [["ArrowDown"], null, null, app => upDown(app, 1)],
  [["PageUp"], "Page ↑ ↓", "ten steps of the slider", app => app.step(app.axis, -10)],
  [["PageDown"], null, null, app => app.step(app.axis, 10)],
  [[" "], "Space", "play", app => app.play()],
  [["+", "="], "+ −", "zoom in, out", app => app.emit("zoom", 1 / 1.5)],
  [["-", "_"], null, null, app => app.emit("zoom", 1.5)],
  [["shift+ArrowLeft"], "⇧ arrows", "move the window", app => app.emit("pan", [0, -0.2])],
  [["shift+ArrowRight"], null, null, app => app.emit("pan", [0, 0.2])],
  [["shift+ArrowUp"], null, null, app => app.emit("pan", [-0.2, 0])],
  [["shift+ArrowDown"], null, null, app => app.emit("pan", [0.2, 0])],
  [["r", "0"], "r", "show the whole plane", app => app.emit("reset")],
  [["f"], "f", "fit: square elements, or fill the picture", app => app.set({ aspect: app.state?.aspect === "equal" ? "auto" : "equal" })],
  [["x", "t"], "x", "swap x and y", swapAxes],
  [["a"], "a", "limits from the data", app => setLimits(app, "full", app.state?.region)],
  [["shift+a"], "⇧ a", "limits snapped to 0..1, -1..1 or 0..255", app => setLimits(app, "snap", app.state?.region)],
  [["ctrl+a"], "Ctrl a", "limits from what is in view", app => setLimits(app, "full", "view")],
  [["n"], "n  ⇧ n", "next or last element that is not finite", app => app.jump(1)],
  [["shift+n"], null, null, app => app.jump(-1)],
  [["?"], "?", "this page", app => app.help()],
];
const BY_HAND = [["Wheel, pinch", "zoom at the pointer"], ["Drag", "move"], ["⇧ drag", "zoom to a box"], ["Double click", "show the whole plane"]];
const ACTIONS = new Map(KEYS.flatMap(([keys, , , act]) => keys.map(key => [key, act])));

function sideways(app, n) {
  if (app.axis === null) app.emit("pan", [0, 0.1 * n]); else app.step(app.axis, n);
}

function upDown(app, n) {
  const axes = hiddenAxes(app.state);
  if (!axes.length) return app.emit("pan", [0.1 * n, 0]);
  app.focus(axes[Math.min(Math.max(axes.indexOf(app.axis) + n, 0), axes.length - 1)]);
}

function swapAxes(app) {
  const [x, y] = ["x", "y"].map(role => app.state?.axes.findIndex(axis => axis.role === role) ?? -1);
  if (x >= 0 && y >= 0) app.set({ x: y, y: x });
}

function setLimits(app, how, region) {
  if (app.state?.kind !== "text") app.send("limits", { how, region });
}

/** "shift+a": letters by their small form, other signs as they are typed. */
function nameOf({ key, ctrlKey, metaKey, altKey, shiftKey }) {
  const isWord = key.length > 1, isLetter = key.toLowerCase() !== key.toUpperCase();
  const shift = shiftKey && (isWord || isLetter) ? "shift+" : "";
  return `${ctrlKey || metaKey ? "ctrl+" : ""}${altKey ? "alt+" : ""}${shift}${isWord ? key : key.toLowerCase()}`;
}

const TYPED_INTO = "input:not([type=range], [type=checkbox], [type=radio]), select, textarea";

/** Listens on the whole view; answers an end to it. */
export function listenToKeys(app) {
  function press(event) {
    const target = event.composedPath()[0], name = nameOf(event);
    if (event.key === "Tab" || event.isComposing) return;
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const act = event.defaultPrevented || target.matches(TYPED_INTO) ? null : ACTIONS.get(name);
    if (act && !(target.matches("button, summary") && name === " ")) {
      event.preventDefault();
      event.stopPropagation();
      if (app.state) act(app);
    } else if (isPlain) event.stopPropagation();
  }
  app.root.addEventListener("keydown", press);
  return () => app.root.removeEventListener("keydown", press);
}

/** The page of help; Escape and its button close it, and the focus goes back where it was. */
export function makeHelp(app) {
  const rows = [...BY_HAND, ...KEYS.flatMap(([, keys, what]) => keys ? [[keys, what]] : [])];
  const close = button("Close the help", "×", hide);
  const made = make("div", { class: "gp-help", role: "dialog", "aria-label": "Keys", tabindex: -1, hidden: true }, close,
    make("dl", {}, ...rows.flatMap(([keys, what]) => [make("dt", {}, keys), make("dd", {}, what)])));
  let before = null;

  function hide() {
    if (made.hidden) return;
    made.hidden = true;
    before?.focus({ preventScroll: true });
  }
  function toggle() {
    if (!made.hidden) return hide();
    before = app.root.getRootNode().activeElement;
    made.hidden = false;
    close.focus({ preventScroll: true });
  }
  made.addEventListener("keydown", event => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    hide();
  });
  app.on("help", toggle);
  return { element: made, update() {}, destroy() {} };
}
