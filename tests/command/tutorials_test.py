"""Follows the tutorials of docs literally, in a folder with the files of the repository that their commands name.
lab_walk_test.py follows docs/lab.md, and python/tests/test_pages.py runs the Python programs."""

import os
import pathlib
import shutil
import unittest
import xml.etree.ElementTree as ElementTree

from lab_support import FollowedDocument
from support import HAS_IMAGES, HAS_VIDEO, SAMPLES, SANITIZED, WARPWISE, runs_rungs

ROOT = pathlib.Path(SAMPLES).parent
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
EMULATED = os.path.join(os.path.dirname(WARPWISE), "..", "lib", "warpwise", "emulated", "libcudart.so.13")
runs_programs = unittest.skipIf(SANITIZED or not NVCC or not os.path.exists(EMULATED),
                                "there is no nvcc, or no emulated CUDA runtime that a program can load")


class Tutorial(FollowedDocument):
    def setUp(self):
        super().setUp()
        for name in ["samples", "examples"]:
            os.symlink(ROOT / name, name)
        if NVCC:
            path = os.environ["PATH"]
            os.environ["PATH"] = f"{path}{os.pathsep}{os.path.dirname(NVCC)}"
            self.addCleanup(os.environ.update, PATH=path)


class Pictures(Tutorial):
    def follow(self, kind, text):
        # python/tests/test_pages.py runs the Python programs and checks their output.
        if kind == "python" or text.startswith("(563, 558)"):
            return
        super().follow(kind, text)

    @unittest.skipUnless(HAS_IMAGES and HAS_VIDEO, "this build reads no pictures, or no videos")
    def test_is_true(self):
        self.follow_document("first-pictures.md", {"", "sh", "python"})
        for name in ["edges.png", "page.png", "dx.npy", "edges/building.png", "street.mp4"]:
            self.assertGreater(os.path.getsize(name), 1000, name)


class SlowKernel(Tutorial):
    @runs_programs
    @runs_rungs
    def test_is_true(self):
        commands, _ = self.follow_document("slow-kernel.md", {"", "sh", "cuda"})
        self.assertEqual(commands.count("warpwise explain "), 5)


class Ci(Tutorial):
    @runs_programs
    def test_is_true(self):
        self.follow_document("ci.md", {"", "sh", "diff"})
        self.assertEqual(ElementTree.parse("kernels.xml").getroot().get("failures"), "1")


if __name__ == "__main__":
    unittest.main()
