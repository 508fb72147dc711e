"""An inspector and a page of it in one process: what the page sends is handled here, what comes back is delivered."""

import json

from .conftest import View


class Bridge(View):
    """A view whose kernel is a real one; `talk` hands messages to and fro until `is_so()`."""

    def __init__(self, page, widget, **options):
        self.widget, self._waiting, self._n_handled = widget, [], 0
        widget.comm.send = lambda data=None, metadata=None, buffers=None, **_: self._waiting.append((data, buffers or []))
        given = {"module": "/widgets/inspector.js", "state": json.loads(json.dumps(widget._state_for_pages())), "like": None,
                 "poster": None, "width": 900, "height": None, "shadow": False, "scheme": None, "traits": {}, "replies": {}}
        super().__init__(page, page.evaluate("mountWidget", given | options))

    def talk(self, is_so, what="what is waited for"):
        for _ in range(600):
            self._hand_over()
            if is_so():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"{what} did not come: {[message['k'] for message in self.sent()][-20:]}")

    def handled(self, kind):
        """The messages of this kind that the kernel has handled."""
        return [message for message in self.sent()[:self._n_handled] if message["k"] == kind]

    def _hand_over(self):
        sent = self.sent()
        for message in sent[self._n_handled:]:
            self.widget._handle_msg({"content": {"data": {"method": "custom", "content": message}}, "buffers": []})
        self._n_handled = len(sent)
        answers, self._waiting = self._waiting, []
        for data, buffers in answers:
            if data["method"] == "custom":
                self.deliver(json.loads(json.dumps(data["content"])), buffers)
            elif data["method"] == "update":
                for name, value in data["state"].items():
                    self.set_trait(name, value)
