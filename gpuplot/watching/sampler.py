"""Sampler: copies the shown tensor of a running module now and then, and passes the copies to the inspector."""

import threading
import time
import weakref
from functools import partial

from ..arrays.describe import describe
from ..arrays.torch_tensors import copied
from ..errors import reason_of
from ..inspector.kernel.producers import current_stream
from ..notices import warn
from ..weak_methods import weakly
from .delivery import Delivery
from .entries import ACTIVATION, GRADIENT, WEIGHT
from .hooks import GradientHook, OutputHook, StepHook
from .outputs import at, paths_of

# If the whole module has not been called for so many seconds, hooks of its parts begin steps.
STEP_SECONDS = 1.0

# A weight that is read outside of the loop's thread must not have been written to for so many seconds.
STILL_SECONDS = 0.5

# Most seconds that a file or a figure waits for the thread.
BRING_SECONDS = 5.0

WAITING, GONE = "comes with the next step of the module", "the module is gone, or is no longer watched"


class Sampler:
    """Copies the shown tensor of a module, at most `rate` times a second and at most once a step.

    The copy is made in the loop's thread, on its stream, when nothing writes to the tensor: a weight before the forward of the whole
    module, a gradient when it is complete, an activation as its module returns. A thread passes it on. The sampler keeps neither the
    module nor the inspector alive; the module keeps the sampler.

    Parameters
    ----------
    module : torch.nn.Module
    entries : list of Entry
    rate : float
    show : callable
        ``show(name, Source)``, mostly called on another thread.
    relist : callable
        Called, on another thread, when an output turned out to have several tensors, or none: the menu has to change.
    is_seen : callable
        Whether a page shows the inspector.
    share : float
        Largest part of the time that copies may take.
    clock : callable, optional
    """

    def __init__(self, module, entries, rate, *, show, relist, is_seen, share, clock=time.monotonic):
        self._show, self._relist, self._is_seen = show, relist, is_seen
        self._gap, self._share, self._clock = 1.0 / rate, share, clock
        self._shown, self._n_taken, self._is_due = None, 0, False
        # The earliest time of the next copy, and the time at which the present step began; in a step `_is_due` says that it makes the copy.
        self._next_at, self._step_at = clock(), clock() - STEP_SECONDS
        self._loop_thread, self._lock = threading.get_ident(), threading.Lock()
        self._delivery, self._warned, self.is_closed = Delivery(), set(), False
        self._entries = {entry.name: entry for entry in entries}
        self._uncalled = {entry for entry in entries if entry.kind == ACTIVATION}
        self._hooks = [StepHook(self._begin_step, is_wanted=True)]
        self._handles = [module.register_forward_pre_hook(self._hooks[0])]
        for entry in entries:
            self._add_hook(entry)
        self._end_of_module = weakref.finalize(module, _close, weakref.ref(self))
        self._end_of_module.atexit = False

    def _add_hook(self, entry):
        """Registers the hook of an entry: on its module, or on a parameter that takes a gradient."""
        if entry.kind == ACTIVATION:
            entry.hook = OutputHook(partial(self._see_output, entry), is_wanted=True)
            handle = entry.owner().register_forward_hook(entry.hook)
        elif entry.can_be_hooked():
            parameter = entry.parameter()
            entry.hook, entry.hooked = GradientHook(self._see_parameter, is_wanted=entry is self._shown), weakref.ref(parameter)
            handle = parameter.register_post_accumulate_grad_hook(entry.hook)
        else:
            return
        entry.handle = handle
        self._hooks.append(entry.hook)
        self._handles.append(handle)

    def _drop_hook(self, entry):
        """Removes the hook of a parameter that was replaced: another module may have that parameter still."""
        entry.handle.remove()
        self._hooks = [hook for hook in self._hooks if hook is not entry.hook]
        self._handles = [handle for handle in self._handles if handle is not entry.handle]
        entry.hook, entry.handle, entry.hooked = None, None, None

    def close(self):
        """Removes all hooks and drops waiting copies; may be called twice."""
        self.is_closed, self._shown = True, None
        for hook in self._hooks:
            hook.is_wanted = False
        handles, self._handles = self._handles, []
        for handle in handles:
            handle.remove()
        self._end_of_module.detach()  # else the module would have one more for each inspector that watched it
        self._delivery.close()

    def why_missing(self):
        """A text: why there is no tensor to show."""
        return GONE if self.is_closed else WAITING

    @property
    def forms(self):
        """A dict of all entries: name -> (shape, dtype) or None."""
        return {name: entry.form for name, entry in list(self._entries.items())}

    # ---- what is shown -----------------------------------------------------------------------------------------------------

    @property
    def shown(self):
        """Name of the entry that is shown; None for none."""
        entry = self._shown
        return None if entry is None else entry.name

    def choose(self, name):
        """Changes the shown entry to the one of this name."""
        before, entry = self._shown, self._entries.get(name)
        if entry is before or self.is_closed:
            return
        self._shown, self._next_at, self._is_due = entry, self._clock(), False
        for one, is_wanted in ((before, False), (entry, True)):
            if one is not None and one.hook is not None and one.base not in self._uncalled:
                one.hook.is_wanted = is_wanted
        if entry is not None and not self.refresh() and entry.kind != ACTIVATION:
            self._read_when_still(entry)

    def refresh(self):
        """Shows the present weight or gradient; returns False for activations, and on other threads than the loop's."""
        entry = self._shown
        if entry is None or threading.get_ident() != self._loop_thread:
            return False
        source = self._copy(entry, entry.tensor())
        if source is not None:
            self._show(entry.name, source)
        return source is not None

    def bring(self):
        """Shows the present weight or gradient, or the newest copy of an activation, which the thread may not have shown yet."""
        self._delivery.join(BRING_SECONDS)
        self.refresh()

    def _read_when_still(self, entry):
        """Starts a timer that reads a weight or gradient outside of the loop, unless a step copies it before."""
        call = weakly(self._read_if_still)
        timer = threading.Timer(STILL_SECONDS, call, (entry, self._n_taken, _version(entry.tensor())))
        timer.daemon = True
        timer.start()

    def _read_if_still(self, entry, n_taken, version):
        """Called by the timer: shows the tensor if its version has not changed, else starts another timer; not after a step's copy."""
        if self.is_closed or self._shown is not entry or self._n_taken != n_taken:
            return
        tensor = entry.tensor()
        source = self._copy(entry, tensor) if _version(tensor) == version else None
        if source is not None and _version(tensor) == version:
            self._show(entry.name, source)
        elif entry.owner() is not None:
            self._read_when_still(entry)

    # ---- called by hooks, in the loop's thread --------------------------------------------------------------------------------

    def _begin_step(self):
        now = self._clock()
        self._loop_thread, self._step_at = threading.get_ident(), now
        self._is_due = self._is_due or self._may_copy(now)
        entry = self._shown
        if not self._is_due or entry is None or entry.kind == ACTIVATION:
            return
        if entry.is_replaced():
            self._drop_hook(entry)
        self._add_hook(entry)  # the parameter may be new, or may have got its shape
        if entry.kind == WEIGHT:
            self._take(entry, entry.tensor())

    def _may_copy(self, now):
        """Whether a copy may be made now."""
        if now < self._next_at or self._shown is None or self._delivery.is_busy("tensor"):
            return False
        if self._is_seen():
            return True
        self._next_at = now + self._gap
        return False

    def _see_output(self, base, output):
        if base in self._uncalled:
            self._note_first(base, output)
        entry = self._shown
        if entry is not None and entry.base is base:
            self._take(entry, at(output, entry.path))

    def _see_parameter(self, parameter):
        entry = self._shown
        if entry is not None and entry.kind != ACTIVATION:
            self._take(entry, parameter.grad if entry.kind == GRADIENT else parameter)

    def _take(self, entry, tensor):
        """Copies a tensor and passes it on, if a copy is due."""
        if tensor is None or not self._lock.acquire(blocking=False):  # replicas of a module run on several threads
            return
        try:
            now = self._clock()
            if not self._is_due and (now < self._step_at + STEP_SECONDS or not self._may_copy(now)):
                return
            source = self._copy(entry, tensor)
            if source is not None:
                self._delivery.put("tensor", partial(self._show, entry.name, source))
        finally:
            self._lock.release()

    def _copy(self, entry, tensor):
        """A Source of a copy made on the current stream; None, with a warning, if the tensor cannot be read."""
        if tensor is None:
            return None
        began, source = self._clock(), None
        try:
            copy = copied(tensor)
            source = describe(copy, current_stream(copy))
            entry.form = source.shape, source.dtype
        except Exception as error:  # whatever it is, the training loop goes on
            self._warn(entry.name, error)
        now = self._clock()
        self._is_due, self._n_taken = False, self._n_taken + 1
        self._next_at = began + max(self._gap, (now - began) / self._share)
        return source

    def _warn(self, name, error):
        if name not in self._warned:
            self._warned.add(name)
            warn(f"gpuplot.watch cannot show {name!r}: {reason_of(error)}")

    # ---- outputs ------------------------------------------------------------------------------------------------------------

    def _note_first(self, base, output):
        """Finds the tensors of an output, when its module is called first."""
        self._uncalled.discard(base)
        try:
            paths = paths_of(output)
        except Exception as error:  # raised by the user's class
            self._warn(base.name, error)
            paths = []
        if len(paths) == 1:
            base.path = paths[0]
        else:
            self._replace(base, [base.part(path) for path in paths])
        base.hook.is_wanted = self._shown is not None and self._shown.base is base

    def _replace(self, base, parts):
        """Replaces an entry by several; if it was shown, the first of them is shown now."""
        entries = {}
        for name, entry in list(self._entries.items()):
            if entry is base:
                entries |= {part.name: part for part in parts}
            else:
                entries[name] = entry
        self._entries = entries
        if self._shown is base:
            self._shown = parts[0] if parts else None
        self._delivery.put("names", self._relist)


def _version(tensor):
    """torch's counter of writes to a tensor; None if it has none."""
    try:
        return None if tensor is None else tensor._version
    except RuntimeError:  # a tensor of inference mode
        return None


def _close(reference):
    sampler = reference()
    if sampler is not None:
        sampler.close()
