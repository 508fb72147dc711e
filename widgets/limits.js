// The limits of colour: a histogram with two handles, number boxes, and buttons that choose for you.
import { button, make, setLabel, setText, shortNumber } from "./elements.js";
import { makePanel } from "./panel.js";

const SIDES = ["vmin", "vmax"];
const NAMES = { vmin: "Lower limit (vmin)", vmax: "Upper limit (vmax)" };
const HOWS = [["full", "Full", "From the smallest to the largest element"], ["robust", "Robust", "Leave out outliers"],
  ["snap", "Snap", "To 0..1, -1..1 or 0..255"]];
const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity };

/** The histogram and what sets the limits: `{element, update, destroy}`. */
export function makeLimits(app) {
  const outside = SIDES.map(() => make("span"));
  const plot = makePlot(app, (limits, isFixed) => {
    boxes.forEach((box, i) => box.show(limits[i], isFixed[i]));
    plot.shares().forEach((share, i) => setText(outside[i], share ? `${shortNumber(100 * share, 2)} % ${i ? "above" : "below"}` : ""));
  });
  const boxes = SIDES.map((side) => makeLimitBox(app, side));
  const buttons = HOWS.map(([how, text, why]) => button(why, text, () => app.send("limits", { how, region: app.state.region })));
  const row = make("div", { class: "gp-limits" }, boxes[0].element, make("div", {}, ...buttons), boxes[1].element, outside[0], outside[1]);
  const panel = makePanel(app, "Histogram", "histogram", make("div", {}, plot.element, row), plot.count);
  function update(state) {
    plot.update();
    buttons[1].ariaPressed = String(Boolean(state.robust));
    panel.element.classList.toggle("is-still", state.is_rgb);
    panel.update(state, state.shows.histogram);
  }
  return { element: panel.element, update, destroy() { plot.destroy(); panel.destroy(); } };
}

/* A limit as a number to type: 1e-3 and the like, empty for what the data say. */
function makeLimitBox(app, side) {
  const box = make("input", { class: "gp-box", inputmode: "decimal", placeholder: "auto", autocomplete: "off",
    on: { input() { isTyping = true; }, change: commit, blur: reset, keydown: press } });
  let isTyping = false;
  function press({ key }) {
    if (key === "Enter") commit();
    if (key === "Escape") reset();
  }
  function commit() {
    const text = box.value.trim().replace("−", "-");
    const value = text ? Number(text) : null;
    if (!isTyping) return;
    if (value !== null && !Number.isFinite(value)) return refuse(text);
    isTyping = false;
    app.set({ [side]: value });
  }
  function refuse(text) {
    box.ariaInvalid = "true";
    app.emit("note", `${side}: "${text}" is not a number; type one such as 0.5 or 1e-3, or nothing to take it from the data`);
  }
  function reset() {
    isTyping = false;
    show(app.state[side], app.state.is_fixed[side]);
  }
  function show(value, isFixed) {
    if (isTyping) return;
    box.ariaInvalid = null;
    box.value = shortNumber(value, 6);
    box.classList.toggle("is-fixed", isFixed);
    setLabel(box, `${NAMES[side]}: ${isFixed ? "fixed; empty takes it from the data" : "from the data; a number fixes it"}`);
  }
  return { element: box, show };
}

