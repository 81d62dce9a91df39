"""Tests warpwise.emulator: launches, counts, faults, and explain."""

import copy
import ctypes
import doctest
import json
import os
import pickle
import shutil
import sys

import numpy as np
import pytest

import warpwise
from warpwise import _command

emulator = pytest.importorskip("warpwise.emulator", reason="the library was built without the emulator")

# to[i] = value, one element a thread: in PTX, so that no compiler is needed.
SET = """
.version 7.0
.target sm_75
.address_size 64
.visible .entry set(.param .u64 to, .param .u32 value)
{
  .reg .b32 %r<3>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [to];
  ld.param.u32 %r1, [value];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %d2, %r2, 4;
  add.s64 %d3, %d1, %d2;
  st.global.u32 [%d3], %r1;
  ret;
}
.visible .entry scale(.param .u64 of, .param .f32 factor, .param .align 8 .b8 unused[16])
{
  .reg .f32 %f<3>;
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [of];
  ld.param.f32 %f1, [factor];
  ld.global.f32 %f2, [%d1];
  mul.f32 %f2, %f2, %f1;
  st.global.f32 [%d1], %f2;
  ret;
}
.visible .entry pair(.param .align 4 .b8 unused[8])
{
  ret;
}
"""

# Prints bytes that are not UTF-8, and writes to an address without memory.
PRINTS = b"""
.version 7.0
.target sm_75
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.file 1 "k\xff.cu"
.global .align 1 .b8 format[5] = {195, 164, 255, 10, 0};
.visible .entry prints(.param .u64 to)
{
  .reg .b32 %r<2>;
  .reg .b64 %d<3>;
  .loc 1 7 0
  mov.u64 %d1, format;
  cvta.global.u64 %d1, %d1;
  mov.u64 %d2, 0;
  {
    .param .b64 p0;
    st.param.b64 [p0], %d1;
    .param .b64 p1;
    st.param.b64 [p1], %d2;
    .param .b32 q0;
    call.uni (q0), vprintf, (p0, p1);
    ld.param.b32 %r1, [q0];
  }
  ld.param.u64 %d1, [to];
  st.global.u32 [%d1+4], %r1;
  ret;
}
.visible .entry ends_never()
{
  .reg .b32 %r<2>;
AGAIN:
  add.u32 %r1, %r1, 1;
  bra AGAIN;
}
"""

# The kernel of the tests of expectations: each expectation is about one of its lines.
TRANSPOSE = """__constant__ float bias[1];
extern "C" __global__ void transpose(const float* from, float* to, int size) {
  __shared__ float tile[32][32 + PAD];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = from[y * size + x];
  __syncthreads();
  to[(blockIdx.x * 32 + threadIdx.y) * size + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y] + bias[0];
}
"""


@pytest.fixture
def bench():
    return emulator.Testbench()


def compiled(bench, text, **how):
    try:
        return bench.load_cuda(text, **how)
    except warpwise.Unsupported as error:
        pytest.skip(str(error))


def test_examples():
    assert doctest.testmod(emulator).failed == 0
    finder = doctest.DocTestFinder().find(emulator.Testbench, "Testbench", globs={})
    assert sum(doctest.DocTestRunner().run(each).failed for each in finder) == 0


def test_a_kernel_without_faults(bench):
    to = bench.zeros("to", (4, 10), np.int32)
    launch = bench.load_ptx(SET).kernel("set").launch(1, (40, 1), to, -7)
    assert launch.expect_no_faults() and launch.faults == [] and launch.blocks == 1
    assert to.read().shape == (4, 10) and (to.read() == -7).all()
    assert launch.totals.warp_instructions == 2 * 7 and launch.totals.thread_instructions == 40 * 7
    assert launch.memory[0].global_store.requests == 2
    assert launch.memory[0].global_store.bytes_requested == 160


def test_faults_are_found(bench):
    to = bench.buffer("to", np.ones(40, np.int32))
    launch = bench.load_ptx(SET).kernel("set").launch(2, 41, to, 7)
    outcome = launch.expect_no_faults()
    assert not outcome and "past the end of to of 160 bytes" in outcome.text and repr(outcome) == outcome.text
    kinds = {fault.kind for fault in launch.faults}
    assert "out_of_bounds" in kinds and "equal_writes" not in kinds
    outside = next(fault for fault in launch.faults if fault.kind == "out_of_bounds")
    assert outside.thread == (40, 0, 0) and outside.count == 2


