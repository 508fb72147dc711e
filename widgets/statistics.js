import { make } from "./elements.js";

export function makeStatistics(app) {
  return { element: make("div", { class: "gp-statistics" }), update() {}, destroy() {} };
}
