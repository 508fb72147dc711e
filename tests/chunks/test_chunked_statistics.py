"""Statistics and histograms of arrays in chunks are those of the whole array, in few passes."""

import numpy as np
import pytest
from chunked_arrays import cut_arrays, numbers
from effort import examples
from hypothesis import given
from pieces import in_pieces

import gpuplot
from gpuplot.errors import UnsupportedError
from gpuplot.statistics import chunked_slices

pytestmark = pytest.mark.host("chunks are read by the host; what becomes of them on a device is test_partial_cells's")


@given(cut_arrays())
@examples(80)
def test_any_cut_gives_the_statistics_of_the_whole(case):
    array, source, _, options = case
    region = options["view"] if array.ndim > 1 else None
    got, want = (gpuplot.stats(X, region=region, bins=7, percentiles=(3, 80)) for X in (source, array))
    rounded = {"mean", "std", "l2"}
    for name in ("nan", "neg_inf", "neg", "zero", "pos", "pos_inf", "masked", "subnormal", "min", "max", "absmax", "median", "argmin",
                 "argmax", "first_nan", "hist", "bin_edges", "numel", "nbytes"):
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name), err_msg=name)
    assert got.percentiles.keys() == want.percentiles.keys()
    np.testing.assert_array_equal(list(got.percentiles.values()), list(want.percentiles.values()))
    size = 1.0 if np.isnan(want.absmax) else float(want.absmax)
    for name in rounded:
        np.testing.assert_allclose(getattr(got, name), getattr(want, name), rtol=1e-9, atol=1e-12 * size, err_msg=name)


@pytest.mark.parametrize("chunks", [(4, 3), (3, 2), (1, 3)])
@pytest.mark.parametrize("axis", [0, 1])
def test_places_of_extremes_in_chunks_that_repeat_elements(chunks, axis):
    """In a chunk that is broadcast along an axis they were counted as if it were not."""
    X = np.broadcast_to(np.expand_dims(np.array([1, np.nan, 9, 3][axis:], "f4"), 1 - axis), (4, 3))
    found, whole = gpuplot.stats(in_pieces(X, chunks)[0]), gpuplot.stats(X.copy())
    assert (found.argmin, found.argmax, found.first_nan) == (whole.argmin, whole.argmax, whole.first_nan)


def test_passes_of_statistics():
    source, engine = in_pieces(np.random.default_rng(1).normal(size=(400, 500)).astype("float32"), (100, 100))
    gpuplot.stats(source, value_range=(-1, 1), percentiles=())
    assert set(engine.take_reads().values()) == {3}  # counts, bins, and the elements, of which one is the median
    gpuplot.hist(source, 50, range=(-1, 1))
    assert set(engine.take_reads().values()) <= {1, 2}  # bins, and what is in none
    gpuplot.stats(source, region=((0, 50), (120, 180)))
    assert set(engine.take_reads()) == {(0, 1)}


@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8", "bool"])
@pytest.mark.parametrize("bins", [30, "fd", "sturges", [-1, 0, 0, 2]])
def test_histograms_are_those_of_numpy(dtype, bins):
    rng = np.random.default_rng(2)
    array = rng.integers(-2**62, 2**62, (60, 70)) if dtype == "int64" and bins == 30 else numbers(rng, dtype, (60, 70))
    n, edges, _ = gpuplot.hist(in_pieces(array, (13, 40))[0], bins)
    plain = array.astype("uint8") if dtype == "bool" else array
    want, want_edges = np.histogram(plain, bins)
    np.testing.assert_array_equal(n, want)
    np.testing.assert_array_equal(edges, want_edges)


def test_statistics_of_an_image():
    array = np.random.default_rng(1).normal(size=(3, 1200, 1000)).astype("float32")
    source, engine = in_pieces(array, (1, 400, 500))
    image = gpuplot.imshow(source, index={0: 1})
    engine.take_reads()
    found = image.stats()
    assert (found.min, found.argmax) == (array[1].min(), (1, *np.unravel_index(array[1].argmax(), (1200, 1000))))
    assert {index[0] for index in engine.take_reads()} == {1}
    assert image.stats("all").max == array.max()