def test_results_are_values(bench):
    """A launch's counts and faults can be compared, shown and pickled; the launch stays with its Testbench."""
    module = bench.load_ptx(SET)
    launches = [module.kernel("set").launch(2, threads, bench.zeros("to", 40, np.int32), 7) for threads in (41, 41, 32)]
    results = [[launch.totals, *launch.memory, launch.memory[0].global_store, launch.memory[0].shared_load, *launch.lines,
                *launch.faults, launch.expect_no_faults()] for launch in launches]
    assert results[0] == results[1] and len(set(map(type, results[0]))) == 7
    for one, same in zip(*results[:2]):
        assert one == same and hash(one) == hash(same) and repr(one) == repr(same) and one != repr(one)
        for again in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one)):
            assert again == one and type(again) is type(one) and repr(again) == repr(one) and bool(again) == bool(one)
    assert launches[0].totals != launches[2].totals and launches[0].lines != launches[2].lines
    assert launches[0].memory[0].global_store != launches[2].memory[0].global_store
    assert "global_store=TrafficCounts(requests=" in repr(launches[0].lines[0])
    again = pickle.loads(pickle.dumps(launches[0].faults))
    assert again[0].thread == launches[0].faults[0].thread and again[0].kind == launches[0].faults[0].kind
    assert bench.buffer("x", np.zeros(1)) != bench.buffer("x", np.zeros(1))
    for stays in (bench, module, module.kernel("set"), launches[0], bench.zeros("to", 1, np.int32)):
        with pytest.raises(TypeError, match="pickle"):
            pickle.dumps(stays)


def test_checks_and_budget_are_chosen():
    bench = emulator.Testbench(checks="all,equal_writes", compute_capabilities=["7.5", "9.0"])
    launch = bench.load_ptx(SET).kernel("set").launch(2, 32, bench.zeros("to", 32, np.int32), 7)
    assert {fault.kind for fault in launch.faults} == {"equal_writes"} and len(launch.memory) == 2
    bench = emulator.Testbench(budget=4)
    launch = bench.load_ptx(SET).kernel("set").launch(1, 32, bench.zeros("to", 32, np.int32), 7)
    assert [fault.kind for fault in launch.faults] == ["budget"]


def test_text_that_is_no_utf8(bench, tmp_path):
    file = tmp_path / "prints.ptx"
    file.write_bytes(PRINTS)
    launch = bench.load(file).kernel("prints").launch(1, 1, bench.zeros("to", 1, np.int32))
    assert launch.printed == "\u00e4\\xff\n"
    fault, = launch.faults
    assert fault.kind == "out_of_bounds" and fault.file == "k\\xff.cu" and fault.line == 7
    assert "k\\xff.cu" in {line.file for line in launch.lines}
    assert pickle.loads(pickle.dumps(launch.lines)) == launch.lines and pickle.loads(pickle.dumps(fault)) == fault
    outcome = launch.expect_no_faults()
    assert "k\\xff.cu:7" in outcome.text and repr(outcome) == outcome.text and fault.message in repr(fault)


def test_a_kernel_that_ends_never():
    bench = emulator.Testbench(checks="none")
    launch = bench.load_ptx(PRINTS.decode(errors="replace")).kernel("ends_never").launch(1, 32)
    assert [(fault.kind, "100000000" in fault.message) for fault in launch.faults] == [("budget", True)]


@pytest.mark.parametrize("name", ["plain.ptx", b"bytes.ptx", b"no\xffutf8.ptx", "no\udcffutf8.ptx"])
def test_paths(bench, tmp_path, name):
    path = tmp_path / os.fsdecode(name)
    path.write_text(SET)
    for given in (path, os.fsencode(path), os.fspath(path)):
        assert bench.load(given).kernel("set").name == "set"


def test_paths_that_are_none(bench, tmp_path):
    for path in ("a\0b.ptx", b"a\0b.ptx"):
        with pytest.raises(warpwise.InvalidArgument, match="contains a zero"):
            bench.load(path)
    with pytest.raises(TypeError, match="int"):
        bench.load(3)
    for folders in ("include", b"include"):
        with pytest.raises(TypeError, match="include_folders is one path"):
            bench.load("k.ptx", include_folders=folders)


def test_sizes_of_a_launch(bench):
    to = bench.zeros("to", 32, np.int32)
    for shape in (2, np.int64(2), (2,), [np.uint8(2), 1], np.array([2, 1]), np.array(2)):
        assert bench.load_ptx(SET).kernel("set").launch(shape, 1, to, 7).blocks == 2


