"""Limits of colors: handles, number boxes and buttons, by pointer and keyboard."""

import itertools

import pytest

from .states import BINS, make_state, see_bins


def handle(view, side):
    return view.locator(f"input[type=range][aria-label='Limit {side}']")


def box(view, side):
    return view.locator(f"input[aria-label^='{side},']")


def value_of(view, side):
    """What a handle says it stands at."""
    return float(handle(view, side).get_attribute("aria-valuetext"))


@pytest.mark.parametrize("mode", [None, "phase", "amplitude_phase", "log10_amplitude_phase"])
def test_bars_of_amplitudes_do_not_take_the_colors_of_phases(limits, mode):
    view = limits(make_state(complex_mode=mode))
    see_bins(view)
    painted = view.locator("[role=img]").evaluate("bars => bars.style.background")
    assert (make_state()["colors"]["bar"][5] in painted) == (mode in (None, "phase"))


@pytest.mark.parametrize("mode, ends", [("phase", [-0.625, 1.625]), ("amplitude_phase", [0, 1])])
def test_limits_of_phases_make_no_room_beside_amplitudes(limits, mode, ends):
    view = limits(make_state(complex_mode=mode, vmin=-9.0, vmax=9.0))
    see_bins(view)
    assert [float(handle(view, "vmin").get_attribute(end)) for end in ("min", "max")] == ends


def test_a_handle_is_dragged_and_sends_while_it_moves(limits):
    view = limits()
    see_bins(view)
    plot = view.locator(".gp-plot").bounding_box()
    start, top = plot["x"] + plot["width"] * 3 / 8, plot["y"] + 20
    view.page.mouse.move(start, top)
    view.page.mouse.down()
    view.page.mouse.move(start - plot["width"] / 4, top, steps=4)
    assert view.wait_call("set", count=4)[0]["vmin"] == pytest.approx(-3, abs=0.02)
    view.update(make_state(vmin=2.0, vmax=3.0))
    assert value_of(view, "vmin") == pytest.approx(-3, abs=0.02)
    assert float(box(view, "vmin").input_value()) == pytest.approx(-3, abs=0.02)
    view.page.mouse.up()
    view.update(make_state(vmin=2.0, vmax=3.0))
    assert value_of(view, "vmin") == 2


def test_a_handle_stops_at_the_other(limits):
    view = limits()
    see_bins(view)
    plot = view.locator(".gp-plot").bounding_box()
    view.page.mouse.move(plot["x"] + plot["width"] * 5 / 8, plot["y"] + 20)
    view.page.mouse.down()
    view.page.mouse.move(0, plot["y"] + 20, steps=3)
    view.page.mouse.up()
    assert view.calls("set")[-1] == [{"vmax": -1}]
    assert value_of(view, "vmax") == -1


def test_handles_at_the_upper_end_can_both_be_taken_away(limits):
    view = limits(make_state(vmin=4.0, vmax=4.0))
    see_bins(view)
    plot = view.locator(".gp-plot").bounding_box()
    view.page.mouse.move(plot["x"] + plot["width"], plot["y"] + 20)
    view.page.mouse.down()
    view.page.mouse.move(plot["x"] + plot["width"] / 2, plot["y"] + 20, steps=3)
    view.page.mouse.up()
    assert view.calls("set")[-1] == [{"vmin": pytest.approx(0, abs=0.05)}]


@pytest.mark.parametrize("side, key, value", [
    ("vmin", "ArrowRight", -0.92), ("vmax", "ArrowDown", 0.92), ("vmax", "PageUp", 1.8), ("vmax", "End", 4), ("vmin", "Home", -4),
    ("vmax", "Home", -1), ("vmin", "End", 1),
])
def test_a_handle_obeys_keys(limits, side, key, value):
    view = limits()
    see_bins(view)
    handle(view, side).press(key)
    assert view.calls("set") == [[{side: pytest.approx(value)}]]


# Bins as a logarithm makes them: each from 10^i to 10^(i + 1).
LOG_BINS = {**BINS, "counts": [5, 5, 5, 5], "edges": [0.01, 0.1, 1, 10, 100], "low": 0.01, "high": 100, "n_outside": 12_000,
            "ticks": [[0, "0.01"], [0.5, "1"], [1, "100"]]}


