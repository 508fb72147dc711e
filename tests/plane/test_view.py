"""The choice of a 2-D picture from an N-D tensor: axes, indices, reductions, color channels, and the errors."""

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from reference import axes as reference_axes
from reference import rgb as reference_rgb

from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.plane.channels import guess_channel_axis
from gpuplot.plane.dims import HIDDEN_OPS
from gpuplot.plane.gather import gather_box
from gpuplot.plane.view import COMPLEX_MODES, choose


@pytest.mark.parametrize("dims", ["b h q k", "b, h, q, k", "b,h,q,k", ("b", "h", "q", "k")])
def test_names_in_one_text_stand_apart_by_spaces_or_commas(dims):
    assert choose((8, 12, 32, 64), None, "float32", dims=dims).names == ("b", "h", "q", "k")


def roles(view):
    return [use[0] for use in view.uses]


def test_defaults_show_the_last_two_axes_at_index_zero():
    view = choose((5, 4, 6), None, "float32")
    assert view.shape == (4, 6)
    assert roles(view) == ["fixed", "rows", "cols"]
    assert view.uses[0][1] == 0
    assert (view.row_axis, view.col_axis, view.channel_axis) == (1, 2, None)
    assert view.hidden_text == "index {0: 0}"
    assert view.component == "value" and view.stage_ops == ()


def test_few_axes():
    assert choose((7,), None, "int8").shape == (1, 7)
    assert choose((7,), None, "int8", y=0).shape == (7, 1)
    assert choose((), None, "bool").shape == (1, 1)
    assert choose((), None, "bool").tensor_index(0, 0) == ()
    assert choose((3,), None, "uint8").channel_axis is None
    assert choose((3, 4), None, "uint8").channel_axis is None


def test_readme_example():
    view = choose((8, 12, 32, 64), None, "bfloat16", x=3, y=2, index={0: 5}, reduce={1: "mean"})
    assert view.shape == (32, 64)
    assert view.hidden_text == "index {0: 5}, mean over axis 1"
    assert view.stage_ops == ("mean",) and view.is_reduced
    assert view.uses == (("fixed", 5, 1, 1, 0), ("hidden", 0, 1, 12, 0), ("rows", 0, 1, 32, 0), ("cols", 0, 1, 64, 0))


def test_names_select_axes():
    view = choose((8, 12, 32, 64), None, "float32", dims="b h q k", x="q", y="h", index={"b": -1}, reduce={"k": "max"})
    assert (view.col_axis, view.row_axis) == (2, 1)
    assert view.hidden_text == "index {'b': 7}, max over axis 'k'"


def test_names_of_the_caller_win_over_those_of_the_tensor():
    assert choose((3, 5), ("lat", "lon"), "float32", x="lat").col_axis == 0
    assert choose((3, 5), ("lat", "lon"), "float32", dims=("u", "v"), x="u").names == ("u", "v")
    assert choose((3, 5), ("lat", "lat"), "float32").names == ()
    assert choose((3, 5), None, "float32").names == ()


def test_an_axis_that_is_claimed_is_not_a_default():
    for x, y, expected in ((0, None, (1, 0)), (1, None, (2, 1)), (None, 2, (2, 1)), (None, 0, (0, 2))):
        view = choose((5, 4, 6), None, "float32", x=x, y=y)
        assert (view.row_axis, view.col_axis) == expected
    view = choose((5, 4, 6), None, "float32", reduce={-1: "sum"})
    assert (view.row_axis, view.col_axis) == (0, 1)
    view = choose((5, 4), None, "float32", index={1: 2})
    assert view.shape == (1, 5) and view.row_axis is None


def test_reductions_with_the_same_operation_are_one_stage():
    view = choose((2, 3, 4, 5, 6), None, "float32", reduce={2: "mean", 0: "max", 1: "mean"})
    assert view.stage_ops == ("mean", "max")
    assert [use[4] for use in view.uses if use[0] == "hidden"] == [1, 0, 0]
    assert view.hidden_text == "mean over axes 2, 1, max over axis 0"


