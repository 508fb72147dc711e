"""`watch` with a stand-in for torch: what is copied, when and in which thread, and that nothing is kept alive."""

import copy
import gc
import pickle
import threading
import time
import weakref

import numpy as np
import pytest
from inspector_notebook import Page, RecordingComm, notebook  # noqa: F401 (a fixture)
from module_fakes import Module, fake_torch, model, tensor  # noqa: F401 (a fixture)

import gpuplot
from gpuplot.errors import UnsupportedError
from gpuplot.inspector.model.live import LiveCollection
from gpuplot.inspector.model.scene import Scene
from gpuplot.options import CELLS, STREAM, STYLE, VIEW
from gpuplot.watching import sampler as sampling
from gpuplot.watching.delivery import Delivery
from gpuplot.watching.hooks import OutputHook

pytestmark = [pytest.mark.usefixtures("fake_torch", "notebook"), pytest.mark.host("its arrays stand in for torch's")]

WHOLE = (0, 40, 0, 40)


class KernelComm(RecordingComm):
    """One whose host tells of displays, so that nobody has a widget that is not displayed."""


KernelComm.__module__ = "comm.of_a_test"


@pytest.fixture
def kernel(monkeypatch):
    """No garbage is collected: what ends does so by itself."""
    monkeypatch.setattr("comm.create_comm", KernelComm)
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def copies(monkeypatch):
    """Weak references to the copies of tensors that were made."""
    made, original = [], sampling.copied

    def copied(tensor):
        result = original(tensor)
        made.append(weakref.ref(result))
        return result

    monkeypatch.setattr(sampling, "copied", copied)
    return made


def settled(w):
    """Waits until the thread has handed on what there is."""
    until = time.monotonic() + 10
    delivery = w._sampler._delivery
    while (delivery._jobs or delivery._is_running) and time.monotonic() < until:
        time.sleep(0.002)
    assert not delivery._jobs and not delivery._is_running


def step(module, w=None):
    """A step of a loop, at a time at which a copy may be made."""
    if w is not None:
        w._sampler._next_at = 0.0
    module(np.float32(1) * np.ones((40, 40), "f4").view(type(tensor(0))))
    for _, parameter in module.named_parameters():
        parameter.accumulate(2 * parameter)
        parameter *= 0.5
    if w is not None:
        settled(w)


def elements(w):
    """What the inspector shows, all of it."""
    return w._controller.ask(lambda scene: np.asarray(scene._view_state.planes[0].elements((0, 40, 0, 40))))


def looking(w):
    page = Page(w)
    page.say("ready")
    page.look(WHOLE, (40, 40))
    return page


def test_names_are_torchs():
    module = model()
    with gpuplot.watch(module) as w:
        assert w._controller.state()["items"] == ["first.weight", "second.weight", "first.weight.grad", "second.weight.grad", "output",
                                                  "first", "second"]
        assert w.item == "first.weight"


@pytest.mark.parametrize(("keywords", "names"), [
    ({"weights": False, "activations": False}, ["first.weight.grad", "second.weight.grad"]),
    ({"names": "second*", "gradients": False}, ["second.weight", "second"]),
    ({"names": ["output", "first"]}, ["output", "first"])])
def test_what_is_watched_may_be_chosen(keywords, names):
    with gpuplot.watch(model(), **keywords) as w:
        assert w._controller.state()["items"] == names


def test_two_of_one_shape_have_no_difference():
    with gpuplot.watch(model(), activations=False, names="first*") as w:
        assert w._controller.state()["items"] == ["first.weight", "first.weight.grad"]


def test_frozen_parameters_have_no_gradient_and_are_seen():
    module = model()
    module._parts["first"]._parameters["weight"].requires_grad = False
    with gpuplot.watch(module, activations=False) as w:
        assert w._controller.state()["items"] == ["first.weight", "second.weight", "second.weight.grad"]
        looking(w)
        step(module, w)
        assert w._sampler._n_taken == 2


def test_what_is_shared_is_listed_once():
    module = model()
    module._parts["second"]._parameters = module._parts["first"]._parameters
    with gpuplot.watch(module, activations=False) as w:
        assert w._controller.state()["items"] == ["first.weight", "first.weight.grad"]
    with gpuplot.watch(module, activations=False, names="second*") as w:
        assert w._controller.state()["items"] == ["second.weight", "second.weight.grad"]


# ---- what is shown -------------------------------------------------------------------------------------------------------


