#!/usr/bin/env bash
# Measures the gain of processing several files at a time. Times whole processes of `warpwise sobel`, which turn many
# JPEG pictures into PNG files, with 1, 2, 4 … jobs and with one job for each core, on the CPU and on the GPU if there
# is one. Runs from the folder that gpu-bundle.sh made; needs no network and no packages.
#
#   batches.sh [--out OUT] [--pictures N] [--runs N]
#     By default 200 pictures, and medians of 5 runs. OUT/batches.json has every run.
#
# Ends with status 1 if any run writes other files than one job on the CPU.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$here/out
pictures=200
runs=5
while [ $# -gt 0 ]; do
  case $1 in
    --out) out=$2; shift 2 ;;
    --pictures) pictures=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    *) echo "batches.sh: $1 is no option; options are --out, --pictures, --runs" >&2; exit 2 ;;
  esac
done
warpwise=$here/bin/warpwise
cores=$(nproc)
mkdir -p "$out"

# Uses a folder in memory if possible, so that the disk is not measured.
work=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
trap 'rm -rf "$work"' EXIT
mkdir "$work/in"
for ((i = 0; i < pictures; i++)); do
  cp "$here/frames/building.jpg" "$work/in/$(printf '%05d' "$i").jpg"
done

backends=(cpu)
if "$warpwise" devices | grep -q '^cuda 0'; then backends+=(cuda); fi
jobs=()
for ((n = 1; n < cores; n *= 2)); do jobs+=("$n"); done
jobs+=("$cores")

sums_of() { (cd "$1" && cksum -- *); }
"$warpwise" sobel "$work/in" "$work/expected" --backend cpu --jobs 1 >"$work/line"
sums_of "$work/expected" >"$work/expected.sums"

# All variants run once in each round, so that disturbances of the machine affect all alike.
: >"$work/times"
for ((run = 0; run < runs; run++)); do
  for backend in "${backends[@]}"; do
    for n in "${jobs[@]}"; do
      rm -rf "$work/out"
      start=$EPOCHREALTIME
      "$warpwise" sobel "$work/in" "$work/out" --backend "$backend" --jobs "$n" --json >"$work/report.json"
      end=$EPOCHREALTIME
      echo "$backend $n $(awk -v a="$start" -v b="$end" 'BEGIN {printf "%.4f", b - a}')" >>"$work/times"
      if ! sums_of "$work/out" | cmp -s - "$work/expected.sums"; then
        echo "batches.sh: $backend with $n jobs writes other files than the CPU with one" >&2
        exit 1
      fi
      # Prints the milliseconds of each part of a picture's work, as means over all pictures of the first run.
      [ "$run" != 0 ] || python3 - "$work/report.json" "$backend" "$n" <<'PYTHON' >>"$work/parts"
import json, sys
files = json.load(open(sys.argv[1]))["files"]
parts = {part: sum(file["milliseconds"][part] for file in files) / len(files)
         for part in ("read", "upload", "compute", "download", "write")}
print(sys.argv[2], sys.argv[3], json.dumps(parts))
PYTHON
    done
  done
done

python3 - "$work/times" "$work/parts" "$out/batches.json" "$pictures" "$cores" "$(cat "$here/COMMIT")" \
  "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" \
  "$("$warpwise" devices | grep '^cuda 0' || true)" <<'PYTHON'
import json, statistics, sys
times_path, parts_path, out, pictures, cores, commit, cpu, gpu = sys.argv[1:]
seconds, parts = {}, {}
for line in open(times_path):
    backend, jobs, each = line.split()
    seconds.setdefault((backend, int(jobs)), []).append(float(each))
for line in open(parts_path):
    backend, jobs, text = line.split(maxsplit=2)
    parts[backend, int(jobs)] = json.loads(text)
rows = []
print(f"{pictures} pictures on {cores} threads of {cpu}; {gpu or 'no GPU'}; medians of "
      f"{len(next(iter(seconds.values())))} runs; milliseconds of a picture's parts, of one run\n")
print("backend  jobs  seconds   times  pictures/s     read   upload  compute download    write")
for (backend, jobs), runs in seconds.items():
    median = statistics.median(runs)
    gain = statistics.median(seconds[backend, 1]) / median
    rows.append({"backend": backend, "jobs": jobs, "seconds": runs, "median": median, "times_one_job": gain,
                 "milliseconds_of_a_picture": parts[backend, jobs]})
    print(f"{backend:7}{jobs:6}{median:9.3f}{gain:8.2f}{int(pictures) / median:12.0f} ",
          "".join(f"{value:9.3f}" for value in parts[backend, jobs].values()))
with open(out, "w") as file:
    json.dump({"commit": commit, "cpu": cpu, "threads": int(cores), "gpu": gpu, "pictures": int(pictures),
               "command": "sobel of JPEG, 868x600, into PNG", "rows": rows}, file, indent=1)
    file.write("\n")
PYTHON
