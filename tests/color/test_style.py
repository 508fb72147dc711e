"""Colormaps, norms and limits: pixels equal matplotlib's for every colormap and norm, and errors for bad input."""

from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import colors as mc
from matplotlib.figure import Figure

import gpuplot
from gpuplot import _native
from gpuplot.color import color_limits
from gpuplot.color.categories import CategoryNorm, category_colors, is_categorical_dtype, palette
from gpuplot.color.classes import MAX_LEVELS, Classes
from gpuplot.color.color_limits import colorbar_extend, robust_percents, set_limits
from gpuplot.color.norms import CbrtNorm, EqHistNorm
from gpuplot.color.style import MarkColors, color_table, find_cmap, find_norm, native_style, norm_names, shade, shade_on_host
from gpuplot.plane.limits import UNKNOWN

NAN, INF = np.nan, np.inf


class Doubled(mc.Normalize):
    """A subclass means whatever it says, so only the object itself may be asked."""

    def __call__(self, value, clip=None):
        return super().__call__(np.ma.asarray(value) * 2, clip)


NORMS = {
    "linear": lambda: mc.Normalize(), "given": lambda: mc.Normalize(-1, 2), "clip": lambda: mc.Normalize(-1, 2, clip=True),
    "log": lambda: mc.LogNorm(), "log clip": lambda: mc.LogNorm(0.1, 2, clip=True), "symlog": lambda: mc.SymLogNorm(0.1),
    "symlog 2": lambda: mc.SymLogNorm(0.5, 0.3, base=2), "named symlog": lambda: find_norm("symlog"),
    "asinh": lambda: mc.AsinhNorm(0.2), "named asinh": lambda: find_norm("asinh"), "named linear": lambda: find_norm("linear"),
    "power": lambda: mc.PowerNorm(0.3), "power clip": lambda: mc.PowerNorm(3, -1, 2, clip=True),
    "centered": lambda: mc.CenteredNorm(0.4), "two slope": lambda: mc.TwoSlopeNorm(0.3), "cbrt": CbrtNorm, "eq_hist": EqHistNorm,
    "eq_hist clip": lambda: EqHistNorm(-1, 1, clip=True),
    "boundary": lambda: mc.BoundaryNorm([-2, -1, 0, 0.5, 3], 256), "boundary n": lambda: mc.BoundaryNorm([-2, -1, 0.5, 3], 3),
    "boundary 1": lambda: mc.BoundaryNorm([-1, 1], 256), "boundary clip": lambda: mc.BoundaryNorm([-1, 0, 1], 200, clip=True),
    "boundary few": lambda: mc.BoundaryNorm([-1, 0, 1], 7),
}
HOST_NORMS = {
    "logit": lambda: find_norm("logit"), "func": lambda: mc.FuncNorm((np.cbrt, lambda v: v**3)), "subclass": Doubled,
    "boundary extend": lambda: mc.BoundaryNorm([-2, -1, 0, 0.5, 3], 256, extend="both"),
    "boundary moved": lambda: _moved(mc.BoundaryNorm([-2, -1, 0, 3], 256)),
}


def _moved(norm):
    norm.vmin = -1.5
    return norm


def limits_of(values):
    finite = values[np.isfinite(values)]
    positive = finite[finite > 0]
    low, high = (finite.min(), finite.max()) if finite.size else (NAN, NAN)
    return SimpleNamespace(min=low, max=high, min_positive=positive.min() if positive.size else NAN)


def some_values(shape=(40, 50)):
    values = np.random.default_rng(1).normal(size=shape)
    values[0, :6] = NAN, INF, -INF, 0.0, values.max(), values.min()
    return values


def matplotlib_pixels(values, norm, cmap):
    """What `Axes.imshow` makes of an array: every element that is not finite is masked."""
    return cmap(norm(np.ma.masked_invalid(values)), bytes=True)


def scaled(make, values):
    norm = make()
    set_limits(norm, limits_of(values), elements=lambda: values)
    return norm


# ---- pixels --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NORMS)
@pytest.mark.parametrize("n_colors", [1, 2, 10, 256])
def test_norms_give_matplotlibs_pixels(name, n_colors):
    """Every norm of the native table, with few cells and with many, equals ``cmap(norm(cells), bytes=True)``."""
    cmap = mpl.colormaps["viridis"].resampled(n_colors).with_extremes(under="r", over="m", bad="c")
    for shape in ((40, 50), (3, 7)):
        values = some_values(shape)
        norm = scaled(NORMS[name], values)
        assert native_style(norm, cmap) is not None or norm.Ncmap > n_colors
        got = shade(_native.Cells.from_array(values), norm, cmap)
        np.testing.assert_array_equal(got, matplotlib_pixels(values, norm, cmap))


