"""Tests arrays of other libraries, by DLPack and by the libraries' own interfaces."""

import ctypes
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import warpwise
from only_dlpack import OnlyDlpack

NUMPY = tuple(int(part) for part in np.__version__.split(".")[:2])
IMAGE = np.random.default_rng(3).integers(0, 256, (24, 40), np.uint8)


@pytest.mark.parametrize("versioned", [True, False])
def test_dlpack(versioned):
    if versioned and NUMPY < (2, 1):
        pytest.skip("this NumPy has no versioned DLPack")
    lent = OnlyDlpack(IMAGE[2:20, 3:33], versioned)
    assert np.array_equal(warpwise.sobel(lent), warpwise.sobel(IMAGE[2:20, 3:33]))
    assert lent.asked[0] == {"stream": None, "max_version": (1, 1)}
    assert len(lent.asked) == (1 if versioned else 2)


def test_dlpack_into_an_array():
    into = np.zeros_like(IMAGE)
    lent = OnlyDlpack(into, True)
    assert warpwise.copy(IMAGE, out=lent) is lent
    assert np.array_equal(into, IMAGE)


def test_dlpack_keeps_to_the_read_only_flag():
    fixed = IMAGE.copy()
    fixed.flags.writeable = False
    if NUMPY < (2, 1):
        pytest.skip("this NumPy lends no read-only arrays by DLPack")
    with pytest.raises(warpwise.InvalidArgument, match="read-only"):
        warpwise.copy(IMAGE, out=OnlyDlpack(fixed, True))
    warpwise.copy(OnlyDlpack(fixed, True))


def test_memory_is_given_back():
    gone = []

    class Tells(np.ndarray):
        def __del__(self):
            gone.append(True)

    for _ in range(3):
        warpwise.sobel(OnlyDlpack(IMAGE.copy().view(Tells), True))
    assert len(gone) >= 3


class OnGpu:
    """Claims to be on a GPU, and records the requested stream."""

    def __init__(self):
        self.asked = None

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, *, stream=None, max_version=None):
        self.asked = stream
        raise BufferError("it is not really there")


class Stream:
    def __init__(self, **what):
        self.__dict__.update(what)


class CudaStream:
    def __cuda_stream__(self):
        return (0, 11)


@pytest.mark.parametrize("stream,expected", [
    (None, 1), (0, 1), (1, 1), (2, 2), (7, 7), (Stream(cuda_stream=9), 9), (Stream(ptr=0), 1), (CudaStream(), 11)])
def test_a_real_stream_is_always_passed(stream, expected):
    lent = OnGpu()
    with pytest.raises(BufferError, match="not really there"):
        warpwise.sobel(lent, stream=stream)
    assert lent.asked == expected


class Says:
    """Has a __cuda_array_interface__ with the given entries."""

    def __init__(self, said):
        self.__cuda_array_interface__ = said


ON_GPU = {"shape": (4, 4), "typestr": "|u1", "data": (4096, False), "version": 3}


@pytest.mark.parametrize("said", [
    3, {}, {**ON_GPU, "data": None}, {**ON_GPU, "data": (-1, False)}, {**ON_GPU, "shape": "ab"}, {**ON_GPU, "typestr": 1},
    {**ON_GPU, "strides": (4,)}, {**ON_GPU, "strides": 4}])
def test_a_malformed_cuda_array_interface(said):
    with pytest.raises(TypeError, match="src has a malformed __cuda_array_interface__"):
        warpwise.sobel(Says(said))


def test_a_cuda_array_interface_with_a_mask():
    with pytest.raises(warpwise.InvalidArgument, match="src is a masked array"):
        warpwise.sobel(Says({**ON_GPU, "mask": Says(ON_GPU)}))


@pytest.mark.parametrize("device", [(), ("x", 0), (2**40, 0), None])
def test_a_malformed_dlpack_device(device):
    class Lent(OnlyDlpack):
        def __dlpack_device__(self):
            return device

    with pytest.raises(TypeError, match="src has a malformed __dlpack_device__"):
        warpwise.sobel(Lent(IMAGE, True))


def test_what_is_no_stream():
    with pytest.raises(TypeError, match="CUDA stream"):
        warpwise.sobel(IMAGE, stream="fast")


def test_buffers_without_numpy():
    grey = (ctypes.c_uint8 * 40 * 24).from_buffer_copy(IMAGE.tobytes())
    assert np.array_equal(warpwise.sobel(grey), warpwise.sobel(IMAGE))


FIRST_CALLS = """
import ctypes, threading
import warpwise
start = threading.Barrier(4)
def call():
    start.wait()
    warpwise.sobel((ctypes.c_uint8 * 8 * 8)())
threads = [threading.Thread(target=call) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def test_first_calls_of_several_threads():
    subprocess.run([sys.executable, "-c", FIRST_CALLS], check=True, timeout=60)


def test_other_threads_run_meanwhile():
    large = np.zeros((4000, 4000), np.uint8)
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    other = threading.Thread(target=tick)
    other.start()
    begin = time.perf_counter()
    warpwise.threshold(large, window=101, method="gaussian")
    end = time.perf_counter()
    stop.set()
    other.join()
    assert sum(begin < at < end for at in ticks) >= 3


THREADS = """
import os
import numpy, warpwise
page, threads = numpy.zeros((4000, 4000), numpy.uint8), []
for limit in (1, 0):
    warpwise.limit_threads(limit)
    warpwise.threshold(page, window=31)
    threads.append(len(os.listdir("/proc/self/task")))
