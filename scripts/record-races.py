#!/usr/bin/env python3
"""Records which racy programs of a public suite `warpwise run` finds: results/emulator/races/SUITE.json.

    scripts/record-races.py SUITE CHECKOUT [--only REGEX] [--jobs N] [--sanitizer] [--folder FOLDER] [--try]

SUITE is the name of a suite below, CHECKOUT the folder of its repository. No file of a suite is part of this project. Every program is
compiled with nvcc into FOLDER (a temporary one by default), and runs with the suite's checks on each of the suite's inputs. The names of the programs say
which of them are racy, and which are right. With --sanitizer each racy and each right program also runs under compute-sanitizer's racecheck
on the GPU of this machine. With --try nothing is recorded. An interrupted run goes on where it ended, if it had the same FOLDER and commit.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from recording import REPOSITORY, clean_commit, first_line, kinds_in, machine_of, write

RESULTS = REPOSITORY / "results/emulator/races"
SANITIZER = "/usr/local/cuda/bin/compute-sanitizer"
TIMEOUT_S = 60
# Kinds of the emulator's reports that count as races.
RACES = {"race", "narrow_scope", "lockstep"}
# Bugs in the names of Indigo3's programs that are races.
RACES_OF_INDIGO3 = {"RaceBug", "SyncBug"}
# Programs of Indigo3 that have a bug although their names state none. docs/emulator.md lists them.
FAULTS_OF_INDIGO3 = re.compile(
    r"(CC|SSSP)_CUDA_V_Data_Pull_\w+_Persist_\w+_(Block|Warp)_|(BFS|SSSP)_CUDA_E_Data_|MST_CUDA_V_Data_|TC_CUDA_[EV]_\w+_Reduction_"
    r"|PR_CUDA_\w+_(Thread|Warp)_\w*Reduction$|PR_CUDA_Pull_\w+(_NonDeterm_|_BlockAdd$)|PR_CUDA_Push_\w+_(Block|Warp)_")
# A record names at most this many programs with the same reports.
MOST_NAMES = 40
RACY, RIGHT, FAULTY, OUTSIDE, OTHER = LABELS = "racy", "right", "labelled right, faulty", "out of bounds", "other bug"


def label_of_indigo(name):
    others = name.replace("boundsBug", "")
    return RACY if "Bug" in others else OUTSIDE if others != name else RIGHT


def label_of_indigo3(name):
    bugs = {part for part in name.split("_") if part.endswith("Bug") and not part.startswith("No")}
    if bugs:
        return RACY if bugs <= RACES_OF_INDIGO3 else OTHER
    return FAULTY if FAULTS_OF_INDIGO3.match(name) else RIGHT


def label_of_scor(name):
    return RACY if name.startswith("race_") else RIGHT


@dataclasses.dataclass(frozen=True)
class Suite:
    repository: str
    sources: str
    label: object
    options: tuple = ()
    checks: tuple = ("--check", "all")
    inputs: tuple = ("",)
    arguments: tuple = ()


SUITES = {
    "Indigo": Suite("JohnJacobsonIII/HiRace-Artifact-SC24", "indigo/indigo_sources/*/*.cu", label_of_indigo,
                    options=("-I{checkout}/indigo/indigo_include",), arguments=("{input}", "256", "1024"),
                    inputs=tuple(f"indigo/input/{graph}.egr" for graph in (
                        "DAG_100n_200e", "DAG_200n_400e", "counterDAG_200n_1000e", "power_law_200n_1000e", "DAG_5n_5e", "counterDAG_5n_5e"))),
    "Indigo3": Suite("burtscher/Indigo3Suite", "generatedCodes/CUDA/*/*.cu", label_of_indigo3,
                     # Each program prints two fields of cudaDeviceProp that CUDA 13 no longer has.
                     options=("-I{checkout}/lib", "-DclockRate=major", "-DmemoryClockRate=minor"),
                     arguments=("{input}", "1", "0"),
                     # The time limit ends programs that would run for ever after a failed call.
                     checks=("--check", "all", "--keep-going", "--time-limit", "40"),
                     inputs=tuple(f"inputs/{graph}.egr" for graph in (
                         "undirect_power_law_250n_2200e", "undirected_graph_4n_12e_4095", "undirect_binary_tree_200n_398e"))),
    "ScoR": Suite("csl-iisc/ScoR", "microbenchmarks/src/*.cu", label_of_scor),
    "ScoR strict": Suite("csl-iisc/ScoR", "microbenchmarks/src/*.cu", label_of_scor, checks=("--check", "all,strict")),
}


def compiled(suite, checkout, source, folder):
    """Compiles a program for the emulator and the GPU; returns it, or None and the compiler's first error."""
    program = folder / source.stem
    if program.exists():
        return program, ""
    options = [option.format(checkout=checkout) for option in suite.options]
    unfinished = program.with_suffix(".part")
    done = subprocess.run(["nvcc", "-std=c++17", "-O3", "-cudart", "shared", "-lineinfo", "-gencode", "arch=compute_80,code=[compute_80,sm_80]", "-w",
                           *options, "-o", unfinished, source], capture_output=True, text=True, check=False)
    if done.returncode:
        return None, (re.findall(r".*error.*", done.stdout + done.stderr) or ["nvcc failed"])[0]
    unfinished.rename(program)
    return program, ""


