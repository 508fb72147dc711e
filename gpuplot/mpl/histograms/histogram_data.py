"""The arguments of `hist` and `hist2d` -> datasets to count; and the warning about elements outside of all bins."""

import numpy as np

from ...arrays.chunks_together import check_together
from ...arrays.cuda_arrays import has_interface
from ...arrays.dataframes import columns_of
from ...arrays.describe import describe, describe_whole
from ...arrays.dlpack import has_dlpack
from ...arrays.lazy_arrays import is_large
from ...arrays.literals import counted, has_items, items_of_view
from ...arrays.optional_imports import attribute
from ...arrays.pil_images import samples_of
from ...arrays.tensor_tree import named_tensors, pairs_in_list
from ...dtype_classes import is_complex
from ...errors import UnsupportedError, naming, naming_entry
from ...notices import not_counted_text, warn
from ...statistics.measure import device_name
from ...statistics.numpy_histogram import Dataset
from ...transfer.asnumpy import asnumpy
from ..axis_units import by_converter, in_units, is_unsafe, labeled_as, order_categories

# Maximum number of columns of a table that are drawn beside each other.
MAX_COLUMNS = 64

_LISTS = (list, tuple, range)


def datasets_of(X, stream, axis=None, is_one=False, lists=(), **how):
    """The labels and datasets of one tensor or several; `how` has the keywords of `describe_whole`.

    `axis` is the matplotlib axis that converts dates and texts. A list of lists is several tensors, or one with `is_one`. The columns
    of a table are a dataset each. Single numbers that have names beside arrays are left out, unless one of `lists`, such as labels, has
    an item for each tensor, and for them.

    Returns
    -------
    (list of str or None, list of Dataset)
        None where tensors have no names.
    """
    X = samples_of(pairs_in_list(items_of_view(X)))
    columns = columns_of(X)
    if columns is not None:
        return _datasets_of_table(X, columns, stream, axis, how)
    named = named_tensors(X if is_one else _lists_apart(X, stream))
    if named is None:
        return None, [dataset_of(source_of(X, stream, axis, **how))]
    if not named:
        raise ValueError("there are no tensors to count: the collection is empty, or has nothing but text and None")
    names = [name for name, _ in named]
    is_counted = names == [str(i) for i, _ in enumerate(names)]
    datasets = []
    for name, value in named:
        with naming_entry(name):
            datasets.append(dataset_of(source_of(value, stream, axis, **how)))
    if not is_counted and not any(isinstance(one, (list, tuple)) and len(one) == len(names) for one in lists):
        names, datasets = _without_numbers(names, datasets)
    return None if is_counted else names, datasets


def _without_numbers(names, datasets):
    """Names and datasets without single numbers beside arrays: counters of a model, such as ``num_batches_tracked``, widen all bins."""
    kept = [k for k, dataset in enumerate(datasets) if dataset.source.ndim] or range(len(datasets))
    return [names[k] for k in kept], [datasets[k] for k in kept]


def _datasets_of_table(X, columns, stream, axis, how):
    """Names and datasets of the columns of a table, all of numbers, or all of texts or dates."""
    if not columns or len(columns) > MAX_COLUMNS:
        raise ValueError(f"the {type(X).__name__} has {len(columns):,} columns, and 1 to {MAX_COLUMNS} are drawn: choose some, "
                         "X[names], or count the elements of all together, X.to_numpy()")
    try:
        return [name for name, _ in columns], [dataset_of(describe_whole(column, stream, **how)) for _, column in columns]
    except UnsupportedError:
        converted = None if any(_has_numbers(column) for _, column in columns) else [_all_in_units(column, axis) for _, column in columns]
        if converted is None or any(one is None for one in converted):
            describe(X)  # whose error names the columns without numbers
            raise
    return [name for name, _ in columns], [dataset_of(describe(one)) for one in converted]


def _has_numbers(column):
    try:
        describe(column)
    except UnsupportedError:
        return False
    return True


def _lists_apart(X, stream):
    """A list of lists, among which may be arrays, as a list of arrays: each is a dataset of its own, as in `Axes.hist`."""
    if not issubclass(type(X), (list, tuple)) or not has_items(X) or not any(isinstance(one, _LISTS) for one in X):
        return X
    if not all(_is_flat(one) if isinstance(one, _LISTS) else attribute(one, "shape") for one in X):
        return X
    return [_in_one(one, stream) if isinstance(one, _LISTS) else one for one in X]


def _in_one(values, stream):
    """A list as an array, or as the Source of scalars that NumPy cannot read."""
    try:
        return np.asarray(counted(values))
    except Exception:  # of scalars with a gradient or on a GPU, in the words of their library
        return describe(values, stream)


def _is_flat(values):
    return not has_items(values) or not any(isinstance(value, (list, tuple, dict)) or attribute(value, "shape") for value in values)