def test_slices_crop_what_is_shown_and_what_is_reduced():
    view = choose((10, 20, 30), None, "float32", index={0: slice(2, 9, 3), 1: slice(None, None, -2), 2: slice(-5, None)},
                  reduce={0: "std"})
    assert view.uses == (("hidden", 2, 3, 3, 0), ("rows", 19, -2, 10, 0), ("cols", 25, 1, 5, 0))
    assert view.hidden_text == "std over axis 0[2:9:3]"
    assert view.tensor_index(1, 4) == (slice(2, 11, 3), 17, 29)
    assert view.tensor_range("rows", 1, 3) == range(17, 13, -2)
    assert view.tensor_range("cols", 0, 2) == range(25, 27)


def test_empty_axes_give_empty_pictures():
    assert choose((0, 7), None, "float32").shape == (0, 7)
    assert choose((7, 0), None, "float32").shape == (7, 0)
    assert choose((4, 5), None, "float32", index={0: slice(3, 1)}).shape == (0, 5)
    hidden = choose((0, 4, 5), None, "float32")
    assert hidden.shape == (0, 0)
    assert hidden.uses[0] == ("hidden", 0, 1, 0, 0) and hidden.stage_ops == ("mean",)
    assert choose((0, 4, 5), None, "float32", reduce={0: "max"}).shape == (0, 0)


@pytest.mark.parametrize("shape, dtype, axis", [
    ((3, 224, 224), "float32", 0),
    ((224, 224, 3), "float32", 2),
    ((224, 224, 4), "bfloat16", 2),
    ((4, 64, 64), "uint8", 0),
    ((4, 64, 64), "float32", None),
    ((3, 64, 64), "float8_e4m3fn", 0),
    ((3, 64, 64), "int16", None),
    ((3, 64, 64), "bool", None),
    ((64, 64, 3), "int64", 2),
    ((64, 64, 3), "bool", 2),
    ((3, 5, 4), "float64", 2),
    ((3, 5, 1), "uint8", None),
    ((64, 64, 3), "complex64", None),
    ((3, 64, 64), "complex32", None),
    ((1, 3, 64, 64), "float32", None),
    ((3, 64), "uint8", None),
])
def test_guessed_channel_axis(shape, dtype, axis):
    assert guess_channel_axis(shape, dtype) == axis
    assert choose(shape, None, dtype).channel_axis == axis


def test_a_guess_is_made_only_where_nothing_was_said_and_is_said():
    shape = (3, 20, 30)
    guessed = choose(shape, None, "float32")
    assert guessed.shape == (20, 30) and guessed.n_channels == 3 and guessed.component == "channel"
    assert "axis 0" in guessed.rgb_text and "rgb=False" in guessed.rgb_text
    for said in ({"x": 2}, {"y": 1}, {"dims": "c h w"}, {"index": {0: 1}}, {"reduce": {0: "mean"}}, {"rgb": False}):
        assert choose(shape, None, "float32", **said).channel_axis is None, said
    assert choose(shape, None, "float32", rgb=False).rgb_text == ""


def test_a_last_axis_of_one_is_a_plane():
    view = choose((8, 9, 1), None, "float32")
    assert view.shape == (8, 9) and view.hidden_text == ""
    assert choose((8, 9, 1), None, "float32", rgb=False).shape == (9, 1)


def test_rgb_true_searches():
    assert choose((2, 3, 20, 30), None, "float32", rgb=True).channel_axis == 1
    assert choose((2, 20, 30, 4), None, "float32", rgb=True).channel_axis == 3
    assert choose((3, 20, 9, 30), None, "uint8", rgb=True).channel_axis == 0
    assert choose((4, 3, 20, 30), None, "uint8", rgb=True, index={1: 0}).channel_axis == 0
    assert choose((4, 20, 30), None, "float32", rgb=True).channel_axis == 0
    assert choose((3, 4, 30), None, "float32", rgb=True).channel_axis == 0  # rows are not channels where the first axis can be


