#!/usr/bin/env bash
# Downloads NVIDIA's run-time compiler (NVRTC) and the headers that kernels include into the user's cache,
# for `warpwise explain` on a machine without a CUDA toolkit. Takes about 90 MB from PyPI and 250 MB of
# disk. Needs no GPU and no root, and installs nothing into the system or into any Python environment.
#
#   scripts/get-nvrtc.sh [VERSION]     VERSION: of the wheels, 13.0 unless given
#
# The folder is ${XDG_CACHE_HOME:-~/.cache}/warpwise/nvrtc; deleting it undoes this. The wheels are
# NVIDIA's and under its licence, which is beside them in licenses/.
set -euo pipefail

# shellcheck source=scripts/nvidia-wheels.sh
. "$(dirname "$0")/nvidia-wheels.sh"

version=${1:-13.0}
# nvrtc: the compiler; runtime, crt: cuda_fp16.h, cooperative_groups.h, mma.h …; cccl: cuda/std.
fetch_wheels "$version" cuda-nvrtc cuda-runtime cuda-crt cuda-cccl
# Keeps only the files needed to compile: no static libraries of the runtime, no copies for alternative builds.
rm -rf "$made"/lib/*.a "$made"/lib/libcudart* "$made"/lib/*.alt.so* "$made"/lib/cmake
keep_wheels nvrtc "NVRTC $version" lib/libnvrtc.so.13 include/cuda_fp16.h