def test_bins_as_the_norm_makes_them_are_drawn_equally_wide(limits):
    view = limits(make_state(vmin=0.1, vmax=55.0), replies={"histogram": LOG_BINS})
    see_bins(view)
    assert [float(handle(view, side).input_value()) for side in ("vmin", "vmax")] == pytest.approx([0.25, 0.875])
    ticks = view.locator(".gp-scale i")
    assert ticks.all_inner_texts() == ["0.01", "1", "100"]
    assert ticks.evaluate_all("all => all.map(one => one.style.left)") == ["0%", "50%", "100%"]
    assert view.locator(".gp-limits > i").all_inner_texts() == ["25 % below, 12k ≤ 0", ""]
    handle(view, "vmin").press("ArrowRight")
    assert view.calls("set") == [[{"vmin": pytest.approx(0.136)}]]


@pytest.mark.parametrize("low, high, moved", [
    (1.7e9, 1.7e9 + 1e-3, 1.7e9 + 1e-5), (2.0**53, 2.0**53 + 64, 2.0**53), (-1.0, 99.0, 0.0), (0.0, 0.3, 0.003),
])
def test_handles_move_to_round_numbers_however_far_from_zero(limits, low, high, moved):
    view = limits(make_state(vmin=low, vmax=high), replies={"histogram": {**BINS, "low": low, "high": high}})
    see_bins(view)
    handle(view, "vmin").press("ArrowRight")
    assert view.calls("set") == [[{"vmin": pytest.approx(moved, rel=1e-15)}]]


INT = {**make_state()["tensor"], "dtype": "uint8"}
MEANS = [{**make_state()["axes"][0], "role": "reduce", "op": "mean"}, *make_state()["axes"][1:]]
LEVELS = {**BINS, "counts": [9] * 6, "low": -0.5, "high": 5.5}


@pytest.mark.parametrize("changes, is_whole", [
    ({"tensor": INT}, True), ({"tensor": {**INT, "dtype": "bool"}}, True), ({"tensor": INT, "agg": "mean"}, True),
    ({"tensor": INT, "agg": "std"}, False), ({"tensor": INT, "axes": MEANS}, False), ({}, False),
])
def test_handles_land_on_whole_numbers_where_elements_are_integers(limits, changes, is_whole):
    view = limits(make_state(vmin=-0.5, vmax=5.5, **{"agg": "nearest", **changes}), replies={"histogram": LEVELS})
    see_bins(view)
    plot = view.locator(".gp-plot").bounding_box()
    view.page.mouse.move(plot["x"], plot["y"] + 20)
    view.page.mouse.down()
    view.page.mouse.move(plot["x"] + plot["width"] * 0.45, plot["y"] + 20, steps=3)
    view.page.mouse.up()
    assert view.calls("set")[-1] == [{"vmin": 2 if is_whole else pytest.approx(2.2, abs=0.1)}]


@pytest.mark.parametrize("norm, bins", [("linear", LEVELS), ("log", {**LEVELS, "edges": [0.5, 1.5, 3.5, 8.5], "high": 8.5})])
def test_a_key_moves_a_handle_over_integers_by_one_at_least(limits, norm, bins):
    view = limits(make_state(vmin=1.0, vmax=3.0, tensor=INT, norm=norm), replies={"histogram": bins})
    see_bins(view)
    for key, value in [("ArrowLeft", 2), ("ArrowLeft", 1), ("ArrowLeft", 1), ("ArrowRight", 2)]:
        handle(view, "vmax").press(key)
        assert view.calls("set")[-1] == [{"vmax": value}]


@pytest.mark.parametrize("low, width, moved", [(1_700_000_000_000_000, 100, [1, 2, 3]), (2**60, 102_400, [1024, 2048, 3072])])
def test_keys_move_a_handle_on_among_integers_of_many_digits(limits, low, width, moved):
    ends = {"low": float(low), "high": float(low + width)}
    view = limits(make_state(vmin=ends["low"], vmax=ends["high"], tensor=INT), replies={"histogram": {**BINS, **ends}})
    see_bins(view)
    for by in moved:
        handle(view, "vmin").press("ArrowRight")
        assert view.calls("set")[-1] == [{"vmin": pytest.approx(low + by, abs=5e-16 * low)}]


