"""The whole inspector's looks that can be measured: nothing overflows or jumps, everything has a name, text reads in light and dark."""

import pytest

from .states import make_state

BINS = {"counts": [1, 10, 100, 10], "low": -4.0, "high": 4.0, "n_outside": 0}
ROWS = {"rows": [["min", "-13.48212"], ["mean", "0.001241903"], ["argmax", "[3, 7, 55, 2]"]], "kind_counts": None}
REPLIES = {"histogram": BINS, "stats": ROWS}
AXES = [{"name": name, "size": size, "role": role, "index": 0, "op": op} for name, size, role, op in [
    ("batch", 8, "index", None), ("head", 12, "index", None), ("depth", 40, "reduce", "mean"), ("query", 64, "y", None),
    ("key", 64, "x", None)]]
STATE = make_state(axes=AXES, items=["layers.0.attention.query.weight", "b"], item="b",
                   kind_counts={"nan": 3, "neg_inf": 0, "neg": 9, "zero": 1, "pos": 9, "pos_inf": 1},
                   shows={"histogram": True, "stats": True, "play": True, "values": "auto", "sliders": None},
                   complex_mode="amplitude", complex_modes=["amplitude", "phase"])
# [text, ratio of contrast with what lies behind] of each element that has text of its own and is seen.
CONTRASTS = """root => {
  const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const mix = colors => { for (const color of colors) { pen.fillStyle = color; pen.fillRect(0, 0, 1, 1); } return [...pen.getImageData(0, 0, 1, 1).data]; };
  const light = ([r, g, b]) => [r, g, b].map(part => part / 255).map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = one => one ? [...behind(one.parentElement ?? one.getRootNode().host), getComputedStyle(one).backgroundColor] : ["#fff"];
  return [...root.querySelectorAll("*")].filter(one => one.checkVisibility({ opacityProperty: true, visibilityProperty: true })
      && [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()) && one.tagName !== "OPTION").map(one => {
    const back = behind(one), [a, b] = [light(mix(back)), light(mix([...back, getComputedStyle(one).color]))];
    return [one.textContent, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
  });
}"""


@pytest.fixture
def whole(mount):
    """A function that mounts the whole inspector and waits until its panels are filled."""
    def mount_whole(**options):
        view = mount(options.pop("state", STATE), replies=REPLIES, **options)
        view.locator(".gp-table span").first.wait_for()
        return view
    return mount_whole


@pytest.mark.parametrize("width", [240, 280, 320, 500, 640, 900, 2000])
def test_nothing_overflows_at_any_width(whole, width):
    view = whole(width=width)
    root = view.locator(".gpuplot")
    assert root.evaluate("root => root.scrollWidth <= root.clientWidth && root.offsetWidth <= root.parentElement.clientWidth")
    outside = root.evaluate("""root => [...root.querySelectorAll("button, select, .gp-box, .gp-table div, .gp-pill")].filter(one => {
      const [place, whole] = [one.getBoundingClientRect(), root.getBoundingClientRect()];
      return place.width && (place.left < whole.left || place.right > whole.right + 0.5);
    }).map(one => one.outerHTML)""")
    assert outside == []


@pytest.mark.parametrize("width", [240, 264, 320])
def test_no_digit_is_cut_in_a_narrow_cell(whole, width):
    counts = {"nan": 8_880_000, "neg_inf": 8_880_000, "neg": 8_880_000, "zero": 8_880_000, "pos": 8_880_000, "pos_inf": 8_880_000}
    view = whole(state={**STATE, "vmin": -1234.56, "vmax": 1.23456e-7, "kind_counts": counts, "tensor_kind_counts": counts}, width=width)
    cut = view.locator(".gp-pill, .gp-pill span, .gp-pill b, .gp-box").evaluate_all(
        "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.outerHTML)")
    assert cut == []


