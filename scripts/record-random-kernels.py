#!/usr/bin/env python3
"""Runs random kernels in both engines of the emulator for a time, and adds the run to results/fuzz/random_kernels.json.

  scripts/record-random-kernels.py MINUTES [--jobs N] [--build build/release]
  scripts/record-random-kernels.py MINUTES --commit HASH --out FILE    for a bundle of files, which has no repository: FILE is
                                                                       a copy of the record

Each kernel runs in the interpreter and in machine code. Registers, memory, counts and faults must be the same
(host_code_test). A kernel is made from its number alone. A process runs 5,000 kernels and ends at the first one that differs;
its log, with the kernel, is then in build/random_kernels. A run repeats the processes that found a difference in the last one,
and goes on with the first number that the record lacks. The status is 1 if a kernel differs. A process that ends in any other
way ends the run, and nothing is recorded.
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
import threading
import time

from recording import REPOSITORY, clean_commit, cpu_name, wait_for, write

RECORD = REPOSITORY / "results/fuzz/random_kernels.json"
LOGS = REPOSITORY / "build/random_kernels"
TEST = "HostCode.RandomKernelsRunAsInTheInterpreter"
CHUNK = 5000  # the record's numbers belong to processes of this size
NEEDED = {"avx2", "fma", "bmi1", "bmi2", "popcnt"}  # without these the emulator makes no machine code


def run(program, first):
    """Runs the CHUNK kernels from number `first` on; returns this number, true if all ran alike, and the seconds of CPU."""
    log = LOGS / f"{first}.log"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GTEST_")}
    with log.open("wb") as output:
        process = subprocess.Popen([program, f"--gtest_filter={TEST}"], stdout=output, stderr=output,
                                   env={**clean, "WARPWISE_HOST_CODE_SEED": str(first), "WARPWISE_HOST_CODE_KERNELS": str(CHUNK)})
        cpu = wait_for(process)
    text = log.read_bytes()
    if process.returncode == 0 and b"[  PASSED  ] 1 test" in text:
        log.unlink()
        return first, True, cpu
    if process.returncode == 1 and f"[  FAILED  ] {TEST}".encode() in text:
        return first, False, cpu
    raise RuntimeError(f"host_code_test ended with {process.returncode}; its log is {log}")


def worker(program, numbers, end, stop):
    """Runs chunks until the time is over; returns the results of run()."""
    done = []
    try:
        while time.monotonic() < end and not stop.is_set():
            done.append(run(program, next(numbers)))
    except BaseException:
        stop.set()
        raise
    return done


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("minutes", type=float)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build/release")
    parser.add_argument("--commit")
    parser.add_argument("--out", type=pathlib.Path, default=RECORD)
    chosen = parser.parse_args()
    if not NEEDED <= set(pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").split()):
        sys.exit("record-random-kernels.py: this CPU gets no machine code, so there is nothing to compare")
    if chosen.commit is None:
        subprocess.run(["cmake", "--build", chosen.build, "--target", "host_code_test"], check=True, stdout=subprocess.DEVNULL)
    commit = chosen.commit or clean_commit("record-random-kernels.py")
    program = chosen.build / "bin/host_code_test"
    record = json.loads(chosen.out.read_text(encoding="utf-8")) if chosen.out.exists() else {"sessions": []}
    again = record["sessions"][-1]["differing"] if record["sessions"] else []
    first = 1 + max((each["last"] for each in record["sessions"]), default=0)
    LOGS.mkdir(parents=True, exist_ok=True)
    numbers, end = itertools.chain(again, itertools.count(first, CHUNK)), time.monotonic() + 60 * chosen.minutes
    stop = threading.Event()
    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        workers = [pool.submit(worker, program, numbers, end, stop) for _ in range(chosen.jobs)]
        try:
            chunks = [chunk for each in workers for chunk in each.result()]
        except BaseException as error:
            stop.set()
            sys.exit(f"record-random-kernels.py: nothing is recorded: {error or 'stopped'}")
    alike = {number for number, same, _ in chunks if same}
    ran = {number for number, _, _ in chunks}
    session = {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%F"), "commit": commit,
               "cpu": f"{cpu_name()}, {chosen.jobs} of {os.cpu_count()} cores",
               "last": max([first - 1, *(number + CHUNK - 1 for number in ran)]), "alike": CHUNK * len(alike),
               "differing": sorted((ran | set(again)) - alike), "cpu_seconds": round(sum(cpu for _, _, cpu in chunks))}
    record["sessions"].append(session)
    write(chosen.out, record, 2)
    print(f"{session['alike']:,} kernels ran alike in {session['cpu_seconds']:,} s of CPU; "
          f"{len(session['differing'])} processes have a difference")
    return 1 if session["differing"] else 0


if __name__ == "__main__":
    sys.exit(main())
