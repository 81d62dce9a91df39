#!/usr/bin/env python3
"""Tests the records that scripts/record-ladders.py accepts and refuses, and the tables of counter_tables.py."""
import copy
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent / "scripts"
sys.path.insert(0, str(SCRIPTS))
import counter_tables  # noqa: E402

STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
ROW = {"rung": "a", "size": [64, 1], "parameters": {}, "block": [32, 1, 1],
       "counters": {"size": [64, 1], "launches": [
           {"kernel": "k", "grid": [2, 1, 1],
            "metrics": {"sm__warps_active.avg.pct_of_peak_sustained_active": 50.0,
                        STALL.format("long_scoreboard"): 12.0, STALL.format("wait"): 3.0}}]},
       "counters_of_counts": {"size": [64, 1], "launches": [{"metrics": {}}], "compared": [
           {"count": "global load requests", "ratio": 1.0}, {"count": "shared load wavefronts", "ratio": 1.0001},
           {"count": "divergent branches"}, {"count": "warp instructions", "ratio": 1.25}]}}
REPORT = {"ladder": "copy", "experiment": "ladder", "machine": {
    "gpu": "G", "driver": "1", "toolkit": "2", "compute_capability": "9.0", "commit": "c", "date": "2026-01-01T"},
          "results": [ROW, {**ROW, "rung": "b"}]}


class RecordLadders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def record(self, report):
        measured = self.folder / "measured.json"
        measured.write_text(json.dumps(report) + "\n", encoding="utf-8")
        return subprocess.run([sys.executable, SCRIPTS / "record-ladders.py", measured, self.folder / "results"],
                              capture_output=True, text=True, check=False)

    def refuse(self, words, **changes):
        done = self.record({**REPORT, **changes})
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(words, done.stderr)

    def test_takes_each_kind_to_its_folder(self):
        self.assertEqual(self.record(REPORT).returncode, 0)
        self.assertEqual(self.record({**REPORT, "counters": {"library": "l"}}).returncode, 0)
        study = {key: value for key, value in REPORT.items() if key not in ("ladder", "experiment")}
        self.assertEqual(self.record({**study, "study": "banks"}).returncode, 0)
        files = sorted(str(path.relative_to(self.folder / "results")) for path in self.folder.glob("results/*/*"))
        self.assertEqual(files, ["counters/copy-ladder.json", "ladders/copy-ladder.json", "studies/banks.json"])
        kept = json.loads((self.folder / "results/counters/copy-ladder.json").read_text(encoding="utf-8"))
        self.assertNotIn("launches", kept["results"][0]["counters_of_counts"])
        self.assertEqual(kept["results"][0]["counters"], ROW["counters"])

    def test_refuses_what_is_no_record(self):
        self.refuse("not committed", machine={**REPORT["machine"], "commit": "c-dirty"})
        self.refuse("interrupted", interrupted=True)
        self.refuse("no CUPTI", counters={"unavailable": "no CUPTI"})
        self.assertFalse((self.folder / "results").exists())

    def test_a_part_does_not_replace_the_whole(self):
        self.record(REPORT)
        self.refuse("not b", results=[ROW])


class CounterTables(unittest.TestCase):
    def test_equal_is_told_apart_from_what_rounds_to_it(self):
        text = counter_tables.counters(copy.deepcopy(REPORT))
        self.assertIn("| a | 32 | = | 1.0001 | 0 counted | 1.250 |", text)

    def test_time_of_a_warp(self):
        # Each instruction takes 1 + 12 + 3 cycles, and 8 warps are there: it issues in 50 % of the cycles.
        self.assertIn("| a | 50 % |  |  |  | 50 % | long_scoreboard 75 %, wait 19 % |", counter_tables.waits(REPORT))

    def test_a_count_without_a_column_is_an_error(self):
        report = copy.deepcopy(REPORT)
        report["results"][0]["counters_of_counts"]["compared"].append({"count": "new", "ratio": 1.0})
        self.assertRaises(ValueError, counter_tables.counters, report)


class EndToEnd(unittest.TestCase):
    def test_a_film_needs_its_number_of_frames(self):
        done = subprocess.run([sys.executable, SCRIPTS / "gpu-bundle/end_to_end.py", "out.json", "--film", "film.mp4"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--film needs --frames", done.stderr)


class RecordRandomKernels(unittest.TestCase):
    """Uses a program in place of host_code_test: kernels of numbers in the file "differ" differ."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "scripts").mkdir()
        for name in ["recording.py", "record-random-kernels.py"]:
            shutil.copy(SCRIPTS / name, self.folder / "scripts")
        (self.folder / "bin").mkdir()
        self.program('if grep -qx "$WARPWISE_HOST_CODE_SEED" differ; then echo "[  FAILED  ] $test (1 ms)"; exit 1; fi\n'
                     'echo "[  PASSED  ] 1 test."\n')

    def program(self, body):
        path = self.folder / "bin/host_code_test"
        path.write_text(f"#!/bin/sh\ncd {self.folder}\ntest=HostCode.RandomKernelsRunAsInTheInterpreter\nsleep 0.05\n{body}")
        path.chmod(0o755)

    def record(self, differing):
        (self.folder / "differ").write_text("".join(f"{number}\n" for number in differing))
        done = subprocess.run([sys.executable, self.folder / "scripts/record-random-kernels.py", "0.01", "--jobs", "2", "--commit", "c",
                               "--build", self.folder, "--out", self.folder / "record.json"], capture_output=True, text=True, check=False)
        path = self.folder / "record.json"
        return done, json.loads(path.read_text())["sessions"] if path.exists() else []

    def test_a_difference_is_repeated_until_it_is_mended(self):
        if "avx2" not in pathlib.Path("/proc/cpuinfo").read_text():
            self.skipTest("this CPU gets no machine code")
        done, sessions = self.record([5001])
        self.assertEqual((done.returncode, sessions[0]["differing"]), (1, [5001]), done.stderr)
        self.assertEqual(sessions[0]["alike"], sessions[0]["last"] - 5000)
        done, sessions = self.record([])
        self.assertEqual((done.returncode, sessions[1]["differing"]), (0, []), done.stderr)
        self.assertEqual(sum(each["alike"] for each in sessions), sessions[1]["last"])

    def test_a_program_that_ends_otherwise_is_not_recorded(self):
        if "avx2" not in pathlib.Path("/proc/cpuinfo").read_text():
            self.skipTest("this CPU gets no machine code")
        for body in ['echo "[  PASSED  ] 0 tests."\n', "exit 127\n", "kill -9 $$\n"]:
            self.program(body)
            done, sessions = self.record([])
            self.assertEqual((done.returncode, sessions), (1, []), done.stderr)
            self.assertIn("nothing is recorded: host_code_test ended", done.stderr)


if __name__ == "__main__":
    unittest.main()