def test_weights_are_those_before_the_step():
    """The loop writes to them in place; the picture has a copy."""
    module = model()
    weight = module._parts["first"]._parameters["weight"]
    with gpuplot.watch(module) as w:
        looking(w)
        for _ in range(2):
            before = np.array(weight)
            step(module, w)
            np.testing.assert_array_equal(elements(w), before)
            assert not np.array_equal(weight, before)


def test_gradients_and_activations():
    module = model()
    with gpuplot.watch(module) as w:
        looking(w)
        w.item = "second.weight.grad"
        weights = [np.array(parameter) for _, parameter in module.named_parameters()]
        step(module, w)
        np.testing.assert_array_equal(elements(w), 2 * weights[1])
        w.item = "first"
        step(module, w)
        np.testing.assert_array_equal(elements(w), weights[0] / 2)
        w.item = "output"
        step(module, w)
        np.testing.assert_allclose(elements(w), weights[0] * weights[1] / 16)


def test_what_has_not_come_yet_says_so():
    module = model()
    with gpuplot.watch(module) as w:
        for name in ("first", "first.weight.grad"):
            w.item = name
            assert w._controller.state()["text"] == "comes with the next step of the module"
            with pytest.raises(UnsupportedError, match=f"^nothing to draw of '{name}': comes with the next step of the module$"):
                w.to_figure()
        w.item = "second.weight"
        assert w._controller.state()["text"] == ""


def test_of_several_calls_in_a_step_the_first_is_shown():
    module = model()
    part = module._parts["first"]
    module._parts["again"] = part
    with gpuplot.watch(module, weights=False, gradients=False, names="first") as w:
        looking(w)
        want = np.array(part._parameters["weight"])
        step(module, w)
        np.testing.assert_array_equal(elements(w), want)


def test_outputs_of_several_tensors_are_listed_by_their_places():
    module = model()
    module._parts["second"].wrap = lambda output: {"logits": output, "states": (output + 1, None)}
    module._parts = {"second": module._parts["second"]}
    module.wrap = lambda output: output
    part = module._parts["second"]
    with gpuplot.watch(part, weights=False, gradients=False) as w:
        looking(w)
        assert w._controller.state()["items"] == ["output"]
        step(part, w)
        assert w._controller.state()["items"] == ["output['logits']", "output['states'][0]"] and w.item == "output['logits']"
        w.item = "output['states'][0]"
        want = np.array(part._parameters["weight"]) + 1
        step(part, w)
        np.testing.assert_array_equal(elements(w), want)


def test_a_module_that_returns_no_tensor_leaves_the_menu():
    module = model()
    module._parts["log"] = part = Module()
    part.wrap = lambda output: None
    module._parts = {"log": part}
    with gpuplot.watch(module, weights=False, gradients=False) as w:
        looking(w)
        w.item = "log"
        part.wrap, module.wrap = (lambda output: output), (lambda output: "a text")
        step(module, w)
        assert w._controller.state()["items"] == ["log"] and w.item == "log"


def test_parts_that_are_called_alone_are_seen(monkeypatch):
    """As those of two networks that are trained in turns, whose whole is never called."""
    monkeypatch.setattr(sampling, "STEP_SECONDS", 0.0)
    module = model()
    with gpuplot.watch(module, weights=False, gradients=False) as w:
        looking(w)
        w.item = "second"
        step(module._parts["second"], w)
        assert elements(w).shape == (40, 40)


# ---- when nobody looks ---------------------------------------------------------------------------------------------------


def test_nothing_is_copied_while_nobody_looks(copies):
    module = model()
    with gpuplot.watch(module) as w:
        for name in ("first.weight", "first.weight.grad", "first"):
            w.item = name
            del copies[:]
            for _ in range(5):
                step(module, w)
            assert copies == [] and w._sampler._delivery._thread is None
        page = looking(w)
        step(module, w)
        assert len(copies) == 1
        page.look(WHOLE, (40, 40), visible=False)
        step(module, w)
        assert len(copies) == 1


def test_what_is_not_shown_tests_a_flag_and_nothing_else():
    module = model()
    with gpuplot.watch(module) as w:
        step(module)
        wanted = [hook for hook in w._sampler._hooks if hook.is_wanted]
        assert wanted == [w._sampler._hooks[0], w._sampler._entries["first.weight"].hook]


def test_a_rate_is_kept():
    module, times = model(), [100.0]
    with gpuplot.watch(module, rate=4) as w:
        looking(w)
        w._sampler._clock, w._sampler._next_at = (lambda: times[0]), 100.0
        n = w._sampler._n_taken
        for _ in range(32):
            step(module)
            settled(w)
            times[0] += 0.0625
        assert w._sampler._n_taken - n == 8


