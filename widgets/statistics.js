// The table of statistics.
import { make } from "./elements.js";
import { makePanel } from "./panel.js";

/** The statistics, asked from the kernel while unfolded: `{element, update, destroy}`. */
export function makeStatistics(app) {
  const table = make("div", { class: "gp-table" });
  const panel = makePanel(app, "Statistics", "stats", table, ({ rows, pill, region }) => {
    // What is too long for one column, an index of many axes, has two.
    table.replaceChildren(...rows.map(([name, text]) => make("div",
      { style: name.length + text.length > 17 ? "grid-column:span 2" : "" }, make("i", { text: name }), make("span", { text }))));
    if (region === "slice") app.emit("pill", pill);
  });
  return { ...panel, update: state => panel.update(state, state.shows.stats) };
}
