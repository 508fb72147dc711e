// What the parts of one view share: the state with the user's own changes laid over it, messages, events, the focused axis.
import { makeFlow } from "./channel.js";
import { clamp } from "./geometry.js";

/** Settings that show at once what a user chose, before the kernel has said so. */
const AT_ONCE = ["cmap", "norm", "vmin", "vmax", "agg", "nan", "region", "robust", "aspect", "complex_mode", "item", "view"];
/** Messages that do not depend on a change that still waits to be sent. */
const APART = ["look", "ack", "hover"];

export function makeApp(channel, root) {
  const listeners = new Map(), mine = new Map();
  const port = channel.open(receive), sets = makeFlow(sendSet);
  let truth = channel.state, queued = null, request = 0;
  const app = {
    root, state: truth, window: null, axis: null, set, on, emit, step, jump, close,
    send(k, fields) { if (!APART.includes(k)) sendSet(); return port.send(k, fields); },
    ask(k, fields) { if (!APART.includes(k)) sendSet(); return port.ask(k, fields); },
    focus(axis) { app.axis = axis; emit("axis", axis); },
    play() { if (app.axis !== null) emit("play", app.axis); },
    help: () => emit("help"),
    open() { port.send("ready"); show(); },
  };

  function on(event, f) {
    listeners.set(event, (listeners.get(event) ?? new Set()).add(f));
    return () => listeners.get(event)?.delete(f);
  }

  function emit(event, detail) {
    for (const f of [...(listeners.get(event) ?? [])]) f(detail);
  }

  function set(values) {
    const merged = { ...queued, ...values };
    for (const k of ["index", "reduce"]) if (values[k]) merged[k] = { ...queued?.[k], ...values[k] };
    queued = merged;
    for (const [key, value] of changesOf(values)) mine.set(key, { value, seq: Infinity });
    request ||= requestAnimationFrame(() => { request = 0; sets.push(true); });
    show();
  }

  function sendSet() {
    if (!queued) return 0;
    const values = queued, seq = port.send("set", { values });
    queued = null;
    for (const [key] of changesOf(values)) if (mine.has(key)) mine.get(key).seq = seq;
    return seq;
  }

  function receive(message, buffers) {
    const { k, state, seq, text } = message;
    if (k === "frame") emit("frame", { message, buffers });
    else if (k === "closed") emit("closed");
    else if (k === "state") {
      truth = state;
      settle(state.seq?.[port.page] ?? 0);
    } else if (k === "error") {
      settle(seq);
      emit("note", String(text));
    }
  }

  /** Own changes up to this number are answered: from here on the kernel's word counts. */
  function settle(answered) {
    for (const [key, { seq }] of mine) if (seq <= answered) mine.delete(key);
    sets.answered(answered);
    show();
  }

  function show() {
    if (!truth) return;
    app.state = laidOver(truth, mine);
    if (app.state.axes[app.axis]?.role !== "index") app.axis = hiddenAxes(app.state)[0] ?? null;
    emit("state", app.state);
  }

  function step(axis, n) {
    const { index, size } = app.state?.axes[axis] ?? {};
    if (size) set({ index: { [axis]: clamp(index + n, 0, size - 1) } });
  }

  async function jump(n) {
    try {
      const reply = await app.ask("next", { step: n });
      emit("note", reply.text || (reply.row === null ? "Every element is finite" : ""));
      if (reply.row !== null) emit("jump", reply);
    } catch (error) { emit("note", error.message); }
  }

  function close() {
    cancelAnimationFrame(request);
    sets.stop();
    port.send("gone");
    port.close();
    listeners.clear();
  }

  on("next", jump);
  return app;
}

/** Numbers of the axes that have an index: not shown, not reduced. */
export const hiddenAxes = state => (state?.axes ?? []).flatMap((axis, i) => axis.role === "index" ? [i] : []);

/** [key, value] of what shows at once: "cmap", "index.3". */
function changesOf(values) {
  const indices = Object.entries(values.index ?? {}).map(([axis, i]) => [`index.${axis}`, i]);
  return [...AT_ONCE.filter(k => k in values).map(k => [k, values[k]]), ...indices];
}

function laidOver(state, mine) {
  const out = { ...state };
  for (const [key, { value }] of mine) {
    const [name, axis] = key.split(".");
    if (axis) out.axes = out.axes.map((one, i) => i === Number(axis) ? { ...one, index: value } : one);
    // A limit "from the data" is a number that only the kernel knows.
    else if (value !== null || name === "view") out[name] = value;
  }
  return out;
}
