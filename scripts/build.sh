#!/usr/bin/env bash
# Configures and builds one preset of CMakePresets.json, with few words unless something fails.
#
#   scripts/build.sh [PRESET] [CMAKE OPTION...]     PRESET: release (default), develop, asan, tsan, fuzz, cpu, all-gpus
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-release}
shift || true
start=$SECONDS
mkdir -p "build/$preset"
log="build/$preset/build.log"

# On a terminal one line that tells how far the build is, "[12/300] Building ..."; the log gets everything.
keep_log() {
  if ! [ -t 2 ]; then cat >"$log"; return; fi
  local line
  tee "$log" | while IFS= read -r line; do
    [[ $line == \[* ]] || continue
    printf '\r\033[K%s %4d s  %s' "$preset" $((SECONDS - start)) "${line:0:$((${COLUMNS:-80} - 20))}" >&2
  done
  printf '\r\033[K' >&2
}

if ! { cmake --preset "$preset" "$@" && cmake --build --preset "$preset"; } 2>&1 | keep_log; then
  grep -nE 'error|Error|FAILED' "$log" | head -n 20 >&2 || true
  tail -n 20 "$log" >&2
  echo "build.sh: the build failed; the whole log is in $log" >&2
  exit 1
fi
if grep -q 'No CUDA compiler' "$log"; then cuda="CPU path only: no CUDA compiler here"
elif grep -q '^WARPWISE_CUDA:BOOL=OFF' "build/$preset/CMakeCache.txt"; then cuda="CPU path only, as the preset says"
else cuda="CPU and CUDA paths"; fi
echo "Built build/$preset in $((SECONDS - start)) s ($cuda)"
