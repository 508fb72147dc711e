"""Compresses a pack of images (native/cuda/runtime/image_pack.h): images that are alike become one stream of LZMA.

usage: python compress_pack.py FROM TO
Only Python's own modules are needed. What it writes is read by native/core/base/lzma.c, which has the same parameters.
"""

import lzma
import os
import struct
import sys
from pathlib import Path

HEAD = struct.Struct("<8sIIQ")  # magic, version of NVRTC, number of images, bytes of the pack
ENTRY = struct.Struct("<IIQQQQQ")  # capability, is_ptx, begin, n_bytes, stream, n_stream_bytes, n_packed_bytes
MAGIC = b"GPPACK1\0"
FILTERS = [{"id": lzma.FILTER_LZMA1, "preset": 9, "dict_size": 1 << 24, "lc": 0, "lp": 4, "pb": 4}]
# The compute capabilities whose machine code is the same instructions, by the first of them.
SAME_CODE = {86: 80, 87: 80, 88: 80, 89: 80, 103: 100, 121: 120}


def read_pack(data):
    """(version of NVRTC, {(capability, is_ptx): image}) of a pack."""
    magic, version, n_images, n_bytes = HEAD.unpack_from(data)
    if magic != MAGIC or n_bytes != len(data):
        raise ValueError("this is not a pack of images")
    images = {}
    for i in range(n_images):
        capability, is_ptx, begin, size, at, n_stream, n_packed = ENTRY.unpack_from(data, HEAD.size + i * ENTRY.size)
        stream = data[at:at + n_packed]
        if n_packed != n_stream:
            stream = lzma.decompress(stream, lzma.FORMAT_RAW, filters=FILTERS)
        images[capability, bool(is_ptx)] = stream[begin:begin + size]
    return version, images


def streams_of(images):
    """Lists of the images that lie in one stream."""
    streams = {}
    for capability, is_ptx in images:
        streams.setdefault((SAME_CODE.get(capability, capability), is_ptx), []).append((capability, is_ptx))
    return list(streams.values())


def write_pack(version, images):
    """The bytes of a pack whose streams are compressed."""
    at, entries, streams = HEAD.size + len(images) * ENTRY.size, {}, []
    for keys in streams_of(images):
        data = b"".join(images[key] for key in keys)
        packed = lzma.compress(data, lzma.FORMAT_RAW, filters=FILTERS)
        packed = packed if len(packed) < len(data) else data
        begin = 0
        for key in keys:
            entries[key] = ENTRY.pack(*key, begin, len(images[key]), at, len(data), len(packed))
            begin += len(images[key])
        streams.append(packed)
        at += len(packed)
    return b"".join([HEAD.pack(MAGIC, version, len(images), at), *(entries[key] for key in images), *streams])


def main(source, target):
    """Write the compressed pack; it gets its name when it is complete."""
    packed = write_pack(*read_pack(Path(source).read_bytes()))
    part = Path(f"{target}.part")
    part.write_bytes(packed)
    os.replace(part, target)


if __name__ == "__main__":
    main(*sys.argv[1:])
