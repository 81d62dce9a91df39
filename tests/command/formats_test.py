"""Tests that the table in docs/formats.md shows what the command makes of these files today."""

import json
import pathlib
import shutil
import subprocess
import sys
import unittest

from support import HAS_IMAGES, HAS_VIDEO, SAMPLES, WARPWISE, CommandTest, nightly

ROOT = pathlib.Path(SAMPLES).parent
sys.path.insert(0, str(ROOT / "scripts"))
import formats  # noqa: E402  its folder is known only now


@unittest.skipUnless(HAS_VIDEO and HAS_IMAGES, "not every module is in this build")
@unittest.skipUnless(shutil.which("ffprobe") and shutil.which("ffmpeg"), "there is no ffmpeg here")
class Formats(CommandTest):
    @nightly
    def test_the_record_is_what_happens(self):
        record = json.loads((ROOT / "results/formats.json").read_text(encoding="utf-8"))
        version = subprocess.run(["ffmpeg", "-version"], capture_output=True, text=True, check=True).stdout.split()[2]
        if version != record["ffmpeg"]:
            self.skipTest(f"this is FFmpeg {version}, and the record is of {record['ffmpeg']}")
        rows = formats.table_of(WARPWISE, ".")
        self.assertEqual([row["file"] for row in rows], [row["file"] for row in record["files"]])
        for now, then in zip(rows, record["files"]):
            with self.subTest(file=now["file"]):
                self.assertEqual(now, then, "run scripts/record-formats.py and scripts/render-results.py")

    def test_a_turn_is_seen_in_the_samples(self):
        formats.ffmpeg(*formats.MOVING, "-c:v", "libx264", "-pix_fmt", "yuv420p", "plain.mp4")
        for degrees, wrong in [("90", "transpose=1"), ("180", "null")]:
            formats.ffmpeg("-i", "plain.mp4", "-c", "copy", "-metadata:s:v:0", f"rotate={degrees}", "turned.mp4")
            source = formats.described("turned.mp4")
            for sink in formats.SINKS:
                found, words = formats.outcome(WARPWISE, source, pathlib.Path("turned.mp4"), sink, pathlib.Path("."))
                self.assertEqual((found["turn"], words), ("applied", []), sink)
                self.assertNotEqual(found["pixels"], "changed")
            formats.ffmpeg("-i", "plain.mp4", "-vf", wrong, "-c:v", "ffv1", "wrong.mkv")
            self.assertEqual(formats.of_turn(source, "turned.mp4", formats.described("wrong.mkv"), "wrong.mkv"), "lost")

    def test_the_record_has_no_loss_without_a_word(self):
        record = json.loads((ROOT / "results/formats.json").read_text(encoding="utf-8"))
        for row in record["files"]:
            for sink, found in row["into"].items():
                with self.subTest(file=row["file"], sink=sink):
                    self.assertNotIn(found.get("turn"), ["lost"])
                    self.assertNotEqual(found.get("alpha"), "dropped")
                    self.assertNotEqual(found["pixels"], "changed")
                    self.assertNotEqual(found.get("times"), "others")
                    if found["pixels"] == "refused":
                        self.assertTrue(row["said"])


if __name__ == "__main__":
    unittest.main()
