"""Tests that every rung of every ladder, and every kernel of every study, computes the reference's result in the
emulator, at each size, alignment and block shape of its table. With all checks on, the emulator finds no fault."""

import concurrent.futures
import json
import os
import subprocess
import unittest

from support import NIGHTLY, SANITIZED, WARPWISE, CommandTest, gpu_environment, runs_rungs


class Verify(CommandTest):
    @runs_rungs
    def test_every_rung(self):
        tables = json.loads(self.succeed("lab", "list", "--json").stdout)
        rungs = {each["ladder"]: [rung["name"] for rung in each["rungs"]] for each in tables["ladders"]}
        # A study that only collects experiments of others has no kernels of its own.
        rungs.update({each["study"]: [rung["name"] for rung in each["rungs"]]
                      for each in tables["studies"] if each["rungs"]})
        if SANITIZED:  # several times slower: only the first rung and the shipped one run
            rungs = {ladder: [names[0], names[-1]] for ladder, names in rungs.items()}

        def verify(ladder):
            names = [f"{ladder}/{rung}" for rung in rungs[ladder]]
            return subprocess.run([WARPWISE, "lab", "verify", *names, "--on", "emulator", "--check", "all"],
                                  capture_output=True, text=True, timeout=550)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            done = dict(zip(rungs, pool.map(verify, rungs)))
        for ladder, result in done.items():
            with self.subTest(ladder):
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                *lines, summary = result.stdout.splitlines()
                self.assertEqual([line.split()[0] for line in lines],
                                 [f"{ladder}/{rung}" for rung in rungs[ladder]])
                for line in lines:
                    self.assertRegex(line, r" [1-9]\d* right")
                count = len(lines)
                self.assertTrue(summary.startswith(f"{count} of {count} rungs right"), summary)

    @runs_rungs
    def test_a_gpu_is_used_where_there_is_one(self):
        environment = gpu_environment()
        if environment is None:
            self.skipTest("there is neither a GPU nor an emulated one in this build")
        counts = {}
        for place in [[], ["--on", "gpu"], ["--on", "emulator"]]:
            done = self.succeed("lab", "verify", "copy/scalar", *place, env=environment)
            counts[tuple(place)] = done.stdout.split()[1]
        # On a GPU, the recorded sizes are verified too.
        self.assertEqual(counts[()], counts["--on", "gpu"])
        self.assertNotEqual(counts[()], counts["--on", "emulator"])

    # A rung runs only with the block shapes that "needs" in its table allows.
    @runs_rungs
    def test_blocks_of_any_shape(self):
        sizes = {"disparity": "40x6", "find": "70x40", "match": "33x34", "threshold": "70x5"}
        ladders = json.loads(self.succeed("lab", "list", "--json").stdout)["ladders"]
        shapes = ["7x3", "8x8x2", "33"]
        if NIGHTLY:
            cases = [(each["ladder"], shape) for each in ladders for shape in shapes]
        else:  # each block shape runs with only some of the ladders
            cases = [(each["ladder"], shapes[i % len(shapes)]) for i, each in enumerate(ladders)]
        cases += [("sobel", "1"), ("sobel", "32x8"), ("gemv", "32x8")]

        def run(case):
            ladder, shape = case
            return subprocess.run([WARPWISE, "lab", "run", ladder, "--block", shape, "--size",
                                   sizes.get(ladder, "70x6"), "--on", "emulator", "--json"],
                                  capture_output=True, text=True, timeout=550)

        if SANITIZED:
            cases = cases[-3:]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            done = dict(zip(cases, pool.map(run, cases)))
        for case, result in done.items():
            with self.subTest(case):
                self.assertEqual(result.returncode, 0, result.stderr)
                rows = [row for row in json.loads(result.stdout)["results"]
                        if not row.get("on_cpu")]
                for row in rows:
                    self.assertNotIn("wrong", row, row["rung"])
                    self.assertNotEqual("counts" in row, "skipped" in row, row["rung"])
                if case in [("sobel", "1"), ("sobel", "32x8")]:
                    self.assertGreater(sum("counts" in row for row in rows), 10, "most rungs take this shape")
                if case[1] == "8x8x2":
                    self.assertEqual([row["rung"] for row in rows if "counts" in row
                                      and not row["rung"].endswith("shipped")], [])


if __name__ == "__main__":
    unittest.main()
