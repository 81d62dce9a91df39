"""The tables of Python packages' own tests on the emulated GPU: results/emulator/python, with the reasons in scripts/python_suites."""
import json
import pathlib
import re

from tables import table

SUITES = pathlib.Path(__file__).resolve().parent / "python_suites"
# Kinds of reasons; tests of the first two are not counted.
KINDS = {"closed": "needs a library that holds machine code alone", "devices": "needs two GPUs, or IPC", "code": "needs machine code, or its tools",
         "true fault": "a fault of the test or the package", "own": "the test's own", "false alarm": "a false alarm", "emulator": "not emulated"}
NOT_COUNTED = ("closed", "devices")
# How the plugin pytest_warpwise begins a failure that is a fault.
FAULT = re.compile(r"(?:Failed: )?\w+ in (?:kernel|the program)\b")
UNEXPLAINED = {"kind": "", "why": "not explained yet"}


def read(folder):
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]


def reasons_of(stack):
    return json.loads((SUITES / f"{stack}.json").read_text(encoding="utf-8"))["reasons"]


def reason_of(case, reasons):
    """Returns the first reason that fits a failed test and its message."""
    fits = (each for each in reasons if re.search(each["tests"], case["test"]) and re.search(each.get("says", ""), case["says"]))
    return next(fits, UNEXPLAINED)


class Count:
    """Counts the tests of a feature, or of a whole stack, by what became of them."""

    def __init__(self, features, reasons):
        self.passed = sum(feature["passed"] for feature in features)
        others = [case for feature in features for case in feature["others"]]
        self.skipped = sum(case["outcome"] == "skipped" for case in others)
        self.failed = [(case, reason_of(case, reasons)) for case in others if case["outcome"] == "failed"]
        self.aside = sum(reason["kind"] in NOT_COUNTED for _, reason in self.failed)
        self.counted = self.passed + len(self.failed) - self.aside

    def true_faults(self):
        return sum(reason["kind"] == "true fault" for _, reason in self.failed)

    def false_alarms(self):
        """Counts false alarms, and faults without a reason, which nobody has looked at."""
        return sum(reason["kind"] == "false alarm" or (not reason["kind"] and bool(FAULT.match(case["says"]))) for case, reason in self.failed)

    def by_reason(self):
        """Returns the number of tests of each reason, by its kind and sentence; the most first."""
        counts = {}
        for _, reason in self.failed:
            key = reason["kind"], reason["why"]
            counts[key] = counts.get(key, 0) + 1
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def share(count):
    return f"{100 * count.passed / count.counted:.1f} %" if count.counted else ""


def summary(records):
    rows = []
    for record in records:
        count = Count(record["features"].values(), reasons_of(record["stack"]))
        rows.append([f"[{record['stack']}](https://github.com/{record['repository']})",
                     *map(str, (count.passed + len(count.failed) + count.skipped, count.skipped, count.aside, count.counted, count.passed)), share(count),
                     str(count.true_faults()), str(count.false_alarms())])
    head = table(["stack", "tests", "tests that skip themselves", "tests that need closed libraries, IPC or two GPUs", "counted tests", "passed",
                  "share passed", "tests with true faults", "false alarms"], rows)
    return f"{head}\n\n" + "\n".join(methods(record) for record in records)


def methods(record):
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    machine = record["machine"]
    commits = list(dict.fromkeys(feature["commit"] for feature in record["features"].values()))
    of = f"commit{'s' if len(commits) > 1 else ''} {', '.join(commits)}"
    return f"- {record['stack']}: {record['what']}; {versions}; {machine['method']}; {machine['cpu']}, {of}, {machine['date']}."


def verdict(count):
    """Says what became of a feature's tests."""
    if not count.counted:
        return "not run"
    rest = "; ".join(f"{KINDS.get(kind, UNEXPLAINED['why'])} ({number})" for kind, number in
                     ((kind, sum(reason["kind"] == kind for _, reason in count.failed)) for kind in (*KINDS, "")) if number)
    return ("runs" if count.passed >= 0.95 * count.counted else "runs in part") + (f": {rest}" if rest else "")


def features(records):
    rows = []
    for record in records:
        reasons = reasons_of(record["stack"])
        for name, feature in record["features"].items():
            count = Count([feature], reasons)
            rows.append([record["stack"], name, f"{count.passed} of {count.counted}", verdict(count)])
    return table(["stack", "feature", "passed tests", "verdict"], rows)


def others(records):
    """Lists the reasons of the tests that did not pass."""
    rows = [[record["stack"], str(number), KINDS.get(kind, ""), why.replace("|", "\\|")] for record in records
            for (kind, why), number in Count(record["features"].values(), reasons_of(record["stack"])).by_reason()]
    return table(["stack", "tests", "kind of reason", "reason"], rows)


def rendered(folder, what):
    records = read(folder)
    return {"summary": summary, "features": features, "others": others}[what](records)
