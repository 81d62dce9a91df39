"""explain from outside: a naive and a padded transpose, what --json holds, faults, and all that can be
wrong. What compiles is skipped, saying so, where there is no CUDA compiler."""

import json
import os
import shutil
import struct
import unittest

from support import HAS_IMAGES, CommandTest, has_gpu, npy, npy_parts, png, read, runs_rungs, write

FAILED = 1
USAGE = 2

TRANSPOSE = """// Transposes a square matrix through a tile of shared memory.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void transpose(float* out, const float* in, int width) {
  __shared__ float tile[32][32 + PAD];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  out[y * width + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void naive(float* out, const float* in, int width) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  out[x * width + y] = in[y * width + x];
}

int main() { printf("host code\\n"); }
"""
READ_LINE, STORE_LINE, NAIVE_LINE = 9, 13, 19
WIDTH = 64
SHAPE = ["--grid", "2,2", "--block", "32,32", "--arg", "f32[4096]", "--arg", "f32[4096]:iota",
         "--arg", f"i32:{WIDTH}"]

SCALE = """extern "C" __global__ void scale(float* data, float factor, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] *= factor;
}
"""

# What nvcc makes of: extern "C" __global__ void one(int* p) { p[threadIdx.x] = 1; }
PTX = """.version 7.0
.target sm_75
.address_size 64
.visible .entry one(.param .u64 p)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd2, %rd2, %rd3;
  mov.u32 %r2, 1;
  st.global.u32 [%rd2], %r2;
  ret;
}
"""

TRAFFIC = {"requests", "transactions", "bytes_requested", "bytes_moved"}
PASSES = {"requests", "passes", "ideal_passes"}


def compiles(test):
    """Skips where nothing compiles CUDA C++."""
    def run(self):
        write("probe.cu", b"__global__ void k() {}")
        done = self.run_command("explain", "probe.cu", "--grid", "1", "--block", "1")
        os.remove("probe.cu")
        if b"there is no CUDA compiler" in done.stderr:
            self.skipTest("there is no CUDA compiler here; scripts/get-nvrtc.sh brings one")
        test(self)
    run.__name__ = test.__name__
    return run


class ExplainTest(CommandTest):
    def setUp(self):
        super().setUp()
        write("transpose.cu", TRANSPOSE.encode())
        write("scale.cu", SCALE.encode())
        write("one.ptx", PTX.encode())

    def json_of(self, *arguments, code=0, **options):
        done = self.run_command("explain", *arguments, "--json", **options)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return json.loads(done.stdout)

    def transpose(self, pad, *arguments):
        return self.json_of("transpose.cu", "--kernel", "transpose", "--define", f"PAD={pad}", *SHAPE,
                            *arguments)


def line_of(report, line):
    return next(each for each in report["lines"] if each["line"] == line)


