"""Facts about the elements behind one cell, which front ends tell under the pointer."""

import math


def cell_facts(n, limits, mean):
    """(name, value) pairs: integers are counts, and floats are there where an element is finite.

    Parameters
    ----------
    n : int
        The number of elements.
    limits : Limits
    mean : callable
        Returns their mean without those that are not finite; called where an element is.
    """
    facts = [("n", n)]
    if limits.n_finite or not math.isnan(limits.min):  # not all limits have counts
        facts += [("min", float(limits.min)), ("mean", float(mean())), ("max", float(limits.max))]
    counts = (("NaN", limits.n_nan), ("+Inf", limits.n_pos_inf), ("-Inf", limits.n_neg_inf), ("masked", limits.n_masked))
    return facts + [(name, count) for name, count in counts if count]
