"""Tests explain --check: races and uninitialised values, each with its line, and the exit code."""

import unittest

from explain_support import FAILED, USAGE, ExplainTest, compile_by_nvrtc, compiles
from support import runs_rungs, write

setUpModule = compile_by_nvrtc

REVERSE = b"""extern "C" __global__ void reverse(const int* in, int* out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = in[threadIdx.x];
  BARRIER;
  out[threadIdx.x] = tile[127 - threadIdx.x];
}
"""
REVERSED = ["reverse.cu", "--grid", "1", "--block", "128", "--arg", "i32[128]:iota", "--arg", "i32[128]"]
BARRIER = ["--define", "BARRIER=__syncthreads()"]
NO_BARRIER = ["--define", "BARRIER="]
WRITE_LINE, READ_LINE = 3, 5

FILLED = b"""extern "C" __global__ void filled(const int* in, int* out, int known) {
  __shared__ int tile[64];
  if (threadIdx.x < known) tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] += tile[threadIdx.x];
}
"""
FILL = ["filled.cu", "--grid", "1", "--block", "64", "--arg", "i32[64]:iota", "--arg", "i32[64]", "--arg"]


class Checks(ExplainTest):
    def setUp(self):
        super().setUp()
        write("reverse.cu", REVERSE)
        write("filled.cu", FILLED)

    def faults(self, *arguments):
        found = self.json_of(*arguments, code=FAILED)["faults"]
        return [(fault["kind"], fault["line"]) for fault in found]

    @compiles
    def test_races(self):
        for checks in ["races", "all"]:
            self.assertEqual(self.faults(*REVERSED, *NO_BARRIER, "--check", checks),
                             [("race", WRITE_LINE), ("race", READ_LINE)])
            self.assertEqual(self.json_of(*REVERSED, *BARRIER, "--check", checks)["faults"], [])
        self.assertEqual(self.json_of(*REVERSED, *NO_BARRIER)["faults"], [], "nobody asked")
        self.assertEqual(self.json_of(*REVERSED, *NO_BARRIER, "--check", "init")["faults"], [])

    @compiles
    def test_a_race_is_printed_with_its_place(self):
        done = self.run_command("explain", *REVERSED, *NO_BARRIER, "--check", "races")
        self.assertEqual(done.returncode, FAILED)
        self.assertRegex(" ".join(done.stdout.decode().split()),
                         r"- race at reverse.cu:3: write of byte 256 of shared memory, which thread \(63,0,0\) reads at "
                         r"\S*reverse.cu:5, and nothing orders the two \(thread 64,0,0 of block 0,0,0 first, 64 in all\)")
        self.assertIn(b"2 faults were found, the first at line 3: see Faults in the report", done.stderr)

    @compiles
    def test_the_last_line_knows_that_races_were_checked(self):
        def last(*arguments):
            text = self.run_command("explain", *REVERSED, *arguments).stdout.decode()
            return " ".join(text[text.rindex("\nFidelity"):].split())

        for checks in ["races", "strict", "all"]:
            self.assertEqual(last(*NO_BARRIER, "--check", checks), "Fidelity: counts are exact, except for races.")
            self.assertEqual(last(*BARRIER, "--check", checks), "Fidelity: counts are exact.")
        for none in [[], ["--check", "init,equal_writes"]]:
            self.assertEqual(last(*BARRIER, *none), "Fidelity: counts are exact if no threads race; --check races finds races.")
        self.assertIn("the order of racing accesses", last(*NO_BARRIER, "--check", "races", "--fidelity"))
        self.assertNotIn("racing", last(*BARRIER, "--check", "races", "--fidelity"))

    @compiles
    def test_init(self):
        for checks in ["init", "races,init", "all"]:
            self.assertEqual(self.faults(*FILL, "i32:16", "--check", checks), [("uninitialised", 5)])
            # A buffer without a fill contains zeros, so a kernel may read it.
            self.assertEqual(self.json_of(*FILL, "i32:64", "--check", checks)["faults"], [])
        self.assertEqual(self.json_of(*FILL, "i32:16", "--check", "races")["faults"], [])

    @compiles
    def test_two_kernels(self):
        done = self.run_command("explain", "reverse.cu", *REVERSED, *NO_BARRIER, "--check", "races")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"2 faults were found", done.stderr)

    @runs_rungs
    def test_a_rung(self):
        self.assertEqual(self.json_of("sobel/shared_reused", "--check", "all")["faults"], [])

    def test_what_is_none(self):
        self.fail_with(USAGE, "explain", *REVERSED, "--check", "rases", says=["--check got 'rases'", "races"])
        self.fail_with(USAGE, "explain", "sobel", "--check", "races", says="--check is for a FILE or a rung")


if __name__ == "__main__":
    unittest.main()
