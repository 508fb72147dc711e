// The way between the kernel's model and the views of one page: listens before any view exists, keeps the newest state.
import { min } from "./geometry.js";

const FLOW_MS = 250, MOST_PATIENCE_MS = 3e4;

/** One for each model. `views` are functions (message, buffers); `send` takes a whole message. */
export function makeChannel(model) {
  const views = new Set(), channel = { state: null, gone: "", views, send, close },
    link = model.widget_manager?.kernel?.connectionStatusChanged;

  function listen(message, buffers = []) {
    setGone("");
    const isState = message?.k === "state";
    if (isState && !keep(message.state)) return;
    if (message) for (const view of [...views]) view(message, buffers);
  }

  function keep(state) {
    const isWhole = Array.isArray(state?.axes);
    if (isWhole) channel.state = state;
    return isWhole;
  }

  function send(message) {
    // A model whose kernel is gone may throw: the poster says so, the page goes on.
    try { model.send(message); } catch { return; }
  }

  /** How the kernel was lost, as far as the host tells; a message from it proves that it was not. */
  function setGone(how) {
    if (how === channel.gone) return;
    channel.gone = how;
    for (const view of [...views]) view({ k: "gone" });
  }

  // JupyterLab and Notebook say of the models of a kernel that it ended or was started again; of one that was shut down, or that
  // the network does not reach, they end the connection, and only that may come back.
  const lose = () => setGone("dead");
  function follow(_, status) {
    if (status === "disconnected") setGone("cut");
    if (status === "connected" && channel.gone === "cut") setGone("");
  }

  function close() {
    views.clear();
    model.off("msg:custom", listen);
    model.off("comm_live_update", lose);
    link?.disconnect(follow);
  }

  keep(model.get("_state"));
  model.on("msg:custom", listen);
  model.on("comm_live_update", lose);
  link?.connect(follow);
  return channel;
}

/**
 * Sends the newest of what it is given, at most two of them under way; what is not answered in time no longer counts. With
 * `patience` in ms, it is sent again, ever less often, until anything is answered.
 */
export function makeFlow(send, patience) {
  let next, timer, reminder, underWay = [];

  function pump() {
    const now = performance.now(), job = next;
    clearTimeout(timer);
    underWay = underWay.filter(({ since }) => now - since < FLOW_MS);
    if (job && underWay.length > 1) timer = setTimeout(pump, FLOW_MS);
    else if (job) {
      next = null;
      underWay.push({ seq: send(job), since: now });
      if (patience) remind(job, patience);
    }
  }

  function remind(job, ms) {
    clearTimeout(reminder);
    reminder = setTimeout(() => {
      send(job);
      remind(job, min(2 * ms, MOST_PATIENCE_MS));
    }, ms);
  }

  return {
    push(job) { next = job; pump(); },
    answered(seq) {
      if (seq) patience = 0;
      if (!patience) clearTimeout(reminder);
      underWay = underWay.filter(one => one.seq > seq);
      pump();
    },
    stop() {
      for (const id of [timer, reminder]) clearTimeout(id);
      next = null;
    },
  };
}
