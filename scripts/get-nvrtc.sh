#!/usr/bin/env bash
# Brings NVIDIA's run-time compiler (NVRTC) and the headers that kernels include into the user's cache,
# for `warpwise explain` on a machine without a CUDA toolkit. Takes about 90 MB from PyPI and 250 MB of
# disk, needs no GPU and no root, and installs nothing into the system or into any Python environment.
#
#   scripts/get-nvrtc.sh [VERSION]     VERSION: of the wheels, 13.0 unless given
#
# The folder is ${XDG_CACHE_HOME:-~/.cache}/warpwise/nvrtc; deleting it undoes this. The wheels are
# NVIDIA's and under its licence, which lies beside them in licenses/.
set -euo pipefail

version=${1:-13.0}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/warpwise
fail() { echo "get-nvrtc.sh: $*" >&2; exit 1; }

[[ $version =~ ^13\.[0-9]+$ ]] || fail "'$version' is no version such as 13.0 (12.x has other wheel names)"
command -v python3 >/dev/null || fail "python3 is needed"
python3 -m pip --version >/dev/null 2>&1 || fail "Python's pip is needed (Debian: python3-pip)"

mkdir -p "$cache"
work=$(mktemp -d "$cache/.get-nvrtc-XXXXXX")
trap 'rm -rf "$work"' EXIT
wheels=()
# nvrtc: the compiler; runtime, crt: cuda_fp16.h, cooperative_groups.h, mma.h …; cccl: cuda/std.
for name in nvrtc runtime crt cccl; do wheels+=("nvidia-cuda-$name==$version.*"); done
log=$work/pip.log
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --dest "$work/wheels" "${wheels[@]}" >"$log" 2>&1 || { tail -n 5 "$log" >&2; fail "pip could not download the wheels"; }
for wheel in "$work"/wheels/*.whl; do python3 -m zipfile -e "$wheel" "$work/unpacked"; done

made=$work/unpacked/nvidia/cu13
for file in lib/libnvrtc.so.13 include/cuda_fp16.h; do
  [ -e "$made/$file" ] || fail "the wheels hold no $file: $(cd "$work/wheels" && echo *)"
done
mkdir "$made/licenses"
for info in "$work"/unpacked/*.dist-info; do
  find "$info" -iname 'license*' -type f -exec cp {} "$made/licenses/$(basename "$info" .dist-info).txt" \;
done
# Only what compiling needs: not the runtime's static libraries, nor the copies for alternative builds.
rm -rf "$made"/lib/*.a "$made"/lib/libcudart* "$made"/lib/*.alt.so* "$made"/lib/cmake
rm -rf "$cache/nvrtc"
mv "$made" "$cache/nvrtc"
echo "NVRTC $version is in $cache/nvrtc ($(du -sh "$cache/nvrtc" | cut -f1))"
