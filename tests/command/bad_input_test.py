"""Tests wrong calls and inputs: the command prints one line, ends with the right exit code, and leaves no file."""

import json
import os
import resource
import shutil
import signal
import subprocess
import time
import unittest

from support import (HAS_IMAGES, SANITIZED, WARPWISE, CommandTest, has_gpu, npy, png, ramp, read,
                     sample, write, y4m)

FAILED = 1
USAGE = 2


def without_core_file():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Arguments(CommandTest):
    def setUp(self):
        super().setUp()
        write("in.npy", npy("|u1", (8, 8), ramp(64)))

    def test_missing_or_unknown(self):
        self.fail_with(USAGE, "sharpen", says=["a subcommand is needed, not 'sharpen': convert, sobel"])
        self.fail_with(USAGE, "sobell", says=["not 'sobell' (did you mean \"sobel\"?): convert"])
        for words in [["lab", "rnu"], ["help", "lab", "rnu"]]:
            self.fail_with(USAGE, *words, says="not 'rnu' (did you mean \"run\"?): list, run, plot, report, verify, diff, occupancy, predict")
        self.fail_with(USAGE, "help", "sobell", says=["not 'sobell' (did you mean \"sobel\"?): convert"])
        self.fail_with(USAGE, "sobel", says="IN... OUT")
        self.fail_with(USAGE, "sobel", "in.npy", says="IN... OUT")
        self.fail_with(USAGE, "sobel", "in.npy", "out.npy", "--bogus", says=["--bogus", "--help"])
        self.fail_with(USAGE, "sobel", "in.npy", "out.npy", "--norm", says="--norm")
        self.fail_with(USAGE, "sobel", "in.npy", "out.npy", "--norm", "l1", "--norm", "l2",
                       says="--norm")
        self.fail_with(USAGE, "convert", "in.npy", "out.npy", says=["--to FMT", "ycbcr32"])
        self.fail_with(USAGE, "devices", "extra", says="extra")

    def test_names_list_what_works(self):
        for option, needs in [("--norm", "l1, l2"), ("--output", "magnitude, dx, dy"),
                              ("--kernel", "sobel, scharr"), ("--backend", "auto, cpu, cuda"),
                              ("--border", "reflect101, replicate, constant")]:
            self.fail_with(USAGE, "sobel", "in.npy", "out.npy", option, "x", says=["'x'", needs])
        self.fail_with(USAGE, "convert", "in.npy", "out.npy", "--to", "rgb", says="rgb24")
        self.fail_with(USAGE, "convert", "in.npy", "out.npy", "--to", "rgb24", "--matrix", "601",
                       says="bt601, bt709, bt2020")
        self.fail_with(USAGE, "threshold", "in.npy", "out.npy", "--window", "3", "--method", "MEAN",
                       says="mean, gaussian, exact-mean")

    def test_numbers(self):
        for text in ["0", "-3", "4", "3x", "x", "", "3.0", "0x3", " 3", "3 ", "1e1",
                     "99999999999999999999", "16777217"]:
            self.fail_with(USAGE, "threshold", "in.npy", "out.npy", "--window", text,
                           says=["--window", "needs an"])
        for text in ["x", "", "1,5", "nan", "inf", "1e999", "3 4"]:
            self.fail_with(USAGE, "threshold", "in.npy", "out.npy", "--window", "3", "--offset", text,
                           says=["--offset", "-4.5"])
        for text in ["-1", "65536", "1.5"]:
            self.fail_with(USAGE, "threshold", "in.npy", "out.npy", "--window", "3", "--max", text,
                           says=["--max", "0 to 65535"])
        for text in ["0", "-1", "two", "999999999999"]:
            self.fail_with(USAGE, "sobel", "in.npy", "out.npy", "--threads", text, says="--threads")
        self.fail_with(USAGE, "sobel", "in.npy", "out.npy", "--device", "-1", says="--device")

    def test_a_maximum_beyond_the_pixels(self):
        self.fail_with(USAGE, "threshold", "in.npy", "out.npy", "--window", "3", "--max", "256",
                       says="256")

    def test_sizes(self):
        write("in.raw", bytes(64))
        for text in ["8", "8x", "x8", "8x8x1", "0x8", "8x0", "-8x8", "8*8", "8.0x8", "8 x 8",
                     "99999999999999999999x8"]:
            self.fail_with(USAGE, "sobel", "in.raw", "out.raw", "--from", "gray8", "--size", text,
                           says="--size")
        self.fail_with(USAGE, "sobel", "in.raw", "out.raw", says=["in.raw", "--from", "--size"])
        self.fail_with(USAGE, "sobel", "in.raw", "out.raw", "--from", "gray8", says="--size")
        self.fail_with(USAGE, "sobel", "in.raw", "out.raw", "--size", "8x8", says="--from")
        self.fail_with(USAGE, "sobel", "in.raw", "out.raw", "--size", "8x8", "--from", "nv12",
                       says=["'nv12'", "gray16"])

    @unittest.skipIf(SANITIZED, "AddressSanitizer ends a program that runs out of memory")
    def test_sizes_that_overflow(self):
        write("in.raw", bytes(64))
        for size in ["2147483648x2147483648", "4294967296x4294967296",
                     "9223372036854775807x9223372036854775807", "9223372036854775807x1"]:
            for pixels in ["gray8", "rgb24", "gray16"]:
                for source in ["in.raw", "-"]:
                    done = self.run_command("sobel", source, "out.raw", "--from", pixels, "--size",
                                            size, stdin=bytes(64))
                    said = done.stderr.decode()
                    self.assertIn(done.returncode, [FAILED, USAGE], said)
                    self.assertEqual(said.count("\n"), 1, said)
                    self.assertTrue(said.startswith("warpwise: "), said)
                    self.assertFalse(os.path.exists("out.raw"))

    def test_combinations_without_meaning(self):
        self.fail_with(USAGE, "sobel", "in.npy", "out.npy", "--backend", "cpu", "--device", "0",
                       says="--device")
        self.fail_with(USAGE, "sobel", "in.npy", "-", "--json", says=["--json", "standard output"])
        self.fail_with(USAGE, "threshold", "in.npy", "a.npy", "--window", "3", "--mean", "-",
                       "--json", says=["--json", "standard output"])
        self.fail_with(USAGE, "sobel", "in.npy", "out.npy", "--from", "gray8", "--size", "8x8",
                       says=["headerless", ".raw"])
        self.fail_with(USAGE, "sobel", "-", "-", "out", says="only once")
        self.fail_with(USAGE, "threshold", "in.npy", "a.npy", "--window", "3", "--mean", "a.npy",
                       says="two results")
        write("twice.npy", read("in.npy"))
        os.mkdir("other")
        write("other/in.npy", read("in.npy"))
        self.fail_with(USAGE, "sobel", "in.npy", "other/in.npy", "out", says=["in.npy", "'in'"])
        self.fail_with(USAGE, "sobel", "in.npy", "twice.npy", "-", says="folder")

    def test_conversions_without_definition(self):
        write("rgb.npy", npy("|u1", (2, 2, 3), ramp(12)))
        self.fail_with(USAGE, "convert", "rgb.npy", "out.npy", "--to", "ycbcr32", "--convention",
                       "jfif", "--matrix", "bt709", says=["jfif", "bt709"])

    def test_results_that_a_file_type_cannot_hold(self):
        self.fail_with(USAGE, "sobel", "in.npy", "out.png", "--output", "dx",
                       says=["out.png", "i16", ".tiff", ".npy", ".raw"])
        self.fail_with(USAGE, "convert", "in.npy", "out.png", "--to", "ycbcr32",
                       says=["ycbcr32", ".npy"])
        self.fail_with(USAGE, "convert", "in.npy", "out.npy", "--to", "yuyv", says="yuyv")
        self.fail_with(USAGE, "sobel", "in.npy", "out.xyz", says=["out.xyz", ".png"])
        self.fail_with(USAGE, "sobel", "in.npy", "out", says=["out cannot hold", ".png"])
        write("real.npy", npy("<f4", (8, 8), bytes(256)))
        self.fail_with(FAILED, "sobel", "real.npy", "out.png", says=["real.npy", "f32", ".tiff"])