@pytest.mark.parametrize("width", [240, 660, 900, 1500])
def test_statistics_with_many_digits_go_on_in_the_next_line(mount, width):
    """The largest absolute value of int64 ended in an ellipsis where panels stand side by side."""
    rows = [[name, f"{2**62} at [1234567, 1234567]"] for name in ("min", "max", "absolute maximum")]
    view = mount(STATE, replies=REPLIES | {"stats": {"rows": rows, "kind_counts": None}}, width=width)
    texts = view.locator(".gp-table span")
    texts.first.wait_for()
    assert texts.all_inner_texts() == [text for _, text in rows]
    outside = view.locator(".gp-table").evaluate("""table => [...table.querySelectorAll("span")].filter(one => {
      const words = document.createRange();
      words.selectNodeContents(one);
      const [text, row, all] = [words, one.parentElement, table].map(thing => thing.getBoundingClientRect());
      return text.left < row.left || text.right > row.right + 0.5 || text.bottom > row.bottom + 0.5 || row.right > all.right + 0.5;
    }).length""")
    assert outside == 0 and texts.evaluate_all("all => all.every(one => getComputedStyle(one).textOverflow === 'clip')")


@pytest.mark.parametrize("width", [240, 900, 1500])
def test_a_number_that_has_no_room_beside_its_name_is_in_the_next_line_as_a_whole(mount, width):
    """The last digit alone was there: 4601274095006519487 seemed to be a tenth of itself."""
    rows = [[name, str(-2**63)] for name in ("min", "max", "absolute maximum")]
    view = mount(STATE, replies=REPLIES | {"stats": {"rows": rows, "kind_counts": None}}, width=width)
    texts = view.locator(".gp-table span")
    texts.first.wait_for()
    assert texts.evaluate_all("""all => all.map(one => {
      const words = document.createRange();
      words.selectNodeContents(one);
      return words.getClientRects().length;
    })""") == [1, 1, 1]


@pytest.mark.parametrize("state", [{}, {"limits": "elements"}, {"is_categorical": True, "categories": [[f"class {k}", "#f00"] for k in range(99)]}],
                         ids=["auto", "elements", "classes"])
def test_names_of_buttons_have_the_words_that_are_seen(whole, state):
    """Who speaks to a page says what is seen (WCAG 2.5.3)."""
    view = whole(state=STATE | state)
    has_more = "categories" in state
    if has_more:
        view.locator(".gp-classes button:visible").wait_for()
    buttons = view.locator(".gp-button").evaluate_all("all => all.map(one => [one.innerText, one.ariaLabel ?? one.innerText])")
    words = {text for text, _ in buttons}
    assert "1:1" in words and any(word.startswith("and ") for word in words) == has_more
    assert words & {"auto", "full", "robust", "snap"} == (set() if has_more else {"auto", "full", "robust", "snap"})
    assert [pair for pair in buttons if pair[0].isascii() and len(pair[0]) > 1 and pair[0].lower() not in pair[1].lower()] == []


@pytest.mark.parametrize("width", [380, 400, 420, 639, 660, 700, 820, 840, 900])
def test_no_digit_of_a_limit_is_cut_at_any_width(whole, width):
    """-3.89942e-30 read as -3.89942e where half of a cell was the histogram's."""
    view = whole(state={**STATE, "vmin": -3.89942e-30, "vmax": 1000000.00307}, width=width)
    cut = view.locator(".gp-limits .gp-box").evaluate_all(
        "all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => [one.value, one.clientWidth])")
    assert cut == []


@pytest.mark.parametrize("width", [264, 320, 800, 1000])
def test_nothing_jumps_when_numbers_and_texts_change(whole, width):
    view = whole(width=width)
    view.page.wait_for_function("document.querySelector('.gp-plot div div').style.clipPath.startsWith('polygon')")
    parts = ".gp-header, .gp-axes, .gp-readout, .gp-panels > *, .gp-pill, .gp-axis, .gp-limits"
    places = "all => all.map(one => JSON.stringify(one.getBoundingClientRect()))"
    before = view.locator(parts).evaluate_all(places)
    axes = [{**AXES[0], "index": 7}, {**AXES[1], "index": 11}, *AXES[2:]]
    many = {"nan": 999, "neg_inf": 999, "neg": 8_830_000, "zero": 9999, "pos": 7_950_000, "pos_inf": 999}
    state = {**STATE, "axes": axes, "version": 2, "vmin": -123456.5, "vmax": 1e-17 + 3, "is_fixed": {"vmin": True, "vmax": True},
             "robust": True, "kind_counts": many}
    view.deliver({"k": "state", "state": state})
    view.page.wait_for_function("document.querySelector('.gp-axis input').value === '7'")
    view.deliver({"k": "error", "text": "a message from the kernel " * 50, "page": view.wait_sent("viewport")["page"], "seq": 1})
    view.locator("[role=status]").wait_for()
    assert view.locator(parts).evaluate_all(places) == before


