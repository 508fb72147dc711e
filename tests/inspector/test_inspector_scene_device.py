"""The inspector over device memory: what is copied to the host, what is kept on the device, and driver calls that fail."""

import gc
import weakref

import numpy as np
import pytest
from device_tensor import OnDevice, counts_added
from emulated_device import LAUNCH_FAILED, OUT_OF_MEMORY
from foreign_checks import PACES, written_on
from scenes import numbers, pixels, scene_of, snapshot, whole

from gpuplot import _native
from gpuplot.plane import cell_budget

pytestmark = pytest.mark.usefixtures("emulated")

SIZE = (24, 32)
CELL_BYTES, PIXEL_BYTES = 8 * 24 * 32, 4 * 24 * 32
# What a frame may move beside its pixels: color tables, edges of cells, facts about elements.
SMALL_CHANGE = 2**14

VALUES = numbers(5, 40, 60)


@pytest.fixture
def tensor(emulated):
    return OnDevice(emulated, VALUES)


def test_frames_are_those_of_the_host_and_only_pixels_cross(tensor):
    scene = scene_of(tensor, index={0: 1})
    assert scene.state()["tensor"]["device"] == "cuda:0"
    change = counts_added(lambda: whole(scene, SIZE))
    assert PIXEL_BYTES <= change["bytes_to_host"] < PIXEL_BYTES + SMALL_CHANGE
    assert np.array_equal(pixels(scene, SIZE), pixels(scene_of(VALUES, index={0: 1}), SIZE))


def test_opacities_on_the_device_stay_there(emulated, tensor):
    """Of them, too, only what cells need crosses, at each change of the view."""
    alpha = np.random.default_rng(0).random(VALUES.shape[1:], "f4")
    given = {"alpha": OnDevice(emulated, alpha)}
    scenes, size = [], (6, 8)
    assert counts_added(lambda: scenes.append(scene_of(tensor, **given)))["bytes_to_host"] < alpha.nbytes
    scene, = scenes
    assert counts_added(lambda: whole(scene, size))["bytes_to_host"] < alpha.nbytes
    assert np.array_equal(pixels(scene, size), pixels(scene_of(VALUES, alpha=alpha), size))
    seen = weakref.ref(given.pop("alpha"))
    scene.close()
    gc.collect()
    assert seen() is None


def test_other_colors_are_one_launch_over_the_cells_that_are_kept(tensor):
    scene = scene_of(tensor)
    whole(scene, SIZE)
    scene.change({"cmap": "magma", "vmin": -1.0, "norm": "asinh"})
    assert counts_added(lambda: whole(scene, SIZE))["n_launches"] == 1


def test_cells_are_part_of_the_budget_of_all_images_and_inspectors(tensor, monkeypatch):
    gc.collect()
    monkeypatch.setattr(cell_budget, "MAX_DEVICE_BYTES", 2 * CELL_BYTES)
    scenes = [scene_of(tensor, limits="elements") for _ in range(3)]
    for scene in scenes:
        whole(scene, SIZE)
    assert [scene._store.frame is None for scene in scenes] == [True, False, False]
    assert counts_added(lambda: whole(scenes[0], SIZE))["n_launches"] > 1
    assert [scene._store.frame is None for scene in scenes] == [False, True, False]


@pytest.mark.parametrize("end", [lambda scene: scene.close(), lambda scene: scene.update(VALUES)])
def test_cells_go_when_they_are_of_no_use(tensor, end):
    scene = scene_of(tensor)
    whole(scene, SIZE)
    assert scene._store.frame.device_bytes == CELL_BYTES
    end(scene)
    assert scene._store.frame is None


@pytest.mark.parametrize("call, code", [("cuLaunchKernel", LAUNCH_FAILED), ("cuMemAllocFromPoolAsync", OUT_OF_MEMORY)])
def test_a_driver_call_that_fails_is_said_and_the_next_frame_is_right(tensor, emulator, call, code):
    """Memory that is not there is asked for again after what is only kept was let go: then there is nothing to say."""
    scene, other = scene_of(tensor), scene_of(VALUES)
    wanted = pixels(scene, SIZE)
    for one in (scene, other):
        one.change({"index": {0: 1}})
    emulator.fail(call, code=code)
    shown = scene.draw((0, 40, 0, 60), (25, 33)).pixels
    has_failed = emulator.failures() > 0
    if has_failed and code != OUT_OF_MEMORY:
        assert not shown.any() and "CUDA_ERROR" in snapshot(scene)["text"]
    elif has_failed:
        assert snapshot(scene)["text"] == "" and np.array_equal(shown, other.draw((0, 40, 0, 60), (25, 33)).pixels)
    scene.change({"index": {0: 0}})
    assert np.array_equal(pixels(scene, SIZE), wanted) and snapshot(scene)["text"] == ""


def test_everything_that_can_be_asked(tensor):
    scene, host = scene_of(tensor), scene_of(VALUES)
    for one in (scene, host):
        one.change({"index": {0: 2}})
    for ask in (lambda one: one.hover(5.5, 6.5, 0, (1, 1)), lambda one: one.hover(5.5, 6.5, 0, (4, 3)),
                lambda one: one.values((0, 3, 0, 4), 0), lambda one: one.jump(1),
                lambda one: one.histogram("all", None), lambda one: one.stats("slice", None)):
        assert ask(scene) == ask(host)
    assert _native.cuda_counts(0)["n_launches"] > 0


def test_a_difference_between_a_device_and_the_host(tensor):
    scene = scene_of({"there": tensor, "here": VALUES})
    scene.change({"item": 2})
    assert (scene.vmin, scene.vmax) == (0.0, 0.0)
    assert len(np.unique(pixels(scene, SIZE).reshape(-1, 4), axis=0)) == 1


@pytest.mark.parametrize("pace", PACES)
def test_a_loop_s_stream_is_waited_for_by_an_event_and_by_no_host(runtime, emulated, own_stream, pace):
    """What a loop queued before `update` is in the frame after it; the device as a whole is never waited for."""
    with emulated.mode("forward", pace, seed=3):
        X = written_on(runtime, "torch", own_stream)
        scene = scene_of(X, limits="elements")
        whole(scene, SIZE)
        emulated.clear_counts()
        for k in (2, -3):
            values = (X.values * k).astype(X.values.dtype)
            X.late.rewrite(values, own_stream)
            scene.update(X)
            shown = pixels(scene, SIZE)
            assert np.array_equal(shown, pixels(scene_of(values), SIZE))
        counts = emulated.counts()
        assert counts.get("cuCtxSynchronize", 0) == 0 and counts["cuStreamWaitEvent"] >= 2
        X.free()
