"""Tests explain from outside: a naive and a padded transpose, the content of --json, a GPU, machine code. Tests that
compile are skipped, with the reason, if there is no CUDA compiler."""

import json
import os
import shutil
import struct
import unittest

from explain_support import (FAILED, KEYS, NAIVE_LINE, PASSES, READ_LINE, SHAPE, STORE_LINE, TRAFFIC, USAGE,
                             WIDTH, ExplainTest, compiles, line_of)
from support import has_gpu, npy_parts, runs_rungs, write


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
        # 4 blocks of 32 warps make 128 requests. In each, 32 lanes read 4 bytes: 4 sectors of 32 bytes.
        counts = report["by_cc"]["9.0"]
        self.assertEqual(counts["global_load"]["requests"], 128)
        self.assertEqual(counts["global_load"]["transactions"], {"32": 512, "64": 0, "128": 0})
        self.assertEqual(counts["global_load"]["bytes_requested"], 16384)
        self.assertEqual(counts["global_load"]["bytes_moved"], 16384)
        self.assertEqual(counts["shared_store"], {"requests": 128, "passes": 128, "ideal_passes": 128})
        self.assertEqual(counts["shared_load"],
                         {"requests": 128, "passes": 128 * 32, "ideal_passes": 128})
        # On CC 1.3 half-warps use 16 banks: 2 x 16 passes a request, 2 without conflicts; 2 transactions.
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
        self.assertIn(f"Line {NAIVE_LINE}", report["advice"][1]["text"])
        self.assertIn("coalescing", report["advice"][1]["rule"])

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
    def check_counts(self, counts):
        for key in ["global_load", "global_store", "local_load", "local_store"]:
            self.assertLessEqual(TRAFFIC, set(counts[key]), key)
            self.assertEqual(set(counts[key]["transactions"]), {"32", "64", "128"})
        for key in ["shared_load", "shared_store"]:
            self.assertEqual(set(counts[key]), PASSES)
        self.assertLessEqual({"requests", "passes"}, set(counts["constant"]))
        self.assertEqual(set(counts["texture"]), {"requests"})

    def check(self, report):
        self.assertLessEqual(KEYS, set(report))
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
        # A multiprocessor has 65536 registers, and a block needs 128 x 256: 2 blocks, which are 16 warps, fit.
        self.assertEqual(counts["occupancy"],
                         {"blocks_per_sm": 2, "warps_per_sm": 16, "fraction": 0.25,
                          "limiter": "registers"})

    def test_registers_that_no_block_gets(self):
        report = self.json_of("one.ptx", "--grid", "1", "--block", "1024", "--arg", "i32[1024]",
                              "--registers", "128", "--cc", "9.0")
        occupancy = report["by_cc"]["9.0"]["occupancy"]
        self.assertEqual((occupancy["blocks_per_sm"], occupancy["limiter"]), (0, "registers"))
        self.assertIn("131072 registers", occupancy["why_not"])

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


class OnAGpu(ExplainTest):
    ONE = ["one.ptx", "--grid", "2", "--block", "32", "--arg", "i32[32]"]

    @unittest.skipIf(has_gpu(), "there is a GPU here")
    def test_without_one_the_emulator_reports(self):
        done = self.run_command("explain", *self.ONE, "--on", "gpu")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"Not run on a GPU; these are only the emulator's counts: ", done.stdout)
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


class HostCode(ExplainTest):
    """Tests the listing of the emulator's machine code, which needs no launch and no CUDA compiler."""

    PTX = """.version 8.4
.target sm_90
.address_size 64
.visible .entry twice(.param .u64 data)
{
.reg .b32 %r<3>;
.reg .b64 %d<3>;
ld.param.u64 %d0, [data];
mov.u32 %r0, %tid.x;
mul.wide.u32 %d1, %r0, 4;
add.s64 %d0, %d0, %d1;
ld.global.u32 %r1, [%d0];
add.s32 %r1, %r1, %r1;
st.global.u32 [%d0], %r1;
ret;
}
"""

    def test_each_instruction_is_above_its_code(self):
        write("twice.ptx", self.PTX.encode())
        done = self.run_command("explain", "twice.ptx", "--host-code")
        if done.returncode != 0:
            self.assertIn(b"makes no machine code", done.stderr)
            return
        text = done.stdout.decode()
        for line in range(8, 15):
            self.assertIn(f"{line:6}  {self.PTX.splitlines()[line - 1]}\n", text)
        if shutil.which("objdump"):
            self.assertRegex(text, r"add\.s32 %r1, %r1, %r1;\n(.*\n)*? +[0-9a-f]+  vpaddd ")
        named = self.succeed("explain", "twice.ptx", "--kernel", "twice", "--host-code").stdout.decode()
        self.assertEqual(named.count("\n"), text.count("\n"), "handlers' addresses differ from run to run")
        self.fail_with(2, "explain", "twice.ptx", "--host-code", "--json", says="--host-code")
        self.fail_with(2, "explain", "sobel", "--host-code", says="--host-code is for a FILE")


class WithNvrtcAlone(ExplainTest):
    def test_a_file_with_host_code(self):
        """The toolkit's folder in this test has no nvcc."""
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


if __name__ == "__main__":
    unittest.main()
