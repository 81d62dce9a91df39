"""Tests warpwise stream from video file to video file: times, turns, sound, and the messages about them."""

import http.server
import json
import os
import shutil
import struct
import subprocess
import threading
import unittest

from network_support import LOCAL, Quiet
from run_support import EMULATED
from support import HAS_VIDEO, SAMPLES, SANITIZED, WARPWISE, CommandTest, read, write
from video_support import BAD_USAGE, FAILED, ffmpeg, probe


@unittest.skipUnless(HAS_VIDEO, "the module for videos is not in this build")
@unittest.skipUnless(shutil.which("ffprobe") and shutil.which("ffmpeg"), "there is no ffmpeg here")
class VideoFiles(CommandTest):
    def stream(self, *arguments):
        return self.succeed("stream", *arguments, "--backend", "cpu").stdout.decode().splitlines()

    def make_phone_video(self, name, codec=("-pix_fmt", "yuv420p", "-c:v", "libx264")):
        """Makes a video with a tag for a quarter turn, a varying frame rate, and sound."""
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=96x64:r=100:d=2", "-f", "lavfi", "-i", "sine=d=2",
               "-vf", r"select=not(mod(n\,4))*gt(n\,100)+not(mod(n\,10))*lte(n\,100)", "-fps_mode", "passthrough",
               "-enc_time_base", "1/1000", "-bf", "0", *codec, "-c:a", "aac", "plain.mp4")
        ffmpeg("-i", "plain.mp4", "-c", "copy", "-metadata:s:v:0", "rotate=90", name)

    def test_a_phones_video_comes_out_upright_in_time_and_with_sound(self):
        self.make_phone_video("phone.mp4")
        self.check_phone_video("h264", "i420, ", [])
        self.make_phone_video("phone.mp4", ("-pix_fmt", "yuv420p10le", "-color_trc", "arib-std-b67", "-c:v", "libx265",
                                            "-x265-params", "log-level=none", "-tag:v", "hvc1"))
        said = self.check_phone_video("hevc", "yuv420p16 from 10 bits, ", [])
        self.assertIn("transfer hlg (tag)", said)
        self.assertEqual(probe("edges.mp4", "stream=pix_fmt,color_transfer", "-select_streams", "v"),
                         ["yuv420p10le,arib-std-b67"])

    def check_phone_video(self, codec, pixels, not_held):
        said = self.stream("phone.mp4", "edges.mp4", "--pipeline", "sobel")
        self.assertIn(f"({codec}, turned: a quarter turn to the ", said[0])
        self.assertIn("64x96 " + pixels, said[0])
        self.assertEqual(said[1:-1], not_held)
        self.assertIn("fps on average", said[0])
        times = probe("phone.mp4", "frame=best_effort_timestamp_time", "-select_streams", "v")
        self.assertEqual(probe("edges.mp4", "frame=best_effort_timestamp_time", "-select_streams", "v"), times)
        self.assertEqual(probe("edges.mp4", "stream=codec_name,width,height"), [codec + ",64,96", "aac"])
        sound = [subprocess.run(["ffmpeg", "-v", "error", "-i", name, "-map", "0:a", "-c", "copy", "-f", "data", "-"],
                                capture_output=True, check=True).stdout for name in ["phone.mp4", "edges.mp4"]]
        self.assertEqual(sound[1], sound[0])
        return said[0]

    def test_the_depth_of_a_video_is_kept_or_said(self):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=96x64:d=0.2", "-pix_fmt", "yuv422p10le", "-c:v", "prores_ks", "deep.mov")
        said = {}
        for sink in ["out.mkv", "out.mp4", "out.mov", "frames/", "out.avi", "out.y4m"]:
            said[sink] = self.stream("deep.mov", sink)
            self.assertIn("96x64 yuv422p16 from 10 bits, ", said[sink][0])
        for sink in ["out.mkv", "out.mp4", "out.mov", "out.y4m"]:
            self.assertNotIn("rounded", said[sink][0])
            self.assertEqual(probe(sink, "stream=pix_fmt"), ["yuv422p10le"])
        self.assertTrue(said["out.avi"][0].endswith(", rounded to 8 bits"), said["out.avi"][0])
        self.assertIn("rounded to 8 bits", self.stream("deep.mov", "out.mkv", "--pipeline", "match block=8 search=2")[0])
        self.succeed("sobel", "deep.mov", "edges/", "--backend", "cpu")
        self.assertEqual(read("frames/000001.png")[24:26], bytes([16, 2]))  # bit depth, colour type RGB
        self.assertEqual(read("edges/000001.png")[24:26], bytes([16, 0]))  # bit depth, colour type grey
        report = json.loads("\n".join(self.stream("deep.mov", "null", "--pipeline", "sobel", "--json")))
        self.assertEqual(report["source"]["frames"]["depth"], 10)
        self.assertEqual(report["stages"][-1]["result"]["depth"], 16)

    def test_prores_has_the_samples_with_10_bits(self):
        cases = [("yuv422p10le", "yuv422p10le"), ("yuv420p10le", "yuv422p10le"), ("yuv444p12le", "yuv444p12le"), ("gray10le", "yuv444p12le"),
                 ("gbrp10le", "yuv444p12le"), ("yuv420p", "yuv422p10le"), ("yuv422p", "yuv422p10le"), ("yuv444p", "yuv444p12le"),
                 ("bgr0", "yuv444p12le"), ("gray", "yuv444p12le")]
        smooth = "nullsrc=s=50x38:d=0.2,format=gbrp10le,geq=r=100+X*9:g=900-Y*10:b=X*5+Y*5"
        for pixels, stored in cases:
            with self.subTest(pixels):
                ffmpeg("-f", "lavfi", "-i", smooth, "-pix_fmt", pixels, "-c:v", "ffv1", "in.mkv")
                said = self.stream("in.mkv", "out.mov")
                self.assertNotIn("rounded", said[0])
                self.assertEqual(probe("out.mov", "stream=codec_name,pix_fmt,color_range"), [f"prores,{stored},tv"])
                shown = [subprocess.run(["ffmpeg", "-v", "error", "-i", name, "-f", "rawvideo", "-pix_fmt", "gray10le"
                                         if pixels.startswith("gray") else "gbrp10le", "-"], capture_output=True, check=True).stdout
                         for name in ("in.mkv", "out.mov")]
                self.assertEqual(len(shown[0]), len(shown[1]))
                codes = [struct.unpack(f"<{len(each) // 2}H", each) for each in shown]
                loss = sum(abs(a - b) for a, b in zip(*codes)) / len(codes[0])
                self.assertLess(loss, 4)  # levels, of 1023

    def test_prores_has_alpha_of_rgba(self):
        picture = "nullsrc=s=50x38:d=0.2,format=gbrap16le,geq=r=X*1000:g=Y*1500:b=X*Y*30:a=65535-X*1200"
        for pixels, not_held in [("bgra", []), ("gbrap16le", ["out.mov does not hold: more than 10 bits"])]:
            with self.subTest(pixels):
                ffmpeg("-f", "lavfi", "-i", picture, "-pix_fmt", pixels, "-c:v", "ffv1", "in.mkv")
                said = self.stream("in.mkv", "out.mov")
                self.assertEqual(said[1:-1], not_held)
                self.assertEqual(probe("out.mov", "stream=pix_fmt,color_range,color_space"), ["yuva444p12le,tv,smpte170m"])
                codes = [struct.unpack(f"<{50 * 38 * 5 * 4}H", subprocess.run(
                    ["ffmpeg", "-v", "error", "-i", name, "-f", "rawvideo", "-pix_fmt", "gbrap16le", "-"],
                    capture_output=True, check=True).stdout) for name in ("in.mkv", "out.mov")]
                loss = [abs(a - b) for a, b in zip(*codes)]
                self.assertLess(sum(loss) / len(loss), 200)  # levels, of 65535
                self.assertLess(max(loss[3 * 50 * 38:4 * 50 * 38]), 140)  # alpha has only been rounded to 10 bits

    def test_sound_and_turns_go_into_mov(self):
        self.make_phone_video("phone.mp4")
        ffmpeg("-i", "phone.mp4", "-c", "copy", "phone.ts")
        for name in ["phone.mp4", "phone.ts"]:
            self.stream(name, "out.mov", "--no-autorotate")
            self.assertEqual([each.strip(",") for each in probe("out.mov", "stream=codec_name")], ["prores", "aac"])
        self.stream("phone.mp4", "out.mov", "--no-autorotate")
        self.assertIn("90", probe("out.mov", "stream_side_data=rotation")[0])
        times, kept = ([each.strip(",") for each in probe(name, "frame=best_effort_timestamp_time", "-select_streams", "v")]
                       for name in ("phone.mp4", "out.mov"))
        self.assertEqual(kept, times)

    def test_alpha_of_16_bits_goes_along_or_is_said(self):
        os.mkdir("in")
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=96x64:d=0.2:r=10", "-vf", "format=rgba64le,geq=r=X*680:g=Y*1000:b=X*Y*10:a=65535-X*600",
               "-pix_fmt", "rgba64be", "in/%d.png")

        def samples(name):
            return subprocess.run(["ffmpeg", "-v", "error", "-i", name, "-f", "rawvideo", "-pix_fmt", "rgba64le", "-"],
                                  capture_output=True, check=True).stdout
        given = samples("in/%d.png")
        for sink, read_as in [("out.mkv", "out.mkv"), ("out/", "out/%06d.png"), ("tif/%d.tif", "tif/%d.tif")]:
            said = self.stream("in", sink)
            self.assertEqual(len(said), 2, "no line of what is not held")
            self.assertNotIn("rounded", said[0])
            self.assertEqual(samples(read_as), given, sink)
        for sink, not_held in [("out.mp4", "alpha, more than 10 bits"), ("out.y4m", "alpha"), ("out.avi", "alpha"), ("pnm/%d.pnm", "alpha")]:
            said = self.stream("in", sink)
            self.assertEqual(said[1], f"{sink} does not hold: {not_held}")
            self.assertEqual(said[0].endswith(", rounded to 8 bits"), sink == "out.avi")
        self.assertEqual(probe("out.mkv", "stream=pix_fmt"), ["gbrap16le"])
        colours = subprocess.run(["ffmpeg", "-v", "error", "-i", "pnm/%d.pnm", "-f", "rawvideo", "-pix_fmt", "rgb48le", "-"],
                                 capture_output=True, check=True).stdout
        without_alpha = b"".join(given[i:i + 6] for i in range(0, len(given), 8))
        self.assertEqual(colours, without_alpha)
        done = self.succeed("stream", "in", "pipe:rgba32")
        self.assertEqual(done.stdout, bytes((int.from_bytes(given[i:i + 2], "little") + 128) // 257 for i in range(0, len(given), 2)))

    def planes_of(self, name, *filters):
        return subprocess.run(["ffmpeg", "-v", "error", "-i", name, *filters, "-fps_mode", "passthrough", "-f", "rawvideo",
                               "-pix_fmt", "yuv420p", "-"], capture_output=True, check=True).stdout

    def test_frames_of_another_size_are_scaled_on_request(self):
        parts = [("a", "96x64", "yuv420p"), ("b", "160x90", "yuv420p"), ("c", "96x64", "yuv422p")]
        for name, size, pixels in parts:
            ffmpeg("-f", "lavfi", "-i", f"testsrc2=s={size}:d=0.4", "-pix_fmt", pixels, "-c:v", "libx264", "-qp", "10", name + ".ts")
        write("all.ts", b"".join(read(name + ".ts") for name, _, _ in parts))
        write("pixels.ts", read("a.ts") + read("c.ts"))
        for name, says in [("all.ts", "size from 96x64 to 160x90"), ("pixels.ts", "pixels from yuv420p to yuv422p")]:
            done = self.run_command("stream", name, "null", "--backend", "cpu")
            self.assertEqual(done.returncode, FAILED)
            self.assertIn(f"changes its {says} at frame 11; --rescale makes all frames like the first one", done.stderr.decode())
        done = self.succeed("stream", "all.ts", "out.mkv", "--rescale", "--backend", "cpu")
        self.assertEqual(done.stderr.decode().splitlines(), ["all.ts: 160x90 at frame 11, scaled to 96x64",
                                                             "all.ts: yuv422p at frame 21, scaled to yuv420p"])
        got = self.planes_of("out.mkv")
        wanted = b"".join(self.planes_of(name + ".ts", "-vf", "scale=96:64:flags=bicubic") for name, _, _ in parts)
        self.assertEqual(len(got), 30 * 96 * 64 * 3 // 2)
        self.assertEqual(len(wanted), len(got))
        self.assertEqual(got[:len(got) // 3], wanted[:len(got) // 3])
        self.assertLessEqual(max(abs(a - b) for a, b in zip(got, wanted)), 3)

    def test_colours_of_scaled_frames_become_the_first_frames(self):
        matrices = {"bt601": "smpte170m", "bt709": "bt709"}
        for name, size, matrix in [("a.ts", "96x64", "bt601"), ("b.ts", "160x90", "bt709")]:
            ffmpeg("-f", "lavfi", "-i", f"color=0xd02040:s={size}:d=0.2", "-vf", f"scale=out_color_matrix={matrix}", "-pix_fmt", "yuv420p",
                   "-colorspace", matrices[matrix], "-c:v", "libx264", "-qp", "4", name)
        write("both.ts", read("a.ts") + read("b.ts"))
        self.assertIn("bt601 (tag)", self.stream("both.ts", "out.mkv", "--rescale")[0])
        got, size = self.planes_of("out.mkv"), 96 * 64 * 3 // 2
        self.assertGreater(max(abs(a - b) for a, b in zip(self.planes_of("a.ts")[:size], self.planes_of("b.ts", "-vf", "scale=96:64"))), 9)
        for at in range(size, len(got), size):
            self.assertLessEqual(max(abs(a - b) for a, b in zip(got[:size], got[at:at + size])), 2)

    def test_a_change_of_colours_alone_is_made_good_too(self):
        for name, matrix, colour_range, pixels in [("a.ts", "bt601", "tv", "yuv420p"), ("b.ts", "bt709", "tv", "yuv420p"),
                                                   ("c.ts", "bt601", "tv", "yuv420p10le"), ("d.ts", "bt601", "pc", "yuv420p10le")]:
            ffmpeg("-f", "lavfi", "-i", "color=0xd02040:s=96x64:d=0.2", "-vf", f"scale=out_color_matrix={matrix}:out_range={colour_range}",
                   "-pix_fmt", pixels, "-colorspace", {"bt601": "smpte170m", "bt709": "bt709"}[matrix], "-color_range", colour_range,
                   "-c:v", "libx264", "-qp", "4", name)
        size = 96 * 64 * 3 // 2
        for one, other in [("a.ts", "b.ts"), ("c.ts", "d.ts")]:
            write("both.ts", read(one) + read(other))
            said = self.run_command("stream", "both.ts", "out.mkv", "--rescale", "--backend", "cpu")
            self.assertIn("converted to the first frame's colours", said.stderr.decode())
            got = self.planes_of("out.mkv")
            for at in range(size, len(got), size):
                self.assertLessEqual(max(abs(a - b) for a, b in zip(got[:size], got[at:at + size])), 2)

    def test_deep_frames_without_headers_are_pictures_too(self):
        of_ffmpeg = ["-f", "lavfi", "-i", "testsrc2=s=38x30", "-frames:v", "1", "-strict", "-1"]
        ffmpeg(*of_ffmpeg, "-pix_fmt", "yuv420p10le", "in.y4m")
        raw = {"p010": "p010le", "p016": "p016le", "yuv420p16": "yuv420p16le"}
        for layout, pixels in raw.items():
            ffmpeg("-strict", "-1", "-i", "in.y4m", "-sws_flags", "bitexact", "-pix_fmt", pixels, "-f", "rawvideo", layout + ".raw")
        for command in [["sobel"], ["threshold", "--window", "5"], ["convert", "--to", "rgb48"], ["convert", "--to", "rgb24"]]:
            self.succeed(*command, "in.y4m", "wanted.png")
            for layout in raw:
                with self.subTest(command=command, layout=layout):
                    self.succeed(*command, layout + ".raw", "got.png", "--from", layout, "--size", "38x30")
                    self.assertEqual(read("got.png"), read("wanted.png"))
        self.succeed("sobel", "-", "got.png", "--from", "p010", "--size", "38x30", stdin=read("p010.raw"))
        self.succeed("sobel", "in.y4m", "wanted.png")
        self.assertEqual(read("got.png"), read("wanted.png"))
        self.succeed("sobel", "p010.raw", "got.mkv", "--from", "p010", "--size", "38x30", "--backend", "cpu")
        self.assertEqual(probe("got.mkv", "stream=pix_fmt"), ["gray16le"])

    def test_deep_frames_without_headers_are_those_of_ffmpeg(self):
        cases = [("p010", "p010le", "yuv420p10le"), ("p016", "p016le", "yuv420p16le"), ("gray16", "gray16le", "gray16le"),
                 ("rgb48", "rgb48le", "gbrp16le"), ("rgba64", "rgba64le", "gbrap16le"), ("yuv422p16", "yuv422p16le", "yuv422p16le")]
        for layout, theirs, stored in cases:
            for color_range, width in [("tv", 38), ("pc", 38), ("tv", 37)] if layout.startswith("p01") else [("pc" if stored[0] == "g" else "tv", 37)]:
                with self.subTest(layout=layout, range=color_range, width=width):
                    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=40x30:d=0.2:r=10", "-vf",
                           f"scale=out_range={color_range},format={stored},crop={width}:23:exact=1", "-color_range", color_range,
                           "-c:v", "ffv1", "-level", "1", "in.mkv")
                    frames = self.succeed("stream", "in.mkv", f"pipe:{layout}").stdout
                    if layout[0] != "p" or width % 2 == 0:  # FFmpeg 5.1 makes no last column of chroma in odd widths
                        ffmpeg("-i", "in.mkv", "-vf", f"scale=in_range={color_range}:out_range={color_range},format={theirs}",
                               "-f", "rawvideo", "expected.raw")
                        self.assertEqual(frames, read("expected.raw"))
                    self.check_read_back(frames, layout, width, color_range, stored)

    def check_read_back(self, frames, layout, width, color_range, stored):
        write("in.raw", frames)
        ffmpeg("-i", "in.mkv", "-f", "rawvideo", "expected.raw")
        for source, options in [(f"pipe:{layout}:{width}x23@10", []), ("in.raw", ["--format", layout, "--size", f"{width}x23"])]:
            said = self.succeed("stream", source, "out.mkv", *options, "--range", {"tv": "limited", "pc": "full"}[color_range],
                                stdin=frames).stdout.decode()
            self.assertNotIn("rounded", said)
            self.assertEqual(probe("out.mkv", "stream=pix_fmt"), [stored])
            ffmpeg("-i", "out.mkv", "-f", "rawvideo", "out.raw")
            self.assertEqual(read("out.raw"), read("expected.raw"))

    def test_other_deep_frames_are_converted_for_a_pipe(self):
        for pixels in ["yuv422p10le", "gbrp12le", "gray16le", "yuv444p16le"]:
            ffmpeg("-f", "lavfi", "-i", "color=gray:s=16x8:d=0.2:r=10", "-vf", f"format={pixels}", "-color_range",
                   "pc" if pixels.startswith("g") else "tv", "-c:v", "ffv1", "-level", "1", "in.mkv")
            frames = self.succeed("stream", "in.mkv", "pipe:p010", "--frames", "1").stdout
            words = struct.unpack("<192H", frames)
            for word in words[:128]:
                self.assertAlmostEqual((word / 256 - 16) / 219, 128 / 255, delta=0.005, msg=pixels)
            self.assertEqual(set(words[128:]), {512 << 6}, pixels)
        self.fail_with(BAD_USAGE, "stream", "test:bars", "pipe:p010", says="pipe:p010 takes frames of more than 8 bits, not rgb24")
        self.fail_with(BAD_USAGE, "stream", "test:bars", "null", "--format", "p010", says="only .raw files and pipe: do")
        edges = self.succeed("sobel", "pipe:gray16:4x3", "pipe:gray16", "--backend", "cpu", stdin=bytes(range(24))).stdout
        self.assertEqual(len(edges), 24)

    def test_bits_that_the_source_has_not_are_not_lost(self):
        for pixels, lost in [("gbrp10le", []), ("gbrp12le", ["out.mp4 does not hold: more than 10 bits"])]:
            ffmpeg("-f", "lavfi", "-i", "testsrc2=s=96x64:d=0.2", "-pix_fmt", pixels, "-c:v", "ffv1", "rgb.mkv")
            self.assertEqual(self.stream("rgb.mkv", "out.mp4")[1:-1], lost)

    def test_frames_of_many_bits_are_rounded_to_compare_them(self):
        for pixels in ["yuv420p10le", "yuv422p12le", "gray10le"]:
            ffmpeg("-f", "lavfi", "-i", "testsrc2=s=96x64:d=0.2", "-pix_fmt", pixels, "-c:v", "ffv1", "deep.mkv")
            box = ["--box", "30,20,16,16", "--search", "4"]
            self.succeed("track", "deep.mkv", "deep.csv", *box)
            self.succeed("stream", "deep.mkv", "pipe.y4m")  # a stream that keeps the luma
            self.succeed("track", "pipe.y4m", "flat.csv", *box)
            self.assertEqual(read("deep.csv"), read("flat.csv"), pixels)
            self.stream("deep.mkv", "one.mkv", "--frames", "1")
            self.succeed("find", "one.mkv", "one.mkv")

    def test_a_binary_picture_of_many_bits_is_black_and_white(self):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=96x64:d=0.2", "-pix_fmt", "yuv420p10le", "-c:v", "ffv1", "deep.mkv")
        sobel = "sobel | threshold window=31 offset=-7"
        for options, values in [(["--pipeline", sobel], {0, 65535}), (["--pipeline", sobel + " max=500"], {0, 500})]:
            self.stream("deep.mkv", "out/", *options)
            self.assertEqual(self.values_of("out/000001.png"), values)
        self.succeed("threshold", "deep.mkv", "out/", "--window", "31", "--max", "60000", "--backend", "cpu")
        self.assertEqual(self.values_of("out/000001.png"), {0, 60000})
        self.succeed("threshold", "out/000001.png", "page.png", "--backend", "cpu")
        self.assertEqual(self.values_of("page.png"), {0, 65535})

    def values_of(self, picture):
        ffmpeg("-i", picture, "-pix_fmt", "gray16le", "-f", "rawvideo", "out.raw")
        return set(memoryview(read("out.raw")).cast("H"))

    def test_options_that_do_not_fit_leave_the_output_alone(self):
        for pixels, options in [("yuv420p10le", "window=9999999"), ("yuv420p", "window=3 max=256")]:
            ffmpeg("-f", "lavfi", "-i", "testsrc2=s=96x64:d=0.2", "-pix_fmt", pixels, "-c:v", "ffv1", "in.mkv")
            for sink in ["victim.mkv", "victim.y4m"]:
                with open(sink, "wb") as file:
                    file.write(b"old")
                self.fail_with(BAD_USAGE, "stream", "in.mkv", sink, "--pipeline", f"threshold {options}", says="threshold")
                self.assertEqual(read(sink), b"old")

    def test_frames_stay_as_they_are_stored(self):
        self.make_phone_video("phone.mp4")
        said = self.stream("phone.mp4", "out.mp4", "--no-autorotate")
        self.assertIn("96x64", said[0])
        self.assertIn("not turned: a quarter turn to the ", said[0])
        self.assertIn("turned: a quarter turn", self.stream("out.mp4", "null")[0])
        self.assertEqual(self.stream("phone.mp4", "out.mkv", "--no-autorotate")[1], "out.mkv does not hold: the rotation tag")

    def test_what_a_file_does_not_hold_is_said(self):
        self.make_phone_video("phone.mp4")
        self.assertEqual(self.stream("phone.mp4", "out.y4m")[1],
                         "out.y4m does not hold: sound (aac), varying frame durations (--fps makes them equal)")

        self.assertEqual(self.stream("phone.mp4", "out/")[1],
                         "out/ does not hold: sound (aac), varying frame durations (--fps makes them equal)")
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=96x64:d=0.2", "-vf", "setsar=4/3", "-pix_fmt", "yuv420p10le", "-color_trc", "smpte2084",
               "-color_primaries", "bt2020", "-c:v", "libx265", "-x265-params", "log-level=none", "wide.mkv")
        for sink, lost in [("out/", "the transfer function, the colour primaries, the shape of pixels"), ("out.y4m", "the transfer function, the colour primaries"),
                           ("out.avi", "the transfer function, the colour primaries")]:
            self.assertEqual(self.stream("wide.mkv", sink)[1], f"{sink} does not hold: {lost}")

        report = json.loads("\n".join(self.stream("phone.mp4", "out.y4m", "--fps", "25", "--json")))
        self.assertEqual(report["not_held"], "sound (aac)")

    def test_a_title_is_no_sound(self):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=96x64:d=0.2", "-metadata", "title=Street", "titled.mkv")
        self.assertFalse(any("does not hold" in line for line in self.stream("titled.mkv", "out.y4m")))

    def test_a_new_rate_keeps_the_length(self):
        self.make_phone_video("phone.mp4")
        self.stream("phone.mp4", "out.mkv", "--fps", "25")
        self.assertEqual(probe("out.mkv", "stream=r_frame_rate,nb_read_frames", "-select_streams", "v", "-count_frames"),
                         ["25/1,50"])

    def test_dropped_frames_leave_their_time(self):
        report = json.loads(self.succeed("stream", "test:noise", "out.mkv", "--size", "640x480", "--fps", "200", "--frames",
                                         "100", "--realtime", "--backend", "cpu", "--json").stdout)
        times = [float(each) for each in probe("out.mkv", "frame=best_effort_timestamp_time")]
        self.assertEqual(len(times), report["written"])
        self.assertGreater(times[-1], 0.4)

    def test_one_of_several_videos(self):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48", "-f", "lavfi", "-i", "testsrc2=s=32x24", "-frames:v", "3",
               "-map", "0", "-map", "1", "-c:v", "ffv1", "a.mkv")
        self.assertIn("32x24", self.stream("a.mkv", "null", "--track", "2")[0])
        self.fail_with(FAILED, "stream", "a.mkv", "null", "--track", "3", says="it has no video track 3, only 2 tracks")
        self.fail_with(BAD_USAGE, "stream", "a.mkv", "null", "--track", "0", says="--track")
        for name in ["a.mkv", "a.gif", "a.apng"]:
            ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=10", "-frames:v", "3", name)
            self.fail_with(BAD_USAGE, "stream", name, "null", "--page", "1", says=f"{name} has no pages")

    def test_a_transport_stream_is_a_video_for_all_commands(self):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:d=0.2", "-pix_fmt", "yuv420p", "-c:v", "libx264", "a.ts")
        self.succeed("sobel", "a.ts", "frames/", "--backend", "cpu")
        self.assertEqual(len(os.listdir("frames")), 5)

    def test_interlaced_frames_are_refused_with_the_way_out(self):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:d=0.2", "-vf", "setfield=tff", "-flags", "+ilme+ildct",
               "-pix_fmt", "yuv420p", "-c:v", "mpeg2video", "a.mkv")
        self.fail_with(FAILED, "stream", "a.mkv", "null", says=["is interlaced", "--deinterlace"])
        self.assertIn("(mpeg2video, deinterlaced)", self.stream("a.mkv", "null", "--deinterlace")[0])

    def test_pictures_are_turned_and_pages_are_frames(self):
        images = os.path.join(os.path.dirname(SAMPLES), "tests", "images")
        turned = os.path.join(images, "rgb8-exif-turn.png")
        self.assertIn("(turned: a quarter turn to the right): 11x13", self.stream(turned, "null")[0])
        self.assertIn("13x11 rgb24, not turned", self.stream(turned, "null", "--no-autorotate")[0])
        pages = os.path.join(images, "grey8-pages.tif")
        self.assertIn(": 2 frames of ", self.stream(pages, "frames/")[1])
        self.assertIn(": 1 frame of ", self.stream(pages, "page/", "--page", "2")[1])
        self.assertEqual(read("page/000001.png"), read("frames/000002.png"))
        self.fail_with(FAILED, "stream", pages, "null", "--page", "3", says="has no picture 3, only 2 pictures")
        self.fail_with(BAD_USAGE, "stream", pages, "null", "--page", "0", says="--page")


STREET = os.path.join(SAMPLES, "street.avi")


@unittest.skipUnless(HAS_VIDEO, "the module for videos is not in this build")
class Decoders(CommandTest):
    def test_a_cpu_that_computes_decodes_too(self):
        for by in ["auto", "cpu"]:
            said = self.succeed("stream", STREET, "null", "--frames", "2", "--backend", "cpu", "--decode", by).stdout
            self.assertIn(b"street.avi (msmpeg4v3): ", said)
        self.fail_with(BAD_USAGE, "stream", STREET, "null", "--backend", "cpu", "--decode", "gpu", says="needs a GPU that computes")
        self.fail_with(BAD_USAGE, "sobel", STREET, "null", "--backend", "cpu", "--decode", "gpu", says="needs a GPU that computes")
        self.fail_with(BAD_USAGE, "view", STREET, "--backend", "cpu", "--decode", "gpu", says="needs a GPU that computes")
        self.fail_with(BAD_USAGE, "stream", STREET, "null", "--decode", "nvdec", says="auto, cpu, gpu")

    def test_what_is_no_video_is_not_decoded_by_a_gpu(self):
        write("a.pgm", b"P5 2 2 255 " + bytes(4))
        self.fail_with(BAD_USAGE, "sobel", "a.pgm", "b.pgm", "--decode", "gpu", says=["--decode gpu is for videos", "--decode auto lets a GPU decode JPEG files"])

    def on_emulated_gpu(self, *arguments):
        """Runs a stream on the emulated GPU, and returns its lines."""
        done = self.run_command("run", "-q", WARPWISE, "stream", *arguments, "--backend", "cuda")
        return done.returncode, (done.stdout + done.stderr).decode()

    @unittest.skipUnless(os.path.exists(EMULATED), "there is no emulated GPU in this build")
    @unittest.skipIf(SANITIZED, "the emulated GPU's libraries are not sanitized")
    def test_a_gpu_says_why_the_cpu_decodes(self):
        status, said = self.on_emulated_gpu(STREET, "null", "--frames", "2")
        self.assertEqual(status, 0, said)
        self.assertIn("(msmpeg4v3, decoded by the CPU: the GPU decodes no msmpeg4v3): 768x576 i420", said)
        status, said = self.on_emulated_gpu(STREET, "null", "--frames", "2", "--decode", "cpu")
        self.assertIn("(msmpeg4v3): 768x576 i420", said)
        status, said = self.on_emulated_gpu(STREET, "null", "--decode", "gpu")
        self.assertEqual(status, FAILED, said)
        self.assertIn("street.avi: --decode gpu: the GPU decodes no msmpeg4v3\n", said)
        status, said = self.on_emulated_gpu("test:bars", "null", "--frames", "2", "--decode", "gpu")
        self.assertIn("test:bars is not read as a video", said)

    @unittest.skipUnless(os.path.exists(EMULATED) and shutil.which("ffmpeg"), "there is no emulated GPU, or no ffmpeg")
    @unittest.skipIf(SANITIZED, "the emulated GPU's libraries are not sanitized")
    def test_a_gpu_decodes_no_frames_that_would_change(self):
        kinds = {"ten.mp4": ["-pix_fmt", "yuv420p10le", "-c:v", "libx264"], "four.mp4": ["-pix_fmt", "yuv444p", "-c:v", "libx264"],
                 "wide.mp4": ["-pix_fmt", "yuv422p", "-c:v", "libx264"],
                 "odd.webm": ["-pix_fmt", "yuv420p", "-vf", "scale=65:49", "-c:v", "libvpx"],
                 "whole.mp4": ["-pix_fmt", "yuv420p", "-c:v", "libx264"], "old.mpg": ["-c:v", "mpeg2video"]}
        for name, codec in kinds.items():
            ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=0.2", *codec, name)
        ffmpeg("-i", "whole.mp4", "-c", "copy", "-metadata:s:v:0", "rotate=90", "turned.mp4")
        for name, why in [("ten.mp4", "the GPU's frames of h264 in yuv420p10le may differ from the CPU's"),
                          ("four.mp4", "the GPU's frames of h264 in yuv444p may differ from the CPU's"),
                          ("wide.mp4", "4:2:0 or 4:4:4 of 8, 10 or 12 bits, not yuv422p"),
                          ("odd.webm", "the GPU decodes only frames of even width and height"), ("turned.mp4", "its frames are turned on the host"),
                          ("old.mpg", "the GPU's frames of mpeg2video may differ from the CPU's")]:
            status, said = self.on_emulated_gpu(name, "null")
            self.assertEqual(status, 0, said)
            self.assertIn("decoded by the CPU: ", said)
            self.assertIn(why + "): ", said)
        status, said = self.on_emulated_gpu("whole.mp4", "null", "--deinterlace", "--decode", "gpu")
        self.assertEqual(status, FAILED, said)
        self.assertIn("--deinterlace needs frames on the host", said)
        status, said = self.on_emulated_gpu("whole.mp4", "null", "--rescale")
        self.assertEqual(status, 0, said)
        self.assertIn("(h264, decoded by the CPU: --rescale needs frames on the host): 64x48", said)

    @unittest.skipUnless(os.path.exists(EMULATED) and shutil.which("ffmpeg"), "there is no emulated GPU, or no ffmpeg")
    @unittest.skipIf(SANITIZED, "the emulated GPU's libraries are not sanitized")
    def test_the_cpu_decodes_what_comes_from_the_network(self):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=0.2", "-pix_fmt", "yuv420p", "-c:v", "libx264", "a.mp4")
        server = http.server.ThreadingHTTPServer((LOCAL, 0), Quiet)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        address = f"http://{LOCAL}:{server.server_port}/a.mp4"
        for options in [[], ["--reconnect", "5"]]:
            status, said = self.on_emulated_gpu(address, "null", *options)
            self.assertEqual(status, 0, said)
            self.assertIn("(h264, decoded by the CPU: it comes from the network): 64x48", said)
        status, said = self.on_emulated_gpu(address, "null", "--decode", "gpu")
        self.assertEqual(status, FAILED, said)
        self.assertIn("--decode gpu: it comes from the network", said)


if __name__ == "__main__":
    unittest.main()
