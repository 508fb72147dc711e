"""What a cubin says about its kernels: registers, stack, threads of a block, shared memory; and how many warps fit a multiprocessor.

A cubin is an ELF file. Sections `.nv.info` and `.nv.info.KERNEL` are lists of (format, attribute, value); those that are read here
have the same numbers from compute capability 7.5 on.
"""

import struct
from dataclasses import dataclass

SIZED_VALUE = 4  # the format of an attribute whose value follows, of as many bytes as it says
FRAME_SIZE, REGISTERS, MAX_THREADS = 0x11, 0x2F, 0x05


@dataclass
class Kernel:
    """A kernel's needs: registers of a thread, bytes of its stack, threads of a block and bytes of its shared memory."""

    name: str
    registers: int = 0
    stack: int = 0
    threads: int = 0
    shared: int = 0


@dataclass(frozen=True)
class Multiprocessor:
    """What one multiprocessor has: warps, blocks, bytes of shared memory, and bytes of it that the driver takes of each block."""

    warps: int
    blocks: int
    shared: int
    reserved: int
    registers: int = 65536


# The programming guide's table of compute capabilities.
MULTIPROCESSORS = {
    75: Multiprocessor(32, 16, 64 << 10, 0), 80: Multiprocessor(64, 32, 164 << 10, 1024),
    86: Multiprocessor(48, 16, 100 << 10, 1024), 89: Multiprocessor(48, 24, 100 << 10, 1024),
    90: Multiprocessor(64, 32, 228 << 10, 1024), 100: Multiprocessor(64, 32, 228 << 10, 1024),
    120: Multiprocessor(48, 24, 100 << 10, 1024),
}


def resident_warps(kernel, capability):
    """How many warps of a kernel a multiprocessor has room for at once.

    A warp's registers come in pieces of 256, and a block's warps are there all or not at all.
    """
    sm, warps = MULTIPROCESSORS[capability], -(-kernel.threads // 32)
    of_a_warp = -(-kernel.registers * 32 // 256) * 256
    by_registers = sm.registers // 4 // of_a_warp * 4 // warps  # each of four schedulers has a quarter of the registers
    by_shared = sm.shared // (kernel.shared + sm.reserved) if kernel.shared + sm.reserved else sm.blocks
    return warps * min(by_registers, by_shared, sm.warps // warps, sm.blocks)


def sections_of(cubin):
    """{name: (index, header, bytes)} of an ELF file's sections; a header is (type, flags, address, offset, size, link, info)."""
    at, = struct.unpack_from("<Q", cubin, 40)
    size, n, names = struct.unpack_from("<HHH", cubin, 58)
    headers = [struct.unpack_from("<IIQQQQII", cubin, at + i * size) for i in range(n)]
    strings = headers[names][4]
    found = {}
    for i, (name, *header) in enumerate(headers):
        end = cubin.index(b"\0", strings + name)
        data = cubin[header[3]:header[3] + header[4]] if header[0] != 8 else b""  # type 8 has a size and no bytes
        found[cubin[strings + name:end].decode()] = (i, header, data)
    return found


def attributes_of(data):
    """(attribute, value's bytes) of a section .nv.info."""
    at = 0
    while at + 4 <= len(data):
        kind, attribute, size = struct.unpack_from("<BBH", data, at)
        at += 4
        value = data[at:at + size] if kind == SIZED_VALUE else b""
        at += len(value)
        yield attribute, value


def symbols_of(sections):
    """The names of a file's symbols, by their numbers."""
    strings, table = sections[".strtab"][2], sections[".symtab"][2]
    starts = [struct.unpack_from("<I", table, i)[0] for i in range(0, len(table), 24)]
    return [strings[start:strings.index(b"\0", start)].decode() for start in starts]


def kernels_of(cubin):
    """{name: `Kernel`} of a cubin."""
    sections = sections_of(cubin)
    symbols = symbols_of(sections)
    kernels = {name.removeprefix(".nv.info."): Kernel(name.removeprefix(".nv.info.")) for name in sections if name.startswith(".nv.info.")}
    for attribute, value in attributes_of(sections[".nv.info"][2]):
        if attribute in (FRAME_SIZE, REGISTERS):
            symbol, number = struct.unpack("<II", value)
            kernel = kernels.get(symbols[symbol])
            if kernel is not None:
                setattr(kernel, "stack" if attribute == FRAME_SIZE else "registers", number)
    for name, kernel in kernels.items():
        for attribute, value in attributes_of(sections[f".nv.info.{name}"][2]):
            if attribute == MAX_THREADS:
                x, y, z = struct.unpack("<III", value)
                kernel.threads = x * y * z
        if f".nv.shared.{name}" in sections:
            kernel.shared = sections[f".nv.shared.{name}"][1][4]
    return kernels
