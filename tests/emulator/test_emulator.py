"""Features of the emulated device for tests: failures, limits, captures, kinds of memory, other machines, its compiler."""

import ctypes
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import emulated_device
import numpy as np
import pytest
from emulated_device import LAUNCH_FAILED, NO_DEVICE, OUT_OF_MEMORY, ROOT, EmulatorError
from planted import planted, survives


def test_every_call_of_the_driver_is_exported(emulator):
    """Nothing in the table of native/cuda/runtime/driver.h is missing here."""
    text = (ROOT / "native" / "cuda" / "runtime" / "driver.h").read_text()
    names = re.findall(r'X\(\w+, "(cu\w+)"', text)
    assert len(names) > 30
    for name in names:
        assert hasattr(emulator.driver, name), name


def test_failures(emulator):
    """The nth call fails, once or from then on; a call that releases something does it nevertheless."""
    emulator.fail("cuMemAlloc_v2", 2, OUT_OF_MEMORY)
    with emulator.allocate(8):
        with pytest.raises(EmulatorError) as error:
            emulator.allocate(8)
        assert error.value.code == OUT_OF_MEMORY and emulator.failures() == 1
        emulator.allocate(8).free()
    emulator.fail("cuMemFree_v2", 1, LAUNCH_FAILED, sticky=True)
    x = emulator.allocate(8)
    n_before = len(emulator.leaks())
    with emulator.current():
        assert emulator.driver.cuMemFree_v2(ctypes.c_uint64(x.pointer)) == LAUNCH_FAILED
    assert len(emulator.leaks()) == n_before - 1


def test_failing_kernel_poisons_the_context(emulator):
    """After a kernel failed every call of the context does, until the test heals it."""
    with emulator.allocate(128) as x:
        emulator.fail("execute", 1, LAUNCH_FAILED)
        emulator.launch("planted_fill", planted(None, x, 32))
        for _ in range(2):
            with pytest.raises(EmulatorError) as error:
                emulator.allocate(8)
            assert error.value.code == LAUNCH_FAILED
        emulator.allocate(8, device=1).free()
        emulator.recover()
        emulator.allocate(8).free()


def test_memory_limit(emulator):
    """Beyond the limit there is no memory, of that device."""
    emulator.set_memory_limit(emulator.memory_used() + 1000)
    with emulator.allocate(900):
        with pytest.raises(EmulatorError) as error:
            emulator.allocate(200)
        assert error.value.code == OUT_OF_MEMORY
        emulator.allocate(200, device=1).free()
    emulator.allocate(1000).free()


def test_capture(emulator):
    """A capturing stream says so, the legacy stream can't be asked meanwhile, and allocating spoils the capture."""
    def status(stream):
        found = ctypes.c_int(-1)
        with emulator.current():
            code = emulator.driver.cuStreamIsCapturing(ctypes.c_void_p(stream), ctypes.byref(found))
        return code, found.value

    with emulator.stream(blocking=True) as stream, emulator.stream() as other, emulator.allocate(128) as x:
        x.write(np.zeros(32, np.float32))
        with emulator.capture(stream):
            emulator.launch("planted_fill", planted(None, x, 32), stream=stream)
            assert status(stream) == (0, 1) and status(other) == (0, 0) and status(1)[0] == 906
            with pytest.raises(EmulatorError):
                emulator.allocate(8)
            assert status(stream) == (0, 2)
        assert status(stream) == (0, 0) and status(1) == (0, 0)
        assert not x.read(np.float32).any()


@pytest.mark.parametrize(("thread", "capture", "allowed"), [(0, 0, False), (0, 1, False), (0, 2, True), (1, 1, False), (2, 0, True)])
@pytest.mark.parametrize("elsewhere", [False, True])
def test_calls_during_a_capture(emulator, thread, capture, allowed, elsewhere):
    """Whether a call may allocate depends on the modes of capture and thread, and on who captures."""
    mode = ctypes.c_int(thread)
    with emulator.stream() as stream, emulator.capture(stream, mode=capture):
        def allocate():
            emulator.driver.cuThreadExchangeStreamCaptureMode(ctypes.byref(mode))
            try:
                emulator.allocate(8).free()
                return True
            except EmulatorError as error:
                assert error.code == 900
                return False
            finally:
                emulator.driver.cuThreadExchangeStreamCaptureMode(ctypes.byref(mode))
        if elsewhere:
            with ThreadPoolExecutor(1) as pool:
                found = pool.submit(allocate).result()
            assert found == (allowed or thread == 1 or capture == 1)
        else:
            assert allocate() == allowed


