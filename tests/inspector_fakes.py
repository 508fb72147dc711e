"""Stand-ins for what is around the inspector's controller: a scene, a host, a clock and a page."""

import time

import numpy as np

from gpuplot.inspector.kernel.controller import Controller
from gpuplot.inspector.model.frames import Drawn


class FakeScene:
    """A scene whose plane has one value, and which records the calls of its methods."""

    is_slow, preview_text, n_tiles = False, "", 1

    def __init__(self, value=0, plane=(100, 200)):
        self.value, self.plane, self.version, self.item = value, plane, 0, ""
        self.settings, self.calls, self.problem = {}, [], None
        self.on_draw = lambda: None

    def _call(self, *call):
        self.calls.append(call)
        if self.problem is not None:
            raise self.problem

    def state(self):
        return {"version": self.version, "kind": "image", "plane": list(self.plane), "value": self.value, "view": None,
                "facets": None, "aspect": "equal"}

    def change(self, values, before=None):
        values = (before or {}) | values
        self._call("change", values)
        if "agg" in values:
            raise ValueError("agg='x' is not one of mean, max")
        self.settings |= values
        self.version += 1

    def note_page_view(self, size):
        self._call("note_hand", size)

    def update(self, X, name=None):
        self.calls.append(("update", X, name))
        if isinstance(X, str):
            raise TypeError("not a tensor of numbers")
        self.value = X
        self.version += 1

    def request_preview(self, window, size):
        """There is no stored level."""

    def draw(self, window, size, keeps_limits=False):
        self.on_draw()
        self._call("draw", window, size, keeps_limits)
        pixels = np.full((1, *size, 4), 255, np.uint8)
        pixels[..., 0] = self.value
        return Drawn(self.version, window, size, pixels)

    def hover(self, row, col, facet, cell, origin):
        self._call("hover", row, col, facet, cell, origin)
        return {"text": f"{row} {col}", "value": None, "index": "", "lines": []}

    def cursor(self, row, col, facet, cell, origin):
        self._call("cursor", row, col, facet)
        return (row, col, facet)

    def values(self, box, facet, room=7):
        self._call("values", box, facet)
        return [["1"]]

    def histogram(self, region, window):
        self._call("histogram", region, window)
        return {"counts": [1, 2], "low": 0.0, "high": 1.0, "edges": None, "ticks": [], "n_outside": 0}

    def palettes(self):
        self._call("palettes")
        return {"gray": ["#000000"] * 8}

    def stats(self, region, window):
        self._call("stats", region, window)
        return {"rows": [], "kind_counts": None}

    def flags(self):
        self._call("flags")
        return {"flags": [["a", "NaN"]], "n_left": 0}

    def search(self):
        self._call("search")
        return {"tensor_has": "NaN"}

    def set_limits(self, how, region, window):
        self._call("set_limits", how, region, window)
        self.version += 1

    def jump(self, step):
        self._call("jump", step)
        self.version += 1
        return {"row": 1, "col": 2, "text": "NaN at [1, 2]"}

    def close(self):
        self.calls.append(("close",))

    def called(self, name):
        return [call[1:] for call in self.calls if call[0] == name]


class FakeHost:
    """A host that sends at once, and whose timers fire when the test says so."""

    def __init__(self, is_text=False, answers_beside_cells=False):
        self.is_text, self.answers_beside_cells = is_text, answers_beside_cells
        self.timers = []

    def note_handler(self):
        pass

    def send(self, function):
        function()

    def call_later(self, seconds, function):
        timer = [seconds, function]
        self.timers.append(timer)
        return lambda: timer in self.timers and self.timers.remove(timer)

    def ring(self):
        timers, self.timers = self.timers, []
        for _, function in timers:
            function()


class Rig:
    """A controller with fakes around it, and the messages that it sent."""

    def __init__(self, scene=None, host=None, **options):
        self.now, self.sent, self.changes, self.views, self.events = 50.0, [], [], [], []
        self.scene, self.host = scene or FakeScene(), host or FakeHost()
        self.controller = Controller(self.scene, self.host, lambda message, buffers: self.sent.append((message, buffers)),
                                     on_change=lambda: self.changes.append(self.scene.version),
                                     on_views=self.views.append,
                                     on_event=lambda *event: self.events.append(event), clock=lambda: self.now, **options)
        self.seq = {}

    def say(self, k, page="p", **fields):
        """Send a message of a page, with a number as pages do."""
        self.seq[page] = fields.pop("seq", self.seq.get(page, 0) + 1)
        self.controller.receive({"k": k, "seq": self.seq[page], "page": page, **fields})
        return self.seq[page]

    def look(self, page="p", **fields):
        return self.say("viewport", page, **{"window": [0, 100, 0, 200], "size": [50, 100], "moving": False, "visible": True} | fields)

    def heard(self, k=None):
        """The messages of a kind that were sent, in order."""
        contents = [message["content"] for message, _ in self.sent if message["method"] == "custom"]
        return [content for content in contents if k in (None, content["k"])]

    def take(self, k=None):
        """As `heard`; the messages are then removed."""
        found = self.heard(k)
        self.sent.clear()
        return found

    def until(self, k):
        """Fire timers until a message of a kind has been sent, which threads may work for."""
        for _ in range(12_000):
            if self.heard(k):
                return
            self.host.ring()
            time.sleep(0.005)
        raise AssertionError(f"no {k} came")

    def ack(self, frame, page="p", **fields):
        self.say("ack", page, **{"id": frame["id"], "drawn": True, "buffers": True} | fields)
