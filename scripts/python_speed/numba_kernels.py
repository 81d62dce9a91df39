"""Kernels of numba-cuda for record-python-speed.py. `numba_kernels.py product N` prints the median CPU seconds of N
calls, and `numba_kernels.py barrier` launches a kernel with a fault."""
import sys
import time

import numpy as np
from numba import cuda, float32, int32

TILE = 16


@cuda.jit
def product(a, b, c):
    rows = cuda.shared.array((TILE, TILE), float32)  # on a line of its own: the simulator tells arrays apart by their lines
    columns = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.grid(2)
    i, j = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for k in range(0, a.shape[1], TILE):
        rows[j, i] = a[y, k + i]
        columns[j, i] = b[k + j, x]
        cuda.syncthreads()
        for t in range(TILE):
            total += rows[j, t] * columns[t, i]
        cuda.syncthreads()
    c[y, x] = total


@cuda.jit
def scaled(source, target):
    i = cuda.grid(1)
    if i < source.size:
        target[i] = 2 * source[i] + 1


@cuda.jit
def bounds(values, other):
    values[cuda.grid(1) + 1] = 1


@cuda.jit
def shared_race(values, other):
    shared = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    shared[t] = t
    values[t] = shared[63 - t]


@cuda.jit
def global_race(values, other):
    values[0] = values[0] + cuda.grid(1)


@cuda.jit
def unwritten(values, other):
    t = cuda.threadIdx.x
    if other[t] > 0:
        values[t] = 1


@cuda.jit
def barrier(values, other):
    t = cuda.threadIdx.x
    if t < 32:
        cuda.syncthreads()
        values[t] = 1
    else:
        values[t] = 2


def timed(run, check, times):
    """Prints the median CPU seconds of calls after the first, which compiles."""
    taken = []
    for _ in range(times + 1):
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
        check()
    print(sorted(taken[1:])[times // 2])


def main(name):
    if name == "product":
        a = np.random.default_rng(1).random((128, 128), np.float32)
        c = np.zeros_like(a)
        timed(lambda: product[(8, 8), (TILE, TILE)](a, a, c), lambda: np.testing.assert_allclose(c, a @ a, rtol=1e-4), int(sys.argv[2]))
    elif name == "scaled":
        source = np.arange(10000, dtype=np.float32)
        target = np.zeros_like(source)
        timed(lambda: scaled[40, 256](source, target), lambda: np.testing.assert_array_equal(target, 2 * source + 1), int(sys.argv[2]))
    else:
        globals()[name][1, 64](cuda.to_device(np.zeros(64, np.int32)), cuda.device_array(64, np.int32))
        cuda.synchronize()


main(sys.argv[1])
