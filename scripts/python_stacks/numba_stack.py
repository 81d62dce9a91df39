"""Features of numba-cuda for scripts/record-python-stacks.py."""
import sys

import numpy as np
from numba import cuda, float32, int32, types

STACK = "numba"
PACKAGES = ["numba", "numba-cuda[cu13]", "numpy<2.5"]
COUNT = 256


def _numbers():
    return np.arange(COUNT, dtype=np.float32)


@cuda.jit
def _double(source, target):
    i = cuda.grid(1)
    if i < target.size:
        target[i] = 2 * source[i]


def arrays():
    """NumPy arrays as arguments; `to_device`, `device_array`, pinned, mapped and managed arrays

    runs
    """
    source = _numbers()
    on_host = np.zeros_like(source), cuda.pinned_array_like(source), cuda.mapped_array_like(source), cuda.managed_array(COUNT, np.float32)
    for target in on_host:
        _double[2, 128](cuda.to_device(source), target)
        cuda.synchronize()
        np.testing.assert_array_equal(target, 2 * source)
    on_gpu = cuda.device_array_like(source)
    _double[2, 128](source, on_gpu)
    np.testing.assert_array_equal(on_gpu.copy_to_host(), 2 * source)


def language():
    """device functions, `math`, `print`, constant, local, static and dynamic shared memory

    runs
    """
    import math
    table = np.array([1, 2, 3, 4], np.float32)

    @cuda.jit(device=True)
    def root(x):
        return math.sqrt(x)

    @cuda.jit
    def mixed(target):
        constant, static = cuda.const.array_like(table), cuda.shared.array(64, float32)
        dynamic, local = cuda.shared.array(0, int32), cuda.local.array(4, float32)
        t = cuda.threadIdx.x
        static[t] = t
        cuda.syncthreads()
        for k in range(4):
            local[k] = constant[k] + static[63 - t]
        target[t] = root(local[t % 4] ** 2)
        if t == 0:
            print("dynamic:", dynamic.size)

    target = np.zeros(64, np.float32)
    mixed[1, 64, 0, 256](target)
    t = np.arange(64)
    np.testing.assert_allclose(target, table[t % 4] + 63 - t, rtol=1e-6)


