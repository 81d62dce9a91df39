"""Tests that sobel, threshold, convert, match and disparity on streams give the same bytes as `stream --pipeline`."""

import json
import os
import unittest

from support import HAS_IMAGES, HAS_VIDEO, SAMPLES, CommandTest, npy, png, ramp, read, sample, write, y4m

FAILED, BAD_USAGE = 1, 2
STREET = sample("street.avi")
# Calls of subcommands, each with the stage that has the same options.
CALLS = [(["sobel"], "sobel"),
         (["sobel", "--norm", "l2", "--border", "constant"], "sobel norm=l2 border=constant"),
         (["threshold", "--window", "31", "--offset=-7", "--invert"], "threshold window=31 offset=-7 invert"),
         (["convert", "--to", "ycbcr32"], "ycbcr32"),
         (["convert", "--to", "gray8", "--convention", "opencv"], "gray8 convention=opencv"),
         (["match", "--block-size", "16", "--search", "4", "--max-motion", "8"], "match block-size=16 search=4 max-motion=8"),
         (["disparity", "--max-disparity", "16", "--block-size", "5"], "disparity max-disparity=16 block-size=5")]
with_video = unittest.skipUnless(HAS_VIDEO, "the module for videos is not in this build")
with_images = unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")


def frames_in(content):
    return content.count(b"FRAME\n")


class OneStageTest(CommandTest):
    def one(self, command, source, sink, *options):
        return self.succeed(command[0], source, sink, *command[1:], *options, "--backend", "cpu")

    def several(self, stage, source, sink, *options):
        return self.succeed("stream", source, sink, "--pipeline", stage, *options, "--backend", "cpu")

    def compare(self, command, stage, source, name, *options):
        self.one(command, source, "one" + name, *options)
        self.several(stage, source, "several" + name, *options)
        one = self.content("one" + name)
        self.assertEqual(one, self.content("several" + name), (command, source, name))
        return one

    def content(self, path):
        """Returns the bytes of a file; for an .mkv file, which contains a random number, the bytes of its frames."""
        if not path.endswith(".mkv"):
            return read(path)
        return self.succeed("stream", path, "-", "--backend", "cpu").stdout


class Bytes(OneStageTest):
    @with_video
    def test_a_video_into_a_video(self):
        for command, stage in CALLS:
            if command[0] == "disparity":  # its frames must contain both pictures
                continue
            for name in [".mkv", ".mp4"]:
                self.compare(command, stage, STREET, name, "--frames", "2")

    def test_made_up_frames_into_a_video(self):
        for command, stage in CALLS:
            content = self.compare(command, stage, "test:noise", ".y4m", "--frames", "4", "--size", "64x40",
                                   "--fps", "50")
            self.assertEqual(frames_in(content), 4)
            self.assertIn(b" F50000:1000 ", content.split(b"\n")[0])

    @with_images
    def test_a_video_into_pictures(self):
        write("in.y4m", y4m(16, 8, "420jpeg", *[ramp(192, step) for step in (3, 5, 7)]))
        self.succeed("stream", "test:noise", "in.mkv" if HAS_VIDEO else "in.y4m", "--frames", "3", "--size", "16x8")
        if HAS_VIDEO:
            self.one(["sobel"], "in.mkv", "one/")
            self.several("sobel", "in.mkv", "several/")
            self.assertEqual(sorted(os.listdir("one")), ["000001.png", "000002.png", "000003.png"])
            for name in os.listdir("one"):
                self.assertEqual(read("one/" + name), read("several/" + name))
        few = ["--frames", "2", "--size", "16x8"]
        self.one(["sobel"], "test:bars", "new/folder", *few)
        self.several("sobel", "test:bars", "other", *few)
        for name in "new/folder", "other":
            self.assertEqual(sorted(os.listdir(name)), ["000001.png", "000002.png"])
        self.one(["sobel"], "test:bars", "out%02d.png", "--frames", "2", "--size", "16x8")
        self.assertTrue(os.path.exists("out02.png"))

    @with_images
    def test_pictures_into_a_video(self):
        os.mkdir("frames")
        for number in range(3):
            write(f"frames/{number}.png", png(16, 8, 8, 2, ramp(16 * 8 * 3, 3 + number)))
        content = self.compare(["sobel"], "sobel", "frames", ".y4m", "--fps", "10")
        self.assertEqual(frames_in(content), 3)
        self.one(["sobel"], "frames/", "one.y4m", "--fps", "10")
        self.assertEqual(read("one.y4m"), content)
        names = [f"frames/{number}.png" for number in range(3)]
        self.succeed("sobel", *names, "one.y4m", "--fps", "10", "--backend", "cpu")
        self.assertEqual(read("one.y4m"), content)
        if HAS_VIDEO:
            self.compare(["sobel"], "sobel", "frames/*.png", ".mkv")
            self.compare(["match", "--block-size", "8"], "match block-size=8", "frames", ".mkv")

    @with_video
    def test_frames_without_headers_into_a_video(self):
        write("in.raw", ramp(16 * 8 * 3 * 2))
        self.succeed("sobel", "in.raw", "one.mkv", "--from", "rgb24", "--size", "16x8", "--backend", "cpu")
        self.several("sobel", "in.raw", "several.mkv", "--format", "rgb24", "--size", "16x8")
        self.assertEqual(self.content("one.mkv"), self.content("several.mkv"))
        self.succeed("sobel", "-", "piped.mkv", "--from", "rgb24", "--size", "16x8", "--backend", "cpu",
                     stdin=read("in.raw"))
        self.assertEqual(self.content("one.mkv"), self.content("piped.mkv"))

    def test_frames_into_a_pipe(self):
        options = ["--frames", "2", "--size", "16x8"]
        frames = self.one(["sobel"], "test:bars", "pipe:gray8", *options).stdout
        self.assertEqual(len(frames), 2 * 16 * 8)
        self.assertEqual(frames, self.several("sobel", "test:bars", "pipe:gray8", *options).stdout)

    def test_the_report_names_the_subcommand(self):
        done = self.one(["threshold", "--window", "3"], "test:bars", "null", "--frames", "2", "--json")
        report = json.loads(done.stdout)
        self.assertEqual((report["command"], report["written"]), ("threshold", 2))


