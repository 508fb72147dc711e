"""Arguments and producers that lie: each gets one clear exception before anything is computed or written, and the next call works."""

import gpuplot
import numpy as np
import pytest
from capsules import Producer

from gpuplot.tensor import describe

A = np.arange(30.0).reshape(5, 6)


class Interface:
    """An object whose ``__array_interface__`` says what it is told to say."""

    memory = np.arange(24, dtype="f4")

    def __init__(self, **lies):
        self.__array_interface__ = {"version": 3, "typestr": "<f4", "data": (self.memory.ctypes.data, True), "shape": (4, 6)} | lies


class Raiser:
    """An object whose ``__array_interface__`` raises."""

    def __init__(self, error):
        self.error = error

    @property
    def __array_interface__(self):
        raise self.error


@pytest.mark.host("array interfaces are about host memory")
@pytest.mark.parametrize("lies", [
    {"shape": (-4, 6)}, {"shape": (2**62, 6)}, {"shape": (2**70, 6)}, {"shape": (4.5, 6)}, {"shape": None},
    {"shape": (1,) * 70}, {"strides": (2**62, 2**62)}, {"typestr": "<z9"}, {"typestr": "|O8"}, {"typestr": "|V4"},
    {"data": (0, False)}, {"data": None},
])
def test_lying_array_interfaces_are_refused(lies):
    """What cannot be true is one TypeError or ValueError that says something."""
    with pytest.raises((TypeError, ValueError), match=r"\w+ \w+"):
        gpuplot.downsample(Interface(**lies), (2, 3))
    np.testing.assert_array_equal(gpuplot.downsample(Interface(), (4, 6)), Interface.memory.reshape(4, 6))


@pytest.mark.host("array interfaces are about host memory")
def test_an_interface_that_says_something_else_later_is_refused():
    """What was described as float32 was shared as int32."""
    X = Interface()
    source = describe(X)
    for lies in ({"typestr": "<i4"}, {"shape": (3, 6)}):
        X.__array_interface__ = Interface(**lies).__array_interface__
        with pytest.raises(ValueError, match="the tensor was float32"):
            gpuplot.asnumpy(source)


@pytest.mark.host("arrays of NumPy that a device could not hold either")
def test_repetition_beyond_counting_is_no_fault_of_the_producer():
    with pytest.raises(ValueError, match=r"more than 2\^59 elements.*take a part of it"):
        gpuplot.asnumpy(np.lib.stride_tricks.as_strided(np.zeros(1, "u1"), (2**31, 2**31), (0, 0)), "f4")


@pytest.mark.parametrize("lies", [
    {"shape": (-2, 3)}, {"shape": (2**40, 2**40)}, {"strides": (2**60, 2**60)}, {"strides": (-(2**63), 1)}, {"is_null": True},
    {"ndim": -1}, {"ndim": 100}, {"dtype": (2, 32, 4)}, {"dtype": (2, 32, 0)}, {"dtype": (2, 4, 1)}, {"dtype": (99, 32, 1)},
    {"version": (9, 0)}, {"device": (99, -1)},
])
def test_lying_capsules_are_refused_and_released_once(lies):
    """A capsule that describes no tensor is refused, and its memory is let go exactly once."""
    producer = Producer(**lies)
    for call in (lambda: gpuplot.to_rgba(producer, (2, 3)), lambda: gpuplot.asnumpy(producer, order="K")):
        with pytest.raises((TypeError, ValueError), match=r"\w+ \w+"):
            call()
        assert producer.n_exports == producer.n_releases


def test_lack_of_memory_in_a_producer_is_a_memory_error():
    """A MemoryError of ``__array_interface__`` became a TypeError about the kind of tensor."""
    with pytest.raises(MemoryError):
        gpuplot.downsample(Raiser(MemoryError("none left")), (2, 2))
    with pytest.raises(gpuplot.UnsupportedError, match="no luck"):
        gpuplot.downsample(Raiser(RuntimeError("no luck")), (2, 2))


def test_a_step_that_is_never_taken_may_be_huge():
    """index={1: slice(None, None, 2**62)} multiplied the step by the stride: overflow, undefined in C."""
    np.testing.assert_array_equal(gpuplot.downsample(A, (5, 1), index={1: slice(None, None, 2**62)}), A[:, :1])
    np.testing.assert_array_equal(gpuplot.downsample(A, (1, 6), index={0: slice(-(2**70), None, 2**61)}), A[:1])


@pytest.mark.parametrize("keywords, error, message", [
    ({"agg": ""}, ValueError, "agg='' is not one of mean"), ({"agg": 0}, ValueError, "agg=0 is not one of mean"),
    ({"agg": False}, ValueError, "is not one of mean"), ({"agg": np.zeros(3)}, ValueError, "is not one of mean"),
    ({"dims": 3}, TypeError, "dims names axes with text"), ({"dims": [1, 2]}, TypeError, "dims names axes with text"),
    ({"rgb": 0}, ValueError, "rgb asks for colours"), ({"rgb": True}, ValueError, "rgb asks for colours"),
])
def test_falsy_and_uncountable_values_are_not_taken_for_defaults(keywords, error, message):
    """agg='' and agg=0 drew a mean, rgb=0 (an axis) counted as False, and dims=3 said that int is not iterable."""
    with pytest.raises(error, match=message):
        gpuplot.downsample(A, (2, 3), **keywords)


def test_rgb_false_is_a_plane_of_numbers():
    """False of Python and of NumPy both say that nothing is a colour."""
    for no in (False, np.False_, None):
        assert gpuplot.downsample(A, (5, 6), rgb=no).shape == (5, 6)


@pytest.mark.parametrize("gamma", ["a", [1.0], 0, -1, np.nan, np.inf, 1j])
def test_gamma_is_a_number_above_zero(gamma):
    """gamma='a' ended in NumPy's words about casting rules."""
    with pytest.raises(ValueError, match="must be a number above zero"):
        gpuplot.to_rgba(A, (2, 3), gamma=gamma)


def test_wrong_metadata_is_told_before_the_picture_is_made(tmp_path):
    """dpi and metadata were checked after the whole tensor had been read."""
    huge = np.broadcast_to(np.float32(1), (2**20, 2**40))  # would take long
    for keywords in ({"dpi": 0}, {"dpi": "a"}, {"metadata": 3}, {"metadata": {"k": "\0"}}):
        with pytest.raises((TypeError, ValueError), match="dpi|metadata"):
            gpuplot.imsave(tmp_path / "a.png", huge, width=2, **keywords)
    assert not list(tmp_path.iterdir())


def test_names_of_bytes_are_names(tmp_path):
    """A name of bytes, which open() takes, was refused as neither name nor file object."""
    gpuplot.imsave(bytes(tmp_path / "a.png"), A)
    with pytest.raises(ValueError, match="does not end in .png"):
        gpuplot.imsave(bytes(tmp_path / "a.jpg"), A)
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]
