#!/usr/bin/env python3
"""Records what `warpwise run --check all` says of the programs in tests/emulator/faults: results/emulator/faults.json.

    scripts/record-faults.py [WARPWISE]

WARPWISE is build/release/bin/warpwise if it is not given. scripts/record-sanitizer.py records what compute-sanitizer says of the same programs.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from recording import REPOSITORY, clean_commit, kinds_in, write

SOURCES = REPOSITORY / "tests/emulator/faults"
PTX = ["-gencode", "arch=compute_80,code=compute_80"]


def said(warpwise, program, case):
    done = subprocess.run([warpwise, "run", "--check", "all", program, case], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120, check=False)
    return done.stderr


def main():
    commit = clean_commit("record-faults.py")
    warpwise = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else REPOSITORY / "build/release/bin/warpwise")
    with tempfile.TemporaryDirectory(prefix="warpwise-faults-") as folder:
        program = str(pathlib.Path(folder) / "faults")
        subprocess.run(["nvcc", "-std=c++17", "-cudart", "shared", "-lineinfo", *PTX, "-t", "2", "-o", program,
                        *sorted(map(str, SOURCES.glob("*.cu")))], check=True)
        listed = subprocess.run([warpwise, "run", "-q", program, "--list"], capture_output=True, text=True, check=True).stdout
        cases = {}
        for line in listed.splitlines():
            name, kind, way, missed = line.split("\t")
            cases[name] = {"kind": kind, "hangs_gpu": way == "hangs", "found": kinds_in(said(warpwise, program, name))}
            if missed:
                cases[name]["missed_because"] = missed
    write(REPOSITORY / "results/emulator/faults.json", {"commit": commit, "date": time.strftime("%Y-%m-%d", time.gmtime()), "cases": cases})
    found = sum(case["kind"] in case["found"] for case in cases.values())
    print(f"{len(cases)} programs, in {found} of them the fault is found")


if __name__ == "__main__":
    main()