def source_of(value, stream, axis, **how):
    """The Source of a tensor, or of dates and texts that the axis converts to numbers; `how` as for `datasets_of`."""
    value = by_converter(value, axis)
    try:
        return describe_whole(value, stream, **how)
    except UnsupportedError:
        converted = None if issubclass(type(value), (str, bytes)) else _all_in_units(value, axis)
        if converted is None:
            raise
        return labeled_as(value, describe(converted))


def _all_in_units(values, axis):
    """Dates or texts of any shape as numbers of an axis, float64; None for other objects."""
    try:
        array = None if is_large(values) or is_unsafe(values) else np.asarray(counted(values))
    except Exception:  # any object may come here; the caller has the better error
        array = None
    if array is None:
        return None
    order_categories(values, axis)
    is_nothing = array.dtype == object and all(value is None for value in array.flat)  # which matplotlib takes for missing dates
    converted = None if is_nothing else in_units(array.ravel(), axis)
    return None if converted is None else converted.reshape(array.shape)


def dates_in_units(values, axis):
    """Edges or range: dates and quantities become numbers of an axis, tensors that NumPy cannot read arrays; others are unchanged."""
    if values is None or isinstance(values, (str, int)):
        return values
    values = by_converter(values, axis)
    try:
        array = np.asarray(counted(values))
    except Exception:  # the check of edges has the better error
        return edges_on_host(values)
    if array.ndim == 0 and array.dtype == object:
        return edges_on_host(values)
    converted = in_units(array, axis) if array.ndim == 1 and array.dtype.kind in "OM" else None
    return values if converted is None else converted


def edges_on_host(values):
    """The numbers of a tensor in host memory; what is no tensor is returned unchanged, for the check of edges to refuse."""
    if not has_dlpack(values) and not has_interface(values):
        return values
    try:
        return asnumpy(values)
    except (TypeError, ValueError):
        return values


def dataset_of(source):
    """The elements of one tensor, which must be real numbers."""
    if is_complex(source.dtype):
        raise UnsupportedError(f"a histogram counts real numbers, and the tensor is {source.dtype}: give its abs(), .real or .imag")
    return Dataset(source)


def weights_of(weights, datasets, stream, **how):
    """A Source or None for each tensor; an error for weights whose shape or device is not the tensor's."""
    with naming("weights"):
        given = datasets_of(weights, stream, is_one=len(datasets) == 1, **how)[1]
    if len(given) != len(datasets):
        raise ValueError(f"weights are of {len(given)} tensor{'s' * (len(given) != 1)}, and there are {len(datasets)} to count")
    for one, weight in zip(datasets, given, strict=True):
        check_alike("weights", weight.source, "the tensor", one.source)
        check_together({"x": one.source, "weights": weight.source})
    return given


def check_alike(name, source, other_name, other):
    """ValueError for two tensors of different shapes, or on different devices."""
    if source.shape != other.shape:
        raise ValueError(f"{name} has shape {source.shape}, and {other_name} {other.shape}: they must be alike")
    if source.device != other.device:
        raise ValueError(f"{name} is on {device_name(source)}, and {other_name} on {device_name(other)}: move one to the other's device")


def count_all(datasets, edges, weights):
    """(counts of the bins, or sums of weights; a dict of the elements in no bin, by reason), each a list with an item for each tensor.

    `edges` are `Edges`; `weights` has a Dataset or None for each tensor.
    """
    counted = [_count_bins(dataset, edges, weight) for dataset, weight in zip(datasets, weights, strict=True)]
    left_out = [_left_out_of(dataset, n) for dataset, (_, n) in zip(datasets, counted, strict=True)]
    return [values for values, _ in counted], left_out


def _count_bins(dataset, edges, weights):
    """For one tensor: (counts of the bins, or sums of weights; number of elements in any bin)."""
    if weights is not None:
        return dataset.add_up(edges.values, edges.limits, weights)
    counts = dataset.count(edges.values, edges.limits)
    return counts, int(counts.sum())


def _left_out_of(dataset, n_counted):
    """A dict of the elements of a tensor that are in no bin, by reason. The tensor is only read if there are some."""
    names = "nan", "pos_inf", "neg_inf", "masked"
    n_rest = dataset.source.size - n_counted
    counts = {name: getattr(dataset.kinds, name) if n_rest else 0 for name in names}
    return counts | {"outside": n_rest - sum(counts.values())}


def warn_of_left_out(datasets, left_out):
    """Warns of NaN and infinities, once for all tensors; `left_out` has a dict of counts for each."""
    totals = [sum(one[name] for one in left_out) for name in ("nan", "pos_inf", "neg_inf")]
    if any(totals):
        warn(not_counted_text(*totals, sum(one.source.size for one in datasets)))
