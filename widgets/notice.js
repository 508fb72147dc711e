// A notice in place of the picture: a text of the kernel's, or the poster while nothing was drawn yet.
import { make } from "./elements.js";

const POSTER_MS = 1000;

/** `isEmpty` tells whether there is neither a frame nor a text. */
export function makeNotice(isEmpty) {
  const element = make("div", { class: "gp-poster", hidden: true });
  let poster, timer;

  function show(text, image) {
    element.hidden = !text;
    element.replaceChildren(make("p", { text }));
    if (/^data:image\//.test(image)) element.prepend(make("img", { src: image, alt: "When the cell was run" }));
  }

  /** The poster that is shown if no frame comes soon after the picture becomes visible. */
  function expect(given) { poster = given; }

  function wait() {
    timer ??= setTimeout(() => { if (isEmpty()) show("The kernel is busy or not running.", poster); }, POSTER_MS);
  }

  return { element, show, expect, wait, stop: () => clearTimeout(timer) };
}
