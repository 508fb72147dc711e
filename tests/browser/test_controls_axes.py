"""Axes: roles, sliders, number boxes and play send what a user meant, and states do not fight the hand."""

import pytest

from .states import make_state


def axis(name, size, role, index=0, op=None):
    return {"name": name, "size": size, "role": role, "index": index, "op": op}


AXES = [axis("batch", 8, "index", 3), axis("head", 12, "index"), axis("query", 64, "y"), axis("key", 48, "x")]
SHOWS = {"histogram": True, "stats": True, "play": True, "values": "auto", "sliders": None}


def state_of(*axes, **changes):
    return make_state(**{"axes": list(axes or AXES), "shows": SHOWS, **changes})


@pytest.fixture
def axes(part):
    """A function that mounts the axes inside an inspector's root."""
    return lambda state=None, **options: part("axes.js", "makeAxes", state or state_of(), classes=["gpuplot"], **options)


def slider(view, name="batch"):
    return view.locator(f"input[type=range][aria-label={name}]")


def box(view, name="batch"):
    return view.locator(f"input[type=number][aria-label='Index of {name}']")


def test_sliders_say_where_they_are(axes):
    view = axes()
    assert slider(view).get_attribute("aria-valuetext") == "batch 3 of 8"
    assert box(view).input_value() == "3"
    assert view.locator("input[type=range]:visible").count() == 2


def test_arrow_keys_and_ends_move_a_slider(axes):
    view = axes()
    for key in ["ArrowRight", "Home", "End"]:
        slider(view).press(key)
    assert view.calls("set") == [[{"index": {"0": 4}}], [{"index": {"0": 0}}], [{"index": {"0": 7}}]]


def test_dragging_a_slider_sends_while_it_moves_and_no_state_takes_it_away(axes):
    view = axes()
    place = slider(view).bounding_box()
    middle = place["y"] + place["height"] / 2
    view.page.mouse.move(place["x"] + place["width"] / 2, middle)
    view.page.mouse.down()
    view.page.mouse.move(place["x"] + place["width"] - 1, middle, steps=4)
    assert view.wait_call("set") == [{"index": {"0": 7}}]
    view.update(state_of(axis("batch", 8, "index", 1), *AXES[1:]))
    assert slider(view).input_value() == "7" and slider(view).get_attribute("aria-valuetext") == "batch 7 of 8"
    view.page.mouse.up()
    view.update(state_of(axis("batch", 8, "index", 2), *AXES[1:]))
    assert slider(view).input_value() == "2" and box(view).input_value() == "2"


@pytest.mark.parametrize("typed, index", [("5", 5), ("-1", 7), ("99", 7), ("-99", 0), ("1e0", 1)])
def test_an_index_can_be_typed(axes, typed, index):
    view = axes()
    box(view).fill(typed)
    box(view).press("Enter")
    assert view.calls("set")[-1] == [{"index": {"0": index}}]
    assert box(view).input_value() == str(index)


def test_what_is_being_typed_stays_and_nothing_typed_changes_nothing(axes):
    view = axes()
    box(view).fill("")
    view.update(state_of(axis("batch", 8, "index", 6), *AXES[1:]))
    assert box(view).input_value() == ""
    box(view).blur()
    assert box(view).input_value() == "6" and view.calls("set") == []


@pytest.mark.parametrize("role, values", [
    ("x", {"x": 0}), ("y", {"y": 0}), ("rows", {"rows": 0}), ("columns", {"columns": 0}), ("mean", {"reduce": {"0": "mean"}}),
    ("norm", {"reduce": {"0": "norm"}}),
])
def test_an_axis_takes_a_role(axes, role, values):
    view = axes()
    view.locator("select[aria-label='Role of batch']").select_option(role)
    assert view.calls("set") == [[values]]


@pytest.mark.parametrize("before, role, values", [
    (axis("batch", 3, "reduce", op="max"), "index", {"reduce": {"0": None}}),
    (axis("batch", 3, "reduce", op="max"), "std", {"reduce": {"0": "std"}}),
    (axis("batch", 3, "reduce", op="max"), "x", {"reduce": {"0": None}, "x": 0}),
    (axis("batch", 3, "rows"), "index", {"rows": None}),
    (axis("batch", 3, "rgb"), "columns", {"rgb": None, "columns": 0}),
])
def test_an_axis_leaves_the_role_it_had(axes, before, role, values):
    view = axes(state_of(before, *AXES[1:]))
    view.locator("select[aria-label='Role of batch']").select_option(role)
    assert view.calls("set") == [[values]]


def test_only_three_or_four_values_can_be_colors(axes):
    view = axes(state_of(axis("a", 3, "index"), axis("b", 5, "index"), *AXES[2:]))
    assert view.locator("select[aria-label='Role of a'] option[value=rgb]").count() == 1
    assert view.locator("select[aria-label='Role of b'] option[value=rgb]").count() == 0


def test_a_line_has_no_axes_to_swap(axes):
    """The button raised an error on the page: the plane of a tensor with a reduced axis may have no y."""
    view = axes(state_of(axis("row", 8, "reduce", op="mean"), axis("column", 48, "x"), kind="line", plane=[1, 48]))
    view.locator("button[aria-label^='Swap']").click()
    assert view.calls("set") == []


