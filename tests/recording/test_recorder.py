"""`Recorder`: pictures and numbers by step, in files that are whole or absent, without waits of the loop."""

import importlib
import threading
import warnings

import numpy as np
import pytest
from matplotlib.colors import LogNorm, Normalize
from on_device import there
from PIL import Image
from recorded import record_some, records_of, weights

import gpuplot
from gpuplot.arrays import frozen
from gpuplot.arrays.describe import describe
from gpuplot.picture.render_spec import RenderSpec
from gpuplot.recording import recorder
from gpuplot.recording.queue import Room, WorkQueue


def test_pictures_are_those_of_imsave(tmp_path):
    record_some(tmp_path / "run")
    found = [record for record in records_of(tmp_path / "run") if record["kind"] == "image"]
    assert [(record["name"], record["step"]) for record in found] == [("a/b", step) for step in range(4)]
    gpuplot.imsave(tmp_path / "want.png", weights(2), width=30, cmap="magma")
    assert (tmp_path / "run" / found[2]["path"]).read_bytes() == (tmp_path / "want.png").read_bytes()


def test_statistics_are_those_of_stats(tmp_path):
    record_some(tmp_path / "run")
    found = [record for record in records_of(tmp_path / "run") if record["kind"] == "stats"][3]
    want = gpuplot.stats(weights(3), bins=8)
    assert found["counts"] == want.hist.tolist() and found["ends"] == want.bin_edges[[0, -1]].tolist()
    assert found["numbers"]["mean"] == want.mean and found["numbers"]["nan"] == 0


def test_numbers_are_python_numbers_and_tensors_of_one_element(tmp_path):
    values = [0.5, 3, True, np.float32(0.25), there(np.array([[1.5]])), there(np.array(2**62 + 1)), np.nan]
    with gpuplot.Recorder(tmp_path / "run", wait=True) as record:
        assert all(record.scalar("loss", value, step) for step, value in enumerate(values))
    found = records_of(tmp_path / "run")
    assert {record["kind"] for record in found} == {"scalar"}
    assert repr([record["value"] for record in found]) == repr([0.5, 3, 1, 0.25, 1.5, 2**62 + 1, None])  # True is equal to 1
    with gpuplot.Recorder(tmp_path / "run") as record:
        assert record.scalar("loss", 4, 9) and not gpuplot.Recorder(tmp_path / "other", every=2).scalar("loss", 4, 9)
    assert len(records_of(tmp_path / "run")) == 8


@pytest.mark.parametrize("value, kind, said", [
    ([1.0, 2.0], ValueError, "one real number is recorded at a step, not float64 of shape"), ([], ValueError, "one real"),
    (1j, TypeError, "not complex128"), ("0.5", gpuplot.UnsupportedError, "text is not numbers"), (None, TypeError, "None")], ids=str)
def test_what_is_no_number_is_refused(tmp_path, value, kind, said):
    with gpuplot.Recorder(tmp_path / "run") as record, pytest.raises(kind, match=said):
        record.scalar("loss", value, 0)
    assert records_of(tmp_path / "run") == []


def test_statistics_of_several_tensors_have_a_row_each(tmp_path):
    model = {"fc": {"weight": there(weights(0)), "bias": there(weights(0)[0])}, "name": "net", "grad": None, "step": 3}
    with gpuplot.Recorder(tmp_path / "run", wait=True, every=2) as record:
        assert record.stats("net", model, 0) and not record.stats("net", model, 1)
        assert record.stats("pairs", ((name, weights(1)) for name in "ab"), 2)
    assert [line["name"] for line in records_of(tmp_path / "run")] == ["net.fc.weight", "net.fc.bias", "net.step", "pairs.a", "pairs.b"]


def test_only_some_steps(tmp_path):
    record = record_some(tmp_path / "run", range(10), every=4)
    assert record.n_recorded == 6 and {line["step"] for line in records_of(tmp_path / "run")} == {0, 4, 8}
    assert record.wants(8) and not record.wants(9)


