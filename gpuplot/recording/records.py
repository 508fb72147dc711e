"""The records of a folder: a file with a line of JSON for each, which one recorder at a time appends to."""

import json
import os

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None

LIST, PICTURES = "records.jsonl", "images"
RECORD_KINDS = "image", "stats", "scalar"


class Records:
    """The records in a folder, those of earlier recorders and new ones.

    Parameters
    ----------
    folder : str
        Made if missing. ValueError if it holds other files, or lines that are no records; RuntimeError if another process records there.

    Attributes
    ----------
    lines : list of str
        The JSON of each record.
    pictures : list of (str, str)
        The name and the path in the folder of each picture.
    stems : dict of str to str
        What the files of a name's pictures begin with.
    limits : dict of str to (float, float)
        The limits of the colors of a name's first picture that has two different ones.
    """

    def __init__(self, folder):
        path = os.path.join(folder, LIST)
        _check_folder(folder, path)
        os.makedirs(os.path.join(folder, PICTURES), exist_ok=True)
        self.lines, self.pictures, self.stems, self.limits = [], [], {}, {}
        self._file = open(path, "ab", buffering=0)  # noqa: SIM115 (closed by close)
        try:
            _lock(self._file, folder)
            self._read(path)
        except BaseException:
            self._file.close()
            raise

    def _read(self, path):
        """Reads what is there; an incomplete last line is removed."""
        with open(path, "rb") as file:
            data = file.read()
        whole = data[:data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            os.truncate(path, len(whole))
        for k, line in enumerate(whole.splitlines(), 1):
            self._note(_record_of(line, k, path), line.decode())

    @property
    def is_closed(self):
        return self._file.closed

    def append(self, record):
        """Adds a record, a dict, to the file."""
        line = json.dumps(record, separators=(",", ":"), allow_nan=False)
        self._write(line.encode() + b"\n")
        self._note(record, line)

    def _write(self, data):
        """Writes all of `data` at the end, or nothing: a disk that gets full takes a part, which the next record would continue."""
        end = os.fstat(self._file.fileno()).st_size
        n_written = 0
        try:
            while n_written < len(data):
                n_written += self._file.write(data[n_written:])
        except BaseException:
            self._file.truncate(end)
            raise

    def _note(self, record, line):
        self.lines.append(line)
        if record["kind"] == "image":
            self.pictures.append((record["name"], record["path"]))
            self.stems[record["name"]] = _stem(record)
            if is_range(record.get("limits")):
                self.limits.setdefault(record["name"], tuple(record["limits"]))

    def close(self):
        """Lets others record in the folder."""
        if fcntl is not None and not self._file.closed:
            try:
                fcntl.flock(self._file, fcntl.LOCK_UN)  # forked children have the file, too, and would keep it locked
            except OSError:
                pass
        self._file.close()


def is_range(limits):
    """Whether limits of colors are two different numbers: None is those of a blank picture, or of colors."""
    return limits is not None and limits[0] < limits[1]


def suffix(step):
    """What the name of the picture of a step ends with."""
    return f"-{int(step):09d}.png"


def _stem(record):
    return record["path"].removeprefix(f"{PICTURES}/").removesuffix(suffix(record["step"]))


def _check_folder(folder, path):
    if not os.path.exists(path) and os.path.isdir(folder) and os.listdir(folder):
        raise ValueError(f"{folder!r} holds files that are not a recorder's: give a folder that is new, empty, or a recorder's")


def _lock(file, folder):
    """RuntimeError if another process records in the folder; where files cannot be locked nothing is checked."""
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RuntimeError(f"another process records in {folder!r}: give each process a folder of its own, such as "
                           f"{os.path.join(folder, 'rank0')!r}") from None
    except OSError:  # a file system without locks
        pass


def _record_of(line, k, path):
    try:
        record = json.loads(line)
        if record["kind"] in RECORD_KINDS and isinstance(record["name"], str) and (record["kind"] != "image" or _stem(record)):
            return record
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise ValueError(f"line {k} of {path!r} is not a record: the file was changed or damaged; remove the line, or give another folder")
