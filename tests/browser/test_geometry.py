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
    (1e6 - 3e-9, 1e6 + 5e-9, 200, ["999999.999999998", "1000000", "1000000.000000002", "1000000.000000004"]),
])
def test_the_ticks_of_a_line_tell_values_apart(page, low, high, height, texts):
    found = page.evaluate("async ([ends, height]) => (await import('/widgets/line.js')).ticksUp(ends, height)", [[low, high], height])
    assert [text for _, text in found] == texts
    assert [value for value, _ in found] == pytest.approx([float(text) for text in texts], rel=1e-9)
    assert all(low <= value <= high for value, _ in found)


DAY = 864e5
JANUARY = 1767225600000  # 2026


@pytest.mark.parametrize("ruler, window, least, ticks", [
    (None, (0, 10, 10), 2, [[0, 0], [2, 2], [4, 4], [6, 6], [8, 8]]),
    ({"texts": ["a", "b", "c"]}, (0, 3, 3), 1, [[0, "a"], [1, "b"], [2, "c"]]),
    ({"first": 10, "step": -2.5, "is_date": False}, (0, 5, 5), 1, [[4, "0"], [2, "5"], [0, "10"]]),
    ({"first": 0.1, "step": 0.1, "is_date": False}, (1, 6, 40), 1.5, [[1, "0.2"], [3, "0.4"], [5, "0.6"]]),
    ({"first": -2e-6, "step": 1e-6, "is_date": False}, (0, 5, 5), 2, [[0, "-2e-6"], [2, "0"], [4, "2e-6"]]),
    ({"first": JANUARY, "step": DAY, "is_date": True}, (0, 5, 30), 1.5, [[0, "2026-01-01"], [2, "2026-01-03"], [4, "2026-01-05"]]),
    ({"first": JANUARY, "step": DAY, "is_date": True}, (0, 100, 100), 30, [[0, "2026-01-01"], [31, "2026-02-01"], [59, "2026-03-01"],
                                                                         [90, "2026-04-01"]]),
    ({"first": JANUARY, "step": 365.25 * DAY, "is_date": True}, (0, 30, 30), 8, [[4, "2030-01-01"], [14, "2040-01-01"], [24, "2050-01-01"]]),
    ({"first": JANUARY - 36e5, "step": 18e5, "is_date": True}, (0, 5, 5), 1, [[0, "23:00"], [1, "23:30"], [2, "2026-01-01"], [3, "00:30"],
                                                                             [4, "01:00"]]),
])
def test_ticks_of_a_ruler_are_round_and_at_their_places(page, ruler, window, least, ticks):
    found = page.evaluate("""async ([ruler, [from, to, n], least]) => {
      const r = await import("/widgets/rulers.js");
      return r.ticksOf(ruler, from, to, n, least).map(([at, text]) => [Math.round(at * 20) / 20, text]);
    }""", [ruler, window, least])
    assert [text for _, text in found] == [text for _, text in ticks]
    assert [at for at, _ in found] == pytest.approx([at for at, _ in ticks], abs=0.06)


@pytest.mark.parametrize("ruler, text", [
    (None, "3"), ({"texts": list("abcd")}, "d"), ({"first": 0.5, "step": 0.25, "is_date": False}, "1.25"),
    ({"first": JANUARY, "step": DAY, "is_date": True}, "2026-01-04"), ({"first": JANUARY, "step": 36e5, "is_date": True}, "03:00"),
    ({"first": 1e300, "step": 1e300, "is_date": True}, ""),
])
def test_the_pointers_element_is_said_as_the_ruler_does(page, ruler, text):
    assert page.evaluate("async ruler => (await import('/widgets/rulers.js')).textAt(ruler, 3)", ruler) == text


def test_a_pixel_whose_middle_is_between_two_elements_shows_the_later_one(page):
    """As the kernel has it: the index at the ruler was that of another element than the value in the line."""
    wrong = page.evaluate("""async () => {
      const { elementUnder } = await import("/widgets/geometry.js"), wrong = [];
      for (let size = 50; size < 700; size++) for (let k = 0; k < size; k++) {
        const found = elementUnder({ window: [0, 100, 0, 100], size: [size, size], plane: [100, 100] },
                                   { fraction: [(k + 0.5) / size, (k + 0.5) / size], facet: 0 });
        if (Math.floor(found.row) !== Math.floor((2 * k + 1) * 100 / (2 * size))) wrong.push([size, k, found.row]);
      }
      return wrong;
    }""")
    assert wrong == []
