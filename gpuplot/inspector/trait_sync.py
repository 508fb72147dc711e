"""Keeps the widget's traits equal to the scene's values, and sends them to linked inspectors."""

import itertools
import threading
import weakref
from contextlib import contextmanager

import traitlets

from .attributes import SealedWidget
from .controls import Control, index_from_json, index_to_json, name_of
from .kernel.error_limit import text_of
from .links import follow, linked, send_limits, share
from .model.description import lists
from .model.selection import selection_to_json

CONTROLS = ("item", "index", "x", "y", "vmin", "vmax", "limits", "cmap", "norm", "agg", "view", "selection")
# Fields of the scene that are restored if one of several traits is refused.
CHOICES = (*CONTROLS, "region")


def _unknown_of(scene):
    """The names of traits whose values need chunks that are not read yet."""
    return frozenset(name for name in CONTROLS if not scene.knows(name))


class _ThreadState(threading.local):
    """For each thread: values of traits that came from the scene, and the depths of held notifications and of messages being built."""

    def __init__(self):
        self.scene_values, self.n_held, self.n_sending = {}, 0, 0


class SceneTraits(SealedWidget):
    """A widget with the traits of a scene; a subclass sets `_controller` before the traits."""

    item = Control()
    index = Control(index_to_json, index_from_json)
    x = Control()
    y = Control()
    vmin = Control()
    vmax = Control()
    limits = Control()
    cmap = Control(name_of)
    norm = Control(name_of)
    agg = Control()
    view = Control(lists)
    selection = Control(selection_to_json)
    cursor = traitlets.Any(None, allow_none=True, read_only=True)
    _settable = CONTROLS

    def _prepare(self):
        """Sets the attributes that the controller's callbacks need."""
        self._controller = None
        self._thread = _ThreadState()
        self._sync_counter, self._synced, self._sync_lock = itertools.count(), 0, threading.Lock()
        self._peers, self._unknown = weakref.WeakSet(), frozenset()

    def _first_values(self):
        """The initial values of the traits that are known without reading chunks."""
        _, self._thread.scene_values, self._unknown, self._range, self._given = self._scene_values()
        return self._thread.scene_values

    @traitlets.validate(*CONTROLS)
    def _change_scene(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        if name in self._thread.scene_values and self._thread.scene_values[name] is value:
            return value
        try:
            self._controller.change({name: value})
        except (ValueError, TypeError, IndexError) as error:
            raise traitlets.TraitError(text_of(error)) from error
        if value is None and name in ("vmin", "vmax") and name in self._controller.ask(_unknown_of):
            return None  # its chunks are read when the trait is read
        return self._ask(name)

    @contextmanager
    def hold_trait_notifications(self):
        # Traits that are set together are checked one by one at the end. If one is refused, traitlets restores all, and so must
        # the scene.
        is_outermost = self._is_ready and not self._thread.n_held
        before = self._choices() if is_outermost else None
        self._thread.n_held += 1
        try:
            with super().hold_trait_notifications():
                yield
        except traitlets.TraitError:
            if is_outermost:
                self._take_back(before)
            raise
        finally:
            self._thread.n_held -= 1
            if is_outermost:
                self._sync_traits()

    def _choices(self):
        return self._controller.ask(lambda scene: {name: scene.choice(name) for name in CHOICES})

    def _take_back(self, before):
        if self._ask("item") != before["item"]:
            self._controller.change({"item": before["item"]})  # first, as the settings may fit only this item
        now = self._choices()
        changed = {name: value for name, value in before.items() if now[name] != value}
        if "limits" in changed:  # setting `limits` alone would reset the others
            changed |= {name: before[name] for name in ("vmin", "vmax", "region")}
        self._controller.change(changed)

    @property
    def _is_ready(self):
        return self._controller is not None and not self._controller.is_closed and self.comm is not None

    def _sync_traits(self, needed=None):
        """Sets all traits to the scene's values, then notifies observers, which may change the scene again.

        Traits that need chunks keep their values until these are read; only the one that is `needed` is waited for.
        """
        if self._thread.n_held:
            return
        try:
            number, now, unknown, own, given = self._scene_values(needed)
        except RuntimeError:  # closed in the meantime
            return
        with self._sync_lock:
            if number < self._synced:
                return  # another thread has newer values
            self._synced = number
            before = {name: self._trait_values.get(name) for name in CONTROLS}
            changed = {name: value for name, value in now.items() if before[name] != value}
            self._trait_values.update(changed)
            self._unknown = unknown
            is_other, chosen = own != self._range, [name for name in given if given[name] != self._given[name]]
            self._range, self._given = own, given
        if self._peers and (is_other or chosen):
            self._send_limits([] if "item" in changed else chosen)
        for name, value in changed.items():
            if self._trait_values[name] is value:
                self._notify_trait(name, before[name], value)

    def _sync_if_changed(self, name):
        """Syncs traits after an `update` that is not drawn yet, waiting for the chunks that the trait `name` needs."""
        if self._controller is None or self._controller.is_closed or self._thread.n_sending:
            return
        if self._controller.has_unsynced_update:
            self._sync_traits()
        if name in self._unknown:
            self._sync_traits(needed=name)

    def _ask(self, name):
        return self._controller.ask(lambda scene: getattr(scene, name))

    def _scene_values(self, needed=None):
        """(rising number, values of known traits, names of the others, own range, given limits), read under one lock."""
        def ask(scene):
            needed_value = () if needed is None else ((needed, getattr(scene, needed)),)
            unknown = _unknown_of(scene)
            known = {name: getattr(scene, name) for name in CONTROLS if name not in unknown} | dict(needed_value)
            own = None if "vmin" in unknown else scene.own_range
            return next(self._sync_counter), known, unknown - {needed}, own, scene.limits_given[1]

        return self._controller.ask(ask, is_sync=True)

    def _limits_given(self):
        return self._controller.ask(lambda scene: scene.limits_given)

    @traitlets.observe("view", "index")
    def _send_view(self, change):
        for peer in tuple(getattr(self, "_peers", ())):
            follow(peer, self, (change["name"],))

    def _send_limits(self, chosen):
        """Sends linked inspectors this one's range, and those of ``vmin, vmax, limits, robust`` that are in `chosen`."""
        for peer in tuple(self._peers):
            if chosen:
                send_limits(self, peer, chosen)
        share(linked(self))
