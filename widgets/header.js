// What the tensor is, which one of several, its health, and how its elements become colors.
import { axisOf, sliceKeyOf, switchAspect } from "./app.js";
import { button, choice, clipped, make, rampOf, setLabel, setNotice, setText, shortCount } from "./elements.js";
import { followFlags, makeSearch } from "./flags.js";

const HEALTH = [["nan", "NaN"], ["neg_inf", "-Inf"], ["neg", "< 0"], ["zero", "0"], ["pos", "> 0"], ["pos_inf", "+Inf"],
  ["masked", "masked"]];
const MENUS = [["cmap", "Colormap"], ["norm", "Scale"], ["agg", "Pixels show"], ["nan", "NaN and Inf"],
  ["complex_mode", "Complex"]];
/* Faces of the menus for "automatic", which means classes. */
const MEANT = { norm: "classes", agg: "nearest" };

/** The header: `{element, update, destroy}`. */
export function makeHeader(app) {
  const parts = [makeTitle(app), makePill(app), makeTools(app), makeNotes()];
  const element = make("header", { class: "gp-header" }, ...parts.map(part => part.element));
  return { element, update: state => parts.forEach(part => part.update(state)), destroy: () => parts.forEach(part => part.destroy?.()) };
}

function makeTitle(app) {
  const items = choice("Tensor", item => app.set({ item })), flag = followFlags(app, items.select), heading = make("div", { class: "gp-heading" });
  const name = make("b"), what = make("div", { class: "gp-type" });
  const element = make("div", { class: "gp-title" }, heading, make("b", {}, items.element, name), what);
  function update({ title, items: names, item, axes, slice, tensor: { dtype, device, bytes } }) {
    const isOne = names.length < 2, where = [slice, device, bytes].filter(Boolean).join(" · ");
    items.element.hidden = isOne;
    heading.hidden = !title;
    setText(heading, clipped(title));
    items.update(names.map(one => [one]), item);
    flag();
    setText(name, isOne ? clipped(item) : "");
    const shape = axes.flatMap(({ name: axis, size, role }, i) => [
      i ? " × " : " ", make("i", { text: axis && `${axis} ` }), make(/^[xy]$/.test(role) ? "b" : "span", { text: size })]);
    what.replaceChildren(make("b", { text: dtype }), ...shape, " ",
      item ? make("span", { text: `· ${where}` }) : make("p", { text: where }));
    element.title = clipped(`${title} ${item} ${what.textContent}`).trim();
  }
  return { element, update };
}

/* Notes about the tensor. */
function makeNotes() {
  const element = make("p", { class: "gp-notice" });
  return { element, update: ({ tensor: { notes } }) => setNotice(element, notes.join(" · ")) };
}

