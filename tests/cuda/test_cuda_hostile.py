"""Hostile users and exotic producers of CUDA tensors: each test begins with the failure that it is about."""

import copy
import gc
import io
import pickle
import sys
import threading

import capsules
import foreign_arrays as foreign
import matplotlib.pyplot as plt
import numpy as np
import pytest
from foreign_checks import A, assert_read

import gpuplot
from gpuplot import _native
from gpuplot.arrays import streams
from gpuplot.arrays.describe import describe
from gpuplot.errors import UnsupportedError
from gpuplot.plane import cell_budget

MASK = np.arange(24).reshape(4, 6) % 3 == 0
BIG = np.random.default_rng(0).normal(size=(1100, 1000)).astype("f4")


def test_a_capsule_that_two_threads_take_is_released_once(runtime):
    """Both became its owner: the driver is asked without the GIL between the look at the capsule and its renaming."""
    X, interval = foreign.Stranger(runtime, A), sys.getswitchinterval()

    def take(capsule, barrier, taken):
        barrier.wait()
        try:
            taken.append(_native.Tensor.from_dlpack(capsule))
        except BufferError as error:
            assert "used already" in str(error)

    sys.setswitchinterval(1e-6)
    try:
        for _ in range(100):
            capsule, barrier, taken = X.capsule(), threading.Barrier(3), []
            threads = [threading.Thread(target=take, args=(capsule, barrier, taken)) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len(taken) == 1
            taken[0].release()
            del capsule
    finally:
        sys.setswitchinterval(interval)
    assert X.n_exports == X.n_releases == 100


# ---- pinned memory ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("offset", "is_inside"), [(0, True), (4096 - 24, True), (4096 - 20, False), (-4, False)])
def test_pinned_memory_that_is_smaller_than_a_capsule_says(emulated, offset, is_inside):
    """The host read whatever lay there, or crashed."""
    with emulated.allocate(4096, "pinned") as memory:
        memory.host_view()[...] = 0
        X = capsules.Producer((), (2, 3), device=(capsules.PINNED, 0), address=memory.pointer + offset)
        if is_inside:
            assert gpuplot.asnumpy(X).tolist() == [[0, 0, 0]] * 2
        else:
            with pytest.raises(UnsupportedError, match=r"the pinned memory of the Producer is smaller than shape \(2, 3\) and strides of"):
                gpuplot.asnumpy(X)
        gc.collect()
        assert X.n_exports == X.n_releases


@pytest.mark.parametrize("offset", [0, 4096 - 20])
def test_device_memory_that_a_capsule_calls_pinned(emulated, offset):
    """The host read the device's addresses."""
    with emulated.allocate(4096) as memory:
        X = capsules.Producer((), (2, 3), device=(capsules.PINNED, 0), address=memory.pointer + offset)
        with pytest.raises(UnsupportedError, match="memory of the Producer is declared as pinned but is on a device"):
            gpuplot.asnumpy(X)
        gc.collect()
        assert X.n_exports == X.n_releases


# ---- the CUDA array interface -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("pointer", [0, None])
def test_a_mask_without_memory_is_no_missing_mask(runtime, pointer):
    """A null pointer meant that there is no mask: what it hides was drawn."""
    X, X.said = foreign.Wrapper(runtime, A), {}
    mask = foreign.Wrapper(runtime, MASK)
    X.said = {"mask": mask}
    assert describe(X).is_masked
    mask.said = {"data": (pointer, True)}
    with pytest.raises(UnsupportedError, match="mask of the Wrapper has elements but its data pointer is null"):
        describe(X)


def test_a_mask_of_its_own(runtime):
    """A RecursionError, told as if the library did not hand out its memory."""
    X = foreign.Wrapper(runtime, MASK)
    X.said = {"mask": X}
    with pytest.raises(UnsupportedError, match="not an array of bool and cannot be read"):
        describe(X)


def test_a_mask_whose_strides_are_too_few(runtime):
    """The error was that of zip()."""
    X, mask = foreign.Wrapper(runtime, A), foreign.Wrapper(runtime, MASK)
    X.said, mask.said = {"mask": mask}, {"strides": (1,)}
    with pytest.raises(ValueError, match="the mask has 1 strides for 2 dimensions"):
        describe(X)


@pytest.mark.parametrize("said, words", [
    ({"stream": -1}, "its stream is -1"), ({"stream": 2**70}, "its stream"), ({"data": (2**70, False)}, "its data pointer"),
    ({"data": (-5, False)}, "its data pointer is -5"), ({"strides": (2**70, 4)}, "its strides is"), ({"shape": (2**70, 6)}, "its shape is"),
])
def test_numbers_of_more_than_64_bits(runtime, said, words):
    """A bare OverflowError, "int too big to convert", named neither the interface nor the field."""
    X = foreign.Wrapper(runtime, A)
    X.said = said
    with pytest.raises(UnsupportedError, match=f"interface__ of the Wrapper is wrong: {words}"):
        describe(X)


# ---- DLPack -----------------------------------------------------------------------------------------------------------


def test_the_stride_of_a_single_element_may_be_anything():
    """The largest integer, which NumPy's debug builds put there, was refused for what it is in bytes."""
    for stride in (2**63 - 1, -2**63):
        producer = capsules.Producer(range(6), (1, 6), strides=(stride, 1))
        np.testing.assert_array_equal(gpuplot.downsample(producer, (1, 6)), [np.arange(6.0)])
    with pytest.raises(ValueError, match="stride 0 of the tensor is beyond"):
        gpuplot.downsample(capsules.Producer(range(6), (2, 3), strides=(2**63 - 1, 1)), (1, 1))


@pytest.mark.parametrize("kind, nested", [
    (foreign.Stranger, False), (foreign.Stranger, True), (foreign.NumbaArray, False),
])
def test_lists_of_device_arrays_are_to_be_stacked(runtime, kind, nested):
    """NumPy's words about objects, of a list in which it found nothing but them."""
    arrays = [kind(runtime, A), kind(runtime, A)]
    with pytest.raises(UnsupportedError, match=f"a list of {kind.__name__} objects in CUDA memory.*stack them"):
        gpuplot.to_rgba([arrays] if nested else arrays)


# ---- streams ----------------------------------------------------------------------------------------------------------


class Stream:
    """A stream of some library, which can neither be copied nor pickled."""

    cuda_stream = 0

    def __reduce_ex__(self, protocol):
        raise TypeError("no copies of streams")


@pytest.mark.parametrize("said", [(0,), None, 5, (0, 1, 2)])
def test_streams_that_break_their_protocol(said):
    """An IndexError of the tuple, or that None cannot be subscribed."""
    broken = type("Broken", (), {"__cuda_stream__": lambda self: said})()
    with pytest.raises(TypeError, match="__cuda_stream__ of the Broken is .*, not .version, handle.: give a handle"):
        gpuplot.to_rgba(A, stream=broken)
    with pytest.raises(TypeError, match="handle of the Infinite is not a number"):
        streams.handle_of(type("Infinite", (), {"ptr": float("inf")})())


def test_figures_travel_without_their_stream(runtime):
    """Pickling and deep copies of a figure failed, because the image keeps the stream that it was given."""
    fig, ax = plt.subplots(figsize=(2, 2))
    image = gpuplot.imshow(foreign.Stranger(runtime, BIG), ax=ax, stream=(stream := Stream()))
    fig.savefig(drawn := io.BytesIO(), format="raw")
    assert copy.deepcopy(image).stream is copy.copy(image).stream is stream
    other = pickle.loads(pickle.dumps(fig))
    assert other.axes[0].images[0].stream is None
    other.savefig(again := io.BytesIO(), format="raw")
    assert drawn.getvalue() == again.getvalue()
    plt.close("all")


# ---- threads ----------------------------------------------------------------------------------------------------------


def test_an_update_while_a_frame_is_counted(runtime):
    """The frame was None the second time that it was looked at: an AttributeError in the draw."""

    class Image:
        """An image whose frame another thread drops after the first look."""

        def __init__(self, frame):
            self.frames = [frame, None]

        @property
        def frame(self):
            return self.frames.pop(0) if len(self.frames) > 1 else self.frames[0]

    frame = type("Frame", (), {"device_bytes": 8})()
    cell_budget.keep_within_budget(Image(frame))
    gc.collect()


def test_facts_of_a_draw_that_an_update_overtook(runtime):
    """The limits of the old elements were kept for the new ones."""
    fig, ax = plt.subplots(figsize=(2, 2))
    X = foreign.Stranger(runtime, BIG)
    image = gpuplot.imshow(X, ax=ax)
    plane_reduce = image.plane.reduce

    def overtaken(*arguments, **options):
        frame = plane_reduce(*arguments, **options)
        image.update()
        X.late.rewrite(BIG + 1000, X.stream)
        return frame

    image.update()
    image.plane.reduce = overtaken
    fig.canvas.draw()
    del image.plane.reduce
    assert image._element_limits().min > 500
    plt.close("all")


def test_threads_that_update_what_is_drawn(runtime):
    """Nothing broke: kept, because everything about frames is looked at without a lock."""
    fig, ax = plt.subplots(figsize=(2, 2))
    X = foreign.Stranger(runtime, BIG)
    image, is_over, wrong = gpuplot.imshow(X, ax=ax), threading.Event(), []

    def update():
        try:
            while not is_over.wait(0.001):
                image.update()
        except Exception as error:
            wrong.append(error)

    thread = threading.Thread(target=update)
    thread.start()
    try:
        for _ in range(5):
            fig.canvas.draw()
    finally:
        is_over.set()
        thread.join()
    assert wrong == [] and X.n_exports == X.n_releases
    assert_read(X)
    plt.close("all")


def test_lists_of_arrays_whose_interface_alone_has_the_shape(runtime):
    """Arrays of three elements were taken for scalars that something had changed."""
    class Bare:
        def __init__(self, values):
            self.__cuda_array_interface__, self.kept = (array := foreign.Stranger(runtime, values)).interface(3, stream=None), array

    one, two = Bare(np.array(1.5, "f4")), Bare(np.array(2.5, "f4"))
    assert gpuplot.asnumpy([one, two]).tolist() == [1.5, 2.5]
    with pytest.raises(UnsupportedError, match="a list of Bare objects in CUDA memory cannot be read: stack them into one array first"):
        gpuplot.asnumpy([Bare(A), Bare(A)])


def test_scalars_of_a_list_that_are_masked_or_swapped(runtime):
    """The gather of scalars read the bytes alone: swapped ones as they lie there, masked ones as valid."""
    swapped, valid = foreign.Wrapper(runtime, np.array(1.5, ">f4")), foreign.Wrapper(runtime, np.array(2.5, "f4"))
    hidden, shown = foreign.Wrapper(runtime, np.array(7, "f4")), foreign.Wrapper(runtime, np.array(8, "f4"))
    swapped.said = {"typestr": ">f4"}
    hidden.said, shown.said = ({"mask": foreign.Wrapper(runtime, np.array(is_valid))} for is_valid in (False, True))
    assert gpuplot.asnumpy([swapped, valid]).tolist() == [1.5, 2.5]
    assert gpuplot.asnumpy([[swapped, 3.0], [4, valid]]).tolist() == [[1.5, 3], [4, 2.5]]
    np.testing.assert_array_equal(gpuplot.asnumpy([hidden, shown, swapped]), [np.nan, 8, 1.5])
    assert gpuplot.stats([hidden, shown]).masked == 1 and gpuplot.stats([shown, shown]).masked == 0


def test_complex_numbers_beside_scalars_of_a_device(runtime):
    """A ValueError of the native layer named a component: the number on the host was gathered as a plane."""
    X = foreign.Stranger(runtime, np.array(1.5, "f4"))
    for number in (2j, np.complex64(2j), np.array(2j)):
        assert gpuplot.asnumpy([X, number]).tolist() == [1.5, 2j]