@pytest.mark.parametrize("kind", ["device", "managed", "pinned", "pool"])
def test_attributes_of_pointers(emulator, kind):
    """Each kind of memory has the attributes that drivers report for it."""
    with emulator.allocate(1000, kind, device=1) as x:
        inside = emulator.attributes(x.pointer + 999)
        assert inside["range"] == (x.pointer, 1000) and inside["device"] == 1
        assert inside["type"] == (1 if kind == "pinned" else 2) and inside["managed"] == (kind == "managed")
        assert inside["context"] == (0 if kind == "pool" else emulator.primary(1))
        assert (inside["device_pointer"] == x.pointer + 999) == (kind != "pinned") and inside["device_pointer"]
        address = x.pointer
    assert emulator.attributes(address)["type"] == 0
    assert emulator.attributes(np.zeros(8).ctypes.data)["type"] == 0


def test_other_context(emulator):
    """Memory of a context that isn't the primary one says so."""
    with emulator.other_context() as context, emulator.allocate(64, context=context) as x:
        assert emulator.attributes(x.pointer)["context"] == context != emulator.primary()
    assert emulator.context_depth() == 0


# ---- other libraries ------------------------------------------------------------------------------------------------


def in_another_process(code, **environment):
    """What a program prints that has the emulated driver as `driver`."""
    start = f"import ctypes, os; driver = ctypes.CDLL({str(emulated_device.folder() / 'libcuda.so.1')!r}); n = ctypes.c_int(-1)\n"
    done = subprocess.run([sys.executable, "-c", start + code], env=os.environ | environment, capture_output=True, text=True, timeout=600,
                          check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_machines_that_differ(emulated_library):
    """The environment makes machines without a device, with another number of them, with another driver, or a broken one."""
    ask = "print(driver.cuInit(0), driver.cuDeviceGetCount(ctypes.byref(n)), n.value)"
    assert in_another_process(ask, EMU_DEVICES="0")[0] == str(NO_DEVICE)
    assert in_another_process(ask, EMU_DEVICES="4") == ["0", "0", "4"]
    assert in_another_process(ask, EMU_INIT_CODE="803")[0] == "803"
    assert in_another_process("print(driver.cuDriverGetVersion(ctypes.byref(n)), n.value)", EMU_DRIVER_VERSION="11040") == ["0", "11040"]


def test_forked_child(emulated_library):
    """A process forked from one that called cuInit can't call anything."""
    code = "driver.cuInit(0)\nif os.fork(): os.wait()\nelse: print(driver.cuDeviceGetCount(ctypes.byref(n)))"
    assert in_another_process(code) == ["3"]


@survives
def test_problems_are_told_at_the_end(emulated_library):
    """A program that doesn't ask what was wrong is told, and fails where it is to be strict."""
    code = f"""
import sys; sys.path.insert(0, {str(ROOT / "tests")!r})
import emulated_device, struct
emulator = emulated_device.load()
y = emulator.allocate(400)
emulator.launch("planted_fill", struct.pack("QQq", 0, y.pointer, 101), 1, 128)
emulator.synchronize()
"""
    for strict in ("0", "1"):
        done = subprocess.run([sys.executable, "-c", code], env=os.environ | {"EMU_STRICT": strict}, capture_output=True,
                              text=True, timeout=600,
                              check=False)
        assert "emulated CUDA: out-of-bounds write by kernel planted_fill" in done.stderr
        assert done.returncode == int(strict)


def test_old_driver(emulated_library):
    """The driver that is too old lacks one call that gpuplot needs, and no other."""
    old = ctypes.CDLL(str(emulated_device.folder() / "old" / "libcuda.so.1"))
    assert not hasattr(old, "cuPointerGetAttributes")
    assert hasattr(old, "cuLaunchKernel") and hasattr(old, "cuInit")


@pytest.fixture
def compile_source(emulated_library):
    """A function that compiles a source with the fake NVRTC: its status, log and image."""
    nvrtc = ctypes.CDLL(str(emulated_device.folder() / "libnvrtc.so"))

    def compile_source(source, *options):
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"planted", 0, None, None) == 0
        given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        status = nvrtc.nvrtcCompileProgram(program, len(options), given)
        texts = []
        for what in ("ProgramLog", "CUBIN"):
            getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
            buffer = ctypes.create_string_buffer(max(1, size.value))
            if size.value:
                getattr(nvrtc, f"nvrtcGet{what}")(program, buffer)
            texts.append(buffer.value.decode())
        assert nvrtc.nvrtcDestroyProgram(ctypes.byref(program)) == 0 and nvrtc.emu_nvrtc_live_programs() == 0
        return status, *texts

    return compile_source


