"""Pyramids: OME-Zarr groups, lists of arrays and trees of xarray; ``level=`` in every function that makes pictures; bad metadata."""

import copy
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from pyramid_group import Group, levels_of

import gpuplot
from gpuplot.arrays import lazy_arrays
from gpuplot.arrays.describe import describe
from gpuplot.arrays.pyramids import Pyramid, at_level

pytestmark = pytest.mark.host("levels are chosen before anything is reduced")


@pytest.fixture
def array():
    return np.random.default_rng(3).normal(size=(3, 96, 128)).cumsum(1).astype("float32")


def level_of(X, k):
    return describe(at_level(X, k)).level


# ---- which object is a pyramid -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_a_group_is_its_level_0(array, version):
    group = Group.of(levels_of(array, 3), version)
    source = describe(group)
    assert (source.shape, source.dims, source.level) == (array.shape, ("z", "y", "x"), None)
    np.testing.assert_array_equal(gpuplot.downsample(group, (5, 7)), gpuplot.downsample(array, (5, 7)))
    assert [group[str(k)].reads > 0 for k in range(3)] == [True, False, False]


def test_only_the_level_that_is_asked_for_is_opened(array):
    group = Group.of(levels_of(array, 4))
    gpuplot.to_rgba(group, level=2, index={0: 1}, rgb=False)
    assert [group[str(k)].reads > 0 for k in range(4)] == [False, False, True, False]


def test_a_list_is_a_pyramid_where_a_level_is_given(array):
    levels = levels_of(array[0], 3)
    for k, level in enumerate(levels):
        np.testing.assert_array_equal(gpuplot.to_rgba(levels, level=k), gpuplot.to_rgba(level))
    assert level_of(levels, 0) is None and level_of(levels, 2).ratios == (4.0, 4.0)


def test_a_tree_of_xarray_is_one_tensor_with_its_own_coordinates(array):
    xr = pytest.importorskip("xarray")
    nodes = {str(k): xr.Dataset({"t": xr.DataArray(level, dims=("y", "x"), coords={"y": 10.0 * np.arange(len(level)) * 2**k})})
             for k, level in enumerate(levels_of(array[0], 3))}
    tree = xr.DataTree.from_dict(nodes)
    images = [gpuplot.imshow(tree, level=k, ax=plt.figure().subplots()) for k in (None, 1)]
    assert [im.get_extent()[:2] for im in images] == [[-0.5, 127.5]] * 2
    assert [im.get_extent()[2:] for im in images] == [[-5.0, 955.0], [-10.0, 950.0]]  # its coordinates count
    assert gpuplot.stats(tree).shape == (96, 128)
    other = xr.DataTree.from_dict({name: node.assign(u=node.t) for name, node in nodes.items()})
    with pytest.raises(ValueError, match="has no pyramid"):
        gpuplot.imshow(other, level=1)


@pytest.mark.parametrize("X, level, error, text", [
    (np.zeros((4, 4)), 1, ValueError, "ndarray has no pyramid"),
    (np.zeros((4, 4)), 0, ValueError, "has no pyramid.*leave level out"),
    ([np.zeros((4, 4)), np.zeros((4, 4))], 1, ValueError, r"smaller than the one before.*\(4, 4\), \(4, 4\)"),
    ([np.zeros((4, 4)), np.zeros((2, 8))], 1, ValueError, "larger along none"),
    ([np.zeros((4, 4)), np.zeros(2)], 1, ValueError, "a list is a pyramid if"),
    ([1, 2], 1, ValueError, "these are int, int"),
    ([], 0, ValueError, "these are none"),
    ([np.zeros((4, 4)), np.zeros((2, 2))], 2, ValueError, "has 2 levels, 0 to 1"),
    ([np.zeros((4, 4)), np.zeros((2, 2))], -1, ValueError, "has 2 levels, 0 to 1"),
    ([np.zeros((4, 4)), np.zeros((2, 2))], True, TypeError, "level=True must be an integer"),
    ([np.zeros((4, 4)), np.zeros((2, 2))], 1.0, TypeError, "must be an integer"),
    ([np.zeros((4, 4)), np.zeros((2, 2))], "1", TypeError, "must be an integer"),
])
def test_what_has_no_such_level(X, level, error, text):
    for draw in (gpuplot.imshow, gpuplot.to_rgba, lambda X, level: gpuplot.downsample(X, (2, 2), level=level)):
        with pytest.raises(error, match=text):
            draw(X, level=level)


