"""Compares BMP files of every header, bit depth, mask and row order with the colours from which they were made."""

import random
import struct

from support import CommandTest, npy_parts, write

FAILED = 1
WIDTH, HEIGHT = 13, 7
HEADERS = [12, 40, 52, 56, 64, 108, 124]
MASKS = {  # name: (bits, then the masks of red, green, blue and alpha)
    "565": (16, 0xf800, 0x7e0, 0x1f, 0), "4444": (16, 0xf00, 0xf0, 0xf, 0xf000), "rgb10": (32, 0x3ff00000, 0xffc00, 0x3ff, 0),
    "rgbx": (32, 0xff000000, 0xff0000, 0xff00, 0), "xbgr": (32, 0xff, 0xff00, 0xff0000, 0),
    "bgra": (32, 0xff0000, 0xff00, 0xff, 0xff000000), "argb": (32, 0xff00, 0xff0000, 0xff000000, 0xff)}


def bmp(bits, header, rows, top_down=False, compression=0, masks=(), palette=(), body=None):
    """Returns a BMP file. Its pixels are rows of bytes, from top to bottom, or a body that is encoded already."""
    if header == 12:
        info = struct.pack("<IHHHH", 12, WIDTH, HEIGHT, 1, bits)
    else:
        info = struct.pack("<IiiHHIIiiII", header, WIDTH, -HEIGHT if top_down else HEIGHT, 1, bits, compression, 0, 0, 0,
                           len(palette), 0)
        info += struct.pack(f"<{len(masks)}I", *masks)
        info = info.ljust(header, b"\0")
    colours = b"".join(bytes(reversed(colour)) + (b"" if header == 12 else b"\0") for colour in palette)
    if body is None:
        body = b"".join(row + bytes(-len(row) % 4) for row in (rows if top_down else rows[::-1]))
    offset = 14 + len(info) + len(colours)
    return b"BM" + struct.pack("<IHHI", offset + len(body), 0, 0, offset) + info + colours + body


