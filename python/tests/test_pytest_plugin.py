"""Tests the pytest plugin in suites that load PTX through the CUDA driver: faults of kernels fail their tests."""

import importlib.metadata
import importlib.util
import json
import os
import shutil
import subprocess
import sys

import pytest

COMMAND = os.environ.get("WARPWISE") or shutil.which("warpwise")
PLUGINS = [plugin for package in importlib.metadata.distributions() for plugin in package.entry_points if plugin.group == "pytest11"]
# An installed wheel names the plugin as an entry point.
PLUGIN = [] if any(each.module == "pytest_warpwise" for each in PLUGINS) else ["-p", "pytest_warpwise"]
needs_command = pytest.mark.skipif(COMMAND is None, reason="the command warpwise is not installed here")

# The suite's kernel stores 1 into 32 integers; the buffer may have fewer.
SUITE = '''
import ctypes
import math
import subprocess
import sys

import pytest

PTX = b""".version 8.0
.target sm_75
.address_size 64
.visible .entry ones(.param .u64 values)
{
  .reg .b32 %r1; .reg .b64 %d<4>;
  ld.param.u64 %d1, [values];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d2, %r1, 4;
  add.u64 %d3, %d1, %d2;
  st.global.u32 [%d3], 1;
  ret;
}
"""

def ones(count, managed=False):
    driver = ctypes.CDLL("libcuda.so.1")
    context, module, kernel, values = (ctypes.c_void_p() for _ in range(4))
    assert driver.cuInit(0) == 0
    driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    driver.cuCtxSetCurrent(context)
    assert driver.cuModuleLoadData(ctypes.byref(module), PTX) == 0
    assert driver.cuModuleGetFunction(ctypes.byref(kernel), module, b"ones") == 0
    made = driver.cuMemAllocManaged(ctypes.byref(values), 4 * count, 1) if managed else driver.cuMemAlloc_v2(ctypes.byref(values), 4 * count)
    assert made == 0
    pointers = (ctypes.c_void_p * 1)(ctypes.addressof(values))
    driver.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, None, pointers, None)
    if managed:
        return list((ctypes.c_uint32 * count).from_address(values.value))
    back = (ctypes.c_uint32 * count)()
    return [driver.cuMemcpyDtoH_v2(back, values, 4 * count), *back]

def test_sound():
    assert ones(32) == [0] + 32 * [1]

def test_without_gpu():
    pass

def test_counts(gpu_counts):
    ones(32)
    assert gpu_counts.launches == 1
    assert gpu_counts.warp_instructions == 6
    assert gpu_counts.global_store.transactions_32 == 4
    assert gpu_counts.global_store.transactions_32 / gpu_counts.global_store.requests <= 4
    assert gpu_counts.global_load.requests == 0
    with pytest.raises(AttributeError, match="has no transactions here, but .*transactions_32"):
        gpu_counts.global_load.transactions
    with pytest.raises(AttributeError, match="has no global_laod here, but .*global_load"):
        gpu_counts.global_laod
    ones(32)
    assert gpu_counts.launches == 2 and gpu_counts.global_store.requests == 2

def test_counts_of_another_test(gpu_counts):
    assert gpu_counts.launches == 0
    ones(32)
    assert gpu_counts.global_store.requests > 1

def test_counts_alone(gpu_counts):
    assert gpu_counts.launches == 0
    assert 4 * gpu_counts.global_load.requests > gpu_counts.warp_instructions - 1

def test_arithmetic_alone(gpu_counts):
    load = gpu_counts.global_load
    assert load.transactions_32 % 4 == 0 and 9 % (load.requests + 1) == 0 and -abs(load.requests) <= 0
    assert round(load.requests / 3) <= 4 and math.ceil(load.requests / 3) <= 4 and 2 ** load.requests >= 1
    assert divmod(load.requests, 2)[1] < 2 and divmod(7, load.requests + 1)[0] <= 7
    print(f"{load.requests:,} requests, {load.requests}")

def test_value_alone(gpu_counts):
    assert not gpu_counts.divergent_branches

def test_integer_alone(gpu_counts):
    assert int(gpu_counts.launches) == 0

def test_beyond():
    ones(24)

def test_after_a_fault():
    assert ones(32) == [0] + 32 * [1]

def test_beyond_and_skipped():
    ones(24)
    pytest.skip("has no tensor cores")

def test_skipped():
    pytest.skip("has no tensor cores")

@pytest.fixture
def faulty_end():
    yield
    ones(24)

def test_end(faulty_end):
    pass

def test_touch():
    ones(32, managed=True)

def test_after_a_touch():
    ones(32)

def test_child():
    subprocess.run([sys.executable, "-c", "import test_suite; test_suite.ones(24)"], check=False)

def test_loaded():
    ctypes.CDLL("libcudart.so.13")
'''

