#!/usr/bin/env python3
"""Runs the programs of a public collection on the emulated GPU and records what became of each: results/emulator/programs/NAME.json.

    scripts/record-programs.py NAME BUILT.json [--only REGEX] [--seconds N] [--check CHECKS] [--command build/release/bin/warpwise]

BUILT.json says what was built from a checkout of the collection, with nvcc -cudart shared and PTX:

    {"repository": "owner/name", "commit": "…", "compiled": "with which options",
     "programs": {"PROGRAM": {"folder": "/where/it/is/started", "program": "/its/executable"},
                  "OTHER": {"why": "the compiler's first error"}, "THIRD": {"needs": "a library that it was not built for"}}}

Neither the programs nor how to build them is part of this project. scripts/programs/NAME.json says how each is called, and what it prints when its
own check has passed or failed:

    "checked"           what all programs print when their check is done and a benchmark begins
    "passed", "failed"  regular expressions for the output of all programs
    "calls"             for each program its own "passed" and "failed", and:
    "arguments"         its arguments
    "faults"            a regular expression for the faults that it commits on purpose
    "needs"             why it is not counted: no emulated GPU has what it needs, or another reason
    "own"               "fault", a regular expression for a fault that is the program's own, as its source shows, and "why"
    "waits"             why it never ends here
    "sized"             which constants of its source were changed to make it shorter

Nothing else is checked. If a program's own check has failed, the program runs again with --check races. A program has
--seconds of CPU time. With --only the other programs' rows are kept as they are recorded. With --check the programs of
BUILT.json run with these checks, and their rows also say what was reported.
"""
import argparse
import json
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import time
import xml.etree.ElementTree

from recording import REPOSITORY, clean_commit, first_line, machine_of, write

RESULTS = REPOSITORY / "results/emulator/programs"
# Seconds of wall clock allowed for each second of CPU time: a deadlocked program uses no CPU time.
PATIENCE = 8
# Number of characters kept of a program's output, which is searched at its start and end; some print whole matrices.
KEPT_CHARACTERS = 200_000
# NVIDIA's libraries of machine code without PTX.
CLOSED = r"lib(cublas\w*|cufft\w*|curand\w*|cusolver\w*|cusparse\w*|cudnn\w*|npp\w*|nvjpeg\w*|nccl)\.so"
# A line that reports a fault, in a kernel or among the program's own calls; group 2 is its kind.
REPORT = re.compile(r"^warpwise: ((\w+) in (?:kernel|the program).*)", re.MULTILINE)
# A line that reports a fault in a kernel.
FAULT = re.compile(r"^warpwise: (\S+ in kernel .*)", re.MULTILINE)


def refusals(junit):
    """Returns the reasons why kernels and functions were not run, from the runtime's report, each once."""
    try:
        cases = xml.etree.ElementTree.parse(junit).getroot().iter("testcase")
    except (OSError, xml.etree.ElementTree.ParseError):
        return []
    return list(dict.fromkeys(error.get("message") for case in cases for error in case.iter("error")))


def one_line(text):
    return " ".join(text.split())[:200]


def execute(command, folder, seconds):
    """Runs a program; returns its output, its status (None: it was killed), and its seconds of CPU time."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile() as output:
        begun = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                   preexec_fn=limits, start_new_session=True)
        try:
            status = process.wait(timeout=PATIENCE * seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            status = None
        clock = time.monotonic() - begun
        size = output.tell()
        output.seek(0)
        text = output.read(KEPT_CHARACTERS)
        if size > 2 * KEPT_CHARACTERS:
            output.seek(size - KEPT_CHARACTERS)
        text += output.read()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if status == -signal.SIGXCPU:
        status = None
    return text.decode(errors="replace"), status, round(used, 1), round(clock, 1)


def judged(text, status, not_run, passed, failed, checked, intended="(?!)"):
    """Returns the outcome of a run, and a line with the reason."""
    faults = next((fault for fault in FAULT.finditer(text) if not re.match(intended, fault[1])), None)
    wrong = failed and re.search(failed, text)
    right = passed and re.search(passed, text)
    if status is None:
        return ("cut off", "its check had passed, its benchmark was not at its end") if checked and re.search(checked, text) and not wrong else ("too slow", "")
    if not_run:
        return "refused", "; ".join(not_run)
    missing = re.search(CLOSED, text) if "cannot be loaded" in text or "error while loading" in text else None
    if missing:
        return "needs", missing[0]
    if status < 0:
        return "crashed", faults[1] if faults else signal.Signals(-status).name
    if faults:
        return "fault", faults[1]
    if wrong:
        return "wrong", text[wrong.start():].splitlines()[0]
    if right:
        return "passed", ""
    return ("ended", "") if status == 0 else ("failed", f"it ended with {status}: {(text.strip().splitlines() or [''])[-1]}")


def explained(outcome, why, call):
    """Replaces the outcome of a run if the program's entry in "calls" explains it by facts from the source."""
    own = call.get("own", {"fault": "(?!)"})
    if outcome == "fault" and re.match(own["fault"], why):
        return "own fault", own["why"]
    if outcome == "too slow" and "waits" in call:
        return "waits", call["waits"]
    return outcome, why


