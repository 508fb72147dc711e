"""PNG files: the pixels survive, the chunks are as asked, and a file is replaced whole or not at all."""

import errno
import io
import os
import pathlib
import stat
import sys
import threading

import numpy as np
import pytest
from PIL import Image

from gpuplot import _native
from gpuplot.picture import png
from gpuplot.picture.png import check_png, write_png

pytestmark = pytest.mark.host("no array that somebody hands to gpuplot")

HAS_LIBPNG = _native.build_info()["png"] not in ("", "off")
needs_posix = pytest.mark.skipif(os.name != "posix", reason="modes, links and pipes of POSIX")
native_only = pytest.mark.skipif(not HAS_LIBPNG, reason="built without libpng: Pillow chooses the format")
PIXELS = np.array([[[255, 0, 0, 255], [0, 255, 0, 255]], [[0, 0, 255, 255], [9, 9, 9, 7]]], np.uint8)


@pytest.fixture(params=["native", "pillow"])
def encoder(request, monkeypatch):
    """Both ways to encode; what the file half does must not depend on the way."""
    if request.param == "pillow":
        monkeypatch.setattr(png, "_encode", png._encode_by_pillow)
    elif not HAS_LIBPNG:
        pytest.skip("built without libpng")
    return request.param


def colors(n, shape, opaque=True, seed=0):
    """A picture in which exactly n colors occur."""
    rng = np.random.default_rng(seed)
    codes = rng.choice(2**24, n, replace=False).astype(np.uint32)
    alpha = np.full(n, 255, np.uint32) if opaque else rng.integers(0, 255, n, dtype=np.uint32)
    which = rng.integers(0, n, shape)
    which.flat[:n] = np.arange(n)
    return (codes | alpha << 24)[which].astype("<u4")[..., None].view(np.uint8)


def encoded(rgba, **options):
    file = io.BytesIO()
    write_png(file, rgba, **options)
    return file.getvalue()


def opened(data):
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


def decoded(data_or_path):
    source = io.BytesIO(data_or_path) if isinstance(data_or_path, bytes) else data_or_path
    return np.asarray(Image.open(source).convert("RGBA"))


@pytest.mark.parametrize("opaque", [True, False])
@pytest.mark.parametrize(("n", "shape"), [
    (1, (1, 1)), (2, (1, 37)), (2, (37, 1)), (3, (5, 7)), (16, (9, 13)), (17, (9, 13)), (256, (33, 31)),
    (257, (33, 31)), (1000, (101, 67)), (256, (800, 701)), (257, (800, 701)), (3, (2, 300001)), (5, (50000, 3))])
def test_pixels_survive(encoder, n, shape, opaque):
    rgba = colors(n, shape, opaque)
    image = opened(encoded(rgba))
    np.testing.assert_array_equal(np.asarray(image.convert("RGBA")), rgba)
    if encoder == "native":
        assert image.mode == ("P" if n <= 256 else "RGB" if opaque else "RGBA")


@native_only
@pytest.mark.parametrize(("n", "bits"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 4), (16, 4), (17, 8), (256, 8)])
def test_few_colors_take_few_bits(n, bits):
    assert encoded(colors(n, (40, 41)))[24] == bits


@native_only
@pytest.mark.parametrize("n_channels", [3, 4])
def test_runs_and_gradients_beyond_a_palette(n_channels):
    """Strips with runs and strips without are coded differently; without codes for runs patches take 0.3 bytes a pixel."""
    rng = np.random.default_rng(0)
    y, x = np.mgrid[0:400, 0:900]
    shades = np.stack([255 * (0.5 + 0.5 * np.sin(x / s) * np.cos(y / (s + 9))) for s in (90, 80, 70, 60)], axis=-1)
    patches = np.kron(rng.integers(0, 256, (10, 9, 4)), np.ones((40, 100, 1)))
    patches[0] = rng.integers(0, 256, (900, 4))
    for values, bytes_per_pixel in ((shades, 0.9), (np.concatenate([shades, patches, patches]), 0.35), (patches, 0.06)):
        rgba = values.astype(np.uint8)
        if n_channels == 3:
            rgba[..., 3] = 255
        data = encoded(rgba)
        image = opened(data)
        assert image.mode == "RGBA"[:n_channels]
        np.testing.assert_array_equal(np.asarray(image.convert("RGBA")), rgba)
        assert len(data) < bytes_per_pixel * rgba.shape[0] * rgba.shape[1]


