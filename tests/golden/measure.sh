#!/usr/bin/env bash
# Runs on a machine with an NVIDIA GPU and Nsight Compute, from the folder that golden-bundle.sh made.
#
#   measure.sh OUT      leaves golden_access.json, golden_arithmetic.json, outputs.bin, forms/, profiler.txt.gz, log.txt
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$1
mkdir -p "$out"
work=$(mktemp -d)
exec > >(tee "$out/log.txt") 2>&1
seconds() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN {printf "%.1f s\n", b - a}'; }
measure() { python3 "$here/measure.py" "$@"; }
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader

begin=$EPOCHREALTIME
timeout 120 python3 "$here/measure.py" arithmetic "$here" "$out"
echo "arithmetic: exit $?, $(seconds "$begin")"
begin=$EPOCHREALTIME
mkdir -p "$out/forms"
timeout 120 python3 "$here/measure.py" forms "$here" "$out/forms"
echo "forms: exit $?, $(seconds "$begin")"

for ncu in "$(command -v ncu)" /usr/local/cuda/bin/ncu /opt/nvidia/nsight-compute/*/ncu; do
  [ -x "$ncu" ] && break
done
begin=$EPOCHREALTIME
timeout 60 "$ncu" --query-metrics --chips gh100 >"$work/available.txt" 2>"$work/query.err"
[ -s "$work/available.txt" ] || timeout 60 "$ncu" --query-metrics >"$work/available.txt" 2>>"$work/query.err"
some=$(measure metrics "$work/available.txt" counts)
few=$(measure metrics /dev/null counts)
branches=$(measure metrics "$work/available.txt" branches)
echo "metrics: $some,$branches ($(seconds "$begin"))"

# Measures the cases in parts, so that the others are kept if one fails or takes too long.
cases=$(python3 -c "import json; print(len(json.load(open('$here/access_cases.json'))['cases']))")
size=100
until_seconds=$((SECONDS + ${WARPWISE_PROFILE_SECONDS:-200}))
profile() {  # profile FILE FIRST COUNT METRICS
  timeout $((until_seconds - SECONDS > 20 ? until_seconds - SECONDS : 20)) "$ncu" --csv --page raw --print-units base \
    --clock-control none --cache-control none --target-processes all --metrics "$4" \
    --log-file "$work/$1-$2.csv" python3 "$here/measure.py" access "$here" "$2" "$3"
}
# Measures the kernels that diverge, by the profiler's branch metrics.
of_branches() {
  local first count
  read -r first count < <(python3 -c "
import json
names = [case['kernel'] for case in json.load(open('$here/access_cases.json'))['cases']]
which = [i for i, name in enumerate(names) if name in ('loop_loads', 'branch_in_loop', 'switch_stores', 'early_exit')]
print(which[0], which[-1] - which[0] + 1)")
  [ -z "$branches" ] || profile branches "$first" "$count" "$branches"
}
for ((first = 0; first < cases && SECONDS < until_seconds; first += size)); do
  begin=$EPOCHREALTIME
  profile access $first $size "$some" || { tail -n 3 "$work/access-$first.csv"; some=$few; profile access $first $size "$few"; }
  echo "cases from $first: exit $?, $(seconds "$begin")"
  [ $first != 0 ] || grep -v '==PROF==' "$work/access-0.csv" | head -n 3 | cut -c 1-1200
done
begin=$EPOCHREALTIME
until_seconds=$((SECONDS + 60))
of_branches
echo "branches: exit $?, $(seconds "$begin")"
measure collect "$here" "$out" "$work"/*-*.csv
(for f in "$work"/*; do echo "=== $f"; case $f in */available.txt) grep -E 'branch|lsu_mem_(global|shared)' "$f" ;; *) cat "$f" ;; esac; done) | gzip -9 >"$out/profiler.txt.gz"
ls -la "$out"
rm -rf "$work"
