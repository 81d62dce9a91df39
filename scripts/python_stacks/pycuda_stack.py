"""Features of PyCUDA for scripts/record-python-stacks.py."""
import sys

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel

STACK = "PyCUDA"
PACKAGES = ["pycuda", "numpy<2.5"]


def kernels():
    """`SourceModule`, `gpuarray`, element-wise kernels

    runs: with `nvcc` in PATH
    """
    to = gpuarray.zeros(64, np.float32)
    fill = SourceModule("__global__ void fill(float* to, float value) { to[threadIdx.x] = value; }").get_function("fill")
    fill(to, np.float32(3), block=(64, 1, 1))
    ElementwiseKernel("float* to", "to[i] = 2 * to[i]", "twice")(to)
    assert ((to + to).get() == 12).all()


def out_of_bounds():
    """an access out of bounds

    found: with its kernel, buffer and the line of the launch
    """
    beyond = SourceModule("__global__ void beyond(float* to) { to[threadIdx.x + 1] = 1; }").get_function("beyond")
    beyond(gpuarray.zeros(64, np.float32), block=(64, 1, 1))


def sums():
    """sums of `gpuarray`

    found: a true fault. PyCUDA's reductions rely on lanes that keep step (`lockstep`). With `--keep-going` they run
    """
    assert gpuarray.sum(gpuarray.zeros(1000, np.float32) + 1).get() == 1000


globals()[sys.argv[1]]()
