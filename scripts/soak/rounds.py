"""Soak test of warpwise.ray.process and of the emulator in one Python process: rounds.py SECONDS PICTURE FOLDER.

A round processes a picture into a new folder, which it removes, and launches a kernel. Prints the number of rounds.
"""
import shutil
import sys
import time

import numpy
from warpwise import emulator, ray

PTX = """
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
}"""


def do_round(picture, folder):
    counts = ray.process([picture], folder, "ycbcr32 | sobel | threshold window=31")
    assert counts == (1, 0, 0), counts
    shutil.rmtree(folder)
    bench = emulator.Testbench()
    to = bench.zeros("to", 40, numpy.int32)
    launch = bench.load_ptx(PTX).kernel("set").launch(1, 40, to, 7)
    assert launch.expect_no_faults() and to.read().sum() == 280


def main(seconds, picture, folder):
    end = time.monotonic() + int(seconds)
    done = 0
    while time.monotonic() < end:
        do_round(picture, folder)
        done += 1
    print(done)


if __name__ == "__main__":
    main(*sys.argv[1:])
