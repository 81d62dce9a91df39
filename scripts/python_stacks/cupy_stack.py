"""Features of CuPy for scripts/record-python-stacks.py."""
import sys

import cupy
import numpy as np

STACK = "CuPy"
PACKAGES = ["cupy-cuda13x", "cuda-toolkit[nvrtc,cudart,cccl]>=13,<14", "numpy<2.5"]
LINES = ("-lineinfo",)


def arrays():
    """element-wise kernels, reductions, indexing, `fuse`

    runs
    """
    a = cupy.arange(600, dtype=cupy.float32).reshape(20, 30)
    np.testing.assert_allclose((cupy.sqrt(a) + 1).get(), np.sqrt(a.get()) + 1, rtol=1e-6)
    np.testing.assert_allclose(a.sum(axis=0).get(), a.get().sum(axis=0))
    np.testing.assert_array_equal(a[::2, [1, 5]].get(), a.get()[::2, [1, 5]])
    np.testing.assert_array_equal(a[a > 100].get(), a.get()[a.get() > 100])

    @cupy.fuse()
    def product_and_one(x, y):
        return x * y + 1

    np.testing.assert_array_equal(product_and_one(a, a).get(), a.get() ** 2 + 1)
    square = cupy.ElementwiseKernel("T x", "T y", "y = x * x", "square")
    np.testing.assert_array_equal(square(a).get(), a.get() ** 2)


def sorting():
    """sorting, scans, `unique`, streams

    runs
    """
    with cupy.cuda.Stream():
        a = cupy.asarray(np.random.default_rng(1).integers(0, 99, 1000, dtype=np.int32))
        np.testing.assert_array_equal(cupy.sort(a).get(), np.sort(a.get()))
        np.testing.assert_array_equal(cupy.cumsum(a).get(), np.cumsum(a.get()))
        np.testing.assert_array_equal(cupy.unique(a).get(), np.unique(a.get()))


def raw():
    """`RawKernel`, `RawModule` with templates, `cupyx.jit`

    runs
    """
    from cupyx import jit
    fill = cupy.RawKernel('extern "C" __global__ void fill(float* to, float value) { to[threadIdx.x] = value; }', "fill")
    to = cupy.zeros(64, cupy.float32)
    fill((1,), (64,), (to, cupy.float32(3)))
    assert (to == 3).all()
    module = cupy.RawModule(code="template <class T> __global__ void add(T* to, T value) { to[threadIdx.x] += value; }", name_expressions=["add<float>"])
    module.get_function("add<float>")((1,), (64,), (to, cupy.float32(2)))
    assert (to == 5).all()

    @jit.rawkernel()
    def scaled(values, by):
        i = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
        values[i] = values[i] * by

    scaled((2,), (32,), (to, cupy.float32(2)))
    assert (to == 10).all()


def made_by_nvcc():
    """`RawKernel(backend="nvcc")`

    runs: nvcc makes PTX in place of machine code
    """
    fill = cupy.RawKernel('extern "C" __global__ void fill(float* to, float value) { to[threadIdx.x] = value; }', "fill", backend="nvcc")
    to = cupy.zeros(64, cupy.float32)
    fill((1,), (64,), (to, cupy.float32(3)))
    assert (to == 3).all()


def _beyond():
    beyond = cupy.RawKernel(r'''
extern "C" __global__ void beyond(float* values) {
  values[threadIdx.x + 1] = 1;  // here: out_of_bounds
}''', "beyond", options=LINES)
    beyond((1,), (64,), (cupy.zeros(64, cupy.float32),))
    cupy.cuda.Device().synchronize()


def out_of_bounds():
    """an access beyond an array that has its own allocation, by `cupy.cuda.set_allocator(None)`

    named at its line
    """
    cupy.cuda.set_allocator(None)
    _beyond()


def out_of_bounds_in_the_pool():
    """an access beyond an array in CuPy's pool of memory

    not found: the pool's neighbours are one allocation
    """
    _beyond()


def shared_race():
    """a race in shared memory

    named at its line
    """
    reverse = cupy.RawKernel(r'''
extern "C" __global__ void reverse(int* values) {
  __shared__ int shared[64];
  shared[threadIdx.x] = threadIdx.x;
  values[threadIdx.x] = shared[63 - threadIdx.x];  // here: shared_race
}''', "reverse", options=LINES)
    reverse((1,), (64,), (cupy.zeros(64, cupy.int32),))
    cupy.cuda.Device().synchronize()


def products():
    """products of matrices, `asfortranarray` of a matrix of floats

    not run: cuBLAS holds machine code alone, and is named at its first use. Test these on a GPU, or give their results to the kernels under test

    says: CUBLAS_STATUS_NOT_INITIALIZED
    """
    cupy.ones((8, 8), cupy.float32) @ cupy.ones((8, 8), cupy.float32)


def generators():
    """`cupy.random.default_rng()`

    runs
    """
    values = cupy.random.default_rng(1).random(1000).get()
    assert 0.4 < values.mean() < 0.6 and np.unique(values).size > 990


def random_numbers():
    """`cupy.random.random()` and the other functions of `cupy.random`

    not run: cuRAND holds machine code alone. `cupy.asarray` of NumPy's random numbers gives them to the kernels

    says: CURAND_STATUS_INITIALIZATION_FAILED
    """
    cupy.random.random(8)


def transforms():
    """`cupy.fft`

    not run: cuFFT holds machine code alone

    says: CUFFT_INTERNAL_ERROR
    """
    cupy.fft.fft(cupy.ones(8, cupy.complex64))


globals()[sys.argv[1]]()
