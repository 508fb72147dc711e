"""What the header says of NaN and infinities beside the plane: marks in the chooser, counts of the whole tensor."""

import pytest

from .states import make_state

NAMES = ["conv.weight", "conv.bias", "head.weight", "head.bias"]


@pytest.fixture
def chooser(mount):
    view = mount(make_state(items=NAMES, item="conv.weight"))
    view.wait_sent("ready")
    return view, view.locator("select[title=Tensor]")


def options(select):
    return select.evaluate("one => [...one.options].map(option => [option.text, option.title, option.value])")


def answer(view, flags, left=0):
    asked = view.sent("flags")[-1]
    view.deliver({"k": "flags", "seq": asked["seq"], "page": asked["page"], "flags": flags, "n_left": left})


def test_nothing_is_asked_before_the_chooser_is_used(chooser, page):
    view, select = chooser
    view.deliver({"k": "state", "state": make_state(items=NAMES, item="conv.bias", version=2)})
    page.wait_for_timeout(300)
    assert view.sent("flags") == [] and [text for text, *_ in options(select)] == NAMES


def test_tensors_that_have_some_are_marked(chooser, page):
    view, select = chooser
    select.focus()
    view.wait_sent("flags")
    answer(view, [["conv.bias", "NaN"], ["head.bias", "Inf"], ["gone", "NaN"]])
    page.wait_for_function("one => one.options[1].text !== one.options[1].value", arg=select.element_handle())
    assert options(select) == [["conv.weight", "", "conv.weight"], ["⚠ conv.bias", "has NaN", "conv.bias"],
                               ["head.weight", "", "head.weight"], ["⚠ head.bias", "has Inf", "head.bias"]]
    select.select_option("head.bias")
    assert view.wait_sent("set")["values"] == {"item": "head.bias"}
    page.wait_for_timeout(300)
    assert len(view.sent("flags")) == 1  # all of it is known


def test_it_asks_when_the_menu_is_opened_by_a_click(mount, page):
    """Browsers that let pages style menus focus an option then, and not the select."""
    for shadow in (False, True):
        view = mount(make_state(items=NAMES, item="conv.weight"), shadow=shadow)
        view.wait_sent("ready")
        select = view.locator("select[title=Tensor]")
        select.click()
        view.wait_sent("flags")
        answer(view, [["conv.bias", "NaN"]], left=1)
        view.wait_sent("flags", 2)
        assert options(select)[1][:2] == ["⚠ conv.bias", "has NaN"]
        page.keyboard.press("Escape")


def test_it_asks_on_while_the_kernel_is_not_through_and_the_chooser_is_used(chooser, page):
    view, select = chooser
    select.focus()
    view.wait_sent("flags")
    answer(view, [], left=3)
    view.wait_sent("flags", 2)
    answer(view, [["conv.bias", "NaN"]], left=2)
    view.wait_sent("flags", 3)
    view.locator(".gp-canvas").focus()
    answer(view, [["conv.bias", "NaN"]], left=1)
    page.wait_for_timeout(400)
    assert len(view.sent("flags")) == 3
    select.focus()
    view.wait_sent("flags", 4)


def test_marks_stay_with_their_names_and_go_with_the_next_answer(chooser, page):
    view, select = chooser
    select.focus()
    view.wait_sent("flags")
    answer(view, [["head.weight", "NaN"]])
    page.wait_for_function("one => one.options[2].title", arg=select.element_handle())
    view.deliver({"k": "state", "state": make_state(items=["new", *NAMES], item="new", version=2)})
    page.wait_for_function("one => one.options.length === 5", arg=select.element_handle())
    assert [text for text, *_ in options(select)] == ["new", *NAMES[:2], "⚠ head.weight", NAMES[3]]
    view.locator(".gp-canvas").focus()
    select.focus()
    view.wait_sent("flags", 2)
    answer(view, [])
    page.wait_for_function("one => !one.options[3].title", arg=select.element_handle())


def test_names_are_texts_and_a_refusal_leaves_the_marks(chooser, page):
    view, select = chooser
    names = ["__proto__", "<b>x</b>", "constructor"]
    view.deliver({"k": "state", "state": make_state(items=names, item="__proto__", version=2)})
    page.wait_for_function("one => one.options.length === 3", arg=select.element_handle())
    select.focus()
    view.wait_sent("flags")
    answer(view, [["<b>x</b>", "NaN"]])
    page.wait_for_function("one => one.options[1].title", arg=select.element_handle())
    assert [text for text, *_ in options(select)] == ["__proto__", "⚠ <b>x</b>", "constructor"]
    view.locator(".gp-canvas").focus()
    select.focus()
    asked = view.wait_sent("flags", 2)
    view.deliver({"k": "error", "seq": asked["seq"], "page": asked["page"], "text": "no"})
    page.wait_for_timeout(300)
    assert options(select)[1][1] == "has NaN" and len(view.sent("flags")) == 2