@pytest.mark.parametrize("name", HOST_NORMS)
def test_other_norms_are_called(name):
    """What the native table does not know goes through the object itself."""
    values, cmap = some_values(), mpl.colormaps["plasma"].with_extremes(under="r", over="m", bad="c")
    norm = scaled(HOST_NORMS[name], values)
    assert native_style(norm, cmap) is None
    with np.errstate(all="ignore"):
        got = shade(_native.Cells.from_array(values), norm, cmap)
        np.testing.assert_array_equal(got, matplotlib_pixels(values, norm, cmap))


def test_every_colormap():
    """All of matplotlib's colormaps, at the ends, beyond them and between."""
    values = np.concatenate([np.linspace(-0.1, 1.1, 1201), [0, 1, NAN, INF, -INF, 1 + 2**-52, -1e-9]])[np.newaxis]
    cells, norm = _native.Cells.from_array(values), mc.Normalize(0, 1)
    for name in list(mpl.colormaps):
        cmap = mpl.colormaps[name]
        np.testing.assert_array_equal(shade(cells, norm, cmap), matplotlib_pixels(values, norm, cmap), err_msg=name)


@pytest.mark.parametrize("make", [lambda: mc.Normalize(0, 1), lambda: Doubled(0, 1)])
def test_marks_and_alpha_on_both_ways(make):
    """The native way and the object's way color marks, empty cells and alpha alike."""
    values = np.array([[NAN, INF, -INF, 0.2, -1.0, 5.0, 0.0]])
    values.view(np.uint64)[0, 6] = _native.EMPTY_BITS
    marks = MarkColors(nan="#ff00ff", pos_inf="#00ffff", under="#010203", over="#040506")
    alpha = np.array([[1, 0.5, 0.25, 0.5, 1, 0, 1]], np.float32)
    cmap = mpl.colormaps["gray"].with_extremes(bad="#808080")
    plain = shade(_native.Cells.from_array(values), make(), cmap, marks)[0]
    assert plain[[0, 1, 2, 4, 5, 6]].tolist() == [[255, 0, 255, 255], [0, 255, 255, 255], [128, 128, 128, 255],
                                                  [1, 2, 3, 255], [4, 5, 6, 255], [0, 0, 0, 0]]
    half = shade(_native.Cells.from_array(values), make(), cmap, marks, 0.5)[0]
    assert half[:, 3].tolist() == [127] * 6 + [0] and half[:6, :3].tolist() == plain[:6, :3].tolist()
    each = shade(_native.Cells.from_array(values), make(), cmap, marks, alpha)[0]
    assert each[:, 3].tolist() == [255, 127, 63, 127, 255, 0, 0]


def test_out_is_written():
    """A given array is filled and returned, on both ways."""
    cells, out = _native.Cells.from_array(np.array([[0.0, 1.0]])), np.zeros((1, 2, 4), np.uint8)
    for norm in (mc.Normalize(0, 1), Doubled(0, 1)):
        out[...] = 7
        assert shade(cells, norm, mpl.colormaps["gray"], out=out) is out
        assert out.tolist() == shade(cells, norm, mpl.colormaps["gray"]).tolist()


def test_bad_of_the_log_norm_is_not_nan_color():
    """Zero and less have no logarithm: the colormap's bad color, whatever color NaN has."""
    cmap = mpl.colormaps["gray"].with_extremes(bad="#102030")
    rgba = shade(_native.Cells.from_array(np.array([[-1.0, 0.0, NAN, 0.5]])), mc.LogNorm(1, 10), cmap, MarkColors(nan="r"))
    assert rgba[0].tolist() == [[16, 32, 48, 255]] * 2 + [[255, 0, 0, 255], [0, 0, 0, 255]]


def test_table_of_a_clipping_norm():
    """With clip nothing is under, over or undefined."""
    cmap = mpl.colormaps["viridis"].with_extremes(under="r", over="g", bad="b")
    clipped = native_style(mc.LogNorm(1, 2, clip=True), cmap).table
    assert clipped[-3:].tolist() == [color_table(cmap)[k].tolist() for k in (0, 255, 0)]
    assert color_table(cmap)[-3:].tolist() == [[255, 0, 0, 255], [0, 127, 0, 255], [0, 0, 255, 255]]


