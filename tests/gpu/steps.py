"""One step of a check: a command with a limit of time, and what became of it; nothing that a step does ends the others."""

import contextlib
import os
import signal
import subprocess
import time
from dataclasses import dataclass, field

TAIL_LINES = 60
# A process that a GPU does not let go stays: after so many seconds the next step begins.
LAST_WAIT_S = 5


@dataclass(frozen=True)
class Step:
    """A command, or a reason why it is not run.

    Attributes
    ----------
    name : str
    command : list of str
    limit_s : float
        Ended after so many seconds, or when the whole run has no more.
    env : dict
        Environment variables in addition to the present ones.
    skip : str
        Not run, for this reason.
    after : tuple of str
        Steps that must have passed.
    refused : tuple of str
        Words in the output by which a tool says that it does not work on this machine: then the step is skipped.
    results : pathlib.Path or None
        A JSON file that the command writes; what it holds goes into the report.
    """

    name: str
    command: list = field(default_factory=list)
    limit_s: float = 60
    env: dict = field(default_factory=dict)
    skip: str = ""
    after: tuple = ()
    refused: tuple = ()
    results: object = None


@dataclass
class Outcome:
    """What became of a step: passed, failed, timed out or skipped."""

    name: str
    status: str
    reason: str = ""
    seconds: float = 0.0
    code: int | None = None
    tail: str = ""
    command: str = ""

    @property
    def is_bad(self):
        return self.status in ("failed", "timed out")


def run_all(steps, seconds, cwd, log, tell=print, note=lambda outcomes: None):
    """Runs the steps in turn, within so many seconds altogether.

    Parameters
    ----------
    steps : list of Step
    seconds : float
    cwd : path
    log : text file
        Open for reading and writing; the commands print into it themselves, so that it has what they said whatever ends them, or us.
    tell : callable
        Called with a line before and after each step.
    note : callable
        Called with the outcomes so far after each step: it may be the last.

    Returns
    -------
    dict of str to Outcome
    """
    end = time.monotonic() + seconds
    outcomes = {}
    for step in steps:
        outcome = _why_not(step, outcomes, end - time.monotonic()) or _run(step, end, cwd, log, tell)
        outcomes[step.name] = outcome
        tell(f"{step.name:<16} {outcome.status:<10} {outcome.seconds:6.1f} s  {outcome.reason}")
        note(outcomes)
    return outcomes


def _why_not(step, outcomes, seconds_left):
    """The outcome of a step that is not run, or None."""
    missing = [name for name in step.after if name in outcomes and outcomes[name].status != "passed"]
    reason = step.skip or (f"needs {', '.join(missing)}" if missing else "") or (
        f"no time left, {max(seconds_left, 0):.0f} s" if seconds_left < 3 else "")
    return Outcome(step.name, "skipped", reason) if reason else None


def _run(step, end, cwd, log, tell):
    words = " ".join(str(word) for word in step.command)
    tell(f"{step.name:<16} ...")
    log.write(f"\n==== {step.name}: {words}\n")
    log.flush()
    limit, start = min(step.limit_s, end - time.monotonic()), time.monotonic()
    try:
        code, output = _run_into(log, step, limit, cwd)
    except OSError as error:
        return Outcome(step.name, "failed", str(error), time.monotonic() - start, command=words)
    outcome = Outcome(step.name, "passed", "", time.monotonic() - start, code,
                      "\n".join(output.splitlines()[-TAIL_LINES:]), words)
    outcome.status, outcome.reason = _judge(step, code, output, limit)
    return outcome


def _run_into(log, step, limit, cwd):
    """(status or None after the limit, what it printed into the log) of a command; its whole process group ends with it."""
    begin = log.seek(0, os.SEEK_END)
    process = subprocess.Popen([str(word) for word in step.command], cwd=cwd, env={**os.environ, **step.env},
                               stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        code = process.wait(timeout=limit)
    except subprocess.TimeoutExpired:
        code = None
    finally:  # an interrupt ends it, too
        _end(process)
    log.seek(begin)
    output = log.read()
    log.seek(0, os.SEEK_END)
    return code, output


def _end(process):
    """Kills what is left of a command; what the driver holds on to is not waited for longer than some seconds."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=LAST_WAIT_S)


def _judge(step, code, output, limit):
    last = next((line.strip() for line in reversed(output.splitlines()) if line.strip()), "")[:240]
    if code is None:
        return "timed out", f"after {limit:.0f} s; last words: {last}"
    if code == 0:
        return "passed", last
    words = next((words for words in step.refused if words.lower() in output.lower()), "")
    if words:
        return "skipped", f"the tool does not work here: {words}"
    return "failed", f"status {code}: {last}"
