"""`asnumpy` with ``out=``: any layout, overlaps, files, masks, and what is refused before anything is written."""

import os

import numpy as np
import pytest
from capsules import Producer
from stored_tensors import LAYOUTS

import gpuplot
from gpuplot.transfer import output

A = np.arange(24, dtype="f4").reshape(4, 6)
host = pytest.mark.host("arrays of the host have memory to share")


# ---- masks -------------------------------------------------------------------------------------------------------------

MASK = (np.arange(24) % 5 == 0).reshape(4, 6)


@pytest.mark.parametrize("dtype", [None, "f2", "f8", "c8"])
def test_masked_elements_are_nan_in_floats(dtype):
    found = gpuplot.asnumpy(np.ma.array(A, mask=MASK), dtype)
    assert type(found) is np.ndarray
    np.testing.assert_array_equal(np.isnan(found), MASK)
    np.testing.assert_array_equal(found[~MASK], A[~MASK])


@pytest.mark.parametrize("dtype", [None, "i2", "?", "u8"])
def test_masked_elements_stay_masked_in_integers(dtype):
    source = np.ma.array(A.astype("i4"), mask=MASK)[::-1]
    found = gpuplot.asnumpy(source, dtype)
    assert isinstance(found, np.ma.MaskedArray) and found.dtype == (dtype or "i4")
    np.testing.assert_array_equal(found.mask, MASK[::-1])
    np.testing.assert_array_equal(found.compressed(), source.compressed().astype(found.dtype))


@host
def test_masked_arrays_are_shared_where_nothing_has_to_change():
    integers, floats = np.ma.array(A.astype("i4"), mask=MASK), np.ma.array(A, mask=np.zeros(A.shape, bool))
    assert gpuplot.asnumpy(integers, copy=False) is integers
    found = gpuplot.asnumpy(floats, copy=False)
    assert type(found) is np.ndarray and np.shares_memory(found, floats.data)
    with pytest.raises(ValueError, match="masked elements become NaN"):
        gpuplot.asnumpy(np.ma.array(A, mask=MASK), copy=False)
    copied = gpuplot.asnumpy(integers, copy=True)
    assert not np.shares_memory(copied.data, integers.data) and not np.shares_memory(copied.mask, integers.mask)


def test_masks_go_to_out_where_it_has_one():
    for dtype in ("i4", "f4"):
        source = np.ma.array(A.astype(dtype), mask=MASK)
        out = np.ma.array(np.zeros(A.shape, "f8"), mask=~MASK)
        assert gpuplot.asnumpy(source, out=out) is out
        np.testing.assert_array_equal(out.mask, MASK)
        np.testing.assert_array_equal(out.compressed(), source.compressed())
        assert not np.shares_memory(out.mask, source.mask)
        assert gpuplot.asnumpy(A, out=out) is out and not np.ma.is_masked(out)
        np.testing.assert_array_equal(out.data, A)


def test_masks_are_not_lost_in_silence():
    source, out = np.ma.array(A.astype("i4"), mask=MASK), np.full(A.shape, 7)
    with pytest.raises(ValueError, match=r"elements are masked, and neither int64 nor out can mark them: give out=numpy\.ma\.empty"):
        gpuplot.asnumpy(source, out=out)
    assert (out == 7).all()
    source.mask = np.zeros(A.shape, bool)
    np.testing.assert_array_equal(gpuplot.asnumpy(source, out=out), A)
    with pytest.raises(ValueError, match=r"out\.soften_mask\(\)"):
        gpuplot.asnumpy(source, out=np.ma.array(A, mask=MASK, hard_mask=True))


# ---- out=  --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "?"])
def test_out_of_any_layout_gets_the_elements_and_nothing_else_is_touched(dtype):
    for layout in ("C", "F", "strided", "reversed", "unaligned"):
        values = (A % 2).astype(dtype)
        for source in (A % 2, np.asfortranarray(A % 2), (A % 2).astype(">f4")):
            whole = np.full(4096, 0x55, np.uint8)
            like = LAYOUTS[layout](values)
            before = sum((n - 1) * s for n, s in zip(A.shape, like.strides, strict=True) if s < 0)
            begin = 64 + (1 if layout == "unaligned" else 0) - min(0, before)
            out = np.ndarray(A.shape, dtype, whole.data, begin, like.strides)
            expected = whole.copy()
            np.ndarray(A.shape, dtype, expected.data, begin, like.strides)[...] = values
            assert gpuplot.asnumpy(source, out=out) is out
            np.testing.assert_array_equal(whole, expected)


def test_out_may_be_a_file(tmp_path):
    file = np.lib.format.open_memmap(tmp_path / "x.npy", "w+", "f2", A.shape)
    assert gpuplot.asnumpy(A[::-1], out=file) is file
    file.flush()
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), A[::-1])


