// What goes between page and kernel: numbered messages, answers to questions, and the newest state for views to come.
// Each view speaks as a page of its own, so that two views of one widget, of two sizes, both get their frames.

const ANSWER_MS = 1e4, FLOW_MS = 250;

const isState = state => Boolean(state && typeof state === "object" && typeof state.kind === "string");

/** One for each model, made before any view exists. `open(handle)` gives a view its port; what answers no question goes to `handle`. */
export function makeChannel(model) {
  const ports = new Set(), first = model.get("_state");
  const channel = { state: isState(first) ? first : null, open, close };

  function listen(message, buffers) {
    if (!message || typeof message !== "object") return;
    if (message.k === "state") {
      if (!isState(message.state)) return;
      channel.state = message.state;
    }
    for (const port of [...ports]) if (message.page == null || message.page === port.page) port.receive(message, buffers ?? []);
  }

  function open(handle) {
    const port = makePort(model, handle, () => ports.delete(port));
    ports.add(port);
    return port;
  }

  function close() {
    model.off("msg:custom", listen);
    for (const port of [...ports]) port.close();
  }

  model.on("msg:custom", listen);
  return channel;
}

function makePort(model, handle, forget) {
  const page = Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(36)).join(""), waiting = new Map();
  let seq = 0, isOpen = true;

  function send(k, fields) {
    // A model whose kernel is gone may throw: the poster says so, the page goes on.
    if (isOpen) try { model.send({ k, seq: ++seq, page, ...fields }); } catch { return seq; }
    return seq;
  }

  function ask(k, fields) {
    return new Promise((resolve, reject) => {
      const number = send(k, fields), timer = setTimeout(() => settle(number, { k: "error", text: "The kernel has not answered" }), ANSWER_MS);
      waiting.set(number, { resolve, reject, timer });
    });
  }

  function settle(number, message) {
    const { resolve, reject, timer } = waiting.get(number);
    waiting.delete(number);
    clearTimeout(timer);
    if (message.k === "error") reject(new Error(message.text)); else resolve(message);
  }

  function receive(message, buffers) {
    if (message.k !== "frame" && waiting.has(message.seq)) settle(message.seq, message); else handle(message, buffers);
  }

  function close() {
    isOpen = false;
    forget();
    for (const number of [...waiting.keys()]) settle(number, { k: "error", text: "closed" });
  }

  return { page, send, ask, receive, close };
}

/** Sends the newest of what it is given, at most two of them under way; what is not answered in time no longer counts. */
export function makeFlow(send) {
  let next = null, timer = 0, underWay = [];

  function pump() {
    clearTimeout(timer);
    const now = performance.now();
    underWay = underWay.filter(({ since }) => now - since < FLOW_MS);
    if (next === null) return;
    if (underWay.length > 1) { timer = setTimeout(pump, FLOW_MS); return; }
    const job = next;
    next = null;
    underWay.push({ seq: send(job), since: now });
  }

  return {
    push(job) { next = job; pump(); },
    answered(seq) { underWay = underWay.filter(one => one.seq > seq); pump(); },
    stop() { clearTimeout(timer); next = null; },
  };
}