class Transpose(ExplainTest):
    @compiles
    def test_the_unpadded_tile(self):
        report = self.transpose(0, "--cc", "1.3,2.0,9.0")
        self.assertEqual(report["kernel"], "transpose")
        self.assertEqual(report["mangled_name"], "_Z9transposePfPKfi")
        self.assertEqual(report["grid"], [2, 2, 1])
        self.assertEqual(report["block"], [32, 32, 1])
        self.assertEqual(report["static_shared_bytes"], 4096)
        self.assertEqual(report["dynamic_shared_bytes"], 0)
        self.assertEqual(report["faults"], [])
        self.assertEqual(report["barriers"], 4 * 32)
        # 4 blocks of 32 warps: a request of each, 32 lanes of 4 bytes in 4 sectors.
        counts = report["by_cc"]["9.0"]
        self.assertEqual(counts["global_load"]["requests"], 128)
        self.assertEqual(counts["global_load"]["transactions"], {"32": 512, "64": 0, "128": 0})
        self.assertEqual(counts["global_load"]["bytes_requested"], 16384)
        self.assertEqual(counts["global_load"]["bytes_moved"], 16384)
        self.assertEqual(counts["shared_store"], {"requests": 128, "passes": 128, "ideal_passes": 128})
        self.assertEqual(counts["shared_load"],
                         {"requests": 128, "passes": 128 * 32, "ideal_passes": 128})
        # Half-warps on 16 banks: 2 x 16 passes, 2 without conflicts; 2 transactions of 64 bytes.
        old = report["by_cc"]["1.3"]
        self.assertEqual(old["shared_load"],
                         {"requests": 128, "passes": 128 * 32, "ideal_passes": 256})
        self.assertEqual(old["global_load"]["transactions"], {"32": 0, "64": 256, "128": 0})
        self.assertEqual(report["by_cc"]["2.0"]["global_load"]["transactions"],
                         {"32": 0, "64": 0, "128": 128})

    @compiles
    def test_the_lines(self):
        report = self.transpose(0)
        line = line_of(report, STORE_LINE)
        self.assertEqual(line["source"], "out[y * width + x] = tile[threadIdx.x][threadIdx.y];")
        self.assertEqual(line["file"], "transpose.cu")
        self.assertEqual(line["by_cc"]["9.0"]["shared_load"]["passes"], 128 * 32)
        self.assertEqual(line["by_cc"]["9.0"]["global_store"]["requests"], 128)
        self.assertEqual(line_of(report, READ_LINE)["by_cc"]["9.0"]["shared_load"]["requests"], 0)
        for key in ["warp_instructions", "thread_instructions", "branches", "divergent_branches"]:
            self.assertEqual(sum(each[key] for each in report["lines"]), report[key], key)

    @compiles
    def test_the_padded_tile(self):
        report = self.transpose(1)
        self.assertEqual(report["static_shared_bytes"], 32 * 33 * 4)
        self.assertEqual(report["by_cc"]["9.0"]["shared_load"],
                         {"requests": 128, "passes": 128, "ideal_passes": 128})

    @compiles
    def test_without_shared_memory(self):
        report = self.json_of("transpose.cu", "--kernel", "naive", "--define", "PAD=0", *SHAPE)
        store = report["by_cc"]["9.0"]["global_store"]
        self.assertEqual(store["transactions"]["32"], 128 * 32)
        self.assertEqual(store["bytes_moved"], 8 * store["bytes_requested"])
        self.assertIn(f"Line {NAIVE_LINE}", report["advice"][0]["text"])
        self.assertIn("coalescing", report["advice"][0]["rule"])

    @compiles
    def test_the_text_tells_why(self):
        arguments = ["explain", "transpose.cu", "--kernel", "transpose", *SHAPE]
        said = self.succeed(*arguments, "--define", "PAD=0").stdout.decode()
        self.assertNotIn("\x1b", said)
        flat = " ".join(said.split())
        for words in ["occupancy", "registers a thread (sm_90)", "0 bytes spilled", "4096 bytes static",
                      "shared read 32 passes, ideal 1", "global read 4 transactions, ideal 4",
                      "tile[threadIdx.y][threadIdx.x] = in[y * width + x];",
                      f"Line {STORE_LINE}", "32 banks",
                      "declare tile[32][32 + PAD + 1] in place of tile[32][32 + PAD]",
                      "bank conflicts (docs/hardware-rules.md, Shared memory)"]:
            self.assertIn(words, flat)
        padded = " ".join(self.succeed(*arguments, "--define", "PAD=1").stdout.decode().split())
        self.assertIn("shared read 1 pass, ideal 1", padded)
        self.assertIn("different banks", padded)

    @compiles
    def test_the_result(self):
        self.transpose(1, "--dump", "0=out.npy", "--dump", "1=in.npy")
        descr, shape, elements = npy_parts("out.npy")
        self.assertEqual((descr, shape), ("<f4", (WIDTH * WIDTH,)))
        out = struct.unpack(f"<{WIDTH * WIDTH}f", elements)
        self.assertEqual(list(out), [float(x * WIDTH + y) for y in range(WIDTH) for x in range(WIDTH)])
        self.assertEqual(struct.unpack("<3f", npy_parts("in.npy")[2][:12]), (0.0, 1.0, 2.0))


