// What the tensor is, which one of several, its health, and the menus.
import { button, choice, clipped, icon, make, menu, radios, setLabel, setText, shortCount } from "./elements.js";

const HEALTH = [["nan", "NaN"], ["neg_inf", "-Inf"], ["neg", "< 0"], ["zero", "0"], ["pos", "> 0"], ["pos_inf", "+Inf"]];
/* A few colours of well-known colormaps, enough to recognise them. */
const SWATCHES = {
  viridis: "440154 31688e 35b779 fde725", magma: "000004 721f81 f1605d fcfdbf", inferno: "000004 781c6d ed6925 fcffa4",
  plasma: "0d0887 9c179e ed7953 f0f921", cividis: "00224e 575d6d a59c74 fee838", gray: "000 fff", turbo: "30123b 28bbec a4fc3c fb7e21 7a0403",
  RdBu_r: "053061 6bacd1 f7f6f6 e48066 67001f", coolwarm: "3b4cc0 dddcdc b40426", twilight: "e2d9e2 6785be 2f1436 b25652 e2d9e2",
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
  const items = choice("Tensor", (item) => app.set({ item: Number(item) }));
  const [name, type, place] = [make("bdi"), make("span", { class: "gp-type" }), make("span", { class: "gp-place" })];
  const made = make("div", { class: "gp-title" }, make("b", {}, items.element, name), make("div", {}, type, place));
  function update(state) {
    const { dtype, device, bytes, notes } = state.tensor;
    const isOne = state.items.length < 2;
    items.element.hidden = isOne;
    items.update(state.items.map((one, i) => [i, one]), state.item);
    setText(name, isOne ? clipped(state.items[0]) : "");
    made.classList.toggle("is-named", !isOne || name.textContent !== "");
    type.replaceChildren(make("b", { text: dtype }), ...shapeOf(state.axes));
    setText(place, [device, bytes, ...notes.map((note) => clipped(note))].join(" · "));
    made.title = clipped(`${state.items[state.item]} ${type.textContent} · ${place.textContent}`, 400);
  }
  return { element: made, update };
}

/* "batch 8 x head 12": the sizes with the names of their axes, x and y set off from the rest. */
function shapeOf(axes) {
  return axes.flatMap(({ name, size, role }, i) => [
    i ? " × " : " ", make("i", { text: name && `${clipped(name, 24)} ` }), make(/^[xy]$/.test(role) ? "b" : "span", { text: size })]);
}

/* What there is among the elements of the plane; a press goes to the next one that is not finite. */
function makePill(app) {
  const made = make("button", { type: "button", class: "gp-pill", on: { click: (event) => app.jump(event.shiftKey ? -1 : 1) } });
  const counts = HEALTH.map(() => make("b"));
  const shares = HEALTH.map(([key]) => make("i", { class: `gp-${key}` }));
  made.append(...HEALTH.map(([key, text], i) => make("span", { class: `gp-${key}` }, make("small", { text }), counts[i])),
    make("span", { class: "gp-shares" }, ...shares));
  function update({ pill, colors }) {
    HEALTH.forEach(([key], i) => {
      const [n, color, cell] = [pill?.[key] ?? 0, colors[key], counts[i].parentElement];
      setText(counts[i], pill ? shortCount(n) : "–");
      cell.classList.toggle("is-none", !n);
      if (color) made.style.setProperty(`--gp-${key}`, color);
      cell.style.color = n && color ? inkOn(color) : "";
      [shares[i].hidden, shares[i].style.flexGrow] = [!n, n];
    });
    const said = pill ? HEALTH.map(([key, text]) => `${text}: ${pill[key]}`).join(", ") : "not counted yet";
    setLabel(made, `Health: ${said}. Press for the next element that is not finite`);
  }
  return { element: made, update };
}

/* Black or white, whichever reads better on a colour "#rrggbb". */
function inkOn(color) {
  const [red, green, blue] = [1, 3, 5].map((at) => (parseInt(color.slice(at, at + 2), 16) / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? "#000" : "#fff";
}

function makeTools(app) {
  const [colormaps, options] = [makeColormaps(app), makeOptions(app)];
  const fit = button("Square elements (f)", icon("fit"), () => app.set({ aspect: app.state.aspect === "equal" ? "auto" : "equal" }));
  const help = button("Keys and mouse (?)", icon("help"), () => app.help());
  function update(state) {
    colormaps.update(state);
    options.update(state);
    fit.setAttribute("aria-pressed", state.aspect === "equal");
  }
  return { element: make("div", { class: "gp-tools" }, colormaps.element, options.element, fit, help), update };
}

/* The colormaps as a list with their colours; the arrow keys try one after the other. */
function makeColormaps(app) {
  const face = make("i", { class: "gp-ramp" });
  const list = radios("Colormap", "gp-colormaps", (cmap) => app.set({ cmap }));
  const made = menu("Colormap", face, list.element);
  function update({ cmap, cmaps, colors, is_rgb }) {
    list.update(cmaps.map((name) => [name, swatchOf(name), make("bdi", { text: clipped(name, 32) })]), cmap);
    face.style.backgroundImage = rampOf(colors.bar);
    made.hidden = is_rgb;
    setLabel(made.firstElementChild, `Colormap: ${cmap}`);
  }
  return { element: made, update };
}

/** A style: colours from left to right. */
export function rampOf(colors) {
  return colors.length ? `linear-gradient(90deg, ${[...colors, colors.at(-1)].join()})` : "none";
}

function swatchOf(name) {
  const colors = (SWATCHES[name] ?? SWATCHES[name.replace(/_r$/, "")] ?? SWATCHES[`${name}_r`] ?? "").split(" ").filter(Boolean);
  const made = make("i", { class: "gp-ramp" });
  made.style.backgroundImage = rampOf((SWATCHES[name] ? colors : colors.reverse()).map((color) => `#${color}`));
  return made;
}

/* How elements become colours: a select for each choice there is. */
function makeOptions(app) {
  const rows = [["Scale", "norm", "norms"], ["Pixel shows", "agg", "aggs"], ["NaN and Inf", "nan"], ["Complex", "complex_mode", "complex_modes"]]
    .map(([label, field, offers]) => {
      const select = choice(label, (value) => app.set({ [field]: value }));
      return { field, offers, select, line: make("label", {}, label, select.element) };
    });
  function update(state) {
    for (const { field, offers, select, line } of rows) {
      const values = offers ? state[offers] : ["show", "skip"];
      line.hidden = !values.length;
      select.update(values.map((value) => [value, value.replaceAll("_", " ")]), state[field]);
    }
  }
  return { element: menu("Options", icon("tune"), ...rows.map(({ line }) => line)), update };
}
