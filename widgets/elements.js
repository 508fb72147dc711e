// Makes DOM elements: the one place where those that take the focus are kept apart from the notebook's keys, and get labels.

const FOCUSABLE = /^(?:button|input|select|summary|textarea)$/;
const ICONS = {
  play: "M5 3.5v9l7.5-4.5z", pause: "M5.5 4v8M10.5 4v8", swap: "M3 5.5h10l-3-3M13 10.5H3l3 3",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10", fill: "M2.5 3.5h11v9h-11z",
  tune: "M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6M8 4.5a2 2 0 1 0 4 0a2 2 0 1 0-4 0M4 11.5a2 2 0 1 0 4 0a2 2 0 1 0-4 0",
  help: "M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M8 12.9v.1", down: "M5 6.5l3 3 3-3",
};

/* Keys that a control uses itself go no further: neither to the inspector's keys nor to the notebook. */
function keepKeys(event) {
  const { tagName, type } = event.currentTarget;
  const isTyping = tagName === "SELECT" || (tagName === "INPUT" && /^(?:text|number|search)$/.test(type));
  const isPress = /^(?:BUTTON|SUMMARY)$/.test(tagName) && /^(?:Enter| )$/.test(event.key);
  const isStep = /^(?:range|radio)$/.test(type) && /^(?:Arrow|Home|End|Page| )/.test(event.key);
  if ((isTyping && !/^(?:Escape|Tab)$/.test(event.key)) || isPress || isStep) event.stopPropagation();
}

/** An element: attributes as HTML names them, its `text`, its `label`, its listeners `on`, and children that are elements or texts. */
export function make(tag, { text, label, on = {}, ...attributes } = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  if (FOCUSABLE.test(tag) || "tabindex" in attributes) {
    made.setAttribute("data-lm-suppress-shortcuts", "true");
    made.addEventListener("keydown", keepKeys);
  }
  if (label) setLabel(made, label);
  for (const [event, listener] of Object.entries(on)) made.addEventListener(event, listener);
  made.append(...(text === undefined ? [] : [text]), ...children);
  return made;
}

/** One of the small line drawings of this file. */
export function icon(name) {
  const drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  drawing.setAttribute("viewBox", "0 0 16 16");
  drawing.setAttribute("aria-hidden", "true");
  drawing.setAttribute("class", `gp-icon gp-icon-${name}`);
  path.setAttribute("d", ICONS[name]);
  drawing.append(path);
  return drawing;
}

/** A button that shows `face`, an element or a text, and says `label`. */
export function button(label, face, press, attributes = {}) {
  return make("button", { type: "button", class: "gp-button", label, on: { click: press }, ...attributes },
    face);
}

/** Says what a control is, to the eye on hover and to a screen reader. */
export function setLabel(control, label) {
  control.setAttribute("aria-label", label);
  control.title = clipped(label, 400);
}

/** Writes a text, and touches the page only where it is another one. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** A text of any length and content as one line of at most `length` letters, its middle left out. */
export function clipped(text, length = 80) {
  const letters = Array.from(String(text).slice(0, 4 * length + 4).replace(/\s+/g, " "));
  const isWhole = letters.length <= length && text.length <= 4 * length + 4;
  const tail = Array.from(String(text).slice(-2 * length).replace(/\s+/g, " ")).slice(-Math.floor(length / 3));
  return isWhole ? letters.join("") : [...letters.slice(0, length - tail.length - 1), "…", ...tail].join("");
}

/** A native select: `update([[value, text], ...], value)` fills it; `choose(value)` is called when a user picks another. */
export function choice(label, choose, attributes = {}) {
  let shown = "";
  const made = make("select", { class: "gp-select", label, dir: "auto", ...attributes });
  made.addEventListener("change", () => choose(made.value));
  function update(options, value) {
    const now = JSON.stringify(options);
    if (now !== shown) {
      made.replaceChildren(...options.map(([one, text]) => make("option", { value: one }, clipped(text))));
      shown = now;
    }
    if (made.value !== String(value)) made.value = String(value);
  }
  return { element: made, update };
}

let nGroups = 0;

/** A row of alternatives, one of them chosen; its radio buttons give it the keys that everybody knows. */
export function segments(label, options, choose) {
  const name = `gp-segments-${nGroups++}`;
  const radios = options.map(([value]) => make("input", { type: "radio", name, value, on: { change: () => choose(value) } }));
  const made = make("div", { class: "gp-segments", role: "radiogroup", "aria-label": label },
    ...options.map(([, text, title], i) => make("label", { title }, radios[i], make("span", {}, text))));
  return { element: made, update: (value) => radios.forEach((radio) => { radio.checked = radio.value === value; }) };
}

/** A button that opens a sheet; Escape and a step outside close it. */
export function menu(label, face, ...content) {
  const handle = make("summary", { class: "gp-button", label }, face);
  const sheet = make("div", { class: "gp-sheet", tabindex: -1, role: "group", "aria-label": label }, ...content);
  const made = make("details", { class: "gp-menu" }, handle, sheet);
  made.addEventListener("focusout", (event) => { if (!made.contains(event.relatedTarget)) made.open = false; });
  made.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !made.open) return;
    event.stopPropagation();
    made.open = false;
    handle.focus();
  });
  return made;
}

/** A number for reading, to `digits` digits. */
export function shortNumber(value, digits = 4) {
  return value === null || value === undefined ? "" : String(Number(value.toPrecision(digits)));
}

/** How many, in at most five letters. */
export function shortCount(count) {
  const step = count < 1e4 ? 0 : Math.min(6, Math.floor(Math.log10(count) / 3));
  return step ? `${Number((count / 1000 ** step).toPrecision(3))}${" kMGTPE"[step]}` : String(count);
}

/* "light" or "dark" where the host says which it is, else "": the browser's preference. */
function hostTheme(place) {
  const [body, page] = [document.body, document.documentElement];
  const isLight = body.dataset.jpThemeLight;
  if (isLight) return isLight === "false" ? "dark" : "light";
  const said = [body, page].map((one) => `${one.className} ${one.dataset.theme ?? ""} ${one.dataset.vscodeThemeKind ?? ""}`).join(" ");
  const scheme = getComputedStyle(place).colorScheme;
  return /\b(?:dark|light)\b/.exec(said)?.[0] ?? (/^(?:dark|light)$/.test(scheme) ? scheme : "");
}

/** Keeps `root` light or dark as the page around it is, also inside a shadow root, where selectors do not reach; answers an end to it. */
export function followTheme(root) {
  const follow = () => { root.dataset.theme = root.parentElement ? hostTheme(root.parentElement) : ""; };
  const observer = new MutationObserver(follow);
  for (const one of [document.body, document.documentElement]) observer.observe(one, { attributes: true });
  follow();
  return () => observer.disconnect();
}
