"""The header: what the tensor is, its health, and the menus, as a user and a screen reader meet them."""

import itertools

import pytest

from .states import make_state

HOSTILE = "<img src=x onerror=\"document.title = 'hacked'\">\u202e\u202d reversed \u0645\u0631\u062d\u0628\u0627 \U0001f525\nsecond line"
AXES = [{"name": "batch", "size": 4, "role": "index", "index": 0, "op": None},
        {"name": "row", "size": 60, "role": "y", "index": 0, "op": None},
        {"name": "", "size": 80, "role": "x", "index": 0, "op": None}]


@pytest.fixture
def header(part):
    """A function that mounts the header inside an inspector's root."""
    return lambda state=None, **options: part("header.js", "makeHeader", state, classes=["gpuplot"], **options)


def test_it_says_what_the_tensor_is(header):
    tensor = {"shape": [4, 60, 80], "dtype": "bfloat16", "device": "cuda:0", "bytes": "38 KiB", "library": "torch",
              "notes": ["read as RGB"]}
    view = header(make_state(tensor=tensor, axes=AXES))
    title = view.locator(".gp-title")
    assert title.text_content() == "bfloat16 batch 4 × row 60 × 80 cuda:0 · 38 KiB" and view.locator(".gp-notice").text_content() == "read as RGB"
    assert title.get_attribute("title") == title.text_content()


def test_the_whole_title_is_said_of_the_tensor_that_is_shown(header):
    """The names of all others were in between, or in place of what it is."""
    title = header(make_state(items=["loss", "b", "c"], item="b", title="Run 3")).locator(".gp-title")
    assert title.get_attribute("title") == f"Run 3 b {title.locator('.gp-type').text_content()}"


def test_the_slice_is_said_and_follows(header):
    said = "head = 5, time = 2026-04-01"
    view = header(make_state(slice=said))
    title = view.locator(".gp-title")
    assert f"{said} · cpu" in title.text_content()
    named = header(make_state(slice="<b>a</b> = 1", items=["layer.weight"], item="layer.weight"))
    assert "· <b>a</b> = 1 · cpu" in named.locator(".gp-title").text_content()


@pytest.mark.parametrize("width", [280, 500, 900])
def test_notes_about_the_tensor_are_whole_however_narrow_it_is(header, width):
    notes = ["coordinates of 'latitude' are not evenly spaced: the ruler shows positions", "rgb=1 shows colors"]
    view = header(make_state(tensor={**make_state()["tensor"], "notes": notes}), width=width)
    said = view.locator(".gp-notice")
    assert said.inner_text() == " · ".join(notes)
    assert said.evaluate("one => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight")
    view.update(make_state())
    assert said.is_hidden()


def test_the_lines_of_the_title_keep_apart_and_so_does_the_frame_of_the_focus(header):
    view = header(make_state(items=["loss", "b"], item="loss", title="My model, epoch 3"))
    lines = view.locator(".gp-heading, .gp-title > b, .gp-type").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])")
    # The frame is 2 px wide, outside of the chooser.
    assert len(lines) == 4 - 1 and all(below[0] - above[1] >= 4 for above, below in itertools.pairwise(lines))
    outline = view.locator(".gp-choice").first.evaluate("one => getComputedStyle(one).outlineOffset")
    assert outline == "0px"


def test_counts_from_before_an_update_stay_until_new_ones_come_and_those_of_another_slice_do_not(header):
    """In a loop of updates they were dashes most of the time."""
    def said():
        return [pill.locator("b").nth(2).inner_text(), pill.locator(".gp-tensor").inner_text().split()[-1], "is-old" in pill.get_attribute("class")]

    known = {"tensor_kind_counts": {**make_state()["kind_counts"], "nan": 3}, "tensor_has": "NaN"}
    unknown = {"kind_counts": None, "tensor_kind_counts": None, "tensor_has": None}
    view = header(make_state(**known))
    pill = view.locator(".gp-pill")
    assert said() == ["2400", "NaN", False]
    view.update(make_state(data=2, **unknown))
    assert said() == ["2400", "NaN", True] and "< 0: 2400" in pill.get_attribute("aria-label")
    view.update(make_state(data=2, kind_counts={**make_state()["kind_counts"], "neg": 7}, tensor_has="finite"))
    assert said() == ["7", "finite", False]
    view.update(make_state(data=3, axes=[{**make_state()["axes"][0], "index": 2}, *make_state()["axes"][1:]], **unknown))
    assert said() == ["–", "…", False]


def test_buttons_look_like_buttons(header):
    """Each has a border that is seen against what lies behind, and answers the pointer."""
    view = header(make_state())
    button = view.locator("button[aria-label^='Keys and mouse']")
    viewport = "one => { const { borderTopWidth, borderTopStyle, borderTopColor, cursor, backgroundColor } = getComputedStyle(one); " \
           "return [borderTopWidth, borderTopStyle, cursor, borderTopColor, backgroundColor]; }"
    width, style, cursor, color, back = button.evaluate(viewport)
    assert (width, style, cursor) == ("1px", "solid", "pointer")
    assert color not in (back, "rgba(0, 0, 0, 0)", view.locator(".gp-title").evaluate("one => getComputedStyle(one.closest('.gpuplot')).backgroundColor"))
    button.hover()
    view.page.wait_for_function("([one, back]) => getComputedStyle(one).backgroundColor !== back", arg=[button.element_handle(), back])


