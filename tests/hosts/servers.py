"""Notebook servers on free ports of this machine, each with a home of its own; ended with all they started, also on failure."""

import contextlib
import os
import pathlib
import random
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS_TO_START = 900
SECONDS_TO_END = 120
QUIET_JUPYTER = [
    f"--MappingKernelManager.kernel_info_timeout={SECONDS_TO_START}",
    "--no-browser", "--allow-root", "--ip=127.0.0.1", "--ServerApp.port_retries=0", "--LabApp.news_url=None",
    "--LabApp.check_for_updates_class=jupyterlab.handlers.announcements.NeverCheckForUpdate", "--LabApp.extension_manager=readonly",
    "--LabApp.expose_app_in_browser=True", "--JupyterNotebookApp.expose_app_in_browser=True",
]


def _free_port():
    """A port that nobody has, and nobody is given while the server starts: systems hand out ports from 32768 on."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def _home(folder):
    """The environment of a user whose home is an empty folder, with this tree's package."""
    names = ("HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR",
             "JUPYTERLAB_WORKSPACES_DIR", "IPYTHONDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
    folders = {name: folder / name.lower() for name in names}
    for one in folders.values():
        one.mkdir(parents=True, exist_ok=True)
    inherited = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    # The font cache of matplotlib is shared, as it takes seconds to make.
    mine = {"PYTHONPATH": str(ROOT), "MPLBACKEND": "agg", "MPLCONFIGDIR": os.environ.get("MPLCONFIGDIR", str(folder / "mpl"))}
    return {**inherited, **{name: str(one) for name, one in folders.items()}, **mine}


def _settle_jupyterlab(folder):
    """JupyterLab asks about news at its first start, over whatever is on the page."""
    settings = folder / "home" / "jupyterlab_settings_dir" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false", "checkForUpdates": false}')


def _answers(url):
    try:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(url, timeout=SECONDS_TO_START) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False


def _end(process):
    """SIGTERM, so that a server ends its kernels; later SIGKILL for the server and what is left of its group."""
    process.send_signal(signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(SECONDS_TO_END)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextlib.contextmanager
def _running(command, folder, health):
    """A server while it runs in `folder`, from the time on that `health` answers."""
    log = folder / "server.log"
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=folder, env=_home(folder / "home"), stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=subprocess.STDOUT, start_new_session=True)
    try:
        deadline = time.monotonic() + SECONDS_TO_START
        while not _answers(health):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{' '.join(map(str, command))} does not answer:\n{log.read_text(errors='replace')[-4000:]}")
            time.sleep(0.1)
        yield log
    finally:
        _end(process)


@contextlib.contextmanager
def jupyter(folder):
    """JupyterLab and Notebook 7 from one server on `folder`: (address, token)."""
    port, token = _free_port(), secrets.token_hex(16)
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "jupyterlab", *QUIET_JUPYTER, f"--port={port}", f"--IdentityProvider.token={token}",
               f"--ServerApp.root_dir={folder}"]
    _settle_jupyterlab(folder)
    with _running(command, folder, f"{address}/api/status?token={token}"):
        yield address, token


@contextlib.contextmanager
def marimo(notebook):
    """A marimo notebook in run mode: its address."""
    port = _free_port()
    command = [sys.executable, "-m", "marimo", "run", notebook.name, "--headless", "--no-token", "--host", "127.0.0.1",
               "--port", str(port)]
    with _running(command, notebook.parent, f"http://127.0.0.1:{port}/health"):
        yield f"http://127.0.0.1:{port}"
