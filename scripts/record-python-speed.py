#!/usr/bin/env python3
"""Measures numba and Triton on the emulated GPU beside numba's simulator and Triton's interpreter: results/emulator/python-speed.json.

    scripts/record-python-speed.py --numba VENV/bin/python --triton VENV/bin/python [--command build/release/bin/warpwise]

All times are CPU seconds, so that other work on the machine matters little. A fault is found if the program fails.
"""
import argparse
import os
import resource
import statistics
import subprocess
import time

from recording import REPOSITORY, clean_commit, machine_of, write

PROGRAMS = REPOSITORY / "scripts/python_speed"
FAULTS = ["bounds", "shared_race", "global_race", "unwritten", "barrier"]


def cpu_seconds(command):
    """Returns the CPU seconds of a command and its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def printed(command, **environment):
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, **environment})
    return float(done.stdout.split()[-1])


def fails(command, **environment):
    try:
        return subprocess.run(command, capture_output=True, check=False, timeout=120, env={**os.environ, **environment}).returncode != 0
    except subprocess.TimeoutExpired:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--numba", required=True, help="the Python of an environment with numba-cuda")
    parser.add_argument("--triton", required=True, help="the Python of an environment with Triton and PyTorch")
    parser.add_argument("--command", default=str(REPOSITORY / "build/release/bin/warpwise"))
    arguments = parser.parse_args()
    commit = clean_commit("record-python-speed.py")
    run, checked = [arguments.command, "run"], [arguments.command, "run", "--check", "all"]
    numba = [arguments.numba, PROGRAMS / "numba_kernels.py"]
    triton = [arguments.triton, PROGRAMS / "triton_kernels.py"]
    on_host = {"PYTHONPATH": str(REPOSITORY / "scripts/python_suites")}
    begins = ["-c", "from numba import cuda"], ["-c", "from numba import cuda; cuda.current_context()"]
    pairs = [(cpu_seconds([arguments.numba, *begins[0]]), cpu_seconds([*run, arguments.numba, *begins[1]])) for _ in range(6)][1:]
    times = {"import alone": statistics.median(own for own, _ in pairs),
             "import and context, emulated": statistics.median(emulated for _, emulated in pairs),
             "10,000 elements, emulated, all checks": printed([*checked, *numba, "scaled", "9"]),
             "product of numba, emulated": printed([*run, *numba, "product", "5"]),
             "product of numba, emulated, all checks": printed([*checked, *numba, "product", "5"]),
             "product of numba, simulator": printed([*numba, "product", "1"], NUMBA_ENABLE_CUDASIM="1"),
             "product of Triton, emulated": printed([*run, *triton], **on_host),
             "product of Triton, emulated, all checks": printed([*checked, *triton], **on_host),
             "product of Triton, interpreter": printed(triton, TRITON_INTERPRET="1")}
    found = {"emulated": [name for name in FAULTS if fails([*checked, *numba, name])],
             "simulator": [name for name in FAULTS if fails([*numba, name], NUMBA_ENABLE_CUDASIM="1")]}
    write(REPOSITORY / "results/emulator/python-speed.json",
          {"machine": machine_of(time.strftime("%Y-%m-%d"), commit, "warpwise run"), "cpu_seconds": times, "faults": FAULTS, "found": found})


if __name__ == "__main__":
    main()