def test_color_under_transparency_survives(encoder):
    rgba = colors(700, (60, 60), opaque=False)
    rgba[..., 3] = 0
    np.testing.assert_array_equal(decoded(encoded(rgba)), rgba)


@native_only
def test_smooth_colormap_is_no_larger_than_pillows():
    """The order of the palette matters: with colors as they come, this file is more than twice as large."""
    import matplotlib

    y, x = np.mgrid[0:300, 0:500]
    rgba = matplotlib.colormaps["RdBu"](0.5 + 0.5 * np.sin(x / 40) * np.cos(y / 30), bytes=True)
    by_pillow = io.BytesIO()
    Image.fromarray(rgba).save(by_pillow, "PNG")
    assert len(encoded(rgba)) <= len(by_pillow.getvalue())


@pytest.mark.parametrize("view", [
    lambda a: a[::-1], lambda a: a[:, ::-1], lambda a: a[::2, 1::3], lambda a: a.transpose(1, 0, 2),
    lambda a: np.broadcast_to(a[3], a.shape), lambda a: np.asfortranarray(a), lambda a: a[..., ::-1]])
@pytest.mark.parametrize("n", [50, 2000])
def test_any_strides(encoder, view, n):
    rgba = view(colors(n, (60, 70), opaque=False))
    np.testing.assert_array_equal(decoded(encoded(rgba)), rgba)


def test_source_is_only_read():
    rgba = colors(300, (50, 50))
    rgba.flags.writeable = False
    np.testing.assert_array_equal(decoded(encoded(rgba)), rgba)


def test_dpi_and_texts(encoder):
    texts = {"Title": "caf\xe9", "Author": "\u6587\u5b57 \U0001f600", "Comment": "\u6587 caf\xe9", "Empty": "", "Lines": "a\nb"}
    image = opened(encoded(PIXELS, dpi=150, metadata=texts))
    assert image.info["dpi"] == pytest.approx((5906 * 0.0254,) * 2, abs=1e-4)  # the nearest number of dots a meter
    assert {key: image.text[key] for key in texts} == texts
    assert image.text["Software"].startswith("gpuplot version ")


def test_no_dpi_by_default_and_software_can_go(encoder):
    image = opened(encoded(PIXELS, metadata={"Software": None, "Title": None}))
    assert "dpi" not in image.info
    assert image.text == {}
    assert opened(encoded(PIXELS, metadata={"Software": "mine"})).text == {"Software": "mine"}


@pytest.mark.parametrize("key", ["", " a", "a ", "a  b", "a\nb", "\u6587", "x" * 80, "a\0b", "\x7f", "\xa0"])
def test_keys_that_png_forbids(key):
    with pytest.raises(ValueError, match="key"):
        encoded(PIXELS, metadata={key: "value"})


def test_longest_key():
    assert opened(encoded(PIXELS, metadata={"\xe9" * 79: "v"})).text["\xe9" * 79] == "v"


@pytest.mark.parametrize(("options", "error"), [
    ({"metadata": {1: "a"}}, TypeError), ({"metadata": {"a": 1}}, TypeError), ({"metadata": {"a": b"b"}}, TypeError),
    ({"metadata": ["a"]}, TypeError), ({"metadata": {"a": "b\0c"}}, ValueError), ({"metadata": {"a": "\ud800"}}, ValueError),
    ({"dpi": 0}, ValueError), ({"dpi": -1}, ValueError), ({"dpi": float("nan")}, ValueError),
    ({"dpi": float("inf")}, ValueError), ({"dpi": "100"}, TypeError), ({"dpi": True}, TypeError), ({"dpi": 1e-5}, ValueError)])
