"""The inspector's widget: parameters of `gpuplot.inspect`, traits, and links between inspectors."""

import inspect as python_inspect
import io
import json
import re
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from inspector_notebook import VOLUME, Page, RecordingComm, notebook, shown_pixels, w  # noqa: F401

import gpuplot
from gpuplot.notices import warn

traitlets = pytest.importorskip("traitlets")

pytestmark = pytest.mark.host("what pages get is the same from any memory; the scene's own tests are run on devices")


# ---- the public function -----------------------------------------------------------------------------------------------------


def test_importing_gpuplot_imports_no_widgets():
    code = "import sys, gpuplot; print(sorted({'anywidget', 'ipywidgets', 'traitlets', 'IPython', 'comm'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_anywidget_the_extra_is_named(monkeypatch):
    for name in list(sys.modules):
        if name.startswith(("gpuplot.inspector.widget", "gpuplot.inspector.trait_sync", "gpuplot.inspector.attributes")):
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


@pytest.mark.parametrize("name, words", [
    ("cmpa", "did you mean cmap?"), ("vmim", "did you mean vmin?"), ("colormap", "did you mean cmap?"),
    ("robust", "give it to gpuplot.inspect(X, robust=...)"), ("title", "give it to gpuplot.inspect(X, title=...)"),
    ("robus", "give it to gpuplot.inspect(X, robust=...)")])
def test_a_name_that_an_inspector_does_not_have_is_not_set(notebook, name, words):
    w = gpuplot.inspect(VOLUME)
    with pytest.raises(AttributeError, match=re.escape(f"an inspector has no attribute {name!r}")) as caught:
        setattr(w, name, True)
    assert words in str(caught.value) and not hasattr(w, name)


def test_names_of_widgets_and_of_a_subclass_are_set(notebook):
    from gpuplot.inspector.widget import Inspector
    from gpuplot.options import CELLS, STREAM, STYLE, VIEW

    class Mine(Inspector):
        n_clicks = 0

        def __init__(self, *args):
            self.before = 1
            super().__init__(*args)
            self.after = 2

    mine = Mine(VOLUME, VIEW | CELLS | STYLE | STREAM)
    mine.before, mine.after, mine.n_clicks, mine._own = 3, 4, 5, 6
    mine.layout.width, mine.tooltip, mine.cmap = "300px", "a volume", "magma"
    assert (mine.before, mine.after, mine.n_clicks, mine._own, mine.tooltip, mine.cmap) == (3, 4, 5, 6, "a volume", "magma")
    mine.frobnicate = mine  # resembles nothing
    assert mine.frobnicate is mine
    mine.add_traits(late=traitlets.Int(0))
    mine.late = 7
    with pytest.raises(AttributeError, match="did you mean cmap"):
        mine.cmpa = "magma"


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


def test_the_warning_is_about_the_callers_line_with_torch_between():
    """Where torch's compiler is imported, its frames stand between the caller and gpuplot."""
    ours, torchs = {"__name__": "gpuplot.mpl.imshow", "warn": warn}, {"__name__": "torch._dynamo.eval_frame"}
    exec("def tell(): warn('so')", ours)
    exec("def call(function): function()", torchs)
    with pytest.warns(gpuplot.GpuplotWarning, match="so") as caught:
        torchs["call"](ours["tell"])
    assert [one.filename for one in caught] == [__file__]


def test_a_notebook_is_told_nothing(notebook):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gpuplot.inspect(VOLUME).close()


@pytest.mark.parametrize(("options", "error", "text"), [
    ({"throttle": "fast"}, TypeError, "throttle is a number"), ({"throttle": -1}, ValueError, "throttle"),
    ({"max_buffered_frames": 0}, ValueError, "max_buffered_frames"), ({"max_buffered_frames": 1.5}, TypeError, "integer"),
    ({"values": "never"}, ValueError, "auto"), ({"values": 1}, ValueError, "auto"), ({"height": 3}, ValueError, "height"),
    ({"histogram": "yes"}, ValueError, "histogram=.yes. is not one of True, False"),
    ({"play": None}, ValueError, "play=None is not one of True, False"),
    ({"sliders": 7}, ValueError, "axis 7"), ({"sliders": ["time"]}, ValueError, "axis 'time'.*axes are 0, 1, 2"),
    ({"sliders": [True]}, ValueError, "axis True"), ({"link": 3}, TypeError, "."), ({"link": [VOLUME]}, TypeError, "inspectors"),
    ({"index": {0: 9}}, IndexError, "9"), ({"x": 5}, ValueError, "5"), ({"cmap": "nope"}, ValueError, "nope"),
    ({"agg": "median"}, ValueError, "median"), ({"rows": 9}, ValueError, "9"), ({"vmin": "low"}, (TypeError, ValueError), "."),
    ({"title": 3}, TypeError, "title is a text, not int"),
])
def test_options_that_make_no_sense(notebook, options, error, text):
    with pytest.raises(error, match=text):
        gpuplot.inspect(VOLUME, **options)


