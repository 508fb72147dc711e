"""`stats` of tensors on a real GPU is `stats` of their copies on the host."""

import numpy as np
import pytest
from gpu import comparing
from gpu.test_gpu_pictures import FLOATS, FLOATS8, INTEGERS, LAYOUTS, made

import gpuplot

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("name", ["bool", *INTEGERS, *FLOATS, *FLOATS8])
def test_every_dtype_of_torch(torch, device, name):
    host = made(torch, name)
    comparing.check_stats(host.to(device), host)
    comparing.check_stats(host.to(device), host, bins=10_000, region=((3.5, 200), (7, 300)))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["uint8", "bfloat16", "float32", "float64"])
def test_every_layout(torch, device, name, layout):
    comparing.check_stats(LAYOUTS[layout](made(torch, name).to(device)), LAYOUTS[layout](made(torch, name)))


@pytest.mark.parametrize("name", FLOATS)
def test_nan_and_infinities(torch, device, name):
    host = made(torch, name)
    flat = host.view(-1)
    flat[77::97], flat[5::301], flat[9::401] = float("nan"), float("inf"), -float("inf")
    got = comparing.check_stats(host.to(device), host)
    assert got.nan > 0 and got.pos_inf > 0 and got.neg_inf > 0


def test_a_gigabyte_has_its_extremes_where_they_are(torch, device):
    tensor = torch.zeros(16384, 16384, device=device)
    tensor[16383, 16383], tensor[9000, 1], tensor[5, 7], tensor[16000, 16000] = 3, 3, -2, float("nan")
    got = gpuplot.stats(tensor, value_range=(-2, 3), bins=5)
    assert (got.argmax, got.argmin, got.first_nan) == ((9000, 1), (5, 7), (16000, 16000))
    assert got.hist.tolist() == [1, 0, tensor.numel() - 4, 0, 2]
    assert got.mean == pytest.approx(4 / (tensor.numel() - 1), rel=1e-9)


def test_slices(torch, device):
    host = made(torch, "float32", (30, 40, 50))
    got = comparing.check_stats(host.to(device), host, dim=(0, 2), bins=7)
    assert np.shape(got.mean) == (40,)


def test_two_runs_have_the_same_bits(torch, device):
    tensor = made(torch, "float32", (3000, 1700)).to(device)
    first = gpuplot.stats(tensor)
    for _ in range(5):
        again = gpuplot.stats(tensor)
        assert (again.mean, again.std, again.l2) == (first.mean, first.std, first.l2)
