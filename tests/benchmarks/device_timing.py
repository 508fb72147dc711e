"""Times on a device: inputs rotate, the clock stops when pixels are in host memory, two statements take turns."""

import gc
import itertools
import statistics
import time

MOST_ROUNDS = 60
LEAST_ROUNDS = 3
# Whoever takes longer is not called again and again: three times more would not tell anything new.
SLOW_S = 2.0
WARM_CALLS = 3


class Statement:
    """Compiled lines whose tensor `t` is another one at each call."""

    def __init__(self, contender, inputs, device):
        self._inputs, self._device = itertools.cycle(inputs), device
        self.names = {"t": inputs[0], "device": device.name}
        exec(compile(contender.setup, "<setup>", "exec"), self.names)
        self._code = compile(contender.line, f"<{contender.name}>", "exec")

    def call(self):
        """Runs the lines once, on the next input."""
        self.names["t"] = next(self._inputs)
        exec(self._code, self.names)

    def time(self):
        """Seconds of one call, with everything that it queued done. What the last one left is gone before."""
        self.names.pop("r", None)
        self._device.synchronize()
        start = time.perf_counter()
        self.call()
        self._device.synchronize()
        return time.perf_counter() - start

    def warm_up(self):
        """Calls until allocators and caches are as they stay; the first call's seconds, and the last one's."""
        first = last = self.time()
        for _ in range(WARM_CALLS - 1):
            if last > SLOW_S:
                break
            last = self.time()
        return first, last


def repeat(statement, budget_s):
    """``{"first_s", "times"}`` of a statement alone."""
    first, seconds = statement.warm_up()
    if seconds > SLOW_S:
        return {"first_s": first, "times": [seconds]}
    n_rounds = int(max(LEAST_ROUNDS, min(MOST_ROUNDS, budget_s / max(seconds, 1e-6))))
    with _no_garbage():
        return {"first_s": first, "times": [statement.time() for _ in range(n_rounds)]}


def alternate(ours, theirs, budget_s, known_s):
    """Lets two statements take turns for about `budget_s` seconds.

    Parameters
    ----------
    known_s : float
        Seconds of a warm call of theirs. Where that is slow, it is the only one.

    Returns
    -------
    dict
        ``ours`` and ``theirs``: seconds of each round; ``ratio``: the median of ours/theirs, round by round.
    """
    _, mine = ours.warm_up()
    if known_s > SLOW_S:
        mine = ours.time()
        return {"ours": [mine], "theirs": [known_s], "ratio": mine / known_s}
    _, other = theirs.warm_up()
    n_rounds = int(max(LEAST_ROUNDS, min(MOST_ROUNDS, budget_s / max(mine + other, 1e-6))))
    with _no_garbage():
        pairs = [(ours.time(), theirs.time()) for _ in range(n_rounds)]
    return {"ours": [pair[0] for pair in pairs], "theirs": [pair[1] for pair in pairs],
            "ratio": statistics.median(pair[0] / pair[1] for pair in pairs)}


class _no_garbage:
    """Python's collector waits, so that no call pays for another's garbage."""

    def __enter__(self):
        gc.collect()
        gc.disable()

    def __exit__(self, *_):
        gc.enable()