@pytest.mark.parametrize("shape, options, size", [
    ((100, 3000), {"width": 60}, (60, 2)), ((600, 3000), {}, (512, 102)), ((3000, 600), {}, (102, 512)), ((3, 5), {}, (5, 3)),
    ((10, 14400), {}, (512, 10)), ((50_000, 64), {}, (64, 512)), ((700,), {}, (512, 1)), ((0, 9), {}, (9, 1)),
    ((900, 900), {"view": ((0, 10), (5.5, 800))}, (512, 10)), ((900, 900), {"shape": (3, 4)}, (4, 3))], ids=str)
def test_pictures_have_at_most_512_pixels_a_side(tmp_path, shape, options, size):
    """Rows of a head were averaged into one, and pictures of an embedding had 50,000 rows."""
    with gpuplot.Recorder(tmp_path / "run") as record:
        record.image("a", np.zeros(shape), 0, **options)
    [line] = records_of(tmp_path / "run")
    assert Image.open(tmp_path / "run" / line["path"]).size == size


def test_a_record_has_the_slice_and_the_limits_of_its_colors(tmp_path):
    volume = np.arange(24.0).reshape(2, 3, 4)
    with gpuplot.Recorder(tmp_path / "run", wait=True) as record:
        record.image("slice", volume, 0, index={0: 1})
        record.image("centered", volume, 0, center=0, index={0: 0})
        record.image("colors", np.zeros((4, 5, 3), "u1"), 0)
        record.image("grid", volume[:, None], 0, grid=True, vmin=3, vmax=7)
    assert [(line["place"], line["limits"]) for line in records_of(tmp_path / "run")] == [
        ("axis 0 = 1", [12, 23]), ("axis 0 = 0", [-11, 11]), ("", None), ("", [3, 7])]


@pytest.mark.parametrize("collection", [list, lambda pair: dict(zip("ab", pair, strict=True))], ids=["list", "mapping"])
def test_a_grid_of_several_tensors(tmp_path, collection):
    """They were described as one tensor, which a list of two shapes and a mapping are not."""
    X = collection((weights(0), weights(1)[:2]))
    with gpuplot.Recorder(tmp_path / "run") as record:
        assert record.image("grid", X, 0, grid={"nrow": 1})
    gpuplot.imsave(tmp_path / "grid.png", X, grid={"nrow": 1})
    assert next((tmp_path / "run/images").iterdir()).read_bytes() == (tmp_path / "grid.png").read_bytes()


RISING = [np.zeros((3, 4), "f4"), np.full((3, 4), np.nan, "f4"), *(k * np.linspace(-1, 2, 12, dtype="f4").reshape(3, 4) for k in (1, 3))]


def limits_of(folder, tensors, first_step=0, **options):
    """The limits of the pictures of some steps."""
    with gpuplot.Recorder(folder, wait=True) as record:
        for step, X in enumerate(tensors, first_step):
            assert record.image("w", there(X), step, **options)
    return [one["limits"] for one in records_of(folder)[first_step:]]


@pytest.mark.filterwarnings("ignore:the picture is blank")
def test_limits_of_the_first_picture(tmp_path):
    """Each picture found limits of its own, so that a tensor that grows looked the same at every step."""
    assert limits_of(tmp_path / "each", RISING) == [[0, 0], None, [-1, 2], [-3, 6]]
    assert limits_of(tmp_path / "first", RISING, limits="first") == [[0, 0], None, [-1, 2], [-1, 2]]
    assert limits_of(tmp_path / "first", RISING[3:], 4, limits="first") == [[-1, 2]]  # continued
    pixels = [np.asarray(Image.open(tmp_path / "first/images" / f"w-{step:09d}.png").convert("RGBA")) for step in (2, 3)]
    for found, X in zip(pixels, RISING[2:], strict=True):
        assert np.array_equal(found, gpuplot.to_rgba(X, (3, 4), vmin=-1, vmax=2))


