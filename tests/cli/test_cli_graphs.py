"""The commands `plot`, `hist`, `hist2d`, `scatter`, `grid` and `compare`: graphs of gpuplot's functions, of tensors in files."""

import re

import matplotlib as mpl
import matplotlib.dates
import numpy as np
import pytest
from command_line import command, pixels, sample
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gpuplot.cli import graphs, main
from gpuplot.cli.help import summary_of
from gpuplot.cli.options import options_of

pytestmark = pytest.mark.host("runs a command on files")
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(2, 60_000)).astype("float32")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    np.savez(tmp_path / "a.npz", x=X, y=Y, c=abs(X), images=sample((6, 20, 30)))
    np.save(tmp_path / "b.npy", X)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def drawn(monkeypatch):
    """Runs a command in this process: (the Axes that it saves, the function's keywords)."""
    def run(*words):
        figures, calls = [], []
        monkeypatch.setattr(graphs, "save", lambda figure, file, *rest: (figures.append(figure), file.write(b"picture")))
        function_of = graphs.function_of

        def noting(name):
            def function(*args, **keywords):
                calls.append(keywords)
                return function_of(name)(*args, **keywords)
            return function

        with monkeypatch.context() as patch:
            patch.setattr(graphs, "function_of", noting)
            assert main.main([*map(str, words), "-o", "out.png", "--force"]) == 0
        return figures[0].axes, calls[0]
    return run


# ---- what is drawn ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", [("Date", "Close"), ("Close", "Date"), ("Close", "Close", "Date")], ids=str)
def test_points_over_dates(folder, drawn, names):
    """Points are over dates as lines are, and an empty cell is no point; as colors dates are no numbers."""
    (folder / "log.csv").write_text("Date,Close\n2026-03-02,5\n,3\n2026-03-04,\n2026-03-05,6\n")
    addresses = [f"log.csv#{name}" for name in names]
    if len(names) > 2:
        assert "Date has dates, which are no numbers" in command("scatter", *addresses, cwd=folder, status=1)[1]
        return
    (ax,), _ = drawn("scatter", *addresses)
    first = mpl.dates.date2num(np.datetime64("2026-03-02"))
    places = np.ma.filled(ax.collections[0].get_offsets(), np.nan)
    want = np.array([[first, 5], [first + 3, 6]])[:, ::1 if names[0] == "Date" else -1]
    np.testing.assert_array_equal(places[np.isfinite(places).all(axis=1)], want)
    axis = ax.xaxis if names[0] == "Date" else ax.yaxis
    assert isinstance(axis.get_major_formatter(), mpl.dates.ConciseDateFormatter)


def test_the_range_of_two_axes_is_four_numbers(folder, drawn):
    """No notation was accepted, and the error about NaN asked for one that was none."""
    (ax, _), _ = drawn("hist2d", "a.npz#x", "a.npz#y", "--range", "-1,1,-2,2")
    assert (ax.get_xlim(), ax.get_ylim()) == ((-1, 1), (-2, 2))
    np.save("nan.npy", np.append(X[1:], np.nan))
    assert "--range is for x and y: give four numbers" in command(
        "hist2d", "a.npz#x", "a.npz#y", "--range", "-1,1", cwd=folder, status=2)[1]
    assert "give --range x0,x1,y0,y1, or edges" in command("hist2d", "nan.npy", "a.npz#y", cwd=folder, status=1)[1]


@pytest.mark.parametrize("words", [["--range", "(-1,1)"], ["--range", "[-1, 1]"], ["--range=(-1,1)"], ["--range", "-1,1"]])
def test_a_range_may_have_the_brackets_of_python(folder, drawn, words):
    """It failed, with half of what was typed: --range -1,1') must be a pair of numbers."""
    (ax,), _ = drawn("hist", "a.npz#x", *words, "--bins", "4")
    np.testing.assert_allclose([patch.get_x() for patch in ax.patches], [-1, -0.5, 0, 0.5])


@pytest.mark.parametrize("value", ["((-1,1),(-2,2))", "(-1,1,-2,2)"])
def test_so_may_two_ranges(folder, drawn, value):
    (ax, _), _ = drawn("hist2d", "a.npz#x", "a.npz#y", "--range", value)
    assert (ax.get_xlim(), ax.get_ylim()) == ((-1, 1), (-2, 2))


def test_limits_in_brackets(folder, drawn):
    (ax,), _ = drawn("plot", "b.npy", "--xlim", "(2,4)")
    assert ax.get_xlim() == (2, 4)


