"""Reduced hidden axes: an element has the same bits whatever its neighbors are, as slices are added by whole rows where all are finite."""

import numpy as np
import pytest

import gpuplot

OPS = ["mean", "sum", "max", "min", "std", "norm"]
DTYPES = ["float16", "float32", "float64", "int8", "uint16", "int64", "bool"]


def hidden(X, op, **options):
    """The reduced elements, one a cell."""
    return gpuplot.downsample(X, X.shape[1:], reduce={0: op}, **options)


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("depth", [1, 2, 3, 5, 8, 13])
def test_a_nan_changes_no_other_element(op, dtype, depth):
    X = (np.random.default_rng(depth).normal(size=(depth, 3, 131)) * 100).astype(dtype)
    whole = hidden(X, op)
    X[depth // 2, :, 70] = np.nan
    found = hidden(X, op)
    assert np.isnan(found[:, 70]).all()
    found[:, 70] = whole[:, 70]
    assert found.tobytes() == whole.tobytes()


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_mask_changes_no_other_element(op, dtype):
    X = np.random.default_rng(1).integers(-9, 9, (6, 4, 97)).astype(dtype)
    mask = np.zeros(X.shape, bool)
    mask[2, 1, 5] = True
    whole, found = hidden(X, op), hidden(np.ma.array(X, mask=mask), op, nan="skip")
    found[1, 5] = whole[1, 5]
    assert found.tobytes() == whole.tobytes()


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_layouts_do_not_matter(op, dtype):
    X = np.random.default_rng(2).integers(-99, 99, (7, 5, 203)).astype(dtype)
    last = np.ascontiguousarray(np.moveaxis(X, 0, 2))  # the reduced axis is the dense one
    found = [hidden(X, op), hidden(X.astype(X.dtype.newbyteorder()), op), hidden(np.asfortranarray(X), op),
             hidden(np.repeat(X, 2, axis=2)[:, :, ::2], op), gpuplot.downsample(last, last.shape[:2], reduce={2: op}, y=0, x=1, rgb=False)]
    assert len({cells.tobytes() for cells in found}) == 1


@pytest.mark.parametrize(("op", "number"), [("mean", 0.0), ("sum", 0.0), ("max", -0.0), ("min", -0.0)])
def test_signs_of_zeros_do_not_depend_on_neighbors(op, number):
    X = np.full((3, 1, 66), -0.0)
    whole = gpuplot.to_rgba(X, (1, 66), reduce={0: op}, norm="symlog", vmin=-1, vmax=1)
    X[0, 0, 65] = np.nan
    assert (gpuplot.to_rgba(X, (1, 66), reduce={0: op}, norm="symlog", vmin=-1, vmax=1)[:, :65] == whole[:, :65]).all()
    assert hidden(X, op)[0, 0] == number


def test_sums_beyond_float64_are_found_again_by_scaled_elements():
    X = np.full((4, 2, 70), 1e308)
    X[::2] *= -0.5
    assert hidden(X, "mean") == pytest.approx(np.full((2, 70), 0.25e308))
    assert hidden(np.abs(X), "mean") == pytest.approx(np.full((2, 70), 0.75e308))
    assert hidden(np.abs(X), "sum").max() == np.finfo(float).max


@pytest.mark.parametrize("scale", [1e-200, 1e-320, 1e200])
def test_spreads_of_tiny_and_huge_elements(scale):
    X = np.random.default_rng(3).normal(size=(6, 2, 70)) * scale
    found, wanted = hidden(X, "std"), (X / scale * 2**60).std(0) / 2**60 * scale
    assert found == pytest.approx(wanted, rel=1e-6 if scale > 1e-300 else 1e-2)
