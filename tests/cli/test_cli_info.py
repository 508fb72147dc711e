"""`gpuplot info`: names of tensors as a tree, those with NaN first, and what their elements are like."""

import json

import numpy as np
import pytest
from command_line import command

import gpuplot

pytestmark = pytest.mark.host("runs a command on files")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("info")
    fine, bad, worse = np.arange(6.0).reshape(2, 3), np.array([1.0, np.inf]), np.array([np.nan, np.nan, 2])
    layers = {"layer.0.w": fine, "layer.0.b": bad, "layer.1.w": worse, "layer.1.b": fine[0]}
    np.savez(path / "net.npz", **layers, head=fine, n=np.int64(3))
    np.save(path / "one.npy", worse)
    return path


def lines(*words, cwd):
    said, complained = command("info", *words, cwd=cwd)
    assert complained == ""
    return said.splitlines()


def test_the_worst_come_first(folder):
    assert [line.split("  ")[0] if not line.startswith(" ") else line.split()[0] for line in lines("net.npz", cwd=folder)] == [
        "layer", "1", "w", "b", "0", "b", "w", "head", "n"]


def test_a_line_says_what_stats_says(folder):
    [line] = [line for line in lines("net.npz", cwd=folder) if line.startswith("head")]
    expected = repr(gpuplot.stats(np.arange(6.0).reshape(2, 3)))
    assert line.partition("  ")[2].lstrip() == expected.replace(" cpu \u00b7", " \u00b7")


def test_columns_are_aligned(folder):
    found = [line.index("float64") for line in lines("net.npz", cwd=folder) if "float64" in line]
    assert len(found) == 5 and len(set(found)) == 1


def test_a_branch_of_the_tree(folder):
    assert len([line for line in lines("net.npz#layer.1", cwd=folder) if "float64" in line]) == 2
    assert command("info", "net.npz#layer.2", cwd=folder, status=2)[1].startswith("gpuplot: net.npz has no layer.2: did you mean layer.")


@pytest.mark.parametrize("names", [("w", "w.scale.a", "w.scale.b"), ("w.scale.a", "w.scale.b", "w")])
def test_a_tensor_with_the_name_of_a_group(names, tmp_path):
    """In either order, as quantized layers have them: each tensor has a line."""
    np.savez(tmp_path / "q.npz", **dict.fromkeys(names, np.ones(2)))
    found = [line.split() for line in lines("q.npz", "--no-stats", cwd=tmp_path)]
    said = [words[0] for words in found if "float64" in words]
    assert len(said) == len(names) and any(line == ["w", "float64", "(2,)"] for line in found)


@pytest.mark.parametrize("address", ["one.npy", "net.npz#layer.1.w"])
def test_one_tensor_in_full(address, folder):
    said = "\n".join(lines(address, cwd=folder))
    assert "float64 (3,)" in said and "2 NaN" in said
    assert all(f"  {name} " in said for name in ("min", "max", "median", "std", "99%", "argmax", "first_nan"))


def test_names_and_shapes_alone(folder):
    found = [line.split() for line in lines("net.npz", "--no-stats", cwd=folder)]
    assert ["head", "float64", "(2,", "3)"] in found and ["n", "int64", "()"] in found
    assert lines("one.npy", "--no-stats", cwd=folder) == ["float64 (3,)"]


def test_names_do_not_command_the_terminal(tmp_path):
    """A file could clear the screen, or write lines of its own."""
    np.savez(tmp_path / "f.npz", **{"a\x1b[2J": np.ones(2), "b\nc": np.ones(2, "U1"), "\u00fc": np.ones(2)})
    shown = lines("f.npz", cwd=tmp_path)
    assert sorted(line.partition("  ")[0] for line in shown) == ["a\\x1b[2J", "b\\nc", "\u00fc"]
    assert "a\\x1b[2J" in command("f.npz", cwd=tmp_path, status=2)[1]
    np.savez(tmp_path / "g.npz", **{"a\x1b[2J": np.ones(2), "c": np.ones(3)})
    assert "\x1b" not in command("compare", "g.npz", "g.npz", cwd=tmp_path)[0]


