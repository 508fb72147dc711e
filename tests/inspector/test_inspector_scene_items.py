"""Several tensors in one inspector: the list, the choice, and the difference of two."""

import numpy as np
import pytest
from scenes import axis_roles, numbers, pixels, scene_of, snapshot, whole

import gpuplot

A, B = numbers(5, 40, 60), numbers(5, 40, 60, seed=1)


def names(X, **options):
    return scene_of(X, **options).state()["items"]


# ---- which there are ---------------------------------------------------------------------------------------------------------


def test_mappings_lists_and_nested_ones_are_choosers():
    assert names({"w": A, "b": numbers(7)}) == ["w", "b"]
    assert names([A, numbers(3), numbers(4)]) == ["0", "1", "2"]
    assert names((A, numbers(3))) == ["0", "1"]
    nested = {"layer": {"w": A, "b": [numbers(3), numbers(4)]}, "x": numbers(2)}
    assert names(nested) == ["layer.w", "layer.b.0", "layer.b.1", "x"]
    assert names({1: A, "1": numbers(3), (2, 3): numbers(4)}) == ["1", "1 (2)", "(2, 3)"]


def test_lists_of_numbers_and_arrays_are_one_tensor():
    assert names([[1, 2], [3, 4]]) == names([1.0, 2.0]) == names(A) == [""]
    assert scene_of([np.float32(1), np.float32(2)]).state()["kind"] == "line"


def test_pairs_of_a_name_and_a_tensor_are_items_by_name():
    assert names([("w", A), ("b", numbers(7))]) == names((["w", A], ["b", numbers(7)])) == ["w", "b"]
    assert names([("w", A), ("w", B[:2]), ("nested", {"u": A, "v": numbers(2)})]) == ["w", "w (2)", "nested.u", "nested.v"]
    assert names({"layer": [("w", A), ("scale", np.float32(2))]}) == ["layer.w", "layer.scale"]
    scene = scene_of([("w", A), ("loss", 0.25), ("rows", [[1, 2], [3, 4]]), ("nothing", None)])
    assert scene.state()["items"] == ["w", "loss", "rows"]
    scene.change({"item": "loss"})
    assert scene.state()["text"] == "0-d float64: 0.25"


def test_scalars_beside_tensors_are_items_too():
    for scalar in (3, 2.5, True, 1j, np.float32(2), np.array(3), np.int64(7)):
        scene = scene_of([A, scalar, None, B])
        assert scene.state()["items"] == ["0", "1", "3", "0 − 3"]
        scene.change({"item": "1"})
        assert scene.state()["kind"] == "text" and scene.state()["text"].startswith("0-d ")
    assert names((A[0], 7)) == ["0", "1"]  # a sample of a data set: an image and its class
    assert names([3, np.float32(2), np.array(3)]) == [""]


def test_numbers_of_mappings_are_items_too():
    """They were left out, while pairs of a name and a number were not; a tensor is shown first."""
    scene = scene_of({"loss": 0.5, "w": A, "best": True})
    assert scene.state()["items"] == ["loss", "w", "best"] and scene.item == "w"
    scene.change({"item": "loss"})
    assert scene.state()["text"] == "0-d float64: 0.5"
    assert scene_of({"loss": 0.5, "lr": 1}).item == "loss"
    scene.update({"epoch": 3, "u": B})
    assert scene.item == "u"


def test_entries_that_are_no_tensors_are_left_out_with_a_note():
    state = snapshot(scene_of({"w": A, "name": "net", "steps": 3, "o": object(), "b": numbers(3),
                               "dates": np.array(["2020"], "M8[D]")}))
    assert state["items"] == ["w", "steps", "b"]
    assert any("'o'" in note and "'dates'" in note for note in state["tensor"]["notes"])


@pytest.mark.parametrize("X", [{}, {"a": "text"}, {"a": object()}, {"a": None}])
def test_nothing_to_choose_from_is_refused(X):
    with pytest.raises((ValueError, TypeError)):
        scene_of(X)


def test_collections_that_hold_themselves_end():
    X = {"w": A, "b": numbers(3)}
    X["me"] = X
    assert names(X)[:2] == ["w", "b"]


