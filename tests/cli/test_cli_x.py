"""`gpuplot plot` of a table: the column that is x, dates, columns of texts, and tables from standard input."""

import io
import sys
from types import SimpleNamespace

import matplotlib.dates
import numpy as np
import pytest

from gpuplot.cli import graphs, main
from gpuplot.cli.readers.text_files import items_of_stdin

pytestmark = pytest.mark.host("runs a command on files")


@pytest.fixture
def drawn(tmp_path, monkeypatch):
    """Draws lines in this process: {label: (n, 2) samples}, the label of x, and the Axes; `text` is what a.csv, or stdin, has."""
    monkeypatch.chdir(tmp_path)

    def run(text, *words):
        figures = []
        monkeypatch.setattr(graphs, "save", lambda figure, file, *rest: figures.append(figure))
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode()), isatty=lambda: False))
        (tmp_path / "a.csv").write_text(text)
        items_of_stdin.cache_clear()
        assert main.main(["plot", *(words or ["a.csv"]), "-o", "out.png", "--force"]) == 0
        ax = figures[0].axes[0]
        return {line.get_label(): line.get_xydata().tolist() for line in ax.lines}, ax.get_xlabel(), ax
    return run


@pytest.mark.parametrize("name", ["step", "Epoch", "trainer/global_step", "globalStep", "wall time", "date"])
def test_a_counter_is_the_x_of_the_other_columns(drawn, name):
    lines, label, ax = drawn(f"loss,{name},rate\n3,10,.5\n2,20,.4\n1,40,.3\n")
    assert lines == {"loss": [[10, 3], [20, 2], [40, 1]], "rate": [[10, .5], [20, .4], [40, .3]]} and label == name
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["loss", "rate"]


@pytest.mark.parametrize("text", ["step,loss\n30,3\n20,2\n40,1\n", "step,loss\n3,3\n3,2\n3,1\n", "steps_per_day,loss\n1,3\n2,2\n3,1\n",
                                  "step,epoch\n1,1\n2,2\n3,3\n"], ids=["falls", "is constant", "another name", "nothing else"])
def test_other_columns_are_lines(drawn, text):
    lines, label, _ = drawn(text)
    assert list(lines) == text.split("\n")[0].split(",") and label == ""


def test_of_several_counters_the_finest_is_x(drawn, capsys):
    lines, label, _ = drawn("epoch,step,loss\n0,1,3\n0,2,2\n1,3,1\n")
    assert (list(lines.values()), label) == ([[[1, 3], [2, 2], [3, 1]]], "step")
    assert "step is what lines are drawn over, and epoch, of the same kind, is left out" in capsys.readouterr().err
    assert drawn("Wall time,Step,Value\n1700000000.5,1,3\n1700000010.5,2,2\n")[:2] == ({"_child0": [[1, 3], [2, 2]]}, "Step")
    assert drawn(",loss,val\n0,3,4\n1,2,3\n")[1] == "index"


@pytest.mark.parametrize("x", ["step", "date", "weight"])
def test_a_density_is_over_the_same_x_as_lines(drawn, x):
    """The steps were counted as a line, up to the last step, beside which all others were flat; and empty cells were gaps."""
    steps = ["2026-03-30", "2026-03-31", "2026-04-02"] if x == "date" else ["100", "200", "400"]
    text = f"{x},a,b\n" + "".join(f"{step},{a},{b}\n" for step, a, b in zip(steps, "123", ["5", "", "6"], strict=True))
    lines, label, ax = drawn(text, "a.csv", "--density")
    image, = ax.images
    assert not lines and (label, image.n_lines) == (("", 3) if x == "weight" else (x, 2))
    assert (ax.get_ylim()[1] > 100) == (x == "weight")
    ax.set(ylim=(0, 7))
    ax.figure.canvas.draw()
    is_passed = np.isfinite(np.ma.filled(image.get_array(), np.nan))
    assert all(half.any(axis=0).mean() > 0.85 for half in np.array_split(is_passed, 2)) or x == "weight"  # a below, b without a gap
    _, label, ax = drawn(f"{x},a\n" + "".join(f"{step},{a}\n" for step, a in zip(steps, "123", strict=True)), "a.csv", "--density")
    assert label == ("" if x == "weight" else x)


def test_curves_of_other_lengths_have_no_common_x(drawn, tmp_path):
    np.savez(tmp_path / "run.npz", step=np.arange(5), loss=np.ones(5), val=np.ones(3))
    assert list(drawn("", "run.npz")[0]) == ["step", "loss", "val"]
    np.savez(tmp_path / "run.npz", step=np.arange(5), loss=np.ones(5), val=np.ones(5))
    assert list(drawn("", "run.npz")[0]) == ["loss", "val"]