@pytest.mark.parametrize("tensor, edges, lowest", [
    (INT, [0.5, 1.5, 2.5, 3.5], 1), (make_state()["tensor"], [1e-300, 1e-100, 1e100, 1e300], 1e-300)])
def test_a_limit_of_a_logarithm_is_never_moved_to_zero(limits, tensor, edges, lowest):
    bins = {**BINS, "counts": [5] * 3, "low": edges[0], "high": edges[-1], "edges": edges}
    view = limits(make_state(vmin=1.0, vmax=3.0, norm="log", tensor=tensor), replies={"histogram": bins})
    see_bins(view)
    for key in ("ArrowLeft", "Home"):
        handle(view, "vmin").press(key)
    assert view.calls("set")[-1] == [{"vmin": pytest.approx(lowest)}]


def test_a_limit_beyond_the_bins_makes_room_for_its_handle(limits):
    view = limits(make_state(vmin=-8.0, vmax=1e9), replies={"histogram": {**BINS, "ticks": [[0.5, "0"]]}})
    see_bins(view)
    assert [float(handle(view, "vmin").get_attribute(end)) for end in ("min", "max")] == [-0.5, 2]
    ticks = view.locator(".gp-scale i").evaluate_all("all => all.map(one => [one.textContent, one.style.left])")
    assert ticks == [["-5", "15%"], ["0", "40%"], ["5", "65%"], ["10", "90%"]]  # of what is shown, beside the bins as well


def colors_at(view, shares):
    """The colors of the bars at shares of the plot's width, uint8 (n, 3): as its background paints them."""
    return view.locator("[role=img]").evaluate("""(bars, shares) => {
      const stops = [], inner = getComputedStyle(bars).backgroundImage.match(/rgb\\([^)]*\\) -?[\\d.e+]+%/g) ?? [];
      for (const stop of inner) stops.push([stop.match(/\\d+/g).slice(0, 3).map(Number), parseFloat(stop.match(/(\\S+)%$/)[1]) / 100]);
      return shares.map(share => {
        const next = stops.findIndex(([, at]) => at > share), [[one, from], [other, to]] = [stops[next - 1], stops[next]];
        return one.map((level, i) => level + (other[i] - level) * (share - from) / (to - from));
      });
    }""", shares)


GRAYS = [f"#{4 * i:02x}{4 * i:02x}{4 * i:02x}" for i in range(64)]


@pytest.mark.parametrize("edges", [None, [50 * (i / 64) ** 2 for i in range(65)]], ids=["linear", "bent"])
def test_bars_have_the_colors_of_their_values_however_far_a_limit_is(limits, edges):
    """They had all colors between the ends of the plot."""
    state = make_state(vmin=0.0, vmax=50.0, colors={**make_state()["colors"], "bar": GRAYS, "edges": edges})
    view = limits(state, replies={"histogram": {**BINS, "low": 0.0, "high": 1.0}})
    see_bins(view)
    assert handle(view, "vmax").get_attribute("max") == "2"
    values = [0.1, 0.5, 0.9]
    wanted = [252 * (value / 50 if edges is None else (value / 50) ** 0.5) for value in values]
    found = colors_at(view, [value / 2 for value in values])
    assert [red for red, *_ in found] == pytest.approx(wanted, abs=1.5)


