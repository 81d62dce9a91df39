"""Features of Triton, without PyTorch, for scripts/record-python-stacks.py."""
import ctypes
import sys

import numpy as np
import triton
import triton.language as tl

STACK = "Triton"
PACKAGES = ["triton", "numpy<2.5"]


class _Array:
    """A copy of a NumPy array in the GPU's memory."""

    driver = ctypes.CDLL("libcuda.so.1")

    def __init__(self, values):
        self.dtype, self.shape, self.bytes = values.dtype, values.shape, values.nbytes
        self.address = ctypes.c_uint64()
        triton.runtime.driver.active.get_current_device()
        assert self.driver.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(self.bytes)) == 0
        assert self.driver.cuMemcpyHtoD_v2(self.address, values.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(self.bytes)) == 0

    def data_ptr(self):
        return self.address.value

    def get(self):
        values = np.empty(self.shape, self.dtype)
        assert self.driver.cuMemcpyDtoH_v2(values.ctypes.data_as(ctypes.c_void_p), self.address, ctypes.c_size_t(self.bytes)) == 0
        return values


@triton.jit
def _add(a, b, to, count, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(to + i, tl.load(a + i, mask=i < count) + tl.load(b + i, mask=i < count), mask=i < count)


@triton.jit
def _softmax(source, to, columns, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.load(source + tl.program_id(0) * columns + i, mask=i < columns, other=-float("inf"))
    powers = tl.exp(row - tl.max(row, axis=0))
    tl.store(to + tl.program_id(0) * columns + i, powers / tl.sum(powers, axis=0), mask=i < columns)


@triton.jit
def _product(a, b, to, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    places = i[:, None] * SIZE + i[None, :]
    tl.store(to + places, tl.dot(tl.load(a + places), tl.load(b + places)))


@triton.jit
def _total(source, to, BLOCK: tl.constexpr):
    tl.atomic_add(to, tl.sum(tl.load(source + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)), axis=0))


def addition():
    """addition with a mask

    runs
    """
    a, to = np.arange(1000, dtype=np.float32), _Array(np.zeros(1000, np.float32))
    _add[(4,)](_Array(a), _Array(a), to, 1000, BLOCK=256)
    np.testing.assert_array_equal(to.get(), 2 * a)


def softmax():
    """softmax

    runs
    """
    source, to = np.random.default_rng(1).random((4, 100), np.float32), _Array(np.zeros((4, 100), np.float32))
    _softmax[(4,)](_Array(source), to, 100, BLOCK=128)
    np.testing.assert_allclose(to.get(), np.exp(source) / np.exp(source).sum(axis=1, keepdims=True), rtol=1e-5)


def product():
    """`tl.dot` of halves

    runs
    """
    a, to = np.random.default_rng(1).integers(0, 4, (32, 32)).astype(np.float16), _Array(np.zeros((32, 32), np.float32))
    _product[(1,)](_Array(a), _Array(a), to, SIZE=32)
    np.testing.assert_array_equal(to.get(), a.astype(np.float32) @ a.astype(np.float32))


def atomics():
    """atomics

    runs
    """
    source, to = np.ones(1024, np.int32), _Array(np.zeros(1, np.int32))
    _total[(4,)](_Array(source), to, BLOCK=256)
    assert to.get()[0] == 1024


def out_of_bounds():
    """an access out of bounds

    named at its line
    """
    @triton.jit
    def beyond(to, BLOCK: tl.constexpr):
        tl.store(to + tl.arange(0, BLOCK), 1.0)  # here: out_of_bounds

    to = _Array(np.zeros(100, np.float32))
    beyond[(1,)](to, BLOCK=128)
    to.get()


def race():
    """a race between programs

    named at its line
    """
    @triton.jit
    def counts(to):
        tl.store(to, tl.load(to) + 1.0)  # here: race

    to = _Array(np.zeros(1, np.float32))
    counts[(4,)](to, num_warps=1)
    to.get()


globals()[sys.argv[1]]()
