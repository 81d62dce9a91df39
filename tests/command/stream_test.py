"""Tests warpwise stream: every source and sink from outside, bad input and signals."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

from support import HAS_IMAGES, HAS_VIDEO, SANITIZED, WARPWISE, CommandTest, gpu_environment, npy, npy_parts, \
    ramp, read, sample, write, y4m

FAILED, BAD_USAGE = 1, 2
with_video = unittest.skipUnless(HAS_VIDEO, "the module for videos is not in this build")
with_images = unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")
with_ffmpeg = unittest.skipUnless(shutil.which("ffprobe") and shutil.which("ffmpeg"),
                                  "there is no ffmpeg here")
SMALL = ["--size", "16x8"]


def i420_bytes(width, height):
    return width * height + 2 * ((width + 1) // 2) * ((height + 1) // 2)


def random_y4m(width, height, count):
    """Makes a random .y4m file with the header that the sink writes, so that a stream can give the same bytes."""
    header = f"YUV4MPEG2 W{width} H{height} F30:1 Ip A0:0 C420mpeg2 XCOLORRANGE=LIMITED\n"
    draw = random.Random(width * height)
    return header.encode() + b"".join(
        b"FRAME\n" + draw.randbytes(i420_bytes(width, height)) for _ in range(count))


def frames_in(content):
    return content.count(b"FRAME\n")


class StreamTest(CommandTest):
    def stream(self, *arguments, **options):
        return self.succeed("stream", *arguments, "--backend", "cpu", **options)

    def report(self, *arguments, **options):
        return json.loads(self.stream(*arguments, "--json", **options).stdout)

    def refuse(self, *arguments, says, code=BAD_USAGE, **options):
        return self.fail_with(code, "stream", *arguments, "--backend", "cpu", says=says, **options)

    def break_with(self, *arguments, says, **options):
        """Expects the stream to fail while frames pass: exit code 1, and one line that says why."""
        done = self.run_command("stream", *arguments, "--backend", "cpu", **options)
        said = [line for line in done.stderr.decode().splitlines() if line.startswith("warpwise: ")]
        self.assertEqual(done.returncode, FAILED, done.stderr)
        self.assertEqual(len(said), 1, done.stderr)
        self.assertIn(says, said[0])
        self.assertEqual(self.unfinished(), [])
        return done

    @staticmethod
    def unfinished():
        return [name for name in os.listdir(".") if name.startswith(".warpwise")]


class Frames(StreamTest):
    """Tests that the frames of the sink equal those of the source."""

    def test_y4m_comes_out_byte_by_byte(self):
        for width, height in [(1, 1), (7, 5), (64, 48)]:
            video = random_y4m(width, height, 9)
            write("in.y4m", video)
            for options in [[], ["--threads", "1"], ["--threads", "8"], ["--realtime", "--frames", "1"]]:
                report = self.report("in.y4m", "out.y4m", *options)
                expected = video if "--frames" not in options else random_y4m(width, height, 9)[
                    :video.index(b"FRAME") + 6 + i420_bytes(width, height)]
                self.assertEqual(read("out.y4m"), expected, (width, height, options))
                self.assertEqual(report["read"], report["written"])

    def test_pipes_from_one_to_another(self):
        video = random_y4m(33, 17, 40)
        first = subprocess.Popen([WARPWISE, "stream", "-", "-"], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        second = subprocess.Popen([WARPWISE, "stream", "-", "out.y4m"], stdin=first.stdout,
                                  stdout=subprocess.DEVNULL)
        first.stdout.close()
        first.stdin.write(video)
        first.stdin.close()
        self.assertEqual([first.wait(), second.wait()], [0, 0])
        self.assertEqual(read("out.y4m"), video)

    def test_conversions_are_those_of_convert(self):
        for source, size in [("i420", i420_bytes(7, 5)), ("nv12", i420_bytes(7, 5)), ("yuyv", 80)]:
            write("in.raw", ramp(3 * size))
            for to in ["rgb24", "ycbcr32", "gray8"]:
                more = [] if to == "rgb24" else ["--to-range", "limited"]  # a stream keeps the range of its source
                self.succeed("convert", "in.raw", "out.raw", "--from", source, "--size", "7x5", "--to", to,
                             "--from-range", "limited", *more, "--matrix", "bt601", "--backend", "cpu")
                piped = self.stream(f"pipe:{source}:7x5@30", f"pipe:{to}", "--pipeline", to,
                                    stdin=read("in.raw"))
                self.assertEqual(piped.stdout, read("out.raw"), (source, to))
                filed = self.stream("in.raw", f"pipe:{to}", "--format", source, "--size", "7x5")
                self.assertEqual(filed.stdout, read("out.raw"), (source, to))

    def test_stages_are_the_subcommands(self):
        luma = [ramp(35, step) for step in range(3)]
        write("in.y4m", y4m(7, 5, "mono", *luma))
        for stage, words in [("sobel", ["sobel"]), ("sobel norm=l2 kernel=scharr border=replicate",
                                                  ["sobel", "--norm", "l2", "--kernel", "scharr",
                                                   "--border", "replicate"]),
                             ("threshold window=3", ["threshold", "--window", "3"])]:
            command, *options = words
            self.succeed(command, "in.y4m", "one.raw", *options, "--backend", "cpu")
            done = self.stream("in.y4m", "pipe:gray8", "--pipeline", stage)
            self.assertEqual(done.stdout, read("one.raw"), stage)
        self.succeed("sobel", "in.y4m", "edges.y4m")
        self.succeed("threshold", "edges.y4m", "both.raw", "--window", "5")
        self.stream("in.y4m", "CAPITALS.RAW", "--pipeline", "sobel|threshold window=5")
        self.assertEqual(read("CAPITALS.RAW"), read("both.raw"))
        done = self.stream("in.y4m", "pipe:gray8", "--pipeline", "sobel|threshold window=5")
        self.assertEqual(done.stdout, read("both.raw"))

    def test_motions_as_files(self):
        """The files are those that `match` writes for each frame and the previous one."""
        write("in.y4m", random_y4m(32, 24, 3))
        self.succeed("stream", "in.y4m", "frames/", "--pipeline", "gray8 matrix=bt601")
        self.succeed("stream", "in.y4m", "null", "--pipeline", "match block-size=8 search=4 flo=new/motion")
        self.assertEqual(sorted(os.listdir("new/motion")), ["000002.flo", "000003.flo"])
        for n in (2, 3):
            self.succeed("match", f"frames/{n - 1:06}.png", f"frames/{n:06}.png", f"{n}.flo", "--block-size", "8", "--search", "4")
            self.assertEqual(read(f"new/motion/{n:06}.flo"), read(f"{n}.flo"))
        write("file", b"")
        self.refuse("in.y4m", "null", "--pipeline", "match flo=file/motion block-size=8", says="cannot make the folder", code=1)

    def test_json_is_of_one_piece(self):
        write("in.y4m", random_y4m(8, 6, 5))
        report = self.report("in.y4m", "null", "--pipeline", "sobel | rgb24", "--threads", "2")
        self.assertEqual((report["read"], report["written"], report["dropped"], report["late"]), (5, 5, 0, 0))
        self.assertEqual([(stage["stage"], stage["inserted"], stage["result"]["format"])
                          for stage in report["stages"]],
                         [("luma", True, "gray8"), ("sobel", False, "gray8"), ("rgb24", False, "rgb24")])
        self.assertEqual(report["source"]["frames"]["range"], {"value": "limited", "from": "tag"})
        self.assertEqual(report["source"]["frames"]["matrix"], {"value": "bt601", "from": "guess"})
        self.assertEqual(report["source"]["frames"]["fps"], 30)
        self.assertEqual((report["backend"], report["frames_at_a_time"], report["stopped"]), ("cpu", 2, False))
        self.assertAlmostEqual(report["fps"] * report["seconds"], 5, places=3)
        self.assertLessEqual(report["age_ms"]["median"], report["age_ms"]["p99"])
        self.assertEqual(report["sink"], "null")
        self.assertEqual(report["sink_format"], report["stages"][-1]["result"]["format"])
        options = ["--matrix", "bt709", "--range", "full", "--siting", "centre", "--fps", "12.5"]
        frames = self.report("in.y4m", "null", *options)["source"]["frames"]
        self.assertEqual([frames[name]["value"] for name in ["matrix", "range", "siting"]],
                         ["bt709", "full", "centre"])
        self.assertEqual({frames[name]["from"] for name in ["matrix", "range", "siting"]}, {"option"})
        self.assertEqual(frames["fps"], 12.5)

    def test_a_line_is_said_where_the_frames_do_not_go(self):
        done = self.stream("test:bars", "out.y4m", *SMALL, "--frames", "2")
        self.assertIn(b"test:bars: 16x8 rgb24, 30 fps\nout.y4m: 2 frames of 16x8 i444", done.stdout)
        self.assertEqual(done.stderr, b"")
        done = self.stream("test:bars", "-", *SMALL, "--frames", "2")
        self.assertIn(b"standard output: 2 frames", done.stderr)
        self.assertEqual(frames_in(done.stdout), 2)


class Kinds(StreamTest):
    """Tests every source, and every sink."""

    def test_patterns(self):
        for pattern in ["bars", "zone", "noise"]:
            for form, size in [("rgb24", 384), ("bgra32", 512), ("gray8", 128), ("i420", 192), ("yuyv", 256)]:
                report = self.report(f"test:{pattern}", "null", *SMALL, "--format", form, "--frames", "3")
                self.assertEqual((report["written"], report["source"]["frames"]["format"]), (3, form))
                done = self.stream(f"test:{pattern}", "pipe:rgb24", *SMALL, "--format", form, "--frames", "9")
                self.assertEqual(len(done.stdout), 9 * 384)
                self.assertEqual(done.stdout[:384], done.stdout[8 * 384:], "eight frames, again and again")

    def test_pictures(self):
        os.mkdir("in")
        for i in range(3):
            write(f"in/{i}.npy", npy("|u1", (5, 7, 3), ramp(105, i)))
        pixels = b"".join(ramp(105, i) for i in range(3))
        for source in ["in", "in/", "in/*.npy"]:
            self.assertEqual(self.stream(source, "pipe:rgb24").stdout, pixels)
            self.stream(source, "out/%d.npy")
            self.assertEqual(b"".join(npy_parts(f"out/{i}.npy")[2] for i in (1, 2, 3)), pixels)
        self.assertEqual(self.stream("in/1.npy", "pipe:rgb24").stdout, ramp(105, 1))
        self.assertEqual(sorted(os.listdir("out")), ["1.npy", "2.npy", "3.npy"])

    @with_images
    def test_a_folder_of_pictures(self):
        self.stream("test:noise", "new/folder/", *SMALL, "--frames", "3")
        self.assertEqual(sorted(os.listdir("new/folder")), ["000001.png", "000002.png", "000003.png"])
        self.stream("test:noise", "%03d.png", *SMALL, "--frames", "2", "--pipeline", "sobel")
        self.assertEqual(sorted(os.listdir(".")), ["001.png", "002.png", "new"])
        noise = self.stream("test:noise", "pipe:rgb24", *SMALL, "--frames", "3").stdout
        self.assertEqual(self.stream("new/folder", "pipe:rgb24").stdout, noise)

    @with_video
    def test_videos_hold_the_frames_they_were_given(self):
        for name, frames, even in [("a.mp4", 40, True), ("a.avi", 40, False), ("a.mkv", 40, False)]:
            size = "64x48" if even else "61x47"
            written = self.report("test:bars", name, "--size", size, "--frames", str(frames))["written"]
            report = self.report(name, "back.y4m")
            self.assertEqual((written, report["read"], report["written"]), (frames, frames, frames), name)
            self.assertEqual(frames_in(read("back.y4m")), frames)
            self.assertEqual(report["source"]["frames"]["fps"], 30)
        said = self.stream("test:bars", "a.mp4", *SMALL, "--frames", "2").stdout
        self.assertIn(b"a.mp4: 2 frames of 16x8 i420", said, "as the file holds them, not as the encoder takes them")
        self.assertIn("even sizes", self.refuse("test:bars", "odd.mp4", "--size", "61x47", "--frames", "2",
                                                says="odd.mp4"))

    @with_video
    def test_mkv_is_lossless(self):
        write("in.y4m", random_y4m(31, 19, 5))
        for _ in range(2):
            self.stream("in.y4m", "a.mkv")
            self.stream("a.mkv", "out.y4m")
            self.assertEqual(read("out.y4m"), read("in.y4m"))

    @with_video
    def test_the_sample(self):
        report = self.report(sample("street.avi"), "out.y4m")
        self.assertEqual((report["read"], report["written"]), (80, 80))
        self.assertEqual(frames_in(read("out.y4m")), 80)
        edges = self.stream(sample("street.avi"), "pipe:gray8", "--pipeline", "sobel", "--frames", "3").stdout
        self.stream(sample("street.avi"), "few.y4m", "--frames", "3")
        self.succeed("sobel", "few.y4m", "edges.raw", "--backend", "cpu")
        self.assertEqual(edges, read("edges.raw"))

    @with_video
    @with_ffmpeg
    def test_what_ffmpeg_decodes(self):
        self.stream(sample("street.avi"), "out.y4m", "--frames", "5")
        subprocess.run(["ffmpeg", "-v", "error", "-i", sample("street.avi"), "-frames:v", "5", "-pix_fmt", "yuv420p",
                        "-f", "rawvideo", "ffmpeg.raw"], check=True)
        frames = read("out.y4m").split(b"FRAME\n")[1:]
        self.assertEqual(b"".join(frames), read("ffmpeg.raw"))
        for name, codec in [("a.mp4", "h264"), ("a.avi", "mjpeg"), ("a.mkv", "ffv1")]:
            self.stream("test:zone", name, "--size", "64x48", "--frames", "9")
            told = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries",
                                   "stream=codec_name,nb_read_frames,r_frame_rate", "-of", "csv=p=0", name],
                                  capture_output=True, text=True, check=True)
            self.assertEqual((told.stdout.strip(), told.stderr), (f"{codec},30/1,9", ""), name)

    def test_a_gpu_gives_the_bytes_of_the_cpu(self):
        environment = gpu_environment()
        if environment is None:
            self.skipTest("there is neither a GPU nor an emulated one in this build")
        write("in.y4m", random_y4m(33, 17, 7))
        for pipeline in ["", "rgb24", "ycbcr32 | sobel | threshold window=3", "sobel | rgb24",
                         "match block-size=8 search=2"]:
            for sink in ["pipe:rgb24", "pipe:gray8"]:
                expected = self.stream("in.y4m", sink, "--pipeline", pipeline).stdout
                done = self.succeed("stream", "in.y4m", sink, "--pipeline", pipeline, "--backend", "cuda",
                                    env=environment)
                self.assertEqual(done.stdout, expected, pipeline)
                self.assertIn(b" on cuda ", done.stderr)

    def test_stages_that_one_kernel_of_a_gpu_computes(self):
        """Grey, sobel and threshold of RGB are then one step in the report. The bytes are the same."""
        environment = gpu_environment()
        if environment is None:
            self.skipTest("there is neither a GPU nor an emulated one in this build")
        frames = random.Random(1).randbytes(3 * 3 * 40 * 17)
        joined = "sobel border=replicate | threshold window=3 offset=-3"
        for before in ["", "gray8 convention=opencv | "]:
            words = ["pipe:rgb24:40x17", "pipe:gray8", "--pipeline", before + joined]
            expected = self.stream(*words, stdin=frames).stdout
            self.assertEqual(len(expected), 3 * 40 * 17)
            done = self.succeed("stream", *words, "--backend", "cuda", stdin=frames, env=environment)
            self.assertEqual(done.stdout, expected)
            self.assertIn(f"{before}{joined} ".encode(), done.stderr)
            self.assertNotIn(b"sobel border=replicate gray8 ->", done.stderr)


class Refusals(StreamTest):
    def test_names_and_words(self):
        write("in.y4m", y4m(2, 2, "mono", bytes(4)))
        for words, says in [
                ([], "needs SOURCE SINK"), (["test:bars"], "needs SOURCE SINK"),
                (["test:stripes", "null"], ["test:stripes is no pattern", "test:bars"]),
                (["test:bars", "out.txt"], "is no frame sink"),
                (["test:bars", "one.png"], "is one picture"),
                (["test:bars", "pipe:i422"], "pipe:i422 is no format to write"),
                (["pipe:rgb24", "null"], "must describe its frames"),
                (["pipe:rgb24:0x3", "null"], "'0x3' is no size"),
                (["pipe:rgb25:4x3", "null"], "'rgb25' is no format of frames"),
                (["camera:front", "null"], "camera:0 is /dev/video0"),
                (["test:bars", "null", "--fps", "0"], "--fps: '0' is no rate"),
                (["test:bars", "null", "--size", "16385x1"], "at most 16384 pixels a side"),
                (["test:bars", "view"], "warpwise view SOURCE"),
                (["test:bars", "null", "--frames", "0"], "--frames"),
                (["test:bars", "null", "--format", "i444"], "'i444' is no format"),
                (["in.y4m", "null", "--size", "4x4"], "describes its own frames"),
                (["in.y4m", "null", "--page", "1"], "in.y4m has no pages"),
                (["in.y4m", "null", "--deinterlace"], "in.y4m is not read as a video"),
                (["test:bars", "null", "--page", "1"], "test:bars has no pages"),
                (["test:bars", "null", "--track", "1"], "test:bars is not read as a video"),
                (["in.png", "null", "--deinterlace"], "in.png is not read as a video"),
                (["in.png", "null", "--track", "1"], "in.png is not read as a video"),
                (["in.raw", "null"], "--format and --size"),
                (["", "null"], "empty")]:
            self.refuse(*words, says=says)

    def test_pipelines(self):
        for pipeline, says in [
                ("sobbel", ["'sobbel' is no stage", "did you mean \"sobel\""]),
                ("sobel |", "empty stage"), ("| sobel", "empty stage"), ("sobel || sobel", "empty stage"),
                ("sobel windw=3", ["the stage 'sobel windw=3'", "its options: "]),
                ("sobel norm=l3", ["the stage 'sobel norm=l3'", "l1"]),
                ("sobel output=dx", ["dx"]),
                ("threshold", ["'threshold' needs window=N"]),
                ("threshold window=4", ["4"]),
                ("threshold 31", ["'31' is no option", "window"]),
                ("threshold --window 31", ["is no option", "window"]),
                ("threshold window= 31", ["the option window needs a value", "window=N"]), ("track", ["needs box=X,Y,W,H"]),
                ("sobel | disparity", ["'disparity' cannot follow 'sobel'", "gray8 7x5"]),
                ("ycrcb24 | track box=0,0,4,4", ["track box=0,0,4,4 cannot take ycrcb24 frames"]),
                ("match", ["'match' cannot follow the source", "7x5"])]:
            self.refuse("test:bars", "null", "--size", "7x5", "--pipeline", pipeline, says=says)

    def test_sources_that_are_none(self):
        self.refuse("missing.avi", "null", code=FAILED, says="missing.avi")
        self.refuse("missing.y4m", "null", code=FAILED, says="missing.y4m")
        self.refuse("frames/*.png", "null", code=FAILED, says="no file matches frames/*.png")
        self.refuse("-", "null", code=FAILED, says="standard input is no .y4m stream", stdin=b"RIFFxxxxAVI ")
        self.refuse("-", "null", code=FAILED, says="standard input")
        write("empty.y4m", b"")
        self.refuse("empty.y4m", "null", code=FAILED, says="empty.y4m")
        os.mkdir("folder")
        self.refuse("folder", "null", code=FAILED, says="folder")
        write("folder/real.npy", npy("<f4", (2, 2), bytes(16)))
        self.refuse("folder", "null", code=FAILED, says="or grey, RGB or RGBA of 16")

    @with_video
    def test_files_that_are_no_video(self):
        for content in [b"some text\n", b"RIFFxxxxAVI LIST", bytes(1000), ramp(5000)]:
            write("in.avi", content)
            self.refuse("in.avi", "null", code=FAILED, says="in.avi")

    def test_places_where_nothing_can_be_written(self):
        for sink in ["missing/out.y4m", "missing/out.mp4"]:
            if sink.endswith(".mp4") and not HAS_VIDEO:
                continue
            self.refuse("test:bars", sink, *SMALL, code=FAILED, says="its folder does not exist")
        if os.geteuid() != 0:
            os.mkdir("locked", 0o500)
            self.refuse("test:bars", "locked/out.y4m", *SMALL, code=FAILED, says="Permission denied")
        write("file", b"")
        self.break_with("test:bars", "file/%d.npy", *SMALL, "--frames", "2", says="file")

    def test_a_file_is_not_read_and_written_at_a_time(self):
        write("in.y4m", random_y4m(4, 4, 2))
        os.symlink("in.y4m", "link.y4m")
        for sink in ["in.y4m", "./in.y4m", "link.y4m"]:
            self.refuse("in.y4m", sink, says="read and written at the same time")
        self.assertEqual(read("in.y4m"), random_y4m(4, 4, 2))

    def test_results_do_not_take_the_place_of_the_pictures_they_are_made_of(self):
        self.stream("test:noise", "shots/%03d.npy", *SMALL, "--format", "gray8", "--frames", "3")
        before = [read(f"shots/{number:03}.npy") for number in [1, 2, 3]]
        for source, sink in [("shots", "shots/"), ("shots/*.npy", "shots/"), ("shots/", "shots/%03d.npy"),
                             ("shots/0*.npy", "./shots/x%d.npy")]:
            self.refuse(source, sink, says=["read and written at the same time", "another folder"])
        self.assertEqual([read(f"shots/{number:03}.npy") for number in [1, 2, 3]], before)

    def test_a_named_pipe_without_a_header(self):
        os.mkfifo("pipe.ts")
        with subprocess.Popen(["sh", "-c", "printf 'no header here' > pipe.ts"]):
            self.refuse("pipe.ts", "null", code=FAILED, says="pipe.ts is no .y4m stream")

    @with_video
    @with_ffmpeg
    def test_a_matrix_that_is_none_of_ours(self):
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x64:d=0.1", "-pix_fmt", "yuv420p",
                        "-colorspace", "smpte240m", "-c:v", "ffv1", "odd.mkv"], check=True)
        self.refuse("odd.mkv", "null", code=FAILED, says=["tagged smpte240m", "--matrix"])
        self.assertEqual(self.report("odd.mkv", "null", "--matrix", "bt709")["source"]["frames"]["matrix"],
                         {"value": "bt709", "from": "option"})

    @with_video
    def test_endings_of_any_case(self):
        self.stream("test:bars", "OUT.MKV", *SMALL, "--frames", "2")
        self.assertEqual(self.report("OUT.MKV", "null")["written"], 2)

    @unittest.skipIf(SANITIZED, "AddressSanitizer needs more addresses than the limit leaves")
    def test_threads_that_cannot_be_started(self):
        limited = subprocess.run(
            ["sh", "-c", 'ulimit -v 3000000; exec "$0" stream test:bars null --size 16x16 --frames 5 '
             "--backend cpu --threads 1024", WARPWISE], capture_output=True, timeout=60, check=False)
        # The stack size of this machine decides whether the threads fit into the limit. The program must never abort.
        self.assertIn(limited.returncode, [0, FAILED], limited.stderr)

    def test_standard_error_that_is_full(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([WARPWISE, "stream", "test:bars", "-", *SMALL, "--frames", "2"],
                                  stdout=subprocess.PIPE, stderr=full, timeout=60, check=False)
            self.assertEqual((done.returncode, frames_in(done.stdout)), (0, 2))
            refused = subprocess.run([WARPWISE, "sobel", "missing.png", "x.png"], stderr=full, timeout=60, check=False)
            self.assertEqual(refused.returncode, FAILED)

    def test_standard_output_is_for_one(self):
        for sink in ["-", "pipe:rgb24"]:
            self.refuse("test:bars", sink, *SMALL, "--json", says="--json and the sink")
            code, shown = self.on_terminal("stream", "test:bars", sink, *SMALL, "--frames", "1")
            self.assertEqual((code, shown.count(b"\n")), (BAD_USAGE, 1), shown)
            self.assertIn(b"the frames would go to a terminal", shown)


class CutShort(StreamTest):
    """Tests cut inputs: the frames before the cut are written, and one line says what is wrong."""

    def test_y4m(self):
        video = random_y4m(16, 8, 5)
        write("in.y4m", video[:-7])
        self.break_with("in.y4m", "out.y4m", says="in.y4m")
        self.assertEqual(read("out.y4m"), random_y4m(16, 8, 5)[:len(read("out.y4m"))])
        self.assertEqual(frames_in(read("out.y4m")), 4)
        done = self.break_with("-", "-", says="standard input", stdin=video[:-7])
        self.assertEqual(frames_in(done.stdout), 4)

    def test_raw(self):
        write("in.raw", ramp(100))
        self.refuse("in.raw", "null", "--format", "gray8", "--size", "8x4", code=FAILED, says="no multiple")
        done = self.break_with("pipe:gray8:8x4", "pipe:gray8", says="ends inside frame 4", stdin=ramp(100))
        self.assertEqual(done.stdout, ramp(100)[:96])

    def test_pictures(self):
        os.mkdir("in")
        write("in/1.npy", npy("|u1", (4, 4), ramp(16)))
        write("in/2.npy", npy("|u1", (4, 5), ramp(20)))
        self.break_with("in", "out.y4m", says="the frames before it are 4x4 gray8")
        self.assertEqual(frames_in(read("out.y4m")), 1)

    def test_json_says_why(self):
        write("in.y4m", random_y4m(4, 4, 3)[:-5])
        done = self.run_command("stream", "in.y4m", "null", "--backend", "cpu", "--json")
        self.assertEqual(done.returncode, FAILED)
        report = json.loads(done.stdout)
        self.assertEqual((report["written"], "ends inside frame 3" in report["error"]), (2, True), report)

    @with_video
    def test_avi(self):
        content = read(sample("street.avi"))
        write("cut.avi", content[:len(content) // 2])
        self.break_with("cut.avi", "out.y4m", says="damaged or cut short")
        self.stream(sample("street.avi"), "whole.y4m")
        cut, whole = read("out.y4m"), read("whole.y4m")
        self.assertTrue(20 < frames_in(cut) < 60, frames_in(cut))
        self.assertEqual(cut, whole[:len(cut)])

    def test_a_full_disk(self):
        os.symlink("/dev/full", "out.y4m")
        self.break_with("test:bars", "out.y4m", *SMALL, says="No space left")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([WARPWISE, "stream", "test:bars", "-", *SMALL], stdout=full, timeout=30,
                                  stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, FAILED)
        self.assertEqual(done.stderr.count(b"warpwise: "), 1)
        self.assertIn(b"No space left", done.stderr)

    @with_video
    def test_a_full_disk_under_a_video(self):
        for name in ["out.mp4", "out.avi", "out.mkv"]:
            os.symlink("/dev/full", name)
            self.break_with("test:noise", name, "--size", "320x240", says="No space left")

    def test_a_reader_that_goes_away(self):
        for sink in ["-", "pipe:rgb24"]:
            command = subprocess.Popen([WARPWISE, "stream", "test:noise", sink, *SMALL],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual(len(command.stdout.read(100)), 100)
            command.stdout.close()
            said = command.stderr.read()
            command.stderr.close()
            self.assertEqual(command.wait(10), FAILED, said)
            self.assertEqual(said.count(b"warpwise: "), 1, said)
            self.assertIn(b"its reader went away", said)

    def test_a_reader_of_the_report_that_goes_away_stops_no_frame(self):
        read_end, write_end = os.pipe()
        os.close(read_end)
        done = subprocess.run([WARPWISE, "stream", "test:noise", "out.raw", "--size", "16x16", "--format", "gray8", "--frames", "3"],
                              stdout=write_end, stderr=subprocess.PIPE, check=False)
        os.close(write_end)
        self.assertEqual(done.returncode, FAILED)
        self.assertEqual(done.stderr, b"warpwise: cannot write standard output: its reader went away\n")
        self.assertEqual(len(read("out.raw")), 3 * 16 * 16)


class Signals(StreamTest):
    def start(self, *arguments, **options):
        command = subprocess.Popen([WARPWISE, "stream", *arguments], stderr=subprocess.PIPE,
                                   **{"stdout": subprocess.PIPE, **options})
        self.addCleanup(command.wait)
        self.addCleanup(command.kill)  # an endless pattern would fill the disk if the test failed
        self.addCleanup(command.stderr.close)
        if command.stdout:
            self.addCleanup(command.stdout.close)
        return command

    def wait_for_first_line(self, command):
        self.assertIn(b"test:", command.stdout.readline())

    def test_what_was_written_is_whole(self):
        names = ["out.y4m"] + (["out.mp4", "out.avi", "out.mkv"] if HAS_VIDEO else [])
        for name in names:
            for number in [signal.SIGINT, signal.SIGTERM]:
                command = self.start("test:bars", name, "--size", "64x48")
                self.wait_for_first_line(command)
                time.sleep(0.3)
                command.send_signal(number)
                self.assertEqual(command.wait(20), -number, name)
                said = command.stderr.read()
                self.assertIn(b"ending the stream and its output", said)
                told = command.stdout.read().decode()
                report = self.report(name, "null")
                self.assertIn(f"{name}: {report['read']} frame", told)
                self.assertGreater(report["read"], 3, name)
                self.assertEqual(self.unfinished(), [])
                os.remove(name)

    def test_the_report_tells_of_the_stop(self):
        command = self.start("test:bars", "null", "--json", *SMALL)
        time.sleep(3 if SANITIZED else 0.5)
        command.send_signal(signal.SIGINT)
        report = json.loads(command.stdout.read())
        self.assertEqual(command.wait(10), -signal.SIGINT)
        self.assertTrue(report["stopped"])
        self.assertEqual(report["read"], report["written"])

    def test_a_silent_pipe_is_left(self):
        for source, sink in [("pipe:gray8:4x4@30", "out.y4m"), ("pipe:gray8:4x4", "null")]:
            for sent in [b"", ramp(20)]:
                command = self.start(source, sink, stdin=subprocess.PIPE)
                command.stdin.write(sent)
                command.stdin.flush()
                self.assertIn(b"standard input: 4x4 gray8", command.stdout.readline())
                time.sleep(0.2)
                start = time.monotonic()
                command.send_signal(signal.SIGINT)
                self.assertEqual(command.wait(10), -signal.SIGINT)
                self.assertLess(time.monotonic() - start, 10 if SANITIZED else 2)
                command.stdin.close()
                if sink == "out.y4m":
                    self.assertEqual(frames_in(read(sink)), len(sent) // 16)

    def test_a_pipe_without_a_header_is_left(self):
        command = self.start("-", "null", stdin=subprocess.PIPE)
        time.sleep(3 if SANITIZED else 0.5)
        start = time.monotonic()
        command.send_signal(signal.SIGINT)
        self.assertEqual(command.wait(10), -signal.SIGINT)
        self.assertLess(time.monotonic() - start, 10 if SANITIZED else 2)
        command.stdin.close()

    def test_the_second_one_ends_it_at_once(self):
        # Nobody reads the pipe, so the command never finishes writing its first frame.
        command = self.start("test:noise", "pipe:rgb24", "--size", "320x240")
        time.sleep(3 if SANITIZED else 1)
        command.send_signal(signal.SIGINT)
        time.sleep(0.3)
        self.assertIsNone(command.poll())
        command.send_signal(signal.SIGINT)
        self.assertEqual(command.wait(5), -signal.SIGINT)


if __name__ == "__main__":
    sys.exit(unittest.main())