def check_slices(array, source, **how):
    """Statistics of slices of chunks are those of the array in memory."""
    got, want = (gpuplot.stats(X, bins=7, percentiles=(5,), **how) for X in (source, array))
    for name in ("nan", "neg", "pos_inf", "masked", "min", "max", "argmin", "argmax", "first_nan", "hist", "bin_edges", "median", "absmax"):
        assert getattr(got, name).dtype == getattr(want, name).dtype
        assert str(getattr(got, name).tolist()) == str(getattr(want, name).tolist()), name  # NaN may be among objects
    for name in ("mean", "std", "l2"):
        np.testing.assert_allclose(getattr(got, name), getattr(want, name), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(got.percentiles[5], want.percentiles[5])


SLICES = ("float32", "int16", "masked", "complex64", "bool", "large", "masked large")
HOW = ({"dim": (1, 2)}, {"dim": 2}, {"dim": (0, 2)}, {"dim": 0}, {"dim": 2, "region": ((3, 9), (2, 8))})


def of_slices(dtype):
    """Elements of 50 slices; of those of one chunk one has no element, and others have integers that float64 rounds."""
    rng = np.random.default_rng(0)
    array = rng.integers(2**62, 2**63, (50, 12, 9)) if "large" in dtype else numbers(rng, dtype, (50, 12, 9), 0.1)
    if dtype == "masked large":
        array = np.ma.array(array, mask=(np.arange(50) == 3)[:, None, None] & np.ones(array.shape, bool))
    return array


@pytest.mark.parametrize("dtype", SLICES)
@pytest.mark.parametrize("how", HOW, ids=str)
def test_slices_that_lie_in_one_chunk_take_one_pass(dtype, how):
    array = of_slices(dtype)
    source, engine = in_pieces(array, (2 if how["dim"] in (2, (1, 2)) else 50, 12, 9))
    check_slices(array, source, **how)
    assert set(engine.take_reads().values()) == {1}


@pytest.mark.parametrize("dtype", SLICES)
@pytest.mark.parametrize("how", HOW, ids=str)
@pytest.mark.parametrize("n_slices", [1, 3, 10**6])
def test_small_slices_of_several_chunks_are_put_together(dtype, how, n_slices, monkeypatch):
    """As many at once as have room."""
    array = of_slices(dtype)
    source, engine = in_pieces(array, (20, 5, 4))
    axes = (how["dim"],) if isinstance(how["dim"], int) else how["dim"]
    n_bytes = source.nbytes // source.size * np.prod([array.shape[axis] for axis in axes])
    monkeypatch.setattr(chunked_slices, "SLAB_BYTES", int(n_slices * n_bytes))
    check_slices(array, source, **how)
    n_reads = max(engine.take_reads().values())
    assert n_reads == 1 if n_slices == 10**6 else n_reads > 1


@pytest.mark.parametrize("is_masked", [False, True])
@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "bfloat16"])
def test_slices_that_are_put_together_have_the_subnormal_numbers_of_their_dtype(dtype, is_masked):
    codes = np.random.default_rng(0).integers(0, 256, (6, 40, 2 if dtype == "bfloat16" else 1), dtype="uint8")
    array = codes.view(pytest.importorskip("ml_dtypes").finfo(dtype).dtype)[..., 0]
    array = np.ma.array(array, mask=codes[..., 0] % 5 == 0) if is_masked else array
    source, _ = in_pieces(array, (4, 15))
    check_slices(array, source, dim=1)
    np.testing.assert_array_equal(*(gpuplot.stats(X, dim=1).subnormal for X in (source, array)))


@pytest.mark.parametrize("dtype", ["float32", "int16", "masked", "complex64", "bool"])
def test_large_slices_have_passes_of_their_own(dtype, monkeypatch):
    monkeypatch.setattr(chunked_slices, "SLAB_BYTES", 1)
    array = numbers(np.random.default_rng(0), dtype, (5, 9, 50), 0.1)
    source, engine = in_pieces(array, (1, 3, 30))
    check_slices(array, source, dim=(1, 2))
    assert max(engine.take_reads().values()) <= 4


def test_very_many_large_slices_are_refused_before_a_chunk_is_read(monkeypatch):
    monkeypatch.setattr(chunked_slices, "SLAB_BYTES", 1)
    source, engine = in_pieces(np.zeros((4, 50, 60), "float32"), (1, 30, 30))
    with pytest.raises(UnsupportedError, match=r"dim: 3,000 slices.*large and lies in several chunks, at most 1024.*X\.mean\(axis\)"):
        gpuplot.stats(source, dim=0)
    assert engine.take_reads() == {}
