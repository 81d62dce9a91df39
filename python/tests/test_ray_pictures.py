"""Tests which pictures warpwise.ray takes, and how it turns them."""

import io
import struct
import zlib

import numpy
import pytest

from warpwise.ray import _files, _process

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")


def deep_png(kind, channels):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 16, kind, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(bytes(1 + 2 * channels))) + chunk(b"IEND", b""))


def tiff(bits, planes=1):
    """Makes an RGB picture of one pixel, with the channels in one plane or in three."""
    from PIL.TiffImagePlugin import ImageFileDirectory_v2
    size = bits * 3 // 8
    tags = ImageFileDirectory_v2()
    tags[256], tags[257], tags[258], tags[259], tags[262], tags[277], tags[278] = 1, 1, (bits,) * 3, 1, 2, 3, 1
    tags[273], tags[279] = tuple(range(0, size, size // planes)), (size // planes,) * planes  # behind the tags
    tags[284] = 1 if planes == 1 else 2
    return b"II*\0\x08\0\0\0" + tags.tobytes(8) + bytes(size)


def sgi(bytes_a_channel):
    file = io.BytesIO()
    Image.new("RGB", (1, 1)).save(file, "SGI", bpc=bytes_a_channel)
    return file.getvalue()


BMP_OF_16_BITS = b"BM" + struct.pack("<IIIIiiHHIIiiII", 58, 0, 54, 40, 1, 1, 1, 16, 0, 4, 0, 0, 0, 0) + bytes(4)


@pytest.mark.parametrize("data", [
    deep_png(2, 3), deep_png(6, 4), deep_png(4, 2), tiff(16), tiff(16, planes=3), sgi(2), b"P6 1 1 65535\n" + bytes(6),
    b"P3 1 1 256 0 0 0 "], ids=["RGB", "RGBA", "LA", "TIFF", "TIFF-planes", "SGI", "PPM", "PPM-text"])
def test_pictures_of_more_than_8_bits_are_refused(data):
    with pytest.raises(_files.BadInput, match="with more than 8 bits a channel; taken are 8-bit grey, RGB and RGBA"):
        _files.decode(data)


@pytest.mark.parametrize("data", [
    tiff(8), tiff(8, planes=3), sgi(1), b"P6 1 1 255\n" + bytes(3), b"P3 1 1 100 0 0 0 ", b"P1 1 1 0 ", b"P5 1 1 9\n\0",
    BMP_OF_16_BITS], ids=["TIFF", "TIFF-planes", "SGI", "PPM", "PPM-text", "PBM-text", "PGM", "BMP"])
def test_pictures_of_at_most_8_bits_are_taken(data):
    assert _files.decode(data).pixels.shape[:2] == (1, 1)


def test_files_that_are_looked_for_in_folders(tmp_path):
    (tmp_path / "in").mkdir()
    for name in ("a.png", "b.mpeg", "c.mpo", "d.pdf", "e.eps", "f.h5", "g.ps", "h.wmf"):
        (tmp_path / "in" / name).touch()
    paths, _ = _process.inputs_of([str(tmp_path / "in"), str(tmp_path / "in" / "d.pdf")], str(tmp_path / "out"))
    assert [path[-5:] for path in paths] == ["a.png", ".mpeg", "c.mpo", "d.pdf"]


def test_the_version_has_the_libraries_that_pillow_decodes_with():
    from PIL import features
    for name in ("libjpeg_turbo", "zlib", "libtiff", "webp", "jpg_2000", "avif"):
        assert f", {name} {features.version(name)}" in _files.version()


def test_formats_that_pillow_does_not_read():
    """Pillow opens no file in these formats, apart from MPO, which it opens as JPEG; it only knows stubs and MPEG by name."""
    from PIL import ImageFile
    Image.init()
    for format in set(Image.registered_extensions().values()):
        opened = Image.OPEN.get(format, [None])[0]
        is_stub = isinstance(opened, type) and issubclass(opened, ImageFile.StubImageFile)
        unread = (opened is None or is_stub or format in ("EPS", "MPEG")) and format != "MPO"
        assert unread == (format in _process.NO_PICTURES), format


@pytest.mark.parametrize("format", ["JPEG", "MPO", "TIFF"])
def test_pictures_are_turned_upright(format):
    turned = Image.Exif()
    turned[274] = 6  # Orientation: a quarter turn to the right
    more = {"save_all": True, "append_images": [Image.new("RGB", (16, 8))]} if format == "MPO" else {}
    files = []
    for exif in (Image.Exif(), turned):
        files.append(io.BytesIO())
        Image.fromarray(numpy.arange(8 * 16 * 3, dtype=numpy.uint16).astype(numpy.uint8).reshape(8, 16, 3)).save(files[-1], format, exif=exif, **more)
    stored, upright = (_files.decode(file.getvalue()).pixels for file in files)
    assert Image.open(files[1]).format == format and numpy.array_equal(upright, numpy.rot90(stored, -1))
