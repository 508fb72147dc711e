"""Statistics as text and in notebooks, and tables of several tensors."""

import html.parser
import re
from collections import namedtuple
from types import SimpleNamespace

import numpy as np
import pytest

import gpuplot
from gpuplot.arrays.tensor_tree import named_tensors

EVIL = "<script>alert('&')</script>\" onload='x'"


class Tags(html.parser.HTMLParser):
    """The elements of a page, and whether each one that was opened was closed in order."""

    def __init__(self, text):
        super().__init__()
        self.opened, self.names, self.attributes, self.texts = [], [], [], []
        self.feed(text)
        self.close()
        assert self.opened == []

    def handle_starttag(self, tag, attrs):
        self.opened.append(tag)
        self.names.append(tag)
        self.attributes += attrs

    def handle_startendtag(self, tag, attrs):
        self.names.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.opened.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


# ---- one line ----------------------------------------------------------------------------------------------------------


@pytest.mark.host("tells the device")
@pytest.mark.parametrize("X, line", [
    (np.array([[1, 2, 3], [4, 5, 6]], "int32"), "int32 (2, 3) cpu · 1 ██ ██ ██ 6 · mean 3.5, median 3.5, std 1.871"),
    (np.float32(2.5), "float32 () cpu · 2.5"), (np.zeros((0, 3)), "float64 (0, 3) cpu · no elements"),
    ([np.nan, np.inf], "float64 (2,) cpu · nothing finite · 1 NaN · 1 +Inf"),
    (np.array([1e-40, 1, -np.inf], "float32"),
     "float32 (3,) cpu · 1e-40 █      █ 1 · mean 0.5, median 0.5, std 0.7071 · 1 -Inf · 1 subnormal"),
    (np.array([2**60 + 1, 0]), "int64 (2,) cpu · 0 █      █ 1152921504606846977 · mean 5.765e+17, median 5.765e+17, std 8.152e+17"),
    ([True, False], "bool (2,) cpu · 0 █      █ 1 · mean 0.5, median 0.5, std 0.7071"),
])
def test_line(X, line):
    assert repr(gpuplot.stats(X)) == str(gpuplot.stats(X)) == line


@pytest.mark.host("tells the device")
def test_line_of_slices():
    X = np.arange(24.0).reshape(2, 3, 4)
    X[0, 0, 0] = np.nan
    assert repr(gpuplot.stats(X, dim=(0, 2))) == "float64 (2, 3, 4) cpu · (3,) slices, axes 0, 2 reduced · 1 to 23 · 1 NaN"
    assert repr(gpuplot.stats(X, dim=1)).startswith("float64 (2, 3, 4) cpu · (2, 4) slices, axis 1 reduced")
    assert "\n" not in repr(gpuplot.stats(np.zeros((0, 3)), dim=1))


def test_many_elements_are_counted_in_groups():
    assert "1\u202f234 NaN" in repr(gpuplot.stats(np.full(1234, np.nan)))


# ---- notebooks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("X", [
    [1.0, -2.0, np.nan, np.inf, -np.inf, 0.0], [], 3, [np.nan], np.arange(5), np.full((3, 3), -1e300), np.ones(4, bool),
    np.array([3 + 4j])])
def test_page(X):
    found = gpuplot.stats(X)
    page = Tags(found._repr_html_())
    assert set(page.names) <= {"div", "b", "span", "svg", "rect", "title", "g", "path", "table", "tbody", "tr", "td"}
    assert found.dtype in "".join(page.texts)
    labels = [value for name, value in page.attributes if name == "aria-label"]
    assert labels and all(labels)