@pytest.mark.parametrize("options, limits", [({"center": 0}, [-2, 2]), ({"center": "auto"}, [-2, 2]), ({"vmin": 0}, [0, 2]),
                                             ({"vmin": -5, "vmax": 5}, [-5, 5]), ({"grid": True}, [-1, 2])], ids=str)
def test_limits_of_the_first_picture_go_with_what_is_given(tmp_path, options, limits):
    tensors = [X[None] for X in RISING[2:]] if "grid" in options else RISING[2:]
    assert limits_of(tmp_path, tensors, limits="first", **options) == [limits] * 2
    if "center" in options:
        found = np.asarray(Image.open(tmp_path / "images/w-000000001.png").convert("RGBA"))
        assert np.array_equal(found, gpuplot.to_rgba(RISING[3], (3, 4), center=0, vmax=2))


@pytest.mark.parametrize("limits", [(None, np.inf), (np.nan, None), (-np.inf, np.inf)])
def test_limits_that_are_not_finite_are_not_recorded(tmp_path, limits):
    """JSON has no such numbers: the list could not be read by others."""
    assert limits_of(tmp_path / "run", RISING[:1], norm=Normalize(*limits)) == [None]


def test_limits_that_are_not_finite_are_refused_when_they_are_given(tmp_path):
    with gpuplot.Recorder(tmp_path) as record, pytest.raises(ValueError, match="vmin has to be finite, not nan"):
        record.image("w", there(RISING[2]), 0, vmin=np.nan)


def test_a_norm_object_has_limits_of_its_own(tmp_path):
    with gpuplot.Recorder(tmp_path) as record, pytest.raises(ValueError, match="give norm by name"):
        record.image("w", there(RISING[2]), 0, limits="first", norm=LogNorm())


@pytest.mark.parametrize("name", ["normalize", "scale_each"])
def test_a_grid_with_limits_of_its_own_is_refused_at_the_first_step(tmp_path, name):
    """The second step said that the caller had given vmin."""
    with gpuplot.Recorder(tmp_path) as record, pytest.raises(ValueError, match=f"limits='first' and {name} of grid both"):
        record.image("w", RISING[2][None], 0, limits="first", grid={name: True})


def test_what_is_recorded_is_as_it_was_at_the_call(tmp_path):
    """A loop goes on and writes to its tensors."""
    with gpuplot.Recorder(tmp_path / "run", wait=True) as record:
        a = np.zeros((50, 50))
        for step in range(8):
            a[...] = step
            record.stats("a", a, step)
    assert [line["numbers"]["max"] for line in records_of(tmp_path / "run")] == list(range(8))


def test_the_thread_compresses(tmp_path, monkeypatch):
    """The loop waits for the pixels of an array, and for nothing that is done with them."""
    imsave_module = importlib.import_module("gpuplot.picture.imsave")
    threads = {"made": [], "compressed": []}
    rgba, encode = RenderSpec.rgba, imsave_module.write_png
    monkeypatch.setattr(RenderSpec, "rgba", lambda *given: threads["made"].append(threading.current_thread()) or rgba(*given))
    monkeypatch.setattr(imsave_module, "write_png",
                        lambda *given, **options: threads["compressed"].append(threading.current_thread()) or encode(*given, **options))
    with gpuplot.Recorder(tmp_path) as record:
        record.image("x", np.eye(50), 0)
    assert threads["made"] == [threading.current_thread()]
    assert [thread.name for thread in threads["compressed"]] == ["gpuplot recorder"]


def test_tensors_of_a_device(tmp_path, emulated):
    with gpuplot.Recorder(tmp_path / "run") as record:
        record.image("a", there(weights(0)), 0)
        record.stats("a", there(weights(0)), 0)
    assert records_of(tmp_path / "run")[1]["numbers"]["max"] == weights(0).max()