def cooperation():
    """`cg.this_grid().sync()`, atomics, warp shuffles, random numbers

    runs
    """
    from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

    @cuda.jit
    def together(values, total, most, swapped, random, states):
        i = cuda.grid(1)
        values[i] = i
        cuda.cg.this_grid().sync()
        cuda.atomic.add(total, 0, values[values.size - 1 - i])
        cuda.atomic.max(most, 0, values[i])
        swapped[i] = cuda.shfl_xor_sync(0xFFFFFFFF, i, 1)
        random[i] = xoroshiro128p_uniform_float32(states, i)

    values, total, most, swapped, random = (np.zeros(count, kind) for count, kind in [(COUNT, int), (1, int), (1, int), (COUNT, int), (COUNT, np.float32)])
    together[2, 128](values, total, most, swapped, random, create_xoroshiro128p_states(COUNT, seed=1))
    assert (total[0], most[0]) == (COUNT * (COUNT - 1) // 2, COUNT - 1)
    assert np.array_equal(swapped, np.arange(COUNT) ^ 1) and np.unique(random).size > 250


def tools():
    """streams, events, `vectorize`, `cuda.reduce`, `debug=True`, `lto=True`

    runs
    """
    from numba import vectorize
    stream, begin, end = cuda.stream(), cuda.event(), cuda.event()
    begin.record(stream)
    source = cuda.to_device(_numbers(), stream=stream)
    target = cuda.device_array(COUNT, np.float32, stream=stream)
    for made in [_double, cuda.jit(debug=True, opt=False)(_double.py_func), cuda.jit(lto=True)(_double.py_func)]:
        made[2, 128, stream](source, target)
    end.record(stream)
    end.synchronize()
    np.testing.assert_array_equal(target.copy_to_host(), 2 * _numbers())
    assert cuda.reduce(lambda a, b: a + b)(_numbers()) == _numbers().sum()

    @vectorize(["float32(float32, float32)"], target="cuda")
    def add(a, b):
        return a + b

    np.testing.assert_array_equal(add(_numbers(), _numbers()), 2 * _numbers())


def _linked(**options):
    twice = cuda.declare_device("twice", types.int32(types.int32), link=cuda.CUSource('extern "C" __device__ int twice(int* to, int x) { *to = 2 * x; return 0; }'))

    @cuda.jit(**options)
    def calls(values):
        i = cuda.grid(1)
        values[i] = twice(np.int32(np.float16(i)))

    values = np.zeros(64, np.int32)
    calls[1, 64](values)
    np.testing.assert_array_equal(values, 2 * np.arange(64))


def linked_source():
    """linked `.cu` source, `fp16`

    runs
    """
    _linked()


def linked_source_with_lines():
    """linked `.cu` source with `lineinfo=True`

    not run: nvJitLink refuses to join the two

    says: linking module flags
    """
    _linked(lineinfo=True)


def out_of_bounds():
    """an access out of bounds

    named at its line
    """
    @cuda.jit(lineinfo=True)
    def beyond(values):
        values[cuda.grid(1) + 1] = 1  # here: out_of_bounds

    beyond[1, 64](cuda.to_device(np.zeros(64, np.int32)))
    cuda.synchronize()


def shared_race():
    """a race in shared memory

    named at its line
    """
    @cuda.jit(lineinfo=True)
    def reverses(values):
        shared = cuda.shared.array(64, int32)
        t = cuda.threadIdx.x
        shared[t] = t
        values[t] = shared[63 - t]  # here: shared_race

    reverses[1, 64](cuda.to_device(np.zeros(64, np.int32)))
    cuda.synchronize()


def global_race():
    """a race in global memory

    named at its line
    """
    @cuda.jit(lineinfo=True)
    def sums(values):
        values[0] = values[0] + cuda.grid(1)  # here: global_race

    sums[2, 64](cuda.to_device(np.zeros(64, np.int32)))
    cuda.synchronize()


def unwritten():
    """a value that nobody has written

    named at its line
    """
    @cuda.jit(lineinfo=True)
    def copies(source, target):
        t = cuda.threadIdx.x
        if source[t] > 0:  # here: unwritten
            target[t] = 1

    copies[1, 64](cuda.device_array(64, np.int32), cuda.to_device(np.zeros(64, np.int32)))
    cuda.synchronize()


def barrier():
    """a barrier that not all threads reach

    named at its line
    """
    @cuda.jit(lineinfo=True)
    def splits(values):
        t = cuda.threadIdx.x
        if t < 32:
            cuda.syncthreads()  # here: barrier
            values[t] = 1
        else:
            values[t] = 2

    splits[1, 64](cuda.to_device(np.zeros(64, np.int32)))
    cuda.synchronize()


def unawaited_launch():
    """a launch whose end nobody awaits

    named at its line
    """
    _double[2, 128](cuda.to_device(_numbers()), cuda.device_array(COUNT, np.float32))  # here: unawaited_launch


def cuda_core():
    """`cuda.core`: `Program` from C++ to a cubin, launches

    runs
    """
    from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch
    device = Device()
    device.set_current()
    stream = device.create_stream()
    program = Program('extern "C" __global__ void fill(int* to, int value) { to[threadIdx.x] = value; }', "c++",
                      options=ProgramOptions(arch=f"sm_{device.arch}"))
    kernel = program.compile("cubin").get_kernel("fill")
    to = cuda.to_device(np.zeros(64, np.int32))
    launch(stream, LaunchConfig(grid=1, block=64), kernel, to.device_ctypes_pointer.value, np.int32(7))
    stream.sync()
    assert (to.copy_to_host() == 7).all()


globals()[sys.argv[1]]()
