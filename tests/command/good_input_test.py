"""Tests the command's inputs and outputs. y4m_test.py tests videos, and batches_test.py tests many files."""

import json
import os
import random
import struct
import subprocess
import sys
import threading
import unittest

from support import (HAS_IMAGES, WARPWISE, CommandTest, gpu_environment, has_gpu, npy, npy_parts, png, ramp, read,
                     sample, sobel_u8, write, y4m)

GREY_8X6 = ["--from", "gray8", "--size", "8x6"]


class RawAndPipes(CommandTest):
    def test_raw_to_raw(self):
        frame = ramp(48)
        write("in.raw", frame)
        self.succeed("sobel", "in.raw", "out.raw", *GREY_8X6)
        self.assertEqual(read("out.raw"), sobel_u8(frame, 8, 6))

    def test_several_frames(self):
        frames = [ramp(48, step) for step in range(5)]
        expected = b"".join(sobel_u8(frame, 8, 6) for frame in frames)
        write("in.raw", b"".join(frames))
        self.succeed("sobel", "in.raw", "out.raw", *GREY_8X6)
        self.assertEqual(read("out.raw"), expected)
        done = self.succeed("sobel", "-", "-", *GREY_8X6, stdin=b"".join(frames))
        self.assertEqual(done.stdout, expected)
        self.assertIn(b"5 frames", done.stderr)

    def test_a_pipe_gives_each_frame_before_the_next_comes(self):
        command = subprocess.Popen([WARPWISE, "sobel", "-", "-", *GREY_8X6], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for step in range(3):
            command.stdin.write(ramp(48, step))
            command.stdin.flush()
            self.assertEqual(command.stdout.read(48), sobel_u8(ramp(48, step), 8, 6))
        command.stdin.close()
        self.assertEqual(command.stdout.read(), b"")
        command.stdout.close()
        self.assertEqual(command.wait(), 0)

    def test_named_pipes_and_devices(self):
        os.mkfifo("pipe")
        reader = threading.Thread(target=lambda: write("got", read("pipe")))
        reader.start()
        write("in.raw", ramp(48))
        self.succeed("sobel", "in.raw", "pipe", *GREY_8X6)
        reader.join()
        self.assertEqual(read("got"), sobel_u8(ramp(48), 8, 6))
        self.succeed("sobel", "in.raw", "/dev/null", *GREY_8X6)
        done = self.succeed("sobel", "in.raw", "/dev/stdout", *GREY_8X6)
        self.assertEqual(done.stdout, sobel_u8(ramp(48), 8, 6))
        for name in ["/dev/stdout", "/dev/fd/1", "-"]:  # appends to what standard output already holds
            with open("both.raw", "wb") as both:
                for _ in range(2):
                    subprocess.run([WARPWISE, "sobel", "in.raw", name, *GREY_8X6], stdout=both, stderr=subprocess.DEVNULL, check=True)
            self.assertEqual(read("both.raw"), 2 * sobel_u8(ramp(48), 8, 6), name)

    def test_pixel_formats_of_raw(self):
        """Grey pixels in any order of colours and any depth give the result of a grey image."""
        grey = ramp(48)
        expected = sobel_u8(grey, 8, 6)
        for name, pixel in [("rgb24", lambda g: bytes([g] * 3)), ("bgr24", lambda g: bytes([g] * 3)),
                            ("rgba32", lambda g: bytes([g] * 3 + [9])),
                            ("bgra32", lambda g: bytes([g] * 3 + [9]))]:
            write("in.raw", b"".join(pixel(g) for g in grey))
            self.succeed("sobel", "in.raw", "out.raw", "--from", name, "--size", "8x6")
            self.assertEqual(read("out.raw"), expected, name)
        write("in.raw", struct.pack("<48H", *grey))
        self.succeed("sobel", "in.raw", "out.raw", "--from", "gray16", "--size", "8x6")
        deep = struct.unpack("<48H", read("out.raw"))
        self.assertEqual(bytes(min(255, v) for v in deep), expected)
        write("in.raw", struct.pack("<48f", *grey))
        self.succeed("sobel", "in.raw", "out.raw", "--from", "grayf32", "--size", "8x6")
        self.assertEqual(struct.unpack("<48f", read("out.raw")), tuple(map(float, deep)))

    def test_order_of_colours_matters(self):
        colours = ramp(144)
        swapped = b"".join(colours[i:i + 3][::-1] for i in range(0, 144, 3))
        results = []
        for name, frame in [("rgb24", colours), ("bgr24", swapped), ("rgb24", swapped)]:
            for command in [["sobel"], ["threshold", "--window", "3"]]:
                write("in.raw", frame)
                self.succeed(*command, "in.raw", "out.raw", "--from", name, "--size", "8x6")
                results.append(read("out.raw"))
        self.assertEqual(results[0:2], results[2:4])
        self.assertNotEqual(results[0:2], results[4:6])

    def test_npy_through_pipes(self):
        done = self.succeed("sobel", "-", "-", stdin=npy("|u1", (6, 8), ramp(48)))
        self.assertEqual(done.stdout, sobel_u8(ramp(48), 8, 6))
        self.succeed("sobel", "-", "out.npy", stdin=npy("|u1", (6, 8), ramp(48)))
        self.assertEqual(npy_parts("out.npy"), ("|u1", (6, 8), sobel_u8(ramp(48), 8, 6)))

    def test_no_image_library_is_loaded_for_raw_and_npy(self):
        write("in.raw", ramp(48))
        for output in ["out.raw", "out.npy"]:
            done = self.succeed("sobel", "in.raw", output, *GREY_8X6,
                                env=dict(os.environ, LD_DEBUG="files"))
            self.assertIn(b"libwarpwise.so", done.stderr)
            self.assertNotIn(b"opencv", done.stderr)
            self.assertNotIn(b"libwarpwise_png", done.stderr)


    @unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")
    def test_an_image_loads_its_own_library_alone(self):
        write("in.png", png(8, 6, 8, 0, ramp(48)))
        for output, library in [("out.png", b"libpng16"), ("out.jpg", b"libjpeg"),
                                ("out.tif", b"libtiff"), ("out.webp", b"libwebp")]:
            done = self.succeed("convert", "in.png", output, "--to", "rgb24",
                                env=dict(os.environ, LD_DEBUG="files"))
            self.assertIn(library, done.stderr)
            self.assertNotIn(b"opencv", done.stderr)


class Results(CommandTest):
    def test_signed_results(self):
        write("in.npy", npy("|u1", (1, 3), bytes([0, 9, 255])))
        self.succeed("sobel", "in.npy", "dx.npy", "--output", "dx", "--border", "replicate")
        self.assertEqual(npy_parts("dx.npy"), ("<i2", (1, 3), struct.pack("<3h", 36, 1020, 984)))
        self.succeed("sobel", "in.npy", "dx.raw", "--output", "dx", "--border", "replicate")
        self.assertEqual(read("dx.raw"), struct.pack("<3h", 36, 1020, 984))
        write("in.npy", npy("<u2", (1, 3), struct.pack("<3H", 65535, 0, 0)))
        self.succeed("sobel", "in.npy", "dx.npy", "--output", "dx", "--border", "replicate")
        self.assertEqual(npy_parts("dx.npy"),
                         ("<i4", (1, 3), struct.pack("<3i", -262140, -262140, 0)))

    def test_grey_of_16_bits_and_floats(self):
        def f32(number):
            return struct.unpack("<f", struct.pack("<f", number))[0]

        def grey(red, green, blue):
            if isinstance(red, int):
                return (9798 * red + 19235 * green + 3735 * blue + 16384) >> 15
            weighted = [f32(f32(weight) * colour) for weight, colour in
                        zip((0.299, 0.587, 0.114), (red, green, blue))]
            return f32(f32(weighted[0] + weighted[1]) + weighted[2])

        environment = gpu_environment()
        draw = random.Random(7)
        for kind, letter, colour in [("<u2", "H", lambda: draw.randrange(65536)),
                                     ("<f4", "f", lambda: f32(draw.uniform(-9, 9)))]:
            for channels in 3, 4:
                pixels = [[colour() for _ in range(channels)] for _ in range(31 * 9)]
                write("in.npy", npy(kind, (9, 31, channels), struct.pack(f"<{31 * 9 * channels}{letter}",
                                                                         *[each for one in pixels for each in one])))
                write("grey.npy", npy(kind, (9, 31), struct.pack(f"<{31 * 9}{letter}",
                                                                 *[grey(*one[:3]) for one in pixels])))
                for command in [["sobel"]] + [["threshold", "--window", "5"]] * (kind == "<u2"):
                    self.succeed(command[0], "grey.npy", "expected.npy", *command[1:], "--backend", "cpu")
                    self.succeed(command[0], "in.npy", "out.npy", *command[1:], "--backend", "cpu")
                    self.assertEqual(read("out.npy"), read("expected.npy"), (kind, channels, command))
                    if environment is None:
                        continue
                    self.succeed(command[0], "in.npy", "gpu.npy", *command[1:], "--backend", "cuda", env=environment)
                    self.assertEqual(read("gpu.npy"), read("expected.npy"), (kind, channels, command))

    def test_types_stay(self):
        write("in.npy", npy("<u2", (2, 2), struct.pack("<4H", 0, 60000, 60000, 0)))
        self.succeed("sobel", "in.npy", "out.npy")
        self.assertEqual(npy_parts("out.npy")[0], "<u2")
        self.succeed("threshold", "in.npy", "out.npy", "--window", "3")
        self.assertEqual(npy_parts("out.npy"),
                         ("<u2", (2, 2), struct.pack("<4H", 0, 65535, 65535, 0)))
        write("in.npy", npy("<f4", (1, 3), struct.pack("<3f", 0, 0.5, 2)))
        self.succeed("sobel", "in.npy", "out.npy", "--border", "replicate")
        self.assertEqual(npy_parts("out.npy"), ("<f4", (1, 3), struct.pack("<3f", 2, 8, 6)))

    def test_threshold_options(self):
        write("in.npy", npy("|u1", (1, 4), bytes([10, 20, 30, 200])))
        def threshold(*options):
            self.succeed("threshold", "in.npy", "out.npy", "--window", "1", *options)
            return list(npy_parts("out.npy")[2])
        self.assertEqual(threshold(), [0, 0, 0, 0])  # no pixel is brighter than itself
        self.assertEqual(threshold("--offset", "1"), [255] * 4)
        self.assertEqual(threshold("--offset", "-4.5"), [0] * 4)
        self.assertEqual(threshold("--offset", "-.5", "--invert", "--max", "7"), [7] * 4)
        self.assertEqual(threshold("--offset=0.5", "--method", "exact-mean"), [255] * 4)

    def test_mean_image(self):
        write("in.npy", npy("|u1", (1, 4), bytes([10, 20, 30, 200])))
        self.succeed("threshold", "in.npy", "out.npy", "--window", "3", "--mean", "mean.npy")
        self.assertEqual(npy_parts("mean.npy"), ("|u1", (1, 4), bytes([13, 20, 83, 143])))
        self.succeed("threshold", "in.npy", "out.npy", "--window", "3", "--method", "exact-mean",
                     "--mean", "mean.npy")
        self.assertEqual(npy_parts("mean.npy")[0], "<f4")
        with open("in.npy", "rb") as file:
            done = self.succeed("threshold", "-", "out.npy", "--window", "3", "--mean", "-", stdin=file.read())
        self.assertEqual(done.stdout[-4:], bytes([13, 20, 83, 143]))

    def test_convert_layouts(self):
        write("in.npy", npy("|u1", (2, 2, 3), bytes([255, 255, 255, 0, 0, 0] * 2)))
        self.succeed("convert", "in.npy", "out.npy", "--to", "ycbcr32")
        self.assertEqual(npy_parts("out.npy"),
                         ("|u1", (2, 2, 4), bytes([255, 128, 128, 255, 0, 128, 128, 255] * 2)))
        self.succeed("convert", "in.npy", "out.npy", "--to", "i444")
        self.assertEqual(npy_parts("out.npy"),
                         ("|u1", (3, 2, 2), bytes([255, 0] * 2 + [128] * 8)))
        self.succeed("convert", "in.npy", "out.npy", "--to", "gray8", "--to-range", "limited")
        self.assertEqual(npy_parts("out.npy"), ("|u1", (2, 2), bytes([235, 16] * 2)))

    def test_convert_raw_frames(self):
        write("in.raw", bytes([235, 128, 16, 128] * 2) * 3)
        self.succeed("convert", "in.raw", "out.raw", "--from", "yuyv", "--size", "2x2",
                     "--from-range", "limited", "--to", "rgb24")
        self.assertEqual(read("out.raw"), bytes([255, 255, 255, 0, 0, 0] * 2) * 3)
        write("odd.raw", bytes([100] * 9 + [128] * 8))
        self.succeed("convert", "odd.raw", "out.npy", "--from", "i420", "--size", "3x3", "--to",
                     "rgb24")
        self.assertEqual(npy_parts("out.npy"), ("|u1", (3, 3, 3), bytes([100] * 27)))

    def test_in_place(self):
        write("a.npy", npy("|u1", (6, 8), ramp(48)))
        os.chmod("a.npy", 0o640)
        self.succeed("sobel", "a.npy", "a.npy")
        self.assertEqual(npy_parts("a.npy")[2], sobel_u8(ramp(48), 8, 6))
        self.assertEqual(os.stat("a.npy").st_mode & 0o777, 0o640)
        self.assertEqual(os.listdir("."), ["a.npy"])

    def test_threads(self):
        write("in.npy", npy("|u1", (300, 400), ramp(120000)))
        for threads in ["1", "2", "7"]:
            self.succeed("sobel", "in.npy", f"{threads}.npy", "--backend", "cpu", "--threads",
                         threads)
        self.assertEqual(read("1.npy"), read("2.npy"))
        self.assertEqual(read("1.npy"), read("7.npy"))


class Folders(CommandTest):
    def setUp(self):
        super().setUp()
        os.mkdir("in")
        for name in ["b", "a"]:
            write(f"in/{name}.npy", npy("|u1", (6, 8), ramp(48)))
        write("in/notes.txt", b"no picture")

    def test_folder_and_list_into_a_folder(self):
        done = self.succeed("sobel", "in", "out/deep")
        self.assertEqual(sorted(os.listdir("out/deep")), ["a.npy", "b.npy"])
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 3)
        self.assertTrue(lines[0].startswith(b"skipped: "), lines[0])
        self.assertEqual(done.stderr, b"")  # the progress bar is for terminals
        self.succeed("sobel", "in/a.npy", "in/b.npy", "list")
        self.assertEqual(sorted(os.listdir("list")), ["a.npy", "b.npy"])
        self.assertEqual(npy_parts("list/a.npy")[2], sobel_u8(ramp(48), 8, 6))

    def test_one_file_into_a_folder(self):
        os.mkdir("out")
        self.succeed("sobel", "in/a.npy", "out")
        self.succeed("sobel", "in/a.npy", "new/")
        self.assertEqual(os.listdir("out") + os.listdir("new"), ["a.npy", "a.npy"])

    def test_folder_onto_itself(self):
        write("in/C.NPY", npy("|u1", (6, 8), ramp(48)))
        self.succeed("sobel", "in", "in")
        edges = sobel_u8(ramp(48), 8, 6)
        for name in ["a.npy", "C.NPY"]:
            self.assertEqual(npy_parts(f"in/{name}")[2], edges)
        self.succeed("sobel", "in", "in")
        self.assertEqual(npy_parts("in/C.NPY")[2], sobel_u8(edges, 8, 6))
        self.assertEqual(sorted(os.listdir("in")), ["C.NPY", "a.npy", "b.npy", "notes.txt"])

    def test_names_in_brackets_stay(self):
        self.succeed("threshold", "--invert", "in", "[a,b]", "--window", "3", "--mean", "[m]")
        self.succeed("sobel", "[a,b]", "[edges]")
        for folder in ["[a,b]", "[m]", "[edges]"]:
            self.assertEqual(sorted(os.listdir(folder)), ["a.npy", "b.npy"])

    def test_raw_files_in_a_folder(self):
        write("in/c.raw", ramp(96))
        self.succeed("sobel", "in", "out", *GREY_8X6)
        self.assertEqual(sorted(os.listdir("out")), ["a.npy", "b.npy", "c.raw"])
        self.assertEqual(len(read("out/c.raw")), 96)

    def test_mean_images_of_a_folder(self):
        self.succeed("threshold", "in", "out", "--window", "3", "--mean", "means")
        self.assertEqual(sorted(os.listdir("means")), ["a.npy", "b.npy"])

    def test_progress_on_a_terminal(self):
        code, shown = self.on_terminal("sobel", "in", "out", streams=["stderr"])
        self.assertEqual(code, 0)
        self.assertIn(b"1/2 in/b.npy", shown)
        self.assertTrue(shown.endswith(b"\x1b[K"))

    @unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")
    def test_types_in_a_folder(self):
        self.succeed("sobel", sample("building.jpg"), sample("sudoku.png"), "in/a.npy", "out")
        self.assertEqual(sorted(os.listdir("out")), ["a.npy", "building.png", "sudoku.png"])
        self.succeed("sobel", sample("building.jpg"), sample("sudoku.png"), "dx", "--output", "dx")
        self.assertEqual(sorted(os.listdir("dx")), ["building.npy", "sudoku.npy"])


