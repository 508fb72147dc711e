"""``install(summaries=True)``: IPython shows large tensors as one line of statistics."""

import math

from ..arrays.optional_imports import attribute, loaded
from ..statistics.stats import stats

# Types of tensors by module and name, so that nothing is imported.
TYPES = (("numpy", "ndarray"), ("torch", "Tensor"), ("torch.nn.parameter", "Parameter"), ("cupy", "ndarray"), ("jaxlib._jax", "ArrayImpl"),
         ("jaxlib.xla_extension", "ArrayImpl"), ("tensorflow.python.framework.ops", "EagerTensor"))

# Above this NumPy's own text leaves elements out.
MAX_WRITTEN_OUT = 1000

# (IPython's formatter, its functions for TYPES before the change); None where nothing is changed.
_changed = None


def show_summaries(is_wanted):
    """Switches the summaries on or off; RuntimeError if they are wanted outside of IPython."""
    global _changed
    formatter = _formatter()
    if is_wanted and formatter is None:
        raise RuntimeError("summaries=True is for IPython and notebooks, and this program is neither: call gpuplot.stats(X)")
    if _changed is not None:
        _put_back(*_changed)
        _changed = None
    if is_wanted:
        _changed = formatter, {kind: formatter.for_type_by_name(*kind, _write) for kind in TYPES}


def _formatter():
    """IPython's formatter of plain text; None outside of IPython."""
    get_ipython = loaded("IPython.get_ipython")
    shell = get_ipython() if callable(get_ipython) else None
    return None if shell is None else shell.display_formatter.formatters["text/plain"]


def _put_back(formatter, before):
    for (module, name), function in before.items():
        formatter.pop(f"{module}.{name}", None)
        if function is not None:
            formatter.for_type_by_name(module, name, function)


def _write(tensor, printer, cycle):
    """The function that IPython calls to write a tensor."""
    printer.text(_summary(tensor) or repr(tensor))


def _summary(tensor):
    """One line of statistics; None for small tensors, and for those that cannot be read."""
    try:
        if math.prod(attribute(tensor, "shape")) <= MAX_WRITTEN_OUT:
            return None
        return repr(stats(tensor))
    except (TypeError, ValueError, RuntimeError):  # no numbers, no shape, or a device that cannot be used
        return None
