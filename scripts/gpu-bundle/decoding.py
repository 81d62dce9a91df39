#!/usr/bin/env python3
"""Times `warpwise stream` on a video, decoded by the CPU and by the GPU, on a machine with a GPU, and records the times.

  decoding.py FILM OUT.json [--seconds N] [--ffmpeg PROGRAM] [--about TEXT]

Runs bin/warpwise beside this script. The film should lie in a folder in memory. Whole processes run in turn; to measure
several at once, they start together. No round begins after --seconds. The record is written after each round.
"""
import argparse
import datetime
import json
import pathlib
import statistics
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
PIPELINE = "ycbcr32 | sobel | threshold window=31"
AT_ONCE = [1, 2, 4, 8]


def command(film, by, steps, frames):
    stages = ["--pipeline", PIPELINE] if steps else []
    limit = ["--frames", str(frames)] if frames else []
    return [HERE / "bin/warpwise", "stream", film, "null", "--json", "--backend", "cuda", "--decode", by, *stages, *limit]


def run_together(commands):
    """Runs processes at the same time. Returns the seconds until the last one ended, and the output of each."""
    start = time.perf_counter()
    processes = [subprocess.Popen(each, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for each in commands]
    printed = [process.communicate() for process in processes]
    seconds = time.perf_counter() - start
    for process, (_, errors) in zip(processes, printed):
        if process.returncode != 0:
            raise SystemExit(f"decoding.py: {' '.join(map(str, process.args))}: status {process.returncode}: {errors}")
    return seconds, [out for out, _ in printed]


def measured(film, by, steps, count, frames=None):
    seconds, printed = run_together([command(film, by, steps, frames)] * count)
    reports = [json.loads(each) for each in printed]
    assert all(("decoded by the GPU" in each["source"]["name"]) == (by == "gpu") for each in reports)
    return {"seconds": seconds, "frames": sum(each["written"] for each in reports),
            "in_run": sum(each["fps"] for each in reports)}


def row(what, runs):
    """Returns medians of runs: frames a second over whole processes, and from the first frame to the last."""
    whole = [each["frames"] / each["seconds"] for each in runs]
    return {**what, "frames": runs[0]["frames"], "fps": statistics.median(whole), "fps_least": min(whole),
            "fps_most": max(whole), "fps_in_run": statistics.median(each["in_run"] for each in runs if "in_run" in each)
            if "in_run" in runs[0] else None}


def measured_ffmpeg(program, film, frames):
    words = [program, "-v", "error", "-hwaccel", "cuda", "-hwaccel_output_format", "cuda", "-i", film, "-f", "null", "-"]
    return {"seconds": run_together([words])[0], "frames": frames}


def machine(commit):
    def first(*words):
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split("\n")[0].strip()

    toolkit = subprocess.run(["nvcc", "--version"], capture_output=True, text=True, check=True).stdout
    return {"gpu": first("nvidia-smi", "--query-gpu=name", "--format=csv,noheader"),
            "driver": first("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"),
            "toolkit": toolkit.split("release ")[1].split(",")[0], "commit": commit, "threads": int(first("nproc")),
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("film")
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--seconds", type=float, default=60)
    arguments.add_argument("--ffmpeg")
    arguments.add_argument("--about", default="", help="what the film is, for the record")
    chosen = arguments.parse_args()
    kinds = [{"by": "cpu", "steps": True, "at_once": 1}, {"by": "gpu", "steps": False, "at_once": 1}]
    kinds += [{"by": "gpu", "steps": True, "at_once": count} for count in AT_ONCE]
    kinds += [{"by": "cpu", "steps": True, "at_once": AT_ONCE[-1]}]
    runs = [[] for _ in kinds]
    peers = []
    end = time.monotonic() + chosen.seconds
    while not runs[0] or time.monotonic() < end:
        for kind, results in zip(kinds, runs):
            few = 400 if kind["by"] == "cpu" and kind["at_once"] > 1 else None
            results.append(measured(chosen.film, kind["by"], kind["steps"], kind["at_once"], few))
        if chosen.ffmpeg:
            peers.append(measured_ffmpeg(chosen.ffmpeg, chosen.film, runs[0][0]["frames"]))
        write(chosen, kinds, runs, peers)


def write(chosen, kinds, runs, peers):
    rows = [row(kind, results) for kind, results in zip(kinds, runs)]
    if peers:
        rows.append(row({"by": "ffmpeg", "steps": False, "at_once": 1}, peers))
    method = (f"whole processes in turn, {len(runs[0])} rounds; medians; steps: {PIPELINE}; frames read from a file in memory and "
              f"dropped at the end; {chosen.about}")
    record = {"machine": machine((HERE / "COMMIT").read_text(encoding="utf-8").strip()), "method": method, "rows": rows}
    chosen.out.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(json.dumps(rows), flush=True)


if __name__ == "__main__":
    main()
