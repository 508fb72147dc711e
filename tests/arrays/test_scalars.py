"""Parameters that are one number (vmin, vmax, gamma, center, alpha, robust) take it from any scalar, and nothing else."""

import io
from decimal import Decimal
from fractions import Fraction
from unittest.mock import MagicMock

import numpy as np
import pytest
from matplotlib.figure import Figure
from scenes import pixels, scene_of

import gpuplot

A = np.arange(30.0).reshape(5, 6)

STYLED = {
    "to_rgba": gpuplot.to_rgba, "imsave": lambda X, **style: gpuplot.imsave(io.BytesIO(), X, **style),
    "imshow": lambda X, **style: gpuplot.imshow(X, ax=Figure().subplots(), **style), "inspect": scene_of,
}


class Deferred:
    """As dask's: every public attribute is another one, whose truth nobody knows."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return Deferred()

    def __bool__(self):
        raise TypeError("no truth")


NO_NUMBERS = [[1, 2], (1,), [], np.array([1.0, 2.0]), np.ones((2, 2)), "a", b"1", 1j, np.complex64(1), {}, {1}, float, MagicMock(),
              np.datetime64("2020-01-01"), np.timedelta64(1, "s"), np.ma.masked, np.array(None), Deferred()]


@pytest.mark.parametrize("function", STYLED)
@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda value: type(value).__name__)
def test_where_one_number_belongs_nothing_else_is_taken(value, function):
    """imshow(X, vmin=[1, 2]) took both limits from there, vmin="1" was a limit, and other mistakes ended in words about float()."""
    for name in ("vmin", "vmax"):
        with pytest.raises(TypeError, match=f"^{name} must be a number or None, not {type(value).__name__}"):
            STYLED[function](A, **{name: value})
    with pytest.raises(ValueError, match="(?s)^gamma=.* must be a number above zero"):
        STYLED[function](A, gamma=value)
    with pytest.raises(ValueError, match="(?s)^center=.* must be a number, True"):
        STYLED[function](A, center=value)
    if not (isinstance(value, np.ndarray) and value.ndim == 2):
        with pytest.raises(TypeError, match="alpha must be (numeric|a float, two-dimensional array,) or None"):
            STYLED[function](A, alpha=value)


@pytest.mark.parametrize("function", STYLED)
@pytest.mark.parametrize("value", [[1], [1, 2, 3], [2, 1], [0, 101], [0, "a"], [None, 1], 51, "a", np.timedelta64(1, "s"), {}], ids=repr)
def test_percentiles_are_one_number_or_two(value, function):
    with pytest.raises(ValueError, match="^robust=.* must be"):
        STYLED[function](A, robust=value)


@pytest.mark.parametrize("value", [np.float32(1), np.array(1), np.array([1.0]), Decimal(1), Fraction(1), np.ma.array(1.0),
                                   np.ones((1, 1), "i4")], ids=repr)
def test_numbers_of_any_kind_are_numbers(value):
    """A Fraction as gamma ended in words about formats in the inspector, a Decimal as center was refused."""
    for name in ("vmin", "gamma", "center", "robust"):
        if name != "vmin" or np.ndim(value) == 0:
            np.testing.assert_array_equal(pixels(scene_of(A, **{name: value})), pixels(scene_of(A, **{name: 1.0})))
        for function in ("to_rgba", "imsave"):
            made, expected = (STYLED[function](A, **{name: one}) for one in (value, 1.0))
            np.testing.assert_array_equal(made, expected)
        assert STYLED["imshow"](A, **{name: value}).get_clim() == STYLED["imshow"](A, **{name: 1.0}).get_clim()


def test_settings_of_percentiles_may_be_an_array():
    """`change` compared the array with what was set before."""
    scene = scene_of(A)
    scene.change({"robust": np.array([10, 90])})
    np.testing.assert_array_equal(pixels(scene), pixels(scene_of(A, robust=(10, 90))))


@pytest.mark.parametrize("gamma", [0, -1, np.nan, np.inf, pytest.param(10**400, id="huge")])
def test_gamma_is_a_number_above_zero(gamma):
    with pytest.raises(ValueError, match="must be a number above zero"):
        gpuplot.to_rgba(A, (2, 3), gamma=gamma)
