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
  channelOf(model);
  return () => {
    channels.get(model)?.close();
    channels.delete(model);
  };
}

function render({ model, el }) {
  const root = make("div", { class: "gpuplot", role: "group", "aria-label": "Tensor inspector" });
  const app = makeApp(channelOf(model), root);
  const [header, axes, picture, readout, limits, statistics, help] =
    [makeHeader, makeAxes, makePicture, makeReadout, makeLimits, makeStatistics, makeHelp].map(maker => maker(app));
  const parts = [header, axes, picture, readout, limits, statistics, help];
  const panels = make("div", { class: "gp-panels" }, limits.element, statistics.element);
  root.append(header.element, axes.element, picture.element, readout.element, panels, help.element);
  el.append(root);

  const update = state => { for (const part of parts) part.update(state); };
  const ends = [app.on("state", update), listenToKeys(app), () => app.close()];
  picture.expect(() => model.get("_poster"));
  app.open();

  let isOver = false;
  function end() {
    if (isOver) return;
    isOver = true;
    model.off("destroy", end);
    for (const part of parts) part.destroy();
    for (const one of ends) one();
    root.remove();
  }
  model.on("destroy", end);
  return end;
}

export default { initialize, render };