class Inputs(CommandTest):
    def refuse(self, name, says):
        self.fail_with(FAILED, "sobel", name, "out.npy", says=[name if name != "-" else "standard",
                                                               says])

    def test_missing(self):
        self.refuse("missing.png", "No such file")
        self.refuse("missing.raw.png", "No such file")
        self.fail_with(FAILED, "sobel", "missing.raw", "out.raw", "--from", "gray8", "--size", "1x1",
                       says="No such file")

    def test_empty(self):
        for name in ["a.png", "a.npy", "a.jpg"]:
            self.refuse(write(name, b""), "is empty")
        self.refuse("-", "is empty")
        write("a.raw", b"")
        self.fail_with(FAILED, "sobel", "a.raw", "b.raw", "--from", "gray8", "--size", "2x2",
                       says="is empty")

    def test_folders(self):
        os.mkdir("none")
        self.fail_with(FAILED, "sobel", "none", "out", says=["none", "no picture"])

    def test_unfit_pixels(self):
        self.refuse(write("a.npy", npy("<i2", (2, 2), bytes(8))), "i16")
        self.refuse(write("a.npy", npy("|u1", (2, 2, 2), bytes(8))), "2 x u8")
        self.refuse(write("a.npy", npy("<f8", (2, 2), bytes(32))), "<f8")
        self.refuse(write("a.npy", npy("|u1", (2, 2), bytes(3))), "3")
        write("b.npy", npy("<f4", (2, 2), bytes(16)))
        self.fail_with(FAILED, "threshold", "b.npy", "out.npy", "--window", "3", says="u8 and u16")
        self.fail_with(FAILED, "convert", "b.npy", "out.npy", "--to", "rgb24", says="8 and 16 bits")

    def test_raw_sizes_that_do_not_match(self):
        write("a.raw", bytes(63))
        raw = ["--from", "gray8", "--size", "8x8"]
        self.fail_with(FAILED, "sobel", "a.raw", "b.raw", *raw, says=["63 bytes", "64 bytes"])
        self.fail_with(FAILED, "sobel", "-", "b.raw", *raw, stdin=bytes(63), says=["63 bytes"])
        self.fail_with(FAILED, "sobel", "-", "b.raw", *raw, stdin=bytes(130),
                       says=["frame 3", "2 bytes"])
        write("two.raw", bytes(128))
        self.fail_with(FAILED, "sobel", "two.raw", "b.npy", *raw, says="more than one frame")

    def test_y4m(self):
        frame = bytes(96)
        cases = [(b"YUV4MPEG2 W8 H8", "ends inside its header"),
                 (y4m(8, 8, "420p17", frame), "420p17; 420jpeg, 420mpeg2"),
                 (y4m(8, 8, "420").replace(b"Ip", b"It") + frame, "interlaced (It)"),
                 (y4m(8, 8, "420", frame, frame[:9]), "ends inside frame 2: 9 bytes of 96"),
                 (y4m(8, 8, "420"), "96 bytes, the file has 35"),
                 (y4m(1 << 40, 1 << 40, "444"), "64 bits"),
                 (y4m(99999, 99999, "444", frame), "bytes, the file has")]
        for content, says in cases:
            self.refuse(write("in.y4m", content), says)
        for command, after in [("match", ["out.csv"]), ("disparity", ["out.pfm"]), ("find", [])]:
            write("two.y4m", y4m(8, 8, "420", frame, frame))
            self.fail_with(FAILED, command, "two.y4m", "two.y4m", *after,
                           says=["two.y4m", "more than one frame", command])
        self.fail_with(FAILED, "sobel", "two.y4m", "out.npy",
                       says=["two.y4m has more than one frame", ".y4m, .raw"])
        self.fail_with(USAGE, "sobel", "two.y4m", "out.raw", "--from", "gray8", "--size", "8x8",
                       says="headerless")
        self.fail_with(USAGE, "convert", "two.y4m", "out.y4m", "--to", "rgb24",
                       says=["out.y4m cannot hold rgb24", ".npy"])
        self.fail_with(USAGE, "convert", "two.y4m", "out.raw", "--to", "rgb24", "--convention",
                       "jfif", says=["two.y4m: ", "no limited range"])

    def test_raw_inputs_that_belong_together(self):
        write("one.raw", bytes(64))
        write("two.raw", bytes(128))
        write("odd.raw", bytes(63))
        raw = ["--from", "gray8", "--size", "8x8"]
        for command, after in [("match", ["out.csv"]), ("disparity", ["out.pfm"]), ("find", [])]:
            self.fail_with(USAGE, command, "one.raw", "one.raw", *after,
                           says=["one.raw", "--from FMT", "--size WxH"])
            self.fail_with(USAGE, command, "-", "-", *after, *raw, says="only once")
            self.fail_with(USAGE, command, "one.raw", "one.raw", *after, "--from", "gray16", "--size",
                           "8x8", says="'gray16'")
            self.fail_with(FAILED, command, "one.raw", "two.raw", *after, *raw,
                           says=["two.raw", "more than one frame", command])
            self.fail_with(FAILED, command, "odd.raw", "one.raw", *after, *raw,
                           says=["odd.raw has 63 bytes", "64 bytes"])
            self.fail_with(FAILED, command, "-", "one.raw", *after, *raw, stdin=bytes(9),
                           says="standard input ends inside frame 1: 9 bytes")
        track = ["out.csv", "--box", "0,0,4,4", *raw]
        self.fail_with(FAILED, "track", "/dev/zero", *track, says="no end")
        self.fail_with(FAILED, "track", "-", *track, stdin=bytes(65), says="inside frame 2")
        self.fail_with(FAILED, "track", "-", *track, says="is empty")

    @unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")
    def test_cut_or_no_images(self):
        for name in ["building.jpg", "sudoku.png"]:
            whole = read(sample(name))
            for length in [3, 10, len(whole) // 10, len(whole) // 2, len(whole) - 1]:
                write(name, whole[:length])
                self.fail_with(FAILED, "sobel", name, "out.png", says=name)
            with open(name, "rb") as cut:
                self.fail_with(FAILED, "sobel", "-", "out.png", stdin=cut.read(),
                               says="standard input is cut short")
        self.refuse(write("text.png", b"hello, I am a text\n"), "no image")
        self.refuse(write("text.jpg", bytes(1000)), "no image")

    @unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")
    def test_an_image_that_claims_a_huge_size(self):
        huge = png(1, 1, 8, 0, b"\0").replace(b"\0\0\0\1\0\0\0\1", b"\x7f\xff\xff\xff" * 2, 1)
        write("huge.png", huge)
        self.fail_with(FAILED, "sobel", "huge.png", "out.png", says="huge.png")

    @unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")
    def test_damaged_and_odd_images(self):
        images = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "images")
        bad = sorted(name for name in os.listdir(images) if name.startswith("bad-"))
        self.assertGreater(len(bad), 20)
        for name in bad:
            self.fail_with(FAILED, "threshold", os.path.join(images, name), "out.png", "--window", "3",
                           says=[name, "1048576"] if name == "bad-bomb-wide.png" else name)


