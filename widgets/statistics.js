// The table of statistics.
import { make } from "./elements.js";
import { makePanel } from "./panel.js";

/** The statistics, asked from the kernel while unfolded: `{element, update, destroy}`. */
export function makeStatistics(app) {
  const table = make("dl", { class: "gp-table" });
  const panel = makePanel(app, "Statistics", "stats", table, ({ rows }) => table.replaceChildren(
    ...rows.map(([name, text]) => make("div", {}, make("dt", { text: name }), make("dd", { text })))));
  return { ...panel, update: state => panel.update(state, state.shows.stats) };
}
