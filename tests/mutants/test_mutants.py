"""The tools of tests/mutants: stable names of mutants, samples by seed, and probes that note which code runs."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

FOLDER = Path(__file__).resolve().parent
pytest.importorskip("tree_sitter", reason="no tree-sitter: tests/mutants/README.md says what the tools need")
if str(FOLDER) not in sys.path:
    sys.path.append(str(FOLDER))

import candidates  # noqa: E402
import probes  # noqa: E402
import report  # noqa: E402
import syntax  # noqa: E402

C_TEXT = """
static void wait_for(int *lock) { *lock = 0; }
int clip(int x, int low, int high)
{
    if (x < low)
        return low;
    else if (x > high)
        return high;
    for (int k = 0; k < 2; k++)
        if (k == 1)
            x += 0;
    switch (x) {
    case 3: wait_for(&x); return 3;
    default: break;
    }
    return x;
}
"""


def mutants_of(text, path="native/core/clip.c"):
    return candidates.mutants_of(syntax.parse(path, "core", text.encode()))


def test_a_mutants_name_stays_when_lines_move_and_other_functions_change():
    before = {mutant.key: mutant for mutant in mutants_of(C_TEXT)}
    after = {mutant.key: mutant for mutant in mutants_of("\n\nint other(int y) { return y + 5; }\n" + C_TEXT.replace("{\n", "{\n\n"))}
    assert before.keys() <= after.keys()
    assert all(after[key].id == mutant.id and after[key].line > mutant.line for key, mutant in before.items())


@pytest.mark.parametrize(("operator", "before", "after"), [
    ("boundary", "if (x < low)", "if (x <= low)"), ("equality", "k == 1", "k != 1"), ("guard", "if (x > high)", "if (0 && (x > high))"),
    ("constant", "k < 2", "k < 3"), ("barrier", "wait_for(&x);", ";"), ("assignment", "*lock = 0;", ";"),
])
def test_each_operator_plants_its_defect(operator, before, after):
    wanted = C_TEXT.replace(before, after)
    assert any(mutant.operator == operator and mutant.apply(C_TEXT.encode()).decode() == wanted for mutant in mutants_of(C_TEXT))


def test_mutants_of_python_are_python():
    path = FOLDER.parents[1] / "gpuplot" / "plane" / "view.py"
    text = path.read_bytes()
    found = candidates.mutants_of(syntax.parse("gpuplot/plane/view.py", "gpuplot", text))
    assert len({mutant.id for mutant in found}) == len(found) > 50
    for mutant in found:
        assert mutant.apply(text) != text
        ast.parse(mutant.apply(text))


def test_a_sample_follows_its_seed_and_not_other_files():
    many = [mutant for source in syntax.sources(FOLDER.parents[1]) if source.place in ("core", "widgets")
            for mutant in candidates.mutants_of(source)]
    chosen = candidates.sample(many, 60, 1)
    assert chosen == candidates.sample(many, 60, 1) != candidates.sample(many, 60, 2)
    assert len({(mutant.path, mutant.function) for mutant in chosen}) == len(chosen)
    of_core = [mutant for mutant in many if mutant.place == "core"]
    assert candidates.sample(of_core, 60, 1) == [mutant for mutant in chosen if mutant.place == "core"]


def run_with_probes(tmp_path, x):
    """The result of clip(x, 0, 10), and the first line of each block that ran."""
    source = syntax.parse("native/core/clip.c", "core", C_TEXT.encode())
    numbered = list(enumerate(probes.probes_of([source])))
    program = tmp_path / "clip.c"
    program.write_bytes(probes.with_probes(source, numbered))
    subprocess.run(["cc", "-shared", "-fPIC", "-include", FOLDER / "probes.h", program, FOLDER / "probes.c", "-o", tmp_path / "clip.so"],
                   check=True)
    hits = tmp_path / "hits"
    hits.write_bytes(bytes(probes.MAX_PROBES))
    code = f"import ctypes; print(ctypes.CDLL('{tmp_path}/clip.so').clip({x}, 0, 10))"
    done = subprocess.run([sys.executable, "-c", code], env={"GPUPLOT_PROBES": str(hits)}, capture_output=True, text=True, check=True)
    ran = [probe for number, probe in numbered if hits.read_bytes()[number]]
    return int(done.stdout), [C_TEXT.encode()[probe.start:probe.end].split(b"\n")[0].decode() for probe in ran]


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler called cc")
@pytest.mark.parametrize(("x", "result", "blocks"), [
    (-4, 0, ["{", "return low;"]), (12, 10, ["{", "return high;"]), (5, 5, ["{", "if (k == 1)", "x += 0;"]),
    (3, 3, ["{ *lock = 0; }", "{", "if (k == 1)", "x += 0;"]),
])
def test_probes_see_what_runs_in_another_process(tmp_path, x, result, blocks):
    assert run_with_probes(tmp_path, x) == (result, blocks)


def test_equivalent_mutants_are_left_out_of_shares_and_counted_as_alive_beside_them():
    """Whoever doubts the reasons sees what is left without them."""
    about = dict.fromkeys(("id", "path", "function", "operator", "before", "after"), "x")
    killed = {**about, "place": "core", "state": "killed", "first": "killed", "run": "make test", "how": "failure", "seconds": 1,
              "reason": ""}
    equivalent = {**killed, "state": "explained", "first": "survived", "run": "", "reason": "so"}
    page = list(report._page([killed] * 3 + [equivalent], SimpleNamespace(sample=4, seed=1, run="ci")))
    assert "| all | 4 | 0 | 1 | 3 of 3 (100 %) | 3 of 3 (100 %) | 3 of 3 (100 %) |" in page
    assert "| all, equivalent ones counted as alive | 4 | 0 | 0 | 3 of 4 (75 %) | 3 of 4 (75 %) | 3 of 4 (75 %) |" in page
