"""Elements, Axes and comparisons for tests of `hist`."""

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

FLOATS = ("float16", "float32", "float64")
INTEGERS = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64")


def sample(dtype, shape=(60, 70), seed=0):
    """Elements of a dtype that fill most of what it has, with ends that are not nice numbers."""
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    return (rng.normal(size=shape) * 3.3).astype(dtype)


def axes():
    return Figure().subplots()


def drawn(patches):
    """The outlines of all patches in a container of them, or in several."""
    if isinstance(patches, mpl.container.BarContainer) or not isinstance(patches[0], (list, mpl.container.BarContainer)):
        patches = [patches]
    return [patch.get_path().transformed(patch.get_patch_transform()).vertices for some in patches for patch in some]


def assert_same_drawing(ours, theirs):
    """The same n, bins and patches, in Axes with the same limits."""
    (n, bins, patches), (want_n, want_bins, want_patches) = ours, theirs
    np.testing.assert_array_equal(n, want_n)
    np.testing.assert_array_equal(bins, want_bins)
    assert (n.dtype, bins.dtype) == (want_n.dtype, want_bins.dtype)
    assert type(patches) is type(want_patches)
    got, want = drawn(patches), drawn(want_patches)
    assert len(got) == len(want)
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one, other)
