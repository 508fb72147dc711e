"""Files that are not what their names say, damaged ones, and libraries that are missing: errors in words, and no code is run."""

import io
import json
import os
import struct
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest
from command_line import library

from gpuplot.cli.errors import FileError
from gpuplot.cli.readers.kinds import items_of

pytestmark = pytest.mark.host("reads files")


def broken(path, n_bytes=200):
    Path(path).write_bytes(bytes(range(256))[:n_bytes])


@pytest.mark.parametrize("suffix, needs", [(".npy", ""), (".npz", ""), (".safetensors", ""), (".png", ""), (".pt", "torch"),
                                           (".h5", "h5py"), (".zarr", "zarr"), (".tif", "tifffile")])
def test_files_of_something_else(suffix, needs, tmp_path):
    if needs:
        library(needs)
    for n_bytes in (0, 5, 200):
        broken(tmp_path / f"f{suffix}", n_bytes)
        with pytest.raises(FileError, match=f"f{suffix}"):
            items_of(tmp_path / f"f{suffix}")


def test_objects_are_not_unpickled(tmp_path):
    np.save(tmp_path / "f.npy", np.array([print, 1], object))
    with pytest.raises(FileError, match="pickled objects, which may run code"):
        items_of(tmp_path / "f.npy")


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_beside_objects_are_read(save, tmp_path):
    """One array of objects, such as a dict of options, kept all others of the file from being drawn."""
    save(tmp_path / "f.npz", a=np.array([print, 1], object), records=np.zeros(2, [("x", "f4"), ("y", "O")]), b=np.arange(3.0))
    *objects, numbers = items_of(tmp_path / "f.npz")
    assert [(one.name, one.shape, one.dtype, one.has_numbers) for one in objects] == [
        ("a", (2,), "object", False), ("records", (2,), "object", False)]
    for one in objects:
        with pytest.raises(FileError, match=f"f.npz#{one.name}: its elements are pickled objects, which may run code"):
            one.read(())
    assert numbers.name == "b" and (numbers.read(()) == np.arange(3.0)).all()


def test_files_that_are_no_arrays_are_not_taken_for_pickles(tmp_path):
    for content in (b"", b"hello", b"\x80\x04N."):
        (tmp_path / "f.npy").write_bytes(content)
        with pytest.raises(FileError, match="is not a .npy file: its first bytes differ"):
            items_of(tmp_path / "f.npy")


def test_code_in_files_of_torch_does_not_run(tmp_path):
    torch = library("torch")
    torch.save({"w": torch.zeros(3), "f": Path("x")}, tmp_path / "f.pt")
    with pytest.raises(FileError, match="holds more than tensors, which could run code"):
        items_of(tmp_path / "f.pt")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.66, 0.9, 0.99])
def test_files_of_torch_that_were_cut_off(share, tmp_path):
    """As by a program that was killed while it saved a checkpoint: it said [Errno 22] Invalid argument."""
    torch = library("torch")
    torch.save({f"layer {k}": torch.zeros(300) for k in range(20)}, tmp_path / "f.pt")
    os.truncate(tmp_path / "f.pt", int(os.path.getsize(tmp_path / "f.pt") * share))
    with pytest.raises(FileError, match="f.pt is damaged, or no file of torch"):
        items_of(tmp_path / "f.pt")