def packed(numbers, bits):
    text = "".join(f"{number:0{bits}b}" for number in numbers)
    return int(text.ljust(-(-len(text) // 8) * 8, "0"), 2).to_bytes(-(-len(text) // 8), "big")


def scaled(pixel, mask):
    shift = (mask & -mask).bit_length() - 1
    most = mask >> shift
    return ((pixel & mask) // (1 << shift) * 255 + most // 2) // most


def matrix():
    """Yields (name, content, rows of (R, G, B, A)) of every kind of file without run lengths."""
    dice = random.Random(33)
    for header in HEADERS:
        for top_down in [False, True] if header > 12 else [False]:
            end = f"{header}{'-top' if top_down else ''}.bmp"
            for bits in [1, 2, 4, 8]:
                palette = [dice.choices(range(256), k=3) for _ in range(2**bits)]
                numbers = [dice.choices(range(2**bits), k=WIDTH) for _ in range(HEIGHT)]
                yield (f"{bits}-{end}", bmp(bits, header, [packed(row, bits) for row in numbers], top_down, palette=palette),
                       [[(*palette[number], 255) for number in row] for row in numbers])
            for bits in [24, 32]:
                colours = [[dice.choices(range(256), k=3) for _ in range(WIDTH)] for _ in range(HEIGHT)]
                rows = [b"".join(bytes(reversed(c)) + bytes(bits // 8 - 3) for c in row) for row in colours]
                if header > 12 or bits == 24:
                    yield f"{bits}-{end}", bmp(bits, header, rows, top_down), [[(*c, 255) for c in row] for row in colours]
            if header > 12:
                yield masked(dice, "555", (16, 0x7c00, 0x3e0, 0x1f, 0), header, top_down, end, 0)
                for name, masks in MASKS.items():
                    if header == 40 and masks[4]:
                        yield masked(dice, name, masks, header, top_down, end, 6)
                    elif header >= 56 or not masks[4]:
                        yield masked(dice, name, masks, header, top_down, end, 3)


def masked(dice, name, masks, header, top_down, end, compression):
    bits, *colours = masks
    pixels = [[dice.getrandbits(bits) for _ in range(WIDTH)] for _ in range(HEIGHT)]
    rows = [b"".join(pixel.to_bytes(bits // 8, "little") for pixel in row) for row in pixels]
    written = colours if compression == 6 or header >= 56 else colours[:3]
    alpha = colours[3]
    return (f"{name}-{end}", bmp(bits, header, rows, top_down, compression, written if compression else ()),
            [[(*(scaled(pixel, mask) for mask in colours[:3]), scaled(pixel, alpha) if alpha else 255) for pixel in row]
             for row in pixels])


def runs():
    """Yields (name, bits, body, rows of indices) of run-length files: runs, literals, skips and an early end."""
    blank = [[0] * WIDTH for _ in range(HEIGHT - 2)]
    yield ("runs-8.bmp", 8, bytes([13, 5, 0, 0, 0, 2, 3, 1, 4, 7, 0, 5, 1, 2, 3, 4, 5, 0, 0, 1]),
           [*blank[:4], [0] * 3 + [7] * 4 + [1, 2, 3, 4, 5, 0], blank[4], [5] * 13])
    yield ("runs-4.bmp", 4, bytes([13, 0x5a, 0, 0, 0, 5, 0x12, 0x34, 0x50, 0, 3, 0x70, 0, 1]),
           [*blank, [1, 2, 3, 4, 5, 7, 0, 7] + [0] * 5, [5, 10] * 6 + [5]])


class Bmp(CommandTest):
    def read_here(self, name):
        self.succeed("convert", name, "out.npy", "--to", "rgba32")
        content = npy_parts("out.npy")[2]
        pixels = [tuple(content[i:i + 4]) for i in range(0, len(content), 4)]
        return [pixels[i:i + WIDTH] for i in range(0, len(pixels), WIDTH)]

    def test_matrix(self):
        for name, content, colours in matrix():
            with self.subTest(name):
                write(name, content)
                self.assertEqual(self.read_here(name), colours)

    def test_runs(self):
        palette = [(i, 255 - i, i // 2) for i in range(16)]
        for name, bits, body, numbers in runs():
            write(name, bmp(bits, 40, [], compression=1 if bits == 8 else 2, palette=palette, body=body))
            self.assertEqual(self.read_here(name), [[(*palette[number], 255) for number in row] for row in numbers])

    def test_grey_palette_is_grey(self):
        rows = [bytes(range(y, y + WIDTH)) for y in range(HEIGHT)]
        write("grey.bmp", bmp(8, 40, rows, palette=[(i, i, i) for i in range(256)]))
        self.succeed("threshold", "grey.bmp", "out.npy", "--window", "1", "--mean", "mean.npy")
        self.assertEqual(npy_parts("mean.npy")[2], b"".join(rows))

    def test_refused(self):
        rows = [bytes(3 * WIDTH) for _ in range(HEIGHT)]
        good = bmp(24, 40, rows)
        huge = bmp(8, 40, [], compression=1, palette=[(0, 0, 1)], body=b"\0\1")
        huge = huge[:18] + struct.pack("<ii", 30000, 30000) + huge[26:]
        for name, content, says in [
                ("short.bmp", good[:-1], "it ends early"), ("head.bmp", good[:30], "it ends early"),
                ("header.bmp", good[:14] + b"\x29" + good[15:], "its header has 41 bytes"),
                ("jpeg.bmp", bmp(24, 40, rows, compression=4), "compression 4 of 24 bits"),
                ("bits.bmp", bmp(48, 40, rows), "compression 0 of 48 bits"),
                ("mask.bmp", bmp(32, 40, [bytes(4 * WIDTH)] * HEIGHT, compression=3, masks=(0xff00ff, 0xff00, 0xff)),
                 "the bits of a mask are not adjacent"),
                ("colour.bmp", bmp(8, 40, [b"\x05" * WIDTH] * HEIGHT, palette=[(0, 1, 2)] * 4), "colour number 5, but the palette has 4 colours"),
                ("run.bmp", bmp(8, 40, [], compression=1, palette=[(0, 0, 1)], body=b"\x0e\0\0\1"), "a run of pixels goes past the edge of the picture"),
                ("claim.bmp", huge, "too short for its 30000x30000 pixels"),
                ("end.bmp", bmp(8, 40, [], compression=1, palette=[(0, 0, 1)], body=b"\x05\0"), "it ends early")]:
            write(name, content)
            self.fail_with(FAILED, "sobel", name, "out.npy", says=[name, says])
