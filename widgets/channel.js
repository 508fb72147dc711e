// Connects the kernel's model with the views of one page: listens before any view exists, keeps the newest state.
import { min } from "./geometry.js";

const FLOW_MS = 250, MAX_PATIENCE_MS = 3e4;

/** One for each model. `views` are functions (message, buffers); `send` takes a whole message. */
export function makeChannel(model) {
  const views = new Set(), channel = { state: null, gone: "", views, send, close },
    link = model.widget_manager?.kernel?.connectionStatusChanged;

  function listen(message, buffers = []) {
    setGone(message?.k === "closed" ? "closed" : "");
    if (message?.k === "state" && !storeState(message.state)) return;
    if (message) for (const view of [...views]) view(message, buffers);
  }

  function storeState(state) {
    const isWhole = Array.isArray(state?.axes);
    if (isWhole) channel.state = state;
    return isWhole;
  }

  function send(message) {
    // The model of a dead kernel may throw.
    try { model.send(message); } catch { return; }
  }

  /** Sets how the kernel was lost, or that the inspector was closed, "" for neither; each message from the kernel resets it. */
  function setGone(how) {
    // A closed inspector stays so, whatever was on its way, and whatever its kernel does.
    if ([how, "closed"].includes(channel.gone)) return;
    channel.gone = how;
    for (const view of [...views]) view({ k: "gone" });
  }

  // JupyterLab and Notebook report to models that a kernel died or was restarted; where it was shut down, or the network is cut,
  // they disconnect, and only a connection may come back.
  const noteDead = () => setGone("dead");
  function follow(_, status) {
    if (status === "disconnected") setGone("cut");
    if (status === "connected" && channel.gone === "cut") setGone("");
  }

  function close() {
    views.clear();
    model.off("msg:custom", listen);
    model.off("comm_live_update", noteDead);
    link?.disconnect(follow);
  }

  storeState(model.get("_state"));
  model.on("msg:custom", listen);
  model.on("comm_live_update", noteDead);
  link?.connect(follow);
  return channel;
}

/**
 * Sends the newest of what it is given, at most two of them under way; those that are not answered in time no longer count. With
 * `repeatMs`, a job is sent again at growing intervals until one is answered.
 */
export function makeFlow(send, repeatMs) {
  let next, timer, reminder, underWay = [];

  function pump() {
    const now = performance.now(), job = next;
    clearTimeout(timer);
    underWay = underWay.filter(({ since }) => now - since < FLOW_MS);
    if (job && underWay.length > 1) timer = setTimeout(pump, FLOW_MS);
    else if (job) {
      next = null;
      underWay.push({ seq: send(job), since: now });
      if (repeatMs) repeat(job, repeatMs);
    }
  }

  function repeat(job, ms) {
    clearTimeout(reminder);
    reminder = setTimeout(() => {
      send(job);
      repeat(job, min(2 * ms, MAX_PATIENCE_MS));
    }, ms);
  }

  return {
    push(job) { next = job; pump(); },
    answered(seq) {
      if (seq) repeatMs = 0;
      if (!repeatMs) clearTimeout(reminder);
      underWay = underWay.filter(one => one.seq > seq);
      pump();
    },
    stop() {
      [timer, reminder].forEach(clearTimeout);
      next = null;
    },
  };
}