def test_page_has_a_share_for_each_kind():
    page = gpuplot.stats([1.0, -2.0, np.nan, np.inf, -np.inf, 0.0, 3.0, 4.0])._repr_html_()
    kind_counts = page.partition("</svg>")[0]
    widths = [float(width) for width in re.findall(r"<rect x='[\d.]+' width='([\d.]+)' height='12' fill", kind_counts)]
    assert widths == pytest.approx([60, 60, 60, 60, 180, 60])
    rare = gpuplot.stats(np.r_[np.zeros(10**6), np.nan])._repr_html_().partition("</svg>")[0]
    widths = [float(width) for width in re.findall(r"<rect x='[\d.]+' width='([\d.]+)' height='12' fill", rare)]
    assert widths == pytest.approx([3, 477]) and "NaN: 1 (0.000%)" in rare


def test_pages_show_the_median_once_beside_the_mean():
    """Also where the percentile 50 is asked for; in the rows of slices and of several tensors, too."""
    for percentiles in ((), (50,), (1, 50, 99)):
        texts = Tags(gpuplot.stats([[1.0, 2.0, 30.0]], percentiles=percentiles)._repr_html_()).texts
        assert texts[texts.index("median") + 1] == "2" and "50%" not in texts
        assert ("99%" in texts) == (99 in percentiles)
    for found in (gpuplot.stats([[1.0, 2.0, 30.0]], dim=1), gpuplot.stats({"w": [1.0, 2.0, 30.0]})):
        texts = Tags(found._repr_html_()).texts
        assert texts[texts.index("min"):][:4] == ["min", "mean", "median", "std"]
        assert texts[texts.index("11"):][:2] == ["11", "2"]


def test_page_of_slices_has_a_row_each():
    page = gpuplot.stats(np.random.default_rng(0).normal(size=(5, 4, 3)), dim=(1, 2))._repr_html_()
    assert ">axis 0<" in page and "max-width:none" in page
    assert ">axes 0, 2<" in gpuplot.stats(np.zeros((2, 3, 2)), dim=1)._repr_html_()
    assert page.count("<tr") == 6 and page.count("<svg") == 10
    Tags(page)
    many = gpuplot.stats(np.zeros((1000, 2)), dim=1, bins=2, percentiles=())._repr_html_()
    assert many.count("<tr") == 201 and "800 more" in many
    Tags(gpuplot.stats(np.zeros((0, 2)), dim=1)._repr_html_())


def test_names_are_text():
    table = gpuplot.stats({EVIL: [1.0, np.nan], "w": [2.0], "bad" + EVIL: object()})
    page = table._repr_html_()
    assert "<script" not in page and "onload='x'" not in page.replace("onload=&#x27;x", "")
    assert EVIL in "".join(Tags(page).texts)
    assert "script" not in Tags(page).names


def test_page_is_readable_in_light_and_dark():
    """Text takes the page's color, whatever that is."""
    page = gpuplot.stats([1.0, 2.0, np.nan])._repr_html_()
    assert not re.search(r"[; '](?:background|color):\s*(?:#000|#fff|black|white)", page)


# ---- tables ------------------------------------------------------------------------------------------------------------


def test_worst_first():
    table = gpuplot.stats({
        "fine": [1.0], "inf": [np.inf, -np.inf], "nan": [np.nan, 0.0], "worse": [np.nan, np.nan], "both": [np.nan, np.inf], "also": [2.0]})
    assert list(table) == ["worse", "both", "nan", "inf", "fine", "also"]
    assert [row.nan for row in table.values()] == [2, 1, 1, 0, 0, 0] and len(table) == 6 and table["inf"].pos_inf == 1
    lines = repr(table).splitlines()
    assert lines[0].startswith("worse  float64 (2,)") and len(lines) == 6
    assert len({line.index("float64") for line in lines}) == 1