SIDES = "one => { const { left, right } = one.getBoundingClientRect(); return [left, right]; }"
FACETS = {"facets": {"rows": ["query 0", "query 1"], "columns": ["a", "b"]}}


# Where a tensor is drawn whose width is so many times its height, `n` times beside and below each other, 6 px apart.
DRAWN = """([canvas, aspect, n]) => {
  const { left, right, width, height } = canvas.getBoundingClientRect(), [wide, high] = [width, height].map(px => (px - 6 * (n - 1)) / n);
  const beside = (wide - Math.min(wide, high * aspect)) / 2;
  return [left + beside, right - beside];
}"""


@pytest.mark.parametrize("width", [320, 900])
@pytest.mark.parametrize("state, aspect", [({}, 1), (FACETS, 1), ({"plane": [60, 80]}, 80 / 60), ({"plane": [2000, 20]}, None)],
                         ids=["plane", "facets", "wide", "tall"])
def test_the_color_bar_is_under_the_picture_and_as_wide(whole, state, aspect, width):
    """As the tensor that is drawn, not as the canvas around it; a bar whose numbers would have no room is wider."""
    view = whole(state={**STATE, "plane": [64, 64], **state}, width=width)
    canvas, bar = view.locator(".gp-canvas"), view.locator(".gp-colors").evaluate(SIDES)
    if aspect is None:
        left, right = canvas.evaluate(SIDES)
        assert bar == pytest.approx([(left + right) / 2 - 120, (left + right) / 2 + 120], abs=1)
    else:
        drawn = view.page.evaluate(DRAWN, [canvas.element_handle(), aspect, 2 if "facets" in state else 1])
        assert bar == pytest.approx(drawn, abs=1.5)
    picture, bar, line = (view.locator(part).bounding_box() for part in (".gp-picture", ".gp-bar", ".gp-line"))
    assert picture["y"] + picture["height"] <= bar["y"] and bar["y"] + bar["height"] <= line["y"]


@pytest.mark.parametrize("height, is_high", [(1000, True), (700, False), (600, False)])
def test_in_a_low_window_the_picture_gives_way_and_not_the_histogram(whole, open_page, height, is_high):
    page = open_page(viewport={"width": 1000, "height": height})
    plane = {"plane": [600, 600], "axes": [{**axis, "role": {"index": "reduce"}.get(axis["role"], axis["role"])} for axis in AXES[3:]]}
    view = whole(on=page, state={**STATE, **plane, "items": [""], "item": ""}, width=900)
    canvas, histogram = (view.locator(part).bounding_box() for part in (".gp-canvas", ".gp-limits"))
    assert (canvas["height"] == 560) == is_high and canvas["height"] >= 160
    assert histogram["y"] + histogram["height"] <= height
    page.set_viewport_size({"width": 1000, "height": 560})
    page.wait_for_function("() => document.querySelector('.gp-canvas').clientHeight === 200")


def test_a_callers_height_stays_in_a_low_window(whole, open_page):
    view = whole(on=open_page(viewport={"width": 1000, "height": 500}), state={**STATE, "height": 480})
    assert view.locator(".gp-canvas").bounding_box()["height"] == 480


def test_whatever_takes_the_focus_has_a_name_and_keeps_the_notebooks_keys_out(whole):
    view = whole()
    nameless = view.locator(".gpuplot").evaluate("""root => [...root.querySelectorAll("*")].filter(one => one.tabIndex >= 0).filter(one =>
      one.dataset.lmSuppressShortcuts !== "true" || !(one.ariaLabel || (one.tagName === "SUMMARY" && one.textContent))).map(one => one.outerHTML)""")
    assert nameless == []


def test_tab_goes_through_the_controls_from_top_to_bottom(whole):
    view = whole()
    view.page.locator("body").focus()
    tops = []
    for _ in range(60):
        view.page.keyboard.press("Tab")
        place = view.page.evaluate("""() => { const one = document.activeElement, place = one.closest("section, .gp-axes, .gp-header, .gp-picture");
          return one === document.body || !place ? null : [place.getBoundingClientRect().top + scrollY, one.matches(":focus-visible")]; }""")
        if place is None:
            break
        tops.append(place[0])
        assert place[1]
    assert len(tops) >= 20 and tops == sorted(tops)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_reads_in_light_and_dark(whole, open_page, scheme):
    view = whole(on=open_page(color_scheme=scheme))
    contrasts = view.locator(".gpuplot").evaluate(CONTRASTS)
    assert len(contrasts) > 40
    assert [(text, ratio) for text, ratio in contrasts if ratio < 4.5] == []
    back = view.locator(".gpuplot").evaluate("root => getComputedStyle(root).backgroundColor")
    assert back == {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 24, 27)"}[scheme]


