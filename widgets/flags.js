// Asks which tensors have NaN or infinities, in small steps: those of the chooser while it has the focus, and the shown one while
// a slice of it is seen at rest.
import { clipped } from "./elements.js";

const NEXT_MS = 100, SEARCH_MS = 300;

/** Asks for the shown tensor: `follow(isWanted)` is called with each state, true while the answer is not known. */
export function makeSearch(app) {
  let timer, isAsking, isWanted;
  function follow(wanted) {
    isWanted = wanted;
    clearTimeout(timer);
    if (wanted && !isAsking) timer = setTimeout(ask, SEARCH_MS);
  }
  async function ask() {
    isAsking = true;
    await app.ask("search").catch(() => { isWanted = false; });
    isAsking = false;
    follow(isWanted);
  }
  return { follow, destroy: () => clearTimeout(timer) };
}

/** Marks the options of a select by the kernel's answers; returns a function that marks them again. */
export function followFlags(app, select) {
  let flags = new Map(), isAsking;
  async function ask() {
    if (isAsking || !select.contains(select.getRootNode().activeElement)) return;
    isAsking = true;
    const reply = await app.ask("flags").catch(() => ({ flags, n_left: 0 }));
    flags = new Map(reply.flags);
    mark();
    isAsking = false;
    if (reply.n_left) setTimeout(ask, NEXT_MS);
  }
  function mark() {
    for (const option of select.options) {
      const kind = flags.get(option.value), text = `${kind ? "⚠ " : ""}${clipped(option.value, 60)}`;
      if (option.text !== text) [option.text, option.title] = [text, kind ? `has ${kind}` : ""];
    }
  }
  select.addEventListener("focusin", ask);
  return mark;
}