@pytest.mark.parametrize("name", ["stats", "hist", "plot", "compare", "grid", "asnumpy"])
def test_functions_without_levels_say_what_to_do(array, name):
    with pytest.raises((TypeError, AttributeError), match="level"):
        getattr(gpuplot, name)(Group.of(levels_of(array, 3)), level=1)


# ---- the place of a level ------------------------------------------------------------------------------------------------


def test_a_level_lies_where_level_0_does(array):
    group, axs = Group.of(levels_of(array, 4)), plt.figure().subplots(1, 3)
    images = [gpuplot.imshow(group, level=k, ax=ax, index={"z": 1}, rgb=False) for ax, k in zip(axs, (None, 1, 3), strict=True)]
    assert {tuple(im.get_extent()) for im in images} == {(-0.5, 127.5, 95.5, -0.5)}
    assert [im.plane.shape for im in images] == [(96, 128), (48, 64), (12, 16)]
    titles = [" ".join(ax.get_title().split()) for ax in axs]  # long ones are broken into lines
    assert titles == ["z = 1", "z = 1, level 1 of 4, a stored preview", "z = 1, level 3 of 4, a stored preview"]
    assert {ax.get_xlabel() for ax in axs} == {"x"} and {ax.get_aspect() for ax in axs} == {1.0}
    assert "level 3 of 4, a stored preview" in repr(images[2]) and "level" not in repr(images[0])
    images[2].set_index({"z": 2})
    assert axs[2].get_title().split() == "z = 2, level 3 of 4, a stored preview".split()


def test_elements_of_level_0_are_square_at_every_level(array):
    levels = [array[0], array[0][::2], array[0][::2, ::4]]
    for k in (1, 2):
        im = gpuplot.imshow(levels, level=k, ax=plt.figure().subplots())
        assert im.axes.get_aspect() == 1.0 and im.get_extent() == [-0.5, 127.5, 95.5, -0.5]


def test_the_pointer_names_elements_of_level_0(array):
    fig = plt.figure(figsize=(0.4, 0.4))
    ax = fig.add_axes((0, 0, 1, 1))
    im = gpuplot.imshow(levels_of(array[0], 3), level=1, ax=ax, aspect="auto")
    data = im.get_cursor_data(SimpleNamespace(**dict(zip("xy", ax.transData.transform((100, 50)), strict=True))))
    assert data.rows == range(25, 27) and "rows 50:54, columns" in data.text
    assert im.format_cursor_data(data).endswith("at level 1 of 3, a stored preview")


def test_view_and_index_are_elements_of_level_0(array):
    volume = np.repeat(array, 4, 0)  # 12 pages
    levels = [volume, volume[::4, ::2, ::2]]
    for z, page in ((3, 0), (4, 1), (11, 2)):
        np.testing.assert_array_equal(gpuplot.downsample(levels, (6, 5), view=((20, 44), (10, 110)), index={0: z}, level=1),
                                      gpuplot.downsample(levels[1][page], (6, 5), view=((10, 22), (5, 55))))
    crop = {0: 5, 1: slice(10, 31), 2: slice(None, None, -1)}
    np.testing.assert_array_equal(gpuplot.downsample(levels, (4, 5), view=((2, 20), (0, 128)), index=crop, level=1),
                                  gpuplot.downsample(levels[1][1, 5:16, ::-1], (4, 5), view=((1, 10), (0, 64))))
    with pytest.raises(IndexError, match="12 is out of range"):
        gpuplot.imshow(levels, index={0: 12}, level=1)
    with pytest.raises(ValueError, match="every 2th element"):
        gpuplot.imshow(levels, index={1: slice(None, None, 2)}, level=1)


def test_the_size_of_files_is_that_of_the_level(array, tmp_path):
    group = Group.of(levels_of(array, 3))
    gpuplot.imsave(tmp_path / "a.png", group, level=2, rgb=False)
    gpuplot.imsave(tmp_path / "b.png", group, level=2, rgb=False, blocking=False).result()
    pixels = [plt.imread(tmp_path / name) for name in ("a.png", "b.png")]
    assert pixels[0].shape == (24, 32, 4) and (pixels[0] == pixels[1]).all()
    assert b"level 2 of 3, a stored preview" in (tmp_path / "a.png").read_bytes()
    with pytest.raises(ValueError, match="level"):
        gpuplot.imsave(tmp_path / "c.png", group, level=1, grid=True)


