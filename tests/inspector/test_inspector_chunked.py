"""An inspector of an array in chunks shows the same as one of the whole array, and reads only the chunks that it needs."""

import itertools

import numpy as np
import pytest
from chunked_arrays import cut_arrays, numbers
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from inspector_fakes import Rig
from pieces import in_pieces
from scenes import scene_of

import gpuplot
from gpuplot import _native
from gpuplot.arrays import kept_chunks
from gpuplot.arrays.kept_chunks import KeptChunks
from gpuplot.arrays.run_progress import RunWatch
from gpuplot.plane.chunks.chunk_search import find_in_chunks
from gpuplot.plane.limits import find_element
from gpuplot.plane.view import choose

pytestmark = pytest.mark.host("chunks are read by the host")

NOT_FINITE = _native.HAS_NAN | _native.HAS_POS_INF | _native.HAS_NEG_INF


@pytest.fixture
def pair():
    """A scene of the whole, one of chunks, and the engine that counts reads."""
    array = numbers(np.random.default_rng(0), "float32", (5, 400, 500))
    array[2, 333, 444] = np.nan
    source, engine = in_pieces(array, (1, 100, 100))
    return scene_of(array), scene_of(source), engine


def same_frames(whole, cut, window, size):
    want, got = whole.draw(window, size), cut.draw(window, size)
    np.testing.assert_array_equal(got.pixels, want.pixels)
    assert got.limits == want.limits


def test_frames_are_those_of_the_whole_and_read_what_is_seen(pair):
    whole, cut, engine = pair
    assert engine.take_reads() == {}
    same_frames(whole, cut, (0, 400, 0, 500), (40, 50))
    assert engine.take_reads() == {(0, row, col): 1 for row in range(4) for col in range(5)}  # pixels and limits
    same_frames(whole, cut, (110, 190, 210, 290), (40, 40))
    assert engine.take_reads() == {(0, 1, 2): 1}
    same_frames(whole, cut, (110, 120, 210, 220), (80, 80))  # single elements
    assert set(engine.take_reads()) == {(0, 1, 2)}
    for scene in (whole, cut):
        scene.change({"cmap": "magma"})
    same_frames(whole, cut, (110, 120, 210, 220), (80, 80))
    assert engine.take_reads() == {}
    for scene in (whole, cut):
        scene.change({"index": {0: 3}})
    same_frames(whole, cut, (110, 120, 210, 220), (80, 80))
    assert {index[0] for index in engine.take_reads()} == {3}


def test_the_state_says_that_a_look_at_the_whole_is_slow(pair):
    whole, cut, _ = pair
    assert cut.state()["is_slow"] and not whole.state()["is_slow"]


def test_a_view_beside_a_chunk_that_cannot_be_read_has_a_remedy(pair):
    """Its limits are those of the whole slice; with those of the view it is drawn."""
    _, cut, engine = pair
    read = engine.chunk

    def fails(index):
        if index[1:] == (3, 4):
            raise gpuplot.ChunkError("the disk is gone")
        return read(index)

    engine.chunk = fails
    cut.change({"view": ((0, 200), (0, 200))})
    cut.draw((0, 200, 0, 200), (40, 40))
    assert 'region="view"' in cut.state()["text"]
    cut.change({"region": "view"})
    cut.draw((0, 200, 0, 200), (40, 40))
    assert cut.state()["text"] == ""
    cut.change({"region": "slice", "view": None})
    cut.draw((0, 400, 0, 500), (40, 40))
    assert "the disk is gone" in cut.state()["text"] and "region" not in cut.state()["text"]


def test_robust_limits_take_one_more_pass(pair):
    """Counts come with the cells of the first frame; a zoom reads what is seen."""
    whole, cut, engine = pair
    for scene in (whole, cut):
        scene.change({"robust": (1, 98)})
    same_frames(whole, cut, (0, 400, 0, 500), (40, 50))
    assert sum(engine.take_reads().values()) == 2 * 20
    same_frames(whole, cut, (110, 190, 210, 290), (40, 40))
    assert engine.take_reads() == {(0, 1, 2): 1}


