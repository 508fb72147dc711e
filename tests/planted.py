"""Launches the kernels of tests/emulator/planted.cu, most of which have a defect that the emulated device must find."""

import os
import struct

import pytest
from emulated_device import EmulatorError

ILLEGAL_ADDRESS, INVALID_VALUE = 700, 1

# AddressSanitizer ends the process at such an access: test_sanitizer_names_the_place.
survives = pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="AddressSanitizer ends the process")


def planted(in_, out, n):
    """The bytes of a planted_args."""
    return struct.pack("QQq", in_.pointer if in_ else 0, out.pointer if out else 0, n)


def run(emulator, *launch, **options):
    """Launch a kernel and wait; return (error code, noted problems), which is (0, []) if nothing went wrong."""
    code = 0
    try:
        emulator.launch(*launch, **options)
        emulator.synchronize(device=options.get("device", 0))
    except EmulatorError as error:
        code = error.code
    emulator.recover()
    return code, emulator.clear_problems()
