"""The folder of a `Recorder`: its list of records, names of files, the page, animations, the end of a program."""

import gc
import json
import os
import subprocess
import sys
import time
import weakref
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from recorded import record_some, records_of, weights

import gpuplot
from gpuplot.recording import recorder
from gpuplot.recording.page import page
from gpuplot.recording.records import Records

ROOT = Path(__file__).resolve().parents[2]


def test_a_full_disk_leaves_no_part_of_a_record(tmp_path):
    """The system writes what fits: the next record continued that line, and the folder was refused as damaged."""
    resource = pytest.importorskip("resource")
    records = Records(tmp_path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    record = {"step": 0, "name": "loss", "kind": "scalar", "value": 0.5}
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
        records.append(record)
        for _ in range(2):
            with pytest.raises(OSError):
                records.append(record | {"step": 1})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    records.append(record | {"step": 2})
    records.close()
    assert [one["step"] for one in records_of(tmp_path)] == [0, 2]
    gpuplot.Recorder(tmp_path).close()


def test_a_recorder_goes_on_where_another_ended(tmp_path):
    record_some(tmp_path / "run", range(2))
    with open(tmp_path / "run/records.jsonl", "ab") as file:
        file.write(b'{"step": 7, "na')  # cut off when the machine stopped
    record_some(tmp_path / "run", range(2, 4))
    assert [line["step"] for line in records_of(tmp_path / "run")] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert '"step":3' in (tmp_path / "run/index.html").read_text()


def test_a_folder_with_other_things_stays_as_it_is(tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(ValueError, match="holds files that are not"):
        gpuplot.Recorder(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_names_that_look_alike_have_files_of_their_own(tmp_path):
    with gpuplot.Recorder(tmp_path / "run", wait=True) as record:
        for name in ("a/b", "a b", "../../c"):
            record.image(name, weights(0), 0)
    paths = [line["path"] for line in records_of(tmp_path / "run")]
    assert len(set(paths)) == 3 and all((tmp_path / "run" / path).resolve().parent == tmp_path / "run/images" for path in paths)


def test_long_names_of_any_letters_are_names_of_files(tmp_path):
    """Letters were counted in place of bytes, of which the name of a file has 255."""
    names = ["\u5c64" * 100, "\u5c64" * 101, "\U0001d49c" * 80]
    with gpuplot.Recorder(tmp_path / "run", wait=True) as record:
        for name in names:
            record.image(name, weights(0), 0)
    assert [line["name"] for line in records_of(tmp_path / "run")] == names


@pytest.mark.parametrize("keywords", [{"every": 0}, {"every": 1.5}, {"max_pending": 0}, {"max_bytes": True}])
def test_numbers_are_checked(tmp_path, keywords):
    with pytest.raises(ValueError, match=next(iter(keywords))):
        gpuplot.Recorder(tmp_path / "run", **keywords)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("step", ["3", 2.5, None])
def test_steps_are_whole_numbers(tmp_path, step):
    with gpuplot.Recorder(tmp_path / "run") as record:
        for call in (record.wants, lambda step: record.image("a", weights(0), step)):
            with pytest.raises(TypeError, match=f"step={step!r} must be a whole number"):
                call(step)
        assert record.wants(np.int64(3))


ENDS = {"of itself": "", "by an error": "raise ValueError('the loop')"}


@pytest.mark.parametrize("end", ENDS)
def test_the_end_of_a_program_writes_what_is_left(tmp_path, end):
    """Of a recorder that nobody closed, and that nobody has any more."""
    program = f"""if True:
        import time, numpy as np, gpuplot
        from gpuplot.recording import recorder
        write = recorder.write_to_path
        recorder.write_to_path = lambda *args: (time.sleep(0.1), write(*args))
        for folder in ("run", "other"):
            record = gpuplot.Recorder(folder)
            for step in range(4):
                record.image("a", np.eye(9), step)
        {ENDS[end]}
    """
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
                          capture_output=True, text=True)
    assert ("the loop" in done.stderr) if ENDS[end] else (done.returncode, done.stderr) == (0, "")
    for folder in (tmp_path / "run", tmp_path / "other"):
        assert [record["step"] for record in records_of(folder)] == list(range(4))
        assert len(list((folder / "images").iterdir())) == 4 and "a-000000003.png" in (folder / "index.html").read_text()


def test_a_closed_recorder_is_not_kept(tmp_path):
    record = weakref.ref(record_some(tmp_path / "run"))
    gc.collect()
    assert record() is None


def test_what_cannot_be_drawn_is_refused_at_the_call(tmp_path):
    with gpuplot.Recorder(tmp_path / "run", max_pending=1) as record:
        for _ in range(3):
            with pytest.raises(ValueError, match="nocmap"):
                record.image("a", weights(0), 0, cmap="nocmap")
    with pytest.raises(RuntimeError, match="closed"):
        record.stats("a", weights(0), 1)


def test_a_folder_has_one_recorder(tmp_path):
    """Of two processes the page had the records of the one that closed last; a cell that is run again closes the earlier one."""
    first = gpuplot.Recorder(tmp_path / "run", wait=True)
    first.stats("a", weights(0), 0)
    program = f"import gpuplot\ntry:\n    gpuplot.Recorder({str(tmp_path / 'run')!r})\nexcept RuntimeError as error:\n    print(error)"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
                          check=True).stdout
    assert "another process records in" in told and "rank0" in told
    with gpuplot.Recorder(tmp_path / "run") as second:
        second.stats("a", weights(1), 1)
    with pytest.raises(RuntimeError, match="closed"):
        first.stats("a", weights(2), 2)
    first.close()
    assert [line["step"] for line in records_of(tmp_path / "run")] == [0, 1]
    subprocess.run([sys.executable, "-c", program.replace("print(error)", "raise")], check=True,
                   env={**os.environ, "PYTHONPATH": str(ROOT)})


def test_a_page_that_takes_long_is_written_less_often(tmp_path, monkeypatch):
    """With 100,000 records it took a second, every five."""
    times = []

    def write(path, data):
        times.append(time.monotonic())
        time.sleep(0.02)

    monkeypatch.setattr(recorder, "write_to_path", write)
    monkeypatch.setattr(recorder, "PAGE_SECONDS", 0.0)
    monkeypatch.setattr(recorder, "PAGE_SHARE", 1e6)
    with gpuplot.Recorder(tmp_path / "run", wait=True) as record:
        for step in range(20):
            record.scalar("a", 1.0, step)
        record._queue.join()
        assert len(times) == 1


def test_animation(tmp_path):
    record_some(tmp_path / "run").animate("a/b", tmp_path / "a.gif", fps=5)
    with Image.open(tmp_path / "a.gif") as movie:
        assert movie.n_frames == 4 and movie.size == (30, 20) and movie.info["duration"] == 200
    with pytest.raises(ValueError, match=r"but of a/b"):
        record_some(tmp_path / "run", [9]).animate("c", tmp_path / "c.gif")


def test_no_name_ends_the_script():
    text = page([json.dumps({"step": 0, "name": "</script><b>", "kind": "image", "path": "x.png"})])
    assert text.count("</script>") == 1 and "\\u003c/script>" in text


def test_wrong_names_folders_and_rates_are_told_at_once(tmp_path):
    """A name that is no text came up as an error of the next record, and a film without a rate as ZeroDivisionError."""
    for folder in (None, b"x", 5):
        with pytest.raises(TypeError, match="^folder=.* must be a str or a path"):
            gpuplot.Recorder(folder)
    record = record_some(tmp_path / "run")
    with gpuplot.Recorder(tmp_path / "other") as other:
        for call in (other.image, other.stats):
            with pytest.raises(TypeError, match="^name=5 must be a str"):
                call(5, np.eye(3), 0)
    for fps in (0, -1, np.nan, "a", None):
        with pytest.raises(ValueError, match="^fps=.* must be a number above zero"):
            record.animate("a/b", tmp_path / "a.gif", fps=fps)
    with pytest.raises(ValueError, match="must end in .gif, .png or .webp"):
        record.animate("a/b", tmp_path / "a.txt")
    assert not (tmp_path / "a.gif").exists()


def test_arguments_in_the_wrong_order_are_told_without_the_tensor(tmp_path):
    """The message had the elements, and the text of a freed tensor ended the process."""
    torch = pytest.importorskip("torch", reason="has tensors that are freed: pip install torch")
    freed = torch.zeros(3, 4)
    freed.untyped_storage().resize_(0)
    with gpuplot.Recorder(tmp_path / "run") as record:
        for call in (record.image, record.stats):
            with pytest.raises(TypeError, match=r"^name=a Tensor of shape \(3, 4\) must be a str"):
                call(freed, np.eye(3), 0)
            with pytest.raises(TypeError, match=r"^step=a Tensor of shape \(3, 4\) must be a whole number"):
                call("a", np.eye(3), freed)
        with pytest.raises(ValueError, match=r"^a Tensor of shape \(3, 4\): one real number is recorded"):
            record.scalar(freed, np.eye(3), 0)
    with pytest.raises(TypeError, match=r"^folder=a Tensor of shape \(3, 4\) must be a str"):
        gpuplot.Recorder(freed)


def test_steps_and_widths_that_cannot_be_are_refused_at_once(tmp_path):
    """The name of the file was too long, which the next call told; an array as width ended in words about its truth value."""
    with gpuplot.Recorder(tmp_path) as record:
        for step in (10**400, -(2**60)):
            with pytest.raises(ValueError, match=r"step=.* must be at most 2\*\*53 either way"):
                record.image("a", np.zeros((2, 3)), step)
        with pytest.raises(TypeError, match=r"width=array\(\[1, 2\]\) must be an integer number of pixels"):
            record.image("a", np.zeros((2, 3)), 1, width=np.array([1, 2]))
        assert record.image("a", np.zeros((2, 3)), -(2**53))
    assert record.n_recorded == 1


def test_names_of_an_earlier_recorder_keep_their_files(tmp_path):
    """A name that looks like one of an earlier recorder took its files."""
    for name, X in (("a/b", np.eye(8)), ("a b", 1 - np.eye(8)), ("a/b", np.ones((8, 8)))):
        with gpuplot.Recorder(tmp_path, wait=True) as record:
            record.image(name, X, -3 if name == "a b" else 100)
    paths = [one["path"] for one in records_of(tmp_path)]
    assert paths[0] == paths[2] and paths[1] != paths[0].replace("000000100", "-00000003") and len(set(paths)) == 2


@pytest.mark.parametrize("line", [b"{", b"[]", b"{}", b'{"kind": "image", "name": "a"}'])
def test_a_damaged_list_is_told(tmp_path, line):
    (tmp_path / "records.jsonl").write_bytes(b'{"kind": "stats", "name": "a", "step": 1}\n' + line + b"\n")
    with pytest.raises(ValueError, match="line 2 of .*records.jsonl' is not a record"):
        gpuplot.Recorder(tmp_path)


def test_pictures_of_several_sizes_are_animated(tmp_path):
    """A GIF lost those of another size than the first, and WebP refused them."""
    with gpuplot.Recorder(tmp_path / "run", wait=True) as record:
        for step, shape in enumerate([(10, 10), (20, 20), (5, 30)]):
            record.image("a", np.random.default_rng(step).random(shape), step)
        for suffix in (".gif", ".webp", ".png"):
            record.animate("a", tmp_path / f"a{suffix}")
            with Image.open(tmp_path / f"a{suffix}") as found:
                assert (found.n_frames, found.size) == (3, (30, 20))


@pytest.mark.parametrize("option", ["blocking", "fname"])
def test_what_the_recorder_chooses_is_refused(tmp_path, option):
    with gpuplot.Recorder(tmp_path) as record, pytest.raises(TypeError, match=option):
        record.image("a", np.eye(3), 0, **{option: False})
