#!/usr/bin/env python3
"""Keeps the wall-clock and CPU time of each part of a test run, in build/minutes.json.

CI's machines differ in speed by up to a factor of 2.5 from hour to hour. A small compilation is therefore timed before
and after each part, and the part's CPU time is scaled as if the compilation had taken PACE_S.

    scripts/minutes.py begin                  forgets the parts of the previous run
    scripts/minutes.py part NAME COMMAND...   runs COMMAND, adds its times, ends with its status
    scripts/minutes.py add NAME SECONDS       adds a part that kept one core busy for SECONDS
    scripts/minutes.py skip NAME WHY          adds a part that is not run
    scripts/minutes.py table                  prints the parts
    scripts/minutes.py check                  ends with status 1 if the scaled CPU time was more than 40 min a core
    scripts/minutes.py keep                   makes this run the one that check compares with: results/ci-minutes.json
"""
import datetime
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUN = ROOT / "build/minutes.json"
REFERENCE = ROOT / "results/ci-minutes.json"
LIMIT_MIN = 40  # CI ends a run after 90 minutes of wall-clock time, and its machines are not always idle
PACE_S = 1.65  # the compilation's time in the run of results/ci-minutes.json, whose TSan build took 39 s; in a run with 98 s it was 4.14 s
COMPILATION = ["c++", "-std=c++20", "-O1", "-x", "c++", "-c", "-o", "/dev/null", "-"]
SOURCE = """#include <iostream>
#include <map>
#include <regex>
int main() { return std::regex_match("a", std::regex("[a-z]")) ? 0 : 1; }
"""


def commit():
    described = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=12"], cwd=ROOT,
                               capture_output=True, text=True)
    return described.stdout.strip() or "unknown"


def read(path):
    return json.loads(path.read_text()) if path.exists() else None


def write(path, run):
    path.parent.mkdir(parents=True, exist_ok=True)
    parts = ",\n  ".join(json.dumps(part) for part in run["parts"])
    head = json.dumps({name: run[name] for name in ["date", "commit", "cores"]})[:-1]
    path.write_text(f'{head},\n "parts": [\n  {parts}]}}\n')


def begin():
    return {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%F"), "commit": commit(),
            "cores": len(os.sched_getaffinity(0)), "parts": []}


def children_s():
    """Returns the CPU seconds of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def pace():
    """Returns the CPU seconds of the small compilation; None if there is no compiler."""
    before = children_s()
    try:
        subprocess.run(COMPILATION, input=SOURCE.encode(), check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return children_s() - before


def timed(name, command):
    """Runs a part; returns its record, and the exit status of its command."""
    paces = [pace()]
    start, before = time.monotonic(), children_s()
    status = subprocess.run(command, check=False).returncode
    part = {"part": name, "wall_s": round(time.monotonic() - start), "cpu_s": round(children_s() - before)}
    paces = [each for each in [*paces, pace()] if each]
    if paces:
        part["pace_s"] = round(sum(paces) / len(paces), 2)
    return part, status if status >= 0 else 128 - status  # the status by which a shell reports a signal


def clock(seconds):
    return f"{seconds // 60:3d}:{seconds % 60:02d}"


def total(run, what):
    return sum(part.get(what, 0) for part in run["parts"])


def counted_s(part):
    """Returns a part's CPU seconds, scaled to the speed of the machine of the recorded run."""
    return part.get("cpu_s", 0) * PACE_S / part.get("pace_s", PACE_S)


def core_minutes(run):
    return sum(map(counted_s, run["parts"])) / run["cores"] / 60


def table(run):
    lines = [f"{'Part':20s}  {'wall':>6s}  {'CPU':>6s}  counted"]
    for part in run["parts"]:
        if "skipped" in part:
            lines.append(f"{part['part']:20s}  not run: {part['skipped']}")
        else:
            lines.append(f"{part['part']:20s}  {clock(part['wall_s'])}  {clock(part['cpu_s'])}   {clock(round(counted_s(part)))}")
    lines.append(f"{'in all':20s}  {clock(total(run, 'wall_s'))}  {clock(total(run, 'cpu_s'))}   "
                 f"{core_minutes(run):.1f} min of CPU a core are counted")
    return "\n".join(lines)


def grown(run, reference):
    """Lists the parts that took more CPU time than in the reference, the largest growth first."""
    before = {part["part"]: counted_s(part) for part in reference["parts"]}
    growth = [(counted_s(part) - before.get(part["part"], 0), part) for part in run["parts"]]
    return [f"{part['part']}: {counted_s(part):.0f} s of CPU, {before.get(part['part'], 0):.0f} s then"
            for more, part in sorted(growth, key=lambda each: -each[0]) if more > 0]


def check(run, reference, limit=LIMIT_MIN):
    """Returns a message if the run took too long, else None."""
    if core_minutes(run) <= limit:
        return None
    message = f"This run took {core_minutes(run):.1f} min of CPU a core, and {limit} are allowed."
    if not reference:
        return message + f"\nNo run is recorded to compare with: scripts/minutes.py keep makes {REFERENCE.name}."
    lines = grown(run, reference)
    return "\n  ".join([message + f" More than in the run that is recorded, of {reference['commit']}:", *lines])


def main(command, *arguments):
    if command == "begin":
        write(RUN, begin())
        return 0
    run = read(RUN) or begin()
    if command in ["part", "add", "skip"]:
        name, *rest = arguments
        status = 0
        if command == "part":
            part, status = timed(name, rest)
        elif command == "add":
            part = {"part": name, "wall_s": int(rest[0]), "cpu_s": int(rest[0])}
        else:
            part = {"part": name, "skipped": " ".join(rest)}
        run["parts"].append(part)
        write(RUN, run)
        return status
    if command == "table":
        print(table(run))
        return 0
    if command == "check":
        message = check(run, read(REFERENCE))
        if message:
            print(message, file=sys.stderr)
        return 1 if message else 0
    if command == "keep":
        write(REFERENCE, run)
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(*(sys.argv[1:] or ["help"])))
