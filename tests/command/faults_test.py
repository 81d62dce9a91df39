"""Every program of tests/emulator/faults under `warpwise run --check all`: its fault is found, by its kind and no other; a sound one has none."""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

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
        code = ["-gencode", "arch=compute_75,code=compute_75"]
        subprocess.run([NVCC, "-std=c++17", "-cudart", "shared", "-lineinfo", *code, "-t", "2", "-o", cls.program,
                        *sorted(SOURCES.glob("*.cu"))], check=True, timeout=300)
        listed = subprocess.run([WARPWISE, "run", "-q", cls.program, "--list"], check=True, capture_output=True, text=True, timeout=60)
        cls.cases = [line.split("\t") for line in listed.stdout.splitlines()]

    def said(self, name):
        done = subprocess.run([WARPWISE, "run", "--check", "all", self.program, name], check=False, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, name + done.stderr)
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
        self.assertRegex(self.said("use_after_free"), r"use_after_free in kernel .*; allocation 1 was made by cudaMalloc called at ")


if __name__ == "__main__":
    unittest.main()
