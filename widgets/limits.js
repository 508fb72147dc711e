// Color limits: a histogram with two handles, number boxes, and buttons.
import { button, make, rampOf, setLabel, setText, shortCount, shortNumber } from "./elements.js";
import { abs, clamp, floor, max, min } from "./geometry.js";
import { makePanel } from "./panel.js";
import { digitsOf, numbersOf } from "./rulers.js";

const SIDES = ["vmin", "vmax"], TICKS = 5;
/* The farthest place that is told from others, the part of the plot at its edge where a handle counts as there. */
const FAR = 1e7, EDGE_SHARE = 0.01;
const HOWS = [["auto", "Auto: of elements, or pixels where these show more"], ["full", "Full: minimum to maximum, at every step (a)"], ["robust", "Robust: without outliers"],
  ["snap", "Snap to 0..1, -1..1 or 0..255 (Shift a)"]];

/** The histogram and what sets the limits: `{element, update, destroy}`. */
export function makeLimits(app) {
  const bars = make("div", { role: "img", "aria-label": "Histogram" }), scale = make("div", { class: "gp-scale" });
  const sliders = SIDES.map((side, i) => make("input", { type: "range", step: "any", label: `Limit ${side}`,
    on: { input: () => move(i), pointerdown: () => { grabbed = limits[i]; } } }));
  const boxes = SIDES.map((_, i) => makeLimitBox(app, i)), outside = SIDES.map(() => make("i"));
  const buttons = HOWS.map(([how, why]) => button(why, how, () => choose(how)));
  const body = make("div", {}, make("div", { class: "gp-plot" }, make("div", {}, bars), ...sliders), scale,
    make("div", { class: "gp-limits" }, boxes[0].element, make("div", {}, ...buttons), boxes[1].element, ...outside));
  const panel = makePanel(app, "Histogram", "histogram", body, reply => { bins = reply; show(app.state); }, "log count");
  /* `grabbed`: a handle's limit before it is dragged. */
  let bins, limits, edges, range, grabbed;

  function update(state) {
    // Limits do not belong to the counted values for color channels and phases; classes have none.
    panel.element.classList.toggle("is-still", state.is_rgb || isHue(state.complex_mode) || state.is_categorical);
    panel.update(state, state.shows.histogram);
    [isAuto(state), isAuto(state, "elements") && !state.robust, state.robust].forEach((is, i) => { buttons[i].ariaPressed = is; });
    setLabel(buttons[0], isAuto(state) ? `Limits of the ${state.limits_source}: auto, press to keep them` : HOWS[0][1]);
    show(state);
  }
  /* "auto" pins limits that are automatic already. */
  function choose(how) {
    const { vmin, vmax, region } = app.state;
    if (how === "auto" && isAuto(app.state)) app.set({ vmin, vmax });
    else app.send("limits", { how, region });
  }
  /* States do not move a handle being dragged. */
  function show({ vmin, vmax, colors, complex_mode, is_categorical }) {
    const held = sliders.findIndex(slider => slider.matches(":active"));
    // Limits around a center move together. Phases have no limits among amplitudes.
    if (held < 0) setRange(limits = isHue(complex_mode) && bins ? [bins.low, bins.high] : [vmin, vmax]);
    else limits[1 - held] = held ? vmin : vmax;
    const ends = limits.map(value => clamp(placeOf(value, edges), -FAR, FAR)), places = ends.map(place => clamp(place, ...range));
    const shares = sharesOf(bins, edges, limits);
    bars.style.clipPath = bins ? outlineOf(bins, range) : "inset(50%)";
    bars.style.background = rampOf(isHue(complex_mode) ? [] : colors.bar, ...ends.map(place => percentOf(wholeBin(place, bins), range)),
      is_categorical, colors.edges ? bendOf(colors.edges, edges) : undefined);
    sliders.forEach((slider, i) => {
      [slider.min, slider.max] = range;
      slider.value = places[i];
      slider.ariaValueText = shortNumber(limits[i]);
      slider.style.zIndex = Math.round(i ? 50 : percentOf(places[0], range));
      slider.title = slider.classList.toggle("is-beyond", places[i] !== ends[i])
        ? `${SIDES[i]} ${slider.ariaValueText} is beyond the histogram` : slider.ariaLabel;
      boxes[i].show(limits, held === i);
      const parts = [shares[i] && `${shortNumber(shares[i], 2)} % ${i ? "above" : "below"}`,
        !i && bins?.n_outside && `${shortCount(bins.n_outside)} ≤ 0`];
      setText(outside[i], parts.filter(Boolean).join(", "));
    });
    placeTicks(scale, bins && !bins.edges ? evenTicks(range, edges, Number(isWhole(app.state))) : bins?.ticks, range);
  }
  /* The plot spans the bins, and limits beyond them as far as the bins stay readable. */
  function setRange([vmin, vmax]) {
    const { low, high } = bins ?? { low: vmin, high: vmax };
    edges = bins?.edges ?? (low < high ? [low, high] : [low - 0.5, low + 0.5]);
    range = [clamp(placeOf(vmin, edges), -1, 0), clamp(placeOf(vmax, edges), 1, 2)];
  }
  function move(i) {
    const place = sliders[i].valueAsNumber, other = limits[1 - i], value = valueAt(place, edges);
    const power = 10 ** floor(Math.log10(valueAt(place + (range[1] - range[0]) / 500, edges) - value));
    const least = Number(isWhole(app.state)), step = max(power, least);
    // No rounding where a step is below the precision.
    let round = step ? Number((Math.round(value / step) * step).toPrecision(step < 1 ? 15 : 17)) : value;
    // A key moves a handle by a step at least.
    if (round === limits[i] && !sliders[i].matches(":active")) round += Math.sign(value - round) * step;
    if (round <= 0 && app.state.norm === "log") round = max(value, least);
    if (isAtEdge(i, place)) {
      if (limits[i] === grabbed) return;
      round = grabbed;
    }
    limits[i] = i ? max(round, other) : min(round, other);
    app.set({ [SIDES[i]]: limits[i] });
    show({ ...app.state, [SIDES[i]]: limits[i] });
  }
  /* Whether a dragged handle has not left the edge, beyond which its limit lies. */
  function isAtEdge(i, place) {
    const sign = i ? 1 : -1, edge = sign * range[i];
    return sliders[i].matches(":active") && sign * placeOf(grabbed, edges) > edge && edge - sign * place < EDGE_SHARE * (range[1] - range[0]);
  }
  return { ...panel, update };
}

