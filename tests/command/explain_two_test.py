"""Tests `explain A B` from outside: two files, two kernels of a file, two rungs, and refused pairs."""

import json
import unittest

from explain_support import FAILED, SHAPE, TRANSPOSE, USAGE, ExplainTest, compile_by_nvrtc, compiles
from support import has_gpu, runs_rungs, write

setUpModule = compile_by_nvrtc

BOTH = ["--kernel", "naive", "--kernel", "transpose", "--define", "PAD=1"]


def figure(report, what):
    return next((each["before"], each["after"]) for each in report["counts"] if each["what"] == what)


class TwoFiles(ExplainTest):
    ONE = ["--grid", "1", "--block", "32", "--arg", "i32[32]"]

    @compiles
    def test_two_kernels_of_a_file(self):
        report = self.json_of("transpose.cu", "transpose.cu", *BOTH, *SHAPE, "--profile", "h200")
        self.assertEqual((report["before"], report["after"]), ("naive in transpose.cu", "transpose in transpose.cu"))
        one = self.json_of("transpose.cu", "--kernel", "naive", "--define", "PAD=1", *SHAPE, "--profile", "h200")
        other = self.json_of("transpose.cu", "--kernel", "transpose", "--define", "PAD=1", *SHAPE, "--profile", "h200")
        self.assertEqual(figure(report, "warp instructions"), (one["warp_instructions"], other["warp_instructions"]))
        moved = [sum(each["by_cc"]["9.0"][key]["bytes_moved"] for key in ["global_load", "global_store"])
                 for each in (one, other)]
        self.assertEqual(figure(report, "global memory, bytes moved"), tuple(moved))
        prediction = report["prediction"]
        self.assertEqual(prediction["device"], "h200")
        for each, index in ((one, 0), (other, 1)):
            self.assertAlmostEqual(prediction["launched_us"][index], each["prediction"]["time_us"])
        # The stores down a column cause the difference, so the report shows the line with these stores.
        self.assertLess(prediction["time_us"][1], prediction["time_us"][0])
        self.assertIn(prediction["changed"], ["L2", "L1", "DRAM"])
        self.assertEqual(report["lines_by"], "global memory, bytes moved")
        self.assertEqual(report["lines"][0]["source"], "out[x * width + y] = in[y * width + x];")
        self.assertEqual(report["lines"][0]["count"], [moved[0], 0])
        self.assertEqual(report["notes"], [])

    @compiles
    def test_results_that_differ(self):
        write("parts.cu", b"__global__ void all(const float* a, float* b) {\n  b[blockIdx.x * 32 + threadIdx.x] = "
                          b"2 * a[blockIdx.x * 32 + threadIdx.x];\n}\n"
                          b"__global__ void some(const float* a, float* b) {\n  b[threadIdx.x] = 2 * a[threadIdx.x];\n}\n"
                          b"__global__ void rounded(const float* a, float* b) {\n  b[blockIdx.x * 32 + threadIdx.x] = "
                          b"2.00001f * a[blockIdx.x * 32 + threadIdx.x];\n}\n")
        launch = ["--grid", "32", "--block", "32", "--arg", "f32[1024]:random", "--arg", "f32[1024]"]
        notes = self.json_of("parts.cu", "parts.cu", "--kernel", "all", "--kernel", "some", *launch)["notes"]
        self.assertEqual(notes, ["Argument 1 differs after the two kernels (992 of 1,024 elements): the kernels "
                                 "compute different results."])
        notes = self.json_of("parts.cu", "parts.cu", "--kernel", "all", "--kernel", "rounded", *launch)["notes"]
        self.assertEqual(notes, [])

    @compiles
    def test_results_that_are_no_numbers(self):
        write("nan.cu", "".join(f"__global__ void {name}({kind}* o) {{ o[threadIdx.x] = {value}; }}\n" for name, kind, value in [
            ("zero", "float", "0"), ("minus_zero", "float", "-0.0f"), ("one", "float", "1"), ("nan", "float", "__int_as_float(0x7fc00000)"),
            ("other_nan", "float", "__int_as_float(0x7fffffff)"), ("third", "double", "1.0 / 3"), ("near", "double", "1 / (3.0 + 1e-11)"),
            ("off", "double", "1 / 3.003")]).encode())
        for first, second, differs in [("zero", "nan", True), ("nan", "zero", True), ("one", "nan", True), ("nan", "other_nan", False),
                                       ("zero", "minus_zero", False), ("third", "near", False), ("third", "off", True)]:
            notes = self.json_of("nan.cu", "nan.cu", "--kernel", first, "--kernel", second, "--grid", "1", "--block", "32",
                                 "--arg", "f64[32]" if first == "third" else "f32[32]")["notes"]
            self.assertEqual(notes, ["Argument 0 differs after the two kernels (32 of 32 elements): the kernels compute different "
                                     "results."] if differs else [], (first, second))

    @compiles
    def test_results_within_structures(self):
        write("within.cu", ("struct P { float* a; int* b; int c; };\n" + "".join(
            f"__global__ void {name}(P p, int* n) {{ p.a[threadIdx.x] = 1; p.b[threadIdx.x] = {b}; if (threadIdx.x == 0) *n = {n}; }}\n"
            for name, b, n in [("first", 2, 5), ("second", 3, 5), ("third", 2, 6)])).encode())
        for second, notes in [("first", []), ("second", ["Argument 0, buffer 2 of 2 in it, differs after the two kernels (32 of 32 "
                                                         "elements): the kernels compute different results."]),
                              ("third", ["Argument 1 differs after the two kernels (1 of 1 elements): the kernels compute different "
                                         "results."])]:
            self.assertEqual(self.json_of("within.cu", "within.cu", "--kernel", "first", "--kernel", second, "--grid", "1", "--block", "32",
                                          "--arg", "{f32[32], i32[32], i32:1}", "--arg", "&{i32:0}")["notes"], notes)

    @compiles
    def test_sums_in_another_order(self):
        for kind, by, says in [("float", "1.004f", "by up to 0.4 %): another order of float sums may cause this."),
                               ("float", "1.1f", "): the kernels compute different results."), ("double", "1.004", "): the kernels compute different results."),
                               ("int", "1.004f", "): the kernels compute different results.")]:
            write("sums.cu", f"__global__ void alone({kind}* sum) {{ if (threadIdx.x == 0) *sum = 32000; }}\n"
                             f"__global__ void atomic({kind}* sum) {{ atomicAdd(sum, ({kind})(1000 * {by})); }}\n".encode())
            [note] = self.json_of("sums.cu", "sums.cu", "--kernel", "alone", "--kernel", "atomic", "--grid", "1", "--block", "32", "--arg",
                                  {"float": "f32[1]", "double": "f64[1]", "int": "i32[1]"}[kind])["notes"]
            self.assertTrue(note.startswith("Argument 0 differs after the two kernels (1 of 1 elements") and note.endswith(says), note)

    @compiles
    def test_two_versions_of_a_file(self):
        """Equal lines are matched even if their numbers differ. Only the changed line is reported, in both versions."""
        changed = "// New.\n// And this.\n" + TRANSPOSE.replace("tile[threadIdx.x][threadIdx.y]",
                                                                "tile[threadIdx.x][threadIdx.y] + 1.0f")
        write("second.cu", changed.encode())
        report = self.json_of("transpose.cu", "second.cu", "--kernel", "transpose", "--define", "PAD=0", *SHAPE)
        self.assertEqual(figure(report, "shared memory, passes")[0], figure(report, "shared memory, passes")[1])
        places = [(each["before"], each["after"]) for each in report["lines"]]
        self.assertEqual(sorted(places), [("", "line 15 of second.cu"), ("line 13 of transpose.cu", "")])
        same = self.json_of("transpose.cu", "transpose.cu", "--kernel", "transpose", "--define", "PAD=0", *SHAPE)
        self.assertEqual(same["lines"], [])
        text = self.succeed("explain", "transpose.cu", "second.cu", "--kernel", "transpose", "--define", "PAD=0",
                            *SHAPE).stdout.decode()
        for words in ["first:  transpose in transpose.cu", "second: transpose in second.cu", "warp instructions",
                      "as launched here", "line 13 of transpose.cu"]:
            self.assertIn(words, text)

    @compiles
    def test_a_grid_for_each(self):
        write("copy.cu", b'extern "C" __global__ void copy(float* o, const float* i) {\n'
              b"  int t = blockIdx.x * blockDim.x + threadIdx.x;\n  o[t] = i[t];\n}\n")
        report = self.json_of("copy.cu", "copy.cu", "--grid", "8", "--grid", "4", "--block", "32", "--block", "64",
                              "--arg", "f32[256]", "--arg", "f32[256]")
        self.assertEqual(figure(report, "threads"), (256, 256))
        self.fail_with(USAGE, "explain", "copy.cu", "--grid", "8", "--grid", "4", "--block", "32",
                       says="--grid was given 2 times for 1 FILE")

    def test_three(self):
        self.fail_with(USAGE, "explain", "a.cu", "b.cu", "c.cu", says="explain takes one FILE, or two to compare, not 3")

    @compiles
    def test_other_parameters(self):
        self.fail_with(USAGE, "explain", "transpose.cu", "scale.cu", "--kernel", "naive", "--kernel", "scale",
                       "--define", "PAD=0", *SHAPE, says=["scale.cu: ", "both FILEs get the same arguments"])
        write("third.cu", b"__global__ void third(float* out, const float* in, int n, float third) {\n"
              b"  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = in[i] * third;\n}\n")
        write("by3.cu", b"__global__ void by3(float* out, const float* in, int n) {\n"
              b"  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = in[i] / 3;\n}\n")
        shape = ["--grid", "4", "--block", "64"]
        of_by3 = ["--arg", "f32[256]", "--arg", "f32[256]:random", "--arg", "i32:256"]
        of_third = [*of_by3, "--arg", "f32:0.33333334"]
        report = self.json_of("by3.cu", "third.cu", *shape, *of_by3, *of_third)
        self.assertEqual(figure(report, "threads"), (256, 256))
        self.assertEqual(report["notes"], [])
        report = self.json_of("third.cu", "by3.cu", *shape, *of_third, *of_by3)
        self.assertEqual(report["notes"], [])
        self.fail_with(USAGE, "explain", "by3.cu", "third.cu", *shape, *of_third,
                       says="by3 in by3.cu takes 3 arguments and third in third.cu takes 4, but 4 are given")
        write("wide.cu", b'extern "C" __global__ void scale(float* data, double factor, int count) {}\n')
        self.fail_with(USAGE, "explain", "scale.cu", "wide.cu", "--grid", "1", "--block", "32", "--arg", "f32[32]",
                       "--arg", "f32:2", "--arg", "i32:32", says=["wide.cu", "same arguments"])

    def test_what_is_for_one(self):
        two = ["explain", "one.ptx", "one.ptx", *self.ONE]
        for option in [["--machine-code"], ["--dump", "0=a.npy"], ["--html", "a.html"]]:
            self.fail_with(USAGE, *two, *option, says=[option[0], "for one kernel"])
        self.fail_with(USAGE, "explain", "sobel", "sobel", says="two FILEs or two rungs")
        self.fail_with(USAGE, "explain", "one.ptx", "copy/scalar", says="two FILEs or two rungs")

    @unittest.skipIf(has_gpu(), "there is a GPU here")
    def test_on_a_gpu_without_one(self):
        done = self.run_command("explain", "one.ptx", "one.ptx", *self.ONE, "--on", "gpu")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"Not measured: ", done.stdout)
        self.assertIn(b"warp instructions", done.stdout)
        self.assertIn(b"not run on a GPU: ", done.stderr)
        report = self.json_of("one.ptx", "one.ptx", *self.ONE, "--on", "gpu", code=FAILED)
        self.assertIn("CUDA", report["measured"]["unavailable"])
        self.assertNotIn("measured", self.json_of("one.ptx", "one.ptx", *self.ONE))

    def test_of_ptx(self):
        report = self.json_of("one.ptx", "one.ptx", *self.ONE)
        self.assertEqual(figure(report, "global memory, requests of warps"), (1, 1))


