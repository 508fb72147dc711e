"""The inspector's widget: traits, messages and lifetime, with a comm that records; no notebook is needed."""

import gc
import inspect as python_inspect
import io
import json
import subprocess
import sys
import threading
import warnings
import weakref

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inspector_hostile import ALMOST, ASKED
from inspector_notebook import Page, RecordingComm, notebook  # noqa: F401
from PIL import Image

import gpuplot

traitlets = pytest.importorskip("traitlets")

pytestmark = pytest.mark.host("what pages get is the same from any memory; the scene's own tests are run on devices")

CONTROLS = ("index", "x", "y", "vmin", "vmax", "cmap", "norm", "agg", "view")
RNG = np.random.default_rng(5)
VOLUME = RNG.normal(size=(4, 30, 50)).astype("float32")


@pytest.fixture
def w(notebook):  # noqa: F811
    with gpuplot.inspect(VOLUME) as inspector:
        yield inspector


def pixels(frame):
    content, buffers = frame
    shape = (content["n_facets"], *content["size"])
    palette = np.frombuffer(buffers[1], np.uint8).reshape(-1, 4)
    return palette[np.frombuffer(buffers[0], np.uint8)].reshape(*shape, 4)


# ---- the public function ------------------------------------------------------------------------------------------------


def test_importing_gpuplot_imports_no_widgets():
    code = "import sys, gpuplot; print(sorted({'anywidget', 'ipywidgets', 'traitlets', 'IPython', 'comm'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_anywidget_the_extra_is_named(monkeypatch):
    for name in list(sys.modules):
        if name.startswith("gpuplot.inspector.widget"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ImportError, match=r"pip install 'gpuplot\[notebook\]'"):
        gpuplot.inspect(VOLUME)


def test_signature_is_that_of_the_api():
    parameters = python_inspect.signature(gpuplot.inspect).parameters
    own = {"sliders": None, "rows": None, "columns": None, "histogram": True, "show_stats": True, "play": True, "values": "auto",
           "link": None, "throttle": 33, "max_buffered_frames": 2, "height": None}
    assert {name: parameters[name].default for name in own} == own
    assert parameters["X"].kind is python_inspect.Parameter.POSITIONAL_ONLY
    assert parameters["center"].default == "auto"
    assert [parameters[f"{name}_color"].default for name in ("nan", "pos_inf", "neg_inf")] == ["#ff00ff", "#00ffff", "#ff8000"]
    with pytest.raises(TypeError, match="inspect.*unexpected keyword argument 'colormap'"):
        gpuplot.inspect(VOLUME, colormap="gray")


def test_a_script_is_told_once_what_to_use_and_all_else_works():
    with pytest.warns(gpuplot.GpuplotWarning, match=r"gpuplot.imshow and plt.show.*gpuplot.imsave.*snapshot") as caught:
        w = gpuplot.inspect(VOLUME)
    assert len(caught) == 1 and caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        w.index = {0: 2}
        w.update(VOLUME + 1)
        w.snapshot(io.BytesIO())
        assert "float32 (4, 30, 50)" in repr(w)
        w.close()


def test_a_notebook_is_told_nothing(notebook):  # noqa: F811
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gpuplot.inspect(VOLUME).close()


@pytest.mark.parametrize(("options", "error", "text"), [
    ({"throttle": "fast"}, TypeError, "throttle is a number"), ({"throttle": -1}, ValueError, "throttle"),
    ({"max_buffered_frames": 0}, ValueError, "max_buffered_frames"), ({"max_buffered_frames": 1.5}, TypeError, "integer"),
    ({"values": "never"}, ValueError, "auto"), ({"values": 1}, ValueError, "auto"), ({"height": 3}, ValueError, "height"),
    ({"histogram": "yes"}, TypeError, "histogram is True or False"), ({"play": None}, TypeError, "play"),
    ({"sliders": 7}, ValueError, "axis 7"), ({"sliders": ["time"]}, ValueError, "axis 'time'.*axes are 0, 1, 2"),
    ({"sliders": [True]}, ValueError, "axis True"), ({"link": 3}, TypeError, "."), ({"link": [VOLUME]}, TypeError, "inspectors"),
    ({"index": {0: 9}}, IndexError, "9"), ({"x": 5}, ValueError, "5"), ({"cmap": "nope"}, ValueError, "nope"),
    ({"agg": "median"}, ValueError, "median"), ({"rows": 9}, ValueError, "9"), ({"vmin": "low"}, (TypeError, ValueError), "."),
])
def test_options_that_make_no_sense(notebook, options, error, text):  # noqa: F811
    with pytest.raises(error, match=text):
        gpuplot.inspect(VOLUME, **options)


