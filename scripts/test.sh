#!/usr/bin/env bash
# Installs, builds and runs every test that this machine can run; ends with ctest's summary and a
# non-zero status if anything failed. What the machine cannot run (CUDA without a GPU) is skipped
# with the reason, and counted.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/packages.sh --test

# The sanitizers of GCC up to 13 take a small thread-local block at the start of a page for one of a
# glibc before 2.25, and the words before it for its address: LeakSanitizer then dies at exit,
# "Tracer caught signal 11", in any program that loads FFmpeg's libraries, depending on where malloc
# put the block (github.com/google/sanitizers/issues/1322). No thread-local memory of ours needs this.
export ASAN_OPTIONS=intercept_tls_get_addr=0

# The CPU path and the base under AddressSanitizer and UndefinedBehaviorSanitizer first, so that the
# whole suite's summary comes last. This build has no CUDA path, which tests that build as well.
scripts/build.sh asan -DWARPWISE_TESTS=ON
ctest --test-dir build/asan -j "$(nproc)" --output-on-failure --quiet -O build/asan/ctest.log ||
  { grep -vE ' (Passed|\*\*\*Skipped) |\(Skipped\)|^ +Start ' build/asan/ctest.log | tail -n 200 >&2; exit 1; }
echo "Under ASan and UBSan: $(grep 'tests passed' build/asan/ctest.log)"

# Calls from eight threads at once under ThreadSanitizer: the library and this one program.
scripts/build.sh tsan
build/tsan/bin/threads_test >build/tsan/test.log 2>&1 ||
  { tail -n 60 build/tsan/test.log >&2; exit 1; }
echo "Under TSan: $(grep 'PASSED' build/tsan/test.log)"

# The parsers with some invented inputs; scripts/fuzz.sh alone makes the long run.
if ! command -v clang++ >/dev/null; then
  echo "Fuzz targets: skipped, clang is not installed"
elif ! echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
  clang++ -fsanitize=fuzzer,address,undefined -x c++ - -o /dev/null 2>/dev/null; then
  echo "Fuzz targets: skipped, this clang has no libFuzzer (Debian: libclang-rt-dev)"
else
  scripts/fuzz.sh 20000
fi

# NVIDIA's library of counters knows chips without having one: some tests ask it.
[ -e "${XDG_CACHE_HOME:-$HOME/.cache}/warpwise/cupti" ] || scripts/get-cupti.sh ||
  echo "Tests of CUPTI: skipped, it could not be had"

scripts/build.sh release -DWARPWISE_TESTS=ON
ctest --test-dir build/release -j "$(nproc)" --output-on-failure
