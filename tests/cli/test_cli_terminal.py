"""Pictures in a terminal: which terminals get one, and its contents, tested with a pseudo-terminal."""

import base64
import contextlib
import io
import os
import re
import select
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from command_line import ROOT, command, sample

from gpuplot.cli import terminal
from gpuplot.cli.sixel import sixel_of

pytestmark = pytest.mark.host("runs a command on files")
pty = pytest.importorskip("pty", reason="needs a pseudo-terminal")


@pytest.fixture
def folder(tmp_path):
    np.save(tmp_path / "a.npy", sample((40, 50)))
    return tmp_path


def in_terminal(folder, *words, answer=None, **variables):
    """What the command writes to a terminal, which answers the question for its attributes."""
    control, terminal_end = pty.openpty()
    of_terminals = ("TMUX", "TERM_PROGRAM", "KITTY_WINDOW_ID", "LC_TERMINAL")
    environment = {name: value for name, value in os.environ.items() if name not in of_terminals}
    environment |= {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **variables}
    with subprocess.Popen([sys.executable, "-m", "gpuplot", "a.npy", *words], cwd=folder, env=environment, stdin=terminal_end,
                          stdout=terminal_end, stderr=subprocess.PIPE) as process:
        os.close(terminal_end)
        shown = _read_all(control, process, answer)
        assert process.wait() == 0, process.stderr.read()
    os.close(control)
    return shown


def _read_all(control, process, answer):
    shown, end = b"", time.monotonic() + 60
    while time.monotonic() < end:
        is_over = process.poll() is not None
        if select.select([control], [], [], 0.1)[0]:
            try:
                shown += os.read(control, 2**16)
            except OSError:  # closed at its other end
                return shown
            if answer and b"\033[c" in shown:
                os.write(control, answer)
                answer = None
        elif is_over:
            return shown
    raise AssertionError(f"the command did not end; so far {shown[-200:]!r}")


def png_pixels(data):
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(data)).convert("RGBA"))


def picture(folder, *words):
    data, _ = command("a.npy", *words, "-o", "-", cwd=folder, text=False)
    return png_pixels(data)


def test_kitty_shows_a_picture(folder):
    shown = in_terminal(folder, "--pixels", "--width", "100", TERM="xterm-kitty")
    parts = re.findall(rb"\033_G(a=T,f=100,)?m=([01]);([^\033]*)\033\\", shown)
    assert parts[0][0] and [part[1] for part in parts] == [b"1"] * (len(parts) - 1) + [b"0"]
    assert max(len(part[2]) for part in parts) <= terminal.KITTY_CHUNK
    data = base64.b64decode(b"".join(part[2] for part in parts))
    np.testing.assert_array_equal(png_pixels(data), picture(folder, "--pixels", "--width", "100"))
    assert os.listdir(folder) == ["a.npy"]


def test_iterm2_shows_a_picture(folder):
    shown = in_terminal(folder, TERM_PROGRAM="iTerm.app")
    [(size, text)] = re.findall(rb"\033\]1337;File=inline=1;size=(\d+);preserveAspectRatio=1:([^\a]*)\a", shown)
    data = base64.b64decode(text)
    assert len(data) == int(size)
    np.testing.assert_array_equal(png_pixels(data), picture(folder))


@pytest.mark.parametrize("variables", [{}, {"TMUX": "/tmp/tmux-0/default,1,0", "TERM_PROGRAM": "iTerm.app"}], ids=["plain", "tmux"])
def test_a_terminal_that_says_it_has_sixel_shows_a_picture(folder, variables):
    shown = in_terminal(folder, "--width", "300", answer=b"\033[?62;4;22c", **variables)
    assert b'\033Pq"1;1;300;' in shown and b"\033\\" in shown
    assert os.listdir(folder) == ["a.npy"]


def test_what_is_typed_before_the_answer_does_not_end_it(folder):
    """A "c" did, and the answer became the next command line of the shell."""
    assert b'\033Pq"1;1;300;' in in_terminal(folder, "--width", "300", answer=b"cd ..\n\033[?62;4;22c")


@pytest.mark.parametrize("answer", [b"\033[?62;22c", b"\033[?4c", None], ids=["no sixel", "a VT132", "silence"])
def test_other_terminals_get_a_file(folder, answer):
    shown = in_terminal(folder, answer=answer)
    assert shown.replace(b"\033[c", b"").strip().endswith(b"a.png") and sorted(os.listdir(folder)) == ["a.npy", "a.png"]


