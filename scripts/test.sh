#!/usr/bin/env bash
# Installs, builds and runs every test that this machine can run; ends with ctest's summary and a
# non-zero status if anything failed. What the machine cannot run (CUDA without a GPU) is skipped
# with the reason, and counted.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/packages.sh --test

# The CPU path and the base under AddressSanitizer and UndefinedBehaviorSanitizer first, so that the
# whole suite's summary comes last. This build has no CUDA path, which tests that build as well.
scripts/build.sh asan -DWARPWISE_TESTS=ON
ctest --test-dir build/asan -j "$(nproc)" --output-on-failure --quiet -O build/asan/ctest.log ||
  { grep -vE ' (Passed|\*\*\*Skipped) |\(Skipped\)|^ +Start ' build/asan/ctest.log | tail -n 200 >&2; exit 1; }
echo "Under ASan and UBSan: $(grep 'tests passed' build/asan/ctest.log)"

scripts/build.sh release -DWARPWISE_TESTS=ON
ctest --test-dir build/release -j "$(nproc)" --output-on-failure