class Json(ExplainTest):
    KEYS = {"kernel", "grid", "block", "static_shared_bytes", "dynamic_shared_bytes", "by_cc",
            "warp_instructions", "thread_instructions", "instructions_by_class", "branches",
            "divergent_branches", "barriers", "lines", "faults"}

    def check_counts(self, counts):
        for key in ["global_load", "global_store", "local_load", "local_store"]:
            self.assertLessEqual(TRAFFIC, set(counts[key]), key)
            self.assertEqual(set(counts[key]["transactions"]), {"32", "64", "128"})
        for key in ["shared_load", "shared_store"]:
            self.assertEqual(set(counts[key]), PASSES)
        self.assertLessEqual({"requests", "passes"}, set(counts["constant"]))
        self.assertEqual(set(counts["texture"]), {"requests"})

    def check(self, report):
        self.assertLessEqual(self.KEYS, set(report))
        for counts in report["by_cc"].values():
            self.assertLessEqual({"registers", "registers_from", "spill_bytes", "occupancy"}, set(counts))
            self.assertLessEqual({"blocks_per_sm", "warps_per_sm", "fraction", "limiter"},
                                 set(counts["occupancy"]))
            self.check_counts(counts)
        for line in report["lines"]:
            self.assertLessEqual({"file", "line", "source", "warp_instructions", "by_cc"}, set(line))
            for counts in line["by_cc"].values():
                self.check_counts(counts)
        for fault in report["faults"]:
            self.assertEqual(set(fault),
                             {"kind", "thread", "block", "file", "line", "count", "message"})

    def test_of_ptx(self):
        report = self.json_of("one.ptx", "--grid", "2", "--block", "64", "--arg", "i32[64]", "--cc",
                              "1.0,12.0")
        self.check(report)
        self.assertEqual(list(report["by_cc"]), ["1.0", "12.0"])
        self.assertEqual(report["by_cc"]["12.0"]["global_store"]["requests"], 4)
        self.assertEqual(report["thread_instructions"], 32 * report["warp_instructions"])

    def test_registers_of_the_user(self):
        report = self.json_of("one.ptx", "--grid", "1", "--block", "256", "--arg", "i32[256]",
                              "--registers", "128", "--cc", "9.0")
        counts = report["by_cc"]["9.0"]
        self.assertEqual(counts["registers"], 128)
        self.assertEqual(counts["registers_from"], "--registers")
        # 65536 / (128 x 256 threads) = 2 blocks of 8 warps.
        self.assertEqual(counts["occupancy"],
                         {"blocks_per_sm": 2, "warps_per_sm": 16, "fraction": 0.25,
                          "limiter": "registers"})

    @compiles
    def test_registers_of_machine_code(self):
        report = self.json_of("scale.cu", "--grid", "1", "--block", "32", "--arg", "f32[32]", "--arg",
                              "f32:2", "--arg", "i32:32", "--cc", "1.3,7.5,9.0")
        self.check(report)
        sources = [report["by_cc"][cc]["registers_from"] for cc in ["1.3", "7.5", "9.0"]]
        self.assertEqual(sources, ["sm_75 (nearest to 1.3)", "sm_75", "sm_90"])

    def test_a_block_that_does_not_fit(self):
        report = self.json_of("one.ptx", "--grid", "1", "--block", "1024", "--arg", "i32[1024]", "--cc",
                              "1.3")
        self.assertEqual(report["by_cc"]["1.3"]["occupancy"]["blocks_per_sm"], 0)
        self.assertIn("512", report["by_cc"]["1.3"]["occupancy"]["why_not"])


