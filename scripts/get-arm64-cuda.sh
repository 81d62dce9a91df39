#!/usr/bin/env bash
# Downloads NVIDIA's CUDA runtime for arm64 into the user's cache, and links it into build/arm64-root, for the preset
# arm64-cuda. Takes 3 MB from PyPI. The wheel is under NVIDIA's licence, which is beside it in licenses/.
#
#   scripts/get-arm64-cuda.sh [VERSION]     VERSION: of the wheel, 13.0 unless given
set -euo pipefail

# shellcheck source=scripts/nvidia-wheels.sh
. "$(dirname "$0")/nvidia-wheels.sh"

version=${1:-13.0} platform=manylinux2014_aarch64
fetch_wheels "$version" cuda-runtime
ln -s libcudart.so.13 "$made/lib/libcudart.so"
keep_wheels arm64-cuda "CUDA's arm64 runtime $version" lib/libcudart_static.a lib/libcudadevrt.a lib/libcudart.so
mkdir -p "$(dirname "$0")/../build/arm64-root/usr/local"
ln -sfn "$cache/arm64-cuda" "$(dirname "$0")/../build/arm64-root/usr/local/cuda"
