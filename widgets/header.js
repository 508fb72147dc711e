// What the tensor is, which one of several, its health, and the menus.
import { button, choice, clipped, icon, make, menu, segments, setLabel, setText, shortCount } from "./elements.js";

const HEALTH = [["nan", "NaN"], ["neg_inf", "-Inf"], ["neg", "< 0"], ["zero", "0"], ["pos", "> 0"], ["pos_inf", "+Inf"]];
const IS_BAD = /nan|inf/;
/* Five colours of each well-known colormap: enough to recognise it. */
const SWATCHES = {
  viridis: "440154 3b528b 21918c 5ec962 fde725", magma: "000004 51127c b73779 fc8961 fcfdbf", inferno: "000004 57106e bc3754 f98e09 fcffa4",
  plasma: "0d0887 7e03a8 cc4778 f89540 f0f921", cividis: "00224e 434e6c 7d7c78 bcae6c fee838", gray: "000 404040 808080 bfbfbf fff",
  turbo: "30123b 28bbec a4fc3c fb7e21 7a0403", RdBu_r: "053061 6bacd1 f7f6f6 e48066 67001f", coolwarm: "3b4cc0 8db0fe dddcdc f49a7b b40426",
  seismic: "00004c 0000ff fff ff0000 800000", twilight: "e2d9e2 6785be 2f1436 b25652 e2d9e2", hot: "0b0000 ff0000 ffff00 ffff80 fff",
  bwr: "00f 8080ff fff ff8080 f00", jet: "000080 0080ff 7cff79 ff9400 800000", PiYG: "8e0152 e9a3c9 f7f7f7 a1d76a 276419",
};

/** The header: `{element, update, destroy}`. */
export function makeHeader(app) {
  const parts = [makeTitle(app), makePill(app), makeTools(app)];
  return {
    element: make("header", { class: "gp-header" }, ...parts.map((part) => part.element)),
    update: (state) => parts.forEach((part) => part.update(state)),
    destroy() {},
  };
}

function makeTitle(app) {
  const items = choice("Tensor", (item) => app.set({ item: Number(item) }), { class: "gp-select gp-items" });
  const name = make("bdi", { class: "gp-name" });
  const type = make("span", { class: "gp-type" });
  const place = make("span", { class: "gp-place" });
  const made = make("div", { class: "gp-title" }, make("div", {}, items.element, name),
    make("div", { class: "gp-what" }, type, place));
  function update(state) {
    const isChooser = state.items.length > 1;
    items.element.hidden = !isChooser;
    if (isChooser) items.update(state.items.map((one, i) => [i, one]), state.item);
    setText(name, isChooser ? "" : clipped(state.items[0] ?? "", 120));
    made.classList.toggle("is-named", isChooser || name.textContent !== "");
    const { dtype, device, bytes, notes } = state.tensor;
    type.replaceChildren(make("b", {}, dtype), " ", ...shapeOf(state));
    setText(place, [device, bytes, ...notes.map((note) => clipped(note))].filter(Boolean).join(" · "));
    made.title = clipped(`${state.items[state.item] ?? ""} ${type.textContent} · ${place.textContent}`.trim(), 600);
  }
  return { element: made, update };
}

/* "batch 8 x head 12": the sizes with the names of their axes, x and y set off from the rest. */
function shapeOf(state) {
  const sizes = state.axes.length ? state.axes : state.tensor.shape.map((size) => ({ name: "", size, role: "" }));
  return sizes.flatMap(({ name, size, role }, i) => [
    i ? " × " : "", name && make("bdi", { class: "gp-dim" }, `${clipped(name, 24)} `), make(/^[xy]$/.test(role) ? "b" : "span", {}, String(size)),
  ]);
}

