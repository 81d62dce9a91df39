"""Features of cuTile for scripts/record-python-stacks.py."""
import sys

import cuda.tile as ct
import cupy
import numpy as np

STACK = "cuTile"
PACKAGES = ["cuda-tile[tileiras]", "cupy-cuda13x", "cuda-toolkit[nvrtc,cudart,cccl]>=13,<14", "numpy<2.5"]


@ct.kernel
def _add(a, b, to):
    block = ct.bid(0)
    ct.store(to, index=(block,), tile=ct.load(a, index=(block,), shape=(16,)) + ct.load(b, index=(block,), shape=(16,)))


def launch():
    """its first launch

    not run: `tileiras` makes machine code. The error names it

    says: no kernel image is available for execution on the device
    """
    a, to = cupy.asarray(np.arange(64, dtype=np.float32)), cupy.empty(64, cupy.float32)
    ct.launch(cupy.cuda.get_current_stream().ptr, (4,), _add, (a, a, to))
    assert (to == 2 * a).all()


globals()[sys.argv[1]]()