def test_rgb_axis_given():
    view = choose((8, 3, 20, 30), None, "float32", dims="n c h w", rgb="c", reduce={"n": "mean"})
    assert roles(view) == ["hidden", "channels", "rows", "cols"]
    assert view.tensor_index(1, 2) == (slice(0, 8, 1), slice(0, 3, 1), 1, 2)
    assert choose((20, 30, 8), None, "float32", rgb=2, index={2: slice(0, 3)}).n_channels == 3
    assert choose((20, 30, 8), None, "float32", rgb=2, index={2: slice(2, None, -1)}).uses[2] == ("channels", 2, -1, 3, 0)


@pytest.mark.parametrize("mode", COMPLEX_MODES)
def test_complex_modes(mode):
    view = choose((4, 5), None, "complex64", complex_mode=mode)
    assert view.complex_mode == mode and view.component == COMPLEX_MODES[mode]
    assert view.is_hue == mode.endswith("amplitude_phase")
    assert choose((4, 5), None, "float32", complex_mode=mode).component == "value"


def test_angles_are_averaged_but_not_added():
    assert choose((2, 4, 5), None, "complex64", complex_mode="phase", reduce={0: "mean"}).stage_ops == ("mean",)
    for op in ("sum", "std", "norm"):
        with pytest.raises(ValueError, match="angles"):
            choose((2, 4, 5), None, "complex64", complex_mode="phase", reduce={0: op})


@pytest.mark.parametrize("dtype", ["float32", "longdouble", "masked"])
@pytest.mark.parametrize("ndim", [1, 2, 4])
def test_boxes_of_any_number_of_axes(put, dtype, ndim):
    """By NumPy where the elements are on the host, in types that it has; else plane by plane."""
    array = np.random.default_rng(0).integers(-9, 9, (3, 4, 5, 6)[-ndim:]).astype("float64" if dtype == "masked" else dtype)
    array = np.ma.array(array, mask=array > 5) if dtype == "masked" else array
    spans = [range(1, 3), range(3, 0, -1), range(0, 5, 2), range(2, 6)][-ndim:]
    got = gather_box(describe(put(array) if dtype == "float32" else array), spans)  # devices have neither masks here nor long doubles
    want = array[tuple(slice(span.start, span.stop, span.step) for span in spans)]
    np.testing.assert_array_equal(got, want.astype(float))
    assert isinstance(got, np.ma.MaskedArray) == (dtype == "masked") and (dtype != "masked" or (got.mask == want.mask).all())


@pytest.mark.parametrize("parameters, error, words", [
    ({"x": 5}, ValueError, "x: axis 5 does not exist"),
    ({"y": -4}, ValueError, "y: axis -4 does not exist"),
    ({"x": "w"}, ValueError, "have no names"),
    ({"x": "w", "dims": "a b c"}, ValueError, "the axes are 'a', 'b', 'c'"),
    ({"x": 1.5}, TypeError, "integer or a name"),
    ({"x": True}, TypeError, "integer or a name"),
    ({"x": 1, "y": -2}, ValueError, "x and y are both axis 1"),
    ({"dims": "a b"}, ValueError, "names 2 axes"),
    ({"dims": "a b a"}, ValueError, "twice"),
    ({"dims": (1, 2, 3)}, TypeError, "text"),
    ({"index": {0: 6}}, IndexError, "index 6 is out of range for axis 0 with 6 elements"),
    ({"index": {0: -7}}, IndexError, "out of range"),
    ({"index": {0: 1, -3: 2}}, ValueError, "index names axis 0 twice"),
    ({"index": {0: "a"}}, TypeError, "integer or a slice"),
    ({"index": {0: True}}, TypeError, "integer or a slice"),
    ({"index": {0: slice(None, None, 0)}}, ValueError, "zero"),
    ({"index": {0: slice(1.5)}}, TypeError, "axis 0"),
    ({"index": {0: slice(2)}}, ValueError, "reduce={0: 'mean'}"),
    ({"index": 3}, TypeError, "index={0: 5}"),
    ({"index": {2: 1}, "x": 2}, ValueError, "give a slice to crop"),
    ({"reduce": {0: "median"}}, ValueError, "mean, max, min, sum, std, norm"),
    ({"reduce": "mean"}, TypeError, "reduce={0: 'mean'}"),
    ({"reduce": {0: "mean"}, "index": {0: 1}}, ValueError, "both fixed"),
    ({"reduce": {1: "mean"}, "y": 1}, ValueError, "choose another y"),
    ({"rgb": True}, ValueError, "no free axis"),
    ({"rgb": 0}, ValueError, "6 elements"),
    ({"rgb": "c"}, ValueError, "no axis 'c'"),
    ({"rgb": 0, "index": {0: 1}}, ValueError, "also be shown, fixed or reduced"),
    ({"complex_mode": "magnitude"}, ValueError, "amplitude, square_amplitude"),
])
def test_errors_say_what_to_do(parameters, error, words):
    with pytest.raises(error, match=words):
        choose((6, 20, 30), None, "float32", **parameters)


