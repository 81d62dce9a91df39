"""Tests files that are cut, and complete files that look cut: a stream names the missing frame, or reports nothing."""

import random
import re
import shutil
import struct
import unittest
import zlib

from support import HAS_IMAGES, HAS_VIDEO, CommandTest, read, write
from video_support import FAILED, ffmpeg

WIDTH, HEIGHT, FRAMES = 24, 16, 4
DICE = random.Random(3)
PALETTE = DICE.randbytes(768)
LOOP = b"!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"
XMP = b"!\xff\x0bXMP DataXMP<?xpacket?>" + b"a" * 500 + b"\x01" + bytes(range(255, -1, -1)) + b"\0"
COMMENT = b"!\xfe\x05hello\x03abc\0"
PLAIN_TEXT = b"!\x01\x0c" + struct.pack("<HHHHBBBB", 0, 0, WIDTH, HEIGHT, 8, 8, 1, 0) + b"\x02hi\0"


def gif_pixels(pixels):
    """Returns LZW codes of 9 bits, with a clear code before the table would grow."""
    codes = []
    for i, pixel in enumerate(pixels):
        codes += [256, pixel] if i % 200 == 0 else [pixel]
    bits = sum(code << 9 * i for i, code in enumerate([*codes, 257]))
    data = bits.to_bytes((9 * (len(codes) + 1) + 7) // 8, "little")
    return b"\x08" + b"".join(bytes([len(data[i:i + 255])]) + data[i:i + 255] for i in range(0, len(data), 255)) + b"\0"


def gif(own_palettes=False, before=b"", between=b"", trailer=b";", control=True):
    file = b"GIF89a" + struct.pack("<HHBBB", WIDTH, HEIGHT, 0x70 if own_palettes else 0xf7, 0, 0)
    file += (b"" if own_palettes else PALETTE) + before
    dice = random.Random(4)
    for _ in range(FRAMES):
        file += b"!\xf9\x04\0\x0a\0\0\0" if control else b""
        file += b"," + struct.pack("<HHHHB", 0, 0, WIDTH, HEIGHT, 0x87 if own_palettes else 0)
        file += (PALETTE if own_palettes else b"") + gif_pixels(dice.randbytes(WIDTH * HEIGHT)) + between
    return file + trailer


def chunk(kind, content, length=None):
    return kind + struct.pack("<I", len(content) if length is None else length) + content + b"\0" * (len(content) % 2)


def part(kind, *chunks):
    return chunk(b"RIFF", kind + b"".join(chunks))


class Avi:
    """Writes .avi files around the headers and the frames of one that FFmpeg made."""

    def __init__(self, file):
        self.frames = []
        begin = file.index(b"movi") + 4
        while file[begin:begin + 4] == b"00dc":
            length = struct.unpack_from("<I", file, begin + 4)[0]
            self.frames.append(file[begin + 8:begin + 8 + length])
            begin += 8 + length + length % 2
        # FFmpeg reserves space for the index of indexes by a JUNK chunk. The first list with frames is 'movi'.
        begin = file.index(b"LIST")
        self.headers = file[begin:begin + 8 + struct.unpack_from("<I", file, begin + 4)[0]]

    def with_index_of_parts(self, *places):
        """Returns the headers with an index of indexes, which points to these positions."""
        entries = b"".join(struct.pack("<QII", place, 32, 1) for place in places)
        index = chunk(b"indx", struct.pack("<HBBI4sIII", 4, 0, 0, len(places), b"00dc", 0, 0, 0) + entries)
        streams = self.headers.index(b"strl") - 8
        before, stream = self.headers[12:streams], self.headers[streams + 8:]
        return chunk(b"LIST", b"hdrl" + before + chunk(b"LIST", stream + index))

    def movi(self, begin=0, end=None, length=None, junk=b""):
        return chunk(b"LIST", b"movi" + b"".join(chunk(b"00dc", each) + junk for each in self.frames[begin:end]), length)

    def index(self, begin=0, end=None):
        place, entries = 4, b""
        for each in self.frames[begin:end]:
            entries += b"00dc" + struct.pack("<III", 16, place, len(each))
            place += 8 + len(each) + len(each) % 2
        return chunk(b"idx1", entries)


def apng(pictures):
    def of(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    file = b"\x89PNG\r\n\x1a\n" + of(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 0, 0, 0, 0))
    file += of(b"acTL", struct.pack(">II", len(pictures), 0))
    ends = []
    for i, picture in enumerate(pictures):
        rows = b"".join(b"\0" + picture[WIDTH * y:WIDTH * (y + 1)] for y in range(HEIGHT))
        file += of(b"fcTL", struct.pack(">IIIIIHHBB", 2 * i - (i > 0), WIDTH, HEIGHT, 0, 0, 1, 10, 0, 0))
        file += of(b"IDAT", zlib.compress(rows)) if i == 0 else of(b"fdAT", struct.pack(">I", 2 * i) + zlib.compress(rows))
        ends.append(len(file))
    return file + of(b"IEND", b""), ends


def tiff(pictures, order):
    """Makes a TIFF file. A page's directory points to the next one. Returns the file and their places."""
    places, at = {}, 8
    for i in order:
        places[i] = at + WIDTH * HEIGHT
        at = places[i] + 2 + 8 * 12 + 4
    file = b"II*\0" + struct.pack("<I", places[0])
    for i in order:
        fields = [(256, 4, WIDTH), (257, 4, HEIGHT), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, len(file)), (278, 4, HEIGHT),
                  (279, 4, WIDTH * HEIGHT)]
        file += pictures[i] + struct.pack("<H", len(fields))
        file += b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in fields)
        file += struct.pack("<I", places.get(i + 1, 0))
    return file, places


