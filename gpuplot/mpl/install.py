"""`install` and `uninstall`: replace methods of matplotlib's Axes by ones that also take objects that matplotlib refuses."""

from __future__ import annotations

import contextvars
import functools
import importlib
import inspect
import sys
import threading
from typing import Any

from ..options import public
from .axes_choice import is_spatial
from .data_keyword import looked_up
from .refusals import is_extended, is_large, is_refused
from .summaries import show_summaries

# Methods of Axes -> names of the arguments that hold data; () means all positional ones.
DATA_ARGUMENTS = {"imshow": ("X",), "plot": (), "hist": ("x", "weights"), "hist2d": ("x", "y", "weights"), "scatter": ("x", "y", "s", "c")}

# Methods of Axes -> those of these arguments that matplotlib does not convert to float.
NOT_CONVERTED = {"imshow": ("X",), "hist": ("x", "weights"), "hist2d": ("x", "y", "weights"), "scatter": ("s",)}

# Methods that Axes of three dimensions build theirs on.
FLAT = ("plot", "scatter")

_lock = threading.Lock()
# True while gpuplot draws: a method of Axes that it calls is then matplotlib's own.
_is_inside = contextvars.ContextVar("gpuplot draws", default=False)


class _Patch:
    """A replaced method of Axes.

    Parameters
    ----------
    name : str
    original : function
        The method that was replaced.
    takes_large : bool
        Whether gpuplot also draws large arrays that matplotlib would take.
    signature : inspect.Signature
        Of matplotlib's own method, as a wrapper that another library put around it may have lost it.
    """

    def __init__(self, name, original, takes_large, signature):
        self.name, self.original, self.takes_large, self.signature = name, original, takes_large, signature
        self.is_active = True
        self.method = self._made()

    def _made(self):
        """The new method, with the name, signature and docstring of the one that it replaces."""
        @functools.wraps(self.original)
        def method(ax, *args, **keywords):
            if not self.is_active or _is_inside.get() or (self.name in FLAT and is_spatial(ax)):
                return self.original(ax, *args, **keywords)
            values = self._data(ax, args, keywords)
            if any(is_refused(value, self.name == "imshow") for value in values):
                return self._draw(ax, args, keywords)
            if self._has_extended(values):
                return self._draw(ax, *self._as_in_matplotlib(args, keywords))
            is_of_pandas = self.name == "scatter" and _is_called_by_pandas()
            if self.takes_large and not is_of_pandas and self._knows_large(ax, args, keywords, values):
                try:
                    return self._draw(ax, *self._as_in_matplotlib(args, keywords))
                except (TypeError, ValueError, AttributeError):  # such as a size for each point, or a hatch: matplotlib draws it
                    pass
            return self.original(ax, *args, **keywords)
        return method

    def _knows_large(self, ax, args, keywords, values):
        """Whether the `values` of a call have a large array, and gpuplot's function all keywords of it."""
        return any(map(is_large, values)) and not self._unknown(self._arguments(ax, args, keywords)[1])

    def _data(self, ax, args, keywords):
        """The arguments that hold data, with texts replaced by what ``data=`` holds under them."""
        held = keywords.get("data")
        if self.name == "plot":
            values = list(args)
        else:
            try:
                given = self.signature.bind(ax, *args, **keywords).arguments
            except TypeError:  # matplotlib says which argument is missing
                return []
            values = [given.get(name) for name in DATA_ARGUMENTS[self.name]]
        return [looked_up(value, held) for value in values]

    def _has_extended(self, values):
        """Whether an argument has a dtype that another library added to NumPy, and matplotlib computes in this."""
        names = NOT_CONVERTED.get(self.name, ())
        return any(name in names and is_extended(value) for name, value in zip(DATA_ARGUMENTS[self.name], values, strict=False))

    def _as_in_matplotlib(self, args, keywords):
        """The arguments, of which gpuplot makes what matplotlib would: in its histograms the columns of an array are a data set each."""
        if self.name != "hist":
            return args, keywords
        held = keywords.get("data")
        columns = {name: _columns(value, held) if name in ("x", "weights") else value for name, value in keywords.items()}
        return tuple(_columns(value, held) for value in args[:1]) + args[1:], columns

    def _arguments(self, ax, args, keywords):
        """(positional arguments, keywords) for gpuplot's function, without those that it lacks and that have matplotlib's default."""
        if self.name == "plot":
            return args, keywords
        given = self.signature.bind(ax, *args, **keywords)
        named = {name: value for name, value in given.arguments.items() if name not in ("self", "kwargs")}
        named |= given.arguments.get("kwargs", {})
        if named.get("data") is not None and "data" in self._unknown(named):
            held = named.pop("data")
            named = {name: looked_up(value, held) if name in DATA_ARGUMENTS[self.name] else value for name, value in named.items()}
        first = [named.pop(name) for name in ("X", "x", "y") if name in named and name in DATA_ARGUMENTS[self.name]]
        unknown = self._unknown(named)
        defaults = {name: self.signature.parameters[name].default for name in unknown if name in self.signature.parameters}
        return tuple(first), {name: value for name, value in named.items() if name not in defaults or value is not defaults[name]}

    def _unknown(self, keywords):
        """Names of keywords that gpuplot's function does not take; none if it passes properties on to matplotlib."""
        parameters = inspect.signature(_function(self.name)).parameters
        passes_on = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
        return {name for name in keywords if name not in parameters and (name in self.signature.parameters or not passes_on)}

    def _draw(self, ax, args, keywords):
        args, keywords = self._arguments(ax, args, keywords)
        token = _is_inside.set(True)
        try:
            return _function(self.name)(*args, ax=ax, **keywords)
        finally:
            _is_inside.reset(token)


