#!/usr/bin/env bash
# Downloads NVIDIA's CUPTI into the user's cache, for CUDA toolkits without it. CUPTI reads a GPU's hardware
# counters for `warpwise lab run --counters`. Takes 11 MB from PyPI and 45 MB of disk. Needs no GPU and no
# root, and installs nothing into the system or into any Python environment.
#
#   scripts/get-cupti.sh [VERSION]     VERSION: of the wheel, 13.0 unless given
#
# The folder is ${XDG_CACHE_HOME:-~/.cache}/warpwise/cupti; delete it to uninstall. The wheel is under NVIDIA's licence,
# which is beside it in licenses/.
set -euo pipefail

# shellcheck source=scripts/nvidia-wheels.sh
. "$(dirname "$0")/nvidia-wheels.sh"

version=${1:-13.0}
fetch_wheels "$version" cuda-cupti
keep_wheels cupti "CUPTI $version" lib/libcupti.so.13 lib/libnvperf_host.so include/cupti_range_profiler.h
