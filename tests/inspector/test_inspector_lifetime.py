"""How long an inspector keeps its tensor: while a variable or a page refers to it, and until `close`."""

import gc
import io
import weakref

import numpy as np
import pytest
from inspector_notebook import VOLUME, Page, RecordingComm, notebook  # noqa: F401

import gpuplot

traitlets = pytest.importorskip("traitlets")

pytestmark = pytest.mark.host("what pages get is the same from any memory; the scene's own tests are run on devices")


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


def test_an_inspector_is_made_by_inspect(monkeypatch):
    """The error says so, and the object that was not made ends without another one."""
    lost = []
    monkeypatch.setattr("sys.unraisablehook", lost.append)
    with pytest.raises(TypeError, match=r"gpuplot\.inspect\(X\)"):
        gpuplot.Inspector(np.eye(3))
    gc.collect()
    assert not lost


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


def test_a_selection_and_a_cursor_keep_no_tensor(kernel):
    w, tensor = opened()
    w.selection = ((0, 1), (0, 1))
    page = Page(w)
    page.look([0, 20, 0, 30], [20, 30])
    page.say("hover", row=1.5, col=1.5, facet=0)
    page.say("gone")
    selection, cursor = w.selection, w.cursor
    del w, page
    assert tensor() is None and cursor is None
    with pytest.raises(RuntimeError, match="is gone"):
        _ = selection.stats


def test_setting_a_trait_of_a_closed_inspector_says_so(kernel):
    w, _ = opened()
    w.close()
    with pytest.raises((RuntimeError, traitlets.TraitError), match="was closed"):
        w.cmap = "gray"


def test_a_closed_inspector_cannot_be_linked(kernel):
    w, _ = opened()
    other, _ = opened()
    other.close()
    for link in (lambda: w.link(other), lambda: other.link(w), lambda: gpuplot.inspect(VOLUME, link=other)):
        with pytest.raises(RuntimeError, match="was closed"):
            link()
    assert not w._peers


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


def test_its_layout_goes_with_it(kernel):
    """Each inspector left one in the registry of widgets, with its comm: a loop that inspects and closes grew."""
    from ipywidgets.widgets import widget as registry

    before = set(registry._instances)
    w, _ = opened()
    layout = weakref.ref(w.layout)
    assert len(set(registry._instances) - before) == 2
    w.layout.width = "50%"
    assert w.layout.width == "50%"
    w.close()
    del w
    assert layout() is None and set(registry._instances) == before
    w, _ = opened()
    v = gpuplot.inspect(VOLUME)
    v.layout = w.layout
    w.close()
    del w
    assert v.layout.comm is not None and v.layout.model_id in registry._instances


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


def test_a_page_that_closes_the_comm_lets_the_tensor_go(kernel):
    w, tensor = opened()
    w._repr_mimebundle_()
    comm = w.comm
    del w
    assert tensor() is not None
    comm.handle_close({"content": {"comm_id": comm.comm_id, "data": {}}})
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


def test_hosts_that_tell_of_no_displays_keep_it_until_its_views_are_gone(notebook):
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