def test_lines(folder, drawn):
    (ax,), _ = drawn("plot", "a.npz#x", "a.npz#y", "--xlabel", "volt", "--ylim", "-1,2", "--title", "t", "--color", "red", "--label", "l")
    line, = ax.lines
    np.testing.assert_array_equal(line.get_xydata(), np.column_stack([X, Y]))
    assert (ax.get_xlabel(), ax.get_ylim(), ax.get_title(), line.get_color()) == ("volt", (-1, 2), "t", "red")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["l"]
    (ax,), _ = drawn("plot", "b.npy", "--linewidth", 3, "--linestyle", "dashed", "--marker", ",", "--markersize", 9, "--alpha", 0.5)
    properties = ax.lines[0].properties()
    assert [properties[name] for name in ("linewidth", "linestyle", "marker", "markersize", "alpha")] == [3, "--", ",", 9, 0.5]
    (ax,), _ = drawn("plot", "b.npy", "--yscale", "symlog")
    assert ax.lines[0].length == X.size and ax.get_yscale() == "symlog" and ax.get_legend() is None
    (ax, bar), _ = drawn("plot", "a.npz#images", "--x", 2, "--density")
    assert ax.images[0].n_lines == 120 and bar.get_label() == "<colorbar>"


def test_several_lines_over_one_x_are_named(folder, drawn):
    (ax,), _ = drawn("plot", "a.npz#x", "a.npz#y", "a.npz#c", "--color", "red,blue", "--linewidth", 3)
    assert [(line.get_label(), line.get_color(), line.get_linewidth()) for line in ax.lines] == [("y", "red", 3), ("c", "blue", 3)]
    np.testing.assert_array_equal(ax.lines[1].get_xydata(), np.column_stack([X, abs(X)]))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["y", "c"]
    (ax,), _ = drawn("plot", "a.npz#x", "a.npz#y", "b.npy", "--label", "one,two")
    assert [line.get_label() for line in ax.lines] == ["one", "two"]


@pytest.mark.parametrize("label", ["lr=0.1,lr=0.01", "2025,2026", "true,1:2"])
def test_labels_are_texts(folder, drawn, label):
    """They were read as values: of lr=0.1 the legend had lr, and of two numbers each line had both."""
    (ax,), _ = drawn("plot", "a.npz#x", "a.npz#y", "b.npy", "--label", label)
    assert [line.get_label() for line in ax.lines] == label.split(",")
    (ax,), _ = drawn("plot", "a.npz#y", "--label", label.partition(",")[0])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [label.partition(",")[0]]


def test_a_histogram_of_all_tensors_of_a_file(folder, drawn):
    np.savez(folder / "model.npz", **{"0.weight": X, "0.bias": Y, "1.weight": Y, "step": 3})
    (ax,), _ = drawn("hist", "model.npz")
    assert sorted(text.get_text() for text in ax.get_legend().get_texts()) == ["0.bias", "0.weight", "1.weight"]
    (ax,), _ = drawn("hist", "model.npz#0", "b.npy")
    assert sorted(text.get_text() for text in ax.get_legend().get_texts()) == ["0.bias", "0.weight", "b"]
    said, _ = command("hist", "model.npz#0", cwd=folder)
    assert said == "model-0-hist.png\n"


def test_histograms(folder, drawn):
    (ax,), _ = drawn("hist", "a.npz#x", "b.npy", "--bins", 50, "--range=-3,3", "--log", "--density")
    counts, _ = np.histogram(X, 50, (-3, 3), density=True)
    for bars in ax.containers:
        np.testing.assert_array_equal([bar.get_height() for bar in bars], counts)
    assert ax.get_yscale() == "log" and sorted(text.get_text() for text in ax.get_legend().get_texts()) == ["b", "x"]
    (ax,), _ = drawn("hist", "a.npz#x", "b.npy", "--color", "red,#00ff00", "--label", "before,after", "--alpha=0.5", "--edgecolor", "0.2")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["before", "after"]
    bar = ax.containers[1][0]
    assert (bar.get_facecolor(), bar.get_edgecolor()) == ((0, 1, 0, 0.5), (0.2, 0.2, 0.2, 0.5))
    (ax, _), _ = drawn("hist2d", "a.npz#x", "a.npz#y", "--bins", "20,10", "--norm", "log")
    np.testing.assert_array_equal(ax.collections[0].get_array(), np.histogram2d(X, Y, (20, 10))[0].T)