/* A box to type a limit; empty for automatic. */
function makeLimitBox(app, i) {
  const side = SIDES[i], box = make("input", { class: "gp-box", inputmode: "decimal", placeholder: "auto",
    on: { change: commit, blur: () => show(SIDES.map(one => app.state[one])) } });
  function commit() {
    const value = box.value.trim() ? Number(box.value.replace("−", "-")) : null, isLimit = value === null || Number.isFinite(value);
    if (isLimit) app.set({ [side]: value });
    app.emit("note", isLimit ? "" : `${side}: "${box.value}" is not a number: type one such as 1e-3, or nothing for that of the data`);
  }
  function show(limits, isHeld) {
    const { is_fixed, limits_source } = app.state, isFixed = isHeld || is_fixed[side];
    if (!box.matches(":focus")) box.value = shortNumber(limits[i], digitsBetween(...limits));
    box.classList.toggle("is-fixed", isFixed);
    setLabel(box, `${side}, ${isFixed ? "fixed (empty: from the data)" : `from the ${limits_source === "pixels" ? "pixels" : "data"}`}`);
  }
  return { element: box, show };
}

/* Digits in which limits differ, six at least. */
const digitsBetween = (vmin, vmax) => vmin < vmax ? max(6, digitsOf(vmin, vmax, (vmax - vmin) / 100)) : 6;