@pytest.mark.host
def test_modules_and_state_dicts_of_torch():
    torch = pytest.importorskip("torch")
    net = torch.nn.Sequential(torch.nn.Linear(4, 5), torch.nn.BatchNorm1d(5))
    wanted = list(net.state_dict())
    assert names(list(net.named_parameters())) == [name for name, _ in net.named_parameters()]
    assert names([torch.ones(2, 3), torch.tensor(0.5), 0.1]) == ["0", "1", "2"]
    assert names([torch.tensor(0.5), torch.tensor(1.5)]) == [""]
    assert names(net) == names(net.state_dict()) == wanted
    scene = scene_of(net)
    for name in wanted:
        scene.change({"item": name})
        state = snapshot(scene)
        assert state["item"] == name and state["tensor"]["library"] == "torch"
        whole(scene)


@pytest.mark.host
def test_datasets_of_xarray():
    xarray = pytest.importorskip("xarray")
    scene = scene_of(xarray.Dataset({"t": (("y", "x"), A[0]), "u": (("z", "x"), numbers(3, 60))}))
    assert scene.state()["items"] == ["t", "u"] and (scene.x, scene.y) == ("x", "y")
    scene.change({"item": "u"})
    assert scene.y == "z"


# ---- choosing ----------------------------------------------------------------------------------------------------------------


def test_items_are_chosen_by_name_or_position():
    scene = scene_of({"a": A, "b": numbers(8, 9)})
    data = scene.data
    scene.change({"item": "b"})
    assert scene.item == "b" and scene.state()["plane"] == [8, 9] and scene.data > data
    assert np.array_equal(pixels(scene), gpuplot.to_rgba(numbers(8, 9), (24, 32), center="auto"))
    scene.change({"item": 0})
    assert scene.item == "a"
    scene.change({"item": -1})
    assert scene.item == "b"


@pytest.mark.parametrize("X, known", [({"a": A, "b": numbers(8, 9)}, "'c' among 2: a, b$"),
                                      (A, "'c': one tensor was given, without a name$")])
def test_an_item_that_there_is_not_is_refused_with_those_that_there_are(X, known):
    with pytest.raises(ValueError, match=f"there is no item {known}"):
        scene_of(X).change({"item": "c"})


def test_tensors_of_one_shape_are_looked_at_alike():
    scene = scene_of([A, B, numbers(7, 8)])
    scene.change({"index": {0: 3}, "x": 1, "view": ((1, 5), (2, 9)), "vmax": 2.0, "cmap": "magma"})
    scene.change({"item": 1})
    assert (scene.index, scene.x, scene.view, scene.vmax, scene.cmap) == ({0: 3}, 1, ((1.0, 5.0), (2.0, 9.0)), 2.0, "magma")
    scene.change({"item": 2})
    assert (scene.index, scene.x, scene.view) == ({}, 1, None) and not scene.state()["is_fixed"]["vmax"]
    scene.change({"item": 0})
    assert (scene.index, scene.x, scene.view, scene.vmax) == ({0: 3}, 1, ((1.0, 5.0), (2.0, 9.0)), 2.0)


def test_one_change_chooses_an_item_and_how_it_is_seen():
    scene = scene_of({"a": numbers(8, 9), "b": A})
    scene.change({"item": "b", "index": {0: 4}, "x": 1})
    assert (scene.item, scene.index, scene.x) == ("b", {0: 4}, 1)
    before = snapshot(scene)
    for values in ({"item": "a", "index": {0: 1000}}, {"item": "a", "x": 2}, {"item": "nope", "cmap": "magma"},
                   {"item": "a", "cmap": "nope"}):
        with pytest.raises((ValueError, IndexError)):
            scene.change(values)
        assert snapshot(scene) == before


def test_colors_are_guessed_for_each_item():
    scene = scene_of({"volume": numbers(5, 20, 30), "photo": np.zeros((20, 30, 3), "uint8"), "labels": np.zeros((4, 5), bool)})
    assert not scene.state()["is_rgb"]
    scene.change({"item": "photo"})
    assert scene.state()["is_rgb"]
    scene.change({"item": "labels"})
    assert scene.state()["is_categorical"] and not scene.state()["is_rgb"]