/* Counts of the plane's elements by kind; a press goes to the next one that is not finite. */
function makePill(app) {
  const counts = HEALTH.map(() => make("b")), shares = HEALTH.map(([key]) => make("i", { class: `gp-${key}` }));
  const cells = HEALTH.map(([, text], i) => make("span", {}, make("small", { text }), counts[i]));
  const found = make("b"), tensor = make("span", {}, make("small", { text: "tensor" }), found), search = makeSearch(app);
  const element = button("", "", event => app.jump(event.shiftKey ? -1 : 1), { class: "gp-pill" });
  element.append(...cells, tensor, make("span", {}, ...shares));
  const listed = counts => HEALTH.map(([key, text]) => `${text}: ${counts?.[key] ?? "?"}`).join(", ");
  /* [mark, text] about the whole tensor: as counted, or as far as it was searched. */
  function findAll({ tensor_kind_counts: all, tensor_has: has }) {
    const [nan, inf] = all ? [all.nan, all.neg_inf + all.pos_inf] : [has === "NaN", has === "Inf"],
      kind = nan ? "nan" : inf ? "pos_inf" : "", count = all ? shortCount(nan || inf) : "has";
    return [kind, kind ? `${count} ${nan ? "NaN" : "Inf"}` : all ? "finite" : has ?? "…"];
  }
  /* What was last known of the slice that is shown: elements that are updated in a loop keep their numbers until new ones come. */
  let known = {};
  function lastKnown(state) {
    const { kind_counts, tensor_kind_counts: all, tensor_has: has } = state, key = sliceKeyOf(state), before = known.key === key ? known : state;
    known = { key, kind_counts: kind_counts ?? before.kind_counts, health: all || has !== null ? state : before.health ?? state };
    return known;
  }
  function update(state) {
    const { kind_counts, health } = lastKnown(state), { tensor_kind_counts: all, tensor_has: has } = health, { colors, axes } = state;
    element.classList.toggle("is-old", kind_counts !== state.kind_counts);
    HEALTH.forEach(([key], i) => {
      const n = kind_counts?.[key] ?? 0;
      setText(counts[i], kind_counts ? shortCount(n) : "–");
      // Most tensors cannot have masked elements.
      cells[i].hidden = !n && key === "masked";
      cells[i].className = !n ? "is-none" : colors[key] ? "is-bad" : "";
      cells[i].style.setProperty("--mark", colors[key]);
      [shares[i].hidden, shares[i].style.flexGrow] = [!n, n];
    });
    const isPart = axes.some(({ role, size }) => role === "index" && size > 1), [kind, tensorText] = findAll(health),
      whole = all ? `. Whole tensor: ${listed(all)}` : has ? `. Whole tensor: ${tensorText}` : "";
    tensor.hidden = !isPart || !(all || has !== "");
    tensor.className = `gp-tensor ${kind && "is-bad"}`;
    tensor.style.setProperty("--mark", colors[kind]);
    setText(found, tensorText);
    search.follow(state.kind_counts && (state.is_comparing || (isPart && !state.tensor_kind_counts && state.tensor_has === null)));
    setLabel(element, `${isPart ? "This slice: " : ""}${listed(kind_counts)}${isPart ? whole : ""}. Next NaN or Inf (n)`);
  }
  return { element, update, destroy: search.destroy };
}

/* A select for each choice there is; the colormap's face is the colors in use. */
function makeTools(app) {
  const menus = MENUS.map(([key, label]) => choice(label, value => app.set({ [key]: value }))), [cmaps] = menus;
  const fit = button("Square elements, 1:1 (f)", "1:1", () => switchAspect(app));
  let channels, nAxes;
  const rgb = button("RGB colors, or numbers of each channel", "RGB",
    () => app.set({ rgb: app.state.is_rgb ? null : channels }));
  const help = button("Keys and mouse (?)", "?", () => app.emit("help"));
  function update(state) {
    fit.hidden = state.kind === "line";
    // A press takes back a guess that an axis is of colors, and another one restores it.
    const { axes, is_rgb, takes_rgb } = state;
    if (is_rgb) [channels, nAxes] = [axisOf(state, "rgb"), axes.length];
    rgb.hidden = !takes_rgb || axes.length !== nAxes || !/^[34]$/.test(axes[channels]?.size);
    rgb.ariaPressed = is_rgb;
    MENUS.forEach(([key], i) => {
      const values = state[`${key}s`] ?? ["auto", "show", "skip"];
      menus[i].element.hidden = !values.length || (!i && is_rgb);
      const options = values.map(value => [value, (i === 3 ? "NaN: " : "") + (i ? value.replaceAll("_", " ") : value)]);
      menus[i].update(options, state[key], i ? state[key] === "automatic" ? MEANT[key] : undefined : "");
    });
    cmaps.face.style.backgroundImage = rampOf(state.colors.bar, 0, 100, state.is_categorical);
    cmaps.select.title = `Colormap: ${state.cmap_name}`;
    fit.ariaPressed = state.aspect === "equal";
  }
  /* Each colormap shows its colors once the menu may be opened (a click focuses an option, not the select); browsers that
     draw menus themselves show the names. */
  cmaps.select.addEventListener("focusin", () => {
    const { options } = cmaps.select;
    if (options[options.length - 1].style.backgroundImage) return;
    app.ask("palettes").then(({ palettes }) => {
      for (const { style, value } of options) style.backgroundImage = value in palettes ? rampOf(palettes[value]) : "";
    }, () => {});
  });
  return { element: make("div", { class: "gp-tools" }, ...menus.map(menu => menu.element), rgb, fit, help), update };
}
