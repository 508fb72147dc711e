"""What is left at the end of workers of multiprocessing, and where the program changed its folder: files and records arrive."""

import multiprocessing
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import gpuplot

pytestmark = pytest.mark.host("files of the host")
HOWS = multiprocessing.get_all_start_methods()
PROGRAM = """
    import multiprocessing, sys
    import numpy as np, gpuplot

    def write(k):
        gpuplot.imsave(f"{k}.png", np.random.default_rng(k).random((600, 600)), blocking=False)
        recorder = gpuplot.Recorder(f"run {k}", wait=True)
        for step in range(20):
            recorder.stats("a", np.full((300, 300), step), step)

    if __name__ == "__main__":
        context = multiprocessing.get_context(sys.argv[1])
        gpuplot.imsave("before.png", np.eye(3), blocking=False).wait()
        worker = context.Process(target=write, args=(0,))
        worker.start(), worker.join()
        pool = context.Pool(2)
        pool.map(write, [1, 2, 3])
        pool.close(), pool.join()
"""


@pytest.mark.parametrize("how", HOWS)
def test_workers_finish_their_files_and_records(tmp_path, how):
    """A forked worker ends without what Python calls at the end of a program: it left temporary files."""
    program = tmp_path / "program.py"  # which spawned workers import
    program.write_text(textwrap.dedent(PROGRAM))
    run = subprocess.run([sys.executable, program, how], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert run.returncode == 0, run.stderr
    assert sorted(path.name for path in tmp_path.glob("*.png")) == ["0.png", "1.png", "2.png", "3.png", "before.png"]
    for k in range(4):
        assert len((tmp_path / f"run {k}/records.jsonl").read_text().splitlines()) == 20
        assert (tmp_path / f"run {k}/index.html").exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_cannot_use_the_recorder_of_its_parent(tmp_path):
    """It said that all was recorded, and nothing was."""
    with gpuplot.Recorder(tmp_path / "run") as recorder:
        child = os.fork()
        if not child:
            said = []
            try:
                for call in (lambda: recorder.stats("a", [1.0], 0), recorder.flush, recorder.close):
                    try:
                        call()
                    except RuntimeError as error:
                        said.append("before the fork" in str(error))
            finally:
                os._exit(0 if said == [True, True] else 1)
        assert os.waitpid(child, 0)[1] == 0
        recorder.stats("a", [1.0], 1)
    assert len((tmp_path / "run/records.jsonl").read_text().splitlines()) == 1


def test_files_stand_where_they_were_asked_for(tmp_path, monkeypatch):
    """Launchers of experiments change the folder after the first lines of a program."""
    (tmp_path / "job").mkdir()
    monkeypatch.chdir(tmp_path)
    recorder = gpuplot.Recorder("run")
    transfer = gpuplot.imsave("a.png", np.eye(500), blocking=False)
    monkeypatch.chdir(tmp_path / "job")
    transfer.wait()
    recorder.image("a", np.eye(5), 0)
    recorder.close()
    assert sorted(os.listdir(tmp_path)) == ["a.png", "job", "run"] and os.listdir() == []
    assert (tmp_path / "run/index.html").exists() and len(os.listdir(tmp_path / "run/images")) == 1
