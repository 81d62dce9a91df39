#!/usr/bin/env bash
# Runs on a machine with an NVIDIA GPU, from the folder that gpu-bundle.sh made; needs no network
# and no packages. Prints a summary, and writes to OUT:
#   record.json    results of the tests, the sanitizers, and the command on real images
#   bench.json     times of primitives
#   live.json      rates of streams
#   ladders.json   every experiment of every ladder and study
#   counters.json  every rung's hardware counters beside the emulator's counts
#   logs/          the logs
#
#   run.sh [--out OUT] [test] [main] [sanitize[=NAME,NAME...]] [bench[=NAME,NAME...]] [live[=PART]] [verify]
#          [ladders[=NAME,NAME...]] [counters[=NAME,NAME...]]
#     Runs all parts unless some are named. NAME is a primitive, or LADDER/EXPERIMENT. By default all are run; counters
#     runs the ladders.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$here/out
parts=()
experiments=()
benches=()
live=()
sanitized=()
counted=()
while [ $# -gt 0 ]; do
  case $1 in
    --out) out=$2; shift 2 ;;
    test|main|sanitize|bench|live|verify|ladders|counters) parts+=("$1"); shift ;;
    sanitize=*) parts+=(sanitize); IFS=, read -ra sanitized <<<"${1#sanitize=}"; shift ;;
    live=*) parts+=(live); live=(--part "${1#live=}"); shift ;;
    bench=*) parts+=(bench); IFS=, read -ra benches <<<"${1#bench=}"; shift ;;
    counters=*) parts+=(counters); IFS=, read -ra counted <<<"${1#counters=}"; shift ;;
    ladders=*) parts+=(ladders); IFS=, read -ra experiments <<<"${1#ladders=}"; shift ;;
    *) echo "run.sh: $1 is no part; parts are test, main, sanitize, bench, live, verify, ladders, counters" >&2; exit 2 ;;
  esac
