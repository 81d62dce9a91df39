"""Tests what the commands read from files and folders, and their messages about files that they do not read."""

import json
import os
import shutil
import struct
import subprocess
import unittest
import zlib

from support import (HAS_IMAGES, HAS_VIDEO, CommandTest, npy, npy_parts, png, ramp, read, sample, sobel_u8, write, y4m)

FAILED, BAD_USAGE = 1, 2
with_video = unittest.skipUnless(HAS_VIDEO, "the module for videos is not in this build")
with_images = unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")
with_ffmpeg = unittest.skipUnless(shutil.which("ffmpeg") and shutil.which("ffprobe"), "there is no ffmpeg here")
WIDTH, HEIGHT = 16, 8
# Three grey pictures of the same size.
PAGES = [ramp(WIDTH * HEIGHT, step) for step in (3, 5, 7)]


def tiff(*pages, orientation=1):
    """Makes an uncompressed 8-bit grey TIFF file of these pages."""
    content = b"II*\0" + struct.pack("<I", 8)
    for number, page in enumerate(pages):
        tags = [(256, WIDTH), (257, HEIGHT), (258, 8), (259, 1), (262, 1), (273, None), (274, orientation),
                (277, 1), (278, HEIGHT), (279, len(page))]
        end = len(content) + 2 + 12 * len(tags) + 4
        content += struct.pack("<H", len(tags))
        for tag, value in tags:
            content += struct.pack("<HHII", tag, 4, 1, end if value is None else value)
        content += struct.pack("<I", end + len(page) if number + 1 < len(pages) else 0) + page
    return content


def animated_png(*pages):
    """Makes an animated PNG: each picture after the first is in fdAT chunks."""
    def chunks(picture):
        at, found = 8, []
        while at < len(picture):
            length = struct.unpack(">I", picture[at:at + 4])[0]
            found.append((picture[at + 4:at + 8], picture[at + 8:at + 8 + length]))
            at += 12 + length
        return found

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    content, count = b"\x89PNG\r\n\x1a\n", 0
    for number, page in enumerate(pages):
        parts = dict(chunks(png(WIDTH, HEIGHT, 8, 0, page)))
        if number == 0:
            content += chunk(b"IHDR", parts[b"IHDR"]) + chunk(b"acTL", struct.pack(">II", len(pages), 0))
        content += chunk(b"fcTL", struct.pack(">IIIIIHHBB", count, WIDTH, HEIGHT, 0, 0, 1, 10, 0, 0))
        count += 1
        if number == 0:
            content += chunk(b"IDAT", parts[b"IDAT"])
        else:
            content += chunk(b"fdAT", struct.pack(">I", count) + parts[b"IDAT"])
            count += 1
    return content + chunk(b"IEND", b"")