def test_host_way_equals_native_way():
    """One meaning, two ways."""
    values = some_values()
    for make in NORMS.values():
        norm = scaled(make, values)
        cells, cmap = _native.Cells.from_array(values), mpl.colormaps["coolwarm"]
        np.testing.assert_array_equal(shade(cells, norm, cmap), shade_on_host(values, norm, cmap))


# ---- names and objects ---------------------------------------------------------------------------------------------


def test_find_norm():
    """Names of matplotlib and our own; limits go onto what a name makes."""
    assert {"linear", "log", "symlog", "asinh", "logit", "cbrt", "eq_hist"} <= set(norm_names())
    assert type(find_norm("log", 1, 5)) is mc.LogNorm and find_norm("log", 1, 5).vmax == 5
    assert type(find_norm("cbrt", vmin=-1)) is CbrtNorm and find_norm("cbrt", vmin=-1).vmin == -1
    assert type(find_norm()) is mc.Normalize and type(find_norm(gamma=2)) is mc.PowerNorm
    norm = mc.Normalize()
    assert find_norm(norm) is norm


@pytest.mark.parametrize(("keywords", "error", "words"), [
    ({"norm": "lgo"}, ValueError, "supported values are .*log"),
    ({"norm": "function"}, ValueError, "supported values"),
    ({"norm": 3}, TypeError, "matplotlib Normalize"),
    ({"norm": mc.Normalize(), "vmin": 1}, ValueError, "simultaneously with vmin/vmax is not supported"),
    ({"norm": "log", "gamma": 2}, ValueError, "not both"),
    ({"gamma": -1}, ValueError, "above zero"),
    ({"gamma": "x"}, ValueError, "above zero"),
])
def test_bad_norms(keywords, error, words):
    """One clear exception."""
    with pytest.raises(error, match=words):
        find_norm(**keywords)


class Linear(mc.Normalize):
    """A norm that is called as any other."""


def test_the_part_of_colors_is_the_norms():
    """Linear norms are not called for it: the same bits as where they are."""
    chance = np.random.default_rng(3)
    for _ in range(300):
        ends, limits = np.sort(chance.normal(size=2) * 10.0**chance.integers(-300, 300)), np.sort(chance.normal(size=2))
        ends = ends if chance.random() < 0.5 else np.sort(chance.normal(size=2))
        found = UNKNOWN._replace(min=float(limits[0]), max=float(limits[1]))
        want = color_limits._part_of_colors(Linear(*ends), found)
        assert color_limits._part_of_colors(mc.Normalize(*ends), found) == want
    huge = UNKNOWN._replace(min=-1e308, max=1e308)
    assert color_limits._part_of_colors(mc.Normalize(-1.7e308, 1.7e308), huge) == 1.0
    assert color_limits._part_of_colors(mc.Normalize(0, 1), UNKNOWN) == 1.0


def test_own_colormaps_are_copies_of_one():
    """So that its table is made once; what a name of somebody's means may change."""
    first, second = find_cmap("viridis"), find_cmap("viridis")
    assert first is not second and first == second == mpl.colormaps["viridis"]
    for name in ("magma", "gray"):
        mpl.colormaps.register(mpl.colormaps[name], name="of somebody")
        assert find_cmap("of somebody") == mpl.colormaps[name]
        mpl.colormaps.unregister("of somebody")


def test_find_cmap():
    """Default, diverging default, names and refusals."""
    assert find_cmap().name == mpl.rcParams["image.cmap"] and find_cmap(is_diverging=True).name == "RdBu_r"
    assert find_cmap("magma", is_diverging=True).name == "magma"
    with pytest.raises(ValueError, match="not a known colormap"):
        find_cmap("nope")
    with pytest.raises(TypeError, match="matplotlib Colormap"):
        find_cmap(5)
    with pytest.raises(ValueError, match="nan_color='nope' is not a color"):
        MarkColors(nan="nope")


# ---- limits --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["linear", "log", "symlog", "asinh", "power", "centered", "two slope", "cbrt"])
def test_autoscale_is_the_norms_own(name):
    """From three numbers the limits come out as matplotlib finds them in the finite elements."""
    for values in (some_values(), np.array([1.0, 3.0]), np.array([-5.0, -2.0, 7.0])):
        ours, theirs = NORMS[name](), NORMS[name]()
        set_limits(ours, limits_of(values))
        theirs.autoscale_None(np.ma.masked_invalid(values).compressed())
        assert (ours.vmin, ours.vmax) == (theirs.vmin, theirs.vmax)


