"""Messages of pages: each field is checked, and everything else is refused."""

import dataclasses
import math

import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from gpuplot.inspector.kernel import messages
from gpuplot.inspector.kernel.messages import MessageError, address_of, parse
from gpuplot.inspector.model.viewport import pixel_sides

pytestmark = pytest.mark.host("no array that somebody hands to gpuplot")

GOOD = {
    "ready": {},
    "gone": {},
    "viewport": {"window": [0, 10.5, -1, 20], "size": [300, 400], "moving": False, "visible": True},
    "ack": {"id": 3, "drawn": True, "buffers": False},
    "set": {"values": {"vmin": 0.5}},
    "hover": {"row": 1.25, "col": 0, "facet": 2},
    "click": {"row": 1.25, "col": 0, "facet": 2},
    "values": {"box": [0, 8, 2, 10], "facet": 0},
    "histogram": {"region": "slice"},
    "stats": {"region": "view"},
    "palettes": {},
    "flags": {},
    "search": {},
    "next": {"step": -1},
    "limits": {"how": "snap", "region": "all"},
}


def message(k, **changes):
    return {"k": k, "seq": 7, "page": "abc"} | GOOD[k] | changes


def refused(content):
    with pytest.raises(MessageError) as caught:
        parse(content)
    text = str(caught.value)
    assert 0 < len(text) < 400 and "\n" not in text
    return text


@pytest.mark.parametrize("k", GOOD)
def test_every_kind_of_the_contract_is_read(k):
    found = parse(message(k))
    assert (found.seq, found.page) == (7, "abc")
    optional = {field.name for field in dataclasses.fields(found) if field.default is not dataclasses.MISSING}
    assert {field.name for field in dataclasses.fields(found)} - optional == {"seq", "page", *GOOD[k]} - optional
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.seq = 8


def test_numbers_of_a_look_become_tuples():
    viewport = parse(message("viewport"))
    assert viewport.window == (0.0, 10.5, -1.0, 20.0) and viewport.size == (300, 400)
    assert pixel_sides(viewport.window, viewport.size) == (10.5 / 300, 21 / 400)


@pytest.mark.parametrize("value", [1.7e18, -9.223372036854775e18, 2.0**53 + 2, 9e20])
def test_large_numbers_are_read_as_javascript_writes_them(value):
    """Without an exponent below 1e21: limits of durations, hashes and large numbers could not be set by hand."""
    found = parse(message("set", values={"vmin": int(value)})).values["vmin"]
    assert type(found) is float and found == value


@pytest.mark.parametrize("k", GOOD)
def test_every_field_is_needed(k):
    for name in GOOD[k]:
        content = message(k)
        del content[name]
        assert name in refused(content)


@pytest.mark.parametrize("content", [None, 3, "ready", [], [{}], {}, {"k": "ready"}, {"k": 5}, {"k": ["ready"]}, {"k": None}, {"k": {}},
                                     {str(i): i for i in range(100)}, True, 1.5, math.nan])
def test_what_is_no_message(content):
    refused(content)


@pytest.mark.parametrize("changes", [
    {"seq": -1}, {"seq": 2**53}, {"seq": 1.0}, {"seq": True}, {"seq": "1"}, {"seq": None}, {"seq": 10**400},
    {"page": ""}, {"page": "x" * 33}, {"page": "\ud800"}, {"page": "a\x00"}, {"page": 5}, {"page": None}, {"page": ["a"]},
])
def test_addresses_that_make_no_sense(changes):
    content = message("ready", **changes)
    refused(content)
    [name] = changes
    assert address_of(content)[("seq", "page").index(name)] is None


