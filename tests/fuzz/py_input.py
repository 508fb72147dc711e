"""Numbers, texts and JSON from the bytes of a fuzzer's input, one after the other; after the last byte every number is 0."""

import math
import struct

__all__ = ["Input"]

_ENDS = [2**63 - 1, -(2**63), 2**64 - 1, 2**31 - 1, 2**53, 2**56, 2**59, 2**62, 2**64 - 16, 10**30]
_FLOATS = [0.0, -0.0, 0.5, 1e-9, 1e300, -1e300, math.nan, math.inf, -math.inf, 5e-324, 2.0**53]


class Input:
    """The bytes that are left; every method takes some of them."""

    def __init__(self, data):
        self._data, self._at = data, 0

    def __len__(self):
        return len(self._data) - self._at

    def bits(self, n_bytes):
        """An unsigned number of so many bytes."""
        part = self._data[self._at:self._at + n_bytes]
        self._at += len(part)
        return int.from_bytes(part, "little")

    def between(self, low, high):
        """A whole number from low to high, both included, of one byte where that is enough."""
        n = high - low + 1
        return low + self.bits(1 if n <= 256 else 8) % n

    def one_in(self, n):
        """True for one byte in n; False where the bytes have ended."""
        return self.between(0, n - 1) == n - 1

    def choice(self, options):
        """One of them."""
        return options[self.between(0, len(options) - 1)]

    def integer(self):
        """A small number, one near the end of a type, or any of 64 bits."""
        kind = self.between(0, 3)
        if kind < 2:
            return self.between(0, 15) if kind == 0 else self.between(-128, 127)
        return self.choice(_ENDS) + self.between(-4, 4) if kind == 2 else self.between(-(2**63), 2**63 - 1)

    def number(self):
        """A float near small whole numbers, or a special one, or any bits."""
        kind = self.between(0, 3)
        if kind < 2:
            return self.between(-20, 80) / (1 if kind else 8)
        return self.choice(_FLOATS) if kind == 2 else struct.unpack("<d", self.bits(8).to_bytes(8, "little"))[0]

    def text(self, most=20):
        """Characters of all kinds: ASCII, control characters, half surrogate pairs, others."""
        return "".join(chr(self.choice([self.between(32, 126), self.between(0, 31), 0xd800 + self.between(0, 255), self.bits(2)]))
                       for _ in range(self.between(0, most)))

    def json(self, depth=3):
        """Any value that JSON of Python can hold."""
        kind = self.between(0, 8 if depth else 5)
        if kind < 6:
            return [lambda: None, lambda: self.one_in(2), self.integer, self.number, self.text, lambda: self.between(0, 3)][kind]()
        if kind == 6:
            return [self.json(depth - 1) for _ in range(self.between(0, 5))]
        return {self.text(8): self.json(depth - 1) for _ in range(self.between(0, 4))}
