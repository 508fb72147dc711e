"""Which of several tensors have NaN or infinities, searched in steps; and the counts of slice and whole tensor."""

import gc
import itertools
import weakref

import numpy as np
import pytest
from inspector_fakes import Rig
from scenes import count_calls, scene_of

from gpuplot.inspector.model import health
from gpuplot.inspector.model.collection import Collection
from gpuplot.inspector.model.health import Health

pytestmark = pytest.mark.host("elements are counted as for statistics, whose tests are run on devices")


def planted(*values, shape=(40, 50), dtype="float32"):
    """Zeros with some values in the last places."""
    X = np.zeros(shape, dtype)
    X.reshape(-1)[X.size - len(values):] = values
    return X


def all_flags(X):
    return Health().search(Collection(X).items, seconds=60)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
def test_each_tensor_is_flagged_by_the_worst_that_it_has(dtype):
    X = {"fine": planted(dtype=dtype), "nan": planted(np.inf, np.nan, dtype=dtype), "inf": planted(np.inf, dtype=dtype),
         "minus": planted(-np.inf, dtype=dtype), "again": planted(np.nan, 1, dtype=dtype)}
    assert all_flags(X) == ({"nan": "NaN", "inf": "Inf", "minus": "Inf", "again": "NaN"}, 0)


def test_any_layout_and_any_place():
    X = np.zeros((6, 7, 8, 9))
    layouts = [X, X[::-1, ::2], X.transpose(3, 1, 0, 2), np.asfortranarray(X), X[..., ::3], X[:, 1:3, ::-1]]
    for layout in layouts:
        for place in ((0,) * 4, tuple(n - 1 for n in layout.shape)):
            layout[place] = np.nan
            assert all_flags({"x": layout, "y": np.zeros(3)})[0] == {"x": "NaN"}
            layout[place] = 0


def test_what_cannot_have_any_is_not_read(monkeypatch):
    calls = count_calls(monkeypatch, "limits")
    X = {"i": np.arange(9), "u": np.zeros((3, 3), "uint8"), "b": np.zeros(4, bool), "none": np.zeros((0, 3)), "masked": np.arange(3)}
    assert all_flags(X) == ({}, 0) and calls == {"limits": 0}


def test_masked_elements_are_none():
    X = np.ma.masked_invalid(planted(np.nan))
    assert all_flags({"m": X, "s": np.array(np.nan), "t": np.array(1.0)}) == ({"s": "NaN"}, 0)


def test_an_answer_ends_when_its_time_is_over_and_the_next_goes_on(monkeypatch):
    monkeypatch.setattr(health, "SEARCHED_AT_A_TIME", 100)
    calls = count_calls(monkeypatch, "limits")
    items = Collection({"a": planted(np.nan), "b": planted(), "c": planted(np.inf)}).items  # 20 blocks each
    found, ticks = Health(), itertools.count()
    answers = []
    while not answers or answers[-1][1]:
        before = calls["limits"]
        answers.append(found.search(items, 3, lambda: next(ticks)))
        assert 1 <= calls["limits"] - before <= 4
    assert answers[0] == ({}, 3) and answers[-1] == ({"a": "NaN", "c": "Inf"}, 0)
    assert calls["limits"] == 60 and [left for _, left in answers] == sorted((left for _, left in answers), reverse=True)
    found.search(items, 60)
    assert calls["limits"] == 60  # what is known is known


def test_a_nan_ends_the_search_of_its_tensor(monkeypatch):
    monkeypatch.setattr(health, "SEARCHED_AT_A_TIME", 100)
    calls = count_calls(monkeypatch, "limits")
    X = planted()
    X[0, 0] = np.nan
    assert all_flags({"x": X, "i": np.arange(3)}) == ({"x": "NaN"}, 0) and calls == {"limits": 1}


def test_a_tensor_in_too_many_pieces_is_given_up(monkeypatch):
    monkeypatch.setattr(health, "SEARCHED_AT_A_TIME", 1)
    monkeypatch.setattr(health, "MAX_BLOCKS", 10)
    X = planted(np.nan, shape=(4, 5))
    assert all_flags({"x": X, "y": planted(np.nan, shape=(2, 2))}) == ({"y": "NaN"}, 0)


def test_a_thousand_tensors_cost_a_look_only_once(monkeypatch):
    scene = scene_of({f"layer.{i}": planted(np.nan if i % 100 == 7 else 0, shape=(8, 9)) for i in range(1000)})
    calls = count_calls(monkeypatch, "limits")
    scene.state()
    assert calls["limits"] < 5  # nobody asked
    calls["limits"] = 0
    n_asked = 0
    while scene.flags()["n_left"]:
        n_asked += 1
        assert n_asked < 1000
    assert [name for name, _ in scene.flags()["flags"]] == [f"layer.{i}" for i in range(7, 1000, 100)]
    assert calls["limits"] == 1000