class TwoRungs(ExplainTest):
    @runs_rungs
    def test_of_a_ladder(self):
        report = self.json_of("gemv/texture", "gemv/conflict_free", "--size", "4096x512", "--profile", "h200")
        self.assertEqual((report["before"], report["after"]), ("gemv/texture", "gemv/conflict_free"))
        before, after = figure(report, "shared memory, passes")
        self.assertGreater(before, after)
        # The line of the reduction tree causes the difference, in passes of shared memory: both load alike.
        self.assertEqual((report["prediction"]["changed"], report["lines_by"]), ("latency", "shared memory, passes"))
        self.assertIn("partial[at] += partial[at + distance]", report["lines"][0]["source"])
        self.assertEqual({each["what"] for each in report["prediction"]["bounds_us"]},
                         {"DRAM", "L2", "L1", "shared memory", "constant memory", "texture", "atomics", "issue", "latency",
                          "starting blocks"})

    @runs_rungs
    def test_launches_are_summed(self):
        report = self.json_of("threshold/ahead", "threshold/fused")
        self.assertEqual(figure(report, "launches"), (2, 1))
        whole = self.json_of("threshold/ahead")
        self.assertEqual(figure(report, "warp instructions")[0],
                         sum(each["warp_instructions"] for each in whole["launches"]))

    @runs_rungs
    def test_of_other_problems(self):
        self.fail_with(USAGE, "explain", "copy/scalar", "gemv/vector", says=["copy/scalar", "one ladder"])
        self.fail_with(USAGE, "explain", "match/packed", "match/ssd_shipped", says="measure is 0 in the first and 1 in the second")
        self.fail_with(USAGE, "explain", "copy/scalar", "copy/scaler", says=["scaler", "scalar"])
        self.fail_with(USAGE, "explain", "copy/scalar", "copy/ladder", says="experiment")
        self.fail_with(USAGE, "explain", "copy/scalar", "copy/vector2", "--grid", "4", says="--grid is for a FILE")


if __name__ == "__main__":
    unittest.main()