def test_what_is_no_tensor_of_numbers_says_why(tmp_path):
    np.savez(tmp_path / "f.npz", names=np.array(["a", "b"]), w=np.eye(2))
    [line] = [line for line in lines("f.npz", cwd=tmp_path) if line.startswith("names")]
    assert "<U1 (2,)" in line or "str" in line
    assert "are not numbers" in line


def test_a_reader_that_has_seen_enough(folder):
    """`gpuplot info ... | head -1` is not an error of anybody's."""
    import os
    import subprocess
    import sys

    from command_line import ROOT

    first = "import sys; sys.stdin.readline(); sys.stdin.close()"
    program = [sys.executable, "-m", "gpuplot", "info", "net.npz"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(program, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as talks:
        subprocess.run([sys.executable, "-c", first], stdin=talks.stdout, check=True)
        talks.stdout.close()
        assert talks.stderr.read() == b""


def test_tables_need_no_matplotlib(folder):
    import subprocess
    import sys

    from command_line import ROOT

    code = "import sys; from gpuplot.cli.main import main; main(['info', 'net.npz']); assert 'matplotlib' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# ---- JSON ------------------------------------------------------------------------------------------------------------


def read(*words, cwd):
    """The JSON of the command, which has no NaN and infinities."""
    def refuse(word):
        raise ValueError(word)
    said, complained = command("info", *words, "--json", cwd=cwd)
    assert complained == ""
    return json.loads(said, parse_constant=refuse)


def test_json_has_the_fields_of_stats(folder):
    found = {(one["file"], one["name"]): one for one in read("one.npy", "net.npz", cwd=folder)}
    assert list(found) == [("one.npy", ""), *(("net.npz", name) for name in np.load(folder / "net.npz").files)]
    one, want = found["one.npy", ""], gpuplot.stats(np.load(folder / "one.npy"))
    assert (one["shape"], one["dtype"], one["nan"], one["first_nan"], one["max"]) == ([3], "float64", 2, [0], 2.0)
    assert one["hist"] == want.hist.tolist() and one["percentiles"]["50"] == 2.0
    assert found["net.npz", "n"]["max"] == 3


def test_json_without_numbers(folder, tmp_path):
    assert read("one.npy", "--no-stats", cwd=folder) == [{"file": "one.npy", "name": "", "dtype": "float64", "shape": [3]}]
    np.save(tmp_path / "nan.npy", np.full(2, np.nan))
    np.save(tmp_path / "text.npy", np.array(["a"]))
    nan, text = read("nan.npy", "text.npy", cwd=tmp_path)
    assert nan["nan"] == 2 and nan["min"] is None and "error" in text


@pytest.mark.parametrize("words, said", [(["one.npy", "--json"], "gpuplot info FILE --json"),
                                         (["one.npy", "--check"], "gpuplot compare A B --check")], ids=str)
def test_pictures_have_no_json(folder, words, said):
    assert said in command(*words, cwd=folder, status=2)[1]


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_file_that_cannot_be_read_is_told_among_the_others(folder, tmp_path, words):
    """It ended the command, without the files after it, and in JSON without those before it."""
    (tmp_path / "cut.npy").write_bytes((folder / "one.npy").read_bytes()[:90])
    files = [str(folder / "one.npy"), "cut.npy", "none.npy", str(folder / "net.npz")]
    said, complained = command("info", *files, *words, cwd=tmp_path, status=1)
    assert [name in line for name, line in zip(files[1:3], complained.splitlines(), strict=True)] == [True, True]
    if words:
        facts = json.loads(said)
        assert [fact["file"] for fact in facts] == [files[0], *files[1:3], *[files[3]] * 6]
        assert ["error" in fact and "name" not in fact for fact in facts[:4]] == [False, True, True, False]
    else:
        assert "head" in said


def test_help_lists_the_options_of_info_alone(folder):
    said = lines("--help", cwd=folder)
    assert said[0] == "usage: gpuplot info FILE[#NAME]... [--no-stats] [--json]"
    assert [line.strip() for line in said if line.startswith("  --")] == ["--no-stats", "--json", "--traceback", "--help", "--version"]