def said(command):
    """Runs a program. Returns what it and its checker print, and whether it ended in time."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=TIMEOUT_S, check=False)
        return done.stdout, True
    except subprocess.TimeoutExpired as error:
        return (error.stdout or b"").decode(errors="replace"), False


def run_program(program, label, given, suite, checkout, arguments):
    """Returns a row: the kinds of faults that the emulator reports, and the races that racecheck reports."""
    call = [argument.format(input=checkout / given) for argument in suite.arguments]
    text, _ = said([arguments.command, "run", *suite.checks, program, *call])
    row = {"program": program.name, "label": label, "input": pathlib.Path(given).stem, "found": kinds_in(text)}
    if arguments.sanitizer and label in (RACY, RIGHT, FAULTY):
        text, ended = said([SANITIZER, "--tool", "racecheck", program, *call])
        summary = re.search(r"RACECHECK SUMMARY: (\d+)", text)
        row["racecheck"] = int(summary[1]) if summary else "timeout" if not ended else "no summary"
    return row


def kept_rows(path, commit):
    """Returns the rows that an interrupted run of the same commit has left in a file, by program and input."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    rows = [json.loads(line) for line in lines if line.endswith("}")]
    return {(row["program"], row["input"]): row for row in rows if row.pop("commit") == commit}


def row_of(job, kept, path, commit, run):
    """Returns the kept row of a job (program, label, input), or runs it and adds its row to the file."""
    program, label, given = job
    row = kept.get((program.name, pathlib.Path(given).stem))
    if row:
        return row | {"label": label}
    row = run(program, label, given)
    with path.open("a", encoding="utf-8") as file:
        file.write("\n" + json.dumps(row | {"commit": commit}))  # the newline ends an earlier line that was interrupted
    return row


def summary_of(rows):
    """Summarises the rows of one label: the combinations of faults that were reported, and the programs with each."""
    reports = {}
    for row in rows:
        reports.setdefault(", ".join(row["found"]), []).append(row["program"])
    summary = {"programs": len(rows), "reports": {found: len(names) for found, names in sorted(reports.items())},
               "names": {found: names for found, names in sorted(reports.items()) if 0 < len(names) <= MOST_NAMES and found}}
    summary["races"] = sum(bool(RACES.intersection(row["found"])) for row in rows)
    if rows and "racecheck" in rows[0]:
        summary["racecheck"] = sum(row["racecheck"] not in (0, "timeout", "no summary") for row in rows)
        summary["racecheck_without_answer"] = sum(row["racecheck"] in ("timeout", "no summary") for row in rows)
    return summary


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("checkout", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--sanitizer", action="store_true")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--command", default=str(REPOSITORY / "build/release/bin/warpwise"))
    parser.add_argument("--commit", help="the commit that --command was built from")
    parser.add_argument("--suite-commit", help="the commit of a CHECKOUT without git")
    parser.add_argument("--try", dest="trial", action="store_true")
    arguments = parser.parse_args()
    commit = arguments.commit or ("" if arguments.trial else clean_commit("record-races.py"))
    suite, checkout, stem = SUITES[arguments.suite], arguments.checkout, arguments.suite.lower().replace(" ", "_")
    suite_commit = arguments.suite_commit or first_line("git", "-C", checkout, "rev-parse", "HEAD")
    sources = [source for source in sorted(checkout.glob(suite.sources)) if re.search(arguments.only, source.stem)]
    if not sources:
        sys.exit(f"record-races.py: {checkout} has no {suite.sources}")
    with tempfile.TemporaryDirectory(prefix="warpwise-races-") as temporary, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        folder = arguments.folder or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        rows_file = (pathlib.Path(temporary) if arguments.trial else folder) / f"{stem}{'.racecheck' if arguments.sanitizer else ''}.rows"
        programs = list(pool.map(lambda source: compiled(suite, checkout, source, folder), sources))
        not_built = {source.stem: why for source, (program, why) in zip(sources, programs) if not program}
        begun = time.monotonic()
        kept = kept_rows(rows_file, commit)
        rows = list(pool.map(lambda job: row_of(job, kept, rows_file, commit, lambda *job: run_program(*job, suite, checkout, arguments)),
                             [(program, suite.label(program.name), given) for given in suite.inputs for program, _ in programs if program]))
        seconds = None if kept else round(time.monotonic() - begun)
    inputs = {given: {label: summary_of(of) for label in LABELS
                      if (of := [row for row in rows if row["input"] == given and row["label"] == label])}
              for given in dict.fromkeys(row["input"] for row in rows)}
    print(f"{len(rows)} runs, {len(kept)} of them before this start, {len(not_built)} programs not built")
    print(json.dumps(inputs, indent=1))
    if not arguments.trial:
        gpu = first_line("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader") if arguments.sanitizer else None
        version = re.search(r"[\d.]{5,}", first_line("sh", "-c", f"{SANITIZER} --version | tail -1"))[0] if arguments.sanitizer else None
        write(RESULTS / f"{stem}.json",
              {"suite": arguments.suite, "repository": suite.repository, "repository_commit": suite_commit,
               "machine": machine_of(time.strftime("%Y-%m-%d"), commit, f"{arguments.jobs} programs at a time"), "gpu": gpu, "sanitizer": version,
               "seconds": seconds, "not_built": not_built, "inputs": inputs})
        rows_file.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
