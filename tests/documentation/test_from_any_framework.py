"""The page docs/from_any_framework.md: its code runs, both ways give the same array, mistakes are answered in the words it tells.

Code for CUDA runs where there is a device of its library. Elsewhere PyTorch's runs on its CPU, Numba's on its simulator, and
CuPy's and the driver's on the emulated device.
"""

import re
from pathlib import Path

import emulated_device
import matplotlib.pyplot as plt
import numpy as np
import pytest
from framework_page import MISTAKES, PAGE, PATH, RECIPES, ROOT, SAYS, library_of, name_of, run_elsewhere, run_here

import gpuplot


def emulated_environment():
    """Variables that lend the emulated device to a process, whatever name it loads the driver by."""
    lent = emulated_device.environment()
    return {**lent, "LD_LIBRARY_PATH": str(Path(lent["GPUPLOT_CUDA_DRIVER"]).parent)}


@pytest.mark.host("scripts of their own")
@pytest.mark.parametrize("code", RECIPES, ids=name_of)
def test_recipe_runs_and_both_ways_agree(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    library = library_of(code)
    if library == "ctypes":
        run_elsewhere(code, tmp_path, **emulated_environment())
    elif library == "cupy":
        run_elsewhere(code, tmp_path, ROOT / "tests" / "foreign_cupy.py", **emulated_environment())
    elif library == "numba":
        pytest.importorskip("numba.cuda")
        run_elsewhere(code, tmp_path, NUMBA_ENABLE_CUDASIM="1")
    else:
        pytest.importorskip(library)
        run_here(code)


def assert_said(error, kind, text):
    """An error is what the page tells; a row of dots there stands for any words."""
    words = ".*".join(re.escape(part.strip()) for part in f" {text} ".split(" ... "))
    assert type(error).__name__ == kind, error
    assert re.fullmatch(words, str(error), flags=re.S) if words.strip(".*") else False, f"{text!r} is not {error!s}"


@pytest.mark.host("scripts of their own")
@pytest.mark.parametrize("code", MISTAKES, ids=name_of)
def test_mistake_is_answered_as_the_page_says(code):
    pytest.importorskip(library_of(code))
    names = {"np": np, "plt": plt, "gpuplot": gpuplot}
    n_answers = 0
    for part in code.split("\n\n"):
        answer = SAYS.search(part)
        if not answer:
            exec(part, names)
            continue
        with pytest.raises(Exception) as caught:
            exec(part, names)
        assert_said(caught.value, *answer.groups())
        n_answers += 1
    assert n_answers == len(SAYS.findall(code))


# Mistakes with a GPU, over the emulated one: words in the page's table -> what is done.

N = np.arange(256, dtype="float32").reshape(16, 16)


def hidden(emulated):
    return gpuplot.asnumpy(gpuplot.from_pointer(emulated.upload(N).pointer, (16, 16), "float32", device=7))


def freed(emulated):
    memory = emulated.upload(N)
    tensor = gpuplot.from_pointer(memory.pointer, (16, 16), "float32")
    memory.free()
    return gpuplot.asnumpy(tensor)


def of_another_context(emulated):
    with emulated.other_context() as context, emulated.upload(N, context=context) as memory:
        return gpuplot.asnumpy(gpuplot.from_pointer(memory.pointer, (16, 16), "float32"))


def of_the_host(emulated):
    return gpuplot.asnumpy(gpuplot.from_pointer(N.ctypes.data, (16, 16), "float32"))


def captured(emulated):
    with emulated.upload(N) as memory, emulated.stream() as stream, emulated.capture(stream):
        return gpuplot.asnumpy(gpuplot.from_pointer(memory.pointer, (16, 16), "float32", stream=stream))


def too_large(emulated):
    with emulated.upload(N) as memory:
        return gpuplot.asnumpy(gpuplot.from_pointer(memory.pointer, (4000, 4000), "float32"))


DONE = {"is hidden": hidden, "was freed": freed, "context of its own": of_another_context, "address of the host": of_the_host,
        "being captured": captured, "is said to be": too_large}
SAID = re.findall(r"^\| ([^|]*) \| `(\w*Error): (.*)` \|$", PAGE, flags=re.M)


def test_every_mistake_with_a_gpu_is_made_here():
    assert [sum(words in told for told, _, _ in SAID) for words in DONE] == [1] * len(SAID) == [1] * len(DONE)


@pytest.mark.parametrize(("told", "kind", "text"), SAID, ids=[told for told, _, _ in SAID])
def test_mistake_with_a_gpu_is_answered_as_the_page_says(told, kind, text, emulated):
    [make] = [make for words, make in DONE.items() if words in told]
    with pytest.raises(Exception) as caught:
        make(emulated)
    assert_said(caught.value, kind, text)


def test_every_recipe_shows_both_ways():
    """But for the first block, which is the summary, and those that are about pictures alone."""
    for code in RECIPES[1:]:
        assert ("theirs" in code and "ours" in code) or "plt.imshow(" in code, code


def test_lines_fit_the_page():
    assert max(len(line) for line in PAGE.splitlines() if not line.startswith(("|", "- measured"))) <= 132


def test_files_that_the_page_names_exist():
    for path in re.findall(r"\]\((\.\./[\w./]+)\)", PAGE):
        assert (PATH.parent / path).exists(), path
    assert "(docs/from_any_framework.md)" in (ROOT / "README.md").read_text()


@pytest.fixture
def figures(monkeypatch):
    """The program that writes what was measured into the page."""
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "benchmarks"))
    import page_figures

    return page_figures


