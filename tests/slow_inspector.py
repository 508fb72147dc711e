"""An inspector of an array in chunks that are read when a gate lets them."""

import time

import numpy as np
import scenes
from inspector_fakes import Rig
from pieces import Gate, in_pieces

SIZE = [40, 60]
WHOLE = [0, 400, 0, 600]


def scene_of(X, **options):
    """A scene whose limits are the smallest and largest element, not centered."""
    return scenes.scene_of(X, **{"center": None} | options)


class Slow:
    """A page, its inspector, and a gate in front of the chunks, of 100 x 100."""

    def __init__(self, array, chunks=(1, 100, 100), **options):
        self.source, self.engine = in_pieces(array, chunks)
        self.gate, self.rig = Gate(self.engine), Rig(scene_of(self.source, **options))
        self._acknowledged = set()
        self.rig.say("ready")
        self.rig.take()

    def look(self, window=WHOLE, **fields):
        return self.rig.look(window=window, size=SIZE, **fields)

    def until(self, is_so):
        """Turns of the event loop, in which the page acknowledges what it gets, until something is so."""
        for _ in range(6000):
            for frame in self.rig.heard("frame"):
                if frame["id"] not in self._acknowledged:
                    self._acknowledged.add(frame["id"])
                    self.rig.ack(frame)
            self.rig.host.ring()
            if is_so():
                return
            time.sleep(0.005)
        raise AssertionError(f"it never comes: {[message['k'] for message in self.rig.heard()]}")

    def frames(self, is_final=True):
        return [frame for frame in self.rig.heard("frame") if frame["final"] == is_final]

    def pixels(self):
        """The pixels of the frame sent last."""
        message, buffers = next(one for one in reversed(self.rig.sent) if one[0]["content"]["k"] == "frame")
        kind, shape = message["content"]["format"], (*message["content"]["size"], -1)
        if kind == "rgba":
            return np.frombuffer(buffers[0], np.uint8).reshape(shape)
        assert kind == "index"
        return np.frombuffer(buffers[1], np.uint8).reshape(-1, 4)[np.frombuffer(buffers[0], np.uint8).reshape(SIZE)]
