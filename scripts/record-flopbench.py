#!/usr/bin/env python3
"""Compares `warpwise run --explain` with gpuFLOPBench's table of kernels on a GeForce RTX 3080: results/flopbench.json.

    scripts/record-flopbench.py CHECKOUT FOLDER [--programs N] [--seconds N] [--jobs N] [--command build/release/bin/warpwise] [--try]

CHECKOUT is a checkout of github.com/Scientific-Computing-Lab/gpuFLOPBench. No file of it is part of this project, and nothing is fetched. Its
programs are built with nvcc into FOLDER and called as the suite called them. Archives beside a program's source are
unpacked there first. The output of each program is kept in FOLDER, so that a further call of the script continues. The
programs are taken in a seeded random order: --programs is their number, all by default. A program ends after --seconds,
and its launches until then are compared. The suite profiled the first launch of each kernel with Nsight Compute, which
holds the clock at its base value: the profile is rtx3080 with that clock.
"""
import argparse
import collections
import concurrent.futures
import json
import math
import pathlib
import shutil
import subprocess
import time

import flopbench
from recording import REPOSITORY, clean_commit, first_line, machine_of, write

PROFILE = REPOSITORY / "warpwise/lab/predict/devices/rtx3080.json"
# From TechPowerUp's GPU database. No kernel of the table exceeds the single-precision peak at this clock.
BASE_CLOCK_MHZ = 1440
# Nsight Compute counts whole numbers, logic and comparisons as integer instructions.
INTEGER_CLASSES = ("integer", "logic", "compare")
# Seconds that the command has after the time limit to write its report.
PATIENCE_S = 120


def base_profile(folder):
    """Writes the profile with the base clock, and returns its file and figures."""
    profile = json.loads(PROFILE.read_text(encoding="utf-8"))
    profile["figures"]["sm_clock_mhz"] = {"value": BASE_CLOCK_MHZ, "source": "base clock: TechPowerUp's GPU database"}
    path = folder / "rtx3080_base.json"
    path.write_text(json.dumps(profile), encoding="utf-8")
    return path, {name: figure["value"] for name, figure in profile["figures"].items()}


def built(name, entries, arguments):
    """Returns "" if a program is built, or else the reason why it is not."""
    program, why = arguments.folder / name, arguments.folder / f"{name}.why"
    if not program.exists() and not why.exists():
        said = flopbench.build(arguments.checkout, entries, program)
        if said:
            why.write_text(said, encoding="utf-8")
    return why.read_text(encoding="utf-8") if why.exists() else ""


def unpack_inputs(folder):
    for archive in [*folder.glob("*.tar.gz"), *folder.glob("*.tgz"), *folder.glob("*.zip")]:
        shutil.unpack_archive(archive, folder)


def run(name, rows, profile, arguments):
    """Runs a program once, and writes a file with its output and exit status. The command writes the report."""
    report, said = arguments.folder / f"{name}.json", arguments.folder / f"{name}.said"
    if said.exists():
        return
    unpack_inputs(arguments.checkout / "src" / name)
    command = [arguments.command, "run", "--profile", profile, "--time-limit", str(arguments.seconds), "--explain", report,
               arguments.folder / name, *flopbench.call_of(rows)]
    try:
        done = subprocess.run(command, cwd=arguments.checkout / "src" / name, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=arguments.seconds + PATIENCE_S, check=False)
        text = f"{done.stdout[-4000:]}\nstatus {done.returncode}\n"
    except subprocess.TimeoutExpired:
        text = "status none\n"
    said.write_text(text, encoding="utf-8")


def kept(name, folder):
    """Returns a program's report, or None if there is none, and its output."""
    report, said = folder / f"{name}.json", folder / f"{name}.said"
    return json.loads(report.read_text(encoding="utf-8")) if report.exists() else None, said.read_text(encoding="utf-8")


def launches_of(report, row):
    """Returns the report's kernels with a row's name and template arguments, and those also with its grid and block."""
    name = flopbench.parts_of(flopbench.demangled(row["Kernel Name"]))
    named = [each for each in report["kernels"] if flopbench.parts_of(flopbench.demangled(each["mangled_name"])) == name]
    shape = [flopbench.shape(row["Grid Size"]), flopbench.shape(row["Block Size"])]
    return named, [each for each in named if [each["grid"], each["block"]] == shape]


def why_not_launched(said):
    """Returns the reason why a program did not launch a kernel, by what it and the command printed."""
    if "the time limit of" in said or "status none" in said:
        return "not reached, or not sampled, within the time limit"
    if "was not run: " in said:
        return "refused by the emulator"
    return "never launched" if said.endswith("status 0\n") else "the program ended with an error"


