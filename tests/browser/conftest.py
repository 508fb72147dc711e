"""One browser for this folder, a fresh page for each test, and a fake kernel to talk to; any error on the page is a failure.

    view = mount(make_state(plane=[8, 8]))      # the widget, in a box 900 px wide
    look = view.wait_sent("viewport")              # what it asked for
    view.deliver(*make_frame(indices, look, palette=palette))
    view.wait_sent("ack")
    rgba = view.pixels("canvas")

`part` mounts a single part, made by `makeX(app)` of a module, with an app that records its calls.
"""

import base64
import itertools

import numpy as np
import pytest
from chromium import PATIENCE, Watch, chromium_or_skip, wait_until

from .server import serving
from .states import BINS, make_state


@pytest.fixture(scope="package")
def browser():
    with chromium_or_skip() as browser:
        yield browser


@pytest.fixture(scope="package")
def address():
    with serving() as address:
        yield address


@pytest.fixture(scope="package")
def new_page(browser, address):
    """A function that opens a page in a context of its own, with the context's options."""
    def open_new(**options):
        context = browser.new_context(**{"viewport": {"width": 1000, "height": 900}, **options})
        context.set_default_timeout(PATIENCE)
        watch = Watch(context)
        page = context.new_page()
        page.watch, page.address = watch, f"{address}/page.html"
        _load(page)
        return page

    return open_new


@pytest.fixture
def open_page(new_page):
    """The same for one test: `open_page(device_scale_factor=2, color_scheme="dark")`."""
    pages = []

    def open_one(**options):
        pages.append(new_page(**options))
        return pages[-1]

    yield open_one
    problems = list(itertools.chain.from_iterable(page.watch.problems for page in pages))
    for page in pages:
        page.context.close()
    assert problems == []


class KeptPage:
    """A page that one test hands to the next: loading it anew takes a tenth of the time that a new context takes."""

    def __init__(self, open_new):
        self._open_new, self.page = open_new, None

    def load(self):
        """The page as if it were new: nothing is pressed, the pointer is in its corner."""
        if self.page is None or self.page.is_closed():
            self.page = self._open_new()
            return self.page
        page = self.page
        page.mouse.up()
        for key in ("Shift", "Control", "Alt"):
            page.keyboard.up(key)
        page.mouse.move(0, 0)
        page.watch.forget()
        _load(page)
        return page


def _load(page):
    page.goto(page.address)
    page.wait_for_function("window.isReady")


@pytest.fixture(scope="package")
def kept_page(new_page):
    return KeptPage(new_page)


@pytest.fixture
def page(request):
    """A fresh page; `page.watch.forget()` takes back errors that a test causes on purpose."""
    if "clock" in request.fixturenames:  # which stays with the page's context
        yield request.getfixturevalue("open_page")()
        return
    page = request.getfixturevalue("kept_page").load()
    yield page
    assert page.watch.forget() == []


@pytest.fixture
def clock(page):
    """The page's clock, which stands still: `clock.run_for(600)` lets 600 ms go by, with all that is due in them."""
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    return page.clock


class View:
    """One view of the widget on a page, and the fake kernel behind it."""

    def __init__(self, page, number):
        self.page, self.number = page, number
        self.root = page.locator(".view").nth(number)

    def locator(self, selector):
        return self.root.locator(selector)

    def sent(self, k=None):
        """The messages of kind `k`, or all, that were sent to this view's model so far."""
        messages = self.page.evaluate("sentBy", self.number)
        return [message for message in messages if k is None or message["k"] == k]

    def wait_sent(self, k, count=1, **fields):
        """The newest message of kind `k` with these fields, as soon as there are `count` of them."""
        self.page.wait_for_function(
            """([number, k, count, fields]) => sentBy(number).filter((message) => message.k === k &&
               Object.entries(fields).every(([name, value]) => JSON.stringify(message[name]) === JSON.stringify(value))
            ).length >= count""", arg=[self.number, k, count, fields])
        return [m for m in self.sent(k) if all(m.get(name) == value for name, value in fields.items())][-1]

    def wait_rest(self, is_so=lambda viewport: True):
        """The newest look as soon as it is that of a hand at rest, of which `is_so(look)` holds."""
        def is_rest():
            viewport = self.sent("viewport")[-1]
            return not viewport["moving"] and is_so(viewport)

        wait_until(self.page, is_rest, lambda: f"the newest looks are {self.sent('viewport')[-3:]}")
        return self.sent("viewport")[-1]

    def deliver(self, message, buffers=()):
        """A message from the kernel, with its binary buffers."""
        self.page.evaluate("([...args]) => deliverTo(...args)", [self.number, message, [_text(data) for data in buffers]])

    def set_trait(self, name, value):
        """A trait changes in the kernel."""
        self.page.evaluate("([...args]) => setTrait(...args)", [self.number, name, value])

    def listeners(self):
        """The events that somebody listens to on the model."""
        return self.page.evaluate("listenersOf", self.number)

    def pixels(self, selector="canvas", nth=0):
        """A canvas's pixels: uint8, shape (height, width, 4)."""
        got = self.locator(selector).nth(nth).evaluate("canvas => pixelsOf(canvas)")
        return np.frombuffer(base64.b64decode(got["data"]), np.uint8).reshape(got["height"], got["width"], 4)

    def remove(self):
        """The view is cleaned up, as when its cell is deleted; how many elements it leaves behind."""
        return self.page.evaluate("removeWidget", self.number)

    def end(self):
        """The model is cleaned up, after all its views."""
        self.page.evaluate("endWidget", self.number)


