"""Lets an inspector and its tensor be garbage-collected when no variable and no page refers to it."""

import weakref

from ipywidgets.widgets import widget as registry


def weakly(method):
    """A method that does not keep its object alive; it returns None once that is gone."""
    reference = weakref.WeakMethod(method)

    def call(*args):
        bound = reference()
        return None if bound is None else bound(*args)

    return call


def is_shown_by_nobody(comm):
    """Whether the program is not a notebook."""
    module = type(comm).__module__ or ""
    if module.startswith("ipykernel."):
        from ipykernel.kernelbase import Kernel

        return not Kernel.initialized()
    return module == "comm" and type(comm).__name__ == "DummyComm"


class Holder:
    """Replaces the references that the registries of widgets and comms hold for ever by weak ones while no page shows the widget.

    A widget is held from its display until as many views as displays have come, and the last one is gone; in hosts that do not
    report displays, always.

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
        """The widget was displayed: a view will come."""
        self._n_expected += 1
        self._keep()

    def came(self):
        """A view has come."""
        self._n_come += 1
        self._keep()

    def gone(self):
        """The last view is gone."""
        if self._n_come >= self._n_expected:
            self.let_go()

    def let_go(self, _message=None):
        """Holds the widget weakly."""
        widget = self._widget()
        if widget is not None:
            self._register(weakref.proxy(widget))

    def _keep(self):
        widget = self._widget()
        if widget is not None:
            self._register(widget)

    def _register(self, entry):
        """Replaces the registry's entry, which stays, as pages that are opened again ask for all widgets."""
        if self._id in registry._instances:
            registry._instances[self._id] = entry
