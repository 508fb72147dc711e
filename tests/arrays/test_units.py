"""Objects with units, of pint, astropy and xarray: their numbers, and the labels of their pictures."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import gpuplot
from gpuplot.arrays.describe import describe
from gpuplot.arrays.labelled import from_astropy

pytestmark = pytest.mark.host("what objects in host memory say about themselves")


@pytest.fixture
def xr():
    return pytest.importorskip("xarray")


def values():
    return np.arange(40, dtype="float32").reshape(5, 8)


def test_quantities_of_pint():
    units = pytest.importorskip("pint").UnitRegistry()
    X = units.Quantity(values(), "m/s")
    assert describe(X).array is X.magnitude
    im = gpuplot.imshow(X, ax=plt.figure().subplots(), colorbar=True)
    assert im.colorbar.ax.get_ylabel() == "[m/s]" and im.axes.get_xlabel() == ""
    assert gpuplot.imshow(X, ax=plt.figure().subplots(), colorbar=True, agg="count").colorbar.ax.get_ylabel() == ""
    with pytest.raises(gpuplot.UnsupportedError, match=r"make one quantity of its quantities, with Quantity\.from_list\(X\)"):
        gpuplot.stats([units.Quantity(1, "m"), units.Quantity(200, "cm")])
    assert gpuplot.stats(units.Quantity.from_list([units.Quantity(1, "m"), units.Quantity(200, "cm")])).max == 2
    plain = gpuplot.imshow(units.Quantity(values(), ""), ax=plt.figure().subplots(), colorbar=True)
    assert plain.colorbar.ax.get_ylabel() == ""
    torch = pytest.importorskip("torch")
    tensor = torch.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(gpuplot.downsample(units.Quantity(tensor, "K"), (2, 3)), tensor)


def test_units_inside_xarray(xr):
    units = pytest.importorskip("pint").UnitRegistry()
    X = xr.DataArray(units.Quantity(values(), "K"), name="t")
    assert gpuplot.imshow(X, ax=plt.figure().subplots(), colorbar=True).colorbar.ax.get_ylabel() == "t [K]"


def test_phases_have_no_unit(xr):
    X = xr.DataArray(values().astype("complex64"), attrs={"units": "V"}, name="u")
    for mode, label in (("phase", ""), ("amplitude", "u [V]")):
        im = gpuplot.imshow(X, ax=plt.figure().subplots(), complex_mode=mode, colorbar=True)
        assert im.colorbar.ax.get_ylabel() == label


def test_units_of_subclasses_of_ndarray():
    class Quantity(np.ndarray):
        unit = "erg / s"

    Quantity.__module__ = "astropy.units.quantity"
    X = values().view(Quantity)
    assert gpuplot.imshow(X, ax=plt.figure().subplots(), colorbar=True).colorbar.ax.get_ylabel() == "[erg / s]"
    Quantity.unit = ""
    assert describe(X).labels is None


def test_lists_of_quantities_of_astropy():
    units = pytest.importorskip("astropy.units")
    with pytest.raises(gpuplot.UnsupportedError, match=r"make one quantity of its quantities, with astropy\.units\.Quantity\(X\)"):
        gpuplot.asnumpy([1 * units.m, 2 * units.km])


def test_lists_of_quantities_like_those_of_astropy():
    class Quantity(np.ndarray):
        unit = "km"

        def to_value(self, unit):
            raise NotImplementedError

        def __float__(self):
            raise TypeError("only dimensionless scalar quantities can be converted to Python scalars")

    with pytest.raises(gpuplot.UnsupportedError, match=r"make one quantity of its quantities, with astropy\.units\.Quantity\(X\)"):
        gpuplot.asnumpy([np.array(1.0).view(Quantity)])


def test_an_image_like_those_of_astropy_is_masked_as_it_says():
    class Image:
        data, mask, unit = values(), values() > 30, "adu"

    Image.__module__ = "astropy.nddata"  # units are asked of libraries that have them
    found, labels = from_astropy(Image())
    np.testing.assert_array_equal(np.ma.getmask(found), Image.mask)
    np.testing.assert_array_equal(found.data, Image.data)
    assert labels.values == "[adu]"


def test_images_of_astropy():
    astropy = pytest.importorskip("astropy")
    from astropy.io import fits
    from astropy.nddata import CCDData
    from astropy.utils.masked import Masked

    assert astropy.__version__
    mask = values() > 30
    for X in (CCDData(values(), mask=mask, unit="adu"), Masked(values(), mask=mask)):
        source = describe(X)
        np.testing.assert_array_equal(np.ma.getmask(source.array), mask)
        assert gpuplot.downsample(X, (1, 1), nan="skip") == 15
    assert describe(CCDData(values(), unit="adu")).labels.values == "[adu]"
    assert describe(fits.ImageHDU(values())).shape == (5, 8)