def test_copies_of_a_device_are_looked_at_by_the_thread(tmp_path, emulated, monkeypatch):
    """As of torch's tensors: the loop's thread makes no picture."""
    threads = []

    def freeze(X, source, stream):
        return frozen.Frozen(describe(X), None, source.nbytes)

    def begin_imsave(*args, original=recorder.begin_imsave, **keywords):
        threads.append(threading.current_thread().name)
        return original(*args, **keywords)

    monkeypatch.setattr(recorder, "freeze", freeze)
    monkeypatch.setattr(recorder, "begin_imsave", begin_imsave)
    with gpuplot.Recorder(tmp_path / "run") as record:
        record.image("a", there(weights(0)), 0)
    assert threads == ["gpuplot recorder"] and len(records_of(tmp_path / "run")) == 1


def test_immutable_arrays_need_no_copy():
    array = type("Array", (), {"__module__": "jaxlib.fake"})()
    assert frozen.freeze(array, None) == frozen.Frozen(array, None, 0)
    assert frozen.freeze(object(), None) is None


# ---- what cannot keep up -------------------------------------------------------------------------------------------------


@pytest.fixture
def stuck(monkeypatch):
    """A disk that writes nothing until the event is set."""
    go_on, original = threading.Event(), recorder.write_to_path

    def write(*args):
        go_on.wait()
        original(*args)

    monkeypatch.setattr(recorder, "write_to_path", write)
    yield go_on
    go_on.set()


def test_records_are_left_out_and_counted(tmp_path, stuck):
    record = gpuplot.Recorder(tmp_path / "run", max_pending=3)
    taken = [record.image("a", weights(step), step) for step in range(10)]
    stuck.set()
    with pytest.warns(gpuplot.GpuplotWarning, match="7 records were dropped"):
        record.close()
    assert taken == [True] * 3 + [False] * 7 and (record.n_recorded, record.n_dropped) == (3, 7)
    assert len(records_of(tmp_path / "run")) == 3


def test_a_model_is_recorded_whole_or_not_at_all(tmp_path, stuck, monkeypatch):
    monkeypatch.setattr(recorder, "freeze", lambda X, source, stream: None)
    model = {f"layer {k}": there(weights(k)) for k in range(5)} | {"dtype": object()}
    record = gpuplot.Recorder(tmp_path / "run", max_pending=2)
    taken = [record.stats("net", model, step) for step in range(4)]
    stuck.set()
    with pytest.warns(gpuplot.GpuplotWarning, match="10 records were dropped"):
        record.close()
    assert taken == [True, True, False, False] and (record.n_recorded, record.n_dropped) == (10, 10)
    assert [one["step"] for one in records_of(tmp_path / "run")] == [0] * 5 + [1] * 5


@pytest.mark.host("the copy of a tensor on a device is pending until it is read")
def test_numbers_that_are_known_are_not_left_out(tmp_path, stuck):
    record = gpuplot.Recorder(tmp_path / "run", max_pending=1)
    assert all(record.scalar("loss", 1 / step, step) and record.stats("weights", weights(step), step) for step in range(1, 51))
    stuck.set()
    record.close()
    assert record.n_dropped == 0 and len(records_of(tmp_path / "run")) == 100


def test_the_queue_is_finite(monkeypatch):
    monkeypatch.setattr("gpuplot.recording.queue.MAX_ALL_JOBS", 3)
    queue = WorkQueue(max_jobs=2, max_bytes=100)
    assert [queue.take_room(Room(0, 0), wait=False) for _ in range(4)] == [True, True, True, False]
    for _ in range(3):
        queue.give_room(Room(0, 0))
    queue.close()


def test_waiting_leaves_nothing_out(tmp_path, stuck):
    record = gpuplot.Recorder(tmp_path / "run", max_pending=2, wait=True)
    threading.Timer(0.05, stuck.set).start()
    assert all(record.image("a", weights(step), step) for step in range(6))
    record.close()
    assert len(records_of(tmp_path / "run")) == 6


