// What the parts of one view share: messages, the state with the user's unanswered changes, events, the focused axis.
// Each view has a page name of its own, so that two views of one widget get frames of their own sizes.
import { makeFlow } from "./channel.js";
import { clipped } from "./elements.js";
import { clamp } from "./geometry.js";

const ANSWER_MS = 1e4;

export function makeApp(channel, root) {
  const page = crypto.getRandomValues(new Uint32Array(4)).join("").slice(0, 32), listeners = {}, waiting = new Map(),
    sets = makeFlow(sendSet);
  /** Changes to be sent, and those sent without an answer yet, as {seq, values}. */
  let seq = 0, queued = null, sent = [], request, isClosed;
  /* Asks again at growing intervals, as a question may wait behind a cell; a late answer to any of them will do. */
  const ask = (k, fields) => new Promise((resolve, reject) => {
    let newest, timer;
    function pose(ms) {
      const number = newest = send(k, fields);
      timer = setTimeout(() => {
        emit("note", "No answer from the kernel yet");
        if (k !== "next") pose(2 * ms);
      }, ms);
      waiting.set(number, message => {
        clearTimeout(timer);
        if (message?.k === "later") return;
        waiting.delete(number);
        if (!message) return;
        // A kernel refuses an older question that it hears after a newer one.
        if (message.k !== "error") resolve(message); else if (newest === number) reject(new Error(message.text));
      });
    }
    pose(ANSWER_MS);
  });

  const app = {
    root, state: channel.state, axis: null, send, ask, set, on, emit, step, jump, open, close,
    focus(axis) { app.axis = axis; show(); },
  };

  /** Sends a message and returns its number; queued changes go before questions, which are about what a user sees. */
  function send(k, fields) {
    if (queued && !/set|viewport|ack|hover/.test(k)) sendSet();
    // After "gone" any message would make it a new page.
    if (!isClosed) channel.send({ k, seq: ++seq, page, ...fields });
    return seq;
  }

  function receive(message, buffers) {
    const { k, text, seq: number } = message, answer = k !== "frame" && waiting.get(number);
    if ((message.page ?? page) !== page) return;
    // Statistics of the plane and of the tensor have the counts of the health pill.
    const { region, kind_counts, extend } = message, counted = { slice: { kind_counts, extend }, all: { tensor_kind_counts: kind_counts } }[region];
    const learned = k === "stats" ? counted : k === "search" && { tensor_has: message.tensor_has };
    if (channel.state && learned) {
      channel.state = { ...channel.state, ...learned };
      show();
    }
    if (answer) return answer(message);
    if (k === "gone") return emit(k, channel.gone);
    if (k === "error") {
      emit("note", String(text));
      settle(number);
    } else if (k === "state") settle(message.state.seq?.[page] ?? 0);
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
    emit("set");
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

  /** Drops own changes up to a number, as the kernel's state includes them. */
  function settle(answered) {
    sent = sent.filter(one => one.seq > answered);
    sets.answered(answered);
    show();
  }

  function show() {
    if (!channel.state) return;
    app.state = [...sent.map(one => one.values), queued ?? {}].reduce(withValues, channel.state);
    const axes = hiddenAxes(app.state);
    if (!axes.includes(app.axis)) app.axis = axes[0] ?? null;
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
    for (const answer of waiting.values()) answer(null);
    channel.views.delete(receive);
    send("gone");
    isClosed = true;
  }

  return app;
}

/** Numbers of the axes that have an index to choose: not shown, not reduced, and longer than one. */
export const hiddenAxes = ({ axes }) => axes.flatMap(({ role, size }, i) => role === "index" && size > 1 ? [i] : []);

/** The number of the axis that has a role, -1 without one. */
export const axisOf = ({ axes }, role) => axes.findIndex(axis => axis.role === role);

/** What is shown, whatever its elements are: the same before and after an update of them. */
export const sliceKeyOf = ({ item, axes }) => JSON.stringify([item, axes]);

/** What an axis is called. */
export const axisNameOf = ({ axes }, i) => clipped(axes[i]?.name, 40) || `axis ${i}`;

/** x and y change places, where there are both. */
export function swapAxes(app) {
  const [x, y] = ["y", "x"].map(role => axisOf(app.state, role));
  if (x >= 0 && y >= 0) app.set({ x, y });
}

/** Elements become squares, or fill the canvas where they are. */
export const switchAspect = app => app.set({ aspect: app.state.aspect === "equal" ? "auto" : "equal" });

/** A state with changed values; null for a limit "from the data", which only the kernel knows, changes nothing. */
function withValues(state, { index = {}, ...values }) {
  const out = { ...state, axes: state.axes.map((axis, i) => i in index ? { ...axis, index: index[i] } : axis) };
  for (const key in values) if (key in state && (values[key] !== null || /^(view|selection)$/.test(key))) out[key] = values[key];
  // As the kernel does: nothing is asked about a selection that has ended.
  if (!out.selection && out.region === "selection") out.region = "slice";
  return out;
}