def test_another_tensor_is_read_at_the_same_level(array):
    im = gpuplot.imshow(levels_of(array[0], 3), level=1)
    im.set_data(levels_of(array[1], 3))
    np.testing.assert_array_equal(np.asarray(im.get_array()), levels_of(array[1], 3)[1])
    with pytest.raises(ValueError, match="no pyramid"):
        im.set_data(array[1])


@pytest.mark.parametrize("translations, offsets", [(None, (0.0, 0.0)), ([0.0, 0.25, 0.75], (0.0, 0.0)), ([0.0, 0.0, 0.0], (-0.5, -1.5))])
def test_translations_are_those_of_centers(array, translations, offsets):
    group = Group.of(levels_of(array[0], 3))
    for k, dataset in enumerate(group.entry["datasets"]):
        dataset["coordinateTransformations"] += [{"type": "translation", "translation": [t[k]] * 2} for t in (translations,) if t]
    assert [level_of(group, k).offsets[0] for k in (1, 2)] == list(offsets)
    assert level_of(group, 2).ratios == (4.0, 4.0)


@pytest.mark.parametrize("scale", [[1.0, 1.0], [1e300, 1e-300], [4.0, 100.0], [5e-324, 5e-324]])
def test_scales_that_contradict_the_shapes_do_not_count(array, scale):
    group = Group.of(levels_of(array[0], 3))
    group.entry["datasets"][2]["coordinateTransformations"][0]["scale"] = scale
    assert level_of(group, 2).ratios == (4.0, 4.0)


