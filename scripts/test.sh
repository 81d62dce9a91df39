#!/usr/bin/env bash
# Builds and runs the tests. Tests that the machine cannot run (CUDA without a GPU) are skipped with the reason, and counted.
# Ends with the minutes of each part, the slowest tests and a line "Tests: N passed, N failed, N skipped", with status 1
# if one failed.
#
#   scripts/test.sh                     what CI runs
#   scripts/test.sh --nightly           every test, every sanitizer, the fuzz targets and aarch64; the record is
#                                       results/nightly.json
#   scripts/test.sh --nightly SECTION   the nightly run of `sanitizers` or `fuzz` alone; it is added to the record
#   scripts/test.sh --quick             the unit tests in build/release/bin that were built since they last passed
#   scripts/test.sh --quick NAME        builds NAME_test and runs it, on the emulator too; or runs the tests of the label NAME
#
# GoogleTest's programs shuffle their cases: GTEST_RANDOM_SEED=N scripts/test.sh repeats the order of a run.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

export GTEST_RANDOM_SEED=${GTEST_RANDOM_SEED:-$((RANDOM + 1))}  # GoogleTest takes 1 to 99999
# The sanitizers of GCC up to 13 mistake a small thread-local block at the start of a page for one of a
# glibc before 2.25, and the words before it for its address. LeakSanitizer then dies at exit, "Tracer
# caught signal 11", in any program that loads FFmpeg's libraries, depending on where malloc put the
# block (github.com/google/sanitizers/issues/1322). None of our thread-local memory needs this option.
export ASAN_OPTIONS=intercept_tls_get_addr=0:handle_sigill=1
export LSAN_OPTIONS=suppressions=$PWD/tests/leaks_of_others.txt:print_suppressions=0

part() { scripts/minutes.py part "$@"; }
must() { part "$@" || { echo "test.sh: $1 failed" >&2; exit 1; }; }

# tests NAME BUILD [CTEST OPTION...]: runs ctest as one part of the run. The failures are reported at the end.
ran=()
tests() {
  local name=$1 build=$2
  shift 2
  rm -rf "build/$build/reports"
  ran+=("build/$build")
  part "$name" ctest --test-dir "build/$build" -j "$(nproc)" --no-label-summary --output-junit reports/ctest.xml "$@"
}

