#!/usr/bin/env python3
"""Measures emulator_bench's launches in the interpreter and in machine code, and records them, as results/README.md describes.

  scripts/record-engines.py RECORD.json [--build build/release] [--runs 5]

It takes some minutes, and needs valgrind.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

from recording import clean_commit, machine_of, write

METHOD = ("callgrind counted the CPU instructions of two calls of Program::launch(), the first of which makes the code, and the table "
          "has half of them; rates: warp instructions of the kernel divided by the CPU time of its launches, medians of runs in turn")
# Products of matrices on tensor cores: both engines call handlers for them.
PRODUCTS = ["mma_f16", "mma_f16_to_f16", "mma_bf16", "mma_tf32", "mma_e4m3", "mma_s8", "wmma_f16"]
MODES = ["uncounted", "counted", "counted_for_three", "init", "races", "all_checks"]
# Launches whose CPU instructions are counted: callgrind takes a minute for each.
COUNTED = [(kernel, mode) for kernel in ("sobel", "multiply") for mode in ("uncounted", "counted")]


def instructions(bench, name):
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
                              "--toggle-collect=*Program::launch*", bench, f"--benchmark_filter=^run/{name}$",
                              "--benchmark_min_time=0.001"], capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", ran.stderr).group(1)) // 2


def rate(bench, name, figure="warp_instructions"):
    ran = subprocess.run([bench, f"--benchmark_filter=^run/{name}$", "--benchmark_min_time=0.2", "--benchmark_format=json"],
                         capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)["benchmarks"][0][figure]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("record", type=pathlib.Path)
    arguments.add_argument("--build", default="build/release", type=pathlib.Path)
    arguments.add_argument("--runs", default=5, type=int)
    chosen = arguments.parse_args()
    bench = chosen.build / "bin/emulator_bench"
    recorded = {"machine": machine_of(time.strftime("%Y-%m-%d"), clean_commit("record-engines.py"), METHOD),
                "runs": chosen.runs, "rows": [], "products": {}}
    for kernel in ["sobel", "box", "multiply"]:
        for mode in MODES:
            names = {"machine_code": f"{kernel}_{mode}", "interpreter": f"{kernel}_{mode}_interpreted"}
            row = {"kernel": kernel, "mode": mode.replace("_", " ")}
            for engine, name in names.items():
                row[engine] = {"instructions": instructions(bench, name)} if (kernel, mode) in COUNTED else {}
            rates = {engine: [] for engine in names}
            for _ in range(chosen.runs):
                for engine, name in names.items():
                    rates[engine].append(rate(bench, name))
            for engine, ran in rates.items():
                row[engine] |= {"rate": statistics.median(ran), "least": min(ran), "most": max(ran)}
            recorded["rows"].append(row)
    for name in PRODUCTS:
        recorded["products"][name] = statistics.median(rate(bench, f"product_{name}", "operations") for _ in range(chosen.runs))
    write(chosen.record, recorded)


if __name__ == "__main__":
    main()
