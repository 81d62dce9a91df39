"""Tests warpwise_add_ptx() in the way that a project's CMakeLists.txt calls it."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

FUNCTION = pathlib.Path(__file__).resolve().parents[2] / "cmake/warpwise_add_ptx.cmake"
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
KERNEL = '#include "size.cuh"\n__global__ void kernel(int* x) { *x = SIZE + ADDED; }\n'


@unittest.skipUnless(NVCC and shutil.which("cmake"), "there is no nvcc or no cmake")
class AddPtx(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "kernels/own headers").mkdir(parents=True)
        (self.folder / "kernels/own headers/size.cuh").write_text("#define SIZE 40\n")
        for name in ["blur.cu", "blur.v2.cu", "other.cu"]:
            (self.folder / "kernels" / name).write_text(KERNEL)

    def cmake(self, *arguments):
        return subprocess.run(["cmake", *arguments], cwd=self.folder, capture_output=True, text=True, timeout=300)

    def configure(self, *calls):
        """Configures a project whose subfolder contains these calls."""
        (self.folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES CXX)\n"
            f"include({FUNCTION})\nadd_subdirectory(kernels)\n")
        (self.folder / "kernels/main.cpp").write_text("int main() {}\n")
        (self.folder / "kernels/CMakeLists.txt").write_text(
            "add_executable(user main.cpp)\n" + "\n".join(f"warpwise_add_ptx(user {call})" for call in calls))
        return self.cmake("-S", ".", "-B", "build", f"-DWARPWISE_NVCC={NVCC}")

    def refused(self, call, *words):
        done = self.configure(call)
        self.assertNotEqual(done.returncode, 0)
        said = " ".join(done.stderr.split())
        for word in words:
            self.assertIn(word, said)

    def test_several_calls_relative_folders_and_names_with_points(self):
        common = 'INCLUDE_FOLDERS "own headers" DEFINITIONS'
        done = self.configure(f"blur.cu blur.v2.cu {common} ADDED=2", f"other.cu ARCHITECTURE 80 {common} ADDED=3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.cmake("--build", "build").returncode, 0)
        texts = {path.name: path.read_text() for path in (self.folder / "build/kernels/user_ptx").glob("*.ptx")}
        self.assertEqual(sorted(texts), ["blur.ptx", "blur.v2.ptx", "other.ptx"])
        self.assertIn(", 42;", texts["blur.v2.ptx"])
        self.assertIn(", 43;", texts["other.ptx"])
        self.assertIn(".target sm_80", texts["other.ptx"])

    def test_what_is_wrong_is_said_when_configuring(self):
        self.refused("blur.cu ARCHITECTURE sm_80", "ARCHITECTURE is 'sm_80', it needs a number, such as 80")
        self.refused("blur.cu ARCH 80", "'ARCH' is neither a CUDA file (.cu) that is there nor one of the words ARCHITECTURE")
        self.refused("missing.cu", "'missing.cu' is neither a CUDA file")
        self.refused("main.cpp", "'main.cpp' is neither a CUDA file")
        self.refused("ARCHITECTURE 80", "no CUDA file is named")
        self.refused("blur.cu ../kernels/blur.cu", "two files would become blur.ptx")


if __name__ == "__main__":
    unittest.main()
