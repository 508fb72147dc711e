"""The kinds of files that the command reads: the same picture from each, memory-mapped if the file allows it."""

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
from command_line import command, pixels, sample

import gpuplot
from gpuplot.cli.address import one_item, split_address
from gpuplot.cli.errors import FileError, UsageError
from gpuplot.cli.loading import load
from gpuplot.cli.readers.kinds import items_of

pytestmark = pytest.mark.host("reads files")

SHAPE = (4, 40, 50)


def library(name):
    return pytest.importorskip(name, reason=f"reads these files: pip install {name}")


# ---- files of each kind, with the sample in them ---------------------------------------------------------------------


def npy(path):
    np.save(path, sample(SHAPE))


def fortran_npy(path):
    np.save(path, np.asfortranarray(sample(SHAPE)))


def big_endian_npy(path):
    np.save(path, sample(SHAPE).astype(">f4"))


def records_npy(path):
    records = np.zeros(SHAPE, [("time", "i8"), ("w", "f4")])
    records["w"] = sample(SHAPE)
    np.save(path, records)


def npz(path):
    np.savez(path, other=np.arange(5), w=sample(SHAPE))


def compressed_npz(path):
    np.savez_compressed(path, other=np.arange(5), w=sample(SHAPE))


def safetensors(path):
    """By hand, as the format is documented; the library's own files are read below."""
    data = sample(SHAPE)
    bits = (data.view("u4") >> 16).astype("<u2")
    header = json.dumps({"__metadata__": {"format": "pt"}, "w": {"dtype": "F32", "shape": SHAPE, "data_offsets": [0, data.nbytes]},
                         "b16": {"dtype": "BF16", "shape": SHAPE, "data_offsets": [data.nbytes, data.nbytes + bits.nbytes]}}).encode()
    Path(path).write_bytes(struct.pack("<Q", len(header)) + header + data.tobytes() + bits.tobytes())


def their_safetensors(path):
    library("safetensors.numpy").save_file({"a.w": sample(SHAPE), "w": sample(SHAPE)}, path)


def pt(path):
    torch = library("torch")
    torch.save({"model": {"w": torch.from_numpy(sample(SHAPE)), "b": torch.zeros(3)}, "epoch": 7, "name": "net"}, path)


def old_pt(path):
    torch = library("torch")
    torch.save(torch.from_numpy(sample(SHAPE)), path, _use_new_zipfile_serialization=False)


def hdf5(path):
    with library("h5py").File(path, "w", userblock_size=512) as file:
        file["net/w"] = sample(SHAPE)
        file["net/text"] = "hello"


def chunked_hdf5(path):
    with library("h5py").File(path, "w") as file:
        file.create_dataset("w", data=sample(SHAPE), chunks=(1, 16, 16), compression="gzip")
        file["w"].dims[0].label, file["w"].dims[1].label, file["w"].dims[2].label = "time", "y", "x"


def zarr(path):
    made = library("zarr").open_group(path, mode="w")
    make = made.create_array if hasattr(made, "create_array") else made.create_dataset
    array = make("net/w", shape=SHAPE, chunks=(1, 16, 16), dtype="f4")
    array[...] = sample(SHAPE)


def one_zarr(path):
    array = library("zarr").open_array(path, mode="w", shape=SHAPE, chunks=(1, 16, 16), dtype="f4")
    array[...] = sample(SHAPE)


def tiff(path):
    library("tifffile").imwrite(path, sample(SHAPE), byteorder=">", photometric="minisblack")


def tiled_tiff(path):
    library("tifffile").imwrite(path, sample(SHAPE), tile=(16, 16), photometric="minisblack")


# What is behind the name of the file, and whether its bytes are mapped.
KINDS = {
    npy: (".npy", "", True), fortran_npy: (".npy", "", True), big_endian_npy: (".npy", "", True), records_npy: (".npy", "w", True),
    npz: (".npz", "w", True), compressed_npz: (".npz", "w", False), safetensors: (".safetensors", "w", True),
    their_safetensors: (".safetensors", "a.w", True), pt: (".pt", "model.w", True), old_pt: (".pth", "", False),
    hdf5: (".h5", "net/w", True), chunked_hdf5: (".hdf5", "w", False), zarr: (".zarr", "net/w", False), one_zarr: (".zarr", "", False),
    tiff: (".tif", "", True), tiled_tiff: (".tiff", "", False),
}


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_the_picture_is_that_of_the_array(make, tmp_path):
    """Of the second plane, which has the NaN."""
    suffix, name, _ = KINDS[make]
    make(str(tmp_path / f"f{suffix}"))
    address = f"f{suffix}#{name}" if name else f"f{suffix}"
    command(address, "--pixels", "--index", 1, "--nan-color", "red", "-o", "b.png", cwd=tmp_path)
    np.testing.assert_array_equal(pixels(tmp_path / "b.png"), gpuplot.to_rgba(sample(SHAPE)[1], nan_color="red"))