def test_at_most_two_copies_are_there(copies):
    module = model()
    with gpuplot.watch(module, rate=1000) as w:
        looking(w)
        for k in range(30):
            w.item = ("first.weight", "second.weight.grad", "output")[k // 10]
            w._sampler._next_at = 0.0
            step(module)
            assert sum(reference() is not None for reference in copies) <= 3  # one is just taking another's place
        settled(w)
        gc.collect()
        assert sum(reference() is not None for reference in copies) == 1
    gc.collect()
    assert sum(reference() is not None for reference in copies) == 0


def test_a_loop_that_is_not_waited_for(monkeypatch):
    """While a picture is made, however long it takes, steps go on, and nothing piles up."""
    module, go_on = model(), threading.Event()
    with gpuplot.watch(module) as w:
        looking(w)
        monkeypatch.setattr(w._sampler, "_show", lambda name, source: go_on.wait(10))
        for _ in range(20):
            w._sampler._next_at = 0.0
            step(module)
        n = w._sampler._n_taken
        go_on.set()
        assert n == 2  # one at the beginning, one under way


def test_a_weight_is_read_beside_a_loop_that_stands(monkeypatch):
    """By a timer, again and again while the loop writes; here the test says when it is time."""
    timers = []

    class Timer(threading.Timer):
        def start(self):
            if self.interval == sampling.STILL_SECONDS:
                timers.append(self)
            else:  # the inspector's own
                super().start()

    monkeypatch.setattr(sampling.threading, "Timer", Timer)
    module = model()
    weight = module._parts["second"]._parameters["weight"]
    with gpuplot.watch(module) as w:
        looking(w)
        thread = threading.Thread(target=lambda: setattr(w, "item", "second.weight"))
        thread.start()
        thread.join()
        for n in range(1, 5):
            weight._version += 1
            assert len(timers) == n
            timers[-1].function(*timers[-1].args)
            assert w._sampler._n_taken == 1
        timers[-1].function(*timers[-1].args)
        assert w._sampler._n_taken == 2 and len(timers) == 5
        settled(w)
        np.testing.assert_array_equal(elements(w), weight)

def test_files_have_the_weights_as_they_are(tmp_path):
    """In a program without pages as well."""
    module = model()
    with gpuplot.watch(module, center=None) as w:
        for _ in range(3):
            step(module)
            w.snapshot(tmp_path / "w.png")
            gpuplot.imsave(tmp_path / "want.png", np.array(module._parts["first"]._parameters["weight"]), center=None)
            np.testing.assert_array_equal(elements(w), module._parts["first"]._parameters["weight"])
            w.to_figure()


def test_files_have_the_newest_activation(tmp_path, monkeypatch):
    """The thread had not shown it yet."""
    module = model()
    with gpuplot.watch(module) as w:
        monkeypatch.setattr(w._sampler, "_is_seen", lambda: True)
        w.item = "output"
        show = w._sampler._show
        monkeypatch.setattr(w._sampler, "_show", lambda *args: (time.sleep(0.1), show(*args)))
        for scale in (1, 2):
            w._sampler._next_at = 0.0
            module(np.full((40, 40), scale, "f4").view(type(tensor(0))))
            w.snapshot(tmp_path / "w.png") if scale == 1 else w.to_figure()
            first = module._parts["first"]._parameters["weight"] * module._parts["second"]._parameters["weight"]
            np.testing.assert_allclose(elements(w), scale * first)


# ---- nothing is kept -----------------------------------------------------------------------------------------------------


def n_hooks(module):
    hooks = sum(len(inner._before) + len(inner._after) for _, inner in module.named_modules())
    return hooks + sum(len(parameter.hooks) for _, parameter in module.named_parameters())


def test_hooks_go_with_close():
    module = model()
    n_references = weakref.getweakrefcount(module)
    w = gpuplot.watch(module)
    assert n_hooks(module) == 8
    w.close()
    w.close()
    assert n_hooks(module) == 0 and weakref.getweakrefcount(module) <= n_references + 1  # one serves all who look
    step(module)
    with pytest.raises(RuntimeError, match=r"was closed.* or gpuplot\.watch for the model"):
        w.to_figure()


def test_hooks_go_with_the_inspector(kernel):
    module = model()
    w = gpuplot.watch(module)
    reference = weakref.ref(w)
    step(module)
    del w
    assert reference() is None and n_hooks(module) == 0


def test_a_module_is_not_kept_alive(kernel):
    module = model()
    w = gpuplot.watch(module)
    looking(w)
    step(module, w)
    reference = weakref.ref(module)
    del module
    assert reference() is None and w._sampler.is_closed and elements(w).shape == (40, 40)
    w.item = "second"
    assert "the module is gone" in w._controller.state()["text"]
    w.close()


def test_options_that_are_wrong_leave_no_hooks():
    module = model()
    with pytest.raises(ValueError, match="nocmap"):
        gpuplot.watch(module, cmap="nocmap")
    assert n_hooks(module) == 0


def test_copies_of_a_hook_do_nothing():
    seen = []
    hook = OutputHook(seen.append, is_wanted=True)
    hook(None, (), 1)
    for twin in (copy.deepcopy(hook), pickle.loads(pickle.dumps(hook))):
        assert twin(None, (), 2) is None
    assert seen == [1]


# ---- errors --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("given", "text"), [
    (np.zeros(3), "not ndarray: give the model itself"), ({"a": np.zeros(3)}, "not dict"), (Module, "is a class: give an instance"),
    (None, "not NoneType")])
