"""Runs all programs of tests/emulator/faults under `warpwise run --check all`, which must find just their own faults."""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from support import SANITIZED, WARPWISE

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "emulator" / "faults"
EMULATED = os.path.join(os.path.dirname(WARPWISE), "..", "lib", "warpwise", "emulated")
NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"


def kinds_in(text):
    return set(re.findall(r"^warpwise: (\w+) (?:in kernel|in the program)", text, re.MULTILINE))


@unittest.skipIf(SANITIZED, "a program that is not sanitized cannot load a sanitized runtime")
@unittest.skipUnless(os.path.exists(os.path.join(EMULATED, "libcudart.so.13")), "the emulated CUDA runtime was not built")
@unittest.skipUnless(os.path.exists(NVCC), "there is no nvcc here")
class FaultsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="warpwise-faults-")
        cls.addClassCleanup(folder.cleanup)
        cls.program = os.path.join(folder.name, "faults")
        code = ["-gencode", "arch=compute_80,code=compute_80"]
        subprocess.run([NVCC, "-std=c++17", "-cudart", "shared", "-lineinfo", *code, "-t", "2", "-o", cls.program,
                        *sorted(SOURCES.glob("*.cu"))], check=True, timeout=300)
        listed = subprocess.run([WARPWISE, "run", "-q", cls.program, "--list"], check=True, capture_output=True, text=True, timeout=60)
        cls.cases = [line.split("\t") for line in listed.stdout.splitlines()]

    def said(self, name):
        done = subprocess.run([WARPWISE, "run", "--check", "all", self.program, name], check=False, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 1 if kinds_in(done.stderr) else 0, name + done.stderr)
        return done.stderr

    def test_each(self):
        self.assertGreaterEqual(len(self.cases), 180)
        names = [name for name, *_ in self.cases]
        self.assertEqual(len(names), len(set(names)))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for (name, kind, _, missed), text in zip(self.cases, pool.map(self.said, names)):
                with self.subTest(name):
                    expected = set() if kind == "sound" or missed else {kind}
                    self.assertEqual(kinds_in(text), expected, text)

    def test_faults_of_the_program_say_what_and_where(self):
        self.assertRegex(self.said("never_freed"), r"leak in the program, cudaMalloc called at \S+\+0x\w+ in faults::lifetime_cases.*: "
                                                   r"allocation 1 of 1000 bytes was never freed")
        self.assertRegex(self.said("freed_twice"), r"invalid_free in the program, cudaFree called at .* freed before; allocation 1 was made by "
                                                   r"cudaMalloc called at .* and freed by cudaFree called at ")
        self.assertRegex(self.said("rows_past_end"), r"copy in the program, cudaMemcpy2D called at .*: to: a transfer of 144 bytes at byte 0 of "
                                                     r"allocation 1 of 128 bytes")
        self.assertRegex(self.said("launch_last_of_all"), r"unchecked_launch in the program, cudaLaunchKernel called at .* in faults::runtime_cases.*: "
                                                          r"the program ends without waiting for kernel .*fill_variable\(\)")
        self.assertRegex(self.said("managed_taken"), r"unsynchronised in the program, at .*host_takes.*: reads byte 124 of allocation 1 of 4096 "
                                                     r"bytes, which kernel .*put\(int\*, int\) on stream 1 writes at .*streams.cu:\d+: ")
        self.assertRegex(self.said("use_after_free"), r"use_after_free in kernel .*; allocation 1 was made by cudaMalloc called at ")

    def test_faults_of_kernels_name_their_launch(self):
        self.assertRegex(self.said("use_after_free"), r"use_after_free in kernel .*; launched at \S+\+0x\w+ in faults::lifetime_cases")
        self.assertRegex(self.said("streams_no_event"), r"race in kernel .*; launched at \S+\+0x\w+ in faults::.*kernels_on_streams\(bool\)")

    def test_the_programs_own_line_comes_first(self):
        self.assertRegex(self.said("block_barrier_of_more"), r"livelock in kernel .*block_barrier\(int\*, int\), .*, \S+sync.cu:\d+ "
                                                             r"\(in \S+\.h:\d+, through \d+ lines of libraries\): polls in a loop")

    def test_races_between_streams_name_both_sides(self):
        self.assertRegex(self.said("streams_no_event"), r"race in kernel .*take\(.*order.cu:\d+: read of byte 0 of allocation 1 of 128 bytes on "
                                                        r"stream 2, which kernel .*scale\(int\*\) on stream 1 writes at .*order.cu:\d+, and no event")
        self.assertRegex(self.said("streams_allocation"), r"race in kernel .*put\(int\*, int\).* of allocation 1 of 128 bytes on stream 2, which "
                                                          r"cudaMallocAsync called at .* on stream 1 allocates, and no event or synchronisation")
        self.assertRegex(self.said("copy_on_other_stream"), r"race in the program, cudaMemcpyAsync called at .*: reads byte 0 of allocation 1 of "
                                                            r"128 bytes on stream 2, which kernel .* on stream 1 writes at .*order.cu:\d+")

    def test_without_the_check_of_races_none_ends_a_kernel(self):
        done = subprocess.run([WARPWISE, "run", "--check", "runtime", self.program, "many_races"], check=False, capture_output=True, text=True, timeout=120)
        self.assertEqual(kinds_in(done.stderr), set(), done.stderr)
        self.assertIn("1024 threads ended", done.stdout)

    def test_reports_have_faults_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            junit, sarif = (os.path.join(folder, name) for name in ("report.xml", "report.json"))
            done = subprocess.run([WARPWISE, "run", "-q", "--check", "runtime", "--error-exitcode", "7", "--junit", junit, "--sarif", sarif,
                                   self.program, "upload_past_end"], check=False, capture_output=True, timeout=120)
            self.assertEqual(done.returncode, 7)
            suite = ElementTree.parse(junit).getroot()
            self.assertEqual([suite.get(name) for name in ["tests", "failures", "errors", "skipped"]], ["1", "1", "0", "0"])
            case = suite.find(".//testcase")
            self.assertEqual(case.get("name"), "the program")
            self.assertEqual(case.find("failure").get("type"), "copy")
            [result] = json.loads(pathlib.Path(sarif).read_text())["runs"][0]["results"]
            self.assertEqual(result["ruleId"], "copy")
            self.assertIn("132 bytes", result["message"]["text"])


if __name__ == "__main__":
    unittest.main()
