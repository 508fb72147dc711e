"""The components of complex numbers of any magnitude and layout, by loops over vectors and one by one."""

import numpy as np
from matrix import matrix

import gpuplot
from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.plane.native_plane import native_plane
from gpuplot.plane.view import choose

SHAPE = 3, 700  # rows are longer than what is looked at together
# Powers of ten: squares of tiny and huge ones are out of range.
MAGNITUDES = {"c8": {"some": (-2, 2), "tiny": (-44, -37), "huge": (19, 38), "any": (-44, 38)},
              "c16": {"some": (-2, 2), "tiny": (-300, -170), "huge": (150, 307), "any": (-300, 307)}}


def unit(z):
    """z / |z|, 0 for 0: of numbers scaled to about 1, as |z| may be out of range."""
    scale = np.exp2(np.frexp(np.maximum(abs(z.real), abs(z.imag)))[1].astype(float) / 2)
    scaled = z.real / scale / scale + 1j * (z.imag / scale / scale)
    return np.where(z == 0, 0, scaled / np.where(z == 0, 1, np.hypot(scaled.real, scaled.imag)))


COMPONENTS = {"abs": lambda z: np.hypot(z.real, z.imag), "abs2": lambda z: z.real**2 + z.imag**2, "unit_re": lambda z: unit(z).real,
              "unit_im": lambda z: unit(z).imag, "sum_re": np.real, "sum_im": np.imag}


def numbers(dtype, magnitude, has_bad):
    rng = np.random.default_rng(5)
    parts = rng.choice((-1, 1), (2, *SHAPE)) * 10 ** rng.uniform(*MAGNITUDES[dtype.strip(">")][magnitude], (2, *SHAPE))
    z = parts[0] + 1j * parts[1]
    z[0, 5], z[1, 256], z[2, -1] = 0, -1 - 0j, 1j
    if has_bad:
        z[0, 255], z[1, 3], z[2, 600] = complex(np.nan, 1), complex(1, np.inf), complex(-np.inf, np.nan)
    return z.astype(dtype)


def cells(z, component):
    """The component of each element."""
    source = describe(z)
    rows, cols = (_native.Axis(n, 0, n, n, nearest=True) for n in z.shape)
    with source.borrow() as tensor:
        plane = native_plane(tensor, choose(source.shape, None, source.dtype), component=component)
        return _native.reduce(plane, rows, cols, "mean", "show")[0].numpy().copy()


@matrix(component=COMPONENTS, dtype=("c8", "c16", ">c8", ">c16"), magnitude=MAGNITUDES["c8"], has_bad=(False, True),
        layout=("dense", "stepped", "backwards"))
def test_components(component, dtype, magnitude, has_bad, layout):
    z = numbers(dtype, magnitude, has_bad)
    laid = {"dense": z, "stepped": np.repeat(z, 3, axis=1)[:, ::3], "backwards": np.ascontiguousarray(z[:, ::-1])[:, ::-1]}[layout]
    got, exact = cells(laid, component), z.astype("c16")
    is_finite = np.isfinite(exact)
    with np.errstate(all="ignore"):
        want = COMPONENTS[component](np.where(is_finite, exact, 0))
    want = np.minimum(want, np.finfo(float).max)  # what is beyond float64 is held there
    np.testing.assert_allclose(got[is_finite], want[is_finite], rtol=1e-15, atol=5e-324)
    assert np.isnan(got[~is_finite & np.isnan(exact)]).all()
    assert (got[~is_finite & ~np.isnan(exact)] == np.inf).all()


def test_pictures_of_angles_do_not_search_for_limits(monkeypatch):
    """The angle of each element takes many times as long as all else."""
    z, limits = numbers("c8", "some", False), _native.limits
    pixels = gpuplot.to_rgba(z, (3, 70), complex_mode="phase")
    monkeypatch.setattr(_native, "limits", lambda plane, want: limits(plane, want & _native.WANT_COUNTS or -1))
    np.testing.assert_array_equal(gpuplot.to_rgba(z, (3, 70), complex_mode="phase"), pixels)
    np.testing.assert_array_equal(gpuplot.to_rgba(z, (3, 70), complex_mode="phase", vmin=-np.pi, vmax=np.pi), pixels)
