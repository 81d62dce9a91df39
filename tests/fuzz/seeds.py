"""Writes the fuzz targets' first inputs: seeds.py FOLDER makes FOLDER/{npy,complete,arguments,search}."""

import pathlib
import struct
import sys
import zlib


def npy(descr, shape, elements, version=1, order="False"):
    text = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + bytes(elements)


def npy_seeds():
    for name, size in [("|u1", 1), ("<u2", 2), (">i2", 2), ("<u4", 4), (">f4", 4), ("<f2", 2)]:
        yield npy(name, "(2, 3)", range(6 * size))
    yield npy("|u1", "(2, 1, 3)", range(6), version=2)
    yield npy("|u1", "(1, 2, 4)", range(8), version=3)
    yield npy("|u1", "(1, 2)", range(2), order="True")
    yield npy("|u1", "(4294967296, 4294967296)", b"")
    yield npy("<f8", "(1,)", range(8))


def complete_seeds():
    def chunk(kind, content=b""):
        check = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"\0\0"))
    png = b"\x89PNG\r\n\x1a\n" + header + pixels + chunk(b"IEND")
    jpeg = (b"\xff\xd8\xff\xe0\x00\x04ab" b"\xff\xff\xda\x00\x03c" b"\x12\xff\x00\x34\xff\xd0\x56"
            b"\xff\xd9")
    for whole in (png, jpeg):
        yield whole
        yield whole[:-1]
        yield whole[: len(whole) // 2]


def arguments_seeds():
    # The first byte picks the parser.
    for text in ["0", "-9223372036854775808", "9223372036854775808", "12x"]:
        yield b"\0" + text.encode()
        yield b"\1" + text.encode()
    for text in ["7", "-4.5", "1e308", "1e999", "inf", "nan", "0x1p3"]:
        yield b"\2" + text.encode()
    for text in ["640x480", "1x1", "0x4", "9223372036854775807x9223372036854775807", "4x", "x"]:
        yield b"\3" + text.encode()
    for text in ["gray8", "rgb24", "bgra32", "yuyv", "nv12", "i420", "ycbcr32", "i444", "rgb"]:
        yield b"\4" + text.encode()
    for text in ["auto", "cpu", "cuda", "CPU"]:
        yield b"\5" + text.encode()


def search_seeds():
    # The first byte picks the parser.
    for text in ["-8:7", "0:0", "-32767:32767", "5:-5", "32768:40000", "-8", "-8:", ":7", "1:2:3"]:
        yield b"\0" + text.encode()
    for text in ["120,80,64,48", "0,0,1,1", "-1,0,1,1", "0,0,0,1", "1,2,3", "1,2,3,4,5", "1,,2,3",
                 "2147483647,2147483647,2147483647,2147483647", "9223372036854775808,0,1,1"]:
        yield b"\1" + text.encode()
    for text in ["640x480", "1x1", "0x4", "4x", "x", "3x4x5"]:
        yield b"\2" + text.encode()


for target, seeds in [("npy", npy_seeds), ("complete", complete_seeds),
                      ("arguments", arguments_seeds), ("search", search_seeds)]:
    folder = pathlib.Path(sys.argv[1]) / target
    folder.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(seeds()):
        (folder / f"seed-{number:02}").write_bytes(content)
