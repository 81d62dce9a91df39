#!/usr/bin/env bash
# Configures and builds one preset of CMakePresets.json. Prints little unless something fails.
#
#   scripts/build.sh [PRESET] [--target NAME] [CMAKE OPTION...]     PRESET: release (default), develop, asan, tsan,
#                                                                   coverage, fuzz, cpu, all-gpus, arm64, arm64-cuda;
#                                                                   arm64 and arm64-cuda install what they need
#                                                                   NAME: a target of CMake, by default everything
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-release}
shift || true
target=()
if [ "${1:-}" = --target ]; then target=(--target "$2"); shift 2; fi
start=$SECONDS
[[ $preset != arm64* ]] || scripts/packages.sh --arm64
[ "$preset" != arm64-cuda ] || [ -e build/arm64-root/usr/local/cuda ] || scripts/get-arm64-cuda.sh
mkdir -p "build/$preset"
log="build/$preset/build.log"

# Shows the build's progress: one line such as "[12/300] Building ..." on a terminal, and otherwise a line every half
# minute. The log gets everything.
keep_log() {
  if ! [ -t 2 ]; then
    if ! command -v python3 >/dev/null; then cat >"$log"; return; fi
    tee "$log" | scripts/build-progress.py "build/$preset" "${target[@]}"
    return
  fi
  local line
  tee "$log" | while IFS= read -r line; do
    [[ $line == \[* ]] || continue
    printf '\r\033[K%s %4d s  %s' "$preset" $((SECONDS - start)) "${line:0:$((${COLUMNS:-80} - 20))}" >&2
  done
  printf '\r\033[K' >&2
}

if ! { cmake --preset "$preset" "$@" && cmake --build --preset "$preset" "${target[@]}"; } 2>&1 | keep_log; then
  grep -nE 'error|Error|FAILED' "$log" | head -n 20 >&2 || true
  tail -n 20 "$log" >&2
  echo "build.sh: the build failed; the whole log is in $log" >&2
  exit 1
fi
if grep -q 'No CUDA compiler' "$log"; then cuda="CPU path only: no CUDA compiler here"
elif grep -q '^WARPWISE_CUDA:BOOL=OFF' "build/$preset/CMakeCache.txt"; then cuda="CPU path only, as the preset says"
else cuda="CPU and CUDA paths"; fi
what="build/$preset"
[ ${#target[@]} = 0 ] || what="${target[1]} of $what"
# The last line of `times`, "0m5.250s 0m0.500s", is the time of the child processes.
times >"$log.times"
cpu=$(tail -n 1 "$log.times" | awk -F'[ms ]' '{printf "%.0f", 60 * ($1 + $4) + $2 + $5}')
echo "Built $what in $((SECONDS - start)) s, $cpu s of CPU ($cuda)"
