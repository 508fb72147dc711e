"""The kinds of files that the command reads: the same picture from each, memory-mapped if the file allows it."""

import json
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from command_line import command, library, pixels, sample

import gpuplot
from gpuplot.arrays.describe import describe
from gpuplot.cli.address import one_item, split_address
from gpuplot.cli.errors import FileError, UsageError
from gpuplot.cli.loading import load
from gpuplot.cli.readers.image_files import items_of_image
from gpuplot.cli.readers.kinds import items_of
from gpuplot.errors import GpuplotWarning

pytestmark = pytest.mark.host("reads files")

SHAPE = (4, 40, 50)


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


def test_pictures_of_one_bit_are_gray(tmp_path):
    """They came out as colors with opacity."""
    from PIL import Image

    X = np.eye(20) > 0
    Image.fromarray(X).save(tmp_path / "a.png")
    item, = items_of(tmp_path / "a.png")
    np.testing.assert_array_equal(gpuplot.asnumpy(item.read(((0, 20), (0, 20)))), 255 * X.astype("uint8"))


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "RGB", "RGBA", "I;16", "CMYK", "I", "F"])
def test_pictures_of_pillow_have_the_form_that_is_said(mode, tmp_path):
    """A palette had no channels until it was read."""
    from PIL import Image

    path = tmp_path / "a.tif"
    Image.fromarray(np.zeros((4, 5), "uint16") if mode == "I;16" else np.zeros((4, 5), "uint8")).convert(mode).save(path)
    item, = items_of_image(path)
    source = describe(item.read(((0, 4), (0, 5))))
    assert (item.shape, item.dtype) == (source.shape, source.dtype)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_pictures_of_32_bits_are_numbers(dtype, tmp_path):
    """Without tifffile they were cut to the 8 bits of colors."""
    from PIL import Image

    X = np.array([[-3, 0, 70000], [1, 2, 300]], dtype)
    Image.fromarray(X).save(tmp_path / "a.tif")
    item, = items_of_image(tmp_path / "a.tif")
    np.testing.assert_array_equal(gpuplot.asnumpy(item.read(((0, 2), (0, 3)))), X)


@pytest.mark.parametrize("name, format", [("a.jpg", "MPO"), ("a.png", "PNG")])
def test_of_several_pictures_the_first_is_shown(name, format, tmp_path):
    """The command said that tifffile would read them all."""
    from PIL import Image

    first, second = (Image.fromarray(np.full((8, 8, 3), number, "uint8")) for number in (0, 255))
    first.save(tmp_path / name, format, save_all=True, append_images=[second])
    with pytest.warns(GpuplotWarning, match="has 2 pictures: this is the first"):
        item, = items_of(tmp_path / name)
    assert item.shape == (8, 8, 3) and not np.any(gpuplot.asnumpy(item.read(((0, 8),) * 3)))


@pytest.mark.parametrize("make", [npy, npz, safetensors], ids=lambda make: make.__name__)
def test_files_that_are_cut_off(make, tmp_path):
    suffix, name, _ = KINDS[make]
    path = tmp_path / f"f{suffix}"
    make(str(path))
    path.write_bytes(path.read_bytes()[:-9000])
    with pytest.raises(FileError):
        load(one_item(items_of(path), path, name), {}, print)


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


def test_a_grid_of_chunks_has_all_images(tmp_path):
    """Each image was the first one: nothing else was read."""
    chunked_hdf5(tmp_path / "f.h5")
    command("f.h5", "--pixels", "--grid=nrow=2", "-o", "a.png", cwd=tmp_path)
    gpuplot.imsave(tmp_path / "b.png", sample(SHAPE), grid={"nrow": 2})
    np.testing.assert_array_equal(pixels(tmp_path / "a.png"), pixels(tmp_path / "b.png"))


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


@pytest.mark.parametrize("names, expected", [(["y", "x"], ("y", "x")), (["x"], None), (7, None), ("yx", None), ([1, 2], None)], ids=str)
def test_names_of_axes_that_are_none(names, expected, tmp_path):
    """A number there left nothing of the file readable."""
    library("zarr").create_array(tmp_path / "a.zarr", shape=(4, 5), chunks=(4, 5), dtype="f4", attributes={"_ARRAY_DIMENSIONS": names})
    assert [item.dims for item in items_of(tmp_path / "a.zarr")] == [expected]


def test_numbers_of_hdf5_of_fewer_bits_than_their_bytes(tmp_path):
    """Their bytes were mapped as they are, with the bits beside the number."""
    h5py, X = library("h5py"), np.array([1, 2, 3, -4], "int16")
    form = h5py.h5t.STD_I16LE.copy()
    form.set_precision(12)
    form.set_offset(4)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        h5py.h5d.create(file.id, b"a", form, h5py.h5s.create_simple((4,))).write(h5py.h5s.ALL, h5py.h5s.ALL, X)
    item, = items_of(tmp_path / "a.h5")
    np.testing.assert_array_equal(item.read(((0, 4),)), X)


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