class Arguments(ExplainTest):
    @compiles
    def test_scalars_and_files(self):
        write("in.npy", npy("<f4", (4,), struct.pack("<4f", 1, 2, 3, 4)))
        self.json_of("scale.cu", "--grid", "1", "--block", "32", "--arg", "f32[4]:@in.npy", "--arg",
                     "f32:2.5", "--arg", "i32:3", "--dump", "0=out.npy")
        self.assertEqual(struct.unpack("<4f", npy_parts("out.npy")[2]), (2.5, 5, 7.5, 4))
        write("in.raw", struct.pack("<4f", 1, 2, 3, 4))
        self.json_of("scale.cu", "--grid", "1", "--block", "32", "--arg", "f32[4]:@in.raw", "--arg",
                     "f32:2.5", "--arg", "i32:3", "--dump", "0=raw.npy")
        self.assertEqual(read("raw.npy"), read("out.npy"))

    def test_dumps_have_the_buffers_type(self):
        for spec, descr in [("u8[64]:iota", "|u1"), ("i16[64]:random", "<i2"), ("f64[64]:iota", "<f8"),
                            ("i64[64]", "<i8"), ("f16[64]:random", "<f2")]:
            self.json_of("one.ptx", "--grid", "1", "--block", "16", "--arg", spec, "--dump",
                         "0=out.npy")
            self.assertEqual(npy_parts("out.npy")[:2], (descr, (64,)))

    def test_random_is_the_same_every_time(self):
        for name in ["a.npy", "b.npy"]:
            self.json_of("one.ptx", "--grid", "1", "--block", "1", "--arg", "f32[64]:random", "--dump",
                         f"0={name}")
        self.assertEqual(npy_parts("a.npy"), npy_parts("b.npy"))
        values = struct.unpack("<64f", npy_parts("a.npy")[2])[1:]
        self.assertTrue(all(0 <= value < 1 for value in values))
        self.assertGreater(len(set(values)), 60)

    @compiles
    @unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")
    def test_a_texture(self):
        write("in.png", png(3, 2, 8, 0, bytes([1, 2, 3, 4, 5, 6])))
        write("fetch.cu", b"""extern "C" __global__ void fetch(int* out, cudaTextureObject_t in) {
  out[threadIdx.y * 3 + threadIdx.x] = tex2D<unsigned char>(in, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
}""")
        write("in.npy", npy("|u1", (2, 3), bytes([1, 2, 3, 4, 5, 6])))
        write("in.raw", bytes([1, 2, 3, 4, 5, 6]))
        for name, stdin in [("in.png", b""), ("in.npy", b""), ("in.raw", b""), ("-", read("in.png"))]:
            report = self.json_of("fetch.cu", "--grid", "1", "--block", "3,2", "--arg", "i32[6]", "--arg",
                                  f"tex2d<u8>[3x2]:@{name}", "--dump", "0=out.npy", stdin=stdin)
            self.assertEqual(report["by_cc"]["9.0"]["texture"]["requests"], 1)
            self.assertEqual(struct.unpack("<6i", npy_parts("out.npy")[2]), (1, 2, 3, 4, 5, 6))

    @compiles
    def test_the_mangled_name_and_shared_memory(self):
        write("shared.cu", b"__global__ void k(int* p) { extern __shared__ int s[]; "
                           b"s[threadIdx.x] = 1; __syncthreads(); p[0] = s[0]; }")
        report = self.json_of("shared.cu", "--kernel", "_Z1kPi", "--grid", "1", "--block", "32",
                              "--shared", "128", "--arg", "i32[1]")
        self.assertEqual(report["dynamic_shared_bytes"], 128)
        self.assertEqual(report["faults"], [])


class Faults(ExplainTest):
    def test_out_of_bounds(self):
        report = self.json_of("one.ptx", "--grid", "1", "--block", "64", "--arg", "i32[40]",
                              "--dump", "0=out.npy", code=FAILED)
        [fault] = report["faults"]
        self.assertEqual(fault["kind"], "out_of_bounds")
        self.assertEqual(fault["thread"], [40, 0, 0])
        self.assertEqual(fault["block"], [0, 0, 0])
        self.assertEqual(fault["count"], 24)
        self.assertEqual(struct.unpack("<40i", npy_parts("out.npy")[2]), (1,) * 40)

    @compiles
    def test_the_line_of_a_fault(self):
        report = self.json_of("scale.cu", "--grid", "1", "--block", "64", "--arg", "f32[60]", "--arg",
                              "f32:2", "--arg", "i32:64", code=FAILED)
        self.assertEqual({(fault["kind"], fault["line"], fault["count"]) for fault in report["faults"]},
                         {("out_of_bounds", 3, 8)})

    @compiles
    def test_misaligned(self):
        write("odd.cu", b'extern "C" __global__ void odd(char* p) {\n  *(int*)(p + 1) = 1;\n}\n')
        done = self.run_command("explain", "odd.cu", "--grid", "1", "--block", "1", "--arg", "u8[64]")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"misaligned at odd.cu:2", done.stdout)
        self.assertIn(b"line 2", done.stderr)
        self.assertEqual(done.stderr.count(b"\n"), 1)

    @compiles
    def test_a_loop_that_never_ends(self):
        write("loop.cu", b'extern "C" __global__ void loop(volatile int* p) {\n  while (*p == 0) {\n  }\n}\n')
        report = self.json_of("loop.cu", "--grid", "1", "--block", "32", "--arg", "i32[1]", "--budget",
                              "100000", code=FAILED)
        [fault] = report["faults"]
        self.assertEqual((fault["kind"], fault["line"]), ("budget", 2))

    def test_it_shows_what_takes_over_a_second(self):
        write("loop.ptx", b".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry loop() {\nagain:\n  bra again;\n}\n")
        call = ["explain", "loop.ptx", "--grid", "1", "--block", "32", "--budget"]
        self.assertNotIn(b"running", self.on_terminal(*call, "100", streams=["stderr"])[1])
        for budget in [30_000_000, 600_000_000]:  # a sanitizer takes long for the first
            code, shown = self.on_terminal(*call, str(budget), streams=["stderr"])
            self.assertEqual(code, FAILED)
            if b"running" in shown:
                break
        self.assertRegex(shown, rb"running loop.ptx: 1 s")


