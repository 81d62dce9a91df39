"""Tests emulator.explain on kernels of numba, CuPy, Triton and Warp: the costs of their lines, and the refused arguments."""

import gc
import inspect
import os
import pathlib
import pickle
import shutil
import tempfile
import warnings

import numpy as np
import pytest
import warpwise

emulator = pytest.importorskip("warpwise.emulator", reason="the library was built without the emulator")
if shutil.which(os.environ.get("WARPWISE", "warpwise")) is None:
    pytest.skip("the command warpwise is not installed here", allow_module_level=True)

SOURCE = np.arange(2048, dtype=np.float32)
TARGET = np.zeros(1024, np.float32)


def expect(report, line, text, sectors):
    """Checks that each request of this line reads this number of sectors, and that text and page show the line."""
    found = next(each for each in report["lines"] if each["line"] == line)
    loads = found["by_cc"]["9.0"]["global_load"]
    assert report["faults"] == [] and loads["transactions"]["32"] == sectors * loads["requests"] > 0
    assert text in str(report) and text in report._repr_html_()
    assert pickle.loads(pickle.dumps(report)) == report


class OfADevice:
    """An array that claims to be on a device, as arrays of numba and CuPy are, which cannot be made without a GPU."""

    __cuda_array_interface__ = {"shape": (1024,), "typestr": "<f4", "data": (0, False), "version": 3}


def refused(kernel, block, messages):
    """Checks that each of these arguments is refused with its message."""
    for message, arguments in messages.items():
        with pytest.raises(TypeError, match=message):
            emulator.explain(kernel, 4, block, *arguments)


def line_in(function, mark):
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, text in enumerate(lines) if mark in text)


def test_numba(tmp_path, monkeypatch):
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
    assert "past the end of source, f32[64] of 256 bytes" in beyond["faults"][0]["message"]
    for folder in [tmp_path / "a folder", tmp_path / ("long" * 20)]:  # the text is wrapped in the file's name, or before it
        folder.mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(folder))
        text = str(emulator.explain(gather, (8, 1), (128, 1), SOURCE[:64], TARGET, 1024))
        assert "past the end of source, f32[64]" in " ".join(text.split()) and ".npy" not in text
    refused(gather, 128, {
        "the rows of source must be contiguous": (SOURCE[::2], TARGET, 1024),
        "count is of <class 'NoneType'>": (SOURCE, TARGET, None),
        "count is of <class 'str'>": (SOURCE, TARGET, "1024"),
        "count is 18446744073709551616, which 64 bits": (SOURCE, TARGET, 2**64),
        r"source has bool; .* a.view\(numpy.uint8\)": (SOURCE > 0, TARGET, 1024),
        r"target is an array of a device; .* a.copy_to_host\(\)": (SOURCE, OfADevice(), 1024),
        "source, target, count; 1 are given": (SOURCE,)})
    with pytest.raises(TypeError, match="without its launch"):
        emulator.explain(gather[8, 128], 8, 128, SOURCE, TARGET, 1024)


def test_cupy():
    cupy = pytest.importorskip("cupy")
    code = ('extern "C" __global__ void gather(const float* source, float* target, long long count) {\n'
            '  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n'
            '  if (i < count) target[i] = source[STRIDE * i];\n}\n')
    kernel = cupy.RawKernel(code, "gather", options=("-DSTRIDE=2",))
    expect(emulator.explain(kernel, (8,), (128,), SOURCE, TARGET, 1024), 3, "source[STRIDE * i]", 8)
    narrow = cupy.RawKernel('extern "C" __global__ void fill(float* to, int value, unsigned more, float scale, bool set) {\n'
                            '  if (set) to[threadIdx.x] = value + scale * more;\n}\n', "fill")
    assert emulator.explain(narrow, 1, 32, TARGET, -5, 2**32 - 1, np.float32(2), True)["faults"] == []
    refused(narrow, 32, {
        "argument 1 is 4294967296, and the kernel's parameter has 32 bits": (TARGET, 2**32, 1, np.float32(2), True),
        r"argument 3 is a float, .* numpy.float32\(2.0\)": (TARGET, 1, 1, 2.0, True),
        "argument 1 is of <class 'NoneType'>": (TARGET, None, 1, np.float32(2), True)})
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
    tuned = triton.autotune([triton.Config({"BLOCK": 256})], key=[])(gather)
    assert emulator.explain(tuned, 4, 128, SOURCE, TARGET, 1024, 256)["lines"] == report["lines"]
    refused(gather, 128, {
        "source, target, count, BLOCK; 1 are given": (SOURCE,),
        "count is of <class 'str'>": (SOURCE, TARGET, "1024", 256),
        "source has bool": (SOURCE > 0, TARGET, 1024, 256),
        "count is 18446744073709551616": (SOURCE, TARGET, 2**64, 256),
        r"target is an array of a device; .* a.get\(\) of CuPy": (SOURCE, OfADevice(), 1024, 256)})
    with pytest.raises(TypeError, match="without its launch"):
        emulator.explain(gather[(4,)], 4, 128, SOURCE, TARGET, 1024, 256)