done
[ ${#parts[@]} -gt 0 ] || parts=(test main sanitize bench live verify ladders counters)
mkdir -p "$out/logs"
# Puts tests that draw first. With driver 580.159.04 an OpenGL context that moves between threads hangs (Xid 109) if a
# kernel has faulted on that GPU before. A kernel of gpu_executor_test faults on purpose.
mapfile -t tests < <(grep -E '^(scene|interop)_test$' "$here/gpu-tests.txt"; grep -vE '^(scene|interop)_test$' "$here/gpu-tests.txt")
failed=0

# Containers get the driver from the host, but often not the file by which EGL's loader finds the driver.
if [ -z "${__EGL_VENDOR_LIBRARY_FILENAMES:-}" ] && ! ls /usr/share/glvnd/egl_vendor.d/*nvidia* >/dev/null 2>&1; then
  echo '{"file_format_version": "1.0.0", "ICD": {"library_path": "libEGL_nvidia.so.0"}}' >"$out/logs/egl_nvidia.json"
  __EGL_VENDOR_LIBRARY_FILENAMES=$(realpath "$out")/logs/egl_nvidia.json
  export __EGL_VENDOR_LIBRARY_FILENAMES
fi

fail() { echo "FAILED: $*"; failed=1; }
seconds_since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN {printf "%.1f", b - a}'; }

{
  echo "{"
  echo " \"gpu\": \"$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)\","
  echo " \"driver\": \"$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)\","
  echo " \"toolkit\": \"$(nvcc --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p')\","
  echo " \"cpu\": \"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) threads\","
  echo " \"commit\": \"$(cat "$here/COMMIT")\","
  echo " \"date\": \"$(date -u +%Y-%m-%dT%H:%M:%SZ)\""
  echo "}"
} | tee "$out/logs/machine.json"

# Runs each test program as a whole. Skipped cases are counted; the log has their reasons.
run_tests() {
  for test in "${tests[@]}"; do
    local start=$EPOCHREALTIME log=$out/logs/$test.log
    # The path is for libraries that third-party libraries load, such as OpenGL's.
    # If the driver hangs, the timeout ends only this test.
    LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} WARPWISE_TEST_VIDEOS=$here/videos \
      timeout --kill-after=5 120 "$here/bin/$test" >"$log" 2>&1
    case $? in
      0) ;;
      124|137) fail "$test: no end after 120 s: $(grep '^\[ RUN' "$log" | tail -n 1)" ;;
      *) fail "$test: $(grep -m 3 'FAILED' "$log" | tr '\n' ' ')" ;;
    esac
    printf '%-16s passed %s, skipped %s, failed %s (%s s)\n' "$test" \
      "$(grep -c '^\[       OK' "$log")" "$(grep -c '^\[  SKIPPED \] .*ms)' "$log")" \
      "$(grep -c '^\[  FAILED  \] .*ms)' "$log")" "$(seconds_since "$start")"
  done | tee "$out/logs/tests.txt"
  ! grep -qvE 'failed 0 ' "$out/logs/tests.txt" || failed=1
}

# Runs the command on real images and checks that the CUDA path writes the same bytes as the CPU path.
run_main() {
  local work name
  work=$(mktemp -d)
  cp "$here"/frames/*.npy "$work"
  : >"$out/logs/main.txt"
  for name in "$here"/frames/*.npy; do
    name=$(basename "$name" .npy)
    compare() {  # compare LABEL EXTENSION SUBCOMMAND OPTION...
      local label=$1 extension=$2 command=$3 backend; shift 3
      for backend in cpu cuda; do
        (cd "$work" && "$here/bin/warpwise" "$command" "$name.npy" "$backend.$extension" \
          --backend $backend "$@") >>"$out/logs/main.txt" 2>&1 || fail "warpwise $command $name $* on $backend"
      done
      if cmp -s "$work/cpu.$extension" "$work/cuda.$extension"; then
        echo "$name $label: CUDA equals CPU" | tee -a "$out/logs/main.txt"
      else
        fail "$name $label: CUDA differs from CPU"
      fi
    }
    compare "convert ycbcr32" raw convert --to ycbcr32
    compare "sobel" npy sobel
    compare "sobel dx" npy sobel --output dx
    compare "threshold 31" npy threshold --window 31 --offset 7
  done
  rm -rf "$work"
  compare_rungs sobel rgb24 gray8 "sobel border=replicate"
  compare_rungs threshold gray8 gray8 "threshold window=31 offset=-7 method=exact-mean"
  compare_rungs convert rgb24 ycbcr32 "ycbcr32 matrix=bt601"
}

# Runs each rung of a ladder in place of a stage, and checks that it gives the same bytes as the stage on the CPU.
compare_rungs() {  # compare_rungs LADDER FROM TO STAGE
  local expected rung equal=0
  streamed() {
    "$here/bin/warpwise" stream test:noise "pipe:$3" --format "$2" --size 640x480 --frames 3 --pipeline "$4" \
      --backend "$5" 2>>"$out/logs/main.txt" | sha256sum
  }
  expected=$(streamed "$@" cpu)
  for rung in $("$here/bin/warpwise" lab list "$1" --json |
                python3 -c 'import json, sys; print(*(r["name"] for r in json.load(sys.stdin)["ladders"][0]["rungs"]))'); do
    if [ "$(streamed "$1" "$2" "$3" "$4 rung=$rung" cuda)" = "$expected" ]; then
      equal=$((equal + 1))
    else
      fail "stream: $4 rung=$rung differs from the CPU"
    fi
  done
  [ $equal -gt 0 ] || fail "stream: no rung of $1 ran"
  echo "stream, $1: $equal rungs equal the stage on the CPU" | tee -a "$out/logs/main.txt"
}

# Runs the CUDA tests and the ladders' rungs under each tool of compute-sanitizer. The library allocates scratch memory
# from CUDA's memory pool, so initcheck also sees reads of unwritten scratch memory. gpu_executor_test is left out, because
# its kernels fail on purpose. Failed CUDA calls are not reported, because tests make some on purpose.
run_sanitizers() {
  local sanitizer tool name folder=$out/ladders
  local names=() test
  for test in "${tests[@]}"; do
    case $test in base_test | gpu_executor_test) ;; *) names+=("${test%_test}") ;; esac
  done
  [ ${#sanitized[@]} = 0 ] || names=("${sanitized[@]}")
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
  if [ -z "$sanitizer" ]; then echo "sanitize: skipped, no compute-sanitizer here"; return; fi
  # Makes ladder tables without the documents' sizes, which would take the tools hours.
  rm -rf "$folder"
  mkdir -p "$folder"
  python3 - "$here/share/warpwise/sources/warpwise" "$folder" <<'PYTHON'
import json, pathlib, shutil, sys
sources = pathlib.Path(sys.argv[1])
ladders = [(table, table.parent.parent.name) for table in sources.glob("primitives/*/ladder/ladder.json")]
studies = [(table, table.parent.name) for table in sources.glob("studies/*/study.json")]
for table, name in ladders + studies:
    if "collects" in json.loads(table.read_text()):
        continue  # the ladders that it collects have their own tables
    copy = pathlib.Path(sys.argv[2]) / name
    shutil.copytree(table.parent, copy)
    study = json.loads(table.read_text())
    study["size"] = study["verify"][-1]
    (copy / table.name).write_text(json.dumps(study))
PYTHON
  # Runs only a part of property_test's cases, because the tools slow down every call. racecheck makes kernels about a
  # hundred times slower, so it gets only tests of small problems, which still run every kernel.
  local large='*AwkwardSizes*:*EveryOption*:*Large*:*SeveralTiles*:*AsLargeAs*:*LayoutOfEachImage*'
  large+=':*RowsOfManyScanChunks*:*Exact*:*EveryDefinedCombination*:*MoreRows*'
  check() {  # check LABEL PROGRAM ARGUMENT...: runs the program under $tool
    local log=$out/logs/$tool-${1// /-}.log label=$1 program=$2 start=$EPOCHREALTIME status
    shift 2
    WARPWISE_PROPERTY_CASES=500 LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
      timeout 150 "$sanitizer" --tool $tool --error-exitcode 99 "${options[@]}" "$here/bin/$program" "$@" >"$log" 2>&1
    status=$?
    if grep -q '^\[==========\] Running 0 tests' "$log"; then
      printf '%-10s %-16s exit 0, no case on the GPU\n' $tool "$label"
      return
    fi
    printf '%-10s %-16s exit %s, %s (%s s)\n' $tool "$label" $status \
      "$(grep 'ERROR SUMMARY\|RACECHECK SUMMARY' "$log" | tail -n 1 | sed 's/=* //')" \
      "$(seconds_since "$start")"
  }
  for tool in memcheck racecheck initcheck synccheck; do
    local filter='*cuda:GpuTest*' options=()
    [ $tool != memcheck ] || options=(--report-api-errors no)
    [ $tool != racecheck ] || filter+="-$large"
    for name in "${names[@]}"; do
      [ ! -x "$here/bin/${name}_test" ] || check "${name}_test" "${name}_test" --gtest_filter="$filter"
      [ ! -d "$folder/$name" ] ||
        check "$name rungs" warpwise lab verify "$name" --on gpu --ladder-dir "$folder/$name"
    done
  done | tee "$out/logs/sanitizers.txt"
  ! grep -qv 'exit 0,' "$out/logs/sanitizers.txt" || failed=1
}

run_bench() {
  "$here/bin/warpwise" bench "${benches[@]}" --out "$out/bench.json" --machine "$out/logs/machine.json" |
    tee "$out/logs/bench.txt"
  [ "${PIPESTATUS[0]}" = 0 ] || failed=1
}

run_live() {
  "$here/bin/live_bench" "${live[@]}" --json "$out/live.json" --machine "$out/logs/machine.json" | tee "$out/logs/live.txt"
  [ "${PIPESTATUS[0]}" = 0 ] || failed=1
}

# Verifies every rung against the reference, also at the documents' sizes.
run_verify() {
  "$here/bin/warpwise" lab verify --on gpu >"$out/logs/verify.txt" 2>"$out/logs/verify.err" ||
    fail "lab verify: $(tail -n 1 "$out/logs/verify.err")"
  grep -v ' right$' "$out/logs/verify.txt"
}

# Times each experiment. Its report, with the description of this machine, becomes one line of ladders.json.
run_ladders() {
  local names
  readarray -t names < <("$here/bin/warpwise" lab list --json | python3 -c '
import json, sys
listed = json.load(sys.stdin)
collections = {study["study"]: study["collects"] for study in listed["studies"] if "collects" in study}
all_there_are = [(study.get("ladder") or study["study"]) + "/" + experiment["name"]
                 for study in listed["ladders"] + listed["studies"] for experiment in study["experiments"]]
for name in sys.argv[1:] or all_there_are:
    print(*collections.get(name, [name]), sep="\n")' "${experiments[@]}")
  run_experiments ladders "${names[@]}"
}

# Runs the ladders with hardware counters, and writes counters.json.
run_counters() {
  [ ${#counted[@]} -gt 0 ] || readarray -t counted < <("$here/bin/warpwise" lab list --json | python3 -c '
import json, sys
print(*(ladder["ladder"] for ladder in json.load(sys.stdin)["ladders"]), sep="\n")')
  run_experiments counters "${counted[@]}" --counters
}

run_experiments() {  # run_experiments FILE NAME... [--counters]
  local file=$1 experiment name options=(); shift
  [ "${*: -1}" != --counters ] || { options=(--counters); set -- "${@:1:$#-1}"; }
  mkdir -p "$out/logs/$file"
  : >"$out/$file.json"
  for experiment in "$@"; do
    local start=$EPOCHREALTIME
    name=${experiment/\//-}
    if ! "$here/bin/warpwise" lab run "$experiment" --on gpu --json "${options[@]}" \
      >"$out/logs/$file/$name.json" 2>"$out/logs/$file/$name.txt"; then
      fail "lab run $experiment: $(tail -n 1 "$out/logs/$file/$name.txt")"
      continue
    fi
    # Each report is written at once, so that an interrupted run keeps its measurements.
    python3 - "$out" "$file" "$name" <<'PYTHON' || fail "$experiment: its report cannot be taken in"
import json, pathlib, sys
out, file, name = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
report = json.loads((out / "logs" / file / f"{name}.json").read_text())
if "unavailable" in report.get("counters", {}):
    sys.exit(report["counters"]["unavailable"])
report["machine"].update(json.loads((out / "logs/machine.json").read_text()))
with open(out / f"{file}.json", "a") as lines:
    lines.write(json.dumps(report) + "\n")
PYTHON
    echo "$experiment ($(seconds_since "$start") s)"
  done
}

# Writes the output of all parts to record.json, each line as a string.
write_record() {
  local part
  {
    printf '{\n"machine": %s' "$(cat "$out/logs/machine.json")"
    for part in tests main sanitizers verify; do
      [ -f "$out/logs/$part.txt" ] || continue
      printf ',\n"%s": [\n' "$part"
      sed 's/\\/\\\\/g; s/"/\\"/g; s/  */ /g; s/.*/ "&"/; $!s/$/,/' "$out/logs/$part.txt"
      printf ']'
    done
    printf '\n}\n'
  } >"$out/record.json"
}

for part in "${parts[@]}"; do
  case $part in
    test) run_tests ;;
    main) run_main ;;
    sanitize) run_sanitizers ;;
    bench) run_bench ;;
    live) run_live ;;
    verify) run_verify ;;
    ladders) run_ladders ;;
    counters) run_counters ;;
  esac
done
write_record
[ $failed = 0 ] && echo "All parts passed: ${parts[*]}" || echo "Something failed: see above and $out"
exit $failed
