"""Who keeps an inspector alive: its variables, and the notebook while a page shows it."""

from __future__ import annotations

import weakref

from ipywidgets.widgets import widget as registry

__all__ = ["Holder", "is_shown_by_nobody", "weakly"]


def weakly(method):
    """A method of an object that its parts call and do not keep; None comes back once it is gone."""
    reference = weakref.WeakMethod(method)

    def call(*args):
        bound = reference()
        return None if bound is None else bound(*args)

    return call


def is_shown_by_nobody(comm):
    """Whether a comm leads nowhere: the program is no notebook."""
    module = type(comm).__module__ or ""
    if module.startswith("ipykernel."):
        from ipykernel.kernelbase import Kernel

        return not Kernel.initialized()
    return module == "comm" and type(comm).__name__ == "DummyComm"


class Holder:
    """Makes the registries of widgets and comms, which keep every widget for ever, keep one only while it is shown.

    Views are counted: what is displayed is kept from then until as many views have come, and the last of them has gone.
    Hosts whose displays nobody tells of keep it from the start. A variable keeps it in any case.

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
        """The widget was shown once more: a view will come."""
        self._n_expected += 1
        self._keep()

    def came(self):
        """A view exists."""
        self._n_come += 1
        self._keep()

    def gone(self):
        """The last view that there was is no more."""
        if self._n_come >= self._n_expected:
            self.let_go()

    def let_go(self, _message=None):
        """Leaves the widget to its variables."""
        widget = self._widget()
        if widget is not None:
            self._register(weakref.proxy(widget))

    def _keep(self):
        widget = self._widget()
        if widget is not None:
            self._register(widget)

    def _register(self, entry):
        """The registry stays complete, because a page that is opened again asks it for all widgets."""
        if self._id in registry._instances:
            registry._instances[self._id] = entry
