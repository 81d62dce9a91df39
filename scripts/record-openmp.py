#!/usr/bin/env python3
"""Measures CUDA programs in the emulator beside their authors' OpenMP versions, and records results/emulator/openmp.json.

  scripts/record-openmp.py BUILT.json [--command build/release/bin/warpwise] [--runs 3]

BUILT.json says what was built from a checkout of a collection, and how the programs are called:

    {"collection": "…", "repository": "owner/name", "commit": "…", "compiled": "with which options",
     "programs": {"NAME": {"cuda": ["/folder", "/program", "argument"…], "openmp": ["/folder", "/program", "argument"…]}}}

Every process has one core. A figure is the CPU time of a whole process, user and system, the median of --runs. A process that a
signal ends, or in which the emulator reports a fault, is an error. Exit codes are not: some of Rodinia's programs return no value.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from recording import REPOSITORY, clean_commit, kinds_in, machine_of, wait_for, write


def seconds(call, before=()):
    """Runs a call of BUILT.json; returns its seconds of CPU time."""
    folder, *command = call
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen([*before, *command], cwd=folder, stdout=subprocess.DEVNULL, stderr=said,
                                   env={**os.environ, "OMP_NUM_THREADS": "1"})
        cpu = wait_for(process)
        said.seek(0)
        if process.returncode < 0 or kinds_in(said.read()):
            sys.exit(f"record-openmp.py: {command[0]} ended by a signal or with a fault")
    return cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("built", type=pathlib.Path)
    parser.add_argument("--command", type=pathlib.Path, default=REPOSITORY / "build/release/bin/warpwise")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    built = json.loads(arguments.built.read_text(encoding="utf-8"))
    machine = machine_of(time.strftime("%Y-%m-%d"), clean_commit("record-openmp.py"), built["compiled"])
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])  # the processes inherit it
    rows = []
    for name, calls in built["programs"].items():
        times = [(seconds(calls["cuda"], [arguments.command.resolve(), "run"]), seconds(calls["openmp"])) for _ in range(arguments.runs)]
        emulated, openmp = map(statistics.median, zip(*times))
        rows.append({"program": name, **{f"{kind}_arguments": " ".join(calls[kind][2:]) for kind in ("cuda", "openmp")},
                     "emulated": round(emulated, 4), "openmp": round(openmp, 4)})
        print(name, rows[-1], flush=True)
    write(REPOSITORY / "results/emulator/openmp.json",
          {"machine": machine, **{key: built[key] for key in ("collection", "repository", "commit")}, "runs": arguments.runs, "rows": rows}, 3)


if __name__ == "__main__":
    main()
