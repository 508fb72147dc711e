"""Limits, statistics and readout: handles, boxes and panels by pointer and keyboard, and what is asked of the kernel when."""

import pytest

from .states import make_state

BINS = {"counts": [1, 10, 100, 1000, 100, 10, 1, 0], "low": -4.0, "high": 4.0, "n_outside": 0}
ROWS = {"rows": [["min", "-4"], ["<b>max</b>", "4" * 5000]], "pill": None}
HOVER = {"text": "[3, 16:32] mean 0.5 n 256", "value": None, "place": "[3, 16:32]", "lines": [["mean", "0.5"], ["n", "256"]]}


@pytest.fixture
def limits(part):
    """A function that mounts the histogram, with its bins at hand."""
    def mount_limits(state=None, replies=None, **options):
        replies = {"histogram": BINS} if replies is None else replies
        return part("limits.js", "makeLimits", state or make_state(), classes=["gpuplot"], replies=replies, **options)
    return mount_limits


@pytest.fixture
def readout(part):
    return lambda state=None, **options: part("readout.js", "makeReadout", state, classes=["gpuplot"], **options)


def handle(view, side):
    return view.locator(f"input[type=range][aria-label='Limit {side}']")


def box(view, side):
    return view.locator(f"input[aria-label^='{side},']")


def see_bins(view):
    """Waits until the histogram is there: the handles' range is then that of the data."""
    view.page.wait_for_function("document.querySelector('[role=img]').style.clipPath.startsWith('polygon')")


def value_of(view, side):
    """What a handle says it stands at."""
    return float(handle(view, side).get_attribute("aria-valuetext"))


@pytest.mark.parametrize("mode", [None, "phase", "amplitude_phase", "log10_amplitude_phase"])
def test_bars_of_amplitudes_do_not_take_the_colours_of_phases(limits, mode):
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
    assert view.locator(".gp-scale i").evaluate("one => one.style.left") == "40%"


