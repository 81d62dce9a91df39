"""Tests that warpwise stream copies sound, subtitles, attachments and HDR metadata into video files, or names what it cannot copy."""

import shutil
import unittest

from support import HAS_VIDEO, CommandTest, read, write
from video_support import FAILED, ffmpeg, probe

VIDEO = ["-f", "lavfi", "-i", "testsrc2=s=64x48:d=1"]
SOUND = ["-f", "lavfi", "-i", "sine=d=1"]
MJPEG = ["-map", "0", "-map", "1", "-pix_fmt", "yuvj420p", "-c:v", "mjpeg"]


@unittest.skipUnless(HAS_VIDEO, "the module for videos is not in this build")
@unittest.skipUnless(shutil.which("ffprobe") and shutil.which("ffmpeg"), "there is no ffmpeg here")
class VideoSound(CommandTest):
    def not_held(self, source, sink):
        """Copies a video, and returns the parts that the sink does not hold."""
        said = self.succeed("stream", source, sink, "--backend", "cpu").stdout.decode().splitlines()
        lost = [line.removeprefix(f"{sink} does not hold: ") for line in said if "does not hold" in line]
        return lost[0].split(", ") if lost else []

    def samples(self, name):
        ffmpeg("-i", name, "-map", "0:a", "-f", "s16le", "sound.raw")
        return memoryview(read("sound.raw")).cast("h")

    def test_packets_with_equal_times_are_kept(self):
        ffmpeg(*VIDEO, *SOUND, "-af", "asetnsamples=n=20", *MJPEG, "-c:a", "pcm_s16le", "short.mkv")  # 2,205 packets in a second
        for sink in ["out.mkv", "out.avi"]:
            self.assertEqual(self.not_held("short.mkv", sink), [])
            self.assertEqual(self.samples(sink), self.samples("short.mkv"), sink)

    def test_subtitles_with_equal_times_are_kept(self):
        write("two.ass", b"[Script Info]\nScriptType: v4.00+\n\n[Events]\nFormat: Layer, Start, End, Style, Text\n"
              b"Dialogue: 0,0:00:00.20,0:00:00.60,Default,Above\nDialogue: 0,0:00:00.20,0:00:00.60,Default,Below\n")
        ffmpeg(*VIDEO, "-i", "two.ass", *MJPEG, "-c:s", "copy", "two.mkv")
        self.not_held("two.mkv", "out.mkv")
        packets = ["packet=pts_time,size", "-select_streams", "s"]
        self.assertEqual(probe("out.mkv", *packets), probe("two.mkv", *packets))
        self.assertEqual(len(probe("out.mkv", *packets)), 2)

    def test_sound_that_a_container_does_not_take_is_said(self):
        for codec, sink in [("libopus", "out.mov"), ("eac3", "out.avi"), ("adpcm_swf", "out.avi")]:
            ffmpeg(*VIDEO, *SOUND, *MJPEG, "-ar", "48000" if codec == "libopus" else "44100", "-c:a", codec, "in.mkv")
            self.assertEqual(self.not_held("in.mkv", sink), [f"sound ({codec.removeprefix('lib')})"])

    def test_mkv_takes_the_sounds_of_wav_files(self):
        for codec in ["pcm_mulaw", "wmav2"]:
            ffmpeg(*VIDEO, *SOUND, *MJPEG, "-c:a", codec, "in.mkv")
            self.assertEqual(self.not_held("in.mkv", "out.mkv"), [])
            self.assertEqual(self.samples("out.mkv"), self.samples("in.mkv"), codec)

    def test_a_file_stays_if_its_successor_has_no_header(self):
        ffmpeg(*VIDEO, *SOUND, *MJPEG, *["-map", "1"] * 99, "-frames:v", "1", "-t", "0.1", "-c:a", "pcm_s16le", "many.mkv")
        write("old.avi", b"old")
        done = self.run_command("stream", "many.mkv", "old.avi", "--backend", "cpu")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"cannot write old.avi: ", done.stderr)
        self.assertEqual(read("old.avi"), b"old")

    def test_silence_fills_pauses_of_pcm(self):
        pauses = r"noise=drop=lt(pts*tb\,0.3)+between(pts*tb\,0.6\,0.8)"
        for codec, sink in [("pcm_u8", "out.avi"), ("pcm_mulaw", "out.mov")]:
            ffmpeg(*VIDEO, *SOUND, *MJPEG, "-c:a", codec, "whole.nut")
            ffmpeg("-i", "whole.nut", "-map", "0", "-c", "copy", "-bsf:a", pauses, "in.nut")
            self.assertEqual(self.not_held("in.nut", sink), [])
            whole, sound = self.samples("whole.nut"), self.samples(sink)
            for begin, end in [(-22000, -19000), (-7000, -1)]:
                self.assertEqual(sound[begin:end], whole[begin:end], codec)
            for begin, end in [(-42000, -32000), (-15000, -9000)]:  # a .mov file begins with the first sound
                self.assertLess(max(map(abs, sound[begin:end]), default=0), 10, codec)

    def test_a_late_start_of_coded_sound_is_said(self):
        ffmpeg(*VIDEO, "-itsoffset", "0.5", *SOUND, *MJPEG, "-c:a", "libmp3lame", "late.mkv")
        self.assertEqual(self.not_held("late.mkv", "out.avi"), ["the late start of the sound"])
        self.assertEqual(self.not_held("late.mkv", "out.mkv"), [])

    def test_attached_files_go_along_or_are_said(self):
        write("font.ttf", b"a font")
        ffmpeg(*VIDEO, *VIDEO, *MJPEG, "-attach", "font.ttf", "-metadata:s:t", "mimetype=font/ttf", "in.mkv")
        self.assertEqual(self.not_held("in.mkv", "out.mkv"), ["1 further video track"])
        ffmpeg("-dump_attachment:t:0", "got.ttf", "-i", "out.mkv", "-f", "null", "-")
        self.assertEqual(read("got.ttf"), b"a font")
        self.assertEqual(self.not_held("in.mkv", "out.mp4"), ["1 attachment", "1 further video track"])
        ffmpeg(*VIDEO, "-timecode", "01:00:00:00", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "timecode.mov")
        self.assertEqual(self.not_held("timecode.mov", "out.y4m"), ["1 data track"])

    def test_hdr_metadata_goes_along_or_is_said(self):
        display = "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1):max-cll=1000,400:log-level=none"
        ffmpeg(*VIDEO, "-frames:v", "2", "-pix_fmt", "yuv420p10le", "-color_primaries", "bt2020", "-color_trc", "smpte2084",
               "-colorspace", "bt2020nc", "-c:v", "libx265", "-x265-params", display, "in.mkv")
        for sink in ["out.mkv", "out.mp4"]:
            self.assertEqual(self.not_held("in.mkv", sink), [])
            self.assertIn("1000,400", "".join(probe(sink, "stream_side_data=max_content,max_average")))
            self.assertNotEqual(probe(sink, "stream_side_data=max_luminance"), [])
        self.assertEqual(self.not_held("in.mkv", "out.mov"), ["the HDR metadata"])


if __name__ == "__main__":
    unittest.main()
