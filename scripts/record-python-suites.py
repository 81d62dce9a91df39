#!/usr/bin/env python3
"""Runs the test suite of a Python package for GPUs on the emulated GPU and records what became of each test: results/emulator/python/STACK.json.

    scripts/record-python-suites.py STACK SUITE --python VENV/bin/python [--only REGEX] [--seconds N] [--command build/release/bin/warpwise]

SUITE is a checkout of the package's repository, VENV an environment with the package, pytest, pytest-timeout and pytest-xdist. Neither is
part of this project. scripts/python_suites/STACK.json says how the suite is called:

    "what"         a sentence that says which tests these are; "repository": owner/name
    "packages"     what pip installs; their versions are recorded
    "tests"        the folder of the tests in SUITE, or "package:NAME", an installed package; "files": its files, test_*.py by default
    "started_in"   the folder of SUITE in which pytest starts; "words": more words for pytest; "options": for warpwise run;
                   "environment": more variables. {suite} and {scripts} are replaced by folders
    "features"     a regular expression of files for each row of the table; the first that fits counts. Each row is one run of pytest
    "faulty"       a regular expression of tests that make a fault on purpose: they run again, each in a process of its own, whose
                   CUDA calls report the fault
    "reasons"      reasons of failed tests, which the table shows: [{"tests": regex, "says": regex of the message, "kind": one of
                   python_suite_tables.KINDS, "why": a sentence}]

A test passes if pytest passes it and `warpwise run --check all` finds no fault in its kernels. With --only the other features' tests are
kept as they are recorded, and with --try nothing is recorded.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

from recording import REPOSITORY, clean_commit, first_line, machine_of, write

RESULTS = REPOSITORY / "results/emulator/python"
SUITES = REPOSITORY / "scripts/python_suites"


def one_line(text, suite=""):
    """Returns a message's start and end: a chain of exceptions has its cause at its end. Paths begin in the suite or its packages."""
    line = re.sub(r"/[^\s'\"]*/(?:site-packages/|bin/(?=python))", "", " ".join((text or "").split()))
    if suite:
        line = line.replace(f"{suite}/", "")
    return line if len(line) <= 300 else f"{line[:180]} … {line[-118:]}"


def cases_in(junit, suite=""):
    """Returns each test's outcome and message from pytest's report; an error of a fixture counts for its test."""
    cases = {}
    for case in xml.etree.ElementTree.parse(junit).getroot().iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        bad = next((case.find(tag) for tag in ("failure", "error", "skipped") if case.find(tag) is not None), None)
        outcome = "passed" if bad is None else "skipped" if bad.tag == "skipped" else "failed"
        if outcome == "skipped" and bad.get("type") == "pytest.xfail":
            outcome = "passed"
        if cases.get(name, {}).get("outcome") != "failed":
            cases[name] = {"test": name, "outcome": outcome, "says": one_line(bad.get("message") if bad is not None else "", suite)}
    return cases