def is_in_memory_map(path):
    return str(path) in Path("/proc/self/maps").read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into the memory map of a Linux process")
@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_what_is_not_compressed_is_mapped(make, tmp_path):
    suffix, name, is_mapped = KINDS[make]
    path = tmp_path / f"mapped_or_not{suffix}"
    make(str(path))
    source = load(one_item(items_of(path), path, name), {}, print)
    assert is_in_memory_map(path) == is_mapped
    np.testing.assert_array_equal(gpuplot.asnumpy(source)[0], sample(SHAPE)[0])


def test_sixteen_bits_of_safetensors(tmp_path):
    """bfloat16 is a dtype that NumPy lacks."""
    safetensors(tmp_path / "f.safetensors")
    item = one_item(items_of(tmp_path / "f.safetensors"), "f", "b16")
    read = gpuplot.asnumpy(load(item, None, print))
    assert item.dtype == "bfloat16" and np.nanmax(abs(read - sample(SHAPE))) < 2**-7
    command("f.safetensors#b16", "--index", 2, "-o", "b.png", cwd=tmp_path)


def test_tensors_without_values_have_their_shape(tmp_path):
    torch = pytest.importorskip("torch")
    torch.save({"w": torch.empty(3, 4, dtype=torch.bfloat16, device="meta")}, tmp_path / "f.pt")
    said, _ = command("info", "f.pt", "--no-stats", cwd=tmp_path)
    assert said.split() == ["w", "bfloat16", "(3,", "4)"]


def test_eight_bits_of_torch_and_safetensors(tmp_path):
    torch, save = library("torch"), library("safetensors.torch").save_file
    tensors = {str(dtype): torch.from_numpy(sample((9, 8))).to(dtype) for dtype in (torch.float8_e4m3fn, torch.float8_e5m2, torch.bfloat16)}
    save(tensors, tmp_path / "f.safetensors")
    torch.save(tensors, tmp_path / "f.pt")
    for suffix in ("safetensors", "pt"):
        for item in items_of(tmp_path / f"f.{suffix}"):
            np.testing.assert_array_equal(gpuplot.asnumpy(load(item, None, print)), gpuplot.asnumpy(tensors[item.name]))


@pytest.mark.parametrize("image", [(60, 80, 3), (60, 80, 4), (60, 80)], ids=["rgb", "rgba", "gray"])
@pytest.mark.parametrize("suffix", [".png", ".tif"])
def test_pictures(image, suffix, tmp_path):
    from PIL import Image

    a = np.random.default_rng(3).integers(0, 256, image, "uint8")
    Image.fromarray(a).save(tmp_path / f"f{suffix}")
    command(f"f{suffix}", "--pixels", "-o", "b.png", cwd=tmp_path)
    np.testing.assert_array_equal(pixels(tmp_path / "b.png"), gpuplot.to_rgba(a))


def test_an_empty_array_and_a_scalar(tmp_path):
    for name, a in {"empty": np.zeros((0, 5)), "scalar": np.float32(7)}.items():
        np.save(tmp_path / f"{name}.npy", a)
        np.savez(tmp_path / f"{name}.npz", a=a)
        for suffix in (".npy", ".npz"):
            path = tmp_path / f"{name}{suffix}"
            read = gpuplot.asnumpy(load(one_item(items_of(path), path, ""), None, print))
            assert read.shape == a.shape and (read == a).all()


# ---- files in chunks -------------------------------------------------------------------------------------------------


class Counting:
    """An array that a file keeps in chunks; it counts the elements that are read of it."""

    def __init__(self, array):
        self.array, self.shape, self.dtype, self.n_read = array, array.shape, array.dtype, 0

    def __getitem__(self, key):
        part = self.array[key]
        self.n_read += part.size
        return part


@pytest.mark.parametrize("keywords, n_read, expected", [
    ({"index": 2}, 2000, {"index": {0: 2}}), ({}, 2000, {}), ({"index": {0: -1}}, 2000, {"index": {0: -1}}),
    ({"x": 0, "index": {1: 7}}, 200, {"x": 0, "index": {1: 7}}), ({"reduce": {0: "max"}}, 8000, {"reduce": {0: "max"}}),
    ({"index": {1: slice(3, 9)}}, 2000, {"index": {1: slice(3, 9)}}),
], ids=str)
def test_of_chunks_what_is_seen_is_read(keywords, n_read, expected):
    from gpuplot.cli.loading import index_by_axis
    from gpuplot.cli.readers.chunked_files import _read_item

    data = Counting(sample(SHAPE))
    source = load(_read_item("w", data, None), keywords, print)
    index = index_by_axis(SHAPE, "float32", None, keywords)
    chosen = keywords | ({"index": index} if index else {})
    np.testing.assert_array_equal(gpuplot.to_rgba(source, **chosen), gpuplot.to_rgba(sample(SHAPE), **expected))
    assert data.n_read in (n_read, 4 * n_read if "x" in keywords else n_read)