CASES = '''
import unittest
import pytest
from test_suite import ones

class Case(unittest.TestCase):
    def test_skips(self):
        ones(24)
        self.skipTest("has no tensor cores")

    def test_fails(self):
        ones(24)
        self.fail("its own reason")

def test_raises():
    ones(24)
    raise unittest.SkipTest("has no tensor cores")

@pytest.mark.xfail
def test_expected():
    ones(24)
'''


def run_suite(folder, *options, before=(), **more):
    (folder / "test_suite.py").write_text(SUITE, encoding="utf-8")
    environment = {**os.environ, "WARPWISE": COMMAND or "", "COLUMNS": "200", **more}
    return subprocess.run([*before, sys.executable, "-m", "pytest", *PLUGIN, "-rA", "-p", "no:cacheprovider", *options, "test_suite.py"],
                          cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


@needs_command
def test_faults_fail_their_tests(tmp_path):
    done = run_suite(tmp_path, "--warpwise", "-k", "not child and not counts and not alone and not touch")
    assert "PASSED test_suite.py::test_sound" in done.stdout
    assert "PASSED test_suite.py::test_without_gpu" in done.stdout
    assert "FAILED test_suite.py::test_beyond - Failed: out_of_bounds in kernel ones" in done.stdout
    assert "(8 times)" in done.stdout
    assert "PASSED test_suite.py::test_after_a_fault" in done.stdout
    assert "FAILED test_suite.py::test_beyond_and_skipped - Failed: out_of_bounds in kernel ones" in done.stdout
    assert "SKIPPED [1] test_suite.py" in done.stdout
    assert "ERROR test_suite.py::test_end - Failed: out_of_bounds in kernel ones" in done.stdout
    assert "5 launches of 1 kernel, 3 faults" in done.stderr
    assert done.returncode == 1


@pytest.mark.skipif(PLUGIN != [], reason="no installed wheel names the plugin")
def test_the_plugin_may_be_named_twice(tmp_path):
    """The wheel's entry point names the plugin, and so does -p."""
    (tmp_path / "test_nothing.py").write_text("def test_nothing():\n    pass\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "pytest_warpwise", "-p", "no:cacheprovider"], cwd=tmp_path,
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@needs_command
def test_faults_in_tests_of_unittest(tmp_path):
    (tmp_path / "test_cases.py").write_text(CASES, encoding="utf-8")
    done = run_suite(tmp_path, "--warpwise=all", "test_cases.py", "-k", "test_cases")
    assert "FAILED test_cases.py::Case::test_skips - Failed: out_of_bounds in kernel ones" in done.stdout
    assert "FAILED test_cases.py::test_raises - Failed: out_of_bounds in kernel ones" in done.stdout
    assert "FAILED test_cases.py::Case::test_fails - AssertionError: its own reason" in done.stdout
    assert done.stdout.count(" Captured GPU faults call ") == 1
    assert "XFAIL test_cases.py::test_expected" in done.stdout


@needs_command
def test_an_access_without_synchronisation(tmp_path):
    """No CUDA call follows the access in its test."""
    done = run_suite(tmp_path, "--warpwise=runtime", "-k", "touch")
    assert "FAILED test_suite.py::test_touch - Failed: unsynchronised in the program" in done.stdout
    assert "PASSED test_suite.py::test_after_a_touch" in done.stdout
    assert done.returncode == 1


@needs_command
def test_a_runtime_that_nothing_has_called(tmp_path):
    done = run_suite(tmp_path, "--warpwise=all", "-k", "loaded")
    assert "PASSED test_suite.py::test_loaded" in done.stdout
    assert done.returncode == 0


@needs_command
def test_a_fault_in_a_child(tmp_path):
    done = run_suite(tmp_path, "--warpwise", "-k", "child")
    assert "PASSED test_suite.py::test_child" in done.stdout
    assert "1 launch of 1 kernel, 1 fault" in done.stderr
    assert done.returncode == 1


@needs_command
def test_checks_are_passed_on(tmp_path):
    done = run_suite(tmp_path, "--warpwise=races", "-k", "sound")
    assert "PASSED test_suite.py::test_sound" in done.stdout
    assert "warpwise: every result is exact\n" in done.stderr  # without the check: "… if no threads race"
    done = run_suite(tmp_path, "--warpwise=nothing")
    assert "--check got 'nothing'" in done.stderr
    assert done.returncode == 2
    (tmp_path / "suites").mkdir()
    assert "--warpwise takes 'suites' as its checks" in run_suite(tmp_path, "--warpwise", "suites").stderr
    (tmp_path / "races").mkdir()
    assert "PASSED test_suite.py::test_sound" in run_suite(tmp_path, "--warpwise=races", "-k", "sound").stdout


@needs_command
def test_under_the_command(tmp_path):
    done = run_suite(tmp_path, "--warpwise", "-k", "sound", before=[COMMAND, "run"])
    assert "PASSED test_suite.py::test_sound" in done.stdout
    done = run_suite(tmp_path, "--warpwise=all", "-k", "sound", before=[COMMAND, "run"])
    assert "write warpwise run --check all" in done.stderr
    assert done.returncode == 4


@needs_command
def test_counts_of_a_test(tmp_path):
    done = run_suite(tmp_path, "--warpwise", "-k", "counts and not counts_alone or alone and not counts")
    assert "PASSED test_suite.py::test_counts\n" in done.stdout
    for test in ["arithmetic", "value", "integer"]:
        assert f"PASSED test_suite.py::test_{test}_alone" in done.stdout
    assert "FAILED test_suite.py::test_counts_of_another_test - assert 1 > 1" in done.stdout
    assert "unchecked" not in done.stdout


def test_counts_without_the_option(tmp_path):
    done = run_suite(tmp_path, "-k", "counts_alone or arithmetic or without_gpu")
    assert "PASSED test_suite.py::test_counts_alone" in done.stdout
    assert "PASSED test_suite.py::test_arithmetic_alone" in done.stdout
    assert "uncounted requests, uncounted\n" in done.stdout
    assert "tests with unchecked gpu_counts: 2\n" in done.stdout
    assert done.returncode == 0
    done = run_suite(tmp_path, "-k", "value or integer")
    for test in ["value", "integer"]:
        assert f"FAILED test_suite.py::test_{test}_alone - TypeError: without --warpwise nothing is counted" in done.stdout


@needs_command
def test_explain(tmp_path):
    done = run_suite(tmp_path, "--warpwise", "--warpwise-explain=costs.json", "-k", "sound")
    assert done.returncode == 0, done.stderr
    kernel, = json.loads((tmp_path / "costs.json").read_text(encoding="utf-8"))["kernels"]
    assert kernel["kernel"] == "ones"
    done = run_suite(tmp_path, "--warpwise-explain=costs.json", "-k", "sound")
    assert "--warpwise-explain needs --warpwise" in done.stderr
    assert done.returncode == 4
    done = run_suite(tmp_path, "--warpwise", "--warpwise-explain=costs.json", "-k", "sound", before=[COMMAND, "run"])
    assert "write warpwise run --explain costs.json" in done.stderr
    assert done.returncode == 4
    if importlib.util.find_spec("xdist"):
        done = run_suite(tmp_path, "--warpwise", "--warpwise-explain=costs.json", "-n", "2")
        assert "leave out -n" in done.stderr
        assert done.returncode == 4


@needs_command
def test_the_same_search_path(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "test_path.py").write_text("import sys\n\ndef test_path():\n    print(sys.path[:3])\n    assert 0\n", encoding="utf-8")
    start = "import sys, pytest; sys.path[0] = 'its own'; sys.exit(pytest.main(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", start, *PLUGIN, "--import-mode=importlib", "inner", "--warpwise"], cwd=tmp_path,
                          env={**os.environ, "WARPWISE": COMMAND}, capture_output=True, text=True, timeout=120)
    assert "['its own', " in done.stdout


def test_without_the_option(tmp_path):
    done = run_suite(tmp_path, "-k", "without_gpu")
    assert "PASSED test_suite.py::test_without_gpu" in done.stdout
    assert "warpwise:" not in done.stderr


def test_without_the_command(tmp_path):
    done = run_suite(tmp_path, "--warpwise", "-v", WARPWISE="", PATH=str(tmp_path))
    assert "the command warpwise, which is not on the PATH" in done.stderr
    assert done.returncode == 4
