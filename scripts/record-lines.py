#!/usr/bin/env python3
"""Records what each source line of each rung costs: results/lines.json. `warpwise lab report` shows them.

    scripts/record-lines.py COMMAND [OUT.json]      COMMAND: build/release/bin/warpwise

Runs `explain NAME/RUNG --json` of every kernel of every ladder and study, at the size that its table has for the emulator,
and keeps the counts of each line that are not 0. The counts are the emulator's, the same on every machine with the
same CUDA compiler, which the file names. It takes half a minute on two cores.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

from recording import REPOSITORY, clean_commit

SOURCES = "share/warpwise/sources/"
NVRTC_HEADER = "__nv_nvrtc_builtin_header.h"
CAPABILITY = "9.0"  # compute capability of the GPU of the recorded times
KEPT_OF_LAUNCHES = ("kernel", "warp_instructions")


def kept(counts):
    """Returns a JSON object without members that are 0, empty, or consist only of such members."""
    if isinstance(counts, dict):
        counts = {key: kept(value) for key, value in counts.items()}
        return {key: value for key, value in counts.items() if value not in (0, "", {}) and not key.startswith("bytes_")}
    return counts


def line_of(line):
    line = dict(line)
    # Removes the folder that the command was started in from the names of headers.
    line["file"] = line["file"].rpartition(SOURCES)[2]
    # NVRTC's name for its own header has the working directory of the process that compiled, perhaps an earlier one.
    if line["file"].endswith("/" + NVRTC_HEADER):
        line["file"] = NVRTC_HEADER
    line.pop("thread_instructions")
    return kept(line)


def recorded(command, study, rung):
    done = subprocess.run([command, "explain", f"{study}/{rung}", "--cc", CAPABILITY, "--json"], text=True, capture_output=True, check=False)
    if done.returncode != 0:
        print(f"{study}/{rung}: {done.stderr.strip()}", flush=True)
        return None
    said = json.loads(done.stdout)
    launches = [{**{key: launch[key] for key in KEPT_OF_LAUNCHES}, "lines": [line_of(each) for each in launch["lines"]]}
                for launch in said["launches"]]
    return {"study": study, "rung": rung, "size": said["size"], "compiler": said["compiler"].partition(" (")[0],
            "compute_capability": CAPABILITY, "launches": launches}


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    command = sys.argv[1]
    commit = clean_commit("record-lines.py")
    listed = json.loads(subprocess.run([command, "lab", "list", "--json"], text=True, capture_output=True, check=True).stdout)
    # The kernels of a collection belong to other tables.
    tables = [table for kind in ("ladders", "studies") for table in listed[kind] if "collects" not in table]
    names = [(table.get("ladder") or table["study"], rung["name"]) for table in tables for rung in table["rungs"]]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        kernels = [each for each in pool.map(lambda name: recorded(command, *name), names) if each]
    out = pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else REPOSITORY / "results/lines.json")
    out.write_text(json.dumps({"commit": commit, "line_counts": kernels}, separators=(",", ":"), ensure_ascii=False) + "\n",
                   encoding="utf-8")


if __name__ == "__main__":
    main()
