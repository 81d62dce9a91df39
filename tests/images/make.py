#!/usr/bin/env python3
"""Makes the image files of this folder again, into FOLDER: make.py FOLDER.

Needs cjpeg and a C compiler with libjpeg (Debian: libjpeg-turbo-progs, libjpeg-dev), tiffcp (libtiff-tools), cwebp and
webpmux (webp). The build does not run this script, because other versions of these tools may make other files, to which
expected.txt then does not apply.
"""

import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

WIDTH, HEIGHT = 13, 11  # no multiples of the pixels in a byte, of interlacing blocks or of tiles


def sample(x, y, channel):
    """Returns 16 bits: a slope with a wave and edges, which differ between the channels."""
    value = 4000 * x + 2300 * y * (channel + 1) + (x * y * 977) % (300 + 100 * channel)
    return (value + (30000 if (x + channel) % 5 == 0 else 0)) % 65536


def samples(channels, bits, width=WIDTH, height=HEIGHT):
    """Returns rows of samples. Alpha, the last of 2 or 4 channels, also has its least and its greatest value."""
    def value(x, y, c):
        if channels in (2, 4) and c == channels - 1 and (x + y) % 4 < 2:
            return (1 << bits) - 1 if (x + y) % 4 else 0
        return sample(x, y, c) >> (16 - bits)
    return [[value(x, y, c) for x in range(width) for c in range(channels)] for y in range(height)]


def packed(row, bits):
    """Returns a row as bytes of packed bits, the highest bit first, filled up with zeros."""
    number = 0
    for value in row:
        number = number << bits | value
    missing = -len(row) * bits % 8
    return (number << missing).to_bytes((len(row) * bits + missing) // 8, "big")


# PNG

def chunk(kind, content=b"", damage=0):
    check = zlib.crc32(kind + content) ^ damage
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)


def png(colour, bits, before=b"", after=b"", interlaced=False, width=WIDTH, height=HEIGHT, most=None):
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    rows = samples(channels, bits, width, height)
    if most:  # samples are indices of a palette
        rows = [[value % most for value in row] for row in rows]
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
              (0, 1, 1, 2)] if interlaced else [(0, 0, 1, 1)]
    lines = b""
    for x0, y0, dx, dy in passes:
        for row in rows[y0::dy]:
            pixels = [row[i * channels:(i + 1) * channels] for i in range(x0, width, dx)]
            if pixels:
                lines += b"\0" + packed([value for pixel in pixels for value in pixel], bits)
    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, int(interlaced))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + before
            + chunk(b"IDAT", zlib.compress(lines, 9)) + after + chunk(b"IEND"))


def palette(entries):
    return chunk(b"PLTE", bytes((i * step + 7) % 256 for i in range(entries) for step in (37, 91, 53)))


EXIF_TURN = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"


