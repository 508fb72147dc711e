"""`Recorder` and `imsave` with torch tensors that loops change in place: files have the values of the call."""

import io
import json
import types

import numpy as np
import pytest

import gpuplot
from gpuplot.arrays import frozen
from gpuplot.arrays.describe import describe

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.host("tensors of torch in host memory")


def lines_of(folder, name):
    lines = [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()]
    return [line for line in lines if line["name"] == name]


def train(record, n_steps=6):
    """A loop with an optimizer that writes in place; weights and gradients by step, as they were when they were recorded."""
    torch.manual_seed(0)
    model, kept = torch.nn.Linear(32, 16), []
    optimizer = torch.optim.Adam(model.parameters(), 0.1)
    for step in range(n_steps):
        optimizer.zero_grad()
        output = model(torch.randn(8, 32))
        output.square().sum().backward()
        record.image("weight", model.weight, step, center=0)
        for name, tensor in (("weight", model.weight), ("gradient", model.weight.grad), ("output", output), ("loss", output.sum())):
            record.stats(name, tensor, step)
        kept.append((model.weight.detach().clone(), model.weight.grad.clone()))
        optimizer.step()
    return kept


def test_a_training_loop(tmp_path):
    with gpuplot.Recorder(tmp_path / "run", wait=True) as record:
        kept = train(record)
    weights = lines_of(tmp_path / "run", "weight")
    for (weight, gradient), image, stats, line in zip(kept, weights[::2], weights[1::2], lines_of(tmp_path / "run", "gradient"),
                                                      strict=True):
        gpuplot.imsave(want := io.BytesIO(), weight.numpy(), center=0)
        assert (tmp_path / "run" / image["path"]).read_bytes() == want.getvalue()
        assert stats["numbers"]["max"] == weight.max().item() and line["numbers"]["min"] == gradient.min().item()
    assert len(lines_of(tmp_path / "run", "output")) == len(lines_of(tmp_path / "run", "loss")) == 6


@pytest.mark.parametrize("tensor", [
    lambda: torch.ones(4, 4, dtype=torch.bfloat16), lambda: torch.ones(4, 4).to(torch.float8_e4m3fn),
    lambda: torch.eye(4).to_sparse(), lambda: torch.ones(4, 4, dtype=torch.complex64).conj(),
    lambda: torch.nn.Parameter(torch.ones(4, 4)), lambda: torch.ones(1, 4).expand(4, 4)],
    ids=["bfloat16", "float8", "sparse", "conjugated", "parameter", "expanded"])
def test_kinds_of_tensors(tmp_path, tensor, monkeypatch):
    """Looked at by the loop, and as a copy by the thread, as those of a GPU are."""
    tensor = tensor()
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: types.SimpleNamespace(cuda_stream=0))
    copy = frozen.freeze(tensor, describe(tensor))
    assert (copy.stream, copy.n_bytes) == (1, describe(tensor).nbytes)
    with gpuplot.Recorder(tmp_path / "run") as record:
        for name, one in (("tensor", tensor), ("copy", copy.tensor)):
            record.image(name, one, 0)
            record.stats(name, one, 0)
    (image, stats), (image_of_copy, stats_of_copy) = (lines_of(tmp_path / "run", name) for name in ("tensor", "copy"))
    assert stats["numbers"] == stats_of_copy["numbers"] and stats["counts"] == stats_of_copy["counts"]
    assert (tmp_path / "run" / image["path"]).read_bytes() == (tmp_path / "run" / image_of_copy["path"]).read_bytes()


def test_a_copy_stays_as_it_was(monkeypatch):
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: types.SimpleNamespace(cuda_stream=7))
    weight = torch.nn.Parameter(torch.zeros(3, 3))
    copy = frozen.freeze(weight, describe(weight))
    with torch.no_grad():
        weight += 1
    assert copy.stream == 7 and not copy.tensor.requires_grad and copy.tensor.abs().sum() == 0


def test_imsave_beside_a_loop(tmp_path):
    weight = torch.nn.Parameter(torch.arange(3000.0).reshape(50, 60))
    transfer = gpuplot.imsave(tmp_path / "a.png", weight, blocking=False)
    with torch.no_grad():
        weight.zero_()
    transfer.wait(60)
    gpuplot.imsave(tmp_path / "want.png", np.arange(3000.0).reshape(50, 60).astype("f4"))
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "want.png").read_bytes()
