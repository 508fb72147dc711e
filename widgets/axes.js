// The axes of the tensor: which two are shown, and for each other one its role, a slider and play.
import { button, choice, clipped, icon, make, setLabel, setText } from "./elements.js";

const REDUCTIONS = ["mean", "max", "min", "sum", "std", "norm"];
const ROLES = [["index", "one at a time"], ["y", "y: rows of the picture"], ["x", "x: columns of the picture"],
  ...REDUCTIONS.map((op) => [op, `${op} of all`]), ["rows", "a row of pictures each"], ["columns", "a column of pictures each"], ["rgb", "colours"]];
const RATES = [1, 2, 5, 10, 20, 30].map((rate) => [rate, `${rate}/s`]);
const LOST_MS = 2000; // a frame that has not come by then never will

/** The axes: `{element, update, destroy}`. */
export function makeAxes(app) {
  const made = make("div", { class: "gp-axes" });
  const player = makePlayer(app);
  let rows = [];
  function update(state) {
    if (rows.length !== state.axes.length + 1) {
      player.faces.clear();
      rows = [makeShownAxes(app), ...state.axes.map((_, axis) => makeAxis(app, axis, player))];
      made.replaceChildren(...rows.map((row) => row.element));
    }
    made.hidden = state.axes.length < 2;
    rows.forEach((row) => row.update(state));
    player.update(state);
  }
  return { element: made, update, destroy: player.destroy };
}

const axisName = ({ axes }, axis) => clipped(axes[axis].name, 40) || `axis ${axis}`;
const axisOf = ({ axes }, role) => axes.findIndex((one) => one.role === role);

/* y and x, and the button that swaps them. */
function makeShownAxes(app) {
  const sides = [["y", "Rows of the picture (y)"], ["x", "Columns of the picture (x)"]]
    .map(([role, label]) => ({ role, choice: choice(label, (axis) => give(app, Number(axis), role)) }));
  const [y, x] = sides.map((side) => make("label", {}, make("i", { text: side.role }), side.choice.element));
  const swap = button("Swap x and y (x)", icon("swap"), () => give(app, axisOf(app.state, "y"), "x"));
  function update(state) {
    const options = state.axes.map(({ size }, axis) => [axis, `${axisName(state, axis)} · ${size}`]);
    for (const { role, choice: one } of sides) one.update(options, axisOf(state, role));
  }
  return { element: make("div", { class: "gp-shown" }, y, swap, x), update };
}

/* Gives an axis a role. There is always an x and a y: if one takes the other's place, they swap. */
function give(app, axis, role) {
  const before = app.state.axes[axis].role;
  const isShown = (one) => /^[xy]$/.test(one);
  if (isShown(before) && isShown(role)) return before !== role && app.set({ x: axisOf(app.state, "y"), y: axisOf(app.state, "x") });
  const values = before === "reduce" ? { reduce: { [axis]: null } } : /^(rows|columns|rgb)$/.test(before) ? { [before]: null } : {};
  if (REDUCTIONS.includes(role)) values.reduce = { [axis]: role };
  else if (role !== "index") values[role] = axis;
  return app.set(values);
}

/* One axis that is neither x nor y: its name is the face of the select with its roles. */
function makeAxis(app, axis, player) {
  const roles = choice("Role", (role) => give(app, axis, role));
  const note = make("span", { class: "gp-axis-note" });
  const stepper = makeStepper(app, axis);
  const play = player.makeFace(axis);
  const made = make("div", { class: "gp-axis", on: { focusin: () => app.focus(axis) } },
    roles.element, ...stepper.elements, ...play.elements, note);
  function update(state) {
    const [{ role, op, size, index }, name] = [state.axes[axis], axisName(state, axis)];
    const { sliders } = state.shows;
    made.hidden = /^[xy]$/.test(role);
    made.classList.toggle("is-focused", app.axis === axis);
    roles.update(ROLES.filter(([one]) => one !== "rgb" || role === one || size === 3 || size === 4), op ?? role, name);
    setLabel(roles.select, `Role of ${name}`);
    const hasSlider = role === "index" && (!sliders || sliders.includes(axis));
    made.classList.toggle("is-noted", !hasSlider);
    setText(note, hasSlider ? "" : `${role === "index" ? index : op ?? role} of ${size}`);
    stepper.update(state, name);
    play.update(state.shows.play, name);
  }
  return { element: made, update };
}