def test_x_and_y_swap_by_the_button_and_by_taking_each_others_place(axes):
    view = axes()
    view.locator("button[aria-label^='Swap']").click()
    view.locator("select[aria-label^='Axis x']").select_option("2")
    view.locator("select[aria-label^='Axis x']").select_option("1")
    swapped = {"x": 2, "y": 3}
    assert view.calls("set") == [[swapped], [swapped], [{"x": 1}]]


def test_a_reduced_axis_has_words_in_place_of_a_slider(axes):
    view = axes(state_of(axis("batch", 8, "reduce", op="mean"), *AXES[1:]))
    row = view.locator(".gp-axis").nth(1)
    assert row.inner_text().split("\n")[-1] == "mean of 8" and slider(view).is_hidden()


def test_sliders_only_for_the_axes_that_get_one(axes):
    view = axes(state_of(shows={**SHOWS, "sliders": [1], "play": False}))
    assert slider(view).is_hidden() and slider(view, "head").is_visible()
    assert view.locator("button[aria-label='Play head']").is_hidden()


def test_play_waits_for_the_frame_of_the_last_step(axes, clock):
    view = axes(state_of(version=5))
    play = view.locator("button[aria-label='Play batch']")
    play.click()
    assert view.wait_call("set") == [{"index": {"0": 4}}] and play.get_attribute("aria-pressed") == "true"
    view.update(state_of(axis("batch", 8, "index", 7), *AXES[1:], version=6))
    view.emit("drawn", {"version": 5})  # one from before the step
    clock.run_for(1900)  # many steps long, and not so long that the frame counts as lost
    assert len(view.calls("set")) == 1
    view.emit("drawn", {"version": 6})
    assert view.wait_call("set", count=2) == [{"index": {"0": 0}}]
    play.click()
    view.emit("drawn", {"version": 7})
    clock.run_for(10_000)
    assert len(view.calls("set")) == 2 and play.get_attribute("aria-pressed") == "false"


def test_play_goes_on_after_a_frame_that_was_lost(axes, clock):
    view = axes()
    view.emit("play", 1)
    clock.run_for(3000)
    assert view.calls("set") == [[{"index": {"1": 1}}]] * 2


def test_one_axis_plays_at_a_time_and_stops_with_its_slider(axes, clock):
    view = axes()
    view.emit("play", 0)
    view.emit("play", 1)
    assert view.calls("set") == [[{"index": {"0": 4}}], [{"index": {"1": 1}}]]
    assert view.locator("[aria-label='Play batch']").get_attribute("aria-pressed") == "false"
    view.update(state_of(AXES[0], axis("head", 12, "reduce", op="max"), *AXES[2:]))
    sent = len(view.calls("set"))
    view.emit("drawn", {"version": 99})
    clock.run_for(10_000)
    assert len(view.calls("set")) == sent


def test_what_is_focused_tells_the_keys_which_axis_is_meant(axes):
    view = axes()
    slider(view, "head").focus()
    assert view.calls("focus")[-1] == [1]


@pytest.mark.parametrize("width", [280, 640, 1600])
def test_seven_axes_and_a_million_indices_stay_usable(axes, width):
    many = [axis("time", 1_000_000, "index", 654_321), axis("", 3, "rgb"), axis("depth", 40, "reduce", op="mean"), axis("layer", 6, "rows"),
            axis("z", 1, "index"), *AXES[2:]]
    view = axes(state_of(*many), width=width)
    assert view.root.evaluate("root => root.scrollWidth <= root.clientWidth")
    assert box(view, "time").input_value() == "654321" and slider(view, "time").bounding_box()["width"] >= 36
    assert box(view, "time").evaluate("box => box.scrollWidth <= box.clientWidth")
    box(view, "time").fill("999999")
    box(view, "time").press("Enter")
    assert view.calls("set") == [[{"index": {"0": 999_999}}]]


@pytest.mark.parametrize("width", [280, 400, 900])
def test_a_long_name_of_an_index_leaves_room_for_slider_and_play(axes, width):
    """It lay under the play button and went on beyond the cell."""
    view = axes(state_of(axis("channel", 5, "index", 1) | {"coordinate": "a very long name of a channel " * 4}, *AXES[2:]), width=width)
    assert view.root.evaluate("root => root.scrollWidth <= root.clientWidth")
    name, play = view.locator(".gp-box + i").first, view.locator("[aria-label='Play channel']")
    assert name.evaluate("name => getComputedStyle(name).textOverflow") == "ellipsis"
    assert name.evaluate("name => name.getBoundingClientRect().right") <= play.bounding_box()["x"]
    assert slider(view, "channel").bounding_box()["width"] >= 36


def test_the_usual_name_of_an_axis_is_whole_in_the_narrowest_cell(axes):
    """The bold one of the keys' slider was cut."""
    state = state_of(axis("", 4, "index"), axis("", 16, "index"), *AXES[2:])
    view = axes(state, width=224)  # in a cell of 240 px
    view.locator("input[type=range]").first.focus()
    view.update(state)
    cut = view.locator(".gp-axis:not([hidden]) bdi").evaluate_all("all => all.map(one => one.scrollWidth - one.clientWidth)")
    assert max(cut) <= 0


def test_another_number_of_axes_brings_other_rows(axes):
    view = axes()
    view.update(state_of(*AXES[2:]))
    assert view.locator("input[type=range]:visible").count() == 0
    view.update(state_of(AXES[3]))
    assert view.locator(".gp-axes").is_hidden()
