// A fake kernel for the front end: an AFM model that records what the page sends, and a fake app for single parts.

/* The connection to the kernel, as JupyterLab's manager of widgets shows it. */
class FakeSignal {
  followers = new Set();
  connect(f) { this.followers.add(f); }
  disconnect(f) { this.followers.delete(f); }
  emit(value) { for (const f of this.followers) f(this, value); }
}

class FakeModel {
  widget_manager = { kernel: { connectionStatusChanged: new FakeSignal() } };
  constructor(traits, replies) {
    this.traits = traits;
    this.replies = replies; // {k: fields of the reply, or a function of the message}
    this.sent = [];
    this.listeners = [];
    this.saves = 0;
  }
  get(name) { return this.traits[name]; }
  set(name, value) {
    this.traits[name] = value;
    this.#tell(`change:${name}`, undefined, value);
    this.#tell("change");
  }
  save_changes() { this.saves += 1; }
  on(event, callback) { for (const name of event.split(" ")) this.listeners.push({ name, callback }); }
  off(event, callback) {
    this.listeners = this.listeners.filter((one) =>
      (event && !event.split(" ").includes(one.name)) || (callback && callback !== one.callback));
  }
  send(content, callbacks, buffers) {
    const message = structuredClone(content); // what cannot be sent throws here, too
    JSON.stringify(message);
    this.sent.push(message);
    const reply = this.replies[message.k];
    if (reply !== undefined) {
      const fields = typeof reply === "function" ? reply(message) : reply;
      queueMicrotask(() => this.deliver({ k: message.k, seq: message.seq, page: message.page, ...fields }, []));
    }
  }
  deliver(content, buffers) { this.#tell("msg:custom", content, buffers); }
  tell(name) { this.#tell(name); }
  #tell(name, ...args) {
    for (const one of [...this.listeners]) if (one.name === name) one.callback(...args);
  }
}

const views = []; // {model, host, el, clean, shared}
window.views = views;

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

/* A DataView that does not begin at the start of its buffer: as hosts deliver them. */
function viewOf(base64, offset = 4) {
  const bytes = bytesOf(base64);
  const whole = new Uint8Array(bytes.length + offset);
  whole.set(bytes, offset);
  return new DataView(whole.buffer, offset, bytes.length);
}

async function addStyle(root) {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = "/widgets/inspector.css";
  const loaded = new Promise((resolve) => { link.onload = link.onerror = resolve; });
  (root === document ? document.head : root).append(link);
  await loaded;
}

async function makePlace({ width, height, shadow, scheme }) {
  const host = document.createElement("div");
  host.style.width = `${width}px`;
  if (height) host.style.height = `${height}px`;
  host.className = "host";
  document.body.append(host);
  if (scheme) document.documentElement.style.colorScheme = scheme;
  const root = shadow ? host.attachShadow({ mode: "open" }) : document;
  await addStyle(root);
  const el = document.createElement("div");
  el.className = "view";
  (shadow ? root : host).append(el);
  return { host, el };
}

/* One view on a new model, or one more on the model of view `like`; answers the number of the view. */
window.mountWidget = async (options) => {
  const widget = (await import(options.module)).default;
  const first = options.like === null ? null : views[options.like];
  const traits = { _state: options.state, _poster: options.poster && viewOf(options.poster), ...options.traits };
  const model = first ? first.model : new FakeModel(traits, options.replies);
  const shared = first ? first.shared : { clean: await widget.initialize?.({ model, signal: undefined }) };
  const { host, el } = await makePlace(options);
  const clean = await widget.render({ model, el });
  views.push({ model, host, el, clean, shared });
  return views.length - 1;
};

/* A view goes, as when its cell is deleted; answers how many elements it left behind. */
window.removeWidget = async (number) => {
  const { clean, host, el } = views[number];
  await clean?.();
  host.remove();
  return el.childElementCount;
};

/* The model goes away, as when the kernel closes the widget. */
window.endWidget = async (number) => { await views[number].shared.clean?.(); };

window.sentBy = (number) => views[number].model.sent;
window.listenersOf = (number) => views[number].model.listeners.map((one) => one.name);
window.setTrait = (number, name, value) => views[number].model.set(name, value);
window.deliverTo = (number, content, buffers) =>
  views[number].model.deliver(content, buffers.map((text) => viewOf(text)));

/* A canvas's pixels, as base64 of RGBA bytes, with its size; `root` is a view's element. */
window.pixelsOf = (canvas) => {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  let letters = "";
  for (let i = 0; i < data.length; i += 0x8000) letters += String.fromCharCode(...data.subarray(i, i + 0x8000));
  return { width, height, data: btoa(letters) };
};

// Single parts, made by makeX(app) of a module.

class FakeApp {
  constructor(state, replies, root) {
    Object.assign(this, { state, replies, root, axis: null });
    this.calls = []; // [name, ...arguments]
    this.listeners = {};
    for (const name of ["step", "jump", "play", "help"]) this[name] = (...args) => { this.calls.push([name, ...args]); };
  }
  focus(axis) {
    this.calls.push(["focus", axis]);
    this.axis = axis;
    this.emit("axis", axis);
  }
  set(values) { this.calls.push(["set", structuredClone(values)]); }
  send(k, fields) { this.calls.push(["send", k, structuredClone(fields)]); }
  hand(...args) { this.calls.push(["hand", ...args.map((arg) => (arg instanceof Event ? arg.type : arg))]); }
  ask(k, fields) {
    this.calls.push(["ask", k, structuredClone(fields)]);
    const reply = this.replies[k];
    if (reply === undefined) return new Promise(() => {});
    return reply.error ? Promise.reject(new Error(reply.error)) : Promise.resolve({ k, ...fields, ...reply });
  }
  on(event, callback) {
    (this.listeners[event] ??= new Set()).add(callback);
    return () => this.listeners[event].delete(callback);
  }
  emit(event, detail) {
    this.calls.push(["emit", event, detail]);
    for (const callback of this.listeners[event] ?? []) callback(detail);
  }
}

window.mountPart = async (options) => {
  const make = (await import(`/widgets/${options.module}`))[options.maker];
  const { host, el } = await makePlace(options);
  const app = new FakeApp(options.state, options.replies, el);
  el.classList.add(...options.classes);
  const part = make(app);
  el.append(part.element);
  part.update(app.state);
  views.push({ app, part, host, el });
  return views.length - 1;
};
window.updatePart = (number, state) => {
  const { app, part } = views[number];
  app.state = state;
  part.update(state);
  for (const callback of app.listeners.state ?? []) callback(state);
};
window.isReady = true;