def test_a_page_of_several_says_what_is_wrong_and_shows_magnitudes_on_one_axis():
    """Decades from 1e-8 to 1e8 are as wide everywhere; what has no magnitude has no bar."""
    page = gpuplot.stats({"one": [1.0, -1.0], "big": [1e4], "huge": [1e300], "tiny": [1e-300], "zero": [0.0],
                          "bad": [np.nan, np.inf]})._repr_html_()
    assert "6 tensors, 64 B" in page and "1 with NaN" in page and "1 with Inf" in page
    lefts = {name: re.search(name + r".*?<title>root mean.*?<rect x='([\d.]+)'", page, re.DOTALL).group(1) for name in
             ("one", "big", "huge", "tiny")}
    assert {name: float(left) for name, left in lefts.items()} == {"one": 43.5, "big": 65.25, "huge": 87.0, "tiny": 0.0}
    assert page.count("<title>root mean") == 4
    assert "1 tensor, 8 B · all finite" in gpuplot.stats({"one": [1.0]})._repr_html_()
    Tags(page)


def test_parameters_reach_every_tensor():
    table = gpuplot.stats([np.arange(4), np.arange(9)], bins=2, value_range=(0, 4), percentiles=(50,))
    assert table["1"].hist.tolist() == [2, 3] and table["0"].percentiles == {50: 1.5}


def test_models():
    torch = pytest.importorskip("torch")
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4))
    with torch.no_grad():
        model[1].running_var[2] = float("nan")
    table = gpuplot.stats(model)
    assert next(iter(table)) == "1.running_var" and set(table) == set(model.state_dict()) and table["0.weight"].shape == (4, 3, 3, 3)
    assert set(gpuplot.stats(model.state_dict())) == set(table)
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.randn(2, 3, 8, 8)).nansum().backward()
    optimizer.step()
    assert "optimizer.state.0.exp_avg" in gpuplot.stats({"model": model, "optimizer": optimizer, "epoch": 3})
    assert len(gpuplot.stats(torch.nn.ReLU())) == 0 and repr(gpuplot.stats(torch.nn.ReLU())) == "no tensors"


def test_what_is_a_collection():
    a, b = np.zeros(2), np.zeros((2, 2))
    assert [name for name, _ in named_tensors([a, b])] == ["0", "1"]
    assert [name for name, _ in named_tensors((b, {"x": a, "y": [a, b]}))] == ["0", "1.x", "1.y.0", "1.y.1"]
    assert [name for name, _ in named_tensors({1: a, "1": b})] == ["1", "1 (2)"]
    assert [name for name, _ in named_tensors(SimpleNamespace(named_parameters=lambda: iter([("w", a)])))] == ["w"]
    for X in (a, 3, [1, 2], [[1, 2], [3, 4]], [], (), [np.float32(1), np.float32(2)], [np.zeros(()), 1], "text", None, dict, [[]]):
        assert named_tensors(X) is None
    assert [name for name, _ in named_tensors([("w", a), ("b", b)])] == ["w", "b"]
    assert [name for name, _ in named_tensors([a, 3, None, np.float32(2), b])] == ["0", "1", "3", "4"]
    for X in ([("w",)], [("w", "text")], [("w", a, b)], [(1, "w")], ["ab", "cd"], ("w", a), [None, None], [a, "text"], [a, [1, 2]]):
        assert named_tensors(X) is None
    assert named_tensors({}) == [] and named_tensors({"a": None, "b": "text", "d": {}}) == []
    assert named_tensors({"loss": 0.5, "w": a})[0][1].shape == ()


def test_states_of_optimizers_of_optax():
    """Tuples of named tuples, of which some have no fields, such as EmptyState, and some only a count."""
    adam, empty, schedule = (namedtuple("State", fields) for fields in ("count mu nu", "", "count"))
    parameters = {"w": np.zeros((2, 3)), "b": np.ones(3)}
    state = (empty(), (adam(np.int32(3), parameters, parameters), empty()), schedule(np.int32(4)))
    assert [name for name, _ in named_tensors(state)] == ["1.0.count", "1.0.mu.w", "1.0.mu.b", "1.0.nu.w", "1.0.nu.b", "2"]
    assert gpuplot.stats(state)["2"].max == 4 and gpuplot.compare(state, state)["1.0.mu.b"].max_abs == 0
    row = schedule(3)
    assert named_tensors([np.zeros(1), row]) is None and gpuplot.stats([np.zeros(1), row]).shape == (2, 1)


