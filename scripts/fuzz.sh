#!/usr/bin/env bash
# Builds the parsers' fuzz targets and runs each on generated inputs, as many at a time as there are cores. Ends with status 1
# if an input breaks a target. Needs clang with libFuzzer (Debian: clang, libclang-rt-dev).
#
#   scripts/fuzz.sh [RUNS] [SEED]             RUNS inputs for each target but `kernel`, 10 million by default
#   scripts/fuzz.sh --seconds N [TARGET...]   N seconds of CPU for each target, with a new seed each time. Then each
#                                             corpus keeps only inputs that reach code that no other input reaches
#   scripts/fuzz.sh --record                  adds the last run to results/fuzz/parsers.json, and its corpora to
#                                             tests/fuzz/corpus.tar.xz
#
# A run starts from the inputs in tests/fuzz/corpus.tar.xz and adds to them in build/fuzz/corpus. Its record is
# build/fuzz/record.json.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" != --record ]; then
  scripts/build.sh fuzz
  # The target `kernel`, which runs kernels, needs the whole emulator, which takes minutes to build.
  case "${1:-} ${*:3}" in
    "--seconds " | "--seconds "*kernel*) scripts/build.sh fuzz --target kernel_fuzz ;;
  esac
  python3 tests/fuzz/seeds.py build/fuzz/corpus
fi
exec python3 scripts/fuzzing.py "$@"