@with_images
class Luma(CommandTest):
    def test_luma_of_a_jpeg_is_its_grey(self):
        photo = sample("building.jpg")
        self.succeed("convert", photo, "luma.npy", "--to", "gray8", "--luma", "--backend", "cpu")
        self.succeed("convert", photo, "grey.npy", "--to", "gray8", "--backend", "cpu")
        luma, grey = npy_parts("luma.npy")[2], npy_parts("grey.npy")[2]
        self.assertNotEqual(luma, grey)
        self.assertLess(sum(one != other for one, other in zip(luma, grey)), len(grey) // 50)
        self.succeed("sobel", photo, "of-jpeg.npy", "--luma", "--backend", "cpu")
        self.succeed("sobel", "luma.npy", "of-luma.npy", "--backend", "cpu")
        self.assertEqual(read("of-jpeg.npy"), read("of-luma.npy"))

    def test_other_files_are_read_as_usual(self):
        colours = sample("rubberwhale1.png")
        for name, more in [("plain.npy", []), ("luma.npy", ["--luma"])]:
            self.succeed("sobel", colours, name, "--backend", "cpu", *more)
        self.assertEqual(read("plain.npy"), read("luma.npy"))


@with_images
class FilesOfSeveral(CommandTest):
    def first_line(self, *arguments):
        return self.succeed(*arguments, "--backend", "cpu").stdout.decode().splitlines()[0]

    def test_the_line_says_which_picture_was_read(self):
        write("in.tif", tiff(*PAGES))
        self.assertIn("from in.tif (picture 1 of 3), sobel", self.first_line("sobel", "in.tif", "out.npy"))
        self.assertEqual(npy_parts("out.npy")[2], sobel_u8(PAGES[0], WIDTH, HEIGHT))
        write("one.tif", tiff(PAGES[0]))
        self.assertIn("from one.tif, sobel", self.first_line("sobel", "one.tif", "out.npy"))

    def test_an_animated_png(self):
        write("in.png", animated_png(*PAGES))
        self.assertIn("from in.png (picture 1 of 3)", self.first_line("sobel", "in.png", "out.npy"))
        self.assertEqual(npy_parts("out.npy")[2], sobel_u8(PAGES[0], WIDTH, HEIGHT))
        self.fail_with(FAILED, "sobel", "in.png", "second.npy", "--page", "2",
                       says=["in.png is an animation", "warpwise stream in.png frames/"])

    @with_ffmpeg
    def test_an_animated_gif(self):
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=16x8:rate=5:duration=1", "in.gif"],
                       check=True)
        self.assertIn("from in.gif (picture 1 of 5)", self.first_line("sobel", "in.gif", "out.npy"))

    def test_json_has_the_picture_and_their_number(self):
        write("in.tif", tiff(*PAGES))
        report = json.loads(self.succeed("sobel", "in.tif", "out.npy", "--page", "2", "--json").stdout)
        self.assertEqual((report["files"][0]["picture"], report["files"][0]["pictures"]), (2, 3))
        report = json.loads(self.succeed("find", "in.tif", "in.tif", "--json").stdout)
        self.assertEqual([(each["picture"], each["pictures"]) for each in report["inputs"]], [(1, 3), (1, 3)])

    def test_commands_of_several_inputs_say_it_too(self):
        write("in.tif", tiff(*PAGES))
        write("a.npy", npy("|u1", (HEIGHT, WIDTH), PAGES[2]))
        self.assertIn(", in.tif (picture 1 of 3), match on", self.first_line("match", "in.tif", "a.npy", "out.csv",
                                                                            "--block-size", "4", "--search", "2"))
        self.assertIn("in.tif at x 0, y 0 of in.tif, zncc 1, in.tif (picture 3 of 3), in.tif (picture 3 of 3), find on",
                      self.first_line("find", "in.tif", "in.tif", "--page", "3"))

    def test_a_page_by_its_number(self):
        write("in.tif", tiff(*PAGES))
        self.assertIn("(picture 3 of 3)", self.first_line("sobel", "in.tif", "out.npy", "--page", "3"))
        self.assertEqual(npy_parts("out.npy")[2], sobel_u8(PAGES[2], WIDTH, HEIGHT))
        self.fail_with(FAILED, "sobel", "in.tif", "no.npy", "--page", "4", says="in.tif has no picture 4, only 3 pictures")
        write("a.npy", npy("|u1", (HEIGHT, WIDTH), PAGES[2]))
        self.fail_with(FAILED, "sobel", "a.npy", "no.npy", "--page", "2", says="a.npy has no picture 2, only 1 picture")
        write("in.y4m", y4m(WIDTH, HEIGHT, "mono", PAGES[0]))
        self.fail_with(BAD_USAGE, "sobel", "in.y4m", "no.npy", "--page", "1", says="in.y4m has no pages")

    def test_a_page_behind_one_that_cannot_be_read(self):
        bits = [struct.pack("<HHII", 258, 4, 1, bits) for bits in (8, 4)]
        write("in.tif", tiff(*PAGES).replace(*bits, 1))
        self.fail_with(FAILED, "sobel", "in.tif", "no.npy", says="a pixel of it is 1 x 4 bits")
        self.first_line("sobel", "in.tif", "out.npy", "--page", "2")
        self.assertEqual(npy_parts("out.npy")[2], sobel_u8(PAGES[1], WIDTH, HEIGHT))
        self.succeed("stream", "in.tif", "out.raw", "--page", "3", "--backend", "cpu")
        self.assertEqual(read("out.raw"), PAGES[2])

    def test_all_pages_are_a_stream(self):
        write("in.tif", tiff(*PAGES))
        self.succeed("sobel", "in.tif", "frames/", "--page", "all", "--backend", "cpu")
        self.assertEqual(sorted(os.listdir("frames")), ["000001.png", "000002.png", "000003.png"])
        self.succeed("sobel", "in.tif", "out.y4m", "--page", "all", "--backend", "cpu")
        self.assertEqual(read("out.y4m").count(b"FRAME\n"), 3)
        self.fail_with(BAD_USAGE, "find", "in.tif", "in.tif", "--page", "all", says="--page all is for streams")

    @with_video
    def test_several_pictures_go_into_a_video(self):
        write("in.tif", tiff(*PAGES))
        report = json.loads(self.succeed("sobel", "in.tif", "out.mkv", "--json").stdout)
        self.assertEqual(report["written"], 3)

    def test_a_turned_picture_stays_as_it_is_on_request(self):
        write("in.tif", tiff(PAGES[0], orientation=6))
        self.assertIn(": 8x16 gray8", self.first_line("sobel", "in.tif", "out.npy"))
        self.assertIn(": 16x8 gray8", self.first_line("sobel", "in.tif", "out.npy", "--no-autorotate"))
        self.assertEqual(npy_parts("out.npy")[2], sobel_u8(PAGES[0], WIDTH, HEIGHT))
        self.assertIn("at x 0, y 0", self.first_line("find", "in.tif", "in.tif", "--no-autorotate"))


