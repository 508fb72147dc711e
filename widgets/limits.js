// The limits of colour: a histogram with two handles, number boxes, and buttons that choose for you.
import { button, make, setLabel, setText, shortNumber } from "./elements.js";
import { makePanel } from "./panel.js";

const SIDES = ["vmin", "vmax"];
const NAMES = { vmin: "Lower limit", vmax: "Upper limit" };

/** The histogram and what sets the limits: `{element, update, destroy}`. */
export function makeLimits(app) {
  const plot = makePlot(app);
  const boxes = SIDES.map((side) => makeLimitBox(app, side));
  const outside = ["below", "above"].map(() => make("span", { class: "gp-outside" }));
  const [buttons, press] = makeLimitButtons(app);
  const row = make("div", { class: "gp-limits" }, boxes[0].element, outside[0], buttons, outside[1], boxes[1].element);
  const panel = makePanel(app, "Histogram", "histogram", make("div", { class: "gp-body" }, plot.element, row), (reply) => {
    plot.count(reply);
    tell(app.state);
  });
  function tell(limits) {
    plot.shares(limits).forEach((share, i) => setText(outside[i], share > 0 ? `${percent(share)} ${["below", "above"][i]}` : ""));
  }
  plot.onLimits = (limits) => {
    tell(limits);
    boxes.forEach((box, i) => box.show(limits[SIDES[i]], true));
  };
  function update(state) {
    panel.element.classList.toggle("is-still", state.is_rgb);
    plot.update(state);
    boxes.forEach((box) => box.update(state));
    press(state);
    tell(plot.limits());
    panel.update(state, state.shows.histogram);
  }
  return { element: panel.element, update, destroy() { plot.destroy(); panel.destroy(); } };
}

function percent(share) {
  return share < 0.001 ? "< 0.1 %" : `${Number((share * 100).toPrecision(share < 0.1 ? 2 : 3))} %`;
}

function makeLimitButtons(app) {
  const hows = [["full", "Full", "From the smallest to the largest element"],
    ["robust", "Robust", "From percentile 2 to 98: outliers do not count"], ["snap", "Snap", "To round limits: 0 to 1, -1 to 1, 0 to 255"]];
  const made = hows.map(([how, face, label]) => button(label, face, () => app.send("limits", { how, region: app.state.region })));
  const press = (state) => made[1].setAttribute("aria-pressed", Boolean(state.robust));
  return [make("div", { class: "gp-buttons" }, ...made), press];
}

/* A limit as a number to type: 1e-3 and the like, empty for what the data say. */
function makeLimitBox(app, side) {
  const box = make("input", { type: "text", class: "gp-box", inputmode: "decimal", placeholder: "auto", spellcheck: "false", autocomplete: "off" });
  let isTyping = false;
  function commit() {
    if (!isTyping) return;
    const text = box.value.trim().replace("−", "-").replace(",", ".");
    const value = text === "" ? null : Number(text);
    if (value !== null && !Number.isFinite(value)) return refuse(box.value);
    isTyping = false;
    app.set({ [side]: value });
    show(value ?? app.state[side], value !== null);
  }
  function refuse(text) {
    box.setAttribute("aria-invalid", true);
    app.emit("note", `${side}: ${JSON.stringify(text.slice(0, 40))} is not a number; type one such as 0.5 or 1e-3, or nothing to take it from the data`);
  }
  function show(value, isFixed) {
    if (isTyping) return;
    box.removeAttribute("aria-invalid");
    box.value = shortNumber(value, 6);
    box.classList.toggle("is-fixed", isFixed);
    setLabel(box, `${NAMES[side]} (${side}): ${isFixed ? "fixed; empty takes it from the data" : "from the data; a number fixes it"}`);
  }
  function leave() {
    isTyping = false;
    show(app.state[side], app.state.is_fixed[side]);
  }
  box.addEventListener("input", () => { isTyping = true; });
  box.addEventListener("change", commit);
  box.addEventListener("blur", () => { if (isTyping) leave(); });
  box.addEventListener("keydown", (event) => { if (event.key === "Escape") leave(); if (event.key === "Enter") commit(); });
  return { element: box, show, update: (state) => show(state[side], state.is_fixed[side]) };
}