def test_tensors_that_are_no_curves_are_named(drawn, tmp_path, capsys):
    """They were left out without a word, such as a loss of shape (5, 1)."""
    np.savez(tmp_path / "run.npz", step=np.arange(5), acc=np.ones(5), loss=np.ones((5, 1)))
    assert len(drawn("", "run.npz")[0]) == 1
    assert capsys.readouterr().err == "gpuplot: loss: not of one axis, and not drawn\n"
    np.savez(tmp_path / "run.npz", step=np.arange(5), acc=np.ones(5), **{f"w{i}": np.ones((2, 2)) for i in range(9)})
    drawn("", "run.npz")
    assert capsys.readouterr().err == "gpuplot: w0, w1, w2 and 6 more: not of one axis, and not drawn\n"
    drawn("", "run.npz#acc")
    assert not capsys.readouterr().err


@pytest.mark.parametrize("words", [["a.csv"], ["a.csv#day", "a.csv#price"]], ids=["found", "named"])
def test_dates_are_x(drawn, words):
    lines, label, ax = drawn("day,price\n2026-03-02,5\n2026-03-03,\n2026-03-04,7\n2026-03-05,6\n", *words)
    assert isinstance(ax.xaxis.get_major_formatter(), matplotlib.dates.ConciseDateFormatter) and label == "day"
    first = matplotlib.dates.date2num(np.datetime64("2026-03-02"))
    assert list(lines.values()) == [[[first, 5], [first + 2, 7], [first + 3, 6]]]


def test_limits_that_are_dates(drawn):
    _, _, ax = drawn("day,price\n2026-03-02,5\n2026-03-03,4\n", "a.csv", "--xlim", "2026-03-01,2026-04-01")
    assert ax.get_xlim() == tuple(matplotlib.dates.date2num(np.array(["2026-03-01", "2026-04-01"], "datetime64[us]")))


def test_columns_of_texts_are_left_out(drawn, capsys):
    assert list(drawn("step,phase,loss,val\n1,train,3,4\n2,train,2,5\n")[0]) == ["loss", "val"]
    assert "phase: no numbers, and not drawn" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["plot", "hist"])
def test_texts_of_other_files_are_left_out(tmp_path, capsys, command):
    """One array of texts in a file was the error of all the others."""
    np.savez_compressed(tmp_path / "a.npz", loss=np.ones(4), labels=np.array(list("abcd")), when=np.zeros(4, "M8[s]"), step=np.arange(4))
    assert main.main([command, str(tmp_path / "a.npz"), "-o", str(tmp_path / "a.png")]) == 0
    assert capsys.readouterr().err == "gpuplot: labels, when: no numbers, and not drawn\n"


def test_dates_with_days_or_months_first(drawn, capsys):
    """They are x where one order fits; where both do a notice says what to do, unless other columns alone are drawn."""
    date2num = matplotlib.dates.date2num
    lines, label, _ = drawn("Date,Close\n01/02/2026,5\n01/31/2026,4\n")
    assert (lines["_child0"], label) == ([[date2num(np.datetime64("2026-01-02")), 5], [date2num(np.datetime64("2026-01-31")), 4]], "Date")
    text = "Date,Close\n01/02/2026,5\n01/03/2026,4\n"
    assert list(drawn(text)[0].values()) == [[[0, 5], [1, 4]]]
    assert "Date: no numbers, and not drawn\ngpuplot: a.csv has '01/02/2026' in line 2: which number is the day" in capsys.readouterr().err
    drawn(text, "a.csv#Close")
    assert "Date" not in capsys.readouterr().err


@pytest.mark.parametrize("words", [["-"], ["-#step", "-#loss"]], ids=str)
def test_tables_from_standard_input(drawn, words):
    lines, label, _ = drawn("\ufeffstep;loss\n1;3\n2;2\n", *words)
    assert (list(lines.values()), label) == ([[[1, 3], [2, 2]]], "step")


@pytest.mark.parametrize("data", [b"", b"\x93NUMPY\x01\x00", b"a,\0b\n1,2\n"], ids=["empty", "npy", "zeros"])
@pytest.mark.parametrize("words", [["-"], ["plot", "-"], ["info", "-"]], ids=str)
def test_what_is_no_table_on_standard_input(tmp_path, monkeypatch, capsys, data, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data), isatty=lambda: False))
    items_of_stdin.cache_clear()
    assert main.main(words) == 1 and "save stdin to a file first" in capsys.readouterr().err


def test_dates_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("day,price\n2026-03-02,5\n2026-03-03,4\n")
    assert main.main(["plot", "a.csv#day"]) == 1
    assert "they are x, as in gpuplot plot FILE#day FILE#NAME" in capsys.readouterr().err
