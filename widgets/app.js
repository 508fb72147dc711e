// What the parts of one view share: messages, the state with the user's own changes laid over it, events, the focused axis.
// Each view speaks as a page of its own, so that two views of one widget, of two sizes, both get their frames.
import { makeFlow } from "./channel.js";
import { clamp } from "./geometry.js";

const ANSWER_MS = 1e4;

export function makeApp(channel, root) {
  const page = Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(36)).join("");
  const listeners = {}, mine = new Map(), waiting = new Map(), sets = makeFlow(sendSet);
  let seq = 0, queued = null, request = 0;
  const app = { root, state: channel.state, window: null, axis: null, send, ask, set, on, emit, focus, step, jump, play, help, open, close };

  function post(k, fields) {
    channel.send({ k, seq: ++seq, page, ...fields });
    return seq;
  }

  /** Sends a message and answers its number. Questions are about what a user sees: a change that still waits goes first. */
  function send(k, fields) {
    if (!/look|ack|hover/.test(k)) sendSet();
    return post(k, fields);
  }

  function ask(k, fields) {
    const number = send(k, fields), error = { k: "error", text: "The kernel has not answered" };
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => waiting.get(number)(error), ANSWER_MS);
      waiting.set(number, message => {
        clearTimeout(timer);
        waiting.delete(number);
        if (message.k === "error") reject(new Error(message.text)); else resolve(message);
      });
    });
  }

  function receive(message, buffers) {
    const { k, text, seq: number } = message, answer = k !== "frame" && waiting.get(number);
    if ((message.page ?? page) !== page) return;
    if (answer) return answer(message);
    if (k === "error") emit("note", String(text));
    if (k === "error") settle(number);
    else if (k === "state") settle(message.state.seq?.[page] ?? 0);
    else emit(`kernel ${k}`, { message, buffers });
  }

  function on(event, f) {
    (listeners[event] ??= new Set()).add(f);
    return () => listeners[event].delete(f);
  }

  function emit(event, detail) {
    for (const f of [...listeners[event] ?? []]) f(detail);
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
    post("set", { values: queued });
    for (const [key] of changesOf(queued)) if (mine.has(key)) mine.get(key).seq = seq;
    queued = null;
    return seq;
  }

  /** Own changes up to this number are answered: from here on the kernel's word counts. */
  function settle(answered) {
    for (const [key, one] of mine) if (one.seq <= answered) mine.delete(key);
    sets.answered(answered);
    show();
  }

  function show() {
    if (!channel.state) return;
    app.state = laidOver(channel.state, mine);
    if (app.state.axes[app.axis]?.role !== "index") app.axis = hiddenAxes(app.state)[0] ?? null;
    emit("state", app.state);
  }

  function focus(axis) {
    app.axis = axis;
    emit("axis", axis);
  }

  function step(axis, n) {
    const { index, size } = app.state.axes[axis] ?? {};
    if (size) set({ index: { [axis]: clamp(index + n, 0, size - 1) } });
  }

  async function jump(n) {
    const reply = await ask("next", { step: n }).catch(({ message }) => ({ row: null, text: message }));
    emit("note", reply.text || "Every element is finite");
    if (reply.row !== null) emit("jump", reply);
  }

  function play() { if (app.axis !== null) emit("play", app.axis); }
  function help() { emit("help"); }

  function open() {
    channel.views.add(receive);
    post("ready");
    show();
  }

  function close() {
    channel.views.delete(receive);
    cancelAnimationFrame(request);
    sets.stop();
    for (const answer of waiting.values()) answer({ k: "error", text: "closed" });
    post("gone");
  }

  on("next", jump);
  return app;
}

/** Numbers of the axes that have an index: not shown, not reduced. */
export const hiddenAxes = ({ axes }) => axes.flatMap((axis, i) => axis.role === "index" ? [i] : []);

/** [key, value] of what changed: "cmap", "index.3". */
const changesOf = ({ index = {}, ...values }) => [...Object.entries(values), ...Object.entries(index).map(([axis, i]) => [`index.${axis}`, i])];

/** A state that says what a user chose before the kernel does; a limit "from the data" is a number that only the kernel knows. */
function laidOver(state, mine) {
  const out = { ...state };
  for (const [key, { value }] of mine) {
    const [name, axis] = key.split(".");
    if (axis) out.axes = out.axes.map((one, i) => i === Number(axis) ? { ...one, index: value } : one);
    else if (name in state && (value !== null || name === "view")) out[name] = value;
  }
  return out;
}
