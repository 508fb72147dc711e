"""Gathers the results of all processes in every process, in one collective call; an error in one is raised in all."""

from __future__ import annotations

import pickle

import numpy as np

from ..errors import ChunkError, reason_of

# Words before a message: its length in bytes, low word first.
HEADER_WORDS = 2

# Messages are padded to multiples of this and of an eighth of the power of two below: libraries compile for each length.
MIN_WORDS = 256


def exchange(find, expected_bytes, gather):
    """The results of ``find()`` in all processes, as a list in the order of the processes; the same list in all.

    Every process has to call this at the same point, with the same `expected_bytes`. There is one gather, and a second one if
    a message was longer than expected. An exception of `find` in one process is raised in all, so that none waits forever.

    Parameters
    ----------
    find : callable
        Computes the result of this process, which is pickled.
    expected_bytes : int
        Approximate length of the longest message, the same in every process.
    gather : callable
        ``gather(words)``: the uint32 words (n,) of all processes, (processes, n).

    Raises
    ------
    ChunkError
        Another process failed; the message says which one and why.
    """
    failed, message = None, b""
    try:
        message = pickle.dumps((None, find()), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        failed, message = error, pickle.dumps((f"{type(error).__name__}: {reason_of(error)}", None))
    rows = gather(packed(message, room_for(expected_bytes)))
    longest = max(map(length_of, rows))
    if longest > 4 * (rows.shape[1] - HEADER_WORDS):
        rows = gather(packed(message, room_for(longest)))
    if failed is not None:
        raise failed
    found = [pickle.loads(unpacked(row)) for row in rows]
    for process, (reason, _) in enumerate(found):
        if reason is not None:
            raise ChunkError(f"process {process} cannot read its part: {reason}")
    return [result for _, result in found]


def room_for(n_bytes):
    """Number of words for a message of `n_bytes`, with some room."""
    n_words = HEADER_WORDS + -(-n_bytes // 4)
    step = max(MIN_WORDS, 2 ** max(0, n_words.bit_length() - 4))
    return -(-n_words // step) * step


def packed(message, n_words):
    """A message as `n_words` uint32 words: its true length, then as much of it as fits."""
    words = np.zeros(n_words, np.uint32)
    words[0], words[1] = len(message) & 0xFFFFFFFF, len(message) >> 32
    room = words[HEADER_WORDS:].view(np.uint8)
    part = message[:len(room)]
    room[:len(part)] = np.frombuffer(part, np.uint8)
    return words


def length_of(words):
    """The length of a message in bytes."""
    return int(words[0]) | int(words[1]) << 32


def unpacked(words):
    """The bytes of a message."""
    return np.ascontiguousarray(words)[HEADER_WORDS:].view(np.uint8)[:length_of(words)].tobytes()
