"""Times of two statements that take turns, so that both meet the same noise."""

import gc
import statistics
import time

# OpenMP's workers spin for a while after their work and would take a core from whoever comes next.
PAUSE_S = 0.005
SHORT_S = 0.002
MOST_ROUNDS = 25


class Statement:
    """Compiled lines with their own names, run as often as a measurable time needs."""

    def __init__(self, contender, a):
        self.names = {"a": a}
        exec(compile(contender.setup, "<setup>", "exec"), self.names)
        self._code = compile(contender.line, f"<{contender.name}>", "exec")
        self.n_calls = 1

    def call(self):
        """Runs the lines once."""
        exec(self._code, self.names)

    def time(self):
        """``(wall, processor)`` seconds of one call."""
        time.sleep(PAUSE_S)
        calls = range(self.n_calls)
        wall, processor = time.perf_counter(), time.process_time()
        for _ in calls:
            self.call()
        return ((time.perf_counter() - wall) / self.n_calls, (time.process_time() - processor) / self.n_calls)

    def warm_up(self):
        """Two calls, the second of which says how many make a measurable time; returns its seconds."""
        self.call()
        seconds = self.time()[0]
        self.n_calls = max(1, min(1000, round(SHORT_S / max(seconds, 1e-7))))
        return seconds


def alternate(ours, theirs, budget_s, n_least=3):
    """Lets two statements take turns for about `budget_s` seconds.

    Returns
    -------
    dict
        ``ours`` and ``theirs``: seconds of each round; ``ratio``: the median of ours/theirs, round by round, and
        ``processor_ratio`` the same for the time of all processors together, which a busy machine disturbs less.
    """
    seconds = sum(s.warm_up() * s.n_calls for s in (ours, theirs))
    n_rounds = int(max(n_least, min(MOST_ROUNDS, budget_s / seconds)))
    gc.collect()
    gc.disable()
    try:
        pairs = [(ours.time(), theirs.time()) for _ in range(n_rounds)]
    finally:
        gc.enable()
    return {
        "ours": [mine[0] for mine, _ in pairs],
        "theirs": [other[0] for _, other in pairs],
        "ratio": statistics.median(mine[0] / other[0] for mine, other in pairs),
        "processor_ratio": statistics.median(mine[1] / max(other[1], 1e-9) for mine, other in pairs),
    }