def test_the_pointer_reads_a_chunk_once(pair):
    whole, cut, engine = pair
    for scene in (whole, cut):
        scene.draw((0, 400, 0, 500), (40, 50))
    engine.take_reads()
    for row, col, cell in ((155.5, 165.5, (10, 10)), (151.5, 161.5, (1, 1)), (120.5, 199.5, (10, 5))):
        assert cut.hover(row, col, cell=cell, origin=(0, 0)) == whole.hover(row, col, cell=cell, origin=(0, 0))
        assert cut.cursor(row, col, cell=cell) == whole.cursor(row, col, cell=cell)
    assert engine.take_reads() == {(0, 1, 1): 1}
    assert cut.values((105, 110, 195, 205)) == whole.values((105, 110, 195, 205))
    assert engine.take_reads() == {(0, 1, 2): 1}
    cut.update(in_pieces(np.zeros((5, 400, 500), "float32"), (1, 100, 100))[0])
    assert cut.hover(150.5, 160.5)["value"] == "0"


def test_numbers_beside_the_picture(pair):
    whole, cut, engine = pair
    for region in ("slice", "view", "all"):
        for scene in (whole, cut):
            scene.draw((100, 200, 150, 250), (50, 50))
        engine.take_reads()
        assert cut.histogram(region) == whole.histogram(region)
        assert max(engine.take_reads().values()) <= 2
        assert cut.stats(region) == whole.stats(region)
        assert max(engine.take_reads().values()) <= 4
    assert cut.state()["tensor"]["notes"] == ["100 chunks of 1 × 100 × 100, read where they are seen"]


def test_the_selection_has_statistics(pair):
    whole, cut, engine = pair
    for scene in (whole, cut):
        scene.change({"selection": ((10, 90), (20, 80))})
    engine.take_reads()
    got, want = cut.selection.stats, whole.selection.stats
    assert (got.min, got.max, got.argmax, got.mean) == (want.min, want.max, want.argmax, pytest.approx(want.mean, rel=1e-12))
    assert set(engine.take_reads()) == {(0, 0, 0)}


def test_the_next_nan_is_found(pair):
    whole, cut, _ = pair
    assert cut.jump(1) == whole.jump(1) and cut.index == whole.index == {0: 2}
    assert cut.jump(1) == whole.jump(1)
    assert cut.jump(-1) == whole.jump(-1)


@given(cut_arrays(), st.booleans())
@examples(100)
def test_searches_find_what_they_find_in_the_whole(case, is_backwards):
    array, source, _, options = case
    view = choose(array.shape, None, source.dtype, index=options.get("index"), rgb=False)
    whole = in_pieces(array, [(n,) for n in array.shape])[0]
    rng, n = np.random.default_rng(0), view.shape[0] * view.shape[1]
    for start in {0, n - 1, *rng.integers(0, n, 3).tolist()}:
        got, want = (find_in_chunks(one, view, NOT_FINITE, start, is_backwards) for one in (source, whole))
        assert got == want == _found(array, view, start, is_backwards)


def _found(array, view, start, is_backwards):
    from gpuplot.arrays.describe import describe

    return find_element(describe(array), view, NOT_FINITE, start, is_backwards)


def test_a_search_ends_at_the_row_of_chunks_with_the_element():
    array = np.zeros((400, 300), "float32")
    array[[150, 390], [20, 5]] = np.nan
    source, engine = in_pieces(array, (100, 100))
    view = choose(array.shape, None, "float32")
    assert find_in_chunks(source, view, NOT_FINITE, 0) == 150 * 300 + 20
    assert set(engine.take_reads()) == set(itertools.product(range(2), range(3)))
    assert find_in_chunks(source, view, NOT_FINITE, 400 * 300 - 1, True) == 390 * 300 + 5
    assert set(engine.take_reads()) == {(3, col) for col in range(3)}


def test_lines():
    y = numbers(np.random.default_rng(1), "float32", (50_000,), 0.001)
    source, engine = in_pieces(y, (1000,))
    whole, cut = scene_of(y), scene_of(source)
    for window in ((0, 1, 0, 50_000), (0, 1, 20_500, 29_400), (0, 1, 100, 130)):
        want, got = (scene.draw(window, (100, 200)) for scene in (whole, cut))
        np.testing.assert_allclose(got.line, want.line, rtol=1e-12)
        np.testing.assert_array_equal(got.line[[0, 1, 3, 4]], want.line[[0, 1, 3, 4]])
        engine.take_reads()
    assert cut.hover(0, 120.5)["text"] == whole.hover(0, 120.5)["text"]
    assert engine.take_reads() == {(0,): 1}


