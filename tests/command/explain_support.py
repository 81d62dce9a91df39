"""Kernels and reports that the tests of explain share."""

import atexit
import functools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from support import WARPWISE, CommandTest, write

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

# nvcc's PTX for: extern "C" __global__ void one(int* p) { p[threadIdx.x] = 1; }
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
KEYS = {"kernel", "grid", "block", "static_shared_bytes", "dynamic_shared_bytes", "by_cc", "warp_instructions",
        "thread_instructions", "instructions_by_class", "float_operations", "branches", "divergent_branches", "barriers", "lines",
        "faults"}


def compile_by_nvrtc():
    """Hides nvcc from the command if NVRTC is there, which compiles faster. explain_test.py compiles by nvcc."""
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if nvcc is None:
        return
    toolkit = pathlib.Path(nvcc).resolve().parent.parent
    if not list(toolkit.glob("lib64/libnvrtc.so.*")):
        return
    folder = tempfile.TemporaryDirectory(prefix="warpwise-toolkit-")
    atexit.register(folder.cleanup)
    home = pathlib.Path(folder.name)
    (home / "bin").mkdir()
    for found in [each for each in toolkit.iterdir() if each.name != "bin"] + [toolkit / "bin" / name for name in ("ptxas", "nvdisasm")]:
        if found.exists():
            (home / found.relative_to(toolkit)).symlink_to(found)
    os.environ["WARPWISE_CUDA_HOME"] = folder.name


@functools.cache
def compiles_kernels():
    with tempfile.TemporaryDirectory() as folder:
        write(f"{folder}/probe.cu", b"__global__ void k() {}")
        done = subprocess.run([WARPWISE, "explain", "probe.cu", "--grid", "1", "--block", "1"], cwd=folder, capture_output=True, timeout=60)
    return b"there is no CUDA compiler" not in done.stderr


def compiles(test):
    """Skips a test if no CUDA compiler is there."""
    def run(self):
        if not compiles_kernels():
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