def test_what_the_caller_wants_to_see_is_in_the_state(notebook):  # noqa: F811
    w = gpuplot.inspect(VOLUME, dims="z y x", sliders="z", histogram=False, show_stats=False, play=False, values=False, height=321)
    state = w.get_state("_state")["_state"]
    assert state["shows"] == {"histogram": False, "stats": False, "play": False, "values": False, "sliders": [0]}
    assert state["height"] == 321
    assert gpuplot.inspect(VOLUME).get_state("_state")["_state"]["shows"]["sliders"] is None


# ---- the first state ------------------------------------------------------------------------------------------------------


def test_the_model_opens_with_all_that_a_page_needs(w):
    [(_, data, _)] = [sent for sent in w.comm.published if sent[0] == "comm_open"]
    state = json.loads(json.dumps(data["state"], allow_nan=False))
    assert state["_state"]["tensor"]["shape"] == [4, 30, 50] and state["_state"]["seq"] == {}
    assert state["index"] == {"0": 0} and state["view"] is None
    assert state["_esm"].count("export default") == 1 and ".gpuplot" in state["_css"]


# ---- traits -----------------------------------------------------------------------------------------------------------------


def test_traits_say_what_is_shown(w):
    assert (w.index, w.x, w.y, w.agg, w.norm, w.view) == ({0: 0}, 2, 1, "mean", "linear", None)
    assert w.vmax == -w.vmin == pytest.approx(np.abs(VOLUME[0]).max())
    assert w.cmap == "RdBu_r"


def test_setting_a_trait_changes_the_picture(w):
    page = Page(w)
    page.look([0, 30, 0, 50], [30, 50])
    w.index = {0: 3}
    w.vmin, w.vmax = -1, 2
    w.cmap = "magma"
    want = gpuplot.to_rgba(VOLUME[3], vmin=-1, vmax=2, cmap="magma")
    content, _ = page.frames()[-1]
    page.say("ack", id=content["id"], drawn=True, buffers=True)
    assert np.array_equal(pixels(page.frames()[-1])[0], want)


@pytest.mark.parametrize(("name", "value", "text"), [
    ("index", {0: 4}, "4"), ("index", {7: 0}, "7"), ("index", 3, "."), ("index", {0: 1.5}, "."), ("x", 9, "9"), ("y", "up", "up"),
    ("vmin", "low", "."), ("vmin", np.nan, "."), ("vmax", float("inf"), "."), ("cmap", "nope", "nope"), ("norm", "nope", "nope"),
    ("agg", "median", "median"), ("view", ((1, 0), (0, 1)), "."), ("view", "all", "view"), ("view", ((0, np.inf), (0, 1)), "."),
])
def test_a_value_that_makes_no_sense_is_a_trait_error_and_changes_nothing(w, name, value, text):
    before, state = {trait: getattr(w, trait) for trait in ("index", "x", "y", "vmin", "vmax", "cmap", "norm", "agg", "view")}, \
        w._controller.state()
    with pytest.raises(traitlets.TraitError, match=text):
        setattr(w, name, value)
    assert {trait: getattr(w, trait) for trait in before} == before
    assert w._controller.state() == state


def test_setting_some_axes_leaves_the_others(notebook):  # noqa: F811
    w = gpuplot.inspect(np.zeros((3, 4, 5, 6)), index={0: 1, 1: 2})
    w.index = {1: 3}
    assert w.index == {0: 1, 1: 3}


def test_axes_with_names_are_called_by_them(notebook):  # noqa: F811
    w = gpuplot.inspect(VOLUME, dims="z y x")
    w.index = {"z": 2}
    assert (w.index, w.x, w.y) == ({"z": 2}, "x", "y")
    w.x = "z"
    assert w.x == "z" and w.index == {"x": 0}


def test_limits_that_are_none_come_from_the_data_again(w):
    before = w.vmin, w.vmax
    w.vmin = 0.25
    assert w.vmin == 0.25
    w.vmin = None
    assert (w.vmin, w.vmax) == before


def test_observers_hear_once_what_changed_and_never_what_did_not(w):
    changes = []
    w.observe(lambda change: changes.append((change.name, change.new)), ["index", "view", "cmap"])
    w.index = {0: 1}
    w.index = {0: 1}
    w.view = [[1, 5], [2, 8]]
    assert changes == [("index", {0: 1}), ("view", ((1.0, 5.0), (2.0, 8.0)))]