/* Slider and number box for one index. While the hand is on the slider, or a number is being typed, states do not move them. */
function makeStepper(app, axis) {
  const slider = make("input", { type: "range", min: 0, on: { input: () => go(slider.valueAsNumber) } });
  const box = make("input", { type: "number", class: "gp-box", on: { input: type, change: commit, blur: reset, keydown: escape } });
  const size = make("span", { class: "gp-size" });
  let [last, title, isTyping] = [0, "", false];
  function show(index) {
    slider.value = index;
    if (!isTyping) box.value = index;
    slider.style.setProperty("--gp-at", last ? index / last : 0);
    slider.setAttribute("aria-valuetext", `${title} ${index} of ${last + 1}`);
  }
  function go(index) {
    show(index);
    app.set({ index: { [axis]: index } });
  }
  /* A step by key or wheel has no type of input: it counts at once. */
  function type(event) {
    isTyping = true;
    if (!event.inputType) commit();
  }
  function commit() {
    const index = Math.trunc(box.valueAsNumber);
    isTyping = false;
    if (Number.isFinite(index)) go(Math.min(Math.max(index < 0 ? index + last + 1 : index, 0), last)); else reset();
  }
  function reset() {
    isTyping = false;
    show(app.state.axes[axis].index);
  }
  function escape(event) { if (event.key === "Escape") reset(); }
  function update(state, name) {
    const one = state.axes[axis];
    [last, title] = [one.size - 1, name];
    slider.max = box.max = last;
    box.min = -one.size;
    slider.disabled = box.disabled = last < 1;
    setLabel(slider, name);
    setLabel(box, `Index of ${name}`);
    setText(size, `/ ${one.size}`);
    box.style.width = `${String(last).length + 3}ch`;
    if (!slider.matches(":active")) show(one.index);
  }
  return { elements: [slider, box, size], update };
}

/* Plays one axis at a time: the next index only once the frame of the last one was painted. */
function makePlayer(app) {
  const faces = new Set();
  let [playing, rate, timer, version, due, isDrawn] = [null, 10, 0, 0, 0, true];
  const ends = [app.on("play", toggle), app.on("drawn", (frame) => {
    isDrawn ||= frame.version > version;
    pump();
  })];
  function toggle(axis) {
    if (!app.state.axes[axis]) return;
    playing = playing === axis ? null : axis;
    faces.forEach((show) => show());
    if (playing !== null) step(); else clearTimeout(timer);
  }
  function step() {
    const { index, size } = app.state.axes[playing];
    [version, isDrawn, due] = [app.state.version, false, performance.now() + 1000 / rate];
    app.set({ index: { [playing]: (index + 1) % size } });
    pump();
  }
  function pump() {
    clearTimeout(timer);
    if (playing === null) return;
    const wait = due - performance.now() + (isDrawn ? 0 : LOST_MS);
    if (wait <= 0) step(); else timer = setTimeout(pump, wait);
  }
  function makeFace(axis) {
    const press = button("Play", icon("play"), () => toggle(axis));
    const rates = choice("Steps a second", (chosen) => { rate = Number(chosen); faces.forEach((show) => show()); });
    rates.element.classList.add("gp-rate");
    let name = "";
    function show() {
      const isOn = String(playing === axis);
      if (press.ariaPressed !== isOn) press.replaceChildren(icon(isOn === "true" ? "pause" : "play"));
      press.ariaPressed = isOn;
      setLabel(press, `Play ${name}`);
      rates.update(RATES, rate);
    }
    function update(isShown, now) {
      name = now;
      press.hidden = rates.element.hidden = !isShown;
      show();
    }
    faces.add(show);
    return { elements: [press, rates.element], update };
  }
  function update({ axes }) { if (playing !== null && axes[playing]?.role !== "index") toggle(playing); }
  function destroy() {
    clearTimeout(timer);
    ends.forEach((end) => end());
  }
  return { faces, makeFace, update, destroy };
}