@pytest.mark.parametrize("attribute, value, back", [
    ("data-jp-theme-light", "false", "rgb(21, 24, 27)"), ("data-jp-theme-light", "true", "rgb(255, 255, 255)"),
    ("data-theme", "dark", "rgb(21, 24, 27)"),
])
def test_the_hosts_theme_wins_over_the_browsers(whole, open_page, attribute, value, back):
    page = open_page(color_scheme="light" if back.startswith("rgb(21") else "dark")
    view = whole(on=page)
    page.evaluate("([name, value]) => document.body.setAttribute(name, value)", [attribute, value])
    assert view.locator(".gpuplot").evaluate("root => getComputedStyle(root).backgroundColor") == back


@pytest.mark.parametrize("shadow", [False, True])
def test_the_hosts_colors_are_used_where_it_has_some(whole, shadow):
    view = whole(shadow=shadow)
    view.page.evaluate("document.body.style.cssText = '--jp-layout-color0: rgb(1, 2, 3); --jp-ui-font-color1: rgb(250, 251, 252)'")
    style = view.locator(".gpuplot").evaluate("root => [getComputedStyle(root).backgroundColor, getComputedStyle(root).color]")
    assert style == ["rgb(1, 2, 3)", "rgb(250, 251, 252)"]


def test_numbers_read_the_same_on_a_page_that_is_written_from_right_to_left(whole, page):
    """-1.5 read as 1.5-, and the shape and the index of an element from their ends."""
    page.evaluate("document.documentElement.dir = 'rtl'")
    view = whole(width=700)
    vmin, vmax = (view.locator(f"input[aria-label^='{side},']").bounding_box() for side in ("vmin", "vmax"))
    assert vmin["x"] < vmax["x"]
    places = view.locator(".gp-type b, .gp-type span").evaluate_all("all => all.map(one => one.getBoundingClientRect().left)")
    assert places == sorted(places)
    canvas = view.locator(".gp-over").evaluate("one => getComputedStyle(one).direction")
    assert canvas == "ltr"  # which is that of the numbers on it


@pytest.mark.parametrize("direction", ["row", "column"])
def test_inspectors_in_a_box_of_widgets_share_its_width(whole, direction):
    views = [whole(width=900), whole(width=900)]
    views[0].page.evaluate("""direction => {
      const box = Object.assign(document.createElement("div"), { style: `display: flex; flex-direction: ${direction}; width: 1000px` });
      box.append(...document.querySelectorAll(".view"));
      document.body.append(box);
    }""", direction)
    widths = [view.root.bounding_box()["width"] for view in views]
    assert widths == ([500, 500] if direction == "row" else [1000, 1000])


def test_the_style_sheet_stays_in_the_inspector(whole):
    view = whole()
    view.page.evaluate("document.body.append(Object.assign(document.createElement('summary'), {className: 'gp-pill'}), document.createElement('section'))")
    outside = view.page.locator("body > .gp-pill").evaluate("one => [getComputedStyle(one).fontWeight, getComputedStyle(one).display]")
    assert outside == ["400", "block"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_index_under_the_pointer_reads_on_its_frame(whole, open_page, scheme):
    view = whole(on=open_page(color_scheme=scheme))
    ratio = view.locator(".gp-over").evaluate("""canvas => {
      const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
      const light = name => {
        pen.fillStyle = getComputedStyle(canvas).getPropertyValue(name);
        pen.fillRect(0, 0, 1, 1);
        return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3).map(part => part / 255)
          .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
          .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0.05);
      };
      const both = [light("text-emphasis-color"), light("text-decoration-color")];
      return Math.max(...both) / Math.min(...both);
    }""")
    assert ratio >= 4.5


def test_colors_that_mean_something_stay_where_a_user_has_few_of_his_own(whole, open_page):
    view = whole(on=open_page(forced_colors="active"))
    for selector in (".gp-colors", ".gp-plot > div > div", ".gp-tools bdi", ".gp-axis input[type=range]"):
        assert "gradient" in view.locator(selector).first.evaluate("one => getComputedStyle(one).backgroundImage"), selector
