"""The pytest plugin, in suites that load PTX through the CUDA driver: faults of kernels fail their tests."""

import importlib.metadata
import os
import shutil
import subprocess
import sys

import pytest

COMMAND = os.environ.get("WARPWISE") or shutil.which("warpwise")
PLUGINS = [plugin for package in importlib.metadata.distributions() for plugin in package.entry_points if plugin.group == "pytest11"]
needs_command = pytest.mark.skipif(COMMAND is None, reason="the command warpwise is not installed here")

# Stores 1 into 32 integers, of which there may be fewer.
SUITE = '''
import ctypes

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

def ones(count):
    driver = ctypes.CDLL("libcuda.so.1")
    context, module, kernel, values = (ctypes.c_void_p() for _ in range(4))
    assert driver.cuInit(0) == 0
    driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    driver.cuCtxSetCurrent(context)
    assert driver.cuModuleLoadData(ctypes.byref(module), PTX) == 0
    assert driver.cuModuleGetFunction(ctypes.byref(kernel), module, b"ones") == 0
    assert driver.cuMemAlloc_v2(ctypes.byref(values), 4 * count) == 0
    pointers = (ctypes.c_void_p * 1)(ctypes.addressof(values))
    driver.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, None, pointers, None)
    back = (ctypes.c_uint32 * count)()
    return [driver.cuMemcpyDtoH_v2(back, values, 4 * count), *back]

def test_sound():
    assert ones(32) == [0] + 32 * [1]

def test_without_gpu():
    pass

def test_beyond():
    ones(24)
'''


def run_suite(folder, *options, **more):
    (folder / "test_suite.py").write_text(SUITE, encoding="utf-8")
    environment = {**os.environ, "WARPWISE": COMMAND or "", **more}
    # An installed wheel names the plugin as an entry point.
    named = any(each.module == "pytest_warpwise" for each in PLUGINS)
    plugin = [] if named else ["-p", "pytest_warpwise"]
    return subprocess.run([sys.executable, "-m", "pytest", *plugin, "-rA", "-p", "no:cacheprovider", *options, "test_suite.py"],
                          cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


@needs_command
def test_faults_fail_their_tests(tmp_path):
    done = run_suite(tmp_path, "--gpu=emulated")
    assert "PASSED test_suite.py::test_sound" in done.stdout
    assert "PASSED test_suite.py::test_without_gpu" in done.stdout
    assert "FAILED test_suite.py::test_beyond - Failed: out_of_bounds in kernel ones" in done.stdout
    assert "(8 times)" in done.stdout
    assert "2 launches of 1 kernel, 1 fault" in done.stderr
    assert done.returncode == 1


@needs_command
def test_checks_are_passed_on(tmp_path):
    done = run_suite(tmp_path, "--gpu=emulated", "--gpu-check=races", "-k", "sound")
    assert "PASSED test_suite.py::test_sound" in done.stdout
    assert "warpwise: all that ran is exact\n" in done.stderr  # without the check: "… if no threads race"
    done = run_suite(tmp_path, "--gpu=emulated", "--gpu-check=nothing")
    assert "--check got 'nothing'" in done.stderr
    assert done.returncode == 2


def test_without_the_option(tmp_path):
    done = run_suite(tmp_path, "-k", "without_gpu")
    assert "PASSED test_suite.py::test_without_gpu" in done.stdout
    assert "warpwise:" not in done.stderr
    assert "--gpu-check needs --gpu=emulated" in run_suite(tmp_path, "--gpu-check=all").stderr


def test_without_the_command(tmp_path):
    done = run_suite(tmp_path, "--gpu=emulated", WARPWISE="", PATH=str(tmp_path))
    assert "the command warpwise, which is not on the PATH" in done.stderr
    assert done.returncode == 4
