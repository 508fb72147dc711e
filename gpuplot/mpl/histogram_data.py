"""What callers hand to `hist` and `hist2d` -> datasets that can be counted; what to say of elements that are in no bin."""

from ..arrays.describe import describe_whole
from ..arrays.tensor_tree import named_tensors
from ..errors import UnsupportedError
from ..notices import not_counted_text, warn
from ..statistics.measure import device_name
from ..statistics.numpy_histogram import Dataset


def datasets_of(X, stream, **how):
    """The labels and datasets of one tensor or several; `how` is as of `describe_whole`.

    Returns
    -------
    (list of str or None, list of Dataset)
        None where tensors have no names.
    """
    named = named_tensors(X)
    if named is None:
        return None, [dataset_of(describe_whole(X, stream, **how))]
    if not named:
        raise ValueError("there are no tensors to count: the collection is empty, or has nothing but text and None")
    names = [name for name, _ in named]
    is_counted = names == [str(i) for i, _ in enumerate(names)]
    return None if is_counted else names, [dataset_of(describe_whole(value, stream, **how)) for _, value in named]


def dataset_of(source):
    """The elements of one tensor, which must be real numbers."""
    if source.dtype.startswith("complex"):
        raise UnsupportedError(f"a histogram is of real numbers, and the tensor is {source.dtype}: give its abs(), .real or .imag")
    return Dataset(source)


def weights_of(weights, datasets, stream, **how):
    """The weights of each tensor; where they do not fit it, an error."""
    given = datasets_of(weights, stream, **how)[1]
    if len(given) != len(datasets):
        raise ValueError(f"weights are of {len(given)} tensor{'s' * (len(given) != 1)}, and there are {len(datasets)} to count")
    for one, weight in zip(datasets, given, strict=True):
        check_alike("weights", weight.source, "the tensor", one.source)
    return given


def check_alike(name, source, other_name, other):
    """Refuses two tensors whose elements do not belong together, or that no device sees both."""
    if source.shape != other.shape:
        raise ValueError(f"{name} has shape {source.shape}, and {other_name} {other.shape}: they must be alike")
    if source.device != other.device:
        raise ValueError(f"{name} is on {device_name(source)}, and {other_name} on {device_name(other)}: move one to the other's device")


def count_bins(dataset, edges, weights):
    """(counts, or sums of weights, of the bins; how many elements are in a bin) of one tensor; `edges` are `Edges`."""
    if weights is not None:
        return dataset.add_up(edges.values, edges.limits, weights)
    counts = dataset.count(edges.values, edges.limits)
    return counts, int(counts.sum())


def say_what_is_left_out(datasets, left_out):
    """Warns about NaN and infinities, once for all tensors; `left_out` has a dict of counts for each."""
    totals = [sum(one[name] for one in left_out) for name in ("nan", "pos_inf", "neg_inf")]
    if any(totals):
        warn(not_counted_text(*totals, sum(one.source.size for one in datasets)))