/* Bars of log counts in the colours of their values, with a handle at each limit; `tell(limits, isFixed)` hears of every change. */
function makePlot(app, tell) {
  const canvas = make("canvas", { role: "img" });
  const scale = make("div", { class: "gp-scale" });
  const handles = SIDES.map((side, i) => make("div", { class: "gp-handle", role: "slider", tabindex: 0, label: NAMES[side],
    on: { pointerdown: (event) => grab(event, i), keydown: (event) => press(event, i) } }));
  const band = make("div", { class: "gp-band", title: "Drag to move both limits", on: { pointerdown: (event) => grab(event, 2) } });
  const area = make("div", { class: "gp-plot" }, canvas, band, ...handles);
  let [bins, limits, range, isHeld] = [null, [0, 1], [0, 1], false];
  const observer = new ResizeObserver(draw);
  observer.observe(area);

  function count({ counts, low, high }) {
    bins = { counts, low, width: (high - low) / counts.length, high };
    canvas.ariaLabel = `Histogram from ${shortNumber(low)} to ${shortNumber(high)}`;
    update();
  }
  function shares() {
    const sums = [0, 0, 0];
    bins?.counts.forEach((n, i) => { sums[sideOf(middleOf(bins, i), limits) + 1] += n; });
    return [sums[0], sums[2]].map((n) => n / (sums[0] + sums[1] + sums[2] || 1));
  }
  function update() {
    if (isHeld) return;
    limits = SIDES.map((side) => app.state[side]);
    range = rangeOf(bins, limits);
    draw();
    tell(limits, SIDES.map((side) => app.state.is_fixed[side]));
  }
  function draw() {
    const at = limits.map((value) => Math.min(Math.max((value - range[0]) / (range[1] - range[0]), 0), 1) * 100);
    paintBars(canvas, bins, range, limits, app.state.colors.bar);
    handles.forEach((handle, i) => {
      handle.style.left = `${at[i]}%`;
      [handle.ariaValueMin, handle.ariaValueMax, handle.ariaValueNow] = [...range, limits[i]];
      handle.ariaValueText = shortNumber(limits[i]);
    });
    [band.style.left, band.style.right] = [`${at[0]}%`, `${100 - at[1]}%`];
    placeTicks(scale, range);
  }
  /* Moves limit 0 or 1, or both (2), and keeps them in order. */
  function move(which, by, from) {
    const step = 10 ** Math.floor(Math.log10((range[1] - range[0]) / 500));
    const isMoved = [which !== 1, which !== 0];
    limits = from.map((value, i) => (isMoved[i] ? Number((Math.round((value + by) / step) * step).toPrecision(12)) : value));
    if (limits[0] > limits[1]) limits[which] = limits[1 - which];
    app.set(Object.fromEntries(SIDES.map((side, i) => [side, limits[i]]).filter((_, i) => isMoved[i])));
    draw();
    tell(limits, isMoved.map((is, i) => is || app.state.is_fixed[SIDES[i]]));
  }
  function grab({ button: which, clientX, pointerId, currentTarget: target }, side) {
    if (which !== 0) return;
    const [from, perPx] = [limits, (range[1] - range[0]) / area.clientWidth];
    const follow = (event) => move(side, (event.clientX - clientX) * perPx, from);
    isHeld = true;
    target.setPointerCapture(pointerId);
    target.addEventListener("pointermove", follow);
    target.addEventListener("lostpointercapture", () => {
      isHeld = false;
      target.removeEventListener("pointermove", follow);
    }, { once: true });
  }
  function press(event, side) {
    const n = STEPS[event.key];
    if (!n) return;
    event.preventDefault();
    const by = n * (event.shiftKey ? 10 : 1) * (range[1] - range[0]) / 200;
    move(side, Math.min(Math.max(by, range[0] - limits[side]), range[1] - limits[side]), limits);
  }
  return { element: make("div", {}, area, scale), count, shares, update, destroy: () => observer.disconnect() };
}

const middleOf = ({ low, width }, i) => low + width * (i + 0.5);
const sideOf = (value, [low, high]) => (value > high) - (value < low);

/* The values that the plot spans: those of the data, and of limits beyond them, as far as the data stay readable. */
function rangeOf(bins, [vmin, vmax]) {
  const { low, high } = bins ?? { low: vmin, high: vmax };
  const span = high - low || Math.abs(high) || 1;
  const ends = [Math.max(Math.min(low, vmin), low - span), Math.min(Math.max(high, vmax), high + span)];
  return ends[0] < ends[1] ? ends : [low - span / 2, low + span / 2];
}

function paintBars(canvas, bins, [from, to], limits, colors) {
  const ratio = window.devicePixelRatio;
  [canvas.width, canvas.height] = [canvas.clientWidth * ratio, canvas.clientHeight * ratio];
  if (!bins) return;
  const [pen, ink, most] = [canvas.getContext("2d"), getComputedStyle(canvas).color, Math.log1p(Math.max(...bins.counts))];
  const xOf = (i) => Math.round(canvas.width * (bins.low + bins.width * i - from) / (to - from));
  bins.counts.forEach((n, i) => {
    const height = n && Math.max(Math.round((canvas.height - ratio) * Math.log1p(n) / most), 2 * ratio);
    const value = middleOf(bins, i);
    const isIn = sideOf(value, limits) === 0;
    const bar = (color, alpha, tall) => {
      [pen.fillStyle, pen.globalAlpha] = [color, alpha];
      pen.fillRect(xOf(i), canvas.height - height, Math.max(xOf(i + 1) - xOf(i), 1), tall);
    };
    bar(isIn ? colors[Math.floor((colors.length - 0.01) * (value - limits[0]) / (limits[1] - limits[0] || 1))] : ink, isIn ? 1 : 0.25, height);
    bar(ink, 0.45, n && ratio);
  });
}

/** Puts round numbers, about four, under a bar that spans `[from, to]`. */
export function placeTicks(scale, [from, to]) {
  const unit = 10 ** Math.floor(Math.log10((to - from) / 4));
  const step = unit * [1, 2, 5, 10].find((factor) => factor * unit >= (to - from) / 5);
  const ticks = Array.from({ length: 7 }, (_, i) => Number(((Math.ceil(from / step) + i) * step).toPrecision(12)));
  scale.replaceChildren(...ticks.filter((value) => value <= to).map((value) => {
    const at = 100 * (value - from) / (to - from);
    return make("span", { text: shortNumber(value), style: `left:${at}%;translate:${at < 3 ? 0 : at > 97 ? -100 : -50}%` });
  }));
}