class InputsThatBelongTogether(CommandTest):
    """Tests that match, disparity, find and track accept the same pictures as sobel."""

    SIZE = ["--size", "40x32"]

    def setUp(self):
        super().setUp()
        wide = ramp(48 * 32)  # two cut-outs of this picture that differ by a shift of three columns
        self.frames = [b"".join(wide[48 * y + x:48 * y + x + 40] for y in range(32)) for x in [0, 3, 6]]
        for i, frame in enumerate(self.frames):
            write(f"{i}.npy", npy("|u1", (32, 40), frame))
            write(f"{i}.raw", frame)
            write(f"{i}.rgb.raw", b"".join(bytes([g] * 3) for g in frame))
        self.commands = {"match": ["--block-size", "8", "--search", "4"], "disparity": ["--max-disparity", "8"],
                         "find": ["--map"]}

    def result(self, command, first, second, *options, stdin=b""):
        out = {"match": "out.csv", "disparity": "out.pfm", "find": "out.npy"}[command]
        own = self.commands[command]
        paths = [first, second, *own, out] if command == "find" else [first, second, out, *own]
        self.succeed(command, *paths, *options, stdin=stdin)
        return read(out)

    def test_raw_files_and_pipes(self):
        for command in self.commands:
            expected = self.result(command, "0.npy", "1.npy")
            raw = ["--from", "gray8", *self.SIZE]
            self.assertEqual(self.result(command, "0.raw", "1.raw", *raw), expected)
            self.assertEqual(self.result(command, "0.npy", "1.raw", *raw), expected)
            self.assertEqual(self.result(command, "0.rgb.raw", "1.rgb.raw", "--from", "rgb24",
                                         *self.SIZE), expected)
            self.assertEqual(self.result(command, "-", "1.npy", *raw, stdin=self.frames[0]), expected)
            self.assertEqual(self.result(command, "0.npy", "-", stdin=read("1.npy")), expected)
            write("1.y4m", y4m(40, 32, "420", self.frames[1] + bytes(640)))
            self.assertEqual(self.result(command, "0.npy", "1.y4m"), expected)

    def test_track_goes_through_frames(self):
        def track(*inputs, stdin=b""):
            self.succeed("track", *inputs, "out.csv", "--box", "12,8,16,12", "--search", "4", stdin=stdin)
            return read("out.csv")
        raw = ["--from", "gray8", *self.SIZE]
        expected = track("0.npy", "1.npy", "2.npy")
        self.assertEqual([line.split(b",")[1] for line in expected.splitlines()[1:]],
                         [b"12", b"9", b"6"])
        write("all.raw", b"".join(self.frames))
        self.assertEqual(track("all.raw", *raw), expected)
        self.assertEqual(track("-", *raw, stdin=read("all.raw")), expected)
        for colours, chroma in [("420", 640), ("mono", 0)]:
            video = y4m(40, 32, colours, *[frame + bytes(chroma) for frame in self.frames])
            write("all.y4m", video)
            self.assertEqual(track("all.y4m"), expected)
            self.assertEqual(track("-", stdin=video), expected)
        write("later.raw", b"".join(self.frames[1:]))
        self.assertEqual(track("0.npy", "later.raw", *raw), expected)
        os.mkdir("frames")
        for i in range(3):
            os.rename(f"{i}.raw", f"frames/{i}.raw")
        self.assertEqual(track("frames", *raw), expected)