def test_options_of_the_first_tensor_do_not_stand_in_the_way_of_others():
    scene = scene_of({"a": A, "b": numbers(3, 4), "c": numbers(4)}, dims="layer row col", index={"layer": 2}, x="row")
    for item in ("b", "c", "a"):
        scene.change({"item": item})
        snapshot(scene)
        whole(scene)
    assert scene.index == {"layer": 2}


def test_update_replaces_one_item_or_all_of_them():
    scene = scene_of({"a": A, "b": numbers(8, 9)}, limits="elements")
    scene.update(numbers(6, 7), "b")
    assert scene.item == "a" and scene.state()["plane"] == [40, 60]
    scene.update(B)
    assert scene.vmax == np.abs(B[0]).max()
    scene.change({"item": "b"})
    assert scene.state()["plane"] == [6, 7]
    scene.update({"c": A, "b": B})
    assert scene.item == "b" and scene.state()["items"] == ["c", "b", "c − b"]
    scene.update({"x": A})
    assert scene.item == "x"
    before = snapshot(scene)
    with pytest.raises(ValueError):
        scene.update(A, "nope")
    assert snapshot(scene) == before


def test_what_is_remembered_of_an_item_goes_with_its_shape():
    scene = scene_of({"a": A, "b": numbers(8, 9, 10)})
    scene.change({"item": "b", "index": {0: 7}, "x": 1})
    scene.change({"item": "a"})
    scene.update(numbers(2, 9, 10), "b")
    scene.change({"item": "b"})
    assert (scene.index, scene.x) == ({0: 0}, 2)
    assert pixels(scene).any() and scene.state()["text"] == ""
    scene.change({"item": "a"})
    scene.update(numbers(9, 10), "b")
    scene.change({"item": "b"})
    assert scene.index == {} and pixels(scene).any()


# ---- the difference ----------------------------------------------------------------------------------------------------------


def difference(a=A, b=B, **options):
    scene = scene_of({"a": a, "b": b}, **options)
    scene.change({"item": "a - b"})
    assert scene.item == "a − b"
    return scene


def test_two_tensors_of_one_shape_have_a_difference():
    assert names({"a": A, "b": B}) == ["a", "b", "a − b"] and names([A, B]) == ["0", "1", "0 − 1"]
    assert names({"a": A, "b": A[:4]}) == ["a", "b"] and names({"a": A, "b": B, "c": B}) == ["a", "b", "c"]
    assert "a − b" not in names({"a": np.array(1.0), "b": np.array(2.0)})


def test_only_two_tensors_in_all_have_a_difference():
    assert names({"a": A, "b": B, "c": numbers(3), "d": numbers(4), "e": numbers(5)}) == list("abcde")
    assert names({"a": A, "b": B, "c": A}) == list("abc")
    assert names({"step": 3, "a": A, "b": B}) == ["step", "a", "b", "a − b"]


@pytest.mark.parametrize("size", [(40, 60), (13, 17), (80, 90)])
@pytest.mark.parametrize("agg", ["mean", "sum", "nearest"])
def test_cells_of_the_difference_are_those_of_differences(size, agg):
    scene = difference()
    scene.change({"agg": agg, "index": {0: 2}})
    window = (0, 40, 0, 60)
    scene.draw(window, size)
    cells = scene._store.frames(scene._view_state.planes, agg, scene._viewport)[0].cells.numpy()
    assert np.allclose(cells, gpuplot.downsample(A[2].astype(float) - B[2], size, agg=agg), rtol=1e-9, atol=1e-12)


def test_the_difference_is_centered():
    scene = difference()
    top = np.abs(A[0].astype(float) - B[0]).max()
    assert (scene.vmin, scene.vmax) == (-top, top) and scene.cmap == "RdBu_r"
    scene = difference(A + 100, A)
    assert scene.vmin == -scene.vmax


