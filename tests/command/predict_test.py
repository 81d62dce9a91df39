"""Tests `lab predict` from outside: its output for rungs, a user's profiles, and bad input."""

import json
import os
import pathlib
import re
import signal
import unittest

from lab_support import LabTest
from support import SANITIZED, runs_rungs, write

REPOSITORY = pathlib.Path(__file__).parents[2]
PROFILES = REPOSITORY / "warpwise/lab/predict/devices"
FAILED = 1
USAGE = 2


class Predict(LabTest):
    def rows(self, *arguments):
        return json.loads(self.succeed("lab", "predict", *arguments, "--json").stdout)["results"]

    @runs_rungs
    def test_what_it_says_of_a_rung(self):
        [row] = self.rows("copy/scalar", "--profile", "h200", "--size", "4194304x1")
        self.assertEqual(row["rung"], "scalar")
        self.assertEqual(row["size"], [4194304, 1])
        self.assertGreaterEqual(row["time_us"], row["least_us"])
        self.assertLessEqual(row["time_us"], row["most_us"])
        self.assertEqual(row["bounds_us"][row["rules"]], max(row["bounds_us"].values()))
        # 16 MB are read and 16 MB are written, at the profile's bandwidth. The blocks of a sample may differ a little
        # from the mean.
        profile = json.loads((PROFILES / "h200.json").read_text(encoding="utf-8"))["figures"]
        expected = 2 * 4 * 4194304 / (1e3 * profile["dram_gb_per_s"]["value"])
        self.assertAlmostEqual(row["bounds_us"]["DRAM"], expected, delta=expected / 50)
        self.assertLess(row["sampled_blocks"], row["blocks"])

    @runs_rungs
    def test_a_table(self):
        text = self.succeed("lab", "predict", "copy/scalar", "copy/vector4", "--profile", "gtx280", "--size",
                            "65536x1").stdout.decode()
        self.assertIn("copy on GeForce GTX 280, predicted", text)
        self.assertRegex(text, r"\nscalar +[\d.]+ +[\d.]+ +[\d.]+ +\w+")
        self.assertRegex(text, r"\nvector4 +[\d.]+")

    @unittest.skipIf(SANITIZED, "the sanitizers take minutes for an image of this size")
    @runs_rungs
    def test_what_was_recorded_of_it(self):
        """Compares with the recorded predictions. After a change of the model, run scripts/predictions.py again."""
        recorded = json.loads((REPOSITORY / "results/predictions.json").read_text(encoding="utf-8"))
        [table5] = [each for each in recorded["experiments"]
                    if (each["study"], each["experiment"]) == ("convert", "table5")]
        expected = {(row["rung"], *row["block"]): row["predicted_us"] for row in table5["rows"]}
        rows = {(row["rung"], *row["block"]): row["time_us"] for row in self.rows("convert/table5", "--profile", "h200")}
        self.assertEqual(rows.keys(), expected.keys())
        for key, time in rows.items():
            # Versions of the compiler differ a little.
            self.assertAlmostEqual(time, expected[key], delta=expected[key] / 10, msg=key)

    @runs_rungs
    def test_spilled_values_take_time(self):
        """If an H200's L1 holds the spilled bytes, only stores miss it. If L2 does not, the rest comes from DRAM."""
        rows = self.rows("spills/uncapped", "spills/capped", "--profile", "h200", "--size", "1024x256")
        uncapped, *capped = sorted(rows, key=lambda row: -row.get("axes", {"CAP": 255})["CAP"])
        self.assertEqual([row["axes"]["CAP"] for row in capped], [64, 56, 48, 40, 32, 24])
        for before, after in zip([uncapped, *capped], capped):
            self.assertGreater(after["time_us"], before["time_us"])
            self.assertGreater(after["bounds_us"]["L2"], before["bounds_us"]["L2"])
        # A thread keeps 128 values, few of them in its 32 registers. Spilled, they are 100 MB; L2 has 60 MB.
        uncapped, capped = (row for row in self.rows("spills/live", "--profile", "h200", "--size", "1024x256")
                            if row["parameters"]["live"] == 128 and row["rung"] in ("uncapped", "capped"))
        self.assertGreater(capped["bounds_us"]["DRAM"], 10 * uncapped["bounds_us"]["DRAM"])

    @runs_rungs
    def test_the_same_twice(self):
        arguments = ["gemv/thread_per_row", "--profile", "h200", "--size", "512x512"]
        self.assertEqual(self.rows(*arguments), self.rows(*arguments))

    @runs_rungs
    def test_an_interrupted_row_is_dropped_and_all_before_are_kept(self):
        """A stand-in for ptxas asks the command to stop when it compiles the kernel of row N."""
        environment = {**os.environ, "CUDA_HOME": os.getcwd(), "CUDA_PATH": os.environ.get("WARPWISE_CUDA_HOME", "")}
        environment.pop("WARPWISE_CUDA_HOME", None)
        os.mkdir("bin")
        for row, kept in [(1, []), (2, ["scalar"])]:
            write("bin/ptxas", f"""#!/bin/sh
[ "$1" = --help ] && echo "'sm_75' 'sm_90'" && exit
echo x >> built-{row}
[ $(wc -l < built-{row}) = {row} ] && kill -INT $PPID && sleep 3
""".encode())
            os.chmod("bin/ptxas", 0o755)
            done = self.run_command("lab", "predict", "copy/scalar", "copy/vector4", "--profile", "h200", "--size",
                                    "65536x1", "--json", env=environment)
            self.assertEqual(done.returncode, -signal.SIGINT, done.stderr)
            rungs = [each["rung"] for each in json.loads(done.stdout)["results"]]
            # If a thread of the first row's launch takes the signal, the second row is still completed.
            self.assertEqual(rungs[:1], kept)

    def test_every_installed_profile_is_listed(self):
        for page in [PROFILES / "README.md", REPOSITORY / "docs/prediction.md"]:
            words = set(re.findall(r"\w+", page.read_text(encoding="utf-8")))
            self.assertLessEqual({path.stem for path in PROFILES.glob("*.json")}, words, page)

    @unittest.skipIf(SANITIZED, "the sanitizers take minutes for that many GPUs")
    @runs_rungs
    def test_every_installed_profile(self):
        """A long copy takes as long as DRAM needs, on a GPU of any compute capability."""
        profiles = [path.stem for path in PROFILES.glob("*.json")]
        self.assertGreater(len(profiles), 15)
        for name in profiles:
            with self.subTest(name):
                [row] = self.rows("copy/shipped", "--profile", name)
                profile = json.loads((PROFILES / f"{name}.json").read_text(encoding="utf-8"))["figures"]
                expected = 2 * 4 * row["size"][0] * row["size"][1] / (1e3 * profile["dram_gb_per_s"]["value"])
                self.assertEqual(row["rules"], "DRAM")
                self.assertAlmostEqual(row["bounds_us"]["DRAM"], expected, delta=expected / 50)

    @runs_rungs
    def test_a_profile_of_ones_own(self):
        profile = json.loads((PROFILES / "h200.json").read_text(encoding="utf-8"))
        arguments = ["copy/scalar", "--size", "16777216x1", "--profile"]
        [before] = self.rows(*arguments, "h200")
        profile["figures"]["dram_gb_per_s"]["value"] /= 2
        write("slow.json", json.dumps(profile).encode())
        [after] = self.rows(*arguments, "slow.json")
        self.assertAlmostEqual(after["bounds_us"]["DRAM"], 2 * before["bounds_us"]["DRAM"], places=6)
        self.assertGreater(after["time_us"], before["time_us"])

    @runs_rungs
    def test_lab_run_without_a_gpu_prints_the_same_times(self):
        rungs = ["copy/scalar", "copy/vector4"]
        for device in ["h200", "gtx280"]:
            run = json.loads(self.succeed("lab", "run", *rungs, "--on", "emulator", "--json", "--profile", device).stdout)
            self.assertEqual(run["modelled_for"], device)
            self.assertIn("Times are modelled, not measured.", run["method"])
            [size] = {tuple(row["size"]) for row in run["results"]}
            predicted = self.rows(*rungs, "--profile", device, "--size", f"{size[0]}x{size[1]}")
            self.assertEqual(len(run["results"]), len(predicted))
            for row, other in zip(run["results"], predicted):
                self.assertAlmostEqual(row["modelled"]["time_us"], other["time_us"])
                self.assertLess(row["modelled"]["filled_us"], other["time_us"])
        text = self.succeed("lab", "run", *rungs, "--on", "emulator").stdout.decode()
        self.assertIn("on emulator; counts, and times modelled for an NVIDIA H200", text)
        self.assertIn("model us     modelled, not measured: ", text)
        self.assertRegex(text, r"\nscalar \(256\) .* \d+\.\d+ +\d+\.\d+ +\d+ +\d+%  9\.0")

    def test_bad_input(self):
        self.fail_with(USAGE, "lab", "predict", says="NAME")
        self.fail_with(USAGE, "lab", "predict", "copy", says="--profile is required (see warpwise lab predict --help)")
        self.fail_with(USAGE, "lab", "predict", "copy", "--profile", "h20", says=["\"h20\"", "h200", "gtx280"])
        self.fail_with(USAGE, "lab", "predict", "copy/scaler", "--profile", "h200", says=["scaler", "scalar"])
        self.fail_with(FAILED, "lab", "predict", "copy", "--profile", "none.json", says="none.json")
        write("bad.json", b'{"gpu": "A"}')
        self.fail_with(USAGE, "lab", "predict", "copy", "--profile", "bad.json", says=["bad.json", "compute_capability"])


if __name__ == "__main__":
    unittest.main()