@with_images
class Folders(CommandTest):
    def setUp(self):
        super().setUp()
        os.makedirs("photos/old")
        for number in range(2):
            write(f"photos/{number}.png", png(WIDTH, HEIGHT, 8, 0, PAGES[number]))
        for name in ["notes.txt", "film.mp4", "a.raw", ".hidden"]:
            write("photos/" + name, b"x")
    SKIPPED = ("skipped: 2 files that are no pictures (film.mp4, notes.txt), 1 .raw file without a format and a size "
               "(a.raw), 1 folder (old)")

    def lines(self, *arguments):
        return self.succeed(*arguments, "--backend", "cpu").stdout.decode().splitlines()

    def test_the_first_line_says_what_is_skipped(self):
        self.assertEqual(self.lines("sobel", "photos", "out")[0], self.SKIPPED)
        self.assertEqual(self.lines("stream", "photos", "null")[0], self.SKIPPED)
        self.assertEqual(self.lines("track", "photos", "out.csv", "--box", "1,1,4,4")[0], self.SKIPPED)
        self.assertNotIn("skipped", self.lines("sobel", "photos/0.png", "out")[0])

    def test_many_names_are_shortened(self):
        for number in range(7):
            write(f"photos/{number}.doc", b"x")
        self.assertIn("9 files that are no pictures (0.doc, 1.doc, 2.doc, …)", self.lines("sobel", "photos", "out")[0])

    def test_json_has_every_skipped_file(self):
        for arguments in [["sobel", "photos", "out"], ["stream", "photos", "null"],
                          ["track", "photos", "out.csv", "--box", "1,1,4,4"]]:
            report = json.loads(self.succeed(*arguments, "--json").stdout)
            self.assertEqual(report["skipped"], [{"path": "photos/film.mp4", "reason": "no picture"},
                                                 {"path": "photos/notes.txt", "reason": "no picture"},
                                                 {"path": "photos/a.raw", "reason": "no format and size"},
                                                 {"path": "photos/old", "reason": "a folder"}])
        report = json.loads(self.succeed("sobel", "photos/0.png", "out", "--json").stdout)
        self.assertNotIn("skipped", report)

    def test_frames_without_headers_count_with_a_size(self):
        write("photos/a.raw", PAGES[2])
        line = self.lines("sobel", "photos", "out", "--from", "gray8", "--size", "16x8")[0]
        self.assertNotIn("a.raw", line)
        self.assertTrue(os.path.exists("out/a.raw") or os.path.exists("out/a.png"))


