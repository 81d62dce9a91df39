#!/usr/bin/env python3
"""Runs cpu_bench and ffmpeg_match.py and records both, as results/README.md describes.

  scripts/record-cpu.py results/NAME [--build build/release] [--filter REGEX]

The machine should do nothing else meanwhile; it takes about a quarter of an hour.
"""
import argparse
import json
import pathlib
import platform
import subprocess
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
METHOD = ("cpu_bench: ours and the peer call by call in turn, as many threads on both sides; ours_ms "
          "and peer_ms are medians; ratio = peer time / our time, median, 5th and 95th percentile; "
          "stream_% of a 256 MiB copy, read_% of reading as much, sad_peak_% of the rate at which "
          "so many cores sum absolute differences in registers, all in the same run")
# Of Google Benchmark's own fields none but these says anything here.
KEPT = ("name", "iterations", "real_time", "ours_ms", "peer_ms", "ratio", "ratio_p5", "ratio_p95",
        "stream_%", "read_%", "sad_peak_%", "label")


def first_line(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True,
                          cwd=REPOSITORY).stdout.splitlines()[0]


def cpu_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.processor()


def main():
    arguments = argparse.ArgumentParser(description=__doc__,
                                        formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--build", default="build/release", type=pathlib.Path)
    arguments.add_argument("--filter", default=".")
    chosen = arguments.parse_args()
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
    context = report["context"]
    recorded = {
        "machine": {"date": context["date"], "num_cpus": context["num_cpus"],
                    "commit": first_line("git", "describe", "--always", "--dirty", "--abbrev=12"),
                    "cpu": f"{cpu_name()}, {context['num_cpus']} cores",
                    "compiler": first_line("c++", "--version"), "method": METHOD},
        "rows": [{key: row[key] for key in KEPT if key in row} for row in report["benchmarks"]],
    }
    if ffmpeg:
        recorded["ffmpeg"] = ffmpeg
    chosen.folder.mkdir(parents=True, exist_ok=True)
    (chosen.folder / "cpu_bench.json").write_text(
        json.dumps(recorded, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