def test_bad_options(tmp_path, options, error):
    target = tmp_path / "a.png"
    target.write_bytes(b"old")
    with pytest.raises(error):
        write_png(target, PIXELS, **options)
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.png"]


@pytest.mark.parametrize(("pixels", "error"), [
    (PIXELS.astype(np.float32), TypeError), ([[1]], TypeError), (PIXELS[..., :3], ValueError), (PIXELS[0], ValueError),
    (np.zeros((0, 5, 4), np.uint8), ValueError), (np.zeros((5, 0, 4), np.uint8), ValueError)])
def test_bad_pixels(tmp_path, pixels, error):
    with pytest.raises(error):
        write_png(tmp_path / "a.png", pixels)
    assert os.listdir(tmp_path) == []


@native_only
@pytest.mark.parametrize("shape", [(2**31, 1, 4), (1, 2**31, 4)])
def test_sizes_beyond_png_are_refused_before_anything_is_allocated(shape):
    huge = np.lib.stride_tricks.as_strided(np.zeros(8, np.uint8), shape, (0, 4, 1))  # never read
    with pytest.raises(OverflowError, match="too large"):
        write_png(io.BytesIO(), huge)


@pytest.mark.parametrize("kind", [str, os.fsencode, pathlib.Path])
def test_kinds_of_names(tmp_path, kind):
    target = tmp_path / "a.png"
    write_png(kind(str(target)), PIXELS)
    np.testing.assert_array_equal(decoded(target), PIXELS)
    assert os.listdir(tmp_path) == ["a.png"]


def test_relative_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_png("a.png", PIXELS)
    np.testing.assert_array_equal(decoded("a.png"), PIXELS)


@pytest.mark.parametrize("fname", [None, 3, object(), PIXELS])
def test_neither_name_nor_file(fname):
    with pytest.raises(TypeError, match="file"):
        write_png(fname, PIXELS)


def test_text_file_is_refused(tmp_path):
    with open(tmp_path / "a.png", "w") as file, pytest.raises(TypeError, match="'wb'"):
        write_png(file, PIXELS)
    with pytest.raises(TypeError, match="'wb'"):
        write_png(io.StringIO(), PIXELS)


@pytest.mark.parametrize("buffering", [-1, 0])
def test_a_file_for_reading_is_refused_before_pixels_are_made(tmp_path, buffering):
    write_png(tmp_path / "a.png", PIXELS)
    with open(tmp_path / "a.png", "rb", buffering) as file, pytest.raises(TypeError, match="for reading alone: open it with mode 'wb'$"):
        check_png(file)
    np.testing.assert_array_equal(decoded(tmp_path / "a.png"), PIXELS)


class Recorder:
    """A file object that takes at most so many bytes at a time and fails after some calls."""

    def __init__(self, n_bytes=None, fails_at=None, result=len):
        self.data, self.calls = b"", 0
        self.n_bytes, self.fails_at, self.result = n_bytes, fails_at, result

    def write(self, data):
        self.calls += 1
        if self.calls == self.fails_at:
            raise OSError(errno.ENOSPC, "full")
        data = bytes(data)[:self.n_bytes]
        self.data += data
        return self.result(data)


def test_file_objects_that_take_pieces():
    file = Recorder(n_bytes=20)
    write_png(file, PIXELS)
    assert file.calls > 2
    np.testing.assert_array_equal(decoded(file.data), PIXELS)


def test_file_objects_that_say_nothing():
    file = Recorder(result=lambda data: None)
    write_png(file, PIXELS)
    np.testing.assert_array_equal(decoded(file.data), PIXELS)


def test_file_objects_that_fail():
    with pytest.raises(OSError, match="full"):
        write_png(Recorder(n_bytes=20, fails_at=2), PIXELS)
    with pytest.raises(OSError, match="part"):
        write_png(Recorder(n_bytes=0), PIXELS)


