#!/usr/bin/env bash
# Configures and builds one preset of CMakePresets.json, with few words unless something fails.
#
#   scripts/build.sh [PRESET] [CMAKE OPTION...]     PRESET: release (default), asan, tsan, fuzz, cpu, all-gpus
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-release}
shift || true
start=$SECONDS
mkdir -p "build/$preset"
log="build/$preset/build.log"
if ! { cmake --preset "$preset" "$@" && cmake --build --preset "$preset"; } >"$log" 2>&1; then
  grep -nE 'error|Error|FAILED' "$log" | head -n 20 >&2 || true
  tail -n 20 "$log" >&2
  echo "build.sh: the build failed; the whole log is in $log" >&2
  exit 1
fi
if grep -q 'No CUDA compiler' "$log"; then cuda="CPU path only: no CUDA compiler here"
elif grep -q '^WARPWISE_CUDA:BOOL=OFF' "build/$preset/CMakeCache.txt"; then cuda="CPU path only, as the preset says"
else cuda="CPU and CUDA paths"; fi
echo "Built build/$preset in $((SECONDS - start)) s ($cuda)"
