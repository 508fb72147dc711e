"""The part of `Scene` for color limits that a user chooses: a policy, two numbers, or a button of the page."""

from dataclasses import replace

import numpy as np

from .facts import nice_range
from .settings import check_window
from .view_state import ViewState
from .viewport import Viewport


class LimitControls:
    """The part of `Scene` for color limits."""

    @property
    def limits(self):
        """(vmin, vmax) where both were given, else their source: "auto", "elements" or "pixels"."""
        settings = self._view_state.settings
        return settings.limits if None in settings.given_limits else settings.given_limits

    def set_limits(self, how, region, window=None):
        """Applies a button of the histogram.

        Parameters
        ----------
        how : {"auto", "full", "robust", "snap"}
            ``limits="auto"``; the range of the elements; that range without 2 percent at either end; or the first of 0..1, -1..1
            and 0..255 that contains them, ValueError if none does.
        region : {"view", "slice", "all", "selection"}
            Which elements. Those of "view" stay the same when the window moves.
        window : sequence of 4 floats, optional
            The present window, for "view".
        """
        self._check_open()
        if not isinstance(how, str) or how not in ("auto", "full", "robust", "snap"):
            raise ValueError("limits: how is one of auto, full, robust, snap")
        robust = (self._options["robust"] or True) if how == "robust" else False
        settings = self._view_state.settings.changed(
            {"vmin": None, "vmax": None, "limits": "auto" if how == "auto" else "elements", "robust": robust,
             "region": "slice" if how == "auto" else region}, self._palette)
        view_state = ViewState.of(self._view_state.item, settings)
        if region == "view":
            view_state = with_box(view_state, self._viewport if window is None else Viewport(check_window(window), (1, 1)))
        if how == "snap":
            low, high = nice_range(self._coloring.limits(view_state, self._viewport))
            view_state = ViewState.of(view_state.item, replace(view_state.settings, vmin=low, vmax=high))
        self._drop_found_limits()
        self._show(view_state)

    def _drop_found_limits(self):
        """Makes the next frame compute limits again."""
        self._coloring.drop_limits()
        self.version += 1


def expand_limits(values):
    """Values with `limits` replaced by the fields that it sets: a pair gives both limits, a policy resets them.

    vmin and vmax among the values take precedence.
    """
    if "limits" not in values:
        return values
    limits, rest = values["limits"], {name: value for name, value in values.items() if name != "limits"}
    if isinstance(limits, str):
        return {"limits": limits, "vmin": None, "vmax": None, "region": "slice"} | rest
    if not isinstance(limits, (tuple, list, np.ndarray)) or len(limits) != 2 or any(limit is None for limit in limits):
        raise TypeError("limits is 'auto', 'elements', 'pixels' or a pair of numbers (vmin, vmax); to give one limit, set vmin or vmax")
    return dict(zip(("vmin", "vmax"), limits, strict=True)) | rest


def with_box(view_state, viewport):
    """A ViewState whose limits are found from the elements of a viewport."""
    box = None if viewport is None else viewport.box(view_state.shape)
    return ViewState.of(view_state.item, replace(view_state.settings, box=box))