@pytest.mark.parametrize("number, text", [
    (-3.43626, "-3.43626"), (2.4e-6, "2.4e-6"), (46116900000.0, "4.61169e10"), (-1.25e-300, "-1.25e-300"), (123456, "123456"),
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
    assert next(call[1] for call in view.calls("emit") if call[0] == "note").startswith('vmax: "many" is no number')
    box(view, "vmax").blur()
    assert box(view, "vmax").input_value() == "1"


def test_a_state_does_not_change_what_is_being_typed(limits):
    view = limits()
    box(view, "vmin").fill("0.")
    view.update(make_state(vmin=-7.0))
    assert box(view, "vmin").input_value() == "0." and box(view, "vmax").input_value() == "1"


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
    view = limits(make_state(limits_of=source, vmin=-2.0, vmax=3.0))
    auto = view.locator(".gp-limits button:text-is('auto')")
    assert auto.get_attribute("aria-pressed") == "true" and auto.get_attribute("title").startswith(f"Limits of the {source}:")
    assert box(view, "vmin").get_attribute("aria-label") == f"vmin, from the {'data' if source == 'elements' else source}"
    auto.click()
    assert view.calls("set") == [[{"vmin": -2, "vmax": 3}]]


@pytest.mark.parametrize("state", [{"limits": "elements"}, {"is_fixed": {"vmin": True, "vmax": False}}])
def test_a_press_makes_limits_automatic_again(limits, state):
    view = limits(make_state(**state))
    auto = view.locator(".gp-limits button:text-is('auto')")
    assert auto.get_attribute("aria-pressed") == "false"
    auto.click()
    assert view.calls("send") == [["limits", {"how": "auto", "region": "slice"}]]


def test_what_means_hide_is_said_with_the_button_that_shows_it(readout):
    """The larger elements under a pixel are told where its limits leave them out."""
    view = readout(make_state(limits_of="pixels", largest="0.107"))
    button = view.locator("button:text-is('show absmax')")
    assert button.is_hidden()
    view.emit("window", {"window": [0, 60, 0, 80], "size": [20, 20], "pxPerElem": [1 / 7, 1 / 7]})
    assert view.locator(".gp-line > i").inner_text() == "1 px = 7 × 7 elements, largest 0.107:"
    button.click()
    assert view.calls("set") == [[{"agg": "absmax"}]]
    view.update(make_state())
    assert button.is_hidden() and view.locator(".gp-line > i").inner_text() == "1 px = 7 × 7"
    view.update(make_state(limits_of="pixels", largest="0.107"))
    view.emit("window", {"window": [0, 6, 0, 8], "size": [20, 20], "pxPerElem": [4, 4]})
    assert button.is_hidden()


def test_the_histogram_says_what_its_heights_are(limits):
    view = limits()
    said, plot = view.locator("summary small"), view.locator(".gp-plot")
    assert said.inner_text() == "log count"
    # It lies on no bar, and is no part of what is folded.
    assert said.bounding_box()["y"] + said.bounding_box()["height"] <= plot.bounding_box()["y"]


def test_elements_out_of_range_are_told_in_percent(limits):
    view = limits(make_state(vmin=-3.0, vmax=9.0))
    see_bins(view)
    assert view.locator(".gp-limits > i").all_inner_texts() == ["0.082 % below", ""]


def test_the_region_is_a_choice(limits):
    view = limits()
    view.locator("select[aria-label='Histogram of']").select_option("all")
    assert view.calls("set") == [[{"region": "all"}]]


def test_a_panel_asks_when_its_elements_changed_and_not_for_a_colour(limits, clock):
    view = limits(make_state(data=1))
    clock.run_for(1000)
    see_bins(view)
    view.update(make_state(data=1, version=2, cmap="magma", vmin=-2.0))
    clock.run_for(1000)
    assert view.calls("ask") == [["histogram", {"region": "slice"}]]
    for n, change in enumerate([lambda: view.update(make_state(data=2)), lambda: view.update(make_state(data=2, region="view")),
                                lambda: view.emit("window", {"window": [0, 1, 0, 1], "size": [1, 1], "pxPerElem": [1, 1]})], start=2):
        change()
        clock.run_for(1000)
        assert len(view.calls("ask")) == n
    assert view.calls("ask")[1:] == [["histogram", {"region": region}] for region in ("slice", "view", "view")]


def test_a_histogram_is_asked_for_anew_when_the_norm_makes_other_bins_and_statistics_are_not(part, clock):
    for module, maker, asked in (("limits.js", "makeLimits", 2), ("statistics.js", "makeStatistics", 1)):
        view = part(module, maker, make_state(data=1, norm="linear"), classes=["gpuplot"], replies={"histogram": BINS, "stats": ROWS})
        clock.run_for(1000)
        view.update(make_state(data=1, version=2, norm="log"))
        clock.run_for(1000)
        assert len(view.calls("ask")) == asked, module


def fold(view, new_state):
    """Enter folds or unfolds the panel; back once the page was told, which is a task of its own, after the table has changed."""
    view.page.evaluate("""state => { globalThis.told = new Promise(tell => document.querySelector("details").addEventListener(
        "toggle", event => event.newState === state && tell())) }""", new_state)
    view.locator("summary").press("Enter")
    view.page.evaluate("() => globalThis.told")


def test_a_folded_panel_asks_nothing_until_it_is_open(part, clock):
    view = part("statistics.js", "makeStatistics", make_state(data=1), classes=["gpuplot"], replies={"stats": ROWS})
    clock.run_for(1000)
    fold(view, "closed")
    assert view.locator(".gp-table").is_hidden()
    view.update(make_state(data=2))
    clock.run_for(1000)
    assert len(view.calls("ask")) == 1
    fold(view, "open")
    assert view.locator(".gp-table").is_visible()
    clock.run_for(1000)
    assert len(view.calls("ask")) == 2


def test_counts_for_the_pill_are_asked_though_nobody_sees_the_table(part):
    shows = {"histogram": True, "stats": False, "play": True, "values": "auto", "sliders": None}
    state = make_state(pill=None, shows=shows)
    view = part("statistics.js", "makeStatistics", state, classes=["gpuplot"], replies={"stats": ROWS})
    view.wait_call("ask")
    assert view.calls("ask") == [["stats", {"region": "slice"}]] and view.locator(".gp-table").is_hidden()


def test_what_is_of_other_elements_is_faint_until_the_answer_comes(part, clock):
    view = part("statistics.js", "makeStatistics", make_state(data=1), classes=["gpuplot"], replies={"stats": ROWS})
    table = view.locator(".gp-table")
    clock.run_for(1000)
    assert table.evaluate("table => table.style.opacity") == "1"
    view.page.evaluate("views[0].app.replies.stats = { error: 'the tensor is gone' }")
    view.update(make_state(data=2))
    clock.run_for(1000)
    assert table.evaluate("table => table.style.opacity") == "0.4" and table.locator("div").count() == 2
    view.emit("kernel stats", {"message": {**ROWS, "region": "slice"}})
    assert table.evaluate("table => table.style.opacity") == "1"


def test_statistics_are_text(part):
    view = part("statistics.js", "makeStatistics", make_state(), classes=["gpuplot"], width=280, replies={"stats": ROWS})
    view.wait_call("ask")
    view.locator(".gp-table span").first.wait_for()
    assert view.locator(".gp-table i").all_inner_texts() == ["min", "<b>max</b>"] and view.locator(".gp-table b").count() == 0
    assert view.root.evaluate("root => root.scrollWidth <= root.clientWidth")


def test_a_question_that_failed_is_said_once(limits, clock):
    view = limits(replies={"histogram": {"error": "no memory for bins"}})
    clock.run_for(3000)
    assert view.calls("ask") == [["histogram", {"region": "slice"}]]
    assert ["note", "Histogram: no memory for bins"] in view.calls("emit")


def test_an_answer_that_comes_late_is_shown(limits):
    view = limits(replies={"histogram": {"error": "No answer from the kernel"}})
    view.page.wait_for_function("views[0].app.calls.some(call => call[1] === 'note')")
    view.emit("kernel histogram", {"message": {**BINS, "region": "slice"}, "buffers": []})
    see_bins(view)
    assert view.calls("ask") == [["histogram", {"region": "slice"}]]


def test_a_late_answer_about_another_region_is_a_reason_to_ask_again(limits):
    view = limits(make_state(region="all"), replies={"histogram": {"error": "No answer from the kernel"}})
    view.page.wait_for_function("views[0].app.calls.some(call => call[1] === 'note')")
    view.emit("kernel histogram", {"message": {**BINS, "region": "slice"}, "buffers": []})
    assert view.wait_call("ask", count=2) == ["histogram", {"region": "all"}]


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


def test_the_readout_tells_a_bin_and_then_an_element(readout):
    view = readout()
    line = view.locator(".gp-hover")
    view.emit("hover", HOVER)
    assert " ".join(line.locator("> *").all_inner_texts()).split() == ["[3,", "16:32]", "mean", "0.5", "n", "256"]
    view.emit("hover", {"text": "[3, 17] 9007199254740993", "value": "9007199254740993", "place": "[3, 17]", "lines": []})
    assert line.inner_text().split() == ["[3,", "17]", "9007199254740993"]
    view.emit("hover", None)
    assert line.inner_text() == ""


def test_the_line_keeps_its_height_whatever_is_said(readout):
    view = readout(width=320)
    before = view.locator(".gp-readout").bounding_box()
    view.emit("hover", {"text": "", "value": "\n<img src=x>" + "9" * 9000, "place": "[" + "1, " * 500,
                        "lines": [["mean", "0.5\n" * 900]] * 40})
    view.emit("note", "What <i>went</i> wrong\n" * 500)
    assert view.locator(".gp-readout").bounding_box() == before
    assert view.locator("img").count() == 0
    assert view.root.evaluate("root => root.scrollWidth <= root.clientWidth")


def test_the_pointer_of_the_colour_bar_stands_at_the_value(readout):
    view = readout(make_state(vmin=0.0, vmax=2.0))
    view.emit("hover", HOVER)
    assert view.locator(".gp-pointer").evaluate("one => one.style.left") == "25%"
    view.update(make_state(vmin=0.01, vmax=100.0, colors={**make_state()["colors"], "edges": [0.01, 0.1, 1, 10, 100]}))
    view.emit("hover", {**HOVER, "value": "5.5"})
    assert view.locator(".gp-pointer").evaluate("one => one.style.left") == "62.5%"
    view.emit("hover", {**HOVER, "value": "nan"})
    assert view.locator(".gp-pointer").is_hidden()


@pytest.mark.parametrize("mode, value, lines, left", [
    ("amplitude_phase", "3-4j", [["amplitude", "5"], ["phase", "-0.5"]], "25%"),
    ("phase", "3-4j", [["phase", "0.5"]], "75%"), ("square_amplitude", "3-4j", [["square amplitude", "0.25"]], "62.5%"),
    ("amplitude", None, [["n", "4"], ["min", "0"], ["mean", "0.5"], ["max", "9"]], "75%"),
    ("amplitude_phase", None, [["n", "4"], ["min", "0"], ["mean", "0.5"], ["max", "9"]], None),
])
def test_the_pointer_of_a_complex_number_stands_where_its_colour_is(readout, mode, value, lines, left):
    view = readout(make_state(vmin=-1.0, vmax=1.0, complex_mode=mode))
    view.emit("hover", {**HOVER, "value": value, "lines": lines})
    pointer = view.locator(".gp-pointer")
    assert pointer.is_hidden() if left is None else pointer.evaluate("one => one.style.left") == left


@pytest.mark.parametrize("mode, value, lines, left", [
    (None, None, [["n", "4"], ["min", "0"], ["mean", "0.5"], ["max", "9"], ["mean", "-1"]], "75%"),
    ("phase", "3-4j", [["phase", "0.5"], ["phase", "270"]], "75%"), ("phase", None, [["mean", "0.5"], ["phase", "270"]], "75%"),
])
def test_the_pointer_is_not_taken_in_by_axes_with_names_of_numbers(readout, mode, value, lines, left):
    """Coordinates come last among the lines, and a scanner's axis may well be called phase."""
    view = readout(make_state(vmin=-1.0, vmax=1.0, complex_mode=mode))
    view.emit("hover", {**HOVER, "value": value, "lines": lines})
    assert view.locator(".gp-pointer").evaluate("one => one.style.left") == left


def test_values_take_the_line_back_from_a_note_when_the_hand_moves_on(readout, clock):
    view = readout()
    note, mouse = view.locator("[role=status]"), view.page.mouse
    mouse.move(300, 20)
    view.emit("note", "NaN at [0, 3, 4]")
    note.wait_for(state="visible")
    view.emit("hover", HOVER)
    mouse.move(301, 20)
    mouse.move(303, 22)
    view.emit("hover", HOVER)
    assert note.inner_text() == "NaN at [0, 3, 4]"
    mouse.move(320, 20)
    assert note.inner_text() == "NaN at [0, 3, 4]"  # until there is something to show
    view.emit("hover", HOVER)
    clock.run_for(1000)
    note.wait_for(state="hidden")
    view.emit("gone", "gone")
    note.wait_for(state="visible")
    mouse.move(400, 20)
    view.emit("hover", HOVER)
    clock.run_for(1000)
    assert note.inner_text().startswith("The kernel is gone") and note.is_visible()


def test_an_error_is_said_politely_and_goes_away(readout, clock):
    view = readout()
    note = view.locator("[role=status]")
    assert note.is_hidden()
    view.emit("note", "index 9 is out of range for axis 0 with 4 elements")
    note.wait_for(state="visible")
    assert note.inner_text() == "index 9 is out of range for axis 0 with 4 elements"
    clock.run_for(10_000)
    note.wait_for(state="hidden")


def test_it_says_how_many_elements_a_pixel_holds(readout):
    view = readout()
    for px_per_elem, text in [([0.25, 0.125], "1 px = 4 × 8"), ([0.5, 2], "1 px = 2 × 0.5"), ([20, 20], "")]:
        view.emit("window", {"window": [0, 1, 0, 1], "size": [1, 1], "pxPerElem": px_per_elem})
        assert view.locator(".gp-line > i").text_content() == text


def test_categories_are_named(readout):
    view = readout(make_state(is_categorical=True, categories=[["cat", "#ff0000"], ["<b>dog</b>", "#00ff00"]]))
    assert view.locator(".gp-classes bdi").all_inner_texts() == ["cat", "<b>dog</b>"]
    assert view.locator(".gp-classes button").is_hidden() and view.locator(".gp-bar").is_hidden()
    assert view.locator(".gp-classes i").first.evaluate("dot => getComputedStyle(dot).backgroundColor") == "rgb(255, 0, 0)"
    view.update(make_state())
    assert view.locator(".gp-colors").is_visible()


def class_names(view):
    """The names of classes that are whole, those that are cut, and what the button beside them says."""
    whole, cut = view.locator(".gp-classes").evaluate("""strip => {
      const { left, top, right, bottom } = strip.firstElementChild.getBoundingClientRect(), all = [...strip.querySelectorAll("span")];
      const isIn = one => { const place = one.getBoundingClientRect(); return [place.top < bottom, place.bottom <= bottom && place.right <= right]; };
      return [all.filter(one => isIn(one)[1]), all.filter(one => isIn(one)[0] && !isIn(one)[1])].map(ones => ones.map(one => one.textContent));
    }""")
    return whole, cut, view.locator(".gp-classes button").inner_text()


@pytest.mark.parametrize("width", [280, 640, 900])
def test_names_of_classes_that_do_not_fit_are_counted_and_shown_at_a_press(readout, width):
    categories = [[f"class {i}", "#ff0000"] for i in range(21)]
    view = readout(make_state(is_categorical=True, categories=categories), width=width)
    whole, cut, more = class_names(view)
    assert 0 < len(whole) < 21 and cut == [] and more == f"and {21 - len(whole)} more"
    line = view.locator(".gp-line").bounding_box()
    view.locator(".gp-classes button").click()
    view.page.mouse.move(0, 500)
    assert class_names(view)[:2] == ([name for name, _ in categories], [])
    view.locator(".gp-classes button").click()
    view.page.mouse.move(0, 500)
    assert class_names(view)[0] == whole
    view.locator(".gp-classes button").hover()
    assert len(class_names(view)[0]) == 21 and view.locator(".gp-line").bounding_box() == line  # nothing gives way
    view.update(make_state(is_categorical=True, categories=[*categories, ["and 40 more", "transparent"]]))
    view.page.mouse.move(0, 500)
    assert class_names(view)[2] == f"and {61 - len(whole)} more"
    view.update(make_state(is_categorical=True, categories=categories[:2]))
    assert view.locator(".gp-classes button").is_hidden()


def test_how_many_names_fit_follows_the_width(readout):
    view = readout(make_state(is_categorical=True, categories=[[f"class {i}", "#ff0000"] for i in range(21)]), width=900)
    before = class_names(view)
    view.root.evaluate("root => { root.style.width = '400px'; }")
    view.page.wait_for_function("([one, text]) => one.textContent !== text",
                                arg=[view.locator(".gp-classes button").element_handle(), before[2]])
    whole, cut, more = class_names(view)
    assert len(whole) < len(before[0]) and cut == [] and more == f"and {21 - len(whole)} more"


@pytest.mark.parametrize("extend, ends", [("neither", [0, 0]), ("min", [1, 0]), ("max", [0, 1]), ("both", [1, 1])])
def test_the_ends_of_the_colour_bar_are_pointed_where_elements_lie_beyond(readout, extend, ends):
    view = readout(make_state(extend=extend))
    seen = view.locator(".gp-colors").evaluate("""bar => ["::before", "::after"].map(end => getComputedStyle(bar, end))
      .map(({ content, backgroundColor, clipPath }) => content === "none" ? null : [backgroundColor, clipPath.slice(0, 7)])""")
    colors = ["rgb(68, 0, 0)", "rgb(0, 255, 68)"]
    assert seen == [[color, "polygon"] if is_there else None for color, is_there in zip(colors, ends, strict=True)]
    assert view.locator(".gp-bar").get_attribute("title").count("limits") == any(ends)


@pytest.mark.parametrize("kind, is_said", [("image", True), ("line", True), ("text", False)])
def test_what_is_noteworthy_about_the_picture_is_said_whole_below_it(readout, kind, is_said):
    text = "NaN is left out: it would mark most of the picture, as NaN: show does"
    view = readout(make_state(kind=kind, text=text), width=320)
    notice = view.locator(".gp-notice")
    assert notice.is_visible() == is_said
    if is_said:
        assert notice.inner_text() == text
        assert notice.evaluate("one => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight")
