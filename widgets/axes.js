// The axes of the tensor: x and y, and for each other one its role, a slider and play.
import { axisNameOf, axisOf, swapAxes } from "./app.js";
import { button, choice, clipped, make, setLabel, setText, shortCount } from "./elements.js";
import { clamp, max } from "./geometry.js";

const REDUCTIONS = ["mean", "max", "min", "sum", "std", "norm"];
const ROLES = ["rgb", "index", "y", "x", ...REDUCTIONS, "rows", "columns"];
const RATES = [1, 2, 5, 10, 20, 30].map(rate => [rate, `${rate}/s`]);
/* After which a frame counts as lost. */
const LOST_MS = 2000;

/** The axes: `{element, update, destroy}`. */
export function makeAxes(app) {
  const element = make("div", { class: "gp-axes" }), player = makePlayer(app, () => update(app.state));
  let rows = [];
  function update(state) {
    if (rows.length !== state.axes.length + 1) {
      rows = [makeShownAxes(app), ...state.axes.map((_, axis) => makeAxis(app, axis, player))];
      element.replaceChildren(...rows.map(row => row.element));
    }
    element.hidden = state.axes.length < 2;
    rows.forEach(row => row.update(state));
  }
  return { element, update, destroy: player.destroy };
}

const isShown = role => /^[xy]$/.test(role);

/* y and x, and the button that swaps them. */
function makeShownAxes(app) {
  const sides = [..."yx"].map(role => choice(`Axis ${role} of the picture`, axis => give(app, Number(axis), role)));
  const swap = button("Swap x and y (x)", "⇄", () => swapAxes(app));
  function update(state) {
    const options = state.axes.map(({ size }, axis) => [axis, `${axisNameOf(state, axis)} · ${size}`]);
    sides.forEach((side, i) => side.update(options, axisOf(state, "yx"[i])));
  }
  const [y, x] = sides.map(side => side.element);
  return { element: make("div", { class: "gp-axis" }, make("i", { text: "y" }), y, swap, make("i", { text: "x" }), x), update };
}

/* Gives an axis a role; x and y are swapped where one gets the other's axis. */
function give(app, axis, role) {
  const { state } = app, before = state.axes[axis].role, values = {};
  if (isShown(before) && isShown(role)) return before !== role && swapAxes(app);
  if (before === "reduce") values.reduce = { [axis]: null };
  else if (before !== "index") values[before] = null;
  if (REDUCTIONS.includes(role)) values.reduce = { [axis]: role };
  else if (role !== "index") values[role] = axis;
  return app.set(values);
}

/* One axis that is neither x nor y: its name is the face of the select with its roles. */
function makeAxis(app, axis, player) {
  const roles = choice("", role => give(app, axis, role)), note = make("i"), stepper = makeStepper(app, axis);
  const play = button("", "", () => player.toggle(axis)), rates = choice("Speed", player.setRate);
  const element = make("div", { class: "gp-axis", on: { focusin: () => app.focus(axis) } },
    roles.element, ...stepper.elements, rates.element, play, note);
  function update(state) {
    const one = state.axes[axis], { role, op, size } = one, name = axisNameOf(state, axis);
    const { sliders, play: canPlay } = state.shows;
    const hasSlider = role === "index" && size > 1 && (sliders?.includes(axis) ?? true);
    element.hidden = isShown(role);
    element.classList.toggle("is-noted", !hasSlider);
    element.classList.toggle("is-focused", app.axis === axis);
    roles.update(ROLES.slice(size === 3 || size === 4 ? 0 : 1).map(other => [other]), op ?? role, name);
    setText(note, hasSlider ? "" : `${role === "index" ? one.index : op ?? role} of ${size}`);
    stepper.update(one, name);
    play.ariaPressed = player.axis === axis;
    setText(play, player.axis === axis ? "❚❚" : "▶\ufe0e");
    rates.update(RATES, player.rate);
    play.hidden = rates.element.hidden = !canPlay;
    setLabel(roles.select, `Role of ${name}`);
    setLabel(play, `Play ${name}`);
  }
  return { element, update };
}

/* Slider and number box for one index; states do not move one that is being used. */
function makeStepper(app, axis) {
  const slider = make("input", { type: "range", min: 0, on: { input: () => go(slider.valueAsNumber) } });
  const box = make("input", { type: "number", class: "gp-box",
    on: { change: commit, blur: () => show(app.state.axes[axis].index) } });
  const end = make("i");
  let last = 0, title = "";
  function show(index) {
    slider.value = box.value = index;
    slider.style.setProperty("--at", `${100 * index / last}%`);
    slider.ariaValueText = `${title} ${index} of ${last + 1}`;
  }
  function go(index) {
    show(index);
    app.set({ index: { [axis]: index } });
  }
  function commit() {
    const index = Math.trunc(box.valueAsNumber);
    if (Number.isFinite(index)) go(clamp(index < 0 ? index + last + 1 : index, 0, last));
  }
  function update({ size, index, coordinate }, name) {
    [last, title] = [size - 1, name];
    slider.max = box.max = last;
    box.min = -size;
    setLabel(slider, name);
    setLabel(box, `Index of ${name}`);
    setText(end, clipped(coordinate) || `/ ${shortCount(size)}`);
    box.style.width = `${String(last).length + 3}ch`;
    if (!slider.matches(":active") && !box.matches(":focus")) show(index);
  }
  return { elements: [slider, box, end], update };
}

/* Plays one axis: sets the next index once the frame of the last one was drawn. */
function makePlayer(app, changed) {
  const player = { axis: null, rate: 10, toggle, setRate, destroy: () => clearTimeout(timer) };
  let timer, version, due, isDrawn;
  app.on("play", toggle);
  app.on("drawn", frame => {
    isDrawn ||= frame.version > version;
    pump();
  });
  function toggle(axis) {
    [player.axis, due, isDrawn] = [player.axis === axis ? null : axis, 0, true];
    changed();
    pump();
  }
  function pump() {
    clearTimeout(timer);
    const { role, index, size } = app.state.axes[player.axis] ?? {}, wait = due - performance.now() + (isDrawn ? 0 : LOST_MS);
    if (role !== "index") return;
    if (wait <= 0) {
      [version, isDrawn, due] = [app.state.version, false, performance.now() + 1000 / player.rate];
      app.set({ index: { [player.axis]: (index + 1) % size } });
    }
    timer = setTimeout(pump, max(wait, 1));
  }
  function setRate(chosen) {
    player.rate = Number(chosen);
    changed();
  }
  return player;
}