class Terminal(CommandTest):
    def test_no_picture_goes_to_one(self):
        write("in.raw", ramp(48))
        for arguments in [["sobel", "in.raw", "-", *GREY_8X6],
                          ["convert", "in.raw", "/dev/stdout", *GREY_8X6, "--to", "rgb24"]]:
            code, shown = self.on_terminal(*arguments)
            self.assertEqual(code, 2)
            self.assertEqual(shown, b"warpwise: the picture would go to a terminal; name a file, or send "
                                    b"standard output to a file or a program\r\n")

    def test_a_table_fits_it(self):
        code, shown = self.on_terminal("lab", "list", "convert", columns=60)
        self.assertEqual(code, 0)
        self.assertIn("…", shown.decode())
        rows = shown.decode().replace("\r", "").split("\n\n")[0].split("\n")[2:]
        self.assertTrue(all(len(row) <= 60 for row in rows), rows)


class Help(CommandTest):
    def test_whoever_asks_gets_it(self):
        app = self.succeed("--help").stdout
        self.assertIn(b"Subcommands:", app)
        for asked in [[], ["help"], ["-h"]]:
            self.assertEqual(self.succeed(*asked).stdout, app)
        for words in [["sobel"], ["lab"], ["lab", "run"]]:
            text = self.succeed(*words, "--help").stdout
            self.assertIn(b"Usage: warpwise " + b" ".join(word.encode() for word in words), text)
            self.assertEqual(self.succeed("help", *words).stdout, text)

    def test_explain(self):
        text = self.succeed("explain", "--help").stdout
        self.assertIn(b"Usage: warpwise explain [OPTIONS] [FILE...]\n", text)
        self.assertIn(b"--json not with: --html", text)