@needs_posix
def test_pipe_that_would_block():
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with open(reader, "rb"), open(writer, "wb", buffering=0) as file, pytest.raises(BlockingIOError):
        write_png(file, np.random.default_rng(0).integers(0, 256, (500, 500, 4), dtype=np.uint8))


@needs_posix
def test_mode_of_a_new_file_follows_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        write_png(tmp_path / "a.png", PIXELS)
    finally:
        os.umask(old)
    assert stat.S_IMODE(os.stat(tmp_path / "a.png").st_mode) == 0o640


@needs_posix
@pytest.mark.parametrize("mode", [0o600, 0o666, 0o755])
def test_mode_of_an_existing_file_is_kept(tmp_path, mode):
    target = tmp_path / "a.png"
    target.write_bytes(b"old")
    target.chmod(mode)
    write_png(target, PIXELS)
    assert stat.S_IMODE(target.stat().st_mode) == mode
    np.testing.assert_array_equal(decoded(target), PIXELS)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_owner_of_an_existing_file_is_kept(tmp_path):
    target = tmp_path / "a.png"
    target.write_bytes(b"old")
    os.chown(target, 12345, 12346)
    target.chmod(0o640)
    write_png(target, PIXELS)
    new = target.stat()
    assert (new.st_uid, new.st_gid, stat.S_IMODE(new.st_mode)) == (12345, 12346, 0o640)


@needs_posix
@pytest.mark.parametrize("is_dangling", [True, False])
def test_symbolic_links_are_followed(tmp_path, is_dangling):
    (tmp_path / "real").mkdir()
    target, link, chain = tmp_path / "real" / "a.png", tmp_path / "link.png", tmp_path / "chain.png"
    link.symlink_to(os.path.join("real", "a.png"))
    chain.symlink_to("link.png")
    if not is_dangling:
        target.write_bytes(b"old")
    write_png(chain, PIXELS)
    assert link.is_symlink() and chain.is_symlink() and not target.is_symlink()
    np.testing.assert_array_equal(decoded(target), PIXELS)
    assert os.listdir(tmp_path / "real") == ["a.png"]


@needs_posix
def test_circle_of_links(tmp_path):
    (tmp_path / "a.png").symlink_to("b.png")
    (tmp_path / "b.png").symlink_to("a.png")
    with pytest.raises(OSError) as caught:
        write_png(tmp_path / "a.png", PIXELS)
    assert caught.value.errno == errno.ELOOP


@needs_posix
@pytest.mark.parametrize("name", ["n" * 251 + ".png", "\u00e9" * 125 + ".png"])
def test_longest_names(tmp_path, name):
    write_png(tmp_path / name, PIXELS)
    write_png(tmp_path / name, PIXELS[:1])
    assert os.listdir(tmp_path) == [name]
    np.testing.assert_array_equal(decoded(tmp_path / name), PIXELS[:1])


def check_fails(target, code):
    """An OSError with this code and the name as given; the folder is as it was."""
    folder = os.path.dirname(target)
    before = sorted(os.listdir(folder)) if os.path.isdir(folder) else None
    with pytest.raises(OSError) as caught:
        write_png(target, PIXELS)
    assert caught.value.errno in (code if isinstance(code, tuple) else (code,))
    assert caught.value.filename == target
    assert before is None or sorted(os.listdir(folder)) == before


@needs_posix
def test_places_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "folder.png").mkdir()
    check_fails(str(tmp_path / "missing" / "a.png"), errno.ENOENT)
    check_fails(str(tmp_path / "file" / "a.png"), errno.ENOTDIR)
    check_fails(str(tmp_path / "folder.png"), errno.EISDIR)
    check_fails(str(tmp_path / "folder.png") + "/", errno.EISDIR)
    check_fails(str(tmp_path / ("n" * 256 + ".png")), errno.ENAMETOOLONG)
    check_fails("", errno.ENOENT)


