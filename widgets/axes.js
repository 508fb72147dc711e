// The axes of the tensor: which two are shown, and for each other one its role, a slider and play.
import { button, choice, clipped, icon, make, setLabel, setText } from "./elements.js";

const REDUCTIONS = ["mean", "max", "min", "sum", "std", "norm"];
const RATES = [1, 2, 5, 10, 20, 30];
const LOST_MS = 2000; // a frame that has not come by then never will

/** The rows of axes: `{element, update, destroy}`. */
export function makeAxes(app) {
  const shown = makeShownAxes(app);
  const player = makePlayer(app);
  const made = make("div", { class: "gp-axes" });
  let rows = [];
  function update(state) {
    made.hidden = state.axes.length < 2;
    if (rows.length !== state.axes.length) {
      rows = state.axes.map((_, axis) => makeAxisRow(app, axis, player));
      made.replaceChildren(shown.element, ...rows.map((row) => row.element));
    }
    shown.update(state);
    rows.forEach((row, axis) => row.update(state.axes[axis], state));
    player.update(state);
  }
  return { element: made, update, destroy: player.stop };
}

function nameOf({ name }, axis) {
  return name ? clipped(name, 40) : `axis ${axis}`;
}

/* y and x, and the button that swaps them. */
function makeShownAxes(app) {
  const selects = ["y", "x"].map((role) => choice(role === "y" ? "Rows of the picture (y)" : "Columns of the picture (x)",
    (axis) => give(app, Number(axis), role)));
  const swap = button("Swap x and y (x)", icon("swap"), () => app.set(swapped(app.state)));
  const made = make("div", { class: "gp-shown" },
    make("label", {}, make("i", { text: "y" }), selects[0].element), swap, make("label", {}, make("i", { text: "x" }), selects[1].element));
  function update({ axes }) {
    const options = axes.map((axis, i) => [i, `${nameOf(axis, i)} · ${axis.size}`]);
    ["y", "x"].forEach((role, i) => selects[i].update(options, axes.findIndex((axis) => axis.role === role)));
  }
  return { element: made, update };
}

function axisOf({ axes }, role) {
  const axis = axes.findIndex((one) => one.role === role);
  return axis < 0 ? null : axis;
}

function swapped(state) {
  return { x: axisOf(state, "y"), y: axisOf(state, "x") };
}

/* Gives an axis a role; x and y are always somebody's, so that taking one from the other swaps them. */
function give(app, axis, role) {
  const { state } = app;
  const before = state.axes[axis].role;
  if (/^[xy]$/.test(role)) {
    app.set(/^[xy]$/.test(before) && before !== role ? swapped(state) : { ...left(before, axis), [role]: axis });
  } else if (REDUCTIONS.includes(role)) {
    app.set({ ...left(before, axis), reduce: { [axis]: role } });
  } else {
    app.set({ ...left(before, axis), ...(role === "index" ? {} : { [role]: axis }) });
  }
}

/* What takes an axis out of the role it has. */
function left(role, axis) {
  if (role === "reduce") return { reduce: { [axis]: null } };
  return /^(?:rows|columns|rgb)$/.test(role) ? { [role]: null } : {};
}

function rolesFor({ size, role }) {
  const shapes = [["index", "one at a time"], ["y", "y: rows of the picture"], ["x", "x: columns of the picture"]];
  const facets = [["rows", "a row of pictures each"], ["columns", "a column of pictures each"]];
  const rgb = size === 3 || size === 4 || role === "rgb" ? [["rgb", "colours (RGB)"]] : [];
  return [...shapes, ...REDUCTIONS.map((op) => [op, `${op} of all`]), ...facets, ...rgb];
}

/* One axis that is neither x nor y: its name is the face of the select with its roles. */
function makeAxisRow(app, axis, player) {
  const name = make("bdi", { class: "gp-axis-name" });
  const roles = choice("Role", (role) => give(app, axis, role), { class: "gp-over" });
  const note = make("span", { class: "gp-axis-note" });
  const stepper = makeStepper(app, axis);
  const play = player.controls(axis);
  const made = make("div", { class: "gp-axis", "data-axis": axis },
    make("div", { class: "gp-face" }, name, icon("down"), roles.element), ...stepper.elements, ...play.elements, note);
  function update(one, state) {
    const title = nameOf(one, axis);
    const isIndexed = one.role === "index";
    made.hidden = one.role === "x" || one.role === "y";
    setText(name, title);
    roles.update(rolesFor(one), one.role === "reduce" ? one.op : one.role);
    setLabel(roles.element, `Role of ${title}`);
    const hasSlider = isIndexed && (!state.shows.sliders || state.shows.sliders.includes(axis));
    setText(note, isIndexed ? (hasSlider ? "" : `${one.index} of ${one.size}`) : describe(one));
    made.classList.toggle("is-noted", !hasSlider);
    stepper.update(one, title);
    play.update(state.shows.play, title);
  }
  return { element: made, update };
}

function describe({ role, op, size }) {
  if (role === "reduce") return `${op} of ${size}`;
  return role === "rgb" ? `${size} colour channels` : `${size} ${role} of pictures`;
}

