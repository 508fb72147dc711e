// The way between the kernel's model and the views of one page: listens before any view exists, keeps the newest state.

const FLOW_MS = 250;

/** One for each model. `views` are functions (message, buffers); `send` takes a whole message. */
export function makeChannel(model) {
  const views = new Set(), channel = { state: null, views, send, close };

  function listen(message, buffers = []) {
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

  function close() {
    views.clear();
    model.off("msg:custom", listen);
  }

  keep(model.get("_state"));
  model.on("msg:custom", listen);
  return channel;
}

/** Sends the newest of what it is given, at most two of them under way; what is not answered in time no longer counts. */
export function makeFlow(send) {
  let next, timer, underWay = [];

  function pump() {
    const now = performance.now(), job = next;
    clearTimeout(timer);
    underWay = underWay.filter(({ since }) => now - since < FLOW_MS);
    if (job && underWay.length > 1) timer = setTimeout(pump, FLOW_MS);
    else if (job) {
      next = null;
      underWay.push({ seq: send(job), since: now });
    }
  }

  return {
    push(job) { next = job; pump(); },
    answered(seq) { underWay = underWay.filter(one => one.seq > seq); pump(); },
    stop() { clearTimeout(timer); next = null; },
  };
}