class BadInput(ExplainTest):
    ONE = ["one.ptx", "--grid", "1", "--block", "32"]

    def refuse(self, *arguments, says, code=USAGE):
        self.fail_with(code, "explain", *arguments, says=says)

    def test_calls(self):
        self.refuse(says="FILE.cu")
        self.refuse("one.ptx", says="--grid")
        self.refuse("one.ptx", "--grid", "1", says="--block")
        self.refuse("one.ptx", "--grid", "0", "--block", "1", says=["--grid", "'0'"])
        self.refuse(*self.ONE, "--arg", "i32[32]", "--cc", "4.0", says=["4.0", "9.0"])
        self.refuse(*self.ONE, "--arg", "i32[32]", "--registers", "256", says="1 to 255")
        self.refuse(*self.ONE, "--arg", "i32[32]", "--budget", "0", says="--budget")
        self.refuse(*self.ONE, "more", says="more")
        self.refuse("one.c", "--grid", "1", "--block", "1", says=".cu")
        self.refuse("none.ptx", "--grid", "1", "--block", "1", says="none.ptx", code=FAILED)

    def test_kernels(self):
        self.refuse(*self.ONE, "--kernel", "two", says=["two", "one"])

    def test_blocks(self):
        self.refuse("one.ptx", "--grid", "1", "--block", "2000", "--arg", "i32[9]",
                    says=["2000", "1024"])
        self.refuse("one.ptx", "--grid", "1", "--block", "32,33", "--arg", "i32[9]", says="1024")
        self.refuse("one.ptx", "--grid", "1", "--block", "1,1,65", "--arg", "i32[9]", says="64")
        self.refuse("one.ptx", "--grid", "1", "--block", "4294967295,4294967295,4294967295", "--arg",
                    "i32[9]", says="1024")
        self.refuse("one.ptx", "--grid", "1,65536", "--block", "1", "--arg", "i32[9]", says="65535")

    def test_arguments(self):
        self.refuse(*self.ONE, says=["1 parameters", "got 0", "pointer"])
        self.refuse(*self.ONE, "--arg", "i32[1]", "--arg", "i32[1]", says="got 2")
        self.refuse(*self.ONE, "--arg", "i32:1", says=["argument 0", "i32:1"])
        self.refuse(*self.ONE, "--arg", "i32[1", says="']' is missing")
        self.refuse(*self.ONE, "--arg", "i32[0]", says="from 1 on")
        self.refuse(*self.ONE, "--arg", "int[1]", says=["'int' is no type", "i32"])
        self.refuse(*self.ONE, "--arg", "i32[4]:@none.npy", says="none.npy", code=FAILED)
        write("four.npy", npy("<i4", (4,), bytes(16)))
        self.refuse(*self.ONE, "--arg", "i32[5]:@four.npy", says=["i32[5]", "4 elements"])
        write("four.raw", bytes(16))
        for size in [3, 5]:
            self.refuse(*self.ONE, "--arg", f"i32[{size}]:@four.raw",
                        says=[f"i32[{size}]", "four.raw", f"{4 * size} bytes"])
        self.refuse(*self.ONE, "--arg", "f32[4]:@four.npy", says=["f32[4]", "i32"])
        self.refuse(*self.ONE, "--arg", "i32[4]", "--dump", "1=a.npy", says="1 arguments")
        self.refuse(*self.ONE, "--arg", "i32[4]", "--dump", "0=a.txt", says="FILE.npy")

    def test_memory(self):
        self.refuse(*self.ONE, "--arg", "f64[1000000000000]", says="bytes", code=FAILED)
        self.refuse(*self.ONE, "--arg", "f64[1000000000000000000000]", says="from 1 on")

    def test_ptx(self):
        for cut in [40, 120, 200, len(PTX) - 5]:
            write("cut.ptx", PTX[:cut].encode())
            done = self.run_command("explain", "cut.ptx", "--grid", "1", "--block", "1")
            self.assertIn(done.returncode, [FAILED, USAGE])
            self.assertTrue(done.stderr.startswith(b"warpwise: "), done.stderr)
            self.assertEqual(done.stdout, b"")
        write("binary.ptx", bytes(range(256)))
        self.refuse("binary.ptx", "--grid", "1", "--block", "1", says="line 1")

    @compiles
    def test_sources(self):
        write("wrong.cu", b"__global__ void k(int* p) {\n  p[0] = nothing;\n}\n")
        done = self.run_command("explain", "wrong.cu", "--grid", "1", "--block", "1", "--arg", "i32[1]")
        self.assertEqual(done.returncode, FAILED)
        self.assertEqual(done.stdout, b"")
        self.assertIn(b'wrong.cu(2): error: identifier "nothing" is undefined',
                      done.stderr.splitlines()[-1])

    @compiles
    def test_several_kernels(self):
        self.refuse("transpose.cu", "--define", "PAD=0", *SHAPE,
                    says=["--kernel", "naive", "transpose"])

    @compiles
    def test_architectures(self):
        self.refuse("scale.cu", "--arch", "20", "--grid", "1", "--block", "1", says=["20", "75", "90"])

    def test_nothing_stays_behind(self):
        os.mkdir("tmp")
        environment = dict(os.environ, TMPDIR=os.path.join(os.getcwd(), "tmp"))
        self.run_command("explain", "scale.cu", "--grid", "1", "--block", "1", env=environment)
        self.assertEqual(os.listdir("tmp"), [])

    def test_without_a_compiler(self):
        environment = dict(os.environ, WARPWISE_CUDA_HOME="none", XDG_CACHE_HOME=os.getcwd())
        self.fail_with(FAILED, "explain", "scale.cu", "--grid", "1", "--block", "1",
                       says=["no CUDA compiler", "get-nvrtc.sh"], env=environment)
        done = self.run_command("explain", *self.ONE, "--arg", "i32[32]", "--json", env=environment)
        counts = json.loads(done.stdout)["by_cc"]["9.0"]
        self.assertIsNone(counts["registers"])
        self.assertIn("not known", counts["registers_from"])


