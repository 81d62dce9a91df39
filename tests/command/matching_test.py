"""Tests match, disparity, find, track and gemv from outside: results for known motion and for the samples, and wrong
calls."""

import array
import json
import os
import random
import struct
import unittest
import zlib

from support import (HAS_IMAGES, HAS_VIDEO, CommandTest, has_gpu, npy, npy_parts, read, sample,
                     write)

FAILED = 1
USAGE = 2
WIDTH, HEIGHT = 96, 80
UNKNOWN = 1e9
RUBBERWHALE = [sample("rubberwhale1.png"), sample("rubberwhale2.png")]
ALOE = [sample("aloeL.jpg"), sample("aloeR.jpg")]


def noise(x, y):
    return zlib.crc32(struct.pack("<hh", x, y)) & 255


def scene(width, height, left=0, top=0):
    """Returns a part of an endless pattern without repetitions. A larger left or top moves its content left or up."""
    return bytes(noise(x + left, y + top) for y in range(height) for x in range(width))


def grey(path, width, height, pixels):
    return write(path, npy("|u1", (height, width), pixels))


def floats(content):
    return array.array("f", content)


def pfm(path):
    """Returns a PFM file's width, height, and rows from top to bottom."""
    kind, size, scale, pixels = read(path).split(b"\n", 3)
    assert kind == b"Pf" and float(scale) < 0, (kind, scale)
    width, height = map(int, size.split())
    values = floats(pixels)
    return width, height, [values[y * width:(y + 1) * width] for y in reversed(range(height))]


