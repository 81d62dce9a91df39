"""emulator.explain on kernels of numba, CuPy and Triton: what they cost by their own lines, and what is refused."""

import inspect
import os
import pickle
import shutil

import numpy as np
import pytest

emulator = pytest.importorskip("warpwise.emulator", reason="the library was built without the emulator")
if shutil.which(os.environ.get("WARPWISE", "warpwise")) is None:
    pytest.skip("the command warpwise is not installed here", allow_module_level=True)

SOURCE = np.arange(2048, dtype=np.float32)
TARGET = np.zeros(1024, np.float32)


def expect(report, line, text, sectors):
    """Each request of this line reads so many sectors, and text and page show the line."""
    found = next(each for each in report["lines"] if each["line"] == line)
    loads = found["by_cc"]["9.0"]["global_load"]
    assert report["faults"] == [] and loads["transactions"]["32"] == sectors * loads["requests"] > 0
    assert text in str(report) and text in report._repr_html_()
    assert pickle.loads(pickle.dumps(report)) == report


def line_in(function, mark):
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, text in enumerate(lines) if mark in text)


def test_numba():
    cuda = pytest.importorskip("numba.cuda")

    @cuda.jit
    def gather(source, target, count):
        i = cuda.grid(1)
        if i < count:
            target[i] = source[2 * i]

    report = emulator.explain(gather, 8, 128, SOURCE, TARGET, 1024)
    expect(report, line_in(gather.py_func, "source[2"), "target[i] = source[2 * i]", 8)
    beyond = emulator.explain(gather, (8, 1), (128, 1), SOURCE[:64], TARGET, 1024, check="all")
    assert [each["kind"] for each in beyond["faults"]] == ["out_of_bounds"]
    with pytest.raises(TypeError, match="contiguous"):
        emulator.explain(gather, 8, 128, SOURCE[::2], TARGET, 1024)


def test_cupy():
    cupy = pytest.importorskip("cupy")
    code = ('extern "C" __global__ void gather(const float* source, float* target, long long count) {\n'
            '  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n'
            '  if (i < count) target[i] = source[STRIDE * i];\n}\n')
    kernel = cupy.RawKernel(code, "gather", options=("-DSTRIDE=2",))
    expect(emulator.explain(kernel, (8,), (128,), SOURCE, TARGET, 1024), 3, "source[STRIDE * i]", 8)
    with pytest.raises(ValueError, match="mistake"):
        emulator.explain(cupy.RawKernel("mistake", "gather"), 1, 32)


def test_triton():
    triton = pytest.importorskip("triton")
    tl = triton.language

    @triton.jit
    def gather(source, target, count, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        values = tl.load(source + 2 * i, mask=i < count)
        tl.store(target + i, values, mask=i < count)

    report = emulator.explain(gather, 4, 128, SOURCE, TARGET, 1024, 256)
    expect(report, line_in(gather.fn, "tl.load"), "tl.load(source + 2 * i", 16)  # a thread loads two neighbours
    with pytest.raises(TypeError, match="source, target, count, BLOCK; 1 are given"):
        emulator.explain(gather, 4, 128, SOURCE)


def test_others():
    with pytest.raises(TypeError, match="a kernel of numba"):
        emulator.explain(len, 1, 32)
    with pytest.raises(TypeError, match="its grid, its block"):
        emulator.explain(len)
