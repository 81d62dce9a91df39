"""Tests CUDA kernels on any machine: the emulator runs their PTX, checks every access and counts its cost.

>>> import numpy
>>> from warpwise import emulator
>>> bench = emulator.Testbench()
>>> module = bench.load_ptx('''
... .version 7.0
... .target sm_75
... .address_size 64
... .visible .entry set(.param .u64 to, .param .u32 value)
... {
...   .reg .b32 %r<3>;
...   .reg .b64 %d<4>;
...   ld.param.u64 %d1, [to];
...   ld.param.u32 %r1, [value];
...   mov.u32 %r2, %tid.x;
...   mul.wide.u32 %d2, %r2, 4;
...   add.s64 %d3, %d1, %d2;
...   st.global.u32 [%d3], %r1;
...   ret;
... }''')
>>> to = bench.zeros("to", 40, numpy.int32)
>>> launch = module.kernel("set").launch(1, 40, to, 7)
>>> assert launch.expect_no_faults() and launch.expect_sectors_per_request(4)
>>> int(to.read().sum())
280
>>> launch = module.kernel("set").launch(1, 41, to, 7)
>>> launch.faults[0].kind, launch.faults[0].thread
('out_of_bounds', (40, 0, 0))
"""

import os
from typing import Any, Union

from ._command import told

try:
    from ._emulator import (
        Buffer, ExecutionCounts, Fault, Kernel, Launch, LineCounts, MemoryCounts, Module, Outcome, PassCounts, Testbench,
        TrafficCounts)
except ImportError as error:
    raise ImportError("this warpwise was built on a library without the emulator; docs/python.md says how to build it on an installed one") from error

__all__ = [
    "Buffer", "ExecutionCounts", "Fault", "Kernel", "Launch", "LineCounts", "MemoryCounts", "Module", "Outcome",
    "PassCounts", "Testbench", "TrafficCounts", "explain"]


def explain(*subjects: Union[str, "os.PathLike[str]"], **options: Any) -> "dict[str, Any]":
    """Runs `warpwise explain SUBJECT --json` and returns its report on a kernel as a dict.

    subjects  a file of CUDA C++ or PTX, a rung or a primitive, as for the command; two subjects are compared
    options   the command's options, with _ for -: kernel="scale", grid=(4, 1), block=256, cc=["9.0", "12.0"],
              machine_code=True. An option that may be repeated takes a list or a tuple: define=["N=3"]
              arg=[...] holds the kernel's arguments: the command's words ("f32[256]:iota", "i32:5"), NumPy scalars, or
              NumPy arrays, which become buffers with the same elements

    The command must be installed, on the PATH or at the path in the environment variable WARPWISE. The dict holds the
    kernel's faults. If the command fails, an Error is raised.
    """
    said: "dict[str, Any]" = told(["explain"], subjects, options, {"size": "x"})
    return said
