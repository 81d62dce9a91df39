#!/usr/bin/env python3
"""Prints every half minute how far a build is, and about how long it will still take. For logs and other non-terminals.

  cmake --build FOLDER | scripts/build-progress.py FOLDER [--target NAME] [--every SECONDS]

Reads Ninja's output, drops it, and writes lines such as "release: 2 min, 85 of 521 steps, about 6 min left" to standard
error. The estimate starts from the seconds of each object in the folder's last build (.ninja_log), or else in the
recorded build (build.json in results/). It is scaled by how much longer this build's objects have taken so far. If too
little is known for an estimate, the line has none.
"""
import argparse
import os
import pathlib
import re
import selectors
import subprocess
import sys
import time

import build_tables
from ninja_log import logged, seconds

RESULTS = pathlib.Path(__file__).resolve().parent.parent / "results"
STATUS = re.compile(rb"\[(\d+)/(\d+)\] (?!Re-)")  # "Re-running CMake" comes before the build
OBJECT = re.compile(r"\] Building \w+ object (\S+)$")
LEAST_KNOWN = 0.8  # share of the objects whose seconds must be known before an estimate is made
LEAST_SEEN = 15  # seconds of compilation that must be over before an estimate is made


def recorded():
    """Returns the seconds of each object in the last record of scripts/record-build.py."""
    record = build_tables.newest(RESULTS)
    return record["objects"] if record else {}


def objects_to_compile(folder, target):
    """Lists the objects that this build compiles. Asks Ninja about a copy of build.ninja: for the original file, Ninja
    only says that CMake may have to run first."""
    copy = folder / "progress.ninja"
    copy.write_bytes((folder / "build.ninja").read_bytes())
    ninja = re.search(r"^CMAKE_MAKE_PROGRAM:\w+=(.+)$", (folder / "CMakeCache.txt").read_text(encoding="utf-8"), re.M)[1]
    said = subprocess.run([ninja, "-C", folder, "-f", copy.name, "-n", *([target] if target else [])],
                          capture_output=True, text=True).stdout
    copy.unlink()
    return [match[1] for match in map(OBJECT.search, said.splitlines()) if match]


def jobs_of_ninja():
    """Returns the number of processes that Ninja runs at a time by default."""
    told = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", "")
    if told.isdecimal() and int(told) > 0:
        return int(told)
    cores = len(os.sched_getaffinity(0))
    return cores + 2 if cores > 2 else cores + 1


def known_seconds(objects, last, record):
    """Returns the expected seconds of each object. Takes all of them from one source, because times of two machines
    cannot be mixed. Objects that the source lacks get its mean. Returns None if each source lacks too many."""
    for source in (last, record):
        found = [source[name] for name in objects if name in source]
        if found and len(found) >= LEAST_KNOWN * len(objects):
            mean = sum(found) / len(found)
            return {name: source.get(name, mean) for name in objects}
    return None


def seconds_left(expected, taken, jobs, elapsed):
    """Estimates the remaining seconds of the build; None if there is no estimate yet.

    expected: seconds of each object of the build, on any machine; taken: this machine's seconds of each compiled object
    """
    both = [name for name in taken if name in expected]
    seen = sum(taken[name] for name in both)
    if seen < LEAST_SEEN:
        return None
    slower = seen / max(sum(expected[name] for name in both), 1e-3)
    # Either all processes compile to the end, or they wait for the process that compiles the slowest object.
    whole = slower * max(sum(expected.values()) / jobs, max(expected.values()))
    return max(whole - elapsed, 0)


def words(name, elapsed, done, total, left):
    whole_minutes, rest = divmod(round(elapsed), 60)
    time_so_far = " ".join(part for part in [f"{whole_minutes} min" if whole_minutes else "", f"{rest} s" if rest or not whole_minutes else ""] if part)
    text = f"{name}: {time_so_far}, {done} of {total} steps"
    if left is None or done == total:
        return text
    return text + (f", about {round(left / 60)} min left" if left >= 90 else ", about a minute left")


class Progress:
    def __init__(self, folder, target):
        self.folder, self.target = folder, target
        self.start = self.compiling_since = time.monotonic()
        self.before = logged(folder)
        self.done = self.total = 0
        self.expected = None

    def read(self, line):
        """Takes a line of Ninja's output."""
        status = STATUS.match(line)
        if not status:
            return
        if self.total == 0:
            objects = objects_to_compile(self.folder, self.target)
            if len(objects) <= int(status[2]):  # a preset may build fewer targets than Ninja is asked about here
                self.expected = known_seconds(objects, seconds(self.before), recorded())
            self.compiling_since = time.monotonic()
        self.done, self.total = int(status[1]), int(status[2])

    def line(self):
        now = time.monotonic()
        left = None
        if self.expected:
            entries = logged(self.folder)
            taken = seconds({name: entry for name, entry in entries.items() if self.before.get(name) != entry})
            left = seconds_left(self.expected, taken, jobs_of_ninja(), now - self.compiling_since)
        return words(self.folder.name, now - self.start, self.done, self.total, left)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--target")
    arguments.add_argument("--every", type=float, default=30)
    chosen = arguments.parse_args()
    progress = Progress(chosen.folder.resolve(), chosen.target)
    selector = selectors.DefaultSelector()
    selector.register(sys.stdin, selectors.EVENT_READ)
    due = time.monotonic() + chosen.every
    unfinished = b""
    while True:
        if selector.select(max(due - time.monotonic(), 0)):
            part = os.read(sys.stdin.fileno(), 65536)
            if not part:
                return
            *lines, unfinished = (unfinished + part).split(b"\n")
            for line in lines:
                progress.read(line)
        if time.monotonic() >= due:
            due += chosen.every
            if progress.total:
                print(progress.line(), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
