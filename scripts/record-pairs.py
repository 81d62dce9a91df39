#!/usr/bin/env python3
"""Records what `warpwise explain` predicts for the kernels of tests/pairs, and prints how well measured times agree.

    scripts/record-pairs.py COMMAND [--sealed] [--only REGEX]     COMMAND: build/release/bin/warpwise

Writes results/pairs/predictions.json, for each GPU that scripts/time-pairs.py has measured. With --sealed the sealed pairs are
predicted in place of the others, to results/pairs/predictions-sealed.json, and only their totals are printed. Takes some minutes.
"""
import argparse
import json
import re
import subprocess
import sys

import pairs
from recording import clean_commit, first_line, write

BLOCKS = 64
BUDGET = 10**10  # in warp instructions; enough for all pairs
METHOD = (f"warpwise explain --sample {BLOCKS} of each kernel; of a kernel that is launched several times, all launches but the first have "
          "next_launch_us in place of launch_us")


def explained(command, pair, kernel, device):
    """Returns the report of `warpwise explain` on one kernel."""
    how = pairs.launch(pair, kernel)
    arguments = [word for text in how["args"] for word in ("--arg", text)]
    arch = ["--arch", str(how["arch"])] if "arch" in how else []
    done = subprocess.run([command, "explain", str(pairs.source(pair)), "--kernel", kernel, "--grid", how["grid"], "--block", how["block"],
                           "--shared", str(how["shared"]), *arch, *arguments, "--profile", device, "--sample", str(BLOCKS), "--budget", str(BUDGET), "--json"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"record-pairs.py: {pair['name']}, {kernel}: {done.stderr}")
    report = json.loads(done.stdout)
    if report["faults"]:
        sys.exit(f"record-pairs.py: {pair['name']}, {kernel}: {report['faults'][0]}")
    return report


def predicted(command, pair, kernel, device):
    """Returns the predicted time of all launches of a kernel, and its bottleneck."""
    launches = pairs.launch(pair, kernel)["launches"]
    prediction = explained(command, pair, kernel, device)["prediction"]
    less = (prediction["launch_us"] - prediction["next_launch_us"]) / prediction["time_us"]
    times = 1 + (launches - 1) * (1 - less)
    return {"rules": prediction["rules"], **{name: round(times * prediction[name], 3) for name in ("time_us", "least_us", "most_us")}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("--sealed", action="store_true")
    parser.add_argument("--only", help="predicts and prints only the pairs that match, and records nothing")
    arguments = parser.parse_args()
    if not arguments.only:
        clean_commit("record-pairs.py")
    # The last commit of warpwise/ identifies the predictions: commits of documents and scripts do not change them.
    commit = first_line("git", "log", "-1", "--format=%h", "--abbrev=12", "--", "warpwise")
    devices = [device for device in pairs.DEVICES if pairs.measured_path(device, arguments.sealed).exists()]
    made = {device: {} for device in devices}
    for pair in pairs.table():
        if pair["sealed"] != arguments.sealed or not re.search(arguments.only or "", pair["name"]):
            continue
        for device in devices:
            row = {kernel: predicted(arguments.command, pair, kernel, device) for kernel in pairs.KERNELS}
            made[device][pair["name"]] = row
            if not arguments.sealed:
                print(pair["name"], device, *(f"{row[kernel]['time_us']:.1f} ({row[kernel]['rules']})" for kernel in pairs.KERNELS), flush=True)
    if not arguments.only:
        write(pairs.predictions_path(arguments.sealed), {"commit": commit, "method": METHOD, "devices": made})
        for device in devices:
            print(device, pairs.summary(list(pairs.rows(device, arguments.sealed).values())))


if __name__ == "__main__":
    main()