def test_names_of_axes_are_found(tmp_path):
    chunked_hdf5(tmp_path / "f.h5")
    command("f.h5", "--pixels", "--index", "time=1", "-o", "b.png", cwd=tmp_path)
    np.testing.assert_array_equal(pixels(tmp_path / "b.png"), gpuplot.to_rgba(sample(SHAPE)[1]))


@pytest.mark.parametrize("names, expected", [
    (("time", None, None), ("time", "axis 1", "axis 2")), ((None, "y", "x"), ("axis 0", "y", "x")), ((None, None, None), None),
    (("a", "a", "b"), None),
], ids=str)
def test_axes_without_a_name_keep_those_of_others(names, expected, tmp_path):
    """Those of zarr were called "None", and in HDF5 no axis had a name if one lacked it."""
    library("zarr").create_array(tmp_path / "a.zarr", shape=(4, 5, 6), chunks=(1, 5, 6), dtype="f4", dimension_names=names)
    with library("h5py").File(tmp_path / "a.h5", "w") as file:
        for dim, name in zip(file.create_dataset("w", (4, 5, 6), "f4", chunks=True).dims, names, strict=True):
            dim.label = name or ""
    for file in ("a.zarr", "a.h5"):
        assert [item.dims for item in items_of(tmp_path / file)] == [expected]


def test_dimensions_of_netcdf_are_names_of_axes(tmp_path):
    """They are scales, which have no labels; one of them was deleted."""
    with library("h5py").File(tmp_path / "a.h5", "w") as file:
        data = file.create_dataset("t2m", (4, 5, 6), "f4", chunks=True)
        for dim, name in zip(data.dims, ("time", "lat", "lon"), strict=True):
            scale = file.create_dataset(name, (4,), "f4")
            scale.make_scale(name)
            dim.attach_scale(scale)
        del file["lat"]
    assert one_item(items_of(tmp_path / "a.h5"), "a", "t2m").dims == ("time", "axis 1", "lon")


def test_what_does_not_fit_is_not_read(monkeypatch):
    from gpuplot.cli import loading
    from gpuplot.cli.readers.chunked_files import _read_item

    monkeypatch.setattr(loading, "available_bytes", lambda: 10_000)
    data = Counting(sample(SHAPE))
    load(_read_item("w", data, None), {"index": 2}, print)
    with pytest.raises(FileError, match="w is in chunks and cannot be mapped; reading it takes 31.2 KB.*choose a part of it, with --index"):
        load(_read_item("w", data, None), None, print)
    assert data.n_read == 2000


def test_that_much_is_read_is_said(monkeypatch, tmp_path):
    from gpuplot.cli import loading

    monkeypatch.setattr(loading, "SMALL_BYTES", 1000)
    compressed_npz(tmp_path / "f.npz")
    said = []
    load(one_item(items_of(tmp_path / "f.npz"), "f", "w"), {}, said.append)
    assert said == ["w is compressed and cannot be mapped: 31.2 KB are read into memory"]


@pytest.mark.parametrize("words", [(), ("--pixels",)], ids=str)
def test_large_arrays_are_read_chunk_by_chunk(words, monkeypatch, tmp_path):
    """Not in one piece: memory holds a chunk, and one that is corrupt is named."""
    from gpuplot.arrays import lazy_arrays
    from gpuplot.cli import loading
    from gpuplot.cli.main import main

    zarr = library("zarr")
    for module, name in ((loading, "SMALL_BYTES"), (lazy_arrays, "MAX_COMPUTED_BYTES")):
        monkeypatch.setattr(module, name, 1000)
    monkeypatch.chdir(tmp_path)
    array = zarr.create_array("a.zarr", shape=(90, 80), chunks=(30, 40), dtype="f4", zarr_format=2)
    array[...] = np.random.default_rng(0).normal(size=(90, 80))
    whole = sum(loading.load(one_item(items_of(Path("a.zarr")), "a", ""), {}, print, in_chunks=k).array is None for k in (True, False))
    assert whole == 1
    assert main(["a.zarr", "-o", "a.png", *words]) == 0 and main(["info", "a.zarr"]) == 0
    if words:
        np.testing.assert_array_equal(pixels("a.png"), gpuplot.to_rgba(np.asarray(array[...])))


