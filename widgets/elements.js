// Makes DOM elements; focusable ones get labels and the attribute that keeps the notebook's shortcuts away.
import { abs, floor } from "./geometry.js";

/** An element: attributes as HTML names them, its `text`, its `label`, listeners `on`, and children, elements or texts. */
export function make(tag, { text, label, on = {}, ...attributes } = {}, ...children) {
  const made = document.createElement(tag);
  for (const name in attributes) made.setAttribute(name, attributes[name]);
  if (/^(button|input|select|option|summary)$/.test(tag) || "tabindex" in attributes) made.dataset.lmSuppressShortcuts = "true";
  if (label) setLabel(made, label);
  for (const event in on) made.addEventListener(event, on[event]);
  made.append(clipped(text), ...children);
  return made;
}

/** A button that shows the text `face` and says `label`. */
export function button(label, face, press, attributes = {}) {
  return make("button", { class: "gp-button", text: face, label, on: { click: press }, ...attributes });
}

/** Sets the tooltip and accessible name of a control. */
export function setLabel(control, label) {
  control.title = control.ariaLabel = clipped(label);
}

/** Sets a text if it has changed. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Sets a text, and hides the node without one. */
export function setNotice(node, text) {
  node.hidden = !text;
  setText(node, clipped(text));
}

/** A text as one line of at most `length` letters, the middle left out, without controls of text direction. */
export function clipped(text, length = 300) {
  const letters = [...String(text ?? "").slice(0, 4000).replace(/[\s\u202a-\u202e\u2066-\u2069]+/g, " ")];
  return (letters.length > length ? [...letters.slice(0, length - 11), "…", ...letters.slice(-10)] : letters).join("");
}

/** A native select behind a styled face: `update([[value, text], ...], value, face)` fills it; `choose(value)` is called. */
export function choice(label, choose) {
  const face = make("bdi"), select = make("select", { label, on: { change: () => choose(select.value) } });
  let known = "";
  function update(options, value, text) {
    const now = JSON.stringify(options);
    if (now !== known) {
      select.replaceChildren(...options.map(([one, name = one]) => make("option", { value: one, text: clipped(name, 60) })));
    }
    known = now;
    select.value = value;
    setText(face, text ?? select.selectedOptions[0]?.text ?? "");
  }
  return { element: make("span", { class: "gp-choice" }, face, select), face, select, update };
}

/** A number in a few digits, with an exponent where that is shorter. */
export function shortNumber(value, digits = 4) {
  const short = Number(value.toPrecision(digits)), text = String(short), isSmall = short && abs(short) < 1e-4;
  return (isSmall || String(abs(short)).length > digits + 4 ? short.toExponential() : text).replace("+", "");
}

/** A count in at most five letters, such as 12.3k. */
export function shortCount(count) {
  const step = count < 1e4 ? 0 : floor(Math.log10(count) / 3);
  return step ? Number((count / 1000 ** step).toPrecision(3)) + " kMGTPE"[step] : String(count);
}

/** A CSS gradient of colors from left to right, between two percentages; in steps, as classes are. `bend` moves shares of its width. */
export function rampOf(colors, from = 0, to = 100, isStepped = false, bend = share => share) {
  const at = i => `${from + (to - from) * bend(i / (colors.length - (isStepped ? 0 : 1)))}%`,
    edge = "var(--line)", stops = colors.map((color, i) => `${color} ${at(i)} ${isStepped ? at(i + 1) : ""}`);
  return `linear-gradient(90deg, ${[`${edge} ${from}%`, ...stops, `${edge} ${to}%`]})`;
}