/* Slider and number box for one index. While the hand is on the slider, or a number is being typed, states do not move them. */
function makeStepper(app, axis) {
  const slider = make("input", { type: "range", min: 0, step: 1, class: "gp-slider" });
  const box = make("input", { type: "number", step: 1, class: "gp-box", inputmode: "numeric" });
  const size = make("span", { class: "gp-size", "aria-hidden": true });
  const [hand, typing] = [heldBy(slider), { isOn: false }];
  let [last, title] = [0, ""];
  function show(index) {
    slider.style.setProperty("--gp-at", last ? index / last : 0);
    slider.setAttribute("aria-valuetext", `${title} ${index} of ${last + 1}`);
  }
  function go(index) {
    show(index);
    app.set({ index: { [axis]: index } });
  }
  function commit() {
    const asked = Math.trunc(box.valueAsNumber);
    typing.isOn = false;
    const index = Math.min(Math.max(asked < 0 ? asked + last + 1 : asked, 0), last);
    if (!Number.isFinite(asked) || index === slider.valueAsNumber) return update(app.state.axes[axis], title);
    slider.value = box.value = index;
    go(index);
  }
  slider.addEventListener("input", () => { box.value = slider.value; go(slider.valueAsNumber); });
  box.addEventListener("input", (event) => { if (event.inputType) typing.isOn = true; else commit(); }); // no type: a step by key or wheel
  box.addEventListener("change", commit);
  box.addEventListener("keydown", (event) => { if (event.key === "Escape") { typing.isOn = false; update(app.state.axes[axis], title); } });
  function update(one, name) {
    [last, title] = [one.size - 1, name];
    slider.max = box.max = last;
    box.min = -one.size;
    slider.disabled = box.disabled = last < 1;
    setLabel(slider, name);
    setLabel(box, `Index of ${name}`);
    setText(size, `/ ${one.size}`);
    box.style.setProperty("--gp-letters", String(last).length);
    if (!hand.isOn) [slider.value] = [one.index, show(one.index)];
    if (!typing.isOn && !hand.isOn) box.value = one.index;
  }
  return { elements: [slider, box, size], update };
}

/** Whether a pointer holds a control: `isOn` from pointerdown until it is let go, wherever that is. */
export function heldBy(control) {
  const hand = { isOn: false };
  const release = () => { hand.isOn = false; };
  control.addEventListener("pointerdown", () => { hand.isOn = true; });
  for (const event of ["pointerup", "pointercancel", "lostpointercapture", "blur"]) control.addEventListener(event, release);
  return hand;
}

/* Plays one axis at a time: the next index only once the frame of the last one was painted. */
function makePlayer(app) {
  const listeners = new Set();
  const player = { axis: null, rate: 10, controls, update, stop };
  let [timer, isPainted, version, due] = [0, true, 0, 0];
  const offs = [
    app.on("drawn", (frame) => { if (!frame || frame.version > version) isPainted = true; step(); }),
    app.on("play", (axis) => toggle(Number.isInteger(axis) ? axis : firstPlayable())),
  ];

  function firstPlayable() {
    return player.axis ?? app.state.axes.findIndex((one) => one.role === "index" && one.size > 1);
  }
  function toggle(axis) {
    clearTimeout(timer);
    player.axis = player.axis === axis || !app.state.axes[axis] ? null : axis;
    listeners.forEach((tell) => tell());
    if (player.axis !== null) advance();
  }
  function advance() {
    const { index, size } = app.state.axes[player.axis];
    [version, isPainted, due] = [app.state.version, false, performance.now() + 1000 / player.rate];
    app.set({ index: { [player.axis]: (index + 1) % size } });
    timer = setTimeout(step, 1000 / player.rate);
  }
  function step() {
    clearTimeout(timer);
    if (player.axis === null) return;
    const wait = due - performance.now();
    if (isPainted ? wait <= 1 : wait < -LOST_MS) return advance();
    timer = setTimeout(step, Math.max(wait + (isPainted ? 0 : LOST_MS), 1) + 1);
  }
  function update({ axes }) {
    if (player.axis !== null && axes[player.axis]?.role !== "index") toggle(player.axis);
  }
  function stop() {
    clearTimeout(timer);
    player.axis = null;
    offs.forEach((off) => off());
  }
  function controls(axis) {
    const press = button("Play", icon("play"), () => toggle(axis), { class: "gp-button gp-play" });
    const rates = choice("Steps a second", (rate) => { player.rate = Number(rate); listeners.forEach((tell) => tell()); },
      { class: "gp-select gp-rate" });
    let title = "";
    const tell = () => {
      const isOn = player.axis === axis;
      if (press.getAttribute("aria-pressed") !== String(isOn)) press.replaceChildren(icon(isOn ? "pause" : "play"));
      press.setAttribute("aria-pressed", isOn);
      setLabel(press, `${isOn ? "Pause" : "Play"} ${title}`);
      rates.update(RATES.map((rate) => [rate, `${rate}/s`]), player.rate);
    };
    listeners.add(tell);
    return { elements: [press, rates.element], update: (isShown, name) => { title = name; press.hidden = rates.element.hidden = !isShown; tell(); } };
  }
  return player;
}
