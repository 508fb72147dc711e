// Under the picture: color bar or classes, notices, the pointer's value, and how many elements a pixel holds.
import { button, clipped, make, rampOf, setNotice, setText, shortNumber } from "./elements.js";
import { clamp, max } from "./geometry.js";
import { isHue, placeOf, placeTicks } from "./limits.js";
import { followSelection } from "./selection.js";

const NOTE_MS = 6000;
/* Smaller moves are noise. */
const MOVED_PX = 8;

/** The color bar, as wide as the picture, and the line: `{element, update, destroy}`. */
export function makeReadout(app) {
  const [hover, note, bar, ramp, ticks, pointer] = ["hover", "note", "bar", "colors", "scale", "pointer"]
    .map(name => make("div", { class: `gp-${name}` })), notice = make("p", { class: "gp-notice" }), classes = makeClasses();
  const scale = make("i"), more = button("Show absmax, farthest from zero under each pixel", "show absmax",
    () => app.set({ agg: "absmax" }));
  const line = make("div", { class: "gp-line" }, hover, scale, more, note);
  /* The note goes back to `lasting`: "", or why nobody answers. */
  let timer, lasting = "", from, isMoved, shownWindow, selected, last;
  note.role = "status";
  // A moving pointer replaces a note by values.
  app.root.addEventListener("pointermove", ({ clientX: x, clientY: y }) => {
    from ??= [x, y];
    isMoved ||= Math.hypot(x - from[0], y - from[1]) > MOVED_PX;
  });
  function showNote(text) {
    clearTimeout(timer);
    from = isMoved = null;
    note.textContent = note.title = clipped(text);
    line.classList.toggle("is-noted", Boolean(text));
    if (text !== lasting) timer = setTimeout(showNote, NOTE_MS, lasting);
  }
  function show(reply) {
    last = reply;
    const { vmin, vmax, colors } = app.state, at = 100 * placeOf(numberOf(reply, app.state), colors.edges ?? [vmin, vmax]);
    if (reply && isMoved) showNote(lasting);
    const shown = reply ?? selected;
    hover.replaceChildren(...(shown ? piecesOf(shown) : []));
    // Whole, where a narrow cell cuts it.
    hover.title = clipped(hover.textContent);
    pointer.hidden = !Number.isFinite(at);
    pointer.style.left = `${clamp(at, 0, 100)}%`;
  }
  /* Elements per pixel, and the largest element where limits are of pixels. */
  function showScale() {
    const { kind, largest } = app.state, text = shownWindow ? perPixel(shownWindow, kind) : "";
    setText(scale, scale.title = text && text + (largest && ` elements, largest ${largest}:`));
    more.hidden = !text || !largest;
  }
  function update({ colors, categories, is_rgb, is_categorical, kind, text, extend }) {
    showScale();
    setNotice(notice, kind !== "text" && text);
    bar.hidden = is_rgb || is_categorical || kind !== "image";
    classes.update(kind === "image" ? categories : []);
    ramp.style.backgroundImage = rampOf(colors.bar);
    // A pointed end: elements lie beyond it.
    const beyond = [["min", "under", "below"], ["max", "over", "above"]].filter(([end, name]) => {
      const isThere = [end, "both"].includes(extend);
      ramp.classList.toggle(`has-${name}`, isThere);
      ramp.style.setProperty(`--${name}`, colors[name]);
      return isThere;
    });
    bar.title = beyond.length ? `There are elements ${beyond.map(([,, where]) => where).join(" and ")} the limits` : "";
    placeTicks(ticks, colors.ticks);
    show(last);
  }
  app.on("hover", reply => {
    show(reply);
    if (reply?.isRead) showNote(hover.textContent);
  });
  app.on("note", showNote);
  /* A new selection is shown until the pointer moves, and where the pointer is over no element. */
  followSelection(app, found => {
    const isOver = selected && !found;
    selected = found;
    show(null);
    if (found) showNote(hover.textContent);
    else if (isOver) showNote(lasting);
  });
  app.on("gone", how => showNote(lasting = how && `The ${how === "closed" ? "inspector was closed" : "kernel is gone"}: run the cell again`));
  app.on("window", now => {
    shownWindow = now;
    showScale();
  });
  bar.append(ramp, ticks, pointer);
  return { element: make("div", { class: "gp-readout" }, bar, classes.element, notice, line), update,
    destroy() { clearTimeout(timer); classes.destroy(); } };
}

/* The number that the bar marks: the element or the mean of several, of complex ones the shown part. */
function numberOf(reply, { complex_mode: mode }) {
  const { value, lines = [] } = reply ?? {}, isPhase = isHue(mode);
  if (value && !mode) return Number(value);
  const name = value ? isPhase ? "phase" : mode.replaceAll("_", " ") : !isPhase && "mean";
  // The first of that name: an axis may have it, too, but coordinates come last.
  return Number(lines.find(([one]) => one === name)?.[1]);
}

/* The index, then the value in the foreground, or the lines of a bin. */
function piecesOf({ index, value, lines }) {
  const named = lines.flatMap(([name, text]) => [make("i", { text: name }), make("b", { text })]);
  return [make("i", { text: index }), make("b", { text: value }), ...named].flatMap(part => [part, " "]);
}

function perPixel({ pxPerElem }, kind) {
  const [tall, wide] = pxPerElem.map(px => shortNumber(max(1 / px, 1), 2));
  return max(tall, wide) > 1 ? `1 px = ${kind === "line" ? wide : `${tall} × ${wide}`}` : "";
}

/* Classes in one line: those that fit, and a button that counts and shows the others. */
function makeClasses() {
  const list = make("div"), more = button("All classes", "", () => { more.ariaExpanded = more.ariaExpanded !== "true"; }),
    element = make("div", { class: "gp-classes" }, list, more), sizes = new ResizeObserver(count);
  let known, nUnnamed = 0;
  function update(categories) {
    element.hidden = !categories.length;
    if (known === (known = JSON.stringify(categories))) return;
    // The last entry may be the number of classes that the kernel did not list.
    const [last, color] = categories.at(-1) ?? [];
    nUnnamed = color === "transparent" ? parseInt(last.slice(4)) - 1 : 0;
    list.replaceChildren(...categories.map(nameCategory));
    more.ariaExpanded = false;
    count();
  }
  function count() {
    // Which leaves its room to the names.
    more.hidden = true;
    if (!nBelow()) return;
    more.hidden = false;
    const nHidden = nBelow();
    setText(more, more.ariaLabel = `and ${nHidden + nUnnamed} more`);
  }
  function nBelow() {
    const names = [...list.children], line = names[0]?.offsetTop;
    return names.filter(one => one.offsetTop > line).length;
  }
  sizes.observe(element);
  return { element, update, destroy: () => sizes.disconnect() };
}

function nameCategory([name, color]) {
  return make("span", { title: clipped(name) }, make("i", { style: `background:${color}` }), make("bdi", { text: name }));
}
