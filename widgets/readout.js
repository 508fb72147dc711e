// The line under the picture: what is under the pointer, how many elements a pixel holds, and what the colours mean.
import { clipped, make, rampOf, setText, shortNumber } from "./elements.js";
import { clamp } from "./geometry.js";
import { placeOf, placeTicks } from "./limits.js";

const NOTE_MS = 6000;

/** The line: `{element, update, destroy}`. */
export function makeReadout(app) {
  const [hover, note, bar, ramp, ticks, pointer] = ["hover", "note", "bar", "colors", "scale", "pointer"]
    .map(name => make("div", { class: `gp-${name}` }));
  const scale = make("i");
  const line = make("div", { class: "gp-line" }, hover, scale, note);
  /* What the note says, and what it goes back to: nothing, or that the kernel is gone. */
  let timer = 0, lasting = "";
  note.role = "status";
  function say(text) {
    clearTimeout(timer);
    note.textContent = note.title = clipped(text);
    line.classList.toggle("is-noted", Boolean(text));
    if (text !== lasting) timer = setTimeout(say, NOTE_MS, lasting);
  }
  function show(reply) {
    const { vmin, vmax, colors } = app.state, value = reply?.value ?? Object.fromEntries(reply?.lines ?? []).mean;
    const at = 100 * placeOf(Number(value), colors.edges ?? [vmin, vmax]);
    hover.replaceChildren(...(reply ? piecesOf(reply) : []));
    pointer.hidden = !Number.isFinite(at);
    pointer.style.left = `${clamp(at, 0, 100)}%`;
  }
  function update({ colors, categories, is_rgb, is_categorical, kind }) {
    bar.hidden = is_rgb || kind !== "image";
    bar.classList.toggle("is-categorical", is_categorical);
    bar.replaceChildren(...(is_categorical ? categories.map(nameCategory) : [ramp, ticks, pointer]));
    ramp.style.backgroundImage = rampOf(colors.bar);
    placeTicks(ticks, colors.ticks);
    if (!hover.childElementCount) show(null);
  }
  app.on("hover", show);
  app.on("note", say);
  app.on("gone", gone => say(lasting = gone && "The kernel is gone: run the cell again"));
  app.on("window", now => setText(scale, perPixel(now, app.state.kind)));
  return { element: make("div", { class: "gp-readout" }, line, bar), update, destroy: () => clearTimeout(timer) };
}

/* The place, then the value in the foreground, or the lines of a bin. */
function piecesOf({ place, value, lines }) {
  const named = lines.flatMap(([name, text]) => [make("i", { text: name }), make("b", { text })]);
  return [make("i", { text: place }), make("b", { text: value }), ...named].flatMap(part => [part, " "]);
}

function perPixel({ pxPerElem }, kind) {
  const [tall, wide] = pxPerElem.map(px => shortNumber(1 / px, 2));
  return Math.max(tall, wide) > 1 ? `1 px = ${kind === "line" ? wide : `${tall} × ${wide}`}` : "";
}

function nameCategory([name, color]) {
  return make("span", {}, make("i", { style: `background:${color}` }), make("bdi", { text: name }));
}
