"""The page of a module that is trained: the menu chooses what is copied, and pictures follow the steps."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from module_fakes import fake_torch, model, tensor  # noqa: F401 (a fixture)

import gpuplot

from .bridge import Bridge

pytestmark = pytest.mark.usefixtures("fake_torch")


@pytest.fixture
def view(page):
    """A module with large weights, and its inspector on a page."""
    module = model(side=200)
    with warnings.catch_warnings(action="ignore"):  # that no notebook is there
        w = gpuplot.watch(module, rate=100, limits="elements")
    view = Bridge(page, w)
    view.module = module
    view.talk(lambda: any(ack["drawn"] for ack in view.sent("ack")))
    yield view
    w.close()


def step(view):
    view.module(np.ones((200, 200), "f4").view(type(tensor(0))))
    for _, parameter in view.module.named_parameters():
        parameter.accumulate(np.full((200, 200), 3.0, "f4").view(type(parameter)))
        parameter[:100] = np.nan


def notice(view):
    return " ".join(view.locator(".gp-notice").all_text_contents())


def n_marks(view):
    return (view.pixels(".gp-canvas")[..., :3] == [255, 0, 255]).all(-1).mean()


def test_the_picture_follows_the_steps(view):
    assert n_marks(view) == 0
    step(view)  # writes after its forward
    view.talk(lambda: step(view) or n_marks(view) > 0.3, "the weight of a later step")


def test_the_menu_chooses_what_is_copied(view):
    view.widget.item = "first.weight.grad"
    view.talk(lambda: "comes with the next step" in notice(view), "why nothing is there")
    view.talk(lambda: step(view) or "comes with" not in notice(view), "the gradient")
    assert view.widget.vmax == 3.0


def test_an_output_comes_with_the_next_step(view):
    """The text in its place hid the picture, whereupon nothing was copied, and the text stayed."""
    view.widget.item = "first"
    view.talk(lambda: "comes with the next step" in view.page.inner_text("body"), "why nothing is there")
    for _ in range(10):  # what the page has to say about it arrives before the step
        view.page.wait_for_timeout(50)
        view.talk(lambda: True)
    view.talk(lambda: step(view) or "comes with" not in view.page.inner_text("body"), "the output")
    view.talk(lambda: len(np.unique(view.pixels(".gp-canvas")[..., :3].reshape(-1, 3), axis=0)) > 1, "its picture")