def run_program(name, built, calls, arguments):
    call = calls.get("calls", {}).get(name, {})
    row = {"program": name}
    if "needs" in call or "needs" in built:
        return {**row, "outcome": "needs", "why": call.get("needs", built.get("needs"))}
    if not built.get("program"):
        return {**row, "outcome": "not built", "why": one_line(built["why"])}
    with tempfile.TemporaryDirectory() as folder:
        junit = pathlib.Path(folder) / "kernels.xml"
        given = [str(argument) for argument in call.get("arguments", [])]
        said = call.get("passed", calls.get("passed")), call.get("failed", calls.get("failed")), calls.get("checked"), call.get("faults", "(?!)")
        start = [arguments.command, "run", "--cc", calls.get("cc", "9.0"), "--junit", str(junit)]
        text, status, used, clock = execute([*start, built["program"], *given], built["folder"], arguments.seconds)
        outcome, why = judged(text, status, refusals(junit), *said)
        if outcome == "wrong":
            checked, *_ = execute([*start, "--check", "races", built["program"], *given], built["folder"], 4 * arguments.seconds)
            race = FAULT.search(checked)
            if race:
                outcome, why = "own race", race[1]
        outcome, why = explained(outcome, why, call)
    exact = re.search(r"^warpwise: ((?:all that ran is|not) exact.*)", text, re.MULTILINE)
    sized = {"sized": call["sized"]} if "sized" in call else {}
    return {**row, "arguments": " ".join(given), **sized, "outcome": outcome, "why": one_line(why), "cpu_s": used, "seconds": clock,
            "fidelity": exact[1] if exact else ""}


def reports_in(text, intended="(?!)"):
    """Returns the first line of each kind of fault that was reported; without those that the program commits on purpose."""
    found = {}
    for line, kind in REPORT.findall(text):
        if not re.match(intended, line):
            found.setdefault(kind, one_line(line))
    return found


def check_program(name, built, calls, arguments):
    """Returns what the checks find in a program, all of whose kernels run."""
    call = calls.get("calls", {}).get(name, {})
    given = [str(argument) for argument in call.get("arguments", [])]
    start = [arguments.command, "run", "--cc", calls.get("cc", "9.0"), "--check", arguments.check, "--keep-going"]
    text, status, used, _ = execute([*start, built["program"], *given], built["folder"], arguments.seconds)
    return {"checks": arguments.check, "ended": status is not None, "found": reports_in(text, call.get("faults", "(?!)")), "cpu_s": used}


def record_checks(path, built, calls, arguments, commit):
    """Adds to each recorded program of BUILT.json what the checks find in it."""
    recorded = json.loads(path.read_text(encoding="utf-8"))
    for row in recorded["rows"]:
        program = built["programs"].get(row["program"], {})
        if program.get("program") and re.search(arguments.only, row["program"]):
            row["checked"] = {**check_program(row["program"], program, calls, arguments), "commit": commit, "date": arguments.date}
            print(row["program"], row["checked"], flush=True)
    if not arguments.trial:
        write(path, recorded)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("built")
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--command", default=str(REPOSITORY / "build/release/bin/warpwise"))
    parser.add_argument("--check", metavar="CHECKS")
    parser.add_argument("--date", default=time.strftime("%Y-%m-%d"))
    parser.add_argument("--commit", help="the commit that --command was built from, if not the present one")
    parser.add_argument("--try", dest="trial", action="store_true", help="records nothing")
    arguments = parser.parse_args()
    if not arguments.trial:
        clean_commit("record-programs.py")
    # The last commit that changed the code that runs. Later commits of documents and scripts do not matter.
    commit = arguments.commit or first_line("git", "log", "-1", "--format=%h", "--abbrev=12", "--", "warpwise")
    built = json.loads(pathlib.Path(arguments.built).read_text(encoding="utf-8"))
    calls = json.loads((REPOSITORY / f"scripts/programs/{arguments.name}.json").read_text(encoding="utf-8"))
    path = RESULTS / f"{arguments.name}.json"
    if arguments.check:
        return record_checks(path, built, calls, arguments, commit)
    rows = {row["program"]: row for row in json.loads(path.read_text(encoding="utf-8"))["rows"]} if path.exists() and not arguments.trial else {}
    for name, program in built["programs"].items():
        if not re.search(arguments.only, name):
            continue
        rows[name] = {**run_program(name, program, calls, arguments), "commit": commit}
        print(*(rows[name].get(key, "") for key in ("program", "outcome", "cpu_s", "why")), flush=True)
    if arguments.trial:
        return None
    method = f"{built['compiled']}; {arguments.seconds} s of CPU time each"
    write(path, {"collection": arguments.name, "what": calls["what"], "repository": built["repository"], "repository_commit": built["commit"],
                 "machine": machine_of(arguments.date, commit, method),
                 "rows": [rows.get(name, {"program": name, "outcome": "not measured", "why": ""}) for name in built["programs"]]})


if __name__ == "__main__":
    main()
