"""Features of JAX for scripts/record-python-stacks.py."""
import sys

import jax

STACK = "JAX"
PACKAGES = ["jax", "jax-cuda13-plugin"]


def devices():
    """`jax.devices("cuda")`

    not run: XLA asks the driver's management library (NVML) for GPUs, which is not emulated. JAX goes on with the CPU

    says: Unknown backend cuda
    """
    assert jax.devices("cuda")


globals()[sys.argv[1]]()