def _columns(value, held):
    """The columns of an array of two axes, or of one that ``data=`` holds, as a list; others unchanged, as are tables."""
    array = looked_up(value, held)
    if getattr(array, "ndim", 0) != 2 or hasattr(array, "columns"):
        return value
    return [array[:, i] for i in range(array.shape[1])]


def _is_called_by_pandas():
    """Whether pandas calls a method of Axes that was replaced: the colorbar of its scatter is that of the last of ``Axes.collections``."""
    return str(sys._getframe(2).f_globals.get("__name__")).startswith("pandas.plotting")


def _package():
    return importlib.import_module(__package__.partition(".")[0])


def _function(name):
    """gpuplot's function of this name."""
    return getattr(_package(), name)


# Name of a method -> all patches of it; the last one is in force.
_patches: dict[str, list[_Patch]] = {}


@public
def install(all: bool = False, summaries: bool = False) -> None:
    """Lets ``plt.imshow``, ``plt.hist``, ... and the methods of Axes take tensors that matplotlib refuses.

    What matplotlib can draw still goes to matplotlib, unchanged. Tensors that it refuses (on a GPU, with gradients, of dtypes or shapes
    that it does not draw) go to gpuplot's function of the same name, with the same arguments. Only methods of `matplotlib.axes.Axes` are
    replaced; signatures and docstrings stay. `uninstall` puts them back. In notebooks
    ``%load_ext gpuplot`` calls this, too.

    Parameters
    ----------
    all : bool, default: False
        Arrays of more than 2**20 elements that matplotlib would take go to gpuplot, too, if it knows all keywords of the call and
        refuses none of the arguments.
    summaries : bool, default: False
        In IPython and notebooks a tensor of more than 1000 elements that is the last line of a cell is shown as one line of
        statistics, by IPython's own formatters. Reads all its elements.

    Raises
    ------
    RuntimeError
        `summaries` without IPython.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, numpy as np, gpuplot
    >>> gpuplot.install()
    >>> waves = np.fft.fft2(np.eye(64))                      # complex numbers, which matplotlib refuses
    >>> plt.imshow(waves)
    <gpuplot.mpl.images.image.TensorImage object at ...>
    >>> gpuplot.uninstall()
    """
    from matplotlib.axes import Axes

    with _lock:
        show_summaries(summaries)
        for name in DATA_ARGUMENTS:
            if name in _package().__all__:
                _patch(Axes, name, bool(all))


def _patch(Axes, name, takes_large):
    """Replaces a method of Axes; activates the last patch instead if that is still called, be it through another library's wrapper."""
    present, patches = getattr(Axes, name), _patches.setdefault(name, [])
    if patches and _is_reached(present, patches[-1].method):
        patches[-1].is_active, patches[-1].takes_large = True, takes_large
        return
    for patch in patches:
        patch.is_active = False
    signature = patches[0].signature if patches else inspect.signature(present)
    patches.append(_Patch(name, present, takes_large, signature))
    setattr(Axes, name, patches[-1].method)


def _is_reached(function, method):
    """Whether a function is `method`, or a wrapper of it made with functools.wraps."""
    while function is not None:
        if function is method:
            return True
        function = getattr(function, "__wrapped__", None)
    return False


def uninstall() -> None:
    """Puts back what `install` replaced.

    A method that another library has wrapped since then stays as that library made it, and calls matplotlib's alone.

    Examples
    --------
    >>> import gpuplot, matplotlib.axes
    >>> before = matplotlib.axes.Axes.imshow
    >>> gpuplot.install()
    >>> gpuplot.uninstall()
    >>> matplotlib.axes.Axes.imshow is before
    True
    """
    from matplotlib.axes import Axes

    with _lock:
        show_summaries(False)
        for name, patches in _patches.items():
            for patch in reversed(patches):
                patch.is_active = False
                if getattr(Axes, name) is patch.method:
                    setattr(Axes, name, patch.original)


def load_ipython_extension(ipython: Any) -> None:
    """What ``%load_ext gpuplot`` calls: `install`."""
    install()


def unload_ipython_extension(ipython: Any) -> None:
    """What ``%unload_ext gpuplot`` calls: `uninstall`."""
    uninstall()
