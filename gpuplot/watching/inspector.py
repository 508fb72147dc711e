"""The inspector of a running module: a menu of names, and the tensor of the chosen one."""

import traitlets

from ..inspector.lifetime import is_shown_by_nobody
from ..inspector.model.live import LiveCollection
from ..inspector.widget import Inspector
from ..weak_methods import weakly
from .sampler import Sampler

# Largest part of the loop's time that copies may take: with a page, and in a script without one.
SHARE, SHARE_OF_SCRIPTS = 0.1, 0.01


class ModuleInspector(Inspector):
    """An inspector that `gpuplot.watch` makes.

    Parameters
    ----------
    module : torch.nn.Module
    entries : list of Entry
    rate : float
    options, **keywords
        As for `Inspector`.
    """

    _sampler = None

    def __init__(self, module, entries, rate, options, **keywords):
        forms = {entry.name: entry.form for entry in entries}
        super().__init__(LiveCollection(forms, weakly(self._why_missing)), options, **keywords)
        is_script = is_shown_by_nobody(self.comm)
        self._sampler = Sampler(
            module, entries, rate, show=weakly(self._show_copy), relist=weakly(self._relist),
            is_seen=(lambda: True) if is_script else weakly(self._is_seen), share=SHARE_OF_SCRIPTS if is_script else SHARE)
        self._sampler.choose(self.item)

    def _why_missing(self):
        return "not there yet" if self._sampler is None else self._sampler.why_missing()

    def _is_seen(self):
        return self._controller.is_seen

    @traitlets.observe("item")
    def _choose(self, change):
        if self._sampler is not None:
            self._sampler.choose(change["new"])

    def _show_copy(self, name, source):
        """Shows a copy, if its name is still the chosen one."""
        if self._sampler.shown == name and not self._controller.is_closed:
            self._controller.update(source, name)

    def _relist(self):
        """Updates the menu to the sampler's present names."""
        if not self._controller.is_closed:
            self._controller.relist(self._sampler.forms, self._sampler.shown)

    def snapshot(self, *args, **keywords):
        # docstring inherited
        self._sampler.bring()
        super().snapshot(*args, **keywords)

    def to_figure(self):
        # docstring inherited
        self._sampler.bring()
        return super().to_figure()

    def close(self):
        # docstring inherited
        if self._sampler is not None:
            self._sampler.close()
        super().close()
