import { make } from "./elements.js";

export function makeReadout(app) {
  return { element: make("div", { class: "gp-readout" }), update() {}, destroy() {} };
}
