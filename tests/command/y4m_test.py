"""Tests videos in .y4m files, as input and output."""

import os
import shutil
import struct
import subprocess
import sys
import unittest

from support import HAS_VIDEO, WARPWISE, CommandTest, npy, ramp, read, sobel_u8, write, y4m


class Y4m(CommandTest):
    """Tests frames of a video, as ffmpeg -f yuv4mpegpipe writes them."""

    def setUp(self):
        super().setUp()
        self.luma = [ramp(35, step) for step in range(3)]  # 7x5 pixels: odd in both directions
        self.chroma = {"420": 2 * 4 * 3, "422": 2 * 4 * 5, "444": 2 * 7 * 5, "mono": 0}
        self.edges = b"".join(sobel_u8(frame, 7, 5) for frame in self.luma)

    def video(self, colours, **more):
        chroma = ramp(self.chroma[colours[:3] if colours != "mono" else colours], 91)
        return y4m(7, 5, colours, *[frame + chroma for frame in self.luma], **more)

    def test_luma_is_the_grey(self):
        for colours in ["420", "420jpeg", "420mpeg2", "420paldv", "422", "444", "mono"]:
            write("in.y4m", self.video(colours))
            self.succeed("sobel", "in.y4m", "out.raw")
            self.assertEqual(read("out.raw"), self.edges, colours)
            done = self.succeed("sobel", "-", "-", stdin=self.video(colours, more=" XCOLORRANGE=FULL"))
            self.assertEqual(done.stdout, self.edges, colours)
        self.succeed("threshold", "in.y4m", "out.raw", "--window", "3", "--mean", "mean.raw")
        write("grey.raw", b"".join(self.luma))
        self.succeed("threshold", "grey.raw", "grey-out.raw", "--window", "3", "--from", "gray8",
                     "--size", "7x5")
        self.assertEqual(read("out.raw"), read("grey-out.raw"))

    def test_results_keep_rate_and_aspect(self):
        write("in.y4m", self.video("420jpeg"))
        self.succeed("sobel", "in.y4m", "out.y4m")
        frames = [self.edges[i:i + 35] for i in (0, 35, 70)]
        self.assertEqual(read("out.y4m"), y4m(7, 5, "mono", *frames, more=" XCOLORRANGE=FULL"))
        write("grey.raw", b"".join(self.luma))
        self.succeed("sobel", "grey.raw", "raw.y4m", "--from", "gray8", "--size", "7x5")
        self.assertEqual(read("raw.y4m").replace(b"F25:1 Ip A0:0", b"F30:1 Ip A1:1"), read("out.y4m"))
        self.succeed("sobel", "out.y4m", "again.raw")
        self.succeed("sobel", "out.y4m", "out.y4m")  # the output replaces the input
        self.assertEqual(len(read("out.y4m").split(b"FRAME\n")), 4)

    def test_420_says_where_its_chroma_lies(self):
        """Chroma that a conversion shares lies between the pixels. Chroma that is not converted keeps its place."""
        write("in.raw", ramp(3 * 8 * 6))
        self.succeed("convert", "in.raw", "out.y4m", "--from", "rgb24", "--size", "8x6", "--to", "i420")
        self.assertIn(b" C420jpeg ", read("out.y4m"))
        for sampling in ["420jpeg", "420mpeg2", "420paldv"]:
            write("in.y4m", self.video(sampling))
            self.succeed("convert", "in.y4m", "out.y4m", "--to", "i420")
            self.assertIn(f" C{sampling} ".encode(), read("out.y4m"))
        for sampling, samples in [("420p10", 8 * 6 * 3 // 2), ("422p10", 8 * 6 * 2)]:
            write("in.y4m", y4m(8, 6, sampling, bytes(2 * samples)))
            self.succeed("convert", "in.y4m", "out.y4m", "--to", "i420")
            self.assertIn(b" C420mpeg2 ", read("out.y4m"), sampling)

    def test_colours_by_the_ranges_of_the_file(self):
        white, black = bytes([235, 235]), bytes([16, 16])
        for more, range_of_file in [("", "limited"), (" XCOLORRANGE=LIMITED", "limited"),
                                    (" XCOLORRANGE=FULL", "full")]:
            write("in.y4m", y4m(2, 1, "420", white + b"\x80\x80", black + b"\x80\x80", more=more))
            write("in.raw", white + b"\x80\x80" + black + b"\x80\x80")
            self.succeed("convert", "in.y4m", "out.raw", "--to", "rgb24")
            self.succeed("convert", "in.raw", "raw.raw", "--to", "rgb24", "--from", "i420", "--size",
                         "2x1", "--from-range", range_of_file)
            self.assertEqual(read("out.raw"), read("raw.raw"))
            self.assertEqual(read("out.raw") == b"\xff" * 6 + bytes(6), range_of_file == "limited")
        self.succeed("convert", "in.y4m", "out.raw", "--to", "rgb24", "--from-range", "limited")
        self.assertEqual(read("out.raw"), b"\xff" * 6 + bytes(6))

    def test_444_and_grey_are_written(self):
        write("in.y4m", self.video("444", more=" XCOLORRANGE=FULL"))
        self.succeed("convert", "in.y4m", "out.y4m", "--to", "i444")
        self.assertEqual(read("out.y4m"), read("in.y4m"))
        for options, says in [(["--to-range", "limited"], b"LIMITED"), ([], b"FULL"),
                              (["--convention", "libyuv"], b"FULL")]:
            self.succeed("convert", "in.y4m", "out.y4m", "--to", "i444", *options)
            self.assertIn(b"C444 XCOLORRANGE=" + says + b"\n", read("out.y4m"))
        write("rgb.npy", npy("|u1", (5, 7, 3), ramp(105)))
        for convention, says in [("exact", b"FULL"), ("libyuv", b"LIMITED"), ("jfif", b"FULL")]:
            self.succeed("convert", "rgb.npy", "out.y4m", "--to", "gray8", "--convention", convention)
            self.assertIn(b"Cmono XCOLORRANGE=" + says + b"\n", read("out.y4m"))

    def test_a_threshold_is_of_full_range(self):
        write("in.y4m", self.video("mono", more=" XCOLORRANGE=LIMITED"))
        self.succeed("threshold", "in.y4m", "out.y4m")
        self.assertIn(b"Cmono XCOLORRANGE=FULL\n", read("out.y4m"))

    @unittest.skipUnless(HAS_VIDEO, "the module for videos is not in this build")
    @unittest.skipUnless(shutil.which("ffmpeg"), "there is no ffmpeg here")
    def test_shared_chroma_is_kept(self):
        for pixels, planar in [("yuv422p", "yuv422p"), ("yuyv422", "yuv422p"), ("nv12", "yuv420p")]:
            subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=s=38x24:r=30:d=0.1", "-pix_fmt", pixels,
                            "-c:v", "rawvideo", "in.nut"], check=True)
            self.succeed("stream", "in.nut", "out.y4m")
            frames = [subprocess.run(["ffmpeg", "-v", "error", "-i", name, "-f", "rawvideo", "-pix_fmt", planar, "-"],
                                     capture_output=True, check=True).stdout for name in ["in.nut", "out.y4m"]]
            self.assertEqual(frames[1], frames[0], pixels)

    def test_deep_files_are_pictures_too(self):
        def planes(*levels):  # 10 bits a sample, 2x1 pixels: Y, Y, Cb, Cr
            return struct.pack("<4H", *levels)
        write("in.y4m", y4m(2, 1, "420p10", planes(64, 940, 512, 512)))
        self.succeed("sobel", "in.y4m", "edges.y4m")
        self.assertIn(b" Cmono16 ", read("edges.y4m"))
        self.succeed("stream", "in.y4m", "stream.y4m", "--pipeline", "sobel")
        self.assertEqual(read("edges.y4m"), read("stream.y4m"))
        self.succeed("convert", "in.y4m", "out.raw", "--to", "rgb24")
        self.assertEqual(read("out.raw"), bytes(3) + b"\xff" * 3)
        self.succeed("convert", "in.y4m", "out.png", "--to", "rgb48")
        self.assertEqual(read("out.png")[24:26], bytes([16, 2]))  # bit depth, colour type RGB
        self.succeed("convert", "in.y4m", "out.y4m", "--to", "gray8")
        self.assertIn(b" Cmono ", read("out.y4m"))
        write("grey.y4m", y4m(32, 32, "mono10", ramp(2048)))
        self.succeed("match", "grey.y4m", "grey.y4m", "motion.csv", "--block-size", "8", "--search", "2")

    def test_folders(self):
        os.mkdir("in")
        write("in/a.y4m", self.video("420"))
        write("in/b.y4m", self.video("mono"))
        write("in/c.npy", npy("|u1", (5, 7), self.luma[0]))
        self.succeed("sobel", "in", "out")
        self.assertEqual(sorted(os.listdir("out")), ["a.y4m", "b.y4m", "c.npy"])
        self.assertEqual(read("out/a.y4m"), read("out/b.y4m"))
        self.succeed("convert", "in/a.y4m", "colours/", "--to", "rgb24")
        self.assertEqual(len(read("colours/a.raw")), 3 * 105)

    def test_a_pipe_gives_each_frame_before_the_next_comes(self):
        command = subprocess.Popen([WARPWISE, "sobel", "-", "-"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        video = self.video("mono")
        begin = video.index(b"FRAME")
        command.stdin.write(video[:begin])
        for i in range(3):
            command.stdin.write(video[begin + 41 * i:begin + 41 * (i + 1)])
            command.stdin.flush()
            self.assertEqual(command.stdout.read(35), self.edges[35 * i:35 * (i + 1)])
        command.stdin.close()
        self.assertEqual(command.stdout.read(), b"")
        command.stdout.close()
        self.assertEqual(command.wait(), 0)

    @unittest.skipUnless(shutil.which("ffmpeg"), "there is no ffmpeg here")
    def test_what_ffmpeg_writes_and_reads(self):
        def ffmpeg(*words):
            subprocess.run(["ffmpeg", "-v", "error", "-y", *words], check=True)
        source = ["-f", "lavfi", "-i", "testsrc=size=37x23:rate=30", "-frames:v", "2"]
        for pixels in ["gray", "yuv420p", "yuvj420p", "yuv422p", "yuv444p"]:
            ffmpeg(*source, "-pix_fmt", pixels, "-f", "rawvideo", "luma.raw")
            ffmpeg(*source, "-pix_fmt", pixels, "in.y4m")
            frame = len(read("luma.raw")) // 2
            luma = [read("luma.raw")[i * frame:i * frame + 37 * 23] for i in (0, 1)]
            self.succeed("sobel", "in.y4m", "out.y4m")
            ffmpeg("-i", "out.y4m", "-pix_fmt", "gray", "-f", "rawvideo", "back.raw")
            self.assertEqual(read("back.raw"), b"".join(sobel_u8(each, 37, 23) for each in luma), pixels)

    @unittest.skipUnless(HAS_VIDEO, "the module for videos is not in this build")
    @unittest.skipUnless(shutil.which("ffmpeg"), "there is no ffmpeg here")
    def test_deep_files_are_those_of_ffmpeg(self):
        def ffmpeg(*words):
            subprocess.run(["ffmpeg", "-v", "error", "-y", *words], check=True)
        depths = {"gray": (9, 10, 12, 16), **dict.fromkeys(["yuv420p", "yuv422p", "yuv444p"], (9, 10, 12, 14, 16))}
        for pixels in [f"{name}{bits}le" for name, all_bits in depths.items() for bits in all_bits]:
            for color_range in ["tv", "pc"] if "10le" in pixels else ["tv"]:
                # For odd widths FFmpeg 5.1 writes half a sample too little of each row of shared chroma.
                width = 37 if pixels.startswith(("gray", "yuv444p")) else 38
                with self.subTest(pixels=pixels, range=color_range):
                    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=40x30:r=30", "-frames:v", "2", "-vf",
                           f"scale=out_range={color_range},format={pixels},crop={width}:23:exact=1", "-color_range", color_range,
                           "-c:v", "ffv1", "-level", "1", "in.mkv")
                    ffmpeg("-i", "in.mkv", "-strict", "-1", "ffmpeg.y4m")
                    self.succeed("stream", "in.mkv", "out.y4m")
                    self.assertEqual(read("out.y4m"), read("ffmpeg.y4m"))
                    done = self.succeed("stream", "-", "-", stdin=read("ffmpeg.y4m"))
                    self.assertEqual(done.stdout, read("ffmpeg.y4m"))
                    ffmpeg("-i", "out.y4m", "-f", "rawvideo", "back.raw")
                    ffmpeg("-i", "in.mkv", "-f", "rawvideo", "in.raw")
                    self.assertEqual(read("back.raw"), read("in.raw"))


if __name__ == "__main__":
    sys.exit(unittest.main())
