"""The page about TensorBoard and Weights & Biases: its code runs, and the files have the tensor's values."""

import re
import types
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import gpuplot

pytestmark = pytest.mark.host("pixels and counts for other programs")

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "training_logs.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.S)
FIRST, TENSORBOARD, WRITER, WANDB, GRID = range(5)


def run(*numbers, names=None):
    """Runs blocks of the page as one session."""
    names = {} if names is None else names
    for number in numbers:
        exec(compile(BLOCKS[number], f"block {number}", "exec"), names)
    return names


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Writer:
    """Takes what TensorBoard's writer takes."""

    def __init__(self):
        self.histogram, self.scalars = None, {}

    def add_histogram_raw(self, tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts, global_step=None):
        self.histogram = types.SimpleNamespace(min=min, max=max, num=num, sum=sum, sum_squares=sum_squares, bucket_limit=bucket_limits,
                                               bucket=bucket_counts)

    def add_scalar(self, tag, value, step):
        self.scalars[tag] = value

    def close(self):
        pass


def check(histogram, values):
    """A histogram of TensorBoard is that of the finite values."""
    finite = values[np.isfinite(values)].astype(float)
    counts, edges = np.histogram(finite, 64)
    assert list(histogram.bucket) == counts.tolist() and np.allclose(histogram.bucket_limit, edges[1:])
    assert (histogram.num, histogram.min, histogram.max) == (finite.size, finite.min(), finite.max())
    np.testing.assert_allclose([histogram.sum, histogram.sum_squares], [finite.sum(), (finite**2).sum()], rtol=1e-10)


@pytest.mark.parametrize("is_spoiled", [False, True], ids=["finite", "not finite"])
def test_what_a_histogram_of_tensorboard_asks_for(folder, is_spoiled):
    names = run(FIRST) | {"writer": Writer()}
    if is_spoiled:
        names["weights"].ravel()[:5] = np.nan, np.inf, -np.inf, 1e30, np.nan
    run(WRITER, names=names)
    check(names["writer"].histogram, names["weights"])
    assert names["writer"].scalars == {"weights/not finite": 4 if is_spoiled else 0}


def test_a_tensor_without_finite_elements_has_no_histogram(folder):
    names = run(FIRST) | {"writer": Writer()}
    names["weights"][...] = np.nan
    run(WRITER, names=names)
    assert names["writer"].histogram is None and names["writer"].scalars == {"weights/not finite": names["weights"].size}


@pytest.mark.skipif(find_spec("tensorboard") is None or find_spec("torch") is None, reason="pip install torch tensorboard")
def test_tensorboards_files(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    names = run(FIRST, TENSORBOARD, WRITER)
    events = EventAccumulator(str(folder / "runs"), size_guidance={"histograms": 0, "images": 0}).Reload()
    [histogram] = events.Histograms("weights")
    check(histogram.histogram_value, names["weights"])
    [image] = events.Images("weights")
    assert (image.height, image.width) == (256, 384)


@pytest.mark.skipif(find_spec("wandb") is None, reason="pip install wandb")
def test_weights_and_biases(folder, monkeypatch):
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    names = run(FIRST, WANDB)
    histogram = names["wandb"].Histogram(np_histogram=(names["found"].hist, names["found"].bin_edges))
    assert histogram.histogram == names["found"].hist.tolist() and len(histogram.bins) == 65
    assert list(folder.glob("wandb/offline-run-*/*.wandb"))


def test_a_batch_of_images(folder):
    names = run(FIRST, GRID)
    assert names["grid"].shape == (8 * 34 + 2, 8 * 34 + 2, 3) and np.ptp(names["grid"]) > 200
    assert gpuplot.to_rgba(names["weights"], (256, 384)).shape == (256, 384, 4)