def test_a_handle_whose_limit_is_off_the_plot_says_so_and_keeps_it_until_it_is_dragged_away(limits):
    view = limits(make_state(vmin=0.0, vmax=50.0), replies={"histogram": {**BINS, "low": 0.0, "high": 1.0}})
    see_bins(view)
    vmax, plot = handle(view, "vmax"), view.locator(".gp-plot").bounding_box()
    assert (vmax.get_attribute("title"), vmax.get_attribute("class")) == ("vmax 50 is beyond the histogram", "is-beyond")
    assert handle(view, "vmin").get_attribute("title") == "Limit vmin"
    edge, y = plot["x"] + plot["width"], plot["y"] + 20
    view.page.mouse.move(edge, y)
    view.page.mouse.down()
    for x in (edge - 2, edge + 40, edge):
        view.page.mouse.move(x, y)
    assert view.calls("set") == [] and value_of(view, "vmax") == 50
    view.page.mouse.move(edge - plot["width"] / 4, y, steps=3)
    assert view.calls("set")[-1] == [{"vmax": pytest.approx(1.5, abs=0.02)}]
    assert vmax.get_attribute("class") == "" and vmax.get_attribute("title") == "Limit vmax"
    view.page.mouse.move(edge + 40, y, steps=3)
    view.page.mouse.up()
    assert view.calls("set")[-1] == [{"vmax": 50}]


def test_ticks_that_would_meet_another_are_left_out(limits):
    edges, ticks = [1.0, 1.5, 2.0], [[share / 10, f"1.0000000{share}"] for share in range(11)]
    view = limits(make_state(vmin=1.0, vmax=2.0), replies={"histogram": {**BINS, "low": 1, "high": 2, "edges": edges, "ticks": ticks}})
    see_bins(view)
    boxes = [tick.bounding_box() for tick in view.locator(".gp-scale i").all()]
    assert 1 < len(boxes) < 11
    assert all(one["x"] + one["width"] <= other["x"] for one, other in itertools.pairwise(boxes))


def test_ticks_of_a_narrow_scale_do_not_touch(limits):
    """Letters were taken for narrower than they are: "4000050000" was read."""
    ticks = [[share, f"{i}0000"] for i, share in enumerate([0.2, 0.4, 0.6, 0.8, 0.995], start=1)]
    bins = {**BINS, "low": 6, "high": 50230, "edges": [6, 25118, 50230], "ticks": ticks}
    view = limits(make_state(vmin=6, vmax=50230), replies={"histogram": bins}, width=276)
    see_bins(view)
    boxes = [tick.bounding_box() for tick in view.locator(".gp-scale i").all()]
    assert all(one["x"] + one["width"] + 4 <= other["x"] for one, other in itertools.pairwise(boxes)) and len(boxes) >= 4


@pytest.mark.parametrize("places", [(0.05, 0.9), (0, 1), (0.01, 0.98)])
def test_long_ticks_stay_below_the_histogram(limits, places):
    """They reached beyond the page."""
    edges, ticks = [9e18, 9.1e18, 9.2e18], [[place, "9223372036854000000"] for place in places]
    bins = {**BINS, "low": edges[0], "high": edges[-1], "edges": edges, "ticks": ticks}
    view = limits(make_state(vmin=edges[0], vmax=edges[-1]), replies={"histogram": bins}, width=400)
    see_bins(view)
    scale, *boxes = [one.bounding_box() for one in view.locator(".gp-scale, .gp-scale i").all()]
    assert len(boxes) == 2
    assert all(scale["x"] - 1 <= one["x"] and one["x"] + one["width"] <= scale["x"] + scale["width"] + 1 for one in boxes)


def test_classes_have_sharp_edges_in_the_histogram_and_whole_numbers_below(limits):
    colors = {**make_state()["colors"], "bar": ["#112233", "#445566", "#778899"]}
    state = make_state(vmin=-0.5, vmax=2.5, is_categorical=True, colors=colors, tensor={**make_state()["tensor"], "dtype": "uint8"})
    view = limits(state, replies={"histogram": {"counts": [5, 5, 5], "low": -0.5, "high": 2.5, "n_outside": 0}})
    see_bins(view)
    ends = view.locator("[role=img]").evaluate("""bars => [...bars.style.background.matchAll(/(#\\w+) ([\\d.]+)% ([\\d.]+)%/g)]
      .map(([, color, start, end]) => [color, Math.round(start), Math.round(end)])""")
    assert ends == [["#112233", 0, 33], ["#445566", 33, 67], ["#778899", 67, 100]]
    assert view.locator(".gp-scale i").all_inner_texts() == ["0", "1", "2"]


