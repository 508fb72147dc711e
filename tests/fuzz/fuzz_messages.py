"""Messages of a page, any at all, to a controller with a scene: each is answered or refused, and what follows still works."""

import json
import warnings

import numpy as np
from inspector_fakes import Rig
from py_input import Input

from gpuplot.inspector.kernel import messages
from gpuplot.inspector.model.scene import Scene
from gpuplot.options import CELLS, STREAM, STYLE, VIEW

_OPTIONS = VIEW | CELLS | STYLE | STREAM
_RNG = np.random.default_rng(0)
_VOLUME = _RNG.normal(size=(3, 20, 30))
TENSORS = [
    _VOLUME, np.where(_VOLUME > 1, np.nan, _VOLUME), _RNG.integers(0, 9, (6, 7)), _VOLUME[0] + 1j * _VOLUME[1], _VOLUME[0] > 0,
    _RNG.integers(0, 255, (9, 9, 3), dtype=np.uint8), np.arange(40.0), np.zeros((3, 0, 4)), np.full((4, 5), np.inf),
    {"a": _VOLUME[0], "b": _VOLUME[1], "<b>": np.arange(5)}, np.array([[2**63 - 1, -(2**63)]]), np.float32(1),
]

KINDS = ["ready", "gone", "viewport", "ack", "set", "hover", "values", "histogram", "stats", "palettes", "next", "limits", "click", "flags",
         "search"]
NAMES = {
    "item": ["", "a", "b", "<b>"], "cmap": ["gray", "RdBu", "hsv", "nope"], "norm": ["linear", "log", "symlog", "eq_hist", "nope"],
    "agg": ["mean", "max", "min", "absmax", "range", "std", "var", "sum", "count", "nearest", "nope"],
    "nan": ["auto", "show", "skip", "nope"],
    "aspect": ["equal", "auto"], "region": ["view", "slice", "all", "selection"],
    "complex_mode": ["phase", "real", "imaginary", "amplitude", "nope"],
}


def _range(source):
    low, high = source.number(), source.number()
    return [low, high] if source.one_in(8) else sorted([low, high])


def _by_axis(source, value):
    return {source.choice(["0", "1", "2", "3", "-1", "row"]): value() for _ in range(source.between(1, 2))}


def _setting(source, name):
    if source.one_in(16):
        return source.json()
    if name in NAMES:
        return source.choice([*NAMES[name], None])
    return {
        "index": lambda: _by_axis(source, lambda: source.between(0, 20)),
        "reduce": lambda: _by_axis(source, lambda: source.choice(["mean", "max", "min", "sum", "std", "norm", "nope", None])),
        "selection": lambda: source.choice([None, [sorted(source.between(0, 40) for _ in range(2)) for _ in range(2)]]),
        "view": lambda: source.choice([None, [_range(source), _range(source)]]), "robust": lambda: source.one_in(2),
    }.get(name, lambda: source.number() if name in ("vmin", "vmax") else source.choice([None, 0, 1, 2, 3]))()


def _fields(source, k):
    """The fields that a message of this kind has, most of them as they should be."""
    region = source.choice(["view", "slice", "all", "selection"])
    return {
        "viewport": lambda: {"window": [*_range(source), *_range(source)], "size": [source.between(1, 40), source.between(1, 40)],
                         "moving": source.one_in(2), "visible": not source.one_in(4)},
        "ack": lambda: {"id": source.between(0, 9), "drawn": source.one_in(2), "buffers": source.one_in(2)},
        "set": lambda: {"values": {name: _setting(source, name) for name in
                                   (source.choice(list(messages.FIELD_CHECKS)) for _ in range(source.between(1, 3)))}},
        "hover": lambda: {**dict.fromkeys(("row", "col"), None if source.one_in(8) else source.number()), "facet": source.between(0, 3)},
        "click": lambda: {"row": source.number(), "col": source.number(), "facet": source.between(0, 3)},
        "values": lambda: {"box": [source.between(0, 30) for _ in range(4)], "facet": source.between(0, 3)},
        "histogram": lambda: {"region": region}, "stats": lambda: {"region": region}, "next": lambda: {"step": source.choice([1, -1])},
        "limits": lambda: {"how": source.choice(["auto", "full", "robust", "snap"]), "region": region},
    }.get(k, dict)()


def _message(source, seq):
    """A message, now and then with a field that is missing or anything."""
    if source.one_in(24):
        return source.json()
    k = source.choice(KINDS)
    content = {"k": k, "seq": seq if not source.one_in(16) else source.integer(), "page": source.choice(["p", "p", "q"])}
    content |= _fields(source, k)
    if source.one_in(12):
        content[source.choice(list(content))] = source.json()
    if source.one_in(24):
        content.pop(source.choice(list(content)))
    return content


def _contents(data):
    """What a page says: JSON as it stands in a file, or made from bytes; and which tensor it is about."""
    if data[:1] == b"[":
        try:
            found = json.loads(data)
        except (ValueError, RecursionError):
            found = []
        return found, 0
    source = Input(data)
    number = source.between(0, len(TENSORS) - 1)
    found = []
    while len(source) and len(found) < 12:
        found.append(_message(source, len(found) + 1))
    return found, number


def _check_parse(content):
    """What is refused has a reason that a page can show; what is read has an address."""
    try:
        message = messages.parse(content)
    except messages.MessageError as error:
        text = str(error)
        assert 0 < len(text) < 400 and "\n" not in text, text
        assert text.isprintable() or not text.isascii(), text
        return
    assert (message.seq, message.page) == messages.address_of(content)
    json.dumps(vars(message), allow_nan=False)  # every number is finite


def _settings(scene):
    """The scene's state without what only counts."""
    return {name: value for name, value in scene.state().items() if name != "version"}


def one(data):
    """One input of the fuzzer."""
    contents, number = _contents(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rig = Rig(Scene(TENSORS[number], _OPTIONS))
        for content in contents:
            _check_parse(content)
            rig.now += 1  # pages hear of no more than some errors in a second
            before = _settings(rig.scene)
            n_errors = len(rig.heard("error"))
            rig.controller.receive(content)
            rig.host.ring()
            if len(rig.heard("error")) > n_errors and type(content) is dict and content.get("k") == "set":
                assert json.dumps(_settings(rig.scene)) == json.dumps(before), content
        for heard in rig.heard():
            json.dumps(heard, allow_nan=False).encode()
        rig.look(page="fresh", window=[0, 5, 0, 5], size=[8, 9])
        assert rig.heard("frame")[-1]["page"] == "fresh"
        rig.controller.close()