def test_what_the_caller_wants_to_see_is_in_the_state(notebook):
    w = gpuplot.inspect(VOLUME, dims="z y x", sliders="z", histogram=False, show_stats=False, play=False, values=False, height=321,
                        title="density")
    state = w.get_state("_state")["_state"]
    assert state["shows"] == {"histogram": False, "stats": False, "play": False, "values": False, "sliders": [0]}
    assert state["height"] == 321 and state["title"] == "density"
    assert gpuplot.inspect(VOLUME).get_state("_state")["_state"]["shows"]["sliders"] is None


# ---- the first state ---------------------------------------------------------------------------------------------------------


def test_the_model_opens_with_all_that_a_page_needs(w):
    [(_, data, _)] = [sent for sent in w.comm.published if sent[0] == "comm_open"]
    state = json.loads(json.dumps(data["state"], allow_nan=False))
    assert state["_state"]["tensor"]["shape"] == [4, 30, 50] and state["_state"]["seq"] == {}
    assert state["index"] == {"0": 0} and state["view"] is None
    assert state["_esm"].count("export default") == 1 and ".gpuplot" in state["_css"]


# ---- traits ------------------------------------------------------------------------------------------------------------------


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
    assert np.array_equal(shown_pixels(page.frames()[-1])[0], want)


@pytest.mark.parametrize(("name", "value", "text"), [
    ("index", {0: 4}, "4"), ("index", {7: 0}, "7"), ("index", 3, "."), ("index", {0: 1.5}, "."), ("x", 9, "9"), ("y", "up", "up"),
    ("vmin", "low", "."), ("vmin", np.nan, "."), ("vmax", float("inf"), "."), ("cmap", "nope", "nope"), ("norm", "nope", "nope"),
    ("agg", "median", "median"), ("view", ((1, 0), (0, 1)), "."), ("view", "all", "view"), ("view", ((0, np.inf), (0, 1)), "."),
])
def test_a_value_that_makes_no_sense_is_a_trait_error_and_changes_nothing(w, name, value, text):
    before, state = {trait: getattr(w, trait) for trait in ("item", "index", "x", "y", "vmin", "vmax", "cmap", "norm", "agg", "view")}, \
        w._controller.state()
    with pytest.raises(traitlets.TraitError, match=text):
        setattr(w, name, value)
    assert {trait: getattr(w, trait) for trait in before} == before
    assert w._controller.state() == state


def test_one_of_several_tensors_is_chosen(notebook):
    w = gpuplot.inspect({"first": VOLUME, "second": VOLUME * 2}, index={0: 1})
    seen = []
    w.observe(lambda change: seen.append((change.new, w.vmax)), "item")
    assert w.item == "first"
    w.item = "second"
    Page(w).say("set", values={"item": "second − first" if "second − first" in w._controller.state()["items"] else "first − second"})
    w.item = 0
    assert [name for name, _ in seen] == ["second", "first − second", "first"] and seen[0][1] == 2 * seen[2][1]
    with pytest.raises(traitlets.TraitError, match="there is no item 'third' among 3: first, second"):
        w.item = "third"
    assert w.item == "first" and gpuplot.inspect(VOLUME).item == ""


def test_an_observer_sees_all_traits_as_they_are_now(w):
    w.limits = "elements"
    seen = []
    w.observe(lambda change: seen.append((change.old, change.new, w.vmax)), "index")
    w.index = {0: 2}
    Page(w).say("set", values={"index": {"0": 3}})
    tops = [pytest.approx(np.abs(VOLUME[i]).max()) for i in (2, 3)]
    assert seen == [({0: 0}, {0: 2}, tops[0]), ({0: 2}, {0: 3}, tops[1])]


def test_what_another_thread_says_meanwhile_is_not_taken_back(w, monkeypatch):
    asked = w._scene_values

    def overtaken(needed=None):
        found = asked(needed)
        monkeypatch.setattr(w, "_scene_values", asked)
        other = threading.Thread(target=w._controller.change, args=({"index": {0: 3}},))
        other.start()
        other.join(600)
        return found

    heard = []
    w.observe(lambda change: heard.append(change.new), "index")
    monkeypatch.setattr(w, "_scene_values", overtaken)
    w._controller.change({"index": {0: 2}})
    assert w.index == {0: 3} and heard == [{0: 3}]


def test_an_observer_that_changes_what_is_shown_is_followed(w):
    w.limits = "elements"
    heard = []
    w.observe(lambda change: heard.append((change.name, change.new)), ["index", "cmap", "vmax"])
    w.observe(lambda change: setattr(w, "cmap", "gray"), "index")
    w.observe(lambda change: setattr(w, "index", {0: 1}), "cmap")
    w.index = {0: 3}
    assert (w.index, w.cmap) == ({0: 1}, "gray") and w.vmax == pytest.approx(np.abs(VOLUME[1]).max())
    assert heard == [("index", {0: 3}), ("cmap", "gray"), ("index", {0: 1}), ("vmax", w.vmax)]