def test_what_nobody_could_miss_is_not_met(bench):
    launch = bench.load_ptx(SET).kernel("set").launch(1, 32, bench.zeros("to", 32, np.int32), 7)
    assert launch.expect_sectors_per_request(4)
    assert not launch.expect_no_bank_conflicts()
    assert not launch.expect_sectors_per_request(4, line=99)


def test_arguments(bench):
    scale = bench.load_ptx(SET).kernel("scale")
    for factor in (2, 2.0, np.float32(2), np.float64(2)):
        of = bench.buffer("of", np.array([3], np.float32))
        record = np.zeros((), np.dtype([("pointer", "u8"), ("size", "i4"), ("", "i4")]))
        record["pointer"] = of.address
        for structure in (bytes(16), record[()], memoryview(bytes(16))):
            assert scale.launch(1, 1, of, factor, structure).expect_no_faults()
        assert of.read().tolist() == [3 * 2 ** 3]


@pytest.mark.parametrize("arguments,says", [
    (lambda to: (to,), "takes 2 arguments, not 1"),
    (lambda to: (to, 1, 2), "takes 2 arguments, not 3"),
    (lambda to: (to, 1.5), "floating-point number of 8 bytes, its parameter .u32"),
    (lambda to: (to, 1 << 32), "is 4294967296, which does not fit an integer of 4 bytes"),
    (lambda to: (to, -(1 << 31) - 1), "does not fit"),
    (lambda to: (to, 1 << 70), "does not fit"),
    (lambda to: (to, 10 ** 5000), "does not fit"),
    (lambda to: (None, 1), r"argument 0 \(from 0\) is of type NoneType"),
    (lambda to: (to, None), r"argument 1 \(from 0\) is of type NoneType"),
    (lambda to: (emulator.Testbench().zeros("to", 32, np.int32), 1),
     r"argument 0 \(from 0\) is a Buffer of another Testbench"),
    (lambda to: (to, np.int64(1)), "an integer or an address of 8 bytes, its parameter .u32 of 4"),
    (lambda to: (np.zeros(4, np.int32), 1), r"argument 0 \(from 0\) is an array: pass a Buffer"),
])
def test_arguments_that_do_not_fit(bench, arguments, says):
    to = bench.zeros("to", 32, np.int32)
    with pytest.raises(warpwise.InvalidArgument, match=says):
        bench.load_ptx(SET).kernel("set").launch(1, 1, *arguments(to))


class Swapped(ctypes.BigEndianStructure):
    _fields_ = [("a", ctypes.c_int32), ("b", ctypes.c_int32)]


class SwappedUnion(ctypes.BigEndianUnion if sys.version_info >= (3, 11) else Swapped):
    _fields_ = [("c", ctypes.c_int64)]


def test_structures_that_do_not_fit(bench):
    pair = bench.load_ptx(SET).kernel("pair")
    assert pair.launch(1, 1, np.zeros((), [("a>b", "<i4"), ("c", "<i4")])[()]).expect_no_faults()
    for number in (7, 7.5, True, np.int64(7), np.float64(7)):
        with pytest.raises(warpwise.InvalidArgument, match=r"argument 0 \(from 0\) is of type \w+, its parameter a structure of 8 bytes"):
            pair.launch(1, 1, number)
    for swapped in (np.zeros((), [("a", "<i4"), ("b", ">i4")])[()], Swapped(), (Swapped * 1)(), SwappedUnion()):
        with pytest.raises(warpwise.InvalidArgument, match="byte order"):
            pair.launch(1, 1, swapped)