def are_alike(kernel, report):
    """Returns True if a kernel's launches executed equally many instructions: the timeline's times are proportional."""
    index = next(index for index, each in enumerate(report["kernels"]) if each is kernel)
    waits_us = kernel["prediction"].get("launch_us", 0) - kernel["prediction"].get("next_launch_us", 0)
    times, follows = set(), False
    for event in report["timeline"]:
        if event.get("kernel") == index:
            # The first launch after the GPU was idle takes longer.
            times.add(round(event["time_us"] - (0 if follows else waits_us / event.get("times", 1)), 6))
        follows = event.get("time_us") is not None
    return len(times) <= 1


def predicted(kernel, report, figures):
    """Returns what the report says of the first launch. The operations come from the prediction's sample if the counts
    are of a stopped launch or of unlike launches."""
    prediction = kernel["prediction"]
    is_sampled = kernel["counted"].startswith("stopped") or not are_alike(kernel, report)
    counts, share = kernel, 1 / kernel["launches"]
    if is_sampled:
        counts, share = prediction["sample"], math.prod(kernel["grid"]) / prediction["sampled_blocks"]
    lanes = counts["thread_instructions"] / counts["warp_instructions"]
    integers = sum(counts["instructions_by_class"].get(name, 0) for name in INTEGER_CLASSES)
    operations = {**counts["float_operations"], "integer": integers * lanes}
    return {"time_us": prediction["time_us"], "least_us": prediction["least_us"], "most_us": prediction["most_us"], "rules": prediction["rules"],
            "bytes": prediction["bounds_us"]["DRAM"] * 1e3 * figures["dram_gb_per_s"],
            **{what: count * share for what, count in operations.items()},
            "special": counts["instructions_by_class"].get("special", 0) > 0, "sampled": is_sampled}


def compared(name, row, report, said, figures, ptx=""):
    """Returns a row of the record, for a kernel of the table. `ptx` is the text of the program's PTX."""
    result = {"program": name, "kernel": flopbench.parts_of(flopbench.demangled(row["Kernel Name"]))[0], "measured": flopbench.measured(row)}
    named, found = launches_of(report, row) if report else ([], [])
    if not named:
        return {**result, "why": why_not_launched(said)}
    if len(found) != 1:
        return {**result, "why": "several kernels have its name" if found else "launched with another grid or block"}
    prediction = found[0].get("prediction")
    if not prediction or "unavailable" in prediction:
        return {**result, "why": prediction["unavailable"] if prediction else "faults" if found[0]["faults"] else "no time"}
    return {**result, "predicted": {**predicted(found[0], report, figures), "repeats": flopbench.repeats_atomics(ptx, found[0]["mangled_name"])}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("folder", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--programs", type=int)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--command", default=str(REPOSITORY / "build/release/bin/warpwise"))
    parser.add_argument("--try", dest="trial", action="store_true", help="records nothing")
    arguments = parser.parse_args()
    commit = "" if arguments.trial else clean_commit("record-flopbench.py")
    kernels, commands = flopbench.kernels(arguments.checkout), flopbench.sources(arguments.checkout)
    names = flopbench.in_order(kernels)[:arguments.programs]
    arguments.folder.mkdir(parents=True, exist_ok=True)
    profile, figures = base_profile(arguments.folder)

    def take(name):
        why = built(name, commands.get(name, []), arguments)
        if why:
            rows = [{"program": name, "kernel": row["kernelName"], "measured": flopbench.measured(row), "why": "not built"} for row in kernels[name]]
        else:
            run(name, kernels[name], profile, arguments)
            report, said = kept(name, arguments.folder)
            files = sorted(flopbench.kept_folder(arguments.folder / name).glob("*.ptx"))
            ptx = "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files)
            rows = [compared(name, row, report, said, figures, ptx) for row in kernels[name]]
        print(name, why or dict(collections.Counter(row.get("why", "compared") for row in rows)), flush=True)
        return rows

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = [row for rows in pool.map(take, names) for row in rows]
    if arguments.trial:
        return
    method = f"nvcc, PTX for CC 8.6, {arguments.seconds} s for each program, SM clock {BASE_CLOCK_MHZ} MHz"
    write(REPOSITORY / "results/flopbench.json",
          {"repository": "Scientific-Computing-Lab/gpuFLOPBench", "repository_commit": first_line("git", "-C", arguments.checkout, "rev-parse", "HEAD"),
           "machine": {**machine_of(time.strftime("%Y-%m-%d"), commit, method), "toolkit": first_line("sh", "-c", "nvcc --version | tail -2")},
           "programs_in_table": len(kernels), "programs": len(names), "kernels": rows})


if __name__ == "__main__":
    main()
