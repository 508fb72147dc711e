// The line under the picture: what is under the pointer, how many elements a pixel holds, and what the colours mean.
import { clipped, make, setText, shortNumber } from "./elements.js";
import { placeTicks } from "./limits.js";

const NOTE_MS = 6000;

/** The line: `{element, update, destroy}`. */
export function makeReadout(app) {
  const hover = make("output", { class: "gp-hover", "aria-live": "off" });
  const note = make("div", { class: "gp-note", role: "status" });
  const scale = make("span", { class: "gp-per-pixel" });
  const bar = makeColorBar();
  const line = make("div", { class: "gp-line" }, hover, note, scale);
  const made = make("div", { class: "gp-readout" }, line, bar.element);
  let timer = 0;
  function say(text) {
    clearTimeout(timer);
    setText(note, clipped(text, 300));
    note.title = clipped(text, 1000);
    line.classList.add("is-noted");
    timer = setTimeout(() => { line.classList.remove("is-noted"); setText(note, ""); }, NOTE_MS);
  }
  function showHover(reply) {
    const parts = reply ? partsOf(reply) : [];
    hover.replaceChildren(...parts);
    hover.title = reply ? clipped(reply.text, 1000) : "";
    bar.point(reply ? numberOf(reply) : null);
  }
  const offs = [app.on("hover", showHover), app.on("note", say), app.on("window", (now) => setText(scale, perPixel(now)))];
  return {
    element: made,
    update: (state) => { bar.update(state); made.dataset.text = clipped(state.kind === "text" ? "" : state.text, 200); },
    destroy() { clearTimeout(timer); offs.forEach((off) => off()); },
  };
}

/* The place, then the value in the foreground, or the lines of a bin. */
function partsOf({ place, value, lines, text }) {
  if (!place) return [make("span", { text: clipped(text ?? "", 400) })];
  const named = (lines ?? []).slice(0, 12).flatMap(([name, said]) => [make("i", { text: clipped(name, 40) }), make("b", { text: clipped(said, 80) })]);
  return [make("span", { text: clipped(place, 120) }), ...(value === null || value === undefined ? [] : [make("b", { text: clipped(value, 160) })]), ...named];
}

/* The number that the colour stands for, where there is one. */
function numberOf({ value, lines }) {
  const said = value ?? (lines ?? []).find(([name]) => name === "mean")?.[1];
  return said === undefined || said === null || String(said).trim() === "" ? null : Number(said);
}

function perPixel(now) {
  if (!now?.pxPerElem) return "";
  const [tall, wide] = [].concat(now.pxPerElem, now.pxPerElem);
  const say = (size) => shortNumber(size, size < 100 ? 2 : 3);
  if (tall >= 1 && wide >= 1) return "";
  return `1 px = ${say(1 / tall)} × ${say(1 / wide)}`;
}

/* The colours from vmin to vmax with round numbers, or the categories by name. */
function makeColorBar() {
  const ramp = make("div", { class: "gp-colors" });
  const pointer = make("i", { class: "gp-pointer" });
  const scale = make("div", { class: "gp-scale" });
  const made = make("div", { class: "gp-bar", role: "img" });
  let limits = [0, 1];
  function update({ vmin, vmax, colors, categories, is_rgb, is_categorical, kind }) {
    limits = [vmin, vmax];
    made.hidden = is_rgb || kind === "text";
    made.classList.toggle("is-categorical", is_categorical);
    if (is_categorical) return showCategories(made, categories);
    if (ramp.parentElement !== made) made.replaceChildren(ramp, scale, pointer);
    ramp.style.backgroundImage = `linear-gradient(90deg, ${[...colors.bar, colors.bar.at(-1)].join()})`;
    placeTicks(scale, vmin < vmax ? limits : [vmin - 0.5, vmin + 0.5]);
    made.setAttribute("aria-label", `Colours from ${shortNumber(vmin)} to ${shortNumber(vmax)}`);
  }
  function point(value) {
    const at = value === null ? NaN : (value - limits[0]) / (limits[1] - limits[0]);
    pointer.hidden = !Number.isFinite(at);
    if (!pointer.hidden) pointer.style.left = `${100 * Math.min(Math.max(at, 0), 1)}%`;
  }
  point(null);
  return { element: made, update, point };
}

function showCategories(made, categories) {
  made.setAttribute("aria-label", clipped(`Colours: ${categories.slice(0, 20).map(([name]) => name).join(", ")}`, 400));
  made.replaceChildren(...categories.map(([name, color]) => {
    const dot = make("i");
    dot.style.backgroundColor = color;
    return make("span", { title: clipped(name, 200) }, dot, make("bdi", { text: clipped(name, 24) }));
  }));
}
