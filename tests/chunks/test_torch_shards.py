"""torch's DTensors: the places of shards, and two processes that share tensors and a model of FSDP2."""

import itertools
import json

import pytest
from spmd import run_together

pytest.importorskip("torch.distributed.tensor")

from torch.distributed.tensor import Partial, Replicate, Shard

from gpuplot.arrays.dtensors import box_at
from gpuplot.arrays.shards import grid_of

pytestmark = pytest.mark.host("tensors of torch on the CPU")


@pytest.mark.parametrize("shape, mesh, placements, n_boxes", [
    ((8, 6), (4,), (Shard(0),), 4), ((7, 6), (4,), (Shard(0),), 4), ((5, 6), (4,), (Shard(0),), 3), ((1, 6), (4,), (Shard(0),), 1),
    ((9, 10), (2, 3), (Shard(0), Shard(1)), 6), ((13, 4), (2, 3), (Shard(0), Shard(0)), 6), ((9, 10), (2, 3), (Replicate(), Shard(1)), 3),
    ((9, 10), (2, 2), (Shard(1), Partial("sum")), 2), ((0, 3), (2,), (Shard(0),), 0)])
def test_torch_says_where_every_shard_lies(shape, mesh, placements, n_boxes):
    """The private function that tells it: uneven and empty shards, several axes of a mesh."""
    boxes = [box_at(shape, mesh, place, placements) for place in itertools.product(*map(range, mesh))]
    chunks, index_of = grid_of(shape, boxes)
    assert len(index_of) == n_boxes and tuple(map(sum, chunks)) == shape


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """What two processes say."""
    folder = tmp_path_factory.mktemp("processes")
    return [json.loads(out.splitlines()[-1]) for out in run_together("spmd_torch.py", 2, folder)], folder


@pytest.mark.parametrize("name", ["rows", "columns", "copies"])
def test_two_processes_together(reports, name):
    (first, second), folder = reports
    first, second = first[name], second[name]
    assert first["bits"] == second["bits"] and first["pixels"] and first["error"] < 1e-15
    assert first["gathers"] == second["gathers"] and len(first["gathers"]) == (name != "copies")
    for n_bytes in first["gathers"]:
        assert n_bytes <= 1.13 * (32 * 31 * 41 + 2048 * 2 + 2048)
    assert sorted(path.name for path in folder.iterdir()) == ["columns_of_0.png", "copies_of_0.png", "rows_of_0.png"]


def test_one_process_of_two_alone(reports):
    (first, second), _ = reports
    assert (first["rows"]["title"], first["rows"]["elsewhere"]) == ("process 0 of 2", [[301, 601, 0, 801]])
    assert (second["columns"]["title"], second["columns"]["elsewhere"]) == ("process 1 of 2", [[0, 601, 0, 401]])
    assert (first["copies"]["title"], first["copies"]["elsewhere"], first["copies"]["alone"]) == ("", [], "481401")
    assert {report[name]["gathers of imshow"] for report in (first, second) for name in ("rows", "columns", "copies")} == {0}
    assert "with collective=True, and imshow and inspect show what is here" in first["rows"]["alone"]
    assert "X.to_local()" in first["rows"]["copied"] and "X.redistribute(placements=[Replicate()])" in first["rows"]["copied"]


@pytest.mark.parametrize("name", ["rows", "columns", "copies"])
def test_an_inspector_shows_what_is_here_and_its_snapshot_all(reports, name):
    (first, second), _ = reports
    first, second = first[name]["inspector"], second[name]["inspector"]
    if name == "copies":
        assert not any("process" in note for note in first["notes"]) and all(first["texts"]) and first["vmax"] == second["vmax"]
    else:
        assert "process 1 of 2: what others hold is empty" in second["notes"]
        assert [bool(text) for text in first["texts"] + second["texts"]] == [True, False, False, True]
        assert "with collective=True" in first["stats"] and first["vmax"] != second["vmax"]
        held = [[text != "" for row in one["cells"] for text in row] for one in (first, second)]
        assert held[0] == [not is_held for is_held in held[1]] and sum(held[0]) == 2
    assert first["gathers"] == second["gathers"] == 0
    assert (first["is written"], first["is whole"], second["is written"]) == (True, True, False)


def test_sums_of_addends(reports):
    (first, second), _ = reports
    assert max(first["addends"] + second["addends"]) < 1e-3  # the addends are float32 numbers, whose sum is near zero here and there
    assert "X.redistribute(placements=[Replicate()]" in first["most"]
    assert "a sum of 2 addends, one in each process" in first["shown"]
    assert "are partial results other than sums" in first["smallest"]


def test_empty_shards_and_axes_of_a_mesh(reports):
    (first, second), _ = reports
    assert first["one row"] == second["one row"] == [[0, 1, 2, 3, 4]]
    assert (first["none here"], second["none here"]) == ([], [[0, 1, 0, 5]])
    assert max(first["mesh"], first["twice"]) < 1e-12 and first["gathers of a mesh"] == 2


def test_weights_and_gradients_of_fsdp(reports):
    (first, second), _ = reports
    assert all(is_same for is_same, _ in first["parameters"].values())
    assert [shape for _, shape in first["parameters"].values()] == [[129, 130], [129], [7, 129], [7]]
    assert (first["local"], second["local"]) == ([65, 130], [64, 130])
    assert first["gradient"] == second["gradient"]
    assert first["bias"] == [True, True] and second["bias"] == [False, False]