class Places(CommandTest):
    """Tests that an additional output never replaces an input or another output."""

    def setUp(self):
        super().setUp()
        for name in ["a.npy", "b.npy"]:
            write(name, npy("|u1", (HEIGHT, WIDTH), PAGES[0]))

    def test_a_further_output_in_the_place_of_an_input(self):
        os.symlink("a.npy", "link.npy")
        for mean in ["a.npy", "./a.npy", "link.npy"]:
            self.fail_with(BAD_USAGE, "threshold", "a.npy", "out.npy", "--window", "3", "--mean", mean,
                           says=["would overwrite the input a.npy", "name another output"])
        self.fail_with(BAD_USAGE, "find", "a.npy", "b.npy", "--map", "b.npy", says="would overwrite the input b.npy")
        write("l.png", png(WIDTH, HEIGHT, 8, 0, PAGES[0]))
        self.fail_with(BAD_USAGE, "disparity", "l.png", "l.png", "out.pfm", "--colour", "l.png",
                       says="would overwrite the input l.png")
        self.assertEqual(npy_parts("a.npy")[2], PAGES[0])

    def test_a_further_folder_in_the_place_of_the_inputs(self):
        os.mkdir("in")
        for name in ["a.npy", "b.npy"]:
            os.rename(name, "in/" + name)
        self.fail_with(BAD_USAGE, "threshold", "in", "out", "--window", "3", "--mean", "in",
                       says="would overwrite the input in/a.npy")
        self.assertEqual(npy_parts("in/a.npy")[2], PAGES[0])
        self.succeed("threshold", "in", "out", "--window", "3", "--mean", "means")

    def test_two_outputs_in_one_place(self):
        self.fail_with(BAD_USAGE, "threshold", "a.npy", "out.npy", "--window", "3", "--mean", "./out.npy",
                       says="two results would be written to one place")

    def test_two_results_in_one_file(self):
        os.mkdir("in")
        os.rename("a.npy", "in/a.npy")
        for link in ["one.npy", "two.npy"]:  # both links lead to a file that does not exist
            os.symlink("new.npy", link)
        for out, mean in [("o/", "o/a.npy"), ("a.npy", "."), ("one.npy", "two.npy")]:
            self.fail_with(BAD_USAGE, "threshold", "in/a.npy", out, "--window", "3", "--mean", mean,
                           says="two results would be written to one place")

    def test_a_result_in_a_folder_whose_name_is_a_link_to_an_input(self):
        for folder in ["in", "m"]:
            os.mkdir(folder)
        os.rename("a.npy", "in/a.npy")
        os.symlink("../in/a.npy", "m/a.npy")
        self.fail_with(BAD_USAGE, "threshold", "in", "out", "--window", "3", "--mean", "m",
                       says="m/a.npy would overwrite the input in/a.npy")
        self.succeed("sobel", "in", "in")
        os.symlink("a.npy", "in/z.npy")
        self.fail_with(BAD_USAGE, "sobel", "in", "in", says="in/z.npy would overwrite the input in/a.npy")


class NotHeaderless(CommandTest):
    """Tests that --from and --size are refused if the input describes its own frames."""

    RAW = ["--from", "gray8", "--size", "16x8"]

    def test_pictures_and_videos(self):
        write("a.npy", npy("|u1", (HEIGHT, WIDTH), PAGES[0]))
        os.mkdir("folder")
        write("folder/a.npy", npy("|u1", (HEIGHT, WIDTH), PAGES[0]))
        for inputs in [["a.npy"], ["folder"]]:
            self.fail_with(BAD_USAGE, "sobel", *inputs, "out", *self.RAW, says="--from and --size describe headerless")
        self.fail_with(BAD_USAGE, "track", "folder", "out.csv", "--box", "1,1,4,4", *self.RAW,
                       says="--from and --size describe headerless")
        write("in.y4m", y4m(WIDTH, HEIGHT, "mono", PAGES[0]))
        self.fail_with(BAD_USAGE, "sobel", "in.y4m", "out.y4m", *self.RAW, says="--from and --size describe headerless")

    @with_images
    def test_pictures_that_become_a_video(self):
        os.mkdir("folder")
        for name in ["a.png", "b.png", "folder/a.png", "folder/b.png"]:
            write(name, png(WIDTH, HEIGHT, 8, 0, PAGES[0]))
        for inputs in [["a.png", "b.png"], ["folder"]]:
            self.fail_with(BAD_USAGE, "sobel", *inputs, "out.y4m", *self.RAW, says="format" if len(inputs) == 1 else "--from")

    @with_video
    def test_a_video(self):
        for command in [["sobel", sample("street.avi"), "out.mkv"], ["track", sample("street.avi"), "out.csv", "--box",
                                                                     "1,1,8,8"]]:
            self.fail_with(BAD_USAGE, *command, *self.RAW, says="size")


