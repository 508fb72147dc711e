"""Hostile messages of a page: any JSON, and messages with some wrong fields."""

from hypothesis import strategies as st

JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
                    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4), max_leaves=10)
KINDS = ["ready", "gone", "viewport", "ack", "set", "hover", "click", "values", "histogram", "stats", "palettes", "flags", "next", "limits",
         "frame"]
ALMOST = st.fixed_dictionaries(
    {"k": st.sampled_from(KINDS)},
    optional={
        "seq": st.integers(-2, 40) | JSON, "page": st.sampled_from(["p", "q", ""]) | JSON, "moving": st.booleans() | JSON,
        "window": st.lists(st.floats(-10, 300) | JSON, min_size=4, max_size=4),
        "size": st.lists(st.integers(-1, 70), min_size=2, max_size=2),
        "visible": st.booleans(), "id": st.integers(0, 9) | JSON, "drawn": st.booleans() | JSON, "buffers": st.booleans(),
        "values": st.dictionaries(st.sampled_from(["vmin", "index", "x", "view", "selection", "cmap", "agg", "_esm"]), JSON, max_size=3),
        "row": st.floats() | JSON, "col": st.floats() | st.none(), "facet": st.integers(-1, 5), "box": JSON,
        "region": st.sampled_from(["view", "slice", "all", "x"]), "step": st.integers(-2, 2), "how": st.sampled_from(["full", "x"]),
    })

# Messages that are well formed, and ask for what a tensor of three axes may or may not have.
REGION = st.sampled_from(["view", "slice", "all", "selection"])
EDGE = st.floats(-1e4, 1e4) | st.sampled_from([0.0, 30.0, 1e-9, 2.0**53, -(2.0**53), 1e15])
RANGE = st.tuples(EDGE, EDGE).map(sorted).filter(lambda ends: ends[0] < ends[1])
WINDOW = st.tuples(RANGE, RANGE).map(lambda parts: [*parts[0], *parts[1]])
AXIS = st.integers(0, 4)
BY_AXIS = st.sampled_from(["0", "1", "2", "3", "-1", "row", "x"])
NUMBER = st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53), 2**53)
FIELDS = {
    "item": st.sampled_from(["", "a", "b", "<b>"]), "index": st.dictionaries(BY_AXIS, st.integers(0, 40), min_size=1, max_size=3),
    "x": AXIS, "y": AXIS, "reduce": st.dictionaries(BY_AXIS, st.sampled_from(["mean", "max", "std", "norm", "nope", None]), min_size=1),
    "rows": st.none() | AXIS, "columns": st.none() | AXIS, "rgb": st.none() | AXIS,
    "cmap": st.sampled_from(["gray", "RdBu", "hsv", "nope", ""]), "norm": st.sampled_from(["linear", "log", "symlog", "eq_hist", "nope"]),
    "vmin": NUMBER, "vmax": NUMBER, "agg": st.sampled_from(["mean", "max", "range", "std", "var", "sum", "count", "nearest", "nope"]),
    "nan": st.sampled_from(["show", "skip", "nope"]), "view": st.none() | st.tuples(RANGE, RANGE).map(list),
    "aspect": st.sampled_from(["equal", "auto"]), "region": REGION, "complex_mode": st.sampled_from(["phase", "real", "nope"]),
    "robust": st.booleans(),
    "selection": st.none() | st.sampled_from([[[0, 1], [0, 2]], [[5, 30], [0, 50]], [[0, 31], [0, 1]], [[2, 4], [9, 12]]]),
}
SETTINGS = st.dictionaries(st.sampled_from(sorted(FIELDS)), st.none(), min_size=1, max_size=4).flatmap(
    lambda names: st.fixed_dictionaries({name: FIELDS[name] for name in names}))
PLACE = st.floats(-100, 200)
ASKED = st.one_of(
    st.fixed_dictionaries({"k": st.just("set"), "values": SETTINGS}),
    st.fixed_dictionaries({"k": st.just("set"), "values": SETTINGS}),
    st.fixed_dictionaries({"k": st.just("viewport"), "window": WINDOW, "size": st.lists(st.integers(1, 50), min_size=2, max_size=2),
                           "moving": st.booleans(), "visible": st.booleans()}),
    st.fixed_dictionaries({"k": st.just("hover"), "row": st.none(), "col": st.none(), "facet": st.integers(0, 3)}),
    st.fixed_dictionaries({"k": st.sampled_from(["hover", "click"]), "row": PLACE, "col": PLACE, "facet": st.integers(0, 3)}),
    st.fixed_dictionaries({"k": st.just("values"), "box": st.sampled_from([[0, 3, 0, 3], [0, 60, 0, 60], [40, 50, 1, 2]]),
                           "facet": st.integers(0, 3)}),
    st.fixed_dictionaries({"k": st.sampled_from(["histogram", "stats"]), "region": REGION}),
    st.fixed_dictionaries({"k": st.just("flags")}),
    st.fixed_dictionaries({"k": st.just("next"), "step": st.sampled_from([1, -1])}),
    st.fixed_dictionaries({"k": st.just("limits"), "how": st.sampled_from(["auto", "full", "robust", "snap"]), "region": REGION}),
)
