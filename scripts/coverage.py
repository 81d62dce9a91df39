#!/usr/bin/env python3
"""Measures which lines and branches of the product the tests run: results/coverage.json, with a row for each room
(folder).

  scripts/coverage.py            builds the preset coverage, runs its tests, and records
  scripts/coverage.py --again    records what the tests have run so far

The tests are CI's tests with the labels unit, emulator and command, without the label peer and without LEFT_OUT. The
counted lines are those of C++ in warpwise/, compiled by GCC with -O1 -fno-inline. Tests, benches, CUDA code (.cu and
.cuh) and the Python package are not counted. Branches are those of gcov, without those that only an exception takes. A
line of a header counts once. gcovr is installed into build/checks-venv. Also writes build/coverage/lines.json: for each
file the lines that no test runs.
"""
import argparse
import collections
import datetime
import json
import os
import pathlib
import subprocess
import sys

from recording import REPOSITORY, clean_commit, machine_of, write

BUILD = REPOSITORY / "build/coverage"
RECORD = REPOSITORY / "results/coverage.json"
GCOVR = REPOSITORY / "build/checks-venv/bin/gcovr"
# These tests repeat other tests at larger sizes, or wait for a long time.
LEFT_OUT = "command.depth|command.lab_verify|command.network_lost|shipped|_large_|_of_cc75|_unchecked_"
SPLIT = ["algorithms", "emulator", "lab", "primitives"]  # rooms that are divided into their subfolders
# Goals for lines and branches, in per cent: of the whole product, and of rooms whose faults a user cannot notice.
GOALS = {"whole": [92, 80], "rules": [97, 90], "races": [97, 90], "io": [97, 90]}


def rooms_of(path):
    """Returns the rows in which a file of the product is counted."""
    parts = pathlib.PurePath(path).parts[1:]
    room = "/".join(parts[:2]) if parts[0] in SPLIT and len(parts) > 2 else parts[0]
    races = path.startswith("warpwise/emulator/observe/race")
    return ["whole", room, *["races"] * races]


def is_product(path):
    name = pathlib.PurePath(path).name
    tests = ("_test.cpp", "_testing.hpp", "_bench.cpp", "_bench.hpp", ".cu", ".cuh")
    return path.startswith("warpwise/") and len(pathlib.PurePath(path).parts) > 2 and not name.endswith(tests) and not name.startswith("test_")


def run_tests():
    for counts in BUILD.rglob("*.gcda"):
        counts.unlink()
    # The exit status is ignored, because CI itself reports failed tests.
    subprocess.run(["ctest", "--test-dir", BUILD, "-j", str(len(os.sched_getaffinity(0))), "-L", "unit|emulator|command", "-LE", "peer",
                    "-E", LEFT_OUT, "--timeout", "1200"])


def counted():
    """Returns gcovr's summary, and its report with the lines of each file."""
    subprocess.run([REPOSITORY / "scripts/checks-venv.sh"], check=True)
    out = BUILD / "gcovr.json"
    subprocess.run([GCOVR, "--root", REPOSITORY, "--filter", f"{REPOSITORY}/warpwise/", "--exclude-throw-branches",
                    "--exclude-unreachable-branches", "--gcov-ignore-parse-errors=all", "--merge-mode-functions=merge-use-line-min",
                    "-j", str(len(os.sched_getaffinity(0))), "--json", out, "--json-summary", BUILD / "summary.json", BUILD],
                   check=True, cwd=BUILD)  # gcov writes files into the working directory
    return json.loads((BUILD / "summary.json").read_text()), json.loads(out.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--again", action="store_true")
    again = parser.parse_args().again
    commit = clean_commit("coverage.py")
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%F")
    if not again:
        subprocess.run([REPOSITORY / "scripts/build.sh", "coverage"], check=True)
        run_tests()
    summary, whole = counted()
    rooms = collections.defaultdict(lambda: {"lines": [0, 0], "branches": [0, 0]})
    for each in filter(lambda each: is_product(each["filename"]), summary["files"]):
        for room in rooms_of(each["filename"]):
            for kind, name in [("lines", "line"), ("branches", "branch")]:
                rooms[room][kind][0] += each[f"{name}_covered"]
                rooms[room][kind][1] += each[f"{name}_total"]
    record = {"machine": machine_of(date, commit, "-O1 -fno-inline; gcovr without branches of exceptions; tests left out: " + LEFT_OUT),
              "goals": GOALS, "rooms": dict(sorted(rooms.items()))}
    write(RECORD, record, 3)
    missed = {each["file"]: [line["line_number"] for line in each["lines"] if not line["count"]]
              for each in whole["files"] if is_product(each["file"])}
    (BUILD / "lines.json").write_text(json.dumps(missed))
    for name, goal in GOALS.items():
        print(name, *(f"{kind} {100 * rooms[name][kind][0] / max(1, rooms[name][kind][1]):.1f} % (goal {least})"
                      for kind, least in zip(["lines", "branches"], goal)))


if __name__ == "__main__":
    sys.exit(main())
