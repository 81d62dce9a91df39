"""A product of Triton for record-python-speed.py. It prints CPU seconds of a product of 128 x 128, in Triton's interpreter or on the emulated GPU."""
import os
import time

import torch
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, n, TILE: tl.constexpr):
    rows, columns = tl.program_id(0) * TILE + tl.arange(0, TILE), tl.program_id(1) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), tl.float32)
    for k in range(0, n, TILE):
        inner = k + tl.arange(0, TILE)
        total += tl.dot(tl.load(a + rows[:, None] * n + inner), tl.load(b + inner[:, None] * n + columns), input_precision="ieee")
    tl.store(c + rows[:, None] * n + columns, total)


if "TRITON_INTERPRET" not in os.environ:
    import torch_on_host
    torch_on_host.pytest_configure()
taken = []
for _ in range(6):
    a, c = torch.rand(128, 128), torch.zeros(128, 128)
    start = time.process_time()
    product[(4, 4)](a, a, c, 128, TILE=32)
    taken.append(time.process_time() - start)
    torch.testing.assert_close(c, a @ a)
print(sorted(taken[1:])[2])