@pytest.mark.parametrize(("data", "center", "given", "want"), [
    ((-1, 3), None, {}, (-1, 3, False)), ((-1, 3), "auto", {}, (-3, 3, True)), ((-1, 3), True, {}, (-3, 3, True)),
    ((-1, 3), "auto", {"vmax": 2}, (-2, 2, True)), ((-1, 3), "auto", {"vmin": -4}, (-4, 4, True)),
    ((-1, 3), "auto", {"vmin": -1, "vmax": 3}, (-1, 3, False)), ((1, 3), "auto", {}, (1, 3, False)),
    ((1, 3), 2.5, {}, (1, 4, True)), ((NAN, NAN), True, {}, (0, 1, False)), ((NAN, NAN), None, {}, (0, 1, False)),
    ((-1, 3), 0, {"vmin": -2, "vmax": 2}, (-2, 2, True)), ((-1, 3), 1, {"vmin": 0, "vmax": 2}, (0, 2, True)),
    ((-1, 3), True, {"vmin": 0, "vmax": 0}, (0, 0, False)), ((-1, 3), False, {"vmin": -2, "vmax": 2}, (-2, 2, False)),
])
def test_center(data, center, given, want):
    """Around a number, around zero where the data have both signs, never against two given limits, which may lie around it themselves."""
    norm = mc.Normalize(**given)
    is_centered = set_limits(norm, SimpleNamespace(min=data[0], max=data[1], min_positive=data[1]), center=center)
    assert (norm.vmin, norm.vmax, is_centered) == want


def test_rounded_limits_around_a_center_leave_no_element_out():
    """The colorbar of a centered image has no arrow, as nothing lies beyond its limits."""
    ends = np.sort(np.random.default_rng(8).normal(size=(300, 2)).astype("f4"), axis=1).astype("f8")
    is_moved = False
    for (low, high), center in zip(ends, np.linspace(-1, 1, 300), strict=True):
        norm = mc.Normalize()
        limits = SimpleNamespace(min=low, max=high, min_positive=1.0)
        set_limits(norm, limits, center=center)
        assert norm.vmin <= low and norm.vmax >= high and colorbar_extend(norm, limits) == "neither"
        reach = max(abs(low - center), abs(high - center))
        np.testing.assert_allclose((norm.vmin, norm.vmax), (center - reach, center + reach), rtol=1e-15, atol=1e-15)
        is_moved |= (norm.vmin, norm.vmax) != (center - reach, center + reach)
    assert is_moved


def test_log_without_positive_elements():
    """Limits 1 to 10, and everything bad."""
    norm = mc.LogNorm()
    set_limits(norm, SimpleNamespace(min=-3.0, max=-1.0, min_positive=NAN))
    assert (norm.vmin, norm.vmax) == (1, 10)


def test_robust():
    """Percentiles take the place of the ends, the positive ones under log; given limits stay."""
    asked = []

    def percentiles(percents, is_positive_only):
        asked.append((percents, is_positive_only))
        return np.array([2.0, 5.0])

    limits = SimpleNamespace(min=-100.0, max=100.0, min_positive=1e-9)
    for norm in (mc.Normalize(), mc.LogNorm(), mc.Normalize(vmax=9)):
        set_limits(norm, limits, robust=(2, 98), percentiles=percentiles)
    assert asked == [((2, 98), False), ((2, 98), True), ((2, 98), False)] and (norm.vmin, norm.vmax) == (2, 9)
    assert robust_percents(True) == (2, 98) and robust_percents(0.5) == (0.5, 99.5) and robust_percents((1, 90)) == (1, 90)
    assert robust_percents(False) is None and robust_percents(None) is None
    for bad in (51, -1, "x", (5,), (90, 10), (0, 101), 1j, np.nan):
        with pytest.raises(ValueError, match="robust"):
            robust_percents(bad)


@pytest.mark.parametrize(("norm", "center", "words"), [
    (mc.Normalize(vmin=9), None, "less than or equal"), (mc.LogNorm(vmin=-1), None, "Invalid vmin or vmax"),
    (mc.LogNorm(), 1.0, "center"), (mc.BoundaryNorm([0, 1], 2), True, "center"), (mc.CenteredNorm(), 0, "center"),
    (mc.Normalize(), "zero", "center"), (mc.Normalize(), NAN, "center"),
])
def test_bad_limits(norm, center, words):
    """One clear exception, also where the limit that was not given is the culprit."""
    with pytest.raises(ValueError, match=words):
        set_limits(norm, SimpleNamespace(min=-1.0, max=3.0, min_positive=0.5), center=center)


@pytest.mark.parametrize(("given", "words"), [
    ((2, 1), r"vmin \(2.*vmax \(1.*: exchange them"), ((9, None), "was not given is the data's own")])