@pytest.mark.parametrize(("k", "changes"), [
    ("viewport", {"window": [0, 1, 0]}), ("viewport", {"window": [0, 1, 0, math.nan]}), ("viewport", {"window": [0, 1, 0, math.inf]}),
    ("viewport", {"window": [1, 1, 0, 1]}), ("viewport", {"window": [2, 1, 0, 1]}), ("viewport", {"window": [0, 1, 0, "1"]}),
    ("viewport", {"window": [0, 1, 0, True]}), ("viewport", {"window": [0, 10**400, 0, 1]}), ("viewport", {"window": None}),
    ("viewport", {"size": [0, 10]}), ("viewport", {"size": [10, 8193]}), ("viewport", {"size": [8192, 8192]}),
    ("viewport", {"size": [1.5, 2]}),
    ("viewport", {"size": [-1, 2]}), ("viewport", {"size": "ab"}), ("viewport", {"size": [10**30, 1]}), ("viewport", {"size": {}}),
    ("viewport", {"moving": 1}), ("viewport", {"visible": "yes"}), ("viewport", {"visible": None}),
    ("ack", {"id": -1}), ("ack", {"id": 1.0}), ("ack", {"drawn": 0}), ("ack", {"buffers": None}),
    ("set", {"values": {}}), ("set", {"values": []}), ("set", {"values": {"_esm": "alert(1)"}}), ("set", {"values": {"comm": 1}}),
    ("set", {"values": {"vmin": "1"}}), ("set", {"values": {"vmin": math.inf}}), ("set", {"values": {"vmin": True}}),
    ("set", {"values": {"index": {}}}), ("set", {"values": {"index": {"0": -1}}}), ("set", {"values": {"index": {"0": 1.5}}}),
    ("set", {"values": {"index": [0]}}), ("set", {"values": {"index": {str(i): 0 for i in range(65)}}}),
    ("set", {"values": {"index": {"x" * 129: 0}}}), ("set", {"values": {"x": -1}}), ("set", {"values": {"x": 64}}),
    ("set", {"values": {"cmap": "v" * 129}}), ("set", {"values": {"cmap": 3}}), ("set", {"values": {"cmap": ["v"]}}),
    ("set", {"values": {"view": [[0, 1]]}}), ("set", {"values": {"view": [[1, 0], [0, 1]]}}),
    ("set", {"values": {"view": [[0, 1], [0, math.nan]]}}), ("set", {"values": {"reduce": {"0": 3}}}),
    ("set", {"values": {"region": "everything"}}), ("set", {"values": {"robust": 2}}), ("set", {"values": {"item": "n" * 1025}}),
    ("set", {"values": {"aspect": []}}), ("set", {"values": {"selection": [[0, 1]]}}), ("set", {"values": {"selection": [[1, 1], [0, 2]]}}),
    ("set", {"values": {"selection": [[-1, 1], [0, 2]]}}), ("set", {"values": {"selection": [[0, 1.0], [0, 2]]}}),
    ("set", {"values": {"selection": [[0, 2**54], [0, 2]]}}), ("set", {"values": {"selection": "all"}}),
    ("hover", {"row": math.nan}), ("hover", {"row": None}), ("hover", {"facet": -1}), ("hover", {"col": None}),
    ("hover", {"facet": 2**21}), ("click", {"row": None}), ("click", {"row": None, "col": None}), ("click", {"col": math.inf}),
    ("click", {"facet": 0.5}), ("values", {"box": [0, 65, 0, 64]}), ("values", {"box": [0, 0, 0, 1]}), ("values", {"box": [-1, 1, 0, 1]}),
    ("values", {"box": [0, 1.0, 0, 1]}), ("values", {"box": [0, 2**60, 0, 1]}),
    ("histogram", {"region": 1}), ("stats", {"region": None}), ("next", {"step": 0}), ("next", {"step": 1.0}),
    ("next", {"step": True}), ("next", {"step": 2}), ("next", {"step": "1"}), ("next", {"step": [1]}), ("hover", {"row": "0"}),
    ("hover", {"row": True}), ("hover", {"facet": 0.0}), ("hover", {"facet": True}), ("values", {"box": "0101"}),
    ("values", {"box": None}), ("values", {"box": {}}), ("values", {"box": [0, 1, 0]}), ("values", {"box": [0, True, 0, 1]}),
    ("values", {"box": [[0], 1, 0, 1]}), ("values", {"facet": None}), ("histogram", {"region": "screen"}), ("stats", {"region": 3}),
    ("limits", {"how": "wide"}), ("limits", {"region": ["view"]}),
])
def test_values_that_make_no_sense(k, changes):
    refused(message(k, **changes))


def test_null_where_the_contract_has_it():
    values = {"vmin": None, "vmax": None, "view": None, "rgb": None, "rows": None, "columns": None, "reduce": {"0": None},
              "selection": None}
    assert parse(message("set", values=values)).values == values


def test_a_pointer_that_is_nowhere_has_neither_row_nor_column():
    found = parse(message("hover", row=None, col=None))
    assert (found.row, found.col) == (None, None)


@pytest.mark.parametrize("name", ["cmap", "norm", "agg"])
def test_what_nobody_chose_can_be_chosen_again(name):
    for value in (None, "automatic"):
        assert parse(message("set", values={name: value})).values == {name: None}


def test_a_refusal_does_not_repeat_what_was_sent():
    for text in (refused(message("set", values={"cmap": "<script>" * 1000})), refused({"k": "<img src=x>" * 500}),
                 refused(message("set", values={"q" * 5000: 1}))):
        assert len(text) < 400


NUMBERS = st.integers() | st.floats() | st.booleans() | st.none()
JSON = st.recursive(NUMBERS | st.text(max_size=40), lambda inner: st.lists(inner, max_size=5)
                    | st.dictionaries(st.text(max_size=8) | st.sampled_from(list(messages.FIELD_CHECKS)), inner, max_size=5), max_leaves=12)
FIELDS = sorted({name for fields in GOOD.values() for name in fields} | {"k", "seq", "page"})


@examples(600)
@given(st.sampled_from(list(GOOD)), st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=3))
def test_any_json_is_a_message_or_refused(k, changes):
    try:
        found = parse(message(k) | changes)
    except MessageError as error:
        assert len(str(error)) < 600
        return
    for field in dataclasses.fields(found):
        if field.name not in changes:
            assert getattr(found, field.name) == getattr(parse(message(found_kind(found))), field.name)


def found_kind(found):
    return {type(parse(message(k))): k for k in GOOD}[type(found)]


@examples(300)
@given(JSON)
def test_any_json_at_all(content):
    try:
        parse(content)
    except MessageError:
        pass
    address_of(content)