/* What there is among the elements of the plane; a press goes to the next one that is not finite. */
function makePill(app) {
  const cells = HEALTH.map(([key, text]) => ({ key, count: make("b"), text }));
  const made = button("Health", "", (event) => app.jump(event.shiftKey ? -1 : 1), { class: "gp-pill" });
  const bars = cells.map(({ key }) => make("i", { class: `gp-${key}` }));
  made.replaceChildren(
    ...cells.map(({ key, count, text }) => make("span", { class: `gp-cell gp-${key}` }, make("small", {}, text), count)),
    make("span", { class: "gp-shares", "aria-hidden": true }, ...bars));
  function update({ pill, colors }) {
    for (const key of ["nan", "pos_inf", "neg_inf"]) made.style.setProperty(`--gp-${key}`, colors[key]);
    cells.forEach(({ key, count }, i) => {
      const n = pill ? pill[key] : 0;
      setText(count, pill ? shortCount(n) : "–");
      count.parentElement.classList.toggle("is-none", !n);
      count.parentElement.style.color = n && IS_BAD.test(key) ? inkOn(colors[key]) : "";
      bars[i].style.flexGrow = n;
      bars[i].hidden = !n;
    });
    setLabel(made, `Health: ${pill ? cells.map(({ key, text }) => `${text}: ${pill[key]}`).join(", ") : "not counted yet"}. `
      + "Press to go to the next element that is not finite");
  }
  return { element: made, update };
}

/* Black or white, whichever reads better on a colour "#rrggbb". */
function inkOn(color) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255).map((part) => part ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? "#000" : "#fff";
}

function makeTools(app) {
  const parts = [makeColormaps(app), makeOptions(app), makeFit(app)];
  const help = button("Keys and mouse (?)", icon("help"), () => app.help());
  const made = make("div", { class: "gp-tools" }, ...parts.map((part) => part.element), help);
  return { element: made, update: (state) => parts.forEach((part) => part.update(state)) };
}

/* The colormaps as a list with their colours; the arrow keys try one after the other. */
function makeColormaps(app) {
  const face = make("i", { class: "gp-ramp" });
  const list = make("div", { class: "gp-colormaps", role: "radiogroup", label: "Colormap" });
  const made = menu("Colormap", face, list);
  let [shown, radios] = ["", []];
  function fill(cmaps) {
    radios = cmaps.map((name) => make("input", { type: "radio", value: name, on: { change: () => app.set({ cmap: name }) } }));
    list.replaceChildren(...cmaps.map((name, i) => make("label", {}, radios[i], swatchOf(name), make("span", {}, clipped(name, 32)))));
  }
  function update({ cmap, cmaps, colors, is_rgb, is_categorical }) {
    if (shown !== cmaps.join()) [shown] = [cmaps.join(), fill(cmaps)];
    radios.forEach((radio) => { radio.checked = radio.value === cmap; });
    face.style.backgroundImage = rampOf(colors.bar);
    made.hidden = is_rgb;
    setLabel(made.firstElementChild, `Colormap: ${is_categorical ? "categories" : cmap}`);
  }
  return { element: made, update };
}

function rampOf(colors) {
  return colors.length > 1 ? `linear-gradient(90deg, ${colors.join()})` : "none";
}

function swatchOf(name) {
  const colors = SWATCHES[name] ?? [...(SWATCHES[name.replace(/_r$/, "")] ?? "").split(" ")].reverse().join(" ");
  const made = make("i", { class: "gp-ramp" });
  if (colors.trim()) made.style.backgroundImage = rampOf(colors.split(" ").map((color) => `#${color}`));
  return made;
}

/* The other choices of how elements become colours, each a native select. */
function makeOptions(app) {
  const named = (value) => [value, value.replaceAll("_", " ")];
  const rows = [
    ["Scale", "norm", (state) => state.norms.map(named)],
    ["Pixel shows", "agg", (state) => state.aggs.map(named)],
    ["NaN and Inf", "nan", () => [["show", "always show"], ["skip", "skip in averages"]]],
    ["Complex", "complex_mode", (state) => state.complex_modes.map(named)],
    ["Limits from", "region", () => [["view", "what is in view"], ["slice", "this slice"], ["all", "the whole tensor"]]],
  ].map(([label, field, optionsOf]) => {
    const select = choice(label, (value) => app.set({ [field]: value }));
    return { field, select, optionsOf, row: make("label", { class: "gp-option" }, make("span", {}, label), select.element) };
  });
  const made = menu("Options", icon("tune"), ...rows.map(({ row }) => row));
  function update(state) {
    for (const { field, select, optionsOf, row } of rows) {
      const options = optionsOf(state);
      row.hidden = !options.length;
      select.update(options, state[field]);
    }
  }
  return { element: made, update };
}

function makeFit(app) {
  const made = segments("Shape of elements", [["equal", icon("fit"), "Fit: square elements"], ["auto", icon("fill"), "Fill the width"]],
    (aspect) => app.set({ aspect }));
  return { element: made.element, update: (state) => made.update(state.aspect) };
}