@given(n_full=st.integers(1, 5000), ratio=st.sampled_from((2.0, 3.0, 4.0)), first=st.integers(0, 4999), n=st.integers(1, 5000))
@examples(100)
def test_elements_of_a_level_cover_each_element_of_level_0(n_full, ratio, first, n):
    from gpuplot.plane.chunks.level_view import _part

    n_level = max(1, int(n_full // ratio))
    level = Pyramid.of_list([np.empty(n_full), np.empty(n_level)]).level(1) if n_level < n_full else None
    part = range(first, min(first + n, n_full))
    if level is None or not part:
        return
    elements = _part(level, 0, part, n_level)
    covered = level.covered(0, elements)
    assert 0 <= elements.start < elements.stop <= n_level
    assert covered.start <= part.start and covered.stop >= part.stop - 1 >= part.start


# ---- the inspector and the command line ----------------------------------------------------------------------------------


def test_the_inspector_shows_a_level(array):
    from gpuplot.inspector.model.scene import Scene
    from gpuplot.options import CELLS, STREAM, STYLE, VIEW

    levels = [np.repeat(array, 2, 0), array[:, ::2, ::2]]
    scene = Scene(at_level(levels, 1), VIEW | CELLS | STYLE | STREAM | {"index": {0: 5}, "rgb": False})
    state = scene.state()
    assert state["slice"].endswith("level 1 of 2, a stored preview") and scene.index == {0: 2}
    assert state["rulers"]["x"] == {"first": 0.5, "step": 2.0, "is_date": False} and state["origin"] == "upper"
    np.testing.assert_array_equal(scene.draw((0, 48, 0, 64), (4, 4)).pixels[0],
                                  gpuplot.to_rgba(levels[1][2], (4, 4), vmin=scene.vmin, vmax=scene.vmax))


@pytest.mark.filterwarnings("ignore:an inspector is shown by")
def test_inspect_takes_level(array):
    pytest.importorskip("anywidget")
    with gpuplot.inspect(levels_of(array[0], 3), level=1) as w:
        assert w._controller.scene.state()["plane"] == [48, 64]
        w.update(levels_of(array[1][:48], 3))
        assert w._controller.scene.state()["plane"] == [24, 64]
        with pytest.raises(ValueError, match="no pyramid"):
            w.update(array)


def test_the_command_draws_a_level(array, tmp_path):
    zarr = pytest.importorskip("zarr")
    from command_line import command

    group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=2)
    for k, level in enumerate(levels_of(array[0], 3)):
        group.create_array(str(k), shape=level.shape, dtype="f4")[...] = level
    group.attrs.update(Group.of(levels_of(array[0], 3)).attrs)
    for level, shape in ((None, (96, 128, 4)), (2, (24, 32, 4))):
        command("a.zarr", *(["--level", level] if level else []), "--pixels", "-o", f"{level}.png", cwd=tmp_path)
        assert plt.imread(tmp_path / f"{level}.png").shape == shape
    command("a.zarr#1", "--pixels", "-o", "array.png", cwd=tmp_path)
    assert plt.imread(tmp_path / "array.png").shape == (48, 64, 4)


# ---- large levels, and metadata that are wrong ----------------------------------------------------------------------------


def test_each_function_reads_one_level_only(array, monkeypatch):
    pytest.importorskip("dask")
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", 100)
    group = Group.of(levels_of(array, 4))
    for k in (None, 1):
        for draw in (lambda **level: gpuplot.downsample(group, (5, 6), index={0: 1}, **level),
                     lambda **level: gpuplot.imshow(group, index={0: 1}, rgb=False, **level).figure.canvas.draw(),
                     lambda **level: gpuplot.to_rgba(group, (5, 6), robust=True, rgb=False, **level)):
            before = [group[str(n)].reads for n in range(4)]
            draw(level=k)
            assert [group[str(n)].reads > before[n] for n in range(4)] == [n == (k or 0) for n in range(4)]


MALFORMED = {
    "no list": lambda entry: {"multiscales": entry},
    "empty": lambda entry: {"multiscales": []},
    "text": lambda entry: {"multiscales": ["0"]},
    "no datasets": lambda entry: {"multiscales": [entry | {"datasets": []}]},
    "datasets of a dict": lambda entry: {"multiscales": [entry | {"datasets": {"0": "0"}}]},
    "no path": lambda entry: {"multiscales": [entry | {"datasets": [{"path": 0}]}]},
    "axes twice": lambda entry: {"multiscales": [entry | {"axes": [{"name": "x"}, {"name": "x"}]}]},
    "axes without names": lambda entry: {"multiscales": [entry | {"axes": [{"type": "space"}] * 2}]},
    "axes of other number": lambda entry: {"multiscales": [entry | {"axes": ["x"]}]},
    **{f"scale {scale}": lambda entry, scale=scale: {"multiscales": [entry | {"datasets": [
        {"path": "0", "coordinateTransformations": [{"type": "scale", "scale": scale}]}]}]}
       for scale in (0, [0, 1], [-1, 1], [float("nan"), 1], ["1", "1"], [True, True], [1, 1, 1], {}, [10**400, 1])},
    "transformations of a dict": lambda entry: {"multiscales": [entry | {"datasets": [
        {"path": "0", "coordinateTransformations": {"type": "scale"}}]}]},
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_metadata_are_an_error_that_names_the_array(array, case):
    group = Group.of(levels_of(array[0], 3))
    group.attrs = MALFORMED[case](group.entry)
    for level in (None, 1):
        with pytest.raises(ValueError, match=r"multiscales metadata.*X\['0'\]"):
            gpuplot.imshow(group, level=level)


@pytest.mark.parametrize("path, text", [("missing", "level 1 of the pyramid cannot be opened.*missing"),
                                        ("group", "is a Group, not an array"), ("flat", r"has shape \(5,\).*2 axes")])
def test_a_level_that_is_not_there_is_missed_only_when_it_is_read(array, path, text):
    group = Group.of(levels_of(array[0], 3))
    group.arrays |= {"group": Group({}, {}), "flat": np.zeros(5)}
    group.entry["datasets"][1]["path"] = path
    gpuplot.imshow(group)
    gpuplot.to_rgba(group, level=2)
    with pytest.raises(ValueError, match=text):
        gpuplot.imshow(group, level=1)


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
                        ("path", "scale", "type", "name", "axes", "datasets", "translation")), inner, max_size=4), max_leaves=6)


@given(st.data())
@examples(300)
def test_any_json_is_a_pyramid_or_a_clear_error(data):
    """One value of valid metadata is replaced by any JSON."""
    attributes = copy.deepcopy(Group.of(levels_of(np.arange(96.0).reshape(8, 12), 3), data.draw(st.sampled_from(("0.4", "0.5")))).attrs)
    *way, last = data.draw(st.sampled_from(list(_places(attributes))))
    node = attributes
    for step in way:
        node = node[step]
    node[last] = data.draw(JSON)
    group = Group.of(levels_of(np.arange(96.0).reshape(8, 12), 3))
    group.attrs = attributes
    for level in (None, 0, 1, 2):
        try:
            pixels = gpuplot.to_rgba(group, (3, 4), level=level)
        except (ValueError, TypeError) as error:
            assert "multiscales" in str(error) or "pyramid" in str(error) or "values under names" in str(error), error
        else:
            assert pixels.shape == (3, 4, 4)


def _places(node):
    """The ways to all values of JSON."""
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [way for key, value in inner for way in ((key,), *((key, *rest) for rest in _places(value)))]
