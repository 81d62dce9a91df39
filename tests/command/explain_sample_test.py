"""Tests explain --sample, which scales counts of some blocks, against counts of the grid. Tests also --fidelity."""

import unittest

from explain_support import FAILED, USAGE, ExplainTest, compile_by_nvrtc, compiles
from support import read, runs_rungs, write

setUpModule = compile_by_nvrtc

# Blocks at the edges of the image cost more than blocks inside, and the last blocks cost less.
IMAGE = b"""extern "C" __global__ void smooth(const unsigned char* in, unsigned char* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int sum = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      if (x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height) sum += in[(y + dy) * width + x + dx];
    }
  }
  out[y * width + x] = static_cast<unsigned char>(sum / 9);
}
"""
SHAPE = ["--grid", "38,66", "--block", "32,8", "--arg", "u8[630000]:random", "--arg", "u8[630000]", "--arg", "i32:1201",
         "--arg", "i32:523"]


# nvcc's PTX for: extern "C" __global__ void last(int* p, int n) { p[threadIdx.x] = n; }
LAST = b""".version 7.0
.target sm_75
.address_size 64
.visible .entry last(.param .u64 p, .param .u32 n)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r2, [n];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd2, %rd2, %rd3;
  st.global.u32 [%rd2], %r2;
  ret;
}
"""


class Sample(ExplainTest):
    def near(self, sample, whole, share=0.01):
        self.assertLessEqual(abs(sample - whole), share * whole, f"{sample} for {whole}")

    def compare(self, sample, whole):
        for name in ["warp_instructions", "thread_instructions", "branches"]:
            self.near(sample[name], whole[name])
        for kind in ["global_load", "global_store"]:
            for count in ["requests", "bytes_requested", "bytes_moved"]:
                self.near(sample["by_cc"]["9.0"][kind][count], whole["by_cc"]["9.0"][kind][count])

    @compiles
    def test_counts_are_within_a_hundredth(self):
        write("image.cu", IMAGE)
        whole = self.json_of("image.cu", *SHAPE)
        self.assertEqual(whole["blocks_run"], 38 * 66)
        sample = self.json_of("image.cu", *SHAPE, "--sample", "25%")
        self.assertEqual(sample["blocks_run"], 627)
        self.compare(sample, whole)

    @compiles
    def test_an_index_that_overflows_in_later_blocks_is_found(self):
        write("wide.cu", b"__global__ void wide(float* y, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 1;\n}\n")
        launch = ["wide.cu", "--grid", "2000000000", "--block", "256", "--arg", "f32[1000]", "--arg", "i32:1000", "--budget", "1000000"]
        self.assertEqual([each["kind"] for each in self.json_of(*launch, code=FAILED)["faults"]], ["out_of_bounds"])

    @compiles
    def test_it_says_that_it_is_one(self):
        write("image.cu", IMAGE)
        text = self.run_command("explain", "image.cu", *SHAPE, "--sample", "100").stdout.decode()
        self.assertIn("a sample: 100 of 2,508 blocks ran", " ".join(text.split()))
        text = self.run_command("explain", "image.cu", *SHAPE, "--sample", "100%").stdout.decode()
        self.assertNotIn("a sample", text)

    @compiles
    def test_a_page_and_a_comparison_say_it_too(self):
        write("image.cu", IMAGE)
        self.succeed("explain", "image.cu", *SHAPE, "--sample", "100", "--html", "page.html")
        page = read("page.html").decode()
        self.assertIn("a sample: 100 of 2,508 blocks ran", page)
        self.assertNotIn("exact for this launch", page)
        text = self.succeed("explain", "image.cu", "image.cu", *SHAPE, "--sample", "100").stdout.decode()
        self.assertEqual(" ".join(text.split()).count("a sample: 100 of 2,508 blocks ran"), 2)

    def test_a_grid_of_too_many_threads(self):
        launch = ["--block", "1024", "--sample", "4", "--arg", "i32[1024]", "--html", "page.html"]
        self.fail_with(USAGE, "explain", "one.ptx", "--grid", "2147483647,65535,65535", *launch, says="--grid asks for more than 2^53 threads")
        self.succeed("explain", "one.ptx", "--grid", "2147483647,4096", *launch)
        self.assertIn("2147483647", read("page.html").decode())

    @compiles
    def test_one_that_is_stopped_stays_as_it_ran(self):
        write("image.cu", IMAGE)
        report = self.json_of("image.cu", *SHAPE, "--sample", "10%", "--budget", "20000", code=FAILED)
        self.assertLess(report["blocks_run"], 251)
        self.assertLess(report["warp_instructions"], 200000)
        self.assertIn("stopped: ", report["counted"])
        self.assertIn(" of 251 blocks finished", report["counted"])

    @runs_rungs
    def test_of_a_rung(self):
        whole = self.json_of("sobel/sliding_rows", "--size", "1536x1024")
        sample = self.json_of("sobel/sliding_rows", "--size", "1536x1024", "--sample", "20%")
        self.assertLess(sample["blocks_run"], whole["blocks_run"] / 4)
        self.compare(sample, whole)

    def test_what_is_none(self):
        for text in ["0", "0%", "101%", "x"]:
            self.fail_with(USAGE, "explain", "image.cu", *SHAPE, "--sample", text, says="--sample got")
        self.fail_with(USAGE, "explain", "image.cu", *SHAPE, "--sample", "5%", "--dump", "0=a.npy", says="--dump")
        self.fail_with(USAGE, "explain", "sobel", "--sample", "5%", says="--sample is for a FILE or a rung")


