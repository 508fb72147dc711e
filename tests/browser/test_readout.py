"""The readout under the picture: color bar, classes, notices, and what is under the pointer."""

import pytest

from .states import make_state

HOVER = {"text": "[3, 16:32] mean 0.5 n 256", "value": None, "index": "[3, 16:32]", "lines": [["mean", "0.5"], ["n", "256"]]}


def test_what_means_hide_is_said_with_the_button_that_shows_it(readout):
    """The larger elements under a pixel are told where its limits leave them out."""
    view = readout(make_state(limits_source="pixels", largest="0.107"))
    button = view.locator("button:text-is('show absmax')")
    assert button.is_hidden()
    view.emit("window", {"window": [0, 60, 0, 80], "size": [20, 20], "pxPerElem": [1 / 7, 1 / 7]})
    scale = view.locator(".gp-line > i")
    assert scale.inner_text() == scale.get_attribute("title") == "1 px = 7 × 7 elements, largest 0.107:"
    button.click()
    assert view.calls("set") == [[{"agg": "absmax"}]]
    view.update(make_state())
    assert button.is_hidden() and view.locator(".gp-line > i").inner_text() == "1 px = 7 × 7"
    view.update(make_state(limits_source="pixels", largest="0.107"))
    view.emit("window", {"window": [0, 6, 0, 8], "size": [20, 20], "pxPerElem": [4, 4]})
    assert button.is_hidden()


def test_the_readout_tells_a_bin_and_then_an_element(readout):
    view = readout()
    line = view.locator(".gp-hover")
    view.emit("hover", HOVER)
    assert " ".join(line.locator("> *").all_inner_texts()).split() == ["[3,", "16:32]", "mean", "0.5", "n", "256"]
    view.emit("hover", {"text": "[3, 17] 9007199254740993", "value": "9007199254740993", "index": "[3, 17]", "lines": []})
    assert line.inner_text().split() == ["[3,", "17]", "9007199254740993"]
    view.emit("hover", None)
    assert line.inner_text() == ""


def test_the_line_keeps_its_height_whatever_is_said(readout):
    view = readout(width=320)
    before = view.locator(".gp-readout").bounding_box()
    view.emit("hover", {"text": "", "value": "\n<img src=x>" + "9" * 9000, "index": "[" + "1, " * 500,
                        "lines": [["mean", "0.5\n" * 900]] * 40})
    view.emit("note", "What <i>went</i> wrong\n" * 500)
    assert view.locator(".gp-readout").bounding_box() == before
    assert view.locator("img").count() == 0
    assert view.root.evaluate("root => root.scrollWidth <= root.clientWidth")


def test_the_pointer_of_the_color_bar_stands_at_the_value(readout):
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
def test_the_pointer_of_a_complex_number_stands_where_its_color_is(readout, mode, value, lines, left):
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
    for px_per_elem, text in [([0.25, 0.125], "1 px = 4 × 8"), ([0.5, 2], "1 px = 2 × 1"), ([20, 20], "")]:
        view.emit("window", {"window": [0, 1, 0, 1], "size": [1, 1], "pxPerElem": px_per_elem})
        assert view.locator(".gp-line > i").text_content() == text


def class_names(view):
    """The names of classes that are whole, those that are cut, and what the button beside them says."""
    whole, cut = view.locator(".gp-classes").evaluate("""strip => {
      const { left, top, right, bottom } = strip.firstElementChild.getBoundingClientRect(), all = [...strip.querySelectorAll("span")];
      const isIn = one => { const place = one.getBoundingClientRect(); return [place.top < bottom, place.bottom <= bottom && place.right <= right]; };
      return [all.filter(one => isIn(one)[1]), all.filter(one => isIn(one)[0] && !isIn(one)[1])].map(ones => ones.map(one => one.textContent));
    }""")
    return whole, cut, view.locator(".gp-classes button").inner_text()


def test_categories_are_named(readout):
    view = readout(make_state(is_categorical=True, categories=[["cat", "#ff0000"], ["<b>dog</b>", "#00ff00"]]))
    assert view.locator(".gp-classes bdi").all_inner_texts() == ["cat", "<b>dog</b>"]
    assert view.locator(".gp-classes button").is_hidden() and view.locator(".gp-bar").is_hidden()
    assert view.locator(".gp-classes i").first.evaluate("dot => getComputedStyle(dot).backgroundColor") == "rgb(255, 0, 0)"
    view.update(make_state())
    assert view.locator(".gp-colors").is_visible()


def test_names_of_classes_that_just_fit_need_no_button(readout):
    """The room of the button itself was taken from them: "and 1 more" of what would have fitted."""
    view = readout(make_state(is_categorical=True, categories=[[f"class {i}", "#ff0000"] for i in range(6)]), width=900)
    strip = view.locator(".gp-classes")
    needed = strip.evaluate("""strip => { const [all] = [[...strip.querySelectorAll("span")].map(one => one.getBoundingClientRect())];
                            return Math.ceil(all.at(-1).right - all[0].left) + 1; }""")
    shown = "strip.querySelector('button').hidden === {}"
    for width, is_hidden in ((needed - 20, "false"), (needed, "true"), (needed - 20, "false"), (needed + 200, "true")):
        strip.evaluate(f"strip => {{ strip.style.width = '{width}px'; }}")
        view.page.wait_for_function(f"() => {{ const strip = document.querySelector('.gp-classes'); return {shown.format(is_hidden)}; }}")


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
def test_the_ends_of_the_color_bar_are_pointed_where_elements_lie_beyond(readout, extend, ends):
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


def test_a_text_that_a_narrow_cell_cuts_is_whole_in_its_tooltip(readout):
    view = readout(width=240)
    view.emit("hover", {"index": "[3, 16:32, 400:416]", "value": None, "lines": [["mean", "0.125"], ["n", "256"], ["min", "-1.5"], ["max", "2.5"]]})
    said = view.locator(".gp-hover")
    assert said.evaluate("one => one.scrollWidth > one.clientWidth")
    assert said.get_attribute("title").split() == "[3, 16:32, 400:416] mean 0.125 n 256 min -1.5 max 2.5".split()
    view.emit("hover", None)
    assert said.get_attribute("title") == ""
