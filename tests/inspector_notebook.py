"""A stand-in for a notebook, for the inspector's widget: comms that record messages, and a page that sends some."""

import numpy as np
import pytest

import gpuplot

pytest.importorskip("anywidget", reason="the inspector needs anywidget: pip install anywidget")
comm = pytest.importorskip("comm")

VOLUME = np.random.default_rng(5).normal(size=(4, 30, 50)).astype("float32")


class RecordingComm(comm.base_comm.BaseComm):
    """A comm that keeps published messages."""

    def __init__(self, *args, **keywords):
        self.published = []
        super().__init__(*args, **keywords)

    def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
        self.published.append((msg_type, data, [bytes(buffer) for buffer in buffers or []]))


@pytest.fixture
def notebook(monkeypatch):
    """Widgets get comms that record messages, as they get comms in a kernel."""
    monkeypatch.setattr(comm, "create_comm", RecordingComm)


@pytest.fixture
def w(notebook):
    with gpuplot.inspect(VOLUME) as inspector:
        yield inspector


def shown_pixels(frame):
    """A frame of (content, buffers) with a palette, as (n_facets, h, w, 4) pixels."""
    content, buffers = frame
    shape = (content["n_facets"], *content["size"])
    palette = np.frombuffer(buffers[1], np.uint8).reshape(-1, 4)
    return palette[np.frombuffer(buffers[0], np.uint8)].reshape(*shape, 4)


class Page:
    """One page of a widget: sends messages as the front end does, and collects those of the widget."""

    def __init__(self, widget, name="p"):
        self.widget, self.name, self.seq = widget, name, 0
        self.comm = widget.comm

    def deliver(self, data, buffers=()):
        """Deliver any content on the comm."""
        self.comm.handle_msg({"content": {"comm_id": self.comm.comm_id, "data": data}, "buffers": list(buffers)})

    def say(self, k, **fields):
        self.seq = fields.pop("seq", self.seq + 1)
        self.deliver({"method": "custom", "content": {"k": k, "seq": self.seq, "page": self.name, **fields}})
        return self.seq

    def look(self, window, size, **fields):
        return self.say("viewport", window=list(window), size=list(size), **{"moving": False, "visible": True} | fields)

    def heard(self, k=None):
        """(content, buffers) of custom messages of a kind."""
        return [(data["content"], buffers) for kind, data, buffers in self.comm.published
                if kind == "comm_msg" and data["method"] == "custom" and k in (None, data["content"]["k"])]

    def frames(self):
        return self.heard("frame")

    def errors(self):
        return [content["text"] for content, _ in self.heard("error")]

    def forget(self):
        self.comm.published.clear()


# Means of 4 x 4 pixels of this use a small part of the colors that its elements have.
NOISE = np.random.default_rng(3).normal(size=(256, 256)).astype("float32")


def drawn_page(inspector, size=(4, 4)):
    """A page that has looked at the whole plane."""
    page = Page(inspector)
    rows, cols = inspector._controller.state()["plane"]
    page.look([0, rows, 0, cols], size)
    return page