def test_rgb_errors_that_depend_on_the_tensor():
    with pytest.raises(ValueError, match="several axes"):
        choose((3, 4, 3, 30, 30), None, "uint8", rgb=True, index={2: 0})
    with pytest.raises(ValueError, match="complex_mode"):
        choose((3, 20, 30), None, "complex64", rgb=0)
    with pytest.raises(ValueError, match="no free axis"):
        choose((3, 20), None, "uint8", rgb=True, x=0)
    with pytest.raises(IndexError):
        choose((0, 4, 5), None, "float32", index={0: 0})


def test_outside_the_plane():
    view = choose((4, 5), None, "float32")
    for row, col in ((-1, 0), (4, 0), (0, 5), (0, -1)):
        with pytest.raises(IndexError, match="4 x 5"):
            view.tensor_index(row, col)


@st.composite
def choices(draw):
    """A small tensor's shape, with a slice, an index, a reduction or nothing for each axis."""
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=2, max_size=5)))
    shown = draw(st.permutations(range(len(shape))))[:2]
    index, reduce = {}, {}
    for axis, size in enumerate(shape):
        kind = draw(st.sampled_from(("nothing", "index", "reduce")))
        if draw(st.booleans()) and (axis in shown or kind == "reduce"):
            index[axis] = draw(st.slices(size))
        elif axis not in shown and kind == "index":
            index[axis] = draw(st.integers(-size, size - 1))
        if axis not in shown and kind == "reduce":
            reduce[axis] = draw(st.sampled_from(HIDDEN_OPS))
    return shape, shown, index, reduce


@examples(150)
@given(choices())
def test_a_view_finds_the_elements_that_numpy_finds(case):
    shape, (y, x), index, reduce = case
    view = choose(shape, None, "float64", x=x - len(shape), y=y, index=index, reduce=reduce, rgb=False)
    array = np.arange(np.prod(shape)).reshape(shape)
    cropped = array[tuple(
        where if isinstance(where, slice) else slice(where, where + 1 or None)
        for where in (index.get(axis, slice(None) if axis in reduce or axis in (x, y) else 0) for axis in range(len(shape)))
    )]
    planes = np.moveaxis(cropped, (y, x), (0, 1))
    if cropped.size == 0:
        assert 0 in view.shape
        return
    assert view.shape == planes.shape[:2]
    for row, col in ((0, 0), (view.shape[0] - 1, view.shape[1] - 1)):
        found = np.sort(np.ravel(array[view.tensor_index(row, col)]))
        np.testing.assert_array_equal(found, np.sort(np.ravel(planes[row, col])))


@examples(150)
@given(choices())
def test_what_goes_to_the_native_layer_stays_inside_the_tensor(case):
    shape, (y, x), index, reduce = case
    view = choose(shape, None, "float64", x=x, y=y, index=index, reduce=reduce, rgb=False)
    assert len(view.uses) == len(shape)
    for size, (role, start, step, n, stage) in zip(shape, view.uses, strict=True):
        assert n == 0 or (0 <= start < size and 0 <= start + (n - 1) * step < size)
        assert role != "fixed" or n == 1
        assert role != "hidden" or 0 <= stage < len(view.stage_ops)
    assert len(set(view.stage_ops)) == len(view.stage_ops) == len(set(reduce.values()))