class OnAGpu(ExplainTest):
    ONE = ["one.ptx", "--grid", "2", "--block", "32", "--arg", "i32[32]"]

    @unittest.skipIf(has_gpu(), "there is a GPU here")
    def test_without_one_the_emulator_reports(self):
        done = self.run_command("explain", *self.ONE, "--on", "gpu")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"Not run on a GPU, these are the emulator's counts alone: ", done.stdout)
        self.assertIn(b"warp instructions", done.stdout)
        self.assertIn(b"not run on a GPU: ", done.stderr)
        report = self.json_of(*self.ONE, "--on", "gpu", code=FAILED)
        self.assertIn("CUDA", report["gpu"]["unavailable"])
        self.assertEqual(report["by_cc"]["9.0"]["global_store"]["requests"], 2)

    @unittest.skipIf(has_gpu(), "there is a GPU here")
    def test_auto_is_the_emulator_without_one(self):
        plain = self.succeed("explain", *self.ONE)
        for place in ["auto", "emulator"]:
            self.assertEqual(self.succeed("explain", *self.ONE, "--on", place).stdout, plain.stdout)

    @unittest.skipIf(has_gpu(), "there is a GPU here")
    @runs_rungs
    def test_a_rung_without_one(self):
        done = self.run_command("explain", "copy/scalar", "--on", "gpu", "--json")
        self.assertEqual(done.returncode, FAILED)
        report = json.loads(done.stdout)
        self.assertIn("unavailable", report["gpu"])
        self.assertIn("unavailable", report["launches"][0]["gpu"])

    def test_what_cannot_be(self):
        self.fail_with(USAGE, "explain", "sobel", "--on", "gpu", says=["--on gpu", "sobel/shipped"])
        self.fail_with(USAGE, "explain", "find", "--on", "gpu", says="emulated CUDA runtime")
        self.fail_with(USAGE, "explain", *self.ONE, "--on", "moon", says=["'moon'", "auto, gpu, emulator"])


