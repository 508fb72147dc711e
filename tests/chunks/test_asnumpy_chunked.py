"""`asnumpy` of arrays in chunks: batches of chunks are copied into an array of any dtype and layout, new or given."""

import numpy as np
import pytest
from chunked_arrays import numbers
from pieces import in_pieces

import gpuplot
from gpuplot.transfer import chunked, memory

pytestmark = pytest.mark.host("chunks are read by the host")


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int16", "bool", "masked", "complex64"])
@pytest.mark.parametrize("to", [None, "float32", "complex128", "int32"])
@pytest.mark.parametrize("order", "CFAK")
def test_elements_are_those_of_the_whole(dtype, to, order):
    array = numbers(np.random.default_rng(0), dtype, (30, 40, 5), 0.1)
    if to in ("float32", "int32") and dtype == "complex64":
        with pytest.raises(TypeError, match="complex"):
            gpuplot.asnumpy(in_pieces(array, (7, 40, 2))[0], to)
        return
    source, engine = in_pieces(array, (7, 40, 2))
    got, want = (gpuplot.asnumpy(X, to, order=order) for X in (source, array))
    assert got.dtype == want.dtype and np.ma.isMaskedArray(got) == np.ma.isMaskedArray(want)
    np.testing.assert_array_equal(np.ma.getmaskarray(np.ma.asarray(got)), np.ma.getmaskarray(np.ma.asarray(want)))
    np.testing.assert_array_equal(np.ma.filled(got, 0), np.ma.filled(want, 0))
    assert got.flags.c_contiguous if order != "F" else got.flags.f_contiguous
    assert set(engine.take_reads().values()) == {1}


def test_masked_integers_stay_masked():
    array = np.ma.array(np.arange(60).reshape(6, 10), mask=np.arange(60).reshape(6, 10) % 7 == 0)
    got = gpuplot.asnumpy(in_pieces(array, (4, 3))[0])
    np.testing.assert_array_equal(got.mask, array.mask)
    np.testing.assert_array_equal(got.compressed(), array.compressed())
    with pytest.raises(ValueError, match="elements are masked, and neither int64 nor out can mark them"):
        gpuplot.asnumpy(in_pieces(array, (4, 3))[0], out=np.empty((6, 10), np.int64))


def test_an_array_larger_than_memory_goes_to_a_file(tmp_path, monkeypatch):
    array = np.random.default_rng(0).normal(size=(300, 400)).astype("float32")
    source, engine = in_pieces(array, (70, 90))
    monkeypatch.setattr(memory, "SMALL_BYTES", 0)
    monkeypatch.setattr(memory, "available_bytes", lambda: 100_000)
    with pytest.raises(MemoryError, match=r"out=numpy\.lib\.format\.open_memmap"):
        gpuplot.asnumpy(source)
    assert engine.take_reads() == {}
    file = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", "float32", array.shape)
    assert gpuplot.asnumpy(source, out=file) is file
    np.testing.assert_array_equal(np.load(tmp_path / "X.npy"), array)


def test_few_chunks_wait_at_a_time(monkeypatch):
    array = np.random.default_rng(0).normal(size=(300, 400)).astype("float32")
    source, engine = in_pieces(array, (100, 100))
    sizes, run = [], engine.run
    engine.run = lambda tiles, *others: sizes.append(sum(map(len, tiles))) or run(tiles, *others)
    monkeypatch.setattr(chunked, "BATCH_BYTES", 3 * 40_000)
    done = []
    np.testing.assert_array_equal(gpuplot.asnumpy(source, progress=lambda n, n_all: done.append((n, n_all))), array)
    assert sizes == [3, 3, 3, 3]
    assert done[0] == (120_000, 480_000) and done[-1] == (480_000, 480_000)


def test_in_a_thread_and_stopped():
    array = np.random.default_rng(0).normal(size=(300, 400)).astype("float32")
    np.testing.assert_array_equal(gpuplot.asnumpy(in_pieces(array, (70, 90))[0], blocking=False).result(), array)

    def stop(done, n_all):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        gpuplot.asnumpy(in_pieces(array, (70, 90))[0], progress=stop)


def test_without_a_copy_it_cannot_be_had():
    source, engine = in_pieces(np.zeros((30, 40)), (7, 9))
    with pytest.raises(ValueError, match="copy=False, and a copy is needed: the elements lie in chunks"):
        gpuplot.asnumpy(source, copy=False)
    assert engine.take_reads() == {}