def test_a_user_of_the_page_sets_traits(w):
    page, heard = Page(w), []
    w.observe(lambda change: heard.append((change.name, change.new)), ["index", "view"])
    page.say("set", values={"index": {"0": 2}, "view": [[0, 10], [0, 20]]})
    assert dict(heard) == {"index": {0: 2}, "view": ((0.0, 10.0), (0.0, 20.0))}
    assert page.errors() == []


def test_an_observer_may_use_the_inspector(w):
    """It is called with no lock held, on the thread that made the change."""
    page = Page(w)
    w.observe(lambda change: setattr(w, "cmap", "gray"), "index")
    w.observe(lambda change: w.update(VOLUME * 2), "index")
    page.say("set", values={"index": {"0": 1}})
    assert w.cmap == "gray" and w.vmax == pytest.approx(2 * np.abs(VOLUME[1]).max(), rel=1e-6)


def test_traits_that_are_set_together_are_taken_back_together(w):
    before = w.index, w.cmap, w.view, w.vmin
    with pytest.raises(traitlets.TraitError), w.hold_trait_notifications():
        w.index = {0: 2}
        w.cmap = "magma"
        w.view = ((5, 1), (0, 1))
    assert (w.index, w.cmap, w.view, w.vmin) == before
    assert w._controller.state()["is_fixed"] == {"vmin": False, "vmax": False}
    with w.hold_trait_notifications():
        w.index = {0: 2}
        w.cmap = "magma"
    assert (w.index, w.cmap) == ({0: 2}, "magma")


def test_traitlets_links(notebook):  # noqa: F811
    a, b = gpuplot.inspect(VOLUME), gpuplot.inspect(VOLUME * 2)
    link = traitlets.link((a, "index"), (b, "index"))
    a.index = {0: 3}
    assert b.index == {0: 3}
    b.index = {0: 1}
    assert a.index == {0: 1}
    link.unlink()
    traitlets.dlink((a, "cmap"), (b, "cmap"))
    a.cmap = "gray"
    assert b.cmap == "gray"


# ---- link -------------------------------------------------------------------------------------------------------------------


def test_linked_inspectors_go_together(notebook):  # noqa: F811
    a = gpuplot.inspect(VOLUME, index={0: 1})
    a.view = ((0, 10), (0, 10))
    b, c = gpuplot.inspect(VOLUME * 2, link=a), gpuplot.inspect(VOLUME * 3)
    c.link(b)
    assert (b.view, b.index, c.view) == (a.view, {0: 1}, a.view)
    Page(c).say("set", values={"view": [[5, 15], [0, 10]], "index": {"0": 3}})
    assert a.view == b.view == ((5.0, 15.0), (0.0, 10.0)) and a.index == b.index == {0: 3}
    b.unlink()
    a.view = None
    assert b.view is not None


def test_links_leave_out_what_the_other_lacks(notebook):  # noqa: F811
    a, b = gpuplot.inspect(np.zeros((9, 8, 7))), gpuplot.inspect(np.zeros((4, 8, 7)), link=None)
    b.link(a)
    a.index = {0: 8}
    assert b.index == {0: 0}
    a.index = {0: 3}
    assert b.index == {0: 3}
    flat = gpuplot.inspect(np.zeros((8, 7)), link=[a, b])
    a.view = ((1, 3), (1, 3))
    assert flat.view == ((1.0, 3.0), (1.0, 3.0))


def test_links_keep_nobody_alive(notebook):  # noqa: F811
    a, b = gpuplot.inspect(VOLUME), gpuplot.inspect(VOLUME)
    a.link(b)
    b.close()
    a.view = ((0, 1), (0, 1))
    assert len(a._peers) == 0


# ---- messages ---------------------------------------------------------------------------------------------------------------


def test_a_look_is_answered_with_the_pixels_of_to_rgba(w):
    page = Page(w)
    page.look([2, 20, 5, 41], [36, 72])
    want = gpuplot.to_rgba(VOLUME[0], (36, 72), view=((2, 20), (5, 41)), center="auto")
    assert np.array_equal(pixels(page.frames()[0])[0], want)