@pytest.mark.skipif(sys.platform != "linux", reason="/sys")
def test_folder_of_the_kernel():
    check_fails("/sys/a.png", (errno.EACCES, errno.EPERM, errno.EROFS))


@needs_posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_folder_and_file(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    target = folder / "a.png"
    target.write_bytes(b"old")
    target.chmod(0o444)
    check_fails(str(target), errno.EACCES)  # although a rename would be allowed
    target.chmod(0o644)
    folder.chmod(0o555)
    try:
        check_fails(str(target), errno.EACCES)
        check_fails(str(folder / "new.png"), errno.EACCES)
    finally:
        folder.chmod(0o755)
    assert target.read_bytes() == b"old"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="/dev/full")
def test_full_device_is_neither_written_nor_replaced(tmp_path):
    (tmp_path / "link.png").symlink_to("/dev/full")
    for name in ("/dev/full", str(tmp_path / "link.png")):
        check_fails(name, errno.ENOSPC)
        assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@needs_posix
def test_full_disk_leaves_the_old_file(tmp_path):
    resource = pytest.importorskip("resource")
    target = tmp_path / "a.png"
    target.write_bytes(b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    noise = np.random.default_rng(0).integers(0, 256, (200, 200, 4), dtype=np.uint8)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(OSError) as caught:
            write_png(str(target), noise)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (caught.value.errno, caught.value.filename) == (errno.EFBIG, str(target))
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.png"]
    write_png(target, noise)
    np.testing.assert_array_equal(decoded(target), noise)


@needs_posix
def test_named_pipe_is_written_into(tmp_path):
    pipe = tmp_path / "pipe.png"
    os.mkfifo(pipe)
    received = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_png(pipe, PIXELS)
    reader.join(600)
    np.testing.assert_array_equal(decoded(received[0]), PIXELS)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="/proc")
@pytest.mark.parametrize("is_linked", [True, False])
def test_open_descriptor_is_written_into_not_replaced(tmp_path, is_linked):
    target = tmp_path / "redirected"
    with open(target, "w+b") as file:
        name = f"/dev/fd/{file.fileno()}"
        if is_linked:
            os.symlink(name, tmp_path / "link.png")
            name = tmp_path / "link.png"
        inode = target.stat().st_ino
        write_png(name, PIXELS)
        np.testing.assert_array_equal(decoded(file.read()), PIXELS)
    assert target.stat().st_ino == inode


@pytest.mark.parametrize("step", ["_encode", "fsync", "replace", "fchmod"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(errno.EIO, "broken"), MemoryError])
def test_interrupted_at_any_step(tmp_path, monkeypatch, step, error):
    target = tmp_path / "a.png"
    target.write_bytes(b"old")

    def fail(*args):
        raise error

    monkeypatch.setattr(png if step == "_encode" else os, step, fail)
    with pytest.raises(error if isinstance(error, type) else OSError):
        write_png(target, PIXELS)
    monkeypatch.undo()
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.png"]
    write_png(target, PIXELS)
    np.testing.assert_array_equal(decoded(target), PIXELS)


@needs_posix
def test_no_descriptor_is_left_open(tmp_path):
    if not os.path.exists("/proc/self/fd"):
        pytest.skip("/proc")
    write_png(tmp_path / "a.png", PIXELS)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        write_png(tmp_path / "a.png", PIXELS)
        with pytest.raises(OSError):
            write_png(tmp_path / "missing" / "a.png", PIXELS)
    assert len(os.listdir("/proc/self/fd")) == before


@native_only
def test_several_threads_at_once(tmp_path):
    pictures = [colors(n, (700, 800), seed=n) for n in (200, 300, 5, 1000)]
    results = {}
    threads = [threading.Thread(target=lambda k=k, p=p: results.update({k: encoded(p)})) for k, p in enumerate(pictures)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, picture in enumerate(pictures):
        np.testing.assert_array_equal(decoded(results[k]), picture)