@unittest.skipUnless(HAS_VIDEO and shutil.which("ffmpeg"), "the module for videos is not in this build, or no ffmpeg here")
class FileEnds(CommandTest):
    def frames(self, name, content):
        """Returns the frames of a file's stream, and the message at its end."""
        write(name, content)
        done = self.run_command("stream", name, "pipe:gray8", "--pipeline", "gray8", "--backend", "cpu")
        said = done.stderr.decode()
        self.assertEqual("damaged or cut short" in said, done.returncode == FAILED, said)
        self.assertIn(done.returncode, [0, FAILED], said)
        return done.stdout, done.returncode

    def check(self, name, content, right, count, is_whole):
        frames, status = self.frames(name, content)
        size = len(right) // FRAMES
        self.assertEqual(len(frames) // size, count)
        self.assertEqual(frames, right[:count * size])
        self.assertEqual(status, 0 if is_whole else FAILED)

    def reference(self, name, content):
        """Returns the frames of a whole file."""
        frames, status = self.frames(name, content)
        self.assertEqual((status, len(frames)), (0, FRAMES * WIDTH * HEIGHT))
        return frames

    def test_whole_gifs(self):
        right = self.reference("a.gif", gif())
        for name, file in {
                "loop": gif(before=LOOP), "xmp": gif(before=LOOP + XMP), "xmp at the end": gif(trailer=XMP + b";"),
                "comments": gif(before=COMMENT, between=COMMENT), "empty": gif(between=b"!\xfe\0"),
                "text": gif(before=PLAIN_TEXT, between=PLAIN_TEXT), "unknown": gif(between=b"!\x77\x02ab\0"),
                "palettes": gif(own_palettes=True), "no control": gif(control=False),
                "control at the end": gif(trailer=b"!\xf9\x04\0\0\0\0\0;"), "zeros behind": gif() + b"\0" * 100,
                "bytes behind": gif() + DICE.randbytes(999), "text behind": gif() + b"\r\n<html>"}.items():
            with self.subTest(name):
                self.check("a.gif", file, right, FRAMES, True)

    def test_gifs_that_are_cut_or_damaged_between_two_pictures(self):
        right = self.reference("a.gif", gif())
        size = (len(gif()) - 13 - 768 - 1) // FRAMES
        for name, file, count in [
                ("no last byte", gif(trailer=b""), FRAMES), ("newline", gif(trailer=b"\n"), FRAMES),
                ("a zero behind each", gif(between=b"\0"), 1), ("two pictures", gif()[:13 + 768 + 2 * size], 2),
                ("a wrong kind", gif()[:13 + 768 + 2 * size] + b"\0" + gif()[13 + 768 + 2 * size + 1:], 2)]:
            with self.subTest(name):
                self.check("a.gif", file, right, count, False)

    def make_avi(self):
        ffmpeg("-f", "lavfi", "-i", f"testsrc2=s={WIDTH}x{HEIGHT}:r=10", "-frames:v", str(FRAMES), "-c:v", "mjpeg", "a.avi")
        return Avi(read("a.avi"))

    def test_whole_avis(self):
        avi = self.make_avi()
        right = self.reference("b.avi", read("a.avi"))
        head, movi, index = avi.headers, avi.movi(), avi.index()
        first = part(b"AVI ", head, avi.movi(0, 2), avi.index(0, 2))
        two = first + part(b"AVIX", avi.movi(2))
        for name, file in {
                "simple": part(b"AVI ", head, movi, index), "no index": part(b"AVI ", head, movi),
                "junk": part(b"AVI ", head, chunk(b"JUNK", b"x" * 201), movi, chunk(b"JUNK", b"y" * 77), index),
                "junk inside": part(b"AVI ", head, avi.movi(junk=chunk(b"JUNK", b"z" * 13)), index),
                "list behind": part(b"AVI ", head, movi, index, chunk(b"LIST", b"INFO" + chunk(b"ISFT", b"me\0"))),
                "two parts": two, "zeros behind": two + b"\0" * 999, "bytes behind": two + DICE.randbytes(999),
                "a list behind": two + b"LIST\xff\xff\0\0movi",
                "no lengths": part(b"AVI ", head, avi.movi(length=0)),
                "unknown length": part(b"AVI ", head, avi.movi(length=0x7fffffff)),
                "no last byte": part(b"AVI ", head, avi.movi())[:-1] if len(avi.frames[-1]) % 2 else part(b"AVI ", head, avi.movi()),
                "a few bytes more": part(b"AVI ", head, avi.movi(length=len(movi) + 90), index),
                "index of two parts": part(b"AVI ", avi.with_index_of_parts(12, len(two)), avi.movi(0, 2), avi.index(0, 2))
                + part(b"AVIX", avi.movi(2)) + b"\0" * 99}.items():
            with self.subTest(name):
                self.check("b.avi", file, right, FRAMES, True)

    def test_avis_that_are_cut(self):
        avi = self.make_avi()
        right = self.reference("b.avi", read("a.avi"))
        whole = part(b"AVI ", avi.headers, avi.movi(), avi.index())
        begin = whole.index(b"movi") + 4
        ends = [begin + sum(8 + len(each) + len(each) % 2 for each in avi.frames[:i]) for i in range(FRAMES + 1)]
        two = part(b"AVI ", avi.headers, avi.movi(0, 2), avi.index(0, 2)) + part(b"AVIX", avi.movi(2))
        at = two.index(b"AVIX") - 8
        headers = avi.with_index_of_parts(12, 10 ** 6)
        for name, file, count in [
                ("one frame", whole[:ends[1]], 1), ("three frames", whole[:ends[3]], 3), ("in the third", whole[:ends[3] - 9], 2),
                ("in the second part", two[:-9], 3), ("in its header", two[:at + 6], 2), ("behind its header", two[:at + 12], 2),
                ("before the second part", part(b"AVI ", headers, avi.movi(0, 2), avi.index(0, 2)), 2)]:
            with self.subTest(name):
                self.check("b.avi", file, right, count, False)

    def test_frames_before_the_cut_come_out_of_the_deinterlacer(self):
        ffmpeg("-f", "lavfi", "-i", f"testsrc2=s={WIDTH}x{HEIGHT}:r=25", "-frames:v", "12", "-flags", "+ilme+ildct", "-c:v", "mpeg2video", "i.avi")
        file = read("i.avi")
        write("cut.avi", file[:file.index(b"movi") + (len(file) - file.index(b"movi")) // 2])
        done = self.run_command("stream", "cut.avi", "pipe:gray8", "--pipeline", "gray8", "--deinterlace", "--backend", "cpu")
        number = int(re.search(r"at frame (\d+) it is damaged or cut short", done.stderr.decode())[1])
        self.assertGreater(number, 2)
        self.assertEqual(len(done.stdout), (number - 1) * WIDTH * HEIGHT)

    def test_animated_pngs(self):
        pictures = [DICE.randbytes(WIDTH * HEIGHT) for _ in range(FRAMES)]
        right = b"".join(pictures)
        file, ends = apng(pictures)
        for behind in [b"", b"\0" * 9, DICE.randbytes(99)]:
            self.check("a.apng", file + behind, right, FRAMES, True)
        for count, end in enumerate(ends, 1):
            with self.subTest(count):
                self.check("a.apng", file[:end], right, count, False)

    @unittest.skipUnless(HAS_IMAGES, "the modules for pictures are not in this build")
    def test_pages_of_a_tiff(self):
        right = [DICE.randbytes(WIDTH * HEIGHT) for _ in range(FRAMES)]
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]]:
            file, places = tiff(right, order)
            self.check("a.tif", file, b"".join(right), FRAMES, True)
            self.check("a.tif", file + b"junk", b"".join(right), FRAMES, True)
            last = order[-1]
            # The file is cut in its last directory or its last link. libtiff still reads a first page whose link is cut.
            for cut, count in [(places[last] + 20, last), (len(file) - 1, max(last, 1)), (len(file) - 4, max(last, 1))]:
                with self.subTest(order, cut=cut):
                    self.check("a.tif", file[:cut], b"".join(right), count, False)

    @unittest.skipUnless(HAS_IMAGES, "the modules for pictures are not in this build")
    def test_a_tiff_whose_pages_lead_back(self):
        right = [DICE.randbytes(WIDTH * HEIGHT) for _ in range(FRAMES)]
        file, places = tiff(right, range(FRAMES))
        self.check("a.tif", file[:-4] + struct.pack("<I", places[0]), b"".join(right), FRAMES, True)

    def test_lengths_that_are_lies(self):
        """A call with such a file must end in time: the test fails if it takes a minute."""
        avi = self.make_avi()
        whole = part(b"AVI ", avi.headers, avi.movi(), avi.index())
        lists = chunk(b"LIST", b"hdrl", 0x7fffff00)
        index = chunk(b"indx", struct.pack("<HBBI4sIII", 4, 0, 0, 0xffffffff, b"00dc", 0, 0, 0), 0xfffffff0)
        places = struct.pack("<HBBI4sIII", 4, 0, 0, 2, b"00dc", 0, 0, 0) + struct.pack("<QIIQII", 2 ** 63 - 1, 32, 1, 2 ** 64 - 1, 32, 1)
        for name, file in {
                "parts": whole + part(b"AVI ", lists) * 20000, "further parts": whole + part(b"AVIX", lists) * 20000,
                "an index": part(b"AVI ", chunk(b"LIST", b"hdrl" + index, 0x7fffff00), avi.headers, avi.movi()),
                "places": part(b"AVI ", chunk(b"LIST", b"hdrl" + chunk(b"indx", places)), avi.headers, avi.movi())}.items():
            with self.subTest(name):
                write("b.avi", file)
                self.assertIn(self.run_command("stream", "b.avi", "null", "--backend", "cpu").returncode, [0, FAILED])


if __name__ == "__main__":
    unittest.main()
