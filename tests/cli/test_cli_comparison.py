"""`gpuplot compare` of files with several tensors: those of one name, the largest difference first, and names that are in one file."""

import json

import numpy as np
import pytest
from command_line import command

import gpuplot

pytestmark = pytest.mark.host("runs a command on files")
WEIGHT = np.arange(6, dtype="f4").reshape(2, 3)
BEFORE = {"0.w": WEIGHT, "0.b": WEIGHT[0], "1.w": WEIGHT, "1.b": WEIGHT[0], "old": WEIGHT[0], "n": np.int64(3)}
AFTER = {"0.w": WEIGHT + 0.25, "0.b": WEIGHT[0], "1.w": WEIGHT[:, :2], "1.b": np.array([0, np.nan, 2], "f4"), "new": WEIGHT,
         "n": np.int64(9)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("compare")
    np.savez(path / "before.npz", **BEFORE)
    np.savez(path / "after.npz", **AFTER)
    np.savez(path / "saved.npz", **{f"model.{name}": value for name, value in BEFORE.items()}, step=WEIGHT)
    np.save(path / "one.npy", WEIGHT)
    return path


def lines(*words, cwd):
    said, complained = command("compare", *words, cwd=cwd)
    assert complained == ""
    return dict(line.split(maxsplit=1) for line in said.splitlines())


def test_the_worst_come_first_and_lone_names_last(folder):
    found = lines("before.npz", "after.npz", cwd=folder)
    assert list(found) == ["1.w", "1.b", "n", "0.w", "0.b", "old", "new"]
    assert found["1.w"] == "(2, 3) and (2, 2): tensors of one shape are compared"
    assert found["0.b"] == "float32 (3,) \u00b7 equal"
    assert (found["old"], found["new"]) == ("in before.npz alone", "in after.npz alone")


@pytest.mark.parametrize("tolerances", [{}, {"atol": 0.5}], ids=str)
def test_a_line_says_what_compare_says(folder, tolerances):
    words = [word for name, value in tolerances.items() for word in (f"--{name}", value)]
    found = lines("before.npz", "after.npz", *words, cwd=folder)
    for name in ("0.w", "1.b"):
        assert found[name].endswith(f" \u00b7 {gpuplot.compare(BEFORE[name], AFTER[name], **tolerances).comparison}")


def test_groups_are_compared_by_the_rest_of_their_names(folder):
    assert set(lines("saved.npz#model", "before.npz", cwd=folder)) == set(BEFORE)
    found = lines("before.npz#0", "before.npz#1", cwd=folder)
    assert list(found.values()) == ["float32 (2, 3) \u00b7 equal", "float32 (3,) \u00b7 equal"]


@pytest.mark.parametrize("words, said", [
    (["before.npz", "after.npz", "-o", "a.png"], "--output is about a picture"),
    (["before.npz", "saved.npz#model", "--nan-color", "red"], "such as 'before.npz#0.w' 'saved.npz#model.0.w'"),
    (["before.npz", "saved.npz"], "name the group that has those of the other, 'saved.npz#model'"),
    (["before.npz", "one.npy"], "before.npz has 5 tensors"), (["before.npz#2", "after.npz"], "before.npz has no 2")], ids=str)
def test_what_is_refused(folder, words, said):
    printed, complained = command("compare", *words, cwd=folder, status=2)
    assert printed == "" and said in complained and len(complained.splitlines()) == 1
    assert not list(folder.glob("*.png"))


# ---- for scripts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words, status", [
    (["before.npz#0.w", "before.npz#1.w"], 0), (["before.npz", "before.npz"], 0), (["before.npz#0.w", "after.npz#0.w"], 1),
    (["before.npz#0.w", "after.npz#0.w", "--atol", "0.5"], 0), (["before.npz#1.b", "after.npz#1.b"], 1),
    (["before.npz#1.w", "after.npz#1.w"], 1), (["before.npz", "after.npz", "--atol", "9"], 1), (["before.npz", "saved.npz#model"], 0),
    (["before.npz", "none.npz"], 2), (["before.npz", "saved.npz"], 2)], ids=str)
def test_check_gives_a_status(folder, words, status):
    """The exit status was 0 whether or not the files differ."""
    command("compare", *words, "--check", cwd=folder, status=status)
    assert not list(folder.glob("*.png"))


def test_check_with_a_picture(folder, tmp_path):
    for name, status in (("after", 1), ("before", 0)):
        _, said = command("compare", "before.npz#0.w", f"{name}.npz#0.w", "--check", "-o", tmp_path / f"{name}.png", cwd=folder,
                          status=status)
        assert said.startswith("gpuplot: largest difference") and (tmp_path / f"{name}.png").stat().st_size > 1000


@pytest.mark.parametrize("words, status, said", [
    (["--categorical"], 0, "equal, but for 1 masked"), (["--categorical", "--ignore-index", "9"], 1, "1 of 6"),
    (["--categorical", "--ignore-index", "9,255"], 0, "equal, but for 1 masked"), ([], 1, "largest difference 253")], ids=str)
def test_check_compares_classes(tmp_path, words, status, said):
    """Elements that are no class in one of the two are left out, as `gpuplot.compare` does; --categorical was refused."""
    truth = np.array([[0, 1, 2], [0, 255, 1]], "u1")
    np.save(tmp_path / "truth.npy", truth)
    np.save(tmp_path / "found.npy", np.where(truth == 255, 2, truth))
    words = ["compare", "found.npy", "truth.npy", *words, "--check"]
    assert said in command(*words, cwd=tmp_path, status=status)[0]
    found = json.loads(command(*words, "--json", cwd=tmp_path, status=status)[0])
    assert (found["is_same"], len(found["tensors"])) == (status == 0, 1)


def test_check_of_classes_needs_class_numbers(folder):
    said = command("compare", "one.npy", "before.npz#0.w", "--check", "--categorical", cwd=folder, status=2)[1]
    assert "class numbers of an integer dtype, not float32" in said
    said = command("compare", "before.npz", "after.npz", "--check", "--categorical", cwd=folder, status=2)[1]
    assert "name a tensor of each" in said


def test_json_has_the_numbers_of_the_table(folder):
    table = gpuplot.compare(BEFORE, AFTER)
    found = _strict(command("compare", "before.npz", "after.npz", "--json", cwd=folder)[0])
    assert (found["a"], found["b"], found["is_same"]) == ("before.npz", "after.npz", False)
    assert [one["name"] for one in found["tensors"]] == list(table) and found["skipped"] == table.skipped
    assert (found["only_a"], found["only_b"]) == (["old"], ["new"])
    for one in found["tensors"]:
        want = table[one["name"]]
        assert (one["n_beyond"], one["max_abs"], one["nan_only_b"]) == (want.n_beyond, want.max_abs, want.nan_only_b)
    assert _strict(command("compare", "one.npy", "before.npz#0.w", "--json", cwd=folder)[0])["is_same"] is True


def _strict(text):
    """JSON without NaN and infinities."""
    def refuse(word):
        raise ValueError(word)
    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("words, said", [
    (["before.npz#0.w", "after.npz#0.w", "--json", "-o", "a.png"], "--output is about a picture, and none is drawn"),
    (["before.npz#0.w", "after.npz#0.w", "--check", "--cmap", "jet"], "--cmap is about a picture, and none is drawn")], ids=str)
def test_options_of_pictures_have_no_meaning_in_texts(folder, words, said):
    assert said in command("compare", *words, cwd=folder, status=2)[1]
