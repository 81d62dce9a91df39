"""Tests files such as people have: more than 8 bits, levels, alpha with YUV, joined parts, network addresses."""

import os
import shutil
import struct
import subprocess
import unittest

from support import HAS_VIDEO, CommandTest, npy, npy_parts, read, write
from video_support import BAD_USAGE, FAILED, ffmpeg, probe


def words(content):
    return struct.unpack(f"<{len(content) // 2}H", content)


def raw_of(name, pixels, *options):
    return subprocess.run(["ffmpeg", "-v", "error", "-strict", "-1", "-i", name, *options, "-f", "rawvideo", "-pix_fmt", pixels, "-"],
                          capture_output=True, check=True).stdout


def picture_of_all_levels():
    """Makes a picture with a square of 8x8 pixels for each of 256 levels."""
    return bytes(16 * (y // 8) + x // 8 for y in range(128) for x in range(128))


class OneMeaning(CommandTest):
    def test_edges_of_16_bits_have_16_bits_everywhere(self):
        write("in.raw", struct.pack("<12H", *[0, 0, 65535, 65535] * 3))
        self.succeed("sobel", "in.raw", "out.npy", "--from", "gray16", "--size", "4x3")
        kind, _, edges = npy_parts("out.npy")
        self.assertEqual((kind, set(words(edges)) - {0}), ("<u2", {65535}))
        for sink in ["out.raw", "pipe:gray16"]:
            done = self.succeed("sobel", "in.raw", sink, "--from", "gray16", "--size", "4x3", "--backend", "cpu")
            self.assertEqual(read("out.raw") if sink == "out.raw" else done.stdout, edges, sink)
        write("in.npy", npy("<u2", (3, 4), read("in.raw")))
        self.succeed("sobel", "in.npy", "out.npy")
        self.assertEqual(npy_parts("out.npy")[2], edges)

    def test_white_of_16_bits_is_65535_everywhere(self):
        write("in.raw", os.urandom(2 * (20 * 15 + 2 * 10 * 8)))
        here = ["--from", "p010", "--size", "20x15", "--window", "5"]
        self.succeed("threshold", "in.raw", "out.raw", *here)
        self.assertEqual(set(words(read("out.raw"))), {0, 65535})
        piped = self.succeed("threshold", "in.raw", "pipe:gray16", *here, "--backend", "cpu").stdout
        self.assertEqual(piped, read("out.raw"))
        self.succeed("threshold", "in.raw", "out.raw", *here, "--max", "255")
        self.assertEqual(set(words(read("out.raw"))), {0, 255})


@unittest.skipUnless(shutil.which("ffmpeg"), "there is no ffmpeg here")
class Conversions(CommandTest):
    def make_y4m(self, name, pixels, size="38x30", rate="tv"):
        ffmpeg("-f", "lavfi", "-i", f"testsrc2=s={size}:d=0.12:r=25", "-vf", f"scale=out_range={rate},format={pixels}", "-color_range", rate,
               "-strict", "-1", name)

    def test_yuv_gets_another_range_and_shared_chroma(self):
        self.make_y4m("in.y4m", "yuv444p10le")
        self.succeed("convert", "in.y4m", "out.y4m", "--to", "yuv422p16")
        self.assertIn(b"XCOLORRANGE=LIMITED", read("out.y4m")[:120])
        given, got = words(raw_of("in.y4m", "yuv444p10le")), words(raw_of("out.y4m", "yuv422p16le"))
        pixels = 38 * 30
        self.assertEqual(got[:pixels], tuple(64 * code for code in given[:pixels]))
        means = tuple((64 * (given[at] + given[at + 1]) + 1) // 2 for at in range(pixels, 2 * pixels, 2))
        self.assertEqual(got[pixels:pixels + pixels // 2], means)
        self.succeed("convert", "in.y4m", "full.y4m", "--to", "yuv444p16", "--to-range", "full")
        self.assertIn(b"XCOLORRANGE=FULL", read("full.y4m")[:120])
        full = words(raw_of("full.y4m", "yuv444p16le"))
        self.assertEqual(full[0], min(65535, (2 * 65535 * (given[0] * 64 - 4096) + 56064) // (2 * 56064)))

    def test_headerless_yuv_keeps_its_range_in_y4m(self):
        for rate, said in [("tv", b"XCOLORRANGE=LIMITED"), ("pc", b"XCOLORRANGE=FULL")]:
            self.make_y4m("in.y4m", "yuv420p10le", rate=rate)
            write("in.raw", self.succeed("convert", "in.y4m", "-", "--to", "p010").stdout)
            here = ["--from", "p010", "--size", "38x30"] + ["--from-range", "full"] * (rate == "pc")
            self.succeed("convert", "in.raw", "out.y4m", "--to", "yuv420p16", *here)
            self.assertIn(said, read("out.y4m")[:120])
            given, got = words(raw_of("in.y4m", "yuv420p10le")), words(raw_of("out.y4m", "yuv420p16le"))
            largest = 1023 if rate == "pc" else 1023.984375  # limited range: the code times 64
            for one, other in list(zip(given, got))[:38 * 30]:
                self.assertEqual(other, int(one * 65535 / largest + 0.5))

    def test_p010_and_p016_are_written_as_ffmpeg_does(self):
        self.make_y4m("in.y4m", "yuv420p10le")
        for layout in "p010", "p016":
            wanted = raw_of("in.y4m", layout + "le", "-sws_flags", "bitexact")
            self.succeed("convert", "in.y4m", "out.raw", "--to", layout)
            self.assertEqual(read("out.raw"), wanted)
            self.assertEqual(self.succeed("convert", "in.y4m", "-", "--to", layout).stdout, wanted)
            self.fail_with(FAILED, "convert", "in.y4m", "out.y4m", "--to", layout,
                           says=[f"cannot hold {layout}", ".raw files and pipes can", "--to yuv420p16"])

    @unittest.skipUnless(HAS_VIDEO, "the module for videos is not in this build")
    def test_p010_of_a_video(self):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=38x30:d=0.12", "-pix_fmt", "yuv420p10le", "-c:v", "ffv1", "in.mkv")
        wanted = raw_of("in.mkv", "p010le", "-sws_flags", "bitexact")
        self.assertEqual(self.succeed("convert", "in.mkv", "pipe:p010", "--to", "p010", "--backend", "cpu").stdout, wanted)
        said = self.succeed("convert", "in.mkv", "out.raw", "--to", "p010", "--backend", "cpu").stdout
        self.assertIn(b"out.raw: 3 frames of 38x30 p010", said)
        self.assertEqual(read("out.raw"), wanted)
        self.succeed("stream", "in.mkv", "out.raw", "--pipeline", "p010", "--backend", "cpu")
        self.assertEqual(read("out.raw"), wanted)
        self.succeed("stream", "in.mkv", "out.raw", "--backend", "cpu")
        self.assertEqual(read("out.raw"), self.succeed("stream", "in.mkv", "pipe:yuv420p16", "--backend", "cpu").stdout)
        self.succeed("sobel", "in.mkv", "out.raw", "--backend", "cpu")
        self.assertEqual(read("out.raw"), self.succeed("sobel", "in.mkv", "pipe:gray16", "--backend", "cpu").stdout)
        self.succeed("convert", "in.mkv", "out.mkv", "--to", "p010", "--backend", "cpu")
        self.assertEqual(probe("out.mkv", "stream=pix_fmt"), ["yuv420p10le"])
        self.assertEqual(raw_of("out.mkv", "yuv420p10le"), raw_of("in.mkv", "yuv420p10le"))

    def test_pictures_of_16_bits_are_rounded_for_8(self):
        levels = [0, 128, 129, 257, 32767, 32768, 65406, 65407, 65535]
        for channels, shape in (1, (1, 9)), (3, (1, 3, 3)):
            write("in.npy", npy("<u2", shape, struct.pack("<9H", *levels)))
            self.succeed("convert", "in.npy", "out.npy", "--to", "gray8" if channels == 1 else "rgb24")
            self.assertEqual(npy_parts("out.npy"), ("|u1", shape, bytes((2 * level * 255 + 65535) // (2 * 65535) for level in levels)))

    def test_colours_come_back_from_headerless_yuv(self):
        colours = [0, 0, 0, 65535, 65535, 65535, 65535, 0, 0, 0, 30000, 0]
        write("in.npy", npy("<u2", (1, 4, 3), struct.pack("<12H", *colours)))
        self.succeed("convert", "in.npy", "out.raw", "--to", "yuv444p16", "--matrix", "bt709")
        self.succeed("convert", "out.raw", "out.npy", "--to", "rgb48", "--matrix", "bt709", "--from", "yuv444p16", "--size", "4x1")
        for one, other in zip(words(npy_parts("out.npy")[2]), colours):
            self.assertAlmostEqual(one, other, delta=4)

    def test_pictures_of_16_bits_are_compared_by_8(self):
        write("deep.npy", npy("<u2", (64, 64), b"".join(struct.pack("<H", (x * x + 7 * y * x + y) % 256 * 257) for y in range(64) for x in range(64))))
        self.succeed("convert", "deep.npy", "flat.npy", "--to", "gray8")
        for command, *options in ["match"], ["disparity", "--max-disparity", "16"]:
            end = ".flo" if command == "match" else ".pfm"
            for name in "deep", "flat":
                self.succeed(command, name + ".npy", name + ".npy", name + end, *options)
            self.assertEqual(read("deep" + end), read("flat" + end))
        self.assertIn(b"at x 0, y 0 ", self.succeed("find", "deep.npy", "flat.npy").stdout)

    def test_pixels_that_are_not_converted(self):
        write("in.npy", npy("<f4", (1, 2), bytes(8)))
        self.fail_with(FAILED, "convert", "in.npy", "out.npy", "--to", "gray8", says="convert takes grey, RGB and RGBA of 8 and 16 bits")
        write("in.npy", npy("|u1", (1, 2), bytes(2)))
        self.fail_with(FAILED, "convert", "in.npy", "out.npy", "--to", "rgb48", says="for 8 bits use rgb24, i420, and the like")


@unittest.skipUnless(HAS_VIDEO and shutil.which("ffmpeg"), "the module for videos, or ffmpeg, is missing")
class Levels(CommandTest):
    def test_prores_keeps_all_levels_of_8_bits(self):
        grey = picture_of_all_levels()
        os.mkdir("in")
        for name, header, content in [("in/0.pgm", "P5", grey), ("in/0.ppm", "P6", bytes(level for level in grey for _ in range(3)))]:
            write(name, f"{header} 128 128 255\n".encode() + content)
            said = self.succeed("stream", "in", "out.mov", "--backend", "cpu").stdout.decode()
            self.assertNotIn("does not hold", said)
            os.remove(name)
            decoded = words(raw_of("out.mov", "yuv444p12le"))[:128 * 128]
            levels = [decoded[128 * (8 * (level // 16) + 4) + 8 * (level % 16) + 4] for level in range(256)]
            wanted = [256 + 16 * 219 * level / 255 for level in range(256)]
            self.assertEqual(levels, sorted(set(levels)), name)
            self.assertLess(max(abs(a - b) for a, b in zip(levels, wanted)), 8, name)

    def test_prores_keeps_all_levels_of_full_range(self):
        content = picture_of_all_levels() + bytes([128]) * (64 * 64 * 2)
        write("in.y4m", b"YUV4MPEG2 W128 H128 F25:1 Ip A0:0 C420jpeg XCOLORRANGE=FULL\nFRAME\n" + content)
        self.succeed("stream", "in.y4m", "out.mov", "--backend", "cpu")
        decoded = words(raw_of("out.mov", "yuv444p12le"))
        levels = [decoded[128 * (8 * (level // 16) + 4) + 8 * (level % 16) + 4] for level in range(256)]
        self.assertEqual(levels, sorted(set(levels)))
        self.assertEqual(probe("out.mov", "stream=color_range"), ["tv"])


@unittest.skipUnless(HAS_VIDEO and shutil.which("ffmpeg"), "the module for videos, or ffmpeg, is missing")
class AlphaBesideYuv(CommandTest):
    def make(self, name, *codec):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:d=0.2:r=10", "-vf", "format=yuva444p,geq=lum=lum(X\\,Y):cb=cb(X\\,Y):cr=cr(X\\,Y):a=X*4",
               *codec, name)

    def alpha_of(self, name):
        return raw_of(name, "gray", "-vf", "alphaextract")

    def check(self, kind, most, *decoder):
        """Checks that every sink for alpha gets the file's alpha, off by at most `most` of 255, or 1 in .mov."""
        given = subprocess.run(["ffmpeg", "-v", "error", *decoder, "-i", self.name, "-vf", "alphaextract", "-f", "rawvideo",
                                "-pix_fmt", "gray", "-"], capture_output=True, check=True).stdout
        for sink, read_as in [("out.mkv", "out.mkv"), ("out.mov", "out.mov"), ("out/", "out/%06d.png")]:
            said = self.succeed("stream", self.name, sink, "--backend", "cpu").stdout.decode().splitlines()
            self.assertRegex(said[0], rf"\({kind}, with its alpha as RGBA of bt601 \((guess|tag)\), limited \(tag\)[^)]*")
            self.assertNotIn("alpha", "".join(said[1:]))
            got = self.alpha_of(read_as)
            self.assertEqual(len(got), len(given))
            self.assertLessEqual(max(abs(a - b) for a, b in zip(got, given)), max(most, sink == "out.mov"), sink)
        for sink, *stages in [("out.mp4",), ("out.y4m",), ("%d.jpg",), ("out.mkv", "--pipeline", "sobel"), ("null",)]:
            said = self.succeed("stream", self.name, sink, *stages, "--backend", "cpu").stdout.decode().splitlines()
            self.assertIn(f"({kind}, without its alpha)", said[0])

    def test_of_8_bits(self):
        for pixels in "yuva420p", "yuva422p", "yuva444p":
            self.name = pixels + ".mkv"
            self.make(self.name, "-pix_fmt", pixels, "-c:v", "ffv1")
            self.check("ffv1", 0)

    def test_colours_are_those_of_the_stage(self):
        self.make("in.mkv", "-pix_fmt", "yuva420p", "-c:v", "ffv1")
        rgba = self.succeed("stream", "in.mkv", "pipe:rgba32", "--backend", "cpu").stdout
        ffmpeg("-i", "in.mkv", "-pix_fmt", "yuv420p", "-c:v", "ffv1", "plain.mkv")
        rgb = self.succeed("stream", "plain.mkv", "pipe:rgb24", "--backend", "cpu").stdout
        self.assertEqual(bytes(c for i in range(0, len(rgba), 4) for c in rgba[i:i + 3]), rgb)
        self.assertEqual(rgba[3::4], raw_of("in.mkv", "gray", "-vf", "alphaextract"))

    def test_of_prores(self):
        self.name = "in.mov"
        self.make(self.name, "-pix_fmt", "yuva444p10le", "-c:v", "prores_ks")
        self.check("prores", 1)
        self.assertEqual(probe("out.mov", "stream=pix_fmt"), ["yuva444p12le"])

    def test_of_vp8_and_vp9(self):
        for codec, decoder in [("libvpx", "libvpx"), ("libvpx-vp9", "libvpx-vp9")]:
            self.name = codec + ".webm"
            self.make(self.name, "-pix_fmt", "yuva420p", "-c:v", codec, "-b:v", "1M", "-auto-alt-ref", "0")
            self.check({"libvpx": "vp8", "libvpx-vp9": "vp9"}[codec], 0, "-c:v", decoder)


@unittest.skipUnless(HAS_VIDEO and shutil.which("ffmpeg"), "the module for videos, or ffmpeg, is missing")
class Joined(CommandTest):
    def test_all_frames_before_another_codec_come(self):
        for codec in ["libx264"], ["libx265", "-x265-params", "log-level=none"]:
            ffmpeg("-f", "lavfi", "-i", "testsrc2=s=96x64:d=2:r=25", "-c:v", *codec, "a.ts")
            ffmpeg("-f", "lavfi", "-i", "testsrc2=s=96x64:d=1:r=25", "-c:v", "mpeg2video", "b.ts")
            write("all.ts", read("a.ts") + read("b.ts"))
            done = self.run_command("stream", "all.ts", "out.mkv", "--backend", "cpu")
            self.assertEqual(done.returncode, FAILED)
            self.assertIn("at frame 51 it is damaged or cut short", done.stderr.decode())
            self.assertEqual(raw_of("out.mkv", "gray"), raw_of("a.ts", "gray"))

    def test_parts_of_a_second_follow_each_other(self):
        for seconds, parts in ("0.4", 5), ("1", 3), ("2", 2):
            ffmpeg("-f", "lavfi", "-i", f"testsrc2=s=96x64:d={seconds}:r=25", "-f", "lavfi", "-i", f"sine=d={seconds}", "-c:v", "libx264", "-c:a",
                   "aac", "part.ts")
            write("all.ts", read("part.ts") * parts)
            self.succeed("stream", "all.ts", "out.mkv", "--backend", "cpu")
            frames = probe("out.mkv", "frame=best_effort_timestamp_time", "-select_streams", "v")
            times = [float(each.strip(",")) for each in frames]
            self.assertEqual(len(times), int(float(seconds) * 25 * parts))
            for one, next_one in zip(times, times[1:]):
                self.assertAlmostEqual(next_one - one, 0.04, delta=0.0021)
            sound = [float(each.split(",")[0]) for each in probe("out.mkv", "packet=pts_time", "-select_streams", "a")]
            self.assertAlmostEqual(sound[-1], float(seconds) * parts, delta=0.1)
            for one, next_one in zip(sound, sound[1:]):
                self.assertLess(next_one - one, 0.05)

    def test_sound_that_is_longer_than_its_frames_is_not_cut(self):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=96x64:d=1:r=25", "-f", "lavfi", "-i", "sine=d=1.5", "-c:v", "mpeg2video", "-c:a", "aac", "part.ts")
        write("all.ts", read("part.ts") * 3)
        self.succeed("stream", "all.ts", "out.mkv", "--backend", "cpu")
        sound = [float(each.split(",")[0]) for each in probe("out.mkv", "packet=pts_time", "-select_streams", "a")]
        self.assertEqual(len(sound), len(probe("all.ts", "packet=pts_time", "-select_streams", "a")))
        for one, next_one in zip(sound, sound[1:]):
            self.assertLess(next_one - one, 0.08)  # whole frames fill the pause
        times = [float(each.strip(",")) for each in probe("out.mkv", "frame=best_effort_timestamp_time", "-select_streams", "v")]
        self.assertEqual(len(times), 75)
        for part in 1, 2:
            self.assertAlmostEqual(times[25 * part] - times[25 * part - 1], 0.56, delta=0.05)


@unittest.skipUnless(HAS_VIDEO and shutil.which("ffmpeg"), "the module for videos, or ffmpeg, is missing")
class Rates(CommandTest):
    def first_line(self, name, *delays):
        """Returns the first line about an animation whose frames last `delays` hundredths of a second."""
        pictures = b"".join(b"\x21\xf9\x04\0" + struct.pack("<H", delay) + b"\0\0\x2c\0\0\0\0\x02\0\x01\0\0\x02\x02" +
                            bytes([4 + 8 * (number % 2)]) + b"\x0a\0" for number, delay in enumerate(delays))
        write("in.gif", b"GIF89a\x02\0\x01\0\x80\0\0\0\0\0\xff\xff\xff" + pictures + b"\x3b")
        if name != "in.gif":
            ffmpeg("-i", "in.gif", "-fps_mode", "passthrough", "-enc_time_base", "1/100", "-plays", "0", name)
        return self.succeed("stream", name, "null", "--backend", "cpu").stdout.decode().splitlines()[0]

    def test_of_animations_are_those_of_all_frames(self):
        for name in "in.gif", "in.apng":
            for delays, rate in [([16] * 5, "6.25 fps"), ([3] * 10, "33.33 fps"), ([7] * 9, "14.29 fps"), ([16, 16], "6.25 fps"),
                                 ([100] + [16] * 6, "3.571 fps on average"), ([10, 50, 2, 2], "6.25 fps on average")]:
                with self.subTest(name=name, delays=delays):
                    self.assertTrue(self.first_line(name, *delays).endswith(", " + rate), self.first_line(name, *delays))
        self.assertTrue(self.first_line("in.gif", *[3, 4, 3] * 3).endswith(", 30 fps"))  # a 30th of a second, rounded to hundredths


@unittest.skipUnless(HAS_VIDEO, "the module for videos is not in this build")
class Addresses(CommandTest):
    def test_an_address_without_a_port(self):
        for scheme in "udp", "rtp", "tcp":
            for address in f"{scheme}://127.0.0.1", f"{scheme}://user:secret@127.0.0.1:/x", f"{scheme}://127.0.0.1:70000", f"{scheme}://[::1]":
                cure = f"has no port from 1 to 65535; name one: {scheme}://host:5000"
                self.fail_with(BAD_USAGE, "stream", address, "null", says=cure)
                self.fail_with(BAD_USAGE, "stream", "test:bars", address, says=cure)

    def test_an_address_that_is_not_read(self):
        cure = "'ffmpeg -i rtmp://… -c copy -f mpegts udp://127.0.0.1:5000' passes it on"
        for call in ["stream", "rtmp://host/key", "null"], ["sobel", "rtmp://host/key", "out/"], ["sobel", "rtmp://host/key", "out.mp4"]:
            self.fail_with(BAD_USAGE, *call, says=["rtmp:// is not read", cure])
        self.fail_with(BAD_USAGE, "stream", "test:bars", "rtmp://host/key.mp4", says=["rtmp:// is not written", "'ffmpeg -i - …'"])


if __name__ == "__main__":
    unittest.main()
