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

import html
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Mapping
from typing import Any, Optional

from ._command import REPEATED, by_name, parsed, said, worded
from ._kernels import compiled

try:
    from ._emulator import (
        Buffer, ExecutionCounts, Fault, Kernel, Launch, LineCounts, MemoryCounts, Module, Outcome, PassCounts, Testbench,
        TrafficCounts)
except ImportError as error:
    raise ImportError("this warpwise was built on a library without the emulator; docs/python.md says how to build it on an installed one") from error

__all__ = [
    "Buffer", "ExecutionCounts", "Fault", "Kernel", "Launch", "LineCounts", "MemoryCounts", "Module", "Outcome",
    "PassCounts", "Report", "Testbench", "TrafficCounts", "explain"]


class Report(dict[str, Any]):
    """A report on a kernel: the dict of `warpwise explain --json`. print() shows it as text, a notebook as a page."""

    def __init__(self, subjects: "Iterable[Any]", options: "Mapping[str, Any]",
                 folder: "Optional[str]" = None) -> None:
        self._folder = folder or tempfile.mkdtemp()
        weakref.finalize(self, shutil.rmtree, self._folder, True)
        self._cwd = os.getcwd()  # the words may name files from here
        self._words = ["explain", *worded(subjects, options, {"size": "x"}, self._folder, (*REPEATED, "--shared"))]
        super().__init__(parsed(self._words))

    @property
    def text(self) -> str:
        """Returns the report as `warpwise explain` prints it. The kernel runs again."""
        return by_name(said(self._words, cwd=self._cwd))

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """Returns the page of `warpwise explain --html`, in a frame. The kernel runs again."""
        file = os.path.join(self._folder, "report.html")
        said([*self._words, "--html", file], makes=file, cwd=self._cwd)
        with open(file, encoding="utf-8") as page:
            text = by_name(page.read())
        os.remove(file)
        return f'<iframe style="width: 100%; height: 40em; border: 0" srcdoc="{html.escape(text)}"></iframe>'

    def __reduce__(self) -> Any:
        return dict, (dict(self),)


def explain(*subjects: Any, **options: Any) -> Report:
    """Runs `warpwise explain SUBJECT` and returns its report on a kernel.

    explain(file, …)                        a file of CUDA C++ or PTX, a rung or a primitive, as for the command; two
                                            subjects are compared
    explain(kernel, grid, block, *args, …)  a kernel of numba, Triton or NVIDIA Warp, or a cupy.RawKernel, with NumPy
                                            arrays and numbers as its arguments. It is compiled for CC 9.0, and reported
                                            by its own lines. Triton's block is 32 threads for each of its num_warps.
                                            Warp's grid is in threads, as the dim of warp.launch
    options   the command's options, with _ for -: kernel="scale", grid=(4, 1), block=256, cc=["9.0", "12.0"],
              machine_code=True. An option that may be repeated takes a list or a tuple: define=["N=3"]. So do the
              values of two subjects: kernel=["a", "b"], shared=[0, 1024], grid=[(4, 1), 8], block=[(32, 8), 64]
              arg=[...] holds the kernel's arguments: the command's words ("f32[256]:iota", "i32:5"), NumPy scalars, or
              NumPy arrays, which become buffers with the same elements

    The command must be installed, on the PATH or at the path in the environment variable WARPWISE. The arrays do not
    change. The report holds the kernel's faults. If the command fails, an Error is raised. A kernel or an argument
    of another kind raises a TypeError.
    """
    if "html" in options:
        raise TypeError("explain takes no html: a notebook shows the report's page, and the command writes it with --html FILE")
    if not subjects or isinstance(subjects[0], (str, os.PathLike)):
        return Report(subjects, options)
    if len(subjects) < 3:
        raise TypeError("explain takes a kernel with its grid, its block and its arguments")
    kernel, grid, block, *arguments = subjects
    folder = tempfile.mkdtemp()
    try:
        made = compiled(kernel, grid, block, tuple(arguments), folder)
    except BaseException:
        shutil.rmtree(folder, True)
        raise
    return Report([made.file], {"grid": grid, "block": block, **made.options, **options}, folder)
