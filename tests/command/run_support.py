"""The programs that the tests of `warpwise run` start, and helpers of these tests."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import SANITIZED, WARPWISE, CommandTest

SOURCE = pathlib.Path(__file__).with_name("run_program.cu")
EMULATED = os.path.join(os.path.dirname(WARPWISE), "..", "lib", "warpwise", "emulated")
FOLDER = None  # the programs' folder; their source is in its subfolder "its sources"


NVRTC_PROGRAM = r"""
#include <cuda.h>
#include <cuda_runtime.h>
#include <nvrtc.h>
#include <cstdio>
#include <vector>

int main() {
  nvrtcProgram program;
  nvrtcCreateProgram(&program, "extern \"C\" __global__ void twice(int* x) { *x *= 2; }", "twice.cu", 0, nullptr, nullptr);
  const char* option = "--gpu-architecture=sm_90";
  if (nvrtcCompileProgram(program, 1, &option) != NVRTC_SUCCESS) return 1;
  size_t bytes = 0;
  if (nvrtcGetCUBINSize(program, &bytes) != NVRTC_SUCCESS) return 2;
  std::vector<char> code(bytes);
  if (nvrtcGetCUBIN(program, code.data()) != NVRTC_SUCCESS) return 3;
  int* x = nullptr;
  cudaMallocManaged(&x, sizeof(int));
  *x = 7;
  CUmodule module;
  CUfunction twice;
  if (cuModuleLoadData(&module, code.data()) != CUDA_SUCCESS) return 4;
  if (cuModuleGetFunction(&twice, module, "twice") != CUDA_SUCCESS) return 5;
  void* arguments[] = {&x};
  if (cuLaunchKernel(twice, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) != CUDA_SUCCESS) return 6;
  if (cuCtxSynchronize() != CUDA_SUCCESS) return 7;
  std::printf("%d\n", *x);
}
"""


def compiler():
    return shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"


def nvcc(*arguments, code="compute_75"):
    target = f"arch=compute_75,code={code}"
    subprocess.run([compiler(), "-gencode", target, *arguments], cwd=FOLDER, check=True, timeout=300)


def setUpModule():
    global FOLDER
    if SANITIZED:
        raise unittest.SkipTest("a program that is not sanitized cannot load a sanitized runtime")
    if not os.path.exists(os.path.join(EMULATED, "libcudart.so.13")):
        raise unittest.SkipTest("the emulated CUDA runtime was not built")
    if not (shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc")):
        raise unittest.SkipTest("there is no nvcc here")
    folder = tempfile.TemporaryDirectory(prefix="warpwise-run-")
    unittest.addModuleCleanup(folder.cleanup)
    FOLDER = folder.name
    source = os.path.join(FOLDER, "its sources", "run_program.cu")
    os.mkdir(os.path.dirname(source))
    shutil.copy(SOURCE, source)
    nvcc("-cudart", "shared", "-lineinfo", "-o", "program", source)


def line_of(kernel):
    """Returns the number of the line that the source marks as this kernel's fault."""
    lines = SOURCE.read_text().splitlines()
    return 1 + next(i for i, line in enumerate(lines) if line.endswith("// the line: " + kernel))


class RunTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.program = os.path.join(FOLDER, "program")

    def run_program(self, *words, options=(), **more):
        return self.run_command("run", *options, self.program, *words, **more)

    def said(self, done):
        return done.stderr.decode().splitlines()
