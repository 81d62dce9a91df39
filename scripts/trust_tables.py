"""Makes the table of docs/how-it-is-tested.md: the evidence for each claim, from the records."""
import json
import pathlib
import re

import coverage_tables
import fault_tables
from race_tables import kernel_reports
from tables import table

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent


def load(name):
    return json.loads((REPOSITORY / name).read_text(encoding="utf-8"))


def count(number):
    return f"{number:,}"


def nightly():
    record = load("results/nightly.json")
    results = record["results"]
    failed = f"{results['failed']} failed" + (", each with its reason in the record" if results["failed"] else "")
    again = "".join(f"; `{section}` again on {run['date']}, commit {run['commit']}: {count(run['results']['passed'])} passed, "
                    f"{run['results']['failed']} failed, {count(run['results']['skipped'])} skipped{' (' + run['note'] + ')' if 'note' in run else ''}"
                    for section, run in record.get("again", {}).items())
    return ("all tests, sanitizers and fuzz targets",
            f"{count(results['passed'])} passed, {failed}, {count(results['skipped'])} skipped{again}",
            "scripts/test.sh --nightly", "results/nightly.json", record["date"])


def random_kernels():
    sessions = load("results/fuzz/random_kernels.json")["sessions"]
    found = {number for each in sessions for number in each["differing"]}
    mended = len(found) - len(sessions[-1]["differing"])
    return ("random kernels that the emulator's interpreter and machine code run alike, to the byte",
            f"{count(sum(each['alike'] for each in sessions))}, in {sum(each['cpu_seconds'] for each in sessions) / 3600:.1f} h of CPU; "
            f"{len(found)} processes of 5,000 kernels found a difference, and {mended} of them find none today",
            "scripts/record-random-kernels.py", "results/fuzz/random_kernels.json", sessions[-1]["date"])


def mutants():
    record = load("results/mutants.json")
    real = [each for each in record["mutants"] if not each.get("equivalent")]
    return ("changes to one line of code that a test of CI finds", f"{sum(bool(each.get('ci')) for each in real)} of {len(real)}",
            "scripts/mutants.py", "results/mutants.json", record["date"])


def fuzzing():
    record = load("results/fuzz/parsers.json")
    targets = record["targets"].values()
    least = min(each["cpu_seconds"] for each in targets)
    # Sessions before 30 November 2026 did not record CPU seconds.
    time = f"; at least {count(least)} s of CPU for each, {sum(each['cpu_seconds'] for each in targets) / 3600:.1f} h in all" if least else ""
    return ("random inputs to parsers, all recorded runs",
            f"{count(sum(each['runs'] for each in targets))} inputs to {len(targets)} parsers, {sum(each['findings'] for each in targets)} findings{time}",
            "scripts/fuzz.sh", "results/fuzz/parsers.json", record["date"])


def on_gpu():
    record = load("results/nvidia-h200/gpu_record.json")
    passed, failed = (sum(int(re.search(rf"{word} (\d+)", line)[1]) for line in record["tests"]) for word in ["passed", "failed"])
    rungs = re.match(r"(\d+ of \d+) rungs right", record["verify"][-1])[1]
    clean = sum(bool(re.search(r"exit 0, (ERROR|RACECHECK) SUMMARY: 0 ", line)) for line in record["sanitizers"])
    return (f"tests of CUDA code on {record['machine']['gpus']} {record['machine']['gpu']}",
            f"{count(passed)} passed, {failed} failed; {rungs} rungs right; {clean} of {len(record['sanitizers'])} runs of "
            "compute-sanitizer's four tools without an error",
            "scripts/gpu-bundle.sh", "results/nvidia-h200/gpu_record.json", record["machine"]["date"][:10])


def instructions():
    arithmetic, forms, access = (load(f"tests/golden/golden_{name}.json") for name in ("arithmetic", "forms", "access"))
    values = sum(len(each["hashes"]) for each in (arithmetic, forms))
    return ("instructions whose results equal a GPU's, bit for bit, in the emulator",
            f"{count(values)} forms, and {len(access['counts'])} counts of accesses", "scripts/golden-bundle.sh", "tests/golden", arithmetic["machine"]["date"][:10])


def faults():
    emulator, sanitizer = load("results/emulator/faults.json"), load("results/emulator/sanitizer.json")
    right = sum(fault_tables.outcome(emulator, sanitizer, name)[0] for name in emulator["cases"])
    return ("programs with one fault or none, reported rightly", f"{right} of {len(emulator['cases'])}", "scripts/record-faults.py",
            "results/emulator/faults.json", emulator["date"])


def races():
    record = load("results/emulator/races/indigo.json")
    labels = next(iter(record["inputs"].values()))
    racy, right = labels["racy"], labels["right"]
    return ("published racy programs found (Indigo, first graph)", f"{racy['races']} of {racy['programs']}; {kernel_reports(right)} false alarms in {right['programs']}",
            "scripts/record-races.py", "results/emulator/races/indigo.json", record["machine"]["date"])


def formats():
    record = load("results/formats.json")
    return ("kinds of picture and video files read, and written to several sinks", str(len(record["files"])), "scripts/record-formats.py",
            "results/formats.json", record["date"])


def coverage():
    record = load("results/coverage.json")
    rooms = record["rooms"]
    shares = [f"{'whole product' if name == 'whole' else name} {coverage_tables.per_cent(rooms[name]['lines'])} / "
              f"{coverage_tables.per_cent(rooms[name]['branches'])}" for name in record["goals"] if name in rooms]
    return ("lines and branches that the tests run", ", ".join(shares), "scripts/coverage.py", "results/coverage.json",
            record["machine"]["date"])


def soak():
    record = load("results/soak.json")
    each = record["processes"]
    faults = [f"`{name}`: {fault}" for name, process in each.items() for fault in process["faults"]]
    return ("processes that run for long: memory, handles and threads",
            f"{each['stream']['minutes']:.0f} minutes: {count(each['stream']['frames'])} frames, {count(each['run']['rounds'])} rounds of `run`, "
            f"{count(each['process']['rounds'])} of `process`; " + ("; ".join(faults) if faults else "all flat"),
            "scripts/soak.py", "results/soak.json", record["machine"]["date"])


def rendered():
    rows = [[what, figure, f"`{command}`", f"`{path}`, {date}"]
            for what, figure, command, path, date in (nightly(), on_gpu(), mutants(), coverage(), fuzzing(), random_kernels(), soak(), instructions(), faults(),
                                                       races(), formats())]
    return table(["evidence", "figure", "command", "record, date"], rows)