/* Whether nobody gave limits, and what they come from. */
const isAuto = ({ limits, is_fixed }, how = "auto") => limits === how && !is_fixed.vmin && !is_fixed.vmax;

/** Whether colors are phases, while amplitudes are counted. */
export const isHue = mode => /_phase$/.test(mode);

/* Whether cells are integers. */
const isWhole = ({ tensor, axes, agg }) => /^(u?int|bool)/.test(tensor.dtype) && !/std|var/.test(agg)
  && !axes.some(({ op }) => /mean|std|norm/.test(op));

const percentOf = (place, [from, to]) => 100 * (place - from) / (to - from);

/** The position of a value among evenly drawn edges: 0 at the first, 1 at the last; of halves, as ranges overflow. */
export function placeOf(value, edges) {
  const n = edges.length - 1, i = clamp(edges.findLastIndex(edge => edge <= value), 0, n - 1);
  return (i + (value / 2 - edges[i] / 2) / (edges[i + 1] / 2 - edges[i] / 2 || 1)) / n;
}

/* From a share of the color bar, whose edges are even under the norm, to one of its width among the edges of bins. */
function bendOf(bar, edges) {
  const [from, to] = [bar[0], bar.at(-1)].map(value => placeOf(value, edges));
  return share => (placeOf(valueAt(share, bar), edges) - from) / (to - from) || 0;
}

/* A limit in the middle of the first or the last bin colors all of it: bins of integers reach half a level beyond them. */
function wholeBin(place, bins) {
  const half = 0.5 / (bins?.counts.length ?? 1);
  return abs(place - half) < half / 100 ? 0 : abs(1 - place - half) < half / 100 ? 1 : place;
}

/* Ticks of bins of one width, `least` apart, and of what the plot shows beside them. */
function evenTicks(range, edges, least) {
  const [low, high] = range.map(place => valueAt(place, edges));
  return numbersOf(low, high, max(high / TICKS - low / TICKS, least)).map(([value, text]) => [placeOf(value, edges), text]);
}

function valueAt(place, edges) {
  const n = edges.length - 1, i = clamp(floor(place * n), 0, n - 1);
  return 2 * (edges[i] / 2 + (place * n - i) * (edges[i + 1] / 2 - edges[i] / 2));
}

/* Percent of elements below and above the limits, estimated from bins. */
function sharesOf(bins, edges, [vmin, vmax]) {
  const sums = [0, 0, 0];
  if (vmin < vmax) bins?.counts.forEach((n, i, { length }) => {
    const middle = valueAt((i + 0.5) / length, edges);
    sums[middle < vmin ? 0 : middle > vmax ? 1 : 2] += n;
  });
  return sums.map(n => 100 * n / (sums[0] + sums[1] + sums[2]));
}

/* The clip path of bars as high as the logarithm of their counts. */
function outlineOf({ counts }, range) {
  const most = Math.log1p(max(1, ...counts)), x = i => `${percentOf(i / counts.length, range)}%`;
  const tops = counts.map((n, i) => {
    const top = n ? min(100 - 100 * Math.log1p(n) / most, 97) : 100;
    return `${x(i)} ${top}%, ${x(i + 1)} ${top}%`;
  });
  return `polygon(${[`${x(0)} 100%`, ...tops, `${x(counts.length)} 100%`]})`;
}

/** Writes ticks [[position, text], ...] under a scale over a range of positions, within it, but for those that would meet another. */
export function placeTicks(scale, ticks = [], range = [0, 1]) {
  // A letter of 7 px, in percent of a scale that may not be laid out yet.
  const letter = 700 / (scale.clientWidth || 260);
  let end = -letter;
  scale.replaceChildren(...ticks.flatMap(([place, text]) => {
    const at = percentOf(place, range), wide = text.length * letter,
      shift = clamp(0.5, 1 - (100 - at) / wide, at / wide);
    if (at - shift * wide < end + letter) return [];
    end = at + (1 - shift) * wide;
    return [make("i", { text, style: `left:${at}%;translate:${-100 * shift}%` })];
  }));
}
