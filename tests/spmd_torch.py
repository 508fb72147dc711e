"""One of two processes of torch that share DTensors: what test_torch_shards runs."""

import json
import pathlib
import sys

import matplotlib.pyplot as plt
import numpy as np
import torch
import torch.distributed as distributed
from spmd import digest
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor, init_device_mesh

import gpuplot

PROCESS, PORT, FOLDER = int(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
ONE_ROW = torch.arange(5.0)[None]
PLACEMENTS = {"rows": Shard(0), "columns": Shard(1), "copies": Replicate()}


def message_of(call):
    try:
        return str(call())
    except gpuplot.UnsupportedError as error:
        return str(error)


def main():
    distributed.init_process_group("gloo", init_method=f"tcp://localhost:{PORT}", rank=PROCESS, world_size=2)
    gathers, all_gather = [], distributed.all_gather
    distributed.all_gather = lambda *args, **how: gathers.append(args[1].nbytes) or all_gather(*args, **how)
    mesh = init_device_mesh("cpu", (2,))
    whole = torch.from_numpy(np.random.default_rng(2).normal(size=(601, 801)).astype("float32"))
    report = {name: of_placement(name, distribute_tensor(whole, mesh, [placement]), whole, gathers)
              for name, placement in PLACEMENTS.items()}
    report |= of_addends(whole, mesh) | of_shapes(mesh, gathers) | of_training(mesh)
    print(json.dumps(report))
    distributed.destroy_process_group()


def of_placement(name, X, whole, gathers):
    gathers.clear()
    cells = gpuplot.downsample(X, (30, 40), collective=True)
    report = {"error": float(abs(cells - gpuplot.downsample(whole, (30, 40))).max()), "gathers": list(gathers)}
    found = gpuplot.stats(X, collective=True)
    pixels = gpuplot.to_rgba(X, (30, 40), collective=True)
    n = gpuplot.hist(X, 30, collective=True).n
    gpuplot.imsave(FOLDER / f"{name}_of_{PROCESS}.png", X, width=100, collective=True)
    report["bits"] = digest(cells, pixels, n, [found.mean, found.std, found.median])
    report["pixels"] = bool((pixels == gpuplot.to_rgba(whole, (30, 40))).all())
    gathers.clear()
    figure, ax = plt.subplots()
    image = gpuplot.imshow(X, ax=ax)
    figure.canvas.draw()
    report |= {"gathers of imshow": len(gathers), "inspector": inspected(name, X, whole, gathers)}
    return report | {"title": ax.get_title(), "elsewhere": image.plane.boxes_elsewhere,
                     "alone": message_of(lambda: gpuplot.stats(X).numel), "copied": message_of(lambda: gpuplot.asnumpy(X).shape)}


def inspected(name, X, whole, gathers):
    """What an inspector of this process's part says, and whether a snapshot of all has the pixels of the whole, as the first shows it."""
    gathers.clear()
    with gpuplot.inspect(X, cmap="magma") as w, gpuplot.inspect(whole, cmap="magma") as whole_w:
        state = w._controller.state()
        alone = {"notes": state["tensor"]["notes"], "texts": [w._controller.ask(lambda scene, at=at: scene.hover(*at)["text"])
                                                              for at in ((0, 0), (600, 800))],
                 "cells": w._controller.ask(lambda scene: scene.values((300, 302, 400, 402))), "vmax": w.vmax, "gathers": len(gathers),
                 "stats": message_of(lambda: w._controller.ask(lambda scene: scene.stats("slice")))}
        if PROCESS == 0:
            w.view = whole_w.view = ((100, 500), (200, 700))
        files = [FOLDER.parent / f"{name}_{PROCESS}.png", FOLDER.parent / f"{name}_whole.png"]
        w.snapshot(files[0], width=200, collective=True)
        if PROCESS == 0:
            whole_w.snapshot(files[1], width=200)
        return alone | {"is written": files[0].exists(), "is whole": PROCESS == 0 and files[0].read_bytes() == files[1].read_bytes()}


def of_addends(whole, mesh):
    """A tensor that is the sum of the parts of both processes."""
    X = DTensor.from_local(whole * (0.25 if PROCESS == 0 else 0.75), mesh, [Partial("sum")])
    errors = [float(abs(gpuplot.downsample(X, (30, 40), agg=agg, collective=True) / gpuplot.downsample(whole, (30, 40), agg=agg) - 1).max())
              for agg in ("mean", "sum")]
    smallest = DTensor.from_local(whole, mesh, [Partial("min")])
    return {"addends": errors, "most": message_of(lambda: gpuplot.downsample(X, (3, 4), agg="max", collective=True)),
            "shown": message_of(lambda: gpuplot.imshow(X, vmin=0, vmax=1)),
            "smallest": message_of(lambda: gpuplot.downsample(smallest, (3, 4), collective=True))}


def of_shapes(mesh, gathers):
    """Empty shards, two axes of a mesh, copies of shards, and more axes of a tensor."""
    one = one_row(mesh)
    report = {"one row": gpuplot.downsample(one, (1, 5), collective=True).tolist()}
    report["none here"] = gpuplot.imshow(one, ax=plt.Figure().add_subplot()).plane.boxes_elsewhere
    both = init_device_mesh("cpu", (1, 2))
    whole = torch.arange(7 * 9 * 11.0).reshape(7, 9, 11)
    gathers.clear()
    for name, placements in {"mesh": (Replicate(), Shard(1)), "twice": (Shard(2), Shard(2))}.items():
        X = distribute_tensor(whole, both, placements)
        cells = gpuplot.downsample(X, (4, 5), index={0: 6}, collective=True)
        report[name] = float(abs(cells - gpuplot.downsample(whole, (4, 5), index={0: 6})).max())
    report["gathers of a mesh"] = len(gathers)
    return report


def one_row(mesh):
    """A tensor of which the second process has no elements."""
    return distribute_tensor(ONE_ROW, mesh, [Shard(0)])


def of_training(mesh):
    """Weights and gradients of a model that is sharded by FSDP2."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(130, 129), torch.nn.ReLU(), torch.nn.Linear(129, 7))
    whole = {name: tensor.detach().clone() for name, tensor in model.named_parameters()}
    fully_shard(model, mesh=mesh)
    table = gpuplot.stats(model, collective=True)
    report = {"parameters": {name: [table[name].max == float(tensor.max()), list(table[name].shape)] for name, tensor in whole.items()}}
    report["bias"] = [snapshot_is_whole(model, "2.bias", whole), snapshot_is_whole({"one": one_row(mesh)}, "one", {"one": ONE_ROW})]
    model(torch.ones(3, 130)).sum().backward()
    weight = model[0].weight
    report["local"] = list(weight.to_local().shape)
    report["gradient"] = digest(gpuplot.downsample(weight.grad, (20, 20), collective=True))
    return report


def snapshot_is_whole(tensors, name, whole):
    """Whether this process writes a file of an item of an inspector, with the pixels of an inspector of the whole tensor."""
    file = FOLDER.parent / f"{name}_of_{PROCESS}.png"
    with gpuplot.inspect(tensors) as w, gpuplot.inspect(whole[name]) as whole_w:
        w.item = name if PROCESS == 0 else w.item
        w.snapshot(file, width=60, collective=True)
        whole_w.snapshot(FOLDER.parent / f"whole_{name}_{PROCESS}.png", width=60)
    return file.exists() and file.read_bytes() == (FOLDER.parent / f"whole_{name}_{PROCESS}.png").read_bytes()


if __name__ == "__main__":
    main()