def test_triton_specialises_as_in_a_launch():
    triton = pytest.importorskip("triton")
    tl = triton.language

    @triton.jit
    def spread(target, stride, wide: tl.int64, more, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        if more is not None:
            tl.store(target + i * stride + wide, more)

    def stores(kernel, stride, more=True):
        report = emulator.explain(kernel, 2, 128, TARGET, stride, 0, more, 512)
        assert report["faults"] == []
        return sum(line["by_cc"]["9.0"]["global_store"]["requests"] for line in report["lines"]
                   if line["line"] == line_in(spread.fn, "tl.store"))

    # Triton makes a stride of 1 a constant, so that a thread stores its four neighbours at once.
    assert stores(spread, 1) == 8
    assert stores(triton.jit(spread.fn, do_not_specialize=["stride"]), 1) == 32
    assert stores(spread, 1, np.int32(1)) == stores(spread, 1, False) == 8
    assert stores(spread, 1, None) == 0
    refused(spread, 128, {
        "wide is 2.5, which explain cannot give as Triton's i64": (TARGET, 1, 2.5, 1, 512),
        "wide is None": (TARGET, 1, None, 1, 512)})


def test_warp():
    warp = pytest.importorskip("warp")

    @warp.kernel
    def gather(source: warp.array(dtype=float), target: warp.array(dtype=float), count: int):
        i = warp.tid()
        if i < count:
            target[i] = source[2 * i]

    report = emulator.explain(gather, 1024, 128, SOURCE, TARGET, 1024)
    expect(report, line_in(gather.func, "source[2"), "target[i] = source[2 * i]", 8)
    beyond = emulator.explain(gather, 1024, 128, SOURCE[:64], TARGET, 1024)
    assert [each["kind"] for each in beyond["faults"]] == ["out_of_bounds"]

    @warp.kernel
    def heights(points: warp.array2d(dtype=warp.vec3), target: warp.array2d(dtype=float), half: warp.float16, is_set: bool):
        row, column = warp.tid()
        if is_set:
            target[row, column] = points[row, column][1] * float(half)

    points, target = np.ones((20, 30, 3), np.float32), np.zeros((20, 30), np.float32)
    assert emulator.explain(heights, (20, 30), 64, points, target, 0.5, True, check="all")["faults"] == []
    refused(gather, 128, {
        "source, target, count; 1 are given": (SOURCE,),
        "source takes an array of float32 with 1 dimensions, not float64": (SOURCE.astype(np.float64), TARGET, 1024),
        "count is of <class 'str'>": (SOURCE, TARGET, "1024")})


def test_others():
    with pytest.raises(TypeError, match="a kernel of numba"):
        emulator.explain(len, 1, 32)
    with pytest.raises(TypeError, match="its grid, its block"):
        emulator.explain(len)
    with pytest.raises(TypeError, match="no html"):
        emulator.explain("kernel.cu", html="a.html")


def test_a_failed_page_is_an_error_and_the_folder_is_removed(tmp_path):
    file = tmp_path / "set.ptx"
    file.write_text(""".version 7.0
.target sm_75
.address_size 64
.visible .entry set(.param .u64 to)
{
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [to];
  st.global.u32 [%d1], 1;
  ret;
}
""")
    report = emulator.explain(file, kernel="set", grid=1, block=1, arg=[TARGET])
    folder = pathlib.Path(report._folder)
    assert "set" in report._repr_html_() and folder.is_dir()
    file.unlink()
    for _ in range(2):
        with pytest.raises(warpwise.Error, match="set.ptx"):
            report._repr_html_()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        del report
        gc.collect()
    assert not folder.exists()