def test_what_is_no_module_is_refused(given, text):
    with pytest.raises(TypeError, match=text):
        gpuplot.watch(given)


@pytest.mark.parametrize(("keywords", "kind", "text"), [
    ({"names": "third*"}, ValueError, r"fit none of 5 names: first.weight, second.weight, output"),
    ({"weights": False, "gradients": False, "activations": False}, ValueError, "nothing to watch"),
    ({"weights": "first"}, TypeError, "names= chooses by name"), ({"names": 3}, TypeError, "must be a pattern"),
    ({"rate": 0}, ValueError, "rate=0"), ({"rate": "fast"}, ValueError, "rate='fast'"), ({"weight": True}, TypeError, "weights")])
def test_wrong_choices_are_refused(keywords, kind, text):
    module = model()
    with pytest.raises(kind, match=text):
        gpuplot.watch(module, **keywords)
    assert n_hooks(module) == 0


def test_what_cannot_be_read_is_a_warning_and_the_loop_goes_on(monkeypatch):
    def refuse(tensor):
        raise RuntimeError("device-side assert")

    module = model()
    monkeypatch.setattr(sampling, "copied", refuse)
    with pytest.warns(gpuplot.GpuplotWarning, match=r"cannot show 'first.weight': device-side assert"):
        w = gpuplot.watch(module)
    looking(w)
    step(module, w)
    assert w._controller.state()["text"] == "comes with the next step of the module"
    w.close()


# ---- the parts -----------------------------------------------------------------------------------------------------------


def test_the_newest_job_of_a_kind_is_done():
    delivery, done, go_on = Delivery(), [], threading.Event()
    delivery.put("a", lambda: go_on.wait(10))
    while not delivery._is_running:
        time.sleep(0.001)
    for k in range(5):
        delivery.put("b", lambda k=k: done.append(k))
    assert delivery.is_busy("c")
    go_on.set()
    while delivery.is_busy("b"):
        time.sleep(0.001)
    delivery.close()
    delivery.put("b", lambda: done.append(9))
    delivery._thread.join(10)
    assert done == [4] and not delivery._thread.is_alive()


def test_a_tensor_that_lost_its_name_is_let_go():
    form = (2, 3), "float64"
    scene = Scene(LiveCollection({"a": form, "b": form}, lambda: "later"), VIEW | CELLS | STYLE | STREAM)
    elements = np.arange(6.0).reshape(2, 3).view(type("Elements", (np.ndarray,), {}))
    tensor = weakref.ref(elements)
    scene.update(elements, "a")
    scene.draw((0, 2, 0, 3), (2, 3))
    del elements
    scene.relist({"b": form}, "b")
    gc.collect()
    assert tensor() is None


def test_a_live_collection_has_one_tensor():
    items = LiveCollection({"a": ((2, 3), "float32"), "b": None}, lambda: "later")
    assert [item.why_missing for item in items.items] == ["later", "later"] and items.first == 0
    items = items.with_tensor(1, np.zeros(4)).with_tensor(0, np.ones((2, 5)))
    assert [item.why_missing for item in items.items] == ["", "later"]
    assert [item.source.shape for item in items.items] == [(2, 5), (4,)]
    items = items.with_forms({"c": None, "a": None})
    assert [(item.name, item.source.shape) for item in items.items] == [("c", (0,)), ("a", (2, 5))]