@pytest.mark.parametrize("kind", [{}, {"is_categorical": True}, {"is_rgb": True}], ids=["numbers", "classes", "colors"])
def test_only_numbers_have_limits_to_set(limits, kind):
    """Of classes they could be dragged and typed, and nothing changed."""
    view = limits(make_state(**kind))
    see_bins(view)
    shown = [one.is_visible() for one in view.locator("input, .gp-limits button").all()]
    assert len(shown) == 8 and set(shown) == {not kind}


@pytest.mark.parametrize("low, text", [(1.0, "1"), (1.0000001, "1.0000001"), (-2.5, "-2.5")])
def test_limits_close_to_each_other_are_written_with_the_digits_that_differ(limits, low, text):
    view = limits(make_state(vmin=low, vmax=low + 1e-6))
    assert view.locator(".gp-box").first.input_value() == text
    view.update(make_state(vmin=0.30000001192092896, vmax=0.30000001192092896))
    assert view.locator(".gp-box").first.input_value() == "0.3"


@pytest.mark.parametrize("number, text", [
    (-3.43626, "-3.43626"), (2.4e-6, "2.4e-6"), (46116900000.0, "4.61169e10"), (-1.25e-300, "-1.25e-300"), (123456, "123456"),
    (-0.00426734, "-0.00426734"), (0.00426734, "0.00426734"),
])
def test_limits_are_written_short(limits, number, text):
    view = limits(make_state(vmin=number, vmax=1e300))
    assert box(view, "vmin").input_value() == text


@pytest.mark.parametrize("typed, value", [("1e-3", 0.001), (" -2.5 ", -2.5), ("−3", -3), ("", None)])
def test_a_limit_is_typed(limits, typed, value):
    view = limits()
    box(view, "vmin").fill(typed)
    box(view, "vmin").press("Enter")
    assert view.calls("set") == [[{"vmin": value}]]


def test_what_is_no_number_is_said_in_words_and_sent_nowhere(limits):
    view = limits()
    box(view, "vmax").fill("many")
    box(view, "vmax").press("Enter")
    assert view.calls("set") == []
    assert next(call[1] for call in view.calls("emit") if call[0] == "note").startswith('vmax: "many" is not a number')
    box(view, "vmax").blur()
    assert box(view, "vmax").input_value() == "1"
    # The words go with the mistake.
    box(view, "vmax").fill("3")
    box(view, "vmax").press("Enter")
    assert view.wait_call("set") == [{"vmax": 3}] and view.calls("emit")[-1] == ["note", ""]


@pytest.mark.parametrize("vmax, text", [(1e21, "1e21"), (1.5e22, "1.5e22"), (123e20, "1.23e22"), (1e-7, "1e-7"), (123_456.7, "123457")])
def test_powers_of_ten_are_written_in_one_way(limits, vmax, text):
    assert box(limits(make_state(vmin=0.0, vmax=vmax)), "vmax").input_value() == text


def test_a_state_does_not_change_what_is_being_typed(limits):
    view = limits()
    box(view, "vmin").fill("0.")
    view.update(make_state(vmin=-7.0))
    assert box(view, "vmin").input_value() == "0." and box(view, "vmax").input_value() == "1"


def test_a_box_says_that_its_limit_is_fixed_while_it_has_the_focus(limits):
    view = limits()
    box(view, "vmin").focus()
    view.update(make_state(is_fixed={"vmin": True, "vmax": False}))
    assert "fixed" in box(view, "vmin").get_attribute("aria-label")


def test_boxes_tell_a_fixed_limit_from_one_of_the_data(limits):
    view = limits(make_state(is_fixed={"vmin": True, "vmax": False}))
    assert "fixed" in box(view, "vmin").get_attribute("aria-label") and "from the data" in box(view, "vmax").get_attribute("aria-label")
    colors = [box(view, side).evaluate("box => getComputedStyle(box).color") for side in ("vmin", "vmax")]
    assert colors[0] != colors[1]


@pytest.mark.parametrize("how", ["full", "robust", "snap"])
def test_buttons_choose_limits_over_the_region(limits, how):
    view = limits(make_state(region="view"))
    view.locator(f".gp-limits button:text-is('{how}')").click()
    assert view.calls("send") == [["limits", {"how": how, "region": "view"}]]


