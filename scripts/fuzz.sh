#!/usr/bin/env bash
# Builds the parsers' fuzz targets and runs each on generated inputs. Stops at the first input that breaks a
# target. Needs clang with libFuzzer (Debian: clang, libclang-rt-dev).
#
#   scripts/fuzz.sh [RUNS] [SEED]     RUNS of each target, 10 million unless given
#
# The corpora grow in build/fuzz/corpus, and the next run continues with them. The record of a run is
# build/fuzz/record.json.
set -euo pipefail
cd "$(dirname "$0")/.."

runs=${1:-10000000}
seed=${2:-1}
scripts/build.sh fuzz
corpus=build/fuzz/corpus
rm -rf build/fuzz/findings && mkdir -p build/fuzz/findings
python3 tests/fuzz/seeds.py "$corpus"
# The result of each target, in the form of ctest's report.
report=build/fuzz/reports/ctest.xml
mkdir -p build/fuzz/reports
tell() {  # tell TARGET SECONDS STATUS [ELEMENT]
  cases+="<testcase name=\"$1\" time=\"$2\" status=\"$3\">${4:-}</testcase>"
  echo "<testsuite>$cases</testsuite>" >"$report"
}
cases=
inputs() { find "$1" -type f | wc -l; }
record=
for target in arguments bmp complete device explain fat_binary gif jpeg ladder machine npy pipeline png pnm ptx record search stream suppressions tiff webp y4m; do
  log=build/fuzz/$target.log
  start=$SECONDS
  before=$(inputs "$corpus/$target")
  if ! "build/fuzz/bin/${target}_fuzz" -runs="$runs" -seed="$seed" -max_len=1024 -timeout=10 \
         -artifact_prefix="build/fuzz/findings/$target-" "$corpus/$target" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    tell "$target" $((SECONDS - start)) fail "<failure message=\"its input is in build/fuzz/findings, the log is $log\"/>"
    echo "fuzz.sh: $target failed with seed $seed; its input is in build/fuzz/findings, the log is $log" >&2
    exit 1
  fi
  made=$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$log")
  seconds=$((SECONDS - start))
  after=$(inputs "$corpus/$target")
  tell "$target" "$seconds" run
  record+="${record:+,}
  \"$target\": {\"runs\": $made, \"seconds\": $seconds, \"corpus_before\": $before, \"corpus_after\": $after, \"findings\": 0}"
  echo "$target: $made runs in $seconds s, $after inputs in the corpus, nothing found"
done
cat >build/fuzz/record.json <<END
{
  "date": "$(date -u +%F)",
  "commit": "$(git describe --always --dirty --abbrev=12)",
  "compiler": "$(clang++ --version | head -n 1)",
  "seed": $seed,$record
}
END
