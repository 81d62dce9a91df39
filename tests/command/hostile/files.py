"""Makes the inputs of the hostile trial: small files, valid and invalid ones."""

import os
import random
import struct
import zlib

from support import HAS_IMAGES, npy, png, ramp, read, sample, write, y4m

HEAD = ".version 8.0\n.target sm_75\n.address_size 64\n"


def entry(body, parameters=""):
    return f"{HEAD}.visible .entry k({parameters}) {{ {body} }}\n"


# PTX texts by name. The command refuses each, and the message names the file.
WRONG_PTX = {
    "empty": "",
    "text": "hello",
    "binary": "\0\1\2",
    "half": HEAD + ".visible .entry k() { ret }",
    "unknown": entry("bogus.u32 %r1; ret;"),
    "undeclared": entry(".reg .u32 %r<2>; add.u32 %r1, %r9, 1; ret;"),
    "label": entry("bra L; ret;"),
    "kernels": HEAD,
    "wmma": entry(".reg .b32 %r<2>; wmma.load.a.sync.aligned.m16n16k16.row.f16 {%r1}, [%r1]; ret;"),
    "twice": entry("ret;") + ".visible .entry k() { ret; }",
    "parameters": HEAD + ".visible .entry k( { ret; }",
    "call": entry("call f; ret;"),
    "shared": entry(".shared .b8 x[99999999999]; ret;"),
    "open": HEAD + ".visible .entry k() { ret; ",
    "comment": HEAD + "/* ",
    "variable": entry(".reg .u32 %r; mov.u32 %r, nosuch; ret;"),
    "register": entry(".reg .u32 %r<-1>; ret;"),
    "registers": entry(".reg .u32 %r<99999999999999999999>; ret;"),
    "type": entry(".reg .u77 %r; ret;"),
    "number": entry(".reg .u32 %r; mov.u32 %r, 99999999999999999999999; ret;"),
    "address": entry(".reg .u32 %r; ld.global.u32 %r, [%r+; ret;"),
    "version": ".version x\n",
    "target": ".version 8.0\n.target quantum\n",
    "depth": entry("{" * 5000),
    "escape": entry("\x1b[31m.u32 %r1; ret;"),
    "nul": HEAD + "\0" * 100,
    "latin": HEAD + "\xe9\xff",
    "huge_array": HEAD + ".global .u32 x[99999999999999];\n.visible .entry k() "
                  "{ .reg .u64 %a; mov.u64 %a, x; ret; }",
}


