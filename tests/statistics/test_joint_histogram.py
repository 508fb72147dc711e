"""Joint histograms of several planes, with and without weights, on the host and on the emulated device."""

import numpy as np
import pytest
import reference as ref
from device_planes import device_plane, fail_each_call, host_plane, in_modes
from emulated_device import LAUNCH_FAILED, OUT_OF_MEMORY
from matrix import matrix
from stored_tensors import LAYOUTS, REAL, storage_of

from gpuplot import _native

SHAPE = (23, 117)
PLACES = {"host": host_plane, "device": device_plane}


def stored_of(dtype, seed, n_bad=20, shape=SHAPE):
    return storage_of(np.random.default_rng(seed), dtype, shape, n_bad=n_bad)


def values_of(stored, dtype):
    return np.asarray(ref.load(stored, dtype), np.float64)


def edges_over(values, n_bins):
    """Edges that some elements are equal to, and beyond which there are some."""
    finite = np.unique(values[np.isfinite(values)])
    if finite.size < 3:
        return np.linspace(finite[0] - 1, finite[-1] + 1, n_bins + 1)
    return np.linspace(finite[finite.size // 10], finite[-1 - finite.size // 10], n_bins + 1)


def bin_of(values, edges):
    """The bin of each element, -1 where it belongs nowhere."""
    with np.errstate(invalid="ignore"):
        is_inside = (values >= edges[0]) & (values <= edges[-1])
    return np.where(is_inside, np.minimum(np.searchsorted(edges, values, side="right") - 1, len(edges) - 2), -1)


def wanted(sides, weights=None, is_masked=False):
    """The definition: (counts or sums of all bins, of magnitudes, elements in a bin) for (values, edges) of each side."""
    places = [bin_of(values, edges) for values, edges in sides]
    is_counted = np.logical_and.reduce([place >= 0 for place in places]) & ~np.asarray(is_masked)
    shape = [len(edges) - 1 for _, edges in sides]
    total, size = np.zeros(shape), np.zeros(shape)
    at = tuple(place[is_counted] for place in places)
    one = np.ones(is_counted.sum()) if weights is None else weights[is_counted]
    with np.errstate(invalid="ignore"):
        np.add.at(total, at, one)
        np.add.at(size, at, abs(one))
    return total, size, int(is_counted.sum())


def check(planes, sides, weights=None, weight_plane=None, is_masked=False):
    got, n_counted = _native.histogram_joint(tuple(planes), tuple(edges for _, edges in sides), None, weight_plane)
    want, size, n = wanted(sides, weights, is_masked)
    assert (got.dtype, n_counted) == (np.int64 if weights is None else np.float64, n)
    if weights is None:
        np.testing.assert_array_equal(got, want)
    else:
        np.testing.assert_array_equal(np.isfinite(got), np.isfinite(want))
        got_there, want_there, size = got[np.isfinite(want)], want[np.isfinite(want)], size[np.isfinite(want)]
        assert (abs(got_there - want_there) <= np.maximum(1e-6 * abs(want_there), 1e-12 * size)).all()
    return got


# ---- every kind of element -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("dtype", REAL)
def test_every_dtype_as_a_side_and_as_weights(emulated, place, dtype):
    stored, other, plane_of = stored_of(dtype, 1), stored_of("float32", 2), PLACES[place]
    values, others = values_of(stored, dtype), values_of(other, "float32")
    plane, other_plane = plane_of(stored, dtype), plane_of(other, "float32")
    sides = [(values, edges_over(values, 9)), (others, edges_over(others, 4))]
    check([plane, other_plane], sides)
    check([other_plane, plane], sides[::-1])
    check([other_plane], sides[1:], values, plane)
    check([plane, other_plane], sides, others, other_plane)


@matrix(place=PLACES, x=LAYOUTS, y=LAYOUTS, weights=(None, *LAYOUTS))
def test_every_layout_beside_every_other(emulated, place, x, y, weights):
    plane_of, parts = PLACES[place], []
    for seed, (layout, dtype) in enumerate(((x, "int16"), (y, "float64"), (weights, "float32"))):
        stored = None if layout is None else LAYOUTS[layout](stored_of(dtype, seed, 5))
        parts.append((stored, None if stored is None else values_of(stored, dtype)))
    shape = np.minimum.reduce([stored.shape for stored, _ in parts if stored is not None])
    parts = [(None, None) if stored is None else (stored[:shape[0], :shape[1]], values[:shape[0], :shape[1]]) for stored, values in parts]
    planes = [None if stored is None else plane_of(stored) for stored, _ in parts]
    sides = [(values, edges_over(values, 6)) for _, values in parts[:2]]
    check(planes[:2], sides, parts[2][1], planes[2])


@pytest.mark.parametrize("place", PLACES)
def test_masks_of_sides_and_weights(emulated, place):
    rng, plane_of = np.random.default_rng(0), PLACES[place]
    arrays = [stored_of(dtype, seed, 0) for seed, dtype in enumerate(("float32", "uint8", "float64"))]
    masks = [rng.random(SHAPE) < 0.2 for _ in arrays]
    planes = [plane_of(array, mask=mask) for array, mask in zip(arrays, masks, strict=True)]
    sides = [(array.astype(float), edges_over(array.astype(float), 5)) for array in arrays[:2]]
    check(planes[:2], sides, is_masked=masks[0] | masks[1])
    check(planes[:2], sides, arrays[2], planes[2], is_masked=masks[0] | masks[1] | masks[2])


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32", "int64", "uint64", "bool"])
def test_integers_within_a_range_are_exact(emulated, place, dtype):
    top = 1 if dtype == "bool" else int(np.iinfo(dtype).max)
    a = np.array([[0, 1, top, max(top - 1, 0), top // 2, top // 3, max(top - 700, 0)]], "uint64").astype(dtype)
    for first, last in ((0, top), (1, max(top - 1, 1)), (-5, top // 2), (top, top), (-9, -3)):
        got, n = _native.histogram_joint((PLACES[place](a),), ([0.0, max(float(top), 1.0)],), ((first, last),), PLACES[place](a))
        inside = [int(x) for x in a.ravel() if first <= int(x) <= last]
        assert n == len(inside) and got[0] == pytest.approx(sum(inside), rel=1e-15)


# ---- every number of bins ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("n_x", "n_y"), [(1, 1), (3, 85), (256, 1), (90, 91), (91, 91), (1500, 1500), (2_100_000, 1), (1, 2_100_000),
                                          (3, 800_000)])
def test_any_number_of_bins(emulated, place, n_x, n_y):
    """Counters in shared memory, of all blocks, and bins that take turns."""
    x, y = np.random.default_rng(0).normal(size=(2, 13, 100))
    planes = PLACES[place](x), PLACES[place](y)
    edges = np.linspace(-2, 2, n_x + 1), np.linspace(-2, 2, n_y + 1)
    for weights in (None, y) if n_x * n_y < 10**6 or place == "host" else (None,):
        got, n = _native.histogram_joint(planes, edges, None, None if weights is None else planes[1])
        want, _, _ = wanted([(x, edges[0]), (y, edges[1])], weights)
        np.testing.assert_allclose(got, want, 1e-12, 1e-15)
        assert n == wanted([(x, edges[0]), (y, edges[1])])[0].sum()


@pytest.mark.parametrize("place", PLACES)
def test_uneven_edges(emulated, place):
    x, y = np.random.default_rng(0).normal(size=(2, 13, 100))
    edges = np.array([-3, -2.9, 0, 1e-12, 0.5, 2, 1e9]), np.sort(y.ravel()[:50])
    check([PLACES[place](x), PLACES[place](y)], list(zip((x, y), edges, strict=True)))


# ---- sums that are always the same --------------------------------------------------------------------------------------


def test_the_device_gives_the_same_bits_in_every_mode(emulated):
    x, w = stored_of("float32", 0, 0, (19, 2111)), stored_of("float64", 1, 0, (19, 2111))
    planes = device_plane(x), device_plane(w)
    for n_bins in (7, 9000):
        edges = np.linspace(-2, 3, n_bins + 1)
        got = in_modes(emulated, lambda edges=edges: _native.histogram_joint(planes[:1], (edges,), None, planes[1])[0])
        want, size, _ = wanted([(x.astype(float), edges)], w)
        assert (abs(got - want) <= np.maximum(1e-6 * abs(want), 1e-12 * size)).all()


def test_weights_in_one_bin_are_added_in_their_order():
    """A large number first, or last, which float64 sums show."""
    w = np.concatenate([[1e16], np.ones(999)])
    for weights in (w, w[::-1].copy()):
        got, _ = _native.histogram_joint((host_plane(np.zeros((1, 1000))),), ([-1, 1],), None, host_plane(weights[None]))
        assert got[0] == np.cumsum(weights)[-1]


@pytest.mark.parametrize("n_bins", [40, 1000])
def test_many_elements_on_any_number_of_threads(n_bins):
    """Ten pieces and a rest; for so many bins there is room for fewer groups of sums than pieces, which have a rest too."""
    x, y, w = np.random.default_rng(3).normal(size=(3, 1, 10 * 2**17 + 77))
    edges = np.linspace(-3, 3, n_bins + 1)
    places = bin_of(x, edges), bin_of(y, edges)
    is_counted = (places[0] >= 0) & (places[1] >= 0)
    slots = (places[0] * n_bins + places[1])[is_counted]
    counts, sums, sizes = (np.bincount(slots, weights, n_bins**2) for weights in (None, w[is_counted], abs(w[is_counted])))
    found = set()
    for n_threads in (1, 3):
        _native.threads_limit(n_threads)
        try:
            got, n = _native.histogram_joint((host_plane(x), host_plane(y)), (edges, edges))
            got_sums, n_sums = _native.histogram_joint((host_plane(x), host_plane(y)), (edges, edges), None, host_plane(w))
        finally:
            _native.threads_limit(0)
        np.testing.assert_array_equal(got.ravel(), counts)
        assert n == n_sums == slots.size and (abs(got_sums.ravel() - sums) <= 1e-12 * sizes).all()
        found.add(got_sums.tobytes())
    assert len(found) == 1


def test_threads_that_count_one_bin_at_once():
    """So many bins are counted in the table of each thread itself."""
    zeros = host_plane(np.zeros((1, 60 * 2**17), np.float32))
    _native.threads_limit(4)
    try:
        for _ in range(3):
            got, n = _native.histogram_joint((zeros,), (np.arange(-1.0, 2000),))
            assert n == got[1] == 60 * 2**17
    finally:
        _native.threads_limit(0)


@pytest.mark.parametrize("place", PLACES)
def test_powers_of_weights_about_a_center(emulated, place):
    x, w = stored_of("float32", 0, 0), stored_of("float32", 1, 0)
    planes = PLACES[place](x), PLACES[place](w)
    for power, center, scale in ((1, 0.5, 1.0), (2, -1.25, 0.5), (3, 0.25, 2.0)):
        got, n = _native.histogram_joint(planes[:1], ([-1, 0, 2],), None, planes[1], (power, center, scale))
        want, size, counted = wanted([(x.astype(float), np.array([-1.0, 0, 2]))], ((w.astype(float) - center) * scale) ** power)
        assert (abs(got - want) <= 1e-12 * size).all() and n == counted


def test_calls_of_the_driver_that_fail(emulated):
    planes = device_plane(stored_of("float32", 0, 0)), device_plane(stored_of("float64", 1, 0))
    for weights in (None, planes[1]):
        for code in (LAUNCH_FAILED, OUT_OF_MEMORY):
            fail_each_call(emulated, code, lambda weights=weights: _native.histogram_joint(planes, ([-1, 0, 1], [0, 2]), None, weights))


# ---- mistakes --------------------------------------------------------------------------------------------------------------


def test_mistakes(emulated):
    a, b, there = host_plane(np.ones((2, 3))), host_plane(np.ones((3, 2))), device_plane(np.ones((2, 3)))
    edges = [0, 1]
    for planes, all_edges, more, error, text in (
            ((a, b), (edges, edges), (), ValueError, "2 x 3 and of 3 x 2"), ((a, there), (edges, edges), (), ValueError, "two devices"),
            ((a,), (edges,), (None, b), ValueError, "3 x 2"), ((), (), (), ValueError, "one or two planes"),
            ((a, a, a), (edges,) * 3, (), ValueError, "one or two planes"), ((a, a), (edges,), (), ValueError, "for each"),
            ((a,), ([1, 1],), (), ValueError, "rise strictly"), ((a,), ([1],), (), ValueError, "at least one bin"),
            ((a,), (edges,), (((0, 1),),), ValueError, "planes of integers"), ((a, 3), (edges, edges), (), TypeError, "a Plane is wanted"),
            ((a,), (edges,), (None, 3), TypeError, "a Plane is wanted"),
            ((a,), (edges,), (None, a, (1, 2)), TypeError, "power, center, scale"),
            ((a, a), (np.arange(5001), np.arange(5001)), (), ValueError, "25000000 bins"),
            ((host_plane(np.ones((2, 3), complex), component="abs"),), (edges,), (), ValueError, "stored real numbers")):
        with pytest.raises(error, match=text):
            _native.histogram_joint(planes, all_edges, *more)


def test_no_elements(emulated):
    for place in PLACES.values():
        nothing = place(np.zeros((0, 3)))
        got, n = _native.histogram_joint((nothing, nothing), ([0, 1, 2], [0, 1]))
        assert (got.tolist(), n) == ([[0], [0]], 0)
