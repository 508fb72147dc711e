import { make } from "./elements.js";

export function makeAxes(app) {
  return { element: make("div", { class: "gp-axes" }), update() {}, destroy() {} };
}