def test_an_update_is_looked_at_anew_and_the_others_are_not(monkeypatch):
    scene = scene_of({"a": planted(np.nan), "b": planted(), "c": np.zeros((3, 3))})
    assert scene.flags() == {"flags": [["a", "NaN"]], "n_left": 0}
    calls = count_calls(monkeypatch, "limits")
    scene.update(planted(np.inf), "b")
    scene.update(planted(), "a")
    calls["limits"] = 0
    assert scene.flags() == {"flags": [["b", "Inf"]], "n_left": 0} and calls["limits"] == 2
    scene.update({"z": planted(np.nan)})
    assert scene.flags()["flags"] == [["z", "NaN"]]


def test_a_difference_is_none_of_them_and_a_tensor_that_cannot_be_read_has_no_flag():
    scene = scene_of([planted(np.nan), planted()])
    assert scene.flags() == {"flags": [["0", "NaN"]], "n_left": 0}

    class Broken:
        is_searched, name = True, "broken"

        class source:
            size, dtype, shape = 3, "float32", (3,)

            @staticmethod
            def borrow():
                raise RuntimeError("gone")

    assert Health().search([Broken]) == ({}, 0)


def test_pages_ask_and_are_answered_and_beside_a_loop_they_wait():
    rig = Rig(scene_of({"a": planted(np.nan), "b": planted()}))
    rig.say("flags")
    [answer] = rig.take("flags")
    assert (answer["flags"], answer["n_left"], answer["page"]) == ([["a", "NaN"]], 0, "p")
    rig.controller.update(planted(np.inf), "b")
    rig.controller._query_budget.spend(rig.now, 1.0)
    rig.say("flags")
    assert rig.take("flags") == []
    rig.now += 20
    rig.host.ring()
    assert rig.take("flags")[0]["flags"] == [["a", "NaN"], ["b", "Inf"]]


# ---- the counts of the whole tensor ------------------------------------------------------------------------------------------


def test_counts_of_the_whole_tensor_come_with_its_statistics_and_stay():
    X = np.zeros((4, 5, 6))
    X[2, 1, 1] = np.nan
    scene = scene_of(X)
    scene.stats("slice")
    assert scene.state()["tensor_kind_counts"] is None and scene.state()["kind_counts"]["nan"] == 0
    scene.stats("all")
    assert scene.state()["tensor_kind_counts"]["nan"] == 1 and sum(scene.state()["tensor_kind_counts"].values()) == X.size
    scene.change({"index": {0: 2}, "view": ((0, 2), (0, 2))})
    assert scene.state()["tensor_kind_counts"]["nan"] == 1 and scene.state()["kind_counts"] is None
    scene.change({"reduce": {0: "mean"}})
    assert scene.state()["tensor_kind_counts"] is None
    scene.stats("all")
    assert sum(scene.state()["tensor_kind_counts"].values()) == 30
    scene.update(X)
    assert scene.state()["tensor_kind_counts"] is None


# ---- the tensor that is shown, of which a slice is seen ------------------------------------------------------------------------


@pytest.mark.parametrize("value, found", [(np.nan, "NaN"), (-np.inf, "Inf"), (3, "finite")])
def test_what_other_slices_have_is_found_a_little_at_a_time(monkeypatch, value, found):
    monkeypatch.setattr(health, "SEARCHED_AT_A_TIME", 100)
    X = np.zeros((6, 40, 50))
    X[5, 39, 49] = value
    scene = scene_of(X)
    assert scene.state()["tensor_has"] is None
    item = scene._view_state.item
    answers = [scene._health.search_item(item, seconds=0) for _ in range(121)]  # there are 120 pieces
    assert answers[:119] == [None] * 119 and answers[-1] == found
    assert scene.search() == {"tensor_has": found} and scene.state()["tensor_has"] == found
    calls = count_calls(monkeypatch, "limits")
    scene.search()
    assert calls == {"limits": 0}


@pytest.mark.parametrize("X", [np.arange(24).reshape(2, 3, 4), np.zeros((2, 3), bool), np.zeros((0, 3))])
def test_nothing_is_said_of_what_cannot_have_any(X):
    assert scene_of(X).state()["tensor_has"] == scene_of(X).search()["tensor_has"] == ""


def test_nothing_is_said_of_what_was_not_looked_through(monkeypatch):
    monkeypatch.setattr(health, "SEARCHED_AT_A_TIME", 1)
    monkeypatch.setattr(health, "MAX_BLOCKS", 10)
    scene = scene_of(planted(shape=(4, 5)))
    while scene.search()["tensor_has"] is None:
        pass
    assert scene.state()["tensor_has"] == ""
    pair = scene_of([planted(), planted()])
    pair.change({"item": 2})
    assert pair.state()["tensor_has"] == pair.search()["tensor_has"] == ""


def test_a_search_is_of_the_tensor_that_is_shown_and_keeps_no_other():
    scene = scene_of({"a": planted(np.nan), "b": planted()})
    assert scene.search() == {"tensor_has": "NaN"}
    scene.change({"item": "b"})
    assert scene.state()["tensor_has"] is None and scene.search() == {"tensor_has": "finite"}
    scene.change({"item": "a"})
    assert scene.state()["tensor_has"] == "NaN"
    X = planted(np.inf)
    gone = weakref.ref(scene._collection.items[0])
    scene.update(X, "a")
    gc.collect()
    assert scene.state()["tensor_has"] is None and gone() is None and scene.search() == {"tensor_has": "Inf"}
