"""Tests that the command for aarch64, which QEMU runs, and this machine's command give the same files and counts."""

import os
import pathlib
import shutil
import subprocess
import unittest

from support import SAMPLES, WARPWISE, CommandTest, read

ROOT = pathlib.Path(SAMPLES).parent
BUILD = ROOT / "build/arm64"
QEMU = shutil.which("qemu-aarch64-static")
KERNELS = pathlib.Path(WARPWISE).parent.parent / "warpwise/emulator/kernels"


@unittest.skipUnless((BUILD / "bin/warpwise").exists() and QEMU, "there is no build for aarch64, or no QEMU (scripts/build.sh arm64)")
class Arm64(CommandTest):
    def run_there(self, *arguments):
        done = subprocess.run([QEMU, BUILD / "bin/warpwise", *arguments], capture_output=True, timeout=300,
                              env=dict(os.environ, QEMU_LD_PREFIX=str(ROOT / "build/arm64-root")))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def sample(self, name):
        return str(pathlib.Path(SAMPLES) / name)

    def test_results(self):
        first, second = self.sample("rubberwhale1.png"), self.sample("rubberwhale2.png")
        for call in [["sobel", self.sample("building.jpg"), "out.png"], ["sobel", first, "out.pgm", "--kernel", "scharr", "--norm", "l2"],
                     ["threshold", self.sample("sudoku.png"), "out.png", "--window", "31", "--offset", "7"],
                     ["threshold", self.sample("sudoku.png"), "out.png", "--method", "gaussian", "--window", "15"],
                     ["convert", first, "out.raw", "--to", "nv12"], ["convert", first, "out.raw", "--to", "ycbcr32", "--matrix", "bt709"],
                     ["match", first, second, "out.flo", "--block-size", "16"],
                     ["disparity", self.sample("aloeL.jpg"), self.sample("aloeR.jpg"), "out.pfm"],
                     ["gemv", self.sample("matrix.npy"), self.sample("vector.npy"), "out.npy"],
                     ["stream", "test:noise", "out.raw", "--frames", "9", "--pipeline", "sobel | threshold window=15"]]:
            with self.subTest(" ".join(call)):
                out = next(word for word in call if word.startswith("out."))
                self.run_there(*call)
                there = read(out)
                os.remove(out)
                self.succeed(*call, "--backend", "cpu")
                self.assertEqual(there, read(out))

    def test_counts_and_predictions_of_kernels(self):
        if not (KERNELS / "transpose.ptx").exists():
            self.skipTest("no CUDA toolkit compiled tests/emulator/kernels")
        shutil.copy(KERNELS / "transpose.ptx", "transpose.ptx")
        for kernel in ["transpose_naive", "transpose_tiled", "transpose_padded"]:
            call = ["explain", "transpose.ptx", "--kernel", kernel, "--grid", "16,16", "--block", "16,16", "--arg", "f32[65536]", "--arg",
                    "f32[65536]:iota", "--arg", "i32:256", "--arg", "i32:256", "--check", "all", "--json"]
            self.assertEqual(self.run_there(*call).stdout, self.succeed(*call).stdout)


if __name__ == "__main__":
    unittest.main()