class Alpha(CommandTest):
    @with_images
    def test_a_stream_says_that_it_drops_alpha(self):
        os.mkdir("in")
        write("in/a.png", png(WIDTH, HEIGHT, 8, 6, ramp(WIDTH * HEIGHT * 4)))
        for sink, stages in [("out.y4m", "gray8"), ("out/", "sobel")] + ([("out.mp4", "")] if HAS_VIDEO else []):
            done = self.succeed("stream", "in", sink, "--pipeline", stages, "--backend", "cpu")
            self.assertIn("does not hold: alpha", done.stdout.decode().splitlines()[1])
            report = json.loads(self.succeed("stream", "in", sink, "--pipeline", stages, "--json").stdout)
            self.assertEqual(report["not_held"], "alpha")
        done = self.succeed("stream", "in", "same/", "--backend", "cpu")
        self.assertNotIn(b"alpha", done.stdout)
        self.assertIn(b"does not hold: alpha", self.succeed("sobel", "in", "one.y4m", "--backend", "cpu").stdout)


    @with_video
    @with_ffmpeg
    def test_the_alpha_of_vp9_is_said(self):
        for name, pixels in [("a.webm", "yuva420p"), ("b.webm", "yuv420p")]:
            subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=5:duration=1", "-pix_fmt", pixels,
                            "-c:v", "libvpx-vp9", name], check=True)
        self.assertIn(b"a.webm (vp9, without its alpha): ", self.succeed("stream", "a.webm", "null").stdout)
        self.assertIn(b"b.webm (vp9): ", self.succeed("stream", "b.webm", "null").stdout)


@with_video
@with_ffmpeg
class OneStageOfVideos(CommandTest):
    """Tests the options of `stream` that one-stage commands have too."""

    def ffmpeg(self, *arguments):
        subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *arguments], check=True)

    def test_interlaced_frames(self):
        self.ffmpeg("-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=1", "-vf", "interlace", "-pix_fmt",
                    "yuv420p", "-c:v", "libx264", "-flags", "+ilme+ildct", "in.mkv")
        self.fail_with(FAILED, "sobel", "in.mkv", "no.mkv", says="--deinterlace")
        self.succeed("sobel", "in.mkv", "one.mkv", "--deinterlace", "--backend", "cpu")
        self.succeed("stream", "in.mkv", "several.mkv", "--deinterlace", "--pipeline", "sobel", "--backend", "cpu")
        frames = [self.succeed("stream", name, "-", "--backend", "cpu").stdout for name in ("one.mkv", "several.mkv")]
        self.assertEqual(frames[0], frames[1])
        self.fail_with(FAILED, "track", "in.mkv", "no.csv", "--box", "1,1,8,8", says="--deinterlace")
        self.succeed("track", "in.mkv", "path.csv", "--box", "1,1,8,8", "--deinterlace")

    def test_options_of_videos_without_one(self):
        write("a.npy", npy("|u1", (HEIGHT, WIDTH), PAGES[0]))
        for option in [["--deinterlace"], ["--track", "2"], ["--rescale"]]:
            self.fail_with(BAD_USAGE, "sobel", "a.npy", "no.npy", *option, says="--track, --deinterlace and --rescale are for videos")

    def test_a_second_video_and_a_turned_one(self):
        self.ffmpeg("-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=1", "-f", "lavfi", "-i",
                    "testsrc=size=32x16:rate=10:duration=1", "-map", "0", "-map", "1", "-c:v", "ffv1", "two.mkv")
        report = json.loads(self.succeed("sobel", "two.mkv", "null", "--track", "2", "--json").stdout)
        self.assertEqual(report["source"]["frames"]["width"], 32)
        self.ffmpeg("-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=1", "-pix_fmt", "yuv420p", "flat.mp4")
        self.ffmpeg("-i", "flat.mp4", "-c", "copy", "-metadata:s:v:0", "rotate=90", "turned.mp4")
        for option, width in [([], 48), (["--no-autorotate"], 64)]:
            report = json.loads(self.succeed("sobel", "turned.mp4", "null", "--json", *option).stdout)
            self.assertEqual(report["source"]["frames"]["width"], width)

    def test_chapters_end_with_the_frames(self):
        write("chapters", b";FFMETADATA1\n" + b"".join(
            f"[CHAPTER]\nTIMEBASE=1/1000\nSTART={start}\nEND={start + 1000}\ntitle={start}\n".encode()
            for start in (0, 1000, 2000)))
        self.ffmpeg("-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=3", "-i", "chapters", "-map_chapters", "1",
                    "-pix_fmt", "yuv420p", "in.mkv")
        for frames, ends in [([], [1.0, 2.0, 3.0]), (["--frames", "15"], [1.0, 1.5]), (["--frames", "10"], [1.0])]:
            for name in ["out.mkv", "out.mp4"]:
                self.succeed("stream", "in.mkv", name, *frames, "--backend", "cpu")
                found = subprocess.run(["ffprobe", "-v", "error", "-of", "json", "-show_chapters", name],
                                       capture_output=True, check=True).stdout
                self.assertEqual([float(each["end_time"]) for each in json.loads(found)["chapters"]], ends, (name, frames))


if __name__ == "__main__":
    unittest.main()