@pytest.mark.parametrize("entry, said", [
    ({"dtype": "F32", "shape": [2, 2]}, "lacks"), ({"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 12]}, "does not fit bytes 0"),
    ({"dtype": "F32", "shape": [2, 2], "data_offsets": [8, 24]}, "does not fit bytes"),
    ({"dtype": "F32", "shape": [-2, -2], "data_offsets": [0, 16]}, "does not fit bytes"),
    ({"dtype": "F32", "shape": [2, 2.0], "data_offsets": [0, 16]}, "does not fit bytes"),
    ({"dtype": "F32", "shape": [2, 2], "data_offsets": [16, 0]}, "does not fit bytes"), ("w", "lacks"), ([], "lacks"),
    ({"dtype": ["F32"], "shape": [2, 2], "data_offsets": [0, 16]}, r"the dtype in the header is \['F32'\]"),
    ({"dtype": "F99", "shape": "22", "data_offsets": [0, 16]}, "the shape '22', not a text and a list"),
], ids=str)
def test_headers_of_safetensors_are_checked(entry, said, tmp_path):
    header = json.dumps({"w": entry}).encode()
    (tmp_path / "f.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bytes(16))
    with pytest.raises(FileError, match=said):
        items_of(tmp_path / "f.safetensors")


def test_a_header_of_safetensors_that_is_too_deep(tmp_path):
    (tmp_path / "f.safetensors").write_bytes(struct.pack("<Q", 10**5) + b"[" * 10**5)
    with pytest.raises(FileError, match="its header is not JSON"):
        items_of(tmp_path / "f.safetensors")


def test_names_of_many_digits_in_safetensors(tmp_path):
    """Python reads at most 4300 as a number."""
    header = json.dumps({name: {"dtype": "U8", "shape": [], "data_offsets": [0, 1]} for name in ("9" * 5000, "w10", "w9")}).encode()
    (tmp_path / "f.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + b"\0")
    assert [item.name for item in items_of(tmp_path / "f.safetensors")] == ["9" * 5000, "w9", "w10"]


def test_a_zip_file_whose_directory_lies(tmp_path):
    made = io.BytesIO()
    np.savez(made, a=np.eye(30))
    data = bytearray(made.getvalue())
    with zipfile.ZipFile(made) as archive:
        [member] = archive.infolist()
    data[member.header_offset + 26] ^= 1  # the length of the name in the local header
    (tmp_path / "f.npz").write_bytes(data)
    with pytest.raises(FileError, match="f.npz"):
        items_of(tmp_path / "f.npz")


def test_bytes_of_a_compressed_array_that_changed(tmp_path):
    """It said that the file is not an .npz file."""
    np.savez_compressed(tmp_path / "f.npz", a=np.random.default_rng(0).random(1000))
    data = bytearray((tmp_path / "f.npz").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "f.npz").write_bytes(data)
    with pytest.raises(FileError, match="f.npz is .*damaged"):
        items_of(tmp_path / "f.npz")[0].read(())


@pytest.mark.parametrize("module, suffix", [("torch", ".pt"), ("h5py", ".h5"), ("zarr", ".zarr")])
def test_a_library_that_is_missing_is_named(module, suffix, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    broken(tmp_path / f"f{suffix}")
    with pytest.raises(FileError, match=f"pip install {module}"):
        items_of(tmp_path / f"f{suffix}")


def test_pages_of_a_tiff_take_tifffile(tmp_path, monkeypatch):
    from PIL import Image

    monkeypatch.setitem(sys.modules, "tifffile", None)
    pages = [Image.fromarray(np.full((9, 8), k, "uint8")) for k in range(2)]
    pages[0].save(tmp_path / "f.tif", save_all=True, append_images=pages[1:])
    with pytest.raises(FileError, match="pip install tifffile"):
        items_of(tmp_path / "f.tif")


@pytest.mark.parametrize("name, content", [("a.pt", b"junkjunk"), ("a.png", b"\x89PNG\r\n\x1a\n\x00\x00"), ("a.png", b"\x89PNG\r\n\x1a\n")])
def test_damaged_files_are_named(name, content, tmp_path):
    if name.endswith(".pt"):
        library("torch")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FileError, match=f"{name} is (not a|damaged, or no)"):
        items_of(tmp_path / name)


def small_hdf5(path):
    with library("h5py").File(path, "w") as file:
        file["a"] = file["group/b"] = np.eye(3)


@pytest.mark.parametrize("suffix, make, at", [
    (".npy", lambda path: np.save(path, np.eye(3)), slice(0, 128)),
    (".npz", lambda path: np.savez_compressed(path, a=np.eye(3)), slice(0, None)),
    (".tif", lambda path: library("tifffile").imwrite(path, np.eye(3)), slice(0, 256)), (".h5", small_hdf5, slice(0, 3000)),
])
def test_damage_anywhere_is_told(suffix, make, at, tmp_path):
    """Errors of Python's tokenizer, zlib, h5py and tifffile, which said nothing of the file, reached the user."""
    path = tmp_path / f"f{suffix}"
    make(path)
    content, n_refused = path.read_bytes(), 0
    for k in range(len(content))[at]:
        path.write_bytes(content[:k] + bytes([content[k] ^ 0x28]) + content[k + 1:])
        try:
            items_of(path)
        except FileError:
            n_refused += 1
    assert n_refused > 5


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has pipes with names: a system other than Windows")
def test_pipes_are_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "f.npy")
    with pytest.raises(FileError, match="f.npy is a pipe or a device: save what it gives to a file first, such as cat .*f.npy >x.npy"):
        items_of(tmp_path / "f.npy")


def test_old_files_of_torch_with_more_than_tensors(tmp_path):
    """Their error was torch's, which tells how to run what they hold."""
    torch = library("torch")
    torch.save({"w": torch.zeros(3), "f": Path("x")}, tmp_path / "f.pt", _use_new_zipfile_serialization=False)
    with pytest.raises(FileError, match="f.pt holds more than tensors, which could run code"):
        items_of(tmp_path / "f.pt")


@pytest.mark.filterwarnings("error")
def test_models_of_torchscript_are_named(tmp_path):
    """Their files were called damaged, after a warning of torch about a call that nobody had made."""
    torch = library("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch advises against TorchScript
        torch.jit.save(torch.jit.script(torch.nn.Linear(3, 3)), tmp_path / "f.pt")
    with pytest.raises(FileError, match="f.pt holds a model that TorchScript compiled, with code: load it in a program with torch.jit"):
        items_of(tmp_path / "f.pt")


@pytest.mark.parametrize("is_new", [True, False], ids=["zip", "pickle"])
def test_damaged_files_of_torch(tmp_path, is_new):
    """Their errors were those of pickles, such as KeyError(2), or spoke of code."""
    torch = library("torch")
    torch.save({"w": torch.zeros(300)}, path := tmp_path / "f.pt", _use_new_zipfile_serialization=is_new)
    whole = path.read_bytes()
    for content in (b"hello world", b"", whole[:10], whole[:200], bytes(range(200)), whole[:len(whole) // 2]):
        path.write_bytes(content)
        with pytest.raises(FileError, match="f.pt is damaged, or no file of torch: copy or save it again"):
            items_of(path)
