#!/usr/bin/env python3
"""Records what compute-sanitizer says of the programs in tests/emulator/faults on a GPU: results/emulator/sanitizer.json.

    scripts/record-sanitizer.py FAULTS OUT.json --commit COMMIT [--seconds N]

FAULTS is the folder of these programs, or the executable that nvcc made from them for this GPU. Each program runs under
each tool, first under the tool for its fault; sixteen run at a time. OUT.json is complete after each run: the next call
continues an interrupted one and runs nothing twice. If several machines or commits have added results, each result says
which one. Programs that no GPU can end are left out. The script needs no other file of the project.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time

TOOLS = {"memcheck": ["--leak-check", "full", "--track-stream-ordered-races", "all"], "racecheck": [], "initcheck": [], "synccheck": []}
TOOL_OF_KIND = {"race": "racecheck", "uninitialised": "initcheck", "barrier": "synccheck", "member_mask": "synccheck"}
AT_ONCE = 16
TIMEOUT_S = 20
SANITIZER = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"


LEAK = re.compile(r"Leaked [\d,]+ bytes at")


def said(text):
    """Returns the first error that a tool reports for a program. Returns a leak only if nothing else is reported."""
    things = []
    for line in text.splitlines():
        words = line.removeprefix("=========").strip()
        if line.startswith("=========") and words and not re.match(r"COMPUTE-SANITIZER|.*SUMMARY|Target application|(\[|Host Frame|Saved host)", words):
            things.append(words)
    return next((words for words in things if not LEAK.match(words)), things[0] if things else "")


def leaks_in(text):
    """Returns the number of allocations that a tool reports as leaked. The tool's number of errors includes them."""
    summary = re.search(r"LEAK SUMMARY: [\d,]+ bytes leaked in (\d+) allocations", text)
    return int(summary[1]) if summary else 0


def errors_in(text):
    """Returns the number of a tool's errors without leaks; None if it printed no summary."""
    counts = [int(count) for count in re.findall(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)", text)]
    return max(counts) - leaks_in(text) if counts else None


def run(program, case, tool):
    command = [SANITIZER, "--tool", tool, *TOOLS[tool], program, case] if tool else [program, case]
    begun = time.monotonic()
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=TIMEOUT_S, check=False)
        text, status = done.stdout, done.returncode
    except subprocess.TimeoutExpired as error:
        text, status = (error.stdout or b"").decode(errors="replace"), "timeout"
    result = {"status": status, "seconds": round(time.monotonic() - begun, 1)}
    return text, result if not tool else {**result, "errors": errors_in(text), "leaks": leaks_in(text), "says": said(text)}


def first_line(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stdout.strip().splitlines() or [""])[0]


def machine(commit):
    gpu, _, driver = first_line("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").partition(", ")
    version = subprocess.run([SANITIZER, "--version"], capture_output=True, text=True, check=False).stdout.split()
    return {"gpu": gpu, "driver": driver, "commit": commit, "date": time.strftime("%Y-%m-%d", time.gmtime()),
            "sanitizer": next((word for word in version if re.fullmatch(r"\d+(\.\d+)+", word)), "")}


class Record:
    def __init__(self, path, commit, cases):
        self.path = pathlib.Path(path)
        self.lock = threading.Lock()
        self.recorded = json.loads(self.path.read_text(encoding="utf-8")) if self.path.exists() else {"machines": [], "cases": {}}
        for name, kind, _ in cases:
            self.recorded["cases"].setdefault(name, {"kind": kind, "tools": {}})
        machines, own = self.recorded["machines"], machine(commit)
        if own not in machines:
            machines.append(own)
        self.machine = machines.index(own)

    def has(self, case, tool):
        own = self.recorded["cases"][case]
        return tool in own["tools"] if tool else "alone" in own

    def add(self, case, tool, text, result):
        with self.lock:
            own = self.recorded["cases"][case]
            result = {**result, "machine": self.machine} if self.machine else result
            if tool:
                own["tools"][tool] = result
            else:
                own["alone"] = result
            beside = self.path.with_suffix(".new")
            beside.write_text(json.dumps(self.recorded, indent=1) + "\n", encoding="utf-8")
            os.replace(beside, self.path)
            with open(self.path.with_suffix(".log"), "a", encoding="utf-8") as log:
                log.write(f"#### {case} {tool} {result}\n{text[:4000]}\n")


def compiled(folder, beside):
    program = str(pathlib.Path(beside) / "faults")
    subprocess.run(["nvcc", "-std=c++17", "-cudart", "shared", "-lineinfo", "-arch=native", "-t", "0", "-o", program,
                    *sorted(map(str, pathlib.Path(folder).glob("*.cu")))], check=True)
    return program


def record(program, given):
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout.splitlines()
    cases = [line.split("\t")[:3] for line in listed]
    results = Record(given.out, given.commit, cases)
    ends = [(name, kind) for name, kind, way in cases if way == "ends"]
    first = [(name, TOOL_OF_KIND.get(kind, "memcheck")) for name, kind in ends if kind != "sound"]
    every = [(name, tool) for tool in TOOLS for name, _ in ends]
    jobs = first + [job for job in every if job not in set(first)] + [(name, "") for name, _ in ends]
    until = time.monotonic() + given.seconds

    def work(job):
        if time.monotonic() < until and not results.has(*job):
            results.add(*job, *run(program, *job))

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(work, jobs))
    done = sum(len(case["tools"]) for case in results.recorded["cases"].values())
    print(f"{done} runs of {len(every)}, {given.seconds - (until - time.monotonic()):.0f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("faults")
    parser.add_argument("out")
    parser.add_argument("--commit", required=True)
    parser.add_argument("--seconds", type=float, default=1200, help="no test begins after this many seconds")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="warpwise-faults-") as beside:
        record(compiled(given.faults, beside) if os.path.isdir(given.faults) else os.path.abspath(given.faults), given)


if __name__ == "__main__":
    main()
