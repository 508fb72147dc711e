"""Writes lzma_sample.h beside it: bytes that Python's lzma compressed, with the parameters of native/core/base/lzma.h.

usage: python tests/native/data/make_lzma_sample.py
What comes out of them again is made by the same rule in tests/native/test_lzma.c.
"""

import importlib.util
import lzma
from pathlib import Path

HERE = Path(__file__).resolve().parent
_spec = importlib.util.spec_from_file_location("compress_pack", HERE.parents[2] / "native" / "tools" / "compress_pack.py")
compress_pack = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(compress_pack)

N_BYTES = 60000


def sample():
    """Words of 16 bytes, as instructions are: new ones, passages from before, and those with one byte changed."""
    state, data = 1, bytearray()

    def draw(n):
        nonlocal state
        state = (state * 1664525 + 1013904223) % 2**32
        return (state >> 16) % n

    while len(data) < N_BYTES:
        kind, n = draw(8), 16 * (1 + draw(24))
        if kind == 0 or len(data) < 4096:
            data += bytes(draw(256) if i % 16 < 3 else i % 7 for i in range(n))
        else:
            begin = 16 * draw(len(data) // 16) + (draw(16) if kind == 1 else 0)
            passage = data[begin:begin + n]
            if kind > 4:
                at = draw(len(passage))
                passage[at] = draw(256)
            data += passage
    return bytes(data[:N_BYTES])


def main():
    """Write the header."""
    packed = lzma.compress(sample(), lzma.FORMAT_RAW, filters=compress_pack.FILTERS)
    lines = [", ".join(f"{byte:3d}" for byte in packed[i:i + 24]) + "," for i in range(0, len(packed), 24)]
    (HERE / "lzma_sample.h").write_text("/* Compressed bytes for test_lzma.c, written by make_lzma_sample.py. */\n"
                                        "/* clang-format off */\nstatic const unsigned char lzma_sample[] = {\n"
                                        + "\n".join(lines) + "\n};\n/* clang-format on */\n")


if __name__ == "__main__":
    main()