def test_every_figure_is_of_a_row_that_is_measured_today(figures):
    import cases_conversions

    rows = {case.name: {other.name for other in case.opponents} for case in cases_conversions.all_cases()}
    told = figures.told(PAGE)
    assert set(told) <= set(rows), "places on the page without a row"
    for name, others in told.items():
        assert others and others <= rows[name], f"{name}: python tests/benchmarks/page_figures.py RESULTS.json rewrites the figures"


def test_figures_are_written_where_they_belong(figures):
    pair = {"ratio": 0.25, "ours": [0.1, 0.1], "theirs": [0.4, 0.4]}
    results = {"machine": {"processor": "Some CPU", "n_cores": 2, "load": [1.25, 1, 1], "python": "3.12.1", "date": "2026-01-02T00:00:00",
                           "versions": {"numpy": "2.4.0", "torch": "2.13.0"}},
               "cases": [{"name": "asnumpy, transposed", "ours": {"extra_bytes": 256e6}, "opponents": [
                   {"name": "np.x(a)", "pair": pair, "extra_bytes": 512e6, "error": {"kind": "elements", "n_differing": 0}},
                   {"name": "y(a)", "not_run": "needs y"}]}]}
    text = "<!-- machine -->\nold\n\n<!-- measured: asnumpy, transposed -->\n- old\n<!-- measured: asnumpy, gone -->\nlast"
    made = figures.rewritten(text, results)
    assert "2 shared cores of Some CPU, load 1.2;" in made and "NumPy 2.4" in made and "old" not in made and made.endswith("last")
    assert "0.25 of `np.x(a)`" in made and "256 MB, not 512" in made and "y(a)" not in made
    assert figures.told(made) == {"asnumpy, transposed": {"np.x(a)"}, "asnumpy, gone": set()}


def test_page_tells_the_figures_of_the_newest_report_of_a_gpu(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "gpu"))
    import reporting

    assert reporting.block_in(PAGE) == reporting.conversions_block(reporting.newest(ROOT / "tests" / "gpu" / "reports")), \
        "the page and the newest report differ: python tests/gpu/reporting.py rewrites its figures"


def unreadable_tensors():
    """Tensors that PyTorch refuses to NumPy, by a word of its reason on the page."""
    torch = pytest.importorskip("torch")
    X = torch.eye(3)
    return {"requires grad": X.clone().requires_grad_(), "BFloat16": X.bfloat16(), "Float8_e4m3fn": X.to(torch.float8_e4m3fn),
            "Float8_e5m2": X.to(torch.float8_e5m2), "conjugate bit": X.to(torch.complex64).conj(),
            "negative bit": X.to(torch.complex64).conj().imag, "Sparse layout": X.to_sparse()}


@pytest.mark.host("tensors of PyTorch on the host")
@pytest.mark.parametrize("reason", ["requires grad", "BFloat16", "Float8_e4m3fn", "Float8_e5m2", "conjugate bit", "negative bit",
                                    "Sparse layout"])
def test_the_errors_that_bring_people_here_are_those_that_pytorch_raises(reason):
    """People look for the words of an error: the page has PyTorch's, and the call that it promises works."""
    X = unreadable_tensors()[reason]
    with pytest.raises((TypeError, RuntimeError), match=reason) as raised:
        X.numpy()
    words = str(raised.value).splitlines()[0]
    assert f"`{words}`" in PAGE or (words.startswith("Got unsupported ScalarType") and f"`{words.split()[-1]}`" in PAGE)
    assert gpuplot.asnumpy(X).shape == (3, 3)
