"""Features of Taichi for scripts/record-python-stacks.py."""
import sys

import numpy as np
import taichi as ti

STACK = "Taichi"
PACKAGES = ["taichi", "numpy<2.5"]
ti.init(arch=ti.cuda, device_memory_GB=0.5)
assert ti.lang.impl.current_cfg().arch == ti.cuda, "Taichi has taken another device"


def kernels():
    """fields, kernels, sums, `ti.ndarray`

    runs
    """
    field, array = ti.field(ti.f32, 1000), ti.ndarray(ti.f32, 1000)

    @ti.kernel
    def fill(to: ti.types.ndarray()):
        for i in range(1000):
            field[i] = 2 * i
            to[i] = 3 * i

    @ti.kernel
    def total() -> ti.f32:
        result = 0.0
        for i in field:
            result += field[i]
        return result

    fill(array)
    np.testing.assert_array_equal(field.to_numpy(), 2 * np.arange(1000))
    np.testing.assert_array_equal(array.to_numpy(), 3 * np.arange(1000))
    assert total() == 999000


def out_of_bounds():
    """an access out of bounds

    found: with its kernel, buffer and the line of the launch. Taichi's PTX has no source lines
    """
    array = ti.ndarray(ti.f32, 1024)

    @ti.kernel
    def beyond(to: ti.types.ndarray()):
        for i in range(1024):
            to[i + 1048576] = 1

    beyond(array)
    ti.sync()


globals()[sys.argv[1]]()