def test_copies_are_bounded_in_bytes():
    queue = WorkQueue(max_jobs=10, max_bytes=100)
    assert queue.take_room(Room(500), wait=False)  # a single one of any size
    assert not queue.take_room(Room(1), wait=False)
    queue.give_room(Room(500))
    assert queue.take_room(Room(60), wait=False) and queue.take_room(Room(40), wait=False) and not queue.take_room(Room(1), wait=False)
    queue.give_room(Room(60))
    queue.give_room(Room(40))
    queue.close()


def test_a_copy_of_any_size_goes_with_jobs_without_one():
    queue = WorkQueue(max_jobs=2, max_bytes=100)
    assert queue.take_room(Room(0), wait=False) and queue.take_room(Room(500, 0), wait=False)
    assert not queue.take_room(Room(1, 0), wait=False)
    assert queue.take_room(Room(0), wait=False) and not queue.take_room(Room(0), wait=False)
    queue.give_room(Room(0))
    assert queue.take_room(Room(0), wait=False)
    for room in (Room(0), Room(500, 0), Room(0)):
        queue.give_room(room)
    queue.close()


def test_an_error_of_the_disk_is_told(tmp_path, monkeypatch):
    def write(name, data):
        raise OSError(28, "No space left on device", name)

    record = gpuplot.Recorder(tmp_path / "run")
    monkeypatch.setattr(recorder, "write_to_path", write)
    record.image("a", weights(0), 0)
    with pytest.raises(RuntimeError, match="No space left"):
        record.close()
    monkeypatch.undo()
    assert records_of(tmp_path / "run") == []


@pytest.mark.parametrize("end", ["flush", "close"])
def test_the_page_has_the_other_records(tmp_path, monkeypatch, end):
    """The error of one record was raised before the page was written."""
    record = gpuplot.Recorder(tmp_path / "run", wait=True)
    record.scalar("loss", 1, 0)
    record.flush()
    with monkeypatch.context() as patch:
        patch.setattr(recorder, "suffix", lambda step: "/none/a.png")
        record.image("a", weights(0), 1)
        record.scalar("loss", 2, 2)
        with pytest.raises(RuntimeError, match="No such file"):
            getattr(record, end)()
    assert '"step":2' in (tmp_path / "run/index.html").read_text()
    record.close()


def test_the_end_of_a_program_does_not_wait_for_ever(tmp_path, stuck):
    record = gpuplot.Recorder(tmp_path / "run")
    record.image("a", weights(0), 0)
    record.image("a", weights(1), 1)
    threading.Timer(0.5, stuck.set).start()  # the page is written in the same way
    with pytest.raises(RuntimeError, match="2 records were not written"):
        record._close(0.1)
    record.close()


def test_a_warning_of_each_step_is_said_once_for_each_name(tmp_path):
    """It had the numbers of its step, so that Python took each for another one, and a training loop had a line for each step."""
    colors = there(np.random.default_rng(0).normal(size=(3, 8, 9)).astype("f4"))
    with warnings.catch_warnings(record=True) as caught, gpuplot.Recorder(tmp_path / "run", wait=True) as record:
        warnings.simplefilter("always")
        for step in range(4):
            for name in ("batch", "input"):
                record.image(name, colors, step, rgb=True, denorm=(0, step + 1))
            record.image("input", there(np.full((4, 5), np.nan)), step)
        gpuplot.to_rgba(colors, rgb=True)
        gpuplot.to_rgba(colors, rgb=True)
    texts = [str(one.message) for one in caught]
    assert sum("are clipped" in text for text in texts) == 2 + 2 and sum("all NaN" in text for text in texts) == 1
    blank = [record.get("blank") for record in records_of(tmp_path / "run")]
    assert blank == 4 * [None, None, "the picture is blank: all NaN"]