class Batches(CommandTest):
    """Tests bad inputs among many good ones."""

    def setUp(self):
        super().setUp()
        os.mkdir("in")
        for i in range(20):
            write(f"in/{i:02}.npy", npy("|u1", (300, 300), ramp(90000, i)))

    def test_the_first_bad_input_is_told_whatever_ends_first(self):
        write("in/04.npy", npy("|u1", (3000, 3000), bytes(9000000)) + b"more")
        for i in range(5, 20):
            write(f"in/{i:02}.npy", npy("|u1", (2, 2), bytes(3)))
        for jobs in ["1", "3", "20"]:
            done = self.run_command("sobel", "in", "out", "--backend", "cpu", "--jobs", jobs)
            self.assertEqual(done.returncode, FAILED)
            said = done.stderr.decode()
            self.assertEqual(said.count("\n"), 1, said)
            self.assertIn("warpwise: ", said)
            self.assertIn("in/04.npy", said)
            self.assertEqual(sorted(os.listdir("out")), [f"{i:02}.npy" for i in range(4)])
            shutil.rmtree("out")

    def test_no_other_is_begun_after_a_failure(self):
        write("in/01.npy", npy("|u1", (2, 2), bytes(3)))
        os.mkfifo("slow")
        command = subprocess.Popen(
            [WARPWISE, "sobel", "slow", *[f"in/{i:02}.npy" for i in range(1, 20)], "out", "--backend",
             "cpu", "--jobs", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with open("slow", "wb") as slow:  # one thread waits for this file, the other finds the bad input
            time.sleep(0.5)
            slow.write(npy("|u1", (6, 8), ramp(48)))
        said, error = command.communicate()
        self.assertEqual(command.returncode, FAILED)
        self.assertIn(b"in/01.npy", error)
        self.assertEqual(os.listdir("out"), ["slow.raw"])
        self.assertEqual(said.count(b"\n"), 1)  # the file that was begun is finished and reported

    def test_interrupted_among_many(self):
        names = [f"{i:02}.npy" for i in range(20)]
        os.mkfifo("slow.raw")
        command = subprocess.Popen(
            [WARPWISE, "sobel", "slow.raw", *[f"in/{name}" for name in names], "out", "--from", "gray8",
             "--size", "8x8", "--backend", "cpu", "--jobs", "2"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        with open("slow.raw", "wb") as slow:
            slow.write(bytes(64))
            slow.flush()
            for _ in range(1000):  # until the pipe's file is begun and the others are done
                made = sorted(os.listdir("out")) if os.path.isdir("out") else []
                if len(made) == 21 and made[1:] == names:
                    break
                time.sleep(0.01)
            self.assertTrue(made[0].startswith(".warpwise-"), made)
            command.send_signal(signal.SIGINT)
            self.assertEqual(command.wait(), -signal.SIGINT)
        self.assertEqual(command.stderr.read(), b"")
        command.stderr.close()
        self.assertEqual(sorted(os.listdir("out")), names)

    def test_nothing_is_computed_before_every_name_was_looked_at(self):
        names = [f"in/{i:02}.npy" for i in range(20)]
        write("text.png", b"hello, I am a text\n")
        write("empty.npy", b"")
        write("short.raw", bytes(63))
        write("empty.raw", b"")
        for bad, says in [("missing.npy", "No such file"), ("text.png", "no image"),
                          ("empty.npy", "is empty"), ("short.raw", "63 bytes"),
                          ("empty.raw", "is empty")]:
            self.fail_with(FAILED, "sobel", *names, write("a.raw", bytes(64)), bad, "out", "--from",
                           "gray8", "--size", "8x8", says=[bad, says])

    def test_the_place_of_the_results_is_looked_at_first(self):
        """Nobody writes into the input, a pipe, so a read would wait for ever."""
        os.mkfifo("never")
        holder = os.open("never", os.O_RDWR)
        self.addCleanup(os.close, holder)
        write("taken", b"")
        for out, says in [("none/out.npy", "folder does not exist"), ("taken/out.npy", "Not a directory"),
                          ("a" * 300 + ".npy", "too long"), ("taken/new/", "the folder taken: File exists")]:
            self.fail_with(FAILED, "sobel", "never", out, says=says)
            if out.endswith(".npy"):
                self.fail_with(FAILED, "threshold", "never", "out.npy", "--window", "3", "--mean", out,
                               says=says)
                self.fail_with(FAILED, "gemv", "never", "never", out, says=says)
        for arguments in [["match", "never", "never", "none/out.csv"],
                          ["disparity", "never", "never", "none/out.png"],
                          ["find", "never", "never", "--map", "none/out.npy"],
                          ["track", "never", "--box", "0,0,1,1", "none/out.csv"]]:
            self.fail_with(FAILED, *arguments, says="folder does not exist")

    def test_a_folder_for_nothing_does_not_stay(self):
        write("bad.npy", npy("|u1", (2, 2), bytes(3)))
        self.fail_with(FAILED, "sobel", "bad.npy", "new/deep/", says="bad.npy")
        os.mkdir("old")
        self.fail_with(FAILED, "sobel", "bad.npy", "old/new/", says="bad.npy")
        self.assertEqual(os.listdir("old"), [])

    def test_interrupted(self):
        for i in range(20, 80):
            write(f"in/{i}.npy", npy("|u1", (1000, 1000), ramp(1000, i) * 1000))
        before = sorted(os.listdir("in"))
        for delay in [0.02, 0.03, 0.04, 0.05, 0.1]:
            command = subprocess.Popen(
                [WARPWISE, "sobel", "in", "out", "--backend", "cpu", "--jobs", "8"],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            time.sleep(delay)
            command.send_signal(signal.SIGINT)
            self.assertEqual(command.stderr.read(), b"")
            command.stderr.close()
            self.assertIn(command.wait(), [-signal.SIGINT, 0])
            left = os.listdir("out") if os.path.exists("out") else []
            self.assertEqual([name for name in left if name.startswith(".")], [])
        self.assertEqual(sorted(os.listdir("in")), before)

    def test_keep_going(self):
        """The good inputs are processed. The failures are reported at the end, in the inputs' order."""
        write("in/04.npy", npy("|u1", (3000, 3000), bytes(9000000)) + b"more")  # of the bad inputs, this one fails last
        write("in/05.npy", b"")
        write("in/12.npy", npy("<f8", (1, 1), bytes(8)))
        good = [f"{i:02}.npy" for i in range(20) if i not in (4, 5, 12)]
        for jobs in ["1", "4"]:
            arguments = ["sobel", "in", "missing.npy", "out", "--backend", "cpu", "--keep-going",
                         "--jobs", jobs]
            done = self.run_command(*arguments)
            self.assertEqual(done.returncode, FAILED)
            self.assertEqual(sorted(os.listdir("out")), good)
            self.assertEqual([line.split(b":")[0] for line in done.stdout.splitlines()],
                             [f"out/{name}".encode() for name in good])
            said = done.stderr.decode().splitlines()
            self.assertEqual(len(said), 5, said)
            for line, words in zip(said, ["in/04.npy", "in/05.npy: it is empty", "in/12.npy",
                                          "missing.npy: No such file", "4 of 21 inputs failed"]):
                self.assertTrue(line.startswith("warpwise: "), line)
                self.assertIn(words, line)
            done = self.run_command(*arguments, "--json")
            self.assertEqual((done.returncode, done.stderr.decode().splitlines()), (FAILED, said))
            report = json.loads(done.stdout)
            self.assertEqual([file["outputs"][0]["path"] for file in report["files"]],
                             [f"out/{name}" for name in good])
            self.assertEqual([error["input"] for error in report["errors"]],
                             ["in/04.npy", "in/05.npy", "in/12.npy", "missing.npy"])
            self.assertEqual(["warpwise: " + error["message"] for error in report["errors"]], said[:4])
            shutil.rmtree("out")

    def test_keep_going_names_each_input(self):
        done = self.run_command("convert", "in/00.npy", "in/01.npy", "out", "--to", "ycbcr32",
                                "--convention", "jfif", "--matrix", "bt709", "--keep-going")
        self.assertEqual(done.returncode, FAILED)
        said = done.stderr.decode().splitlines()
        self.assertEqual([line.split(":")[1] for line in said[:2]], [" in/00.npy", " in/01.npy"], said)
        self.assertEqual(len(said), 3)

    def test_keep_going_where_nothing_fails(self):
        done = self.succeed("sobel", "in", "out", "--keep-going", "--json")
        self.assertEqual((len(os.listdir("out")), done.stderr), (20, b""))
        self.assertEqual(json.loads(done.stdout)["errors"], [])

    def test_jobs(self):
        for text in ["0", "-1", "257", "two", ""]:
            self.fail_with(USAGE, "sobel", "in", "out", "--jobs", text, says=["--jobs", "1 to 256"])

    @unittest.skipIf(SANITIZED, "AddressSanitizer has threads and addresses of its own")
    def test_threads_that_the_system_does_not_give(self):
        """If no other thread can start, the calling thread does the work."""
        def limit():
            resource.setrlimit(resource.RLIMIT_STACK, (2 << 30, 2 << 30))
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        self.succeed("sobel", "in", "out", "--backend", "cpu", "--jobs", "100", preexec_fn=limit)
        self.assertEqual(len(os.listdir("out")), 20)


class Outputs(CommandTest):
    def setUp(self):
        super().setUp()
        write("in.npy", npy("|u1", (300, 300), ramp(90000)))

    def test_unwritable(self):
        self.fail_with(FAILED, "sobel", "in.npy", "none/out.npy", says="folder does not exist")
        self.fail_with(FAILED, "sobel", "in.npy", "in.npy/out.npy", says="Not a directory")
        self.fail_with(FAILED, "sobel", "in.npy", "/proc/out.npy", says="/proc/out.npy")
        write("also.npy", read("in.npy"))
        self.fail_with(FAILED, "sobel", "in.npy", "also.npy", "/proc/none", says="/proc/none")
        self.fail_with(FAILED, "sobel", "missing.npy", "also.npy", "new", says="missing.npy")

    def test_a_file_that_is_no_folder(self):
        write("also.npy", read("in.npy"))
        write("taken", b"")
        self.fail_with(FAILED, "sobel", "in.npy", "also.npy", "taken", says="taken")

    def test_a_pictures_name_for_several_results(self):
        write("also.npy", read("in.npy"))
        for name in ["out.png", "out.npy", "out.raw", "new/out.jpg"]:
            self.fail_with(USAGE, "sobel", "in.npy", "also.npy", name, says=[name, "several inputs need an output folder"])
        os.mkdir("out.png")  # an existing folder takes the results, whatever its name
        self.succeed("sobel", "in.npy", "also.npy", "out.png")

    def test_full_disk(self):
        self.fail_with(FAILED, "sobel", "in.npy", "/dev/full", says="No space left")
        with open("/dev/full", "wb") as full:
            for arguments in [["sobel", "in.npy", "-"], ["sobel", "in.npy", "out.npy", "--json"],
                              ["devices"], ["--help"], ["--version"]]:
                done = subprocess.run([WARPWISE, *arguments], stdout=full, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, FAILED, arguments)
                self.assertIn(b"standard output: No space left", done.stderr)

    def test_a_file_size_limit(self):
        done = subprocess.run(["bash", "-c", f"ulimit -f 1; exec '{WARPWISE}' sobel in.npy out.npy"],
                              capture_output=True)
        self.assertEqual(done.returncode, FAILED, done.stderr)
        self.assertEqual(os.listdir("."), ["in.npy"])

    def test_a_reader_that_went_away(self):
        command = subprocess.Popen(
            [WARPWISE, "sobel", "-", "-", "--from", "gray8", "--size", "1000x1000"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        command.stdout.close()
        command.stdin.write(bytes(1000 * 1000))
        command.stdin.close()
        said = command.stderr.read().decode()
        command.stderr.close()
        self.assertEqual(command.wait(), FAILED)
        self.assertEqual(said, "warpwise: cannot write standard output: its reader went away\n")

    def test_interrupted(self):
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU,
                       signal.SIGALRM, signal.SIGUSR1]:
            command = subprocess.Popen(
                [WARPWISE, "sobel", "-", "out.raw", "--from", "gray8", "--size", "100x100"],
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, preexec_fn=without_core_file)
            command.stdin.write(bytes(100 * 100))
            command.stdin.flush()
            for _ in range(500):  # until the first frame is in the unfinished file
                if len(os.listdir(".")) > 1:
                    break
                time.sleep(0.01)
            self.assertEqual(len(os.listdir(".")), 2)
            command.send_signal(number)
            self.assertEqual(command.wait(), -number)
            command.stdin.close()
            self.assertEqual(os.listdir("."), ["in.npy"])

    def test_what_was_there_stays_when_work_fails(self):
        write("out.raw", b"before")
        self.run_command("sobel", "-", "out.raw", "--from", "gray8", "--size", "8x8",
                         stdin=bytes(65))
        self.assertEqual(read("out.raw"), b"before")

    def test_closed_descriptors(self):
        done = subprocess.run(
            ["bash", "-c", f"exec '{WARPWISE}' sobel in.npy out.npy --norm l3 <&- >&- 2>&-"])
        self.assertEqual(done.returncode, USAGE)
        # The file is written but the message cannot be, as if standard output led to a full disk.
        done = subprocess.run(["bash", "-c", f"exec '{WARPWISE}' sobel in.npy out.npy <&- >&- 2>&-"])
        self.assertEqual(done.returncode, FAILED)
        self.assertEqual(read("out.npy")[:6], b"\x93NUMPY")
        for redirected, says in [(">&-", "cannot write standard output: Bad file descriptor"),
                                 ("<&-", "cannot read standard input: Bad file descriptor")]:
            done = subprocess.run(["bash", "-c", f"exec '{WARPWISE}' convert - - --from gray8 --size 8x8 --to rgb24 {redirected}"],
                                  input=bytes(64), capture_output=True)
            self.assertEqual((done.returncode, done.stderr.decode()), (FAILED, f"warpwise: {says}\n"))


class WithoutGpu(CommandTest):
    @unittest.skipIf(has_gpu(), "this machine has a GPU")
    def test_cuda_is_refused(self):
        write("in.npy", npy("|u1", (8, 8), ramp(64)))
        self.fail_with(FAILED, "sobel", "in.npy", "out.npy", "--backend", "cuda",
                       says="no CUDA device")
        self.fail_with(FAILED, "sobel", "in.npy", "out.npy", "--device", "0", says="no CUDA device")
        self.assertIn("why_no_cuda", json.loads(self.succeed("devices", "--json").stdout))


if __name__ == "__main__":
    unittest.main()
