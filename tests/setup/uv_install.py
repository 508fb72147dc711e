"""uv in the place of pip: the same packages from the indexes that pip is set up with, linked from a cache instead of unpacked."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["environment_for_uv", "uv_install"]

# pip's settings, and where uv reads them.
NAMES = {"index-url": "UV_DEFAULT_INDEX", "extra-index-url": "UV_INDEX", "find-links": "UV_FIND_LINKS", "cert": "SSL_CERT_FILE",
         "trusted-host": "UV_INSECURE_HOST", "no-cache-dir": "UV_NO_CACHE"}
# Those that change nothing about what is installed. With any other one pip does it.
ABOUT_PIP = {"timeout", "default-timeout", "retries", "disable-pip-version-check", "no-input", "quiet", "verbose", "no-color",
             "progress-bar", "root-user-action", "no-warn-script-location", "cache-dir", "no-compile", "prefer-binary", "format"}
# What wins, as with pip: the environment before the command's section before the global one.
SECTIONS = ("global", "install", ":env:")


def environment_for_uv(listing):
    """Variables with which uv finds what pip would.

    Parameters
    ----------
    listing : str
        What ``pip config list`` prints: ``section.name='value'`` in each line.

    Returns
    -------
    dict or None
        None where pip has a setting that uv has no word for.

    Examples
    --------
    >>> environment_for_uv("global.find-links='/a /b'")
    {'UV_INDEX_STRATEGY': 'unsafe-best-match', 'UV_FIND_LINKS': '/a,/b'}
    """
    settings = {}
    for line in sorted(listing.splitlines(), key=_rank):
        name, _, value = line.partition("=")
        section, _, name = name.partition(".")
        if section in SECTIONS:
            settings[name.lstrip(".")] = str(ast.literal_eval(value))
    if settings.keys() - NAMES.keys() - ABOUT_PIP:
        return None
    # pip, too, takes the newest of all indexes.
    variables = {"UV_INDEX_STRATEGY": "unsafe-best-match"}
    for name, variable in NAMES.items():
        if settings.get(name):
            variables[variable] = (",".join if name == "find-links" else " ".join)(settings[name].split())
    return variables


def _rank(line):
    section = line.partition(".")[0]
    return SECTIONS.index(section) if section in SECTIONS else -1


def uv_install(pip, requirements):
    """Whether uv has installed these requirements, all of them from wheels; where it cannot, nothing has changed.

    Parameters
    ----------
    pip : callable
        Runs this environment's pip.
    requirements : list of str
    """
    uv = Path(sys.executable).parent / "uv"
    if not uv.exists() and pip("install", "--quiet", "--only-binary", ":all:", "uv>=0.8", capture_output=True).returncode != 0:
        return False
    variables = environment_for_uv(pip("config", "list", capture_output=True).stdout)
    if variables is None or shutil.which(uv) is None:
        return False
    command = [uv, "pip", "install", "--python", sys.executable, "--quiet", "--only-binary", ":all:", *requirements]
    return subprocess.run(command, env=os.environ | variables, capture_output=True).returncode == 0
