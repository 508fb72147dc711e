// What the parts of one view share: messages, the state with the user's own changes laid over it, events, the focused axis.
// Each view speaks as a page of its own, so that two views of one widget, of two sizes, both get their frames.
import { makeFlow } from "./channel.js";
import { clipped } from "./elements.js";
import { clamp } from "./geometry.js";

const ANSWER_MS = 1e4;

export function makeApp(channel, root) {
  const page = crypto.getRandomValues(new Uint32Array(4)).join("").slice(0, 32), listeners = {}, waiting = new Map(),
    sets = makeFlow(sendSet);
  /** Changes that wait to be sent, and those that were sent and not answered, as {seq, values}. */
  let seq = 0, queued = null, sent = [], request, isOver;
  const app = {
    root, state: channel.state, window: null, axis: null, send, ask, set, on, emit, step, jump, open, close,
    focus(axis) { app.axis = axis; emit("axis", axis); },
    help() { emit("help"); },
  };

  /** Sends a message and answers its number. Questions are about what a user sees: a change that still waits goes first. */
  function send(k, fields) {
    if (queued && !/set|viewport|ack|hover/.test(k)) sendSet();
    // With a word after its last one the kernel would take the page for a new one.
    if (!isOver) channel.send({ k, seq: ++seq, page, ...fields });
    return seq;
  }

  function ask(k, fields) {
    const number = send(k, fields);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => receive({ k: "error", seq: number, text: "No answer from the kernel" }), ANSWER_MS);
      waiting.set(number, message => {
        clearTimeout(timer);
        waiting.delete(number);
        if (message?.k === "error") reject(new Error(message.text)); else if (message) resolve(message);
      });
    });
  }

  function receive(message, buffers) {
    const { k, text, seq: number } = message, answer = k !== "frame" && waiting.get(number);
    if ((message.page ?? page) !== page) return;
    // What is counted for the statistics of the plane is its health, too, and so it is for the tensor.
    const { region, kind_counts, extend } = message, counted = { slice: { kind_counts, extend }, all: { tensor_kind_counts: kind_counts } }[region];
    const learned = k === "stats" ? counted : k === "search" && { tensor_has: message.tensor_has };
    if (channel.state && learned) {
      channel.state = { ...channel.state, ...learned };
      show();
    }
    if (answer) return answer(message);
    if (k === "gone") return emit(k, channel.gone);
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
    if (channel.gone) return;
    const merged = { ...queued, ...values };
    for (const k of ["index", "reduce"]) if (values[k]) merged[k] = { ...queued?.[k], ...values[k] };
    queued = merged;
    request ||= requestAnimationFrame(() => { request = 0; sets.push(true); });
    show();
  }

  function sendSet() {
    const values = queued;
    queued = null;
    if (values) sent.push({ seq: send("set", { values }), values });
    return seq;
  }

  /** Own changes up to this number are answered: from here on the kernel's word counts. */
  function settle(answered) {
    sent = sent.filter(one => one.seq > answered);
    sets.answered(answered);
    show();
  }

  function show() {
    if (!channel.state) return;
    app.state = [...sent.map(one => one.values), queued ?? {}].reduce(laidOver, channel.state);
    if (app.state.axes[app.axis]?.role !== "index") app.axis = hiddenAxes(app.state)[0] ?? null;
    emit("state", app.state);
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

  function open() {
    channel.views.add(receive);
    emit("gone", channel.gone);
    send("ready");
    show();
  }

  function close() {
    cancelAnimationFrame(request);
    sets.stop();
    // Nobody waits for an answer any more.
    for (const answer of waiting.values()) answer(null);
    channel.views.delete(receive);
    send("gone");
    isOver = true;
  }

  on("next", jump);
  return app;
}

/** Numbers of the axes that have an index: not shown, not reduced. */
export const hiddenAxes = ({ axes }) => axes.flatMap((axis, i) => axis.role === "index" ? [i] : []);

/** What an axis is called. */
export const axisNameOf = ({ axes }, i) => clipped(axes[i]?.name, 40) || `axis ${i}`;

/** A state that says what a user chose before the kernel does; a limit "from the data" is a number that only the kernel knows. */
function laidOver(state, { index = {}, ...values }) {
  const out = { ...state, axes: state.axes.map((axis, i) => i in index ? { ...axis, index: index[i] } : axis) };
  for (const key in values) if (key in state && (values[key] !== null || /^(view|selection)$/.test(key))) out[key] = values[key];
  return out;
}