def test_states_that_hold_one_without_fields_are_collections():
    """As MaskedState of optax.adamw(mask=...) has an EmptyState: NumPy took them for rows of different lengths."""
    adam, empty, masked = (namedtuple("State", fields) for fields in ("count mu nu", "", "inner_state"))
    parameters = {"w": np.zeros((2, 3))}
    state = adam(np.int32(3), parameters, parameters), masked(empty()), namedtuple("State", "trace inner")(np.ones(3), empty())
    assert [name for name, _ in named_tensors(state)] == ["0.count", "0.mu.w", "0.nu.w", "2.trace"]
    assert [name for name, _ in named_tensors((np.int32(2), empty()))] == ["0"]


def test_layers_without_parameters_are_left_out():
    """As in the parameters of stax of JAX: NumPy took the empty tuples for rows of different lengths."""
    weights, bias = np.zeros((2, 3)), np.ones(3)
    assert [name for name, _ in named_tensors([(weights, bias), (), (weights, bias)])] == ["0.0", "0.1", "2.0", "2.1"]
    assert [name for name, _ in named_tensors(namedtuple("State", "params step opt")({"w": weights}, 3, ()))] == ["params.w", "step"]
    assert [name for name, _ in named_tensors([weights, ()])] == ["0"]
    for X in ((), [()], [(), ()], [1.0, ()]):
        assert named_tensors(X) is None
    assert gpuplot.stats([(), ()]).shape == (2, 0)


def test_files_of_savez_with_objects(tmp_path):
    """One array of objects kept all others from being counted, and the error did not say which it was."""
    np.savez(tmp_path / "f.npz", options=np.array([{"lr": 1}]), weights=np.arange(4.0))
    with np.load(tmp_path / "f.npz") as X:
        table = gpuplot.stats(X)
        assert list(table) == ["weights"] and table["weights"].max == 3
        assert re.search("options: Entry cannot be read as an array: Object arrays cannot be loaded", str(table))
        with pytest.raises(gpuplot.UnsupportedError, match="'options': Entry cannot be read as an array: Object arrays .* leave it out"):
            gpuplot.hist(X)
    with pytest.raises(gpuplot.UnsupportedError, match="the NpzFile of numpy is closed: load it again"):
        gpuplot.stats(X)


def test_groups_of_zarr_are_collections():
    """As files and groups of h5py are; a pyramid among them is one tensor, its level 0."""
    zarr = pytest.importorskip("zarr")
    group = zarr.group()
    group["b"], group["nested/a"] = np.arange(6.0).reshape(2, 3), np.arange(3)
    for k in (0, 1):
        group[f"image/{k}"] = np.full((8 >> k, 8 >> k), 5 - k)
    scale = [{"path": str(k), "coordinateTransformations": [{"type": "scale", "scale": [2**k, 2**k]}]} for k in (0, 1)]
    axes = [{"name": name, "type": "space"} for name in "yx"]
    group["image"].attrs["multiscales"] = [{"version": "0.4", "axes": axes, "datasets": scale}]
    table = gpuplot.stats(group)
    assert sorted(table) == ["b", "image", "nested.a"] and (table["image"].shape, table["image"].min) == ((8, 8), 5)
    assert gpuplot.compare(group, group)["nested.a"].max_abs == 0 and len(gpuplot.hist(group)[0]) == 3
    assert gpuplot.grid(group) and [line.get_label() for line in gpuplot.plot(group["nested"])] == ["a"]
    with pytest.raises(gpuplot.UnsupportedError, match=r"a Group of zarr holds values under names, choose one with X\[name\]"):
        gpuplot.imshow(group)
    assert gpuplot.imshow(group["image"])