def test_points(folder, drawn):
    (ax, _), _ = drawn("scatter", "a.npz#x", "a.npz#y")
    assert ax.images[0].agg == "count"
    (ax, _), keywords = drawn("scatter", "a.npz#x", "a.npz#y", "a.npz#c", "--agg", "max", "--spread", 0)
    assert ax.images[0].agg == "max" and keywords["spread"] == 0
    (ax,), _ = drawn("scatter", "a.npz#x", "a.npz#y", "--no-density", "--s", 3, "--marker", "s", "--linewidth", 2, "--color", "red")
    points = ax.collections[0]
    assert isinstance(points, mpl.collections.PathCollection) and points.get_linewidth() == [2]


def test_grids_and_comparisons(folder, drawn, capsys):
    (ax,), _ = drawn("grid", "a.npz#images", "--nrow", 3, "--padding", 1, "--max-items", 4)
    assert ax.images[0].get_array().shape == (2 * 21 + 1, 3 * 31 + 1) and ax.get_xlabel() == "showing 4 of 6"
    axes, _ = drawn("compare", "a.npz#x", "a.npz#y", "--rtol", "1e-2", "--title", "before and after")
    assert [ax.get_title() for ax in axes[:3]] == ["x", "y", "x \u2212 y"]
    assert "before and after" in axes[0].figure.get_suptitle()
    assert re.search(r"largest difference .* beyond rtol 0.01", capsys.readouterr().err)
    axes, _ = drawn("compare", "b.npy", "a.npz#x")
    assert [ax.get_title() for ax in axes[:2]] == ["b", "x"]


@pytest.mark.parametrize("words", ["plot b.npy", "grid a.npz#images", "compare a.npz#x a.npz#y"], ids=lambda words: words.split()[0])
def test_a_graph_has_the_width_that_was_asked_for(folder, words):
    """At any number of pixels to an inch, and whatever matplotlib's configuration file says of saved figures."""
    def shape(*options):
        assert main.main([*words.split(), *options, "-o", "sized.png", "--force"]) == 0
        return pixels(folder / "sized.png").shape[:2]

    with mpl.rc_context({"savefig.dpi": 70}):
        usual = shape()
        assert abs(np.subtract(shape("--dpi", "130"), usual)).max() <= 1
        for options in (["--width", "640"], ["--width", "640", "--dpi", "80"]):
            height, width = shape(*options)
            assert width == 640 and abs(height - usual[0] / usual[1] * 640) <= 1, options


def test_files_of_one_name_are_told_apart_by_their_folders(folder, drawn):
    for name in ("old", "new"):
        (folder / name).mkdir()
        np.savez(folder / name / "a.npz", x=X)
    axes, _ = drawn("compare", "old/a.npz#x", "new/a.npz#x")
    assert [ax.get_title() for ax in axes[:2]] == ["old/a.npz#x", "new/a.npz#x"]
    axes, _ = drawn("compare", "b.npy", "b.npy")
    assert [ax.get_title() for ax in axes[:2]] == ["b.npy (0)", "b.npy (1)"]


@pytest.mark.parametrize("end", ["\udcff", "$x_%$"], ids=["no UTF-8", "no formula"])
@pytest.mark.parametrize("words", ["hist a", "plot a b", "plot a b a", "scatter a b", "hist2d a b", "compare a b", "grid a", "a"])
def test_names_of_files_that_are_no_text_are_drawn(folder, words, end):
    """matplotlib refuses what is no UTF-8, which file names may be, and dollars between which it finds no formula."""
    named = {name: f"{name}{end}.npy" for name in ("a", "b")}
    for name in named.values():
        np.save(folder / name, sample((20, 30)) if words in ("grid a", "a") else X)
    words = [named.get(word, word) for word in words.split()]
    command(*words, "--title", f"of{end}", "-o", "out.png", cwd=folder)
    assert (folder / "out.png").stat().st_size > 0


# ---- as a shell runs them --------------------------------------------------------------------------------------------


def test_a_graph_is_written_beside_and_its_name_printed(folder):
    said, complained = command("plot", "a.npz#y", "--width", 600, cwd=folder)
    assert (said, complained) == ("a-y-plot.png\n", "")
    assert pixels(folder / "a-y-plot.png").shape[:2] == (360, 600)
    command("hist", "b.npy", "-o", "b.svg", cwd=folder)
    assert (folder / "b.svg").read_bytes().startswith(b"<?xml")


