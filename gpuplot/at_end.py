"""Calls functions at the end of the program, and of workers of multiprocessing, which leave without `atexit`."""

import atexit
import os
import sys

_functions = []
_worker, _n_told = None, 0  # the process ID of a worker, and how many of the functions it knows


def at_end(function):
    """A decorator: the function is called at the end of the program; called twice it must do nothing the second time."""
    _functions.append(function)
    return atexit.register(function)


def watch_end():
    """Makes a worker of multiprocessing call the functions, too; for each call that leaves work to a thread.

    A forked worker forgets what was registered before the fork and ends by ``os._exit``, after finalizers of its own.
    """
    global _worker, _n_told
    processes, process = sys.modules.get("multiprocessing.process"), os.getpid()
    if (_worker, _n_told) == (process, len(_functions)) or processes is None or processes.parent_process() is None:
        return
    from multiprocessing.util import Finalize

    for function in _functions[_n_told if _worker == process else 0:]:
        Finalize(None, function, exitpriority=0)
    _worker, _n_told = process, len(_functions)
