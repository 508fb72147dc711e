// The selected box: from a drawn box to elements, and their statistics, asked again when they change.
import { ceil, floor, max, min } from "./geometry.js";

const PAUSE_MS = 250;

/** Rows and columns of the plane that a drawn box [row, row, col, col] touches, as the state has them; null for none. */
export function touchedBy(drawn, { plane, kind }) {
  const parts = plane.map((n, i) => {
    const ends = drawn.slice(2 * i, 2 * i + 2), first = floor(min(...ends));
    return kind === "line" && !i ? [0, 1] : [max(first, 0), min(max(ceil(max(...ends)), first + 1), n)];
  });
  return parts.every(([first, stop]) => first < stop) ? parts : null;
}

/** Calls `show` with size and statistics of the selection, in the form of an answer to `hover`, or with null. */
export function followSelection(app, show) {
  let answeredKey = "", isAsking;
  async function follow() {
    const { selection, item, data } = app.state, key = selection ? [item, data, selection].join() : "";
    if (isAsking || key === answeredKey) return;
    answeredKey = key;
    if (!selection) return show(null);
    isAsking = true;
    const { rows, text } = await app.ask("stats", { region: "selection" }).catch(({ message }) => ({ rows: [], text: message }));
    const sides = selection.map(([first, stop]) => stop - first).slice(app.state.kind === "line" ? 1 : 0);
    show({ index: `${sides.join(" × ")} selected:`, value: text, lines: rows.filter(([name]) => /^(min|mean|max|NaN|.Inf)$/.test(name)) });
    setTimeout(() => { isAsking = false; follow(); }, PAUSE_MS);
  }
  app.on("state", follow);
}
