"""Tests lab plot and lab run --plot: the plots beside the records, the plot of a run, refused calls, and an interrupted
run, which keeps its measurements. Tests are skipped, with the reason, without gnuplot or without a CUDA compiler."""

import csv
import functools
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree as xml

from lab_support import EMULATOR, FAILED, LabTest, USAGE
from support import SAMPLES, WARPWISE, read, runs_rungs, write

ROOT = pathlib.Path(SAMPLES).parent
# scripts/render-plots.sh leaves out transfers, which no document shows as a plot.
RECORDS = [path for kind in ("ladders", "studies") for path in sorted((ROOT / "results").glob(f"*/{kind}/*.json"))
           if "-transfers" not in path.name]
SVG = "{http://www.w3.org/2000/svg}"


@functools.cache
def why_no_gnuplot():
    if shutil.which("gnuplot") is None:
        return "there is no gnuplot here; the Debian package is gnuplot-nox"
    said = subprocess.run(["gnuplot", "--version"], capture_output=True, text=True, check=True).stdout
    version = tuple(map(int, re.search(r"(\d+)\.(\d+)", said).groups()))
    return "" if version >= (5, 4) else f"{said.strip()} is older than 5.4"


def draws(test):
    @functools.wraps(test)
    def run(self):
        if why_no_gnuplot():
            self.skipTest(why_no_gnuplot())
        test(self)
    return run


class Plots(LabTest):
    def picture(self, path):
        """Checks that an SVG file has the parts of every plot, and returns its root."""
        root = xml.fromstring(read(path))
        self.assertEqual(root.tag, SVG + "svg")
        self.assertEqual(root.get("viewBox").split()[:3], ["0", "0", "460"])
        self.assertTrue(root.find(SVG + "title").text and root.find(SVG + "desc").text)
        self.assertIn("prefers-color-scheme:dark", root.find(SVG + "style").text)
        return root

    def texts(self, path):
        return [each.text for each in self.picture(path).iter(SVG + "text")]


class Recorded(Plots):
    @draws
    def test_plots_are_those_of_the_records(self):
        """Compares each plot with its record. If this fails, run scripts/render-plots.sh."""
        self.assertGreater(len(RECORDS), 20)
        for record in RECORDS:
            with self.subTest(record.name):
                self.succeed("lab", "plot", str(record), "--out", "now.svg")
                kept = record.with_suffix(".svg")
                self.assertEqual(read("now.csv"), read(kept.with_suffix(".csv")))
                # Other versions of gnuplot may place lines differently, but the texts must be the same.
                self.assertEqual(self.texts("now.svg"), self.texts(kept))
                self.assertIn("commit " + json.loads(read(record))["machine"]["commit"],
                              " ".join(filter(None, self.texts(kept))))

    @draws
    def test_a_map_and_what_is_shown_of_it(self):
        rows = [{"rung": "only", "size": [64, 64], "block": [x, y, 1],
                 "cold": {"median_us": 3 + abs(x - 128) + y, "p5_us": 3, "p95_us": 900}}
                for x in (32, 64, 128, 256) for y in (1, 2, 4)]
        write("run.json", json.dumps({"study": "shapes", "title": "<b> & \x1b'", "machine": {"device": "here"},
                                      "results": rows}).encode())
        done = self.succeed("lab", "plot", "run.json", "--out", "map.svg")
        self.assertEqual(done.stdout, b"map.svg\nmap.csv\n")
        texts = self.texts("map.svg")
        self.assertIn("best 4 at 128×1", texts)
        self.assertIn("shapes: <b> & \\x1b'", texts)
        table = list(csv.DictReader(io.StringIO(read("map.csv").decode())))
        self.assertEqual(len(table), 12)
        self.assertEqual(table[0]["block_x"], "32")
        self.assertEqual(float(table[0]["cold_us"]), 100)


