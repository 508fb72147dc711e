// Makes DOM elements: the one place where those that take the focus are kept apart from the notebook's keys, and get labels.

const ICONS = {
  play: "M5 3.5v9l7.5-4.5z", pause: "M5.5 4v8M10.5 4v8", swap: "M3 5.5h10l-3-3M13 10.5H3l3 3", down: "M5 6.5l3 3 3-3",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10", help: "M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M8 12.9v.1",
  tune: "M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6M8 4.5a2 2 0 1 0 4 0a2 2 0 1 0-4 0M4 11.5a2 2 0 1 0 4 0a2 2 0 1 0-4 0",
};
const NS = "http://www.w3.org/2000/svg";

/** An element: attributes as HTML names them, its `text`, its `label`, listeners `on`, and children that are elements or texts. */
export function make(tag, { text, label, on = {}, ...attributes } = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null && value !== false) made.setAttribute(name, value);
  if (/^(button|input|select|summary|textarea)$/.test(tag) || "tabindex" in attributes) made.dataset.lmSuppressShortcuts = "true";
  if (label) setLabel(made, label);
  for (const [event, listener] of Object.entries(on)) made.addEventListener(event, listener);
  made.append(...(text === undefined ? [] : [text]), ...children);
  return made;
}

/** One of the small line drawings of this file. */
export function icon(name) {
  const [drawing, path] = ["svg", "path"].map((tag) => document.createElementNS(NS, tag));
  drawing.setAttribute("viewBox", "0 0 16 16");
  drawing.setAttribute("aria-hidden", "true");
  path.setAttribute("d", ICONS[name]);
  drawing.append(path);
  return drawing;
}

/** A button that shows `face`, an element or a text, and says `label`. */
export function button(label, face, press, attributes = {}) {
  return make("button", { type: "button", class: "gp-button", label, on: { click: press }, ...attributes }, face);
}

/** Says what a control is, to the eye on hover and to a screen reader. */
export function setLabel(control, label) {
  control.title = clipped(label, 400);
  control.setAttribute("aria-label", control.title);
}

/** Writes a text, and touches the page only where it is another one. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Any text as one line of at most `length` letters, its middle left out; what would turn the direction of others is dropped. */
export function clipped(text, length = 80) {
  const letters = [...String(text ?? "").slice(0, 4000).replace(/[\s\u202a-\u202e\u2066-\u2069]+/g, " ")];
  return (letters.length > length ? [...letters.slice(0, length - 11), "…", ...letters.slice(-10)] : letters).join("");
}

/** A native select behind a quiet face: `update([[value, text], ...], value, face)` fills it, `choose(value)` hears of another. */
export function choice(label, choose) {
  const face = make("bdi");
  const select = make("select", { label, on: { change: () => choose(select.value) } });
  let known = "";
  function update(options, value, text) {
    const now = JSON.stringify(options);
    if (now !== known) select.replaceChildren(...options.map(([one, said]) => make("option", { value: one, text: clipped(said) })));
    known = now;
    select.value = value;
    setText(face, text ?? select.selectedOptions[0]?.text ?? "");
  }
  return { element: make("span", { class: "gp-choice" }, face, icon("down"), select), select, update };
}

let nGroups = 0;

/** Alternatives of which one is chosen, with the keys of radio buttons: `update([[value, ...faces], ...], value)` fills it. */
export function radios(label, className, choose) {
  const stop = (event) => { if (/^(Arrow| )/.test(event.key)) event.stopPropagation(); };
  const made = make("div", { class: className, role: "radiogroup", "aria-label": label, on: { keydown: stop } });
  const name = `gp-radios-${nGroups++}`;
  let known = "";
  const line = ([value, ...faces]) =>
    make("label", {}, make("input", { type: "radio", name, value, on: { change: () => choose(value) } }), ...faces);
  function update(options, value) {
    const now = options.map(([one]) => one).join();
    if (now !== known) made.replaceChildren(...options.map(line));
    known = now;
    for (const input of made.querySelectorAll("input")) input.checked = input.value === value;
  }
  return { element: made, update };
}

/** A button that opens a sheet; Escape and a step outside close it. */
export function menu(label, face, ...content) {
  const handle = make("summary", { class: "gp-button", label }, face);
  const made = make("details", { class: "gp-menu" }, handle, make("div", { class: "gp-sheet", tabindex: -1 }, ...content));
  made.addEventListener("focusout", (event) => { if (!made.contains(event.relatedTarget)) made.open = false; });
  made.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    made.open = false;
    handle.focus();
  });
  return made;
}

/** A number for reading. */
export function shortNumber(value, digits = 4) {
  return value === null || value === undefined ? "" : String(Number(value.toPrecision(digits)));
}

/** How many, in at most five letters. */
export function shortCount(count) {
  const step = count < 1e4 ? 0 : Math.floor(Math.log10(count) / 3);
  return step ? Number((count / 1000 ** step).toPrecision(3)) + " kMGTPE"[step] : String(count);
}

/* "light" or "dark" where the host says which it is, else "": the browser's preference. */
function hostTheme(place) {
  const [body, page] = [document.body, document.documentElement];
  if (body.dataset.jpThemeLight) return body.dataset.jpThemeLight === "false" ? "dark" : "light";
  const said = [body, page].map((one) => `${one.className} ${one.dataset.theme}`).join(" ");
  const scheme = getComputedStyle(place).colorScheme;
  return /\b(dark|light)\b/.exec(said)?.[0] ?? (/^(dark|light)$/.test(scheme) ? scheme : "");
}

/** Keeps `root` light or dark as the page is, also in a shadow root, where selectors do not reach; answers an end to it. */
export function followTheme(root) {
  const follow = () => { root.dataset.theme = hostTheme(root.parentElement ?? document.body); };
  const observer = new MutationObserver(follow);
  for (const one of [document.body, document.documentElement]) observer.observe(one, { attributes: true });
  follow();
  return () => observer.disconnect();
}