def test_what_is_refused(bench):
    module, to = bench.load_ptx(SET), bench.zeros("to", 4, np.int32)
    with pytest.raises(TypeError, match="is of type object"):
        module.kernel("set").launch(1, 1, object(), 1)
    for factor in (1e300, -1e39, 10 ** 39, 10 ** 400, 10 ** 5000):
        with pytest.raises(warpwise.InvalidArgument, match="which does not fit its parameter .f32"):
            module.kernel("scale").launch(1, 1, to, factor, bytes(16))
    for shape in ((1, 2, 3, 4), (), -1, (2.5,)):
        with pytest.raises((warpwise.InvalidArgument, TypeError)):
            module.kernel("set").launch(shape, 1, to, 1)
    with pytest.raises(warpwise.InvalidArgument, match="set"):
        module.kernel("sat")
    with pytest.raises(warpwise.InvalidArgument):
        bench.load_ptx("nonsense")
    with pytest.raises(warpwise.IoError, match="missing.ptx") as raised:
        bench.load("missing.ptx")
    assert isinstance(raised.value, OSError)
    with pytest.raises(warpwise.InvalidArgument, match="must be one of emulator, gpu"):
        emulator.Testbench(backend="cpu")
    with pytest.raises(warpwise.InvalidArgument):
        emulator.Testbench(checks="everything")
    with pytest.raises(TypeError, match="elements is no NumPy array"):
        bench.buffer("x", [1, 2])
    with pytest.raises(TypeError):
        bench.buffer("x", np.array([{}], object))
    with pytest.raises(warpwise.InvalidArgument, match="objects"):
        bench.zeros("x", 3, object)
    with pytest.raises(warpwise.InvalidArgument, match="float32 are written to a buffer of int32"):
        to.write(np.zeros(4, np.float32))
    with pytest.raises(warpwise.InvalidArgument, match="5 elements are written to a buffer of 4"):
        to.write(np.zeros(5, np.int32))
    swapped = np.arange(4, dtype=np.dtype(np.int32).newbyteorder())
    for refused in (lambda: bench.buffer("x", swapped), lambda: bench.zeros("x", 4, swapped.dtype), lambda: to.write(swapped),
                    lambda: bench.buffer("x", np.zeros(4, [("a", "u1"), ("b", swapped.dtype)])),
                    lambda: module.variable("none", swapped.dtype)):
        with pytest.raises(warpwise.InvalidArgument, match="whose byte order"):
            refused()
    for refused in (bench.zeros("x", 4, np.int32).write, lambda masked: bench.buffer("x", masked)):
        with pytest.raises(warpwise.InvalidArgument, match="elements is a masked array"):
            refused(np.ma.masked_equal(np.arange(4, dtype=np.int32), 2))
    if warpwise.device_count() == 0:
        with pytest.raises(warpwise.NoCudaDevice):
            emulator.Testbench(backend="gpu")


def test_the_environment_counts_without_a_backend_only(monkeypatch):
    monkeypatch.setenv("WARPWISE_TEST_BACKEND", "cuda")
    assert emulator.Testbench(backend="emulator").backend == "emulator"
    with pytest.raises(warpwise.InvalidArgument, match="WARPWISE_TEST_BACKEND got 'cuda'"):
        emulator.Testbench()


def test_buffers_of_any_type_and_shape(bench):
    for array in (np.arange(6, dtype=np.float64).reshape(2, 3)[:, ::2], np.zeros((0, 3), np.int8),
                  np.array(2.5), np.asfortranarray(np.arange(6).reshape(2, 3)),
                  np.array([(1, 2.5)], np.dtype([("a", "i4"), ("b", "f8")])), np.array([1 + 2j])):
        read = bench.buffer("x", array).read()
        assert read.dtype == array.dtype and read.shape == array.shape and (read == array).all()
        assert read.flags.writeable
    assert bench.zeros("x", (), np.float32).read().shape == () and bench.zeros("x", 2, "i2,f8").read().shape == (2,)


def test_buffers_outlive_their_testbench_object():
    kernel = emulator.Testbench().load_ptx(SET).kernel("set")
    to = emulator.Testbench().zeros("to", 3, np.int32)
    assert kernel.name == "set" and to.read().tolist() == [0, 0, 0]


@pytest.mark.parametrize("pad", [0, 1])
def test_bank_conflicts(bench, pad):
    module = compiled(bench, TRANSPOSE, defines=[f"PAD={pad}"], name="transpose.cu")
    module.variable("bias", np.float32).write(np.array([0.5], np.float32))
    matrix = np.random.default_rng(pad).random((64, 64), np.float32)
    to = bench.zeros("to", matrix.shape, np.float32)
    launch = module.kernel("transpose").launch((2, 2), (32, 32), bench.buffer("from", matrix), to, 64)
    assert launch.expect_no_faults()
    assert np.array_equal(to.read(), matrix.T + np.float32(0.5))
    assert launch.expect_sectors_per_request(4) and launch.expect_no_local_memory()
    conflicts = launch.expect_no_bank_conflicts()
    assert bool(conflicts) == (pad == 1)
    if pad == 0:
        assert "transpose.cu:7" in conflicts.text
        line = next(each for each in launch.lines if each.line == 7)
        assert line.memory[0].shared_load.passes == 32 * line.memory[0].shared_load.requests
    with pytest.raises(warpwise.InvalidArgument, match="no multiple"):
        module.variable("bias", np.float64)