def png_files():
    for bits in (1, 2, 4, 8, 16):
        yield f"grey{bits}", png(0, bits)
        yield f"grey{bits}-interlaced", png(0, bits, interlaced=True)
        first = struct.pack(">H", samples(1, bits)[3][9])
        yield f"grey{bits}-transparent", png(0, bits, chunk(b"tRNS", first))
    for bits in (8, 16):
        yield f"rgb{bits}", png(2, bits)
        yield f"rgb{bits}-interlaced", png(2, bits, interlaced=True)
        first = struct.pack(">3H", *samples(3, bits)[3][9:12])
        yield f"rgb{bits}-transparent", png(2, bits, chunk(b"tRNS", first))
        yield f"grey-alpha{bits}", png(4, bits)
        yield f"grey-alpha{bits}-interlaced", png(4, bits, interlaced=True)
        yield f"rgba{bits}", png(6, bits)
        yield f"rgba{bits}-interlaced", png(6, bits, interlaced=True)
    for bits in (1, 2, 4, 8):
        entries = min(1 << bits, 200)
        alpha = chunk(b"tRNS", bytes(i * 29 % 256 for i in range((entries + 1) // 2)))
        yield f"palette{bits}", png(3, bits, palette(entries), most=entries)
        yield f"palette{bits}-interlaced", png(3, bits, palette(entries), interlaced=True, most=entries)
        yield f"palette{bits}-transparent", png(3, bits, palette(entries) + alpha, most=entries)
    for name, value in [("small", 45455), ("one", 100000), ("large", 220000)]:
        gamma = chunk(b"gAMA", struct.pack(">I", value))
        yield f"rgb8-gamma-{name}", png(2, 8, gamma)
        yield f"grey16-gamma-{name}", png(0, 16, gamma)
        yield f"palette4-gamma-{name}", png(3, 4, gamma + palette(16))
    yield "grey8-chunks", png(0, 8, chunk(b"sBIT", b"\5") + chunk(b"sRGB", b"\0")
                              + chunk(b"bKGD", b"\0\x40") + chunk(b"tEXt", b"Title\0x"))
    yield "rgba8-background", png(6, 8, chunk(b"bKGD", struct.pack(">3H", 1, 2, 3)))
    yield "rgb8-exif-turn", png(2, 8, chunk(b"eXIf", EXIF_TURN))
    yield "rgb8-exif-behind", png(2, 8, after=chunk(b"eXIf", EXIF_TURN))
    yield "grey8-one-pixel", png(0, 8, width=1, height=1)
    yield "rgb16-interlaced-one-column", png(2, 16, interlaced=True, width=1)
    yield "rgb8-text-with-wrong-check", png(2, 8, chunk(b"tEXt", b"Title\0x", damage=1))
    good = png(2, 8)
    at = good.index(b"IDAT")
    yield "bad-check", good[:at + 20] + bytes([good[at + 20] ^ 1]) + good[at + 21:]
    yield "bad-few-rows", png(0, 8).replace(struct.pack(">II", WIDTH, HEIGHT),
                                            struct.pack(">II", WIDTH, 2 * HEIGHT)).replace(
        struct.pack(">I", zlib.crc32(b"IHDR" + struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 0, 0, 0, 0))),
        struct.pack(">I", zlib.crc32(b"IHDR" + struct.pack(">IIBBBBB", WIDTH, 2 * HEIGHT, 8, 0, 0, 0, 0))))
    yield "bad-no-palette", png(3, 8)
    for name, width, height in [("bomb", 32768, 32768), ("bomb-wide", 1 << 30, 1)]:
        header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        yield f"bad-{name}", (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
                              + chunk(b"IDAT", zlib.compress(bytes(99))) + chunk(b"IEND"))


# JPEG

CMYK_ENCODER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <jpeglib.h>
int main(int count, char** words) {  // WIDTH HEIGHT ycck|cmyk <samples >file
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors;
  unsigned char row[4096], *rows[] = {row};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  jpeg_stdio_dest(&info, stdout);
  info.image_width = atoi(words[1]);
  info.image_height = atoi(words[2]);
  info.input_components = 4;
  info.in_color_space = JCS_CMYK;
  jpeg_set_defaults(&info);
  if (words[3][0] == 'y') jpeg_set_colorspace(&info, JCS_YCCK);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    if (fread(row, 4, info.image_width, stdin) != info.image_width) return 1;
    jpeg_write_scanlines(&info, rows, 1);
  }
  jpeg_finish_compress(&info);
  return count != 4;
}
"""


def run(*words, stdin=b""):
    return subprocess.run(words, input=stdin, stdout=subprocess.PIPE, check=True).stdout


def cjpeg(*options, channels=3, width=37, height=29):
    rows = b"".join(bytes(row) for row in samples(channels, 8, width, height))
    kind = 6 if channels == 3 else 5
    return run("cjpeg", "-quality", "80", *options, stdin=b"P%d %d %d 255\n" % (kind, width, height) + rows)


def with_segment(jpeg, kind, content):
    return jpeg[:2] + struct.pack(">BBH", 255, kind, len(content) + 2) + content + jpeg[2:]


def exif(orientation, order="MM", tag=0x0112):
    end = ">" if order == "MM" else "<"
    return (b"Exif\0\0" + order.encode() + struct.pack(end + "HIH", 42, 8, 2)
            + struct.pack(end + "HHIHH", 0x0100, 3, 1, 5, 0)
            + struct.pack(end + "HHIHH", tag, 3, 1, orientation, 0) + bytes(4))


def jpeg_files(scratch):
    for sampling in ("1x1", "2x1", "1x2", "2x2", "4x1", "1x4", "4x2"):
        yield f"sampling-{sampling}", cjpeg("-sample", sampling)
        yield f"sampling-{sampling}-progressive", cjpeg("-sample", sampling, "-progressive")
    yield "sampling-mixed", cjpeg("-sample", "2x2,1x2,2x1")
    yield "grey", cjpeg(channels=1)
    yield "grey-progressive", cjpeg("-progressive", channels=1)
    yield "grey-of-colour", cjpeg("-grayscale")
    yield "rgb", cjpeg("-rgb")
    yield "restart-block", cjpeg("-restart", "1B")
    yield "restart-row", cjpeg("-restart", "1", "-progressive")
    yield "optimised", cjpeg("-optimize")
    yield "arithmetic", cjpeg("-arithmetic")
    yield "poor", cjpeg("-quality", "5")
    yield "float-dct", cjpeg("-dct", "float")
    for width, height in [(1, 1), (1, 17), (16, 1), (8, 8), (9, 7)]:
        yield f"size-{width}x{height}", cjpeg("-sample", "2x2", width=width, height=height)
    (scratch / "cmyk.c").write_text(CMYK_ENCODER)
    run("cc", "-o", str(scratch / "cmyk"), str(scratch / "cmyk.c"), "-ljpeg")
    pixels = b"".join(bytes(row) for row in samples(4, 8, 37, 29))
    for kind in ("cmyk", "ycck"):
        yield kind, run(str(scratch / "cmyk"), "37", "29", kind, stdin=pixels)
    colour, grey = cjpeg("-sample", "2x2", width=19, height=10), cjpeg(channels=1, width=19, height=10)
    for orientation in range(9):
        yield f"exif-{orientation}", with_segment(colour, 0xe1, exif(orientation))
        yield f"exif-{orientation}-grey", with_segment(grey, 0xe1, exif(orientation, "II"))
    turned = with_segment(colour, 0xe1, exif(6))
    yield "exif-behind-xmp", with_segment(turned, 0xe1, b"http://ns.adobe.com/xap/1.0/\0<x/>")
    yield "exif-other-tag", with_segment(colour, 0xe1, exif(6, tag=0x0113))
    yield "exif-cut", with_segment(colour, 0xe1, exif(6)[:20])
    yield "exif-no-order", with_segment(colour, 0xe1, exif(6).replace(b"MM", b"XX"))
    yield "bytes-between", colour.replace(b"\xff\xc4", b"\0\0\0\xff\xc4", 1)
    middle = len(colour) - 40
    yield "bad-early-end", colour[:middle] + b"\xff\xd9"
    yield "bad-cut", colour[:middle]
    progressive = cjpeg("-progressive", width=19, height=10)
    yield "bad-early-end-progressive", progressive[:len(progressive) * 2 // 3] + b"\xff\xd9"
    frame = colour.index(b"\xff\xc0")
    yield "bad-bomb", colour[:frame + 5] + b"\x07\xd0\x07\xd0" + colour[frame + 9:]
    yield "bad-no-tables", colour.replace(b"\xff\xdb", b"\xff\xee")
    yield "bad-12-bits", colour[:frame + 4] + b"\x0c" + colour[frame + 5:]


# TIFF

def tiff(rows, bits, photometric, samples_per_pixel=1, tags=(), order="II", rows_per_strip=4, pages=1,
         planes=False, cut=0):
    """Makes an uncompressed TIFF in strips; directories precede the pixels. `tags`: (number, type, values)."""
    end = "<" if order == "II" else ">"
    letters = {1: "B", 3: "H", 4: "I"}
    height, width = len(rows), len(rows[0]) // samples_per_pixel
    strips = []
    parts = [[row[i::samples_per_pixel] for row in rows] for i in range(samples_per_pixel)] if planes else [rows]
    for part, y in [(part, y) for part in parts for y in range(0, height, rows_per_strip)]:
        strip = b""
        for row in part[y:y + rows_per_strip]:
            if bits == "f":
                strip += struct.pack(f"{end}{len(row)}f", *row)
            elif bits == "d":
                strip += struct.pack(f"{end}{len(row)}d", *row)
            elif bits in (16, 32):
                strip += struct.pack(f"{end}{len(row)}{'H' if bits == 16 else 'I'}", *row)
            else:
                strip += packed(row, bits)
        strips.append(strip)
    depth = {"f": 32, "d": 64}.get(bits, bits)
    content = order.encode() + struct.pack(end + "HI", 42, 8)
    for page in range(pages):
        entries = [(256, 4, [width]), (257, 4, [height]), (258, 3, [depth] * samples_per_pixel),
                   (284, 3, [2 if planes else 1]), (259, 3, [1]), (262, 3, [photometric]), (273, 4, [0] * len(strips)),
                   (277, 3, [samples_per_pixel]), (278, 4, [rows_per_strip]),
                   (279, 4, [len(strip) for strip in strips])]
        entries = sorted({entry[0]: entry for entry in [*entries, *tags]}.values())
        start = len(content) + 2 + 12 * len(entries) + 4
        beside, places = b"", {}
        for number, kind, values in entries:
            if struct.calcsize(f"{len(values)}{letters[kind]}") > 4:
                places[number] = start + len(beside)
                beside += struct.pack(f"{end}{len(values)}{letters[kind]}", *values)
        offset, offsets = start + len(beside), []
        for strip in strips:
            offsets.append(offset)
            offset += len(strip)
        directory = struct.pack(end + "H", len(entries))
        for number, kind, values in entries:
            values = offsets if number == 273 else values
            field = struct.pack(f"{end}{len(values)}{letters[kind]}", *values)
            if number in places:
                beside = (beside[:places[number] - start] + field + beside[places[number] - start + len(field):])
                field = struct.pack(end + "I", places[number])
            directory += struct.pack(end + "HHI", number, kind, len(values)) + field.ljust(4, b"\0")
        content += directory + struct.pack(end + "I", 0 if page == pages - 1 else offset) + beside
        content += b"".join(strips)
        strips = [bytes(255 - byte for byte in strip) for strip in strips]  # the next page has inverted pixels
    return content[:len(content) - cut]


EXTRA, FORMAT, ORIENTATION, COLOURS = 338, 339, 274, 320


def tiffcp(scratch, content, *options):
    (scratch / "in.tif").write_bytes(content)
    run("tiffcp", *options, str(scratch / "in.tif"), str(scratch / "out.tif"))
    return (scratch / "out.tif").read_bytes()


def floats(channels):
    return [[value / 512 - 20 for value in row] for row in samples(channels, 16)]


def tiff_files(scratch):
    grey1, grey8, grey16 = samples(1, 1), samples(1, 8), samples(1, 16)
    rgb8, rgb16, rgba8, rgba16 = samples(3, 8), samples(3, 16), samples(4, 8), samples(4, 16)
    colours = (COLOURS, 3, [sample(i, i // 3, c) for c in range(3) for i in range(256)])
    plain = {
        "grey8": tiff(grey8, 8, 1), "grey16": tiff(grey16, 16, 1), "rgb8": tiff(rgb8, 8, 2, 3),
        "rgb16": tiff(rgb16, 16, 2, 3),
        "rgba8": tiff(rgba8, 8, 2, 4, [(EXTRA, 3, [2])]),
        "rgba16": tiff(rgba16, 16, 2, 4, [(EXTRA, 3, [2])]),
        "palette8": tiff(grey8, 8, 3, 1, [colours]), "grey1": tiff(grey1, 1, 1),
        "grey32f": tiff(floats(1), "f", 1, 1, [(FORMAT, 3, [3])]),
        "rgb32f": tiff(floats(3), "f", 2, 3, [(FORMAT, 3, [3] * 3)]),
    }
    yield from plain.items()
    for name, content in plain.items():
        for how in ("lzw", "zip", "packbits"):
            yield f"{name}-{how}", tiffcp(scratch, content, "-c", how)
        yield f"{name}-tiles", tiffcp(scratch, content, "-c", "lzw", "-t", "-w", "16", "-l", "16")
    planes = {"rgb8": tiff(rgb8, 8, 2, 3, planes=True), "rgb16": tiff(rgb16, 16, 2, 3, planes=True),
              "rgba16": tiff(rgba16, 16, 2, 4, [(EXTRA, 3, [2])], planes=True),
              "rgb32f": tiff(floats(3), "f", 2, 3, [(FORMAT, 3, [3] * 3)], planes=True)}
    for name, content in planes.items():
        yield f"{name}-planes", content
        yield f"{name}-planes-lzw", tiffcp(scratch, content, "-c", "lzw")
    yield "rgb8-planes-tiles", tiffcp(scratch, plain["rgb8"], "-p", "separate", "-t", "-w", "16", "-l", "16", "-c", "lzw")
    for name in ("grey8", "grey16", "rgb8", "rgb16"):
        yield f"{name}-differences", tiffcp(scratch, plain[name], "-c", "lzw:2")
    yield "rgb32f-differences", tiffcp(scratch, plain["rgb32f"], "-c", "zip:3")
    yield "rgb8-one-strip", tiff(rgb8, 8, 2, 3, rows_per_strip=HEIGHT)
    wide = tiff(samples(3, 8, 37, 29), 8, 2, 3, rows_per_strip=16)
    yield "rgb8-jpeg", tiffcp(scratch, wide, "-c", "jpeg:r:80")
    yield "ycbcr8-jpeg", tiffcp(scratch, wide, "-c", "jpeg:80")
    yield "grey1-fax", tiffcp(scratch, plain["grey1"], "-c", "g4")
    yield "rgb8-big-tiff", tiffcp(scratch, plain["rgb8"], "-8")
    yield "rgb16-big-endian", tiff(rgb16, 16, 2, 3, order="MM")
    yield "grey32f-big-endian", tiff(floats(1), "f", 1, 1, [(FORMAT, 3, [3])], order="MM")
    yield "grey1-low-bits-first", tiffcp(scratch, plain["grey1"], "-f", "lsb2msb")
    yield "grey8-pages", tiff(grey8, 8, 1, pages=2)
    for bits in (1, 8, 12, 16):
        yield f"white-is-zero{bits}", tiff(samples(1, bits), bits, 0)
    yield "white-is-zero-alpha16", tiff(samples(2, 16), 16, 0, 2, [(EXTRA, 3, [2])])
    for bits in (10, 12, 14):
        yield f"grey{bits}", tiff(samples(1, bits), bits, 1)
        yield f"rgb{bits}", tiff(samples(3, bits), bits, 2, 3)
    yield "grey-alpha8", tiff(samples(2, 8), 8, 1, 2, [(EXTRA, 3, [2])])
    yield "grey-alpha16", tiff(samples(2, 16), 16, 1, 2, [(EXTRA, 3, [2])])
    yield "grey-alpha16-planes", tiff(samples(2, 16), 16, 1, 2, [(EXTRA, 3, [2])], planes=True)
    yield "grey16-unspecified", tiff(samples(2, 16), 16, 1, 2, [(EXTRA, 3, [0])])
    for bits in (8, 16):
        for name, kind in [("unspecified", 0), ("premultiplied", 1)]:
            yield f"rgba{bits}-{name}", tiff(samples(4, bits), bits, 2, 4, [(EXTRA, 3, [kind])])
    yield "rgba8-untold", tiff(rgba8, 8, 2, 4)
    yield "cmyk8", tiff(rgba8, 8, 5, 4)
    yield "lab8", tiff(rgb8, 8, 8, 3)
    yield "palette1", tiff(grey1, 1, 3, 1, [(COLOURS, 3, [1000, 60000, 30000, 9000, 50000, 200])])
    yield "signed16", tiff(grey16, 16, 1, 1, [(FORMAT, 3, [2])])
    yield "signed32", tiff([[65537 * value for value in row] for row in grey16], 32, 1, 1, [(FORMAT, 3, [2])])
    yield "rgba32f", tiff(floats(4), "f", 2, 4, [(FORMAT, 3, [3] * 4)])
    for orientation in range(1, 9):
        tag = [(ORIENTATION, 3, [orientation])]
        yield f"turn-{orientation}-grey8", tiff(grey8, 8, 1, 1, tag)
        yield f"turn-{orientation}-rgb8", tiff(rgb8, 8, 2, 3, tag)
        yield f"turn-{orientation}-rgb16", tiff(rgb16, 16, 2, 3, tag)
    tiles = ("-c", "lzw", "-t", "-w", "16", "-l", "16")
    for bits in (8, 16):
        for channels in (1, 3):
            rows = samples(channels, bits, 37, 29)
            yield f"six-tiles{bits}x{channels}", tiffcp(scratch, tiff(rows, bits, channels - 1 or 1, channels), *tiles)
    for orientation in (2, 6, 7):
        for bits in (8, 16):
            content = tiff(samples(3, bits, 37, 29), bits, 2, 3, [(ORIENTATION, 3, [orientation])])
            yield f"turn-{orientation}-tiles{bits}", tiffcp(scratch, content, *tiles)
            yield f"turn-{orientation}-strips{bits}", content
    yield "bad-palette4", tiff(samples(1, 4), 4, 3, 1, [(COLOURS, 3, list(range(48)))])
    yield "bad-grey4", tiff(samples(1, 4), 4, 1)
    yield "bad-signed8", tiff(grey8, 8, 1, 1, [(FORMAT, 3, [2])])
    yield "bad-unsigned32", tiff(grey16, 32, 1)
    yield "bad-double", tiff(floats(1), "d", 1, 1, [(FORMAT, 3, [3])])
    yield "bad-two-floats", tiff(floats(2), "f", 1, 2, [(FORMAT, 3, [3] * 2)])
    yield "bad-five-samples", tiff(samples(5, 8), 8, 2, 5)
    yield "bad-cut8", tiff(rgb8, 8, 2, 3, cut=200)
    yield "bad-cut16", tiff(rgb16, 16, 2, 3, cut=400)
    lzw = tiffcp(scratch, plain["rgb8"], "-c", "lzw")
    yield "bad-lzw8", lzw[:60] + b"\xff" * 40 + lzw[100:]
    yield "bad-bomb", tiff(rgb8, 8, 2, 3, [(256, 4, [60000]), (257, 4, [60000])])
    yield "bad-no-colour-space", tiff(grey8, 8, 1).replace(b"\x06\x01\x03\0", b"\x06\xf1\x03\0")


# WebP

def webp_files(scratch):
    def cwebp(content, *options):
        (scratch / "in.png").write_bytes(content)
        run("cwebp", "-quiet", *options, str(scratch / "in.png"), "-o", str(scratch / "out.webp"))
        return (scratch / "out.webp").read_bytes()

    def muxed(content, kind, value):
        (scratch / "in.webp").write_bytes(content)
        (scratch / "value").write_bytes(value)
        run("webpmux", "-set", kind, str(scratch / "value"), str(scratch / "in.webp"), "-o", str(scratch / "out.webp"))
        return (scratch / "out.webp").read_bytes()

    rgb, rgba = png(2, 8, width=37, height=29), png(6, 8, width=37, height=29)
    lossy, lossless = cwebp(rgb, "-q", "60"), cwebp(rgb, "-lossless")
    yield "lossy", lossy
    yield "lossy-one-pixel", cwebp(png(2, 8, width=1, height=1), "-q", "60")
    yield "lossless", lossless
    yield "lossy-alpha", cwebp(rgba, "-q", "60")
    yield "lossy-lossy-alpha", cwebp(rgba, "-q", "60", "-alpha_q", "30")
    yield "lossless-alpha", cwebp(rgba, "-lossless")
    yield "lossless-alpha-exact", cwebp(rgba, "-lossless", "-exact")
    yield "lossy-profile", muxed(lossy, "icc", bytes(60))
    yield "lossless-profile", muxed(lossless, "icc", bytes(60))
    yield "lossless-alpha-profile", muxed(cwebp(rgba, "-lossless"), "icc", bytes(60))
    yield "lossy-exif-turn", muxed(lossy, "exif", b"Exif\0\0" + EXIF_TURN)
    yield "lossless-exif-turn", muxed(lossless, "exif", EXIF_TURN)
    frame = str(scratch / "frame.webp")
    (scratch / "frame.webp").write_bytes(lossless)
    run("webpmux", "-frame", frame, "+100", "-frame", frame, "+100", "-o", str(scratch / "out.webp"))
    yield "animated", (scratch / "out.webp").read_bytes()
    yield "bad-cut-lossy", lossy[:-30]
    yield "bad-cut-lossless", lossless[:-30]
    yield "bad-short", lossy[:20]


def main():
    folder = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        for ending, files in [("png", png_files()), ("jpg", jpeg_files(scratch)),
                              ("tif", tiff_files(scratch)), ("webp", webp_files(scratch))]:
            for stem, content in files:
                (folder / f"{stem}.{ending}").write_bytes(content)


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C"
    main()
