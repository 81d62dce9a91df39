"""Follows docs/lab.md literally, in a folder with the files of the repository that its commands name. Skipped, with the
reason, without a CUDA compiler or gnuplot."""

import json
import os
import pathlib
import re
import shutil
import unittest

from lab_support import FollowedDocument
from support import SAMPLES, runs_rungs

ROOT = pathlib.Path(SAMPLES).parent


class Walk(FollowedDocument):
    @unittest.skipUnless(shutil.which("gnuplot"), "there is no gnuplot here; the Debian package is gnuplot-nox")
    @runs_rungs
    def test_is_true(self):
        for name in ["warpwise", "results"]:
            os.symlink(ROOT / name, name)
        commands, blocks = self.follow_document("lab.md", {"", "sh", "diff"})
        for command in ["list", "run", "verify", "diff", "plot", "predict"]:
            self.assertIn(f"warpwise lab {command} ", commands)
        self.assertIn("warpwise explain ", commands)
        self.check_numbers(blocks)
        for drawing in re.findall(r"\S+\.svg", commands):
            self.assertGreater(os.path.getsize(drawing), 1000, drawing)

    def check_numbers(self, blocks):
        """Checks that each number in a sentence is in a quoted output, or in the record that is drawn as a plot."""
        prose = re.sub(r"^```.*?^```$", "", (ROOT / "docs/lab.md").read_text(), flags=re.MULTILINE | re.DOTALL)
        record = json.loads((ROOT / "results/nvidia-h200/ladders/gemv-ladder.json").read_text())
        gained = [f"{row['speedup_over_step_before']:.3g}".ljust(4, "0") for row in record["results"]
                  if row["rung"] in ("block_per_row", "conflict_free") and row["size"] == [4096, 4096]]
        quoted = "".join(text for kind, text in blocks if not kind)
        measured = re.findall(r"(?<!--cc )\b(?:\d+\.\d+|\d{5,})\b", prose)
        self.assertGreater(len(measured), 8)
        for number in measured:
            self.assertIn(number, [*gained, *re.findall(r"[\d.]+", quoted)])


if __name__ == "__main__":
    unittest.main()
