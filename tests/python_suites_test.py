#!/usr/bin/env python3
"""Tests how record-python-suites.py reads pytest's reports, and its tables. Each recorded failure has a reason."""
import importlib.util
import json
import pathlib
import re
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent / "scripts"
sys.path.insert(0, str(SCRIPTS))
import python_suite_tables as tables  # noqa: E402

specification = importlib.util.spec_from_file_location("record_python_suites", SCRIPTS / "record-python-suites.py")
record = importlib.util.module_from_spec(specification)
specification.loader.exec_module(record)

REPORT = """<testsuites><testsuite>
<testcase classname="a.test_b.C" name="good"/>
<testcase classname="a.test_b.C" name="bad"><failure message="Failed: race in kernel k(int*), block"/></testcase>
<testcase classname="a.test_b.C" name="bad"><error message="its fixture"/></testcase>
<testcase classname="a.test_b.C" name="aside"><skipped type="pytest.skip" message="needs   two&#10;GPUs"/></testcase>
<testcase classname="a.test_b.C" name="expected"><skipped type="pytest.xfail" message="known"/></testcase>
</testsuite></testsuites>"""
REASONS = [{"tests": "C\\.bad", "says": "^Failed: race", "kind": "true fault", "why": "it has no barrier"},
           {"tests": "", "says": "libcublas", "kind": "closed", "why": "cuBLAS"}]


def failed(says):
    return {"test": "a.test_b.C.bad", "outcome": "failed", "says": says}


class Report(unittest.TestCase):
    def test_paths_begin_in_the_suite_or_its_packages(self):
        self.assertEqual(record.one_line("File '/home/me/e/lib/python3.11/site-packages/a/b.py', /home/me/suite/t.py:3", "/home/me/suite"),
                         "File 'a/b.py', t.py:3")

    def test_cases(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "tests.xml"
            path.write_text(REPORT, encoding="utf-8")
            cases = record.cases_in(path)
        self.assertEqual({name: case["outcome"] for name, case in cases.items()},
                         {"a.test_b.C.good": "passed", "a.test_b.C.bad": "failed", "a.test_b.C.aside": "skipped", "a.test_b.C.expected": "passed"})
        self.assertEqual(cases["a.test_b.C.bad"]["says"], "Failed: race in kernel k(int*), block")
        self.assertEqual(cases["a.test_b.C.aside"]["says"], "needs two GPUs")


class Table(unittest.TestCase):
    def counted(self, *others, passed=19):
        return tables.Count([{"passed": passed, "others": list(others)}], REASONS)

    def test_tests_of_closed_libraries_are_not_counted(self):
        count = self.counted(failed("no libcublas.so"), {"test": "t", "outcome": "skipped", "says": ""})
        self.assertEqual((count.counted, count.aside, count.skipped, tables.share(count)), (19, 1, 1, "100.0 %"))

    def test_other_failures_are(self):
        count = self.counted(failed("Failed: race in kernel k"), passed=3)
        self.assertEqual((count.counted, tables.share(count), tables.verdict(count)), (4, "75.0 %", "runs in part: a fault of the test or the package (1)"))

    def test_an_alarm_that_nobody_has_read_counts_as_false(self):
        count = self.counted(failed("Failed: race in kernel k"), failed("Failed: barrier in kernel k"), failed("AssertionError: 1 != 2"))
        self.assertEqual((count.true_faults(), count.false_alarms()), (1, 1))


class Recorded(unittest.TestCase):
    def test_descriptions(self):
        for path in sorted(tables.SUITES.glob("*.json")):
            told = json.loads(path.read_text(encoding="utf-8"))
            for pattern in (told.get("files", ""), told["faulty"], *told["features"].values(), *(each[key] for each in told["reasons"] for key in ("tests", "says") if key in each)):
                re.compile(pattern)
            self.assertEqual({each["kind"] for each in told["reasons"]} - set(tables.KINDS), set(), path)

    def test_each_failure_has_its_reason(self):
        for recorded in tables.read(record.RESULTS):
            count = tables.Count(recorded["features"].values(), tables.reasons_of(recorded["stack"]))
            self.assertEqual([case["test"] for case, reason in count.failed if not reason["kind"]], [], recorded["stack"])


if __name__ == "__main__":
    unittest.main()
