#!/usr/bin/env bash
# Downloads NVIDIA's run-time compiler (NVRTC) and the headers that kernels include into the user's cache,
# for `warpwise explain` on a machine without a CUDA toolkit. Takes about 90 MB from PyPI and 250 MB of
# disk. Needs no GPU and no root, and installs nothing into the system or into any Python environment.
#
#   scripts/get-nvrtc.sh [VERSION]     VERSION: of the wheels, 13.0 unless given
#
# The folder is ${XDG_CACHE_HOME:-~/.cache}/warpwise/nvrtc; delete it to uninstall. The wheels are under NVIDIA's
# licence, which is beside them in licenses/.
set -euo pipefail

# shellcheck source=scripts/nvidia-wheels.sh
. "$(dirname "$0")/nvidia-wheels.sh"

version=${1:-13.0}
# nvrtc is the compiler; runtime and crt have cuda_fp16.h, cooperative_groups.h, mma.h …; cccl has cuda/std.
fetch_wheels "$version" cuda-nvrtc cuda-runtime cuda-crt cuda-cccl
# Keeps only the files needed to compile. The runtime's libraries and the copies of NVRTC for alternative builds are
# removed.
rm -rf "$made"/lib/*.a "$made"/lib/libcudart* "$made"/lib/*.alt.so* "$made"/lib/cmake
keep_wheels nvrtc "NVRTC $version" lib/libnvrtc.so.13 include/cuda_fp16.h