/* Bars of log counts in the colours of their values, and a handle at each limit. */
function makePlot(app) {
  const canvas = make("canvas", { class: "gp-bars", role: "img" });
  const scale = make("div", { class: "gp-scale", "aria-hidden": true });
  const handles = SIDES.map((side, i) => make("div", { class: `gp-handle gp-${side}`, role: "slider", tabindex: 0, label: NAMES[side],
    on: { pointerdown: (event) => grab(event, i), keydown: (event) => press(event, i) } }));
  const band = make("div", { class: "gp-band", title: "Drag to move both limits", on: { pointerdown: (event) => grab(event, 2) } });
  const area = make("div", { class: "gp-plot" }, canvas, band, ...handles);
  const plot = { element: make("div", {}, area, scale), onLimits() {}, count, shares, limits: () => now, update, destroy };
  let [bins, now, range, held] = [null, { vmin: 0, vmax: 1 }, [0, 1], null];
  const observer = new ResizeObserver(draw);
  observer.observe(area);

  function count({ counts, low, high }) {
    bins = { counts, low, high, total: counts.reduce((sum, n) => sum + n, 0) };
    canvas.setAttribute("aria-label", `Histogram of ${bins.total} elements from ${shortNumber(low)} to ${shortNumber(high)}`);
    draw();
  }
  function shares({ vmin, vmax }) {
    return bins?.total ? [countTo(bins, vmin), bins.total - countTo(bins, vmax)].map((n) => n / bins.total) : [0, 0];
  }
  function update(state) {
    if (!held) now = { vmin: state.vmin, vmax: state.vmax };
    draw();
  }
  function draw() {
    if (!held) range = rangeOf(bins, now);
    paintBars(canvas, bins, range, now, app.state.colors.bar);
    placeHandles();
    placeTicks(scale, range);
  }
  function placeHandles() {
    const at = SIDES.map((side) => Math.min(Math.max(100 * (now[side] - range[0]) / (range[1] - range[0]), 0), 100));
    handles.forEach((handle, i) => {
      handle.style.left = `${at[i]}%`;
      for (const [name, value] of [["min", range[0]], ["max", range[1]], ["now", now[SIDES[i]]]]) handle.setAttribute(`aria-value${name}`, value);
      handle.setAttribute("aria-valuetext", shortNumber(now[SIDES[i]], 6));
    });
    [band.style.left, band.style.right] = [`${at[0]}%`, `${100 - at[1]}%`];
  }
  /* Moves a limit, or both (2), and keeps them in order. */
  function move(which, by, from) {
    const step = 10 ** Math.floor(Math.log10((range[1] - range[0]) / 500));
    const to = SIDES.map((side, i) => (which === 2 || which === i ? Number((Math.round((from[side] + by) / step) * step).toPrecision(12)) : from[side]));
    if (which === 0) to[0] = Math.min(to[0], to[1]);
    if (which === 1) to[1] = Math.max(to[0], to[1]);
    now = { vmin: to[0], vmax: to[1] };
    app.set(which === 2 ? { ...now } : { [SIDES[which]]: to[which] });
    draw();
    plot.onLimits(now);
  }
  function grab(event, which) {
    if (event.button !== 0) return;
    event.preventDefault();
    if (which < 2) handles[which].focus();
    const perPx = (range[1] - range[0]) / area.clientWidth;
    const [start, from, target] = [event.clientX, now, event.currentTarget];
    const follow = (moved) => move(which, (moved.clientX - start) * perPx, from);
    const release = () => {
      held = null;
      target.removeEventListener("pointermove", follow);
    };
    held = target;
    target.setPointerCapture(event.pointerId);
    target.addEventListener("pointermove", follow);
    target.addEventListener("lostpointercapture", release, { once: true });
  }
  function press(event, which) {
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
    const end = { Home: bins?.low, End: bins?.high }[event.key];
    if (steps === undefined && end === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const by = end === undefined ? steps * (event.shiftKey ? 10 : 1) * (range[1] - range[0]) / 200 : end - now[SIDES[which]];
    move(which, by, now);
  }
  function destroy() { observer.disconnect(); }
  return plot;
}

/* How many elements lie below a value, as far as bins can tell. */
function countTo({ counts, low, high }, value) {
  const at = Math.min(Math.max(counts.length * (value - low) / ((high - low) || 1), 0), counts.length);
  const whole = Math.floor(at);
  return counts.slice(0, whole).reduce((sum, n) => sum + n, 0) + (at - whole) * (counts[whole] ?? 0);
}

/* The values that the plot spans: those of the data, and of limits that lie beyond, as far as the data stay readable. */
function rangeOf(bins, { vmin, vmax }) {
  const [low, high] = bins ? [bins.low, bins.high] : [vmin, vmax];
  const span = high - low || Math.abs(high) || 1;
  const ends = [Math.max(Math.min(low, vmin), low - span), Math.min(Math.max(high, vmax), high + span)];
  const pad = (ends[1] - ends[0] || 1) * 0.03;
  return [ends[0] - pad, ends[1] + pad];
}

function paintBars(canvas, bins, [from, to], { vmin, vmax }, colors) {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((size) => Math.round(size * ratio));
  if (!width) return;
  [canvas.width, canvas.height] = [width, height];
  const pen = canvas.getContext("2d");
  if (!bins) return;
  const { counts, low, high } = bins;
  const most = Math.log1p(Math.max(1, ...counts));
  const xOf = (value) => Math.round(width * (value - from) / (to - from));
  const ink = getComputedStyle(canvas).color;
  counts.forEach((n, i) => {
    const [left, right] = [i, i + 1].map((edge) => xOf(low + (high - low) * edge / counts.length));
    const tall = n ? Math.max(Math.round((height - ratio) * Math.log1p(n) / most), 2 * ratio) : 0;
    const middle = low + (high - low) * (i + 0.5) / counts.length;
    const isIn = middle >= vmin && middle <= vmax;
    const step = Math.floor(colors.length * (middle - vmin) / ((vmax - vmin) || 1));
    pen.globalAlpha = isIn ? 1 : 0.25;
    pen.fillStyle = isIn ? colors[Math.min(Math.max(step, 0), colors.length - 1)] ?? ink : ink;
    pen.fillRect(left, height - tall, Math.max(right - left, 1), tall);
    pen.globalAlpha = 0.45;
    pen.fillStyle = ink;
    if (n) pen.fillRect(left, height - tall, Math.max(right - left, 1), ratio);
  });
}

/** Round numbers between two values, about `n` of them. */
export function ticksBetween(from, to, n = 4) {
  const rough = (to - from) / n;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find((factor) => factor * unit >= rough * 0.99);
  const first = Math.ceil(from / step);
  const last = Math.floor(to / step);
  return last - first < 20 ? Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12))) : [];
}

/** Puts round numbers under a bar that spans `[from, to]`. */
export function placeTicks(scale, [from, to]) {
  scale.replaceChildren(...ticksBetween(from, to).map((value) => {
    const tick = make("span", { text: shortNumber(value) });
    tick.style.left = `${100 * (value - from) / (to - from)}%`;
    return tick;
  }));
}
