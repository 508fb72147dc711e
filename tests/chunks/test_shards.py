"""Arrays spread over devices and processes: shards are read where they are, one gather exchanges states, all have the same bits."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backend_bases import MouseEvent
from processes import Processes, boxes_of
from scenes import scene_of

import gpuplot
from gpuplot.arrays import exchange as exchanges
from gpuplot.arrays.exchange import exchange, length_of, packed, room_for, unpacked
from gpuplot.arrays.shards import OVERHEAD_BYTES, grid_of
from gpuplot.errors import ChunkError, UnsupportedError
from gpuplot.plane.cell_states import packed_bytes
from gpuplot.statistics import chunked_slices

pytestmark = pytest.mark.host("threads stand for processes, in whose memory the shards are")


def normal(*shape):
    return np.random.default_rng(7).normal(size=shape).astype("float32")


def spread_over(n, array, *cuts, **options):
    """`Processes` that take the boxes of a grid in turn."""
    return Processes(array, [(box, k % n) for k, box in enumerate(boxes_of(array.shape, *cuts))], n, **options)


# ---- grids ---------------------------------------------------------------------------------------------------------------


@given(st.lists(st.lists(st.integers(1, 30), max_size=3, unique=True), min_size=1, max_size=3), st.randoms())
def test_boxes_in_any_order_make_their_grid(cuts, random):
    shape = (31,) * len(cuts)
    boxes = boxes_of(shape, *map(sorted, cuts))
    random.shuffle(boxes)
    empty = ((31, 31),) * len(cuts)
    chunks, index_of = grid_of(shape, [*boxes, boxes[0], empty])
    assert [len(sizes) for sizes in chunks] == [len(inner) + 1 for inner in cuts] and empty not in index_of
    for box, index in index_of.items():
        assert box == tuple((sum(sizes[:k]), sum(sizes[:k + 1])) for sizes, k in zip(chunks, index, strict=True))


@pytest.mark.parametrize("boxes", [[((0, 2), (0, 4)), ((2, 4), (0, 2))], [((0, 3), (0, 4)), ((1, 4), (0, 4))],
                                   [((0, 2), (0, 4)), ((2, 4), (0, 2)), ((2, 4), (2, 4))]])
def test_boxes_that_are_no_grid_are_refused(boxes):
    """A gap; parts that overlap, as strided shards seem to; three boxes in a pattern."""
    assert grid_of((4, 4), boxes) == (None, {})
    with pytest.raises(UnsupportedError, match=r"do not form a grid: put it together, together\(X\)"):
        Processes(np.zeros((4, 4)), [(box, 0) for box in boxes], 1).source(0)


# ---- messages ------------------------------------------------------------------------------------------------------------


@given(st.binary(max_size=5000), st.integers(0, 6000))
@examples(50)
def test_messages_are_words(message, room):
    words = packed(message, room_for(room))
    assert words.dtype == np.uint32 and room <= 4 * len(words) and len(words) % 256 == 0
    assert length_of(words) == len(message)
    if len(message) <= 4 * (len(words) - exchanges.HEADER_WORDS):
        assert unpacked(words) == message


@given(st.integers(1, 2**40))
def test_little_room_is_wasted(n_bytes):
    assert n_bytes <= 4 * (room_for(n_bytes) - exchanges.HEADER_WORDS) <= 1.13 * n_bytes + 4 * 2 * exchanges.MIN_WORDS


@pytest.mark.parametrize("expected, n_gathers", [(10**6, 1), (10, 2)])
def test_what_is_longer_than_expected_is_gathered_again(expected, n_gathers):
    seen = []

    def gather(words):
        seen.append(len(words))
        return np.stack([words, words])

    found = np.arange(50_000)
    for one in exchange(lambda: found, expected, gather):
        np.testing.assert_array_equal(one, found)
    assert len(seen) == n_gathers


# ---- one process ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cuts", [((7,), (100, 101)), ((), (50,)), ((80,), ()), ((), ())])
def test_shards_of_one_process_give_what_the_whole_gives(cuts, tmp_path):
    array = normal(150, 220)
    processes = spread_over(1, array, *cuts)
    X = processes.source(0)
    for agg in ("max", "std", "nearest"):
        np.testing.assert_allclose(gpuplot.downsample(X, (23, 29), agg=agg), gpuplot.downsample(array, (23, 29), agg=agg), rtol=1e-9)
    np.testing.assert_array_equal(gpuplot.to_rgba(X, (23, 29), robust=True), gpuplot.to_rgba(array, (23, 29), robust=True))
    np.testing.assert_array_equal(gpuplot.hist(X, 20).n, gpuplot.hist(array, 20).n)
    found, want = gpuplot.stats(X), gpuplot.stats(array)
    assert (found.min, found.argmax, found.median, found.percentiles) == (want.min, want.argmax, want.median, want.percentiles)
    image = gpuplot.imshow(X)
    image.figure.canvas.draw()
    assert image.axes.get_title() == "" and image.plane.boxes_elsewhere == [] and processes.gathered == []
    gpuplot.imsave(tmp_path / "whole.png", X, collective=True)
    assert processes.gathered == [] and (tmp_path / "whole.png").exists()


def test_shards_of_several_devices_are_looked_at_at_once():
    import threading

    array, seen, meeting = normal(40, 60), set(), threading.Barrier(4, timeout=20)
    processes = spread_over(1, array, (20,), (30,), devices=lambda box: box)
    X = processes.source(0)

    class Look:
        """Waits for the others."""

        def __call__(self, elements, index):
            meeting.wait()
            seen.add(threading.get_ident())
            return index

    every = [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert X.run([every], Look(), list) == [every] and len(seen) == 4


def test_a_shard_that_is_not_as_announced():
    processes = spread_over(1, normal(40, 60), (20,), ())
    X = processes.source(0)
    processes.array = normal(39, 60)
    with pytest.raises(ChunkError, match=r"shard \(1, 0\) has shape \(19, 60\) and should have \(20, 60\): put the array together"):
        gpuplot.downsample(X, (3, 4))


# ---- several processes, together -----------------------------------------------------------------------------------------


def numbers_of(stats):
    return np.array([stats.nan, stats.min, stats.median, *stats.argmax, *stats.hist])


CALLS = {
    "mean": lambda X, **how: gpuplot.downsample(X, (23, 29), **how),
    "std": lambda X, **how: gpuplot.downsample(X, (23, 29), agg="std", view=((10, 130), (220, -5)), **how),
    "elements": lambda X, **how: gpuplot.downsample(X, (40, 40), view=((60, 100), (90, 130)), **how),
    "pixels": lambda X, **how: gpuplot.to_rgba(X, (23, 29), **how),
    "robust": lambda X, **how: gpuplot.to_rgba(X, (23, 29), robust=True, **how),
    # With a range: a cached property, as that of the extremes is, has one lock for all threads in Python 3.11.
    "hist": lambda X, **how: gpuplot.hist(X, 20, range=(-9, 9), ax=plt.Figure().add_subplot(), **how).n,
    "stats": lambda X, **how: numbers_of(gpuplot.stats(X, **how)),
}


@pytest.mark.parametrize("call", CALLS)
def test_all_processes_have_the_same_bits(call):
    array = normal(150, 220)
    array[100, 7] = 0 if call == "hist" else np.nan
    processes = spread_over(3, array, (40, 41, 100), (70,))
    want = CALLS[call](array)
    found = processes.all_do(lambda X: CALLS[call](X, collective=True))
    assert len({one.tobytes() for one in found}) == 1
    np.testing.assert_allclose(found[0].astype(float), want.astype(float), rtol=1e-6, atol=1e-12)
    assert 1 <= len(processes.gathered) <= 6
    if call in ("mean", "std", "elements", "pixels"):
        assert len(processes.gathered) == 1
    alone = spread_over(1, array, (40, 41, 100), (70,)).source(0)
    np.testing.assert_array_equal(CALLS[call](alone), found[0])


@given(st.integers(1, 4), st.lists(st.integers(1, 199), max_size=4, unique=True), st.lists(st.integers(1, 299), max_size=3, unique=True),
       st.integers(1, 60), st.integers(1, 60))
@examples(25)
def test_no_more_than_touched_cells_cross(n, row_cuts, col_cuts, height, width):
    """At most (H + R - 1) (W + C - 1) cells of R x C shards, whatever the size of the tensor; padded to those of the busiest process."""
    array = normal(200, 300)
    processes = spread_over(n, array, sorted(row_cuts), sorted(col_cuts))
    processes.all_do(lambda X: gpuplot.downsample(X, (height, width), collective=True))
    n_shards = (len(row_cuts) + 1) * (len(col_cuts) + 1)
    cells = (height + len(row_cuts)) * (width + len(col_cuts)) * packed_bytes("mean")
    if n == 1:
        assert processes.gathered == []
    else:
        [crossed] = processes.gathered
        assert crossed <= n * 1.13 * (cells + OVERHEAD_BYTES * n_shards + 4096)


def test_weights_that_lie_alike():
    array, weights = normal(60, 80), np.abs(normal(80, 60).T)
    parts = [(box, k % 2) for k, box in enumerate(boxes_of(array.shape, (20,), (30,)))]
    values, heavy = Processes(array, parts, 2), Processes(weights, parts, 2)
    weights_of = {f"process {k} of 2": heavy.source(k) for k in range(2)}
    options = {"range": (-9, 9), "collective": True}
    found = values.all_do(lambda X: gpuplot.hist(X, 7, weights=weights_of[X.part_text], ax=plt.Figure().add_subplot(), **options).n)
    assert found[0].tobytes() == found[1].tobytes() and len(values.gathered) == 1
    np.testing.assert_allclose(found[0], np.histogram(array, 7, (-9, 9), weights=weights.astype(float))[0], rtol=1e-9)
    alone = Processes(array, [(box, 0) for box, _ in parts], 1).source(0)
    np.testing.assert_array_equal(gpuplot.hist2d(alone, alone, 5)[0], gpuplot.hist2d(array, array, 5)[0])


def test_copies_count_once():
    array = normal(60, 80)
    top, bottom = boxes_of(array.shape, (25,), ())
    processes = Processes(array, [(top, 0), (top, 1), (bottom, 1), (bottom, 2), (top, 3)], 4)
    for found in processes.all_do(lambda X: gpuplot.downsample(X, (7, 9), agg="sum", collective=True)):
        np.testing.assert_allclose(found, gpuplot.downsample(array, (7, 9), agg="sum"), rtol=1e-12)
    assert len(processes.gathered) == 1


def test_processes_that_all_have_all_ask_nobody():
    array = normal(60, 80)
    processes = Processes(array, [(box, k) for k in range(3) for box in boxes_of(array.shape, (25,), ())], 3)
    found = processes.all_do(lambda X: gpuplot.stats(X, collective=True).mean)
    assert len(set(found)) == 1 and processes.gathered == []
    assert processes.source(1).is_complete


def test_a_process_that_fails_lets_none_wait():
    array = normal(60, 80)
    processes = spread_over(3, array, (20, 40), ())
    shards = processes._shards

    def failing(process):
        if process == 1:
            raise MemoryError("no memory for it")
        return shards(process)

    processes._shards = failing
    found = processes.all_do(lambda X: gpuplot.stats(X, collective=True))
    assert [type(one).__name__ for one in found] == ["ChunkError", "MemoryError", "ChunkError"]
    assert str(found[0]) == "process 1 cannot read its part: MemoryError: no memory for it"


def test_the_first_process_alone_writes_a_file(tmp_path):
    array = normal(60, 80)
    processes = spread_over(2, array, (20,), ())
    processes.all_do(lambda X: gpuplot.imsave(tmp_path / f"{X.part_text}.png", X, collective=True))
    assert [path.name for path in tmp_path.iterdir()] == ["process 0 of 2.png"]
    with pytest.raises(ValueError, match="leave blocking=False and grid out"):
        gpuplot.imsave(tmp_path / "x.png", processes.source(0), blocking=False, collective=True)
    with pytest.raises(ValueError, match=r"bins='view' counts again at a zoom"):
        gpuplot.hist(processes.source(0), "view", collective=True)


def test_a_tensor_in_one_piece_may_be_asked_for_collectively():
    array = normal(60, 80)
    np.testing.assert_array_equal(gpuplot.downsample(array, (7, 9), collective=True), gpuplot.downsample(array, (7, 9)))
    assert gpuplot.stats({"w": array}, collective=True)["w"].min == array.min()
    with pytest.raises(ValueError, match="collective='yes' is not one of True, False"):
        gpuplot.downsample(array, (7, 9), collective="yes")


# ---- several processes, one alone ----------------------------------------------------------------------------------------


def test_an_image_of_one_process_shows_its_part_and_asks_nobody():
    array = normal(150, 220)
    processes = spread_over(2, array, (60,), (100,))
    figure, ax = plt.subplots()
    image = gpuplot.imshow(processes.source(0), ax=ax, cmap="gray")
    figure.canvas.draw()
    assert ax.get_title() == "process 0 of 2" and processes.gathered == []
    assert image.plane.boxes_elsewhere == [(0, 60, 100, 220), (60, 150, 100, 220)]
    assert image.get_clim() == (array[:, :100].min(), array[:, :100].max())
    here, elsewhere = (pixel_at(figure, ax, col, 75) for col in (50, 160))
    assert here != (235, 235, 235) == elsewhere
    pointers = [MouseEvent("motion_notify_event", figure.canvas, *ax.transData.transform((col, 9))) for col in (50, 160)]
    assert [image.get_cursor_data(pointer) is None for pointer in pointers] == [False, True]
    ax.set(xlim=(95, 105), ylim=(65, 55))
    figure.canvas.draw()  # elements
    values = image._cells.elements((55, 65, 95, 105), 0)
    np.testing.assert_array_equal(values[:, :5], array[55:65, 95:100])
    assert values[:, 5:].mask.all()
    image.freeze()
    assert image.plane.boxes_elsewhere == [(0, 60, 100, 220), (60, 150, 100, 220)]


def pixel_at(figure, ax, x, y):
    """The middle color of 15 x 15 pixels around a point of an Axes."""
    col, row = ax.transData.transform((x, y)).astype(int)
    around = np.asarray(figure.canvas.buffer_rgba())[::-1][row - 7:row + 8, col - 7:col + 8, :3]
    return tuple(int(level) for level in np.median(around, (0, 1)))


def test_hatches_lie_where_the_elements_would():
    array = normal(100, 200)
    processes = spread_over(2, array, (30,), ())
    for origin in ("upper", "lower"):
        figure, ax = plt.subplots()
        gpuplot.imshow(processes.source(1), ax=ax, origin=origin, extent=(0, 2, 0, 1), cmap="gray")
        figure.canvas.draw()
        ys = (0.85, 0.3) if origin == "upper" else (0.15, 0.7)
        assert pixel_at(figure, ax, 1, ys[0])[0] >= 166 != pixel_at(figure, ax, 1, ys[1])[0]


def test_an_index_in_another_process_and_a_process_without_a_part():
    array = normal(4, 50, 60)
    processes = spread_over(2, array, (2,), (), ())
    image = gpuplot.imshow(processes.source(0), index={0: 3}, rgb=False, ax=plt.Figure().add_subplot())
    assert image.plane.boxes_elsewhere == [(0, 50, 0, 60)]
    assert image.axes.get_title() == "axis 0 = 3, process 0 of 2"
    image.set_index({0: 1})
    assert image.plane.boxes_elsewhere == []
    nothing = Processes(array[0], [(box, 0) for box in boxes_of((50, 60), (), ())], 1).source(-1)
    image = gpuplot.imshow(nothing, ax=plt.Figure().add_subplot())
    image.figure.canvas.draw()
    assert image.axes.get_title() == "a process that has no part of it"


@pytest.mark.parametrize("call", [
    lambda X: gpuplot.downsample(X, (3, 4)), gpuplot.to_rgba, lambda X: gpuplot.imsave("x.png", X), gpuplot.stats, gpuplot.hist,
    lambda X: gpuplot.imshow(X).stats(), gpuplot.plot, lambda X: scene_of(X).stats("slice")])
def test_results_about_all_are_refused_to_one_process(call):
    processes = spread_over(2, normal(60, 8), (20,), ())
    with pytest.raises(UnsupportedError, match=r"spread over 2 processes: .*called in every process with collective=True, and imshow "
                                               r"and inspect show what is here; or put it together, together\(X\)"):
        call(processes.source(0))
    assert processes.gathered == []


def test_slices_of_several_processes_take_one_gather():
    array = normal(6, 20, 30)
    processes, want = spread_over(2, array, (2, 4), (), ()), gpuplot.stats(array, dim=(1, 2))
    for found in processes.all_do(lambda X: gpuplot.stats(X, dim=(1, 2), collective=True)):
        for name in ("max", "argmax", "median", "hist"):
            np.testing.assert_array_equal(getattr(found, name), getattr(want, name))
    assert len(processes.gathered) == 1


def test_what_knows_no_shards_says_what_to_do(monkeypatch):
    X = spread_over(2, normal(60, 80), (20,), ()).source(0)
    with pytest.raises(UnsupportedError, match=r"spread over 2 processes and would take 18.8 KB of memory.*part\(X\).*together\(X\)"):
        gpuplot.asnumpy(X)
    array = normal(60, 80)
    X = spread_over(1, array, (20,), ()).source(0)
    np.testing.assert_array_equal(gpuplot.asnumpy(X), array)
    monkeypatch.setattr(chunked_slices, "SLAB_BYTES", 1)
    with pytest.raises(UnsupportedError, match=r"dim: 2,000 slices of an array that is read shard by shard.*let JAX reduce it"):
        gpuplot.stats(spread_over(1, normal(20, 2000), (10,), ()).source(0), dim=0)
    with pytest.raises(UnsupportedError, match="x and weights have different chunks"):
        gpuplot.hist(X, 5, range=(0, 1), weights=spread_over(1, array, (21,), ()).source(0))
    X, weights = (Processes(array, [(box, (k + first) % 2) for k, box in enumerate(boxes_of(array.shape, (20,), ()))], 2).source(0)
                  for first in (0, 1))
    with pytest.raises(UnsupportedError, match=r"these arrays have shards on different devices but are read together: put them together"):
        gpuplot.hist(X, 5, range=(0, 1), weights=weights, collective=True)


def test_reduced_axes_that_are_cut():
    array = normal(6, 40, 50)
    processes, options = spread_over(2, array, (2,), (), ()), {"x": 2, "y": 1, "reduce": {0: "max"}}
    for found in processes.all_do(lambda X: gpuplot.downsample(X, (7, 9), agg="min", collective=True, **options)):
        np.testing.assert_array_equal(found, gpuplot.downsample(array, (7, 9), agg="min", **options))
    assert len(processes.gathered) == 1
    with pytest.raises(UnsupportedError, match="an axis lies in several processes, of which this is process 0 of 2: let JAX reduce it"):
        gpuplot.imshow(processes.source(0), **options)
    with pytest.raises(UnsupportedError, match=r"color channels, axis 0, lie in 2 shards.*rgb=False, or put it together, together\(X\)"):
        gpuplot.imshow(spread_over(1, array[:3], (2,), (), ()).source(0))


# ---- addends -------------------------------------------------------------------------------------------------------------


def addends_of(array, n):
    """`Processes` of which each has one of `n` addends of every element."""
    rng = np.random.default_rng(3)
    parts = [rng.normal(size=array.shape) for _ in range(n - 1)]
    box = tuple((0, size) for size in array.shape)
    return Processes(array, [(box, k) for k in range(n)], n, addends=[*parts, array - sum(parts)])


@pytest.mark.parametrize("options", [{}, {"agg": "sum"}, {"view": ((3, 9), (4, 9))}, {"view": ((0, 60), (80, 0))}])
def test_means_and_sums_of_addends(options):
    array = normal(60, 80).astype(float)
    array[7, 8], array[50, 60] = np.nan, np.inf
    for found in addends_of(array, 3).all_do(lambda X: gpuplot.downsample(X, (7, 9), collective=True, **options)):
        np.testing.assert_allclose(found, gpuplot.downsample(array, (7, 9), **options), rtol=1e-9, atol=1e-12)


def test_other_results_of_addends_name_the_way():
    processes = addends_of(normal(60, 80).astype(float), 2)
    calls = [lambda X, how=how: gpuplot.downsample(X, (7, 9), collective=True, **how)
             for how in ({"agg": "max"}, {"nan": "skip"}, {"agg": "std"}, {"agg": "nearest"})]
    calls += [lambda X: gpuplot.to_rgba(X, (7, 9), collective=True), lambda X: gpuplot.stats(X, collective=True)]
    for call in calls:
        for error in processes.all_do(call):
            assert isinstance(error, UnsupportedError) and "X.redistribute(placements=[Replicate()]" in str(error)
    assert processes.gathered == []
    with pytest.raises(UnsupportedError, match=r"a sum of 2 addends, one in each process: add them up first, together\(X\), or "
                                               "call downsample in every process"):
        gpuplot.downsample(processes.source(0), (7, 9))
    pixels = processes.all_do(lambda X: gpuplot.to_rgba(X, (7, 9), vmin=-1, vmax=1, collective=True))
    np.testing.assert_array_equal(pixels[0], gpuplot.to_rgba(processes.array, (7, 9), vmin=-1, vmax=1))