def test_one_name_is_shown_and_needs_no_chooser(header):
    view = header(make_state(items=["layer.weight"], item="layer.weight"))
    assert view.locator(".gp-title > b").inner_text() == "layer.weight"
    assert view.locator("select[aria-label=Tensor]").is_hidden()


@pytest.mark.parametrize("title", ["", "a <b>run</b>"])
def test_a_title_of_the_caller_is_above_all(header, title):
    heading = header(make_state(title=title)).locator(".gp-heading")
    assert heading.is_visible() == bool(title) and heading.text_content() == title


def test_the_chooser_sends_the_name_of_the_tensor(header):
    view = header(make_state(items=["a", "b", "c.weight"], item="b"))
    chooser = view.locator("select[aria-label=Tensor]")
    assert chooser.input_value() == "b" and view.locator(".gp-title bdi").inner_text() == "b"
    chooser.select_option("c.weight")
    assert view.calls("set") == [[{"item": "c.weight"}]]


@pytest.mark.parametrize("field, label, value", [
    ("cmap", "Colormap", "magma"), ("norm", "Scale", "eq_hist"), ("agg", "Pixels show", "absmax"), ("nan", "NaN and Inf", "skip"),
    ("complex_mode", "Complex", "phase"),
])
def test_a_menu_sets_its_field(header, field, label, value):
    view = header(make_state(complex_mode="amplitude", complex_modes=["amplitude", "phase"]))
    view.locator(f"select[aria-label='{label}']").select_option(value)
    assert view.calls("set") == [[{field: value}]]


def test_menus_say_what_automatic_means_for_classes(header):
    state = make_state(is_categorical=True, norm="automatic", norms=["automatic", "linear"], agg="automatic", aggs=["automatic", "mean"])
    view = header(state)
    faces = view.locator(".gp-tools bdi")
    assert faces.all_inner_texts()[1:3] == ["classes", "nearest"]
    assert view.locator("select[aria-label=Scale]").input_value() == "automatic"
    view.update({**state, "is_categorical": False, "norm": "linear", "agg": "mean"})
    assert faces.all_inner_texts()[1:3] == ["linear", "mean"]


@pytest.mark.parametrize("opened", ["focus", "click"])
def test_the_menu_of_colormaps_shows_their_colors_once_it_may_be_opened(header, opened):
    replies = {"palettes": {"palettes": {"viridis": ["#440154", "#fde725"], "gray": ["#000000", "#ffffff"]}}}
    view = header(make_state(cmaps=["automatic", "viridis", "gray"], cmap="automatic", cmap_name="viridis"), replies=replies)
    menu = view.locator("select[aria-label=Colormap]")
    assert menu.get_attribute("title") == "Colormap: viridis" and view.calls("ask") == []
    getattr(menu, opened)()
    view.page.wait_for_function("document.querySelectorAll('option[style]').length === 2")
    shown = menu.locator("option").evaluate_all("all => all.map(one => [one.text, getComputedStyle(one).backgroundImage])")
    assert [name for name, _ in shown] == ["automatic", "viridis", "gray"] and shown[0][1] == "none"
    assert "rgb(68, 1, 84)" in shown[1][1] and "rgb(255, 255, 255)" in shown[2][1]
    if opened == "focus":
        menu.press("Space")
    view.page.keyboard.press("ArrowDown")
    view.page.keyboard.press("Enter")
    assert view.calls("set") == [[{"cmap": "viridis"}]]
    assert len(view.calls("ask")) == 1


def test_a_line_has_no_choices_of_color(header):
    view = header(make_state(kind="line", cmaps=[], norms=[], aggs=[]))
    for label in ("Colormap", "Pixels show", "Scale"):
        assert view.locator(f"select[aria-label='{label}']").is_hidden()
    assert view.locator("button[aria-label^='Square']").is_hidden() and view.locator("select[aria-label='NaN and Inf']").is_visible()


def test_menus_that_have_nothing_to_offer_are_not_there(header):
    view = header(make_state(is_rgb=True))
    assert view.locator("select[aria-label=Colormap]").is_hidden()
    assert view.locator("select[aria-label=Complex]").is_hidden()
    assert view.locator("select[aria-label=Scale]").is_visible()


