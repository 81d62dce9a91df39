#!/usr/bin/env python3
"""Tests the outcomes that record-programs.py gives to runs of programs: real processes, and texts of the runtime."""
import importlib.util
import json
import pathlib
import re
import sys
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent / "scripts"
sys.path.insert(0, str(SCRIPTS))
import program_tables  # noqa: E402

specification = importlib.util.spec_from_file_location("record_programs", SCRIPTS / "record-programs.py")
record = importlib.util.module_from_spec(specification)
specification.loader.exec_module(record)

FAULT = "warpwise: out_of_bounds in kernel k(int*), block (0,0,0), thread (0,0,0) (once), a.cu:3: global read of 4 bytes\n"


def outcome(text="", status=0, not_run=(), passed="PASS", failed="FAIL", checked=None, **more):
    return record.judged(text, status, list(not_run), passed, failed, checked, **more)


class Checked(unittest.TestCase):
    def test_the_first_report_of_each_kind(self):
        leak = "warpwise: leak in the program, cudaMalloc called at a.cu:1 in main: allocation 1"
        text = FAULT + FAULT.replace("a.cu:3", "a.cu:4") + leak + "\nwarpwise: 2 launches of 1 kernel, 3 faults\n"
        found = record.reports_in(text)
        self.assertEqual(list(found), ["out_of_bounds", "leak"])
        self.assertIn("a.cu:3", found["out_of_bounds"])
        self.assertEqual(list(record.reports_in(text, "out_of_bounds")), ["leak"])
        self.assertEqual(record.reports_in("warpwise: 2 launches of 1 kernel, 0 faults\n"), {})

    def test_the_table(self):
        def row(name, found, ended=True):
            return {"program": name, "outcome": "passed", "checked": {"checks": "all", "ended": ended, "found": found, "commit": "c", "date": "d"}}

        unchecked = {"program": "z", "outcome": "passed"}
        rows = [row("a", {}), row("b", {"race": "race in kernel k"}), row("c", {}, ended=False), unchecked]
        text = program_tables.checked([{"collection": "C", "rows": rows}, {"collection": "D", "rows": [unchecked]}])
        self.assertIn("| C | 3 | 1 | 1 | 1 | commit c, d |", text)
        self.assertNotIn("| D |", text)
        self.assertIn("These are a, b, c.\n\n- C, b: race in kernel k", text)


class Judged(unittest.TestCase):
    def test_own_check(self):
        self.assertEqual(outcome("PASS\n")[0], "passed")
        self.assertEqual(outcome("PASS\nFAIL: 3 of 4\n"), ("wrong", "FAIL: 3 of 4"))
        self.assertEqual(outcome("done\n")[0], "ended")
        self.assertEqual(outcome("done\n", passed=None, failed=None)[0], "ended")

    def test_exit_codes_and_signals(self):
        self.assertEqual(outcome("no device\n", 3), ("failed", "it ended with 3: no device"))
        self.assertEqual(outcome("PASS\n", -11), ("crashed", "SIGSEGV"))

    def test_a_pass_does_not_hide_what_was_refused_or_faulted(self):
        self.assertEqual(outcome("PASS\n", 0, ["the emulator does not run 'x'"]), ("refused", "the emulator does not run 'x'"))
        self.assertEqual(outcome("PASS\n" + FAULT)[0], "fault")
        self.assertIn("k(int*), block (0,0,0)", outcome(FAULT)[1])

    def test_a_fault_that_is_the_programs_intention(self):
        self.assertEqual(outcome("PASS\n" + FAULT, intended="out_of_bounds")[0], "passed")
        self.assertEqual(outcome("PASS\n" + FAULT, intended="assertion")[0], "fault")
        self.assertEqual(outcome("PASS\n" + FAULT + FAULT.replace("out_of_bounds", "trap"), intended="out_of_bounds")[0], "fault")

    def test_a_fault_that_its_source_explains(self):
        call = {"own": {"fault": r"out_of_bounds in kernel k\(", "why": "it begins at -1"}, "waits": "for the host"}
        self.assertEqual(record.explained(*outcome(FAULT), call), ("own fault", "it begins at -1"))
        self.assertEqual(record.explained(*outcome(FAULT.replace("kernel k", "kernel other")), call)[0], "fault")
        self.assertEqual(record.explained(*outcome(FAULT), {})[0], "fault")
        self.assertEqual(record.explained(*outcome("PASS\n"), call)[0], "passed")
        self.assertEqual(record.explained(*outcome("", None), call), ("waits", "for the host"))
        self.assertEqual(record.explained(*outcome("", None), {})[0], "too slow")

    def test_time(self):
        self.assertEqual(outcome("PASS\n", None)[0], "too slow")
        self.assertEqual(outcome("PASS\nbenchmark\n", None, checked="benchmark")[0], "cut off")
        self.assertEqual(outcome("FAIL\nbenchmark\n", None, checked="benchmark")[0], "too slow")

    def test_closed_library(self):
        self.assertEqual(outcome("p cannot be loaded: libcufft.so.12: cannot open shared object file\n", 1), ("needs", "libcufft.so"))


class Executed(unittest.TestCase):
    def run_python(self, code, seconds=5):
        return record.execute([sys.executable, "-c", code], ".", seconds)

    def test_output_and_status(self):
        text, status, _, _ = self.run_python("import sys; print('out'); sys.stdout.flush(); print('err', file=sys.stderr); sys.exit(4)")
        self.assertEqual((text, status), ("out\nerr\n", 4))

    def test_cpu_time_is_bounded(self):
        self.assertIsNone(self.run_python("while True: pass", seconds=1)[1])

    def test_long_output_keeps_both_ends(self):
        text = self.run_python("print('begin'); print('x' * 2000000); print('end')")[0]
        self.assertLess(len(text), 500_000)
        self.assertTrue(text.startswith("begin") and text.endswith("end\n"))


class Recorded(unittest.TestCase):
    def test_rows_are_of_known_programs_and_outcomes(self):
        for path in sorted(record.RESULTS.glob("*.json")):
            recorded = json.loads(path.read_text(encoding="utf-8"))
            for row in recorded["rows"]:
                self.assertIn(row["outcome"], (*program_tables.NOT_COUNTED, *program_tables.RAN, *program_tables.REST), f"{path}: {row['program']}")

    def test_calls_name_recorded_programs_and_their_patterns_are_valid(self):
        for path in sorted((SCRIPTS / "programs").glob("*.json")):
            calls = json.loads(path.read_text(encoding="utf-8"))
            results = record.RESULTS / path.name
            known = [row["program"] for row in json.loads(results.read_text(encoding="utf-8"))["rows"]] if results.exists() else []
            for call in (calls, *calls["calls"].values()):
                for key in ("passed", "failed", "checked"):
                    re.compile(call.get(key, ""))
                re.compile(call.get("own", {}).get("fault", ""))
            if known:
                self.assertEqual(set(calls["calls"]) - set(known), set(), path)


if __name__ == "__main__":
    unittest.main()
