"""Panels of the histogram and of statistics: what they show, and when they ask the kernel."""
import pytest

from .states import BINS, make_state, see_bins
from .test_picture import show_small
from .test_with_kernel import RECORD

ROWS = {"rows": [["min", "-4"], ["<b>max</b>", "4" * 5000]], "kind_counts": None}


def test_the_histogram_says_what_its_heights_are(limits):
    view = limits()
    said, plot = view.locator("summary small"), view.locator(".gp-plot")
    assert said.inner_text() == "log count"
    # It lies on no bar, and is not a part of what is folded.
    assert said.bounding_box()["y"] + said.bounding_box()["height"] <= plot.bounding_box()["y"]


def test_the_region_is_a_choice(limits):
    view = limits()
    view.locator("select[aria-label='Histogram of']").select_option("all")
    assert view.calls("set") == [[{"region": "all"}]]


def test_a_panel_asks_when_its_elements_changed_and_not_for_a_color(limits, clock):
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
    # What is seen is said, as the kernel may not have heard of it yet, or may draw the whole for the overview.
    assert view.calls("ask")[1:] == [["histogram", fields] for fields in (
        {"region": "slice"}, {"region": "view", "seen": None}, {"region": "view", "seen": [0, 1, 0, 1]})]


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
    state = make_state(kind_counts=None, shows=shows)
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
    view.page.evaluate("rows => { views[0].app.replies.stats = rows; }", ROWS)
    view.update(make_state(data=3))
    clock.run_for(1000)
    assert table.evaluate("table => table.style.opacity") == "1"


def test_while_a_slider_plays_the_numbers_of_an_earlier_slice_are_faint(part, page):
    """They were as strong as those of the slice that was seen, for as long as it played."""
    view = part("statistics.js", "makeStatistics", make_state(data=1), classes=["gpuplot"], replies={"stats": ROWS})
    view.locator(".gp-table span").first.wait_for()
    assert strength_of(view) == "none"
    page.evaluate("""state => { let data = 1; globalThis.playing = setInterval(() => {
        const [head, ...axes] = state.axes;
        updatePart(0, { ...state, data: ++data, axes: [{ ...head, index: data % 4 }, ...axes] });
      }, 100); }""", make_state())
    page.wait_for_function("() => getComputedStyle(document.querySelector('.gp-table')).filter === 'opacity(0.4)'")
    page.evaluate("clearInterval(playing)")
    page.wait_for_function("() => getComputedStyle(document.querySelector('.gp-table')).filter === 'none'")


def test_updates_in_a_loop_leave_numbers_as_strong_and_do_not_put_off_the_next_ones(part, clock):
    """They were faint for as long as the loop ran, and stayed those from before it where updates followed each other quickly."""
    view = part("statistics.js", "makeStatistics", make_state(data=1), classes=["gpuplot"], replies={"stats": ROWS})
    clock.run_for(1000)
    for data in range(2, 32):
        view.update(make_state(data=data))
        clock.run_for(100)
        assert strength_of(view) == "none"
    assert 8 <= len(view.calls("ask")) <= 14
    clock.run_for(1000)
    n = len(view.calls("ask"))
    clock.run_for(5000)
    assert len(view.calls("ask")) == n and strength_of(view) == "none"


def test_numbers_from_before_an_update_become_faint_where_no_answer_comes(part, clock):
    view = part("statistics.js", "makeStatistics", make_state(data=1), classes=["gpuplot"], replies={"stats": ROWS})
    clock.run_for(1000)
    view.page.evaluate("delete views[0].app.replies.stats")
    for data, faint in enumerate([False, False, False, True], start=2):
        view.update(make_state(data=data))
        clock.run_for(600)
        assert (strength_of(view) != "none") == faint


def strength_of(view):
    return view.locator(".gp-table").evaluate("table => getComputedStyle(table).filter")


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


# As if the time after which a page says that the kernel is silent were a moment.
IMPATIENT = "() => { const later = setTimeout; globalThis.setTimeout = (f, ms, ...rest) => later(f, ms === 1e4 ? 20 : ms, ...rest); }"
SILENT = "No answer from the kernel yet"


def wait_for_text(view, selector, text):
    view.page.wait_for_function("([node, text]) => node.textContent.includes(text)", arg=[view.locator(selector).element_handle(), text])


@pytest.fixture
def busy(mount, page):
    """A view of 6 x 8 elements, two columns of which are selected, that has waited for its answers for longer than usual."""
    page.evaluate(IMPATIENT)
    page.evaluate(RECORD)
    view = mount(make_state(plane=[6, 8], selection=[[0, 6], [0, 2]]))
    show_small(view)
    for k in ("histogram", "stats", "values"):
        view.wait_sent(k)
    wait_for_text(view, ".gp-note", SILENT)
    return view


def test_answers_that_come_late_are_shown(busy, page):
    """Numbers came with the next redraw, and a selection had none for good."""
    for message in busy.sent():
        if message["k"] == "histogram":
            busy.deliver({**message, **BINS})
        if message["k"] == "stats":
            busy.deliver({**message, **ROWS, "rows": [["mean", "2.5"]]})
        if message["k"] == "values":
            busy.deliver({**message, "texts": [["88"] * 8] * 6})
    see_bins(busy)
    wait_for_text(busy, ".gp-table", "2.5")
    wait_for_text(busy, ".gp-hover", "6 × 2 selected:")
    page.wait_for_function("drawn.some(([text]) => text === '88')")


def test_a_jump_that_comes_late_is_made(busy):
    busy.locator(".gp-canvas").press("n")
    asked = busy.wait_sent("next")
    busy.page.wait_for_timeout(100)
    assert len(busy.sent("next")) == 1  # a second one would jump again
    busy.deliver({"k": "jump", "seq": asked["seq"], "page": asked["page"], "row": 1, "col": 1, "facet": 0, "text": "NaN at [1, 1]"})
    wait_for_text(busy, ".gp-note", "NaN at [1, 1]")


def test_the_end_of_a_selection_that_panels_are_about_asks_for_the_slice(mount, page):
    """Until the kernel answered, they asked for the statistics of a selection that was no more."""
    view = mount(make_state(plane=[6, 8], selection=[[0, 6], [0, 2]], region="selection"), replies={"histogram": BINS, "stats": ROWS})
    show_small(view)
    view.wait_sent("stats", region="selection")
    n = len(view.sent())
    view.locator(".gp-canvas").press("Escape")
    view.wait_sent("histogram", region="slice")
    assert not [message for message in view.sent()[n:] if message.get("region") == "selection"]


def test_a_late_answer_about_another_region_is_a_reason_to_ask_again(busy):
    asked = busy.wait_sent("histogram", region="slice")
    busy.deliver({"k": "state", "state": make_state(plane=[6, 8], region="all", version=2)})
    busy.deliver({**asked, **BINS})
    busy.wait_sent("histogram", region="all")


def test_a_question_that_waits_behind_a_cell_is_asked_again(busy):
    """Kernels that have a thread for messages answer the second one while the cell runs."""
    for k in ("histogram", "values"):
        asked, first = busy.wait_sent(k, 2), busy.sent(k)[0]
        busy.deliver({**first, "k": "error", "text": "it comes after a newer one and is out of date"})
        fields = BINS if k == "histogram" else {"texts": [["88"] * 8] * 6}
        busy.deliver({**asked, **fields})
    see_bins(busy)
    busy.page.wait_for_function("drawn.some(([text]) => text === '88')")
