// The line under the picture: what is under the pointer, how many elements a pixel holds, and what the colours mean.
import { clipped, make, setText, shortNumber } from "./elements.js";
import { rampOf } from "./header.js";
import { placeTicks } from "./limits.js";

const NOTE_MS = 6000;

/** The line: `{element, update, destroy}`. */
export function makeReadout(app) {
  const [hover, note, scale] = ["hover", "note", "per-pixel"].map((name) => make("span", { class: `gp-${name}` }));
  const line = make("div", { class: "gp-line" }, hover, scale, note);
  const bar = makeColorBar();
  let [timer, notice] = [0, ""];
  note.role = "status";
  function say(text) {
    clearTimeout(timer);
    setText(note, clipped(text, 300));
    note.title = clipped(text, 1000);
    line.classList.add("is-noted");
    timer = setTimeout(() => line.classList.remove("is-noted"), NOTE_MS);
  }
  function show(reply) {
    hover.replaceChildren(...(reply ? partsOf(reply) : [make("i", { text: notice })]));
    hover.title = clipped(reply?.text ?? notice, 1000);
    bar.point(reply ? Number(reply.value ?? reply.lines.find(([name]) => name === "mean")?.[1]) : NaN);
  }
  const ends = [app.on("hover", show), app.on("note", say), app.on("window", (now) => setText(scale, perPixel(now)))];
  function update(state) {
    const now = state.kind === "text" ? "" : clipped(state.text, 200);
    if (now !== notice) [notice] = [now, show(null)];
    bar.update(state);
  }
  return { element: make("div", { class: "gp-readout" }, line, bar.element), update, destroy: () => ends.forEach((end) => end()) };
}

/* The place, then the value in the foreground, or the lines of a bin. */
function partsOf({ place, value, lines }) {
  const named = lines.slice(0, 12).flatMap(([name, text]) => [make("i", { text: clipped(name, 40) }), make("b", { text: clipped(text) })]);
  return [make("span", { text: clipped(place) }), make("b", { text: clipped(value, 160) }), ...named];
}

function perPixel({ pxPerElem }) {
  const [tall, wide] = [pxPerElem, pxPerElem].flat().map((px) => shortNumber(1 / px, 2));
  return Math.max(tall, wide) > 1 ? `1 px = ${tall} × ${wide}` : "";
}

/* The colours from vmin to vmax with round numbers, or the categories by name. */
function makeColorBar() {
  const [ramp, scale, pointer, made] = ["colors", "scale", "pointer", "bar"].map((name) => make("div", { class: `gp-${name}` }));
  let limits = [0, 1];
  function update({ vmin, vmax, colors, categories, is_rgb, is_categorical, kind }) {
    limits = [vmin, vmax];
    made.hidden = is_rgb || kind === "text";
    made.classList.toggle("is-categorical", is_categorical);
    made.replaceChildren(...(is_categorical ? categories.map(nameCategory) : [ramp, scale, pointer]));
    ramp.style.backgroundImage = rampOf(colors.bar);
    placeTicks(scale, vmin < vmax ? limits : [vmin - 0.5, vmin + 0.5]);
  }
  function point(value) {
    const at = (value - limits[0]) / (limits[1] - limits[0]);
    pointer.hidden = !Number.isFinite(at);
    pointer.style.left = `${100 * Math.min(Math.max(at, 0), 1)}%`;
  }
  point(NaN);
  return { element: made, update, point };
}

function nameCategory([name, color]) {
  return make("span", { title: clipped(name) }, make("i", { style: `background:${color}` }), make("bdi", { text: clipped(name, 24) }));
}
