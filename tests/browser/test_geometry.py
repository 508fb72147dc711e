"""The arithmetic of the page: zooming holds what is under the pointer, nothing leaves its bounds; ticks of a line are round."""

import pytest

CHECK = """async () => {
  const g = await import("/widgets/geometry.js");
  let seed = 1;
  const random = (low, high) => { seed = (seed * 16807) % 2147483647; return low + (high - low) * seed / 2147483647; };
  const wrong = [];
  for (let run = 0; run < 400; run++) {
    const plane = [1 + Math.floor(random(0, 10 ** random(0, 5))), 1 + Math.floor(random(0, 10 ** random(0, 5)))];
    const lens = { plane, size: [random(50, 900), random(50, 1600)], aspect: run % 2 ? "equal" : "auto", dpr: 1 + run % 3 / 2 };
    const whole = lens.window = g.windowOn(lens, [0, plane[0], 0, plane[1]]);
    const isWhole = whole[0] <= 1e-9 && whole[2] <= 1e-9 && whole[1] >= plane[0] - 1e-6 && whole[3] >= plane[1] - 1e-6;
    if (!isWhole) wrong.push(["whole", run]);
    const held = [random(0, plane[0]), random(0, plane[1])];
    const place = () => g.spansOf(lens.window).map((span, i) => (held[i] - lens.window[2 * i]) / span);
    const at = place();
    for (let step = 0; step < 12; step++) {
      lens.window = g.zoomWindow(lens, at, random(0.5, 1));
      if (place().some((now, i) => Math.abs(now - at[i]) > 1e-6)) wrong.push(["held", run, step, at, place()]);
    }
    const [perRow, perCol] = g.spansOf(lens.window).map((span, i) => lens.size[i] / span);
    const least = g.spansOf(whole).map((span, i) => lens.size[i] / span);
    if (perRow > Math.max(128 * lens.dpr, least[0]) * 1.000001) wrong.push(["too near", run, perRow]);
    if (lens.aspect === "equal" && Math.abs(perRow / perCol - 1) > 1e-6) wrong.push(["aspect", run, perRow, perCol]);
    for (let step = 0; step < 8; step++) {
      lens.window = g.panWindow(lens, lens.window, [random(-3, 3), random(-3, 3)]);
      const [row, col] = g.elementAt(lens.window, [0.5, 0.5]);
      if (!(row >= 0 && row <= plane[0] && col >= 0 && col <= plane[1])) wrong.push(["lost", run, row, col]);
    }
    for (let step = 0; step < 60; step++) lens.window = g.zoomWindow(lens, [random(0, 1), random(0, 1)], 1.5);
    const isBack = lens.window.every((edge, i) => Math.abs(edge - whole[i]) <= 1e-6 * Math.max(...plane));
    if (!isBack) wrong.push(["back", run, lens.window, whole]);
  }
  const steps = [1, 1.2, 2.5, 7, 99, 101, 4321].map(g.niceStep);
  return [wrong.slice(0, 5), steps];
}"""


def test_the_window_of_many_planes_and_canvases(page):
    wrong, steps = page.evaluate(CHECK)
    assert wrong == []
    assert steps == [1, 2, 5, 10, 100, 200, 5000]


@pytest.mark.parametrize("low, high, height, texts", [
    (-1.05, 1.05, 200, ["-1", "-0.5", "0", "0.5", "1"]), (-9.4, 10.8, 96, ["0", "10"]), (0.1, 0.9, 96, ["0.2", "0.4", "0.6", "0.8"]),
    (1e6 - 0.05, 1e6 + 1.05, 120, ["1000000", "1000000.5", "1000001"]), (-2e9, 1.3e10, 200, ["0", "5e9", "1e10"]),
    (0, 3e-7, 150, ["0", "1e-7", "2e-7", "3e-7"]), (-1.7e308, 1.7e308, 200, []), (0, 5e-324, 200, []), (-2, 7, 0.1, ["0"]),
])
def test_the_ticks_of_a_line_tell_values_apart(page, low, high, height, texts):
    found = page.evaluate("async ([ends, height]) => (await import('/widgets/line.js')).ticksUp(ends, height)", [[low, high], height])
    assert [text for _, text in found] == texts
    assert [value for value, _ in found] == pytest.approx([float(text) for text in texts], rel=1e-9)
    assert all(low <= value <= high for value, _ in found)