class Pages(CommandTest):
    """Tests threshold without --window, which chooses a window for a photo of a page and prints it."""

    def chosen(self, *options):
        done = self.succeed("threshold", "page.npy", "chosen.npy", *options, "--json")
        report = json.loads(done.stdout)
        return report["options"], report["files"][0]["chosen"]

    def assert_same_as(self, *options):
        self.succeed("threshold", "page.npy", "said.npy", *options)
        self.assertEqual(read("chosen.npy"), read("said.npy"))

    def test_window_and_offset_are_said(self):
        for descr, bytes_of_pixel, offset, largest in [("|u1", 1, 15, {}), ("<u2", 2, 15 * 257, {"max": 65535})]:
            write("page.npy", npy(descr, (400, 330), os.urandom(400 * 330 * bytes_of_pixel)))
            options, chosen = self.chosen()
            self.assertEqual((options["window"], options["offset"]), (None, None))
            self.assertEqual(chosen, {"window": 21, "offset": offset} | largest)
            said = [f"--{name} {value}" for name, value in largest.items()]
            self.assert_same_as("--window", "21", "--offset", str(offset), *" ".join(said).split())
            line = self.succeed("threshold", "page.npy", "out.npy").stdout.decode()
            self.assertIn(" ".join([f"threshold --window 21 --offset {offset}.0", *said, "on "]), line)

    def test_what_is_given_is_kept(self):
        write("page.npy", npy("|u1", (40, 33), os.urandom(40 * 33)))
        options, chosen = self.chosen("--offset", "-3", "--mean", "mean.npy")
        self.assertEqual((options["offset"], chosen), (-3, {"window": 15}))
        self.assert_same_as("--window", "15", "--offset", "-3")
        self.assertNotIn(b"--window", self.succeed("threshold", "page.npy", "out.npy", "--window", "5").stdout)

    @unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")
    def test_each_picture_has_its_own(self):
        self.succeed("threshold", sample("sudoku.png"), sample("building.jpg"), "pages")
        done = self.succeed("threshold", sample("sudoku.png"), sample("building.jpg"), "pages", "--json")
        windows = [file["chosen"]["window"] for file in json.loads(done.stdout)["files"]]
        self.assertEqual(windows, [35, 37])

    def test_a_page_is_clean(self):
        """Black letters on white paper in fading light, with noise: few pixels of letters or paper get the wrong colour."""
        width, height, state = 640, 480, 12345
        page, ink = bytearray(), bytearray()
        for y in range(height):
            for x in range(width):
                state = (state * 1103515245 + 12345) % 2**31
                is_ink = 60 < y < 420 and y % 24 < 10 and x % 16 < 3 and 40 < x < 600
                paper = 230 - 130 * x // width
                page.append((paper * 2 // 5 if is_ink else paper) + (state >> 16) % 13 - 6)
                ink.append(is_ink)
        write("page.npy", npy("|u1", (height, width), bytes(page)))
        self.succeed("threshold", "page.npy", "out.npy")
        out = npy_parts("out.npy")[2]
        wrong = sum((value == 0) != is_ink for value, is_ink in zip(out, ink))
        self.assertLess(wrong, width * height // 1000)


class Reports(CommandTest):
    def setUp(self):
        super().setUp()
        write("in.npy", npy("|u1", (6, 8), ramp(48)))

    def test_json(self):
        done = self.succeed("threshold", "in.npy", "out.npy", "--window", "5", "--offset", "-2",
                            "--json")
        report = json.loads(done.stdout)
        self.assertEqual(report["command"], "threshold")
        self.assertEqual(report["options"], {"window": 5, "offset": -2.0, "method": "mean",
                                             "max": 255, "invert": False})
        self.assertNotIn("chosen", report["files"][0])
        self.assertEqual(report["backend"], "cuda" if has_gpu() else "cpu")
        (file,) = report["files"]
        self.assertEqual((file["input"], file["width"], file["height"], file["frames"]),
                         ("in.npy", 8, 6, 1))
        self.assertEqual(file["outputs"], [{"path": "out.npy", "pixels": "gray8"}])
        self.assertGreater(file["milliseconds"]["compute"], 0)
        self.assertGreater(file["mpix_per_s"], 0)
        self.assertGreater(file["gb_per_s"], 0)
        self.assertEqual(done.stderr, b"")

    def test_json_of_every_command(self):
        for arguments in [["sobel"], ["convert", "--to", "rgb24"]]:
            done = self.succeed(*arguments, "in.npy", "out.npy", "--json")
            self.assertEqual(json.loads(done.stdout)["command"], arguments[0])
        self.assertGreaterEqual(json.loads(self.succeed("devices", "--json").stdout)["cpu"]["threads"],
                                1)

    def test_line(self):
        done = self.succeed("sobel", "in.npy", "out.npy", "--backend", "cpu", "--threads", "1")
        self.assertRegex(done.stdout.decode(),
                         r"^out.npy: 8x6 gray8 from in.npy, sobel on cpu \(1 thread\) in "
                         r"[0-9.]+ ms: \d+ MPix/s, [0-9.]+ GB/s\n$")

    def test_devices_help_version(self):
        self.assertIn(b"threads", self.succeed("devices").stdout)
        self.assertRegex(self.succeed("--version").stdout.decode(), r"^warpwise \d+\.\d+\.\d+\n$")
        for arguments in [["--help"], ["convert", "--help"], ["sobel", "-h"], ["threshold", "--help"],
                          ["devices", "--help"]]:
            self.assertIn(b"Usage: warpwise", self.succeed(*arguments).stdout)


@unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")
class Images(CommandTest):
    def test_16_bits_stay(self):
        values = [0, 60000, 60000, 300]
        write("in.png", png(2, 2, 16, 0, struct.pack(">4H", *values)))
        self.succeed("threshold", "in.png", "out.png", "--window", "3")
        self.assertEqual(read("out.png")[24], 16)  # the bit depth in PNG's header
        self.succeed("sobel", "in.png", "out.npy", "--output", "dy")
        self.assertEqual(npy_parts("out.npy")[0], "<i4")

    def test_grey_stays_grey_and_alpha_is_ignored(self):
        grey = ramp(48)
        write("grey.png", png(8, 6, 8, 0, grey))
        write("rgba.png", png(8, 6, 8, 6, b"".join(bytes([g, g, g, g // 2]) for g in grey)))
        for name in ["grey", "rgba"]:
            self.succeed("sobel", f"{name}.png", "out.png")
            self.assertEqual(read("out.png")[24:26], bytes([8, 0]))
            self.succeed("sobel", f"{name}.png", "out.raw")
            self.assertEqual(read("out.raw"), sobel_u8(grey, 8, 6))

    def test_deep_colour_with_alpha(self):
        pixels = struct.pack(">4H", 1000, 1000, 1000, 7) * 4
        write("in.png", png(2, 2, 16, 6, pixels))
        self.succeed("threshold", "in.png", "out.npy", "--window", "3", "--mean", "mean.npy")
        self.assertEqual(npy_parts("mean.npy"), ("<u2", (2, 2), struct.pack("<4H", *[1000] * 4)))

    def test_images_through_pipes(self):
        with open(sample("sudoku.png"), "rb") as file:
            done = self.succeed("sobel", "-", "-", stdin=file.read())
        self.assertEqual(len(done.stdout), 558 * 563)

    def test_colours_keep_their_order(self):
        write("in.png", png(1, 1, 8, 2, bytes([10, 20, 30])))
        self.succeed("convert", "in.png", "out.raw", "--to", "rgb24")
        self.assertEqual(read("out.raw"), bytes([10, 20, 30]))
        self.succeed("convert", "in.png", "bgr.png", "--to", "bgr24")  # bgr24 in a PNG file has the same colours
        self.succeed("convert", "bgr.png", "out.raw", "--to", "bgr24")
        self.assertEqual(read("out.raw"), bytes([30, 20, 10]))
        self.succeed("convert", "in.png", "rgba.png", "--to", "rgba32")
        self.succeed("convert", "rgba.png", "out.raw", "--to", "rgba32")
        self.assertEqual(read("out.raw"), bytes([10, 20, 30, 255]))

    def test_missing_module_is_named(self):
        """Runs a copy of the command without the modules beside it."""
        here = os.path.dirname(WARPWISE)
        os.makedirs("bundle/bin")
        os.makedirs("bundle/lib")
        write("bundle/bin/warpwise", read(WARPWISE))
        os.chmod("bundle/bin/warpwise", 0o755)
        library = os.path.join(here, "..", "lib")
        for name in os.listdir(library):
            if name.startswith(("libwarpwise.so", "libwarpwise_runtime.so", "libwarpwise_emulator.so")):
                write(f"bundle/lib/{name}", read(os.path.join(library, name)))
        write("in.npy", npy("|u1", (6, 8), ramp(48)))
        def run(*arguments):
            return subprocess.run(["bundle/bin/warpwise", *arguments], capture_output=True)
        # OpenCV and its libraries take long to load, and small formats do not need them.
        for name in ["out.npy", "out.pgm", "out.pnm", "out.pam", "out.bmp", "out.dib"]:
            self.assertEqual(run("sobel", "in.npy", name).returncode, 0, name)
            self.assertEqual(run("sobel", name, "again.npy").returncode, 0, name)
        self.assertEqual(run("disparity", "in.npy", "in.npy", "out.pfm", "--max-disparity", "4").returncode, 0)
        self.assertEqual(run("sobel", "out.pfm", "again.npy").returncode, 0)
        done = run("sobel", sample("sudoku.png"), "out.npy")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count(b"\n"), 1)
        for words in [b"libwarpwise_png.so", b"install libpng-dev", b".npy or .raw"]:
            self.assertIn(words, done.stderr)
        done = run("sobel", "in.npy", "out.jp2")
        self.assertEqual(done.returncode, 1)
        for words in [b"libwarpwise_opencv.so", b"install libopencv-imgcodecs-dev"]:
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
