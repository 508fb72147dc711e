"""What tests of `Recorder` record, and how they read it again."""

import json

import numpy as np

import gpuplot

__all__ = ["record_some", "records_of", "weights"]


def records_of(folder):
    return [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()]


def weights(step):
    return np.random.default_rng(step).normal(size=(20, 30)).astype("float32")


def record_some(folder, steps=range(4), **keywords):
    with gpuplot.Recorder(folder, wait=True, **keywords) as record:
        for step in steps:
            record.image("a/b", weights(step), step, cmap="magma")
            record.stats("a/b", weights(step), step, bins=8)
    return record
