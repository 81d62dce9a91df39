#!/usr/bin/env python3
"""Measures public programs in the interpreter and with machine code, and records results/emulator/program_engines.json.

  scripts/record-program-engines.py NAME=BUILT.json… [--seconds 60] [--runs 3] [--command build/release/bin/warpwise]

BUILT.json and scripts/programs/NAME.json are those of record-programs.py. A figure is the CPU time of a whole process on one core,
user and system: the program's own work on the CPU is part of it. The engines run in turn, with no checks and with `--check all`.
A figure is the median of --runs; if the first run takes more than 5 s, there is only this one. A program that takes more than
--seconds of CPU time is left out. Both engines must end with the same status and report the same kinds of faults.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from recording import REPOSITORY, clean_commit, kinds_in, machine_of, wait_for, write

ENGINES = ("interpreter", "automatic")
LONG_S = 5
NOT_RUN = re.compile(r"^warpwise: .*(?:was not run|is not supported)", re.MULTILINE)


def run(command, folder, seconds):
    """Runs a program; returns its seconds of CPU time, and what both engines must agree on."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with tempfile.TemporaryFile("w+", errors="replace") as said:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said, preexec_fn=limit)
        cpu = wait_for(process)
        said.seek(0)
        text = said.read()
    return cpu, (process.returncode, kinds_in(text), bool(NOT_RUN.search(text)))


def measured(start, rest, folder, arguments):
    """Returns the seconds of CPU time with each engine, or the reason why there are none."""
    times = {engine: [] for engine in ENGINES}
    agreed = set()
    for _ in range(arguments.runs):
        for engine in ENGINES:
            cpu, outcome = run([*start, "--engine", engine, *rest], folder, arguments.seconds)
            if cpu >= arguments.seconds:
                return f"takes more than {arguments.seconds} s of CPU time with the engine `{engine}`"
            times[engine].append(cpu)
            agreed.add(str(outcome))
        if max(map(max, times.values())) > LONG_S:
            break
    if len(agreed) > 1:
        return "the engines differ: " + " and ".join(sorted(agreed))
    return {engine: round(statistics.median(each), 3) for engine, each in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="+", metavar="NAME=BUILT.json")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--command", type=pathlib.Path, default=REPOSITORY / "build/release/bin/warpwise")
    arguments = parser.parse_args()
    machine = machine_of(time.strftime("%Y-%m-%d"), clean_commit("record-program-engines.py"), "nvcc 13.0 -cudart shared, PTX for compute_80")
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])  # the processes inherit it
    rows, left_out = [], []
    for name, path in (each.split("=", 1) for each in arguments.collections):
        known = json.loads((REPOSITORY / f"scripts/programs/{name}.json").read_text(encoding="utf-8"))
        for program, built in json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["programs"].items():
            call = known.get("calls", {}).get(program, {})
            if "program" not in built or "needs" in call:
                continue
            rest = [built["program"], *map(str, call.get("arguments", []))]
            for checks in ("none", "all"):
                start = [arguments.command.resolve(), "run", "--cc", known.get("cc", "9.0"), *(["--check", "all", "--keep-going"] if checks == "all" else [])]
                figures = measured(start, rest, built["folder"], arguments)
                which = {"collection": name, "program": program, "checks": checks}
                if isinstance(figures, str):
                    left_out.append({**which, "why": figures})
                else:
                    rows.append({**which, **figures})
                print(name, program, checks, figures, flush=True)
    write(REPOSITORY / "results/emulator/program_engines.json",
          {"machine": machine, "runs": arguments.runs, "seconds": arguments.seconds, "rows": rows, "left out": left_out}, 2)
    if any("differ" in each["why"] for each in left_out):
        sys.exit("record-program-engines.py: the engines differ in a program")


if __name__ == "__main__":
    main()