def test_the_pill_tells_the_slice_from_the_whole_tensor(mount, page):
    view = mount(replies={})
    pill = view.locator(".gp-pill")
    view.wait_sent("ready")
    counts = {"nan": 3, "neg_inf": 0, "neg": 2400, "zero": 1, "pos": 2396, "pos_inf": 0, "masked": 0}
    view.deliver({"k": "state", "state": make_state(kind_counts=counts, version=2)})
    said = "This slice: NaN: 3, -Inf: 0, < 0: 2400, 0: 1, > 0: 2396, +Inf: 0, masked: 0"
    page.wait_for_function("([one, said]) => one.title === said + '. Next NaN or Inf (n)'", arg=[pill.element_handle(), said])
    # The statistics of all tell.
    view.deliver({"k": "stats", "seq": 10**6, "page": view.sent("ready")[0]["page"], "region": "all", "rows": [],
                  "kind_counts": {**counts, "nan": 17}})
    page.wait_for_function("([one, said]) => one.title.startsWith(said + '. Whole tensor: NaN: 17, ')", arg=[pill.element_handle(), said])
    counts = pill.locator("b:visible").all_inner_texts()
    assert counts[0] == "3" and counts[-1] == "17 NaN"


def test_a_plane_that_is_the_whole_tensor_is_not_called_a_slice(mount):
    axes = [{"name": "", "size": 60, "role": "y", "index": 0, "op": None}, {"name": "", "size": 80, "role": "x", "index": 0, "op": None}]
    counts = {"nan": 0, "neg_inf": 0, "neg": 2400, "zero": 1, "pos": 2399, "pos_inf": 0, "masked": 0}
    view = mount(make_state(axes=axes, kind_counts=counts, tensor_kind_counts=counts))
    assert view.locator(".gp-pill").get_attribute("title").startswith("NaN: 0, ")


# ---- what the rest of the tensor has -----------------------------------------------------------------------------------------

COUNTS = {"nan": 0, "neg_inf": 0, "neg": 2400, "zero": 1, "pos": 2399, "pos_inf": 0, "masked": 0}


def say_found(view, tensor_has):
    asked = view.sent("search")[-1]
    view.deliver({"k": "search", "seq": asked["seq"], "page": asked["page"], "tensor_has": tensor_has})


def wait_text(view, page, text):
    page.wait_for_function("([one, text]) => one.textContent === text", arg=[view.locator(".gp-tensor b").element_handle(), text])


@pytest.mark.parametrize("found, said", [("NaN", "has NaN"), ("Inf", "has Inf"), ("finite", "finite")])
def test_the_pill_says_what_the_other_slices_have_as_soon_as_it_is_known(mount, page, found, said):
    view = mount(make_state(kind_counts=COUNTS, tensor_has=None))
    pill = view.locator(".gp-pill")
    view.wait_sent("search")
    before = pill.bounding_box(), view.locator(".gp-picture").bounding_box()
    say_found(view, None)
    view.wait_sent("search", 2)
    assert view.locator(".gp-tensor b").inner_text() == "…"
    say_found(view, found)
    wait_text(view, page, said)
    assert "This slice: NaN: 0" in pill.get_attribute("title") and f". Whole tensor: {said}" in pill.get_attribute("title")
    assert (pill.bounding_box(), view.locator(".gp-picture").bounding_box()) == before
    back = view.locator(".gp-tensor").evaluate("one => getComputedStyle(one).backgroundColor")
    assert back == {"NaN": "rgb(255, 0, 255)", "Inf": "rgb(255, 255, 0)", "finite": "rgba(0, 0, 0, 0)"}[found]
    page.wait_for_timeout(500)
    assert len(view.sent("search")) == 2


def test_nothing_is_searched_while_the_index_moves_or_where_nothing_is_to_be_known(mount, clock):
    axes = make_state()["axes"]
    views = [mount(state) for state in (
        make_state(kind_counts=COUNTS), make_state(kind_counts=COUNTS, axes=axes[1:], tensor_has=None), make_state(kind_counts=COUNTS, tensor_kind_counts=COUNTS, tensor_has=None))]
    moving = mount(make_state(kind_counts=COUNTS, tensor_has=None))
    for i in range(12):
        clock.run_for(50)
        moving.deliver({"k": "state", "state": make_state(kind_counts=COUNTS, tensor_has=None, version=i + 2)})
    assert [len(view.sent("search")) for view in (*views, moving)] == [0] * 4
    assert [view.locator(".gp-tensor").is_visible() for view in views] == [False, False, True]
    clock.run_for(300)
    moving.wait_sent("search")


def test_a_search_that_is_refused_is_not_asked_again_and_again(mount, page):
    view = mount(make_state(kind_counts=COUNTS, tensor_has=None))
    asked = view.wait_sent("search")
    view.deliver({"k": "error", "seq": asked["seq"], "page": asked["page"], "text": "no"})
    page.wait_for_timeout(800)
    assert len(view.sent("search")) == 1