print(*threads)
"""


def test_threads_are_limited():
    said = subprocess.run([sys.executable, "-c", THREADS], env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}, check=True, text=True,
                          capture_output=True, timeout=60).stdout
    one, all_cores = map(int, said.split())
    assert one == 1 and (all_cores > 1 or len(os.sched_getaffinity(0)) == 1)
    with pytest.raises(warpwise.InvalidArgument, match="threads are -1"):
        warpwise.limit_threads(-1)
    warpwise.limit_threads(2**40)
    warpwise.limit_threads(0)


def test_torch():
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(IMAGE.copy())
    result = warpwise.sobel(tensor)
    assert isinstance(result, torch.Tensor) and result.dtype == torch.uint8
    assert np.array_equal(result.numpy(), warpwise.sobel(IMAGE))
    assert np.array_equal(warpwise.sobel(tensor, output="dx").numpy(), warpwise.sobel(IMAGE, output="dx"))


def test_torch_by_its_interface_in_c(monkeypatch):
    torch = pytest.importorskip("torch")
    if not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"):
        pytest.skip("this PyTorch has no exchange interface in C")

    def asked(self, **how):
        raise AssertionError("__dlpack__ was called")
    monkeypatch.setattr(torch.Tensor, "__dlpack__", asked)
    tensor, out = torch.from_numpy(IMAGE.copy()), torch.zeros(24, 40, dtype=torch.uint8)
    assert warpwise.sobel(tensor[:, 3:30], out=out[:, 3:30]).data_ptr() == out.data_ptr() + 3
    assert np.array_equal(out[:, 3:30].numpy(), warpwise.sobel(IMAGE[:, 3:30]))
    assert not out[:, 30:].any()
    with pytest.raises(warpwise.InvalidArgument, match="elements of torch.float64"):
        warpwise.sobel(tensor.double())


def test_a_subclass_of_torchs_tensor():
    torch = pytest.importorskip("torch")

    class Picture(torch.Tensor):
        pass
    assert isinstance(warpwise.sobel(torch.from_numpy(IMAGE.copy()).as_subclass(Picture)), torch.Tensor)
    with pytest.raises(BufferError, match="gradient"):
        warpwise.sobel(torch.ones(4, 4, requires_grad=True).as_subclass(Picture))


def test_what_torch_does_not_lend():
    torch = pytest.importorskip("torch")
    with pytest.raises(BufferError, match="gradient"):
        warpwise.sobel(torch.ones(4, 4, requires_grad=True))
    with pytest.raises((BufferError, RuntimeError)):
        warpwise.sobel(torch.ones(4, 4).to_sparse())
    with pytest.raises((BufferError, RuntimeError, ValueError)):
        warpwise.sobel(torch.ones(4, 4, device="meta"))
    read_only = getattr(torch.utils.dlpack, "ReadOnlyTensorWrapper", None)
    if read_only is not None:
        with pytest.raises(warpwise.InvalidArgument, match="read-only"):
            warpwise.copy(torch.ones(4, 4), out=read_only(torch.ones(4, 4)))


def test_bfloat16_of_numpy():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    a = np.arange(12).reshape(3, 4).astype(ml_dtypes.bfloat16)
    assert warpwise.gemv(a, np.ones(4, a.dtype)).tolist() == [6, 22, 38]
    copied, out = warpwise.copy(a[:, 1:3]), np.zeros_like(a)
    assert copied.dtype == a.dtype and (copied == a[:, 1:3]).all()
    assert warpwise.copy(a, out=out) is out and (out == a).all()
    out.flags.writeable = False
    with pytest.raises(warpwise.InvalidArgument, match="out is read-only"):
        warpwise.copy(a, out=out)
    with pytest.raises(warpwise.InvalidArgument, match="src has elements of float8_e5m2, which no primitive takes"):
        warpwise.copy(a.astype(ml_dtypes.float8_e5m2))


def test_bfloat16_of_jax():
    jax = pytest.importorskip("jax")
    array = jax.device_put(jax.numpy.arange(6, dtype="bfloat16").reshape(2, 3), jax.devices("cpu")[0])
    copied = warpwise.copy(array)
    assert copied.dtype == array.dtype and (copied == array).all()


def test_jax():
    jax = pytest.importorskip("jax")
    on_cpu = jax.devices("cpu")[0]
    array = jax.device_put(IMAGE, on_cpu)
    result = warpwise.sobel(array)
    assert type(result).__module__.split(".")[0] in ("jax", "jaxlib")
    assert np.array_equal(np.asarray(result), warpwise.sobel(IMAGE))
    with pytest.raises(warpwise.InvalidArgument, match="out is (read-only|a JAX array)"):
        warpwise.copy(array, out=jax.device_put(np.zeros_like(IMAGE), on_cpu))


def test_opencv():
    cv2 = pytest.importorskip("cv2")
    image = cv2.merge([IMAGE, IMAGE[::-1].copy(), IMAGE])
    assert np.array_equal(warpwise.convert(image, "bgr24", "gray8", convention="opencv"),
                          cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))
    assert np.array_equal(warpwise.threshold(IMAGE, window=11, offset=2),
                          cv2.adaptiveThreshold(IMAGE, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, 11, 2))
