"""Tests explain of the primitives' own kernels."""

import os
import unittest

from explain_support import FAILED, KEYS, USAGE, ExplainTest


def has_primitives(test):
    """Skips a test in a build without the CUDA path, which has no kernels of the primitives."""
    def run(self):
        done = self.run_command("explain", "copy", "--size", "1x1")
        if b"has no libcudart.so.13" in done.stderr:
            self.assertEqual(done.returncode, FAILED)
            self.skipTest("this build has no CUDA path")
        test(self)
    run.__name__ = test.__name__
    return run


class Primitives(ExplainTest):
    KERNELS = {
        "copy": ["copy_rows_kernel"],
        "convert": ["convert_kernel"],
        "sobel": ["sobel_kernel"],
        "threshold": ["threshold_tiles"],
        "match": ["match_rejecting_kernel"],
        "disparity": ["disparity_pad_kernel", "disparity_sweep_kernel", "disparity_check_kernel"],
        "find": ["differences_kernel", "find_best_kernel"],
        "gemv": ["gemv_"],
    }

    @has_primitives
    def test_each_at_an_odd_size(self):
        for name, kernels in self.KERNELS.items():
            with self.subTest(name):
                report = self.json_of(name, "--size", "65x33", "--cc", "1.3,9.0")
                self.assertEqual(report["primitive"], name)
                self.assertEqual(report["size"], [65, 33])
                launched = [launch["kernel"] for launch in report["launches"]]
                self.assertEqual(len(launched), len(kernels), launched)
                for kernel, expected in zip(launched, kernels):
                    self.assertIn("::" + expected, kernel)
                heaviest = max(report["launches"], key=lambda launch: launch["warp_instructions"])
                for key, value in heaviest.items():
                    self.assertEqual(report[key], value, key)
                for launch in report["launches"]:
                    self.assertLessEqual(KEYS, set(launch))
                    self.assertEqual(launch["faults"], [])
                    self.assertEqual(list(launch["by_cc"]), ["1.3", "9.0"])
                    self.assertGreater(launch["warp_instructions"], 0)
                    self.assertTrue(any(line["file"].endswith((".cuh", ".hpp"))
                                        for line in launch["lines"]))

    @has_primitives
    def test_bytes_of_a_copy(self):
        """A row has 4096 bytes, and the pitch is a multiple of 256 bytes, so that no byte is moved twice."""
        counts = self.json_of("copy", "--size", "4096x8")["by_cc"]["9.0"]
        for way in ["global_load", "global_store"]:
            self.assertEqual(counts[way]["bytes_requested"], 4096 * 8)
            self.assertEqual(counts[way]["bytes_moved"], 4096 * 8)

    @has_primitives
    def test_every_run_is_the_same(self):
        self.assertEqual(self.json_of("find", "--size", "33x17"), self.json_of("find", "--size", "33x17"))

    @has_primitives
    def test_text(self):
        said = self.succeed("explain", "find", "--size", "65x33").stdout.decode()
        self.assertTrue(said.startswith("find 65x33 (u8 sad template 16x16): 2 kernels launched\n"), said)
        for words in ["==== 2 of 2", "differences_kernel", "find_best_kernel", "Advice"]:
            self.assertIn(words, said)

    @has_primitives
    def test_a_profile_has_no_time(self):
        report = self.json_of("copy", "--size", "65x33", "--profile", "gtx1080ti")
        self.assertEqual(list(report["by_cc"]), ["6.1"])
        self.assertIn("not sampled", report["prediction"]["unavailable"])

    @has_primitives
    def test_a_budget_for_all_launches(self):
        report = self.json_of("disparity", "--size", "65x33", "--budget", "300000", code=FAILED)
        self.assertEqual([fault["kind"] for fault in report["launches"][-1]["faults"]], ["budget"])
        self.assertLess(len(report["launches"]), 3)

    @has_primitives
    def test_what_cannot_be(self):
        self.fail_with(USAGE, "explain", "copy", "--size", "100000000x100000000",
                       says=["too large", "268435456 pixels"])

    def test_calls(self):
        self.fail_with(USAGE, "explain", "blur", says=["'blur'", "FILE.cu", "sobel", "gemv"])
        for option, value in [("--grid", "1"), ("--block", "1"), ("--arg", "i32:1"), ("--kernel", "k"),
                              ("--shared", "1"), ("--define", "A=1"), ("--arch", "75"),
                              ("--registers", "32"), ("--dump", "0=a.npy"), ("--include", ".")]:
            self.fail_with(USAGE, "explain", "sobel", option, value, says=[option, "sobel"])
        self.fail_with(USAGE, "explain", "sobel", "--size", "0x4", says="--size")
        self.fail_with(USAGE, "explain", "one.ptx", "--size", "4x4", "--grid", "1", "--block", "1",
                       says="--size")

    @has_primitives
    def test_a_runtime_that_is_not_taken(self):
        """If the command has restarted itself and still runs without the emulator, it says so and stops."""
        environment = dict(os.environ, WARPWISE_RESTARTED_ON_EMULATOR="1")
        self.fail_with(FAILED, "explain", "sobel", says="was not loaded", env=environment)


if __name__ == "__main__":
    unittest.main()