class OverBudget(ExplainTest):
    """A grid that exceeds the budget is sampled, unless a sample cannot stand for it."""

    @compiles
    def test_a_large_grid(self):
        write("image.cu", IMAGE)
        whole = self.json_of("image.cu", *SHAPE)
        budget = whole["warp_instructions"] // 2
        report = self.json_of("image.cu", *SHAPE, "--budget", str(budget))
        self.assertEqual(report["faults"], [])
        self.assertLess(report["blocks_run"], 38 * 66 * 0.2)
        self.assertGreater(report["blocks_run"], 38 * 66 * 0.05)
        self.assertRegex(report["counted"], r"a sample: \d+ of 2,508 blocks ran \([0-9.]+ %\), spread over the grid, because "
                         rf"all of them need more than {budget:,} warp instructions, the budget\. Counts are multiplied by ")
        Sample.near(self, report["warp_instructions"], whole["warp_instructions"], 0.03)
        self.assertLess(abs(report["prediction"]["time_us"] / whole["prediction"]["time_us"] - 1), 0.01)
        self.assertTrue(report["advice"][0]["gain"])

    @compiles
    def test_a_dump_needs_all_blocks(self):
        write("image.cu", IMAGE)
        report = self.json_of("image.cu", *SHAPE, "--budget", "20000", "--dump", "1=out.npy", code=FAILED)
        self.assertEqual([fault["kind"] for fault in report["faults"]], ["budget"])
        self.assertIn("stopped: ", report["counted"])

    @compiles
    def test_one_block_without_an_end(self):
        write("last.cu", b"""extern "C" __global__ void last(volatile int* flag) {
  if (blockIdx.x == 99) while (*flag == 0) {}
  flag[1] = 1;
}
""")
        report = self.json_of("last.cu", "--grid", "100", "--block", "32", "--arg", "i32[2]", "--budget", "100000",
                              code=FAILED)
        self.assertNotEqual(report["faults"], [])
        self.assertNotIn("a sample", report["counted"])

    @runs_rungs
    def test_a_rung(self):
        whole = self.json_of("sobel/sliding_rows", "--size", "1536x1024")
        report = self.json_of("sobel/sliding_rows", "--size", "1536x1024", "--budget",
                              str(whole["warp_instructions"] // 2))
        self.assertEqual(report["faults"], [])
        self.assertIn("because all of them need more than", report["counted"])
        Sample.near(self, report["warp_instructions"], whole["warp_instructions"], 0.05)
        self.assertLess(abs(report["prediction"]["time_us"] / whole["prediction"]["time_us"] - 1), 0.01)


class Fidelity(ExplainTest):
    @compiles
    def test_lines(self):
        write("sine.cu", b"extern \"C\" __global__ void sine(float* v) {\n  v[threadIdx.x] = __sinf(v[threadIdx.x]);\n}\n")
        shape = ["sine.cu", "--grid", "1", "--block", "32", "--arg", "f32[32]"]
        text = " ".join(self.run_command("explain", *shape).stdout.decode().split())
        self.assertIn("Fidelity: not exact: approximate functions: their last bits may differ from a GPU's "
                      "(may have reached a result).", text)
        text = " ".join(self.run_command("explain", *shape, "--fidelity").stdout.decode().split())
        self.assertIn("may have reached a result; at sine.cu:2", text)


class Structures(ExplainTest):
    def test_one_is_no_number(self):
        write("last.ptx", LAST)
        for text in ["{i32:1,i32:2,i32:3,i32:4,i32:5,i32:6}", "{f32:1.5}"]:
            self.fail_with(USAGE, "explain", "last.ptx", "--grid", "1", "--block", "32", "--arg", "i32[32]", "--arg", text,
                           says=f"argument 1 of the kernel (counted from 0) is an integer of 32 bits, not '{text}'")
        self.fail_with(USAGE, "explain", "last.ptx", "--grid", "1", "--block", "1", "--arg", "&{i32[2]}", "--arg", "i32:1",
                       "--dump", "0=out.npy", says="argument 0 is no buffer, and --dump writes no buffer within a structure")

    @compiles
    def test_with_pointers_in_them(self):
        write("rows.cu", b"""struct Row { float* values; int count; };
extern "C" __global__ void add(Row row, Row* others) {
  const int i = threadIdx.x;
  if (i < row.count) row.values[i] += others[1].values[i];
}
""")
        row = "{f32[32]:iota, i32:32}"
        report = self.json_of("rows.cu", "--grid", "1", "--block", "32", "--arg", row, "--arg", f"&{{{row}, {row}}}")
        self.assertEqual(report["faults"], [])
        self.assertEqual(report["by_cc"]["9.0"]["global_store"]["requests"], 1)
        self.fail_with(USAGE, "explain", "rows.cu", "--grid", "1", "--block", "32", "--arg", "{f32[32]}", "--arg", row,
                       says="a structure of 16 bytes, not of 8")


if __name__ == "__main__":
    unittest.main()