def test_only_what_is_linear_can_be_asked_of_a_difference():
    scene = difference()
    assert scene.state()["aggs"] == ["mean", "sum", "nearest"]
    before = snapshot(scene)
    for values in ({"agg": "max"}, {"reduce": {0: "max"}}, {"reduce": {0: "std"}}):
        with pytest.raises(ValueError):
            scene.change(values)
        assert snapshot(scene) == before
    scene.change({"reduce": {0: "mean"}})
    assert np.allclose(float(scene.hover(0.5, 0.5, 0, (1, 1))["value"]), (A.astype(float) - B).mean(0)[0, 0], rtol=1e-6)


def test_a_difference_is_looked_at_like_its_two_tensors():
    scene = scene_of({"a": A, "b": B})
    scene.change({"index": {0: 3}, "x": 1, "view": ((1, 5), (2, 9)), "vmax": 2.0, "agg": "max"})
    scene.change({"item": "a − b"})
    assert (scene.index, scene.x, scene.view, scene.agg) == ({0: 3}, 1, ((1.0, 5.0), (2.0, 9.0)), "mean") and scene.vmax != 2.0
    scene.change({"index": {0: 1}, "vmax": 0.5})
    scene.change({"item": "b"})
    assert scene.index == {0: 1} and scene.agg == "max"
    scene.change({"item": "a − b"})
    assert scene.vmax == 0.5


def test_an_element_of_a_difference_is_exact():
    a, b = np.full((2, 3), 2**62 + 1), np.full((2, 3), -2**62)
    found = difference(a, b).hover(0.5, 0.5, 0, (1, 1))
    assert found["value"] == str(2**63 + 1) and found["lines"] == [["a", str(2**62 + 1)], ["b", str(-2**62)]]
    assert difference(a, b).values((0, 1, 0, 2), 0) == [["9.22e18"] * 2]


@pytest.mark.parametrize("kinds",
                         [("uint8", "uint8"), ("bool", "int64"), ("float16", "float64"), ("complex64", "float32"),
                          ("complex64", "complex128")])
def test_differences_of_every_kind_of_number(kinds):
    a, b = (np.abs(X[:2] * 3).astype(kind) for X, kind in zip((A, B), kinds, strict=True))
    scene = difference(a, b)
    wanted = a.astype(complex) - b.astype(complex)
    assert complex(scene.hover(3.5, 4.5, 0, (1, 1))["value"]) == wanted[0, 3, 4]
    snapshot(scene)
    whole(scene)
    if scene.state()["complex_modes"]:
        assert scene.state()["complex_modes"] == ["real", "imaginary"] and scene.state()["complex_mode"] == "real"


def test_what_is_not_finite_in_either_is_marked():
    a, b = np.zeros((4, 4)), np.zeros((4, 4))
    a[0, 0], b[1, 1], a[2, 2], b[2, 2] = np.nan, np.inf, np.inf, np.inf
    scene = difference(a, b)
    shown = pixels(scene, (4, 4))
    assert [shown[i, i].tolist() for i in range(2)] == [[255, 0, 255, 255], [255, 128, 0, 255]]
    assert shown[2, 2].tolist() == shown[3, 3].tolist()  # the same infinity in both differs by 0
    assert difference(a, b).hover(2.5, 2.5, 0, (1, 1))["value"] == "0"
    assert np.array_equal(pixels(scene, (2, 2))[1, 1], shown[3, 3])
    assert [scene.jump(1)["row"] for _ in range(4)] == [0, 1, 2, 0]
    assert scene.stats("slice", None)["kind_counts"] == {"nan": 1, "neg_inf": 1, "neg": 0, "zero": 14, "pos": 0, "pos_inf": 0, "masked": 0}


def test_statistics_of_a_difference():
    scene = difference()
    D = A.astype(float) - B
    for region, elements in (("slice", D[0]), ("all", D), ("view", D[0, :3, :4])):
        counts, _ = np.histogram(elements, 128)
        assert scene.histogram(region, (0, 3, 0, 4))["counts"] == counts.tolist()
        assert dict(map(tuple, scene.stats(region, (0, 3, 0, 4))["rows"]))["elements"].replace("\u202f", "") == str(elements.size)