def test_files_of_others_and_those_that_are_read_are_kept(folder):
    (folder / "c.png").write_bytes(b"somebody's")
    _, complained = command("plot", "b.npy", "-o", "c.png", cwd=folder, status=1)
    assert "--force" in complained and (folder / "c.png").read_bytes() == b"somebody's"
    _, complained = command("scatter", "b.npy", "a.npz#x", "-o", "a.npz", cwd=folder, status=1)
    assert "is the input file" in complained


@pytest.mark.parametrize("name", graphs.GRAPHS)
def test_help_names_every_option(name, capsys):
    assert main.main([name, "--help"]) == 0
    said = capsys.readouterr().out
    assert all(option.written in said and option.summary for option in options_of(name).values()) and "--pixels" not in said


# Options that one sentence is about.
TOGETHER = [{"rtol", "atol"}, {"cmin", "cmax"}, {"scalex", "scaley"}]


@pytest.mark.parametrize("name", ["picture", *graphs.GRAPHS])
def test_each_option_has_a_text_of_its_own(name):
    said = {}
    for option in options_of(name).values():
        said.setdefault(summary_of(option), set()).add(option.name)
    assert [names for names in said.values() if len(names) > 1 and names not in TOGETHER] == []


def test_help_of_scatter_names_what_scatter_takes(capsys):
    main.main(["scatter", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "One of show, skip." in said and "One of auto, show, skip." not in said
    assert "--ignore-index VALUE Class numbers that are not drawn, as in imshow." in said


WRONG = {
    "no tensor": (["plot"], "give a file to draw"),
    "too few": (["scatter", "b.npy"], "scatter draws 2 to 3 tensors, not 1: type gpuplot scatter X Y [C]"),
    "too many": (["compare", "b.npy", "b.npy", "b.npy"], "compare draws 2 tensors"),
    "colors of other lines": (["plot", "a.npz#x", "a.npz#y", "b.npy", "--color=red,blue,lime"], "--color has 3 values for 2 tensors"),
    "a density of several": (["plot", "a.npz#x", "a.npz#y", "b.npy", "--density"], "give one X and one Y"),
    "an option of another": (["plot", "b.npy", "--bins", "3"], "no option --bins; gpuplot plot --help"),
    "an option that is misspelled": (["hist", "b.npy", "--bin", "3"], "did you mean --bins?"),
    "a property of lines": (["hist2d", "b.npy", "b.npy", "--linewidth", "3"], "no option --linewidth"),
    "a grid of no width": (["grid", "a.npz#images", "--width", "50"], "give at least 200 pixels"),
    "an option of axes": (["compare", "b.npy", "b.npy", "--xlabel", "a"], "no option --xlabel"),
    "a figure of no width": (["plot", "b.npy", "--width", "10"], "at least 200 pixels"),
    "numbers apart": (["hist", "b.npy", "--range", "-1", "1"], "no file 1: numbers of one option are one word, --range=-1,1"),
    "negative numbers apart": (["plot", "b.npy", "--ylim", "-3", "-1"], "are one word, --ylim=-3,-1"),
    "images where pixels are": (["a.npz#images", "--grid"], "gpuplot grid FILE"),
}


@pytest.mark.parametrize("words,said", WRONG.values(), ids=WRONG)
def test_errors_are_one_line(folder, words, said, capsys):
    assert main.main(words) == 2
    assert said in capsys.readouterr().err.splitlines()[-1]


def test_what_a_function_refuses_is_one_line(folder, capsys):
    for words, said in ((["plot", "a.npz#images"], "has 3 axes"), (["hist", "b.npy", "--bins", "0"], "at least one bin"),
                        (["hist", "b.npy", "--range", "1"], "--range takes two numbers, such as --range=-1,1"),
                        (["compare", "a.npz#images", "b.npy"], "tensors of one shape")):
        assert main.main([*words, "-o", "out.png"]) == 1
        assert said in capsys.readouterr().err
    assert not (folder / "out.png").exists()


def test_all_curves_of_a_file_are_drawn_together(folder, drawn):
    """Those of one axis; a name chooses one, and two addresses are x and y."""
    np.savez(folder / "run.npz", loss=np.arange(9.0), val=np.arange(7.0) * 2, w=np.eye(3), rate=1e-3)
    [ax, *_], _ = drawn("plot", "run.npz")
    assert [line.get_label() for line in ax.lines] == ["loss", "val"] and ax.get_legend() is not None
    assert [line.length for line in ax.lines] == [9, 7]
    [ax, *_], _ = drawn("plot", "run.npz", "--density")
    assert ax.images[0].n_lines == 2
    [ax, *_], _ = drawn("plot", "run.npz#val")
    assert [line.length for line in ax.lines] == [7]
    [ax, *_], _ = drawn("plot", "run.npz#w")
    assert len(ax.lines) == 3


def test_lines_join_the_samples_beside_empty_cells(folder, drawn):
    """A validation loss every so many steps was a name in the legend and no line, as each sample stood alone."""
    (folder / "log.csv").write_text("step,loss,val\n10,1,\n20,2,5\n30,3,\n40,nan,6\n50,5,\n")
    [ax, *_], _ = drawn("plot", "log.csv#step", "log.csv#loss", "log.csv#val")
    loss, val = ax.lines
    assert loss.length == 5 and val.get_xydata().tolist() == [[20, 5], [40, 6]] and val.get_label() == "val"
    [ax, *_], _ = drawn("plot", "log.csv")
    assert [(line.get_label(), line.length) for line in ax.lines] == [("loss", 5), ("val", 2)]
    assert ax.lines[1].get_xydata().tolist() == [[20, 5], [40, 6]]
    (folder / "other.csv").write_text((folder / "log.csv").read_text().replace("step", "weight"))
    [ax, *_], _ = drawn("plot", "other.csv")
    assert [(line.get_label(), line.length) for line in ax.lines] == [("weight", 5), ("loss", 5), ("val", 2)]
    assert ax.lines[2].get_xydata().tolist() == [[1, 5], [3, 6]]
    [ax, *_], _ = drawn("plot", "log.csv#val")
    assert ax.lines[0].length == 2


SHELL = {
    "lines": (["plot", "lines.npy"],
              "--x 1 draws the 9 along axis 1; --density shows how many pass each pixel; gpuplot FILE shows all as a picture\n"),
    "lines along rows": (["plot", "tall.npy", "--x", "1"],
                         "--density shows how many pass each pixel; or choose another axis, such as --x 0; gpuplot FILE shows all"),
    "lines of a stack": (["plot", "stack.npy", "--x", "0"], "--density shows how many pass each pixel; gpuplot FILE shows all"),
    "samples": (["plot", "a.npz#x", "a.npz#y"], "--density draws them all, in pixels\n"),
    "a complex line": (["plot", "complex.npy"], "a line has real numbers: gpuplot FILE --complex-mode real shows a part of it"),
    "complex bars": (["hist", "complex.npy"], "counts real numbers, and the tensor is complex128: gpuplot FILE --complex-mode real"),
    "complex points": (["scatter", "a.npz#x", "complex.npy"], "gpuplot FILE --complex-mode real"),
    "classes": (["grid", "ints.npy", "--categorical", "--normalize"], "--normalize: classes have a color each and no range"),
}


@pytest.mark.parametrize("words, said", SHELL.values(), ids=SHELL)
def test_advice_is_for_a_shell(folder, words, said, capsys, monkeypatch):
    monkeypatch.setattr("gpuplot.plane.line_samples.MAX_UNSORTED_SAMPLES", 1000)
    np.save(folder / "lines.npy", np.zeros((9, 300)))
    np.save(folder / "tall.npy", np.zeros((400, 300)))
    np.save(folder / "stack.npy", np.zeros((300, 2, 300)))
    np.save(folder / "complex.npy", np.ones(60_000, complex))
    np.save(folder / "ints.npy", np.ones((2, 6, 6), int))
    assert main.main([*words, "-o", "out.png"]) == 1
    assert said in capsys.readouterr().err and not (folder / "out.png").exists()


def test_nothing_is_left_in_pyplot(folder, drawn):
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    axes, _ = drawn("compare", "b.npy", "b.npy")
    assert plt.get_fignums() == before and all(isinstance(ax, Axes) for ax in axes) and isinstance(axes[0].figure, Figure)


def test_a_histogram_with_complex_numbers_says_what_a_shell_can_do(tmp_path):
    """It told to type Python."""
    np.savez(tmp_path / "a.npz", a=np.ones(3), c=np.ones(3, "complex64"))
    _, complained = command("hist", "a.npz", cwd=tmp_path, status=1)
    assert "gpuplot FILE --complex-mode real shows a part of it as a picture; or leave it out" in complained and "abs()" not in complained
