"""Features of NVIDIA Warp for scripts/record-python-stacks.py."""
import sys

import numpy as np
import warp

STACK = "NVIDIA Warp"
PACKAGES = ["warp-lang", "numpy<2.5"]


def arrays():
    """its first array

    not run: `warp.so` holds a static CUDA runtime without symbols. The run names the file

    says: does not run the CUDA runtime in warp.so
    """
    assert (warp.array(np.ones(8, np.float32), device="cuda:0").numpy() == 1).all()


globals()[sys.argv[1]]()