class Refused(OneStageTest):
    def refuse(self, *arguments, says, code=BAD_USAGE):
        self.fail_with(code, *arguments, says=says)

    def test_options_that_a_stream_does_not_have(self):
        write("in.y4m", y4m(16, 8, "420jpeg", ramp(192)))
        few = ["--frames", "2", "--size", "16x8"]
        self.refuse("sobel", "test:bars", "out.y4m", "--output", "dx", *few, says="frames of a stream, u8 or u16")
        self.refuse("threshold", "test:bars", "out.y4m", "--window", "3", "--mean", "mean.npy", *few, says="--mean")
        self.refuse("disparity", "test:bars", "out.y4m", "--colour", "a.png", *few, says="--colour")
        for option in [["--jobs", "2"], ["--keep-going"]]:
            self.refuse("sobel", "test:bars", "out.y4m", *option, *few, says="--jobs and --keep-going")
        write("in.raw", bytes(4 * 128))
        for source in ["in.raw", "-"]:
            self.refuse("sobel", source, "pipe:gray8", "--from", "grayf32", "--size", "16x8", says="--from grayf32 is for files")
        self.refuse("sobel", "test:bars", "out.y4m", "--from", "gray16", *few, says="test:bars does not give frames of gray16; only .raw files and pipe: do")

    def test_options_that_files_do_not_have(self):
        write("a.npy", npy("|u1", (8, 16), ramp(128)))
        for option in [["--frames", "2"], ["--fps", "25"]]:
            self.refuse("sobel", "a.npy", "out.npy", *option, says="for streams")
            self.refuse("match", "a.npy", "a.npy", "out.flo", *option, says="for streams")

    def test_ends_that_take_no_frames(self):
        few = ["--frames", "2", "--size", "16x8"]
        self.refuse("sobel", "test:bars", "out.png", *few, says="out.png is one picture")
        write("a.npy", npy("|u1", (8, 16), ramp(128)))
        for sink in ["out.mp4", "out.mkv", "pipe:gray8"]:
            self.refuse("sobel", "a.npy", sink, says="a.npy is one picture; name several pictures")
        self.refuse("match", "test:bars", "out.flo", *few, says="no frame sink")
        self.refuse("sobel", "test:bars", "new:folder", *few, says="'new:folder' is no frame sink")
        write("a-file", b"")
        self.refuse("sobel", "test:bars", "a-file", *few, says="'a-file' is no frame sink")
        write("pages.tif", read(os.path.join(os.path.dirname(SAMPLES), "tests", "images", "grey8-pages.tif")))
        self.refuse("sobel", "pages.tif", "out.tif", "--page", "all", says="out.tif is one picture")
        self.refuse("match", "a.png", "b.png", says="match needs REFERENCE TARGET OUT, or a video and OUT")
        self.refuse("disparity", "a.png", "b.png", says="disparity needs LEFT RIGHT OUT, or a video and OUT")

    @with_video
    def test_videos_beside_other_inputs(self):
        write("a.npy", npy("|u1", (8, 16), ramp(128)))
        self.refuse("sobel", STREET, "a.npy", "out.mkv", says="name it as the only input", code=FAILED)
        self.refuse("sobel", STREET, "a.npy", "out/", says="name it as the only input", code=FAILED)
        self.refuse("sobel", "none.avi", "out.mp4", says="none.avi", code=FAILED)


if __name__ == "__main__":
    unittest.main()
