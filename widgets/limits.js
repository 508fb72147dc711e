import { make } from "./elements.js";

export function makeLimits(app) {
  return { element: make("div", { class: "gp-limits" }), update() {}, destroy() {} };
}