class MachineCode(ExplainTest):
    @compiles
    def test_below_its_lines_or_why_not(self):
        call = ["scale.cu", "--grid", "1", "--block", "32", "--arg", "f32[32]", "--arg", "f32:2", "--arg",
                "i32:32"]
        report = self.json_of(*call)
        self.assertNotIn("machine_code", report)
        report = self.json_of(*call, "--machine-code", "--cc", "2.0,9.0")
        text = self.succeed("explain", *call, "--machine-code").stdout
        if "unavailable" in report["machine_code"]:
            self.assertIn("nvdisasm", report["machine_code"]["unavailable"])
            self.assertIn(b"\nno machine code: there is no disassembler, nvdisasm, ", text)
            return
        self.assertEqual(report["machine_code"]["built_for"], "sm_90")
        self.assertEqual(sum(len(line.get("machine_code", [])) for line in report["lines"]),
                         report["machine_code"]["instructions"])
        self.assertTrue(any("STG" in each["text"] for each in line_of(report, 3)["machine_code"]))
        self.assertRegex(text, rb"data\[i\] \*= factor;\n(.*\n)*? {14}[0-9a-f]{4}  .*LDG")


class WithNvrtcAlone(ExplainTest):
    def test_a_file_with_host_code(self):
        """A toolkit's folder as one without nvcc sees it."""
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        libraries = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(nvcc))), "lib64")
        if not os.path.exists(os.path.join(libraries, "libnvrtc.so.13")):
            self.skipTest("there is no NVRTC here")
        os.mkdir("toolkit")
        os.symlink(libraries, "toolkit/lib64")
        environment = dict(os.environ, WARPWISE_CUDA_HOME=os.path.join(os.getcwd(), "toolkit"))
        done = self.succeed("explain", "transpose.cu", "--kernel", "transpose", "--define", "PAD=0",
                            *SHAPE, "--json", env=environment)
        report = json.loads(done.stdout)
        self.assertTrue(report["compiler"].startswith("NVRTC"), report["compiler"])
        self.assertEqual(report["by_cc"]["9.0"]["registers_from"], "sm_90")
        self.assertEqual(report["by_cc"]["9.0"]["shared_load"]["passes"], 128 * 32)


def has_primitives(test):
    """Skips in a build without the CUDA path: the primitives' kernels are not in it."""
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
        "copy": ["copy_kernel"],
        "convert": ["convert_kernel"],
        "sobel": ["sobel_kernel"],
        "threshold": ["threshold_tiles"],
        "match": ["match_kernel"],
        "disparity": ["disparity_pad_kernel", "disparity_pad_kernel", "disparity_match_kernel",
                      "disparity_match_kernel", "disparity_check_kernel"],
        "find": ["find_kernel", "find_best_kernel"],
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
                    self.assertLessEqual(Json.KEYS, set(launch))
                    self.assertEqual(launch["faults"], [])
                    self.assertEqual(list(launch["by_cc"]), ["1.3", "9.0"])
                    self.assertGreater(launch["warp_instructions"], 0)
                    self.assertTrue(any(line["file"].endswith((".cuh", ".hpp"))
                                        for line in launch["lines"]))

    @has_primitives
    def test_bytes_of_a_copy(self):
        """A row is 4096 bytes and a multiple of 256 from the next: no byte is moved twice."""
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
        for words in ["==== 2 of 2", "find_kernel<", "find_best_kernel", "What to know"]:
            self.assertIn(words, said)

    @has_primitives
    def test_a_budget_for_all_launches(self):
        report = self.json_of("disparity", "--size", "65x33", "--budget", "1000000", code=FAILED)
        self.assertEqual([fault["kind"] for fault in report["launches"][-1]["faults"]], ["budget"])
        self.assertLess(len(report["launches"]), 5)

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
        """Said, and not tried for ever, when the second start does not run on the emulator either."""
        environment = dict(os.environ, WARPWISE_RESTARTED_ON_EMULATOR="1")
        self.fail_with(FAILED, "explain", "sobel", says="was not loaded", env=environment)


if __name__ == "__main__":
    unittest.main()