# unchanged CHOICE: succeeds if no source of CHOICE has changed since the nightly run, and fails if that is not known.
unchanged() {
  local changed
  [ ${#nightly[@]} = 0 ] && changed=$(scripts/nightly.py changed "$1") && [ -z "$changed" ]
}

# Runs the fuzz targets of the parsers. At night each target gets 60 seconds of CPU for each core, at most 600: the part
# then takes less than half an hour on any machine.
fuzz() {
  if ! command -v clang++ >/dev/null; then
    scripts/minutes.py skip fuzz "clang is not installed"
  elif ! echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
    clang++ -fsanitize=fuzzer,address,undefined -x c++ - -o /dev/null 2>/dev/null; then
    scripts/minutes.py skip fuzz "this clang has no libFuzzer (Debian: libclang-rt-dev)"
  elif unchanged parsers; then
    scripts/minutes.py skip fuzz "no parser has changed since the nightly run"
  else
    ran+=(build/fuzz)
    rm -rf build/fuzz/reports
    if [ ${#nightly[@]} = 0 ]; then part fuzz scripts/fuzz.sh 20000
    else part fuzz scripts/fuzz.sh --seconds $(($(nproc) < 10 ? 60 * $(nproc) : 600)); fi
  fi
}

sanitizers() {
  if unchanged sanitized; then
    scripts/minutes.py skip sanitizers "none of their sources has changed since the nightly run"
    return
  fi
  # Tests the CPU path and the base under AddressSanitizer and UndefinedBehaviorSanitizer. This build has no CUDA path, which
  # its tests do not need.
  # Two parts of the sanitizers take much of this build's CPU time, and are built at night only: the search for uses
  # of a variable after its scope, and the messages about undefined behaviour. Without the messages a program ends by
  # SIGILL, with its stack.
  local short=()
  [ ${#nightly[@]} -gt 0 ] || short=(-DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1 -DNDEBUG \
-fno-sanitize-address-use-after-scope -fsanitize-undefined-trap-on-error")
  must "asan build" scripts/build.sh asan "${short[@]}"
  [ ${#nightly[@]} = 0 ] || must "asan build, rest" cmake --build build/asan
  tests "asan tests" asan "${nightly[@]}"

  # Tests calls from eight threads at once under ThreadSanitizer. This build has only the library and this one program.
  must "tsan build" scripts/build.sh tsan
  tests "tsan tests" tsan -R '^threads_test$'
}

# The release build and its tests; at night aarch64 too.
release() {
  # CUPTI, NVIDIA's library of counters, describes GPUs even on a machine without one; some tests use that.
  [ -e "${XDG_CACHE_HOME:-$HOME/.cache}/warpwise/cupti" ] || part cupti scripts/get-cupti.sh ||
    echo "Tests of CUPTI: skipped, it could not be had"

  must "release build" scripts/build.sh release -DWARPWISE_TESTS=ON
  # Tests the CPU path on aarch64, whose programs QEMU runs. Leaves out the peers, because their results on aarch64 are not
  # those on x86. Runs before the release tests, one of which compares the two commands.
  if [ ${#nightly[@]} -gt 0 ]; then
    if part "arm64 build" scripts/build.sh arm64 -DWARPWISE_TESTS=ON; then
      QEMU_LD_PREFIX=$PWD/build/arm64-root tests "arm64 tests" arm64 -L unit -LE 'peer|golden'
    else
      status=1
    fi
  fi
  tests "release tests" release "${nightly[@]}"
}

quick() {
  local build=build/release name chosen
  part() { shift; "$@"; }  # minutes.json records whole runs only
  [ -e $build/CTestTestfile.cmake ] || scripts/build.sh release -DWARPWISE_TESTS=ON
  touch $build/quick.started
  if [ $# = 0 ]; then
    [ -e $build/quick.passed ] || touch -d @0 $build/quick.passed
    mapfile -t chosen < <(find $build/bin -name '*_test' -newer $build/quick.passed -printf '%f\n')
    if [ ${#chosen[@]} = 0 ]; then
      echo "No test program was built since the last quick run; scripts/test.sh --quick NAME runs one all the same"
      exit
    fi
    chosen=(-L '^unit$' -R "^($(IFS='|'; echo "${chosen[*]}"))(\.[0-9]+of[0-9]+)?\$")
  else
    name=$1
    if [ "$(ctest --test-dir $build -N -L "^$name\$" | grep -c '^ *Test #')" != 0 ]; then
      chosen=(-L "^$name\$")
    else
      name=${name%_test}
      cmake --build $build --target "${name}_test" || exit 1
      chosen=(-R "^$name(_test|_on_emulator)(\.[0-9]+of[0-9]+)?\$")
    fi
  fi
  tests "quick tests" release --no-tests=error "${chosen[@]}"
  scripts/summary.py "${ran[@]}" || exit 1
  [ $# -gt 0 ] || mv $build/quick.started $build/quick.passed
}

nightly=()
section=
case ${1:-}${2:+ $2} in
  "") ;;
  --nightly | "--nightly sanitizers" | "--nightly fuzz") nightly=(-C nightly); section=${2:-}; export WARPWISE_NIGHTLY=1 ;;
  --quick | "--quick "*) shift; quick "$@"; exit ;;
  *) sed -n '2,/^$/s/^# \?//p' "$0" >&2; exit 2 ;;
esac
echo "The order of the tests: GTEST_RANDOM_SEED=$GTEST_RANDOM_SEED"

mkdir -p build
packages_start=$SECONDS
scripts/packages.sh --test || exit 1
scripts/minutes.py begin  # begins after the packages, because Python may be among them
scripts/minutes.py add packages $((SECONDS - packages_start))
[ "${CI:-}" != true ] || must checks scripts/checks.sh

status=0
case $section in
  "") sanitizers; fuzz; release ;;
  *) $section ;;
esac

scripts/minutes.py table
if [ "${CI:-}" = true ]; then
  scripts/minutes.py check || status=1
  [ ${#nightly[@]} -gt 0 ] || scripts/nightly.py check || status=1
fi
scripts/summary.py "${ran[@]}" || status=1
# Both records come last, since a test compares the documents with them.
[ ${#nightly[@]} = 0 ] || [ ! -e build/fuzz/record.json ] || scripts/fuzz.sh --record
[ ${#nightly[@]} = 0 ] || scripts/nightly.py record ${section:+"$section"}
exit $status