def test_out_of_a_file_that_was_cut_off(tmp_path):
    """The process ended with a bus error."""
    out = np.memmap(tmp_path / "a.bin", "f8", "w+", shape=(1500, 100))
    os.truncate(tmp_path / "a.bin", 8192)
    with pytest.raises(ValueError, match=r"the file of the memmap, .*a.bin, has 8192 bytes now, .* needs 1200000: it was cut off"):
        gpuplot.asnumpy(np.ones((1500, 100)), out=out)


class OwnMask(np.ma.MaskedArray):
    """A subclass whose mask cannot be set."""

    @property
    def mask(self):
        return np.zeros(3, bool)


@pytest.mark.parametrize("mask", [None, "x", np.zeros(2, bool), np.zeros((2, 3), int), "own"], ids=["None", "text", "short", "int", "own"])
def test_out_with_a_mask_that_is_none(mask):
    """The elements were written, and NumPy's error about the mask came through; one of integers was written as bytes."""
    out = OwnMask(np.zeros((2, 3))) if isinstance(mask, str) and mask == "own" else np.ma.zeros((2, 3))
    if type(out) is np.ma.MaskedArray:
        out._mask = mask
    with pytest.raises(ValueError, match=r"out has a mask that cannot be written: .*give numpy.ma.empty"):
        gpuplot.asnumpy(np.ones((2, 3)), out=out)
    assert not np.asarray(out.data).any()


def test_out_of_one_element_and_of_none():
    for shape in ((), (1,), (0,), (3, 0)):
        out = np.full(shape, 7.0)
        assert gpuplot.asnumpy(np.full(shape, 5, "i2"), out=out) is out and (out == 5).all()


@pytest.mark.parametrize("move", [lambda a: a[::-1], lambda a: a.T, lambda a: a, lambda a: np.roll(a, 1)[::-1]])
def test_out_that_overlaps_its_source_is_written_as_numpy_does(move):
    whole = np.arange(36.0).reshape(6, 6)
    expected = move(whole).copy()
    gpuplot.asnumpy(move(whole), out=whole)
    np.testing.assert_array_equal(whole, expected)


@host
def test_out_that_overlaps_the_memory_of_another_library():
    producer = Producer(range(6), (2, 3))
    memory = np.frombuffer(producer.memory, "f4")
    out = memory.reshape(2, 3)[::-1, ::-1]
    gpuplot.asnumpy(producer, out=out)
    assert out.tolist() == [[0, 1, 2], [3, 4, 5]] and producer.n_releases == producer.n_exports


def test_out_whose_elements_share_memory_gets_the_last_ones():
    memory = np.zeros(8)
    for strides in ((8, 8), (0, 8), (16, 8)):
        out = np.lib.stride_tricks.as_strided(memory, (2, 3), strides)
        gpuplot.asnumpy(A[:2, :3], out=out)
        again = np.lib.stride_tricks.as_strided(np.zeros(8), (2, 3), strides)
        again[...] = A[:2, :3]
        np.testing.assert_array_equal(out, again)


def test_arrays_without_shared_elements_are_known(monkeypatch):
    """Or every strided result would be made twice."""
    for layout in ("C", "F", "strided", "reversed", "unaligned"):
        assert not output.overlaps_itself(LAYOUTS[layout](A))
    assert not output.overlaps_itself(np.zeros(3)[:, None])  # an axis of one element has any stride
    assert not output.overlaps_itself(np.zeros((3, 1))[:, :1]) and not output.overlaps_itself(np.broadcast_to(A[:0], (5, 0, 6)))


@pytest.mark.parametrize("out, kind, message", [
    ([[0.0]], TypeError, r"out is a list and must be a NumPy array, such as numpy\.empty\(X\.shape"),
    (np.zeros((4, 5)), ValueError, r"out has shape \(4, 5\) and the tensor \(4, 6\): give numpy\.empty\(\(4, 6\), 'float64'\)"),
    (np.zeros(24), ValueError, "out has shape"),
    (np.broadcast_to(1.0, (4, 6)), ValueError, "out is read-only"),
    (np.zeros((4, 6), ">f8"), ValueError, r"with out\[\.\.\.\] = gpuplot\.asnumpy\(X\)"),
    (np.zeros((4, 6), object), TypeError, "is not a dtype of numbers that asnumpy gives"),
    (np.zeros((4, 6), "U4"), TypeError, "is not a dtype of numbers that asnumpy gives"),
], ids=lambda value: None if isinstance(value, np.ndarray) else str(value)[:20])
def test_out_that_cannot_take_the_elements(out, kind, message):
    with pytest.raises(kind, match=message):
        gpuplot.asnumpy(A, out=out)


def test_out_and_the_other_choices():
    out = np.zeros(A.shape, "i4")
    with pytest.raises(ValueError, match="out has dtype int32 and dtype='float32' was asked for"):
        gpuplot.asnumpy(A, "f4", out=out)
    with pytest.raises(ValueError, match="copy=False, and out is an array to copy to"):
        gpuplot.asnumpy(A, out=out, copy=False)
    assert not out.any()
    assert gpuplot.asnumpy(A, "i4", out=out, copy=True, order="F") is out and out.any()
