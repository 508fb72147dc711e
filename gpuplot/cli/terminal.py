"""Detects which of three protocols the terminal has for pictures, and encodes a picture in it.

Terminals with kitty's or iTerm2's protocol are recognized by environment variables that they set. Sixel is detected by a query: a
terminal that supports it lists it in its device attributes.
"""

import base64
import contextlib
import os
import re
import select
import sys
import time

from .errors import UsageError

PROTOCOLS = ("auto", "kitty", "iterm2", "sixel", "none")

# Bytes of base64 in one of kitty's commands.
KITTY_CHUNK = 4096

# A terminal's answer to the query for its device attributes.
_ATTRIBUTES = re.compile(rb"\033\[\?([\d;]*)c")

# Seconds to wait for a terminal's answer; one that does not support the query may send none.
ANSWER_SECONDS = 0.3


def protocol_of(choice, stream, environment=os.environ):
    """The protocol by which a terminal shows pictures, one of `PROTOCOLS`, or None; the choice "auto" detects it.

    `stream` is the text file that would show the picture; None if it is not a terminal. `environment` has the process's
    variables.
    """
    if choice not in PROTOCOLS:
        raise UsageError(f"--terminal {choice}: give one of {', '.join(PROTOCOLS)}")
    if choice != "auto":  # also for a pipe, behind which another program shows it
        return None if choice == "none" else choice
    if stream is None or not stream.isatty():
        return None
    # tmux and screen keep the variables of the terminal that they run in, but pass no pictures to it.
    is_inside = "TMUX" in environment or environment.get("TERM", "").startswith("screen")
    known = None if is_inside else _by_variables(environment)
    return known or ("sixel" if "4" in _device_attributes(stream) else None)


def _by_variables(environment):
    program, term = environment.get("TERM_PROGRAM", ""), environment.get("TERM", "")
    if "KITTY_WINDOW_ID" in environment or term in ("xterm-kitty", "xterm-ghostty") or program == "ghostty":
        return "kitty"
    if program in ("iTerm.app", "WezTerm", "mintty") or environment.get("LC_TERMINAL") == "iTerm2":
        return "iterm2"
    return None


def _device_attributes(stream):
    """A terminal's device attributes, numbers as texts; empty where it cannot be queried."""
    try:
        import termios
        import tty

        keyboard = sys.stdin.fileno()
        before = termios.tcgetattr(keyboard)
        if _is_in_background(keyboard):
            return ()
    except (ImportError, OSError, ValueError, AttributeError, termios.error):
        return ()
    try:
        tty.setcbreak(keyboard)  # else the answer would be echoed, and held back until a return
        stream.write("\033[c")
        stream.flush()
        answer = _answer(keyboard)
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
    match = _ATTRIBUTES.search(answer)
    return match.group(1).decode().split(";")[1:] if match else ()


def _is_in_background(keyboard):
    """Whether a shell runs the command in the background, where the system stops what changes the terminal."""
    try:
        return os.tcgetpgrp(keyboard) != os.getpgrp()
    except OSError:  # not the terminal of this session, which stops nobody
        return False


def _answer(keyboard):
    """The bytes up to the end of an answer, behind what was typed before it; or those that arrive in time."""
    answer, end = b"", time.monotonic() + ANSWER_SECONDS
    while not _ATTRIBUTES.search(answer) and select.select([keyboard], [], [], max(0.0, end - time.monotonic()))[0]:
        byte = os.read(keyboard, 1)
        if not byte:
            break
        answer += byte
    return answer


def pixels_across(stream):
    """Width of a terminal in pixels, or None where it does not report one."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import fcntl
        import struct
        import termios

        _, _, width, _ = struct.unpack("4H", fcntl.ioctl(stream.fileno(), termios.TIOCGWINSZ, bytes(8)))
        return width or None
    return None


def encode(protocol, png):
    """The text that makes a terminal show a PNG file."""
    return {"kitty": _kitty, "iterm2": _iterm2, "sixel": _sixel}[protocol](png) + "\n"


def _kitty(png):
    text = base64.standard_b64encode(png).decode()
    parts = [text[k:k + KITTY_CHUNK] for k in range(0, len(text), KITTY_CHUNK)]
    commands = []
    for k, part in enumerate(parts):
        first = "a=T,f=100," if k == 0 else ""
        commands.append(f"\033_G{first}m={int(k < len(parts) - 1)};{part}\033\\")
    return "".join(commands)


def _iterm2(png):
    return f"\033]1337;File=inline=1;size={len(png)};preserveAspectRatio=1:{base64.standard_b64encode(png).decode()}\a"


def _sixel(png):
    from .sixel import sixel_of

    return sixel_of(png)