@examples(150)
@given(choices())
def test_the_native_layer_sees_the_same_plane(case):
    shape, (y, x), index, reduce = case
    view = choose(shape, None, "float64", x=x, y=y, index=index, reduce=reduce, rgb=False)
    array = np.arange(np.prod(shape), dtype="float64").reshape(shape)
    with describe(array).borrow() as tensor:
        plane = _native.Plane(tensor, view.uses, view.stage_ops, view.component)
        assert plane.shape == (view.shape if 0 not in view.shape else (0, 0))
        if not view.is_reduced:
            found = _native.gather(plane, np.empty(plane.shape))
            assert all(found[at] == array[view.tensor_index(*at)] for at in np.ndindex(found.shape))


@pytest.mark.parametrize("shape, parameters", [
    ((0, 7), {}), ((7, 0), {}), ((0, 4, 5), {}), ((0, 4, 5), {"reduce": {0: "max"}}), ((2, 0, 4, 5), {"index": {0: 1}}),
    ((4, 5), {"index": {0: slice(3, 1)}}), ((4, 5), {"index": {0: slice(9, 9)}}), ((0,), {}), ((0, 4, 3), {}),
    ((3, 0, 5), {}), ((0, 3, 4, 5), {"rgb": 1}),
])
def test_empty_planes_are_accepted_by_the_native_layer(shape, parameters):
    view = choose(shape, None, "float32", **parameters)
    assert 0 in view.shape
    with describe(np.empty(shape, "float32")).borrow() as tensor:
        assert _native.Plane(tensor, view.uses, view.stage_ops, view.component).shape == (0, 0)


@examples(150)
@given(choices(), st.booleans(), st.booleans())
def test_axes_agree_with_the_reference(case, gives_x, gives_y):
    shape, (y, x), index, reduce = case
    given_axes = {**({"x": x} if gives_x else {}), **({"y": y} if gives_y else {})}
    try:
        expected = reference_axes.choose_axes(shape, index=index, reduce=reduce, **given_axes)
    except ValueError:
        return  # the defaults collide with what was given; the view then takes another free axis
    view = choose(shape, None, "float64", index=index, reduce=reduce, rgb=False, **given_axes)
    assert (view.row_axis, view.col_axis) == (expected.y, expected.x)
    assert {axis: use[1] for axis, use in enumerate(view.uses) if use[0] == "fixed"} == expected.fixed
    assert [(op, {axis for axis, use in enumerate(view.uses) if use[0] == "hidden" and use[4] == stage})
            for stage, op in enumerate(view.stage_ops)] == [(op, set(axes)) for op, axes in expected.reductions]


@given(st.lists(st.sampled_from([1, 2, 3, 4, 5, 9]), min_size=1, max_size=4),
       st.sampled_from(["uint8", "int16", "bool", "float32", "bfloat16", "complex64"]))
def test_channels_agree_with_the_reference(shape, dtype):
    shape = tuple(shape)
    if len(shape) == 3 and shape[2] == 1:
        return  # a plane, as matplotlib reads it
    assert choose(shape, None, dtype).channel_axis == reference_rgb.channel_axis(shape, dtype)


@pytest.mark.parametrize("names, want", [(("time", "lat", "lon"), None), (("band", "y", "x"), 0), (("C", "H", "W"), 0), (None, 0),
                                         (("dim_0", "dim_1", "dim_2"), 0)], ids=str)
def test_a_first_axis_of_floats_holds_colors_by_its_name(names, want):
    """Three months were shown as red, green and blue."""
    assert choose((3, 40, 60), names, "float32").channel_axis == want
    assert choose((3, 40, 60), names, "uint8").channel_axis == 0
    assert choose((40, 60, 3), names, "float32").channel_axis == 2