def test_more_colours_than_an_index_holds_travel_as_rgba(notebook):  # noqa: F811
    colours = RNG.integers(0, 255, (40, 40, 3), dtype=np.uint8)
    w = gpuplot.inspect(colours)
    page = Page(w)
    page.look([0, 40, 0, 40], [40, 40])
    [(content, [data])] = page.frames()
    assert content["format"] == "rgba"
    assert np.array_equal(np.frombuffer(data, np.uint8).reshape(40, 40, 4)[..., :3], colours)


@pytest.mark.parametrize("data", [
    {}, [], None, 5, "x", {"method": "custom"}, {"method": "custom", "content": None}, {"method": "nope"}, {"method": ["custom"]},
    {"method": "update"}, {"method": "update", "state": 3}, {"method": "update", "state": {"index": 5}},
    {"method": "update", "state": {"view": "<b>"}}, {"method": "custom", "content": {"k": "set", "values": {"__class__": 1}}},
])
def test_no_message_changes_anything_or_makes_a_traceback(w, data, capsys, caplog):
    page = Page(w)
    before = w._controller.state()
    page.deliver(data)
    page.comm.handle_msg({})
    assert w._controller.state() == before
    assert capsys.readouterr() == ("", "") and not caplog.records
    assert len(page.errors()) >= 1


KINDS_OF_TENSOR = [
    VOLUME, np.where(VOLUME > 1, np.nan, VOLUME), RNG.integers(0, 9, (6, 7)), VOLUME[0] + 1j * VOLUME[1], VOLUME[0] > 0,
    RNG.integers(0, 255, (20, 20, 3), dtype=np.uint8), np.arange(40.0), np.float32(1), np.zeros((3, 0, 4)),
    {"a": VOLUME[0], "b": VOLUME[1], "<b>": np.arange(5)}, np.full((4, 5), np.inf), np.array([[2**63 - 1, -(2**63)]]),
]


@pytest.mark.parametrize("X", KINDS_OF_TENSOR, ids=range(len(KINDS_OF_TENSOR)))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ASKED | ALMOST, max_size=12))
def test_whatever_a_page_asks_of_any_tensor_is_answered_or_refused(notebook, X, asked):  # noqa: F811
    """What is refused changes nothing, what is answered is JSON, and afterwards all works as before."""
    with gpuplot.inspect(X) as w, warnings.catch_warnings():
        warnings.simplefilter("error")
        page = Page(w)
        for fields in asked:
            n_errors, before = len(page.errors()), {name: getattr(w, name) for name in w.trait_names() if name in CONTROLS}
            page.deliver({"method": "custom", "content": {"seq": page.seq + 1, "page": "p"} | fields})
            page.seq += 1
            if len(page.errors()) > n_errors:
                assert {name: getattr(w, name) for name in before} == before
        for content, _ in page.heard():
            json.dumps(content, allow_nan=False)
        page.name = "fresh"
        page.look([0, 5, 0, 5], [8, 9])
        assert page.frames()[-1][0]["page"] == "fresh"


def test_a_page_cannot_set_what_is_not_a_control(w):
    before = w._esm, w._css, w._view_module
    Page(w).deliver({"method": "update", "state": {"_esm": "alert(1)", "_css": "*{}", "_view_module": "evil", "_state": {}, "comm": 1}})
    assert (w._esm, w._css, w._view_module) == before


def test_jslinks_may_set_controls(w):
    Page(w).deliver({"method": "update", "state": {"index": {"0": 2}}})
    assert w.index == {0: 2}


def test_a_page_that_asks_for_the_state_gets_it(w):
    page = Page(w)
    page.forget()
    page.deliver({"method": "request_state"})
    assert any(kind == "comm_msg" and data["method"] == "update" and data["state"]["_state"]["plane"] == [30, 50]
               for kind, data, _ in page.comm.published)


def test_names_from_the_user_stay_text(notebook):  # noqa: F811
    evil = "<img src=x onerror=alert(1)>"
    w = gpuplot.inspect({evil: VOLUME, "b": VOLUME[:2]})
    assert w._controller.state()["items"][0] == evil


# ---- update -----------------------------------------------------------------------------------------------------------------


def test_update_shows_the_new_tensor_and_keeps_the_choices(w):
    page = Page(w)
    w.index = {0: 2}
    w.cmap = "gray"
    page.look([0, 30, 0, 50], [30, 50])
    other = VOLUME * 3
    w.update(other)
    assert (w.index, w.cmap) == ({0: 2}, "gray")
    assert np.array_equal(pixels(page.frames()[-1])[0], gpuplot.to_rgba(other[2], center="auto", cmap="gray"))