@pytest.mark.parametrize("is_large", [False, True])
def test_a_corrupt_chunk_is_said_in_one_line(is_large, monkeypatch, tmp_path, capsys):
    from gpuplot.cli import loading
    from gpuplot.cli.main import main

    zarr = library("zarr")
    if is_large:
        from gpuplot.arrays import lazy_arrays

        for module, name in ((loading, "SMALL_BYTES"), (lazy_arrays, "MAX_COMPUTED_BYTES")):
            monkeypatch.setattr(module, name, 1000)
    monkeypatch.chdir(tmp_path)
    zarr.create_array("a.zarr", shape=(90, 80), chunks=(90, 80), dtype="f4", zarr_format=2)[...] = 1
    Path("a.zarr/0.0").write_bytes(b"garbage")
    assert main(["a.zarr", "-o", "a.png"]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"gpuplot: {'chunk (0, 0), X[0:90, 0:80]' if is_large else 'the array'}") and "cannot be read" in line


def test_fields_of_a_data_set_are_named(tmp_path, capsys):
    from gpuplot.cli.main import main

    h5py = library("h5py")
    with h5py.File(tmp_path / "f.h5", "w") as file:
        file["c"] = np.zeros(4, [("a", "f4"), ("b", "i4")])
    assert main([f"{tmp_path}/f.h5"]) == 1
    assert "file['c']['a']" in capsys.readouterr().err


# ---- names -----------------------------------------------------------------------------------------------------------


def test_a_file_of_several_tensors_wants_a_name(tmp_path):
    path = tmp_path / "f.npz"
    np.savez(path, w=np.eye(3), v=np.eye(4), n=np.float32(1))
    with pytest.raises(UsageError, match="has 2 tensors .w, v.: choose one, such as '.*#w'; gpuplot info"):
        one_item(items_of(path), path, "")
    with pytest.raises(UsageError, match="did you mean w?"):
        one_item(items_of(path), path, "W")
    np.savez(path, w=np.eye(3), n=np.float32(1))
    assert one_item(items_of(path), path, "").name == "w"


def test_names_of_files_may_have_the_mark(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    npy("a#1.npy")
    npy("b.npy")
    assert split_address("a#1.npy") == (Path("a#1.npy"), "") and split_address("a#1.npy#w") == (Path("a#1.npy"), "w")
    assert split_address("b.npy#w/x#y") == (Path("b.npy"), "w/x#y")


# ---- files that are not what their names say -------------------------------------------------------------------------


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


@pytest.mark.parametrize("make", [npy, npz, safetensors], ids=lambda make: make.__name__)
def test_files_that_are_cut_off(make, tmp_path):
    suffix, name, _ = KINDS[make]
    path = tmp_path / f"f{suffix}"
    make(str(path))
    path.write_bytes(path.read_bytes()[:-9000])
    with pytest.raises(FileError):
        load(one_item(items_of(path), path, name), {}, print)


def test_objects_are_not_unpickled(tmp_path):
    np.save(tmp_path / "f.npy", np.array([print, 1], object))
    np.savez(tmp_path / "f.npz", a=np.array([print, 1], object))
    for name in ("f.npy", "f.npz"):
        with pytest.raises(FileError, match="pickled objects, which may run code"):
            items_of(tmp_path / name)


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


@pytest.mark.parametrize("entry, said", [
    ({"dtype": "F32", "shape": [2, 2]}, "lacks"), ({"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 12]}, "does not fit bytes 0"),
    ({"dtype": "F32", "shape": [2, 2], "data_offsets": [8, 24]}, "does not fit bytes"),
    ({"dtype": "F32", "shape": [-2, -2], "data_offsets": [0, 16]}, "does not fit bytes"),
    ({"dtype": "F32", "shape": [2, 2.0], "data_offsets": [0, 16]}, "does not fit bytes"),
    ({"dtype": "F32", "shape": [2, 2], "data_offsets": [16, 0]}, "does not fit bytes"), ("w", "lacks"), ([], "lacks"),
], ids=str)
def test_headers_of_safetensors_are_checked(entry, said, tmp_path):
    header = json.dumps({"w": entry}).encode()
    (tmp_path / "f.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bytes(16))
    with pytest.raises(FileError, match=said):
        items_of(tmp_path / "f.safetensors")


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


def test_pictures_of_one_bit_are_gray(tmp_path):
    """They came out as colors with opacity."""
    from PIL import Image

    X = np.eye(20) > 0
    Image.fromarray(X).save(tmp_path / "a.png")
    item, = items_of(tmp_path / "a.png")
    np.testing.assert_array_equal(gpuplot.asnumpy(item.read(((0, 20), (0, 20)))), 255 * X.astype("uint8"))


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