def test_what_the_compiler_says(bench):
    with pytest.raises(warpwise.Error, match="mistake"):
        compiled(bench, '__global__ void f() { mistake; }')


def test_explain(tmp_path):
    if shutil.which(os.environ.get("WARPWISE", "warpwise")) is None:
        with pytest.raises(warpwise.Error, match="not on the PATH"):
            emulator.explain("set.ptx")
        pytest.skip("the command warpwise is not installed here")
    file = tmp_path / "set.ptx"
    file.write_text(SET)
    said = emulator.explain(file, kernel="set", grid=(1, 1), block=32, arg=[np.zeros(31, np.int32), "i32:5"], cc="7.5,9.0")
    assert said["kernel"] == "set" and [each["kind"] for each in said["faults"]] == ["out_of_bounds"]
    with pytest.raises(warpwise.Error, match="kernel"):
        emulator.explain(file, kernel="none", grid=1, block=1)
    for arguments in ((np.zeros(32, np.int32), np.uint32(5)), [np.zeros(32, np.int32), np.array(5, np.int32)]):
        seen = emulator.explain(file, kernel="set", grid=np.int64(1), block=[32, 1], arg=arguments, cc=["7.5", "9.0"])
        assert seen["faults"] == [] and all(f'"{each}"' in json.dumps(seen) for each in ("7.5", "9.0"))
    assert emulator.explain("sobel", size=(64, 48), cc="9.0")["size"] == [64, 48]
    both = emulator.explain(file, file, kernel=["set", "scale"], grid=[(1, 1), 2], block=[(32, 1), 1], shared=[0, 16],
                            arg=[np.zeros(32, np.int32), "i32:5", np.zeros(1, np.float32), "f32:2", "{u64:0,u64:0}"])
    assert (both["before"].split()[0], both["after"].split()[0]) == ("set", "scale")


def test_a_report_keeps_to_its_folder(tmp_path, monkeypatch):
    if shutil.which(os.environ.get("WARPWISE", "warpwise")) is None:
        pytest.skip("the command warpwise is not installed here")
    (tmp_path / "set.ptx").write_text(SET)
    monkeypatch.chdir(tmp_path)
    report = emulator.explain("set.ptx", kernel="pair", grid=1, block=1, arg=["{u64:0}"])
    monkeypatch.chdir("/")
    assert "pair" in str(report) and "pair" in report._repr_html_()


def test_words_of_explain(tmp_path):
    def words(name, value):
        return _command.option(name, value, str(tmp_path), ",")
    assert words("--arg", (np.float32(0.5), np.float64(1e-300), np.int8(-3), np.array(4, np.uint64), "i32:1")) == [
        "--arg", "f32:0.5", "--arg", "f64:1e-300", "--arg", "i8:-3", "--arg", "u64:4", "--arg", "i32:1"]
    assert words("--define", ("A=1", "B")) == ["--define", "A=1", "--define", "B"]
    assert words("--grid", (np.int64(2), 3)) == words("--grid", [2, 3]) == ["--grid", "2,3"]
    assert words("--grid", [(2, 3), 4]) == ["--grid", "2,3", "--grid", "4"] and words("--kernel", ["a", "b"]) == ["--kernel", "a", "--kernel", "b"]
    assert words("--block", np.int64(2)) == ["--block", "2"] and words("--cc", ["7.5", "9.0"]) == ["--cc", "7.5,9.0"]
    with pytest.raises(TypeError, match="arg has bool"):
        words("--arg", [np.True_])


def test_buffers_have_their_names_in_a_wrapped_text():
    text = "the end of argument 11,\n  f32[64]:@/a\n  b/tmp-source-.npy of 256, of argument\n  3, i32[2]:@c.npy and argument 4, i32[2]:@d-to-.npy"
    assert _command.by_name(text) == "the end of source,\n  f32[64] of 256, of argument\n  3, i32[2]:@c.npy and to, i32[2]"


def test_explain_without_a_command(tmp_path, monkeypatch):
    monkeypatch.setenv("WARPWISE", str(tmp_path / "missing"))
    with pytest.raises(warpwise.Error, match="missing: No such file"):
        emulator.explain("set.ptx")
