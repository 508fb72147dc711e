// What a page tells the benchmark: when a canvas changed, when its kernel's frames came and were drawn, when the wheel turned.

(() => {
  const log = (window.benchmark = { changes: [], frames: [], drawn: [], wheels: [] });
  const now = () => performance.now();
  const decoder = new TextDecoder("latin1");

  // Only the head of a message is read: names and numbers, never pixels.
  function note(data, isSent) {
    const text = typeof data === "string" ? data.slice(0, 8000) : decoder.decode(new Uint8Array(data, 0, Math.min(8000, data.byteLength)));
    if (isSent && /"k": ?"ack"/.test(text) && /"drawn": ?true/.test(text)) {
      log.drawn.push([now(), Number(/"id": ?(\d+)/.exec(text)[1])]);
    }
    if (!isSent && /"k": ?"frame"/.test(text)) {
      log.frames.push([now(), Number(/"id": ?(\d+)[,}]/.exec(text.slice(text.indexOf('"frame"') - 300))?.[1]), /"final": ?true/.test(text)]);
    }
  }

  const Plain = window.WebSocket;
  window.WebSocket = class extends Plain {
    constructor(...args) {
      super(...args);
      this.addEventListener("message", ({ data }) => { if (typeof data === "string" || data instanceof ArrayBuffer) note(data, false); });
    }
    send(data) {
      note(data instanceof ArrayBuffer ? data : data.buffer ?? data, true);
      super.send(data);
    }
  };

  document.addEventListener("wheel", () => log.wheels.push(now()), { capture: true, passive: true });

  /* From now on each change of a row and a column of the canvas is noted at the animation frame that follows it. */
  window.watchCanvas = (canvas) => {
    let last = null;
    const look = () => {
      const context = canvas.getContext("2d");
      const [w, h] = [canvas.width, canvas.height];
      const row = new Uint32Array(context.getImageData(0, h >> 1, w, 1).data.buffer);
      const column = new Uint32Array(context.getImageData(w >> 1, 0, 1, h).data.buffer);
      let sum = 0;
      for (const value of row) sum = (Math.imul(sum, 31) + value) | 0;
      for (const value of column) sum = (Math.imul(sum, 31) + value) | 0;
      if (last !== null && sum !== last) log.changes.push(now());
      last = sum;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  };
})();
