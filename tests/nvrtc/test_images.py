"""Images of kernels as a build with GPUPLOT_CUDA=1 makes them, by the real NVRTC: for every architecture, and for old drivers, too.

The smallest module stands for all; `compile_kernels.py --all` compiles the others for the same architectures.
"""

import importlib.util
import os
import re
import subprocess
from pathlib import Path

import pytest

pytestmark = [pytest.mark.host("no array that somebody hands to gpuplot"), pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
# The ELF files of CUDA 12, which drivers from 525 on read, and those of CUDA 13 and of GPUs that 525 does not know:
# (what e_ident says of system and ABI, the byte of e_flags that has the architecture).
OLD, NEW = ((0x33, 7), 0), ((0x41, 8), 1)


def loaded(name, path):
    """A Python file as a module."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


compile_kernels = loaded("compile_kernels", Path(__file__).with_name("compile_kernels.py"))
compress_pack = loaded("compress_pack", ROOT / "native" / "tools" / "compress_pack.py")


def wished_archs():
    """The architectures of a build that names none: (capability, is_ptx), as cuda_images.cmake lists them."""
    text = (ROOT / "native" / "cmake" / "cuda_images.cmake").read_text()
    [words] = re.findall(r"set\(gp_cuda_wished_archs ([^)]*)\)", text)
    return words.split(), {(int(re.search(r"\d+", word)[0]), word.startswith("compute")) for word in words.split()}


@pytest.fixture(scope="module", params=compile_kernels.PACKAGES)
def pack(request, tmp_path_factory):
    """(major version of NVRTC, the pack of the module `points` as it is embedded) of each library."""
    try:
        libraries, program = compile_kernels.find_libraries(), compile_kernels.build_program(name="make_images")
        folder = program.parent
    except compile_kernels.NothingToRun as reason:
        pytest.skip(str(reason))
    [(version, library)] = [(version, path) for version, path in libraries.items() if str(path).endswith(request.param)]
    path = tmp_path_factory.mktemp("pack") / "points.pack"
    done = subprocess.run([program, "points", "", folder / "kernels" / "points.cu", path, *wished_archs()[0]], capture_output=True,
                          text=True, check=False, env={**os.environ, "GPUPLOT_NVRTC": str(library)})
    assert done.returncode == 0, done.stderr
    compress_pack.main(path, path)
    return version, path.read_bytes()


def test_the_table_has_every_architecture(pack):
    version, images = compress_pack.read_pack(pack[1])
    assert version == 1000 * pack[0][0] + 10 * pack[0][1]
    assert set(images) == wished_archs()[1]


def test_machine_code_is_for_its_architecture_and_for_drivers_of_the_compilers_generation(pack):
    """Machine code of CUDA 12 for GPUs that a driver 525 knows is in the format that 525 reads."""
    for (capability, is_ptx), image in compress_pack.read_pack(pack[1])[1].items():
        if is_ptx:
            continue
        ident, at = OLD if pack[0][0] == 12 and capability <= 90 else NEW
        assert image[:4] == b"\x7fELF" and image[18:20] == b"\xbe\0"  # a file of NVIDIA's
        assert (image[7], image[8]) == ident and image[48 + at] == capability


def test_ptx_is_for_the_oldest_architecture(pack):
    [(key, text)] = [(key, image) for key, image in compress_pack.read_pack(pack[1])[1].items() if key[1]]
    assert key == (75, True) and b".target sm_75" in text and text.endswith(b"\0")


def test_every_image_has_every_kernel(pack):
    names = re.findall(r"^GP_KERNEL\((\w+),", (ROOT / "native" / "cuda" / "kernels" / "points.cu").read_text(), re.MULTILINE)
    assert names
    for image in compress_pack.read_pack(pack[1])[1].values():
        assert all(name.encode() in image for name in names)
