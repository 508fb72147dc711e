// The widget: `initialize` listens before any view exists, `render` builds one view of the model and returns its clean-up.
import { makeChannel } from "./channel.js";
import { makeApp } from "./app.js";
import { make } from "./elements.js";
import { makeHeader } from "./header.js";
import { makeAxes } from "./axes.js";
import { makePicture } from "./picture.js";
import { makeReadout } from "./readout.js";
import { makeLimits } from "./limits.js";
import { makeStatistics } from "./statistics.js";
import { listenToKeys, makeHelp } from "./keys.js";

const channels = new WeakMap();

function channelOf(model) {
  if (!channels.has(model)) channels.set(model, makeChannel(model));
  return channels.get(model);
}

function initialize({ model }) {
  const channel = channelOf(model);
  return () => {
    channel.close();
    channels.delete(model);
  };
}

function render({ model, el }) {
  const root = make("div", { class: "gpuplot", role: "group", "aria-label": "Tensor inspector" }),
    app = makeApp(channelOf(model), root);
  const parts = [makeHeader, makeAxes, makePicture, makeReadout, makeLimits, makeStatistics, makeHelp].map(maker => maker(app));
  const [header, axes, picture, readout, limits, statistics, help] = parts.map(part => part.element);
  root.append(header, axes, picture, readout, make("div", { class: "gp-panels" }, limits, statistics), help);
  el.append(root);
  app.on("state", state => { for (const part of parts) part.update(state); });
  // What nobody answers takes no input any more; the picture stays, and a line says why.
  app.on("gone", gone => { for (const part of [header, axes, picture, limits, statistics]) part.inert = Boolean(gone); });
  listenToKeys(app);
  parts[2].expect(model.get("_poster"));
  app.open();

  let isOver = false;
  function end() {
    if (isOver) return;
    isOver = true;
    model.off("destroy", end);
    for (const part of parts) part.destroy();
    app.close();
    root.remove();
  }
  model.on("destroy", end);
  return end;
}

export default { initialize, render };
