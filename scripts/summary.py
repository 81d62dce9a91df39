#!/usr/bin/env python3
"""Summarises the results of the tests of each build, from the reports in its folder reports/.

    scripts/summary.py BUILD...

ctest.xml is ctest's own report. Test programs that can do so also write NAME.xml, with their cases. Prints the failures, why tests
were skipped, the slowest programs and cases, and last "N passed, N failed, N skipped". Ends with status 1 if a test
failed. build/tests.json has the counts and the names of the failures.
"""
import collections
import json
import pathlib
import sys
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "build/tests.json"
SLOWEST = 10

# result: "passed", "failed" or "skipped"; why: the reason of a failure or a skip.
Test = collections.namedtuple("Test", "build program case seconds result why")


def first_line(text):
    return next((line.strip() for line in text.splitlines() if line.strip()), "no reason given")


def of_case(build, program, element):
    """Returns a case as its program reported it."""
    parts = [element.get("classname", ""), element.get("name")]
    if "." in parts[0] and "::" not in parts[0]:  # pytest's name has folders and file, and maybe a class
        parts[0] = parts[0].rpartition(".")[2]
    name, seconds = ".".join(part for part in parts if part), float(element.get("time", "0"))
    for kind in ["failure", "error", "skipped"]:
        found = element.find(kind)
        if found is None:
            continue
        message = found.get("message") or found.text or ""
        if kind != "skipped":
            return Test(build, program, name, seconds, "failed", message.strip())
        # GoogleTest puts the source's place on a line before the reason.
        lines = [line for line in message.splitlines() if line.strip()]
        if len(lines) > 1 and lines[0].rpartition(":")[2].isdigit():
            lines = lines[1:]
        return Test(build, program, name, seconds, "skipped", first_line("\n".join(lines)))
    if element.get("status") == "notrun":
        return Test(build, program, name, 0, "skipped", "disabled")
    return Test(build, program, name, seconds, "passed", "")


def of_program(build, element, cases):
    """Returns ctest's result of a program as a list of one test; an empty list if the program's cases already tell the result."""
    name, status, seconds = element.get("name"), element.get("status"), float(element.get("time") or 0)
    output = element.findtext("system-out") or ""
    if status == "fail":
        if any(case.result == "failed" for case in cases or []):
            return []
        message = element.find("failure").get("message") or "failed"
        return [Test(build, name, "", seconds, "failed", f"{message}\n{output[-2000:].strip()}")]
    if status == "run":
        if cases is None:
            return [Test(build, name, "", seconds, "passed", "")]
        return [] if cases else [Test(build, name, "", seconds, "failed", "it ran none of its cases")]
    if cases:  # ctest calls a program skipped for the output of one of its cases
        return []
    skipped = element.find("skipped")
    reason = skipped.get("message") if skipped is not None else status
    if status == "notrun" and "SKIP" not in reason:
        return [Test(build, name, "", seconds, "failed", f"it was not run: {reason}")]
    return [Test(build, name, "", seconds, "skipped", first_line(output) if output.strip() else reason)]


def of_build(folder):
    """Returns the folder's tests, and the seconds of each program."""
    reports = folder / "reports"
    if not (reports / "ctest.xml").exists():
        return [Test(folder.name, "ctest", "", 0, "failed", f"there is no {reports}/ctest.xml")], {}
    tests, seconds = [], {}
    for element in xml.parse(reports / "ctest.xml").getroot().iter("testcase"):
        name = element.get("name")
        report = reports / f"{name}.xml"
        cases = None
        if report.exists():
            cases = [of_case(folder.name, name, case) for case in xml.parse(report).getroot().iter("testcase")]
        tests += [*(cases or []), *of_program(folder.name, element, cases)]
        seconds[name] = float(element.get("time") or 0)
    return tests, seconds


def named(test):
    return f"{test.build}: {test.program}" + (f" {test.case}" if test.case else "")


def text(tests, seconds):
    """Returns the summary's lines; `seconds` has each program's seconds by build and name."""
    lines = []
    failed = [test for test in tests if test.result == "failed"]
    for test in failed:
        lines += [f"FAILED {named(test)}", *(f"    {line}" for line in test.why.splitlines()[:20])]
    reasons = collections.Counter(test.why for test in tests if test.result == "skipped")
    if reasons:
        lines.append("Skipped:")
        lines += [f"  {count:5d}  {why}" for why, count in reasons.most_common()]
    for title, slow in [("Slowest programs:", [(time, f"{build}: {name}") for (build, name), time in seconds.items()]),
                        ("Slowest cases:", [(test.seconds, named(test)) for test in tests if test.case])]:
        lines += [title, *(f"  {time:7.1f} s  {name}" for time, name in sorted(slow, reverse=True)[:SLOWEST])]
    counts = collections.Counter(test.result for test in tests)
    lines.append(f"Tests: {counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return lines


def main(folders):
    tests, seconds = [], {}
    for folder in map(pathlib.Path, folders):
        of_this, programs = of_build(folder)
        tests += of_this
        seconds.update({(folder.name, name): time for name, time in programs.items()})
    counts = collections.Counter(test.result for test in tests)
    failures = sorted(named(test) for test in tests if test.result == "failed")
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({**{result: counts[result] for result in ["passed", "failed", "skipped"]},
                                   "failures": failures}, indent=1) + "\n")
    print("\n".join(text(tests, seconds)))
    return 1 if failures or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) > 1 else __doc__)
