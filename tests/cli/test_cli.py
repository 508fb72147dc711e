"""The command `gpuplot` draws files: what it writes, where, and its errors."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command_line import command, pixels, sample
from matplotlib.figure import Figure
from PIL import features

import gpuplot
from gpuplot.cli import drawing
from gpuplot.cli.main import main

pytestmark = pytest.mark.host("runs a command on files")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path):
    np.save(tmp_path / "a.npy", sample((5, 40, 50)))
    return tmp_path


@pytest.mark.parametrize("suffix", ["png", "pdf", "svg", "svgz", "eps", "jpg", "tif", "webp", "gif", "avif"])
@pytest.mark.parametrize("words", [["a.npy"], ["hist", "a.npy"]], ids=["picture", "graph"])
def test_a_picture_is_replaced_by_the_next_run(folder, tmp_path, suffix, words):
    """Of all formats but PNG it said that gpuplot had not written it."""
    target = tmp_path / f"x.{suffix}"
    if suffix not in Figure().canvas.get_supported_filetypes() or (suffix == "avif" and not features.check("avif")):
        pytest.skip(f"this matplotlib or Pillow writes no {suffix}")
    for _ in range(2):
        said, complained = command(*words, "-o", target, cwd=folder)
        assert said == "" and "exists" not in complained
    Figure().savefig(target)
    assert "was not written by gpuplot" in command(*words, "-o", target, cwd=folder, status=1)[1]


def test_a_picture_says_what_it_shows(folder, tmp_path):
    for words, said in ((["a.npy", "--index", 3], "<!-- a.npy \u00b7 axis 0 = 3 -->"), (["a.npy", "--title", "mine"], "<!-- mine -->"),
                        (["hist", "a.npy"], "<!-- a -->")):
        command(*words, "-o", tmp_path / "x.svg", cwd=folder)
        assert said in (tmp_path / "x.svg").read_text()


def run_program(words, cwd, **environment):
    """A new process, whose stdout and matplotlib are not those of the tests."""
    return subprocess.run([sys.executable, "-m", "gpuplot", *words], cwd=cwd, capture_output=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(ROOT), **environment})


def test_a_backend_that_is_not_there_and_letters_that_stdout_lacks(folder, tmp_path):
    done = run_program(["a.npy", "-o", tmp_path / "x.png"], folder, MPLBACKEND="nonsense")
    assert (done.returncode, done.stderr) == (0, b"") and (tmp_path / "x.png").exists()
    done = run_program(["info", "a.npy"], folder, PYTHONIOENCODING="ascii")
    assert done.returncode == 0 and done.stdout.startswith(b"float32") and b"?" in done.stdout


def test_info_of_several_files(folder, tmp_path):
    np.save(tmp_path / "b.npy", np.ones(3, "i1"))
    said, complained = command("info", "a.npy", tmp_path / "b.npy", "--no-stats", cwd=folder)
    assert complained == "" and said.splitlines()[0] == "a.npy:" and said.splitlines()[-2:] == [f"{tmp_path / 'b.npy'}:", "int8 (3,)"]


def test_one_row_is_told_of_plot(folder, tmp_path):
    np.save(tmp_path / "loss.npy", np.arange(9.0))
    said, complained = command("loss.npy", cwd=tmp_path)
    assert said == "loss.png\n" and "gpuplot plot loss.npy draws it as a line" in complained
    assert command("loss.npy", "--pixels", "-o", "b.png", cwd=tmp_path) == ("", "")


def test_a_picture_is_written_beside_and_its_name_printed(folder):
    said, complained = command("a.npy", cwd=folder)
    assert (said, complained) == ("a.png\n", "")
    assert pixels(folder / "a.png").shape[1] == drawing.WIDTH


def test_keywords_reach_the_picture(folder):
    """Pixels alone are those of `to_rgba` with the same keywords, however these are written."""
    words = ["--pixels", "--width", 25, "--index", 1, "--cmap", "magma", "--nan_color=#ff0000", "--robust=5,90", "--agg", "max", "--vmin",
             "-1e-1"]
    command("a.npy", *words, "-o", "b.png", cwd=folder)
    a = sample((5, 40, 50))
    expected = gpuplot.to_rgba(a, (20, 25), index={0: 1}, cmap="magma", nan_color="#ff0000", robust=(5, 90), agg="max", vmin=-0.1)
    np.testing.assert_array_equal(pixels(folder / "b.png"), expected)


@pytest.mark.parametrize("words", [["--index", "1"], ["--index", "0=1"], ["--index=1"], ["--dims", "time,row,col", "--index", "time=1"]])
def test_ways_to_write_an_index(folder, words):
    command("a.npy", "--pixels", *words, "-o", "b.png", cwd=folder)
    np.testing.assert_array_equal(pixels(folder / "b.png"), gpuplot.to_rgba(sample((5, 40, 50))[1]))


def test_indices_are_given_one_after_the_other(tmp_path):
    a = sample((2, 3, 20, 30))
    np.save(tmp_path / "a.npy", a)
    for words in (["--index", "1,2"], ["--index", "1", "--index", "2"], ["--index", "0=1", "--index", "1=2"], ["--index", "0=1,1=2"]):
        command("a.npy", "--pixels", *words, "-o", "b.png", cwd=tmp_path)
        np.testing.assert_array_equal(pixels(tmp_path / "b.png"), gpuplot.to_rgba(a[1, 2]))


def test_one_channel_of_a_picture(tmp_path):
    """(3, H, W) would be colors; with an index it is three planes."""
    a = sample()
    np.save(tmp_path / "a.npy", a)
    command("a.npy", "--pixels", "--index", 2, "-o", "b.png", cwd=tmp_path)
    np.testing.assert_array_equal(pixels(tmp_path / "b.png"), gpuplot.to_rgba(a[2]))


def test_a_figure_has_axes_a_title_and_a_colorbar(folder):
    """Each of them leaves its marks beside the picture, and --view shows a part of it."""
    command("a.npy", "--index", 1, "-o", "plain.png", "--width", 600, cwd=folder)
    plain = pixels(folder / "plain.png")
    assert plain.shape[1] == 600
    for name, words in {"title": ["--title", "what it is"], "colorbar": ["--colorbar"], "view": ["--view", "0:20,0:10"],
                        "dpi": ["--dpi", 150], "nan": ["--nan-color", "red"]}.items():
        command("a.npy", "--index", 1, "-o", f"{name}.png", "--width", 600, *words, cwd=folder)
        other = pixels(folder / f"{name}.png")
        assert other.shape[1] == 600 and (other.shape != plain.shape or (other != plain).any()), name
    red = [(pixels(folder / f"{name}.png")[..., :3] == [255, 0, 0]).all(axis=-1).sum() for name in ("plain", "nan")]
    assert red[0] == 0 < red[1]
    height, width = pixels(folder / "view.png").shape[:2]
    assert height > width  # twenty rows of ten columns
    command("imshow", "a.npy", "--index", 1, "-o", "named.png", "--width", 600, cwd=folder)
    np.testing.assert_array_equal(pixels(folder / "named.png"), plain)


@pytest.mark.parametrize("is_bare", [False, True])
def test_stacked_pictures_are_told_in_the_words_of_the_command_and_not_in_the_picture(tmp_path, is_bare):
    np.save(tmp_path / "a.npy", np.random.default_rng(0).random((2, 3, 20, 30), "f4"))
    words = ["a.npy", "-o", "a.png", "--force", *["--pixels"] * is_bare]
    assert command(*words, cwd=tmp_path)[1] == "gpuplot: these may be stacked pictures: --rgb=1 shows colors\n"
    told = (tmp_path / "a.png").read_bytes()
    assert b"rgb" not in told and command(*words, "--no-rgb", cwd=tmp_path)[1] == ""
    assert (tmp_path / "a.png").read_bytes() == told
    assert command(*words, "--rgb=1", cwd=tmp_path)[1] == ""


def test_figures_in_other_formats(folder):
    for name, beginning in {"b.pdf": b"%PDF", "b.svg": b"<?xml", "b.jpg": b"\xff\xd8\xff"}.items():
        command("a.npy", "-o", name, cwd=folder)
        assert (folder / name).read_bytes().startswith(beginning)


def test_a_picture_may_go_through_a_pipe(folder):
    said, _ = command("a.npy", "--pixels", "-o", "-", cwd=folder, text=False)
    (folder / "piped.png").write_bytes(said)
    assert pixels(folder / "piped.png").shape == (40, 50, 4)


# ---- what is not written over ----------------------------------------------------------------------------------------


def test_only_pictures_of_gpuplot_are_replaced(folder):
    target = folder / "b.png"
    target.write_bytes(b"somebody's")
    _, complained = command("a.npy", "-o", "b.png", cwd=folder, status=1)
    assert "b.png exists and was not written by gpuplot" in complained and "--force" in complained
    assert target.read_bytes() == b"somebody's"
    command("a.npy", "-o", "b.png", "--force", cwd=folder)
    for words in ([], ["--pixels"], []):  # written by the command, with axes and without
        command("a.npy", "-o", "b.png", *words, cwd=folder)
    gpuplot.imsave(target, sample()[0])
    command("a.npy", "-o", "b.png", cwd=folder)


def test_the_file_that_is_read_is_never_replaced(folder):
    gpuplot.imsave(folder / "in.png", sample()[0])
    before = (folder / "in.png").read_bytes()
    os.symlink("in.png", folder / "link.png")
    for words in (["-o", "in.png"], ["-o", "link.png"], ["-o", "in.png", "--force"], []):
        _, complained = command("in.png", *words, cwd=folder, status=1)
        assert "is the input file" in complained
    assert (folder / "in.png").read_bytes() == before


def test_a_file_without_a_name_is_refused(folder):
    """It was written under the default name."""
    for words in (["a.npy"], ["a.npy", "--pixels"], ["hist", "a.npy"]):
        _, complained = command(*words, "-o", "", cwd=folder, status=2)
        assert "--output: give the name of a file" in complained
    assert os.listdir(folder) == ["a.npy"]


def test_a_failure_leaves_what_was_there(folder):
    command("a.npy", "-o", "b.png", cwd=folder)
    before = (folder / "b.png").read_bytes()
    command("a.npy", "-o", "b.png", "--agg", "median", cwd=folder, status=1)
    assert (folder / "b.png").read_bytes() == before and sorted(os.listdir(folder)) == ["a.npy", "b.png"]


# ---- errors ----------------------------------------------------------------------------------------------------------

WRONG = {
    "an option that is misspelled": (["a.npy", "--cmpa", "gray"], 2, "did you mean --cmap?"),
    "an option of another spelling": (["a.npy", "--nan-colour", "red"], 2, "did you mean --nan-color?"),
    "numbers apart": (["a.npy", "--extent", "0", "1", "0", "1"], 2, "no file 1: numbers of one option are one word, --extent=0,1,0,1"),
    "slices apart": (["a.npy", "--view", "0:9", "1:5"], 2, "are one word, --view=0:9,1:5"),
    "an option like nothing": (["a.npy", "--frobnicate"], 2, "gpuplot --help lists them"),
    "an option of one dash": (["a.npy", "-cmap", "gray"], 2, "did you mean --cmap?"),
    "an option without its value": (["a.npy", "--vmin", "--robust"], 2, "--vmin needs a value"),
    "an option of info": (["info", "a.npy", "--cmap", "gray"], 2, "info has no option --cmap"),
    "no file": (["--cmap", "gray"], 2, "give a file to draw"),
    "a command that is misspelled": (["plt", "a.npy"], 2, "there is no command plt: did you mean plot?"),
    "a folder for a name": (["a.npy", "-o", "sub/"], 2, "such as sub/picture.png"),
    "a device for a name": (["a.npy", "-o", "/dev/null"], 2, "or - for stdout"),
    "letters without pixels": (["a.npy", "--dpi", "1"], 2, "--dpi 1: give at least 10"),
    "the word of another program": (["ls", "a.npy"], 2, "there is no command ls: did you mean info?"),
    "a function that is no command": (["imsave", "a.npy"], 2, "there is no command imsave: a picture is drawn by gpuplot FILE alone"),
    "keywords of a colorbar": (["a.npy", "--colorbar=foo"], 1, "let it stand alone, or give some, such as --colorbar=location=bottom"),
    "two files": (["a.npy", "b.npy"], 2, "give one file, not 2"),
    "a value where none is looked for": (["--robust", "some", "a.npy"], 2, "--robust=1"),
    "a value that is an option": (["a.npy", "--vmin", "-o", "b.png"], 2, "--vmin needs a value"),
    "a width that is no number": (["a.npy", "--width", "wide"], 2, "--width wide: give a number above 0"),
    "a width of millions": (["a.npy", "--width", "1e9"], 2, "give a number above 0 and below 1000000"),
    "an index of a sign": (["a.npy", "--index=-:3"], 1, "--index: '-:3' for axis 0"),
    "a resolution of nothing": (["a.npy", "--dpi", "0"], 2, "--dpi 0: give a number above 0"),
    "limits that fall": (["a.npy", "--vmin", "3", "--vmax", "1"], 1, "--vmin (3.0) must be less than or equal to --vmax (1.0)"),
    "a keyword with a dash": (["a.npy", "--nan-color", "nocolor"], 1, "--nan-color nocolor is not a color"),
    "classes of floats": (["a.npy", "--categorical"], 1, "--categorical needs class numbers"),
    "a dict": (["a.npy", "--reduce", "0"], 1, "such as --reduce 0=mean; got int"),
    "a range that falls": (["hist", "a.npy", "--range", "3,1"], 1, "--range 3,1 falls"),
    "too many lines": (["plot", "a.npy"], 1, "such as --x 2"),
    "a file that is not there": (["b.npy"], 1, "there is no file b.npy"),
    "a kind of file": (["notes.md"], 1, "notes.md has no known suffix: give a file whose name ends in"),
    "a name in a file without names": (["a.npy#w"], 2, "it holds one tensor without a name"),
    "a value that imshow refuses": (["a.npy", "--agg", "median"], 1, "--agg median is not one of"),
    "an index too many": (["a.npy", "--index", "1,2"], 2, "--index has 2 numbers"),
    "an index outside": (["a.npy", "--index", "9"], 1, "9"),
    "indices with and without axes": (["a.npy", "--index", "0=1", "--index", "2"], 2, "name every axis"),
    "axes without axes": (["a.npy", "--pixels", "--colorbar"], 2, "--colorbar needs axes"),
    "a title without axes": (["a.npy", "--pixels", "--title", "t"], 2, "--title needs axes"),
    "metadata without names": (["a.npy", "--metadata", "Title=a,b"], 2, "--metadata: give names and texts without commas"),
    "a shape with axes": (["a.npy", "--shape", "10,10"], 2, "--shape needs --pixels"),
    "a view that is none": (["a.npy", "--view", "3,4"], 2, "such as --view 100:200,0:50"),
    "a view with steps": (["a.npy", "--view", "0:9:2,0:4"], 2, "such as --view 100:200,0:50"),
    "a view of no rows": (["a.npy", "--view", "3:3,0:4"], 2, "rows, and columns, begin and end at different elements"),
    "a figure of no width": (["a.npy", "--width", "10"], 2, "at least 200 pixels"),
    "a name without a format": (["a.npy", "-o", "b"], 2, "such as b.png"),
    "a format of several files": (["a.npy", "-o", "b.pgf"], 2, "write b.pdf, which LaTeX includes, too"),
    "a format of no figure": (["a.npy", "-o", "b.xyz"], 1, "xyz"),
    "pixels in another format": (["a.npy", "--pixels", "-o", "b.svg"], 2, "--pixels writes PNG"),
    "a folder that is not there": (["a.npy", "-o", "no/b.png"], 1, "there is no folder no: make it first"),
    "a terminal that nobody has": (["a.npy", "--terminal", "vt100"], 2, "give one of auto, kitty, iterm2, sixel, none"),
}


@pytest.mark.parametrize("words, status, said", WRONG.values(), ids=WRONG)
def test_errors_are_one_line(folder, words, status, said, monkeypatch, capfd):
    (folder / "notes.md").write_text("hello")
    before = sorted(os.listdir(folder))
    monkeypatch.chdir(folder)
    assert main(words) == status
    printed, complained = capfd.readouterr()
    assert printed == "" and said in complained and complained.startswith(("gpuplot: ", "usage: "))
    assert len([line for line in complained.splitlines() if line.startswith("gpuplot: ")]) == 1 and "Traceback" not in complained
    assert sorted(os.listdir(folder)) == before


@pytest.mark.parametrize("words", [["--view", "(5:25,0:50)"], ["--view", "5:25, 0:50"], ["--view", "((5,25),(0,50))"]])
def test_ways_to_write_a_view(folder, words):
    found = []
    for view in (words, ["--view", "5:25,0:50"]):
        command("a.npy", "--index", 1, "--force", *view, "-o", "b.png", cwd=folder)
        found.append(pixels(folder / "b.png"))
    np.testing.assert_array_equal(*found)


def test_a_pair_in_brackets_after_a_flag(folder):
    command("a.npy", "--pixels", "--index", 1, "--robust", "(5,90)", "-o", "b.png", cwd=folder)
    np.testing.assert_array_equal(pixels(folder / "b.png"), gpuplot.to_rgba(sample((5, 40, 50))[1], robust=(5, 90)))


def test_flags_take_numbers_that_follow_them(folder):
    for words in (["--robust", "5,90"], ["--robust=5,90"]):
        command("a.npy", "--pixels", "--index", 1, *words, "-o", "b.png", cwd=folder)
        np.testing.assert_array_equal(pixels(folder / "b.png"), gpuplot.to_rgba(sample((5, 40, 50))[1], robust=(5, 90)))
    np.save(folder / "7.npy", sample((40, 50)))
    os.rename(folder / "7.npy", folder / "7")
    assert "7 has no known suffix" in command("--force", "7", cwd=folder, status=1)[1]


def test_a_traceback_is_shown_to_those_who_ask(folder):
    _, complained = command("a.npy", "--agg", "median", "--traceback", cwd=folder, status=1)
    assert "Traceback" in complained and "ValueError" in complained


def test_the_status_is_that_of_the_process(folder):
    assert command("b.npy", cwd=folder, status=1)[1] == "gpuplot: there is no file b.npy: check its path\n"
    assert command(cwd=folder, status=2)[1].splitlines()[-1] == "gpuplot: give a file to draw; gpuplot --help lists all options"


@pytest.mark.parametrize("words", [["--pixels"], []])
def test_warnings_are_one_line(tmp_path, words):
    np.save(tmp_path / "a.npy", np.linspace(-2, 5, 300, dtype="float32").reshape(10, 10, 3))
    _, complained = command("a.npy", *words, cwd=tmp_path)
    assert re.fullmatch(r"gpuplot: .*-2.*5.*\n", complained)


def test_help_names_every_keyword(folder):
    said, _ = command("--help", cwd=folder)
    for name in ("--cmap VALUE", "--robust[=VALUE]", "--nan-color VALUE", "--width VALUE", "--extent VALUE", "-o, --output", "--no-stats"):
        assert f"  {name}" in said
    assert "--blocking" not in said and "matplotlib.axes" not in said
    assert "One of mean, max, min" in " ".join(said.split())
    assert command("--version", cwd=folder)[0] == f"gpuplot {gpuplot.__version__}\n"


def test_the_command_is_installed_under_its_name():
    import tomllib

    from command_line import ROOT

    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert scripts == {"gpuplot": "gpuplot.cli.main:main"}


# ---- a file larger than memory ---------------------------------------------------------------------------------------

GIB = 2**30


@pytest.mark.skipif(sys.platform != "linux", reason="limits what a process may allocate, as Linux counts it")
def test_a_file_larger_than_memory_is_mapped(tmp_path):
    """3 GiB, of which 4 KiB are on the disk, by a process that may allocate 1 GiB."""
    shape = (3 * 2**15, 2**15)
    with open(tmp_path / "big.npy", "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "|u1", "fortran_order": False, "shape": shape})
        start = file.tell()
        file.truncate(start + 3 * GIB)
        file.seek(start + 3 * GIB - 2**15)
        file.write(b"\xff" * 2**15)
    words = ["--pixels", "--width", 300, "--vmin", 0, "--vmax", 255, "--cmap", "gray", "--agg", "max", "-o", "b.png"]
    command("big.npy", *words, cwd=tmp_path, most_bytes=GIB)
    seen = pixels(tmp_path / "b.png")[..., 0]
    assert seen.shape == (900, 300) and (seen[-1] == 255).all() and not seen[:-1].any()