def test_limits_in_the_wrong_order_are_said_as_they_were_given(given, words):
    with pytest.raises(ValueError, match=words):
        set_limits(mc.Normalize(*given), SimpleNamespace(min=-1.0, max=3.0, min_positive=0.5))
    limits = {"vmin": given[0], "vmax": given[1]}
    with pytest.raises(ValueError, match=words):
        gpuplot.imshow(np.eye(3), ax=Figure().subplots(), **limits)
    with pytest.raises(ValueError, match=words):
        gpuplot.to_rgba(np.eye(3), **limits)


def test_colorbar_extend():
    """Extended where elements lie outside."""
    limits = SimpleNamespace(min=-1.0, max=3.0, min_positive=0.5)
    cases = {(-1, 3): "neither", (0, 3): "min", (-1, 2): "max", (0, 2): "both"}
    assert {ends: colorbar_extend(mc.Normalize(*ends), limits) for ends in cases} == cases
    assert colorbar_extend(mc.Normalize(0, 2, clip=True), limits) == "neither"
    assert colorbar_extend(mc.LogNorm(0.5, 3), limits) == "neither"
    assert colorbar_extend(mc.Normalize(), limits) == "neither"


# ---- classes -------------------------------------------------------------------------------------------------------


def classes_between(first, last):
    return Classes(UNKNOWN._replace(min=float(first), max=float(last)), lambda low, high, step: np.ones(high - low + 1, int))


def test_category_colors():
    """Number v has the palette's color v, tab10's for 0..9, whatever the other numbers are."""
    tab20, tab10 = mpl.colormaps["tab20"].colors, mpl.colormaps["tab10"].colors
    for first, last in ((0, 9), (-1, 20), (7, 7), (-3, MAX_LEVELS + 5)):
        cmap, norm = category_colors(classes_between(first, last))
        numbers = np.arange(first, min(last, 30) + 1.0)[np.newaxis]
        rgba = shade(_native.Cells.from_array(numbers), norm, cmap)[0]
        known = [*tab20[::2], *tab20[1::2]]
        want = [[int(255 * c) for c in (known[int(v) % 20] if v < 20 else palette()[int(v)])] for v in numbers[0]]
        assert rgba[:, :3].tolist() == want
        if first == 0:
            assert rgba[:, :3].tolist() == [[int(255 * c) for c in color] for color in tab10]
    assert isinstance(category_colors(classes_between(0, 10 * MAX_LEVELS))[1], CategoryNorm)


def test_a_single_number_that_is_ignored_is_masked_as_in_an_array():
    norm = CategoryNorm(0, 10 * MAX_LEVELS, ignored=[255])
    assert norm(255) is np.ma.masked and norm(3) == 3
    assert norm([255, 3]).tolist() == [None, 3]


def test_numbers_that_are_not_finite_are_masked_by_a_norm_of_classes():
    """They have no entry in the palette, and no warning is given."""
    norm = CategoryNorm(0, 10 * MAX_LEVELS)
    assert norm(NAN) is np.ma.masked and norm(np.ma.masked) is np.ma.masked
    assert norm([NAN, 3, INF, -INF]).tolist() == [None, 3, None, None]


def test_category_colors_of_a_given_colormap():
    """Its colors are spread over the levels; more levels than colors resample it."""
    cmap, norm = category_colors(classes_between(3, 6), "viridis")
    assert norm.boundaries.tolist() == [2.5, 3.5, 4.5, 5.5, 6.5] and norm([3, 6]).tolist() == [0, 255]
    cmap, norm = category_colors(classes_between(0, 299), "viridis")
    assert cmap.N == 300 and norm([0, 299]).tolist() == [0, 299]
    category_colors(classes_between(NAN, NAN))


def test_is_categorical_dtype():
    """Whole numbers can be classes."""
    assert all(map(is_categorical_dtype, ("bool", "int8", "uint64"))) and not any(map(is_categorical_dtype, ("float32", "complex64")))


@pytest.mark.parametrize("limits", [(0, 5), (0, 2), (2, 5), (2, 2)])
def test_ranks_of_equal_cells_have_the_first_color(limits):
    """As EqHistNorm has it; the last edge of all is above what is shown, also where that is the largest cell."""
    got = gpuplot.to_rgba(np.full((3, 4), 2.0), norm="eq_hist", vmin=limits[0], vmax=limits[1], cmap="viridis")
    assert (got == mpl.colormaps["viridis"](0, bytes=True)).all()