def test_facets_and_classes():
    array = np.random.default_rng(3).integers(0, 5, (3, 4, 60, 80)).astype("int16")
    source, _ = in_pieces(array, (1, 1, 20, 30))
    whole, cut = scene_of(array, index={0: 1}), scene_of(source, index={0: 1})
    for scene in (whole, cut):
        scene.change({"columns": 1})
    same_frames(whole, cut, (0, 60, 0, 80), (30, 40))
    assert (cut.cmap, cut.agg) == (whole.cmap, whole.agg) and cut.agg == "nearest"


def test_colors_of_bands_that_lie_in_chunks_of_their_own():
    array = np.random.default_rng(1).random((3, 60, 80), "float32")
    dask_array = pytest.importorskip("dask.array", reason="joins chunks: pip install dask")
    whole, cut = scene_of(array), scene_of(dask_array.from_array(array, chunks=(1, 20, 30)))
    for window, size in (((0, 60, 0, 80), (30, 40)), ((10, 20, 30, 40), (40, 40))):
        same_frames(whole, cut, window, size)
    assert cut.hover(30.5, 40.5) == whole.hover(30.5, 40.5)
    assert cut.stats("slice") == whole.stats("slice") and cut.histogram("slice") == whole.histogram("slice")
    for scene in (whole, cut):
        scene.change({"index": {0: 1}, "x": 2, "y": 1})
    same_frames(whole, cut, (0, 60, 0, 80), (30, 40))
    with pytest.raises(gpuplot.UnsupportedError, match="the color channels, axis 0, lie in 3 chunks"):
        scene_of(in_pieces(array, (1, 20, 30))[0])  # of an engine that joins none


def test_two_arrays_and_their_difference():
    a, b = (numbers(np.random.default_rng(k), "float32", (200, 300)) for k in range(2))
    whole, cut = scene_of({"a": a, "b": b}), scene_of({"a": in_pieces(a, (90, 90))[0], "b": in_pieces(b, (70, 110))[0]})
    for scene in (whole, cut):
        scene.change({"item": "a − b"})
    want, got = (scene.draw((0, 200, 0, 300), (20, 30)) for scene in (whole, cut))
    assert np.abs(want.pixels.astype(int) - got.pixels).max() <= 2
    assert cut.hover(100.5, 100.5) == whole.hover(100.5, 100.5)


def test_a_page_is_served():
    array = numbers(np.random.default_rng(0), "float32", (5, 400, 500))
    source, engine = in_pieces(array, (1, 100, 100))
    rig = Rig(scene_of(source))
    rig.say("ready")
    rig.look(window=[100, 200, 100, 200], size=[50, 50])
    rig.until("frame")
    assert not rig.heard("error")
    engine.take_reads()
    rig.say("hover", row=150.0, col=150.0, facet=0)
    rig.until("hover")
    assert rig.heard("hover")[-1]["text"] and engine.take_reads() == {(0, 1, 1): 1}


def test_the_picture_comes_before_numbers_that_take_long():
    source, _ = in_pieces(numbers(np.random.default_rng(0), "float32", (400, 500)), (100, 100))
    rig = Rig(scene_of(source))
    rig.say("ready")
    rig.say("stats", region="slice")
    rig.look(window=[0, 400, 0, 500], size=[50, 50])
    rig.until("frame")
    assert not rig.heard("stats")
    rig.now += 0.3
    rig.until("stats")
    assert rig.heard("stats")[-1]["kind_counts"]["nan"] == 0


def test_no_bar_is_shown_below_the_cell(monkeypatch):
    from gpuplot.arrays import run_progress

    monkeypatch.setattr(run_progress, "Bar", None)
    scene = scene_of(in_pieces(np.zeros((400, 500), "float32"), (100, 100))[0])
    assert scene.draw((0, 400, 0, 500), (40, 50)).pixels is not None
    assert scene.state()["text"] == ""
    scene.hover(10.5, 10.5)
    scene.stats("slice")


def test_kept_chunks_are_few():
    def first(elements, index):
        return {float(elements[0])}

    source, engine = in_pieces(np.arange(1000.0), (100,))
    kept = KeptChunks(source, max_bytes=1600)
    for ks in ((0,), (0, 1), (1,), (2,), (1,), (0,)):
        kept.run([[(k,) for k in ks]], first, lambda found: set.union(*found), RunWatch())
    assert engine.take_reads() == {(0,): 2, (1,): 1, (2,): 1}
    assert kept.run([[(0,), (1,)], [(2,)]], first, lambda found: set.union(*found), RunWatch()) == [{0, 100}, {200}]
    assert set(engine.take_reads()) == {(0,), (1,), (2,)}  # together they are too many
    assert kept_chunks.MAX_KEPT_BYTES == 64 * 2**20