class Suite:
    """A suite's description, and the folders and commands of one run of it."""

    def __init__(self, name, arguments):
        self.arguments = arguments
        self.suite = pathlib.Path(arguments.suite).resolve()
        text = (SUITES / f"{name}.json").read_text(encoding="utf-8")
        self.told = json.loads(text.replace("{suite}", str(self.suite)).replace("{scripts}", str(SUITES)))
        self.package = self.told["tests"].removeprefix("package:") if self.told["tests"].startswith("package:") else ""
        self.folder = pathlib.Path(self.asked(f"import {self.package} as m; print(list(m.__path__)[0])")) if self.package else self.suite / self.told["tests"]

    def asked(self, code):
        """Returns what the environment's Python prints last."""
        return subprocess.run([self.arguments.python, "-c", code], capture_output=True, text=True, check=True).stdout.strip().splitlines()[-1]

    def versions(self):
        names = [re.match(r"[\w.-]+", each)[0] for each in self.told["packages"]]
        listed = self.asked(f"import importlib.metadata as m, json; print(json.dumps({{n: m.version(n) for n in {names}}}))")
        return {"python": self.asked("import platform; print(platform.python_version())"), **json.loads(listed)}

    def parts(self):
        """Returns the files of each feature, in the order of the description."""
        parts = {feature: [] for feature in self.told["features"]}
        for path in sorted(self.folder.rglob("*.py")):
            file = str(path.relative_to(self.folder))
            if re.search(self.told.get("files", r"(^|/)test_\w+\.py$"), file):
                parts[next(feature for feature, files in self.told["features"].items() if re.search(files, file))].append(file)
        return {feature: files for feature, files in parts.items() if files}

    def tested(self, words, keep_going):
        """Runs pytest with these words; returns its cases."""
        junit = pathlib.Path(tempfile.mkdtemp()) / "tests.xml"
        environment = {**os.environ, "PYTHONPATH": f"{REPOSITORY / 'python'}:{SUITES}", **self.told.get("environment", {})}
        command = [self.arguments.command, "run", *(["--keep-going"] if keep_going else []), "--check", "all", *self.told.get("options", []),
                   self.arguments.python, "-m", "pytest", "-q", "--rootdir", self.folder, "--timeout", str(self.arguments.seconds),
                   "--timeout-method", "thread", "-n", "1", "--max-worker-restart", "100",
                   "-o", "addopts=", "--junit-xml", junit, *self.told.get("words", []), *words]
        if keep_going:
            command += ["-p", "pytest_warpwise", "--warpwise"]
        done = subprocess.run(list(map(str, command)), cwd=self.suite / self.told.get("started_in", "."), env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if self.arguments.log:
            with open(self.arguments.log, "ab") as log:
                log.write(done.stdout)
        if not junit.exists():
            sys.exit(f"pytest wrote no report:\n{done.stdout.decode(errors='replace')[-3000:]}")
        return cases_in(junit, self.suite)

    def word(self, file):
        """Returns the word by which pytest finds a file."""
        return f"{self.package}.{file[:-3].replace('/', '.')}" if self.package else str(self.folder / file)

    def feature(self, files):
        """Returns the cases of a feature's files."""
        modules = {file[:-3].replace("/", "."): self.word(file) for file in files}
        cases = self.tested(["--pyargs", *modules.values()], True)
        for name, case in cases.items():
            module = next((module for module in modules if name.startswith(f"{module}.")), None)
            if module and case["outcome"] == "failed" and re.search(self.told.get("faulty", "(?!)"), name):
                *classes, function = re.match(r"((?:\w+\.)*)(.*)", name.removeprefix(f"{module}.")).groups()
                node = "::".join([modules[module], *filter(None, classes[0].split(".")), function])
                case.update(self.tested(["--pyargs", node], False).get(name, {}))
        return list(cases.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stack")
    parser.add_argument("suite")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--only", default="", help="a regular expression of features")
    parser.add_argument("--seconds", type=int, default=120, help="longest time of each test")
    parser.add_argument("--command", default=str(REPOSITORY / "build/release/bin/warpwise"))
    parser.add_argument("--date", default=time.strftime("%Y-%m-%d"))
    parser.add_argument("--log", help="a file to which pytest's output is added")
    parser.add_argument("--try", dest="trial", action="store_true", help="records nothing")
    arguments = parser.parse_args()
    if not arguments.trial:
        clean_commit("record-python-suites.py")
    suite = Suite(arguments.stack, arguments)
    commit = first_line("git", "log", "-1", "--format=%h", "--abbrev=12", "--", "warpwise")
    path = RESULTS / f"{arguments.stack}.json"
    kept = json.loads(path.read_text(encoding="utf-8"))["features"] if path.exists() else {}
    parts = suite.parts()
    features = {feature: kept[feature] for feature in parts if feature in kept}
    for feature, files in parts.items():
        if not re.search(arguments.only, feature):
            continue
        cases = suite.feature(files)
        features[feature] = {"commit": commit, "files": files, "passed": sum(case["outcome"] == "passed" for case in cases),
                             "others": [case for case in cases if case["outcome"] != "passed"]}
        print(feature, features[feature]["passed"], "of", len(cases), "passed", flush=True)
        for case in features[feature]["others"]:
            print("  ", case["outcome"], case["test"], case["says"][:200], flush=True)
        if not arguments.trial:
            told = suite.told
            write(path, {"stack": arguments.stack, "what": told["what"], "repository": told["repository"], "versions": suite.versions(),
                         "machine": machine_of(arguments.date, commit, f"warpwise run --check all, {arguments.seconds} s a test"),
                         "features": {each: features[each] for each in parts if each in features}})


if __name__ == "__main__":
    main()