def test_nvrtc(compile_source):
    """A whole source with the options that gpuplot gives compiles; contraction, unknown options and missing headers don't."""
    source, good = "#include <math.h>\nGP_KERNEL(name, args, 32) {}", ("--gpu-architecture=sm_90", "--fmad=false")
    assert compile_source(source, *good) == (0, "", "EMULATED-CUBIN planted sm_90")
    assert "--fmad=false is missing" in compile_source(source, good[0])[1]
    assert compile_source(source, *good, "--use_fast_math")[:2] == (5, "nvrtc: error: unrecognized option --use_fast_math")
    assert "could not open source file" in compile_source('#include "device.cuh"\n' + source, *good)[1]
    assert "no kernel" in compile_source("int x;", *good)[1]


def test_images(emulator):
    """A driver takes images of its own generation and PTX that is not newer, and refuses other bytes."""
    def elf(abi, flags, machine=190):
        return b"\x7fELF\x02\x01\x01" + bytes([abi, 8]) + bytes(9) + machine.to_bytes(2, "little") + bytes(28) + bytes(flags)

    module = ctypes.c_void_p()
    with emulator.current():
        for image, code in ((b"EMULATED-CUBIN planted sm_90", 0), (b"EMULATED-CUBIN planted sm_80", 209),
                            (b"EMULATED-CUBIN planted compute_75", 0), (b"EMULATED-CUBIN planted compute_100", 209),
                            (elf(0x33, (90, 5, 90, 0)), 0), (elf(0x33, (80, 5, 80, 0)), 209), (elf(0x41, (4, 90, 0, 6)), 0),
                            (elf(0x41, (2, 100, 0, 6)), 209), (elf(0x33, (90, 5, 90, 0), machine=62), 200),
                            (b"// made by hand\n.version 8.8\n.target sm_75\n", 0), (b"// .target sm_120\n", 209),
                            (b"no image at all", 200)):
            assert emulator.driver.cuModuleLoadData(ctypes.byref(module), image) == code, image
            if not code:
                emulator.check("cuModuleUnload", module)


def test_sanitizer_names_the_place(emulated_library):
    """Where the emulator is built with AddressSanitizer, a wrong access ends the process and names kernel, line and memory."""
    if not emulated_device.is_sanitized(emulated_device.folder()):
        pytest.skip("the emulator isn't built with AddressSanitizer")
    code = f"""
import sys; sys.path.insert(0, {str(ROOT / "tests")!r})
import emulated_device, struct
emulator = emulated_device.load()
x, y = emulator.allocate(280), emulator.allocate(4096)
emulator.launch("planted_add", struct.pack("QQq", x.pointer, y.pointer, 71), 1, 96)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode != 0
    for words in ("use-after-poison", "planted.cu", "kernel planted_add, block (0, 0, 0), thread (70, 0, 0)",
                  "0 bytes after the end of device memory of 280"):
        assert words in done.stderr, done.stderr