class Part:
    """One part of the front end on a page, and the app that records what it does."""

    def __init__(self, page, number):
        self.page, self.number = page, number
        self.root = page.locator(".view").nth(number)

    def locator(self, selector):
        return self.root.locator(selector)

    def calls(self, name=None):
        """What was called: lists [name, arguments...]."""
        calls = self.page.evaluate("number => views[number].app.calls", self.number)
        return [call[1:] if name else call for call in calls if name in (None, call[0])]

    def wait_call(self, name, count=1):
        """The newest call of this name, as soon as there are `count`."""
        self.page.wait_for_function("([number, name, count]) => views[number].app.calls.filter(c => c[0] === name).length >= count",
                                    arg=[self.number, name, count])
        return self.calls(name)[-1]

    def update(self, state):
        """A new state comes from the kernel."""
        self.page.evaluate("([...args]) => updatePart(...args)", [self.number, state])

    def emit(self, event, detail=None):
        """An event of the app."""
        self.page.evaluate("([number, event, detail]) => views[number].app.emit(event, detail)", [self.number, event, detail])

    def destroy(self):
        self.page.evaluate("number => views[number].part.destroy()", self.number)


def _text(data):
    return base64.b64encode(bytes(data)).decode()


@pytest.fixture
def mount(page):
    """A function that mounts the widget: `mount(state, **options)`, a `View`.

    Options: width=900, height=None, shadow=False (inside an open shadow root), scheme=None ("dark": the page's color scheme),
    joined=False (the modules as a notebook gets them), poster=None (bytes), traits={} (others), replies={} (kind: fields of the
    answer that the kernel gives at once), like=None (a `View` whose model this one shares), on=None (another page).
    """

    def mount_one(state=None, *, like=None, poster=None, joined=False, on=None, **options):
        where = page if on is None else on
        given = {
            "module": "/joined.js" if joined else "/widgets/inspector.js", "state": make_state() if state is None else state,
            "like": None if like is None else like.number, "poster": poster and _text(poster),
            "width": 900, "height": None, "shadow": False, "scheme": None, "traits": {}, "replies": {}, **options,
        }
        return View(where, where.evaluate("mountWidget", given))

    return mount_one


@pytest.fixture
def part(page):
    """A function that mounts one part: `part("header.js", "makeHeader", state, replies={"stats": {...}}, width=900)`, a `Part`.

    Other options are those of `mount`; `classes` are put on the element around the part, "gpuplot" as inspector.js does.
    """

    def mount_one(module, maker, state=None, *, on=None, **options):
        where = page if on is None else on
        given = {"module": module, "maker": maker, "state": make_state() if state is None else state, "classes": ["gpuplot"],
                 "width": 900, "height": None, "shadow": False, "scheme": None, "replies": {}, **options}
        return Part(where, where.evaluate("mountPart", given))

    return mount_one


@pytest.fixture
def limits(part):
    """A function that mounts the histogram, with its bins at hand."""
    def mount_limits(state=None, replies=None, **options):
        replies = {"histogram": BINS} if replies is None else replies
        return part("limits.js", "makeLimits", state or make_state(), classes=["gpuplot"], replies=replies, **options)
    return mount_limits


@pytest.fixture
def readout(part):
    return lambda state=None, **options: part("readout.js", "makeReadout", state, classes=["gpuplot"], **options)
