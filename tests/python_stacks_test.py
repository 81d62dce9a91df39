#!/usr/bin/env python3
"""Tests the record of Python's packages on the emulated GPU: it has all programs of scripts/python_stacks."""
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent / "scripts"
sys.path.insert(0, str(SCRIPTS))
import python_stack_tables as tables  # noqa: E402

specification = importlib.util.spec_from_file_location("record_python_stacks", SCRIPTS / "record-python-stacks.py")
record = importlib.util.module_from_spec(specification)
specification.loader.exec_module(record)

PROGRAM = '''"""A stack."""
STACK = "a"
PACKAGES = ["a[b]<2"]

def _helper():
    pass

def runs():
    """all of it

    runs
    """

def fails():
    """a fault

    named at its line: with a
    hint
    """
    x = 1  # here: fails

def lacks():
    """a library

    not run: it is not there

    says: no libx
    """
'''


class Programs(unittest.TestCase):
    def stack(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "a_stack.py"
            file.write_text(PROGRAM, encoding="utf-8")
            return tables.stack_of(file)

    def verdict(self, feature, code, *said):
        return record.verdict_of(types.SimpleNamespace(returncode=code, stderr="\n".join(said)), feature)

    def test_features(self):
        self.assertEqual([(each.function, each.name, each.verdict, each.why, each.line) for each in self.stack().features],
                         [("runs", "all of it", "runs", "", 0), ("fails", "a fault", "named at its line", "with a hint", 20),
                          ("lacks", "a library", "not run", "it is not there", 0)])

    def test_what_does_not_run_says_its_reason(self):
        *_, lacks = self.stack().features
        self.assertEqual(lacks.says, "no libx")
        for said, is_as_told in [("OSError: no libx.so", True), ("MemoryError", False)]:
            verdict, says = self.verdict(lacks, 1, said, "Traceback's end", "warpwise: 0 faults")
            self.assertEqual(record.is_as_told(lacks, {"verdict": verdict, "says": says}), is_as_told)
        self.assertFalse(record.is_as_told(lacks, {"verdict": "runs", "says": ""}))

    def test_a_feature_without_an_end_is_recorded(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(record, "SECONDS", 0.2):
            command = pathlib.Path(folder) / "hangs"
            command.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
            command.chmod(0o755)
            lacks = self.stack().features[-1]
            found, _ = record.outcome(lacks, sys.executable, command)
        self.assertEqual(found, {"verdict": "not run", "says": "no end within 0.2 s"})
        self.assertFalse(record.is_as_told(lacks, found))

    def test_a_record_needs_all_stacks(self):
        done = subprocess.run([sys.executable, SCRIPTS / "record-python-stacks.py", "CuPy"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("a record needs all stacks", done.stderr)

    def test_verdicts(self):
        runs, fails, _ = self.stack().features
        fault = "warpwise: race in kernel k, a_stack.py:20: write; launched at a_stack.py:30"
        self.assertEqual(self.verdict(runs, 0), ("runs", ""))
        self.assertEqual(self.verdict(runs, 1, "ValueError: no", "warpwise: 0 faults"), ("not run", "ValueError: no"))
        self.assertEqual(self.verdict(runs, 1, fault)[0], "found")
        self.assertEqual(self.verdict(fails, 1, fault), ("named at its line", ""))
        self.assertEqual(self.verdict(fails, 1, fault.replace("a_stack.py:20", "other.cu:3"))[0], "found")
        # The line of the launch is not the line of the fault.
        self.assertEqual(self.verdict(fails, 1, "warpwise: race in kernel k, no source line; launched at a_stack.py:20")[0], "found")
        self.assertEqual(self.verdict(fails, 0)[0], "not found")
        # If a CUDA function is refused, that is the verdict, even if a fault follows from it.
        self.assertEqual(self.verdict(runs, 1, fault, "warpwise: 1 launch, 1 fault, 1 CUDA function not run")[0], "not run")


class Recorded(unittest.TestCase):
    def test_record_says_what_the_docstrings_say(self):
        recorded = json.loads(tables.RECORD.read_text(encoding="utf-8"))["stacks"]
        self.assertEqual({stack.name: {each.function: each.verdict for each in stack.features} for stack in tables.stacks()},
                         {name: {function: found["verdict"] for function, found in stack["features"].items()} for name, stack in recorded.items()})


if __name__ == "__main__":
    unittest.main()