class WireComm(RecordingComm):
    """One that writes what it publishes, as kernels do."""

    def publish_msg(self, msg_type, data=None, **keys):
        json.dumps(data, ensure_ascii=False, allow_nan=False).encode()
        super().publish_msg(msg_type, data=data, **keys)


@pytest.mark.parametrize("make", [
    lambda: gpuplot.inspect({"\ud800 odd": VOLUME, "even": VOLUME}), lambda: gpuplot.inspect(VOLUME, dims=["z", "\udfff", "x"], columns=1),
    lambda: gpuplot.inspect(np.eye(3, dtype=int), labels={0: "\ud83d", 1: "one"})], ids=["name", "axis", "class"])
def test_text_that_is_no_text_is_spelt_out(monkeypatch, make):
    monkeypatch.setattr("comm.create_comm", WireComm)
    w = make()
    page = Page(w)
    page.say("ready")
    page.look([0, 3, 0, 3], [30, 30])
    page.say("hover", row=0.5, col=0.5, facet=0)
    said = page.heard("state")[-1][0]["state"], page.heard("hover")[-1][0]
    assert "\\\\ud" in json.dumps(said, ensure_ascii=False)
    if w.item:
        page.say("set", values={"item": w._controller.state()["items"][0]})
        assert page.errors() == [] and w.item == "\\ud800 odd"


def test_setting_some_axes_leaves_the_others(notebook):
    w = gpuplot.inspect(np.zeros((3, 4, 5, 6)), index={0: 1, 1: 2})
    w.index = {1: 3}
    assert w.index == {0: 1, 1: 3}


def test_axes_with_names_are_called_by_them(notebook):
    w = gpuplot.inspect(VOLUME, dims="z y x")
    w.index = {"z": 2}
    assert (w.index, w.x, w.y) == ({"z": 2}, "x", "y")
    w.x = "z"
    assert w.x == "z" and w.index == {"x": 0}


@pytest.mark.parametrize("limit", [VOLUME.max(), np.array(2.5), np.float16(2.5), np.array(3, "uint8"), np.longdouble(2.5)])
def test_a_limit_may_be_a_number_of_any_library(w, limit):
    w.vmax = limit
    assert w.vmax == float(limit) and gpuplot.inspect(VOLUME, vmax=limit).vmax == float(limit)


@pytest.mark.parametrize("limit", [np.array([1.0]), np.array(True), np.array(1j), np.array("1"), np.array(np.nan), "1"])
def test_a_limit_that_is_no_number_is_refused(w, limit):
    before = w.vmax
    with pytest.raises(traitlets.TraitError, match="vmax"):
        w.vmax = limit
    assert w.vmax == before


def test_a_limit_may_be_a_tensor_without_axes(w):
    torch = pytest.importorskip("torch")
    w.vmin = torch.tensor([-2.0, 1.5], requires_grad=True).min()
    assert w.vmin == -2


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
    w.limits = "elements"
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
    state = w._controller.state()
    assert state["is_fixed"] == {"vmin": False, "vmax": False} and state["cmap"] == "automatic"
    with w.hold_trait_notifications():
        w.index = {0: 2}
        w.cmap = "magma"
    assert (w.index, w.cmap) == ({0: 2}, "magma")


def test_the_tensor_that_was_shown_comes_back_with_its_traits(notebook):
    w = gpuplot.inspect({"number": np.array(3.0), "volume": VOLUME})
    w.item = "number"
    with pytest.raises(traitlets.TraitError, match="'nope' is not a known colormap"), w.hold_trait_notifications():
        w.item = "volume"
        w.index = {0: 2}
        w.cmap = "nope"
    assert (w.item, w.index, w.x, w.y) == ("number", {}, None, None)


def test_traitlets_links(notebook):
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


# ---- link --------------------------------------------------------------------------------------------------------------------


def test_linked_inspectors_go_together(notebook):
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


def test_unlink_names_what_is_no_inspector_and_ends_no_link(notebook):
    a = gpuplot.inspect(VOLUME)
    b = gpuplot.inspect(VOLUME, link=a)
    for other in (None, VOLUME, [b]):
        with pytest.raises(TypeError, match=f"unlink takes inspectors, not {type(other).__name__}"):
            a.unlink(b, other)
    a.view = ((0, 10), (0, 10))
    assert b.view == a.view


def test_links_leave_out_what_the_other_lacks(notebook):
    a, b = gpuplot.inspect(np.zeros((9, 8, 7))), gpuplot.inspect(np.zeros((4, 8, 7)), link=None)
    b.link(a)
    a.index = {0: 8}
    assert b.index == {0: 0}
    a.index = {0: 3}
    assert b.index == {0: 3}
    flat = gpuplot.inspect(np.zeros((8, 7)), link=[a, b])
    a.view = ((1, 3), (1, 3))
    assert flat.view == ((1.0, 3.0), (1.0, 3.0))


def test_links_keep_nobody_alive(notebook):
    a, b = gpuplot.inspect(VOLUME), gpuplot.inspect(VOLUME)
    a.link(b)
    b.close()
    a.view = ((0, 1), (0, 1))
    assert len(a._peers) == 0
