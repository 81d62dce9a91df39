#!/usr/bin/env python3
"""Runs cpu_bench with ffmpeg_match.py, and emulator_bench, and records them, as results/README.md describes.

  scripts/record-cpu.py results/NAME [--build build/release] [--filter REGEX] [--only cpu|emulator]
  scripts/record-cpu.py results/NAME --scaling RAN.json

The machine should do nothing else meanwhile. The script takes about a quarter of an hour.

--scaling records what this command has written on a machine with more cores:

  cpu_bench --threads=1,2,4,8,16 --benchmark_filter=REGEX --benchmark_out=RAN.json \\
            --benchmark_context=cpu="NAME",commit=COMMIT
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

from recording import REPOSITORY, clean_commit, machine_of, write

METHOD = ("cpu_bench: ours and the peer call by call in turn, as many threads on both sides; ours_ms "
          "and peer_ms are medians; ratio = peer time / our time, median, 5th and 95th percentile; "
          "stream_% of a 256 MiB copy, read_% of reading as much, sad_peak_% of the rate at which "
          "so many cores sum absolute differences in registers, all in the same run")
SCALING_METHOD = ("cpu_bench --threads: ours alone, with each number of threads; ours_ms is a median; stream_% of a 256 MiB "
                  "copy and sad_peak_% of absolute differences in registers by as many threads, in the same run")
EMULATOR_METHOD = ("emulator_bench: one core, 1280x720 bytes in blocks of 32x8 threads; warp instructions of the "
                   "kernel divided by the time of its launches")
# The fields that are recorded; Google Benchmark's other fields have no meaning here.
KEPT = ("name", "iterations", "real_time", "ours_ms", "peer_ms", "ratio", "ratio_p5", "ratio_p95",
        "stream_%", "read_%", "sad_peak_%", "label")


def main():
    arguments = argparse.ArgumentParser(description=__doc__,
                                        formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--build", default="build/release", type=pathlib.Path)
    arguments.add_argument("--filter", default=".")
    arguments.add_argument("--only", choices=["cpu", "emulator"])
    arguments.add_argument("--scaling", type=pathlib.Path)
    chosen = arguments.parse_args()
    if chosen.scaling:
        record_scaling(chosen)
        return
    commit = clean_commit("record-cpu.py")
    if chosen.only != "emulator":
        record_cpu(chosen, commit)
    if chosen.only != "cpu":
        record_emulator(chosen, commit)


def kept_rows(report):
    return [{key: row[key] for key in KEPT if key in row} for row in report["benchmarks"]]


def record_scaling(chosen):
    """Records a run of cpu_bench, whose context says where it ran and what it was built from."""
    report = json.loads(chosen.scaling.read_text(encoding="utf-8"))
    context = report["context"]
    machine = machine_of(context["date"], context["commit"], SCALING_METHOD)
    machine |= {"num_cpus": context["num_cpus"], "cpu": f"{context['cpu']}, {context['num_cpus']} cores"}
    write(chosen.folder / "cpu_scaling.json", {"machine": machine, "rows": kept_rows(report)})


def record_emulator(chosen, commit):
    """Records one core's warp instructions a second: median and extremes of several runs."""
    with tempfile.TemporaryDirectory() as folder:
        benched = pathlib.Path(folder) / "emulator.json"
        subprocess.run([REPOSITORY / chosen.build / "bin/emulator_bench", f"--benchmark_out={benched}",
                        "--benchmark_out_format=json", "--benchmark_repetitions=9"], check=True)
        report = json.loads(benched.read_text(encoding="utf-8"))
    speeds = {}
    for row in report["benchmarks"]:
        if row["run_type"] == "iteration":
            speeds.setdefault(row["run_name"], []).append(row["warp_instructions"])
    rows = [{"name": name, "warp_instructions_per_s": statistics.median(all_of),
             "least": min(all_of), "most": max(all_of), "runs": len(all_of)}
            for name, all_of in speeds.items()]
    write(chosen.folder / "emulator_bench.json",
          {"machine": machine_of(report["context"]["date"], commit, EMULATOR_METHOD), "rows": rows})


def record_cpu(chosen, commit):
    with tempfile.TemporaryDirectory() as folder:
        benched = pathlib.Path(folder) / "cpu.json"
        subprocess.run([REPOSITORY / chosen.build / "bin/cpu_bench", f"--benchmark_out={benched}",
                        "--benchmark_out_format=json", f"--benchmark_filter={chosen.filter}"],
                       check=True)
        report = json.loads(benched.read_text(encoding="utf-8"))
        beside = pathlib.Path(folder) / "ffmpeg.json"
        subprocess.run([REPOSITORY / "bench/ffmpeg_match.py", "--build", chosen.build,
                        "--json", beside], check=True)
        ffmpeg = json.loads(beside.read_text(encoding="utf-8")) if beside.exists() else None
    recorded = {
        "machine": machine_of(report["context"]["date"], commit, METHOD),
        "rows": kept_rows(report),
    }
    if ffmpeg:
        recorded["ffmpeg"] = ffmpeg
    write(chosen.folder / "cpu_bench.json", recorded)


if __name__ == "__main__":
    main()