@pytest.mark.parametrize("source", ["elements", "pixels"])
def test_limits_that_nobody_gave_say_what_they_are_of_and_can_be_pinned(limits, source):
    view = limits(make_state(limits_source=source, vmin=-2.0, vmax=3.0))
    auto = view.locator(".gp-limits button:text-is('auto')")
    assert auto.get_attribute("aria-pressed") == "true" and auto.get_attribute("title").startswith(f"Limits of the {source}:")
    assert box(view, "vmin").get_attribute("aria-label") == f"vmin, from the {'data' if source == 'elements' else source}"
    auto.click()
    assert view.calls("set") == [[{"vmin": -2, "vmax": 3}]]


@pytest.mark.parametrize("state, pressed", [
    ({"limits": "auto"}, ["auto"]), ({"limits": "elements"}, ["full"]), ({"limits": "elements", "robust": True}, ["robust"]),
    ({"limits": "pixels"}, []), ({"limits": "elements", "is_fixed": {"vmin": True, "vmax": True}}, [])], ids=str)
def test_the_button_of_limits_in_use_looks_pressed(limits, state, pressed):
    """"full" never did."""
    view = limits(make_state(**state))
    assert view.locator(".gp-limits button[aria-pressed='true']").all_inner_texts() == pressed


@pytest.mark.parametrize("state", [{"limits": "elements"}, {"is_fixed": {"vmin": True, "vmax": False}}])
def test_a_press_makes_limits_automatic_again(limits, state):
    view = limits(make_state(**state))
    auto = view.locator(".gp-limits button:text-is('auto')")
    assert auto.get_attribute("aria-pressed") == "false"
    auto.click()
    assert view.calls("send") == [["limits", {"how": "auto", "region": "slice"}]]


def test_elements_out_of_range_are_told_in_percent(limits):
    view = limits(make_state(vmin=-3.0, vmax=9.0))
    see_bins(view)
    assert view.locator(".gp-limits > i").all_inner_texts() == ["0.082 % below", ""]


@pytest.mark.parametrize("bins, changes", [
    ({"counts": [0, 0], "low": 0.0, "high": 1.0}, {"vmin": 0.0, "vmax": 1.0}),
    ({"counts": [5], "low": 2.0, "high": 2.0}, {"vmin": 2.0, "vmax": 2.0}),
    ({"counts": [1, 2], "low": 1e-300, "high": 2e-300}, {"vmin": 1e-300, "vmax": 2e-300}),
    ({"counts": [1, 2], "low": -1e300, "high": 1e300}, {"vmin": -1e300, "vmax": 1e300}),
    ({"counts": [1, 2], "low": 0.0, "high": 1.0}, {"vmin": 1e30, "vmax": 2e30}),
])
def test_odd_ranges_are_drawn(limits, bins, changes):
    view = limits(make_state(**changes), replies={"histogram": {**bins, "n_outside": 0}})
    view.wait_call("ask")
    view.page.wait_for_function("document.querySelector('[role=img]').style.clipPath.startsWith('polygon')")
    assert "NaN" not in view.locator(".gp-plot").inner_html()
    ends = [[float(handle(view, side).get_attribute(end)) for end in ("min", "max")] for side in ("vmin", "vmax")]
    assert ends[0] == ends[1] and ends[0][0] < ends[0][1]


def test_a_range_wider_than_the_largest_number_has_bars_ticks_and_handles(limits):
    """Positions among its bins were not numbers: no bar, both handles at one end, all elements "above"."""
    most = 1.7e308
    view = limits(make_state(vmin=-most, vmax=most / 2), replies={"histogram": {**BINS, "counts": [1] * 8, "low": -most, "high": most}})
    see_bins(view)
    low, high = (handle(view, side).evaluate("one => one.valueAsNumber") for side in ("vmin", "vmax"))
    assert (low, high) == (0, 0.75)
    assert view.locator(".gp-limits > i").all_inner_texts() == ["", "25 % above"]
    assert view.locator(".gp-scale i").all_inner_texts() == ["-1e308", "0", "1e308"]