def test_in_the_background_nothing_is_asked(folder):
    """The system stopped the command, as it does those of the background that change the terminal."""
    shell, control = pty.fork()
    if shell == 0:  # as a shell does with "gpuplot a.npy &"
        job = os.fork()
        if job == 0:
            os.setpgid(0, 0)
            os.chdir(folder)
            os.execve(sys.executable, [sys.executable, "-m", "gpuplot", "a.npy"], os.environ | {"PYTHONPATH": str(ROOT), "TERM": "xterm"})
        _, status = os.waitpid(job, os.WUNTRACED)
        if os.WIFSTOPPED(status):
            os.kill(job, signal.SIGKILL)
        os._exit(os.WIFSTOPPED(status) or os.waitstatus_to_exitcode(status))
    with contextlib.suppress(OSError):  # closed at its other end
        while os.read(control, 2**16):
            pass
    os.close(control)
    assert os.waitstatus_to_exitcode(os.waitpid(shell, 0)[1]) == 0 and (folder / "a.png").exists()


def test_with_a_name_nothing_is_asked_and_nothing_shown(folder):
    assert in_terminal(folder, "-o", "b.png", TERM="xterm-kitty") == b"" and (folder / "b.png").exists()
    assert b"\033" not in in_terminal(folder, "--terminal", "none", TERM="xterm-kitty")


def test_what_is_no_terminal_gets_no_picture(folder):
    """Whatever the variables say: they are inherited through pipes."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-kitty", "KITTY_WINDOW_ID": "1"}
    program = [sys.executable, "-m", "gpuplot", "a.npy"]
    done = subprocess.run(program, cwd=folder, env=environment, capture_output=True)
    assert done.stdout == b"a.png\n"
    done = subprocess.run([*program, "--terminal", "kitty"], cwd=folder, env=environment, capture_output=True)
    assert done.stdout.startswith(b"\x1b_G"), "a program behind the pipe shows it"


class Terminal(io.StringIO):
    """A stream that is one."""

    def isatty(self):
        return True


@pytest.mark.parametrize("variables, protocol", [
    ({"KITTY_WINDOW_ID": "3"}, "kitty"), ({"TERM_PROGRAM": "ghostty"}, "kitty"), ({"TERM_PROGRAM": "WezTerm"}, "iterm2"),
    ({"LC_TERMINAL": "iTerm2"}, "iterm2"), ({"TERM": "screen-256color", "KITTY_WINDOW_ID": "3"}, None), ({}, None)], ids=str)
def test_terminals_are_known_by_their_variables(variables, protocol, monkeypatch):
    monkeypatch.setattr(terminal, "_device_attributes", lambda stream: ())
    assert terminal.protocol_of("auto", Terminal(), variables) == protocol
    assert terminal.protocol_of("sixel", Terminal(), variables) == "sixel"
    assert terminal.protocol_of("none", Terminal(), variables) is None


# ---- sixels ----------------------------------------------------------------------------------------------------------


def decoded(text):
    """The pixels of sixels, read as the format says: (H, W, 3) in parts of a hundred."""
    width, height = map(int, re.match(r'\033Pq"1;1;(\d+);(\d+)', text).groups())
    palette = {int(k): tuple(map(int, parts.split(";"))) for k, parts in re.findall(r"#(\d+);2;(\d+;\d+;\d+)", text)}
    body = re.sub(r"#\d+;2;\d+;\d+;\d+", "", text[text.index(f";{height}") + len(f";{height}"):].removesuffix("\033\\"))
    found = np.full((-(-height // 6) * 6, width, 3), -1)
    row = column = 0
    color = None
    for token, repeat, one in re.findall(r"(#\d+|[$-])|(?:!(\d+))?([?-~])", body):
        if token.startswith("#"):
            color = palette[int(token[1:])]
        elif token:
            row, column = row + 6 * (token == "-"), 0
        else:
            for bit in range(6):
                if (ord(one) - 63) >> bit & 1:
                    found[row + bit, column:column + int(repeat or 1)] = color
            column += int(repeat or 1)
    return found[:height]


@pytest.mark.parametrize("shape", [(1, 1), (6, 9), (13, 40)], ids=str)
def test_sixels_are_the_picture(shape):
    """In at most 256 colors no color is changed, but for the hundredths of its parts."""
    from PIL import Image

    colors = np.random.default_rng(0).integers(0, 256, (20, 3))
    rgb = colors[np.random.default_rng(1).integers(0, 20, shape)].astype("uint8")
    rgb[:, shape[1] // 2:] = rgb[0, 0]  # something to be repeated
    file = io.BytesIO()
    Image.fromarray(rgb).save(file, "PNG")
    assert abs(decoded(sixel_of(file.getvalue())) - rgb * (100 / 255)).max() <= 0.51


def test_what_is_transparent_is_white():
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(np.zeros((6, 6, 4), "uint8")).save(file, "PNG")
    assert (decoded(sixel_of(file.getvalue())) == 100).all()