class Run(Plots):
    @draws
    @runs_rungs
    def test_counts_of_the_emulator(self):
        self.succeed("lab", "run", "banks/widths", *EMULATOR, "--size", "64x3", "--cc", "1.3,9.0", "--plot",
                     "widths.svg", "--json")
        self.assertEqual(sorted(os.listdir(".")), ["widths.csv", "widths.svg"])
        texts = self.texts("widths.svg")
        for words in ["CC 1.3", "CC 9.0", "shared load passes", "stride", "WORDS 4, padded"]:
            self.assertIn(words, texts)
        table = list(csv.DictReader(io.StringIO(read("widths.csv").decode())))
        self.assertEqual({row["panel"] for row in table}, {"CC 1.3", "CC 9.0"})
        [padded] = [row for row in table if row["panel"] == "CC 9.0" and row["stride"] == "32" and
                    row["series"] == "WORDS 1, padded"]
        self.assertEqual(float(padded["shared_load_passes"]), 6 * 65, "192 words in six warps, a pass for each read")

    @runs_rungs
    def test_a_wrong_rung_is_not_drawn(self):
        mine = self.edited("p.dst[i] = 0")
        done = self.run_command("lab", "run", "copy/scalar", *mine, *EMULATOR, "--size", "33x7", "--plot", "x.svg")
        self.assertEqual(done.returncode, USAGE if why_no_gnuplot() else FAILED, done.stderr)
        self.assertFalse(os.path.exists("x.svg"))

    @draws
    def test_refused_before_anything_runs(self):
        for arguments, says in [
                (["copy", "--plot", "x.png"], ["--plot x.png", "FILE.svg"]),
                (["copy", "--plot", ".svg"], ["FILE.svg"]),
                (["copy", "sobel", "--plot", "x.svg"], ["one ladder, study or experiment", "2"])]:
            self.refuse("run", *arguments, *EMULATOR, says=says)
        os.mkdir("folder.svg")
        for path, says in [("none/x.svg", "folder does not exist"), ("folder.svg", "folder.svg")]:
            self.refuse("run", "copy", *EMULATOR, "--plot", path, says=says, code=FAILED)

    @draws
    def test_no_other_file_is_replaced(self):
        os.mkdir("out")
        for name in ["x.csv", "x.svg", "out/copy-scalar.json"]:
            with open(name, "wb") as table:
                done = subprocess.run([WARPWISE, "lab", "run", "copy/scalar", *EMULATOR, "--size", "8x8", "--plot", "x.svg",
                                       "--out", "out"], stdout=table, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, USAGE, done.stderr)
            self.assertIn(f"would replace {name}, which is standard output too", done.stderr)
        self.refuse("plot", "x.csv", "--out", "x.svg", says="--out would replace x.csv, which is the record")
        os.symlink("x.svg", "record.json")
        self.refuse("plot", "record.json", "--out", "x.svg", says="--out would replace x.svg, which is the record")

    def test_without_gnuplot(self):
        environment = {**os.environ, "PATH": "/none"}
        write("run.json", b"{}")
        for arguments in [["run", "copy", *EMULATOR, "--plot", "x.svg"], ["plot", "run.json", "--out", "x.svg"]]:
            self.refuse(*arguments, says=["gnuplot", "not on PATH", "apt-get install gnuplot-nox"], code=FAILED,
                        env=environment)

    def test_an_old_gnuplot(self):
        os.mkdir("bin")
        write("bin/gnuplot", b"#!/bin/sh\necho gnuplot 5.2 patchlevel 8\n")
        os.chmod("bin/gnuplot", 0o755)
        environment = {**os.environ, "PATH": os.path.abspath("bin") + ":" + os.environ["PATH"]}
        write("run.json", b"{}")
        self.refuse("plot", "run.json", "--out", "x.svg", says=["version 5.2", "5.4 or later"], code=FAILED,
                    env=environment)

    @draws
    def test_records_that_are_none(self):
        self.refuse("plot", "none.json", "--out", "x.svg", says="none.json", code=FAILED)
        for text, says in [(b"\xff", "no JSON"), (b"[1]", "list of runs"), (b"{}", 'no "study"'),
                           (b'{"study": "s", "machine": {}, "results": []}', "nothing to draw")]:
            write("run.json", text)
            self.refuse("plot", "run.json", "--out", "x.svg", says=says)


class Interrupted(Plots):
    """Interrupts the study banks, which has enough points (32 strides and more) that some are not measured yet."""

    def begin(self, *arguments):
        return subprocess.Popen([WARPWISE, "lab", "run", "banks", *EMULATOR, *arguments], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def some_rows(self, running, count):
        """Waits until the table has `count` rows."""
        for line in running.stdout:
            count -= " stride " in line
            if count == 0:
                return
        self.fail(running.stderr.read())

    @runs_rungs
    def test_what_was_measured_is_kept(self):
        plot = [] if why_no_gnuplot() else ["--plot", "banks.svg"]
        for number in [signal.SIGINT, signal.SIGTERM]:
            running = self.begin("--out", "out", *plot)
            self.some_rows(running, 4)
            running.send_signal(number)
            _, said = running.communicate(timeout=60)
            self.assertEqual(running.returncode, -number)
            self.assertIn("keeping all measurements so far", said)
            # The record of an earlier, complete run is not replaced.
            self.assertEqual(os.listdir("out"), ["banks-interrupted.json"])
            report = json.loads(read("out/banks-interrupted.json"))
            self.assertTrue(report["interrupted"])
            self.assertGreaterEqual(len(report["results"]), 4)
            self.assertLess(len(report["results"]), 67)
            for row in report["results"]:
                self.assertGreater(row["counts"][0]["warp_instructions"], 0)
            if plot:
                self.assertIn("interrupted: the measurement is incomplete", self.texts("banks.svg"))

    @runs_rungs
    def test_json_of_what_was_measured(self):
        for delay in [0.5, 1, 2, 4, 8, 16]:  # until the first row is printed, because compiling may take long
            running = self.begin("--json")
            time.sleep(delay)
            running.send_signal(signal.SIGINT)
            said, _ = running.communicate(timeout=60)
            self.assertEqual(running.returncode, -signal.SIGINT)
            if said and json.loads(said)["results"]:
                break
        report = json.loads(said)
        self.assertTrue(report["interrupted"])
        self.assertLess(len(report["results"]), 67)

    @runs_rungs
    def test_twice_ends_at_once(self):
        running = self.begin("--out", "out", "--size", "3840x3840")
        said = []
        time.sleep(0.5)
        running.send_signal(signal.SIGINT)
        said.append(running.stderr.readline() if running.poll() is None else "")
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=10)
        self.assertEqual(running.returncode, -signal.SIGINT)
        self.assertEqual(os.listdir("out"), [])

    @runs_rungs
    def test_without_anything_to_keep_it_ends_at_once(self):
        running = self.begin()
        self.some_rows(running, 1)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=10)
        self.assertEqual((running.returncode, said), (-signal.SIGINT, ""))


if __name__ == "__main__":
    unittest.main()
