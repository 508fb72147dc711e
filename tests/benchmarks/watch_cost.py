"""What `gpuplot.watch` costs a training step: a small transformer on the CPU, not watched, watched by nobody, and looked at.

usage: python tests/benchmarks/watch_cost.py [--rounds N] [--steps N] [--threads N]
Times are the processor's, of all threads, taken in turns: other programs on the machine disturb them less than a clock's.
"""

import argparse
import statistics
import sys
import time
import warnings
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inspector_notebook import Page, RecordingComm, comm

import gpuplot

WIDTH, N_LAYERS, N_WORDS = 128, 4, 1000


class Transformer(torch.nn.Module):
    """Words, four layers, words."""

    def __init__(self, width=WIDTH):
        super().__init__()
        self.embed = torch.nn.Embedding(N_WORDS, width)
        layer = torch.nn.TransformerEncoderLayer(width, 4, 4 * width, batch_first=True)
        self.encode = torch.nn.TransformerEncoder(layer, N_LAYERS, enable_nested_tensor=False)
        self.score = torch.nn.Linear(width, N_WORDS)

    def forward(self, words):
        return self.score(self.encode(self.embed(words)))


def steps(model, optimizer, words, n):
    """Processor seconds of a step."""
    began = time.process_time()
    for _ in range(n):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(words).flatten(0, 1), words.flatten()).backward()
        optimizer.step()
    return (time.process_time() - began) / n


def watched(model, is_seen):
    """An inspector of the model that nobody sees, or one page."""
    w = gpuplot.watch(model)
    if is_seen:
        page = Page(w)
        page.say("ready")
        page.look((0, 1000, 0, 128), (400, 400))
    return w


def hooks_alone(n_rounds):
    """Seconds that hooks take of a step while nobody looks: in a model of as many modules that does next to nothing else."""
    model, words = Transformer(width=8), torch.randint(0, N_WORDS, (1, 2))
    optimizer, found = torch.optim.SGD(model.parameters(), 0.0), []
    steps(model, optimizer, words, 30)
    for _ in range(n_rounds):
        usual = steps(model, optimizer, words, 40)
        with watched(model, is_seen=False):
            steps(model, optimizer, words, 2)
            found.append(steps(model, optimizer, words, 40) - usual)
    return statistics.median(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("rounds", 15), ("steps", 8), ("threads", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    torch.manual_seed(0)
    warnings.simplefilter("ignore")
    comm.create_comm = RecordingComm
    model, words = Transformer(), torch.randint(0, N_WORDS, (16, 64))
    optimizer = torch.optim.AdamW(model.parameters())
    times = {"not watched": [], "watched, nobody looks": [], "watched, one page looks": []}
    steps(model, optimizer, words, asked.steps)
    for _ in range(asked.rounds):
        for name, found in times.items():
            w = None if name == "not watched" else watched(model, is_seen="page" in name)
            steps(model, optimizer, words, 1)  # in which outputs are listed
            found.append(steps(model, optimizer, words, asked.steps))
            if w is not None:
                w.close()
    usual = times["not watched"]
    print(f"torch {torch.__version__}, {len(list(model.modules()))} modules, {len(list(model.parameters()))} parameters, "
          f"{asked.threads} threads, {asked.rounds} rounds of {asked.steps} steps")
    for name, found in times.items():
        ratio = statistics.median(one / other for one, other in zip(found, usual, strict=True))
        print(f"{name:24} {1e3 * statistics.median(found):7.2f} ms, least {1e3 * min(found):7.2f}; to not watched {ratio:.4f}, "
              f"of the least {min(found) / min(usual):.4f}")
    alone = hooks_alone(asked.rounds)
    print(f"hooks alone, nobody looks: {1e6 * alone:.0f} us a step, {100 * alone / statistics.median(usual):.2f} % of it")


if __name__ == "__main__":
    main()
