// The chooser's tensors that have NaN or infinities: asked for while it or one of its options has the focus, a little at a time.
import { clipped } from "./elements.js";

const NEXT_MS = 100;

/** Marks the options of a select by what the kernel finds; the function that comes back does so again, with what is known. */
export function followFlags(app, select) {
  let flags = new Map(), isAsking;
  async function ask() {
    if (isAsking || !select.contains(select.getRootNode().activeElement)) return;
    isAsking = true;
    const reply = await app.ask("flags").catch(() => ({ flags, left: 0 }));
    flags = new Map(reply.flags);
    mark();
    isAsking = false;
    if (reply.left) setTimeout(ask, NEXT_MS);
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