def test_a_message_lists_the_first_names_of_a_group():
    """Members of a group of zarr come in no order, and any of them were listed."""
    group = pytest.importorskip("zarr").group()
    for k in range(30):
        group[f"a{k:02}"] = np.zeros(3)
    with pytest.raises(gpuplot.UnsupportedError, match="names: 'a00', 'a01', 'a02', 'a03', 'a04', 'a05', 'a06', 'a07', ...$"):
        gpuplot.imshow(group)


def test_members_of_a_group_of_zarr_are_opened_together(monkeypatch):
    """One by one, each after the other, they took as many requests to a store far away."""
    zarr = pytest.importorskip("zarr", "3")
    group = zarr.group()
    group["b"], group["nested/a"] = np.arange(6.0).reshape(2, 3), np.arange(3)
    monkeypatch.setattr(zarr.Group, "__getitem__", lambda *_: pytest.fail("a member is opened alone"))
    assert list(gpuplot.stats(group)) == ["b", "nested.a"]


def test_keys_that_are_tensors_have_numbers():
    """As in the state of an optimizer of torch, whose keys are its parameters: their text would have all elements."""
    torch = pytest.importorskip("torch")
    state = {torch.nn.Parameter(torch.ones(3)): {"exp_avg": np.zeros(3)}, torch.nn.Parameter(torch.ones(2)): {"exp_avg": np.ones(2)}}
    assert [name for name, _ in named_tensors(state)] == ["0.exp_avg", "1.exp_avg"]
    assert [name for name, _ in named_tensors({np.int64(7): np.zeros(2)})] == ["7"]


def test_tables_of_pairs_and_of_scalars_beside_tensors():
    table = gpuplot.stats([("fine", np.ones(3)), ("bad", [1.0, np.nan]), ("loss", 0.5)])
    assert list(table) == ["bad", "fine", "loss"] and (table["loss"].shape, table["loss"].max) == ((), 0.5)
    assert gpuplot.stats([np.zeros((2, 2)), 7])["1"].max == 7


def test_collections_that_hold_themselves():
    X = {"a": np.zeros(2)}
    X["self"] = X
    X["list"] = [X["a"], X]
    assert list(gpuplot.stats(X)) == ["a", "list.0"]


def test_what_cannot_be_read_is_said():
    table = gpuplot.stats({"w": [1.0], "names": np.array(["a"]), "rows": [[1, 2], [3]]})
    assert list(table) == ["w"] and set(table.skipped) == {"names", "rows"} and "names: " in repr(table)
    with pytest.raises(gpuplot.UnsupportedError, match="none of 1 values"):
        gpuplot.stats({"names": np.array(["a"])})


@pytest.mark.parametrize("asked", [{"dim": 0}, {"region": ((0, 1), (0, 1))}])
def test_axes_belong_to_one_tensor(asked):
    with pytest.raises(ValueError, match="give one of them"):
        gpuplot.stats({"a": [1.0]}, **asked)


def test_mistakes_are_found_before_anything_is_read():
    class Lazy(dict):
        def items(self):
            raise AssertionError("read")

    with pytest.raises(ValueError, match="bins"):
        gpuplot.stats(Lazy(), bins=0)


def test_numbers_close_to_each_other_have_the_digits_that_differ():
    """The smallest, the mean and the largest were all 1."""
    found = gpuplot.stats(1 + np.array([0.0, 1.0, 4.0]) * 1e-7)
    assert str(found).split(" · ")[1:] == ["1 █ █    █ 1.0000004", "mean 1.000000167, median 1.0000001, std 2.082e-07"]
    assert "1.0000004" in found._repr_html_()
    assert str(gpuplot.stats(np.arange(3.0))).split(" · ")[2] == "mean 1, median 1, std 1"


def test_slices_of_more_axes_than_numpy_iterates_over():
    """The text was a RuntimeError of NumPy: "this function only supports up to 32 dimensions"."""
    found = gpuplot.stats(np.full((2,) + (1,) * 40, 3.0), dim=0)
    assert str(found).endswith("slices, axis 0 reduced · 3 to 3")