def test_colors_are_numbers_at_a_press_and_colors_again(header):
    view = header()
    rgb = view.locator("button:text-is('RGB')")
    assert rgb.is_hidden()
    axes = [{**axis, "size": size, "role": role} for axis, size, role in zip(AXES, (60, 80, 3), ("y", "x", "rgb"), strict=True)]
    view.update(make_state(is_rgb=True, axes=axes))
    assert rgb.get_attribute("aria-pressed") == "true"
    rgb.click()
    view.update(make_state(axes=[*axes[:2], {**axes[2], "role": "index"}]))
    assert rgb.get_attribute("aria-pressed") == "false"
    rgb.click()
    assert view.calls("set") == [[{"rgb": None}], [{"rgb": 2}]]
    view.update(make_state())
    assert rgb.is_hidden()


def test_a_press_for_colors_is_offered_to_tensors_that_can_have_them(header):
    """Another item may be a difference, complex, or have other axes where the channels were."""
    axes = [{**axis, "size": size, "role": role} for axis, size, role in zip(AXES, (60, 80, 3), ("y", "x", "rgb"), strict=True)]
    view = header(make_state(is_rgb=True, axes=axes))
    rgb = view.locator("button:text-is('RGB')")
    axes[2]["role"] = "index"
    other = {**axes[0], "role": "index"}
    for changes, is_offered in [({}, True), ({"takes_rgb": False}, False), ({"axes": [other, *axes]}, False), ({}, True)]:
        view.update(make_state(**{"axes": axes, **changes}))
        assert rgb.is_visible() == is_offered


def test_the_pill_counts_and_goes_to_the_next_bad_element(header):
    view = header(make_state(kind_counts={"nan": 3, "neg_inf": 0, "neg": 12345, "zero": 1, "pos": 2_000_000, "pos_inf": 1}))
    pill = view.locator(".gp-pill")
    assert pill.locator("b:visible").all_inner_texts() == ["3", "0", "12.3k", "1", "2M", "1"]
    assert "NaN: 3, -Inf: 0, < 0: 12345" in pill.get_attribute("aria-label")
    pill.click()
    pill.click(modifiers=["Shift"])
    assert view.calls("jump") == [[1], [-1]]
    view.update(make_state(kind_counts={"nan": 0, "neg_inf": 0, "neg": 0, "zero": 1, "pos": 2, "pos_inf": 0, "masked": 12345}))
    assert pill.locator("b:visible").all_inner_texts()[6:] == ["12.3k"] and "masked: 12345" in pill.get_attribute("aria-label")


def test_bad_parts_of_the_pill_have_the_colors_of_the_marks(header):
    colors = {"bar": ["#000000", "#ffffff"], "nan": "#ff00ff", "pos_inf": "#401000", "neg_inf": "#00ffff"}
    view = header(make_state(colors=colors, kind_counts={"nan": 1, "neg_inf": 0, "neg": 5, "zero": 0, "pos": 5, "pos_inf": 2}))
    style = view.locator(".gp-pill > span").evaluate_all(
        "cells => cells.map(cell => [getComputedStyle(cell).backgroundColor, getComputedStyle(cell).color])")
    assert style[0][0] == "rgb(255, 0, 255)" and style[5][0] == "rgb(64, 16, 0)"
    assert style[1][0] == style[2][0] == "rgba(0, 0, 0, 0)"
    assert style[0][1] == "oklch(0 0 0)" and style[5][1] == "oklch(1 0 0)"  # what reads on a light, and on a dark mark


def test_a_pill_that_is_not_counted_yet_keeps_its_size(header):
    view = header(make_state(kind_counts=None))
    before = view.locator(".gp-pill").bounding_box()
    assert view.locator(".gp-pill b:visible").all_inner_texts() == ["–"] * 6
    view.update(make_state(kind_counts={"nan": 0, "neg_inf": 0, "neg": 999, "zero": 9, "pos": 123, "pos_inf": 0}))
    assert view.locator(".gp-pill").bounding_box() == before


def test_square_elements_and_help_are_a_press_away(header):
    view = header(make_state(aspect="equal"))
    fit = view.locator("button[aria-label^='Square elements']")
    assert fit.get_attribute("aria-pressed") == "true"
    fit.click()
    view.locator("button[aria-label^='Keys and mouse']").click()
    assert view.calls("set") == [[{"aspect": "auto"}]] and view.calls("emit") == [["help", None]]


@pytest.mark.parametrize("width", [280, 700, 1400])
def test_hostile_names_are_text_and_break_no_line(header, width):
    long = HOSTILE + "x" * 10_000
    axes = [{**axis, "name": long} for axis in AXES]
    tensor = {"shape": [4, 60, 80], "dtype": "float32", "device": "cpu", "bytes": "75 KiB", "library": "numpy", "notes": [long]}
    view = header(make_state(items=[long, long + "2"], item=long, axes=axes, tensor=tensor, cmaps=["viridis", long]), width=width)
    assert view.locator("img").count() == 0 and view.page.title() != "hacked"
    title = view.locator(".gp-title")
    assert title.bounding_box()["height"] <= 36
    assert view.root.evaluate("root => root.scrollWidth <= root.clientWidth")
    assert "\u202e" not in title.text_content() and len(title.text_content()) < 2000