def test_the_panel_of_a_difference_says_how_far_the_two_are_apart(monkeypatch):
    said = str(gpuplot.compare(A, B).comparison).split(" \u00b7 ")
    notes = difference().state()["tensor"]["notes"]
    assert notes[1:] == said and notes[1].startswith("largest difference ")


def test_large_tensors_are_compared_while_a_page_asks(monkeypatch):
    """In steps of few elements, of some milliseconds each; then the panel has the numbers of all elements."""
    said = str(gpuplot.compare(A, B).comparison).split(" \u00b7 ")
    monkeypatch.setattr("gpuplot.inspector.model.difference.MAX_COMPARED", A.size - 1)
    monkeypatch.setattr("gpuplot.inspector.model.difference.COMPARED_AT_A_TIME", 1200)
    monkeypatch.setattr("gpuplot.inspector.model.queries.ANSWER_SECONDS", 0.0)
    scene = difference()
    assert scene.state()["is_comparing"] and scene.state()["tensor"]["notes"] == ["computed as it is looked at"]
    shares = []
    while scene.state()["is_comparing"]:
        assert scene.search()["is_described_anew"]
        shares += [note for note in scene.state()["tensor"]["notes"] if note.endswith("% of the elements compared")]
    assert scene.state()["tensor"]["notes"][1:] == said and len(shares) > 3
    assert [int(share.split()[0]) for share in shares] == sorted(int(share.split()[0]) for share in shares)
    assert scene.search() == {"tensor_has": "", "is_described_anew": False}


def test_elements_that_cannot_be_compared_say_so(monkeypatch):
    monkeypatch.setattr("gpuplot.inspector.model.difference.MAX_COMPARED", 0)
    scene = difference()

    def fail(*args, **keywords):
        raise RuntimeError("the device is gone")
        yield

    monkeypatch.setattr("gpuplot.inspector.model.difference.comparing", fail)
    scene.search()
    assert not scene.state()["is_comparing"]
    assert "not all elements could be compared: the device is gone" in scene.state()["tensor"]["notes"]


def test_large_planes_of_differences_are_measured_by_cells(monkeypatch):
    monkeypatch.setattr("gpuplot.inspector.model.difference.MAX_EXACT_ELEMENTS", 600)
    scene = difference()
    assert any("cells" in note for note in scene.state()["tensor"]["notes"])
    assert 0 < scene.vmax < np.abs(A[0].astype(float) - B[0]).max()
    assert sum(scene.stats("slice", None)["kind_counts"].values()) <= 600


def test_a_difference_of_pictures_is_one_of_numbers():
    a, b = (np.random.default_rng(seed).integers(0, 255, (20, 30, 3)).astype("uint8") for seed in (0, 1))
    scene = scene_of({"a": a, "b": b})
    assert scene.state()["is_rgb"] and scene.state()["takes_rgb"]
    scene.change({"item": "a − b"})
    assert not scene.state()["is_rgb"] and axis_roles(scene).count("index") == 1
    assert not scene.state()["takes_rgb"] and not scene_of(a.astype(complex)).state()["takes_rgb"]
    with pytest.raises(ValueError, match="colors"):
        scene.change({"rgb": 2})
    scene.change({"item": "b"})
    assert scene.state()["is_rgb"]


def test_a_difference_cannot_be_updated_itself():
    scene = difference()
    with pytest.raises(ValueError, match="name="):
        scene.update(A)
    scene.update(B, "a")
    assert (scene.item == "a − b" and (scene.vmin, scene.vmax) == (0.0, 0.0)) or scene.vmin == -scene.vmax
    scene.update(A[:3], "a")
    assert scene.state()["items"] == ["a", "b"] and scene.item == "b"


def test_lines_of_differences():
    scene = difference(numbers(100), numbers(100, seed=1))
    line = scene.draw((0, 1, 0, 100), (10, 100)).line
    wanted = numbers(100).astype(float) - numbers(100, seed=1)
    assert all(np.allclose(line[row], wanted) for row in range(3)) and (line[3] == 0).all()
    snapshot(scene)