def png_rows(path):
    """Returns the rows of a PNG of 8 bits a channel or 16-bit grey, without filters."""
    content, at, data = read(path), 8, b""
    while at < len(content):
        length, kind = struct.unpack(">I4s", content[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", content[at + 8:at + 18])
        if kind == b"IDAT":
            data += content[at + 8:at + 8 + length]
        at += 12 + length
    step = {0: 1, 2: 3}[colour] * depth // 8
    data, rows, above = zlib.decompress(data), [], bytearray(width * step)
    for y in range(height):
        start = y * (width * step + 1)
        filtered, row = data[start + 1:start + 1 + width * step], bytearray()
        for i, value in enumerate(filtered):
            a = row[i - step] if i >= step else 0
            b = above[i]
            c = above[i - step] if i >= step else 0
            nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            row.append(value + [0, a, b, (a + b) // 2, nearest][data[start]] & 255)
        rows.append(row)
        above = row
    return width, height, rows


class Match(CommandTest):
    def setUp(self):
        super().setUp()
        grey("a.npy", WIDTH, HEIGHT, scene(WIDTH, HEIGHT))
        grey("b.npy", WIDTH, HEIGHT, scene(WIDTH, HEIGHT, -3, 5))  # the content moves by (3, -5)

    def blocks(self, *options):
        self.succeed("match", "a.npy", "b.npy", "out.csv", *options)
        lines = read("out.csv").decode().splitlines()
        self.assertEqual(lines[0], "x,y,dx,dy,score")
        return [line.split(",") for line in lines[1:]]

    def test_table_of_a_known_motion(self):
        for measure, best in [("sad", "0"), ("ssd", "0"), ("ncc", "1"), ("zncc", "1")]:
            blocks = self.blocks("--block-size", "16", "--search", "8", "--measure", measure)
            self.assertEqual([(int(b[0]), int(b[1])) for b in blocks],
                             [(x, y) for y in range(0, 80, 16) for x in range(0, 96, 16)])
            for x, y, dx, dy, score in blocks:
                if y != "0" and x != "80":  # these blocks move out of the target
                    self.assertEqual((dx, dy, score), ("3", "-5", best))

    def test_options(self):
        self.assertEqual(len(self.blocks()), 3 * 2)
        self.assertEqual(len(self.blocks("--stride", "8")), 9 * 7)
        for option in [["--search-x", "-2:3", "--search-y", "-5:-5"],
                       ["--search-x=3:3", "--search-y=-7:1"],
                       ["--search", "2", "--search-x=3:3", "--search-y=-5:-5"],
                       ["--search-y=-5:-5", "--search-x=3:3", "--search", "2"]]:
            blocks = self.blocks("--block-size", "16", *option)
            self.assertEqual(blocks[7][2:], ["3", "-5", "0"])
        # The blocks of the top row have no displacement that stays inside the image.
        blocks = self.blocks("--block-size", "16", "--search-y", "-5:-5")
        self.assertEqual(blocks[1][2:], ["", "", ""])
        blocks = self.blocks("--block-size", "16", "--search-y", "-5:-5", "--border", "replicate")
        self.assertNotEqual(blocks[1][2:], ["", "", ""])

    def test_flo(self):
        done = self.succeed("match", "a.npy", "b.npy", "out.flo", "--block-size", "30", "--json")
        report = json.loads(done.stdout)
        self.assertEqual(report["result"]["columns_left_out"], 6)
        self.assertEqual(report["result"]["rows_left_out"], 20)
        self.assertEqual(report["options"]["search_x"], [-16, 15])
        content = read("out.flo")
        self.assertEqual(struct.unpack("<fii", content[:12]), (202021.25, WIDTH, HEIGHT))
        values = floats(content[12:])
        self.assertEqual(len(values), 2 * WIDTH * HEIGHT)
        at = lambda x, y: tuple(values[2 * (y * WIDTH + x):][:2])
        self.assertEqual(at(45, 45), (3, -5))
        self.assertEqual(at(59, 30), (3, -5))
        for x, y in [(90, 0), (95, 79), (0, 60)]:
            self.assertGreater(at(x, y)[0], UNKNOWN)
            self.assertGreater(at(x, y)[1], UNKNOWN)

    def test_blocks_that_overlap_share_out_the_pixels(self):
        self.succeed("match", "a.npy", "b.npy", "out.flo", "--block-size", "16", "--stride", "5")
        values = floats(read("out.flo")[12:])
        self.assertEqual(tuple(values[2 * (40 * WIDTH + 40):][:2]), (3, -5))
        self.assertLess(values[0], UNKNOWN)
        # Between the blocks are gaps, and the motion of the pixels in the gaps is unknown.
        self.succeed("match", "a.npy", "b.npy", "out.flo", "--block-size", "8", "--stride", "20")
        values = floats(read("out.flo")[12:])
        known = [values[2 * x] < UNKNOWN for x in range(28)]
        self.assertEqual(known, [True] * 8 + [False] * 12 + [True] * 8)

    def test_it_says_what_is_in_no_block(self):
        done = self.succeed("match", "a.npy", "b.npy", "out.csv", "--block-size", "30")
        self.assertIn(b"3x2 blocks", done.stdout)
        self.assertIn(b"6 columns at the right and 20 rows at the bottom", done.stdout)

    @unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")
    def test_png(self):
        grey("c.npy", WIDTH, HEIGHT, scene(WIDTH, HEIGHT, -4, 0))  # the content moves to the right
        self.succeed("match", "a.npy", "c.npy", "out.png", "--block-size", "30")
        width, height, rows = png_rows("out.png")
        self.assertEqual((width, height), (WIDTH, HEIGHT))
        self.assertEqual(tuple(rows[70][:3]), (0, 0, 0))
        self.succeed("match", "a.npy", "c.npy", "out.png", "--search-x", "0:4", "--search-y", "0:0")
        self.assertEqual(tuple(png_rows("out.png")[2][10][30:33]), (255, 0, 0))
        self.succeed("match", "a.npy", "a.npy", "out.png")
        self.assertEqual(tuple(png_rows("out.png")[2][0][:3]), (255, 255, 255))

    @unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")
    def test_one_wrong_vector_leaves_the_picture_its_colours(self):
        width, height = 600, 56  # so wide that less than 1 % of the blocks move out of the image
        target = scene(width, height, -2, 0)
        reference = bytearray(scene(width, height))
        for y in range(40, 48):  # a block that moves by 7 pixels to the right and 8 up
            reference[y * width + 40:y * width + 48] = target[(y - 8) * width + 47:][:8]
        grey("odd.npy", width, height, bytes(reference))
        grey("moved.npy", width, height, target)
        pair = ["match", "odd.npy", "moved.npy", "out.png", "--block-size", "8", "--stride", "4"]
        done = self.succeed(*pair, "--search", "9")
        self.assertIn(b", motion of 2.0 pixels or more has full colour", done.stdout)
        rows = png_rows("out.png")[2]
        self.assertEqual(tuple(rows[20][60:63]), (255, 0, 0))
        self.assertEqual(min(rows[43][3 * 43:3 * 43 + 3]), 0)  # this motion's colour is no paler than others
        for full, pale in [("2", 0), ("8", 191), ("20.5", 230)]:
            done = self.succeed(*pair, "--search", "9", "--max-motion", full, "--json")
            self.assertEqual(json.loads(done.stdout)["result"]["max_motion"], float(full))
            self.assertEqual(tuple(png_rows("out.png")[2][20][60:63]), (255, pale, pale))
        # Without motion the picture is white: the scale must not divide 0 by 0.
        done = self.succeed("match", "a.npy", "a.npy", "out.png", "--json")
        self.assertEqual(json.loads(done.stdout)["result"]["max_motion"], 1)
        self.assertEqual(tuple(png_rows("out.png")[2][0][:3]), (255, 255, 255))

    @unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")
    def test_samples(self):
        self.succeed("match", *RUBBERWHALE, "out.csv", "--threads", "1", "--backend", "cpu")
        one = read("out.csv")
        self.assertEqual(one.count(b"\n"), 1 + 18 * 12)
        self.succeed("match", *RUBBERWHALE, "out.csv")
        self.assertEqual(read("out.csv"), one)

    @unittest.skipUnless(has_gpu(), "no GPU here")
    def test_gpu_gives_the_same(self):
        for measure in ["sad", "zncc"]:
            for backend in ["cpu", "cuda"]:
                self.succeed("match", "a.npy", "b.npy", backend + ".csv", "--measure", measure,
                             "--backend", backend)
            self.assertEqual(read("cpu.csv"), read("cuda.csv"))

    def test_refused(self):
        pair = ["match", "a.npy", "b.npy"]
        self.fail_with(USAGE, *pair, says="REFERENCE TARGET OUT")
        self.fail_with(USAGE, *pair, "out.csv", "more.csv", says="REFERENCE TARGET OUT")
        for out in ["out.jpg", "out", "-", "out.npy"]:
            self.fail_with(USAGE, *pair, out, says=[out, ".flo or .csv or .png"])
        for text in ["", "4", ":", "1:", ":1", "-:3", "1:x", "2:1", "1:2:3", "1-2", "40000:40001"]:
            for option in ["--search-x", "--search-y"]:
                self.fail_with(USAGE, *pair, "out.csv", option + "=" + text, says=option)
        for text in ["0", "-1", "x", "32768"]:
            self.fail_with(USAGE, *pair, "out.csv", "--search", text, says="--search")
        for text in ["0", "257", "8x8"]:
            self.fail_with(USAGE, *pair, "out.csv", "--block-size", text, says=["--block-size", "1 to 256"])
        self.fail_with(USAGE, *pair, "out.csv", "--block-size", "81", says=["81", "96x80"])
        self.fail_with(USAGE, *pair, "out.csv", "--stride", "0", says="--stride")
        self.fail_with(USAGE, *pair, "out.csv", "--measure", "mse", says="sad, ssd, ncc, zncc")
        self.fail_with(USAGE, *pair, "out.csv", "--border", "wrap", says="skip, replicate")
        for text in ["0", "0.5", "-3", "x", "inf", "40000", ""]:
            self.fail_with(USAGE, *pair, "out.png", "--max-motion=" + text, says="--max-motion")
        self.fail_with(USAGE, *pair, "out.flo", "--max-motion", "8", says=[".png", "out.flo"])
        self.fail_with(USAGE, *pair, "out.csv", "--device", "0", "--backend", "cpu", says="--device")
        grey("small.npy", WIDTH, HEIGHT - 1, bytes(WIDTH * (HEIGHT - 1)))
        self.fail_with(FAILED, "match", "a.npy", "small.npy", "out.csv",
                       says=["96x80", "96x79", "small.npy"])
        write("real.npy", npy("<f4", (8, 8), bytes(256)))
        self.fail_with(FAILED, "match", "real.npy", "real.npy", "out.csv",
                       says=["real.npy", "f32", "8 and 16 bits"])
        self.fail_with(FAILED, "match", "a.npy", "missing.png", "out.csv", says="missing.png")
        self.fail_with(FAILED, *pair, "nowhere/out.csv", says="nowhere")


class Disparity(CommandTest):
    def setUp(self):
        super().setUp()
        grey("left.npy", WIDTH, HEIGHT, scene(WIDTH, HEIGHT))
        grey("right.npy", WIDTH, HEIGHT, scene(WIDTH, HEIGHT, 7))

    @unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")
    def test_known_disparity(self):
        pair = ["disparity", "left.npy", "right.npy"]
        self.succeed(*pair, "out.pfm", "--block-size", "9", "--max-disparity", "20")
        width, height, rows = pfm("out.pfm")
        self.assertEqual((width, height), (WIDTH, HEIGHT))
        self.assertEqual(set(rows[40][20:80]), {7.0})
        self.assertIn(float("inf"), rows[40][:7])  # the matching pixels would be outside
        self.succeed(*pair, "out.png", "--block-size", "9", "--max-disparity", "20")
        _, _, rows = png_rows("out.png")
        values = struct.unpack(f">{WIDTH}H", rows[40])
        self.assertEqual(set(values[20:80]), {256 * 7})
        self.assertIn(0, values[:7])
        # A disparity of 0 is valid, so it is written as 1.
        self.succeed("disparity", "left.npy", "left.npy", "out.png", "--max-disparity", "3")
        self.assertEqual(set(struct.unpack(f">{WIDTH}H", png_rows("out.png")[2][40])), {1})
        self.succeed(*pair, "out.pfm", "--consistency", "-1", "--subpixel", "--measure", "ssd")
        rows = pfm("out.pfm")[2]
        self.assertTrue(all(value < 65 for row in rows for value in row))
        self.assertTrue(all(abs(value - 7) < 0.5 for value in rows[40][20:80]))

    @unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")
    def test_colours(self):
        """Far is blue and near is red. Both colours are brighter than black, which marks invalid pixels."""
        options = ["--block-size", "9", "--max-disparity"]
        for nearest, least, most in [(70, (50, 60, 200), (80, 120, 255)),
                                     (14, (40, 200, 80), (180, 255, 160)),
                                     (7, (150, 0, 0), (200, 60, 60))]:
            done = self.succeed("disparity", "left.npy", "right.npy", "out.pfm", *options, str(nearest),
                                "--color", "colour.png")
            self.assertIn(f"colour.png: blue 0 to red {nearest}, black invalid".encode(), done.stdout)
            width, height, rows = png_rows("colour.png")
            self.assertEqual((width, height, len(rows[0])), (WIDTH, HEIGHT, 3 * WIDTH))
            disparities = pfm("out.pfm")[2]
            for y in range(0, HEIGHT, 7):
                for x in range(WIDTH):
                    pixel = tuple(rows[y][3 * x:3 * x + 3])
                    self.assertEqual(pixel == (0, 0, 0), disparities[y][x] == float("inf"))
                    if disparities[y][x] == 7:
                        for low, value, high in zip(least, pixel, most):
                            self.assertTrue(low <= value <= high, (nearest, pixel))
        done = self.succeed("disparity", "left.npy", "left.npy", "out.png", "--max-disparity", "0",
                            "--colour", "colour.png", "--json")
        self.assertEqual(len(set(bytes(row) for row in png_rows("colour.png")[2])), 1)
        report = json.loads(done.stdout)
        self.assertEqual(report["outputs"], ["out.png", "colour.png"])
        self.assertEqual(report["result"]["colour_range"], [0, 0])

    @unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")
    def test_it_says_when_the_range_is_too_small(self):
        for largest, too_small in [("16", True), ("64", True), ("128", True), ("160", False),
                                   ("255", False)]:
            done = self.succeed("disparity", *ALOE, "out.pfm", "--max-disparity", largest)
            hint = b"of the best matches sit at the end of the range: --max-disparity may be too small"
            self.assertEqual(hint in done.stdout, too_small, done.stdout)
            self.assertEqual(done.stdout.count(b"\n"), 1)
        # Each of these ranges contains the disparities of both pairs.
        for pair in [["left.npy", "right.npy"], [RUBBERWHALE[0], RUBBERWHALE[0]]]:
            for largest in ["8", "20", "40"]:
                done = self.succeed("disparity", *pair, "out.pfm", "--max-disparity", largest, "--json")
                result = json.loads(done.stdout)["result"]
                self.assertFalse(result["range_may_be_too_small"], (pair, largest))
                self.assertLess(result["share_at_end_of_range"], 0.01)
        done = self.succeed("disparity", *ALOE, "out.pfm", "--json")
        result = json.loads(done.stdout)["result"]
        self.assertTrue(result["range_may_be_too_small"])
        self.assertGreater(result["share_at_end_of_range"], 0.05)

    @unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")
    def test_subpixel_is_not_drawn_to_whole_pixels(self):
        self.succeed("disparity", *ALOE, "out.pfm", "--max-disparity", "255", "--subpixel")
        quarters = [0] * 4
        for row in pfm("out.pfm")[2][::3]:
            for value in row:
                if value < 256:
                    quarters[int(4 * (value % 1))] += 1
        for share in quarters:
            self.assertAlmostEqual(share / sum(quarters), 0.25, delta=0.03)

    @unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")
    def test_aloe_against_its_truth(self):
        self.succeed("disparity", *ALOE, "out.pfm", "--max-disparity", "255")
        self.succeed("convert", sample("aloeGT.png"), "truth.npy", "--to", "gray8")
        width, height, rows = pfm("out.pfm")
        truth = npy_parts("truth.npy")[2]
        within = [0, 0]
        valid = 0
        for y in range(0, height, 3):
            for found, true in zip(rows[y], truth[y * width:(y + 1) * width]):
                if true > 0 and found != float("inf"):
                    valid += 1
                    within[0] += abs(found - true) <= 1
                    within[1] += abs(found - true) <= 2
        print(f"aloe: of the valid pixels {within[0] / valid:.4f} are within 1 of the truth, "
              f"{within[1] / valid:.4f} within 2")
        self.assertGreater(within[0] / valid, 0.89)
        self.assertGreater(within[1] / valid, 0.93)

    @unittest.skipUnless(HAS_IMAGES and has_gpu(), "no GPU here")
    def test_gpu_gives_the_same(self):
        for backend in ["cpu", "cuda"]:
            self.succeed("disparity", *ALOE, backend + ".pfm", "--subpixel", "--backend", backend)
        self.assertEqual(read("cpu.pfm"), read("cuda.pfm"))

    def test_refused(self):
        pair = ["disparity", "left.npy", "right.npy"]
        self.fail_with(USAGE, *pair, says="LEFT RIGHT OUT")
        self.fail_with(USAGE, *pair, "out.jpg", says=[".png or .pfm"])
        for text in ["4", "0", "256", "257", "x"]:
            self.fail_with(USAGE, *pair, "out.png", "--block-size", text, says="--block-size")
        self.fail_with(USAGE, *pair, "out.png", "--block-size", "4", says="odd")
        for text in ["-1", "1024", "x"]:
            self.fail_with(USAGE, *pair, "out.pfm", "--max-disparity", text, says="--max-disparity")
        self.fail_with(USAGE, *pair, "out.png", "--max-disparity", "256", says=["255", ".pfm"])
        self.fail_with(USAGE, *pair, "out.png", "--consistency", "-2", says="--consistency")
        for picture in ["c.jpg", "c", "-", "c.pfm"]:
            self.fail_with(USAGE, *pair, "out.png", "--colour", picture, says=[picture, ".png"])
        for same in ["out.png", "./out.png", "../" + os.path.basename(os.getcwd()) + "/out.png"]:
            self.fail_with(USAGE, *pair, "out.png", "--colour", same, says="one place")
        self.fail_with(FAILED, *pair, "out.png", "--colour", "nowhere/c.png", says="nowhere/c.png")
        grey("small.npy", WIDTH - 1, HEIGHT, bytes((WIDTH - 1) * HEIGHT))
        self.fail_with(FAILED, "disparity", "left.npy", "small.npy", "out.png", says="95x80")


class Find(CommandTest):
    def setUp(self):
        super().setUp()
        grey("image.npy", WIDTH, HEIGHT, scene(WIDTH, HEIGHT))
        grey("part.npy", 17, 13, scene(17, 13, 41, 29))

    def test_place_and_map(self):
        for measure, score in [("sad", 0), ("ssd", 0), ("ncc", 1), ("zncc", 1)]:
            done = self.succeed("find", "part.npy", "image.npy", "--measure", measure, "--map",
                                "map.npy", "--json")
            report = json.loads(done.stdout)
            self.assertEqual(report["result"], {"found": True, "x": 41, "y": 29, "score": score})
            self.assertEqual(report["outputs"], ["map.npy"])
            descr, shape, content = npy_parts("map.npy")
            self.assertEqual((descr, shape), ("<f4", (HEIGHT - 12, WIDTH - 16)))
            self.assertEqual(floats(content)[29 * (WIDTH - 16) + 41], score)
        done = self.succeed("find", "part.npy", "image.npy")
        self.assertIn(b"x 41, y 29 of image.npy, zncc 1", done.stdout)

    def found(self, *words):
        report = json.loads(self.succeed("find", *words, "--json").stdout)
        return report["options"].get("min_score"), report["result"]["found"]

    def test_not_found(self):
        """Random pixels are nowhere in the image, so even the best place must not count as found."""
        grey("other.npy", 17, 13, random.Random(3).randbytes(17 * 13))
        done = self.succeed("find", "other.npy", "image.npy")
        self.assertRegex(done.stdout.decode(), r"^other.npy is not found in image.npy: the best place, x \d+, "
                                               r"y \d+, has zncc 0.\d+, and --min-score is 0.8,")
        grey("flat.npy", WIDTH, HEIGHT, bytes([9]) * (WIDTH * HEIGHT))
        done = self.succeed("find", "other.npy", "flat.npy")
        self.assertIn("the best zncc is 0, as it is for a template or an image of one colour", done.stdout.decode())
        self.assertEqual(self.found("other.npy", "image.npy"), (0.8, False))
        self.assertEqual(self.found("other.npy", "image.npy", "--min-score", "0.05"), (0.05, True))
        self.assertEqual(self.found("part.npy", "image.npy"), (0.8, True))
        self.assertEqual(self.found("part.npy", "image.npy", "--min-score", "1"), (1, True))
        # Halved brightness does not change zncc, unlike the sums of differences.
        grey("dark.npy", 17, 13, bytes(each // 2 for each in scene(17, 13, 41, 29)))
        self.assertEqual(self.found("dark.npy", "image.npy"), (0.8, True))
        for measure in ["sad", "ssd", "ncc"]:
            self.assertEqual(self.found("other.npy", "image.npy", "--measure", measure), (None, True))
        self.assertEqual(self.found("other.npy", "image.npy", "--measure", "ncc", "--min-score", "1"),
                         (1, False))

    @unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")
    def test_maps_in_image_files(self):
        self.succeed("find", "part.npy", "image.npy", "--map", "map.pfm")
        self.assertEqual(pfm("map.pfm")[2][29][41], 1)
        self.succeed("find", "part.npy", "image.npy", "--map", "map.tiff")

    @unittest.skipUnless(has_gpu(), "no GPU here")
    def test_gpu_gives_the_same(self):
        results = []
        for backend in ["cpu", "cuda"]:
            done = self.succeed("find", "part.npy", "image.npy", "--measure", "zncc", "--map",
                                backend + ".npy", "--backend", backend, "--json")
            results.append(json.loads(done.stdout)["result"])
        self.assertEqual(results[0], results[1])
        self.assertEqual(read("cpu.npy"), read("cuda.npy"))

    def test_refused(self):
        self.fail_with(USAGE, "find", "part.npy", says="TEMPLATE IMAGE")
        self.fail_with(FAILED, "find", "image.npy", "part.npy", says=["96x80", "17x13", "fit"])
        for score in ["1.1", "-2", "x", "nan"]:
            self.fail_with(USAGE, "find", "part.npy", "image.npy", "--min-score", score, says="--min-score")
        for command in [["find", "part.npy", "image.npy"], ["track", "image.npy", "o.csv", "--box", "1,1,4,4"]]:
            for measure in ["sad", "ssd"]:
                self.fail_with(USAGE, *command, "--measure", measure, "--min-score", "0.5", says=["min-score", measure])
        for out in ["map.png", "map", "-"]:
            self.fail_with(USAGE, "find", "part.npy", "image.npy", "--map", out, says=".npy or .tif")


class Track(CommandTest):
    def setUp(self):
        super().setUp()
        self.path = [(40, 30), (43, 28), (47, 29), (44, 33)]
        os.mkdir("frames")
        for i, (x, y) in enumerate(self.path):
            grey(f"frames/{i}.npy", WIDTH, HEIGHT, scene(WIDTH, HEIGHT, 40 - x, 30 - y))

    def test_a_known_path(self):
        expected = "frame,x,y,score\n0,40,30,\n" + "".join(
            f"{i},{x},{y},1\n" for i, (x, y) in enumerate(self.path) if i > 0)
        frames = [f"frames/{i}.npy" for i in range(4)]
        for options in [["--search", "8"], ["--search-x", "-4:4", "--search-y", "-3:4"], ["--update"]]:
            self.succeed("track", *frames, "--box", "40,30,24,16", "out.csv", *options)
            self.assertEqual(read("out.csv").decode(), expected)
        done = self.succeed("track", "frames", "out.csv", "--box", "40,30,24,16", "--json")
        self.assertEqual(read("out.csv").decode(), expected)
        positions = json.loads(done.stdout)["result"]["positions"]
        self.assertEqual(positions[2], {"frame": 2, "x": 47, "y": 29, "score": 1})
        self.succeed("track", *frames, "--box", "40,30,24,16", "out.csv", "--measure", "sad")
        self.assertEqual(read("out.csv").decode(), expected.replace(",1\n", ",0\n"))

    def test_lost_and_found_again(self):
        """No position is reported in the two frames without the object. It is found again where it comes back."""
        for i in [2, 3]:
            grey(f"frames/{i}.npy", WIDTH, HEIGHT, random.Random(i).randbytes(WIDTH * HEIGHT))
        grey("frames/4.npy", WIDTH, HEIGHT, scene(WIDTH, HEIGHT, 40 - 44, 30 - 33))
        for options in [[], ["--update"]]:
            done = self.succeed("track", "frames", "out.csv", "--box", "40,30,24,16", *options)
            rows = read("out.csv").decode().splitlines()
            self.assertEqual([rows[2], rows[5]], ["1,43,28,1", "4,44,33,1"])
            self.assertRegex(rows[3], r"^2,,,-?0\.\d+$")
            self.assertRegex(rows[4], r"^3,,,-?0\.\d+$")
            self.assertIn(b"5 frames, the box moves from 40,30 to 44,33; it is lost in 2 of them, first in frame 2",
                          done.stdout)
        done = self.succeed("track", "frames", "out.csv", "--box", "40,30,24,16", "--json")
        positions = json.loads(done.stdout)["result"]["positions"]
        self.assertEqual((positions[2]["lost"], "x" in positions[2]), (True, False))
        self.succeed("track", "frames", "out.csv", "--box", "40,30,24,16", "--min-score", "-1")
        self.assertNotIn(",,,", read("out.csv").decode())

    @unittest.skipUnless(has_gpu(), "no GPU here")
    def test_gpu_gives_the_same(self):
        for backend in ["cpu", "cuda"]:
            self.succeed("track", "frames", backend + ".csv", "--box", "40,30,24,16", "--backend",
                         backend, "--measure", "zncc")
        self.assertEqual(read("cpu.csv"), read("cuda.csv"))

    def test_one_frame_is_refused(self):
        self.fail_with(FAILED, "track", "frames/0.npy", "out.csv", "--box", "1,1,4,4", says=["frames/0.npy gave one", "warpwise stream"])
        self.assertFalse(os.path.exists("out.csv"))

    def test_refused(self):
        self.fail_with(USAGE, "track", "frames", "out.csv", says="--box X,Y,W,H")
        self.fail_with(USAGE, "track", "out.csv", "--box", "1,1,4,4", says="FRAMES")
        for box in ["", "1", "1,2,3", "1,2,3,4,5", "1,2,3,", "a,2,3,4", "1,2,0,4", "-1,2,3,4",
                    "1;2;3;4", "1.5,2,3,4"]:
            self.fail_with(USAGE, "track", "frames", "out.csv", "--box=" + box, says="--box")
        self.fail_with(USAGE, "track", "frames", "out.csv", "--box", "90,30,24,16", says="96x80")
        self.fail_with(USAGE, "track", "frames", "out.png", "--box", "1,1,4,4", says=".csv")
        self.fail_with(USAGE, "track", "frames", "out.csv", "--box", "1,1,4,4", "--search-x", "1:3",
                       says="contain 0")
        grey("frames/9.npy", 8, 8, bytes(64))
        self.fail_with(FAILED, "track", "frames", "out.csv", "--box", "1,1,4,4", says="8x8")


class Videos(CommandTest):
    def test_refused_with_a_way_out(self):
        grey("a.npy", 8, 8, bytes(64))
        write("clip.MP4", b"\0\0\0\x18ftypmp42")
        says = ["clip.MP4 is a video", "the only input"]
        self.fail_with(FAILED, "sobel", "a.npy", "clip.MP4", "out", says=says)
        self.fail_with(FAILED, "match", "clip.MP4", "clip.MP4", "out.flo", says="clip.MP4")
        self.fail_with(FAILED, "sobel", "-", "out.png", stdin=read("clip.MP4"), says="it is no image")
        self.fail_with(FAILED, "track", "none.avi", "out.csv", "--box", "1,1,8,8",
                       says=["none.avi", "No such file"])

    @unittest.skipUnless(HAS_VIDEO, "this build has no module for videos")
    def test_frames_are_those_of_a_stream(self):
        street = sample("street.avi")
        self.succeed("stream", street, "street.y4m", "--frames", "4")
        self.succeed("stream", "street.y4m", "street.mkv")
        for name in ["street.y4m", "street.mkv"]:
            self.succeed("track", name, name + ".csv", "--box", "300,250,40,40")
        self.assertEqual(read("street.mkv.csv"), read("street.y4m.csv"))
        self.assertEqual(len(read("street.mkv.csv").splitlines()), 5)
        self.fail_with(FAILED, "match", street, street, "out.flo", says="more than one frame")


class Gemv(CommandTest):
    MATRIX = [float(i * i % 11 - 5) for i in range(12)]

    def setUp(self):
        super().setUp()
        for kind, code in [("f4", "f"), ("f2", "e")]:
            write(f"a.{kind}.npy", npy("<" + kind, (3, 4), struct.pack(f"<12{code}", *self.MATRIX)))
            write(f"x.{kind}.npy", npy("<" + kind, "(4,)", struct.pack(f"<4{code}", 1, -2, 3, .5)))
            write(f"t.{kind}.npy", npy("<" + kind, "(3,)", struct.pack(f"<3{code}", 1, -2, 3)))

    def result(self, *arguments):
        self.succeed("gemv", *arguments)
        descr, shape, content = npy_parts("y.npy")
        self.assertEqual((descr, shape), ("<f4", (len(content) // 4,)))
        return list(floats(content))

    def test_products(self):
        rows = [self.MATRIX[4 * i:4 * i + 4] for i in range(3)]
        plain = [sum(a * x for a, x in zip(row, [1, -2, 3, .5])) for row in rows]
        transposed = [sum(row[j] * x for row, x in zip(rows, [1, -2, 3])) for j in range(4)]
        for kind in ["f4", "f2"]:
            a = f"a.{kind}.npy"
            self.assertEqual(self.result(a, f"x.{kind}.npy", "y.npy"), plain)
            self.assertEqual(
                self.result(a, f"x.{kind}.npy", "y.npy", "--alpha", "-2", "--beta", "0.5"),
                [-2 * y + 0.5 * y for y in plain])
            self.assertEqual(self.result(a, f"t.{kind}.npy", "y.npy", "--transpose"), transposed)

    @unittest.skipUnless(has_gpu(), "no GPU here")
    def test_gpu_gives_the_same(self):
        results = []
        for backend in ["cpu", "cuda"]:
            self.succeed("gemv", "a.f4.npy", "t.f4.npy", "y.npy", "--transpose")
            results.append(self.result("a.f4.npy", "t.f4.npy", "y.npy", "--transpose", "--beta",
                                       "1", "--backend", backend))
        self.assertEqual(results[0], results[1])

    def test_report(self):
        done = self.succeed("gemv", "a.f4.npy", "x.f4.npy", "y.npy", "--json")
        report = json.loads(done.stdout)
        self.assertEqual((report["command"], report["result"]), ("gemv", {"elements": 3}))

    def test_refused(self):
        operands = ["gemv", "a.f4.npy", "x.f4.npy"]
        self.fail_with(USAGE, *operands, says="A.npy X.npy Y.npy")
        self.fail_with(USAGE, *operands, "y.csv", says=".npy")
        self.fail_with(USAGE, "gemv", "m.raw", "x.f4.npy", "y.npy", says="m.raw has no header; gemv takes .npy files")
        self.fail_with(USAGE, *operands, "y.npy", "--alpha", "two", says="--alpha")
        self.fail_with(USAGE, *operands, "y.npy", "--beta", "1e39", says="32-bit float")
        self.fail_with(FAILED, *operands, "y.npy", "--beta", "1", says=["--beta 1", "y.npy"])
        self.fail_with(FAILED, *operands, "y.npy", "--transpose", says=["4 elements", "needs 3"])
        self.fail_with(FAILED, "gemv", "a.f4.npy", "x.f2.npy", "y.npy", says="one type")
        self.fail_with(FAILED, "gemv", "x.f4.npy", "x.f4.npy", "y.npy", says="height, width")
        self.fail_with(FAILED, "gemv", "a.f4.npy", "a.f4.npy", "y.npy", says="vector")
        write("bytes.npy", npy("|u1", (3, 4), bytes(12)))
        self.fail_with(FAILED, "gemv", "bytes.npy", "x.f4.npy", "y.npy", says="f32 or f16")
        write("y.npy", npy("<f4", "(4,)", bytes(16)))
        before = read("y.npy")
        self.fail_with(FAILED, *operands, "y.npy", "--beta", "1", says=["4 elements", "needs 3"])
        self.assertEqual(read("y.npy"), before)
        write("text.npy", b"not a matrix")
        self.fail_with(FAILED, "gemv", "text.npy", "x.f4.npy", "y.npy", says="text.npy")


if __name__ == "__main__":
    unittest.main()