def test_traits_follow_an_update_that_nobody_sees(w):
    w.update(VOLUME * 10)
    assert w.vmax == pytest.approx(10 * np.abs(VOLUME[0]).max(), rel=1e-6)
    w.update(np.zeros((2, 5, 6)))
    assert w.index == {0: 0}


def test_update_of_one_among_several(notebook):  # noqa: F811
    w = gpuplot.inspect({"a": VOLUME, "b": VOLUME * 2})
    w.update(VOLUME * 7, name="a")
    assert w.vmax == pytest.approx(7 * np.abs(VOLUME[0]).max(), rel=1e-6)
    with pytest.raises((ValueError, KeyError, IndexError)):
        w.update(VOLUME, name="c")


@pytest.mark.parametrize("X", ["text", object(), None, [["a"]], {1: 2}])
def test_update_refuses_what_is_no_tensor(w, X):
    before = w.vmax
    with pytest.raises((TypeError, ValueError)):
        w.update(X)
    assert w.vmax == before


def test_updates_and_pages_on_many_threads(w):
    page, problems = Page(w), []
    page.look([0, 30, 0, 50], [30, 50])

    def use(k):
        try:
            mine = Page(w, f"page {k}")
            for i in range(40):
                w.update(VOLUME * (k + 1))
                w.index = {0: i % 4}
                mine.look([0, 30, 0, 50 - i], [20, 20], moving=bool(i % 2))
                mine.say("hover", row=1.0, col=2.0, facet=0)
        except Exception as error:
            problems.append(error)

    threads = [threading.Thread(target=use, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
    assert problems == [] and not any(thread.is_alive() for thread in threads)
    w.update(VOLUME * 50)
    assert w.vmax == pytest.approx(50 * np.abs(VOLUME[w.index[0]]).max(), rel=1e-6)


# ---- files and figures --------------------------------------------------------------------------------------------------------


def test_a_snapshot_is_what_is_shown(w):
    w.index, w.view, w.cmap = {0: 1}, ((3, 13), (5, 45)), "magma"
    file = io.BytesIO()
    w.snapshot(file, metadata={"Title": "x"})
    with Image.open(file) as picture:
        assert picture.text["Title"] == "x"
        got = np.asarray(picture.convert("RGBA"))
    want = gpuplot.to_rgba(VOLUME[1], (10, 40), view=((3, 13), (5, 45)), vmin=w.vmin, vmax=w.vmax, cmap="magma")
    assert np.array_equal(got, want)


def test_snapshot_checks_first(w, tmp_path):
    for fname, options, error in (("a.jpg", {}, ValueError), (3, {}, TypeError), ("a.png", {"width": 0}, ValueError),
                                  ("a.png", {"dpi": -1}, ValueError)):
        with pytest.raises(error):
            w.snapshot(tmp_path / fname if isinstance(fname, str) else fname, **options)
    assert list(tmp_path.iterdir()) == []
    w.snapshot(tmp_path / "b.png", width=100)
    with Image.open(tmp_path / "b.png") as picture:
        assert picture.size == (100, 60)


def test_a_figure_has_the_same_part_colours_and_limits(w):
    w.index, w.view, w.cmap, w.vmin, w.vmax = {0: 2}, ((3, 13), (5, 45)), "magma", -1, 1
    figure = w.to_figure()
    [image] = figure.axes[0].images
    assert isinstance(image, gpuplot.TensorImage) and image.get_cmap().name == "magma"
    assert image.get_clim() == (-1, 1) and image.hidden_text == "index {0: 2}"
    assert figure.axes[0].get_xlim() == (4.5, 44.5) and figure.axes[0].get_ylim() == (12.5, 2.5)
    import matplotlib.pyplot as plt

    assert not plt.get_fignums()


def test_a_figure_of_facets_has_one_picture_each(notebook):  # noqa: F811
    figure = gpuplot.inspect(VOLUME, columns=0).to_figure()
    images = [image for ax in figure.axes for image in ax.images]
    assert [image.hidden_text for image in images] == [f"index {{0: {i}}}" for i in range(4)]
    figure.canvas.draw()


@pytest.mark.parametrize("X", [np.arange(50.0), RNG.normal(size=(8, 8)) > 0, RNG.integers(0, 255, (9, 9, 3), dtype=np.uint8),
                               RNG.normal(size=(6, 7)) + 1j])
def test_figures_of_other_kinds(notebook, X):  # noqa: F811
    figure = gpuplot.inspect(X).to_figure()
    figure.canvas.draw()
    assert figure.axes[0].lines or figure.axes[0].images


@pytest.mark.parametrize("norm", ["log", "symlog", "cbrt", "eq_hist"])
def test_a_figure_of_colours_has_no_use_for_a_norm(notebook, norm):  # noqa: F811
    w = gpuplot.inspect(RNG.integers(0, 255, (3, 20, 20), dtype=np.uint8))
    w.norm = norm
    assert w.to_figure().axes[0].images[0].get_array().shape == (20, 20, 3)


def test_a_figure_of_a_difference(notebook):  # noqa: F811
    w = gpuplot.inspect({"a": VOLUME[0], "b": VOLUME[1]})
    Page(w).say("set", values={"item": w._controller.state()["items"][-1]})
    w.to_figure().canvas.draw()


def test_there_is_no_picture_of_nothing(notebook):  # noqa: F811
    for X in (np.float32(3.5), np.zeros((0, 4))):
        w = gpuplot.inspect(X)
        with pytest.raises(ValueError, match="no.*picture|nothing to draw"):
            w.to_figure()
        with pytest.raises(ValueError, match="nothing to draw"):
            w.snapshot(io.BytesIO())


# ---- how long it lives ----------------------------------------------------------------------------------------------------------


class KernelComm(RecordingComm):
    """One whose host tells of displays."""


KernelComm.__module__ = "comm.of_a_test"


class Tensor(np.ndarray):
    """An array whose end can be seen."""


@pytest.fixture
def kernel(monkeypatch):
    import comm

    monkeypatch.setattr(comm, "create_comm", KernelComm)
    gc.disable()
    yield
    gc.enable()


def opened(shape=(20, 30)):
    tensor = np.zeros(shape).view(Tensor)
    return gpuplot.inspect(tensor), weakref.ref(tensor)


def test_close_lets_the_tensor_go_at_once(kernel):
    w, tensor = opened()
    Page(w).look([0, 20, 0, 30], [10, 10])
    w._repr_mimebundle_()
    w.close()
    assert tensor() is None and w.comm is None
    w.close()
    with pytest.raises(RuntimeError, match="was closed"):
        w.update(VOLUME)
    with pytest.raises(RuntimeError, match="was closed"):
        w.snapshot(io.BytesIO())
    assert repr(w) == "<Inspector, closed>"


def test_setting_a_trait_of_a_closed_inspector_says_so(kernel):
    w, _ = opened()
    w.close()
    with pytest.raises((RuntimeError, traitlets.TraitError), match="was closed"):
        w.cmap = "gray"


def test_the_end_of_a_with_block_closes(kernel):
    w, tensor = opened()
    with w:
        assert tensor() is not None
    assert tensor() is None


def test_update_lets_the_tensor_before_go(kernel):
    w, tensor = opened()
    w.update(np.ones((3, 3)))
    assert tensor() is None


def test_what_no_variable_and_no_page_has_goes(kernel):
    w, tensor = opened()
    del w
    assert tensor() is None


def test_what_is_displayed_stays_until_its_views_are_gone(kernel):
    w, tensor = opened()
    w._repr_mimebundle_()
    page = Page(w)
    page.widget = None
    del w
    assert tensor() is not None
    page.look([0, 20, 0, 30], [10, 10])
    assert page.frames()
    page.say("gone")
    assert tensor() is None


def test_what_is_displayed_again_before_the_old_view_goes_stays(kernel):
    """A cell that is run again makes its new output before the page takes the old one away."""
    w, tensor = opened()
    w._repr_mimebundle_()
    old, new = Page(w, "old"), Page(w, "new")
    old.widget = new.widget = None
    old.say("ready")
    w._repr_mimebundle_()
    del w
    old.say("gone")
    assert tensor() is not None
    new.say("ready")
    new.say("gone")
    assert tensor() is None


def test_a_variable_such_as_out_keeps_it(kernel):
    Out = {}
    Out[1], tensor = opened()
    page = Page(Out[1])
    page.widget = None
    Out[1]._repr_mimebundle_()
    page.say("ready")
    page.say("gone")
    assert tensor() is not None
    del Out[1]
    assert tensor() is None


def test_hosts_that_tell_of_no_displays_keep_it_until_its_views_are_gone(notebook):  # noqa: F811
    w, tensor = opened()
    page = Page(w)
    page.widget = None
    del w
    gc.collect()
    assert tensor() is not None
    page.say("ready")
    page.say("gone")
    gc.collect()
    assert tensor() is None