def bmp(width, height, bits=24, size=None):
    rows = bytes((width * bits // 8 + 3) // 4 * 4 * height)
    header = struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, 0, len(rows), 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", size or 54 + len(rows), 0, 0, 54) + header + rows


def tiff(width, height, tags=()):
    entries = {256: width, 257: height, 258: 8, 259: 1, 262: 1, 273: 8, 277: 1, 278: height,
               279: width * height, **dict(tags)}
    pixels = ramp(width * height)
    directory = b"".join(struct.pack("<HHII", tag, 4, 1, value)
                         for tag, value in sorted(entries.items()))
    return (b"II*\0" + struct.pack("<I", 8 + len(pixels)) + pixels
            + struct.pack("<H", len(entries)) + directory + bytes(4))


def png_of(width, height):
    """Returns a PNG that claims a size and has one row of one pixel."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b""))


GIF = bytes.fromhex("47494638396101000100800000000000ffffff21f904010000000"
                    "02c00000000010001000002014400" "3b")


def garbled(content, seed):
    """Returns the content with some bytes replaced, but not the first ones."""
    numbers = random.Random(seed)
    result = bytearray(content)
    for _ in range(numbers.choice([1, 3, 10, 40])):
        result[numbers.randrange(4, len(result))] = numbers.randrange(256)
    return bytes(result)


def make_npy_files():
    pixels = npy("|u1", (8, 8), ramp(64))
    write("a.npy", pixels)
    write("small.npy", npy("|u1", (4, 4), ramp(16)))
    write("wide.npy", npy("|u1", (8, 9), ramp(72)))
    write("deep.npy", npy("<u2", (8, 8), ramp(128)))
    write("signed.npy", npy("<i2", (8, 8), ramp(128)))
    write("real.npy", npy("<f4", (8, 8), bytes(256)))
    write("double.npy", npy("<f8", (8, 8), bytes(512)))
    write("half.npy", npy("<f2", (8, 8), bytes(128)))
    write("rgb.npy", npy("|u1", (8, 8, 3), ramp(192)))
    write("two.npy", npy("|u1", (8, 8, 2), ramp(128)))
    write("five.npy", npy("|u1", (8, 8, 5), ramp(320)))
    write("vector.npy", npy("<f4", (8,), bytes(32)))
    write("vector9.npy", npy("<f4", (9,), bytes(36)))
    write("scalar.npy", npy("<f4", (), bytes(4)))
    write("cube.npy", npy("|u1", (2, 2, 2, 2), bytes(16)))
    write("zero.npy", npy("|u1", (0, 8), b""))
    write("bool.npy", npy("|b1", (8, 8), bytes(64)))
    write("complex.npy", npy("<c8", (2, 2), bytes(32)))
    write("object.npy", npy("|O", (2, 2), bytes(32)))
    write("text.npy", npy("<U5", (2, 2), bytes(80)))
    write("fortran.npy", pixels.replace(b"False", b"True "))
    write("negative.npy", npy("|u1", (-8, 8), ramp(64)))
    write("overflow.npy", npy("|u1", (2**40, 2**40), ramp(64)))
    write("beyond.npy", npy("|u1", (2**63, 2), ramp(64)))
    write("claims.npy", npy("|u1", (2**20, 2**20), ramp(64)))
    write("longer.npy", pixels + b"more")
    write("magic.npy", b"\x93NUMPY")
    write("version9.npy", b"\x93NUMPY\x09" + pixels[7:])
    write("header.npy", b"\x93NUMPY\x02\0\xff\xff\xff\xff{}")
    write("nothing.npy", b"\x93NUMPY\x01\0\x02\0{}")
    write("shape.npy", pixels.replace(b"(8, 8)", b"(8; 8)"))
    write("shapeless.npy", pixels.replace(b"'shape'", b"'shade'"))
    write("words.npy", b"hello, I am a text\n")
    for length in [1, 5, 6, 7, 9, 10, 11, 20, 100, 127, 128, 191]:
        write(f"cut{length}.npy", pixels[:length])
    for seed in range(20):
        write(f"garbled{seed}.npy", garbled(pixels, seed))


def make_image_files():
    images = {"png": png(8, 8, 8, 0, ramp(64)), "bmp": bmp(8, 8), "tif": tiff(8, 8),
              "pgm": b"P5 8 8 255\n" + ramp(64), "ppm": b"P6 8 8 255\n" + ramp(192),
              "jpg": read(sample("building.jpg"))}
    for kind, content in images.items():
        write(f"good.{kind}", content)
        for part in [2, 3, 10]:
            write(f"cut{part}.{kind}", content[:len(content) // part])
        for seed in range(5):
            write(f"garbled{seed}.{kind}", garbled(content, seed))
    write("text.png", b"hello, I am a text\n")
    write("zeros.jpg", bytes(1000))
    write("a.gif", GIF)
    write("cut.gif", GIF[:20])
    write("film.mp4", b"\0\0\0\x18ftypmp42" + bytes(100))
    write("photo.heic", b"\0\0\0\x18ftypheic" + bytes(100))
    write("huge.png", png_of(2**31 - 1, 2**31 - 1))
    write("large.png", png_of(60000, 60000))
    write("none.png", png_of(0, 0))
    write("huge.bmp", bmp(8, 8).replace(struct.pack("<ii", 8, 8), struct.pack("<ii", 2**30, 2**30)))
    write("minus.bmp", bmp(8, 8).replace(struct.pack("<ii", 8, 8), struct.pack("<ii", -8, -8)))
    write("huge.pgm", b"P5 99999999 99999999 255\n")
    write("minus.pgm", b"P5 -8 8 255\n")
    write("huge.tif", tiff(8, 8, [(256, 2**31 - 1), (257, 2**31 - 1)]))
    write("loop.tif", b"II*\0\x08\0\0\0\0\0\x08\0\0\0")
    # A JPEG file that claims to have four components (CMYK), but has three.
    cmyk = bytearray(images["jpg"])
    at = cmyk.index(b"\xff\xc0")
    cmyk[at + 9] = 4
    write("cmyk.jpg", bytes(cmyk))
    write("noise.raw", random.Random(1).randbytes(9000000))


# Y4M files by name. The command refuses each, and the message names the file.
WRONG_Y4M = {
    "word": b"YUV4MPEG2",
    "line": b"YUV4MPEG2 W8 H8 C420",
    "no_size": b"YUV4MPEG2 C420\nFRAME\n" + bytes(96),
    "no_frame": y4m(8, 8, "420"),
    "minus": y4m(-8, 8, "420", bytes(96)),
    "none": y4m(0, 8, "420", bytes(96)),
    "escape": y4m("\x1b[31m", 8, "420", bytes(96)),
    "deep": y4m(8, 8, "420p17", bytes(192)),
    "deep_sparse": y4m(99999, 99999, "444p16", bytes(96)),
    "deep_overflow": y4m(2**40, 2**40, "mono10", bytes(96)),
    "alpha": y4m(8, 8, "444alpha", bytes(256)),
    "colours": y4m(8, 8, "\x1b[31m", bytes(96)),
    "interlaced": y4m(8, 8, "420", bytes(96)).replace(b"Ip", b"Im"),
    "overflow": y4m(2**40, 2**40, "420", bytes(96)),
    "beyond": y4m(2**70, 8, "420", bytes(96)),
    "claims": y4m(2**30, 2**20, "444", bytes(96)),
    "sparse": y4m(99999, 99999, "420", bytes(96)),
    "long": b"YUV4MPEG2 W8 H8 X" + b"x" * 100000 + b"\n",
    "long_frame": y4m(8, 8, "mono") + b"FRAME " + b"x" * 100000,
    "second": y4m(8, 8, "mono", bytes(64), bytes(63)),
    "third": y4m(8, 8, "mono", bytes(64), bytes(65), bytes(64)),
}


def make_y4m_files():
    video = y4m(7, 5, "420jpeg", ramp(59), ramp(59, 3))
    write("video.y4m", video)
    write("one.y4m", y4m(7, 5, "420jpeg", ramp(59)))
    for name, content in WRONG_Y4M.items():
        write(f"{name}.y4m", content)
    os.truncate("sparse.y4m", 1 << 40)
    for seed in range(20):
        write(f"garbled{seed}.y4m", garbled(video, seed))


def make_kernels():
    for name, text in WRONG_PTX.items():
        write(f"{name}.ptx", text.encode("latin-1"))
    write("good.ptx", entry("ret;").encode())
    write("buffer.ptx", entry("ret;", ".param .u64 a").encode())
    write("spin.ptx", entry("L: bra L;").encode())
    write("store.ptx", entry(".reg .u64 %a; mov.u64 %a, 0; st.global.u32 [%a], 1; ret;").encode())
    write("device.ptx", entry('.loc 1 1 0; ret;').replace(
        ".visible", '.file 1 "/dev/zero"\n.visible', 1).encode())
    kernel = "__global__ void k(int* p) { p[0] = 1; }\n"
    write("zero.cu", f'#include "/dev/zero"\n{kernel}'.encode())
    write("spaces.cu", f'\n  #  include </dev/zero>\n{kernel}'.encode())
    write("tty.cu", f'#include "device.h"\n{kernel}'.encode())
    write("device.h", b'#include "/dev/random"\n')
    write("fifo.cu", f'#include "pipe"\n{kernel}'.encode())
    os.mkfifo("pipe")
    write("empty.cu", b"")
    write("wrong.cu", b"__global__ void k() { this is no C++ }\n")


def make_files():
    """Makes the files in the current folder."""
    make_npy_files()
    make_y4m_files()
    make_kernels()
    if HAS_IMAGES:
        make_image_files()
    write("frames.raw", bytes(128))
    write("odd.raw", bytes(63))
    write("empty", b"")
    for name in ["empty.png", "empty.npy", "empty.raw"]:
        write(name, b"")
    for name in ["sparse.npy", "sparse.png", "sparse.ptx", "sparse.cu"]:
        with open(name, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n" if name.endswith("png") else b"")
            file.truncate(1 << 40)
    os.mkdir("folder")
    os.mkdir("folder.png")
    os.mkdir("folder.cu")
    os.mkdir("nothing")
    write("folder/a.npy", read("a.npy"))
    write("folder/b.txt", b"no picture")
