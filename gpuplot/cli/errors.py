"""The error that ends the command: one line on stderr, and an exit status."""


class UsageError(Exception):
    """A command line that asks for nothing that there is; exit status 2."""


class FileError(Exception):
    """A file that cannot be read, or may not be written; exit status 1."""
