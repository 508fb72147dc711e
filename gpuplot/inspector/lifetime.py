"""Lets an inspector, its layout and its tensor be garbage-collected when no variable and no page refers to it."""

import sys
import weakref

from ipywidgets import Layout
from ipywidgets.widgets import widget as registry

from ..weak_methods import weakly


def is_shown_by_nobody(comm):
    """Whether the program is not a notebook."""
    module = type(comm).__module__ or ""
    if module.startswith("ipykernel."):
        from ipykernel.kernelbase import Kernel

        return not Kernel.initialized()
    return module == "comm" and type(comm).__name__ == "DummyComm"


class EndingLayout(Layout):
    """A layout that may be garbage-collected, also when the program ends and parts of ipywidgets are gone."""

    def __del__(self, is_finalizing=sys.is_finalizing):
        if not is_finalizing():
            super().__del__()


class Holder:
    """Makes the references in the registries of widgets and comms, which live forever, weak while no page shows the widget.

    They are strong from the widget's display until as many views as displays have come and the last view is gone; in hosts that
    do not report displays, always.

    Parameters
    ----------
    widget : Widget
        Its comm is open.
    """

    def __init__(self, widget):
        self._widget = weakref.ref(widget)
        self._n_expected = self._n_come = 0
        self._id = widget.model_id
        comm = widget.comm
        comm.on_msg(weakly(widget._handle_msg))
        if hasattr(comm, "on_close"):
            comm.on_close(weakly(self.let_go))
        if (type(comm).__module__ or "").startswith(("ipykernel.", "comm")):
            self._register(weakref.proxy(widget))
        else:
            self._keep()

    def displayed(self):
        """Called when the widget is displayed: a view will come."""
        self._n_expected += 1
        self._keep()

    def came(self):
        """Called when a view has come."""
        self._n_come += 1
        self._keep()

    def gone(self):
        """Called when the last view is gone."""
        if self._n_come >= self._n_expected:
            self.let_go()

    def let_go(self, _message=None):
        """Makes the references weak."""
        widget = self._widget()
        if widget is not None:
            self._register(weakref.proxy(widget))

    def _keep(self):
        widget = self._widget()
        if widget is not None:
            self._register(widget)

    def _register(self, entry):
        """Replaces the registry's entry. It is not removed, as pages that are opened again ask for all widgets."""
        if self._id in registry._instances:
            registry._instances[self._id] = entry
