"""Errors that end the command with one line on stderr and an exit status."""


class UsageError(Exception):
    """An invalid command line; exit status 2."""


class FileError(Exception):
    """A file that cannot be read or must not be written; exit status 1."""
