"""Chromium for tests: which one there is, quiet and off the network, driven by Playwright; never a download of a browser."""

import contextlib
import os
import shutil
import subprocess

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]
# Milliseconds. Two busy cores have been seen to take half a minute for what takes a second on a quiet machine.
PATIENCE = 300_000


class NoBrowser(RuntimeError):
    """Playwright or a browser is missing; the text says which."""


def find_chromium():
    """The path of an installed browser, or None; GPUPLOT_CHROMIUM names another. tests/setup/environment.sh looks in the same way."""
    names = (os.environ["GPUPLOT_CHROMIUM"],) if os.environ.get("GPUPLOT_CHROMIUM") else NAMES
    return next((path for path in map(shutil.which, names) if path and _tells_its_version(path)), None)


def _tells_its_version(path):
    """Whether a program runs at all: on some systems the name belongs to a script that only says how to get the browser."""
    return subprocess.run([path, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600).returncode == 0


@contextlib.contextmanager
def running_chromium(**options):
    """A browser with an empty profile of its own; `NoBrowser` where Playwright or a browser is not at hand."""
    try:
        from playwright import sync_api
    except ImportError as reason:
        raise NoBrowser("playwright is not installed: no browser is driven") from reason
    path = find_chromium()
    if path is None:
        raise NoBrowser(f"no browser found ({', '.join(NAMES)}; GPUPLOT_CHROMIUM names another)")
    with sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS, timeout=2 * PATIENCE, **options)
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def chromium_or_skip():
    """`running_chromium` for a fixture: tests are skipped if there is none."""
    import pytest

    with contextlib.ExitStack() as stack:
        try:
            browser = stack.enter_context(running_chromium())
        except NoBrowser as reason:
            pytest.skip(str(reason))
        yield browser


def wait_until(page, is_so, why_not):
    """Wait until a condition is true, which is polled from Python; `why_not()` describes the state for the error after a timeout."""
    for _ in range(PATIENCE // 50):
        if is_so():
            return
        page.wait_for_timeout(50)
    raise AssertionError(why_not())


class Watch:
    """What went wrong on the pages of a browser context: errors in the console, and requests to other machines."""

    def __init__(self, context, ignored=()):
        self.problems, self._ignored = [], ignored
        context.on("console", self._console)
        context.on("weberror", lambda error: self._note(f"page error: {error.error}"))
        context.on("request", lambda request: self._request(request.url))
        context.on("page", lambda page: page.on("websocket", lambda socket: self._request(socket.url)))

    def _note(self, problem):
        if not any(text in problem for text in self._ignored):
            self.problems.append(problem)

    def _console(self, message):
        if message.type == "error":
            self._note(f"console: {message.text} ({message.location.get('url', '')})")

    def _request(self, url):
        scheme, _, rest = url.partition("://")
        if scheme in ("http", "https", "ws", "wss") and rest.split("/")[0].rsplit(":")[0] not in ("127.0.0.1", "localhost"):
            self._note(f"request to another machine: {url}")

    def wait(self, page, text):
        """Wait until a problem with this text has occurred."""
        wait_until(page, lambda: any(text in problem for problem in self.problems), lambda: f"{text!r} is not among {self.problems}")

    def forget(self):
        """The problems so far, which no longer count as failures: for tests that cause an error on purpose."""
        seen, self.problems = self.problems, []
        return seen
