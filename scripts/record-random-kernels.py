#!/usr/bin/env python3
"""Runs random kernels in both engines of the emulator for a time, and adds the run to results/fuzz/random_kernels.json.

  scripts/record-random-kernels.py MINUTES [--jobs N] [--build build/release]
  scripts/record-random-kernels.py MINUTES --commit HASH --out FILE    for a bundle of files, which has no repository

Each kernel runs in the interpreter and in machine code. Registers, memory, counts and faults must be the same
(host_code_test). A kernel is made from its number alone, and the run begins with the first number that the record lacks.
The status is 1 if a kernel differs; its text is then in build/random_kernels.
"""
import argparse
import concurrent.futures
import datetime
import itertools
import json
import os
import pathlib
import subprocess
import sys
import time

from recording import REPOSITORY, clean_commit, cpu_name, wait_for, write

RECORD = REPOSITORY / "results/fuzz/random_kernels.json"
CHUNK = 5000


def run(program, first, logs):
    """Runs the CHUNK kernels from number `first` on; returns the exit status and the seconds of CPU."""
    log = logs / f"{first}.log"
    with log.open("wb") as output:
        process = subprocess.Popen([program, "--gtest_filter=HostCode.RandomKernelsRunAsInTheInterpreter"], stdout=output, stderr=output,
                                   env={**os.environ, "WARPWISE_HOST_CODE_SEED": str(first), "WARPWISE_HOST_CODE_KERNELS": str(CHUNK)})
        cpu = wait_for(process)
    if process.returncode == 0 and b"[  PASSED  ] 1 test" in log.read_bytes():
        log.unlink()
        return 0, cpu
    return process.returncode or 1, cpu


def worker(program, numbers, end, logs):
    """Runs chunks until the time is over; returns their statuses and their seconds of CPU."""
    done = []
    while time.monotonic() < end:
        done.append(run(program, next(numbers), logs))
    return done


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("minutes", type=float)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build/release")
    parser.add_argument("--commit")
    parser.add_argument("--out", type=pathlib.Path, default=RECORD)
    chosen = parser.parse_args()
    commit = chosen.commit or clean_commit("record-random-kernels.py")
    record = json.loads(chosen.out.read_text(encoding="utf-8")) if chosen.out.exists() else {"sessions": []}
    first = 1 + max((each["last"] for each in record["sessions"]), default=0)
    logs = REPOSITORY / "build/random_kernels"
    logs.mkdir(parents=True, exist_ok=True)
    numbers, end = itertools.count(first, CHUNK), time.monotonic() + 60 * chosen.minutes
    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        workers = [pool.submit(worker, chosen.build / "bin/host_code_test", numbers, end, logs) for _ in range(chosen.jobs)]
        chunks = [chunk for each in workers for chunk in each.result()]
    failed = sum(status != 0 for status, _ in chunks)
    session = {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%F"), "commit": commit, "cpu": cpu_name(),
               "first": first, "last": first + CHUNK * len(chunks) - 1, "cpu_seconds": round(sum(cpu for _, cpu in chunks)),
               "differences": failed}
    record["sessions"].append(session)
    write(chosen.out, record, 2)
    print(f"{CHUNK * len(chunks):,} kernels in {session['cpu_seconds']:,} s of CPU, {failed} of {len(chunks)} runs failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
